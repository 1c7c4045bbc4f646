//! What is measured at a border of admissibility, and what is rounding there.

use super::super::{Label, Rank, Record};
use super::one_way::{Event, OneWay, ZERO_TEST};
use super::passage::Hit;
use slipstick_continuation::Point;
use slipstick_floquet::Multiplier;

/// Durations of this part of the period are zero to what Newton's method leaves.
pub(super) const INSTANT: f64 = 1e-9;
/// And so are other values, in measured units.
const SURFACE: f64 = 1e-7;
/// What a curve that begins on a border leaves of it.
const ROUNDING: f64 = 1e-12;

impl OneWay<'_> {
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
            Rank::Rate | Rank::Other => r.inequalities[i].abs() <= SURFACE,
        };
        let stays = |i: usize| nothing(before, i) && nothing(record, i);
        let mut all = 0..self.inequalities.len();
        stays(inequality) && all.any(|i| self.inequalities[i].rank == Rank::Duration && stays(i))
    }

    /// Where a segment has vanished the equations may turn back, and test functions are rounding: what the step, of
    /// length `h`, meets just there happens to no orbit.
    pub(super) fn leave_out_border(&self, hits: &mut Vec<Hit>, h: f64) {
        /// As part of the step; and where a test function is rounding at the border, too.
        const JUST: f64 = 1e-6;
        const FLAT: f64 = 1e-2;
        let vanishes = |hit: &Hit| match hit.event {
            Event::Boundary(i) => self.inequalities[i].rank == Rank::Duration,
            _ => false,
        };
        let Some((border, tests)) = hits
            .iter()
            .find(|hit| vanishes(hit))
            .map(|hit| (hit.s, hit.record.tests.clone()))
        else {
            return;
        };
        let is_flat = |hit: &Hit| match hit.event {
            Event::Test(i) | Event::Touch(i) => tests[i].abs() <= ZERO_TEST,
            _ => false,
        };
        let is_doubtful = |hit: &Hit| match hit.event {
            Event::Fold | Event::FlatFold | Event::PitchforkBranch(_) | Event::Multiple(..) => true,
            Event::Test(_) | Event::Touch(_) | Event::Together { .. } => true,
            Event::Level(_) | Event::Boundary(_) | Event::RangeEnd(_) | Event::Bound(..) => false,
        };
        let just = |hit: &Hit| if is_flat(hit) { FLAT * h } else { JUST * h };
        hits.retain(|hit| !(is_doubtful(hit) && (hit.s - border).abs() <= just(hit)));
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

    /// At a border where the rate at which a surface is met vanishes together with the segment on it, as in
    /// grazing-sliding, multipliers are quotients of what is rounding. They tend to a limit, which is extrapolated from
    /// next to the border on the way from `base`; where they do not seem to, they stay as they are.
    pub(super) fn measure_beside(&mut self, base: &Point, at: &Point, record: &mut Record) {
        /// What has vanished, as part of what it was at the last point.
        const NOTHING: f64 = 1e-8;
        /// How far from the border is looked, as parts of the way.
        const BESIDE: f64 = 1e-5;
        let before = &self.last.1;
        let vanishes = |rank: Rank| {
            let mut own = self.inequalities.iter().enumerate().filter(|(_, s)| s.rank == rank);
            own.any(|(i, _)| record.inequalities[i].abs() <= NOTHING * before.inequalities[i].abs())
        };
        if !(vanishes(Rank::Duration) && vanishes(Rank::Rate)) {
            return;
        }
        let s = base.arclength_to(at);
        let mut there = vec![];
        for part in [BESIDE, 2.0 * BESIDE, 4.0 * BESIDE] {
            let mut measured = Record::default();
            let Ok(point) = self.curve.between(base, s * (1.0 - part)) else {
                return;
            };
            if self.curve.problem().inspect(&point, &mut measured).is_err() {
                return;
            }
            there.push(measured);
        }
        let [a, b, c] = &there[..] else { return };
        let (Some(multipliers), Some(nu)) = (
            limits(&a.multipliers, &b.multipliers, &c.multipliers),
            limits(&a.nu, &b.nu, &c.nu),
        ) else {
            return;
        };
        record.unstable = Multiplier::count_unstable(&multipliers);
        record.multipliers = multipliers;
        record.nu = nu;
        record.tests = a.tests.iter().zip(&b.tests).map(|(a, b)| 2.0 * a - b).collect();
    }
}

/// What multipliers at one, two and four times a distance tend to; none where they follow no straight line.
fn limits(a: &[Multiplier], b: &[Multiplier], c: &[Multiplier]) -> Option<Vec<Multiplier>> {
    /// Departure from a straight line.
    const STRAIGHT: f64 = 1e-6;
    if a.len() != b.len() || a.len() != c.len() {
        return None;
    }
    let line = |a: f64, b: f64, c: f64| {
        let limit = 2.0 * a - b;
        if a == b && b == c {
            return Some(a);
        }
        ((c - (3.0 * b - 2.0 * a)).abs() <= STRAIGHT * (1.0 + a.abs())).then_some(limit)
    };
    let all = a.iter().zip(b).zip(c);
    all.map(|((a, b), c)| {
        Some(Multiplier {
            log10: line(a.log10, b.log10, c.log10)?,
            arg: line(a.arg, b.arg, c.arg)?,
        })
    })
    .collect()
}
