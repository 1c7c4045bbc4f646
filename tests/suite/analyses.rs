//! Analyses as studies ask for them: their tables, curves and complaints.
#![allow(clippy::excessive_precision)]

use super::support::{curve, labelled, run, value};
use slipstick_bifurcation::Label;
use slipstick_report::Table;
use slipstick_study::{self as study, RunResult, Silent};
use std::fs;

fn study(analyses: &str) -> String {
    format!("Study(title: \"analyses\", analyses: [{analyses}])")
}

/// All tables and motions of a result by name.
fn table<'r>(result: &'r RunResult, name: &str) -> &'r Table {
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    let all = result.analyses.iter().flat_map(|a| a.tables.iter().chain(&a.motions));
    let mut found = all.filter(|(n, _)| n == name);
    &found.next().unwrap_or_else(|| panic!("no table {name}")).1
}

fn column<'r>(result: &'r RunResult, name: &str, column: &str) -> &'r [f64] {
    table(result, name).numbers(column).unwrap()
}

/// The value of `y` in the row where `x` is `at`.
fn at(table: &Table, (x, at): (&str, f64), y: &str) -> f64 {
    let row = table
        .numbers(x)
        .unwrap()
        .iter()
        .position(|v| (v - at).abs() < 1e-12 || *v == at);
    table.numbers(y).unwrap()[row.unwrap_or_else(|| panic!("no row with {x} = {at}"))]
}

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a:.15} is not {b:.15}: off by {:e}", a - b);
}

/// What is said of a study that is refused.
fn refused(analyses: &str) -> String {
    let loaded = study::parse("study.ron".as_ref(), study(analyses)).unwrap_or_else(|e| panic!("{e}"));
    loaded
        .plan(&[])
        .err()
        .map_or_else(|| panic!("accepted: {analyses}"), |e| e.to_string())
}

