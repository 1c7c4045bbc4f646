//! What remains as the number of modes grows: extrapolation in 1/N, observed exponents, and the Hölder exponent of a
//! kernel at t = 0.

use super::bowed::BowedStructure;
use super::error::ElasticError;
use super::kernel::MemoryKernel;
use super::orbit::{BowedOrbit, OrbitOptions};
use rayon::prelude::*;
use slipstick_numerics::stop::Scope;

/// A limit N → ∞ with its error estimate.
///
/// ```
/// use slipstick_models::elastic::extrapolate_modes;
/// // 3 + 2/N - 1/N², known for three numbers of modes.
/// let values = [10, 20, 40].map(|n| (n, 3.0 + 2.0 / n as f64 - 1.0 / (n * n) as f64));
/// let found = extrapolate_modes(&values).unwrap();
/// assert!((found.limit - 3.0).abs() < 1e-12 && found.error > (found.limit - 3.0).abs());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extrapolated {
    /// The value of the polynomial in 1/N at 1/N = 0.
    pub limit: f64,
    /// By how much the last point changed it.
    pub error: f64,
}

/// The limit of values `(N, value)` as N → ∞, by the polynomial in 1/N through all of them (Neville's scheme). Needs
/// two points or more with different N; fewer give `None`.
pub fn extrapolate_modes(values: &[(usize, f64)]) -> Option<Extrapolated> {
    if values.len() < 2 {
        return None;
    }
    let x: Vec<f64> = values.iter().map(|v| 1.0 / v.0 as f64).collect();
    let mut column: Vec<f64> = values.iter().map(|v| v.1).collect();
    let n = column.len();
    let mut error = f64::INFINITY;
    for level in 1..n {
        let before = column[n - level];
        for i in 0..n - level {
            column[i] = (x[i] * column[i + 1] - x[i + level] * column[i]) / (x[i] - x[i + level]);
        }
        error = (column[n - level - 1] - before).abs();
    }
    column[0].is_finite().then_some(Extrapolated {
        limit: column[0],
        error,
    })
}

/// Exponents p of |value| ∝ N^{-p} between neighbours.
pub fn decay_exponents(values: &[(usize, f64)]) -> Vec<f64> {
    let pair = |w: &[(usize, f64)]| (w[0].1 / w[1].1).abs().ln() / (w[1].0 as f64 / w[0].0 as f64).ln();
    values.windows(2).map(pair).collect()
}

/// Periodic orbits of one structure truncated to different numbers of modes, in parallel. `build` makes the bowed
/// structure of N modes; the start excites its first mode with contact displacement and velocity `start`.
pub fn orbits_over_modes(
    build: impl Fn(usize) -> Result<BowedStructure, ElasticError> + Sync,
    modes: &[usize],
    start: [f64; 2],
    transient: f64,
    options: &OrbitOptions,
) -> Result<Vec<BowedOrbit>, ElasticError> {
    let scope = Scope::here();
    modes
        .par_iter()
        .map(|&n| {
            scope.enter(|| {
                let bowed = build(n)?;
                bowed.find_orbit(&bowed.start(start[0], start[1])?, transient, options)
            })
        })
        .collect()
}

/// How a kernel leaves zero: L₁(t) ≈ C t^α as t → 0+.
///
/// ```
/// use slipstick_models::elastic::{ModalKernel, Structure, hoelder_exponent};
/// // With finitely many modes the kernel leaves zero like t.
/// let kernel = ModalKernel::new(&Structure::string(5, 1.0, 0.1, &[0.4])?)?;
/// let fit = hoelder_exponent(&kernel, 1e-6, 1e-4, 20)?;
/// assert!((fit.exponent - 1.0).abs() < 1e-3 && fit.scatter < 1e-3);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoelderFit {
    /// α, from the least-squares line through (ln t, ln |L₁|). 0 for a string, 1/2 for a beam, 1 for finitely many
    /// modes resolved.
    pub exponent: f64,
    /// C of that line.
    pub constant: f64,
    /// Root mean square distance from the line, in ln |L₁|.
    pub scatter: f64,
    /// Standard error of α.
    pub standard_error: f64,
}

