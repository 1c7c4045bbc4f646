//! A computed motion of the contact point: samples at every step, values at requested times, events.

use super::collocation::ElasticContact;
use super::error::ElasticError;
use super::event::{ContactEvent, Phase};
use super::march::{March, StepEnd};

/// The contact at one instant.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, Phase, Resolution, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let motion = bowed.simulate(&bowed.start(-2.9, -2.7)?, 10.0, &[], &Resolution::default())?;
/// // In stick the contact moves with the body, and the force stays within its bound.
/// for sample in motion.samples.iter().filter(|sample| sample.phase == Phase::Stick) {
///     assert!((sample.y2 - 1.5).abs() < 1e-9 && sample.force.abs() <= bowed.law().mu() + 1e-9);
/// }
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSample {
    /// Time.
    pub t: f64,
    /// Displacement of the contact point.
    pub y1: f64,
    /// Its velocity.
    pub y2: f64,
    /// Its acceleration.
    pub acceleration: f64,
    /// Force on the structure.
    pub force: f64,
    /// Phase.
    pub phase: Phase,
}

/// A motion from t = 0 on.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, Resolution, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let motion = bowed.simulate(&bowed.start(-2.9, -2.7)?, 2.0, &[0.5, 1.0, 2.0], &Resolution::default())?;
/// // Values at the times asked for are computed, not interpolated; in between there is a quintic.
/// let half = &motion.requested[0];
/// let [y1, y2] = motion.at(0.5).ok_or("outside")?;
/// assert!((y1 - half.y1).abs() < 1e-6 && (y2 - half.y2).abs() < 1e-4 && motion.at(3.0).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Motion {
    /// Ends of all steps. An event appears twice, before and after, because the force may jump.
    pub samples: Vec<ContactSample>,
    /// The contact at the times asked for, computed to the accuracy of the steps (not interpolated).
    pub requested: Vec<ContactSample>,
    /// Changes of phase.
    pub events: Vec<ContactEvent>,
    /// Modal state at the last sample (displacements, then velocities); empty for reduced equations.
    pub end: Vec<f64>,
}

impl Motion {
    /// The samples at requested times and events alone, in order of time.
    pub fn tabulated(&self) -> Vec<ContactSample> {
        let event = |s: &&ContactSample| self.events.iter().any(|e| e.t == s.t);
        let mut rows: Vec<ContactSample> = self.samples.iter().filter(event).copied().collect();
        let asked = self.requested.iter().filter(|s| !event(s));
        rows.extend(asked.copied());
        rows.sort_by(|a, b| a.t.total_cmp(&b.t));
        rows
    }

    /// Displacement and velocity at `t`, by the quintic that matches displacement, velocity and acceleration at the
    /// ends of the step; error O(h⁶) and O(h⁵). `None` outside the motion.
    pub fn at(&self, t: f64) -> Option<[f64; 2]> {
        let after = self.samples.partition_point(|s| s.t <= t);
        let (a, b) = match (
            after.checked_sub(1).and_then(|i| self.samples.get(i)),
            self.samples.get(after),
        ) {
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) if a.t == t => return Some([a.y1, a.y2]),
            _ => return None,
        };
        let h = b.t - a.t;
        let s = (t - a.t) / h;
        // y = a.y1 + a.y2 hs + a.acc (hs)²/2 + s³ (c0 + c1 s + c2 s²)
        let (p, v) = (
            b.y1 - a.y1 - a.y2 * h - 0.5 * a.acceleration * h * h,
            (b.y2 - a.y2 - a.acceleration * h) * h,
        );
        let w = (b.acceleration - a.acceleration) * h * h;
        let (c0, c1, c2) = (
            10.0 * p - 4.0 * v + 0.5 * w,
            -15.0 * p + 7.0 * v - w,
            6.0 * p - 3.0 * v + 0.5 * w,
        );
        let (x, s2) = (h * s, s * s);
        Some([
            a.y1 + a.y2 * x + 0.5 * a.acceleration * x * x + s2 * s * (c0 + s * (c1 + s * c2)),
            a.y2 + a.acceleration * x + s2 * (3.0 * c0 + s * (4.0 * c1 + s * 5.0 * c2)) / h,
        ])
    }
}

/// Carry a march on until `until`, with the contact at the times `at` (ascending, any outside are left out).
pub(crate) fn record<C: ElasticContact>(
    mut march: March<'_, C>,
    until: f64,
    at: &[f64],
    modal: impl Fn(&C::State) -> Vec<f64>,
) -> Result<Motion, ElasticError> {
    super::collocation::positive("until", until, "the final time is positive and finite")?;
    let mut motion = Motion {
        samples: vec![sample(&march)],
        requested: Vec::new(),
        events: Vec::new(),
        end: Vec::new(),
    };
    let mut wanted = at.iter().copied().filter(|&t| (0.0..=until).contains(&t)).peekable();
    while march.t < until {
        // the phase in which the times within the coming step lie is known once its event is
        let before = march.clone();
        let end = march.step()?;
        if march.t > until {
            let (state, force) = before.peek(until - before.t)?;
            march = before.clone().moved(until, state, force);
        }
        while let Some(t) = wanted.next_if(|&t| t <= march.t) {
            let (state, force) = before.peek(t - before.t)?;
            motion.requested.push(sample(&before.clone().moved(t, state, force)));
        }
        if let StepEnd::Event(event) = end
            && event.t <= until
        {
            motion.samples.push(ContactSample {
                force: event.force_before,
                phase: before.phase,
                ..sample(&march)
            });
            motion.events.push(event);
        }
        motion.samples.push(sample(&march));
    }
    motion.end = modal(&march.state);
    Ok(motion)
}

fn sample<C: ElasticContact>(march: &March<'_, C>) -> ContactSample {
    let [y1, y2, acceleration] = march.motion();
    ContactSample {
        t: march.t,
        y1,
        y2,
        acceleration,
        force: march.force,
        phase: march.phase,
    }
}
