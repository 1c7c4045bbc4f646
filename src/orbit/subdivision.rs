//! Smooth orbits with layers, divided into segments that begin and end inside the layers.
//!
//! A relaxation oscillation jumps at certain phases of its period. Along a curve these phases move, and on a mesh that
//! is fixed in scaled time a profile that moves by more than the width of its layers, O(ε), is out of Newton's reach.
//! Cut at its jumps the orbit is a word of several visits to the same mode, each with a duration of its own: every cut
//! stays on a plane across the jump, the layers stay at the ends of the parts, and steps are as long as those of the
//! slow pieces between. The cuts lie on nodes of the mesh, so that other cuts change nothing but the names of the
//! unknowns; they are looked after at every point of a curve, as layers come and go.
//!
//! Where nothing jumps, the rates may: an orbit that meets regularised friction has corners, see
//! [`layer_planes`](crate::layer_planes), and is cut there.

use crate::layer_planes::{plane_of_layer, rates};
use crate::periodic::PeriodicOrbit;
use crate::plan::Plan;
use crate::segment::Segment;
use crate::segment::scheme::Profile;
use crate::sizes::extents;
use slipstick_numerics::linalg::dot;
use std::ops::Range;

/// A state that crosses its range at this many times its mean speed is in a layer, if it moves by this part of its
/// range there.
const FAST: f64 = 20.0;

const FAR: f64 = 0.2;

/// The faster a layer, the less far it has to go: down to this part of the range, as where a canard begins to leave the
/// repelling branch on its other side.
const LEAST: f64 = 0.05;

/// What was a layer counts as one down to this part of both.
const STILL: f64 = 0.5;

/// What counts as a layer of a profile.
struct Sharp {
    /// The times its mean speed at which it is crossed.
    fast: f64,
    /// The part of the ranges that it takes at that speed, and at any.
    far: f64,
    least: f64,
    /// The part of their ranges that the states move by on it, at most.
    states: f64,
}

const JUMP: Sharp = Sharp {
    fast: FAST,
    far: FAR,
    least: LEAST,
    states: f64::INFINITY,
};

/// A corner is trouble for a mesh that does not move with it as long as it is sharp, be it small: friction may be weak.
/// Where the states move on it, as on spikes, it is none.
const CORNER: Sharp = Sharp {
    fast: 3.0 * FAST,
    far: 0.01,
    least: 0.01,
    states: 0.1,
};

/// A cut stays while it has at least this part of its layer on each side.
const INSIDE: f64 = 0.15;

/// One interval of all meshes of an orbit, in the order of time.
struct Interval {
    /// Its segment, and where its stages stand in z; the node at its end follows them.
    segment: usize,
    at: usize,
    /// Scaled time of the segment at both ends.
    sigma: (f64, f64),
    width: f64,
}

/// May the orbit be cut wherever that serves?
pub(crate) fn may_be_subdivided(orbit: &PeriodicOrbit<'_>) -> bool {
    let smooth = |s: &Segment<'_>| s.profile().is_some_and(Profile::may_be_subdivided) && s.guard.is_none();
    !orbit.system.is_hybrid() && orbit.segments.iter().all(smooth)
}

/// Tell the orbit in so many parts from now on.
pub(crate) fn subdivide(orbit: &mut PeriodicOrbit<'_>, count: usize) {
    if count == orbit.segments.len() || count == 0 || !may_be_subdivided(orbit) {
        return;
    }
    let letter = orbit.word.letters[0];
    orbit.word.letters.resize(count, letter);
    let made = |k| {
        Segment::new(
            orbit.system,
            &orbit.word,
            k,
            orbit.free.len(),
            orbit.options,
            &orbit.discretisations,
        )
    };
    orbit.segments = (0..count).map(made).collect();
    orbit.plan = Plan::new(orbit.system, &orbit.word);
    orbit.assembled = false;
    orbit.at.clear();
    orbit.lay_out();
}

