//! The report in a real browser: clicked, typed at, and read. Needs Debian's packages chromium and chromium-driver:
//! `cargo test --test report_browser -- --ignored`
#![allow(clippy::unwrap_used, missing_docs)]

mod browser;
mod cells;
mod explore;
mod large;
mod odd_runs;
mod pictures;
mod safety;
mod save;
mod views;
mod zoom;

use browser::Browser;
use serde_json::json;
use slipstick_report::figure::Figure;
use slipstick_report::html::{CurveStory, Story, page};
use slipstick_report::{Column, Kind, RunData, Table};
use slipstick_study::{self as study, Claim, Settings, Silent};
use std::collections::BTreeMap;

/// A circle in (r, x): its right half stable; and a straight canard branch.
fn sample() -> (RunData, BTreeMap<(String, usize), Table>) {
    let mut points = Table::new([
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("r", Kind::Number),
        ("period", Kind::Number),
        ("x_max", Kind::Number),
        ("word", Kind::Text),
        ("admissible", Kind::Flag),
        ("margin", Kind::Number),
        ("stable", Kind::Flag),
        ("unstable", Kind::Number),
        ("mult1_log10", Kind::Number),
        ("mult1_arg", Kind::Number),
        ("mult2_log10", Kind::Number),
        ("mult2_arg", Kind::Number),
    ]);
    let mut orbits = BTreeMap::new();
    let mut row = |curve: &str, index: usize, label: &str, r: f64, x: f64, stable: bool, mult: f64| {
        points
            .push_row([
                curve.into(),
                index.into(),
                label.into(),
                r.into(),
                6.25.into(),
                x.into(),
                "slip stick".into(),
                true.into(),
                0.25.into(),
                stable.into(),
                usize::from(!stable).into(),
                mult.into(),
                0.0.into(),
                f64::NEG_INFINITY.into(),
                0.0.into(),
            ])
            .unwrap();
    };
    for index in 0..=200usize {
        let angle = std::f64::consts::TAU * index as f64 / 200.0;
        let label = ["", "LP"][usize::from(index == 50 || index == 150)];
        row(
            "circle",
            index,
            label,
            angle.cos(),
            angle.sin(),
            angle.cos() > 0.0,
            if angle.cos() > 0.0 { -0.3 } else { 0.5 },
        );
        row(
            "canards",
            index,
            if index == 100 { "UZ" } else { "" },
            2.0,
            0.02 * index as f64 - 2.0,
            false,
            11_346.5,
        );
    }
    for index in [50usize, 100, 150] {
        for (curve, canard) in [("circle", false), ("canards", true)] {
            let mut orbit = Table::new([
                ("t", Kind::Number),
                ("x", Kind::Number),
                ("y", Kind::Number),
                ("mode", Kind::Text),
                ("canard", Kind::Flag),
            ]);
            for step in 0..400 {
                let t = std::f64::consts::TAU * f64::from(step) / 400.0;
                let mode = if step % 200 < 50 { "stick" } else { "slip" };
                orbit
                    .push_row([
                        t.into(),
                        t.cos().into(),
                        t.sin().into(),
                        mode.into(),
                        (canard && step % 200 < 20).into(),
                    ])
                    .unwrap();
            }
            orbits.insert((curve.to_owned(), index), orbit);
        }
    }
    let labels = points.texts("label").unwrap().to_vec();
    let mut special = points.filter(|row| !labels[row].is_empty());
    let messages = special
        .texts("label")
        .unwrap()
        .iter()
        .map(|label| format!("{label} in words"))
        .collect();
    special.set_column("message", Column::Text(messages)).unwrap();
    let headings = [
        "GR: segment 1 (`slip`) touches `land`",
        "VS: segment 2 (`stick`) vanishes: its duration shrinks to zero",
        "OV: a surface that is never near",
    ];
    let columns = std::iter::once("index").chain(headings);
    let mut margins = Table::new(columns.map(|name| (name, Kind::Number)));
    for index in 0..=200usize {
        let grazing = if index < 50 { f64::NAN } else { 1.5 };
        margins
            .push_row([
                index.into(),
                grazing.into(),
                (0.01 * (120.0 - index as f64)).into(),
                1000.0.into(),
            ])
            .unwrap();
    }
    let inequalities = BTreeMap::from([("circle".to_owned(), margins)]);
    (
        RunData {
            points,
            special,
            inequalities,
            ..RunData::default()
        },
        orbits,
    )
}

