//! What a label claims happens there does happen: motions on both sides of it, simulated.

use crate::support::{ATLAS, assert_close, curve, planned, value};
use slipstick_bifurcation::Label;
use slipstick_flow::{AfterTransient, SimulationOptions, TransientOptions, run_transient, simulate};
use slipstick_orbit::{Letter, Word};
use slipstick_study::{AttractorKind, CurveResult, Plan, RunResult};
use slipstick_system::System;

/// Where an orbit at a label begins: mode, its states, all parameters.
pub(crate) struct Place<'r> {
    system: &'r System,
    curve: &'r CurveResult,
    mode: usize,
    x: Vec<f64>,
    parameters: Vec<f64>,
    free: usize,
}

/// The orbit at the labelled point of a curve nearest to `wanted`.
pub(crate) fn place<'r>((plan, result): &'r (Plan, RunResult), name: &str, label: Label, wanted: f64) -> Place<'r> {
    let curve = curve(result, name);
    let system = &plan.systems[curve.system.unwrap()].system;
    let free = system.parameter(&curve.free).unwrap();
    let labelled = curve.pieces.iter().flat_map(|piece| {
        let own = piece
            .orbits
            .iter()
            .map(move |(i, sample)| (&piece.branch.points[*i], sample));
        own.filter(|(p, _)| p.label == Some(label))
    });
    let (point, sample) = labelled
        .min_by(|a, b| {
            (a.0.point.parameter() - wanted)
                .abs()
                .total_cmp(&(b.0.point.parameter() - wanted).abs())
        })
        .unwrap_or_else(|| panic!("no {label} with an orbit on `{name}`"));
    assert_close(&format!("{label} on `{name}`"), point.point.parameter(), wanted, 1e-6);
    let mode = sample.modes[0];
    Place {
        system,
        curve,
        mode,
        x: system.modes[mode].states.iter().map(|&s| sample.states[0][s]).collect(),
        parameters: point.record.parameters.clone(),
        free,
    }
}

impl Place<'_> {
    /// What the motion from next to the orbit settles to when the free parameter is displaced: the word, or `rest`.
    pub(crate) fn beside(&self, offset: f64) -> String {
        let mut p = self.parameters.clone();
        p[self.free] += offset;
        let mut x = self.x.clone();
        x[0] *= 1.0 - 1e-4;
        let options = TransientOptions {
            tolerance: 1e-9,
            max_events: 60_000,
            ..TransientOptions::default()
        };
        match run_transient(self.system, self.mode, &x, &p, &options) {
            Ok(AfterTransient::Orbit(orbit)) => {
                let word = Word {
                    letters: orbit.word.iter().map(|&(mode, event)| Letter { mode, event }).collect(),
                    symmetric: orbit.symmetric,
                };
                word.describe(self.system)
            }
            Ok(AfterTransient::Rest { .. }) => "rest".into(),
            Err(e) => format!("nothing: {e}"),
        }
    }

    /// Does a motion from the orbit's start pass other modes and events on one side of the label than on the other?
    pub(crate) fn differs(&self, offset: f64, time: f64) -> bool {
        self.passed(offset, time) != self.passed(-offset, time)
    }

    /// The modes and events that a motion on the orbit's start passes when the free parameter is displaced.
    pub(crate) fn passed(&self, offset: f64, time: f64) -> String {
        self.visited_first(offset, time, SimulationOptions::default().max_events)
    }

    /// The same, up to this many events.
    pub(crate) fn visited_first(&self, offset: f64, time: f64, max_events: usize) -> String {
        let mut p = self.parameters.clone();
        p[self.free] += offset;
        let options = SimulationOptions {
            t_end: time,
            max_events,
            ..SimulationOptions::default()
        };
        simulate(self.system, self.mode, &self.x, &p, &options)
            .unwrap()
            .describe(self.system)
    }
}

pub(crate) fn stops(word: &str) -> usize {
    let is_stop = |w: &&str| *w == "stick" || w.ends_with(":stick");
    word.split_whitespace().filter(is_stop).count()
}

