//! Where curves of folds in two parameters end on solutions of higher symmetry: cycles of maps on those of half as many
//! points, equilibria and fixed points on those that are their own mirror images.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, Springer (2004), ch. 7 and 9.

use super::FixedPoint;
use super::corners::parameters_of;
use super::locus::{PointCondition, PointLocus};
use super::search;
use crate::cubic_term::without_cubic_term;
use crate::turned_round::{on_the_way, vanishes_between};
use nalgebra::{DMatrix, DVector};
use slipstick_bifurcation::{BranchPoint, Label, Record};
use slipstick_continuation::Point;
use slipstick_system::jacobian;

/// Halves that are no further apart, in sizes, have directions that rounding of singular equations may turn.
const NEAR: f64 = 1e-2;

/// What happens where two halves come together.
const DOUBLING: &str = "generalised period doubling: the two halves of the cycle coincide with a cycle of half as many points, one of whose multipliers is -1, and the curve of folds ends here; beyond it the same cycles recur, started from another point";
/// The most that the place where they do may be off: of the way from the point before, and in sizes.
const OFF: (f64, f64) = (0.5, 1e-4);

impl PointLocus<'_> {
    /// Between two points of a curve of folds on both sides of what looks like a cusp: the label of the point where the
    /// curve ends instead, what happens there, and the point.
    pub(super) fn coincides(&self, base: &Point, next: &Point) -> Option<(Label, String, Point)> {
        if self.condition.label() != Label::LP {
            return None;
        }
        let [from, to] = [base, next].map(|point| self.point_at(point));
        let halves = |at: &Point| halves_apart(&self.plain, at, &from);
        if let (Some(before), Some(after)) = (halves(&from), halves(&to)) {
            let part = vanishes_between(&before, &after, NEAR)?;
            let mut at = on_the_way(base, next, part);
            self.move_to_doubling(&mut at, |apart| OFF.0 * apart(&base.z) + OFF.1);
            return Some((Label::GPD, DOUBLING.into(), at));
        }
        let (w, before) = moved_by_parameters(&self.plain, &from, &from)?;
        let (v, after) = moved_by_parameters(&self.plain, &to, &from)?;
        let after = if w.dot(&v) < 0.0 { -after } else { after };
        let meaning = "degenerate pitchfork: the solutions coincide with their mirror images, and the curve of folds ends here; beyond it the mirror images follow";
        let part = both_vanish(&before, &after)?;
        Some((Label::DP, meaning.into(), on_the_way(base, next, part)))
    }

    /// At a point of a curve of folds beyond which no step succeeds: does the curve end next to it, where both halves
    /// of the cycles coincide? As [`PointLocus::coincides`].
    pub(super) fn nearly_coincides(&self, point: &Point) -> Option<(Label, String, Point)> {
        /// The halves, of states that may be near zero there, are no further apart in sizes; nor is the place in the
        /// parameters.
        const APART: f64 = 0.3;
        const BESIDE: f64 = 0.05;
        let plain = self.point_at(point);
        let apart = halves_apart(&self.plain, &plain, &plain)?.norm();
        if self.condition.label() != Label::LP || apart > APART {
            return None;
        }
        let mut at = point.clone();
        self.move_to_doubling(&mut at, |_| apart.min(BESIDE))?;
        Some((Label::GPD, DOUBLING.into(), at))
    }

    /// Move a point where both halves of a cycle nearly coincide to the place where they do: on the curve of period
    /// doublings of cycles of half as many points, where the cubic coefficient vanishes. It stays where that is not
    /// found within a distance of the parameters; how far they are off those of other points is handed over for that.
    fn move_to_doubling(&self, at: &mut Point, most: impl Fn(&dyn Fn(&[f64]) -> f64) -> f64) -> Option<()> {
        let [second, first] = self.plain.free[..] else {
            return None;
        };
        let (n, half) = (self.plain.n, self.plain.n * self.plain.length / 2);
        let known = self.plain_unknowns(&at.z);
        let turns = |k: usize| search::turns(&self.plain, k % n, known[half + k], known[k]);
        let middle = (0..half).map(|k| known[k] - 0.5 * (known[k] - known[half + k] - turns(k)));
        let simple = FixedPoint::new(
            self.plain.system,
            self.plain.mode,
            false,
            self.plain.length / 2,
            parameters_of(&self.plain, &known),
            vec![second, first],
        );
        let near = BranchPoint {
            point: Point::alone(middle.collect()),
            record: Record {
                parameters: simple.parameters.clone(),
                ..Record::default()
            },
            label: None,
            message: String::new(),
        };
        let condition = PointCondition::Bifurcation(Label::PD);
        let extended = condition.extended_system(self.plain.system);
        let (mut doublings, start) = PointLocus::through(&simple, &extended, condition, (first, second), &near).ok()?;
        let found = without_cubic_term(&mut doublings, &start)?;
        let place = doublings.plain_unknowns(&found);
        let apart = |other: &[f64]| {
            let parameters = at.z.iter().zip(other).zip(&at.weights).rev().take(2);
            parameters.map(|((a, b), w)| (a - b).powi(2) * w).sum::<f64>().sqrt()
        };
        let mut moved = at.z.clone();
        let last = moved.len() - 2;
        moved[last..].copy_from_slice(&place[half..]);
        if apart(&moved) > most(&apart) {
            return None;
        }
        for (k, (i, _)) in self.vector_places().into_iter().enumerate() {
            moved[i - n] = if k < half {
                place[k]
            } else {
                place[k - half] - turns(k - half)
            };
        }
        at.z = moved;
        Some(())
    }
}

