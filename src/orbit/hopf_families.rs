//! The small oscillations at a Hopf point where several pairs of eigenvalues are imaginary with the same frequency.

use crate::centre_space::{Amplitudes, CentreSpace, Zeros, apart};
use crate::dense_output::DenseOutput;
use crate::hopf::{Fractions, from_hopf};
use crate::hopf_size::{clear_size, oscillation_size};
use crate::periodic::PeriodicOrbit;
use nalgebra::{Complex, DVector};
use slipstick_continuation::{Failure, Newton, NewtonOptions, Point, Problem, tangent_at};
use slipstick_system::jacobian;
use std::f64::consts::TAU;

/// A member that has moved by more than this part of its amplitude, from where the reduced equations place it, is one
/// of another family.
const NEAR: f64 = 0.3;
/// Vectors of amplitudes closer than this are those of one cycle, and different ones are further apart.
const ONE: f64 = 1e-3;
const DIFFERENT: f64 = 0.02;
/// Members that belong to places of a continuum stay this near to some of them.
const STAYS: f64 = 0.15;

/// The first cycles of all families that branch off at a Hopf point.
///
/// ```
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word, families_from_hopf};
/// use slipstick_study as study;
/// // Two oscillators, coupled by what each adds to the other's damping: either swings alone, or both do, in phase, in
/// // opposite phase, or a quarter of a period apart.
/// let coupled = |x: &str, y: &str, u: &str, v: &str| {
///     let square = format!("({x}^2 + {y}^2 + 0.3*({u}^2 + {v}^2))");
///     let mixed = |w: &str| format!("0.2*({x}*{u} + {y}*{v})*{w}");
///     format!("\"{x}' = a*{x} - {y} - {square}*{x} - {}\", \"{y}' = {x} + a*{y} - {square}*{y} - {}\"", mixed(u), mixed(v))
/// };
/// let equations = [coupled("x", "y", "u", "v"), coupled("u", "v", "x", "y")].join(", ");
/// let text = format!("Study(title: \"two\", system: Smooth(states: [\"x\", \"y\", \"u\", \"v\"], parameters: {{\"a\": 0}}, equations: [{equations}]))");
/// let plan = study::parse("two.ron".as_ref(), text)?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let word = Word::parse("smooth", false, system)?;
/// let mut orbit = PeriodicOrbit::new(system, word, vec![0.0], vec![0], FlowOptions::default());
/// let found = families_from_hopf(&mut orbit, &[0.0; 4], (-1.0, 1.0))?;
/// assert_eq!((found.pairs, found.starts.len()), (2, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HopfFamilies {
    /// How many pairs of eigenvalues have the frequency.
    pub pairs: usize,
    /// A cycle of each family, with the tangent that leads away.
    pub starts: Vec<Point>,
    /// What is known of their number; empty for one pair.
    pub said: String,
}

/// The first periodic orbits of all families that branch off at a Hopf point, of which there may be several where
/// several pairs of eigenvalues have the same frequency. As [`from_hopf`] where one has.
///
/// Families that the terms of third order do not tell from each other, as the standing waves of rings, are looked for
/// by the orbits' own equations at larger amplitudes.
///
/// # Errors
/// As [`from_hopf`], when there are no starts.
pub fn families_from_hopf(
    orbit: &mut PeriodicOrbit<'_>,
    x: &[f64],
    range: (f64, f64),
) -> Result<HopfFamilies, Failure> {
    let (mode, free) = (orbit.segments.first().map(|s| s.mode), orbit.free.last().copied());
    let space = mode.zip(free).and_then(|(mode, free)| {
        let field = orbit.system.modes[mode].field.as_ref();
        let space = CentreSpace::at(field, x, &orbit.parameters, free)?;
        Some((space.zeros()?, space, mode, free))
    });
    let Some((zeros, space, mode, free)) = space else {
        return Ok(HopfFamilies {
            pairs: 1,
            starts: vec![from_hopf(orbit, x, range)?],
            said: String::new(),
        });
    };
    let here = orbit.parameters[free];
    let mut members = Members {
        orbit,
        space: &space,
        x,
        mode,
        free,
        here,
        range,
        last: Failure::Evaluation("no amplitude was tried".into()),
    };
    let mut starts = vec![];
    for zero in &zeros.simple {
        starts.extend(members.simple(zero));
    }
    let lost = zeros.simple.len() - starts.len();
    let resolved = members.of_continuum(&zeros);
    let others = resolved.as_ref().map_or(0, Vec::len);
    starts.extend(resolved.into_iter().flatten());
    if starts.is_empty() && zeros.continuum.is_empty() {
        return Err(members.last);
    }
    // Of a surface of cycles one family is followed.
    let one = zeros.continuum.first().filter(|_| others == 0);
    let one = one.and_then(|zero| members.simple(zero));
    let last = members.last.clone();
    members.orbit.set_parameter(free, here);
    let followed = one.is_some();
    starts.extend(one);
    if starts.is_empty() {
        return Err(last);
    }
    let mut said = zeros.describe(space.pairs());
    if others > 0 {
        said.push_str(&format!(
            "; of those that terms of third order do not separate {others} were found at a larger amplitude"
        ));
    } else if !zeros.continuum.is_empty() {
        let which = if followed { "one of them is" } else { "none of them is" };
        said.push_str(&format!(
            "; those that terms of third order do not separate were not resolved: {which} followed"
        ));
    }
    if lost > 0 {
        said.push_str(&format!("; {lost} of them were not reached: {last}"));
    }
    Ok(HopfFamilies {
        pairs: space.pairs(),
        starts,
        said,
    })
}

