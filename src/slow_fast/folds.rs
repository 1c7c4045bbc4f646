//! Fold lines of the critical manifold, `f = f_y = 0`, and the folded singularities on them.

use super::error::SlowFastError;
use super::fold_chord::FoldChord;
use super::folded::FoldedSingularity;
use super::problem::{SlowFastProblem, dot};
use super::trace::ImplicitCurve;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use slipstick_continuation::Point;
use slipstick_numerics::roots::boundary;
use std::cell::RefCell;
use std::convert::Infallible;

/// A fold line.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let layer = SlowFastProblem::new(&system, &system.default_parameters(), Reduction::Singular)?;
/// let lines = layer.fold_lines(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, std::f64::consts::TAU)])?;
/// // Along a fold the fast field loses its slope in the fast state.
/// for x in lines.iter().flat_map(|line| &line.points) {
///     assert!(layer.force(x).abs() < 1e-8);
/// }
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldLine {
    /// Its points in order, angles continuous along the line (not reduced to one period).
    pub points: Vec<Vec<f64>>,
    /// Does it close (modulo the periods of angles)?
    pub closed: bool,
}

/// What the reduced flow does at a fold.
///
/// ```
/// use slipstick_slow_fast::{FoldKind, FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
///
/// let kind = |dtheta: f64| {
///     let theta: f64 = saddle.state[2] + dtheta;
///     layer.fold_kind(&[(-1.1 - theta.sin()) / 4.0, 0.6, theta])
/// };
/// // On one side of the saddle along the fold orbits jump, on the other their future is not unique.
/// let mut sides = [kind(0.2), kind(-0.2)];
/// sides.sort_by_key(|side| *side == FoldKind::NonUnique);
/// assert_eq!(sides, [FoldKind::Jump, FoldKind::NonUnique]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// It runs onto the fold on both sheets: orbits jump there.
    Jump,
    /// It runs off the fold on both sheets: the forward solution is not unique, it may follow either sheet or the
    /// fast fibre.
    NonUnique,
    /// It is tangent to the fold: a folded singularity.
    Singular,
}

/// Grid nodes for each state from which fold lines are sought.
const STARTS: usize = 7;
/// Points of a line are at most this far apart, in units of the region's widths.
const STEP: f64 = 0.01;
/// Values of each slow state at which fold lines are sought in the plane of the other states.
const SECTIONS: usize = 12;

/// Fold points are found to rounding; one that is nearer than this to an event is taken to lie on it.
const MARGIN: f64 = 1e-9;

/// The part of the mode's interior given by one interval for each state; an angle whose interval is a whole period
/// is unbounded.
pub(super) struct Region<'a> {
    problem: &'a SlowFastProblem<'a>,
    bounds: &'a [(f64, f64)],
}

impl<'a> Region<'a> {
    pub(super) fn new(problem: &'a SlowFastProblem<'a>, bounds: &'a [(f64, f64)]) -> Result<Self, SlowFastError> {
        let good = bounds.len() == problem.dimension() && bounds.iter().all(|(a, b)| a < b && (b - a).is_finite());
        if !good {
            return Err(SlowFastError::Argument(format!(
                "a region of mode `{}` has one interval (low, high) for each of its {} states; got {bounds:?}",
                problem.mode().name,
                problem.dimension()
            )));
        }
        Ok(Self { problem, bounds })
    }
    pub(super) fn widths(&self) -> Vec<f64> {
        self.bounds.iter().map(|(a, b)| b - a).collect()
    }
    fn whole_turn(&self, i: usize) -> bool {
        let (a, b) = self.bounds[i];
        self.problem
            .period(i)
            .is_some_and(|period| b - a >= period * (1.0 - 1e-9))
    }
    pub(super) fn contains(&self, x: &[f64]) -> bool {
        (0..self.bounds.len()).all(|i| {
            let (a, b) = self.bounds[i];
            let slack = 1e-9 * (b - a);
            self.whole_turn(i) || (x[i] >= a - slack && x[i] <= b + slack)
        }) && self.problem.room(x) > MARGIN
    }
    /// Distance in units of the widths, angles the short way.
    pub(super) fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        let d = self.problem.difference(x, y);
        d.iter()
            .zip(self.widths())
            .map(|(d, w)| (d / w).powi(2))
            .sum::<f64>()
            .sqrt()
    }
    /// The point between `a` and `b` that is nearest to `x`.
    fn foot(&self, x: &[f64], a: &[f64], b: &[f64]) -> Vec<f64> {
        let widths = self.widths();
        let scaled = |v: &[f64]| -> Vec<f64> { v.iter().zip(&widths).map(|(v, w)| v / w).collect() };
        let chord = self.problem.difference(b, a);
        let (to, along) = (scaled(&self.problem.difference(x, a)), scaled(&chord));
        let length = dot(&along, &along).max(f64::MIN_POSITIVE);
        let s = (dot(&to, &along) / length).clamp(0.0, 1.0);
        a.iter().zip(&chord).map(|(a, c)| a + s * c).collect()
    }
    fn distance_to_segment(&self, x: &[f64], a: &[f64], b: &[f64]) -> f64 {
        self.distance(x, &self.foot(x, a, b))
    }
    fn grid(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        let n = self.bounds.len();
        (0..STARTS.pow(n as u32)).map(move |k| {
            (0..n)
                .map(|i| {
                    let (a, b) = self.bounds[i];
                    let digit = k / STARTS.pow(i as u32) % STARTS;
                    a + (b - a) * (digit as f64 + 0.5) / STARTS as f64
                })
                .collect()
        })
    }
}

