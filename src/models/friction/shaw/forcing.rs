//! The forcing `T(t)`: tones, a record, a function, or sums of these, always as pieces on which slip has a closed form.

use serde::Deserialize;
use slipstick_system::fields::{Separator, days, doubled_commas, lines, number};
use smallvec::SmallVec;

/// `amplitude · cos(omega t + phase)`.
///
/// ```
/// use slipstick_models::friction::shaw::{Forcing, Tone};
/// let beat = Forcing::tones(vec![
///     Tone { amplitude: 1.0, omega: 1.0, phase: 0.0 },
///     Tone { amplitude: 0.5, omega: 1.1, phase: 0.0 },
/// ]);
/// assert_eq!(beat.at(0.0).abs().max(1.5), 1.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// Amplitude.
    pub amplitude: f64,
    /// Angular frequency.
    pub omega: f64,
    /// Phase at t = 0.
    pub phase: f64,
}

impl Tone {
    /// The derivative of the given order at time `t`.
    pub(super) fn derivative(&self, t: f64, order: u8) -> f64 {
        let (sin, cos) = (self.omega * t + self.phase).sin_cos();
        let turned = [cos, -sin, -cos, sin][usize::from(order % 4)];
        self.amplitude * self.omega.powi(i32::from(order)) * turned
    }
}

/// How a record is read between its samples.
///
/// ```
/// use slipstick_models::friction::shaw::{Forcing, Interpolation};
/// let (t, values) = ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 1.0, 0.0]);
/// // Neither overshoots between two equal values.
/// for how in [Interpolation::Linear, Interpolation::MonotoneCubic] {
///     assert!((Forcing::record(&t, &values, how)?.at(1.5) - 1.0).abs() < 1e-12);
/// }
/// # Ok::<(), slipstick_models::friction::shaw::ForcingError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Interpolation {
    /// Straight lines: no forcing that was not measured.
    #[default]
    Linear,
    /// Cubics with a continuous derivative that are monotone where the record is, so that no slip is provoked by an
    /// overshoot (F. N. Fritsch and J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300–304).
    MonotoneCubic,
}

/// Why a forcing cannot be built or used.
///
/// ```
/// use slipstick_models::friction::shaw::{Forcing, ForcingError, Interpolation};
/// let back = Forcing::record(&[0.0, 2.0, 1.0], &[0.0, 0.0, 0.0], Interpolation::Linear).err();
/// assert!(matches!(back, Some(ForcingError::Sample { index: 2, .. })));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ForcingError {
    /// Fewer than two samples, or a different number of times and values.
    #[error(
        "a record needs at least two samples and as many values as times; this one has {times} times and {values} values"
    )]
    Size {
        /// Number of times.
        times: usize,
        /// Number of values.
        values: usize,
    },
    /// A time or a value that is not finite, or times that do not increase.
    #[error(
        "sample {index} of the record (t = {t}, T = {value}) is not finite or does not come after the one before it; \
             clean the record first"
    )]
    Sample {
        /// Its index from zero.
        index: usize,
        /// Its time.
        t: f64,
        /// Its value.
        value: f64,
    },
    /// A line of a file that is not a time and a value.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it, and what to do.
        what: String,
    },
    /// The function could not be followed to the tolerance.
    #[error(
        "the forcing cannot be interpolated to {tolerance:e} near t = {t}: it changes within {width:e}. If it jumps, use a record with the jump as two close samples; otherwise a larger tolerance"
    )]
    Rough {
        /// Where.
        t: f64,
        /// The width of the smallest piece tried.
        width: f64,
        /// The tolerance asked for.
        tolerance: f64,
    },
}

/// A forcing over time.
///
/// ```
/// use slipstick_models::friction::shaw::{Forcing, Interpolation};
/// let record = Forcing::record(&[0.0, 1.0, 3.0], &[0.0, 2.0, 0.0], Interpolation::Linear)?;
/// assert_eq!((record.at(2.0), record.span()), (1.0, Some((0.0, 3.0))));
/// # Ok::<(), slipstick_models::friction::shaw::ForcingError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Forcing {
    tones: Vec<Tone>,
    knots: Vec<f64>,
    cubics: Vec<[f64; 4]>,
}

/// The forcing near a time t₀, in s = t - t₀: a cubic plus tones, valid for 0 ≤ s ≤ `length`.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) length: f64,
    pub(super) cubic: [f64; 4],
    pub(super) tones: SmallVec<[Tone; 2]>,
}

