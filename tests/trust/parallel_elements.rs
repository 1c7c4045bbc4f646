//! Masses with several elastic friction elements side by side (Iwan's model): what unloads together yields together, so
//! that segments between two events of one instant take no time.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members_at_least};
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;
use std::f64::consts::PI;

/// x'' + c x' + k x + the forces of elements = F cos(w t), each element a spring that slips at its limit.
struct Iwan {
    k: f64,
    c: f64,
    force: f64,
    /// Stiffness, and the strain at which each slips.
    elements: Vec<(f64, f64)>,
}

/// Units of mass, length and time.
struct Units(f64, f64, f64);

/// The motion of a mass and the strains of its elements.
#[derive(Clone)]
struct Motion {
    x: f64,
    v: f64,
    strains: Vec<f64>,
    slips: Vec<bool>,
    /// Which way it goes.
    way: f64,
}

impl Iwan {
    fn of(random: &mut Random) -> Self {
        let count = 2 + random.below(2);
        let elements = (0..count).map(|_| (random.between(0.2, 1.0), random.between(0.05, 0.2)));
        Self {
            elements: elements.collect(),
            k: random.between(0.2, 1.0),
            c: random.between(0.02, 0.1),
            force: random.between(0.5, 1.0),
        }
    }

    fn stiffness(&self) -> f64 {
        self.elements.iter().map(|element| element.0).sum()
    }

    /// The word of a large amplitude: all stick, and slip one after the other.
    fn word(&self) -> String {
        let mut order: Vec<usize> = (0..self.elements.len()).collect();
        order.sort_by(|a, b| self.elements[*a].1.total_cmp(&self.elements[*b].1));
        let mode = |slipping: &[usize]| {
            let state = |i: usize| if slipping.contains(&i) { "slip+" } else { "stick" };
            let all: Vec<String> = (0..order.len()).map(|i| format!("j{i}:{}", state(i))).collect();
            all.join(",")
        };
        let modes: Vec<String> = (0..=order.len()).map(|n| mode(&order[..n])).collect();
        format!("Symmetric(\"{}\")", modes.join(" "))
    }

    fn study(&self, &Units(mass, length, time): &Units, (word, start, range): (&str, f64, (f64, f64))) -> String {
        let stiffness = mass / (time * time);
        let elements = self.elements.iter().enumerate().map(|(i, (k, strain))| {
            let (k, limit) = (k * stiffness, k * strain * stiffness * length);
            format!("\"j{i}\": Jenkins(on: \"x\", k_t: {k:?}, limit: {limit:?})")
        });
        let elements: Vec<String> = elements.collect();
        let (k, c, force) = (
            self.k * stiffness,
            self.c * mass / time,
            self.force * stiffness * length,
        );
        let (start, lo, hi) = (start / time, range.0 / time, range.1 / time);
        format!(
            "Study(title: \"Iwan\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"w\": {start:?}, \"F\": {force:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), masses: {{\"x\": {mass:?}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, \
             damping: {c:?})], forces: {{\"x\": \"F*cos(w*t)\"}}, contacts: {{{}}}, symmetry: {{\"x\": \"-x\", \"phase\": \"phase + \
             pi\"}}), curves: [Curve(name: \"f\", orbit: {word}, start: Settle(at: {{\"w\": {start:?}}}), free: \"w\", range: \
             ({lo:?}, {hi:?}), switch: Auto)])",
            elements.join(", ")
        )
    }

    /// Does none stick all along? Only then motions forget what strains they began with.
    fn all_slip(&self, word: &str) -> bool {
        (0..self.elements.len()).all(|i| word.contains(&format!("j{i}:slip")))
    }

    /// The motion so long after time `t`, if nothing yields or turns before.
    fn moved(&self, w: f64, t: f64, from: &Motion, h: f64) -> Motion {
        let rates = |t: f64, x: f64, v: f64, gone: f64| {
            let held = self.elements.iter().zip(from.strains.iter().zip(&from.slips));
            let pull: f64 = held
                .map(|((k, _), (strain, slips))| k * (strain + if *slips { 0.0 } else { gone }))
                .sum();
            (v, self.force * (w * t).cos() - self.c * v - self.k * x - pull)
        };
        let stage = |by: f64, (dx, dv): (f64, f64)| rates(t + by, from.x + by * dx, from.v + by * dv, by * dx);
        let a = stage(0.0, (0.0, 0.0));
        let b = stage(0.5 * h, a);
        let c = stage(0.5 * h, b);
        let d = stage(h, c);
        let by = |a: f64, b: f64, c: f64, d: f64| h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
        let gone = by(a.0, b.0, c.0, d.0);
        let strains = from.strains.iter().zip(&from.slips);
        Motion {
            x: from.x + gone,
            v: from.v + by(a.1, b.1, c.1, d.1),
            strains: strains.map(|(s, slips)| if *slips { *s } else { s + gone }).collect(),
            ..from.clone()
        }
    }

    /// Has something yielded, or has the mass turned?
    fn is_over(&self, m: &Motion) -> bool {
        let mut held = self.elements.iter().zip(m.strains.iter().zip(&m.slips));
        m.v * m.way < 0.0 || held.any(|((_, limit), (strain, slips))| !slips && strain * m.way > *limit)
    }

