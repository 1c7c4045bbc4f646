//! Oscillations that die out so slowly that one round looks like the next: how their size goes on from round to round
//! tells them from orbits.

use super::error::FlowError;
use super::machine::{Happening, Machine, prepared_modes};
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::prepared_mode::constant_turn;
use super::spiral::equilibrium_near;
use slipstick_numerics::linalg::graded::eigenvalues_of_scale;
use slipstick_system::System;

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
