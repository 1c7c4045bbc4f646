//! What multipliers tend to at a place where they cannot be measured.

use slipstick_floquet::Multiplier;

/// What multipliers may be off a limit, and off a straight line towards it, for sizes of one.
const STRAIGHT: f64 = 1e-6;

/// A multiplier whose log₁₀ is no more than this is zero to rounding.
const TINY: f64 = -12.0;

/// Is a multiplier nothing but rounding?
fn is_zero(m: &Multiplier) -> bool {
    m.log10 <= TINY
}

/// Are these multipliers the same ones?
pub(crate) fn are_near(a: &[Multiplier], b: &[Multiplier]) -> bool {
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= STRAIGHT * (1.0 + a.abs().min(b.abs()));
    let same =
        |(a, b): (&Multiplier, &Multiplier)| is_zero(a) && is_zero(b) || near(a.log10, b.log10) && near(a.arg, b.arg);
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// What multipliers at one, two and four times a distance tend to; none where they follow no straight line.
///
/// ```
/// use slipstick_bifurcation::limit_of_multipliers;
/// use slipstick_floquet::Multiplier;
/// let beside = [1.0, 2.0, 4.0].map(|distance| vec![Multiplier { log10: -0.3 + 1e-4 * distance, arg: 0.0 }]);
/// let limit = limit_of_multipliers([&beside[0], &beside[1], &beside[2]]).ok_or("no limit")?;
/// assert!((limit[0].log10 + 0.3).abs() < 1e-15);
/// # Ok::<(), &str>(())
/// ```
pub fn limit_of_multipliers([a, b, c]: [&[Multiplier]; 3]) -> Option<Vec<Multiplier>> {
    if a.len() != b.len() || a.len() != c.len() {
        return None;
    }
    let line = |a: f64, b: f64, c: f64| {
        if a == b && b == c {
            return Some(a);
        }
        let limit = 2.0 * a - b;
        // What comes to the unit circle does not pass it on the way.
        let limit = if limit * a < 0.0 && limit.abs() <= STRAIGHT {
            0.0
        } else {
            limit
        };
        let straight = (c - (3.0 * b - 2.0 * a)).abs() <= STRAIGHT * (1.0 + a.abs());
        (straight && limit.is_finite()).then_some(limit)
    };
    let all = a.iter().zip(b).zip(c);
    all.map(|((a, b), c)| {
        if [a, b, c].into_iter().all(is_zero) {
            return Some(*a);
        }
        Some(Multiplier {
            log10: line(a.log10, b.log10, c.log10)?,
            arg: line(a.arg, b.arg, c.arg)?,
        })
    })
    .collect()
}
