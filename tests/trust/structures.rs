//! Structures given by coordinates that all act on each other, with friction at points between them: every mode is
//! solved in closed form, and motions and orbits are those of the matrix exponential, with the forces of contacts that
//! stick found by elimination.

use super::random::{Random, members};
use nalgebra::{DMatrix, DVector};
use slipstick_flow::{
    AfterTransient, FlowKind, FlowOptions, ModeFlow, SimulationOptions, TransientOptions, run_transient, simulate,
};
use slipstick_study as study;
use slipstick_system::System;
use std::fmt::Write;

/// Friction at a point, or between two.
struct Contact {
    shape: DVector<f64>,
    sticks: f64,
    slips: f64,
    belt: f64,
    /// How it is declared.
    text: String,
}

struct Structure {
    mass: DMatrix<f64>,
    damping: DMatrix<f64>,
    stiffness: DMatrix<f64>,
    /// The shape of the force, with its amplitude.
    force: DVector<f64>,
    omega: f64,
    contacts: Vec<Contact>,
    /// The declaration.
    text: String,
}

/// A symmetric matrix with a diagonal that grows from `least` to `most`, and what couples it.
fn symmetric(random: &mut Random, n: usize, (least, most): (f64, f64), coupling: f64) -> DMatrix<f64> {
    let mut all = DMatrix::zeros(n, n);
    for i in 0..n {
        all[(i, i)] = least + (most - least) * i as f64 / n as f64;
        for j in 0..i {
            all[(i, j)] = coupling * random.between(-1.0, 1.0) / n as f64;
            all[(j, i)] = all[(i, j)];
        }
    }
    all
}

/// Its rows, each entry times a parameter if there is one.
fn rows(matrix: &DMatrix<f64>, by: Option<&str>) -> String {
    let entry = |v: &f64| by.map_or_else(|| format!("{v:?}"), |name| format!("\"{name}*{v:?}\""));
    let row = |i: usize| matrix.row(i).iter().map(entry).collect::<Vec<_>>().join(", ");
    let all: Vec<String> = (0..matrix.nrows()).map(|i| format!("[{}]", row(i))).collect();
    format!("[{}]", all.join(", "))
}

impl Structure {
    fn draw(random: &mut Random) -> Self {
        let n = 2 + random.below(23);
        let dense = random.below(2) == 0;
        // Formulas of parameters in a dense mass matrix grow with the third power of its size.
        let by = (n <= 10 && random.below(2) == 0).then_some("m");
        let mass = symmetric(random, n, (1.0, 2.0), if dense { 0.6 } else { 0.0 });
        let stiffness = symmetric(random, n, (1.0, 3.0 * n as f64), 0.5);
        let damping = symmetric(random, n, (0.1, 0.4), 0.05);
        let shape = |random: &mut Random| DVector::from_fn(n, |_, _| random.between(-1.0, 1.0));
        let omega = random.between(0.7, 2.5);
        let force = shape(random);
        let mut points = String::new();
        let mut named = |name: &str, shape: &DVector<f64>| {
            let parts: Vec<String> = shape
                .iter()
                .enumerate()
                .map(|(i, v)| format!("\"q{i}\": {v:?}"))
                .collect();
            write!(points, "\"{name}\": {{{}}}, ", parts.join(", ")).unwrap();
        };
        named("driven", &force);
        let amplitude = random.between(1.0, 2.0);
        let mut contacts = vec![];
        for c in 0..1 + random.below(n.min(3)) {
            let first = shape(random);
            named(&format!("p{c}"), &first);
            let (on, against, belt, shape) = match random.below(4) {
                0 => (
                    format!("q{c}"),
                    "Ground".to_owned(),
                    0.0,
                    DVector::from_fn(n, |i, _| f64::from(u8::from(i == c))),
                ),
                1 => {
                    let second = shape(random);
                    named(&format!("o{c}"), &second);
                    (format!("p{c}"), format!("Coordinate(\"o{c}\")"), 0.0, first - second)
                }
                2 => {
                    let belt = random.between(-0.5, 0.5);
                    (format!("p{c}"), format!("Belt({belt:?})"), belt, first)
                }
                _ => (format!("p{c}"), "Ground".to_owned(), 0.0, first),
            };
            let slips = random.between(0.05, 0.4);
            let (sticks, law) = if random.below(2) == 0 {
                (
                    slips,
                    format!("Coulomb(on: \"{on}\", against: {against}, mu: {slips:?})"),
                )
            } else {
                let sticks = slips * random.between(1.05, 1.6);
                (
                    sticks,
                    format!("Stiction(on: \"{on}\", against: {against}, mu_s: {sticks:?}, mu_d: {slips:?})"),
                )
            };
            let text = format!("\"c{c}\": {law}");
            contacts.push(Contact {
                shape,
                sticks,
                slips,
                belt,
                text,
            });
        }
        let names: Vec<String> = (0..n).map(|i| format!("\"q{i}\"")).collect();
        let laws: Vec<&str> = contacts.iter().map(|c| c.text.as_str()).collect();
        let start: Vec<String> = (0..n)
            .map(|i| {
                format!(
                    "\"q{i}\": {:?}, \"v_q{i}\": {:?}",
                    random.between(-1.0, 1.0),
                    random.between(-1.0, 1.0)
                )
            })
            .collect();
        let text = format!(
            "Mechanical(coordinates: [{}], parameters: {{\"m\": 1, \"omega\": {omega:?}}}, forcing: Forcing(period: \"2*pi/omega\"), \
             M: {}, C: {}, K: {}, points: {{{points}}}, forces: {{\"driven\": \"{amplitude:?}*cos(omega*t)\"}}, \
             contacts: {{{}}}, start: {{{}}})",
            names.join(", "),
            rows(&mass, by),
            rows(&damping, None),
            rows(&stiffness, None),
            laws.join(", "),
            start.join(", "),
        );
        Self {
            mass,
            damping,
            stiffness,
            force: force * amplitude,
            omega,
            contacts,
            text,
        }
    }

