//! Transition matrices over the intervals of a profile, by steps that are exact to rounding.
//!
//! An interval is halved where |J| h in its middle is beyond the reach of a step, and its halves again: on a coarse
//! mesh an interval may hold a slow stretch and a sharp peak. Where an orbit lingers, an interval of its mesh is as
//! long as hundreds of such steps, over which J changes as little as the orbit does. The transition matrix over a step
//! of one length is there a smooth function of the time where the step begins: it is solved for at some of these times,
//! and interpolated between them.

use crate::segment::scheme::{Along, Profile};
use crate::variation::{Variation, reach};
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::balance;
use slipstick_numerics::stop::look;
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};
use slipstick_system::Jacobian;
use std::f64::consts::{LN_10, PI};

/// Intervals are halved at most so often.
const DEEPEST: u32 = 20;
/// At so many times steps are solved, to be interpolated between.
const SAMPLES: usize = 24;
/// Where interpolated steps are compared with solved ones: at both ends, where a polynomial is worst, and between.
const COMPARED: [f64; 4] = [0.0, 0.31, 0.69, 1.0];
/// With fewer steps than this solving all of them is as cheap.
const WORTH: f64 = 3.0 * SAMPLES as f64;
/// By how much an interpolated matrix may differ, relative to its largest entry in balanced units: several times what
/// rounding makes in a matrix that is known from the rates at its stages.
const ROUNDING: f64 = 2e-14;

/// Walk over the intervals of a profile in this order by Gauss steps short enough to be exact to rounding, of an order
/// that has nothing to do with that of the profile; `each` gets the state at the end of each step and the transition
/// matrix over it. Returns the defect in Liouville's identity.
pub(crate) fn for_each_step<P: Profile + ?Sized>(
    profile: &P,
    along: &Along<'_, '_>,
    order: impl Iterator<Item = usize>,
    each: &mut dyn FnMut(&[f64], &[f64]) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    let mut steps = Steps::new(profile, along);
    let (mut followed, mut integrated) = (0.0, 0.0);
    // Pieces of the interval that are still to come, the next one last: where they begin, and how often they were
    // halved.
    let mut pieces: Vec<(f64, u32)> = vec![];
    for j in order {
        let h = steps.width(j);
        pieces.push((0.0, 0));
        while let Some((begin, level)) = pieces.pop() {
            look();
            let width = 0.5f64.powi(level as i32);
            let rate = steps.rate(j, begin + 0.5 * width) * h * width / reach(MOST_STAGES);
            if rate > 1.0 && level < DEEPEST {
                let interpolated = match rate > WORTH {
                    true => steps.interpolated(j, (begin, width), rate)?,
                    false => None,
                };
                match interpolated {
                    Some(stretch) => {
                        let (own, trace) = steps.follow(j, (begin, width), &stretch, each)?;
                        followed += own;
                        integrated += trace;
                    }
                    None => pieces.extend([(begin + 0.5 * width, level + 1), (begin, level + 1)]),
                }
                continue;
            }
            steps.solve(j, begin, width, &mut integrated)?;
            followed += log_determinant(&steps.transition, steps.n);
            steps.state(j, begin + width);
            each(&steps.x, &steps.transition)?;
        }
    }
    Ok((followed - integrated) / LN_10)
}

/// Transition matrices of equal steps along a part of an interval: at `SAMPLES` times where a step begins, each
/// followed by the integral of the trace over the step.
struct Stretch {
    count: usize,
    points: [(f64, f64); SAMPLES],
    samples: Vec<f64>,
}

/// Takes the steps; keeps its memory.
struct Steps<'a, P: ?Sized> {
    profile: &'a P,
    start: &'a [f64],
    block: &'a [f64],
    duration: f64,
    n: usize,
    gauss: Tableau,
    jacobian: Jacobian<'a>,
    variation: Variation,
    x: Vec<f64>,
    f: Vec<f64>,
    fx: Vec<f64>,
    transition: Vec<f64>,
}

impl<'a, P: Profile + ?Sized> Steps<'a, P> {
    fn new(profile: &'a P, along: &Along<'a, '_>) -> Self {
        let n = along.start.len();
        let gauss = Tableau::gauss(MOST_STAGES);
        Self {
            profile,
            start: along.start,
            block: along.block,
            duration: along.duration,
            n,
            jacobian: Jacobian::new(along.mode.field.as_ref(), n, along.p, &[]),
            variation: Variation::default(),
            x: vec![0.0; n],
            f: vec![0.0; n],
            fx: vec![0.0; gauss.stages * n * n],
            transition: vec![0.0; n * n],
            gauss,
        }
    }

    /// The duration of interval `j`.
    fn width(&self, j: usize) -> f64 {
        (self.profile.mesh()[j + 1] - self.profile.mesh()[j]) * self.duration
    }

    /// Into `x` the state at a part of interval `j`.
    fn state(&mut self, j: usize, part: f64) {
        self.profile.eval_in(self.start, self.block, j, part, &mut self.x);
    }

    /// |J| at a part of interval `j`, in balanced units; J itself is the first in `fx`.
    fn rate(&mut self, j: usize, part: f64) -> f64 {
        let n = self.n;
        self.state(j, part);
        let own = &mut self.fx[..n * n];
        self.jacobian.at(&self.x, &mut self.f, own, &mut []);
        balance(own, n).1
    }

