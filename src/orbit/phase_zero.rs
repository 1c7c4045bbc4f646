//! Where an orbit is at phase zero of its forcing. One with events begins at one of them; the mesh of a doubled orbit,
//! and of one that is divided at its jumps, may begin elsewhere. Monitors read the orbit at phase zero, and the stored
//! rows of one without events begin there.

use crate::angles::{centred, phase};
use crate::periodic::PeriodicOrbit;
use crate::sample::OrbitSample;
use slipstick_continuation::{Failure, Point, Problem};

/// Phases and times that differ by this part of a period are the same.
const SAME: f64 = 1e-9;

/// Where a forced orbit is at phase zero.
pub(crate) struct PhaseZero {
    pub(crate) segment: usize,
    /// Since the start of the segment.
    pub(crate) t: f64,
    /// Is it on the mirror image of the segment?
    pub(crate) mirrored: bool,
    /// Which state of the segment is the phase.
    pub(crate) angle: usize,
}

impl PeriodicOrbit<'_> {
    /// The time from the start to phase zero, and which state is the phase; none where it starts there, and where there
    /// is no forcing. The angle counts on over all periods of the forcing that the orbit lasts, so that of several
    /// places at phase zero it is the same one all along a curve.
    fn time_of_phase_zero(&self, z: &[f64]) -> Option<(f64, usize)> {
        let s = self.segments.first()?;
        if s.lasts {
            return None;
        }
        let mode = &self.system.modes[s.mode];
        let angle = phase(self.system, mode)?;
        let turn = self.system.states[mode.states[angle]].period?;
        let start = self.start(z, 0);
        if centred(start[angle], turn).abs() <= SAME * turn {
            return None;
        }
        let mut rates = vec![0.0; s.n];
        mode.field.value(start, &self.parameters_at(z), &mut rates);
        let period = self.period(z);
        let t = (-start[angle] / rates[angle]).rem_euclid(period);
        (t.is_finite() && t > SAME * period && t < (1.0 - SAME) * period).then_some((t, angle))
    }

    /// Where the orbit at `z` is at phase zero of its forcing, if that is not its start.
    pub(crate) fn phase_zero(&self, z: &[f64]) -> Option<PhaseZero> {
        let (mut t, _) = self.time_of_phase_zero(z)?;
        let lap = self.lap(z);
        let mirrored = self.word.symmetric && t > lap;
        if mirrored {
            t -= lap;
        }
        let mut segment = 0;
        while segment + 1 < self.segments.len() && t > self.duration(z, segment) {
            t -= self.duration(z, segment);
            segment += 1;
        }
        let angle = phase(self.system, &self.system.modes[self.segments[segment].mode])?;
        Some(PhaseZero {
            segment,
            t,
            mirrored,
            angle,
        })
    }

    /// Have the rows of an orbit without events, sampled at `point` over the whole period, begin at phase zero of its
    /// forcing.
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated.
    pub fn begin_at_phase_zero(&mut self, point: &Point, sample: &mut OrbitSample) -> Result<(), Failure> {
        if self.word.letters.iter().any(|letter| letter.event.is_some()) {
            return Ok(());
        }
        self.restore(&point.meshes);
        let (Some((begin, angle)), Some(last)) = (self.time_of_phase_zero(&point.z), sample.t.len().checked_sub(1))
        else {
            return Ok(());
        };
        let (mode, state) = self.state(point, begin)?;
        let period = sample.t[last];
        let angle = self.system.modes[self.segments[0].mode].states[angle];
        // How far each angle goes on in a period.
        let (first_row, last_row) = (&sample.states[0], &sample.states[last]);
        let turns: Vec<f64> = (0..state.len())
            .map(|i| match self.system.states[i].period {
                Some(turn) => ((last_row[i] - first_row[i]) / turn).round() * turn,
                None => 0.0,
            })
            .collect();
        let whole = match self.system.states[angle].period {
            Some(turn) => (state[angle] / turn).round() * turn,
            None => 0.0,
        };
        let placed = |x: &[f64], laps: f64| -> Vec<f64> {
            let mut x: Vec<f64> = x.iter().zip(&turns).map(|(v, turn)| v + laps * turn).collect();
            x[angle] -= whole;
            x
        };
        let apart = |i: &usize| (sample.t[*i] - begin).abs() > SAME * period;
        let after: Vec<usize> = (0..=last).filter(|&i| sample.t[i] > begin).filter(apart).collect();
        // The first row is the last one, a period before.
        let before: Vec<usize> = (1..=last).filter(|&i| sample.t[i] < begin).filter(apart).collect();
        let own: Vec<f64> = self.system.modes[mode].states.iter().map(|&i| state[i]).collect();
        let p = self.parameters_at(&point.z);
        let observables: Vec<f64> = (self.system.observables.iter())
            .map(|o| {
                let mut v = [0.0];
                o.by_mode[mode].value(&own, &p, &mut v);
                v[0]
            })
            .collect();
        let mut turned = OrbitSample::default();
        let mut push = |t: f64, x: Vec<f64>, mode: usize, observables: Vec<f64>, canard: Option<bool>| {
            // Where segments join, rounding may turn the order of two times around.
            turned
                .t
                .push(turned.t.last().map_or(t, |before| t.max(*before)).min(period));
            turned.states.push(x);
            turned.modes.push(mode);
            turned.observables.push(observables);
            turned.canard.extend(canard);
        };
        let canard = |i: usize| sample.canard.get(i).copied();
        let at_start = after.first().and_then(|&i| canard(i));
        let at_zero = |laps: f64| {
            let mut x = placed(&state, laps);
            x[angle] = laps * turns[angle];
            x
        };
        push(0.0, at_zero(0.0), mode, observables.clone(), at_start);
        let rows = after.iter().map(|&i| (i, 0.0)).chain(before.iter().map(|&i| (i, 1.0)));
        for (i, laps) in rows {
            let t = sample.t[i] - begin + laps * period;
            push(
                t,
                placed(&sample.states[i], laps),
                sample.modes[i],
                sample.observables[i].clone(),
                canard(i),
            );
        }
        push(period, at_zero(1.0), mode, observables, at_start);
        *sample = turned;
        Ok(())
    }
}
