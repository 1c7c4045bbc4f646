//! `Mechanical(...)`: what the program makes of masses, springs and contacts against equations by hand, benchmarks,
//! time stepping and energy.

use super::support::{assert_close, curve, labelled, only, points, run, value as column};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use slipstick_bifurcation::Label;
use slipstick_flow::{Ending, FlowOptions, ModeFlow, SimulationOptions, simulate};
use slipstick_orbit::Word;
use slipstick_study as study;
use slipstick_system::System;
use std::f64::consts::{LN_10, PI};
use std::fmt::Write;

/// The system of a study that declares it.
fn built(system: &str) -> System {
    let text = format!("Study(title: \"mechanical\", system: {system})");
    let study = study::parse("study.ron".as_ref(), text).unwrap_or_else(|e| panic!("{e}\n{system}"));
    let built = study.spec.system.unwrap().build("system");
    built.unwrap_or_else(|e| panic!("{e:?}\n{system}")).system
}

/// A linear solution, with pivoting.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Friction {
        level: f64,
        kinetic: f64,
    },
    Jenkins {
        stiffness: f64,
        limit: f64,
    },
    Compliant {
        distance: f64,
        stiffness: f64,
        damping: f64,
    },
    Rigid {
        distance: f64,
        restitution: f64,
        /// The speed below which hits end in contact, if they do.
        rest: Option<f64>,
        both: bool,
    },
    /// Friction that falls from `base + drop` over relative speeds of the size `scale`.
    Stribeck {
        base: f64,
        drop: f64,
        scale: f64,
    },
    Relay {
        level: f64,
    },
}

#[derive(Clone, Debug)]
struct Contact {
    on: usize,
    against: Option<usize>,
    belt: f64,
    kind: Kind,
}

/// A random system in numbers.
struct Random {
    mass: Vec<Vec<f64>>,
    stiffness: Vec<Vec<f64>>,
    damping: Vec<Vec<f64>>,
    force: f64,
    omega: f64,
    contacts: Vec<Contact>,
    start: Vec<f64>,
}

fn symmetric(n: usize, rng: &mut StdRng, diagonal: f64) -> Vec<Vec<f64>> {
    let a: Vec<Vec<f64>> = (0..n)
        .map(|_| (0..n).map(|_| rng.random_range(-0.7..0.7)).collect())
        .collect();
    let entry = |i: usize, j: usize| -> f64 {
        let sum: f64 = (0..n).map(|k| a[i][k] * a[j][k]).sum();
        if i == j { sum + diagonal } else { sum }
    };
    (0..n)
        .map(|i| (0..n).map(|j| entry(i.max(j), i.min(j))).collect())
        .collect()
}

impl Random {
    fn new(seed: u64, most: usize, kinds: &[usize]) -> Self {
        let rng = &mut StdRng::seed_from_u64(seed);
        let n = rng.random_range(1..=most);
        let mut mass = symmetric(n, rng, 1.0);
        if rng.random_bool(0.5) {
            for i in 0..n {
                for j in 0..n {
                    if i != j {
                        mass[i][j] = 0.0;
                    }
                }
            }
        }
        let mut free: Vec<usize> = (0..n).collect();
        let mut contacts = vec![];
        for _ in 0..rng.random_range(1..=3.min(n)) {
            let on = free.swap_remove(rng.random_range(0..free.len()));
            let kind = kinds[rng.random_range(0..kinds.len())];
            let resting = kind == 6;
            let kind = match kind {
                0 => {
                    let kinetic = rng.random_range(0.1..0.6);
                    Kind::Friction {
                        kinetic,
                        level: kinetic * rng.random_range(1.0..1.8),
                    }
                }
                1 => Kind::Jenkins {
                    stiffness: rng.random_range(1.0..4.0),
                    limit: rng.random_range(0.1..0.6),
                },
                2 => Kind::Compliant {
                    distance: rng.random_range(0.2..0.6),
                    stiffness: rng.random_range(3.0..20.0),
                    damping: rng.random_range(0.0..0.5),
                },
                3 | 6 => Kind::Rigid {
                    distance: rng.random_range(0.4..0.8),
                    restitution: rng.random_range(0.3..0.9),
                    rest: None,
                    both: rng.random_bool(0.5),
                },
                7 => Kind::Stribeck {
                    base: rng.random_range(0.1..0.3),
                    drop: rng.random_range(0.05..0.3),
                    scale: rng.random_range(0.1..0.6),
                },
                4 => Kind::Relay {
                    level: rng.random_range(0.05..0.3),
                },
                _ => {
                    let level = rng.random_range(0.1..0.6);
                    Kind::Friction { level, kinetic: level }
                }
            };
            // Each has the ground, a belt or a coordinate before it on the other side, so that no loop closes.
            let kind = match kind {
                Kind::Rigid {
                    distance,
                    restitution,
                    both,
                    ..
                } if resting => Kind::Rigid {
                    distance,
                    restitution,
                    rest: Some(rng.random_range(0.2..0.8)),
                    both,
                },
                kind => kind,
            };
            let against = (on > 0 && rng.random_bool(0.4)).then(|| rng.random_range(0..on));
            let dry = matches!(
                kind,
                Kind::Friction { .. } | Kind::Stribeck { .. } | Kind::Jenkins { .. }
            );
            let belt = if dry && against.is_none() && rng.random_bool(0.6) {
                rng.random_range(0.1..0.6)
            } else {
                0.0
            };
            contacts.push(Contact {
                on,
                against,
                belt,
                kind,
            });
        }
        Self {
            stiffness: symmetric(n, rng, 0.8),
            damping: symmetric(n, rng, 0.0)
                .iter()
                .map(|row| row.iter().map(|c| 0.1 * c).collect())
                .collect(),
            mass,
            force: rng.random_range(0.3..1.5),
            omega: rng.random_range(0.5..2.0),
            contacts,
            start: (0..2 * n).map(|_| rng.random_range(-0.2..0.2)).collect(),
        }
    }

    fn size(&self) -> usize {
        self.mass.len()
    }

