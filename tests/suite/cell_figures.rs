//! Charts and basins as pictures: every cell at its place in its colour, in every format.

use super::support::planned;
use proptest::prelude::*;
use slipstick_report::figure::{Drawing, Figure, draw};
use slipstick_report::html::{Story, page};
use slipstick_report::{Cell, Kind, RunData, Table};
use slipstick_study as study;
use std::collections::{BTreeMap, BTreeSet};

/// What a cell shows: the kind, the word and the turns of an attractor with its starts.
type Shows = (&'static str, &'static str, f64, f64);

const REGIMES: [Shows; 6] = [
    ("orbit", "slip stick", 1.0, 3.0),
    ("orbit", "slip stick slip stick", 2.0, 3.0),
    ("orbit", "slip stick", 2.0, 3.0),
    ("chaos", "", f64::NAN, 3.0),
    ("torus", "", f64::NAN, 3.0),
    ("rest", "stick", f64::NAN, 3.0),
];

/// A chart over `A` and `omega`, whose cells show what `shown` says.
fn chart(
    xs: &[f64],
    ys: &[f64],
    shown: impl Fn(usize, usize) -> Vec<Shows>,
    exponent: Option<fn(usize) -> f64>,
) -> RunData {
    let mut columns = vec![
        ("A", Kind::Number),
        ("omega", Kind::Number),
        ("kind", Kind::Text),
        ("starts", Kind::Number),
    ];
    columns.extend([("word", Kind::Text), ("period", Kind::Number), ("turns", Kind::Number)]);
    columns.extend(exponent.map(|_| ("exponent1", Kind::Number)));
    columns.push(("message", Kind::Text));
    let mut table = Table::new(columns);
    // The order of rows does not matter.
    for (i, &x) in xs.iter().enumerate().rev() {
        for (j, &y) in ys.iter().enumerate() {
            for (kind, word, turns, starts) in shown(i, j) {
                let mut row: Vec<Cell> = vec![x.into(), y.into(), kind.into(), starts.into(), word.into()];
                row.extend([Cell::Number(6.0 * turns), Cell::Number(turns)]);
                row.extend(exponent.map(|of| Cell::Number(of(i + j))));
                row.push("".into());
                table.push_row(row).unwrap();
            }
        }
    }
    RunData {
        tables: [("regimes".to_owned(), table)].into(),
        ..RunData::default()
    }
}

