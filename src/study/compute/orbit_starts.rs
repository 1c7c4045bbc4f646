//! Starts of curves of periodic orbits.
use crate::compute::correction::{corrected, smooth};
use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use crate::compute::given_orbits::{Start, follow, follow_given, given_orbit, set_parameters};
use crate::compute::least_period::{at_least_period, laps_with_events};
use crate::compute::region::{search_region, wider_region};
use crate::compute::tracer::CurveTracer;
use crate::compute::transient::after_transient;
use crate::compute::transient::simulated;
use crate::plan::entries::{CurvePlan, StartPlan};
use crate::plan::orbit_files::{read_auto, read_orbit};
use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use slipstick_flow::measure::unit_of_time;
use slipstick_orbit::{PeriodicOrbit, SAME_PLACE, SearchOptions, Word, find_all, sought};
use std::sync::atomic::Ordering;

/// How nearly several laps of a trajectory that has settled are alike, if they are laps of one orbit.
const ROUGH: f64 = 1e-3;

/// Follow periodic orbits from the curve's start.
pub(crate) fn follow_orbits(
    plan: &Plan,
    curve: &CurvePlan,
    word: &Word,
    earlier: &[&CurveResult],
    tracer: &mut CurveTracer<'_>,
) -> Result<(), ComputeError> {
    let system = &plan.systems[curve.system].system;
    let stop = tracer.stop;
    let mut problem = PeriodicOrbit::discretised(
        system,
        word.clone(),
        curve.parameters.clone(),
        vec![curve.free],
        curve.flow,
        &curve.discretisations,
    );
    problem.set_range(curve.trace.range);
    problem.limit_growth(!curve.otherwise.is_empty());
    problem.hold_sides_along_curves();
    match &curve.start {
        StartPlan::Search {
            values,
            otherwise,
            seeds,
            region,
            longest,
        } => {
            let longest = longest * unit_of_time(system).max(1.0);
            let options = SearchOptions {
                seeds: *seeds,
                longest,
                region: search_region(system, &curve.parameters, region, curve.flow),
            };
            let mut search = Search {
                curve,
                values,
                otherwise,
                lost: vec![],
                searched: 0,
            };
            search.run(&mut problem, &options, tracer);
            if tracer.results.is_empty() && !stop.load(Ordering::Relaxed) {
                let sets = search.sets();
                let wider = || wider_region(system, &sets, (&options.region, region), curve.flow);
                if let Some(region) = tracer.log.remember(stop, wider) {
                    tracer.note.clear();
                    search.run(&mut problem, &SearchOptions { region, ..options }, tracer);
                }
            }
            if search.searched == 0 && tracer.failure.is_none() {
                tracer.failure = search.lost.pop();
            }
            if tracer.results.is_empty() && tracer.failure.is_none() && !stop.load(Ordering::Relaxed) {
                return Err(ComputeError::NoOrbitFound {
                    what: curve.object.describe(system),
                    parameter: system.parameters[curve.free].name.clone(),
                    range: curve.trace.range,
                    sought: sought(&problem, longest),
                    lost: search.lost.first().map(ToString::to_string),
                });
            }
        }
        StartPlan::Settle { mode, from, patience } => {
            let z = after_transient(&mut problem, curve, *mode, from, *patience, tracer.log)?;
            let (value, given) = (z[z.len() - 1], curve.parameters[curve.free]);
            if (value - given).abs() > SAME_PLACE * given.abs() {
                tracer.started_elsewhere(&system.parameters[curve.free].name, value);
            }
            let saved = problem.save_phase();
            let z = match at_least_period(&mut problem, &z, ROUGH) {
                // Only what is solved tells several laps from one of an orbit whose period has just doubled.
                Some(_) => {
                    problem.return_to_phase(saved);
                    corrected(&mut problem, z.clone()).map_or(z, |z| once(&mut problem, z, tracer))
                }
                None => z,
            };
            if let Some(laps) = laps_with_events(&problem, &z) {
                let period = problem.period(&z) * system.units.time;
                tracer.note = format!(
                    "the orbit reached repeats {laps} times within the period {period} of the given word: its least period is {}",
                    period / laps as f64
                );
            }
            tracer.follow(&mut problem, z);
        }
        StartPlan::Guess { states, durations } => {
            let z = if smooth(word) {
                let z = simulated(&mut problem, &states[0], durations[0])?;
                let z = corrected(&mut problem, z)?;
                once(&mut problem, z, tracer)
            } else {
                let guess = problem.guess(states, durations)?;
                match corrected(&mut problem, guess.clone()) {
                    Ok(z) if laps_with_events(&problem, &z).is_some() => z,
                    // What does not converge is reported by the tracer, in its words.
                    _ => problem.guess(states, durations)?,
                }
            };
            follow(&mut problem, Start::At(z), tracer);
        }
        StartPlan::Point { source, given, .. } => {
            for mut orbit in source.find(system, &plan.systems, earlier)? {
                set_parameters(system, curve, &orbit, given, |i, v| problem.set_parameter(i, v));
                // With other parameters it is solved no longer.
                orbit.known = orbit.known.filter(|_| given.is_empty());
                let meshes = orbit.known.as_ref().and_then(|k| k.point.meshes.clone());
                if let Some(other) = meshes.and_then(|meshes| problem.on_meshes(curve, &Some(meshes))) {
                    problem = other;
                    problem.set_range(curve.trace.range);
                }
                let fixed = given.iter().any(|&(i, _)| i == curve.free);
                if let Err(why) = follow_given(&mut problem, &orbit, fixed, tracer) {
                    tracer.failed(why);
                }
            }
        }
        StartPlan::Auto {
            path,
            label,
            numbers,
            given,
        } => {
            let orbit = read_auto(path, *label, numbers, system)?;
            set_parameters(system, curve, &orbit, given, |i, v| problem.set_parameter(i, v));
            let fixed = given.iter().any(|&(i, _)| i == curve.free);
            follow_given(&mut problem, &orbit, fixed, tracer)?;
        }
        StartPlan::File(path) => {
            let start = match given_orbit(&mut problem, &read_orbit(path, system)?, false)? {
                Start::At(z) => Start::At(once(&mut problem, z, tracer)),
                through => through,
            };
            follow(&mut problem, start, tracer);
        }
    }
    Ok(())
}

