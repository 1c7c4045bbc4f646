//! Tables of the keys of studies, as the sources declare them.

use slipstick_models::friction::bearing::RecordFormat;
use slipstick_orbit::{HarmonicOptions, MeshOptions};
use slipstick_report::figure::Style;
use slipstick_study as study;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// The sources that declare keys, by the name that the page calls them.
pub(crate) const SOURCES: [(&str, &str); 5] = [
    (
        "study",
        concat!(
            include_str!("../../src/study/spec/attractors.rs"),
            include_str!("../../src/study/spec/axis.rs"),
            include_str!("../../src/study/spec/basins.rs"),
            include_str!("../../src/study/spec/chart.rs"),
            include_str!("../../src/study/spec/curve.rs"),
            include_str!("../../src/study/spec/distances.rs"),
            include_str!("../../src/study/spec/family.rs"),
            include_str!("../../src/study/spec/locus.rs"),
            include_str!("../../src/study/spec/lyapunov.rs"),
            include_str!("../../src/study/spec/orbit_diagram.rs"),
            include_str!("../../src/study/spec/study.rs"),
            include_str!("../../src/study/spec/portrait.rs"),
            include_str!("../../src/study/spec/simulation.rs"),
            include_str!("../../src/study/spec/start.rs"),
            include_str!("../../src/study/spec/task.rs"),
            include_str!("../../src/study/spec/twins.rs"),
        ),
    ),
    (
        "friction",
        concat!(
            include_str!("../../src/models/friction/bearing/model.rs"),
            include_str!("../../src/models/friction/bearing/record_csv.rs"),
            include_str!("../../src/models/friction/shaw/ensemble.rs"),
            include_str!("../../src/models/friction/shaw/mod.rs"),
            include_str!("../../src/models/friction/shaw/noise.rs"),
            include_str!("../../src/models/friction/shoe.rs"),
            include_str!("../../src/models/friction/wear.rs"),
        ),
    ),
    (
        "system",
        concat!(
            include_str!("../../src/study/spec/system/declared.rs"),
            include_str!("../../src/study/spec/system/filippov.rs"),
            include_str!("../../src/study/spec/system/regularised.rs"),
            include_str!("../../src/study/spec/system/tangencies.rs"),
            include_str!("../../src/study/spec/system/mechanical.rs"),
        ),
    ),
    (
        "figure",
        concat!(
            include_str!("../../src/report/figure/spec/cells.rs"),
            include_str!("../../src/report/figure/spec/data.rs"),
            include_str!("../../src/report/figure/spec/diagram.rs"),
            include_str!("../../src/report/figure/spec/family.rs"),
            include_str!("../../src/report/figure/spec/manifold.rs"),
            include_str!("../../src/report/figure/spec/mod.rs"),
            include_str!("../../src/report/figure/spec/names.rs"),
            include_str!("../../src/report/figure/spec/orbits.rs"),
            include_str!("../../src/report/figure/spec/parts.rs"),
            include_str!("../../src/report/figure/spec/space.rs"),
            include_str!("../../src/report/figure/spec/style.rs"),
            include_str!("../../src/report/figure/spec/twins.rs"),
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
            include_str!("../../src/study/analysis/list.rs"),
            include_str!("../../src/study/analysis/shaw.rs"),
            include_str!("../../src/study/analysis/shoe.rs"),
            include_str!("../../src/study/analysis/slow_forcing.rs"),
            include_str!("../../src/study/analysis/wear.rs"),
        ),
    ),
];

/// A documented line of a declaration: a field, a variant or the type itself.
#[derive(Clone, Default)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) about: String,
    /// The type of a field, what a variant holds.
    pub(crate) holds: String,
    /// The text inside `#[serde(...)]`.
    pub(crate) serde: String,
    default_variant: bool,
    pub(crate) fields: Vec<Entry>,
}