impl Forcing {
    /// `cos(omega t)`.
    pub fn harmonic(omega: f64) -> Self {
        Self::tones(vec![Tone {
            amplitude: 1.0,
            omega,
            phase: 0.0,
        }])
    }

    /// A sum of tones.
    pub fn tones(tones: Vec<Tone>) -> Self {
        Self {
            tones,
            ..Self::default()
        }
    }

    /// A record: values at increasing times.
    ///
    /// # Errors
    /// Fewer than two samples, samples that are not finite, times that do not increase.
    pub fn record(times: &[f64], values: &[f64], how: Interpolation) -> Result<Self, ForcingError> {
        if times.len() != values.len() || times.len() < 2 {
            return Err(ForcingError::Size {
                times: times.len(),
                values: values.len(),
            });
        }
        for index in 0..times.len() {
            let ordered = index == 0 || times[index] > times[index - 1];
            if !(times[index].is_finite() && values[index].is_finite() && ordered) {
                return Err(ForcingError::Sample {
                    index,
                    t: times[index],
                    value: values[index],
                });
            }
        }
        let secants: Vec<f64> = times
            .windows(2)
            .zip(values.windows(2))
            .map(|(t, v)| (v[1] - v[0]) / (t[1] - t[0]))
            .collect();
        let cubics = match how {
            Interpolation::Linear => secants.iter().zip(values).map(|(&d, &v)| [v, d, 0.0, 0.0]).collect(),
            Interpolation::MonotoneCubic => {
                let slopes = monotone_slopes(times, &secants);
                (0..secants.len())
                    .map(|i| {
                        let (h, d, m0, m1) = (times[i + 1] - times[i], secants[i], slopes[i], slopes[i + 1]);
                        [
                            values[i],
                            m0,
                            (3.0 * d - 2.0 * m0 - m1) / h,
                            (m0 + m1 - 2.0 * d) / (h * h),
                        ]
                    })
                    .collect()
            }
        };
        Ok(Self {
            tones: vec![],
            knots: times.to_vec(),
            cubics,
        })
    }

    /// A record from the text of a CSV file, whose first two columns are times and values: separated by semicolons,
    /// tabs, commas or blanks, with decimal points or commas, with or without a header; times may be dates, which
    /// become days. Rows with a missing value are left out.
    ///
    /// # Errors
    /// The line that cannot be read, and those of [`Forcing::record`].
    ///
    /// ```
    /// use slipstick_models::friction::shaw::{Forcing, Interpolation};
    /// let forcing = Forcing::from_csv("t;T\n0;1,5\n1;NaN\n2;2,5\n", Interpolation::Linear)?;
    /// assert_eq!((forcing.span(), forcing.at(1.0)), (Some((0.0, 2.0)), 2.0));
    /// # Ok::<(), slipstick_models::friction::shaw::ForcingError>(())
    /// ```
    pub fn from_csv(text: &str, how: Interpolation) -> Result<Self, ForcingError> {
        let lines = lines(text);
        let separator = Separator::of(lines.iter().map(|(_, l)| *l));
        let (mut times, mut values) = (vec![], vec![]);
        let mut width = None;
        for (i, (line, text)) in lines.iter().enumerate() {
            let fields = separator.split(text);
            let word = |f: &&str| number(f).is_none_or(f64::is_nan) && days(f).is_none();
            if i == 0 && fields.iter().all(word) {
                width = Some(fields.len());
                continue;
            }
            let refuse = |what: &str| ForcingError::Line {
                line: *line,
                what: format!("`{text}` {what}"),
            };
            if separator == Separator::Comma && doubled_commas(&fields, width) {
                let what = "has commas between both columns and decimals; put semicolons between the columns";
                return Err(refuse(what));
            }
            let time = fields.first().and_then(|f| number(f).or_else(|| days(f)));
            let (Some(t), Some(v)) = (time, fields.get(1).and_then(|f| number(f))) else {
                let what =
                    "does not begin with a time and a value; write numbers like 1.25, dates like 2015-08-31 13:20";
                return Err(refuse(what));
            };
            if t.is_finite() && v.is_finite() {
                times.push(t);
                values.push(v);
            }
        }
        Self::record(&times, &values, how)
    }

