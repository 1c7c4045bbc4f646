//! The family Π_ε for every ε and material, its orbits against the reference, the honesty of its error estimate, and
//! continuation in the other parameters.

use crate::support::{assert_close, curve, labelled, only, points, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_flow::FlowOptions;
use slipstick_orbit::{Discretisation, MeshOptions, PeriodicOrbit, Word};
use slipstick_study::CurveResult;
use slipstick_system::catalogue::regularised_stiction;
use std::f64::consts::TAU;

const FAMILY: &str = include_str!("../../studies/regularised.ron");

/// A curve of the regularised oscillator that settles at Ω = 2.
fn study(start: &str, free: &str, range: &str, rest: &str) -> String {
    format!(
        r#"Study(title: "t", system: RegularisedStiction(), curves: [Curve(name: "family", orbit: Symmetric("slip- layer"),
        start: Settle(at: {{"Omega": 2.0{start}}}, from: {{"x": 1.0}}), free: "{free}", range: {range}, {rest})])"#
    )
}

/// Ω at the points with a label, in order along the curve.
fn omegas(curve: &CurveResult, label: Label) -> Vec<f64> {
    labelled(curve, label)
        .iter()
        .map(|p| value(curve, p, "Omega"))
        .collect()
}

#[track_caller]
fn assert_all_close(what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}: {found:?} instead of {wanted:?}");
    for (f, w) in found.iter().zip(wanted) {
        assert!(
            (f - w).abs() <= tolerance * w.abs(),
            "{what}: {found:?} instead of {wanted:?}"
        );
    }
}

/// Folds by ε: the upper one, then the lower; to the digits known.
const FOLDS: [(f64, [f64; 2], f64); 3] = [
    (1e-2, [10.892960349966051, 0.5048846475794802], 1e-11),
    (1e-5, [337.566, 0.47610176], 3e-6),
    (1e-6, [1066.96, 0.47583878], 3e-6),
];

#[test]
fn one_curve_for_every_epsilon_with_the_right_labels_only() {
    for (epsilon, folds, digits) in FOLDS {
        let result = run(FAMILY, &[("epsilon", epsilon)]);
        let family = curve(&result, "family");
        assert_all_close("folds", &omegas(family, Label::LP), &folds, digits);
        let breaking = omegas(family, Label::SB);
        assert_eq!(breaking.len(), 3, "ε = {epsilon}: {breaking:?}");
        assert!(breaking[0] > 1.35 && breaking[1] < 1.68 && breaking[2] < folds[0]);
        assert_eq!(labelled(family, Label::EP).len(), 2);
        for p in points(family) {
            let expected = [None, Some(Label::LP), Some(Label::SB), Some(Label::UZ), Some(Label::EP)];
            assert!(
                expected.contains(&p.label),
                "ε = {epsilon}: {:?} {}",
                p.label,
                p.message
            );
            // Liouville: the sum of the logarithms is that of the divergence, whatever their size.
            let size: f64 = p.record.multipliers.iter().map(|m| m.log10.abs()).sum();
            assert!(value(family, p, "liouville") <= 1e-9 * size.max(1.0));
            // The end of a step is taken on a mesh that does not fit where three shorter steps have not helped, as in
            // the canard explosion at 1e-6.
            assert!(value(family, p, "error") < 2e-6);
        }
    }
}

#[test]
fn where_slip_shrinks_to_nothing_the_family_ends_and_says_so() {
    // At μs = 1.05, μd = 0.3 drift in the layer alone can close the orbit: on the canard branch the slip vanishes near
    // Ω = 0.72/√ε.
    let result = run(FAMILY, &[("mu_s", 1.05), ("mu_d", 0.3)]);
    let family = curve(&result, "family");
    let [end] = labelled(family, Label::VS)[..] else {
        panic!("{}", family.ended());
    };
    assert!(end.message.contains("vanishes"), "{}", end.message);
    assert_eq!(labelled(family, Label::SB).len(), 3);
    assert!(points(family).iter().all(|p| p.label != Some(Label::MX)));
}

#[test]
fn other_materials_have_the_same_family() {
    for set in [[("mu_s", 1.06), ("mu_d", 0.3)], [("delta", 0.5), ("epsilon", 2e-3)]] {
        let result = run(FAMILY, &set);
        let family = curve(&result, "family");
        assert_eq!(labelled(family, Label::LP).len(), 2, "{set:?}");
        assert_eq!(labelled(family, Label::SB).len(), 3, "{set:?}");
        assert_eq!(labelled(family, Label::EP).len(), 2, "{set:?}");
        assert!(
            points(family)
                .iter()
                .all(|p| !matches!(p.label, Some(Label::BP | Label::NS | Label::MX)))
        );
    }
}

