//! Multipliers of an orbit from resolved transition factors.
//!
//! Perturbations are taken modulo the flow direction, so the trivial multiplier never enters and cannot pollute tiny
//! ones. Where the system has a phase that runs at a constant rate, a class is represented by its member at fixed
//! phase; otherwise by its component normal to the flow. On a mesh the variational equation is integrated with steps of
//! its own: the monodromy of a Gauss scheme tends to ±1 where contraction or expansion is strong within an interval,
//! although the orbit itself is accurate there.

use crate::periodic::PeriodicOrbit;
use crate::perturbation::{Stability, evaluation};
use crate::planar_cycle;
use crate::segment::Segment;
use crate::segment::scheme::{Along, Profile};
use crate::segment::stiff_mesh;
use crate::variational::{closed_factors, lingers};
use slipstick_continuation::Failure;
use slipstick_floquet::Multiplier;
use slipstick_numerics::linalg::dot;

/// How fast the flow `f` crosses a surface with this normal, kept off zero by rounding: at a grazing event, where the
/// multiplier is infinite, it then comes out as large as rounding allows.
fn crossing_rate(normal: &[f64], f: &[f64]) -> f64 {
    let rate = dot(normal, f);
    let least = f64::EPSILON * (dot(normal, normal) * dot(f, f)).sqrt();
    if rate.abs() < least { least.copysign(rate) } else { rate }
}

/// What is known of a segment at the last evaluation, which was at `z`.
pub(crate) fn along<'a, 's>(
    orbit: &'a PeriodicOrbit<'_>,
    s: &'a Segment<'s>,
    z: &'a [f64],
    phase: Option<usize>,
) -> Along<'a, 's> {
    Along {
        mode: &orbit.system.modes[s.mode],
        flow: &s.flow,
        start: &z[s.offset..s.offset + s.n],
        duration: z[s.offset + s.n],
        block: &z[s.block()],
        p: &orbit.parameters,
        phase,
        end: &s.transition,
    }
}

/// The multipliers of the orbit (of half of it, if symmetric), and the defect in Liouville's identity: the difference
/// of log₁₀|det| as followed and as integrated from the divergence on the mesh; zero without meshes. In the plane the
/// identity gives the multiplier, and the defect is that of the integral.
pub(crate) fn multipliers(
    orbit: &PeriodicOrbit<'_>,
    work: &mut Stability,
    z: &[f64],
    target: &mut Vec<Multiplier>,
) -> Result<f64, Failure> {
    if let Some(parts) = planar_parts(orbit, work, z) {
        let (multiplier, defect) = planar_cycle::multiplier(&parts)?;
        target.clear();
        target.push(multiplier);
        return Ok(defect);
    }
    let defect = transition_factors(orbit, work, z)?;
    work.solver.multipliers(&work.chain, target).map_err(evaluation)?;
    // Within a segment a factor may pass through more directions than there are at its ends, where perturbations decay
    // out of sight: what these add is exactly zero, and no multiplier of the orbit.
    let directions = orbit.segments.iter().map(|s| s.n - 1).max();
    target.truncate(directions.unwrap_or(0));
    Ok(defect)
}

/// The segments of a smooth orbit of two states on meshes, in one part or several.
fn planar_parts<'a, 's>(
    orbit: &'a PeriodicOrbit<'s>,
    work: &Stability,
    z: &'a [f64],
) -> Option<Vec<planar_cycle::Part<'a, 's>>> {
    let part = |s: &'a Segment<'s>| {
        let planar = s.n == 2 && s.guard.is_none() && work.phases[s.mode].is_none();
        let profile = s.profile().filter(|_| planar)?;
        Some(planar_cycle::Part {
            profile,
            along: along(orbit, s, z, None),
            junction: &s.junction_dx,
        })
    };
    orbit.segments.iter().map(part).collect()
}

/// The only segment of a smooth orbit on a mesh that closes upon itself.
fn closed_profile<'o, 's>(
    orbit: &'o PeriodicOrbit<'s>,
    work: &Stability,
) -> Option<(&'o Segment<'s>, &'o dyn Profile)> {
    match &orbit.segments[..] {
        [s] if s.guard.is_none() && !orbit.word.symmetric && work.phases[s.mode].is_none() => Some((s, s.profile()?)),
        _ => None,
    }
}

