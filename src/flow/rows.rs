//! Where the rows of the table of a motion stand: as close as those need them who join them by polynomials.

use slipstick_system::{Function, System};
use std::rc::Rc;

/// A cubic with the values and the rates of two rows may leave the motion by this part of the range of each state.
/// Polynomials with more derivatives are far better where it does not.
const OFF: f64 = 1e-5;
/// And by so many rounding errors of the state.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// The distance of two rows is halved at most so often.
const HALVINGS: usize = 40;
/// So many times the rows asked for are the most of a table.
pub const MOST: usize = 10;

/// A segment of a motion, known everywhere.
///
/// ```
/// use slipstick_flow::rows::{DenseSegment, joined};
/// use slipstick_flow::{FlowOptions, ModeFlow};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let (slip, start) = (system.mode("slip-").unwrap(), [0.5, -0.1, -0.5]);
/// let p = system.default_parameters();
/// let path = ModeFlow::new(&system, slip, FlowOptions::default()).path(&start, 6.0, &p)?;
/// let segment = DenseSegment {
///     mode: slip,
///     states: Box::new(|t, x| path.eval(t, x)),
///     nodes: path.nodes(),
/// };
/// let row = |t: f64| {
///     let mut x = start.to_vec();
///     path.eval(t, &mut x);
///     (t, x)
/// };
/// let (rows, enough) = joined(&system, &p, &[segment], vec![vec![row(0.0), row(3.0), row(6.0)]], 1000);
/// assert!(enough && rows[0].len() > 20 && rows[0].is_sorted_by(|a, b| a.0 < b.0));
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
pub struct DenseSegment<'a> {
    /// Its mode.
    pub mode: usize,
    /// The states of the mode at a time since its start.
    pub states: Box<dyn Fn(f64, &mut [f64]) + 'a>,
    /// Times that resolve it.
    pub nodes: Vec<f64>,
}

/// A segment with what its rows are judged by.
struct DenseTrajectory<'a> {
    states: &'a dyn Fn(f64, &mut [f64]),
    field: &'a dyn Function,
    nodes: &'a [f64],
    /// The ranges over the whole motion of the states that it has.
    ranges: Vec<f64>,
}

/// A time since the start of a segment, and the states then.
pub type Row = (f64, Vec<f64>);

/// A row with the rates of its states.
struct Known {
    t: f64,
    x: Vec<f64>,
    rates: Vec<f64>,
}

impl Known {
    fn of(trajectory: &DenseTrajectory<'_>, p: &[f64], (t, x): Row) -> Rc<Self> {
        let mut rates = vec![0.0; x.len()];
        trajectory.field.value(&x, p, &mut rates);
        Rc::new(Self { t, x, rates })
    }
}

/// Two neighbouring rows of a segment.
struct Pair {
    segment: usize,
    ends: [Rc<Known>; 2],
}

impl Pair {
    fn middle(&self) -> f64 {
        0.5 * (self.ends[0].t + self.ends[1].t)
    }

    /// How far the cubic leaves the motion, in units of what it may: in the middle, and at the nodes between, for a
    /// jump may be over before the middle.
    fn off(&self, trajectory: &DenseTrajectory<'_>) -> f64 {
        let [a, b] = &self.ends;
        let between = trajectory.nodes.partition_point(|&t| t <= a.t)..trajectory.nodes.partition_point(|&t| t < b.t);
        let nodes = trajectory.nodes.get(between).unwrap_or_default();
        let (h, mut x) = (b.t - a.t, vec![0.0; a.x.len()]);
        let mut most = 0.0f64;
        for &t in std::iter::once(&self.middle()).chain(nodes) {
            (trajectory.states)(t, &mut x);
            let s = (t - a.t) / h;
            let (from, to) = ((1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s), s * s * (3.0 - 2.0 * s));
            let (leaves, arrives) = (s * (1.0 - s) * (1.0 - s) * h, s * s * (s - 1.0) * h);
            for (i, x) in x.iter().enumerate() {
                let cubic = from * a.x[i] + to * b.x[i] + leaves * a.rates[i] + arrives * b.rates[i];
                let allowed = OFF * trajectory.ranges[i] + ROUNDING * x.abs().max(f64::MIN_POSITIVE);
                let off = (cubic - x).abs() / allowed;
                // What is not finite tells nothing.
                most = if off.is_finite() { most.max(off) } else { most };
            }
        }
        most
    }
}

