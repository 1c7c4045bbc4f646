//! What of a figure TeX is given: what print can show, and no more than it has room for.

use super::geometry::essential;
use super::scene::{Panel, Series, Sheet};
use std::collections::BTreeSet;

/// What a printer with 300 dots to the inch can tell apart, in millimetres.
const DOT: f64 = 25.4 / 300.0;
/// Points nearer than this, in millimetres, to the line through their neighbours are left out.
const INVISIBLE: f64 = 0.5 * DOT;
/// The most points of all curves, and of all clouds of dots, in one figure: pdflatex as it is shipped has room for
/// about six thousand.
const MOST_POINTS: usize = 4000;
const MOST_DOTS: usize = 1500;
/// How far beyond the axes, in axis lengths, numbers are still written: TeX cannot count far.
const BEYOND: f64 = 2.0;

/// The paper of a panel: its width in millimetres, and how roughly curves and dots are drawn, as multiples of what
/// print can show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paper {
    pub(super) width: f64,
    pub(super) curves: f64,
    pub(super) dots: f64,
}

impl Paper {
    /// For panels of this width: as fine as print is, and only as rough as the number of points makes it.
    pub(super) fn of(sheet: &Sheet, width: f64) -> Self {
        let at = |rough: f64| Self {
            width,
            curves: rough,
            dots: rough,
        };
        let points = |panel: &Panel, rough: f64| -> usize {
            let series = panel.series.iter();
            series
                .flat_map(|series| at(rough).pieces(series, panel))
                .map(|piece| piece.len())
                .sum()
        };
        Self {
            width,
            curves: enough(MOST_POINTS, |rough| {
                sheet.panels.iter().map(|panel| points(panel, rough)).sum()
            }),
            dots: enough(MOST_DOTS, |rough| {
                sheet.panels.iter().map(|panel| at(rough).dots(panel).len()).sum()
            }),
        }
    }

    /// The pieces of a curve on and near its panel, without the points that cannot be seen.
    pub(super) fn pieces(&self, series: &Series, panel: &Panel) -> Vec<Vec<(f64, f64)>> {
        let part = |&(x, y): &(f64, f64)| panel.x.part(x).zip(panel.y.part(y));
        let near = |at: &f64| (-BEYOND..=1.0 + BEYOND).contains(at);
        let writable = |point: &(f64, f64)| part(point).is_some_and(|(x, y)| near(&x) && near(&y));
        let on_paper = |point: &(f64, f64)| part(point).map(|(x, y)| (x * self.width, y * panel.aspect * self.width));
        let seen = |piece: &[(f64, f64)]| {
            let line: Vec<(f64, f64)> = piece.iter().filter_map(on_paper).collect();
            let kept = essential(&line, self.curves * INVISIBLE);
            kept.into_iter().map(|at| piece[at]).collect()
        };
        let pieces = series.points.split(|point| !writable(point));
        pieces.filter(|piece| piece.len() > 1).map(seen).collect()
    }

    /// The dots inside a panel, one of those that cannot be distinguished.
    pub(super) fn dots(&self, panel: &Panel) -> Vec<(f64, f64)> {
        let cell = |part: f64, length: f64| (part * length / (self.dots * DOT)).round() as i64;
        let inside = |at: &f64| (0.0..=1.0).contains(at);
        let mut taken = BTreeSet::new();
        let new = |&&(x, y): &&(f64, f64)| {
            let place = panel.x.part(x).filter(inside).zip(panel.y.part(y).filter(inside));
            place.is_some_and(|(x, y)| taken.insert((cell(x, self.width), cell(y, panel.aspect * self.width))))
        };
        panel.dots.iter().filter(new).copied().collect()
    }
}

/// The first of 1, 2, 4, … at which no more than so many points are left.
fn enough(most: usize, left: impl Fn(f64) -> usize) -> f64 {
    let mut rough = 1.0;
    while left(rough) > most && rough < 1024.0 {
        rough *= 2.0;
    }
    rough
}
