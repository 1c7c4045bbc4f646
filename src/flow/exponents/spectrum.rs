//! Lyapunov exponents of a motion, with their sampling errors.

use super::flow_motion::FlowMotion;
use super::frame::Frame;
use super::iterated::IteratedMotion;
use super::motion::Motion;
use super::options::{ExponentOptions, SpectrumError, check};
use crate::machine::prepared_modes;
use crate::simulate::check_start;
use slipstick_system::System;

/// One exponent.
///
/// ```
/// use slipstick_flow::exponents::Exponent;
/// // A direction that a reset or a stick phase collapses.
/// assert!(Exponent::LOST.value == f64::NEG_INFINITY && Exponent::LOST.error == 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Exponent {
    /// Its value, per unit of time or per iterate; minus infinity for a direction that is lost in finite time.
    pub value: f64,
    /// The standard error of its mean over the time, from the scatter of the batches.
    pub error: f64,
}

impl Exponent {
    /// The exponent of a direction that is lost.
    pub const LOST: Self = Self {
        value: f64::NEG_INFINITY,
        error: 0.0,
    };
}

/// The exponents of a motion, in descending order.
///
/// ```
/// use slipstick_flow::exponents::{Exponent, Spectrum};
/// let of = |value| Exponent { value, error: 0.0 };
/// // Lorenz's attractor: 2 + 0.9056 / 14.57.
/// let lorenz = Spectrum { exponents: vec![of(0.9056), of(0.0), of(-14.57)], dimension: 3, sum: of(-13.6644), events: 0.0 };
/// assert!((lorenz.kaplan_yorke() - 2.0622).abs() < 1e-4);
/// // The third direction is lost: the dimension is 2 exactly.
/// let sticking = Spectrum { exponents: vec![of(0.2), of(0.0), Exponent::LOST], dimension: 3, sum: Exponent::LOST, events: 0.4 };
/// assert_eq!(sticking.kaplan_yorke(), 2.0);
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spectrum {
    /// The exponents.
    pub exponents: Vec<Exponent>,
    /// How many there are in all: the number of states of the system's largest mode.
    pub dimension: usize,
    /// The sum of those computed, with an error of its own: the mean rate at which the volume that they span grows.
    pub sum: Exponent,
    /// The mean number of events per unit of time, over the same time.
    pub events: f64,
}

impl Spectrum {
    /// The largest exponent; minus infinity of a motion that forgets all of its start.
    pub fn largest(&self) -> Exponent {
        self.exponents.first().copied().unwrap_or(Exponent::LOST)
    }

    /// The dimension of Kaplan and Yorke, `j + Σ_{i ≤ j} λᵢ / |λ_{j+1}|` with the largest j for which the sum is not
    /// negative: the number of exponents if no sum is, 0 if the first one is negative, NaN where fewer exponents were
    /// computed than it takes. J. Kaplan and J. Yorke, Lecture Notes in Mathematics 730 (1979) 204.
    pub fn kaplan_yorke(&self) -> f64 {
        let mut sum = 0.0;
        for (j, e) in self.exponents.iter().enumerate() {
            // An exponent that is zero within its error is zero: the direction of the flow.
            let value = if e.value.abs() <= 3.0 * e.error { 0.0 } else { e.value };
            if sum + value < 0.0 {
                return j as f64 + sum / value.abs();
            }
            sum += value;
        }
        if self.exponents.len() < self.dimension {
            f64::NAN
        } else {
            self.dimension as f64
        }
    }
}

/// The Lyapunov exponents of the motion from the states `x` of `mode` at the parameters `p`: those of a flow with or
/// without events, or of a map.
///
/// Orthonormal perturbations are taken along by the exact derivatives of flows and resets (with saltation), and made
/// orthonormal again before they come apart; `λᵢ` is the mean growth of the i-th (G. Benettin et al., Meccanica 15
/// (1980) 9; P. Müller, Chaos Solitons Fractals 5 (1995) 1671 for events). A direction that a reset or a stick phase
/// collapses has the exponent minus infinity.
///
/// ```
/// use slipstick_flow::exponents::{ExponentOptions, spectrum};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let found = spectrum(&system, 2, &[0.4, 0.0], &[2.0, 1.1, 0.4], &ExponentOptions::default())?;
/// // A periodic motion that sticks: along it nothing grows, and stick forgets the velocity.
/// assert!(found.exponents[0].value.abs() < 1e-3);
/// assert_eq!(found.exponents[2].value, f64::NEG_INFINITY);
/// # Ok::<(), slipstick_flow::exponents::SpectrumError>(())
/// ```
///
/// # Errors
/// [`SpectrumError`] when the motion cannot be followed for so long.
pub fn spectrum(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    options: &ExponentOptions,
) -> Result<Spectrum, SpectrumError> {
    on_motion(system, (mode, x), p, options, &mut |motion, frame| {
        average(motion, frame, system.dimension(), options)
    })
}

