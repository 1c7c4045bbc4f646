//! Surfaces that a symmetry carries to each other but for a factor, as of equal blocks whose switching functions are
//! written in other units.

use super::known::{labels, run};
use super::normal_forms::class;
use super::random::Random;
use slipstick_bifurcation::Label;
use std::f64::consts::PI;

/// Two equal blocks, on springs that creep, are pushed by F cos(ω t) and -F cos(ω t), and begin to slip at F = μ. Their
/// exchange, half a period on, is a symmetry. Factors of the switching functions have either sign.
#[test]
fn equal_blocks_are_images_of_each_other_whatever_the_factors_of_their_surfaces() {
    class("blocks with scaled surfaces", 8, |random| {
        let (mu, omega) = (random.log_between(0.1, 10.0), random.log_between(0.3, 3.0));
        let [own, coupling, creep] = [0, 1, 2].map(|_| random.between(0.3, 2.0));
        let factor = |random: &mut Random| random.sign() * random.log_between(1e-2, 1e2);
        let factors = [factor(random), factor(random)];
        // Beyond a surface with a negative factor the velocity is negative.
        let friction = |k: usize| {
            let sign = if factors[k] > 0.0 { "-" } else { "+" };
            format!("{sign} {mu:?}*sgn({})", ["a", "b"][k])
        };
        let text = format!(
            "Study(title: \"blocks\", system: Filippov(states: [\"x\", \"v\", \"y\", \"w\"], parameters: {{\"F\": {:?}}}, forcing: Forcing(period: \"2*pi/{omega:?}\"), \
             surfaces: {{\"a\": \"{:?}*v\", \"b\": \"{:?}*w\"}}, equations: [\"x' = v - {creep:?}*x\", \"y' = w - {creep:?}*y\", \
             \"v' = -{own:?}*x - {coupling:?}*(x - y) + F*cos({omega:?}*t) {}\", \"w' = -{own:?}*y - {coupling:?}*(y - x) - F*cos({omega:?}*t) {}\"], \
             symmetry: {{\"x\": \"y\", \"v\": \"w\", \"y\": \"x\", \"w\": \"v\", \"phase\": \"phase + pi\"}}), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"a0,b0 free\"), start: Guess(at: {{}}, states: [{{\"x\": 0, \"y\": 0}}], durations: [{:?}]), \
             free: \"F\", range: ({:?}, {:?}))])",
            0.5 * mu,
            factors[0],
            factors[1],
            friction(0),
            friction(1),
            PI / omega,
            0.2 * mu,
            2.0 * mu
        );
        let result = run(&text);
        let found = result.curves.first().map_or_else(Vec::new, labels);
        // Both blocks may go at once in more than one way there (NU).
        let there = |l: &(Label, f64, _)| matches!(l.0, Label::OV | Label::NU) && (l.1 / mu - 1.0).abs() <= 1e-10;
        let right = found.iter().all(there) && found.iter().any(|l| l.0 == Label::OV);
        let shown: Vec<_> = found.iter().map(|l| (l.0, l.1 / mu)).collect();
        (!right).then(|| format!("{shown:?} {:?}\n{text}", result.missing))
    });
}
