//! A segment that its mode's flow carries from its start to its end: no unknowns of its own.
//!
//! A transition matrix in doubles is known to rounding of its *norm*. Where the flow contracts strongly across itself,
//! its part modulo the flow direction is nothing but rounding; over pieces short enough it is not.

use super::{Along, At, Scheme};
use crate::stability::{Coordinates, Stability, evaluation};
use crate::variational::push_factor;
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::lu_factorise;
use smallvec::SmallVec;

/// A factor keeps enough digits if its smallest pivot is at least this part of the transition matrix.
const KEPT: f64 = 1e-4;
/// A segment is halved at most this many times.
const HALVINGS: usize = 12;

/// One shot by the flow.
pub(super) struct Flow;

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
        let mut from = work.here.clone();
        let mut x = along.start.to_vec();
        let mut piece = Transition::default();
        // What is left to do, the next last: durations and how often they may still be halved.
        let mut left = vec![(along.duration, HALVINGS)];
        while let Some((t, halvings)) = left.pop() {
            along.flow.linearise(&x, t, p, &[], &mut piece).map_err(evaluation)?;
            if left.is_empty() {
                end.set(mode, phase, &along.end.x, p)?;
            } else {
                end.set(mode, phase, &piece.x, p)?;
            }
            if halvings > 0 && !keeps(&from, &end, &piece.dx) {
                left.extend([(0.5 * t, halvings - 1); 2]);
                continue;
            }
            push_factor(work, &from, &end, &piece.dx)?;
            x.copy_from_slice(&piece.x);
            std::mem::swap(&mut from, &mut end);
        }
        work.end = from;
        Ok(Some(0.0))
    }
}
/// Does the map that a transition matrix induces between two nodes keep its digits?
fn keeps(from: &Coordinates, to: &Coordinates, dx: &[f64]) -> bool {
    let n = from.n;
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
            induced[r * width + c] = to.project(&image, r);
        }
    }
    let largest = dx.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut order: SmallVec<[u32; 8]> = SmallVec::from_elem(0, width);
    // The factorisation leaves the pivots inverted.
    lu_factorise(&mut induced, &mut order) && (0..width).all(|i| induced[i * width + i].abs() * KEPT * largest <= 1.0)
}
