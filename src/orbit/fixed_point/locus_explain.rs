//! What normal forms say about the points of codimension two on a two-parameter curve of equilibria or of points of
//! maps: what is born there, and where it is stable.

use super::coefficients;
use super::hopf_test::hopf_frequency;
use super::locus::PointLocus;
use crate::codimension_two::{BogdanovTakens, DoubleHopf, ZeroHopf};
use crate::normal_form::{CONVENTION, Coefficient, digits, twelve_digits};
use nalgebra::Complex;
use slipstick_bifurcation::{Label, Record};
use slipstick_continuation::{Point, Problem};

/// What begins at a Bogdanov–Takens point whose coefficients are not known.
const BEGINS: &str = "; curves of Hopf points and of homoclinic orbits begin here";

impl PointLocus<'_> {
    /// What is to be added to the message of a point with this label; `others` are the eigenvalues besides those that
    /// stay on the axis all along the curve.
    pub(super) fn says_of_two(
        &self,
        label: Label,
        point: &Point,
        record: &Record,
        others: &[Complex<f64>],
    ) -> Option<String> {
        let plain = self.point_at(point).z;
        let on = self.condition.label();
        match (label, on) {
            (Label::CP, Label::LP) => self.says_of_cusp(&plain),
            _ if !self.plain.rest => None,
            (Label::BT, Label::LP) => Some(self.says_of_double_zero(&plain)),
            (Label::GH, Label::HB) => self.says_of_bautin(&plain, self.angle(&point.z)),
            (Label::ZH, Label::LP) => self.says_of_zero_hopf(&plain, hopf_frequency(others, self.plain.neutral.pairs)?),
            (Label::ZH, Label::HB) => self.says_of_zero_hopf(&plain, self.angle(&point.z)),
            (Label::HH, Label::HB) => {
                let own = self.angle(&point.z);
                let other = hopf_frequency(&besides(own, &record.eigenvalues), self.plain.neutral.pairs)?;
                self.says_of_double_hopf(&plain, [own, other])
            }
            _ => None,
        }
    }

    /// The same where the frequency along a Hopf curve comes to zero.
    pub(super) fn says_of_double_zero(&self, plain: &[f64]) -> String {
        let mut sizes = vec![0.0; plain.len()];
        self.plain.sizes(plain, &mut sizes);
        let expansion = coefficients::expansion(&self.plain, plain);
        let known = expansion.bogdanov_takens(&sizes[..self.plain.n]);
        let Some(BogdanovTakens { a, b }) = known.filter(|known| known.a.is_finite() && known.b.is_finite()) else {
            return BEGINS.into();
        };
        let unit = self.plain.system.units.time;
        let form = format!(
            "normal form w0' = w1, w1' = … + a w0² + b w0 w1 with a = {}, b = {}, {CONVENTION}",
            twelve_digits(a.value / (unit * unit)),
            twelve_digits(b.value / unit)
        );
        match (a.is_positive(), b.is_positive()) {
            (Some(a), Some(b)) => {
                let stable = if a == b {
                    "unstable"
                } else {
                    "stable within the centre manifold"
                };
                format!("{BEGINS}, and the periodic orbits between them are {stable} ({form})")
            }
            _ => format!(
                "; degenerate: what begins here is not determined, since a coefficient is zero to rounding ({form})"
            ),
        }
    }

    fn says_of_cusp(&self, plain: &[f64]) -> Option<String> {
        let (_, c) = coefficients::crossing_coefficients(&self.plain, plain)?;
        let c = Some(c).filter(Coefficient::is_finite)?;
        let (what, unit) = if self.plain.rest {
            ("equilibria", self.plain.system.units.time)
        } else {
            ("solutions", 1.0)
        };
        let says = match c.is_positive() {
            Some(false) => format!(
                "between the two folds there are three {what}, the middle one unstable and the outer ones stable within the centre manifold"
            ),
            Some(true) => format!(
                "between the two folds there are three {what}, the middle one stable within the centre manifold and the outer ones unstable"
            ),
            None => "degenerate: the cubic coefficient is zero to rounding".to_owned(),
        };
        let law = if self.plain.rest {
            "u' = … + c u³"
        } else {
            "u → u + … + c u³"
        };
        Some(format!(
            "; {says} (normal form {law} with c = {}, {CONVENTION})",
            twelve_digits(c.value / unit)
        ))
    }

    fn says_of_bautin(&self, plain: &[f64], omega: f64) -> Option<String> {
        let mut sizes = vec![0.0; plain.len()];
        self.plain.sizes(plain, &mut sizes);
        let expansion = coefficients::expansion(&self.plain, plain);
        let l2 = expansion.second_lyapunov(omega, &sizes[..self.plain.n])?;
        let l2 = Some(l2).filter(Coefficient::is_finite)?;
        let says = match l2.is_positive() {
            Some(false) => {
                "of the two periodic orbits that meet at these folds the outer one is stable within the centre manifold"
            }
            Some(true) => {
                "of the two periodic orbits that meet at these folds the inner one is stable within the centre manifold"
            }
            None => "degenerate: the second Lyapunov coefficient is zero to rounding",
        };
        Some(format!(
            "; {says} (second Lyapunov coefficient l2 = {}, {CONVENTION}, divided by the frequency)",
            digits(l2.value, 8)
        ))
    }

    fn says_of_zero_hopf(&self, plain: &[f64], omega: f64) -> Option<String> {
        let ZeroHopf { s, theta, cubic } = coefficients::expansion(&self.plain, plain).zero_hopf(omega)?;
        let sign = s.is_positive()?;
        let theta_sign = theta.is_positive()?;
        let says = if sign == theta_sign {
            "no tori bifurcate from the periodic orbits near this point"
        } else {
            "a curve of torus bifurcations of periodic orbits begins here"
        };
        let s = if sign { 1 } else { -1 };
        Some(format!(
            "; {says} (normal form ξ' = β1 + ξ² + s ρ², ρ' = ρ (β2 + θ ξ + E ξ²) with s = {s}, θ = {}, E = {})",
            twelve_digits(theta.value),
            twelve_digits(cubic * self.plain.system.units.time)
        ))
    }

    fn says_of_double_hopf(&self, plain: &[f64], omegas: [f64; 2]) -> Option<String> {
        let DoubleHopf { p11, p12, p21, p22 } = coefficients::expansion(&self.plain, plain).double_hopf(omegas)?;
        let all = [p11, p12, p21, p22];
        if !all.iter().all(Coefficient::is_finite) {
            return None;
        }
        let says = match (p11.is_positive(), p22.is_positive()) {
            (Some(a), Some(b)) if a == b => "the simple case: two-dimensional tori, and none of three dimensions",
            (Some(_), Some(_)) => {
                "the difficult case: two-dimensional tori, and tori of three dimensions may branch off from them"
            }
            _ => "degenerate: a cubic coefficient is zero to rounding",
        };
        let unit = self.plain.system.units.time;
        let [p11, p12, p21, p22] = all.map(|p| p.value);
        Some(format!(
            "; {says} (normal form r1' = r1 (μ1 + p11 r1² + p12 r2²), r2' = r2 (μ2 + p21 r1² + p22 r2²) with p11 = {}, p22 = {}, \
             p12/p22 = {}, p21/p11 = {}, {CONVENTION}; frequencies {:.10} and {:.10})",
            twelve_digits(p11 / unit),
            twelve_digits(p22 / unit),
            twelve_digits(p12 / p22),
            twelve_digits(p21 / p11),
            omegas[0] / unit,
            omegas[1] / unit
        ))
    }
}

/// The pairs of eigenvalues but the one next to this frequency: of two on the axis either may count as the one that
/// stays there.
fn besides(frequency: f64, eigenvalues: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let mut pairs: Vec<Complex<f64>> = eigenvalues.iter().filter(|v| v.im > 0.0).copied().collect();
    let off = |v: &Complex<f64>| (v - Complex::new(0.0, frequency)).norm();
    let kept = (0..pairs.len()).min_by(|&a, &b| off(&pairs[a]).total_cmp(&off(&pairs[b])));
    if let Some(kept) = kept {
        pairs.swap_remove(kept);
    }
    pairs.iter().flat_map(|v| [*v, v.conj()]).collect()
}
