//! Oscillations that die out so slowly that one round looks like the next: how their size goes on from round to round
//! tells them from orbits.

use super::error::FlowError;
use super::machine::{Happening, Machine, prepared_modes};
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::prepared_mode::constant_turn;
use super::repetition::canonical;
use super::spiral::equilibrium_near;
use super::stay::Stay;
use slipstick_numerics::linalg::graded::eigenvalues_of_scale;
use slipstick_system::{State, System};

/// The mode and the states of rest that a motion with events shrinks to, round by round, though its last two rounds,
/// `rounds`, seem to repeat each other: as one about an equilibrium on a surface. Its extent and the differences of its
/// rounds shrink by the same steady part; those of a motion that comes to an orbit get smaller alone.
pub(super) fn shrinks_to(
    system: &System,
    rounds: &[Stay],
    p: &[f64],
    flow: FlowOptions,
) -> Result<Option<(usize, Vec<f64>)>, FlowError> {
    /// What shrinks by less from round to round may be rounding.
    const LEAST: f64 = 1e-6;
    /// Rounds that are looked at first, and the most; so much is waited for.
    const FIRST: usize = 8;
    const MOST: usize = 300;
    const DECAY: f64 = 0.1;
    /// The least part of the largest change; and changes shrink by no more than this power of what the extent does.
    const EVEN: f64 = 0.5;
    const POWER: f64 = 2.0;
    let word = canonical(rounds);
    let modes = prepared_modes(system, p, flow);
    let mut machine = Machine::new(system, &modes, p, word[0].mode, &word[0].start);
    let straight = |mode: usize, i: usize| system.states[system.modes[mode].states[i]].period.is_none();
    let longest = 4.0 * word.iter().map(|s| s.duration).sum::<f64>();
    let mut extents = vec![];
    let mut starts = vec![];
    let mut wanted = FIRST;
    while extents.len() <= wanted {
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); system.states.len()];
        starts.push(machine.x.clone());
        for stay in word {
            match machine.advance(machine.t + longest)? {
                Happening::Event(event) if (machine.mode, event) == (stay.mode, stay.event) => {}
                _ => return Ok(None),
            }
            let segment = machine.close(Some(stay.event));
            let own = ModeFlow::new(system, segment.mode, flow);
            let mut middle = segment.start.clone();
            own.advance(&segment.start, 0.5 * segment.duration, p, &mut middle)?;
            for x in [&segment.start, &middle, &segment.end] {
                for (&s, v) in system.modes[segment.mode].states.iter().zip(x) {
                    ranges[s] = (ranges[s].0.min(*v), ranges[s].1.max(*v));
                }
            }
        }
        let extent = |(range, state): (&(f64, f64), &State)| match state.period {
            None => (range.1 - range.0).max(0.0),
            Some(_) => 0.0,
        };
        extents.push(ranges.iter().zip(&system.states).map(extent).fold(0.0, f64::max));
        if extents.len() == FIRST + 1 {
            let part = (extents[0] - extents[FIRST]) / (FIRST as f64 * extents[0]);
            if !(part > LEAST) {
                return Ok(None);
            }
            wanted = ((DECAY / part).ceil() as usize).clamp(FIRST, MOST);
        }
    }
    let changes: Vec<f64> = extents.windows(2).map(|pair| pair[0] - pair[1]).collect();
    let part = changes.len() / 4;
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (early, late) = (mean(&changes[..part]), mean(&changes[changes.len() - part..]));
    let largest = changes.iter().fold(0.0, |m: f64, c| m.max(*c));
    let remains = extents[wanted] / extents[0];
    // The changes of what shrinks to a point do so by the same part.
    if changes.iter().any(|c| *c < EVEN * largest) || late < remains.powf(POWER) * early {
        return Ok(None);
    }
    let (first, last) = (&starts[0], &starts[wanted]);
    let limit = |i: usize| match straight(word[0].mode, i) {
        true => (last[i] - remains * first[i]) / (1.0 - remains),
        false => last[i],
    };
    Ok(Some((word[0].mode, (0..first.len()).map(limit).collect())))
}

/// Returns of a motion that runs in one mode and seems to repeat itself.
pub(super) struct Rounds<'a> {
    pub(super) system: &'a System,
    /// The same with the section as the last event of the mode.
    pub(super) sectioned: &'a System,
    pub(super) mode: usize,
    /// Where the last round begins on the section, how often it passes the section, and how long it takes.
    pub(super) start: &'a [f64],
    pub(super) passes: usize,
    pub(super) period: f64,
    /// How far each state moves in a round.
    pub(super) moves: &'a [f64],
}

