//! The exact motion as a cascade of phases and sub-phases.

use super::forcing::Forcing;
use super::response::Response;
use super::{Oscillator, ParameterError};
use slipstick_numerics::roots::{Hovering, Probe, Search, first_zero};
use slipstick_numerics::stop::look;
use std::fmt;

/// What the mass does.
///
/// ```
/// use slipstick_models::friction::shaw::{Cascade, Forcing, Oscillator, Motion};
/// let cascade = Cascade::new(Oscillator::default(), &Forcing::harmonic(0.5), (0.0, 5.0, 0.0), 30.0)?;
/// assert_eq!(cascade.at(0.0).motion, Motion::Stick);
/// assert_eq!((Motion::SlipUp.sign(), Motion::SlipDown.sign()), (1.0, -1.0));
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It rests.
    Stick,
    /// It moves upwards.
    SlipUp,
    /// It moves downwards.
    SlipDown,
}

impl Motion {
    /// The sign of the velocity.
    pub fn sign(self) -> f64 {
        match self {
            Self::Stick => 0.0,
            Self::SlipUp => 1.0,
            Self::SlipDown => -1.0,
        }
    }
    /// The slip that a force of this sign starts.
    fn towards(force: f64) -> Self {
        if force > 0.0 { Self::SlipUp } else { Self::SlipDown }
    }
}

impl fmt::Display for Motion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stick => "stick",
            Self::SlipUp => "slip+",
            Self::SlipDown => "slip-",
        })
    }
}

/// The name of an instant in the notation of the source.
///
/// ```
/// use slipstick_models::friction::shaw::{Cascade, Forcing, Oscillator, Tau};
/// let cascade = Cascade::new(Oscillator::default(), &Forcing::harmonic(0.5), (0.0, 5.0, 0.0), 30.0)?;
/// // Static and dynamic phases take turns.
/// assert!(cascade.instants().iter().any(|instant| matches!(instant.tau, Tau::Dynamic(_))));
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tau {
    /// τ_j: static phase j begins.
    Static(usize),
    /// τ_{j+1/2}: the dynamic phase that follows static phase j begins.
    Dynamic(usize),
    /// τ_j^k: in that dynamic phase sub-phase k ends with a reversal.
    Reversal {
        /// The static phase before.
        j: usize,
        /// The number of the sub-phase that ends, from 1.
        k: usize,
    },
}

impl fmt::Display for Tau {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static(j) => write!(f, "tau_{j}"),
            Self::Dynamic(j) => write!(f, "tau_{}/2", 2 * j + 1),
            Self::Reversal { j, k } => write!(f, "tau_{j}^{k}"),
        }
    }
}

/// A row of the table of instants.
///
/// ```
/// use slipstick_models::friction::shaw::{Cascade, Forcing, Oscillator};
/// let cascade = Cascade::new(Oscillator::default(), &Forcing::harmonic(0.5), (0.0, 5.0, 0.0), 30.0)?;
/// assert!(cascade.instants().is_sorted_by(|a, b| a.t <= b.t));
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant {
    /// Its name.
    pub tau: Tau,
    /// When.
    pub t: f64,
    /// Where.
    pub x: f64,
    /// The force b there.
    pub force: f64,
    /// What begins.
    pub begins: Motion,
}

/// The state at a time.
///
/// ```
/// use slipstick_models::friction::shaw::{Cascade, Forcing, Oscillator};
/// let cascade = Cascade::new(Oscillator::default(), &Forcing::harmonic(0.5), (0.0, 5.0, 0.0), 30.0)?;
/// let now = cascade.at(0.1);
/// // At rest friction balances the force.
/// assert!(now.v == 0.0 && now.friction == now.force);
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot {
    /// Time.
    pub t: f64,
    /// Displacement.
    pub x: f64,
    /// Velocity.
    pub v: f64,
    /// The force b, everything but friction.
    pub force: f64,
    /// The friction force F: b at rest, f_d sign x' in motion.
    pub friction: f64,
    /// What the mass does.
    pub motion: Motion,
}

