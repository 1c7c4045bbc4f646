//! The Python classes that stand for the keys of studies are made from the sources that declare these.

use super::key_tables::{Entry, SOURCES, declaration, default_of};
use slipstick_system::catalogue;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The modules of the package with the sources whose types they have.
const MODULES: [(&str, &[&str]); 4] = [
    ("studies", &["study"]),
    ("systems", &["system"]),
    ("figures", &["figure"]),
    ("analyses", &["analysis", "friction"]),
];

/// What each module is about.
fn about(module: &str) -> &'static str {
    match module {
        "studies" => "Studies: curves, where they start, tasks. Every class has the keys of a study file.",
        "systems" => "Systems: equations, modes and events, contacts, and the built-in ones.",
        "figures" => "Figures, as studies describe them.",
        _ => "Computations by a system's own solver.",
    }
}

/// Types of studies that the pages tell of elsewhere.
const FURTHER: &str = include_str!("../../src/study/spec/system/bowed.rs");
const SYSTEMS: &str = include_str!("../../src/study/spec/system/entry.rs");

/// A type that a study can mention.
struct Type {
    source: &'static str,
    own: Entry,
    is_enum: bool,
}

impl Type {
    /// The name that tells it from those of other sources.
    fn key(&self) -> String {
        format!("{}.{}", self.source, self.own.name)
    }

    /// Its name in Python or, of an enum, what its variants are of.
    fn stem(&self) -> &str {
        let renamed = self
            .own
            .serde
            .split("rename = \"")
            .nth(1)
            .and_then(|r| r.split('"').next());
        renamed.filter(|_| !self.is_enum).unwrap_or_else(|| {
            let name = &self.own.name;
            name.strip_suffix("Spec").unwrap_or(name)
        })
    }

    fn module(&self) -> &'static str {
        let of = MODULES.iter().find(|(_, sources)| sources.contains(&self.source));
        of.unwrap().0
    }
}

/// Everything that studies are made of.
struct Schema {
    types: Vec<Type>,
}

/// A variant that holds nothing.
fn is_word(variant: &Entry) -> bool {
    variant.fields.is_empty() && variant.holds.is_empty()
}

fn without_box(holds: &str) -> &str {
    holds
        .strip_prefix("Box<")
        .and_then(|inner| inner.strip_suffix('>'))
        .unwrap_or(holds)
}

impl Schema {
    fn read() -> Self {
        let mut types = vec![];
        let further = ("system", FURTHER);
        let systems = ("system", SYSTEMS);
        for (source, text) in SOURCES.into_iter().chain([further, systems]) {
            let mut read = false;
            let mut untagged = false;
            for line in text.lines() {
                // A text or a number, which needs no class.
                untagged |= line == "#[serde(untagged)]";
                read |= line.starts_with("#[derive(") && line.contains("Deserialize");
                let declared = line
                    .strip_prefix("pub struct ")
                    .map(|rest| (rest, false))
                    .or_else(|| line.strip_prefix("pub enum ").map(|rest| (rest, true)));
                let Some((rest, is_enum)) = declared else { continue };
                // The systems read themselves.
                if (read || rest == "SystemSpec {")
                    && let Some(name) = rest.strip_suffix(" {")
                    && !name.ends_with("Result")
                    && !untagged
                {
                    let own = declaration(text, name);
                    types.push(Type { source, own, is_enum });
                }
                (read, untagged) = (false, false);
            }
        }
        Self { types }
    }

    /// The type of this name that a source means.
    fn find(&self, source: &str, name: &str) -> Option<&Type> {
        let named = |t: &&Type| t.own.name == name;
        let own = self.types.iter().filter(named).find(|t| t.source == source);
        own.or_else(|| self.types.iter().find(named))
    }

