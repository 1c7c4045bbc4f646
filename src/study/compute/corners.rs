//! Beyond the ends of a curve of equilibria or of points of a map that meets a corner of its equations, a guard of its
//! mode, or a two-fold.

use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use crate::compute::passing::passes_through;
use crate::compute::tracer::{CurveTracer, join};
use crate::results::curve::Piece;
use slipstick_bifurcation::{BranchPoint, End, Inspect, Label, Tracer};
use slipstick_continuation::Point;
use slipstick_orbit::{BeyondTwoFold, EndsAtCorner, FixedPoint, beyond_bound, beyond_corner, beyond_two_fold};
use std::sync::atomic::Ordering;

/// Points nearer than this to a corner, as parts of their sizes, lie on it.
const AT_CORNER: f64 = 1e-6;

/// The most corners a curve is followed round in one direction.
const MOST_CORNERS: usize = 64;

/// How a curve goes on beyond a corner or a guard.
struct Onward<'s> {
    problem: FixedPoint<'s>,
    start: Point,
    /// Where it is met.
    place: Vec<f64>,
    /// What is met, in words.
    what: String,
    /// Do the derivatives change there?
    bends: bool,
    /// The mode that a guard leads into, what is known of the boundary equilibrium, and whether the field jumps there.
    into: Option<(String, String, bool)>,
}

/// A way on, what was traced along it, and whether another curve has gone it before.
struct Found<'s> {
    onward: Onward<'s>,
    piece: Result<Piece, NotFollowed>,
    known: bool,
}

/// Why the curve beyond is not there, though it goes on.
#[derive(Debug, thiserror::Error)]
enum NotFollowed {
    #[error(
        "the curve has passed {MOST_CORNERS} corners, the largest number allowed, and is not followed beyond this one"
    )]
    TooManyCorners,
    #[error("not continued: {0}")]
    Failed(#[from] Box<ComputeError>),
}

/// Why it does not.
struct Ends {
    label: Label,
    why: String,
    /// Where the curve ends, if that is known better than by its last point.
    place: Option<Vec<f64>>,
}

/// How a curve goes on beyond the boundary of an inequality, if it is one of a corner or of a guard, where so many
/// other ways on are `skipped`.
fn onward<'s>(
    problem: &mut FixedPoint<'s>,
    at: &Point,
    (inequality, what): (usize, &str),
    skipped: usize,
) -> Option<Result<Onward<'s>, Ends>> {
    if let Some(found) = beyond_corner(problem, at, inequality, skipped) {
        let ends = |why: EndsAtCorner| Ends {
            label: match why {
                EndsAtCorner::Born { .. } => Label::GR,
                _ => Label::EP,
            },
            why: why.to_string(),
            place: match why {
                EndsAtCorner::Born { place, .. } => Some(place),
                _ => None,
            },
        };
        let passes = |beyond: slipstick_orbit::BeyondCorner<'s>| Onward {
            problem: beyond.problem,
            start: beyond.start,
            place: beyond.place,
            what: beyond.what,
            bends: beyond.bends,
            into: None,
        };
        return Some(found.map(passes).map_err(ends));
    }
    let ends = |why: slipstick_orbit::EndsAtBound| Ends {
        label: Label::BE,
        why: format!("{what}; {why}"),
        place: None,
    };
    if skipped > 0 {
        return None;
    }
    let passes = |beyond: slipstick_orbit::BeyondBound<'s>| Onward {
        problem: beyond.problem,
        start: beyond.start,
        place: beyond.place,
        what: what.to_owned(),
        bends: true,
        into: Some((beyond.mode, beyond.details, !beyond.without_jump)),
    };
    Some(beyond_bound(problem, at, inequality)?.map(passes).map_err(ends))
}

