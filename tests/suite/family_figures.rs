//! Families as figures: every member at its place in the colour of its value, with a bar that says which is which.

use proptest::prelude::*;
use slipstick_report::figure::{Drawing, Figure, draw};
use slipstick_report::{Cell, Kind, RunData, Table};
use slipstick_study as study;

/// Members over `b` and `c`: the curve y = b + c·x with a special point in the middle, from which on it is unstable.
fn family(bs: &[f64], cs: &[f64]) -> RunData {
    let mut points = Table::new([
        ("member", Kind::Number),
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("x", Kind::Number),
        ("y", Kind::Number),
        ("stable", Kind::Flag),
    ]);
    let mut members = Table::new([
        ("member", Kind::Number),
        ("b", Kind::Number),
        ("c", Kind::Number),
        ("curve", Kind::Text),
        ("points", Kind::Number),
    ]);
    for (k, (&b, &c)) in bs.iter().flat_map(|b| cs.iter().map(move |c| (b, c))).enumerate() {
        let number = Cell::Number((k + 1) as f64);
        members
            .push_row([number.clone(), b.into(), c.into(), "line".into(), 5.0.into()])
            .unwrap();
        for index in 0..5 {
            let x = 0.25 * f64::from(index);
            let label = if index == 2 { "LP" } else { "" };
            let row: [Cell; 7] = [
                number.clone(),
                "line".into(),
                f64::from(index).into(),
                label.into(),
                x.into(),
                (b + c * x).into(),
                Cell::Flag(index < 3),
            ];
            points.push_row(row).unwrap();
        }
    }
    RunData {
        tables: [("lines".to_owned(), points), ("lines-members".to_owned(), members)].into(),
        ..RunData::default()
    }
}

