//! The pages of the repository say what is: the keys of studies as the sources declare them, examples that are
//! accepted, claims that hold.

use super::key_tables::{SOURCES, regenerated};
use super::support::{self, STICTION, curve, only, value};
use slipstick_bifurcation::Label;
use slipstick_report::figure::Figure;
use slipstick_study as study;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages with tables of keys.
const KEY_PAGES: [(&str, &str); 4] = [
    ("study.md", include_str!("../../docs/study.md")),
    ("study-tasks.md", include_str!("../../docs/study-tasks.md")),
    ("study-figures.md", include_str!("../../docs/study-figures.md")),
    ("study-analyses.md", include_str!("../../docs/study-analyses.md")),
];
const GLOSSARY: &str = include_str!("../../docs/glossary.md");
const FIRST_PAGE: &str = include_str!("../../docs/first-study.md");
const RUNS_PAGE: &str = include_str!("../../docs/runs.md");
const README: &str = include_str!("../../README.md");
const OUTPUT_PAGE: &str = include_str!("../../output/README.md");

#[test]
fn the_pages_on_studies_have_every_key() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs");
    for (name, page) in KEY_PAGES {
        let fresh = regenerated(page);
        if fresh != page && std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(folder.join(name), &fresh).unwrap();
            continue;
        }
        for (fresh, page) in fresh.lines().zip(page.lines()) {
            assert_eq!(
                page, fresh,
                "docs/{name} has drifted; run: UPDATE_DOCS=1 cargo test --test suite documentation"
            );
        }
        assert!(fresh == page, "docs/{name}");
    }
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
                    let mark = format!("<!-- keys: {name} {declared} ");
                    assert!(
                        KEY_PAGES.iter().any(|(_, page)| page.contains(&mark)),
                        "{declared} is on no page"
                    );
                }
                written = false;
            }
        }
    }
}

