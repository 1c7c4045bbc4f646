//! A drawing as PNG.

use super::about::About;
use super::canvas::{Canvas, UNITS};
use super::font::{self, Stroke};
use super::palette::Colour;
use super::press::{Letters, Place, Press};
use super::raster::Raster;
use crate::ReportError;
use tiny_skia::{FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Transform};

/// What journals ask of drawings of lines, in dots per inch.
const DPI: f64 = 600.0;
const MILLIMETRES_PER_INCH: f64 = 25.4;

/// The drawing with 600 dots to the inch.
///
/// # Errors
/// [`ReportError::Drawing`].
pub(super) fn png(canvas: &Canvas, about: &About) -> Result<Vec<u8>, ReportError> {
    let per_millimetre = DPI / MILLIMETRES_PER_INCH;
    let scale = per_millimetre / UNITS;
    let (width, height) = canvas.size();
    let pixels = |length: u32| (f64::from(length) * scale).round().max(1.0) as u32;
    let mut pixmap = Pixmap::new(pixels(width), pixels(height)).ok_or_else(|| refused("the bitmap is too large"))?;
    pixmap.fill(tiny_skia::Color::WHITE);
    for raster in canvas.pictures() {
        copy(raster, &mut pixmap, per_millimetre);
    }
    let mut bitmap = Bitmap {
        pixmap,
        scale: scale as f32,
    };
    canvas.print(&mut bitmap)?;
    encoded(&bitmap.pixmap, about)
}

struct Bitmap {
    pixmap: Pixmap,
    /// Pixels in a unit of the drawing.
    scale: f32,
}

impl Bitmap {
    fn fill(&mut self, path: Option<Path>, colour: Colour) {
        if let Some(path) = path {
            let scale = Transform::from_scale(self.scale, self.scale);
            self.pixmap
                .fill_path(&path, &paint(colour), FillRule::Winding, scale, None);
        }
    }
}

impl Press for Bitmap {
    fn line(&mut self, points: &[Place], colour: Colour, width: u32) {
        let stroke = tiny_skia::Stroke {
            width: width as f32,
            line_join: LineJoin::Round,
            ..tiny_skia::Stroke::default()
        };
        if let Some(path) = polygon(points, false) {
            let scale = Transform::from_scale(self.scale, self.scale);
            self.pixmap.stroke_path(&path, &paint(colour), &stroke, scale, None);
        }
    }

    fn area(&mut self, points: &[Place], colour: Colour) {
        self.fill(polygon(points, true), colour);
    }

    fn disc(&mut self, (x, y): Place, radius: u32, colour: Colour) {
        self.fill(PathBuilder::from_circle(x as f32, y as f32, radius as f32), colour);
    }

    fn letters(&mut self, letters: Letters<'_>, colour: Colour) {
        let (x, y) = (f64::from(letters.at.0), f64::from(letters.at.1));
        let mut path = PathBuilder::new();
        for placed in font::placed(letters.text) {
            let at = |[right, up]: [f64; 2]| {
                let (along, up) = ((placed.x + right) * letters.size, up * letters.size);
                let (x, y) = if letters.upwards {
                    (x - up, y - along)
                } else {
                    (x + along, y - up)
                };
                (x as f32, y as f32)
            };
            for stroke in font::outline(placed.glyph) {
                match stroke {
                    Stroke::Move(to) => path.move_to(at(to).0, at(to).1),
                    Stroke::Line(to) => path.line_to(at(to).0, at(to).1),
                    Stroke::Curve(curve) => {
                        let [(ax, ay), (bx, by), (x, y)] = curve.map(at);
                        path.cubic_to(ax, ay, bx, by, x, y);
                    }
                    Stroke::Close => path.close(),
                }
            }
        }
        self.fill(path.finish(), colour);
    }
}

