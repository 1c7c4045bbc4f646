//! Everything that is linked has a licence that `deny.toml` allows.

use std::process::Command;

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<&'static str> {
    let text = include_str!("../../deny.toml");
    let list = text.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).collect()
}

/// Does an SPDX expression without nested alternatives hold with these licences? `A/B` is the old way to write `A OR B`.
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

#[test]
fn every_package_that_is_linked_has_an_allowed_licence() {
    let allowed = allowed();
    assert!(holds("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed) && !holds("GPL-3.0-only", &allowed));
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--manifest-path",
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(holds(licence, &allowed), "{}: {licence}", package["name"]);
    }
}
