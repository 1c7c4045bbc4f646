//! Figures from tables made of closed forms. The drawings are left in Cargo's folder for the files of tests to be
//! looked at.

use slipstick_report::figure::{Figure, draw};
use slipstick_report::html::{CurveStory, Story, page};
use slipstick_report::{Cell, Kind, RunData, Table};
use std::f64::consts::{PI, TAU};
use std::path::PathBuf;

const MU_D: f64 = 0.4;

/// Amplitude, phase and multiplier of the symmetric pure-slip orbit at Ω, if there is one.
fn pure_slip(omega: f64) -> Option<(f64, f64, f64)> {
    let cosine = (1.0 - omega * omega) * MU_D / omega * (0.5 * PI * omega).tan();
    let theta = cosine.abs().le(&1.0).then(|| cosine.acos())?;
    let amplitude = (theta.sin() / (1.0 - omega * omega)).abs();
    Some((amplitude, theta, ((amplitude - MU_D) / (amplitude + MU_D)).abs()))
}

fn points() -> Table {
    let mut table = Table::new([
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("Omega", Kind::Number),
        ("mu_s", Kind::Number),
        ("max_abs_x", Kind::Number),
        ("theta0", Kind::Number),
        ("admissible", Kind::Flag),
        ("stable", Kind::Flag),
        ("nu1_log10", Kind::Number),
        ("nu2_log10", Kind::Number),
    ]);
    let mut row = |curve: &str, index: usize, label: &str, numbers: [f64; 5], admissible: bool, stable: bool| {
        let [omega, x, theta, nu1, nu2] = numbers;
        table
            .push_row([
                curve.into(),
                index.into(),
                label.into(),
                omega.into(),
                1.1.into(),
                x.into(),
                theta.into(),
                admissible.into(),
                stable.into(),
                nu1.into(),
                nu2.into(),
            ])
            .unwrap();
    };
    for index in 0..=400 {
        let omega = 0.5206505763957744 + (1.35455216285363 - 0.5206505763957744) * index as f64 / 400.0 + 1e-7;
        let (a, theta, nu) = pure_slip(omega).unwrap();
        let label = if index % 400 == 0 { "VS" } else { "" };
        row(
            "pure slip",
            index,
            label,
            [omega, a, theta, nu.log10(), nu.log10()],
            a >= 1.1,
            true,
        );
    }
    // A fold, as on the branch below the resonance: both sheets of Ω = Ω₀ + c (θ - θ₁)².
    for index in 0..=300 {
        let s = index as f64 / 300.0;
        let theta = 0.93 + s * (PI / 2.0 - 0.93);
        let omega = 0.4757656678212827 + 0.263 * (theta - 1.343f64).powi(2);
        let x = (1.1 - theta.sin()) / (omega * omega) + 0.35;
        let label = match index {
            0 => "VS",
            193 => "LP",
            240 => "UZ",
            300 => "VT",
            _ => "",
        };
        let nu = 0.65 + (theta - 0.93) / 0.413 * 0.35 + 40.0 * (theta - 1.343f64).max(0.0).powi(2);
        row(
            "compliant",
            index,
            label,
            [omega, x, theta, nu.log10(), f64::NEG_INFINITY],
            true,
            index <= 193,
        );
    }
    for index in 0..=500 {
        let omega = 1.35455216285363 * (15.0f64 / 1.35455216285363).powf(index as f64 / 500.0);
        let x = 1.45 * (1.35455216285363 / omega).powi(2) * (1.0 + 0.2 * (omega - 1.354).min(1.0));
        let label = match index {
            0 => "VS",
            38 => "SB",
            166 => "UZ",
            500 => "EP",
            _ => "",
        };
        let nu = 1.708 * (1.35455 / omega).powf(2.9);
        row(
            "stiff",
            index,
            label,
            [
                omega,
                x,
                -1.16 + 0.9 * (omega / 1.354).ln().min(1.0),
                nu.log10(),
                f64::NEG_INFINITY,
            ],
            true,
            index >= 38,
        );
    }
    table
}

