//! No network, no foreign code, and the page for those who do not see or do not run scripts.

use super::browser::Browser;
use super::{open, open_run};
use serde_json::json;
use slipstick_report::figure::Figure;
use slipstick_report::html::{Story, page};
use slipstick_report::{Kind, RunData, Table};

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn the_page_runs_nothing_but_its_own_script_and_reaches_no_network() {
    let browser = open();
    browser.script(
        "window.foreign = 0;
         const script = document.createElement('script'); script.textContent = 'window.foreign += 1'; document.body.append(script);
         const image = document.createElement('img'); image.setAttribute('onerror', 'window.foreign += 1'); image.src = 'data:,'; document.body.append(image);
         const link = document.createElement('a'); link.href = 'javascript:window.foreign += 1'; document.body.append(link); link.click();",
    );
    let reached = browser.script("return fetch('http://127.0.0.1:9/').then(() => 'reached', () => 'refused')");
    assert_eq!(reached, "refused");
    let refused = browser.script("return new Promise((done) => { document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective)); const image = new Image(); image.src = 'http://127.0.0.1:9/a.png'; })");
    assert_eq!(refused, "img-src");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(browser.script("return window.foreign"), 0);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn injected_text_stays_text_wherever_it_is_shown() {
    let evil = "<img src=x onerror=\"window.foreign=1\">";
    let mut points = Table::new([
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("r", Kind::Number),
        (evil, Kind::Number),
        ("__proto__", Kind::Number),
        ("message", Kind::Text),
    ]);
    for index in 0..5_usize {
        let r = index as f64;
        points
            .push_row([
                evil.into(),
                index.into(),
                evil.into(),
                r.into(),
                r.into(),
                r.into(),
                evil.into(),
            ])
            .unwrap();
    }
    let data = RunData {
        special: points.clone(),
        points,
        ..RunData::default()
    };
    let labels = format!("Diagram(name: \"view\", x: \"r\", y: {evil:?}, notes: [Note(at: (1, 1), text: {evil:?})])");
    let figures = [Figure::from_ron(&labels).unwrap()];
    let story = Story {
        title: evil,
        study: evil,
        figures: &figures,
        notes: vec![(evil.to_owned(), evil.to_owned())],
        ..Story::default()
    };
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("browser-evil.html");
    std::fs::write(&path, page(&data, &story)).unwrap();
    let browser = Browser::open(&format!("file://{}", path.display()));
    browser.click("#special tbody tr:nth-child(2) button");
    browser.click("#copy-study");
    browser.script("window.dispatchEvent(new Event('beforeprint'))");
    for kind in ["svg", "csv", "ron"] {
        super::views::saved(&browser, kind);
    }
    assert_eq!(
        browser.script("return [document.querySelectorAll('img').length, window.foreign ?? null]"),
        json!([0, null])
    );
    assert!(browser.text("special").contains(evil) && browser.text("study").contains(evil));
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn texts_have_contrast_and_targets_have_room_in_both_schemes() {
    let (browser, _) = open_run("browser-access", include_str!("../../studies/stiction.ron"));
    browser.click("#pin");
    let contrast = "const of = (colour) => { const [r, g, b, a] = colour.match(/[0-9.]+/g).map(Number); return [r, g, b, a ?? 1]; };
        const luminance = (colour) => { const [r, g, b] = of(colour).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const paper = (element) => { for (let at = element; at !== null; at = at.parentElement) { const colour = getComputedStyle(at).backgroundColor; if (of(colour)[3] > 0.99) return colour; } return 'rgb(255, 255, 255)'; };
        const poor = [];
        for (const element of document.querySelectorAll('body *')) {
            const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
            if (!words || element.closest('script, noscript, svg, option, [hidden]') !== null || element.getClientRects().length === 0) continue;
            const [ink, under] = [luminance(getComputedStyle(element).color), luminance(paper(element))];
            const ratio = (Math.max(ink, under) + 0.05) / (Math.min(ink, under) + 0.05);
            if (ratio < 4.5) poor.push(`${element.tagName} ${element.id} ${element.textContent.trim().slice(0, 20)}: ${ratio.toFixed(2)}`);
        }
        return poor";
    let small = "return [...document.querySelectorAll('button, select, input, nav a, summary')].filter((one) => one.closest('[hidden]') === null && one.getClientRects().length > 0)
        .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width < 24 || box.height < 23.9).map(([one, box]) => `${one.tagName} ${one.id} ${one.textContent} ${box.width} ${box.height}`)";
    for _ in 0..2 {
        assert_eq!(browser.script(contrast), json!([]));
        assert_eq!(browser.script(small), json!([]));
        browser.click("#theme");
        browser.frames();
    }
    // What is drawn is named, and what can be done by mouse can be reached by keys.
    let unnamed = "return [...document.querySelectorAll('canvas')].filter((canvas) => !canvas.getAttribute('aria-label') || !canvas.getAttribute('role')).length";
    assert_eq!(browser.script(unnamed), 0);
    let nameless = "return [...document.querySelectorAll('button, select, input')].filter((one) => (one.getAttribute('aria-label') ?? one.textContent.trim()) === '' && one.labels?.length === 0 && one.closest('label') === null).length";
    assert_eq!(browser.script(nameless), 0);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn without_scripts_the_page_says_so_and_shows_figures_and_study() {
    let (browser, _) = open_run("browser-still", include_str!("../../studies/stiction.ron"));
    let note = browser.script("return document.querySelector('noscript').textContent");
    assert!(note.as_str().unwrap().contains("JavaScript"));
    // As the file has it, before any script: figures and study are there.
    let page = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("browser-still/report.html");
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.matches("<img alt=").count() == 6 && html.contains("<pre id=\"study\""));
    let policy = html
        .split("Content-Security-Policy\" content=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(
        policy.starts_with("default-src 'none'; img-src data:; style-src 'sha256-") && !policy.contains("unsafe"),
        "{policy}"
    );
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_large_report_loads_in_a_second() {
    let (browser, _) = open_run("browser-quick", include_str!("../../studies/stiction_atlas.ron"));
    browser.script("location.reload()");
    browser.wait("document.body.dataset.ready === 'true' && performance.timing.loadEventEnd > 0");
    let script =
        "const [entry] = performance.getEntriesByType('navigation'); return entry.loadEventEnd - entry.startTime";
    let best = (0..5).map(|_| {
        browser.script("location.reload()");
        browser.wait(
            "document.body.dataset.ready === 'true' && performance.getEntriesByType('navigation')[0].loadEventEnd > 0",
        );
        browser.script(script).as_f64().unwrap()
    });
    let best = best.fold(f64::INFINITY, f64::min);
    assert!(best < 1000.0, "{best} ms");
}
