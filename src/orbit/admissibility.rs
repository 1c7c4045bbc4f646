//! The inequalities of admissibility: what each is about, what it means that it fails, its value.

use crate::blocked::clearance;
use crate::dense_output::DenseOutput;
use crate::periodic::PeriodicOrbit;
use crate::reset_corners;
use crate::segment_end::INSTANT;
use crate::subdivision::may_be_subdivided;
use slipstick_bifurcation::{InequalitySpec, Label, Rank, Record};
use slipstick_continuation::Failure;
use slipstick_flow::Junction;
use slipstick_system::{ModeKind, System};
use std::sync::Arc;

/// What an inequality is about, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The duration of a segment.
    Duration(usize),
    /// The rate at which the guard that ends a segment is crossed or, where a jump with time sets off its event, how
    /// far beyond zero the guard is behind the jump.
    Rate(usize),
    /// A side condition of the event that ends a segment.
    Condition(usize),
    /// A corner of what the event that ends a segment does to the states.
    Corner(usize, usize),
    /// A surface that a segment must stay clear of.
    Clearance(usize, usize),
}

impl Subject {
    /// The segment that it is about.
    fn segment(self) -> usize {
        match self {
            Self::Duration(k) | Self::Rate(k) | Self::Condition(k) | Self::Corner(k, _) | Self::Clearance(k, _) => k,
        }
    }
    /// Is it about the inside of a segment that has no inside, since its duration is held at zero?
    pub(crate) fn lies_in_vanished(self, constraint: Self) -> bool {
        matches!(self, Self::Clearance(..)) && constraint == Self::Duration(self.segment())
    }
}

/// How many segments have inequalities of their own: the parts of a smooth orbit are one.
fn members(orbit: &PeriodicOrbit<'_>) -> usize {
    if may_be_subdivided(orbit) {
        1
    } else {
        orbit.segments.len()
    }
}

/// What each inequality is about.
pub(crate) fn subjects(orbit: &PeriodicOrbit<'_>) -> Vec<Subject> {
    let mut subjects = vec![];
    for (k, s) in orbit.segments.iter().take(members(orbit)).enumerate() {
        subjects.push(Subject::Duration(k));
        if s.guard.is_some() {
            subjects.push(Subject::Rate(k));
            subjects.extend(orbit.plan.conditions[k].iter().map(|_| Subject::Condition(k)));
            subjects.extend((0..orbit.plan.corners[k].len()).map(|c| Subject::Corner(k, c)));
        }
        subjects.extend((0..orbit.plan.clearances[k].len()).map(|w| Subject::Clearance(k, w)));
    }
    subjects
}

/// Is the event where a constraint gives way? The state is the same before and after it then, and no fewer states move.
/// A hit in a mode that sticks elsewhere is none, nor is another contact that begins to stick.
pub(crate) fn gives_way(system: &System, p: &[f64], mode: usize, event: usize) -> bool {
    let own = &system.modes[mode];
    let target = &system.modes[own.events[event].target];
    if own.kind != ModeKind::Stick || target.states.len() < own.states.len() {
        return false;
    }
    let x: Vec<f64> = (0..own.states.len()).map(|i| 0.37 + 0.23 * i as f64).collect();
    let mut junction = Junction::new(system, mode, Some(event), false);
    let mut next = vec![0.0; junction.outputs()];
    junction.apply(&x, p, &mut next);
    let after = target.states.iter().zip(&next);
    let stays = |(state, after): (&usize, &f64)| match own.states.iter().position(|s| s == state) {
        Some(i) => (after - x[i]).abs() <= 1e-9,
        None => true,
    };
    next.len() != target.states.len() || after.into_iter().all(stays)
}

