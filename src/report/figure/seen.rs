//! What of a panel its axes show: legends speak of nothing else, and insets magnify something.

use super::geometry::Rect;
use super::markup::Label;
use super::scene::{AxisScale, Entry, Ink, Mark, Panel, Sample, Series, Shape, Stroke};

/// Marks nearer than this part of the axes that say the same are named once.
const SAME_PLACE: f64 = 0.01;

/// Lines shorter than this part of the axes are not seen under the marks at their ends.
const SHORTEST: f64 = 0.05;

/// Of a kind of line less than this is not told from a mark.
const STROKE_SEEN: f64 = 0.015;

/// What the legend calls stable parts of curves.
pub(super) const STABLE: &str = "stable";

/// Axes as a box of side 1.
struct Frame<'a> {
    x: &'a AxisScale,
    y: &'a AxisScale,
}

impl Frame<'_> {
    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        self.x.part(x).zip(self.y.part(y))
    }

    fn shows_point(&self, point: (f64, f64)) -> bool {
        self.place(point)
            .is_some_and(|at| Rect::new(0.0, 0.0, 1.0, 1.0).contains(at))
    }

    fn shows(&self, series: &Series) -> bool {
        let unit = Rect::new(0.0, 0.0, 1.0, 1.0);
        let piece = |pair: &[(f64, f64)]| self.place(pair[0]).zip(self.place(pair[1]));
        let inside = |(a, b): ((f64, f64), (f64, f64))| unit.clip(a, b).is_some();
        series.points.windows(2).filter_map(piece).any(inside)
    }

    /// How much of a curve the axes show, in axis lengths.
    fn shown(&self, series: &Series) -> f64 {
        let unit = Rect::new(0.0, 0.0, 1.0, 1.0);
        let pieces = series.points.windows(2);
        let inside = pieces.filter_map(|pair| {
            let (a, b) = self.place(pair[0]).zip(self.place(pair[1]))?;
            unit.clip(a, b)
        });
        inside.map(|(a, b)| (b.0 - a.0).hypot(b.1 - a.1)).sum()
    }
}

/// Leave the inset out if nothing falls into its region.
pub(super) fn fill_inset(panel: &mut Panel) {
    let Some(inset) = &panel.inset else { return };
    let axis = |of: &AxisScale, (low, high): (f64, f64)| AxisScale {
        low,
        high,
        ..of.clone()
    };
    let (x, y) = (axis(&panel.x, inset.x), axis(&panel.y, inset.y));
    let region = Frame { x: &x, y: &y };
    let something = panel.series.iter().any(|series| region.shows(series))
        || panel.marks.iter().any(|mark| region.shows_point(mark.at))
        || panel.dots.iter().any(|&dot| region.shows_point(dot));
    if !something {
        panel.inset = None;
    }
}

/// Does an entry say how stable parts of curves look, whichever curve they are of?
pub(super) fn is_key(entry: &Entry) -> bool {
    matches!(entry.sample, Sample::Line(Ink::Neutral, Stroke::Solid)) && entry.label == Label::plain(STABLE)
}

/// Leave out of the legend of a diagram the curves outside its axes and the strokes that are not seen.
pub(super) fn list_what_is_seen(panel: &mut Panel) {
    let frame = Frame {
        x: &panel.x,
        y: &panel.y,
    };
    let seen: Vec<(Ink, Stroke)> = panel
        .series
        .iter()
        .filter(|series| frame.shows(series))
        .map(|series| (series.ink, series.stroke))
        .collect();
    let marked: Vec<Ink> = panel
        .marks
        .iter()
        .filter(|mark| frame.shows_point(mark.at))
        .map(|mark| mark.ink)
        .collect();
    let length = |stroke: Stroke| -> f64 {
        let own = panel.series.iter().filter(|series| series.stroke == stroke);
        own.map(|series| frame.shown(series)).sum()
    };
    let stroke = |stroke: Stroke| length(stroke) > STROKE_SEEN;
    let ring = |mark: &Mark| mark.shape == Shape::Ring && frame.shows_point(mark.at);
    let ringed = panel.marks.iter().any(ring);
    let reported = |entry: &Entry| match entry.sample {
        Sample::Mark(Shape::Ring, Ink::Neutral) => ringed,
        Sample::Line(ink @ Ink::Series(_), _) => seen.iter().any(|&(other, _)| other == ink) || marked.contains(&ink),
        _ if is_key(entry) => stroke(Stroke::Solid) && stroke(Stroke::Dashed),
        Sample::Line(Ink::Neutral, Stroke::Solid) => seen.contains(&(Ink::Neutral, Stroke::Solid)),
        Sample::Line(Ink::Neutral, kind @ (Stroke::Dashed | Stroke::Dotted)) => stroke(kind),
        _ => true,
    };
    panel.entries.retain(reported);
}

/// Leave out of the legend of a manifold the lines too short to be seen; their ends are marked and named.
pub(super) fn report_what_is_long(panel: &mut Panel) {
    let frame = Frame {
        x: &panel.x,
        y: &panel.y,
    };
    let length = |ink: Ink, stroke: Stroke| {
        let own = panel
            .series
            .iter()
            .filter(|series| (series.ink, series.stroke) == (ink, stroke));
        let places = own.flat_map(|series| series.points.windows(2));
        places
            .filter_map(|pair| frame.place(pair[0]).zip(frame.place(pair[1])))
            .map(|(a, b)| (b.0 - a.0).hypot(b.1 - a.1))
            .sum::<f64>()
    };
    let reported: Vec<bool> = panel
        .entries
        .iter()
        .map(|entry| match entry.sample {
            Sample::Line(ink, stroke) => length(ink, stroke) > SHORTEST,
            _ => true,
        })
        .collect();
    let mut reported = reported.into_iter();
    panel.entries.retain(|_| reported.next().unwrap_or(true));
}

