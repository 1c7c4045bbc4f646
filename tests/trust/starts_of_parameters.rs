//! Starts that depend on parameters: those that are formulas, and the stretched states of regularised systems.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_study::RunResult;

/// A random regularised system.
struct Twin {
    /// The system that jumps.
    of: String,
    by: &'static str,
    /// The name of its stretched state.
    hat: &'static str,
    /// The switching function at the start.
    height: f64,
    /// A parameter, and its value.
    parameter: (&'static str, f64),
}

impl Twin {
    fn random(random: &mut Random, member: usize, widths: (f64, f64)) -> Self {
        const SMOOTH: [&str; 3] = ["Tanh", "Algebraic", "Law(\"atan(s)*2/pi\")"];
        const LAYERS: [&str; 4] = ["Smoothstep(1)", "Smoothstep(2)", "Smoothstep(3)", "Smoothstep(4)"];
        let any = |random: &mut Random| match random.below(2) {
            0 => SMOOTH[random.below(3)],
            _ => LAYERS[random.below(4)],
        };
        // On the surface, within the one layer or the other, or far beside both.
        let height = match member % 4 {
            0 => 0.0,
            1 => random.sign() * random.between(0.1, 0.9) * widths.0,
            2 => random.sign() * random.between(0.1, 0.9) * widths.1,
            _ => random.sign() * random.between(0.05, 0.4),
        };
        let (x, drag) = (random.between(-0.3, 0.3), random.between(0.05, 0.2));
        let start = |v: f64| format!("start: {{\"x\": {x:?}, \"v\": {:?}}}", v + height);
        match (member / 4) % 4 {
            // A relay that acts on the acceleration by the velocity over a belt's: friction of Coulomb's.
            0 => {
                let belt = random.between(0.3, 0.7);
                Self {
                    of: format!(
                        "Filippov(states: [\"x\", \"v\"], parameters: {{\"v0\": {belt:?}, \"mu\": 0.4}}, surfaces: {{\"h\": \"v - v0\"}}, \
                         equations: [\"x' = v\", \"v' = -x + {drag:?}*v - mu*sgn(h)\"], {})",
                        start(belt)
                    ),
                    by: any(random),
                    hat: "h_hat",
                    height,
                    parameter: ("mu", 0.4),
                }
            }
            // A relay with an oblique surface, through a definition.
            1 => Self {
                of: format!(
                    "Filippov(states: [\"x\", \"v\"], parameters: {{\"k\": {:?}, \"c\": 1}}, define: {{\"w\": \"v + k*x\"}}, \
                     surfaces: {{\"h\": \"2*w\"}}, equations: [\"x' = v\", \"v' = {drag:?}*v - x - c*sgn(h)\"], \
                     start: {{\"x\": {x:?}, \"v\": \"{:?} - k*{x:?}\"}})",
                    random.between(-0.5, 0.2),
                    0.5 * height
                ),
                by: any(random),
                hat: "h_hat",
                height,
                parameter: ("c", 1.0),
            },
            // Static friction above the kinetic one.
            2 => {
                let belt = random.between(0.3, 0.7);
                Self {
                    of: format!(
                        "Filippov(states: [\"x\", \"v\"], parameters: {{\"v0\": {belt:?}, \"mu\": 0.4, \"m\": 0.7}}, surfaces: {{\"h\": \"v - v0\"}}, \
                         equations: [\"x' = v\", \"v' = -x - 0.1*v - mu*sgn(h)\"], stiction: {{\"h\": \"m/mu\"}}, {})",
                        start(belt)
                    ),
                    by: "Stiction(delta: 0.6)",
                    hat: "h_hat",
                    height,
                    parameter: ("mu", 0.4),
                }
            }
            // A mass on a belt, by its contact.
            _ => {
                let belt = random.between(0.3, 0.7);
                Self {
                    of: format!(
                        "Mechanical(coordinates: [\"x\"], parameters: {{\"v0\": {belt:?}, \"mu\": 0.4}}, masses: {{\"x\": 1}}, \
                         springs: [Spring(on: \"x\", stiffness: 1, damping: -{drag:?})], \
                         contacts: {{\"b\": Coulomb(on: \"x\", against: Belt(\"v0\"), mu: \"mu\", normal: 1)}}, \
                         start: {{\"x\": {x:?}, \"v_x\": \"v0 + {height:?}\"}})"
                    ),
                    by: any(random),
                    hat: "b_hat",
                    height,
                    parameter: ("mu", 0.4),
                }
            }
        }
    }

