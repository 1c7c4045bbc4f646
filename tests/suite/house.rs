//! The house itself: no circles of files, the words of the field in names and messages, comments that fit a page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words that were private to this program, and what the field says instead.
const RETIRED: [(&str, &str); 16] = [
    ("course", "trajectory, dense output"),
    ("visit", "segment"),
    ("walk", "trace, scan"),
    ("watch", "event locator"),
    ("settle", "transient, adapt, prune"),
    ("held", "fixed, constraint"),
    ("pinned", "constrained"),
    ("shot", "shooting interval"),
    ("nudge", "reuse of a linearisation"),
    ("carry", "transfer of a mesh"),
    ("lift", "variational extension"),
    ("tower", "variational extension"),
    ("meeting", "codimension-two point"),
    ("prong", "branch of a pitchfork"),
    ("fate", "outcome"),
    ("told", "reported, classified"),
];

/// Identifiers that have such a word for a reason: keys of studies, which are a promise to users, and the methods of
/// serde.
const REASONS: [&str; 7] = [
    "Settle",
    "shots",
    "fates",
    "Fates",
    "FatesSpec",
    "default_fates",
    "visit_",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All files of Rust that users run: the crates of the house, and the Python package beside it.
fn all_files() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/src");
    [files(&source()), files(&package)].concat()
}

/// All files of Rust below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The text of a file up to its tests.
fn without_tests(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let begins_tests = |(at, _): &(usize, &str)| {
        let mut after = text[*at..].lines().skip(2).skip_while(|line| line.starts_with("#["));
        after
            .next()
            .is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
    };
    let end = text.match_indices("\n#[cfg(test)]").find(begins_tests);
    text[..end.map_or(text.len(), |(at, _)| at)].to_owned()
}

fn is_of_tests(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "tests")
}

/// Code without comments, and its texts.
fn code_and_texts(text: &str) -> (String, Vec<String>) {
    let (mut code, mut texts) = (String::new(), vec![]);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let raw = ["r\"", "r#\"", "r##\""].iter().find(|begin| rest.starts_with(**begin));
        let after_word = code.chars().last().is_some_and(|c| c.is_alphanumeric() || c == '_');
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(begin) = raw.filter(|_| !after_word) {
            let end = format!("\"{}", "#".repeat(begin.len() - 2));
            let inside = &rest[begin.len()..];
            let length = inside.find(&end).unwrap();
            texts.push(inside[..length].to_owned());
            rest = &inside[length + end.len()..];
        } else if first == '"' {
            let mut length = 1;
            while !rest[length..].starts_with('"') {
                let skip = usize::from(rest[length..].starts_with('\\'));
                length += rest[length..].chars().take(1 + skip).map(char::len_utf8).sum::<usize>();
            }
            texts.push(rest[1..length].to_owned());
            rest = &rest[length + 1..];
        } else if let Some(inside) = rest.strip_prefix('\'') {
            // A character, or a lifetime.
            let mut letters = inside.char_indices();
            let escaped = inside.starts_with('\\');
            let close = if escaped {
                inside[2..].find('\'').map(|at| at + 2)
            } else {
                letters.nth(1).filter(|(_, c)| *c == '\'').map(|(at, _)| at)
            };
            rest = close.map_or(inside, |at| &inside[at + 1..]);
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    (code, texts)
}

/// `a::{b, c::D}` as the paths `a::b` and `a::c::D`.
fn flattened(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((stem, inside)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap();
        return vec![path.split("::").map(|part| part.trim().to_owned()).collect()];
    };
    let stem: Vec<String> = stem
        .split("::")
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    let inside = &inside[..inside.rfind('}').unwrap()];
    let (mut depth, mut begin, mut parts) = (0, 0, vec![]);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inside[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[begin..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(flattened)
        .map(|path| [stem.clone(), path].concat())
        .collect()
}

/// The files of a crate by their modules, with what each imports: whole paths from the root of the crate, and whether
/// it re-exports them.
struct Crate {
    imports: BTreeMap<Vec<String>, Vec<(Vec<String>, bool)>>,
}

impl Crate {
    fn read(root: &Path) -> Self {
        let mut imports = BTreeMap::new();
        let all: Vec<PathBuf> = files(root).into_iter().filter(|file| !is_of_tests(file)).collect();
        let module = |file: &Path| -> Vec<String> {
            let path = file.strip_prefix(root).unwrap().with_extension("");
            let mut parts: Vec<String> = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if parts.last().is_some_and(|last| last == "mod") || parts == ["lib"] {
                parts.pop();
            }
            parts
        };
        let modules: BTreeSet<Vec<String>> = all.iter().map(|file| module(file)).collect();
        for file in &all {
            let own = module(file);
            let (code, _) = code_and_texts(&without_tests(file));
            let mut paths = vec![];
            for statement in code.split(';') {
                let line = statement.trim_start();
                let line = line.rsplit("]\n").next().unwrap().trim_start();
                let public = line.starts_with("pub");
                let tree = line
                    .trim_start_matches("pub(crate) ")
                    .trim_start_matches("pub(super) ")
                    .trim_start_matches("pub ");
                let Some(tree) = tree.strip_prefix("use ") else {
                    continue;
                };
                for mut path in flattened(tree) {
                    let mut base = own.clone();
                    match path[0].as_str() {
                        "crate" => base.clear(),
                        "super" => {
                            base.pop();
                            while path.get(1).is_some_and(|part| part == "super") {
                                base.pop();
                                path.remove(0);
                            }
                        }
                        "self" => {}
                        first => {
                            let child = [base.clone(), vec![first.to_owned()]].concat();
                            if !modules.contains(&child) {
                                continue;
                            }
                            path.insert(0, "self".into());
                        }
                    }
                    paths.push(([base, path.split_off(1)].concat(), public));
                }
            }
            imports.insert(own, paths);
        }
        Self { imports }
    }

    /// The module in which the name at the end of a path is defined.
    fn home(&self, path: &[String], depth: usize) -> Option<&Vec<String>> {
        let length = (0..=path.len())
            .rev()
            .find(|&k| self.imports.contains_key(&path[..k]))?;
        let (module, exported) = self.imports.get_key_value(&path[..length])?;
        let name = path.get(length)?;
        let named = exported.iter().find(|(p, public)| *public && p.last() == Some(name));
        match named {
            Some((further, _)) if depth < 8 => self.home(further, depth + 1).or(Some(module)),
            _ => Some(module),
        }
    }

    /// How many files stand in a circle with others.
    fn in_circles(&self) -> Vec<String> {
        let names: Vec<&Vec<String>> = self.imports.keys().collect();
        let index = |module: &Vec<String>| names.iter().position(|name| *name == module);
        let n = names.len();
        let mut reaches = vec![vec![false; n]; n];
        for (from, module) in names.iter().enumerate() {
            for (path, public) in &self.imports[*module] {
                let Some(to) = self
                    .home(path, 0)
                    .or_else(|| self.imports.get_key_value(path).map(|(m, _)| m))
                else {
                    continue;
                };
                // That a folder shows what lies in it is no import.
                let shows = *public && to.starts_with(module);
                if to != *module && !shows {
                    reaches[from][index(to).unwrap()] = true;
                }
            }
        }
        for k in 0..n {
            for i in 0..n {
                if reaches[i][k] {
                    let through = reaches[k].clone();
                    reaches[i].iter_mut().zip(through).for_each(|(to, also)| *to |= also);
                }
            }
        }
        (0..n).filter(|&i| reaches[i][i]).map(|i| names[i].join("/")).collect()
    }
}

/// No file imports another that imports it. The floors are crates, whose order the compiler holds.
#[test]
fn files_form_no_circles() {
    let crates = std::fs::read_dir(source()).unwrap().map(|entry| entry.unwrap().path());
    for root in crates.chain([source().join("../python/src")]) {
        if !root.join("lib.rs").is_file() {
            continue;
        }
        let name = root.display();
        let circles = Crate::read(&root).in_circles();
        assert!(circles.is_empty(), "{name}: files in circles: {circles:?}");
    }
}

/// The type parameters of the generic type whose `<` is the last character before `text`.
fn type_parameters(text: &str) -> Vec<String> {
    let (mut depth, mut parameters, mut before) = (0, vec![String::new()], ' ');
    for c in text.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' if depth == 0 => break,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parameters.push(String::new());
                continue;
            }
            _ => {}
        }
        parameters.last_mut().unwrap().push(c);
        before = c;
    }
    let trimmed = parameters.iter().map(|parameter| parameter.trim().to_owned());
    trimmed.filter(|parameter| !parameter.is_empty()).collect()
}

