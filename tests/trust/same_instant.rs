//! Equal impact oscillators whose hits come at one instant: the order of the events is that of their declaration, an
//! orbit has one word, and what happens along a curve is what happens to one oscillator, in closed form.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use nalgebra::Complex;
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;
use std::f64::consts::TAU;

/// x'' + c x' + x = F cos(w t) with a wall at x = 1 that returns e of the speed: one hit in each period.
struct Impacts {
    c: f64,
    e: f64,
    w: f64,
    /// The amplitude at F = 1 of the motion that meets no wall, and its parts in and out of phase.
    response: (f64, f64, f64),
    /// Of an orbit with speed v before the hit the motion without a wall is at 1 - a v then, with velocity b v.
    linear: (f64, f64),
    /// The way through a period without a hit.
    way: [[f64; 2]; 2],
}

impl Impacts {
    fn new(c: f64, e: f64, w: f64) -> Self {
        let (damping, frequency, period) = (0.5 * c, (1.0 - 0.25 * c * c).sqrt(), TAU / w);
        let (sin, cos) = (frequency * period).sin_cos();
        let decay = (-damping * period).exp();
        let way = [
            [decay * (cos + damping / frequency * sin), decay * sin / frequency],
            [-decay * sin / frequency, decay * (cos - damping / frequency * sin)],
        ];
        // From (a v, -e v - b v) after the hit to (a v, v - b v) before the next one.
        let (p, q, r, s) = (way[0][0] - 1.0, -way[0][1], way[1][0], 1.0 - way[1][1]);
        let (f, g) = (e * way[0][1], 1.0 + e * way[1][1]);
        let determinant = p * s - q * r;
        let (real, imaginary) = (1.0 - w * w, c * w);
        let square = real * real + imaginary * imaginary;
        Self {
            c,
            e,
            w,
            response: (square.sqrt().recip(), real / square, imaginary / square),
            linear: ((f * s - q * g) / determinant, (p * g - r * f) / determinant),
            way,
        }
    }

    /// At these amplitudes of the force the motion grazes the wall, and the orbits with a hit have their fold, if they
    /// have one of positive speed.
    fn grazing(&self) -> f64 {
        self.response.0.recip()
    }

    fn fold(&self) -> Option<f64> {
        let (a, b) = self.linear;
        let square = 1.0 - a * a / (a * a + (b / self.w).powi(2));
        (a > 0.0).then(|| square.sqrt() / self.response.0)
    }

    /// The multipliers of the orbits with one hit in a period.
    fn multipliers(&self, force: f64) -> Vec<[Complex<f64>; 2]> {
        let (a, b) = self.linear;
        let (leading, size) = (a * a + (b / self.w).powi(2), force * self.response.0);
        let root = (a * a - leading * (1.0 - size * size)).sqrt();
        let speeds = [(a + root) / leading, (a - root) / leading];
        let of = |v: f64| {
            let (x, y) = (1.0 - a * v, b * v / self.w);
            let (in_phase, out) = (force * self.response.1, force * self.response.2);
            let push = force * (in_phase * x + out * y) / (size * size);
            let (before, after) = (push - 1.0 - self.c * v, push - 1.0 + self.c * self.e * v);
            let kick = (after + self.e * before) / v;
            let m = |i: usize| {
                let [x, v] = [self.way[0][i], self.way[1][i]];
                [-self.e * x, kick * x - self.e * v]
            };
            let (trace, determinant) = (m(0)[0] + m(1)[1], m(0)[0] * m(1)[1] - m(0)[1] * m(1)[0]);
            let root = (Complex::from(0.25 * trace * trace - determinant)).sqrt();
            [Complex::from(0.5 * trace) + root, Complex::from(0.5 * trace) - root]
        };
        speeds.into_iter().filter(|v| *v > 0.0).map(of).collect()
    }
}

/// How a study of several equal oscillators is written.
struct Written {
    /// The oscillators in the order of their coordinates, and that in which their walls are declared.
    coordinates: Vec<usize>,
    walls: Vec<usize>,
    /// As equations with events rather than as masses with contacts.
    as_equations: bool,
    /// Is every other one a mirror image, with the force and the wall on the other side?
    mirrored: bool,
    start: Vec<(f64, f64)>,
    /// The stiffness of springs between neighbours.
    coupling: f64,
}

