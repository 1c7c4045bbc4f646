//! The two eigenvalues of a 2×2 product of matrices, of whatever size.
//!
//! A product of orthogonally reduced factors is `H·T` with `H` a full 2×2 matrix of ordinary doubles and `T` the
//! product of upper triangular ones. Each entry of `T` is a sum of products of entries of the factors, each entering
//! once, so rounding acts like a relative perturbation of the factors' own entries: nothing is lost by multiplying `T`
//! out in scaled numbers.

use super::scaled::Scaled;

/// An eigenvalue of a real matrix product, or a pair of them.
///
/// ```
/// use slipstick_numerics::linalg::scaled::Scaled;
/// use slipstick_numerics::linalg::scaled_eigen::{Eigenvalue, ScaledTriangle, eigenvalues_2x2};
/// // [0 -4; 1 0] turns by a right angle: the eigenvalues are ±2i.
/// let (pair, _) = eigenvalues_2x2([0.0, -4.0, 1.0, 0.0], &ScaledTriangle::IDENTITY, Scaled::from(4.0));
/// let Eigenvalue::Pair { modulus, arg } = pair else { panic!("not real") };
/// assert!((modulus.to_f64() - 2.0).abs() < 1e-15 && (arg - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Eigenvalue {
    /// A real eigenvalue.
    Real(Scaled),
    /// A complex conjugate pair: modulus and the argument of its upper member, in (0, π).
    Pair {
        /// The common modulus.
        modulus: Scaled,
        /// The argument of the member with positive imaginary part.
        arg: f64,
    },
}

/// The upper triangular product `[a b; 0 d]`.
///
/// ```
/// use slipstick_numerics::linalg::scaled_eigen::ScaledTriangle;
/// // [10³⁰⁰ 1; 0 10⁻³⁰⁰] three times: no entry is lost.
/// let mut product = ScaledTriangle::IDENTITY;
/// for _ in 0..3 {
///     product.prepend(1e300, 1.0, 1e-300);
/// }
/// assert!((product.a.log10() - 900.0).abs() < 1e-10 && (product.d.log10() + 900.0).abs() < 1e-10);
/// assert!((product.b.log10() - 600.0).abs() < 1e-10);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ScaledTriangle {
    /// Upper left entry.
    pub a: Scaled,
    /// Upper right entry.
    pub b: Scaled,
    /// Lower right entry.
    pub d: Scaled,
}

impl ScaledTriangle {
    /// The identity.
    pub const IDENTITY: Self = Self {
        a: Scaled::ONE,
        b: Scaled::ZERO,
        d: Scaled::ONE,
    };

    /// Multiply by `[a b; 0 d]` from the left.
    #[inline]
    pub fn prepend(&mut self, a: f64, b: f64, d: f64) {
        self.b = self.b * a + self.d * b;
        self.a = self.a * a;
        self.d = self.d * d;
    }
}