/// A search at several values of the free parameter.
struct Search<'a> {
    curve: &'a CurvePlan,
    values: &'a [f64],
    otherwise: &'a [f64],
    /// Why no motion could be followed at some of them.
    lost: Vec<ComputeError>,
    /// At how many others motions could be.
    searched: usize,
}

impl Search<'_> {
    /// Follow the curves from what is found in a region.
    fn run(&mut self, problem: &mut PeriodicOrbit<'_>, options: &SearchOptions, tracer: &mut CurveTracer<'_>) {
        let (curve, stop, system) = (self.curve, tracer.stop, problem.system());
        for (value, asked) in tracer.values_to_search(self.values, self.otherwise) {
            if !tracer.searches_at(system, (value, asked)) {
                break;
            }
            problem.set_parameter(curve.free, value);
            let mut observe = |so_far| tracer.searching(value, so_far);
            let found = tracer.log.remember_outcome(stop, || {
                find_all(problem, options, &mut observe).map_err(ComputeError::from)
            });
            let found = match found {
                Ok(found) => found,
                // That no motion can be followed here says nothing of other values.
                Err(why) => {
                    self.lost.push(why);
                    continue;
                }
            };
            self.searched += 1;
            for orbit in &found {
                match orbit.begin(problem) {
                    Ok(z) => tracer.follow(problem, z),
                    Err(e) => {
                        tracer.failure.get_or_insert(e.into());
                    }
                }
            }
        }
    }

    /// The parameters of a few of the searches.
    fn sets(&self) -> Vec<Vec<f64>> {
        const MOST: usize = 7;
        let own = self.curve.parameters[self.curve.free];
        let all: Vec<f64> = std::iter::once(own)
            .chain(self.values.iter().chain(self.otherwise).copied())
            .collect();
        let with = |value: f64| {
            let mut parameters = self.curve.parameters.clone();
            parameters[self.curve.free] = value;
            parameters
        };
        let stride = all.len().div_ceil(MOST);
        all.into_iter().step_by(stride).map(with).collect()
    }
}

