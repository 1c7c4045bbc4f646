//! The report in a real browser: clicked, typed at, and read. Needs Debian's packages chromium and chromium-driver:
//! `cargo test --test report_browser -- --ignored`
#![allow(clippy::unwrap_used, missing_docs)]

use serde_json::{Value, json};
use slipstick::report::figure::Figure;
use slipstick::report::html::{CurveStory, Story, page};
use slipstick::report::{Column, Kind, RunData, Table};
use slipstick::study::{self, Silent};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A headless browser behind WebDriver (W3C), which is JSON over HTTP.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// The browser's own files, for this session only.
    profile: Option<tempfile::TempDir>,
}

impl Browser {
    fn open(url: &str) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed");
        let started = BufReader::new(driver.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let port = started
            .filter_map(|line| {
                line.split("successfully on port ")
                    .nth(1)?
                    .trim_end_matches('.')
                    .parse()
                    .ok()
            })
            .next()
            .unwrap();
        let mut browser = Self {
            driver,
            port,
            session: String::new(),
            profile: None,
        };
        let profile = tempfile::tempdir().unwrap();
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--force-prefers-reduced-motion",
            "--disable-dev-shm-usage",
            "--window-size=1400,1000",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &format!("--user-data-dir={}", profile.path().display()),
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}});
        let answer = browser.send("POST", "/session", &wanted);
        browser.session = format!("/session/{}", answer["sessionId"].as_str().unwrap());
        browser.profile = Some(profile);
        browser.post("/url", &json!({ "url": url }));
        assert_eq!(browser.script("return document.body.dataset.ready"), "true");
        browser
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(
            answer["value"].get("error").is_none(),
            "{path}: {}",
            answer["value"]["message"]
        );
        answer["value"].clone()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", &format!("{}{path}", self.session), body)
    }

    fn script(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// What `document.body.dataset` says.
    fn told(&self, name: &str) -> String {
        self.script(&format!("return document.body.dataset.{name} ?? ''"))
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn element(&self, css: &str) -> Value {
        self.post("/element", &json!({"using": "css selector", "value": css}))
    }

    fn click(&self, css: &str) {
        let id = self
            .element(css)
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned();
        self.post(&format!("/element/{id}/click"), &json!({}));
    }

    /// Move the mouse to a place of the diagram's canvas, given from its top left corner, and press if asked.
    fn mouse(&self, x: f64, y: f64, press: bool) {
        let corner = self.script(
            "const box = document.getElementById('diagram').getBoundingClientRect(); return [box.left, box.top]",
        );
        let at = |k: usize, part: f64| (corner[k].as_f64().unwrap() + part).round() as i64;
        let mut actions =
            vec![json!({"type": "pointerMove", "duration": 0, "x": at(0, x), "y": at(1, y), "origin": "viewport"})];
        if press {
            actions.push(json!({"type": "pointerDown", "button": 0}));
            actions.push(json!({"type": "pointerUp", "button": 0}));
        }
        self.post(
            "/actions",
            &json!({"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]}),
        );
        // Two frames: one for the event, one for the drawing.
        self.post("/execute/async", &json!({"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))", "args": []}));
    }

    fn keys(&self, css: &str, text: &str) {
        let id = self
            .element(css)
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned();
        self.post(&format!("/element/{id}/value"), &json!({ "text": text }));
    }

    fn choose(&self, select: &str, value: &str) {
        let script = format!(
            "const select = document.getElementById('{select}'); select.value = '{value}'; select.dispatchEvent(new Event('change'))"
        );
        self.script(&script);
    }

    /// How many pixels of a canvas are near this colour.
    fn pixels(&self, canvas: &str, colour: [u8; 3]) -> u64 {
        let script = format!(
            "const canvas = document.getElementById('{canvas}');
             const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
             let count = 0;
             for (let k = 0; k < data.length; k += 4) {{
                 const off = Math.abs(data[k] - {}) + Math.abs(data[k + 1] - {}) + Math.abs(data[k + 2] - {});
                 if (off < 24 && data[k + 3] > 200) count++;
             }}
             return count",
            colour[0], colour[1], colour[2]
        );
        self.script(&script).as_u64().unwrap()
    }

    fn text(&self, id: &str) -> String {
        self.script(&format!("return document.getElementById('{id}').innerText"))
            .as_str()
            .unwrap()
            .to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.send("DELETE", &self.session.clone(), &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

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
    assert!(browser.text("orbit-note").contains("Nearest stored orbit: point 50"));
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
    browser.click("#curve-toggles input");
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
        browser.script("return document.querySelector('#curve-toggles input').checked"),
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
    study::write_run(&folder, &loaded, &plan, &[], &result, 0.0).unwrap();
    let data = RunData::read(&folder).unwrap();
    (
        Browser::open(&format!("file://{}", folder.join("report.html").display())),
        data,
    )
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_click_on_the_canard_branch_of_the_regularised_family_shows_a_canard_segment() {
    let (browser, data) = open_run("browser-regularised", include_str!("../studies/regularised.ron"));
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
    let colours = [[0, 114, 178], [86, 180, 233]];
    for scheme in 0..2 {
        for ratio in browser.script(contrast).as_array().unwrap() {
            assert!(ratio.as_f64().unwrap() >= 4.5, "WCAG AA asks for 4.5: {ratio}");
        }
        assert!(browser.pixels("diagram", colours[scheme]) > 200, "scheme {scheme}");
        browser.click("#theme");
        browser.mouse(1.0, 1.0, false);
    }
}
