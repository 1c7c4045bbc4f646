//! Orbits with events known in closed form, written down in random smooth coordinates, other ones in each mode, with a
//! random smooth function of the parameter: fields, guards and resets change, but no label, place, criticality or
//! coefficient.

use super::curved::{Curved, say};
use super::hybrid::Impacts;
use super::hybrid_forms::inverse_exponential;
use super::known::{Verdict, curve, labels, none_wrong, run};
use super::map_forms::{Doubling, Rotation};
use super::normal_forms::{class, coefficient};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;
use std::f64::consts::TAU;
use std::fmt::Write;

/// The exponents of the scales of states, parameter and time.
pub(crate) const SCALES: [f64; 3] = [2.0, 5.0, 3.0];
/// Places of labels are right to this part of the range.
const PLACES: f64 = 1e-9;
/// Coefficients are right to this part of their size.
const COEFFICIENTS: f64 = 1e-8;

/// An event as it is known: its guard and what it sets the states of the next mode to, in u of the mode that it ends.
pub(crate) struct Event {
    pub(crate) name: &'static str,
    pub(crate) guard: String,
    pub(crate) up: bool,
    pub(crate) to: usize,
    pub(crate) reset: Vec<String>,
}

/// A mode as it is known: the rates of u, and the events.
pub(crate) struct Mode {
    pub(crate) rates: Vec<String>,
    pub(crate) events: Vec<Event>,
}

/// What is between `states` and `start` of a hybrid system whose modes are written down in coordinates of their own:
/// definitions and modes `m0`, `m1`, ….
pub(crate) fn written(random: &mut Random, coordinates: &[Curved], modes: &[Mode]) -> String {
    let own = |text: &str, k: usize| text.replace('u', &format!("m{k}u"));
    let (mut define, mut text) = (coordinates[0].define_parameter(), String::new());
    for (k, mode) in modes.iter().enumerate() {
        define += &coordinates[k].define_known(&format!("m{k}"));
        for (i, rate) in mode.rates.iter().enumerate() {
            say(&mut define, &format!("f{k}u"), i, &own(rate, k));
        }
        define += &coordinates[k].define_rates(&format!("m{k}"), &format!("f{k}"));
        let rates = coordinates[k].rates(&format!("f{k}"));
        let equations: Vec<String> = (rates.iter().enumerate())
            .map(|(i, right)| format!("\"x{}' = {right}\"", i + 1))
            .collect();
        let mut events = String::new();
        // A guard times an even function that is positive has the same zeros.
        let size = random.log_between(1e-2, 1e2);
        let waves = format!("(1 + 0.4*cos(({:?})*u1))", random.between(0.2, 1.0));
        for (e, event) in mode.events.iter().enumerate() {
            let of = format!("r{k}{}", ["a", "b"][e]);
            for (i, image) in event.reset.iter().enumerate() {
                say(&mut define, &format!("{of}u"), i, &own(image, k));
            }
            define += &coordinates[event.to].define_states(&of);
            let images: Vec<String> = (coordinates[event.to].images(&of).iter().enumerate())
                .map(|(i, image)| format!("\"x{}\": \"{image}\"", i + 1))
                .collect();
            let _ = write!(
                events,
                "\"{}\": Event(guard: \"({size:?})*({})*{}\", direction: {}, to: \"m{}\", reset: {{{}}}), ",
                event.name,
                own(&event.guard, k),
                own(&waves, k),
                if event.up { "Up" } else { "Down" },
                event.to,
                images.join(", ")
            );
        }
        let _ = write!(
            text,
            "\"m{k}\": Mode(equations: [{}], events: {{{events}}}), ",
            equations.join(", ")
        );
    }
    format!("define: {{{define}}}, modes: {{{text}}}")
}

/// The names of the states, as studies write them.
pub(crate) fn states(n: usize) -> String {
    let names: Vec<String> = (1..=n).map(|i| format!("\"x{i}\"")).collect();
    names.join(", ")
}