    /// The sign of slip of each contact in a mode; none in stick.
    fn signs(mode: &str) -> Vec<Option<f64>> {
        let sign = |part: &str| match &part[part.find(':').unwrap() + 1..] {
            "slip+" => Some(1.0),
            "slip-" => Some(-1.0),
            _ => None,
        };
        mode.split(',').map(sign).collect()
    }

    /// z' = A z of z = (q, q', cos ωt, sin ωt, 1) in a mode; and, for each contact that sticks, the row of the force that
    /// pulls at it, for each that slips that of its acceleration in the direction of slip.
    fn linear(&self, signs: &[Option<f64>]) -> (DMatrix<f64>, Vec<DVector<f64>>) {
        let n = self.mass.nrows();
        let size = 2 * n + 3;
        let stuck: Vec<usize> = (0..signs.len()).filter(|&c| signs[c].is_none()).collect();
        let mut left = DMatrix::zeros(n + stuck.len(), n + stuck.len());
        left.view_mut((0, 0), (n, n)).copy_from(&self.mass);
        let mut right = DMatrix::zeros(n + stuck.len(), size);
        right.view_mut((0, 0), (n, n)).copy_from(&-&self.stiffness);
        right.view_mut((0, n), (n, n)).copy_from(&-&self.damping);
        right.view_mut((0, 2 * n), (n, 1)).copy_from(&self.force);
        for (k, &c) in stuck.iter().enumerate() {
            let shape = &self.contacts[c].shape;
            left.view_mut((0, n + k), (n, 1)).copy_from(&-shape);
            left.view_mut((n + k, 0), (1, n)).copy_from(&shape.transpose());
        }
        for (contact, sign) in self.contacts.iter().zip(signs) {
            if let Some(sign) = sign {
                let mut column = right.view_mut((0, size - 1), (n, 1));
                column -= &contact.shape * (sign * contact.slips);
            }
        }
        let solved = left.lu().solve(&right).unwrap();
        let mut a = DMatrix::zeros(size, size);
        a.view_mut((0, n), (n, n)).fill_with_identity();
        a.view_mut((n, 0), (n, size)).copy_from(&solved.rows(0, n));
        (a[(2 * n, 2 * n + 1)], a[(2 * n + 1, 2 * n)]) = (-self.omega, self.omega);
        let row = |c: usize| match signs[c] {
            None => -solved.row(n + stuck.iter().position(|s| *s == c).unwrap()).transpose(),
            Some(sign) => (self.contacts[c].shape.transpose() * solved.rows(0, n)).transpose() * sign,
        };
        let rows = (0..signs.len()).map(row).collect();
        (a, rows)
    }

    /// By how much contact `c` is inside its state: below its level in stick, away from rest in slip.
    fn inside(&self, c: usize, sign: Option<f64>, row: &DVector<f64>, z: &DVector<f64>) -> f64 {
        let n = self.mass.nrows();
        match sign {
            None => self.contacts[c].sticks - row.dot(z).abs(),
            Some(sign) => sign * (self.contacts[c].shape.dot(&z.rows(n, n)) - self.contacts[c].belt),
        }
    }

    fn embedded(&self, x: &[f64]) -> DVector<f64> {
        let n = self.mass.nrows();
        let tail = [x[2 * n].cos(), x[2 * n].sin(), 1.0];
        DVector::from_iterator(2 * n + 3, x[..2 * n].iter().copied().chain(tail))
    }

