//! A drawing as PDF. Its text is text, in a part of the bundled font that is embedded.

use super::about::{About, CREATOR};
use super::canvas::{Canvas, UNITS};
use super::font;
use super::palette::Colour;
use super::pdf_font::{self, Cut};
use super::press::{Letters, Place, Press};
use super::raster::Raster;
use crate::ReportError;
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{LineJoinStyle, Predictor};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

/// Units of PDF in a unit of the drawing.
const POINTS: f64 = 72.0 / 25.4 / UNITS;
/// How much work is spent on small files, of at most ten.
const COMPRESSION: u8 = 7;
/// How far the ends of the curves of a quarter of a circle lie from their tangents, in radii.
const QUARTER: f32 = 0.552_284_8;
/// The name of the font in the page.
const FONT: Name<'_> = Name(b"F");

/// A page of the size of the drawing.
///
/// # Errors
/// [`ReportError::Drawing`].
pub(super) fn pdf(canvas: &Canvas, about: &About) -> Result<Vec<u8>, ReportError> {
    let mut next = Ref::new(1);
    let [catalog, pages, page, contents, info] = [(); 5].map(|()| next.bump());
    let pictures: Vec<(String, Ref)> = (0..canvas.pictures().len())
        .map(|k| (format!("P{k}"), next.bump()))
        .collect();
    let (width, height) = canvas.size();
    let points = |length: f64| (length * POINTS) as f32;

    let mut press = Page {
        content: Content::new(),
        cut: Cut::default(),
        line: None,
        fill: None,
    };
    // Units of the drawing, downwards.
    let (scale, top) = (POINTS as f32, points(f64::from(height)));
    press.content.transform([scale, 0.0, 0.0, -scale, 0.0, top]);
    press.content.set_line_join(LineJoinStyle::RoundJoin);
    for (raster, (name, _)) in canvas.pictures().iter().zip(&pictures) {
        let area = raster.area;
        let units = |length: f64| (length * UNITS) as f32;
        press.content.save_state();
        // A picture fills the unit square, upwards.
        let matrix = [
            units(area.width()),
            0.0,
            0.0,
            -units(area.height()),
            units(area.left),
            units(area.bottom),
        ];
        press.content.transform(matrix);
        press.content.x_object(Name(name.as_bytes()));
        press.content.restore_state();
    }
    canvas.print(&mut press)?;
    let Page { content, cut, .. } = press;

    let mut pdf = Pdf::new();
    let mut root = pdf.catalog(catalog);
    root.pages(pages).lang(TextStr("en"));
    root.viewer_preferences().display_doc_title(true);
    root.finish();
    pdf.pages(pages).kids([page]).count(1);
    let mut written = pdf.page(page);
    written.media_box(Rect::new(0.0, 0.0, points(f64::from(width)), top));
    written.parent(pages);
    written.contents(contents);
    let mut resources = written.resources();
    let font = (!cut.is_empty()).then(|| next.bump());
    if let Some(font) = font {
        resources.fonts().pair(FONT, font);
    }
    if !pictures.is_empty() {
        let mut named = resources.x_objects();
        for (name, picture) in &pictures {
            named.pair(Name(name.as_bytes()), *picture);
        }
        named.finish();
    }
    resources.finish();
    written.finish();
    // No dates: the same drawing is the same file.
    let mut document = pdf.document_info(info);
    document
        .title(TextStr(&about.title))
        .creator(TextStr(CREATOR))
        .producer(TextStr(CREATOR));
    document.subject(TextStr(&about.description));
    if let Some(author) = &about.author {
        document.author(TextStr(author));
    }
    document.finish();
    pdf.stream(contents, &compress_to_vec_zlib(&content.finish(), COMPRESSION))
        .filter(Filter::FlateDecode);
    for (raster, (_, picture)) in canvas.pictures().iter().zip(&pictures) {
        write_picture(&mut pdf, *picture, raster)?;
    }
    if let Some(font) = font {
        pdf_font::write(&mut pdf, font, &mut next, &cut)?;
    }
    Ok(pdf.finish())
}

/// What is printed on the page so far.
struct Page {
    content: Content,
    cut: Cut,
    /// The colour and width of lines, and the colour of areas, as they were set last.
    line: Option<(Colour, u32)>,
    fill: Option<Colour>,
}

impl Page {
    fn draw(&mut self, points: &[Place]) {
        for (k, &(x, y)) in points.iter().enumerate() {
            if k == 0 {
                self.content.move_to(x as f32, y as f32);
            } else {
                self.content.line_to(x as f32, y as f32);
            }
        }
    }

    fn fill_with(&mut self, colour: Colour) {
        if self.fill != Some(colour) {
            let [red, green, blue] = parts(colour);
            self.content.set_fill_rgb(red, green, blue);
            self.fill = Some(colour);
        }
    }
}

