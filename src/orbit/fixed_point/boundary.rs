//! Boundary equilibria: where an equilibrium reaches a guard of its mode, and how its curve goes on.
//!
//! At a surface across which the field jumps, an equilibrium of the field of one side is one of the sliding motion,
//! too: with A = ∂f/∂x there, the gradient n of the switching function towards the side of f and the field g of the
//! other side, regular equilibria and pseudo-equilibria lie on opposite sides of the critical parameter (persistence)
//! if n·A⁻¹g < 0, and on the same (nonsmooth fold) if n·A⁻¹g > 0. (M. di Bernardo, C. J. Budd, A. R. Champneys,
//! P. Kowalczyk, *Piecewise-smooth dynamical systems*, 2008, chapter 5.)

use super::FixedPoint;
use super::boundary_cycles::{Passage, born_in_plane};
use super::guards;
use nalgebra::{DMatrix, DVector};
use slipstick_bifurcation::Inspect;
use slipstick_continuation::{Newton, NewtonOptions, Point, Problem, tangent_at};
use slipstick_system::{Function, Mode, ModeKind, System, jacobian};

/// What vanishes up to this, relative to the terms that it is made of, is zero: the place is located to 1e-12 of a
/// step.
const ZERO: f64 = 1e-8;

/// What is said of pseudo-equilibria where both fields point away from the surface.
pub(super) const ESCAPING: &str = "; the pseudo-equilibria lie in an escaping region, where the motion is not unique forward in time (NU): they are unstable";

/// Beyond the boundary equilibrium: the mode that the curve goes on in, and the point with the tangent that leads on.
///
/// ```
/// use slipstick_bifurcation::{End, TraceOptions, Tracer};
/// use slipstick_orbit::{FixedPoint, beyond_bound};
/// use slipstick_study as study;
/// // Rest at y = a on the side y > 0; for a < 0 it is on the surface.
/// let text = r#"Study(title: "t", system: Filippov(states: ["x", "y"], parameters: {"a": 1}, surfaces: {"h": "y"},
///     fields: {"+": ["x' = -x", "y' = a - y"], "-": ["x' = -x", "y' = 1"]}, start: {"y": 1}))"#;
/// let plan = study::parse("surface.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let mut rest = FixedPoint::equilibrium(system, 0, vec![1.0], vec![0]);
/// let downwards = TraceOptions { directions: vec![-1.0], ..TraceOptions::over((-1.0, 1.0)) };
/// let branch = Tracer::new(&mut rest, &downwards).from_guess(vec![0.0, 1.0, 1.0])?;
/// let Some(End::Boundary { inequality, .. }) = branch.ends.last() else { panic!("it ends at the surface") };
/// let last = branch.points.last().ok_or("no points")?;
/// let beyond = beyond_bound(&mut rest, &last.point, *inequality).ok_or("no guard")??;
/// assert_eq!(beyond.mode, "h0");
/// assert!(beyond.place[2].abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BeyondBound<'s> {
    /// The equilibria of that mode.
    pub problem: FixedPoint<'s>,
    /// Where their curve begins.
    pub start: Point,
    /// The boundary equilibrium in the mode that is left, corrected onto the guard.
    pub place: Vec<f64>,
    /// The mode that the curve goes on in.
    pub mode: String,
    /// What is known of it: the criterion, and what is born there.
    pub details: String,
    /// Does the jump of the field across the surface vanish there? Then equilibria of both sides meet, and
    /// pseudo-equilibria with them.
    pub without_jump: bool,
}

/// Why a curve of equilibria does not go on beyond a guard.
///
/// ```
/// use slipstick_orbit::EndsAtBound;
/// let end = EndsAtBound::Virtual { mode: "slip0".into(), event: "leave".into() };
/// assert!(end.to_string().contains("the equilibria in mode `slip0` are not admissible"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndsAtBound {
    /// No mode beyond has an equilibrium there.
    #[error("beyond it no mode has an equilibrium nearby, and the curve ends")]
    NothingBeyond,
    /// A mode has equilibria there, which are virtual on both sides.
    #[error(
        "beyond it the equilibria in mode `{mode}` are not admissible: they lie beyond the guard of `{event}`; the curve ends"
    )]
    Virtual {
        /// The mode.
        mode: String,
        /// What bounds it.
        event: String,
    },
}

