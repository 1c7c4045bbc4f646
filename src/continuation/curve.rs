//! Pseudo-arclength continuation as an iterator.

use super::{Failure, Meshes, Newton, NewtonOptions, Problem};

/// How far to step.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions {
    /// The first step, in scaled arclength.
    pub initial: f64,
    /// A step smaller than this ends the curve.
    pub smallest: f64,
    /// The largest step, in scaled arclength.
    pub largest: f64,
    /// The largest change of the parameter in one step.
    pub largest_parameter: f64,
    /// The turn of the tangent, in radians, that a step should make; steps with more than thrice this are repeated shorter.
    pub turn: f64,
    /// Newton's options.
    pub newton: NewtonOptions,
}

impl Default for StepOptions {
    fn default() -> Self {
        Self {
            initial: 0.01,
            smallest: 1e-12,
            largest: 0.05,
            largest_parameter: f64::INFINITY,
            turn: 0.1,
            newton: NewtonOptions::default(),
        }
    }
}

/// A point of a curve with its unit tangent (in the metric of the weights).
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The unknowns, parameters last.
    pub z: Vec<f64>,
    /// dz/ds, oriented along the direction of travel.
    pub tangent: Vec<f64>,
    /// The weights at this point.
    pub weights: Vec<f64>,
    /// The meshes that the unknowns refer to, if the problem has meshes.
    pub meshes: Option<Meshes>,
}

impl Point {
    /// The free parameter.
    pub fn parameter(&self) -> f64 {
        self.z.last().copied().unwrap_or(f64::NAN)
    }
    /// The parameter's component of the tangent; its sign change is a fold.
    pub fn parameter_rate(&self) -> f64 {
        self.tangent.last().copied().unwrap_or(f64::NAN)
    }
    /// Arclength coordinate of another point of the same discretisation: its offset along this point's tangent.
    pub fn arclength_to(&self, other: &Self) -> f64 {
        self.tangent
            .iter()
            .zip(&other.z)
            .zip(&self.z)
            .zip(&self.weights)
            .map(|(((t, b), a), w)| t * (b - a) * w)
            .sum()
    }
    /// The angle between the tangents here and at another point of the same discretisation, in the metric here.
    pub fn turn_to(&self, other: &Self) -> f64 {
        let (mut ab, mut bb) = (0.0, 0.0);
        for ((x, y), w) in self.tangent.iter().zip(&other.tangent).zip(&self.weights) {
            ab += x * y * w;
            bb += y * y * w;
        }
        (ab / bb.sqrt()).clamp(-1.0, 1.0).acos()
    }
    /// Scaled distance to another point of the same discretisation; infinite if the discretisations differ.
    pub fn distance(&self, other: &Self) -> f64 {
        if self.z.len() != other.z.len() {
            return f64::INFINITY;
        }
        let sum: f64 = self
            .z
            .iter()
            .zip(&other.z)
            .zip(&self.weights)
            .map(|((a, b), w)| (a - b) * (a - b) * w)
            .sum();
        sum.sqrt()
    }
}

/// What a tracer carries from one step to the next besides its last point.
#[derive(Clone, Debug, PartialEq)]
pub struct Stride {
    /// The step to try next.
    pub step: f64,
    /// The tangent that the last step set off along, and its length.
    pub previous: Option<(Vec<f64>, f64)>,
}

/// The tracer: holds the last point and the step to try next.
///
/// ```
/// use slipstick::continuation::{Curve, Failure, Problem, StepOptions};
/// struct Circle([f64; 2]);
/// impl Problem for Circle {
///     fn unknowns(&self) -> usize { 2 }
///     fn free(&self) -> usize { 1 }
///     fn weights(&self, _: &[f64], w: &mut [f64]) { w.fill(1.0) }
///     fn linearise(&mut self, z: &[f64], r: &mut [f64]) -> Result<(), Failure> {
///         r[0] = z[0] * z[0] + z[1] * z[1] - 1.0;
///         self.0 = [2.0 * z[0], 2.0 * z[1]];
///         Ok(())
///     }
///     fn solve(&mut self, b: &[f64], x: &mut [f64]) -> Result<(), Failure> {
///         let det = self.0[0] * b[1] - self.0[1] * b[0];
///         let (r, s) = (x[0], x[1]);
///         x[0] = (r * b[1] - self.0[1] * s) / det;
///         x[1] = (self.0[0] * s - r * b[0]) / det;
///         Ok(())
///     }
/// }
/// let mut circle = Circle([0.0; 2]);
/// let mut curve = Curve::start(&mut circle, vec![1.0, 0.0], 1.0, StepOptions::default())?;
/// let top = curve.by_ref().map_while(Result::ok).find(|p| p.parameter_rate() < 0.0);
/// assert!(top.is_some(), "the fold at the top of the circle is passed");
/// # Ok::<(), Failure>(())
/// ```
pub struct Curve<'p, P: Problem + ?Sized> {
    problem: &'p mut P,
    options: StepOptions,
    newton: Newton,
    point: Point,
    base: Option<Point>,
    previous: Option<(Vec<f64>, f64)>,
    /// The last point found between two others.
    recent: Option<Point>,
    step: f64,
    ended: bool,
}

