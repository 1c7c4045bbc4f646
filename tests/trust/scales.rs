//! Shipped studies in other units: states, parameters and time times powers of ten, by rewriting the text.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;

/// What a study file is made of.
#[derive(Clone, Debug)]
enum Ron {
    Text(String),
    Number(f64),
    Word(String),
    List(Vec<Ron>),
    Map(Vec<(String, Ron)>),
    /// A name (which may be empty) with keys (which may be, too).
    Keys(String, Vec<(String, Ron)>),
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        loop {
            let rest = &self.text[self.at..];
            let skipped = rest.len() - rest.trim_start().len();
            self.at += skipped;
            if !self.text[self.at..].starts_with("//") {
                return self.text.as_bytes()[self.at];
            }
            self.at += self.text[self.at..].find('\n').unwrap();
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    fn while_true(&mut self, mut keep: impl FnMut(char) -> bool) -> String {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn items(&mut self, close: u8, keyed: bool) -> Vec<(String, Ron)> {
        let mut items = vec![];
        while !self.take(close) {
            let begin = self.at;
            let key = match self.peek() {
                b'"' => self.quoted(),
                _ => self.while_true(|c| c.is_alphanumeric() || c == '_'),
            };
            let has_key = keyed && self.take(b':');
            if !has_key {
                self.at = begin;
            }
            let value = self.value();
            items.push((if has_key { key } else { String::new() }, value));
            self.take(b',');
        }
        items
    }

    fn quoted(&mut self) -> String {
        assert!(self.take(b'"'));
        let rest = &self.text[self.at..];
        let end = rest.find('"').unwrap();
        self.at += end + 1;
        rest[..end].to_owned()
    }

    fn value(&mut self) -> Ron {
        match self.peek() {
            b'"' => Ron::Text(self.quoted()),
            b'[' => {
                self.at += 1;
                Ron::List(self.items(b']', false).into_iter().map(|i| i.1).collect())
            }
            b'{' => {
                self.at += 1;
                Ron::Map(self.items(b'}', true))
            }
            b'+' | b'-' | b'0'..=b'9' => Ron::Number(
                self.while_true(|c| c.is_ascii_digit() || "+-.eE".contains(c))
                    .parse()
                    .unwrap(),
            ),
            _ => {
                let name = self.while_true(|c| c.is_alphanumeric() || c == '_');
                if self.take(b'(') {
                    Ron::Keys(name, self.items(b')', true))
                } else {
                    Ron::Word(name)
                }
            }
        }
    }
}

impl std::fmt::Display for Ron {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keyed = |items: &[(String, Ron)], quote: &str| {
            let one = |(k, v): &(String, Ron)| match k.is_empty() {
                true => v.to_string(),
                false => format!("{quote}{k}{quote}: {v}"),
            };
            items.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Text(t) => write!(f, "\"{t}\""),
            // Counts are whole numbers, which are written as such.
            Self::Number(v) if v.fract() == 0.0 && v.abs() < 1e6 => write!(f, "{v}"),
            Self::Number(v) => write!(f, "{v:?}"),
            Self::Word(w) => f.write_str(w),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Map(items) => write!(f, "{{{}}}", keyed(items, "\"")),
            Self::Keys(name, items) => write!(f, "{name}({})", keyed(items, "")),
        }
    }
}

impl Ron {
    fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(items) | Self::Keys(_, items) => items.iter().find(|i| i.0 == key).map(|i| &i.1),
            _ => None,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Text(t) | Self::Word(t) => t,
            other => panic!("no text: {other}"),
        }
    }

    fn items(&self) -> &[(String, Self)] {
        match self {
            Self::Map(items) | Self::Keys(_, items) => items,
            other => panic!("no keys: {other}"),
        }
    }

    /// With each item replaced by what becomes of it.
    fn each(&self, of: impl Fn(&str, &Self) -> Self) -> Self {
        let items = |items: &[(String, Self)]| items.iter().map(|(k, v)| (k.clone(), of(k, v))).collect();
        match self {
            Self::List(values) => Self::List(values.iter().map(|v| of("", v)).collect()),
            Self::Map(all) => Self::Map(items(all)),
            Self::Keys(name, all) => Self::Keys(name.clone(), items(all)),
            other => other.clone(),
        }
    }
}

