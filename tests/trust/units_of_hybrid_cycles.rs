//! Cycles of free hybrid systems in other units: relay oscillators, blocks on a belt, clocks with impulses. The same
//! system in other units of its states and of time has the same curve, in the other units.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// The rates of x and y, which enter by their names, in each mode; what happens is in the last two.
enum Machine {
    /// A relay with hysteresis: x' = y, y' = -c y - x ± f, switched at x = ±h.
    Relay { damping: f64, hysteresis: f64 },
    /// x'' + c x' + x = friction on a belt of speed p, which weakens with the speed of slip.
    Belt {
        damping: f64,
        weakening: f64,
        friction: f64,
    },
    /// x'' + c x' + x = 0 with an impulse where x passes p upwards.
    Clock { damping: f64, impulse: f64 },
}

impl Machine {
    fn random(random: &mut Random) -> Self {
        match random.below(3) {
            0 => Self::Relay {
                damping: random.between(0.1, 0.6),
                hysteresis: random.between(0.05, 0.3),
            },
            1 => Self::Belt {
                damping: random.between(0.01, 0.05),
                weakening: random.between(0.5, 2.0),
                friction: random.between(0.5, 1.5),
            },
            _ => Self::Clock {
                damping: random.between(0.05, 0.3),
                impulse: random.between(0.2, 1.0),
            },
        }
    }

    /// The study with x, y and the time in such units; the parameter has none.
    fn study(&self, [x, y, time]: [f64; 3]) -> String {
        let rate = |unit: f64, rate: &str| format!("({:?})*({rate})", unit / time);
        let define = format!("define: {{\"u\": \"x/({x:?})\", \"v\": \"y/({y:?})\"}}");
        let start = format!("{{\"x\": {:?}, \"y\": {:?}}}", 0.5 * x, 0.1 * y);
        let moves = format!("x' = {}", rate(x, "v"));
        let (system, word, at, range) = match self {
            Self::Relay { damping, hysteresis } => {
                let mode = |force: &str| {
                    let force = rate(y, &format!("-({damping:?})*v - u {force} p"));
                    format!("equations: [\"{moves}\", \"y' = {force}\"]")
                };
                let modes = format!(
                    "modes: {{\"on\": Mode({}, events: {{\"off\": Event(guard: \"u - {hysteresis:?}\", direction: Up, to: \"off\")}}), \
                     \"off\": Mode({}, events: {{\"on\": Event(guard: \"u + {hysteresis:?}\", direction: Down, to: \"on\")}})}}",
                    mode("+"),
                    mode("-")
                );
                let start = format!("start: Start(mode: \"on\", at: {{\"y\": {:?}}})", 0.1 * y);
                (
                    format!("Hybrid(states: [\"x\", \"y\"], parameters: {{\"p\": 1}}, {define}, {modes}, {start})"),
                    "on off",
                    1.0,
                    (0.4, 2.5),
                )
            }
            Self::Belt {
                damping,
                weakening,
                friction,
            } => {
                let force = format!("-({damping:?})*v - u - ({friction:?})*sgn(s)/(1 + ({weakening:?})*abs(v - p))");
                let equations = format!("equations: [\"{moves}\", \"y' = {}\"]", rate(y, &force));
                (
                    format!(
                        "Filippov(states: [\"x\", \"y\"], parameters: {{\"p\": 0.4}}, {define}, surfaces: {{\"s\": \"v - p\"}}, {equations}, start: {start})"
                    ),
                    "s- s0",
                    0.4,
                    (0.05, 3.0),
                )
            }
            Self::Clock { damping, impulse } => {
                let force = rate(y, &format!("-({damping:?})*v - u"));
                let event = format!(
                    "\"kick\": Event(guard: \"u - p\", direction: Up, to: \"f\", reset: {{\"y\": \"y + ({:?})\"}})",
                    impulse * y
                );
                (
                    format!(
                        "Hybrid(states: [\"x\", \"y\"], parameters: {{\"p\": 0}}, {define}, modes: {{\"f\": Mode(equations: [\"{moves}\", \"y' = {force}\"], \
                         events: {{{event}}})}}, start: Start(mode: \"f\", at: {start}))"
                    ),
                    "f",
                    0.0,
                    (-3.0, 3.0),
                )
            }
        };
        format!(
            "Study(title: \"units\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"p\": {at:?}}}), \
             free: \"p\", range: {range:?}, levels: {{\"p\": [{:?}, {:?}]}})])",
            at - 0.1,
            at + 0.1,
        )
    }
}

#[test]
fn hybrid_cycles_are_the_same_in_other_units() {
    let class = "hybrid cycles in other units";
    let count = members(15);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let machine = Machine::random(&mut random);
        let units = [0; 3].map(|_| random.log_between(1e-4, 1e4));
        let texts = [[1.0; 3], units].map(|units| machine.study(units));
        let found = texts.each_ref().map(|text| {
            let result = run(text);
            if !result.missing.is_empty() {
                return Err(format!("{:?}", result.missing));
            }
            let labelled = curve(&result, "c").points();
            let labelled = labelled.filter_map(|(_, _, p)| Some((p.label?, p.point.parameter(), p.record.period)));
            let mut all: Vec<(Label, f64, f64)> = labelled.collect();
            all.sort_by(|a, b| a.1.total_cmp(&b.1));
            Ok(all)
        });
        let same = match &found {
            [Ok(own), Ok(others)] => {
                let alike = |((a, p, t), (b, q, s)): (&(Label, f64, f64), &(Label, f64, f64))| {
                    a == b && (p - q).abs() <= 1e-9 && (s / (t * units[2]) - 1.0).abs() <= 1e-9
                };
                own.len() == others.len() && !own.is_empty() && own.iter().zip(others).all(alike)
            }
            _ => false,
        };
        if !same {
            wrong.push((member, format!("{found:#?}\n{}\n{}", texts[0], texts[1])));
        }
    }
    none_wrong(class, count, &wrong);
}
