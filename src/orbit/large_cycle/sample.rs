//! A cycle of many states as rows of a table, and the numbers that distinguish it from others.

use super::LargeCycle;
use crate::sample::OrbitSample;
use slipstick_continuation::{Point, Problem};
use slipstick_flow::rows::{self, DenseSegment, Row};

/// Numbers in the table of one orbit, at most, and rows at least.
const NUMBERS: usize = 200_000;
const ROWS: usize = 40;

impl LargeCycle<'_> {
    /// Sample the cycle at `point` of a curve at about `count` times over the period: at fewer where its states are
    /// very many, at more where it moves too fast for polynomials from row to row.
    pub fn sample(&mut self, point: &Point, count: usize) -> OrbitSample {
        self.restore(&point.meshes);
        let (z, mode) = (&point.z, self.system.start.mode());
        let p = self.parameters_at(z);
        let most = (NUMBERS / self.n).max(ROWS);
        let (count, most) = (count.min(most), most.min(rows::MOST * count));
        let mut sample = OrbitSample::default();
        for (t, x) in self.rows(z, count, most) {
            let value = |o: &slipstick_system::Observable| {
                let mut v = [0.0];
                o.by_mode[mode].value(&x, &p, &mut v);
                v[0]
            };
            sample.t.push(t);
            sample
                .observables
                .push(self.system.observables.iter().map(value).collect());
            sample.states.push(self.system.full_state(mode, &x, &p));
            sample.modes.push(mode);
        }
        sample
    }

    /// Times and states, `count` of them at equal distances.
    fn rows(&self, z: &[f64], count: usize, most: usize) -> Vec<Row> {
        let (period, p, n) = (self.period(z), self.parameters_at(z), self.n);
        let eval = |t: f64, x: &mut [f64]| self.interpolate(z, t / period, x);
        let at = |k: usize| {
            let sigma = k as f64 / count as f64;
            let mut x = vec![0.0; n];
            self.interpolate(z, sigma, &mut x);
            (period * sigma, x)
        };
        let even: Vec<Row> = (0..=count).map(at).collect();
        let segment = DenseSegment {
            mode: self.system.start.mode(),
            states: Box::new(eval),
            nodes: self.mesh.iter().map(|sigma| period * sigma).collect(),
        };
        rows::joined(self.system, &p, &[segment], vec![even], most)
            .0
            .swap_remove(0)
    }

    /// The numbers that distinguish a cycle from others, wherever it begins: the means of the states, how far the
    /// states lie from them, and the period.
    pub fn fingerprint(&self, z: &[f64]) -> Vec<Vec<f64>> {
        let centre = self.centre(z);
        let mut spread = vec![0.0; self.n];
        for (x, share) in z[..z.len() - 2].chunks_exact(self.n).zip(self.shares()) {
            for (s, (x, c)) in spread.iter_mut().zip(x.iter().zip(&centre)) {
                *s += share * (x - c) * (x - c);
            }
        }
        spread.iter_mut().for_each(|s| *s = s.sqrt());
        vec![centre, spread, vec![self.period(z)]]
    }

    /// The same of a point with meshes of its own.
    pub(super) fn fingerprint_on(&mut self, point: &Point) -> Vec<Vec<f64>> {
        self.restore(&point.meshes);
        self.fingerprint(&point.z)
    }

    /// Do these belong to the same cycle, up to this part of their sizes?
    pub fn match_fingerprints(&self, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
        let largest = |of: &[Vec<f64>]| of[..2].iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
        let (size, spread) = (
            largest(a).max(largest(b)),
            a[1].iter().chain(&b[1]).fold(0.0f64, |m, v| m.max(*v)),
        );
        let near = |k: usize, size: f64| a[k].iter().zip(&b[k]).all(|(x, y)| (x - y).abs() <= tolerance * size);
        near(0, size) && near(1, spread) && near(2, a[2][0].abs())
    }
}
