//! What the steps of both integrators have in common: their tolerances, and the polynomial of a step.

/// The tolerances of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    pub(crate) rtol: f64,
    pub(crate) atol: f64,
}

impl Tolerance {
    /// Radau's error estimate is of order three: asked for `rtol` it would deliver far more. Hairer and Wanner's map of
    /// tolerances (`radau5.f`) makes the solution's error follow `rtol`.
    pub(crate) fn of_estimate(self) -> Self {
        let rtol = 0.1 * self.rtol.powf(2.0 / 3.0);
        Self {
            rtol,
            atol: rtol * self.atol / self.rtol,
        }
    }
}

/// One step's interpolating polynomial, in s = (τ - t)/h ∈ [0, 1].
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    /// Start and (signed) length of the step.
    pub(crate) t: f64,
    pub(crate) h: f64,
    /// The states at the start.
    pub(crate) y0: Vec<f64>,
    /// Coefficients, one row of n after another.
    c: Vec<f64>,
    /// Nested in s and 1 - s alternately (DOP853), or in powers of s (Radau).
    alternating: bool,
}

impl Dense {
    pub(crate) fn new(t: f64, h: f64, y0: Vec<f64>, c: Vec<f64>, alternating: bool) -> Self {
        Self {
            t,
            h,
            y0,
            c,
            alternating,
        }
    }
    /// Was it an explicit step?
    pub(crate) fn explicit(&self) -> bool {
        self.alternating
    }
    /// The states at s.
    pub(crate) fn eval(&self, s: f64, out: &mut [f64]) {
        let n = self.y0.len();
        let rows = self.c.len() / n;
        for (i, out) in out[..n].iter_mut().enumerate() {
            let mut v = 0.0;
            for r in (0..rows).rev() {
                let factor = if self.alternating && r % 2 == 1 { 1.0 - s } else { s };
                v = (v + self.c[r * n + i]) * factor;
            }
            *out = self.y0[i] + v;
        }
    }
}
