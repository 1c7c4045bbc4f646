//! What surfaces hide: how near the nearest surface is at each place of the page, and lines cut where they go behind.

use super::geometry::Point;

/// A point of space as it is seen: its place on the page, from 0 to 1, and how near it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) at: Point,
    pub(super) near: f64,
}

/// Cells along each side of the page.
const CELLS: usize = 640;
/// A line this little behind a surface lies on it.
const ON_SURFACE: f64 = 0.014;
/// Lines are looked at in steps of this length; shorter pieces are not cut off.
const STEP: f64 = 0.003;
const SHORTEST: usize = 3;

/// How near the nearest surface is.
pub(super) struct Depth {
    cells: Vec<f64>,
}

impl Depth {
    pub(super) fn new() -> Self {
        Self {
            cells: vec![f64::NEG_INFINITY; CELLS * CELLS],
        }
    }

    /// Put a triangle there.
    pub(super) fn add(&mut self, [a, b, c]: [Seen; 3]) {
        let cell = |value: f64| (value * CELLS as f64).floor().clamp(0.0, (CELLS - 1) as f64) as usize;
        let least = |pick: fn(&Seen) -> f64| [a, b, c].iter().map(pick).fold(f64::INFINITY, f64::min);
        let most = |pick: fn(&Seen) -> f64| [a, b, c].iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
        let area = cross(a.at, b.at, c.at);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        for row in cell(least(|s| s.at.1))..=cell(most(|s| s.at.1)) {
            for column in cell(least(|s| s.at.0))..=cell(most(|s| s.at.0)) {
                let middle = ((column as f64 + 0.5) / CELLS as f64, (row as f64 + 0.5) / CELLS as f64);
                let parts = [
                    cross(middle, b.at, c.at) / area,
                    cross(a.at, middle, c.at) / area,
                    cross(a.at, b.at, middle) / area,
                ];
                if parts.iter().all(|part| *part >= -1e-9) {
                    let near = parts[0] * a.near + parts[1] * b.near + parts[2] * c.near;
                    let own = &mut self.cells[row * CELLS + column];
                    *own = own.max(near);
                }
            }
        }
    }

    fn hides(&self, seen: Seen) -> bool {
        let cell = |value: f64| (value * CELLS as f64).floor();
        let (column, row) = (cell(seen.at.0), cell(seen.at.1));
        let inside = |cell: f64| cell >= 0.0 && cell < CELLS as f64;
        inside(column) && inside(row) && self.cells[row as usize * CELLS + column as usize] > seen.near + ON_SURFACE
    }

    /// A line in pieces that are seen (`true`) and that are not.
    pub(super) fn cut(&self, line: &[Seen]) -> Vec<(bool, Vec<Point>)> {
        let mut fine: Vec<Seen> = line.first().copied().into_iter().collect();
        for pair in line.windows(2) {
            let length = (pair[1].at.0 - pair[0].at.0).hypot(pair[1].at.1 - pair[0].at.1);
            let count = ((length / STEP).ceil() as usize).clamp(1, 2000);
            fine.extend((1..=count).map(|k| {
                let s = k as f64 / count as f64;
                let mix = |a: f64, b: f64| a + s * (b - a);
                Seen {
                    at: (mix(pair[0].at.0, pair[1].at.0), mix(pair[0].at.1, pair[1].at.1)),
                    near: mix(pair[0].near, pair[1].near),
                }
            }));
        }
        let mut seen: Vec<bool> = fine.iter().map(|at| !self.hides(*at)).collect();
        // Specks at edges and where lines touch surfaces.
        let mut first = 0;
        while first < seen.len() {
            let last = (first..seen.len())
                .find(|&k| seen[k] != seen[first])
                .unwrap_or(seen.len());
            if last - first < SHORTEST && first > 0 && last < seen.len() {
                let other = seen[first - 1];
                seen[first..last].fill(other);
            }
            first = last;
        }
        let mut pieces: Vec<(bool, Vec<Point>)> = Vec::new();
        for k in 1..fine.len() {
            let own = seen[k];
            match pieces.last_mut() {
                Some((same, piece)) if *same == own => piece.push(fine[k].at),
                _ => pieces.push((own, vec![fine[k - 1].at, fine[k].at])),
            }
        }
        pieces
    }
}

fn cross(a: Point, b: Point, c: Point) -> f64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(x: f64, y: f64, near: f64) -> Seen {
        Seen { at: (x, y), near }
    }

    #[test]
    fn a_line_through_a_plane_is_hidden_behind_it() {
        let mut depth = Depth::new();
        // An upright plane of nearness 0 in the middle of the page.
        let corners = [
            seen(0.2, 0.2, 0.0),
            seen(0.8, 0.2, 0.0),
            seen(0.8, 0.8, 0.0),
            seen(0.2, 0.8, 0.0),
        ];
        depth.add([corners[0], corners[1], corners[2]]);
        depth.add([corners[0], corners[2], corners[3]]);
        // From behind it on the left to before it on the right, and on to the edge of the page.
        let pieces = depth.cut(&[seen(0.1, 0.5, -0.4), seen(0.9, 0.5, 0.4)]);
        let kinds: Vec<bool> = pieces.iter().map(|(seen, _)| *seen).collect();
        assert_eq!(kinds, [true, false, true]);
        let (from, to) = (pieces[1].1[0].0, pieces[1].1[pieces[1].1.len() - 1].0);
        assert!((from - 0.2).abs() < 0.01 && (to - 0.5).abs() < 0.02, "{from} {to}");
        // A line on the plane is seen.
        assert_eq!(depth.cut(&[seen(0.3, 0.3, 0.0), seen(0.7, 0.7, 0.0)]).len(), 1);
    }
}
