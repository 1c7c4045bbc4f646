//! What passes at a special point counts neither as stable nor as unstable.
//!
//! The multipliers or eigenvalues that a bifurcation is named after lie on the circle or on the axis but for rounding
//! and for how well the point is located, and these say nothing of stability: mirror images of one point would be
//! counted differently.

use super::{BranchPoint, Label, Record};
use nalgebra::Complex;
use slipstick_floquet::Multiplier;
use std::f64::consts::{LN_10, PI};

/// Others this near to where the critical ones are pass with them.
const TOGETHER: f64 = 1e-8;
/// So do those that are hardly farther off than these, as the partners that a conservative system has.
const PARTNER: f64 = 2.0;
/// A multiplier as far as this from the circle does not pass it: within the rounding of the parameter it has other
/// values, as in the explosion of a canard.
const RESOLVED: f64 = 0.02;
/// Eigenvalues to the right of the axis by this part of their scale are counted in any case, and those below the second
/// in none.
const COUNTED: f64 = 1e-10;
const ROUNDING: f64 = 1e-14;

/// Count the unstable directions of labelled points beside those that pass there.
pub(super) fn leave_out_critical(points: &mut [BranchPoint]) {
    for point in points {
        if let Some(label) = point.label {
            leave_out(label, &mut point.record);
        }
    }
}

fn leave_out(label: Label, record: &mut Record) {
    if record.unstable == 0 {
        return;
    }
    if !record.eigenvalues.is_empty() {
        let all: Vec<(Complex<f64>, f64)> = record.scaled_eigenvalues().collect();
        let off = |(v, scale): &(Complex<f64>, f64)| off_axis(label, v) / scale;
        let last = farthest(&all, label, f64::INFINITY, off);
        // As many as were counted, of those that were computed: one next to the axis may have been, or not.
        let (critical, others): (Vec<_>, Vec<_>) = all.iter().partition(|v| off(v) <= last);
        let counted = critical.iter().filter(|(v, scale)| v.re > COUNTED * scale).count();
        let doubtful = critical
            .iter()
            .filter(|(v, scale)| v.re > 0.0 && v.re <= COUNTED * scale)
            .count();
        let beside = others.iter().filter(|(v, scale)| v.re > ROUNDING * scale).count();
        let left = record.unstable.saturating_sub(counted);
        record.unstable = left - left.saturating_sub(beside).min(doubtful);
        return;
    }
    let off = |m: &Multiplier| off_circle(label, m);
    let last = farthest(record.of_return_map(), label, RESOLVED, off);
    let critical = record.of_return_map().iter().filter(|m| off(m) <= last);
    let symmetric = !record.nu.is_empty();
    let counted: Vec<Multiplier> = critical.map(|m| if symmetric { m.squared() } else { *m }).collect();
    record.unstable -= Multiplier::count_unstable(&counted).min(record.unstable);
}

/// How far off those of the values may be that pass at a point of this label; none is farther than `most`.
fn farthest<T>(values: &[T], label: Label, most: f64, off: impl Fn(&T) -> f64) -> f64 {
    let count = match label {
        Label::NS | Label::HB => 2,
        _ => 1,
    };
    let mut distances: Vec<f64> = values.iter().map(off).filter(|d| d.is_finite()).collect();
    distances.sort_by(f64::total_cmp);
    let nearest = distances.get(count - 1).filter(|d| **d <= most);
    nearest.map_or(-1.0, |d| (PARTNER * d).max(TOGETHER))
}

/// How far a multiplier is from where one passes at a point of this label; infinite where it cannot.
fn off_circle(label: Label, m: &Multiplier) -> f64 {
    match label {
        Label::LP | Label::BP => (LN_10 * m.log10).hypot(m.arg),
        Label::PD | Label::SB => (LN_10 * m.log10).hypot(PI - m.arg.abs()),
        Label::NS if !m.is_real() => (LN_10 * m.log10).abs(),
        _ => f64::INFINITY,
    }
}

/// The same for an eigenvalue.
fn off_axis(label: Label, v: &Complex<f64>) -> f64 {
    match label {
        Label::LP | Label::BP => v.norm(),
        Label::HB if v.im != 0.0 => v.re.abs(),
        _ => f64::INFINITY,
    }
}