#[test]
fn the_ends_of_pure_slip_and_the_fold() {
    let limit = place(&ATLAS, "compliant", Label::VS, 0.5206505763957744);
    assert_eq!(stops(&limit.beside(2e-3)), 0, "{}", limit.beside(2e-3));
    assert_eq!(stops(&limit.beside(-2e-3)), 1, "{}", limit.beside(-2e-3));
    let fold = place(&ATLAS, "compliant", Label::LP, 0.4757656678212827);
    assert!(
        fold.beside(1e-3).starts_with("slip") && fold.beside(1e-3).ends_with("mirrored"),
        "{}",
        fold.beside(1e-3)
    );
    assert_eq!(fold.beside(-1e-3), "rest");
    let hub = place(&ATLAS, "stiff", Label::VS, 1.35455216285363);
    assert_eq!(stops(&hub.beside(-2e-3)), 0, "{}", hub.beside(-2e-3));
    // Beyond it the reversals of pure slip are stops; the orbits there are repelling.
    assert!(stops(&hub.passed(2e-3, 60.0)) > 0);
}

#[test]
fn broken_symmetry_the_corner_and_the_doubling() {
    let breaking = place(&ATLAS, "stiff", Label::SB, 1.627747758837944);
    assert!(breaking.beside(5e-3).ends_with("| mirrored"));
    let broken = breaking.beside(-5e-3);
    assert!(!broken.contains("mirrored") && stops(&broken) == 2, "{broken}");
    let daughters: Vec<&CurveResult> = ATLAS
        .1
        .curves
        .iter()
        .filter(|c| c.name.starts_with("stiff-SB") && !c.name.contains("PD"))
        .collect();
    assert_eq!(daughters.len(), 2);
    for daughter in daughters {
        let corner = place(&ATLAS, &daughter.name, Label::VS, 1.582625886455544);
        assert_eq!(stops(&corner.beside(2e-3)), 2);
        assert_eq!(stops(&corner.beside(-2e-3)), 1);
        let doubling = place(&ATLAS, &daughter.name, Label::PD, 1.46298040449293);
        let letters = |w: &str| w.split_whitespace().count();
        let (before, after) = (doubling.beside(2e-3), doubling.beside(-2e-4));
        assert_eq!(2 * letters(&before), letters(&after), "{before} / {after}");
    }
}

#[test]
fn beyond_a_visible_tangency_sticking_ends_earlier() {
    let tangency = place(&ATLAS, "compliant", Label::VT, 0.5259234526973745);
    let piece = tangency
        .curve
        .pieces
        .iter()
        .find(|p| p.branch.points.iter().any(|q| q.label == Some(Label::VT)))
        .unwrap();
    let point = piece.branch.points.iter().find(|p| p.label == Some(Label::VT)).unwrap();
    // The stick phase is the second segment; it ends where the force touches the boundary, at θ = 3π/2.
    let (theta, duration) = (point.point.z[5], point.point.z[6]);
    let tau = std::f64::consts::TAU;
    assert_close("phase", (theta + duration).rem_euclid(tau), 0.75 * tau, 1e-7);
    // Stick phases that should end a little before or after that phase: how much earlier they do end.
    let stick = tangency.system.mode("stick").unwrap();
    let [omega, mu_s, _] = tangency.parameters[..] else {
        panic!()
    };
    let early = |eta: f64| {
        let release = 0.75 * tau + eta;
        let x = (-mu_s - release.sin()) / (omega * omega);
        let options = SimulationOptions {
            t_end: duration + 0.5,
            max_events: 1,
            ..SimulationOptions::default()
        };
        let start = [x, release - duration];
        let run = simulate(tangency.system, stick, &start, &tangency.parameters, &options).unwrap();
        duration - run.segments[0].duration
    };
    assert!(early(-0.05).abs() < 1e-12, "{}", early(-0.05));
    assert!((early(0.05) - 0.1).abs() < 1e-12, "{}", early(0.05));
}