/// New units: what is `x` in the study is `x` divided by its unit in the rewritten one.
struct Units {
    states: Vec<(String, f64)>,
    parameters: Vec<(String, f64)>,
    time: f64,
    /// What guards and conditions are multiplied by.
    guards: f64,
}

impl Units {
    fn random(system: &Ron, random: &mut Random, exponents: [i32; 3]) -> Self {
        let mut power = |most: i32| 10f64.powi(random.below(2 * most as usize + 1) as i32 - most);
        let (state, parameter, time) = (power(exponents[0]), power(exponents[1]), power(exponents[2]));
        let is_angle = |name: &str| system.get("angles").is_some_and(|a| a.get(name).is_some());
        let Some(Ron::List(states)) = system.get("states") else {
            panic!("no states")
        };
        let unit = |s: &Ron| (s.text().to_owned(), if is_angle(s.text()) { 1.0 } else { state });
        let parameters = system.get("parameters").unwrap().items();
        let states: Vec<(String, f64)> = states.iter().map(unit).collect();
        Self {
            states,
            parameters: parameters.iter().map(|(name, _)| (name.clone(), parameter)).collect(),
            time,
            guards: 1.0,
        }
        .with_monitors(system)
    }

    /// Every state that is no angle, and every parameter, in units of its own, up to 10^±`most` times those of all.
    fn apart(mut self, system: &Ron, random: &mut Random, most: i32) -> Self {
        let count = match system.get("states") {
            Some(Ron::List(states)) => states.len(),
            _ => 0,
        };
        self.states.truncate(count);
        let is_angle = |name: &str| system.get("angles").is_some_and(|a| a.get(name).is_some());
        for (name, unit) in self.states.iter_mut().chain(&mut self.parameters) {
            if !is_angle(name) {
                *unit *= 10f64.powi(random.below(2 * most as usize + 1) as i32 - most);
            }
        }
        self.with_monitors(system)
    }

    fn with_monitors(mut self, system: &Ron) -> Self {
        // Monitors have the units of what they measure.
        for (name, monitor) in system.get("monitors").map_or(&[][..], Ron::items) {
            let of = monitor.get("of").map(Ron::text);
            let unit = of.map_or(self.time, |of| self.states.iter().find(|s| s.0 == of).unwrap().1);
            self.states.push((name.clone(), unit));
        }
        self
    }

    fn with_guards(self, random: &mut Random, most: i32) -> Self {
        let guards = 10f64.powi(random.below(2 * most as usize + 1) as i32 - most);
        Self { guards, ..self }
    }

    fn of(&self, name: &str) -> f64 {
        let name = name.strip_suffix("_max").unwrap_or(name);
        let all = self.states.iter().chain(&self.parameters);
        all.into_iter()
            .find(|u| u.0 == name)
            .map_or(if name == "period" { self.time } else { 1.0 }, |u| u.1)
    }

