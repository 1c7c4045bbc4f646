//! Labels that rounding has put on a finished branch are taken back, and what passes at the others is not counted.

use super::critical::leave_out_critical;
use super::prune_two_parameters::{prune_coefficients_at_poles, prune_next_to_end, prune_straight_cusps};
use super::trace::TURNS_BACK;
use super::{BranchPoint, End, Inspect, Label, Monitor};
use slipstick_floquet::Multiplier;
use std::f64::consts::PI;

/// Parameters that agree to this relative accuracy are the same to rounding.
const SAME: f64 = 1e-11;

/// log₁₀ of a multiplier that passes for +1.
const UNIT: f64 = 1e-3;

/// How closely a point tells the parameter, relative to it: to its own error (the column `error`), but never more
/// closely than rounding.
fn resolution(p: &BranchPoint, error: Option<usize>) -> f64 {
    let error = error.and_then(|e| p.record.monitors.get(e)).copied().unwrap_or(0.0);
    error.max(SAME)
}

/// The size that differences of the parameter are compared with. It does not vanish where the parameter passes zero.
fn size(p: &BranchPoint) -> f64 {
    let size = p.point.weights.last().map_or(0.0, |w| w.sqrt().recip());
    size.max(p.point.parameter().abs())
}

/// Take back the labels that rounding has put on a finished branch, and leave out of the counts of unstable directions
/// those that pass at the others.
pub(super) fn prune(problem: &dyn Inspect, points: &mut [BranchPoint], ends: &[End]) {
    let error = Monitor::error(&problem.monitors());
    prune_flat_stretches(points, error);
    prune_turns_at_pitchforks(points);
    prune_folds(points, error);
    prune_shrunk(points, ends, problem.free_parameters().len());
    if problem.free_parameters().len() == 2 {
        prune_straight_cusps(points);
        prune_coefficients_at_poles(points);
    } else {
        let names = problem.parameter_names();
        let free = problem
            .free_parameters()
            .last()
            .map_or("", |&free| names[free].as_str());
        restore_folds(points, &problem.fold_meaning(free));
        account_for_counts(points);
        leave_out_critical(points);
    }
}

