//! Oscillations too dense to be seen as lines: the band between their least and their largest values.

use super::scene::{Fill, Ink, Panel, Series, Stroke, Tone};

/// Columns of a panel, and how often per column a line must turn on average before it is drawn as a band.
const COLUMNS: usize = 220;
const TURNS: f64 = 1.6;
/// Lines of less height than this, in axis lengths, are no solid block.
const FLAT: f64 = 0.02;

/// Draw dense oscillations of a panel as bands with an outline.
pub(super) fn draw_bands(panel: &mut Panel) {
    let mut drawn = Vec::new();
    for series in std::mem::take(&mut panel.series) {
        match band(&series, panel) {
            Some((upper, lower)) => {
                let ink = series.ink;
                let outline = upper.iter().copied().chain(lower.iter().rev().copied()).collect();
                panel.fills.push(Fill {
                    tone: Tone::Band(ink),
                    outline,
                });
                let line = |points| Series {
                    ink,
                    stroke: Stroke::Fine,
                    points,
                };
                drawn.extend([line(upper), line(lower)]);
            }
            None => drawn.push(series),
        }
    }
    panel.series = drawn;
}

type Line = Vec<(f64, f64)>;

/// The upper and the lower edge of a line that is one over the horizontal axis and turns too often.
fn band(series: &Series, panel: &Panel) -> Option<(Line, Line)> {
    if series.stroke != Stroke::Solid || !matches!(series.ink, Ink::Series(_)) {
        return None;
    }
    let parts: Option<Vec<(f64, f64)>> = series
        .points
        .iter()
        .map(|&(x, y)| panel.x.part(x).zip(panel.y.part(y)))
        .collect();
    let parts = parts?;
    let forward = parts.windows(2).all(|pair| pair[1].0 >= pair[0].0);
    let seen: Vec<usize> = (0..parts.len())
        .filter(|&k| (0.0..=1.0).contains(&parts[k].0))
        .collect();
    let (first, last) = (*seen.first()?, *seen.last()?);
    let width = parts[last].0 - parts[first].0;
    let rises: Vec<f64> = parts[first..=last]
        .windows(2)
        .map(|pair| pair[1].1 - pair[0].1)
        .collect();
    let turns = rises.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
    let columns = (width * COLUMNS as f64).ceil();
    let travelled: f64 = rises.iter().map(|rise| rise.abs()).sum();
    let dense = turns as f64 > TURNS * columns && travelled > FLAT * columns;
    if !(forward && dense && columns >= 8.0) {
        return None;
    }
    let column = |k: usize| ((parts[k].0 - parts[first].0) / width * (columns - 1.0)).round() as usize;
    let mut edges: Vec<Option<(usize, usize)>> = vec![None; columns as usize];
    for k in first..=last {
        let (low, high) = edges[column(k)].get_or_insert((k, k));
        if parts[k].1 < parts[*low].1 {
            *low = k;
        }
        if parts[k].1 > parts[*high].1 {
            *high = k;
        }
    }
    let at = |k: usize| series.points[k];
    let upper = edges.iter().flatten().map(|&(_, high)| at(high)).collect();
    let lower = edges.iter().flatten().map(|&(low, _)| at(low)).collect();
    Some((upper, lower))
}

#[cfg(test)]
mod tests {
    use super::super::scene::AxisScale;
    use super::super::ticks::Scale;
    use super::*;

    fn panel(oscillations: f64) -> Panel {
        let axis = || AxisScale {
            low: 0.0,
            high: 1.0,
            ..AxisScale::new(Scale::Linear)
        };
        let points = (0..20_000)
            .map(|k| f64::from(k) / 19_999.0)
            .map(|x| (x, 0.5 + 0.4 * x * (std::f64::consts::TAU * oscillations * x).sin()))
            .collect();
        let mut panel = Panel::empty(axis(), axis());
        panel.series.push(Series {
            ink: Ink::Series(0),
            stroke: Stroke::Solid,
            points,
        });
        panel
    }

    #[test]
    fn only_what_would_be_a_block_becomes_a_band() {
        let mut slow = panel(40.0);
        draw_bands(&mut slow);
        assert!(slow.fills.is_empty() && slow.series.len() == 1);
        let mut fast = panel(3000.0);
        draw_bands(&mut fast);
        assert_eq!((fast.fills.len(), fast.series.len()), (1, 2));
        for &(x, y) in &fast.series[0].points {
            assert!(y <= 0.5 + 0.4 * x + 1e-9 && y >= 0.5 + 0.39 * x - 0.01, "{x} {y}");
        }
    }
}