fn intervals(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<Interval> {
    let mut all = vec![];
    for (segment, s) in orbit.segments.iter().enumerate() {
        let Some(profile) = s.profile() else { continue };
        let (first, stride) = (s.block().start, profile.stride());
        for (j, pair) in profile.mesh().windows(2).enumerate() {
            all.push(Interval {
                segment,
                at: first + j * stride,
                sigma: (pair[0], pair[1]),
                width: (pair[1] - pair[0]) * orbit.duration(z, segment),
            });
        }
    }
    all
}

/// How much less the parameters change along a curve than what changes most, each in its size, where these stand still,
/// and where they move again.
const STANDS: f64 = 1e-5;
const MOVES: f64 = 1e-3;

/// An orbit that is slower than this, in ranges of its states a period, comes almost to rest. Next to a homoclinic
/// orbit there are steep pieces, too, but no fast state; such an orbit is left in one piece, for its rest at the
/// saddle.
const SLOW: f64 = 0.05;

/// A canard may be as slow as this: where it leaves the focus of a bursting cell, say. The parameters stand still along
/// it long before an orbit next to a homoclinic one is as slow.
const SLOW_ON_CANARD: f64 = 0.005;

/// The part of the largest change along `tangent` that is of the parameters.
fn part_of_parameters(orbit: &PeriodicOrbit<'_>, z: &[f64], tangent: &[f64]) -> f64 {
    let sizes = orbit.sizes_at(z);
    let largest = |of: Range<usize>| of.map(|i| (tangent[i] / sizes[i]).abs()).fold(0.0, f64::max);
    let parameters = z.len() - orbit.free.len();
    largest(parameters..z.len()) / largest(0..parameters)
}

/// The nodes at which the orbit should be cut, counted over all meshes, if not where it is. The last node stands
/// for the first as well. An orbit with one jump is cut there while the parameters stand still along the `tangent`, as
/// along a canard: what is between the jump and its slowest place then stays as it is. In the plane, where nothing can
/// oscillate there, that gains nothing.
pub(crate) fn cuts_wanted(orbit: &PeriodicOrbit<'_>, z: &[f64], tangent: Option<&[f64]>) -> Option<Vec<usize>> {
    if orbit.vectors > 0 || orbit.constraint.is_some() || !may_be_subdivided(orbit) {
        return None;
    }
    let intervals = intervals(orbit, z);
    let (count, first) = (intervals.len(), orbit.segments.first()?);
    let nodes = std::iter::once(first.offset).chain(intervals.iter().map(|i| {
        let stride = first.profile().map_or(0, Profile::stride);
        i.at + stride - first.n
    }));
    let rows: Vec<&[f64]> = nodes.map(|at| &z[at..at + first.n]).collect();
    let widths: Vec<f64> = intervals.iter().map(|i| i.width).collect();
    let states = &orbit.system.modes[first.mode].states;
    let straight: Vec<usize> = (0..first.n)
        .filter(|&i| orbit.system.states[states[i]].period.is_none())
        .collect();
    let whole = orbit.segments.len() == 1 && orbit.system.slow_fast.is_none();
    let moved = moves(&rows, &straight);
    let slowest = slowest(&moved, &widths);
    let stands = tangent.is_some_and(|t| part_of_parameters(orbit, z, t) < STANDS);
    let jumps = Profiled::new(moved.clone(), &moved, &widths, JUMP);
    if whole && slowest < SLOW && !jumps.layers.is_empty() && !(stands && slowest >= SLOW_ON_CANARD) {
        return None;
    }
    // Where it is cut: a single part may begin anywhere.
    let begins = |k: usize| k > 0 && intervals[k].segment != intervals[k - 1].segment;
    let mut present: Vec<usize> = (1..count).filter(|&k| begins(k)).collect();
    if orbit.segments.len() > 1 {
        present.push(count);
    }
    let mut wanted = if jumps.layers.is_empty() {
        if whole && slowest < SLOW && first.lasts {
            return None;
        }
        let extents = extents(orbit, z);
        let moved_by: Vec<f64> = states.iter().map(|&i| extents[i]).collect();
        let parameters = orbit.parameters_at(z);
        let at = (orbit.system.modes[first.mode].field.as_ref(), parameters.as_slice());
        let rates = rates(at, &rows);
        let (varying, rates): (Vec<usize>, Vec<&[f64]>) = (
            straight.into_iter().filter(|&i| varies(&rates, i)).collect(),
            rates.iter().map(Vec::as_slice).collect(),
        );
        let corners = Profiled::new(moves(&rates, &varying), &moved, &widths, CORNER);
        let stages = |interval: usize| {
            let at = intervals[interval].at;
            z[at..at + first.profile().map_or(0, Profile::stride) - first.n].chunks_exact(first.n)
        };
        let serves = |node: usize| {
            let beside = stages(node - 1).rev().chain(stages(node % count));
            plane_of_layer(at, rows[node], beside, &moved_by).is_some()
        };
        let mut wanted = corners.cuts(&present, &widths, &serves);
        match wanted[..] {
            [] if whole => return None,
            [] => wanted.push(count),
            [alone] => wanted.push(opposite(alone, &widths, &present)),
            _ => {}
        }
        wanted
    } else {
        let mut wanted = jumps.cuts(&present, &widths, &|_| true);
        if let [alone] = wanted[..] {
            let part = part_of_parameters(orbit, z, tangent?);
            let is_cut = present.len() > 1;
            if first.n > 2 && (is_cut && part < MOVES || part < STANDS) {
                wanted.push(calmest(alone, &moved, &widths, &present));
            } else if !is_cut {
                return None;
            }
        }
        wanted
    };
    wanted.sort_unstable();
    wanted.dedup();
    (wanted != present).then_some(wanted)
}

/// Cut the orbit in its layers, if it is not; the tangent follows. Returns true when both were rewritten.
pub(crate) fn cut_in_layers(orbit: &mut PeriodicOrbit<'_>, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
    let Some(mut cuts) = cuts_wanted(orbit, z, Some(tangent)) else {
        return false;
    };
    let intervals = intervals(orbit, z);
    let count = intervals.len();
    let Some(first) = orbit.segments.first() else {
        return false;
    };
    let Some(profile) = first.profile() else { return false };
    let (n, stages, parts) = (first.n, profile.parts().len() - 1, profile.parts().to_vec());
    let field = orbit.system.modes[first.mode].field.as_ref();
    let end_of = |cut: usize| intervals[cut - 1].at + stages * n;
    let turn = first_cut(orbit, &cuts, |cut| &z[end_of(cut)..end_of(cut) + n]);
    cuts.retain(|&cut| cut != turn);
    // What comes after the first cut is taken a lap earlier.
    let mut bounds: Vec<usize> = cuts.iter().map(|cut| (cut + count - turn) % count).collect();
    bounds.extend([0, count]);
    bounds.sort_unstable();
    // How far each point is from the start in time, by the tangent.
    let mut before = vec![0.0];
    for (k, s) in orbit.segments.iter().enumerate() {
        before.push(before[k] + tangent[s.offset + s.n]);
    }
    let lap = before[orbit.segments.len()];
    let mut last = orbit.segments[orbit.segments.len() - 1].junction.clone();
    let free = orbit.free.len();
    // State, tangent and shift in time of a point, given where it stands.
    let mut point_at = |at: usize, shift: f64, earlier: bool| -> (Vec<f64>, Vec<f64>, f64) {
        let (x, dx) = (&z[at..at + n], &tangent[at..at + n]);
        if !earlier {
            return (x.to_vec(), dx.to_vec(), shift);
        }
        let (mut image, mut map, mut by) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n * free]);
        last.linearise(x, &orbit.parameters, &orbit.free, &mut image, &mut map, &mut by);
        image.iter_mut().zip(&orbit.winding).for_each(|(x, turns)| *x -= turns);
        let moved = map.chunks_exact(n).map(|row| dot(row, dx)).collect();
        (image, moved, shift - lap)
    };
    let shift = |i: &Interval, part: f64| {
        let own = tangent[orbit.segments[i.segment].offset + n];
        before[i.segment] + (i.sigma.0 + part * (i.sigma.1 - i.sigma.0)) * own
    };
    let order: Vec<usize> = (turn..count).chain(0..turn).collect();
    // Starts of the parts: the ends of the intervals before them.
    let mut starts = vec![];
    for &bound in &bounds {
        let (at, shift, earlier) = if bound == 0 && turn == count {
            (first.offset, 0.0, false)
        } else {
            let from = if bound == 0 { turn - 1 } else { order[bound - 1] };
            let i = &intervals[from];
            (i.at + stages * n, shift(i, 1.0), bound == 0 || bound <= count - turn)
        };
        let (x, dx, shift) = point_at(at, shift, earlier);
        let mut f = vec![0.0; n];
        field.value(&x, &orbit.parameters, &mut f);
        // In time it moves so that it stays on the plane across the flow.
        let own = -dot(&f, &dx) / dot(&f, &f);
        starts.push((x, dx, f, shift + own, shift));
    }
    let (mut new_z, mut new_tangent, mut meshes) = (vec![], vec![], vec![]);
    for (pair, ends) in bounds.windows(2).zip(starts.windows(2)) {
        let (x, dx, f, to, from) = &ends[0];
        let own = &order[pair[0]..pair[1]];
        let duration: f64 = own.iter().map(|&i| intervals[i].width).sum();
        new_z.extend_from_slice(x);
        new_z.push(duration);
        new_tangent.extend(dx.iter().zip(f).map(|(dx, f)| dx + f * (to - from)));
        new_tangent.push(ends[1].3 - to);
        let mut gone = 0.0;
        let mut nodes = vec![0.0];
        for (position, &i) in own.iter().enumerate() {
            let interval = &intervals[i];
            for (stage, part) in parts.iter().enumerate() {
                let earlier = pair[0] + position < count - turn;
                let (x, dx, old) = point_at(interval.at + stage * n, shift(interval, *part), earlier);
                let sigma = (gone + part * interval.width) / duration;
                let new = to + sigma * (ends[1].3 - to);
                let mut f = vec![0.0; n];
                field.value(&x, &orbit.parameters, &mut f);
                new_tangent.extend(dx.iter().zip(&f).map(|(dx, f)| dx + f * (new - old)));
                new_z.extend(x);
            }
            gone += interval.width;
            nodes.push(gone / duration);
        }
        if let Some(end) = nodes.last_mut() {
            *end = 1.0;
        }
        meshes.push(nodes);
    }
    new_z.extend_from_slice(&z[z.len() - free..]);
    new_tangent.extend_from_slice(&tangent[tangent.len() - free..]);
    subdivide(orbit, meshes.len());
    for (s, nodes) in orbit.segments.iter_mut().zip(meshes) {
        if let Some(profile) = s.scheme.profile_mut() {
            profile.set_mesh(&nodes);
        }
    }
    orbit.lay_out();
    (*z, *tangent) = (new_z, new_tangent);
    true
}

