//! What a report shows as it stands: drawn figures, what analyses noticed, short tables.

use super::{RunData, Story, escaped};
use crate::{Cell, Table};
use base64::Engine as _;

/// Tables with more rows are left to their files.
const ROWS: usize = 60;

/// The section, or nothing if there is nothing to show.
pub(super) fn section(data: &RunData, story: &Story<'_>) -> String {
    let mut html = String::new();
    for (name, note) in &story.notes {
        html += &format!("<p><b>{}</b>: {}</p>\n", escaped(name), escaped(note));
    }
    for (name, svg) in &story.drawings {
        let picture = base64::engine::general_purpose::STANDARD.encode(svg);
        html += &format!(
            "<figure data-figure=\"{0}\"><img alt=\"{0}\" loading=\"lazy\" decoding=\"async\" src=\"data:image/svg+xml;base64,{picture}\"><figcaption>{0}</figcaption></figure>\n",
            escaped(name)
        );
    }
    for (name, table) in data.tables.iter().filter(|(_, t)| t.rows() <= ROWS) {
        html += &format!(
            "<details><summary>{}</summary>\n{}</details>\n",
            escaped(name),
            rows(table)
        );
    }
    if html.is_empty() {
        return html;
    }
    format!(
        "<section id=\"sheet-section\">\n<h2>Figures and tables</h2>\n<div class=\"sheet\">\n{html}</div>\n</section>\n"
    )
}

fn rows(table: &Table) -> String {
    let head: String = table
        .names()
        .iter()
        .map(|n| format!("<th>{}</th>", escaped(n)))
        .collect();
    let mut html = format!("<div class=\"scroll\"><table><thead><tr>{head}</tr></thead><tbody>\n");
    for row in 0..table.rows() {
        let cells = table.columns().map(|(_, column)| match column.get(row) {
            Some(Cell::Number(v)) if v.is_nan() => String::new(),
            Some(Cell::Number(v)) => format!("{v}"),
            Some(Cell::Text(text)) => escaped(&text),
            Some(Cell::Flag(flag)) => format!("{flag}"),
            _ => String::new(),
        });
        let cells: String = cells.map(|c| format!("<td>{c}</td>")).collect();
        html += &format!("<tr>{cells}</tr>\n");
    }
    html + "</tbody></table></div>\n"
}
