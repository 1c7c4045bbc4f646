//! Equilibria and cycles of maps where the equations have corners: the side of every corner is held while a curve is
//! followed, and where the curve meets one it is seen whether it goes on beyond.

use super::FixedPoint;
use slipstick_bifurcation::{InequalitySpec, Label, Rank};
use slipstick_continuation::{Failure, Point, Problem, tangent_at};
use slipstick_system::Function;
use slipstick_system::text::Corners;
use std::sync::Arc;

/// Residuals beyond a corner up to this, relative to what the equations are made of, are zero: a corner, no jump. The
/// corner itself is located to 1e-12 of a step.
const SAME: f64 = 1e-8;
/// Arguments up to this, relative to what they are made of, vanish together with the one whose corner is met.
const TOGETHER: f64 = 1e-8;
/// Of so many corners that are met at once all combinations of sides are looked at.
const MOST_AT_ONCE: usize = 4;

/// Beyond a corner: the equations there, and the point with the tangent that leads on.
pub struct Beyond<'s> {
    /// The fixed points beyond.
    pub problem: FixedPoint<'s>,
    /// Where their curve begins.
    pub start: Point,
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

    fn corners(&self) -> Option<&Corners> {
        self.system.modes[self.mode].field.corners()
    }

    /// Equations as they are written, corners and all.
    pub(super) fn release_sides(&mut self) {
        self.one_sided.clear();
    }

    /// Hold the sides of the corners on which the points at `z` lie.
    pub(super) fn fix_sides(&mut self, z: &[f64]) {
        self.one_sided.clear();
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

    /// Each corner that is held: the point of the cycle, and its number.
    fn fixed_corners(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let corners = self.corners();
        self.one_sided.iter().enumerate().flat_map(move |(i, one_sided)| {
            let active = (0..one_sided.active.len()).filter(|&k| one_sided.active[k]);
            active
                .filter(move |&k| corners.is_some_and(|c| !c.ends_there(k)))
                .map(move |k| (i, k))
        })
    }

    /// How far each point is from each corner that is held, in the corner's own argument.
    pub(super) fn corner_margins(&self, z: &[f64]) -> Vec<f64> {
        if self.one_sided.is_empty() {
            return vec![];
        }
        let margins: Vec<Vec<f64>> = (0..self.length).map(|i| self.margins_of(z, i)).collect();
        self.fixed_corners().map(|(i, k)| margins[i][k]).collect()
    }

    fn margins_of(&self, z: &[f64], i: usize) -> Vec<f64> {
        let one_sided = &self.one_sided[i];
        let mut values = vec![1.0; one_sided.sides.len()];
        one_sided.margins.value(self.point(z, i), &self.parameters, &mut values);
        values
    }

    pub(super) fn corner_inequalities(&self) -> Vec<InequalitySpec> {
        let Some(corners) = self.corners() else { return vec![] };
        let spec = |(i, k): (usize, usize)| InequalitySpec {
            label: Label::GR,
            rank: Rank::Other,
            meaning: match self.length {
                1 => corners.describe(k),
                _ => format!("{} (point {} of the cycle)", corners.describe(k), i + 1),
            },
        };
        self.fixed_corners().map(spec).collect()
    }

    /// A denominator that has changed its sign since its side was held, in words.
    pub(super) fn pole_passed(&self, z: &[f64]) -> Option<String> {
        let corners = self.corners().filter(|_| !self.one_sided.is_empty())?;
        (0..self.length).find_map(|i| {
            let one_sided = &self.one_sided[i];
            let denominators = |k: &usize| one_sided.active[*k] && corners.ends_there(*k);
            let mut candidates = (0..one_sided.sides.len()).filter(denominators).peekable();
            candidates.peek()?;
            let margins = self.margins_of(z, i);
            let passed = candidates.find(|&k| margins[k] <= 0.0 && !self.is_continuous_across(z, i, k))?;
            Some(format!(
                "the equations are not defined at the {}: the curve ends there",
                corners.describe(passed)
            ))
        })
    }

    /// Are the equations of point `i` continuous where denominator number `k` vanishes next to `z`, as sin(x)/x is at x
    /// = 0? They are where what they vary by close to the zero shrinks with the distance.
    fn is_continuous_across(&self, z: &[f64], i: usize, k: usize) -> bool {
        /// Distances from the zero relative to the sizes of the unknowns: far enough that rounding does not count, and
        /// a hundred times nearer.
        const DISTANCES: [f64; 2] = [1e-2, 1e-4];
        /// What is smooth shrinks to a hundredth, a square root to a tenth, jumps and what oscillates hardly, and poles
        /// grow.
        const SHRINKS: f64 = 0.2;
        /// Rounding of a quotient that is nearly 0/0, relative to its values.
        const ROUNDING: f64 = 1e-7;
        let (n, free) = (self.n, self.free.len());
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        let mut scales = sizes[i * n..(i + 1) * n].to_vec();
        scales.extend_from_slice(&sizes[n * self.length..]);
        let mut at = self.point(z, i).to_vec();
        at.extend_from_slice(&z[n * self.length..]);
        let parameters = |at: &[f64]| {
            let mut p = self.parameters.clone();
            self.free.iter().zip(&at[n..]).for_each(|(&f, v)| p[f] = *v);
            p
        };
        let margins = &self.one_sided[i].margins;
        let count = self.one_sided[i].sides.len();
        let (mut value, mut dx, mut dp) = (vec![0.0; count], vec![0.0; count * n], vec![0.0; count * free]);
        let mut across = vec![0.0; n + free];
        for _ in 0..30 {
            let p = parameters(&at);
            slipstick_system::jacobian(margins, &at[..n], &p, &self.free, &mut value, &mut dx, &mut dp);
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
        let field = self.field_at(i);
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
    pub fn on_corner(&mut self, z: &[f64]) -> Option<String> {
        let corners = self.system.modes[self.mode].field.corners()?;
        self.take_parameters(z);
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        let saved = self.one_sided.clone();
        let mut residual = vec![0.0; z.len() - self.free.len()];
        for (i, one_sided) in saved.iter().enumerate() {
            let own = &sizes[i * self.n..(i + 1) * self.n];
            let arguments = corners.arguments(self.point(z, i), &self.parameters, own);
            for (k, (v, _)) in arguments.iter().enumerate() {
                if one_sided.sides[k].is_some() || corners.ends_there(k) || !v.is_finite() {
                    continue;
                }
                let mut both = vec![];
                for side in corners.around(k, *v) {
                    let mut sides = one_sided.sides.clone();
                    sides[k] = Some(side);
                    self.one_sided[i] = Arc::new(corners.one_sided(&sides));
                    if self.linearise(z, &mut residual).is_ok() {
                        both.push((residual.clone(), self.jacobian.clone()));
                    }
                }
                self.one_sided.clone_from(&saved);
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

    /// Which corner inequality number `inequality` of a record is about: the point of the cycle and the corner's
    /// number.
    fn corner_of(&self, inequality: usize) -> Option<(usize, usize)> {
        let own = self.system.modes[self.mode].inequalities.len();
        self.fixed_corners().nth(inequality.checked_sub(own)?)
    }
}

/// A point lies at the edge of the domain of a function if its argument is this small beside the numbers that it is
/// made of.
const AT_EDGE: f64 = 1e-6;

impl FixedPoint<'_> {
    fn parameters_of(&self, z: &[f64]) -> Vec<f64> {
        let mut p = self.parameters.clone();
        for (&i, &v) in self.free.iter().zip(&z[self.n * self.length..]) {
            p[i] = v;
        }
        p
    }

    /// Where on the way of the parameter to a value a requirement ceases to hold, and which.
    pub(super) fn limit_towards(&self, point: &Point, end: f64) -> Option<(f64, String)> {
        let p = self.parameters_of(&point.z);
        let (name, value) = self.system.requirement_limit(&p, *self.free.last()?, end)?;
        Some((value, name.to_owned()))
    }

    /// The edge of the domain of a function that a point lies on, in words.
    pub(super) fn edge_touched(&self, point: &Point) -> Option<String> {
        let corners = self.corners()?;
        let p = self.parameters_of(&point.z);
        let mut sizes = vec![0.0; point.z.len()];
        self.sizes(&point.z, &mut sizes);
        (0..self.length).find_map(|i| corners.edge_near(self.point(&point.z, i), &p, &sizes[i * self.n..], AT_EDGE))
    }
}

impl<'s> FixedPoint<'s> {
    /// How the curve goes on beyond the corner at which inequality number `inequality` vanishes; `None` where the
    /// inequality is no corner.
    ///
    /// # Errors
    /// [`EndsAtCorner`] where it does not go on.
    pub fn beyond_corner(&mut self, at: &Point, inequality: usize) -> Option<Result<Beyond<'s>, EndsAtCorner>> {
        let (met_point, met) = self.corner_of(inequality)?;
        let corners = self.system.modes[self.mode].field.corners()?;
        self.take_parameters(&at.z);
        let mut sizes = vec![0.0; at.z.len()];
        self.sizes(&at.z, &mut sizes);
        // All corners that are met here: arguments that vanish together, as those of abs(x) and sign(x), change sides
        // together or not.
        let mut at_once = vec![(met_point, met)];
        let mut arguments = vec![];
        for i in 0..self.length {
            let own = &sizes[i * self.n..(i + 1) * self.n];
            arguments.push(corners.arguments(self.point(&at.z, i), &self.parameters, own));
        }
        for (i, k) in self.fixed_corners() {
            let (v, size) = arguments[i][k];
            let vanishes = self.margins_of(&at.z, i)[k].abs() <= TOGETHER * size.max(v.abs());
            if vanishes && (i, k) != (met_point, met) && at_once.len() < MOST_AT_ONCE {
                at_once.push((i, k));
            }
        }
        let mut residual = vec![0.0; at.z.len() - 1];
        if let Err(failure) = self.linearise(&at.z, &mut residual) {
            let corner = corners.describe(met);
            return Some(Err(EndsAtCorner::Undefined { corner, failure }));
        }
        let before = self.jacobian.clone();
        let scale = |jacobian: &[f64], r: usize| {
            let row = &jacobian[r * at.z.len()..(r + 1) * at.z.len()];
            let terms = row.iter().zip(&sizes).map(|(d, s)| (d * s).abs());
            terms.fold(f64::MIN_POSITIVE, f64::max)
        };
        let mut jumps = true;
        let mut found: Option<Beyond<'s>> = None;
        let mut others = 0;
        for combination in 0..1usize << (at_once.len() - 1) {
            let mut next = self.like(&self.parameters.clone());
            next.scale.clone_from(&self.scale);
            next.lengths.clone_from(&self.lengths);
            next.goes_on = true;
            next.parameter_scale = self.parameter_scale;
            next.winding.clone_from(&self.winding);
            next.one_sided.clone_from(&self.one_sided);
            for (n, &(i, k)) in at_once.iter().enumerate() {
                if n > 0 && (combination >> (n - 1)) & 1 == 1 {
                    continue;
                }
                let mut sides = next.one_sided[i].sides.clone();
                let Some(side) = sides[k] else { continue };
                sides[k] = Some(corners.beyond(k, side, arguments[i][k].0));
                next.one_sided[i] = Arc::new(corners.one_sided(&sides));
            }
            let mut there = vec![0.0; residual.len()];
            let mut begin = at.clone();
            // A root or a power may have no value on the wrong side of the corner, by rounding, and no slope on the
            // corner itself.
            let fails = next.linearise(&begin.z, &mut there).is_err();
            if fails || next.jacobian.iter().any(|slope| !slope.is_finite()) {
                next.step_inside(&mut begin.z, &sizes, &at_once);
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
            let rates: Vec<Vec<f64>> = at_once.iter().map(|&c| next.margin_gradient(&begin.z, c)).collect();
            let Ok(start) = next.tangent_into(&begin, &rates) else {
                continue;
            };
            if found.is_some() {
                others += 1;
                continue;
            }
            let bends = (0..there.len()).any(|r| {
                let size = scale(&before, r).max(scale(&next.jacobian, r));
                (0..at.z.len()).any(|c| {
                    let change = before[r * at.z.len() + c] - next.jacobian[r * at.z.len() + c];
                    (change * sizes[c]).abs() > SAME * size
                })
            });
            let what = corners.describe(met);
            found = Some(Beyond {
                problem: next,
                start,
                what,
                bends,
            });
        }
        Some(match found {
            Some(mut found) => {
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

    /// Move a point on corners by rounding onto the sides that are held.
    fn step_inside(&self, z: &mut [f64], sizes: &[f64], corners: &[(usize, usize)]) {
        /// How far, relative to the sizes of the unknowns.
        const INSIDE: f64 = 1e-15;
        for &(i, k) in corners {
            let gradient = self.margin_gradient(z, (i, k));
            let scaled: Vec<f64> = gradient.iter().zip(sizes).map(|(g, s)| g * s).collect();
            let length = scaled.iter().map(|g| g * g).sum::<f64>().sqrt();
            let missing = INSIDE - self.margins_of(z, i)[k] / length;
            if missing > 0.0 && missing.is_finite() {
                for ((z, g), size) in z.iter_mut().zip(&scaled).zip(sizes) {
                    *z += missing * g / length * size;
                }
            }
        }
    }

    /// The corner on which a point lies, as the number of its inequality in a record: where the equations have no value
    /// beyond it, it is not stepped over.
    pub(super) fn corner_reached(&self, z: &[f64]) -> Option<usize> {
        let corners = self.corners()?;
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        let parameters = self.parameters_of(z);
        let on = |(i, k): (usize, usize)| {
            let own = &sizes[i * self.n..(i + 1) * self.n];
            let (v, size) = corners.arguments(self.point(z, i), &parameters, own)[k];
            v.abs() <= TOGETHER * size
        };
        let own = self.system.modes[self.mode].inequalities.len();
        Some(own + self.fixed_corners().position(on)?)
    }

    /// The gradient of a corner's margin by the unknowns.
    fn margin_gradient(&self, z: &[f64], (i, k): (usize, usize)) -> Vec<f64> {
        let (n, count) = (self.n, self.one_sided[i].sides.len());
        let (mut value, mut dx) = (vec![0.0; count], vec![0.0; count * n]);
        let mut dp = vec![0.0; count * self.free.len()];
        let margins = &self.one_sided[i].margins;
        slipstick_system::jacobian(
            margins,
            self.point(z, i),
            &self.parameters,
            &self.free,
            &mut value,
            &mut dx,
            &mut dp,
        );
        let mut gradient = vec![0.0; z.len()];
        gradient[i * n..(i + 1) * n].copy_from_slice(&dx[k * n..(k + 1) * n]);
        let free = self.free.len();
        gradient[n * self.length..].copy_from_slice(&dp[k * free..(k + 1) * free]);
        gradient
    }

    /// The point with the tangent along which all these margins grow.
    fn tangent_into(&mut self, at: &Point, rates: &[Vec<f64>]) -> Result<Point, Failure> {
        // The first corner is the one that is left behind: its margin orients the tangent, and with it as the border
        // row the system is regular unless the curve touches the corner.
        let row = rates.first().cloned().unwrap_or_default();
        let point = tangent_at(self, at.z.clone(), &row, 1.0)?;
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
}
