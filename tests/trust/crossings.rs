//! An event is a crossing of its guard in its direction, to orbits as to simulations: segments that begin on the far
//! side of guards, orbits that take several periods of a forcing from one event to the next, and what is no orbit since
//! events accumulate.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members, members_at_least};
use slipstick_bifurcation::Label;
use std::f64::consts::{PI, TAU};

/// x'' + 2ζ x' + x = 0, where the speed falls through zero at the top, and loses J where x falls through zero: the next
/// segment begins with a negative speed, beyond the guard of the top. One lap lasts 2π/√(1 - ζ²), and begins with the
/// speed J e^{-ζT}/(1 - e^{-ζT}) + J downwards, for every J. Curves from simulations and from searches are the one that
/// the sweep finds.
#[test]
fn segments_begin_beyond_the_guard_that_ends_them() {
    let class = "beyond guards";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (zeta, kick) = (random.between(0.05, 0.4), random.log_between(0.2, 5.0));
        let (x, v) = (random.log_between(0.5, 2.0), random.log_between(0.5, 2.0));
        let text = format!(
            "Study(title: \"top\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"J\": {kick:?}}}, modes: {{\
             \"rises\": Mode(equations: [\"x' = {:?}*v\", \"v' = -{:?}*x - {:?}*v\"], events: {{\"top\": Event(guard: \"v\", direction: Down, to: \"falls\")}}), \
             \"falls\": Mode(equations: [\"x' = {:?}*v\", \"v' = -{:?}*x - {:?}*v\"], events: {{\"low\": Event(guard: \"x\", direction: Down, to: \"rises\", reset: {{\"v\": \"v - J\"}})}})}}, \
             start: Start(mode: \"rises\", at: {{\"x\": -0.5, \"v\": 0.3}})), \
             curves: [Curve(name: \"followed\", orbit: Periodic(\"rises falls\"), start: Settle(at: {{}}), free: \"J\", range: ({:?}, {:?})), \
             Curve(name: \"sought\", orbit: Periodic(\"rises falls\"), start: All(at: {{}}), free: \"J\", range: ({:?}, {:?}))], \
             attractors: [Attractors(name: \"seen\", sweep: \"J\", range: ({kick:?}, {:?}), count: 2, starts: 4)])",
            x / v,
            v / x,
            2.0 * zeta,
            x / v,
            v / x,
            2.0 * zeta,
            0.1 * kick,
            3.0 * kick,
            0.1 * kick,
            3.0 * kick,
            2.0 * kick,
        );
        let result = run(&text);
        let period = TAU / (1.0 - zeta * zeta).sqrt();
        let right = |name: &str| {
            let named: Vec<_> = result.curves.iter().filter(|c| c.name == name).collect();
            named.len() == 1 && {
                let (low, high) = named[0].covered();
                labels(named[0]).is_empty()
                    && low <= 0.1 * kick * (1.0 + 1e-12)
                    && high >= 3.0 * kick * (1.0 - 1e-12)
                    && named[0]
                        .points()
                        .all(|(_, _, p)| p.record.admissible() && (p.record.period - period).abs() < 1e-8)
            }
        };
        let seen = &result.attractors[0];
        if !(right("followed") && right("sought") && seen.missing.is_empty() && result.missing.is_empty()) {
            wrong.push((member, format!("{:?} {:?}\n{text}", result.missing, seen.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A ball on a table A sin ωt that returns e of its relative speed: the family that flies for n periods begins at the
/// fold A_n = n g π (1 - e)/((1 + e) ω²), with a stable and an unstable orbit above.
#[test]
fn balls_fly_for_several_periods() {
    let class = "long flights";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (e, w) = (random.between(0.55, 0.8), random.between(0.8, 1.3));
        let gravity = random.between(0.03, 0.05);
        let first = gravity * PI * (1.0 - e) / ((1.0 + e) * w * w);
        let at = 2.3 * first;
        let text = format!(
            "Study(title: \"ball\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"A\": {at:?}}}, forcing: Forcing(period: \"2*pi/({w:?})\"), \
             modes: {{\"fly\": Mode(equations: [\"x' = v\", \"v' = -({gravity:?})\"], events: {{\"hit\": Event(guard: \"x - A*sin(phase)\", direction: Down, to: \"fly\", \
             reset: {{\"v\": \"-({e:?})*v + (1 + ({e:?}))*A*({w:?})*cos(phase)\"}})}})}}, start: Start(mode: \"fly\", at: {{\"x\": {:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"fly hit\"), start: All(at: {{}}), free: \"A\", range: ({:?}, {:?}))])",
            4.0 * first,
            0.1 * first,
            2.6 * first,
        );
        let result = run(&text);
        let turns = TAU / w;
        for n in [1.0, 2.0] {
            let family = result.curves.iter().any(|c| {
                let folds = labels(c).into_iter().filter(|l| l.0 == Label::LP);
                let fold = n * first;
                let long = c
                    .points()
                    .all(|(_, _, p)| (p.record.period - n * turns).abs() < 1e-6 * turns);
                long && folds.map(|l| l.1).any(|a| (a - fold).abs() <= 1e-7 * fold)
            });
            if !family {
                wrong.push((member, format!("no family of {n} periods\n{text}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// A leaky neuron v' = I - v + B cos ωt that fires at 1 and is reset to 0: from one spike to the next pass n periods
/// T where |1/(1 - e^{-nT}) - I| ≤ B/√(1 + ω²), unless it fires before.
#[test]
fn neurons_fire_every_few_periods() {
    let class = "locked neurons";
    let count = members_at_least(3);
    let mut wrong = vec![];
    let mut sought = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, b) = (random.between(4.0, 7.0), random.between(0.1, 0.3));
        let n = 2 + random.below(2);
        let (period, response) = (TAU / w, b / (1.0 + w * w).sqrt());
        let middle = 1.0 / (1.0 - (-(n as f64) * period).exp());
        let current = middle + random.between(-0.8, 0.8) * response;
        // v on its way from a spike at the phase at which it fires again.
        let forced = |phase: f64| current + b / (1.0 + w * w) * (phase.cos() + w * phase.sin());
        let lag = w.atan();
        let half = ((middle - current) / response).clamp(-1.0, 1.0).acos();
        let fires_before = |phase: f64| {
            let v = |t: f64| forced(phase + w * t) - forced(phase) * (-t).exp();
            (1..2000).any(|k| v(n as f64 * period * f64::from(k) / 2000.0) > 1.0)
        };
        let there = [lag + half, lag - half].into_iter().any(|phase| !fires_before(phase));
        let text = format!(
            "Study(title: \"neuron\", system: Hybrid(states: [\"v\"], parameters: {{\"I\": {current:?}}}, forcing: Forcing(period: \"2*pi/({w:?})\"), \
             modes: {{\"sub\": Mode(equations: [\"v' = I - v + ({b:?})*cos(phase)\"], events: {{\"spike\": Event(guard: \"v - 1\", direction: Up, to: \"sub\", reset: {{\"v\": \"0\"}})}})}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"sub spike\"), start: All(at: {{}}), free: \"I\", range: ({:?}, {:?}))])",
            current - 1e-3 * response,
            current + 1e-3 * response,
        );
        let result = run(&text);
        let all = n as f64 * period;
        let found = result
            .curves
            .iter()
            .any(|c| c.points().any(|(_, _, p)| (p.record.period - all).abs() < 1e-7 * all));
        sought += usize::from(there);
        if found != there {
            wrong.push((member, format!("{n} periods: found {found}, there {there}\n{text}")));
        }
    }
    assert!(2 * sought >= count, "{sought} of {count}");
    none_wrong(class, count, &wrong);
}

/// A ball on a floor that loses energy at each hit, and a wheel without a rim that rocks to rest on two spokes, have no
/// periodic orbit: what closes in an instant is none.
#[test]
fn where_events_accumulate_there_is_no_orbit() {
    let class = "accumulations";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (half, slope, loss) = (
            random.between(0.3, 0.5),
            random.between(0.03, 0.1),
            random.between(0.3, 0.8),
        );
        let ball = format!(
            "Study(title: \"ball\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"e\": {loss:?}}}, \
             modes: {{\"fly\": Mode(equations: [\"x' = v\", \"v' = -{:?}\"], events: {{\"hit\": Event(guard: \"x\", direction: Down, to: \"fly\", reset: {{\"v\": \"-e*v\"}})}})}}, \
             start: Start(mode: \"fly\", at: {{\"x\": 1}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"fly hit fly hit\"), start: Everywhere(samples: 3, seeds: 40), free: \"e\", range: (0.1, 0.95))])",
            random.log_between(0.5, 20.0)
        );
        let wheel = format!(
            "Study(title: \"wheel\", system: Hybrid(states: [\"th\", \"om\"], parameters: {{\"g\": {slope:?}}}, \
             modes: {{\"swing\": Mode(equations: [\"th' = om\", \"om' = sin(th)\"], events: {{\
             \"fore\": Event(guard: \"th - g - ({half:?})\", direction: Up, to: \"swing\", reset: {{\"th\": \"g - ({half:?})\", \"om\": \"({:?})*om\"}}), \
             \"back\": Event(guard: \"th - g + ({half:?})\", direction: Down, to: \"swing\", reset: {{\"th\": \"g + ({half:?})\", \"om\": \"({:?})*om\"}})}})}}, \
             start: Start(mode: \"swing\", at: {{\"th\": 0.0, \"om\": 0.1}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"swing fore swing back\"), start: All(at: {{}}, seeds: 40), free: \"g\", range: ({:?}, {:?}))])",
            (2.0 * half).cos(),
            (2.0 * half).cos(),
            slope - 1e-3,
            slope + 1e-3,
        );
        for text in [ball, wheel] {
            let result = run(&text);
            let said = result.missing.iter().any(|m| m.reason.contains("no admissible orbit"));
            if !said || !result.curves.is_empty() {
                let points = result.curves.iter().map(|c| c.points().count()).sum::<usize>();
                wrong.push((member, format!("{points} points, {:?}\n{text}", result.missing)));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Den Hartog's oscillator, from pure slip to slip and stick: where a segment appears the multiplier may touch -1, and
/// no symmetry is broken there. Above Ω = 1/2, where it is, the branches are a continuum.
#[test]
fn nothing_branches_off_where_a_segment_appears() {
    let class = "den Hartog";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let friction = random.between(0.15, 0.35);
        let text = format!(
            "Study(title: \"dry\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"om\": 0.7}}, forcing: Forcing(period: \"2*pi/om\"), \
             masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1)], forces: {{\"x\": \"cos(om*t)\"}}, \
             contacts: {{\"dry\": Coulomb(on: \"x\", mu: {friction:?})}}, symmetry: {{\"x\": \"-x\", \"phase\": \"phase + pi\"}}), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"dry:slip- dry:reverse\"), start: All(at: {{}}), free: \"om\", range: (0.35, 0.9), switch: Auto)])"
        );
        let result = run(&text);
        let all = labels(curve(&result, "c"));
        let borders: Vec<f64> = all.iter().filter(|l| l.0 == Label::VS).map(|l| l.1).collect();
        let broken: Vec<f64> = all.iter().filter(|l| l.0 == Label::SB).map(|l| l.1).collect();
        let beside = |at: &f64| borders.iter().any(|border| (border - at).abs() < 1e-6);
        if borders.is_empty() || broken.iter().any(beside) || !broken.iter().any(|at| (at - 0.5).abs() < 1e-6) {
            wrong.push((member, format!("VS {borders:?}, SB {broken:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
