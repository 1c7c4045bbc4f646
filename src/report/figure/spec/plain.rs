//! Greek letters: names of columns in their plain spelling, as tables have them.

use super::{Basins, Chart, Family, Figure, Names, View};
use slipstick_system::text::plain_name;
use std::collections::BTreeMap;

fn name(name: &mut String) {
    if !name.is_ascii() {
        *name = plain_name(name);
    }
}

fn names(names: &mut Names) {
    names.0.iter_mut().for_each(name);
}

fn values(values: &mut BTreeMap<String, f64>) {
    let spelt = std::mem::take(values).into_iter();
    *values = spelt.map(|(key, value)| (plain_name(&key), value)).collect();
}

/// What labels are of may be a column, or a curve, which keeps its name: both spellings are kept.
fn labels(labels: &mut BTreeMap<String, String>) {
    let greek: Vec<String> = labels.keys().filter(|key| !key.is_ascii()).cloned().collect();
    for key in greek {
        let label = labels[&key].clone();
        labels.entry(plain_name(&key)).or_insert(label);
    }
}

fn views(views: &mut [View]) {
    for view in views {
        match view {
            View::Time(columns) => names(columns),
            View::Plane(x, y) => {
                name(x);
                name(y);
            }
            View::Axes { x, y, .. } => {
                name(x);
                names(y);
            }
        }
    }
}

impl Figure {
    /// Spell `α` as `alpha` wherever it names a column.
    pub fn spell_plainly(&mut self) {
        match self {
            Self::Diagram(figure) => {
                name(&mut figure.x);
                names(&mut figure.y);
                labels(&mut figure.labels);
            }
            Self::Family(Family {
                x,
                y,
                colour,
                at,
                labels: own,
                ..
            }) => {
                name(x);
                names(y);
                colour.iter_mut().for_each(name);
                values(at);
                labels(own);
            }
            Self::Twins(figure) => {
                figure.columns.iter_mut().for_each(name);
                labels(&mut figure.labels);
            }
            Self::Orbits(figure) => {
                views(&mut figure.panels);
                figure.angles.iter_mut().for_each(name);
                labels(&mut figure.labels);
            }
            Self::Trajectories(figure) => {
                views(&mut figure.panels);
                figure.angles.iter_mut().for_each(name);
                labels(&mut figure.labels);
            }
            Self::Manifold(figure) => {
                name(&mut figure.x);
                name(&mut figure.y);
                labels(&mut figure.labels);
            }
            Self::Space(figure) => {
                [&mut figure.x, &mut figure.y, &mut figure.z].into_iter().for_each(name);
                figure.angles.iter_mut().for_each(name);
                labels(&mut figure.labels);
            }
            Self::Chart(Chart {
                x, y, at, labels: own, ..
            })
            | Self::Basins(Basins {
                x, y, at, labels: own, ..
            }) => {
                x.iter_mut().chain(y).for_each(name);
                values(at);
                labels(own);
            }
            Self::Panels(sheet) => sheet.panels.iter_mut().for_each(Self::spell_plainly),
        }
    }
}
