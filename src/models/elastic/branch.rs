//! Branches of periodic stick-slip motion over one parameter, by the common tracer: monitors, labels, inequalities of
//! the orbit problem.

use super::bowed::{BowedParameter, BowedStructure};
use super::error::ElasticError;
use super::event::Phase;
use super::orbit::{BowedMultiplier, BowedOrbit, OrbitOptions, word};
use super::problem::{BowedProblem, measures};
use slipstick_bifurcation::{
    Branch, BranchPoint, InequalitySpec, Inspect, Label, Monitor, Rank, Record, TestSpec, TraceOptions, Tracer,
};
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::{Multiplier, UnitPair, nearest_unit_pair, psi_minus, psi_ns};
use std::f64::consts::PI;

impl BowedProblem {
    /// The test functions.
    fn test_functions(&self) -> Vec<TestSpec> {
        if self.options.multipliers == 0 {
            return Vec::new();
        }
        let spec = |label, meaning: &str| TestSpec::new(label, meaning);
        vec![
            spec(
                Label::PD,
                "period doubling: a multiplier is -1; an orbit of twice the period branches off",
            ),
            spec(
                Label::NS,
                "Neimark–Sacker: a complex pair of multipliers crosses the unit circle; a torus branches off",
            ),
        ]
    }

    /// The inequalities of admissibility.
    fn boundaries(&self) -> Vec<InequalitySpec> {
        let mut specs = Vec::new();
        let next = self.phases.iter().cycle().skip(1);
        for (i, (phase, next)) in self.phases.iter().zip(next).enumerate() {
            let at = format!("segment {} (`{}`)", i + 1, phase.name());
            let meaning = format!("{at} vanishes: its duration shrinks to zero");
            specs.push(InequalitySpec {
                label: Label::VS,
                rank: Rank::Duration,
                segment: i,
                meaning,
            });
            let mut push = |label, meaning: String| {
                specs.push(InequalitySpec {
                    label,
                    rank: Rank::Other,
                    segment: i,
                    meaning,
                })
            };
            match (phase, next) {
                (Phase::Stick, _) => {
                    push(
                        Label::VT,
                        format!("{at} ends where the force in stick is tangent to its limit"),
                    );
                    push(
                        Label::OV,
                        format!("{at}: the force in stick reaches its limit before the end of the segment"),
                    );
                }
                (Phase::Slip(_), Phase::Stick) => {
                    push(
                        Label::GR,
                        format!("{at} ends grazing: it meets v0 with zero acceleration"),
                    );
                    push(
                        Label::VS,
                        format!("{at}: the force needed to stick reaches μ; the next stick phase vanishes"),
                    );
                    push(Label::GR, format!("{at} touches v0 before its end"));
                }
                (Phase::Slip(_), Phase::Slip(_)) => {
                    push(
                        Label::GR,
                        format!("{at} ends grazing: it meets v0 with zero acceleration"),
                    );
                    push(
                        Label::VS,
                        format!("{at}: the force needed to stick falls to μ; a stick phase begins to exist"),
                    );
                    push(Label::GR, format!("{at} touches v0 before its end"));
                }
            }
        }
        specs
    }
}

impl Inspect for BowedProblem {
    fn parameter_names(&self) -> Vec<String> {
        BowedParameter::ALL.iter().map(|p| p.name().to_owned()).collect()
    }
    fn free_parameters(&self) -> &[usize] {
        &self.free
    }
    fn monitors(&self) -> Vec<Monitor> {
        let names = ["stick", "y1_stick", "y1_slip", "gap", "force_stick", "y1_max", "y1_min"];
        Monitor::list(names.map(Monitor::diagnostic), self.test_functions(), self.boundaries())
    }
    fn word(&self) -> String {
        word(&self.phases)
    }
    fn confirm(&self, test: usize, record: &Record) -> bool {
        // the function of NS also vanishes at neutral saddles, where nothing bifurcates
        test != 1 || matches!(nearest_unit_pair(&record.multipliers), Some(UnitPair::Conjugate { .. }))
    }
    fn fold_meaning(&self, parameter: &str) -> String {
        format!("fold of periodic orbits: the branch turns back in {parameter}; a multiplier is +1")
    }
    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        let fail = |e: ElasticError| Failure::Evaluation(e.to_string());
        record.inequalities = self.values(&point.z).map_err(fail)?;
        record.parameters = self.bowed.parameters().to_vec();
        let Some(last) = &self.last else { return Ok(()) };
        record.period = last.trajectory.legs.iter().map(|leg| leg.duration).sum();
        record.monitors = measures(&last.trajectory.legs).to_vec();
        record.multipliers = self.multipliers(&last.trajectory).iter().map(as_floquet).collect();
        record.unstable = Multiplier::count_unstable(&record.multipliers);
        record.tests.clear();
        if self.options.multipliers > 0 {
            record
                .tests
                .extend([psi_minus(&record.multipliers), inside_pairs(&record.multipliers)]);
        }
        Ok(())
    }
}

/// Neimark–Sacker's function with a positive factor for each pair inside the circle. The list is truncated, and a pair
/// that enters or leaves it far inside must not change the sign.
fn inside_pairs(multipliers: &[Multiplier]) -> f64 {
    let real = multipliers.iter().filter(|m| m.is_real()).count();
    let conjugate = multipliers.iter().filter(|m| !m.is_real() && m.arg > 0.0).count();
    let factors = real * real.saturating_sub(1) / 2 + conjugate;
    if factors.is_multiple_of(2) {
        psi_ns(multipliers)
    } else {
        -psi_ns(multipliers)
    }
}

