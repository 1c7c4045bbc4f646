//! A list of things to ink, in millimetres, and its SVG.
//!
//! plotters draws the SVG. Its coordinates are whole numbers, so the drawing is made in hundredths of a millimetre and
//! the page is given its true size in the header. Texts are placed letter group by letter group with the widths of the
//! bundled fonts.

use super::font::{BYTES, FAMILY};
use super::geometry::{Point, Rect};
use super::palette::Colour;
use super::raster::Raster;
use super::typeset::TextLine;
use crate::ReportError;
use base64::Engine as _;
use plotters::prelude::*;
use plotters::style::{FontTransform, RGBAColor, text_anchor};

/// Units of the drawing in a millimetre.
const UNITS: f64 = 100.0;
/// plotters writes font sizes divided by this.
const FONT_SIZE_FACTOR: f64 = 1.24;
/// plotters puts the base line this many em below the top of a text.
const TOP_TO_BASE_LINE: f64 = 0.76;

/// Something inked.
#[derive(Clone, Debug)]
enum Element {
    Line {
        points: Vec<Point>,
        colour: Colour,
        width: f64,
    },
    Area {
        points: Vec<Point>,
        colour: Colour,
    },
    Disc {
        centre: Point,
        radius: f64,
        colour: Colour,
    },
    Text {
        at: Point,
        upwards: bool,
        size: f64,
        text: String,
        colour: Colour,
    },
}

/// A page and everything on it, from the back to the front.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    width: f64,
    height: f64,
    /// Pictures behind the elements.
    rasters: Vec<Raster>,
    elements: Vec<Element>,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            rasters: Vec::new(),
            elements: Vec::new(),
        }
    }

    /// Put a picture behind everything else.
    pub(super) fn picture(&mut self, raster: Raster) {
        self.rasters.push(raster);
    }

    /// The pictures behind the drawing.
    pub(super) fn pictures(&self) -> &[Raster] {
        &self.rasters
    }

    /// Width and height in millimetres, as the drawing has them.
    pub(super) fn size(&self) -> (f64, f64) {
        let length = |length: f64| f64::from(units(length).unsigned_abs()) / UNITS;
        (length(self.width), length(self.height))
    }

    pub(super) fn line(&mut self, points: Vec<Point>, colour: Colour, width: f64) {
        if points.len() > 1 {
            self.elements.push(Element::Line { points, colour, width });
        }
    }

    pub(super) fn area(&mut self, points: Vec<Point>, colour: Colour) {
        self.elements.push(Element::Area { points, colour });
    }

    pub(super) fn fill(&mut self, area: Rect, colour: Colour) {
        self.area(corners(area).to_vec(), colour);
    }

    pub(super) fn frame(&mut self, area: Rect, colour: Colour, width: f64) {
        // Past the first corner, so that it is joined like the others.
        let [a, b, c, d] = corners(area);
        let start = (0.5 * (a.0 + b.0), a.1);
        self.line(vec![start, b, c, d, a, start], colour, width);
    }

    pub(super) fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.elements.push(Element::Disc { centre, radius, colour });
    }

    /// A text whose base line starts at `at`.
    pub(super) fn text(&mut self, line: &TextLine, at: Point, colour: Colour) {
        for run in &line.runs {
            let at = (at.0 + run.x, at.1 + run.y);
            self.letters(at, false, run.size, &run.text, colour);
        }
    }

    /// A text that reads upwards, its base line starting at `at`.
    pub(super) fn text_upwards(&mut self, line: &TextLine, at: Point, colour: Colour) {
        for run in &line.runs {
            let at = (at.0 + run.y, at.1 - run.x);
            self.letters(at, true, run.size, &run.text, colour);
        }
    }

    fn letters(&mut self, at: Point, upwards: bool, size: f64, text: &str, colour: Colour) {
        self.elements.push(Element::Text {
            at,
            upwards,
            size,
            text: text.to_owned(),
            colour,
        });
    }

    /// The drawing as SVG without embedded fonts.
    ///
    /// # Errors
    /// [`ReportError::Drawing`] when plotters refuses.
    pub(super) fn to_svg(&self) -> Result<String, ReportError> {
        let mut svg = String::new();
        let size = (units(self.width).unsigned_abs(), units(self.height).unsigned_abs());
        self.draw(&mut svg, size).map_err(|error| ReportError::Drawing {
            message: error.to_string(),
        })?;
        let header = format!("<svg width=\"{}\" height=\"{}\"", size.0, size.1);
        let sized = format!(
            "<svg width=\"{}mm\" height=\"{}mm\" stroke-linejoin=\"round\"",
            f64::from(size.0) / UNITS,
            f64::from(size.1) / UNITS
        );
        Ok(svg.replacen(&header, &sized, 1))
    }

    /// A drawing of [`to_svg`](Self::to_svg) without its paper, to lie over pictures.
    pub(super) fn without_paper(svg: &str) -> String {
        match paper(svg) {
            Some(paper) => [&svg[..paper.start], &svg[paper.end..]].concat(),
            None => svg.to_owned(),
        }
    }

    /// A drawing of [`to_svg`](Self::to_svg) with the pictures on its paper.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub(super) fn with_pictures(&self, svg: &str) -> Result<String, ReportError> {
        let Some(paper) = paper(svg).filter(|_| !self.rasters.is_empty()) else {
            return Ok(svg.to_owned());
        };
        let mut images = String::new();
        for raster in &self.rasters {
            let area = raster.area;
            let data = base64::engine::general_purpose::STANDARD.encode(raster.png()?);
            images += &format!(
                "\n<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
                 image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" \
                 xmlns:xlink=\"http://www.w3.org/1999/xlink\" xlink:href=\"data:image/png;base64,{data}\"/>",
                units(area.left),
                units(area.top),
                units(area.width()),
                units(area.height()),
            );
        }
        Ok([&svg[..paper.end], &images, &svg[paper.end..]].concat())
    }

    fn draw(&self, svg: &mut String, size: (u32, u32)) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        area.fill(&plotters::style::colors::WHITE)?;
        for element in &self.elements {
            match element {
                Element::Line { points, colour, width } => {
                    let style = ShapeStyle {
                        color: ink(*colour),
                        filled: false,
                        stroke_width: units(*width).unsigned_abs(),
                    };
                    area.draw(&PathElement::new(whole(points), style))?;
                }
                Element::Area { points, colour } => {
                    area.draw(&Polygon::new(whole(points), ShapeStyle::from(ink(*colour)).filled()))?;
                }
                Element::Disc { centre, radius, colour } => {
                    let style = ShapeStyle::from(ink(*colour)).filled();
                    area.draw(&Circle::new((units(centre.0), units(centre.1)), units(*radius), style))?;
                }
                Element::Text {
                    at,
                    upwards,
                    size,
                    text,
                    colour,
                } => {
                    let drop = TOP_TO_BASE_LINE * size;
                    let corner = if *upwards {
                        (at.0 - drop, at.1)
                    } else {
                        (at.0, at.1 - drop)
                    };
                    let size = (size * UNITS).round() * FONT_SIZE_FACTOR;
                    let mut font = FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal);
                    if *upwards {
                        font = font.transform(FontTransform::Rotate270);
                    }
                    let top_left = text_anchor::Pos::new(text_anchor::HPos::Left, text_anchor::VPos::Top);
                    let style = font.color(&ink(*colour)).pos(top_left);
                    area.draw(&Text::new(text.as_str(), (units(corner.0), units(corner.1)), style))?;
                }
            }
        }
        area.present()?;
        Ok(())
    }
}

