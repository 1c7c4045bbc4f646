//! The linearisation of equilibria of many states, on the entries of the Jacobian that can differ from zero.
//!
//! The bordered system of the tracer has a row and a column that are full. The column stays: it is eliminated last. In
//! place of the row stands the unit row of one unknown, which keeps the factors sparse, and the system with the row
//! that was asked for differs from that by one row: its solution is a sum of two. The unknown is one that the curve
//! changes much, as its tangent tells, so that the system is regular at folds too.

use super::spectrum::{LastCount, Spectrum};
use crate::sparse_jacobian::SparseJacobian;
use nalgebra::Complex;
use slipstick_numerics::linalg::Singular;
use slipstick_numerics::linalg::sparse::{Order, SparseFactors, SparseMatrix};
use slipstick_system::{Function, ModeKind, System};

/// With so many states sparse factors cost less than dense ones.
const MANY: usize = 100;
/// Up to so many states all eigenvalues are computed, by the dense method: no bifurcation is missed then. Of more only
/// the leading ones are.
const ALL: usize = 2000;
/// The unknown whose unit row stands for the border keeps its place while the border is this part of its largest entry
/// there at least; another one is chosen for more, the parameter before all.
const STAYS: f64 = 0.02;
const CHOSEN: f64 = 0.3;

/// What is kept of the linearisation.
pub(in super::super) struct Large {
    pub(super) n: usize,
    /// Are all eigenvalues computed?
    pub(in super::super) all: bool,
    /// The unknowns of the last linearisation.
    pub(super) at: Vec<f64>,
    /// The derivatives.
    derivatives: SparseJacobian,
    bordered: Option<Bordered>,
    /// The size of the test for branch points where the curve set off.
    pub(super) usual: f64,
    /// Eigenvalues at the last point that was measured.
    pub(super) seen: Option<(Vec<f64>, Spectrum)>,
    /// When the eigenvalues were last counted.
    pub(super) counted: Option<LastCount>,
    /// Is the next point that is measured one that the curve goes on from?
    pub(super) accepted: bool,
    /// Denominators and the like, whose zeros end the equations, where the curve set off.
    pub(super) ends: Vec<f64>,
}

/// The system bordered by the unit row of unknown `unknown`.
struct Bordered {
    unknown: usize,
    matrix: SparseMatrix,
    /// Where the entries of each row stand, that of the parameter last; then the one of the border.
    places: Vec<u32>,
    order: Order,
    factors: Option<SparseFactors<f64>>,
    /// Its solution for the last unit vector: the direction of the curve.
    along: Vec<f64>,
}

impl Large {
    /// Has this mode many states, of which each equation is known to see few?
    pub(in super::super) fn is_for(system: &System, mode: usize) -> bool {
        let field = system.modes[mode].field.as_ref();
        let n = system.modes[mode].states.len();
        // Corners hold their sides with equations of their own. Where the equations merely end there are none.
        let corners = field.corners();
        let smooth = corners.is_none_or(|corners| (0..corners.count()).all(|k| corners.ends_there(k)));
        let known = field.structure().is_some_and(|structure| structure.rows() == n);
        let motion = matches!(system.modes[mode].kind, ModeKind::Free);
        n >= MANY && system.modes.len() == 1 && smooth && known && motion
    }

    /// For a mode that this is for.
    pub(in super::super) fn of(system: &System, mode: usize) -> Option<Self> {
        let structure = system.modes[mode]
            .field
            .structure()
            .filter(|_| Self::is_for(system, mode))?;
        let n = structure.rows();
        Some(Self {
            n,
            all: n <= ALL,
            at: vec![],
            derivatives: SparseJacobian::new(structure),
            bordered: None,
            usual: 1.0,
            seen: None,
            counted: None,
            accepted: true,
            ends: vec![],
        })
    }

    /// Evaluate the equations at `z` with their derivatives.
    pub(super) fn evaluate(
        &mut self,
        field: &dyn Function,
        parameters: &[f64],
        free: &[usize],
        z: &[f64],
        residual: &mut [f64],
    ) {
        self.derivatives
            .evaluate(field, parameters, free, &z[..self.n], residual);
        self.at.clear();
        self.at.extend_from_slice(z);
        if let Some(bordered) = &mut self.bordered {
            bordered.factors = None;
        }
    }

    /// In the metric of the curve the states count together as one. A single one that changes by itself is not to
    /// change by more than this part of its size in one step.
    pub(in super::super) fn longest_step(&self, tangent: &[f64], weights: &[f64]) -> f64 {
        const CHANGE: f64 = 0.2;
        let states = tangent.iter().zip(weights).take(self.n);
        let squares = states.fold(0.0f64, |most, (t, w)| most.max(t * t * w));
        CHANGE / (squares * self.n as f64).sqrt()
    }

    /// The curve goes on from the point that is measured next.
    pub(in super::super) fn accept(&mut self) {
        self.accepted = true;
    }

    /// The derivatives by the states, and an order in which they are eliminated.
    pub(in super::super) fn linear(&self) -> (&SparseMatrix, &Order) {
        (&self.derivatives.matrix, &self.derivatives.order)
    }

    /// The length of each row of the derivatives, in unknowns of these sizes.
    pub(in super::super) fn row_lengths(&self, sizes: &[f64]) -> Vec<f64> {
        let mut squares: Vec<f64> = self
            .derivatives
            .slopes
            .iter()
            .map(|v| (v * sizes[self.n]).powi(2))
            .collect();
        for c in 0..self.n {
            for (r, v) in self.derivatives.matrix.column(c) {
                squares[r] += (v * sizes[c]).powi(2);
            }
        }
        squares.iter().map(|s| s.sqrt()).collect()
    }

