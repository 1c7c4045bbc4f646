//! Charts and basins: hovered, clicked, in the colours of the drawing.

use super::browser::Browser;
use super::open_run;

/// Where a cell of the first picture is on its canvas.
fn place(browser: &Browser, (i, j): (usize, usize)) -> (f64, f64) {
    browser.script("document.querySelector('.cells canvas').scrollIntoView({ block: 'center' })");
    let at = browser.script(&format!(
        "return document.querySelector('.cells canvas').placeOf({i}, {j})"
    ));
    (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
}

/// The colour of the first picture there.
fn colour(browser: &Browser, (x, y): (f64, f64)) -> serde_json::Value {
    browser.script(&format!(
        "const canvas = document.querySelector('.cells canvas'), ratio = canvas.width / canvas.clientWidth; \
         return [...canvas.getContext('2d').getImageData(Math.round({x} * ratio), Math.round({y} * ratio), 1, 1).data].slice(0, 3)"
    ))
}

/// How many pixels of the drawings of orbits are inked.
fn inked(browser: &Browser) -> u64 {
    let script = "let count = 0; for (const canvas of document.querySelectorAll('.cells canvas.orbit')) { \
         const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; \
         for (let k = 3; k < data.length; k += 4) if (data[k] > 0) count++; } return count";
    browser.script(script).as_u64().unwrap()
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn cells_of_a_chart_tell_what_they_are_and_show_orbits() {
    // Fixed points below 3, cycles of two points below 1 + √6.
    let text = r#"Study(
        title: "Periods",
        system: Map(states: ["x"], parameters: {"r": 3, "s": 1}, equations: ["x+ = r*s*x*(1 - x)"]),
        tasks: [Chart(name: "periods", over: {"r": Linear(2, 3.4, 15), "s": Log(0.9, 1, 6)}, starts: 2, within: {"x": (0.2, 0.8)}, exponents: 1, orbits: 30)],
        figures: [Chart(name: "view", of: "periods")],
    )"#;
    let (browser, _) = open_run("browser-chart", text);
    assert!(
        browser
            .script("return !document.getElementById('cells-section').hidden")
            .as_bool()
            .unwrap()
    );
    let [one, also, two] = [(2, 5), (4, 1), (13, 5)].map(|cell| colour(&browser, place(&browser, cell)));
    assert!(one != two && one.is_array());
    // Shades of one colour: blue is the strongest part of both.
    let most = |colour: &serde_json::Value| (0..3).max_by_key(|&k| colour[k].as_u64()).unwrap();
    assert_eq!(most(&one), most(&also));

    browser.mouse_over(".cells canvas", place(&browser, (13, 5)), false);
    let tip = browser.script("return document.querySelector('.cells .tip').innerText");
    let tip = tip.as_str().unwrap();
    for part in ["r = 3.3, s = 1", "period 2", "λ₁: −"] {
        assert!(tip.contains(part), "{part}: {tip}");
    }
    browser.mouse_over(".cells canvas", place(&browser, (13, 5)), true);
    assert_eq!(browser.told("cell"), "13:5");
    let note = browser.script("return document.querySelector('.cells p.hint').innerText");
    assert!(note.as_str().unwrap().contains("orbit at r = 3."), "{note}");
    // The stored orbit is that of a cell that moves alike.
    let shown = browser.told("cellOrbit");
    let (i, j) = shown.split_once(':').unwrap();
    let cell: (usize, usize) = (i.parse().unwrap(), j.parse().unwrap());
    let story = browser.script(&format!(
        "const model = unpack(JSON.parse(document.getElementById('payload').textContent)).cells[0]; \
         return model.known.columns.turns[{} + {} * 15]",
        cell.0, cell.1
    ));
    assert_eq!(story.as_f64(), Some(2.0));
    assert!(inked(&browser) > 2000, "the cycle is drawn");
    // By the keyboard, from cell to cell, told to screen readers.
    browser.keys(".cells canvas", "\u{e014}");
    assert_eq!(browser.told("cell"), "14:5");
    let told = browser.script("return document.querySelector('.cells [role=status]').innerText");
    assert!(told.as_str().unwrap().starts_with("r = 3.4, s = 1"), "{told}");
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_click_on_a_basin_shows_its_attractor() {
    let text = r#"Study(
        title: "Two wells",
        system: Smooth(states: ["x", "v", "phi"], angles: {"phi": "2*pi"}, parameters: {"c": 0.3, "F": 0.1, "w": 1.2},
            equations: ["x' = v", "v' = x - x^3 - c*v + F*cos(phi)", "phi' = w"]),
        tasks: [Basins(name: "wells", over: {"x": Linear(-1.2, 1.2, 12), "v": Linear(-0.4, 0.4, 7)})],
        figures: [Basins(name: "view", of: "wells", x: "x", y: "v")],
    )"#;
    let (browser, data) = open_run("browser-basins", text);
    assert_eq!(data.tables["wells-attractors"].numbers("turns").unwrap(), [1.0, 1.0]);
    // The rings lie in the basins of their attractors: to the left and to the right.
    let x = data.tables["wells-points"].numbers("x").unwrap();
    assert!(
        x.len() == 2 && x[0] * x[1] < 0.0 && x.iter().all(|x| (0.8..1.2).contains(&x.abs())),
        "{x:?}"
    );
    assert_ne!(
        colour(&browser, place(&browser, (0, 3))),
        colour(&browser, place(&browser, (11, 3)))
    );
    browser.mouse_over(".cells canvas", place(&browser, (0, 3)), true);
    let note = browser.script("return document.querySelector('.cells p.hint').innerText");
    assert!(
        note.as_str()
            .unwrap()
            .starts_with("The attractor that the motion from x = −1.2"),
        "{note}"
    );
    assert!(inked(&browser) > 2000);
}
