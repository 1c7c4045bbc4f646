//! Transition matrices along a meshed segment, resolved where the mesh of the orbit is too coarse for them.

use crate::near_saddle::Stretch;
use crate::perturbation::{Coordinates, Stability, evaluation};
use crate::resolved_steps::for_each_step;
use crate::segment::scheme::{Along, Profile};
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::{multiply_add, multiply_transposed_add};
use slipstick_system::Jacobian;

/// Below this fraction of the largest speed the orbit is at an equilibrium as far as linear terms can tell, and the
/// field cannot be evaluated well enough to say which way it goes.
const SLOW: f64 = 1e-6;
/// Maps of more states are changed to other coordinates in blocks.
const MANY: usize = 12;

/// Push the map that a transition matrix (n×n by rows) induces between two nodes.
pub(crate) fn push_factor(
    work: &mut Stability,
    from: &Coordinates,
    to: &Coordinates,
    transition: &[f64],
) -> Result<(), Failure> {
    let n = from.n;
    let factor = work.chain.push_zeros(n - 1, n - 1).map_err(evaluation)?;
    if n > MANY
        && let (Some(basis), Some(next)) = (from.basis(), to.basis())
    {
        let mut image = vec![0.0; n * (n - 1)];
        multiply_add(transition, basis, &mut image, (n, n, n - 1));
        multiply_transposed_add(next, &image, factor, (n - 1, n, n - 1));
        return Ok(());
    }
    let (mut v, mut image) = (vec![0.0; n], vec![0.0; n]);
    for c in 0..n - 1 {
        from.embed(c, &mut v);
        for (o, row) in image.iter_mut().zip(transition.chunks_exact(n)) {
            *o = slipstick_numerics::linalg::dot(row, &v);
        }
        for r in 0..n - 1 {
            factor[r * (n - 1) + c] = to.project(&image, r);
        }
    }
    Ok(())
}

/// A segment in general: from the coordinates at its start to those at its end.
pub(crate) fn resolved_factors<P: Profile + ?Sized>(
    profile: &P,
    along: &Along<'_, '_>,
    work: &mut Stability,
) -> Result<f64, Failure> {
    let mut from = work.here.clone();
    let mut to = Coordinates::default();
    for_each_step(profile, along, 0..profile.intervals(), &mut |x, transition| {
        to.set(along.mode, along.phase, x, along.p)?;
        push_factor(work, &from, &to, transition)?;
        std::mem::swap(&mut from, &mut to);
        Ok(())
    })
}

/// Is the orbit at an equilibrium at some node, as far as linear terms can tell?
pub(crate) fn lingers(profile: &dyn Profile, along: &Along<'_, '_>) -> bool {
    let mut f = vec![0.0; along.start.len()];
    let speeds = (0..profile.intervals()).map(|j| {
        let x = profile.node(along.start, along.block, j);
        along.mode.field.value(x, along.p, &mut f);
        slipstick_numerics::linalg::norm(&f)
    });
    let (slowest, fastest) = speeds.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    !(slowest > SLOW * fastest)
}

/// A smooth orbit in one segment, closed upon itself: from the node where it is fastest once around, so that it may
/// linger at an equilibrium.
pub(crate) fn closed_factors(
    profile: &dyn Profile,
    along: &Along<'_, '_>,
    work: &mut Stability,
) -> Result<f64, Failure> {
    let Along {
        mode, start, block, p, ..
    } = *along;
    let (n, count) = (start.len(), profile.intervals());
    let mut f = vec![0.0; n];
    let mut speed = |x: &[f64]| {
        mode.field.value(x, p, &mut f);
        slipstick_numerics::linalg::norm(&f)
    };
    let (mut fastest, mut first) = (0.0, 0);
    for j in 0..count {
        let v = speed(profile.node(start, block, j));
        if v > fastest {
            (fastest, first) = (v, j);
        }
    }
    let mut nodes: Vec<Node> = vec![];
    let order = (first..count).chain(0..first);
    let defect = for_each_step(profile, along, order, &mut |x, transition| {
        let mut field = vec![0.0; n];
        mode.field.value(x, p, &mut field);
        nodes.push(Node {
            x: x.to_vec(),
            speed: slipstick_numerics::linalg::norm(&field),
            field,
            transition: transition.to_vec(),
        });
        Ok(())
    })?;
    let mut from = Coordinates::default();
    let mut to = Coordinates::default();
    from.set(mode, None, profile.node(start, block, first), p)?;
    let home = from.clone();
    let resting = resting_directions(along, &home.field, &nodes, fastest);
    let mut direction = vec![0.0; n];
    for (k, node) in nodes.iter().enumerate() {
        if k + 1 == nodes.len() {
            push_factor(work, &from, &home, &node.transition)?;
            break;
        }
        if node.speed > SLOW * fastest {
            to.set(mode, None, &node.x, p)?;
        } else if let Some(known) = &resting[k] {
            to.set_direction(known)?;
        } else {
            for (d, row) in direction.iter_mut().zip(node.transition.chunks_exact(n)) {
                *d = slipstick_numerics::linalg::dot(row, &from.field);
            }
            let length = slipstick_numerics::linalg::norm(&direction);
            direction.iter_mut().for_each(|d| *d /= length);
            to.set_direction(&direction)?;
        }
        push_factor(work, &from, &to, &node.transition)?;
        std::mem::swap(&mut from, &mut to);
    }
    Ok(defect)
}

/// The direction of the flow at the nodes where the orbit lingers at a saddle, `start` being the field before the first
/// node.
fn resting_directions(along: &Along<'_, '_>, start: &[f64], nodes: &[Node], fastest: f64) -> Vec<Option<Vec<f64>>> {
    let mut found = vec![None; nodes.len()];
    let slow = |k: &usize| nodes[*k].speed <= SLOW * fastest;
    let mut k = 0;
    while let Some(begin) = (k..nodes.len()).find(slow) {
        let Some(end) = (begin..nodes.len()).find(|k| !slow(k)) else {
            break;
        };
        k = end;
        let run = &nodes[begin..end];
        let slowest = run.iter().min_by(|a, b| a.speed.total_cmp(&b.speed));
        let Some(slowest) = slowest else { continue };
        let n = start.len();
        let (mut f, mut jacobian) = (vec![0.0; n], vec![0.0; n * n]);
        Jacobian::new(along.mode.field.as_ref(), n, along.p, &[]).at(&slowest.x, &mut f, &mut jacobian, &mut []);
        let stretch = Stretch {
            arrival: if begin == 0 { start } else { &nodes[begin - 1].field },
            departure: &nodes[end].field,
            transitions: nodes[begin..=end].iter().map(|node| &node.transition[..]).collect(),
            jacobian,
        };
        if let Some(directions) = stretch.directions() {
            for (slot, direction) in found[begin..end].iter_mut().zip(directions) {
                *slot = Some(direction);
            }
        }
    }
    found
}

/// The end of a step along an orbit.
struct Node {
    x: Vec<f64>,
    field: Vec<f64>,
    speed: f64,
    /// The transition matrix of the step that ends here, by rows.
    transition: Vec<f64>,
}
