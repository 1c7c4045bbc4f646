//! What makes tracers go wrong, on problems made for it: folds sharper than any step, numbers that are not finite,
//! unknowns of very different size.

use slipstick_continuation::{Curve, Failure, Problem, StepOptions};

/// Two equations in two unknowns and a parameter λ, with their derivatives by rows, solved by Cramer's rule.
struct Small<F: Fn(&[f64; 3]) -> ([f64; 2], [[f64; 3]; 2])> {
    equations: F,
    sizes: [f64; 3],
    rows: [[f64; 3]; 2],
}

impl<F: Fn(&[f64; 3]) -> ([f64; 2], [[f64; 3]; 2])> Problem for Small<F> {
    fn unknowns(&self) -> usize {
        3
    }
    fn free(&self) -> usize {
        1
    }
    fn weights(&self, _: &[f64], weights: &mut [f64]) {
        for (w, size) in weights.iter_mut().zip(self.sizes) {
            *w = 1.0 / (size * size);
        }
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let (value, rows) = (self.equations)(&[z[0], z[1], z[2]]);
        residual.copy_from_slice(&value);
        self.rows = rows;
        Ok(())
    }
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        let [a, b] = self.rows;
        let c = [border[0], border[1], border[2]];
        let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
            a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        let whole = det(a, b, c);
        let r = [rhs[0], rhs[1], rhs[2]];
        for k in 0..3 {
            let with = |mut row: [f64; 3], v: f64| {
                row[k] = v;
                row
            };
            rhs[k] = det(with(a, r[0]), with(b, r[1]), with(c, r[2])) / whole;
        }
        Ok(())
    }
}

fn small<F: Fn(&[f64; 3]) -> ([f64; 2], [[f64; 3]; 2])>(sizes: [f64; 3], equations: F) -> Small<F> {
    Small {
        equations,
        sizes,
        rows: [[0.0; 3]; 2],
    }
}

#[test]
fn a_sharp_fold_is_passed_without_running_back() {
    for k in [1.0, 1e2, 1e3, 1e4] {
        // λ = 1 - (k u)²: the branch turns back within a length of 1/k².
        let mut problem = small([1.0; 3], |z| {
            let u = z[0];
            (
                [z[2] - 1.0 + (k * u).powi(2), z[1] - u],
                [[2.0 * k * k * u, 0.0, 1.0], [-1.0, 1.0, 0.0]],
            )
        });
        let start = 0.5f64.sqrt() / k;
        let curve = Curve::start(&mut problem, vec![-start, -start, 0.5], 1.0, StepOptions::default()).unwrap();
        let points: Vec<_> = curve
            .map_while(Result::ok)
            .take_while(|p| p.z[0] < start && p.z[2] > 0.0)
            .take(2000)
            .collect();
        assert!(points.windows(2).all(|p| p[1].z[0] > p[0].z[0]), "k = {k}: runs back");
        let turned = points.iter().any(|p| p.parameter_rate() < 0.0 && p.z[0] > 0.0);
        assert!(turned, "k = {k}: never came round the fold in {} points", points.len());
    }
}

#[test]
fn what_is_not_a_number_never_counts_as_converged() {
    let mut problem = small([1.0; 3], |z| {
        let bad = if z[2] > 0.5 { f64::NAN } else { 0.0 };
        ([z[0] - z[2] + bad, z[1] - z[0]], [[1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    });
    let curve = Curve::start(&mut problem, vec![0.0; 3], 1.0, StepOptions::default()).unwrap();
    let outcome: Vec<_> = curve.take(10_000).collect();
    assert!(outcome.last().unwrap().is_err());
    let reached = outcome.iter().flatten().last().unwrap();
    assert!(outcome.iter().flatten().all(|p| p.z.iter().all(|v| v.is_finite())));
    assert!(
        (reached.parameter() - 0.5).abs() < 1e-9,
        "stopped at {}",
        reached.parameter()
    );
}

#[test]
fn small_unknowns_are_solved_as_well_as_large_ones() {
    let mut problem = small([1e-12, 1e6, 1.0], |z| {
        let (s, c) = z[2].sin_cos();
        (
            [z[0] - 1e-12 * s, z[1] - 1e6 * c],
            [[1.0, 0.0, -1e-12 * c], [0.0, 1.0, 1e6 * s]],
        )
    });
    let curve = Curve::start(&mut problem, vec![0.0, 1e6, 0.0], 1.0, StepOptions::default()).unwrap();
    for p in curve.map_while(Result::ok).take(50) {
        let (s, c) = p.parameter().sin_cos();
        assert!((p.z[0] - 1e-12 * s).abs() < 1e-9 * 1e-12, "{:?}", p.z);
        assert!((p.z[1] - 1e6 * c).abs() < 1e-9 * 1e6, "{:?}", p.z);
    }
}
