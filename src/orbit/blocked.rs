//! Surfaces that count only where the side conditions of their events hold.
//!
//! A guard may be met, and crossed, where no event is possible: a motion goes on through it. What must not happen is
//! that a segment meets the surface from inside where one of its events is open. The measure is, at each place where
//! the segment comes near the surface or crosses it outwards, the larger of its distance and of what the conditions
//! lack there; it is continuous where a near miss becomes a crossing, and where conditions begin to hold.

use super::clearance::Clearance;
use super::dense_output::DenseOutput;
use super::passed::{END, directions, may_begin_beyond, nearest};
use super::periodic::PeriodicOrbit;
use super::segment_end::{ends_on, on_surface};
use slipstick_continuation::Failure;

/// How well segment `k` of the orbit at `z` keeps clear of a surface.
pub(super) fn clearance(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    k: usize,
    dense: &DenseOutput<'_, '_>,
    surface: &Clearance,
) -> Result<f64, Failure> {
    let (n, p) = (orbit.segments[k].n, &orbit.parameters);
    let (f, sign, duration) = (surface.function.as_ref(), surface.sign, orbit.duration(z, k));
    let ends_here = ends_on(orbit, z, k, surface);
    let openings = &surface.openings;
    let Some((t, least)) = nearest(orbit, z, k, dense, surface)? else {
        return Ok(f64::INFINITY);
    };
    let passed = may_begin_beyond(orbit, z, k, surface);
    let after = if passed { END * duration } else { 0.0 };
    let open = |t: f64| {
        let mut x = vec![0.0; n];
        dense.eval(t, &mut x);
        openings.at(&x, p)
    };
    if openings.always() || open(t) >= 0.0 {
        return Ok(least);
    }
    let at = |t: f64| {
        let mut x = vec![0.0; n];
        let mut v = [0.0];
        dense.eval(t, &mut x);
        f.value(&x, p, &mut v);
        sign * v[0]
    };
    let (start, near) = (at(0.0), on_surface(orbit, z, k, surface, orbit.start(z, k)));
    // What begins or ends on the surface tangentially, as where sliding on it has ended, turns and crosses it there
    // within rounding.
    let left = if start.abs() <= near {
        off_surface(near, duration, &at)
    } else {
        0.0
    };
    let arrives = if ends_here {
        duration - off_surface(near, duration, &|t| at(duration - t)).max(END * duration)
    } else {
        duration
    };
    let inner = |t: &f64| *t > after.max(left) && (!ends_here || *t < arrives);
    let (outwards, inwards) = directions(sign);
    let mut crossings: Vec<(f64, bool)> = vec![];
    for (direction, leaves) in [(outwards, true), (inwards, false)] {
        let found = dense.crossings(f, direction, p, duration)?;
        crossings.extend(found.into_iter().filter(inner).map(|t| (t, leaves)));
    }
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let begins_beyond = if start.abs() > near {
        start < 0.0
    } else {
        crossings.first().map_or(at(0.5 * duration) < 0.0, |c| !c.1)
    };
    let mut clear = f64::INFINITY;
    if begins_beyond && !passed {
        clear = -open(0.0);
    } else if !begins_beyond && start > near {
        clear = start.max(-open(0.0));
    }
    // Stretches inside, between the crossings.
    let mut inside = (!begins_beyond).then_some(left);
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
    if let Some(from) = inside.filter(|from| *from < arrives) {
        if let Some((at, value)) = dense.least_between(f, sign, p, from, arrives)? {
            clear = clear.min(value.max(-open(at)));
        }
        if !ends_here {
            clear = clear.min(at(duration).max(-open(duration)));
        }
    }
    Ok(clear)
}

/// How long a function that begins near zero stays that `near` to it; the whole duration if it never leaves.
fn off_surface(near: f64, duration: f64, value: &dyn Fn(f64) -> f64) -> f64 {
    /// From this part of the duration on, which is doubled until the function is off zero.
    const FIRST: f64 = 1e-15;
    /// Then the time is found to this part of itself.
    const ACCURACY: f64 = 1e-3;
    let leaves = |t: f64| !(value(t).abs() <= near);
    let (mut before, mut after) = (0.0, FIRST * duration);
    if leaves(after) {
        return after;
    }
    while !leaves(after) {
        if after >= duration {
            return duration;
        }
        (before, after) = (after, (2.0 * after).min(duration));
    }
    while after - before > ACCURACY * after {
        let middle = 0.5 * (before + after);
        if leaves(middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    after
}
