//! Branches of periodic stick-slip motions over one parameter, by pseudo-arclength continuation.
//!
//! Unknowns are the onset state (in energy coordinates, relative to its size at the start) and the parameter (relative to the width of
//! its range). Every linear solve is bordered and matrix-free: [DP - I, P_p; tᵀ] w = r by GMRES, with the exact action of DP and
//! the exact P_p of [`super::cycle`].
//!
//! Reference: E. L. Allgower and K. Georg, *Numerical Continuation Methods*, Springer (1990), ch. 2, 6 and 10.

use super::bowed::BowedStructure;
use super::cycle::{Cycle, Variation, reusable_march};
use super::error::ElasticError;
use super::krylov::gmres;
use super::march::March;
use super::modal::{ModalContact, dot};
use super::orbit::{BowedOrbit, OrbitOptions, defect, norm, patience, scaled, weights};
use nalgebra::Complex;

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BowedParameter {
    /// The bow speed v₀.
    V0,
    /// The friction bound μ.
    Mu,
}

/// How a branch is traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BranchOptions {
    /// How its orbits are solved.
    pub orbit: OrbitOptions,
    /// First step, as a fraction of the range.
    pub step: f64,
    /// Smallest step before the branch is given up.
    pub min_step: f64,
    /// Largest step.
    pub max_step: f64,
    /// Most points in each direction.
    pub max_points: usize,
}

impl Default for BranchOptions {
    fn default() -> Self {
        Self {
            orbit: OrbitOptions::default(),
            step: 0.01,
            min_step: 1e-6,
            max_step: 0.04,
            max_points: 200,
        }
    }
}

/// A point of a branch.
#[derive(Clone, Debug)]
pub struct BowedPoint {
    /// The orbit.
    pub orbit: BowedOrbit,
    /// `LP`, `PD`, `NS`, `EP`, `VS`, `MX`, or nothing.
    pub label: Option<&'static str>,
    /// What the label means here, in words.
    pub message: String,
    /// d(parameter)/d(arclength), in fractions of the range.
    pub direction: f64,
}

/// A branch, in order from one end to the other.
#[derive(Clone, Debug)]
pub struct BowedBranch {
    /// What was varied.
    pub parameter: BowedParameter,
    /// The points.
    pub points: Vec<BowedPoint>,
}

/// A point of the extended space with what is known there.
#[derive(Clone)]
struct Station {
    /// Scaled state, then the scaled parameter.
    w: Vec<f64>,
    tangent: Vec<f64>,
    orbit: BowedOrbit,
}

struct Tracer<'a> {
    bowed: &'a BowedStructure,
    parameter: BowedParameter,
    range: (f64, f64),
    options: &'a BranchOptions,
    weights: Vec<f64>,
    size: f64,
    patience: f64,
}

impl BowedStructure {
    /// Trace the branch of periodic orbits through `start` over `range` of the parameter, in both directions (at once, on two
    /// threads). Folds are passed. The ends say why they are ends.
    pub fn trace(
        &self,
        start: &BowedOrbit,
        parameter: BowedParameter,
        range: (f64, f64),
        options: &BranchOptions,
    ) -> Result<BowedBranch, ElasticError> {
        let bowed = self.with_v0(start.v0).with_mu(start.mu)?;
        let value = parameter.of(&bowed);
        if !(range.0 < range.1 && (range.0..=range.1).contains(&value) && range.1.is_finite()) {
            let requirement = "the range (low, high) must contain the parameter value of the start";
            return Err(ElasticError::Parameter {
                name: parameter.name(),
                value,
                requirement,
            });
        }
        if parameter == BowedParameter::Mu && range.0 <= 0.0 {
            let requirement = "the range of μ must lie above 0";
            return Err(ElasticError::Parameter {
                name: "mu",
                value: range.0,
                requirement,
            });
        }
        let weights = weights(&bowed);
        let size = norm(&scaled(&start.onset, &weights));
        let patience = patience(&bowed, &options.orbit);
        let tracer = Tracer {
            bowed: &bowed,
            parameter,
            range,
            options,
            weights,
            size,
            patience,
        };
        let (down, up) = rayon::join(|| tracer.run(start, -1.0), || tracer.run(start, 1.0));
        let (mut down, up) = (down?, up?);
        for point in &mut down {
            point.direction = -point.direction;
        }
        let points = down.into_iter().skip(1).rev().chain(up).collect();
        Ok(BowedBranch { parameter, points })
    }
}

