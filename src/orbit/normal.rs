//! Conditions that single out one eigenvector of a lifted orbit: its length, its phase, its shift along the flow.
//!
//! Products of vectors are those of components relative to the sizes of the states: in raw units the state written in
//! the smallest unit would decide alone, and a vector might be kept across the flow by a product that hardly knows the
//! flow at the start of the orbit.

use super::PeriodicOrbit;
use super::crossing_vectors;
use super::phase::{flow_along, integral_row};
use super::phase_condition::Phase;
use super::segment::Segment;
use slipstick_continuation::{Condition, Failure, Problem};
use slipstick_numerics::linalg::{dot, norm};
use slipstick_system::Closure;

/// What is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// ⟨c, v⟩ = 1 with the vector c of the point before, over starts and mesh nodes of all segments.
    Length,
    /// One of the conditions on the vectors of a crossing, see [`crossing_vectors`], for one of them.
    Dual([usize; 2]),
    /// For a pair q, r: ⟨c_q, r⟩ - ⟨c_r, q⟩ = 0, which fixes the complex phase.
    Phase,
    /// This vector is normal to the flow, as shifts of the orbit are measured; or it has no part along the phase of the
    /// forcing.
    Shift(usize),
}

/// A linear condition on the eigenvector, renewed along the curve.
#[derive(Clone, Debug)]
pub(super) struct Normal {
    kind: Kind,
    closure: Closure,
    vectors: usize,
    row: Vec<f64>,
}

impl Normal {
    pub(super) fn conditions(closure: Closure) -> Vec<Self> {
        let kinds: &[Kind] = match closure {
            Closure::Same | Closure::Opposite => &[Kind::Length],
            Closure::SameUpToShift => &[Kind::Length, Kind::Shift(0)],
            Closure::Rotated => &[Kind::Length, Kind::Phase],
            Closure::NullSpace { .. } => &[],
            Closure::Crossing { .. } => &[
                Kind::Dual([0, 0]),
                Kind::Dual([0, 1]),
                Kind::Dual([1, 0]),
                Kind::Dual([1, 1]),
                Kind::Shift(0),
                Kind::Shift(1),
            ],
        };
        kinds
            .iter()
            .map(|&kind| Self {
                kind,
                closure,
                vectors: closure.vectors(),
                row: vec![],
            })
            .collect()
    }

    /// The next evaluation makes a new row.
    pub(super) fn forget(&mut self) {
        self.row.clear();
    }

    fn renew(&mut self, orbit: &PeriodicOrbit<'_>, z: &[f64]) {
        self.row.clear();
        self.row.resize(z.len(), 0.0);
        if let Kind::Shift(vector) = self.kind {
            shift_row(orbit, z, self.vectors, vector, &mut self.row);
            return;
        }
        if let Kind::Dual(which) = self.kind {
            if let Some(space) = crossing_vectors::null_space(orbit, z, self.closure) {
                self.row = space.row(which, z.len());
            }
            return;
        }
        let mut total = 0.0;
        let sizes = state_sizes(orbit, z, self.vectors);
        for s in &orbit.segments {
            let n = s.n / (1 + self.vectors);
            for at in s.nodes() {
                for i in at + n..at + s.n {
                    let first = i < at + 2 * n;
                    let square = sizes[i] * sizes[i];
                    total += z[i] * z[i] / square;
                    self.row[i] = match (self.kind, first) {
                        (Kind::Phase, true) => -z[i + n] / square,
                        (Kind::Phase, false) => z[i - n] / square,
                        _ => z[i] / square,
                    };
                }
            }
        }
        if total > 0.0 {
            self.row.iter_mut().for_each(|v| *v /= total);
        }
    }

    /// Replace the vectors in `z` (zero before) by the eigenvector that closes up, found by inverse iteration on the
    /// linearised orbit.
    pub(super) fn eigenvector(orbit: &mut PeriodicOrbit<'_>, z: &mut [f64], closure: Closure) -> Result<(), Failure> {
        /// Where the matrix is singular to the last digit, one of an orbit that is off by this serves as well.
        const ASIDE: f64 = 1e-9;
        let at = z.to_vec();
        Self::eigenvector_at(orbit, z, &at, closure).or_else(|_| {
            let aside = |(i, z): (usize, &f64)| z + ASIDE * (1.0 + z.abs()) * (1.0 + 0.5 * (1.7 * i as f64).sin());
            let states = at.len() - orbit.free.len();
            let mut near: Vec<f64> = at.iter().enumerate().map(aside).collect();
            near[states..].copy_from_slice(&at[states..]);
            Self::eigenvector_at(orbit, z, &near, closure)
        })
    }