fn polygon(points: &[Place], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (k, &(x, y)) in points.iter().enumerate() {
        if k == 0 {
            path.move_to(x as f32, y as f32);
        } else {
            path.line_to(x as f32, y as f32);
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn paint([red, green, blue]: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    paint
}

/// Cells are not smoothed: each pixel has the colour of the cell under its middle.
fn copy(raster: &Raster, pixmap: &mut Pixmap, per_millimetre: f64) {
    let width = pixmap.width() as usize;
    let bound = |length: f64| (length * per_millimetre).max(0.0);
    let rows = bound(raster.area.top) as usize..bound(raster.area.bottom).ceil() as usize;
    for row in rows {
        for column in bound(raster.area.left) as usize..(bound(raster.area.right).ceil() as usize).min(width) {
            let middle = |at: usize| (at as f64 + 0.5) / per_millimetre;
            if let Some([red, green, blue]) = raster.at((middle(column), middle(row)))
                && let Some(pixel) = pixmap.pixels_mut().get_mut(row * width + column)
            {
                *pixel = tiny_skia::ColorU8::from_rgba(red, green, blue, u8::MAX).premultiply();
            }
        }
    }
}

/// The picture without transparency, which says how large it is and what it shows.
fn encoded(pixmap: &Pixmap, about: &About) -> Result<Vec<u8>, ReportError> {
    let rgb: Vec<u8> = pixmap
        .pixels()
        .iter()
        .flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()])
        .collect();
    let mut bytes = vec![];
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Of large even areas nothing is smaller than the pixels themselves.
    encoder.set_compression(png::Compression::Default);
    encoder.set_filter(png::FilterType::NoFilter);
    encoder.set_adaptive_filter(png::AdaptiveFilterType::NonAdaptive);
    let per_metre = (DPI / MILLIMETRES_PER_INCH * 1000.0).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_metre,
        yppu: per_metre,
        unit: png::Unit::Meter,
    }));
    let words = [("Title", Some(&about.title)), ("Author", about.author.as_ref())];
    for (keyword, words) in words {
        if let Some(words) = words {
            let words = words.clone();
            encoder.add_itxt_chunk(keyword.to_owned(), words).map_err(refused)?;
        }
    }
    let mut writer = encoder.write_header().map_err(refused)?;
    writer.write_image_data(&rgb).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(bytes)
}

fn refused(error: impl ToString) -> ReportError {
    ReportError::Drawing {
        message: error.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::geometry::Rect;
    use super::super::markup::Label;
    use super::super::palette::BLACK;
    use super::super::typeset::TextLine;
    use super::*;

    #[test]
    fn what_is_inked_has_its_colour_where_it_belongs() {
        let (red, blue) = ([200, 0, 0], [0, 0, 200]);
        let mut canvas = Canvas::new(20.0, 10.0);
        canvas.fill(Rect::new(1.0, 1.0, 4.0, 2.0), red);
        canvas.disc((10.0, 5.0), 1.0, blue);
        canvas.line(vec![(15.0, 1.0), (15.0, 9.0)], BLACK, 0.5);
        // A letter with a straight stem, once along the page and once up the page.
        let line = TextLine::new(&Label::plain("l"), 4.0);
        canvas.text(&line, (2.0, 8.0), BLACK);
        canvas.text_upwards(&line, (18.0, 8.0), BLACK);
        let png = png(&canvas, &About::default()).unwrap();
        let mut reader = png::Decoder::new(png.as_slice()).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (472, 236));
        let at = |x: f64, y: f64| {
            let pixel = |length: f64| (length * DPI / MILLIMETRES_PER_INCH) as usize;
            let start = 3 * (pixel(y) * 472 + pixel(x));
            [pixels[start], pixels[start + 1], pixels[start + 2]]
        };
        let white = [255; 3];
        for (place, wanted) in [
            ((1.1, 1.1), red),
            ((4.9, 2.9), red),
            ((5.2, 2.0), white),
            ((10.0, 5.9), blue),
            ((10.8, 5.8), white),
            ((15.2, 8.9), BLACK),
            ((15.3, 5.0), white),
            ((15.0, 9.1), white),
        ] {
            assert_eq!(at(place.0, place.1), wanted, "{place:?}");
        }
        // Half-way up the letter there is its stem, and nothing beside it.
        let dark = |along: &dyn Fn(f64) -> [u8; 3]| {
            let found: Vec<usize> = (0..111).filter(|&k| along(0.01 * k as f64)[0] < 100).collect();
            (found.first().copied(), found.last().copied())
        };
        let (upright, turned) = (dark(&|t| at(2.0 + t, 7.0)), dark(&|t| at(17.0, 8.0 - t)));
        let (Some(first), Some(last)) = upright else {
            panic!("no letter")
        };
        assert!(
            (30..60).contains(&first) && last < 80 && last - first < 40,
            "{upright:?}"
        );
        let (Some(begin), Some(end)) = turned else {
            panic!("no letter upwards")
        };
        assert!(
            begin.abs_diff(first) <= 5 && end.abs_diff(last) <= 5,
            "{upright:?} {turned:?}"
        );
    }
}
