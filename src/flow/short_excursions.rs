//! Short excursions of a motion beyond a corner of its field, within one step of an integrator and between the stages
//! of it, which see nothing of them. What they change is small, of the order of their duration to the third; their
//! derivatives are not.

use super::equations::Equations;
use super::step::Dense;
use slipstick_numerics::roots::bracketed_root;
use slipstick_system::text::Corners;
use std::convert::Infallible;

/// An excursion no deeper than this, as a part of the numbers that the argument of a corner is made of, is rounding.
const ROUNDING: f64 = 1e-11;
/// What is no higher above a corner than this part of the depth beyond it lies on the corner.
const ON: f64 = 1e-3;

/// The argument of a corner where a step begins or ends.
#[derive(Clone, Copy)]
struct Argument {
    value: f64,
    size: f64,
    /// Its derivative with respect to time.
    rate: f64,
}

/// The corners of a field, along the steps of an integrator.
pub(crate) struct ShortExcursions<'a> {
    corners: &'a Corners,
    p: &'a [f64],
    sizes: Vec<f64>,
    /// At the start of the step.
    start: Vec<Argument>,
}

impl<'a> ShortExcursions<'a> {
    /// For motions from `x`, where the field is `rate`; none without corners. Steps are about `h` long.
    pub(crate) fn of(equations: &Equations<'a>, x: &[f64], rate: &[f64], h: f64) -> Option<Self> {
        let corners = equations.field.corners().filter(|corners| corners.has_sides())?;
        let mut excursions = Self {
            corners,
            p: equations.p,
            sizes: vec![0.0; equations.n],
            start: vec![],
        };
        excursions.start = excursions.arguments(&x[..equations.n], rate, h);
        Some(excursions)
    }

    /// The part of a step of length `h` after which an excursion begins, or ends that begins with the step; none where
    /// there is none, and the next step begins at its end `x`, where the field is `rate`.
    pub(crate) fn cut(&mut self, (x, rate): (&[f64], &[f64]), h: f64, dense: impl FnOnce() -> Dense) -> Option<f64> {
        let end = self.arguments(x, rate, h);
        let both = self.start.iter().zip(&end).enumerate();
        let suspects: Vec<usize> = both
            .filter(|(k, (a, b))| !self.corners.ends_there(*k) && may_dip(a, b, h))
            .map(|(k, _)| k)
            .collect();
        if !suspects.is_empty() {
            let dense = dense();
            let parts = suspects.iter().filter_map(|&k| self.excursion(k, &end[k], &dense));
            if let Some(part) = parts.min_by(f64::total_cmp) {
                return Some(part);
            }
        }
        self.start = end;
        None
    }

    fn arguments(&self, x: &[f64], rate: &[f64], h: f64) -> Vec<Argument> {
        /// The way on which rates are measured, as a part of the step.
        const WAY: f64 = 1e-6;
        let moved: Vec<f64> = x.iter().zip(rate).map(|(x, rate)| x + WAY * h * rate).collect();
        let here = self.corners.arguments(x, self.p, &self.sizes);
        let there = self.corners.arguments(&moved, self.p, &self.sizes);
        let pairs = here.into_iter().zip(there);
        pairs
            .map(|((value, size), (next, _))| Argument {
                value,
                size,
                rate: (next - value) / (WAY * h),
            })
            .collect()
    }

    /// Where the excursion beyond corner `k` begins, or ends, within a step that ends with this argument.
    fn excursion(&self, k: usize, end: &Argument, dense: &Dense) -> Option<f64> {
        const SAMPLES: usize = 16;
        const SEARCHES: usize = 40;
        /// A part of the step that is no cut: it is as good as all of it, or nothing.
        const WHOLE: f64 = 0.99;
        const NOTHING: f64 = 1e-9;
        let side = end.value.signum();
        let mut x = vec![0.0; self.sizes.len()];
        let mut height = |part: f64| {
            dense.eval(part, &mut x);
            side * self.corners.arguments(&x, self.p, &self.sizes)[k].0
        };
        let at = |i: usize| i as f64 / SAMPLES as f64;
        let heights: Vec<f64> = (0..=SAMPLES).map(|i| height(at(i))).collect();
        let lowest = (1..SAMPLES).min_by(|a, b| heights[*a].total_cmp(&heights[*b]))?;
        // The golden section.
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let (mut low, mut high) = (at(lowest - 1), at(lowest + 1));
        let inner = |low: f64, high: f64| [high - golden * (high - low), low + golden * (high - low)];
        for _ in 0..SEARCHES {
            let [a, b] = inner(low, high);
            if height(a) < height(b) {
                high = b;
            } else {
                low = a;
            }
        }
        let lowest = 0.5 * (low + high);
        let depth = -height(lowest);
        if !(depth > ROUNDING * end.size) {
            return None;
        }
        let (first, last) = (heights[0], heights[SAMPLES]);
        let (from, to) = match (first > ON * depth, last > ON * depth) {
            (true, _) => ((0.0, first), (lowest, -depth)),
            (false, true) => ((lowest, -depth), (1.0, last)),
            (false, false) => return None,
        };
        let resolution = 1e-3 * (to.0 - from.0).abs().min(NOTHING);
        let found = bracketed_root(from.0, from.1, to.0, to.1, resolution, |part| {
            Ok::<_, Infallible>(height(part))
        });
        found.ok().filter(|part| (NOTHING..WHOLE).contains(part))
    }
}

/// May a motion be beyond a corner for a while between two ends of a step on one side of it? It comes nearer first and
/// moves away in the end, and the tangents there meet beyond, or nearly so.
fn may_dip(start: &Argument, end: &Argument, h: f64) -> bool {
    /// As a part of the way down to where the tangents meet.
    const NEARLY: f64 = 0.1;
    let side = end.value.signum();
    let (a, b) = (side * start.value, side * end.value);
    let (falls, rises) = (side * h * start.rate, side * h * end.rate);
    if !(a >= -ROUNDING * start.size && b > 0.0 && falls < 0.0 && rises > 0.0) {
        return false;
    }
    let meet = a + falls * (b - rises - a) / (falls - rises);
    meet < NEARLY * (a.max(b) - meet)
}