    /// What is wrong with a stretch of motion in a mode from `x` over a time to `end`, at which `event` happens.
    fn judged(&self, mode: &str, x: &[f64], t: f64, end: &[f64], event: Option<&str>) -> Result<(), String> {
        const SAMPLES: i32 = 48;
        const TOLERANCE: f64 = 1e-9;
        let signs = Self::signs(mode);
        let (a, rows) = self.linear(&signs);
        let mut z = self.embedded(x);
        let size = 1.0 + z.amax();
        for (c, sign) in signs.iter().enumerate() {
            let inside = self.inside(c, *sign, &rows[c], &z);
            let leaves = sign.is_some() && inside.abs() < TOLERANCE && rows[c].dot(&z) < -TOLERANCE * size;
            if inside < -TOLERANCE * size || leaves {
                return Err(format!("`{mode}` begins outside: contact {c} by {inside:e}"));
            }
        }
        let step = (&a * (t / f64::from(SAMPLES))).exp();
        for _ in 1..SAMPLES {
            z = &step * z;
            for (c, sign) in signs.iter().enumerate() {
                let inside = self.inside(c, *sign, &rows[c], &z);
                if inside < -TOLERANCE * size {
                    return Err(format!("`{mode}` is left by contact {c}: {inside:e}"));
                }
            }
        }
        let z = (&a * t).exp() * self.embedded(x);
        let off = (&z - self.embedded(end)).amax();
        if !(off < TOLERANCE * size) {
            return Err(format!("`{mode}` over {t} ends off by {off:e}"));
        }
        if let Some(event) = event {
            let c = event[1..event.find(':').unwrap()].parse::<usize>().unwrap();
            let inside = self.inside(c, signs[c], &rows[c], &z);
            if !(inside.abs() < TOLERANCE * size) {
                return Err(format!("`{event}` happens at {inside:e}"));
            }
        }
        Ok(())
    }
}

fn built(text: &str) -> System {
    let text = format!("Study(title: \"structure\", system: {text})");
    let study = study::parse("study.ron".as_ref(), text.clone()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let built = study.spec.system.unwrap().build("system");
    built.unwrap_or_else(|e| panic!("{e:?}\n{text}")).system
}

#[test]
fn motions_and_orbits_of_structures_are_those_of_the_matrix_exponential() {
    let class = "structures with friction at points";
    let count = members(8);
    let (mut wrong, mut events, mut orbits) = (vec![], 0, 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let structure = Structure::draw(&mut random);
        let system = built(&structure.text);
        let p = system.default_parameters();
        for mode in 0..system.modes.len() {
            let flow = ModeFlow::new(&system, mode, FlowOptions::default());
            let unmade = system.modes[mode].name.starts_with("unmade:");
            assert!(
                unmade || flow.kind(&p) == FlowKind::Linear && flow.is_closed_nearby(&p),
                "{}",
                structure.text
            );
        }
        let judge = |mode: usize, x: &[f64], t: f64, end: &[f64], event: Option<usize>| {
            let (own, full) = (&system.modes[mode], |x: &[f64]| system.full_state(mode, x, &p));
            let event = event.map(|e| own.events[e].name.as_str());
            structure.judged(&own.name, &full(x), t, &full(end), event)
        };
        let options = SimulationOptions {
            t_end: 8.0,
            ..SimulationOptions::default()
        };
        let (mode, start) = system.start_at(&p);
        let run = simulate(&system, mode, &start, &p, &options).unwrap();
        for s in &run.segments {
            events += usize::from(s.event.is_some());
            if let Err(why) = judge(s.mode, &s.start, s.duration, &s.end, s.event) {
                wrong.push((member, format!("{why}\n{}", structure.text)));
                break;
            }
        }
        let settled = run_transient(&system, mode, &start, &p, &TransientOptions::default());
        let Ok(AfterTransient::Orbit(orbit)) = settled else {
            continue;
        };
        orbits += 1;
        let turns = orbit.period * structure.omega / std::f64::consts::TAU;
        assert!((turns - turns.round()).abs() < 1e-9, "{turns}\n{}", structure.text);
        for (k, &(mode, event)) in orbit.word.iter().enumerate() {
            let next = (k + 1) % orbit.word.len();
            let path = ModeFlow::new(&system, mode, FlowOptions::default());
            let mut end = orbit.starts[k].clone();
            path.advance(&orbit.starts[k], orbit.durations[k], &p, &mut end)
                .unwrap();
            let verdict = judge(mode, &orbit.starts[k], orbit.durations[k], &end, event);
            // And from where it ends the next segment begins.
            let (there, here) = (
                system.full_state(mode, &end, &p),
                system.full_state(orbit.word[next].0, &orbit.starts[next], &p),
            );
            let off = (structure.embedded(&there) - structure.embedded(&here)).amax();
            if let Err(why) = verdict.and(if off < 1e-8 {
                Ok(())
            } else {
                Err(format!("off by {off:e}"))
            }) {
                wrong.push((member, format!("orbit: {why}\n{}", structure.text)));
            }
        }
    }
    assert!(
        events > 5 * count && 2 * orbits > count,
        "{events} events, {orbits} orbits of {count}"
    );
    super::known::none_wrong(class, count, &wrong);
}
