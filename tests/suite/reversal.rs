//! Tracers that turn back along the way they came: what makes them do it, how it is noticed, and what must not be taken
//! for it.

use crate::support::{assert_close, curve, labelled, only, points, run, value};
use slipstick_bifurcation::{
    Branch, BranchPoint, End, Inspect, Label, Logbook, Monitor, Pace, Past, Record, TraceOptions, Tracer,
};
use slipstick_continuation::{Failure, Point, Problem, StepOptions};

/// A curve in the plane of u and λ, given by an equation with its gradient, that may turn the tracer round where λ
/// first exceeds a level.
struct Plane {
    equation: fn(f64, f64) -> (f64, [f64; 2]),
    gradient: [f64; 2],
    /// Where the tracer is turned round, how often, and how long the steps may be for that.
    turns: (f64, usize),
    free: [usize; 1],
}

fn plane(equation: fn(f64, f64) -> (f64, [f64; 2]), turns: (f64, usize)) -> Plane {
    Plane {
        equation,
        gradient: [0.0; 2],
        turns,
        free: [0],
    }
}

impl Problem for Plane {
    fn unknowns(&self) -> usize {
        2
    }
    fn free(&self) -> usize {
        1
    }
    fn weights(&self, _: &[f64], weights: &mut [f64]) {
        weights.fill(1.0);
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        (residual[0], self.gradient) = (self.equation)(z[0], z[1]);
        Ok(())
    }
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        let ([a, b], [c, d]) = (self.gradient, [border[0], border[1]]);
        let det = a * d - b * c;
        (rhs[0], rhs[1]) = ((rhs[0] * d - b * rhs[1]) / det, (a * rhs[1] - rhs[0] * c) / det);
        Ok(())
    }
    fn accept(&mut self, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
        let turns = z[1] > self.turns.0 && tangent[1] > 0.0 && self.turns.1 > 0;
        if turns {
            self.turns.1 -= 1;
            tangent.iter_mut().for_each(|t| *t = -*t);
        }
        turns
    }
}

impl Inspect for Plane {
    fn parameter_names(&self) -> Vec<String> {
        vec!["lambda".into()]
    }
    fn free_parameters(&self) -> &[usize] {
        &self.free
    }
    fn monitors(&self) -> Vec<Monitor> {
        vec![Monitor::diagnostic("u")]
    }
    fn word(&self) -> String {
        String::new()
    }
    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        record.parameters = vec![point.z[1]];
        record.monitors = vec![point.z[0]];
        Ok(())
    }
}

fn traced(mut problem: Plane, start: [f64; 2], direction: f64, steps: StepOptions) -> Branch {
    let options = TraceOptions {
        directions: vec![direction],
        points: 3000,
        steps,
        ..TraceOptions::over((-2.0, 3.0))
    };
    Tracer::new(&mut problem, &options).from_guess(start.to_vec()).unwrap()
}

fn folds(branch: &Branch) -> Vec<f64> {
    let folds = branch.points.iter().filter(|p| p.label == Some(Label::LP));
    folds.map(|p| p.point.parameter()).collect()
}

/// λ = u³ - 3u/4, with folds at λ = ±1/4.
fn cubic(u: f64, l: f64) -> (f64, [f64; 2]) {
    (l - u * u * u + 0.75 * u, [0.75 - 3.0 * u * u, 1.0])
}

#[test]
fn a_tracer_that_was_turned_round_goes_on_from_where_it_was() {
    let whole = traced(plane(cubic, (0.0, 0)), [-1.5, -2.0], 1.0, StepOptions::default());
    assert_eq!(whole.ends, [End::Range]);
    // Before the first fold and beyond the second, once and three times.
    for turns in [(-0.5, 1), (1.0, 1), (1.0, 3)] {
        let branch = traced(plane(cubic, turns), [-1.5, -2.0], 1.0, StepOptions::default());
        assert_eq!(branch.ends, [End::Range], "{turns:?}");
        let found = folds(&branch);
        assert_eq!(found.len(), 2, "{turns:?}: {found:?}");
        assert_close("upper fold", found[0], 0.25, 1e-12);
        assert_close("lower fold", found[1], -0.25, 1e-12);
        let rises = branch.points.windows(2).all(|w| w[1].point.z[0] >= w[0].point.z[0]);
        assert!(rises, "{turns:?}: no part of the curve is passed twice");
    }
}