#[test]
fn the_examples_on_the_pages_are_accepted() {
    let mut seen = 0;
    let guides = guides();
    let mut pages: Vec<&str> = KEY_PAGES.iter().map(|(_, page)| *page).collect();
    pages.extend([FIRST_PAGE, RUNS_PAGE]);
    pages.extend(guides.iter().map(|(_, page)| page.as_str()));
    for block in pages.iter().flat_map(|page| page.split("```ron\n").skip(1)) {
        let example = block.split("```").next().unwrap();
        let word = example
            .lines()
            .find(|l| !l.trim_start().starts_with("//"))
            .unwrap()
            .trim();
        let part = |text: &str| format!("Study(title: \"Example\", {text})");
        let curves = "curves: [Curve(name: \"stiff\", orbit: Symmetric(\"slip- stick\"), start: All(at: {\"Omega\": 2.0}), free: \"Omega\", range: (1, 15), levels: {\"Omega\": [2, 3, 5]})]";
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
            "Diagram" | "Orbits" | "Panels" | "Space" => {
                let figure = Figure::from_ron(example).unwrap_or_else(|e| panic!("{e}\n{example}"));
                if figure.names_folders() || figure.shows_data() {
                    // No study has these; they are drawn in another test.
                    continue;
                }
                part(&format!("system: Stiction(), {curves}, figures: [{example}]"))
            }
            "Chart" if example.contains("of:") => {
                let chart =
                    r#"Chart(name: "regimes", over: {"Omega": Linear(0.4, 2.2, 12), "mu_s": Linear(1, 1.4, 4)})"#;
                part(&format!("system: Stiction(), tasks: [{chart}], figures: [{example}]"))
            }
            "Family" => {
                let task = r#"Family(name: "friction", over: {"mu_d": Linear(0.3, 0.6, 13)}, curves: ["stiff"])"#;
                let tasks = if example.contains("of:") {
                    format!("tasks: [{task}], figures: [{example}]")
                } else {
                    format!("tasks: [{example}]")
                };
                part(&format!("system: Stiction(), {curves}, {tasks}"))
            }
            "Twins" => {
                let task = r#"Twins(name: "twins", limit: ["dry"], twin: ["soft"], over: {"epsilon": Log(1e-4, 1e-2, 3)}, columns: ["x_max"])"#;
                let tasks = if example.contains("of:") {
                    format!("tasks: [{task}], figures: [{example}]")
                } else {
                    format!("tasks: [{example}]")
                };
                let systems = r#"systems: {"dry": Stiction(), "soft": RegularisedStiction()}"#;
                let soft = curves
                    .replace("stick", "layer")
                    .replace("stiff", "soft\", system: \"soft");
                let dry = curves.replace("stiff", "dry\", system: \"dry");
                let both = format!(
                    "{}, {}",
                    dry.trim_end_matches(']'),
                    soft.trim_start_matches("curves: [")
                );
                part(&format!("{systems}, {both}, {tasks}"))
            }
            "Lyapunov" | "OrbitDiagram" | "Chart" => part(&format!("system: Stiction(), tasks: [{example}]")),
            "Basins" => {
                let wells = r#"Smooth(states: ["x", "v"], parameters: {"c": 0.1}, equations: ["x' = v", "v' = x - x^3 - c*v"])"#;
                let task = r#"Basins(name: "wells", over: {"x": Linear(-2, 2, 20), "v": Linear(-2, 2, 20)})"#;
                if example.contains("of:") {
                    part(&format!("system: {wells}, tasks: [{task}], figures: [{example}]"))
                } else {
                    part(&format!("system: {wells}, tasks: [{example}]"))
                }
            }
            "Smooth" | "Hybrid" | "Map" | "Stiction" | "Filippov" | "Regularised" | "Tangencies" | "Mechanical" => {
                part(&format!("system: {example}"))
            }
            _ => part(example),
        };
        let loaded = study::parse("example.ron".as_ref(), text).unwrap_or_else(|e| panic!("{e}"));
        loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

/// The guides, by their names.
fn guides() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/guides");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// A number as a page writes it, with half a unit of its last digit; a number of few digits is meant to be exact.
fn written_number(text: &str) -> (f64, f64) {
    let decimals = text.split_once('.').map_or(0, |(_, after)| after.len());
    let half = 0.51 * 10f64.powi(-i32::try_from(decimals).unwrap());
    (text.parse().unwrap(), half.min(1e-6))
}

/// Each guide has one complete study. A row `| CURVE | LABEL NUMBER | COLUMN = VALUE, … | … |` of its tables is a
/// result of that study, to the digits written.
#[test]
fn the_guides_find_what_they_say() {
    let guides = guides();
    assert!(guides.len() >= 6, "{}", guides.len());
    for (name, page) in &guides {
        let study = page.split("```ron\n").nth(1).unwrap().split("```").next().unwrap();
        assert!(study.starts_with("Study("), "{name}");
        let (_, result) = support::planned(study, &[]);
        assert!(result.missing.is_empty(), "{name}: {:?}", result.missing);
        let mut compared = 0;
        for row in page
            .lines()
            .filter(|line| line.starts_with("| `") && line.contains(" = "))
        {
            let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            let (code, number) = cells[2].split_once(' ').unwrap_or((cells[2], "1"));
            let label = Label::parse(code).unwrap_or_else(|| panic!("{name}: {row}"));
            let curve = curve(&result, cells[1]);
            let found = support::labelled(curve, label);
            let number: usize = number.parse().unwrap();
            let point = found.get(number - 1).unwrap_or_else(|| panic!("{name}: {row}"));
            for claim in cells[3].split(", ") {
                let (column, text) = claim.trim_matches('`').split_once(" = ").unwrap();
                let (claimed, error) = written_number(text);
                let found = value(curve, point, column);
                assert!((found - claimed).abs() <= error, "{name}: {row}: {column} = {found}");
                compared += 1;
            }
        }
        assert!(compared >= 3, "{name}: {compared}");
    }
}

/// Every label, every key of a study and every column has its counterparts in the glossary.
#[test]
fn the_glossary_has_every_word() {
    let coded = GLOSSARY.split('`').skip(1).step_by(2);
    let words: BTreeSet<&str> = coded
        .flat_map(|code| code.split(|c: char| c != '_' && !c.is_alphanumeric()))
        .collect();
    for label in Label::ALL {
        assert!(words.contains(label.code()), "{label} is not in the glossary");
    }
    let columns = OUTPUT_PAGE
        .split_once("## Columns of")
        .unwrap()
        .1
        .split_once("## Tables of")
        .unwrap()
        .0;
    for line in KEY_PAGES[0].1.lines().chain(columns.lines()) {
        let Some(cell) = line.strip_prefix("| `").and_then(|rest| rest.split(" | ").next()) else {
            continue;
        };
        for word in cell
            .split(|c: char| c != '_' && !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            assert!(words.contains(word), "{word} is not in the glossary: {line}");
        }
    }
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

/// The anchor of a heading.
fn heading(line: &str) -> Option<String> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?;
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
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
                for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
                    if link.starts_with("http") {
                        continue;
                    }
                    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                    let target = if file.is_empty() {
                        path.clone()
                    } else {
                        folder.join(file)
                    };
                    assert!(target.is_file(), "{}: {link}", path.display());
                    if !anchor.is_empty() {
                        let page = std::fs::read_to_string(&target).unwrap();
                        let found = page.lines().any(|line| heading(line).as_deref() == Some(anchor));
                        assert!(found, "{}: {link}", path.display());
                    }
                    links += 1;
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

/// Each page of mathematics has a sample that is compiled with those of the sources, and says whom it follows.
#[test]
fn every_page_of_mathematics_is_tested_and_has_references() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let compiled = include_str!("../../src/lib.rs");
    for entry in std::fs::read_dir(root.join("docs/mathematics")).unwrap() {
        let path = entry.unwrap().path();
        let page = format!("../docs/mathematics/{}", path.file_name().unwrap().to_string_lossy());
        assert!(
            compiled.contains(&format!("include_str!(\"{page}\")")),
            "{page} is not tested"
        );
        let text = std::fs::read_to_string(&path).unwrap();
        for part in ["\n```rust\n", "\n## References\n"] {
            assert!(text.contains(part), "{page} has no {part:?}");
        }
        assert!(text.len() > 4000, "{page} is thin");
    }
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
    for label in Label::ALL
        .into_iter()
        .chain([Label::codimension_two(Label::LP, Label::VS)])
    {
        let row = OUTPUT_PAGE
            .lines()
            .find(|l| l.starts_with('|') && l.contains(&format!("`{label}`")));
        let row = row.unwrap_or_else(|| panic!("{label} is not explained"));
        let meaning = if Label::ALL.contains(&label) {
            label.meaning()
        } else {
            "two-parameter curve"
        };
        assert!(
            row.to_lowercase().contains(&meaning.to_lowercase()),
            "{label} means {meaning}: {row}"
        );
    }
}

#[test]
fn the_page_on_output_says_over_which_part_of_the_period_canard_time_is_counted() {
    let paragraph = OUTPUT_PAGE
        .split("\n\n")
        .find(|text| text.contains("half that the word lists"));
    let words = paragraph.unwrap().replace('\n', " ");
    assert!(
        words.contains("`canard_time` is half of what the same orbit has"),
        "{words}"
    );
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

/// Tables write defaults as studies do, and once.
#[test]
fn defaults_are_those_of_studies() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let pages = fs::read_dir(pages).unwrap().map(|page| page.unwrap().path());
    let pages: Vec<PathBuf> = pages
        .filter(|page| page.extension().is_some_and(|e| e == "md"))
        .collect();
    assert!(pages.len() > 10);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for wrong in ["Number::", "The default. The default."] {
            assert!(!text.contains(wrong), "`{wrong}` in {}", page.display());
        }
    }
}
