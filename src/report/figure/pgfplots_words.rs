//! Marks and names in the version for pgfplots: they stand where they have been placed on the page.

use super::geometry::Rect;
use super::layout::{POINT, Sizes};
use super::markup::Label;
use super::paint::Stand;
use super::palette::{Look, rgb};
use super::scene::{Ink, Mark, Sample, Shape, Sheet, Stroke, Tone};
use super::symbols::ROW_STEP;
use super::tags::Tag;
use crate::table_csv::shortest;
use std::fmt::Write as _;

/// The names of curves beside them.
pub(super) fn write_names(tex: &mut String, stand: &Stand, sheet: &Sheet) {
    let size = Sizes::new(sheet.style.font_size).name / POINT;
    for (own, entry) in &stand.names {
        let colour = match entry.sample {
            Sample::Line(ink, _) => colour_name(ink),
            _ => "black".to_owned(),
        };
        let (right, up) = (own.left - stand.area.left, stand.area.bottom - own.bottom);
        let _ = writeln!(
            tex,
            "\\node[anchor=base west, inner sep=0pt, text={}, font=\\fontsize{{{size:.1}}}{{{size:.1}}}\\selectfont] \
             at ([shift={{({right:.2}mm,{up:.2}mm)}}]rel axis cs:0,0) {{{}}};",
            colour, entry.label.tex
        );
    }
}

/// The names of marks, where they stand on the page.
pub(super) fn write_tags(tex: &mut String, tags: &[Tag], area: Rect, sheet: &Sheet) {
    let size = Sizes::new(sheet.style.font_size).name / POINT;
    let neutral = colour_name(Ink::Neutral);
    let at = |(x, y): (f64, f64)| {
        format!(
            "([shift={{({:.2}mm,{:.2}mm)}}]rel axis cs:0,0)",
            x - area.left,
            area.bottom - y
        )
    };
    for tag in tags {
        if let Some((from, to)) = tag.leader {
            let _ = writeln!(tex, "\\draw[{neutral}, line width=0.35pt] {} -- {};", at(from), at(to));
        }
        let rows: Vec<String> = tag.text.lines().map(|row| Label::plain(row).tex).collect();
        let (step, rows) = (ROW_STEP * size, rows.join("\\\\"));
        let _ = writeln!(
            tex,
            "\\node[anchor=north west, inner sep=0pt, align=left, font=\\fontsize{{{size:.1}}}{{{step:.1}}}\\selectfont] at {} {{{rows}}};",
            at((tag.area.left, tag.area.top))
        );
    }
}

/// A mark; its name is written where it stands on the page.
pub(super) fn write_mark(tex: &mut String, mark: &Mark) {
    let (x, y) = (shortest(mark.at.0), shortest(mark.at.1));
    let symbol = mark_style(mark.shape);
    let colour = if matches!(mark.shape, Shape::Dot | Shape::Ring) {
        colour_name(mark.ink)
    } else {
        "black".to_owned()
    };
    let _ = writeln!(
        tex,
        "\\addplot[{colour}, only marks, {symbol}, forget plot] coordinates {{({x},{y})}};"
    );
}

/// The symbol of a mark.
pub(super) fn mark_style(shape: Shape) -> &'static str {
    match shape {
        Shape::Disc => "mark=*, mark size=2.1pt, mark options={fill=black!35}",
        Shape::Circle => "mark=o, mark size=2.1pt",
        Shape::Square => "mark=square*, mark size=1.9pt, mark options={fill=black!35}",
        Shape::OpenSquare => "mark=square, mark size=1.9pt",
        Shape::Diamond => "mark=diamond*, mark size=2.6pt, mark options={fill=black!35}",
        Shape::OpenDiamond => "mark=diamond, mark size=2.6pt",
        Shape::Triangle => "mark=triangle*, mark size=2.6pt, mark options={fill=black!35}",
        Shape::OpenTriangle => "mark=triangle, mark size=2.6pt",
        Shape::OpenTriangleDown => "mark=triangle, mark size=2.6pt, mark options={rotate=180}",
        Shape::Star => "mark=fivestar, mark size=3.1pt, mark options={fill=black!35}",
        Shape::Cross => "mark=x, mark size=2.2pt",
        Shape::Dot => "mark=*, mark size=0.8pt",
        Shape::Ring => "mark=o, mark size=1.3pt",
    }
}

/// The star of points of codimension two and of Hopf points, which pgfplots has not.
pub(super) fn declare_star(tex: &mut String) {
    tex.push_str("\\pgfdeclareplotmark{fivestar}{%\n");
    for k in 0..10 {
        let radius = if k % 2 == 0 { 1.0 } else { 0.45 };
        let (command, angle) = (if k == 0 { "moveto" } else { "lineto" }, 90 - 36 * k);
        let _ = writeln!(
            tex,
            "  \\pgfpath{command}{{\\pgfpointpolar{{{angle}}}{{{radius}\\pgfplotmarksize}}}}%"
        );
    }
    tex.push_str("  \\pgfpathclose\\pgfusepathqfillstroke}\n");
}

/// What an ink is called in the document.
pub(super) fn colour_name(ink: Ink) -> String {
    match ink {
        Ink::Series(n) => {
            let letter = |k: usize| char::from(b'A' + (k % 26) as u8);
            match n / 26 {
                0 => format!("curve{}", letter(n)),
                round => format!("curve{}{}", letter(round - 1), letter(n)),
            }
        }
        Ink::Canard => "canard".to_owned(),
        Ink::Ramp(place) => format!("ramp{place}"),
        Ink::Locus => "locus".to_owned(),
        Ink::Neutral => "neutral".to_owned(),
    }
}

/// The colour of a shaded region.
pub(super) fn shade_colour(tone: Tone, look: Look) -> String {
    rgb(look.shade(tone))
}

/// How a line is drawn.
pub(super) fn stroke_style(ink: Ink, stroke: Stroke, look: Look) -> String {
    let dashes = match stroke {
        Stroke::Solid | Stroke::Thick | Stroke::Fine => "",
        Stroke::Dashed => ", dashed",
        Stroke::Over => ", dash pattern=on 3.5pt off 3.5pt",
        Stroke::Dotted => ", dotted",
        Stroke::Thin => ", densely dashed",
        Stroke::Hidden => ", densely dotted",
    };
    format!("line width={:.2}pt{dashes}", look.width(ink, stroke) / POINT)
}