#[test]
fn impacts_begin_where_the_orbit_grazes() {
    let run = planned(include_str!("../../studies/benchmarks/impact.ron"), &[]);
    let fold = place(&run, "impacts", Label::LP, 0.09997075362831327);
    assert!(fold.beside(1e-3).contains("hit"));
    assert!(!fold.beside(-1e-3).contains("hit"));
    let grazing = place(&run, "impacts", Label::GR, 0.1);
    assert!(grazing.passed(1e-3, 50.0).contains("hit"));
    assert!(!grazing.passed(-1e-3, 50.0).contains("hit"));
}

#[test]
fn a_force_that_overshoots_breaks_loose() {
    let run = planned(include_str!("../../studies/benchmarks/fric.ron"), &[]);
    let end = place(&run, "no stop", Label::OV, 0.1111841338488355);
    assert_eq!(stops(&end.beside(1e-4)), 1, "{}", end.beside(1e-4));
    assert_eq!(stops(&end.beside(-1e-4)), 2, "{}", end.beside(-1e-4));
    // The fold of the orbits with four stops.
    let fold = place(&run, "four stops", Label::LP, 0.1277937810443519);
    assert_eq!(stops(&fold.beside(-2e-4)), 2);
    assert_eq!(stops(&fold.beside(2e-4)), 1);
}

#[test]
fn nothing_that_attracts_is_missing_from_the_atlas() {
    let sweep = &ATLAS.1.attractors[0];
    assert!(sweep.missing.is_empty(), "{:?}", sweep.missing);
    assert!(
        sweep
            .verdict()
            .ends_with("every attracting orbit lies on a traced curve")
    );
    for a in &sweep.found {
        if let AttractorKind::Rest { .. } = a.kind {
            // Permanent stick fills Ω²|x| + 1 < μs.
            let reach = 0.1 / (a.value * a.value);
            let x_max = sweep.monitors.iter().position(|m| m == "x_max").unwrap();
            assert_close("low", a.rows[0][x_max], -reach, 1e-11);
            assert_close("high", a.rows[1][x_max], reach, 1e-11);
        }
    }
    let chaos = |a: f64, b: f64| {
        let own = sweep.found.iter().filter(|f| (a..b).contains(&f.value));
        own.filter(|f| matches!(f.kind, AttractorKind::Chaos { .. })).count()
    };
    assert!(chaos(1.37, 1.45) > 0 && chaos(1.47, 2.2) == 0 && chaos(0.4, 1.35) == 0);
    // Both mirror images are there where the symmetry is broken, and both are seen.
    let at = |a: f64, b: f64| -> Vec<&str> {
        let own = sweep.found.iter().filter(|f| (a..b).contains(&f.value));
        own.filter_map(|f| f.curve.as_deref()).collect()
    };
    let pair = at(1.49, 1.51);
    assert!(
        pair.iter().any(|c| c.ends_with('a')) && pair.iter().any(|c| c.ends_with('b')),
        "{pair:?}"
    );
}

#[test]
fn permanent_stick_is_the_only_attractor_of_slow_springs() {
    let sweep = &ATLAS.1.attractors[0];
    let slow = sweep.found.iter().filter(|f| f.value < 0.47);
    assert!(slow.clone().count() > 0);
    for a in slow {
        assert!(matches!(a.kind, AttractorKind::Rest { .. }), "{a:?}");
    }
    let c = curve(&ATLAS.1, "compliant");
    assert!(c.points().all(|(_, _, p)| value(c, p, "Omega") > 0.47));
}

#[test]
fn orbits_with_several_stops_are_found_and_are_real() {
    let run = planned(include_str!("../../studies/stiction_stops.ron"), &[]);
    for (name, label, omega, count) in [("two stops", Label::UZ, 8.0, 2), ("three stops", Label::UZ, 12.0, 3)] {
        let end = place(&run, name, label, omega);
        let word = end.beside(0.0);
        assert!(word.ends_with("| mirrored") && stops(&word) == count, "{word}");
    }
}

