//! What a discretisation of a segment must be able to do.

use crate::perturbation::Stability;
use slipstick_continuation::Failure;
use slipstick_flow::{ModeFlow, Transition};
use slipstick_numerics::tableau::Tableau;
use slipstick_system::{Function, Mode};

/// Where the equations of a segment are evaluated.
pub(crate) struct At<'a, 's> {
    pub(crate) flow: &'a ModeFlow<'s>,
    pub(crate) field: &'a dyn Function,
    pub(crate) start: &'a [f64],
    pub(crate) duration: f64,
    /// The scheme's own unknowns.
    pub(crate) block: &'a [f64],
    pub(crate) p: &'a [f64],
    pub(crate) free: &'a [usize],
    /// The size of each state; empty unless the scheme wants it.
    pub(crate) sizes: &'a [f64],
}

/// A course that is known roughly, to begin with.
pub(crate) struct Guess<'a> {
    pub(crate) field: &'a dyn Function,
    pub(crate) duration: f64,
    pub(crate) p: &'a [f64],
    pub(crate) free: &'a [usize],
    /// The size of each state.
    pub(crate) sizes: &'a [f64],
}

/// A solved segment, along which perturbations are followed.
pub(crate) struct Along<'a, 's> {
    pub(crate) mode: &'a Mode,
    pub(crate) flow: &'a ModeFlow<'s>,
    pub(crate) start: &'a [f64],
    pub(crate) duration: f64,
    pub(crate) block: &'a [f64],
    pub(crate) p: &'a [f64],
    /// The state that is a phase.
    pub(crate) phase: Option<usize>,
    /// The end, as last evaluated.
    pub(crate) end: &'a Transition,
}

/// The lines of a condensed system that belong to a segment.
pub(crate) struct Rows<'a> {
    /// From the first of them on.
    pub(crate) jacobian: &'a mut [f64],
    pub(crate) width: usize,
    /// The columns of the start, the duration after it, and the free parameters.
    pub(crate) start: usize,
    pub(crate) duration: usize,
    pub(crate) parameters: usize,
}

/// A discretisation of a segment from its start u over its duration T.
///
/// The states that are left once its own unknowns are condensed are the start and, unless the end is a function of the
/// start, some states along the segment, of which the end is the last.
pub(crate) trait Scheme: Send + Sync {
    /// The segment as states along it, if these are its unknowns.
    fn profile(&self) -> Option<&dyn Profile> {
        None
    }
    /// The same, to set its mesh.
    fn profile_mut(&mut self) -> Option<&mut dyn Profile> {
        None
    }

    /// Does the evaluation need to know how large states are?
    fn wants_sizes(&self) -> bool {
        false
    }
    /// Evaluate the own equations into `residual`, with all derivatives. A scheme without a profile sets the end and
    /// its derivatives in `end`.
    ///
    /// # Errors
    /// [`Failure`] when the flow cannot be followed.
    fn evaluate(&mut self, at: &At<'_, '_>, residual: &mut [f64], end: &mut Transition) -> Result<(), Failure>;

    /// How many states condensation leaves, the start among them.
    fn states_left(&self) -> usize {
        1
    }
    /// The layout of unknowns changes: nothing is condensed any more.
    fn forget(&mut self) {}
    /// Condense the linearisation at the last evaluation, with states eliminated in these units, for changes in which
    /// those that are `absent` stay zero all along.
    ///
    /// # Errors
    /// [`Failure`] when that is not possible.
    fn condense(&mut self, units: &[f64], absent: &[usize]) -> Result<(), Failure> {
        let _ = (units, absent);
        Ok(())
    }
    /// The units of the states that condensation has left, if they differ from one to the other.
    fn units_left(&self) -> Option<Vec<f64>> {
        None
    }
    /// Does the condensed linearisation serve as well at the last evaluation?
    fn is_condensed_near(&self) -> bool {
        true
    }
    /// Write the relations between the states that are left, as many vectors of them as there are states besides the
    /// start.
    fn relations(&self, rows: &mut Rows<'_>) {
        let _ = rows;
    }
    /// Rewrite the relations, all of them zero, as the flow has them between any states, parameters fixed: for a scheme
    /// whose own relations are those of states that come back as the orbit does.
    ///
    /// # Errors
    /// [`Failure`] when the variational equation cannot be followed.
    fn transport(&self, along: &Along<'_, '_>, rows: &mut Rows<'_>) -> Result<(), Failure> {
        let _ = along;
        self.relations(rows);
        Ok(())
    }
    /// Carry right-hand sides of the own equations through the condensation; those of the relations come back.
    fn reduce(&mut self, rhs: &[f64]) -> Vec<f64> {
        let _ = rhs;
        vec![]
    }
    /// Rewrite a border row over the own unknowns in terms of the states that are left and (T, p): coefficients are
    /// added to `nodes` (the vectors one after the other) and `shared`, and the constant that the row loses to its
    /// right-hand side comes back. Uses the last [`Scheme::reduce`].
    fn condense_row(&self, row: &[f64], nodes: &mut [f64], shared: &mut [f64]) -> f64 {
        let _ = (row, nodes, shared);
        0.0
    }
    /// Fill in the own unknowns from the states that are left and the shared unknowns, after [`Scheme::reduce`].
    fn expand(&self, nodes: &[f64], shared: &[f64], block: &mut [f64]) {
        let _ = (nodes, shared, block);
    }

