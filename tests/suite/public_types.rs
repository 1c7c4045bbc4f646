//! The names of the library: few in the crate `slipstick`, and each public type of the crates below it shows an example
//! that is compiled and run, unless it is hidden from the documentation as a part that floors of the house share.
//!
//! The sources are read as rustdoc reads them: from the root of each crate, through public modules and re-exported
//! names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A public struct, enum or trait, and the lines of its documentation.
struct Type {
    name: String,
    documentation: String,
}

/// What one file says about names: its types, the modules below it (with their files, and whether they are public) and
/// the names it re-exports.
struct Module {
    file: PathBuf,
    types: Vec<Type>,
    children: Vec<(String, bool)>,
    exports: Vec<Vec<String>>,
}

impl Module {
    fn read(file: PathBuf) -> Self {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let (mut types, mut children, mut exports) = (Vec::new(), Vec::new(), Vec::new());
        let mut documentation = String::new();
        let mut hidden = false;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(comment) = line.strip_prefix("///") {
                documentation += comment.strip_prefix(' ').unwrap_or(comment);
                documentation.push('\n');
                continue;
            }
            if line == "#[doc(hidden)]" {
                hidden = true;
            }
            if line.starts_with("#[") || line.starts_with([' ', ')', ']']) {
                continue;
            }
            let words = ["pub struct ", "pub enum ", "pub trait "];
            if let Some(rest) = words
                .iter()
                .find_map(|word| line.strip_prefix(word))
                .filter(|_| !hidden)
            {
                let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                types.push(Type {
                    name: name.to_owned(),
                    documentation: documentation.clone(),
                });
            } else if let Some(name) = line.strip_prefix("pub mod ").and_then(|l| l.strip_suffix(';')) {
                children.push((name.to_owned(), true));
            } else if let Some(name) = line
                .strip_prefix("mod ")
                .or_else(|| line.strip_prefix("pub(crate) mod "))
                .and_then(|l| l.strip_suffix(';'))
            {
                children.push((name.to_owned(), false));
            } else if let Some(first) = line.strip_prefix("pub use ") {
                let mut list = first.to_owned();
                while !list.ends_with(';') {
                    list += lines.next().unwrap().trim();
                }
                exports.extend(exported(list.trim_end_matches(';')));
            }
            documentation.clear();
            hidden = false;
        }
        Self {
            file,
            types,
            children,
            exports,
        }
    }

    fn child(&self, name: &str) -> Option<Self> {
        self.children.iter().find(|(child, _)| child == name)?;
        let stem = self.file.file_stem().unwrap();
        let folder = self.file.parent().unwrap();
        let folder = if stem == "mod" || stem == "lib" {
            folder.to_owned()
        } else {
            folder.join(stem)
        };
        let single = folder.join(format!("{name}.rs"));
        let file = if single.is_file() {
            single
        } else {
            folder.join(name).join("mod.rs")
        };
        Some(Self::read(file))
    }

    /// The root of the crate that the module belongs to.
    fn root(&self) -> Self {
        let roots = self.file.ancestors().map(|folder| folder.join("lib.rs"));
        Self::read(roots.into_iter().find(|root| root.is_file()).unwrap())
    }

    /// Adds the types that can be named through this module.
    fn reachable(&self, found: &mut BTreeSet<(PathBuf, String)>, bare: &mut Vec<String>) {
        for t in &self.types {
            self.add(t, found, bare);
        }
        for (name, _) in self.children.iter().filter(|(_, public)| *public) {
            self.child(name).unwrap().reachable(found, bare);
        }
        for path in &self.exports {
            self.follow(path, found, bare);
        }
    }

    /// Adds the type at the end of a re-exported path that begins at a module below this one, or at the root of the
    /// crate.
    fn follow(&self, path: &[String], found: &mut BTreeSet<(PathBuf, String)>, bare: &mut Vec<String>) {
        let (first, rest) = path.split_first().unwrap();
        if first == "crate" {
            return self.root().follow(rest, found, bare);
        }
        if let Some(child) = self.child(first) {
            return match rest {
                [] => child.reachable(found, bare),
                _ => child.follow(rest, found, bare),
            };
        }
        match self.types.iter().find(|t| t.name == *first) {
            Some(t) => self.add(t, found, bare),
            None if first == "*" => self.reachable(found, bare),
            None => {
                for inner in self.exports.iter().filter(|e| e.last() == Some(first)) {
                    self.follow(inner, found, bare);
                }
            }
        }
    }

    fn add(&self, t: &Type, found: &mut BTreeSet<(PathBuf, String)>, bare: &mut Vec<String>) {
        if found.insert((self.file.clone(), t.name.clone())) && !has_example(&t.documentation) {
            bare.push(format!("{}: {}", self.file.display(), t.name));
        }
    }
}

