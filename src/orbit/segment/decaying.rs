//! Transition factors of a flowed segment along which perturbations decay or grow beyond what any number of pieces of
//! it could tell: the variational equation along the path, modulo the flow.
//!
//! A perturbation modulo the flow f is described by its member that leaves one state i alone, wherever fᵢ does not
//! vanish. Of two states or three that leaves `w' = A w` in one or two dimensions, `A = J_ab - f_a J_ib / f_i` over the
//! other states, which are followed however fast they decay. Where a state i comes to rest the next stretch leaves
//! another one alone. More states are followed by steps within which nothing decays out of sight.

use crate::perturbation::{Coordinates, Stability, evaluation};
use crate::segment::scheme::Along;
use crate::variation::{Variation, reach};
use crate::variational::push_factor;
use slipstick_continuation::Failure;
use slipstick_floquet::{PLANAR_STAGES, PlanarMatrix, PlanarTransition, planar_nodes, planar_transition};
use slipstick_flow::Transition;
use slipstick_numerics::linalg::balance;
use slipstick_numerics::stop::look;
use slipstick_numerics::tableau::Tableau;
use slipstick_system::Jacobian;

/// The path is looked at about so often at least, and at most, to find which state can be left alone.
const LOOKS: usize = 32;

const MOST_LOOKS: usize = 4096;

/// A state is left alone as long as its speed is known this part as well as that of the best, and the least change of a
/// speed that counts.
const KEPT: f64 = 0.1;

const LEAST: f64 = 1e-6;

/// How often the variational equation may be evaluated along a stretch of a segment that is not on a mesh.
const MOST_LOOKS_AT_RATES: usize = 400_000;

/// Tolerance of growth and slope.
const TOLERANCE: f64 = 1e-10;

/// A direction whose growth is no less than this, absolutely and beside the largest, is known better from the
/// transition matrix itself.
const KNOWN: f64 = 1e-2;

/// The most steps through a segment of more than three states.
const MOST: f64 = 1e6;

/// The states along a segment: times that resolve them, from its start to its end, and the state at each time.
pub(super) struct Trajectory<'c> {
    pub(super) nodes: Vec<f64>,
    pub(super) at: &'c dyn Fn(f64, &mut [f64]),
    /// How often the variational equation may be evaluated along a stretch.
    pub(super) most: usize,
}

/// A part of the segment between two times, and the state that is left alone there.
pub(super) struct Stretch {
    pub(super) times: Vec<f64>,
    pub(super) alone: usize,
}

/// Push the factors of the segment between the coordinates at its start and those at its end.
pub(crate) fn push(along: &Along<'_, '_>, work: &mut Stability, end: &Coordinates) -> Result<(), Failure> {
    let path = along
        .flow
        .path(along.start, along.duration, along.p)
        .map_err(evaluation)?;
    let trajectory = Trajectory {
        nodes: path.nodes(),
        at: &|t, x| path.eval(t, x),
        most: MOST_LOOKS_AT_RATES,
    };
    if along.start.len() > 3 {
        return push_steps(along, &trajectory, work, end);
    }
    let sizes = sizes(along, &trajectory);
    let mut x = along.start.to_vec();
    let mut from = work.here.clone();
    let mut piece = Transition::default();
    for stretch in stretches(along, &trajectory, &sizes) {
        let (first, last) = (stretch.times[0], stretch.times[stretch.times.len() - 1]);
        let mut chart = Coordinates::default();
        chart.set(along.mode, Some(stretch.alone), &x, along.p)?;
        change(work, &from, &chart)?;
        along
            .flow
            .linearise(&x, last - first, along.p, &[], &mut piece)
            .map_err(evaluation)?;
        let mut landed = Coordinates::default();
        landed.set(along.mode, Some(stretch.alone), &piece.x, along.p)?;
        let known = Some((&chart, &landed, &piece.dx[..]));
        push_stretch(along, &trajectory, work, (&stretch, &sizes), known)?;
        x.copy_from_slice(&piece.x);
        from = landed;
    }
    change(work, &from, end)
}

/// The largest |value| of each state along the segment.
pub(super) fn sizes(along: &Along<'_, '_>, trajectory: &Trajectory<'_>) -> Vec<f64> {
    let mut sizes = vec![0.0f64; along.start.len()];
    let mut x = along.start.to_vec();
    for t in looks(trajectory) {
        (trajectory.at)(t, &mut x);
        sizes.iter_mut().zip(&x).for_each(|(size, v)| *size = size.max(v.abs()));
    }
    sizes
        .iter_mut()
        .filter(|size| **size <= 1e-100)
        .for_each(|size| *size = 1.0);
    sizes
}