/// The cut from which the orbit starts: the jump upwards of what jumps most, so that the same orbit always starts
/// from the same point.
fn first_cut<'z>(orbit: &PeriodicOrbit<'_>, cuts: &[usize], state: impl Fn(usize) -> &'z [f64]) -> usize {
    let Some(first) = orbit.segments.first() else { return 0 };
    let field = orbit.system.modes[first.mode].field.as_ref();
    let rates: Vec<Vec<f64>> = cuts
        .iter()
        .map(|&cut| {
            let mut f = vec![0.0; first.n];
            field.value(state(cut), &orbit.parameters, &mut f);
            f
        })
        .collect();
    let most = |i: &usize| {
        let (rate, size) = cuts
            .iter()
            .zip(&rates)
            .fold((0.0f64, 1e-8f64), |(rate, size), (&cut, f)| {
                (rate.max(f[*i].abs()), size.max(state(cut)[*i].abs()))
            });
        rate / size
    };
    let fast = (0..first.n).max_by(|a, b| most(a).total_cmp(&most(b))).unwrap_or(0);
    let upwards = (0..cuts.len()).max_by(|&a, &b| rates[a][fast].total_cmp(&rates[b][fast]));
    upwards.map_or(0, |k| cuts[k])
}

/// How far the profile moves on each interval between rows, in units of the ranges of the states.
fn moves(rows: &[&[f64]], states: &[usize]) -> Vec<f64> {
    let range = |&i: &usize| {
        let values = rows.iter().map(|x| x[i]);
        values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
    };
    let ranges: Vec<f64> = states.iter().map(range).collect();
    let step = |pair: &[&[f64]]| {
        let parts = states.iter().zip(&ranges).filter(|(_, range)| **range > 0.0);
        let square: f64 = parts
            .map(|(&i, range)| ((pair[1][i] - pair[0][i]) / range).powi(2))
            .sum();
        square.sqrt()
    };
    rows.windows(2).map(step).collect()
}