fn drawn(text: &str, data: &RunData) -> Drawing {
    draw(&Figure::from_ron(text).unwrap(), data).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The picture of the cells: its width and height, and its colours row by row from the top.
fn picture(drawing: &Drawing, ending: &str) -> (usize, usize, Vec<[u8; 3]>) {
    let contents = drawing.contents().unwrap();
    let (_, bytes) = contents.into_iter().find(|(file, _)| file.ends_with(ending)).unwrap();
    let mut decoder = png::Decoder::new(bytes.as_slice());
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let samples = frame.color_type.samples();
    let colours = pixels[..frame.buffer_size()].chunks(samples);
    let colours = colours.map(|p| [p[0], p[1], p[2]]).collect();
    (frame.width as usize, frame.height as usize, colours)
}

/// The colour of the n-th cell of so many along each axis, upwards.
fn colour(
    (width, height, pixels): &(usize, usize, Vec<[u8; 3]>),
    (i, columns): (usize, usize),
    (j, rows): (usize, usize),
) -> [u8; 3] {
    let column = (2 * i + 1) * width / (2 * columns);
    let row = height - 1 - (2 * j + 1) * height / (2 * rows);
    pixels[row * width + column]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two cells have one colour if and only if they show the same regime, wherever their values are.
    #[test]
    fn colours_agree_with_the_table(
        columns in 2usize..9,
        rows in 2usize..9,
        logarithmic: bool,
        seed in prop::collection::vec(0usize..REGIMES.len(), 64),
    ) {
        let value = |k: usize| if logarithmic { 10f64.powf(0.25 * k as f64 - 3.0) } else { 0.1 * k as f64 - 0.3 };
        let xs: Vec<f64> = (0..columns).map(value).collect();
        let ys: Vec<f64> = (0..rows).map(|k| 0.5 + 0.125 * k as f64).collect();
        let regime = |i: usize, j: usize| seed[8 * j + i];
        let data = chart(&xs, &ys, |i, j| vec![REGIMES[regime(i, j)]], None);
        let drawing = drawn(r#"Chart(name: "cells", of: "regimes")"#, &data);
        let cells = picture(&drawing, "-cells.png");
        let mut colours: BTreeMap<usize, BTreeSet<[u8; 3]>> = BTreeMap::new();
        for i in 0..columns {
            for j in 0..rows {
                let own = colour(&cells, (i, columns), (j, rows));
                colours.entry(regime(i, j)).or_default().insert(own);
            }
        }
        prop_assert!(colours.values().all(|own| own.len() == 1), "{colours:?}");
        let different: BTreeSet<_> = colours.values().flatten().collect();
        prop_assert_eq!(different.len(), colours.len());
        // Axes are logarithmic where values are, of which two are too few to say.
        if columns > 2 {
            prop_assert_eq!(drawing.tex().contains("xmode=log"), logarithmic);
        }
        prop_assert!(drawing.tex().contains("ymode=linear"));
    }
}

#[test]
fn the_bitmap_shows_each_colour_as_often_as_the_table() {
    let values = |count: usize| -> Vec<f64> { (0..count).map(|k| k as f64).collect() };
    let data = chart(
        &values(12),
        &values(10),
        |i, j| vec![REGIMES[(i * i + 3 * j) % 4]],
        None,
    );
    let drawing = drawn(r#"Chart(name: "cells", of: "regimes", legend: None)"#, &data);
    let (columns, rows) = (12, 10);
    let cells = picture(&drawing, "-cells.png");
    let mut wanted: BTreeMap<[u8; 3], f64> = BTreeMap::new();
    for i in 0..columns {
        for j in 0..rows {
            *wanted.entry(colour(&cells, (i, columns), (j, rows))).or_default() += 1.0 / 120.0;
        }
    }
    let (_, _, pixels) = picture(&drawing, "cells.png");
    let all = pixels.iter().filter(|pixel| wanted.contains_key(*pixel)).count() as f64;
    for (colour, part) in wanted {
        let found = pixels.iter().filter(|pixel| **pixel == colour).count() as f64 / all;
        assert!((found - part).abs() < 0.02, "{colour:?}: {found} for {part}");
    }
}

#[test]
fn of_several_attractors_the_largest_or_their_number_is_shown() {
    let values = [1.0, 2.0, 3.0, 4.0];
    let many = |kind, word, starts| (kind, word, 1.0, starts);
    let shown = |i: usize, _| match i {
        // Three tori that two starts each come to outweigh the orbit.
        0 => vec![
            many("orbit", "slip", 5.0),
            many("torus", "", 2.0),
            many("torus", "", 2.0),
            many("torus", "", 2.0),
        ],
        1 => vec![many("orbit", "slip", 2.0), many("orbit", "stick", 6.0)],
        2 => vec![many("orbit", "slip", 4.0), many("orbit", "stick", 4.0)],
        _ => vec![],
    };
    let data = chart(&values, &values[..2], shown, None);
    let largest = drawn(r#"Chart(name: "largest", of: "regimes")"#, &data);
    let cells = picture(&largest, "-cells.png");
    let [torus, stick, slip] = [0, 1, 2].map(|i| colour(&cells, (i, 3), (0, 2)));
    assert!(torus != stick && stick != slip && slip != torus);
    assert!(
        ["torus", "slip", "stick"]
            .iter()
            .all(|name| largest.tex().contains(&format!("{{{name}}}")))
    );
    let number = drawn(r#"Chart(name: "number", of: "regimes", show: Number)"#, &data);
    let cells = picture(&number, "-cells.png");
    let counts = [0, 1, 2].map(|i| colour(&cells, (i, 3), (1, 2)));
    // An orbit and tori, which count once; two orbits.
    assert!(counts[0] == counts[1] && counts[1] == counts[2]);
}

#[test]
fn rare_regimes_share_a_colour_and_labels_are_the_users() {
    let values: Vec<f64> = (0..6).map(f64::from).collect();
    let words = ["a", "a b", "a b c", "a b c d", "a a", "b b b"];
    let data = chart(
        &values,
        &values,
        |i, j| vec![("orbit", words[i.min(j)], 1.0, 1.0)],
        None,
    );
    let drawing = drawn(
        r#"Chart(name: "few", of: "regimes", regimes: 2, labels: {"a b": "$P_2$", "other orbits": "the rest", "A": "amplitude"})"#,
        &data,
    );
    let entries: Vec<&str> = drawing
        .tex()
        .lines()
        .filter(|line| line.contains("addlegendentry"))
        .collect();
    assert_eq!(
        entries,
        [
            "\\addlegendentry{a}",
            "\\addlegendentry{$P_2$}",
            "\\addlegendentry{the rest}"
        ]
    );
    assert!(drawing.tex().contains("xlabel={amplitude}"));
    let cells = picture(&drawing, "-cells.png");
    assert_eq!(cells.2.iter().collect::<BTreeSet<_>>().len(), 3);
}

#[test]
fn exponents_shade_cells_of_one_regime() {
    let values: Vec<f64> = (0..20).map(f64::from).collect();
    let regime = |i: usize, _| vec![if i < 10 { REGIMES[0] } else { REGIMES[3] }];
    let exponent: fn(usize) -> f64 = |n| if n % 3 == 0 { f64::NEG_INFINITY } else { 0.01 * n as f64 };
    let data = chart(&values, &values, regime, Some(exponent));
    let colours = |text: &str| {
        picture(&drawn(text, &data), "-cells.png")
            .2
            .into_iter()
            .collect::<BTreeSet<_>>()
            .len()
    };
    assert!(colours(r#"Chart(name: "shaded", of: "regimes")"#) > 6);
    assert_eq!(colours(r#"Chart(name: "plain", of: "regimes", shade: false)"#), 2);
}

/// The files of a large chart without any order in it stay small.
#[test]
fn large_charts_are_small_files() {
    let values = |count: usize| -> Vec<f64> { (0..count).map(|k| k as f64 / 100.0).collect() };
    let mixed = |i: usize, j: usize| (i * 7919 + j * 104_729 + i * j * 31) % 6;
    let exponent: fn(usize) -> f64 = |n| (n as f64 * 0.37).sin();
    let data = chart(
        &values(600),
        &values(200),
        |i, j| vec![REGIMES[mixed(i, j)]],
        Some(exponent),
    );
    let drawing = drawn(r#"Chart(name: "large", of: "regimes")"#, &data);
    for (file, bytes) in drawing.contents().unwrap() {
        // The bitmap for the screen has no colours by number.
        let most = if file == "large.png" { 2_000_000 } else { 1_000_000 };
        assert!(bytes.len() < most, "{file}: {} bytes", bytes.len());
    }
    assert!(drawing.tex().contains("large-cells.png"));
}

/// A plane of a chart over three parameters, and ranges of its axes.
#[test]
fn planes_of_higher_charts_are_at_the_nearest_cells() {
    let mut table = Table::new([
        ("a", Kind::Number),
        ("b", Kind::Number),
        ("c", Kind::Number),
        ("kind", Kind::Text),
        ("starts", Kind::Number),
        ("word", Kind::Text),
    ]);
    for k in 0..27 {
        let place = [k % 3, k / 3 % 3, k / 9].map(|n| Cell::Number(f64::from(n)));
        let kind = ["rest", "torus", "chaos"][k as usize / 9];
        let row = [kind.into(), 1.0.into(), "".into()];
        table.push_row(place.into_iter().chain(row)).unwrap();
    }
    let data = RunData {
        tables: [("cube".to_owned(), table)].into(),
        ..RunData::default()
    };
    for (at, name) in [
        ("", "rest"),
        ("at: {\"c\": 1.2}", "torus"),
        ("at: {\"c\": 99}", "chaos"),
    ] {
        let drawing = drawn(
            &format!(r#"Chart(name: "cube", of: "cube", x: "b", y: "a", {at})"#),
            &data,
        );
        let entries: Vec<&str> = drawing
            .tex()
            .lines()
            .filter(|line| line.contains("addlegendentry"))
            .collect();
        assert_eq!(entries, [format!("\\addlegendentry{{{name}}}")]);
        assert!(drawing.tex().contains("xlabel={$b$}") && drawing.tex().contains("ymin=-0.5, ymax=2.5"));
    }
}

/// The map has two fixed points that attract, ±√½ with y = 0, and the line x = 0 between their basins.
#[test]
fn rings_lie_in_the_basins_of_their_attractors() {
    let text = r#"Study(
        title: "Two wells",
        system: Map(states: ["x", "y"], parameters: {"a": 1.5}, equations: ["x+ = a*x - x^3", "y+ = 0.5*y"]),
        tasks: [Basins(name: "wells", over: {"x": Linear(-0.9, 0.9, 8), "y": Linear(-1, 1, 5)})],
        figures: [Basins(name: "basins", of: "wells", x: "x", y: "y", labels: {"1": "left"})],
    )"#;
    let folder = tempfile::tempdir().unwrap();
    let study = study::parse("study.ron".as_ref(), text.into()).unwrap();
    let plan = study.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    let result = study::run(&plan, &study::Silent, &false.into());
    let claim = study::Claim::take(folder.path()).unwrap();
    let settings = study::Settings::default();
    study::write_run(&claim, &study, &plan, &settings, &result, 0.0).unwrap();
    let data = RunData::read(folder.path()).unwrap();
    let points = &data.tables["wells-points"];
    let (x, y) = (points.numbers("x").unwrap(), points.numbers("y").unwrap());
    assert_eq!(points.numbers("attractor").unwrap(), [1.0, 2.0]);
    assert!(
        (x[0] + 0.5f64.sqrt()).abs() < 1e-9 && (x[1] - 0.5f64.sqrt()).abs() < 1e-9,
        "{x:?}"
    );
    assert!(y.iter().all(|y| y.abs() < 1e-6));
    assert_eq!(data.tables["wells-attractors"].numbers("turns").unwrap(), [1.0, 1.0]);
    for file in [
        "basins.svg",
        "basins.pdf",
        "basins.png",
        "basins.tex",
        "basins-cells.png",
    ] {
        assert!(folder.path().join("figures").join(file).exists(), "{file}");
    }
    let tex = std::fs::read_to_string(folder.path().join("figures/basins.tex")).unwrap();
    assert!(tex.contains("{1: left}") && tex.contains("{2: fixed point}"));
    assert_eq!(tex.matches("only marks, mark=o, mark size=2.1pt").count(), 2);
    let cells = picture(&drawn(r#"Basins(name: "basins", of: "wells")"#, &data), "-cells.png");
    let sides: Vec<BTreeSet<[u8; 3]>> = [0..4, 4..8]
        .map(|half| {
            half.flat_map(|i| (0..5).map(move |j| (i, j)))
                .map(|(i, j)| colour(&cells, (i, 8), (j, 5)))
                .collect()
        })
        .to_vec();
    assert!(sides.iter().all(|side| side.len() == 1) && sides[0] != sides[1]);
    // The report has the cells to point at, and the drawing.
    let report = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(report.contains("\"cells\":[{\"name\":\"basins\"") && report.contains("<figcaption>basins"));
}

/// A curve looks the same in all panels of a sheet, and legends speak of what the axes show.
#[test]
fn sheets_show_charts_beside_diagrams() {
    let values: Vec<f64> = (0..9).map(f64::from).collect();
    let mut data = chart(&values, &values, |i, _| vec![REGIMES[i / 3]], None);
    let columns = [
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("A", Kind::Number),
    ];
    let mut points = Table::new(
        columns
            .into_iter()
            .chain([("omega", Kind::Number), ("period", Kind::Number)]),
    );
    for (curve, up) in [("first", 1.0), ("second", 0.5)] {
        for k in 0..9usize {
            let (x, y) = (k as f64, up * k as f64);
            points
                .push_row([curve.into(), k.into(), "".into(), x.into(), y.into(), 1.0.into()])
                .unwrap();
        }
    }
    data.points = points;
    let text = r#"Panels(name: "sheet", panels: [
        Diagram(x: "A", y: "omega"),
        Chart(of: "regimes", curves: ["second"], x_range: (0, 2.4)),
        Chart(of: "regimes", curves: []),
    ])"#;
    let drawing = drawn(text, &data);
    let panels: Vec<&str> = drawing.tex().split("nextgroupplot").skip(1).collect();
    assert!(panels[0].contains("curveA") && panels[0].contains("curveB"));
    assert!(!panels[1].contains("curveA") && panels[1].contains("curveB"));
    assert!(panels[1].contains("{slip stick}") && !panels[1].contains("period 2"));
    assert!(!panels[2].contains("curve") && panels[2].contains("period 2"));
    assert!(panels[1].contains("sheet-cells.png") && panels[2].contains("sheet-cells2.png"));
    assert_eq!(drawing.files().len(), 6);
}

/// Orbits that are stored close after the period of their row, and are the same for any number of threads.
#[test]
fn stored_orbits_are_those_of_their_rows() {
    let text = r#"Study(
        title: "Impacts",
        system: Hybrid(
            states: ["x", "v"],
            parameters: {"c": 0.1, "A": 0.2, "omega": 1},
            forcing: Forcing(period: "2*pi/omega", phase: "theta"),
            modes: {"flight": Mode(equations: ["x' = v", "v' = A*cos(omega*t) - c*v - x"], events: {"impact": Event(guard: "x - 1", direction: Up, to: "flight", reset: {"v": "-0.8*v"})})},
        ),
        tasks: [Chart(name: "regimes", over: {"A": Linear(0.3, 0.9, 5), "omega": Linear(0.7, 1.4, 4)}, starts: 2, exponents: 1, orbits: 20)],
    )"#;
    let run = || {
        let result = planned(text, &[]).1;
        let tables = result.analyses.into_iter().flat_map(|analysis| analysis.tables);
        tables.collect::<BTreeMap<String, Table>>()
    };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(run)
    };
    let tables = with(1);
    assert_eq!(
        tables.values().map(Table::to_csv).collect::<Vec<_>>(),
        with(2).values().map(Table::to_csv).collect::<Vec<_>>()
    );
    let (chart, orbits) = (&tables["regimes"], &tables["regimes-orbits"]);
    let (kinds, turns) = (chart.texts("kind").unwrap(), chart.numbers("turns").unwrap());
    let (period, omega) = (chart.numbers("period").unwrap(), chart.numbers("omega").unwrap());
    let number = |name: &str| orbits.numbers(name).unwrap();
    let mut periodic = 0;
    for row in number("row")
        .iter()
        .copied()
        .map(|row| row as usize)
        .collect::<BTreeSet<_>>()
    {
        if kinds[row - 1] != "orbit" {
            continue;
        }
        periodic += 1;
        let (turn, period) = (std::f64::consts::TAU / omega[row - 1], period[row - 1]);
        assert!((turns[row - 1] * turn - period).abs() < 1e-9 * period);
        let own: Vec<usize> = (0..orbits.rows()).filter(|&k| number("row")[k] == row as f64).collect();
        let (first, last) = (own[0], own[own.len() - 1]);
        assert!(own.len() > 100 && (number("t")[last] - period).abs() < 1e-9 * period);
        for state in ["x", "v"] {
            let off = number(state)[last] - number(state)[first];
            // After an impact at the end of a period the velocity is turned round.
            let turned = orbits.texts("mode").is_ok() && (number("x")[last] - 1.0).abs() < 1e-6;
            assert!(off.abs() < 1e-5 || turned, "{row} {state}: {off}");
        }
    }
    assert!(periodic > 8, "{periodic}");
}

#[test]
fn the_report_packs_what_is_known_of_cells() {
    let values = [1.0, 10.0, 100.0];
    let data = chart(&values, &values[..2], |i, j| vec![REGIMES[(i + j) % 4]], None);
    let figures = [Figure::from_ron(r#"Chart(name: "regimes", of: "regimes")"#).unwrap()];
    let html = page(
        &data,
        &Story {
            figures: &figures,
            ..Story::default()
        },
    );
    let start = html.find("id=\"payload\">").unwrap() + "id=\"payload\">".len();
    let end = start + html[start..].find("</script>").unwrap();
    let payload: serde_json::Value = serde_json::from_str(&html[start..end]).unwrap();
    let cells = &payload["cells"][0];
    assert_eq!(cells["x"]["values"], serde_json::json!([1.0, 10.0, 100.0]));
    assert_eq!(cells["x"]["log"], true);
    assert_eq!(cells["known"]["rows"], 6);
    assert_eq!(
        cells["known"]["columns"]["kind"]["runs"][0],
        serde_json::json!(["orbit", 5])
    );
    assert_eq!(cells["legend"].as_array().unwrap().len(), 4);
}

#[test]
fn wrong_names_are_found_where_they_stand() {
    let complaint = |figure: &str| {
        let text = format!(
            "Study(\n title: \"t\",\n system: Map(states: [\"x\"], parameters: {{\"r\": 3, \"s\": 1}}, equations: [\"x+ = s*r*x*(1 - x)\"]),\n \
             tasks: [Chart(name: \"regimes\", over: {{\"r\": Linear(3, 4, 3), \"s\": Linear(0.9, 1, 3)}})],\n \
             figures: [\n  {figure},\n ],\n)"
        );
        let study = study::parse("study.ron".as_ref(), text).unwrap();
        study.plan(&[]).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert_eq!(complaint(r#"Chart(name: "a", of: "regimes")"#), "");
    for (figure, parts) in [
        (
            r#"Chart(name: "a", of: "regime")"#,
            ["6", "unknown chart `regime`", "did you mean `regimes`"],
        ),
        (
            r#"Chart(name: "a", of: "regimes", x: "t")"#,
            ["6", "unknown parameter of the chart `t`", "r, s"],
        ),
        (
            r#"Basins(name: "a", of: "regimes")"#,
            ["6", "unknown basins", "there are none"],
        ),
        (
            "Chart(name: \"a\", of: \"regimes\"), Chart(name: \"a-cells\", of: \"regimes\")",
            ["6", "`a-cells` is reserved", "a_cells"],
        ),
    ] {
        let message = complaint(figure);
        assert!(parts.iter().all(|part| message.contains(part)), "{figure}\n{message}");
    }
}

#[test]
fn orbits_of_cells_are_no_attractors_of_diagrams() {
    let text = r#"Study(
        title: "t",
        system: Map(states: ["x"], parameters: {"r": 3, "s": 1}, equations: ["x+ = s*r*x*(1 - x)"]),
        tasks: [Chart(name: "regimes", over: {"r": Linear(3, 4, 3), "s": Linear(0.9, 1, 3)})],
        figures: [Diagram(name: "a", x: "r", y: "x", attractors: ["regimes-orbits"])],
    )"#;
    let study = study::parse("study.ron".as_ref(), text.into()).unwrap();
    let message = study.plan(&[]).err().map(|e| e.to_string()).unwrap();
    assert!(
        message.contains("unknown sweep for attractors `regimes-orbits`"),
        "{message}"
    );
}
