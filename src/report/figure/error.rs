//! Why a figure cannot be drawn.

use slipstick_system::text::nearest;

/// Why a figure cannot be drawn. [`word`](Self::word) is the text in the study that is to blame.
///
/// ```
/// use slipstick_report::figure::{Figure, FigureError, draw};
/// use slipstick_report::{Kind, ReportError, RunData, Table};
/// let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("Omega", Kind::Number), ("x", Kind::Number)]);
/// points.push_row(["main".into(), 0usize.into(), 1.0.into(), 1.0.into()]).unwrap();
/// let figure = Figure::from_ron(r#"Diagram(name: "amplitude", x: "Omga", y: "x")"#).unwrap();
/// let Err(ReportError::Figure(error)) = draw(&figure, &RunData { points, ..RunData::default() }) else { panic!("there is no Omga") };
/// assert!(matches!(&error, FigureError::Unknown { word, .. } if word == "Omga"));
/// assert!(error.help().is_some_and(|help| help.contains("Omega")));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// A name that stands for nothing.
    #[error("figure `{figure}`: unknown {what} `{word}`; there {}", there_are(known))]
    Unknown {
        /// The figure.
        figure: String,
        /// What kind of thing was named.
        what: &'static str,
        /// The name.
        word: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A value that cannot be meant.
    #[error("figure `{figure}`: `{word}`: {message}{}", if help.is_empty() { String::new() } else { format!("; {help}") })]
    Unfit {
        /// The figure.
        figure: String,
        /// The text to blame.
        word: String,
        /// What is wrong.
        message: String,
        /// What would be right.
        help: String,
    },
    /// Another run that cannot be read.
    #[error("figure `{figure}`: {why}")]
    Run {
        /// The figure.
        figure: String,
        /// Its folder, as the figure names it.
        folder: String,
        /// What is wrong with it.
        why: String,
    },
    /// Data of one's own that cannot be read.
    #[error("figure `{figure}`: the data in `{file}`: {why}")]
    Data {
        /// The figure.
        figure: String,
        /// The file, as the figure names it.
        file: String,
        /// What is wrong with it.
        why: Box<DataError>,
    },
    /// There are no numbers to draw.
    #[error("figure `{figure}`: nothing to draw: {message}")]
    Empty {
        /// The figure.
        figure: String,
        /// Why.
        message: String,
    },
}

impl FigureError {
    /// The word of the description that is to blame, if one is.
    #[must_use]
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Unknown { word, .. } | Self::Unfit { word, .. } => Some(word),
            Self::Run { folder, .. } => Some(folder),
            Self::Data { file, why, .. } => match &**why {
                DataError::NoColumn { name, .. } | DataError::NoHeader { name } => Some(name),
                _ => Some(file),
            },
            Self::Empty { .. } => None,
        }
    }

    /// The figure.
    #[must_use]
    pub fn figure(&self) -> &str {
        match self {
            Self::Unknown { figure, .. }
            | Self::Unfit { figure, .. }
            | Self::Run { figure, .. }
            | Self::Data { figure, .. }
            | Self::Empty { figure, .. } => figure,
        }
    }

    /// What is wrong, without the way out.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Unfit {
                figure, word, message, ..
            } => format!("figure `{figure}`: `{word}`: {message}"),
            _ => self.to_string(),
        }
    }

    /// A way out, in words, if there is something to say beyond the message.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { word, known, .. } => {
                let near = nearest(word, known.iter().map(String::as_str))?;
                Some(format!("did you mean `{near}`?"))
            }
            Self::Unfit { help, .. } => (!help.is_empty()).then(|| help.clone()),
            Self::Data { why, .. } => {
                let DataError::NoColumn { name, known } = &**why else {
                    return None;
                };
                let near = nearest(name, known.iter().map(String::as_str))?;
                Some(format!("did you mean `{near}`?"))
            }
            Self::Run { .. } | Self::Empty { .. } => None,
        }
    }
}

/// What is wrong with a file of data.
///
/// ```
/// use slipstick_report::figure::DataError;
/// let error = DataError::NoColumn { name: "a".into(), known: vec!["f".into(), "A".into()] };
/// assert_eq!(error.to_string(), "it has no column `a`; its columns are: f, A");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file system refused.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// No column has this name.
    #[error("it has no column `{name}`; its columns are: {}", known.join(", "))]
    NoColumn {
        /// The name asked for.
        name: String,
        /// Those of the header.
        known: Vec<String>,
    },
    /// A name, and no header that has names.
    #[error("it has no header to look up `{name}` in; number its columns from 1: `x: 1`")]
    NoHeader {
        /// The name asked for.
        name: String,
    },
    /// Column 0.
    #[error("its columns are numbered from 1")]
    FromOne,
    /// A line with too few columns.
    #[error("line {line} has {fields} column{}, and column {column} is asked for", if *fields == 1 { "" } else { "s" })]
    Short {
        /// The line, from 1.
        line: usize,
        /// How many it has.
        fields: usize,
        /// The one asked for, from 1.
        column: usize,
    },
    /// A field that is no number.
    #[error("line {line}: `{found}` is no number")]
    NoNumber {
        /// The line, from 1.
        line: usize,
        /// The field.
        found: String,
    },
    /// Commas both between columns and in numbers.
    #[error("line {line}: commas separate both columns and decimals; separate the columns by semicolons")]
    Commas {
        /// The line, from 1.
        line: usize,
    },
    /// Nothing to draw.
    #[error("it has no pair of numbers in these columns")]
    Empty,
}

fn there_are(known: &[String]) -> String {
    if known.is_empty() {
        "are none".to_owned()
    } else {
        format!("are: {}", known.join(", "))
    }
}
