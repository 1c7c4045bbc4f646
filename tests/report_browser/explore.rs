//! The tree of curves, filters, names, data laid over; linked panes, pins and playback.

use super::open;
use super::views::open_nine;
use serde_json::json;

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn the_tree_says_what_branched_from_what_and_shows_one_curve_alone() {
    let (browser, _) = super::open_run("browser-tree", include_str!("../../studies/benchmarks/tor.ron"));
    // Cycles start at the Hopf point of steady states, as the study says; branches say it by their names.
    let tree = browser.script(
        "const line = (item) => [item.querySelector('label').innerText, [...item.querySelectorAll(':scope > ul > li')].map((inner) => line(inner)[0])];
         return [...document.querySelectorAll('#curve-tree > ul > li')].map(line)",
    );
    assert_eq!(tree[0][0], "steady");
    assert_eq!(tree[0][1], json!(["BP1a", "BP1b", "cycles from HB"]));
    let shown = || {
        browser.script(
            "return page.model.curves.filter((curve) => !page.diagram.hidden.has(curve.at)).map((curve) => curve.name)",
        )
    };
    let all = shown();
    browser.click("#curve-tree li li:nth-child(3) .solo");
    assert_eq!(shown(), json!(["cycles"]));
    assert_eq!(
        browser.script("return document.querySelectorAll('#curve-tree .solo[aria-pressed=true]').length"),
        1
    );
    browser.click("#curve-tree li li:nth-child(3) .solo");
    assert_eq!(shown(), all);
    browser.click("#curve-tree input");
    assert!(!shown().as_array().unwrap().contains(&json!("steady")));
    browser.click("#all-curves");
    assert_eq!(shown(), all);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn special_points_are_filtered_by_label_in_the_table_and_in_the_diagram() {
    let browser = open_nine("filter");
    // The diagram follows a click when it is drawn next.
    let counts = |rows: usize, marks: usize| {
        browser.wait(&format!(
            "[...document.querySelectorAll('#special tbody tr')].filter((row) => !row.hidden).length === {rows} \
             && page.diagram.visible().flatMap(({{ curve }}) => page.diagram.marked(curve)).filter((mark) => mark.label === 'LP').length === {marks}"
        ));
    };
    counts(81, 9);
    browser.click("#label-filter [data-label=LP]");
    counts(72, 0);
    browser.wait("!document.getElementById('legend').innerText.includes('LP fold')");
    browser.click("#label-filter [data-label=LP]");
    counts(81, 9);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn columns_have_human_names_and_what_a_logarithm_cannot_show_is_told() {
    let browser = open_nine("names");
    let names = browser.script("return Object.fromEntries([...document.querySelectorAll('#y-column option')].map((option) => [option.value, option.innerText]))");
    assert_eq!(
        (&names["mult1_log10"], &names["x_max"]),
        (&json!("log₁₀|μ₁|"), &json!("xₘₐₓ"))
    );
    assert!(browser.script("return document.getElementById('lost').hidden") == true);
    browser.choose("y-column", "x_min");
    browser.click("#y-log");
    // From -1 to 1 in steps of 0.05 on nine curves: 21 are not positive, but for rounding.
    let told = browser.text("lost");
    assert!(
        told.starts_with("189 points of xₘᵢₙ not shown") || told.starts_with("180 points of xₘᵢₙ not shown"),
        "{told}"
    );
    browser.click("#lost button");
    assert_eq!(browser.told("y"), "abs(x_min)");
    assert!(
        browser.script("return document.getElementById('lost').hidden") == true
            || browser.text("lost").starts_with("9 points")
    );
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_second_run_and_measured_data_are_laid_over() {
    let browser = open_nine("overlay");
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let run = folder.join("browser-other-points.csv");
    let text =
        "curve,index,label,r,x_max,stable\nother,0,,0.5,1.5,true\nother,1,LP,1.0,2.5,true\nother,2,,1.5,3.5,false\n";
    std::fs::write(&run, text).unwrap();
    let measured = folder.join("browser-measured.csv");
    std::fs::write(&measured, "# by hand\nf; amplitude\n0.5; 2\n1.0; 4.25\n1.5; <b>\n").unwrap();
    let broken = folder.join("browser-words.csv");
    std::fs::write(&broken, "<img src=x>,words\na,b\n").unwrap();
    for (k, file) in [&run, &measured, &broken].into_iter().enumerate() {
        browser.keys("#overlay", file.to_str().unwrap());
        browser.wait(&format!("document.body.dataset.overlays === '{}'", k + 1));
    }
    let told = browser.text("overlays");
    for part in [
        "other-points.csv: 1 curve",
        "browser-measured.csv: 3 points",
        "browser-words.csv has no two columns of numbers",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let places = browser.script("return page.diagram.overlays.map((one) => one.traces.map((trace) => [...trace.x].concat([...trace.y].slice(0, 2))))");
    assert_eq!(places[0].to_string(), "[[0.5,1,1.5,1.5,2.5]]");
    assert_eq!(places[1][0][1].as_f64(), Some(1.0));
    let colours = super::views::saved(&browser, "svg");
    let own = browser.script("return page.diagram.overlays.map((one) => hexadecimal(shown(one.colour)))");
    assert!(colours.contains(own[0].as_str().unwrap()) && colours.contains(own[1].as_str().unwrap()));
    browser.click("#overlays li:nth-child(1) button");
    assert_eq!(browser.told("overlays"), "2");
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn panes_share_a_cursor_and_mark_segments_and_events() {
    let browser = open();
    browser.click("#special tbody tr:nth-child(1) button");
    assert!(
        browser.text("orbit-note").contains("3 events (marked)"),
        "{}",
        browser.text("orbit-note")
    );
    // Hovering the orbit in the plane marks its time, and the other way round.
    let place = |pane: &str, row: usize| {
        let script = format!(
            "const pane = page.point.{pane}, {{ columns }} = pane.orbits[0].orbit; pane.canvas.scrollIntoView({{ block: 'center', behavior: 'instant' }});
             return [pane.plot.px(columns[pane.xName][{row}]), pane.plot.py(columns[pane.yName][{row}])]"
        );
        let at = browser.script(&script);
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    };
    let cursors = || browser.script("return [page.point.time.cursor, page.point.plane.cursor]");
    let rows = browser.script("return page.point.found.orbit.rows").as_u64().unwrap() as usize;
    let (early, late) = (rows / 5, 3 * rows / 4);
    let at = place("plane", late);
    browser.mouse_over("#plane", at, false);
    let near = |row: usize| {
        let found = cursors();
        found[0] == found[1] && found[0].as_f64().is_some_and(|at| (at - row as f64).abs() < 6.0)
    };
    assert!(near(late), "{late}: {:?}", cursors());
    assert!(browser.text("cursor-told").contains("t = "));
    let at = place("time", early);
    browser.mouse_over("#time", at, false);
    assert!(near(early), "{early}: {:?}", cursors());
    // By the keyboard: a slider, and arrows.
    browser.script("document.getElementById('cursor').focus()");
    let before = cursors()[0].as_u64().unwrap();
    browser.press("\u{e014}");
    assert_eq!(cursors()[0].as_u64().unwrap(), before + 1);
    assert!(
        browser
            .script("return document.getElementById('cursor').getAttribute('aria-valuetext')")
            .as_str()
            .unwrap()
            .contains("x = ")
    );
    // Panes zoom.
    let wide = "const { x0, x1 } = page.point.plane.plot.view; return x1 - x0";
    let before = browser.script(wide).as_f64().unwrap();
    browser.keys("#plane", "+");
    assert!((browser.script(wide).as_f64().unwrap() / before - 0.7).abs() < 1e-6);
    browser.keys("#plane", "0");
    assert!((browser.script(wide).as_f64().unwrap() / before - 1.0).abs() < 1e-6);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn orbits_in_space_turn_angles_are_parts_of_pi_and_orbits_are_compared() {
    let (browser, _) = super::open_run("browser-space", include_str!("../../studies/stiction.ron"));
    assert!(
        browser.script("return !document.getElementById('space').hidden && page.point.space.names.join()")
            == "x,y,theta"
    );
    let before = browser.script("return page.point.space.turn").as_f64().unwrap();
    browser.keys("#space", "\u{e014}\u{e014}");
    assert!((browser.script("return page.point.space.turn").as_f64().unwrap() - before - 0.2).abs() < 1e-9);
    // θ over time has ticks at parts of π.
    browser.choose("time-column", "theta");
    let ticks = browser.script(
        "const { plot } = page.point.time; return ticks(plot.view.y0, plot.view.y1, plot.y, 4).filter((tick) => tick.text !== null).map((tick) => tick.text[0][0])",
    );
    assert!(
        ticks
            .as_array()
            .unwrap()
            .iter()
            .any(|text| text.as_str().unwrap().contains('π')),
        "{ticks}"
    );
    // Two orbits side by side.
    browser.click("#pin");
    browser.script(
        "const walk = document.getElementById('walk'); walk.value = walk.max; walk.dispatchEvent(new Event('input'))",
    );
    let shown = browser.script("return [document.body.dataset.pins, page.point.time.orbits.length, new Set(page.point.plane.orbits.map((one) => one.colour)).size]");
    assert_eq!(shown, json!(["1", 2, 2]));
    browser.click("#pins button");
    assert_eq!(browser.script("return page.point.time.orbits.length"), 1);
    // Along the branch in axes that stay.
    browser
        .script("const walk = document.getElementById('walk'); walk.value = 0; walk.dispatchEvent(new Event('input'))");
    let from = browser.told("selected");
    browser.click("#play");
    browser.wait(&format!("document.body.dataset.selected !== '{from}'"));
    let view = browser.script("return { ...page.point.plane.plot.view }");
    let now = browser.told("selected");
    browser.wait(&format!("document.body.dataset.selected !== '{now}'"));
    assert_eq!(browser.script("return { ...page.point.plane.plot.view }"), view);
    browser.click("#play");
    assert_eq!(browser.told("playing"), "false");
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn multipliers_stand_around_the_unit_circle_with_their_paths() {
    let browser = open();
    browser.click("#special tbody tr:nth-child(1) button");
    let script = "const { circle, curve } = page.point; const { rows, most } = circle.pathsOf(curve), radius = circle.scale(most);
         return [rows.length, most, radius(0), radius(-Infinity), radius(Math.log10(RING)), radius(0.5), radius(0.5) > radius(0.3)]";
    let told = browser.script(script);
    // Inside the ring the distance is the size itself.
    assert_eq!((&told[0], &told[2], &told[3]), (&json!(201), &json!(1), &json!(0)));
    assert!((told[4].as_f64().unwrap() - 1.5).abs() < 1e-12 && told[5].as_f64().unwrap() <= 2.45 && told[6] == true);
    assert!(browser.pixels("circle", [185, 185, 179]) > 4, "the path is drawn");
    // Huge multipliers stay inside, in order.
    browser.click("#special tbody tr:nth-child(2) button");
    let radius = browser.script("const { circle, curve } = page.point; const radius = circle.scale(circle.pathsOf(curve).most); return [radius(1), radius(100), radius(11346.5)]");
    let [a, b, c] = [0, 1, 2].map(|k| radius[k].as_f64().unwrap());
    assert!(1.5 < a && a < b && b < c && c <= 2.45, "{radius}");
    // Of equilibria, eigenvalues in the plane.
    let (browser, _) = super::open_run("browser-eigenvalues", include_str!("../../studies/benchmarks/tor.ron"));
    assert!(browser.told("selected").starts_with("steady:"));
    assert!(browser.script("return !document.getElementById('circle').hidden") == true);
    assert!(browser.text("multiplier-note").contains("λ₁ = "));
}
