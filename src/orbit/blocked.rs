//! Surfaces that count only where the side conditions of their events hold.
//!
//! A guard may be met, and crossed, where no event is possible: a motion goes on through it. What must not happen is
//! that a segment meets the surface from inside where one of its events is open. The measure is, at each place where
//! the segment comes near the surface or crosses it outwards, the larger of its distance and of what the conditions
//! lack there; it is continuous where a near miss becomes a crossing, and where conditions begin to hold.

use super::dense_output::DenseOutput;
use slipstick_continuation::Failure;
use slipstick_flow::ON_SURFACE;
use slipstick_system::{Direction, SharedFunction};

/// What keeps the events of a surface from happening.
#[derive(Default)]
pub(crate) struct Openings {
    /// For each event of the surface its side conditions; none if one of the events has none.
    conditions: Vec<Vec<SharedFunction>>,
    always: bool,
}

impl Openings {
    /// One more event of the surface, with its side conditions.
    pub(super) fn add(&mut self, conditions: Vec<SharedFunction>) {
        self.always |= conditions.is_empty();
        self.conditions.push(conditions);
    }

    /// Is an event of the surface possible wherever it is met, as far as is known without looking?
    fn always(&self) -> bool {
        self.always || self.conditions.is_empty()
    }

    /// Positive where an event is possible: the largest, over the events, of the smallest of their conditions.
    fn at(&self, x: &[f64], p: &[f64]) -> f64 {
        let value = |f: &SharedFunction| {
            let mut v = [0.0];
            f.value(x, p, &mut v);
            v[0]
        };
        let weakest = |all: &Vec<SharedFunction>| all.iter().map(value).fold(f64::INFINITY, f64::min);
        self.conditions.iter().map(weakest).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A guard or inequality that must keep its sign along a segment.
pub(crate) struct Clearance {
    pub(crate) function: SharedFunction,
    /// The value of `sign · function` must stay positive inside the segment.
    pub(crate) sign: f64,
    /// May the segment end on this surface?
    pub(crate) ends_here: bool,
    /// Where its events are possible.
    pub(crate) openings: Openings,
}

/// How well a segment of `n` states keeps clear of a surface.
pub(super) fn clearance(
    dense: &DenseOutput<'_, '_>,
    n: usize,
    surface: &Clearance,
    p: &[f64],
    duration: f64,
) -> Result<f64, Failure> {
    /// The crossing that ends the segment is met this close to its end, in units of the duration.
    const END: f64 = 1e-7;
    let (f, sign, ends_here) = (surface.function.as_ref(), surface.sign, surface.ends_here);
    let openings = &surface.openings;
    let Some((t, least)) = dense.least_inside_at(f, sign, ends_here, p)? else {
        return Ok(f64::INFINITY);
    };
    let open = |t: f64| {
        let mut x = vec![0.0; n];
        dense.eval(t, &mut x);
        openings.at(&x, p)
    };
    if openings.always() || open(t) >= 0.0 {
        return Ok(least);
    }
    let inner = |t: &f64| *t > 0.0 && (!ends_here || *t < duration * (1.0 - END));
    let outwards = if sign > 0.0 { Direction::Down } else { Direction::Up };
    let inwards = if sign > 0.0 { Direction::Up } else { Direction::Down };
    let mut crossings: Vec<(f64, bool)> = vec![];
    for (direction, leaves) in [(outwards, true), (inwards, false)] {
        let found = dense.crossings(f, direction, p, duration)?;
        crossings.extend(found.into_iter().filter(inner).map(|t| (t, leaves)));
    }
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |t: f64| {
        let mut x = vec![0.0; n];
        let mut v = [0.0];
        dense.eval(t, &mut x);
        f.value(&x, p, &mut v);
        sign * v[0]
    };
    let start = at(0.0);
    let begins_beyond = if start.abs() > ON_SURFACE {
        start < 0.0
    } else {
        crossings.first().map_or(at(0.5 * duration) < 0.0, |c| !c.1)
    };
    let mut clear = f64::INFINITY;
    if begins_beyond {
        clear = -open(0.0);
    } else if start > ON_SURFACE {
        clear = start.max(-open(0.0));
    }
    // Stretches inside, between the crossings.
    let mut inside = (!begins_beyond).then_some(0.0);
    for &(t, leaves) in &crossings {
        if leaves {
            clear = clear.min(-open(t));
            if let Some(from) = inside.take()
                && let Some((at, value)) = dense.least_between(f, sign, p, from, t)?
            {
                clear = clear.min(value.max(-open(at)));
            }
        } else {
            inside = Some(t);
        }
    }
    if let Some(from) = inside {
        if let Some((at, value)) = dense.least_between(f, sign, p, from, duration)? {
            clear = clear.min(value.max(-open(at)));
        }
        if !ends_here {
            clear = clear.min(at(duration).max(-open(duration)));
        }
    }
    Ok(clear)
}
