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
            Self::Empty { .. } => None,
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
            Self::Empty { .. } => None,
        }
    }
}

fn there_are(known: &[String]) -> String {
    if known.is_empty() {
        "are none".to_owned()
    } else {
        format!("are: {}", known.join(", "))
    }
}
