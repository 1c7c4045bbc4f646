//! The misfit of a record as a function of (a, D, β), at the cost of the slips instead of the samples.
//!
//! Between slips x is constant, so the weighted sums that a least-squares fit of z - x = z₀ + r (β T - x) needs are
//! those of T, z, T², Tz and z² over whole runs of samples: differences of running sums. The next slip is the first
//! sample beyond a bound, found in a tree of ranges: a run of n samples is passed in of the order of log n comparisons.

use super::record::Record;
use crate::friction::shaw::quasi_static::QuasiStatic;
use slipstick_numerics::stop::look;

/// The nonlinear parameters, in metres and metres per kelvin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// a = f_s/K.
    pub(super) a: f64,
    /// D = (f_s - f_d)/K.
    pub(super) d: f64,
    /// β.
    pub(super) beta: f64,
    /// x(0) - β T(0).
    pub(super) lead: f64,
}

/// The linear parameters that fit best, and the misfit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinearFit {
    /// z₀.
    pub(super) offset: f64,
    /// r = K/K_BP; zero when the bearing is rigid.
    pub(super) share: f64,
    /// The weighted root mean square residual.
    pub(super) rms: f64,
    /// How many samples are preceded by a slip.
    pub(super) slips: usize,
    /// The weighted mean and variance of β T - x, which r multiplies: the misfit squared grows by variance · (δr)² off
    /// the best r.
    pub(super) extension: (f64, f64),
}

/// A record prepared for many evaluations.
pub(super) struct Objective {
    /// Temperatures, less their mean.
    temperature: Vec<f64>,
    mean_temperature: f64,
    mean_displacement: f64,
    elastic: bool,
    /// Running sums before each sample.
    sums: Vec<Sums>,
    /// The ranges of temperatures of blocks: of [`FAN`] samples, of [`FAN`] of these blocks, and so on.
    ranges: Vec<Vec<(f64, f64)>>,
}

/// How many samples or blocks make a block, as a power of two.
const FAN: usize = 1 << SHIFT;
const SHIFT: usize = 3;

/// Weighted sums of 1, T, z, T², Tz, z².
#[derive(Clone, Copy, Debug, Default)]
struct Sums([f64; 6]);

