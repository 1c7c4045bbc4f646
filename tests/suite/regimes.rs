//! Charts: their borders are where closed forms and two-parameter curves say, and missing curves are found.

use super::command::slipstick;
use super::support::run;
use slipstick_report::Table;
use slipstick_study::RunResult;
use std::f64::consts::PI;
use std::fs;

fn table<'r>(result: &'r RunResult, name: &str) -> &'r Table {
    let tables = result.analyses.iter().flat_map(|a| &a.tables);
    tables.into_iter().find(|(n, _)| n == name).map(|(_, t)| t).unwrap()
}

/// The shipped chart of the stiction oscillator with coarser cells.
fn regimes(change: impl Fn(String) -> String) -> RunResult {
    let text = include_str!("../../studies/regimes.ron").replace("Linear(1.005, 1.395, 40)", "Linear(1.02, 1.38, 10)");
    run(&change(text), &[])
}

#[test]
fn borders_of_the_stiction_oscillator_have_their_curves() {
    let result = regimes(|text| text);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    let borders = table(&result, "regimes-borders");
    let (what, locus) = (borders.texts("what").unwrap(), borders.texts("locus").unwrap());
    for row in 0..borders.rows() {
        // Along repelling orbits the visible tangency has no border.
        assert_eq!(
            (what[row].as_str(), locus[row].as_str()),
            ("locus without border", "tangency"),
            "row {row}"
        );
    }
    let note = result.analyses[0]
        .notes
        .iter()
        .find(|n| n.starts_with("borders between cells"));
    assert!(note.unwrap().contains("of which 0 are not"), "{note:?}");
}

#[test]
fn a_curve_that_was_not_traced_is_found_by_its_border() {
    // Without the symmetry breaking and the upper limit of pure slip their borders have no curve.
    let without = |text: String| {
        text.replace(
            "\"low\", \"high\", \"fold\", \"tangency\", \"breaking\",",
            "\"low\", \"fold\", \"tangency\",",
        )
        // Where the two are.
        .replace("Linear(0.4075, 2.1925, 120)", "Linear(1.1575, 1.7575, 41)")
    };
    let result = regimes(without);
    let borders = table(&result, "regimes-borders");
    let what = borders.texts("what").unwrap();
    let attractor = borders.texts("attractor").unwrap();
    let column = |name: &str| borders.numbers(name).unwrap();
    let (from, to) = (column("Omega_from"), column("Omega_to"));
    let cells = column("cells");
    let found = |word: &str, near: (f64, f64)| {
        let rows = (0..borders.rows()).filter(|&row| {
            what[row] == "border without locus"
                && attractor[row].contains(word)
                && from[row] >= near.0
                && to[row] <= near.1
        });
        // It runs across most of the ten rows of the chart.
        rows.map(|row| cells[row]).sum::<f64>() >= 6.0
    };
    assert!(found("slip+ land stick release+", (1.5, 1.72)), "symmetry breaking");
    assert!(found("reverse | mirrored", (1.2, 1.45)), "limit of pure slip");
}

#[test]
fn the_tongue_of_fixed_points_of_the_circle_map_is_a_wedge() {
    let text = include_str!("../../studies/benchmarks/tongues.ron")
        .replace("Linear(0.005, 0.995, 100)", "Linear(0.01, 0.49, 25)")
        .replace("Linear(0.05, 0.95, 19)", "Linear(0.1, 0.9, 9)");
    let result = run(&text, &[]);
    let chart = table(&result, "tongues");
    let (omega, k) = (chart.numbers("Omega").unwrap(), chart.numbers("K").unwrap());
    let word = chart.texts("word").unwrap();
    assert_eq!(chart.rows(), 225);
    for row in 0..chart.rows() {
        assert_eq!(
            word[row] == "fixed point",
            omega[row] <= k[row] / (2.0 * PI),
            "Ω = {}, K = {}",
            omega[row],
            k[row]
        );
    }
}

#[test]
fn windows_of_henon_have_the_borders_of_closed_forms() {
    let result = run(include_str!("../../studies/benchmarks/shrimps.ron"), &[]);
    let chart = table(&result, "windows");
    let (a, b) = (chart.numbers("a").unwrap(), chart.numbers("b").unwrap());
    let (kind, word) = (chart.texts("kind").unwrap(), chart.texts("word").unwrap());
    for row in 0..chart.rows() {
        let (birth, doubling) = (-(1.0 - b[row]).powi(2) / 4.0, 3.0 * (1.0 - b[row]).powi(2) / 4.0);
        let second = (1.0 - b[row]).powi(2) + (1.0 + b[row]).powi(2) / 4.0;
        let at = format!("a = {}, b = {}: {} {}", a[row], b[row], kind[row], word[row]);
        if a[row] < birth {
            assert_eq!(kind[row], "lost", "{at}");
        } else if a[row] < doubling {
            assert!(word[row] == "fixed point" || kind[row] == "lost", "{at}");
        } else if a[row] < second {
            assert!(word[row] == "cycle of 2 points" || kind[row] == "lost", "{at}");
        } else {
            assert!(
                !["fixed point", "cycle of 2 points"].contains(&word[row].as_str()),
                "{at}"
            );
        }
    }
    // Few starts within the basins escape.
    let lost = (0..chart.rows()).filter(|&row| kind[row] == "lost" && a[row] < 1.2 && a[row] > -0.1);
    assert!(lost.count() < 10);
}

