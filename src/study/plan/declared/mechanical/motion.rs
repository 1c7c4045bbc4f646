//! The motion in a mode: velocities tied together, the accelerations that are left, the forces of the ties.

use crate::plan::declared::mechanical::contact::Contact;
use crate::plan::declared::mechanical::inverse::inverse;
use crate::plan::declared::mechanical::pattern::Status;
use crate::plan::declared::mechanical::points::{named, sum_of};
use crate::plan::declared::mechanical::reader::Made;
use crate::plan::declared::mechanical::structure::{Matrix, Structure};
use crate::plan::declared::mechanical::ties::{Condition, solved};
use crate::plan::system::frame::quoted;
use slipstick_system::text::Symbolic;

/// How the velocity of a coordinate is determined.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Velocity {
    /// It moves on its own.
    Own,
    /// It is that of this coordinate.
    Of(usize),
    /// It is that of the ground or a belt, or follows from others, as a formula, with its rate.
    Given(Symbolic, Symbolic),
}

/// The motion in a mode.
pub(crate) struct Motion {
    pub(crate) velocities: Vec<Velocity>,
    /// The accelerations of all coordinates.
    pub(crate) accelerations: Vec<Symbolic>,
    /// For each contact that ties: the force on its coordinate of everything else, which the contact holds.
    pub(crate) pulls: Vec<Option<Symbolic>>,
    /// For each coordinate that rests on obstacles: where.
    pub(crate) places: Vec<Option<Symbolic>>,
}

impl Motion {
    /// The motion with the contacts in these states.
    pub(crate) fn of(structure: &Structure, contacts: &[Contact], pattern: &[Status], made: &mut Made) -> Self {
        let n = structure.coordinates.len();
        let ties: Vec<usize> = (0..contacts.len()).filter(|&c| contacts[c].ties(pattern[c])).collect();
        let mut loads = structure.loads.clone();
        for (contact, &status) in contacts.iter().zip(pattern) {
            if contact.ties(status) {
                continue;
            }
            let force = contact.force(status);
            structure.points.push(contact.on, &force, &mut loads);
            if let Some(other) = contact.against {
                structure.points.push(other, &-force, &mut loads);
            }
        }
        if ties.iter().any(|&c| contacts[c].is_on_points(structure)) {
            return Self::with_tied_points(structure, contacts, (pattern, &ties), &loads, made);
        }
        let velocities = velocities(n, contacts, &ties);
        let accelerations = accelerations(structure, &velocities, &loads, made);
        // What the ties have to bring up.
        let missing: Vec<Symbolic> = (0..n)
            .map(|i| {
                let inertia = |j: usize| structure.mass[i][j].clone() * accelerations[j].clone();
                (0..n).fold(loads[i].clone(), |left, j| left - inertia(j))
            })
            .collect();
        let mut pulls = vec![None; contacts.len()];
        for &c in &ties {
            let side = side_of(c, contacts, &ties, n);
            // The side that hangs on nothing else: with the coordinate of the contact, or opposite.
            let with = side.iter().any(|&i| i == contacts[c].on);
            let sum = side
                .iter()
                .fold(Symbolic::number(0.0), |sum, &i| sum + missing[i].clone());
            pulls[c] = Some(if with { sum } else { -sum });
        }
        Self {
            velocities,
            accelerations,
            pulls,
            places: places(&structure.coordinates, contacts, pattern),
        }
    }