impl CurveTracer<'_> {
    /// Go on round the corners at which the curve stopped, at both ends; where the equations jump the curve ends, and
    /// says so.
    pub(crate) fn pass_corners(&mut self, problem: &mut FixedPoint<'_>, name: &str, pieces: &mut Vec<Piece>) {
        self.round_corners(problem, name, pieces, false);
        if pieces[0].branch.ends.len() > 1 {
            self.round_corners(problem, name, pieces, true);
        }
    }

    fn round_corners<'s>(&mut self, problem: &mut FixedPoint<'s>, name: &str, pieces: &mut Vec<Piece>, at_start: bool) {
        let mut owner: Option<FixedPoint<'s>> = None;
        for passed in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let at = if at_start { 0 } else { pieces.len() - 1 };
            let ends = &pieces[at].branch.ends;
            let end = if at_start { ends.first() } else { ends.last() };
            let left = match end {
                Some(End::Boundary {
                    inequality, meaning, ..
                }) => Some((*inequality, meaning.clone())),
                Some(End::Failed(_)) => None,
                _ => return,
            };
            let Some(point) = pieces[at].end(at_start).cloned() else {
                return;
            };
            let mut arriving: Point = point.point.clone();
            if at_start {
                arriving.tangent.iter_mut().for_each(|t| *t = -*t);
            }
            let current = owner.as_mut().unwrap_or(problem);
            if let Some(fold) = beyond_two_fold(current, &arriving, left.is_some()) {
                match self.pass_two_fold(current, fold, name, pieces, (at_start, passed)) {
                    Some(next) => owner = Some(next),
                    None => return,
                }
                continue;
            }
            let Some((inequality, meaning)) = left else { return };
            let found = match self.untraced_beyond(name, current, &arriving, (inequality, &meaning), passed) {
                None => return,
                Some(found) => found,
            };
            let Found {
                onward:
                    Onward {
                        problem: mut next,
                        start,
                        place,
                        what,
                        bends,
                        into,
                    },
                piece,
                known,
            } = match found {
                Ok(found) => found,
                Err(Ends { label, why, place }) => {
                    if let Some(place) = place {
                        pieces[at].moves_to(at_start, &place, self.curve.free);
                    }
                    return pieces[at].ends_here(at_start, label, &why);
                }
            };
            let mut piece = match piece {
                Ok(piece) => piece,
                Err(why) => return pieces[at].ends_here(at_start, Label::EP, &format!("{what}; {why}")),
            };
            let turns = turns_at(&arriving, (&mut pieces[at], at_start), (&mut piece, &start));
            let beyond = piece.branch.points.get(1).map(|p| p.record.unstable);
            let free = &next.parameter_names()[self.curve.free];
            let mut message = what;
            let collision = match next.is_rest() {
                true => "boundary equilibrium bifurcation",
                false => "border collision",
            };
            if let Some((mode, details, jumps)) = into {
                message.push_str(&match turns {
                    _ if !jumps => format!(": the curve goes on as an equilibrium in mode `{mode}`"),
                    true => format!(
                        ": a nonsmooth fold, where it meets an equilibrium in mode `{mode}`; both exist on the same side of this value of {free}, and the curve turns back"
                    ),
                    false => format!(": persistence; the curve goes on as an equilibrium in mode `{mode}`"),
                });
                message.push_str(&details);
            } else {
                message = passed_at(message, collision, (turns, bends), (free, &next.fold_meaning(free)));
            }
            if let Some(beyond) = beyond {
                message.push_str(&format!(
                    "; unstable directions on the two sides: {} and {beyond}",
                    // A bifurcation just before leaves its own count undecided.
                    pieces[at]
                        .beside(at_start)
                        .filter(|p| p.label.is_none())
                        .map_or(point.record.unstable, |p| p.record.unstable)
                ));
            }
            pieces[at].moves_to(at_start, &place, self.curve.free);
            let label = match (bends, next.is_rest()) {
                (false, _) => Label::LP,
                (true, true) => Label::BE,
                (true, false) => Label::GR,
            };
            pieces[at].passes_on(at_start, (bends || turns).then_some((label, message.clone())));
            if known {
                return pieces[at].ends_here(at_start, label, &traced_before(&message));
            }
            if !self.joins(&mut next, pieces, piece, at_start, (label, &message)) {
                return;
            }
            owner = Some(next);
        }
    }

    /// How the curve goes on beyond a boundary, with the piece there: the first way that was not traced before as a
    /// part of another curve, or the first of all. Where all points of a cycle meet a corner at once there are several,
    /// and each belongs to one curve.
    fn untraced_beyond<'s>(
        &self,
        name: &str,
        current: &mut FixedPoint<'s>,
        arriving: &Point,
        boundary: (usize, &str),
        passed: usize,
    ) -> Option<Result<Found<'s>, Ends>> {
        let mut first = None;
        for skipped in 0.. {
            let mut onward = match onward(current, arriving, boundary, skipped) {
                Some(Ok(onward)) => onward,
                // A cycle that is born there has no other way on.
                Some(Err(ends)) if first.is_none() || ends.place.is_some() => return Some(Err(ends)),
                _ => break,
            };
            let piece = self.piece_beyond(name, &mut onward.problem, &onward.start, passed);
            let middle = piece.as_ref().ok().and_then(|piece| {
                let points = &piece.branch.points;
                points.get(points.len() / 2).map(|p| p.point.clone())
            });
            let known = middle.is_some_and(|p| {
                let orbit = onward.problem.invariants(&p.z);
                self.known(&mut onward.problem, &orbit, p.parameter())
            });
            let found = Found { onward, piece, known };
            if !known {
                return Some(Ok(found));
            }
            first = first.or(Some(found));
        }
        first.map(Ok)
    }

    /// Pass a two-fold at an end of the curve: the pseudo-equilibria beyond, where the curve goes on.
    fn pass_two_fold<'s>(
        &self,
        current: &mut FixedPoint<'_>,
        mut fold: BeyondTwoFold<'s>,
        name: &str,
        pieces: &mut Vec<Piece>,
        (at_start, passed): (bool, usize),
    ) -> Option<FixedPoint<'s>> {
        let at = if at_start { 0 } else { pieces.len() - 1 };
        let start = fold.start.clone();
        let piece = self.piece_beyond(name, &mut fold.problem, &start, passed);
        let more = match &piece {
            Err(why) => why.to_string(),
            Ok(piece) => format!(
                "unstable directions on the two sides: {} and {}",
                fold.record.unstable,
                piece.branch.points.first().map_or(0, |p| p.record.unstable)
            ),
        };
        let meaning = format!("{}; {more}", fold.meaning);
        pieces[at].ends_at_two_fold(current, at_start, &fold, &meaning);
        let mut next = fold.problem;
        let goes_on = self.joins(&mut next, pieces, piece.ok()?, at_start, (Label::TF, &meaning));
        goes_on.then_some(next)
    }

    /// The piece of the curve from a start beyond so many corners, or why there is none.
    fn piece_beyond(
        &self,
        name: &str,
        next: &mut FixedPoint<'_>,
        start: &Point,
        passed: usize,
    ) -> Result<Piece, NotFollowed> {
        if passed == MOST_CORNERS {
            return Err(NotFollowed::TooManyCorners);
        }
        // The start lies on the corner, and would not tell the side again.
        let sides = next.save();
        let traced = self.trace(name, next, |next, log| {
            Tracer::new(next, &self.curve.trace).logged(log).onward(start.clone())
        });
        next.come_back(sides);
        Ok(self.piece(next, traced.map_err(Box::new)?))
    }

    /// Put the piece beyond an end of the curve there, unless it was traced before; does the curve go on?
    fn joins(
        &self,
        next: &mut FixedPoint<'_>,
        pieces: &mut Vec<Piece>,
        piece: Piece,
        at_start: bool,
        (label, message): (Label, &str),
    ) -> bool {
        let points = &piece.branch.points;
        let again = points.get(points.len() / 2).is_some_and(|p| {
            let invariants = next.invariants(&p.point.z);
            let mut same = pieces.iter().filter(|old| old.word == piece.word);
            same.any(|old| passes_through(next, &old.branch, &invariants, p.point.parameter()))
        });
        if !again {
            join(pieces, piece, at_start);
            return true;
        }
        // Closed is what comes back to its other end.
        let (low, high) = self.curve.trace.range;
        let (one, other) = if at_start {
            (pieces.first(), pieces.last())
        } else {
            (pieces.last(), pieces.first())
        };
        let parameter = |piece: Option<&Piece>, at_start: bool| Some(piece?.end(at_start)?.point.parameter());
        let (here, there) = (parameter(one, at_start), parameter(other, !at_start));
        let apart = here.zip(there).map_or(f64::INFINITY, |(a, b)| (a - b).abs());
        let at = if at_start { 0 } else { pieces.len() - 1 };
        if apart <= AT_CORNER * (high - low) {
            pieces[at].closes(at_start);
        } else {
            pieces[at].ends_here(at_start, label, &traced_before(message));
        }
        false
    }
}

