//! Rotations: orbits that come back up to whole turns of an angle, and whose period grows without bound where
//! equilibria appear on them.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::{CurveResult, RunResult};

/// What is wrong with a curve of rotations that has to end at a limit, told in words, where its period has no bound.
fn wrong_with(result: &RunResult, (limit, size): (f64, f64), how: &str) -> Option<String> {
    let Some(found) = result.curves.first() else {
        return Some(format!("{:?}", result.missing));
    };
    let meaning = found
        .pieces
        .iter()
        .flat_map(|p| &p.branch.ends)
        .find_map(|end| match end {
            End::Homoclinic { meaning, .. } => Some(meaning.clone()),
            _ => None,
        });
    let Some(meaning) = meaning else {
        return Some(format!("{:?}", ends(found)));
    };
    let told = meaning.split("approaches ").nth(1).and_then(|rest| {
        let number: String = rest.chars().take_while(|c| !matches!(c, ' ' | ',')).collect();
        number.parse::<f64>().ok()
    });
    let near = told.is_none_or(|told| (told - limit).abs() <= 1e-6 * size);
    let first = found.points().map(|(_, _, p)| (p.point.parameter() - limit).abs());
    let reached = first.fold(f64::INFINITY, f64::min) <= 1e-2 * size;
    (!near || !reached || !meaning.contains(how)).then(|| format!("limit {limit}: {meaning}"))
}

fn ends(curve: &CurveResult) -> Vec<&End> {
    curve.pieces.iter().flat_map(|p| &p.branch.ends).collect()
}

/// θ' = (q + 1 - cos(2π (θ - c)/P))/τ, alone or with a state that it drives: a saddle-node appears on the circle at q =
/// 0.
#[test]
fn rotations_end_where_a_saddle_node_appears_on_them() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("saddle-nodes on circles", member);
        let (period, time) = (random.log_between(0.3, 10.0), random.log_between(0.1, 10.0));
        let (m, c, way) = (random.between(-2.0, 2.0), random.between(-1.0, 1.0), random.sign());
        let side = random.sign();
        let field = format!(
            "({:?})*(({side:?})*(q - ({m:?})) + 1 - cos(2*pi*(th - ({c:?}))/({period:?})))",
            way * period / time
        );
        let (states, more) = match random.below(2) {
            0 => ("\"th\"", String::new()),
            _ => (
                "\"th\", \"y\"",
                format!(", \"y' = (cos(2*pi*th/({period:?})) - y)*({:?})", 1.0 / time) + "\"",
            ),
        };
        let (q, low, high) = (m + 0.7 * side, m - 1.0, m + 1.0);
        let text = format!(
            "Study(title: \"circle\", system: Smooth(states: [{states}], angles: {{\"th\": \"{period:?}\"}}, parameters: {{\"q\": {q:?}}}, equations: [\"th' = {field}\"{more}]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"q\": {q:?}}}), free: \"q\", range: ({low:?}, {high:?}), points: 3000)])"
        );
        if let Some(why) = wrong_with(&run(&text), (m, 1.0), "saddle-node of equilibria") {
            wrong.push((member, format!("{why}\n{text}")));
        }
    }
    none_wrong("saddle-nodes on circles", count, &wrong);
}

/// A pendulum that is driven to the level h of H = v²/2 - w² cos θ, or left at rest below: rotations at h > w², and the
/// saddle at h = w².
#[test]
fn rotations_end_at_a_saddle() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("driven pendulums", member);
        let (w, k, m) = (
            random.log_between(0.5, 2.0),
            random.between(0.1, 0.5),
            random.between(-1.0, 1.0),
        );
        let square = w * w;
        let h = format!("(v^2/2 - {square:?}*cos(th))");
        let way = random.sign();
        let text = format!(
            "Study(title: \"pendulum\", system: Smooth(states: [\"th\", \"v\"], angles: {{\"th\": \"2*pi\"}}, parameters: {{\"p\": {:?}}}, equations: [\"th' = v\", \
             \"v' = -{square:?}*sin(th) - {k:?}*v*({h} - {square:?} - (p - ({m:?})))\"]), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, \
             start: Settle(at: {{\"p\": {:?}}}, from: {{\"v\": {:?}}}), free: \"p\", range: ({:?}, {:?}), points: 400)])",
            m + square,
            m + square,
            way * 3.0 * w,
            m - 1.0,
            m + 2.0 * square
        );
        if let Some(why) = wrong_with(&run(&text), (m, square), "homoclinic") {
            wrong.push((member, format!("{why}\n{text}")));
        }
    }
    none_wrong("driven pendulums", count, &wrong);
}

