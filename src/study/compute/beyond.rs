//! What continues a curve where the description of its members ends: another word, the other side of a corner.

use crate::compute::family::Family;
use crate::compute::tracer::CurveTracer;
use crate::results::curve::Piece;
use slipstick_orbit::{FixedPoint, LargeCycle, PeriodicOrbit};

/// A family that may go on beyond the ends of a piece.
pub(crate) trait Beyond: Family {
    /// Go on where the description of the members stops being valid.
    fn extend(&mut self, tracer: &mut CurveTracer<'_>, name: &str, pieces: &mut Vec<Piece>) {
        let _ = (tracer, name, pieces);
    }
    /// Go on round the corners of the equations.
    fn round_corners(&mut self, tracer: &mut CurveTracer<'_>, name: &str, pieces: &mut Vec<Piece>) {
        let _ = (tracer, name, pieces);
    }
}

impl Beyond for PeriodicOrbit<'_> {
    fn extend(&mut self, tracer: &mut CurveTracer<'_>, name: &str, pieces: &mut Vec<Piece>) {
        tracer.switch_words(self, name, pieces);
    }
}

impl Beyond for FixedPoint<'_> {
    fn round_corners(&mut self, tracer: &mut CurveTracer<'_>, name: &str, pieces: &mut Vec<Piece>) {
        tracer.pass_corners(self, name, pieces);
    }
}

impl Beyond for LargeCycle<'_> {}
