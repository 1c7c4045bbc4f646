//! Pseudo-arclength continuation as an iterator.

mod crowded;
mod on_meshes;

use super::family::enter_family;
use super::hermite::hermite_weights;
use super::point::{Point, tangent_at};
use super::singular_start::at_fold;
use super::{Failure, Newton, NewtonOptions, Problem};
use slipstick_numerics::stop::look;

/// How far to step.
///
/// ```
/// use slipstick_continuation::StepOptions;
/// // Points nearer to each other where the curve bends.
/// let fine = StepOptions { turn: 0.05, ..StepOptions::default() };
/// assert!(fine.turn < StepOptions::default().turn && fine.smallest < fine.initial);
/// ```
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
    /// The turn of the tangent, in radians, that a step should make; steps with more than thrice this, or more than
    /// [`StepOptions::MOST_TURN`], are repeated shorter.
    pub turn: f64,
    /// Newton's options.
    pub newton: NewtonOptions,
}

impl StepOptions {
    /// The most that the tangent turns in a step, in radians, however much of a turn is asked for. What happens between
    /// two points is located on the curve that both tell of: with longer steps that is another one.
    pub const MOST_TURN: f64 = 0.3;

    /// Steps that turn by more are repeated shorter.
    fn most_turn(&self) -> f64 {
        (3.0 * self.turn).min(Self::MOST_TURN)
    }

    /// The turn that is aimed at: so far below the most that steps are seldom repeated.
    fn aim(&self) -> f64 {
        const LARGEST: f64 = 0.25;
        self.turn.min(LARGEST)
    }
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

/// How often the discretisation may be changed at one point.
const REFITS: usize = 4;
/// How often a step is shortened because the discretisation does not fit its end; then the end is taken and the
/// discretisation changed there.
const MISFITS: usize = 3;
/// How many lengths of a step, each half of the one before, are given up for others where it ends next to a singular
/// place.
const DETOURS: usize = 4;
/// By how much a step may grow, and by how much after one that was shortened; the next one by the square of that, and
/// so on. Without that the length that was given up would be tried again, and given up, at every point.
const GROWTH: f64 = 2.0;
const CAREFUL: f64 = 1.1;
/// How many points before the last the predictor uses.
const PREVIOUS: usize = 2;
/// The least cosine between the tangents at the last point and at one that the predictor uses.
const LEAST_ALIGNMENT: f64 = 0.5;
/// What a tracer carries from one step to the next besides its last point.
///
/// ```
/// use slipstick_continuation::{Curve, StepOptions};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let mut curve = Curve::start(&mut rest, vec![1.0, 1.0], -1.0, StepOptions::default())?;
/// curve.nth(3).ok_or("it ends early")??;
/// // Where it stands and with what stride: enough to take the next step again, to the last bit.
/// let (at, stride) = (curve.point().clone(), curve.stride());
/// let next = curve.next().ok_or("it ends early")??;
/// let mut again = Curve::resume(&mut rest, at.clone(), StepOptions::default());
/// again.take_up(at, stride);
/// assert_eq!(again.next().ok_or("it ends early")??.z, next.z);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stride {
    /// The step to try next.
    pub step: f64,
    /// By how much the last step was allowed to grow: less than usual where steps had to be shortened.
    pub growth: f64,
    /// The unknowns and the tangents of the points before the last, nearest first, on the discretisation of the last.
    pub previous: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Stride {
    /// A first step of this length, of which nothing is known yet.
    pub fn first(step: f64) -> Self {
        Self {
            step,
            growth: GROWTH,
            previous: vec![],
        }
    }
}

/// The tracer: holds the last point and the step to try next.
///
/// ```
/// use slipstick_continuation::{Curve, Failure, Problem, StepOptions};
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
    /// The points before, nearest first, on the discretisation of the last.
    previous: Vec<Point>,
    /// The last point found between two others.
    recent: Option<Point>,
    step: f64,
    growth: f64,
    /// Is the last point that was computed right to rounding, however much errors of the equations are enlarged there?
    sharp: bool,
    ended: bool,
}

