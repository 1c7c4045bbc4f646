//! Where words go so that they cover nothing: names beside marks, legends and insets in the emptiest place.

use super::geometry::{Point, Rect, distance};

/// What is already on the page inside one frame.
#[derive(Clone, Debug)]
pub(super) struct Occupied {
    frame: Rect,
    pieces: Vec<(Point, Point)>,
    boxes: Vec<Rect>,
}

/// A name placed beside its mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) area: Rect,
    /// Whether it is so far off that a thin line should lead to it.
    pub(super) led: bool,
}

/// Directions tried around a mark, the conventional ones first: the upper right is where a reader looks.
const DIRECTIONS: [(f64, f64); 16] = [
    (1.0, -1.0),
    (1.0, 0.0),
    (-1.0, -1.0),
    (0.0, -1.0),
    (1.0, 1.0),
    (-1.0, 0.0),
    (-1.0, 1.0),
    (0.0, 1.0),
    (1.0, -0.5),
    (0.5, -1.0),
    (-0.5, -1.0),
    (-1.0, -0.5),
    (1.0, 0.5),
    (-1.0, 0.5),
    (0.5, 1.0),
    (-0.5, 1.0),
];
/// Gaps between mark and name tried, in millimetres; from the third on a line leads to the name.
const GAPS: [f64; 6] = [0.5, 1.2, 2.6, 4.2, 6.5, 9.0];
const FIRST_LED: usize = 2;
/// Price of covering a millimetre of curve, a square millimetre of words, of a millimetre of distance, of a less usual
/// direction.
const COVERED_CURVE: f64 = 4.0;
const COVERED_WORDS: f64 = 40.0;
const GAP_PRICE: f64 = 0.7;
const DIRECTION_PRICE: f64 = 0.06;
const OUT_OF_FRAME: f64 = 1e3;

impl Occupied {
    pub(super) fn new(frame: Rect) -> Self {
        Self {
            frame,
            pieces: Vec::new(),
            boxes: Vec::new(),
        }
    }

    pub(super) fn add_line(&mut self, line: &[Point]) {
        self.pieces.extend(line.windows(2).map(|pair| (pair[0], pair[1])));
    }

    pub(super) fn add_box(&mut self, area: Rect) {
        self.boxes.push(area);
    }

    /// What it would cost to cover `area`; 0 if it is free.
    pub(super) fn cost(&self, area: Rect) -> f64 {
        let covered = |&(a, b): &(Point, Point)| area.clip(a, b).map_or(0.0, |(a, b)| distance(a, b).max(0.05));
        let curves: f64 = self.pieces.iter().map(covered).sum();
        let words: f64 = self.boxes.iter().map(|taken| taken.overlap(&area)).sum();
        let outside = if self.frame.encloses(&area) { 0.0 } else { OUT_OF_FRAME };
        COVERED_CURVE * curves + COVERED_WORDS * words + outside
    }

    /// The cheapest place for words of this size beside a mark of this radius; it counts as occupied from then on.
    pub(super) fn beside(&mut self, mark: Point, radius: f64, width: f64, height: f64) -> Placed {
        let mut best = (
            f64::INFINITY,
            Placed {
                area: Rect::around(mark, radius),
                led: false,
            },
        );
        for (ring, gap) in GAPS.into_iter().enumerate() {
            for (rank, direction) in DIRECTIONS.into_iter().enumerate() {
                // Diagonal places may sit closer: the corner of the box is what comes near.
                let off = (radius + gap) * if direction.0 * direction.1 == 0.0 { 1.0 } else { 0.7 };
                let centre = (
                    mark.0 + direction.0 * (0.5 * width + off),
                    mark.1 + direction.1 * (0.5 * height + off),
                );
                let area = Rect::new(centre.0 - 0.5 * width, centre.1 - 0.5 * height, width, height);
                let led = ring >= FIRST_LED;
                let mut price = GAP_PRICE * gap + DIRECTION_PRICE * rank as f64;
                if price >= best.0 {
                    continue;
                }
                price += self.cost(area.grown(0.25));
                if led {
                    price += 1.0 + self.crossings(mark, area.nearest(mark), radius);
                }
                if price < best.0 {
                    best = (price, Placed { area, led });
                }
            }
        }
        self.boxes.push(best.1.area);
        best.1
    }

