//! A segment that its mode's flow carries from its start to its end: no unknowns of its own.
//!
//! A transition matrix in doubles is known to rounding of its *norm*. Where the flow contracts strongly across itself,
//! its part modulo the flow direction is nothing but rounding; over pieces short enough it is not. Where that would
//! take too many, the directions of a linear field are taken one by one, and the variational equation of another is
//! followed along the path.

use crate::perturbation::{Coordinates, Stability, evaluation};
use crate::segment::scheme::{Along, At, Scheme};
use crate::segment::{decaying, spectral};
use crate::variational::push_factor;
use slipstick_continuation::Failure;
use slipstick_flow::{FlowKind, Transition};
use slipstick_numerics::linalg::{balance, lu_factorise};
use smallvec::SmallVec;

/// A factor keeps enough digits if its smallest pivot is at least this part of the transition matrix.
const KEPT: f64 = 1e-4;

/// A segment is halved this many times before the variational equation is followed along it: one of two or three states
/// by an integrator, where pieces know the direction that decays less well than the others, and another one; and at
/// most this many times where that does not succeed.
const FEW_HALVINGS: usize = 3;

const HALVINGS: usize = 8;

const MOST_HALVINGS: usize = 12;

/// Systems of more states have modes of different scales, and are cut in their own units.
const LARGE: usize = 12;

/// One shot by the flow.
pub(crate) struct Flow;

impl Scheme for Flow {
    fn evaluate(&mut self, at: &At<'_, '_>, _: &mut [f64], end: &mut Transition) -> Result<(), Failure> {
        at.flow
            .linearise(at.start, at.duration, at.p, at.free, end)
            .map_err(evaluation)
    }

    /// Where one transition matrix would lose digits: the factors of pieces of the segment.
    fn factors(&self, along: &Along<'_, '_>, work: &mut Stability) -> Result<Option<f64>, Failure> {
        let Along { mode, phase, p, .. } = *along;
        let mut end = Coordinates::default();
        end.set(mode, phase, &along.end.x, p)?;
        if along.start.len() < 2 || keeps(&work.here, &end, &along.end.dx) {
            return Ok(None);
        }
        if along.start.len() <= 3 || !spectral::push(along, work)? {
            self.push_in_parts(along, work, &end)?;
        }
        work.end = end;
        Ok(Some(0.0))
    }
}

/// Pieces of a segment: the coordinates at their ends, and their transition matrices.
struct Pieces {
    nodes: Vec<Coordinates>,
    transitions: Vec<Vec<f64>>,
}

impl Pieces {
    fn push(&self, work: &mut Stability) -> Result<(), Failure> {
        let ends = self.nodes.windows(2);
        ends.zip(&self.transitions)
            .try_for_each(|(ends, dx)| push_factor(work, &ends[0], &ends[1], dx))
    }
}

impl Flow {
    /// Push the factors of pieces of the segment or, where that would take too many, those along its path.
    fn push_in_parts(&self, along: &Along<'_, '_>, work: &mut Stability, end: &Coordinates) -> Result<(), Failure> {
        let integrated = along.start.len() <= 3 && along.flow.kind(along.p) == FlowKind::Integrated;
        let most = if integrated { FEW_HALVINGS } else { HALVINGS };
        if let Some(pieces) = self.pieces(along, &work.here, end, most, false)? {
            return pieces.push(work);
        }
        let begun = work.chain.clone();
        if decaying::push(along, work, end).is_err() {
            work.chain = begun;
            if let Some(pieces) = self.pieces(along, &work.here, end, MOST_HALVINGS, true)? {
                pieces.push(work)?;
            }
        }
        Ok(())
    }

    /// Pieces of the segment that keep their digits. None, unless `anyway`, if some would have to be shorter than so
    /// many halvings make them.
    fn pieces(
        &self,
        along: &Along<'_, '_>,
        start: &Coordinates,
        end: &Coordinates,
        most: usize,
        anyway: bool,
    ) -> Result<Option<Pieces>, Failure> {
        let Along { mode, phase, p, .. } = *along;
        let mut pieces = Pieces {
            nodes: vec![start.clone()],
            transitions: vec![],
        };
        let mut x = along.start.to_vec();
        let mut piece = Transition::default();
        let mut to = Coordinates::default();
        // What is left to do, the next last: durations and how often they may still be halved.
        let mut left = vec![(along.duration, most)];
        while let Some((t, halvings)) = left.pop() {
            along.flow.linearise(&x, t, p, &[], &mut piece).map_err(evaluation)?;
            if left.is_empty() {
                to.clone_from(end);
            } else {
                to.set(mode, phase, &piece.x, p)?;
            }
            if !keeps(&pieces.nodes[pieces.nodes.len() - 1], &to, &piece.dx) {
                if halvings > 0 {
                    left.extend([(0.5 * t, halvings - 1); 2]);
                    continue;
                }
                if !anyway {
                    return Ok(None);
                }
            }
            pieces.nodes.push(to.clone());
            pieces.transitions.push(piece.dx.clone());
            x.copy_from_slice(&piece.x);
        }
        Ok(Some(pieces))
    }
}

/// Does the map that a transition matrix induces between two nodes keep its digits?
fn keeps(from: &Coordinates, to: &Coordinates, dx: &[f64]) -> bool {
    keeps_in(&SmallVec::<[f64; 8]>::from_elem(1.0, from.n), from, to, dx)
        // Of many modes, a fast one of a few micrometres beside a slow one of metres has digits of its own.
        || from.n > LARGE && from.phase.is_some() && keeps_in(&balance(dx, from.n).0, from, to, dx)
}

/// The same in such units of the states.
fn keeps_in(units: &[f64], from: &Coordinates, to: &Coordinates, dx: &[f64]) -> bool {
    let n = from.n;
    // The state of a coordinate modulo the flow, where a phase is left out.
    let unit = |c: usize| units[c + usize::from(from.phase.is_some_and(|phase| c >= phase))];
    let width = n - 1;
    let mut v: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, n);
    let mut image = v.clone();
    let mut induced: SmallVec<[f64; 16]> = SmallVec::from_elem(0.0, width * width);
    for c in 0..width {
        from.embed(c, &mut v);
        for (o, row) in image.iter_mut().zip(dx.chunks_exact(n)) {
            *o = slipstick_numerics::linalg::dot(row, &v);
        }
        for r in 0..width {
            induced[r * width + c] = to.project(&image, r) * unit(c) / unit(r);
        }
    }
    let scaled = dx
        .iter()
        .enumerate()
        .map(|(e, v)| (v * units[e % n] / units[e / n]).abs());
    let largest = scaled.fold(0.0, f64::max);
    let mut order: SmallVec<[u32; 8]> = SmallVec::from_elem(0, width);
    // The factorisation leaves the pivots inverted.
    lu_factorise(&mut induced, &mut order) && (0..width).all(|i| induced[i * width + i].abs() * KEPT * largest <= 1.0)
}