/// Keeps what a checkpoint does, and stops the trace after so many points.
struct Memory {
    past: Past,
    whole: usize,
    patience: usize,
}

impl Logbook for Memory {
    fn past(&mut self, _: usize) -> Past {
        self.past.points.truncate(self.whole);
        self.past.clone()
    }
    fn point(&mut self, _: usize, point: &BranchPoint, pace: Option<&Pace>) -> bool {
        self.past.points.push(point.clone());
        if let Some(pace) = pace {
            self.past.pace = Some(pace.clone());
            self.whole = self.past.points.len();
        }
        self.patience = self.patience.saturating_sub(1);
        self.patience > 0
    }
    fn rewind(&mut self, _: usize, points: usize) {
        self.past.points.truncate(points);
        if points < self.whole {
            (self.past.pace, self.whole) = (None, 0);
        }
    }
}

#[test]
fn a_walk_broken_off_after_a_turn_that_was_none_goes_on_as_slowly_as_it_would_have() {
    let options = TraceOptions {
        directions: vec![1.0],
        points: 3000,
        ..TraceOptions::over((-2.0, 3.0))
    };
    let turned = || plane(cubic, (1.0, 2));
    let whole = Tracer::new(&mut turned(), &options)
        .from_guess(vec![-1.5, -2.0])
        .unwrap();
    let mut retried = 0;
    for patience in (1..whole.points.len()).step_by(7) {
        let mut memory = Memory {
            past: Past::default(),
            whole: 0,
            patience,
        };
        let mut problem = turned();
        let part = Tracer::new(&mut problem, &options)
            .logged(&mut memory)
            .from_guess(vec![-1.5, -2.0])
            .unwrap();
        if part.ends != [End::Stopped] {
            break;
        }
        retried += memory.past.pace.as_ref().map_or(0, |pace| pace.retries);
        memory.patience = usize::MAX;
        let resumed = Tracer::new(&mut problem, &options)
            .logged(&mut memory)
            .from_guess(vec![-1.5, -2.0])
            .unwrap();
        assert_eq!(resumed, whole, "broken off after {patience} points");
    }
    assert!(retried > 2, "some were broken off beyond both turns");
}

#[test]
fn a_tracer_that_is_turned_round_again_and_again_ends_in_words() {
    let branch = traced(
        plane(cubic, (1.0, usize::MAX)),
        [-1.5, -2.0],
        1.0,
        StepOptions::default(),
    );
    let [End::Failed(why)] = &branch.ends[..] else {
        panic!("{:?}", branch.ends);
    };
    assert!(why.contains("reversed its direction at lambda = 1.0"), "{why}");
    assert_eq!(folds(&branch).len(), 2, "the turn is no fold");
    let last = branch.points.last().unwrap();
    assert!(
        last.label == Some(Label::MX) && last.message.contains("reversed its direction"),
        "{last:?}"
    );
}