    /// The same, on the orbit linearised at `at`.
    fn eigenvector_at(
        orbit: &mut PeriodicOrbit<'_>,
        z: &mut [f64],
        at: &[f64],
        closure: Closure,
    ) -> Result<(), Failure> {
        let names = closure.parameters();
        let shifts = names.iter().position(|name| *name == "beta");
        let states = |n: usize| n / (1 + closure.vectors());
        // At a crossing the second vector is none, and comes out of the first correction, in which it is linear.
        let eigen = if matches!(closure, Closure::Crossing { .. }) {
            1
        } else {
            closure.vectors()
        };
        let (n, k) = (orbit.unknowns, orbit.free.len());
        let mut residual = vec![0.0; n - k];
        orbit.linearise(at, &mut residual)?;
        let mut border = vec![0.0; k * n];
        for (i, row) in border.chunks_exact_mut(n).enumerate() {
            match shifts {
                // Those of the vectors come last.
                Some(first) if i >= first && i < names.len() => {
                    shift_row(orbit, z, closure.vectors(), i - first, row);
                }
                _ => row[n - k + i] = 1.0,
            }
        }
        // Any start with a part along the eigenvector will do; a fixed one keeps results reproducible.
        let sizes = state_sizes(orbit, z, closure.vectors());
        let mut v: Vec<f64> = (0..n)
            .map(|i| sizes[i] * (1.0 + 0.5 * (1.7 * i as f64).sin()))
            .collect();
        for _ in 0..4 {
            let mut rhs = vec![0.0; n];
            let mut row = 0;
            let count = orbit.segments.len();
            for (i, s) in orbit.segments.iter().enumerate() {
                row += s.block().len() + 1;
                let next = &orbit.segments[(i + 1) % count];
                for r in states(next.n)..(1 + eigen) * states(next.n) {
                    rhs[row + r] = v[next.offset + r];
                }
                row += next.n;
            }
            orbit.solve(&border, &mut rhs)?;
            let largest = orbit
                .segments
                .iter()
                .flat_map(|s| {
                    s.nodes()
                        .flat_map(move |at| at + states(s.n)..at + (1 + eigen) * states(s.n))
                })
                .map(|i| rhs[i] / sizes[i])
                .fold(0.0f64, |m, v| if v.abs() > m.abs() { v } else { m });
            if !(largest.is_finite() && largest != 0.0) {
                return Err(Failure::Evaluation("no eigenvector was found".into()));
            }
            v = rhs.iter().map(|x| x / largest).collect();
        }
        for s in &orbit.segments {
            let points = std::iter::once(s.offset).chain(s.block().step_by(s.n));
            for at in points {
                let own = at + states(s.n)..at + (1 + eigen) * states(s.n);
                z[own.clone()].copy_from_slice(&v[own]);
            }
        }
        if let Some(first) = shifts {
            z[n - k + first] = v[n - k + first];
        }
        Ok(())
    }
}

/// For each unknown, the size that a component of a vector is relative to: that of its state along the orbit. Where
/// events or a forcing are, states may vanish on purpose, and all count as one.
pub(super) fn state_sizes(orbit: &PeriodicOrbit<'_>, z: &[f64], vectors: usize) -> Vec<f64> {
    let mut sizes = vec![1.0; z.len()];
    if orbit.system.is_hybrid() || !orbit.is_free() {
        return sizes;
    }
    let of_unknowns = orbit.sizes_at(z);
    for s in &orbit.segments {
        let n = s.n / (1 + vectors);
        for at in s.nodes() {
            for own in sizes[at + n..at + s.n].chunks_exact_mut(n) {
                own.copy_from_slice(&of_unknowns[s.offset..s.offset + n]);
            }
        }
    }
    sizes
}

