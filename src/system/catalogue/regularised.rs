//! The regularised stiction oscillator: friction as a smooth function of velocity in a layer of width ε.
//!
//! ```text
//! x' = y,   y' = -ξ - φ(y/ε),   θ' = 1,      ξ = Ω² x + sin θ
//! ```
//! Outside `|y| < ε` this is the slip of the discontinuous model, in closed form. Inside, with `y = ε ŷ`, it is the
//! slow–fast system `x' = ε ŷ, ε ŷ' = -ξ - φ(ŷ), θ' = 1`. As φ is only C¹ at `|ŷ| = 1`, the two meet there in
//! events. The symmetric slip–stick family has the word `slip- layer` on half a period.
//!
//! Source: E. Bossolini, M. Brøns and K. U. Kristiansen, *Canards in stiction: on solutions of a friction oscillator by
//! regularization*, SIAM J. Appl. Dyn. Syst. 16 (2017), arXiv:1703.08437, eqs. (8) to (11).

use super::friction_law::FrictionLaw;
use super::stiction::{Combination, Force, MU_D, MU_S, OMEGA, Slip, SlipFlow};
use crate::hybrid::shared;
use crate::{
    Direction, Event, Formula, Inequality, Mode, ModeKind, Observable, OrbitMonitor, Parameter, Quantity, SlowFast,
    Start, State, Symmetry, System,
};
use slipstick_numerics::scalar::Scalar;
use std::f64::consts::{PI, TAU};

/// Order of the parameters after those of the discontinuous model.
const DELTA: usize = 3;
const EPSILON: usize = 4;

fn law<T: Scalar>(p: &[T]) -> FrictionLaw<T> {
    FrictionLaw::new(p[MU_S], p[MU_D], p[DELTA])
}

/// φ(z), with coefficients in reals unless the law itself is differentiated by.
#[inline(always)]
fn friction<T: Scalar>(z: T, p: &[T]) -> T {
    if p[MU_S].is_constant() && p[MU_D].is_constant() && p[DELTA].is_constant() {
        FrictionLaw::new(p[MU_S].value(), p[MU_D].value(), p[DELTA].value()).value_at(z)
    } else {
        law(p).value(z)
    }
}

/// The layer; states (x, ŷ, θ). φ enters as its polynomial, so that the field is smooth across the events that end it.
struct Layer;
impl Formula for Layer {
    fn outputs(&self) -> usize {
        3
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let xi = p[OMEGA] * p[OMEGA] * x[0] + x[2].sin();
        out[0] = p[EPSILON] * x[1];
        out[1] = -(xi + friction(x[1], p)) / p[EPSILON];
        out[2] = T::one();
    }
}

/// `z₁ · ε` or `z₁ / ε`, where z₁ is ŷ or y: the velocity absent from a mode.
struct Rescaled {
    divide: bool,
}
impl Formula for Rescaled {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = if self.divide {
            x[1] / p[EPSILON]
        } else {
            x[1] * p[EPSILON]
        };
    }
}

/// Guard of a slip mode: `y - s ε`.
struct SlipBoundary {
    s: f64,
}
impl Formula for SlipBoundary {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = x[1] - p[EPSILON] * self.s;
    }
}

/// Guard of the layer: `ŷ - s`.
struct LayerBoundary {
    s: f64,
}
impl Formula for LayerBoundary {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[1] - self.s;
    }
}

/// φ in each mode: `s μ_d` in slip, `φ(ŷ)` in the layer.
enum Friction {
    Slip(f64),
    Layer,
}
impl Formula for Friction {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = match self {
            Self::Slip(s) => p[MU_D] * *s,
            Self::Layer => friction(x[1], p),
        };
    }
}

/// `constant + factor · p[index] > 0`.
struct Bound {
    index: usize,
    factor: f64,
    constant: f64,
}
impl Formula for Bound {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = p[self.index] * self.factor + self.constant;
    }
}

/// Positive when φ rises on (0, δ) and falls on (δ, 1).
struct StictionType;
impl Formula for StictionType {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = law(p).stiction_type();
    }
}

const SLIP_PLUS: usize = 0;
const SLIP_MINUS: usize = 1;
const LAYER: usize = 2;

