//! Labels that rounding has put on a finished curve in two parameters are taken back.

use super::{BranchPoint, Label};

/// At a cusp a curve in two parameters turns about. Where it goes straight on, looked at from as far on both sides, the
/// speed of the parameters has changed its sign by rounding, as next to the end of a curve of folds whose orbits shrink
/// to a point.
pub(super) fn prune_straight_cusps(points: &mut [BranchPoint]) {
    /// The two sides are about as long.
    const LIKE: f64 = 0.5;
    /// The cosine of the angle between them, from which on a curve goes on.
    const STRAIGHT: f64 = 0.5;
    for i in 0..points.len() {
        if points[i].label != Some(Label::CP) {
            continue;
        }
        let at = &points[i].point;
        // Both parameters come last, after as many unknowns as the mesh of each point has.
        let parameter = |of: &[f64], k: usize| of[of.len() - k];
        let way = |p: &BranchPoint| {
            [2, 1].map(|k| (parameter(&p.point.z, k) - parameter(&at.z, k)) * parameter(&at.weights, k).sqrt())
        };
        let long = |p: &BranchPoint| way(p).iter().fold(0.0f64, |m, v| m.hypot(*v));
        let behind: Vec<&BranchPoint> = points[..i].iter().rev().collect();
        let sides = [behind, points[i + 1..].iter().collect()];
        let longest = |side: &[&BranchPoint]| side.iter().take(2).map(|p| long(p)).fold(0.0, f64::max);
        let reach = longest(&sides[0]).min(longest(&sides[1]));
        let sides = sides.map(|side| side.into_iter().find(|p| long(p) >= LIKE * reach).map(way));
        let [Some(mut before), Some(mut behind)] = sides else {
            continue;
        };
        // Each parameter beside its own change: across its direction a cusp goes on.
        for (a, b) in before.iter_mut().zip(&mut behind) {
            let most = a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
            (*a, *b) = (*a / most, *b / most);
        }
        let product: f64 = before.iter().zip(&behind).map(|(a, b)| a * b).sum();
        let lengths: f64 = [before, behind].map(|v| v[0].hypot(v[1])).iter().product();
        if reach > 0.0 && product <= -STRAIGHT * lengths {
            points[i].label = None;
            points[i].message.clear();
        }
    }
}

/// A coefficient is tested times a factor that vanishes at its poles, next to another label in two parameters. Where
/// the coefficient has no pole there, as of parts that do not act on each other, the zero is one of the factor.
pub(super) fn prune_coefficients_at_poles(points: &mut [BranchPoint]) {
    /// In parts of the sizes of the parameters.
    const SAME_PLACE: f64 = 1e-7;
    let of_coefficient = |p: &BranchPoint| matches!(p.label, Some(Label::GH | Label::GPD | Label::CH | Label::DP));
    for i in 0..points.len() {
        let (p, n) = (&points[i], points[i].point.z.len());
        let near = |other: &BranchPoint| {
            let (z, m) = (&other.point.z, other.point.z.len());
            let off = |k: usize| (z[m - k] - p.point.z[n - k]).abs() * p.point.weights[n - k].sqrt();
            off(1).max(off(2)) <= SAME_PLACE
        };
        let is_other = |other: &BranchPoint| {
            other
                .label
                .is_some_and(|l| !matches!(l, Label::EP | Label::UZ | Label::MX))
                && !of_coefficient(other)
        };
        let beside = || {
            points[..i]
                .iter()
                .rev()
                .take_while(|q| near(q))
                .chain(points[i + 1..].iter().take_while(|q| near(q)))
        };
        if of_coefficient(p) && beside().any(is_other) {
            points[i].label = None;
            points[i].message.clear();
        }
    }
}

/// Take back the labels among points of a curve in two parameters, from an end on, that lie as good as there; not that
/// of the end.
pub(super) fn prune_next_to_end<'p>(mut points: impl Iterator<Item = &'p mut BranchPoint>) {
    /// In parts of the sizes of the parameters.
    const BESIDE: f64 = 1e-6;
    let parameters = |p: &BranchPoint| [1, 2].map(|k| p.point.z[p.point.z.len() - k]);
    let Some(end) = points.next() else { return };
    let (at, weights) = (parameters(end), end.point.weights.clone());
    let sizes = [1, 2].map(|k| weights[weights.len() - k].sqrt().recip());
    for p in points {
        let here = parameters(p);
        if (0..2).any(|k| (here[k] - at[k]).abs() > BESIDE * sizes[k]) {
            break;
        }
        if !matches!(p.label, None | Some(Label::EP | Label::UZ)) {
            p.label = None;
            p.message.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;
    use slipstick_continuation::Point;

    fn point(z: Vec<f64>) -> BranchPoint {
        BranchPoint {
            point: Point {
                tangent: vec![1.0],
                weights: vec![1.0; z.len()],
                z,
                meshes: None,
            },
            record: Record::default(),
            label: None,
            message: String::new(),
        }
    }

    #[test]
    fn a_cusp_turns_about() {
        let label = |turn: f64| {
            // Two parameters along a curve that comes to a stop at the third point, on meshes of different lengths.
            let at = |(i, s): (usize, f64)| {
                let mut z = vec![s; i % 3];
                z.extend([s * s * if s < 0.0 { -1.0 } else { turn }, s.powi(3)]);
                point(z)
            };
            let along = [-2.0f64, -1.0, 0.0, 1e-4, 1.0].into_iter().enumerate();
            let mut points: Vec<BranchPoint> = along.map(at).collect();
            points[2].label = Some(Label::CP);
            prune_straight_cusps(&mut points);
            points[2].label
        };
        assert_eq!(label(-1.0), Some(Label::CP));
        assert_eq!(label(1.0), None);
    }
}
