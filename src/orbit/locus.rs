//! Two-parameter curves of periodic orbits: where a label stays while two parameters change.
//!
//! A boundary of admissibility or a user level is held by its own gradient. A fold, symmetry breaking, period doubling
//! or Neimark–Sacker point is an orbit of the lifted system (see [`System::extended`]), which holds the eigenvector;
//! normalisations take the place of gradients. All other labels are watched along the curve, and where one of them
//! happens as well, the point is one of codimension two.

use crate::admissibility::{Subject, subjects};
use crate::crossing_vectors;
use crate::fixed_scalar;
use crate::fixed_scalar::{FixedScalar, NotFixable, Scalar};
use crate::locus_start::{is_near, stuck_all_along};
use crate::normal::{Normal, keep_across_flow, state_sizes};
use crate::periodic::PeriodicOrbit;
use crate::resonant_grazing::impacting_segment;
use crate::resting_at_zero::come_to_rest;
use crate::return_map;
use crate::sample::OrbitSample;
use crate::segment::discretisation::Discretisation;
use crate::vector_factor::{Normalisation, multiplied_near};
use crate::word::Word;
use slipstick_bifurcation::{BranchPoint, History, Label};
use slipstick_continuation::{
    Condition, Constrained, Failure, Meshes, Newton, NewtonOptions, ParameterScale, Point, Problem, tangent_at,
};
use slipstick_flow::FlowOptions;
use slipstick_system::{Closure, System};

/// What stays along a two-parameter curve.
///
/// ```
/// use slipstick_bifurcation::Label;
/// use slipstick_orbit::{FixedScalar, LocusCondition, Scalar, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// // A fold is kept by carrying its eigenvector along; where a segment vanishes, the scalar itself is held.
/// let fold = LocusCondition::Multiplier(Label::LP);
/// assert_eq!(fold.extended_system(&system, &word).states.len(), 2 * system.states.len());
/// let border = LocusCondition::Scalar(Label::VS, FixedScalar { scalar: Scalar::Inequality(0), level: 0.0 });
/// assert_eq!(border.extended_system(&system, &word).states.len(), system.states.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum LocusCondition {
    /// A multiplier on the unit circle: LP, SB, PD or NS.
    Multiplier(Label),
    /// BP: another family crosses.
    Crossing {
        /// The index of a parameter along which the families cross.
        parameter: usize,
    },
    /// A scalar at a level, under its label.
    Scalar(Label, FixedScalar),
}

impl LocusCondition {
    /// The label.
    pub fn label(&self) -> Label {
        match self {
            Self::Multiplier(label) | Self::Scalar(label, _) => *label,
            Self::Crossing { .. } => Label::BP,
        }
    }

    /// How the eigenvector closes up, for orbits of this word; `None` if there is none.
    fn closure(&self, word: &Word) -> Option<Closure> {
        let label = match *self {
            Self::Multiplier(label) => label,
            Self::Crossing { parameter } => return Some(Closure::Crossing { parameter }),
            Self::Scalar(..) => return None,
        };
        Some(match label {
            Label::SB | Label::PD => Closure::Opposite,
            Label::NS => Closure::Rotated,
            _ if word.letters.iter().all(|l| l.event.is_none()) => Closure::SameUpToShift,
            _ => Closure::Same,
        })
    }

    /// The system in which the curve is solved: lifted to the eigenvector, or as it is.
    pub fn extended_system(&self, system: &System, word: &Word) -> System {
        match self.closure(word) {
            Some(closure) => system.extended(closure, word.symmetric),
            None => system.clone(),
        }
    }
}

