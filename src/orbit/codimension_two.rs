//! Normal-form coefficients at equilibria, and points of maps, of codimension two.
//!
//! Reference: Yu. A. Kuznetsov, *Numerical normalization techniques for all codim 2 bifurcations of equilibria in
//! ODE's*, SIAM J. Numer. Anal. 36 (1999), 1104–1124.

use crate::linear::Linear;
use crate::multilinear::ComplexVector;
use crate::normal_form::{Coefficient, Expansion, product};
use nalgebra::{Complex, DMatrix, DVector};
use slipstick_numerics::linalg::eigen::{Eigenvectors, phase};
use slipstick_numerics::linalg::singular::Singular;

/// `w₀' = w₁, w₁' = a w₀² + b w₀ w₁ + …` where two eigenvalues are zero and have one eigenvector.
#[derive(Clone, Copy, Debug)]
pub(super) struct BogdanovTakens {
    pub(super) a: Coefficient,
    pub(super) b: Coefficient,
}

/// `ξ' = β₁ + ξ² + s ρ², ρ' = ρ (β₂ + θ ξ + E ξ²)` where an eigenvalue is zero and a pair is on the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct ZeroHopf {
    /// Its sign is that of s.
    pub(super) s: Coefficient,
    pub(super) theta: Coefficient,
    /// E.
    pub(super) cubic: f64,
}

/// `r₁' = r₁ (μ₁ + p₁₁ r₁² + p₁₂ r₂²), r₂' = r₂ (μ₂ + p₂₁ r₁² + p₂₂ r₂²)` where two pairs are on the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubleHopf {
    pub(super) p11: Coefficient,
    pub(super) p12: Coefficient,
    pub(super) p21: Coefficient,
    pub(super) p22: Coefficient,
}

fn conjugate(v: &ComplexVector) -> ComplexVector {
    v.map(|x| x.conj())
}

fn complex(v: &DVector<f64>) -> ComplexVector {
    v.map(|x| Complex::new(x, 0.0))
}

