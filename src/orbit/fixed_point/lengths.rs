//! Lengths over which the equations change, for states that are zero and tell no size of their own.

use super::corner_distance::{margin_gradient, margins_of};
use super::{FixedPoint, guards, measure};
use nalgebra::DMatrix;
use slipstick_continuation::Problem;
use slipstick_numerics::linalg::eigen::Balanced;
use slipstick_numerics::linalg::singular::Singular;
use slipstick_system::{Jacobian, System};
use std::f64::consts::TAU;

/// The derivatives are looked at this many states at most: where there are more, those that are zero count as the
/// largest of the others.
const MOST_STATES: usize = 40;
/// Lengths are looked for between these powers of ten, first by thousands, then by tens.
const DECADES: (i32, i32) = (-60, 60);
const STRIDE: usize = 3;
/// And once more by tens from so many below.
const MISSED: i32 = 5;
const SEVERAL: [f64; 3] = [1.0, 2.2, 4.6];
/// The derivatives have changed when one of them differs by this part of the largest.
const CHANGE: f64 = 0.5;
/// Where numbers overflow, functions that saturate have done so within lengths down to this part of it.
const SATURATED: f64 = 1e-90;
/// States that are this part of their change by the parameter are zero.
const ZERO: f64 = 1e-8;
/// States that are this part of the region that they were looked for in are zero, where the equations tell no length.
const NOTHING_LEFT: f64 = 1e-12;
/// So far away that is no length of the equations.
const OVERFLOW: f64 = 1e12;
/// A derivative that is this part of the largest acts by nothing.
const NOTHING: f64 = 1e-14;
/// A derivative that is this part of what it usually is vanishes.
const VANISHES: f64 = 1e-6;
/// Other values of the parameter are so far away, in parts of its size. Not all of it: that would be zero, where poles
/// of the equations often reach zero with it.
const AWAY: f64 = 0.6;