/// Times along the segment, its nodes among them unless these are many.
fn looks(trajectory: &Trajectory<'_>) -> Vec<f64> {
    let mut nodes = trajectory.nodes.clone();
    let stride = nodes.len().div_ceil(MOST_LOOKS);
    if stride > 1 {
        let last = nodes[nodes.len() - 1];
        nodes = nodes
            .into_iter()
            .step_by(stride)
            .filter(|t| *t < last)
            .chain([last])
            .collect();
    }
    let parts = LOOKS.div_ceil(nodes.len() - 1);
    let mut looks = vec![nodes[0]];
    for pair in nodes.windows(2) {
        looks.extend((1..=parts).map(|k| pair[0] + (pair[1] - pair[0]) * k as f64 / parts as f64));
    }
    looks
}

/// Cut the segment where another state has to be left alone.
pub(super) fn stretches(along: &Along<'_, '_>, trajectory: &Trajectory<'_>, sizes: &[f64]) -> Vec<Stretch> {
    let n = along.start.len();
    let (mut x, mut f, mut fx) = (along.start.to_vec(), vec![0.0; n], vec![0.0; n * n]);
    let mut jacobian = Jacobian::new(along.mode.field.as_ref(), n, along.p, &[]);
    // How large a speed is, with its sign, beside what states that are off by their size make of it: that of a state
    // which follows others fast is mostly rounding.
    let mut known = |t: f64| -> Vec<f64> {
        (trajectory.at)(t, &mut x);
        jacobian.at(&x, &mut f, &mut fx, &mut []);
        let part = |i: usize| {
            let changes: f64 = (0..n).map(|j| (fx[i * n + j] * sizes[j]).abs()).sum();
            f[i] / (changes + LEAST * f[i].abs()).max(f64::MIN_POSITIVE)
        };
        (0..n).map(part).collect()
    };
    let looks = looks(trajectory);
    let mut before = known(looks[0]);
    let mut found: Vec<Stretch> = vec![];
    for pair in looks.windows(2) {
        let here = known(pair[1]);
        // A state that turns between two looks is at rest there.
        let least = |i: usize| match before[i] * here[i] > 0.0 {
            true => before[i].abs().min(here[i].abs()),
            false => 0.0,
        };
        let best = (0..n).fold(0, |best, i| if least(i) > least(best) { i } else { best });
        match found.last_mut() {
            Some(stretch) if along.phase.is_some() || least(stretch.alone) >= KEPT * least(best) => {
                stretch.times.push(pair[1]);
            }
            _ => found.push(Stretch {
                times: pair.to_vec(),
                alone: along.phase.unwrap_or(best),
            }),
        }
        before = here;
    }
    found
}

/// The map from one set of coordinates to another at one point.
pub(super) fn change(work: &mut Stability, from: &Coordinates, to: &Coordinates) -> Result<(), Failure> {
    let n = from.n;
    let identity: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
    push_factor(work, from, to, &identity)
}

/// Push the factors of one stretch; returns the integral of the trace over it. Where the transition matrix is `known`
/// between coordinates at its ends, as well as it can be in doubles, it says what it tells better.
pub(super) fn push_stretch(
    along: &Along<'_, '_>,
    trajectory: &Trajectory<'_>,
    work: &mut Stability,
    (stretch, sizes): (&Stretch, &[f64]),
    known: Option<(&Coordinates, &Coordinates, &[f64])>,
) -> Result<f64, Failure> {
    let n = along.start.len();
    let alone = stretch.alone;
    let mut others: Vec<usize> = (0..n).filter(|&i| i != alone).collect();
    let (mut x, mut f, mut fx) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * n]);
    let mut jacobian = Jacobian::new(along.mode.field.as_ref(), n, along.p, &[]);
    let mut looked = 0;
    let mut rate = |t: f64, a: usize, b: usize| {
        look();
        looked += 1;
        if looked > trajectory.most {
            return [f64::NAN; 4];
        }
        (trajectory.at)(t, &mut x);
        jacobian.at(&x, &mut f, &mut fx, &mut []);
        let entry = |r: usize, c: usize| (fx[r * n + c] - f[r] / f[alone] * fx[alone * n + c]) * (sizes[c] / sizes[r]);
        if a == b {
            return [entry(a, a), 0.0, 0.0, 0.0];
        }
        [entry(a, a), entry(a, b), entry(b, a), entry(b, b)]
    };
    // The direction followed first is to be the one that grows more, or decays less.
    if let [a, b] = others[..] {
        let mut gap = 0.0;
        for pair in stretch.times.windows(2) {
            let [first, .., second] = rate(0.5 * (pair[0] + pair[1]), a, b);
            gap += (first - second) * (pair[1] - pair[0]);
        }
        if gap < 0.0 {
            others.reverse();
        }
    }
    let (a, b) = (others[0], others[others.len() - 1]);
    let widths = stretch.times.windows(2).map(|w| w[1] - w[0]);
    let first = rate(stretch.times[0], a, b);
    let mut m = planar_transition(
        widths,
        TOLERANCE,
        first,
        |piece, samples: &mut [PlanarMatrix; PLANAR_STAGES]| {
            let (begin, width) = piece.extent();
            let ends = [stretch.times[piece.interval], stretch.times[piece.interval + 1]];
            for (sample, c) in samples.iter_mut().zip(planar_nodes()) {
                *sample = rate(ends[0] + (ends[1] - ends[0]) * (begin + c * width), a, b);
            }
        },
    )
    .map_err(evaluation)?;
    let slot = |i: usize| i - usize::from(i > alone);
    let known = known.map(|(from, to, dx)| {
        move |r: usize, c: usize| {
            let mut v = vec![0.0; n];
            from.embed(slot(c), &mut v);
            let image: Vec<f64> = dx
                .chunks_exact(n)
                .map(|row| slipstick_numerics::linalg::dot(row, &v))
                .collect();
            to.project(&image, slot(r)) * (sizes[c] / sizes[r])
        }
    });
    let trace = m.trace;
    let chain = &mut work.chain;
    let pushed = if n == 2 {
        match known.map(|known| known(a, a)).filter(|value| value.abs() >= KNOWN) {
            Some(value) => chain.push(1, 1, &[value]),
            None => chain
                .push(2, 1, &[1.0, 0.0])
                .and_then(|()| m.push_to(chain))
                .and_then(|()| chain.push(1, 2, &[1.0, 0.0])),
        }
    } else {
        if let Some(known) = known {
            refine(&mut m, [known(a, a), known(a, b), known(b, a), known(b, b)]);
        }
        let enter = [[1.0 / sizes[a], 0.0], [0.0, 1.0 / sizes[b]]];
        let [first, second] = if slot(a) == 0 { [0, 1] } else { [1, 0] };
        let enter = [enter[0][first], enter[0][second], enter[1][first], enter[1][second]];
        let leave = [[sizes[a], 0.0], [0.0, sizes[b]]];
        let leave = [leave[first][0], leave[first][1], leave[second][0], leave[second][1]];
        chain
            .push(2, 2, &enter)
            .and_then(|()| m.push_to(chain))
            .and_then(|()| chain.push(2, 2, &leave))
    };
    pushed.map_err(evaluation)?;
    Ok(trace)
}