impl BowedParameter {
    /// The column name.
    pub fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::Mu => "mu",
        }
    }
    fn of(self, bowed: &BowedStructure) -> f64 {
        match self {
            Self::V0 => bowed.v0(),
            Self::Mu => bowed.law().mu(),
        }
    }
}

/// Why a correction failed.
enum Failure {
    /// The orbit problem cannot be posed there.
    Motion(ElasticError),
    /// Newton's method did not converge.
    Newton,
}

impl Tracer<'_> {
    fn width(&self) -> f64 {
        self.range.1 - self.range.0
    }
    fn at(&self, w: &[f64]) -> Result<BowedStructure, ElasticError> {
        let value = self.range.0 + w[w.len() - 1] * self.width();
        match self.parameter {
            BowedParameter::V0 => Ok(self.bowed.with_v0(value)),
            BowedParameter::Mu => self.bowed.with_mu(value),
        }
    }
    fn state(&self, w: &[f64]) -> Vec<f64> {
        w.iter()
            .zip(&self.weights)
            .map(|(u, weight)| u * self.size / weight)
            .collect()
    }
    /// (DP - I, P_p) applied to a direction of the extended space, in scaled coordinates.
    fn apply(&self, bowed: &BowedStructure, cycle: &Cycle, direction: &[f64]) -> Vec<f64> {
        let change = direction[direction.len() - 1] * self.width();
        let (v0, mu) = match self.parameter {
            BowedParameter::V0 => (change, 0.0),
            BowedParameter::Mu => (0.0, change),
        };
        let z = self.state(&direction[..direction.len() - 1]);
        let varied = bowed.vary(cycle, &Variation { z, v0, mu });
        let scaled = varied
            .z
            .iter()
            .zip(&self.weights)
            .map(|(z, weight)| z * weight / self.size);
        scaled.zip(direction).map(|(a, b)| a - b).collect()
    }
    fn bordered(
        &self,
        bowed: &BowedStructure,
        cycle: &Cycle,
        border: &[f64],
        right: &[f64],
        tolerance: f64,
    ) -> Vec<f64> {
        let apply = |d: &[f64]| {
            let mut out = self.apply(bowed, cycle, d);
            out.push(dot(border, d));
            Ok::<_, std::convert::Infallible>(out)
        };
        let Ok(solve) = gmres(apply, right, tolerance, 100);
        solve.x
    }

    /// Newton's method from `guess` in the hyperplane across `tangent` at distance 0 from it.
    fn correct(
        &self,
        march: &mut March<'_, ModalContact>,
        guess: &[f64],
        tangent: &[f64],
        multipliers: bool,
    ) -> Result<(Station, usize), Failure> {
        let mut w = guess.to_vec();
        let n = w.len() - 1;
        let mut previous = f64::INFINITY;
        for iteration in 0..10 {
            let bowed = self.at(&w).map_err(Failure::Motion)?;
            let cycle = bowed
                .cycle(&self.state(&w[..n]), march, self.options.orbit.sticks, self.patience)
                .map_err(Failure::Motion)?;
            // the cycle starts from the projection onto its section
            for ((w, z), weight) in w.iter_mut().zip(&cycle.start).zip(&self.weights) {
                *w = z * weight / self.size;
            }
            let (change, residual) = defect(&cycle, &self.weights);
            let mut right: Vec<f64> = change.iter().map(|c| -c / self.size).collect();
            right.push(dot(tangent, guess) - dot(tangent, &w));
            let across = right[n].abs();
            let tolerance = self.options.orbit.tolerance;
            if residual <= tolerance && across <= 1e-9 || iteration > 3 && residual < 1e-9 && residual > 0.3 * previous
            {
                let mut unit = vec![0.0; n + 1];
                unit[n] = 1.0;
                let mut next = self.bordered(&bowed, &cycle, tangent, &unit, 1e-8);
                let length = norm(&next);
                next.iter_mut().for_each(|t| *t /= length);
                let count = if multipliers { self.options.orbit.multipliers } else { 0 };
                let orbit = bowed.describe(&cycle, residual, bowed.multipliers(&cycle, &self.weights, count));
                return Ok((
                    Station {
                        w,
                        tangent: next,
                        orbit,
                    },
                    iteration,
                ));
            }
            if !residual.is_finite() || (iteration > 1 && residual > 10.0 * previous) {
                return Err(Failure::Newton);
            }
            previous = residual;
            let step = self.bordered(&bowed, &cycle, tangent, &right, residual.clamp(1e-9, 1e-3));
            for (w, s) in w.iter_mut().zip(&step) {
                *w += s;
            }
        }
        Err(Failure::Newton)
    }

    fn run(&self, start: &BowedOrbit, sense: f64) -> Result<Vec<BowedPoint>, ElasticError> {
        let mut march = reusable_march(
            self.bowed,
            &self.bowed.on_section(&start.onset),
            &self.options.orbit.resolution,
        )?;
        let n = start.onset.len();
        let mut w: Vec<f64> = start
            .onset
            .iter()
            .zip(&self.weights)
            .map(|(z, weight)| z * weight / self.size)
            .collect();
        w.push((self.parameter.of(self.bowed) - self.range.0) / self.width());
        let mut tangent = vec![0.0; n + 1];
        tangent[n] = sense;
        let mut here = match self.correct(&mut march, &w, &tangent, true) {
            Ok((station, _)) => station,
            Err(Failure::Motion(error)) => return Err(error),
            Err(Failure::Newton) => {
                let iterations = self.options.orbit.iterations;
                return Err(ElasticError::Newton {
                    residual: start.residual,
                    iterations,
                    v0: start.v0,
                    mu: start.mu,
                });
            }
        };
        let mut points = vec![self.point(&here, None, String::new())];
        let mut step = self.options.step;
        let mut trouble = String::new();
        while points.len() < self.options.max_points {
            let guess: Vec<f64> = here.w.iter().zip(&here.tangent).map(|(w, t)| w + step * t).collect();
            let (next, iterations) = match self.correct(&mut march, &guess, &here.tangent, true) {
                Ok((next, iterations)) if next.orbit.word() == here.orbit.word() => (next, iterations),
                other => {
                    trouble = match other {
                        Ok((next, _)) => format!("the word changes to `{}`", next.orbit.word()),
                        Err(Failure::Motion(error)) => error.to_string(),
                        Err(Failure::Newton) => "Newton's method does not converge".to_owned(),
                    };
                    step *= 0.5;
                    if step < self.options.min_step {
                        break;
                    }
                    continue;
                }
            };
            for special in self.specials(&mut march, &here, &next) {
                points.push(special);
            }
            if !(0.0..=1.0).contains(&next.w[n]) {
                points.push(self.end(&mut march, &here, &next));
                return Ok(points);
            }
            here = next;
            points.push(self.point(&here, None, String::new()));
            if iterations <= 3 {
                step = (1.4 * step).min(self.options.max_step);
            } else if iterations >= 6 {
                step *= 0.7;
            }
        }
        let touching = self.extrapolated_to_no_gap(&points);
        if let Some(last) = points.last_mut() {
            let vanishing = last.orbit.gap.abs() < 1e-3 * last.orbit.mu || last.orbit.stick < 1e-3 * last.orbit.period;
            (last.label, last.message) = match (step < self.options.min_step, vanishing) {
                (true, true) => {
                    let name = self.parameter.name();
                    let words = "stick is touched, not entered: the phase and the force gap vanish together";
                    (Some("VS"), format!("{words}, extrapolated to {name} = {touching}"))
                }
                (true, false) => (Some("MX"), trouble),
                (false, _) => (Some("EP"), "the number of points asked for".to_owned()),
            };
        }
        Ok(points)
    }

    /// The parameter value at which the gap vanishes, by the line through the last two points.
    fn extrapolated_to_no_gap(&self, points: &[BowedPoint]) -> f64 {
        let value = |p: &BowedPoint| match self.parameter {
            BowedParameter::V0 => p.orbit.v0,
            BowedParameter::Mu => p.orbit.mu,
        };
        match points {
            [.., a, b] => value(b) - b.orbit.gap * (value(b) - value(a)) / (b.orbit.gap - a.orbit.gap),
            _ => f64::NAN,
        }
    }

    fn point(&self, station: &Station, label: Option<&'static str>, message: String) -> BowedPoint {
        let direction = station.tangent[station.tangent.len() - 1];
        BowedPoint {
            orbit: station.orbit.clone(),
            label,
            message,
            direction,
        }
    }

    /// Secant (safeguarded by bisection) for a zero of `monitor` between two stations, in the arclength along the first tangent.
    fn locate(
        &self,
        march: &mut March<'_, ModalContact>,
        from: &Station,
        to: &Station,
        multipliers: bool,
        monitor: impl Fn(&Station) -> f64,
    ) -> Option<Station> {
        let distance = |s: &Station| -> f64 { (0..s.w.len()).map(|i| from.tangent[i] * (s.w[i] - from.w[i])).sum() };
        let (mut a, mut fa, mut b, mut fb) = (0.0, monitor(from), distance(to), monitor(to));
        let mut best: Option<Station> = None;
        for _ in 0..40 {
            if fa.signum() == fb.signum() || !fa.is_finite() || !fb.is_finite() {
                return best;
            }
            let secant = a + (b - a) * fa / (fa - fb);
            let margin = 0.01 * (b - a).abs();
            // a step that clings to one end is replaced by its mirror image near the middle
            let trial = if best.is_none() || (secant - a).abs().min((b - secant).abs()) > margin {
                secant
            } else {
                let nudge = if (secant - a).abs() < (b - secant).abs() {
                    margin
                } else {
                    -margin
                };
                secant + nudge
            };
            let guess: Vec<f64> = from.w.iter().zip(&from.tangent).map(|(w, t)| w + trial * t).collect();
            let (station, _) = self.correct(march, &guess, &from.tangent, multipliers).ok()?;
            let value = monitor(&station);
            let done = value.abs() < 1e-11 || (b - a).abs() < 1e-11;
            if value.signum() == fa.signum() {
                (a, fa) = (trial, value);
            } else {
                (b, fb) = (trial, value);
            }
            best = Some(station);
            if done {
                return best;
            }
        }
        best
    }

    fn specials(&self, march: &mut March<'_, ModalContact>, from: &Station, to: &Station) -> Vec<BowedPoint> {
        let n = from.w.len() - 1;
        let mut found = Vec::new();
        let turning = |s: &Station| s.tangent[n];
        if turning(from).signum() != turning(to).signum()
            && let Some(s) = self.locate(march, from, to, false, turning)
            && let Ok((s, _)) = self.correct(march, &s.w, &from.tangent, true)
        {
            let message = format!("the branch turns around in {}", self.parameter.name());
            found.push(self.point(&s, Some("LP"), message));
        }
        let flip = |s: &Station| smallest(s, |m| m.im == 0.0, |m| m.re + 1.0);
        if crossed(flip(from), flip(to))
            && let Some(s) = self.locate(march, from, to, true, |s| flip(s).unwrap_or(f64::NAN))
        {
            found.push(self.point(
                &s,
                Some("PD"),
                "a multiplier is -1: orbits of twice the period branch off".to_owned(),
            ));
        }
        let torus = |s: &Station| smallest(s, |m| m.im > 0.0, |m| 1.0 - m.norm());
        if crossed(torus(from), torus(to))
            && let Some(s) = self.locate(march, from, to, true, |s| torus(s).unwrap_or(f64::NAN))
        {
            found.push(self.point(
                &s,
                Some("NS"),
                "a pair of multipliers is on the unit circle: quasiperiodic motion".to_owned(),
            ));
        }
        found
    }

    /// The orbit at the end of the range, which lies between two stations.
    fn end(&self, march: &mut March<'_, ModalContact>, from: &Station, to: &Station) -> BowedPoint {
        let n = from.w.len() - 1;
        let target: f64 = if to.w[n] > 1.0 { 1.0 } else { 0.0 };
        let share = (target - from.w[n]) / (to.w[n] - from.w[n]);
        let mut guess: Vec<f64> = from.w.iter().zip(&to.w).map(|(a, b)| a + share * (b - a)).collect();
        guess[n] = target;
        let mut across = vec![0.0; n + 1];
        across[n] = from.tangent[n].signum();
        match self.correct(march, &guess, &across, true) {
            Ok((s, _)) => self.point(&s, Some("EP"), "end of the range".to_owned()),
            Err(_) => self.point(from, Some("EP"), "last point before the end of the range".to_owned()),
        }
    }
}

