//! Trigonometric interpolation on M equally spaced points of [0, 1) of functions that come back with one sign or the
//! other, up to a drift.
//!
//! An even function is `x(σ + 1) = x(σ) + Δ`, a line of slope Δ and harmonics 2πk; an odd one is
//! `x(σ + 1) = 2m - x(σ)`, the constant m and harmonics 2π(k + ½). Drift and constant follow from the values at the
//! ends. All harmonics are distinct on an odd number of points if the function is even, on an even number if it is odd.
//! Otherwise the highest one is seen as `(-1)^j` alone; its derivative would be zero at all points, and is taken to be
//! as large as the harmonic is fast, so that equations for derivatives determine it.

use std::f64::consts::PI;

/// With which sign a function comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parity {
    Even,
    Odd,
}

/// The points, with the weights of derivatives.
pub(super) struct Points {
    parity: Parity,
    count: usize,
    /// sin and cos of π d/M, d = 0 … M.
    angles: Vec<(f64, f64)>,
    /// For each point the weights of the values at all points and at 1 in the derivative there.
    rates: Vec<f64>,
}

impl Points {
    pub(super) fn new(parity: Parity) -> Self {
        Self {
            parity,
            count: 0,
            angles: vec![],
            rates: vec![],
        }
    }

    /// Take so many points.
    pub(super) fn take(&mut self, count: usize) {
        self.count = count;
        // By symmetry about a quarter of a turn and an eighth of one, so that nothing is lost near zeros.
        let sin = |d: usize| {
            let d = d.min(count - d);
            let angle = PI * d as f64 / count as f64;
            if 4 * d <= count {
                angle.sin()
            } else {
                (PI * (count as f64 - 2.0 * d as f64) / (2.0 * count as f64)).cos()
            }
        };
        let cos = |d: usize| {
            let near = d.min(count - d);
            let size = (PI * (count - 2 * near) as f64 / (2.0 * count as f64)).sin();
            if 2 * d <= count { size } else { -size }
        };
        self.angles = (0..=count).map(|d| (sin(d), cos(d))).collect();
        self.rates.clear();
        for j in 0..count {
            let mut own: Vec<f64> = (0..count).map(|k| self.slope(j, k)).collect();
            own.push(0.0);
            let slope = if self.parity == Parity::Even { 1.0 } else { 0.0 };
            self.add_drift(&mut own, slope);
            self.rates.extend(own);
        }
    }

    /// Are all harmonics resolved?
    fn is_complete(&self) -> bool {
        (self.count % 2 == 1) == (self.parity == Parity::Even)
    }

    fn angle(&self, d: isize) -> (f64, f64) {
        let (sin, cos) = self.angles[d.unsigned_abs()];
        (if d < 0 { -sin } else { sin }, cos)
    }

    /// The derivative at point `j` of the function that is one at point `k` and zero at the others.
    fn slope(&self, j: usize, k: usize) -> f64 {
        let d = j as isize - k as isize;
        let sign = if d % 2 == 0 { 1.0 } else { -1.0 };
        let (sin, cos) = self.angle(d);
        match (self.is_complete(), d) {
            (true, 0) => 0.0,
            (true, _) => sign * PI / sin,
            (false, 0) => PI,
            (false, _) => sign * PI * (1.0 + cos / sin),
        }
    }

    /// Weights of the values at all points and at 1, given those of a function without drift, if what they stand for is
    /// `of_drift` for the drift of slope one (even) or for the constant one (odd).
    fn add_drift(&self, weights: &mut [f64], of_drift: f64) {
        let count = self.count;
        match self.parity {
            Parity::Even => {
                let sum: f64 = weights.iter().enumerate().map(|(k, w)| w * k as f64).sum();
                let left = of_drift - sum / count as f64;
                weights[count] += left;
                weights[0] -= left;
            }
            Parity::Odd => {
                let left = 0.5 * (of_drift - weights.iter().sum::<f64>());
                weights[count] += left;
                weights[0] += left;
            }
        }
    }

    /// The weights of the values at all points and at 1 in the derivative at point `j`.
    pub(super) fn rate(&self, j: usize) -> &[f64] {
        &self.rates[j * (self.count + 1)..(j + 1) * (self.count + 1)]
    }

