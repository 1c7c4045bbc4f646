//! Limits that a forced motion reaches at the very phase at which its lap is cut: a touch there counts as anywhere
//! else, and curves in two parameters begin at the point from which they are asked.

use super::known::{curve, labels, pieces, run};
use super::normal_forms::class;
use super::random::Random;
use slipstick_bifurcation::{BranchPoint, Label};
use std::f64::consts::{FRAC_PI_2, PI};

/// A phase of the cosine, by which the force is largest where laps begin, or halfway of half of one, or anywhere.
fn phase(random: &mut Random) -> f64 {
    match random.below(4) {
        0 | 1 => 0.0,
        2 => random.sign() * FRAC_PI_2,
        _ => random.between(-PI, PI),
    }
}

/// What is wrong with a curve in two parameters on which a quantity stays zero, relative to what it is a difference of,
/// and which crosses the whole range of its first parameter.
fn wrong_locus(points: &[Vec<&BranchPoint>], of: &dyn Fn(&BranchPoint) -> f64, range: (f64, f64)) -> Option<String> {
    let [points] = points else {
        return Some(format!("{} curves", points.len()));
    };
    let worst = points.iter().map(|p| of(p).abs()).fold(0.0, f64::max);
    let values: Vec<f64> = points.iter().map(|p| p.point.parameter()).collect();
    let reaches = |end: f64| values.iter().any(|v| (v / end - 1.0).abs() < 1e-9);
    (!(worst < 1e-10) || !reaches(range.0) || !reaches(range.1))
        .then(|| format!("off by {worst:e}, from {:?} to {:?}", values.first(), values.last()))
}