impl Sums {
    fn less(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl Objective {
    pub(super) fn new(record: &Record, elastic: bool) -> Self {
        let weights = record.weights();
        let mean = |v: &[f64]| v.iter().zip(&weights).map(|(v, w)| v * w).sum::<f64>();
        let (mean_temperature, mean_displacement) = (mean(&record.temperature), mean(&record.displacement));
        let temperature: Vec<f64> = record.temperature.iter().map(|t| t - mean_temperature).collect();
        let mut sums = vec![Sums::default()];
        let mut running = Sums::default();
        for ((t, z), w) in temperature.iter().zip(&record.displacement).zip(&weights) {
            let z = z - mean_displacement;
            for (sum, term) in running.0.iter_mut().zip([1.0, *t, z, t * t, t * z, z * z]) {
                *sum += w * term;
            }
            sums.push(running);
        }
        let ranges = ranges(&temperature);
        Self {
            temperature,
            mean_temperature,
            mean_displacement,
            elastic,
            sums,
            ranges,
        }
    }

    /// How many samples the record has.
    pub(super) fn samples(&self) -> usize {
        self.temperature.len()
    }

    /// The best z₀ and r for a shape, and what remains.
    pub(super) fn fit(&self, shape: Shape) -> LinearFit {
        look();
        let Shape { a, d, beta, lead } = shape;
        let law = QuasiStatic {
            reach: a,
            jump: 2.0 * d,
        };
        let n = self.temperature.len();
        let mut x = beta * self.temperature[0] + lead;
        let (mut from, mut slips) = (0, 0);
        // Sums of y = z - x, q = β T - x, their squares and product; the sum of weights is one.
        let (mut y, mut q, mut yy, mut yq, mut qq) = (0.0, 0.0, 0.0, 0.0, 0.0);
        while from < n {
            let to = self.first_outside(from, (x - a) / beta, (x + a) / beta);
            let Sums([w, t, z, tt, tz, zz]) = self.sums[to].less(self.sums[from]);
            y += z - x * w;
            q += beta * t - x * w;
            yy += zz - 2.0 * x * z + x * x * w;
            yq += beta * tz - x * z - beta * x * t + x * x * w;
            qq += beta * beta * tt - 2.0 * beta * x * t + x * x * w;
            if to < n {
                x = law.follow(x, beta * self.temperature[to]);
                slips += 1;
            }
            from = to;
        }
        let covariance = yq - y * q;
        let variance = qq - q * q;
        let share = if self.elastic && variance > 0.0 {
            (covariance / variance).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let remaining = yy - y * y - 2.0 * share * covariance + share * share * variance;
        // x here is x less β times the mean temperature, z is less its mean.
        let offset = self.mean_displacement + y - share * q - beta * self.mean_temperature;
        LinearFit {
            offset,
            share,
            rms: remaining.max(0.0).sqrt(),
            slips,
            extension: (q, variance),
        }
    }

    /// The first sample from `from` on, at least one further, whose temperature is outside `[lo, hi]`; the number of
    /// samples if none is.
    ///
    /// The sample at `from` itself is inside, because x has just followed it.
    fn first_outside(&self, from: usize, lo: f64, hi: f64) -> usize {
        let outside = |t: f64| t > hi || t < lo;
        let n = self.temperature.len();
        // The block looked at holds FAN to the power of the level samples and begins at sample i.
        let (mut i, mut level) = (from + 1, 0);
        while i < n {
            let inside = if level == 0 {
                !outside(self.temperature[i])
            } else {
                let (least, greatest) = self.ranges[level - 1][i >> (SHIFT * level)];
                !outside(least) && !outside(greatest)
            };
            if inside {
                i += 1 << (SHIFT * level);
                while level < self.ranges.len() && i.is_multiple_of(1 << (SHIFT * (level + 1))) {
                    level += 1;
                }
            } else if level == 0 {
                return i;
            } else {
                level -= 1;
            }
        }
        n
    }
}

/// The least and the greatest sample of blocks of [`FAN`] samples, of [`FAN`] such blocks, and so on up to one block.
fn ranges(samples: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let join = |b: &[(f64, f64)]| {
        b.iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &(least, greatest)| {
                (lo.min(least), hi.max(greatest))
            })
    };
    let mut levels: Vec<Vec<(f64, f64)>> = vec![];
    let mut last: Vec<(f64, f64)> = samples.iter().map(|&t| (t, t)).collect();
    while last.len() > 1 {
        last = last.chunks(FAN).map(join).collect();
        levels.push(last.clone());
    }
    levels
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::friction::bearing::Bearing;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_first_sample_outside_is_that_of_a_search_one_by_one() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for samples in [10, 15, 16, 63, 64, 65, 511, 512, 513, 1000, 4097] {
            let mut t = 0.0;
            let temperature: Vec<f64> = (0..samples)
                .map(|_| {
                    t += rng.random_range(-1.0..1.0);
                    t
                })
                .collect();
            let time = (0..samples).map(f64::from).collect();
            let record = Record::new(time, temperature.clone(), temperature).unwrap();
            let objective = Objective::new(&record, true);
            let t = &objective.temperature;
            for _ in 0..300 {
                let from = rng.random_range(0..t.len());
                let lo = t[from] - rng.random_range(0.0..8.0);
                let hi = t[from] + rng.random_range(0.0..8.0);
                let first = (from + 1..t.len()).find(|&i| t[i] > hi || t[i] < lo);
                assert_eq!(objective.first_outside(from, lo, hi), first.unwrap_or(t.len()));
            }
        }
    }

    #[test]
    fn the_sums_over_runs_are_the_sums_over_samples() {
        let truth = Bearing::default();
        let record = truth.synthetic_record().unwrap();
        let objective = Objective::new(&record, true);
        for (a, d, beta, share, lead) in [
            (2e-3, 0.3e-3, 3.2e-4, 0.05, 0.0),
            (1e-3, 1e-5, 2.5e-4, 0.2, 9e-4),
            (4e-3, 1e-3, 3e-4, 0.0, -2e-3),
        ] {
            let stiffness = 2e9 * f64::max(share, 1e-3);
            let guess = Bearing {
                stiffness,
                f_s: a * stiffness,
                f_d: (a - d) * stiffness,
                beta,
                ..truth
            };
            let motion = guess.motion_from(&record.temperature, lead);
            let fit = objective.fit(Shape { a, d, beta, lead });
            assert_eq!(fit.slips, motion.slips.len());
            // The fitted z₀ and r leave a residual of the size claimed, and no neighbour a smaller one.
            let rms = |offset: f64, share: f64| {
                let square = |i: usize| {
                    let x = motion.x[i];
                    let z = offset + x + share * (beta * record.temperature[i] - x);
                    (z - record.displacement[i]).powi(2)
                };
                let n = record.t.len();
                // Trapezoidal weights, as the record has them.
                let sum: f64 = (0..n)
                    .map(|i| square(i) * if i == 0 || i == n - 1 { 0.5 } else { 1.0 })
                    .sum();
                (sum / (n - 1) as f64).sqrt()
            };
            assert!((rms(fit.offset, fit.share) / fit.rms - 1.0).abs() < 1e-9);
            for (dz, dr) in [(1e-6, 0.0), (-1e-6, 0.0), (0.0, 1e-3)] {
                assert!(rms(fit.offset + dz, fit.share + dr) > fit.rms);
            }
        }
    }
}