fn slip(s: f64) -> Mode {
    Mode {
        name: if s > 0.0 { "slip+" } else { "slip-" }.into(),
        kind: ModeKind::Free,
        states: vec![0, 1, 3],
        absent: Some(shared(Rescaled { divide: true })),
        field: shared(Slip { s }),
        events: vec![Event {
            name: "enter".into(),
            guard: shared(SlipBoundary { s }),
            direction: if s > 0.0 { Direction::Down } else { Direction::Up },
            when: vec![],
            target: LAYER,
            reset: None,
        }],
        inequalities: vec![],
        surfaces: vec![],
        exact: Some(shared(SlipFlow { s })),
    }
}

fn layer() -> Mode {
    let leave = |name: &str, s: f64, direction, target| Event {
        name: name.into(),
        guard: shared(LayerBoundary { s }),
        direction,
        when: vec![],
        target,
        reset: None,
    };
    Mode {
        name: "layer".into(),
        kind: ModeKind::Free,
        states: vec![0, 2, 3],
        absent: Some(shared(Rescaled { divide: false })),
        field: shared(Layer),
        events: vec![
            leave("leave+", 1.0, Direction::Up, SLIP_PLUS),
            leave("leave-", -1.0, Direction::Down, SLIP_MINUS),
        ],
        inequalities: vec![],
        surfaces: vec![],
        exact: None,
    }
}