    /// The cheapest of some places and its cost.
    pub(super) fn cheapest(&self, places: &[Rect]) -> Option<(Rect, f64)> {
        places
            .iter()
            .map(|&area| (area, self.cost(area)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Price of a leader line that crosses curves or words.
    pub(super) fn crossings(&self, from: Point, to: Point, radius: f64) -> f64 {
        let length = distance(from, to);
        if length <= radius {
            return 0.0;
        }
        let start = radius / length + 0.1;
        let from = (from.0 + start * (to.0 - from.0), from.1 + start * (to.1 - from.1));
        let crossed = self.pieces.iter().filter(|&&(a, b)| cross(from, to, a, b)).count();
        let covered = self.boxes.iter().filter(|taken| taken.clip(from, to).is_some()).count();
        2.0 * crossed as f64 + 4.0 * covered as f64
    }
}

fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side = |p: Point, q: Point, r: Point| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// Places for a box inside a frame: corners first, then the middles of the sides and points between.
pub(super) fn inside_places(frame: Rect, width: f64, height: f64, gap: f64) -> Vec<Rect> {
    let across = |part: f64| frame.left + gap + part * (frame.width() - width - 2.0 * gap);
    let down = |part: f64| frame.top + gap + part * (frame.height() - height - 2.0 * gap);
    let spots = [
        (1.0, 0.0),
        (0.0, 0.0),
        (1.0, 1.0),
        (0.0, 1.0),
        (0.5, 0.0),
        (0.5, 1.0),
        (1.0, 0.5),
        (0.0, 0.5),
        (0.25, 0.0),
        (0.75, 0.0),
        (0.25, 1.0),
        (0.75, 1.0),
        (1.0, 0.25),
        (1.0, 0.75),
        (0.0, 0.25),
        (0.0, 0.75),
    ];
    spots
        .into_iter()
        .map(|(x, y)| Rect::new(across(x), down(y), width, height))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Rect = Rect {
        left: 0.0,
        top: 0.0,
        right: 60.0,
        bottom: 40.0,
    };

    #[test]
    fn a_lone_name_stands_at_the_upper_right() {
        let placed = Occupied::new(FRAME).beside((30.0, 20.0), 0.8, 4.0, 2.0);
        assert!(
            !placed.led && placed.area.left > 30.0 && placed.area.bottom < 20.0,
            "{placed:?}"
        );
    }

    #[test]
    fn names_stay_inside_and_off_curves_and_each_other() {
        let mut page = Occupied::new(FRAME);
        let curve: Vec<Point> = (0..200)
            .map(|k| f64::from(k) * 0.3)
            .map(|x| (x, 20.0 - 12.0 * (0.2 * x).sin()))
            .collect();
        page.add_line(&curve);
        let mut names: Vec<Rect> = Vec::new();
        for at in [1, 20, 26, 27, 120, 198] {
            let placed = page.beside(curve[at], 0.8, 4.0, 2.0);
            assert!(FRAME.encloses(&placed.area), "{placed:?}");
            assert!(
                curve
                    .windows(2)
                    .all(|pair| placed.area.clip(pair[0], pair[1]).is_none()),
                "{at}: {placed:?}"
            );
            assert!(
                names.iter().all(|other| other.overlap(&placed.area) == 0.0),
                "{at}: {placed:?}"
            );
            names.push(placed.area);
        }
    }

    #[test]
    fn legends_find_the_empty_corner() {
        let mut page = Occupied::new(FRAME);
        // Along the top and down the right side: of the free places the lower left is the only corner.
        page.add_line(&[(0.0, 2.0), (58.0, 2.0), (58.0, 40.0)]);
        let (area, cost) = page
            .cheapest(&inside_places(FRAME, 20.0, 10.0, 1.5))
            .unwrap_or((FRAME, 1.0));
        assert_eq!(cost, 0.0);
        assert_eq!((area.left, area.bottom), (1.5, 38.5));
    }
}