/// (ε, Ω, x and ŷ at θ = 0, duration of the layer, log₁₀ of both multipliers).
type Known = (f64, f64, f64, f64, f64, [f64; 2]);

/// Orbits computed independently.
#[allow(clippy::excessive_precision)]
const ORBITS: [Known; 14] = [
    (
        0.01,
        2.0,
        0.28280275920900655,
        -47.649470132206794,
        1.1432181146088813,
        [-0.19755709456257906, -177.21404606855128],
    ),
    (
        0.01,
        3.0,
        0.13318644080231393,
        -15.520207079708895,
        1.8870503923154398,
        [-0.3252816206612023, -337.1829863368057],
    ),
    (
        0.01,
        10.0,
        0.008354076903116688,
        -0.37107731363471147,
        2.8354684251675297,
        [-0.39388973529529253, -493.7858016689584],
    ),
    (
        0.01,
        10.0,
        0.007320455604898426,
        -0.3212942478942713,
        2.895189965185425,
        [96.31293814666921, -337.49033921069804],
    ),
    (
        0.01,
        3.0,
        0.016960426248279745,
        -0.06541098693709888,
        2.6060909249132083,
        [118.76332694032966, -260.8400215227781],
    ),
    (
        0.01,
        2.0,
        0.031174081523214152,
        -0.05309379902234246,
        2.38338603813002,
        [91.82593181086006, -238.81014523343757],
    ),
    (
        0.001,
        2.0,
        0.27574774731360124,
        -475.76133109382135,
        1.1081307689580104,
        [-0.2077838934277975, -1828.1882742681305],
    ),
    (
        0.001,
        3.0,
        0.1290699372625483,
        -171.67698492185778,
        1.854195986863513,
        [-0.29650382559026917, -3423.0394179905215],
    ),
    (
        0.001,
        10.0,
        0.008656604339901624,
        -0.3879507977660658,
        2.804988011389254,
        [-0.1756701535868615, -5282.391842516537],
    ),
    (
        0.001,
        10.0,
        0.001558263951498835,
        -0.06854494008222596,
        2.924755521864541,
        [1575.323682734806, -2957.725702815434],
    ),
    (
        0.001,
        3.0,
        0.01168638647235057,
        -0.04623547668657892,
        2.5595083191562815,
        [1139.0482090855705, -2578.090169913733],
    ),
    (
        0.001,
        2.0,
        0.025613154961736957,
        -0.04503400953192077,
        2.3517515281975605,
        [888.27390467853, -2382.4649604606716],
    ),
    (
        0.001,
        0.5,
        0.2540464684762618,
        482.2499539282737,
        0.8843914097902508,
        [0.9572181979138621, -1074.5706302113063],
    ),
    (
        0.001,
        0.5,
        0.4305683866160863,
        793.3267972944826,
        0.3056395314693151,
        [-0.37010793149456, -288.32370585882995],
    ),
];

/// The orbit at a point of a curve agrees with a known one: at phase zero, in the layer, in its multipliers.
#[track_caller]
fn agrees(
    curve: &CurveResult,
    p: &BranchPoint,
    &(epsilon, omega, x, yhat, stick, logs): &Known,
    layer: fn(MeshOptions) -> Discretisation,
) {
    let system = regularised_stiction();
    let mut orbit = PeriodicOrbit::discretised(
        &system,
        Word::parse("slip- layer", true, &system).unwrap(),
        p.record.parameters.clone(),
        vec![0],
        FlowOptions::default(),
        &[
            Discretisation::Flow,
            Discretisation::Flow,
            layer(MeshOptions::default()),
        ],
    );
    assert_eq!((value(curve, p, "epsilon"), value(curve, p, "Omega")), (epsilon, omega));
    let theta = orbit.start(&p.point.z, 0)[2];
    let (_, at_zero) = orbit.state(&p.point, (-theta).rem_euclid(TAU)).unwrap();
    let what = format!("ε = {epsilon}, Ω = {omega}");
    assert_all_close(
        &what,
        &[at_zero[0], at_zero[2], value(curve, p, "stick")],
        &[x, yhat, stick],
        1e-9,
    );
    let found: Vec<f64> = p.record.multipliers.iter().map(|m| m.log10).collect();
    assert_all_close(&what, &found, &logs, 1e-7);
}