    /// A continuous function on `[from, to]`, replaced by a continuous chain of cubics within `tolerance` of it at
    /// every test point.
    ///
    /// # Errors
    /// The function is not finite somewhere, or too rough for the tolerance.
    pub fn function(f: impl Fn(f64) -> f64, from: f64, to: f64, tolerance: f64) -> Result<Self, ForcingError> {
        const SMALLEST: f64 = 1e-9;
        let mut forcing = Self {
            tones: vec![],
            knots: vec![from],
            cubics: vec![],
        };
        // Intervals still to cover, the next one on top. A few to begin with, so that no test point hits only zeros.
        let first = 16;
        let grid = |i: usize| from + (to - from) * (i as f64 / f64::from(first));
        let mut todo: Vec<(f64, f64)> = (0..first as usize).rev().map(|i| (grid(i), grid(i + 1))).collect();
        while let Some((a, b)) = todo.pop() {
            let h = b - a;
            let v = [0.0, 1.0, 2.0, 3.0].map(|k| f(if k < 3.0 { a + h * k / 3.0 } else { b }));
            let c = through_thirds(v, h);
            let error = [0.5, 1.5, 2.5].map(|k| {
                let s = h * k / 3.0;
                (f(a + s) - value(&c, s)).abs()
            });
            let worst = error.into_iter().fold(0.0, f64::max);
            if worst <= tolerance {
                forcing.cubics.push(c);
                forcing.knots.push(b);
            } else if h > SMALLEST * (to - from) {
                let middle = 0.5 * (a + b);
                todo.push((middle, b));
                todo.push((a, middle));
            } else {
                return Err(ForcingError::Rough {
                    t: a,
                    width: h,
                    tolerance,
                });
            }
        }
        Ok(forcing)
    }

    /// This forcing with tones added to it.
    #[must_use]
    pub fn with_tones(mut self, tones: &[Tone]) -> Self {
        self.tones.extend_from_slice(tones);
        self
    }

    /// The times between which it is defined; `None` when that is always.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((*self.knots.first()?, *self.knots.last()?))
    }

    /// The value at `t`; a record keeps its first and last cubic outside its span.
    pub fn at(&self, t: f64) -> f64 {
        let smooth: f64 = self.tones.iter().map(|tone| tone.derivative(t, 0)).sum();
        if self.cubics.is_empty() {
            return smooth;
        }
        let i = self.piece(t);
        smooth + value(&self.cubics[i], t - self.knots[i])
    }

    /// The index of the cubic that is in force just after `t`.
    fn piece(&self, t: f64) -> usize {
        self.knots
            .partition_point(|&k| k <= t)
            .saturating_sub(1)
            .min(self.cubics.len().saturating_sub(1))
    }

    /// The forcing from `t` on, until the next knot.
    pub(super) fn near(&self, t: f64) -> Local {
        let tones = self
            .tones
            .iter()
            .map(|tone| Tone {
                phase: tone.phase + tone.omega * t,
                ..*tone
            })
            .collect();
        if self.cubics.is_empty() {
            return Local {
                length: f64::INFINITY,
                cubic: [0.0; 4],
                tones,
            };
        }
        let i = self.piece(t);
        let s = t - self.knots[i];
        let [a, b, c, d] = self.cubics[i];
        let cubic = [
            a + s * (b + s * (c + s * d)),
            b + s * (2.0 * c + s * 3.0 * d),
            c + 3.0 * d * s,
            d,
        ];
        Local {
            length: self.knots[i + 1] - t,
            cubic,
            tones,
        }
    }
}

impl Local {
    /// The derivative of the given order (0 to 3) at `s`.
    pub(super) fn derivative(&self, s: f64, order: u8) -> f64 {
        let [a, b, c, d] = self.cubic;
        let polynomial = match order {
            0 => a + s * (b + s * (c + s * d)),
            1 => b + s * (2.0 * c + s * 3.0 * d),
            2 => 2.0 * c + 6.0 * d * s,
            _ => 6.0 * d,
        };
        polynomial + self.tones.iter().map(|tone| tone.derivative(s, order)).sum::<f64>()
    }

    /// A bound of the modulus of the derivative of order 2 or 3 on `[s, s + h]`.
    pub(super) fn bound(&self, s: f64, h: f64, order: u8) -> f64 {
        let [_, _, c, d] = self.cubic;
        let polynomial = if order == 2 {
            (2.0 * c + 6.0 * d * s).abs().max((2.0 * c + 6.0 * d * (s + h)).abs())
        } else {
            6.0 * d.abs()
        };
        let tones: f64 = self
            .tones
            .iter()
            .map(|t| t.amplitude.abs() * t.omega.abs().powi(i32::from(order)))
            .sum();
        polynomial + tones
    }