    /// An expression of the study in the new units, but for the names of arguments.
    fn expression(&self, text: &str, arguments: &[&str]) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let word = |c: char| c.is_alphanumeric() || c == '_' || (c == '.');
            let end = if word(c) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else {
                c.len_utf8()
            };
            let token = &rest[..end];
            let unit = if arguments.contains(&token) {
                1.0
            } else if token == "t" {
                self.time
            } else {
                self.of(token)
            };
            out += &if unit == 1.0 {
                token.to_owned()
            } else {
                format!("({token}/({unit:?}))")
            };
            rest = &rest[end..];
        }
        out
    }

    fn times(&self, value: &Ron, unit: f64) -> Ron {
        match value {
            Ron::Number(v) => Ron::Number(v * unit),
            Ron::Text(t) => Ron::Text(format!("({unit:?})*({})", self.expression(t, &[]))),
            other => other.each(|_, v| self.times(v, unit)),
        }
    }

    /// Values by names.
    fn values(&self, map: &Ron) -> Ron {
        map.each(|name, v| self.times(v, self.of(name)))
    }

    /// Equations, events and values of a mode in the new units.
    fn mode(&self, mode: &Ron) -> Ron {
        let scaled = |text: &str| format!("{:?}*({})", self.guards, self.expression(text, &[]));
        let condition = |v: &Ron| {
            let (left, relation, right) = ["<", ">"]
                .iter()
                .find_map(|r| v.text().split_once(r).map(|(a, b)| (a, r, b)))
                .unwrap();
            Ron::Text(format!("{} {relation} {}", scaled(left), scaled(right)))
        };
        let assigned = |values: &Ron| {
            values.each(|name, v| {
                let text = match v {
                    Ron::Number(v) => format!("{v:?}"),
                    v => v.text().to_owned(),
                };
                Ron::Text(format!("{:?}*({})", self.of(name), self.expression(&text, &[])))
            })
        };
        let event = |event: &Ron| {
            event.each(|key, value| match key {
                "guard" => Ron::Text(scaled(value.text())),
                "when" => value.each(|_, v| condition(v)),
                "reset" => assigned(value),
                _ => value.clone(),
            })
        };
        mode.each(|key, value| match key {
            "equations" => self.equations(value),
            "absent" => assigned(value),
            "events" => value.each(|_, v| event(v)),
            "require" => value.each(|_, v| condition(v)),
            _ => value.clone(),
        })
    }

    fn equations(&self, equations: &Ron) -> Ron {
        equations.each(|_, v| {
            let (left, right) = v.text().split_once('=').unwrap();
            let rate = self.of(left.trim().trim_end_matches('\'')) / self.time;
            Ron::Text(format!("{left}= ({rate:?})*({})", self.expression(right, &[])))
        })
    }

    fn system(&self, system: &Ron) -> Ron {
        let rewritten = |list: &Ron| list.each(|_, v| Ron::Text(self.expression(v.text(), &[])));
        system.each(|key, value| match key {
            "parameters" => self.values(value),
            "define" => Ron::Map(
                value
                    .items()
                    .iter()
                    .map(|(name, v)| {
                        let inside = name.split_once('(').map_or("", |n| n.1.trim_end_matches(')'));
                        let arguments: Vec<&str> = inside.split(',').map(str::trim).collect();
                        (name.clone(), Ron::Text(self.expression(v.text(), &arguments)))
                    })
                    .collect(),
            ),
            "equations" => self.equations(value),
            "modes" => value.each(|_, mode| self.mode(mode)),
            "start" => value.each(|key, v| if key == "at" { self.values(v) } else { v.clone() }),
            "forcing" => value.each(|key, v| match key {
                "period" => Ron::Text(format!("{:?}*({})", self.time, self.expression(v.text(), &[]))),
                _ => v.clone(),
            }),
            "require" => rewritten(value),
            _ => value.clone(),
        })
    }

    fn curve(&self, curve: &Ron) -> Ron {
        let free = self.of(curve.get("free").unwrap().text());
        curve.each(|key, value| match key {
            "set" | "levels" | "within" => self.values(value),
            "range" => self.times(value, free),
            "step" => value.each(|key, v| self.times(v, if key == "turn" { 1.0 } else { free })),
            "start" => value.each(|key, value| match (key, value) {
                ("at", Ron::Map(_)) => self.values(value),
                ("states", _) => value.each(|_, v| self.values(v)),
                ("durations", _) => self.times(value, self.time),
                _ => value.clone(),
            }),
            _ => value.clone(),
        })
    }

    fn locus(&self, locus: &Ron) -> Ron {
        let free: Vec<f64> = locus
            .get("free")
            .unwrap()
            .items()
            .iter()
            .map(|f| self.of(f.1.text()))
            .collect();
        locus.each(|key, value| match (key, value) {
            ("range", Ron::Keys(name, ranges)) => {
                let scaled = ranges
                    .iter()
                    .zip(&free)
                    .map(|((key, v), unit)| (key.clone(), self.times(v, *unit)));
                Ron::Keys(name.clone(), scaled.collect())
            }
            ("levels" | "within" | "among", _) => self.values(value),
            _ => value.clone(),
        })
    }

    fn study(&self, study: &Ron) -> Ron {
        let Ron::Keys(name, items) = study else {
            panic!("no study")
        };
        let kept = items.iter().filter(|i| i.0 != "figures");
        let kept = kept.cloned().collect();
        Ron::Keys(name.clone(), kept).each(|key, value| match key {
            "system" => self.system(value),
            "curves" => value.each(|_, curve| self.curve(curve)),
            "loci" => value.each(|_, locus| self.locus(locus)),
            _ => value.clone(),
        })
    }
}