#[test]
fn folds_are_no_reversals_however_sharp_and_closed_curves_stay_closed() {
    // λ = 1 - (k u)², and cubics with coarse and fine steps.
    let parabolas: [fn(f64, f64) -> (f64, [f64; 2]); 3] = [
        |u, l| (l - 1.0 + u * u, [2.0 * u, 1.0]),
        |u, l| (l - 1.0 + 1e4 * u * u, [2e4 * u, 1.0]),
        |u, l| (l - 1.0 + 1e8 * u * u, [2e8 * u, 1.0]),
    ];
    for (equation, k) in parabolas.into_iter().zip([1.0, 1e2, 1e4]) {
        let branch = traced(
            plane(equation, (0.0, 0)),
            [-(1.5f64.sqrt()) / k, -0.5],
            1.0,
            StepOptions::default(),
        );
        assert_eq!(
            (branch.ends.clone(), folds(&branch).len()),
            (vec![End::Range], 1),
            "k = {k}"
        );
    }
    for largest in [0.5, 0.05, 0.005] {
        let steps = StepOptions {
            largest,
            turn: 0.3,
            ..StepOptions::default()
        };
        let branch = traced(plane(cubic, (0.0, 0)), [-1.5, -2.0], 1.0, steps);
        assert_eq!(
            (branch.ends.clone(), folds(&branch).len()),
            (vec![End::Range], 2),
            "{largest}"
        );
        // An ellipse thin enough for both its sides to be almost the same.
        let ellipse = |u: f64, l: f64| (1e6 * u * u + l * l - 1.0, [2e6 * u, 2.0 * l]);
        let branch = traced(plane(ellipse, (0.0, 0)), [-1e-3, 0.0], 1.0, steps);
        assert_eq!(
            (branch.ends.clone(), folds(&branch).len()),
            (vec![End::Closed], 2),
            "{largest}"
        );
    }
}

const ROESSLER: &str = r#"Study(
    title: "Rössler",
    system: Smooth(
        states: ["x", "y", "z"],
        parameters: {"c": 1.0, "a": 0.2, "b": 0.2},
        equations: ["x' = -y - z", "y' = x + a*y", "z' = b + z*(x - c)"],
    ),
    curves: [
        Curve(name: "rest", orbit: Equilibrium, start: All(at: {"c": 1.0}), free: "c", range: (0, 6)),
        Curve(
            name: "cycles", orbit: PeriodicOrbit, start: Point(from: "rest, HB"), free: "c", range: (0, 6),
            branches: [PD], generations: 2, levels: {"c": [4.3, 5]},
        ),
        Curve(
            name: "four", orbit: PeriodicOrbit, start: Point(from: "cycles-PD1a, PD"), free: "c", range: (0, 6),
            branches: [PD], levels: {"c": [4.3, 5]},
        ),
    ],
)"#;

#[test]
fn orbits_told_in_several_parts_do_not_drift_in_phase() {
    let result = run(ROESSLER, &[]);
    let (direct, chained) = (curve(&result, "cycles-PD1a-PD1a"), curve(&result, "four-PD2a"));
    for c in [direct, chained] {
        assert!(labelled(c, Label::LP).is_empty(), "{}: the branch has no folds", c.name);
        assert_close("doubling", value(c, only(c, Label::PD), "c"), 4.124_214_732_074, 1e-11);
        assert!(points(c).len() < 40, "{}: {} points", c.name, points(c).len());
    }
    for (a, b) in labelled(direct, Label::UZ)
        .into_iter()
        .zip(labelled(chained, Label::UZ))
    {
        for name in ["c", "period", "x_max", "y_min", "z_max", "l2_norm"] {
            assert_close(name, value(chained, b, name), value(direct, a, name), 1e-9);
        }
        for (m, n) in a.record.multipliers.iter().zip(&b.record.multipliers) {
            assert!((m.log10 - n.log10).abs() < 1e-5 * m.log10.abs().max(1.0), "{m:?} {n:?}");
        }
    }
    // The doubled branch ends on that of the simple orbits: beyond it come the same orbits again.
    let (four, simple) = (curve(&result, "four"), curve(&result, "cycles"));
    let (begin, doublings) = (only(simple, Label::PD), labelled(four, Label::PD));
    let [end, _] = doublings[..] else {
        panic!("{} doublings", doublings.len())
    };
    assert_close("doubling", value(four, end, "c"), value(simple, begin, "c"), 1e-6);
    assert!(end.message.contains("the same orbits recur"), "{}", end.message);
    assert!(labelled(four, Label::LP).is_empty() && labelled(four, Label::BP).is_empty());
    assert_eq!(labelled(four, Label::UZ).len(), 2);
}