/// `a::{b, c::D}` as the paths `a::b` and `a::c::D`; what comes from elsewhere in the crate is found at its own place.
fn exported(list: &str) -> Vec<Vec<String>> {
    let list = list.strip_prefix("self::").unwrap_or(list);
    let (stem, names) = match list.split_once('{') {
        Some((stem, names)) => (stem.trim_end_matches(':'), names.trim_end_matches('}')),
        None => ("", list),
    };
    let segments = |path: &str| -> Vec<String> {
        let path = path.split(" as ").next().unwrap();
        path.split("::")
            .map(|s| s.trim().to_owned())
            .filter(|s| !s.is_empty())
            .collect()
    };
    assert!(!names.contains('{'), "nested lists are not read: {list}");
    let paths = names.split(',').filter(|name| !name.trim().is_empty());
    paths.map(|name| [segments(stem), segments(name)].concat()).collect()
}

/// Whether a comment has a block of code that rustdoc compiles, with a line that is more than a comment.
fn has_example(documentation: &str) -> bool {
    documentation.split("```").skip(1).step_by(2).any(|block| {
        let (tags, code) = block.split_once('\n').unwrap_or((block, ""));
        let foreign = ["ignore", "text", "no_run", "compile_fail", "ron"];
        let compiled = !tags.split(',').any(|tag| foreign.contains(&tag.trim()));
        compiled && code.contains("slipstick_") && code.contains("assert")
    })
}

/// The roots of the crates of the house, each a folder of `src`.
fn floors() -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = std::fs::read_dir(src).unwrap().map(|entry| entry.unwrap().path());
    let mut roots: Vec<PathBuf> = folders
        .map(|folder| folder.join("lib.rs"))
        .filter(|root| root.exists())
        .collect();
    roots.sort();
    roots
}

#[test]
fn every_public_type_has_an_example_that_runs() {
    let (mut found, mut bare) = (BTreeSet::new(), Vec::new());
    for root in floors() {
        Module::read(root).reachable(&mut found, &mut bare);
    }
    assert!(found.len() > 300, "only {} types were seen", found.len());
    assert!(
        bare.is_empty(),
        "{} of {} public types have no example:\n{}",
        bare.len(),
        found.len(),
        bare.join("\n")
    );
}

/// The public names of the crate `slipstick`, by module.
fn facade() -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let modules = text
        .split("\npub mod ")
        .skip(1)
        .filter_map(|rest| rest.split_once(" {\n"));
    modules
        .filter(|(name, _)| name.chars().all(char::is_alphanumeric))
        .map(|(name, rest)| {
            let body = rest.split_once("\n}").unwrap().0.replace('\n', " ");
            let uses = body
                .split("pub use ")
                .skip(1)
                .map(|list| list.split_once(';').unwrap().0);
            let names = uses.flat_map(|list| exported(&list.split_whitespace().collect::<String>()));
            (
                name.to_owned(),
                names.map(|path| path.last().unwrap().clone()).collect(),
            )
        })
        .collect()
}

#[test]
fn the_library_has_at_most_sixty_names_in_five_modules() {
    let modules = facade();
    let names: Vec<&str> = modules.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["system", "orbit", "continuation", "study", "plot"]);
    let count: usize = modules.iter().map(|(_, names)| names.len()).sum();
    assert!((40..=60).contains(&count), "{count} names");
}

#[test]
fn an_example_is_code_that_runs_and_claims_something() {
    assert!(has_example(
        "A type.\n\n```\nuse slipstick_numerics::linalg::dot;\nassert_eq!(dot(&[1.0], &[2.0]), 2.0);\n```\n"
    ));
    assert!(!has_example(
        "A type.\n\n```ignore\nuse slipstick_numerics::linalg::dot;\nassert!(true);\n```\n"
    ));
    assert!(!has_example(
        "A type.\n\n```\nlet _: slipstick_numerics::linalg::Chain;\n```\n"
    ));
    assert!(!has_example("A type like `Chain`."));
}
