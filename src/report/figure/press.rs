//! What a format must be able to print, and how plotters reaches it.

use super::palette::Colour;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontTransform,
    rasterizer,
};
use std::convert::Infallible;

/// A place on the page in units of the drawing, from its upper left corner.
pub(super) type Place = (i32, i32);

/// Letters of one size on one base line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letters<'a> {
    pub(super) text: &'a str,
    /// Where the base line begins.
    pub(super) at: Place,
    /// The em in units of the drawing.
    pub(super) size: f64,
    /// Whether they read upwards.
    pub(super) upwards: bool,
}

/// A format into which a page is printed, from the back to the front.
pub(super) trait Press {
    /// A line of this width with round corners.
    fn line(&mut self, points: &[Place], colour: Colour, width: u32);
    /// A filled polygon.
    fn area(&mut self, points: &[Place], colour: Colour);
    /// A filled disc.
    fn disc(&mut self, centre: Place, radius: u32, colour: Colour);
    /// Letters of the bundled font.
    fn letters(&mut self, letters: Letters<'_>, colour: Colour);
}

/// plotters' way to a press.
pub(super) struct Plotter<'a> {
    press: &'a mut dyn Press,
    size: (u32, u32),
}

impl<'a> Plotter<'a> {
    /// For a page of this size in units of the drawing.
    pub(super) fn new(press: &'a mut dyn Press, size: (u32, u32)) -> Self {
        Self { press, size }
    }
}

type Printed = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Plotter<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Printed {
        Ok(())
    }

    fn present(&mut self) -> Printed {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Printed {
        let corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
        self.press.area(&corners, rgb(colour));
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Printed {
        let points: Vec<Place> = path.into_iter().collect();
        self.press.line(&points, rgb(style.color()), style.stroke_width());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, centre: BackendCoord, radius: u32, style: &S, fill: bool) -> Printed {
        if !fill {
            return rasterizer::draw_circle(self, centre, radius, style, fill);
        }
        self.press.disc(centre, radius, rgb(style.color()));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, points: I, style: &S) -> Printed {
        let points: Vec<Place> = points.into_iter().collect();
        self.press.area(&points, rgb(style.color()));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Printed {
        let letters = Letters {
            text,
            at,
            size: style.size(),
            upwards: matches!(style.transform(), FontTransform::Rotate270),
        };
        self.press.letters(letters, rgb(style.color()));
        Ok(())
    }
}

fn rgb(colour: BackendColor) -> Colour {
    let (red, green, blue) = colour.rgb;
    [red, green, blue]
}