impl Expansion<'_> {
    /// `(s - A)⁻¹ r`.
    pub(super) fn resolve(&self, s: Complex<f64>, r: &ComplexVector) -> Option<ComplexVector> {
        self.linear.complex_resolve(s, r)
    }

    /// The solution of `(λ - A) h = r - ⟨p, r⟩ q` with `⟨p, h⟩ = 0` for an eigenvalue λ with these vectors.
    pub(super) fn resolve_beside(
        &self,
        eigenvalue: Complex<f64>,
        vectors: &Eigenvectors<Complex<f64>>,
        r: &ComplexVector,
    ) -> Option<ComplexVector> {
        let Linear::Dense(matrix) = &self.linear else {
            return None;
        };
        let (n, q, p) = (matrix.nrows(), &vectors.right, &vectors.left);
        let mut bordered = DMatrix::zeros(n + 1, n + 1);
        for i in 0..n {
            for j in 0..n {
                bordered[(i, j)] = Complex::new(-matrix[(i, j)], 0.0);
            }
            bordered[(i, i)] += eigenvalue;
            bordered[(i, n)] = q[i];
            bordered[(n, i)] = p[i].conj();
        }
        let mut rhs = DVector::zeros(n + 1);
        rhs.rows_mut(0, n).copy_from(r);
        let solved = bordered.lu().solve(&rhs)?;
        Some(solved.rows(0, n).into_owned())
    }

    /// The coefficients where two eigenvalues are zero: with `A q₀ = 0`, `A q₁ = q₀`, `Aᵀ p₁ = 0`, `Aᵀ p₀ = p₁` and
    /// `⟨pᵢ, qⱼ⟩ = δᵢⱼ` they are `a = ⟨p₁, B(q₀, q₀)⟩/2` and `b = ⟨p₀, B(q₀, q₀)⟩ + ⟨p₁, B(q₀, q₁)⟩`. The sizes of the
    /// states tell what is zero.
    pub(super) fn bogdanov_takens(&self, sizes: &[f64]) -> Option<BogdanovTakens> {
        let Linear::Dense(matrix) = &self.linear else {
            return None;
        };
        let n = matrix.nrows();
        let scaled = DMatrix::from_fn(n, n, |i, j| matrix[(i, j)] * sizes[j] / sizes[i]);
        let right = Singular::of(&scaled)?.least();
        let left = Singular::of(&scaled.transpose())?.least();
        let largest = scaled.amax();
        let bordered = DMatrix::from_fn(n + 1, n + 1, |i, j| match (i < n, j < n) {
            (true, true) => scaled[(i, j)],
            (true, false) => largest * left[i],
            (false, true) => largest * right[j],
            (false, false) => 0.0,
        });
        let solved = |matrix: DMatrix<f64>, rhs: &DVector<f64>| {
            let rhs = DVector::from_fn(n + 1, |i, _| if i < n { rhs[i] } else { 0.0 });
            Some(matrix.lu().solve(&rhs)?.rows(0, n).into_owned())
        };
        let above = solved(bordered.clone(), &right)?;
        let below = solved(bordered.transpose(), &left)?;
        let column = |v: &DVector<f64>| DVector::from_fn(n, |i, _| v[i] * sizes[i]);
        let row = |v: &DVector<f64>| DVector::from_fn(n, |i, _| v[i] / sizes[i]);
        let (q0, q1, p0, p1) = (column(&right), column(&above), row(&below), row(&left));
        let unit = |i: usize| self.units.get(i).copied().unwrap_or(1.0);
        let own = DVector::from_fn(n, |i, _| q0[i] * unit(i));
        let length = own.norm() * phase(&own);
        let overlap = p1.dot(&q1);
        let (q0, q1) = (q0 / length, q1 / length);
        let (p0, p1) = (p0 * (length / overlap), p1 * (length / overlap));
        let p0 = &p0 - &p1 * p0.dot(&q1);
        let quadratic = self.second(&q0, &q0);
        let terms = |p: &DVector<f64>, v: &DVector<f64>, factor: f64| p.component_mul(v) * factor;
        let a = terms(&p1, &quadratic, 0.5);
        let b = [terms(&p0, &quadratic, 1.0), terms(&p1, &self.second(&q0, &q1), 1.0)];
        Some(BogdanovTakens {
            a: Coefficient::sum(a.iter().copied()),
            b: Coefficient::sum(b.iter().flat_map(|terms| terms.iter().copied())),
        })
    }

    /// The coefficients where an eigenvalue is zero and a pair is ±iω; E is that of Gavrilov's form, which changes of
    /// the coordinates and of time leave alone.
    pub(super) fn zero_hopf(&self, omega: f64) -> Option<ZeroHopf> {
        let zero = self.real_eigenvectors(0.0)?;
        let turn = Complex::new(0.0, omega);
        let pair = self.eigenvectors(turn)?;
        let along = |v: &ComplexVector| Coefficient::sum(zero.left.iter().zip(v).map(|(p, v)| p * v.re));
        let (q0, q1, back) = (complex(&zero.right), &pair.right, conjugate(&pair.right));
        let of_zero = self.complex_second(&q0, &q0);
        let of_pair = self.complex_second(q1, &back);
        let mixed = self.complex_second(&q0, q1);
        let off_zero = |r: &ComplexVector| {
            let h = self.linear.resolve_off(0.0, &zero, &r.map(|x| -x.re))?;
            Some(complex(&h))
        };
        let h200 = off_zero(&of_zero)?;
        let h011 = off_zero(&of_pair)?;
        let h020 = self.resolve(turn * 2.0, &self.complex_second(q1, q1))?;
        let h110 = self.resolve_beside(turn, &pair, &mixed)?;
        let second = |u: &ComplexVector, v: &ComplexVector| self.complex_second(u, v);
        let third = |u: &ComplexVector, v: &ComplexVector, w: &ComplexVector| self.forms.complex_third(u, v, w);
        let g200 = along(&of_zero);
        let g011 = along(&of_pair);
        let g110 = product(&pair.left, &mixed);
        let g300 = along(&(third(&q0, &q0, &q0) + second(&q0, &h200) * Complex::new(3.0, 0.0))).value;
        let g111 = third(&q0, q1, &back) + second(q1, &conjugate(&h110)) + second(&back, &h110) + second(&q0, &h011);
        let g111 = along(&g111).value;
        let two = Complex::new(2.0, 0.0);
        let g210 = product(
            &pair.left,
            &(third(&q0, &q0, q1) + second(&q0, &h110) * two + second(q1, &h200)),
        );
        let g021 = product(
            &pair.left,
            &(third(q1, q1, &back) + second(q1, &h011) * two + second(&back, &h020)),
        );
        let inner = g021.re / g011.value - g300 / g200.value + g111 / g011.value;
        let along_pair = (g210 + g110 * inner - g021 * g200.value / (2.0 * g011.value)).re / 2.0;
        Some(ZeroHopf {
            s: Coefficient {
                value: g200.value * g011.value,
                terms: g200.terms * g011.terms,
            },
            theta: Coefficient {
                value: 2.0 * g110.re / g200.value,
                terms: 2.0 * g110.norm() / g200.value.abs(),
            },
            cubic: along_pair * (2.0 / g200.value).powi(2),
        })
    }

    /// The coefficients where two pairs are ±iω₁ and ±iω₂.
    pub(super) fn double_hopf(&self, omegas: [f64; 2]) -> Option<DoubleHopf> {
        let turns = omegas.map(|omega| Complex::new(0.0, omega));
        let pairs = [self.eigenvectors(turns[0])?, self.eigenvectors(turns[1])?];
        let zero = Complex::new(0.0, 0.0);
        let mean = |k: usize| {
            let q = &pairs[k].right;
            self.resolve(zero, &self.complex_second(q, &conjugate(q)))
        };
        let means = [mean(0)?, mean(1)?];
        let own = |k: usize| -> Option<Coefficient> {
            let Eigenvectors { right: q, left: p } = &pairs[k];
            let back = conjugate(q);
            let double = self.resolve(turns[k] * 2.0, &self.complex_second(q, q))?;
            Some(Coefficient::real_part([
                product(p, &self.forms.complex_third(q, q, &back)) / 2.0,
                product(p, &self.complex_second(&back, &double)) / 2.0,
                product(p, &self.complex_second(q, &means[k])),
            ]))
        };
        let by_other = |k: usize| -> Option<Coefficient> {
            let (Eigenvectors { right: q, left: p }, other) = (&pairs[k], &pairs[1 - k].right);
            let back = conjugate(other);
            let sum = self.resolve(turns[k] + turns[1 - k], &self.complex_second(q, other))?;
            let difference = self.resolve(turns[k] - turns[1 - k], &self.complex_second(q, &back))?;
            Some(Coefficient::real_part([
                product(p, &self.forms.complex_third(q, other, &back)),
                product(p, &self.complex_second(&back, &sum)),
                product(p, &self.complex_second(other, &difference)),
                product(p, &self.complex_second(q, &means[1 - k])),
            ]))
        };
        Some(DoubleHopf {
            p11: own(0)?,
            p12: by_other(0)?,
            p21: by_other(1)?,
            p22: own(1)?,
        })
    }
}
