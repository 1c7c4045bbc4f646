//! A sliding shoe on a spring with Coulomb friction.
//!
//! `m r'' + k r = -μ m g sign r'` in motion; it rests for ever where it stops with k |r| ≤ μ m g. Source: Code_Aster
//! test case SDND100. In closed form, the case of equality included: the room `friction::shoe` of the case studies.

use super::build::{always, inequality, parameter, state};
use crate::hybrid::shared;
use crate::{Direction, Event, Formula, Mode, ModeKind, Observable, Start, Symmetry, System};
use slipstick_numerics::scalar::Scalar;

/// Order of the parameters.
const M: usize = 0;
const K: usize = 1;
const MU: usize = 2;
const G: usize = 3;

const SLIP_PLUS: usize = 0;
const SLIP_MINUS: usize = 1;
const STICK: usize = 2;

/// Slip with velocity of sign `s`; states (r, v).
struct Slip {
    s: f64,
}
impl Formula for Slip {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1];
        out[1] = -(p[K] * x[0] / p[M]) - p[MU] * p[G] * self.s;
    }
}

/// Slip in closed form; arguments (r, v, t).
struct SlipFlow {
    s: f64,
}
impl Formula for SlipFlow {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, z: &[T], p: &[T], out: &mut [T]) {
        let w = (p[K] / p[M]).sqrt();
        let middle = -(p[MU] * p[M] * p[G] * self.s / p[K]);
        let (sin, cos) = (w * z[2]).sin_cos();
        out[0] = middle + (z[0] - middle) * cos + z[1] / w * sin;
        out[1] = z[1] * cos - (z[0] - middle) * w * sin;
    }
}

/// Rest; state (r).
struct Rest;
impl Formula for Rest {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out[0] = T::zero();
    }
}

struct RestFlow;
impl Formula for RestFlow {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, z: &[T], _: &[T], out: &mut [T]) {
        out[0] = z[0];
    }
}

struct Velocity;
impl Formula for Velocity {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[1];
    }
}

/// `spring · k r + bound · μ m g`.
struct Pull {
    spring: f64,
    bound: f64,
}
impl Formula for Pull {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = p[K] * x[0] * self.spring + p[MU] * p[M] * p[G] * self.bound;
    }
}

fn slip(s: f64) -> Mode {
    // One guard for both events: that tells the engine that they end the slip on the same surface.
    let velocity = shared(Velocity);
    let ends = |name: &str, rule: &str, sign: f64, target| Event {
        name: name.into(),
        guard: velocity.clone(),
        direction: if s > 0.0 { Direction::Down } else { Direction::Up },
        // A swing forwards ends at k r > -μ m g, so that only +μ m g can be overshot; and conversely.
        when: vec![inequality(
            rule,
            Pull {
                spring: -sign * s,
                bound: sign,
            },
        )],
        target,
        reset: None,
    };
    let (inside, outside) = if s > 0.0 {
        ("k r < mu m g", "k r > mu m g")
    } else {
        ("k r > -mu m g", "k r < -mu m g")
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

/// The sliding shoe with the published values, released at r = 0.85 mm.
pub fn shoe() -> System {
    System {
        name: "Shoe".into(),
        about:
            "A sliding shoe on a spring with Coulomb friction, which rests after finitely many half swings (Code_Aster \
                SDND100)."
                .into(),
        states: vec![state("r", None), state("v", None)],
        parameters: vec![
            parameter("m", 1.0, "mass, kg"),
            parameter("k", 1e4, "stiffness, N/m"),
            parameter("mu", 0.1, "coefficient of friction"),
            parameter("g", 10.0, "gravity, m/s^2"),
        ],
        modes: vec![
            slip(1.0),
            slip(-1.0),
            Mode {
                name: "rest".into(),
                kind: ModeKind::Stick,
                states: vec![0],
                absent: None,
                field: shared(Rest),
                events: vec![],
                inequalities: vec![],
                surfaces: vec![],
                exact: Some(shared(RestFlow)),
            },
        ],
        symmetry: Some(Symmetry {
            source: vec![0, 1],
            sign: vec![-1.0, -1.0],
            shift: vec![0.0, 0.0],
            modes: vec![SLIP_MINUS, SLIP_PLUS, STICK],
        }),
        observables: vec![Observable {
            name: "spring_force".into(),
            by_mode: (0..3)
                .map(|_| {
                    shared(Pull {
                        spring: -1.0,
                        bound: 0.0,
                    })
                })
                .collect(),
        }],
        monitors: vec![],
        start: Start::new(SLIP_MINUS, vec![0.85e-3, 0.0]),
        units: crate::Units::default(),
        slow_fast: None,
        requirements: vec![
            inequality("m > 0", always(&[(M, 1.0)])),
            inequality("k > 0", always(&[(K, 1.0)])),
            inequality("mu > 0", always(&[(MU, 1.0)])),
            inequality("g > 0", always(&[(G, 1.0)])),
        ],
    }
}
