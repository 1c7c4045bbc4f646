//! Everything that is linked has a licence that `deny.toml` allows.

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

#[test]
fn every_package_that_is_linked_has_an_allowed_licence() {
    let allowed = allowed();
    assert!(holds("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed) && !holds("GPL-3.0-only", &allowed));
    let host = host();
    // What other platforms would link was not brought by the build, and a machine without a history does not have it:
    // cargo-deny looks at all of them.
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            &host,
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