/// The event of the mode at whose guard inequality number `inequality` vanishes, if it is one of a guard.
fn event_of(problem: &FixedPoint<'_>, inequality: usize) -> Option<usize> {
    let bounds = guards::bounds(problem);
    let others = problem.inequalities().len() - bounds.len();
    bounds.get(inequality.checked_sub(others)?).copied()
}

/// The event of the mode whose guard the equilibrium at `z` lies on.
pub fn bound_reached(problem: &FixedPoint<'_>, z: &[f64]) -> Option<usize> {
    guards::bounds(problem)
        .into_iter()
        .find(|&event| lies_on(problem, event, z))
}

/// Is the height over a guard no more than rounding beside its change over the sizes of the unknowns?
fn lies_on(problem: &FixedPoint<'_>, event: usize, z: &[f64]) -> bool {
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let gradient = guards::gradient(problem, event, z);
    let size: f64 = gradient.iter().zip(&sizes).map(|(g, s)| (g * s).abs()).sum();
    guards::height(problem, event, z).abs() <= ZERO * size
}

/// How the curve of equilibria goes on beyond the guard at which inequality number `inequality` vanishes; `None` where
/// the inequality is none of a guard.
///
/// # Errors
/// [`EndsAtBound`] where it does not go on.
pub fn beyond_bound<'s>(
    problem: &mut FixedPoint<'s>,
    at: &Point,
    inequality: usize,
) -> Option<Result<BeyondBound<'s>, EndsAtBound>> {
    let event = event_of(problem, inequality)?;
    problem.take_parameters(&at.z);
    let place = placed(problem, &at.z, event).unwrap_or_else(|| at.z.clone());
    problem.take_parameters(&place);
    let mut why = EndsAtBound::NothingBeyond;
    for (mode, x) in candidates(problem, event, &place) {
        let mut next = FixedPoint::equilibrium(problem.system, mode, problem.parameters.clone(), problem.free.clone());
        next.parameter_scales.clone_from(&problem.parameter_scales);
        let z = next.guess(&x);
        next.take_sizes(problem, &z);
        let Some(size) = residual_size(&mut next, &z) else {
            continue;
        };
        if size > ZERO {
            continue;
        }
        let states = &problem.system.modes[mode];
        let (met, others): (Vec<usize>, Vec<usize>) =
            guards::bounds(&next).into_iter().partition(|&k| lies_on(&next, k, &z));
        // Both fields may point away from the surface: there the motion slides, but not stably.
        next.escaping = states.kind == ModeKind::Stick
            && !others.is_empty()
            && others.iter().all(|&k| guards::height(&next, k, &z) < 0.0);
        if let Some(&passed) = others.iter().find(|&&k| guards::height(&next, k, &z) < 0.0) {
            why = EndsAtBound::Virtual {
                mode: states.name.clone(),
                event: states.events[passed].name.clone(),
            };
            continue;
        }
        let rates: Vec<Vec<f64>> = met.iter().map(|&k| guards::gradient(&next, k, &z)).collect();
        let Some(start) = rates.first().and_then(|row| leads_into(&mut next, &z, row, &rates)) else {
            continue;
        };
        let (mut details, without_jump) = details(problem, &place, mode, &x).unwrap_or_default();
        if next.escaping {
            details.push_str(ESCAPING);
        }
        return Some(Ok(BeyondBound {
            mode: states.name.clone(),
            problem: next,
            start,
            place,
            details,
            without_jump,
        }));
    }
    Some(Err(why))
}

