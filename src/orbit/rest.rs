//! Where an orbit comes almost to rest: the saddles near which it spends its time.

use super::{OrbitSample, PeriodicOrbit};
use crate::bifurcation::Rest;
use crate::continuation::Point;
use crate::linalg::eigen::eigenvalues;
use crate::system::jacobian;
use nalgebra::{Complex, DMatrix, DVector};

/// How near to an equilibrium counts as near, in units of the orbit's range in each state: slow motion along a manifold goes further.
const NEAR: f64 = 0.05;
/// How slow is slow, relative to the greatest speed of the orbit.
const SLOW: f64 = 0.05;
/// How often an equilibrium is looked for.
const TRIES: usize = 40;
/// A place at which the orbit spends a smaller part of its period is none.
const SHORT: f64 = 0.01;
/// Samples of a period.
const SAMPLES: usize = 2000;

/// The rows of an orbit in units of its ranges.
struct Chords<'a> {
    ranges: Vec<f64>,
    /// Speed, duration and place of each chord.
    chords: Vec<(f64, f64, &'a [f64])>,
    period: f64,
}

impl<'a> Chords<'a> {
    fn of(sample: &'a OrbitSample) -> Option<Self> {
        let first = sample.states.first()?;
        let range = |i: usize| {
            let values = sample.states.iter().map(|x| x[i]);
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        let mut found = Self {
            ranges: (0..first.len()).map(range).collect(),
            chords: vec![],
            period: 0.0,
        };
        for (t, x) in sample.t.windows(2).zip(sample.states.windows(2)) {
            let duration = t[1] - t[0];
            if duration > 0.0 {
                found
                    .chords
                    .push((found.apart(&x[0], &x[1]) / duration, duration, x[0].as_slice()));
                found.period += duration;
            }
        }
        Some(found)
    }

    /// The largest difference of two states.
    fn apart(&self, a: &[f64], b: &[f64]) -> f64 {
        let parts = a.iter().zip(b).zip(&self.ranges).filter(|(_, r)| **r > 0.0);
        parts.fold(0.0, |m: f64, ((a, b), r)| m.max((a - b).abs() / r))
    }
}

impl PeriodicOrbit<'_> {
    /// The saddles near which the orbit at `point` is slow, with the part of the period that it spends there.
    pub(super) fn equilibria_nearby(&mut self, point: &Point) -> Option<Rest> {
        let sample = self.sample(point, SAMPLES).ok()?;
        let p = self.parameters_at(&point.z);
        let mut orbit = Chords::of(&sample)?;
        let slow = SLOW * orbit.chords.iter().fold(0.0, |m: f64, c| m.max(c.0));
        let mut chords = std::mem::take(&mut orbit.chords);
        chords.retain(|c| c.0 <= slow);
        chords.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The saddles next to the places where the orbit is slowest.
        let mut saddles: Vec<Vec<f64>> = vec![];
        let mut tries = 0;
        for (_, _, x) in &chords {
            if saddles.iter().any(|s| orbit.apart(s, x) <= NEAR) {
                continue;
            }
            tries += 1;
            if tries > TRIES {
                break;
            }
            let found = self.saddle_from(x, &p);
            saddles.extend(found.filter(|s| orbit.apart(s, x) <= NEAR));
        }
        let mut rest = Rest::default();
        for saddle in &saddles {
            let mut time = 0.0;
            chords.retain(|c| {
                let near = orbit.apart(c.2, saddle) <= NEAR;
                time += if near { c.1 } else { 0.0 };
                !near
            });
            if time > SHORT * orbit.period {
                rest.share += time / orbit.period;
                rest.places.push(self.in_words(saddle, &orbit.ranges));
            }
        }
        (!rest.places.is_empty()).then_some(rest)
    }

    /// The equilibrium that Newton's method finds from `x`, if it is a saddle: cycles pass by nodes and foci without tending to them.
    fn saddle_from(&self, x: &[f64], p: &[f64]) -> Option<Vec<f64>> {
        let (x, values) = self.equilibrium_from(x, p)?;
        let saddle = values.iter().any(|v| v.re > 0.0) && values.iter().any(|v| v.re < 0.0);
        saddle.then_some(x)
    }

    /// The equilibrium that Newton's method finds from `x`, with its eigenvalues.
    pub(super) fn equilibrium_from(&self, x: &[f64], p: &[f64]) -> Option<(Vec<f64>, Vec<Complex<f64>>)> {
        let field = self.system.modes[self.segments.first()?.mode].field.as_ref();
        let n = x.len();
        let mut x = DVector::from_column_slice(x);
        let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        for _ in 0..20 {
            jacobian(field, x.as_slice(), p, &[], &mut f, &mut dx, &mut []);
            let step = DMatrix::from_row_slice(n, n, &dx)
                .lu()
                .solve(&DVector::from_column_slice(&f))?;
            x -= &step;
            if step.amax() <= 1e-10 * (1.0 + x.amax()) {
                let values = eigenvalues(&DMatrix::from_row_slice(n, n, &dx)).ok()?;
                return Some((x.as_slice().to_vec(), values));
            }
        }
        None
    }

    /// The states by their names; what is zero up to rounding is written as zero.
    pub(super) fn in_words(&self, x: &[f64], ranges: &[f64]) -> String {
        let words = self
            .system
            .states
            .iter()
            .zip(x)
            .zip(ranges)
            .enumerate()
            .map(|(i, ((state, v), range))| {
                let v = if v.abs() <= 1e-9 * range {
                    0.0
                } else {
                    *v * self.system.units.state(i)
                };
                format!("{} = {v:.6}", state.name)
            });
        format!("({})", words.collect::<Vec<_>>().join(", "))
    }
}
