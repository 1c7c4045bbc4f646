//! Text in columns for a terminal.

/// Significant digits of what is not printed with all of them.
pub(super) const DIGITS: usize = 12;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        assert_eq!(aligned(&[row(["a", "b"]), row(["Ωμ", ""])]), "a   b\nΩμ\n");
    }
}
