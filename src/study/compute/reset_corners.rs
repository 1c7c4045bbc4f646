//! Follow periodic orbits round the corners of what events do to the states, in the same word.

use crate::compute::corners::{passed_at, turns_at};
use crate::compute::family::{Family, problem_like};
use crate::compute::leaving::Start;
use crate::compute::openings::Opening;
use crate::compute::tracer::{CurveTracer, join};
use crate::results::curve::Piece;
use slipstick_bifurcation::{BranchPoint, Inspect, Label};
use slipstick_continuation::Point;
use slipstick_orbit::{AtResetCorner, PeriodicOrbit, SAME_ORBIT, beyond_reset_corner, invariants};

impl CurveTracer<'_> {
    /// What the curve meets at an end of a piece, if that is a corner of a reset.
    pub(crate) fn at_reset_corner(
        &self,
        problem: &mut PeriodicOrbit<'_>,
        piece: &Piece,
        (at, inequality): (&BranchPoint, usize),
        at_start: bool,
    ) -> Option<AtResetCorner> {
        let inside = piece.beside(at_start).unwrap_or(at);
        beyond_reset_corner(problem, &at.point, &inside.point, inequality)
    }

    /// Go on beyond a corner of a reset at an end of the curve, which has these columns; returns the problem there, if
    /// the curve goes on.
    pub(crate) fn pass_reset_corner<'s>(
        &self,
        problem: &mut PeriodicOrbit<'s>,
        name: &str,
        (at, met): (&BranchPoint, AtResetCorner),
        (pieces, columns): (&mut Vec<Piece>, &[String]),
        at_start: bool,
    ) -> Option<PeriodicOrbit<'s>> {
        /// The orbit on the corner is met again to this.
        const AT: f64 = 1e-6;
        let end = if at_start { 0 } else { pieces.len() - 1 };
        let corner = at.message.clone();
        let sides = match met {
            AtResetCorner::Beyond(sides) => sides,
            AtResetCorner::Jumps(jump) => {
                let why = format!("the curve ends at the {jump}, in what an event does to the states: they jump there");
                pieces[end].ends_here(at_start, Label::EP, &why);
                return None;
            }
            AtResetCorner::Born => {
                let why = format!(
                    "{corner}: border collision of an orbit of this word gone through fewer times, at which this orbit is born: its curve ends"
                );
                pieces[end].ends_here(at_start, Label::GR, &why);
                return None;
            }
        };
        let mut reasons: Vec<String> = vec![];
        let entered = sides.into_iter().find_map(|other| {
            let mut next = problem_like(self.curve, problem, problem.word().clone(), &at.record.parameters);
            next.measure_like(problem);
            next.rephase(&at.point);
            next.on_sides(&other.sides);
            let start = Start::Guess(at.point.z.clone());
            match self.leave(&mut next, name, start, (AT, &[1.0, -1.0]), Opening::Short(&[])) {
                Ok(piece) => Some((next, piece, other.bends)),
                Err(why) => {
                    reasons.push(why.to_string());
                    None
                }
            }
        });
        let Some((mut next, mut piece, bends)) = entered else {
            let why = format!("{corner}; not continued: {}", reasons.join("; "));
            pieces[end].ends_here(at_start, Label::GR, &why);
            return None;
        };
        let mut arriving: Point = at.point.clone();
        if at_start {
            arriving.tangent.iter_mut().for_each(|t| *t = -*t);
        }
        let start = piece.branch.points.get(piece.branch.start)?.point.clone();
        let turns = turns_at(&arriving, (&mut pieces[end], at_start), (&mut piece, &start));
        let free = &next.parameter_names()[self.curve.free];
        let label = if bends { Label::GR } else { Label::LP };
        let mut message = passed_at(
            corner,
            "border collision",
            (turns, bends),
            (free, &next.fold_meaning(free)),
        );
        if let Some(beyond) = piece.branch.points.get(1) {
            let before = pieces[end].beside(at_start).filter(|p| p.label.is_none()).unwrap_or(at);
            message.push_str(&format!(
                "; unstable directions on the two sides: {} and {}",
                before.record.unstable, beyond.record.unstable
            ));
        }
        let points = &piece.branch.points;
        let passed = points.get(points.len() / 2).is_some_and(|p| {
            let orbit = (invariants(&next, &p.point.z), p.point.parameter());
            let mut old = pieces.iter();
            old.any(|old| self.piece_passes(old, &mut next, (&orbit.0, orbit.1), SAME_ORBIT))
        });
        pieces[end].passes_on(at_start, (bends || turns).then_some((label, message.clone())));
        if !passed {
            piece.keep_monitors(&next.columns(), columns);
            join(pieces, piece, at_start);
            return Some(next);
        }
        if self.comes_round(pieces, at_start) {
            pieces[end].closes(at_start);
        } else {
            let why = format!("{message}; what lies beyond was traced before: the curve ends");
            pieces[end].ends_here(at_start, label, &why);
        }
        None
    }
}
