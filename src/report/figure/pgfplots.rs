//! The same figure for people who typeset: a stand-alone LaTeX document for pgfplots.
use super::palette::Look;
use super::scene::Sheet;
pub(super) fn document(_sheet: &Sheet, _look: Look) -> String {
    String::new()
}
