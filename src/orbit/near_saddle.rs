//! The direction of the flow where an orbit lingers at an equilibrium, as near a homoclinic orbit.
//!
//! There the field is too small to be evaluated. Its direction obeys the variational equation, but whichever way that
//! is followed the rounding errors grow at the rate at which the orbit leaves, or arrived, and take over in the end. So
//! the part that decays is followed from the arrival, kept in the stable directions of the equilibrium, the part that
//! grows is followed backwards from the departure, kept in the unstable ones, and the direction is that of their sum,
//! whose sizes are kept as logarithms.

use nalgebra::{DMatrix, DVector};
use slipstick_numerics::linalg::norm;

/// What is known of a stretch of nodes where an orbit is slow, between two where it is not.
pub(super) struct Stretch<'a> {
    /// The field at the node before the stretch.
    pub(super) arrival: &'a [f64],
    /// The field at the node after it.
    pub(super) departure: &'a [f64],
    /// The transition matrices (n×n by rows) from the node before to the first of the stretch, and so on to the node
    /// after.
    pub(super) transitions: Vec<&'a [f64]>,
    /// The Jacobian of the field where the orbit is slowest, n×n by rows.
    pub(super) jacobian: Vec<f64>,
}

/// A vector whose size may be anything: a unit vector, and the logarithm of its length.
#[derive(Clone)]
struct Sized {
    unit: DVector<f64>,
    log: f64,
}

impl Sized {
    fn new(v: DVector<f64>, log: f64) -> Option<Self> {
        let length = norm(v.as_slice());
        (length > 0.0 && length.is_finite()).then(|| Self {
            unit: v / length,
            log: log + length.ln(),
        })
    }
}

impl Stretch<'_> {
    /// The direction of the flow at each node of the stretch; `None` where no saddle explains it.
    pub(super) fn directions(&self) -> Option<Vec<Vec<f64>>> {
        let n = self.arrival.len();
        let unstable = unstable_projection(&DMatrix::from_row_slice(n, n, &self.jacobian))?;
        let stable = DMatrix::identity(n, n) - &unstable;
        let matrices: Vec<DMatrix<f64>> = self
            .transitions
            .iter()
            .map(|t| DMatrix::from_row_slice(n, n, t))
            .collect();
        let mut decaying = Vec::with_capacity(matrices.len());
        let mut here = Sized::new(DVector::from_row_slice(self.arrival), 0.0)?;
        for matrix in &matrices[..matrices.len() - 1] {
            here = Sized::new(&stable * (matrix * &here.unit), here.log)?;
            decaying.push(here.clone());
        }
        let mut growing = Vec::with_capacity(matrices.len());
        let mut here = Sized::new(DVector::from_row_slice(self.departure), 0.0)?;
        for matrix in matrices[1..].iter().rev() {
            let image = matrix.clone().lu().solve(&here.unit)?;
            here = Sized::new(&unstable * image, here.log)?;
            growing.push(here.clone());
        }
        let sums = decaying.iter().zip(growing.iter().rev()).map(|(p, q)| {
            let most = p.log.max(q.log);
            let sum = &p.unit * (p.log - most).exp() + &q.unit * (q.log - most).exp();
            sum.as_slice().to_vec()
        });
        Some(sums.collect())
    }
}

/// The projection onto the unstable eigenspace along the stable one, `(I + sign A) / 2`; `None` unless A is a saddle,
/// well off the imaginary axis.
///
/// The sign is found by Newton's iteration `S ← (c S + (c S)⁻¹) / 2` with c = |det S|^(-1/n) (Roberts 1980, *Int. J.
/// Control* 32; Byers 1987, *Linear Algebra Appl.* 85).
fn unstable_projection(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    const ITERATIONS: usize = 40;
    let n = a.nrows();
    let mut sign = a.clone();
    for _ in 0..ITERATIONS {
        let inverse = sign.clone().try_inverse()?;
        let scale = sign.determinant().abs().powf(-1.0 / n as f64);
        if !(scale.is_finite() && scale > 0.0) {
            return None;
        }
        let next = (&sign * scale + inverse / scale) * 0.5;
        let change = (&next - &sign).norm();
        sign = next;
        if change <= 1e-13 * sign.norm() {
            let dimension = 0.5 * (n as f64 + sign.trace());
            let saddle = dimension > 0.5 && dimension < n as f64 - 0.5;
            return saddle.then(|| (DMatrix::identity(n, n) + sign) * 0.5);
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_splits_a_saddle() {
        // Eigenvalues 2, -1 ± 3i in a skew basis.
        let basis = DMatrix::from_row_slice(3, 3, &[1.0, 0.3, -0.2, 0.5, 1.0, 0.1, -0.4, 0.2, 1.0]);
        let blocks = DMatrix::from_row_slice(3, 3, &[2.0, 0.0, 0.0, 0.0, -1.0, 3.0, 0.0, -3.0, -1.0]);
        let inverse = basis.clone().try_inverse().unwrap();
        let p = unstable_projection(&(&basis * blocks * &inverse)).unwrap();
        let first = DMatrix::from_row_slice(3, 3, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert!((p - &basis * first * &inverse).norm() < 1e-13);
        let node = DMatrix::from_row_slice(2, 2, &[-1.0, 2.0, 0.0, -3.0]);
        assert!(unstable_projection(&node).is_none());
        let centre = DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -1.0, 0.0]);
        assert!(unstable_projection(&centre).is_none());
    }

    #[test]
    fn the_flow_turns_where_its_parts_are_equally_large() {
        // x' = -x, y' = 2y for 300 time units, far beyond what either direction of integration can follow.
        let (h, count) = (0.5f64, 600);
        let step = [(-h).exp(), 0.0, 0.0, (2.0 * h).exp()];
        let stretch = Stretch {
            arrival: &[-1e-4, 0.0],
            departure: &[0.0, 1e-4],
            transitions: vec![&step; count],
            jacobian: vec![-1.0, 0.0, 0.0, 2.0],
        };
        let directions = stretch.directions().unwrap();
        assert_eq!(directions.len(), count - 1);
        for (k, d) in directions.iter().enumerate() {
            let t = (k + 1) as f64 * h;
            // x = -1e-4 e^{-t}, y = 1e-4 e^{2(t-300)}
            let log_ratio = 2.0 * (t - 300.0) + t;
            let ratio = -d[1] / d[0];
            if log_ratio.abs() < 600.0 {
                assert!((ratio.ln() - log_ratio).abs() < 1e-9, "{t}: {ratio}");
            }
        }
    }
}