/// Does this rate change along the orbit by more than rounding?
fn varies(rates: &[Vec<f64>], state: usize) -> bool {
    /// Relative to the largest.
    const LEAST: f64 = 1e-6;
    let values = rates.iter().map(|f| f[state]);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), f| {
        (low.min(f), high.max(f))
    });
    high - low > LEAST * low.abs().max(high.abs())
}

/// The intervals round a profile from a cut on, but for the last, each with the part of the period that has gone by at
/// its end.
fn round(cut: usize, widths: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let count = widths.len();
    let lap: f64 = widths.iter().sum();
    (0..count - 1).scan(0.0, move |gone, k| {
        let interval = (cut + k) % count;
        *gone += widths[interval];
        Some((interval, *gone / lap))
    })
}

/// A node about half a lap away from a cut: an orbit with one corner is cut into two parts, of which one ends and one
/// begins there. A cut that is there already stays.
fn opposite(cut: usize, widths: &[f64], present: &[usize]) -> usize {
    let off = |(interval, gone): (usize, f64)| (interval + 1, (gone - 0.5).abs());
    let known = round(cut, widths)
        .map(off)
        .find(|(node, off)| present.contains(node) && *off <= 0.25);
    let middle = || round(cut, widths).map(off).min_by(|a, b| a.1.total_cmp(&b.1));
    known.or_else(middle).map_or(cut, |(node, _)| node)
}

