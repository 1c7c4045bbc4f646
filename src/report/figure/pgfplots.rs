//! The same figure for people who typeset: a stand-alone LaTeX document for pgfplots, with its data.

use super::bar;
use super::geometry::Rect;
use super::layout::{POINT, Sizes, x_ticks, y_ticks};
use super::markup::Label;
use super::oblique;
use super::paint::Stand;
use super::palette::Look;
use super::paper::Paper;
use super::pgfplots_legend::{legend, legend_place, write_legend};
use super::pgfplots_words::{
    colour_name, declare_star, shade_colour, stroke_style, write_mark, write_names, write_tags,
};
use super::raster::picture_file;
use super::scene::{
    AxisScale, Entry, Fill, Ink, InsetScene, Mark, NoteScene, Panel, Rule, Sample, Series, Shape, Sheet,
};
use super::space_axes;
use super::tags::Tag;
use super::ticks::{Scale, Ticks};
use crate::table_csv::shortest;
use std::fmt::Write as _;

/// Room between panels for numbers and labels, in millimetres.
const BETWEEN: f64 = 15.0;
/// Height of a row of a legend, in millimetres.
const LEGEND_ROW: f64 = 4.5;
/// What a line over cells has of white at its sides, in millimetres.
const RIM: f64 = 0.16;
/// Height of the letters that TeX calls tiny, in millimetres.
const TINY: f64 = 5.0 * POINT;
/// Length of an arrowhead, and half its width, in millimetres.
const ARROW: (f64, f64) = (1.5, 0.57);

/// The figure as a LaTeX document.
pub(super) fn document(sheet: &Sheet, look: Look, stands: &[Stand]) -> String {
    // The frames are those of the page, so that words stand where they have been placed.
    let mut sheet = sheet.clone();
    for (panel, stand) in sheet.panels.iter_mut().zip(stands) {
        panel.aspect = stand.area.height() / stand.area.width();
    }
    let sheet = &sheet;
    let columns = sheet.columns.clamp(1, sheet.panels.len().max(1));
    let rows = sheet.panels.len().div_ceil(columns);
    let barred = sheet.panels.iter().any(|panel| panel.bar.is_some());
    let beside = BETWEEN + if barred { bar::TEX_ROOM } else { 0.0 };
    let width = stands.first().map_or(60.0, |stand| stand.area.width());
    // Legends stand above their panels: those of lower rows need room below the labels of the rows above.
    let reported = |panel: &Panel| {
        let (entries, columns) = legend(panel, &[], width, sheet);
        entries.len().div_ceil(columns)
    };
    let below = sheet.panels.iter().skip(columns).map(reported).max().unwrap_or(0);
    let between = BETWEEN + LEGEND_ROW * below as f64;
    let paper = Paper::of(sheet, width);
    let mut tex = String::new();
    let _ = writeln!(
        tex,
        "% {}: typeset with pdflatex or lualatex; needs pgfplots.",
        sheet.name
    );
    tex.push_str("\\documentclass[border=1mm]{standalone}\n\\usepackage{amsmath}\n\\usepackage{pgfplots}\n");
    if sheet.panels.iter().any(|panel| panel.cells.is_some()) {
        tex.push_str("\\usepackage{graphicx}\n");
    }
    tex.push_str("\\usepgfplotslibrary{groupplots}\n\\pgfplotsset{compat=1.16}\n");
    let starred = |panel: &Panel| panel.marks.iter().any(|mark| mark.shape == Shape::Star);
    if sheet.panels.iter().any(starred) {
        declare_star(&mut tex);
    }
    for ink in inks(sheet) {
        let [red, green, blue] = look.colour(ink);
        let _ = writeln!(
            tex,
            "\\definecolor{{{}}}{{RGB}}{{{red},{green},{blue}}}",
            colour_name(ink)
        );
    }
    tex.push_str("\\begin{document}\n\\begin{tikzpicture}\n\\begin{groupplot}[\n");
    let _ = writeln!(
        tex,
        "  group style={{group size={columns} by {rows}, horizontal sep={beside}mm, vertical sep={between}mm}},\n  \
         scale only axis, width={width:.1}mm, tick align=inside, minor tick num=4,\n  \
         label style={{font=\\small}}, tick label style={{font=\\footnotesize}},\n  \
         legend style={{draw=none, fill=none, font=\\footnotesize, cells={{anchor=west}}}}]"
    );
    for (at, panel) in sheet.panels.iter().enumerate() {
        let heading = if at == 0 { sheet.heading.as_slice() } else { &[] };
        write_panel(&mut tex, panel, heading, paper, (sheet, stands), at, look);
        if let Some(stand) = stands.get(at) {
            write_tags(&mut tex, &stand.tags, stand.area, sheet);
            write_names(&mut tex, stand, sheet);
        }
    }
    tex.push_str("\\end{groupplot}\n");
    for (at, panel) in sheet.panels.iter().enumerate() {
        let stand = stands
            .get(at)
            .and_then(|stand| Some((stand.area, stand.inset.as_ref()?)));
        if let Some((area, inset)) = stand {
            let place = (at % columns + 1, at / columns + 1);
            write_inset(&mut tex, panel, sheet, paper, (place, area, inset), look);
        }
    }
    tex.push_str("\\end{tikzpicture}\n\\end{document}\n");
    tex
}

