//! Reports of maps, and of runs without curves.

use super::{open_run, shown_at};
use serde_json::json;

/// A map with a cycle of two points, and a diagram that asks for a part of the curve only.
const MAP: &str = r#"Study(
    title: "Logistic map",
    system: Map(states: ["x"], parameters: {"nu": 2.9}, equations: ["x+ = nu*x*(1 - x)"]),
    curves: [
        Curve(name: "fix", orbit: FixedPoint, start: Guess(at: {"nu": 2.9}, states: [{"x": 0.65}]), free: "nu", range: (1.123456789, 3.4), branches: [PD]),
    ],
    figures: [Diagram(name: "view", x: "nu", y: "x_max", x_range: (3, 3.3), y_range: (0.5, 0.9))],
)"#;

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn cycles_of_maps_are_points_and_the_view_that_the_study_asks_for_stays() {
    let (browser, data) = open_run("browser-map", MAP);
    let view = |x: f64| {
        let script =
            "const { width } = document.getElementById('diagram').getBoundingClientRect(); return width - 78 - 16";
        78.0 + (x - 3.0) / 0.3 * browser.script(script).as_f64().unwrap()
    };
    let nu = data.points.rows_where("curve", "fix");
    let nu = nu.numbers("nu").unwrap();
    let (x, _) = shown_at(&browser, "fix", nu.len() - 1);
    assert!((x - view(nu[nu.len() - 1])).abs() < 1.0, "the view is the study's: {x}");
    let selected = browser.told("selected");
    let (curve, index) = selected.rsplit_once(':').unwrap();
    let rows = data.points.rows_where("curve", curve);
    let first = rows.numbers("nu").unwrap()[index.parse::<usize>().unwrap()];
    assert!(
        (3.0..=3.3).contains(&first),
        "{selected} lies outside the view, at {first}"
    );
    // A parameter whose name begins like a multiplier's keeps its digits.
    let least = nu.iter().position(|&value| value == 1.123456789).unwrap();
    let told = browser.script(&format!(
        "return unpack(JSON.parse(document.getElementById('payload').textContent)).curves[0].columns.nu[{least}]"
    ));
    assert_eq!(told.as_f64(), Some(1.123456789));

    browser.click("#special tbody tr:last-child button");
    assert!(
        browser.told("selected").starts_with("fix-PD1a:"),
        "{}",
        browser.told("selected")
    );
    assert!(
        browser.text("orbit-note").starts_with("Cycle of this point"),
        "{}",
        browser.text("orbit-note")
    );
    assert!(browser.script("return document.getElementById('orbit-elsewhere').hidden") == true);
    // Two dots of 4.5 pixels, and no line between them.
    let orange = [213, 94, 0];
    for canvas in ["time", "plane"] {
        let dots = browser.pixels(canvas, orange);
        assert!((40..600).contains(&dots), "{canvas}: {dots}");
    }
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_run_without_curves_shows_its_figures_and_no_empty_diagram() {
    let text = r#"Study(
        title: "A ride",
        system: Stiction(mu_s: 1.1, mu_d: 0.4),
        simulations: [Simulation(name: "ride", from: {"x": 1.0}, time: 20)],
        figures: [Trajectories(name: "rides", of: ["ride"], panels: [Time("x")])],
    )"#;
    let (browser, _) = open_run("browser-alone", text);
    let hidden = browser.script(
        "return ['diagram-section', 'special-section', 'point-section', 'curves-section'].map((id) => document.getElementById(id).hidden)",
    );
    assert_eq!(hidden, json!([true, true, true, true]));
    let links = browser
        .script("return [...document.querySelectorAll('nav a')].filter((a) => !a.hidden).map((a) => a.innerText)");
    assert_eq!(links, json!(["Figures and tables", "Study"]));
    assert!(
        browser
            .script("return document.querySelector('#sheet-section img').naturalWidth")
            .as_f64()
            .unwrap()
            > 100.0
    );
    assert_eq!(browser.told("ready"), "true");
}
