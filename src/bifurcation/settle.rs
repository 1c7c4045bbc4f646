//! Labels that rounding has put on a finished branch are taken back.

use super::{BranchPoint, Label};

/// Where the parameter stays the same to rounding over many points, as in a canard explosion or next to a homoclinic orbit, its rounding errors look like
/// folds. Such a stretch holds one fold if the branch leaves it the way it came, else none.
pub(super) fn settle_flat_stretches(points: &mut [BranchPoint]) {
    const SAME: f64 = 1e-11;
    let mut i = 0;
    while i < points.len() {
        if points[i].label != Some(Label::LP) {
            i += 1;
            continue;
        }
        let level = points[i].point.parameter();
        let flat = |p: &BranchPoint| (p.point.parameter() - level).abs() <= SAME * level.abs();
        let begin = points[..i].iter().rposition(|p| !flat(p)).map_or(0, |k| k + 1);
        let end = points[i..]
            .iter()
            .position(|p| !flat(p))
            .map_or(points.len(), |k| i + k);
        let folds: Vec<usize> = (begin..end).filter(|&k| points[k].label == Some(Label::LP)).collect();
        if folds.len() > 1 || end == points.len() && end - begin > 3 {
            let side = |p: Option<&BranchPoint>| p.map_or(0.0, |p| (p.point.parameter() - level).signum());
            let before = begin.checked_sub(1).and_then(|k| points.get(k));
            let turns = side(before) * side(points.get(end)) > 0.0;
            for &k in folds.iter().skip(usize::from(turns)) {
                points[k].label = None;
                points[k].message.clear();
            }
        }
        i = end.max(i + 1);
    }
}

/// Where multipliers sweep through all sizes while the parameter changes by less than rounding, test functions vanish next to the fold without meaning:
/// such labels are taken back, and the fold's message says so.
pub(super) fn settle_folds(points: &mut [BranchPoint]) {
    /// Parameters that agree to this relative accuracy are the same to rounding.
    const SAME: f64 = 1e-11;
    /// log₁₀ of a multiplier that passes for +1.
    const UNIT: f64 = 1e-3;
    for i in 0..points.len() {
        if points[i].label != Some(Label::LP) {
            continue;
        }
        let fold = points[i].point.parameter();
        // At a fold that can be resolved one of them is +1.
        let record = &points[i].record;
        let of_map = if record.nu.is_empty() {
            &record.multipliers
        } else {
            &record.nu
        };
        let mut doubtful = !of_map.is_empty() && of_map.iter().all(|m| m.arg != 0.0 || m.log10.abs() > UNIT);
        for p in points.iter_mut() {
            let near = (p.point.parameter() - fold).abs() <= SAME * fold.abs();
            if near && matches!(p.label, Some(Label::SB | Label::PD | Label::NS | Label::BP)) {
                p.label = None;
                p.message.clear();
                doubtful = true;
            }
        }
        if doubtful {
            points[i]
                .message
                .push_str("; ν undetermined at the fold: it passes +1 within rounding of the parameter");
        }
    }
}
