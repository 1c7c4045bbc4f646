//! Runs written as AUTO's files.

use super::smooth::run_in;

/// Curves in two parameters are written for AUTO as well, of equilibria, cycles and maps: each label with both
/// parameters, and the second one behind the states.
#[test]
fn curves_in_two_parameters_are_written_for_auto() {
    let studies = [
        r#"system: Smooth(states: ["x"], parameters: {"a": 0, "b": 1}, equations: ["x' = a + b*x - x^3"]),
           curves: [Curve(name: "c", orbit: Equilibrium, start: Settle(at: {"a": 0.9}, from: {"x": 1}), free: "a", range: (-1, 1))],
           loci: [Locus(name: "l", from: "c: LP", free: ("a", "b"), range: ((-1, 1), (0.1, 2)))]"#,
        r#"system: Smooth(states: ["x", "y"], parameters: {"a": -0.1, "b": 1}, equations: [
               "x' = a*x - y + b*x*(x^2 + y^2) - x*(x^2 + y^2)^2", "y' = x + a*y + b*y*(x^2 + y^2) - y*(x^2 + y^2)^2"]),
           curves: [Curve(name: "c", orbit: PeriodicOrbit, start: Settle(at: {"a": -0.1}, from: {"x": 1}), free: "a", range: (-0.5, 0.1))],
           loci: [Locus(name: "l", from: "c: LP", free: ("a", "b"), range: ((-0.6, 0.1), (0.5, 1.4)))]"#,
        r#"system: Map(states: ["x"], parameters: {"r": 2.5, "e": 0}, equations: ["x+ = r*x*(1 - x) + e*x^3"], start: {"x": 0.6}),
           curves: [Curve(name: "c", orbit: FixedPoint, start: Guess(at: {"r": 2.5}, states: [{"x": 0.6}]), free: "r", range: (2, 3.5))],
           loci: [Locus(name: "l", from: "c: PD", free: ("r", "e"), range: ((2, 4), (-0.3, 0.3)))]"#,
    ];
    for study in studies {
        let folder = tempfile::tempdir().unwrap();
        let result = run_in(folder.path(), &format!("Study(title: \"t\", auto: true, {study})"));
        let locus = result.curves.iter().find(|c| c.name.starts_with('l')).unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.path().join("out/auto").join(file)).unwrap();
        let solutions = slipstick_report::read_solutions(&read(&format!("s.{}", locus.name)), "s.l").unwrap();
        let labelled: Vec<_> = locus.points().filter(|p| p.2.label.is_some()).collect();
        assert_eq!(solutions.len(), labelled.len());
        for (solution, (_, _, point)) in solutions.iter().zip(&labelled) {
            assert_eq!(solution.parameters[..2], point.record.parameters[..2]);
        }
        let lines = read(&format!("b.{}", locus.name));
        assert!(lines.contains("Active continuation parameters: 1 2"), "{lines}");
        let rows: Vec<Vec<f64>> = lines
            .lines()
            .filter(|line| line.starts_with("   1"))
            .map(|line| line.split_whitespace().skip(4).map(|v| v.parse().unwrap()).collect())
            .collect();
        assert_eq!(rows.len(), locus.len());
        let second = 2 + solutions[0].states[0].len();
        for (row, (_, _, point)) in rows.iter().zip(locus.points()) {
            let [first, other] = point.record.parameters[..] else {
                unreachable!()
            };
            assert!(
                (row[0] - first).abs() < 1e-9 && (row[second] - other).abs() < 1e-9,
                "{row:?}"
            );
        }
    }
}

/// Angles run on along an orbit, as the phase of a forcing does: orbits with one are written for AUTO without a largest
/// value of it, and start the same curve from there.
#[test]
fn orbits_with_angles_are_written_for_auto_and_read_back() {
    let systems = [
        r#"Smooth(states: ["x", "v"], parameters: {"w": 2.9}, forcing: Forcing(period: "2*pi/w"),
               equations: ["x' = v", "v' = -x - x^3 - 0.2*v + 1.2*cos(w*t)"])"#,
        r#"Smooth(states: ["th", "v"], angles: {"th": "2*pi"}, parameters: {"w": 2.9}, start: {"v": 5},
               equations: ["th' = v", "v' = w - v - 0.5*sin(th)"])"#,
    ];
    for system in systems {
        let folder = tempfile::tempdir().unwrap();
        let study = |auto: bool, start: &str| {
            format!(
                r#"Study(title: "t", auto: {auto}, system: {system}, curves: [Curve(name: "c", orbit: PeriodicOrbit, start: {start}, free: "w",
                   range: (2.5, 3))])"#
            )
        };
        let first = run_in(folder.path(), &study(true, r#"Settle(at: {"w": 2.9})"#));
        let again = run_in(folder.path(), &study(false, r#"Auto(path: "out/auto/s.c", label: 1)"#));
        let [a, b] = [&first, &again].map(|result| &result.curves[0]);
        let ends = |c: &slipstick_study::CurveResult| {
            let ends = c.points().filter(|p| p.2.label.is_some());
            ends.map(|p| (p.2.point.parameter(), p.2.record.period))
                .collect::<Vec<_>>()
        };
        assert_eq!(ends(a).len(), ends(b).len());
        for (a, b) in ends(a).iter().zip(ends(b)) {
            assert!(
                (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-9 * a.1,
                "{a:?} {b:?}"
            );
        }
    }
}