/// The difference of the two halves of a cycle, in the sizes of another one.
fn halves_apart(plain: &FixedPoint<'_>, at: &Point, sizes: &Point) -> Option<DVector<f64>> {
    if plain.rest || plain.length % 2 == 1 {
        return None;
    }
    let half = plain.n * plain.length / 2;
    Some(DVector::from_fn(half, |k, _| {
        let (a, b) = (at.z[k], at.z[half + k]);
        let turned = b + search::turns(plain, k % plain.n, b, a);
        (a - turned) * sizes.weights[k].sqrt()
    }))
}

/// How far between two points both parameters cease to move the solution: mirror images are moved in opposite ways,
/// whatever the units. One may do so by a higher power of the distance, which tells less well where.
fn both_vanish(before: &DVector<f64>, after: &DVector<f64>) -> Option<f64> {
    if before.iter().zip(after).any(|(a, b)| a * b > 0.0) {
        return None;
    }
    let sizes = before.iter().zip(after).map(|(a, b)| (a.abs(), b.abs()));
    let parts = sizes.filter(|(a, b)| a + b > 0.0).map(|(a, b)| a / (a + b));
    parts.min_by(|a, b| (a - 0.5).abs().total_cmp(&(b - 0.5).abs()))
}

/// The left null vector w at a fold, and how both parameters move the solution along it, ⟨w, F_p⟩. At a cusp one of
/// them does; where an equilibrium is its own mirror image neither moves it in the direction in which the symmetry
/// breaks.
fn moved_by_parameters(plain: &FixedPoint<'_>, at: &Point, sizes: &Point) -> Option<(DVector<f64>, DVector<f64>)> {
    /// What is left of a sum of parts that cancel.
    const ROUNDING: f64 = 1e-12;
    if plain.length != 1 {
        return None;
    }
    let n = plain.n;
    let field = plain.system.modes[plain.mode].field.as_ref();
    let (mut f, mut dx, mut dp) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; 2 * n]);
    let p = parameters_of(plain, &at.z);
    jacobian(field, &at.z[..n], &p, &plain.free, &mut f, &mut dx, &mut dp);
    if !plain.rest {
        (0..n).for_each(|i| dx[i * (n + 1)] -= 1.0);
    }
    if !dx.iter().chain(&dp).all(|v| v.is_finite()) {
        return None;
    }
    let size = |k: usize| sizes.weights[k].sqrt().recip();
    let scaled = |i: usize, j: usize| dx[i * n + j] * size(j) / size(i);
    let svd = DMatrix::from_fn(n, n, scaled).svd(true, false);
    let w: DVector<f64> = svd.u?.column(n - 1).into();
    let moved = DVector::from_fn(2, |k, _| {
        let along = (0..n).map(|i| w[i] * dp[2 * i + k] / size(i));
        let (sum, sizes) = along.fold((0.0, 0.0), |(sum, sizes), part| (sum + part, sizes + part.abs()));
        if sum.abs() > ROUNDING * sizes { sum } else { 0.0 }
    });
    Some((w, moved))
}
