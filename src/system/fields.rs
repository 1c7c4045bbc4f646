//! Lines and fields of the files that loggers and spreadsheets write: separators, decimal commas, missing values,
//! dates.

/// The lines that say something, numbered from 1, without a byte order mark and without comments after `#`.
#[must_use]
pub fn lines(text: &str) -> Vec<(usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines()
        .enumerate()
        .map(|(i, l)| (i + 1, l.split('#').next().unwrap_or_default().trim_end()))
        .filter(|(_, l)| !l.trim().is_empty())
        .collect()
}

/// What stands between columns.
///
/// ```
/// use slipstick_system::fields::{Separator, lines, number};
/// let text = "# a logger\nf; a\n0,5; 1\n";
/// let lines = lines(text);
/// let separator = Separator::of(lines.iter().map(|(_, line)| *line));
/// assert_eq!(separator, Separator::Semicolon);
/// assert_eq!(separator.split(lines[1].1).into_iter().map(number).collect::<Vec<_>>(), [Some(0.5), Some(1.0)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// A tabulator.
    Tab,
    /// A semicolon.
    Semicolon,
    /// A comma.
    Comma,
    /// Blanks, as many as there are.
    Blanks,
}

impl Separator {
    /// That of a file, by its first lines.
    #[must_use]
    pub fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        // The header may be irregular: judge by the lines after it, or by the only line.
        let all: Vec<&str> = lines.take(20).collect();
        let body = if all.len() > 1 { &all[1..] } else { &all[..] };
        let everywhere = |c: char| body.iter().all(|l| l.contains(c));
        if everywhere('\t') {
            Self::Tab
        } else if everywhere(';') {
            Self::Semicolon
        } else if everywhere(',') {
            // `0,5 12,5 9,6`: three numbers between blanks, so the commas are decimal.
            let decimal = |l: &&str| {
                let words: Vec<&str> = l.split_whitespace().collect();
                words.len() >= 3 && words.iter().all(|w| number(w).is_some())
            };
            if body.iter().all(decimal) {
                Self::Blanks
            } else {
                Self::Comma
            }
        } else {
            Self::Blanks
        }
    }

    /// The fields of a line.
    #[must_use]
    pub fn split(self, line: &str) -> Vec<&str> {
        match self {
            Self::Tab => line.split('\t').map(clean_field).collect(),
            Self::Semicolon => line.split(';').map(clean_field).collect(),
            Self::Comma => line.split(',').map(clean_field).collect(),
            Self::Blanks => line.split_whitespace().map(clean_field).collect(),
        }
    }
}

fn clean_field(f: &str) -> &str {
    f.trim().trim_matches('"').trim()
}

/// Do commas seem to separate both columns and decimals?
#[must_use]
pub fn doubled_commas(fields: &[&str], header_width: Option<usize>) -> bool {
    let whole = |f: &&str| f.parse::<i64>().is_ok();
    let doubled = match header_width {
        Some(width) => fields.len() >= 2 * width - 1 && fields.len() > width,
        None => fields.len() >= 5,
    };
    doubled && fields.iter().all(whole)
}

/// A number with a decimal point or comma; NaN for the accepted signs of a missing value.
#[must_use]
pub fn number(field: &str) -> Option<f64> {
    let missing = ["", "-", "--", "na", "n/a", "nan", "null", "none", "#n/a"];
    if missing.contains(&field.to_lowercase().as_str()) {
        return Some(f64::NAN);
    }
    let plain = if field.matches(',').count() == 1 && !field.contains('.') {
        field.replace(',', ".")
    } else {
        field.to_string()
    };
    plain.parse().ok()
}

/// Days since 1970-01-01 of a date `2015-08-31`, with or without a time `13:20` or `13:20:05.5` after a blank or `T`.
#[must_use]
pub fn days(field: &str) -> Option<f64> {
    let field = field.strip_suffix('Z').unwrap_or(field);
    let (date, time) = field.split_once(['T', ' ']).unwrap_or((field, "0:0"));
    let mut parts = date.split('-');
    let (year, month, day): (i64, i64, i64) = (
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    );
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let clock: Vec<f64> = time
        .split(':')
        .map(|p| p.trim().replace(',', ".").parse().ok())
        .collect::<Option<_>>()?;
    if !(2..=3).contains(&clock.len()) {
        return None;
    }
    // Days from the civil calendar, with the year beginning in March (E. M. Reingold and N. Dershowitz, Calendrical
    // Calculations).
    let y = if month <= 2 { year - 1 } else { year };
    let from_march = (month + 9) % 12;
    let number =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * from_march + 2) / 5 + day - 1;
    let hours = clock[0] + clock[1] / 60.0 + clock.get(2).unwrap_or(&0.0) / 3600.0;
    Some((number - 719_468) as f64 + hours / 24.0)
}
