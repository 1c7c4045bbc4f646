//! Fields that jump at two surfaces: orbits that slide on both at once, surfaces in any position, starts on one of
//! them; and fields written with a sign that do not jump.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::{CurveResult, RunResult, TrajectoryResult, in_measured_units};

/// The word of the orbit that motions come to, as the message of a study says that asks for another one.
fn word_of(result: &RunResult) -> Option<String> {
    let reason = &result.missing.first()?.reason;
    let (_, rest) = reason.split_once("orbit with word `")?;
    Some(rest.split_once('`')?.0.to_owned())
}

/// The parameter along a curve, from its least to its largest value.
fn extent(curve: &CurveResult) -> (f64, f64) {
    let values = curve.points().map(|(_, _, p)| p.point.parameter());
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}

/// Two relays x' = -k x + f(t) - sgn x that know nothing of one another: each contracts, so that at every strength of
/// the forcing there is exactly one orbit, which attracts. It slides on both surfaces at once, leaves one of them
/// tangentially, and is followed all the way, however the surfaces and states are written.
#[test]
fn orbits_that_slide_on_two_surfaces_are_followed_wherever_they_exist() {
    let class = "two relays";
    let count = members(2);
    let (low, high) = (0.8, 1.3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let w = random.between(0.5, 1.5);
        let (k1, k2) = (random.between(0.2, 1.0), random.between(0.2, 1.0));
        let (f1, f2) = (random.between(1.2, 2.5), random.between(1.2, 2.5));
        let (g, phase) = (random.between(0.0, 0.8), random.between(0.0, 6.0));
        let scale = random.log_between(1e-3, 1e3);
        let study = |states: &str, scale: f64, word: &str| {
            format!(
                "Study(title: \"relays\", system: Filippov(states: [{states}], parameters: {{\"q\": 1, \"w\": {w:?}}}, \
                 forcing: Forcing(period: \"2*pi/w\"), surfaces: {{\"a\": \"{scale:?}*x\", \"b\": \"{scale:?}*y\"}}, \
                 equations: [\"x' = -{k1:?}*x + {f1:?}*q*cos(w*t) - sgn(a)\", \
                 \"y' = -{k2:?}*y + {f2:?}*q*cos(w*t + {phase:?}) + {g:?}*q*cos(2*w*t) - sgn(b)\"], start: {{\"x\": 0.1, \"y\": -0.3}}), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"q\": 1}}), free: \"q\", \
                 range: ({low:?}, {high:?}), switch: Auto)])"
            )
        };
        let (there, swapped) = ("\"x\", \"y\"", "\"y\", \"x\"");
        let Some(word) = word_of(&run(&study(there, 1.0, "a+,b+"))) else {
            wrong.push((member, format!("no word\n{}", study(there, 1.0, "a+,b+"))));
            continue;
        };
        let mut said = vec![];
        let mut places: Vec<Vec<f64>> = vec![];
        for (states, scale) in [(there, 1.0), (swapped, 1.0), (there, scale)] {
            let result = run(&study(states, scale, &word));
            said.extend(result.missing.iter().map(|m| format!("{m:?}")));
            for curve in &result.curves {
                let reached = extent(curve);
                if reached != (low, high) {
                    said.push(format!("from {} to {} only", reached.0, reached.1));
                }
                let unstable = curve.points().filter(|(_, _, p)| !p.record.stable());
                said.extend(unstable.map(|(_, _, p)| format!("unstable at {}", p.point.parameter())));
                let bad = |label: &Label| !matches!(label, Label::VS | Label::OV | Label::GR | Label::VT);
                let found = labels(curve);
                said.extend(
                    found
                        .iter()
                        .filter(|l| bad(&l.0))
                        .map(|l| format!("{} at {}", l.0, l.1)),
                );
                places.push(found.iter().map(|l| l.1).collect());
            }
        }
        let same = |own: &Vec<f64>| {
            own.len() == places[0].len() && own.iter().zip(&places[0]).all(|(a, b)| (a - b).abs() <= 1e-9)
        };
        if !places.iter().all(same) {
            said.push(format!("written otherwise: {places:?}"));
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{}", study(there, 1.0, &word))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A field given by its four parts, with the surfaces u = 0 and v = 0, and the same in states in which both surfaces
/// are oblique: motions are the same.
#[test]
fn surfaces_may_lie_in_any_position() {
    let class = "oblique";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut some = |low: f64, high: f64| (random.between(low, high) * 1e3).round() / 1e3;
        let states = ["u", "v", "z"];
        let rates: Vec<[f64; 3]> = (0..3)
            .map(|i| std::array::from_fn(|j| if i == j { some(-1.2, -0.3) } else { some(-0.5, 0.5) }))
            .collect();
        let forces: Vec<f64> = (0..3).map(|_| some(-1.5, 1.5)).collect();
        // Each surface attracts by itself, and more than the other disturbs it.
        let jumps: Vec<[f64; 3]> = vec![
            [some(-1.5, -0.6), some(-0.2, 0.2), some(-0.15, 0.15)],
            [some(-0.2, 0.2), some(-1.5, -0.6), some(-0.15, 0.15)],
            [some(-0.5, 0.5), some(-0.5, 0.5), some(-0.5, 0.5)],
        ];
        let (alpha, beta, gamma) = (some(-0.8, 0.8), some(-0.5, 0.5), some(-0.8, 0.8));
        let begin: [f64; 3] = std::array::from_fn(|_| some(-1.0, 1.0));
        // u = x + α z, v = y + β x + γ z.
        let surfaces = [
            format!("x + ({alpha:?})*z"),
            format!("y + ({beta:?})*x + ({gamma:?})*z"),
        ];
        let part = |signs: [f64; 2], names: [&str; 3]| -> Vec<String> {
            let rate = |i: usize| {
                let terms = (0..3).map(|j| format!("({:?})*({})", rates[i][j], names[j]));
                let jump = jumps[i][0] * signs[0] + jumps[i][1] * signs[1] + jumps[i][2] * signs[0] * signs[1];
                let force = format!("({:?})*cos(t + {i})", forces[i]);
                format!("{} + ({jump:?}) + {force}", terms.collect::<Vec<_>>().join(" + "))
            };
            (0..3).map(rate).collect()
        };
        let fields = |oblique: bool| {
            let parts = [
                ("++", [1.0, 1.0]),
                ("+-", [1.0, -1.0]),
                ("-+", [-1.0, 1.0]),
                ("--", [-1.0, -1.0]),
            ];
            let parts = parts.map(|(name, signs)| {
                let equations: Vec<String> = if oblique {
                    let f = part(signs, [&surfaces[0], &surfaces[1], "z"]);
                    let x = format!("({}) - ({alpha:?})*({})", f[0], f[2]);
                    let y = format!("({}) - ({beta:?})*({x}) - ({gamma:?})*({})", f[1], f[2]);
                    vec![format!("x' = {x}"), format!("y' = {y}"), format!("z' = {}", f[2])]
                } else {
                    let f = part(signs, states);
                    (0..3).map(|i| format!("{}' = {}", states[i], f[i])).collect()
                };
                format!("\"{name}\": {equations:?}")
            });
            parts.join(", ")
        };
        let study = |oblique: bool| {
            let x = begin[0] - alpha * begin[2];
            let y = begin[1] - beta * x - gamma * begin[2];
            let (names, from, heights) = match oblique {
                true => (["x", "y", "z"], [x, y, begin[2]], surfaces.clone()),
                false => (states, begin, ["u".to_owned(), "v".to_owned()]),
            };
            format!(
                "Study(title: \"oblique\", system: Filippov(states: {names:?}, parameters: {{}}, forcing: Forcing(period: \"2*pi\"), \
                 surfaces: {{\"a\": \"{}\", \"b\": \"{}\"}}, fields: {{{}}}), simulations: [Simulation(name: \"s\", time: 8, every: 0.5, \
                 from: {{\"{}\": {:?}, \"{}\": {:?}, \"{}\": {:?}}})])",
                heights[0],
                heights[1],
                fields(oblique),
                names[0],
                from[0],
                names[1],
                from[1],
                names[2],
                from[2],
            )
        };
        let [plain, other] = [false, true].map(|oblique| run(&study(oblique)));
        let mut worst = 0.0f64;
        let (mut rows, mut others) = (plain.trajectories[0].rows.iter(), other.trajectories[0].rows.iter());
        while let (Some(a), Some(b)) = (rows.next(), others.next()) {
            let (x, y, z) = (b.states[0], b.states[1], b.states[2]);
            let there = [x + alpha * z, y + beta * x + gamma * z, z];
            let apart = there.iter().zip(&a.states).map(|(p, q)| (p - q).abs());
            worst = apart.fold(worst, f64::max);
        }
        let same = plain.trajectories[0].word == other.trajectories[0].word;
        if !(worst < 1e-8) || !same {
            let words = [&plain.trajectories[0].word, &other.trajectories[0].word];
            wrong.push((member, format!("{worst:e} apart, {words:?}\n{}", study(true))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A start on one of two surfaces, given by its states: where both fields point to one side the motion goes there, and
/// it slides where each points to the other, whatever the default start lies in.
#[test]
fn a_start_on_a_surface_goes_where_the_fields_point() {
    let class = "on one surface";
    let count = members(60);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut some = |size: f64| (random.between(-size, size) * 1e2).round() / 1e2;
        let rates: Vec<[f64; 3]> = (0..3).map(|_| std::array::from_fn(|_| some(1.0))).collect();
        let parts: Vec<[f64; 3]> = (0..3).map(|_| std::array::from_fn(|_| some(1.0))).collect();
        let surface = member % 2;
        let mut x = [some(1.5), some(1.5), some(1.0)];
        x[surface] = 0.0;
        let rate = |sign: f64| {
            let side = x[1 - surface].signum();
            let signs = if surface == 0 { [sign, side] } else { [side, sign] };
            let linear: f64 = rates[surface].iter().zip(&x).map(|(a, x)| a * x).sum();
            let [b, first, second] = parts[surface];
            linear + b + first * signs[0] + second * signs[1]
        };
        let (above, below) = (rate(1.0), rate(-1.0));
        let letter = match (above > 0.0, below > 0.0) {
            (true, true) => "+",
            (false, false) => "-",
            (false, true) => "0",
            // Where both point away, either is a motion.
            (true, false) => continue,
        };
        if above.abs().min(below.abs()) < 0.05 || x[1 - surface].abs() < 0.05 {
            continue;
        }
        let other = if x[1 - surface] > 0.0 { "+" } else { "-" };
        let wanted = match surface {
            0 => format!("a{letter},b{other}"),
            _ => format!("a{other},b{letter}"),
        };
        let names = ["x", "y", "z"];
        let equation = |i: usize| {
            let linear = (0..3).map(|j| format!("({:?})*{}", rates[i][j], names[j]));
            let [b, first, second] = parts[i];
            format!(
                "\"{}' = {} + ({b:?}) + ({first:?})*sgn(a) + ({second:?})*sgn(b)\"",
                names[i],
                linear.collect::<Vec<_>>().join(" + ")
            )
        };
        let equations: Vec<String> = (0..3).map(equation).collect();
        let point = format!("{{\"x\": {:?}, \"y\": {:?}, \"z\": {:?}}}", x[0], x[1], x[2]);
        let start = [point.as_str(), "{\"x\": 0.7, \"y\": -0.4}", "{}"][(member / 2) % 3];
        let text = format!(
            "Study(title: \"on\", system: Filippov(states: [\"x\", \"y\", \"z\"], surfaces: {{\"a\": \"x\", \"b\": \"y\"}}, \
             equations: [{}], start: {start}), simulations: [Simulation(name: \"s\", from: {point}, time: 0.001)])",
            equations.join(", ")
        );
        let result = run(&text);
        let word = result.trajectories.first().map_or("", |t| t.word.as_str());
        if word.split(' ').next_back() != Some(&wanted) {
            wrong.push((
                member,
                format!("`{word}` rather than {wanted}, {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Quadratic drag, and |v| written with a sign, do not jump: there is no sliding, curves go as far as those of the same
/// system written with |v|, with the same folds and bifurcations, and grazing the surface bends nothing.
#[test]
fn fields_that_a_sign_makes_no_jump_in_do_not_slide() {
    let class = "no jump";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (drag, force) = (random.between(0.2, 0.6), random.between(0.5, 1.5));
        let (cubic, third) = (random.between(0.0, 0.4), random.between(0.2, 0.6));
        let belt = if member % 2 == 0 { 0.0 } else { random.between(0.1, 0.3) };
        let bristles = member % 3 == 2;
        // Forced block and bristles resonate at frequencies below.
        let low = if bristles { 1.2 } else { 0.5 };
        let study = |filippov: bool| {
            let size = |power: usize| match (filippov, power) {
                (true, 2) => "(v - v0)^2*sgn(d)".to_owned(),
                (true, _) => "(v - v0)*sgn(d)".to_owned(),
                (false, 2) => "(v - v0)*abs(v - v0)".to_owned(),
                (false, _) => "abs(v - v0)".to_owned(),
            };
            let pull = format!("F*cos(w*t) + {third:?}*F*cos(3*w*t)");
            let (states, equations) = if bristles {
                let slip = format!("v - v0 - 4*({})*z", size(1));
                let states = "\"x\", \"v\", \"z\"";
                (
                    states,
                    format!("\"x' = v\", \"v' = -x - 2*z - {drag:?}*({slip}) + {pull}\", \"z' = {slip}\""),
                )
            } else {
                let states = "\"x\", \"v\"";
                (
                    states,
                    format!(
                        "\"x' = v\", \"v' = -x - {cubic:?}*x^3 - {drag:?}*{} + {pull}\"",
                        size(2)
                    ),
                )
            };
            let (kind, surfaces, orbit) = match filippov {
                true => ("Filippov", "surfaces: {\"d\": \"v - v0\"}, ", "Periodic(\"d+ d-\")"),
                false => ("Smooth", "", "PeriodicOrbit"),
            };
            format!(
                "Study(title: \"drag\", system: {kind}(states: [{states}], parameters: {{\"F\": {force:?}, \"w\": 1, \"v0\": {belt:?}}}, \
                 forcing: Forcing(period: \"2*pi/w\"), {surfaces}equations: [{equations}], start: {{\"x\": 0.1, \"v\": 0.05}}), \
                 curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"w\": 1.6}}), free: \"w\", range: ({low:?}, 2.5), switch: Auto)])"
            )
        };
        let mut said = vec![];
        let ends = [true, false].map(|filippov| {
            let result = run(&study(filippov));
            said.extend(result.missing.iter().map(|m| format!("{m:?}")));
            let curve = result.curves.iter().find(|c| c.name == "c");
            let found = curve.map(labels).unwrap_or_default();
            let sliding = |p: &str| p.contains("sliding") || p.contains("stick");
            said.extend(
                found
                    .iter()
                    .filter(|l| sliding(&l.2.message))
                    .map(|l| l.2.message.clone()),
            );
            let smooth = found.iter().filter(|l| !matches!(l.0, Label::GR | Label::VS));
            let smooth: Vec<(Label, f64)> = smooth.map(|l| (l.0, l.1)).collect();
            (curve.map(extent), smooth)
        });
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-7 * a.abs();
        let same = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && near(a.1, b.1);
        let [own, other] = &ends;
        if own.0 != other.0 || own.1.len() != other.1.len() || !own.1.iter().zip(&other.1).all(same) {
            said.push(format!("{own:?}, written with |v| {other:?}"));
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{}", study(true))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A surface without any straight part: the sum of all products of up to two states, and a term that bends more.
struct Curved {
    coefficients: [f64; 10],
    bend: (f64, usize, usize),
}

impl Curved {
    fn random(random: &mut Random) -> Self {
        let mut some = |low: f64, high: f64| (random.between(low, high) * 1e3).round() / 1e3;
        let coefficients = std::array::from_fn(|i| if i < 4 { some(-1.0, 1.0) } else { some(-0.6, 0.6) });
        let size = some(-0.5, 0.5);
        Self {
            coefficients,
            bend: (size, random.below(3), random.below(3)),
        }
    }

    fn value(&self, x: [f64; 3]) -> f64 {
        let powers = [
            1.0,
            x[0],
            x[1],
            x[2],
            x[0] * x[0],
            x[0] * x[1],
            x[0] * x[2],
            x[1] * x[1],
            x[1] * x[2],
            x[2] * x[2],
        ];
        let smooth: f64 = self.coefficients.iter().zip(powers).map(|(c, power)| c * power).sum();
        let (size, form, of) = self.bend;
        smooth + size * [x[of].powi(3), x[of].exp(), (2.0 * x[of]).sin()][form]
    }

    fn text(&self, x: &[String; 3]) -> String {
        let [a, b, c] = x;
        let products = [
            "1".to_owned(),
            a.clone(),
            b.clone(),
            c.clone(),
            format!("{a}^2"),
            format!("{a}*{b}"),
            format!("{a}*{c}"),
            format!("{b}^2"),
            format!("{b}*{c}"),
            format!("{c}^2"),
        ];
        let terms = self
            .coefficients
            .iter()
            .zip(products)
            .map(|(c, product)| format!("({c:?})*{product}"));
        let (size, form, of) = self.bend;
        let of = &x[of];
        let bend = [format!("{of}^3"), format!("exp({of})"), format!("sin(2*{of})")];
        format!("{} + ({size:?})*{}", terms.collect::<Vec<_>>().join(" + "), bend[form])
    }
}

/// Fields that jump at one or two surfaces of which no part is straight: a motion begins on the side of each on which its
/// start is, and is the same in any units, and with the modes written out.
#[test]
fn surfaces_may_be_curved() {
    let class = "curved surfaces";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let surfaces: Vec<Curved> = (0..1 + member % 2).map(|_| Curved::random(&mut random)).collect();
        let mut some = |low: f64, high: f64| (random.between(low, high) * 1e3).round() / 1e3;
        let rows: Vec<Vec<f64>> = (0..3)
            .map(|i| {
                let rates = (0..3).map(|j| if i == j { some(-0.8, -0.2) } else { some(-0.5, 0.5) });
                let rates: Vec<f64> = rates.collect();
                rates.into_iter().chain((0..3).map(|_| some(-1.0, 1.0))).collect()
            })
            .collect();
        let start: [f64; 3] = std::array::from_fn(|_| some(-1.0, 1.0));
        let study = |units: [f64; 3]| {
            let names = ["x", "y", "z"];
            let x: [String; 3] = std::array::from_fn(|i| format!("({}/{:?})", names[i], units[i]));
            let rate = |i: usize| {
                let [a, b, c, jump_a, jump_b, force] = rows[i][..] else {
                    unreachable!()
                };
                let jumps = ["a", "b"].iter().zip([jump_a, jump_b]).take(surfaces.len());
                let jumps: String = jumps.map(|(name, jump)| format!(" + ({jump:?})*sgn({name})")).collect();
                format!(
                    "\"{}' = {:?}*(({a:?})*{} + ({b:?})*{} + ({c:?})*{}{jumps} + ({force:?})*cos(t + {i}) - {}^3/5)\"",
                    names[i], units[i], x[0], x[1], x[2], x[i]
                )
            };
            let heights = ["a", "b"].iter().zip(&surfaces);
            let heights = heights.map(|(name, surface)| format!("\"{name}\": \"{}\"", surface.text(&x)));
            let from = (0..3).map(|i| format!("\"{}\": {:?}", names[i], start[i] * units[i]));
            format!(
                "Study(title: \"curved\", system: Filippov(states: {names:?}, parameters: {{}}, forcing: Forcing(period: \
                 \"2*pi\"), surfaces: {{{}}}, equations: [{}]), simulations: [Simulation(name: \
                 \"s\", time: 8, every: 0.5, from: {{{}}})])",
                heights.collect::<Vec<_>>().join(", "),
                (0..3).map(rate).collect::<Vec<_>>().join(", "),
                from.collect::<Vec<_>>().join(", "),
            )
        };
        let powers = std::array::from_fn::<f64, 3, _>(|_| 2f64.powi(random.below(81) as i32 - 40));
        let [plain, other] = [[1.0; 3], powers].map(|units| run(&study(units)));
        let loaded = slipstick_study::parse("study.ron".as_ref(), study([1.0; 3])).unwrap();
        let written_out = run(&loaded.expanded().unwrap());
        let mut said = vec![];
        let side = |surface: &Curved| if surface.value(start) > 0.0 { '+' } else { '-' };
        let expected: Vec<String> = ["a", "b"]
            .iter()
            .zip(&surfaces)
            .map(|(name, surface)| format!("{name}{}", side(surface)))
            .collect();
        let expected = expected.join(",");
        let trajectories = [&plain.trajectories[0], &other.trajectories[0]];
        for trajectory in trajectories {
            let mode = trajectory.word.split_whitespace().next().unwrap_or_default();
            if !mode.starts_with(&expected) {
                said.push(format!("begins in {mode}, not in {expected}"));
            }
        }
        let lengths = trajectories.map(|t| t.rows.len());
        let ended = trajectories.map(|t| t.ended.clone());
        for (units, trajectory) in [[1.0; 3], powers].into_iter().zip(trajectories) {
            let loaded = slipstick_study::parse("study.ron".as_ref(), study(units)).unwrap();
            let Some(measured) = in_measured_units(&loaded.plan(&[]).unwrap()) else {
                continue;
            };
            for i in 0..3 {
                let unit = measured.systems[0].system.units.state(i);
                let size = trajectory.rows.iter().fold(0.0f64, |m, row| m.max(row.states[i].abs()));
                if !(1e-3..1e3).contains(&(unit / size)) {
                    said.push(format!("state {i} is measured by {unit:e}, its size is {size:e}"));
                }
            }
        }
        let pairs = trajectories[0].rows.iter().zip(&trajectories[1].rows);
        let apart = pairs.flat_map(|(a, b)| (0..3).map(|i| (a.states[i] - b.states[i] / powers[i]).abs()));
        let worst = apart.fold(0.0, f64::max);
        // Ever shorter crossings are counted until they accumulate.
        let accumulate = trajectories.iter().all(|t| t.ended.contains("they accumulate (Zeno)"));
        if lengths[0] != lengths[1] && !accumulate || !(worst < 1e-8) {
            said.push(format!(
                "{worst:e} apart in units {powers:?}, {lengths:?} rows, {ended:?}"
            ));
        }
        let rows_of =
            |t: &TrajectoryResult| -> Vec<Vec<f64>> { t.rows.iter().map(|row| row.states[..3].to_vec()).collect() };
        if rows_of(&written_out.trajectories[0]) != rows_of(trajectories[0]) {
            said.push("another motion where the modes are written out".to_owned());
        }
        if !said.is_empty() {
            wrong.push((member, format!("{}\n{}", said.join("; "), study([1.0; 3]))));
        }
    }
    none_wrong(class, count, &wrong);
}
