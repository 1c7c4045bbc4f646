//! Figures fit to print, drawn from tables.
//!
//! A [`Figure`] is what a study says (`spec`); [`check`] looks its words up; `diagram`, `family`, `orbits` and
//! `manifold` turn rows into a scene of curves and marks in the numbers of the axes; `layout` finds the room; `paint`
//! inks a canvas, with `place` keeping words off curves; plotters prints the canvas on a `press`, of which there is one
//! each for `svg`, `pdf` and `bitmap`, so that all three look alike. `pgfplots` writes the same scene for LaTeX.
//!
//! ```
//! use slipstick_report::{Kind, RunData, Table, figure::{Figure, draw}};
//! let mut data = RunData::default();
//! data.points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("r", Kind::Number), ("x", Kind::Number)]);
//! for index in 0..100 {
//!     let x = -1.0 + 0.02 * index as f64;
//!     data.points.push_row(["fold".into(), index.into(), (x * x).into(), x.into()])?;
//! }
//! let figure = Figure::from_ron(r#"Diagram(name: "parabola", x: "r", y: "x")"#).unwrap();
//! let drawing = draw(&figure, &data)?;
//! assert!(drawing.svg().starts_with("<svg width=\"84mm\""));
//! # Ok::<(), slipstick_report::ReportError>(())
//! ```

mod about;
mod assemble;
mod axes;
mod bar;
mod basins;
mod bitmap;
mod canvas;
mod cell_views;
mod cells_check;
mod chart;
mod check;
mod covered;
mod data_drawn;
mod data_file;
mod diagram;
mod diagram_views;
mod direct;
mod dots;
mod drawing;
mod envelope;
mod error;
mod family;
mod family_check;
mod font;
mod formula;
mod geometry;
mod groups;
mod inked;
mod known;
mod layout;
mod legend;
mod legend_rows;
mod manifold;
mod markup;
mod multipliers;
mod oblique;
mod orbits;
mod paint;
mod palette;
mod paper;
mod pdf;
mod pdf_font;
mod pgfplots;
mod pgfplots_legend;
mod pgfplots_words;
mod place;
mod plane;
mod press;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod print_ready;
mod raster;
mod regime;
mod region;
mod region_names;
mod scene;
mod seen;
mod select;
mod several;
mod smooth;
mod space;
mod space_axes;
mod space_check;
mod space_hidden;
mod space_view;
mod spec;
mod svg;
mod symbol;
mod symbols;
mod tags;
mod ticks;
mod trace;
mod twins;
mod twins_check;
mod typeset;
mod unseen;
mod wrap;

pub(super) use cell_views::{CellAxis, CellOrbit, CellView, cell_views};
pub use check::check;
pub(super) use diagram_views::{DiagramView, ViewAxis, ViewSample, diagram_views, is_locus, series_colour, symbol_of};
pub use drawing::{Drawing, draw};
pub use error::{DataError, FigureError};
pub(super) use geometry::essential;
pub use known::{Known, KnownPoints};
pub use several::Gathered;
pub use spec::*;
pub(super) use symbol::{LabelPieces, label_pieces};
pub use unseen::{Unseen, unseen};
