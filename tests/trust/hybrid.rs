//! Hybrid systems whose orbits and bifurcations are known in closed form.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;
use slipstick_orbit::{Letter, Word};
use slipstick_study as study;
use std::f64::consts::{PI, TAU};

/// An oscillator x'' + 2 ζ x' + x = a cos(w t) that hits a wall at x = g with restitution r, once in `periods` periods
/// of the forcing (`mirrored` false), or walls on both sides, in turn, twice in that time. Its orbits with one impact
/// in the time τ, and then itself or its mirror image again, are known: with x = e^{-ζt} (A cos ωt + B sin ωt) +
/// x_p(t), everything is linear in A but the amplitude, a = |(g - A, κA/w)|/|response|.
pub(crate) struct Impacts {
    pub(crate) zeta: f64,
    pub(crate) w: f64,
    pub(crate) r: f64,
    pub(crate) g: f64,
    pub(crate) mirrored: bool,
    pub(crate) tau: f64,
    /// B = b A, x_p' = slope A, v before the impact = speed A.
    b: f64,
    slope: f64,
    speed: f64,
}

impl Impacts {
    pub(crate) fn random(random: &mut Random, mirrored: bool) -> Self {
        let zeta = random.between(0.02, 0.3);
        let w = random.between(0.7, 3.5);
        let r = random.between(0.3, 0.95);
        let g = random.between(0.2, 2.0);
        let periods = if mirrored {
            1 + 2 * random.below(2)
        } else {
            1 + random.below(3)
        };
        let tau = TAU / w * periods as f64 * if mirrored { 0.5 } else { 1.0 };
        let sigma = if mirrored { -1.0 } else { 1.0 };
        let omega = (1.0 - zeta * zeta).sqrt();
        let (s, c) = (omega * tau).sin_cos();
        let e = (-zeta * tau).exp();
        let b = (sigma - e * c) / (e * s);
        let end = e * ((-zeta + omega * b) * c + (-zeta * b - omega) * s);
        let slope = -((-zeta + omega * b) + r * sigma * end) / (1.0 + r);
        let speed = sigma * end + slope;
        Self {
            zeta,
            w,
            r,
            g,
            mirrored,
            tau,
            b,
            slope,
            speed,
        }
    }

    fn omega(&self) -> f64 {
        (1.0 - self.zeta * self.zeta).sqrt()
    }

    /// The amplitude of the response to a forcing of amplitude 1.
    fn response(&self) -> f64 {
        (1.0 - self.w * self.w).hypot(2.0 * self.zeta * self.w).recip()
    }

    /// The amplitude of the forcing at `a`.
    pub(crate) fn forcing(&self, a: f64) -> f64 {
        (self.g - a).hypot(self.slope * a / self.w) / self.response()
    }

    /// The phase of the forcing just after the impact, and the state there.
    pub(crate) fn start(&self, a: f64) -> (f64, f64, f64) {
        let lag = (2.0 * self.zeta * self.w).atan2(1.0 - self.w * self.w);
        let phase = lag + (-self.slope * a / self.w).atan2(self.g - a);
        (phase.rem_euclid(TAU), self.g, -self.r * self.speed * a)
    }

    /// x at the time t after the impact.
    fn x(&self, a: f64, t: f64) -> f64 {
        let (s, c) = (self.omega() * t).sin_cos();
        let (sw, cw) = (self.w * t).sin_cos();
        (-self.zeta * t).exp() * a * (c + self.b * s) + (self.g - a) * cw + self.slope * a / self.w * sw
    }

    /// The largest position and the largest velocity along the orbit of A.
    pub(crate) fn largest(&self, a: f64) -> [f64; 2] {
        const PARTS: usize = 400;
        let h = self.tau / PARTS as f64;
        (0..PARTS).fold([0.0f64; 2], |[length, speed], k| {
            let (x, next) = (self.x(a, k as f64 * h), self.x(a, (k + 1) as f64 * h));
            [length.max(x.abs()), speed.max((next - x).abs() / h)]
        })
    }

    /// The values of A with a multiplier +1 and -1 of the map from impact to impact (of its mirror image).
    pub(crate) fn critical(&self) -> [f64; 2] {
        let sigma = if self.mirrored { -1.0 } else { 1.0 };
        let (s, c) = (self.omega() * self.tau).sin_cos();
        let e = (-self.zeta * self.tau).exp();
        let det = (self.r * e).powi(2);
        // trace = σ (-2 r e c + m12 (1 + r) (F - g)/v), F - g = -w² g + A (w² + 2 ζ slope - 1), v = speed A.
        let m12 = e * s / self.omega();
        let rest = self.w * self.w + 2.0 * self.zeta * self.slope - 1.0;
        [1.0, -1.0].map(|multiplier| {
            let wanted = multiplier * (1.0 + det) * sigma + 2.0 * self.r * e * c;
            // (F - g)/v = wanted/(m12 (1 + r))
            let ratio = wanted / (m12 * (1.0 + self.r)) * self.speed;
            -self.w * self.w * self.g / (ratio - rest)
        })
    }

