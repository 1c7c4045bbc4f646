//! Equilibria and cycles of maps where the equations have corners: the side of every corner is held while a curve is
//! followed, and where the curve meets one it is seen whether it goes on beyond.

use super::FixedPoint;
use super::born::Born;
use super::corner_distance::{margin_gradient, margins_of};
use super::corner_slopes::{bend, difference, step_inside};
use crate::sides::{MOST_AT_ONCE, TOGETHER, changes};
use slipstick_bifurcation::{InequalitySpec, Label, Rank};
use slipstick_continuation::{Failure, Newton, NewtonOptions, Point, Problem, tangent_at};
use slipstick_system::Function;
use slipstick_system::text::Corners;
use std::sync::Arc;

/// Residuals beyond a corner up to this, relative to what the equations are made of, are zero: a corner, no jump. The
/// corner itself is located to 1e-12 of a step.
const SAME: f64 = 1e-8;
/// A point that is this far inside of a corner, relative to the sizes of the unknowns, is on its side.
const ROUNDING: f64 = 1e-15;

/// Beyond a corner: the equations there, and the point with the tangent that leads on.
pub struct Beyond<'s> {
    /// The fixed points beyond.
    pub problem: FixedPoint<'s>,
    /// Where their curve begins.
    pub start: Point,
    /// Where the curve meets the corner, to all digits that the equations have on their smoother side.
    pub place: Vec<f64>,
    /// What is met, in words.
    pub what: String,
    /// Do the derivatives change there?
    pub bends: bool,
}

/// Why a curve does not go on beyond a corner.
///
/// ```
/// use slipstick_orbit::EndsAtCorner;
/// let end = EndsAtCorner::Jump { jump: "jump of sign at x = 0".into() };
/// assert_eq!(end.to_string(), "the curve ends at the jump of sign at x = 0: the equations jump there");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EndsAtCorner {
    /// The equations have no value at the corner.
    #[error("the curve ends at the {corner}")]
    Undefined {
        /// What is met, in words.
        corner: String,
        /// What went wrong there.
        #[source]
        failure: Failure,
    },
    /// The equations jump.
    #[error("the curve ends at the {jump}: the equations jump there")]
    Jump {
        /// What is met, in words.
        jump: String,
    },
    /// The points of the cycle have come together.
    #[error(
        "{corner}: border collision of {}, at which this cycle of {length} points is born: its curve ends",
        match least { 1 => "a fixed point".to_owned(), k => format!("a cycle of {k} points") }
    )]
    Born {
        /// What is met, in words.
        corner: String,
        /// The number of points of the cycle that it comes down to.
        least: usize,
        /// The number of its own points.
        length: usize,
        /// The unknowns there.
        place: Vec<f64>,
    },
    /// No combination of sides has solutions.
    #[error("the curve ends at the {corner}: there are no solutions beyond it")]
    NothingBeyond {
        /// What is met, in words.
        corner: String,
    },
}

impl FixedPoint<'_> {
    /// The mode's field, or map, as it is at point `i` of the cycle with the sides of its corners held.
    pub(super) fn field_at(&self, i: usize) -> &dyn Function {
        match self.one_sided.get(i) {
            Some(one_sided) => &one_sided.outputs,
            None => self.system.modes[self.mode].field.as_ref(),
        }
    }

    /// Equations as they are written, corners and all.
    pub(super) fn release_sides(&mut self) {
        self.one_sided.clear();
    }

    /// Hold the sides of the corners on which the points at `z` lie.
    pub(super) fn fix_sides(&mut self, z: &[f64]) {
        self.one_sided.clear();
        if self.large.is_some() {
            self.note_large_ends(z);
            return;
        }
        let Some(corners) = self.system.modes[self.mode].field.corners() else {
            return;
        };
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        for i in 0..self.length {
            let sides = corners.sides(self.point(z, i), &self.parameters, &sizes[i * self.n..(i + 1) * self.n]);
            self.one_sided.push(Arc::new(corners.one_sided(&sides)));
        }
    }

    /// As when the sides are held by [`FixedPoint::anchor`], with everything else as it is.
    pub fn fix_sides_at(&mut self, z: &[f64]) {
        self.take_parameters(z);
        self.fix_sides(z);
    }

    /// A denominator that has changed its sign since its side was held, in words.
    pub(super) fn pole_passed(&self, z: &[f64]) -> Option<String> {
        let corners = corners(self).filter(|_| !self.one_sided.is_empty())?;
        (0..self.length).find_map(|i| {
            let one_sided = &self.one_sided[i];
            let denominators = |k: &usize| one_sided.active[*k] && corners.ends_there(*k);
            let mut candidates = (0..one_sided.sides.len()).filter(denominators).peekable();
            candidates.peek()?;
            let margins = margins_of(self, z, i);
            let passed = candidates.find(|&k| margins[k] <= 0.0 && !is_continuous_across(self, z, i, k))?;
            Some(format!(
                "the equations are not defined at the {}: the curve ends there",
                corners.describe(passed)
            ))
        })
    }
}