    /// The enums of which this struct is a variant, with the name of the variant.
    fn wrapped<'a>(&'a self, of: &'a Type) -> impl Iterator<Item = (&'a Type, &'a Entry)> + 'a {
        let enums = self.types.iter().filter(|t| t.is_enum);
        enums.flat_map(move |t| {
            let variants = t.own.fields.iter();
            let holding = variants.filter(move |v| {
                let held = self.find(t.source, without_box(&v.holds));
                v.fields.is_empty() && held.is_some_and(|held| held.key() == of.key() && !held.is_enum)
            });
            holding.map(move |v| (t, v))
        })
    }

    /// The name of the class of a struct.
    fn class_of(&self, of: &Type) -> String {
        // Systems are read by the names of their own.
        let mut wrapped = self.wrapped(of).filter(|(t, _)| t.own.name != "SystemSpec");
        let variant = wrapped.next().map(|(_, variant)| variant.name.clone());
        variant.unwrap_or_else(|| of.stem().to_owned())
    }

    /// The type of a value in the words of Python's annotations and of `_parts.py`.
    fn written(&self, source: &str, module: &str, holds: &str) -> (String, String) {
        let inside = |name: &str| holds.strip_prefix(name).and_then(|rest| rest.strip_suffix('>'));
        if let Some(inner) = inside("Option<").or_else(|| inside("Box<")) {
            return self.written(source, module, inner);
        }
        if let Some(inner) = inside("Vec<") {
            let (annotation, kind) = self.written(source, module, inner);
            return (format!("Sequence[{annotation}]"), format!("[{kind}]"));
        }
        if let Some(inner) = inside("BTreeMap<String, ").or_else(|| inside("Named<")) {
            let (annotation, kind) = self.written(source, module, inner);
            return (format!("Mapping[str, {annotation}]"), format!("{{{kind}}}"));
        }
        if holds.starts_with('(') {
            let parts = split(&holds[1..holds.len() - 1]);
            let parts: Vec<_> = parts.iter().map(|part| self.written(source, module, part)).collect();
            let annotations: Vec<&str> = parts.iter().map(|(a, _)| a.as_str()).collect();
            let kinds: Vec<&str> = parts.iter().map(|(_, k)| k.as_str()).collect();
            return (
                format!("tuple[{}]", annotations.join(", ")),
                format!("({})", kinds.join(", ")),
            );
        }
        let plain = |annotation: &str, kind: &str| (annotation.to_owned(), kind.to_owned());
        match holds {
            "String" => plain("str", "text"),
            "f64" => plain("float", "number"),
            "usize" | "u64" | "u8" => plain("int", "integer"),
            "bool" => plain("bool", "boolean"),
            "Number" | "Place" => plain("float | str", "formula"),
            "Names" => plain("str | Sequence[str]", "names"),
            "Positions" => plain("float | Sequence[float]", "any"),
            "Column" => plain("str | int", "any"),
            "DataColumn" => plain("str | int", "formula"),
            name => {
                let Some(found) = self.find(source, name) else {
                    return plain("Any", "any");
                };
                let class = if found.own.name == "SystemSpec" {
                    "System".to_owned()
                } else if found.is_enum {
                    format!("Any{}", found.stem())
                } else {
                    self.class_of(found)
                };
                let prefix = if found.module() == module {
                    String::new()
                } else {
                    format!("{}.", found.module())
                };
                let words: Vec<&str> = found
                    .own
                    .fields
                    .iter()
                    .filter(|v| found.is_enum && is_word(v))
                    .map(|v| v.name.as_str())
                    .collect();
                let words = if words.is_empty() {
                    String::new()
                } else {
                    format!("={}", words.join("|"))
                };
                (format!("{prefix}{class}"), format!("#{}{words}", found.key()))
            }
        }
    }
}

