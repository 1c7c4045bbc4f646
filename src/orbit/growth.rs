//! Growth within segments that are followed in one shot: rounding on the way grows as perturbations do, and where an
//! orbit follows what repels it for long, as it does beyond a canard or beside a saddle, nothing is left of its digits.

use super::PeriodicOrbit;
use super::segment::Segment;
use slipstick_flow::{FlowKind, ModeFlow, Transition};

/// Growth by more than this leaves Newton's method too few digits.
const MOST: f64 = 1e8;
/// In so many parts a segment is looked at.
const PARTS: usize = 64;

/// In which segment perturbations on the way grow until its end by more than a shot can follow, if in any, in words.
pub(super) fn growth_within(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<String> {
    let p = orbit.parameters_at(z);
    (0..orbit.segments.len()).find_map(|k| {
        let s = &orbit.segments[k];
        let grows = match s.flow.kind(&p) {
            FlowKind::ClosedForm => false,
            FlowKind::Linear => may_grow(s),
            FlowKind::Integrated => true,
        };
        if s.on_mesh() || !grows {
            return None;
        }
        let mode = &orbit.system.modes[s.mode];
        let straight: Vec<bool> = mode
            .states
            .iter()
            .map(|&i| orbit.system.states[i].period.is_none())
            .collect();
        let growth = growth(&s.flow, orbit.start(z, k), orbit.duration(z, k), &p, &straight)?;
        (growth > MOST).then(|| {
            format!(
                "along segment {} (`{}`) perturbations grow by {growth:.0e}, and rounding with them",
                k + 1,
                mode.name
            )
        })
    })
}

/// Does a perturbation of the start of a segment grow so much until its end that on the way there it may grow by more
/// than a shot can follow? A linear flow makes them grow alike everywhere.
fn may_grow(s: &Segment<'_>) -> bool {
    /// Growth on the way may be larger by this.
    const ROOM: f64 = 1e4;
    s.transition.dx.iter().any(|v| v.abs() > MOST / ROOM)
}

/// The most that a perturbation on the way has grown by at the end, in units of the states' sizes along the way; those
/// that are not `straight` are angles.
fn growth(flow: &ModeFlow<'_>, start: &[f64], duration: f64, p: &[f64], straight: &[bool]) -> Option<f64> {
    /// A state that is smaller than this part of the largest one counts as so large.
    const LEAST: f64 = 1e-8;
    let n = start.len();
    let mut x = start.to_vec();
    let mut sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let mut parts = Vec::with_capacity(PARTS);
    let mut part = Transition::default();
    for _ in 0..PARTS {
        flow.linearise(&x, duration / PARTS as f64, p, &[], &mut part).ok()?;
        x.copy_from_slice(&part.x);
        sizes.iter_mut().zip(&x).for_each(|(size, x)| *size = size.max(x.abs()));
        parts.push(part.dx.clone());
    }
    let own = |i: &usize| straight[*i];
    let least = LEAST * (0..n).filter(own).fold(f64::MIN_POSITIVE, |most, i| sizes[i].max(most));
    for (size, straight) in sizes.iter_mut().zip(straight) {
        *size = if *straight { size.max(least) } else { 1.0 };
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
