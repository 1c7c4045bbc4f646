//! Transition factors of a meshed segment of two states and a phase: the planar variational equation at fixed phase.

use crate::perturbation::Stability;
use crate::segment::collocation::Collocation;
use crate::segment::scheme::{Along, Profile};
use slipstick_continuation::Failure;
use slipstick_floquet::{PlanarMatrix, planar_transition};
use slipstick_system::Jacobian;

impl Collocation {
    /// Push the factors of the segment, whose state `phase` is the phase. Returns the defect in Liouville's identity,
    /// log₁₀: the trace as integrated along the steps of the variational equation less that by the Gauss points of the
    /// mesh. The latter is the more accurate one and settles the determinant.
    pub(crate) fn planar_factors(
        &self,
        work: &mut Stability,
        along: &Along<'_, '_>,
        phase: usize,
    ) -> Result<f64, Failure> {
        let field = along.mode.field.as_ref();
        let Along {
            start,
            block,
            duration,
            p,
            ..
        } = *along;
        let (i, j) = match phase {
            0 => (1, 2),
            1 => (0, 2),
            _ => (0, 1),
        };
        let (mut f, mut fx) = ([0.0; 3], [0.0; 9]);
        let mut jacobian = Jacobian::new(field, 3, p, &[]);
        // In units of the states' sizes slopes along a slow manifold are moderate, so that growth there is a sum
        // without cancellation.
        let mut sizes = [0.0f64; 3];
        for n in 0..=self.intervals() {
            for (size, v) in sizes.iter_mut().zip(self.node(start, block, n)) {
                *size = size.max(v.abs());
            }
        }
        let unit = |k: usize| if sizes[k] > 1e-100 { sizes[k] } else { 1.0 };
        let (unit_i, unit_j) = (unit(i), unit(j));
        let ratio = unit_j / unit_i;
        let mut at = |x: &[f64; 3]| -> PlanarMatrix {
            jacobian.at(x, &mut f, &mut fx, &mut []);
            [
                fx[3 * i + i],
                fx[3 * i + j] * ratio,
                fx[3 * j + i] / ratio,
                fx[3 * j + j],
            ]
        };
        let first = at(&[start[0], start[1], start[2]]);
        let widths = self.mesh.windows(2).map(|w| (w[1] - w[0]) * duration);
        let weights = &mut work.weights;
        let tolerance = (0.1 * self.options.tolerance).clamp(1e-13, 1e-9);
        let mut m = planar_transition(widths.clone(), tolerance, first, |piece, samples| {
            let u = self.node(start, block, piece.interval);
            let stages = self.stages(block, piece.interval);
            for (w, sample) in weights.of(&self.gauss, piece).iter().zip(samples) {
                let mut x = [w[0] * u[0], w[0] * u[1], w[0] * u[2]];
                for (w, v) in w[1..].iter().zip(stages.chunks_exact(3)) {
                    for (x, v) in x.iter_mut().zip(v) {
                        *x += w * v;
                    }
                }
                *sample = at(&x);
            }
        })
        .map_err(|e| Failure::Evaluation(e.to_string()))?;
        let stages = self.gauss.stages;
        let mut trace = 0.0;
        for (width, own) in widths.zip(self.fx.chunks_exact(9 * stages)) {
            for (weight, fx) in self.gauss.b.iter().zip(own.chunks_exact(9)) {
                trace += weight * width * (fx[4 * i] + fx[4 * j]);
            }
        }
        let defect = m.trace - trace;
        m.growth[1] -= defect;
        let chain = &mut work.chain;
        let scaled = chain
            .push(2, 2, &[unit_i.recip(), 0.0, 0.0, unit_j.recip()])
            .and_then(|()| m.push_to(chain))
            .and_then(|()| chain.push(2, 2, &[unit_i, 0.0, 0.0, unit_j]));
        scaled.map_err(|e| Failure::Evaluation(e.to_string()))?;
        Ok(defect / std::f64::consts::LN_10)
    }
}