impl Press for Page {
    fn line(&mut self, points: &[Place], colour: Colour, width: u32) {
        if self.line != Some((colour, width)) {
            let [red, green, blue] = parts(colour);
            self.content.set_stroke_rgb(red, green, blue);
            self.content.set_line_width(width as f32);
            self.line = Some((colour, width));
        }
        self.draw(points);
        self.content.stroke();
    }

    fn area(&mut self, points: &[Place], colour: Colour) {
        self.fill_with(colour);
        self.draw(points);
        self.content.close_path();
        self.content.fill_nonzero();
    }

    fn disc(&mut self, (x, y): Place, radius: u32, colour: Colour) {
        self.fill_with(colour);
        let (x, y, r) = (x as f32, y as f32, radius as f32);
        let b = QUARTER * r;
        self.content.move_to(x + r, y);
        for [ax, ay, bx, by, to_x, to_y] in [
            [r, b, b, r, 0.0, r],
            [-b, r, -r, b, -r, 0.0],
            [-r, -b, -b, -r, 0.0, -r],
            [b, -r, r, -b, r, 0.0],
        ] {
            self.content
                .cubic_to(x + ax, y + ay, x + bx, y + by, x + to_x, y + to_y);
        }
        self.content.close_path();
        self.content.fill_nonzero();
    }

    fn letters(&mut self, letters: Letters<'_>, colour: Colour) {
        self.fill_with(colour);
        let (x, y) = (letters.at.0 as f32, letters.at.1 as f32);
        let matrix = if letters.upwards {
            [0.0, -1.0, -1.0, 0.0, x, y]
        } else {
            [1.0, 0.0, 0.0, -1.0, x, y]
        };
        let shown: Vec<u8> = font::placed(letters.text)
            .iter()
            .flat_map(|placed| self.cut.take(placed).to_be_bytes())
            .collect();
        self.content.begin_text();
        self.content.set_font(FONT, letters.size as f32);
        self.content.set_text_matrix(matrix);
        self.content.show(Str(&shown));
        self.content.end_text();
    }
}

fn parts(colour: Colour) -> [f32; 3] {
    // Three digits tell all shades apart.
    colour.map(|part| (f32::from(part) / f32::from(u8::MAX) * 1e3).round() / 1e3)
}

fn write_picture(pdf: &mut Pdf, id: Ref, raster: &Raster) -> Result<(), ReportError> {
    // PDF reads the compressed rows of PNG as they are.
    let data = compressed_rows(&raster.png()?);
    let (width, height) = (raster.width as i32, raster.height as i32);
    let mut image = pdf.image_xobject(id, &data);
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
    Ok(())
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::markup::Label;
    use super::super::palette::BLACK;
    use super::super::typeset::TextLine;
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    /// The streams of a file, unpacked.
    fn streams(pdf: &[u8]) -> Vec<Vec<u8>> {
        let find = |from: usize, what: &[u8]| {
            let at = pdf[from..].windows(what.len()).position(|part| part == what);
            at.map(|at| from + at)
        };
        let (mut found, mut from) = (vec![], 0);
        while let Some(start) = find(from, b"\nstream\n") {
            let end = find(start, b"\nendstream").unwrap();
            let packed = &pdf[start + 8..end];
            found.push(decompress_to_vec_zlib(packed).unwrap_or_else(|_| packed.to_vec()));
            from = end;
        }
        found
    }

    #[test]
    fn text_is_text_and_the_file_says_what_it_is() {
        let mut canvas = Canvas::new(25.4, 12.7);
        canvas.text(
            &TextLine::new(&Label::math(r"x\Omega x").unwrap(), 3.0),
            (1.0, 5.0),
            BLACK,
        );
        let about = About {
            title: "A title".into(),
            author: Some("An author".into()),
            description: "What it shows.".into(),
        };
        let pdf = pdf(&canvas, &about).unwrap();
        let text = String::from_utf8_lossy(&pdf);
        for wanted in [
            "/Title (A title)",
            "/Author (An author)",
            "/Subject (What it shows.)",
            "/MediaBox [0 0 72 36]",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert!(!text.contains("Date"), "{text}");
        let [content, map, font] = streams(&pdf).try_into().unwrap();
        let content = String::from_utf8_lossy(&content).into_owned();
        // The italic letter, the upright one, and the italic one again.
        assert_eq!(content.matches(" Tj").count(), 3, "{content}");
        let map = String::from_utf8_lossy(&map).into_owned();
        assert!(map.contains("<0001> <0078>") && map.contains("<0002> <03A9>"), "{map}");
        // Two letters and the sign for those that are missing, not the whole font.
        assert!(font.len() < 2000, "{}", font.len());
    }

    #[test]
    fn a_page_without_letters_has_no_font() {
        let mut canvas = Canvas::new(10.0, 10.0);
        canvas.disc((5.0, 5.0), 2.0, BLACK);
        let pdf = pdf(&canvas, &About::default()).unwrap();
        assert!(!String::from_utf8_lossy(&pdf).contains("/Font"));
        assert_eq!(streams(&pdf).len(), 1);
    }
}
