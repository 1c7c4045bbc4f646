//! What is wrong with a study, where, and what to write instead.
use crate::text::diagnostic::Diagnostic;
use crate::text::locate::{Kind, locate, tokens};
use slipstick_system::text::nearest;
use std::ops::Range;

pub(crate) use slipstick_numerics::number::exact as written;

/// One thing that is wrong.
///
/// ```
/// use slipstick_study::{self as study, Complaint};
/// let loaded = study::parse("study.ron".as_ref(), r#"Study(title: "Stiction", system: Stiction(mu_s: 1.1))"#.into())?;
/// let complaint = Complaint::unknown("title", "curve", "stif", ["stiff", "compliant"]);
/// assert!(complaint.help.as_ref().is_some_and(|help| help.contains("stiff")));
/// // With its line and a caret below the value.
/// assert!(loaded.show(&complaint).contains("study.ron:1"));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Where in the study, as a path of keys: `curves[0].free`. Empty for the study as a whole.
    pub path: String,
    /// Within a text value: the byte range concerned.
    pub within: Option<std::ops::Range<usize>>,
    /// A word under `path` that is to blame, when its own path is not known.
    pub word: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Complaint {
    /// A complaint about the value at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            within: None,
            word: None,
            message: message.into(),
            help: None,
        }
    }
    /// A complaint about a word that stands somewhere under `path`.
    pub fn about_word(path: impl Into<String>, word: Option<&str>, message: impl Into<String>) -> Self {
        Self {
            word: word.map(str::to_owned),
            ..Self::new(path, message)
        }
    }
    /// With advice.
    #[must_use]
    pub fn help(mut self, advice: impl Into<String>) -> Self {
        self.help = Some(advice.into());
        self
    }
    /// An unknown name, with those that are known and the nearest of them as advice.
    pub fn unknown<'a>(
        path: impl Into<String>,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let complaint = Self::new(
            path,
            format!("unknown {what} `{name}`; this system has{}", listed(&known)),
        );
        match nearest(name, known.iter().copied()) {
            Some(near) => complaint.help(format!("did you mean `{near}`?")),
            None => complaint,
        }
    }

    /// The place in the study's text, for showing.
    pub(crate) fn diagnostic(&self, text: &str) -> Diagnostic {
        let mut shown = Diagnostic::at(
            text,
            &self.path,
            self.within.clone(),
            self.message.clone(),
            self.help.clone(),
        );
        if let Some(word) = &self.word {
            shown.span = place_of_word(text, &shown.span, word).unwrap_or_else(|| {
                let name = locate(text, &format!("{}()", self.path), None);
                if name.is_empty() { shown.span.clone() } else { name }
            });
        }
        shown
    }
}

/// Where a text or a key `word` stands in a part of a study.
pub(crate) fn place_of_word(text: &str, part: &Range<usize>, word: &str) -> Option<Range<usize>> {
    let inside = text.get(part.clone())?;
    if let Some(at) = inside.find(&format!("\"{word}\"")) {
        let begin = part.start + at + 1;
        return Some(begin..begin + word.len());
    }
    let all = tokens(inside);
    let key = all.windows(2).find(|pair| {
        pair[1].kind == Kind::Colon && pair[0].kind == Kind::Word && inside[pair[0].range.clone()] == *word
    })?;
    Some(part.start + key[0].range.start..part.start + key[0].range.end)
}

/// What there is of something, after "has": `: a, b` or ` none`.
pub(crate) fn listed(known: &[&str]) -> String {
    if known.is_empty() {
        " none".to_owned()
    } else {
        format!(": {}", known.join(", "))
    }
}