    fn text(&self) -> String {
        let n = self.size();
        let names = |prefix: &str| {
            (0..n)
                .map(|i| format!("\"{prefix}{i}\""))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut text = format!(
            "Mechanical(coordinates: [{}], velocities: [{}], parameters: {{\"F\": {:?}, \"omega\": {:?}}},\n",
            names("x"),
            names("u"),
            self.force,
            self.omega
        );
        let _ = writeln!(text, "forcing: Forcing(period: \"2*pi/omega\"), M: {:?},", self.mass);
        let _ = writeln!(
            text,
            "K: {:?}, C: {:?}, forces: {{\"x0\": \"F*cos(omega*t)\"}},",
            self.stiffness, self.damping
        );
        text += "contacts: {\n";
        for (k, c) in self.contacts.iter().enumerate() {
            let against = match c.against {
                Some(other) => format!("Coordinate(\"x{other}\")"),
                None if c.belt != 0.0 => format!("Belt({:?})", c.belt),
                None => "Ground".into(),
            };
            let law = match c.kind {
                Kind::Friction { level, kinetic } if level == kinetic => format!("Coulomb(mu: {level:?}"),
                Kind::Friction { level, kinetic } => format!("Stiction(mu_s: {level:?}, mu_d: {kinetic:?}"),
                Kind::Jenkins { stiffness, limit } => format!("Jenkins(k_t: {stiffness:?}, limit: {limit:?}"),
                Kind::Compliant {
                    distance,
                    stiffness,
                    damping,
                } => {
                    format!("Gap(side: Both, distance: {distance:?}, stiffness: {stiffness:?}, damping: {damping:?}")
                }
                Kind::Rigid {
                    distance,
                    restitution,
                    rest,
                    both,
                } => {
                    let side = if both { "Both" } else { "Above" };
                    let rest = rest.map_or(String::new(), |rest| format!(", rest: {rest:?}"));
                    format!("Gap(side: {side}, distance: {distance:?}, restitution: {restitution:?}{rest}")
                }
                Kind::Stribeck { base, drop, scale } => {
                    format!("Stribeck(law: \"{base:?} + {drop:?}*exp(-v/{scale:?})\"")
                }
                Kind::Relay { level } => format!("Relay(level: {level:?}"),
            };
            let _ = writeln!(text, "\"c{k}\": {law}, on: \"x{}\", against: {against}),", c.on);
        }
        text += "},\nobservables: {";
        for k in 0..self.contacts.len() {
            let _ = write!(text, "\"f{k}\": \"c{k}_force\", ");
        }
        text += "}, start: {";
        for (i, x) in self.start.iter().enumerate() {
            let name = if i < n { format!("x{i}") } else { format!("u{}", i - n) };
            let _ = write!(text, "\"{name}\": {x:?}, ");
        }
        text + "})"
    }

    /// The relative value of a contact of one value for each coordinate.
    fn across(c: &Contact, of: &[f64]) -> f64 {
        of[c.on] - c.against.map_or(0.0, |k| of[k])
    }

    /// The external force, springs and dampers at coordinates, velocities and phase.
    fn load(&self, q: &[f64], v: &[f64], phase: f64) -> Vec<f64> {
        let n = self.size();
        let pull = |i: usize| -> f64 {
            let inner: f64 = (0..n)
                .map(|j| self.stiffness[i][j] * q[j] + self.damping[i][j] * v[j])
                .sum();
            if i == 0 {
                self.force * phase.cos() - inner
            } else {
                -inner
            }
        };
        (0..n).map(pull).collect()
    }

    /// Accelerations and the forces of the contacts in a mode, by Lagrange multipliers.
    fn by_hand(&self, mode: &str, full: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.size();
        let (q, v) = (&full[..n], &full[n..2 * n]);
        let mut load = self.load(q, v, full[full.len() - 1]);
        let mut elongation = 2 * n;
        let mut forces = vec![0.0; self.contacts.len()];
        let mut tied = vec![];
        for ((k, c), part) in self.contacts.iter().enumerate().zip(mode.split(',')) {
            let state = part.strip_prefix(&format!("c{k}:")).unwrap();
            let (displacement, velocity) = (Self::across(c, q), Self::across(c, v) - c.belt);
            let sign = if state.ends_with('-') { -1.0 } else { 1.0 };
            forces[k] = match (c.kind, state) {
                (Kind::Friction { .. } | Kind::Stribeck { .. }, "stick") => {
                    tied.push(k);
                    0.0
                }
                (Kind::Rigid { .. }, rest) if rest.starts_with("rest") => {
                    tied.push(k);
                    0.0
                }
                (Kind::Friction { kinetic, .. }, _) => -sign * kinetic,
                (Kind::Stribeck { base, drop, scale }, _) => -sign * (base + drop * (-velocity.abs() / scale).exp()),
                (Kind::Jenkins { stiffness, .. }, _) => {
                    elongation += 1;
                    -stiffness * full[elongation - 1]
                }
                (Kind::Compliant { .. }, "open") | (Kind::Rigid { .. }, _) => 0.0,
                (
                    Kind::Compliant {
                        distance,
                        stiffness,
                        damping,
                    },
                    _,
                ) => -stiffness * (displacement - sign * distance) - damping * velocity,
                (Kind::Relay { level }, _) => -sign * level,
            };
            load[c.on] += forces[k];
            if let Some(other) = c.against {
                load[other] -= forces[k];
            }
        }
        let size = n + tied.len();
        let (mut a, mut b) = (vec![vec![0.0; size]; size], vec![0.0; size]);
        for i in 0..n {
            a[i][..n].copy_from_slice(&self.mass[i]);
            b[i] = load[i];
        }
        for (row, &k) in tied.iter().enumerate() {
            let c = &self.contacts[k];
            for (coordinate, sign) in [(Some(c.on), 1.0), (c.against, -1.0)] {
                if let Some(i) = coordinate {
                    a[n + row][i] = sign;
                    a[i][n + row] = -sign;
                }
            }
        }
        let solution = solved(a, b);
        for (row, &k) in tied.iter().enumerate() {
            forces[k] = solution[n + row];
        }
        (solution[..n].to_vec(), forces)
    }

    /// Velocities after an impulse at a rigid contact.
    fn hit(&self, c: &Contact, v: &[f64], restitution: f64) -> Vec<f64> {
        let mut unit = vec![0.0; self.size()];
        unit[c.on] = 1.0;
        if let Some(other) = c.against {
            unit[other] = -1.0;
        }
        let response = solved(self.mass.clone(), unit);
        let factor = (1.0 + restitution) * Self::across(c, v) / Self::across(c, &response);
        v.iter().zip(&response).map(|(v, r)| v - factor * r).collect()
    }
}

fn value(system: &System, name: &str, mode: usize, x: &[f64]) -> f64 {
    let observable = system.observables.iter().find(|o| o.name == name).unwrap();
    let mut out = [0.0];
    observable.by_mode[mode].value(x, &system.default_parameters(), &mut out);
    out[0]
}

/// Every step of random simulations: fields, forces, events and energies are those of equations by hand, and no state is
/// one that its mode cannot have.
#[test]
fn random_systems_move_as_equations_by_hand_say() {
    let (mut visited, mut hits, mut stopped) = (0, 0, 0);
    for seed in 0..90 {
        let random = Random::new(seed, 6, &[0, 0, 1, 2, 3, 4, 5, 6, 7]);
        let text = random.text();
        let system = built(&text);
        let n = random.size();
        let p = system.default_parameters();
        let options = SimulationOptions {
            t_end: 12.0,
            ..SimulationOptions::default()
        };
        let (mode, start) = system.start_at(&p);
        let run = simulate(&system, mode, &start, &p, &options).unwrap();
        let mut previous: Option<(Vec<f64>, String)> = None;
        for segment in &run.segments {
            let mode = &system.modes[segment.mode];
            assert!(!mode.name.starts_with("unmade:"), "{text}");
            visited += 1;
            let first = system.full_state(segment.mode, &segment.start, &p);
            if let Some((last, event)) = &previous {
                let mut expected = last[..2 * n].to_vec();
                let hit = event.split_once(":hit").or(event.split_once(":stop"));
                if let Some((contact, _)) = hit {
                    let c = &random.contacts[contact[1..].parse::<usize>().unwrap()];
                    let Kind::Rigid { restitution, .. } = c.kind else {
                        panic!("{event}")
                    };
                    let stops = event.contains(":stop");
                    let after = random.hit(c, &last[n..2 * n], if stops { 0.0 } else { restitution });
                    expected[n..].copy_from_slice(&after);
                    (hits, stopped) = (hits + 1, stopped + usize::from(stops));
                }
                for (found, wanted) in first.iter().zip(&expected) {
                    assert!(
                        (found - wanted).abs() < 1e-9,
                        "seed {seed}, {event}: {first:?}, {expected:?}\n{text}"
                    );
                }
            }
            let flow = ModeFlow::new(&system, segment.mode, FlowOptions::default());
            let path = flow.path(&segment.start, segment.duration, &p).unwrap();
            let mut x = segment.start.clone();
            for fraction in [0.0, 0.21, 0.5, 0.83, 1.0] {
                path.eval(fraction * segment.duration, &mut x);
                let full = system.full_state(segment.mode, &x, &p);
                let (accelerations, forces) = random.by_hand(&mode.name, &full);
                let mut field = vec![0.0; x.len()];
                mode.field.value(&x, &p, &mut field);
                let scale = 1.0 + accelerations.iter().fold(0.0, |m: f64, a| m.max(a.abs()));
                for (found, &state) in field.iter().zip(&mode.states) {
                    let wanted = match state {
                        s if s < n => full[n + s],
                        s if s < 2 * n => accelerations[s - n],
                        _ => continue,
                    };
                    assert!(
                        (found - wanted).abs() < 1e-11 * scale,
                        "seed {seed}: {found} {wanted}\n{text}"
                    );
                }
                let mut elongation = 2 * n;
                for ((k, c), part) in random.contacts.iter().enumerate().zip(mode.name.split(',')) {
                    let force = value(&system, &format!("f{k}"), segment.mode, &x);
                    assert!(
                        (force - forces[k]).abs() < 1e-11 * scale,
                        "seed {seed}: {force} {}\n{text}",
                        forces[k]
                    );
                    let velocity = Random::across(c, &full[n..]) - c.belt;
                    let displacement = Random::across(c, &full);
                    let sign = if part.ends_with('-') { -1.0 } else { 1.0 };
                    let within = match c.kind {
                        Kind::Friction { level, .. } if part.ends_with("stick") => level - force.abs(),
                        Kind::Stribeck { base, drop, .. } if part.ends_with("stick") => base + drop - force.abs(),
                        Kind::Friction { .. } | Kind::Stribeck { .. } => sign * velocity,
                        Kind::Jenkins { stiffness, limit } => {
                            elongation += 1;
                            limit - stiffness * full[elongation - 1].abs()
                        }
                        Kind::Compliant { distance, .. } if part.ends_with("open") => distance - displacement.abs(),
                        Kind::Compliant { distance, .. } => sign * displacement - distance,
                        Kind::Rigid { .. } if part.contains(":rest") => -sign * force,
                        Kind::Rigid {
                            distance, both: true, ..
                        } => distance - displacement.abs(),
                        Kind::Rigid { distance, .. } => distance - displacement,
                        Kind::Relay { .. } => sign * displacement,
                    };
                    // A mode that is left at once may be one that cannot last: it takes no time.
                    assert!(
                        segment.duration == 0.0 || within > -1e-8,
                        "seed {seed}, {part} at {full:?}: {within}\n{text}"
                    );
                }
            }
            // The energy changes by what forces and belts bring in and dampers and contacts take.
            let power = |x: &[f64]| -> f64 {
                let full = system.full_state(segment.mode, x, &p);
                let v = &full[n..2 * n];
                let mut sum = random.force * full[full.len() - 1].cos() * v[0];
                for i in 0..n {
                    for j in 0..n {
                        sum -= v[i] * random.damping[i][j] * v[j];
                    }
                }
                for (k, c) in random.contacts.iter().enumerate() {
                    sum += c.belt * value(&system, &format!("f{k}"), segment.mode, x);
                    if !matches!(c.kind, Kind::Rigid { .. }) {
                        sum -= value(&system, &format!("c{k}_power"), segment.mode, x);
                    }
                }
                sum
            };
            let pieces = 1 + (segment.duration / 0.02) as usize;
            let h = segment.duration / pieces as f64;
            let gauss = [
                (0.0, 8.0 / 9.0),
                (0.6f64.sqrt(), 5.0 / 9.0),
                (-(0.6f64.sqrt()), 5.0 / 9.0),
            ];
            let mut brought = 0.0;
            for piece in 0..pieces {
                for (node, weight) in gauss {
                    path.eval(h * (piece as f64 + 0.5 + 0.5 * node), &mut x);
                    brought += 0.5 * h * weight * power(&x);
                }
            }
            path.eval(segment.duration, &mut x);
            let change =
                value(&system, "energy", segment.mode, &x) - value(&system, "energy", segment.mode, &segment.start);
            assert!(
                (change - brought).abs() < 1e-7,
                "seed {seed}: {change} {brought} in {}\n{text}",
                mode.name
            );
            let last = system.full_state(segment.mode, &segment.end, &p);
            previous = segment.event.map(|e| (last, mode.events[e].name.clone()));
        }
        assert!(matches!(
            run.ending,
            Ending::Time | Ending::Accumulation { .. } | Ending::Rest { .. }
        ));
    }
    assert!(visited > 500 && hits > 10 && stopped > 0, "{visited} {hits} {stopped}");
}

/// Positions after a time by the scheme of Moreau and Jean: impulses over steps, Gauss–Seidel over contacts.
fn time_stepping(random: &Random, end: f64, steps: usize) -> Vec<f64> {
    let n = random.size();
    let h = end / steps as f64;
    let (mut q, mut v) = (random.start[..n].to_vec(), random.start[n..].to_vec());
    let unit = |c: &Contact| {
        let mut unit = vec![0.0; n];
        unit[c.on] = 1.0;
        if let Some(other) = c.against {
            unit[other] = -1.0;
        }
        solved(random.mass.clone(), unit)
    };
    let responses: Vec<Vec<f64>> = random.contacts.iter().map(unit).collect();
    for step in 0..steps {
        let middle: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + 0.5 * h * v).collect();
        let load = random.load(&middle, &v, random.omega * h * (step as f64 + 0.5));
        let a = solved(random.mass.clone(), load);
        let mut next: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + h * a).collect();
        let mut impulses = vec![0.0; random.contacts.len()];
        for _ in 0..60 {
            for (k, c) in random.contacts.iter().enumerate() {
                let own = Random::across(c, &responses[k]);
                let (low, high, wanted) = match c.kind {
                    Kind::Friction { level, .. } => (-h * level, h * level, c.belt),
                    Kind::Rigid {
                        distance,
                        restitution,
                        both,
                        ..
                    } => {
                        let at = Random::across(c, &middle);
                        let bounce = -restitution * Random::across(c, &v);
                        if at >= distance {
                            (f64::NEG_INFINITY, 0.0, bounce)
                        } else if both && at <= -distance {
                            (0.0, f64::INFINITY, bounce)
                        } else {
                            continue;
                        }
                    }
                    _ => unreachable!(),
                };
                let target = impulses[k] + (wanted - Random::across(c, &next)) / own;
                let change = target.clamp(low, high) - impulses[k];
                impulses[k] += change;
                next.iter_mut().zip(&responses[k]).for_each(|(v, r)| *v += change * r);
            }
        }
        q.iter_mut()
            .zip(v.iter().zip(&next))
            .for_each(|(q, (v, w))| *q += 0.5 * h * (v + w));
        v = next;
    }
    q
}