/// Why a cascade cannot be built.
///
/// ```
/// use slipstick_models::friction::shaw::{Cascade, CascadeError, Forcing, Interpolation, Oscillator};
/// let record = Forcing::record(&[0.0, 1.0], &[0.0, 1.0], Interpolation::Linear).unwrap();
/// let error = Cascade::new(Oscillator::default(), &record, (0.0, 0.0, 0.0), 5.0).err().unwrap();
/// assert!(matches!(error, CascadeError::Span { last: 1.0, to: 5.0, .. }));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CascadeError {
    /// A parameter of the oscillator.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The forcing is not known over the whole time.
    #[error(
        "the forcing is given on [{first}, {last}], but the motion is asked for on [{from}, {to}]; shorten the run or extend the record"
    )]
    Span {
        /// First time of the forcing.
        first: f64,
        /// Last time of the forcing.
        last: f64,
        /// First time asked for.
        from: f64,
        /// Last time asked for.
        to: f64,
    },
    /// An end before the start, or a start that is not finite.
    #[error(
        "cannot start at t = {from}, x = {x}, v = {v} and run to t = {to}: numbers must be finite and the end after the start"
    )]
    Start {
        /// Start time.
        from: f64,
        /// Displacement.
        x: f64,
        /// Velocity.
        v: f64,
        /// End time.
        to: f64,
    },
    /// The next instant could not be isolated.
    #[error(
        "the motion cannot be decided at t = {t}: the {what} is within rounding of zero; change the damping, or the friction by 1e-9"
    )]
    Hovering {
        /// When.
        t: f64,
        /// Which quantity.
        what: &'static str,
    },
    /// More instants than allowed.
    #[error("more than {limit} events before t = {t} (chattering): use a shorter time")]
    TooMany {
        /// The limit.
        limit: usize,
        /// Time reached.
        t: f64,
    },
}

/// One piece of the motion: a closed form over one piece of forcing.
#[derive(Clone, Debug)]
struct Piece {
    from: f64,
    motion: Motion,
    x: f64,
    response: Option<Response>,
}

/// The exact motion over an interval of time.
///
/// ```
/// use slipstick_models::friction::shaw::{Cascade, Forcing, Oscillator};
/// let cascade = Cascade::new(Oscillator::default(), &Forcing::harmonic(0.5), (0.0, 5.0, 0.0), 28.0)?;
/// let names: Vec<String> = cascade.instants().iter().map(|i| i.tau.to_string()).collect();
/// assert_eq!(names[..4], ["tau_0", "tau_1/2", "tau_0^1", "tau_1"]);
/// assert!((cascade.instants()[1].t - 1.769_886_724_352_371_8).abs() < 1e-13);
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cascade {
    oscillator: Oscillator,
    forcing: Forcing,
    instants: Vec<Instant>,
    pieces: Vec<Piece>,
    to: f64,
}

impl Cascade {
    /// More instants than this are chatter.
    pub const LIMIT: usize = 10_000_000;

    /// The motion from time, displacement and velocity `start` until time `to`.
    ///
    /// # Errors
    /// Parameters that make no sense, a forcing that ends too early, and the rest of [`CascadeError`].
    pub fn new(
        oscillator: Oscillator,
        forcing: &Forcing,
        start: (f64, f64, f64),
        to: f64,
    ) -> Result<Self, CascadeError> {
        oscillator.check()?;
        let (from, x, v) = start;
        if !(from.is_finite() && x.is_finite() && v.is_finite() && to.is_finite() && to >= from) {
            return Err(CascadeError::Start { from, x, v, to });
        }
        if let Some((first, last)) = forcing.span()
            && (from < first || to > last)
        {
            return Err(CascadeError::Span { first, last, from, to });
        }
        let forcing = forcing.clone();
        let mut builder = Self {
            oscillator,
            forcing,
            instants: vec![],
            pieces: vec![],
            to,
        };
        builder.build(start)?;
        Ok(builder)
    }

    fn build(&mut self, (mut t, mut x, v): (f64, f64, f64)) -> Result<(), CascadeError> {
        let (mut j, mut k) = (0, 0);
        let force = |t: f64, x: f64, v: f64| self.oscillator.force(x, v, self.forcing.at(t));
        let b = force(t, x, v);
        let f_s = self.oscillator.f_s;
        let mut motion = if v != 0.0 {
            Motion::towards(v)
        } else if b.abs() > f_s {
            Motion::towards(b)
        } else {
            Motion::Stick
        };
        let tau = if motion == Motion::Stick {
            Tau::Static(0)
        } else {
            Tau::Dynamic(0)
        };
        let mut rows = vec![Instant {
            tau,
            t,
            x,
            force: b,
            begins: motion,
        }];
        let mut pieces = vec![];
        let mut v = v;
        loop {
            let next = match motion {
                Motion::Stick => self.end_of_rest(t, x, &mut pieces)?,
                _ => self.end_of_slip(motion, t, x, v, &mut pieces)?,
            };
            let Some((time, place)) = next else { break };
            (t, x, v) = (time, place, 0.0);
            let b = force(t, x, 0.0);
            let tau;
            (motion, tau) = if motion == Motion::Stick {
                (Motion::towards(b), Tau::Dynamic(j))
            } else if b.abs() <= f_s {
                (j, k) = (j + 1, 0);
                (Motion::Stick, Tau::Static(j))
            } else {
                k += 1;
                (Motion::towards(b), Tau::Reversal { j, k })
            };
            rows.push(Instant {
                tau,
                t,
                x,
                force: b,
                begins: motion,
            });
            if rows.len() > Self::LIMIT {
                return Err(CascadeError::TooMany { limit: Self::LIMIT, t });
            }
        }
        self.instants = rows;
        self.pieces = pieces;
        Ok(())
    }

