//! Small systems for the tests.

use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Formula, Mode, ModeKind, Parameter, Start, State, System};
use std::sync::Arc;

/// A smooth system of one mode; states called `theta` are angles.
pub(super) fn smooth(states: &[&str], parameters: &[f64], field: impl Formula + 'static) -> System {
    System {
        name: "test".into(),
        about: String::new(),
        states: states
            .iter()
            .map(|&name| State {
                name: name.into(),
                period: (name == "theta").then_some(std::f64::consts::TAU),
            })
            .collect(),
        parameters: parameters
            .iter()
            .enumerate()
            .map(|(i, &value)| Parameter {
                name: format!("p{i}"),
                value,
                about: String::new(),
            })
            .collect(),
        modes: vec![Mode {
            name: "flow".into(),
            kind: ModeKind::Free,
            states: (0..states.len()).collect(),
            absent: None,
            field: Arc::new(field),
            events: vec![],
            inequalities: vec![],
            surfaces: vec![],
            exact: None,
        }],
        symmetry: None,
        observables: vec![],
        monitors: vec![],
        start: Start::new(0, vec![0.0; states.len()]),
        slow_fast: None,
        requirements: vec![],
        units: slipstick_system::Units::default(),
    }
}

/// Lorenz' equations; p = (σ, ρ, β). Divergence -(σ + 1 + β).
pub(super) struct Lorenz;
impl Formula for Lorenz {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = (x[1] - x[0]) * p[0];
        out[1] = x[0] * (p[1] - x[2]) - x[1];
        out[2] = x[0] * x[1] - x[2] * p[2];
    }
}

/// Van der Pol's oscillator in Liénard form: ε x' = y - x³/3 + x, y' = -x; p = (ε).
pub(super) struct VanDerPol;
impl Formula for VanDerPol {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = (x[1] - x[0].powi(3) / 3.0 + x[0]) / p[0];
        out[1] = -x[0];
    }
}

/// The logistic equation x' = r x (1 - x), solved by x = x₀/(x₀ + (1 - x₀) e^{-rt}).
pub(super) struct Logistic;
impl Formula for Logistic {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = p[0] * x[0] * (T::one() - x[0]);
    }
}

/// A planar rotation written in a way that is not linear: x' = -y r, y' = x r, r = x² + y² (constant along solutions).
pub(super) struct Twist;
impl Formula for Twist {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let r = (x[0] * x[0] + x[1] * x[1]) * p[0];
        out[0] = -(x[1] * r);
        out[1] = x[0] * r;
    }
}

/// A damped oscillator forced at a frequency of its own: x'' = -k x - c x' + a cos θ, θ' = w; p = (k, c, a, w).
pub(super) struct Forced;
impl Formula for Forced {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1];
        out[1] = -(p[0] * x[0]) - p[1] * x[1] + p[2] * x[2].cos();
        out[2] = p[3];
    }
}

/// The stiction slip field written so that it is not recognised as linear, and is integrated.
pub(super) struct OpaqueSlip {
    pub(super) s: f64,
}
impl Formula for OpaqueSlip {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1];
        out[1] = -(p[0] * p[0] * x[0]) - x[2].sin() - p[2] * self.s + x[0] * x[0] * 0.0;
        out[2] = T::one();
    }
}

/// `Σ aᵢ xᵢ + b`.
pub(super) struct Plane(pub(super) Vec<f64>, pub(super) f64);
impl Formula for Plane {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = T::from_f64(self.1);
        for (a, x) in self.0.iter().zip(x) {
            if *a != 0.0 {
                out[0] += *x * *a;
            }
        }
    }
}

/// `x₀² + x₁² - b`, not affine in any basis.
pub(super) struct Circle(pub(super) f64);
impl Formula for Circle {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[0] * x[0] + x[1] * x[1] - self.0;
    }
}

/// The stiction oscillator whose slip must be integrated.
pub(super) fn opaque_stiction() -> System {
    let mut system = slipstick_system::catalogue::stiction();
    for (mode, s) in [(0, 1.0), (1, -1.0)] {
        system.modes[mode].exact = None;
        system.modes[mode].field = Arc::new(OpaqueSlip { s });
    }
    system
}

