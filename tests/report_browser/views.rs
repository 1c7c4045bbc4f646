//! A view shows what its figure shows.

use super::browser::Browser;
use serde_json::json;
use slipstick_report::figure::{Figure, draw};
use slipstick_report::html::{CurveStory, Story, page};
use slipstick_report::{Column, Kind, RunData, Table};
use std::collections::{BTreeMap, BTreeSet};

/// Nine curves of the heights 0 … 8, with a Hopf point, a fold and others on each, and a sweep.
pub(crate) fn nine() -> RunData {
    let mut points = Table::new([
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("r", Kind::Number),
        ("period", Kind::Number),
        ("x_max", Kind::Number),
        ("x_min", Kind::Number),
        ("mult1_log10", Kind::Number),
        ("admissible", Kind::Flag),
        ("stable", Kind::Flag),
    ]);
    for curve in 0..9 {
        for index in 0..=40_usize {
            let r = 0.05 * index as f64;
            let label = match index {
                0 | 40 => "EP",
                8 => "HB",
                12 => "NS",
                16 => "CP",
                20 => "LP",
                24 => "SB",
                28 => "VS",
                32 => "PD",
                _ => "",
            };
            let x = f64::from(curve) + 0.3 * (3.0 * r).sin();
            points
                .push_row([
                    format!("c{curve}").into(),
                    index.into(),
                    label.into(),
                    r.into(),
                    1.0.into(),
                    x.into(),
                    (r - 1.0).into(),
                    (r - 0.5).into(),
                    (index < 36).into(),
                    (index < 20).into(),
                ])
                .unwrap();
        }
    }
    let labels = points.texts("label").unwrap().to_vec();
    let mut special = points.filter(|row| !labels[row].is_empty());
    let messages = vec![String::new(); special.rows()];
    special.set_column("message", Column::Text(messages)).unwrap();
    let mut seen = Table::new([("kind", Kind::Text), ("r", Kind::Number), ("x_max", Kind::Number)]);
    for k in 0..50 {
        seen.push_row(["orbit".into(), (0.04 * f64::from(k)).into(), 4.5.into()])
            .unwrap();
    }
    RunData {
        points,
        special,
        attractors: BTreeMap::from([("seen".to_owned(), seen)]),
        ..RunData::default()
    }
}

pub(crate) fn figures() -> Vec<Figure> {
    let texts = [
        r#"Diagram(name: "all", x: "r", y: "x_max")"#,
        r#"Diagram(name: "few", x: "r", y: "x_max", of: ["c3", "c1"], mark: Only(["HB"]), attractors: ["seen"], x_range: (0, 2), y_range: (0, 6),
            lines: [Horizontal(at: 2.5, label: "half"), Vertical(at: 1)], notes: [Note(at: (0.5, 5), text: "here\nabove", to: (1.0, 3.0))],
            labels: {"c1": "$\\alpha_1$", "c3": "third"})"#,
        r#"Panels(name: "pair", panels: [
            Diagram(x: "r", y: ["x_max", "x_min"], of: ["c0"]),
            Diagram(x: "r", y: "abs(x_min)", of: ["c0", "c2"], log: [Y], y_range: (0.04, 2)),
        ])"#,
    ];
    texts.iter().map(|text| Figure::from_ron(text).unwrap()).collect()
}

pub(crate) fn open_nine(name: &str) -> Browser {
    let data = nine();
    let figures = figures();
    let curve = |k: usize| CurveStory {
        free: vec!["r".to_owned()],
        ended: "end of the range".to_owned(),
        from: ["", "c0, HB"][usize::from(k == 4)].to_owned(),
        ..CurveStory::default()
    };
    let names: Vec<String> = (0..9).map(|k| format!("c{k}")).collect();
    let story = Story {
        title: "Nine",
        study: "Study(title: \"Nine\")",
        figures: &figures,
        curves: names
            .iter()
            .enumerate()
            .map(|(k, name)| (name.as_str(), curve(k)))
            .collect(),
        ..Story::default()
    };
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}.html"));
    std::fs::write(&path, page(&data, &story)).unwrap();
    Browser::open(&format!("file://{}", path.display()))
}

