//! The pages of the repository say what is: the keys of studies as the sources declare them, examples that are accepted, claims that hold.

use super::support::{self, STICTION, curve, only, value};
use slipstick::bifurcation::Label;
use slipstick::orbit::MeshOptions;
use slipstick::report::figure::{Figure, Style};
use slipstick::study;
use std::fmt::Write;
use std::path::PathBuf;

const STUDY_PAGE: &str = include_str!("../../docs/study.md");
const FIRST_PAGE: &str = include_str!("../../docs/first-study.md");
const RUNS_PAGE: &str = include_str!("../../docs/runs.md");
const README: &str = include_str!("../../README.md");
const OUTPUT_PAGE: &str = include_str!("../../output/README.md");

/// The sources that declare keys, by the name that the page calls them.
const SOURCES: [(&str, &str); 4] = [
    (
        "study",
        concat!(
            include_str!("../../src/study/spec/attractors.rs"),
            include_str!("../../src/study/spec/curve.rs"),
            include_str!("../../src/study/spec/distances.rs"),
            include_str!("../../src/study/spec/locus.rs"),
            include_str!("../../src/study/spec/mod.rs"),
            include_str!("../../src/study/spec/portrait.rs"),
            include_str!("../../src/study/spec/simulation.rs"),
            include_str!("../../src/study/spec/start.rs"),
        ),
    ),
    ("system", include_str!("../../src/study/system/spec.rs")),
    (
        "figure",
        concat!(
            include_str!("../../src/report/figure/spec/diagram.rs"),
            include_str!("../../src/report/figure/spec/manifold.rs"),
            include_str!("../../src/report/figure/spec/mod.rs"),
            include_str!("../../src/report/figure/spec/names.rs"),
            include_str!("../../src/report/figure/spec/orbits.rs"),
            include_str!("../../src/report/figure/spec/parts.rs"),
            include_str!("../../src/report/figure/spec/style.rs"),
        ),
    ),
    (
        "analysis",
        concat!(
            include_str!("../../src/study/analysis/bearing.rs"),
            include_str!("../../src/study/analysis/bowed.rs"),
            include_str!("../../src/study/analysis/bowed_branch.rs"),
            include_str!("../../src/study/analysis/bowed_convergence.rs"),
            include_str!("../../src/study/analysis/bowed_modes.rs"),
            include_str!("../../src/study/analysis/convergence.rs"),
            include_str!("../../src/study/analysis/elastic.rs"),
            include_str!("../../src/study/analysis/ensemble.rs"),
            include_str!("../../src/study/analysis/forcing.rs"),
            include_str!("../../src/study/analysis/kernel.rs"),
            include_str!("../../src/study/analysis/mod.rs"),
            include_str!("../../src/study/analysis/shaw.rs"),
            include_str!("../../src/study/analysis/shoe.rs"),
            include_str!("../../src/study/analysis/slow_forcing.rs"),
            include_str!("../../src/study/analysis/wear.rs"),
        ),
    ),
];

/// A documented line of a declaration: a field, a variant or the type itself.
#[derive(Clone, Default)]
struct Entry {
    name: String,
    about: String,
    /// The type of a field, what a variant holds.
    holds: String,
    /// The text inside `#[serde(...)]`.
    serde: String,
    default_variant: bool,
    fields: Vec<Entry>,
}

