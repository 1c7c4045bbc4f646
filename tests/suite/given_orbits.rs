//! Orbits that are given in files.

use slipstick_study::{self as study, Silent};

/// The tables of a run are made of segments one after the other: where one ends and the next begins, times may be off by
/// rounding. Anything more is an error.
#[test]
fn times_may_run_backwards_by_rounding_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = |early: f64| {
        // A slip-stick orbit in four segments, roughly; Newton's method does the rest.
        let run = study::parse("s.ron".as_ref(), text("All(at: {\"Omega\": 2})")).unwrap();
        let result = study::run(&run.plan(&[]).unwrap(), &Silent, &false.into());
        let claim = study::Claim::take(&folder.path().join("out")).unwrap();
        let plan = run.plan(&[]).unwrap();
        study::write_run(&claim, &run, &plan, &study::Settings::default(), &result, 0.0).unwrap();
        let index = result.curves[0]
            .points()
            .find(|p| p.2.label.is_some_and(|l| l.code() == "UZ"))
            .unwrap()
            .0;
        let csv = std::fs::read_to_string(folder.path().join(format!("out/orbits/stiff-{index}.csv"))).unwrap();
        let mut rows: Vec<Vec<String>> = csv
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect();
        let mode = rows[0].iter().position(|name| name == "mode").unwrap();
        let turn = (2..rows.len())
            .find(|&row| rows[row][mode] != rows[row - 1][mode])
            .unwrap();
        let before: f64 = rows[turn - 1][0].parse().unwrap();
        rows[turn][0] = format!("{:?}", before * (1.0 - early));
        let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
        std::fs::write(folder.path().join("orbit.csv"), lines.join("\n") + "\n").unwrap();
    };
    let started = || {
        let start = "File(path: \"orbit.csv\", at: {\"Omega\": 2})";
        let study = study::parse(&folder.path().join("again.ron"), text(start)).unwrap();
        study.plan(&[]).map(|plan| study::run(&plan, &Silent, &false.into()))
    };
    file(f64::EPSILON);
    let result = started().unwrap_or_else(|e| panic!("{e}"));
    assert!(
        result.missing.is_empty() && result.curves[0].len() > 3,
        "{:?}",
        result.missing
    );
    file(1e-9);
    let refused = started().err().unwrap().to_string();
    assert!(refused.contains("time runs backwards in row"), "{refused}");
}

fn text(start: &str) -> String {
    format!(
        r#"Study(
            title: "Given", system: Stiction(mu_s: 1.1, mu_d: 0.4),
            curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: {start}, free: "Omega", range: (1.8, 2.2), levels: {{"Omega": [2]}})],
        )"#
    )
}