impl<'p, P: Problem + ?Sized> Curve<'p, P> {
    /// Correct `guess` at fixed parameter and set off in the `direction` (±1) of the parameter. Where a family of
    /// solutions exists at that one value, Newton's matrix is singular; the problem then holds its parameter, and the
    /// curve is the family.
    ///
    /// # Errors
    /// [`Failure`] when the guess does not converge.
    pub fn start(problem: &'p mut P, guess: Vec<f64>, direction: f64, options: StepOptions) -> Result<Self, Failure> {
        let mut newton = Newton::default();
        let patient = NewtonOptions {
            rests: true,
            ..options.newton
        };
        let mut at_parameter = |problem: &mut P, mut z: Vec<f64>| {
            let mut fixed = vec![0.0; z.len()];
            fixed[z.len() - 1] = 1.0;
            let anchor = z.clone();
            newton.solve(problem, &mut z, &fixed, &anchor, &[0.0], &patient)?;
            tangent_at(problem, z, &fixed, direction)
        };
        problem.release_parameter();
        let mut point = match at_parameter(problem, guess.clone()) {
            // Among solutions that fill a continuum, rounding decides whether Newton's method comes to rest.
            Ok(point) if is_nearly_singular(problem, &point) => {
                match enter_family(problem, &point.z, direction, &options.newton) {
                    Some(point) => return Ok(Self::resume(problem, point, options)),
                    None => at_parameter(problem, point.z)?,
                }
            }
            Ok(point) => point,
            Err(failure) => {
                let family = enter_family(problem, &guess, direction, &options.newton).ok_or(failure)?;
                return Ok(Self::resume(problem, family, options));
            }
        };
        for _ in 0..REFITS {
            if !problem.accept(&mut point.z, &mut point.tangent) {
                break;
            }
            point = at_parameter(problem, point.z)?;
        }
        Ok(Self::resume(problem, point, options))
    }

    /// As [`Curve::start`], also where the guess is a fold, at which no correction at fixed parameter is possible: the
    /// `direction` is one along the curve then.
    ///
    /// # Errors
    /// [`Failure`] when the guess neither converges nor is a solution, or several curves meet there.
    pub fn start_at_fold_too(
        problem: &'p mut P,
        guess: Vec<f64>,
        direction: f64,
        options: StepOptions,
    ) -> Result<Self, Failure> {
        let meshes = problem.meshes();
        let started = Curve::start(&mut *problem, guess.clone(), direction, options);
        let point = match started.map(|curve| curve.point) {
            Ok(point) => point,
            Err(failure) => {
                // The attempt may have changed the meshes that the guess lies on.
                if problem.meshes() != meshes {
                    problem.restore(&meshes);
                }
                at_fold(problem, &guess, direction, &options.newton, failure)?
            }
        };
        Ok(Self::resume(problem, point, options))
    }

    /// Go on from a known point along its tangent; the problem is linearised there.
    pub fn resume(problem: &'p mut P, point: Point, options: StepOptions) -> Self {
        Self {
            problem,
            newton: Newton::default(),
            step: options.initial,
            growth: GROWTH,
            options,
            point,
            base: None,
            previous: vec![],
            recent: None,
            sharp: false,
            ended: false,
        }
    }

    /// What the next step will be made of besides the last point.
    pub fn stride(&self) -> Stride {
        Stride {
            step: self.step,
            growth: self.growth,
            previous: self.previous.iter().map(|p| (p.z.clone(), p.tangent.clone())).collect(),
        }
    }

