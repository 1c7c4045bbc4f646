//! The pictures of the gallery are what the program draws.
//!
//! `UPDATE_GALLERY=1 cargo test --release --test suite -- gallery:: --include-ignored` writes them.

use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A picture, its study and its figure there; and whether the study takes so little that it is run with all tests.
const PICTURES: [(&str, &str, &str, bool); 44] = [
    ("amplitude", "stiction", "amplitude", true),
    ("strip", "stiction", "strip", true),
    ("slip-stick", "stiction", "slip-stick", true),
    ("stops", "stiction_stops", "stops", true),
    ("chart", "stiction_chart", "chart_mu_s", true),
    ("wear", "wear", "over-eta", true),
    ("shoe", "shoe", "displacement", true),
    ("belt-twins", "belt_twins", "belt_twins", false),
    ("regularised", "regularised", "amplitude", false),
    ("canards", "regularised", "canards", false),
    ("twins", "twins", "twins", false),
    ("atlas", "stiction_atlas", "atlas", false),
    ("regimes", "regimes", "regimes", false),
    ("critical-manifold", "slow_fast", "critical-manifold", false),
    ("canard-fans", "slow_fast", "canard-fans", false),
    ("bearing", "bearing", "loops", false),
    ("shaw", "shaw", "fig1", false),
    ("bowed-motion", "bowed_string", "motion", false),
    ("bowed-string", "bowed_string", "speed", false),
    ("benchmarks/ab", "benchmarks/ab", "temperature", false),
    ("benchmarks/bangbang", "benchmarks/bangbang", "amplitude", false),
    ("benchmarks/beam", "benchmarks/beam", "beam", false),
    ("benchmarks/belt_block", "benchmarks/belt_block", "branch", true),
    ("benchmarks/belt_blocks", "benchmarks/belt_blocks", "maxima", false),
    ("benchmarks/bilinear", "benchmarks/bilinear", "response", false),
    ("benchmarks/compass_gait", "benchmarks/compass_gait", "gaits", false),
    ("benchmarks/converter", "benchmarks/converter", "branch", false),
    ("benchmarks/cusp", "benchmarks/cusp", "hysteresis", true),
    ("benchmarks/fold_fold", "benchmarks/fold_fold", "branch", false),
    ("benchmarks/frc", "benchmarks/frc", "response", true),
    ("benchmarks/fric", "benchmarks/fric", "amplitude", false),
    ("benchmarks/impact", "benchmarks/impact", "amplitude", false),
    ("benchmarks/impact_chart", "benchmarks/impact_chart", "regimes", false),
    ("benchmarks/impduff", "benchmarks/impduff", "amplitude", false),
    ("benchmarks/lrz", "benchmarks/lrz", "convection", true),
    ("benchmarks/pp2", "benchmarks/pp2", "fish", true),
    ("benchmarks/relay", "benchmarks/relay", "branch", true),
    (
        "benchmarks/resonant_grazing",
        "benchmarks/resonant_grazing",
        "chart",
        true,
    ),
    ("benchmarks/shrimps", "benchmarks/shrimps", "windows", false),
    ("benchmarks/spring_blocks", "benchmarks/spring_blocks", "branch", false),
    ("benchmarks/stickslip", "benchmarks/stickslip", "amplitude", true),
    ("benchmarks/tongues", "benchmarks/tongues", "tongues", false),
    ("benchmarks/tor", "benchmarks/tor", "amplitude", false),
    ("convection", "", "convection", true),
];

/// Run a study and compare its pictures of the gallery, or write them.
fn compare(study: &str, folder: &Path) -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut file = root.join(format!("studies/{study}.ron"));
    if study.is_empty() {
        // The study of the first page.
        let page = std::fs::read_to_string(root.join("docs/first-study.md")).unwrap();
        let lines = page.lines().skip_while(|line| !line.starts_with("Study("));
        let mut text: Vec<&str> = lines.take_while(|line| *line != ")").collect();
        text.push(")");
        file = folder.join("lorenz.ron");
        std::fs::write(&file, text.join("\n")).unwrap();
    }
    let out = folder.join(format!("run-{}", study.replace('/', "-")));
    let done = Command::new(env!("CARGO_BIN_EXE_slipstick"))
        .args(["run", "--quiet", "--jobs", "1", "--out"])
        .args([&out, &file])
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{study}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let mut stale = Vec::new();
    for (picture, _, figure, _) in PICTURES.iter().filter(|picture| picture.1 == study) {
        let own = root.join(format!("docs/figures/{picture}.svg"));
        let fresh = std::fs::read(out.join(format!("figures/{figure}.svg"))).unwrap();
        if std::fs::read(&own).is_ok_and(|old| old == fresh) {
            continue;
        }
        if std::env::var_os("UPDATE_GALLERY").is_some() {
            std::fs::write(own, fresh).unwrap();
        } else {
            stale.push((*picture).to_owned());
        }
    }
    stale
}

fn compare_all(quick: bool) {
    let folder = tempfile::tempdir().unwrap();
    let mut studies: Vec<&str> = PICTURES
        .iter()
        .filter(|picture| picture.3 == quick)
        .map(|picture| picture.1)
        .collect();
    studies.dedup();
    // Side by side, each on one core: what depends on the number of cores would show.
    let stale: Vec<String> = studies
        .into_par_iter()
        .with_max_len(1)
        .flat_map_iter(|study| compare(study, folder.path()))
        .collect();
    assert!(
        stale.is_empty(),
        "docs/figures is not what is drawn now: {stale:?}; run: \
         UPDATE_GALLERY=1 cargo test --release --test suite -- gallery:: --include-ignored"
    );
}

#[test]
fn pictures_of_quick_studies_are_drawn_now() {
    compare_all(true);
}

#[test]
#[ignore = "runs every shipped study"]
fn pictures_of_all_other_studies_are_drawn_now() {
    compare_all(false);
}

#[test]
fn every_picture_of_the_gallery_is_compared() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/figures");
    for (folder, before) in [(root.clone(), ""), (root.join("benchmarks"), "benchmarks/")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "svg") {
                let name = format!("{before}{}", path.file_stem().unwrap().to_string_lossy());
                assert!(PICTURES.iter().any(|picture| picture.0 == name), "{name}");
            }
        }
    }
}