    /// The multiplier next to -1 of that map, at `a`.
    pub(crate) fn multiplier(&self, a: f64) -> f64 {
        let sigma = if self.mirrored { -1.0 } else { 1.0 };
        let (s, c) = (self.omega() * self.tau).sin_cos();
        let e = (-self.zeta * self.tau).exp();
        let m12 = e * s / self.omega();
        let rest = self.w * self.w + 2.0 * self.zeta * self.slope - 1.0;
        let ratio = (-self.w * self.w * self.g + a * rest) / (self.speed * a);
        let trace = sigma * (-2.0 * self.r * e * c + m12 * (1.0 + self.r) * ratio);
        let det = (self.r * e).powi(2);
        0.5 * (trace - (trace * trace - 4.0 * det).sqrt())
    }

    /// The eigenvector of that multiplier just after the impact, in velocity and phase.
    pub(crate) fn vector(&self, a: f64) -> [f64; 2] {
        let sigma = if self.mirrored { -1.0 } else { 1.0 };
        let (s, c) = (self.omega() * self.tau).sin_cos();
        let e = (-self.zeta * self.tau).exp();
        let (damped, od) = (self.zeta / self.omega(), self.omega());
        let flow = [[e * (c + damped * s), e * s / od], [-e * s / od, e * (c - damped * s)]];
        // The forced response is (g - a) cos(w t) + slope a/w sin(w t): its derivatives by the phase at the start.
        let response = [self.slope * a / self.w, -(self.g - a) * self.w];
        let speed = self.speed * a;
        let force = (1.0 - self.w * self.w) * (self.g - a) + 2.0 * self.zeta * self.slope * a;
        let acceleration = force - 2.0 * self.zeta * speed - self.g;
        let image = |dv: f64, phase: f64| {
            let from = [-response[0] * phase, dv - response[1] * phase];
            let end = [0, 1].map(|i| flow[i][0] * from[0] + flow[i][1] * from[1] + sigma * response[i] * phase);
            let later = -sigma * end[0] / speed;
            let dv = sigma * end[1] + acceleration * later;
            [-self.r * dv, phase + self.w * later]
        };
        let (first, second) = (image(1.0, 0.0), image(0.0, 1.0));
        let multiplier = self.multiplier(a);
        // (J - λ) v = 0 by the larger row.
        let rows = [[first[0] - multiplier, second[0]], [first[1], second[1] - multiplier]];
        let row = if rows[0][0].hypot(rows[0][1]) > rows[1][0].hypot(rows[1][1]) {
            rows[0]
        } else {
            rows[1]
        };
        [-row[1], row[0]]
    }

    /// Does the orbit of each A up to `largest` keep clear of the walls between impacts?
    pub(crate) fn admissible(&self, largest: f64) -> bool {
        (1..=60).all(|k| {
            let a = largest * k as f64 / 60.0;
            self.speed * a > 0.0
                && (1..400).all(|i| {
                    let t = self.tau * i as f64 / 400.0;
                    let x = self.x(a, t);
                    let clear = 1e-3 * self.g * (t.min(self.tau - t) / self.tau).min(0.1);
                    self.g - x > clear && (!self.mirrored || self.g + x > clear)
                })
        })
    }
}