#[test]
fn orbits_and_multipliers_at_levels_agree_with_the_reference_on_every_sheet() {
    for epsilon in [1e-2, 1e-3] {
        let result = run(FAMILY, &[("epsilon", epsilon)]);
        let family = curve(&result, "family");
        let own: Vec<_> = ORBITS.iter().filter(|o| o.0 == epsilon).collect();
        let levels = labelled(family, Label::UZ);
        assert_eq!(levels.len(), own.len());
        for (p, known) in levels.into_iter().zip(own) {
            agrees(family, p, known, Discretisation::Collocation);
        }
    }
}

#[test]
fn halving_the_tolerance_moves_folds_by_less_than_the_estimate() {
    let family = |tolerance: f64| {
        let method = format!("method: Collocation(tolerance: {tolerance:e}), free: \"Omega\"");
        run(&FAMILY.replace("free: \"Omega\"", &method), &[("epsilon", 1e-2)])
    };
    for tolerance in [1e-5, 1e-7] {
        let (coarse, fine) = (family(tolerance), family(0.5 * tolerance));
        let (coarse, fine) = (curve(&coarse, "family"), curve(&fine, "family"));
        let folds = labelled(coarse, Label::LP).into_iter().zip(labelled(fine, Label::LP));
        for (a, b) in folds {
            let (before, after) = (value(coarse, a, "Omega"), value(fine, b, "Omega"));
            let estimate = value(coarse, a, "error");
            assert!(estimate < 30.0 * tolerance, "{estimate:e} at {tolerance:e}");
            assert!(
                (before - after).abs() <= estimate * before,
                "{before} {after} {estimate:e}"
            );
        }
    }
}

#[test]
fn a_tolerance_out_of_reach_is_reported_with_what_was_reached() {
    let text = study("", "Omega", "(1.9, 2.1)", "method: Collocation(tolerance: 1e-17)");
    let result = run(&text, &[]);
    let family = curve(&result, "family");
    let told = points(family)
        .iter()
        .find(|p| p.label.is_some() && p.message.contains("was not met"))
        .map(|p| p.message.clone());
    let told = told.unwrap_or_else(|| panic!("no message"));
    assert!(
        told.contains("1e-17") && told.contains("the largest error is"),
        "{told}"
    );
}

#[test]
fn at_the_upper_fold_of_small_epsilon_the_multiplier_is_said_to_pass_one_within_rounding() {
    let result = run(FAMILY, &[("epsilon", 1e-3)]);
    let folds = labelled(curve(&result, "family"), Label::LP)
        .into_iter()
        .map(|p| p.message.clone());
    let told: Vec<bool> = folds
        .map(|m| m.contains("within the rounding of the parameter"))
        .collect();
    assert_eq!(told, [true, false]);
}

