//! The regularised oscillator and the atlas, through the command: the numbers of the reference data.

use crate::support::{ATLAS, run, value};
use slipstick_study::RunResult;
use std::collections::HashMap;

/// The labelled rows of all curves, as they go into special.csv.
fn special(text: &str, set: &[(&str, f64)]) -> Vec<HashMap<String, String>> {
    labelled(&run(text, set))
}

fn labelled(result: &RunResult) -> Vec<HashMap<String, String>> {
    let mut rows = vec![];
    for curve in &result.curves {
        for (_, _, p) in curve.points() {
            let Some(label) = p.label else { continue };
            let mut row = HashMap::from([
                ("curve".into(), curve.name.clone()),
                ("label".into(), label.to_string()),
            ]);
            for name in ["Omega", "x_max", "x_min"] {
                row.insert(name.into(), value(curve, p, name).to_string());
            }
            for (i, m) in p.record.multipliers.iter().enumerate() {
                row.insert(format!("mult{}_log10", i + 1), m.log10.to_string());
            }
            rows.push(row);
        }
    }
    rows
}

fn values(rows: &[HashMap<String, String>], label: &str) -> Vec<f64> {
    rows.iter()
        .filter(|r| r["label"] == label)
        .map(|r| r["Omega"].parse().unwrap())
        .collect()
}

fn close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{found:?} {wanted:?}");
    for w in wanted {
        assert!(
            found.iter().any(|f| (f - w).abs() <= tolerance * w),
            "{w} is not among {found:?}"
        );
    }
}

#[test]
fn one_curve_through_the_family_at_a_thousandth() {
    let rows = special(include_str!("../../studies/regularised.ron"), &[]);
    close(&values(&rows, "LP"), &[0.4825927812017608, 33.96794964821459], 1e-9);
    close(
        &values(&rows, "SB"),
        &[1.36054851183599, 1.639397890703727, 32.25453151667979],
        2e-9,
    );
    assert!(
        rows.iter()
            .all(|r| ["LP", "SB", "UZ", "EP"].contains(&r["label"].as_str()))
    );
    // (Ω, log10 of both multipliers) on the canard sheet and off it.
    let wanted = [
        (2.0, [-0.2077838934277975, -1828.1882742681305]),
        (3.0, [-0.29650382559026917, -3423.0394179905215]),
        (10.0, [1575.323682734806, -2957.725702815434]),
        (3.0, [1139.0482090855705, -2578.090169913733]),
        (2.0, [888.27390467853, -2382.4649604606716]),
    ];
    for (omega, logs) in wanted {
        let hit = rows.iter().filter(|r| r["label"] == "UZ").any(|r| {
            let value = |c: &str| r[c].parse::<f64>().unwrap();
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-7 * b.abs();
            value("Omega") == omega && near(value("mult1_log10"), logs[0]) && near(value("mult2_log10"), logs[1])
        });
        assert!(hit, "Ω = {omega}, {logs:?}");
    }
}

#[test]
fn a_hundredth_has_three_symmetry_breakings_and_two_folds() {
    let rows = special(include_str!("../../studies/regularised.ron"), &[("epsilon", 1e-2)]);
    close(&values(&rows, "LP"), &[0.5048846475794802, 10.892960349966051], 1e-9);
    close(
        &values(&rows, "SB"),
        &[1.3804494793460138, 1.6719779041349585, 10.622521132512565],
        1e-9,
    );
}

#[test]
fn the_atlas_joins_words_and_branches() {
    let rows = labelled(&ATLAS.1);
    let at = |curve: &str, label: &str| -> Vec<f64> {
        let own: Vec<_> = rows.iter().filter(|r| r["curve"] == curve).cloned().collect();
        values(&own, label)
    };
    close(&at("stiff", "SB"), &[1.627747758837944], 1e-9);
    close(&at("stiff", "VS"), &[1.35455216285363], 1e-9);
    close(&at("compliant", "VS"), &[0.5206505763957744], 1e-9);
    let daughters: Vec<String> = rows
        .iter()
        .map(|r| r["curve"].clone())
        .filter(|c| c.starts_with("stiff-SB") && !c.contains("PD"))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    assert_eq!(daughters.len(), 2, "both mirror images: {daughters:?}");
    for d in &daughters {
        close(&at(d, "PD"), &[1.46298040449293], 1e-9);
        close(&at(d, "VS"), &[1.582625886455544, 1.35455216285363], 1e-9);
        for r in rows.iter().filter(|r| r["curve"] == *d && r["label"] == "UZ") {
            let value = |c: &str| r[c].parse::<f64>().unwrap();
            let (top, bottom) = (value("x_max").max(-value("x_min")), value("x_max").min(-value("x_min")));
            let wanted = if value("Omega") == 1.6 {
                (0.78336792047662, 0.66041757032185)
            } else {
                (0.91540925436865, 0.79198638261288)
            };
            assert!(
                (top - wanted.0).abs() < 1e-9 && (bottom - wanted.1).abs() < 1e-9,
                "{top} {bottom}"
            );
        }
    }
}
