//! A finished figure in every format.

use super::about::About;
use super::assemble::assemble;
use super::bitmap;
use super::canvas::Canvas;
use super::check::check;
use super::inked::Inked;
use super::known::Known;
use super::palette::Look;
use super::pdf;
use super::pgfplots;
use super::raster::picture_file;
use super::scene::Ink;
use super::spec::Figure;
use super::svg;
use crate::{ReportError, RunData, write_atomically};
use slipstick_numerics::stop::look;
use std::path::Path;

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
    canvas: Canvas,
    about: About,
    svg: String,
    tex: String,
}

/// Draw a figure from the tables of a run.
///
/// # Errors
/// [`ReportError::Figure`] when it names something the run does not have or there is nothing to draw;
/// [`ReportError::Drawing`].
pub fn draw(figure: &Figure, data: &RunData) -> Result<Drawing, ReportError> {
    look();
    check(figure, &Known::of(data))?;
    let (inked, look) = inked(figure, data)?;
    let Inked {
        sheet, canvas, stands, ..
    } = inked;
    let about = About::of(&sheet);
    Ok(Drawing {
        name: sheet.name.clone(),
        svg: svg::svg(&canvas, &about)?,
        tex: pgfplots::document(&sheet, look, &stands),
        canvas,
        about,
    })
}

/// A figure inked. Charts show fewer kinds of motion rather than kinds that nothing explains.
pub(super) fn inked(figure: &Figure, data: &RunData) -> Result<(Inked, Look), ReportError> {
    let mut figure = figure.clone();
    loop {
        let found = inked_whole(&figure, data)?;
        if found.0.left_out() == 0 || !show_fewer(&mut figure) {
            return Ok(found);
        }
    }
}

fn inked_whole(figure: &Figure, data: &RunData) -> Result<(Inked, Look), ReportError> {
    let sheet = assemble(figure, data)?;
    let canards = sheet
        .panels
        .iter()
        .flat_map(|panel| &panel.series)
        .any(|piece| piece.ink == Ink::Canard);
    let look = Look {
        palette: sheet.style.palette,
        canards,
        line_width: sheet.style.line_width * super::layout::POINT,
    };
    Ok((Inked::new(sheet, look), look))
}

/// Let the charts of a figure name one kind of motion less, if they name several.
fn show_fewer(figure: &mut Figure) -> bool {
    match figure {
        Figure::Chart(chart) if chart.regimes > 1 => {
            chart.regimes -= 1;
            true
        }
        Figure::Panels(panels) => {
            let fewer = panels
                .panels
                .iter_mut()
                .filter_map(|panel| show_fewer(panel).then_some(()));
            fewer.count() > 0
        }
        _ => false,
    }
}

impl Drawing {
    /// The figure's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Say in the files where the drawing comes from: the title of a study, which stands before the figure's name, and
    /// an author.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub fn signed(mut self, study: &str, author: Option<&str>) -> Result<Self, ReportError> {
        self.about.title = format!("{study}: {}", self.name);
        self.about.author = author.map(str::to_owned);
        self.svg = svg::svg(&self.canvas, &self.about)?;
        Ok(self)
    }

    /// As SVG with a title and a description. Letters are outlines, so that it looks the same everywhere.
    #[must_use]
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// As a stand-alone LaTeX document for pgfplots, with its data.
    #[must_use]
    pub fn tex(&self) -> &str {
        &self.tex
    }

    /// As PDF of the figure's size with its font embedded.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub fn pdf(&self) -> Result<Vec<u8>, ReportError> {
        look();
        pdf::pdf(&self.canvas, &self.about)
    }

    /// As PNG of 600 dots per inch.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub fn png(&self) -> Result<Vec<u8>, ReportError> {
        look();
        bitmap::png(&self.canvas, &self.about)
    }

    /// The files that [`write`](Self::write) makes: cells are pictures beside the LaTeX document.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let drawn = ["svg", "pdf", "png", "tex"].map(|ending| format!("{}.{ending}", self.name));
        let cells = (0..self.canvas.pictures().len()).map(|k| picture_file(&self.name, k));
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
            self.svg.clone().into_bytes(),
            self.pdf()?,
            self.png()?,
            self.tex.clone().into_bytes(),
        ];
        for raster in self.canvas.pictures() {
            bytes.push(raster.png()?);
        }
        Ok(self.files().into_iter().zip(bytes).collect())
    }
}