/// A slip-stick-like orbit: harmonic flight between plateaus.
fn orbit(amplitude: f64, slip: f64, canard: bool) -> Table {
    let mut table = Table::new([
        ("t", Kind::Number),
        ("x", Kind::Number),
        ("y", Kind::Number),
        ("theta", Kind::Number),
        ("mode", Kind::Text),
        ("canard", Kind::Flag),
    ]);
    for half in 0..2 {
        let sign = 1.0 - 2.0 * f64::from(half);
        for step in 0..=200 {
            let tau = PI * f64::from(step) / 200.0;
            let slipping = tau <= slip;
            let (x, y) = if slipping {
                (
                    amplitude * (PI * tau / slip).cos(),
                    -amplitude * PI / slip * (PI * tau / slip).sin(),
                )
            } else {
                (-amplitude, 0.0)
            };
            let t = tau + PI * f64::from(half);
            let mode = if slipping {
                ["slip-", "slip+"][half as usize]
            } else {
                "stick"
            };
            let row: [Cell; 6] = [
                t.into(),
                (sign * x).into(),
                (sign * y).into(),
                (t + 1.2).into(),
                mode.into(),
                (canard && tau > 0.9 * PI).into(),
            ];
            table.push_row(row).unwrap();
        }
    }
    table
}

fn sample() -> RunData {
    let points = points();
    let labels = points.texts("label").unwrap().to_vec();
    let mut data = RunData {
        special: points.filter(|row| !labels[row].is_empty()),
        points,
        ..RunData::default()
    };
    for (curve, index, amplitude, slip, canard) in [
        ("compliant", 193, 1.25, 2.5, false),
        ("compliant", 300, 1.05, 2.13, true),
        ("stiff", 38, 0.8, 2.56, false),
        ("stiff", 166, 0.3, 2.0, false),
    ] {
        data.orbits
            .insert((curve.to_owned(), index), orbit(amplitude, slip, canard));
    }
    let mut run_transient = Table::new([
        ("t", Kind::Number),
        ("x", Kind::Number),
        ("y", Kind::Number),
        ("theta", Kind::Number),
        ("mode", Kind::Text),
    ]);
    for step in 0..3000 {
        let t = 0.02 * f64::from(step);
        let x = (1.0 - (-0.1 * t).exp()) * t.sin() + 0.8 * (-0.05 * t).exp() * (1.7 * t).cos();
        let mode = if (t % PI) < 0.5 { "stick" } else { "slip+" };
        run_transient
            .push_row([
                t.into(),
                x.into(),
                (1.3 * (t + 0.4).cos()).into(),
                t.rem_euclid(TAU).into(),
                mode.into(),
            ])
            .unwrap();
    }
    data.trajectories.insert("settle".to_owned(), run_transient);
    data
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("figures")
}

/// One figure of every kind, as a study would ask for it.
fn gallery() -> Vec<Figure> {
    let texts = [
        r#"Diagram(name: "amplitude", x: "Omega", y: "max_abs_x", log: [X], y_range: (0, 4))"#,
        r#"Diagram(name: "inset", x: "Omega", y: "max_abs_x", log: [X, Y], x_range: (0.3, 15), lines: [Vertical(at: 1, label: "resonance")],
             inset: Inset(x_range: (0.47, 0.53), y_range: (0.68, 1.7)), style: Style(width: TwoColumns, height: 90))"#,
        r#"Diagram(name: "phase", x: "Omega", y: "theta0", log: [X], of: ["compliant", "stiff"])"#,
        r#"Diagram(name: "multipliers", x: "Omega", y: "nu*_log10", of: ["stiff"], lines: [Horizontal(at: 0, label: "$|\\nu|=1$")],
             style: Style(palette: Monochrome))"#,
        r#"Diagram(name: "mono", x: "Omega", y: "max_abs_x", log: [X], y_range: (0, 4), style: Style(palette: Monochrome, width: TwoColumns))"#,
        r#"Orbits(name: "orbits", of: ["compliant: LP, VT", "stiff: SB, Omega=4.0"], panels: [Time("x"), Time("y"), Plane("theta", "y")])"#,
        r#"Orbits(name: "single", of: ["compliant: LP"], panels: [Time(["x", "y"])])"#,
        r#"Orbits(name: "canard", of: ["compliant: VT"], panels: [Time("x"), Plane("x", "y"), Plane("theta", "y")],
             style: Style(width: TwoColumns))"#,
        r#"Space(name: "space", x: "theta", y: "x", z: "y", orbits: ["compliant: LP", "stiff: SB"],
             surfaces: [Surface(x: "u", y: "v/mu_s", z: "0", u: (0, "2*pi"), v: (-2, 2), lines: 3, label: "switching plane")],
             paths: [Path(x: "u", y: "(mu_s - sin(u))/Omega^2", z: "0", u: ("0", 6), label: "edge", dashed: true)])"#,
        r#"Trajectories(name: "settle", panels: [Time("x"), Plane("x", "y")])"#,
        r#"Panels(name: "sheet", columns: 2, share: [X], style: Style(width: TwoColumns), panels: [
             Diagram(x: "Omega", y: "max_abs_x", log: [X]), Diagram(x: "Omega", y: "theta0", log: [X], of: ["compliant", "stiff"]),
             Diagram(x: "Omega", y: "nu1_log10", log: [X]), Diagram(x: "Omega", y: "mu_s", log: [X], labels: {"mu_s": "$\\mu_s$ (static)"})])"#,
    ];
    texts.iter().map(|text| Figure::from_ron(text).unwrap()).collect()
}

