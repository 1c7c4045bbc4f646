//! Text equations against hand-written Rust, on the field of the regularised stiction oscillator.

use criterion::{Criterion, criterion_group, criterion_main};
use slipstick_numerics::scalar::Scalar;
use slipstick_system::text::{Expression, Scope};
use slipstick_system::{Formula, Function, jacobian};
use std::hint::black_box;

const A: f64 = 4.230_640_552_662_037;
const B: f64 = -6.797_462_745_949_074;
const C: f64 = 0.703_003_833_912_037_1;
const D: f64 = 2.263_818_359_375;

/// `x' = eps yhat, eps yhat' = -xi - phi(yhat), theta' = 1`, parameters (Omega, mu_d, eps).
struct HandWritten;
impl Formula for HandWritten {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let (omega, mu_d, eps) = (p[0], p[1], p[2]);
        let y = x[1];
        let friction = if y.value() > 1.0 {
            mu_d
        } else if y.value() < -1.0 {
            -mu_d
        } else {
            let q = y * y;
            y * (q * (q * (q * A + B) + C) + D)
        };
        out[0] = eps * y;
        out[1] = -(omega * omega * x[0] + x[2].sin() + friction) / eps;
        out[2] = T::one();
    }
}

/// The value and the derivatives worked out on paper.
fn analytic(x: &[f64], p: &[f64], out: &mut [f64], dx: &mut [f64], dp: &mut [f64]) {
    let (omega, mu_d, eps) = (p[0], p[1], p[2]);
    let y = x[1];
    let q = y * y;
    let (phi, slope) = if y > 1.0 {
        (mu_d, 0.0)
    } else if y < -1.0 {
        (-mu_d, 0.0)
    } else {
        (
            y * (q * (q * (q * A + B) + C) + D),
            q * (q * (q * 7.0 * A + 5.0 * B) + 3.0 * C) + D,
        )
    };
    let (sin, cos) = x[2].sin_cos();
    out.copy_from_slice(&[eps * y, -(omega * omega * x[0] + sin + phi) / eps, 1.0]);
    dx.copy_from_slice(&[
        0.0,
        eps,
        0.0,
        -omega * omega / eps,
        -slope / eps,
        -cos / eps,
        0.0,
        0.0,
        0.0,
    ]);
    dp.copy_from_slice(&[0.0, -2.0 * omega * x[0] / eps, 0.0]);
}

fn text_equations(criterion: &mut Criterion) {
    let mut scope = Scope::new();
    for state in ["x", "yhat", "theta"] {
        scope.state(state).expect("a name");
    }
    for parameter in ["Omega", "mu_d", "eps"] {
        scope.parameter(parameter).expect("a name");
    }
    scope
        .define(
            "phi(u)",
            &format!("piecewise(u > 1, mu_d, u < -1, -mu_d, u*({A}*u^6 + {B}*u^4 + {C}*u^2 + {D}))"),
        )
        .expect("a definition");
    let texts = ["eps*yhat", "-(Omega^2*x + sin(theta) + phi(yhat))/eps", "1"]
        .map(|text| Expression::parse(text).expect("an expression"));
    let tape = scope.compile(&[&texts[0], &texts[1], &texts[2]]).expect("a field");

    let (x, p) = ([0.3, 0.4, 1.1], [2.0, 0.4, 1e-3]);
    let (mut f, mut dx, mut dp) = ([0.0; 3], [0.0; 9], [0.0; 3]);
    criterion.bench_function("value, by hand", |b| {
        b.iter(|| HandWritten.value(black_box(&x), black_box(&p), black_box(&mut f)));
    });
    criterion.bench_function("value, text", |b| {
        b.iter(|| tape.value(black_box(&x), black_box(&p), black_box(&mut f)));
    });
    criterion.bench_function("value and Jacobian, on paper", |b| {
        b.iter(|| analytic(black_box(&x), black_box(&p), &mut f, &mut dx, black_box(&mut dp)));
    });
    criterion.bench_function("value and Jacobian, by hand", |b| {
        b.iter(|| {
            jacobian(
                black_box(&HandWritten),
                black_box(&x),
                &p,
                &[0],
                &mut f,
                &mut dx,
                black_box(&mut dp),
            )
        });
    });
    criterion.bench_function("value and Jacobian, text", |b| {
        b.iter(|| {
            jacobian(
                black_box(&tape),
                black_box(&x),
                &p,
                &[0],
                &mut f,
                &mut dx,
                black_box(&mut dp),
            )
        });
    });
}

criterion_group!(benches, text_equations);
criterion_main!(benches);
