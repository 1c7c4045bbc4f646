//! A drawing as SVG. Letters are outlines of the bundled font, so that every program shows the same.

use super::about::About;
use super::canvas::{Canvas, UNITS, units};
use super::font::{self, Stroke};
use super::palette::Colour;
use super::press::{Letters, Place, Press};
use crate::ReportError;
use base64::Engine as _;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Units of an outline in an em.
const EM: f64 = 1000.0;

/// The drawing as a file of its own.
///
/// # Errors
/// [`ReportError::Drawing`].
pub(super) fn svg(canvas: &Canvas, about: &About) -> Result<String, ReportError> {
    let mut press = Svg::default();
    canvas.print(&mut press)?;
    let (width, height) = canvas.size();
    let millimetres = |length: u32| f64::from(length) / UNITS;
    let mut svg = format!(
        "<svg width=\"{}mm\" height=\"{}mm\" viewBox=\"0 0 {width} {height}\" role=\"img\" stroke-linejoin=\"round\" \
         xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n\
         <title>{}</title>\n<desc>{}</desc>\n",
        millimetres(width),
        millimetres(height),
        escaped(&about.title),
        escaped(&about.description),
    );
    if let Some(author) = &about.author {
        let _ = writeln!(
            svg,
            "<metadata><dc:creator xmlns:dc=\"http://purl.org/dc/elements/1.1/\">{}</dc:creator></metadata>",
            escaped(author)
        );
    }
    svg += "<defs>\n";
    for &glyph in &press.glyphs {
        let _ = writeln!(svg, "<path id=\"glyph{glyph}\" d=\"{}\"/>", path(glyph));
    }
    let _ = writeln!(
        svg,
        "</defs>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>"
    );
    for raster in canvas.pictures() {
        let area = raster.area;
        let data = base64::engine::general_purpose::STANDARD.encode(raster.png()?);
        let _ = writeln!(
            svg,
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
             image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" \
             xlink:href=\"data:image/png;base64,{data}\"/>",
            units(area.left),
            units(area.top),
            units(area.width()),
            units(area.height()),
        );
    }
    svg += &press.body;
    svg += "</svg>\n";
    Ok(svg)
}

#[derive(Default)]
struct Svg {
    body: String,
    /// The glyphs that the body refers to.
    glyphs: BTreeSet<u16>,
}

impl Svg {
    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        // A String takes everything.
        let _ = self.body.write_fmt(element);
    }
}

impl Press for Svg {
    fn line(&mut self, points: &[Place], colour: Colour, width: u32) {
        self.write(format_args!(
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" points=\"{}\"/>\n",
            hex(colour),
            list(points)
        ));
    }

    fn area(&mut self, points: &[Place], colour: Colour) {
        self.write(format_args!(
            "<polygon fill=\"{}\" points=\"{}\"/>\n",
            hex(colour),
            list(points)
        ));
    }

    fn disc(&mut self, (x, y): Place, radius: u32, colour: Colour) {
        self.write(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>\n",
            hex(colour)
        ));
    }

    fn letters(&mut self, letters: Letters<'_>, colour: Colour) {
        let (x, y) = letters.at;
        let turned = if letters.upwards { " rotate(-90)" } else { "" };
        let scale = (letters.size / EM * 1e4).round() / 1e4;
        self.write(format_args!(
            "<g aria-label=\"{}\" fill=\"{}\" transform=\"translate({x} {y}){turned} scale({scale} -{scale})\">",
            escaped(letters.text),
            hex(colour)
        ));
        for placed in font::placed(letters.text) {
            if font::outline(placed.glyph).is_empty() {
                continue;
            }
            self.glyphs.insert(placed.glyph);
            let x = (placed.x * EM).round();
            self.write(format_args!("<use xlink:href=\"#glyph{}\" x=\"{x}\"/>", placed.glyph));
        }
        self.body += "</g>\n";
    }
}

/// The outline of a glyph, upwards.
fn path(glyph: u16) -> String {
    let mut path = String::new();
    let at = |[x, y]: [f64; 2]| format!("{} {}", (x * EM).round(), (y * EM).round());
    for stroke in font::outline(glyph) {
        path += &match stroke {
            Stroke::Move(to) => format!("M{}", at(to)),
            Stroke::Line(to) => format!("L{}", at(to)),
            Stroke::Curve([a, b, to]) => format!("C{} {} {}", at(a), at(b), at(to)),
            Stroke::Close => "Z".to_owned(),
        };
    }
    path
}

fn list(points: &[Place]) -> String {
    let pairs: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    pairs.join(" ")
}

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // XML has no place for other control characters.
            _ if letter.is_control() => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::markup::Label;
    use super::super::palette::BLACK;
    use super::super::typeset::TextLine;
    use super::*;

    #[test]
    fn letters_are_outlines_that_carry_their_text() {
        let mut canvas = Canvas::new(20.0, 10.0);
        let line = TextLine::new(&Label::plain("a < \"b\" & aa"), 3.0);
        canvas.text(&line, (1.0, 5.0), BLACK);
        canvas.text_upwards(&line, (19.0, 9.0), BLACK);
        let about = About {
            title: "<1 & 2>".into(),
            author: Some("A & B".into()),
            description: "Two\u{1b} words.".into(),
        };
        let svg = svg(&canvas, &about).unwrap();
        assert!(svg.starts_with("<svg width=\"20mm\" height=\"10mm\" viewBox=\"0 0 2000 1000\" role=\"img\""));
        assert!(
            svg.contains("<title>&lt;1 &amp; 2&gt;</title>\n<desc>Two  words.</desc>"),
            "{svg}"
        );
        assert!(svg.contains(">A &amp; B</dc:creator>"), "{svg}");
        assert!(svg.contains("aria-label=\"a &lt; &quot;b&quot; &amp; aa\""), "{svg}");
        assert!(svg.contains("translate(1900 900) rotate(-90)"), "{svg}");
        // No font is asked for; each glyph is there once, and wherever it is used. White space has none.
        let count = |part: &str| svg.matches(part).count();
        assert_eq!(
            [count("<text"), count("font"), count("<path id="), count("<use ")],
            [0, 0, 5, 16]
        );
    }
}
