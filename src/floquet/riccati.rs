//! The transition matrix of a planar linear equation `w' = A(t) w` whose solutions grow and decay by any power of ten.
//!
//! Followed as `M = F · diag(σ₁ e^{ℓ₁}, σ₂ e^{ℓ₂}) · [1 s; 0 1]`, where the first column of F is a solution's
//! direction, described by its slope in one of two charts, and the second is a fixed axis:
//! ```text
//! chart 0: F = [1 0; p 1],  p' = c + (d - a) p - b p²,  ℓ₁' = a + b p,  ℓ₂' = d - b p,  s' = ± b e^{ℓ₂ - ℓ₁}
//! chart 1: F = [p 1; 1 0],  p' = b + (a - d) p - c p²,  ℓ₁' = d + c p,  ℓ₂' = a - c p,  s' = ± c e^{ℓ₂ - ℓ₁}
//! ```
//! for A = [a b; c d]. The slope is attracted by the direction of strongest growth, so its equation is stiff but
//! stable; it is integrated by Radau IIA with steps of its own, however the orbit itself was discretised. The rates of
//! ℓ₁ are free of cancellation on a slow manifold. Neither a monodromy matrix nor an exponential of ℓ is ever formed.
//!
//! References: L. Dieci, R. Russell and E. Van Vleck, *On the computation of Lyapunov exponents for continuous
//! dynamical systems*, SIAM J. Numer. Anal. 34 (1997) 402–423; E. Hairer and G. Wanner, *Solving Ordinary Differential
//! Equations II*, ch. IV.5 and IV.8.

use super::{FactorChain, FloquetError};
use pulp::{Arch, NullaryFnOnce};
use slipstick_numerics::linalg::{lu_factorise, lu_solve};
use slipstick_numerics::tableau::Tableau;
use slipstick_numerics::tableau::quadrature::lagrange;
use std::sync::LazyLock;

/// Stages of the integrator: its order is twice this less one.
pub const PLANAR_STAGES: usize = 8;
const S: usize = PLANAR_STAGES;

/// Slopes beyond this change the chart.
const STEEP: f64 = 1.5;
/// Steps that meet slopes beyond this are refused.
const TOO_STEEP: f64 = 6.0;
/// The most iterations for the stages of a step.
const ITERATIONS: usize = 20;
/// Iterations that shrink the update less than this want a new factorisation.
const SLOW: f64 = 0.05;
/// How often a piece may be halved.
const DEEPEST: u32 = 45;
/// Halved so often, a piece on which next to nothing happens is short enough.
const FINE: u32 = 8;

/// A by rows: `[a, b, c, d]`.
pub type PlanarMatrix = [f64; 4];

/// One piece of an interval: the `index`-th of 2^`level` equal ones.
///
/// ```
/// use slipstick_floquet::Piece;
/// // The last quarter of the third interval.
/// assert_eq!(Piece { interval: 2, level: 2, index: 3 }.extent(), (0.75, 0.25));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The interval.
    pub interval: usize,
    /// How often it was halved.
    pub level: u32,
    /// Which part.
    pub index: u64,
}

impl Piece {
    /// Begin and width as fractions of the interval.
    pub fn extent(&self) -> (f64, f64) {
        let width = 0.5f64.powi(self.level as i32);
        (self.index as f64 * width, width)
    }
}