fn open() -> Browser {
    let (data, orbits) = sample();
    let figures =
        [
            Figure::from_ron(
                r#"Diagram(name: "view", x: "r", y: "x_max", x_range: (-2.5, 2.5), y_range: (-2.5, 2.5))"#,
            )
            .unwrap(),
        ];
    let told = |ended: &str| CurveStory {
        free: vec!["r".to_owned()],
        ended: ended.to_owned(),
        ..CurveStory::default()
    };
    let curves = BTreeMap::from([
        ("circle", told("closed on itself")),
        ("canards", told("left its range")),
    ]);
    let story = Story {
        title: "Circle",
        study: "Study(<circle>)",
        figures: &figures,
        curves,
        orbits,
        ..Story::default()
    };
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("browser-{:?}.html", std::thread::current().id()));
    std::fs::write(&path, page(&data, &story)).unwrap();
    Browser::open(&format!("file://{}", path.display()))
}

/// Where the diagram puts the point (r, x).
fn place(browser: &Browser, r: f64, x: f64) -> (f64, f64) {
    let size = browser
        .script("const canvas = document.getElementById('diagram'); return [canvas.clientWidth, canvas.clientHeight]");
    let (width, height) = (
        size[0].as_f64().unwrap() - 78.0 - 16.0,
        size[1].as_f64().unwrap() - 12.0 - 46.0,
    );
    (78.0 + (r + 2.5) / 5.0 * width, 12.0 + (2.5 - x) / 5.0 * height)
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn clicks_and_hovering_show_points_and_orbits() {
    let browser = open();
    let (x, y) = place(&browser, 2.0, 0.0);
    browser.mouse(x, y, true);
    assert_eq!(browser.told("selected"), "canards:100");
    assert_eq!(
        (
            browser.told("orbit").as_str(),
            browser.told("canards").as_str(),
            browser.told("sticks").as_str()
        ),
        ("canards:100", "2", "2")
    );
    assert!(
        browser.text("orbit-note").contains("2 canard segments"),
        "{}",
        browser.text("orbit-note")
    );
    let canard_orange = [213, 94, 0];
    assert!(browser.pixels("plane", canard_orange) > 50 && browser.pixels("time", canard_orange) > 50);
    assert!(
        browser.pixels("time", [220, 220, 214]) > 1000,
        "stick phases are shaded"
    );
    assert!(browser.text("status").contains("unstable") && browser.text("status").contains("word: slip stick"));
    assert!(browser.text("multiplier-note").contains("10^11346.5") && browser.text("multiplier-note").contains("= 0"));

    // The fold at the top of the circle: no canards there.
    let (x, y) = place(&browser, 0.0, 1.0);
    browser.mouse(x, y, true);
    assert_eq!(
        (browser.told("selected"), browser.told("canards")),
        ("circle:50".to_owned(), "0".to_owned())
    );
    assert_eq!(browser.text("message"), "LP in words");
    assert_eq!(browser.pixels("plane", canard_orange), 0);

    // Every inequality with its margin, the next to break first; what the word does not have is not listed.
    let table = browser.script(
        "return [...document.querySelectorAll('#inequalities tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))",
    );
    let vanishes = "segment 2 (stick) vanishes: its duration shrinks to zero";
    let grazes = "segment 1 (slip) touches land";
    let never = "a surface that is never near";
    assert_eq!(
        table,
        json!([["0.7", "VS", vanishes], ["1.5", "GR", grazes], ["far", "OV", never]])
    );
    browser.keys("#diagram", "]");
    assert_eq!(browser.told("selected"), "circle:150");
    assert_eq!(
        browser.script(
            "return [...document.querySelectorAll('#inequalities tr.broken td')].map((cell) => cell.innerText)[0]"
        ),
        "−0.3"
    );
    browser.keys("#diagram", "[[");
    assert!(browser.text("inequalities").contains("GR"));
    browser.keys("#diagram", "\u{e012}");
    assert!(browser.told("selected") == "circle:49" && !browser.text("inequalities").contains("GR"));
    browser.click("#special tbody tr:nth-child(2) button");
    assert!(browser.told("selected").starts_with("canards"));
    assert_eq!(
        browser.script("return document.getElementById('inequalities').hidden"),
        true
    );

    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    let (x, y) = place(&browser, diagonal, diagonal);
    browser.mouse(x, y, false);
    let tip = browser.text("tip");
    assert!(
        tip.contains("circle · 25") && tip.contains("r = 0.7071068") && tip.contains("stable"),
        "{tip}"
    );
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn the_keyboard_walks_the_branch_while_the_orbit_follows() {
    let browser = open();
    let (right, left, down) = ("\u{e014}", "\u{e012}", "\u{e015}");
    browser.click("#special tbody tr:nth-child(1) button");
    let start = browser.told("selected");
    assert_eq!(start, "circle:50");
    browser.keys("#diagram", &right.repeat(3));
    assert_eq!(browser.told("selected"), "circle:53");
    let notice = browser.text("orbit-elsewhere");
    assert!(
        notice.contains("shows point 50") && notice.contains("not point 53"),
        "{notice}"
    );
    browser.keys("#diagram", "]");
    assert_eq!(
        (browser.told("selected"), browser.told("orbit")),
        ("circle:150".to_owned(), "circle:150".to_owned())
    );
    browser.keys("#diagram", &left.repeat(2));
    assert_eq!(browser.told("selected"), "circle:148");
    browser.keys("#diagram", down);
    assert_eq!(browser.told("selected"), "canards:148");
    browser.keys("#diagram", "[");
    assert_eq!(browser.told("selected"), "canards:100");
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn axes_curves_and_tables_can_be_chosen() {
    let browser = open();
    let blue = [0, 114, 178];
    assert!(browser.pixels("diagram", blue) > 200);
    browser.click("#curve-tree input");
    browser.mouse(1.0, 1.0, false);
    assert_eq!(browser.pixels("diagram", blue), 0, "the circle is hidden");
    browser.choose("y-column", "mult1_log10");
    assert_eq!(browser.told("y"), "mult1_log10");
    // The table of contents shows a hidden curve again and jumps to the point.
    let rows = browser.script("return document.querySelectorAll('#special tbody tr').length");
    assert_eq!(rows, 3);
    browser.click("#special tbody tr:nth-child(3) button");
    assert_eq!(browser.told("selected"), "circle:150");
    assert_eq!(
        browser.script("return document.querySelector('#curve-tree input').checked"),
        true
    );
    assert!(browser.text("curves").contains("closed on itself"));
    assert_eq!(browser.text("study"), "Study(<circle>)");
    // Both colour schemes are legible: ink and paper differ.
    for _ in 0..2 {
        browser.click("#theme");
        let colours = browser.script("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]");
        assert_ne!(colours[0], colours[1]);
    }
    assert_eq!(
        browser.script("return performance.getEntriesByType('resource').length"),
        0,
        "nothing is fetched"
    );
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn the_diagram_is_zoomed_moved_and_fitted_and_keeps_the_place_under_the_mouse() {
    let browser = open();
    let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 1.5 && (a.1 - b.1).abs() < 1.5;
    let (fold, right) = (|| shown_at(&browser, "circle", 50), || shown_at(&browser, "circle", 0));
    let (before, aside) = (fold(), right());
    assert!(near(before, place(&browser, 0.0, 1.0)));
    browser.script("document.getElementById('diagram').focus({ preventScroll: true })");
    browser.wheel(before.0, before.1, -240);
    assert!(
        near(fold(), before),
        "the wheel keeps what is under it: {before:?} {:?}",
        fold()
    );
    assert!(
        right().0 - fold().0 > 1.5 * (aside.0 - before.0),
        "and magnifies the rest"
    );
    browser.drag(before, (before.0 + 60.0, before.1 + 40.0), false);
    assert!(
        near(fold(), (before.0 + 60.0, before.1 + 40.0)),
        "dragging moves: {:?}",
        fold()
    );
    assert_ne!(browser.told("selected"), "circle:53", "and selects nothing");
    // A box drawn with Shift fills the frame.
    browser.click("#fit");
    browser.frames();
    let (a, b) = (shown_at(&browser, "circle", 75), shown_at(&browser, "circle", 25));
    browser.drag((a.0, a.1 - 60.0), (b.0, b.1 + 60.0), true);
    let (a, b) = (shown_at(&browser, "circle", 75), shown_at(&browser, "circle", 25));
    let width = browser
        .script("return document.getElementById('diagram').clientWidth")
        .as_f64()
        .unwrap();
    assert!(
        (a.0 - 78.0).abs() < 3.0 && (b.0 - (width - 16.0)).abs() < 3.0,
        "{a:?} {b:?} in {width}"
    );
    // The keyboard and the buttons do the same.
    browser.click("#fit");
    browser.frames();
    let fitted = right();
    browser.keys("#diagram", "+");
    browser.frames();
    assert!(right().0 > fitted.0 + 20.0);
    browser.click("#zoom-out");
    browser.frames();
    assert!(near(right(), fitted));
    browser.keys("#diagram", "+0");
    browser.frames();
    assert!(near(right(), fitted));
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_logarithmic_axis_places_points_by_their_logarithm() {
    let browser = open();
    browser.choose("x-column", "index");
    browser.click("#x-log");
    browser.frames();
    let at = |row| shown_at(&browser, "canards", row).0;
    let decade = at(100) - at(10);
    assert!(decade > 50.0 && (at(10) - at(1) - decade).abs() < 1e-6 * decade);
    let half = at(200) - at(100);
    assert!((half / decade - 2f64.log10()).abs() < 1e-9);
    browser.click("#x-log");
    browser.frames();
    let hundred = at(100) - at(0);
    assert!((at(200) - at(100) - hundred).abs() < 1e-6 * hundred);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn multipliers_stand_on_the_unit_line_of_a_logarithmic_scale() {
    let browser = open();
    let at = |curve: &str, row: usize| {
        let (x, y) = shown_at(&browser, curve, row);
        browser.mouse(x, y, true);
        assert_eq!(browser.told("selected"), format!("{curve}:{row}"));
    };
    // Outside the unit circle the stem is orange and stands up, inside it is blue and hangs down.
    let (orange, blue) = ([213, 94, 0], [11, 97, 164]);
    at("circle", 100);
    assert!(browser.pixels("multipliers", orange) > 30, "μ = 10^0.5 is outside");
    at("circle", 10);
    assert_eq!(browser.pixels("multipliers", orange), 0);
    assert!(browser.pixels("multipliers", blue) > 30, "μ = 10^-0.3 and 0 are inside");
    assert!(
        browser.text("multiplier-note").contains("= 0.501187"),
        "{}",
        browser.text("multiplier-note")
    );
    // The unit line is drawn in ink right across, whatever the size of the largest multiplier.
    for (curve, row) in [("circle", 10), ("canards", 100)] {
        at(curve, row);
        let across = browser.script(
            "const canvas = document.getElementById('multipliers');
             const ratio = canvas.width / canvas.clientWidth;
             const row = Math.round((10 + (canvas.clientHeight - 52) / 2) * ratio);
             const data = canvas.getContext('2d').getImageData(0, row - 1, canvas.width, 3).data;
             let dark = 0;
             for (let x = 0; x < canvas.width; x++) {
                 for (let y = 0; y < 3; y++) {
                     if (data[4 * (y * canvas.width + x)] < 80 && data[4 * (y * canvas.width + x) + 3] > 200) { dark++; break; }
                 }
             }
             return dark / canvas.width",
        );
        assert!(across.as_f64().unwrap() > 0.6, "{curve}-{row}: {across}");
    }
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn everything_can_be_reached_with_the_tab_key_and_shows_where_it_is() {
    let browser = open();
    let mut reached = vec![];
    for _ in 0..140 {
        browser.press("\u{e004}");
        let here = browser.script(
            "const at = document.activeElement;
             const outline = getComputedStyle(at).outlineStyle;
             return [at.id || at.closest('[id]')?.id || at.tagName, outline !== 'none']",
        );
        reached.push(here[0].as_str().unwrap().to_owned());
        assert!(here[0] == "BODY" || here[1] == true, "{} shows no focus", here[0]);
    }
    for wanted in [
        "theme",
        "preset",
        "x-column",
        "x-log",
        "y-column",
        "y-log",
        "fit",
        "zoom-in",
        "zoom-out",
        "curve-tree",
        "as-printed",
        "undo",
        "box",
        "overlay",
        "save-svg",
        "save-csv",
        "save-ron",
        "copy-show",
        "copy-study",
        "pin",
        "time",
        "cursor",
        "diagram",
        "special",
        "time-column",
        "plane-x",
        "plane-y",
    ] {
        // A single view needs no choice of views.
        assert!(
            wanted == "preset" || reached.iter().any(|id| id == wanted),
            "{wanted} is not among {reached:?}"
        );
    }
    // Enter on a line of the table of contents jumps there; what was selected is said for screen readers.
    browser.script("document.querySelector('#special tbody tr:nth-child(3) button').focus()");
    browser.press("\u{e007}");
    assert_eq!(browser.told("selected"), "circle:150");
    assert!(browser.text("status").contains("r = "));
    assert_eq!(
        browser.script("return document.getElementById('status').getAttribute('aria-live')"),
        "polite"
    );
}

/// Where the diagram shows a row of a curve, from its canvas's top left corner.
fn shown_at(browser: &Browser, curve: &str, row: usize) -> (f64, f64) {
    let script = format!(
        "const place = document.getElementById('diagram').placeOf('{curve}', {row}); return [place.x, place.y]"
    );
    let place = browser.script(&script);
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

/// Run a study into a report and open it.
fn open_run(name: &str, text: &str) -> (Browser, RunData) {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let loaded = study::parse("study.ron".as_ref(), text.to_owned()).unwrap();
    let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    let result = study::run(&plan, &Silent, &false.into());
    let claim = Claim::take(&folder).unwrap();
    study::write_run(&claim, &loaded, &plan, &Settings::default(), &result, 0.0).unwrap();
    let data = RunData::read(&folder).unwrap();
    (
        Browser::open(&format!("file://{}", folder.join("report.html").display())),
        data,
    )
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_click_on_the_canard_branch_of_the_regularised_family_shows_a_canard_segment() {
    let (browser, data) = open_run("browser-regularised", include_str!("../../studies/regularised.ron"));
    let family = data.points.rows_where("curve", "family");
    let (canard, omega) = (family.numbers("canard_time").unwrap(), family.numbers("Omega").unwrap());
    // The middle of the canard branch: the longest canards. Far from it, at Ω = 3, there are none.
    let longest = (0..canard.len())
        .max_by(|&i, &j| canard[i].total_cmp(&canard[j]))
        .unwrap();
    assert!(canard[longest] > 0.1);
    let (x, y) = shown_at(&browser, "family", longest);
    browser.mouse(x, y, true);
    let selected: usize = browser
        .told("selected")
        .strip_prefix("family:")
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        canard[selected] > 0.1,
        "point {selected} was hit, with Ω = {}",
        omega[selected]
    );
    let segments: usize = browser.told("canards").parse().unwrap();
    assert!(segments > 0 && browser.text("orbit-note").contains("canard segment"));
    assert!(
        browser.pixels("plane", [213, 94, 0]) > 30,
        "canard segments are coloured"
    );

    let plain = (0..canard.len())
        .find(|&i| omega[i] == 3.0 && canard[i] == 0.0)
        .unwrap();
    let row = browser.script(&format!(
        "return [...document.querySelectorAll('#special tbody tr')].findIndex((row) => row.dataset.point === '0:{plain}') + 1"
    ));
    browser.click(&format!("#special tbody tr:nth-child({row}) button"));
    assert_eq!(
        (browser.told("orbit"), browser.told("canards")),
        (format!("family:{plain}"), "0".to_owned())
    );
    assert!(browser.text("study").contains("RegularisedStiction(mu_s: 1.1"));
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn both_colour_schemes_have_enough_contrast_and_keep_the_diagram() {
    let browser = open();
    let contrast = "const luminance = (colour) => {
            const [r, g, b] = colour.match(/[0-9.]+/g).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const paper = luminance(getComputedStyle(document.body).backgroundColor);
        const ratio = (id) => {
            const ink = luminance(getComputedStyle(document.querySelector(id)).color);
            return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
        };
        return [ratio('body'), ratio('.hint'), ratio('nav a')]";
    // The colour of print, and what it is lightened to in the dark.
    let colours = [[0, 114, 178], [38, 135, 190]];
    for scheme in 0..2 {
        for ratio in browser.script(contrast).as_array().unwrap() {
            assert!(ratio.as_f64().unwrap() >= 4.5, "WCAG AA asks for 4.5: {ratio}");
        }
        assert!(browser.pixels("diagram", colours[scheme]) > 200, "scheme {scheme}");
        browser.click("#theme");
        browser.mouse(1.0, 1.0, false);
    }
}
