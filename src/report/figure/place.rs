//! Where words go so that they cover nothing: legends and insets in the emptiest place, and what is free for names.

use super::geometry::{Point, Rect, distance};

/// What is already on the page inside one frame.
#[derive(Clone, Debug)]
pub(super) struct Occupied {
    frame: Rect,
    pieces: Vec<(Point, Point)>,
    /// Which pieces come into each square of the frame; what lies outside counts to the squares at its edge.
    squares: Vec<Vec<usize>>,
    columns: usize,
    boxes: Vec<Rect>,
    /// Which boxes reach into each square.
    boxed: Vec<Vec<usize>>,
}

/// Columns and rows, from and to.
type Reach = ((usize, usize), (usize, usize));

/// Side of the squares in millimetres.
const SQUARE: f64 = 2.0;

/// Price of covering a millimetre of curve, a square millimetre of words, and of leaving the frame.
const COVERED_CURVE: f64 = 4.0;
const COVERED_WORDS: f64 = 40.0;
const OUT_OF_FRAME: f64 = 1e3;

impl Occupied {
    pub(super) fn new(frame: Rect) -> Self {
        let count = |length: f64| (length / SQUARE).ceil().max(1.0) as usize;
        let columns = count(frame.width());
        Self {
            frame,
            pieces: Vec::new(),
            squares: vec![Vec::new(); columns * count(frame.height())],
            boxed: vec![Vec::new(); columns * count(frame.height())],
            columns,
            boxes: Vec::new(),
        }
    }

    /// The squares from and to these columns and rows.
    fn squares(&self, ((left, right), (top, bottom)): Reach) -> impl Iterator<Item = usize> + use<> {
        let columns = self.columns;
        (top..=bottom).flat_map(move |row| (left..=right).map(move |column| row * columns + column))
    }

    /// The squares that a box reaches into: from and to, columns and rows.
    fn reached(&self, area: Rect) -> Reach {
        let at = |place: f64, count: usize| ((place / SQUARE).floor().max(0.0) as usize).min(count - 1);
        let rows = self.squares.len() / self.columns;
        (
            (
                at(area.left - self.frame.left, self.columns),
                at(area.right - self.frame.left, self.columns),
            ),
            (
                at(area.top - self.frame.top, rows),
                at(area.bottom - self.frame.top, rows),
            ),
        )
    }

    pub(super) fn frame(&self) -> Rect {
        self.frame
    }

    pub(super) fn add_line(&mut self, line: &[Point]) {
        for pair in line.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let around = Rect {
                left: a.0.min(b.0),
                right: a.0.max(b.0),
                top: a.1.min(b.1),
                bottom: a.1.max(b.1),
            };
            for at in self.squares(self.reached(around)) {
                self.squares[at].push(self.pieces.len());
            }
            self.pieces.push((a, b));
        }
    }

    pub(super) fn add_box(&mut self, area: Rect) {
        for at in self.squares(self.reached(area)) {
            self.boxed[at].push(self.boxes.len());
        }
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

    /// Whether words may stand in `area`, with this much room around them.
    pub(super) fn is_free(&self, area: Rect, room: f64) -> bool {
        let grown = area.grown(room);
        let reach = self.reached(grown);
        let taken = |&at: &usize| self.boxes[at].overlap(&grown) > 0.0;
        let crossed = |&at: &usize| {
            let (a, b) = self.pieces[at];
            grown.clip(a, b).is_some()
        };
        self.frame.encloses(&area)
            && self
                .squares(reach)
                .all(|square| !self.boxed[square].iter().any(taken) && !self.squares[square].iter().any(crossed))
    }

    /// The cheapest of some places and its cost.
    pub(super) fn cheapest(&self, places: &[Rect]) -> Option<(Rect, f64)> {
        places
            .iter()
            .map(|&area| (area, self.cost(area)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// How many curves and how many words a line leads across.
    pub(super) fn crossed(&self, from: Point, to: Point) -> (usize, usize) {
        let curves = self.pieces.iter().filter(|&&(a, b)| cross(from, to, a, b)).count();
        let words = self.boxes.iter().filter(|taken| taken.clip(from, to).is_some()).count();
        (curves, words)
    }

    /// Price of a line that crosses curves or words.
    pub(super) fn crossings(&self, from: Point, to: Point) -> f64 {
        let (curves, words) = self.crossed(from, to);
        2.0 * curves as f64 + 4.0 * words as f64
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