/// Between events w' = h G w and c' = h, with any rate h > 0; where c = 1, in one mode or the second of two, w is set
/// to f(w) of its value before the flight, and c to 0. u is w + o(q) and c.
struct Clockwork {
    coordinates: Vec<Curved>,
    offset: Vec<[f64; 2]>,
    system: String,
    durations: Vec<f64>,
}

impl Clockwork {
    /// Where orbits away from w = 0 are given, the rate is `even`: the same for all w, so that durations are known.
    fn random(random: &mut Random, fields: &[String], even: bool) -> Self {
        let n = fields.len();
        let count = 1 + random.below(2);
        let mut coordinates: Vec<Curved> = (0..count)
            .map(|_| Curved::random(random, n + 1, SCALES, false))
            .collect();
        // Scales of the parameter and of time are those of all modes.
        let (parameter, time) = (coordinates[0].linear.parameter, coordinates[0].linear.time);
        for c in &mut coordinates {
            (c.linear.parameter, c.linear.time) = (parameter, time);
        }
        let offset: Vec<[f64; 2]> = (0..n)
            .map(|_| [random.between(-1.0, 1.0), random.between(-0.3, 0.3)])
            .collect();
        let offset_text = |i: usize| format!("(({:?}) + ({:?})*sin(q))", offset[i][0], offset[i][1]);
        let (mut modes, mut durations) = (vec![], vec![]);
        for k in 0..count {
            let g: Vec<Vec<f64>> = (0..n)
                .map(|_| (0..n).map(|_| random.between(-0.6, 0.6)).collect())
                .collect();
            let back = inverse_exponential(&g);
            let (a, b) = (random.between(-0.3, 0.6), random.between(-0.2, 0.2));
            let b = if even { 0.0 } else { b };
            let clock = format!("u{}", n + 1);
            let away: Vec<String> = (0..n).map(|i| format!("(u{} - {})", i + 1, offset_text(i))).collect();
            let combined = |row: &[f64]| {
                let terms = row.iter().zip(&away).map(|(g, w)| format!("({g:?})*{w}"));
                format!("({})", terms.collect::<Vec<_>>().join(" + "))
            };
            let h = format!("/(1 + ({a:?})*{clock} + ({b:?})*sin{}*cos({clock}))", away[0]);
            let mut rates: Vec<String> = g.iter().map(|row| format!("{}{h}", combined(row))).collect();
            rates.push(format!("1{h}"));
            let before: Vec<String> = back.iter().map(|row| combined(row)).collect();
            let image = |i: usize| {
                if k + 1 < count {
                    return format!("{} + {}", before[i], offset_text(i));
                }
                let text = (0..n).rev().fold(fields[i].clone(), |text, j| {
                    text.replace(&format!("u{}", j + 1), &format!("W{}", j + 1))
                });
                let text = (0..n).fold(text, |text, j| text.replace(&format!("W{}", j + 1), &before[j]));
                format!("{text} + {}", offset_text(i))
            };
            let mut reset: Vec<String> = (0..n).map(image).collect();
            reset.push("0".into());
            let to = (k + 1) % count;
            let (guard, name) = (format!("{clock} - 1"), "hit");
            let events = vec![Event {
                name,
                guard,
                up: true,
                to,
                reset,
            }];
            modes.push(Mode { rates, events });
            durations.push(time * (1.0 + 0.5 * a));
        }
        let system = written(random, &coordinates, &modes);
        Self {
            coordinates,
            offset,
            system,
            durations,
        }
    }

    /// u at the start of a mode, for w.
    fn at(&self, w: &[f64], q: f64) -> Vec<f64> {
        let u = w.iter().zip(&self.offset).map(|(w, [o, b])| w + o + b * q.sin());
        u.chain([0.0]).collect()
    }