/// Why a two-parameter curve cannot begin at a point.
///
/// ```
/// use slipstick_bifurcation::Label;
/// use slipstick_continuation::Failure;
/// use slipstick_orbit::LocusError;
/// let error = LocusError::Start { label: Label::GR, failure: Failure::Newton(vec![1.0, 3.0]) };
/// assert!(error.to_string().contains("GR"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LocusError {
    /// Its scalar is not one that can be held.
    #[error(transparent)]
    Unfit(#[from] NotFixable),
    /// Branch points of orbits with events.
    #[error("only branch points of orbits without events can be continued in two parameters")]
    Events,
    /// Newton's iteration did not reach the curve from the point.
    #[error("the point could not be corrected to a {label} point of the two-parameter problem: {failure}")]
    Start {
        /// The label.
        label: Label,
        /// What went wrong.
        #[source]
        failure: Failure,
    },
}

/// A condition of either kind.
pub(crate) enum Fixed {
    /// A scalar; does the segment that it is about begin on its surface?
    FixedScalar(FixedScalar, bool),
    Normal(Normal),
}

impl<'s> Condition<PeriodicOrbit<'s>> for Fixed {
    fn evaluate(&mut self, orbit: &PeriodicOrbit<'s>, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        match self {
            Self::FixedScalar(h, begins_on) => h.on_the_way(orbit, z, gradient, *begins_on),
            Self::Normal(n) => n.evaluate(orbit, z, gradient),
        }
    }
    fn accept(&mut self, orbit: &PeriodicOrbit<'s>, z: &[f64]) -> bool {
        match self {
            Self::FixedScalar(..) => false,
            Self::Normal(n) => n.accept(orbit, z),
        }
    }
}

/// A two-parameter curve as a problem: one curve of orbits (with eigenvectors) in the space of unknowns and both
/// parameters.
///
/// ```
/// use slipstick_bifurcation::{Label, TraceOptions, Tracer};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{LocusCondition, Locus, PeriodicOrbit, SearchOptions, Word, find_all};
/// use slipstick_system::catalogue::stiction;
/// use std::f64::consts::TAU;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let flow = FlowOptions::default();
/// let mut orbit = PeriodicOrbit::new(&system, word.clone(), vec![0.5, 1.1, 0.4], vec![0], flow);
/// let options = SearchOptions { seeds: None, longest: TAU, region: vec![(-9.0, 9.0), (-9.0, 9.0), (0.0, TAU)] };
/// let found = find_all(&mut orbit, &options, &mut |_| true)?;
/// let start = found[0].begin(&mut orbit)?;
/// let branch = Tracer::new(&mut orbit, &TraceOptions::over((0.4, 0.52))).from_guess(start)?;
/// let (_, fold) = branch.special().find(|(_, p)| p.label == Some(Label::LP)).ok_or("no fold")?;
/// // The fold of the branch, followed in Ω and μ_s: the half map has the multiplier ν = 1 all along.
/// let condition = LocusCondition::Multiplier(Label::LP);
/// let extended_system = condition.extended_system(&system, &word);
/// let (mut locus, start) = Locus::through(&system, &extended_system, &word, condition, (0, 1), fold, flow, &[])?;
/// let folds = Tracer::new(&mut locus, &TraceOptions::over((0.47, 0.48))).through(&start)?;
/// assert!(folds.points.len() > 2);
/// assert!(folds.points.iter().all(|p| p.record.nu.iter().any(|nu| nu.log10.abs() < 1e-7 && nu.arg == 0.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Locus<'s> {
    pub(crate) condition: LocusCondition,
    pub(crate) constrained: Constrained<PeriodicOrbit<'s>, Fixed>,
    /// The orbits themselves, for measuring.
    pub(crate) plain: PeriodicOrbit<'s>,
    pub(crate) closure: Option<Closure>,
    /// For each inequality of the orbits: is it watched? Those that vanish all along are not.
    pub(crate) tested: Vec<bool>,
    /// Of branch points: do two of the branches lie mirrored about the third?
    pub(crate) pitchfork: bool,
    /// Where the rate at which a surface is met vanishes together with the segment that leads to it, multipliers are
    /// quotients of what is rounding.
    pub(crate) stability_known: bool,
    /// Does the rate at which a surface is met stay zero? One multiplier is infinite then, and its sign that of
    /// rounding.
    pub(crate) grazes: bool,
    /// Of grazing at an impact: the inequality that is kept.
    pub(crate) impact: Option<usize>,
    /// How the curve runs in the plane of parameters.
    pub(crate) history: History,
}

