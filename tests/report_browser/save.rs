//! What is taken away from the page: drawings, tables, figures that `slipstick plot` draws, studies that go on, addresses.

use super::browser::Browser;
use super::views::{nine, open_nine, saved};
use serde_json::json;
use slipstick_report::figure::{Figure, draw};
use slipstick_report::{RunData, Table};
use slipstick_study::{self as study, Silent};

/// The saved table.
fn table_of(browser: &Browser) -> Table {
    Table::from_csv(saved(browser, "csv").as_bytes(), "view.csv").unwrap()
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_view_is_saved_as_a_drawing_and_as_a_table_of_what_it_shows() {
    let browser = open_nine("save");
    browser.choose("preset", "1");
    browser.frames();
    let svg = saved(&browser, "svg");
    assert!(svg.starts_with("<svg xmlns") && svg.contains("<title>few</title>") && svg.trim_end().ends_with("</svg>"));
    // On paper there is the drawing, not a bitmap.
    let printed =
        "return [...document.querySelectorAll('svg.printed')].map((svg) => svg.querySelectorAll('path').length > 10)";
    browser.script("window.dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.script(printed)[0], true);
    browser.script("window.dispatchEvent(new Event('afterprint'))");
    assert_eq!(browser.script(printed), json!([]));

    // Columns and digits as in points.csv; the rows in view of the curves that are shown.
    let table = table_of(&browser);
    let data = nine();
    let mine = data
        .points
        .filter(|row| ["c1", "c3"].contains(&data.points.texts("curve").unwrap()[row].as_str()));
    assert_eq!(table.rows(), mine.rows());
    assert_eq!(table.numbers("x_max").unwrap(), mine.numbers("x_max").unwrap());
    assert_eq!(table.texts("label").unwrap(), mine.texts("label").unwrap());
    // Names of curves cannot become anything else in it.
    assert!(saved(&browser, "csv").starts_with("curve,index,label,r,"));
    // In another view: half of the columns' range, half of the rows.
    browser.script("page.diagram.navigation.set({ x0: 0.999, x1: 2, y0: 0, y1: 6 })");
    assert_eq!(table_of(&browser).rows(), 2 * 21);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn the_text_of_a_view_is_a_figure_that_draws_the_same() {
    let browser = open_nine("ron");
    let data = nine();
    let drawn = |text: &str| {
        let figure = Figure::from_ron(text).unwrap_or_else(|e| panic!("{e}: {text}"));
        draw(&figure, &data).unwrap_or_else(|e| panic!("{e}: {text}"));
        match figure {
            Figure::Diagram(diagram) => diagram,
            other => panic!("{other:?}"),
        }
    };
    for at in 0..4 {
        browser.choose("preset", &at.to_string());
        browser.frames();
        let diagram = drawn(&saved(&browser, "ron"));
        let figures = super::views::figures();
        if let Some(Figure::Diagram(own)) = figures.get(at) {
            assert_eq!(
                (&diagram.mark, &diagram.lines, &diagram.notes),
                (&own.mark, &own.lines, &own.notes)
            );
            assert_eq!((&diagram.labels, &diagram.attractors), (&own.labels, &own.attractors));
        }
    }
    // What was chosen by hand: axes, curves, ranges, labels.
    browser.choose("preset", "0");
    browser.choose("y-column", "mult1_log10");
    browser.click("#curve-tree li:nth-child(2) .solo");
    browser.click("#label-filter [data-label=LP]");
    browser.script("page.diagram.navigation.set({ x0: 0.5, x1: 1.5, y0: -0.25, y1: 1 })");
    let diagram = drawn(&saved(&browser, "ron"));
    assert_eq!(
        (diagram.of.len(), diagram.y.0[0].as_str(), diagram.x_range),
        (1, "mult1_log10", Some((0.5, 1.5)))
    );
    let marks = format!("{:?}", diagram.mark);
    assert!(marks.contains("HB") && !marks.contains("LP"), "{marks}");
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn the_address_holds_curve_point_and_view_and_back_leads_back() {
    let browser = open_nine("address");
    let address = || browser.script("return location.hash").as_str().unwrap().to_owned();
    browser.choose("preset", "1");
    browser.click("#special tbody tr:nth-child(11) button");
    browser.wait("location.hash.includes('point=8') && location.hash.includes('view=1')");
    let first = address();
    assert!(first.contains("curve=c1"), "{first}");
    browser.click("#special tbody tr:nth-child(30) button");
    browser.wait("location.hash.includes('curve=c3')");
    browser.script("page.diagram.navigation.set({ x0: 0.5, x1: 1.5, y0: 2, y1: 4 })");
    browser.wait("location.hash.includes('range=')");
    let second = address();
    browser.script("history.back()");
    browser.wait("document.body.dataset.selected === 'c1:8'");
    assert_eq!(address(), first);
    browser.script("history.forward()");
    browser.wait("document.body.dataset.selected.startsWith('c3:')");
    assert_eq!(
        browser.script("return document.getElementById('diagram').viewNow()"),
        json!({"x0": 0.5, "x1": 1.5, "y0": 2, "y1": 4})
    );

    // Sent to someone else, it shows the same; nonsense in it does no harm.
    browser.choose("preset", "0");
    let base = browser.script("return location.href.split('#')[0]");
    let base = base.as_str().unwrap();
    browser.go(&format!("{base}{second}"));
    assert!(browser.told("selected").starts_with("c3:"));
    assert_eq!(
        browser.script("return document.getElementById('diagram').viewNow().x0"),
        0.5
    );
    browser.go(&format!(
        "{base}#!view=99&curve=%3Cimg%3E&point=-5&range=NaN,1,1e999,0&x=nothing&hide=%7C%7C"
    ));
    assert_eq!(browser.told("ready"), "true");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The study that a page offers for the point that is selected, run: the points of its curve.
fn continued(text: &str, folder: &std::path::Path) -> Table {
    let loaded = study::parse(&folder.join("next.ron"), text.to_owned()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let result = study::run(&plan, &Silent, &false.into());
    assert!(result.missing.is_empty(), "{:?}\n{text}", result.missing);
    let claim = study::Claim::take(folder).unwrap();
    study::write_run(&claim, &loaded, &plan, &study::Settings::default(), &result, 0.0).unwrap();
    RunData::read(folder).unwrap().points
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn what_is_copied_shows_the_point_and_goes_on_from_it() {
    let map = r#"Study(
        title: "Logistic map",
        system: Map(states: ["x"], parameters: {"nu": 2.9}, equations: ["x+ = nu*x*(1 - x)"]),
        curves: [Curve(name: "fix", orbit: FixedPoint, start: Guess(at: {"nu": 2.9}, states: [{"x": 0.65}]), free: "nu", range: (1.5, 3.3), branches: [PD])],
    )"#;
    let runs = [
        ("map", map, "fix-PD1a", "nu"),
        (
            "smooth",
            include_str!("../../studies/benchmarks/tor.ron"),
            "cycles",
            "nu",
        ),
        ("hybrid", include_str!("../../studies/stiction.ron"), "stiff", "Omega"),
    ];
    for (name, text, curve, free) in runs {
        let (browser, data) = super::open_run(&format!("browser-continue-{name}"), text);
        let rows = data.points.rows_where("curve", curve);
        let labels = rows.texts("label").unwrap();
        // A point with a label, whose orbit has a file, and one without, which starts from the orbit in the page.
        let labelled = (1..labels.len()).find(|&row| !labels[row].is_empty()).unwrap();
        let plain = (2..labels.len()).find(|&row| labels[row].is_empty()).unwrap();
        for row in [labelled, plain] {
            browser.script(&format!(
                "page.select(page.model.curves.find((curve) => curve.name === '{curve}'), {row})"
            ));
            browser.click("#copy-show");
            browser.wait("document.getElementById('copied-title').innerText !== ''");
            let command = browser.text("copied-text");
            assert!(
                command.starts_with("slipstick show /") && command.ends_with(&format!(" {curve}-{row}")),
                "{command}"
            );
            browser.click("#copy-study");
            browser.wait("document.getElementById('copied-text').innerText.includes('Study(')");
            let study = browser.text("copied-text");
            let folder =
                std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-continued-{name}-{row}"));
            let _ = std::fs::remove_dir_all(&folder);
            let points = continued(&study, &folder);
            // The new curve runs through the point that it started from: the nearest whose orbit the page holds.
            let index: usize = browser.told("orbit").rsplit_once(':').unwrap().1.parse().unwrap();
            let wanted = rows.numbers(free).unwrap()[index];
            let off = points
                .numbers(free)
                .unwrap()
                .iter()
                .fold(f64::INFINITY, |off, value| off.min((value - wanted).abs()));
            assert!(off < 1e-6, "{name} {row}: {wanted} is missed by {off}\n{study}");
        }
    }
}