    /// The motion where points are tied: the forces of the ties are found first, and accelerations from them.
    fn with_tied_points(
        structure: &Structure,
        contacts: &[Contact],
        (pattern, ties): (&[Status], &[usize]),
        loads: &[Symbolic],
        made: &mut Made,
    ) -> Self {
        let n = structure.coordinates.len();
        let free = accelerations(structure, &vec![Velocity::Own; n], loads, made);
        let tie = |c: &usize| contacts[*c].tie(structure, contacts[*c].belt.0.clone());
        let conditions: Vec<Condition> = ties.iter().map(tie).collect();
        let factors = |k: usize| conditions[k].factors.iter().map(|(factor, _)| factor);
        // What a unit force of each tie does to each coordinate, and to each tie.
        let response: Matrix = (0..ties.len())
            .map(|k| {
                structure
                    .mobility
                    .iter()
                    .map(|row| sum_of(factors(k).zip(row)))
                    .collect()
            })
            .collect();
        let between = |k: usize| (0..ties.len()).map(|l| sum_of(factors(k).zip(&response[l]))).collect();
        let coupling = inverse(&(0..ties.len()).map(between).collect::<Matrix>(), made);
        let excess: Vec<Symbolic> = (0..ties.len())
            .map(|k| sum_of(factors(k).zip(&free)) - contacts[ties[k]].belt.1.clone())
            .collect();
        let mut pulls = vec![None; contacts.len()];
        let mut accelerations = free;
        for (k, &c) in ties.iter().enumerate() {
            let source = format!("contacts.{}", quoted(&contacts[c].name));
            let pull = made.short(
                &format!("{}_pull", contacts[c].name),
                sum_of(coupling[k].iter().zip(&excess)),
                &source,
            );
            for (own, response) in accelerations.iter_mut().zip(&response[k]) {
                *own = own.clone() - response.clone() * pull.clone();
            }
            pulls[c] = Some(pull);
        }
        let mut velocities = vec![Velocity::Own; n];
        for (pivot, value) in solved(&conditions, &named(&structure.velocities)).into_iter().flatten() {
            velocities[pivot] = Velocity::Given(value, accelerations[pivot].clone());
        }
        let resting = contacts.iter().zip(pattern);
        let resting: Vec<Condition> = resting
            .filter_map(|(contact, status)| Some(contact.tie(structure, contact.resting(*status)?)))
            .collect();
        let mut places = vec![None; n];
        for (pivot, value) in solved(&resting, &structure.points.coordinates_by_name())
            .into_iter()
            .flatten()
        {
            places[pivot] = Some(value);
        }
        Self {
            velocities,
            accelerations,
            pulls,
            places,
        }
    }

    /// Does the velocity of this coordinate move on its own?
    pub(crate) fn moves(&self, coordinate: usize) -> bool {
        self.velocities[coordinate] == Velocity::Own
    }
}

fn velocities(n: usize, contacts: &[Contact], ties: &[usize]) -> Vec<Velocity> {
    // Ground and belts tie nothing together: each has a velocity of its own.
    let mut class: Vec<usize> = (0..n).collect();
    for &c in ties {
        let Some(other) = contacts[c].against else { continue };
        let (a, b) = (class[contacts[c].on], class[other]);
        let (least, most) = (a.min(b), a.max(b));
        class.iter_mut().filter(|k| **k == most).for_each(|k| *k = least);
    }
    let given = |i: usize| {
        let reached = |c: &&usize| contacts[**c].against.is_none() && class[contacts[**c].on] == class[i];
        ties.iter().find(reached).map(|&c| contacts[c].belt.clone())
    };
    (0..n)
        .map(|i| match given(i) {
            Some((velocity, rate)) => Velocity::Given(velocity, rate),
            None if class[i] == i => Velocity::Own,
            None => Velocity::Of(class[i]),
        })
        .collect()
}

/// Where the coordinates are that rest on obstacles: of those that rest on each other but not on the ground, one is
/// free.
fn places(coordinates: &[String], contacts: &[Contact], pattern: &[Status]) -> Vec<Option<Symbolic>> {
    let n = coordinates.len();
    let mut places: Vec<Option<Symbolic>> = vec![None; n + 1];
    let mut known = vec![false; n + 1];
    // The ground is the last one, and the first from which others are reached.
    for from in [n].into_iter().chain(0..n) {
        let own = coordinates
            .get(from)
            .map_or_else(|| Symbolic::number(0.0), |name| Symbolic::name(name));
        let mut reached = vec![(from, own)];
        while let Some((here, place)) = reached.pop() {
            if std::mem::replace(&mut known[here], true) {
                continue;
            }
            for (contact, status) in contacts.iter().zip(pattern) {
                let Some(distance) = contact.resting(*status) else {
                    continue;
                };
                let (on, against) = (contact.on, contact.against.unwrap_or(n));
                let (there, value) = if on == here {
                    (against, place.clone() - distance)
                } else if against == here {
                    (on, place.clone() + distance)
                } else {
                    continue;
                };
                if !known[there] {
                    places[there] = Some(value.clone());
                    reached.push((there, value));
                }
            }
        }
    }
    places.truncate(n);
    places
}