/// The orbit at Ω = 2 and ε = 1e-3, followed from elsewhere in another parameter, is the orbit found there directly.
#[test]
fn every_parameter_can_be_free() {
    let wanted = run(&study("", "Omega", "(1.99, 2.01)", ""), &[]);
    let wanted = curve(&wanted, "family");
    let there = points(wanted).into_iter().min_by(|a, b| {
        let gap = |p: &BranchPoint| (value(wanted, p, "Omega") - 2.0).abs();
        gap(a).total_cmp(&gap(b))
    });
    let wanted = value(wanted, there.unwrap(), "max_abs_x");
    for (free, from, to, range) in [
        ("epsilon", 1e-2, 1e-3, "(1e-6, 1e-1)"),
        ("mu_s", 1.05, 1.1, "(0.9, 1.15)"),
        ("mu_d", 0.3, 0.4, "(0.2, 0.45)"),
        ("delta", 0.5, 0.6, "(0.45, 0.65)"),
    ] {
        let rest = format!(r#"levels: {{"{free}": [{to}]}}, directions: Both"#);
        let result = run(&study(&format!(r#", "{free}": {from}"#), free, range, &rest), &[]);
        let family = curve(&result, "family");
        let at = only(family, Label::UZ);
        assert_close(free, value(family, at, "max_abs_x"), wanted, 1e-10);
        assert_eq!(labelled(family, Label::EP).len(), 2, "{free}: {}", family.ended());
        assert!(points(family).len() < 200, "{free}: {} points", points(family).len());
    }
}

#[test]
fn multiple_shooting_agrees_with_collocation() {
    for (range, rest) in [("(1.9, 3.0)", r#"levels: {"Omega": [2.0, 2.5]}, method: Shooting()"#)] {
        let interval = run(&study("", "Omega", range, rest), &[("epsilon", 1e-2)]);
        let collocated = run(
            &study("", "Omega", range, &rest.replace("Shooting()", "Auto")),
            &[("epsilon", 1e-2)],
        );
        let (interval, collocated) = (curve(&interval, "family"), curve(&collocated, "family"));
        let pairs = labelled(interval, Label::UZ)
            .into_iter()
            .zip(labelled(collocated, Label::UZ));
        let mut compared = 0;
        for (a, b) in pairs {
            for name in ["Omega", "max_abs_x", "stick", "theta0"] {
                assert_close(name, value(interval, a, name), value(collocated, b, name), 1e-9);
            }
            for (m, n) in a.record.multipliers.iter().zip(&b.record.multipliers) {
                assert_close("multiplier", m.log10, n.log10, 1e-7);
            }
            compared += 1;
        }
        assert_eq!(compared, 2);
    }
}

/// The canard sheet at Ω = 2 and 3 by shooting, from the rows of the orbits by collocation: perturbations grow by more
/// than e^{1000} in half a period at ε = 1e-3.
#[test]
fn multiple_shooting_follows_canards_where_a_trajectory_would_be_lost() {
    let shots = |name: &str, omega: f64| {
        let (lo, hi) = (omega - 1e-3, omega + 1e-3);
        format!(
            r#"Curve(name: "{name}", orbit: Symmetric("slip- layer"), start: Point(from: "family, Omega={omega}"), method: Shooting(),
            free: "Omega", range: ({lo}, {hi}), levels: {{"Omega": [{omega}]}})"#
        )
    };
    let text = |omegas: &[f64]| {
        let interval: Vec<String> = omegas
            .iter()
            .map(|omega| shots(&format!("at {omega}"), *omega))
            .collect();
        format!(
            r#"Study(title: "t", system: RegularisedStiction(), curves: [
            Curve(name: "family", orbit: Symmetric("slip- layer"), start: Settle(at: {{"Omega": 2.0}}, from: {{"x": 1.0}}),
            free: "Omega", range: (1.9, 100), levels: {{"Omega": [2, 3]}}), {}])"#,
            interval.join(", ")
        )
    };
    for (epsilon, omegas) in [(1e-2, &[2.0, 3.0][..]), (1e-3, &[3.0][..])] {
        let result = run(&text(omegas), &[("epsilon", epsilon)]);
        let mut compared = 0;
        for interval in result.curves.iter().filter(|c| c.name != "family") {
            for p in labelled(interval, Label::UZ) {
                let canard = p.record.multipliers[0].log10 > 1.0;
                let wanted = ORBITS
                    .iter()
                    .find(|o| (o.0, o.1) == (epsilon, value(interval, p, "Omega")) && (o.5[0] > 1.0) == canard);
                agrees(interval, p, wanted.unwrap(), Discretisation::Shooting);
                compared += 1;
            }
        }
        assert_eq!(
            compared,
            2 * omegas.len(),
            "both sheets at each Ω: {:?}",
            result.missing
        );
    }
}

/// The whole family by shooting, with the labels and the numbers of collocation and of the reference, for several
/// materials.
#[test]
fn multiple_shooting_traces_the_whole_family() {
    let shooting = FAMILY.replace("free: \"Omega\"", "method: Shooting(), free: \"Omega\"");
    let breaking = [
        (1e-2, [1.380449479346, 1.671977904135, 10.62252113251]),
        (1e-3, [1.360548511836, 1.639397890704, 32.25453151668]),
    ];
    let folds = [
        (1e-2, [10.8929603500, 0.5048846475795]),
        (1e-3, [33.9679496482, 0.4825927812018]),
    ];
    for ((epsilon, breaking), (_, folds)) in breaking.into_iter().zip(folds) {
        let result = run(&shooting, &[("epsilon", epsilon)]);
        let family = curve(&result, "family");
        assert_all_close("folds", &omegas(family, Label::LP), &folds, 1e-9);
        assert_all_close("symmetry breakings", &omegas(family, Label::SB), &breaking, 1e-9);
        let levels = labelled(family, Label::UZ);
        let own: Vec<_> = ORBITS.iter().filter(|o| o.0 == epsilon).collect();
        assert_eq!(levels.len(), own.len());
        for (p, (_, omega, _, _, stick, logs)) in levels.into_iter().zip(own) {
            let what = format!("ε = {epsilon}, Ω = {omega}");
            assert_all_close(&what, &[value(family, p, "stick")], &[*stick], 1e-9);
            let found: Vec<f64> = p.record.multipliers.iter().map(|m| m.log10).collect();
            assert_all_close(&what, &found, logs, 1e-7);
        }
    }
    for set in [
        [("mu_s", 1.1), ("mu_d", 0.4), ("epsilon", 1e-4)],
        [("mu_s", 1.3), ("mu_d", 0.6), ("epsilon", 1e-3)],
        [("mu_s", 1.05), ("mu_d", 0.3), ("epsilon", 1e-2)],
    ] {
        let (interval, collocated) = (run(&shooting, &set), run(FAMILY, &set));
        let (interval, collocated) = (curve(&interval, "family"), curve(&collocated, "family"));
        let labels = |c: &CurveResult| -> Vec<Label> { points(c).iter().filter_map(|p| p.label).collect() };
        assert_eq!(labels(interval), labels(collocated), "{set:?}");
        for label in [Label::LP, Label::SB, Label::VS] {
            assert_all_close(
                &format!("{set:?}"),
                &omegas(interval, label),
                &omegas(collocated, label),
                1e-9,
            );
        }
    }
}

/// Curves from points of the family at small ε, by collocation and by shooting: at both folds in every parameter, and
/// on the canard sheet, where Newton's method at fixed parameters or along a trajectory would be lost. They pass
/// through the point that they start from.
#[test]
fn curves_start_at_folds_and_among_canards_in_every_parameter() {
    for method in ["Auto", "Shooting()"] {
        let from = |name: &str, point: &str, free: &str, range: &str| {
            format!(
                r#"Curve(name: "{name}", orbit: Symmetric("slip- layer"), start: Point(from: "family, {point}"), free: "{free}", range: {range}, method: {method})"#
            )
        };
        let text = format!(
            r#"Study(title: "t", system: RegularisedStiction(epsilon: 1e-4), curves: [Curve(name: "family", orbit: Symmetric("slip- layer"),
            start: Settle(at: {{"Omega": 2.0}}, from: {{"x": 1.0}}), free: "Omega", range: (1.9, 2000), levels: {{"Omega": [3]}}, method: {method}),
            {}, {}, {}, {}, {}, {}])"#,
            from("Omega", "LP", "Omega", "(90, 120)"),
            from("epsilon", "LP", "epsilon", "(0.8e-4, 1.1e-4)"),
            from("mu_s", "LP", "mu_s", "(1.08, 1.12)"),
            from("mu_d", "LP", "mu_d", "(0.38, 0.42)"),
            from("delta", "LP", "delta", "(0.58, 0.62)"),
            from("canard", "Omega=3", "epsilon", "(0.9e-4, 1.1e-4)"),
        );
        let result = run(&text, &[]);
        let family = curve(&result, "family");
        let fold = only(family, Label::LP);
        for free in ["Omega", "epsilon", "mu_s", "mu_d", "delta"] {
            let own = curve(&result, free);
            let at = only(own, Label::LP);
            for name in ["Omega", "epsilon", "mu_s", "mu_d", "delta"] {
                assert_close(
                    &format!("{method}, {free}: {name}"),
                    value(own, at, name),
                    value(family, fold, name),
                    1e-9,
                );
            }
            let sheets: Vec<bool> = labelled(own, Label::EP)
                .iter()
                .map(|p| p.record.multipliers[0].log10 > 2500.0)
                .collect();
            assert!(
                sheets.len() == 2 && sheets[0] != sheets[1],
                "{method}, {free}: {}",
                own.ended()
            );
        }
        // Both sheets at Ω = 3.
        let steep = |c: &CurveResult| points(c).iter().all(|p| p.record.multipliers[0].log10 > 1e4);
        assert!(
            !steep(curve(&result, "canard")) && steep(curve(&result, "canard-2")),
            "{method}"
        );
    }
}

