//! What the tracer of a study asks of the objects it follows, so that equilibria, cycles of maps and periodic orbits
//! are followed alike.

use crate::compute::error::ComputeError;
use crate::plan::entries::CurvePlan;
use crate::results::canards;
use slipstick_bifurcation::{BranchPoint, Inspect, Label};
use slipstick_continuation::{Meshes, Point, Problem};
use slipstick_flow::mirror_image;
use slipstick_orbit::{
    FixedPoint, HalfBranches, LargeCycle, OrbitSample, PeriodicOrbit, SavedAnchor, SavedGauge, SavedPhase, Word,
    WordError, branch_bends, choice_beyond, cycle_half_branches, discretised_anew, half_branches, halved, invariants,
    is_repeated, least_cycle, match_invariants, mesh_tolerance, parent_cycle, unfolded,
};

/// A family of objects that can be followed, distinguished and switched.
pub(crate) trait Family: Inspect + Sized {
    /// The numbers by which two members are distinguished.
    fn invariants(&self, z: &[f64]) -> Vec<Vec<f64>>;
    /// Do these belong to the same member?
    fn same(&self, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool;
    /// How long a member lasts, if it is an orbit in time.
    fn period_of(&self, z: &[f64]) -> Option<f64> {
        let _ = z;
        None
    }
    /// Rows for pictures.
    fn rows(&mut self, at: &BranchPoint, count: usize) -> Option<OrbitSample>;
    /// Rows for tables, between which polynomials follow the orbit.
    fn table(&mut self, at: &BranchPoint, count: usize) -> Option<OrbitSample> {
        self.rows(at, count)
    }
    /// The problem and the point in it from which the branch at this label sets off; `word` is the one of the piece
    /// that the point lies on.
    fn branching(
        &self,
        curve: &CurvePlan,
        word: &str,
        at: &BranchPoint,
        label: Label,
    ) -> Result<(Self, Point), ComputeError>;
    /// Where a branch ends at the period doubling that it was born at: the family whose period doubles there, its
    /// problem and its point there.
    fn ends_on(&self, curve: &CurvePlan, word: &str, at: &BranchPoint) -> Option<Result<(Self, Point), ComputeError>> {
        let _ = (curve, word, at);
        None
    }
    /// Are the members halves of symmetric orbits?
    fn is_half(&self) -> bool {
        false
    }
    /// The problem of a `word` that goes through the same events, begun at a later one, and what tells the `orbit` at
    /// this value of the parameter from others of that word; in each of the ways in which it may begin.
    fn begun_later(&self, curve: &CurvePlan, word: &str, orbit: (&[Vec<f64>], f64)) -> Vec<(Self, Vec<Vec<f64>>)> {
        let _ = (curve, word, orbit);
        vec![]
    }
    /// Is it certain that what is born at this label leaves its value of the parameter?
    fn branch_bends(&self, curve: &CurvePlan, word: &str, at: &BranchPoint, label: Label) -> bool {
        let _ = (curve, word, at, label);
        false
    }
    /// What [`Family::come_back`] needs.
    type Saved;
    /// Where the members start from now.
    fn save(&self) -> Self::Saved;
    /// Start the members where they started when this was saved.
    fn come_back(&mut self, saved: Self::Saved);
    /// Be as at this point of a curve: its meshes, its phase condition.
    fn go_to(&mut self, point: &Point);
    /// The error asked of the discretisation, if there is one to choose.
    fn error_asked(&self) -> Option<f64> {
        None
    }
    /// Measure what is added to the monitors for tables only.
    fn add_columns(&mut self, point: &mut BranchPoint) {
        let _ = point;
    }
    /// Names of the monitors with what is added to them.
    fn columns(&self) -> Vec<String> {
        self.monitor_names()
    }
    /// What else is legal at the boundary `at`, where the inequality of index `broken` vanishes, if the future is not
    /// unique there.
    fn choice_at(&mut self, curve: &CurvePlan, at: &Point, broken: usize) -> Option<String> {
        let _ = (curve, at, broken);
        None
    }
    /// All half-branches that leave a branch point, where that can be found out; `range` is the width of the range of
    /// the parameter.
    fn half_branches(&mut self, at: &Point, range: f64) -> Option<HalfBranches> {
        let _ = (at, range);
        None
    }
    /// The problem with the curve's other discretisation, if it has one, and the member at `point` in it.
    fn otherwise(&mut self, curve: &CurvePlan, point: &Point) -> Option<Result<(Self, Point), ComputeError>> {
        let _ = (curve, point);
        None
    }
    /// The problem of points with these meshes on the curve, where it is another one: by the curve's other
    /// discretisation, or not by it.
    fn on_meshes(&self, curve: &CurvePlan, meshes: &Option<Meshes>) -> Option<Self> {
        let _ = (curve, meshes);
        None
    }
    /// Make the problem ready to set off from a point once more.
    fn begin_again(&mut self, at: &Point) {
        self.restore(&at.meshes);
    }
}

/// The same kind of problem for another word.
pub(crate) fn problem_like<'s>(
    curve: &CurvePlan,
    problem: &PeriodicOrbit<'s>,
    word: Word,
    parameters: &[f64],
) -> PeriodicOrbit<'s> {
    let mut like = PeriodicOrbit::discretised(
        problem.system(),
        word,
        parameters.to_vec(),
        problem.free_parameters().to_vec(),
        curve.flow,
        problem.discretisations(),
    );
    like.set_range(curve.trace.range);
    like.limit_growth(problem.limits_growth());
    like.hold_sides_along_curves();
    like
}

