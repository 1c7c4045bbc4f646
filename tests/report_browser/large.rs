//! Large runs: drawn without waiting, and thinned to what a browser loads at once.

use super::browser::Browser;
use slipstick_report::html::{Story, page};
use slipstick_report::{Kind, RunData, Table};

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn fifty_thousand_points_are_drawn_and_walked_without_waiting() {
    let mut points = Table::new([
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("r", Kind::Number),
        ("x", Kind::Number),
    ]);
    for index in 0..50_000usize {
        let angle = index as f64 * 1e-3;
        let radius = 1.0 + 0.02 * angle;
        points
            .push_row([
                "spiral".into(),
                index.into(),
                (radius * angle.cos()).into(),
                (radius * angle.sin()).into(),
            ])
            .unwrap();
    }
    let special = points.filter(|_| false);
    let data = RunData {
        points,
        special,
        ..RunData::default()
    };
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("browser-many.html");
    let html = page(&data, &Story::default());
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    std::fs::write(&path, html).unwrap();
    let browser = Browser::open(&format!("file://{}", path.display()));
    browser.click("#diagram");
    browser.keys("#diagram", "\u{e010}");
    assert_eq!(browser.told("selected"), "spiral:49999");
    // A hundred complete drawings; the slowest machine this runs on does one in a few hundredths of a second.
    let drawn = browser.script(
        "const canvas = document.getElementById('diagram'); let drawn = 0;
         for (let k = 0; k < 100; k++) drawn += canvas.drawNow();
         return drawn",
    );
    assert_eq!(drawn, 100);
    assert!(browser.pixels("diagram", [0, 114, 178]) > 1000);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn of_a_large_run_the_page_holds_what_a_browser_loads_at_once() {
    let columns: Vec<String> = (0..20).map(|k| format!("x{k}")).collect();
    let mut table = vec![("curve", Kind::Text), ("index", Kind::Number), ("label", Kind::Text)];
    table.extend(columns.iter().map(|name| (name.as_str(), Kind::Number)));
    let mut points = Table::new(table);
    for index in 0..300_000_usize {
        let t = index as f64 * 1e-4;
        let label = if index % 70_000 == 69_999 { "LP" } else { "" };
        let mut row = vec!["long".into(), index.into(), label.into()];
        row.extend((0..20).map(|k| ((1.0 + 0.1 * f64::from(k)) * t).sin().into()));
        points.push_row(row).unwrap();
    }
    let labels = points.texts("label").unwrap().to_vec();
    let special = points.filter(|row| !labels[row].is_empty());
    let data = RunData {
        points,
        special,
        ..RunData::default()
    };
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("browser-large.html");
    let html = page(&data, &Story::default());
    assert!(html.len() < 25_000_000, "{} bytes", html.len());
    std::fs::write(&path, html).unwrap();
    let browser = Browser::open(&format!("file://{}", path.display()));
    let loaded = || {
        let script =
            "const [entry] = performance.getEntriesByType('navigation'); return entry.loadEventEnd - entry.startTime";
        browser.script("location.reload()");
        browser.wait(
            "document.body.dataset.ready === 'true' && performance.getEntriesByType('navigation')[0].loadEventEnd > 0",
        );
        browser.script(script).as_f64().unwrap()
    };
    let best = (0..4).map(|_| loaded()).fold(f64::INFINITY, f64::min);
    println!("a large page loads in {best} ms");
    assert!(best < 1500.0, "{best} ms");
    assert!(
        browser.text("curves").contains("300000 (75009 here)"),
        "{}",
        browser.text("curves")
    );
    // Labelled points are all there, by their own numbers.
    browser.click("#special tbody tr:nth-child(2) button");
    assert_eq!(browser.told("selected"), "long:139999");
}
