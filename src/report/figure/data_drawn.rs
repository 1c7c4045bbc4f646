//! Data of one's own in a diagram: lines, dots and their names in the legend.

use super::markup::{Label, LabelError};
use super::scene::{Entry, Ink, Mark, Sample, Series, Shape, Stroke};
use super::spec::{Data, Diagram, Drawn};
use std::path::Path;

/// Data of one's own: what is drawn and what the legend says.
pub(super) struct DataDrawn {
    points: Vec<(f64, f64)>,
    line: bool,
    ink: Ink,
    label: Label,
}

/// The data of a diagram, in inks after the first `inks`.
pub(super) fn data_drawn(spec: &Diagram, inks: usize) -> Result<Vec<DataDrawn>, LabelError> {
    let of = |(k, data): (usize, &Data)| {
        Ok(DataDrawn {
            points: data.points.clone(),
            line: data.draw == Drawn::Line,
            ink: Ink::Series(inks + k),
            label: match data.label.as_str() {
                "" => {
                    let stem = Path::new(&data.file).file_stem().unwrap_or_default();
                    Label::plain(&stem.to_string_lossy())
                }
                own => Label::parse(own)?,
            },
        })
    };
    spec.data.iter().enumerate().map(of).collect()
}

impl DataDrawn {
    /// What the axes show.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points.iter().copied()
    }

    /// The line, in pieces where a number is missing.
    pub(super) fn series(&self) -> impl Iterator<Item = Series> {
        let pieces = self.points.split(|(x, y)| !(x.is_finite() && y.is_finite()));
        pieces.filter(|piece| self.line && piece.len() > 1).map(|piece| Series {
            ink: self.ink,
            stroke: Stroke::Solid,
            points: piece.to_vec(),
        })
    }

    pub(super) fn marks(&self) -> impl Iterator<Item = Mark> {
        let points = self.points.iter().filter(|_| !self.line);
        points.map(|&at| Mark {
            at,
            shape: Shape::Dot,
            name: None,
            ink: self.ink,
        })
    }

    pub(super) fn entry(&self) -> Entry {
        let sample = if self.line {
            Sample::Line(self.ink, Stroke::Solid)
        } else {
            Sample::Mark(Shape::Dot, self.ink)
        };
        Entry {
            sample,
            label: self.label.clone(),
        }
    }
}
