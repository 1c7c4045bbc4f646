//! The multiplier of a smooth cycle of two states, by Liouville's formula.
//!
//! Of the two multipliers one is +1, that of the flow, and their product is `exp ∫ tr J dt`: the integral of the
//! divergence along the orbit is the logarithm of the other, also where the orbit lingers at an equilibrium.

use crate::segment::scheme::{Along, Profile};
use slipstick_continuation::Failure;
use slipstick_floquet::Multiplier;
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};
use slipstick_system::Jacobian;
use std::f64::consts::{LN_10, PI};

/// An integral by Gauss's formula and the sum of those over the two halves may differ by so much, in parts of one and
/// of the integral; the sum is better by some digits.
const CLOSE: f64 = 1e-10;
/// Intervals are halved at most so often.
const DEEPEST: u32 = 20;

/// A segment of the cycle, and the derivative (2×2 by rows) of the map to the start of the next one: the identity but
/// where half of a symmetric orbit ends.
pub(crate) struct Part<'a, 's> {
    pub(crate) profile: &'a dyn Profile,
    pub(crate) along: Along<'a, 's>,
    pub(crate) junction: &'a [f64],
}

/// The multiplier of a cycle in these parts (of half of it, if symmetric: the map between the states is a factor of the
/// determinant like any other), and how far the integrals over pieces of the meshes and over their halves are apart, in
/// decades.
pub(crate) fn multiplier(parts: &[Part<'_, '_>]) -> Result<(Multiplier, f64), Failure> {
    let (mut integral, mut apart, mut joined) = (0.0, 0.0, 1.0);
    for part in parts {
        let (own, between) = integral_of_divergence(part.profile, &part.along)?;
        integral += own;
        apart += between;
        if let [a, b, c, d] = *part.junction {
            joined *= a * d - b * c;
        }
    }
    let log10 = (integral + f64::ln(joined.abs())) / LN_10;
    let arg = if joined < 0.0 { PI } else { 0.0 };
    Ok((Multiplier { log10, arg }, apart / LN_10))
}

/// ∫ tr J dt over a segment, and how far the integrals over pieces of the mesh and over their halves are apart.
fn integral_of_divergence(profile: &dyn Profile, along: &Along<'_, '_>) -> Result<(f64, f64), Failure> {
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