/// The `rows` of the segments of a motion with those between them that polynomials need to follow it from row to row,
/// not more than `most` in all: the worst places get theirs first. Are these enough?
pub fn joined(
    system: &System,
    p: &[f64],
    segments: &[DenseSegment<'_>],
    rows: Vec<Vec<Row>>,
    most: usize,
) -> (Vec<Vec<Row>>, bool) {
    let mut bounds = vec![(f64::INFINITY, f64::NEG_INFINITY); system.states.len()];
    for (segment, rows) in segments.iter().zip(&rows) {
        let mut take = |x: &[f64]| {
            let full = system.full_state(segment.mode, x, p);
            for (bound, v) in bounds.iter_mut().zip(full) {
                *bound = (bound.0.min(v), bound.1.max(v));
            }
        };
        rows.iter().for_each(|row| take(&row.1));
        // Between rows at equal distances states may be far larger than at any of those.
        let mut x = vec![0.0; system.modes[segment.mode].states.len()];
        for &t in &segment.nodes {
            (segment.states)(t, &mut x);
            take(&x);
        }
    }
    let trajectories: Vec<DenseTrajectory<'_>> = segments
        .iter()
        .map(|segment| {
            let mode = &system.modes[segment.mode];
            let range = |&i: &usize| (bounds[i].1 - bounds[i].0).max(0.0);
            DenseTrajectory {
                states: segment.states.as_ref(),
                field: mode.field.as_ref(),
                nodes: &segment.nodes,
                ranges: mode.states.iter().map(range).collect(),
            }
        })
        .collect();
    placed(&trajectories, p, rows, most)
}

/// The same, where the ranges are known.
fn placed(trajectories: &[DenseTrajectory<'_>], p: &[f64], rows: Vec<Vec<Row>>, most: usize) -> (Vec<Vec<Row>>, bool) {
    let mut enough = true;
    let mut left = most.saturating_sub(rows.iter().map(Vec::len).sum());
    let mut found: Vec<Vec<Rc<Known>>> = vec![];
    for (trajectory, rows) in trajectories.iter().zip(rows) {
        found.push(rows.into_iter().map(|row| Known::of(trajectory, p, row)).collect());
    }
    let pairs_of = |(segment, rows): (usize, &Vec<Rc<Known>>)| {
        let pair = |two: &[Rc<Known>]| Pair {
            segment,
            ends: [two[0].clone(), two[1].clone()],
        };
        rows.windows(2).map(pair).collect::<Vec<_>>()
    };
    let mut pairs: Vec<Pair> = found.iter().enumerate().flat_map(pairs_of).collect();
    for _ in 0..HALVINGS {
        let far = |pair: Pair| {
            let (off, middle) = (pair.off(&trajectories[pair.segment]), pair.middle());
            (off > 1.0 && pair.ends[0].t < middle && middle < pair.ends[1].t).then_some((off, pair))
        };
        let mut open: Vec<(f64, Pair)> = pairs.drain(..).filter_map(far).collect();
        if open.len() > left {
            open.sort_by(|a, b| b.0.total_cmp(&a.0));
            open.truncate(left);
            enough = false;
        }
        left -= open.len();
        for (_, pair) in open {
            let (segment, t) = (pair.segment, pair.middle());
            let trajectory = &trajectories[segment];
            let mut x = vec![0.0; pair.ends[0].x.len()];
            (trajectory.states)(t, &mut x);
            let row = Known::of(trajectory, p, (t, x));
            found[segment].push(row.clone());
            let [a, b] = pair.ends;
            pairs.extend([[a, row.clone()], [row, b]].map(|ends| Pair { segment, ends }));
        }
        if pairs.is_empty() {
            break;
        }
    }
    let in_order = |mut rows: Vec<Rc<Known>>| {
        rows.sort_by(|a, b| a.t.total_cmp(&b.t));
        rows.iter().map(|row| (row.t, row.x.clone())).collect()
    };
    (found.into_iter().map(in_order).collect(), enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipstick_numerics::scalar::Scalar;
    use slipstick_system::Formula;

    /// The rates of a step of this steepness at 0.43, by time as a state of its own.
    struct Step;
    impl Formula for Step {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            let s = ((x[0] - 0.43) * p[0]).tanh();
            out[0] = T::from_f64(1.0);
            out[1] = (T::from_f64(1.0) - s * s) * p[0];
        }
    }

    #[test]
    fn a_jump_gets_the_rows_that_it_needs_and_a_line_none() {
        for steep in [1e-3, 1e2, 1e4, 1e6] {
            let at = |t: f64, x: &mut [f64]| x.copy_from_slice(&[t, ((t - 0.43) * steep).tanh()]);
            let row = |i: usize| {
                let mut x = vec![0.0; 2];
                at(i as f64 / 100.0, &mut x);
                (x[0], x)
            };
            let rows: Vec<Row> = (0..=100).map(row).collect();
            let trajectory = DenseTrajectory {
                states: &at,
                field: &Step,
                nodes: &[0.0, 0.43, 0.43 + 0.5 / steep.max(1.0), 1.0],
                ranges: vec![1.0, 2.0f64.min(steep)],
            };
            let found = placed(&[trajectory], &[steep], vec![rows.clone()], 1000).0.remove(0);
            assert!(found.windows(2).all(|w| w[0].0 < w[1].0));
            if steep < 1.0 {
                assert_eq!(found, rows);
                continue;
            }
            assert!(found.len() < 500, "{}", found.len());
            let mut x = [0.0; 2];
            for w in found.windows(2) {
                let h = w[1].0 - w[0].0;
                at(0.5 * (w[0].0 + w[1].0), &mut x);
                let rate = |t: f64| steep * (1.0 - ((t - 0.43) * steep).tanh().powi(2));
                let cubic = 0.5 * (w[0].1[1] + w[1].1[1]) + 0.125 * h * (rate(w[0].0) - rate(w[1].0));
                assert!((cubic - x[1]).abs() <= 3e-5, "{steep} {}", w[0].0);
            }
        }
    }

    #[test]
    fn rows_are_bounded_and_the_worst_places_come_first() {
        let steep = 1e4;
        let at = |t: f64, x: &mut [f64]| x.copy_from_slice(&[t, ((t - 0.43) * steep).tanh()]);
        let row = |i: usize| {
            let mut x = vec![0.0; 2];
            at(i as f64 / 10.0, &mut x);
            (x[0], x)
        };
        let rows: Vec<Row> = (0..=10).map(row).collect();
        let trajectory = DenseTrajectory {
            states: &at,
            field: &Step,
            nodes: &[],
            ranges: vec![1.0, 2.0],
        };
        let found = placed(&[trajectory], &[steep], vec![rows], 40).0.remove(0);
        assert_eq!(found.len(), 40);
        assert!(found.iter().filter(|row| (row.0 - 0.43).abs() < 0.01).count() > 15);
    }
}
