//! Oscillators that touch a compliant stop, in any unit of force and of length: curves over the stiffness of the stop
//! and over its distance are the same, behind grazing as before it, however large the numbers of the parameter are.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// m x'' + c x' + k x = F cos wt below a stop with a spring and a damper.
struct Oscillator {
    mass: f64,
    stiffness: f64,
    damping: f64,
    force: f64,
    omega: f64,
    distance: f64,
    stop: f64,
    damper: f64,
    /// Is the curve one over the stiffness of the stop, or over its distance?
    over_stiffness: bool,
}

impl Oscillator {
    fn random(random: &mut Random) -> Self {
        Self {
            mass: random.between(0.45, 0.6),
            stiffness: random.between(0.9, 1.2),
            damping: random.between(0.1, 0.16),
            force: random.between(2.5, 3.1),
            omega: random.between(1.05, 1.25),
            distance: random.between(0.25, 0.4),
            stop: random.between(10.0, 14.0),
            damper: random.between(0.1, 0.3),
            over_stiffness: random.below(4) > 0,
        }
    }

    /// With forces times `force` and lengths times `length`; the value of the parameter at the start.
    fn study(&self, force: f64, length: f64) -> (String, f64) {
        let (each, w) = (force / length, self.omega);
        let (distance, stop) = (self.distance * length, self.stop * each);
        let (name, value) = if self.over_stiffness {
            ("k", stop)
        } else {
            ("d", distance)
        };
        let text = format!(
            "Study(title: \"stop\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"d\": {distance:?}, \"k\": {stop:?}}}, \
             forcing: Forcing(period: \"2*pi/{w:?}\"), masses: {{\"x\": {:?}}}, springs: [Spring(on: \"x\", stiffness: {:?}, damping: {:?})], \
             forces: {{\"x\": \"{:?}*cos({w:?}*t)\"}}, contacts: {{\"s\": Gap(on: \"x\", distance: \"d\", side: Above, stiffness: \"k\", damping: {:?})}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"s:open s:close s:closed s:open\"), start: Settle(at: {{\"{name}\": {value:?}}}), \
             free: \"{name}\", range: ({:?}, {:?}), switch: Auto)])",
            self.mass * each,
            self.stiffness * each,
            self.damping * each,
            self.force * force,
            self.damper * each,
            0.2 * value,
            3.0 * value,
        );
        (text, value)
    }
}

/// The labels with where they are, in parts of the parameter at the start, and the number of points.
fn seen((text, value): &(String, f64)) -> Option<(Vec<(Label, f64)>, usize)> {
    let result = run(text);
    let found = result.curves.first()?;
    let of_start = labels(found).into_iter().map(|(label, at, _)| (label, at / value));
    Some((of_start.collect(), found.points().count()))
}

#[test]
fn curves_over_a_stop_are_the_same_in_any_unit_of_its_parameter() {
    let class = "units of parameters";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let oscillator = Oscillator::random(&mut random);
        let power = random.between(7.0, 11.0);
        let unit = if random.below(4) > 0 { power } else { -power };
        let (force, length) = if oscillator.over_stiffness {
            (10f64.powf(unit), 1.0)
        } else {
            (random.log_between(1e-6, 1e6), 10f64.powf(unit))
        };
        let scaled = oscillator.study(force, length);
        // Where other words are settled to there is nothing to compare.
        let both = (seen(&oscillator.study(1.0, 1.0)), seen(&scaled));
        let right = match &both {
            (Some(plain), Some(scaled)) => {
                let same = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && (a.1 / b.1 - 1.0).abs() <= 1e-8;
                let labels = plain.0.len() == scaled.0.len() && plain.0.iter().zip(&scaled.0).all(same);
                labels && plain.1.abs_diff(scaled.1) <= 20
            }
            (plain, scaled) => plain.is_none() && scaled.is_none(),
        };
        if !right {
            wrong.push((member, format!("{both:?}\n{}", scaled.0)));
        }
    }
    none_wrong(class, count, &wrong);
}