/// The node about where an orbit with one jump is slowest, away from the jump. A cut that is there already stays.
fn calmest(cut: usize, moved: &[f64], widths: &[f64], present: &[usize]) -> usize {
    /// The part of the period that it is away from the jump at least.
    const AWAY: f64 = 0.2;
    /// As slow as the slowest but for this factor.
    const AS_SLOW: f64 = 3.0;
    let speed = |interval: usize| moved[interval] / widths[interval];
    let away: Vec<(usize, f64)> = round(cut, widths)
        .filter(|(_, gone)| (AWAY..=1.0 - AWAY).contains(gone))
        .map(|(interval, _)| (interval + 1, speed(interval).max(speed((interval + 1) % widths.len()))))
        .collect();
    let slowest = away.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let known = away
        .iter()
        .find(|(node, speed)| present.contains(node) && slowest.is_some_and(|least| *speed <= AS_SLOW * least.1));
    known.or(slowest).map_or(cut, |(node, _)| *node)
}

/// How far a profile moves on each interval, how far the states do, and its layers.
struct Profiled<'a> {
    moved: Vec<f64>,
    states: &'a [f64],
    sharp: Sharp,
    layers: Vec<Vec<usize>>,
}

impl<'a> Profiled<'a> {
    fn new(moved: Vec<f64>, states: &'a [f64], widths: &[f64], sharp: Sharp) -> Self {
        let layers = layers((&moved, states), widths, 1.0, &sharp);
        Self {
            moved,
            states,
            sharp,
            layers,
        }
    }

    /// The nodes at which it is to be cut, of those that serve, where it has these cuts.
    fn cuts(&self, present: &[usize], widths: &[f64], serves: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let count = widths.len();
        let mut wanted: Vec<usize> = self
            .layers
            .iter()
            .filter_map(|layer| cut_of(layer, &self.moved, present, serves))
            .collect();
        // A layer on the wane keeps its cut.
        for weak in layers((&self.moved, self.states), widths, STILL, &self.sharp) {
            if !self.layers.iter().any(|layer| weak.contains(&layer[0])) {
                wanted.extend(
                    present
                        .iter()
                        .filter(|&&cut| weak.contains(&(cut - 1)) && weak.contains(&(cut % count)) && serves(cut)),
                );
            }
        }
        wanted
    }
}

/// The least speed on a profile, in ranges of its states a period.
fn slowest(moved: &[f64], widths: &[f64]) -> f64 {
    let lap: f64 = widths.iter().sum();
    let speeds = moved.iter().zip(widths).map(|(moved, width)| moved * lap / width);
    speeds.fold(f64::INFINITY, f64::min)
}

