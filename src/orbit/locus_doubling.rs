//! Curves of folds of doubled cycles end at a generalised period doubling, where both halves of the cycles coincide: on
//! the curve of period doublings of the cycles gone through once, where the cubic coefficient vanishes. The equations
//! of folds are singular there, and errors are enlarged the more the nearer the halves are; those of period doublings
//! are not.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, Springer (2004), ch. 9.

use crate::cubic_term::without_cubic_term;
use crate::dense_output::DenseOutput;
use crate::locus::{Locus, LocusCondition};
use crate::periodic::PeriodicOrbit;
use crate::word::Word;
use slipstick_bifurcation::{BranchPoint, Label, Record};
use slipstick_continuation::{Point, Problem};

/// The place is no further away from the last point in the parameters, in their sizes.
const BESIDE: f64 = 0.05;

/// An orbit as a function of time over its period, all segments.
struct Trajectory<'z, 's> {
    segments: Vec<(f64, DenseOutput<'z, 's>)>,
    /// By how much the states, angles among them, are others after one more lap.
    turns: &'z [f64],
    lap: f64,
}

impl<'z, 's> Trajectory<'z, 's> {
    fn of(orbit: &'z PeriodicOrbit<'s>, z: &'z [f64]) -> Option<Self> {
        let p = orbit.parameters_at(z);
        let mut begin = 0.0;
        let mut segments = vec![];
        for (k, s) in orbit.segments.iter().enumerate() {
            segments.push((begin, DenseOutput::new(orbit.system, s, z, &p).ok()?));
            begin += orbit.duration(z, k);
        }
        Some(Self {
            segments,
            turns: &orbit.winding,
            lap: begin,
        })
    }

    /// The states at a time of the first two laps.
    fn eval(&self, t: f64, out: &mut [f64]) {
        let second = t > self.lap;
        let t = if second { t - self.lap } else { t };
        let own = self.segments.partition_point(|(begin, _)| *begin <= t).max(1) - 1;
        let (begin, dense) = &self.segments[own];
        dense.eval(t - begin, out);
        if second {
            out.iter_mut().zip(self.turns).for_each(|(x, turn)| *x += turn);
        }
    }
}

impl Locus<'_> {
    /// The place next to a point of a curve of folds of doubled cycles, whose orbit is `orbit`, where both halves
    /// coincide; `None` where it is not found nearby.
    pub(super) fn generalised_doubling(&mut self, point: &Point, orbit: &Point) -> Option<Point> {
        let [second, first] = self.plain.free[..] else {
            return None;
        };
        self.plain.restore(&orbit.meshes);
        self.plain.take_parameters(&orbit.z);
        let plain = &self.plain;
        let letters = &plain.word.letters;
        let word = Word {
            letters: letters[..letters.len().div_ceil(2)].to_vec(),
            symmetric: false,
        };
        let doubled = Trajectory::of(plain, &orbit.z)?;
        let half = 0.5 * doubled.lap;
        let (parameters, both) = (plain.parameters.clone(), plain.free.clone());
        let kinds = &plain.discretisations;
        let mut once = PeriodicOrbit::discretised(plain.system, word.clone(), parameters, both, plain.options, kinds);
        // Both halves lie on either side of the cycle that they coincide with.
        let middle = |t: f64, out: &mut [f64]| {
            let mut later = out.to_vec();
            doubled.eval(t, out);
            doubled.eval(t + half, &mut later);
            for ((x, later), turns) in out.iter_mut().zip(&later).zip(doubled.turns) {
                *x = 0.5 * (*x + later - 0.5 * turns);
            }
        };
        let near = BranchPoint {
            point: Point {
                z: once.guess_trajectory(half, &middle).ok()?,
                tangent: vec![],
                weights: vec![],
                meshes: once.meshes.clone(),
            },
            record: Record {
                parameters: once.parameters.clone(),
                ..Record::default()
            },
            label: None,
            message: String::new(),
        };
        let condition = LocusCondition::Multiplier(Label::PD);
        let extended = condition.extended_system(plain.system, &word);
        let (mut doublings, start) = Locus::through(
            plain.system,
            &extended,
            &word,
            condition,
            (first, second),
            &near,
            plain.options,
            kinds,
        )
        .ok()?;
        let found = without_cubic_term(&mut doublings, &start)?;
        let cycle = doublings.orbit_at(&Point { z: found, ..start });
        let trajectory = Trajectory::of(&doublings.plain, &cycle.z)?;
        let place = self.gone_through_twice(&trajectory, point, &cycle.z);
        let apart = point.z.iter().zip(&place.z).zip(&point.weights).rev().take(2);
        let apart = apart.map(|((a, b), w)| (a - b).powi(2) * w).sum::<f64>().sqrt();
        (apart <= BESIDE).then_some(place)
    }

    /// The point of the curve with the cycle gone through twice as its orbit.
    fn gone_through_twice(&self, trajectory: &Trajectory<'_, '_>, point: &Point, cycle: &[f64]) -> Point {
        let mut place = point.clone();
        let z = &mut place.z;
        let extended = &self.constrained.problem().segments;
        let durations = extended.iter().map(|s| point.z[s.offset + s.n]);
        let longer = 2.0 * trajectory.lap / durations.sum::<f64>();
        let mut begin = 0.0;
        for (s, p) in extended.iter().zip(&self.plain.segments) {
            let duration = longer * point.z[s.offset + s.n];
            trajectory.eval(begin, &mut z[s.offset..s.offset + p.n]);
            z[s.offset + s.n] = duration;
            if let Some(profile) = p.profile() {
                let along = profile.reported(|sigma, out| trajectory.eval(begin + sigma * duration, out));
                let own = z[s.block()].chunks_exact_mut(s.n);
                for (to, from) in own.zip(along.chunks_exact(p.n)) {
                    to[..p.n].copy_from_slice(from);
                }
            }
            begin += duration;
        }
        let free = z.len() - 2;
        z[free..].copy_from_slice(&cycle[cycle.len() - 2..]);
        place
    }
}
