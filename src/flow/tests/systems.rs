//! Small systems for the tests.

use crate::scalar::Scalar;
use crate::system::{Formula, Mode, ModeKind, Parameter, State, System};
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
            exact: None,
        }],
        symmetry: None,
        observables: vec![],
        monitors: vec![],
        start: (0, vec![0.0; states.len()]),
        slow_fast: None,
        requirements: vec![],
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
    let mut system = crate::system::catalogue::stiction();
    for (mode, s) in [(0, 1.0), (1, -1.0)] {
        system.modes[mode].exact = None;
        system.modes[mode].field = Arc::new(OpaqueSlip { s });
    }
    system
}
