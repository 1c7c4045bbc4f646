//! Zeros inside a bracket.

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

/// What [`newton_root`] found.
///
/// ```
/// use slipstick_numerics::roots::newton_root;
/// let square = |x: f64| Ok::<_, ()>((x * x - 2.0, 2.0 * x));
/// let root = newton_root((0.0, 2.0), -2.0, 1.0, (0.0, 2.0 * f64::EPSILON), square)?;
/// assert!((root.refined - 2f64.sqrt()).abs() < 1e-15 && (root.slope - 8f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), ()>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// The abscissa of the smallest modulus that was evaluated.
    pub at: f64,
    /// The slope there.
    pub slope: f64,
    /// The abscissa after the last update of Newton's method, which is not evaluated any more.
    pub refined: f64,
}

/// The zero between `a` and `b` of the function whose value and derivative `g` returns, by Newton's method from
/// `guess`, kept inside the shrinking bracket. At `a` the function has the sign of `ga`, at `b` the other. The
/// iteration ends with an update below `absolute + relative |x|`, where the bracket cannot shrink any more, and at `b`
/// itself.
///
/// # Errors
/// What `g` reports.
pub fn newton_root<E>(
    (mut a, mut b): (f64, f64),
    ga: f64,
    guess: f64,
    (absolute, relative): (f64, f64),
    mut g: impl FnMut(f64) -> Result<(f64, f64), E>,
) -> Result<Root, E> {
    let mut x = guess;
    let mut smallest = f64::INFINITY;
    let mut root = Root {
        at: x,
        slope: 0.0,
        refined: x,
    };
    for _ in 0..200 {
        let (value, slope) = g(x)?;
        root.refined = x;
        if value.abs() < smallest {
            smallest = value.abs();
            (root.at, root.slope) = (x, slope);
        }
        if value == 0.0 || x == b {
            break;
        }
        if value * ga > 0.0 {
            a = x;
        } else {
            b = x;
        }
        let newton = x - value / slope;
        let inside = (newton - a) * (newton - b) < 0.0;
        if (newton - x).abs() <= absolute + relative * x.abs() {
            root.refined = if inside { newton } else { x };
            break;
        }
        x = if inside { newton } else { 0.5 * (a + b) };
        if x == a || x == b {
            break;
        }
    }
    Ok(root)
}

/// The neighbouring numbers between `inside` and `outside` of which the first has the property and the second has not,
/// by bisection. `inside` has it and `outside` has not.
///
/// # Errors
/// What `holds` reports.
pub fn boundary<E>(
    mut inside: f64,
    mut outside: f64,
    mut holds: impl FnMut(f64) -> Result<bool, E>,
) -> Result<(f64, f64), E> {
    loop {
        let middle = 0.5 * (inside + outside);
        if middle == inside || middle == outside || middle.is_nan() {
            return Ok((inside, outside));
        }
        if holds(middle)? {
            inside = middle;
        } else {
            outside = middle;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// A monotone function, steep or flat at its zero, from a random guess in a bracket of either orientation.
        #[test]
        fn newton_in_a_bracket_ends_at_the_zero(
            zero in -3.0..3.0f64, left in 1e-6..5.0f64, right in 1e-6..5.0f64, steep in -3.0..3.0f64,
            guess in 0.0..1.0f64, turned in any::<bool>(), falls in any::<bool>(),
        ) {
            let sign = if falls { -1.0 } else { 1.0 };
            let steep = 10f64.powf(steep);
            let g = |x: f64| {
                let d = x - zero;
                Ok::<_, ()>((sign * ((steep * d).atan() + d.powi(3)), sign * (steep / (1.0 + (steep * d).powi(2)) + 3.0 * d * d)))
            };
            let (mut a, mut b) = (zero - left, zero + right);
            if turned {
                (a, b) = (b, a);
            }
            let root = newton_root((a, b), g(a).unwrap().0, a + guess * (b - a), (0.0, 2.0 * f64::EPSILON), g).unwrap();
            prop_assert!((root.refined - zero).abs() < 1e-14, "{root:?}");
            prop_assert!((root.at - zero).abs() < 1e-12, "{root:?}");
            let (inside, outside) = boundary(a, b, |x| Ok::<_, ()>(g(x)?.0 * g(a)?.0 > 0.0)).unwrap();
            prop_assert!((inside - zero).abs() < 1e-14 && (outside - zero).abs() < 1e-14);
            prop_assert!((outside - inside).abs() <= 2.0 * f64::EPSILON * zero.abs().max(left.min(right)).max(1e-300));
        }
    }
}