/// Coulomb friction and impacts against time stepping, which converges to the same motion with its order, one.
#[test]
fn simulations_agree_with_time_stepping_of_first_order() {
    let end = 4.0;
    let mut ratios = vec![];
    for seed in 100..112 {
        let random = Random::new(seed, 6, &[5, 5, 3]);
        let system = built(&random.text());
        let p = system.default_parameters();
        let options = SimulationOptions {
            t_end: end,
            ..SimulationOptions::default()
        };
        let (mode, start) = system.start_at(&p);
        let run = simulate(&system, mode, &start, &p, &options).unwrap();
        if !matches!(run.ending, Ending::Time) {
            continue;
        }
        let last = run.segments.last().unwrap();
        let exact = system.full_state(last.mode, &last.end, &p);
        let error = |steps: usize| {
            let q = time_stepping(&random, end, steps);
            q.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(1000), error(8000));
        assert!(fine < 4e-3, "seed {seed}: {coarse:e} {fine:e}\n{}", random.text());
        ratios.push((coarse / fine).log2() / 3.0);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    assert!(ratios.len() >= 6 && (0.7..1.6).contains(&median), "orders {ratios:?}");
}

/// The labels of a shipped study lie where they lie with its modes, equations and events written by hand.
fn same_special_points(by_hand: &str, declared: &str) {
    let (by_hand, declared) = (run(by_hand, &[]), run(declared, &[]));
    assert_eq!(by_hand.curves.len(), declared.curves.len());
    assert!(by_hand.missing.is_empty() && declared.missing.is_empty());
    for (a, b) in by_hand.curves.iter().zip(&declared.curves) {
        assert_eq!(a.name, b.name);
        for label in [
            slipstick_bifurcation::Label::LP,
            slipstick_bifurcation::Label::SB,
            slipstick_bifurcation::Label::VS,
            slipstick_bifurcation::Label::GR,
            slipstick_bifurcation::Label::OV,
            slipstick_bifurcation::Label::NS,
            slipstick_bifurcation::Label::UZ,
        ] {
            let (first, second) = (labelled(a, label), labelled(b, label));
            assert_eq!(first.len(), second.len(), "{} {label:?}", a.name);
            for (one, other) in first.iter().zip(&second) {
                let (u, v) = (one.point.parameter(), other.point.parameter());
                assert!((u - v).abs() < 1e-10 * (1.0 + u.abs()), "{} {label:?}: {u} {v}", a.name);
                let (u, v) = (one.record.period, other.record.period);
                assert!((u - v).abs() < 1e-10 * (1.0 + u.abs()), "{} {label:?}: {u} {v}", a.name);
            }
        }
    }
}

#[test]
fn the_stiction_benchmark_is_the_same_by_hand() {
    same_special_points(
        include_str!("../by_hand/fric.ron"),
        include_str!("../../studies/benchmarks/fric.ron"),
    );
}

#[test]
fn the_impact_benchmarks_are_the_same_by_hand() {
    same_special_points(
        include_str!("../by_hand/impact.ron"),
        include_str!("../../studies/benchmarks/impact.ron"),
    );
    same_special_points(
        include_str!("../by_hand/impduff.ron"),
        include_str!("../../studies/benchmarks/impduff.ron"),
    );
}

/// The body that slides a little further in every period has no place in the states.
#[test]
fn the_impact_that_starts_a_slide_is_the_same_by_hand() {
    same_special_points(
        include_str!("../by_hand/stickslip.ron"),
        include_str!("../../studies/benchmarks/stickslip.ron"),
    );
}

#[test]
fn the_switched_force_is_the_same_by_hand() {
    same_special_points(
        include_str!("../by_hand/bangbang.ron"),
        include_str!("../../studies/benchmarks/bangbang.ron"),
    );
}

/// A chain of blocks on a belt, with the same contact each.
fn chain(blocks: usize, coupling: f64) -> String {
    let list = |entry: &dyn Fn(usize) -> String| (1..=blocks).map(entry).collect::<Vec<_>>().join(", ");
    let spring = |i: usize| {
        let on = format!("Spring(on: \"x{i}\", stiffness: 1, damping: 0.05)");
        if i == blocks {
            return on;
        }
        format!(
            "{on}, Spring(on: \"x{i}\", against: Coordinate(\"x{}\"), stiffness: {coupling:?})",
            i + 1
        )
    };
    format!(
        "Mechanical(coordinates: [{}], parameters: {{\"v0\": 0.2}}, masses: {{{}}}, springs: [{}], contacts: {{{}}}, start: {{{}}})",
        list(&|i| format!("\"x{i}\"")),
        list(&|i| format!("\"x{i}\": 1")),
        list(&spring),
        list(&|i| format!("\"b{i}\": Stiction(on: \"x{i}\", against: Belt(\"v0\"), mu_s: 0.5, mu_d: 0.3)")),
        list(&|i| format!("\"v_x{i}\": \"v0\"")),
    )
}

/// Of many combinations only those become modes that the motion visits; events at one instant happen one after the other
/// in the order of the contacts.
#[test]
fn only_modes_that_are_visited_are_made() {
    let system = built(&chain(4, 0.3));
    let made = system.modes.iter().filter(|m| !m.name.starts_with("unmade:")).count();
    assert!((5..30).contains(&made), "{made}");
    let p = system.default_parameters();
    let options = SimulationOptions {
        t_end: 60.0,
        ..SimulationOptions::default()
    };
    let (mode, start) = system.start_at(&p);
    let run = simulate(&system, mode, &start, &p, &options).unwrap();
    assert!(
        run.segments
            .iter()
            .all(|s| !system.modes[s.mode].name.starts_with("unmade:"))
    );
    let events: Vec<(f64, &str)> = run
        .segments
        .iter()
        .filter_map(|s| Some((s.t0 + s.duration, &*system.modes[s.mode].events[s.event?].name)))
        .collect();
    // All blocks begin alike, so they let go at once.
    let names: Vec<&str> = events.iter().take(4).map(|(_, name)| *name).collect();
    assert_eq!(names, ["b1:release-", "b2:release-", "b3:release-", "b4:release-"]);
    assert!(events[..4].iter().all(|(t, _)| (t - events[0].0).abs() < 1e-9));
}

/// Motions from other starts come to combinations that were not made. They end there and name the combination; once it
/// is added to `modes` they go on beyond.
#[test]
fn motions_that_come_to_what_is_not_made_name_it() {
    let declared = chain(4, 0.3);
    let mut ended = 0;
    for seed in 0..12 {
        let mut text = declared.clone();
        let mut asked: Vec<String> = vec![];
        let mut reached = 0.0;
        for _ in 0..6 {
            let system = built(&text);
            let p = system.default_parameters();
            let mode = system.mode("b1:stick,b2:stick,b3:stick,b4:stick").unwrap();
            let x: Vec<f64> = (0..system.modes[mode].states.len())
                .map(|i| 0.2 * (1.3 * f64::from(seed) + 2.1 * i as f64).sin())
                .collect();
            let options = SimulationOptions {
                t_end: 40.0,
                ..SimulationOptions::default()
            };
            let run = simulate(&system, mode, &x, &p, &options).unwrap();
            assert!(
                run.segments
                    .iter()
                    .all(|s| !system.modes[s.mode].name.starts_with("unmade:"))
            );
            let Ending::Outside { message } = &run.ending else {
                assert_eq!(run.ending, Ending::Time);
                break;
            };
            ended += 1;
            let name = message.split('`').nth(1).unwrap().to_owned();
            assert!(message.contains(&format!("add \"{name}\" to `modes`")), "{message}");
            assert!(system.mode(&name).is_none() && !asked.contains(&name), "{name}");
            assert!(run.end_time() >= reached);
            reached = run.end_time();
            asked.push(name);
            let listed: Vec<String> = asked.iter().map(|name| format!("\"{name}\"")).collect();
            text = declared.replacen(
                "Mechanical(",
                &format!("Mechanical(modes: [{}], ", listed.join(", ")),
                1,
            );
        }
    }
    assert!(ended > 0);
}

#[test]
fn words_may_have_blanks_between_the_parts_of_a_mode() {
    let system = built(&chain(2, 0.3));
    let word = Word::parse(
        "b1:slip- b2:slip- b1:land b1:stick, b2:slip- b2:land b1:stick,b2:stick b1:release- b1:slip- b2:stick b2:release-",
        false,
        &system,
    )
    .unwrap();
    assert_eq!(
        word.describe(&system),
        "b1:slip-,b2:slip- b1:land b1:stick,b2:slip- b2:land b1:stick,b2:stick b1:release- b1:slip-,b2:stick b2:release-"
    );
    let error = Word::parse("b1:slip- b3:stick", false, &system)
        .unwrap_err()
        .to_string();
    assert!(error.contains("`b1:slip-`"), "{error}");
}

/// At each hit the energy jumps by what the monitor of the obstacle counts for it.
#[test]
fn hits_close_the_balance_of_energy() {
    for (mass, restitution, mu) in [(1.0, 0.8, 0.01), (0.4, 0.6, 0.02), (2.5, 0.35, 0.05)] {
        let text = format!(
            r#"Mechanical(
                coordinates: ["x", "y"], velocities: ["u", "w"], parameters: {{"A": 1.5, "omega": 0.8, "e": {restitution:?}}},
                forcing: Forcing(period: "2*pi/omega"), M: [[1, 0.2], [0.2, {mass:?}]],
                springs: [Spring(on: "x", stiffness: 1, damping: 0.2), Spring(on: "y", against: Coordinate("x"), stiffness: 2, damping: 0.1)],
                forces: {{"x": "A*cos(omega*t)"}},
                contacts: {{"wall": Gap(on: "x", against: Coordinate("y"), distance: 0.3, side: Both, restitution: "e"), "rub": Coulomb(on: "y", mu: {mu:?})}})"#
        );
        let system = built(&text);
        let p = system.default_parameters();
        let options = SimulationOptions {
            t_end: 60.0,
            ..SimulationOptions::default()
        };
        let (mode, start) = system.start_at(&p);
        let run = simulate(&system, mode, &start, &p, &options).unwrap();
        let monitor = system.monitors.iter().find(|m| m.name == "wall_loss").unwrap();
        let slipstick_system::Measure::Sum(terms) = &monitor.measure else {
            panic!("it is a sum")
        };
        let mut hits = 0;
        for pair in run.segments.windows(2) {
            let Some(event) = pair[0].event.map(|event| (pair[0].mode, event)) else {
                continue;
            };
            let worth = |(events, of): &(Vec<(usize, usize)>, slipstick_system::Quantity)| {
                let mut out = [0.0];
                system.quantity(of, event.0).value(&pair[0].end, &p, &mut out);
                if events.contains(&event) { out[0] } else { 0.0 }
            };
            let lost: f64 = terms.iter().map(worth).sum();
            let before = value(&system, "energy", pair[0].mode, &pair[0].end);
            let after = value(&system, "energy", pair[1].mode, &pair[1].start);
            assert!((before - after - lost).abs() < 1e-12, "{before} {after} {lost}");
            hits += usize::from(lost > 0.0);
        }
        assert!(hits > 5, "{hits}");
    }
}

