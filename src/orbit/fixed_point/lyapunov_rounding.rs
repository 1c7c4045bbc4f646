//! What the rounding of the free parameters makes of the first Lyapunov coefficient along a Hopf curve.
//!
//! Where the coefficient is zero all along the curve, as in `y' = m (1 - x²) y - k x` at `m = 0`, the rounded parameter
//! times the terms is left of it: its sign changes anywhere and is no generalised Hopf point.

use super::coefficients;
use super::locus::PointLocus;
use super::measure;
use nalgebra::Complex;
use slipstick_bifurcation::{Label, Record};
use slipstick_continuation::{Failure, Point};

impl PointLocus<'_> {
    /// Note the size of the coefficient, at the start, that is rounding.
    pub(super) fn note_lyapunov_rounding(&mut self, start: &Point) {
        if self.plain.rest && self.condition.label() == Label::HB {
            self.lyapunov_rounding = self.rounding_of_lyapunov(start).unwrap_or_default();
        }
    }

    /// The most that the coefficient changes by where a parameter moves the pair off the axis by what rounding leaves
    /// of its real part.
    fn rounding_of_lyapunov(&mut self, start: &Point) -> Result<f64, Failure> {
        /// The part of an eigenvalue that is rounding; and what its change by a step is to exceed, by little: well off
        /// the axis the pair has no coefficient.
        const ROUNDING: f64 = 1e-13;
        const MOVED: f64 = 1e-9;
        /// Powers of ten that are tried as steps, in whatever unit the parameter is.
        const STEPS: std::ops::RangeInclusive<i32> = -18..=6;
        let at = self.point_at(start);
        let angle = self.angle(&start.z);
        let here = self.pair_and_lyapunov(&at.z, angle)?;
        let mut rounding = 0.0f64;
        for parameter in at.z.len() - 2..at.z.len() {
            for step in STEPS.map(|power| 10f64.powi(power)) {
                let mut moved = at.z.clone();
                moved[parameter] += step;
                let Ok(there) = self.pair_and_lyapunov(&moved, angle) else {
                    break;
                };
                let passed = (there.growth - here.growth).abs();
                if passed > MOVED * here.scale {
                    let change = (there.lyapunov - here.lyapunov).abs() * ROUNDING * here.scale / passed;
                    rounding = rounding.max(change);
                    break;
                }
            }
        }
        self.plain.take_parameters(&at.z);
        Ok(if rounding.is_finite() { rounding } else { 0.0 })
    }

    /// The real part of the pair, and the coefficient with this frequency, at a point that need not be on the curve.
    fn pair_and_lyapunov(&mut self, z: &[f64], angle: f64) -> Result<Beside, Failure> {
        let mut record = Record::default();
        measure::measure(&mut self.plain, z, &mut record)?;
        let pair = Complex::new(0.0, angle);
        let distance = |v: &Complex<f64>| (v - pair).norm();
        let nearest = record
            .scaled_eigenvalues()
            .min_by(|(a, _), (b, _)| distance(a).total_cmp(&distance(b)));
        let (growth, scale) = nearest.map_or((0.0, 0.0), |(v, scale)| (v.re, scale));
        let l1 = coefficients::expansion(&self.plain, z).lyapunov(angle);
        Ok(Beside {
            growth,
            scale,
            lyapunov: l1.map_or(f64::NAN, |l1| l1.value),
        })
    }
}

/// What is measured beside the start.
struct Beside {
    /// The real part of the pair.
    growth: f64,
    /// The size of the numbers that the pair is made of.
    scale: f64,
    lyapunov: f64,
}
