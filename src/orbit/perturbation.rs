//! Perturbations modulo the flow direction: coordinates, and the buffers in which factors are collected.
use crate::angles::phase;
use crate::segment::piece_weights::PieceWeights;
use slipstick_continuation::Failure;
use slipstick_floquet::{FactorChain, MultiplierSolver, quotient_basis};
use slipstick_system::{Mode, System};

pub(crate) fn evaluation(e: impl std::fmt::Display) -> Failure {
    Failure::Evaluation(e.to_string())
}

/// Coordinates of ℝⁿ modulo the flow direction at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinates {
    pub(crate) n: usize,
    /// The field, or a direction that stands for it.
    pub(crate) field: Vec<f64>,
    /// The phase state, if the system has one.
    pub(crate) phase: Option<usize>,
    /// Otherwise an orthonormal basis of the complement of the field, n×(n-1) by rows.
    basis: Vec<f64>,
}

impl Coordinates {
    pub(crate) fn set(&mut self, mode: &Mode, phase: Option<usize>, x: &[f64], p: &[f64]) -> Result<(), Failure> {
        self.n = x.len();
        self.phase = phase;
        self.field.resize(self.n, 0.0);
        mode.field.value(x, p, &mut self.field);
        if phase.is_none() {
            self.basis.resize(self.n * (self.n - 1), 0.0);
            quotient_basis(&self.field, &mut self.basis).map_err(evaluation)?;
        }
        Ok(())
    }
    /// Coordinates modulo a direction.
    pub(crate) fn set_direction(&mut self, direction: &[f64]) -> Result<(), Failure> {
        self.n = direction.len();
        self.phase = None;
        self.field.clear();
        self.field.extend_from_slice(direction);
        self.basis.resize(self.n * (self.n - 1), 0.0);
        quotient_basis(&self.field, &mut self.basis).map_err(evaluation)
    }
    /// The basis by rows, of n - 1 vectors, unless a phase is left out instead.
    pub(crate) fn basis(&self) -> Option<&[f64]> {
        self.phase.is_none().then_some(&self.basis[..])
    }
    /// A vector in the class of coordinate `c`.
    pub(crate) fn embed(&self, c: usize, v: &mut [f64]) {
        match self.phase {
            Some(i) => {
                v.fill(0.0);
                v[c + usize::from(c >= i)] = 1.0;
            }
            None => {
                for (row, v) in self.basis.chunks_exact(self.n - 1).zip(v) {
                    *v = row[c];
                }
            }
        }
    }
    /// Coordinate `c` of the class of `v`.
    pub(crate) fn project(&self, v: &[f64], c: usize) -> f64 {
        match self.phase {
            Some(i) => {
                let k = c + usize::from(c >= i);
                v[k] - self.field[k] * (v[i] / self.field[i])
            }
            None => (0..self.n).map(|r| self.basis[r * (self.n - 1) + c] * v[r]).sum(),
        }
    }
}

/// Buffers, and what is known of each mode.
#[derive(Default)]
pub(crate) struct Stability {
    pub(crate) chain: FactorChain,
    pub(crate) solver: MultiplierSolver,
    /// For each mode: the state that is a phase.
    pub(crate) phases: Vec<Option<usize>>,
    pub(crate) here: Coordinates,
    pub(crate) end: Coordinates,
    pub(crate) next: Coordinates,
    pub(crate) v: Vec<f64>,
    pub(crate) w: Vec<f64>,
    pub(crate) image: Vec<f64>,
    pub(crate) weights: PieceWeights,
}

impl Stability {
    pub(crate) fn new(phases: &[Option<usize>]) -> Self {
        Self {
            phases: phases.to_vec(),
            ..Self::default()
        }
    }
}

/// For each mode the state that is a phase, if each has one: coordinates must mean the same on both sides of an event.
pub(crate) fn phases(system: &System) -> Vec<Option<usize>> {
    let all: Option<Vec<usize>> = system.modes.iter().map(|m| phase(system, m)).collect();
    all.map_or(vec![None; system.modes.len()], |all| {
        all.into_iter().map(Some).collect()
    })
}