impl FixedPoint<'_> {
    /// Measure, for each state, the shortest length by which it must change for the derivatives of the equations to
    /// change by as much as they are. They are compared with those here and at other values of the parameter too, since
    /// here they may vanish.
    pub(super) fn measure_lengths(&mut self, z: &[f64]) {
        // A curve that goes on beyond a corner keeps the lengths that it came with: at the corner itself derivatives
        // may vanish.
        if self.goes_on && self.lengths.is_some() {
            return;
        }
        let usual = self.usual_size(z);
        let known = self.known_lengths(z, false).into_iter().enumerate();
        let lengths = known.map(|(c, known)| {
            known
                .or_else(|| self.length_at_zero(z, c, usual))
                .or(usual)
                .unwrap_or(1.0)
        });
        self.lengths = Some(lengths.collect());
        self.choose_origins(z);
    }

    /// Where all equations are proportional to the states and these were looked for in a region, nothing but rounding
    /// is left of them, and that has no size of its own: the length is that to the nearest corner, or all of the
    /// region.
    fn length_at_zero(&self, z: &[f64], c: usize, usual: Option<f64>) -> Option<f64> {
        let width = *self.searched.get(c)?;
        if usual.is_some_and(|usual| usual > NOTHING_LEFT * width) {
            return None;
        }
        let to_corner = self.one_sided.first().map(|one_sided| {
            let margins = margins_of(self, z, 0);
            let active = (0..margins.len()).filter(|&k| one_sided.active[k]);
            let distances = active.map(|k| (margins[k] / margin_gradient(self, z, (0, k))[c]).abs());
            distances
                .filter(|d| *d > NOTHING_LEFT * width)
                .fold(f64::INFINITY, f64::min)
        });
        Some(to_corner.unwrap_or(f64::INFINITY).min(width))
    }

    /// The same for each state whose length the equations tell: to a power of ten, or as it is.
    fn known_lengths(&self, z: &[f64], as_it_is: bool) -> Vec<Option<f64>> {
        let n = self.n;
        if n > MOST_STATES {
            vec![None; n]
        } else {
            let parameters = parameters_nearby(self, z);
            let slopes = parameters.map(|p| slopes_at(self, z, None, p));
            let largest_slopes: Vec<f64> = (0..n * n)
                .map(|i| slopes.iter().flatten().fold(0.0, |m: f64, s| m.max(s[i].abs())))
                .collect();
            let measure = |usual: &Usual| -> Vec<Option<f64>> {
                let of_state = |c| length_of(self, z, c, (&parameters, &slopes), (usual, as_it_is));
                (0..n).map(of_state).collect()
            };
            let reference = largest_slopes.iter().copied().fold(0.0, f64::max);
            let mut measured = measure(&Usual::of(
                &largest_slopes,
                &nearby_slopes(self, z, &largest_slopes),
                reference,
            ));
            let shortest = measured.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            if let Some(usual) = slope_within_parameter(self, z, &parameters, reference * shortest)
                && reference <= VANISHES * usual
            {
                measured = measure(&Usual::everywhere(usual, n));
            }
            // Where a derivative vanishes here, as at a fold, it tells no length: what it becomes within the lengths
            // of others does.
            let mut usual = largest_slopes.clone();
            for (c, length) in measured.iter().enumerate() {
                let Some(length) = *length else { continue };
                for (h, p) in [-length, length].into_iter().flat_map(|h| parameters.map(|p| (h, p))) {
                    let moved = slopes_at(self, z, Some((c, h)), p).unwrap_or_default();
                    usual
                        .iter_mut()
                        .zip(moved)
                        .for_each(|(most, v)| *most = most.max(v.abs()));
                }
            }
            let vanishes = |(here, usual): (&f64, f64)| if *here <= VANISHES * usual { usual } else { *here };
            let telling: Vec<f64> = largest_slopes.iter().zip(usual).map(vanishes).collect();
            balanced_lengths(&measured, &telling)
        }
    }

    /// States that are far from zero in the lengths over which the equations change, and in how far the points are
    /// apart, count from the middle of the points: where zero lies is then a matter of how the states are written.
    fn choose_origins(&mut self, z: &[f64]) {
        /// So many lengths are far.
        const FAR: f64 = 30.0;
        let Some(lengths) = &self.lengths else { return };
        for c in 0..self.n {
            let state = &self.system.states[self.system.modes[self.mode].states[c]];
            let values = || (0..self.length).map(|i| z[i * self.n + c]);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            let middle = 0.5 * low + 0.5 * high;
            let far = state.period.is_none() && middle.abs() > FAR * lengths[c].max(high - low);
            let origin = if far { middle } else { 0.0 };
            if origin != self.origin[c] {
                self.origin[c] = origin;
                self.scale[c] = (low - origin).abs().max((high - origin).abs());
            }
        }
    }

    /// The size of states that nothing else tells: the largest one met, or where they are zero, up to rounding, the
    /// largest change by the free parameter's size.
    fn usual_size(&mut self, z: &[f64]) -> Option<f64> {
        let states = self.n * self.length;
        let met = z[..states].iter().chain(&self.scale);
        let largest = met.fold(0.0f64, |m, v| m.max(v.abs()));
        let change = if self.large.is_none() && !self.free.is_empty() {
            self.change_by_parameters(z)
        } else {
            None
        };
        let change = change.unwrap_or(0.0);
        let size = if largest > ZERO * change { largest } else { change };
        (size > 0.0).then_some(size)
    }

    /// The largest change of a state while a free parameter changes by its size, the others staying; none where states
    /// turn back, or with an eigenvector, whose length the equations leave open. States that do not depend on
    /// parameters at all, as where surfaces alone say where motion rests, change by as much as changes guards likewise.
    fn change_by_parameters(&mut self, z: &[f64]) -> Option<f64> {
        /// The equations determine the states if they amplify errors by less than this.
        const DETERMINED: f64 = 1e10;
        let (states, free) = (self.n * self.length, self.free.len());
        let width = states + free;
        let mut border = vec![0.0; free * width];
        for k in 0..free {
            border[k * width + states + k] = 1.0;
        }
        let mut sizes = vec![0.0; width];
        self.sizes(z, &mut sizes);
        let mut change = vec![0.0; width];
        self.linearise(z, &mut change[..states]).ok()?;
        if free > 1 && !self.amplification(&border).is_some_and(|errors| errors < DETERMINED) {
            return None;
        }
        let mut largest = 0.0f64;
        for k in states..width {
            change.fill(0.0);
            change[k] = sizes[k];
            self.solve(&border, &mut change).ok()?;
            largest = change[..states].iter().fold(largest, |m, v| m.max(v.abs()));
        }
        let at_guards = guards::bounds(self).into_iter().map(|event| {
            let gradient = guards::gradient(self, event, z);
            let by_states = gradient[..states].iter().fold(0.0f64, |m, g| m.max(g.abs()));
            let parameters = gradient[states..].iter().zip(&sizes[states..]);
            parameters.fold(0.0f64, |m, (g, size)| m.max((g * size).abs())) / by_states
        });
        let at_guards = at_guards.filter(|v| v.is_finite()).fold(0.0, f64::max);
        let change = if largest > ZERO * at_guards { largest } else { at_guards };
        change.is_finite().then_some(change)
    }

    /// Measure the rows of the derivatives here and at other values of the parameter.
    pub(super) fn measure_rows(&mut self, z: &[f64]) {
        if self.keeps_rows {
            return;
        }
        let width = z.len();
        let mut sizes = vec![0.0; width];
        self.sizes(z, &mut sizes);
        let away = if self.free.is_empty() {
            0.0
        } else {
            AWAY * sizes[width - 1]
        };
        let mut residual = vec![0.0; self.n * self.length];
        self.usual_rows.fill(0.0);
        if self.large.is_some() {
            if self.linearise(z, &mut residual).is_ok() {
                self.measure_large(&sizes);
            }
            return;
        }
        for change in [-away, away, 0.0] {
            let mut there = z.to_vec();
            there[width - 1] += change;
            if self.linearise(&there, &mut residual).is_err() {
                continue;
            }
            for (usual, row) in self.usual_rows.iter_mut().zip(self.jacobian.chunks_exact(width)) {
                let length = row.iter().zip(&sizes).map(|(v, s)| v * v * s * s).sum::<f64>().sqrt();
                if length.is_finite() {
                    *usual = usual.max(length);
                }
            }
        }
        self.usual_volume = measure::usual_solved_volume(self, &sizes)
            .or_else(|| volume(self, &sizes))
            .unwrap_or(1.0);
    }
}

