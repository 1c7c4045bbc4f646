//! Two masses of which one switches or rubs: the coordinate of the other passes zero just at the events, which is no
//! more than a choice of its origin. Where that lies changes neither the curves nor how many points they take.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// Two masses on springs and dampers; the first is forced, and has a relay or a dry contact to the ground.
struct Pair {
    masses: [f64; 2],
    /// Of the springs from the ground to the first, to the second, and on to the ground.
    stiffness: [f64; 3],
    damping: f64,
    force: f64,
    omega: f64,
    contact: &'static str,
    word: &'static str,
}

impl Pair {
    fn random(random: &mut Random) -> Self {
        let (contact, word) = if random.below(2) == 0 {
            (
                "Relay(on: \"x\", level: 0.5, hysteresis: 0.3)",
                "a:+ a:switch- a:- a:switch+",
            )
        } else {
            ("Coulomb(on: \"x\", mu: 0.15)", "a:slip+ a:reverse a:slip- a:reverse")
        };
        Self {
            masses: [random.between(0.8, 1.5), random.between(0.8, 1.8)],
            stiffness: [
                random.between(0.6, 1.8),
                random.between(0.7, 1.2),
                random.between(0.0, 0.8),
            ],
            damping: random.between(0.1, 0.3),
            force: random.between(1.3, 2.2),
            omega: random.between(0.9, 1.6),
            contact,
            word,
        }
    }

    /// With the second coordinate counted from this far aside.
    fn study(&self, aside: f64) -> String {
        let Self {
            masses: [m, n],
            stiffness: [k, between, beyond],
            damping: c,
            force,
            omega: w,
            contact,
            word,
        } = self;
        format!(
            "Study(title: \"pair\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"w\": {w:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x\": {m:?}, \"y\": {n:?}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?}), \
             Spring(on: \"y\", against: Coordinate(\"x\"), stiffness: {between:?}, damping: {c:?}), Spring(on: \"y\", stiffness: {beyond:?}, damping: {c:?})], \
             forces: {{\"x\": \"{force:?}*cos(w*t) - {:?}\", \"y\": \"{:?}\"}}, contacts: {{\"a\": {contact}}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"w\": {w:?}}}), free: \"w\", range: (0.8, 2.5))])",
            between * aside,
            (between + beyond) * aside,
        )
    }
}

#[test]
fn curves_take_as_many_points_wherever_the_origin_of_a_coordinate_lies() {
    let class = "zero at events";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let pair = Pair::random(&mut random);
        let seen = |aside: f64| -> Option<(Vec<(Label, f64)>, usize)> {
            let result = run(&pair.study(aside));
            let found = result.curves.first()?;
            let places = labels(found).into_iter().map(|(label, at, _)| (label, at));
            Some((places.collect(), found.points().count()))
        };
        let aside = random.between(3.0, 8.0);
        let both = (seen(0.0), seen(aside));
        let right = match &both {
            (Some(plain), Some(shifted)) => {
                let same = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && (a.1 / b.1 - 1.0).abs() <= 1e-8;
                let labels = plain.0.len() == shifted.0.len() && plain.0.iter().zip(&shifted.0).all(same);
                labels && plain.1 <= 2 * shifted.1
            }
            (plain, shifted) => plain.is_none() && shifted.is_none(),
        };
        if !right {
            wrong.push((member, format!("{aside}: {both:?}\n{}", pair.study(0.0))));
        }
    }
    none_wrong(class, count, &wrong);
}