fn corners<'p>(problem: &'p FixedPoint<'_>) -> Option<&'p Corners> {
    problem.system.modes[problem.mode].field.corners()
}

/// Each corner that is held: the point of the cycle, and its number.
fn fixed_corners(problem: &FixedPoint<'_>) -> impl Iterator<Item = (usize, usize)> {
    let corners = corners(problem);
    problem.one_sided.iter().enumerate().flat_map(move |(i, one_sided)| {
        let active = (0..one_sided.active.len()).filter(|&k| one_sided.active[k]);
        active
            .filter(move |&k| corners.is_some_and(|c| !c.ends_there(k)))
            .map(move |k| (i, k))
    })
}

/// How far each point is from each corner that is held, in the corner's own argument.
pub(super) fn corner_margins(problem: &FixedPoint<'_>, z: &[f64]) -> Vec<f64> {
    if problem.one_sided.is_empty() {
        return vec![];
    }
    let margins: Vec<Vec<f64>> = (0..problem.length).map(|i| margins_of(problem, z, i)).collect();
    fixed_corners(problem).map(|(i, k)| margins[i][k]).collect()
}

pub(super) fn corner_inequalities(problem: &FixedPoint<'_>) -> Vec<InequalitySpec> {
    let Some(corners) = corners(problem) else { return vec![] };
    let spec = |(i, k): (usize, usize)| InequalitySpec {
        label: if problem.rest { Label::BE } else { Label::GR },
        rank: Rank::Other,
        segment: 0,
        meaning: match problem.length {
            1 => corners.describe(k),
            _ => format!("{} (point {} of the cycle)", corners.describe(k), i + 1),
        },
    };
    fixed_corners(problem).map(spec).collect()
}