impl FixedPoint<'_> {
    /// Take the sizes that the states of another mode have had: at its boundary all of them may be zero.
    fn take_sizes(&mut self, other: &FixedPoint<'_>, z: &[f64]) {
        let system = self.system;
        let (own, known) = (&system.modes[self.mode].states, &system.modes[other.mode].states);
        for (scale, state) in self.scale.iter_mut().zip(own) {
            if let Some(there) = known.iter().position(|s| s == state) {
                *scale = scale.max(other.scale[there]);
            }
        }
        self.measure_lengths(z);
    }
}

/// The equilibrium near `z` at which a guard vanishes.
fn placed(problem: &mut FixedPoint<'_>, z: &[f64], event: usize) -> Option<Vec<f64>> {
    /// Guards may be curved: so often their zero is found anew.
    const ROUNDS: usize = 3;
    let mut at = z.to_vec();
    for _ in 0..ROUNDS {
        problem.take_parameters(&at);
        let (row, anchor) = (guards::gradient(problem, event, &at), at.clone());
        let level = -guards::height(problem, event, &at);
        let options = NewtonOptions::default();
        Newton::default()
            .solve(problem, &mut at, &row, &anchor, &[level], &options)
            .ok()?;
    }
    Some(at)
}

/// Modes that may have an equilibrium at the same place: those that the guard's events lead to, and those that an
/// event leads back from.
pub(super) fn candidates(problem: &FixedPoint<'_>, event: usize, z: &[f64]) -> Vec<(usize, Vec<f64>)> {
    let (system, own) = (problem.system, problem.mode);
    let mode = &system.modes[own];
    let (x, p) = (problem.point(z, 0), &problem.parameters);
    let full = system.full_state(own, x, p);
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let mut found: Vec<(usize, Vec<f64>)> = vec![];
    for k in guards::sharing(mode, event) {
        let event = &mode.events[k];
        let holds = event.when.iter().all(|w| guards::holds(w, x, p, &sizes[..problem.n]));
        if event.target == own || !holds {
            continue;
        }
        let mut there = system.own_states(event.target, &full);
        if let Some(reset) = &event.reset {
            reset.value(x, p, &mut there);
        }
        found.push((event.target, there));
    }
    for (k, other) in system.modes.iter().enumerate() {
        let leads_here = |e: &slipstick_system::Event| e.target == own && e.reset.is_none();
        if k != own && other.events.iter().any(leads_here) && !found.iter().any(|(known, _)| *known == k) {
            found.push((k, system.own_states(k, &full)));
        }
    }
    found.retain(|(k, there)| {
        let back = system.full_state(*k, there, p);
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= ZERO * (1.0 + a.abs().max(b.abs()));
        !there.is_empty() && back.iter().zip(&full).all(same)
    });
    found
}

/// What is left of the equations at `z`, relative to their terms.
pub(super) fn residual_size(problem: &mut FixedPoint<'_>, z: &[f64]) -> Option<f64> {
    let mut residual = vec![0.0; z.len() - problem.free.len()];
    problem.linearise(z, &mut residual).ok()?;
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let rows = problem.jacobian.chunks_exact(z.len());
    let terms = rows.map(|row| row.iter().zip(&sizes).map(|(d, s)| (d * s).abs()).fold(0.0, f64::max));
    let relative = residual
        .iter()
        .zip(terms)
        .map(|(r, t)| r.abs() / t.max(f64::MIN_POSITIVE));
    Some(relative.fold(0.0, f64::max))
}

/// The point with the tangent along which it leaves all guards that it lies on, where there is one.
fn leads_into(problem: &mut FixedPoint<'_>, z: &[f64], row: &[f64], rates: &[Vec<f64>]) -> Option<Point> {
    let point = tangent_at(problem, z.to_vec(), row, 1.0).ok()?;
    let grows = |gradient: &Vec<f64>| gradient.iter().zip(&point.tangent).map(|(g, t)| g * t).sum::<f64>() > 0.0;
    rates.iter().all(grows).then_some(point)
}

/// A sliding mode, the mode on one side of its surface, and that on the other.
struct Sides {
    free: usize,
    other: usize,
    /// The event of the free mode at the surface.
    surface: usize,
}