/// Equilibria of a pendulum under a torque: two of them, however many turns away they are found, and they end in one
/// fold.
#[test]
fn equilibria_of_a_pendulum_are_two_and_no_continuum() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("pendulums", member);
        let (w, c, period) = (
            random.log_between(0.3, 3.0),
            random.log_between(0.1, 1.0),
            random.log_between(0.1, 10.0),
        );
        let (start, high) = (random.between(-0.8, 0.8) * w, 1.5 * w);
        let text = format!(
            "Study(title: \"pendulum\", system: Smooth(states: [\"th\", \"v\"], angles: {{\"th\": \"{period:?}\"}}, parameters: {{\"T\": {start:?}}}, equations: [\"th' = v\", \
             \"v' = T - {w:?}*sin(2*pi*th/({period:?})) - {c:?}*v\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: All(at: {{\"T\": {start:?}}}), free: \"T\", \
             range: ({:?}, {high:?}))])",
            -high
        );
        let result = run(&text);
        let said = result.curves.iter().map(|c| c.note.clone()).collect::<String>();
        let closed = result.curves.len() == 1 && ends(&result.curves[0]) == [&End::Closed];
        if !closed || said.contains("continuum") {
            wrong.push((member, format!("{} curves: {said}\n{text}", result.curves.len())));
        }
    }
    none_wrong("pendulums", count, &wrong);
}

