//! The scale of a continuation parameter, from the range in which it is followed.

/// A parameter counts by ratios: its size is its modulus, within bounds that the range of a curve sets. So a study
/// whose parameter is written in another unit is followed by the same steps.
///
/// ```
/// use slipstick_continuation::ParameterScale;
/// let (plain, scaled) = (ParameterScale::over((-1.0, 1.0), 0.5), ParameterScale::over((-1e12, 1e12), 0.5e12));
/// assert!((scaled.size(0.3e12) / plain.size(0.3) / 1e12 - 1.0).abs() < 1e-15);
/// // However far it lies from zero, a parameter counts no more than twice the width of its range.
/// assert_eq!(plain.size(100.0), 4.0);
/// assert!(ParameterScale::over((5.0, 5.0 + 1e-8), 5.0).size(5.0) < 1e-7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterScale {
    least: f64,
    most: f64,
}

impl Default for ParameterScale {
    /// Of a parameter of order one, whatever its range.
    fn default() -> Self {
        Self {
            least: LEAST,
            most: f64::INFINITY,
        }
    }
}

/// A parameter that passes zero keeps this part of its unit.
const LEAST: f64 = 0.1;
/// The size is at most so many widths of the range: the largest steps, of a twentieth of it, see the range ten times.
const WIDTHS: f64 = 2.0;
/// Where zero lies in the range, the start tells the unit, down to this part of the half width.
const PART: f64 = 1e-3;

impl ParameterScale {
    /// Of a parameter that is followed over a range from a start.
    pub fn over((low, high): (f64, f64), start: f64) -> Self {
        // Halves, lest the width overflow.
        let half = 0.5 * high - 0.5 * low;
        if !(half > 0.0 && half.is_finite()) {
            return Self::default();
        }
        let unit = if low > 0.0 || high < 0.0 {
            low.abs().min(high.abs())
        } else if start == 0.0 {
            half
        } else {
            start.abs().clamp(PART * half, half)
        };
        let most = (2.0 * WIDTHS * half).max(f64::MIN_POSITIVE);
        Self {
            least: (LEAST * unit).clamp(f64::MIN_POSITIVE, most),
            most,
        }
    }

    /// The size of the parameter at a value.
    pub fn size(&self, value: f64) -> f64 {
        value.abs().clamp(self.least, self.most)
    }
}