/// What is said where a curve comes to what was traced before.
fn traced_before(message: &str) -> String {
    format!("{message}; what lies beyond was traced before: the curve ends")
}

/// What happens where a curve passes a corner, in words: does it turn back there, do the derivatives change?
pub(crate) fn passed_at(
    corner: String,
    collision: &str,
    (turns, bends): (bool, bool),
    (free, fold): (&str, &str),
) -> String {
    match (turns, bends) {
        (true, true) => format!(
            "{corner}: {collision}, a nonsmooth fold, where solutions on both sides meet and the curve turns back in {free}"
        ),
        (true, false) => format!("{fold}, at the {corner}, where derivatives of second or higher order change"),
        (false, _) => format!("{corner}: {collision}, persistence; the curve has a kink here"),
    }
}

/// Does a curve turn back in the parameter where one piece of it arrives at a corner and the next begins? Where the
/// parameter stands still there, points on both sides tell: the first that lie at another value of it, beyond rounding.
/// Where all of a piece lies at one value, as cycles that fill a continuum do, nothing turns back. Each piece, which
/// knows its own side only, may have found a fold there: such labels are taken back.
pub(crate) fn turns_at(
    at: &Point,
    (before, at_start): (&mut Piece, bool),
    (after, start): (&mut Piece, &Point),
) -> bool {
    /// Values of the parameter that differ by less, relative to its size along the curve, are the same.
    const SAME: f64 = 1e-11;
    if !at.stays_at_parameter() && !start.stays_at_parameter() {
        return at.parameter_rate() * start.parameter_rate() < 0.0;
    }
    let way = |piece: &mut Piece, reversed: bool, from: &Point| {
        let count = piece.branch.points.len();
        for k in 0..count {
            let index = if reversed { count - 1 - k } else { k };
            let p = &mut piece.branch.points[index];
            let (value, weight) = (from.parameter(), from.weights.last().copied().unwrap_or(f64::NAN));
            let change = p.point.parameter() - value;
            if from.distance(&p.point) > AT_CORNER {
                if change.abs() > SAME * value.abs().max(weight.sqrt().recip()) {
                    return change;
                }
            } else if p.label == Some(Label::LP) {
                p.label = None;
                p.message.clear();
                piece.orbits.retain(|(i, _)| *i != index);
            }
        }
        0.0
    };
    let (arrives, leaves) = (way(before, !at_start, at), way(after, false, start));
    arrives * leaves > 0.0
}

