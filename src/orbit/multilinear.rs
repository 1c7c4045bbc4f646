//! The derivatives of fields and maps that normal forms are made of, exact, along given directions.

use nalgebra::{Complex, DVector};
use slipstick_flow::jet::{assembled, parts};
use slipstick_numerics::scalar::{Dual, Second, Third};
use slipstick_system::Function;

pub(super) type ComplexVector = DVector<Complex<f64>>;

/// The real and the imaginary part.
fn parts_of(v: &ComplexVector) -> [DVector<f64>; 2] {
    [v.map(|x| x.re), v.map(|x| x.im)]
}

/// The second and third derivatives of a map at a point, along given directions; not numbers where they cannot be had.
pub(super) trait Multilinear {
    /// `B(u, v)`.
    fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64>;
    /// `C(u, v, w)`.
    fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64>;
    /// `B(u, v)` by linearity in the real and imaginary parts.
    fn complex_second(&self, u: &ComplexVector, v: &ComplexVector) -> ComplexVector {
        let ([ur, ui], [vr, vi]) = (parts_of(u), parts_of(v));
        let re = self.second(&ur, &vr) - self.second(&ui, &vi);
        let im = self.second(&ur, &vi) + self.second(&ui, &vr);
        re.zip_map(&im, Complex::new)
    }
    /// `C(u, v, w)` likewise.
    fn complex_third(&self, u: &ComplexVector, v: &ComplexVector, w: &ComplexVector) -> ComplexVector {
        let (u, v, w) = (parts_of(u), parts_of(v), parts_of(w));
        let mut sum = ComplexVector::zeros(u[0].len());
        for (i, u) in u.iter().enumerate() {
            for (j, v) in v.iter().enumerate() {
                for (k, w) in w.iter().enumerate() {
                    let turn = Complex::i().powu((i + j + k) as u32);
                    sum += self.third(u, v, w).map(|x| turn * x);
                }
            }
        }
        sum
    }
    /// The first three derivatives by r, at this r, along the path `r w₁ + r² w₂ + …` through the point; none where
    /// they are not known beyond it.
    fn along(&self, path: &[DVector<f64>], r: f64) -> Option<[DVector<f64>; 3]> {
        let _ = (path, r);
        None
    }
    /// `B(u, u)` and `C(u, u, u)` next to the point on the way along u, where they may be others than at the point and
    /// on the way along -u; none where they are not.
    fn beside(&self, _: &DVector<f64>) -> Option<Side> {
        None
    }
    /// How far along u states become others by as much as they are large; none where that is not known.
    fn reach(&self, _: &DVector<f64>) -> Option<f64> {
        None
    }
}

/// Derivatives next to a point on the way along u.
pub(super) struct Side {
    /// `B(u, u)`.
    pub(super) second: DVector<f64>,
    /// `C(u, u, u)`.
    pub(super) third: DVector<f64>,
    /// How far away, in lengths of u.
    pub(super) off: f64,
}

/// A field, or a map applied several times, at the point `x`.
pub(super) struct Iterated<'a> {
    /// What is applied one after the other: one field, or the map as often as the cycle has points.
    pub(super) functions: Vec<&'a dyn Function>,
    pub(super) x: &'a [f64],
    pub(super) p: &'a [f64],
    /// The same with all corners as they are written, and the sizes of the states; none where there are no corners.
    pub(super) written: Option<(Vec<&'a dyn Function>, Vec<f64>)>,
}

impl Multilinear for Iterated<'_> {
    fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        second_at(&self.functions, self.x, self.p, (u, v))
    }

    fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64> {
        third_at(&self.functions, self.x, self.p, (u, v, w))
    }

    fn along(&self, path: &[DVector<f64>], r: f64) -> Option<[DVector<f64>; 3]> {
        let n = self.x.len();
        let mut y: Vec<Third> = (0..n)
            .map(|i| {
                // The path at r, with its derivatives there.
                let mut at = [self.x[i], 0.0, 0.0, 0.0];
                for (k, w) in path.iter().enumerate() {
                    let mut factor = w[i];
                    for (order, value) in at.iter_mut().enumerate() {
                        let power = k as i32 + 1 - order as i32;
                        if power >= 0 {
                            *value += factor * r.powi(power);
                            factor *= f64::from(power);
                        }
                    }
                }
                let [v, first, second, third] = at;
                assembled(&[v, first, first, second, first, second, second, third])
            })
            .collect();
        let constant = |&v: &f64| Dual::constant(Dual::constant(Dual::constant(v)));
        let p: Vec<Third> = self.p.iter().map(constant).collect();
        for function in &self.functions {
            let mut next = y.clone();
            function.third(&y, &p, &mut next);
            y = next;
        }
        let part = |k: usize| DVector::from_iterator(n, y.iter().map(|v| parts(v)[k]));
        Some([part(1), part(3), part(7)])
    }

    fn beside(&self, u: &DVector<f64>) -> Option<Side> {
        /// How far away, relative to the sizes of the states.
        const BESIDE: f64 = 1e-7;
        let (functions, sizes) = self.written.as_ref()?;
        let most = u.iter().zip(sizes).fold(0.0f64, |m, (u, size)| m.max(u.abs() / size));
        let off = BESIDE / most;
        let x: Vec<f64> = self.x.iter().zip(u).map(|(x, u)| x + off * u).collect();
        Some(Side {
            second: second_at(functions, &x, self.p, (u, u)),
            third: third_at(functions, &x, self.p, (u, u, u)),
            off,
        })
    }
}

/// `B(u, v)` of functions applied one after the other.
fn second_at(
    functions: &[&dyn Function],
    x: &[f64],
    p: &[f64],
    (u, v): (&DVector<f64>, &DVector<f64>),
) -> DVector<f64> {
    let n = x.len();
    let mut y: Vec<Second> = (0..n).map(|i| Second::mixed(x[i], u[i], v[i])).collect();
    let p: Vec<Second> = p.iter().map(|&v| Dual::constant(Dual::constant(v))).collect();
    for function in functions {
        let mut next = y.clone();
        function.second(&y, &p, &mut next);
        y = next;
    }
    DVector::from_iterator(n, y.iter().map(|v| v.eps[0].eps[0]))
}

/// `C(u, v, w)` of functions applied one after the other.
fn third_at(
    functions: &[&dyn Function],
    x: &[f64],
    p: &[f64],
    (u, v, w): (&DVector<f64>, &DVector<f64>, &DVector<f64>),
) -> DVector<f64> {
    let n = x.len();
    let mut y: Vec<Third> = (0..n).map(|i| Third::mixed(x[i], u[i], v[i], w[i])).collect();
    let constant = |&v: &f64| Dual::constant(Dual::constant(Dual::constant(v)));
    let p: Vec<Third> = p.iter().map(constant).collect();
    for function in functions {
        let mut next = y.clone();
        function.third(&y, &p, &mut next);
        y = next;
    }
    DVector::from_iterator(n, y.iter().map(|v| v.eps[0].eps[0].eps[0]))
}
