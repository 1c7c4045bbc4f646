//! A finished figure in every format.

use super::assemble::assemble;
use super::canvas::{Canvas, with_font};
use super::check::{Known, check};
use super::font;
use super::layers;
use super::layout::lay_out;
use super::paint::paint;
use super::palette::Look;
use super::pgfplots;
use super::raster::{Raster, picture_file};
use super::scene::{Ink, Panel};
use super::spec::{Figure, Legend};
use crate::{ReportError, RunData, write_atomically};
use resvg::tiny_skia;
use resvg::usvg;
use slipstick_numerics::stop::look;
use std::path::Path;

/// Dots per inch of bitmaps.
const BITMAP_DPI: f32 = 300.0;
/// Pixels per inch by which SVG counts.
const SVG_DPI: f32 = 96.0;
/// The PNG chunk that says 300 dots per inch (11811 per metre), with its checksum.
const PNG_DENSITY: [u8; 21] = [
    0, 0, 0, 9, b'p', b'H', b'Y', b's', 0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1, 0x78, 0xa5, 0x3f, 0x76,
];
/// Where it belongs: behind the signature and the header chunk.
const PNG_HEADER: usize = 8 + 25;

/// A drawn figure.
///
/// ```
/// use slipstick_report::figure::{Figure, draw};
/// use slipstick_report::{Kind, RunData, Table};
/// let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("r", Kind::Number), ("x", Kind::Number)]);
/// for index in 0..50 {
///     let x = -1.0 + 0.04 * index as f64;
///     points.push_row(["fold".into(), index.into(), (x * x).into(), x.into()])?;
/// }
/// let data = RunData { points, ..RunData::default() };
/// let figure = Figure::from_ron(r#"Diagram(name: "parabola", x: "r", y: "x")"#).unwrap();
/// let drawing = draw(&figure, &data)?;
/// // One drawing, as a picture and as LaTeX for pgfplots.
/// assert_eq!(drawing.files(), ["parabola.svg", "parabola.pdf", "parabola.png", "parabola.tex"]);
/// assert!(drawing.svg().starts_with("<svg") && drawing.tex().contains("\\begin{tikzpicture}"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    name: String,
    /// The drawing without pictures.
    plain: String,
    svg: String,
    tex: String,
    /// The pictures behind it.
    rasters: Vec<Raster>,
    /// Width and height in millimetres.
    size: (f64, f64),
}

/// Draw a figure from the tables of a run.
///
/// # Errors
/// [`ReportError::Figure`] when it names something the run does not have or there is nothing to draw;
/// [`ReportError::Drawing`].
pub fn draw(figure: &Figure, data: &RunData) -> Result<Drawing, ReportError> {
    look();
    check(figure, &Known::of(data))?;
    let sheet = assemble(figure, data)?;
    let canards = sheet
        .panels
        .iter()
        .flat_map(|panel| &panel.series)
        .any(|piece| piece.ink == Ink::Canard);
    let line_width = sheet.style.line_width * super::layout::POINT;
    let look = Look {
        palette: sheet.style.palette,
        canards,
        line_width,
    };
    // A legend that would cover something inside goes above the frame: paint, look, and lay out again if need be.
    let outside = |panel: &Panel| panel.legend == Legend::Outside && !panel.entries.is_empty();
    let mut above: Vec<bool> = sheet.panels.iter().map(outside).collect();
    let (mut canvas, mut stands) = paint(&sheet, &lay_out(&sheet, &above), look);
    if stands.iter().any(|stand| !stand.laid_out) {
        for (above, stand) in above.iter_mut().zip(&stands) {
            *above |= !stand.laid_out;
        }
        (canvas, stands) = paint(&sheet, &lay_out(&sheet, &above), look);
    }
    let plain = canvas.to_svg()?;
    Ok(Drawing {
        name: sheet.name.clone(),
        svg: canvas.with_pictures(&plain)?,
        plain,
        tex: pgfplots::document(&sheet, look, &stands),
        rasters: canvas.pictures().to_vec(),
        size: canvas.size(),
    })
}

impl Drawing {
    /// The figure's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// As SVG that asks for the font family by name; [`write`](Self::write) puts the fonts inside.
    #[must_use]
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// As a stand-alone LaTeX document for pgfplots, with its data.
    #[must_use]
    pub fn tex(&self) -> &str {
        &self.tex
    }

    /// As PDF of the figure's size with fonts embedded.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub fn pdf(&self) -> Result<Vec<u8>, ReportError> {
        look();
        if !self.rasters.is_empty() {
            return layers::to_pdf(&self.tree()?, &self.rasters, self.size);
        }
        let page = svg2pdf::PageOptions { dpi: SVG_DPI };
        svg2pdf::to_pdf(&self.tree()?, svg2pdf::ConversionOptions::default(), page).map_err(refused)
    }

    /// As PNG of 300 dots per inch.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub fn png(&self) -> Result<Vec<u8>, ReportError> {
        look();
        let tree = self.tree()?;
        let zoom = BITMAP_DPI / SVG_DPI;
        let pixels = |length: f32| (length * zoom).round().max(1.0) as u32;
        let mut pixmap = tiny_skia::Pixmap::new(pixels(tree.size().width()), pixels(tree.size().height()))
            .ok_or_else(|| refused("the bitmap is too large"))?;
        if !self.rasters.is_empty() {
            layers::paint(&mut pixmap, &self.rasters, f64::from(BITMAP_DPI) / 25.4);
        }
        resvg::render(
            &tree,
            tiny_skia::Transform::from_scale(zoom, zoom),
            &mut pixmap.as_mut(),
        );
        let mut png = pixmap.encode_png().map_err(refused)?;
        png.splice(PNG_HEADER..PNG_HEADER, PNG_DENSITY);
        Ok(png)
    }

    /// The files that [`write`](Self::write) makes: cells are pictures beside the LaTeX document.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let drawn = ["svg", "pdf", "png", "tex"].map(|ending| format!("{}.{ending}", self.name));
        let cells = (0..self.rasters.len()).map(|k| picture_file(&self.name, k));
        drawn.into_iter().chain(cells).collect()
    }

    /// Write `<name>.svg`, `.pdf`, `.png` and `.tex`, and pictures of cells for the last, into a folder, each whole or
    /// not at all.
    ///
    /// # Errors
    /// [`ReportError::Io`], [`ReportError::Drawing`].
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), ReportError> {
        for (file, bytes) in self.contents()? {
            write_atomically(folder.as_ref().join(file), &bytes)?;
        }
        Ok(())
    }

    /// The files that [`write`](Self::write) makes, with what they hold.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub fn contents(&self) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
        let mut bytes = vec![
            with_font(&self.svg).into_bytes(),
            self.pdf()?,
            self.png()?,
            self.tex.clone().into_bytes(),
        ];
        for raster in &self.rasters {
            bytes.push(raster.png()?);
        }
        Ok(self.files().into_iter().zip(bytes).collect())
    }

    fn tree(&self) -> Result<usvg::Tree, ReportError> {
        let mut options = usvg::Options {
            dpi: SVG_DPI,
            ..usvg::Options::default()
        };
        options.fontdb_mut().load_font_data(font::BYTES.to_vec());
        let svg = if self.rasters.is_empty() {
            self.plain.clone()
        } else {
            Canvas::without_paper(&self.plain)
        };
        usvg::Tree::from_str(&svg, &options).map_err(refused)
    }
}

fn refused(error: impl ToString) -> ReportError {
    ReportError::Drawing {
        message: error.to_string(),
    }
}