/// By how much the rates before the event that ends segment `k` differ, through its junction, from those after it.
/// Where stick begins they do not, and must not by rounding: at a landing without speed that is divided by zero.
fn jump_of_field(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Vec<f64> {
    /// As a part of the size of each state in a period.
    const ROUNDING: f64 = 1e-11;
    let s = &orbit.segments[k];
    let next = (k + 1) % orbit.segments.len();
    let after = &orbit.segments[next];
    let mut jump = vec![0.0; after.n];
    let field = &orbit.system.modes[after.mode].field;
    field.value(&orbit.start_behind_jump(z, next), &orbit.parameters, &mut jump);
    let sizes = orbit.sizes_at(z);
    let sizes = &sizes[after.offset..after.offset + after.n];
    let period: f64 = (0..orbit.segments.len()).map(|k| orbit.duration(z, k)).sum();
    for ((jump, row), size) in jump.iter_mut().zip(s.junction_dx.chunks_exact(s.n)).zip(sizes) {
        *jump = dot(row, &s.transition.f) - *jump;
        if jump.abs() * period <= ROUNDING * size {
            *jump = 0.0;
        }
    }
    jump
}

/// Fill the chain with the transition factors of the orbit (of half of it, if symmetric). Returns the defect in
/// Liouville's identity.
pub(crate) fn transition_factors(orbit: &PeriodicOrbit<'_>, work: &mut Stability, z: &[f64]) -> Result<f64, Failure> {
    let count = orbit.segments.len();
    let p = &orbit.parameters;
    let mut defect = 0.0;
    work.chain.clear();
    if let Some((s, profile)) = closed_profile(orbit, work) {
        let along = along(orbit, s, z, None);
        // Where nothing moves but slowly what counts is what states do relative to their rates at other times: an orbit
        // that slips as an earthquake does is at no equilibrium in between.
        let follows = || !lingers(profile, &along) || stiff_mesh::is_out_of_reach(profile, &along);
        if stiff_mesh::is_stiff(profile, &along) && follows() {
            work.here.set(along.mode, None, along.start, p)?;
            work.end = work.here.clone();
            return stiff_mesh::factors(profile, &along, work);
        }
        return closed_factors(profile, &along, work);
    }
    for k in 0..count {
        let s = &orbit.segments[k];
        let next = &orbit.segments[(k + 1) % count];
        let start = orbit.start_behind_jump(z, k);
        work.here
            .set(&orbit.system.modes[s.mode], work.phases[s.mode], &start, p)?;
        let follow = orbit.start_behind_jump(z, (k + 1) % count);
        work.next
            .set(&orbit.system.modes[next.mode], work.phases[next.mode], &follow, p)?;
        let found = s.scheme.factors(&along(orbit, s, z, work.phases[s.mode]), work)?;
        let resolved = found.is_some();
        defect += found.unwrap_or(0.0);
        work.v.resize(s.n, 0.0);
        work.w.resize(s.n, 0.0);
        work.image.resize(next.n, 0.0);
        let rate = crossing_rate(&s.guard_dx, &s.transition.f);
        let jump = jump_of_field(orbit, z, k);
        let factor = work.chain.push_zeros(next.n - 1, s.n - 1).map_err(evaluation)?;
        for c in 0..s.n - 1 {
            if resolved {
                work.end.embed(c, &mut work.w);
            } else {
                work.here.embed(c, &mut work.v);
                for (w, row) in work.w.iter_mut().zip(s.transition.dx.chunks_exact(s.n)) {
                    *w = dot(row, &work.v);
                }
            }
            for (image, row) in work.image.iter_mut().zip(s.junction_dx.chunks_exact(s.n)) {
                *image = dot(row, &work.w);
            }
            // The event moves in time: so much longer the field before it acts, and so much less that after it.
            if s.guard.is_some() {
                let shift = dot(&s.guard_dx, &work.w) / rate;
                for (image, jump) in work.image.iter_mut().zip(&jump) {
                    *image -= jump * shift;
                }
            }
            for r in 0..next.n - 1 {
                factor[r * (s.n - 1) + c] = work.next.project(&work.image, r);
            }
        }
    }
    Ok(defect)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::resolved_steps::log_determinant;
    use crate::segment::discretisation::Discretisation;
    use crate::segment::mesh::MeshOptions;
    use crate::variation::Variation;
    use crate::word::Word;
    use slipstick_continuation::{Newton, NewtonOptions, Problem};
    use slipstick_flow::FlowOptions;
    use slipstick_system::Jacobian;
    use slipstick_system::catalogue::regularised_stiction;

    /// At ε = 1e-3 and Ω = 2 the flow contracts by 10^-1828 in a period. The scheme's own monodromy, on the mesh that
    /// gives the orbit ten digits, knows nothing of it.
    #[test]
    fn the_monodromy_of_the_scheme_is_wrong_where_the_resolved_factors_are_right() {
        let system = regularised_stiction();
        let word = Word::parse("slip- layer", true, &system).unwrap();
        let methods = [
            Discretisation::Flow,
            Discretisation::Flow,
            Discretisation::Collocation(MeshOptions::default()),
        ];
        let parameters = vec![2.0, 1.1, 0.4, 0.6, 1e-3];
        let mut orbit =
            PeriodicOrbit::discretised(&system, word, parameters, vec![0], FlowOptions::default(), &methods);
        // Independently computed: landing phase, time in the layer, time of slip, x at landing and at launch, ln|det|
        // of the half map.
        let (land, layer, slip, x_land, x_launch, log_det) = (
            1.4361196171494308,
            1.1081307689580104,
            2.033461884631783,
            -0.418676399857862,
            -0.41827179680047905,
            -2105.018753805939,
        );
        let starts = [vec![-x_launch, -1e-3, land - slip], vec![x_land, -1.0, land]];
        let mut z = orbit.guess(&starts, &[slip, layer]).unwrap();
        let n = z.len();
        let mut row = vec![0.0; n];
        row[n - 1] = 1.0;
        let anchor = z.clone();
        let mut newton = Newton::default();
        newton
            .solve(&mut orbit, &mut z, &row, &anchor, &[0.0], &NewtonOptions::default())
            .unwrap();
        for _ in 0..4 {
            let mut propagated = z.clone();
            if !orbit.accept(&mut z, &mut propagated) {
                break;
            }
            let n = z.len();
            let mut row = vec![0.0; n];
            row[n - 1] = 1.0;
            let anchor = z.clone();
            newton
                .solve(&mut orbit, &mut z, &row, &anchor, &[0.0], &NewtonOptions::default())
                .unwrap();
        }

        let mut work = Stability::new(&orbit.plan.phases);
        let defect = transition_factors(&orbit, &mut work, &z).unwrap();
        assert!(defect.abs() < 1e-9, "{defect:e}");
        let mut nu = vec![];
        work.solver.multipliers(&work.chain, &mut nu).unwrap();
        let wanted = log_det / std::f64::consts::LN_10;
        let ours: f64 = nu.iter().map(|m| m.log10).sum();
        assert!((ours - wanted).abs() < 1e-9 * wanted.abs(), "{ours} {wanted}");

        let s = &orbit.segments[1];
        let profile = s.profile().unwrap();
        let mut jacobian = Jacobian::new(system.modes[s.mode].field.as_ref(), 3, &orbit.parameters, &[]);
        let mut jacobians = vec![];
        profile.each_node(orbit.start(&z, 1), &z[s.block()], &mut |_, x, f| {
            let mut own = vec![0.0; 9];
            jacobian.at(x, &mut f.to_vec(), &mut own, &mut []);
            jacobians.extend(own);
        });
        let widths = profile.mesh().windows(2).map(|w| (w[1] - w[0]) * z[s.offset + s.n]);
        let mut variation = Variation::default();
        let plain: f64 = widths
            .zip(jacobians.chunks_exact(profile.gauss().stages * 9))
            .map(|(h, own)| {
                let transition = variation.transition(profile.gauss(), 3, own, h).unwrap();
                log_determinant(transition, 3) / std::f64::consts::LN_10
            })
            .sum();
        assert!((plain - wanted).abs() > 0.5 * wanted.abs(), "{plain} {wanted}");
    }
}