    /// The factors with the unit row that suits this border, in unknowns of these sizes.
    fn factors(&mut self, border: &[f64], sizes: &[f64]) -> Result<&Bordered, Singular> {
        let entry = |k: usize| (border[k] * sizes[k]).abs();
        let (largest_at, largest) =
            (0..=self.n).fold(
                (self.n, 0.0),
                |(at, most), k| {
                    if entry(k) > most { (k, entry(k)) } else { (at, most) }
                },
            );
        let present = self.bordered.as_ref().map(|b| b.unknown);
        let unknown = match present {
            Some(k) if entry(k) >= STAYS * largest => k,
            _ if entry(self.n) >= CHOSEN * largest => self.n,
            _ => largest_at,
        };
        if present != Some(unknown) {
            self.bordered = Some(self.bordered_by(unknown));
        }
        let failed = Singular {
            unknowns: self.n + 1,
            smallest: 0.0,
            largest,
        };
        let Some(bordered) = &mut self.bordered else {
            return Err(failed);
        };
        if bordered.factors.is_none() {
            bordered.fill(&self.derivatives.matrix, &self.derivatives.slopes, sizes);
            let factors = SparseFactors::of(&bordered.matrix, &bordered.order, 0.0)?;
            let mut along = vec![0.0; self.n + 1];
            along[self.n] = 1.0;
            factors.solve(&mut along);
            bordered.along = along;
            bordered.factors = Some(factors);
        }
        Ok(bordered)
    }

    fn bordered_by(&self, unknown: usize) -> Bordered {
        let n = self.n;
        let mut rows: Vec<Vec<usize>> = vec![vec![]; n + 1];
        for c in 0..n {
            self.derivatives.matrix.column(c).for_each(|(r, _)| rows[r].push(c));
        }
        rows[..n].iter_mut().for_each(|row| row.push(n));
        rows[n].push(unknown);
        let (matrix, places) = SparseMatrix::with_pattern(n + 1, rows.iter().map(Vec::as_slice));
        Bordered {
            unknown,
            order: Order::of(&matrix),
            matrix,
            places,
            factors: None,
            along: vec![],
        }
    }

    /// Solve the bordered system in unknowns of these sizes; `rhs` becomes the solution in their own units.
    pub(in super::super) fn solve(&mut self, border: &[f64], sizes: &[f64], rhs: &mut [f64]) -> Result<(), Singular> {
        let n = self.n;
        let bordered = self.factors(border, sizes)?;
        let Some(factors) = &bordered.factors else {
            return Err(Singular {
                unknowns: n + 1,
                smallest: 0.0,
                largest: 0.0,
            });
        };
        let level = std::mem::replace(&mut rhs[n], 0.0);
        if rhs[..n].iter().any(|v| *v != 0.0) {
            factors.solve(rhs);
        }
        let product = |x: &[f64]| -> f64 { border.iter().zip(sizes).zip(x).map(|((b, s), x)| b * s * x).sum() };
        let share = (level - product(rhs)) / product(&bordered.along);
        for ((x, along), size) in rhs.iter_mut().zip(&bordered.along).zip(sizes) {
            *x = (*x + share * along) * size;
        }
        if rhs.iter().all(|v| v.is_finite()) {
            Ok(())
        } else {
            Err(Singular {
                unknowns: n + 1,
                smallest: 0.0,
                largest: 0.0,
            })
        }
    }

    /// The sign of the determinant of the bordered system.
    pub(super) fn sign(&mut self, border: &[f64], sizes: &[f64]) -> Result<f64, Singular> {
        let bordered = self.factors(border, sizes)?;
        let sign = bordered
            .factors
            .as_ref()
            .map_or(Complex::new(0.0, 0.0), SparseFactors::determinant_phase)
            .re;
        let turned = border
            .iter()
            .zip(sizes)
            .zip(&bordered.along)
            .map(|((b, s), x)| b * s * x);
        Ok(sign * turned.sum::<f64>().signum())
    }
}

impl Bordered {
    /// Take over the derivatives, in unknowns of these sizes.
    fn fill(&mut self, jacobian: &SparseMatrix, slopes: &[f64], sizes: &[f64]) {
        let n = slopes.len();
        let mut next = self.row_begins(n);
        let mut filled = vec![0.0; self.matrix.entries()];
        // Column after column: the entries of one row come in rising order.
        for c in 0..n {
            for (r, v) in jacobian.column(c) {
                filled[self.places[next[r]] as usize] = v * sizes[c];
                next[r] += 1;
            }
        }
        for r in 0..n {
            filled[self.places[next[r]] as usize] = slopes[r] * sizes[n];
        }
        if let Some(last) = self.places.last() {
            filled[*last as usize] = 1.0;
        }
        self.matrix.values_mut().copy_from_slice(&filled);
    }

    fn row_begins(&self, n: usize) -> Vec<usize> {
        let mut lengths = vec![0usize; n + 1];
        for c in 0..=n {
            self.matrix.column(c).for_each(|(r, _)| lengths[r] += 1);
        }
        let mut begin = 0;
        lengths
            .iter()
            .map(|length| {
                let own = begin;
                begin += length;
                own
            })
            .collect()
    }
}