impl Written {
    fn of(random: &mut Random, count: usize) -> Self {
        let mut order = || -> Vec<usize> {
            let mut left: Vec<usize> = (0..count).collect();
            (0..count).map(|_| left.swap_remove(random.below(left.len()))).collect()
        };
        let (coordinates, walls) = (order(), order());
        Self {
            coordinates,
            walls,
            as_equations: random.below(2) == 0,
            mirrored: random.below(2) == 0,
            start: (0..count)
                .map(|_| (random.between(-0.5, 0.5), random.between(-0.5, 0.5)))
                .collect(),
            coupling: 0.0,
        }
    }

    /// The word in which all hit together.
    fn word(&self) -> String {
        let hits: Vec<String> = self.walls.iter().map(|k| format!("w{k}:hit")).collect();
        let mode: Vec<String> = self.walls.iter().map(|k| format!("w{k}:open")).collect();
        let mode = if self.as_equations {
            "o".to_owned()
        } else {
            mode.join(",")
        };
        hits.iter()
            .map(|hit| format!("{mode} {}", self.event(hit)))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn event(&self, hit: &str) -> String {
        if self.as_equations {
            hit.replace(":hit", "")
        } else {
            hit.to_owned()
        }
    }

    fn study(&self, of: &Impacts, force: f64, range: (f64, f64)) -> String {
        let (c, e, w) = (of.c, of.e, of.w);
        let sign = |k: usize| if self.mirrored && k % 2 == 1 { -1.0 } else { 1.0 };
        let all = |order: &[usize], f: &dyn Fn(usize) -> String| -> String {
            order.iter().map(|k| f(*k)).collect::<Vec<_>>().join(", ")
        };
        let own = &self.coordinates[..];
        let system = if self.as_equations {
            let pull = |k: usize| -> String {
                let near = [k.checked_sub(1), Some(k + 1).filter(|j| *j < own.len())];
                near.into_iter()
                    .flatten()
                    .map(|j| format!(" - {:?}*(x{k} - x{j})", self.coupling))
                    .collect()
            };
            let states = all(own, &|k| format!("\"x{k}\", \"v{k}\""));
            let equations = all(own, &|k| {
                format!(
                    "\"x{k}' = v{k}\", \"v{k}' = -x{k} - {c:?}*v{k} + {:?}*F*cos({w:?}*t){}\"",
                    sign(k),
                    pull(k)
                )
            });
            let events = all(&self.walls, &|k| {
                let (side, direction) = if sign(k) > 0.0 { ("-", "Up") } else { ("+", "Down") };
                format!(
                    "\"w{k}\": Event(guard: \"x{k} {side} 1\", direction: {direction}, to: \"o\", reset: {{\"v{k}\": \"-{e:?}*v{k}\"}})"
                )
            });
            let start = all(own, &|k| {
                format!("\"x{k}\": {:?}, \"v{k}\": {:?}", self.start[k].0, self.start[k].1)
            });
            format!(
                "Hybrid(states: [{states}], parameters: {{\"F\": {force:?}}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
                 modes: {{\"o\": Mode(equations: [{equations}], events: {{{events}}})}}, start: Start(mode: \"o\", at: {{{start}}}))"
            )
        } else {
            let springs = all(own, &|k| format!("Spring(on: \"x{k}\", stiffness: 1, damping: {c:?})"));
            let between: String = (1..own.len())
                .map(|k| {
                    let before = k - 1;
                    format!(
                        ", Spring(on: \"x{k}\", against: Coordinate(\"x{before}\"), stiffness: {:?})",
                        self.coupling
                    )
                })
                .collect();
            let contacts = all(&self.walls, &|k| {
                let side = if sign(k) > 0.0 { "Above" } else { "Below" };
                format!("\"w{k}\": Gap(on: \"x{k}\", distance: 1, restitution: {e:?}, side: {side})")
            });
            let start = all(own, &|k| {
                format!("\"x{k}\": {:?}, \"v_x{k}\": {:?}", self.start[k].0, self.start[k].1)
            });
            format!(
                "Mechanical(coordinates: [{}], parameters: {{\"F\": {force:?}}}, forcing: Forcing(period: \"2*pi/{w:?}\"), masses: {{{}}}, \
                 springs: [{springs}{between}], forces: {{{}}}, contacts: {{{contacts}}}, start: {{{start}}})",
                all(own, &|k| format!("\"x{k}\"")),
                all(own, &|k| format!("\"x{k}\": 1")),
                all(own, &|k| format!("\"x{k}\": \"{:?}*F*cos({w:?}*t)\"", sign(k))),
            )
        };
        format!(
            "Study(title: \"together\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"{}\"), \
             start: Settle(at: {{\"F\": {force:?}}}), free: \"F\", range: {range:?}, switch: Auto)])",
            self.word()
        )
    }
}

/// A member of a class: an oscillator whose orbits with a hit begin at a fold below the grazing.
fn with_fold(random: &mut Random) -> (Impacts, f64) {
    loop {
        let of = Impacts::new(
            random.between(0.1, 0.2),
            random.between(0.55, 0.75),
            random.between(1.4, 1.9),
        );
        if let Some(fold) = of.fold().filter(|fold| *fold < 0.97 * of.grazing()) {
            return (of, fold);
        }
    }
}

/// What is wrong with the multipliers of the first curve where it starts.
fn multipliers_at(result: &RunResult, of: &Impacts, force: f64, count: usize) -> Result<(), String> {
    const TOLERANCE: f64 = 1e-7;
    let curve = result
        .curves
        .first()
        .filter(|c| !c.is_empty())
        .ok_or(format!("{:?}", result.missing))?;
    let (_, _, point) = curve
        .points()
        .min_by(|a, b| {
            let off = |p: f64| (p - force).abs();
            off(a.2.point.parameter()).total_cmp(&off(b.2.point.parameter()))
        })
        .ok_or("no points")?;
    let known = of.multipliers(point.point.parameter());
    let found: Vec<Complex<f64>> = point.record.multipliers.iter().filter_map(|m| m.to_complex()).collect();
    let agrees = |pair: &[Complex<f64>; 2]| {
        let times = |m: &Complex<f64>| found.iter().filter(|f| (**f - m).norm() <= TOLERANCE).count();
        pair.iter().all(|m| times(m) == count)
    };
    if found.len() == 2 * count && known.iter().any(agrees) {
        Ok(())
    } else {
        Err(format!(
            "at F = {}: {found:?} where {known:?} are known",
            point.point.parameter()
        ))
    }
}

/// Does the motion come to an orbit of a longer period than the force, which is another one than that which is known?
fn is_longer(result: &RunResult, period: f64) -> bool {
    let found = |why: String| -> Option<f64> {
        let after = why.split("and period ").nth(1)?;
        after.split(',').next()?.parse().ok()
    };
    let all = result.missing.iter().map(|missing| format!("{missing:?}"));
    all.filter_map(found).any(|found| found > 1.5 * period)
}

#[test]
fn oscillators_that_settle_to_hits_at_one_instant_have_the_declared_word() {
    let class = "hits at one instant";
    let count = members(8);
    let (mut wrong, mut known) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (of, fold) = with_fold(&mut random);
        let number = 2 + random.below(2);
        let written = Written::of(&mut random, number);
        let force = of.grazing().max(fold) * random.between(1.05, 1.1);
        let text = written.study(&of, force, (0.999 * force, 1.001 * force));
        let result = run(&text);
        if is_longer(&result, TAU / of.w) {
            continue;
        }
        known += 1;
        if let Err(why) = multipliers_at(&result, &of, force, number) {
            wrong.push((member, format!("{why}\n{text}")));
        }
    }
    assert!(
        2 * known >= count,
        "only {known} of {count} members have the period of the force"
    );
    none_wrong(class, count, &wrong);
}

#[test]
fn hits_that_exchange_their_order_are_no_bifurcation() {
    let class = "hits in another order";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (of, fold) = with_fold(&mut random);
        let mut written = Written::of(&mut random, 2);
        // Both begin alike, so that both come to the same orbit.
        let (x, v) = written.start[0];
        written.start[1] = if written.mirrored { (-x, -v) } else { (x, v) };
        let force = of.grazing() * 1.02;
        let text = written.study(&of, force, (0.9 * fold, 1.05 * of.grazing()));
        let result = run(&text);
        let Some(curve) = result.curves.iter().find(|c| c.name == "c" && !c.is_empty()) else {
            if !is_longer(&result, TAU / of.w) {
                wrong.push((member, format!("{:?}\n{text}", result.missing)));
            }
            continue;
        };
        let place = |label: Label, at: f64| match label {
            Label::LP | Label::BP => (at - fold).abs() <= 1e-9 * fold,
            Label::GR => (at - of.grazing()).abs() <= 1e-9 * fold,
            Label::PD => true,
            _ => false,
        };
        let strange: Vec<String> = labels(curve)
            .into_iter()
            .filter(|(label, at, _)| !place(*label, *at))
            .map(|(label, at, point)| format!("{label} at {at:?}: {}", point.record.period))
            .collect();
        let lost = curve
            .points()
            .any(|(_, _, p)| p.message.contains("no neighbouring word"));
        if !strange.is_empty() || lost {
            wrong.push((member, format!("{strange:?}, lost: {lost}, {}\n{text}", curve.words())));
        }
    }
    none_wrong(class, count, &wrong);
}