/// `M = F · diag(sign₁ e^{growth₁}, sign₂ e^{growth₂}) · [1 shear; 0 1]`.
///
/// ```
/// use slipstick_floquet::{FactorChain, multipliers, planar_transition};
/// use std::f64::consts::LN_10;
/// // w' = [0 1; 1 0] w over the time 2000: solutions grow and decay like e^{±2000}, which no matrix of doubles can hold.
/// let a = [0.0, 1.0, 1.0, 0.0];
/// let found = planar_transition([2000.0], 1e-12, a, |_, at| at.fill(a))?;
/// assert!((found.growth[0] + found.growth[1]).abs() < 1e-9, "the determinant is one");
/// let (mut chain, mut mu) = (FactorChain::new(), vec![]);
/// found.push_to(&mut chain)?;
/// multipliers(&chain, &mut mu)?;
/// assert!((mu[0].log10 * LN_10 / 2000.0 - 1.0).abs() < 1e-11 && (mu[1].log10 * LN_10 / 2000.0 + 1.0).abs() < 1e-11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarTransition {
    /// Which chart: F is `[1 0; slope 1]` or `[slope 1; 1 0]`.
    pub steep: bool,
    /// The slope of the first direction in its chart.
    pub slope: f64,
    /// Natural logarithms of the growth along the two directions.
    pub growth: [f64; 2],
    /// The signs of the growth.
    pub sign: [f64; 2],
    /// The coupling.
    pub shear: f64,
    /// The integral of the trace of A over the steps taken.
    pub trace: f64,
}

impl Default for PlanarTransition {
    fn default() -> Self {
        Self {
            steep: false,
            slope: 0.0,
            growth: [0.0; 2],
            sign: [1.0; 2],
            shear: 0.0,
            trace: 0.0,
        }
    }
}

/// The equation could not be followed to its end.
///
/// ```
/// use slipstick_floquet::planar_transition;
/// // A coefficient that is not a number on the second interval cannot be stepped over, however short the steps.
/// let a = [0.0, 1.0, -1.0, 0.0];
/// let broken = |interval| if interval == 1 { [f64::NAN; 4] } else { a };
/// let failure = planar_transition([1.0, 1.0], 1e-10, a, |piece, at| at.fill(broken(piece.interval))).unwrap_err();
/// assert_eq!(failure.0.interval, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the variational equation could not be integrated beyond interval {} (steps of 2^-{} of it are too long)", .0.interval, .0.level)]
pub struct PlanarFailure(
    /// Where it stopped.
    pub Piece,
);

/// The coefficients of the scheme.
struct Radau {
    c: [f64; S],
    a: [[f64; S]; S],
    /// Its columns.
    transposed: [[f64; S]; S],
    /// What the polynomial through stage values is at the start.
    back: [f64; S],
}

static RADAU: LazyLock<Radau> = LazyLock::new(|| {
    let Tableau { c, a, .. } = Tableau::radau(S);
    let back = lagrange(&c, 0.0);
    Radau {
        c: std::array::from_fn(|i| c[i]),
        a: std::array::from_fn(|i| std::array::from_fn(|l| a[i * S + l])),
        transposed: std::array::from_fn(|l| std::array::from_fn(|i| a[i * S + l])),
        back: std::array::from_fn(|l| back[l]),
    }
});

impl Radau {
    /// Integrals of the polynomial through these values at the stages, from the start to each stage.
    #[inline(always)]
    fn integrals(&self, values: &[f64; S]) -> [f64; S] {
        let mut sums = [0.0; S];
        for (column, v) in self.transposed.iter().zip(values) {
            for (sum, a) in sums.iter_mut().zip(column) {
                *sum += a * v;
            }
        }
        sums
    }
}

/// The points of a piece at which A is asked for, as fractions of it; the last is its end.
pub fn planar_nodes() -> &'static [f64; PLANAR_STAGES] {
    &RADAU.c
}