/// The solved orbit `z`, counted over its least period.
fn once(problem: &mut PeriodicOrbit<'_>, z: Vec<f64>, tracer: &mut CurveTracer<'_>) -> Vec<f64> {
    match at_least_period(problem, &z, SAME_PLACE) {
        Some((z, said)) => {
            tracer.note = said;
            z
        }
        None => z,
    }
}

#[cfg(test)]
mod tests {
    use crate as study;
    use crate::results::curve::CurveResult;
    use slipstick_bifurcation::{End, Label};

    fn run(text: &str) -> Vec<CurveResult> {
        let plan = study::parse("study.ron".as_ref(), text.into())
            .unwrap()
            .plan(&[])
            .unwrap();
        let result = study::run(&plan, &study::Silent, &false.into());
        assert!(result.missing.is_empty(), "{:?}", result.missing);
        result.curves
    }

    /// Cycles of radius r with a + b r² - r⁴ = 0: a fold at r² = b/2, whatever parameter is free.
    #[test]
    fn curves_start_from_a_fold_in_any_parameter() {
        let curves = run(r#"Study(
            title: "Folds of cycles",
            system: Smooth(states: ["x", "y"], parameters: {"a": -0.1, "b": 1}, equations: [
                "x' = a*x - y + b*x*(x^2 + y^2) - x*(x^2 + y^2)^2",
                "y' = x + a*y + b*y*(x^2 + y^2) - y*(x^2 + y^2)^2",
            ]),
            curves: [
                Curve(name: "cycles", orbit: PeriodicOrbit, start: Settle(at: {"a": -0.1}, from: {"x": 1}), free: "a", range: (-0.5, 0.1)),
                Curve(name: "again", orbit: PeriodicOrbit, start: Point(from: "cycles, LP"), free: "a", range: (-0.5, 0.1)),
                Curve(name: "other", orbit: PeriodicOrbit, start: Point(from: "cycles, LP"), free: "b", range: (0.5, 1.2)),
            ],
        )"#);
        for (name, free) in [("again", "a"), ("other", "b")] {
            let curve = curves.iter().find(|c| c.name == name).unwrap();
            assert_eq!(curve.free, free);
            let radius = curve.monitors.iter().position(|m| m == "x_max").unwrap();
            let squares: Vec<f64> = curve
                .points()
                .map(|(_, _, p)| p.record.monitors[radius].powi(2))
                .collect();
            for ((_, _, p), s) in curve.points().zip(&squares) {
                let [a, b] = p.record.parameters[..] else {
                    unreachable!()
                };
                assert!((a + b * s - s * s).abs() < 1e-6, "{name}: a = {a}, b = {b}, r² = {s}");
            }
            // Both sheets are reached, far from the fold.
            assert!(
                squares.iter().any(|s| *s > 0.8) && squares.iter().any(|s| *s < 0.3),
                "{name}: {squares:?}"
            );
        }
    }

    /// Cycles of radius r with (r² - 2)² + a² = 1, in coordinates where they are no circles: a closed curve with two
    /// folds.
    #[test]
    fn a_closed_curve_of_cycles_ends_with_each_fold_once() {
        let curves = run(r#"Study(
            title: "An isola",
            system: Smooth(states: ["x", "y"], parameters: {"a": 0.3}, equations: [
                "x' = x*(1 - a^2 - (x^2 + (y - x^2)^2 - 2)^2) - (y - x^2)",
                "y' = (y - x^2)*(1 - a^2 - (x^2 + (y - x^2)^2 - 2)^2) + x + 2*x*(x*(1 - a^2 - (x^2 + (y - x^2)^2 - 2)^2) - (y - x^2))",
            ]),
            curves: [Curve(name: "isola", orbit: PeriodicOrbit, start: Settle(at: {"a": 0.3}, from: {"x": 1.7, "y": 2.89}), free: "a", range: (-2, 2))],
        )"#);
        let isola = &curves[0];
        let ends: Vec<&End> = isola.pieces.iter().flat_map(|p| &p.branch.ends).collect();
        assert_eq!(ends, [&End::Closed]);
        let folds: Vec<f64> = isola
            .points()
            .filter(|(_, _, p)| p.label == Some(Label::LP))
            .map(|(_, _, p)| p.point.parameter())
            .collect();
        assert!(
            folds.len() == 2 && folds.iter().all(|a| (a.abs() - 1.0).abs() < 1e-7),
            "{folds:?}"
        );
    }
}
