//! Data of one's own in a diagram.

use serde::Deserialize;

/// Data of one's own in a diagram: two columns of a file as loggers and spreadsheets write it. The separator (comma,
/// semicolon, tab or blanks), a decimal comma and a header are recognised; what follows `#` is a comment; rows without
/// a number in one of the columns are left out.
///
/// ```
/// use slipstick_report::figure::{Data, DataColumn, Drawn, Figure};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "omega", y: "a_max", data: [Data(file: "measured.csv", x: "f", y: 3)])"#)? else { panic!("it is one") };
/// assert_eq!((&diagram.data[0].x, &diagram.data[0].y), (&DataColumn::Name("f".into()), &DataColumn::Number(3)));
/// assert_eq!(diagram.data[0].draw, Drawn::Points);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The file, from the folder of the file that describes the figure.
    pub file: String,
    /// The column of the horizontal axis: its name in the header, in quotation marks, or its number from 1.
    pub x: DataColumn,
    /// The column of the vertical axis, likewise.
    pub y: DataColumn,
    /// How they are drawn.
    #[serde(default)]
    pub draw: Drawn,
    /// What the legend calls them; by default the name of the file.
    #[serde(default)]
    pub label: String,
    /// The pairs that were read.
    #[serde(skip)]
    pub points: Vec<(f64, f64)>,
}

/// A column of a file of data.
///
/// ```
/// use slipstick_report::figure::DataColumn;
/// let columns: Vec<DataColumn> = ron::from_str(r#"["f [Hz]", 2]"#)?;
/// assert_eq!(columns, [DataColumn::Name("f [Hz]".into()), DataColumn::Number(2)]);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum DataColumn {
    /// By its number, from 1.
    Number(usize),
    /// By its name in the header.
    Name(String),
}

/// How data are drawn.
///
/// ```
/// use slipstick_report::figure::Drawn;
/// assert_eq!(ron::from_str::<Drawn>("Line")?, Drawn::Line);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Drawn {
    /// A dot for each pair.
    #[default]
    Points,
    /// A line through them in their order, broken where a number is missing.
    Line,
}
