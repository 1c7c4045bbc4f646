//! Systems written as text: those of the literature evaluated at points worked out by hand, and everything that can be
//! wrong.
#![allow(clippy::unwrap_used)]

mod benchmarks;
mod faults;

use crate::plan::system::error::SystemError;
use crate::spec::system::entry::SystemSpec;
use slipstick_system::{SharedFunction, System, catalogue};

/// Read a description as a study would.
fn read(text: &str) -> SystemSpec {
    let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options.from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Build a description that is right and not even suspicious.
fn system(text: &str) -> System {
    let built = read(text)
        .build("system")
        .unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(built.warnings, []);
    built.system
}

fn value(f: &SharedFunction, x: &[f64], p: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; f.outputs()];
    f.value(x, p, &mut out);
    out
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-14 * (1.0 + b.abs()), "{found:?} {expected:?}");
    }
}