/// Two names of one point, such as `LP+VS` where a curve of folds is tangent to one of vanishing sojourns and `VS+LP`
/// on the other curve, are written once.
pub(super) fn name_once(panel: &mut Panel) {
    let frame = Frame {
        x: &panel.x,
        y: &panel.y,
    };
    let mut named: Vec<(Vec<String>, (f64, f64))> = Vec::new();
    for mark in &mut panel.marks {
        let (Some(name), Some(at)) = (&mark.name, frame.place(mark.at)) else {
            continue;
        };
        let mut parts: Vec<String> = name.split('+').map(str::to_owned).collect();
        if parts.len() < 2 {
            continue;
        }
        parts.sort();
        let near = |there: (f64, f64)| (there.0 - at.0).hypot(there.1 - at.1) < SAME_PLACE;
        if named.iter().any(|(other, there)| *other == parts && near(*there)) {
            mark.name = None;
        } else {
            named.push((parts, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::markup::Label;
    use super::super::scene::InsetScene;
    use super::super::spec::{Corner, Legend};
    use super::super::ticks::Scale;
    use super::*;

    fn panel() -> Panel {
        let axis = || AxisScale {
            label: Label::default(),
            scale: Scale::Linear,
            low: 0.0,
            high: 1.0,
        };
        let series = |n: usize, stroke: Stroke, points: [(f64, f64); 2]| Series {
            ink: Ink::Series(n),
            stroke,
            points: points.to_vec(),
        };
        let key = |ink, stroke, words| Entry::line(ink, stroke, Label::plain(words));
        Panel {
            x: axis(),
            y: axis(),
            aspect: 0.6,
            cells: None,
            named: Vec::new(),
            bar: None,
            front: None,
            space: None,
            fills: vec![],
            series: vec![
                series(0, Stroke::Solid, [(-1.0, -1.0), (2.0, 2.0)]),
                series(0, Stroke::Dashed, [(2.0, 2.0), (3.0, 2.0)]),
                series(1, Stroke::Solid, [(0.0, 1.5), (1.0, 1.5)]),
            ],
            arrows: vec![],
            marks: vec![],
            dots: vec![],
            bands: vec![],
            strips: vec![],
            rules: vec![],
            notes: vec![],
            inset: None,
            legend: Legend::Auto,
            entries: vec![
                key(Ink::Series(0), Stroke::Solid, "across"),
                key(Ink::Series(1), Stroke::Solid, "above"),
                key(Ink::Neutral, Stroke::Solid, "stable"),
                key(Ink::Neutral, Stroke::Dashed, "unstable"),
            ],
        }
    }

    fn reported(panel: &Panel) -> Vec<&str> {
        panel.entries.iter().map(|entry| entry.label.tex.as_str()).collect()
    }

    #[test]
    fn legends_tell_what_the_axes_show() {
        let mut narrow = panel();
        list_what_is_seen(&mut narrow);
        assert_eq!(reported(&narrow), ["across"]);
        let mut wide = panel();
        (wide.x.high, wide.y.high) = (4.0, 4.0);
        list_what_is_seen(&mut wide);
        assert_eq!(reported(&wide), ["across", "above", "stable", "unstable"]);
    }

    /// Folds in space are drawn in the ink of the key to stability, and are no key.
    #[test]
    fn only_the_key_to_stability_needs_something_unstable() {
        let mut panel = panel();
        panel.series = vec![Series {
            ink: Ink::Neutral,
            stroke: Stroke::Solid,
            points: vec![(0.1, 0.1), (0.9, 0.9)],
        }];
        let line = |words: &str| Entry::line(Ink::Neutral, Stroke::Solid, Label::plain(words));
        panel.entries = vec![line("fold, jump"), line("stable")];
        list_what_is_seen(&mut panel);
        assert_eq!(reported(&panel), ["fold, jump"]);
    }

    #[test]
    fn what_is_too_short_to_be_seen_is_not_told() {
        let mut panel = panel();
        panel.entries.truncate(2);
        panel.series[2].points = vec![(0.5, 0.5), (0.51, 0.52)];
        report_what_is_long(&mut panel);
        assert_eq!(reported(&panel), ["across"]);
    }

    #[test]
    fn insets_magnify_something() {
        let inset = |x, y| {
            let mut panel = panel();
            panel.inset = Some(InsetScene {
                x,
                y,
                corner: Corner::Auto,
                size: (0.3, 0.3),
            });
            fill_inset(&mut panel);
            panel.inset.is_some()
        };
        assert!(inset((0.4, 0.6), (0.4, 0.6)));
        assert!(!inset((0.4, 0.6), (0.7, 0.9)));
    }

    #[test]
    fn one_meeting_has_one_name() {
        let mut panel = panel();
        panel.marks = [
            ("VS+LP", 0.5),
            ("LP+VS", 0.501),
            ("LP+VS", 0.8),
            ("LP", 0.2),
            ("LP", 0.2),
        ]
        .map(|(name, x)| Mark {
            at: (x, 0.5),
            shape: Shape::Star,
            name: Some(name.into()),
            ink: Ink::Neutral,
        })
        .to_vec();
        name_once(&mut panel);
        let names: Vec<Option<&str>> = panel.marks.iter().map(|mark| mark.name.as_deref()).collect();
        assert_eq!(names, [Some("VS+LP"), None, Some("LP+VS"), Some("LP"), Some("LP")]);
    }
}