/// What is done with a motion after its transient, and the frame that was carried along.
pub(super) type With<'w, R> = dyn FnMut(&mut dyn Motion<'_>, Frame) -> Result<R, SpectrumError> + 'w;

/// Do something with the motion from a start, after its transient.
pub(super) fn on_motion<R>(
    system: &System,
    (mode, x): (usize, &[f64]),
    p: &[f64],
    options: &ExponentOptions,
    with: &mut With<'_, R>,
) -> Result<R, SpectrumError> {
    check(options)?;
    let count = options.count.unwrap_or(usize::MAX);
    if system.is_map() {
        let mut motion = IteratedMotion::new(system, mode, x, p)?;
        let frame = after_transient(&mut motion, p, count, options.transient)?;
        return with(&mut motion, frame);
    }
    check_start(system, mode, x, p)?;
    let modes = prepared_modes(system, p, options.flow);
    let mut motion = FlowMotion::new(system, &modes, (mode, x), p, options);
    let frame = after_transient(&mut motion, p, count, options.transient)?;
    with(&mut motion, frame)
}

/// Follow the motion for its transient: a first half to see how its states drive each other, a second one for the frame
/// to turn to where it belongs.
fn after_transient<'s>(
    motion: &mut impl Motion<'s>,
    p: &[f64],
    count: usize,
    transient: f64,
) -> Result<Frame, SpectrumError> {
    let (mode, start) = motion.state();
    let start = start.to_vec();
    motion.sizes().see(mode, &start, p);
    motion.advance(0.5 * transient, &mut Frame::new(start.len(), 0))?;
    motion.sizes().adopt();
    let dim = motion.state().1.len();
    let mut frame = Frame::new(dim, count);
    motion.advance(transient, &mut frame)?;
    Ok(frame)
}

/// Average the growth of a frame along a motion, batch by batch.
fn average(
    motion: &mut dyn Motion<'_>,
    mut frame: Frame,
    dimension: usize,
    options: &ExponentOptions,
) -> Result<Spectrum, SpectrumError> {
    let wanted = options.count.unwrap_or(usize::MAX);
    let mut begin = options.transient;
    let batch = options.time / options.batches as f64;
    let batches = 'again: loop {
        let lost = frame.lost();
        let mut batches = vec![];
        motion.take_events();
        for k in 1..=options.batches {
            frame.restart();
            let end = begin + batch * k as f64;
            motion.advance(end, &mut frame)?;
            // The growth of volumes starts anew without the directions that are lost.
            if frame.lost() > lost {
                begin = end;
                continue 'again;
            }
            batches.push(frame.growth().iter().map(|g| g / batch).collect::<Vec<f64>>());
        }
        break batches;
    };
    let mean = |of: &dyn Fn(&[f64]) -> f64| {
        let n = batches.len() as f64;
        let value = batches.iter().map(|b| of(b)).sum::<f64>() / n;
        let scatter: f64 = batches.iter().map(|b| (of(b) - value).powi(2)).sum();
        Exponent {
            value,
            error: (scatter / (n * (n - 1.0))).sqrt(),
        }
    };
    let mut exponents: Vec<Exponent> = (0..frame.count()).map(|i| mean(&|b| b[i])).collect();
    exponents.sort_by(|a, b| b.value.total_cmp(&a.value));
    let all = wanted.min(dimension);
    let sum = if exponents.len() < all {
        Exponent::LOST
    } else {
        mean(&|b| b.iter().sum())
    };
    exponents.resize(all, Exponent::LOST);
    Ok(Spectrum {
        exponents,
        dimension,
        sum,
        events: motion.take_events() as f64 / options.time,
    })
}