    /// The first time after `t` at which |b| exceeds f_s with the mass at rest at `x`.
    fn end_of_rest(&self, t: f64, x: f64, pieces: &mut Vec<Piece>) -> Result<Option<(f64, f64)>, CascadeError> {
        pieces.push(Piece {
            from: t,
            motion: Motion::Stick,
            x,
            response: None,
        });
        let o = &self.oscillator;
        let gain = o.stiffness * o.beta;
        let floor = 8.0 * f64::EPSILON * (o.f_s + (o.stiffness * x).abs());
        let mut base = t;
        while base < self.to {
            look();
            let local = self.forcing.near(base);
            let length = local.length.min(self.to - base);
            let margin = |side: f64| {
                let local = &local;
                move |s: f64, h: f64| Probe {
                    value: o.f_s - side * (gain * local.derivative(s, 0) - o.stiffness * x),
                    slope: -side * gain * local.derivative(s, 1),
                    curvature: gain.abs() * local.bound(s, h, 2),
                }
            };
            let mut exit: Option<f64> = None;
            for side in [1.0, -1.0] {
                let end = exit.unwrap_or(length);
                let found = crossing(self.search(end, base, floor, local.fastest()), margin(side));
                let found = found.map_err(|Hovering { at }| CascadeError::Hovering {
                    t: base + at,
                    what: "margin f_s - |b|",
                })?;
                exit = found.or(exit);
            }
            if let Some(s) = exit {
                return Ok(Some((base + s, x)));
            }
            base += length;
        }
        Ok(None)
    }

    /// Where the slip that moves in direction `motion` from `(x, v)` at `t` comes to a halt.
    fn end_of_slip(
        &self,
        motion: Motion,
        t: f64,
        x: f64,
        v: f64,
        pieces: &mut Vec<Piece>,
    ) -> Result<Option<(f64, f64)>, CascadeError> {
        let o = &self.oscillator;
        let (gamma, w2, e) = (o.alpha / o.mass, o.stiffness / o.mass, motion.sign());
        let gain = o.stiffness * o.beta / o.mass;
        let (mut base, mut x, mut v) = (t, x, v);
        let mut first = true;
        while base < self.to {
            look();
            let mut local = self.forcing.near(base);
            let length = local.length.min(self.to - base);
            local.cubic = local.cubic.map(|c| c * gain);
            local.cubic[0] -= e * o.f_d / o.mass;
            local.tones.iter_mut().for_each(|tone| tone.amplitude *= gain);
            let response = Response::new(gamma, w2, x, v, local.clone(), length);
            // Acceleration, jerk and snap from the equation of motion and its derivatives.
            let rates = |s: f64, x: f64, v: f64| {
                let a = local.derivative(s, 0) - 2.0 * gamma * v - w2 * x;
                let j = local.derivative(s, 1) - 2.0 * gamma * a - w2 * v;
                (a, j, local.derivative(s, 2) - 2.0 * gamma * j - w2 * a)
            };
            // The acceleration obeys the same equation forced by u'': its energy grows no faster than |u''|. So
            // |v''(s + r)| ≤ hypot(j, w a) + r max|u''|, whatever the damping; and one order higher for |v'''|.
            let w = w2.sqrt();
            let scale = x.abs() * w + v.abs() + o.f_s / (o.mass * w);
            let search = self.search(length, base, 16.0 * f64::EPSILON * scale, w.max(local.fastest()));
            let mut from = 0.0;
            if first && v == 0.0 {
                let (a, j, snap) = rates(0.0, x, v);
                let reach = search.horizon.min(length);
                let third = snap.hypot(w * j) + reach * local.bound(0.0, reach, 3);
                from = departure((e * a).max(0.0), e * j, third, reach).max(search.resolution);
            }
            let found = first_zero(Search { from, ..search }, |s, h| {
                let (x, v) = response.at(s);
                let (a, j, _) = rates(s, x, v);
                Probe {
                    value: e * v,
                    slope: e * a,
                    curvature: j.hypot(w * a) + h * local.bound(s, h, 2),
                }
            })
            .map_err(|Hovering { at }| CascadeError::Hovering {
                t: base + at,
                what: "velocity",
            })?;
            let end = found.unwrap_or(length);
            let reached = response.at(end);
            pieces.push(Piece {
                from: base,
                motion,
                x,
                response: Some(response),
            });
            if found.is_some() {
                return Ok(Some((base + end, reached.0)));
            }
            (x, v) = reached;
            base += length;
            first = false;
        }
        Ok(None)
    }

