//! The friction systems on the common engine: flows, events, periodic orbits and multipliers against their own exact
//! solutions.
#![allow(clippy::excessive_precision)]

use slipstick_bifurcation::{Branch, BranchPoint, Inspect, TraceOptions, Tracer};
use slipstick_flow::{FlowKind, FlowOptions, ModeFlow};
use slipstick_models::friction::shaw::{Cascade, Forcing, Oscillator};
use slipstick_models::friction::shoe::Shoe;
use slipstick_models::friction::wear::{VibratingBase, critical_eta};
use slipstick_orbit::{PeriodicOrbit, Word};
use slipstick_system::catalogue::{shaw, shoe, wear};
use slipstick_system::{Inequality, System, with_integral};
use std::f64::consts::{PI, TAU};

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a:.17} is not {b:.17}: off by {:e}", a - b);
}

/// The events of a motion: time, name of the mode that begins, full state.
fn events(system: &System, p: &[f64], end: f64) -> Vec<(f64, String, Vec<f64>)> {
    let (mut mode, mut x) = system.start_at(p);
    let mut t = 0.0;
    let mut rows = vec![];
    while t < end {
        let flow = ModeFlow::new(system, mode, FlowOptions::default());
        assert_ne!(
            flow.kind(p),
            FlowKind::Integrated,
            "{} {}",
            system.name,
            system.modes[mode].name
        );
        let path = flow.path(&x, end - t, p).unwrap();
        let mut state = vec![0.0; x.len()];
        let hits = |c: f64, when: &[Inequality]| {
            let mut state = vec![0.0; flow.dim()];
            path.eval(c, &mut state);
            when.iter().all(|i| {
                let mut v = [0.0];
                i.function.value(&state, p, &mut v);
                v[0] > 0.0
            })
        };
        let first = system.modes[mode]
            .events
            .iter()
            .filter_map(|e| {
                let c = path.first_crossing(&*e.guard, e.direction, p, 0.0, end - t).unwrap()?;
                hits(c.t, &e.when).then_some((c.t, e.target))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((after, target)) = first else {
            path.eval(end - t, &mut state);
            rows.push((end, "end".into(), system.full_state(mode, &state, p)));
            break;
        };
        path.eval(after, &mut state);
        let mut full = system.full_state(mode, &state, p);
        t += after;
        // What the new mode fixes is fixed from now on.
        x = system.modes[target].states.iter().map(|&i| full[i]).collect();
        full = system.full_state(target, &x, p);
        rows.push((t, system.modes[target].name.clone(), full));
        mode = target;
    }
    rows
}

#[test]
fn shaws_oscillator_moves_as_its_cascade_says() {
    let system = shaw();
    let mut p = system.default_parameters();
    for alpha in [0.0, 0.1] {
        p[system.parameter("alpha").unwrap()] = alpha;
        let oscillator = Oscillator {
            alpha,
            ..Oscillator::default()
        };
        let exact = Cascade::new(oscillator, &Forcing::harmonic(0.5), (0.0, 5.0, 0.0), 60.0).unwrap();
        let rows = events(&system, &p, 60.0);
        assert_eq!(rows.len(), exact.instants().len());
        for (row, instant) in rows.iter().zip(&exact.instants()[1..]) {
            assert_eq!(row.1, instant.begins.to_string());
            near(row.0, instant.t, 1e-10);
            near(row.2[0], instant.x, 1e-10);
        }
    }
}

#[test]
fn the_shoe_stops_where_it_should() {
    let system = shoe();
    let mut p = system.default_parameters();
    for mu in [0.1, 0.1 / 2.0_f64.sqrt()] {
        p[system.parameter("mu").unwrap()] = mu;
        let exact = Shoe { mu, ..Shoe::default() }.turning_points().unwrap();
        let rows = events(&system, &p, 0.3);
        assert_eq!(rows.len(), exact.len());
        for (row, turn) in rows.iter().zip(&exact[1..]) {
            near(row.0, turn.t, 1e-13);
            near(row.2[0], turn.r, 1e-16);
        }
        assert_eq!(rows[rows.len() - 2].1, "rest");
    }
}

#[test]
fn wear_integrated_along_the_motion() {
    let system = with_integral(&wear(), "wear_power", "wear").unwrap();
    let mut p = system.default_parameters();
    for a0 in [15.0, 1.5, 1.01, 0.99] {
        p[system.parameter("a0").unwrap()] = a0;
        let base = VibratingBase {
            acceleration: a0,
            ..VibratingBase::default()
        };
        let energy = |t: f64| events(&system, &p, t).last().unwrap().2[2];
        for (from, to) in [(4.0, 11.99), (4.0, 12.0)] {
            near(
                (energy(to) - energy(from)) / (to - from),
                base.wear_power(from, to).unwrap(),
                1e-10,
            );
        }
    }
}

fn problem<'s>(system: &'s System, word: &str, symmetric: bool, set: &[(&str, f64)], free: &str) -> PeriodicOrbit<'s> {
    let mut p = system.default_parameters();
    for (name, value) in set {
        p[system.parameter(name).unwrap()] = *value;
    }
    let word = Word::parse(word, symmetric, system).unwrap();
    PeriodicOrbit::new(
        system,
        word,
        p,
        vec![system.parameter(free).unwrap()],
        FlowOptions::default(),
    )
}

