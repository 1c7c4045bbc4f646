//! The end of a curve of pseudo-equilibria at a two-fold, where the sliding field that it was traced with has a pole.

use crate::compute::family::Family;
use crate::compute::tracer::ORBIT_ROWS;
use crate::results::curve::Piece;
use slipstick_bifurcation::{End, Label};
use slipstick_orbit::{BeyondTwoFold, FixedPoint};

impl Piece {
    /// The curve comes to a two-fold at this end. What was found so near to it that it was known to rounding only is
    /// left out. `meaning` says what there is to be said.
    pub(crate) fn ends_at_two_fold(
        &mut self,
        problem: &mut FixedPoint<'_>,
        at_start: bool,
        fold: &BeyondTwoFold<'_>,
        meaning: &str,
    ) {
        let ends = &mut self.branch.ends;
        if let Some(end) = if at_start { ends.first_mut() } else { ends.last_mut() } {
            *end = End::Boundary {
                inequality: fold.inequality,
                label: Label::TF,
                meaning: meaning.to_owned(),
            };
        }
        let Some(p) = self.end_mut(at_start) else { return };
        p.point.z.clone_from(&fold.place);
        p.record.clone_from(&fold.record);
        p.label = Some(Label::TF);
        meaning.clone_into(&mut p.message);
        let p = p.clone();
        self.leave_out_near(at_start, fold.within);
        let index = if at_start { 0 } else { self.branch.points.len() - 1 };
        self.orbits.retain(|(i, _)| *i != index);
        if let Some(sample) = problem.table(&p, ORBIT_ROWS) {
            let place = if at_start { 0 } else { self.orbits.len() };
            self.orbits.insert(place, (index, sample));
        }
    }

    /// Leave out the points between the start and this end that lie within so much of the end.
    fn leave_out_near(&mut self, at_start: bool, within: f64) {
        let (count, start) = (self.branch.points.len(), self.branch.start);
        let Some(end) = self.end(at_start) else { return };
        let near = |i: &usize| end.point.distance(&self.branch.points[*i].point) <= within;
        let left_out = if at_start {
            1..1 + (1..start).take_while(near).count()
        } else {
            let number = (start + 1..count - 1).rev().take_while(near).count();
            count - 1 - number..count - 1
        };
        for rows in [&mut self.orbits, &mut self.between] {
            rows.retain(|(i, _)| !left_out.contains(i));
            let behind = rows.iter_mut().filter(|(i, _)| *i >= left_out.end);
            behind.for_each(|(i, _)| *i -= left_out.len());
        }
        if at_start {
            self.branch.start -= left_out.len();
        }
        self.branch.points.drain(left_out);
    }
}