/// A periodic orbit with hits: the monitor over a period.
#[test]
fn the_energy_lost_at_hits_is_a_monitor_of_orbits() {
    let study = r#"Study(title: "Two masses and a wall", system: Mechanical(
            coordinates: ["x", "y"], velocities: ["u", "w"], parameters: {"A": 0.5, "omega": 1, "e": 0.8},
            forcing: Forcing(period: "2*pi/omega"), M: [[1, 0.1], [0.1, 0.3]],
            springs: [Spring(on: "x", stiffness: 1, damping: 0.1), Spring(on: "y", against: Coordinate("x"), stiffness: 4, damping: 0.2)],
            forces: {"x": "A*cos(omega*t)"},
            contacts: {"wall": Gap(on: "x", distance: 1, restitution: "e")},
            monitors: {"gain": Integral("A*cos(omega*t)*u"), "damped": Integral("0.1*u^2 + 0.2*(u - w)^2")},
        ), curves: [
            Curve(name: "hits", orbit: Periodic("wall:open wall:hit"), start: All(at: {"A": 0.5}), free: "A", range: (0.4, 0.6), levels: {"wall_loss": [0.4]}),
        ])"#;
    let result = run(study, &[]);
    let hits = curve(&result, "hits");
    let mut seen = 0;
    for point in points(hits).iter().filter(|p| p.record.period < 7.0) {
        let [gain, damped, loss] = ["gain", "damped", "wall_loss"].map(|name| column(hits, point, name));
        assert!(loss > 0.0);
        assert_close("balance", gain, damped + loss, 1e-9);
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
    let level = labelled(hits, slipstick_bifurcation::Label::UZ);
    for point in &level {
        assert_close("level", column(hits, point, "wall_loss"), 0.4, 1e-10);
    }
}