/// Follow `w' = A(t) w` over consecutive intervals of these `widths`, starting from the identity.
///
/// `start` is A at the beginning; `sample` fills in A at the [`planar_nodes`] of a piece. Pieces are halved until the
/// estimated error in slope, growth and coupling is below `tolerance`.
///
/// # Errors
/// [`PlanarFailure`] when A is not finite or halving does not help.
pub fn planar_transition(
    widths: impl IntoIterator<Item = f64>,
    tolerance: f64,
    start: PlanarMatrix,
    mut sample: impl FnMut(Piece, &mut [PlanarMatrix; PLANAR_STAGES]),
) -> Result<PlanarTransition, PlanarFailure> {
    let mut m = PlanarTransition::default();
    let mut before = start;
    let mut at = [[0.0; 4]; S];
    for (interval, width) in widths.into_iter().enumerate() {
        let (mut level, mut index) = (0, 0u64);
        loop {
            let piece = Piece { interval, level, index };
            sample(piece, &mut at);
            m.choose_chart();
            let h = width * 0.5f64.powi(level as i32);
            let outcome = Arch::new().dispatch(Step(&before, &at, &m, h));
            match outcome {
                Some((next, error)) if error <= tolerance || level >= FINE && is_weak(&at, width) => {
                    m = next;
                    before = at[S - 1];
                    index += 1;
                    // Coarser again, one level at a time where that leaves whole pieces.
                    if level > 0 && index.is_multiple_of(2) && error < 1e-3 * tolerance {
                        (level, index) = (level - 1, index / 2);
                    }
                    while level > 0 && index == 1 << level {
                        (level, index) = (0, 1);
                    }
                    if level == 0 && index == 1 {
                        break;
                    }
                }
                _ if level < DEEPEST => (level, index) = (level + 1, 2 * index),
                _ => return Err(PlanarFailure(piece)),
            }
        }
    }
    Ok(m)
}

/// Does A change next to nothing over an interval of this width, whatever the units of the states? Errors relative to
/// that do not shrink with the steps where A is made of terms that cancel, as where two multipliers are +1 together:
/// they are rounding of these.
fn is_weak(at: &[PlanarMatrix; S], width: f64) -> bool {
    const WEAK: f64 = 1e-6;
    let strength = |[a, b, c, d]: &PlanarMatrix| a.abs().max(d.abs()).max((b * c).abs().sqrt());
    at.iter().all(|own| strength(own) * width.abs() <= WEAK)
}

/// A step, compiled for each kind of vector unit.
struct Step<'a>(&'a PlanarMatrix, &'a [PlanarMatrix; S], &'a PlanarTransition, f64);
impl NullaryFnOnce for Step<'_> {
    type Output = Option<(PlanarTransition, f64)>;
    #[inline(always)]
    fn call(self) -> Self::Output {
        step(self.0, self.1, self.2, self.3)
    }
}