/// The parts of [`shaw`]: x'' = β cos θ - x - s f_d, θ' = w; p = (f_d, f_s, β, w).
struct ShawSlip(f64);
impl Formula for ShawSlip {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1];
        out[1] = p[2] * x[2].cos() - x[0] - p[0] * self.0;
        out[2] = p[3];
    }
}
struct ShawStick;
impl Formula for ShawStick {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = T::zero();
        out[1] = p[3];
    }
}
/// `force · (β cos θ - x) + bound · f_s`.
struct ShawForce {
    theta: usize,
    force: f64,
    bound: f64,
}
impl Formula for ShawForce {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = (p[2] * x[self.theta].cos() - x[0]) * self.force + p[1] * self.bound;
    }
}

pub(super) fn event(
    name: &str,
    guard: impl Formula + 'static,
    direction: slipstick_system::Direction,
    target: usize,
) -> slipstick_system::Event {
    slipstick_system::Event {
        name: name.into(),
        guard: Arc::new(guard),
        direction,
        when: vec![],
        target,
        reset: None,
    }
}

/// Shaw's oscillator (Shaw 1986): modes slip+, slip-, stick.
pub(super) fn shaw() -> System {
    use slipstick_system::{Direction, Inequality};
    let slip = |s: f64| {
        let condition = |force, bound| Inequality {
            name: "force against static friction".into(),
            function: Arc::new(ShawForce { theta: 2, force, bound }),
            strict: true,
        };
        let direction = if s > 0.0 { Direction::Down } else { Direction::Up };
        let mut stop = event("stick", Plane(vec![0.0, 1.0], 0.0), direction, 2);
        stop.when.push(condition(s, 1.0));
        let mut reverse = event(
            "reverse",
            Plane(vec![0.0, 1.0], 0.0),
            direction,
            if s > 0.0 { 1 } else { 0 },
        );
        reverse.when.push(condition(-s, -1.0));
        Mode {
            name: if s > 0.0 { "slip+" } else { "slip-" }.into(),
            kind: ModeKind::Free,
            states: vec![0, 1, 2],
            absent: None,
            field: Arc::new(ShawSlip(s)),
            events: vec![stop, reverse],
            inequalities: vec![],
            surfaces: vec![],
            exact: None,
        }
    };
    let release = |sign: f64| {
        let guard = ShawForce {
            theta: 1,
            force: sign,
            bound: -1.0,
        };
        event(
            if sign > 0.0 { "go+" } else { "go-" },
            guard,
            Direction::Up,
            if sign > 0.0 { 0 } else { 1 },
        )
    };
    let mut system = smooth(&["x", "v", "theta"], &[1.0, 1.2, 6.0, 0.5], ShawSlip(1.0));
    system.modes = vec![
        slip(1.0),
        slip(-1.0),
        Mode {
            name: "stick".into(),
            kind: ModeKind::Stick,
            states: vec![0, 2],
            absent: None,
            field: Arc::new(ShawStick),
            events: vec![release(1.0), release(-1.0)],
            inequalities: vec![],
            surfaces: vec![],
            exact: None,
        },
    ];
    system
}

/// The reset of an impact: (x, v) → (x, -e v).
struct Bounce;
impl Formula for Bounce {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[0];
        out[1] = -(x[1] * p[1]);
    }
}
struct Fall;
impl Formula for Fall {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1];
        out[1] = -p[0];
    }
}

/// A ball under gravity p₀ on the floor x = 0 with restitution p₁.
pub(super) fn ball() -> System {
    let mut system = smooth(&["x", "v"], &[1.0, 0.5], Fall);
    let mut bounce = event("bounce", Plane(vec![1.0], 0.0), slipstick_system::Direction::Down, 0);
    bounce.reset = Some(Arc::new(Bounce));
    system.modes[0].events.push(bounce);
    system
}
