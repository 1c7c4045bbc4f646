//! Everything that is linked has a licence that `deny.toml` allows, and its text is in the bundle that goes with binaries.
//!
//! `UPDATE_LICENCES=1 cargo test --release --test suite licences::` writes the bundle, for all platforms; it fetches what
//! only others link.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The bundle.
const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/THIRD-PARTY-LICENCES.txt");

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<&'static str> {
    let text = include_str!("../../deny.toml");
    let list = text.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).collect()
}

/// Does an SPDX expression without nested alternatives hold with these licences? `A/B` is the old way to write
/// `A OR B`.
fn holds(expression: &str, allowed: &[&str]) -> bool {
    let flat = expression.replace('/', " OR ");
    let term = |term: &str| {
        term.trim()
            .trim_matches(['(', ')'])
            .split(" OR ")
            .any(|licence| allowed.contains(&licence.trim()))
    };
    flat.split(" AND ").all(term)
}

/// The platform that this was built on.
fn host() -> String {
    let output = Command::new(env!("CARGO")).arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap_or_else(|| panic!("cargo does not name its host: {text}"))
        .to_owned()
}

/// Everything that is compiled.
const ALL: [&str; 3] = ["normal", "build", "dev"];

/// The packages that a package of the workspace is made of, or all of those that are built by default, each with its
/// licence.
fn packages(edges: &[&str], of: Option<&str>) -> Vec<(String, String)> {
    // What other platforms would link was not brought by the build, and a machine without a history does not have it, as
    // little as what other packages of the workspace need: cargo-deny looks at all of them.
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "tree",
        "--locked",
        "--offline",
        "--edges",
        &edges.join(","),
        "--target",
        &host(),
    ]);
    command.args(["--prefix", "none", "--format", "{p}|{l}", "--manifest-path"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    command.args(of.map(|package| ["--package", package]).into_iter().flatten());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let parts = lines.into_iter().map(|line| line.split_once('|').unwrap());
    // What was listed before is marked.
    parts
        .map(|(package, licence)| (package.to_owned(), licence.trim_end_matches(" (*)").to_owned()))
        .collect()
}

fn check(packages: &[(String, String)]) {
    let allowed = allowed();
    assert!(packages.len() > 50);
    for (package, licence) in packages {
        assert!(holds(licence, &allowed), "{package}: {licence}");
    }
}

/// What cargo knows of the packages and of what they depend on: with the features of released binaries, for all
/// platforms.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_package_that_is_linked_has_an_allowed_licence() {
    let allowed = allowed();
    assert!(holds("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed) && !holds("GPL-3.0-only", &allowed));
    check(&packages(&ALL, None));
}

#[test]
#[ignore = "needs what the Python package is made of: after that was built"]
fn so_has_every_package_of_the_python_package() {
    let packages = packages(&ALL, Some("slipstick-python"));
    assert!(packages.iter().any(|(name, _)| name.starts_with("pyo3 ")));
    check(&packages);
}

/// The packages of others that the command is linked with: no tests, no tools of the build.
fn linked(metadata: &Value) -> Vec<&Value> {
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let packages = metadata["packages"].as_array().unwrap();
    let command = packages.iter().find(|package| package["name"] == "slipstick").unwrap();
    let mut open = vec![command["id"].as_str().unwrap()];
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        for other in nodes[id]["deps"].as_array().unwrap() {
            let kinds = other["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                open.push(other["pkg"].as_str().unwrap());
            }
        }
    }
    let of_others = |package: &&Value| found.contains(package["id"].as_str().unwrap()) && !package["source"].is_null();
    packages.iter().filter(of_others).collect()
}

/// `serde 1.0.229 (MIT OR Apache-2.0)`.
fn heading(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or("none").to_owned();
    format!(
        "{} {} ({})",
        text("name"),
        text("version"),
        text("license").replace('/', " OR ")
    )
}

/// The texts of the licence under which a package is used: the first that it offers of those that need the fewest words.
fn texts(package: &Value) -> Vec<String> {
    let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    let mut files: Vec<(String, std::path::PathBuf)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_string_lossy().to_uppercase(), path))
        .filter(|(name, _)| {
            ["LICEN", "COPYING", "UNLICENSE"]
                .iter()
                .any(|begin| name.starts_with(begin))
        })
        .collect();
    files.sort();
    let licence = package["license"].as_str().unwrap_or_default();
    // Where one licence is enough, its text is.
    if !licence.contains(" AND ") {
        for part in ["MIT", "BSD", "ZLIB", "APACHE"] {
            if let Some(one) = files.iter().find(|(name, _)| name.contains(part)) {
                files = vec![one.clone()];
                break;
            }
        }
    }
    let read = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    files.iter().map(|(_, path)| read(path)).collect()
}

