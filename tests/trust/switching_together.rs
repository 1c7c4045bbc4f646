//! Elements that switch on one and the same function: their system is that of one element with the sum of their forces,
//! and has the same attractors, curves and special points.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::{AttractorKind, RunResult};

/// The same system declared with one element and with several, each followed by what is traced.
struct Pair {
    /// The declarations, up to the parts that are shared.
    systems: [String; 2],
    /// How many states they share, which are the first ones.
    states: usize,
}

/// A force of period 2π/w, with a second harmonic, so that nothing is symmetric.
fn force(random: &mut Random) -> String {
    let (size, second) = (random.between(0.9, 1.6), random.between(0.1, 0.4));
    let phase = random.between(0.0, 6.0);
    format!("{size:?}*cos(w*t) + {second:?}*sin(2*w*t + {phase:?})")
}

/// Parts of a number, in a random order of two or three, and their sum.
fn parts(random: &mut Random, low: f64, high: f64) -> (Vec<f64>, f64) {
    let count = 2 + random.below(2);
    let all: Vec<f64> = (0..count).map(|_| random.between(low, high)).collect();
    let sum = all.iter().sum();
    (all, sum)
}

/// `name0: element, name1: …`.
fn named(elements: &[String]) -> String {
    let all = elements
        .iter()
        .enumerate()
        .map(|(k, element)| format!("\"c{k}\": {element}"));
    all.collect::<Vec<_>>().join(", ")
}

/// Two masses with a spring between them, of which one has the elements, or both have, against each other.
fn masses(random: &mut Random, one: &[String], several: &[String]) -> Pair {
    let (k, c) = (random.between(0.6, 1.4), random.between(0.1, 0.25));
    let (between, mass) = (random.between(0.3, 0.8), random.between(0.8, 1.5));
    let pushed = force(random);
    let system = |elements: &[String]| {
        format!(
            "Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"w\": 0.7, \"d\": 0.25}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x\": 1, \"y\": {mass:?}}}, points: {{\"q\": {{\"x\": -2}}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?}), \
             Spring(on: \"y\", stiffness: 1.3, damping: {c:?}), Spring(on: \"x\", against: Coordinate(\"y\"), stiffness: {between:?}, damping: 0.1)], \
             forces: {{\"x\": \"{pushed}\"}}, contacts: {{{}}})",
            named(elements)
        )
    };
    Pair {
        systems: [system(one), system(several)],
        states: 4,
    }
}

/// Relays of one displacement, of which one may be turned round or act on a point that moves twice as far the other
/// way.
fn relays(random: &mut Random) -> Pair {
    let (levels, sum) = parts(random, 0.05, 0.2);
    let hysteresis = if random.below(2) == 0 { "0" } else { "\"d/5\"" };
    let relative = random.below(2) == 0;
    let element = |on: &str, level: f64, hysteresis: &str| {
        let against = match (relative, on) {
            (true, "x") => ", against: Coordinate(\"y\")",
            (true, "y") => ", against: Coordinate(\"x\")",
            _ => "",
        };
        format!("Relay(on: \"{on}\"{against}, level: {level:?}, hysteresis: {hysteresis})")
    };
    let turned = if relative { "y" } else { "x" };
    let mut several: Vec<String> = levels.iter().map(|level| element("x", *level, hysteresis)).collect();
    several[0] = element(turned, levels[0], hysteresis);
    if !relative && random.below(2) == 0 {
        let twice = if hysteresis == "0" { "0" } else { "\"d*2/5\"" };
        several[1] = element("q", levels[1] / 2.0, twice);
    }
    masses(random, &[element("x", sum, hysteresis)], &several)
}

/// Compliant obstacles at one distance, written in two ways.
fn obstacles(random: &mut Random) -> Pair {
    let (stiffnesses, stiffness) = parts(random, 1.0, 3.0);
    let (dampings, _) = parts(random, 0.0, 0.3);
    let side = ["Above", "Below", "Both"][random.below(3)];
    let damping = |k: usize| dampings[k % dampings.len()];
    let sum: f64 = (0..stiffnesses.len()).map(damping).sum();
    let element = |distance: &str, stiffness: f64, damping: f64| {
        format!(
            "Gap(on: \"x\", distance: \"{distance}\", side: {side}, stiffness: {stiffness:?}, damping: {damping:?})"
        )
    };
    let own = |k: usize| element(["d", "(3*d - d)/2", "d*1"][k], stiffnesses[k], damping(k));
    let several: Vec<String> = (0..stiffnesses.len()).map(own).collect();
    masses(random, &[element("d", stiffness, sum)], &several)
}