/// The declaration of a public type in a source.
fn declaration(source: &str, name: &str) -> Entry {
    let found = [format!("pub struct {name} {{"), format!("pub enum {name} {{")];
    let lines: Vec<&str> = source.lines().collect();
    let at = lines
        .iter()
        .position(|l| found.contains(&(*l).to_owned()))
        .unwrap_or_else(|| panic!("no type {name}"));
    let first = (0..at)
        .rev()
        .find(|i| !lines[*i].starts_with("///") && !lines[*i].starts_with("#["))
        .unwrap();
    let mut whole = Entry {
        name: name.to_owned(),
        ..Entry::default()
    };
    let mut next = Entry::default();
    // Where in the nesting of braces the entries are.
    let mut variant: Option<Entry> = None;
    for (i, line) in lines.iter().enumerate().skip(first + 1) {
        let text = line.trim();
        if let Some(about) = text.strip_prefix("///") {
            if !next.about.is_empty() {
                next.about.push(' ');
            }
            next.about.push_str(about.trim());
        } else if text.starts_with("#[default]") {
            next.default_variant = true;
        } else if let Some(serde) = text.strip_prefix("#[serde(") {
            next.serde.push_str(serde.trim_end_matches(")]"));
        } else if i == at {
            whole.about = std::mem::take(&mut next).about;
            whole.serde = lines[first..at]
                .iter()
                .filter_map(|l| l.strip_prefix("#[serde("))
                .collect();
        } else if *line == "}" {
            return whole;
        } else if text == "}," {
            whole.fields.push(variant.take().unwrap());
        } else if i > at && !text.is_empty() && !text.starts_with("#[") {
            let mut entry = std::mem::take(&mut next);
            let text = text.trim_start_matches("pub ").trim_end_matches(',');
            if let Some(name) = text.strip_suffix(" {") {
                entry.name = name.to_owned();
                variant = Some(entry);
            } else if let Some((name, holds)) = text.split_once(": ") {
                entry.name = name.to_owned();
                entry.holds = holds.to_owned();
                variant.as_mut().map_or(&mut whole, |v| v).fields.push(entry);
            } else {
                let (name, holds) = text.split_once('(').unwrap_or((text, ""));
                entry.name = name.to_owned();
                entry.holds = holds.trim_end_matches(')').to_owned();
                whole.fields.push(entry);
            }
        }
    }
    panic!("{name} has no end")
}

/// What to write for a value of a type.
fn written(holds: &str) -> String {
    let inside = |name: &str| holds.strip_prefix(name).and_then(|rest| rest.strip_suffix('>'));
    if let Some(inner) = inside("Option<").or_else(|| inside("Box<")) {
        return written(inner);
    }
    if let Some(inner) = inside("Vec<") {
        return format!("list of {}", written(inner));
    }
    if let Some(inner) = inside("BTreeMap<String, ").or_else(|| inside("Named<")) {
        return format!("`{{\"name\": …}}`, each {}", written(inner));
    }
    match holds {
        "String" => "text".into(),
        "f64" => "number".into(),
        "usize" | "u64" => "whole number".into(),
        "bool" => "`true` or `false`".into(),
        "(f64, f64)" => "`(number, number)`".into(),
        "(usize, usize)" => "`(whole number, whole number)`".into(),
        "Number" => "number or formula".into(),
        "Names" => "text or list of texts".into(),
        other => format!("`{}`", other.strip_suffix("Spec").unwrap_or(other)),
    }
}

/// The default of a field, as one would write it; none if the key is required.
fn default_of(source: &str, owner: &Entry, field: &Entry) -> Option<String> {
    if owner.serde.contains("default") && owner.name != "Style" {
        return Some("as published".into());
    }
    if owner.serde.contains("default") {
        let style = Style::default();
        return Some(match field.name.as_str() {
            "width" => format!("`{:?}`", style.width),
            "height" => "–".into(),
            "palette" => format!("`{:?}`", style.palette),
            "font_size" => format!("`{:?}`", style.font_size),
            "line_width" => format!("`{:?}`", style.line_width),
            other => panic!("no default known of {other}"),
        });
    }
    if let Some((_, rest)) = field.serde.split_once("default = \"") {
        let function = rest.split('"').next().unwrap();
        let at = source.find(&format!("fn {function}()")).unwrap();
        let body = source[at..].lines().nth(1).unwrap().trim();
        let mesh = MeshOptions::default();
        return Some(match body {
            "MeshOptions::default().stages" => format!("`{}`", mesh.stages),
            "MeshOptions::default().tolerance" => format!("`{:?}`", mesh.tolerance),
            _ => format!(
                "`{}`",
                body.replace(".to_owned()", "").replace("vec!", "").replace('_', "")
            ),
        });
    }
    if !field.serde.contains("default") {
        return None;
    }
    let holds = field.holds.as_str();
    Some(match holds {
        "usize" | "u64" => "`0`".into(),
        "bool" => "`false`".into(),
        "String" => "–".into(),
        _ if holds.starts_with("Vec<") => "`[]`".into(),
        _ if holds.starts_with("BTreeMap<") || holds.starts_with("Named<") => "`{}`".into(),
        _ if holds.starts_with("Option<") => "–".into(),
        // Declared elsewhere: its words are told where it is.
        _ if !source.contains(&format!("pub struct {holds} {{"))
            && !source.contains(&format!("pub enum {holds} {{")) =>
        {
            "–".into()
        }
        _ => {
            let own = declaration(source, holds);
            let variant = own.fields.iter().find(|v| v.default_variant);
            variant.map_or_else(|| "all defaults".into(), |v| format!("`{}`", v.name))
        }
    })
}