    /// Take up a curve where it was left: at `point`, with its stride. The next steps are those of an unbroken curve,
    /// to the last bit.
    pub fn take_up(&mut self, point: Point, stride: Stride) {
        self.problem.restore(&point.meshes);
        self.point = point;
        self.base = None;
        self.recent = None;
        self.step = stride.step;
        self.growth = stride.growth;
        let problem = &self.problem;
        let meshes = &self.point.meshes;
        let restored = stride.previous.into_iter().map(|(z, tangent)| {
            let mut weights = vec![0.0; z.len()];
            problem.weights(&z, &mut weights);
            Point {
                z,
                tangent,
                weights,
                meshes: meshes.clone(),
            }
        });
        self.previous = restored.collect();
        self.ended = false;
    }

    /// Smaller turns and shorter steps from now on.
    pub fn slow_down(&mut self) {
        self.options.turn *= 0.5;
        self.options.largest *= 0.5;
    }

    /// The last point.
    pub fn point(&self) -> &Point {
        &self.point
    }

    /// The point the last step set off from, on the discretisation of that step; before the first step, the start.
    pub fn base(&self) -> &Point {
        self.base.as_ref().unwrap_or(&self.point)
    }

    /// The points before the base of the last step, nearest first, on the discretisation of that step.
    pub fn earlier(&self) -> &[Point] {
        self.previous.get(1..).unwrap_or(&[])
    }

    /// Step control.
    pub fn options(&self) -> StepOptions {
        self.options
    }

    /// The problem, to be asked.
    pub fn problem_ref(&self) -> &P {
        self.problem
    }

    /// The problem, linearised at the last point that was computed.
    pub fn problem(&mut self) -> &mut P {
        self.problem
    }

    /// The point at arclength `s` from the point `from`, by predictor and corrector. The problem is linearised there
    /// afterwards.
    ///
    /// # Errors
    /// [`Failure`] when Newton's iteration fails.
    pub fn between(&mut self, from: &Point, s: f64) -> Result<Point, Failure> {
        // From the last point found if that is near, as in a search that closes in on something; else along the cubic
        // to the last point of the curve.
        let same = |known: &&Point| known.z.len() == from.z.len() && known.meshes == from.meshes;
        let end = same(&&self.point).then(|| from.arclength_to(&self.point));
        let recent = self.recent.as_ref().filter(same).map(|r| (r, s - from.arclength_to(r)));
        let room = end.map_or(s.abs(), |e| s.abs().min((e - s).abs()));
        let guess = match (recent, end) {
            (Some((r, gap)), _) if gap.abs() < 0.1 * room && from.distance(r) < 2.0 * s.abs() => {
                let h = gap / from.alignment(r);
                r.z.iter().zip(&r.tangent).map(|(z, t)| z + h * t).collect()
            }
            (_, Some(end)) if end != 0.0 && from.distance(&self.point) < 2.0 * end.abs() => from.cubic(&self.point, s),
            _ => from.z.iter().zip(&from.tangent).map(|(z, t)| z + s * t).collect(),
        };
        let found = self.onto(from, s, guess)?;
        self.recent = Some(found.clone());
        Ok(found)
    }

    /// The point at arclength `s` from the point `from`, corrected from a guess until what is left is rounding. The
    /// problem is linearised there afterwards.
    ///
    /// # Errors
    /// [`Failure`] when Newton's iteration fails.
    pub fn onto(&mut self, from: &Point, s: f64, guess: Vec<f64>) -> Result<Point, Failure> {
        let options = NewtonOptions {
            polish: true,
            ..self.options.newton
        };
        match self.correct_with(from, s, guess.clone(), &options) {
            Err(Failure::Singular(singular)) => self.across(from, s, &guess, &options).ok_or(singular.into()),
            found => found,
        }
    }