/// Is a row over the unknowns kept to rounding, beside its parts?
fn is_kept(row: &[f64], z: &[f64]) -> bool {
    const ROUNDING: f64 = 1e-10;
    let (mut sum, mut parts) = (0.0f64, 0.0);
    for (r, z) in row.iter().zip(z) {
        sum += r * z;
        parts += (r * z).abs();
    }
    sum.abs() <= ROUNDING * parts
}

/// Take the part along the flow out of the vectors that are kept across it. What is along the flow solves their
/// equations: the point stays a solution, and no correction has to move it along the curve to make up for a condition
/// that is another one now.
pub(super) fn keep_across_flow(orbit: &PeriodicOrbit<'_>, z: &mut [f64], closure: Closure) {
    let shifts = Normal::conditions(closure).into_iter().filter_map(|c| match c.kind {
        Kind::Shift(vector) => Some(vector),
        _ => None,
    });
    let forced = |s: &Segment<'_>| matches!(s.phase, Phase::Pin { .. });
    if orbit.segments.iter().any(forced) {
        return;
    }
    for vector in shifts {
        let mut row = vec![0.0; z.len()];
        shift_row(orbit, z, closure.vectors(), vector, &mut row);
        if is_kept(&row, z) {
            continue;
        }
        let mut along = vec![0.0; z.len()];
        let flow = flow_along(orbit, z);
        for s in &orbit.segments {
            let n = s.n / (1 + closure.vectors());
            for at in std::iter::once(s.offset).chain(s.block().step_by(s.n)) {
                let own = at + (1 + vector) * n;
                along[own..own + n].copy_from_slice(&flow[at..at + n]);
            }
        }
        let part = dot(&row, z) / dot(&row, &along);
        if part.is_finite() {
            z.iter_mut().zip(&along).for_each(|(z, f)| *z -= part * f);
        }
    }
}

/// The row that keeps the part of a vector (of `vectors`) along the flow out: over the whole orbit where its phase is
/// kept like that, else on the start of the first segment.
fn shift_row(orbit: &PeriodicOrbit<'_>, z: &[f64], vectors: usize, vector: usize, row: &mut [f64]) {
    let Some(s) = orbit.segments.first() else { return };
    let n = s.n / (1 + vectors);
    let first = s.offset + (1 + vector) * n;
    match &s.phase {
        Phase::Pin { index, .. } if *index < n => row[first + index] = 1.0,
        // At any one place of the orbit the vector may be large along the flow, and small across it, elsewhere.
        Phase::Integral { .. } => {
            let own = integral_row(orbit, z);
            for s in &orbit.segments {
                let n = s.n / (1 + vectors);
                for at in s.nodes() {
                    let place = at + (1 + vector) * n;
                    row[place..place + n].copy_from_slice(&own[at..at + n]);
                }
            }
        }
        _ => {
            let sizes = state_sizes(orbit, z, vectors);
            let mut rates = vec![0.0; s.n];
            let (u, p) = (&z[s.offset..s.offset + s.n], orbit.parameters_at(z));
            orbit.system.modes[s.mode].field.value(u, &p, &mut rates);
            let own = first..first + n;
            for ((r, f), size) in row[own.clone()].iter_mut().zip(&rates).zip(&sizes[own.clone()]) {
                *r = f / (size * size);
            }
            let length = norm(&row[own.clone()]);
            row[own].iter_mut().for_each(|r| *r /= length);
        }
    }
}

impl<'s> Condition<PeriodicOrbit<'s>> for Normal {
    fn evaluate(&mut self, orbit: &PeriodicOrbit<'s>, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        if self.row.len() != z.len() {
            self.renew(orbit, z);
        }
        gradient.copy_from_slice(&self.row);
        let value: f64 = self.row.iter().zip(z).map(|(r, z)| r * z).sum();
        let one = matches!(self.kind, Kind::Length | Kind::Dual([0, 0] | [1, 1]));
        Ok(if one { value - 1.0 } else { value })
    }
    fn accept(&mut self, orbit: &PeriodicOrbit<'s>, z: &[f64]) -> bool {
        self.renew(orbit, z);
        matches!(self.kind, Kind::Shift(_))
    }
}