fn table_of_keys(source: &str, owner: &Entry, text: &mut String) {
    text.push_str("| key | value | default | meaning |\n|---|---|---|---|\n");
    for f in &owner.fields {
        let default = default_of(source, owner, f).unwrap_or_else(|| "*required*".into());
        let about = f.about.replace('|', "\\|");
        writeln!(text, "| `{}` | {} | {default} | {about} |", f.name, written(&f.holds)).unwrap();
    }
}

/// The part of the page that a type's declaration gives.
fn part(source: &str, name: &str) -> String {
    let own = declaration(source, name);
    let mut text = String::new();
    let is_enum = source.contains(&format!("pub enum {name} {{"));
    if !is_enum {
        table_of_keys(source, &own, &mut text);
        return text;
    }
    text.push_str("| word | meaning |\n|---|---|\n");
    for v in &own.fields {
        let arguments = if !v.fields.is_empty() {
            "(...)".into()
        } else if v.holds.is_empty() {
            String::new()
        } else {
            "(…)".to_owned()
        };
        let default = if v.default_variant { " The default." } else { "" };
        writeln!(
            text,
            "| `{}{arguments}` | {}{default} |",
            v.name,
            v.about.replace('|', "\\|")
        )
        .unwrap();
    }
    for v in own.fields.iter().filter(|v| !v.fields.is_empty()) {
        writeln!(text, "\nKeys of `{}(...)`:\n", v.name).unwrap();
        table_of_keys(source, v, &mut text);
    }
    text
}

/// The page with its generated parts made anew: everything between `<!-- keys: SOURCE TYPE -->` and `<!-- end of keys -->`.
fn regenerated(page: &str) -> String {
    let mut fresh = String::new();
    let mut rest = page;
    while let Some(at) = rest.find("<!-- keys: ") {
        let end_of_mark = at + rest[at..].find("-->").unwrap() + 3;
        let words: Vec<&str> = rest[at..end_of_mark].split_whitespace().collect();
        let source = SOURCES.iter().find(|(name, _)| *name == words[2]).unwrap().1;
        fresh.push_str(&rest[..end_of_mark]);
        fresh.push_str("\n\n");
        fresh.push_str(&part(source, words[3]));
        fresh.push('\n');
        let close = rest[end_of_mark..].find("<!-- end of keys -->").unwrap();
        rest = &rest[end_of_mark + close..];
    }
    fresh + rest
}

#[test]
fn the_page_on_studies_has_every_key() {
    let fresh = regenerated(STUDY_PAGE);
    if fresh != STUDY_PAGE && std::env::var_os("UPDATE_DOCS").is_some() {
        let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/study.md");
        std::fs::write(page, &fresh).unwrap();
        return;
    }
    for (fresh, page) in fresh.lines().zip(STUDY_PAGE.lines()) {
        assert_eq!(
            page, fresh,
            "docs/study.md has drifted; run: UPDATE_DOCS=1 cargo test --test suite documentation"
        );
    }
    assert!(fresh == STUDY_PAGE);
    // Each type that a study can mention has its part.
    for (name, source) in SOURCES {
        let mut written = false;
        for line in source.lines() {
            written |= line.starts_with("#[derive(") && line.contains("Deserialize");
            let declared = line
                .strip_prefix("pub struct ")
                .or_else(|| line.strip_prefix("pub enum "));
            if let Some(declared) = declared {
                // Results are read, too, but from checkpoints.
                let of_studies = |declared: &&str| written && !declared.ends_with("Result");
                if let Some(declared) = declared.strip_suffix(" {").filter(of_studies) {
                    assert!(
                        STUDY_PAGE.contains(&format!("<!-- keys: {name} {declared} -->")),
                        "{declared} is not on the page"
                    );
                }
                written = false;
            }
        }
    }
}