/// Are the equations of point `i` continuous where denominator number `k` vanishes next to `z`, as sin(x)/x is at x
/// = 0? They are where what they vary by close to the zero shrinks with the distance.
fn is_continuous_across(problem: &FixedPoint<'_>, z: &[f64], i: usize, k: usize) -> bool {
    /// Distances from the zero relative to the sizes of the unknowns: far enough that rounding does not count, and
    /// a hundred times nearer.
    const DISTANCES: [f64; 2] = [1e-2, 1e-4];
    /// What is smooth shrinks to a hundredth, a square root to a tenth, jumps and what oscillates hardly, and poles
    /// grow.
    const SHRINKS: f64 = 0.2;
    /// Rounding of a quotient that is nearly 0/0, relative to its values.
    const ROUNDING: f64 = 1e-7;
    let (n, free) = (problem.n, problem.free.len());
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let mut scales = sizes[i * n..(i + 1) * n].to_vec();
    scales.extend_from_slice(&sizes[n * problem.length..]);
    let mut at = problem.point(z, i).to_vec();
    at.extend_from_slice(&z[n * problem.length..]);
    let parameters = |at: &[f64]| {
        let mut p = problem.parameters.clone();
        problem.free.iter().zip(&at[n..]).for_each(|(&f, v)| p[f] = *v);
        p
    };
    let margins = &problem.one_sided[i].margins;
    let count = problem.one_sided[i].sides.len();
    let (mut value, mut dx, mut dp) = (vec![0.0; count], vec![0.0; count * n], vec![0.0; count * free]);
    let mut across = vec![0.0; n + free];
    for _ in 0..30 {
        let p = parameters(&at);
        slipstick_system::jacobian(margins, &at[..n], &p, &problem.free, &mut value, &mut dx, &mut dp);
        let gradient = dx[k * n..(k + 1) * n].iter().chain(&dp[k * free..(k + 1) * free]);
        across = gradient.zip(&scales).map(|(g, s)| g * s).collect();
        let square: f64 = across.iter().map(|g| g * g).sum();
        let step = value[k] / square;
        if !(step.is_finite() && square > 0.0) {
            return false;
        }
        for c in 0..n + free {
            at[c] -= step * across[c] * scales[c];
        }
        let length = square.sqrt();
        across.iter_mut().for_each(|g| *g /= length);
        if (step * length).abs() <= 1e-13 {
            break;
        }
    }
    let field = problem.field_at(i);
    let spreads = DISTANCES.map(|distance| {
        let (mut low, mut high) = (vec![f64::INFINITY; n], vec![f64::NEG_INFINITY; n]);
        for off in [-1.0, -0.37, 0.37, 1.0] {
            let away: Vec<f64> = (0..n + free)
                .map(|c| at[c] + off * distance * across[c] * scales[c])
                .collect();
            let mut y = vec![0.0; n];
            field.value(&away[..n], &parameters(&away), &mut y);
            for r in 0..n {
                // What is no number is no value, on either side.
                let v = if y[r].is_finite() { y[r] } else { f64::INFINITY };
                low[r] = low[r].min(v);
                high[r] = high[r].max(v);
            }
        }
        (low, high)
    });
    let [(low, high), (inner_low, inner_high)] = spreads;
    (0..n).all(|r| {
        let size = low[r].abs().max(high[r].abs());
        inner_high[r] - inner_low[r] <= SHRINKS * (high[r] - low[r]) + ROUNDING * size
    })
}

/// A corner on which points at `z` lie exactly and where the two sides differ, in words: no curve can be said to
/// lead through it either way.
pub fn on_corner(problem: &mut FixedPoint<'_>, z: &[f64]) -> Option<String> {
    let corners = problem.system.modes[problem.mode].field.corners()?;
    problem.take_parameters(z);
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let saved = problem.one_sided.clone();
    let mut residual = vec![0.0; z.len() - problem.free.len()];
    for (i, one_sided) in saved.iter().enumerate() {
        let own = &sizes[i * problem.n..(i + 1) * problem.n];
        let arguments = corners.arguments(problem.point(z, i), &problem.parameters, own);
        for (k, (v, _)) in arguments.iter().enumerate() {
            if one_sided.sides[k].is_some() || corners.ends_there(k) || !v.is_finite() {
                continue;
            }
            let mut both = vec![];
            for side in corners.around(k, *v) {
                let mut sides = one_sided.sides.clone();
                sides[k] = Some(side);
                problem.one_sided[i] = Arc::new(corners.one_sided(&sides));
                if problem.linearise(z, &mut residual).is_ok() {
                    both.push((residual.clone(), problem.jacobian.clone()));
                }
            }
            problem.one_sided.clone_from(&saved);
            let [(left, slopes), (right, others)] = &both[..] else {
                continue;
            };
            let width = z.len();
            let differs = (0..left.len()).any(|r| {
                let change = |c: usize| ((slopes[r * width + c] - others[r * width + c]) * sizes[c]).abs();
                let term = |c: usize| (slopes[r * width + c].abs() + others[r * width + c].abs()) * sizes[c];
                let size = (0..width).map(term).fold(f64::MIN_POSITIVE, f64::max);
                let changes = (0..width).any(|c| change(c) > SAME * size);
                changes || (left[r] - right[r]).abs() > SAME * size
            });
            if differs {
                return Some(corners.describe(k));
            }
        }
    }
    None
}