/// What the oscillator needs is asked of the system, of values set from outside and of both ends of a range, in words.
#[test]
fn what_the_regularisation_needs_is_said_before_any_work() {
    let complaint = |text: &str, set: &[(&str, f64)]| -> String {
        let set: Vec<(String, f64)> = set.iter().map(|(name, v)| ((*name).to_owned(), *v)).collect();
        let loaded = slipstick_study::parse("study.ron".as_ref(), text.to_owned()).unwrap();
        loaded.plan(&set).err().map_or_else(String::new, |e| e.to_string())
    };
    let set = |set: &[(&str, f64)]| complaint(&study("", "Omega", "(1.9, 2.1)", ""), set);
    assert_eq!(set(&[("epsilon", 1e-2)]), "");
    for (name, value, needs) in [
        ("epsilon", 0.0, "epsilon > 0"),
        ("epsilon", -1e-3, "epsilon > 0"),
        ("delta", 0.0, "delta > 0"),
        ("delta", -0.2, "delta > 0"),
        ("delta", 1.0, "delta < 1"),
        ("delta", 1.2, "delta < 1"),
        ("delta", 0.2, "phi of stiction type"),
        ("delta", 0.95, "phi of stiction type"),
        ("mu_s", 0.3, "mu_d < mu_s"),
    ] {
        let told = set(&[(name, value)]);
        assert!(told.contains(&format!("needs {needs}")), "{name} = {value}: {told}");
        assert!(told.contains(&format!("{name} = {value}")), "{name} = {value}: {told}");
    }
    for (free, range, end, needs) in [
        ("epsilon", "(-1e-2, 2e-2)", "lower", "epsilon > 0"),
        ("delta", "(0.5, 1.2)", "upper", "delta < 1"),
        ("delta", "(0.2, 0.65)", "lower", "phi of stiction type"),
        ("delta", "(0.5, 0.95)", "upper", "phi of stiction type"),
    ] {
        let told = complaint(&study("", free, range, ""), &[]);
        let wanted = format!("at the {end} end of the range, RegularisedStiction needs {needs}");
        assert!(told.contains(&wanted), "{free} {range}: {told}");
    }
    // Of two parameters that change together each is asked what it must be whatever the other one is.
    let locus = |free: &str, range: &str| {
        let locus = format!(
            r#"loci: [Locus(name: "l", from: "family: SB", free: ("Omega", "{free}"), range: ((1, 3), {range}))])"#
        );
        complaint(
            &study("", "Omega", "(1.5, 2.1)", "").replace(")])", &format!(")], {locus}")),
            &[],
        )
    };
    let told = locus("epsilon", "(0, 2e-2)");
    let wanted = "at the lower end of the range, RegularisedStiction needs epsilon > 0";
    assert!(told.contains(wanted), "{told}");
    assert_eq!(locus("delta", "(0.3, 0.7)"), "");
}

