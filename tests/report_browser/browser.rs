//! A headless browser, driven as a user drives one.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A headless browser behind WebDriver (W3C), which is JSON over HTTP.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// The browser's own files, for this session only.
    profile: Option<tempfile::TempDir>,
}

/// A driver that listens, and its port. A port that is free for IPv4 and taken for IPv6 makes the driver give up, which
/// happens when tests start many at once: it is started again.
fn start_driver() -> (Child, u16) {
    for _ in 0..5 {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed");
        let port = BufReader::new(driver.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                line.split("successfully on port ")
                    .nth(1)?
                    .trim_end_matches('.')
                    .parse()
                    .ok()
            });
        if let Some(port) = port {
            return (driver, port);
        }
        driver.wait().unwrap();
    }
    panic!("chromedriver ended five times before it listened")
}

impl Browser {
    pub(crate) fn open(url: &str) -> Self {
        let (driver, port) = start_driver();
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
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}
        }}});
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

    pub(crate) fn script(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Open another address.
    pub(crate) fn go(&self, url: &str) {
        // An address that differs behind its # alone loads nothing.
        self.post("/url", &json!({"url": "about:blank"}));
        self.post("/url", &json!({ "url": url }));
    }

    /// What `document.body.dataset` says.
    pub(crate) fn told(&self, name: &str) -> String {
        self.script(&format!("return document.body.dataset.{name} ?? ''"))
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn element(&self, css: &str) -> Value {
        self.post("/element", &json!({"using": "css selector", "value": css}))
    }

    pub(crate) fn click(&self, css: &str) {
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
    pub(crate) fn mouse(&self, x: f64, y: f64, press: bool) {
        self.mouse_over("#diagram", (x, y), press);
    }

    /// The same over any element.
    pub(crate) fn mouse_over(&self, css: &str, (x, y): (f64, f64), press: bool) {
        let corner = self.script(&format!(
            "const box = document.querySelector('{css}').getBoundingClientRect(); return [box.left, box.top]"
        ));
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
        self.frames();
    }

    /// Press at one place of the diagram and let go at another, perhaps with Shift held.
    pub(crate) fn drag(&self, from: (f64, f64), to: (f64, f64), shift: bool) {
        let corner = self.script(
            "const box = document.getElementById('diagram').getBoundingClientRect(); return [box.left, box.top]",
        );
        let step = |(x, y): (f64, f64)| {
            let at = |k: usize, part: f64| (corner[k].as_f64().unwrap() + part).round() as i64;
            json!({"type": "pointerMove", "duration": 0, "x": at(0, x), "y": at(1, y), "origin": "viewport"})
        };
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let actions = json!([
            step(from),
            {"type": "pointerDown", "button": 0},
            step(middle),
            step(to),
            {"type": "pointerUp", "button": 0}
        ]);
        let mut sources = vec![json!({"type": "pointer", "id": "mouse", "actions": actions})];
        if shift {
            let keys = json!([{"type": "keyDown", "value": "\u{e008}"}, {"type": "pause"}, {"type": "pause"}, {"type": "pause"}, {"type": "pause"},
                {"type": "keyUp", "value": "\u{e008}"}]);
            // Shift goes down before the mouse does anything: the mouse waits for one tick.
            sources[0]["actions"]
                .as_array_mut()
                .unwrap()
                .insert(0, json!({"type": "pause"}));
            sources.insert(0, json!({"type": "key", "id": "keys", "actions": keys}));
        }
        self.post("/actions", &json!({ "actions": sources }));
        self.frames();
    }

    /// Turn the wheel over a place of the diagram.
    pub(crate) fn wheel(&self, x: f64, y: f64, turn: i64) {
        let corner = self.script(
            "const box = document.getElementById('diagram').getBoundingClientRect(); return [box.left, box.top]",
        );
        let at = |k: usize, part: f64| (corner[k].as_f64().unwrap() + part).round() as i64;
        let scroll = json!({"type": "scroll", "x": at(0, x), "y": at(1, y), "deltaX": 0, "deltaY": turn, "duration": 0, "origin": "viewport"});
        self.post(
            "/actions",
            &json!({"actions": [{"type": "wheel", "id": "wheel", "actions": [scroll]}]}),
        );
        self.frames();
    }

    /// Put fingers down at places of the diagram, move them to others, and lift them.
    pub(crate) fn fingers(&self, paths: &[((f64, f64), (f64, f64))]) {
        let corner = self.script(
            "const box = document.getElementById('diagram').getBoundingClientRect(); return [box.left, box.top]",
        );
        let step = |(x, y): (f64, f64), duration: u32| {
            let at = |k: usize, part: f64| (corner[k].as_f64().unwrap() + part).round() as i64;
            json!({"type": "pointerMove", "duration": duration, "x": at(0, x), "y": at(1, y), "origin": "viewport"})
        };
        let source = |(k, (from, to)): (usize, &((f64, f64), (f64, f64)))| {
            let mut actions = vec![step(*from, 0), json!({"type": "pointerDown", "button": 0})];
            if from != to {
                let part = |k: f64| (from.0 + k * (to.0 - from.0), from.1 + k * (to.1 - from.1));
                actions.extend((1..=4).map(|k| step(part(f64::from(k) / 4.0), 40)));
            }
            actions.push(json!({"type": "pointerUp", "button": 0}));
            json!({"type": "pointer", "id": format!("finger{k}"), "parameters": {"pointerType": "touch"}, "actions": actions})
        };
        let sources: Vec<Value> = paths.iter().enumerate().map(source).collect();
        self.post("/actions", &json!({ "actions": sources }));
        self.frames();
    }

    /// Make the window so wide and so high.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        self.post("/window/rect", &json!({"width": width, "height": height}));
        self.frames();
    }

    /// Wait until a script is true, a few seconds at most.
    pub(crate) fn wait(&self, script: &str) {
        for _ in 0..200 {
            if self.script(&format!("return Boolean({script})")) == true {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        panic!("{script} did not come true");
    }

    /// What the browser says to developers: errors, refusals.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let lines = self.post("/se/log", &json!({"type": "browser"}));
        let messages = lines.as_array().unwrap().iter();
        messages
            .map(|line| line["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Two frames: one for the event, one for the drawing.
    pub(crate) fn frames(&self) {
        self.post("/execute/async", &json!({"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))", "args": []}));
    }

    /// Press a key wherever the focus is.
    pub(crate) fn press(&self, key: &str) {
        let actions = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        self.post(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}),
        );
    }

    pub(crate) fn keys(&self, css: &str, text: &str) {
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

    pub(crate) fn choose(&self, select: &str, value: &str) {
        let script = format!(
            "const select = document.getElementById('{select}'); select.value = '{value}'; select.dispatchEvent(new Event('change'))"
        );
        self.script(&script);
    }

    /// How many pixels of a canvas are near this colour.
    pub(crate) fn pixels(&self, canvas: &str, colour: [u8; 3]) -> u64 {
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

    pub(crate) fn text(&self, id: &str) -> String {
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