fn as_floquet(m: &BowedMultiplier) -> Multiplier {
    let arg = match (m.value.im == 0.0, m.value.re < 0.0) {
        (true, true) => PI,
        (true, false) => 0.0,
        (false, _) => m.value.im.atan2(m.value.re),
    };
    Multiplier {
        log10: m.value.norm().log10(),
        arg,
    }
}

impl BowedStructure {
    /// Trace the branch of orbits through `start` over one parameter, with the common tracer: folds, period doublings,
    /// tori, and the boundaries where a phase vanishes or the word changes are located and labelled. Monitors: `stick`,
    /// `y1_stick`, `y1_slip`, `gap`, `force_stick`, `y1_max`, `y1_min`.
    pub fn trace(
        &self,
        start: &BowedOrbit,
        parameter: BowedParameter,
        orbit: OrbitOptions,
        options: &TraceOptions,
        locator: &mut dyn FnMut(&BranchPoint) -> bool,
    ) -> Result<Branch, ElasticError> {
        let bowed = self.with_parameters(start.parameters)?;
        let mut problem = BowedProblem::new(&bowed, &start.phases, &[parameter], orbit)?;
        let z = problem.guess(&start.onset, &start.durations);
        let [v0, mu, ..] = start.parameters;
        Tracer::new(&mut problem, options)
            .logged(&mut |p: &BranchPoint| locator(p))
            .from_guess(z)
            .map_err(|e| ElasticError::Newton {
                why: e.to_string(),
                v0,
                mu,
            })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{FrictionLaw, Structure};
    use slipstick_continuation::StepOptions;

    fn string(modes: usize) -> (BowedStructure, BowedOrbit) {
        let string = Structure::string(modes, 1.0, 0.1, &[0.4]).unwrap();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let z = bowed.start(-2.9224, -2.7668).unwrap();
        let orbit = bowed.find_orbit(&z, 12.0, &OrbitOptions::default()).unwrap();
        (bowed, orbit)
    }

    fn options(range: (f64, f64)) -> TraceOptions {
        TraceOptions {
            range,
            levels: vec![],
            within: vec![],
            steps: StepOptions::default(),
            points: 300,
            directions: vec![1.0, -1.0],
        }
    }

    #[test]
    fn branch_over_bow_speed_doubles_turns_and_ends_where_stick_vanishes() {
        let (bowed, orbit) = string(20);
        let orbits = OrbitOptions::default();
        let branch = bowed
            .trace(&orbit, BowedParameter::V0, orbits, &options((0.2, 6.0)), &mut |_| true)
            .unwrap();
        let labelled = |label| branch.points.iter().find(|p| p.label == Some(label)).unwrap();
        let first = |p: &BranchPoint| p.record.multipliers[0].to_complex().unwrap();
        let v0 = |p: &BranchPoint| p.record.parameters[0];
        let (fold, doubling, vanishing) = (labelled(Label::LP), labelled(Label::PD), labelled(Label::VS));
        assert!((first(fold) - nalgebra::Complex::new(1.0, 0.0)).norm() < 1e-8);
        assert!((first(doubling) + nalgebra::Complex::new(1.0, 0.0)).norm() < 1e-9);
        assert!(vanishing.message.contains("segment 1 (`stick`) vanishes"));
        assert!(
            vanishing.record.monitors[3].abs() < 1e-7,
            "the gap vanishes with the phase"
        );
        assert!((v0(&branch.points[0]) - 0.2).abs() < 1e-12);
        for p in branch.points.iter().filter(|p| p.label.is_none()) {
            let stable = v0(p) > v0(doubling) && p.record.monitors[0] > fold.record.monitors[0];
            assert_eq!(p.record.stable(), stable, "{}", v0(p));
            assert!(p.record.admissible());
        }
        // the same points with a third of the step size
        let mut fine = orbits;
        fine.resolution.highest = 1.2;
        fine.resolution.lowest = 0.03;
        let again = bowed
            .trace(&orbit, BowedParameter::V0, fine, &options((1.4, 1.8)), &mut |_| true)
            .unwrap();
        for label in [Label::LP, Label::VS] {
            let other = again.points.iter().find(|p| p.label == Some(label)).unwrap();
            assert!(
                (v0(other) - v0(labelled(label))).abs() < 1e-9,
                "{label}: {} {}",
                v0(other),
                v0(labelled(label))
            );
        }
    }

    #[test]
    fn branch_over_the_friction_bound_agrees_with_orbits_found_by_simulation() {
        let (bowed, orbit) = string(12);
        let orbits = OrbitOptions::default();
        let branch = bowed
            .trace(&orbit, BowedParameter::Mu, orbits, &options((3.6, 6.0)), &mut |_| true)
            .unwrap();
        let end = branch.points.iter().find(|p| p.label == Some(Label::EP)).unwrap();
        let other = bowed.with(BowedParameter::Mu, 6.0).unwrap();
        let found = other.find_orbit(&orbit.onset, 12.0, &orbits).unwrap();
        assert!((end.record.parameters[1] - 6.0).abs() < 1e-12);
        assert!((found.period - end.record.period).abs() < 1e-10);
        let of_orbit = [found.stick, found.y1_stick, found.y1_slip, found.gap];
        for (a, b) in of_orbit.iter().zip(&end.record.monitors) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        assert!(branch.points.iter().any(|p| p.label == Some(Label::LP)));
    }
}