#[test]
fn every_figure_is_drawn_in_every_format_and_twice_the_same() {
    let data = sample();
    for figure in gallery() {
        let drawing = draw(&figure, &data).unwrap();
        drawing.write(folder()).unwrap();
        assert_eq!(draw(&figure, &data).unwrap(), drawing, "{}", figure.name());
        assert_eq!(drawing.pdf().unwrap(), drawing.pdf().unwrap(), "{}", figure.name());
        assert!(drawing.pdf().unwrap().starts_with(b"%PDF"));
        assert!(
            !drawing.svg().contains("NaN") && !drawing.svg().contains("inf"),
            "{}",
            figure.name()
        );
    }
}

#[test]
fn files_say_what_they_show_and_who_made_it() {
    let study = slipstick_study::parse(
        "study.ron".as_ref(),
        r#"Study(title: "Stick & slip", author: "N. N.", system: Stiction(mu_s: 1.1, mu_d: 0.4))"#.into(),
    );
    let figure = &gallery()[0];
    let drawing = draw(figure, &sample()).unwrap();
    assert!(drawing.svg().contains(&format!("<title>{}</title>", figure.name())));
    let signed = study.unwrap().spec.sign(drawing).unwrap();
    let title = format!("Stick & slip: {}", figure.name());
    let svg = signed.svg();
    assert!(svg.contains(&format!("<title>{}</title>", title.replace('&', "&amp;"))) && svg.contains(">N. N.<"));
    // What is described is what is drawn.
    let (_, rest) = svg.split_once("<desc>").unwrap();
    let described = rest.split_once("</desc>").unwrap().0;
    assert!(
        described.contains(" against ") && described.contains("Marked: "),
        "{described}"
    );
    let pdf = signed.pdf().unwrap();
    let has = |bytes: &[u8], wanted: &str| bytes.windows(wanted.len()).any(|part| part == wanted.as_bytes());
    assert!(has(&pdf, &format!("/Title ({title})")) && has(&pdf, "/Author (N. N.)"));
    let png = signed.png().unwrap();
    assert!(has(&png, &title) && has(&png, "N. N."));
}

#[test]
fn a_finished_run_redraws_to_the_same_bytes() {
    let data = sample();
    let run = tempfile::tempdir().unwrap();
    data.write(run.path()).unwrap();
    let again = RunData::read(run.path()).unwrap();
    for figure in gallery() {
        assert_eq!(
            draw(&figure, &again).unwrap(),
            draw(&figure, &data).unwrap(),
            "{}",
            figure.name()
        );
    }
}