/// Which corner inequality number `inequality` of a record is about: the point of the cycle and the corner's number.
fn corner_of(problem: &FixedPoint<'_>, inequality: usize) -> Option<(usize, usize)> {
    let own = problem.system.modes[problem.mode].inequalities.len();
    fixed_corners(problem).nth(inequality.checked_sub(own)?)
}

/// A point lies at the edge of the domain of a function if its argument is this small beside the numbers that it is
/// made of.
const AT_EDGE: f64 = 1e-6;

pub(super) fn parameters_of(problem: &FixedPoint<'_>, z: &[f64]) -> Vec<f64> {
    let mut p = problem.parameters.clone();
    for (&i, &v) in problem.free.iter().zip(&z[problem.n * problem.length..]) {
        p[i] = v;
    }
    p
}

/// Where on the way of the parameter to a value a requirement ceases to hold, and which.
pub(super) fn limit_towards(problem: &FixedPoint<'_>, point: &Point, end: f64) -> Option<(f64, String)> {
    let p = parameters_of(problem, &point.z);
    let (name, value) = problem.system.requirement_limit(&p, *problem.free.last()?, end)?;
    Some((value, name.to_owned()))
}

/// The edge of the domain of a function that a point lies on, in words.
pub(super) fn edge_touched(problem: &FixedPoint<'_>, point: &Point) -> Option<String> {
    let corners = corners(problem)?;
    let p = parameters_of(problem, &point.z);
    let mut sizes = vec![0.0; point.z.len()];
    problem.sizes(&point.z, &mut sizes);
    (0..problem.length).find_map(|i| {
        let (x, sizes) = (problem.point(&point.z, i), &sizes[i * problem.n..]);
        let edge = corners.edges_near(x, &p, sizes, AT_EDGE).next()?;
        Some(corners.describe(edge))
    })
}