    /// The amplitude of the motion into which the mass settles.
    fn amplitude(&self, w: f64) -> f64 {
        const STEPS: usize = 2000;
        const LAPS: usize = 400;
        let h = 2.0 * PI / w / STEPS as f64;
        let count = self.elements.len();
        let mut m = Motion {
            x: 0.0,
            v: 1e-3,
            strains: vec![0.0; count],
            slips: vec![false; count],
            way: 1.0,
        };
        let mut last = f64::INFINITY;
        for _ in 0..LAPS {
            let mut largest: f64 = 0.0;
            for step in 0..STEPS {
                let (mut t, mut left) = (step as f64 * h, h);
                loop {
                    let next = self.moved(w, t, &m, left);
                    if !self.is_over(&next) {
                        m = next;
                        break;
                    }
                    let (mut lo, mut hi) = (0.0, left);
                    while 0.5 * (lo + hi) > lo && 0.5 * (lo + hi) < hi && hi - lo > 1e-15 * h {
                        let middle = 0.5 * (lo + hi);
                        let over = self.is_over(&self.moved(w, t, &m, middle));
                        if over { hi = middle } else { lo = middle }
                    }
                    m = self.moved(w, t, &m, hi);
                    (t, left) = (t + hi, left - hi);
                    if m.v * m.way < 0.0 {
                        largest = largest.max(m.x.abs());
                        m.way = -m.way;
                        m.slips.fill(false);
                    }
                    for (i, (_, limit)) in self.elements.iter().enumerate() {
                        if !m.slips[i] && m.strains[i] * m.way > limit * (1.0 - 1e-12) {
                            m.slips[i] = true;
                            m.strains[i] = limit * m.way;
                        }
                    }
                }
            }
            if (largest - last).abs() <= 1e-12 * largest {
                return largest;
            }
            last = largest;
        }
        last
    }
}

/// The result, in the word that `Settle` names where it is another one than that of the study.
fn settled(study: &dyn Fn(&str) -> String, first: &str) -> RunResult {
    let mut word = first.to_owned();
    loop {
        let result = run(&study(&word));
        let missing = format!("{:?}", result.missing).replace('\\', "");
        let named = missing.split_once("orbit: ").and_then(|(_, rest)| rest.split_once(')'));
        match named.map(|(named, _)| format!("{named})")) {
            Some(named) if result.curves.is_empty() && named != word => word = named,
            _ => return result,
        }
    }
}

/// A mass with two or three elements, over the frequency in any units: the curve goes on where the mass stops for a
/// moment, unloads all elements by as much, and they yield together, and its amplitudes are those of the motion.
#[test]
fn elements_that_unload_together_yield_together() {
    let class = "parallel elements";
    let count = members_at_least(12);
    let (mut wrong, mut yielding) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let iwan = Iwan::of(&mut random);
        let mut unit = || random.log_between(1e-3, 1e3);
        let units = Units(unit(), unit(), unit());
        let range = (0.35 * iwan.k.sqrt(), 1.2 * (iwan.k + iwan.stiffness()).sqrt());
        // From where all elements slip once each way, downwards through what begins there, and from beyond, upwards.
        for start in [0.75 * (iwan.k + 0.3 * iwan.stiffness()).sqrt(), 1.05 * range.0] {
            let study = |word: &str| iwan.study(&units, (word, start, range));
            let result = settled(&study, &iwan.word());
            let text = study(&iwan.word());
            if result.curves.is_empty() {
                wrong.push((member, format!("{:?}\n{text}", result.missing)));
                continue;
            }
            let found = curve(&result, "f");
            let column = found.monitors.iter().position(|name| name == "max_abs_x").unwrap();
            let labelled = found.points().filter_map(|(_, _, p)| Some((p.label?, p)));
            let labelled: Vec<_> = labelled.collect();
            if labelled.iter().filter(|(label, _)| *label == Label::EP).count() != 2 {
                let said = labelled.iter().map(|(_, p)| (p.point.parameter(), &p.message));
                wrong.push((member, format!("{:?}\n{text}", said.collect::<Vec<_>>())));
            }
            let pieces = || found.pieces.iter().filter(|piece| iwan.all_slip(&piece.word));
            yielding += pieces().filter(|piece| yield_again(&piece.word)).count();
            for piece in pieces() {
                let points = &piece.branch.points;
                let p = &points[points.len() / 2];
                let (w, amplitude) = (p.point.parameter() * units.2, p.record.monitors[column] / units.1);
                let known = iwan.amplitude(w);
                if (amplitude - known).abs() > 1e-8 * known {
                    let at = p.point.parameter();
                    wrong.push((member, format!("at w = {at:?}: {amplitude:?}, not {known:?}\n{text}")));
                }
            }
        }
    }
    none_wrong(class, count, &wrong);
    assert!(yielding > 0, "no elements yield together");
}

/// Do elements yield in the one direction in which they have just been unloaded?
fn yield_again(word: &str) -> bool {
    word.matches(":release+").count() > 1 && word.contains(":release-")
}