/// The parts of a list of types.
fn split(list: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in list.chars() {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(c);
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// A key as Python takes it.
fn argument(key: &str) -> String {
    if key == "from" { "from_".into() } else { key.into() }
}

/// A text in lines of at most 120 characters, each behind these spaces; the first follows what stands there already.
fn wrapped(text: &str, indent: usize, first: usize) -> String {
    let (mut lines, mut width) = (String::new(), first);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width + 1 + length > 120 && width > indent {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            width = indent;
        } else if !lines.is_empty() {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += length;
    }
    lines.replace('\\', "\\\\")
}

/// A key of a class: its name, annotation, kind, what it means, what it is by default; none if it is required.
struct Key {
    name: String,
    annotation: String,
    kind: String,
    about: String,
    default: Option<String>,
}

/// A class as Python declares it.
struct Class {
    name: String,
    written: String,
    base: &'static str,
    fits: Vec<String>,
    about: String,
    keys: Vec<Key>,
    /// Annotations and kinds of values without names.
    values: Vec<(String, String)>,
}

impl Class {
    fn python(&self) -> String {
        let mut text = format!("class {}({}):\n", self.name, self.base);
        let about = if self.about.is_empty() {
            "As a study writes it."
        } else {
            &self.about
        };
        let _ = write!(text, "    \"\"\"{}", wrapped(about, 4, 7));
        if self.keys.is_empty() {
            text.push_str("\"\"\"\n\n");
        } else {
            text.push_str("\n\n    Args:\n");
            for key in &self.keys {
                let mut about = key.about.clone();
                let trivial = ["–", "`[]`", "`{}`"];
                if let Some(default) = key.default.as_ref().filter(|d| !trivial.contains(&d.as_str())) {
                    let _ = write!(about, " Default: {default}.");
                }
                let name = argument(&key.name);
                let _ = writeln!(text, "        {name}: {}", wrapped(&about, 12, 10 + name.len()));
            }
            text.push_str("    \"\"\"\n\n");
        }
        let _ = writeln!(text, "    _written = \"{}\"", self.written);
        let fits: Vec<String> = self.fits.iter().map(|f| format!("\"{f}\"")).collect();
        let _ = writeln!(text, "    _fits = frozenset({{{}}})", fits.join(", "));
        if self.values.is_empty() {
            text.push_str("    _keys = {\n");
            for key in &self.keys {
                let _ = writeln!(text, "        \"{}\": \"{}\",", key.name, key.kind);
            }
            text.push_str("    }\n\n    def __init__(\n        self,\n");
            if !self.keys.is_empty() {
                text.push_str("        *,\n");
            }
            for key in &self.keys {
                let name = argument(&key.name);
                let _ = match &key.default {
                    None => writeln!(text, "        {name}: {},", key.annotation),
                    Some(_) => writeln!(text, "        {name}: {} | None = None,", key.annotation),
                };
            }
            text.push_str("    ) -> None:\n        self._fill(locals())\n");
        } else {
            let kinds: Vec<String> = self.values.iter().map(|(_, kind)| format!("\"{kind}\"")).collect();
            let comma = if kinds.len() == 1 { "," } else { "" };
            let _ = writeln!(text, "    _values = ({}{comma})\n", kinds.join(", "));
            let named = |(k, (annotation, _)): (usize, &(String, String))| format!("value{}: {annotation}", k + 1);
            let arguments: Vec<String> = self.values.iter().enumerate().map(named).collect();
            let _ = writeln!(text, "    def __init__(self, {}, /) -> None:", arguments.join(", "));
            let names: Vec<String> = (1..=self.values.len()).map(|k| format!("value{k}")).collect();
            let _ = writeln!(text, "        self._take({})", names.join(", "));
        }
        text
    }
}

/// The default of a key in words; none if it is required.
fn default(source: &str, owner: &Entry, field: &Entry) -> Option<String> {
    if owner.name == "BowedSystemSpec" {
        return Some("–".into());
    }
    let text = SOURCES.iter().find(|(name, _)| *name == source).unwrap().1;
    default_of(text, owner, field)
}

fn keys(schema: &Schema, of: &Type, owner: &Entry, module: &str) -> Vec<Key> {
    let key = |field: &Entry| {
        let (annotation, kind) = schema.written(of.source, module, &field.holds);
        Key {
            name: field.name.clone(),
            annotation,
            kind,
            about: field.about.clone(),
            default: default(of.source, owner, field),
        }
    };
    owner.fields.iter().map(key).collect()
}

/// The classes of a module, in the order of the sources.
fn classes(schema: &Schema, module: &str) -> Vec<Class> {
    let mut found: Vec<Class> = vec![];
    if module == "systems" {
        found.extend(catalogue::all().iter().map(builtin));
    }
    let own = || schema.types.iter().filter(|t| t.module() == module);
    for of in own().filter(|t| !t.is_enum) {
        let mut fits = vec![of.key()];
        fits.extend(schema.wrapped(of).map(|(t, _)| t.key()));
        let name = schema.class_of(of);
        found.push(Class {
            written: name.clone(),
            name,
            base: if fits.iter().any(|f| f == "system.SystemSpec") {
                "System"
            } else {
                "Part"
            },
            fits,
            about: of.own.about.split("```").next().unwrap().trim().to_owned(),
            keys: keys(schema, of, &of.own, module),
            values: vec![],
        });
    }
    let mut variants: Vec<(String, Class)> = vec![];
    for of in own().filter(|t| t.is_enum && t.own.name != "SystemSpec") {
        for variant in of.own.fields.iter().filter(|v| !is_word(v)) {
            let held = schema.find(of.source, without_box(&variant.holds));
            if variant.fields.is_empty() && held.is_some_and(|held| !held.is_enum) {
                continue;
            }
            // Read as a number or a text, without a name.
            if ["Place", "Column"].contains(&of.own.name.as_str()) {
                continue;
            }
            let values = match variant.holds.as_str() {
                "" => vec![],
                holds => split(holds)
                    .iter()
                    .map(|part| schema.written(of.source, module, part))
                    .collect(),
            };
            let class = Class {
                name: variant.name.clone(),
                written: variant.name.clone(),
                base: "Part",
                fits: vec![of.key()],
                about: variant.about.clone(),
                keys: keys(schema, of, variant, module),
                values,
            };
            variants.push((format!("{}{}", variant.name, of.stem()), class));
        }
    }
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for class in found.iter().chain(variants.iter().map(|(_, class)| class)) {
        *taken.entry(class.name.clone()).or_default() += 1;
    }
    found.extend(variants.into_iter().map(|(longer, class)| Class {
        name: if taken[&class.name] > 1 {
            longer
        } else {
            class.name.clone()
        },
        ..class
    }));
    found
}

/// The class of a built-in system.
fn builtin(system: &slipstick_system::System) -> Class {
    let mut keys: Vec<Key> = system
        .parameters
        .iter()
        .map(|p| Key {
            name: p.name.to_string(),
            annotation: "float | str".into(),
            kind: "formula".into(),
            about: format!("{}.", p.about),
            default: Some(format!("`{}`", p.value)),
        })
        .collect();
    keys.push(Key {
        name: "monitors".into(),
        annotation: "Mapping[str, AnyMonitor]".into(),
        kind: "{#system.MonitorSpec}".into(),
        about: "Monitors besides its own.".into(),
        default: Some("–".into()),
    });
    Class {
        name: system.name.to_string(),
        written: system.name.to_string(),
        base: "System",
        fits: vec!["system.SystemSpec".into()],
        about: system.about.to_string(),
        keys,
        values: vec![],
    }
}

/// What stands for an enum in annotations.
fn alias(schema: &Schema, module: &str, of: &Type, classes: &[Class]) -> String {
    let words: Vec<String> = of
        .own
        .fields
        .iter()
        .filter(|v| is_word(v))
        .map(|v| format!("\"{}\"", v.name))
        .collect();
    let mut parts = vec![];
    if !words.is_empty() {
        parts.push(format!("Literal[{}]", words.join(", ")));
    }
    parts.extend(
        classes
            .iter()
            .filter(|c| c.fits.contains(&of.key()))
            .map(|c| c.name.clone()),
    );
    for other in MODULES.iter().map(|(name, _)| *name).filter(|name| *name != module) {
        let fitting = self::classes(schema, other)
            .into_iter()
            .filter(|c| c.fits.contains(&of.key()));
        parts.extend(fitting.map(|c| format!("{other}.{}", c.name)));
    }
    format!("    Any{}: TypeAlias = {}\n", of.stem(), parts.join(" | "))
}

/// The text of a module.
fn module_text(schema: &Schema, module: &str) -> String {
    let classes = classes(schema, module);
    let mut body = String::new();
    for class in &classes {
        let _ = write!(body, "\n\n{}", class.python());
    }
    let mut aliases = String::new();
    for of in schema.types.iter().filter(|t| t.module() == module && t.is_enum) {
        if !["SystemSpec", "Place", "Column"].contains(&of.own.name.as_str()) {
            aliases.push_str(&alias(schema, module, of, &classes));
        }
    }
    let mut text = format!(
        "\"\"\"{}\n\nMade from the sources of the engine by a test, which says how when they differ: do not edit.\n\"\"\"\n\n",
        about(module)
    );
    text.push_str("from __future__ import annotations\n\n");
    let uses = |word: &str| body.contains(word) || aliases.contains(word);
    let of_typing: Vec<&str> = ["TYPE_CHECKING", "Any", "Literal", "TypeAlias"]
        .into_iter()
        .filter(|name| *name == "TYPE_CHECKING" || uses(&format!("{name}[")) || uses(&format!(": {name}")))
        .collect();
    let _ = writeln!(text, "from typing import {}\n", of_typing.join(", "));
    text.push_str("from ._parts import Part\n");
    if module == "systems" {
        text.push_str("from ._systems import System\n");
    }
    text.push_str("\nif TYPE_CHECKING:\n");
    let collections: Vec<&str> = ["Mapping", "Sequence"]
        .into_iter()
        .filter(|name| uses(&format!("{name}[")))
        .collect();
    if !collections.is_empty() {
        let _ = writeln!(text, "    from collections.abc import {}\n", collections.join(", "));
    }
    let others: Vec<&str> = MODULES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| *name != module && uses(&format!("{name}.")))
        .collect();
    if !others.is_empty() {
        let _ = writeln!(text, "    from . import {}", others.join(", "));
    }
    if body.contains(": System") && module != "systems" {
        text.push_str("    from ._systems import System\n");
    }
    let mut names: Vec<&str> = classes.iter().map(|c| c.name.as_str()).collect();
    if module == "systems" {
        names.push("System");
    }
    names.sort_unstable();
    text.push_str("\n__all__ = [\n");
    for name in names {
        let _ = writeln!(text, "    \"{name}\",");
    }
    text.push_str("]\n");
    text.push_str(&body);
    if !aliases.is_empty() {
        let _ = write!(text, "\n\nif TYPE_CHECKING:\n{aliases}");
    }
    text
}

#[test]
fn the_python_classes_have_every_key() {
    let schema = Schema::read();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("python/slipstick");
    for (module, _) in MODULES {
        let file = folder.join(format!("{module}.py"));
        let fresh = module_text(&schema, module);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, &fresh).unwrap();
            continue;
        }
        let there = std::fs::read_to_string(&file).unwrap();
        let differs = fresh
            .lines()
            .zip(there.lines())
            .position(|(fresh, there)| fresh != there);
        assert!(
            fresh == there,
            "python/slipstick/{module}.py has drifted (line {:?}); run: UPDATE_DOCS=1 cargo test --test suite python_keys",
            differs.map(|line| line + 1)
        );
    }
}