/// For each state of a mode the length by which it must change at `x` for the derivatives of the mode's field to change
/// by as much as they are; none where the field does not tell.
pub fn lengths_of_field(system: &System, mode: usize, parameters: &[f64], x: &[f64]) -> Vec<Option<f64>> {
    let parameters = parameters.to_vec();
    let point = if system.is_map() {
        FixedPoint::cycle(system, mode, 1, parameters, vec![])
    } else {
        FixedPoint::equilibrium(system, mode, parameters, vec![])
    };
    point.known_lengths(x, true)
}

/// The volume that the scaled rows span at the last linearisation, without the shortest of its sides: what the test
/// for branch points is measured by, for in coordinates that are nearly parallel it is small everywhere.
fn volume(problem: &FixedPoint<'_>, sizes: &[f64]) -> Option<f64> {
    /// Sides shorter than this part of the longest one may vanish by themselves.
    const SHORT: f64 = 1e-4;
    let width = sizes.len();
    let scaled = DMatrix::from_fn(width, problem.usual_rows.len(), |column, row| {
        let size = problem.usual_rows[row];
        if size > 0.0 {
            problem.jacobian[row * width + column] * sizes[column] / size
        } else {
            0.0
        }
    });
    let sides = Singular::of(&scaled)?.values;
    let longest = *sides.last()?;
    let volume: f64 = sides.iter().skip(1).map(|side| side.max(SHORT * longest)).product();
    (volume > 0.0).then_some(volume)
}