/// The two sides of the surface between two modes one of which slides on it and the other does not.
fn sides(system: &System, a: usize, b: usize) -> Option<Sides> {
    let slides = |k: usize| system.modes[k].kind == ModeKind::Stick;
    let (free, stick) = match (slides(a), slides(b)) {
        (false, true) => (a, b),
        (true, false) => (b, a),
        _ => return None,
    };
    let leaves = |mode: &Mode| -> Vec<usize> { mode.events.iter().map(|e| e.target).collect() };
    let mut beyond = leaves(&system.modes[stick]);
    beyond.retain(|&k| k != free && !slides(k));
    beyond.sort_unstable();
    beyond.dedup();
    let [other] = beyond[..] else { return None };
    let surface = leaves(&system.modes[free])
        .into_iter()
        .position(|target| target == stick)?;
    Some(Sides { free, other, surface })
}

/// The criterion at a surface across which a field jumps, and what is born there in the plane, in words; and whether
/// the jump vanishes there, so that there is no criterion.
fn details(problem: &FixedPoint<'_>, place: &[f64], beyond: usize, there: &[f64]) -> Option<(String, bool)> {
    let (system, p) = (problem.system, &problem.parameters);
    let Sides { free, other, surface } = sides(system, problem.mode, beyond)?;
    let x = if free == beyond { there } else { problem.point(place, 0) };
    let mode = &system.modes[free];
    if mode.states != system.modes[other].states {
        return None;
    }
    let n = x.len();
    let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    jacobian(mode.field.as_ref(), x, p, &[], &mut y, &mut dx, &mut []);
    let a = DMatrix::from_row_slice(n, n, &dx);
    let (mut h, mut slope) = ([0.0], vec![0.0; n]);
    let event = &mode.events[surface];
    jacobian(event.guard.as_ref(), x, p, &[], &mut h, &mut slope, &mut []);
    let towards = -event.direction.sign();
    let normal = DVector::from_iterator(n, slope.iter().map(|s| towards * s));
    let mut field = vec![0.0; n];
    system.modes[other].field.value(x, p, &mut field);
    let field = DVector::from_vec(field);
    if is_zero(system.modes[other].field.as_ref(), x, p, &problem.scale) {
        let said = format!(
            "; the field of `{}` vanishes here, too, and with it the jump across the surface: equilibria in `{0}`, in `{}` and pseudo-equilibria meet, and there may be up to three on either side, of which the curve goes on along one",
            system.modes[other].name, mode.name
        );
        return Some((said, true));
    }
    let solved = a.clone().lu().solve(&field)?;
    // Whatever the units of states and guards are, this is a time.
    let criterion = normal.dot(&solved) / normal.dot(&field).abs() * system.units.time;
    let mut said = format!(
        "; n·A⁻¹g/|n·g| = {criterion:.10}, A the derivative of the field in `{}`, n the gradient of its guard, g the field in `{}`",
        mode.name, system.modes[other].name
    );
    if n == 2 {
        let at = Passage {
            a: [[a[(0, 0)], a[(0, 1)]], [a[(1, 0)], a[(1, 1)]]],
            normal: [normal[0], normal[1]],
            other: [field[0], field[1]],
        };
        said.push_str(&born_in_plane(&at, &mode.name));
    }
    Some((said, false))
}

/// Does a field vanish at a state, beside what it is made of where states have these sizes?
fn is_zero(field: &dyn Function, x: &[f64], p: &[f64], scale: &[f64]) -> bool {
    let n = x.len();
    let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    jacobian(field, x, p, &[], &mut f, &mut dx, &mut []);
    let size = |i: usize| x[i].abs().max(scale.get(i).copied().unwrap_or(1.0));
    let rows = f.iter().zip(dx.chunks_exact(n));
    let beside = |row: &[f64]| row.iter().enumerate().map(|(i, d)| (d * size(i)).abs()).sum::<f64>();
    rows.into_iter().all(|(f, row)| f.abs() <= ZERO * beside(row))
}