/// The colours of lines in an SVG, but for blacks, whites and greys.
fn colours(svg: &str) -> BTreeSet<String> {
    let coloured = |colour: &String| {
        let part = |k: usize| {
            colour
                .get(k..k + 2)
                .and_then(|digits| i32::from_str_radix(digits, 16).ok())
        };
        let parts: Vec<i32> = [1, 3, 5].into_iter().filter_map(part).collect();
        parts.len() == 3 && parts.iter().max().unwrap() - parts.iter().min().unwrap() > 8
    };
    let found = svg.split("stroke=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    found
        .map(|(colour, _)| colour.to_lowercase())
        .filter(coloured)
        .collect()
}

pub(crate) fn saved(browser: &Browser, kind: &str) -> String {
    let text = browser.script(&format!("return document.getElementById('diagram').saved('{kind}')"));
    text.as_str().unwrap().to_owned()
}

fn checked(browser: &Browser) -> serde_json::Value {
    browser.script(
        "return page.model.curves.filter((curve) => !page.diagram.hidden.has(curve.at)).map((curve) => curve.name)",
    )
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_view_has_the_curves_the_colours_and_the_marks_of_its_figure() {
    let browser = open_nine("views");
    let data = nine();
    let options =
        browser.script("return [...document.querySelectorAll('#preset option')].map((option) => option.innerText)");
    assert_eq!(options, json!(["all", "few", "pair 1: xₘₐₓ, xₘᵢₙ", "pair 2: |xₘᵢₙ|"]));
    // Nine curves, nine colours, and the first seven are those of print.
    let all = colours(&saved(&browser, "svg"));
    let print = colours(draw(&figures()[0], &data).unwrap().svg());
    assert_eq!(all.len() + usize::from(!all.contains("#464646")), 9, "{all:?}");
    assert!(print.is_subset(&all), "{print:?} {all:?}");

    browser.choose("preset", "1");
    browser.frames();
    assert_eq!(checked(&browser), json!(["c1", "c3"]));
    assert_eq!(
        colours(&saved(&browser, "svg")),
        colours(draw(&figures()[1], &data).unwrap().svg())
    );
    // The first curve of `of` has the first colour, as in print.
    assert_eq!(
        browser.script("return page.diagram.colours.of(page.model.curves[3])"),
        "#0072b2"
    );
    let marks = browser.script(
        "return page.diagram.visible().flatMap(({ curve }) => page.diagram.marked(curve)).map((mark) => mark.label)",
    );
    assert_eq!(marks, json!(["HB", "HB"]));
    let legend = browser.text("legend");
    for part in [
        "third",
        "α1",
        "stable",
        "unstable",
        "not admissible",
        "attractors",
        "HB Hopf",
    ] {
        assert!(legend.replace('\n', "").contains(part), "{part}: {legend}");
    }
    let svg = saved(&browser, "svg");
    for part in [">half<", ">here<", ">above<", "#9a9a96"] {
        assert!(svg.contains(part), "{part}");
    }
    let view = browser.script("return document.getElementById('diagram').viewNow()");
    assert_eq!(view, json!({"x0": 0, "x1": 2, "y0": 0, "y1": 6}));

    // Columns have the colours where there are several.
    browser.choose("preset", "2");
    browser.frames();
    assert_eq!(
        colours(&saved(&browser, "svg")),
        BTreeSet::from(["#0072b2".to_owned(), "#d55e00".to_owned()])
    );
    // A column in a function, on a logarithmic axis.
    browser.choose("preset", "3");
    browser.frames();
    assert_eq!(checked(&browser), json!(["c0", "c2"]));
    assert_eq!(
        (browser.told("y").as_str(), browser.told("figure").as_str()),
        ("abs(x_min)", "pair 2: |xₘᵢₙ|")
    );
    assert!(browser.script("return document.getElementById('y-log').checked") == true);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn hopf_torus_and_cusp_points_look_unlike_folds_as_in_print() {
    let browser = open_nine("symbols");
    let symbols = browser.script("return Object.fromEntries(page.model.symbols)");
    let wanted = json!({"CP": "star", "EP": "dot", "HB": "star", "LP": "disc", "NS": "star", "PD": "triangle", "SB": "diamond", "VS": "circle"});
    assert_eq!(symbols, wanted);
    // As drawn: a star of ten corners, a disc of arcs.
    let drawn = |shape: &str| {
        let script = format!(
            "const pen = new VectorPen(20, 20); symbol(pen, '{shape}', 10, 10, '#000000'); return pen.parts[0]"
        );
        browser.script(&script).as_str().unwrap().to_owned()
    };
    assert_eq!(drawn("star").matches('L').count(), 9);
    assert!(drawn("disc").contains('a') && !drawn("disc").contains('L'));
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn every_figure_of_the_run_is_in_the_report() {
    let (browser, _) = super::open_run("browser-figures", include_str!("../../studies/stiction.ron"));
    let figures =
        browser.script("return [...document.querySelectorAll('.sheet figure')].map((figure) => figure.dataset.figure)");
    assert_eq!(
        figures,
        json!(["amplitude", "onset", "multiplier", "orbits", "strip", "slip-stick"])
    );
    browser.script("document.getElementById('sheet-section').scrollIntoView({ behavior: 'instant' })");
    browser.wait("[...document.querySelectorAll('.sheet img')].every((image) => image.naturalWidth > 100)");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