/// The regularised stiction oscillator with the materials of the paper's Table 1 (μ_s = 1.1, μ_d = 0.4, δ = 0.6)
/// and ε = 10⁻³.
pub fn regularised_stiction() -> System {
    let parameter = |name: &str, value, about: &str| Parameter {
        name: name.into(),
        value,
        about: about.into(),
    };
    let state = |name: &str, period| State {
        name: name.into(),
        period,
    };
    let combination = |name: &str, c| Inequality {
        name: name.into(),
        function: shared(Combination(c)),
        strict: true,
    };
    let bound = |name: &str, index, factor, constant| Inequality {
        name: name.into(),
        function: shared(Bound {
            index,
            factor,
            constant,
        }),
        strict: true,
    };
    let xi = || {
        shared(Force {
            theta: 2,
            force: 1.0,
            bound: 0.0,
        })
    };
    System {
        name: "RegularisedStiction".into(),
        about: "Friction oscillator with stiction, regularised (Bossolini, Brøns and Kristiansen 2017, eq. 10): \
                friction is a smooth function phi(y/epsilon) that rises to mu_s at y = delta \
                epsilon and falls to mu_d at y = epsilon."
            .into(),
        states: vec![
            state("x", None),
            state("y", None),
            state("yhat", None),
            state("theta", Some(TAU)),
        ],
        parameters: vec![
            parameter("Omega", 2.0, "natural frequency over forcing frequency"),
            parameter("mu_s", 1.1, "static friction over forcing amplitude"),
            parameter("mu_d", 0.4, "dynamic friction over forcing amplitude"),
            parameter(
                "delta",
                0.6,
                "where phi is greatest, in units of the layer's half-width",
            ),
            parameter("epsilon", 1e-3, "half-width of the layer: dimensionless velocity"),
        ],
        modes: vec![slip(1.0), slip(-1.0), layer()],
        symmetry: Some(Symmetry {
            source: vec![0, 1, 2, 3],
            sign: vec![-1.0, -1.0, -1.0, 1.0],
            shift: vec![0.0, 0.0, 0.0, PI],
            modes: vec![SLIP_MINUS, SLIP_PLUS, LAYER],
        }),
        observables: vec![
            Observable {
                name: "xi".into(),
                by_mode: vec![xi(), xi(), xi()],
            },
            Observable {
                name: "phi".into(),
                by_mode: vec![
                    shared(Friction::Slip(1.0)),
                    shared(Friction::Slip(-1.0)),
                    shared(Friction::Layer),
                ],
            },
        ],
        monitors: vec![
            OrbitMonitor::at_entry("theta0", vec![SLIP_PLUS, SLIP_MINUS], Quantity::State(3)),
            OrbitMonitor::duration("stick", vec![LAYER]),
        ],
        start: Start::new(LAYER, vec![0.0, 0.0, 0.0]),
        units: crate::Units::default(),
        slow_fast: Some(SlowFast {
            mode: LAYER,
            fast: 2,
            epsilon: EPSILON,
        }),
        requirements: vec![
            combination("Omega > 0", [1.0, 0.0, 0.0]),
            combination("mu_d > 0", [0.0, 0.0, 1.0]),
            combination("mu_d < mu_s", [0.0, 1.0, -1.0]),
            bound("delta > 0", DELTA, 1.0, 0.0),
            bound("delta < 1", DELTA, -1.0, 1.0),
            bound("epsilon > 0", EPSILON, 1.0, 0.0),
            Inequality {
                name: "phi of stiction type: phi' must change sign exactly once in (0, 1), at delta".into(),
                function: shared(StictionType),
                strict: true,
            },
        ],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::jacobian;

    fn scalar(f: &crate::SharedFunction, x: &[f64], p: &[f64]) -> f64 {
        let mut out = [0.0];
        f.value(x, p, &mut out);
        out[0]
    }

    #[test]
    fn the_fields_join_continuously_with_their_first_derivatives() {
        let s = regularised_stiction();
        let p = s.default_parameters();
        let epsilon = p[EPSILON];
        for sign in [1.0, -1.0] {
            let mode = &s.modes[if sign > 0.0 { SLIP_PLUS } else { SLIP_MINUS }];
            let (x, theta) = (0.37, 2.2);
            let (mut outer, mut inner) = ([0.0; 3], [0.0; 3]);
            let (mut dx, mut dp) = ([0.0; 9], [0.0; 9]);
            mode.field.value(&[x, sign * epsilon, theta], &p, &mut outer);
            let z = [x, sign, theta];
            jacobian(&*s.modes[LAYER].field, &z, &p, &[1, 2, 3], &mut inner, &mut dx, &mut dp);
            assert!((outer[0] - inner[0]).abs() < 1e-16);
            assert!((outer[1] - epsilon * inner[1]).abs() < 1e-14);
            // φ'(1) = 0; ∂φ/∂μ_d = sign, ∂φ/∂μ_s = ∂φ/∂δ = 0 at the end of the layer.
            assert!((epsilon * dx[4]).abs() < 1e-13);
            assert!((epsilon * dp[3]).abs() < 1e-12);
            assert!((epsilon * dp[4] + sign).abs() < 1e-12);
            assert!((epsilon * dp[5]).abs() < 1e-12);
        }
    }

    #[test]
    fn the_symmetry_maps_every_mode_onto_its_image() {
        let s = regularised_stiction();
        let p = s.default_parameters();
        let symmetry = s.symmetry.clone().unwrap();
        for (m, mode) in s.modes.iter().enumerate() {
            let image = &s.modes[symmetry.modes[m]];
            let z = [0.3, if m == LAYER { 0.45 } else { 0.8 }, 1.7];
            let w = [-z[0], -z[1], z[2] + PI];
            let (mut f, mut g) = ([0.0; 3], [0.0; 3]);
            mode.field.value(&z, &p, &mut f);
            image.field.value(&w, &p, &mut g);
            assert!((f[0] + g[0]).abs() < 1e-13 && (f[1] + g[1]).abs() < 1e-10 && f[2] == g[2]);
            let full = s.full_state(m, &z, &p);
            assert!((full[1] - p[EPSILON] * full[2]).abs() < 1e-15);
            for observable in &s.observables {
                let here = scalar(&observable.by_mode[m], &z, &p);
                let there = scalar(&observable.by_mode[symmetry.modes[m]], &w, &p);
                assert!((here + there).abs() < 1e-14, "{}", observable.name);
            }
        }
    }

    #[test]
    fn the_requirements_name_what_is_wrong() {
        let s = regularised_stiction();
        let broken = |name: &str, value: f64| {
            let mut p = s.default_parameters();
            p[s.parameter(name).unwrap()] = value;
            s.requirements
                .iter()
                .filter(|r| scalar(&r.function, &[], &p) <= 0.0)
                .map(|r| r.name.clone())
                .collect::<Vec<_>>()
        };
        assert!(broken("epsilon", 1e-6).is_empty());
        assert_eq!(broken("epsilon", 0.0), ["epsilon > 0"]);
        assert!(broken("delta", 1.2).contains(&"delta < 1".to_string()));
        assert!(broken("mu_s", 0.3).contains(&"mu_d < mu_s".to_string()));
        assert!(broken("delta", 0.2).iter().all(|n| n.contains("stiction type")));
        assert!(!broken("delta", 0.2).is_empty());
    }
}
