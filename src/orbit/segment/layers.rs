//! Transition factors of a meshed segment of two states and a phase: the planar variational equation at fixed phase.

use crate::perturbation::Stability;
use crate::segment::collocation::Collocation;
use crate::segment::scheme::{Along, Profile};
use slipstick_continuation::Failure;
use slipstick_floquet::{PlanarMatrix, planar_transition};
use slipstick_system::Jacobian;

impl Collocation {
    /// The ratio of units of states j and i in which the largest effects of each on the other are alike.
    fn ratio_of_drives(&self, along: &Along<'_, '_>, (i, j): (usize, usize)) -> Option<f64> {
        let (mut f, mut fx) = ([0.0; 3], [0.0; 9]);
        let mut jacobian = Jacobian::new(along.mode.field.as_ref(), 3, along.p, &[]);
        let (mut of_j, mut of_i) = (0.0f64, 0.0f64);
        for n in 0..=self.intervals() {
            jacobian.at(self.node(along.start, along.block, n), &mut f, &mut fx, &mut []);
            of_j = of_j.max(fx[3 * i + j].abs());
            of_i = of_i.max(fx[3 * j + i].abs());
        }
        Some((of_i / of_j).sqrt()).filter(|ratio| ratio.is_normal())
    }

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
        let tolerance = (0.1 * self.options.tolerance).clamp(1e-13, 1e-9);
        let widths = self.mesh.windows(2).map(|w| (w[1] - w[0]) * duration);
        let weights = &mut work.weights;
        let mut follow = |ratio: f64| {
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
            planar_transition(widths.clone(), tolerance, first, |piece, samples| {
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
        };
        // A state that hardly moves about a mean far from zero is larger than what perturbs it: where slopes are too
        // steep to be followed for that, states count in units in which they drive each other alike.
        let (mut m, unit_i, unit_j) = follow(unit_j / unit_i)
            .map(|m| (m, unit_i, unit_j))
            .or_else(|why| {
                let ratio = self.ratio_of_drives(along, (i, j)).ok_or(why)?;
                follow(ratio).map(|m| (m, 1.0, ratio)).map_err(|_| why)
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