fn drawn(text: &str, data: &RunData) -> Drawing {
    draw(&Figure::from_ron(text).unwrap(), data).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The lines of the document in LaTeX that are drawn in colours of the ramp: the place on it, whether dashed, points.
fn lines(drawing: &Drawing) -> Vec<(usize, bool, Vec<(f64, f64)>)> {
    let plots = drawing.tex().split("\\addplot[ramp").skip(1);
    let plots = plots.filter(|plot| plot.contains("table[row sep"));
    plots
        .map(|plot| {
            let number = plot.split(',').next().unwrap().parse().unwrap();
            let head = plot.lines().next().unwrap();
            let rows = plot.lines().skip(1).take_while(|line| line.ends_with("\\\\"));
            let points = rows.map(|row| {
                let (x, y) = row.trim_end_matches('\\').split_once(' ').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            });
            (number, head.contains("dashed"), points.collect())
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Members lie where their numbers are, darker the smaller the value, evenly in it or in its logarithm; beyond the
    /// special point they are dashed.
    #[test]
    fn members_lie_at_their_places_in_colours_by_their_values(
        count in 2usize..12,
        logarithmic: bool,
        slope in -2.0..2.0f64,
    ) {
        let logarithmic = logarithmic && count > 2;
        let value = |k: usize| if logarithmic { 10f64.powf(0.5 * k as f64 - 3.0) } else { 0.1 * k as f64 - 0.3 };
        let bs: Vec<f64> = (0..count).map(value).collect();
        let drawing = drawn(r#"Family(name: "f", of: "lines", x: "x", y: "y", colour: "b")"#, &family(&bs, &[slope]));
        let lines = lines(&drawing);
        prop_assert_eq!(lines.len(), 2 * count);
        for (k, pair) in lines.chunks(2).enumerate() {
            let wanted = (255.0 * k as f64 / (count - 1) as f64).round() as usize;
            for (line, dashed) in pair.iter().zip([false, true]) {
                prop_assert!(line.0.abs_diff(wanted) <= 1 && line.1 == dashed, "{:?} {wanted}", line);
                for (x, y) in &line.2 {
                    prop_assert!((y - bs[k] - slope * x).abs() < 1e-12);
                }
            }
            prop_assert_eq!(pair[0].2.last().unwrap().0, 0.5);
        }
    }
}

#[test]
fn the_bar_is_logarithmic_where_the_values_are() {
    let text = r#"Family(name: "f", of: "lines", x: "x", y: "y", labels: {"b": "$\\beta$"})"#;
    let log = drawn(text, &family(&[1e-4, 1e-3, 1e-2], &[1.0]));
    let even = drawn(text, &family(&[0.3, 0.4, 0.5], &[1.0]));
    for (drawing, ticks) in [
        (&log, ["0.0000", "0.5000", "1.0000"]),
        (&even, ["0.0000", "0.5000", "1.0000"]),
    ] {
        let tex = drawing.tex();
        assert!(tex.contains(r"{$\beta$}"), "{tex}");
        for tick in ticks {
            assert!(tex.contains(&format!("mm]1,{tick}) -- (")), "{tick}\n{tex}");
        }
    }
    assert!(log.tex().contains("10^{-3}") && !even.tex().contains("10^{-3}"));
}

#[test]
fn special_points_have_symbols_where_asked_and_lines_through_them() {
    let data = family(&[0.0, 1.0, 2.0], &[0.5]);
    let tex = |more: &str| {
        drawn(
            &format!(r#"Family(name: "f", of: "lines", x: "x", y: "y"{more})"#),
            &data,
        )
        .tex()
        .to_owned()
    };
    let full = "only marks, mark=*, mark size=2.1pt, mark options={fill=black!35}, forget plot";
    let symbols = |tex: &str| tex.matches(full).count();
    let plain = tex("");
    assert_eq!((symbols(&plain), plain.matches("mark size=0.8pt").count()), (0, 3));
    assert_eq!(symbols(&tex(r#", mark: Only(["LP"])"#)), 3);
    let none = tex(", mark: None");
    assert_eq!((symbols(&none), none.matches("mark size=0.8pt").count()), (0, 0));
    let traced = tex(r#", mark: None, trace: ["LP"], labels: {"LP": "fold"}"#);
    assert_eq!((symbols(&traced), traced.matches("{fold}").count()), (0, 1));
    let line = &traced[traced.find("\\addplot[locus").unwrap()..];
    let rows: Vec<&str> = line.lines().skip(1).take_while(|row| row.ends_with("\\\\")).collect();
    // The points lie on one vertical line: those between its ends say nothing on paper.
    assert_eq!((rows[0], rows[rows.len() - 1]), ("0.5 0.25\\\\", "0.5 2.25\\\\"));
}

#[test]
fn of_several_parameters_one_has_the_colours_and_others_a_value() {
    let data = family(&[0.0, 1.0, 2.0], &[0.1, 0.5]);
    let of = |more: &str| {
        let found = lines(&drawn(
            &format!(r#"Family(name: "f", of: "lines", x: "x", y: "y"{more})"#),
            &data,
        ));
        let mut colours: Vec<usize> = found.iter().map(|line| line.0).collect();
        colours.dedup();
        (found.len(), colours)
    };
    assert_eq!(of(""), (12, vec![0, 128, 255]));
    assert_eq!(of(r#", colour: "c""#), (12, vec![0, 255]));
    assert_eq!(of(r#", at: {"c": 0.4}"#), (6, vec![0, 128, 255]));
    assert_eq!(of(r#", at: {"b": 7}"#), (4, vec![0, 255]));
}

#[test]
fn a_surface_has_its_members_one_behind_another() {
    let data = family(&[0.0, 1.0, 2.0], &[0.5]);
    let found = lines(&drawn(
        r#"Family(name: "f", of: "lines", x: "x", y: "y", view: Surface, trace: ["LP"])"#,
        &data,
    ));
    let colours: Vec<usize> = found.iter().map(|line| line.0).collect();
    assert_eq!(colours, [255, 255, 128, 128, 0, 0], "the back comes first");
    // What is farther back lies farther to the right, evenly, and the front is where it is in a plane.
    let starts: Vec<(f64, f64)> = found.iter().step_by(2).map(|line| line.2[0]).collect();
    assert!(starts[2].0.abs() < 1e-12 && starts[2].1.abs() < 1e-12, "{starts:?}");
    let step = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0, a.1 - b.1);
    let (one, two) = (step(starts[1], starts[2]), step(starts[0], starts[2]));
    assert!(one.0 > 0.1 && one.1 > 1.1, "{starts:?}");
    assert!(
        (two.0 / one.0 - 2.0).abs() < 0.02 && (two.1 / one.1 - 2.0).abs() < 0.02,
        "{starts:?}"
    );
}

#[test]
fn every_format_has_the_bar() {
    let data = family(&[0.0, 1.0, 2.0], &[0.5]);
    for palette in ["Colour", "Monochrome"] {
        let drawing = drawn(
            &format!(r#"Family(name: "f", of: "lines", x: "x", y: "y", style: Style(palette: {palette}))"#),
            &data,
        );
        assert_eq!(drawing.contents().unwrap().len(), 4);
        assert!(drawing.svg().matches("<polygon").count() > 90);
    }
    let sheet = r#"Panels(name: "f", panels: [Family(of: "lines", x: "x", y: "y"), Family(of: "lines", x: "x", y: "y", colour: "b")])"#;
    assert_eq!(drawn(sheet, &data).tex().matches("extra description").count(), 2);
}

#[test]
fn wrong_names_are_found_where_they_stand() {
    let complaint = |figure: &str| {
        let text = format!(
            "Study(\n title: \"t\",\n system: Smooth(states: [\"x\"], parameters: {{\"a\": 0, \"b\": 3, \"c\": 1}}, equations: [\"x' = a + b*x - c*x^3\"]),\n \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: All(at: {{\"a\": 0}}), free: \"a\", range: (-3, 3))],\n \
             tasks: [Family(name: \"folds\", over: {{\"b\": Linear(0.5, 3, 6), \"c\": Values([1, 2])}})],\n \
             figures: [\n  {figure},\n ],\n)"
        );
        let study = study::parse("study.ron".as_ref(), text).unwrap();
        study.plan(&[]).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let sound = r#"Family(name: "f", of: "folds", x: "a", y: "x", colour: "b", at: {"c": 1}, curves: ["rest"])"#;
    assert_eq!(complaint(sound), "");
    for (figure, parts) in [
        (
            r#"Family(name: "f", of: "fold", x: "a", y: "x")"#,
            ["7", "unknown family of curves `fold`", "`folds`"],
        ),
        (
            r#"Family(name: "f", of: "folds", x: "a", y: "xx")"#,
            ["7", "unknown column `xx`", "x"],
        ),
        (
            r#"Family(name: "f", of: "folds", x: "a", y: "x", colour: "a")"#,
            ["7", "unknown parameter of the family `a`", "b, c"],
        ),
        (
            r#"Family(name: "f", of: "folds", x: "a", y: "x", colour: "b", at: {"b": 1})"#,
            ["7", "`b` has the colours", "b"],
        ),
        (
            r#"Family(name: "f", of: "folds", x: "a", y: "x", at: {"b": 1, "c": 1})"#,
            ["7", "leave one to the colours", "at"],
        ),
        (
            r#"Family(name: "f", of: "folds", x: "a", y: "x", view: Surface, lines: [Vertical(at: 0)])"#,
            ["7", "only members in one plane", "leave out"],
        ),
        (
            r#"Family(name: "f", of: "folds", x: "a", y: "x", curves: ["rst"])"#,
            ["7", "unknown curve `rst`", "rest"],
        ),
        (
            r#"Family(name: "f", of: "folds", x: "a", y: "x", trace: ["XY"])"#,
            ["7", "`XY` is no label", "LP"],
        ),
    ] {
        let message = complaint(figure);
        assert!(parts.iter().all(|part| message.contains(part)), "{figure}\n{message}");
    }
}
