//! The stiction oscillator: a mass on a rough table, on a spring, under harmonic forcing (discontinuous model).
//!
//! ```text
//! x' = y,   y' = -ξ + μ(y, ξ),   θ' = 1,      ξ = Ω² x + sin θ
//! slip  y ≠ 0:                μ = -μ_d sign y
//! stick y = 0 and |ξ| < μ_s:  μ = ξ
//! ```
//!
//! Source: E. Bossolini, M. Brøns and K. U. Kristiansen, *Canards in stiction: on solutions of a friction oscillator by
//! regularization*, SIAM J. Appl. Dyn. Syst. 16 (2017), arXiv:1703.08437, eqs. (4) and (5).

use crate::hybrid::shared;
use crate::{
    Direction, Event, Formula, Inequality, Mode, ModeKind, Observable, OrbitMonitor, Parameter, Quantity, Start, State,
    Symmetry, System,
};
use slipstick_numerics::scalar::Scalar;
use std::f64::consts::{PI, TAU};

/// Order of the parameters.
pub(super) const OMEGA: usize = 0;
pub(super) const MU_S: usize = 1;
pub(super) const MU_D: usize = 2;

/// Slip with velocity of sign `s`; states (x, y, θ).
pub(super) struct Slip {
    pub(super) s: f64,
}
impl Formula for Slip {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1];
        out[1] = -(p[OMEGA] * p[OMEGA] * x[0]) - x[2].sin() - p[MU_D] * self.s;
        out[2] = T::one();
    }
}

/// The slip flow in closed form; arguments (x, y, θ, t).
///
/// With c = cos Ωt and q = sin(Ωt)/Ω, `x(t) = x c + y q - s μ_d (1 - c)/Ω² - sin θ · C(t) - cos θ · S(t)`, where C and
/// S are the responses of a resting oscillator to cos t and sin t. Each is written so that neither Ω → 1 nor Ω → 0
/// divides by a small number.
pub(super) struct SlipFlow {
    pub(super) s: f64,
}
impl Formula for SlipFlow {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, z: &[T], p: &[T], out: &mut [T]) {
        let (x, y, theta, t) = (z[0], z[1], z[2], z[3]);
        let omega = p[OMEGA];
        let w2 = omega * omega;
        let (sin_wt, cos_wt) = (omega * t).sin_cos();
        let q = t * (omega * t).sinc();
        let rise = t * t * (omega * t).cosc();
        let sin_t = t.sin();
        let (sin_0, cos_0) = theta.sin_cos();
        let half_sum = (omega + 1.0) * t * 0.5;
        let half_difference = (omega - 1.0) * t * 0.5;
        // C = (cos t - cos Ωt)/(Ω² - 1), by the product formula of the difference.
        let response_cos = t * t * half_sum.sinc() * half_difference.sinc() * 0.5;
        // S = (sin t - sin(Ωt)/Ω)/(Ω² - 1).
        let response_sin = if (omega.value() - 1.0).abs() < 0.5 {
            (sin_t - t * half_difference.sinc() * half_sum.cos()) / (omega * (omega + 1.0))
        } else {
            (sin_t - q) / (w2 - 1.0)
        };
        out[0] = x * cos_wt + y * q - rise * p[MU_D] * self.s - sin_0 * response_cos - cos_0 * response_sin;
        // C' = (Ω sin Ωt - sin t)/(Ω² - 1) = q - S, and S' = C.
        out[1] =
            y * cos_wt - x * omega * sin_wt - q * p[MU_D] * self.s - sin_0 * (q - response_sin) - cos_0 * response_cos;
        out[2] = theta + t;
    }
}

/// Stick; states (x, θ), y = 0.
struct Stick;
impl Formula for Stick {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out[0] = T::zero();
        out[1] = T::one();
    }
}

struct StickFlow;
impl Formula for StickFlow {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, z: &[T], _: &[T], out: &mut [T]) {
        out[0] = z[0];
        out[1] = z[1] + z[2];
    }
}

/// The velocity, guard of every slip mode.
struct Velocity;
impl Formula for Velocity {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[1];
    }
}

/// `force · ξ + bound · μ_s`, with θ the state at index `theta`.
pub(super) struct Force {
    pub(super) theta: usize,
    pub(super) force: f64,
    pub(super) bound: f64,
}
impl Formula for Force {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let xi = p[OMEGA] * p[OMEGA] * x[0] + x[self.theta].sin();
        out[0] = xi * self.force + p[MU_S] * self.bound;
    }
}

/// A requirement on the first three parameters: `Σ cᵢ pᵢ > 0`.
pub(super) struct Combination(pub(super) [f64; 3]);
impl Formula for Combination {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = p[0] * self.0[0] + p[1] * self.0[1] + p[2] * self.0[2];
    }
}

