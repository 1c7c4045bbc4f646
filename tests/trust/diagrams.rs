//! What orbit diagrams call the motions of systems of which it is known: rest, rotation, growth, impacts that accumulate.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_report::Table;

/// The table of a diagram.
fn diagram(text: &str, name: &str) -> Table {
    let result = run(text);
    assert!(result.missing.is_empty(), "{:?}\n{text}", result.missing);
    let mut tables = result.analyses.into_iter().flat_map(|a| a.tables);
    tables.find(|(n, _)| n == name).unwrap().1
}

/// What its motions are, without repetition.
fn kinds(table: &Table) -> Vec<String> {
    let mut kinds: Vec<String> = table.texts("kind").unwrap().to_vec();
    kinds.dedup();
    kinds
}

/// The exponents of the first row are these, to a tolerance.
fn exponents_are(table: &Table, wanted: &[f64], tolerance: f64) -> bool {
    wanted.iter().enumerate().all(|(k, wanted)| {
        let found = table.numbers(&format!("exponent{}", k + 1)).unwrap()[0];
        (found - wanted).abs() <= tolerance
    })
}

/// Oscillators with damping of 0.5 to 10 % of what is critical come to rest, whenever their points are taken, in units
/// of any size; those that are born of a Hopf point at 2 to 10 % of growth, as small as they may be, are cycles, and so
/// are those without damping.
#[test]
fn what_dies_out_is_rest_and_what_is_small_is_not() {
    let class = "dies out";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, size) = (random.log_between(0.3, 3.0), random.log_between(1e-3, 1e3));
        let (decay, growth) = (w * random.log_between(0.005, 0.1), w * random.log_between(0.02, 0.1));
        let amplitude = size * random.log_between(1e-4, 1.0);
        let place = size * random.between(-1.0, 1.0);
        let (few, many) = (2 + random.below(4), 8 + random.below(40));
        let transient = 20 + random.below(150);
        let focus = |m: f64, s: f64| {
            format!(
                "Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": {m:?}}}, define: {{\"u\": \"x - ({place:?})\"}}, \
                 equations: [\"u' = 0\"], start: {{\"x\": {:?}}})",
                place + size
            )
            .replace(
                "equations: [\"u' = 0\"]",
                &format!(
                    "equations: [\"x' = m*u - {w:?}*y - {s:?}*u*(u^2 + y^2)\", \"y' = {w:?}*u + m*y - {s:?}*y*(u^2 + y^2)\"]"
                ),
            )
        };
        let within = format!(
            "within: {{\"x\": ({:?}, {:?}), \"y\": (-{size:?}, {size:?})}}",
            place - size,
            place + size
        );
        let s = growth / (amplitude * amplitude);
        let text = format!(
            "Study(title: \"t\", systems: {{\"dying\": {}, \"growing\": {}, \"free\": {}}}, tasks: [\
             OrbitDiagram(name: \"few\", system: \"dying\", over: {{\"m\": Values([{:?}])}}, transient: {transient}, points: {few}, exponents: 2, sweeps: [], starts: 1, {within}),\
             OrbitDiagram(name: \"many\", system: \"dying\", over: {{\"m\": Values([{:?}])}}, transient: {transient}, points: {many}, exponents: 2, sweeps: [], starts: 1, {within}),\
             OrbitDiagram(name: \"cycle\", system: \"growing\", over: {{\"m\": Values([{growth:?}])}}, transient: 400, points: {many}, exponents: 2, sweeps: [], starts: 1, {within}),\
             OrbitDiagram(name: \"free\", system: \"free\", over: {{\"m\": Values([0])}}, transient: {transient}, points: {many}, exponents: 2, sweeps: [], starts: 1, {within})])",
            focus(-decay, 0.0),
            focus(growth, s),
            focus(0.0, 0.0),
            -decay,
            -decay,
        );
        let mut bad = vec![];
        for (name, kind, exponents) in [
            ("few", "rest", [-decay, -decay]),
            ("many", "rest", [-decay, -decay]),
            ("cycle", "orbit", [0.0, -2.0 * growth]),
            ("free", "orbit", [0.0, 0.0]),
        ] {
            let table = diagram(&text, name);
            if kinds(&table) != [kind] || !exponents_are(&table, &exponents, 1e-4 * w) {
                bad.push(format!("{name}: {:?}", kinds(&table)));
            }
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Driven pendulums that turn over, either way, and angles that turn unevenly by themselves, are orbits in every
/// section that they cross, and in the one that is taken by default. Their exponents are 0 and minus the damping.
#[test]
fn rotations_are_orbits_in_every_section() {
    let class = "rotations";
    let count = members(5);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (damping, way) = (random.between(0.3, 0.6), random.sign());
        let drive = way * random.between(1.3, 2.5);
        let value = random.between(0.0, std::f64::consts::TAU);
        let through = if way > 0.0 { "Rising" } else { "Falling" };
        let extreme = if way > 0.0 { "Maximum" } else { "Minimum" };
        let of = |name: &str, system: &str, section: &str| {
            format!(
                "OrbitDiagram(name: \"{name}\", system: \"{system}\", over: {{\"I\": Values([{drive:?}])}}, transient: 120, points: 12, exponents: 1{section})"
            )
        };
        let sections = [
            ("default", String::new()),
            ("value", format!(", section: {through}(\"q\", {value:?})")),
            ("phase", format!(", section: Phase(\"q\", {value:?})")),
            ("extreme", format!(", section: {extreme}(\"p\")")),
        ];
        let mut tasks: Vec<String> = sections
            .iter()
            .map(|(name, s)| of(name, "pendulum", s).replace("exponents: 1", "exponents: 2"))
            .collect();
        tasks.extend([of("alone", "alone", ""), of("steady", "steady", "")]);
        let text = format!(
            "Study(title: \"t\", systems: {{\
             \"pendulum\": Smooth(states: [\"q\", \"p\"], angles: {{\"q\": \"2*pi\"}}, parameters: {{\"I\": 1}}, equations: [\"q' = p\", \"p' = I - {damping:?}*p - sin(q)\"], start: {{\"p\": {:?}}}),\
             \"alone\": Smooth(states: [\"q\"], angles: {{\"q\": \"2*pi\"}}, parameters: {{\"I\": 1}}, equations: [\"q' = I - sin(q)\"]),\
             \"steady\": Smooth(states: [\"q\", \"p\"], angles: {{\"q\": \"2*pi\"}}, parameters: {{\"I\": 1}}, equations: [\"q' = p\", \"p' = I - {damping:?}*p\"])}}, \
             tasks: [{}])",
            drive / damping,
            tasks.join(", ")
        );
        let mut bad = vec![];
        for name in ["default", "value", "phase", "extreme", "alone", "steady"] {
            let table = diagram(&text, name);
            let periods = table.numbers("period").unwrap();
            let mut right = kinds(&table) == ["orbit"] && periods[0] == 1.0 && exponents_are(&table, &[0.0], 1e-6);
            if !matches!(name, "alone" | "steady") {
                right &= exponents_are(&table, &[0.0, -damping], 1e-6);
            }
            if matches!(name, "value" | "phase") {
                right &= table
                    .numbers("q")
                    .unwrap()
                    .iter()
                    .all(|q| (q - value).sin().abs() < 1e-6 && (q - value).cos() > 0.0);
            }
            if !right {
                bad.push(format!("{name}: {:?} {}", kinds(&table), periods[0]));
            }
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Balls that come to rest on a table by ever lower hits are lost, wherever and whenever points are taken; balls on a
/// table that falls away from them at each hit, and gives back what they lose, are not.
#[test]
fn hits_that_accumulate_are_lost_in_every_section() {
    let class = "accumulate";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (e, g, height) = (
            random.between(0.2, 0.9),
            random.log_between(0.1, 10.0),
            random.log_between(0.1, 10.0),
        );
        let (transient, points) = (1 + random.below(70), 4 + random.below(12));
        let gain = (1.0 - e) * random.between(0.5, 2.0);
        let ball = |reset: &str| {
            format!(
                "Hybrid(states: [\"x\", \"v\"], parameters: {{\"e\": {e:?}}}, modes: {{\"fly\": Mode(equations: [\"x' = v\", \"v' = -{g:?}\"], \
                 events: {{\"hit\": Event(guard: \"x\", direction: Down, to: \"fly\", reset: {{\"v\": \"{reset}\"}})}})}}, start: Start(mode: \"fly\", at: {{\"x\": {height:?}}}))"
            )
        };
        let of = |name: &str, system: &str, section: &str| {
            format!(
                "OrbitDiagram(name: \"{name}\", system: \"{system}\", over: {{\"e\": Values([{e:?}])}}, transient: {transient}, points: {points}, exponents: 2{section})"
            )
        };
        let text = format!(
            "Study(title: \"t\", systems: {{\"ball\": {}, \"driven\": {}}}, tasks: [{}, {}, {}])",
            ball("-e*v"),
            ball(&format!("-e*v + {gain:?}")),
            of("event", "ball", ", section: Event(\"hit\")"),
            of("default", "ball", ""),
            of("driven", "driven", ", section: Event(\"hit\")")
                .replace(&format!("transient: {transient}"), "transient: 400"),
        );
        let mut bad = vec![];
        for (name, kind) in [("event", "lost"), ("default", "lost"), ("driven", "orbit")] {
            let table = diagram(&text, name);
            let mut right = kinds(&table) == [kind];
            if name == "driven" {
                // Each hit multiplies what the speed is off by -e.
                let speed = gain / (1.0 - e);
                let period = 2.0 * speed / g;
                right &= exponents_are(&table, &[0.0, e.ln() / period], 1e-6 * (1.0 + e.ln().abs() / period));
            }
            if !right {
                bad.push(format!(
                    "{name}: {:?} {:?}",
                    kinds(&table),
                    table.texts("message").unwrap()[0]
                ));
            }
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Neurons that are set back when they fire, with an adaptation that decays by itself: exponents 0 and that rate. No
/// point is where the reset jumps over the section.
#[test]
fn neurons_have_the_exponents_of_their_orbits_and_do_not_fall_by_resets() {
    let class = "set back";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (current, low) = (random.between(1.2, 4.0), random.between(-1.0, 0.5));
        let (rate, step) = (random.log_between(0.2, 2.0), random.between(0.1, 2.0));
        let value = random.between(low + 0.1, 0.9);
        let of = |name: &str, section: &str| {
            format!(
                "OrbitDiagram(name: \"{name}\", over: {{\"I\": Values([{current:?}])}}, transient: 1500, points: 6, longest: 100, exponents: 2{section})"
            )
        };
        let text = format!(
            "Study(title: \"t\", system: Hybrid(states: [\"v\", \"w\"], parameters: {{\"I\": 1}}, modes: {{\"rest\": Mode(equations: [\"v' = I - v\", \"w' = -{rate:?}*w\"], \
             events: {{\"spike\": Event(guard: \"v - 1\", direction: Up, to: \"rest\", reset: {{\"v\": \"{low:?}\", \"w\": \"w + {step:?}\"}})}})}}, start: Start(mode: \"rest\", at: {{\"v\": {low:?}}})), \
             tasks: [{}, {}, {}])",
            of("default", ""),
            of("rising", &format!(", section: Rising(\"v\", {value:?})")),
            of("falling", &format!(", section: Falling(\"v\", {value:?})")),
        );
        let mut bad = vec![];
        for name in ["default", "rising"] {
            let table = diagram(&text, name);
            let place = if name == "rising" { value } else { 1.0 };
            let there = table.numbers("v").unwrap().iter().all(|v| (v - place).abs() < 1e-9);
            if kinds(&table) != ["orbit"] || !there || !exponents_are(&table, &[0.0, -rate], 1e-6) {
                bad.push(format!("{name}: {:?}", kinds(&table)));
            }
        }
        let table = diagram(&text, "falling");
        if kinds(&table) != ["unsettled"]
            || !table.texts("message").unwrap()[0].contains("does not come to the section")
        {
            bad.push(format!("falling: {:?}", kinds(&table)));
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Spirals of maps and of forced flows that grow from nearly nothing to an invariant circle, or decline to a point, are
/// no tori on their way; the circle is one.
#[test]
fn spirals_are_no_tori_on_their_way() {
    let class = "on their way";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let growth = random.log_between(0.008, 0.03);
        // Without slow beats, which are a known limit.
        let beats = |angle: f64| (1..9).any(|k| (0.5 * f64::from(k) * angle).sin().abs() < 0.1);
        let angle = loop {
            let angle = random.between(0.4, 2.7);
            if !beats(angle) {
                break angle;
            }
        };
        let start = random.log_between(1e-10, 1e-7);
        // After 60 points it is still far below its circle.
        let transient = random.below(120);
        let long = (30.0 / growth) as usize;
        let of = |name: &str, system: &str, m: f64, transient: usize| {
            format!(
                "OrbitDiagram(name: \"{name}\", system: \"{system}\", over: {{\"m\": Values([{m:?}])}}, transient: {transient}, exponents: 1)"
            )
        };
        let map = |x: f64| {
            format!(
                "Map(states: [\"x\", \"y\"], parameters: {{\"m\": 0}}, define: {{\"a\": \"exp(m)*(1 - x^2 - y^2)\"}}, \
                 equations: [\"x+ = a*(x*cos({angle:?}) - y*sin({angle:?}))\", \"y+ = a*(x*sin({angle:?}) + y*cos({angle:?}))\"], start: {{\"x\": {x:?}}})"
            )
        };
        let flow = format!(
            "Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": 0}}, forcing: Forcing(period: \"1\"), define: {{\"a\": \"m - x^2 - y^2\"}}, \
             equations: [\"x' = a*x - {angle:?}*y\", \"y' = a*y + {angle:?}*x\"], start: {{\"x\": {start:?}}})"
        );
        let text = format!(
            "Study(title: \"t\", systems: {{\"map\": {}, \"far\": {}, \"flow\": {flow}}}, tasks: [{}, {}, {}, {}, {}])",
            map(start),
            map(0.3),
            of("grows", "map", growth, transient),
            of("grown", "map", growth, long),
            of("declines", "far", -growth, transient),
            of("flows", "flow", growth, transient),
            of("flown", "flow", growth, long),
        );
        let mut bad = vec![];
        for (name, kind) in [
            ("grows", "unsettled"),
            ("grown", "torus"),
            ("declines", "unsettled"),
            ("flows", "unsettled"),
            ("flown", "torus"),
        ] {
            let table = diagram(&text, name);
            if kinds(&table) != [kind] {
                bad.push(format!("{name}: {:?}", kinds(&table)));
            }
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Neurons that fire hundreds of thousands of times within the longest time between two points, and never do what the
/// points are asked for at: the message says so, and nothing is waited for until then.
#[test]
fn what_never_happens_is_not_waited_for_through_millions_of_events() {
    let class = "never happens";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (current, never) = (random.between(1.5, 4.0), random.between(1.01, 1.4));
        let fast = random.log_between(1e4, 1e6);
        let text = format!(
            "Study(title: \"t\", system: Hybrid(states: [\"v\"], parameters: {{\"I\": {current:?}}}, modes: {{\"on\": Mode(equations: [\"v' = {fast:?}*(I - v)\"], events: {{\
             \"spike\": Event(guard: \"v - 1\", direction: Up, to: \"on\", reset: {{\"v\": \"0\"}}), \
             \"never\": Event(guard: \"v - {never:?}\", direction: Up, to: \"on\", reset: {{\"v\": \"0\"}})}})}}, start: Start(mode: \"on\", at: {{\"v\": 0}})), \
             tasks: [OrbitDiagram(name: \"d\", over: {{\"I\": Values([{current:?}])}}, section: Event(\"never\"), transient: 5, points: 5)])"
        );
        let table = diagram(&text, "d");
        let said = &table.texts("message").unwrap()[0];
        if kinds(&table) != ["unsettled"] || !said.contains("within 200000 events") {
            wrong.push((member, format!("{:?} {said}\n{text}", kinds(&table))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Motions that come to an orbit slowly, turning over in each round, as before a period doubling, have the period of that
/// orbit and not twice it: cycles of one and two points of a quadratic map, in a coordinate of any size, with a second
/// state beside it; and a forced orbit whose perturbations make half a turn in each period.
#[test]
fn orbits_before_a_period_doubling_have_their_own_period() {
    let class = "before doubling";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        // The multiplier of the orbit is -1 + δ.
        let delta = random.log_between(1e-3, 5e-2);
        let (transient, points) = ([200, 500, 2000][random.below(3)], 40 + random.below(80));
        let options = format!("transient: {transient}, points: {points}, exponents: 1");
        let (system, over, period) = match member % 3 {
            0 | 1 => {
                let (length, r) = match member % 3 {
                    0 => (1.0, 3.0 - delta),
                    _ => (2.0, 1.0 + (6.0 - delta).sqrt()),
                };
                let (size, place) = (random.log_between(1e-3, 1e3), random.between(-1.0, 1.0));
                let (x, other) = (format!("(x - ({place:?}))/{size:?}"), random.between(-0.8, 0.8));
                let system = format!(
                    "Map(states: [\"x\", \"y\"], parameters: {{\"r\": {r:?}}}, define: {{\"u\": \"{x}\"}}, \
                     equations: [\"x+ = {place:?} + {size:?}*r*u*(1 - u)\", \"y+ = {other:?}*y + u\"], \
                     start: {{\"x\": {:?}, \"y\": 0}})",
                    place + size * random.between(0.2, 0.8)
                );
                (system, format!("{{\"r\": Values([{r:?}])}}"), length)
            }
            _ => {
                let decay = -(-delta).ln_1p() / std::f64::consts::TAU;
                let a = random.log_between(0.1, 10.0);
                let system = format!(
                    "Smooth(states: [\"x\", \"y\"], parameters: {{\"d\": {decay:?}}}, forcing: Forcing(period: \"2*pi\"), \
                     define: {{\"u\": \"x - {a:?}*cos(t)\"}}, equations: [\"x' = -{a:?}*sin(t) - d*u - y/2\", \
                     \"y' = u/2 - d*y\"], start: {{\"x\": {:?}, \"y\": {:?}}})",
                    a * random.between(-2.0, 2.0),
                    a * random.between(-2.0, 2.0)
                );
                (system, format!("{{\"d\": Values([{decay:?}])}}"), 1.0)
            }
        };
        let text = format!(
            "Study(title: \"{class}\", system: {system}, tasks: [OrbitDiagram(name: \"o\", over: {over}, {options})])"
        );
        let table = diagram(&text, "o");
        let periods = table.numbers("period").unwrap();
        let fault = table
            .texts("kind")
            .unwrap()
            .iter()
            .zip(periods)
            .find(|(kind, found)| match kind.as_str() {
                "orbit" => **found != period,
                // Few points of a motion that is far from its orbit say too little.
                kind => kind != "unsettled",
            });
        if let Some((kind, found)) = fault {
            wrong.push((member, format!("{kind} of period {found}, not {period}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A motion that never comes to its section, and swings about an equilibrium far from zero beside its amplitude: it
/// rests there if it dies out, but not without damping, nor on a cycle about it, although every now and then it is on
/// its way there.
#[test]
fn what_swings_away_from_the_section_is_rest_only_if_it_dies_out() {
    let class = "swings away from the section";
    let count = members(15);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, a) = (random.log_between(0.1, 1e3), random.log_between(1e-3, 1.0));
        let place = a * random.log_between(2.0, 200.0);
        let (decay, phase) = (w * random.log_between(0.02, 0.1), random.between(0.0, 6.0));
        let lasts = random.between(0.3, 3.0) / w;
        // The square of the radius beside the amplitude: a cycle at 0.382 that repels, one at 2.618 that attracts.
        for (radial, radius, rests) in [("0", 1.0, false), ("-d", 0.3, true), ("d*(3*q - 1 - q^2)", 1.5, false)] {
            let mode = "\"u' = rate*(u - b) - W*z\", \"z' = W*(u - b) + rate*z\"";
            let text = format!(
                "Study(title: \"t\", system: Hybrid(states: [\"v\", \"u\", \"z\"], parameters: {{\"b\": {place:?}, \"W\": {w:?}, \"d\": {decay:?}}}, \
                 define: {{\"q\": \"((u - b)^2 + z^2)/({a:?})^2\", \"rate\": \"{radial}\"}}, modes: {{\
                 \"S\": Mode(equations: [\"v' = -1\", {mode}], events: {{\"stop\": Event(guard: \"v\", direction: Down, to: \"K\")}}),\
                 \"K\": Mode(kind: Stick, absent: {{\"v\": \"0\"}}, equations: [{mode}], events: {{\"go\": Event(guard: \"u - b - {:?}\", direction: Up, to: \"S\")}})}}, \
                 start: Start(mode: \"S\", at: {{\"v\": {lasts:?}, \"u\": {:?}, \"z\": {:?}}})), \
                 tasks: [OrbitDiagram(name: \"o\", over: {{\"b\": Values([{place:?}])}}, section: Event(\"K go\"), transient: 200, points: 10)])",
                3.0 * a,
                place + radius * a * phase.cos(),
                radius * a * phase.sin(),
            );
            let found = kinds(&diagram(&text, "o"));
            if (found == ["rest"]) != rests {
                wrong.push((member, format!("{radial}: {found:?}\n{text}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
}