/// The problem of the word of the piece that a label lies on, as it is there.
fn problem_at<'s>(
    orbit: &PeriodicOrbit<'s>,
    curve: &CurvePlan,
    word: &str,
    at: &BranchPoint,
) -> Result<PeriodicOrbit<'s>, WordError> {
    let word = if word.is_empty() {
        orbit.word().clone()
    } else {
        Word::parse(word, word.ends_with("| mirrored"), orbit.system())?
    };
    let mut own = problem_like(curve, orbit, word, &at.record.parameters);
    Problem::restore(&mut own, &at.point.meshes);
    own.rephase(&at.point);
    Ok(own)
}

impl Family for PeriodicOrbit<'_> {
    fn error_asked(&self) -> Option<f64> {
        mesh_tolerance(self)
    }

    fn branch_bends(&self, curve: &CurvePlan, word: &str, at: &BranchPoint, label: Label) -> bool {
        problem_at(self, curve, word, at).is_ok_and(|own| branch_bends(&own, label, &at.point.z))
    }
    fn is_half(&self) -> bool {
        self.word().symmetric
    }

    fn period_of(&self, z: &[f64]) -> Option<f64> {
        Some(self.period(z))
    }

    fn begun_later(
        &self,
        curve: &CurvePlan,
        word: &str,
        (ends, level): (&[Vec<f64>], f64),
    ) -> Vec<(Self, Vec<Vec<f64>>)> {
        let system = self.system();
        let own = &self.word().letters;
        let half = self.is_half();
        let (Ok(word), Ok(round)) = (Word::parse(word, half, system), self.word().full_period(system)) else {
            return vec![];
        };
        let (count, round) = (own.len(), round.letters);
        // Orbits without events begin anywhere.
        if ends.len() != count || word.letters.len() != count || own.iter().any(|letter| letter.event.is_none()) {
            return vec![];
        }
        let mut parameters = self.parameters().to_vec();
        parameters[curve.free] = level;
        // The other half of a symmetric orbit is the mirror image of this one.
        let end = |k: usize| match ends.get(k) {
            Some(end) => Some(end.clone()),
            None => {
                let (lasts, start) = ends[k - count].split_last()?;
                let mut image = mirror_image(system, own[k - count].mode, start, &parameters);
                image.push(*lasts);
                Some(image)
            }
        };
        let begins = |by: &usize| (0..count).all(|k| word.letters[k] == round[(k + by) % round.len()]);
        let ways = (1..round.len()).filter(begins).filter_map(|by| {
            let ends: Option<Vec<Vec<f64>>> = (0..count).map(|k| end((k + by) % round.len())).collect();
            Some((problem_like(curve, self, word.clone(), self.parameters()), ends?))
        });
        ways.collect()
    }

    fn invariants(&self, z: &[f64]) -> Vec<Vec<f64>> {
        invariants(self, z)
    }

    fn same(&self, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
        match_invariants(self, a, b, tolerance)
    }

    fn rows(&mut self, at: &BranchPoint, count: usize) -> Option<OrbitSample> {
        let mut sample = self.sample(&at.point, count).ok()?;
        canards::mark(self, at, &mut sample);
        self.begin_at_phase_zero(&at.point, &mut sample).ok()?;
        Some(sample)
    }

    fn table(&mut self, at: &BranchPoint, count: usize) -> Option<OrbitSample> {
        let mut sample = self.tabulated(&at.point, count).ok()?;
        canards::mark(self, at, &mut sample);
        self.begin_at_phase_zero(&at.point, &mut sample).ok()?;
        Some(sample)
    }

    fn branching(
        &self,
        curve: &CurvePlan,
        word: &str,
        at: &BranchPoint,
        label: Label,
    ) -> Result<(Self, Point), ComputeError> {
        let mut own = problem_at(self, curve, word, at)?;
        if label == Label::BP {
            return Ok((own, at.point.clone()));
        }
        let discretisations = own.discretisations().to_vec();
        Ok(unfolded(&mut own, &at.point, curve.flow, &discretisations)?)
    }

    fn ends_on(&self, curve: &CurvePlan, word: &str, at: &BranchPoint) -> Option<Result<(Self, Point), ComputeError>> {
        let mut own = problem_at(self, curve, word, at).ok()?;
        own.measure_like(self);
        let discretisations = own.discretisations().to_vec();
        let half = halved(&mut own, &at.point, curve.flow, &discretisations)?;
        Some(half.map_err(ComputeError::from))
    }

    type Saved = SavedPhase;

    fn save(&self) -> SavedPhase {
        self.save_phase()
    }

    fn come_back(&mut self, saved: SavedPhase) {
        self.return_to_phase(saved);
    }

    fn go_to(&mut self, point: &Point) {
        self.rephase(point);
    }

    fn add_columns(&mut self, point: &mut BranchPoint) {
        if self.system().slow_fast.is_some() {
            canards::measure(self, point);
        }
    }

    fn half_branches(&mut self, at: &Point, range: f64) -> Option<HalfBranches> {
        let mut found = cycle_half_branches(self, at, range)?;
        // What is not resolved is looked for along one direction across the known curve.
        if found.continuum || found.starts.is_empty() {
            return None;
        }
        // Of doubled orbits that are born from one of half the period, those that are that one are known.
        if is_repeated(self, &at.z) {
            found.starts.retain(|start| !is_repeated(self, &start.z));
        }
        Some(found)
    }

    fn choice_at(&mut self, curve: &CurvePlan, at: &Point, broken: usize) -> Option<String> {
        choice_beyond(self, at, broken, curve.flow)
    }

    fn begin_again(&mut self, at: &Point) {
        self.rephase(at);
    }

    fn on_meshes(&self, curve: &CurvePlan, meshes: &Option<Meshes>) -> Option<Self> {
        let count = |meshes: &Option<Meshes>| meshes.as_ref().map_or(0, |m| m.len());
        if curve.otherwise.is_empty() || count(meshes) == count(&Problem::meshes(self)) {
            return None;
        }
        let by = match self.discretisations() == curve.otherwise {
            true => &curve.discretisations,
            false => &curve.otherwise,
        };
        let (word, p, free) = (
            self.word().clone(),
            self.parameters().to_vec(),
            self.free_parameters().to_vec(),
        );
        Some(PeriodicOrbit::discretised(self.system(), word, p, free, curve.flow, by))
    }

    fn otherwise(&mut self, curve: &CurvePlan, point: &Point) -> Option<Result<(Self, Point), ComputeError>> {
        let by = &curve.otherwise;
        let is_another = !by.is_empty() && self.discretisations() != by;
        is_another.then(|| discretised_anew(self, point, by).map_err(ComputeError::from))
    }

    fn columns(&self) -> Vec<String> {
        canards::with_columns(self.system(), self.monitor_names())
    }
}

