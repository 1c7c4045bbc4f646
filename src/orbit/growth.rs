//! Growth within segments that are followed in one shot: rounding on the way grows as perturbations do, and where an
//! orbit follows what repels it for long, as it does beyond a canard or beside a saddle, nothing is left of its digits.

use super::PeriodicOrbit;
use crate::sizes;
use slipstick_flow::{FlowKind, Transition};

/// Growth by more than this leaves Newton's method too few digits.
const MOST: f64 = 1e8;
/// In so many parts a segment is looked at.
const PARTS: usize = 64;

/// In which segment perturbations on the way grow until its end by more than a shot can follow, if in any, and what
/// helps, in words.
pub(super) fn growth_within(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<String> {
    let p = orbit.parameters_at(z);
    let sizes = sizes::largest_states(orbit, z);
    (0..orbit.segments.len()).find_map(|k| {
        let s = &orbit.segments[k];
        if s.on_mesh() || s.flow.kind(&p) != FlowKind::Integrated {
            return None;
        }
        let mode = &orbit.system.modes[s.mode];
        let own: Vec<f64> = mode.states.iter().map(|&state| sizes[state]).collect();
        let growth = growth(&s.flow, orbit.start(z, k), orbit.duration(z, k), &p, &own)?;
        (growth > MOST).then(|| {
            format!(
                "along segment {} (`{}`) perturbations grow by {growth:.0e}, and rounding with them: `method: Collocation()` follows it on a mesh",
                k + 1,
                mode.name
            )
        })
    })
}

/// The most that a perturbation on the way has grown by at the end, in units of the states' sizes.
fn growth(flow: &slipstick_flow::ModeFlow<'_>, start: &[f64], duration: f64, p: &[f64], sizes: &[f64]) -> Option<f64> {
    let n = start.len();
    let mut x = start.to_vec();
    let mut parts = Vec::with_capacity(PARTS);
    let mut part = Transition::default();
    for _ in 0..PARTS {
        flow.linearise(&x, duration / PARTS as f64, p, &[], &mut part).ok()?;
        x.copy_from_slice(&part.x);
        parts.push(part.dx.clone());
    }
    // From each part on to the end.
    let mut onward: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
    let mut most = 1.0f64;
    for dx in parts.iter().rev() {
        let entry = |i: usize, j: usize| (0..n).map(|l| onward[i * n + l] * dx[l * n + j]).sum::<f64>();
        onward = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        for (k, v) in onward.iter().enumerate() {
            most = most.max((v * sizes[k % n] / sizes[k / n]).abs());
        }
    }
    most.is_finite().then_some(most)
}