    /// The study that begins with w and its image in the second mode (the same), at the first of two values of q.
    fn study(&self, w: &[f64], (from, to): (f64, f64)) -> String {
        let c = &self.coordinates[0];
        let begin: Vec<String> = self
            .coordinates
            .iter()
            .map(|c| c.states_text(&self.at(w, from)))
            .collect();
        let word: Vec<String> = (0..begin.len()).map(|k| format!("m{k} hit")).collect();
        format!(
            "Study(title: \"clockwork\", system: Hybrid(states: [{}], parameters: {{\"p\": {p:?}}}, {}, start: Start(mode: \"m0\")), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{}\"), start: Guess(at: {{\"p\": {p:?}}}, states: [{}], durations: {:?}), \
             free: \"p\", range: ({:?}, {:?}))])",
            states(w.len() + 1),
            self.system,
            word.join(" "),
            begin.join(", "),
            self.durations,
            c.p(from.min(to)),
            c.p(from.max(to)),
            p = c.p(from),
        )
    }

    /// The square of the length of a vector of w at the label, in the states of the study.
    fn square(&self, q: f64, dw: &[f64]) -> f64 {
        let du: Vec<f64> = dw.iter().copied().chain([0.0]).collect();
        let pushed = self.coordinates[0].pushed(&self.at(&vec![0.0; dw.len()], q), &du);
        pushed.iter().map(|x| x * x).sum()
    }

    /// The largest entry, with its sign, of such a vector.
    fn sign(&self, q: f64, dw: &[f64]) -> f64 {
        let du: Vec<f64> = dw.iter().copied().chain([0.0]).collect();
        let pushed = self.coordinates[0].pushed(&self.at(&vec![0.0; dw.len()], q), &du);
        let largest = pushed
            .iter()
            .fold(0.0f64, |m, x| if x.abs() > m.abs() { *x } else { m });
        largest.signum()
    }

    /// What is wrong with the one label that there should be, at q0, with this coefficient and these words.
    fn judge(
        &self,
        text: &str,
        (label, q0): (Label, f64),
        (name, value): (&str, f64),
        words: &[&str],
    ) -> Option<String> {
        let result = run(text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let c = &self.coordinates[0];
        let all = labels(curve(&result, "c"));
        let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, c.linear.q(l.1))).collect();
        let verdict = Verdict::of(&found, &[(label, c.linear.q(c.p(q0)))], PLACES);
        if !verdict.is_right() {
            let said: Vec<&str> = all.iter().map(|l| &*l.2.message).collect();
            return Some(format!("{verdict:?}: {said:?}\n{text}"));
        }
        let message = &all[0].2.message;
        let said = coefficient(message, name).map(|v| if label == Label::LP { v.abs() } else { v });
        if said.is_none_or(|v| (v - value).abs() > COEFFICIENTS * value.abs()) {
            return Some(format!("{name} is {value:?}, not {said:?}: {message}\n{text}"));
        }
        let missing = words.iter().find(|w| !message.contains(**w));
        missing.map(|w| format!("not `{w}`: {message}\n{text}"))
    }
}

/// Directions beside that decay, some of them driven by the square of the first.
fn beside(random: &mut Random, taken: usize, n: usize) -> Vec<String> {
    let mut decaying = |i: usize| format!("({:?})*u{}", random.between(-0.8, 0.8), i + 1);
    (taken..n).map(&mut decaying).collect()
}

/// Doublings u1 → -(1 + q - q0) u1 + α u1² + β u1³: c = α² + β.
#[test]
fn doublings() {
    class("smooth hybrid doublings", 4, |random| {
        let n = 1 + random.below(2);
        let Doubling { q0, field, c, word } = Doubling::random(random);
        let mut fields = vec![field];
        fields.extend(beside(random, 1, n));
        let system = Clockwork::random(random, &fields, false);
        let text = system.study(&vec![0.0; n], (-0.9, 0.9));
        let unit: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == 0))).collect();
        let wanted = ("c", c / system.square(q0, &unit));
        system.judge(&text, (Label::PD, q0), wanted, &[word])
    });
}