/// A pendulum driven by itself, v' = I + m (1 - c (1 - cos q)) v - sin q, and librating about where the torque I holds
/// it: families of cycles over I lie between the Hopf points at cos q = 1 - 1/c, whether or not q is declared an angle
/// and whatever a turn of it is.
#[test]
fn librations_end_at_their_hopf_points_although_the_angle_may_turn() {
    let class = "librations";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (turn, torque) = (random.log_between(0.3, 100.0), random.log_between(1e-3, 1e3));
        let (c, m) = (random.between(5.0, 9.0), random.between(0.1, 0.3));
        let hopf = torque * (1.0 - (1.0 - 1.0 / c).powi(2)).sqrt();
        let q = format!("(2*pi*q/({turn:?}))");
        let text = format!(
            "Study(title: \"libration\", system: Smooth(states: [\"q\", \"v\"], angles: {{\"q\": {turn:?}}}, parameters: {{\"I\": {:?}}}, \
             equations: [\"q' = v*({turn:?})/(2*pi)\", \"v' = I/({torque:?}) + {m:?}*(1 - {c:?}*(1 - cos({q})))*v - sin({q})\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"I\": {:?}}}, from: {{\"q\": {:?}}}), free: \"I\", range: ({:?}, {:?}))])",
            0.1 * torque,
            0.1 * torque,
            0.07 * turn,
            -torque,
            torque,
        );
        let result = run(&text);
        let labels: Vec<(Label, f64)> = result.curves.first().map_or(vec![], |c| {
            labels(c).into_iter().map(|(label, at, _)| (label, at / hopf)).collect()
        });
        let right =
            matches!(labels[..], [(Label::HB, a), (Label::HB, b)] if (a + 1.0).abs() < 1e-9 && (b - 1.0).abs() < 1e-9);
        if !right {
            wrong.push((member, format!("{labels:?}\n{:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// th' = d + K sin th + F cos t, which gets ahead of the forcing by no turn: the family is closed, since th may be
/// turned, and mirrored by (th, t, d) → (-th, t + π, -d): two folds at ± the same d. Two oscillators locked to each
/// other do the same without a forcing.
#[test]
fn families_on_a_torus_are_gone_round_once() {
    let class = "families on a torus";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k, f) = (random.between(0.3, 1.5), random.between(0.3, 1.2));
        let w = random.log_between(0.5, 3.0);
        let forced = format!(
            "Smooth(states: [\"th\"], angles: {{\"th\": \"2*pi\"}}, parameters: {{\"d\": 0}}, forcing: Forcing(period: \"2*pi/({w:?})\"), \
             equations: [\"th' = {w:?}*(d + {k:?}*sin(th) + {f:?}*cos({w:?}*t))\"])"
        );
        // The second one runs on at its own pace, pushed by the first.
        let coupled = format!(
            "Smooth(states: [\"th\", \"s\"], angles: {{\"th\": \"2*pi\", \"s\": \"2*pi\"}}, parameters: {{\"d\": 0}}, \
             equations: [\"th' = {w:?}*(d + {k:?}*sin(th) + {f:?}*cos(s))\", \"s' = {w:?}*(1 + 0.1*sin(s)^2)\"])"
        );
        for system in [forced, coupled] {
            let text = format!(
                "Study(title: \"torus\", system: {system}, curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"d\": 0.01}}), free: \"d\", range: (-3, 3), points: 600)])"
            );
            let result = run(&text);
            let closed = result.curves.first().is_some_and(|c| ends(c).contains(&&End::Closed));
            let labels: Vec<(Label, f64)> = result.curves.first().map_or(vec![], |c| {
                labels(c).into_iter().map(|(label, at, _)| (label, at)).collect()
            });
            let mirrored = matches!(labels[..], [(Label::LP, a), (Label::LP, b)] if (a + b).abs() < 1e-8 && a != b);
            if !closed || !mirrored {
                wrong.push((
                    member,
                    format!("{labels:?}, closed: {closed}\n{:?}\n{text}", result.missing),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// In an angle q = p - b sin(ωt + φ) - kωt (in radians) a damped pendulum, or a flow on the circle, hangs or stands: p
/// goes round k times in a period of the forcing, which is declared or an angle of its own, before or behind p.
#[test]
fn forced_rotations_last_as_long_as_the_forcing_whatever_the_angle_does() {
    let class = "forced rotations";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (turn, time) = (random.log_between(0.3, 30.0), random.log_between(0.1, 10.0));
        let (a, b) = (random.between(0.2, 1.0), random.between(0.1, 2.0));
        let (damping, phase) = (random.between(0.2, 1.0), random.between(0.0, 6.0));
        let (k, period) = (random.below(4) as f64 - 1.0, time * random.between(1.0, 6.0));
        let w = std::f64::consts::TAU / period;
        let unit = turn / std::f64::consts::TAU;
        let (inertial, declared) = (member % 2 == 0, member % 4 < 2);
        let t = if declared { format!("{w:?}*t") } else { "th".to_owned() };
        let q = format!("(p/({unit:?}) - ({b:?})*sin({t} + {phase:?}) - ({k:?})*{t})");
        let speed = format!("({:?} + {:?}*cos({t} + {phase:?}))", k * w, b * w);
        // The speed of q is in units of the rate 1/time; `e` is a coupling that is none at the study's parameters.
        let mut equations = match inertial {
            true => vec![
                format!("p' = ({unit:?})*(v + {speed})"),
                format!(
                    "v' = -A*sin{q}*({:?}) - ({:?})*v + e*v*sin{q}",
                    time.powi(-2),
                    damping / time
                ),
            ],
            false => vec![format!(
                "p' = ({unit:?})*({speed} - A*sin{q}*({:?}) + e*sin{q})",
                1.0 / time
            )],
        };
        let mut states = vec!["p", "v"];
        states.truncate(equations.len());
        let mut angles = format!("\"p\": \"{turn:?}\"");
        if !declared {
            let at = if random.below(2) == 0 { 0 } else { states.len() };
            states.insert(at, "th");
            equations.insert(at, format!("th' = {w:?}"));
            angles.push_str(", \"th\": \"2*pi\"");
        }
        let forcing = match declared {
            true => format!(", forcing: Forcing(period: \"{period:?}\")"),
            false => String::new(),
        };
        let text = format!(
            "Study(title: \"rotations\", system: Smooth(states: {states:?}, angles: {{{angles}}}, parameters: {{\"A\": {a:?}, \"e\": 0}}{forcing}, \
             equations: {equations:?}), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: All(at: {{\"A\": {a:?}}}, seeds: 60), free: \"A\", range: ({:?}, {:?}))])",
            0.9 * a,
            1.1 * a
        );
        // The largest exponent where q hangs (sign 1) and where it stands (-1), at one end of the range.
        let exponent = |sign: f64| match inertial {
            true => {
                let root = 0.25 * damping * damping - sign * 0.9 * a;
                (-0.5 * damping + root.max(0.0).sqrt()) / time
            }
            false => -sign * 0.9 * a / time,
        };
        let mut known = [1.0, -1.0].map(|sign| exponent(sign) * period / std::f64::consts::LN_10);
        known.sort_by(f64::total_cmp);
        let result = run(&text);
        let mut found: Vec<f64> = vec![];
        for own in &result.curves {
            let end = own
                .points()
                .min_by(|x, y| x.2.point.parameter().total_cmp(&y.2.point.parameter()));
            let Some((_, _, end)) = end else { continue };
            found.push(end.record.multipliers.first().map_or(f64::NAN, |m| m.log10));
            if (end.record.period - period).abs() > 1e-9 * period {
                wrong.push((member, format!("period {} for {period}\n{text}", end.record.period)));
            }
        }
        found.sort_by(f64::total_cmp);
        let near = found.len() == 2
            && found
                .iter()
                .zip(known)
                .all(|(a, b)| (a - b).abs() <= 1e-6 * (1.0 + b.abs()));
        if !near {
            wrong.push((member, format!("{found:?} for {known:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