/// The declaration of a public type in a source.
pub(crate) fn declaration(source: &str, name: &str) -> Entry {
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
                // What is read from elsewhere is no key.
                if entry.serde == "skip" {
                    continue;
                }
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

/// The type of a key's value: words stay words, notation is set as code.
fn written(holds: &str) -> String {
    let name = notation(holds);
    let words = name.chars().all(|c| c.is_ascii_lowercase() || c == ' ');
    if words { name } else { format!("`{name}`") }
}

/// A type in the notation of studies: `{name: number}`, `[text]`, `(number, number)`.
fn notation(holds: &str) -> String {
    let inside = |name: &str| holds.strip_prefix(name).and_then(|rest| rest.strip_suffix('>'));
    if let Some(inner) = inside("Option<").or_else(|| inside("Box<")) {
        return notation(inner);
    }
    if let Some(inner) = inside("Vec<") {
        return format!("[{}]", notation(inner));
    }
    if let Some(inner) = inside("BTreeMap<String, ").or_else(|| inside("Named<")) {
        return format!("{{name: {}}}", notation(inner));
    }
    match holds {
        "String" => "text".into(),
        "f64" => "number".into(),
        "usize" | "u64" => "integer".into(),
        "bool" => "boolean".into(),
        "(f64, f64)" => "(number, number)".into(),
        "((f64, f64), (f64, f64))" => "((number, number), (number, number))".into(),
        "(String, String)" => "(text, text)".into(),
        "(usize, usize)" => "(integer, integer)".into(),
        "Number" => "number or formula".into(),
        "Names" => "text or [text]".into(),
        "DataColumn" => "text or integer".into(),
        other => other.strip_suffix("Spec").unwrap_or(other).into(),
    }
}

/// The default values of types all of whose keys have one, by type and key, in the words of `Debug`.
fn defaults() -> &'static BTreeMap<String, BTreeMap<String, String>> {
    static FOUND: LazyLock<BTreeMap<String, BTreeMap<String, String>>> = LazyLock::new(|| {
        let source = SOURCES.iter().find(|(name, _)| *name == "analysis").unwrap().1;
        let analyses: Vec<String> = declaration(source, "AnalysisSpec")
            .fields
            .iter()
            .map(|variant| format!("{}()", variant.name))
            .collect();
        let text = format!(
            "Study(title: \"t\", system: Shaw(), analyses: [{}])",
            analyses.join(", ")
        );
        let study = study::parse("defaults.ron".as_ref(), text).unwrap_or_else(|e| panic!("{e}"));
        let mut found = BTreeMap::new();
        for analysis in &study.spec.analyses {
            collect_fields(&format!("{analysis:?}"), &mut found);
        }
        collect_fields(&format!("{:?}", RecordFormat::default()), &mut found);
        found
    });
    &FOUND
}

/// The fields of every `Name { field: value, … }` in the words of `Debug`.
fn collect_fields(debug: &str, found: &mut BTreeMap<String, BTreeMap<String, String>>) {
    for (at, _) in debug.match_indices(" { ") {
        let start = debug[..at].rfind(|c: char| !c.is_alphanumeric()).map_or(0, |i| i + 1);
        let (mut depth, mut pieces) = (0, vec![String::new()]);
        for c in debug[at + 3..].chars() {
            depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
            match c {
                _ if depth < 0 => break,
                ',' if depth == 0 => pieces.push(String::new()),
                _ => pieces.last_mut().unwrap().push(c),
            }
        }
        let fields = pieces.iter().filter_map(|piece| piece.trim().split_once(": "));
        let fields = fields.map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
        found.insert(debug[start..at].to_owned(), fields.collect());
    }
}

