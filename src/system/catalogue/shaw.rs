//! Shaw's oscillator: a mass on a spring, with static and dynamic friction and viscous damping, under harmonic forcing.
//!
//! ```text
//! m x'' + F = b,   b = K (β cos θ - x) - 2α x',   θ' = ω
//! slip  x' ≠ 0:                F = f_d sign x'
//! stick x' = 0 and |b| < f_s:  F = b
//! ```
//!
//! Sources: S. W. Shaw, J. Sound Vib. 108 (1986) 305–325; A. Bensoussan, A. Brouste, F. B. Cartiaux, C. Mathey and L.
//! Mertz, *Mathematical formulation of a dynamical system with dry friction subjected to external forces*, eqs. (3),
//! (23) and parameters (𝒫). Other forcings, and f_s = f_d, are solved in the room `friction::shaw` of the case studies.

use super::build::{always, inequality, parameter, state};
use crate::hybrid::shared;
use crate::{Direction, Event, Formula, Mode, ModeKind, Observable, OrbitMonitor, Quantity, Start, Symmetry, System};
use slipstick_numerics::scalar::Scalar;
use std::f64::consts::{PI, TAU};

/// Order of the parameters.
const M: usize = 0;
const K: usize = 1;
const BETA: usize = 2;
const OMEGA: usize = 3;
const ALPHA: usize = 4;
const F_S: usize = 5;
const F_D: usize = 6;

const SLIP_PLUS: usize = 0;
const SLIP_MINUS: usize = 1;
const STICK: usize = 2;

/// b at (x, v, θ).
fn force<T: Scalar>(x: T, v: T, theta: T, p: &[T]) -> T {
    p[K] * (p[BETA] * theta.cos() - x) - p[ALPHA] * v * 2.0
}

/// Slip with velocity of sign `s`; states (x, v, θ).
struct Slip {
    s: f64,
}
impl Formula for Slip {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1];
        out[1] = (force(x[0], x[1], x[2], p) - p[F_D] * self.s) / p[M];
        out[2] = p[OMEGA];
    }
}

/// Stick; states (x, θ), v = 0.
struct Stick;
impl Formula for Stick {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = T::zero();
        out[1] = p[OMEGA];
    }
}

struct StickFlow;
impl Formula for StickFlow {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, z: &[T], p: &[T], out: &mut [T]) {
        out[0] = z[0];
        out[1] = z[1] + p[OMEGA] * z[2];
    }
}

/// The velocity, guard of the slip modes.
struct Velocity;
impl Formula for Velocity {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[1];
    }
}

/// `force · b + f_s · static + f_d · dynamic`, with or without a velocity among the states.
#[derive(Clone, Copy)]
struct Balance {
    moving: bool,
    force: f64,
    fixed: f64,
    dynamic: f64,
}
impl Formula for Balance {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let b = if self.moving {
            force(x[0], x[1], x[2], p)
        } else {
            force(x[0], T::zero(), x[1], p)
        };
        out[0] = b * self.force + p[F_S] * self.fixed + p[F_D] * self.dynamic;
    }
}

fn slip(s: f64) -> Mode {
    // One guard for both events: that tells the engine that they end the slip on the same surface.
    let velocity = shared(Velocity);
    let ends = |name: &str, rule: &str, sign: f64, target| Event {
        name: name.into(),
        guard: velocity.clone(),
        direction: if s > 0.0 { Direction::Down } else { Direction::Up },
        // A stop from v > 0 has b < f_d, so that only -f_s can be overshot; and conversely.
        when: vec![inequality(
            rule,
            Balance {
                moving: true,
                force: sign * s,
                fixed: sign,
                dynamic: 0.0,
            },
        )],
        target,
        reset: None,
    };
    let (inside, outside) = if s > 0.0 {
        ("b > -f_s", "b < -f_s")
    } else {
        ("b < f_s", "b > f_s")
    };
    Mode {
        name: if s > 0.0 { "slip+" } else { "slip-" }.into(),
        kind: ModeKind::Free,
        states: vec![0, 1, 2],
        absent: None,
        field: shared(Slip { s }),
        events: vec![
            ends("land", inside, 1.0, STICK),
            ends("reverse", outside, -1.0, if s > 0.0 { SLIP_MINUS } else { SLIP_PLUS }),
        ],
        inequalities: vec![],
        surfaces: vec![],
        exact: None,
    }
}

/// Shaw's oscillator with the parameters (𝒫) of Bensoussan et al.
///
/// At these the natural frequency is twice that of the forcing and undamped, so that besides the slip-stick orbit there
/// is a continuum of neutral orbits that never stick.
pub fn shaw() -> System {
    let release = |name: &str, sign: f64, target| Event {
        name: name.into(),
        guard: shared(Balance {
            moving: false,
            force: 1.0,
            fixed: -sign,
            dynamic: 0.0,
        }),
        direction: if sign > 0.0 { Direction::Up } else { Direction::Down },
        when: vec![],
        target,
        reset: None,
    };
    let observable = |name: &str, by_mode: [Balance; 3]| Observable {
        name: name.into(),
        by_mode: by_mode.map(shared).into(),
    };
    let moving = Balance {
        moving: true,
        force: 1.0,
        fixed: 0.0,
        dynamic: 0.0,
    };
    let resting = Balance {
        moving: false,
        ..moving
    };
    let friction = |dynamic| Balance {
        moving: true,
        force: 0.0,
        fixed: 0.0,
        dynamic,
    };
    System {
        name: "Shaw".into(),
        about: "Oscillator with static and dynamic friction under harmonic forcing (Shaw 1986; Bensoussan et al., eqs. 1, 3 \
                and 23)."
            .into(),
        states: vec![state("x", None), state("v", None), state("theta", Some(TAU))],
        parameters: vec![
            parameter("m", 1.0, "mass"),
            parameter("K", 1.0, "stiffness"),
            parameter("beta", 6.0, "displacement per unit of forcing"),
            parameter("omega", 0.5, "angular frequency of the forcing"),
            parameter("alpha", 0.0, "viscous damping: the force is 2 alpha x'"),
            parameter("f_s", 1.2, "static friction"),
            parameter("f_d", 1.0, "dynamic friction"),
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
                events: vec![release("release+", 1.0, SLIP_PLUS), release("release-", -1.0, SLIP_MINUS)],
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
        observables: vec![
            observable("b", [moving, moving, resting]),
            observable("friction", [friction(1.0), friction(-1.0), resting]),
        ],
        monitors: vec![
            OrbitMonitor::at_entry("theta0", vec![SLIP_PLUS, SLIP_MINUS], Quantity::State(2)),
            OrbitMonitor::at_entry("x_stick", vec![STICK], Quantity::State(0)),
            OrbitMonitor::duration("stick", vec![STICK]),
        ],
        // At rest at x = 5 the force at t = 0 is 1 < f_s: a static start, which x = 0 is not.
        start: Start::new(STICK, vec![5.0, 0.0]),
        units: crate::Units::default(),
        slow_fast: None,
        requirements: vec![
            inequality("m > 0", always(&[(M, 1.0)])),
            inequality("K > 0", always(&[(K, 1.0)])),
            inequality("omega > 0", always(&[(OMEGA, 1.0)])),
            inequality("f_d > 0", always(&[(F_D, 1.0)])),
            inequality("f_d < f_s", always(&[(F_S, 1.0), (F_D, -1.0)])),
        ],
    }
}
