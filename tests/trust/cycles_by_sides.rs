//! Cycles of piecewise-linear maps: each sequence of sides of the border has one at most, in closed form, and a search
//! finds all of those that there are.

use super::known::{none_wrong, run};
use super::random::{Coordinates, Random, members};
use nalgebra::{DMatrix, DVector};
use slipstick_study::RunResult;

/// x+ = A x + e where the first state is negative, B x + e beyond; both matrices are companions.
struct NormalForm {
    sides: [DMatrix<f64>; 2],
}

impl NormalForm {
    fn random(random: &mut Random, n: usize) -> Self {
        let mut companion = || {
            DMatrix::from_fn(n, n, |r, c| match c {
                0 => random.between(-1.0, 1.0) * [3.0, 1.5, 0.8][r],
                _ if c == r + 1 => 1.0,
                _ => 0.0,
            })
        };
        let sides = [companion(), companion()];
        Self { sides }
    }

    /// The points of the cycle with these sides, and how far the nearest of them is from the border on its side.
    fn cycle(&self, word: &[usize]) -> Option<(Vec<DVector<f64>>, f64)> {
        let n = self.sides[0].nrows();
        let push = DVector::from_fn(n, |r, _| if r == 0 { 1.0 } else { 0.0 });
        let (mut matrix, mut constant) = (DMatrix::identity(n, n), DVector::zeros(n));
        for &side in word {
            matrix = &self.sides[side] * matrix;
            constant = &self.sides[side] * constant + &push;
        }
        let mut x = (DMatrix::identity(n, n) - matrix).lu().solve(&constant)?;
        let (mut points, mut margin) = (vec![], f64::INFINITY);
        for &side in word {
            margin = margin.min(if side == 1 { x[0] } else { -x[0] });
            points.push(x.clone());
            x = &self.sides[side] * x + &push;
        }
        Some((points, margin))
    }

    /// The sequences of sides of all cycles of so many points, less those that come near to the border.
    fn cycles(&self, length: usize) -> Vec<Vec<usize>> {
        /// How near, relative to the size of the points.
        const BESIDE: f64 = 1e-2;
        let is_there = |word: &Vec<usize>| {
            self.cycle(word).is_some_and(|(points, margin)| {
                let size = points.iter().fold(1.0, |m: f64, x| m.max(x.amax()));
                margin > BESIDE * size
            })
        };
        words(length).into_iter().filter(is_there).collect()
    }
}

/// The sequences of so many sides that do not repeat a shorter one, one of those that differ by where they begin.
fn words(length: usize) -> Vec<Vec<usize>> {
    let all = (0..1usize << length).map(|bits| (0..length).map(|i| bits >> i & 1).collect::<Vec<_>>());
    all.filter(|word| (1..length).all(|k| word[..] < [&word[k..], &word[..k]].concat()[..]))
        .collect()
}

/// The sequences of sides of the cycles at a value of the parameter, each from its least beginning.
fn found(result: &RunResult, level: f64, length: usize, c: &Coordinates) -> Vec<Vec<usize>> {
    let side = |x: &[f64]| -> usize { usize::from(c.inverse[0].iter().zip(x).map(|(a, x)| a * x).sum::<f64>() > 0.0) };
    let n = c.inverse.len();
    let mut all = vec![];
    for piece in result.curves.iter().flat_map(|curve| &curve.pieces) {
        for pair in piece.branch.points.windows(2) {
            let (a, b) = (&pair[0].point, &pair[1].point);
            let (from, to) = (a.parameter() - level, b.parameter() - level);
            if from * to > 0.0 || a.z.len() != b.z.len() {
                continue;
            }
            let part = if from == to { 0.0 } else { from / (from - to) };
            let z: Vec<f64> = a.z.iter().zip(&b.z).map(|(x, y)| x + part * (y - x)).collect();
            let word: Vec<usize> = z[..n * length].chunks(n).map(side).collect();
            all.extend((0..length).map(|k| [&word[k..], &word[..k]].concat()).min());
        }
    }
    all
}

/// Wherever they are, however far the motion from the start runs off, and in whatever coordinates.
#[test]
fn searches_find_the_cycles_of_all_sequences_of_sides() {
    let class = "cycles by sides";
    let count = members(60);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        // One map in eight has cycles of a given length: one that has is drawn.
        let (form, length, known) = std::iter::repeat_with(|| {
            let n = 2 + random.below(2);
            let (form, length) = (NormalForm::random(&mut random, n), 2 + random.below(5));
            let known = form.cycles(length);
            (form, length, known)
        })
        .find(|(_, _, known)| !known.is_empty())
        .unwrap();
        let n = form.sides[0].nrows();
        let c = match random.below(2) {
            0 => Coordinates::random(&mut random, n, [1.0, 0.0, 0.0]),
            _ => Coordinates::plain(n),
        };
        let written = random.below(3);
        let fields: Vec<String> = (0..n)
            .map(|r| {
                let [a, b] = [0, 1].map(|side: usize| form.sides[side][(r, 0)]);
                let a = if r == 0 {
                    format!("({a:?} + q)")
                } else {
                    format!("({a:?})")
                };
                let terms = match written {
                    0 => format!("{a}*min(u1, 0) + ({b:?})*max(u1, 0)"),
                    1 => format!("if(u1 < 0, {a}*u1, ({b:?})*u1)"),
                    _ => format!("0.5*({a} + ({b:?}))*u1 + 0.5*(({b:?}) - {a})*abs(u1)"),
                };
                let next = if r + 1 < n {
                    format!(" + u{}", r + 2)
                } else {
                    String::new()
                };
                format!("{terms}{next}{}", if r == 0 { " + 1" } else { "" })
            })
            .collect();
        let level = c.p(0.0);
        let text = format!(
            "Study(title: \"sides\", system: {}, curves: [Curve(name: \"c\", orbit: Cycle({length}), start: All(at: {{\"p\": {level:?}}}), \
             free: \"p\", range: ({:?}, {:?}))])",
            c.map(&fields, 0.0),
            c.p(-0.3),
            c.p(0.3)
        );
        let found = found(&run(&text), level, length, &c);
        let missed: Vec<&Vec<usize>> = known.iter().filter(|word| !found.contains(word)).collect();
        if !missed.is_empty() {
            wrong.push((member, format!("no {missed:?} in {found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
