//! Transition factors of a meshed segment of two or three states whose rates are far beyond the reach of the steps by
//! which they could be resolved: the variational equation modulo the flow, whose slopes change as slowly as the orbit
//! does while the fast directions grow and decay.

use super::decaying::{self, Trajectory};
use crate::perturbation::{Coordinates, Stability};
use crate::segment::scheme::{Along, Profile};
use crate::variation::reach;
use crate::variational::resolved_factors;
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::balance;
use slipstick_numerics::tableau::MOST_STAGES;
use slipstick_system::Jacobian;

/// How often the equation may be evaluated for each step that would resolve its rates. Near equilibria slopes turn with
/// the orbit, and following them is no cheaper: each such step takes nine evaluations and the solution of its stages.
const EVALUATIONS: f64 = 2.0;
/// The most steps that may be taken to resolve rates; along most orbits slopes take thousands of evaluations.
const MOST: f64 = 1e6;

/// Would it take more steps than are worth their time to resolve the rates along a segment, where its states are few
/// enough to do without?
pub(crate) fn is_stiff<P: Profile + ?Sized>(profile: &P, along: &Along<'_, '_>) -> bool {
    /// Steps for each interval, and altogether.
    const MANY: f64 = 4.0;
    const FEW: f64 = 200.0;
    (2..=3).contains(&along.start.len()) && resolving_steps(profile, along) > FEW + MANY * profile.intervals() as f64
}

/// Would it take more steps to resolve the rates along a segment than can be taken?
pub(crate) fn is_out_of_reach<P: Profile + ?Sized>(profile: &P, along: &Along<'_, '_>) -> bool {
    resolving_steps(profile, along) > MOST
}

/// About how many steps it would take to resolve the rates along a segment.
fn resolving_steps<P: Profile + ?Sized>(profile: &P, along: &Along<'_, '_>) -> f64 {
    let n = along.start.len();
    let mut jacobian = Jacobian::new(along.mode.field.as_ref(), n, along.p, &[]);
    let (mut f, mut fx) = (vec![0.0; n], vec![0.0; n * n]);
    let of_interval = |(j, pair): (usize, &[f64])| {
        jacobian.at(profile.node(along.start, along.block, j), &mut f, &mut fx, &mut []);
        let (_, strength) = balance(&fx, n);
        strength * (pair[1] - pair[0]) * along.duration / reach(MOST_STAGES)
    };
    profile.mesh().windows(2).enumerate().map(of_interval).sum()
}

/// The factors of the segment from `work.here` to `work.end`, by steps that resolve them if slopes cannot be followed.
pub(crate) fn factors<P: Profile + ?Sized>(
    profile: &P,
    along: &Along<'_, '_>,
    work: &mut Stability,
) -> Result<f64, Failure> {
    let (begun, end) = (work.chain.clone(), work.end.clone());
    push(profile, along, work, &end).or_else(|failure| {
        if is_out_of_reach(profile, along) {
            return Err(failure);
        }
        work.chain = begun;
        resolved_factors(profile, along, work)
    })
}

/// Push the factors of the segment from `work.here` to the coordinates `end` at its end. Returns the defect in
/// Liouville's identity, log₁₀: the trace as integrated along the steps of the variational equation less that by the
/// quadrature of the mesh.
fn push<P: Profile + ?Sized>(
    profile: &P,
    along: &Along<'_, '_>,
    work: &mut Stability,
    end: &Coordinates,
) -> Result<f64, Failure> {
    let Along {
        start,
        block,
        duration,
        p,
        ..
    } = *along;
    let n = start.len();
    let trajectory = Trajectory {
        nodes: profile.mesh().iter().map(|sigma| sigma * duration).collect(),
        at: &|t, x| profile.eval(start, block, t / duration, x),
        most: (EVALUATIONS * resolving_steps(profile, along).min(MOST)) as usize,
    };
    let sizes = decaying::sizes(along, &trajectory);
    let mut from = work.here.clone();
    let mut x = start.to_vec();
    let mut followed = 0.0;
    for stretch in decaying::stretches(along, &trajectory, &sizes) {
        let alone = Some(stretch.alone);
        let mut chart = Coordinates::default();
        (trajectory.at)(stretch.times[0], &mut x);
        chart.set(along.mode, alone, &x, p)?;
        decaying::change(work, &from, &chart)?;
        followed += decaying::push_stretch(along, &trajectory, work, (&stretch, &sizes), None)?;
        let begun = chart.field[stretch.alone];
        (trajectory.at)(stretch.times[stretch.times.len() - 1], &mut x);
        chart.set(along.mode, alone, &x, p)?;
        followed += (chart.field[stretch.alone] / begun).abs().ln();
        from = chart;
    }
    decaying::change(work, &from, end)?;
    let (mut f, mut fx) = (vec![0.0; n], vec![0.0; n * n]);
    let mut jacobian = Jacobian::new(along.mode.field.as_ref(), n, p, &[]);
    let mut trace = 0.0;
    profile.integrate(start, block, duration, &mut |weight, x| {
        jacobian.at(x, &mut f, &mut fx, &mut []);
        trace += weight * (0..n).map(|i| fx[i * n + i]).sum::<f64>();
    });
    Ok((followed - trace) / std::f64::consts::LN_10)
}
