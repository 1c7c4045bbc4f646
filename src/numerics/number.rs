//! Numbers in words: with all of their digits, or with those that matter.

/// A number with all of its digits, with a power of ten where it is small or large.
///
/// ```
/// use slipstick_numerics::number::exact;
/// assert_eq!((exact(0.1), exact(-3.0611948377625537e-17)), ("0.1".to_owned(), "-3.061194837762554e-17".to_owned()));
/// ```
#[must_use]
pub fn exact(value: f64) -> String {
    if value != 0.0 && value.is_finite() && !(1e-5..1e15).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A number in at most `digits` significant digits.
///
/// ```
/// use slipstick_numerics::number::rounded;
/// assert_eq!((rounded(0.4757656678, 6), rounded(3.5653193e-20, 3)), ("0.475766".to_owned(), "3.57e-20".to_owned()));
/// ```
#[must_use]
pub fn rounded(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "–".into()
        } else {
            value.to_string()
        };
    }
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{value:.decimals$}"))
    } else {
        format!("{}e{exponent}", trim(mantissa))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_digits_that_matter() {
        let cases = [
            (0.0, "0"),
            (2.0, "2"),
            (0.4757656678, "0.475766"),
            (-1234567.0, "-1.23457e6"),
            (123456.0, "123456"),
            (1e-7, "1e-7"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(rounded(value, 6), text);
        }
    }
}