/// Where the paper of a drawing stands in its text: the first element.
fn paper(svg: &str) -> Option<std::ops::Range<usize>> {
    let start = svg.find("<rect")?;
    let length = svg[start..].find("/>")?;
    Some(start..start + length + 2)
}

/// The SVG with the font inside, so that its texts look the same everywhere.
pub(super) fn with_font(svg: &str) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(BYTES);
    let source = format!("url(data:font/otf;base64,{data}) format(\"opentype\")");
    let style = format!("@font-face{{font-family:\"{FAMILY}\";src:{source};}}");
    match svg.find('>') {
        Some(end) => format!(
            "{}\n<defs><style>{style}</style></defs>{}",
            &svg[..=end],
            &svg[end + 1..]
        ),
        None => svg.to_owned(),
    }
}

fn corners(area: Rect) -> [Point; 4] {
    [
        (area.left, area.top),
        (area.right, area.top),
        (area.right, area.bottom),
        (area.left, area.bottom),
    ]
}

fn units(length: f64) -> i32 {
    (length * UNITS).round() as i32
}

fn whole(points: &[Point]) -> Vec<(i32, i32)> {
    let mut whole: Vec<(i32, i32)> = points.iter().map(|&(x, y)| (units(x), units(y))).collect();
    whole.dedup();
    whole
}

fn ink([red, green, blue]: Colour) -> RGBAColor {
    RGBColor(red, green, blue).to_rgba()
}
