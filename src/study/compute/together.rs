//! What passes together at a special point: where several eigenvalues are equal by symmetry, no curve in two parameters
//! sets off.

use crate::compute::error::ComputeError;
use slipstick_bifurcation::{Label, Record};
use slipstick_floquet::Multiplier;

/// Say of a curve in two parameters that did not set off from a point how many pass there, if they are several.
pub(crate) fn explained(why: ComputeError, label: Label, record: &Record) -> ComputeError {
    let usual = match label {
        Label::HB | Label::NS => 2,
        _ => 1,
    };
    let count = count(label, record);
    if count <= usual {
        return why;
    }
    let what = if record.eigenvalues.is_empty() {
        "multipliers"
    } else {
        "eigenvalues"
    };
    ComputeError::SeveralPass {
        label,
        count,
        what,
        why: Box::new(why),
    }
}

/// How many eigenvalues or multipliers are where one, or a pair, is at a point of this label.
fn count(label: Label, record: &Record) -> usize {
    /// Eigenvalues this near to the axis, relative to their scale, and multipliers to the circle.
    const EIGENVALUE: f64 = 1e-6;
    const MULTIPLIER: f64 = 1e-5;
    let eigenvalues = record.scaled_eigenvalues().filter(|(v, scale)| match label {
        Label::LP | Label::BP => v.norm() <= EIGENVALUE * scale,
        Label::HB => v.re.abs() <= EIGENVALUE * scale && v.im.abs() > EIGENVALUE * scale,
        _ => false,
    });
    let near = |m: &&Multiplier| {
        m.to_complex().is_some_and(|m| match label {
            Label::LP | Label::BP => (m - 1.0).norm() <= MULTIPLIER,
            Label::PD | Label::SB => (m + 1.0).norm() <= MULTIPLIER,
            Label::NS => (m.norm() - 1.0).abs() <= MULTIPLIER && m.im.abs() > MULTIPLIER,
            _ => false,
        })
    };
    let multipliers = record.of_return_map().iter().filter(near);
    if record.eigenvalues.is_empty() {
        multipliers.count()
    } else {
        eigenvalues.count()
    }
}