/// The inequalities of admissibility.
pub(crate) fn boundaries(orbit: &PeriodicOrbit<'_>) -> Vec<InequalitySpec> {
    let mut specs = vec![];
    for (k, letter) in orbit.word.letters.iter().take(members(orbit)).enumerate() {
        let mode = &orbit.system.modes[letter.mode];
        let sticks = mode.kind == ModeKind::Stick;
        let at = format!("segment {} (`{}`)", k + 1, mode.name);
        specs.push(InequalitySpec {
            label: Label::VS,
            rank: Rank::Duration,
            segment: k,
            meaning: format!("{at} vanishes: its duration shrinks to zero"),
        });
        let mut push = |label, rank, meaning: String| {
            specs.push(InequalitySpec {
                label,
                rank,
                segment: k,
                meaning,
            });
        };
        if let Some(e) = letter.event {
            let event = &mode.events[e];
            if orbit.segments[k].ends_on_jump.is_some() {
                push(
                    Label::VS,
                    Rank::Other,
                    format!(
                        "at the end of {at} the jump with time reaches the limit of `{}` only: beyond it, it does not set it off",
                        event.name
                    ),
                );
            } else if gives_way(orbit.system, &orbit.parameters, letter.mode, e) {
                push(
                    Label::VT,
                    Rank::Rate,
                    format!(
                        "{at} reaches `{}` at a visible tangency: beyond it, stick would end earlier",
                        event.name
                    ),
                );
            } else {
                push(
                    Label::GR,
                    Rank::Rate,
                    format!(
                        "{at} grazes the surface of `{}` at its end: the rate of the guard is zero",
                        event.name
                    ),
                );
            }
            for when in &event.when {
                push(
                    Label::VS,
                    Rank::Other,
                    format!(
                        "at the end of {at} the side condition `{}` of event `{}` reaches its limit: beyond it another segment appears there",
                        when.name, event.name
                    ),
                );
            }
            for corner in reset_corners::described(orbit, k) {
                let meaning = format!(
                    "{corner}, in what `{}` does to the states at the end of {at}",
                    event.name
                );
                push(Label::GR, Rank::Other, meaning);
            }
        }
        for (w, clear_of) in orbit.plan.clearances[k].iter().enumerate() {
            let met = mode
                .events
                .iter()
                .position(|e| Arc::ptr_eq(&e.guard, &clear_of.function) && -e.direction.sign() == clear_of.sign);
            let sticks = sticks && met.is_none_or(|e| gives_way(orbit.system, &orbit.parameters, letter.mode, e));
            let name = met
                .map(|e| format!("`{}`", mode.events[e].name))
                .or_else(|| {
                    mode.inequalities
                        .iter()
                        .find(|i| Arc::ptr_eq(&i.function, &clear_of.function))
                        .map(|i| format!("`{}`", i.name))
                })
                .unwrap_or_else(|| format!("condition {}", w + 1));
            let rank = if clear_of.openings.of_events() {
                Rank::Other
            } else {
                Rank::Stated
            };
            if sticks {
                push(
                    Label::OV,
                    rank,
                    format!("{at}: the force in stick reaches the limit {name} before the end of the segment"),
                );
            } else {
                push(Label::GR, rank, format!("{at} is tangent to {name} before its end"));
            }
        }
    }
    specs
}

/// The values for segment `k` of the orbit at `z`, known all along.
pub(crate) fn measure(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    k: usize,
    dense: &DenseOutput<'_, '_>,
    values: &mut Vec<f64>,
) -> Result<(), Failure> {
    let (s, p) = (&orbit.segments[k], &orbit.parameters);
    let duration = orbit.duration(z, k);
    values.push(duration);
    if s.guard.is_some() {
        let sides = orbit.sides_of_end(k);
        let [_, end] = sides
            .as_ref()
            .map_or([&s.transition.x; 2], |[before, behind]| [before, behind]);
        values.push(match sides {
            Some(_) => height(orbit, k, end),
            None => s.rate(),
        });
        for when in &orbit.plan.conditions[k] {
            let mut v = [0.0];
            when.value(end, p, &mut v);
            values.push(v[0]);
        }
        reset_corners::measure(orbit, k, values);
    }
    for surface in &orbit.plan.clearances[k] {
        // Between two events of one instant there is no inside, nor beside a jump with time on the way to that.
        let clear = if duration.abs() <= INSTANT || duration < 0.0 && s.lies_on_jumps() {
            Record::FAR
        } else {
            clearance(orbit, z, k, dense, surface)?
        };
        values.push(clear.min(Record::FAR));
    }
    Ok(())
}

/// How far beyond zero the guard of the event that ends segment `k` is at `x`.
fn height(orbit: &PeriodicOrbit<'_>, k: usize, x: &[f64]) -> f64 {
    let letter = orbit.word.letters[k];
    letter.event.map_or(Record::FAR, |e| {
        let event = &orbit.system.modes[letter.mode].events[e];
        let mut v = [0.0];
        event.guard.value(x, &orbit.parameters, &mut v);
        event.direction.sign() * v[0]
    })
}

/// The values of all segments, merged into those of the segments that have inequalities of their own.
pub(crate) fn join_parts(orbit: &PeriodicOrbit<'_>, values: &mut Vec<f64>) {
    if !may_be_subdivided(orbit) {
        return;
    }
    // The parts of a smooth orbit are one segment: it lasts as long as all of them, and must keep clear of what each
    // must.
    let each = values.len() / orbit.segments.len();
    let (whole, parts) = values.split_at_mut(each);
    for part in parts.chunks_exact(each) {
        whole[0] += part[0];
        whole[1..].iter_mut().zip(&part[1..]).for_each(|(w, p)| *w = w.min(*p));
    }
    values.truncate(each);
}