fn write_panel(
    tex: &mut String,
    panel: &Panel,
    heading: &[Entry],
    paper: Paper,
    (sheet, stands): (&Sheet, &[Stand]),
    at: usize,
    look: Look,
) {
    let width = paper.width;
    let title = if sheet.panels.len() > 1 {
        let letter = char::from(b'a' + (at % 26) as u8);
        format!("title={{({letter})}}, title style={{at={{(0,1)}}, anchor=south east, font=\\small}}, ")
    } else {
        String::new()
    };
    let _ = writeln!(tex, "\\nextgroupplot[{title}height={:.1}mm,", panel.aspect * width);
    let number = Sizes::new(sheet.style.font_size).number;
    let (x, y) = (panel.x_edge(), panel.y_edge());
    let ticks = if panel.space.is_some() {
        (Ticks::default(), Ticks::default())
    } else {
        let height = y.part * panel.aspect * width;
        (
            x_ticks(&x.axis, x.part * width, number),
            y_ticks(&y.axis, height, number),
        )
    };
    write_axis(tex, "x", &panel.x, &ticks.0);
    write_axis(tex, "y", &panel.y, &ticks.1);
    if panel.space.is_some() {
        tex.push_str("  axis line style={draw=none},\n");
    }
    if panel.front.is_some() {
        tex.push_str("  axis line style={draw=none}, xtick pos=bottom, ytick pos=left,\n");
    }
    let (entries, columns) = legend(panel, heading, width, sheet);
    if let Some(axis) = &panel.bar {
        bar::write(tex, axis, panel.aspect * width, number, look);
    }
    if panel.cells.is_some() {
        // Ticks are seen over the picture.
        tex.push_str("  axis on top,\n");
    }
    let inside = stands.get(at).and_then(|stand| Some((stand.area, stand.legend?)));
    let place = match inside {
        Some((area, own)) => {
            let (x, y) = (
                (own.left - area.left) / area.width(),
                (area.bottom - own.top) / area.height(),
            );
            format!("legend style={{at={{({x:.3},{y:.3})}}, anchor=north west}}")
        }
        None => legend_place(panel.legend, columns),
    };
    let _ = writeln!(tex, "  {place}]");
    let (y_low, y_high) = (shortest(panel.y.low), shortest(panel.y.high));
    if panel.cells.is_some() {
        let before = sheet.panels[..at].iter().filter(|panel| panel.cells.is_some()).count();
        let (file, height) = (picture_file(&sheet.name, before), panel.aspect * width);
        let _ = writeln!(
            tex,
            "\\node[anchor=south west, inner sep=0pt] at (rel axis cs:0,0) \
             {{\\includegraphics[width={width:.3}mm, height={height:.3}mm]{{\\detokenize{{{file}}}}}}};"
        );
    }
    if panel.front.is_some() {
        oblique::write(tex);
    }
    if let Some(space) = &panel.space {
        space_axes::write(tex, space);
    }
    for fill in &panel.fills {
        write_fill(tex, fill, look);
    }
    for &(from, to) in &panel.bands {
        let (from, to) = (shortest(from), shortest(to));
        let _ = writeln!(
            tex,
            "\\fill[black!11] (axis cs:{from},{y_low}) rectangle (axis cs:{to},{y_high});"
        );
    }
    for (row, (ink, ranges)) in panel.strips.iter().enumerate() {
        for &(from, to) in ranges {
            let foot = |height: f64| format!("([yshift={height:.1}mm]axis cs:");
            let (low, high) = (foot(0.5 + 1.1 * row as f64), foot(1.3 + 1.1 * row as f64));
            let (from, to, ink) = (shortest(from), shortest(to), colour_name(*ink));
            let _ = writeln!(tex, "\\fill[{ink}] {low}{from},{y_low}) rectangle {high}{to},{y_low});");
        }
    }
    for rule in &panel.rules {
        write_rule(tex, rule, panel);
    }
    for note in &panel.notes {
        write_note(tex, note);
    }
    write_dots(tex, panel, paper);
    for series in &panel.series {
        write_series(tex, series, panel, look, paper);
    }
    write_arrows(tex, panel, width);
    let magnified = panel.inset.as_ref().map(|inset| magnified(panel, inset));
    if let Some(source) = &magnified {
        // What is magnified, as far as the panel shows it.
        let (low_x, high_x) = (source.x.low.max(panel.x.low), source.x.high.min(panel.x.high));
        let (low_y, high_y) = (source.y.low.max(panel.y.low), source.y.high.min(panel.y.high));
        if low_x < high_x && low_y < high_y {
            let [low_x, high_x, low_y, high_y] = [low_x, high_x, low_y, high_y].map(shortest);
            let neutral = colour_name(Ink::Neutral);
            let _ = writeln!(
                tex,
                "\\draw[{neutral}, thin] (axis cs:{low_x},{low_y}) rectangle (axis cs:{high_x},{high_y});"
            );
        }
    }
    for mark in panel.marks.iter().filter(|mark| shows(panel, mark)) {
        write_mark(tex, mark);
    }
    write_legend(tex, &entries, look);
}