#[test]
fn sizes_are_those_of_journals() {
    let data = sample();
    for (width, wanted) in [
        ("OneColumn", "84mm"),
        ("TwoColumns", "174mm"),
        ("Millimetres(120)", "120mm"),
    ] {
        let text = format!(r#"Diagram(name: "a", x: "Omega", y: "theta0", style: Style(width: {width}, height: 55))"#);
        let drawing = draw(&Figure::from_ron(&text).unwrap(), &data).unwrap();
        assert!(
            drawing
                .svg()
                .starts_with(&format!("<svg width=\"{wanted}\" height=\"55mm\"")),
            "{}",
            &drawing.svg()[..60]
        );
    }
    // 84 mm at 600 dots per inch, and a PNG that says so.
    let png = draw(&gallery()[0], &data).unwrap().png().unwrap();
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!(number(16), 1984);
    let density = png.windows(4).position(|kind| kind == b"pHYs").unwrap();
    assert_eq!(
        (number(density + 4), number(density + 8), png[density + 12]),
        (23622, 23622, 1)
    );
}

#[test]
fn insets_follow_the_parameters() {
    let drawn = |x: &str| {
        let text = format!(
            r#"Diagram(name: "a", x: "Omega", y: "max_abs_x", log: [X, Y], inset: Inset(x_range: {x}, y_range: (0.1, 3)))"#
        );
        draw(&Figure::from_ron(&text).unwrap(), &sample()).unwrap()
    };
    // μ_s = 1.1 in every row.
    assert_eq!(drawn(r#"("mu_s/2", "mu_s")"#), drawn("(0.55, 1.1)"));
    assert_ne!(drawn(r#"("mu_s/2", "mu_s")"#), drawn(r#"("mu_s/2", "2*mu_s")"#));
}

#[test]
fn surfaces_hide_what_is_behind_them() {
    // A wall in the middle of the box, and a path from before it to behind it; without the wall nothing is hidden.
    let drawn = |surfaces: &str| {
        let text = format!(
            r#"Space(name: "wall", x: "theta", y: "x", z: "y", view: (-90, 0), angles: [],
                 x_range: (-1, 1), y_range: (-1, 1), z_range: (-1, 1), surfaces: [{surfaces}],
                 paths: [Path(x: "0.2*u", y: "u", z: "0.1", u: (-0.9, 0.9), label: "path")])"#
        );
        draw(&Figure::from_ron(&text).unwrap(), &sample())
            .unwrap()
            .tex()
            .to_owned()
    };
    let wall = drawn(r#"Surface(x: "u", y: "0", z: "v", u: (-0.5, 0.5), v: (-0.5, 0.5), label: "wall")"#);
    assert!(wall.contains("densely dotted") && wall.contains("{hidden}"));
    let small = drawn(r#"Surface(x: "u", y: "0", z: "v", u: (-0.5, 0.5), v: (-0.9, -0.5))"#);
    assert!(!small.contains("densely dotted") && !small.contains("{hidden}"));
}

#[test]
fn what_space_has_no_place_for_is_refused_where_it_stands() {
    let refused = |text: &str| {
        let figure = Figure::from_ron(text).unwrap();
        draw(&figure, &sample()).unwrap_err().to_string()
    };
    let head = r#"Space(name: "a", x: "theta", y: "x", z: "y""#;
    assert!(refused(&format!("{head})")).contains("name something to draw"));
    let wrong = format!(r#"{head}, surfaces: [Surface(x: "u", y: "w", z: "v", u: (0, 1), v: (0, 1))])"#);
    assert!(refused(&wrong).contains('w'), "{}", refused(&wrong));
    assert!(refused(&format!(r#"{head}, orbits: ["stiff: SB"], view: (0, 95))"#)).contains("viewer"));
    assert!(refused(r#"Space(name: "a", x: "theta", y: "xx", z: "y", orbits: ["stiff: SB"])"#).contains("xx"));
}

#[test]
fn odd_tables_are_answered_not_died_of() {
    let figure = |text: &str| Figure::from_ron(text).unwrap();
    let diagram =
        figure(r#"Diagram(name: "a", x: "r", y: "x", log: [Y], inset: Inset(x_range: (0, 1), y_range: (1, 2)))"#);
    let columns = [
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("r", Kind::Number),
        ("x", Kind::Number),
    ];
    let mut data = RunData {
        points: Table::new(columns),
        ..RunData::default()
    };
    let message = draw(&diagram, &data).unwrap_err().to_string();
    assert!(message.contains("nothing to draw"), "{message}");
    for (r, x) in [(f64::NAN, 1.0), (1.0, f64::NEG_INFINITY), (1.0, -3.0)] {
        data.points
            .push_row(["c".into(), 0usize.into(), "LP".into(), r.into(), x.into()])
            .unwrap();
    }
    let message = draw(&diagram, &data).unwrap_err().to_string();
    assert!(message.contains("abs("), "{message}");
    // One point, and after it a huge range.
    for x in [2.0, 1e-300, 1e300] {
        data.points
            .push_row(["c".into(), 1usize.into(), "LP".into(), 1.0.into(), x.into()])
            .unwrap();
        draw(&diagram, &data).unwrap().png().unwrap();
    }
    let linear = figure(r#"Diagram(name: "a", x: "r", y: "x")"#);
    data.points
        .push_row(["c".into(), 1usize.into(), "".into(), 1e300.into(), (-1e300).into()])
        .unwrap();
    draw(&linear, &data).unwrap().png().unwrap();
    let orbits = figure(r#"Orbits(name: "a", of: ["c"], panels: [Time("x")])"#);
    assert!(draw(&orbits, &data).is_err());
    data.orbits.insert(
        ("c".to_owned(), 1),
        Table::new([("t", Kind::Number), ("x", Kind::Number)]),
    );
    assert!(draw(&orbits, &data).unwrap_err().to_string().contains("no numbers"));
}

#[test]
fn stability_and_labels_show_in_the_drawing() {
    let data = sample();
    let figure = |mark: &str| {
        let text = format!(r#"Diagram(name: "a", x: "theta0", y: "Omega", of: ["compliant"], mark: {mark})"#);
        draw(&Figure::from_ron(&text).unwrap(), &data).unwrap()
    };
    let texts = |svg: &str, wanted: &str| svg.matches(&format!("aria-label=\"{wanted}\"")).count();
    let all = figure("All");
    let counts = ["LP", "VS", "VT", "UZ"].map(|name| texts(all.svg(), name));
    assert_eq!(counts, [1, 1, 1, 0]);
    assert_eq!(["stable", "unstable"].map(|name| texts(all.svg(), name)), [1, 1]);
    assert_eq!(
        ["LP", "UZ"].map(|name| texts(figure(r#"Only(["UZ"])"#).svg(), name)),
        [0, 1]
    );
    assert_eq!(["LP", "VS"].map(|name| texts(figure("None").svg(), name)), [0, 0]);
    // The LaTeX document holds the pieces themselves: unstable ones dashed, from the fold on.
    let (_, dashed) = all
        .tex()
        .split_once("dashed, forget plot] table[row sep=\\\\] {x y\\\\\n")
        .unwrap();
    let theta: f64 = dashed.split_whitespace().next().unwrap().parse().unwrap();
    assert!((theta - 1.343).abs() < 2e-3, "{theta}");
}

/// The report that `tests/browser/report.mjs` clicks through, left in Cargo's folder for the files of tests.
#[test]
fn the_report_of_the_sample_is_whole() {
    let mut data = sample();
    let messages = data
        .special
        .texts("label")
        .unwrap()
        .iter()
        .map(|label| format!("what {label} means, in words"))
        .collect();
    data.special
        .set_column("message", slipstick_report::Column::Text(messages))
        .unwrap();
    let figures = gallery();
    let story = |name: &str| CurveStory {
        free: vec!["Omega".to_owned()],
        ended: format!("{name} reached the end of its range"),
        ..CurveStory::default()
    };
    let curves = ["pure slip", "compliant", "stiff"]
        .into_iter()
        .map(|name| (name, story(name)))
        .collect();
    let orbits = (0..=500)
        .step_by(10)
        .map(|index| {
            (
                ("stiff".to_owned(), index),
                orbit(1.0 - 0.001 * index as f64, 2.5, false),
            )
        })
        .collect();
    let story = Story {
        title: "A sample & its <report>",
        study: "Study(title: \"a < b\")",
        figures: &figures,
        curves,
        orbits,
        ..Story::default()
    };
    let html = page(&data, &story);
    assert_eq!(html, page(&data, &story));
    assert!(html.len() < 3_000_000, "{}", html.len());
    std::fs::write(folder().parent().unwrap().join("report.html"), html).unwrap();
}

/// Fifty thousand points, for speed: left there, too.
#[test]
fn a_long_run_stays_small() {
    let mut points = Table::new([
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("Omega", Kind::Number),
        ("x_max", Kind::Number),
        ("stable", Kind::Flag),
    ]);
    for index in 0..50_000usize {
        let s = index as f64 * 1e-3;
        let label = if index % 5000 == 2500 { "LP" } else { "" };
        points
            .push_row([
                "long".into(),
                index.into(),
                label.into(),
                (s.sin() + 0.1 * s).into(),
                (1.3 * s).cos().into(),
                (index % 5000 < 2500).into(),
            ])
            .unwrap();
    }
    let data = RunData {
        special: points.filter(|row| row % 5000 == 2500),
        points,
        ..RunData::default()
    };
    let html = page(&data, &Story::default());
    assert!(html.len() < 2_500_000, "{}", html.len());
    std::fs::create_dir_all(folder()).unwrap();
    std::fs::write(folder().parent().unwrap().join("large.html"), html).unwrap();
}
