//! The multiplier of a smooth cycle of two states, by Liouville's formula.
//!
//! Of the two multipliers one is +1, that of the flow, and their product is `exp ∫ tr J dt`: the integral of the
//! divergence along the orbit is the logarithm of the other, also where the orbit lingers at an equilibrium.

use crate::segment::scheme::{Along, Profile};
use slipstick_continuation::Failure;
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};
use slipstick_system::Jacobian;

/// An integral by Gauss's formula and the sum of those over the two halves may differ by so much, in parts of one and
/// of the integral; the sum is better by some digits.
const CLOSE: f64 = 1e-10;
/// Intervals are halved at most so often.
const DEEPEST: u32 = 20;

/// ∫ tr J dt over a segment, and how far the integrals over pieces of the mesh and over their halves are apart.
pub(crate) fn integral_of_divergence(profile: &dyn Profile, along: &Along<'_, '_>) -> Result<(f64, f64), Failure> {
    let gauss = &Tableau::gauss(MOST_STAGES);
    let mut jacobian = Jacobian::new(along.mode.field.as_ref(), 2, along.p, &[]);
    let (mut x, mut f, mut fx) = ([0.0; 2], [0.0; 2], [0.0; 4]);
    let (mut integral, mut apart) = (0.0, 0.0);
    // Pieces of the interval that are still to come, the next one last: where they begin, how often they were halved,
    // and the integral over them.
    let mut pieces: Vec<(f64, u32, f64)> = vec![];
    for (j, pair) in profile.mesh().windows(2).enumerate() {
        let h = (pair[1] - pair[0]) * along.duration;
        let mut divergence = |begin: f64, width: f64| -> f64 {
            let nodes = gauss.b.iter().zip(&gauss.c);
            let weighted = nodes.map(|(b, c)| {
                profile.eval_in(along.start, along.block, j, begin + c * width, &mut x);
                jacobian.at(&x, &mut f, &mut fx, &mut []);
                b * (fx[0] + fx[3])
            });
            h * width * weighted.sum::<f64>()
        };
        pieces.push((0.0, 0, divergence(0.0, 1.0)));
        while let Some((begin, level, whole)) = pieces.pop() {
            let width = 0.5f64.powi(level as i32 + 1);
            let (first, second) = (divergence(begin, width), divergence(begin + width, width));
            let sum = first + second;
            if !sum.is_finite() {
                return Err(Failure::Evaluation(
                    "the divergence of the equations is not finite along the orbit".into(),
                ));
            }
            if (sum - whole).abs() <= CLOSE * (1.0 + sum.abs()) || level == DEEPEST {
                integral += sum;
                apart += (sum - whole).abs();
            } else {
                pieces.extend([(begin + width, level + 1, second), (begin, level + 1, first)]);
            }
        }
    }
    Ok((integral, apart))
}
