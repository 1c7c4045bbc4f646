//! The command run as a user runs it.

use assert_cmd::Command;
use std::path::Path;

/// What a run of the command said and how it ended.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Run `slipstick` with these arguments in a folder.
pub(crate) fn slipstick(folder: &Path, arguments: &[&str]) -> Outcome {
    let output = Command::cargo_bin("slipstick")
        .unwrap()
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// All files below a folder with their bytes, by their path in it.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = vec![];
    let mut open = vec![folder.to_path_buf()];
    while let Some(here) = open.pop() {
        for entry in std::fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
