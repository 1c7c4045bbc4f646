//! Three views compared with what they looked like before, by structure: kinds, colours and boxes of what is drawn, and
//! texts. `UPDATE_PICTURES=1` writes them anew, to be looked at.

use super::views::open_nine;
use std::path::PathBuf;

/// What an SVG of a view draws, line by line: boxes of paths in steps of four pixels, texts without their places, which
/// depend on fonts.
fn structure(svg: &str) -> String {
    let attribute = |element: &str, name: &str| {
        let from = element.find(&format!(" {name}=\""))? + name.len() + 3;
        Some(element[from..].split('"').next().unwrap_or_default().to_owned())
    };
    let mut lines = vec![];
    for element in svg.split('<') {
        if element.starts_with("path") {
            let path = attribute(element, "d").unwrap_or_default();
            if path.contains(['h', 'a']) && !path.contains('L') {
                // Rectangles and circles begin where they are.
                let head: String = path.chars().take_while(|c| !"hav".contains(*c)).collect();
                lines.push(format!("shape {} {}", boxed(&head), look(element, attribute)));
                continue;
            }
            lines.push(format!("line {} {}", boxed(&path), look(element, attribute)));
        } else if element.starts_with("text") {
            let text = element.split_once('>').map_or("", |(_, text)| text);
            lines.push(format!(
                "text {} {text}",
                attribute(element, "font-size").unwrap_or_default()
            ));
        }
    }
    lines.join("\n") + "\n"
}

fn look(element: &str, attribute: impl Fn(&str, &str) -> Option<String>) -> String {
    let parts = ["fill", "stroke", "stroke-width", "stroke-dasharray"]
        .map(|name| attribute(element, name).unwrap_or("-".to_owned()));
    parts.join(" ")
}

fn boxed(path: &str) -> String {
    let numbers = path
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .filter_map(|word| word.parse::<f64>().ok());
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for (k, value) in numbers.enumerate() {
        low[k % 2] = low[k % 2].min(value);
        high[k % 2] = high[k % 2].max(value);
    }
    let step = |value: f64| (value / 4.0).round() * 4.0;
    format!("{},{} {},{}", step(low[0]), step(low[1]), step(high[0]), step(high[1]))
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn three_views_look_as_they_did() {
    let browser = open_nine("pictures");
    for (view, name) in [("0", "all"), ("1", "few"), ("3", "pair-2")] {
        browser.choose("preset", view);
        browser.frames();
        let svg = browser.script("return document.getElementById('diagram').saved('svg', [800, 560])");
        let again = browser.script("return document.getElementById('diagram').saved('svg', [800, 560])");
        assert_eq!(svg, again, "the same picture twice");
        let now = structure(svg.as_str().unwrap());
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/report_browser/pictures/{name}.txt"));
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &now).unwrap();
        }
        let before = std::fs::read_to_string(&path).unwrap();
        for (line, (now, before)) in now.lines().zip(before.lines()).enumerate() {
            assert_eq!(now, before, "{name}, line {}", line + 1);
        }
        assert_eq!(now.lines().count(), before.lines().count(), "{name}");
    }
}
