//! What is made of the values that a quantity takes along an orbit: all that the program knows of each statistic.

/// What is made of the values that a quantity takes along an orbit.
///
/// ```
/// use slipstick_system::Statistic;
/// // The time and value at which a largest value is met may jump, a mean may not.
/// assert!(Statistic::Mean.is_smooth() && !Statistic::Max.is_smooth());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Statistic {
    /// The largest.
    Max,
    /// The least.
    Min,
    /// The mean over the period, or over the points of a cycle.
    Mean,
    /// The integral over the period, or the sum over the points of a cycle.
    Integral,
    /// The root of the mean square.
    Rms,
}

/// How a statistic follows from the values.
///
/// ```
/// use slipstick_system::{Rule, Statistic};
/// let Rule::Integral(rms) = Statistic::Rms.rule() else { panic!("it is an integral") };
/// // Of the constant 3 over a period of 2.
/// let (value, by_integral, by_period) = (rms.result)(2.0 * (rms.integrand)(3.0), 2.0);
/// assert_eq!((value, by_integral, by_period), (3.0, 1.0 / 12.0, -0.75));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// It is the largest of the values times this sign.
    Extreme(f64),
    /// It is a function of an integral over the period, or of a sum over the points of a cycle.
    Integral(Integrated),
}

/// A statistic that is a function of an integral and of the period.
///
/// ```
/// use slipstick_system::{Rule, Statistic};
/// let Rule::Integral(mean) = Statistic::Mean.rule() else { panic!("it is an integral") };
/// assert_eq!(((mean.integrand)(4.0), (mean.slope)(4.0), (mean.result)(6.0, 3.0).0), (4.0, 1.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Integrated {
    /// What is integrated, of a value.
    pub integrand: fn(f64) -> f64,
    /// Its derivative.
    pub slope: fn(f64) -> f64,
    /// The statistic, of the integral and the period, with its derivatives by both. For points of a cycle the sum over
    /// them and their number.
    pub result: fn(f64, f64) -> (f64, f64, f64),
    /// The power of the unit of time in the unit of the statistic.
    pub time: i32,
}

impl Statistic {
    /// How it follows from the values.
    pub fn rule(self) -> Rule {
        let integral = |integrand, slope, result, time| {
            Rule::Integral(Integrated {
                integrand,
                slope,
                result,
                time,
            })
        };
        match self {
            Self::Max => Rule::Extreme(1.0),
            Self::Min => Rule::Extreme(-1.0),
            Self::Mean => integral(
                |v| v,
                |_| 1.0,
                |sum, period| (sum / period, 1.0 / period, -sum / (period * period)),
                0,
            ),
            Self::Integral => integral(|v| v, |_| 1.0, |sum, _| (sum, 1.0, 0.0), 1),
            Self::Rms => integral(
                |v| v * v,
                |v| 2.0 * v,
                |sum, period| {
                    let root = (sum / period).sqrt();
                    (root, 0.5 / (root * period), -0.5 * root / period)
                },
                0,
            ),
        }
    }

    /// Is it a smooth function of the orbit wherever the quantity is one?
    pub fn is_smooth(self) -> bool {
        matches!(self.rule(), Rule::Integral(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Derivatives are those of the values, and a constant has the statistic that its unit says.
        #[test]
        fn derivatives_are_those_of_the_values(v in 0.1..3.0f64, sum in 0.1..9.0f64, period in 0.1..9.0f64) {
            let slope = |f: &dyn Fn(f64) -> f64, x: f64| (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;
            for statistic in [Statistic::Mean, Statistic::Integral, Statistic::Rms] {
                let Rule::Integral(by) = statistic.rule() else { panic!("{statistic:?} is an integral") };
                prop_assert!((slope(&by.integrand, v) - (by.slope)(v)).abs() < 1e-8);
                let (_, by_sum, by_period) = (by.result)(sum, period);
                prop_assert!((slope(&|s| (by.result)(s, period).0, sum) - by_sum).abs() < 1e-6 * (1.0 + by_sum.abs()));
                let by_difference = slope(&|t| (by.result)(sum, t).0, period);
                prop_assert!((by_difference - by_period).abs() < 1e-5 * (1.0 + by_period.abs()));
                let constant = (by.result)((by.integrand)(v) * period, period).0;
                prop_assert!((constant - v * period.powi(by.time)).abs() < 1e-13 * constant);
            }
        }
    }
}
