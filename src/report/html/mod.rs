//! `report.html`: a whole run in one file to explore, without a network.
//!
//! The page's script and style are source files of their own beside this one; the tables are packed into it as numbers
//! in base64. Every stored orbit is thinned to what a screen can show, and there are no more than a browser loads at
//! once. Same tables, same bytes.

mod budget;
mod cells;
mod pack;
mod payload;
mod ron;
mod sheet;
mod thin;
mod views;

use super::figure::Figure;
use super::{RunData, Table};
use base64::Engine as _;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("report.css");
/// In the order in which they build on each other.
const SCRIPTS: [&str; 24] = [
    "\"use strict\";\n",
    include_str!("numbers.js"),
    include_str!("model.js"),
    include_str!("names.js"),
    include_str!("ticks.js"),
    include_str!("plot.js"),
    include_str!("symbols.js"),
    include_str!("vector.js"),
    include_str!("navigate.js"),
    include_str!("colours.js"),
    include_str!("diagram.js"),
    include_str!("overlay.js"),
    include_str!("tree.js"),
    include_str!("special.js"),
    include_str!("orbit.js"),
    include_str!("space.js"),
    include_str!("multipliers.js"),
    include_str!("point.js"),
    include_str!("save.js"),
    include_str!("study.js"),
    include_str!("address.js"),
    include_str!("cells.js"),
    include_str!("app.js"),
    include_str!("controls.js"),
];

/// What a report tells beyond the tables of the run.
///
/// ```
/// use slipstick_report::RunData;
/// use slipstick_report::html::{Story, page};
/// use std::collections::BTreeMap;
/// let story = Story {
///     title: "Stiction",
///     study: "Study(title: \"Stiction\", system: Stiction())",
///     figures: &[],
///     curves: BTreeMap::new(),
///     drawings: vec![],
///     notes: vec![("kernel".into(), "the memory fades".into())],
///     orbits: BTreeMap::new(),
/// };
/// let html = page(&RunData::default(), &story);
/// // One file that asks the network for nothing.
/// assert!(html.contains("<title>Stiction") && !html.contains("src=\"http"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Story<'a> {
    /// Title of the study.
    pub title: &'a str,
    /// The study as it was read.
    pub study: &'a str,
    /// The study's figures: their diagrams become views of the page.
    pub figures: &'a [Figure],
    /// What the tables do not say of each curve, by its name.
    pub curves: BTreeMap<&'a str, CurveStory>,
    /// The figures as they are printed, as SVG, by their names.
    pub drawings: Vec<(String, String)>,
    /// What was noticed, and by what.
    pub notes: Vec<(String, String)>,
    /// Orbits beyond those of labelled points, so that a walk along a branch shows how the orbit changes.
    pub orbits: BTreeMap<(String, usize), Table>,
}

/// What the tables do not say of a curve.
///
/// ```
/// use slipstick_bifurcation::End;
/// use slipstick_report::html::CurveStory;
/// let reported = CurveStory { free: vec!["Omega".into()], ended: End::Range.describe(), ..CurveStory::default() };
/// assert_eq!(reported.ended, "reached the end of the range");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveStory {
    /// Its free parameters.
    pub free: Vec<String>,
    /// Why it ended, in words.
    pub ended: String,
    /// Are its orbits those of a map, with the number of the iteration as their time? They are drawn as points.
    pub map: bool,
    /// The curve and the point of it that it starts from, as the study says it: `steady, HB`. Branches say it by their
    /// names.
    pub from: String,
    /// The states of its system, as orbits have them.
    pub states: Vec<String>,
}

/// The report of a run as one HTML file.
///
/// ```
/// use slipstick_report::{Kind, RunData, Table, html::{Story, page}};
/// let mut data = RunData::default();
/// data.points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("r", Kind::Number), ("x", Kind::Number)]);
/// data.points.push_row(["fold".into(), 0usize.into(), 1.0.into(), (-1.0).into()])?;
/// let html = page(&data, &Story { title: "A fold", ..Story::default() });
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<title>A fold</title>"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[must_use]
pub fn page(data: &RunData, story: &Story<'_>) -> String {
    // Filled piece by piece: what is put in is never searched again, whatever it contains.
    let fill = |name: &str| match name {
        "title" => escaped(if story.title.is_empty() {
            "slipstick"
        } else {
            story.title
        }),
        "study" => escaped(story.study),
        "style" => STYLE.to_owned(),
        "script" => SCRIPTS.concat(),
        // Nothing but the page's own style and script, and no network.
        "style-hash" => integrity(STYLE),
        "script-hash" => integrity(&SCRIPTS.concat()),
        "version" => env!("CARGO_PKG_VERSION").to_owned(),
        "sheet" => sheet::section(data, story),
        // No `<` can end the script element early.
        "payload" => payload::json(data, story).replace('<', "\\u003c"),
        _ => String::new(),
    };
    let mut html = String::new();
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        html.push_str(before);
        html.push_str(&fill(name));
        rest = after;
    }
    html.push_str(rest);
    html
}

/// By what a browser knows an inline script or style: the hash of its text.
fn integrity(text: &str) -> String {
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text));
    format!("'sha256-{hash}'")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Kind;
    use super::*;

    fn data() -> RunData {
        let columns = [
            ("curve", Kind::Text),
            ("index", Kind::Number),
            ("label", Kind::Text),
            ("r", Kind::Number),
        ];
        let mut points = Table::new(columns);
        points
            .push_row(["</script>".into(), 0usize.into(), "LP".into(), f64::NEG_INFINITY.into()])
            .unwrap();
        RunData {
            special: points.clone(),
            points,
            ..RunData::default()
        }
    }

    #[test]
    fn texts_cannot_break_out_of_the_page() {
        let story = Story {
            title: "{{study}} <b>",
            study: "</pre><script>alert(1)</script>",
            ..Story::default()
        };
        let html = page(&data(), &story);
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(html.contains("<title>{{study}} &lt;b&gt;</title>") && !html.contains("<script>alert"));
        // The name of SVG, which nobody fetches, is the only address.
        let html = html.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !html.contains("http://") && !html.contains("https://"),
            "the page needs no network"
        );
    }

    #[test]
    fn figures_notes_and_short_tables_are_shown_as_they_are() {
        let mut table = Table::new([("what", Kind::Text), ("value", Kind::Number)]);
        table.push_row(["a < b".into(), 0.25.into()]).unwrap();
        let mut data = data();
        data.tables.insert("spread".into(), table);
        let story = Story {
            drawings: vec![("loops".into(), "<svg/>".into())],
            notes: vec![("bearing".into(), "2 of 3 runs".into())],
            ..Story::default()
        };
        let html = page(&data, &story);
        for part in [
            "<td>a &lt; b</td><td>0.25</td>",
            "<b>bearing</b>: 2 of 3 runs",
            "base64,PHN2Zy8+",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert!(!page(&RunData::default(), &Story::default()).contains("<section id=\"sheet-section\">"));
    }

    #[test]
    fn same_tables_same_bytes() {
        assert_eq!(page(&data(), &Story::default()), page(&data(), &Story::default()));
    }
}