impl<'p, P: Problem> Curve<'p, P> {
    /// Correct `guess` at fixed parameter and set off in the `direction` (±1) of the parameter.
    ///
    /// # Errors
    /// [`Failure`] when the guess does not converge.
    pub fn start(problem: &'p mut P, guess: Vec<f64>, direction: f64, options: StepOptions) -> Result<Self, Failure> {
        let mut newton = Newton::default();
        let mut z = guess;
        let n = z.len();
        let mut fixed = vec![0.0; n];
        fixed[n - 1] = 1.0;
        let anchor = z.clone();
        newton.solve(problem, &mut z, &fixed, &anchor, &[0.0], &options.newton)?;
        let point = tangent_at(problem, z, &fixed, direction)?;
        Ok(Self::resume(problem, point, options))
    }

    /// Go on from a known point along its tangent; the problem is linearised there.
    pub fn resume(problem: &'p mut P, point: Point, options: StepOptions) -> Self {
        Self {
            problem,
            newton: Newton::default(),
            step: options.initial,
            options,
            point,
            base: None,
            previous: None,
            recent: None,
            ended: false,
        }
    }

    /// What the next step will be made of besides the last point.
    pub fn stride(&self) -> Stride {
        Stride {
            step: self.step,
            previous: self.previous.clone(),
        }
    }

    /// Take up a curve where it was left: at `point`, with its stride. The next steps are those of an unbroken curve, to the last bit.
    pub fn take_up(&mut self, point: Point, stride: Stride) {
        self.problem.restore(&point.meshes);
        self.point = point;
        self.base = None;
        self.recent = None;
        self.step = stride.step;
        self.previous = stride.previous;
        self.ended = false;
    }

    /// The last point.
    pub fn point(&self) -> &Point {
        &self.point
    }

    /// The point the last step set off from, on the discretisation of that step; before the first step, the start.
    pub fn base(&self) -> &Point {
        self.base.as_ref().unwrap_or(&self.point)
    }

    /// Step control.
    pub fn options(&self) -> StepOptions {
        self.options
    }

    /// The problem, linearised at the last point that was computed.
    pub fn problem(&mut self) -> &mut P {
        self.problem
    }

    /// The point at arclength `s` from the point `from`, by predictor and corrector. The problem is linearised there afterwards.
    ///
    /// # Errors
    /// [`Failure`] when Newton's iteration fails.
    pub fn between(&mut self, from: &Point, s: f64) -> Result<Point, Failure> {
        // From the nearest point known: the one it set off from, the last of the curve, or the last of a search that closes in on something.
        let (mut start, mut offset) = (from, 0.0);
        for known in std::iter::once(&self.point).chain(&self.recent) {
            if known.z.len() == from.z.len() && known.meshes == from.meshes {
                let at = from.arclength_to(known);
                if (s - at).abs() < (s - offset).abs() && from.distance(known) < 2.0 * s.abs().max(at.abs()) {
                    (start, offset) = (known, at);
                }
            }
        }
        let rate: f64 = from
            .tangent
            .iter()
            .zip(&start.tangent)
            .zip(&from.weights)
            .map(|((a, b), w)| a * b * w)
            .sum();
        let h = (s - offset) / rate;
        let guess: Vec<f64> = start.z.iter().zip(&start.tangent).map(|(z, t)| z + h * t).collect();
        let found = self.correct(from, s, guess)?;
        self.recent = Some(found.clone());
        Ok(found)
    }

