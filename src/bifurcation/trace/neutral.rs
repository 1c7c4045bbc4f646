//! Eigenvalues or multipliers that stay neutral along a curve.
//!
//! Where something is conserved, or the system is reversible, eigenvalues come in pairs of opposite sign and
//! multipliers in pairs of product one. On the imaginary axis, or the unit circle, such a pair cannot leave by itself:
//! nothing bifurcates there, although a test function for it is zero at every point. Its sign is then one of rounding.
//! So it is with a multiplier -1 of a symmetric orbit among others that something conserved tells apart, as where a
//! contact sticks at all times. What is neutral is recognised where a curve begins, by being neutral there and on both
//! sides along the curve, and left out of the test functions.
//!
//! A test function that is zero where a curve begins, of what is not neutral, is a label there, if it changes its sign
//! and what its label says is confirmed.

use super::kernel::is_confirmed;
use super::one_way::{Event, OneWay, ZERO_TEST};
use crate::{InspectedCurve, Label, Record};
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::Neutral;

/// Parts of the first step at which is looked beside the begin of a curve: a step can be too long for what follows.
const PARTS: [f64; 3] = [1.0, 0.03, 1e-3];

/// The points a part of a step before and behind the begin of a curve, measured, where there are any. The problem is
/// linearised at the begin again.
fn beside(curve: &mut InspectedCurve<'_>, begin: &Point, part: f64) -> Result<Vec<(Point, Record)>, Failure> {
    let step = part * curve.stride().step;
    let mut found = vec![];
    for s in [step, -step] {
        // Beyond a point where the curve ends there is nothing to ask.
        let Ok(at) = curve.between(begin, s) else { continue };
        let mut record = Record::default();
        if curve.problem().inspect(&at, &mut record).is_ok() {
            found.push((at, record));
        }
    }
    let problem = curve.problem();
    problem.restore(&begin.meshes);
    let mut residual = vec![0.0; problem.unknowns() - problem.free()];
    problem.linearise(&begin.z, &mut residual)?;
    Ok(found)
}

/// What is neutral at the begin of a curve and beside it. The problem leaves it out from now on; `record` is measured
/// anew.
pub(super) fn staying(curve: &mut InspectedCurve<'_>, begin: &Point, record: &mut Record) -> Result<Neutral, Failure> {
    let here = curve.problem().neutral(record);
    if here.is_none() {
        return Ok(here);
    }
    let (mut pairs, mut at_minus_one) = (0, None::<usize>);
    for part in PARTS {
        let beside = beside(curve, begin, part)?;
        let there = beside.iter().map(|(_, r)| curve.problem_ref().neutral(r));
        let Some(there) = there.reduce(Neutral::and) else {
            continue;
        };
        // A pair may leave the circle within a long step, so that one look where it stays is enough. A multiplier that
        // crosses -1 is near it after a short step, so that it has to stay in all of them.
        pairs = there.pairs.min(here.pairs).max(pairs);
        at_minus_one = Some(there.at_minus_one.min(at_minus_one.unwrap_or(here.at_minus_one)));
        if pairs == here.pairs {
            break;
        }
    }
    let stay = Neutral {
        pairs,
        at_minus_one: at_minus_one.unwrap_or(0),
    };
    let problem = curve.problem();
    problem.leave_out_neutral(stay);
    problem.inspect(begin, record)?;
    Ok(stay)
}

impl OneWay<'_> {
    /// The remark on them, once for the curve.
    pub(super) fn neutral_remark(&self) -> Option<String> {
        let Neutral { pairs, at_minus_one } = self.neutral;
        // Two multipliers -1 have a product of one, too.
        let beside = pairs.saturating_sub(at_minus_one * at_minus_one.saturating_sub(1) / 2);
        let of_pairs = (beside > 0).then(|| {
            let pairs = match beside {
                1 => "a pair of eigenvalues or multipliers stays".to_owned(),
                n => format!("{n} pairs of eigenvalues or multipliers stay"),
            };
            format!(
                "{pairs} neutral (sum zero, or product one) along the curve, as in conservative or reversible systems; they are excluded from the tests for HB and NS"
            )
        });
        let of_one = (at_minus_one > 0).then(|| {
            let multipliers = match at_minus_one {
                1 => "a multiplier stays".to_owned(),
                n => format!("{n} multipliers stay"),
            };
            format!(
                "{multipliers} at -1 along the curve, as where a contact sticks at all times and may stick elsewhere as well; the tests for SB and PD leave this out"
            )
        });
        let remarks: Vec<String> = of_pairs.into_iter().chain(of_one).collect();
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }

    /// What happens where the curve begins: a test function vanishes there, changing its sign or coming to zero and
    /// turning back. Tests for branch points vanish without meaning where a parameter stands still.
    pub(super) fn event_at_start(&mut self) -> Option<Event> {
        /// A test function that turns back is this large beside its zero; that of a neutral pair is rounding
        /// everywhere.
        const RISEN: f64 = 1e4 * ZERO_TEST;
        let zero = |i: &usize| {
            self.tests[*i].label != Label::BP
                && self.begin_record.tests.get(*i).is_some_and(|t| t.abs() <= ZERO_TEST)
                && self.curve.problem_ref().confirm(*i, &self.begin_record)
        };
        let candidates: Vec<usize> = (0..self.tests.len()).filter(zero).collect();
        if candidates.is_empty() {
            return None;
        }
        let begin = self.begin.clone();
        let mut looked = PARTS.into_iter().map(|part| beside(&mut self.curve, &begin, part));
        let beside = looked.find_map(|found| found.ok().filter(|found| found.len() == 2))?;
        let [(before, a), (behind, b)] = &beside[..] else {
            return None;
        };
        candidates.into_iter().find_map(|i| {
            let (label, a, b) = (self.tests[i].label, a.tests[i], b.tests[i]);
            let event = if a * b < 0.0 {
                Event::Test(i)
            } else if matches!(label, Label::SB | Label::PD) && a.abs().min(b.abs()) >= RISEN {
                Event::Touch(i)
            } else {
                return None;
            };
            if self.touches_at_border(&event, &self.begin_record, [&beside[0].1, &beside[1].1]) {
                return None;
            }
            let here = (&begin, &self.begin_record);
            is_confirmed(self.curve.problem(), label, here, [before, behind]).then_some(event)
        })
    }
}
