//! What is measured at a border of admissibility, and what is rounding there.

use super::super::limit::{are_near, limit_of_multipliers};
use super::super::{BranchPoint, End, InequalitySpec, Label, Rank, Record};
use super::continuum::size_of_parameter;
use super::one_way::{Event, OneWay, ZERO_TEST};
use super::passage::Hit;
use slipstick_continuation::Point;

/// Durations of this part of the period are zero to what Newton's method leaves.
pub(super) const INSTANT: f64 = 1e-9;
/// And so are other values, in measured units.
const SURFACE: f64 = 1e-7;
/// A start as near as this to a border of equilibria lies on it.
const AT_START: f64 = 1e-9;
/// What a curve that begins on a border leaves of it.
const ROUNDING: f64 = 1e-12;

impl OneWay<'_> {
    /// The end of a curve of equilibria that begins on a border of admissibility, to rounding, if its first step leads
    /// beyond the border: that is at the start.
    pub(super) fn ends_at_start(&self, record: &Record, found: &mut [BranchPoint]) -> Option<End> {
        let begin = &self.begin_record;
        if self.steps > 0 || begin.eigenvalues.is_empty() {
            return None;
        }
        let mut all = begin.inequalities.iter().zip(&record.inequalities);
        let inequality = all.position(|(start, next)| start.abs() <= AT_START && *next < 0.0)?;
        let InequalitySpec { label, meaning, .. } = &self.inequalities[inequality];
        if let Some(start) = found.last_mut() {
            start.label = Some(*label);
            start.message.clone_from(meaning);
        }
        Some(End::Boundary {
            inequality,
            label: *label,
            meaning: meaning.clone(),
        })
    }

    /// Two events of one instant, all along a curve, have a segment of no length between them, as where a symmetric
    /// system moves in phase: that its duration, and what else vanishes with it, is now above, now below zero is
    /// rounding.
    pub(super) fn hold_instants(&self, record: &mut Record) {
        for i in 0..self.inequalities.len() {
            if record.inequalities[i] < 0.0 && self.is_instant(&self.last.1, record, i) {
                record.inequalities[i] = 0.0;
            }
        }
    }

    /// Is an inequality zero all along, with the duration of a segment between two events of one instant?
    pub(super) fn is_instant(&self, before: &Record, record: &Record, inequality: usize) -> bool {
        let nothing = |r: &Record, i: usize| match self.inequalities[i].rank {
            Rank::Duration => r.inequalities[i].abs() <= INSTANT * r.period,
            _ => r.inequalities[i].abs() <= SURFACE,
        };
        let stays = |i: usize| nothing(before, i) && nothing(record, i);
        let mut all = 0..self.inequalities.len();
        stays(inequality) && all.any(|i| self.inequalities[i].rank == Rank::Duration && stays(i))
    }

    /// Of the inequalities that have come to zero together with this one, the one that says best what happens: the same
    /// one in all units and orders of states, whichever was located.
    pub(super) fn says_best(&self, located: usize, record: &Record) -> usize {
        /// Rates are zero below this.
        const STANDS: f64 = 1e-9;
        /// The rate at which a short segment comes back to its surface is as the square of its duration, which is known
        /// only to the root of what Newton's method leaves. It is zero below this part of the period and of what it
        /// was.
        const ROOT: f64 = 1e-5;
        const OF_ITSELF: f64 = 1e-2;
        let own = self.inequalities[located].rank;
        let was = |i: usize| {
            let known = [&self.last.1, &self.begin_record];
            let values = known.map(|r| r.inequalities.get(i).copied().unwrap_or(0.0));
            values[0].max(values[1])
        };
        let vanishes = |i: usize, v: f64| match self.inequalities[i].rank {
            Rank::Duration if own == Rank::Rate => {
                v.abs() <= INSTANT * record.period || v.abs() <= (ROOT * record.period).min(OF_ITSELF * was(i))
            }
            Rank::Duration => v.abs() <= INSTANT * record.period,
            _ => v.abs() < STANDS,
        };
        let also = (0..self.inequalities.len()).filter(|&i| {
            let better = self.inequalities[i].rank > own && vanishes(i, record.inequalities[i]);
            better && !self.is_instant(&self.last.1, record, i)
        });
        // The first of the highest rank.
        let best = also.reduce(|a, b| {
            if self.inequalities[b].rank > self.inequalities[a].rank {
                b
            } else {
                a
            }
        });
        // What vanishes with the one that has been located may itself vanish with another one.
        best.map_or(located, |better| self.says_best(better, record))
    }

    /// Where the segment vanishes of which an inequality gives the duration, set that to zero, as which it is recorded.
    pub(super) fn set_vanished(&self, inequality: usize, record: &mut Record) {
        let lasts = record.inequalities[inequality].abs() > INSTANT * record.period;
        if lasts && self.inequalities[inequality].rank == Rank::Duration {
            record.inequalities[inequality] = 0.0;
        }
    }

    /// Where a segment has vanished the equations may turn back, and test functions are rounding: what the step, of
    /// length `h`, meets just there happens to no orbit.
    pub(super) fn leave_out_border(&self, hits: &mut Vec<Hit>, h: f64) {
        /// As part of the step; and where a test function is rounding at the border, too.
        const JUST: f64 = 1e-6;
        const FLAT: f64 = 1e-2;
        let rank = |hit: &Hit| match hit.event {
            Event::Boundary(i) => self.inequalities[i].rank,
            _ => Rank::Other,
        };
        let Some(ending) = hits.iter().find(|hit| rank(hit) > Rank::Other) else {
            return;
        };
        let (border, vanishes) = (ending.s, rank(ending) == Rank::Duration);
        let (there, place) = (ending.record.clone(), ending.point.parameter());
        let is_flat = |hit: &Hit| match hit.event {
            Event::Test(i) | Event::Touch(i) => there.tests[i].abs() <= ZERO_TEST,
            _ => false,
        };
        let is_fold = |hit: &Hit| matches!(hit.event, Event::Fold | Event::FlatFold | Event::PitchforkBranch(_));
        let is_doubtful = |hit: &Hit| match hit.event {
            Event::Multiple(..) | Event::Test(_) | Event::Touch(_) | Event::Together { .. } => true,
            Event::Level(_) | Event::Boundary(_) | Event::RangeEnd(_) | Event::Bound(..) => false,
            Event::Fold | Event::FlatFold | Event::PitchforkBranch(_) => true,
        };
        let just = |hit: &Hit| if is_flat(hit) { FLAT * h } else { JUST * h };
        let passes_one = self.last.1.distance_from_one() * there.distance_from_one() < 0.0;
        let rests = |hit: &Hit| is_fold(hit) && !passes_one && is_at_rest(hit, place);
        hits.retain(|hit| {
            let just_there = vanishes && is_doubtful(hit) && (hit.s - border).abs() <= just(hit);
            !(just_there || rests(hit))
        });
    }

    /// Does a multiplier only seem to touch the unit circle, at a border of admissibility? Beyond it are other orbits,
    /// so that its derivative may jump there, and nothing branches off where it passes the circle on neither side.
    pub(super) fn touches_at_border(&self, event: &Event, here: &Record, [before, behind]: [&Record; 2]) -> bool {
        /// What has vanished, as part of what it is beside; a touching is located to about this.
        const NOTHING: f64 = 1e-6;
        let beside = |i: usize| before.inequalities[i].abs().max(behind.inequalities[i].abs());
        let mut all = 0..self.inequalities.len();
        matches!(event, Event::Touch(test) if self.tests[*test].label != Label::BP)
            && all.any(|i| beside(i) > INSTANT && here.inequalities[i].abs() <= (NOTHING * beside(i)).max(ROUNDING))
    }

    /// At a border where a segment vanishes, or the rate at which a surface is met, multipliers may be quotients of
    /// what is rounding. They tend to a limit from the side of the curve, which is extrapolated from next to the border
    /// on the way from `base`; where they do not seem to, they stay as they are. What is stable on the way is so there.
    /// `ends` is the inequality that is known to have come to zero, if one is.
    pub(super) fn measure_beside(&mut self, base: &Point, at: &Point, record: &mut Record, ends: Option<usize>) {
        /// How far from the border is looked, as parts of the way: as near as the errors of its place allow.
        const BESIDE: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
        let ends = ends.is_some_and(|i| self.inequalities[i].rank > Rank::Other);
        if !ends && !self.is_at_border(record) {
            return;
        }
        if self.is_at_border(&self.last.1) {
            // The last point has come to the border as well.
            take_stability(record, &self.last.1);
            return;
        }
        let s = base.arclength_to(at);
        for nearest in BESIDE {
            let beside = [nearest, 2.0 * nearest, 4.0 * nearest].map(|part| self.measured_at(base, s * (1.0 - part)));
            if let [Some(a), Some(b), Some(c)] = beside
                && a.unstable == b.unstable
                && a.unstable == c.unstable
                && let Some(multipliers) = limit_of_multipliers([&a.multipliers, &b.multipliers, &c.multipliers])
                && let Some(nu) = limit_of_multipliers([&a.nu, &b.nu, &c.nu])
            {
                let same = a.unstable == record.unstable
                    && are_near(&record.multipliers, &multipliers)
                    && are_near(&record.nu, &nu);
                if !same {
                    record.unstable = a.unstable;
                    record.multipliers = multipliers;
                    record.nu = nu;
                    record.tests = a.tests.iter().zip(&b.tests).map(|(a, b)| 2.0 * a - b).collect();
                }
                return;
            }
        }
    }

    /// Is the duration of a segment, or the rate at which a surface is met, nothing but rounding, and was not so where
    /// the curve began?
    fn is_at_border(&self, record: &Record) -> bool {
        /// As parts of what they were, or of a unit. A height is passed with a speed that is as its root: what rounding
        /// leaves of the height is far more of the speed.
        const DURATION: f64 = 1e-10;
        const SPEED: f64 = 1e-6;
        let own = self.inequalities.iter().zip(&record.inequalities);
        own.zip(&self.begin_record.inequalities)
            .any(|((spec, v), begin)| match spec.rank {
                Rank::Duration => *begin > INSTANT && v.abs() <= DURATION * begin.min(1.0),
                Rank::Rate => *begin > SPEED && v.abs() <= SPEED * begin.min(1.0),
                Rank::Stated | Rank::Other => false,
            })
    }

    /// What is measured at arclength `s` from a point; none where nothing can be.
    fn measured_at(&mut self, base: &Point, s: f64) -> Option<Record> {
        let at = self.curve.between(base, s).ok()?;
        let mut measured = Record::default();
        self.curve.problem().inspect(&at, &mut measured).ok()?;
        Some(measured)
    }
}

/// Has the parameter come to rest, to rounding, at the `place` of a border? It goes there as the square of a duration
/// or of a speed, or a higher power, and the sign of its rate is one of rounding next to it.
fn is_at_rest(hit: &Hit, place: f64) -> bool {
    /// What rounding of its rate makes of the parameter, as part of its size.
    const AT_REST: f64 = 1e-12;
    (hit.point.parameter() - place).abs() <= AT_REST * size_of_parameter(&hit.point)
}

/// Take over what was measured of the stability of a neighbour.
fn take_stability(record: &mut Record, from: &Record) {
    record.unstable = from.unstable;
    record.multipliers.clone_from(&from.multipliers);
    record.nu.clone_from(&from.nu);
    record.tests.clone_from(&from.tests);
}