impl<'s> Locus<'s> {
    /// The curve through `at`, a located point of orbits of `word`, in the parameters `free` (the first is the one that
    /// the range of a trace is about), with its first point. `lift` is what [`LocusCondition::extended_system`] gives
    /// for the same system and word.
    ///
    /// # Errors
    /// [`LocusError`].
    #[allow(clippy::too_many_arguments)]
    pub fn through(
        system: &'s System,
        extended_system: &'s System,
        word: &Word,
        condition: LocusCondition,
        free: (usize, usize),
        at: &BranchPoint,
        flow: FlowOptions,
        discretisations: &[Discretisation],
    ) -> Result<(Self, Point), LocusError> {
        let closure = condition.closure(word);
        let parameters = at.record.parameters.clone();
        let both = vec![free.1, free.0];
        let plain = PeriodicOrbit::discretised(
            system,
            word.clone(),
            parameters.clone(),
            both.clone(),
            flow,
            discretisations,
        );
        if let LocusCondition::Scalar(_, hold) = &condition {
            fixed_scalar::can_fix(&plain, hold.scalar)?;
        }
        if matches!(condition, LocusCondition::Crossing { .. }) && word.letters.iter().any(|l| l.event.is_some()) {
            return Err(LocusError::Events);
        }
        let mut extended_parameters = parameters;
        let mut all = vec![];
        for _ in closure.map_or(&[][..], Closure::parameters) {
            all.push(extended_parameters.len());
            extended_parameters.push(0.0);
        }
        all.extend(both);
        let extended_word = Word {
            letters: word.letters.clone(),
            symmetric: word.symmetric || closure == Some(Closure::Opposite),
        };
        let mut orbit = PeriodicOrbit::discretised(
            extended_system,
            extended_word,
            extended_parameters,
            all,
            flow,
            discretisations,
        );
        orbit.vectors = closure.map_or(0, Closure::vectors);
        let conditions = match (&condition, closure) {
            (LocusCondition::Scalar(_, hold), _) => vec![Fixed::FixedScalar(hold.clone(), false)],
            (_, None) => vec![],
            (_, Some(closure)) => Normal::conditions(closure).into_iter().map(Fixed::Normal).collect(),
        };
        let impact = match &condition {
            LocusCondition::Scalar(
                Label::GR,
                FixedScalar {
                    scalar: Scalar::Inequality(i),
                    ..
                },
            ) => impacting_segment(&plain, *i).map(|_| *i),
            _ => None,
        };
        let mut locus = Self {
            condition,
            impact,
            constrained: Constrained::new(orbit, conditions),
            plain,
            closure,
            tested: vec![],
            stability_known: true,
            grazes: false,
            pitchfork: false,
            history: History::default(),
        };
        let label = locus.condition.label();
        let start = locus.begin(at).map_err(|failure| {
            let failure = match stuck_all_along(&locus.plain, &at.point.z) {
                Some(remedy) if label == Label::VS => Failure::Evaluation(format!("{failure}; {remedy}")),
                _ => failure,
            };
            LocusError::Start { label, failure }
        })?;
        if label == Label::BP {
            let orbit = locus.orbit_at(&start);
            locus.pitchfork = return_map::is_pitchfork(&locus.plain, &orbit.z).unwrap_or(false);
        }
        Ok((locus, start))
    }