/// A value in the words of `Debug` as a study would say it.
fn as_ron(debug: &str) -> String {
    let mut text = String::new();
    let mut rest = debug;
    // A type inside a variant goes without its name: `Synthetic(Bearing { … })` is `Synthetic(…)`.
    while let Some(at) = rest.find(" { ") {
        let start = rest[..at].rfind(|c: char| !c.is_alphanumeric()).map_or(0, |i| i + 1);
        let inside = start > 0 && rest[..start].ends_with('(');
        text.push_str(if inside { &rest[..start] } else { &rest[..at] });
        text.push_str(if inside { "" } else { "(" });
        rest = &rest[at + 3..];
    }
    text.push_str(rest);
    text = text.replace(" })", ")").replace(" }", ")");
    // Options and lists of one place are written as what they hold.
    for (open, close) in [("Some(", ")"), ("Positions([", "])")] {
        while let Some((before, rest)) = text.split_once(open) {
            let Some((held, after)) = rest.split_once(close) else {
                break;
            };
            text = format!("{before}{held}{after}");
        }
    }
    text
}

/// The default of a field, as one would write it; none if the key is required.
pub(crate) fn default_of(source: &str, owner: &Entry, field: &Entry) -> Option<String> {
    if owner.serde.contains("default") && owner.name != "Style" {
        let value = &defaults()[&owner.name][&field.name];
        let kind = field.holds.strip_suffix("Spec").unwrap_or(&field.holds);
        let whole = value.starts_with(&format!("{kind} {{")) || value.starts_with(&format!("{} {{", field.holds));
        return Some(match value.strip_prefix("Some(").and_then(|v| v.strip_suffix(')')) {
            _ if whole => "all defaults".into(),
            _ if value == "None" => "–".into(),
            Some(inner) => format!("`{}`", as_ron(inner)),
            None => format!("`{}`", as_ron(value)),
        });
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
        let series = HarmonicOptions::default();
        return Some(match body {
            "HarmonicOptions::default().harmonics" => format!("`{}`", series.harmonics),
            "HarmonicOptions::default().tolerance" => format!("`{:?}`", series.tolerance),
            "MeshOptions::default().stages" => format!("`{}`", mesh.stages),
            "MeshOptions::default().tolerance" => format!("`{:?}`", mesh.tolerance),
            _ if body.starts_with("Number::Value(") => {
                let number: f64 = body["Number::Value(".len()..].trim_end_matches(')').parse().unwrap();
                format!("`{number}`")
            }
            _ => format!(
                "`{}`",
                body.replace(".to_owned()", "")
                    .replace("vec!", "")
                    .replace("Object::", "")
                    .replace('_', "")
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
        "RecordFormat" => "all defaults".into(),
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
    text.push_str("| key | type | default | meaning |\n|---|---|---|---|\n");
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
    text.push_str("| value | meaning |\n|---|---|\n");
    for v in &own.fields {
        let arguments = if !v.fields.is_empty() {
            "(...)".into()
        } else if v.holds.is_empty() {
            String::new()
        } else {
            "(…)".to_owned()
        };
        let is_said = v.about.ends_with("The default.");
        let default = if v.default_variant && !is_said {
            " The default."
        } else {
            ""
        };
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

/// The page with its generated parts made anew: everything between `<!-- keys: SOURCE TYPE -->` and
/// `<!-- end of keys -->`. After `TYPE besides OTHER` the keys that `OTHER` has in the same words are left out.
pub(crate) fn regenerated(page: &str) -> String {
    let mut fresh = String::new();
    let mut rest = page;
    while let Some(at) = rest.find("<!-- keys: ") {
        let end_of_mark = at + rest[at..].find("-->").unwrap() + 3;
        let words: Vec<&str> = rest[at..end_of_mark].split_whitespace().collect();
        let source = SOURCES.iter().find(|(name, _)| *name == words[2]).unwrap().1;
        fresh.push_str(&rest[..end_of_mark]);
        fresh.push_str("\n\n");
        let own = part(source, words[3]);
        let other = words.get(5).map_or_else(String::new, |other| part(source, other));
        for line in own.lines() {
            if !line.starts_with("| `") || other.lines().all(|known| known != line) {
                fresh.push_str(line);
                fresh.push('\n');
            }
        }
        fresh.push('\n');
        let close = rest[end_of_mark..].find("<!-- end of keys -->").unwrap();
        rest = &rest[end_of_mark + close..];
    }
    fresh + rest
}
