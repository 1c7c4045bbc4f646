//! A mass on a vibrating base, whose slip wears the contact.
//!
//! ```text
//! slip  V ≠ 0:                       V' = -μ g sign V - a₀ sin θ,   θ' = ω
//! stick V = 0 and |a₀ sin θ| < μ g
//! ```
//!
//! V is the velocity of the mass relative to the base. Source: Code_Aster test case SDND104. Closed forms and regimes:
//! the room `friction::wear` of the case studies. The observable `wear_power` is m g |V|; integrate it along a motion
//! with [`crate::with_integral`].

use super::build::{always, inequality, parameter, state};
use crate::hybrid::shared;
use crate::{Direction, Event, Formula, Mode, ModeKind, Observable, OrbitMonitor, Quantity, Start, Symmetry, System};
use slipstick_numerics::scalar::Scalar;
use std::f64::consts::{PI, TAU};

/// Order of the parameters.
const M: usize = 0;
const G: usize = 1;
const MU: usize = 2;
const A0: usize = 3;
const OMEGA: usize = 4;

const SLIP_PLUS: usize = 0;
const SLIP_MINUS: usize = 1;
const STICK: usize = 2;

/// Slip with relative velocity of sign `s`; states (V, θ).
struct Slip {
    s: f64,
}
impl Formula for Slip {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = -(p[MU] * p[G] * self.s) - p[A0] * x[1].sin();
        out[1] = p[OMEGA];
    }
}

/// Slip in closed form; arguments (V, θ, t).
struct SlipFlow {
    s: f64,
}
impl Formula for SlipFlow {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, z: &[T], p: &[T], out: &mut [T]) {
        let (v, theta, t) = (z[0], z[1], z[2]);
        let half = p[OMEGA] * t * 0.5;
        // ∫ sin(θ + ωs) ds = t sinc(ωt/2) sin(θ + ωt/2).
        out[0] = v - p[MU] * p[G] * t * self.s - p[A0] * t * half.sinc() * (theta + half).sin();
        out[1] = theta + p[OMEGA] * t;
    }
}

/// Stick; state (θ), V = 0.
struct Stick;
impl Formula for Stick {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = p[OMEGA];
    }
}

struct StickFlow;
impl Formula for StickFlow {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, z: &[T], p: &[T], out: &mut [T]) {
        out[0] = z[0] + p[OMEGA] * z[1];
    }
}

struct Velocity;
impl Formula for Velocity {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[0];
    }
}

/// `base · a₀ sin θ + bound · μ g`, with θ the state at index `theta`.
struct Pull {
    theta: usize,
    base: f64,
    bound: f64,
}
impl Formula for Pull {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = p[A0] * x[self.theta].sin() * self.base + p[MU] * p[G] * self.bound;
    }
}

/// m g |V| where V has the sign `s`, zero for `s` = 0.
struct WearPower {
    s: f64,
}
impl Formula for WearPower {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = if self.s == 0.0 {
            T::zero()
        } else {
            p[M] * p[G] * x[0] * self.s
        };
    }
}

fn slip(s: f64) -> Mode {
    // One guard for both events: that tells the engine that they end the slip on the same surface.
    let velocity = shared(Velocity);
    let ends = |name: &str, rule: &str, sign: f64, target| Event {
        name: name.into(),
        guard: velocity.clone(),
        direction: if s > 0.0 { Direction::Down } else { Direction::Up },
        // A stop from V > 0 has a₀ sin θ > -μ g, so that only +μ g can be overshot; and conversely.
        when: vec![inequality(
            rule,
            Pull {
                theta: 1,
                base: -sign * s,
                bound: sign,
            },
        )],
        target,
        reset: None,
    };
    let (inside, outside) = if s > 0.0 {
        ("a0 sin theta < mu g", "a0 sin theta > mu g")
    } else {
        ("a0 sin theta > -mu g", "a0 sin theta < -mu g")
    };
    Mode {
        name: if s > 0.0 { "slip+" } else { "slip-" }.into(),
        kind: ModeKind::Free,
        states: vec![0, 1],
        absent: None,
        field: shared(Slip { s }),
        events: vec![
            ends("land", inside, 1.0, STICK),
            ends("reverse", outside, -1.0, if s > 0.0 { SLIP_MINUS } else { SLIP_PLUS }),
        ],
        inequalities: vec![],
        surfaces: vec![],
        exact: Some(shared(SlipFlow { s })),
    }
}

/// The mass on a vibrating base with the published values and a₀ = 1.5 m/s².
pub fn wear() -> System {
    // A base that accelerates forwards leaves the mass behind.
    let release = |name: &str, sign: f64, target| Event {
        name: name.into(),
        guard: shared(Pull {
            theta: 0,
            base: -1.0,
            bound: -sign,
        }),
        direction: if sign > 0.0 { Direction::Up } else { Direction::Down },
        when: vec![],
        target,
        reset: None,
    };
    System {
        name: "Wear".into(),
        about: "A mass with Coulomb friction on a harmonically vibrating base, and the wear power of the contact (Code_Aster SDND104)."
            .into(),
        states: vec![state("V", None), state("theta", Some(TAU))],
        parameters: vec![
            parameter("m", 1.0, "mass, kg"),
            parameter("g", 10.0, "gravity, m/s^2"),
            parameter("mu", 0.1, "coefficient of friction"),
            parameter("a0", 1.5, "amplitude of the acceleration of the base, m/s^2"),
            parameter("omega", TAU, "angular frequency of the base, rad/s"),
        ],
        modes: vec![
            slip(1.0),
            slip(-1.0),
            Mode {
                name: "stick".into(),
                kind: ModeKind::Stick,
                states: vec![1],
                absent: None,
                field: shared(Stick),
                events: vec![release("release+", 1.0, SLIP_PLUS), release("release-", -1.0, SLIP_MINUS)],
                inequalities: vec![],
                surfaces: vec![],
                exact: Some(shared(StickFlow)),
            },
        ],
        symmetry: Some(Symmetry {
            source: vec![0, 1],
            sign: vec![-1.0, 1.0],
            shift: vec![0.0, PI],
            modes: vec![SLIP_MINUS, SLIP_PLUS, STICK],
        }),
        observables: vec![Observable {
            name: "wear_power".into(),
            by_mode: [1.0, -1.0, 0.0].map(|s| shared(WearPower { s })).into(),
        }],
        monitors: vec![
            OrbitMonitor::at_entry("theta0", vec![SLIP_PLUS, SLIP_MINUS], Quantity::State(1)),
            OrbitMonitor::duration("stick", vec![STICK]),
        ],
        start: Start::new(STICK, vec![0.0]),
        units: crate::Units::default(),
        slow_fast: None,
        requirements: vec![
            inequality("m > 0", always(&[(M, 1.0)])),
            inequality("g > 0", always(&[(G, 1.0)])),
            inequality("mu > 0", always(&[(MU, 1.0)])),
            inequality("a0 > 0", always(&[(A0, 1.0)])),
            inequality("omega > 0", always(&[(OMEGA, 1.0)])),
        ],
    }
}
