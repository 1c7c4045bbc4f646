//! Zeros that hide between two points of a curve: a function that crosses zero and comes back has the same sign at
//! both.
//!
//! What a function may do between two neighbours is described by its values there and at the points before, by
//! polynomials of two degrees: where they agree that it only falls or only rises, or stays clear of zero by more than
//! they differ, nothing hides. Else it is evaluated where it comes nearest to zero, and the same is asked of both
//! halves; near a least value of a smooth function that converges fast. So two zeros are found at any distance that
//! rounding leaves, at the price of a point or two at each turn of a function next to zero.

use super::super::interpolate::MOST_TURN;
use super::super::{BranchPoint, Label, Record, TestSpec};
use super::one_way::OneWay;
use super::vanished::is_rounding;
use slipstick_continuation::Point;
use slipstick_numerics::roots::bracketed_root;
use std::convert::Infallible;

/// Into how many cells an interval is divided to see what polynomials do in it.
const CELLS: usize = 12;
/// A function that may come nearer to zero than this part of the smaller of its values at both ends is looked at.
const CLEAR: f64 = 0.1;
/// What polynomials of two degrees differ by, times this, is what the better of them may be wrong by.
const TRUST: f64 = 4.0;
/// New points keep this part of the interval away from its ends.
const INSIDE: f64 = 1e-4;
/// Values below this are rounding: a function that stays there along the curve has no zeros to be found.
pub(super) const NOISE: f64 = 1e-11;
/// A value that is this part of the largest around is a zero that is touched, to rounding.
const TOUCHED: f64 = 1e-11;
/// Where a test for branch points is expected to be smaller than this part of the largest value around, Newton's method
/// tells little of the curve.
const NEAR: f64 = 0.1;
/// Polynomials that are wrong by this part of the values at the ends, so often in a step, tell that a function is not
/// smooth: nothing is to be learnt of it.
const WRONG: f64 = 0.5;
const MOST_WRONG: usize = 3;
/// The highest order of a zero that is looked for.
pub(super) const MOST_ORDER: usize = 9;
/// Intervals are looked into down to this part of the step, and at so many points.
const NARROWEST: f64 = 1e-9;
const MOST_POINTS: usize = 40;
/// The points before that are made use of.
const EARLIER: usize = 2;
/// Beyond this turn, in radians, earlier points say little.
const EARLIER_TURN: f64 = 0.8;
/// A point in between lies nearer to the cubic through its neighbours than this part of the step, plus the turn of the
/// tangent: else the neighbours are on two curves.
const OFF: f64 = 0.02;

/// A point between two neighbours, or one of them.
pub(super) struct Sample {
    s: f64,
    pub(super) point: Point,
    pub(super) record: Record,
    values: Vec<f64>,
}

/// The points of a step between which no zeros hide.
pub(super) struct Resolved {
    pub(super) samples: Vec<Sample>,
    /// The test functions that touch zero, or cannot be evaluated next to where they may.
    pub(super) touched: Vec<usize>,
}

/// A polynomial through some nodes, in Newton's form.
struct Interpolant<'n> {
    nodes: &'n [(f64, f64)],
    coefficients: Vec<f64>,
}

impl<'n> Interpolant<'n> {
    fn through(nodes: &'n [(f64, f64)]) -> Self {
        let mut c: Vec<f64> = nodes.iter().map(|n| n.1).collect();
        for order in 1..c.len() {
            for i in (order..c.len()).rev() {
                c[i] = (c[i] - c[i - 1]) / (nodes[i].0 - nodes[i - order].0);
            }
        }
        Self { nodes, coefficients: c }
    }

    /// Value and slope of the polynomial through the first `count` nodes.
    fn at(&self, s: f64, count: usize) -> (f64, f64) {
        let (mut value, mut slope) = (0.0, 0.0);
        for i in (0..count).rev() {
            slope = slope * (s - self.nodes[i].0) + value;
            value = value * (s - self.nodes[i].0) + self.coefficients[i];
        }
        (value, slope)
    }
}

/// Does a function of this number keep its sign at all samples, and come so near to zero in between that it may touch
/// it? An eigenvalue that stays small along the curve does not come to what is rounding of others.
fn nearly(samples: &[Sample], function: usize) -> bool {
    /// As a part of the smaller of its values at the ends.
    const NEARLY: f64 = 1e-3;
    /// What rounding leaves of an eigenvalue, and an end that is more than that.
    const ROUNDING: f64 = 1e-14;
    const MORE: f64 = 1e-12;
    let value = |sample: &Sample| sample.values[function];
    let [first, .., last] = samples else { return false };
    let (a, b) = (value(first), value(last));
    let least = samples.iter().map(|s| value(s).abs()).fold(f64::INFINITY, f64::min);
    let end = a.abs().min(b.abs());
    let same = |s: &Sample| value(s) * a > 0.0 || value(s).abs() <= ROUNDING;
    a * b > 0.0 && samples.iter().all(same) && (least <= NEARLY * end || least <= ROUNDING && end > MORE)
}