/// One step of width `h` and its estimated error.
#[inline(always)]
fn step(
    before: &PlanarMatrix,
    at: &[PlanarMatrix; S],
    from: &PlanarTransition,
    h: f64,
) -> Option<(PlanarTransition, f64)> {
    // In chart 1 the axes change roles.
    let turned = |[a, b, c, d]: PlanarMatrix| if from.steep { [d, c, b, a] } else { [a, b, c, d] };
    let radau = &*RADAU;
    let start = turned(*before);
    let at = at.map(turned);
    let rate = |[a, b, c, d]: &PlanarMatrix, p: f64| c + (d - a - b * p) * p;
    let pull = |[a, b, _, d]: &PlanarMatrix, p: f64| d - a - 2.0 * b * p;

    let mut p = [from.slope; S];
    let mut rates: [f64; S] = std::array::from_fn(|i| rate(&at[i], p[i]));
    let (mut matrix, mut pivots) = ([0.0; S * S], [0; S]);
    let (mut stale, mut converged) = (true, false);
    let mut last = f64::INFINITY;
    for _ in 0..ITERATIONS {
        // (I - h A diag(pull)) δ = p₀ + h A rate - p
        if stale {
            let pulls: [f64; S] = std::array::from_fn(|i| h * pull(&at[i], p[i]));
            for (i, row) in matrix.chunks_exact_mut(S).enumerate() {
                for j in 0..S {
                    row[j] = -radau.a[i][j] * pulls[j];
                }
                row[i] += 1.0;
            }
            if !lu_factorise(&mut matrix, &mut pivots) {
                return None;
            }
        }
        let mut delta = [0.0; S];
        for i in 0..S {
            let sum: f64 = radau.a[i].iter().zip(&rates).map(|(a, r)| a * r).sum();
            delta[i] = from.slope + h * sum - p[i];
        }
        lu_solve(&matrix, &pivots, &mut delta, 1);
        let mut size = 0.0f64;
        for i in 0..S {
            p[i] += delta[i];
            let part = delta[i].abs() / (1e-12 + p[i].abs());
            size = if part > size || part.is_nan() { part } else { size };
            rates[i] = rate(&at[i], p[i]);
        }
        if !(size < 1e13) {
            return None;
        }
        // Quadratic right after a factorisation, else as in the last two updates.
        let left = if stale {
            size * size
        } else {
            size * (size / last).min(1.0)
        };
        if left < 1e-14 {
            converged = true;
            break;
        }
        stale = size > SLOW * last;
        last = size;
    }
    if !converged || p.iter().any(|p| p.abs() > TOO_STEEP) {
        return None;
    }
    let difference =
        |first: f64, values: &[f64; S]| h * (first - radau.back.iter().zip(values).map(|(e, v)| e * v).sum::<f64>());
    // Slope and coupling may be small by the units of the states: relative to the largest value in the step.
    let largest = p.iter().fold(from.slope.abs(), |m, p| m.max(p.abs()));
    let mut error = if largest > 0.0 {
        order(difference(rate(&start, from.slope), &rates) / largest)
    } else {
        0.0
    };

    let growth: [f64; S] = std::array::from_fn(|i| at[i][0] + at[i][1] * p[i]);
    let traces: [f64; S] = std::array::from_fn(|i| at[i][0] + at[i][3]);
    let weights = &radau.a[S - 1];
    let integral = |values: &[f64; S]| h * weights.iter().zip(values).map(|(b, v)| b * v).sum::<f64>();
    let mut next = *from;
    next.slope = p[S - 1];
    let (first, trace) = (integral(&growth), integral(&traces));
    next.growth[0] += first;
    next.growth[1] += trace - first;
    next.trace += trace;
    let scale = 1.0 + next.growth[0].abs();
    error = error.max(order(difference(start[0] + start[1] * from.slope, &growth) / scale));
    error = error.max(order(
        difference(start[0] + start[3], &traces) / (1.0 + next.growth[1].abs()),
    ));

    // The coupling counts as long as the second direction has not decayed out of sight.
    let gap = from.growth[1] - from.growth[0];
    let dying = gap.max(next.growth[1] - next.growth[0]) < -46.0 + (1e-300 + from.shear.abs()).ln();
    if !dying {
        let sign = from.sign[0] * from.sign[1];
        let second: [f64; S] = std::array::from_fn(|i| traces[i] - 2.0 * growth[i]);
        let gone = radau.integrals(&second);
        let couplings: [f64; S] = std::array::from_fn(|i| sign * at[i][1] * (gap + h * gone[i]).exp());
        next.shear += integral(&couplings);
        let first = sign * start[1] * gap.exp();
        let largest = couplings.iter().fold(next.shear.abs(), |m, c| m.max(h * c.abs()));
        if largest > 0.0 {
            error = error.max(order(difference(first, &couplings) / largest));
        }
    }
    (error.is_finite() && next.shear.is_finite()).then_some((next, error))
}

/// The error of a step, O(h^{2S}), from how far the start lies off the polynomial through the stages, O(h^{S+1}), on
/// the safe side.
fn order(difference: f64) -> f64 {
    let d = difference.abs();
    d * d.sqrt()
}

impl PlanarTransition {
    /// Change the chart if the direction is steep in the present one.
    fn choose_chart(&mut self) {
        let p = self.slope;
        if p.abs() <= STEEP {
            return;
        }
        // F₀ = F₁ · [p 1; 0 -1/p], and the same from 1 to 0.
        let coupling = self.sign[0] * self.sign[1] * (self.growth[1] - self.growth[0]).exp() / p;
        self.shear += coupling;
        self.growth[0] += p.abs().ln();
        self.growth[1] -= p.abs().ln();
        self.sign[0] *= p.signum();
        self.sign[1] *= -p.signum();
        self.slope = 1.0 / p;
        self.steep = !self.steep;
    }

    /// F by rows.
    pub fn frame(&self) -> [f64; 4] {
        if self.steep {
            [self.slope, 1.0, 1.0, 0.0]
        } else {
            [1.0, 0.0, self.slope, 1.0]
        }
    }