/// The eigenvalues of `H·T`, `H = [h₀ h₁; h₂ h₃]`, given `det = det H · det T` to the accuracy the caller has it.
///
/// Real eigenvalues of very different size both come out with full relative accuracy: the larger from trace and
/// discriminant, the smaller from the determinant. The discriminant is taken from the entries or from trace and
/// determinant, whichever is rounded less: the first keeps nearly equal eigenvalues apart, the second those of opposite
/// sign.
///
/// Returns one or two items: `[Real, Real]` or `[Pair, _]` with the second absent.
pub fn eigenvalues_2x2(h: [f64; 4], t: &ScaledTriangle, det: Scaled) -> (Eigenvalue, Option<Eigenvalue>) {
    let (p11, p21) = (t.a * h[0], t.a * h[2]);
    let (u, v) = (t.b * h[0], t.d * h[1]);
    let (w, z) = (t.b * h[2], t.d * h[3]);
    let (p12, p22) = (u + v, w + z);

    let half_trace = (p11 + p22).shifted(-1);
    let half_difference = (p11 - p22).shifted(-1);
    let size_of_diagonal = p11.abs() + w.abs() + z.abs();

    let by_entries = half_difference * half_difference + p12 * p21;
    let error_by_entries = half_difference.abs() * size_of_diagonal + (u.abs() + v.abs()) * p21.abs();
    let by_trace = half_trace * half_trace - det;
    let error_by_trace = half_trace.abs() * size_of_diagonal + det.abs();
    let discriminant = if error_by_entries.cmp_abs(error_by_trace).is_le() {
        by_entries
    } else {
        by_trace
    };

    if discriminant.is_negative() && det.is_positive() {
        let scale = det.sqrt();
        let x = (half_trace / scale).to_f64();
        let y = ((-discriminant).sqrt() / scale).to_f64();
        let pair = Eigenvalue::Pair {
            modulus: scale,
            arg: y.atan2(x),
        };
        return (pair, None);
    }
    let root = discriminant.abs().sqrt();
    let large = if half_trace.is_negative() {
        half_trace - root
    } else {
        half_trace + root
    };
    let small = if large.is_zero() { Scaled::ZERO } else { det / large };
    (Eigenvalue::Real(large), Some(Eigenvalue::Real(small)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eigen(m: [f64; 4]) -> (Eigenvalue, Option<Eigenvalue>) {
        let det = Scaled::from(m[0] * m[3]) - Scaled::from(m[1] * m[2]);
        eigenvalues_2x2(m, &ScaledTriangle::IDENTITY, det)
    }

    fn reals(m: [f64; 4]) -> [f64; 2] {
        match eigen(m) {
            (Eigenvalue::Real(a), Some(Eigenvalue::Real(b))) => [a.to_f64(), b.to_f64()],
            other => panic!("{m:?}: {other:?}"),
        }
    }

    #[test]
    fn nearly_equal_eigenvalues_stay_apart() {
        let [a, b] = reals([1.0, 0.0, 0.0, 1.0 + 1e-12]);
        assert!((a - b - 1e-12).abs() < 4e-16, "{a} {b}");
    }

    #[test]
    fn opposite_eigenvalues_of_a_far_from_normal_matrix() {
        // trace 0, determinant -1, entries 1e6
        let [a, b] = reals([1e6, 1e6 + 1.0, -(1e6 - 1.0), -1e6]);
        assert!((a - 1.0).abs() < 1e-9 && (b + 1.0).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn rotations_and_nilpotent_matrices() {
        let (s, c) = 2.0f64.sin_cos();
        let (pair, none) = eigen([3.0 * c, -3.0 * s, 3.0 * s, 3.0 * c]);
        let Eigenvalue::Pair { modulus, arg } = pair else {
            panic!("{pair:?}")
        };
        assert!(none.is_none() && (modulus.to_f64() - 3.0).abs() < 1e-15 && (arg - 2.0).abs() < 1e-15);
        assert_eq!(reals([0.0, 1.0, 0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(reals([0.0; 4]), [0.0, 0.0]);
        assert_eq!(reals([1.0, 1.0, 0.0, 1.0]), [1.0, 1.0]);
    }

    #[test]
    fn huge_and_tiny_eigenvalues_of_one_product() {
        // T = diag(10^400, 10^-700), H a rotation by 0.3: both eigenvalues and their product are known to first order.
        let mut t = ScaledTriangle::IDENTITY;
        for _ in 0..4 {
            t.prepend(1e100, 0.0, 1e-175);
        }
        let (s, c) = 0.3f64.sin_cos();
        let det = t.a * t.d;
        let (large, small) = eigenvalues_2x2([c, -s, s, c], &t, det);
        let (Eigenvalue::Real(large), Some(Eigenvalue::Real(small))) = (large, small) else {
            panic!()
        };
        assert!((large.log10() - 400.0 - c.log10()).abs() < 1e-12);
        assert!((small.log10() + 700.0 + c.log10()).abs() < 1e-12);
    }
}
