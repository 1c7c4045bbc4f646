//! Plane geometry on the page: boxes, clipping, dashes, fewer points for the same picture. Lengths in millimetres, y
//! downwards.

use slipstick_numerics::stop::look;

/// A point of the page.
pub(crate) type Point = (f64, f64);

/// An upright box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    }

    pub(super) fn around(centre: Point, radius: f64) -> Self {
        Self::new(centre.0 - radius, centre.1 - radius, 2.0 * radius, 2.0 * radius)
    }

    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(super) fn centre(&self) -> Point {
        (0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom))
    }

    /// The box with `by` more on every side.
    pub(super) fn grown(&self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    pub(super) fn contains(&self, point: Point) -> bool {
        (self.left..=self.right).contains(&point.0) && (self.top..=self.bottom).contains(&point.1)
    }

    /// Whether `other` lies inside.
    pub(super) fn encloses(&self, other: &Self) -> bool {
        self.contains((other.left, other.top)) && self.contains((other.right, other.bottom))
    }

    /// The area common to both.
    pub(super) fn overlap(&self, other: &Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }

    /// The point of the box nearest to `point`.
    pub(super) fn nearest(&self, point: Point) -> Point {
        (
            point.0.clamp(self.left, self.right),
            point.1.clamp(self.top, self.bottom),
        )
    }

    /// The part of a straight piece inside the box (Liang and Barsky 1984).
    pub(super) fn clip(&self, a: Point, b: Point) -> Option<(Point, Point)> {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut from, mut to) = (0.0f64, 1.0f64);
        for (slope, room) in [
            (-dx, a.0 - self.left),
            (dx, self.right - a.0),
            (-dy, a.1 - self.top),
            (dy, self.bottom - a.1),
        ] {
            if slope == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if slope < 0.0 {
                from = from.max(room / slope);
            } else {
                to = to.min(room / slope);
            }
        }
        let at = |s: f64| (a.0 + s * dx, a.1 + s * dy);
        // Ends that need no cut stay as they are, to the bit.
        (from <= to).then(|| {
            (
                if from == 0.0 { a } else { at(from) },
                if to == 1.0 { b } else { at(to) },
            )
        })
    }

    /// The pieces of a polyline inside the box.
    pub(super) fn clip_line(&self, line: &[Point]) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        for pair in line.windows(2) {
            let Some((a, b)) = self.clip(pair[0], pair[1]) else {
                continue;
            };
            match pieces.last_mut() {
                Some(piece) if piece.last() == Some(&a) => piece.push(b),
                _ => pieces.push(vec![a, b]),
            }
        }
        pieces
    }
}

/// Length of a straight piece.
pub(super) fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// The polyline without points nearer than `tolerance` to what is left.
pub(super) fn simplify(line: &[Point], tolerance: f64) -> Vec<Point> {
    essential(line, tolerance).into_iter().map(|at| line[at]).collect()
}

/// The points of a line that are thinned together.
const STRETCH: usize = 2048;

/// Which points of a polyline are needed to keep its picture within `tolerance` (Douglas and Peucker 1973, without
/// recursion).
pub(crate) fn essential(line: &[Point], tolerance: f64) -> Vec<usize> {
    if line.len() < 3 {
        return (0..line.len()).collect();
    }
    let mut keep = vec![false; line.len()];
    keep[0] = true;
    keep[line.len() - 1] = true;
    // Lines that fold in on themselves are divided at one end again and again: long ones are thinned in stretches.
    let mut open: Vec<(usize, usize)> = (0..line.len() - 1)
        .step_by(STRETCH)
        .map(|first| (first, (first + STRETCH).min(line.len() - 1)))
        .collect();
    open.iter().for_each(|&(first, _)| keep[first] = true);
    while let Some((first, last)) = open.pop() {
        look();
        let farthest = (first + 1..last)
            .map(|at| (at, distance_to_piece(line[at], line[first], line[last])))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((at, far)) = farthest
            && far > tolerance
        {
            keep[at] = true;
            open.extend([(first, at), (at, last)]);
        }
    }
    (0..line.len()).filter(|&at| keep[at]).collect()
}