/// A wall with permanent contact: a ball that has died out rests on it until it is lifted.
#[test]
fn a_slow_hit_ends_in_permanent_contact() {
    let system = built(
        r#"Mechanical(
            coordinates: ["x"], velocities: ["v"], parameters: {"g": 1, "A": 1.5, "omega": 0.2},
            forcing: Forcing(period: "2*pi/omega", phase: "theta"),
            masses: {"x": 1}, forces: {"x": "-g - A*cos(omega*t)"},
            contacts: {"floor": Gap(on: "x", side: Below, restitution: 0.5, rest: 0.01)},
            start: {"x": 0.5},
        )"#,
    );
    let p = system.default_parameters();
    let options = SimulationOptions {
        t_end: 31.0,
        ..SimulationOptions::default()
    };
    let (mode, start) = system.start_at(&p);
    let run = simulate(&system, mode, &start, &p, &options).unwrap();
    let names: Vec<&str> = run
        .segments
        .iter()
        .filter_map(|s| Some(&*system.modes[s.mode].events[s.event?].name))
        .collect();
    assert_eq!(
        names.iter().filter(|name| **name == "floor:stop").count(),
        1,
        "{names:?}"
    );
    let leave = run.segments.iter().find(|s| {
        s.event
            .is_some_and(|e| system.modes[s.mode].events[e].name == "floor:leave")
    });
    let leave = leave.unwrap();
    // The floor is left where nothing presses any more, cos(omega t) = -g/A.
    let expected = (-1.0f64 / 1.5).acos() / 0.2;
    assert!((leave.t0 + leave.duration - expected).abs() < 1e-9);
}

