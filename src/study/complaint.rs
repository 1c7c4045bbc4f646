//! What is wrong with a study, where, and what to write instead.

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Where in the study, as a path of keys: `curves[0].free`. Empty for the study as a whole.
    pub path: String,
    /// Within a text value: the byte range concerned.
    pub within: Option<std::ops::Range<usize>>,
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
            message: message.into(),
            help: None,
        }
    }
    pub fn from_system(path:&str,e:&str)->Self{Self::new(path,e)}
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
        let complaint = Self::new(path, format!("unknown {what} `{name}`; this system has: {}", known.join(", ")));
        match super::nearest(name, &known) {
            Some(near) => complaint.help(format!("did you mean `{near}`?")),
            None => complaint,
        }
    }
}