impl Piece {
    /// The curve ends at this end of the piece, for this reason.
    pub(crate) fn ends_here(&mut self, at_start: bool, labelled: Label, why: &str) {
        let ends = &mut self.branch.ends;
        let end = if at_start { ends.first_mut() } else { ends.last_mut() };
        if let Some(End::Boundary { label, meaning, .. }) = end {
            *label = labelled;
            why.clone_into(meaning);
        }
        if let Some(p) = self.end_mut(at_start) {
            p.label = Some(labelled);
            why.clone_into(&mut p.message);
        }
    }

    /// The point at this end lies here.
    pub(crate) fn moves_to(&mut self, at_start: bool, place: &[f64], free: usize) {
        if let (Some(p), Some(&value)) = (self.end_mut(at_start), place.last()) {
            p.point.z.copy_from_slice(place);
            p.record.parameters[free] = value;
        }
    }

    /// The curve goes on at this end; a label and a message tell of the corner, if there is one to tell of.
    pub(crate) fn passes_on(&mut self, at_start: bool, reported: Option<(Label, String)>) {
        let index = if at_start { 0 } else { self.branch.points.len() - 1 };
        let Some(p) = self.end_mut(at_start) else { return };
        match reported {
            Some((label, message)) => {
                p.label = Some(label);
                p.message = message;
            }
            None => {
                p.label = None;
                p.message.clear();
                self.orbits.retain(|(i, _)| *i != index);
            }
        }
    }

    /// The curve closes upon itself at this end.
    pub(crate) fn closes(&mut self, at_start: bool) {
        let ends = &mut self.branch.ends;
        if let Some(end) = if at_start { ends.first_mut() } else { ends.last_mut() } {
            *end = End::Closed;
        }
    }

    /// The point next to an end.
    pub(crate) fn beside(&self, at_start: bool) -> Option<&BranchPoint> {
        let points = &self.branch.points;
        if at_start {
            points.get(1)
        } else {
            points.len().checked_sub(2).and_then(|i| points.get(i))
        }
    }
}
