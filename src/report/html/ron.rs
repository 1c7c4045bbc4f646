//! A diagram as the text of a figure, so that `slipstick plot` draws it again.

use crate::figure::{Diagram, Line, Note, Place, Style};
use std::fmt::Write as _;

/// Everything that a diagram says but its axes and curves, as lines of RON: the page writes the axes as they are shown.
pub(super) fn besides_axes(spec: &Diagram) -> String {
    let mut text = String::new();
    let mut put = |key: &str, value: String| {
        // Writing into a text cannot fail.
        let _ = writeln!(text, "    {key}: {value},");
    };
    if !spec.attractors.is_empty() {
        put("attractors", format!("{:?}", spec.attractors));
    }
    if spec.mark != Default::default() {
        put("mark", format!("{:?}", spec.mark));
    }
    if !spec.lines.is_empty() {
        put("lines", list(spec.lines.iter().map(line)));
    }
    if !spec.notes.is_empty() {
        put("notes", list(spec.notes.iter().map(note)));
    }
    if !spec.labels.is_empty() {
        put("labels", format!("{:?}", spec.labels));
    }
    if spec.legend != Default::default() {
        put("legend", format!("{:?}", spec.legend));
    }
    if let Some(style) = &spec.style {
        put("style", style_text(style));
    }
    text
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn line(line: &Line) -> String {
    match line {
        Line::Horizontal { at, label } => format!("Horizontal(at: {}, label: {label:?})", place(at)),
        Line::Vertical { at, label } => format!("Vertical(at: {}, label: {label:?})", place(at)),
        Line::Through { points, label } => format!("Through(points: {points:?}, label: {label:?})"),
    }
}

fn place(place: &Place) -> String {
    match place {
        Place::Number(value) => format!("{value:?}"),
        Place::Formula(formula) => format!("{formula:?}"),
    }
}

fn note(note: &Note) -> String {
    let to = note.to.map_or_else(String::new, |to| format!(", to: {to:?}"));
    format!("Note(at: {:?}, text: {:?}{to})", note.at, note.text)
}

fn style_text(style: &Style) -> String {
    let height = style
        .height
        .map_or_else(String::new, |height| format!("height: {height:?}, "));
    format!(
        "Style(width: {:?}, {height}palette: {:?}, font_size: {:?}, line_width: {:?})",
        style.width, style.palette, style.font_size, style.line_width
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::figure::Figure;

    #[test]
    fn what_is_written_is_read_back() {
        let text = r#"Diagram(name: "a", x: "r", y: "x", attractors: ["seen"], mark: Only(["LP", "SB"]), legend: Outside,
            lines: [Horizontal(at: 1), Vertical(at: "1/sqrt(mu)", label: "$\\mu$ \"here\""), Through(points: [(0, 1), (1, 2.5)])],
            notes: [Note(at: (1, 2), text: "two\nlines", to: (0, 0))], labels: {"r": "ratio"},
            style: Style(width: Millimetres(60), palette: Monochrome, height: 50))"#;
        let Figure::Diagram(spec) = Figure::from_ron(text).unwrap() else {
            panic!("it is one")
        };
        let again = format!("Diagram(name: \"a\", x: \"r\", y: \"x\",\n{})", besides_axes(&spec));
        assert_eq!(Figure::from_ron(&again).unwrap(), Figure::Diagram(spec));
    }
}
