//! Text in columns for a terminal.

/// Rows of cells set in columns that are as wide as their widest cell; numbers and words to the left, two spaces
/// between.
pub(super) fn aligned(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|k| {
            let cells = rows.iter().filter_map(|row| row.get(k));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width + 2 - cell.chars().count()));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A number in at most `digits` significant digits.
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

    #[test]
    fn columns_line_up() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        assert_eq!(aligned(&[row(["a", "b"]), row(["Ωμ", ""])]), "a   b\nΩμ\n");
    }
}