/// The inset of a panel as axes of their own, where it stands on the page.
fn write_inset(
    tex: &mut String,
    panel: &Panel,
    sheet: &Sheet,
    paper: Paper,
    ((column, row), area, (own, tags)): ((usize, usize), Rect, &(Rect, Vec<Tag>)),
    look: Look,
) {
    let Some(inset) = &panel.inset else { return };
    let magnified = magnified(panel, inset);
    let (wide, high) = (own.width(), own.height());
    let (right, up) = (own.left - area.left, area.bottom - own.bottom);
    let place =
        format!("at={{(group c{column}r{row}.south west)}}, anchor=south west, xshift={right:.2}mm, yshift={up:.2}mm");
    let _ = writeln!(
        tex,
        "\\begin{{axis}}[scale only axis, width={wide:.2}mm, height={high:.2}mm, {place},"
    );
    write_axis(tex, "x", &magnified.x, &x_ticks(&magnified.x, 0.8 * wide, TINY));
    write_axis(tex, "y", &magnified.y, &y_ticks(&magnified.y, 0.8 * high, TINY));
    tex.push_str("  axis background/.style={fill=white}, tick label style={font=\\tiny}]\n");
    let paper = Paper { width: wide, ..paper };
    write_dots(tex, &magnified, paper);
    for series in &panel.series {
        write_series(tex, series, &magnified, look, paper);
    }
    for mark in panel.marks.iter().filter(|mark| shows(&magnified, mark)) {
        write_mark(tex, mark);
    }
    write_tags(tex, tags, *own, sheet);
    tex.push_str("\\end{axis}\n");
}

fn magnified(panel: &Panel, inset: &InsetScene) -> Panel {
    Panel {
        x: AxisScale {
            low: inset.x.0,
            high: inset.x.1,
            label: Label::default(),
            ..panel.x.clone()
        },
        y: AxisScale {
            low: inset.y.0,
            high: inset.y.1,
            label: Label::default(),
            ..panel.y.clone()
        },
        ..panel.clone()
    }
}

fn shows(panel: &Panel, mark: &Mark) -> bool {
    let inside = |part: Option<f64>| part.is_some_and(|part| (0.0..=1.0).contains(&part));
    inside(panel.x.part(mark.at.0)) && inside(panel.y.part(mark.at.1))
}

fn write_axis(tex: &mut String, name: &str, axis: &AxisScale, ticks: &Ticks) {
    let mode = if axis.scale == Scale::Log { "log" } else { "linear" };
    let (low, high) = (shortest(axis.low), shortest(axis.high));
    let _ = writeln!(
        tex,
        "  {name}mode={mode}, {name}min={low}, {name}max={high}, {name}label={{{}}},",
        axis.label.tex
    );
    // pgfplots has no parts of π, writes less than two decades as powers of ten with decimals, and rounds numbers that
    // differ by little to the same.
    let list = |values: &[f64]| {
        values
            .iter()
            .map(|&value| shortest(value))
            .collect::<Vec<_>>()
            .join(",")
    };
    let places: Vec<f64> = ticks.major.iter().map(|(value, _)| *value).collect();
    let labels: Vec<&str> = ticks.major.iter().map(|(_, label)| label.tex.as_str()).collect();
    let _ = writeln!(
        tex,
        "  {name}tick={{{}}}, {name}ticklabels={{{}}}, minor {name}tick={{{}}},",
        list(&places),
        labels.join(","),
        list(&ticks.minor)
    );
    if let Some(common) = &ticks.common {
        let (corner, anchor) = match name {
            "x" => ("1,0", "anchor=north east, yshift=-5mm"),
            _ => ("0,1", "anchor=south west"),
        };
        let common = &common.tex;
        let _ = writeln!(
            tex,
            "  extra description/.append code={{\\node[{anchor}, inner sep=1pt, font=\\footnotesize] at ({corner}) \
             {{{common}}};}},"
        );
    }
}