/// A body on a spring that dry friction holds under F cos(ω t + φ) up to F = μ, as a mechanism and as a system of modes,
/// in any units of time and force.
#[test]
fn stuck_bodies_begin_to_slip_where_the_force_is_largest() {
    class("stuck bodies that begin to slip", 10, |random| {
        let (phase, omega) = (phase(random), random.log_between(1e-3, 1e3));
        let mu = random.log_between(1e-3, 1e3);
        let (damping, stiffness) = (random.between(0.0, 0.2), random.between(0.5, 2.0));
        let pull = format!("F*cos(w*t + ({phase:?}))");
        let parameters = format!(
            "parameters: {{\"F\": {:?}, \"w\": {omega:?}, \"mu\": {mu:?}}}, forcing: Forcing(period: \"2*pi/w\")",
            0.6 * mu
        );
        let (stiffness, damping) = (stiffness * mu, damping * mu / omega);
        let (system, word) = if random.below(2) == 0 {
            (
                format!(
                    "Mechanical(coordinates: [\"x\"], {parameters}, masses: {{\"x\": {:?}}}, \
                     springs: [Spring(on: \"x\", stiffness: {stiffness:?}, damping: {damping:?})], forces: {{\"x\": \"{pull}\"}}, \
                     contacts: {{\"d\": Coulomb(on: \"x\", mu: \"mu\")}}, symmetry: {{\"x\": \"-x\", \"phase\": \"phase + pi\"}})",
                    stiffness / (omega * omega)
                ),
                "d:stick free",
            )
        } else {
            let mass = stiffness / (omega * omega);
            let slides = |sign: &str| format!("[\"x' = v\", \"v' = (pull - ({damping:?})*v {sign} mu)/({mass:?})\"]");
            (
                format!(
                    "Hybrid(states: [\"x\", \"v\"], {parameters}, define: {{\"pull\": \"{pull} - ({stiffness:?})*x\"}}, modes: {{\
                     \"stick\": Mode(kind: Stick, states: [\"x\"], absent: {{\"v\": \"0\"}}, equations: [\"x' = 0\"], events: {{\
                     \"rp\": Event(guard: \"pull - mu\", direction: Up, to: \"sp\"), \"rm\": Event(guard: \"pull + mu\", direction: Down, to: \"sm\")}}), \
                     \"sp\": Mode(equations: {}, events: {{\
                     \"land\": Event(guard: \"v\", direction: Down, when: [\"pull > -mu\"], to: \"stick\"), \
                     \"back\": Event(guard: \"v\", direction: Down, when: [\"pull < -mu\"], to: \"sm\")}}), \
                     \"sm\": Mode(equations: {}, events: {{\
                     \"land\": Event(guard: \"v\", direction: Up, when: [\"pull < mu\"], to: \"stick\"), \
                     \"back\": Event(guard: \"v\", direction: Up, when: [\"pull > mu\"], to: \"sp\")}})}}, \
                     symmetry: Symmetry(states: {{\"x\": \"-x\", \"v\": \"-v\", \"phase\": \"phase + pi\"}}, modes: {{\"sp\": \"sm\"}}), \
                     start: Start(mode: \"stick\"))",
                    slides("-"),
                    slides("+"),
                ),
                "stick free",
            )
        };
        let range = |value: f64| (0.5 * value, 2.0 * value);
        let locus = |name: &str, free: [&str; 2], ranges: [(f64, f64); 2]| {
            format!(
                "Locus(name: \"{name}\", from: \"c: OV\", free: (\"{}\", \"{}\"), range: {ranges:?})",
                free[0], free[1]
            )
            .replace("range: [", "range: (")
            .replace("])", "))")
        };
        let wide = (0.1 * mu, 10.0 * mu);
        let text = format!(
            "Study(title: \"stuck\", system: {system}, \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"{word}\"), start: Guess(at: {{}}, states: [{{\"x\": 0}}], durations: [{:?}]), \
             free: \"F\", range: ({:?}, {:?}))], loci: [{}, {}, {}])",
            PI / omega,
            0.4 * mu,
            2.0 * mu,
            locus("a", ["F", "mu"], [range(mu), wide]),
            locus("b", ["mu", "F"], [range(mu), wide]),
            locus("d", ["w", "F"], [range(omega), wide]),
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let found = labels(curve(&result, "c"));
        let right = matches!(&found[..], [(Label::OV, at, _)] if (at / mu - 1.0).abs() <= 1e-12);
        if !right {
            let found: Vec<_> = found.iter().map(|l| (l.0, l.1 / mu)).collect();
            return Some(format!("{found:?}\n{text}"));
        }
        let excess = |p: &BranchPoint| p.record.parameters[0] / p.record.parameters[2] - 1.0;
        [("a", range(mu)), ("b", range(mu)), ("d", range(omega))]
            .into_iter()
            .find_map(|(name, range)| {
                let why = wrong_locus(&pieces(&result, name), &excess, range)?;
                Some(format!("{name}: {why}\n{text}"))
            })
    });
}

/// A forced oscillator x'' + 2ζ x' + x = F cos(ω t + φ) whose largest displacement F/√((1 - ω²)² + (2ζω)²) reaches a stop at
/// x = d, at phase zero for the frequency from which the curve begins: along it the touch passes the cut of the lap.
#[test]
fn oscillators_graze_a_stop_where_their_lap_is_cut() {
    class("oscillators that graze where their lap is cut", 10, |random| {
        let (zeta, rate) = (random.between(0.02, 0.3), random.log_between(1e-3, 1e3));
        let (omega, d) = (random.between(0.5, 1.8), random.log_between(0.1, 10.0));
        let gain = |omega: f64| (1.0 - omega * omega).hypot(2.0 * zeta * omega);
        let lag = (2.0 * zeta * omega).atan2(1.0 - omega * omega);
        let phase = if random.below(4) == 0 {
            random.between(-PI, PI)
        } else {
            lag
        };
        let force = d * gain(omega);
        let at_zero = (phase - lag).cos() * 0.6 * d;
        let speed = -(phase - lag).sin() * 0.6 * d * omega;
        let frequencies = (0.7 * rate * omega, 1.4 * rate * omega);
        let least = gain(1.0 - 2.0 * zeta * zeta)
            .min(gain(0.7 * omega))
            .min(gain(1.4 * omega))
            * d;
        let text = format!(
            "Study(title: \"stop\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"F\": {:?}, \"w\": {:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), modes: {{\"m\": Mode(equations: [\"x' = ({rate:?})*v\", \
             \"v' = ({rate:?})*(-x - ({:?})*v + F*cos(w*t + ({phase:?})))\"], events: {{\
             \"hit\": Event(guard: \"x - ({d:?})\", direction: Up, to: \"m\", reset: {{\"v\": \"-0.7*v\"}})}})}}, \
             start: Start(mode: \"m\", at: {{\"x\": {at_zero:?}, \"v\": {speed:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"m free\"), start: Guess(at: {{}}, states: [{{\"x\": {at_zero:?}, \"v\": {speed:?}}}], \
             durations: [{:?}]), free: \"F\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"l\", from: \"c: GR\", free: (\"w\", \"F\"), range: ({frequencies:?}, ({:?}, {:?})))])",
            0.6 * force,
            rate * omega,
            2.0 * zeta,
            2.0 * PI / (rate * omega),
            0.3 * force,
            3.0 * force,
            0.1 * least,
            20.0 * force.max(d),
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let found = labels(curve(&result, "c"));
        let right = matches!(&found[..], [(Label::GR, at, _)] if (at / force - 1.0).abs() <= 1e-10);
        if !right {
            let found: Vec<_> = found.iter().map(|l| (l.0, l.1 / force)).collect();
            return Some(format!("{found:?}\n{text}"));
        }
        let excess = |p: &BranchPoint| p.record.parameters[0] / (d * gain(p.record.parameters[1] / rate)) - 1.0;
        let why = wrong_locus(&pieces(&result, "l"), &excess, frequencies)?;
        Some(format!("{why}\n{text}"))
    });
}
