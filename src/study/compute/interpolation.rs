//! A course through the rows of a table, good enough for Newton's method to start from.

/// Piecewise cubic interpolation of vectors at increasing times, with slopes from the parabola through three
/// neighbours.
pub(crate) struct Interpolation {
    t: Vec<f64>,
    x: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
}

impl Interpolation {
    /// Through the `rows` at the times `t`; of rows at the same time the last counts.
    pub(crate) fn new(t: Vec<f64>, rows: Vec<Vec<f64>>) -> Self {
        let (mut times, mut x): (Vec<f64>, Vec<Vec<f64>>) = (vec![], vec![]);
        for (t, row) in t.into_iter().zip(rows) {
            if times.last() == Some(&t) {
                times.pop();
                x.pop();
            }
            times.push(t);
            x.push(row);
        }
        let count = times.len();
        let slope = |i: usize, c: usize| {
            if count < 3 {
                return if count == 2 {
                    (x[1][c] - x[0][c]) / (times[1] - times[0])
                } else {
                    0.0
                };
            }
            // The parabola through the point and its neighbours, at the ends through the three next.
            let k = i.clamp(1, count - 2);
            let (h, g) = (times[k] - times[k - 1], times[k + 1] - times[k]);
            let (d, e) = ((x[k][c] - x[k - 1][c]) / h, (x[k + 1][c] - x[k][c]) / g);
            let bend = (e - d) / (h + g);
            d + bend * (2.0 * times[i] - times[k] - times[k - 1])
        };
        let n = x.first().map_or(0, Vec::len);
        let slopes = (0..count).map(|i| (0..n).map(|c| slope(i, c)).collect()).collect();
        Self { t: times, x, slopes }
    }

    /// The vector at time `t`, held at the ends.
    pub(crate) fn eval(&self, t: f64, out: &mut [f64]) {
        let after = self.t.partition_point(|&v| v <= t);
        if after == 0 || after == self.t.len() {
            let end = if after == 0 { self.x.first() } else { self.x.last() };
            if let Some(end) = end {
                out.copy_from_slice(end);
            }
            return;
        }
        let i = after - 1;
        let h = self.t[i + 1] - self.t[i];
        let s = (t - self.t[i]) / h;
        let (a, b) = ((1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s), s * s * (3.0 - 2.0 * s));
        let (c, d) = (s * (1.0 - s) * (1.0 - s) * h, s * s * (s - 1.0) * h);
        for (k, o) in out.iter_mut().enumerate() {
            *o = a * self.x[i][k] + b * self.x[i + 1][k] + c * self.slopes[i][k] + d * self.slopes[i + 1][k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parabolas_are_reproduced_and_cubics_nearly() {
        let t: Vec<f64> = vec![0.0, 0.3, 0.7, 0.7, 1.2, 2.0];
        let f = |t: f64| vec![1.0 - t + 3.0 * t * t, (0.4 * t).sin()];
        let trajectory = Interpolation::new(t.clone(), t.iter().map(|&t| f(t)).collect());
        let mut out = [0.0; 2];
        for i in 0..=40 {
            let t = 0.05 * f64::from(i);
            trajectory.eval(t, &mut out);
            assert!((out[0] - f(t)[0]).abs() < 1e-14 && (out[1] - f(t)[1]).abs() < 3e-3);
        }
        trajectory.eval(9.0, &mut out);
        assert_eq!(out.to_vec(), f(2.0));
    }
}