    /// A study of the system that is declared with one width of the layer and used with another.
    fn study(&self, declared: f64, used: f64, entry: &str) -> RunResult {
        run(&self.text(declared, used, entry))
    }

    fn text(&self, declared: f64, used: f64, entry: &str) -> String {
        let entry = entry.replace("SET", &format!("set: {{\"epsilon\": {used:?}}}"));
        format!(
            "Study(title: \"twin\", system: Regularised(of: {}, by: {}, epsilon: {declared:?}), {entry})",
            self.of, self.by
        )
    }
}

/// How far apart two lists of numbers are, relative to one and their sizes.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let both = a.iter().zip(b).filter(|(a, b)| !(a.is_nan() && b.is_nan()) && a != b);
    both.map(|(a, b)| (a - b).abs() / (1.0 + a.abs().max(b.abs())))
        .fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
}

/// Motions of twins begin at h/ε with the ε that is used, in the mode in which that lies, whatever ε is declared: they
/// are those of the same system that declares it.
#[test]
fn motions_of_twins_begin_at_the_epsilon_in_use() {
    let class = "motions of twins at another epsilon";
    let count = members(96);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (declared, used) = (random.log_between(1e-5, 1e-1), random.log_between(1e-8, 1e-1));
        let twin = Twin::random(&mut random, member, (declared, used));
        let entry = "simulations: [Simulation(name: \"s\", time: 3, every: 0.1, SET)]";
        let [own, other] = [used, declared].map(|declared| twin.study(declared, used, entry));
        let fail = |why: String| Some((member, format!("{why}\n{}", twin.text(declared, used, entry))));
        let (Some(own), Some(other)) = (own.trajectories.first(), other.trajectories.first()) else {
            wrong.extend(fail(format!("no motion: {:?} and {:?}", own.missing, other.missing)));
            continue;
        };
        let names = format!("{} {}", own.word, other.word);
        let is_layer = twin.by.starts_with("Smoothstep") || twin.by.starts_with("Stiction");
        let stretched = twin.height / used;
        // Of the full states the last one is stretched; and in a layer the mode says where they lie.
        let first = other.rows[0].states.clone();
        let found = first[first.len() - 1];
        if !((found / stretched - 1.0).abs() <= 1e-9 + 1e-15 / twin.height.abs()
            || (found - stretched).abs() <= 1e-15 / used)
        {
            wrong.extend(fail(format!("{} = {found}, not {stretched}", twin.hat)));
            continue;
        }
        if is_layer && own.rows[0].mode != other.rows[0].mode {
            wrong.extend(fail(format!("other modes: {names}")));
            continue;
        }
        let off = own
            .rows
            .iter()
            .zip(&other.rows)
            .map(|(a, b)| apart(&a.states, &b.states));
        let off = off.fold(0.0, f64::max);
        if own.rows.len() != other.rows.len() || !(off <= 1e-9) {
            wrong.extend(fail(format!("motions {off:e} apart: {names}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The orbit that a twin settles to, and those that are searched for, with their multipliers.
#[test]
fn orbits_of_twins_are_found_at_the_epsilon_in_use() {
    let class = "orbits of twins at another epsilon";
    let count = members(16);
    let (mut wrong, mut found) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (declared, used) = (random.log_between(1e-5, 1e-1), random.log_between(1e-6, 1e-1));
        let twin = Twin::random(&mut random, member, (declared, used));
        let is_layer = twin.by.starts_with("Smoothstep") || twin.by.starts_with("Stiction");
        let (name, value) = twin.parameter;
        let entry = if is_layer {
            format!(
                "attractors: [Attractors(name: \"c\", sweep: \"{name}\", range: ({value:?}, {:?}), count: 2, starts: 4, SET)]",
                1.1 * value
            )
        } else {
            format!(
                "curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"{name}\": {value:?}}}), free: \"{name}\", \
                 range: ({:?}, {:?}), points: 3, SET)]",
                0.99 * value,
                1.01 * value
            )
        };
        let [own, other] = [used, declared].map(|declared| twin.study(declared, used, &entry));
        let fail = |why: String| Some((member, format!("{why}\n{}", twin.text(declared, used, &entry))));
        if is_layer {
            let kinds = |result: &RunResult| -> Vec<(String, f64)> {
                let all = result.attractors.iter().flat_map(|a| &a.found);
                all.map(|a| (format!("{:?}", a.kind.name()), a.value)).collect()
            };
            found += usize::from(!kinds(&own).is_empty());
            if kinds(&own) != kinds(&other) {
                wrong.extend(fail(format!("{:?} and {:?}", kinds(&own), kinds(&other))));
            }
            continue;
        }
        let reason = |result: &RunResult| result.missing.iter().map(|m| m.reason.clone()).collect::<Vec<_>>();
        if own.curves.is_empty() || other.curves.is_empty() {
            if own.curves.len() != other.curves.len() {
                wrong.extend(fail(format!("{:?} and {:?}", reason(&own), reason(&other))));
            }
            continue;
        }
        found += 1;
        let start = |result: &RunResult| {
            let point = curve(result, "c")
                .points()
                .find(|(_, _, p)| p.point.parameter() == value);
            let (_, _, point) = point.expect("the curve starts there");
            let multipliers = point.record.multipliers.iter().flat_map(|m| [m.log10, m.arg]);
            let numbers = [point.record.period]
                .into_iter()
                .chain(point.record.monitors.iter().copied());
            numbers.chain(multipliers).collect::<Vec<f64>>()
        };
        let off = apart(&start(&own), &start(&other));
        if !(off <= 1e-9) {
            wrong.extend(fail(format!(
                "orbits {off:e} apart: {:?} and {:?}",
                start(&own),
                start(&other)
            )));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(2 * found >= count, "{found} of {count} have orbits");
}

/// A decay towards F/k from where a formula of the parameters puts it, in closed form, by every kind of start.
#[test]
fn starts_are_formulas_of_the_parameters_in_use() {
    let class = "starts that are formulas";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k, f) = (random.between(0.5, 2.0), random.sign() * random.between(0.2, 2.0));
        let times = random.between(1.5, 3.0);
        let begins = f / k * times;
        let shared = format!(
            "states: [\"x\"], parameters: {{\"k\": {:?}, \"F\": {:?}, \"m\": {times:?}}}, define: {{\"rest\": \"F/k\"}}",
            random.between(0.5, 2.0),
            -f
        );
        let start = "start: {\"x\": \"m*rest\"}";
        let hybrid = "modes: {\"m\": Mode(equations: [\"x' = F - k*x\"], events: {\"far\": Event(guard: \"x - 100\", direction: Up, to: \"m\")})}";
        let system = match member % 4 {
            0 => format!("Smooth({shared}, equations: [\"x' = F - k*x\"], {start})"),
            1 => format!("Map({shared}, equations: [\"x+ = x + (F - k*x)/4\"], {start})"),
            2 => format!("Hybrid({shared}, {hybrid}, start: Start(mode: \"m\", at: {{\"x\": \"m*rest\"}}))"),
            _ => format!(
                "Filippov({shared}, surfaces: {{\"s\": \"x\"}}, equations: [\"x' = abs(F)*sgn(s) - k*x\"], {start})"
            ),
        };
        let text = format!(
            "Study(title: \"decay\", system: {system}, simulations: [Simulation(name: \"s\", time: 2, every: 1, set: {{\"k\": {k:?}, \"F\": {f:?}}})])"
        );
        let result = run(&text);
        let Some(motion) = result.trajectories.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let factor = if member % 4 == 1 { 1.0 - k / 4.0 } else { (-k).exp() };
        for row in &motion.rows {
            let exact = f / k + (begins - f / k) * factor.powf(row.t);
            if !((row.states[0] - exact).abs() <= 1e-9 * (1.0 + exact.abs())) {
                wrong.push((member, format!("x({}) = {}, not {exact}\n{text}", row.t, row.states[0])));
                break;
            }
        }
        let side = if begins > 0.0 { "s+" } else { "s-" };
        if member % 4 == 3 && !motion.word.starts_with(side) {
            wrong.push((member, format!("begins in `{}`\n{text}", motion.word)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Fields that jump across a line that a parameter moves: a motion begins on the side on which it is at the parameters
/// in use, or slides.
#[test]
fn the_mode_of_a_start_follows_the_parameters() {
    let class = "modes of starts";
    let count = members(36);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        // A line, a belt, or a circle of which no state is left out: it attracts where v > 0.
        let least = if member % 3 == 2 { 0.1 } else { -1.0 };
        let place = random.between(least, 1.0);
        let mut line = || match random.below(3) {
            0 => place,
            _ => random.between(least, 1.0),
        };
        let (declared, used) = (line(), line());
        let x = random.between(-0.2, 0.2);
        let system = if member % 3 == 2 {
            format!(
                "Filippov(states: [\"x\", \"v\"], parameters: {{\"v0\": {declared:?}}}, surfaces: {{\"s\": \"x^2 + v^2 - v0^2\"}}, \
                 equations: [\"x' = v\", \"v' = -x - sgn(s)\"], start: {{\"x\": 0, \"v\": {place:?}}})"
            )
        } else if member % 3 == 0 {
            format!(
                "Filippov(states: [\"x\", \"v\"], parameters: {{\"v0\": {declared:?}}}, surfaces: {{\"s\": \"v - v0\"}}, \
                 equations: [\"x' = v\", \"v' = -x - sgn(s)\"], start: {{\"x\": {x:?}, \"v\": {place:?}}})"
            )
        } else {
            format!(
                "Mechanical(coordinates: [\"x\"], parameters: {{\"v0\": {declared:?}}}, masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1)], \
                 contacts: {{\"s\": Coulomb(on: \"x\", against: Belt(\"v0\"), mu: 1, normal: 1)}}, start: {{\"x\": {x:?}, \"v_x\": {place:?}}})"
            )
        };
        let text = format!(
            "Study(title: \"line\", system: {system}, simulations: [Simulation(name: \"s\", time: 0.001, set: {{\"v0\": {used:?}}})])"
        );
        let result = run(&text);
        let word = result.trajectories.first().map_or("", |motion| &motion.word);
        let names = if member % 3 == 1 {
            ["s:slip+", "s:stick", "s:slip-"]
        } else {
            ["s+", "s0", "s-"]
        };
        let wanted = names[if place > used {
            0
        } else if place < used {
            2
        } else {
            1
        }];
        if word.split(' ').next() != Some(wanted) {
            wrong.push((
                member,
                format!("begins in `{word}`, not `{wanted}`: {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A motion that runs off to infinity after events: the message names the time of the motion, not that since the last
/// event, in any unit of time.
#[test]
fn messages_name_the_time_at_which_a_motion_runs_off() {
    let class = "times in messages";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, rate) = (random.between(0.5, 4.0), random.log_between(1e-3, 1e3));
        let text = format!(
            "Study(title: \"blow-up\", system: Hybrid(states: [\"x\"], parameters: {{\"a\": {a:?}}}, modes: {{\
             \"rises\": Mode(equations: [\"x' = {rate:?}\"], events: {{\"up\": Event(guard: \"x - a\", direction: Up, to: \"runs\")}}), \
             \"runs\": Mode(equations: [\"x' = {rate:?}*x^2\"], events: {{\"down\": Event(guard: \"x\", direction: Down, to: \"rises\")}})}}), \
             simulations: [Simulation(name: \"s\", time: {:?})])",
            100.0 / rate
        );
        let result = run(&text);
        let said: Vec<String> = result.missing.iter().map(|m| m.reason.clone()).collect();
        let said = said.join("; ");
        let words = said.replace([':', ',', ';'], " ");
        let mut numbers = words.split(' ').filter_map(|word| word.parse::<f64>().ok());
        let exact = (a + 1.0 / a) / rate;
        if !numbers.any(|t| (t / exact - 1.0).abs() <= 1e-6) {
            wrong.push((member, format!("not {exact}: {said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