/// Where the parameter stays the same to rounding over many points, as in a canard explosion or next to a homoclinic
/// orbit, its rounding errors look like folds. Such a stretch has one fold if the branch leaves it the way it came,
/// the one that goes furthest, else none. Where the branch ends within the stretch, whether a multiplier has passed +1
/// on it tells.
fn prune_flat_stretches(points: &mut [BranchPoint], error: Option<usize>) {
    let mut i = 0;
    while i < points.len() {
        if points[i].label != Some(Label::LP) {
            i += 1;
            continue;
        }
        let level = points[i].point.parameter();
        let (same, size) = (resolution(&points[i], error), size(&points[i]));
        let flat = |p: &BranchPoint| (p.point.parameter() - level).abs() <= same.max(resolution(p, error)) * size;
        let begin = points[..i].iter().rposition(|p| !flat(p)).map_or(0, |k| k + 1);
        let end = points[i..]
            .iter()
            .position(|p| !flat(p))
            .map_or(points.len(), |k| i + k);
        let folds: Vec<usize> = (begin..end).filter(|&k| points[k].label == Some(Label::LP)).collect();
        if folds.len() > 1 || end - begin > 3 {
            let side = |p: Option<&BranchPoint>| p.map_or(0.0, |p| (p.point.parameter() - level).signum());
            let before = side(begin.checked_sub(1).and_then(|k| points.get(k)));
            let after = side(points.get(end));
            let distance = |k: usize| points[k].record.distance_from_one();
            let branches = points[begin..end].iter().any(|p| p.label == Some(Label::BP));
            let passed = !branches && distance(begin) * distance(end - 1) < 0.0;
            let turns = before * after > 0.0 || passed;
            let outside = if before == 0.0 { after } else { before };
            // Of cycles the one at which a multiplier is +1 most nearly, else the one that goes furthest.
            let worth = |k: &usize| {
                let off = points[*k]
                    .record
                    .of_return_map()
                    .iter()
                    .map(|m| m.log10.abs() + m.arg.abs());
                let off = off.fold(f64::INFINITY, f64::min);
                let off = if off <= UNIT || off.is_infinite() { 0.0 } else { off };
                (-off, -outside * points[*k].point.parameter())
            };
            let best = folds.iter().copied().max_by(|a, b| {
                let (a, b) = (worth(a), worth(b));
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
            for k in folds {
                if !turns || best != Some(k) {
                    points[k].label = None;
                    points[k].message.clear();
                }
            }
        }
        i = end.max(i + 1);
    }
}

/// Closer than this in scaled arclength is the same place.
const TOGETHER: f64 = 1e-4;
/// Closer to an end at which the parameter comes to rest than this part of the parameter, folds are rounding, and
/// closer than the second part so are crossings, which are located less closely.
const NEXT: f64 = 1e-9;
const NEXT_CROSSING: f64 = 1e-7;

/// Take back these labels, each within its part of the parameter from that of the first point.
fn prune_from<'p>(points: impl Iterator<Item = &'p mut BranchPoint>, labels: &[(Label, f64)]) {
    let mut level = None;
    for p in points {
        let size = p.point.weights.last().map_or(1.0, |w| w.sqrt().recip());
        let here = p.point.parameter();
        let off = (here - *level.get_or_insert(here)).abs() / size;
        if labels.iter().all(|(_, next)| off > *next) {
            break;
        }
        if labels
            .iter()
            .any(|(label, next)| p.label == Some(*label) && off <= *next)
        {
            p.label = None;
            p.message.clear();
        }
    }
}

/// A branch that sets off where a multiplier is +1, as from a pitchfork, leaves its value of the parameter with the
/// square of its distance, and rounding looks like folds next to the start: these are taken back.
pub(super) fn prune_birth(points: &mut [BranchPoint]) {
    let is_born = points.first().is_some_and(|first| {
        let multipliers = first.record.of_return_map();
        multipliers.iter().any(|m| m.log10.abs() <= UNIT && m.arg == 0.0)
    });
    if let (true, [first, others @ ..]) = (is_born, points) {
        let born = first.point.clone();
        let beside = |p: &&mut BranchPoint| p.point.z.len() == born.z.len() && born.distance(&p.point) <= TOGETHER;
        prune_from(
            std::iter::once(first).chain(others.iter_mut().take_while(beside)),
            &[(Label::LP, NEXT)],
        );
    }
}

/// Where orbits shrink to a point the parameter comes to rest with the square of their size, and next to the end its
/// rounding looks like folds, and like crossings with the point itself: these are taken back. Along curves in two
/// parameters, of which the parameters go on, coefficients of orbits as small as that are rounding, and so are their
/// zeros.
fn prune_shrunk(points: &mut [BranchPoint], ends: &[End], free: usize) {
    // Where a branch ends on another one its end is a branch point, or a period doubling.
    let is_crossing = |end: Option<&BranchPoint>| end.is_some_and(|p| matches!(p.label, Some(Label::BP | Label::PD)));
    let prune = |order: &mut dyn Iterator<Item = &mut BranchPoint>, crosses: bool| match (free, crosses) {
        (2, _) => prune_next_to_end(order),
        (_, true) => prune_from(order, &[(Label::LP, NEXT)]),
        (_, false) => prune_from(order, &[(Label::LP, NEXT), (Label::BP, NEXT_CROSSING)]),
    };
    let vanishes = |end: Option<&End>| match end {
        Some(End::Shrunk { .. }) => true,
        // In two parameters what grows beyond all bounds moves them by rounding only at last.
        Some(End::Unbounded { .. }) => free == 2,
        _ => false,
    };
    if ends.len() == 2 && vanishes(ends.first()) {
        let crosses = is_crossing(points.first());
        prune(&mut points.iter_mut(), crosses);
    }
    if vanishes(ends.last()) {
        let crosses = is_crossing(points.last());
        prune(&mut points.iter_mut().rev(), crosses);
    }
}

/// A branch of a pitchfork turns where the other curve crosses it: a fold next to the branch point is that place once
/// more. Not in a canard explosion, where both have been looked at together.
fn prune_turns_at_pitchforks(points: &mut [BranchPoint]) {
    /// And closer in the parameter, relative to its size: the parameter is the square of what a turn is off by.
    const SAME_PARAMETER: f64 = 1e-8;
    /// |log₁₀| of the multipliers beside it in an explosion.
    const DECADE: f64 = 1.0;
    for i in 1..points.len() {
        let (a, b) = (&points[i - 1], &points[i]);
        let fold = match (a.label, b.label) {
            (Some(Label::BP), Some(Label::LP)) => i,
            (Some(Label::LP), Some(Label::BP)) => i - 1,
            _ => continue,
        };
        let (p, q) = (a.point.parameter(), b.point.parameter());
        let beside = [i.checked_sub(2), Some(i + 1)].into_iter().flatten();
        let nearest = beside
            .filter_map(|k| points.get(k))
            .map(off_one)
            .fold(f64::INFINITY, f64::min);
        let explodes = nearest.is_finite() && nearest > DECADE;
        if !explodes && (p - q).abs() <= SAME_PARAMETER * size(a) && a.point.distance(&b.point) <= TOGETHER {
            points[fold].label = None;
            points[fold].message.clear();
        }
    }
}

/// In a canard explosion errors may say that the parameter goes on where a multiplier passes +1: that place is the
/// fold, which means `meaning`. Where it passes back within the same rounding there is none.
fn restore_folds(points: &mut [BranchPoint], meaning: &str) {
    /// Closer in the parameter, relative to its size, than errors of orbits tell apart there.
    const SAME_PARAMETER: f64 = 1e-8;
    /// |log₁₀| of the multipliers beside it in an explosion.
    const BESIDE: f64 = 0.1;
    let stands = |a: &BranchPoint, b: &BranchPoint| {
        let (p, q) = (a.point.parameter(), b.point.parameter());
        (p - q).abs() <= SAME_PARAMETER * size(a)
    };
    for stretch in points.chunk_by_mut(stands) {
        let changes: Vec<usize> = (1..stretch.len())
            .filter(|&k| stretch[k - 1].record.distance_from_one() * stretch[k].record.distance_from_one() < 0.0)
            .filter(|&k| off_one(&stretch[k - 1]).max(off_one(&stretch[k])) > BESIDE)
            .collect();
        let labelled = |p: &BranchPoint| matches!(p.label, Some(Label::LP | Label::BP | Label::SB));
        if changes.len().is_multiple_of(2) || stretch.iter().any(labelled) {
            continue;
        }
        let nearest = |k: usize| [k - 1, k].into_iter().filter(|&k| stretch[k].label.is_none());
        let best = changes.into_iter().flat_map(nearest);
        if let Some(k) = best.min_by(|a, b| off_one(&stretch[*a]).total_cmp(&off_one(&stretch[*b]))) {
            stretch[k].label = Some(Label::LP);
            stretch[k].message = meaning.to_owned();
            if off_one(&stretch[k]) > UNIT {
                say_unresolved(&mut stretch[k].message);
            }
        }
    }
}

/// Where cycles of one number of unstable multipliers lie before and behind some labels, and these stand for another
/// change, the first of them says that a label is missing: in canard explosions, places at which multipliers pass ±1
/// may lie within the rounding of each other.
fn account_for_counts(points: &mut [BranchPoint]) {
    let plain = |p: &BranchPoint| p.label.is_none_or(|label| label == Label::UZ);
    let mut last: Option<usize> = None;
    for i in 0..points.len() {
        let p = &points[i];
        if !plain(p) || p.record.of_return_map().is_empty() {
            if p.label.is_none() {
                last = None;
            }
            continue;
        }
        if let Some(before) = last.replace(i).filter(|before| before + 1 < i) {
            let [a, b] = [before, i].map(|k| points[k].record.unstable);
            let between = &points[before + 1..i];
            let passing: Option<usize> = between.iter().map(passing).sum();
            let unresolved = between
                .iter()
                .position(|q| q.label == Some(Label::LP) && off_one(q) > UNIT);
            if let (Some(passing), Some(at)) = (passing, unresolved)
                && (a.abs_diff(b) + passing) % 2 == 1
            {
                points[before + 1 + at].message.push_str(&format!(
                    "; the number of unstable multipliers is {a} before it and {b} behind it: another one passes +1 or -1 within \
                     the same rounding, a BP, PD or SB that is not labelled"
                ));
            }
        }
    }
}

/// How far the multiplier that is nearest to +1 is off.
fn off_one(p: &BranchPoint) -> f64 {
    let off = p.record.of_return_map().iter().map(|m| m.log10.abs().max(m.arg.abs()));
    off.fold(f64::INFINITY, f64::min)
}

/// How many multipliers pass the circle at a labelled point; none where that is not known.
fn passing(p: &BranchPoint) -> Option<usize> {
    match p.label? {
        Label::LP | Label::PD | Label::SB => Some(1),
        Label::BP => Some(usize::from(!p.message.starts_with(TURNS_BACK))),
        Label::NS => Some(2),
        _ => None,
    }
}

/// Where multipliers sweep through all sizes while the parameter changes by less than rounding, test functions vanish
/// next to the fold without meaning: such labels are taken back, and the fold's message says so.
fn prune_folds(points: &mut [BranchPoint], error: Option<usize>) {
    prune_turns(points, error);
    for i in 0..points.len() {
        if points[i].label != Some(Label::LP) {
            continue;
        }
        let (fold, size) = (points[i].point.parameter(), size(&points[i]));
        // At a fold that can be resolved one of them is +1.
        let of_map = points[i].record.of_return_map();
        let unresolved = !of_map.is_empty() && of_map.iter().all(|m| m.arg != 0.0 || m.log10.abs() > UNIT);
        let (mut doubtful, mut taken_back) = (unresolved, vec![]);
        for (k, p) in points.iter_mut().enumerate() {
            let near = (p.point.parameter() - fold).abs() <= SAME * size;
            let Some(label @ (Label::SB | Label::PD | Label::NS | Label::BP)) = p.label.filter(|_| near) else {
                continue;
            };
            // Where both places are resolved by their multipliers, a window between them is as narrow as that. A fold
            // and a branch point in one step have been told apart by the multiplier between them.
            let distinct = label == Label::BP && k.abs_diff(i) == 1 && off_one(p) <= UNIT;
            if unresolved || !(distinct || is_resolved(label, p)) {
                p.label = None;
                p.message.clear();
                doubtful = true;
                taken_back.push(label);
            }
        }
        if doubtful {
            let message = &mut points[i].message;
            say_unresolved(message);
            taken_back.dedup();
            for label in taken_back {
                message.push_str(&format!(
                    "; {label} next to it, within the same rounding, is not labelled"
                ));
            }
        }
    }
}

/// Say that the multiplier at a fold is not +1 at the point that stands for it.
fn say_unresolved(message: &mut String) {
    let passes = "crosses +1 within the rounding of the parameter: the columns contain its value at this point";
    *message = message.replacen("ν = +1", &format!("ν {passes}"), 1).replacen(
        "a multiplier is +1",
        &format!("a multiplier {passes}"),
        1,
    );
}

/// Does a multiplier of the return map lie where one passes at a point of this label? Symmetric orbits break their
/// symmetry that near to a fold in the explosion of a canard only, where multipliers run through all values.
fn is_resolved(label: Label, at: &BranchPoint) -> bool {
    let on_circle = |m: &&Multiplier| m.log10.abs() <= UNIT;
    let mut passing = at.record.of_return_map().iter().filter(on_circle);
    passing.any(|m| match label {
        Label::PD => (PI - m.arg.abs()).abs() <= UNIT,
        Label::NS => !m.is_real(),
        _ => false,
    })
}

/// Where the parameter turns a multiplier is +1: turns at which none is, nor passes it from before to behind them, as
/// far apart as errors cannot tell points, nor comes much nearer to it at them, are made by errors, and their labels
/// are taken back. So are those at which the parameter does not turn: next to a Hopf point a multiplier is near +1
/// anyway. Equilibria have no multipliers.
fn prune_turns(points: &mut [BranchPoint], error: Option<usize>) {
    /// |log₁₀| of a multiplier next to +1.
    const NEXT: f64 = 1e-2;
    /// At a fold it is that near, whatever it is beside it.
    const EXACT: f64 = 1e-6;
    let of_map = |p: &BranchPoint| p.record.of_return_map().to_vec();
    let beyond = |p: &BranchPoint| {
        p.record
            .of_return_map()
            .iter()
            .filter(|m| m.arg == 0.0 && m.log10 > 0.0)
            .count()
    };
    for i in 0..points.len() {
        let p = &points[i];
        if p.label != Some(Label::LP) || of_map(p).is_empty() {
            continue;
        }
        let level = p.point.parameter();
        let unit = of_map(p).iter().any(|m| m.arg == 0.0 && m.log10.abs() <= NEXT);
        // What is the same to the error is one place, looked at with its neighbours.
        let same = resolution(p, error) * size(p);
        let flat = |q: &&BranchPoint| (q.point.parameter() - level).abs() <= same;
        let before = points[..i].iter().rev().take_while(flat).count();
        let after = points[i + 1..].iter().take_while(flat).count();
        let (mut first, mut last) = (i.saturating_sub(before + 1), (i + after + 1).min(points.len() - 1));
        // What passes +1 at another fold, at which it is +1, does not pass here.
        let passes_there = |k: &usize| points[*k].label == Some(Label::LP) && off_one(&points[*k]) <= UNIT;
        if !unit {
            first = (first..i).rev().find(passes_there).map_or(first, |k| k + 1);
            last = (i + 1..=last).find(passes_there).map_or(last, |k| k - 1);
        }
        let here = beyond(&points[first]);
        let passes = points[first..=last].iter().any(|q| beyond(q) != here);
        // Nor is it one where the parameter goes on in its direction, and its rate alone had another sign.
        let [a, b] = [first, last].map(|k| points[k].point.parameter() - level);
        let goes_on = a * b < 0.0 && a.abs().min(b.abs()) > same;
        // On the way to +1 the multiplier loses most of its decades, although within rounding it does not get there.
        let nearest = |q: &BranchPoint| of_map(q).iter().map(|m| m.log10.abs()).fold(f64::INFINITY, f64::min);
        let beside = [first, last]
            .into_iter()
            .filter(|&k| k != i)
            .map(|k| nearest(&points[k]));
        let dips = nearest(&points[i]) <= 0.5 * beside.fold(f64::INFINITY, f64::min);
        let turns = a * b > 0.0 && a.abs().min(b.abs()) > same;
        // Where cycles are neutral nearly, a multiplier is next to +1 all along: at a fold it comes closer.
        let comes_closer = dips || nearest(&points[i]) <= EXACT;
        if !(passes || unit && !goes_on && comes_closer || dips && turns) {
            points[i].label = None;
            points[i].message.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;
    use slipstick_continuation::Point;

    /// A point with a parameter, a multiplier and an error.
    fn at(parameter: f64, log10: f64, error: f64, label: Option<Label>) -> BranchPoint {
        BranchPoint {
            point: Point {
                z: vec![parameter],
                tangent: vec![1.0],
                weights: vec![1.0],
                meshes: None,
            },
            record: Record {
                multipliers: vec![Multiplier { log10, arg: 0.0 }],
                monitors: vec![error],
                ..Record::default()
            },
            label,
            message: String::new(),
        }
    }

    fn folds(multipliers: [f64; 3], turn: f64, error: f64) -> usize {
        let mut points = vec![
            at(1.0, multipliers[0], error, None),
            at(1.0 + turn, multipliers[1], error, Some(Label::LP)),
            at(1.0, multipliers[2], error, None),
        ];
        prune_folds(&mut points, Some(0));
        points.iter().filter(|p| p.label == Some(Label::LP)).count()
    }

    #[test]
    fn a_turn_is_a_fold_only_where_a_multiplier_passes_one() {
        assert_eq!(folds([40.0, 41.0, 42.0], 4e-10, 1e-8), 0);
        assert_eq!(folds([40.0, 41.0, 42.0], 4e-6, 1e-8), 0, "however far it turns");
        assert_eq!(folds([-40.0, 41.0, 42.0], 4e-10, 1e-8), 1, "+1 is passed");
        assert_eq!(folds([1.0, 1e-4, 1.0], 4e-10, 1e-8), 1, "+1 is reached");
        // A parameter that goes on beyond a wiggle does not turn.
        let mut points = [0.9, 1.0, 1.0 + 4e-10, 1.0, 1.1].map(|p| at(p, 40.0, 1e-8, None));
        points[2].label = Some(Label::LP);
        prune_folds(&mut points, Some(0));
        assert!(points.iter().all(|p| p.label.is_none()));
        // Nor does one that goes on, next to a Hopf point, where the multiplier is +1 to many digits.
        let mut points = [0.9, 1.0, 1.0 + 1e-7, 1.1].map(|p| at(p, -4e-7, 1e-13, None));
        points[1].label = Some(Label::LP);
        points[2].label = Some(Label::LP);
        prune_folds(&mut points, Some(0));
        assert!(points.iter().all(|p| p.label.is_none()));
        // Where cycles are neutral nearly, the multiplier at a fold is nearer to +1 than beside it.
        let labelled = |at_fold: f64| {
            let mut points = [(0.9, -2e-4), (1.0, at_fold), (0.99, -6e-4)].map(|p| at(p.0, p.1, 1e-10, None));
            points[1].label = Some(Label::LP);
            prune_folds(&mut points, Some(0));
            points[1].label
        };
        assert_eq!(labelled(-4e-4), None);
        assert_eq!(labelled(-4e-7), Some(Label::LP));
        // A turn of the order of the error is none either: in an explosion some orbits are worse than the one at the
        // turn.
        let mut points = [0.9, 1.0, 1.0 - 4e-10, 1.0, 1.1].map(|p| at(p, -180.0, 3e-10, None));
        points[1].label = Some(Label::LP);
        prune_folds(&mut points, Some(0));
        assert!(points.iter().all(|p| p.label.is_none()));
    }

    #[test]
    fn a_multiplier_passes_one_at_one_fold_only() {
        // Parameters closer together than errors tell, which are not relative to the parameter: it is next to zero.
        let folds = |multipliers: [f64; 4]| -> Vec<usize> {
            let parameters = [1.0, 0.999_999_990, 0.999_999_984, 0.999_999_962];
            let of = |(parameter, log10): (f64, f64)| at(parameter * 1e-2, log10, 1e-9, None);
            let mut points: Vec<BranchPoint> = parameters.into_iter().zip(multipliers).map(of).collect();
            for p in &mut points {
                p.point.weights = vec![1e4];
            }
            (points[1].label, points[2].label) = (Some(Label::LP), Some(Label::LP));
            prune_folds(&mut points, Some(0));
            (0..4).filter(|&k| points[k].label == Some(Label::LP)).collect()
        };
        assert_eq!(folds([1.25, 1.05, -8e-13, -2.5]), [2]);
        assert_eq!(folds([-2.5, 8e-13, 1.05, 1.25]), [1]);
    }

    #[test]
    fn where_a_multiplier_passes_one_in_an_explosion_is_a_fold() {
        let labelled = |multipliers: &[f64], off: f64| {
            let mut parameter = 1.0;
            let made = |log10: &f64| {
                parameter += off;
                at(parameter, *log10, 1e-9, None)
            };
            let mut points: Vec<BranchPoint> = multipliers.iter().map(made).collect();
            restore_folds(&mut points, "fold: a multiplier is +1");
            points.iter().position(|p| p.label == Some(Label::LP))
        };
        assert_eq!(labelled(&[4.0, 5e-11, -14.0], -3e-9), Some(1));
        assert_eq!(labelled(&[4.0, 3.0, -14.0], -3e-9), Some(1), "not located");
        assert_eq!(labelled(&[4.0, 3.0, -14.0], -3e-7), None, "the parameter goes on");
        assert_eq!(labelled(&[4.0, 5e-11, 14.0], -3e-9), None, "it turns back");
        assert_eq!(labelled(&[4.0, -3.0, 4.0], -3e-9), None, "it passes back");
        assert_eq!(labelled(&[1e-7, 5e-11, -1e-7], -3e-9), None, "next to a Hopf point");
    }

    #[test]
    fn a_branch_of_a_pitchfork_has_no_fold_beside_the_branch_point() {
        let labels = |apart: f64, parameter: f64, beside: f64| {
            let mut points: Vec<BranchPoint> = vec![at(1.0, 0.0, 1e-12, None); 3];
            for (p, x) in points.iter_mut().zip([0.0, apart, 1.0]) {
                p.point.z.insert(0, x);
                p.point.weights.insert(0, 1.0);
            }
            points[1].point.z[1] += parameter;
            (points[0].label, points[1].label) = (Some(Label::BP), Some(Label::LP));
            points[2].record.multipliers[0].log10 = beside;
            prune_turns_at_pitchforks(&mut points);
            [points[0].label, points[1].label]
        };
        assert_eq!(labels(2e-6, 2e-11, 0.1), [Some(Label::BP), None]);
        assert_eq!(labels(1e-3, 1e-6, 0.1), [Some(Label::BP), Some(Label::LP)]);
        assert_eq!(
            labels(2e-6, 2e-11, 8.0),
            [Some(Label::BP), Some(Label::LP)],
            "in an explosion"
        );
    }

    #[test]
    fn a_doubling_next_to_a_fold_stays_where_both_are_resolved() {
        let labels = |at_fold: f64, at_doubling: f64| {
            let mut points = [0.9, 1.0 - 3e-13, 1.0, 0.9].map(|p| at(p, 40.0, 1e-13, None));
            points[1].record.multipliers = vec![Multiplier {
                log10: at_doubling,
                arg: PI,
            }];
            points[2].record.multipliers[0].log10 = at_fold;
            (points[1].label, points[2].label) = (Some(Label::PD), Some(Label::LP));
            prune_folds(&mut points, Some(0));
            (
                points[1].label,
                points[2].label,
                points[2].message.contains("PD next to it"),
            )
        };
        assert_eq!(labels(1e-9, -2e-10), (Some(Label::PD), Some(Label::LP), false));
        assert_eq!(labels(1e-9, -2.0), (None, Some(Label::LP), true));
    }
}