fn distance_to_piece(point: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let square = dx * dx + dy * dy;
    let along = if square > 0.0 {
        ((point.0 - a.0) * dx + (point.1 - a.1) * dy) / square
    } else {
        0.0
    };
    let along = along.clamp(0.0, 1.0);
    distance(point, (a.0 + along * dx, a.1 + along * dy))
}

/// A polyline cut into dashes. The line begins and ends with a dash: the pattern is stretched a little where needed.
pub(super) fn dash(line: &[Point], on: f64, off: f64) -> Vec<Vec<Point>> {
    let length: f64 = line.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
    if length <= on + off {
        return vec![line.to_vec()];
    }
    let periods = ((length - on) / (on + off)).round().max(1.0);
    let stretch = length / (periods * (on + off) + on);
    let (on, off) = (on * stretch, off * stretch);
    let mut dashes = Vec::new();
    let mut dash = vec![line[0]];
    let (mut drawing, mut left) = (true, on);
    for pair in line.windows(2) {
        let whole = distance(pair[0], pair[1]);
        let mut done = 0.0;
        while whole - done > left {
            done += left;
            let part = done / whole;
            let cut = (
                pair[0].0 + part * (pair[1].0 - pair[0].0),
                pair[0].1 + part * (pair[1].1 - pair[0].1),
            );
            if drawing {
                dash.push(cut);
                dashes.push(std::mem::take(&mut dash));
            } else {
                dash.push(cut);
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= whole - done;
        if drawing {
            dash.push(pair[1]);
        }
    }
    if dash.len() > 1 {
        dashes.push(dash);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Rect = Rect {
        left: 0.0,
        top: 0.0,
        right: 1.0,
        bottom: 1.0,
    };

    #[test]
    fn lines_are_clipped_to_the_box() {
        assert_eq!(UNIT.clip((-1.0, 0.5), (2.0, 0.5)), Some(((0.0, 0.5), (1.0, 0.5))));
        assert_eq!(UNIT.clip((0.2, 0.2), (0.4, 0.8)), Some(((0.2, 0.2), (0.4, 0.8))));
        assert_eq!(UNIT.clip((-1.0, 0.5), (0.5, 2.5)), None);
        let pieces = UNIT.clip_line(&[(0.1, 0.1), (0.5, 0.5), (2.0, 0.5), (2.0, 0.8), (0.5, 0.8)]);
        assert_eq!(
            pieces,
            [vec![(0.1, 0.1), (0.5, 0.5), (1.0, 0.5)], vec![(1.0, 0.8), (0.5, 0.8)]]
        );
    }

    #[test]
    fn simplified_lines_stay_within_the_tolerance() {
        let line: Vec<Point> = (0..2000).map(|k| k as f64 * 0.005).map(|t| (t, t.sin())).collect();
        let fewer = simplify(&line, 1e-3);
        assert!(fewer.len() < 150, "{}", fewer.len());
        for &point in &line {
            let nearest = fewer
                .windows(2)
                .map(|pair| distance_to_piece(point, pair[0], pair[1]))
                .fold(f64::INFINITY, f64::min);
            assert!(nearest <= 1e-3);
        }
        // A closed line must not collapse onto its chord.
        assert_eq!(simplify(&[(0.0, 0.0), (1.0, 1.0), (0.0, 0.0)], 1e-3).len(), 3);
    }

    #[test]
    fn dashes_begin_and_end_the_line_and_keep_the_ratio() {
        let dashes = dash(&[(0.0, 0.0), (3.0, 0.0), (3.0, 7.3)], 2.0, 1.0);
        let drawn: f64 = dashes
            .iter()
            .flat_map(|dash| dash.windows(2))
            .map(|pair| distance(pair[0], pair[1]))
            .sum();
        assert_eq!(dashes.first().map(|dash| dash[0]), Some((0.0, 0.0)));
        let end = dashes.last().and_then(|dash| dash.last().copied()).unwrap_or_default();
        assert!(distance(end, (3.0, 7.3)) < 1e-9);
        // n periods of 3 and a closing dash of 2, stretched to 10.3: here n = 3.
        assert_eq!(dashes.len(), 4);
        assert!((drawn - 10.3 * 8.0 / 11.0).abs() < 1e-9, "{drawn}");
    }
}