    /// Correct the point, and find the tangent there.
    fn begin(&mut self, at: &BranchPoint) -> Result<Point, Failure> {
        self.plain.restore(&at.point.meshes);
        let plain = self.in_both_parameters(at);
        self.plain.anchor(&plain)?;
        if self.closure.is_some() && self.plain.has_time_jumps() {
            return Err(Failure::Evaluation(
                "multipliers of orbits of which a jump with time sets off an event are not followed in two parameters"
                    .into(),
            ));
        }
        self.plain.take_parameters(&plain);
        if let Some(Fixed::FixedScalar(scalar, begins_on)) = self.constrained.conditions_mut().first_mut() {
            *begins_on = scalar.begins_on_its_surface(&self.plain, &plain);
        }
        let mut z = self.embed(&plain, at)?;
        let n = z.len();
        let options = NewtonOptions {
            iterations: 20,
            rests: self.closure.is_some(),
            ..NewtonOptions::default()
        };
        let mut last = Failure::Evaluation("no second free parameter is given".into());
        let start = z.clone();
        // One of the parameters stays while the other one is corrected.
        for stays in [n - 2, n - 1] {
            let mut row = vec![0.0; n];
            row[stays] = 1.0;
            z.clone_from(&start);
            let outcome = Newton::default()
                .solve(self, &mut z, &row, &start, &[0.0], &options)
                .and_then(|()| self.tangent(z.clone(), &row))
                .and_then(|point| {
                    let found = self.orbit_at(&point).z;
                    is_near(&self.plain, &plain, &found).map(|()| point)
                });
            match outcome {
                Ok(point) => {
                    self.choose_targets(&point)?;
                    return Ok(point);
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    /// The unit tangent, towards larger values of the first parameter.
    fn tangent(&mut self, z: Vec<f64>, row: &[f64]) -> Result<Point, Failure> {
        let n = z.len();
        let stays = row.iter().position(|r| *r != 0.0).unwrap_or(n - 1);
        let mut other = vec![0.0; n];
        other[2 * n - 3 - stays] = 1.0;
        let mut point = tangent_at(self, z.clone(), row, 1.0).or_else(|_| tangent_at(self, z, &other, 1.0))?;
        if point.tangent[n - 1] < 0.0 {
            point.tangent.iter_mut().for_each(|t| *t = -*t);
        }
        Ok(point)
    }

    /// The unknowns of a point of a one-parameter curve, with both parameters as the free ones.
    fn in_both_parameters(&self, at: &BranchPoint) -> Vec<f64> {
        let mut z = at.point.z[..self.plain.unknowns - 2].to_vec();
        z.extend(self.plain.free.iter().map(|&i| at.record.parameters[i]));
        z
    }

    /// The unknowns of the lifted problem: those of the orbit, with the eigenvector found by inverse iteration.
    fn embed(&mut self, plain: &[f64], at: &BranchPoint) -> Result<Vec<f64>, Failure> {
        let meshes = self.plain.meshes.clone();
        let orbit = self.constrained.problem_mut();
        orbit.restore(&meshes);
        let mut z = vec![0.0; orbit.unknowns];
        for (s, p) in orbit.segments.iter().zip(&self.plain.segments) {
            z[s.offset..s.offset + p.n].copy_from_slice(&plain[p.offset..p.offset + p.n]);
            z[s.offset + s.n] = plain[p.offset + p.n];
            let own = z[s.block()].chunks_exact_mut(s.n);
            for (to, from) in own.zip(plain[p.block()].chunks_exact(p.n)) {
                to[..p.n].copy_from_slice(from);
            }
        }
        let (n, m) = (z.len(), plain.len());
        z[n - 2..].copy_from_slice(&plain[m - 2..]);
        if self.closure == Some(Closure::Rotated) {
            let half = self.plain.lap(plain);
            z[n - 3] = crossing_angle(at, self.plain.word.symmetric) / half;
        }
        orbit.anchor(&z)?;
        if let Some(closure) = self.closure {
            Normal::eigenvector(orbit, &mut z, closure)?;
            if matches!(closure, Closure::Crossing { .. }) {
                crossing_vectors::embed_second(orbit, &self.plain, &mut z, &at.point);
            }
            orbit.set_phase(&z);
        }
        Ok(z)
    }

    /// Inequalities that vanish at the start because of what is kept are not watched.
    fn choose_targets(&mut self, start: &Point) -> Result<(), Failure> {
        /// An inequality that is zero to what location leaves.
        const VANISHED: f64 = 1e-7;
        let mut record = slipstick_bifurcation::Record::default();
        self.measure_plain(start, &mut record)?;
        let constrained = match &self.condition {
            LocusCondition::Scalar(
                _,
                FixedScalar {
                    scalar: Scalar::Inequality(i),
                    ..
                },
            ) => Some(*i),
            _ => None,
        };
        let subjects = subjects(&self.plain);
        let vanishes = |i: usize| record.inequalities[i].abs() <= VANISHED;
        self.grazes = constrained.is_some_and(|h| matches!(subjects[h], Subject::Rate(_)));
        self.stability_known = !constrained.is_some_and(|h| {
            let rates = (0..subjects.len()).filter(|&i| matches!(subjects[i], Subject::Rate(_)));
            matches!(subjects[h], Subject::Duration(_)) && rates.into_iter().any(vanishes)
        });
        let same = constrained.and_then(|h| fixed_scalar::same_touch(&self.plain, h));
        self.tested = record
            .inequalities
            .iter()
            .enumerate()
            .map(|(i, v)| match constrained {
                None => true,
                Some(h) => {
                    i != h && Some(i) != same && v.abs() > VANISHED && !subjects[i].lies_in_vanished(subjects[h])
                }
            })
            .collect();
        Ok(())
    }

    /// The orbit at a point of the curve: unknowns and tangent without eigenvectors, both parameters last.
    pub fn orbit_at(&mut self, point: &Point) -> Point {
        if self.plain.meshes != point.meshes {
            self.plain.restore(&point.meshes);
        }
        if self.constrained.meshes() != point.meshes {
            self.constrained.restore(&point.meshes);
        }
        let orbit = self.constrained.problem();
        let project = |v: &[f64]| {
            let mut out = Vec::with_capacity(self.plain.unknowns);
            for (s, p) in orbit.segments.iter().zip(&self.plain.segments) {
                out.extend_from_slice(&v[s.offset..s.offset + p.n]);
                out.push(v[s.offset + s.n]);
                v[s.block()]
                    .chunks_exact(s.n)
                    .for_each(|x| out.extend_from_slice(&x[..p.n]));
            }
            out.extend_from_slice(&v[v.len() - 2..]);
            out
        };
        Point {
            z: project(&point.z),
            tangent: project(&point.tangent),
            weights: project(&point.weights),
            meshes: point.meshes.clone(),
        }
    }

    /// The orbit at a point, with the vectors that come nearest to those in `near`; on a mesh nothing is compared.
    pub(super) fn with_vectors_near(&self, point: &Point, near: &[f64]) -> Option<Point> {
        let orbit = self.constrained.problem();
        if orbit.meshed() {
            return None;
        }
        let closure = self.closure?;
        match crossing_vectors::null_space(orbit, near, closure) {
            Some(space) => space.nearest(point, near),
            None => multiplied_near(point, near, &self.vector_places(), closure),
        }
    }

    /// Where the components of the first vector are among the unknowns, and how much further those of a second one.
    fn vector_places(&self) -> Vec<(usize, usize)> {
        let segments = self.constrained.problem().segments.iter().zip(&self.plain.segments);
        let places = segments.flat_map(|(s, p)| {
            let states = std::iter::once(s.offset).chain(s.block().step_by(s.n));
            states.flat_map(move |at| (0..p.n).map(move |i| (at + p.n + i, p.n)))
        });
        places.collect()
    }

    /// The same of those that the conditions on the vectors sum over, with the sizes of their states.
    fn summed_places(&self, z: &[f64], closure: Closure) -> Vec<((usize, usize), f64)> {
        let orbit = self.constrained.problem();
        let sizes = state_sizes(orbit, z, closure.vectors());
        let segments = orbit.segments.iter().zip(&self.plain.segments);
        let places =
            segments.flat_map(|(s, p)| s.nodes().flat_map(move |at| (0..p.n).map(move |i| (at + p.n + i, p.n))));
        places.map(|place| (place, sizes[place.0])).collect()
    }

    /// The orbit at a point that [`Locus::orbit_at`] gave, as [`PeriodicOrbit::tabulated`].
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated.
    pub fn tabulated(&mut self, orbit: &Point, count: usize) -> Result<OrbitSample, Failure> {
        self.plain.tabulated(orbit, count)
    }

    /// How large each state has been along the curve, of forced orbits that may pass through zero.
    pub(super) fn orbits_met(&self) -> Vec<f64> {
        let extended = self.constrained.problem();
        if extended.is_free() {
            vec![]
        } else {
            extended.met.clone()
        }
    }

    /// The orbits of the curve as a problem, both parameters free.
    pub fn orbits(&mut self) -> &mut PeriodicOrbit<'s> {
        &mut self.plain
    }
}

/// The argument in (0, π) of the multiplier nearest to the unit circle among the complex ones.
fn crossing_angle(at: &BranchPoint, symmetric: bool) -> f64 {
    let multipliers = if symmetric {
        &at.record.nu
    } else {
        &at.record.multipliers
    };
    multipliers
        .iter()
        .filter(|m| m.arg > 0.0 && !m.is_real())
        .min_by(|a, b| a.log10.abs().total_cmp(&b.log10.abs()))
        .map_or(1.0, |m| m.arg)
}

impl Problem for Locus<'_> {
    fn unknowns(&self) -> usize {
        self.constrained.unknowns()
    }
    fn free(&self) -> usize {
        self.constrained.free()
    }
    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        self.constrained.weights(z, weights);
    }
    fn sizes(&self, z: &[f64], sizes: &mut [f64]) {
        self.constrained.sizes(z, sizes);
    }
    fn set_scales(&mut self, z: &[f64], parameters: &[ParameterScale]) {
        self.constrained.set_scales(z, parameters);
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let allowed = self.plain.system.check_requirements(&self.plain.parameters_at(z));
        allowed.map_err(|unmet| Failure::Evaluation(unmet.to_string()))?;
        self.constrained.linearise(z, residual)
    }
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        self.constrained.solve(border, rhs)
    }
    fn meshes(&self) -> Option<Meshes> {
        self.constrained.meshes()
    }
    fn renew(&mut self) -> bool {
        self.constrained.renew()
    }
    fn restore(&mut self, meshes: &Option<Meshes>) {
        self.history = History::default();
        self.constrained.restore(meshes);
        self.constrained.conditions_mut().iter_mut().for_each(|c| {
            if let Fixed::Normal(n) = c {
                n.forget();
            }
        });
    }
    fn normalise(&mut self, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
        let at_rest = come_to_rest(self.constrained.problem(), companions);
        let (Some(closure), Some((z, _))) = (self.closure, companions.first()) else {
            return at_rest;
        };
        // Points of a crossing are taken over where they are accepted.
        if matches!(closure, Closure::Crossing { .. }) {
            return at_rest;
        }
        let normalisation = Normalisation::at(z, self.vector_places(), &self.summed_places(z, closure), closure);
        companions
            .iter_mut()
            .for_each(|(z, tangent)| normalisation.apply(z, tangent));
        true
    }
    fn recall(&mut self, z: &[f64], meshes: &Option<Meshes>) {
        self.constrained.recall(z, meshes);
    }
    fn memory(&self) -> Vec<f64> {
        self.history.memory()
    }
    fn set_memory(&mut self, memory: &[f64]) {
        self.history = History::of_memory(memory);
    }
    fn accept(&mut self, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
        let orbit = self.constrained.problem();
        if let Some(closure) = self.closure {
            keep_across_flow(orbit, z, closure);
        }
        let changed = self.constrained.accept(z, tangent);
        let vectors = |closure| crossing_vectors::null_space(self.constrained.problem(), z, closure);
        if let Some(space) = self.closure.and_then(vectors) {
            space.apply(z, tangent);
        }
        self.history.follow(z, tangent);
        changed
    }
}
