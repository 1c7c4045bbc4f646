//! Surfaces that a segment begins beyond. An event that leads into its own mode and does not turn the motion back
//! leaves it beyond its surface; an event that leads into another mode, or a reset, may take it beyond one of that
//! mode. An event is a crossing in its direction: a free motion may stay beyond until it comes back inside. Where a
//! surface bounds what a constraint bears, beyond it the constraint has given way.

use crate::clearance::Clearance;
use crate::dense_output::DenseOutput;
use crate::periodic::PeriodicOrbit;
use crate::segment_end::{ends_on, on_surface};
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::dot;
use slipstick_system::{Direction, Function, ModeKind};
use std::sync::Arc;

/// Crossings this close to the ends of a segment are those at its ends, in units of its duration.
pub(super) const END: f64 = 1e-7;

/// Does the motion go on where segment `k` begins? No event and no jump with time has brought it there: the phase of a
/// forcing, or a section, has cut the orbit. What lies on a surface there touches it as it would anywhere else.
fn goes_on(orbit: &PeriodicOrbit<'_>, k: usize) -> bool {
    let count = orbit.segments.len();
    let before = (k + count - 1) % count;
    orbit.word.letters[before].event.is_none()
        && !orbit.segments[before].lies_on_jumps()
        && !orbit.segments[k].lies_on_jumps()
}

