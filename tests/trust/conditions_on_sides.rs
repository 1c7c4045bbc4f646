//! Forces that jump at a surface, written by conditions on its switching function or on the sign of it, by steps, and
//! by functions of them: the same system as that which is written with the sign as a factor.

use super::known::none_wrong;
use super::random::{Random, members};
use slipstick_study as study;
use slipstick_system::{SharedFunction, System};

/// Friction `up` on the side on which the switching function `h` is positive and `-down` on the other one; `h` is
/// `slip`, that is `v - v0`, times a factor of this sign.
fn writings(factor: f64) -> Vec<&'static str> {
    let mut all = vec![
        "if(sgn(h) > 0, up, -down)",
        "if(sgn(h) >= 0, up, down)*sgn(h)",
        "if(sgn(h) == 1, up, -down)",
        "if(heaviside(h) > 0.5, up, -down)",
        "piecewise(sgn(h) > 0, up, sgn(h) < 0, -down, 0)",
        "(up - down)/2 + (up + down)/2*sign(sgn(h))",
        "(up - down)/2 + (up + down)/2*(2*floor((sgn(h) + 1)/2) - 1)",
        "(up - down)/2 + (up + down)/2*(mod(sgn(h) + 1, 4) - 1)",
        "(up - down)/2 + (up + down)/pi*atan2(sgn(h), 0)",
        "up*max(0, sgn(h)) + down*min(0, sgn(h))",
        "(up - down)/2 + (up + down)/2*sin(pi/2*sgn(h))",
        "if(h > 0, up, down)*sgn(h)",
        "if(h > 0, up, -down)",
        "if(not (h < 0), up, -down)",
        "if(-2*h < 0, up, -down)",
        "if(h/k > 0, up, -down)",
        "piecewise(h > 0 and up > 0, up, h < 0, -down, 0)",
        "up*heaviside(h) - down*heaviside(-h)",
        "up*heaviside(k*h) - down*heaviside(-h/k)",
        "(up - down)/2 - (up + down)/2*sign(-3*h)",
        "law(h)",
        "friction",
        "(up - down)/2 + (up + down)/2*h/abs(h)",
        "(up - down)/2 + (up + down)*abs(3*h)/h/6",
        "(up - down)/2 + (up + down)/2*h/sqrt(h^2)",
    ];
    all.extend(if factor > 0.0 {
        [
            "if(v > v0, up, -down)",
            "if(v + v0 > 2*v0, up, down)*sign(v - v0)",
            "law(slip)",
        ]
    } else {
        [
            "if(v < v0, up, -down)",
            "if(slip >= 0, -down, up)",
            "up*heaviside(v0 - v) - down*heaviside(slip)",
        ]
    });
    all
}

/// A block on a belt, beside another one that a relay drives, with these parameters.
fn block([up, down, v0, k, pull, drive]: [f64; 6], factor: f64, friction: &str) -> System {
    let text = format!(
        "Study(title: \"belt\", system: Filippov(states: [\"x\", \"v\", \"u\"], \
         parameters: {{\"up\": {up:?}, \"down\": {down:?}, \"v0\": {v0:?}, \"k\": {k:?}}}, \
         define: {{\"slip\": \"v - v0\", \"law(v)\": \"if(v > 0, up, -down)\", \"friction\": \"law(h)\"}}, \
         surfaces: {{\"h\": \"{factor:?}*slip\", \"g\": \"u - x\"}}, \
         equations: [\"x' = v\", \"v' = {pull:?}*u - x - ({friction})\", \"u' = -u - {drive:?}*sgn(g)\"], start: {{\"x\": 0.3}}))"
    );
    let plan = study::parse("t.ron".as_ref(), text).unwrap().plan(&[]).unwrap();
    let said = plan.warnings.iter().find(|w| w.message.contains("may jump"));
    assert!(said.is_none(), "{friction}: {said:?}");
    plan.systems[0].system.clone()
}

/// What differs between two systems, if anything: their modes, their events, and the fields; `with_guards` also what
/// events hang on. Where products of two signs enter, signs on both surfaces are roots, known to rounding alone.
fn differs(random: &mut Random, one: &System, other: &System, with_guards: bool) -> Option<String> {
    let names = |system: &System| -> Vec<String> {
        let events = |m: &slipstick_system::Mode| -> String {
            let name = |target: usize| system.modes[target].name.clone();
            let all = m.events.iter();
            let all = all.map(|e| format!(" {} {:?} {} {}", e.name, e.direction, e.when.len(), name(e.target)));
            format!("{} {:?}{}", m.name, m.states, all.collect::<String>())
        };
        system.modes.iter().map(events).collect()
    };
    let (own, known) = (names(one), names(other));
    if own != known {
        return Some(format!("{own:?}, not {known:?}"));
    }
    let p = one.default_parameters();
    let mut apart = |what: &str, states: usize, a: &SharedFunction, b: &SharedFunction| {
        let x: Vec<f64> = (0..states).map(|_| random.between(-2.0, 2.0)).collect();
        let value = |f: &SharedFunction| {
            let mut out = vec![0.0; f.outputs()];
            f.value(&x, &p, &mut out);
            out
        };
        let (a, b) = (value(a), value(b));
        let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12 * (1.0 + b.abs());
        (!a.iter().zip(&b).all(same)).then(|| format!("{what} {a:?}, not {b:?}"))
    };
    for (a, b) in one.modes.iter().zip(&other.modes) {
        let states = a.states.len();
        let mut pairs = vec![("field", &a.field, &b.field)];
        if !with_guards && a.name.matches('0').count() == 2 {
            continue;
        }
        let events = a.events.iter().zip(&b.events).filter(|_| with_guards);
        for (a, b) in events {
            pairs.push(("guard", &a.guard, &b.guard));
            let whens = a.when.iter().zip(&b.when);
            pairs.extend(whens.map(|(a, b)| ("condition", &a.function, &b.function)));
        }
        let mut found = pairs.into_iter().filter_map(|(what, a, b)| apart(what, states, a, b));
        if let Some(found) = found.next() {
            return Some(format!("{}: {found}", a.name));
        }
    }
    None
}

