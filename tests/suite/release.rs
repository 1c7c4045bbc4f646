//! What a release is made of agrees with itself: versions, manifests, what builds it.

use std::path::Path;

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn the_version_is_the_same_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(read("CITATION.cff").contains(&format!("\nversion: {version}\n")));
    assert!(read("CHANGELOG.md").contains(&format!("\n## [{version}]")));
    // Crates of one release need each other exactly.
    let manifest = read("Cargo.toml");
    let own: Vec<&str> = manifest.lines().filter(|line| line.contains("path = \"src/")).collect();
    assert!(own.len() > 10);
    for line in own {
        assert!(line.contains(&format!("version = \"={version}\"")), "{line}");
    }
}

#[test]
fn every_crate_can_be_published() {
    let mut manifests = vec!["Cargo.toml".to_owned()];
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap() {
        let manifest = entry.unwrap().path().join("Cargo.toml");
        if manifest.is_file() {
            manifests.push(manifest.to_str().unwrap().to_owned());
        }
    }
    assert!(manifests.len() > 10);
    for manifest in manifests {
        let text = read(&manifest);
        let name = text
            .lines()
            .find_map(|line| line.strip_prefix("name = "))
            .unwrap()
            .trim_matches('"')
            .to_owned();
        for wanted in [
            "\ndescription = ".to_owned(),
            "\nlicense.workspace = true".to_owned(),
            "\nrust-version.workspace = true".to_owned(),
            format!("\ndocumentation = \"https://docs.rs/{name}\""),
            "\n[package.metadata.docs.rs]".to_owned(),
        ] {
            assert!(text.contains(&wanted), "{manifest} lacks {wanted:?}");
        }
        // The project has no address of its own that could be promised.
        for absent in ["\nrepository", "\nhomepage"] {
            assert!(!text.contains(absent), "{manifest} has {absent:?}");
        }
    }
}

#[test]
fn releases_are_built_by_what_is_tested() {
    for caller in [".github/workflows/release.yml", ".ci/run"] {
        assert!(
            read(caller).contains(".ci/package "),
            "{caller} builds releases otherwise"
        );
    }
    let package = read(".ci/package");
    for file in package
        .lines()
        .filter_map(|line| line.strip_prefix("cp "))
        .flat_map(str::split_whitespace)
    {
        let of_repository = !file.contains('$') && !file.starts_with('-');
        assert!(
            !of_repository || Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists(),
            "{file}"
        );
    }
}