/// Neimark–Sacker points z → (1 + q - q0) e^{iθ} z (1 + (d + i e) |z|²).
#[test]
fn invariant_curves() {
    class("smooth hybrid invariant curves", 4, |random| {
        let n = 2 + random.below(2);
        let Rotation {
            q0,
            mut fields,
            d,
            word,
        } = Rotation::random(random);
        fields.extend(beside(random, 2, n));
        let system = Clockwork::random(random, &fields, false);
        let text = system.study(&vec![0.0; n], (-0.9, 0.9));
        let unit = |k: usize| -> Vec<f64> { (0..n).map(|i| f64::from(u8::from(i == k))).collect() };
        let square = 0.5 * (system.square(q0, &unit(0)) + system.square(q0, &unit(1)));
        system.judge(&text, (Label::NS, q0), ("d", d / square), &[word])
    });
}

/// Pitchforks, transcritical points and folds.
#[test]
fn crossings_and_folds() {
    class("smooth hybrid crossings", 6, |random| {
        let (q0, b, c, kappa) = (
            random.between(-0.4, 0.4),
            random.between(-2.0, 2.0),
            random.between(-1.0, 1.0),
            random.between(-1.0, 1.0),
        );
        let (lambda, a) = (random.between(-0.7, 0.3), random.sign() * random.log_between(0.7, 2.0));
        let second = format!("({lambda:?})*u2 + ({c:?})*u1^2");
        let rate = format!("(1 + q - ({q0:?}))*u1 + ({b:?})*u1^3 + ({kappa:?})*u1*u2");
        let kind = random.below(3);
        let (first, start, range) = match kind {
            0 => (rate, [0.0; 2], (-0.9, 0.9)),
            1 => (format!("{rate} + ({a:?})*u1^2"), [0.0; 2], (-0.9, 0.9)),
            _ => {
                let u = ((0.9 - q0) / a.abs()).sqrt();
                let first = format!("u1 + 0.3*(q - ({q0:?}) - ({:?})*u1^2)", a.abs());
                (first, [u, c * u * u / (1.0 - lambda)], (0.9, -0.9))
            }
        };
        let system = Clockwork::random(random, &[first, second], kind == 2);
        let text = system.study(&start, range);
        let unit = [1.0, 0.0];
        let square = system.square(q0, &unit);
        match kind {
            0 => {
                let cubic = b + kappa * c / (1.0 - lambda);
                let word = if cubic < 0.0 { "supercritical" } else { "subcritical" };
                system.judge(&text, (Label::BP, q0), ("b", cubic / square), &["pitchfork", word])
            }
            1 => {
                let wanted = a * system.sign(q0, &unit) / square.sqrt();
                system.judge(&text, (Label::BP, q0), ("a", wanted), &["transcritical"])
            }
            _ => system.judge(&text, (Label::LP, q0), ("a", 0.3 * a.abs() / square.sqrt()), &[]),
        }
    });
}