/// Arrowheads along curves, turned as they lie on the page.
fn write_arrows(tex: &mut String, panel: &Panel, width: f64) {
    let part = |(x, y): (f64, f64)| panel.x.part(x).zip(panel.y.part(y));
    for arrow in &panel.arrows {
        let Some((from, to)) = part(arrow.from).zip(part(arrow.to)) else {
            continue;
        };
        let middle = [0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1)];
        let (along, up) = (to.0 - from.0, panel.aspect * (to.1 - from.1));
        if along.hypot(up) == 0.0 || middle.iter().any(|at| !(0.0..=1.0).contains(at)) {
            continue;
        }
        let (ink, turn) = (colour_name(arrow.ink), up.atan2(along).to_degrees());
        let (tip, side) = (0.5 * ARROW.0, ARROW.1);
        let [x, y] = middle.map(|at| at * width);
        let y = panel.aspect * y;
        let _ = writeln!(
            tex,
            "\\fill[{ink}, shift={{(rel axis cs:0,0)}}, shift={{({x:.2}mm,{y:.2}mm)}}, rotate={turn:.1}] \
             ({tip}mm,0mm) -- (-{tip}mm,{side}mm) -- (-{tip}mm,-{side}mm) -- cycle;"
        );
    }
}

fn write_rule(tex: &mut String, rule: &Rule, panel: &Panel) {
    let at = shortest(rule.at);
    let (from, to) = if rule.vertical {
        (
            format!("{at},{}", shortest(panel.y.low)),
            format!("{at},{}", shortest(panel.y.high)),
        )
    } else {
        (
            format!("{},{at}", shortest(panel.x.low)),
            format!("{},{at}", shortest(panel.x.high)),
        )
    };
    let name = colour_name(rule.ink);
    let _ = writeln!(
        tex,
        "\\draw[{name}, thin, densely dashed] (axis cs:{from}) -- (axis cs:{to});"
    );
}

fn write_note(tex: &mut String, note: &NoteScene) {
    let place = |(x, y): (f64, f64)| format!("axis cs:{},{}", shortest(x), shortest(y));
    let name = colour_name(Ink::Neutral);
    let lines: Vec<&str> = note.lines.iter().map(|line| line.tex.as_str()).collect();
    let words = format!(
        "node[align=center, font=\\footnotesize, inner sep=1pt] {{{}}}",
        lines.join("\\\\")
    );
    let at = place(note.at);
    let _ = match note.to {
        Some(to) => writeln!(tex, "\\draw[{name}, very thin] ({}) -- ({at}) {words};", place(to)),
        None => writeln!(tex, "\\path ({at}) {words};"),
    };
}

fn write_series(tex: &mut String, series: &Series, panel: &Panel, look: Look, paper: Paper) {
    let style = format!(
        "{}, {}",
        colour_name(series.ink),
        stroke_style(series.ink, series.stroke, look)
    );
    for piece in paper.pieces(series, panel) {
        if panel.cells.is_some() || panel.front.is_some() {
            let rim = (look.width(series.ink, series.stroke) + 2.0 * RIM) / POINT;
            write_table(tex, &format!("white, line width={rim:.2}pt"), &piece);
        }
        write_table(tex, &style, &piece);
    }
}

fn write_dots(tex: &mut String, panel: &Panel, paper: Paper) {
    let dots = paper.dots(panel);
    if !dots.is_empty() {
        write_table(tex, "black!45, only marks, mark=*, mark size=0.5pt", &dots);
    }
}

/// A plot with its data, a line for each point: TeX reads no long lines.
fn write_table(tex: &mut String, style: &str, points: &[(f64, f64)]) {
    let _ = writeln!(tex, "\\addplot[{style}, forget plot] table[row sep=\\\\] {{x y\\\\");
    for &(x, y) in points {
        let _ = writeln!(tex, "{} {}\\\\", shortest(x), shortest(y));
    }
    tex.push_str("};\n");
}

