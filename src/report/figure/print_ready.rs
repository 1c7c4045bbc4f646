//! Random members of the figures that users may ask for: all of them are fit to print, as far as a program can see.

use super::assemble::assemble;
use super::axes::View;
use super::drawing::inked;
use super::font;
use super::geometry::{Point, Rect};
use super::inked::Inked;
use super::layout::POINT;
use super::palette::Colour;
use super::press::{Letters, Place, Press};
use super::scene::{Ink, Sample, Stroke};
use super::spec::Figure;
use crate::{Kind, RunData, Table};

/// What is printed, in millimetres.
#[derive(Default)]
struct Seen {
    texts: Vec<(Rect, f64, String)>,
    corners: Vec<Point>,
}

fn length(units: i32) -> f64 {
    f64::from(units) / super::canvas::UNITS
}

impl Press for Seen {
    fn line(&mut self, points: &[Place], _: Colour, _: u32) {
        self.corners.extend(points.iter().map(|&(x, y)| (length(x), length(y))));
    }

    fn area(&mut self, points: &[Place], colour: Colour) {
        self.line(points, colour, 0);
    }

    fn disc(&mut self, (x, y): Place, _: u32, _: Colour) {
        self.corners.push((length(x), length(y)));
    }

    fn letters(&mut self, letters: Letters<'_>, _: Colour) {
        let size = letters.size / super::canvas::UNITS;
        let (x, y) = (length(letters.at.0), length(letters.at.1));
        let (width, ascent) = (font::width(letters.text) * size, 0.62 * size);
        let area = if letters.upwards {
            Rect::new(x - ascent, y - width, ascent, width)
        } else {
            Rect::new(x, y - ascent, width, ascent)
        };
        self.texts.push((area, size, letters.text.to_owned()));
    }
}

/// What is wrong with a figure.
fn faults(inked: &Inked) -> Vec<String> {
    let mut faults = vec![];
    let mut seen = Seen::default();
    inked.canvas.print(&mut seen).unwrap();
    let page = Rect::new(0.0, 0.0, inked.page.width, inked.page.height);
    if inked.page.height > 180.0 + 1e-6 {
        faults.push(format!("{} mm high", inked.page.height));
    }
    let outside = |at: &&Point| !page.grown(0.01).contains(**at);
    if let Some(at) = seen.corners.iter().find(outside) {
        faults.push(format!("{at:?} is off the page"));
    }
    for (area, size, text) in &seen.texts {
        if *size < 5.5 * POINT - 1e-3 {
            faults.push(format!("`{text}` has {} pt", size / POINT));
        }
        if !page.grown(0.01).encloses(area) {
            faults.push(format!("`{text}` is off the page: {area:?}"));
        }
    }
    for (k, (area, _, text)) in seen.texts.iter().enumerate() {
        for (other, _, words) in &seen.texts[..k] {
            // Scripts stand close to their letters.
            if area.overlap(other) > 0.12 {
                faults.push(format!("`{text}` lies on `{words}`: {area:?}"));
            }
        }
    }
    let headings = inked.page.frames.iter().map(|frame| &frame.heading);
    for heading in headings.chain([&inked.page.heading]) {
        if heading.rows.len() > 2 {
            faults.push(format!("a legend of {} rows", heading.rows.len()));
        }
    }
    let listed: Vec<Sample> = inked
        .sheet
        .panels
        .iter()
        .flat_map(|panel| panel.entries.iter().chain(&panel.named))
        .chain(&inked.sheet.heading)
        .map(|entry| entry.sample)
        .collect();
    let stroke_listed = |own: Stroke| {
        listed
            .iter()
            .any(|sample| matches!(sample, Sample::Line(_, s) if *s == own))
    };
    let ink_listed = |own: Ink| {
        listed
            .iter()
            .any(|sample| matches!(sample, Sample::Line(i, _) if *i == own))
    };
    let mut inks: Vec<Ink> = vec![];
    for (panel, stand) in inked.sheet.panels.iter().zip(&inked.stands) {
        let view = View {
            x: &panel.x,
            y: &panel.y,
            area: stand.area,
        };
        let mut curves: Vec<(Point, Point)> = vec![];
        for series in &panel.series {
            let lines = view.line(&series.points);
            let drawn: f64 = lines
                .iter()
                .flat_map(|line| line.windows(2))
                .map(|p| super::geometry::distance(p[0], p[1]))
                .sum();
            curves.extend(
                lines
                    .iter()
                    .flat_map(|line| line.windows(2))
                    .map(|pair| (pair[0], pair[1])),
            );
            if drawn > 2.0 {
                if matches!(series.stroke, Stroke::Dashed | Stroke::Dotted) && !stroke_listed(series.stroke) {
                    faults.push(format!("{:?} is not explained", series.stroke));
                }
                if !inks.contains(&series.ink) {
                    inks.push(series.ink);
                }
            }
        }
        let marks: Vec<Rect> = panel
            .marks
            .iter()
            .filter_map(|mark| view.place(mark.at))
            .filter(|at| stand.area.contains(*at))
            .map(|at| Rect::around(at, 0.3))
            .collect();
        let words = stand.tags.iter().map(|tag| (tag.area, tag.text.clone()));
        let names = stand.names.iter().map(|(area, entry)| (*area, entry.label.tex.clone()));
        for (area, text) in words.chain(names) {
            if curves.iter().any(|&(a, b)| area.clip(a, b).is_some()) {
                faults.push(format!("`{text}` lies on a curve"));
            }
            if marks.iter().any(|mark| mark.overlap(&area) > 0.0) {
                faults.push(format!("`{text}` lies on a mark"));
            }
        }
        if let Some(legend) = stand.legend
            && curves.iter().any(|&(a, b)| legend.clip(a, b).is_some())
        {
            faults.push("the legend lies on a curve".to_owned());
        }
    }
    let several: Vec<&Ink> = inks.iter().filter(|ink| matches!(ink, Ink::Series(_))).collect();
    if several.len() > 1 && inked.left_out() == 0 {
        for ink in several.into_iter().filter(|ink| !ink_listed(**ink)) {
            faults.push(format!("{ink:?} is not explained"));
        }
    }
    faults
}