/// May segment `k` begin beyond the surface: does it so, or was the orbit beyond it, or on it, at the end of the
/// segment before, in the same mode?
pub(super) fn may_begin_beyond(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> bool {
    begins_beyond(orbit, z, k, surface) || comes_from_beyond(orbit, z, k, surface)
}

/// Does a free motion begin segment `k` beyond the surface of an event?
fn begins_beyond(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> bool {
    let mode = &orbit.system.modes[orbit.word.letters[k].mode];
    if mode.kind != ModeKind::Free || !surface.openings.of_events() {
        return false;
    }
    let (value, rounding) = guard_at_start(orbit, z, k, surface);
    surface.sign * value < -rounding
}

/// Has what precedes segment `k` of the solved orbit at `z` brought it onto the surface?
pub(super) fn begins_on(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> bool {
    let (value, rounding) = guard_at_start(orbit, z, k, surface);
    !goes_on(orbit, k) && value.abs() <= rounding
}

/// The value of the guard where segment `k` begins, and what is rounding of it there.
fn guard_at_start(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> (f64, f64) {
    let (start, mut value) = (orbit.start_behind_jump(z, k), [0.0]);
    surface.function.value(&start, &orbit.parameters, &mut value);
    (value[0], on_surface(orbit, z, k, surface, &start))
}

/// Is the orbit beyond the surface, or on it, where segment `k` begins since it was so at the end of the one before, in
/// the same mode?
fn comes_from_beyond(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> bool {
    let (count, p) = (orbit.segments.len(), &orbit.parameters);
    let before = (k + count - 1) % count;
    let (letter, own) = (orbit.word.letters[before], orbit.word.letters[k].mode);
    let Some(e) = letter.event else { return false };
    let event = &orbit.system.modes[letter.mode].events[e];
    let end = &orbit.segments[before].transition.x;
    let mirrored = orbit
        .system
        .symmetry
        .as_ref()
        .filter(|_| orbit.word.symmetric && k == 0);
    let stays = event.target == letter.mode && mirrored.map_or(letter.mode, |s| s.modes[letter.mode]) == own;
    if !stays || end.len() != orbit.segments[before].n {
        return false;
    }
    // Its own event leaves it on the surface, however little elimination leaves of where that is: near a saddle it is
    // far from rounding.
    let own_event = mirrored.map_or(Some(e), |_| orbit.system.mirrored_event(letter.mode, e));
    let ends_there = own_event.is_some_and(|e| {
        let event = &orbit.system.modes[own].events[e];
        Arc::ptr_eq(&event.guard, &surface.function) && -event.direction.sign() == surface.sign
    });
    if ends_there {
        return true;
    }
    let end: Vec<f64> = match mirrored {
        None => end.clone(),
        Some(symmetry) => {
            let full = orbit.system.full_state(letter.mode, end, p);
            let states = orbit.system.modes[own].states.iter();
            states
                .map(|&i| symmetry.sign[i] * full[symmetry.source[i]] + symmetry.shift[i])
                .collect()
        }
    };
    let mut value = [0.0];
    surface.function.value(&end, p, &mut value);
    surface.sign * value[0] <= on_surface(orbit, z, k, surface, &end)
}

/// When a segment that may begin beyond the surface comes inside, if it begins there: never, or at this time.
enum Begins {
    Inside,
    Beyond(Option<f64>),
}

/// Where the segment begins, as far as the surface is concerned.
fn begins(
    orbit: &PeriodicOrbit<'_>,
    (z, k): (&[f64], usize),
    dense: &DenseOutput<'_, '_>,
    (surface, known_on): (&Clearance, bool),
    duration: f64,
) -> Result<Begins, Failure> {
    let (n, p) = (orbit.segments[k].n, &orbit.parameters[..]);
    let (f, sign) = (surface.function.as_ref(), surface.sign);
    let at = |t: f64| {
        let (mut x, mut v) = (vec![0.0; n], [0.0]);
        dense.eval(t, &mut x);
        f.value(&x, p, &mut v);
        sign * v[0]
    };
    let mut place = vec![0.0; n];
    dense.eval(0.0, &mut place);
    let start = at(0.0);
    let near = near_start(on_surface(orbit, z, k, surface, &place), start, known_on);
    if start > near {
        return Ok(Begins::Inside);
    }
    let first = |direction: Direction| -> Result<Option<f64>, Failure> {
        let found = dense.crossings(f, direction, p, duration)?;
        Ok(found.into_iter().find(|t| *t > END * duration))
    };
    let (outwards, inwards) = directions(sign);
    let (leaves, enters) = (first(outwards)?, first(inwards)?);
    // What ends on the surface does not come inside.
    let enters = enters.filter(|t| *t < duration * (1.0 - END));
    let beyond = if start < -near {
        true
    } else {
        match (leaves, enters) {
            (None, None) => at(0.5 * duration) < 0.0,
            (leaves, Some(enters)) => leaves.is_none_or(|leaves| enters < leaves),
            (Some(_), None) => false,
        }
    };
    Ok(if beyond { Begins::Beyond(enters) } else { Begins::Inside })
}

/// When a segment that ends on a surface leaves its inside for good, if it comes to its end from beyond. Orbits with an
/// impact of negative speed do so, which a curve on its way through speed zero steps on.
fn comes_to_its_end_from_beyond(
    dense: &DenseOutput<'_, '_>,
    (f, sign): (&dyn Function, f64),
    p: &[f64],
    duration: f64,
) -> Result<Option<f64>, Failure> {
    let (outwards, inwards) = directions(sign);
    let last = |direction: Direction| -> Result<Option<f64>, Failure> {
        let found = dense.crossings(f, direction, p, duration)?;
        Ok(found.into_iter().rfind(|t| *t < duration * (1.0 - END)))
    };
    let (leaves, enters) = (last(outwards)?, last(inwards)?);
    Ok(leaves.filter(|t| enters.is_none_or(|enters| enters < *t)))
}

/// The touch, between two times, of an orbit with an impact of negative speed that is the nearest one where the speed
/// is positive. At speed zero the orbit is one of a part of its period, gone through several times, and is on the
/// surface each time; how far inside it stays there is proportional to the speed, so that the nearest of these places
/// is the one furthest inside now. What is further inside than the motion gets at that speed is none of them.
fn touch_before_reversal(
    orbit: &PeriodicOrbit<'_>,
    k: usize,
    dense: &DenseOutput<'_, '_>,
    (surface, duration): (&Clearance, f64),
    (from, until): (f64, f64),
) -> Result<Option<(f64, f64)>, Failure> {
    let (s, p) = (&orbit.segments[k], &orbit.parameters);
    let (f, sign) = (surface.function.as_ref(), surface.sign);
    let reach = dot(&s.guard_dx, &s.transition.f).abs() * duration;
    let (mut best, mut spans): (Option<(f64, f64)>, _) = (None, vec![(from, until)]);
    while let Some((from, until)) = spans.pop() {
        let Some((t, value)) = dense.least_between(f, sign, p, from, until)? else {
            continue;
        };
        if best.is_none_or(|known| value > known.1 && value <= reach) {
            best = Some((t, value));
        }
        spans.extend([(from, t - END * duration), (t + END * duration, until)]);
        spans.retain(|(from, until)| from < until);
    }
    Ok(best)
}

/// What is this near to zero where a segment begins lies on the surface.
fn near_start(rounding: f64, value: f64, known_on: bool) -> f64 {
    if known_on { rounding.max(value.abs()) } else { rounding }
}

/// The directions in which a guard crosses zero where a motion leaves the side of this sign, and enters it.
pub(super) fn directions(sign: f64) -> (Direction, Direction) {
    if sign > 0.0 {
        (Direction::Down, Direction::Up)
    } else {
        (Direction::Up, Direction::Down)
    }
}

/// Where segment `k` of the orbit at `z` is nearest to the surface or furthest beyond it while it should be inside,
/// and how far inside it is there; none where it is never near.
pub(super) fn nearest(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    k: usize,
    dense: &DenseOutput<'_, '_>,
    surface: &Clearance,
) -> Result<Option<(f64, f64)>, Failure> {
    nearest_on_the_way(orbit, (z, k), dense, (surface, false))
}

/// The same on the way to a solution, whose segments begin a little off the surfaces on which they begin once it is
/// reached: `known_on` says that this one does so on this surface.
pub(super) fn nearest_on_the_way(
    orbit: &PeriodicOrbit<'_>,
    (z, k): (&[f64], usize),
    dense: &DenseOutput<'_, '_>,
    (surface, known_on): (&Clearance, bool),
) -> Result<Option<(f64, f64)>, Failure> {
    let (n, p) = (orbit.segments[k].n, &orbit.parameters);
    let (f, sign, duration) = (surface.function.as_ref(), surface.sign, orbit.duration(z, k));
    let ends_here = ends_on(orbit, z, k, surface);
    let beyond = if known_on {
        comes_from_beyond(orbit, z, k, surface)
    } else {
        may_begin_beyond(orbit, z, k, surface)
    };
    let goes_on = goes_on(orbit, k);
    let begins = match beyond {
        true => match begins(orbit, (z, k), dense, (surface, known_on), duration)? {
            // A lap that comes inside with no event on the way has left through the surface.
            Begins::Beyond(Some(_)) if goes_on => Begins::Inside,
            found => found,
        },
        false => Begins::Inside,
    };
    match begins {
        Begins::Inside => {
            let mut place = vec![0.0; n];
            dense.eval(0.0, &mut place);
            let mut value = [0.0];
            f.value(&place, p, &mut value);
            let at_start = near_start(on_surface(orbit, z, k, surface, &place), value[0], known_on);
            dense.eval(duration, &mut place);
            let near = at_start.max(on_surface(orbit, z, k, surface, &place));
            dense.least_inside_at(f, (sign, near), (!goes_on, ends_here), p)
        }
        Begins::Beyond(None) => Ok(None),
        Begins::Beyond(Some(from)) => {
            if known_on
                && ends_here
                && let Some(until) = comes_to_its_end_from_beyond(dense, (f, sign), p, duration)?
            {
                return touch_before_reversal(orbit, k, dense, (surface, duration), (from, until));
            }
            let inside = dense.least_between(f, sign, p, from, duration)?;
            if ends_here {
                return Ok(inside);
            }
            let (mut x, mut v) = (vec![0.0; n], [0.0]);
            dense.eval(duration, &mut x);
            f.value(&x, p, &mut v);
            let end = (duration, sign * v[0]);
            Ok(inside.into_iter().chain([end]).min_by(|a, b| a.1.total_cmp(&b.1)))
        }
    }
}