/// Take the first direction, its growth and the coupling from the transition matrix where that knows them better; the
/// determinant stays.
fn refine(m: &mut PlanarTransition, known: [f64; 4]) {
    let lead = usize::from(m.steep);
    let largest = known.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let grown = known[2 * lead];
    if !(grown.abs() >= KNOWN * largest.max(1.0)) || !largest.is_finite() {
        return;
    }
    let growth = grown.abs().ln();
    m.growth[1] += m.growth[0] - growth;
    m.growth[0] = growth;
    m.sign[1] *= m.sign[0] * grown.signum();
    m.sign[0] = grown.signum();
    m.slope = known[2 * (1 - lead)] / grown;
    m.shear = known[2 * lead + 1] / grown;
}

/// Push the factors of steps along the segment that are short enough to be exact to rounding.
fn push_steps(
    along: &Along<'_, '_>,
    trajectory: &Trajectory<'_>,
    work: &mut Stability,
    end: &Coordinates,
) -> Result<(), Failure> {
    let n = along.start.len();
    let gauss = Tableau::gauss(slipstick_numerics::tableau::MOST_STAGES);
    let (mut x, mut f) = (along.start.to_vec(), vec![0.0; n]);
    let mut fx = vec![0.0; gauss.stages * n * n];
    let mut jacobian = Jacobian::new(along.mode.field.as_ref(), n, along.p, &[]);
    let mut variation = Variation::default();
    let mut from = work.here.clone();
    let mut to = Coordinates::default();
    let times = looks(trajectory);
    let reach = reach(gauss.stages);
    let mut steps = 0.0;
    for (j, pair) in times.windows(2).enumerate() {
        let h = pair[1] - pair[0];
        (trajectory.at)(0.5 * (pair[0] + pair[1]), &mut x);
        jacobian.at(&x, &mut f, &mut fx[..n * n], &mut []);
        let (_, strength) = balance(&fx[..n * n], n);
        let pieces = (strength * h.abs() / reach).ceil().max(1.0);
        steps += pieces;
        if !(steps <= MOST) {
            return Err(Failure::Evaluation(
                "perturbations decay along the orbit by more than is computed for more than three states".into(),
            ));
        }
        for piece in 0..pieces as usize {
            look();
            let at = |c: f64| pair[0] + h * ((piece as f64 + c) / pieces);
            for (c, own) in gauss.c.iter().zip(fx.chunks_exact_mut(n * n)) {
                (trajectory.at)(at(*c), &mut x);
                jacobian.at(&x, &mut f, own, &mut []);
            }
            let transition = variation.transition(&gauss, n, &fx, h / pieces)?;
            if j + 2 == times.len() && piece + 1 == pieces as usize {
                to = end.clone();
            } else {
                (trajectory.at)(at(1.0), &mut x);
                to.set(along.mode, along.phase, &x, along.p)?;
            }
            push_factor(work, &from, &to, transition)?;
            std::mem::swap(&mut from, &mut to);
        }
    }
    Ok(())
}