    /// A search on `[0, length]` for a quantity that varies with angular frequencies up to `fastest`.
    fn search(&self, length: f64, base: f64, floor: f64, fastest: f64) -> Search {
        let horizon = if fastest > 0.0 { 1.0 / fastest } else { length };
        let resolution = 2.0 * f64::EPSILON * base.abs().max(1.0 / self.oscillator.natural_frequency());
        Search {
            from: 0.0,
            to: length,
            horizon,
            floor,
            resolution,
        }
    }

    /// The table of instants τ, in order of time; the first row is the start.
    pub fn instants(&self) -> &[Instant] {
        &self.instants
    }

    /// The state at time `t`; before the start and after the end, the state there.
    pub fn at(&self, t: f64) -> Snapshot {
        let t = t.clamp(self.instants[0].t, self.to);
        let piece = &self.pieces[self.pieces.partition_point(|p| p.from <= t).saturating_sub(1)];
        let (x, v) = piece.response.as_ref().map_or((piece.x, 0.0), |r| r.at(t - piece.from));
        let force = self.oscillator.force(x, v, self.forcing.at(t));
        let friction = if piece.motion == Motion::Stick {
            force
        } else {
            piece.motion.sign() * self.oscillator.f_d
        };
        Snapshot {
            t,
            x,
            v,
            force,
            friction,
            motion: piece.motion,
        }
    }

    /// When the motion ends.
    pub fn end(&self) -> f64 {
        self.to
    }

    /// The total time at rest between `from` and `to`.
    pub fn time_at_rest(&self, from: f64, to: f64) -> f64 {
        let ends = self.instants.iter().skip(1).map(|i| i.t).chain([self.to]);
        self.instants
            .iter()
            .zip(ends)
            .filter(|(i, _)| i.begins == Motion::Stick)
            .map(|(i, end)| (end.min(to) - i.t.max(from)).max(0.0))
            .sum()
    }
}

/// A stretch after a start from rest over which the velocity, `≥ a s + j s²/2 - third s³/6`, is surely positive.
fn departure(a: f64, j: f64, third: f64, reach: f64) -> f64 {
    let zero = if third > 0.0 {
        (1.5 * j + (2.25 * j * j + 6.0 * a * third).sqrt()) / third
    } else {
        f64::INFINITY
    };
    (0.5 * zero).min(reach)
}

/// The first zero at which the function goes on to be negative; touches are passed over.
fn crossing(search: Search, probe: impl Fn(f64, f64) -> Probe) -> Result<Option<f64>, Hovering> {
    let Search {
        to,
        floor,
        resolution,
        horizon,
        ..
    } = search;
    let mut from = search.from;
    let at = probe(from, horizon.min(to - from));
    if at.value <= floor && (at.slope < 0.0 || at.value < -floor) {
        return Ok(Some(from));
    }
    loop {
        let Some(s) = first_zero(Search { from, ..search }, &probe)? else {
            return Ok(None);
        };
        if s >= to {
            // Whether it crosses is seen from the next piece, whose slope may differ.
            return Ok(None);
        }
        let Probe { slope, curvature, .. } = probe(s, horizon.min(to - s));
        // A rise or fall by more than rounding is visible at this distance.
        let beyond = s
            + (8.0 * (floor / curvature.max(f64::MIN_POSITIVE)).sqrt())
                .min(0.5 * (to - s))
                .max(resolution);
        if slope * slope > 4.0 * curvature * floor || probe(beyond, 0.0).value < -floor {
            return Ok(Some(s));
        }
        from = beyond;
    }
}