/// A guess at a member.
struct Placed {
    z: Vec<f64>,
    /// The equilibrium.
    rest: Vec<f64>,
    /// The border row, which tells how far from it a member is, and how far it shall be.
    row: Vec<f64>,
    length: f64,
    weights: Vec<f64>,
}

impl Placed {
    /// The distance of two vectors of unknowns, without the parameter and durations.
    fn size(&self, a: &[f64], b: &[f64]) -> f64 {
        let states = a.iter().zip(b).zip(&self.weights).zip(&self.row);
        let squares = states
            .filter(|(_, row)| **row != 0.0)
            .map(|(((a, b), w), _)| (a - b).powi(2) * w);
        squares.sum::<f64>().sqrt()
    }
}

/// What members of families are computed with.
struct Members<'o, 's> {
    orbit: &'o mut PeriodicOrbit<'s>,
    space: &'o CentreSpace,
    x: &'o [f64],
    mode: usize,
    free: usize,
    here: f64,
    range: (f64, f64),
    /// The last failure.
    last: Failure,
}

impl Members<'_, '_> {
    /// How large the oscillation with these amplitudes may be for the field to be linear to a tenth.
    fn size(&self, zero: &Amplitudes) -> f64 {
        let (n, p) = (self.x.len(), &self.orbit.parameters);
        let field = self.orbit.system.modes[self.mode].field.as_ref();
        let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        jacobian(field, self.x, p, &[], &mut f, &mut dx, &mut []);
        let q = self.space.vector(&zero.a);
        let size = oscillation_size(field, self.x, p, (&f, &dx), (self.space.omega, q.as_slice()));
        clear_size(&self.orbit.system.modes[self.mode], self.x, p, q.as_slice(), size)
    }

    /// The first member of the family of a simple zero of the reduced equations.
    fn simple(&mut self, zero: &Amplitudes) -> Option<Point> {
        self.orbit.set_parameter(self.free, self.here);
        let size = self.size(zero);
        let options = NewtonOptions {
            iterations: 12,
            ..NewtonOptions::default()
        };
        let mut fractions = Fractions::within(self.here, self.range);
        while let Some(fraction) = fractions.next() {
            match self.at(zero, fraction * size, &options) {
                Ok((point, moved)) if moved <= NEAR && fractions.ends_with(fraction, point.parameter()) => {
                    return Some(point);
                }
                Ok(_) => {}
                Err(why) => self.last = why,
            }
        }
        None
    }

    /// The member with this amplitude, and how far it is, relative to that, from where the reduced equations place
    /// it.
    fn at(&mut self, zero: &Amplitudes, amplitude: f64, options: &NewtonOptions) -> Result<(Point, f64), Failure> {
        let placed = self.placed(zero, amplitude)?;
        let Placed { row, rest, length, .. } = &placed;
        let mut z = placed.z.clone();
        Newton::default().solve(self.orbit, &mut z, row, rest, &[*length], options)?;
        let moved = placed.size(&z, &placed.z) / length;
        Ok((tangent_at(self.orbit, z, row, 1.0)?, moved))
    }