#[test]
fn the_examples_on_the_page_are_accepted() {
    let mut seen = 0;
    let pages = [STUDY_PAGE, FIRST_PAGE, RUNS_PAGE];
    for block in pages.iter().flat_map(|page| page.split("```ron\n").skip(1)) {
        let example = block.split("```").next().unwrap();
        let word = example
            .lines()
            .find(|l| !l.trim_start().starts_with("//"))
            .unwrap()
            .trim();
        let part = |text: &str| format!("Study(title: \"Example\", {text})");
        let curves = "curves: [Curve(name: \"stiff\", orbit: Symmetric(\"slip- stick\"), start: All(at: {\"Omega\": 2.0}), free: \"Omega\", range: (1, 15))]";
        let text = match word.split('(').next().unwrap() {
            "Study" => example.to_owned(),
            "Curve" if example.contains("FixedPoint") => {
                let map = r#"Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"])"#;
                part(&format!("system: {map}, curves: [{example}]"))
            }
            "Curve" => part(&format!("system: Stiction(), curves: [{example}]")),
            "Simulation" => part(&format!("system: Stiction(), simulations: [{example}]")),
            "Portrait" => part(&format!("system: RegularisedStiction(), slow_fast: [{example}]")),
            "Manifold" => {
                let curves = curves.replace("stiff", "family").replace("slip- stick", "slip- layer");
                let portrait = "slow_fast: [Portrait(name: \"layer\")]";
                part(&format!(
                    "system: RegularisedStiction(), {curves}, {portrait}, figures: [{example}]"
                ))
            }
            "Attractors" => part(&format!("system: Stiction(), {curves}, attractors: [{example}]")),
            "Locus" => {
                let curves = curves.replace("stiff", "compliant");
                part(&format!("system: Stiction(), {curves}, loci: [{example}]"))
            }
            "Diagram" | "Orbits" | "Panels" => {
                Figure::from_ron(example).unwrap_or_else(|e| panic!("{e}\n{example}"));
                part(&format!("system: Stiction(), {curves}, figures: [{example}]"))
            }
            "Smooth" | "Hybrid" | "Map" | "Stiction" => part(&format!("system: {example}")),
            _ => part(example),
        };
        let loaded = study::parse("example.ron".as_ref(), text).unwrap_or_else(|e| panic!("{e}"));
        loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn the_numbers_of_the_readme_are_computed() {
    let result = support::run(STICTION, &[]);
    let (stiff, compliant) = (curve(&result, "stiff"), curve(&result, "compliant"));
    let rows = README
        .lines()
        .filter(|l| l.starts_with("| LP") || l.starts_with("| V") || l.starts_with("| SB"));
    let mut computed = [
        (Label::LP, compliant),
        (Label::VS, compliant),
        (Label::VT, compliant),
        (Label::VS, stiff),
        (Label::SB, stiff),
    ]
    .into_iter();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (label, c) = computed.next().unwrap();
        assert_eq!(cells[1], label.code());
        let claimed: f64 = cells[3].parse().unwrap();
        assert!((value(c, only(c, label), "Omega") - claimed).abs() < 1e-13, "{row}");
    }
    assert!(computed.next().is_none());
}

#[test]
fn what_the_book_points_at_exists() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join("docs")];
    let mut links = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                let text = std::fs::read_to_string(&path).unwrap();
                for link in text
                    .split("](")
                    .skip(1)
                    .map(|rest| rest.split([')', '#']).next().unwrap())
                {
                    if !link.starts_with("http") && !link.is_empty() {
                        assert!(folder.join(link).is_file(), "{}: {link}", path.display());
                        links += 1;
                    }
                }
            }
        }
    }
    assert!(links > 20, "{links}");
}