/// What is wrong with a LaTeX document, as far as that is seen without TeX.
fn tex_faults(tex: &str) -> Vec<String> {
    let mut faults = vec![];
    let mut depth = 0_i64;
    let plain = tex.replace("\\{", "").replace("\\}", "");
    for letter in plain.chars() {
        depth += i64::from(letter == '{') - i64::from(letter == '}');
        if depth < 0 {
            break;
        }
    }
    if depth != 0 {
        faults.push("braces do not balance".to_owned());
    }
    if tex.matches("\\begin{").count() != tex.matches("\\end{").count() {
        faults.push("environments do not balance".to_owned());
    }
    if tex.matches('$').count() % 2 == 1 {
        faults.push("dollars do not balance".to_owned());
    }
    let is_number = |word: &&str| word.parse::<f64>().is_ok_and(|value| !value.is_finite());
    if let Some(word) = tex.split(|c: char| !c.is_alphanumeric()).find(is_number) {
        faults.push(format!("`{word}` in TeX"));
    }
    for (at, _) in tex.match_indices("curve") {
        let name: String = tex[at..].chars().take_while(char::is_ascii_alphabetic).collect();
        let is_colour = name.len() > 5 && name[5..].chars().all(|c| c.is_ascii_uppercase());
        if is_colour
            && !tex.contains(&format!("\\definecolor{{{name}}}"))
            && !tex.contains(&format!("\\colorlet{{{name}}}"))
        {
            faults.push(format!("the colour {name} is not defined"));
            break;
        }
    }
    faults
}

/// Numbers between 0 and 1.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

const NAMES: [&str; 6] = ["a", "steady", "cycle", "slip stick slip", "branch of period two", "x"];
const LONG: &str = "the branch of asymmetric slip-stick orbits that bifurcates at the second symmetry breaking";
const LABELS: [&str; 9] = ["LP", "PD", "HB", "VS", "GR", "BP", "SB", "UZ", "LP+VS"];

/// Points of so many curves.
fn points(dice: &mut Dice) -> Table {
    let mut table = Table::new([
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("omega", Kind::Number),
        ("x_max", Kind::Number),
        ("x_min", Kind::Number),
        ("admissible", Kind::Flag),
        ("stable", Kind::Flag),
    ]);
    let many = dice.one_of(&[1, 1, 2, 3, 5, 8, 13, 50]);
    let (scale, shift) = dice.one_of(&[
        (1.0, 0.0),
        (1.0, 5.0),
        (1e-9, 0.0),
        (1e-11, 1.0),
        (1e7, 0.0),
        (3e-5, -1.0),
    ]);
    let marked = dice.one_of(&[0.0, 0.01, 0.05]);
    let gaps = dice.one_of(&[0.0, 0.0, 0.05]);
    for k in 0..many {
        let name = match dice.below(12) {
            0 => format!("{LONG} {k}"),
            _ => format!("{} {k}", dice.one_of(&NAMES)),
        };
        let [a, b, c, d] = [(); 4].map(|()| dice.next());
        let shape = dice.below(8);
        let last = dice.one_of(&[1, 3, 40, 200]);
        let last = if shape == 0 { 1 } else { last };
        for index in 0..last {
            let s = index as f64 / f64::from(last as i32 - 1).max(1.0);
            let y = match shape {
                1 => a,
                2 => a + (b - 0.5) * s,
                3 => 4.0 * (s - a) * (s - a) - b,
                4 => (-20.0 * s).exp(),
                _ => a + 0.5 * c * (7.0 * b * s + 3.0 * a).sin() + 0.1 * (30.0 * d * s).sin(),
            };
            let x = if shape == 3 {
                0.3 + (s - 0.5) * (s - 0.5)
            } else {
                0.05 + s * (0.4 + 0.6 * c)
            };
            let y = if dice.next() < gaps {
                f64::NAN
            } else {
                shift + scale * y
            };
            let label = if dice.next() < marked { dice.one_of(&LABELS) } else { "" };
            let row = [
                name.as_str().into(),
                index.into(),
                label.into(),
                x.into(),
                y.into(),
                (y - 0.3 * scale).into(),
                (dice.next() < 0.999).into(),
                (s < d).into(),
            ];
            table.push_row(row).unwrap();
        }
    }
    table
}