#[test]
fn forces_that_conditions_on_sides_decide() {
    let class = "conditions on sides";
    let count = members(100);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let factor = random.sign() * random.log_between(0.1, 10.0);
        let all = writings(factor);
        let friction = all[member % all.len()];
        let numbers = [0; 6].map(|_| random.between(0.1, 1.0));
        let written = block(numbers, factor, friction);
        let known = block(numbers, factor, "(up - down)/2 + (up + down)/2*sgn(h)");
        if let Some(what) = differs(&mut random, &written, &known, true) {
            wrong.push((member, format!("{friction}, {factor}: {what}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn conditions_on_two_sides_at_once() {
    let class = "conditions on two sides";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let factor = random.log_between(0.1, 10.0);
        let (friction, known) = [
            (
                "if(h > 0 and g > 0, up, down)",
                "down + (up - down)*heaviside(h)*heaviside(g)",
            ),
            (
                "if(sgn(h)*sgn(g) > 0, up, down)",
                "(up + down)/2 + (up - down)/2*sgn(h)*sgn(g)",
            ),
            (
                "if(h > 0 or u < x, up, -down)",
                "-down + (up + down)*(1 - heaviside(-h)*heaviside(g))",
            ),
            (
                "if(h > 0, up*sgn(g), down)*sgn(h)",
                "up*heaviside(h)*sgn(g) - down*heaviside(-h)",
            ),
        ][member % 4];
        let numbers = [0; 6].map(|_| random.between(0.1, 1.0));
        let written = block(numbers, factor, friction);
        let known = block(numbers, factor, known);
        if let Some(what) = differs(&mut random, &written, &known, false) {
            wrong.push((member, format!("{friction}, {factor}: {what}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A field for each side that speaks of the sides, in any writing: what it says, its side decides.
#[test]
fn fields_of_sides_that_speak_of_them() {
    let class = "fields that speak of sides";
    let count = members(25);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let factor = random.sign() * random.log_between(0.1, 10.0);
        let all = writings(factor);
        let friction = all[member % all.len()];
        let [up, down, v0, k, pull, _] = [0; 6].map(|_| random.between(0.1, 1.0));
        let system = |above: &str, below: &str| -> Result<System, String> {
            let field = |force: &str| format!("[\"x' = v\", \"v' = {pull:?}*sin(x) - x - ({force})\"]");
            let text = format!(
                "Study(title: \"belt\", system: Filippov(states: [\"x\", \"v\"], \
                 parameters: {{\"up\": {up:?}, \"down\": {down:?}, \"v0\": {v0:?}, \"k\": {k:?}}}, \
                 define: {{\"slip\": \"v - v0\", \"law(v)\": \"if(v > 0, up, -down)\", \"friction\": \"law(h)\"}}, \
                 surfaces: {{\"h\": \"{factor:?}*slip\"}}, \
                 fields: {{\"+\": {}, \"-\": {}}}, start: {{\"x\": 0.3}}))",
                field(above),
                field(below)
            );
            let study = study::parse("t.ron".as_ref(), text).map_err(|e| e.to_string())?;
            let plan = study.plan(&[]).map_err(|e| e.to_string())?;
            match plan.warnings.iter().find(|w| w.message.contains("may jump")) {
                Some(warning) => Err(warning.message.clone()),
                None => Ok(plan.systems[0].system.clone()),
            }
        };
        let known = system("up", "-down").unwrap();
        let what = match system(friction, friction) {
            Ok(written) => differs(&mut random, &written, &known, true),
            Err(why) => Some(why),
        };
        if let Some(what) = what {
            wrong.push((member, format!("{friction}, {factor}: {what}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A force that conditions on the sides decide and that does not jump has no sliding.
#[test]
fn pieces_that_meet_on_the_surface() {
    for friction in [
        "if(h > 0, up, down)*h",
        "up*max(0, h) + down*min(0, h)",
        "if(sgn(h) > 0, up*h, 2*down*h)",
    ] {
        let system = block([0.3, 0.7, 0.4, 0.9, 0.6, 0.2], 1.0, friction);
        let names: Vec<&str> = system.modes.iter().map(|m| m.name.as_str()).collect();
        assert!(names.iter().all(|name| !name.contains("h0")), "{friction}: {names:?}");
    }
}