#[test]
fn a_curve_in_two_parameters_ends_where_friction_is_no_stiction_any_more() {
    // Among the smallest δ with φ of stiction type at μs = 1.1, μd = 0.4 a third zero of φ' enters (0, 1) at 1.
    let curve_of = study("", "Omega", "(1.5, 2.1)", "");
    let text = curve_of.replace(
        ")])",
        r#")], loci: [Locus(name: "breaking", from: "family: SB", free: ("Omega", "delta"), range: ((1, 3), (0.3, 0.61)))])"#,
    );
    let result = run(&text, &[("epsilon", 1e-2)]);
    let breaking = curve(&result, "breaking");
    let ended = breaking.ended();
    assert!(
        ended.contains("the requirement phi of stiction type") && ended.contains(" reaches its limit, at Omega = "),
        "{ended}"
    );
    let deltas: Vec<f64> = points(breaking).iter().map(|p| value(breaking, p, "delta")).collect();
    let least = deltas.iter().copied().fold(f64::INFINITY, f64::min);
    let law = |delta: f64| {
        slipstick_study::parse("s.ron".as_ref(), curve_of.clone())
            .unwrap()
            .plan(&[("delta".into(), delta)])
            .is_ok()
    };
    assert!(law(least) && !law(least - 1e-6), "{least}");
    let place = ended
        .rsplit_once("delta = ")
        .and_then(|(_, rest)| rest.split(';').next()?.trim().parse().ok());
    assert!(place.is_some_and(|delta: f64| (delta - least).abs() < 1e-7), "{ended}");
}
