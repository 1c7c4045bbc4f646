//! Populations, infections and the light of lasers that nearly die out in each period, and recover from what is left:
//! the same as if the equations were written for their logarithms, in which nothing is small.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

/// A system in its own states, and in logarithms of those that nearly die out.
struct Twin {
    /// The keys of `Smooth` of each.
    plain: String,
    logarithmic: String,
    free: &'static str,
    /// The start, and how far the curve goes.
    at: f64,
    range: (f64, f64),
    levels: Vec<f64>,
}

/// Prey that saturates at K, and predators (Rosenzweig and MacArthur): relaxation oscillations at large K.
fn hunting(random: &mut Random) -> Twin {
    let (h, c, a) = (
        random.between(0.6, 1.5),
        random.between(0.4, 0.9),
        random.between(0.7, 2.0),
    );
    let m = random.between(0.25, 0.55) * c / h;
    let unit = random.log_between(1e-2, 1e2);
    let rest = m / (a * (c - m * h));
    let hopf = 2.0 * rest + 1.0 / (a * h);
    let eaten = |x: &str, y: &str| format!("({a:?})*{y}/(1 + {:?}*{x})", a * h);
    let (plain, log) = (eaten(&format!("(x/{unit:?})"), "y"), eaten("exp(u)", "exp(v)"));
    Twin {
        plain: format!(
            "states: [\"x\", \"y\"], equations: [\"x' = x*(1 - x/{unit:?}/K) - x*{plain}\", \"y' = {c:?}*x/{unit:?}*{plain} - {m:?}*y\"], \
             start: {{\"x\": {:?}, \"y\": 0.4}}",
            unit * rest
        ),
        logarithmic: format!(
            "states: [\"u\", \"v\"], equations: [\"u' = 1 - exp(u)/K - {log}\", \"v' = {c:?}*exp(u - v)*{log} - {m:?}\"], \
             start: {{\"u\": {:?}, \"v\": -0.9}}",
            rest.ln()
        ),
        free: "K",
        at: 1.5 * hopf,
        range: (1.2 * hopf, 8.0 * hopf),
        levels: [2.0, 3.5, 5.0, 6.5, 7.5].map(|k| k * hopf).to_vec(),
    }
}

/// Susceptible and infected people under a contagion with seasons.
fn epidemic(random: &mut Random) -> Twin {
    let (births, recovery) = (random.between(0.01, 0.04), random.between(40.0, 110.0));
    let contagion = recovery * random.between(8.0, 18.0);
    let unit = random.log_between(1e-3, 1e6);
    let rates = |infected: &str| format!("{contagion:?}*(1 + d*cos(phase))*S*{infected}");
    let twin = |states: &str, infected: &str, second: &str, start: &str| {
        format!(
            "states: [\"S\", \"{states}\", \"phase\"], angles: {{\"phase\": \"2*pi\"}}, equations: [\"S' = {births:?}*(1 - S) - {}\", \
             \"{second}\", \"phase' = 2*pi\"], start: {{\"S\": {:?}, \"{states}\": {start}}}",
            rates(infected),
            recovery / contagion,
        )
    };
    let infected = births / recovery;
    Twin {
        plain: twin(
            "I",
            &format!("(I/{unit:?})"),
            &format!("I' = {} - {recovery:?}*I", rates("I")),
            &format!("{:?}", infected * unit),
        ),
        logarithmic: twin(
            "w",
            "exp(w)",
            &format!("w' = {} - {recovery:?}", rates("1")),
            &format!("{:?}", infected.ln()),
        ),
        free: "d",
        at: 0.01,
        range: (0.005, 0.95),
        levels: vec![0.1, 0.3, 0.5, 0.7, 0.9],
    }
}

fn points(curve: &CurveResult) -> Vec<(f64, f64, Vec<f64>)> {
    let own = curve.points().filter(|(_, _, p)| p.label == Some(Label::UZ));
    own.map(|(_, _, p)| {
        let record = &p.record;
        (
            p.point.parameter(),
            record.period,
            record.multipliers.iter().map(|m| m.log10).collect(),
        )
    })
    .collect()
}