fn without_loci(study: &Ron) -> Ron {
    let Ron::Keys(name, items) = study else {
        panic!("no study")
    };
    Ron::Keys(name.clone(), items.iter().filter(|i| i.0 != "loci").cloned().collect())
}

/// Curve, label and parameters of all labelled points, in the old units.
fn labels(result: &RunResult, units: &Units) -> Vec<(String, Label, Vec<f64>)> {
    let mut found = vec![];
    for curve in &result.curves {
        for (_, _, p) in curve.points().filter(|(_, _, p)| p.label.is_some()) {
            let parameters = p.record.parameters.iter().zip(&units.parameters);
            let parameters = parameters.map(|(v, u)| v / u.1).collect();
            found.push((curve.name.clone(), p.label.unwrap(), parameters));
        }
    }
    found
}

/// The numbers of the studies whose members are wrong, over `count` members of each, with what is wrong. `units` draws
/// the units of one member.
fn in_other_units(class: &str, studies: &[&str], count: usize, draw: &dyn Fn(&Ron, &mut Random) -> Units) {
    let mut wrong = vec![];
    for (number, text) in studies.iter().enumerate() {
        let study = without_loci(&Reader { text, at: 0 }.value());
        let system = study.get("system").unwrap();
        let plain = Units::random(system, &mut Random::of("plain", 0), [0; 3]);
        let known = labels(&run(&plain.study(&study).to_string()), &plain);
        assert!(!known.is_empty());
        for member in 0..count {
            let mut random = Random::of(class, 1000 * number + member);
            let units = draw(system, &mut random);
            let text = units.study(&study).to_string();
            let found = labels(&run(&text), &units);
            let same = |(a, b): (&(String, Label, Vec<f64>), &(String, Label, Vec<f64>))| {
                let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * y.abs().max(1e-3);
                a.0 == b.0 && a.1 == b.1 && a.2.iter().zip(&b.2).all(near)
            };
            if found.len() != known.len() || !found.iter().zip(&known).all(same) {
                let first = found.iter().zip(&known).find(|(a, b)| !same((a, b)));
                wrong.push((
                    1000 * number + member,
                    format!("{} labels, not {}; {first:?}\n{text}", found.len(), known.len()),
                ));
            }
        }
    }
    none_wrong(class, count * studies.len(), &wrong);
}

/// Equilibria, cycles and their branches in units up to 10^±12 of the states, 10^±12 of the parameters and 10^±6 of
/// time: the same curves with the same labels in the same order, at the same places to nine digits.
#[test]
fn studies_in_other_units() {
    let studies = [
        include_str!("../../studies/benchmarks/cusp.ron"),
        include_str!("../../studies/benchmarks/lrz.ron"),
        include_str!("../../studies/benchmarks/pp2.ron"),
        include_str!("../../studies/benchmarks/frc.ron"),
        include_str!("../../studies/benchmarks/ab.ron"),
        include_str!("../../studies/benchmarks/tor.ron"),
    ];
    in_other_units("units", &studies, members(1), &|system, random| {
        Units::random(system, random, [12, 12, 6])
    });
}

/// Orbits with impacts and stops, likewise, and their guards and conditions times 10^±9.
#[test]
fn hybrid_studies_in_other_units() {
    let studies = [
        include_str!("../by_hand/impact.ron"),
        include_str!("../by_hand/fric.ron"),
        // Without the branch that leaves it: where that one returns it may be named otherwise.
        &include_str!("../by_hand/bangbang.ron").replace("branches: [SB],", ""),
        include_str!("../by_hand/impduff.ron"),
        include_str!("../by_hand/stickslip.ron"),
    ];
    // The first and the third take most of the time: they are drawn where more than a few members are asked for.
    let few = [studies[1], studies[3], studies[4]];
    let drawn: &[&str] = if members(1) > 1 { &studies } else { &few };
    in_other_units("hybrid units", drawn, members(1), &|system, random| {
        Units::random(system, random, [12, 12, 6]).with_guards(random, 9)
    });
}