/// The smallest of a function over the multipliers of a kind.
fn smallest(s: &Station, kind: impl Fn(Complex<f64>) -> bool, f: impl Fn(Complex<f64>) -> f64) -> Option<f64> {
    s.orbit
        .multipliers
        .iter()
        .map(|m| m.value)
        .filter(|&m| kind(m))
        .map(f)
        .reduce(f64::min)
}

fn crossed(a: Option<f64>, b: Option<f64>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.signum() != b.signum())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{FrictionLaw, Structure};

    fn string(modes: usize) -> (BowedStructure, BowedOrbit) {
        let string = Structure::string(modes, 1.0, 0.1, &[0.4]).unwrap();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let z = bowed.start(-2.9224, -2.7668).unwrap();
        let orbit = bowed.find_orbit(&z, 12.0, &OrbitOptions::default()).unwrap();
        (bowed, orbit)
    }

    #[test]
    fn branch_over_bow_speed_turns_doubles_and_ends_where_stick_vanishes() {
        let (bowed, orbit) = string(20);
        let branch = bowed
            .trace(&orbit, BowedParameter::V0, (0.05, 6.0), &BranchOptions::default())
            .unwrap();
        let labelled = |label: &str| branch.points.iter().find(|p| p.label == Some(label)).unwrap();
        let fold = labelled("LP");
        assert!(fold.direction.abs() < 1e-10);
        assert!((fold.orbit.multipliers[0].value - Complex::new(1.0, 0.0)).norm() < 1e-7);
        let doubling = labelled("PD");
        assert!((doubling.orbit.multipliers[0].value + Complex::new(1.0, 0.0)).norm() < 1e-9);
        let vanishing = labelled("VS");
        assert!(vanishing.orbit.gap.abs() < 1e-4 && vanishing.orbit.stick < 1e-4);
        assert!(vanishing.message.contains("v0 = 1.63102"), "{}", vanishing.message);
        assert_eq!(branch.points[0].label, Some("EP"));
        assert!((branch.points[0].orbit.v0 - 0.05).abs() < 1e-14);
        // stable between the doubling and the fold only
        for p in &branch.points {
            let inside = p.orbit.v0 > doubling.orbit.v0 && p.orbit.gap < fold.orbit.gap;
            if p.label.is_none() {
                assert_eq!(p.orbit.unstable(), Some(usize::from(!inside)), "{}", p.orbit.v0);
            }
            assert!(p.orbit.residual < 1e-8);
        }
        // the same fold with half the step size
        let mut fine = BranchOptions::default();
        fine.orbit.resolution.highest = 1.0;
        fine.orbit.resolution.lowest = 0.05;
        let again = bowed.trace(&orbit, BowedParameter::V0, (1.4, 1.8), &fine).unwrap();
        let again = again.points.iter().find(|p| p.label == Some("LP")).unwrap();
        assert!(
            (again.orbit.v0 - fold.orbit.v0).abs() < 1e-10,
            "{} {}",
            again.orbit.v0,
            fold.orbit.v0
        );
    }

    #[test]
    fn branch_over_the_friction_bound_agrees_with_orbits_found_by_simulation() {
        let (bowed, orbit) = string(12);
        let branch = bowed
            .trace(&orbit, BowedParameter::Mu, (3.6, 6.0), &BranchOptions::default())
            .unwrap();
        let end = branch.points.last().unwrap();
        assert_eq!((end.label, end.orbit.mu), (Some("EP"), 6.0));
        let other = bowed.with_mu(6.0).unwrap();
        let found = other.find_orbit(&orbit.onset, 12.0, &OrbitOptions::default()).unwrap();
        assert!((found.period - end.orbit.period).abs() < 1e-10);
        assert!((found.gap - end.orbit.gap).abs() < 1e-9);
        assert!(branch.points.iter().any(|p| p.label == Some("LP")));
    }

    #[test]
    fn ranges_that_make_no_sense_are_refused() {
        let (bowed, orbit) = string(6);
        let options = BranchOptions::default();
        assert!(bowed.trace(&orbit, BowedParameter::V0, (2.0, 3.0), &options).is_err());
        assert!(bowed.trace(&orbit, BowedParameter::Mu, (-1.0, 5.0), &options).is_err());
    }
}
