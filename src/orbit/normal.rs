//! Conditions that single out one eigenvector of a lifted orbit: its length, its phase, its shift along the flow.

use super::PeriodicOrbit;
use super::phase_condition::Phase;
use slipstick_continuation::{Condition, Failure, Problem};
use slipstick_system::Closure;

/// What is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// ⟨c, v⟩ = 1 with the vector c of the point before, over starts and mesh nodes of all segments.
    Length,
    /// The same for the first of two vectors.
    FirstLength,
    /// ⟨c, w⟩ = 0 for the second of two vectors, c the first.
    Apart,
    /// For a pair q, r: ⟨c_q, r⟩ - ⟨c_r, q⟩ = 0, which fixes the complex phase.
    Phase,
    /// The start of this vector is normal to the flow, or has no part along the phase of the forcing.
    Shift(usize),
}

/// A linear condition on the eigenvector, renewed along the curve.
#[derive(Clone, Debug)]
pub(super) struct Normal {
    kind: Kind,
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
            Closure::Crossing { .. } => &[Kind::FirstLength, Kind::Apart, Kind::Shift(0), Kind::Shift(1)],
        };
        kinds
            .iter()
            .map(|&kind| Self {
                kind,
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
        let mut total = 0.0;
        for s in &orbit.segments {
            let n = s.n / (1 + self.vectors);
            for at in s.nodes() {
                for i in at + n..at + s.n {
                    let first = i < at + 2 * n;
                    if first || matches!(self.kind, Kind::Length | Kind::Phase) {
                        total += z[i] * z[i];
                    }
                    self.row[i] = match (self.kind, first) {
                        (Kind::Length, _) | (Kind::FirstLength, true) => z[i],
                        (Kind::Phase, true) => -z[i + n],
                        (Kind::Phase | Kind::Apart, false) => z[i - n],
                        _ => 0.0,
                    };
                }
            }
        }
        if total > 0.0 {
            self.row.iter_mut().for_each(|v| *v /= total);
        }
    }

    /// Has the first vector turned away from the one that the row was made of?
    fn has_turned(&self, orbit: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
        /// The cosine of the angle.
        const TURNED: f64 = 0.8;
        let (mut along, mut lengths) = (0.0, [0.0f64, 0.0]);
        for s in &orbit.segments {
            let n = s.n / (1 + self.vectors);
            for i in s.nodes().flat_map(|at| at + n..at + 2 * n) {
                let row = self.row[if self.kind == Kind::Apart { i + n } else { i }];
                along += row * z[i];
                lengths[0] += row * row;
                lengths[1] += z[i] * z[i];
            }
        }
        along < TURNED * (lengths[0] * lengths[1]).sqrt()
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
                Some(first) if i >= first && i < names.len() => {
                    shift_row(orbit, z, closure.vectors(), i - first, row);
                }
                _ => row[n - k + i] = 1.0,
            }
        }
        // Any start with a part along the eigenvector will do; a fixed one keeps results reproducible.
        let mut v: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (1.7 * i as f64).sin()).collect();
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
                .fold(0.0f64, |m, i| if rhs[i].abs() > m.abs() { rhs[i] } else { m });
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

/// The row that keeps the part of a vector (of `vectors`) along the flow out, on the start of the first segment.
fn shift_row(orbit: &PeriodicOrbit<'_>, z: &[f64], vectors: usize, vector: usize, row: &mut [f64]) {
    let Some(s) = orbit.segments.first() else { return };
    let n = s.n / (1 + vectors);
    let first = s.offset + (1 + vector) * n;
    let vector = &mut row[first..first + n];
    match &s.phase {
        Phase::Pin { index, .. } if *index < n => vector[*index] = 1.0,
        _ => {
            let mut rates = vec![0.0; s.n];
            let u = &z[s.offset..s.offset + s.n];
            orbit.system.modes[s.mode].field.value(u, &orbit.parameters, &mut rates);
            let length = slipstick_numerics::linalg::norm(&rates[..n]);
            for (r, f) in vector.iter_mut().zip(&rates) {
                *r = f / length;
            }
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
        let length = matches!(self.kind, Kind::Length | Kind::FirstLength);
        Ok(if length { value - 1.0 } else { value })
    }
    fn accept(&mut self, orbit: &PeriodicOrbit<'s>, z: &[f64]) -> bool {
        // The second vector of a crossing changes with the condition that keeps it apart from the first.
        let apart = matches!(self.kind, Kind::FirstLength | Kind::Apart);
        if apart && self.row.len() == z.len() && !self.has_turned(orbit, z) {
            return false;
        }
        self.renew(orbit, z);
        apart || matches!(self.kind, Kind::Shift(_))
    }
}