#[test]
fn states_that_nearly_die_out_keep_their_digits() {
    let class = "dying out";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let twin = if member % 2 == 0 {
            hunting(&mut random)
        } else {
            epidemic(&mut random)
        };
        let free = twin.free;
        let system =
            |name: &str, keys: &str| format!("\"{name}\": Smooth({keys}, parameters: {{\"{free}\": {:?}}})", twin.at);
        let curve_of = |name: &str| {
            format!(
                "Curve(name: \"{name}\", system: \"{name}\", orbit: PeriodicOrbit, start: Settle(at: {{\"{free}\": {:?}}}), \
                 free: \"{free}\", range: ({:?}, {:?}), levels: {{\"{free}\": {:?}}})",
                twin.at, twin.range.0, twin.range.1, twin.levels
            )
        };
        let text = format!(
            "Study(title: \"dying out\", systems: {{{}, {}}}, curves: [{}, {}])",
            system("plain", &twin.plain),
            system("log", &twin.logarithmic),
            curve_of("plain"),
            curve_of("log"),
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let (plain, log) = (points(curve(&result, "plain")), points(curve(&result, "log")));
        let many = curve(&result, "plain").points().count();
        if plain.len() != twin.levels.len() || log.len() != plain.len() || many > 400 {
            wrong.push((member, format!("{many} points, levels {plain:?} {log:?}\n{text}")));
            continue;
        }
        for ((at, period, multipliers), (_, other, others)) in plain.iter().zip(&log) {
            let gaps = multipliers.iter().zip(others).map(|(a, b)| (a - b).abs());
            let off = gaps.fold(0.0, f64::max);
            if (period / other - 1.0).abs() > 1e-10 || off > 1e-6 {
                wrong.push((
                    member,
                    format!("{free} = {at}: period {period} for {other}, {multipliers:?} for {others:?}\n{text}"),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// A block on a spring that is pulled at a steady speed, with friction that depends on the speed and on the age of the
/// contact by the law of ageing or of slip, and with damping by radiation, which bounds the speed: between two slips
/// this falls by many decades.
#[test]
fn blocks_that_nearly_stick_slip_again() {
    let class = "nearly stuck";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let a = random.between(0.005, 0.012);
        let b = a + random.between(0.003, 0.01);
        let damping = random.log_between(5e-5, 3e-4) * a;
        let critical = b - a - damping;
        let (unit, time) = (random.log_between(1e-3, 1e3), random.log_between(1e-2, 1e2));
        // How fast a contact ages, in speeds and ages of one, by the states or by their logarithms.
        let (ageing, by_logarithms) = match member % 2 {
            0 => ("1 - v*th", "1 - exp(p + q)"),
            _ => ("-v*th*ln(v*th)", "-exp(p + q)*(p + q)"),
        };
        let parameters = format!("parameters: {{\"k\": {:?}}}", 1.5 * critical);
        let plain = format!(
            "Smooth(states: [\"V\", \"th\"], {parameters}, define: {{\"v\": \"V/({unit:?})\", \"age\": \"{ageing}\"}}, \
             equations: [\"V' = ({:?})*(k*(1 - v) - ({b:?})*age/th)/(({a:?})/v + ({damping:?}))\", \"th' = age/({time:?})\"], \
             start: {{\"V\": {unit:?}, \"th\": 1}})",
            unit / time
        );
        let logarithmic = format!(
            "Smooth(states: [\"p\", \"q\"], {parameters}, define: {{\"age\": \"{by_logarithms}\"}}, \
             equations: [\"p' = (k*(1 - exp(p)) - ({b:?})*age*exp(-q))/(({a:?}) + ({damping:?})*exp(p))/({time:?})\", \"q' = age*exp(-q)/({time:?})\"], \
             start: {{\"p\": 0, \"q\": 0}})"
        );
        let levels = [0.35, 0.5, 0.7].map(|part| part * critical);
        let curves = |name: &str, start: &str| {
            let (at, range) = (1.5 * critical, (0.3 * critical, 2.0 * critical));
            format!(
                "Curve(name: \"rest {name}\", system: \"{name}\", orbit: Equilibrium, start: Guess(at: {{\"k\": {at:?}}}, states: [{start}]), \
                 free: \"k\", range: {range:?}), \
                 Curve(name: \"{name}\", system: \"{name}\", orbit: PeriodicOrbit, start: Point(from: \"rest {name}, HB\"), free: \"k\", \
                 range: {range:?}, points: 400, levels: {{\"k\": {levels:?}}})"
            )
        };
        let text = format!(
            "Study(title: \"slider\", systems: {{\"plain\": {plain}, \"log\": {logarithmic}}}, curves: [{}, {}])",
            curves("plain", &format!("{{\"V\": {unit:?}, \"th\": 1}}")),
            curves("log", "{\"p\": 0, \"q\": 0}"),
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let (plain, log) = (points(curve(&result, "plain")), points(curve(&result, "log")));
        let same = |(own, other): (&(f64, f64, Vec<f64>), &(f64, f64, Vec<f64>))| (own.1 / other.1 - 1.0).abs() <= 1e-8;
        if plain.len() != levels.len() || log.len() != plain.len() || !plain.iter().zip(&log).all(same) {
            let last = curve(&result, "plain").points().last().unwrap().2;
            wrong.push((member, format!("{plain:?} for {log:?}: {}\n{text}", last.message)));
        }
    }
    none_wrong(class, count, &wrong);
}