/// A study of a system with events in units of about one, and what its curve `c` has in closed form: label, parameter
/// and its value.
type Member = (String, Vec<(Label, &'static str, f64)>);

/// x'' + c x' + k x = A cos(omega t) beside a wall at d: orbits with impacts begin where that without them grazes, at A
/// = d |k - omega² + i c omega|.
fn grazing(r: &mut Random) -> Member {
    let (c, k, omega, d) = (
        r.between(0.1, 0.5),
        r.between(0.5, 2.0),
        r.between(0.4, 2.0),
        r.between(0.5, 2.0),
    );
    let at = d * (k - omega * omega).hypot(c * omega);
    let text = format!(
        "Study(title: \"grazing\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"A\": {:?}, \"c\": {c:?}, \"k\": {k:?}, \"omega\": {omega:?}, \
         \"d\": {d:?}}}, forcing: Forcing(period: \"2*pi/omega\", phase: \"theta\"), modes: {{\"flight\": Mode(equations: [\"x' = v\", \
         \"v' = A*cos(omega*t) - c*v - k*x\"], events: {{\"impact\": Event(guard: \"x - d\", direction: Up, to: \"flight\", reset: {{\"v\": \"-v/2\"}})}})}}), \
         curves: [Curve(name: \"c\", orbit: Periodic(\"flight impact\"), start: All(at: {{\"A\": {:?}}}, seeds: 40), free: \"A\", range: ({:?}, {:?}))])",
        0.5 * at,
        0.5 * at,
        0.2 * at,
        2.0 * at,
    );
    (text, vec![(Label::GR, "A", at)])
}

/// A ball on a table that moves as A sin(omega t): with the restitution e, orbits with one impact per period are born
/// where A omega is half of g T (1 - e)/(1 + e), and double their period where the table's acceleration at the impact
/// is 2 g (1 + e²)/(1 + e)².
fn bouncing(r: &mut Random) -> Member {
    let (g, omega, e) = (r.between(0.5, 2.0), r.between(0.5, 2.0), r.between(0.2, 0.8));
    let period = std::f64::consts::TAU / omega;
    let along = 0.5 * g * period * (1.0 - e) / (1.0 + e) / omega;
    let across = 2.0 * g * (1.0 + e * e) / (1.0 + e).powi(2) / (omega * omega);
    let (fold, doubling) = (along, along.hypot(across));
    let start = 0.5 * (fold + doubling);
    let phase = (fold / start).acos();
    let text = format!(
        "Study(title: \"bouncing\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"A\": {start:?}, \"g\": {g:?}, \"omega\": {omega:?}, \"e\": {e:?}}}, \
         forcing: Forcing(period: \"2*pi/omega\", phase: \"theta\"), modes: {{\"flight\": Mode(equations: [\"x' = v\", \"v' = -g\"], events: {{\
         \"impact\": Event(guard: \"x - A*sin(omega*t)\", direction: Down, to: \"flight\", reset: {{\"v\": \"(1 + e)*A*omega*cos(omega*t) - e*v\"}})}})}}), \
         curves: [Curve(name: \"c\", orbit: Periodic(\"flight impact\"), start: Guess(at: {{\"A\": {start:?}}}, states: [{{\"x\": {:?}, \"v\": {:?}, \
         \"theta\": {phase:?}}}], durations: [{period:?}]), free: \"A\", range: ({:?}, {:?}))])",
        start * phase.sin(),
        0.5 * g * period,
        0.5 * fold,
        doubling + 0.2 * (doubling - fold),
    );
    (text, vec![(Label::LP, "A", fold), (Label::PD, "A", doubling)])
}

/// A thermostat x' = k (c - x) or -k (a + x) that switches at x = ±b: its period tells b.
fn thermostat(r: &mut Random) -> Member {
    let (a, c, k) = (r.between(0.5, 2.0), r.between(0.5, 2.0), r.between(0.3, 3.0));
    let most = 0.8 * a.min(c);
    let level = r.between(0.3, 0.7) * most;
    let half = |to: f64, b: f64| ((to + b) / (to - b)).ln() / k;
    let text = format!(
        "Study(title: \"thermostat\", system: Hybrid(states: [\"x\", \"y\"], parameters: {{\"b\": {:?}, \"a\": {a:?}, \"c\": {c:?}, \"k\": {k:?}}}, modes: {{\
         \"cools\": Mode(equations: [\"x' = -k*(a + x)\", \"y' = k*(x - y)\"], events: {{\"low\": Event(guard: \"x + b\", direction: Down, to: \"heats\")}}), \
         \"heats\": Mode(equations: [\"x' = k*(c - x)\", \"y' = k*(x - y)\"], events: {{\"high\": Event(guard: \"x - b\", direction: Up, to: \"cools\")}})}}, \
         monitors: {{\"warm\": Duration(modes: [\"heats\"])}}, start: Start(mode: \"heats\", at: {{\"x\": 0}})), \
         curves: [Curve(name: \"c\", orbit: Periodic(\"cools low heats high\"), start: Settle(at: {{}}), free: \"b\", range: ({:?}, {most:?}), \
         levels: {{\"period\": [{:?}], \"warm\": [{:?}], \"x_max\": [{level:?}]}})])",
        0.5 * most,
        0.1 * most,
        half(a, 0.8 * level) + half(c, 0.8 * level),
        half(c, 0.9 * level),
    );
    let places = [0.8, 0.9, 1.0].map(|part| (Label::UZ, "b", part * level));
    (text, places.to_vec())
}

/// Systems with events whose places are known in closed form, in units up to 10^±12 of states and parameters, 10^±6 of
/// time and 10^±9 of guards, in which states and parameters differ by up to 10^±3 more from each other: right to nine
/// digits.
#[test]
fn hybrid_systems_in_random_units() {
    let classes = [grazing, bouncing, thermostat];
    let count = members(4);
    let mut wrong = vec![];
    for (number, class) in classes.iter().enumerate() {
        for member in 0..count {
            let mut random = Random::of("hybrid systems", 1000 * number + member);
            let (text, places) = class(&mut random);
            let study = Reader { text: &text, at: 0 }.value();
            let system = study.get("system").unwrap();
            let units = Units::random(system, &mut random, [12, 12, 6])
                .apart(system, &mut random, 3)
                .with_guards(&mut random, 9);
            let text = units.study(&study).to_string();
            let result = run(&text);
            let found = labels(&result, &units);
            let has = |(label, name, value): &(Label, &str, f64)| {
                let at = units.parameters.iter().position(|p| p.0 == *name).unwrap();
                found
                    .iter()
                    .any(|f| f.1 == *label && (f.2[at] - value).abs() <= 1e-9 * value)
            };
            // Beside a grazing there are folds and doublings, too, of which no closed form tells.
            let whole = !places.iter().any(|p| p.0 == Label::GR);
            let others = |f: &&(String, Label, Vec<f64>)| f.1 != Label::EP && !places.iter().any(|p| p.0 == f.1);
            let spurious = whole && found.iter().any(|f| others(&f));
            if !places.iter().all(has) || spurious {
                wrong.push((
                    1000 * number + member,
                    format!("{places:?}: {found:?} {:?}\n{text}", result.missing),
                ));
            }
        }
    }
    none_wrong("hybrid systems", count * classes.len(), &wrong);
}

/// Two-parameter curves of systems with events in random units: grazing at A = d |k - omega² + i c omega| over d, folds
/// and doublings of a bouncing ball over the restitution, at levels of the second parameter.
#[test]
fn two_parameter_curves_of_hybrid_systems_in_random_units() {
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("hybrid loci", member);
        let number = |text: &str, name: &str| -> f64 {
            let from = text.split_once(&format!("\"{name}\": ")).unwrap().1;
            from.split([',', '}']).next().unwrap().parse().unwrap()
        };
        let (text, _) = if member % 3 == 0 {
            grazing(&mut random)
        } else {
            bouncing(&mut random)
        };
        let (second, label, at) = if member % 3 == 0 {
            let [c, k, omega, d] = ["c", "k", "omega", "d"].map(|name| number(&text, name));
            let level = d * random.between(1.2, 1.7);
            ("d", Label::GR, (level, level * (k - omega * omega).hypot(c * omega)))
        } else {
            let [g, omega, e] = ["g", "omega", "e"].map(|name| number(&text, name));
            let level = e * random.between(0.7, 0.9);
            let along = 0.5 * g * std::f64::consts::TAU / omega * (1.0 - level) / (1.0 + level) / omega;
            let across = 2.0 * g * (1.0 + level * level) / (1.0 + level).powi(2) / (omega * omega);
            if member % 3 == 1 {
                ("e", Label::LP, (level, along))
            } else {
                ("e", Label::PD, (level, along.hypot(across)))
            }
        };
        let (level, place) = at;
        let own = number(&text, second);
        let text = format!(
            "{}, loci: [Locus(name: \"l\", from: \"c: {label}\", free: (\"A\", \"{second}\"), range: (({:?}, {:?}), ({:?}, {:?})), \
             levels: {{\"{second}\": [{level:?}]}})])",
            text.strip_suffix(')').unwrap(),
            0.2 * place,
            5.0 * place,
            own.min(level) * 0.95,
            own.max(level) * 1.05,
        );
        let study = Reader { text: &text, at: 0 }.value();
        let system = study.get("system").unwrap();
        let units = Units::random(system, &mut random, [12, 12, 6])
            .apart(system, &mut random, 3)
            .with_guards(&mut random, 9);
        let text = units.study(&study).to_string();
        let result = run(&text);
        let index = |name: &str| units.parameters.iter().position(|p| p.0 == name).unwrap();
        let found: Vec<_> = labels(&result, &units).into_iter().filter(|f| f.0 == "l").collect();
        let right = found.iter().any(|f| {
            f.1 == Label::UZ
                && (f.2[index(second)] - level).abs() <= 1e-9 * level
                && (f.2[index("A")] - place).abs() <= 1e-9 * place
        });
        if !right || found.iter().any(|f| f.1 == Label::MX) {
            wrong.push((
                member,
                format!("{label} {level} {place}: {found:?} {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong("hybrid loci", count, &wrong);
}

/// Concentrations in units of which they are 1e-4 to 1e-8: transients, searches and random starts find what they find
/// where they are about one.
#[test]
fn states_far_below_one_are_found_like_others() {
    let class = "small units";
    let count = members(1);
    let study = |unit: f64, a: f64| {
        format!(
            "Study(title: \"units\", system: Smooth(states: [\"X\", \"Y\"], parameters: {{\"A\": {a:?}, \"B\": 3}}, \
             equations: [\"X' = A*{unit:?} - (B + 1)*X + X^2*Y/({unit:?})^2\", \"Y' = B*X - X^2*Y/({unit:?})^2\"], start: {{\"X\": {unit:?}, \"Y\": {unit:?}}}), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"B\": 1}}), free: \"B\", range: (0.1, 6)), \
             Curve(name: \"settled\", orbit: PeriodicOrbit, start: Settle(at: {{\"B\": 3.5}}), free: \"B\", range: (1, 5), levels: {{\"B\": [4]}}), \
             Curve(name: \"all\", orbit: PeriodicOrbit, start: All(at: {{\"B\": 3.5}}), free: \"B\", range: (1, 5), levels: {{\"B\": [4]}})], \
             attractors: [Attractors(name: \"seen\", sweep: \"B\", range: (1.2, 4), count: 2, starts: 4)])"
        )
    };
    let found = |unit: f64, a: f64| {
        let result = run(&study(unit, a));
        let mut all: Vec<(String, f64)> = vec![];
        for c in &result.curves {
            let labelled = c
                .points()
                .filter(|(_, _, p)| matches!(p.label, Some(Label::HB | Label::UZ)));
            all.extend(labelled.map(|(_, _, p)| (format!("{} {}", c.name, p.label.unwrap()), p.record.parameters[1])));
            let at_level = c.points().filter(|(_, _, p)| p.label == Some(Label::UZ));
            all.extend(at_level.map(|(_, _, p)| (format!("{} period", c.name), p.record.period)));
        }
        for sweep in &result.attractors {
            let kinds = sweep.found.iter().map(|a| format!("{:?}", a.kind));
            let kinds = kinds.map(|kind| kind.chars().take_while(|c| c.is_alphabetic()).collect::<String>());
            all.extend(kinds.map(|kind| (kind, 1.0)));
        }
        (all, result)
    };
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (unit, a) = (random.log_between(1e-8, 1e-4), random.between(0.9, 1.1));
        let ((small, result), (ordinary, _)) = (found(unit, a), found(1.0, a));
        let same = small.len() == ordinary.len()
            && small
                .iter()
                .zip(&ordinary)
                .all(|(a, b)| a.0 == b.0 && (a.1 / b.1 - 1.0).abs() < 1e-7);
        if !same || small.len() < 7 {
            wrong.push((
                member,
                format!("{small:?}\n{ordinary:?}\n{:?}\n{}", result.missing, study(unit, a)),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
