//! A list of things to ink, in millimetres.
//!
//! plotters draws it on a [`Press`], one for each format, so that all formats show the same. Its coordinates are whole
//! numbers, so the drawing is made in hundredths of a millimetre. Texts are placed letter group by letter group with
//! the widths of the bundled font.

use super::font::FAMILY;
use super::geometry::{Point, Rect};
use super::palette::Colour;
use super::press::{Plotter, Press};
use super::raster::Raster;
use super::typeset::TextLine;
use crate::ReportError;
use plotters::prelude::*;
use plotters::style::{FontTransform, RGBAColor};

/// Units of the drawing in a millimetre.
pub(super) const UNITS: f64 = 100.0;

/// Something inked.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
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

    /// Width and height in units of the drawing.
    pub(super) fn size(&self) -> (u32, u32) {
        (units(self.width).unsigned_abs(), units(self.height).unsigned_abs())
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

    /// Print everything but the pictures.
    ///
    /// # Errors
    /// [`ReportError::Drawing`] when plotters refuses.
    pub(super) fn print(&self, press: &mut dyn Press) -> Result<(), ReportError> {
        self.draw(press).map_err(|error| ReportError::Drawing {
            message: error.to_string(),
        })
    }

    fn draw(&self, press: &mut dyn Press) -> Result<(), Box<dyn std::error::Error + '_>> {
        let area = Plotter::new(press, self.size()).into_drawing_area();
        let refused = |error: DrawingAreaErrorKind<_>| error.to_string();
        for element in &self.elements {
            match element {
                Element::Line { points, colour, width } => {
                    let style = ShapeStyle {
                        color: ink(*colour),
                        filled: false,
                        stroke_width: units(*width).unsigned_abs(),
                    };
                    area.draw(&PathElement::new(whole(points), style)).map_err(refused)?;
                }
                Element::Area { points, colour } => {
                    let style = ShapeStyle::from(ink(*colour)).filled();
                    area.draw(&Polygon::new(whole(points), style)).map_err(refused)?;
                }
                Element::Disc { centre, radius, colour } => {
                    let style = ShapeStyle::from(ink(*colour)).filled();
                    let circle = Circle::new((units(centre.0), units(centre.1)), units(*radius), style);
                    area.draw(&circle).map_err(refused)?;
                }
                Element::Text {
                    at,
                    upwards,
                    size,
                    text,
                    colour,
                } => {
                    let mut font = FontDesc::new(FontFamily::Name(FAMILY), size * UNITS, FontStyle::Normal);
                    if *upwards {
                        font = font.transform(FontTransform::Rotate270);
                    }
                    let place = (units(at.0), units(at.1));
                    let text = Text::new(text.as_str(), place, font.color(&ink(*colour)));
                    area.draw(&text).map_err(refused)?;
                }
            }
        }
        area.present().map_err(refused)?;
        Ok(())
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

/// A length in units of the drawing.
pub(super) fn units(length: f64) -> i32 {
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