impl Rounds<'_> {
    /// The equilibrium that the motion dies out to, if its size shrinks from round to round by a steady part, about
    /// the part that the equilibrium's eigenvalues say. A motion that comes to a cycle around an equilibrium that
    /// attracts does not: its size stays.
    pub(super) fn fades_to(&self, p: &[f64], flow: FlowOptions) -> Result<Option<Vec<f64>>, FlowError> {
        /// An eigenvalue nearer to the axis than this part of what it is made of attracts by rounding only.
        const NEUTRAL: f64 = 1e-10;
        /// So much of the decay is waited for, within so many rounds.
        const DECAY: f64 = 0.1;
        const ROUNDS: (f64, f64) = (8.0, 200.0);
        /// Parts of what the eigenvalues say, and of the largest change.
        const MOST: f64 = 0.3;
        let Self {
            system, mode, moves, ..
        } = *self;
        let states = &system.modes[mode].states;
        let turns = (0..moves.len()).any(|i| {
            let period = system.states[states[i]].period;
            period.is_some_and(|period| moves[i] > 0.5 * period)
        });
        if turns || constant_turn(system, mode, p).is_some() {
            return Ok(None);
        }
        let Some((at, slowest)) = self.centre(p, flow, NEUTRAL)? else {
            return Ok(None);
        };
        let decay = -(slowest * self.period).exp_m1();
        let count = (DECAY / decay).clamp(ROUNDS.0, ROUNDS.1);
        let sizes = self.sizes(&at, count as usize, p, flow)?;
        let changes: Vec<f64> = sizes.windows(2).map(|pair| pair[0] - pair[1]).collect();
        let largest = changes.iter().fold(0.0, |m: f64, c| m.max(*c));
        let steady = sizes.len() > count as usize && changes.iter().all(|c| *c > 0.0 && *c >= MOST * largest);
        let expected = -(slowest * self.period * count).exp_m1();
        let fades = steady && sizes[0] - sizes[count as usize] >= MOST * expected * sizes[0];
        Ok(fades.then_some(at))
    }

    /// An equilibrium that attracts and that the motion goes round, with its eigenvalue nearest to the axis.
    fn centre(&self, p: &[f64], flow: FlowOptions, neutral: f64) -> Result<Option<(Vec<f64>, f64)>, FlowError> {
        /// How far off it may be, in parts of the moves, and of the errors of the integrator.
        const OFF: (f64, f64) = (10.0, 100.0);
        const SAMPLES: usize = 64;
        let (x, moves) = (self.start, self.moves);
        let own = ModeFlow::new(self.system, self.mode, flow);
        let path = own.path(x, self.period, p)?;
        let (mut y, mut mean) = (x.to_vec(), vec![0.0; x.len()]);
        for k in 0..SAMPLES {
            path.eval(self.period * k as f64 / SAMPLES as f64, &mut y);
            mean.iter_mut().zip(&y).for_each(|(m, y)| *m += y / SAMPLES as f64);
        }
        let sizes: Vec<f64> = x.iter().zip(moves).map(|(x, m)| x.abs().max(*m)).collect();
        let from = |guess: &[f64]| {
            let (at, slopes) = equilibrium_near(self.system, self.mode, guess, &sizes, p)?;
            let near = |i: usize| (at[i] - x[i]).abs() <= OFF.0 * moves[i] + OFF.1 * flow.rtol * sizes[i];
            let found = eigenvalues_of_scale(&slopes).ok()?;
            let attracts = found.iter().all(|v| v.value.re < -neutral * v.scale);
            let slowest = found.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v.value.re));
            ((0..x.len()).all(near) && attracts).then_some((at, slowest))
        };
        Ok(from(x).or_else(|| from(&mean)))
    }

    /// How far from an equilibrium this and the following rounds begin, in units of how far each state moves; fewer
    /// where the motion does something else.
    fn sizes(&self, at: &[f64], count: usize, p: &[f64], flow: FlowOptions) -> Result<Vec<f64>, FlowError> {
        /// In periods: longer is not waited for the section.
        const LONGEST: f64 = 4.0;
        let modes = prepared_modes(self.sectioned, p, flow);
        let mut machine = Machine::new(self.sectioned, &modes, p, self.mode, self.start);
        let cut = self.system.modes[self.mode].events.len();
        let size = |x: &[f64]| -> f64 {
            let parts = (0..x.len()).filter(|i| self.moves[*i] > 0.0);
            parts
                .map(|i| ((x[i] - at[i]) / self.moves[i]).abs())
                .fold(0.0, f64::max)
        };
        let mut sizes = vec![size(self.start)];
        let mut passed = 0;
        while sizes.len() <= count {
            match machine.advance(machine.t + LONGEST * self.period)? {
                Happening::Event(event) if event == cut => {
                    let segment = machine.close(Some(event));
                    passed += 1;
                    if passed % self.passes == 0 {
                        sizes.push(size(&segment.end));
                    }
                }
                Happening::Grazing => {}
                _ => break,
            }
        }
        Ok(sizes)
    }
}