/// Where zeros may hide between node `k` and the next, if they may, and what the polynomial expects there. `doubt` is
/// by how much it was wrong when it was asked last.
fn suspect(nodes: &[(f64, f64)], k: usize, doubt: f64) -> Option<(f64, f64)> {
    let ((a, ga), (b, gb)) = (nodes[k], nodes[k + 1]);
    if !(ga.is_finite() && gb.is_finite()) || nodes.iter().all(|n| !(n.1.abs() > NOISE)) {
        return None;
    }
    let width = b - a;
    // The two ends, then the nearest of the others.
    let away = |n: &(f64, f64)| (a - n.0).max(n.0 - b);
    let mut others: Vec<(f64, f64)> = nodes
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != k && *i != k + 1)
        .map(|(_, n)| *n)
        .collect();
    others.retain(|n| n.1.is_finite());
    others.sort_by(|x, y| away(x).total_cmp(&away(y)));
    others.truncate(2);
    let local: Vec<(f64, f64)> = [(a, ga), (b, gb)].into_iter().chain(others).collect();
    let count = local.len();
    if count == 2 {
        return Some((0.5 * (a + b), 0.5 * (ga + gb)));
    }
    let polynomial = Interpolant::through(&local);
    // Turned so that the first value is positive: then a pair of zeros needs a least value that is not.
    let sign = if ga == 0.0 { -gb.signum() } else { ga.signum() };
    let look = |s: f64| {
        let ((value, slope), (rough, rough_slope)) = (polynomial.at(s, count), polynomial.at(s, count - 1));
        Seen {
            s,
            value: sign * value,
            slope: sign * slope,
            error: (TRUST * (value - rough).abs()).max(doubt),
            slope_error: TRUST * (slope - rough_slope).abs(),
        }
    };
    let grid: Vec<Seen> = (0..=CELLS)
        .map(|cell| look(a + width * cell as f64 / CELLS as f64))
        .collect();
    let falls = grid.iter().all(|p| p.slope + p.slope_error < 0.0);
    let rises = grid.iter().all(|p| p.slope - p.slope_error > 0.0);
    if falls || rises {
        return None;
    }
    let uncertain = grid.iter().filter(|p| p.slope.abs() <= p.slope_error).copied();
    let turns = |up: bool| {
        let turn = grid
            .windows(2)
            .filter(move |w| w[0].slope * w[1].slope < 0.0 && (w[1].slope > 0.0) == up);
        turn.map(|w| look(level(&|s| look(s).slope, w[0].s, w[1].s)))
    };
    let places: Vec<Seen> = turns(true).chain(uncertain).collect();
    if ga * gb < 0.0 {
        // One zero is there: two more need a way back up through zero.
        let back = grid
            .iter()
            .copied()
            .chain(places.iter().copied())
            .filter(|p| p.slope + p.slope_error > 0.0);
        let near = back.min_by(|x, y| (x.value.abs() - x.error).total_cmp(&(y.value.abs() - y.error)))?;
        let hides = near.value.abs() - near.error <= CLEAR * ga.abs().max(gb.abs());
        // The middle of where they may be, if that is an end.
        let s = if near.s == a || near.s == b {
            0.5 * (a + b)
        } else {
            near.s
        };
        return hides.then(|| (s, sign * look(s).value));
    }
    let least = places
        .iter()
        .min_by(|x, y| (x.value - x.error).total_cmp(&(y.value - y.error)))?;
    let hides = least.value - least.error <= CLEAR * ga.abs().min(gb.abs());
    hides.then(|| {
        let s = least.s.max(a + INSIDE * width).min(b - INSIDE * width);
        (s, polynomial.at(s, count).0)
    })
}

/// May a function have a zero of higher order between two places, to judge by its values there and at a third one
/// before? Its root of that order, with a sign that changes at the zero, is smooth: a line goes through the three.
/// Polynomials of low degree say nothing of such a zero, next to which the function is no more than rounding.
fn is_flat(before: (f64, f64), [a, b]: [(f64, f64); 2]) -> bool {
    /// The slopes of the two parts of the line agree within this factor.
    const SMOOTH: f64 = 1.5;
    // Of values that have become zero the sign is not known.
    let fits = |order: &usize| a.1 * b.1 == 0.0 || (order % 2 == 1) == (a.1 * b.1 < 0.0);
    (3..=MOST_ORDER).filter(fits).any(|order| {
        let root = |v: f64| v.abs().powf(1.0 / order as f64);
        let arrives = (root(before.1) - root(a.1)) / (a.0 - before.0);
        let passes = (root(a.1) + root(b.1)) / (b.0 - a.0);
        before.1 * a.1 >= 0.0 && passes <= SMOOTH * arrives && arrives <= SMOOTH * passes
    })
}

