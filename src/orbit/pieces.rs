//! Transition factors of a segment that the flow carries from end to end, in pieces where one matrix would lose what is small next to what is large.
//!
//! A transition matrix in doubles is known to rounding of its *norm*. Where the flow contracts strongly across itself, its part modulo the flow direction
//! is nothing but rounding; over pieces short enough it is not.

use super::PeriodicOrbit;
use super::periodic::Segment;
use super::stability::{Coordinates, Stability, evaluation};
use super::variational::push_factor;
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::lu_factorise;
use smallvec::SmallVec;

/// A factor keeps enough digits if its smallest pivot is at least this part of the transition matrix.
const KEPT: f64 = 1e-4;
/// A segment is halved at most this many times.
const HALVINGS: usize = 12;

impl PeriodicOrbit<'_> {
    /// Where one transition matrix of segment `s` would lose digits: push the factors of pieces of it, leave the coordinates at its end in `work.end`, and
    /// say so. The segment begins at `start`, whose coordinates are in `work.here`.
    pub(super) fn pieces(
        &self,
        work: &mut Stability,
        s: &Segment<'_>,
        start: &[f64],
        duration: f64,
    ) -> Result<bool, Failure> {
        let mode = &self.system.modes[s.mode];
        let phase = work.phases[s.mode];
        let mut end = Coordinates::default();
        end.set(mode, phase, &s.transition.x, &self.parameters)?;
        if s.n < 2 || keeps(&work.here, &end, &s.transition.dx) {
            return Ok(false);
        }
        let mut from = work.here.clone();
        let mut x = start.to_vec();
        let mut piece = Transition::default();
        // What is left to do, the next last: durations and how often they may still be halved.
        let mut left = vec![(duration, HALVINGS)];
        while let Some((t, halvings)) = left.pop() {
            s.flow
                .linearise(&x, t, &self.parameters, &[], &mut piece)
                .map_err(evaluation)?;
            if left.is_empty() {
                end.set(mode, phase, &s.transition.x, &self.parameters)?;
            } else {
                end.set(mode, phase, &piece.x, &self.parameters)?;
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
        Ok(true)
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
