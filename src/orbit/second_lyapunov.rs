//! The second Lyapunov coefficient, which decides at a Hopf point where the first one is zero.
//!
//! The centre manifold `W(z, z̄) = Σ hⱼₗ zʲ z̄ˡ` and the motion on it, `z' = iω z + c₁ z |z|² + c₂ z |z|⁴`, obey
//! `F(W) = W_z z' + W_z̄ z̄'`, degree by degree
//!
//! `(iω (j - l) - A) hⱼₗ = Rⱼₗ - ((j - 1) c₁ + (l - 1) c̄₁) hⱼ₋₁,ₗ₋₁`
//!
//! with the terms R that those of lower degree make. These are read off the derivatives of `F(W(r e^{iθ}))` by r, which
//! are exact up to the third and differences of it beyond, by their Fourier coefficients over θ.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, 3rd ed., Springer (2004), ch. 8.7.

use crate::multilinear::ComplexVector;
use crate::normal_form::{Coefficient, Expansion, product};
use nalgebra::{Complex, DVector};
use slipstick_numerics::linalg::eigen::Eigenvectors;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Derivatives are compared along so many directions: more than twice the highest degree.
const DIRECTIONS: usize = 12;

/// How far third derivatives are compared, relative to the sizes of the states.
const STEP: f64 = 0.01;

/// The terms of a manifold by the powers of z and z̄, and those of the motion on it by that of |z|².
struct Manifold {
    terms: BTreeMap<(usize, usize), ComplexVector>,
    cubic: Complex<f64>,
}

impl Manifold {
    /// `zʲ z̄ˡ` and its conjugate.
    fn set(&mut self, (j, l): (usize, usize), term: ComplexVector) {
        self.terms.insert((l, j), term.map(|x| x.conj()));
        self.terms.insert((j, l), term);
    }

    fn get(&self, j: usize, l: usize) -> &ComplexVector {
        &self.terms[&(j, l)]
    }

    /// The coefficients of r, r², … along a direction.
    fn along(&self, angle: f64) -> Vec<DVector<f64>> {
        let degree = self.terms.keys().map(|(j, l)| j + l).max().unwrap_or(0);
        let of = |k: usize| {
            let own = self.terms.iter().filter(|((j, l), _)| j + l == k);
            let turned = own.map(|((j, l), h)| {
                let turn = Complex::from_polar(1.0, (*j as f64 - *l as f64) * angle);
                h.map(|x| (turn * x).re)
            });
            turned.reduce(|sum, term| sum + term)
        };
        (1..=degree).filter_map(of).collect()
    }
}

impl Expansion<'_> {
    /// The second Lyapunov coefficient `l₂ = Re c₂ / ω` where the first one is zero and a pair is ±iω. The sizes of the
    /// states tell how far derivatives are compared.
    pub(super) fn second_lyapunov(&self, omega: f64, sizes: &[f64]) -> Option<Coefficient> {
        let [coarse, fine] = [STEP, STEP / 2.0].map(|step| self.quintic(omega, sizes, step));
        let (coarse, fine) = (coarse?, fine?);
        Some(fine.uncertain_by((fine.value - coarse.value).abs()))
    }

    fn quintic(&self, omega: f64, sizes: &[f64], step: f64) -> Option<Coefficient> {
        let turn = Complex::new(0.0, omega);
        let pair = self.eigenvectors(turn)?;
        let longest = pair.right.iter().zip(sizes).map(|(q, size)| 2.0 * q.norm() / size);
        let step = step / longest.fold(0.0, f64::max);
        let mut manifold = Manifold {
            terms: BTreeMap::new(),
            cubic: Complex::new(0.0, 0.0),
        };
        manifold.set((1, 0), pair.right.clone());
        for (j, l) in [(2, 0), (1, 1), (3, 0), (2, 1), (4, 0), (3, 1), (2, 2)] {
            let term = self.term(&mut manifold, &pair, omega, (j, l), step)?;
            manifold.set((j, l), term);
        }
        let terms = self.nonlinear(&manifold, (3, 2), step)?;
        let each = pair.left.iter().zip(&terms).map(|(p, r)| p.conj() * r / omega);
        let value = each.clone().map(|t| t.re).sum();
        Some(Coefficient {
            value,
            terms: each.map(|t| t.norm()).sum(),
        })
    }

    /// A term of the manifold from those of lower degree.
    fn term(
        &self,
        manifold: &mut Manifold,
        pair: &Eigenvectors<Complex<f64>>,
        omega: f64,
        (j, l): (usize, usize),
        step: f64,
    ) -> Option<ComplexVector> {
        // Other terms of the same degree make none of these powers.
        let mut r = self.nonlinear(manifold, (j, l), step)?;
        let turn = Complex::new(0.0, omega * (j as f64 - l as f64));
        if (j, l) == (2, 1) {
            manifold.cubic = product(&pair.left, &r);
            return self.resolve_beside(turn, pair, &r);
        }
        if j > 0 && l > 0 && j + l > 2 {
            let c = manifold.cubic;
            let factor = c * (j - 1) as f64 + c.conj() * (l - 1) as f64;
            r -= manifold.get(j - 1, l - 1).map(|h| factor * h);
        }
        self.resolve(turn, &r)
    }

    /// What is of the powers j and l of z and z̄ in F(W).
    fn nonlinear(&self, manifold: &Manifold, (j, l): (usize, usize), step: f64) -> Option<ComplexVector> {
        let factorial: f64 = (1..=j + l).map(|k| k as f64).product();
        let mut sum: Option<ComplexVector> = None;
        for direction in 0..DIRECTIONS {
            let angle = direction as f64 / DIRECTIONS as f64 * TAU;
            let derivative = self.derivative(&manifold.along(angle), j + l, step)?;
            let back = Complex::from_polar(1.0, -(j as f64 - l as f64) * angle) / (DIRECTIONS as f64 * factorial);
            let term = derivative.map(|x| back * x);
            sum = Some(sum.map_or(term.clone(), |sum| sum + &term));
        }
        sum
    }

    /// The derivative of this order of F along a path with these coefficients.
    fn derivative(&self, path: &[DVector<f64>], order: usize, step: f64) -> Option<DVector<f64>> {
        if order <= 3 {
            return Some(self.forms.along(path, 0.0)?[order - 1].clone());
        }
        let third = |k: f64| Some(self.forms.along(path, k * step)?[2].clone());
        let sides = |k: f64| Some([third(k)?, third(-k)?]);
        let ([a, b], [c, d], [e, f]) = (sides(1.0)?, sides(2.0)?, sides(3.0)?);
        Some(match order {
            4 => ((a - b) * 45.0 - (c - d) * 9.0 + (e - f)) / (60.0 * step),
            _ => {
                let far = (a + b) * 270.0 - (c + d) * 27.0 + (e + f) * 2.0;
                (far - third(0.0)? * 490.0) / (180.0 * step * step)
            }
        })
    }
}