/// The derivatives by the states at the first point of the cycle, with state `c` moved and the free parameter
/// changed; none where they are not finite.
fn slopes_at(problem: &FixedPoint<'_>, z: &[f64], moved: Option<(usize, f64)>, parameter: f64) -> Option<Vec<f64>> {
    let n = problem.n;
    let mut x = problem.point(z, 0).to_vec();
    if let Some((c, h)) = moved {
        x[c] += h;
    }
    let mut p = problem.parameters.clone();
    if let Some(&free) = problem.free.last() {
        p[free] = parameter;
    }
    let field = problem.field_at(0);
    let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    Jacobian::new(field, n, &p, &[]).at(&x, &mut y, &mut dx, &mut []);
    dx.iter().all(|v| v.is_finite()).then_some(dx)
}

/// Where all derivatives may vanish here, as at a fold of one state: what they become as far away as states change the
/// equations as much as the size of the parameter does. None where `moved`, by which the states change them over
/// their lengths, says that they do not vanish.
fn slope_within_parameter(problem: &FixedPoint<'_>, z: &[f64], parameters: &[f64; 3], moved: f64) -> Option<f64> {
    let n = problem.n;
    let value = |x: &[f64], parameter: f64| {
        let mut p = problem.parameters.clone();
        if let Some(&free) = problem.free.last() {
            p[free] = parameter;
        }
        let mut y = vec![0.0; n];
        problem.field_at(0).value(x, &p, &mut y);
        y
    };
    let x = problem.point(z, 0);
    let here = value(x, parameters[0]);
    let change = |there: &[f64]| here.iter().zip(there).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    let by_parameter = parameters[1..].iter().map(|&p| change(&value(x, p)));
    let by_parameter = by_parameter.filter(|v| v.is_finite()).fold(0.0, f64::max);
    if by_parameter == 0.0 || moved > VANISHES * VANISHES * by_parameter {
        return None;
    }
    let reaches = |c: usize, h: f64| {
        let mut there = x.to_vec();
        there[c] += h;
        change(&value(&there, parameters[0])) >= by_parameter
    };
    let slope_along = |c: usize| {
        let lengths = (DECADES.0..=DECADES.1).map(|decade| 10f64.powi(decade));
        let mut reached = false;
        // The first length that reaches counts; where none does, as of functions with bounds, all count.
        let within = lengths.take_while(|&h| !std::mem::replace(&mut reached, reaches(c, h) || reaches(c, -h)));
        let slopes = within.filter_map(|h| slopes_at(problem, z, Some((c, h)), parameters[0]));
        slopes.flatten().map(f64::abs).reduce(f64::max)
    };
    (0..n).filter_map(slope_along).reduce(f64::max)
}

/// The free parameter here and to both sides: where it is zero, terms that it multiplies tell nothing.
fn parameters_nearby(problem: &FixedPoint<'_>, z: &[f64]) -> [f64; 3] {
    let here = z.last().copied().filter(|_| !problem.free.is_empty()).unwrap_or(0.0);
    let away = AWAY * problem.parameter_scales.last().map_or(1.0, |scale| scale.size(here));
    [here, here - away, here + away]
}

/// The largest derivatives, those beside the point too: of an equation that vanishes with a state, as that of an
/// invader, they may all vanish here, and it is no slow one.
fn nearby_slopes(problem: &FixedPoint<'_>, z: &[f64], here: &[f64]) -> Vec<f64> {
    /// As part of each state.
    const BESIDE: f64 = 0.05;
    let mut most = here.to_vec();
    let parameter = z.last().copied().unwrap_or_default();
    for (c, x) in problem.point(z, 0).iter().enumerate().filter(|(_, x)| **x != 0.0) {
        let beside = slopes_at(problem, z, Some((c, BESIDE * x)), parameter).unwrap_or_default();
        most.iter_mut()
            .zip(beside)
            .for_each(|(most, v)| *most = most.max(v.abs()));
    }
    most
}