fn accelerations(structure: &Structure, velocities: &[Velocity], loads: &[Symbolic], made: &mut Made) -> Vec<Symbolic> {
    let n = velocities.len();
    let zero = || Symbolic::number(0.0);
    let free: Vec<usize> = (0..n).filter(|&i| velocities[i] == Velocity::Own).collect();
    let members = |r: usize| (0..n).filter(move |&i| i == r || velocities[i] == Velocity::Of(r));
    // What acts on each coordinate, less what the given accelerations take.
    let left: Vec<Symbolic> = (0..n)
        .map(|i| {
            (0..n).fold(loads[i].clone(), |left, j| match &velocities[j] {
                Velocity::Given(_, rate) => left - structure.mass[i][j].clone() * rate.clone(),
                _ => left,
            })
        })
        .collect();
    let loads: Vec<Symbolic> = free
        .iter()
        .map(|&r| members(r).fold(zero(), |sum, i| sum + left[i].clone()))
        .collect();
    let all_free = free.len() == n;
    let mobility: Matrix = if all_free {
        structure.mobility.clone()
    } else {
        let together = |a: usize, b: usize| {
            let pairs = members(a).flat_map(|i| members(b).map(move |j| (i, j)));
            pairs.fold(zero(), |sum, (i, j)| sum + structure.mass[i][j].clone())
        };
        let reduced: Matrix = free
            .iter()
            .map(|&a| free.iter().map(|&b| together(a, b)).collect())
            .collect();
        inverse(&reduced, made)
    };
    let mut own = vec![zero(); n];
    for (k, &r) in free.iter().enumerate() {
        let alone = (0..free.len()).all(|l| l == k || mobility[k][l].is_zero());
        own[r] = if alone {
            // Written as a quotient, as one would by hand.
            let mass = members(r)
                .flat_map(|i| members(r).map(move |j| (i, j)))
                .fold(zero(), |sum, (i, j)| sum + structure.mass[i][j].clone());
            loads[k].clone() / mass
        } else {
            (0..free.len()).fold(zero(), |sum, l| sum + mobility[k][l].clone() * loads[l].clone())
        };
    }
    (0..n)
        .map(|i| match &velocities[i] {
            Velocity::Own => own[i].clone(),
            Velocity::Of(r) => own[*r].clone(),
            Velocity::Given(_, rate) => rate.clone(),
        })
        .collect()
}

/// The coordinates on that side of a tie which holds neither the ground nor a belt; if neither side does, on the
/// smaller one.
fn side_of(tie: usize, contacts: &[Contact], ties: &[usize], n: usize) -> Vec<usize> {
    let reached = |from: usize| {
        let mut side = vec![from];
        let mut at = 0;
        while let Some(&i) = side.get(at) {
            for &c in ties.iter().filter(|&&c| c != tie) {
                let (a, b) = (contacts[c].on, contacts[c].against.unwrap_or(n));
                for (here, there) in [(a, b), (b, a)] {
                    if here == i && i != n && !side.contains(&there) {
                        side.push(there);
                    }
                }
            }
            at += 1;
        }
        side.sort_unstable();
        side
    };
    let on = reached(contacts[tie].on);
    let Some(against) = contacts[tie].against.map(reached) else {
        return on;
    };
    if on.contains(&n) || (!against.contains(&n) && against.len() < on.len()) {
        against
    } else {
        on
    }
}