/// A text whose lines end alike, without blanks at their ends.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

fn write_bundle() {
    let metadata = metadata();
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in linked(&metadata) {
        let mut all: Vec<String> = texts(package).iter().map(|text| tidy(text)).collect();
        if all.is_empty() {
            let authors: Vec<&str> = package["authors"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            all.push(format!(
                "(The package has no text of its licence. Authors: {}.)",
                authors.join(", ")
            ));
        }
        by_text.entry(all.join("\n\n")).or_default().push(heading(package));
    }
    let mut groups: Vec<(Vec<String>, String)> = by_text.into_iter().map(|(text, packages)| (packages, text)).collect();
    groups.iter_mut().for_each(|(packages, _)| packages.sort());
    groups.sort();
    let mut bundle = String::from(
        "Binaries of slipstick contain the packages below, on one platform or another. Of packages with several licences to\n\
         choose from, the text of one is given.\n",
    );
    for (packages, text) in groups {
        let line = "=".repeat(80);
        let _ = write!(bundle, "\n{line}\n");
        packages.iter().for_each(|package| {
            let _ = writeln!(bundle, "* {package}");
        });
        let _ = write!(bundle, "{line}\n\n{text}\n");
    }
    // The letters of figures, which are in the binary as well.
    let font = include_str!("../../src/report/figure/fonts/OFL.txt");
    let line = "=".repeat(80);
    let _ = write!(
        bundle,
        "\n{line}\nThe font of figures (OFL-1.1)\n{line}\n\n{}\n",
        tidy(font)
    );
    std::fs::write(BUNDLE, bundle).unwrap();
}

#[test]
fn the_bundle_of_licences_has_what_is_linked() {
    if std::env::var_os("UPDATE_LICENCES").is_some() {
        write_bundle();
    }
    let bundle = std::fs::read_to_string(BUNDLE).unwrap();
    let headings: BTreeSet<&str> = bundle.lines().filter_map(|line| line.strip_prefix("* ")).collect();
    for (package, licence) in packages(&["normal"], Some("slipstick")) {
        // Those of the workspace stand with their folder, macros with a remark.
        let mut words = package.split(' ');
        let (Some(name), Some(version), after) = (words.next(), words.next(), words.next()) else {
            panic!("{package}")
        };
        if after.is_some_and(|after| after.starts_with("(/")) {
            continue;
        }
        let heading = format!(
            "{name} {} ({})",
            version.trim_start_matches('v'),
            licence.replace('/', " OR ")
        );
        assert!(
            headings.contains(heading.as_str()),
            "{heading} is not in the bundle: UPDATE_LICENCES=1 cargo test --release --test suite licences::"
        );
    }
    // What is no longer locked is not linked anywhere.
    let lock = include_str!("../../Cargo.lock");
    for heading in headings {
        let mut words = heading.split(' ');
        if let (Some(name), Some(version)) = (words.next(), words.next())
            && heading.ends_with(')')
            && version.starts_with(|c: char| c.is_ascii_digit())
        {
            let locked = format!("name = \"{name}\"\nversion = \"{version}\"");
            assert!(
                lock.contains(&locked),
                "{heading} is not locked any more: UPDATE_LICENCES=1 as above"
            );
        }
    }
}
