//! How points of curves are named: `rest, HB` or `rest: HB`.

/// A curve and what is meant of it, in parts: `"rest, HB"` and `"rest: HB"` are `rest` and `HB`; before the curve a
/// folder may stand. A colon behind the letter of a drive belongs to the folder.
///
/// ```
/// use slipstick_report::reference_parts;
/// assert_eq!(reference_parts("rest, HB"), reference_parts("rest : HB"));
/// assert_eq!(reference_parts("../output/duff: frc, LP 2"), ["../output/duff", "frc", "LP 2"]);
/// assert_eq!(reference_parts(r"C:\runs\duff: frc"), [r"C:\runs\duff", "frc"]);
/// ```
#[must_use]
pub fn reference_parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin) = (vec![], 0);
    for (at, separator) in text.match_indices([',', ':']) {
        let drive = separator == ":"
            && text[..at].trim().len() == 1
            && text[..at].trim().starts_with(|c: char| c.is_ascii_alphabetic())
            && text[at + 1..].starts_with(['/', '\\']);
        if !drive {
            parts.push(text[begin..at].trim());
            begin = at + 1;
        }
    }
    parts.push(text[begin..].trim());
    parts
}