/// A rigid obstacle, beyond which nothing comes: a softer one and a relay at the same place never switch, so that the
/// force of the relay is constant.
fn beyond(random: &mut Random) -> Pair {
    let restitution = random.between(0.4, 0.8);
    let level = random.between(0.05, 0.2);
    let rigid = format!("Gap(on: \"x\", distance: \"d\", restitution: {restitution:?}, rest: 0.02)");
    let mut several = vec![
        "Gap(on: \"x\", distance: \"d\", stiffness: 3, damping: 0.2)".to_owned(),
        rigid.clone(),
        format!("Relay(on: \"x\", level: {level:?}, hysteresis: \"d\")"),
    ];
    several.rotate_left(random.below(3));
    let start = "start: {\"x\": -0.5}, contacts";
    let mut pair = masses(random, &[rigid], &several);
    pair.systems[1] = pair.systems[1].replace("contacts", start);
    pair.systems[0] = pair.systems[0].replace("contacts", start);
    pair.systems[0] = pair.systems[0].replace("forces: {\"x\": \"", &format!("forces: {{\"x\": \"{level:?} + "));
    pair
}

/// A relay at a compliant obstacle that is touched at rest, and the same written with one sign.
fn relay_at_an_obstacle(random: &mut Random) -> Pair {
    let (level, stiffness, damping) = (
        random.between(0.1, 0.4),
        random.between(1.0, 4.0),
        random.between(0.05, 0.3),
    );
    let (k, c) = (random.between(0.6, 1.4), random.between(0.1, 0.25));
    let pushed = force(random);
    let parameters = "parameters: {\"w\": 0.7}, forcing: Forcing(period: \"2*pi/w\")";
    let mut elements = vec![
        format!("Relay(on: \"x\", level: {level:?})"),
        format!("Gap(on: \"x\", stiffness: {stiffness:?}, damping: {damping:?})"),
    ];
    elements.rotate_left(random.below(2));
    Pair {
        systems: [
            format!(
                "Filippov(states: [\"x\", \"v_x\"], {parameters}, surfaces: {{\"s\": \"x\"}}, equations: [\"x' = v_x\", \
                 \"v_x' = -{k:?}*x - {c:?}*v_x + {pushed} - {level:?}*sgn(s) - heaviside(s)*({stiffness:?}*x + {damping:?}*v_x)\"])"
            ),
            format!(
                "Mechanical(coordinates: [\"x\"], {parameters}, masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: {k:?}, \
                 damping: {c:?})], forces: {{\"x\": \"{pushed}\"}}, contacts: {{{}}})",
                named(&elements)
            ),
        ],
        states: 2,
    }
}

/// A block on a belt with two signs of one velocity, one of them scaled, and with one; or with given fields.
fn signs(random: &mut Random) -> Pair {
    let (levels, _) = parts(random, 0.1, 0.3);
    let (a, b) = (levels[0], levels[1]);
    let (k, c) = (random.between(0.8, 1.2), random.between(0.1, 0.2));
    let scale = random.sign() * random.log_between(1e-3, 1e3);
    let ratio = random.between(1.0, 1.5);
    let pushed = force(random);
    let by_fields = random.below(2) == 0;
    let field = |friction: &str| format!("[\"x' = v\", \"v' = -{k:?}*x - {c:?}*v + {pushed} {friction}\"]");
    let system = |surfaces: &str, field: String, stiction: &str| {
        format!(
            "Filippov(states: [\"x\", \"v\"], parameters: {{\"w\": 0.7, \"d\": 0.25}}, forcing: Forcing(period: \"2*pi/w\"), \
             surfaces: {{{surfaces}}}, {field}, stiction: {{{stiction}}}, start: {{\"v\": 0.9}})"
        )
    };
    let (sum, sign) = (a + b, scale.signum());
    let one = system(
        "\"s\": \"v - d\"",
        format!("equations: {}", field(&format!("- {sum:?}*sgn(s)"))),
        &format!("\"s\": \"{ratio:?}\""),
    );
    let several = if by_fields {
        let all = ["++", "+-", "-+", "--"].map(|pattern| {
            let side = |k: usize| if &pattern[k..=k] == "+" { 1.0 } else { -1.0 };
            let friction = -a * side(0) - sign * b * side(1);
            format!("\"{pattern}\": {}", field(&format!("+ ({friction:?})")))
        });
        format!("fields: {{{}}}", all.join(", "))
    } else {
        let second = sign * b;
        format!("equations: {}", field(&format!("- {a:?}*sgn(s) - ({second:?})*sgn(u)")))
    };
    let several = system(
        &format!("\"s\": \"v - d\", \"u\": \"({scale:?})*(v - d)\""),
        several,
        &format!("\"s\": \"{ratio:?}\", \"u\": \"{ratio:?}\""),
    );
    Pair {
        systems: [one, several],
        states: 2,
    }
}