    /// Into `transition` the matrix over a part of interval `j`; the trace of J over it is added to `integral`.
    fn solve(&mut self, j: usize, begin: f64, width: f64, integral: &mut f64) -> Result<(), Failure> {
        self.jacobians(j, begin, width, integral);
        let h = self.width(j) * width;
        let solved = self.variation.transition(&self.gauss, self.n, &self.fx, h)?;
        self.transition.copy_from_slice(solved);
        Ok(())
    }

    /// The same, as sharply as what is interpolated must be known. Returns the integral of the trace.
    fn solve_sharply(&mut self, j: usize, begin: f64, width: f64) -> Result<f64, Failure> {
        let mut integral = 0.0;
        self.jacobians(j, begin, width, &mut integral);
        let h = self.width(j) * width;
        let solved = self.variation.transition_by_rates(&self.gauss, self.n, &self.fx, h)?;
        self.transition.copy_from_slice(solved);
        Ok(integral)
    }

    /// Into `fx` J at the stages of a step over a part of interval `j`; its trace is added to `integral`.
    fn jacobians(&mut self, j: usize, begin: f64, width: f64, integral: &mut f64) {
        let n = self.n;
        let h = self.width(j) * width;
        for i in 0..self.gauss.stages {
            self.state(j, begin + self.gauss.c[i] * width);
            let own = &mut self.fx[i * n * n..(i + 1) * n * n];
            self.jacobian.at(&self.x, &mut self.f, own, &mut []);
            let trace: f64 = (0..n).map(|d| own[d * n + d]).sum();
            *integral += self.gauss.b[i] * h * trace;
        }
    }

    /// Equal steps over a part of interval `j` that takes about `rate` of them, if what is interpolated between some of
    /// them is as good as what is solved.
    fn interpolated(&mut self, j: usize, (begin, width): (f64, f64), rate: f64) -> Result<Option<Stretch>, Failure> {
        let n = self.n;
        let entries = n * n + 1;
        let (units, _) = balance(&self.fx[..n * n], n);
        // As many steps as the fastest rate at the samples asks for. Where rates differ much there, halves take fewer.
        let points = chebyshev();
        let mut fastest = rate;
        for (point, _) in &points {
            let here = self.rate(j, begin + point * width) * self.width(j) * width / reach(MOST_STAGES);
            fastest = fastest.max(here);
        }
        if fastest > 2.0 * rate {
            return Ok(None);
        }
        let count = fastest.ceil();
        let step = width / count;
        let last = width - step;
        let mut stretch = Stretch {
            count: count as usize,
            points,
            samples: Vec::with_capacity(SAMPLES * entries),
        };
        for (point, _) in &points {
            let integral = self.solve_sharply(j, begin + point * last, step)?;
            stretch.samples.extend_from_slice(&self.transition);
            stretch.samples.push(integral);
        }
        let mut known = vec![0.0; entries];
        for part in COMPARED {
            let integral = self.solve_sharply(j, begin + part * last, step)?;
            stretch.at(part, &mut known);
            let scaled = |i: usize, v: f64| (v * units[i % n] / units[i / n]).abs();
            let (mut largest, mut difference) = (0.0f64, 0.0f64);
            for (i, (a, b)) in self.transition.iter().zip(&known).enumerate() {
                largest = largest.max(scaled(i, *a));
                difference = difference.max(scaled(i, a - b));
            }
            let trace = (integral - known[n * n]).abs();
            if !(difference <= ROUNDING * largest && trace <= ROUNDING * integral.abs().max(1.0)) {
                return Ok(None);
            }
        }
        Ok(Some(stretch))
    }

    /// Walk over a stretch of interval `j`. Returns ln |det| as followed, and the integral of the trace.
    fn follow(
        &mut self,
        j: usize,
        (begin, width): (f64, f64),
        stretch: &Stretch,
        each: &mut dyn FnMut(&[f64], &[f64]) -> Result<(), Failure>,
    ) -> Result<(f64, f64), Failure> {
        let square = self.n * self.n;
        let step = width / stretch.count as f64;
        let mut known = vec![0.0; square + 1];
        let (mut followed, mut integrated) = (0.0, 0.0);
        for k in 0..stretch.count {
            look();
            stretch.at(k as f64 / (stretch.count - 1) as f64, &mut known);
            followed += log_determinant(&known[..square], self.n);
            integrated += known[square];
            self.state(j, begin + (k + 1) as f64 * step);
            each(&self.x, &known[..square])?;
        }
        Ok((followed, integrated))
    }
}

/// Chebyshev points on [0, 1], each with its weight in the barycentric formula.
fn chebyshev() -> [(f64, f64); SAMPLES] {
    std::array::from_fn(|k| {
        let angle = (2 * k + 1) as f64 * PI / (2 * SAMPLES) as f64;
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        (0.5 - 0.5 * angle.cos(), sign * angle.sin())
    })
}

impl Stretch {
    /// What the samples tell at a part of the stretch.
    fn at(&self, part: f64, out: &mut [f64]) {
        let mut total = 0.0;
        out.fill(0.0);
        for ((point, weight), own) in self.points.iter().zip(self.samples.chunks_exact(out.len())) {
            let distance = part - point;
            if distance == 0.0 {
                out.copy_from_slice(own);
                return;
            }
            let weight = weight / distance;
            total += weight;
            for (o, v) in out.iter_mut().zip(own) {
                *o += weight * v;
            }
        }
        out.iter_mut().for_each(|o| *o /= total);
    }
}

/// ln |det| of a small matrix by rows.
pub(crate) fn log_determinant(matrix: &[f64], n: usize) -> f64 {
    nalgebra::DMatrix::from_row_slice(n, n, matrix).determinant().abs().ln()
}