/// Measure the Hölder exponent of (L₁)₁₁ at 0+ from `points` samples spaced evenly in ln t over `from` ≤ t ≤ `to`.
///
/// A truncated kernel shows the exponent of its continuum only while ω_N t is large: choose `from` ≫ 1/(D ω_N).
pub fn hoelder_exponent(
    kernel: &dyn MemoryKernel,
    from: f64,
    to: f64,
    points: usize,
) -> Result<HoelderFit, ElasticError> {
    let refuse = |name, value, requirement| {
        Err(ElasticError::Parameter {
            name,
            value,
            requirement,
        })
    };
    if !(from > 0.0 && to > from && to.is_finite()) {
        return refuse("from", from, "the times must satisfy 0 < from < to");
    }
    if points < 3 {
        return refuse(
            "points",
            points as f64,
            "a fit with an error estimate needs three points or more",
        );
    }
    let data: Vec<(f64, f64)> = (0..points)
        .map(|i| {
            let x = from.ln() + (to / from).ln() * i as f64 / (points - 1) as f64;
            (x, kernel.l1(x.exp())[(0, 0)].abs().ln())
        })
        .collect();
    if data.iter().any(|p| !p.1.is_finite()) {
        return refuse(
            "from",
            from,
            "the kernel vanishes within these times; choose them smaller",
        );
    }
    let n = points as f64;
    let (mx, my) = (
        data.iter().map(|p| p.0).sum::<f64>() / n,
        data.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let sxx: f64 = data.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let exponent = data.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / sxx;
    let squares: f64 = data.iter().map(|p| (p.1 - my - exponent * (p.0 - mx)).powi(2)).sum();
    Ok(HoelderFit {
        exponent,
        constant: (my - exponent * mx).exp(),
        scatter: (squares / n).sqrt(),
        standard_error: (squares / (n - 2.0) / sxx).sqrt(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{FrictionKind, FrictionLaw, ModalKernel, StringKernel, Structure};

    #[test]
    fn extrapolation_is_exact_for_polynomials_in_one_over_n() {
        let f = |n: usize| 3.0 - 2.0 / n as f64 + 5.0 / (n * n) as f64;
        let values: Vec<_> = [20, 40, 80].map(|n| (n, f(n))).to_vec();
        assert!((extrapolate_modes(&values).unwrap().limit - 3.0).abs() < 1e-13);
        assert!(extrapolate_modes(&values[..1]).is_none());
        assert!((decay_exponents(&[(10, 1.0), (40, 0.25)])[0] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn kernels_of_string_beam_and_few_modes_have_exponents_0_half_and_1() {
        let string = StringKernel::new(1.0, 0.1, &[0.4]).unwrap();
        let flat = hoelder_exponent(&string, 1e-7, 1e-5, 20).unwrap();
        assert!(flat.exponent.abs() < 1e-4 && (flat.constant - string.right_limit()).abs() < 1e-3);
        let beam = ModalKernel::new(&Structure::cantilever(12_000, 0.1, &[1.0]).unwrap()).unwrap();
        let half = hoelder_exponent(&beam, 2e-7, 2e-6, 20).unwrap();
        assert!((half.exponent - 0.5).abs() < 1.5e-3, "{half:?}");
        assert!((half.constant / 1.52150615852436 - 1.0).abs() < 0.02, "{half:?}");
        let few = ModalKernel::new(&Structure::string(20, 1.0, 0.1, &[0.4]).unwrap()).unwrap();
        let steep = hoelder_exponent(&few, 1e-8, 1e-6, 20).unwrap();
        assert!((steep.exponent - 1.0).abs() < 1e-4);
        assert!(hoelder_exponent(&few, 0.0, 1.0, 20).is_err() && hoelder_exponent(&few, 0.1, 1.0, 2).is_err());
    }

    fn string(modes: usize, kind: FrictionKind) -> Result<BowedStructure, ElasticError> {
        let string = Structure::string(modes, 1.0, 0.1, &[0.4])?;
        BowedStructure::new(&string, 0, FrictionLaw::new(kind, 4.0, 0.32, 1.0)?, 1.5)
    }

    #[test]
    fn force_gap_of_the_bowed_string_falls_like_one_over_n() {
        let modes = [20, 40, 80, 160, 320, 640];
        let options = OrbitOptions {
            multipliers: 0,
            ..OrbitOptions::default()
        };
        let build = |n| string(n, FrictionKind::LosesShare);
        let orbits = orbits_over_modes(build, &modes, [-2.9224, -2.7668], 12.0, &options).unwrap();
        for (i, period, stick, y1_stick, y1_slip, gap) in [
            (
                0,
                1.991301499984,
                0.311453373061,
                0.514840355,
                0.982020415,
                -0.213997807,
            ),
            (
                3,
                1.987961452898,
                0.330441047654,
                0.515328243,
                1.010989815,
                -0.0306343105,
            ),
            (
                5,
                1.987590278853,
                0.332639653948,
                0.515140327,
                1.014099808,
                -0.0078082424,
            ),
        ] {
            let o = &orbits[i];
            assert_eq!(o.word(), "stick slip-");
            assert!(
                (o.period - period).abs() < 1e-10 && (o.stick - stick).abs() < 3e-11,
                "{} {}",
                o.period,
                o.stick
            );
            assert!((o.y1_stick - y1_stick).abs() < 6e-10 && (o.y1_slip - y1_slip).abs() < 6e-10);
            assert!((o.gap - gap).abs() < 5e-10, "{}", o.gap);
        }
        let of = |f: fn(&BowedOrbit) -> f64| -> Vec<(usize, f64)> {
            modes.iter().copied().zip(orbits.iter().map(f)).collect()
        };
        let gaps = of(|o| o.gap);
        let exponents = decay_exponents(&gaps);
        assert!(
            (exponents[4] - 1.0).abs() < 0.015 && exponents.windows(2).all(|w| w[1] > w[0]),
            "{exponents:?}"
        );
        assert!((gaps[5].1 * 640.0 + 5.0).abs() < 0.01);
        for (values, limit, tolerance) in [
            (of(|o| o.period), 1.987465878, 3e-9),
            (of(|o| o.stick), 0.33338414, 3e-8),
            (of(|o| o.y1_stick), 0.5150617, 1e-7),
            (of(|o| o.y1_slip), 1.0151379, 1e-7),
            (of(|o| o.gap), 0.0, 1e-5),
        ] {
            let found = extrapolate_modes(&values[3..]).unwrap();
            assert!((found.limit - limit).abs() < tolerance, "{found:?} {limit}");
            assert!((found.limit - limit).abs() < found.error.max(1e-8));
        }
    }

    #[test]
    fn the_steep_law_closes_its_gap_only_slowly() {
        let expected = [
            (20, -1.17333, 2.0089242),
            (40, -0.83196, 1.9989429),
            (80, -0.59949, 1.9926154),
            (160, -0.44331, 1.9886766),
            (320, -0.33873, 1.9862494),
            (640, -0.26871, 1.9847621),
        ];
        let modes = expected.map(|e| e.0);
        let options = OrbitOptions {
            multipliers: 0,
            ..OrbitOptions::default()
        };
        let build = |n| string(n, FrictionKind::KeepsShare);
        let orbits = orbits_over_modes(build, &modes, [-2.9224, -2.7668], 12.0, &options).unwrap();
        for (orbit, (n, gap, period)) in orbits.iter().zip(expected) {
            assert!(
                (orbit.gap - gap).abs() < 6e-6 && (orbit.period - period).abs() < 6e-8,
                "{n}"
            );
        }
        let gaps: Vec<_> = modes.iter().copied().zip(orbits.iter().map(|o| o.gap)).collect();
        let exponents = decay_exponents(&gaps);
        assert!(exponents[2] < 0.45 && exponents[3] < exponents[2]);
    }
}