const SLIP_PLUS: usize = 0;
const SLIP_MINUS: usize = 1;
const STICK: usize = 2;

fn slip(s: f64) -> Mode {
    let direction = if s > 0.0 { Direction::Down } else { Direction::Up };
    let opposite = if s > 0.0 { SLIP_MINUS } else { SLIP_PLUS };
    let force = |force, bound, name: &str| Inequality {
        name: name.into(),
        function: shared(Force { theta: 2, force, bound }),
        strict: true,
    };
    let velocity = shared(Velocity);
    // A stop from y > 0 has y' = -ξ - μ_d < 0, so ξ > -μ_d: it can only overshoot the strip at +μ_s; and conversely.
    let (inside, outside) = if s > 0.0 {
        ("ξ < μ_s", "ξ > μ_s")
    } else {
        ("ξ > -μ_s", "ξ < -μ_s")
    };
    Mode {
        name: if s > 0.0 { "slip+" } else { "slip-" }.into(),
        kind: ModeKind::Free,
        states: vec![0, 1, 2],
        absent: None,
        field: shared(Slip { s }),
        events: vec![
            Event {
                name: "land".into(),
                guard: velocity.clone(),
                direction,
                when: vec![force(-s, 1.0, inside)],
                target: STICK,
                reset: None,
            },
            Event {
                name: "reverse".into(),
                guard: velocity.clone(),
                direction,
                when: vec![force(s, -1.0, outside)],
                target: opposite,
                reset: None,
            },
        ],
        inequalities: vec![],
        surfaces: vec![],
        exact: Some(shared(SlipFlow { s })),
    }
}

/// The stiction oscillator with the materials of the paper's Table 1 (μ_s = 1.1, μ_d = 0.4).
pub fn stiction() -> System {
    let parameter = |name: &str, value, about: &str| Parameter {
        name: name.into(),
        value,
        about: about.into(),
    };
    let state = |name: &str, period| State {
        name: name.into(),
        period,
    };
    let release = |name: &str, sign: f64, target| Event {
        name: name.into(),
        guard: shared(Force {
            theta: 1,
            force: 1.0,
            bound: -sign,
        }),
        direction: if sign > 0.0 { Direction::Up } else { Direction::Down },
        when: vec![],
        target,
        reset: None,
    };
    let requirement = |name: &str, c| Inequality {
        name: name.into(),
        function: shared(Combination(c)),
        strict: true,
    };
    System {
        name: "Stiction".into(),
        about:
            "Friction oscillator with stiction (Bossolini, Brøns and Kristiansen 2017, eq. 4): stick up to the static friction mu_s, slip with the dynamic friction mu_d."
                .into(),
        states: vec![state("x", None), state("y", None), state("theta", Some(TAU))],
        parameters: vec![
            parameter("Omega", 2.0, "natural frequency over forcing frequency"),
            parameter("mu_s", 1.1, "static friction over forcing amplitude"),
            parameter("mu_d", 0.4, "dynamic friction over forcing amplitude"),
        ],
        modes: vec![
            slip(1.0),
            slip(-1.0),
            Mode {
                name: "stick".into(),
                kind: ModeKind::Stick,
                states: vec![0, 2],
                absent: None,
                field: shared(Stick),
                events: vec![
                    release("release+", 1.0, SLIP_MINUS),
                    release("release-", -1.0, SLIP_PLUS),
                ],
                inequalities: vec![],
                surfaces: vec![],
                exact: Some(shared(StickFlow)),
            },
        ],
        symmetry: Some(Symmetry {
            source: vec![0, 1, 2],
            sign: vec![-1.0, -1.0, 1.0],
            shift: vec![0.0, 0.0, PI],
            modes: vec![SLIP_MINUS, SLIP_PLUS, STICK],
        }),
        observables: vec![Observable {
            name: "xi".into(),
            by_mode: [2, 2, 1]
                .map(|theta| {
                    shared(Force {
                        theta,
                        force: 1.0,
                        bound: 0.0,
                    })
                })
                .into(),
        }],
        monitors: vec![
            OrbitMonitor::at_entry("theta0", vec![SLIP_PLUS, SLIP_MINUS], Quantity::State(2)),
            OrbitMonitor::duration("stick", vec![STICK]),
        ],
        start: Start::new(STICK, vec![0.0, 0.0]),
        units: crate::Units::default(),
        slow_fast: None,
        requirements: vec![
            requirement("Omega > 0", [1.0, 0.0, 0.0]),
            requirement("mu_d > 0", [0.0, 0.0, 1.0]),
            requirement("mu_d < mu_s", [0.0, 1.0, -1.0]),
        ],
    }
}
