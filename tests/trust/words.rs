//! The words of orbits along their branches, against integrations that know nothing of words.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use std::f64::consts::TAU;

/// x'' + 2 d x' + x + k (x - c)₊ = cos φ.
struct Bilinear {
    d: f64,
    k: f64,
    c: f64,
}

impl Bilinear {
    fn random(random: &mut Random) -> Self {
        Self {
            d: random.between(0.05, 0.15),
            k: random.log_between(3.0, 25.0),
            c: random.between(0.05, 0.3),
        }
    }

    /// (x, v, φ) after a time, by the classical method of Runge and Kutta.
    fn follow(&self, mut x: [f64; 3], w: f64, time: f64) -> [f64; 3] {
        const STEPS: usize = 40_000;
        let rate = |x: [f64; 3]| {
            let force = x[2].cos() - 2.0 * self.d * x[1] - x[0] - self.k * (x[0] - self.c).max(0.0);
            [x[1], force, w]
        };
        let h = time / STEPS as f64;
        let moved = |x: [f64; 3], k: [f64; 3], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
        for _ in 0..STEPS {
            let a = rate(x);
            let b = rate(moved(x, a, 0.5 * h));
            let c = rate(moved(x, b, 0.5 * h));
            let d = rate(moved(x, c, h));
            x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        x
    }
}

/// Over the frequency and into the branches of doubled orbits: wherever a visit vanishes or begins, a word goes on,
/// doubled branches come back to where others branch off, and the orbits in between close.
#[test]
fn branches_of_bilinear_oscillators_go_on_through_all_their_words() {
    let class = "bilinear";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let system = Bilinear::random(&mut random);
        let Bilinear { d, k, c } = system;
        // Its frequency where it does not touch anything but goes through both modes.
        let w0 = 2.0 * (1.0 + k).sqrt() / (1.0 + (1.0 + k).sqrt());
        let text = format!(
            "Study(title: \"bilinear\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"w\": {w0:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             define: {{\"f\": \"cos(phase) - ({:?})*v - x\"}}, modes: {{\
             \"l\": Mode(equations: [\"x' = v\", \"v' = f\"], events: {{\"in\": Event(guard: \"x - ({c:?})\", direction: Up, to: \"r\")}}), \
             \"r\": Mode(equations: [\"x' = v\", \"v' = f - ({k:?})*(x - ({c:?}))\"], events: {{\"out\": Event(guard: \"x - ({c:?})\", direction: Down, to: \"l\")}})\
             }}, start: Start(mode: \"l\")), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"l r\"), start: Settle(at: {{}}), free: \"w\", range: ({:?}, {:?}), switch: Auto, branches: [PD])])",
            2.0 * d,
            0.9 * w0,
            3.0 * w0,
        );
        let result = run(&text);
        let mut said = vec![];
        for curve in &result.curves {
            for (_, _, p) in curve.points().filter(|(_, _, p)| p.label.is_some()) {
                let lost = p.label == Some(Label::MX);
                if lost || p.message.contains("no neighbouring word") {
                    said.push(format!("{} at {}: {}", curve.name, p.point.parameter(), p.message));
                }
            }
            for piece in &curve.pieces {
                for (index, sample) in piece.between.iter().step_by(1 + piece.between.len() / 4) {
                    let record = &piece.branch.points[*index].record;
                    let (w, start) = (record.parameters[0], &sample.states[0]);
                    let end = system.follow([start[0], start[1], start[2]], w, record.period);
                    let off = (0..2).map(|i| (end[i] - start[i]).abs()).fold(0.0, f64::max);
                    let laps = record.period * w / TAU;
                    if !(off <= 1e-5) || (laps - laps.round()).abs() > 1e-9 {
                        said.push(format!(
                            "{} at {w}: off by {off:e} after {laps} laps in `{}`",
                            curve.name, piece.word
                        ));
                    }
                }
            }
        }
        if result.curves.len() < 2 || !said.is_empty() {
            wrong.push((member, format!("{said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