/// What went wrong has a type of its own, which says it in words and keeps what it came from.
#[test]
fn no_error_is_a_mere_text() {
    let mut found = vec![];
    for file in all_files().into_iter().filter(|file| !is_of_tests(file)) {
        let (code, _) = code_and_texts(&without_tests(&file));
        for (at, of) in code.match_indices("Result<") {
            if let [_, error] = &type_parameters(&code[at + of.len()..])[..]
                && error == "String"
            {
                let line = code[..at].lines().count();
                found.push(format!("{}: near line {line} of its code", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The words of an identifier: `first_crossing` and `FirstCrossing` have two.
fn words(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in identifier.chars() {
        if c == '_' || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    words
}

/// Is this the retired word, in whatever form?
fn is_form_of(word: &str, retired: &str) -> bool {
    let stem = retired.trim_end_matches('e').trim_end_matches('y');
    let endings = ["", "e", "y", "s", "es", "ed", "ing", "ies", "ied", "d"];
    word == retired
        || endings
            .iter()
            .any(|end| word == format!("{stem}{end}") && word.len() >= retired.len())
}

#[test]
fn retired_words_are_in_no_name_and_no_message() {
    let mut found = vec![];
    for file in all_files().into_iter().filter(|file| !is_of_tests(file)) {
        let (code, texts) = code_and_texts(&without_tests(&file));
        let identifiers: BTreeSet<&str> = code
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| {
                !REASONS
                    .iter()
                    .any(|reason| word == reason || (reason.ends_with('_') && word.starts_with(reason)))
            })
            .collect();
        for identifier in identifiers {
            for (retired, instead) in RETIRED {
                if words(identifier).iter().any(|word| is_form_of(word, retired)) {
                    found.push(format!("{}: `{identifier}`: say {instead}", file.display()));
                }
            }
        }
        for text in texts.iter().filter(|text| text.contains(' ')) {
            let said = text.split(|c: char| !c.is_alphabetic() && c != '`');
            for word in said.filter(|word| !word.contains('`') && !REASONS.contains(word)) {
                for (retired, instead) in RETIRED {
                    if is_form_of(word, retired) {
                        found.push(format!("{}: {text:?} says `{word}`: say {instead}", file.display()));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Prose in comments is at most 120 characters wide; code in examples and tables may be wider.
#[test]
fn comments_fit_a_page() {
    let mut wide = vec![];
    for file in all_files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut example = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                example = false;
                continue;
            };
            let comment = comment.trim_start_matches(['/', '!']).trim_start();
            if comment.starts_with("```") {
                example = !example;
            }
            let one_word = !comment.contains(' ') || comment.starts_with('|') || comment.starts_with('$');
            if line.chars().count() > 120 && !example && !one_word {
                wide.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}