#[test]
fn bad_input_is_told_with_its_place_and_a_way_out() {
    let friction = r#"{"a": Coulomb(on: "x", mu: 0.3)}"#;
    let cases = [
        (
            r#"M: [[1, 2], [2, 4]]"#,
            friction,
            "system.M[1]",
            "not positive definite",
            "positive mass",
        ),
        (
            r#"M: [[1, 2], [0, 4]]"#,
            friction,
            "system.M[1]",
            "not symmetric",
            "same entry",
        ),
        (r#"M: [[1, 0]]"#, friction, "system.M", "1 entries", "one for each"),
        (
            r#"masses: {"x": 1}"#,
            friction,
            "system.masses",
            "no mass for `y`",
            "`\"y\": 1`",
        ),
        (
            r#"masses: {"x": 1, "y": "k - 1"}"#,
            friction,
            "system.masses.y",
            "not positive definite",
            "positive mass",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Gap(on: "x", distance: "-k", restitution: 0.5)}"#,
            "system.contacts.a.distance",
            "not negative",
            "side: Below",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Coulomb(on: "x", against: Coordinate("x"), mu: 0.3)}"#,
            "system.contacts.a.against",
            "with itself",
            "Ground",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Coulomb(on: "x", mu: 0.3), "b": Coulomb(on: "x", against: Coordinate("y"), mu: 1), "c": Coulomb(on: "y", mu: 1)}"#,
            "system.contacts.c",
            "closed loop",
            "Jenkins",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Gap(on: "x", restitution: 0.5, stiffness: 2)}"#,
            "system.contacts.a",
            "and this is both",
            "either",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Gap(on: "x", side: Both, restitution: 0.5)}"#,
            "system.contacts.a.side",
            "no room",
            "positive distance",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Stiction(on: "x", mu_s: 0.2, mu_d: 0.3)}"#,
            "system.contacts.a.mu_s",
            "below that in slip",
            "larger",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Coulomb(on: "x", against: Belt("x"), mu: 0.3)}"#,
            "system.contacts.a.against",
            "depends on `x`",
            "coordinate",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a b": Coulomb(on: "x", mu: 0.3)}"#,
            "system.contacts[0]#",
            "cannot name",
            "letters",
        ),
        (
            r#"masses: {"x": 1, "y": 1}"#,
            r#"{"a": Coulomb(on: "z", mu: 0.3)}"#,
            "system.contacts.a.on",
            "unknown coordinate `z`",
            "",
        ),
        (
            r#"masses: {"x": 1, "y": 1}, modes: ["a:glide"]"#,
            friction,
            "system.modes[0]",
            "`a:glide` is no state of contact `a`",
            "a:slip+",
        ),
        (
            r#"masses: {"x": 1, "y": 1}, symmetry: {"x": "-y", "y": "-x"}"#,
            friction,
            "system.symmetry",
            "`a` has no image",
            "same kind",
        ),
        (
            r#"masses: {"x": 1, "y": 1}, forces: {"x": 0.5}, start: {"x": 0}"#,
            r#"{"wall": Gap(on: "x", restitution: 0.5)}"#,
            "system.contacts.wall",
            "rests on its obstacle",
            "`rest: 1e-6`",
        ),
        (
            r#"masses: {"x": 1, "y": 1}, springs: [Spring(on: "y", against: Coordinate("x"), stiffness: 2)], cyclic: ["x"]"#,
            friction,
            "system.cyclic[0]",
            "`x` is said to be cyclic, but the force on `x` depends on it",
            "leave it out",
        ),
        (
            r#"masses: {"x": 1, "y": 1}, cyclic: ["z"]"#,
            friction,
            "system.cyclic[0]",
            "`z`",
            "",
        ),
    ];
    for (structure, contacts, path, message, help) in cases {
        let text = format!(
            "Study(title: \"bad\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"k\": 1}}, {structure}, contacts: {contacts}))"
        );
        let study = study::parse("study.ron".as_ref(), text.clone()).unwrap_or_else(|e| panic!("{e}"));
        let errors = study
            .spec
            .system
            .unwrap()
            .build("system")
            .err()
            .unwrap_or_else(|| panic!("{text}"));
        let found = errors
            .iter()
            .find(|e| e.path == path && e.to_string().contains(message));
        let found = found.unwrap_or_else(|| panic!("{path} {message}: {errors:?}"));
        assert!(found.help().unwrap_or_default().contains(help), "{:?}", found.help());
    }
}

