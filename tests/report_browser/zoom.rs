//! Zooming by wheel, box, fingers and keys: within bounds, and back.

use super::browser::Browser;
use super::views::open_nine;
use super::{open, shown_at};

fn view(browser: &Browser) -> [f64; 4] {
    let view = browser
        .script("const { x0, x1, y0, y1 } = document.getElementById('diagram').viewNow(); return [x0, x1, y0, y1]");
    [0, 1, 2, 3].map(|k| view[k].as_f64().unwrap())
}

fn focus(browser: &Browser) {
    browser.script("document.getElementById('diagram').focus({ preventScroll: true })");
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn the_wheel_scrolls_the_page_until_the_diagram_is_asked() {
    let browser = open();
    let before = view(&browser);
    browser.wheel(300.0, 200.0, 200);
    browser.wait("window.scrollY > 100");
    assert_eq!(view(&browser), before);
    assert!(browser.script("return !document.getElementById('wheel-hint').hidden") == true);
    browser.script("window.scrollTo({ top: 0, behavior: 'instant' })");
    // With Ctrl it zooms at once, and the page stays.
    browser.script(
        "const canvas = document.getElementById('diagram'), box = canvas.getBoundingClientRect();
         canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -300, ctrlKey: true, clientX: box.left + 300, clientY: box.top + 200, cancelable: true }))",
    );
    assert!(view(&browser)[1] - view(&browser)[0] < 0.5 * (before[1] - before[0]));
    browser.click("#undo");
    assert_eq!(view(&browser), before);
    focus(&browser);
    browser.wheel(300.0, 200.0, 200);
    assert!(view(&browser)[1] - view(&browser)[0] > 1.5 * (before[1] - before[0]));
    assert_eq!(browser.script("return window.scrollY"), 0);
}

/// Five thousand notches in a row, of a wheel that is too fast; how long they and a drawing took, in milliseconds.
fn spin(browser: &Browser, turn: f64) -> f64 {
    let script = format!(
        "const canvas = document.getElementById('diagram'), box = canvas.getBoundingClientRect(), start = performance.now();
         for (let k = 0; k < 5000; k++) canvas.dispatchEvent(new WheelEvent('wheel',
             {{ deltaY: {turn:e}, ctrlKey: true, clientX: box.left + 300, clientY: box.top + 200, cancelable: true }}));
         canvas.drawNow();
         return performance.now() - start"
    );
    browser.script(&script).as_f64().unwrap()
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn however_far_one_zooms_the_view_has_bounds_and_few_ticks() {
    let browser = open_nine("bounds");
    let count = || {
        let script = "const { plot } = page.diagram, { view, frame } = plot;
             return ticks(view.x0, view.x1, plot.x, frame.width / 85).length + ticks(view.y0, view.y1, plot.y, frame.height / 42).length";
        browser.script(script).as_u64().unwrap()
    };
    for axes in ["linear", "logarithmic"] {
        if axes == "logarithmic" {
            browser.click("#x-log");
            browser.click("#y-log");
        }
        let whole = view(&browser);
        for turn in [1e5, -1e5] {
            assert!(spin(&browser, turn) < 5000.0, "{axes}, {turn}");
            let [x0, x1, y0, y1] = view(&browser);
            for ((low, high), (from, to)) in [((x0, x1), (whole[0], whole[1])), ((y0, y1), (whole[2], whole[3]))] {
                let ratio = (high - low) / (to - from);
                assert!(
                    ratio < 60.0 && ratio > 1e-11 && high > low,
                    "{axes}: {low} … {high} of {from} … {to}"
                );
            }
            assert!(count() < 500, "{axes}: {} ticks", count());
            // At the bound the wheel moves nothing.
            let before = view(&browser);
            spin(&browser, turn);
            for (a, b) in before.iter().zip(view(&browser)) {
                assert!(
                    (a - b).abs() <= 1e-6 * (whole[1] - whole[0] + whole[3] - whole[2]),
                    "{before:?} {:?}",
                    view(&browser)
                );
            }
            browser.click("#fit");
            browser.frames();
        }
    }
    // Views beyond all bounds cannot be asked for either.
    browser.script("page.diagram.navigation.set({ x0: -1e300, x1: 1e300, y0: NaN, y1: 2 }); page.diagram.paint()");
    assert!(view(&browser).iter().all(|end| end.abs() < 1e6));
    for axis in ["{ log: true }", "{ log: false }", "{ angle: true }"] {
        for range in ["-1e9, 1e9", "1e15, 1e15 + 2", "0, 1e-300", "-3e5, 3e5"] {
            let found = browser.script(&format!("return ticks({range}, {axis}, 10).length"));
            assert!(found.as_u64().unwrap() < 1000, "{axis} {range}: {found}");
        }
    }
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_box_is_drawn_with_the_button_too_and_every_step_is_undone() {
    let browser = open();
    let start = view(&browser);
    browser.click("#box");
    assert_eq!(
        browser.script("return document.getElementById('box').getAttribute('aria-pressed')"),
        "true"
    );
    browser.drag((200.0, 100.0), (400.0, 300.0), false);
    let boxed = view(&browser);
    assert!(boxed[1] - boxed[0] < 0.5 * (start[1] - start[0]));
    assert_eq!(
        browser.script("return document.getElementById('box').getAttribute('aria-pressed')"),
        "false"
    );
    browser.drag((200.0, 100.0), (260.0, 130.0), false);
    let moved = view(&browser);
    assert_ne!(moved, boxed);
    browser.keys("#diagram", "u");
    assert_eq!(view(&browser), boxed);
    browser.keys("#diagram", "u");
    assert_eq!(view(&browser), start);
    browser.keys("#diagram", "++");
    browser.click("#as-printed");
    assert_eq!(view(&browser), start);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn on_a_phone_fingers_pinch_and_swipe_and_a_tap_shows_a_sheet() {
    let browser = open();
    browser.resize(500, 900);
    browser.script("document.getElementById('diagram').scrollIntoView({ block: 'start', behavior: 'instant' })");
    browser.frames();
    let before = view(&browser);
    browser.fingers(&[((200.0, 200.0), (120.0, 200.0)), ((260.0, 200.0), (340.0, 200.0))]);
    let pinched = view(&browser);
    let factor = (before[1] - before[0]) / (pinched[1] - pinched[0]);
    assert!((2.5..5.0).contains(&factor), "60 pixels became 220: {factor}");
    browser.click("#as-printed");
    // One finger moves nothing in the diagram.
    browser.script("document.getElementById('diagram').scrollIntoView({ block: 'start', behavior: 'instant' })");
    browser.fingers(&[((200.0, 300.0), (200.0, 120.0))]);
    assert_eq!(view(&browser), before);
    browser.script("document.getElementById('diagram').scrollIntoView({ block: 'start', behavior: 'instant' })");
    browser.frames();
    let at = shown_at(&browser, "circle", 150);
    browser.fingers(&[(at, at)]);
    assert_eq!(browser.told("selected"), "circle:150");
    let sheet = browser.script(
        "const sheet = document.getElementById('point-section'), box = sheet.getBoundingClientRect();
         return [getComputedStyle(sheet).position, Math.round(box.bottom) === innerHeight, box.height < 0.7 * innerHeight, sheet.contains(document.elementFromPoint(innerWidth / 2, innerHeight - 30))]",
    );
    assert_eq!(sheet, serde_json::json!(["fixed", true, true, true]));
    browser.click("#close-sheet");
    assert_eq!(
        browser.script("return getComputedStyle(document.getElementById('point-section')).position"),
        "static"
    );
}