fn options(range: (f64, f64)) -> TraceOptions {
    TraceOptions {
        range,
        levels: vec![],
        within: vec![],
        steps: Default::default(),
        points: 400,
        directions: vec![1.0, -1.0],
    }
}

/// The labelled points of a branch: label and free parameter.
fn labels(branch: &Branch, free: usize) -> Vec<(String, f64)> {
    branch
        .special()
        .filter_map(|(_, s)| Some((s.label.as_ref()?.to_string(), s.record.parameters[free])))
        .collect()
}

#[test]
fn the_slip_stick_orbit_of_shaws_oscillator_and_its_multiplier() {
    let system = shaw();
    let omega = system.parameter("omega").unwrap();
    let mut orbit = problem(&system, "slip- slip+ stick", false, &[], "omega");
    let states = [vec![6.8, 0.0, 0.365], vec![-9.2, 0.0, 3.147], vec![6.8, TAU - 0.007]];
    let z = orbit.guess(&states, &[5.565, 6.258, 0.744]).unwrap();
    let branch = Tracer::new(&mut orbit, &options((0.49, 0.51))).from_guess(z).unwrap();
    let off = |p: &&BranchPoint| (p.record.parameters[omega] - 0.5).abs();
    let record = &branch
        .points
        .iter()
        .min_by(|a, b| off(a).total_cmp(&off(b)))
        .unwrap()
        .record;
    near(record.parameters[omega], 0.5, 1e-15);
    near(record.period, 4.0 * PI, 1e-12);
    near(record.multipliers[0].log10, 0.86860047577388850014_f64.log10(), 1e-12);
    assert_eq!(record.multipliers[1].log10, f64::NEG_INFINITY);
    let names = orbit.monitor_names();
    let monitor = |name: &str| record.monitors[names.iter().position(|n| n == name).unwrap()];
    near(monitor("x_stick"), 6.8048371004920437527, 1e-12);
    near(monitor("theta0"), 0.36495585789261430572, 1e-12);
    near(monitor("stick"), 0.74397285517262046588, 1e-12);
    // The asymmetric orbit exists near the resonance ω = w/2 only, between two folds, from where both ends of the curve
    // come back to ω = 1/2: there its stick vanishes at the edge x = 6 + f_s of the continuum of neutral orbits.
    let folds: Vec<f64> = labels(&branch, omega)
        .into_iter()
        .filter(|(label, _)| label == "LP")
        .map(|(_, value)| value)
        .collect();
    assert_eq!(folds.len(), 2);
    assert!(folds[0] < 0.4942 && folds[1] > 0.5074, "{folds:?}");
    for end in [branch.points.first().unwrap(), branch.points.last().unwrap()] {
        near(end.record.parameters[omega], 0.5, 1e-3);
        let x = names.iter().position(|n| n == "x_stick").unwrap();
        near(end.record.monitors[x], 7.2, 1e-2);
    }
}

#[test]
fn both_wear_regimes_end_at_the_critical_amplitude() {
    let system = wear();
    let a0 = system.parameter("a0").unwrap();
    let critical = 1.0 / critical_eta();

    let base = VibratingBase::default();
    let (t1, t2) = (
        base.first_slip().unwrap(),
        base.first_codimension_two().unwrap().unwrap(),
    );
    let mut orbit = problem(&system, "slip- stick", true, &[], "a0");
    let z = orbit
        .guess(&[vec![0.0, TAU * t1], vec![TAU * t2]], &[t2 - t1, t1 + 0.5 - t2])
        .unwrap();
    let branch = Tracer::new(&mut orbit, &options((1.001, 3.0))).from_guess(z).unwrap();
    let found = labels(&branch, a0);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("EP", "VS"));
    near(found[1].1, critical, 1e-12);

    let base = VibratingBase {
        acceleration: 15.0,
        ..base
    };
    let mut orbit = problem(&system, "slip-", true, &[("a0", 15.0)], "a0");
    let z = orbit
        .guess(&[vec![0.0, TAU * base.asymptotic_reversal().unwrap()]], &[0.5])
        .unwrap();
    let branch = Tracer::new(&mut orbit, &options((1.2, 20.0))).from_guess(z).unwrap();
    let found = labels(&branch, a0);
    assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("VS", "EP"));
    near(found[0].1, critical, 1e-12);
    // The half map of the reversal's phase: ν = (η - s)/(η + s) with s = √(1 - (πη/2)²).
    for point in &branch.points {
        let eta = 1.0 / point.record.parameters[a0];
        let s = (1.0 - (0.5 * PI * eta).powi(2)).sqrt();
        let nu = (eta - s) / (eta + s);
        // At η* it vanishes, and its logarithm has no digits.
        if nu.abs() > 1e-3 {
            near(point.record.nu[0].log10, nu.abs().log10(), 1e-11);
            near(point.record.nu[0].arg, PI, 0.0);
        }
    }
}