/// How the curve goes on beyond the corner at which inequality number `inequality` vanishes, where so many other ways
/// on are `skipped`; `None` where the inequality is no corner.
///
/// # Errors
/// [`EndsAtCorner`] where it does not go on.
pub fn beyond_corner<'s>(
    problem: &mut FixedPoint<'s>,
    at: &Point,
    inequality: usize,
    skipped: usize,
) -> Option<Result<Beyond<'s>, EndsAtCorner>> {
    let (met_point, met) = corner_of(problem, inequality)?;
    let corners = problem.system.modes[problem.mode].field.corners()?;
    problem.take_parameters(&at.z);
    let mut sizes = vec![0.0; at.z.len()];
    problem.sizes(&at.z, &mut sizes);
    // All corners that are met here: arguments that vanish together, as those of abs(x) and sign(x), change sides
    // together or not.
    let mut at_once = vec![(met_point, met)];
    let (mut arguments, mut fixed) = (vec![], vec![]);
    for i in 0..problem.length {
        let own = &sizes[i * problem.n..(i + 1) * problem.n];
        let (x, p) = (problem.point(&at.z, i), &problem.parameters);
        arguments.push(corners.arguments(x, p, own));
        fixed.push(corners.sides_at(&problem.one_sided[i], x, p, own));
    }
    // Those of a branch of a condition that is not taken may be taken beyond, as abs is in if(x < 0, x, sqrt(abs(x))).
    let all = (0..problem.length).flat_map(|i| (0..corners.count()).map(move |k| (i, k)));
    for (i, k) in all.filter(|(_, k)| !corners.ends_there(*k)) {
        let (v, size) = arguments[i][k];
        let distance = match problem.one_sided[i].active[k] {
            true => margins_of(problem, &at.z, i)[k],
            false => v,
        };
        let vanishes = fixed[i][k].is_some() && distance.abs() <= TOGETHER * size.max(v.abs());
        if vanishes && (i, k) != (met_point, met) && at_once.len() < MOST_AT_ONCE {
            at_once.push((i, k));
        }
    }
    let mut residual = vec![0.0; at.z.len() - 1];
    if let Err(failure) = problem.linearise(&at.z, &mut residual) {
        let corner = corners.describe(met);
        return Some(Err(EndsAtCorner::Undefined { corner, failure }));
    }
    let before = problem.jacobian.clone();
    let mut born = Born::at(problem, at);
    let scale = |jacobian: &[f64], r: usize| {
        let row = &jacobian[r * at.z.len()..(r + 1) * at.z.len()];
        let terms = row.iter().zip(&sizes).map(|(d, s)| (d * s).abs());
        terms.fold(f64::MIN_POSITIVE, f64::max)
    };
    let mut jumps = true;
    let mut found: Option<Beyond<'s>> = None;
    let mut ways = 0;
    for changed in changes(&at_once) {
        let mut next = problem.like(&problem.parameters.clone());
        next.origin.clone_from(&problem.origin);
        next.scale.clone_from(&problem.scale);
        next.lengths.clone_from(&problem.lengths);
        next.goes_on = true;
        next.parameter_scales.clone_from(&problem.parameter_scales);
        next.winding.clone_from(&problem.winding);
        let mut sides = fixed.clone();
        for &(i, k) in &changed {
            sides[i][k] = sides[i][k].map(|side| corners.beyond(k, side, arguments[i][k].0));
        }
        next.one_sided = sides.iter().map(|sides| Arc::new(corners.one_sided(sides))).collect();
        // What takes no part beyond has no other side there.
        if changed[1..].iter().any(|&(i, k)| !next.one_sided[i].active[k]) {
            continue;
        }
        let rates: Vec<Vec<f64>> = at_once.iter().map(|&c| margin_gradient(&next, &at.z, c)).collect();
        if are_opposed(&rates, &sizes) {
            continue;
        }
        let mut there = vec![0.0; residual.len()];
        let mut begin = at.clone();
        // A root or a power may have no value on the wrong side of the corner, by rounding, and no slope on the
        // corner itself.
        let fails = next.linearise(&begin.z, &mut there).is_err();
        if fails || next.jacobian.iter().any(|slope| !slope.is_finite()) {
            step_inside(&next, &mut begin.z, &sizes, &at_once, ROUNDING);
            if next.linearise(&begin.z, &mut there).is_err() {
                continue;
            }
        }
        let continuous = (0..there.len()).all(|r| {
            let size = scale(&before, r).max(scale(&next.jacobian, r));
            (there[r] - residual[r]).abs() <= SAME * size
        });
        if !continuous {
            continue;
        }
        jumps = false;
        let rates: Vec<Vec<f64>> = at_once.iter().map(|&c| margin_gradient(&next, &begin.z, c)).collect();
        let Ok(start) = tangent_into(&mut next, &begin, &rates) else {
            continue;
        };
        // A root has an infinite slope at its corner: from its side the place was found to half the digits only.
        let steepest = |jacobian: &[f64]| (0..there.len()).map(|r| scale(jacobian, r)).fold(0.0, f64::max);
        let slopes = next.jacobian.clone();
        let (mut start, mut place) = (start, at.z.clone());
        if steepest(&slopes) < steepest(&before)
            && let Some(z) = placed(&mut next, &begin.z, (met_point, met))
        {
            place.clone_from(&z);
            let there = Point { z, ..begin.clone() };
            start = tangent_into(&mut next, &there, &rates).unwrap_or(start);
        }
        born = born.or_else(|| Born::beside(&next, &place, at));
        if let Some(born) = &mut born
            && (born.begins_later(problem, &next) || born.leads_to_no_other(&next, &start))
        {
            born.note_place(steepest(&slopes), &place);
            continue;
        }
        ways += 1;
        if ways != skipped + 1 {
            continue;
        }
        let bends =
            difference(&before, &slopes, &sizes) > SAME && bend([&mut *problem, &mut next], &at.z, &sizes, &at_once);
        let what = corners.describe(met);
        found = Some(Beyond {
            problem: next,
            start,
            place,
            what,
            bends,
        });
    }
    // It may be seen only behind others that the points have come together.
    if born
        .as_ref()
        .is_some_and(|born| found.as_ref().is_some_and(|f| born.begins_later(problem, &f.problem)))
    {
        found = None;
    }
    if let (None, Some(born)) = (&found, born) {
        return Some(Err(EndsAtCorner::Born {
            corner: corners.describe(met),
            least: born.least,
            length: problem.length,
            place: born.place(),
        }));
    }
    Some(match found {
        Some(mut found) => {
            let others = ways - 1;
            if others > 0 {
                found.what.push_str(&format!(
                    "; {others} more curve{} emanate{} from this point and {} not traced",
                    if others == 1 { "" } else { "s" },
                    if others == 1 { "s" } else { "" },
                    if others == 1 { "is" } else { "are" },
                ));
            }
            Ok(found)
        }
        None if jumps => Err(EndsAtCorner::Jump {
            jump: corners.describe_jump(met),
        }),
        None => Err(EndsAtCorner::NothingBeyond {
            corner: corners.describe(met),
        }),
    })
}