    fn correct(&mut self, from: &Point, s: f64, mut z: Vec<f64>) -> Result<Point, Failure> {
        let row: Vec<f64> = from.tangent.iter().zip(&from.weights).map(|(t, w)| t * w).collect();
        self.newton
            .solve(self.problem, &mut z, &row, &from.z, &[s], &self.options.newton)?;
        tangent_at(self.problem, z, &row, 1.0)
    }

    /// Take back the last step and prepare a shorter one; false when it would be shorter than allowed.
    fn shorten(&mut self) -> bool {
        self.step *= 0.5;
        self.step >= self.options.smallest
    }

    fn advance(&mut self) -> Result<Point, Failure> {
        let from = self.point.clone();
        self.recent = None;
        loop {
            let rate = from.parameter_rate().abs();
            let cap = if rate > 0.0 {
                self.options.largest_parameter / rate
            } else {
                f64::INFINITY
            };
            let h = self.step.min(self.options.largest).min(cap);
            self.step = h;
            let mut guess: Vec<f64> = from.z.iter().zip(&from.tangent).map(|(z, t)| z + h * t).collect();
            if let Some((tangent, before)) = &self.previous
                && tangent.len() == guess.len()
            {
                let bend = 0.5 * h * h / before;
                for ((g, t), u) in guess.iter_mut().zip(&from.tangent).zip(tangent) {
                    *g += bend * (t - u);
                }
            }
            let failure = match self.correct(&from, h, guess) {
                // Next to a fold the tangent says little about the change of the parameter.
                Ok(next) if (next.parameter() - from.parameter()).abs() > 1.0001 * self.options.largest_parameter => {
                    None
                }
                Ok(next) => {
                    let turn = from.turn_to(&next);
                    if turn <= 3.0 * self.options.turn || h <= 1e3 * self.options.smallest {
                        self.previous = Some((from.tangent, h));
                        let effort = self.newton.report.updates.len();
                        let wish = (self.options.turn / turn.max(1e-3 * self.options.turn)).clamp(0.4, 2.0);
                        self.step = h * if effort > 5 { wish.min(0.7) } else { wish };
                        return Ok(next);
                    }
                    None
                }
                Err(f) => Some(f),
            };
            if !self.shorten() {
                return Err(failure.unwrap_or_else(|| {
                    Failure::Evaluation("the curve turns more sharply than the smallest step can follow".into())
                }));
            }
        }
    }
}

impl<P: Problem> Iterator for Curve<'_, P> {
    type Item = Result<Point, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match self.settle().and_then(|()| self.advance()) {
            Ok(point) => {
                self.base = Some(std::mem::replace(&mut self.point, point.clone()));
                Some(Ok(point))
            }
            Err(e) => {
                self.ended = true;
                Some(Err(e))
            }
        }
    }
}

impl<P: Problem> Curve<'_, P> {
    /// Let the problem refresh its phase condition or mesh at the point a step sets off from; a new discretisation is corrected first.
    fn settle(&mut self) -> Result<(), Failure> {
        let Point { z, tangent, .. } = &mut self.point;
        if !self.problem.accept(z, tangent) {
            return Ok(());
        }
        self.previous = None;
        self.point.weights.resize(self.point.z.len(), 0.0);
        self.problem.weights(&self.point.z, &mut self.point.weights);
        let from = self.point.clone();
        let guess = from.z.clone();
        self.point = self.correct(&from, 0.0, guess)?;
        Ok(())
    }
}

/// The unit tangent at a zero where the problem is linearised: the solution of `[F'; row] t = (0, 1)`, oriented along `direction · row`.
pub(crate) fn tangent_at<P: Problem + ?Sized>(
    problem: &mut P,
    z: Vec<f64>,
    row: &[f64],
    direction: f64,
) -> Result<Point, Failure> {
    let n = z.len();
    let mut tangent = vec![0.0; n];
    tangent[n - 1] = 1.0;
    problem.solve(row, &mut tangent)?;
    let mut weights = vec![0.0; n];
    problem.weights(&z, &mut weights);
    let length = tangent.iter().zip(&weights).map(|(t, w)| t * t * w).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return Err(Failure::Evaluation("the curve has no tangent here".into()));
    }
    let scale = direction.signum() / length;
    tangent.iter_mut().for_each(|t| *t *= scale);
    Ok(Point {
        z,
        tangent,
        weights,
        meshes: problem.meshes(),
    })
}
