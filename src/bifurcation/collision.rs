//! Pairs of imaginary eigenvalues that meet and leave the axis, as they may where something is conserved: Hamiltonian
//! Hopf bifurcations.
//!
//! The squares of two such pairs are real and become complex conjugate where they meet, so the square of their
//! difference is a smooth function along the curve that passes zero there.

use crate::BranchPoint;
use nalgebra::Complex;
use slipstick_numerics::tableau::quadrature::lagrange;

/// Real parts below this part of the largest eigenvalue are what rounding leaves of a double pair.
const ON_THE_AXIS: f64 = 1e-7;

/// The parameters, in order along a curve of equilibria, near which two imaginary pairs meet and leave the axis, or
/// come back to it.
///
/// ```
/// use slipstick_bifurcation::{BranchPoint, pairs_that_leave_the_axis};
/// use slipstick_study as study;
/// // λ² = -2 ± √p: imaginary pairs for p > 0.
/// let text = r#"Study(title: "1:1 resonance", system: Smooth(states: ["x", "y", "u", "v"], parameters: {"p": 1},
///     equations: ["x' = u", "y' = v", "u' = -2*x + y", "v' = p*x - 2*y"]),
///     curves: [Curve(name: "c", orbit: Equilibrium,
///         start: Guess(at: {"p": 1}, states: [{"x": 0, "y": 0, "u": 0, "v": 0}]), free: "p", range: (-1, 1))])"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let points: Vec<&BranchPoint> = result.curves[0].points().map(|(_, _, p)| p).collect();
/// let found = pairs_that_leave_the_axis(&points);
/// assert!(found.len() == 1 && found[0].abs() < 1e-6, "{found:?}");
/// # Ok::<(), study::Rejected>(())
/// ```
pub fn pairs_that_leave_the_axis(points: &[&BranchPoint]) -> Vec<f64> {
    let squares: Vec<(Vec<f64>, Vec<Complex<f64>>)> = points.iter().map(|p| squares(p)).collect();
    let mut places = vec![];
    for k in 1..points.len() {
        let [(before, off_before), (after, off_after)] = [&squares[k - 1], &squares[k]];
        let leaves = off_after.len() == off_before.len() + 1 && before.len() == after.len() + 2;
        let returns = off_before.len() == off_after.len() + 1 && after.len() == before.len() + 2;
        if !(leaves || returns) {
            continue;
        }
        // The quadruple that is one of two pairs on the other side: the one nearest to none of those there.
        let (outside, others) = if leaves {
            (off_after, off_before)
        } else {
            (off_before, off_after)
        };
        let alone = |v: &Complex<f64>| others.iter().fold(f64::INFINITY, |m, o| m.min((v - o).norm()));
        let Some(middle) = outside.iter().max_by(|a, b| alone(a).total_cmp(&alone(b))) else {
            continue;
        };
        let nodes = (k.saturating_sub(2)..(k + 2).min(points.len())).filter_map(|i| {
            let gap = gap(&squares[i], middle)?;
            Some((points[i].point.parameter(), gap))
        });
        let nodes: Vec<(f64, f64)> = nodes.collect();
        places.extend(zero(&nodes));
    }
    places
}

/// Of the eigenvalues of a point with positive imaginary part, the squares: real ones of pairs on the axis, and one of
/// each quadruple beside it.
fn squares(at: &BranchPoint) -> (Vec<f64>, Vec<Complex<f64>>) {
    let eigenvalues = &at.record.eigenvalues;
    let size = eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
    let (mut on, mut off) = (vec![], vec![]);
    for v in eigenvalues.iter().filter(|v| v.im > ON_THE_AXIS * size) {
        if v.re.abs() <= ON_THE_AXIS * size {
            on.push(-v.im * v.im);
        } else if v.re > 0.0 {
            off.push(v * v);
        }
    }
    (on, off)
}

/// The square of the difference of the two squares nearest to `middle`.
fn gap((on, off): &(Vec<f64>, Vec<Complex<f64>>), middle: &Complex<f64>) -> Option<f64> {
    let mut near = on.clone();
    near.sort_by(|a, b| (a - middle.re).abs().total_cmp(&(b - middle.re).abs()));
    let pair = match near[..] {
        [a, b, ..] => Some(((a - b).powi(2), (a - middle.re).abs().max((b - middle.re).abs()))),
        _ => None,
    };
    let beside = off.iter().map(|v| (-4.0 * v.im * v.im, (v.re - middle.re).abs()));
    let nearest = pair.into_iter().chain(beside).min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(nearest.0)
}

/// Where a function that is monotonic at these places is zero.
fn zero(nodes: &[(f64, f64)]) -> Option<f64> {
    let monotonic = nodes.windows(3).all(|w| (w[1].1 - w[0].1) * (w[2].1 - w[1].1) > 0.0);
    let crossing = nodes.windows(2).find(|w| w[0].1 * w[1].1 <= 0.0)?;
    let used = if monotonic { nodes } else { crossing };
    let values: Vec<f64> = used.iter().map(|n| n.1).collect();
    let place: f64 = lagrange(&values, 0.0).iter().zip(used).map(|(c, n)| c * n.0).sum();
    let inside = (place - crossing[0].0) * (place - crossing[1].0) <= 0.0;
    let share = crossing[0].1 / (crossing[0].1 - crossing[1].1);
    Some(if inside {
        place
    } else {
        crossing[0].0 + share * (crossing[1].0 - crossing[0].0)
    })
}
