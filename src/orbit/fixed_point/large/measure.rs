//! What is measured of equilibria of many states.

use super::super::FixedPoint;
use super::linearisation::Large;
use super::spectrum::{LEADING, LastCount, Spectrum, all_eigenvalues, hopf_test, spectrum};
use crate::perturbation::evaluation;
use slipstick_bifurcation::Record;
use slipstick_continuation::{Failure, Problem};

/// They are counted at one of so many points of a curve, and wherever their number has changed: a count costs several
/// times as much as the leading eigenvalues.
const EVERY: usize = 5;

/// Eigenvalues, their number right of the axis, and the test for Hopf points.
pub(in super::super) fn measure(problem: &mut FixedPoint<'_>, z: &[f64], record: &mut Record) -> Result<(), Failure> {
    let linearised = problem.large.as_ref().is_some_and(|large| large.at == z);
    if !linearised {
        problem.linearise(z, &mut vec![0.0; z.len() - 1])?;
    }
    let neutral = problem.neutral.pairs;
    let Some(large) = &mut problem.large else { return Ok(()) };
    let accepted = std::mem::take(&mut large.accepted);
    let seen = large.seen.take().filter(|(at, _)| at == z).map(|(_, seen)| seen);
    let last = large.counted.filter(|last| last.points + 1 < EVERY);
    let mut found = match seen {
        Some(seen) => seen,
        None => spectrum_of(large, accepted && last.is_none())?,
    };
    if accepted {
        let unchanged = last.filter(|last| last.unstable == found.unstable());
        if unchanged.is_none() && !found.counted {
            found = spectrum_of(large, true)?;
        }
        record.uncounted = unchanged.is_none() && !found.counted;
        large.counted = (!record.uncounted).then(|| LastCount {
            unstable: found.unstable(),
            points: unchanged.map_or(0, |last| last.points + 1),
        });
    }
    record.period = 0.0;
    record.unstable = found.unstable();
    record.tests.push(hopf_test(&found.values, found.line, neutral));
    let shown = if large.all {
        usize::MAX
    } else {
        LEADING.max(record.unstable + 2)
    };
    let mut shown = shown.min(found.values.len());
    // Conjugates stand in the table together.
    if shown < found.values.len() && found.values[shown - 1].im > 0.0 {
        shown += 1;
    }
    record.eigenvalues = found.values[..shown].to_vec();
    large.seen = Some((z.to_vec(), found));
    Ok(())
}

fn spectrum_of(large: &Large, count: bool) -> Result<Spectrum, Failure> {
    let (matrix, order) = large.linear();
    if large.all {
        return all_eigenvalues(matrix);
    }
    spectrum(matrix, order, count).map_err(evaluation)
}