/// Do two of these gradients of margins point in opposite directions? Then no point lies on both sides.
fn are_opposed(rates: &[Vec<f64>], sizes: &[f64]) -> bool {
    const ROUNDING: f64 = 1e-9;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        let terms = a.iter().zip(b).zip(sizes);
        terms.map(|((a, b), size)| (a * size) * (b * size)).sum()
    };
    let opposed = |a: &[f64], b: &[f64]| {
        let both = (product(a, a) * product(b, b)).sqrt();
        both > 0.0 && product(a, b) <= (ROUNDING - 1.0) * both
    };
    rates
        .iter()
        .enumerate()
        .any(|(n, a)| rates[..n].iter().any(|b| opposed(a, b)))
}

/// The solution near `z` at which the argument of a corner vanishes, where the problem is linearised.
fn placed(problem: &mut FixedPoint<'_>, z: &[f64], corner: (usize, usize)) -> Option<Vec<f64>> {
    /// Arguments may be curved: so often their zero is found anew.
    const ROUNDS: usize = 3;
    let mut at = z.to_vec();
    for _ in 0..ROUNDS {
        let (row, anchor) = (margin_gradient(problem, &at, corner), at.clone());
        let level = -margins_of(problem, &at, corner.0)[corner.1];
        let options = NewtonOptions::default();
        Newton::default()
            .solve(problem, &mut at, &row, &anchor, &[level], &options)
            .ok()?;
    }
    Some(at)
}

/// The corner on which a point lies, as the number of its inequality in a record: where the equations have no value
/// beyond it, it is not stepped over.
pub(super) fn corner_reached(problem: &FixedPoint<'_>, z: &[f64]) -> Option<usize> {
    let corners = corners(problem)?;
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let parameters = parameters_of(problem, z);
    let on = |(i, k): (usize, usize)| {
        let own = &sizes[i * problem.n..(i + 1) * problem.n];
        let (v, size) = corners.arguments(problem.point(z, i), &parameters, own)[k];
        v.abs() <= TOGETHER * size
    };
    let own = problem.system.modes[problem.mode].inequalities.len();
    Some(own + fixed_corners(problem).position(on)?)
}

/// The point with the tangent along which all these margins grow.
fn tangent_into(problem: &mut FixedPoint<'_>, at: &Point, rates: &[Vec<f64>]) -> Result<Point, Failure> {
    // The first corner is the one that is left behind: its margin orients the tangent, and with it as the border
    // row the system is regular unless the curve touches the corner.
    let row = rates.first().cloned().unwrap_or_default();
    let point = tangent_at(problem, at.z.clone(), &row, 1.0)?;
    let length = |v: &[f64]| v.iter().zip(&at.weights).map(|(g, w)| g * g / w).sum::<f64>().sqrt();
    let inwards = rates.iter().all(|gradient| {
        let rate: f64 = gradient.iter().zip(&point.tangent).map(|(g, t)| g * t).sum();
        rate >= -SAME * length(gradient)
    });
    if inwards {
        Ok(point)
    } else {
        Err(Failure::Evaluation("the curve leads back".into()))
    }
}