/// The study of an oscillator with impacts in smooth coordinates of its position and velocity, in parts of the largest
/// ones at the start, from the orbit with A = `from` towards the grazing.
fn impact_study(random: &mut Random, system: &Impacts, c: &Curved, from: f64) -> String {
    let (phase, x, v) = system.start(from);
    let forcing = system.forcing(from);
    let (low, high) = system.range_from(from);
    // Amplitudes are counted in those of the start.
    let q = |amplitude: f64| amplitude / forcing - 1.0;
    let (zeta, [length, speed]) = (system.zeta, system.largest(from));
    let g = system.g / length;
    let rates = vec![
        format!("({:?})*u2", speed / length),
        format!(
            "-({:?})*u2 - ({:?})*u1 + ({:?})*(1 + q)*cos(phase)",
            2.0 * zeta,
            length / speed,
            forcing / speed
        ),
    ];
    let reset = || vec!["u1".to_owned(), format!("-({:?})*u2", system.r)];
    let event = |name, guard: String, up| Event {
        name,
        guard,
        up,
        to: 0,
        reset: reset(),
    };
    let mut events = vec![event("right", format!("u1 - ({g:?})"), true)];
    if system.mirrored {
        events.push(event("left", format!("u1 + ({g:?})"), false));
    }
    let text = written(random, std::slice::from_ref(c), &[Mode { rates, events }]);
    let (symmetry, word) = if system.mirrored {
        (
            "symmetry: Symmetry(states: {\"x1\": \"-x1\", \"x2\": \"-x2\", \"phase\": \"phase + pi\"}, modes: {}),",
            "Symmetric(\"m0 left\")",
        )
    } else {
        ("", "Periodic(\"m0 right\")")
    };
    format!(
        "Study(title: \"impacts\", system: Hybrid(states: [{}], parameters: {{\"p\": {p:?}}}, forcing: Forcing(period: \"{:?}\"), {text}, \
         {symmetry} start: Start(mode: \"m0\")), curves: [Curve(name: \"c\", orbit: {word}, start: Guess(at: {{\"p\": {p:?}}}, \
         states: [{}], durations: [{:?}]), free: \"p\", range: ({:?}, {:?}))])",
        states(2),
        TAU / system.w * c.linear.time,
        c.states_text(&[x / length, v / speed])
            .replace('}', &format!(", \"phase\": {phase:?}}}")),
        system.tau * c.linear.time,
        c.p(q(low)),
        c.p(q(high)),
        p = c.p(q(forcing)),
    )
}

