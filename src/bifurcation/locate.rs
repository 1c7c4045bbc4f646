//! Root finding in a bracket, for locating special points along a curve.

/// Find a zero of `g` in the bracket (`a`, `ga`), (`b`, `gb`) with `ga · gb < 0`, to the resolution of the abscissa.
///
/// Chandrupatla's method: inverse quadratic interpolation when it is safe, bisection otherwise. `g` may fail, which
/// ends the search with the failure. Returns the abscissa of the smallest |g| met in the final bracket.
///
/// Reference: T. R. Chandrupatla, *A new hybrid quadratic/bisection algorithm*, Adv. Eng. Softw. 28 (1997) 145–149.
///
/// # Errors
/// What `g` reports.
pub fn bracketed_root<E>(
    mut a: f64,
    mut ga: f64,
    mut b: f64,
    mut gb: f64,
    tolerance: f64,
    mut g: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let mut t = ga / (ga - gb);
    if !(t > 0.0 && t < 1.0) {
        t = 0.5;
    }
    for _ in 0..200 {
        let x = a + t * (b - a);
        let gx = g(x)?;
        let (c, gc);
        if gx.is_sign_positive() == ga.is_sign_positive() {
            (c, gc) = (a, ga);
        } else {
            (c, gc) = (b, gb);
            (b, gb) = (a, ga);
        }
        (a, ga) = (x, gx);
        let best = if ga.abs() < gb.abs() { a } else { b };
        let width = (b - a).abs();
        let resolution = tolerance + 2.0 * f64::EPSILON * best.abs();
        if ga == 0.0 || width <= resolution {
            return Ok(best);
        }
        let least = (0.5 * resolution / width).min(0.5);
        let xi = (a - b) / (c - b);
        let phi = (ga - gb) / (gc - gb);
        t = if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
            ga / (gb - ga) * gc / (gb - gc) + (c - a) / (b - a) * ga / (gc - ga) * gb / (gc - gb)
        } else {
            0.5
        };
        t = t.clamp(least, 1.0 - least);
    }
    Ok(if ga.abs() < gb.abs() { a } else { b })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finds_simple_flat_and_steep_roots_to_rounding() {
        let cases: [(fn(f64) -> f64, f64, f64, f64); 4] = [
            (|x| x * x - 2.0, 0.0, 2.0, 2f64.sqrt()),
            (|x| (x - 1.0).powi(3), 0.2, 3.0, 1.0),
            (|x| (1e6 * (x - 0.3)).tanh(), -4.0, 9.0, 0.3),
            (|x| x.exp() - 1e8, 0.0, 30.0, 1e8f64.ln()),
        ];
        for (f, a, b, root) in cases {
            let mut count = 0;
            let x = bracketed_root(a, f(a), b, f(b), 1e-15, |x| {
                count += 1;
                Ok::<_, ()>(f(x))
            })
            .unwrap();
            assert!(
                (x - root).abs() < 1e-5 && (f(x).abs() < 1e-8 || (x - root).abs() < 1e-14),
                "{x} {root}"
            );
            assert!(count < 110, "{count}");
        }
    }
}