/// The layers of a closed profile: for each the intervals that it takes, in order. `part` lowers what it takes to be
/// one.
fn layers((moved, states): (&[f64], &[f64]), widths: &[f64], part: f64, sharp: &Sharp) -> Vec<Vec<usize>> {
    let Sharp { fast, far, least, .. } = *sharp;
    let count = moved.len();
    let length: f64 = widths.iter().sum();
    let is_fast = |&j: &usize| moved[j] * length > part * fast * widths[j];
    let goes_far = |run: &[usize]| {
        let way: f64 = run.iter().map(|&j| moved[j]).sum();
        let speed = way * length / run.iter().map(|&j| widths[j]).sum::<f64>();
        way >= part * far.min((fast * far / speed).max(least))
    };
    let Some(slow) = (0..count).find(|j| !is_fast(j)) else {
        return vec![];
    };
    // Round the profile from a slow place back to it.
    let round: Vec<usize> = (1..=count).map(|k| (slow + k) % count).collect();
    round
        .chunk_by(|a, b| is_fast(a) == is_fast(b))
        .filter(|run| is_fast(&run[0]) && goes_far(run))
        .filter(|run| run.iter().map(|&j| states[j]).sum::<f64>() <= sharp.states)
        .map(<[usize]>::to_vec)
        .collect()
}

/// The node at which a layer is cut, of those that serve: where it is already, if that is well inside, else the nearest
/// to halfway through what it moves by. Nodes count from the end of the first interval.
fn cut_of(layer: &[usize], moved: &[f64], present: &[usize], serves: &dyn Fn(usize) -> bool) -> Option<usize> {
    let all: f64 = layer.iter().map(|&j| moved[j]).sum();
    let mut gone = 0.0;
    let mut ends: Vec<(usize, f64)> = layer
        .iter()
        .map(|&j| {
            gone += moved[j];
            (j + 1, gone / all)
        })
        .collect();
    let begin = if layer[0] == 0 { moved.len() } else { layer[0] };
    ends.push((begin, 0.0));
    ends.retain(|(node, _)| serves(*node));
    let known = ends
        .iter()
        .find(|(node, part)| present.contains(node) && (INSIDE..=1.0 - INSIDE).contains(part));
    let middle = || {
        ends.iter()
            .min_by(|a, b| (a.1 - 0.5).abs().total_cmp(&(b.1 - 0.5).abs()))
    };
    known.or_else(middle).map(|end| end.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_found_where_a_profile_jumps_also_across_its_begin() {
        // tanh layers of width 10⁻³ at 0.3 and at 1 = 0, on a mesh that resolves them.
        let count = 4000;
        let nodes: Vec<f64> = (0..=count).map(|i| f64::from(i) / f64::from(count)).collect();
        let jump = |t: f64, at: f64| ((t - at) / 1e-3).tanh();
        let rows: Vec<Vec<f64>> = nodes
            .iter()
            .map(|&t| vec![jump(t, 0.3) - jump(t, 0.0) - jump(t, 1.0), 7.0 * t])
            .collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let widths = vec![1.0 / f64::from(count); 4000];
        let moved = moves(&rows, &[0]);
        let found = layers((&moved, &moved), &widths, 1.0, &JUMP);
        let mut cuts: Vec<usize> = found
            .iter()
            .filter_map(|layer| cut_of(layer, &moved, &[], &|_| true))
            .collect();
        cuts.sort_unstable();
        assert_eq!(cuts.len(), 2);
        assert!(cuts[0].abs_diff(1200) <= 1, "{cuts:?}");
        assert!(cuts[1].min(4000 - cuts[1]) <= 1, "{cuts:?}");
        // A cut well inside stays, one at the edge does not.
        let layer = found.iter().find(|layer| layer.contains(&1200)).unwrap();
        assert_eq!(cut_of(layer, &moved, &[1201], &|_| true), Some(1201));
        let cut = cut_of(layer, &moved, &[layer[0] + 1], &|_| true).unwrap();
        assert!(cut.abs_diff(1200) <= 1);
        // A harmonic oscillation has none.
        let rows: Vec<Vec<f64>> = nodes.iter().map(|&t| vec![(std::f64::consts::TAU * t).sin()]).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let moved = moves(&rows, &[0]);
        assert!(layers((&moved, &moved), &widths, 1.0, &JUMP).is_empty());
    }
}