/// A block that sticks and slips on a belt drives a chain of others, each by the one before it and none back: however
/// many there are, and however little the last ones move, the orbit has the block's period, and the others add
/// multipliers of the product that Liouville's formula gives.
#[test]
fn a_long_chain_is_solved_in_closed_form() {
    let mut rng = StdRng::seed_from_u64(2026);
    for length in [7, rng.random_range(8..12), rng.random_range(12..20)] {
        let mut number = |range: std::ops::Range<f64>| rng.random_range(range);
        let (mu_s, mu_d) = (number(0.5..0.8), number(0.2..0.4));
        let damping: Vec<f64> = (0..length).map(|_| number(0.1..0.4)).collect();
        let mut springs = "Spring(on: \"b\", stiffness: 1)".to_owned();
        let mut forces = String::new();
        for (i, c) in damping.iter().enumerate() {
            write!(
                springs,
                ", Spring(on: \"x{i}\", stiffness: {:?}, damping: {c:?})",
                number(0.5..4.0)
            )
            .unwrap();
            let driver = if i == 0 { "b".to_owned() } else { format!("x{}", i - 1) };
            write!(forces, "\"x{i}\": \"0.3 + {:?}*{driver}\", ", number(0.02..0.05)).unwrap();
        }
        let others: Vec<String> = (0..length).map(|i| format!("x{i}")).collect();
        let masses: String = others.iter().map(|x| format!(", \"{x}\": 1")).collect();
        let text = format!(
            r#"Study(title: "t", system: Mechanical(
                coordinates: ["b", "{}"], parameters: {{"v0": 0.1}}, masses: {{"b": 1{masses}}}, springs: [{springs}], forces: {{{forces}}},
                contacts: {{"c": Stiction(on: "b", against: Belt("v0"), mu_s: {mu_s:?}, mu_d: {mu_d:?})}}, start: {{"v_b": "v0"}}),
            curves: [Curve(name: "c", orbit: Periodic("c:slip- c:land c:stick c:release-"), start: Settle(at: {{"v0": 0.1}}),
                free: "v0", range: (0.08, 0.12))])"#,
            others.join("\", \"")
        );
        let result = run(&text, &[]);
        let curve = curve(&result, "c");
        assert!(
            points(curve).len() >= 3 && result.missing.is_empty(),
            "{:?}",
            result.missing
        );
        for point in points(curve) {
            let v0 = super::support::value(curve, point, "v0");
            let rise = mu_s - mu_d;
            let period = PI + 2.0 * (v0 / rise).atan() + 2.0 * rise / v0;
            assert_close("period", super::support::value(curve, point, "period"), period, 1e-11);
            let found: f64 = point.record.multipliers[..2 * length].iter().map(|m| m.log10).sum();
            let wanted = -damping.iter().sum::<f64>() * period / LN_10;
            assert!(
                (found - wanted).abs() < 1e-9 * (1.0 - wanted),
                "{length}: {found} {wanted}"
            );
        }
    }
}

