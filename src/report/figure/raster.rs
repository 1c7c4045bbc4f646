//! Cells as a picture of few colours: small in files, and exact at every edge.

use super::geometry::Rect;
use super::palette::{Colour, Look, WHITE};
use super::scene::{AxisScale, Cells, Tint};
use crate::ReportError;
use std::collections::BTreeMap;

/// A picture has at least so many pixels along its sides, so that programs that smooth it leave its edges sharp.
const FINE: (usize, usize) = (1200, 800);

/// A picture over an area of the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Raster {
    pub(super) area: Rect,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Its colours, at most 256.
    pub(super) palette: Vec<Colour>,
    /// The colour of each pixel, row by row from the top.
    pub(super) pixels: Vec<u8>,
}

impl Raster {
    /// The part of the cells that the axes show.
    pub(super) fn of(cells: &Cells, (x, y): (&AxisScale, &AxisScale), area: Rect, look: Look) -> Self {
        let mut palette: Vec<Colour> = vec![WHITE];
        let mut places: BTreeMap<Tint, u8> = BTreeMap::new();
        let colours: Vec<u8> = cells
            .tints
            .iter()
            .map(|&tint| {
                *places.entry(tint).or_insert_with(|| {
                    let colour = look.tint(tint);
                    let at = palette.iter().position(|&known| known == colour).unwrap_or_else(|| {
                        palette.push(colour);
                        palette.len() - 1
                    });
                    u8::try_from(at).unwrap_or(0)
                })
            })
            .collect();
        let columns = cells.x.len() - 1;
        let (width, height) = (enough(columns, FINE.0), enough(cells.y.len() - 1, FINE.1));
        let across = along(&cells.x, x, width);
        let down = along(&cells.y, y, height);
        let mut pixels = Vec::with_capacity(width * height);
        for j in down.iter().rev() {
            let pixel = |i: &Option<usize>| i.zip(*j).map_or(0, |(i, j)| colours[j * columns + i]);
            pixels.extend(across.iter().map(pixel));
        }
        Self {
            area,
            width,
            height,
            palette,
            pixels,
        }
    }

    /// The colour at a place of the page, if it lies on the picture.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> Option<Colour> {
        let part = |value: f64, low: f64, high: f64, count: usize| {
            let at = (value - low) / (high - low) * count as f64;
            (0.0..count as f64).contains(&at).then_some(at as usize)
        };
        let column = part(x, self.area.left, self.area.right, self.width)?;
        let row = part(y, self.area.top, self.area.bottom, self.height)?;
        Some(self.palette[usize::from(self.pixels[row * self.width + column])])
    }

    /// As PNG.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub(super) fn png(&self) -> Result<Vec<u8>, ReportError> {
        let refused = |error: png::EncodingError| ReportError::Drawing {
            message: error.to_string(),
        };
        let mut bytes = vec![];
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(self.palette.concat());
        encoder.set_compression(png::Compression::Best);
        // Most rows repeat the one above.
        encoder.set_filter(png::FilterType::Up);
        encoder.set_adaptive_filter(png::AdaptiveFilterType::NonAdaptive);
        let mut writer = encoder.write_header().map_err(refused)?;
        writer.write_image_data(&self.pixels).map_err(refused)?;
        writer.finish().map_err(refused)?;
        Ok(bytes)
    }
}

/// The file of the picture of cells of the k-th panel that has one.
pub(super) fn picture_file(name: &str, k: usize) -> String {
    match k {
        0 => format!("{name}-cells.png"),
        _ => format!("{name}-cells{}.png", k + 1),
    }
}

/// The least multiple of the number of cells that is enough pixels.
fn enough(cells: usize, fine: usize) -> usize {
    cells * fine.div_ceil(cells.max(1)).max(1)
}

/// The cell in the middle of each pixel along an axis.
fn along(edges: &[f64], axis: &AxisScale, pixels: usize) -> Vec<Option<usize>> {
    let parts: Vec<f64> = edges.iter().map(|&edge| axis.part(edge).unwrap_or(0.0)).collect();
    let cell = |k: usize| {
        let part = (k as f64 + 0.5) / pixels as f64;
        let at = parts.partition_point(|&edge| edge <= part);
        (at > 0 && at < parts.len()).then(|| at - 1)
    };
    (0..pixels).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::super::markup::Label;
    use super::super::scene::Hue;
    use super::super::spec::Palette;
    use super::super::ticks::Scale;
    use super::*;

    #[test]
    fn cells_lie_between_their_edges_on_even_and_on_logarithmic_axes() {
        let axis = |scale, low, high| AxisScale {
            label: Label::default(),
            scale,
            low,
            high,
        };
        let look = Look {
            palette: Palette::Colour,
            canards: false,
            line_width: 0.3,
        };
        let hues = [
            Hue::Named(0),
            Hue::Named(1),
            Hue::Chaos,
            Hue::Torus,
            Hue::Rest,
            Hue::Other,
        ];
        let cells = Cells {
            x: vec![0.1, 1.0, 10.0, 1000.0],
            y: vec![0.0, 1.0, 3.0],
            tints: hues.map(Tint::plain).to_vec(),
        };
        let area = Rect::new(10.0, 20.0, 40.0, 30.0);
        let axes = (axis(Scale::Log, 0.1, 1000.0), axis(Scale::Linear, 0.0, 3.0));
        let raster = Raster::of(&cells, (&axes.0, &axes.1), area, look);
        // Four decades over forty millimetres, of which the last cell takes two; a third of the height for the lower
        // row.
        for (hue, place) in [
            (Hue::Named(0), (10.1, 49.9)),
            (Hue::Named(0), (19.9, 40.1)),
            (Hue::Named(1), (20.1, 40.1)),
            (Hue::Chaos, (30.1, 49.0)),
            (Hue::Chaos, (49.9, 49.0)),
            (Hue::Torus, (10.1, 39.9)),
            (Hue::Rest, (29.9, 20.1)),
            (Hue::Other, (30.1, 20.1)),
        ] {
            assert_eq!(raster.at(place), Some(look.tint(Tint::plain(hue))), "{hue:?} {place:?}");
        }
        assert_eq!(raster.at((9.9, 30.0)), None);
        // A part of the cells, and beyond them.
        let part = (axis(Scale::Log, 1.0, 10.0), axis(Scale::Linear, -1.0, 1.0));
        let raster = Raster::of(&cells, (&part.0, &part.1), area, look);
        assert_eq!(raster.at((30.0, 30.0)), Some(look.tint(Tint::plain(Hue::Named(1)))));
        assert_eq!(raster.at((30.0, 40.0)), Some(WHITE));
    }
}
