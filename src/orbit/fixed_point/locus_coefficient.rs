//! The coefficient that decides, along a curve of Hopf points, period doublings or Neimark–Sacker points, on which side
//! something is born.
//!
//! Where it is zero all along the curve, as in `y' = m (1 - x²) y - k x` at `m = 0`, the rounded parameter times the
//! terms is left of it: its sign changes anywhere and is no point of codimension two.

use super::coefficients;
use super::locus::PointLocus;
use super::measure;
use crate::normal_form::Coefficient;
use nalgebra::Complex;
use slipstick_bifurcation::{Label, Record};
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::Multiplier;

impl PointLocus<'_> {
    /// The coefficient at the solution `plain`, where a pair has this frequency or turns by this angle, or the one of
    /// lower order where second derivatives jump.
    fn coefficient(&self, plain: &[f64], angle: f64) -> Option<Coefficient> {
        let known = coefficients::expansion(&self.plain, plain);
        match self.condition.label() {
            Label::HB => {
                let growth = known.growth_of_radius(Complex::new(0.0, angle), false);
                growth.or_else(|| known.lyapunov(angle))
            }
            Label::PD => known.growth_of_doubled().or_else(|| known.flip()),
            Label::NS => {
                let growth = known.growth_of_radius(Complex::from_polar(1.0, angle), true);
                growth.or_else(|| known.neimark_sacker(angle))
            }
            _ => None,
        }
    }

    /// The same as a number, zero where it is nothing but rounding.
    pub(super) fn decided_coefficient(&self, plain: &[f64], angle: f64) -> Option<f64> {
        let known = self.coefficient(plain, angle)?.decided();
        Some(if known.abs() > self.rounding { known } else { 0.0 })
    }

    /// Note the size of the coefficient, at the start, that is rounding.
    pub(super) fn note_rounding(&mut self, start: &Point) {
        if matches!(self.condition.label(), Label::HB | Label::PD | Label::NS) && self.plain.large.is_none() {
            self.rounding = self.rounding_at(start).unwrap_or_default();
        }
    }

    /// The most that the coefficient changes by where a parameter moves what is kept off the axis, or off the circle,
    /// by what rounding leaves of its distance.
    fn rounding_at(&mut self, start: &Point) -> Result<f64, Failure> {
        /// The part of an eigenvalue that is rounding; and what its change by a step is to exceed, by little: well off
        /// its place it has no coefficient.
        const ROUNDING: f64 = 1e-13;
        const MOVED: f64 = 1e-9;
        /// Powers of ten that are tried as steps, in whatever unit the parameter is.
        const STEPS: std::ops::RangeInclusive<i32> = -18..=6;
        let at = self.point_at(start);
        let angle = self.angle(&start.z);
        let here = self.beside(&at.z, angle)?;
        let mut rounding = 0.0f64;
        for parameter in at.z.len() - 2..at.z.len() {
            for step in STEPS.map(|power| 10f64.powi(power)) {
                let mut moved = at.z.clone();
                moved[parameter] += step;
                let Ok(there) = self.beside(&moved, angle) else {
                    break;
                };
                let passed = (there.growth - here.growth).abs();
                if passed > MOVED * here.scale {
                    let change = (there.coefficient - here.coefficient).abs() * ROUNDING * here.scale / passed;
                    rounding = rounding.max(change);
                    break;
                }
            }
        }
        self.plain.take_parameters(&at.z);
        Ok(if rounding.is_finite() { rounding } else { 0.0 })
    }

    /// What is kept and its coefficient at a point that need not be on the curve.
    fn beside(&mut self, z: &[f64], angle: f64) -> Result<Beside, Failure> {
        let mut record = Record::default();
        measure::measure(&mut self.plain, z, &mut record)?;
        let (growth, scale) = if self.plain.rest {
            let pair = Complex::new(0.0, angle);
            let nearest = record
                .scaled_eigenvalues()
                .map(|(v, scale)| ((v - pair).norm(), v.re, scale))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            nearest.map_or((0.0, 0.0), |(_, growth, scale)| (growth, scale))
        } else {
            let kept = if self.condition.label() == Label::PD {
                Complex::new(-1.0, 0.0)
            } else {
                Complex::from_polar(1.0, angle)
            };
            let off = |m: &Multiplier| (Complex::from_polar(10f64.powf(m.log10), m.arg) - kept).norm();
            let nearest = record.multipliers.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
            nearest.map_or((0.0, 0.0), |m| (m.log10, 1.0))
        };
        let known = self.coefficient(z, angle);
        Ok(Beside {
            growth,
            scale,
            coefficient: known.map_or(f64::NAN, |known| known.value),
        })
    }
}

/// What is measured beside the start.
struct Beside {
    /// The real part of an eigenvalue, or the logarithm of the modulus of a multiplier.
    growth: f64,
    /// The size of the numbers that it is made of.
    scale: f64,
    coefficient: f64,
}