/// The attractors of a run: the value of the parameter, the kind, the period, and the extremes of the states.
fn attractors(result: &RunResult, states: usize) -> Vec<(f64, &'static str, f64, Vec<f64>)> {
    let of = |a: &slipstick_study::Attractor| {
        let period = match a.kind {
            AttractorKind::Orbit { period, .. } => period,
            _ => 0.0,
        };
        let row = a.rows.first().map_or(vec![], |row| row[..3 * states].to_vec());
        (a.value, a.kind.name(), period, row)
    };
    result.attractors[0].found.iter().map(of).collect()
}

/// The word of the orbit that motions come to.
fn word_of(result: &RunResult) -> Option<String> {
    let reason = &result.missing.first()?.reason;
    let (_, rest) = reason.split_once("orbit with word `")?;
    Some(rest.split_once('`')?.0.to_owned())
}

/// What a system does: its attractors, and the special points of the curve from the orbit at w = 0.7, with the ends.
type Found = (Vec<(f64, &'static str, f64, Vec<f64>)>, Vec<(Label, f64)>);

fn found(system: &str, states: usize) -> Result<Found, String> {
    let study = |word: &str| {
        format!(
            "Study(title: \"together\", system: {system}, attractors: [Attractors(name: \"a\", sweep: \"w\", range: (0.6, 0.8), count: 3, starts: 2)], \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"w\": 0.7}}), free: \"w\", range: (0.66, 0.74))])"
        )
    };
    // Some mode, with which no orbit is asked for that there is.
    let first = match system {
        s if s.starts_with("Filippov") => "s+".to_owned(),
        _ => {
            let text = format!("Study(title: \"modes\", system: {system})");
            let parsed = slipstick_study::parse("study.ron".as_ref(), text).map_err(|e| format!("{e:?}"))?;
            let system = parsed.spec.system.ok_or("no system")?;
            let built = system.build("system").map_err(|e| format!("{e:?}"))?;
            built.system.modes[0].name.clone()
        }
    };
    let result = run(&study(&first));
    let all = attractors(&result, states);
    let word = word_of(&result).ok_or_else(|| format!("{:?}", result.missing))?;
    let result = run(&study(&word));
    let curve = result.curves.iter().find(|c| c.name == "c");
    let curve = curve.ok_or_else(|| format!("{:?}", result.missing))?;
    let mut special: Vec<(Label, f64)> = labels(curve).into_iter().map(|f| (f.0, f.1)).collect();
    let ends = curve.points().map(|(_, _, p)| p.point.parameter());
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    special.extend([(Label::EP, low), (Label::EP, high)]);
    special.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok((all, special))
}

fn agree(one: &Found, several: &Found) -> bool {
    let near = |x: &f64, y: &f64| (x - y).abs() <= 1e-8 * (1.0 + x.abs());
    let same = |a: &(f64, &'static str, f64, Vec<f64>), b: &(f64, &'static str, f64, Vec<f64>)| {
        a.0 == b.0 && a.1 == b.1 && near(&a.2, &b.2) && a.3.iter().zip(&b.3).all(|(x, y)| near(x, y))
    };
    let settled = |all: &Found| all.0.iter().filter(|a| a.1 == "orbit").cloned().collect::<Vec<_>>();
    let (a, b) = (settled(one), settled(several));
    !a.is_empty()
        && a.iter().all(|a| b.iter().any(|b| same(a, b)))
        && b.iter().all(|b| a.iter().any(|a| same(a, b)))
        && one.1.len() == several.1.len()
        && one
            .1
            .iter()
            .zip(&several.1)
            .all(|(a, b)| a.0 == b.0 && near(&a.1, &b.1))
}

#[test]
fn elements_of_one_function_are_one_element() {
    let class = "switching together";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let pair = match member % 5 {
            0 => relays(&mut random),
            1 => obstacles(&mut random),
            2 => signs(&mut random),
            3 => beyond(&mut random),
            _ => relay_at_an_obstacle(&mut random),
        };
        let [one, several] = [0, 1].map(|k| found(&pair.systems[k], pair.states));
        let fine = match (&one, &several) {
            (Ok(one), Ok(several)) => agree(one, several),
            _ => false,
        };
        if !fine {
            let said = format!(
                "one: {one:?}\nseveral: {several:?}\n{}\n{}",
                pair.systems[0], pair.systems[1]
            );
            wrong.push((member, said));
        }
    }
    none_wrong(class, count, &wrong);
}
