//! Curves that lie over others: they are broken, so that what is beneath them shows.

use super::geometry::essential;
use super::scene::{Entry, Ink, Panel, Sample, Series, Stroke};

/// How near, in axis lengths, one line has to be to another to hide it.
const HIDING: f64 = 0.003;
/// The part of a curve that is hidden before the one over it is broken.
const MOST: f64 = 0.5;
/// Places along a curve that are looked at.
const SAMPLES: usize = 120;

/// One curve of a panel: all its unbroken pieces, in axis lengths.
struct Curve {
    ink: Ink,
    pieces: Vec<Vec<(f64, f64)>>,
}

/// Break the curves that hide an earlier one along most of its length, in the panel and in the legends. Where dashes
/// have a meaning already nothing is broken.
pub(super) fn break_covering(panel: &mut Panel, heading: &mut [Entry]) {
    if panel
        .series
        .iter()
        .any(|series| matches!(series.stroke, Stroke::Dashed | Stroke::Dotted))
    {
        return;
    }
    let mut curves: Vec<Curve> = Vec::new();
    for series in panel.series.iter().filter(|series| is_plain(series)) {
        let place = |&(x, y): &(f64, f64)| panel.x.part(x).zip(panel.y.part(y));
        let seen =
            |at: &Option<(f64, f64)>| at.is_some_and(|(x, y)| (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y));
        let placed: Vec<Option<(f64, f64)>> = series.points.iter().map(place).collect();
        let pieces = placed
            .split(|at| !seen(at))
            .filter(|piece| piece.len() > 1)
            .map(|piece| {
                let whole: Vec<(f64, f64)> = piece.iter().flatten().copied().collect();
                essential(&whole, 0.2 * HIDING)
                    .into_iter()
                    .map(|at| whole[at])
                    .collect()
            });
        match curves.iter_mut().find(|curve| curve.ink == series.ink) {
            Some(curve) => curve.pieces.extend(pieces),
            None => curves.push(Curve {
                ink: series.ink,
                pieces: pieces.collect(),
            }),
        }
    }
    let covering: Vec<Ink> = (1..curves.len())
        .filter(|&k| curves[..k].iter().any(|beneath| curves[k].hides(beneath)))
        .map(|k| curves[k].ink)
        .collect();
    for series in panel.series.iter_mut().filter(|series| is_plain(series)) {
        if covering.contains(&series.ink) {
            series.stroke = Stroke::Over;
        }
    }
    for entry in panel.entries.iter_mut().chain(heading) {
        if let Sample::Line(ink, stroke @ Stroke::Solid) = &mut entry.sample
            && covering.contains(ink)
        {
            *stroke = Stroke::Over;
        }
    }
}

fn is_plain(series: &Series) -> bool {
    series.stroke == Stroke::Solid && matches!(series.ink, Ink::Series(_))
}

impl Curve {
    fn hides(&self, beneath: &Self) -> bool {
        let places = beneath.samples();
        let hidden = places.iter().filter(|&&at| self.is_near(at)).count();
        hidden > 0 && hidden as f64 > MOST * places.len() as f64
    }

    /// Places spread evenly along the curve.
    fn samples(&self) -> Vec<(f64, f64)> {
        let segments = || self.pieces.iter().flat_map(|piece| piece.windows(2));
        let length = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
        let step = segments().map(length).sum::<f64>() / SAMPLES as f64;
        let (mut found, mut travelled) = (Vec::new(), 0.0);
        for pair in segments() {
            let own = length(pair);
            while step > 0.0 && (found.len() as f64 + 0.5) * step <= travelled + own {
                let s = ((found.len() as f64 + 0.5) * step - travelled) / own;
                found.push((
                    pair[0].0 + s * (pair[1].0 - pair[0].0),
                    pair[0].1 + s * (pair[1].1 - pair[0].1),
                ));
            }
            travelled += own;
        }
        found
    }

    fn is_near(&self, (x, y): (f64, f64)) -> bool {
        self.pieces.iter().flat_map(|piece| piece.windows(2)).any(|pair| {
            let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let square = dx * dx + dy * dy;
            let s = if square > 0.0 {
                (((x - pair[0].0) * dx + (y - pair[0].1) * dy) / square).clamp(0.0, 1.0)
            } else {
                0.0
            };
            (x - pair[0].0 - s * dx).hypot(y - pair[0].1 - s * dy) < HIDING
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: Vec<(f64, f64)>) -> Curve {
        Curve {
            ink: Ink::Series(0),
            pieces: vec![points],
        }
    }

    #[test]
    fn only_what_lies_over_most_of_another_hides_it() {
        let line = |up: f64| curve(vec![(0.0, 0.1 + up), (1.0, 0.9 + up)]);
        assert!(line(0.0).hides(&line(0.0005)));
        assert!(!line(0.0).hides(&line(0.02)));
        // The upper half of the line only.
        let half = curve(vec![(0.5, 0.5), (1.0, 0.9)]);
        assert!(line(0.0).hides(&half) && !curve(vec![(0.6, 0.58), (1.0, 0.9)]).hides(&line(0.0)));
        // Two lines that cross.
        assert!(!curve(vec![(0.0, 0.9), (1.0, 0.1)]).hides(&line(0.0)));
    }

    #[test]
    fn samples_are_spread_over_the_whole_length() {
        let found = curve(vec![(0.0, 0.0), (0.9, 0.0), (0.9, 0.3)]).samples();
        assert_eq!(found.len(), SAMPLES);
        assert_eq!(found.iter().filter(|at| at.1 > 0.0).count(), SAMPLES / 4);
    }
}