/// A sweep below the range of the only curve.
const SWEPT: &str = r#"Study(
    title: "sweep",
    system: Stiction(mu_s: 1.1, mu_d: 0.4),
    curves: [
        Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2.0}), free: "Omega", range: (1.9, 2.5)),
    ],
    attractors: [
        Attractors(name: "below", sweep: "Omega", range: (0.6, 0.8), count: 3, starts: 4, within: {"x": (-2, 2), "y": (-2, 2)}),
        Attractors(name: "on it", sweep: "Omega", range: (2, 2.4), count: 3, starts: 4, within: {"x": (-2, 2), "y": (-2, 2)}),
    ],
)"#;

#[test]
fn a_sweep_names_what_the_curves_leave_out() {
    let (_, result) = planned(SWEPT, &[]);
    let [below, on] = &result.attractors[..] else { panic!() };
    assert_eq!(below.missing.len(), 3, "{:?}", below.missing);
    assert!(
        below.missing[0].starts_with("at Omega = 0.6 an orbit `slip+ reverse | mirrored`"),
        "{}",
        below.missing[0]
    );
    assert!(
        below.verdict().ends_with("3 are on no traced curve"),
        "{}",
        below.verdict()
    );
    assert!(on.missing.is_empty(), "{:?}", on.missing);
    assert!(on.found.iter().any(|a| a.curve.as_deref() == Some("stiff")));
}

#[test]
fn a_sweep_is_the_same_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| {
            planned(SWEPT, &[])
                .1
                .attractors
                .into_iter()
                .map(|a| a.found)
                .collect::<Vec<_>>()
        });
        format!("{found:?}")
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn what_is_wrong_with_a_sweep_is_pointed_at() {
    for (right, wrong, said) in [
        (
            "sweep: \"Omega\", range: (0.6",
            "sweep: \"Omga\", range: (0.6",
            "unknown parameter `Omga`",
        ),
        ("(0.6, 0.8)", "(0.8, 0.6)", "(0.8, 0.6) is not an interval"),
        ("count: 3, starts: 4", "count: 0, starts: 4", "the sweep has no values"),
        ("\"x\": (-2, 2)", "\"z\": (-2, 2)", "unknown state `z`"),
        ("count: 3, starts: 4", "compare: [\"stif\"]", "unknown curve `stif`"),
        (
            "sweep: \"Omega\", range: (0.6, 0.8), count: 3",
            "sweep: \"mu_d\", range: (0.6, 0.8), trace: true",
            "there is none over `mu_d`",
        ),
    ] {
        let text = SWEPT.replacen(right, wrong, 1);
        assert_ne!(text, SWEPT);
        let study = slipstick_study::parse("study.ron".as_ref(), text).unwrap();
        let message = study.plan(&[]).err().unwrap().to_string();
        assert!(
            message.contains(said) && message.contains("study.ron:8:") && message.contains('^'),
            "{message}"
        );
    }
}

/// Motions that come to rest from all sides stop at different distances from where they rest; a sweep counts that place
/// once.
#[test]
fn a_sweep_counts_an_equilibrium_once() {
    let text = r#"Study(
        title: "A damped oscillator",
        system: Smooth(states: ["x", "v"], parameters: {"b": 0}, equations: ["x' = v", "v' = b - 0.3*v - x - x^3"]),
        attractors: [Attractors(name: "rest", sweep: "b", range: (-1, 2), count: 7, within: {"x": (-2, 2), "v": (-1, 1)}, starts: 12)],
    )"#;
    let (_, result) = planned(text, &[]);
    let found = &result.attractors[0].found;
    assert_eq!(found.len(), 7);
    for one in found {
        assert!(
            matches!(one.kind, AttractorKind::Rest { .. }) && one.starts == 12,
            "{one:?}"
        );
        let x = one.rows[0][1];
        assert_close("the equilibrium", x + x * x * x, one.value, 1e-12);
    }
}
