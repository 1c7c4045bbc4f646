//! Normal forms of bifurcations of maps, with random coefficients and the coefficient that the program must print: the
//! rooms write them down in coordinates of their own, of maps and of the returns of orbits with events.

use super::random::Random;

/// u1 → -(1 + q - q0) u1 + α u1² + β u1³.
pub(crate) struct Doubling {
    pub(crate) q0: f64,
    pub(crate) field: String,
    /// α² + β, for a null vector of length one in u.
    pub(crate) c: f64,
    pub(crate) word: &'static str,
}

impl Doubling {
    pub(crate) fn random(random: &mut Random) -> Self {
        let (q0, alpha, beta) = (
            random.between(-0.4, 0.4),
            random.between(-2.0, 2.0),
            random.between(-2.0, 2.0),
        );
        let c = alpha * alpha + beta;
        Self {
            q0,
            field: format!("-(1 + q - ({q0:?}))*u1 + ({alpha:?})*u1^2 + ({beta:?})*u1^3"),
            c,
            word: if c > 0.0 { "supercritical" } else { "subcritical" },
        }
    }
}

/// z → (1 + q - q0) e^{iθ} z (1 + (d + i e) |z|²), away from the resonances.
pub(crate) struct Rotation {
    pub(crate) q0: f64,
    pub(crate) fields: Vec<String>,
    /// Re d, times two for the unit vector of length one.
    pub(crate) d: f64,
    pub(crate) word: &'static str,
}

impl Rotation {
    pub(crate) fn random(random: &mut Random) -> Self {
        let (q0, d, e) = (
            random.between(-0.4, 0.4),
            random.between(-2.0, 2.0),
            random.between(-2.0, 2.0),
        );
        let theta: f64 = random.between(0.2, 1.4) + if random.below(2) == 0 { 0.0 } else { 1.45 };
        let (s, c) = theta.sin_cos();
        let r2 = "(u1^2+u2^2)";
        let grown = |sine: f64, cosine: f64| {
            // (cos + i sin)(u1 + i u2)(1 + (d + i e) r²), real part with these.
            format!(
                "(1 + q - ({q0:?}))*(({cosine:?})*(u1*(1 + ({d:?})*{r2}) - u2*({e:?})*{r2}) + ({sine:?})*(u2*(1 + ({d:?})*{r2}) + u1*({e:?})*{r2}))"
            )
        };
        Self {
            q0,
            fields: vec![grown(-s, c), grown(c, s)],
            // |z|² is 2 |w|² where z = √2 w for the unit vector (1, -i)/√2.
            d: 2.0 * d,
            word: if d < 0.0 { "supercritical" } else { "subcritical" },
        }
    }
}