    /// The member with this amplitude near which the equations are nearly singular in so many directions. Newton's
    /// method first comes to where only those are left, and then takes short steps along them.
    fn along_continuum(&mut self, zero: &Amplitudes, amplitude: f64) -> Result<Point, Failure> {
        const ITERATIONS: usize = 60;
        /// So many of them leave the directions.
        const FIRST: usize = 3;
        /// The longest step along them, relative to the amplitude.
        const LONGEST: f64 = 0.05;
        const SOLVED: f64 = 1e-7;
        let Placed {
            mut z,
            rest,
            row,
            length,
            weights,
        } = self.placed(zero, amplitude)?;
        let n = z.len();
        let product = |a: &[f64], b: &[f64]| -> f64 {
            let terms = a.iter().zip(b).zip(&weights).take(n - 1);
            terms.map(|((a, b), w)| a * b * w).sum()
        };
        let sizes = self.orbit.sizes_at(&z);
        let mut residual = vec![0.0; n - 1];
        for iteration in 0..ITERATIONS {
            self.orbit.linearise(&z, &mut residual)?;
            let mut step: Vec<f64> = residual.iter().map(|r| -r).collect();
            let along = row.iter().zip(z.iter().zip(&rest)).map(|(r, (z, o))| r * (z - o));
            step.push(length - along.sum::<f64>());
            self.orbit.solve(&row, &mut step)?;
            // What the inverse enlarges most.
            let mut directions: Vec<Vec<f64>> = vec![];
            for d in 0..zero.soft {
                let frequency = [1.7, 2.3, 3.1, 4.7][d % 4];
                let mut v: Vec<f64> = (0..n - 1)
                    .map(|i| sizes[i] * (frequency * (1.0 + i as f64)).sin())
                    .collect();
                v.push(0.0);
                self.orbit.solve(&row, &mut v)?;
                for _ in 0..2 {
                    for known in &directions {
                        let part = product(known, &v);
                        v.iter_mut().zip(known).for_each(|(v, k)| *v -= part * k);
                    }
                }
                let size = product(&v, &v).sqrt();
                v.iter_mut().for_each(|v| *v /= size);
                directions.push(v);
            }
            let parts: Vec<f64> = directions.iter().map(|d| product(d, &step)).collect();
            let along = parts.iter().map(|c| c * c).sum::<f64>().sqrt();
            let most = if iteration < FIRST { 0.0 } else { LONGEST * length };
            if along > most {
                for (d, c) in directions.iter().zip(&parts) {
                    let less = c * (1.0 - most / along);
                    step.iter_mut().zip(d).for_each(|(s, d)| *s -= less * d);
                }
            }
            z.iter_mut().zip(&step).for_each(|(z, s)| *z += s);
            let size = product(&step, &step).sqrt();
            if !size.is_finite() || size > length {
                return Err(Failure::Evaluation("the orbits at this amplitude were lost".into()));
            }
            if iteration >= FIRST && size <= SOLVED * length {
                break;
            }
        }
        let options = NewtonOptions {
            iterations: 4,
            ..NewtonOptions::default()
        };
        Newton::default().solve(self.orbit, &mut z, &row, &rest, &[length], &options)?;
        tangent_at(self.orbit, z, &row, 1.0)
    }

