//! Newton's iterations that run off: what cannot be evaluated far away is not the reason that is given, and what cannot
//! be evaluated next to the start is.

use super::known::none_wrong;
use super::random::{Random, members};
use slipstick_continuation::{Failure, Newton, NewtonOptions, Problem};

/// s (x² - a) = 0, which has no value further than so far from zero; the other unknown is a parameter.
struct Parabola {
    slope: f64,
    a: f64,
    edge: f64,
    x: f64,
}

impl Problem for Parabola {
    fn unknowns(&self) -> usize {
        2
    }
    fn free(&self) -> usize {
        1
    }
    fn weights(&self, _: &[f64], weights: &mut [f64]) {
        weights.fill(1.0);
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        if z[0].abs() > self.edge {
            return Err(Failure::Evaluation("the solution blows up".into()));
        }
        self.x = z[0];
        residual[0] = self.slope * (self.x * self.x - self.a);
        Ok(())
    }
    fn solve(&mut self, _: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        rhs[0] /= 2.0 * self.slope * self.x;
        Ok(())
    }
}

#[test]
fn iterations_that_run_off_say_so() {
    let class = "iterations that run off";
    let count = members(100);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let a = random.log_between(0.1, 0.8);
        let (slope, side) = (random.sign() * random.log_between(1e-6, 1e6), random.sign());
        // From next to the vertex the iteration goes far beyond the edge, from elsewhere just beyond it.
        let far = member % 2 == 0;
        let start = match far {
            true => a * random.log_between(1e-14, 1e-2),
            false => a.sqrt() * random.between(0.5, 0.8),
        };
        let edge = if far {
            random.between(2.0, 40.0 * a / 0.8)
        } else {
            a.sqrt() * 0.9
        };
        let mut problem = Parabola {
            slope,
            a,
            edge: edge.max(a.sqrt() * 0.9),
            x: 0.0,
        };
        let mut z = [side * start, 0.0];
        let (anchor, options) = (z, NewtonOptions::default());
        let failure = Newton::default().solve(&mut problem, &mut z, &[0.0, 1.0], &anchor, &[0.0], &options);
        let right = match &failure {
            Err(Failure::Newton(updates)) => far && updates.len() == 1,
            Err(Failure::Evaluation(_)) => !far,
            _ => false,
        };
        if !right {
            wrong.push((member, format!("{failure:?} from {start} for {a} within {edge}")));
        }
    }
    none_wrong(class, count, &wrong);
}