    /// The point at arclength `s` where another curve crosses just there, so that the matrix is singular: in the middle
    /// between two points beside it.
    fn across(&mut self, from: &Point, s: f64, guess: &[f64], options: &NewtonOptions) -> Option<Point> {
        /// So far beside it in arclength: what the curve bends over that is rounding.
        const BESIDE: f64 = 1e-7;
        let [before, after] = [-BESIDE, BESIDE].map(|by| {
            let start = guess.iter().zip(&from.tangent).map(|(z, t)| z + by * t).collect();
            self.correct_with(from, s + by, start, options)
        });
        let (before, after) = (before.ok()?, after.ok()?);
        if before.z.len() != after.z.len() || before.distance(&after) > 4.0 * BESIDE {
            return None;
        }
        let mut point = before;
        let mean = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a = 0.5 * (*a + b));
        mean(&mut point.z, &after.z);
        mean(&mut point.tangent, &after.tangent);
        let mut residual = vec![0.0; self.problem.unknowns() - self.problem.free()];
        self.problem.linearise(&point.z, &mut residual).ok()?;
        Some(point)
    }

    fn correct(&mut self, from: &Point, s: f64, z: Vec<f64>) -> Result<Point, Failure> {
        self.correct_with(from, s, z, &self.options.newton.clone())
    }

    fn correct_with(
        &mut self,
        from: &Point,
        s: f64,
        mut z: Vec<f64>,
        options: &NewtonOptions,
    ) -> Result<Point, Failure> {
        self.go_to_meshes(&from.meshes);
        let row: Vec<f64> = from.tangent.iter().zip(&from.weights).map(|(t, w)| t * w).collect();
        let outcome = self.newton.solve(self.problem, &mut z, &row, &from.z, &[s], options);
        self.sharp = false;
        if self.is_spoilt(from, &outcome) {
            self.solve_again(from, s, &mut z, options, outcome)?;
        } else {
            outcome?;
        }
        tangent_at(self.problem, z, &row, 1.0)
    }

    /// Take back the last step and prepare a shorter one; false when it would be shorter than allowed.
    fn shorten(&mut self) -> bool {
        self.growth = CAREFUL;
        self.step *= 0.5;
        self.step >= self.options.smallest
    }

    fn advance(&mut self) -> Result<Point, Failure> {
        let from = self.point.clone();
        self.recent = None;
        let longest = self.problem.longest_step(&from.tangent, &from.weights);
        let (mut misfits, mut detours) = (0, DETOURS);
        self.growth = (self.growth * self.growth).min(GROWTH);
        loop {
            look();
            let rate = from.parameter_rate().abs();
            let cap = if rate > 0.0 {
                self.options.largest_parameter / rate
            } else {
                f64::INFINITY
            };
            let h = self.step.min(self.options.largest).min(cap).min(longest);
            self.step = h;
            let guess = self.predict(&from, h);
            let failure = match self.correct(&from, h, guess) {
                // Next to a fold the tangent says little about the change of the parameter.
                Ok(next) if (next.parameter() - from.parameter()).abs() > 1.0001 * self.options.largest_parameter => {
                    None
                }
                Ok(next) => {
                    let turn = from.turn_to(&next);
                    let fits = misfits == MISFITS || self.problem.fits(&next.z);
                    misfits += usize::from(!fits);
                    let stays = self.stays(&from, &next, turn) && !self.may_have_changed(&from);
                    if (turn <= self.options.most_turn() && fits && stays) || h <= 1e3 * self.options.smallest {
                        let clear = (detours > 0)
                            .then(|| self.past_crowded(&from, h, Some(&next)))
                            .flatten();
                        let (next, h) = clear.unwrap_or((next, h));
                        return Ok(self.arrive(from, next, h));
                    }
                    None
                }
                Err(f) => Some(f),
            };
            if detours > 0
                && let Some((next, h)) = self.past_crowded(&from, h, None)
            {
                return Ok(self.arrive(from, next, h));
            }
            detours = detours.saturating_sub(1);
            if !self.shorten() {
                return Err(failure.unwrap_or_else(|| {
                    Failure::Evaluation("the curvature is too large for the smallest step".into())
                }));
            }
        }
    }

    /// The step of length `h` to `next` is taken: what the next one will be.
    fn arrive(&mut self, from: Point, next: Point, h: f64) -> Point {
        let turn = from.turn_to(&next);
        self.previous.truncate(PREVIOUS - 1);
        self.previous.insert(0, from);
        let effort = self.newton.report.updates.len();
        let aim = self.options.aim();
        let wish = (aim / turn.max(1e-3 * aim)).clamp(0.4, self.growth);
        self.step = h * if effort > 5 { wish.min(0.7) } else { wish };
        next
    }

    /// Do the ends of a step and their tangents lie on one smooth curve? There the chord is the mean of the tangents,
    /// but for a twelfth of the change of the curvature: a small part of the turn here or on the step before. Two
    /// curves that run side by side have the same tangents and another chord.
    fn stays(&self, from: &Point, next: &Point, turn: f64) -> bool {
        /// The part of the turn.
        const PART: f64 = 0.4;
        /// Errors of points, relative to their sizes, that Newton's tolerance may leave, and turns too small to tell.
        const ERROR: f64 = 10.0;
        const STRAIGHT: f64 = 1e-5;
        let h = from.arclength_to(next);
        let along = from.alignment(next);
        let (known, new) = (from.z.iter().zip(&from.tangent), next.z.iter().zip(&next.tangent));
        let off = known.zip(new).zip(&from.weights).map(|(((a, s), (b, t)), w)| {
            let d = b - a - 0.5 * h * (s + t / along);
            d * d * w
        });
        let off = off.sum::<f64>().sqrt();
        let usual = self
            .previous
            .first()
            .filter(|p| p.z.len() == from.z.len())
            .map_or(0.0, |p| {
                let stride = from.arclength_to(p).abs();
                if stride > 0.0 {
                    p.turn_to(from) * (h / stride).min(2.0)
                } else {
                    0.0
                }
            });
        off <= (PART * turn.max(usual) + STRAIGHT) * h + ERROR * self.options.newton.tolerance
    }

    /// The predictor: Hermite's polynomial through the last points with their tangents, continued by `h`; its degree is
    /// five once there are two points before, one without any.
    fn predict(&self, from: &Point, h: f64) -> Vec<f64> {
        // Arclength along the tangent here, in which the other tangents have the length 1/alignment.
        let near = |p: &&Point| p.z.len() == from.z.len() && from.alignment(p) > LEAST_ALIGNMENT;
        let known: Vec<&Point> = self.previous.iter().take_while(near).collect();
        let mut nodes = vec![0.0];
        nodes.extend(known.iter().map(|p| from.arclength_to(p)));
        let (values, slopes) = hermite_weights(&nodes, h);
        let mut z: Vec<f64> = from
            .z
            .iter()
            .zip(&from.tangent)
            .map(|(z, t)| z + slopes[0] * t)
            .collect();
        for (i, p) in known.iter().enumerate() {
            let (value, slope) = (values[i + 1], slopes[i + 1] / from.alignment(p));
            for (z, ((at, t), here)) in z.iter_mut().zip(p.z.iter().zip(&p.tangent).zip(&from.z)) {
                *z += value * (at - here) + slope * t;
            }
        }
        z
    }
}

impl<P: Problem + ?Sized> Iterator for Curve<'_, P> {
    type Item = Result<Point, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match self.adapt().and_then(|()| self.advance()) {
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

/// Is F' at fixed parameter singular, to rounding, at a point where the problem is linearised?
fn is_nearly_singular<P: Problem + ?Sized>(problem: &mut P, at: &Point) -> bool {
    /// Scaled updates to residuals of order one; rounding is amplified as much.
    const LARGE: f64 = 1e8;
    let n = at.z.len();
    let mut fixed = vec![0.0; n];
    fixed[n - 1] = 1.0;
    let mut update: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (1.7 * i as f64).sin()).collect();
    update[n - 1] = 0.0;
    let solved = problem.solve(&fixed, &mut update);
    let large = |(u, w): (&f64, &f64)| (u * w.sqrt()).abs() > LARGE;
    solved.is_err() || update.iter().zip(&at.weights).any(large)
}