/// A region filled; pgfplots clips it.
fn write_fill(tex: &mut String, fill: &Fill, look: Look) {
    let shade = shade_colour(fill.tone, look);
    write_table(tex, &format!("draw=none, fill={shade}"), &fill.outline);
}

fn inks(sheet: &Sheet) -> Vec<Ink> {
    let mut inks = vec![Ink::Neutral];
    let of_panel = |panel: &Panel| -> Vec<Ink> {
        let series = panel.series.iter().map(|series| series.ink);
        series
            .chain(panel.strips.iter().map(|(ink, _)| *ink))
            .chain(panel.marks.iter().map(|mark| mark.ink))
            .chain(panel.arrows.iter().map(|arrow| arrow.ink))
            .collect()
    };
    for ink in sheet.panels.iter().flat_map(of_panel) {
        if !inks.contains(&ink) {
            inks.push(ink);
        }
    }
    for entry in sheet
        .panels
        .iter()
        .flat_map(|panel| &panel.entries)
        .chain(&sheet.heading)
    {
        if let Sample::Line(ink, _) = entry.sample
            && !inks.contains(&ink)
        {
            inks.push(ink);
        }
    }
    inks
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Stroke, Tone};
    use super::super::spec::{Legend, Palette, Style};
    use super::*;

    #[test]
    fn braces_balance_and_every_colour_is_defined() {
        let axis = |source: &str| AxisScale {
            label: Label::parse(source).unwrap_or_default(),
            scale: Scale::Linear,
            low: 0.0,
            high: 1.0,
        };
        let series = |n: usize, points: Vec<(f64, f64)>| Series {
            ink: Ink::Series(n),
            stroke: Stroke::Dashed,
            points,
        };
        let panel = Panel {
            x: axis(r"\Omega"),
            y: AxisScale {
                scale: Scale::Angle,
                high: 6.3,
                ..axis("50% of {it}")
            },
            aspect: 0.5,
            cells: None,
            named: Vec::new(),
            bar: None,
            front: None,
            space: None,
            fills: vec![Fill {
                tone: Tone::Repelling,
                outline: vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
            }],
            arrows: vec![],
            series: vec![series(3, vec![(0.0, 0.0), (0.5, 1e9), (0.6, 1.0), (1.0, 1.0)])],
            marks: vec![Mark {
                at: (0.5, 0.5),
                shape: Shape::Circle,
                name: Some("VS".into()),
                ink: Ink::Series(3),
            }],
            bands: vec![(0.1, 0.2)],
            dots: vec![(0.15, 0.5)],
            strips: vec![(Ink::Series(1), vec![(0.3, 0.4)])],
            notes: Vec::new(),
            rules: vec![Rule {
                vertical: true,
                at: 0.5,
                ink: Ink::Neutral,
                label: None,
            }],
            inset: None,
            legend: Legend::Auto,
            entries: vec![Entry::line(Ink::Canard, Stroke::Thick, Label::plain("canard"))],
        };
        let sheet = Sheet {
            name: "test".into(),
            style: Style::default(),
            columns: 1,
            share_x: false,
            share_y: false,
            panels: vec![panel],
            heading: Vec::new(),
        };
        let look = Look {
            palette: Palette::Colour,
            canards: true,
            line_width: 0.3,
        };
        let tex = document(&sheet, look, &[]);
        let unescaped = tex.replace("\\{", "").replace("\\}", "");
        assert_eq!(unescaped.matches('{').count(), unescaped.matches('}').count());
        for name in ["curveD", "curveB", "canard", "neutral"] {
            assert!(tex.contains(&format!("\\definecolor{{{name}}}")), "{name}");
        }
        // What TeX cannot count to is left out.
        assert!(!tex.contains("1000000000") && !tex.contains("1e9"), "{tex}");

        // However many points there are, pdflatex has room for them, and no line is longer than its buffer.
        let mut crowded = sheet.clone();
        let scattered = |n: i32| (f64::from(n) * 0.754_877_666 % 1.0, f64::from(n) * 0.569_840_291 % 1.0);
        crowded.panels[0].dots = (0..50_000).map(scattered).collect();
        crowded.panels[0]
            .series
            .push(series(4, (0..50_000).map(scattered).collect()));
        let tex = document(&crowded, look, &[]);
        let rows = tex.lines().filter(|line| line.ends_with("\\\\")).count();
        assert!((300..6000).contains(&rows), "{rows}");
        assert!(tex.lines().all(|line| line.len() < 2000));
    }
}