/// What changes of the derivatives are compared with.
struct Usual {
    /// The largest derivative of all.
    largest: f64,
    /// In these units rows and columns of the derivatives are about equally long, where states have very different
    /// ones. All are one elsewhere.
    units: Vec<f64>,
    /// For each equation, in these units, the largest derivative of all; of equations far slower than that their own.
    of_rows: Vec<f64>,
}

impl Usual {
    /// By the largest derivatives here, and beside.
    fn of(slopes: &[f64], beside: &[f64], largest: f64) -> Self {
        /// As parts of the largest; less is rounding of derivatives that vanish here.
        const SLOW: (f64, f64) = (1e-13, 1e-5);
        /// Two states act on each other at a rate of at least this part of the fastest.
        const MUTUAL: f64 = 1e-10;
        /// Units that differ by more than this are very different.
        const DIFFERENT: f64 = 1e3;
        let n = slopes.len().isqrt();
        // Rates do not depend on units. What acts one way only tells none.
        let rate = |r: usize, c: usize| (slopes[r * n + c] * slopes[c * n + r]).abs().sqrt();
        let fastest = (0..n * n).fold(0.0, |m: f64, i| m.max(rate(i / n, i % n)));
        let mutual = |r: usize, c: usize| match rate(r, c) > MUTUAL * fastest {
            true => slopes[r * n + c],
            false => 0.0,
        };
        let mut units = Balanced::new(&DMatrix::from_fn(n, n, mutual)).scale().to_vec();
        let bounds = units
            .iter()
            .fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(*v), high.max(*v)));
        if bounds.1 <= DIFFERENT * bounds.0 {
            units.fill(1.0);
        }
        let of_rows = |slopes: &[f64]| -> Vec<f64> {
            let of_row = |r: usize| (0..n).fold(0.0, |m: f64, c| m.max(slopes[r * n + c] * units[c] / units[r]));
            (0..n).map(of_row).collect()
        };
        let most = |rows: &[f64]| rows.iter().copied().fold(0.0, f64::max);
        let (all, own) = (most(&of_rows(slopes)), of_rows(beside));
        let slow = SLOW.0 * most(&own)..SLOW.1 * most(&own);
        let of_rows = own.iter().map(|own| if slow.contains(own) { *own } else { all });
        Self {
            largest,
            of_rows: of_rows.collect(),
            units,
        }
    }

    /// The same for all.
    fn everywhere(usual: f64, n: usize) -> Self {
        Self {
            largest: usual,
            units: vec![1.0; n],
            of_rows: vec![usual; n],
        }
    }

    /// Have the derivatives changed?
    fn differs(&self, before: &[f64], after: &[f64]) -> bool {
        let n = self.units.len();
        let pairs = before.iter().zip(after).enumerate();
        pairs.into_iter().any(|(i, (a, b))| {
            let (r, c) = (i / n, i % n);
            (a - b).abs() * self.units[c] > CHANGE * self.of_rows[r] * self.units[r]
        })
    }
}

