//! The friction systems on the common engine: flows, events, periodic orbits and multipliers against their own exact solutions.
#![allow(clippy::unwrap_used, clippy::excessive_precision)]

use slipstick::bifurcation::{TraceOptions, trace};
use slipstick::flow::{FlowKind, FlowOptions, ModeFlow};
use slipstick::friction::shaw::{Cascade, Forcing, Oscillator};
use slipstick::friction::shoe::Shoe;
use slipstick::friction::wear::VibratingBase;
use slipstick::orbit::{PeriodicOrbit, Word};
use slipstick::system::catalogue::{shaw, shoe, wear};
use slipstick::system::{System, with_integral};
use std::f64::consts::{PI, TAU};

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a:.17} is not {b:.17}: off by {:e}", a - b);
}

/// The events of a motion: time, name of the mode that begins, full state.
fn events(system: &System, p: &[f64], end: f64) -> Vec<(f64, String, Vec<f64>)> {
    let (mut mode, mut x) = system.start.clone();
    let mut t = 0.0;
    let mut rows = vec![];
    while t < end {
        let flow = ModeFlow::new(system, mode, FlowOptions::default());
        assert_ne!(flow.kind(p), FlowKind::Integrated, "{} {}", system.name, system.modes[mode].name);
        let path = flow.path(&x, end - t, p).unwrap();
        let mut state = vec![0.0; x.len()];
        let hits = |c: f64, when: &[slipstick::system::Inequality]| {
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
        let oscillator = Oscillator { alpha, ..Oscillator::default() };
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
        let base = VibratingBase { acceleration: a0, ..VibratingBase::default() };
        let energy = |t: f64| events(&system, &p, t).last().unwrap().2[2];
        for (from, to) in [(4.0, 11.99), (4.0, 12.0)] {
            near((energy(to) - energy(from)) / (to - from), base.wear_power(from, to).unwrap(), 1e-10);
        }
    }
}

fn problem<'s>(system: &'s System, word: &str, symmetric: bool, set: &[(&str, f64)], free: &str) -> PeriodicOrbit<'s> {
    let mut p = system.default_parameters();
    for (name, value) in set {
        p[system.parameter(name).unwrap()] = *value;
    }
    let word = Word::parse(word, symmetric, system).unwrap();
    PeriodicOrbit::new(system, word, p, vec![system.parameter(free).unwrap()], FlowOptions::default())
}

fn still(range: (f64, f64)) -> TraceOptions {
    TraceOptions { range, levels: vec![], steps: Default::default(), points: 400, directions: vec![1.0, -1.0] }
}

#[test]
fn the_slip_stick_orbit_of_shaws_oscillator_and_its_multiplier() {
    let system = shaw();
    let mut orbit = problem(&system, "slip- slip+ stick", false, &[], "omega");
    let z = orbit
        .guess(
            &[vec![6.8, 0.0, 0.365], vec![-9.2, 0.0, 3.147], vec![6.8, TAU - 0.007]],
            &[5.565, 6.258, 0.744],
        )
        .unwrap();
    let branch = trace(&mut orbit, z, &still((0.49, 0.51)), &mut |_| true).unwrap();
    let at = branch.points.iter().min_by(|a, b| (a.record.parameters[3] - 0.5).abs().total_cmp(&(b.record.parameters[3] - 0.5).abs())).unwrap();
    near(at.record.parameters[3], 0.5, 1e-15);
    near(at.record.period, 4.0 * PI, 1e-12);
    near(at.record.multipliers[0].log10, 0.86860047577388850014_f64.log10(), 1e-11);
    let monitor = |name: &str| {
        let names = slipstick::bifurcation::Inspect::monitors(&orbit);
        at.record.monitors[names.iter().position(|n| n == name).unwrap()]
    };
    near(monitor("x_stick"), 6.8048371004920437527, 1e-11);
    near(monitor("theta0"), 0.36495585789261430572, 1e-11);
    near(monitor("stick"), 0.74397285517262046588, 1e-11);
}
/// The labelled points of a branch: label and free parameter.
fn labels(branch: &slipstick::bifurcation::Branch, free: usize) -> Vec<(String, f64)> {
    branch
        .special()
        .filter_map(|(_, s)| Some((s.label.as_ref()?.to_string(), s.record.parameters[free])))
        .collect()
}

#[test]
fn zz() {
    let system = wear();
    let a0 = system.parameter("a0").unwrap();
    for (word, start, range) in [("slip- stick", 1.5, (1.001, 3.0)), ("slip-", 15.0, (1.2, 20.0))] {
        let base = VibratingBase { acceleration: start, ..VibratingBase::default() };
        let mut orbit = problem(&system, word, true, &[("a0", start)], "a0");
        let (states, durations) = if word == "slip-" {
            (vec![vec![-1e-9, TAU * base.asymptotic_reversal().unwrap()]], vec![0.5])
        } else {
            let (t1, t2) = (base.first_slip().unwrap(), base.first_meeting().unwrap().unwrap());
            (vec![vec![-1e-9, TAU * t1], vec![TAU * t2]], vec![t2 - t1, t1 + 0.5 - t2])
        };
        let z = orbit.guess(&states, &durations).unwrap();
        let branch = trace(&mut orbit, z, &still(range), &mut |_| true).unwrap();
        for e in &branch.ends { println!("{}", e.describe()); }
        println!("{:?} {} {:?}", labels(&branch, a0), branch.points.len(), branch.points[branch.points.len()/2].record);
    }
}