impl SlowFastProblem<'_> {
    /// Errors unless the mode has exactly two slow states.
    pub(super) fn two_slow_states(&self, object: &'static str) -> Result<(), SlowFastError> {
        let found = self.dimension() - 1;
        if found == 2 {
            return Ok(());
        }
        Err(SlowFastError::SlowStates {
            object,
            mode: self.mode().name.clone(),
            expected: 2,
            found,
        })
    }
    /// What the reduced flow does at the fold point `x`: the sheets lie where `f_z dz` and `f_yy` have opposite
    /// signs, so it runs onto the fold where `f_z g` and `f_yy` have the same sign.
    pub fn fold_kind(&self, x: &[f64]) -> FoldKind {
        let local = self.local(x);
        let mut unit = vec![0.0; self.dimension()];
        unit[self.fast()] = 1.0;
        let towards = local.push() * self.gradient_along(x, &unit)[self.fast()];
        if towards > 0.0 {
            FoldKind::Jump
        } else if towards < 0.0 {
            FoldKind::NonUnique
        } else {
            FoldKind::Singular
        }
    }
    /// The folded singularity between two neighbouring points of a fold line, if the reduced flow turns round once
    /// between them; angles continuous with those of `a`.
    ///
    /// ```
    /// use slipstick_slow_fast::{FoldKind, Reduction, SlowFastProblem};
    /// use slipstick_system::catalogue::regularised_stiction;
    /// let system = regularised_stiction();
    /// let layer = SlowFastProblem::new(&system, &system.default_parameters(), Reduction::Singular)?;
    /// let lines = layer.fold_lines(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, std::f64::consts::TAU)])?;
    /// let turns = |w: &[Vec<f64>]| layer.folded_between(&w[0], &w[1]).is_some();
    /// let changes = |w: &[Vec<f64>]| layer.fold_kind(&w[0]) != layer.fold_kind(&w[1]);
    /// for line in &lines {
    ///     assert_eq!(line.points.windows(2).filter(|w| turns(w)).count(), line.points.windows(2).filter(|w| changes(w)).count());
    /// }
    /// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
    /// ```
    pub fn folded_between(&self, a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
        let chord = FoldChord::new(self, a, b);
        let turns = chord.turns();
        let [turn] = turns[..] else { return None };
        let step = self.difference(&chord.singularity(turn)?.state, a);
        Some(a.iter().zip(step).map(|(a, d)| a + d).collect())
    }
    pub(super) fn fold_equations(&self, x: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let n = self.dimension();
        let local = self.local(x.as_slice());
        let mut unit = vec![0.0; n];
        unit[self.fast()] = 1.0;
        let slope = self.gradient_along(x.as_slice(), &unit);
        (
            DVector::from_vec(vec![local.force, local.gradient[self.fast()]]),
            DMatrix::from_fn(2, n, |i, j| if i == 0 { local.gradient[j] } else { slope[j] }),
        )
    }
    /// Points of fold lines: from a grid, by the method of Gauss and Newton, and along the planes of the fast state and
    /// one slow one at values of the other, where none is too narrow to be met.
    fn fold_seeds(&self, region: &Region, curve: &ImplicitCurve) -> Result<Vec<Vec<f64>>, SlowFastError> {
        let mut seeds: Vec<Vec<f64>> = region.grid().filter_map(|x| curve.nearest(&x)).collect();
        let bounds = region.bounds;
        let slow: Vec<usize> = self.slow().collect();
        for (solve_for, over) in [(slow[0], slow[1]), (slow[1], slow[0])] {
            let (low, high) = bounds[over];
            for k in 0..SECTIONS {
                let mut at: Vec<f64> = bounds.iter().map(|(a, b)| 0.5 * (a + b)).collect();
                at[over] = low + (high - low) * (k as f64 + 0.5) / SECTIONS as f64;
                seeds.extend(self.fold_points_on_line(
                    solve_for,
                    &at,
                    [bounds[self.fast()], bounds[solve_for]],
                    false,
                )?);
            }
        }
        seeds.retain(|x| region.contains(x));
        Ok(seeds)
    }
    /// Does `x` lie on one of these lines, between neighbouring points?
    fn on_lines(&self, lines: &[FoldLine], region: &Region, curve: &ImplicitCurve, x: &[f64]) -> bool {
        /// So near to the line, in units of the region's widths: it leaves its chords by little.
        const ON: f64 = 5e-5;
        let mut near = (lines.iter().flat_map(|l| l.points.windows(2)))
            .filter(|w| region.distance_to_segment(x, &w[0], &w[1]) < 0.1 * STEP);
        near.any(|w| {
            let foot = region.foot(x, &w[0], &w[1]);
            curve.nearest(&foot).is_some_and(|p| region.distance(&p, x) < ON)
        })
    }
    /// All fold lines that enter `region` (one interval for each state of the mode; an angle over a whole period is
    /// unbounded), traced by arclength. Between any two folded singularities a line has a point.
    ///
    /// # Errors
    /// When the mode does not have two slow states, or the region is not one.
    pub fn fold_lines(&self, region: &[(f64, f64)]) -> Result<Vec<FoldLine>, SlowFastError> {
        Ok(self.folds(region)?.0)
    }
    /// All fold lines that enter `region`, as [`SlowFastProblem::fold_lines`] finds them, and the folded singularities
    /// on them, as [`SlowFastProblem::folded_singularities`] does.
    ///
    /// # Errors
    /// As [`SlowFastProblem::fold_lines`].
    pub fn folds(&self, region: &[(f64, f64)]) -> Result<(Vec<FoldLine>, Vec<FoldedSingularity>), SlowFastError> {
        /// Closer than this, in units of the region's widths, two singularities are one.
        const ONE: f64 = 1e-9;
        self.two_slow_states("fold lines")?;
        let region = Region::new(self, region)?;
        let equations = |x: &DVector<f64>| self.fold_equations(x);
        let mut curve = ImplicitCurve::new(&equations, region.widths(), STEP, 20_000);
        let left = RefCell::new(None);
        let inside = |x: &[f64]| {
            let contains = region.contains(x);
            *left.borrow_mut() = (!contains).then(|| x.to_vec());
            contains
        };
        let distance = |a: &[f64], b: &[f64]| region.distance(a, b);
        let states = |points: Vec<Point>| points.into_iter().map(|p| p.z).collect::<Vec<_>>();
        // Up to where it leaves the region.
        let to_border = |mut points: Vec<Vec<f64>>| {
            if let (Some(outside), Some(last)) = (left.take(), points.last()) {
                points.extend(self.at_border(&region, last, &outside));
            }
            points
        };
        let mut lines: Vec<FoldLine> = Vec::new();
        let mut singularities: Vec<FoldedSingularity> = Vec::new();
        for start in self.fold_seeds(&region, &curve)? {
            if self.on_lines(&lines, &region, &curve, &start) {
                continue;
            }
            let start = self.canonical(&start);
            let mut points = to_border(states(curve.trace(&start, 1.0, &inside, &distance)));
            let closed = points.len() > 3 && points.last() == points.first();
            if closed {
                // The last point is the first one, seen after a whole number of turns.
                let last = points.len() - 1;
                let step = self.difference(&start, &points[last - 1]);
                points[last] = points[last - 1].iter().zip(&step).map(|(a, d)| a + d).collect();
            } else {
                let mut back = to_border(states(curve.trace(&start, -1.0, &inside, &distance)));
                back.reverse();
                back.pop();
                back.append(&mut points);
                points = back;
            }
            let (points, found) = self.with_singularities(points);
            for at in found {
                if singularities
                    .iter()
                    .all(|known| region.distance(&known.state, &at.state) > ONE)
                {
                    singularities.push(at);
                }
            }
            lines.push(FoldLine { points, closed });
        }
        Ok((lines, singularities))
    }
    /// Where a fold line leaves the region between its last point inside and the next.
    fn at_border(&self, region: &Region, last: &[f64], outside: &[f64]) -> Option<Vec<f64>> {
        let chord = FoldChord::new(self, last, outside);
        let inside = |s: f64| chord.point(s).is_some_and(|x| region.contains(&x));
        let Ok((s, _)) = boundary(0.0, 1.0, |s| Ok::<_, Infallible>(inside(s)));
        chord.point(s).filter(|x| s > 0.0 && region.distance(x, last) > MARGIN)
    }
    /// The points of a line, with one more between any two folded singularities that had none between them, and these
    /// singularities.
    fn with_singularities(&self, points: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<FoldedSingularity>) {
        let mut found: Vec<FoldedSingularity> = Vec::new();
        let mut refined: Vec<Vec<f64>> = Vec::with_capacity(points.len());
        for point in points {
            if let Some(before) = refined.last().cloned() {
                let chord = FoldChord::new(self, &before, &point);
                let turns = chord.turns();
                found.extend(turns.iter().filter_map(|&s| chord.singularity(s)));
                for pair in turns.windows(2) {
                    refined.extend(chord.point(0.5 * (pair[0] + pair[1])));
                }
            }
            refined.push(point);
        }
        (refined, found)
    }
    /// All folded singularities in `region`: zeros of `f_z g` along its fold lines, by increasing distance along them.
    ///
    /// # Errors
    /// As [`SlowFastProblem::fold_lines`].
    pub fn folded_singularities(&self, region: &[(f64, f64)]) -> Result<Vec<FoldedSingularity>, SlowFastError> {
        Ok(self.folds(region)?.1)
    }
}