fn length_of(
    problem: &FixedPoint<'_>,
    z: &[f64],
    c: usize,
    (parameters, before): (&[f64; 3], &[Option<Vec<f64>>; 3]),
    (usual, as_it_is): (&Usual, bool),
) -> Option<f64> {
    before[0].as_ref()?;
    let state = problem.system.modes[problem.mode].states[c];
    if let Some(period) = problem.system.states[state].period {
        return Some(period / TAU);
    }
    let moved = |length: f64, i: usize| slopes_at(problem, z, Some((c, length)), parameters[i]);
    let changes = |length: f64| {
        before.iter().enumerate().any(|(i, before)| {
            let (Some(before), Some(after)) = (before, moved(length, i)) else {
                return false;
            };
            usual.differs(before, &after)
        })
    };
    let ends = |length: f64| moved(length, 0).is_none();
    let length = first_length(&|length| changes(length) || ends(length), as_it_is)?;
    if changes(length) || !ends(length) {
        return Some(length);
    }
    // Nothing but where numbers overflow: what the state acts by may saturate before, and be small beside the others.
    let here = before[0].as_ref()?;
    let mut most: Vec<f64> = here.iter().map(|v| v.abs()).collect();
    let mut length_before = length;
    while length_before > SATURATED * length {
        length_before /= 10.0;
        for there in [length_before, -length_before].into_iter().filter_map(|h| moved(h, 0)) {
            most.iter_mut()
                .zip(there)
                .for_each(|(most, v)| *most = most.max(v.abs()));
        }
    }
    let one_changes = |length: f64| {
        [length, -length].into_iter().filter_map(|h| moved(h, 0)).any(|there| {
            let entries = here.iter().zip(&there).zip(&most);
            entries
                .into_iter()
                .any(|((a, b), most)| *most > NOTHING * usual.largest && (a - b).abs() > CHANGE * most)
        })
    };
    match first_length(&one_changes, as_it_is) {
        Some(own) => Some(own.min(length)),
        None => (length <= OVERFLOW).then_some(length),
    }
}

/// The least length at which something changes, to a power of ten or as it is.
fn first_length(changes: &dyn Fn(f64) -> bool, as_it_is: bool) -> Option<f64> {
    /// So often the decade is halved.
    const HALVED: usize = 16;
    let at = |decade: i32| changes(10f64.powi(decade));
    // Derivatives that change back and forth may be what they are here at one distance, hardly at several.
    let near = |decade: &i32| SEVERAL.iter().any(|m| changes(m * 10f64.powi(*decade)));
    let coarse = (DECADES.0..=DECADES.1).step_by(STRIDE).find(near)?;
    // By thousands, a length of functions that oscillate may be missed.
    let decade = (coarse - MISSED..=coarse).find(near).unwrap_or(coarse);
    let decade = (decade - 2..=decade + 1).find(|d| at(*d)).unwrap_or(decade);
    if !as_it_is {
        return Some(10f64.powi(decade));
    }
    let (mut low, mut high) = (f64::from(decade - 1), f64::from(decade));
    for _ in 0..HALVED {
        let middle = 0.5 * (low + high);
        if changes(10f64.powf(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(10f64.powf(high))
}

/// Lengths for states that stand in the equations in the first power only: what a change of such a state does to the
/// others and what theirs do to it are of the same size, measured in lengths. States that nothing couples to others
/// have the largest length of those; none where no length is known at all.
fn balanced_lengths(measured: &[Option<f64>], slopes: &[f64]) -> Vec<Option<f64>> {
    let n = measured.len();
    let mut lengths = measured.to_vec();
    let largest = measured.iter().flatten().fold(0.0f64, |m, l| m.max(*l));
    // Each round reaches those that are coupled to what the round before has reached.
    for _ in 0..n {
        for c in (0..n).filter(|&c| measured[c].is_none()) {
            let others = || (0..n).filter(|&r| r != c).filter_map(|r| Some((r, lengths[r]?)));
            let to = others().map(|(r, l)| slopes[r * n + c] / l).fold(0.0, f64::max);
            let from = others().map(|(r, l)| slopes[c * n + r] * l).fold(0.0, f64::max);
            let length = (from / to).sqrt();
            if length.is_finite() && length > 0.0 {
                lengths[c] = Some(length);
            }
        }
    }
    let last = (largest > 0.0).then_some(largest);
    lengths.into_iter().map(|l| l.or(last)).collect()
}