    /// Where the reduced equations place the member with this amplitude.
    fn placed(&mut self, zero: &Amplitudes, amplitude: f64) -> Result<Placed, Failure> {
        /// The largest relative change of the frequency.
        const CHANGE: f64 = 0.5;
        let square = 0.25 * amplitude * amplitude;
        let omega = self.space.omega + zero.nu * square;
        let (low, high) = self.range;
        let level = self.here + zero.mu * square;
        if !((omega / self.space.omega - 1.0).abs() <= CHANGE && (level - self.here).abs() <= high - low) {
            return Err(Failure::Evaluation(
                "the amplitude is too large for the first terms".into(),
            ));
        }
        let q = self.space.vector(&zero.a);
        let (mean, double) = self.space.second_order(&zero.a);
        let (x, shift) = (self.x, &self.space.shift);
        let dense = |t: f64, out: &mut [f64]| {
            let turn = Complex::from_polar(1.0, omega * t);
            let twice = turn * turn;
            for (i, o) in out.iter_mut().enumerate() {
                let linear = amplitude * (q[i] * turn).re + (level - self.here) * shift[i];
                *o = x[i] + linear + square * (mean[i] + 2.0 * (double[i] * twice).re);
            }
        };
        self.orbit.set_parameter(self.free, level);
        self.orbit.restore(&None);
        let z = self.orbit.guess_trajectory(TAU / omega, &dense)?;
        // States count by how large they may be in any of the oscillations, not in this one, where some may be at
        // rest.
        let (mut weights, mut rest) = (vec![0.0; z.len()], z.clone());
        let sizes = self.space.sizes();
        for s in &self.orbit.segments {
            let states = (s.offset..s.offset + s.n).chain(s.block());
            for (i, j) in states.enumerate() {
                rest[j] = x[i % s.n];
                weights[j] = if sizes[i % s.n] > 0.0 {
                    sizes[i % s.n].powi(-2)
                } else {
                    0.0
                };
            }
        }
        let away: Vec<f64> = z.iter().zip(&rest).map(|(z, r)| z - r).collect();
        let length = away.iter().zip(&weights).map(|(a, w)| a * a * w).sum::<f64>().sqrt();
        let row = away.iter().zip(&weights).map(|(a, w)| a * w / length).collect();
        Ok(Placed {
            z,
            rest,
            row,
            length,
            weights,
        })
    }

    /// The families among the zeros that are not simple, by the orbits' own equations at amplitudes at which these
    /// separate them: what several starts lead to, and is further apart than what is found of one.
    fn of_continuum(&mut self, zeros: &Zeros) -> Option<Vec<Point>> {
        const FRACTIONS: [f64; 5] = [0.3, 1.0, 1.7, 2.5, 3.5];
        /// So many starts for each family that is found, and a part of all.
        const EACH: usize = 2;
        const PART: usize = 3;
        let first = zeros.continuum.first()?;
        self.orbit.set_parameter(self.free, self.here);
        let size = self.size(first);
        let (low, high) = self.range;
        for fraction in FRACTIONS {
            let mut found: Vec<(DVector<Complex<f64>>, Point)> = vec![];
            let (mut converged, mut blurred) = (0, false);
            for zero in &zeros.continuum {
                let Ok(point) = self.along_continuum(zero, fraction * size) else {
                    continue;
                };
                let Some(own) = self.measured(&point) else { continue };
                let stays = zeros.continuum.iter().any(|known| apart(&known.a, &own) <= STAYS);
                let simple = zeros.simple.iter().any(|known| apart(&known.a, &own) <= STAYS);
                if !stays || simple || !(low..=high).contains(&point.parameter()) {
                    continue;
                }
                converged += 1;
                let nearest = found
                    .iter()
                    .map(|(known, _)| apart(known, &own))
                    .fold(f64::INFINITY, f64::min);
                blurred |= nearest > ONE && nearest < DIFFERENT;
                if nearest > ONE {
                    found.push((own, point));
                }
            }
            if !found.is_empty() && !blurred && converged >= (EACH * found.len()).max(zeros.continuum.len() / PART) {
                return Some(found.into_iter().map(|(_, point)| point).collect());
            }
        }
        None
    }

    /// The amplitudes A of a cycle, by its first harmonic.
    fn measured(&self, point: &Point) -> Option<DVector<Complex<f64>>> {
        const SAMPLES: usize = 32;
        let (orbit, z) = (&self.orbit, &point.z);
        let p = orbit.parameters_at(z);
        let (lap, omega) = (orbit.lap(z), TAU / orbit.period(z));
        let n = self.x.len();
        let mut sum = DVector::zeros(n);
        let mut begin = 0.0;
        let mut next = 0;
        let mut state = vec![0.0; n];
        for (k, s) in orbit.segments.iter().enumerate() {
            let duration = orbit.duration(z, k);
            let dense = DenseOutput::new(orbit.system, s, z, &p).ok()?;
            while next < SAMPLES && (lap * next as f64 / SAMPLES as f64) < begin + duration {
                let t = lap * next as f64 / SAMPLES as f64;
                dense.eval(t - begin, &mut state);
                let back = Complex::from_polar(1.0, -omega * t);
                for (sum, (state, x)) in sum.iter_mut().zip(state.iter().zip(self.x)) {
                    *sum += back * (state - x);
                }
                next += 1;
            }
            begin += duration;
        }
        let a = self.space.amplitudes(&sum);
        let length = a.norm();
        (length > 0.0).then(|| a / Complex::new(length, 0.0))
    }
}