impl Family for FixedPoint<'_> {
    fn invariants(&self, z: &[f64]) -> Vec<Vec<f64>> {
        self.points(z)
    }

    fn same(&self, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
        self.match_points(a, b, tolerance)
    }

    type Saved = SavedAnchor;

    fn save(&self) -> SavedAnchor {
        self.save_anchor()
    }

    fn come_back(&mut self, saved: SavedAnchor) {
        self.return_to_anchor(saved);
    }

    fn go_to(&mut self, point: &Point) {
        self.anchor(&point.z);
    }

    fn half_branches(&mut self, at: &Point, range: f64) -> Option<HalfBranches> {
        let mut found = half_branches(self, at, range)?;
        // Of cycles that are born where one of half as many points is, those that are that cycle are known.
        if least_cycle(self, &at.z).is_some() {
            found.starts.retain(|start| least_cycle(self, &start.z).is_none());
        }
        Some(found)
    }

    fn begin_again(&mut self, at: &Point) {
        self.fix_sides_at(&at.z);
    }

    fn rows(&mut self, at: &BranchPoint, _: usize) -> Option<OrbitSample> {
        Some(self.sample(&at.point.z))
    }

    fn ends_on(&self, _: &CurvePlan, _: &str, at: &BranchPoint) -> Option<Result<(Self, Point), ComputeError>> {
        let mut own = self.like(&at.record.parameters);
        own.anchor(&at.point.z);
        parent_cycle(&own, &at.point).map(|found| found.map_err(ComputeError::from))
    }

    fn branching(
        &self,
        _: &CurvePlan,
        word: &str,
        at: &BranchPoint,
        label: Label,
    ) -> Result<(Self, Point), ComputeError> {
        let mut own = self.like(&at.record.parameters);
        if let Some(mode) = self.system().mode(word) {
            own = own.in_mode(mode);
        }
        own.anchor(&at.point.z);
        if label != Label::PD {
            return Ok((own, at.point.clone()));
        }
        let (long, z, tangent) = own.doubled(&at.point.z, &at.point.tangent);
        let mut weights = vec![0.0; z.len()];
        Problem::weights(&long, &z, &mut weights);
        let point = Point {
            z,
            tangent,
            weights,
            meshes: None,
        };
        Ok((long, point))
    }
}

