//! The stability of orbits on a border of admissibility, where it is a limit.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use std::f64::consts::LN_10;

/// A clock with a pendulum, or another restoring force, that is kicked as it passes a place upwards, v to √(v² + k). The
/// flow between two kicks contracts areas, so the multiplier is exp(-2 ζ T) on every orbit: at the grazings as well,
/// where the kick finds it at rest.
#[test]
fn clocks_have_their_multiplier_where_they_graze_the_place_of_their_kick() {
    let class = "clocks that graze";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (zeta, stiffness) = (random.between(0.02, 0.12), random.log_between(0.5, 3.0));
        let force = match member % 3 {
            0 => "-k1*x",
            1 => "-k1*sin(x)",
            _ => "-k1*x - x^3",
        };
        let (kick, place) = (random.between(0.1, 0.4), random.between(-0.1, 0.1));
        let text = format!(
            "Study(title: \"clock\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"k1\": {stiffness:?}, \"k\": {kick:?}, \"x0\": {place:?}}}, \
             modes: {{\"f\": Mode(equations: [\"x' = v\", \"v' = {force} - ({:?})*v\"], events: {{\"kick\": Event(guard: \"x - x0\", direction: Up, to: \"f\", reset: {{\"v\": \"sqrt(v^2 + k)\"}})}})}}, \
             start: Start(mode: \"f\", at: {{\"x\": 0.3}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"f\"), start: Settle(at: {{}}), free: \"x0\", range: (-2, 2))])",
            2.0 * zeta
        );
        let result = run(&text);
        let Some(found) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let grazes = labels(found).iter().filter(|l| l.0 == Label::GR).count();
        let mut said = vec![];
        if grazes == 0 {
            said.push(format!(
                "{:?}",
                labels(found).iter().map(|l| (l.0, l.1)).collect::<Vec<_>>()
            ));
        }
        for (_, _, p) in found.points() {
            let known = -2.0 * zeta * p.record.period / LN_10;
            let right = p.record.stable()
                && p.record.unstable == 0
                && p.record
                    .multipliers
                    .iter()
                    .any(|m| (m.log10 - known).abs() <= 1e-5 && m.arg == 0.0);
            if !right {
                let shown = (p.label, p.point.parameter(), p.record.unstable);
                said.push(format!("{shown:?}: {:?}, {known}", p.record.multipliers));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A block that is pushed back and forth stops to slip where the push is as large as the friction and the springs allow:
/// slip with vanishing amplitude is neither attracting nor repelling, and attracting on the way there.
#[test]
fn blocks_that_cease_to_slip_are_stable_up_to_where_they_do() {
    let class = "blocks that cease to slip";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (m, k, c) = (
            random.between(0.5, 2.0),
            random.between(0.5, 2.0),
            random.between(0.05, 0.3),
        );
        let (mu, w) = (random.between(0.1, 0.4), random.between(0.9, 1.8));
        let text = format!(
            "Study(title: \"block\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": 1, \"mu\": {mu:?}}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
             masses: {{\"x\": {m:?}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?})], forces: {{\"x\": \"F*sin({w:?}*t)\"}}, \
             contacts: {{\"f\": Coulomb(on: \"x\", mu: \"mu\")}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"f:slip+ f:slip-\"), start: Settle(at: {{\"F\": {:?}}}), free: \"F\", range: (0, {:?}), switch: Auto)])",
            5.0 * mu,
            6.0 * mu
        );
        let result = run(&text);
        let Some(found) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let ceases = |l: &&(Label, f64, _)| l.0 == Label::VS && (l.1 - mu).abs() <= 1e-9;
        let all = labels(found);
        let ok = all
            .iter()
            .find(ceases)
            .is_some_and(|(_, _, p)| p.record.stable() && p.record.multipliers.iter().all(|m| m.log10 <= 1e-9));
        if !ok {
            let shown: Vec<_> = all
                .iter()
                .map(|l| (l.0, l.1, l.2.record.unstable, &l.2.record.multipliers))
                .collect();
            wrong.push((member, format!("{mu}: {shown:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Cycles that spiral within a sliding region, born at a Hopf point there, and reach its edge: the cycle is that of the
/// sliding motion until then, and the parameter goes on in its direction where it begins to leave the surface. Every
/// fold on the curve is one: the parameter turns, and a multiplier is +1.
#[test]
fn cycles_that_reach_the_edge_of_sliding_have_no_folds_but_those_at_which_the_parameter_turns() {
    let class = "cycles at the edge of sliding";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, w, b) = (
            random.between(0.2, 0.4),
            random.between(1.7, 2.5),
            random.between(0.5, 0.9),
        );
        let (damping, pull) = (random.between(0.7, 0.9), random.between(0.1, 0.3));
        let text = format!(
            "Study(title: \"edge\", system: Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{\"p\": 0.1}}, surfaces: {{\"s\": \"z\"}}, \
             fields: {{\"+\": [\"x' = {a:?}*x - {w:?}*y\", \"y' = {w:?}*x + {a:?}*y\", \"z' = -{b:?}*z + x - p\"], \
             \"-\": [\"x' = -{damping:?}*x + {pull:?}\", \"y' = -0.9*y\", \"z' = 1 - 0.1*z\"]}}, start: {{\"x\": 0.5, \"z\": 0.3}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"s+ s0\"), start: Settle(at: {{\"p\": 0.1}}), free: \"p\", range: (-1, 2), switch: Auto)])"
        );
        let result = run(&text);
        let Some(found) = result.curves.iter().find(|c| c.name == "c") else {
            continue;
        };
        let points: Vec<_> = found.points().map(|(_, _, p)| p).collect();
        let mut said = vec![];
        for (i, p) in points.iter().enumerate().filter(|(_, p)| p.label == Some(Label::LP)) {
            let at = p.point.parameter();
            let other = |q: &&&_| {
                let q: &slipstick_bifurcation::BranchPoint = q;
                (q.point.parameter() - at).abs() > 1e-13
            };
            let before = points[..i].iter().rev().find(other).map(|q| q.point.parameter() - at);
            let after = points[i + 1..].iter().find(other).map(|q| q.point.parameter() - at);
            let turns = before.zip(after).is_none_or(|(a, b)| a * b > 0.0);
            let one = p
                .record
                .multipliers
                .iter()
                .any(|m| m.log10.abs() < 1e-6 && m.arg == 0.0);
            if !turns || !one {
                said.push(format!("a fold at {at}: turns {turns}, {:?}", p.record.multipliers));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Curves in two parameters of blocks whose segments vanish as they begin to stick: the multipliers along them are those
/// of the point on the curve in one parameter that they start from.
#[test]
fn orbits_whose_segments_have_just_vanished_have_their_multipliers_in_two_parameters() {
    let class = "vanished segments in two parameters";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (m, k, c, mu) = (
            random.between(0.8, 1.1),
            random.between(1.1, 1.4),
            random.between(0.05, 0.15),
            random.between(0.15, 0.25),
        );
        let text = format!(
            "Study(title: \"block\", system: Filippov(states: [\"x\", \"v\"], parameters: {{\"F\": 1, \"w\": 0.31}}, forcing: Forcing(period: \"2*pi/w\"), \
             surfaces: {{\"s\": \"v\"}}, equations: [\"x' = v\", \"v' = (-{k:?}*x - {c:?}*v + F*sin(w*t) - {mu:?}*sgn(s))/{m:?}\"], \
             symmetry: {{\"x\": \"-x\", \"v\": \"-v\", \"phase\": \"phase+pi\"}}), \
             curves: [Curve(name: \"o\", orbit: Symmetric(\"s+ s0\"), start: Settle(at: {{\"w\": 0.4}}), free: \"w\", range: (0.2, 0.6), switch: Auto)], \
             loci: [Locus(name: \"vs\", from: \"o: VS\", free: (\"w\", \"F\"), range: ((0.2, 0.6), (0.9, 1.1)), levels: {{\"F\": [1]}})])"
        );
        let result = run(&text);
        let vanishing: Vec<_> = labels(curve(&result, "o"))
            .into_iter()
            .filter(|l| l.0 == Label::VS)
            .collect();
        let mut said = vec![];
        if vanishing.is_empty() {
            said.push("no segment vanishes".to_owned());
        }
        for locus in result.curves.iter().filter(|c| c.name.starts_with("vs")) {
            for (_, _, p) in locus.points() {
                let all = &p.record.multipliers;
                if all.is_empty()
                    || all.iter().any(|m| m.log10.is_nan())
                    || p.record.stable() != (p.record.unstable == 0)
                {
                    said.push(format!("`{}` at {:?}: {all:?}", locus.name, p.record.parameters));
                    break;
                }
                if (p.record.parameters[0] - 1.0).abs() > 1e-12 {
                    continue;
                }
                let own = vanishing.iter().find(|l| (l.1 - p.record.parameters[1]).abs() < 1e-8);
                let same = own.is_some_and(|(_, _, q)| {
                    let pairs = q.record.multipliers.iter().zip(all);
                    let near = |(a, b): (&_, &_)| {
                        let (a, b): (&slipstick_floquet::Multiplier, &slipstick_floquet::Multiplier) = (a, b);
                        a.log10 == b.log10 || (a.log10 - b.log10).abs() < 1e-4
                    };
                    q.record.stable() == p.record.stable() && pairs.into_iter().all(near)
                });
                if !same {
                    let known = own.map(|l| &l.2.record.multipliers);
                    said.push(format!(
                        "`{}` at {:?}: {all:?}, {known:?}",
                        locus.name, p.record.parameters
                    ));
                }
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A tank that is emptied above a level rests above it, below it or on it, where the flows allow: an equilibrium asked
/// for elsewhere does not exist, which is said, with the mode in which there is one.
#[test]
fn equilibria_that_lie_beyond_their_surface_do_not_exist_and_that_is_said() {
    let class = "equilibria beyond a surface";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b, s, tilt) = (
            random.between(0.3, 2.0),
            random.between(0.3, 2.0),
            random.between(0.2, 2.0),
            random.between(-0.5, 0.5),
        );
        let place = match 1.0 - a * s {
            flow if flow < 0.0 => "s-",
            flow if flow > b => "s+",
            _ => "s0",
        };
        let asked = ["s-", "s0", "s+"].into_iter().filter(|mode| *mode != place);
        let curves: Vec<String> = asked
            .clone()
            .enumerate()
            .map(|(i, mode)| {
                format!(
                    "Curve(name: \"c{i}\", orbit: EquilibriumIn(\"{mode}\"), start: All(at: {{\"q\": 0}}), free: \"q\", range: (-1e-3, 1e-3))"
                )
            })
            .collect();
        let text = format!(
            "Study(title: \"tank\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"q\": 0}}, surfaces: {{\"s\": \"x - {s:?}\"}}, \
             equations: [\"x' = 1 + q - {a:?}*x - {b:?}*heaviside(s)\", \"y' = -y + ({tilt:?})*x\"], start: {{\"x\": 0.1}}), curves: [{}])",
            curves.join(", ")
        );
        let result = run(&text);
        for (i, mode) in asked.enumerate() {
            let missing = result.missing.iter().find(|m| m.curve == format!("c{i}"));
            let said = missing.is_some_and(|m| {
                m.reason
                    .contains(&format!("no equilibrium in mode `{mode}` exists at q = 0"))
                    && m.reason.contains(&format!("EquilibriumIn(\"{place}\")"))
            });
            if !said {
                wrong.push((
                    member,
                    format!("{mode}, rests in {place}: {:?}\n{text}", result.missing),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Blocks on rough ground whose segments vanish at several frequencies: through each of these points there is a curve in
/// two parameters, or it is said that there is none.
#[test]
fn points_without_a_curve_in_two_parameters_are_named() {
    let class = "points without a curve in two parameters";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (m, k, c, mu) = (
            random.between(0.85, 0.95),
            random.between(1.15, 1.25),
            random.between(0.08, 0.12),
            random.between(0.18, 0.22),
        );
        let text = format!(
            "Study(title: \"block\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": 1, \"w\": 0.6}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x\": {m:?}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?})], forces: {{\"x\": \"F*sin(w*t)+0.1\"}}, \
             contacts: {{\"f\": Coulomb(on: \"x\", mu: {mu:?})}}), \
             curves: [Curve(name: \"w\", orbit: Periodic(\"f:slip+ f:slip-\"), start: All(at: {{\"w\": 0.6}}), free: \"w\", range: (0.1, 0.6), switch: Auto)], \
             loci: [Locus(name: \"vs\", from: \"w: VS\", free: (\"w\", \"F\"), range: ((0.1, 0.6), (0.99, 1.01)))])"
        );
        let result = run(&text);
        for (n, (_, w, _)) in labels(curve(&result, "w"))
            .into_iter()
            .filter(|l| l.0 == Label::VS)
            .enumerate()
        {
            let here = |p: &slipstick_bifurcation::BranchPoint| {
                (p.record.parameters[1] - w).abs() < 1e-6 && (p.record.parameters[0] - 1.0).abs() < 1e-6
            };
            let mut loci = result.curves.iter().filter(|c| c.name.starts_with("vs"));
            let followed = loci.any(|c| c.points().any(|(_, _, p)| here(p)));
            let name = format!("from VS {} of `w`", n + 1);
            let said = result
                .missing
                .iter()
                .any(|m| m.curve == "vs" && m.reason.contains(&name));
            if !followed && !said {
                wrong.push((member, format!("{w}: {:?}\n{text}", result.missing)));
            }
        }
    }
    none_wrong(class, count, &wrong);
}