/// The numbers that the first page promises, from the very text it shows.
#[test]
fn the_first_study_of_the_book_finds_what_it_says() {
    let example = FIRST_PAGE
        .split("```ron\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let result = support::run(example, &[]);
    for name in ["rest-BP1a", "rest-BP1b"] {
        let hopf = only(curve(&result, name), Label::HB);
        // σ(σ + β + 3)/(σ - β - 1)
        let (sigma, beta) = (10.0, 8.0 / 3.0);
        let expected = sigma * (sigma + beta + 3.0) / (sigma - beta - 1.0);
        assert!((value(curve(&result, name), hopf, "rho") - expected).abs() < 1e-9);
    }
    let cycles = curve(&result, "cycles");
    assert!((cycles.covered().0 - 15.0).abs() < 1e-12 && !support::points(cycles).iter().any(|p| p.record.stable()));
}

#[test]
fn what_the_readme_points_at_exists() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut links = 0;
    for link in README.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        if !link.starts_with("http") {
            assert!(root.join(link).exists(), "{link}");
            links += 1;
        }
    }
    assert!(links >= 3);
    for study in README
        .split("studies/")
        .skip(1)
        .filter_map(|rest| rest.split_once(".ron").map(|(study, _)| study))
        .filter(|study| study.chars().all(|c| c.is_alphanumeric() || "_/".contains(c)))
    {
        assert!(root.join(format!("studies/{study}.ron")).is_file(), "{study}");
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "studies/stiction.ron"] {
        assert!(root.join(licence).is_file(), "{licence}");
    }
}

#[test]
fn every_shipped_study_is_accepted() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("studies");
    let mut seen = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ron") {
            let loaded = study::load(&path).unwrap_or_else(|e| panic!("{e}"));
            loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn the_page_on_output_explains_every_label() {
    use Label::{BP, BT, CP, EP, GH, GR, HB, HH, LP, MX, NS, NU, OV, PD, SB, UZ, VS, VT, ZH};
    for label in [
        LP, SB, BP, PD, NS, HB, CP, BT, GH, ZH, HH, VS, GR, VT, OV, NU, UZ, EP, MX,
    ] {
        let row = OUTPUT_PAGE
            .lines()
            .find(|l| l.starts_with('|') && l.contains(&format!("`{label}`")));
        let row = row.unwrap_or_else(|| panic!("{label} is not explained"));
        let meaning = label.meaning();
        assert!(
            row.to_lowercase().contains(&meaning.to_lowercase()),
            "{label} means {meaning}: {row}"
        );
    }
}

#[test]
fn the_gallery_shows_every_shipped_study_with_a_figure_and_its_time() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let gallery = std::fs::read_to_string(root.join("docs/gallery.md")).unwrap();
    let paragraphs: Vec<&str> = gallery.split("\n\n").collect();
    for folder in ["studies", "studies/benchmarks"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "ron") {
                continue;
            }
            let link = format!("(../{folder}/{})", path.file_name().unwrap().to_string_lossy());
            let line = gallery.lines().find(|line| line.contains(&link));
            let line = line.unwrap_or_else(|| panic!("{link} is not in the gallery"));
            let words: Vec<&str> = line.split([' ', ',', '|', '.']).collect();
            assert!(words.contains(&"s"), "how long does {link} take? {line}");
            // A study has its figure below its text, a benchmark one that is called like it.
            let stem = path.file_stem().unwrap().to_string_lossy();
            let at = paragraphs.iter().position(|text| text.contains(&link)).unwrap();
            let own = paragraphs[at + 1].contains("](figures/");
            assert!(
                own || gallery.contains(&format!("](figures/benchmarks/{stem}.svg)")),
                "{link} has no figure"
            );
        }
    }
    for figure in gallery.split("](figures/").skip(1) {
        let figure = figure.split(')').next().unwrap();
        assert!(
            root.join("docs/figures").join(figure).is_file(),
            "docs/figures/{figure} is missing"
        );
    }
}
