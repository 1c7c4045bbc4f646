//! Everything that is linked has a licence that `deny.toml` allows.

use std::collections::BTreeSet;
use std::process::Command;

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

/// The packages that a package of the workspace is made of, or all of those that are built by default, each with its
/// licence.
fn packages(of: Option<&str>) -> Vec<(String, String)> {
    // What other platforms would link was not brought by the build, and a machine without a history does not have it, as
    // little as what other packages of the workspace need: cargo-deny looks at all of them.
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "tree",
        "--locked",
        "--offline",
        "--edges",
        "normal,build,dev",
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

#[test]
fn every_package_that_is_linked_has_an_allowed_licence() {
    let allowed = allowed();
    assert!(holds("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed) && !holds("GPL-3.0-only", &allowed));
    check(&packages(None));
}

#[test]
#[ignore = "needs what the Python package is made of: after that was built"]
fn so_has_every_package_of_the_python_package() {
    let packages = packages(Some("slipstick-python"));
    assert!(packages.iter().any(|(name, _)| name.starts_with("pyo3 ")));
    check(&packages);
}