    /// Push the transition as factors of moderate size: the coupling, the growth as powers of two, the frame.
    ///
    /// # Errors
    /// [`FloquetError`] when the growth is beyond what is computed.
    pub fn push_to(&self, chain: &mut FactorChain) -> Result<(), FloquetError> {
        chain.push(2, 2, &[self.sign[0], self.sign[0] * self.shear, 0.0, self.sign[1]])?;
        chain.push_grown(2, 2, &self.frame(), &self.growth)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Growth of e^(±7·10⁸) beside a direction that hardly changes, in one stretch. The first direction keeps all its
    /// digits beside a decay; beside growth the second one is what the trace leaves, to the rounding of that.
    #[test]
    fn growth_of_any_size_leaves_the_other_direction_its_digits() {
        for (fast, slow) in [(-7e8, -0.3), (7e8, 0.7), (-3e8, 1e-9)] {
            let m = follow(1.0, 1, 1e-12, |_| [slow, 0.0, 0.4 * (fast - slow), fast]);
            let (mut chain, mut mu) = (FactorChain::new(), vec![]);
            m.push_to(&mut chain).unwrap();
            crate::multipliers(&chain, &mut mu).unwrap();
            let mut found = [mu[0].log10, mu[1].log10].map(|l| l * std::f64::consts::LN_10);
            found.sort_by(f64::total_cmp);
            let mut wanted = [fast, slow];
            wanted.sort_by(f64::total_cmp);
            for (a, b) in found.iter().zip(wanted) {
                let rounding = if fast > 0.0 { 1e-15 * fast } else { 0.0 };
                assert!(
                    (a - b).abs() < rounding + 1e-12 * b.abs().max(1.0),
                    "{found:?} {wanted:?}"
                );
            }
        }
    }

    fn follow(
        duration: f64,
        intervals: usize,
        tolerance: f64,
        matrix: impl Fn(f64) -> PlanarMatrix,
    ) -> PlanarTransition {
        let width = duration / intervals as f64;
        planar_transition(
            std::iter::repeat_n(width, intervals),
            tolerance,
            matrix(0.0),
            |piece, at| {
                let (begin, part) = piece.extent();
                for (a, c) in at.iter_mut().zip(planar_nodes()) {
                    *a = matrix(width * (piece.interval as f64 + begin + c * part));
                }
            },
        )
        .unwrap()
    }

    fn direction(m: &PlanarTransition) -> f64 {
        let f = m.frame();
        (m.sign[0] * f[2]).atan2(m.sign[0] * f[0])
    }

    /// w' = (Θ' J + Q(Θ) diag(a, b) Q(Θ)ᵀ) w has the solution Q(Θ(t)) diag(e^{at}, e^{bt}) for Θ(0) = 0.
    #[test]
    fn a_turning_saddle_keeps_both_logarithms() {
        for (a, b, duration) in [
            (3.0, -2.0, 2.0),
            (900.0, -4000.0, 3.0),
            (-4000.0, -3999.0, 1.0),
            (1e5, -3e5, 2.0),
        ] {
            let theta = |t: f64| 2.7 * t.sin();
            let m = follow(duration, 5, 1e-12, |t| {
                let (s, c) = theta(t).sin_cos();
                let rate = 2.7 * t.cos();
                [
                    a * c * c + b * s * s,
                    (a - b) * s * c - rate,
                    (a - b) * s * c + rate,
                    a * s * s + b * c * c,
                ]
            });
            // Along the first direction |M e₁| = e^{aT}, and the determinant is e^{(a+b)T}.
            let length = m.growth[0] + 0.5 * (1.0 + m.slope * m.slope).ln();
            assert!(
                (length - a * duration).abs() < 1e-10 * (a * duration).abs().max(1.0),
                "{m:?}"
            );
            assert!(
                (m.growth[0] + m.growth[1] - (a + b) * duration).abs() < 1e-12 * (a + b).abs() * duration,
                "{m:?}"
            );
            let turned = (direction(&m) - theta(duration)).rem_euclid(std::f64::consts::TAU);
            assert!(turned.min(std::f64::consts::TAU - turned) < 1e-10, "{turned} {m:?}");
        }
    }

    #[test]
    fn a_rotation_with_shear_is_the_matrix_exponential() {
        // Constant A with complex eigenvalues: M = exp(A t) in closed form; the direction turns through all charts and
        // signs.
        let a = [-0.3, 2.0, -1.5, 0.1];
        for t in [0.4, 1.7, 4.0, 9.1] {
            let m = follow(t, 3, 1e-13, |_| a);
            let (half, det) = (0.5 * (a[0] + a[3]), a[0] * a[3] - a[1] * a[2]);
            let w = (det - half * half).sqrt();
            let (s, c) = (w * t).sin_cos();
            let e = (half * t).exp();
            let exact = [
                e * (c + (a[0] - half) * s / w),
                e * a[1] * s / w,
                e * a[2] * s / w,
                e * (c + (a[3] - half) * s / w),
            ];
            let f = m.frame();
            let (g, k) = (m.sign[0] * m.growth[0].exp(), m.sign[1] * m.growth[1].exp());
            let ours = [
                f[0] * g,
                f[0] * g * m.shear + f[1] * k,
                f[2] * g,
                f[2] * g * m.shear + f[3] * k,
            ];
            for (x, y) in exact.iter().zip(ours) {
                assert!((x - y).abs() < 1e-11, "{exact:?} {ours:?}");
            }
        }
    }

    #[test]
    fn a_slow_direction_keeps_its_digits_however_strong_the_other() {
        // x' = z, z' = (-x - λ z)/ε with constant coefficients: the slow eigenvalue (-λ + √(λ² - 4ε))/(2ε) without
        // cancellation.
        for epsilon in [1e-2, 1e-4, 1e-6] {
            let lambda = 1.3f64;
            let root = (lambda * lambda - 4.0 * epsilon).sqrt();
            let slow = -2.0 / (lambda + root);
            let m = follow(3.0, 6, 1e-12, |_| [0.0, 1.0, -1.0 / epsilon, -lambda / epsilon]);
            // M e₁ = e^{slow t} v with v₁ = fast/(fast - slow)
            let fast = -(lambda + root) / (2.0 * epsilon);
            let expected = slow * 3.0 + (fast / (fast - slow)).ln();
            assert!(
                (m.growth[0] - expected).abs() < 1e-11,
                "{epsilon} {}",
                m.growth[0] - expected
            );
        }
    }

    /// Entries that cancel have few digits beside what they are made of, and hardly any effect.
    #[test]
    fn what_cancels_but_for_rounding_is_the_identity_and_its_integral() {
        for size in [1e-7, 1e-9, 1e-12, 1e-15] {
            let phases = [0.3, 1.1, 2.2, 0.7];
            let entry = |t: f64, phase: f64| size * (t + phase).cos() + 1e-16 * (1e9 * (t + phase)).sin();
            let found = planar_transition([0.5; 4], 1e-13, phases.map(|phase| entry(0.0, phase)), |piece, at| {
                let (begin, width) = piece.extent();
                for (at, c) in at.iter_mut().zip(planar_nodes()) {
                    let t = 0.5 * (piece.interval as f64 + begin + c * width);
                    *at = phases.map(|phase| entry(t, phase));
                }
            })
            .unwrap();
            let [a, b] = found.growth.map(f64::exp_m1);
            let off = [a, found.shear, found.slope, b];
            for (value, phase) in off.iter().zip(phases) {
                let known = size * ((2.0 + phase).sin() - phase.sin());
                assert!(
                    (value - known).abs() <= 1e-15 + 10.0 * size * size,
                    "{size} {value} {known}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        let failed = planar_transition([1.0], 1e-9, [0.0; 4], |_, at| at.fill([f64::NAN; 4]));
        assert!(failed.unwrap_err().to_string().contains("interval 0"));
    }
}