    /// The weights of the values at all points in the value at the part `tau` of interval `j`, of a function without
    /// drift.
    pub(super) fn closed(&self, j: usize, tau: f64) -> Vec<f64> {
        let count = self.count;
        let mut weights = vec![0.0; count];
        // The nearest point, and the way from there.
        let (near, offset) = if tau > 0.5 { (j + 1, tau - 1.0) } else { (j, tau) };
        let back = if self.parity == Parity::Even { 1.0 } else { -1.0 };
        if offset == 0.0 {
            weights[near % count] = if near == count { back } else { 1.0 };
            return weights;
        }
        let (sin, cos) = (PI * offset / count as f64).sin_cos();
        let top = (PI * offset).sin() / count as f64;
        for (k, w) in weights.iter_mut().enumerate() {
            let d = near as isize - k as isize;
            let (s, c) = self.angle(d);
            let sign = if d % 2 == 0 { 1.0 } else { -1.0 };
            let below = sin * c + cos * s;
            *w = sign * top / below;
            if !self.is_complete() {
                *w *= cos * c - sin * s;
            }
        }
        weights
    }

    /// The weights of the values at all points and at 1 in the value at the part `tau` of interval `j`.
    pub(super) fn value(&self, j: usize, tau: f64) -> Vec<f64> {
        let mut weights = self.closed(j, tau);
        weights.push(0.0);
        let drift = match self.parity {
            Parity::Even => (j as f64 + tau) / self.count as f64,
            Parity::Odd => 1.0,
        };
        self.add_drift(&mut weights, drift);
        weights
    }

    /// Raise entry q of `all` to the amplitude of the harmonic πq of a function with these values at the points and at
    /// 1.
    pub(super) fn amplitudes(&self, values: &[f64], all: &mut [f64]) {
        let count = self.count;
        let (first, last) = (values[0], values[count]);
        let own: Vec<f64> = (0..count)
            .map(|j| match self.parity {
                Parity::Even => values[j] - (last - first) * j as f64 / count as f64,
                Parity::Odd => values[j] - 0.5 * (first + last),
            })
            .collect();
        let begin = usize::from(self.parity == Parity::Odd);
        for (q, amplitude) in all.iter_mut().enumerate().skip(begin).step_by(2) {
            let (mut re, mut im) = (0.0, 0.0);
            for (j, v) in own.iter().enumerate() {
                // π q j / M, of which whole turns are left out.
                let turn = (q * j) % (2 * count);
                let (sin, cos) = if turn <= count {
                    self.angles[turn]
                } else {
                    let (sin, cos) = self.angles[2 * count - turn];
                    (-sin, cos)
                };
                re += v * cos;
                im += v * sin;
            }
            let alone = q == 0 || q == count;
            let scale = if alone { 1.0 } else { 2.0 } / count as f64;
            *amplitude = amplitude.max(scale * re.hypot(im));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions of each parity with a drift, distinguished by so many points: value and derivative come back.
    #[test]
    fn polynomials_come_back_with_their_derivatives() {
        for (parity, shift) in [(Parity::Even, 0.0), (Parity::Odd, 0.5)] {
            for count in [8, 9, 16, 21] {
                let value = |s: f64| {
                    let line = if parity == Parity::Even { 3.0 * s } else { 0.7 };
                    let at = |k: f64| 2.0 * PI * (k + shift) * s;
                    line + at(1.0).cos() + 0.4 * at(2.0).sin() - 0.2 * at(0.0).sin()
                };
                let rate = |s: f64| {
                    let line = if parity == Parity::Even { 3.0 } else { 0.0 };
                    let (w, at) = (|k: f64| 2.0 * PI * (k + shift), |k: f64| 2.0 * PI * (k + shift) * s);
                    line - w(1.0) * at(1.0).sin() + 0.4 * w(2.0) * at(2.0).cos() - 0.2 * w(0.0) * at(0.0).cos()
                };
                let mut points = Points::new(parity);
                points.take(count);
                let values: Vec<f64> = (0..=count).map(|j| value(j as f64 / count as f64)).collect();
                let sum = |weights: &[f64]| slipstick_numerics::linalg::dot(weights, &values);
                for j in 0..count {
                    assert!((sum(points.rate(j)) - rate(j as f64 / count as f64)).abs() < 1e-11);
                    for tau in [0.0, 1e-9, 0.3, 0.5, 0.9, 1.0] {
                        let (got, wanted) = (sum(&points.value(j, tau)), value((j as f64 + tau) / count as f64));
                        assert!(
                            (got - wanted).abs() < 1e-13,
                            "{parity:?} {count} {j} {tau}: {got} {wanted}"
                        );
                    }
                }
                let mut all = vec![0.0; count + 1];
                points.amplitudes(&values, &mut all);
                let first = usize::from(parity == Parity::Odd);
                let wanted = [if parity == Parity::Odd { 0.2 } else { all[0] }, 1.0, 0.4];
                for (i, wanted) in wanted.into_iter().enumerate() {
                    assert!((all[first + 2 * i] - wanted).abs() < 1e-14);
                }
                assert!(all.iter().skip(6).all(|a| *a < 1e-14));
            }
        }
    }
}