/// Oscillators with impacts, from some amplitude of the orbits down to the grazing: folds, doublings or breakings of
/// symmetry with their coefficients, and the end.
fn impacts(mirrored: bool) {
    let class = if mirrored {
        "smooth impacts between walls"
    } else {
        "smooth impacts"
    };
    let count = members(6);
    let (mut wrong, mut drawn, mut tried) = (vec![], 0, 0);
    while drawn < count {
        tried += 1;
        assert!(tried < 100_000, "no members of the class");
        let mut random = Random::of(class, tried);
        let system = Impacts::random(&mut random, mirrored);
        let largest = random.sign() * random.log_between(0.2, 3.0) * system.g;
        let [fold, other] = system.critical();
        let between = |a: f64| a / largest > 1e-3 && a / largest < 1.0;
        let close = |a: f64| (a / largest - 1.0).abs() < 1e-3 || (a / largest).abs() < 1e-3;
        let (forcing, grazing) = (system.forcing(largest), system.forcing(0.0));
        let grows = system.forcing(largest * (1.0 + 1e-6)) > forcing;
        if grows != (grazing < forcing)
            || close(fold)
            || close(other)
            || (fold / other - 1.0).abs() < 1e-3
            || !system.admissible(largest)
        {
            continue;
        }
        drawn += 1;
        let c = Curved::random(&mut random, 2, SCALES, mirrored);
        let text = impact_study(&mut random, &system, &c, largest);
        let other_label = if mirrored { Label::SB } else { Label::PD };
        let q = |amplitude: f64| c.linear.q(c.p(amplitude / forcing - 1.0));
        let mut known = vec![(Label::GR, q(grazing))];
        if between(fold) {
            known.push((Label::LP, q(system.forcing(fold))));
        }
        if between(other) {
            known.push((other_label, q(system.forcing(other))));
        }
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            wrong.push((tried, format!("{}\n{text}", missing.reason)));
            continue;
        }
        let all = labels(curve(&result, "c"));
        let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, c.linear.q(l.1))).collect();
        let verdict = Verdict::of(&found, &known, PLACES);
        if !verdict.is_right() {
            let said: Vec<&str> = all.iter().map(|l| &*l.2.message).collect();
            wrong.push((tried, format!("{verdict:?}: {said:?}\n{text}")));
            continue;
        }
        let Some(at) = all.iter().find(|l| l.0 == other_label) else {
            continue;
        };
        // The coefficient in linear coordinates, and what becomes of it where the vector has another length.
        let linear = Coordinates::random(&mut random, 2, [1.0, 1.0, 1.0]);
        let plain = run(&super::hybrid::impact_study(&system, &linear, largest));
        let known = labels(curve(&plain, "c"));
        let [dv, phase] = system.vector(other);
        let square = |pushed: Vec<f64>| pushed.iter().map(|x| x * x).sum::<f64>() + phase * phase;
        let [length, speed] = system.largest(largest);
        let u = [system.g / length, system.start(other).2 / speed];
        let bent = square(c.pushed(&u, &[0.0, dv / speed]));
        let straight = square(linear.states(&[0.0, dv]));
        let plain = known.iter().find(|l| l.0 == other_label);
        let wanted = plain
            .and_then(|l| coefficient(&l.2.message, "c"))
            .map(|c| c * straight / bent);
        let said = coefficient(&at.2.message, "c");
        let same = wanted
            .zip(said)
            .is_some_and(|(wanted, said)| (said - wanted).abs() <= COEFFICIENTS * wanted.abs());
        if !same {
            wrong.push((tried, format!("{wanted:?}, not {said:?}: {}\n{text}", at.2.message)));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn impacts_on_one_wall() {
    impacts(false);
}

#[test]
fn impacts_between_two_walls() {
    impacts(true);
}

/// A ball on a table that moves as A sin(ω t): orbits with one impact per period are born at a fold and double their
/// period, both in closed form.
#[test]
fn bouncing_balls() {
    class("smooth bouncing balls", 6, |random| {
        let (g, omega, e) = (
            random.between(0.5, 2.0),
            random.between(0.5, 2.0),
            random.between(0.2, 0.8),
        );
        let period = TAU / omega;
        let along = 0.5 * g * period * (1.0 - e) / (1.0 + e) / omega;
        let across = 2.0 * g * (1.0 + e * e) / (1.0 + e).powi(2) / (omega * omega);
        let (fold, doubling) = (along, along.hypot(across));
        let start = random.between(0.2, 0.8) * (doubling - fold) + fold;
        let phase = (fold / start).acos();
        // Heights and speeds are counted in those of a flight.
        let (height, speed) = (g * period * period / 8.0, 0.5 * g * period);
        let rates = vec![format!("u2*({:?})", speed / height), format!("-({:?})", g / speed)];
        let reset = vec![
            "u1".to_owned(),
            format!(
                "({:?})*(({fold:?}) + ({:?})*q)*cos(phase) - ({e:?})*u2",
                (1.0 + e) * omega / speed,
                doubling - fold
            ),
        ];
        let guard = format!(
            "u1 - (({fold:?}) + ({:?})*q)*sin(phase)*({:?})",
            doubling - fold,
            1.0 / height
        );
        let events = vec![Event {
            name: "hit",
            guard,
            up: false,
            to: 0,
            reset,
        }];
        let c = Curved::random(random, 2, SCALES, false);
        let text = written(random, std::slice::from_ref(&c), &[Mode { rates, events }]);
        let q = |a: f64| (a - fold) / (doubling - fold);
        let begin = c.states_text(&[start * phase.sin() / height, 0.5 * g * period / speed]);
        let text = format!(
            "Study(title: \"bouncing\", system: Hybrid(states: [{}], parameters: {{\"p\": {p:?}}}, forcing: Forcing(period: \"{:?}\"), {text}, \
             start: Start(mode: \"m0\")), curves: [Curve(name: \"c\", orbit: Periodic(\"m0 hit\"), start: Guess(at: {{\"p\": {p:?}}}, \
             states: [{}], durations: [{:?}]), free: \"p\", range: ({:?}, {:?}))])",
            states(2),
            period * c.linear.time,
            begin.replace('}', &format!(", \"phase\": {phase:?}}}")),
            period * c.linear.time,
            c.p(-0.2),
            c.p(1.2),
            p = c.p(q(start)),
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let all = labels(curve(&result, "c"));
        let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, c.linear.q(l.1))).collect();
        let known = [(Label::LP, 0.0), (Label::PD, 1.0)].map(|(label, q)| (label, c.linear.q(c.p(q))));
        let verdict = Verdict::of(&found, &known, PLACES);
        let said: Vec<&str> = all.iter().map(|l| &*l.2.message).collect();
        (!verdict.is_right()).then(|| format!("{verdict:?}: {said:?}\n{text}"))
    });
}