    /// A mesh for a known course over scaled time.
    fn fit(&mut self, guess: &Guess<'_>, dense: &mut dyn FnMut(f64, &mut [f64])) {
        let _ = (guess, dense);
    }
    /// The mesh that the solution asks for, if it is not the present one; `sizes` are those of the states.
    fn refitted(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
        let _ = (start, block, sizes);
        None
    }

    /// Push the factors by which perturbations modulo the flow direction go over the segment, from `work.here`, leave
    /// the coordinates at its end in `work.end`, and return the defect in Liouville's identity, log₁₀. Nothing is
    /// pushed, and nothing returned, where the transition matrix of the last evaluation says it as well.
    ///
    /// # Errors
    /// [`Failure`] when the variational equation cannot be followed.
    fn factors(&self, along: &Along<'_, '_>, work: &mut Stability) -> Result<Option<f64>, Failure>;
}

/// A segment described by states along it, the own unknowns of its scheme: in each interval of a mesh of scaled time σ
/// = t/T ∈ [0, 1] some, the last of them at the interval's end.
pub(crate) trait Profile: Send + Sync {
    /// The nodes of the mesh, from 0 to 1.
    fn mesh(&self) -> &[f64];
    /// Take over another mesh.
    fn set_mesh(&mut self, nodes: &[f64]);
    /// Where in an interval its unknowns stand, as parts of it. The last stands at its end.
    fn parts(&self) -> &[f64];
    /// Number of states.
    fn states(&self) -> usize;

    /// Is the phase of a free orbit best fixed by an integral over the profile? Else by a plane across the flow at the
    /// start.
    fn fixes_phase_by_integral(&self) -> bool;
    /// May the segment be cut at any node into segments of the same kind?
    fn may_be_subdivided(&self) -> bool;

    /// The state at the part `tau` of interval `j`.
    fn eval_in(&self, start: &[f64], block: &[f64], j: usize, tau: f64, out: &mut [f64]);
    /// Add to gradients over the start and over the own unknowns what a gradient `dx` of the state at scaled time
    /// `sigma` amounts to.
    fn pull(&self, sigma: f64, dx: &[f64], start: &mut [f64], block: &mut [f64]);
    /// Visit points that resolve the profile, in order, with the field there as last evaluated: scaled time, state,
    /// field.
    fn each_node(&self, start: &[f64], block: &[f64], each_node: &mut dyn FnMut(f64, &[f64], &[f64]));
    /// The rates of the states at the start and at all own unknowns over this `duration`, as the profile itself
    /// changes, where it tells them: the field enlarges the error of a fast state by its rate.
    fn rates(&self, start: &[f64], block: &[f64], duration: f64) -> Option<Vec<f64>> {
        let _ = (start, block, duration);
        None
    }
    /// Visit points of a quadrature with their weights, over this `duration`.
    fn integrate(&self, start: &[f64], block: &[f64], duration: f64, each_node: &mut dyn FnMut(f64, &[f64]));
    /// By what the variational equation is integrated along it, interval by interval.
    fn gauss(&self) -> &Tableau;

    /// The error aimed at, relative to the size of each state.
    fn tolerance(&self) -> f64;
    /// The estimated error of the profile, relative to the size of each state.
    fn error(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> f64;
    /// May the mesh still be refined?
    fn may_be_refined(&self) -> bool;
    /// Why a profile of this error is no result, if it is none.
    fn refusal(&self, error: f64) -> Option<String> {
        let _ = error;
        None
    }
    /// Tells profiles, or tangents of them, on the mesh with these nodes: what is given is a start and the own
    /// unknowns, what comes back the own unknowns there.
    fn transfer<'a>(&'a self, nodes: &[f64]) -> Transfer<'a>;

    /// Number of intervals.
    fn intervals(&self) -> usize {
        self.mesh().len() - 1
    }
    /// Unknowns of one interval.
    fn stride(&self) -> usize {
        self.parts().len() * self.states()
    }
    /// Number of own unknowns.
    fn unknowns(&self) -> usize {
        self.intervals() * self.stride()
    }
    /// Node `j`.
    fn node<'z>(&self, start: &'z [f64], block: &'z [f64], j: usize) -> &'z [f64] {
        if j == 0 {
            start
        } else {
            &block[j * self.stride() - self.states()..j * self.stride()]
        }
    }
    /// The interval that scaled time `sigma` lies in, and the part of it that lies before.
    fn place(&self, sigma: f64) -> (usize, f64) {
        let mesh = self.mesh();
        let last = mesh.len() - 2;
        let j = mesh.partition_point(|&s| s <= sigma).saturating_sub(1).min(last);
        (j, (sigma - mesh[j]) / (mesh[j + 1] - mesh[j]))
    }
    /// The state at scaled time `sigma`.
    fn eval(&self, start: &[f64], block: &[f64], sigma: f64, out: &mut [f64]) {
        let (j, tau) = self.place(sigma);
        self.eval_in(start, block, j, tau, out);
    }
}

/// See [`Profile::transfer`].
pub(crate) type Transfer<'a> = Box<dyn Fn(&[f64], &[f64]) -> Vec<f64> + 'a>;

impl dyn Profile + '_ {
    /// The own unknowns for a function of scaled time.
    pub(crate) fn reported(&self, mut value: impl FnMut(f64, &mut [f64])) -> Vec<f64> {
        let mut block = vec![0.0; self.unknowns()];
        let mut targets = block.chunks_exact_mut(self.states());
        for pair in self.mesh().windows(2) {
            for tau in self.parts() {
                if let Some(target) = targets.next() {
                    value(pair[0] + tau * (pair[1] - pair[0]), target);
                }
            }
        }
        block
    }
}