    /// The highest angular frequency in it.
    pub(super) fn fastest(&self) -> f64 {
        self.tones.iter().map(|t| t.omega.abs()).fold(0.0, f64::max)
    }
}

fn value(c: &[f64; 4], s: f64) -> f64 {
    c[0] + s * (c[1] + s * (c[2] + s * c[3]))
}

/// The cubic through four values at 0, h/3, 2h/3 and h.
fn through_thirds(v: [f64; 4], h: f64) -> [f64; 4] {
    let k = h / 3.0;
    let d1 = (v[1] - v[0]) / k;
    let d2 = (v[2] - 2.0 * v[1] + v[0]) / (2.0 * k * k);
    let d3 = (v[3] - 3.0 * v[2] + 3.0 * v[1] - v[0]) / (6.0 * k * k * k);
    // Newton's form on the nodes 0, k, 2k, expanded.
    [v[0], d1 - k * d2 + 2.0 * k * k * d3, d2 - 3.0 * k * d3, d3]
}

/// Slopes at the samples by Butland's rule: a weighted harmonic mean of the neighbouring secants, zero at extremes.
fn monotone_slopes(times: &[f64], secants: &[f64]) -> Vec<f64> {
    let n = secants.len();
    let mut slopes = vec![0.0; n + 1];
    for i in 1..n {
        let (left, right) = (secants[i - 1], secants[i]);
        if left * right > 0.0 {
            let (h0, h1) = (times[i] - times[i - 1], times[i + 1] - times[i]);
            let weight = (h0 + 2.0 * h1) / (3.0 * (h0 + h1));
            slopes[i] = left * right / (weight * right + (1.0 - weight) * left);
        }
    }
    slopes[0] = secants[0];
    slopes[n] = secants[n - 1];
    slopes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn cubics_follow_a_function_and_shift_exactly() {
        let f = |t: f64| (1.3 * t).sin() + 0.2 * t * t;
        let forcing = Forcing::function(f, -1.0, 4.0, 1e-10).unwrap();
        for i in 0..=500 {
            let t = -1.0 + 5.0 * f64::from(i) / 500.0;
            assert!((forcing.at(t) - f(t)).abs() < 3e-10, "{t}");
        }
        let local = forcing.near(0.37);
        let s = 0.5 * local.length;
        assert!((local.derivative(s, 0) - forcing.at(0.37 + s)).abs() < 1e-14);
    }

    #[test]
    fn a_jump_is_refused_in_words() {
        let e = Forcing::function(|t| if t < 1.0 / 3.0 { 0.0 } else { 1.0 }, 0.0, 1.0, 1e-6).unwrap_err();
        assert!(e.to_string().contains("If it jumps"), "{e}");
    }

    #[test]
    fn the_monotone_cubic_never_leaves_the_range_of_its_samples() {
        let times = [0.0, 1.0, 1.5, 4.0, 5.0, 6.0];
        let values = [0.0, 0.1, 3.0, 3.1, 3.1, -1.0];
        let forcing = Forcing::record(&times, &values, Interpolation::MonotoneCubic).unwrap();
        for i in 0..=600 {
            let t = f64::from(i) / 100.0;
            let k = times.partition_point(|&x| x <= t).clamp(1, 5);
            let (lo, hi) = (values[k - 1].min(values[k]), values[k - 1].max(values[k]));
            let v = forcing.at(t);
            assert!(v >= lo - 1e-12 && v <= hi + 1e-12, "{t} {v}");
        }
        assert_eq!(forcing.at(1.5), 3.0);
    }

    #[test]
    fn records_that_are_not_functions_of_time_are_refused() {
        assert!(matches!(
            Forcing::record(&[0.0, 2.0, 1.0], &[0.0; 3], Interpolation::Linear),
            Err(ForcingError::Sample { index: 2, .. })
        ));
        assert!(matches!(
            Forcing::record(&[0.0, 1.0], &[0.0, f64::NAN], Interpolation::Linear),
            Err(ForcingError::Sample { index: 1, .. })
        ));
        assert!(matches!(
            Forcing::record(&[0.0], &[0.0], Interpolation::Linear),
            Err(ForcingError::Size { .. })
        ));
    }
}