/// Oscillators with impacts, from some amplitude of the orbits down to the grazing: folds, doublings or breakings of
/// symmetry, and the end.
fn impacts(mirrored: bool) {
    let class = if mirrored { "impacts between walls" } else { "impacts" };
    let count = members(12);
    let mut wrong = vec![];
    let mut drawn = 0;
    let mut tried = 0;
    while drawn < count {
        tried += 1;
        assert!(tried < 100_000, "no members of the class");
        let mut random = Random::of(class, tried);
        let system = Impacts::random(&mut random, mirrored);
        let largest = random.sign() * random.log_between(0.2, 3.0) * system.g;
        if !system.admissible(largest) {
            continue;
        }
        let [fold, other] = system.critical();
        let between = |a: f64| a / largest > 1e-3 && a / largest < 1.0;
        let close = |a: f64| (a / largest - 1.0).abs() < 1e-3 || (a / largest).abs() < 1e-3;
        // Towards the grazing and no further: the start lies at the end of the range.
        let (forcing, grazing) = (system.forcing(largest), system.forcing(0.0));
        let grows = system.forcing(largest * (1.0 + 1e-6)) > forcing;
        if grows != (grazing < forcing) {
            continue;
        }
        if close(fold) || close(other) || (fold / other - 1.0).abs() < 1e-3 {
            continue;
        }
        drawn += 1;
        let coordinates = Coordinates::random(&mut random, 2, [2.0, 2.0, 2.0]);
        let text = impact_study(&system, &coordinates, largest);
        let result = run(&text);
        let other_label = if mirrored { Label::SB } else { Label::PD };
        let mut known = vec![(Label::GR, system.forcing(0.0))];
        if between(fold) {
            known.push((Label::LP, system.forcing(fold)));
        }
        if between(other) {
            known.push((other_label, system.forcing(other)));
        }
        if !result.missing.is_empty() {
            wrong.push((
                tried,
                format!(
                    "{:?}\n{text}",
                    result.missing.iter().map(|m| &m.reason).collect::<Vec<_>>()
                ),
            ));
            continue;
        }
        let found: Vec<(Label, f64)> = labels(curve(&result, "c"))
            .iter()
            .map(|l| (l.0, l.1 / coordinates.parameter))
            .collect();
        let verdict = Verdict::of(&found, &known, 1e-8 * system.forcing(largest));
        if !verdict.is_right() {
            wrong.push((tried, format!("{verdict:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

impl Impacts {
    /// The range of A from the orbit of this amplitude towards the grazing: it ends a little beyond the start on the side
    /// where A grows.
    pub(crate) fn range_from(&self, amplitude: f64) -> (f64, f64) {
        let forcing = self.forcing(amplitude);
        let grows = self.forcing(amplitude * (1.0 + 1e-6)) > forcing;
        let fold = self.critical()[0] / amplitude;
        let top = if (1e-3..1.0).contains(&fold) {
            self.forcing(amplitude * fold)
        } else {
            forcing
        };
        let all = [forcing, self.forcing(0.0), top];
        let (lo, hi) = all
            .iter()
            .fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
        let margin = 0.05 * hi;
        if grows {
            (lo - margin, forcing)
        } else {
            (forcing, hi + margin)
        }
    }
}

/// The study, in coordinates, that starts at the orbit with A = `from` and goes towards A = 0.
pub(crate) fn impact_study(system: &Impacts, coordinates: &Coordinates, from: f64) -> String {
    let (phase, x, v) = system.start(from);
    let forcing = system.forcing(from);
    let (lo, hi) = system.range_from(from);
    let s = coordinates.state;
    let a = &coordinates.matrix;
    let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    let inverse = [[a[1][1], -a[0][1]], [-a[1][0], a[0][0]]].map(|row| row.map(|v| v / (determinant * s)));
    let sum = |row: &[f64], factor: f64, of: [&str; 2]| {
        format!("({:?})*{} + ({:?})*{}", row[0] * factor, of[0], row[1] * factor, of[1])
    };
    let rate = s / coordinates.time;
    let reset = format!(
        "reset: {{\"x1\": \"{}\", \"x2\": \"{}\"}}",
        sum(&a[0], s, ["u1", "after"]),
        sum(&a[1], s, ["u1", "after"])
    );
    let left = if system.mirrored {
        format!(
            ", \"left\": Event(guard: \"u1 + ({:?})\", direction: Down, to: \"fly\", {reset})",
            system.g
        )
    } else {
        String::new()
    };
    let symmetry = if system.mirrored {
        "symmetry: Symmetry(states: {\"x1\": \"-x1\", \"x2\": \"-x2\", \"phase\": \"phase + pi\"}, modes: {}),"
    } else {
        ""
    };
    let start = coordinates.states(&[x, v]);
    let text = format!(
        "Study(title: \"impacts\", system: Hybrid(states: [\"x1\", \"x2\"], parameters: {{\"p\": {:?}}}, forcing: Forcing(period: \"{:?}\"), \
         define: {{\"q\": \"p/({:?})\", \"u1\": \"{}\", \"u2\": \"{}\", \"f2\": \"-({:?})*u2 - u1 + q*cos(phase)\", \"after\": \"-({:?})*u2\"}}, \
         modes: {{\"fly\": Mode(equations: [\"x1' = {}\", \"x2' = {}\"], events: {{\"right\": Event(guard: \"u1 - ({:?})\", direction: Up, to: \"fly\", \
         {reset}){left}}})}}, {symmetry} start: Start(mode: \"fly\")), \
         curves: [Curve(name: \"c\", orbit: {}, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x1\": {:?}, \"x2\": {:?}, \"phase\": {:?}}}], \
         durations: [{:?}]), free: \"p\", range: ({:?}, {:?}))])",
        coordinates.parameter * forcing,
        TAU / system.w * coordinates.time,
        coordinates.parameter,
        sum(&inverse[0], 1.0, ["x1", "x2"]),
        sum(&inverse[1], 1.0, ["x1", "x2"]),
        2.0 * system.zeta,
        system.r,
        sum(&a[0], rate, ["u2", "f2"]),
        sum(&a[1], rate, ["u2", "f2"]),
        system.g,
        if system.mirrored {
            "Symmetric(\"fly left\")"
        } else {
            "Periodic(\"fly right\")"
        },
        coordinates.parameter * forcing,
        start[0],
        start[1],
        phase,
        system.tau * coordinates.time,
        coordinates.parameter * lo,
        coordinates.parameter * hi,
    );
    text
}

#[test]
fn impacts_on_one_wall() {
    impacts(false);
}

#[test]
fn impacts_between_two_walls() {
    impacts(true);
}

/// Guesses that go several times round an orbit with impacts, or through several of its mirrored halves: told, and
/// followed gone round once.
#[test]
fn guesses_of_several_laps_are_gone_round_once() {
    let count = members(6);
    let (mut wrong, mut drawn, mut tried) = (vec![], 0, 0);
    while drawn < count {
        tried += 1;
        let mut random = Random::of("laps", tried);
        let mirrored = random.below(2) == 0;
        let system = Impacts::random(&mut random, mirrored);
        let amplitude = random.sign() * random.log_between(0.2, 3.0) * system.g;
        let [fold, other] = system.critical();
        let close = |a: f64| (a / amplitude - 1.0).abs() < 1e-2;
        if !system.admissible(amplitude) || close(fold) || close(other) {
            continue;
        }
        drawn += 1;
        let laps = if mirrored { 3 } else { 2 + random.below(3) };
        let coordinates = Coordinates::random(&mut random, 2, [1.0, 2.0, 1.0]);
        let once = impact_study(&system, &coordinates, amplitude);
        let (phase, x, v) = system.start(amplitude);
        let starts = (0..laps).map(|lap| {
            let sign = if mirrored && lap % 2 == 1 { -1.0 } else { 1.0 };
            let at = coordinates.states(&[sign * x, sign * v]);
            let phase = phase + system.w * system.tau * lap as f64;
            format!("{{\"x1\": {:?}, \"x2\": {:?}, \"phase\": {phase:?}}}", at[0], at[1])
        });
        let starts: Vec<String> = starts.collect();
        let duration = format!("{:?}", system.tau * coordinates.time);
        let (word, long) = if mirrored {
            (
                "Symmetric(\"fly left\")",
                "Symmetric(\"fly left fly right fly left\")".to_owned(),
            )
        } else {
            (
                "Periodic(\"fly right\")",
                format!("Periodic(\"{}\")", vec!["fly right"; laps].join(" ")),
            )
        };
        let begin = once.find("states: [{\"x1\"").unwrap();
        let end = begin + once[begin..].find("durations").unwrap();
        let text = format!("{}states: [{}], {}", &once[..begin], starts.join(", "), &once[end..]);
        let text = text.replace(
            &format!("[{duration}]"),
            &format!("[{}]", vec![&*duration; laps].join(", ")),
        );
        let text = text.replace(word, &long);
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((tried, format!("{}\n{text}", result.missing[0].reason)));
            continue;
        }
        let c = curve(&result, "c");
        let period = system.tau * coordinates.time * if mirrored { 2.0 } else { 1.0 };
        let found = c.points().next().unwrap().2.record.period;
        if (found / period - 1.0).abs() > 1e-9 || !c.note.contains(&format!("contains its orbit {laps} times")) {
            wrong.push((tried, format!("period {found:?}, not {period:?}; `{}`\n{text}", c.note)));
        }
    }
    none_wrong("laps", count, &wrong);
}

/// A spiral ρ' = αρ, θ' = 1 that is reset, ρ → βρ + δ, every m-th time it crosses a ray: in between it crosses where
/// the event is not possible. ρ* = δ/(1 - βE) with E = e^{2παm}; PD at β = -1/E.
#[test]
fn surfaces_crossed_where_their_events_are_not_possible() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("side conditions", member);
        let turns = 1 + random.below(4);
        let alpha = random.between(-0.05, 0.05);
        let delta = random.log_between(0.1, 10.0);
        let growth = (alpha * TAU * turns as f64).exp();
        let coordinates = Coordinates::random(&mut random, 2, [2.0, 0.0, 2.0]);
        let (s, a) = (coordinates.state, &coordinates.matrix);
        let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        let inverse = [[a[1][1], -a[0][1]], [-a[1][0], a[0][0]]].map(|row| row.map(|v| v / (determinant * s)));
        let sum = |row: &[f64], factor: f64, of: [&str; 2]| {
            format!("({:?})*{} + ({:?})*{}", row[0] * factor, of[0], row[1] * factor, of[1])
        };
        let rate = s / coordinates.time;
        let beta = -0.5 / growth;
        let start = coordinates.states(&[0.0, beta * (delta / (1.0 - beta * growth)) * growth + delta]);
        let text = format!(
            "Study(title: \"spiral\", system: Hybrid(states: [\"x1\", \"x2\", \"c\"], parameters: {{\"b\": {beta:?}}}, \
             define: {{\"u1\": \"{}\", \"u2\": \"{}\", \"f1\": \"({alpha:?})*u1 + u2\", \"f2\": \"({alpha:?})*u2 - u1\", \"after\": \"b*u2 + ({delta:?})\"}}, \
             modes: {{\"turn\": Mode(equations: [\"x1' = {}\", \"x2' = {}\", \"c' = {:?}\"], events: {{\"back\": Event(guard: \"u1\", direction: Up, \
             when: [\"c > {:?}\"], to: \"turn\", reset: {{\"x1\": \"{}\", \"x2\": \"{}\", \"c\": \"0\"}})}})}}, \
             start: Start(mode: \"turn\", at: {{\"x1\": {:?}, \"x2\": {:?}, \"c\": 0}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"turn\"), start: Settle(at: {{\"b\": {beta:?}}}), free: \"b\", range: ({:?}, {:?}))])",
            sum(&inverse[0], 1.0, ["x1", "x2"]),
            sum(&inverse[1], 1.0, ["x1", "x2"]),
            sum(&a[0], rate, ["f1", "f2"]),
            sum(&a[1], rate, ["f1", "f2"]),
            1.0 / coordinates.time,
            TAU * turns as f64 - PI,
            sum(&a[0], s, ["u1", "after"]),
            sum(&a[1], s, ["u1", "after"]),
            start[0],
            start[1],
            -1.7 / growth,
            0.3 / growth,
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{}\n{text}", result.missing[0].reason)));
            continue;
        }
        let c = curve(&result, "c");
        let found: Vec<(Label, f64)> = labels(c).iter().map(|l| (l.0, l.1 * growth)).collect();
        let mut verdict = Verdict::of(&found, &[(Label::PD, -1.0)], 1e-9);
        let period = TAU * turns as f64 * coordinates.time;
        if c.points()
            .any(|(_, _, p)| (p.record.period / period - 1.0).abs() > 1e-10)
        {
            verdict.missed.push("the period".into());
        }
        if !verdict.is_right() {
            wrong.push((member, format!("{verdict:?}\n{text}")));
        }
    }
    none_wrong("side conditions", count, &wrong);
}

/// x' = λx with a reset at 1, a second surface never reached, for times in which the closed form would leave the
/// numbers: the same answer for any time.
#[test]
fn visits_end_before_their_closed_form_blows_up() {
    for member in 0..members(10) {
        let mut random = Random::of("blow up", member);
        let rate = random.log_between(0.1, 1e3);
        let low = random.between(0.05, 0.5);
        let lap = -low.ln() / rate;
        let time = lap * 1e3f64.powf(random.between(0.5, 1.5));
        let text = format!(
            "Study(title: \"blow up\", system: Hybrid(states: [\"x\"], parameters: {{\"l\": {rate:?}}}, modes: {{\"grow\": Mode(equations: [\"x' = l*x\"], \
             events: {{\"a\": Event(guard: \"x + 5\", direction: Down, to: \"grow\", reset: {{\"x\": \"1\"}}), \
             \"fire\": Event(guard: \"x - 1\", direction: Up, to: \"grow\", reset: {{\"x\": \"{low:?}\"}})}})}}, \
             start: Start(mode: \"grow\", at: {{\"x\": {low:?}}})), simulations: [Simulation(name: \"s\", time: {time:?})])"
        );
        let result = run(&text);
        assert!(result.missing.is_empty(), "{:?}\n{text}", result.missing[0].reason);
    }
}

/// Words read back as they are written, where modes and events share names.
#[test]
fn words_of_modes_and_events_that_share_names() {
    for member in 0..members(60) {
        let mut random = Random::of("names", member);
        let names = ["a", "b", "c", "d"];
        let modes = 1 + random.below(3);
        let mut targets = vec![];
        let mut text = String::new();
        for mode in &names[..modes] {
            let events = 1 + random.below(4);
            let own: Vec<usize> = (0..events).map(|_| random.below(modes)).collect();
            let written: Vec<String> = own
                .iter()
                .enumerate()
                .map(|(e, t)| {
                    format!(
                        "\"{}\": Event(guard: \"x - {}\", direction: Up, to: \"{}\")",
                        names[e],
                        e + 1,
                        names[*t]
                    )
                })
                .collect();
            text.push_str(&format!(
                "\"{mode}\": Mode(equations: [\"x' = 1\"], events: {{{}}}), ",
                written.join(", ")
            ));
            targets.push(own);
        }
        let text = format!(
            "Study(title: \"names\", system: Hybrid(states: [\"x\"], parameters: {{\"p\": 1}}, modes: {{{text}}}, start: Start(mode: \"a\")), curves: [], \
             simulations: [Simulation(name: \"s\", time: 1)])"
        );
        let loaded = study::parse("study.ron".as_ref(), text.clone()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let system = &plan.systems[0].system;
        let mode = |name: &str| system.mode(name).unwrap();
        for _ in 0..40 {
            let mut at = random.below(modes);
            let (first, mut letters) = (at, vec![]);
            for _ in 0..1 + random.below(12) {
                let e = random.below(targets[at].len());
                letters.push(Letter {
                    mode: mode(names[at]),
                    event: system.event(mode(names[at]), names[e]),
                });
                at = targets[at][e];
            }
            if at != first {
                continue;
            }
            let word = Word {
                letters,
                symmetric: false,
            };
            let said = word.describe(system);
            let read = Word::parse(&said, false, system);
            assert_eq!(read.as_ref(), Ok(&word), "{said}\n{text}");
        }
    }
}

/// Next to a doubling a motion settles so slowly that two rounds agree long before one does: the logistic map at r = 3
/// - d has a fixed point.
#[test]
fn motions_that_settle_slowly_have_their_least_period() {
    for member in 0..members(6) {
        let mut random = Random::of("slow", member);
        let below = random.log_between(1e-6, 1e-3);
        let scale = 10f64.powf(random.between(-3.0, 3.0));
        let r = 3.0 - below;
        let text = format!(
            "Study(title: \"slow\", system: Map(states: [\"x\"], parameters: {{\"r\": {r:?}}}, equations: [\"x+ = r*x*(1 - x/({scale:?}))\"]), \
             curves: [], attractors: [Attractors(name: \"seen\", sweep: \"r\", range: ({:?}, {r:?}), count: 2, starts: 3, \
             within: {{\"x\": ({:?}, {:?})}})])",
            r - 1e-9,
            0.2 * scale,
            0.8 * scale
        );
        let result = run(&text);
        for one in &result.attractors[0].found {
            let study::AttractorKind::Orbit { word, .. } = &one.kind else {
                panic!("{:?}\n{text}", one.kind)
            };
            assert_eq!(word, "fixed point", "{text}");
        }
    }
}

/// Forced oscillators with a symmetry, their curve traced over the full period: a sweep knows its symmetric orbits on
/// that curve.
#[test]
fn symmetric_orbits_are_known_on_curves_of_the_full_period() {
    for member in 0..members(3) {
        let mut random = Random::of("full period", member);
        let (damping, forcing) = (random.between(0.3, 0.8), random.between(0.3, 1.0));
        let text = format!(
            "Study(title: \"full period\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"B\": {forcing:?}, \"k\": {damping:?}}}, \
             forcing: Forcing(period: \"2*pi\"), equations: [\"x' = v\", \"v' = -k*v - x^3 + B*cos(t)\"], \
             symmetry: {{\"x\": \"-x\", \"v\": \"-v\", \"phase\": \"phase + pi\"}}), \
             curves: [Curve(name: \"full\", orbit: PeriodicOrbit, start: Settle(at: {{\"B\": {forcing:?}}}), free: \"B\", range: (0.2, 1.2))], \
             attractors: [Attractors(name: \"seen\", sweep: \"B\", range: (0.3, 1.1), count: 3, starts: 2, within: {{\"x\": (-1, 1), \"v\": (-1, 1)}})])"
        );
        let result = run(&text);
        assert!(result.missing.is_empty(), "{:?}", result.missing[0].reason);
        let seen = &result.attractors[0];
        assert!(
            !seen.found.is_empty() && seen.missing.is_empty(),
            "{:?}\n{text}",
            seen.missing
        );
    }
}

/// x' = -k(x - cos y), with y' = 1, and with y' = 1 + c x: the motion keeps next to cos y, whatever k.
#[test]
fn stiff_motions_keep_their_digits() {
    for member in 0..members(8) {
        let mut random = Random::of("stiff", member);
        let k = random.log_between(1e3, 1e13);
        // In closed form for a constant rate; otherwise to the second order in 1/k.
        let (c, k) = if member % 2 == 0 {
            (0.0, k)
        } else {
            (random.between(-0.5, 0.5), 1e7 * k.powf(0.45))
        };
        let rate = if c == 0.0 { "1" } else { "1 + c*x" };
        let text = format!(
            "Study(title: \"stiff\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"k\": {k:?}, \"c\": {c:?}}}, \
             equations: [\"x' = -k*(x - cos(y))\", \"y' = {rate}\"]), curves: [], simulations: [Simulation(name: \"s\", from: {{\"x\": 2}}, time: 10)])"
        );
        let result = run(&text);
        let rows = &result.trajectories[0].rows;
        let off = rows.iter().filter(|row| row.t * k > 100.0).map(|row| {
            let (x, y) = (row.states[0], row.states[1]);
            let exact = (y.cos() + (1.0 + c * x) * y.sin() / k) / if c == 0.0 { 1.0 + 1.0 / (k * k) } else { 1.0 };
            (x - exact).abs()
        });
        let worst = off.fold(0.0, f64::max);
        assert!(worst < 1e-11, "{worst:e} at k = {k:e}\n{text}");
    }
}

/// y' = g'(x) - k (y - g) w(x, y) with w > 0 keeps on the curve y = g(x), x' = 1, whatever k; z' = b z y does not
/// forget where it began, and is known there.
#[test]
fn nonlinear_stiff_motions_keep_their_digits() {
    let class = "stiff, nonlinear";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        // Every other one next to where explicit steps are as long as others.
        let k = if member % 2 == 0 {
            random.log_between(1e2, 1e13)
        } else {
            random.log_between(1e4, 1e6)
        };
        let (mean, a, b) = (
            random.between(-1.0, 1.0),
            random.between(0.2, 1.5),
            random.between(-0.2, 0.2),
        );
        let (w, c, d) = (
            random.between(0.5, 2.0),
            random.between(-0.4, 0.4),
            random.between(0.0, 1.0),
        );
        let g = format!("({mean:?} + {a:?}*sin(x))");
        let text = format!(
            "Study(title: \"stiff\", system: Smooth(states: [\"x\", \"y\", \"z\"], parameters: {{\"k\": {k:?}}}, equations: [\"x' = 1\", \
             \"y' = {a:?}*cos(x) - k*(y - {g})*({w:?} + {c:?}*cos(x) + {d:?}*y^2)\", \"z' = {b:?}*z*y\"]), curves: [], \
             simulations: [Simulation(name: \"s\", from: {{\"x\": 0, \"y\": {mean:?}, \"z\": 1}}, time: 10)])"
        );
        let result = run(&text);
        let Some(seen) = result.trajectories.first() else {
            wrong.push((member, format!("nothing came out: {:?}\n{text}", result.missing)));
            continue;
        };
        let ends = seen.rows.last().map_or(0.0, |row| row.t);
        let off = seen.rows.iter().map(|row| {
            let (x, y, z) = (row.t, row.states[1], row.states[2]);
            let exact = (b * (mean * x + a * (1.0 - x.cos()))).exp();
            (y - mean - a * x.sin()).abs().max((z / exact - 1.0).abs())
        });
        let worst = off.fold(0.0, f64::max);
        if !(worst < 1e-9 && ends > 9.999) {
            wrong.push((member, format!("{worst:e} up to t = {ends} at k = {k:e}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A trajectory settles to the mirror image, to another rotation or to a part of what was asked for: the same orbit; to
/// another: it is said what to write.
#[test]
fn settled_orbits_are_taken_under_any_of_their_words() {
    let study = |orbit: &str| {
        format!(
            "Study(title: \"words\", system: Stiction(mu_s: 1.1, mu_d: 0.4), curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"Omega\": 2}}, mode: \"slip-\", from: {{\"x\": 0.5, \"y\": -0.1, \"theta\": -0.5}}), \
             free: \"Omega\", range: (1.9, 2.1))])"
        )
    };
    let mut periods = vec![];
    for orbit in [
        "Symmetric(\"slip- stick\")",
        "Symmetric(\"stick release- slip+\")",
        "Symmetric(\"slip+ stick\")",
        "Periodic(\"slip- stick slip+ stick\")",
        "Periodic(\"stick release- slip+ stick release+ slip-\")",
        "Symmetric(\"slip- stick slip+ stick slip- stick\")",
    ] {
        let result = run(&study(orbit));
        assert!(result.missing.is_empty(), "{orbit}: {}", result.missing[0].reason);
        let passes = if orbit.matches("stick").count() == 3 { 3.0 } else { 1.0 };
        periods.push(curve(&result, "c").points().next().unwrap().2.record.period / passes);
    }
    assert!(
        periods.iter().all(|p| (p / periods[0] - 1.0).abs() < 1e-9),
        "{periods:?}"
    );
    let other = run(&study("Symmetric(\"slip- reverse\")"));
    assert!(
        other.missing[0]
            .reason
            .contains("write `orbit: Symmetric(\"slip+ land stick release+\")`"),
        "{}",
        other.missing[0].reason
    );
}

/// A forced oscillator that begins to touch a spring: its orbits go on with a visit to the spring, from the grazing
/// itself.
#[test]
fn orbits_go_on_beyond_a_grazing_with_a_spring() {
    for member in 0..members(4) {
        let mut random = Random::of("spring", member);
        let (zeta, stiffness, gap) = (
            random.between(0.05, 0.3),
            random.log_between(0.05, 30.0),
            random.log_between(0.1, 10.0),
        );
        let w = random.between(0.3, 0.8);
        let response = (1.0 - w * w).hypot(2.0 * zeta * w).recip();
        let grazing = gap / response;
        let text = format!(
            "Study(title: \"spring\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"a\": {:?}}}, forcing: Forcing(period: \"{:?}\"), \
             modes: {{\"air\": Mode(equations: [\"x' = v\", \"v' = -({:?})*v - x + a*cos(phase)\"], events: {{\"on\": Event(guard: \"x - ({gap:?})\", \
             direction: Up, to: \"touch\")}}), \"touch\": Mode(equations: [\"x' = v\", \"v' = -({:?})*v - x - ({stiffness:?})*(x - ({gap:?})) + a*cos(phase)\"], \
             events: {{\"off\": Event(guard: \"x - ({gap:?})\", direction: Down, to: \"air\")}})}}, start: Start(mode: \"air\")), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"air free\"), start: Settle(at: {{\"a\": {:?}}}), free: \"a\", range: ({:?}, {:?}), switch: Auto)])",
            0.5 * grazing,
            TAU / w,
            2.0 * zeta,
            2.0 * zeta,
            0.5 * grazing,
            0.4 * grazing,
            1.05 * grazing,
        );
        let result = run(&text);
        assert!(result.missing.is_empty(), "{}\n{text}", result.missing[0].reason);
        let c = curve(&result, "c");
        let found = labels(c);
        let graze = found.iter().find(|l| l.0 == Label::GR);
        assert!(
            graze.is_some_and(|g| (g.1 / grazing - 1.0).abs() < 1e-10),
            "{graze:?}\n{text}"
        );
        assert!(
            c.pieces.len() == 2 && c.pieces[1].word == "air on touch off",
            "{} {}\n{text}",
            c.words(),
            found[0].2.message
        );
    }
}

/// Simpson's rule.
fn integral(of: impl Fn(f64) -> f64, to: f64) -> f64 {
    const PARTS: usize = 2000;
    let h = to / PARTS as f64;
    let weight = |i: usize| match i {
        0 | PARTS => 1.0,
        _ if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=PARTS).map(|i| weight(i) * of(i as f64 * h)).sum::<f64>() * h / 3.0
}

/// Between resets y keeps on a curve y = g(x) that it is drawn to at a rate k w, x' = 1, and z follows another at a
/// rate of order one, which y takes part in: multipliers κ e^{-k ∫w} and ρ e^{-∫v}, however many decades the first
/// decays by. Two states or three, with a phase or without, in linear coordinates.
#[test]
fn multipliers_of_orbits_that_decay_by_any_number_of_decades() {
    let class = "decades";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let k = random.log_between(3e2, 6e3);
        let (mean, a, c, d, b) = (
            random.between(-1.0, 1.0),
            random.between(0.2, 1.0),
            random.between(-0.4, 0.4),
            random.between(0.0, 0.5),
            random.between(0.2, 1.0),
        );
        let (kappa, rho) = (
            random.sign() * random.between(0.2, 0.9),
            random.sign() * random.between(0.3, 0.9),
        );
        let length = random.between(1.0, 3.0);
        // Without z, with z beside y, and with z mixed up with y.
        let third = member % 3 > 0;
        let mix = if member % 3 == 2 {
            random.between(-0.5, 0.5)
        } else {
            0.0
        };
        let rate = if random.below(2) == 0 { "1" } else { "(1 + 0.3*sin(x))" };
        let g = |s: f64| mean + a * s.sin();
        let text_g = |s: &str| format!("({mean:?} + {a:?}*sin({s}))");
        let (states, equations, resets, start) = if third {
            (
                "[\"x\", \"u\", \"z\"]",
                format!("\"x' = {rate}\", \"u' = {rate}*(f + ({mix:?})*h)\", \"z' = {rate}*h\""),
                format!(
                    "\"u\": \"{} + ({kappa:?})*(y - {}) + ({mix:?})*e\", \"z\": \"e\"",
                    text_g("0"),
                    text_g(&format!("{length:?}"))
                ),
                format!("{{\"x\": 0, \"u\": {:?}, \"z\": 0}}", g(0.0)),
            )
        } else {
            (
                "[\"x\", \"u\"]",
                format!("\"x' = {rate}\", \"u' = {rate}*f\""),
                format!(
                    "\"u\": \"{} + ({kappa:?})*(u - {})\"",
                    text_g("0"),
                    text_g(&format!("{length:?}"))
                ),
                format!("{{\"x\": 0, \"u\": {:?}}}", g(0.0)),
            )
        };
        let define = if third {
            format!(
                "\"y\": \"u - ({mix:?})*z\", \"h\": \"cos(x) - ({b:?})*(z - sin(x))*(1 + y^2)\", \"e\": \"q*({rho:?})*(z - sin({length:?}))\""
            )
        } else {
            "\"y\": \"u\"".to_owned()
        };
        let duration = if rate == "1" {
            length
        } else {
            integral(|x| 1.0 / (1.0 + 0.3 * x.sin()), length)
        };
        let text = format!(
            "Study(title: \"decades\", system: Hybrid(states: {states}, parameters: {{\"k\": {k:?}, \"q\": 1}}, define: {{{define}, \
             \"f\": \"({a:?})*cos(x) - k*(y - {})*(1 + ({c:?})*cos(x) + ({d:?})*y^2)\"}}, modes: {{\"go\": Mode(equations: [{equations}], \
             events: {{\"hit\": Event(guard: \"x - ({length:?})\", direction: Up, to: \"go\", reset: {{\"x\": \"0\", {resets}}})}})}}, start: Start(mode: \"go\")), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"go hit\"), start: Guess(at: {{}}, states: [{start}], durations: [{duration:?}]), \
             free: \"q\", range: (0.9, 1.1), points: 2)])",
            text_g("x"),
        );
        let result = run(&text);
        let fast = kappa.abs().log10()
            - k * integral(|x| 1.0 + c * x.cos() + d * g(x).powi(2), length) / std::f64::consts::LN_10;
        let slow = rho.abs().log10() - b * integral(|x| 1.0 + g(x).powi(2), length) / std::f64::consts::LN_10;
        let seen: Vec<(f64, Vec<(f64, f64)>)> = result.curves.first().map_or(vec![], |c| {
            let of = |p: &slipstick_bifurcation::BranchPoint| {
                let all = p.record.multipliers.iter().map(|m| (m.log10, m.arg.cos())).collect();
                (p.point.parameter(), all)
            };
            c.points().map(|(_, _, p)| of(p)).collect()
        });
        let near =
            |m: &(f64, f64), log: f64, sign: f64| (m.0 - log).abs() <= 1e-9 * log.abs().max(1.0) && m.1 * sign > 0.0;
        let right = !seen.is_empty()
            && seen.iter().all(|(q, all)| match &all[..] {
                [only] => near(only, fast, kappa),
                [first, second] => near(first, slow + q.log10(), rho) && near(second, fast, kappa),
                _ => false,
            });
        if !right {
            wrong.push((
                member,
                format!("not {slow} {fast}: {:?}, {:?}\n{text}", seen.first(), result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// An oscillator that hits a wall once in two periods of its forcing: where the wall is as far away as the forced motion
/// without impacts comes, the two are one, and the branch ends there; it is not followed on along the other, twice round.
#[test]
fn doubled_orbits_end_where_they_graze_into_the_plain_one() {
    let class = "doubled orbits at grazing";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, e, unit) = (
            random.between(0.11, 0.14),
            random.between(0.72, 0.78),
            random.log_between(1e-2, 1e2),
        );
        let w: f64 = 4.1;
        let grazing = unit / ((1.0 - w * w).powi(2) + (c * w).powi(2)).sqrt();
        let text = format!(
            "Study(title: \"impacts\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"d\": 0}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
             modes: {{\"fly\": Mode(equations: [\"x' = v\", \"v' = {unit:?}*cos({w:?}*t) - {c:?}*v - x\"], \
             events: {{\"hit\": Event(guard: \"x - d\", direction: Up, to: \"fly\", reset: {{\"v\": \"-{e:?}*v\"}})}})}}, \
             start: Start(mode: \"fly\", at: {{\"x\": {:?}, \"v\": 0}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"fly hit\"), start: Settle(at: {{\"d\": {:?}}}), free: \"d\", range: (0, {:?}), switch: Auto)])",
            -0.5 * unit,
            0.05 * unit,
            0.3 * unit,
        );
        let result = run(&text);
        let Some(found) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let last = found.points().map(|(_, _, p)| p.point.parameter()).fold(0.0, f64::max);
        let free = found.pieces.iter().any(|piece| piece.word.contains("free"));
        let doubled = found
            .points()
            .all(|(_, _, p)| (p.record.period * w / std::f64::consts::TAU - 2.0).abs() < 1e-9);
        if free || !doubled || (last / grazing - 1.0).abs() > 1e-8 {
            wrong.push((
                member,
                format!("up to {last:?} for {grazing:?}, free: {free}, doubled: {doubled}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