/// What polynomials say of a function at a place, and how far they differ.
#[derive(Clone, Copy)]
struct Seen {
    s: f64,
    value: f64,
    slope: f64,
    error: f64,
    slope_error: f64,
}

/// Where a function of different signs at `a` and `b` is zero.
fn level(g: &dyn Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let (ga, gb) = (g(a), g(b));
    let found = bracketed_root(a, ga, b, gb, 1e-12 * (b - a), |s| Ok::<_, Infallible>(g(s)));
    found.unwrap_or(0.5 * (a + b))
}

impl OneWay<'_> {
    /// The functions whose zeros are special: the tests, then the rate of the parameter.
    pub(super) fn test_values(&self, point: &Point, record: &Record) -> Vec<f64> {
        let weight = point.weights.last().copied().unwrap_or(1.0);
        let rate = point.parameter_rate() * weight.sqrt();
        let test = |(v, spec): (&f64, &TestSpec)| if spec.at_folds { v / (rate * rate) } else { *v };
        let mut values: Vec<f64> = record.tests.iter().zip(&self.tests).map(test).collect();
        values.push(if self.folds { rate } else { f64::NAN });
        values
    }

    /// Points between `base` and `next` next to each other so closely that no function that is watched crosses zero
    /// twice between two of them; `found` are the points so far. None where `next` is on another curve than `base`.
    pub(super) fn resolve(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        found: &[BranchPoint],
    ) -> Option<Resolved> {
        let h = base.arclength_to(next);
        let sample = |s: f64, point: &Point, record: &Record, values: Vec<f64>| Sample {
            s,
            point: point.clone(),
            record: record.clone(),
            values,
        };
        let mut samples = vec![
            sample(0.0, base, before, self.test_values(base, before)),
            sample(h, next, record, self.test_values(next, record)),
        ];
        let resolved = |samples: Vec<Sample>, touched: Vec<usize>| Some(Resolved { samples, touched });
        if self.family || !(h > 0.0) {
            return resolved(samples, vec![]);
        }
        let earlier = self.earlier(base, found);
        let flat = self.continuum.is_some()
            || next.stays_at_parameter() && base.stays_at_parameter()
            || self.is_blurred(base, next);
        let test_values = samples[0].values.len();
        let mut touched: Vec<usize> = vec![];
        for function in 0..test_values {
            let of_rate = function + 1 == test_values || self.tests[function].label == Label::BP;
            if of_rate && flat {
                continue;
            }
            let mut known: Vec<(f64, f64)> = earlier.iter().map(|(s, values)| (*s, values[function])).collect();
            known.reverse();
            let first = known.len();
            let crossing = self.tests.get(function).is_some_and(|t| t.label == Label::BP);
            let ends = [
                (0.0, samples[0].values[function]),
                (h, samples[samples.len() - 1].values[function]),
            ];
            if crossing && base.meshes.is_none() && known.last().is_some_and(|before| is_flat(*before, ends)) {
                touched.push(function);
            }
            let rounding = |sample: Option<&Sample>| sample.is_some_and(|s| is_rounding(&s.record, function, found));
            if crossing && !touched.contains(&function) && rounding(samples.first()) && rounding(samples.last()) {
                // It has vanished on the way.
                let mut values = found.iter().filter_map(|p| p.record.tests.get(function));
                if base.meshes.is_none() && values.any(|v| v.abs() > NOISE) {
                    touched.push(function);
                }
            }
            let (mut k, mut doubt, mut wrong) = (0, 0.0, 0);
            while k + 1 < samples.len() {
                if samples.len() >= MOST_POINTS {
                    touched.push(function);
                    break;
                }
                let mut nodes = known.clone();
                nodes.extend(samples.iter().map(|p| (p.s, p.values[function])));
                let width = samples[k + 1].s - samples[k].s;
                let place = suspect(&nodes, first + k, doubt);
                if place.is_some() && width <= NARROWEST * h {
                    touched.push(function);
                    break;
                }
                // On meshes points are dear: without any before, only what is near zero is looked at.
                let far = nodes.len() == 2 && base.meshes.is_some() && {
                    let (a, b) = (nodes[0].1, nodes[1].1);
                    a * b > 0.0 && a.abs().min(b.abs()) > 10.0 * (a - b).abs()
                };
                let Some((s, guess)) = place.filter(|_| !far) else {
                    k += 1;
                    continue;
                };
                let largest = nodes.iter().fold(0.0f64, |m, n| m.max(n.1.abs()));
                let tracked = (crossing && guess.abs() <= NEAR * largest)
                    .then(|| self.track(s))
                    .flatten();
                let found = match tracked {
                    Some(track) => self.on_track(&track, s),
                    None => self.curve.between(base, s).and_then(|point| {
                        let mut measured = Record::default();
                        self.curve.problem().inspect(&point, &mut measured)?;
                        Ok((point, measured))
                    }),
                };
                let Ok((point, measured)) = found else {
                    touched.push(function);
                    break;
                };
                let turn = base.turn_to(&point);
                if turn > MOST_TURN {
                    touched.push(function);
                    break;
                }
                let expected = Point {
                    z: base.cubic(next, s),
                    ..base.clone()
                };
                if expected.distance(&point) > (OFF + turn.max(base.turn_to(next))) * h {
                    if self.may_step_back() {
                        return None;
                    }
                    touched.push(function);
                    break;
                }
                let values = self.test_values(&point, &measured);
                let zero = values[function].abs() <= TOUCHED * largest;
                doubt = (values[function] - guess).abs();
                let ends = samples[k].values[function]
                    .abs()
                    .max(samples[k + 1].values[function].abs());
                wrong += usize::from(doubt > WRONG * ends);
                samples.insert(k + 1, sample(s, &point, &measured, values));
                // What is known now may cast doubt on the interval before.
                k = k.saturating_sub(1);
                if zero && !touched.contains(&function) {
                    touched.push(function);
                }
                // A zero of high order is no polynomial of low degree.
                if wrong == MOST_WRONG && crossing && !touched.contains(&function) {
                    touched.push(function);
                }
                if zero || wrong == MOST_WRONG {
                    break;
                }
            }
            if !self.folds
                && !record.eigenvalues.is_empty()
                && !touched.contains(&function)
                && nearly(&samples, function)
            {
                touched.push(function);
            }
        }
        resolved(samples, touched)
    }

    /// What is watched at the points before `base`, at their arclengths from it, nearest first.
    fn earlier(&self, base: &Point, found: &[BranchPoint]) -> Vec<(f64, Vec<f64>)> {
        let earlier_curve = self.curve.earlier();
        let before = found.iter().rev().filter(|p| p.label.is_none()).skip(1).take(EARLIER);
        let mut last = 0.0;
        let mut earlier = vec![];
        for (i, known) in before.enumerate() {
            let same = |p: &&Point| p.z.len() == base.z.len() && p.meshes == base.meshes;
            let Some(at) = earlier_curve.get(i).filter(same).or(Some(&known.point).filter(same)) else {
                break;
            };
            let s = base.arclength_to(at);
            if !(s < last) || base.turn_to(at) > EARLIER_TURN {
                break;
            }
            last = s;
            earlier.push((s, self.test_values(&known.point, &known.record)));
        }
        earlier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks until nothing is suspected; the number of new nodes, and of sign changes.
    fn resolve(g: impl Fn(f64) -> f64, mut nodes: Vec<(f64, f64)>) -> (usize, usize) {
        let first = nodes.len();
        let (mut k, mut doubt) = (first - 2, 0.0);
        while k + 1 < nodes.len() && nodes.len() < 60 {
            match suspect(&nodes, k, doubt).filter(|_| nodes[k + 1].0 - nodes[k].0 > NARROWEST) {
                Some((s, guess)) => {
                    doubt = (g(s) - guess).abs();
                    nodes.insert(k + 1, (s, g(s)));
                    k = (k - 1).max(first - 2);
                }
                None => k += 1,
            }
        }
        let changes = nodes.windows(2).filter(|w| w[0].1 * w[1].1 < 0.0).count();
        (nodes.len() - first, changes)
    }

    #[test]
    fn pairs_are_found_at_any_distance_and_little_is_spent_elsewhere() {
        let at = |g: &dyn Fn(f64) -> f64| [-0.5, -0.3, 0.0, 0.4].map(|s| (s, g(s))).to_vec();
        for distance in [0.1, 1e-3, 1e-5, 1e-6] {
            let g = |s: f64| (s - 0.23) * (s - 0.23 - distance) * (2.0 + s.sin()) * (0.3 * s).exp();
            let (spent, changes) = resolve(g, at(&g));
            assert!(changes == 2 && spent <= 12, "{distance}: {changes} with {spent}");
        }
        for gap in [1e-2, 1e-5] {
            let g = |s: f64| ((s - 0.23).powi(2) + gap) * (2.0 + s.sin());
            let (spent, changes) = resolve(g, at(&g));
            assert!(changes == 0 && spent <= 8, "{gap}: {changes} with {spent}");
        }
        let plain: [&dyn Fn(f64) -> f64; 4] = [&|s| 1.0 - s, &|s| (0.2 - s).sin(), &|s| 1.0 + s.cos(), &|s| {
            (1.0 + s).ln() - 2.0
        }];
        for g in plain {
            assert_eq!(resolve(g, at(g)).0, 0);
        }
    }
}