/// A chart of cells over two parameters.
fn cells(dice: &mut Dice) -> Table {
    let mut table = Table::new([
        ("omega", Kind::Number),
        ("A", Kind::Number),
        ("kind", Kind::Text),
        ("starts", Kind::Number),
        ("word", Kind::Text),
        ("turns", Kind::Number),
    ]);
    let kinds = 1 + dice.below(18);
    let size = dice.one_of(&[1, 6, 30]);
    for i in 0..size {
        for j in 0..size {
            let at = (i * 3 / size + j * 5 / size + dice.below(2)) % kinds;
            let (kind, word) = match at {
                0 => ("rest", "stick"),
                1 => ("chaos", ""),
                2 => ("torus", ""),
                3 => ("unsettled", ""),
                k if k % 2 == 0 => ("orbit", "slip stick slip stick"),
                _ => ("orbit", "smooth"),
            };
            let row = [
                (0.1 + 0.1 * i as f64).into(),
                (1.0 + j as f64).into(),
                kind.into(),
                1.0.into(),
                word.into(),
                ((at / 2) as f64 + 1.0).into(),
            ];
            table.push_row(row).unwrap();
        }
    }
    table
}

fn diagram(dice: &mut Dice) -> String {
    let y = dice.one_of(&[r#""x_max""#, r#""x_max""#, r#"["x_max", "x_min"]"#, r#""abs(x_max)""#]);
    let log = dice.one_of(&["", "", "log: [X], ", "log: [Y], ", "log: [X, Y], "]);
    let labels = dice.one_of(&[
        "",
        "",
        r#"labels: {"omega": "frequency ratio $\\Omega$ of the forcing to the natural frequency of the block on its spring, without dimension"}, "#,
        r#"labels: {"x_max": "largest displacement of the mass beyond the place of rest in metres, over one period"}, "#,
    ]);
    let lines = dice.one_of(&[
        "",
        "",
        r#"lines: [Horizontal(at: 0, label: "rest"), Vertical(at: 0.5, label: "resonance")], "#,
    ]);
    let legend = dice.one_of(&["", "", "legend: Outside, "]);
    format!(r#"Diagram(name: "figure", x: "omega", y: {y}, {log}{labels}{lines}{legend})"#)
}

fn figure(dice: &mut Dice) -> String {
    let chart = r#"Chart(name: "figure", of: "chart")"#;
    let width = dice.one_of(&["", "style: Style(width: TwoColumns), "]);
    match dice.below(6) {
        0 => chart.to_owned(),
        1 | 2 => {
            let count = 2 + dice.below(3);
            let parts: Vec<String> = (0..count)
                .map(|_| {
                    if dice.below(4) == 0 {
                        chart.to_owned()
                    } else {
                        diagram(dice)
                    }
                })
                .map(|part| part.replace(r#"name: "figure", "#, ""))
                .collect();
            format!(r#"Panels(name: "figure", {width}panels: [{}])"#, parts.join(", "))
        }
        _ => diagram(dice),
    }
}

#[test]
fn figures_of_unknown_studies_are_fit_to_print() {
    let members: u64 = std::env::var("SLIPSTICK_FIGURES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(24);
    let (mut drawn, mut wrong) = (0, vec![]);
    for member in 0..members {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ ((member + 1) * 0x5851_f42d_4c95_7f2d));
        (0..8).for_each(|_| {
            dice.next();
        });
        let mut data = RunData {
            points: points(&mut dice),
            ..RunData::default()
        };
        data.tables.insert("chart".to_owned(), cells(&mut dice));
        let source = figure(&mut dice);
        let figure = Figure::from_ron(&source).unwrap_or_else(|e| panic!("{source}: {e}"));
        // What a logarithmic axis has no place for is refused.
        if let Err(refused) = assemble(&figure, &data) {
            assert!(source.contains("log"), "{source}: {refused}");
            continue;
        }
        drawn += 1;
        let drawing = super::draw(&figure, &data).unwrap();
        if let Ok(folder) = std::env::var("SLIPSTICK_FIGURES_TO") {
            std::fs::write(format!("{folder}/{member}.svg"), drawing.svg()).unwrap();
        }
        for fault in tex_faults(drawing.tex()) {
            wrong.push(format!("{member}: {fault}\n    {source}"));
        }
        let (inked, _) = inked(&figure, &data).unwrap();
        for fault in faults(&inked) {
            wrong.push(format!("{member}: {fault}\n    {source}"));
        }
    }
    assert!(drawn > members / 2, "{drawn} of {members}");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}