#[test]
fn motions_of_shaws_oscillator_by_either_solver() {
    let result = run(
        &study(r#"Shaw(name: "exact"), Shaw(name: "euler", solver: Euler(step: 1e-3), rows: 28001)"#),
        &[],
    );
    let instants = table(&result, "exact-instants");
    assert_eq!(
        instants.texts("tau").unwrap()[..4],
        ["tau_0", "tau_1/2", "tau_0^1", "tau_1"]
    );
    for (t, known) in instants.numbers("t").unwrap()[1..].iter().zip([
        1.769_886_724_352_371_7,
        6.612_500_893_255_580_8,
        11.865_613_744_489_809,
        13.574_106_471_551_276,
    ]) {
        near(*t, known, 4e-14);
    }
    // β T - x is the extension, and b = K (β T - x) without damping.
    let (b, extension) = (column(&result, "exact", "b"), column(&result, "exact", "extension"));
    assert!(b.iter().zip(extension).all(|(b, e)| (b - e).abs() < 1e-12));
    let (exact, euler) = (table(&result, "exact"), table(&result, "euler"));
    let worst = (0..28)
        .map(|i| (at(exact, ("t", 0.0), "x"), f64::from(i)))
        .map(|(_, t)| {
            let row = euler.numbers("t").unwrap().partition_point(|s| *s < t - 1e-9);
            let here = euler.numbers("t").unwrap()[row];
            let after = exact.numbers("t").unwrap().partition_point(|s| *s < here);
            let (ts, xs) = (exact.numbers("t").unwrap(), exact.numbers("x").unwrap());
            let k = after.clamp(1, ts.len() - 1);
            let share = (here - ts[k - 1]) / (ts[k] - ts[k - 1]);
            (xs[k - 1] + share * (xs[k] - xs[k - 1]) - euler.numbers("x").unwrap()[row]).abs()
        })
        .fold(0.0, f64::max);
    // First order: 0.0123 over all times at this step.
    assert!((0.005..0.0135).contains(&worst), "{worst}");
}

#[test]
fn any_forcing_drives_shaws_oscillator() {
    let folder = tempfile::tempdir().unwrap();
    let record: String = (0..=2800)
        .map(|i| f64::from(i) * 0.01)
        .fold("t;T\n".into(), |text, t| format!("{text}{t};{}\n", (0.5 * t).cos()));
    // As a spreadsheet writes it: decimal commas, a header, a missing value.
    let record = record.replace('.', ",") + "28,5;NaN\n";
    fs::write(folder.path().join("record.csv"), record).unwrap();
    let text = study(
        r#"Shaw(name: "harmonic"), Shaw(name: "tones", forcing: Tones([(1, 0.5, 0)])),
           Shaw(name: "formula", forcing: Expression(of: "cos(t/2)")),
           Shaw(name: "record", forcing: Csv(file: "record.csv", interpolation: MonotoneCubic))"#,
    );
    let path = folder.path().join("study.ron");
    fs::write(&path, text).unwrap();
    let plan = study::load(&path).unwrap().plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    let result = study::run(&plan, &Silent, &false.into());
    let exact = column(&result, "harmonic-instants", "t");
    for (name, tolerance) in [("tones", 1e-13), ("formula", 1e-8), ("record", 2e-4)] {
        let times = column(&result, &format!("{name}-instants"), "t");
        assert_eq!(times.len(), exact.len(), "{name}");
        for (a, b) in times.iter().zip(exact) {
            near(*a, *b, tolerance);
        }
    }
}

#[test]
fn the_order_of_both_euler_schemes_is_measured() {
    let result = run(
        &study(
            r#"Convergence(name: "shaw", steps: [1e-2, 5e-3, 1e-3]),
               BowedConvergence(name: "string", modes: 40, steps: [1e-3, 5e-4, 2.5e-4])"#,
        ),
        &[],
    );
    for (error, known) in column(&result, "shaw", "displacement")
        .iter()
        .zip([0.124_13, 0.062_188, 0.012_347])
    {
        near(error / known, 1.0, 6e-5);
    }
    for (error, known) in column(&result, "string", "displacement")
        .iter()
        .zip([0.011_558, 0.005_768, 0.002_881])
    {
        near(error / known, 1.0, 0.03);
    }
    for name in ["shaw", "string"] {
        assert!(
            column(&result, name, "order")[1..]
                .iter()
                .all(|p| (p - 1.0).abs() < 0.02)
        );
    }
}

#[test]
fn wear_power_over_the_amplitude() {
    let result = run(&study(r#"WearPower(name: "power", rows: 40)"#), &[]);
    let power = table(&result, "power");
    for (a0, window, asymptotic, regime) in [
        (15.0, 15.267_099_589_371_614, 15.114_614_488_611_315, "slip-slip"),
        (1.5, 0.409_062_451_015_708_93, 0.409_062_451_015_708_93, "stick-slip"),
        (
            1.01,
            2.261_641_212_797_869_6e-4,
            2.261_641_212_797_869_6e-4,
            "stick-slip",
        ),
        (0.99, 0.0, 0.0, "stick"),
    ] {
        near(at(power, ("a0", a0), "window"), window, 1e-12 * window);
        near(at(power, ("a0", a0), "asymptotic"), asymptotic, 1e-12 * asymptotic);
        let row = power.numbers("a0").unwrap().iter().position(|a| *a == a0).unwrap();
        assert_eq!(power.texts("regime").unwrap()[row], regime);
    }
    near(at(power, ("a0", 1.5), "t1"), 0.116_139_763_599_384_99, 1e-15);
    near(at(power, ("a0", 1.5), "t2"), 0.528_890_386_199_590_29, 1e-15);
    // The regimes meet where the table has a row of its own, and the power is monotone throughout.
    let eta = power.numbers("eta").unwrap();
    assert!(eta.iter().any(|e| (e - 0.537_029_272_146_315_08).abs() < 1e-15));
    assert!(power.numbers("asymptotic").unwrap().windows(2).all(|w| w[1] >= w[0]));
}

#[test]
fn an_observable_is_integrated_along_a_simulation() {
    let text = |integrate: &str| {
        format!(
            "Study(title: \"wear\", system: Wear(), simulations: [Simulation(name: \"s\", set: {{\"a0\": 15}}, time: 12, every: 4, \
             integrate: [\"{integrate}\"])])"
        )
    };
    let result = run(&text("wear_power"), &[]);
    let rows = &result.trajectories[0].rows;
    let energy = |t: f64| rows.iter().find(|r| r.t == t).unwrap().states[2];
    near((energy(12.0) - energy(4.0)) / 8.0, 15.267_099_589_371_614, 1e-10 * 15.0);
    let loaded = study::parse("study.ron".as_ref(), text("power")).unwrap();
    let complaint = loaded.plan(&[]).err().unwrap().to_string();
    assert!(
        complaint.contains("unknown observable `power`") && complaint.contains("wear_power"),
        "{complaint}"
    );
}

#[test]
fn the_shoe_stops_in_its_table() {
    let result = run(
        &study(r#"SlidingShoe(name: "isotropic"), SlidingShoe(name: "one-axis", friction_axis: 45)"#),
        &[],
    );
    let last = |name: &str, c: &str| *column(&result, name, c).last().unwrap();
    near(last("isotropic-turns", "t"), 0.125_663_706_143_591_7, 1e-16);
    near(last("isotropic-turns", "r"), 5e-5, 1e-18);
    near(last("one-axis-turns", "t"), 0.188_495_559_215_387_6, 1e-16);
    near(last("one-axis-turns", "r"), 1.471_862_576_142_971e-6, 3e-19);
}

#[test]
fn kernels_of_string_and_beam() {
    let result = run(
        &study(
            r#"Kernel(name: "string", structure: String(damping: 0.1), modes: [20, 160], continuum: true, until: 2, rows: 2001,
                      exponent: (1e-7, 1e-5)),
               Kernel(name: "beam", structure: Cantilever(damping: 0.1), modes: [8, 1500], from: 1e-4, until: 1, rows: 11, log: true,
                      exponent: (1e-5, 1e-4)),
               Kernel(name: "two", structure: String(damping: 0.05, at: [0.4, 0.7]), modes: [12], until: 1, rows: 3)"#,
        ),
        &[],
    );
    for (t, l1) in [
        (
            0.01,
            [0.167_215_467_337_1, 0.448_920_493_656_614, 0.449_969_115_224_173],
        ),
        (
            0.5,
            [
                -0.018_904_925_274_801_7,
                -0.015_462_842_751_597_6,
                -0.015_066_204_736_431_3,
            ],
        ),
        (
            2.0,
            [
                0.015_410_748_741_635_4,
                0.018_114_753_625_072_4,
                0.018_511_391_640_229_7,
            ],
        ),
    ] {
        for (n, l1) in ["20", "160", "inf"].into_iter().zip(l1) {
            near(at(table(&result, &format!("string-{n}")), ("t", t), "L1"), l1, 2e-13);
        }
    }
    // L₀ = L - L̄, and L₁ is its integral (trapezia over a millisecond).
    let twenty = table(&result, "string-20");
    let (l, l0, l1) = (
        twenty.numbers("L").unwrap(),
        twenty.numbers("L0").unwrap(),
        twenty.numbers("L1").unwrap(),
    );
    assert!(
        l.iter()
            .zip(l0)
            .all(|(l, l0)| (l - l0 - 2.318_753_106_549_34).abs() < 1e-11)
    );
    let mut sum = 0.0;
    for i in 1..l0.len() {
        sum += 0.5 * (l0[i] + l0[i - 1]) * 1e-3;
        near(sum, l1[i], 2e-3);
    }
    let constants = table(&result, "string-constants");
    near(at(constants, ("modes", 20.0), "L_bar"), 2.318_753_106_549_34, 1e-13);
    near(
        at(constants, ("modes", f64::INFINITY), "L_bar"),
        2.368_705_056_261_45,
        1e-13,
    );
    near(at(constants, ("modes", f64::INFINITY), "compliance"), 0.24, 1e-15);
    near(
        at(constants, ("modes", f64::INFINITY), "jump"),
        0.470_474_000_085_871,
        1e-14,
    );
    near(at(constants, ("modes", 20.0), "mobility"), 20.0, 1e-12);
    // The continuum jumps at 0: its table has both values there.
    assert_eq!(column(&result, "string-inf", "t")[..2], [0.0, 0.0]);
    near(column(&result, "string-inf", "L1")[1], 0.470_474_000_085_871, 1e-14);
    // V W = 1 for each contact, with the mode that carries W alone.
    let modes = table(&result, "string-modes");
    let product: f64 = modes
        .numbers("V_contact")
        .unwrap()
        .iter()
        .zip(modes.numbers("W_contact").unwrap())
        .map(|(v, w)| v * w)
        .sum();
    near(product, 1.0, 1e-15);
    let beam = table(&result, "beam-modes");
    for (w, known) in
        beam.numbers("omega")
            .unwrap()
            .iter()
            .zip([3.516_015_268_500_15, 22.034_491_564_666_8, 61.697_214_413_549_1])
    {
        near(*w, known, 2e-13);
    }
    // Hölder exponents from data: 0 with a jump, 1/2 for the beam, 1 while the modes are resolved.
    near(
        at(table(&result, "string-hoelder"), ("modes", f64::INFINITY), "exponent"),
        0.0,
        1e-4,
    );
    near(
        at(table(&result, "string-hoelder"), ("modes", 20.0), "exponent"),
        1.0,
        1e-4,
    );
    near(
        at(table(&result, "beam-hoelder"), ("modes", 1500.0), "exponent"),
        0.5,
        0.015,
    );
    // Two contacts: what the one does to the other is what the other does to the one.
    let two = table(&result, "two-constants");
    let compliance = two.numbers("compliance").unwrap();
    near(compliance[1], compliance[2], 1e-13);
    assert!(table(&result, "two-12").numbers("L1_21").is_ok());
}

#[test]
fn a_bowed_string_moves_the_same_by_every_method() {
    let result = run(
        &study(
            r#"Bowed(name: "full", modes: 40, time: 6), Bowed(name: "reduced", modes: 40, time: 6, method: Reduced),
               Bowed(name: "euler", modes: 40, time: 6, method: Euler(step: 5e-4)),
               Bowed(name: "continuum", modes: 40, time: 2, method: Euler(step: 1e-3, continuum: true))"#,
        ),
        &[],
    );
    let events = |name: &str| column(&result, &format!("{name}-events"), "t").to_vec();
    let full = events("full");
    assert!(full.len() >= 6);
    for (name, tolerance) in [("reduced", 1e-10), ("euler", 7e-3)] {
        assert_eq!(events(name).len(), full.len());
        for (a, b) in events(name).iter().zip(&full) {
            near(*a, *b, tolerance);
        }
    }
    assert_eq!(
        table(&result, "full-events").texts("to").unwrap()[..2],
        ["stick", "slip+"]
    );
    // With all modes the force hardly jumps at an onset of stick; with forty it does.
    let gap = |name: &str| column(&result, &format!("{name}-events"), "gap")[0].abs();
    assert!(
        gap("continuum") < 0.2 && gap("full") > 0.4,
        "{} {}",
        gap("continuum"),
        gap("full")
    );
    // Events are rows of the table, on both sides.
    let t = column(&result, "full", "t");
    assert_eq!(t.iter().filter(|t| **t == full[0]).count(), 2);
    assert!(t.windows(2).all(|w| w[0] <= w[1]));
}

#[test]
fn the_stick_slip_orbit_of_a_string_over_modes_and_speed() {
    let result = run(
        &study(
            r#"BowedModes(name: "modes", modes: [20, 40, 80]),
               BowedBranch(name: "speed", range: (0.25, 1.7), levels: {"v0": [1.5], "stick": [0.5]}, multipliers: 6)"#,
        ),
        &[],
    );
    let modes = table(&result, "modes");
    near(at(modes, ("modes", 20.0), "period"), 1.991_301_499_984, 1e-10);
    near(at(modes, ("modes", 20.0), "gap"), -0.213_997_807, 5e-10);
    near(at(modes, ("inverse", 0.0), "period"), 1.987_465_878, 2e-5);
    assert!((0.8..1.0).contains(&at(modes, ("modes", 80.0), "exponent")));
    let speed = curve(&result, "speed");
    let levels = labelled(speed, Label::UZ);
    let here = levels.iter().find(|p| value(speed, p, "v0") == 1.5).unwrap();
    near(here.record.period, 1.991_301_499_984, 1e-10);
    near(value(speed, here, "gap"), -0.213_997_807, 5e-10);
    assert!(levels.iter().any(|p| (value(speed, p, "stick") - 0.5).abs() < 1e-9));
    for label in [Label::PD, Label::LP, Label::VS] {
        assert_eq!(labelled(speed, label).len(), 1, "{label}");
    }
    // The orbit at the level closes up after its period.
    let index = speed.points().find(|(_, _, p)| std::ptr::eq(*p, *here)).unwrap().0;
    let orbits = &result.analyses.iter().find(|a| a.name == "speed").unwrap().orbits;
    let orbit = &orbits.iter().find(|((_, i), _)| *i == index).unwrap().1;
    let (t, y1) = (orbit.numbers("t").unwrap(), orbit.numbers("y1").unwrap());
    near(*t.last().unwrap(), here.record.period, 1e-12);
    near(y1[0], *y1.last().unwrap(), 1e-9);
}

#[test]
fn modes_come_from_a_table_beside_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let pi = std::f64::consts::PI;
    let rows: String = (1..=30)
        .map(f64::from)
        .map(|k| {
            format!(
                "{},0.1,{},{}\n",
                k * pi,
                2f64.sqrt() * (0.4 * k * pi).sin(),
                (0.3 * k * pi).sin()
            )
        })
        .collect();
    fs::write(
        folder.path().join("modes.csv"),
        format!("omega,damping,bow,other\n{rows}"),
    )
    .unwrap();
    let text = study(
        r#"Bowed(name: "table", structure: Table(file: "modes.csv", contacts: ["bow"]), modes: 20, time: 3),
           Bowed(name: "string", modes: 20, time: 3)"#,
    );
    let path = folder.path().join("study.ron");
    fs::write(&path, &text).unwrap();
    let load = || study::load(&path).unwrap().plan(&[]);
    let plan = load().unwrap_or_else(|e| panic!("{e}"));
    assert!(
        plan.warnings[0].message.contains("cannot be checked"),
        "{:?}",
        plan.warnings
    );
    let result = study::run(&plan, &Silent, &false.into());
    for (a, b) in column(&result, "table-events", "t")
        .iter()
        .zip(column(&result, "string-events", "t"))
    {
        near(*a, *b, 1e-10);
    }
    for (from, to, message) in [
        ("modes.csv", "nodes.csv", "cannot open"),
        (
            "[\"bow\"]",
            "[\"bridge\"]",
            "no contact `bridge` among the columns bow, other",
        ),
        ("[\"bow\"]", "[]", "a bow touches one point"),
        (
            "modes: 20, time: 3),\n",
            "modes: 31, time: 3),\n",
            "31 modes are asked for, the table has 30",
        ),
    ] {
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let complaint = load().err().unwrap().to_string();
        assert!(complaint.contains(message), "{complaint}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_where_it_stands() {
    let cases = [
        (r#"Shaw(oscillator: (f_s: 0.5))"#, "f_s = 0.5 is not possible", "0.5"),
        (
            r#"Shaw(forcing: Expression(of: "cos(t"))"#,
            "the forcing `cos(t`",
            "Expression",
        ),
        (r#"Shaw(time: -1)"#, "time = -1 is not possible", "-1"),
        (r#"Shaw(forcing: Csv(file: "no.csv"))"#, "cannot read no.csv", "Csv"),
        (
            r#"Ensemble(noise: (rate: 0))"#,
            "the rate of the noise must be positive",
            "0",
        ),
        (r#"Ensemble(paths: 1)"#, "at least two paths", "1"),
        (r#"SlowForcing(omegas: [0.1, -2])"#, "omegas = -2", "["),
        (r#"Calibration(beta: (2, 1))"#, "search for beta", "(2, 1)"),
        (r#"Calibration(record: Csv(file: "no.csv"))"#, "no.csv", "Csv"),
        (r#"WearPower(base: (mu: 0))"#, "mu = 0 is not possible", "0"),
        (r#"WearPower(window: (4, 3))"#, "the window (4, 3)", "(4, 3)"),
        (
            r#"SlidingShoe(shoe: (stiffness: -1))"#,
            "stiffness = -1 is not possible",
            "-1",
        ),
        (r#"Kernel()"#, "no kernel is asked for", "Kernel"),
        (
            r#"Kernel(modes: [4], structure: String(damping: 1))"#,
            "damping ratio D = 1",
            "String",
        ),
        (
            r#"Kernel(modes: [4], structure: String(damping: 0, at: 1.5))"#,
            "ξ = 1.5",
            "String",
        ),
        (
            r#"Kernel(continuum: true, structure: Cantilever(damping: 0.1))"#,
            "known for strings only",
            "true",
        ),
        (r#"Kernel(modes: [4], log: true)"#, "above 0 with `log`", "Kernel"),
        (r#"Bowed(bow: (mu: -4))"#, "mu = -4", "-4"),
        (r#"Bowed(method: Euler(step: 0))"#, "a step of 0", "0"),
        (r#"Bowed(modes: 0)"#, "no modes", "Bowed"),
        (r#"BowedModes(modes: [40, 20])"#, "ascending order", "[40, 20]"),
        (
            r#"BowedBranch(range: (2, 3))"#,
            "v0 = 1.5, which is not within the range",
            "(2, 3)",
        ),
        (
            r#"BowedBranch(levels: {"speed": [1]})"#,
            "unknown parameter or monitor `speed`",
            "\"speed\"",
        ),
        (r#"Bowed(name: "a/b")"#, "cannot name a file", "\"a/b\""),
        (
            r#"Shaw(name: "x"), Bowed(name: "x")"#,
            "two tables of this study are called `x`",
            "\"x\"",
        ),
    ];
    for (analyses, message, marked) in cases {
        let said = refused(analyses);
        assert!(said.contains(message), "{analyses}: {said}");
        // The caret stands below what is to blame.
        let lines: Vec<&str> = said.lines().collect();
        let caret = lines.iter().position(|l| l.contains('^')).unwrap();
        let column = lines[caret].find('^').unwrap();
        assert!(lines[caret - 1][column..].starts_with(marked), "{analyses}: {said}");
    }
}

#[test]
fn parameters_of_analyses_are_set_from_outside() {
    let text = study(r#"Shaw(name: "shaw"), SlidingShoe(name: "shoe"), Bowed(name: "bowed", modes: 6, time: 1)"#);
    let result = run(&text, &[("f_s", 1.0), ("mu", 0.2)]);
    // The first static phase ends at f_s; the shoe with twice the friction reaches half as many turns.
    near(column(&result, "shaw-instants", "t")[1], 1.682_137_341_135_860_5, 4e-14);
    near(column(&result, "shoe-turns", "r")[1], -0.45e-3, 1e-18);
    let loaded = study::parse("study.ron".as_ref(), text).unwrap();
    let complaint = loaded.plan(&[("f_z".into(), 1.0)]).err().unwrap().to_string();
    assert!(complaint.contains("f_s") && complaint.contains("kappa"), "{complaint}");
}

#[test]
fn a_steep_law_is_warned_about() {
    let loaded = study::parse(
        "study.ron".as_ref(),
        study("Bowed(modes: 6, time: 1, bow: (law: KeepsShare))"),
    )
    .unwrap();
    let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(plan.warnings.len(), 1);
    let words = loaded.warn(&plan.warnings[0]);
    assert!(
        words.contains("|g'(0)| < 2.1255") && words.contains("law: KeepsShare"),
        "{words}"
    );
}
