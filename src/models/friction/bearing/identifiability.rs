//! How well a record identifies the bearing: the extremes of every quantity over all parameters that fit as well as the
//! best.

use super::calibration::{Calibration, Fit};
use super::objective::{LinearFit, Objective, Shape};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How well the record identifies a quantity.
///
/// ```
/// use slipstick_models::friction::bearing::Identified;
/// let beta = Identified { name: "beta", best: 3.0e-4, low: 2.9e-4, high: 3.1e-4 };
/// assert!((beta.relative() - 1.0 / 30.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Identified {
    /// Its name.
    pub name: &'static str,
    /// The best value.
    pub best: f64,
    /// The least value found that fits as well.
    pub low: f64,
    /// The greatest value found that fits as well.
    pub high: f64,
}

impl Identified {
    /// Half the range over the best value.
    pub fn relative(&self) -> f64 {
        0.5 * (self.high - self.low) / self.best.abs()
    }
}

/// The parameters in which the set of good fits is a box rather than a thin oblique sheet: a, the height 2D (1 - r) of
/// a jump as the sensor sees it, β and the lead at the start. The share r follows from the slope r β, which is sharp.
#[derive(Clone, Copy)]
struct Coordinates {
    slope: f64,
}

impl Coordinates {
    fn shape(self, v: [f64; 4]) -> Shape {
        let [a, height, beta, lead] = v;
        Shape {
            a,
            d: 0.5 * height / (1.0 - self.slope / beta),
            beta,
            lead,
        }
    }
    fn of(self, fit: &Fit) -> [f64; 4] {
        [
            fit.reach,
            2.0 * fit.half_jump * (1.0 - self.slope / fit.beta),
            fit.beta,
            fit.lead,
        ]
    }
}

/// Sample the connected set of parameters whose misfit is as good as the best, and take the extremes.
///
/// "As good" is the 95 % region of the likelihood ratio for independent residuals, rms² ≤ best² exp(χ²/n), but no finer
/// than `negligible`. The nonlinear parameters are sampled by slices along the coordinates (R. M. Neal, Ann. Statist.
/// 31 (2003) 705–767); for each of them the extremes of r and z₀ follow from the least-squares problem.
pub(super) fn identify(
    objective: &Objective,
    best: &Fit,
    calibration: &Calibration,
    negligible: f64,
) -> Vec<Identified> {
    const SWEEPS: usize = 120;
    let elastic = calibration.shear_stiffness.is_some();
    // χ² at 95 % for three to six parameters.
    let chi_squared = [7.81, 9.49, 11.07, 12.59][usize::from(elastic) + usize::from(calibration.free_start) + 1];
    let level = best.rms.powi(2) * (chi_squared / objective.samples() as f64).exp() + negligible.powi(2);
    let coordinates = Coordinates {
        slope: best.shear_share * best.beta,
    };
    let fit = |v: [f64; 4]| -> Option<LinearFit> {
        let shape = coordinates.shape(v);
        let sensible =
            shape.d > 0.0 && shape.a > shape.d && shape.lead.abs() <= shape.a && shape.beta > coordinates.slope;
        let linear = sensible.then(|| objective.fit(shape))?;
        (linear.rms.powi(2) <= level).then_some(linear)
    };
    let mut found = quantities(best).map(|(name, value)| Identified {
        name,
        best: value,
        low: value,
        high: value,
    });
    let mut widen = |v: [f64; 4], linear: LinearFit| {
        let slack = (level - linear.rms.powi(2)).max(0.0);
        let (mean, variance) = linear.extension;
        let shift = if elastic && variance > 0.0 {
            (slack / variance).sqrt()
        } else {
            0.0
        };
        let about = if elastic && variance > 0.0 {
            1.0 + mean * mean / variance
        } else {
            1.0
        };
        for side in [-1.0, 1.0] {
            let share = (linear.share + side * shift).max(0.0);
            let offset = linear.offset + side * (slack * about).sqrt();
            let here = calibration.describe(
                0,
                coordinates.shape(v),
                LinearFit {
                    share,
                    offset,
                    ..linear
                },
            );
            for (q, (_, value)) in found.iter_mut().zip(quantities(&here)) {
                (q.low, q.high) = (q.low.min(value), q.high.max(value));
            }
        }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(calibration.seed);
    let mut v = coordinates.of(best);
    // The widths to begin with; each sweep takes over what the last one found.
    let mut widths = v.map(|x| 1e-7 * x.abs());
    widths[3] = widths[0];
    let unknowns = if calibration.free_start { 4 } else { 3 };
    for _ in 0..SWEEPS {
        for i in 0..unknowns {
            let at = |x: f64| {
                let mut w = v;
                w[i] = x;
                w
            };
            let mut low = v[i] - widths[i] * rng.random::<f64>();
            let mut high = low + widths[i];
            for _ in 0..30 {
                let (below, above) = (fit(at(low)).is_some(), fit(at(high)).is_some());
                if !below && !above {
                    break;
                }
                let reach = high - low;
                if below {
                    low -= reach;
                }
                if above {
                    high += reach;
                }
            }
            widths[i] = (0.5 * (high - low)).max(1e-3 * widths[i]);
            for _ in 0..80 {
                let x = low + (high - low) * rng.random::<f64>();
                if let Some(linear) = fit(at(x)) {
                    v = at(x);
                    widen(v, linear);
                    break;
                }
                if x < v[i] { low = x } else { high = x }
            }
        }
    }
    let known = |q: &Identified| elastic || !["r", "r beta", "2D(1-r)", "K", "f_s", "f_d"].contains(&q.name);
    found.into_iter().filter(known).collect()
}

/// What can be asked of a fit; NaN where K is unknown.
pub(super) fn quantities(f: &Fit) -> [(&'static str, f64); 11] {
    let forces = [f.stiffness, f.f_s, f.f_d].map(|v| v.unwrap_or(f64::NAN));
    [
        ("f_s/K", f.reach),
        ("f_d/K", f.reach - f.half_jump),
        ("D", f.half_jump),
        ("beta", f.beta),
        ("z0", f.offset),
        ("r", f.shear_share),
        ("r beta", f.shear_share * f.beta),
        ("2D(1-r)", 2.0 * f.half_jump * (1.0 - f.shear_share)),
        ("K", forces[0]),
        ("f_s", forces[1]),
        ("f_d", forces[2]),
    ]
}