impl Family for LargeCycle<'_> {
    fn error_asked(&self) -> Option<f64> {
        Some(self.mesh_options().tolerance)
    }

    fn invariants(&self, z: &[f64]) -> Vec<Vec<f64>> {
        self.fingerprint(z)
    }

    fn same(&self, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
        self.match_fingerprints(a, b, tolerance)
    }

    fn period_of(&self, z: &[f64]) -> Option<f64> {
        Some(self.period(z))
    }

    /// Only labelled ones: those between would take far more room than the curve.
    fn rows(&mut self, at: &BranchPoint, count: usize) -> Option<OrbitSample> {
        at.label.map(|_| self.sample(&at.point, count))
    }

    fn branching(&self, _: &CurvePlan, _: &str, at: &BranchPoint, label: Label) -> Result<(Self, Point), ComputeError> {
        let mut own = self.like(&at.record.parameters)?;
        own.restore(&at.point.meshes);
        if label == Label::PD {
            return Ok(own.doubled(&at.point)?);
        }
        Ok((own, at.point.clone()))
    }

    type Saved = SavedGauge;

    fn save(&self) -> SavedGauge {
        self.saved()
    }

    fn come_back(&mut self, saved: SavedGauge) {
        self.return_to(saved);
    }

    fn go_to(&mut self, point: &Point) {
        self.restore(&point.meshes);
    }
}