#[test]
fn an_oscillator_without_impacts_exists_up_to_its_grazing() {
    let text = include_str!("../../studies/benchmarks/impact_chart.ron")
        .replace("Linear(0.51, 1.49, 50)", "Linear(0.52, 1.48, 17)")
        .replace("Log(0.03, 0.9, 30)", "Log(0.03, 0.9, 12)");
    let result = run(&text, &[]);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    let chart = table(&result, "regimes");
    let (omega, force) = (chart.numbers("omega").unwrap(), chart.numbers("A").unwrap());
    let word = chart.texts("word").unwrap();
    for row in 0..chart.rows() {
        let amplitude = force[row] / ((1.0 - omega[row].powi(2)).powi(2) + (0.1 * omega[row]).powi(2)).sqrt();
        assert!(
            word[row] != "flight free" || amplitude < 1.0,
            "ω = {}, A = {}",
            omega[row],
            force[row]
        );
        // Where the wall is out of reach of every motion that begins within it, nothing else exists.
        assert!(
            amplitude > 0.2 || word[row] == "flight free",
            "ω = {}, A = {}",
            omega[row],
            force[row]
        );
    }
}

/// A grid of more than 10⁵ cells is written as it comes; figures show some of its cells. The same grid in shards gives
/// the same bytes.
#[test]
fn a_large_chart_is_a_file_from_the_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let study = |n: usize| {
        format!(
            r#"Study(title: "Logistic map",
                system: Map(states: ["x"], parameters: {{"r": 3, "c": 0}}, equations: ["x+ = r*x*(1 - x) + c"]),
                tasks: [Chart(name: "windows", over: {{"r": Linear(2.5, 3.4, {n}), "c": Linear(0, 0.01, 250)}},
                    within: {{"x": (0.1, 0.9)}}, starts: 1)],
                figures: [Chart(name: "windows", of: "windows")])"#
        )
    };
    fs::write(here.join("study.ron"), study(410)).unwrap();
    let run = slipstick(here, &["run", "study.ron", "--quiet", "--out", "whole"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let text = fs::read_to_string(here.join("whole/tables/windows.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 410 * 250);
    assert!(lines[0].starts_with("c,r,kind,starts,word,period"));
    // Fixed points for r < 3 without the constant.
    let first: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(first[..5], ["0", "2.5", "orbit", "1", "fixed point"]);
    for number in ["1/2", "2/2"] {
        let shard = slipstick(
            here,
            &["run", "study.ron", "--quiet", "--out", "two", "--shard", number],
        );
        assert_eq!(shard.code, 0, "{}", shard.stderr);
    }
    let merged = slipstick(here, &["merge", "two", "--quiet"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    for file in ["tables/windows.csv", "figures/windows.svg", "report.html"] {
        let bytes = |run: &str| fs::read(here.join(run).join(file)).unwrap();
        assert!(bytes("whole") == bytes("two"), "{file}");
    }
}

#[test]
fn borders_are_compared_with_curves_of_the_chart_s_own_parameters_only() {
    let text = |over: &str, borders: &str| {
        format!(
            r#"Study(title: "Cusp",
                system: Smooth(states: ["x"], parameters: {{"a": 0, "b": 1, "c": 0}}, equations: ["x' = a + b*x - x^3 + c"]),
                curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {{"a": 0}}), free: "a", range: (-1, 1))],
                loci: [Locus(name: "wedge", from: "rest: LP", free: ("a", "b"), range: ((-1, 1), (-1, 1)))],
                tasks: [Chart(name: "chart", over: {{{over}}}, starts: 2, borders: ["{borders}"])])"#
        )
    };
    let (a, b, c) = (
        r#""a": Linear(-1, 1, 9)"#,
        r#""b": Linear(-1, 1, 9)"#,
        r#""c": Linear(-1, 1, 9)"#,
    );
    for (over, borders, words) in [
        (format!("{a}, {b}"), "wedges", "did you mean `wedge`?"),
        (
            format!("{a}, {c}"),
            "wedge",
            "unknown two-parameter curve in these parameters `wedge`",
        ),
        (a.to_owned(), "wedge", "only a chart over two parameters has borders"),
        (
            format!(r#"{a}, "b": Values([1, 0])"#),
            "wedge",
            "the values must increase",
        ),
    ] {
        let study = slipstick_study::parse("study.ron".as_ref(), text(&over, borders)).unwrap();
        let refused = study.plan(&[]).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
    // The wedge b³ = 27/4 a² itself is found.
    let result = run(&text(&format!("{a}, {b}"), "wedge"), &[]);
    assert!(
        table(&result, "chart-borders")
            .texts("what")
            .unwrap()
            .iter()
            .all(|w| w == "locus without border")
    );
}
