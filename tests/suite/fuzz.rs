//! Readers fed with damaged input: whatever comes in, an answer or an error in words comes out, never a panic.
//!
//! Each target replays its corpus, `tests/corpus/TARGET/`, and then mutates it for a second, for
//! `SLIPSTICK_FUZZ_SECONDS`, or `SLIPSTICK_FUZZ_INPUTS` times. The mutations are the same in every run. An input that
//! makes a reader panic is kept in the corpus.

use proptest::prelude::*;
use slipstick_models::friction::bearing::{Record, RecordFormat};
use slipstick_report::{Table, read_solutions};
use slipstick_study as study;
use slipstick_system::text::{Equation, EquationForm, Expression, Scope};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Pieces that readers have opinions on.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "'",
    "+",
    "-",
    "*",
    "/",
    "^",
    "<",
    ">=",
    "==",
    "=",
    ";",
    "\n",
    "\t",
    "0",
    "1e308",
    "-1e-320",
    "NaN",
    "inf",
    "99999999999999999999",
    "1/0",
    "if(",
    "sqrt(-1)",
    "x",
    "Omega",
    "Ω",
    "µ₂",
    "\u{feff}",
    "\u{0}",
    "//",
    "#",
    "é",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let begin = self.below(length + 1);
        begin..(begin + self.below(40)).min(length)
    }

    /// One of the texts with a few things changed.
    fn mutated(&mut self, corpus: &[Vec<u8>]) -> String {
        let mut bytes = corpus[self.below(corpus.len())].clone();
        for _ in 0..1 + self.below(5) {
            let range = self.range(bytes.len());
            match self.below(6) {
                0 if !bytes.is_empty() => {
                    let at = self.below(bytes.len());
                    bytes[at] ^= 1 << self.below(8);
                }
                1 => drop(bytes.drain(range)),
                2 => {
                    let copy = bytes[range.clone()].repeat(1 + self.below(3));
                    bytes.splice(range.start..range.start, copy);
                }
                3 => {
                    let other = &corpus[self.below(corpus.len())];
                    let part = other[self.range(other.len())].to_vec();
                    bytes.splice(range, part);
                }
                4 => bytes.truncate(range.start),
                _ => {
                    let piece = PIECES[self.below(PIECES.len())];
                    bytes.splice(range.start..range.start, piece.bytes());
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder and those below, in the order of their names.
fn texts(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let mut found = vec![];
    for path in paths {
        if path.is_dir() {
            found.extend(texts(&path));
        } else {
            found.push(fs::read(path).unwrap());
        }
    }
    found
}

fn fuzz(target: &str, more: Vec<Vec<u8>>, read: impl Fn(&str)) {
    let folder = root().join("tests/corpus").join(target);
    let mut corpus = texts(&folder);
    corpus.extend(more);
    let try_one = |text: &str| {
        if catch_unwind(AssertUnwindSafe(|| read(text))).is_err() {
            let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
                (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
            });
            let path = folder.join(format!("found-{sum:016x}"));
            fs::write(&path, text).unwrap();
            panic!("a panic; the input is kept as {}", path.display());
        }
    };
    for text in &corpus {
        try_one(&String::from_utf8_lossy(text));
    }
    let seconds = std::env::var("SLIPSTICK_FUZZ_SECONDS").map_or(1.0, |s| s.parse().unwrap());
    let inputs: Option<usize> = std::env::var("SLIPSTICK_FUZZ_INPUTS").ok().map(|n| n.parse().unwrap());
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut tried = 0;
    while inputs.map_or_else(|| Instant::now() < until, |most| tried < most) {
        try_one(&random.mutated(&corpus));
        tried += 1;
    }
}

#[test]
fn studies() {
    fuzz("study", texts(&root().join("studies")), |text| {
        if let Ok(loaded) = study::parse("fuzz.ron".as_ref(), text.to_owned())
            && let Ok(plan) = loaded.plan(&[("mu_s".into(), 1.2)]).or_else(|_| loaded.plan(&[]))
        {
            for warning in &plan.warnings {
                loaded.warn(warning);
            }
        }
    });
}

#[test]
fn expressions() {
    fuzz("expression", vec![], |text| {
        let _ = Equation::parse(text, EquationForm::Rate);
        let _ = Equation::parse(text, EquationForm::Next);
        let Ok(expression) = Expression::parse(text) else {
            return;
        };
        let mut scope = Scope::new();
        for name in ["x", "y", "theta"] {
            scope.state(name).unwrap();
        }
        scope.parameter("Omega").unwrap();
        let _ = scope.compile(&[&expression]);
        let _ = scope.margins(&expression);
        let _ = scope.constant(&expression);
    });
}

#[test]
fn records_of_measurements() {
    fuzz("record", vec![], |text| {
        let _ = Record::parse(text, &RecordFormat::default());
    });
}

#[test]
fn tables() {
    fuzz("table", vec![], |text| {
        if let Ok(table) = Table::from_csv(text.as_bytes(), "fuzz.csv") {
            let again = Table::from_csv(table.to_csv().as_bytes(), "again.csv").unwrap();
            assert_eq!(again.rows(), table.rows());
        }
    });
}

#[test]
fn files_of_auto() {
    fuzz("auto", vec![], |text| {
        let _ = read_solutions(text, "s.fuzz");
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        let _ = study::parse("any.ron".as_ref(), text.clone());
        let _ = Expression::parse(&text);
        let _ = Record::parse(&text, &RecordFormat::default());
        let _ = Table::from_csv(text.as_bytes(), "any.csv");
        let _ = read_solutions(&text, "s.any");
    }
}

#[test]
fn nests_without_end_are_refused_in_words() {
    for (open, close) in [("(", ")"), ("sin(", ")"), ("-", ""), ("if(", "")] {
        let deep = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
        if let Err(e) = Expression::parse(&deep) {
            assert!(!e.to_string().is_empty());
        }
    }
    for open in ["(", "[", "Panels(panels: ["] {
        let deep = format!("Study(title: \"a\", figures: {}", open.repeat(20_000));
        assert!(study::parse("deep.ron".as_ref(), deep).is_err());
    }
}
