//! Follow periodic orbits round the corners of what events do to the states, in the same word.

use crate::compute::corners::{passed_at, turns_at};
use crate::compute::family::{Family, problem_like};
use crate::compute::leaving::Start;
use crate::compute::openings::Opening;
use crate::compute::tracer::{CurveTracer, join};
use crate::results::curve::Piece;
use slipstick_bifurcation::{BranchPoint, Inspect, Label};
use slipstick_continuation::Point;
use slipstick_orbit::{
    AtResetCorner, PeriodicOrbit, SAME_ORBIT, beyond_reset_corner, corner_from_beyond, invariants, set_off_inside,
};

impl CurveTracer<'_> {
    /// What the curve meets at an end of a piece, if that is a corner of a reset.
    pub(crate) fn at_reset_corner(
        &self,
        problem: &mut PeriodicOrbit<'_>,
        piece: &Piece,
        (at, inequality): (&BranchPoint, usize),
        at_start: bool,
    ) -> Option<AtResetCorner> {
        let inside = inside_of(piece, inequality, at_start).unwrap_or(at);
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
        let mut arriving: Point = at.point.clone();
        if at_start {
            arriving.tangent.iter_mut().for_each(|t| *t = -*t);
        }
        let mut reasons: Vec<String> = vec![];
        let entered = sides.into_iter().find_map(|other| {
            let mut next = problem_like(self.curve, problem, problem.word().clone(), &at.record.parameters);
            next.measure_like(problem);
            next.rephase(&at.point);
            next.on_sides(&other.sides);
            let place = corner_from_beyond(&mut next, &at.point, &other);
            let starts: [&dyn Fn(&mut PeriodicOrbit<'s>) -> Option<Start>; 2] = [
                &|_| {
                    Some(
                        place
                            .clone()
                            .map_or_else(|| Start::Guess(at.point.z.clone()), Start::Orbit),
                    )
                },
                &|next| set_off_inside(next, &arriving).map(Start::Orbit),
            ];
            let tries = starts.iter().flat_map(|start| [1.0, -1.0].map(|way| (start, way)));
            for (start, way) in tries {
                next.rephase(&at.point);
                next.on_sides(&other.sides);
                let Some(start) = start(&mut next) else { continue };
                next.on_sides(&other.sides);
                match self.leave(&mut next, name, start, (AT, &[way]), Opening::Short(&[])) {
                    Ok(piece) if leads_beyond(&piece, other.inequality) => {
                        return Some((next, piece, (other.bends, place.clone())));
                    }
                    Ok(_) => reasons.push("the orbits there lie on the other side".into()),
                    Err(why) => reasons.push(why.to_string()),
                }
            }
            None
        });
        reasons.dedup();
        let Some((mut next, mut piece, (bends, place))) = entered else {
            let why = format!("{corner}; not continued: {}", reasons.join("; "));
            pieces[end].ends_here(at_start, Label::GR, &why);
            return None;
        };
        if let Some(place) = place {
            pieces[end].moves_to(at_start, &place.z, self.curve.free);
        }
        let mut start = piece.branch.points.get(piece.branch.start)?.point.clone();
        let onwards = piece.branch.points.get(1).map_or(0.0, |p| start.arclength_to(&p.point));
        if onwards < 0.0 {
            start.tangent.iter_mut().for_each(|t| *t = -*t);
        }
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

/// The point nearest to an end of a piece that tells its side of the corner there: steps onto a root become so short
/// that what they lead to cannot be told from the corner.
fn inside_of(piece: &Piece, inequality: usize, at_start: bool) -> Option<&BranchPoint> {
    /// As part of the largest distance from the corner.
    const TELLS: f64 = 1e-2;
    let points = &piece.branch.points;
    let margin = |p: &BranchPoint| p.record.inequalities.get(inequality).copied().unwrap_or(0.0);
    let largest = points.iter().map(margin).fold(0.0, f64::max);
    let tells = |p: &&BranchPoint| margin(p) > TELLS * largest;
    match at_start {
        true => points.iter().find(tells),
        false => points.iter().rfind(tells),
    }
}

/// Do the orbits of a piece that sets off from a corner lie on their own side of it?
fn leads_beyond(piece: &Piece, inequality: usize) -> bool {
    let next = piece.branch.points.iter().skip(1).take(2);
    let mut margins = next.filter_map(|p| p.record.inequalities.get(inequality));
    margins.all(|margin| *margin > 0.0)
}
