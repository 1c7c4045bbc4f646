//! A study with its declared systems written out.

use crate::loading::{Loaded, ron_options};
use crate::plan::system::frame::quoted;
use crate::spec::system::declared::HybridSpec;
use crate::text::complaint::Complaint;
use crate::text::locate::locate;
use crate::text::rejected::Rejected;
use ron::ser::PrettyConfig;

impl Loaded {
    /// The text of the study with every declared system, as `Filippov(...)`, replaced by the hybrid system that the
    /// program makes of it. The rest stays as it is, comments included.
    ///
    /// ```
    /// use slipstick_study as study;
    /// let text = r#"Study(title: "Belt", system: Filippov(
    ///     states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
    ///     surfaces: {"slip": "v - v0"},
    ///     equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
    /// ))"#;
    /// let expanded = study::parse("belt.ron".as_ref(), text.into())?.expanded()?;
    /// assert!(expanded.contains("Hybrid(") && expanded.contains("\"slip0\""));
    /// // It is a study like any other.
    /// let again = study::parse("belt.ron".as_ref(), expanded.clone())?;
    /// assert_eq!(again.expanded()?, expanded);
    /// # Ok::<(), study::Rejected>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the declarations.
    pub fn expanded(&self) -> Result<String, Rejected> {
        let own = self.spec.system.iter().map(|spec| ("system".to_owned(), spec));
        let further = self.spec.systems.iter();
        let further = further.map(|(name, spec)| (format!("systems.{}", quoted(name)), spec));
        let mut complaints = vec![];
        let mut written: Vec<(std::ops::Range<usize>, String)> = vec![];
        for (path, spec) in own.chain(further) {
            match spec.written_out(&path) {
                Ok(None) => {}
                Ok(Some(system)) => {
                    let place = locate(&self.text, &path, None);
                    let indent = indentation(&self.text, place.start);
                    written.push((place, in_words(&system, &indent)));
                }
                Err(errors) => complaints.extend(errors.iter().map(Complaint::from)),
            }
        }
        if !complaints.is_empty() {
            return Err(self.reject(&complaints));
        }
        written.sort_by_key(|(place, _)| place.start);
        let mut text = self.text.clone();
        for (place, system) in written.into_iter().rev() {
            text.replace_range(place, &system);
        }
        Ok(text)
    }
}

/// The blanks that the line of this place begins with.
fn indentation(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..].chars().take_while(|c| *c == ' ').collect()
}

/// A system as a study writes it, all lines but the first behind `indent`.
fn in_words(system: &HybridSpec, indent: &str) -> String {
    let style = PrettyConfig::new()
        .struct_names(true)
        .indentor("    ".to_owned())
        .compact_arrays(true);
    let text = ron_options().to_string_pretty(system, style).unwrap_or_default();
    // Apostrophes need no escape between quotation marks.
    text.replace("\\'", "'").replace('\n', &format!("\n{indent}"))
}
