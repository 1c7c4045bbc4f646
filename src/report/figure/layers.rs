//! Pictures of cells under a vector drawing, as PDF and PNG.

use super::raster::Raster;
use crate::ReportError;
use pdf_writer::types::Predictor;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref};
use resvg::{tiny_skia, usvg};
use std::collections::BTreeMap;

/// Units of PDF in a millimetre.
const POINTS: f64 = 72.0 / 25.4;

/// A page with pictures and a drawing over them.
///
/// # Errors
/// [`ReportError::Drawing`].
pub(super) fn to_pdf(
    tree: &usvg::Tree,
    rasters: &[Raster],
    (width, height): (f64, f64),
) -> Result<Vec<u8>, ReportError> {
    let refused = |error: svg2pdf::ConversionError| ReportError::Drawing {
        message: error.to_string(),
    };
    let (drawing, over) = svg2pdf::to_chunk(tree, svg2pdf::ConversionOptions::default()).map_err(refused)?;
    let mut next = Ref::new(1);
    let [catalog, pages, page, contents] = [(); 4].map(|()| next.bump());
    let mut numbers: BTreeMap<Ref, Ref> = BTreeMap::new();
    let drawing = drawing.renumber(|old| *numbers.entry(old).or_insert_with(|| next.bump()));
    let over = numbers.get(&over).copied().unwrap_or(over);
    let pictures: Vec<(String, Ref)> = (0..rasters.len()).map(|k| (format!("P{k}"), next.bump())).collect();

    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let points = |length: f64| (length * POINTS) as f32;
    let mut written = pdf.page(page);
    written.media_box(Rect::new(0.0, 0.0, points(width), points(height)));
    written.parent(pages);
    written.contents(contents);
    let mut resources = written.resources();
    let mut named = resources.x_objects();
    named.pair(Name(b"D"), over);
    for (name, picture) in &pictures {
        named.pair(Name(name.as_bytes()), *picture);
    }
    named.finish();
    resources.finish();
    written.finish();

    let mut content = Content::new();
    for (raster, (name, _)) in rasters.iter().zip(&pictures) {
        let area = raster.area;
        content.save_state();
        content.transform([
            points(area.width()),
            0.0,
            0.0,
            points(area.height()),
            points(area.left),
            points(height - area.bottom),
        ]);
        content.x_object(Name(name.as_bytes()));
        content.restore_state();
    }
    content.save_state();
    content.transform([points(width), 0.0, 0.0, points(height), 0.0, 0.0]);
    content.x_object(Name(b"D"));
    content.restore_state();
    pdf.stream(contents, &content.finish());

    for (raster, (_, picture)) in rasters.iter().zip(&pictures) {
        // PDF reads the compressed rows of PNG as they are.
        let data = compressed_rows(&raster.png()?);
        let (width, height) = (raster.width as i32, raster.height as i32);
        let mut image = pdf.image_xobject(*picture, &data);
        image.filter(Filter::FlateDecode);
        image
            .decode_parms()
            .predictor(Predictor::PngOptimum)
            .colors(1)
            .bits_per_component(8)
            .columns(width);
        image
            .width(width)
            .height(height)
            .bits_per_component(8)
            .interpolate(false);
        let last = raster.palette.len() as i32 - 1;
        image
            .color_space()
            .indexed(Name(b"DeviceRGB"), last, &raster.palette.concat());
    }
    pdf.extend(&drawing);
    Ok(pdf.finish())
}

/// The contents of the IDAT chunks of a PNG.
fn compressed_rows(png: &[u8]) -> Vec<u8> {
    const SIGNATURE: usize = 8;
    let mut rows = vec![];
    let mut rest = png.get(SIGNATURE..).unwrap_or(&[]);
    while let Some((head, body)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, kind @ ..] = *head;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if kind == *b"IDAT" {
            rows.extend_from_slice(body.get(..length).unwrap_or(&[]));
        }
        // Past the checksum.
        rest = body.get(length + 4..).unwrap_or(&[]);
    }
    rows
}

/// The pictures on white paper, with so many pixels to the millimetre.
pub(super) fn paint(pixmap: &mut tiny_skia::Pixmap, rasters: &[Raster], per_millimetre: f64) {
    pixmap.fill(tiny_skia::Color::WHITE);
    let width = pixmap.width() as usize;
    for raster in rasters {
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
}