/// A forced structure with friction whose rates differ by orders of magnitude is computed in other units. Its modes stay
/// linear there, with the phase of the forcing.
#[test]
fn modes_stay_linear_in_other_units() {
    let system = built(
        r#"Mechanical(coordinates: ["x", "y"], parameters: {"omega": 0.5}, forcing: Forcing(period: "2*pi/omega"),
            masses: {"x": 1, "y": 1}, springs: [Spring(on: "x", stiffness: 1, damping: 0.02), Spring(on: "y", stiffness: 1296, damping: 0.7)],
            forces: {"x": "cos(omega*t)", "y": "cos(omega*t)"}, contacts: {"rub": Coulomb(on: "x", mu: 0.03)})"#,
    );
    let mut rng = StdRng::seed_from_u64(36);
    for _ in 0..8 {
        let unit = |state: &slipstick_system::State| match state.period {
            Some(_) => 1.0,
            None => f64::from(rng.random_range(-12..12)).exp2(),
        };
        let units = slipstick_system::Units {
            states: system.states.iter().map(unit).collect(),
            time: f64::from(rng.random_range(-8..8)).exp2(),
        };
        let rescaled = system.in_units(units, &|_, _| 0.25);
        let p = rescaled.default_parameters();
        for mode in 0..rescaled.modes.len() {
            let flow = ModeFlow::new(&rescaled, mode, FlowOptions::default());
            assert_eq!(
                flow.kind(&p),
                slipstick_flow::FlowKind::Linear,
                "{}",
                rescaled.modes[mode].name
            );
        }
    }
}

/// A friction damper that sticks all the time may stick anywhere: the multiplier of its place is ν = -1 along the whole
/// branch, where nothing bifurcates. The labels are those of the response, by its closed form.
#[test]
fn a_damper_that_always_sticks_breaks_no_symmetry() {
    let study = r#"Study(
        title: "An oscillator with a friction damper",
        system: Mechanical(
            coordinates: ["q", "d"],
            parameters: {"Omega": 0.5, "F": 0.1, "zeta": 0.05, "k": 0.5, "mu": 0.2},
            forcing: Forcing(period: "2*pi/Omega"),
            masses: {"q": 1, "d": 0.05},
            springs: [Spring(on: "q", stiffness: 1, damping: "2*zeta"), Spring(on: "q", against: Coordinate("d"), stiffness: "k")],
            forces: {"q": "F*cos(Omega*t)"},
            contacts: {"rub": Coulomb(on: "d", mu: "mu")},
            symmetry: {"q": "-q", "d": "-d", "phase": "phase + pi"},
            require: ["Omega > 0"],
        ),
        curves: [Curve(
            name: "stuck",
            orbit: Symmetric("rub:stick"),
            start: Settle(at: {"Omega": 0.5}),
            free: "Omega",
            range: (0.4, 3),
        )],
    )"#;
    let result = run(study, &[]);
    let stuck = curve(&result, "stuck");
    let labels: Vec<Label> = points(stuck).iter().filter_map(|p| p.label).collect();
    assert!(!labels.contains(&Label::SB), "{labels:?}");
    assert!(points(stuck).iter().any(|p| p.message.contains("stays at -1")));
    for p in points(stuck) {
        let w = column(stuck, p, "Omega");
        let amplitude = 0.1 / ((1.5 - w * w).powi(2) + (0.1 * w).powi(2)).sqrt();
        assert_close("max_abs_q", column(stuck, p, "max_abs_q"), amplitude, 1e-9);
    }
    // Where k |q| reaches the level of friction, the damper begins to slip.
    let slips = only(stuck, Label::OV);
    assert_close("level", 0.5 * column(stuck, slips, "max_abs_q"), 0.2, 1e-9);
}

#[test]
fn constants_of_contacts_stay_in_their_ranges_along_curves() {
    let system = built(
        r#"Mechanical(
            coordinates: ["x", "y"], masses: {"x": 1, "y": "m"}, springs: [Spring(on: "x", stiffness: 1), Spring(on: "y", stiffness: 1)],
            parameters: {"m": 2, "mu": 0.3, "mu_s": 0.5, "N": 1, "e": 0, "g": 0.5},
            contacts: {
                "belt": Stiction(on: "x", mu_s: "mu_s", mu_d: "mu", normal: "N"),
                "wall": Gap(on: "y", distance: "g", restitution: "e", rest: 1e-6),
            },
        )"#,
    );
    let usual = system.default_parameters();
    let allowed = |name: &str, value: f64| {
        let mut parameters = usual.clone();
        parameters[system.parameter(name).unwrap()] = value;
        system.check_requirements(&parameters).is_ok()
    };
    for (name, value, wanted) in [
        ("m", 0.1, true),
        ("m", -0.1, false),
        ("mu", 0.0, true),
        ("mu", -1e-9, false),
        ("mu", 0.5, true),
        ("mu", 0.51, false),
        ("N", 0.0, false),
        ("e", 0.0, true),
        ("e", 1.0, true),
        ("e", 1.01, false),
        ("g", 0.0, true),
        ("g", -0.1, false),
    ] {
        assert_eq!(allowed(name, value), wanted, "{name} = {value}");
    }
}