/// A thermostat u1' = k (c - u1) or -k (a + u1), with u2 that follows, which switches at u1 = ±b: its period and the
/// time of heating tell b.
#[test]
fn thermostats() {
    class("smooth thermostats", 4, |random| {
        let (a, c, k) = (
            random.between(1.0, 2.0),
            random.between(1.0, 2.0),
            random.between(0.3, 3.0),
        );
        let mut coordinates = [0, 1].map(|_| Curved::random(random, 2, SCALES, false));
        let (parameter, time) = (coordinates[0].linear.parameter, coordinates[0].linear.time);
        (coordinates[1].linear.parameter, coordinates[1].linear.time) = (parameter, time);
        let b = "(0.5 + 0.3*q)";
        let follows = format!("({k:?})*(u1 - u2)");
        let mode = |rate: String, name, guard: String, up, to| Mode {
            rates: vec![rate, follows.clone()],
            events: vec![Event {
                name,
                guard,
                up,
                to,
                reset: vec!["u1".into(), "u2".into()],
            }],
        };
        let modes = [
            mode(format!("-({k:?})*(({a:?}) + u1)"), "low", format!("u1 + {b}"), false, 1),
            mode(format!("({k:?})*(({c:?}) - u1)"), "high", format!("u1 - {b}"), true, 0),
        ];
        let text = written(random, &coordinates, &modes);
        let half = |to: f64, b: f64| ((to + b) / (to - b)).ln() / k;
        let (first, second) = (random.between(-0.8, 0.8), random.between(-0.8, 0.8));
        let at = |q: f64| 0.5 + 0.3 * q;
        let levels = [half(a, at(first)) + half(c, at(first)), half(c, at(second))].map(|t| t * time);
        let begin = coordinates[1].states_text(&[-0.5, 0.0]);
        let main = &coordinates[0];
        let text = format!(
            "Study(title: \"thermostat\", system: Hybrid(states: [{}], parameters: {{\"p\": {p:?}}}, {text}, \
             monitors: {{\"warm\": Duration(modes: [\"m1\"])}}, start: Start(mode: \"m1\", at: {begin})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"m0 low m1 high\"), start: Settle(at: {{}}), free: \"p\", range: ({:?}, {:?}), \
             levels: {{\"period\": [{:?}], \"warm\": [{:?}]}})])",
            states(2),
            main.p(-1.0),
            main.p(1.0),
            levels[0],
            levels[1],
            p = main.p(0.0),
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let points = curve(&result, "c").points();
        let found: Vec<(Label, f64)> = points
            .filter_map(|(_, _, p)| Some((p.label?, main.linear.q(p.point.parameter()))))
            .filter(|l| l.0 != Label::EP)
            .collect();
        let known = [first, second].map(|q| (Label::UZ, main.linear.q(main.p(q))));
        let verdict = Verdict::of(&found, &known, PLACES);
        (!verdict.is_right()).then(|| format!("{verdict:?}\n{text}"))
    });
}
