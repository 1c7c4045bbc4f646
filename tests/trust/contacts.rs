//! Declared oscillators with contacts, whose balances, limits and borders are known in closed form.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use nalgebra::Complex;
use slipstick_bifurcation::{End, Label};
use slipstick_study::{AttractorKind, RunResult};

/// What a study could not trace, in words.
fn missing(result: &RunResult) -> String {
    let said = result.missing.iter().map(|m| format!("{}: {}", m.curve, m.reason));
    said.collect::<Vec<_>>().join("; ")
}

/// A block on a belt with Stribeck friction from its Hopf point on, through grazing into stick-slip and down to slow
/// belts: what the contact dissipates in a period is what the belt gives, v₀ k ∫x, less what the damper takes, c ∫v².
#[test]
fn energy_balances_from_the_hopf_point_to_slow_belts() {
    let class = "block on a belt";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (kinetic, more) = (random.between(0.15, 0.3), random.between(0.2, 0.5));
        let (speed, damping, stiffness) = (
            random.between(0.3, 0.6),
            random.between(0.05, 0.12),
            random.between(0.8, 1.5),
        );
        let fixed = kinetic + more;
        let text = format!(
            "Study(title: \"belt\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"v0\": 0.3}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: {stiffness:?}, damping: {damping:?})], \
             contacts: {{\"belt\": Stribeck(on: \"x\", against: Belt(\"v0\"), law: \"{kinetic:?} + {more:?}/(1 + v/{speed:?})\")}}, \
             monitors: {{\"heat\": Integral(\"belt_power\"), \"way\": Integral(\"x\"), \"square\": Integral(\"v_x^2\")}}, start: {{\"v_x\": \"v0\", \"x\": {fixed:?}}}), \
             curves: [Curve(name: \"rest\", orbit: EquilibriumIn(\"belt:slip-\"), start: All(at: {{\"v0\": 3}}), free: \"v0\", range: (0.01, 4)), \
             Curve(name: \"c\", orbit: Periodic(\"belt:slip- free\"), start: Point(from: \"rest, HB\"), free: \"v0\", range: (0.01, 4), switch: Auto)])"
        );
        let result = run(&text);
        let Some(found) = result.curves.iter().find(|curve| curve.name == "c") else {
            wrong.push((member, format!("{}\n{text}", missing(&result))));
            continue;
        };
        let place = |name: &str| found.monitors.iter().position(|m| m == name).unwrap();
        let (heat, way, square) = (place("heat"), place("way"), place("square"));
        let mut off = 0.0f64;
        let mut least = f64::INFINITY;
        for (_, _, p) in found.points() {
            let (v0, m) = (p.point.parameter(), &p.record.monitors);
            let (given, taken) = (v0 * stiffness * m[way], damping * m[square]);
            off = off.max((m[heat] - (given - taken)).abs() / (given.abs() + taken));
            least = least.min(v0);
        }
        if !(off <= 1e-8) || least > 0.01 + 1e-9 {
            wrong.push((member, format!("off by {off:e}, down to {least}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Mode coupling of two coordinates on a disc whose normal force has a corner: below the Hopf point all motions come to
/// the equilibrium with slip, which lies away from zero, and above it a motion may go round in one mode for ever.
#[test]
fn slipping_equilibria_and_cycles_in_one_mode_are_settled_to() {
    let class = "mode coupling";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (coupling, damping) = (random.between(0.7, 1.0), random.between(0.03, 0.06));
        let system = format!(
            "Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"mu\": 0.3}}, masses: {{\"x\": 1, \"y\": 1}}, \
             K: [[2, -{coupling:?}], [-{coupling:?}, 2.5]], C: [[{damping:?}, 0], [0, {damping:?}]], forces: {{\"y\": \"-0.5*y^3\"}}, \
             contacts: {{\"disc\": Coulomb(on: \"x\", against: Belt(0.6), mu: \"mu\", normal: \"max(1 - y, 0)\")}}, start: {{\"x\": 0.1, \"v_x\": 0}})"
        );
        let rest = "Curve(name: \"rest\", orbit: EquilibriumIn(\"disc:slip-\"), start: All(at: {\"mu\": 0.1}), free: \"mu\", range: (0.01, 3))";
        let text = format!(
            "Study(title: \"squeal\", system: {system}, curves: [{rest}], attractors: [Attractors(name: \"seen\", sweep: \"mu\", range: (0.1, 0.4), count: 3, starts: 4)])"
        );
        let result = run(&text);
        let kinds: Vec<&AttractorKind> = result
            .attractors
            .iter()
            .flat_map(|s| s.found.iter().map(|a| &a.kind))
            .collect();
        if kinds.is_empty() || !kinds.iter().all(|kind| matches!(kind, AttractorKind::Rest { .. })) {
            wrong.push((member, format!("{kinds:?}\n{text}")));
        }
        let hopf = curve(&result, "rest")
            .points()
            .find(|(_, _, p)| p.label == Some(Label::HB));
        let Some(hopf) = hopf.map(|(_, _, p)| p.point.parameter()) else {
            continue;
        };
        let text = format!(
            "Study(title: \"squeal\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"disc:slip- free\"), start: Settle(at: {{\"mu\": {:?}}}), free: \"mu\", range: (0.01, 3))])",
            hopf * 1.03
        );
        let result = run(&text);
        // It may stick there, which is said.
        let sticks = |said: &str| said.contains("disc:stick");
        if result.curves.is_empty() && !sticks(&missing(&result)) {
            wrong.push((member, format!("{}\n{text}", missing(&result))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Sliding of a plant of order three is linear and decays, while the exits of the surface are cubic and driven.
#[test]
fn sliding_that_decays_is_told_however_long_it_is_waited_for() {
    let class = "sliding of order three";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b) = (random.between(0.8, 1.6), random.between(1.0, 2.0));
        let (relay, drive, w) = (
            random.between(1.3, 2.0),
            random.between(0.2, 0.5),
            random.between(0.8, 2.0),
        );
        let text = format!(
            "Study(title: \"sliding\", system: Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{\"D\": {drive:?}}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
             surfaces: {{\"s\": \"{a:?}*x + {b:?}*y + z\"}}, equations: [\"x' = y\", \"y' = z\", \"z' = -x^3 + D*cos({w:?}*t) - {relay:?}*sgn(s)\"], start: {{\"x\": 0.2}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"s0 free\"), start: Settle(at: {{}}), free: \"D\", range: (0.05, 8))])"
        );
        let result = run(&text);
        if !missing(&result).contains("ends at rest in mode `s0`") {
            wrong.push((member, format!("{}\n{text}", missing(&result))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x''' + c x'' + b x' + a x = ∓K with hysteresis h: the cycle grows like 1/(c - a/b) as the plant loses its stability.
#[test]
fn cycles_of_relays_grow_without_bound_where_the_plant_loses_its_stability() {
    let class = "relay with hysteresis";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b) = (random.between(0.6, 1.5), random.between(1.2, 2.5));
        let (h, force) = (random.between(0.1, 0.5), random.between(1.0, 3.0));
        let field =
            |sign: &str| format!("[\"x' = y\", \"y' = z\", \"z' = -{a:?}*x - {b:?}*y - c*z {sign} {force:?}\"]");
        let c = a / b + random.between(0.3, 0.5);
        let text = format!(
            "Study(title: \"relay\", system: Hybrid(states: [\"x\", \"y\", \"z\"], parameters: {{\"c\": {c:?}}}, modes: {{\
             \"on\": Mode(equations: {}, events: {{\"sw\": Event(guard: \"x + {h:?}\", direction: Down, to: \"off\")}}), \
             \"off\": Mode(equations: {}, events: {{\"sw\": Event(guard: \"x - {h:?}\", direction: Up, to: \"on\")}})}}, \
             symmetry: Symmetry(states: {{\"x\": \"-x\", \"y\": \"-y\", \"z\": \"-z\"}}, modes: {{\"on\": \"off\"}}), start: Start(mode: \"on\", at: {{\"x\": 1}})), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"on\"), start: Settle(at: {{}}), free: \"c\", range: (0.05, {:?}))])",
            field("-"),
            field("+"),
            c + 0.5
        );
        let result = run(&text);
        let Some(found) = result.curves.iter().find(|curve| curve.name == "c") else {
            wrong.push((member, format!("{}\n{text}", missing(&result))));
            continue;
        };
        let unbounded = found.pieces[0]
            .branch
            .ends
            .iter()
            .any(|end| matches!(end, End::Unbounded { .. }));
        let least = found
            .points()
            .map(|(_, _, p)| p.point.parameter())
            .fold(f64::INFINITY, f64::min);
        if !unbounded || (least - a / b).abs() > 1e-6 {
            wrong.push((
                member,
                format!("{:?} at {least}, not {}\n{text}", found.pieces[0].branch.ends, a / b),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Two masses and a spring that slips at the force R: while it sticks the response is linear, with the compliance H,
/// and the border of sticking all along lies on F k |H(ω)| = R. Its multipliers are quotients of what vanishes, it has no
/// points of codimension two.
#[test]
fn the_border_of_sticking_is_that_of_the_linear_response() {
    let class = "border of sticking";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k, limit) = (random.between(0.5, 1.0), random.between(0.3, 0.5));
        let (c, m, coupling) = (
            random.between(0.03, 0.08),
            random.between(0.5, 0.8),
            random.between(1.0, 1.4),
        );
        let text = format!(
            "Study(title: \"jenkins\", system: Mechanical(coordinates: [\"x1\", \"x2\"], parameters: {{\"w\": 0.9, \"F\": 0.5}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x1\": 1, \"x2\": {m:?}}}, springs: [Spring(on: \"x1\", stiffness: 1, damping: {c:?}), Spring(on: \"x2\", against: Coordinate(\"x1\"), stiffness: {coupling:?}, damping: {c:?})], \
             forces: {{\"x2\": \"F*cos(w*t)\"}}, contacts: {{\"d\": Jenkins(on: \"x1\", k_t: {k:?}, limit: {limit:?})}}, \
             symmetry: {{\"x1\": \"-x1\", \"x2\": \"-x2\", \"phase\": \"phase + pi\"}}, start: {{\"x1\": 0.1}}), \
             curves: [Curve(name: \"r\", orbit: Symmetric(\"d:slip- d:stick\"), start: All(at: {{\"w\": 0.8}}), free: \"w\", range: (0.3, 3), switch: Auto)], \
             loci: [Locus(name: \"b\", from: \"r: VS\", free: (\"w\", \"F\"), range: ((0.3, 3), (0.01, 3)))])"
        );
        let result = run(&text);
        // |H|: the amplitude of x1 under a force of one on x2.
        let compliance = |w: f64| {
            let i = Complex::<f64>::new(0.0, 1.0);
            let between = Complex::new(coupling, 0.0) + i * (w * c);
            let first = Complex::new(1.0 + k - w * w, w * c) + between;
            let second = Complex::new(-m * w * w, 0.0) + between;
            (between / (first * second - between * between)).norm()
        };
        let borders: Vec<_> = result
            .curves
            .iter()
            .filter(|curve| curve.name.starts_with('b'))
            .collect();
        let mut said = vec![];
        for border in &borders {
            for (_, _, p) in border.points() {
                let (w, force) = (p.record.parameters[0], p.record.parameters[1]);
                let off = force * k * compliance(w) / limit - 1.0;
                // Multipliers are those of ever shorter slip, which attracts; just where two of them become a pair they
                // are not known.
                let attracts = p.record.unstable == 0 && !p.record.multipliers.iter().any(|m| m.log10 >= 0.0);
                if !(off.abs() <= 1e-9) || p.label.is_some_and(|label| label != Label::EP) || !attracts {
                    said.push(format!("{:?} at w = {w}, F = {force}: off by {off:e}", p.label));
                }
            }
        }
        if borders.is_empty() || !said.is_empty() {
            said.truncate(4);
            wrong.push((member, format!("{said:?}; {}\n{text}", missing(&result))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Subharmonic responses of a relay over the frequency lie on closed curves, along which the phase at a switch may turn: a
/// round that ends whole turns further is one.
#[test]
fn closed_curves_are_gone_round_once_although_the_phase_turns() {
    let class = "isolas of a relay";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut about = |v: f64| v * random.between(0.99, 1.01);
        let (amplitude, damping, stiffness) = (about(0.83), about(0.14), about(0.2));
        let (force, hysteresis) = (about(0.23), about(0.2));
        let text = format!(
            "Study(title: \"isola\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"omega\": 2.0169}}, \
             forcing: Forcing(period: \"2*pi/omega\", phase: \"theta\"), masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: {stiffness:?}, damping: {damping:?})], forces: {{\"x\": \"{amplitude:?}*cos(omega*t)\"}}, \
             contacts: {{\"dry\": Relay(on: \"x\", level: {force:?}, hysteresis: {hysteresis:?})}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"dry:+ dry:switch- dry:- dry:switch+\"), start: Settle(at: {{}}), free: \"omega\", range: (0.15, 5), points: 2000)])"
        );
        let result = run(&text);
        // Other numbers may settle to the response of the forcing's own period, which is no closed curve.
        let Some(found) = result.curves.iter().find(|curve| curve.name == "c") else {
            continue;
        };
        let folds = found.points().filter(|(_, _, p)| p.label == Some(Label::LP)).count();
        let ends = &found.pieces[0].branch.ends;
        if folds > 4 || ends.contains(&End::Points) {
            wrong.push((member, format!("{folds} folds, {ends:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Two masses, of which one rubs on a belt and is pushed through a corner, from the Hopf point on into stick-slip, in
/// which there is a state less: what the contact dissipates is what the balances of momentum and of energy leave.
#[test]
fn words_change_where_modes_have_fewer_states_and_forces_corners() {
    let class = "corners beside stick";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (corner, friction) = (random.between(0.002, 0.02), random.between(0.25, 0.35));
        let (speed, damping) = (random.between(0.5, 0.7), random.between(0.08, 0.12));
        let text = format!(
            "Study(title: \"corner\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"a\": 0.1, \"v0\": {speed:?}}}, \
             M: [[1, 0], [0, 1]], K: [[2, -1], [-1, 3]], forces: {{\"x\": \"a*v_x - v_x^3 - 0.2*x^3 + {corner:?}*max(y, 0)\", \"y\": \"-{damping:?}*v_y\"}}, \
             contacts: {{\"disk\": Coulomb(on: \"x\", against: Belt(\"v0\"), mu: {friction:?})}}, \
             monitors: {{\"heat\": Integral(\"disk_power\"), \"push\": Integral(\"2*x - y + v_x^3 + 0.2*x^3 - {corner:?}*max(y, 0)\"), \
             \"work\": Integral(\"a*v_x^2 - v_x^4 + {corner:?}*max(y, 0)*v_x - {damping:?}*v_y^2\")}}), \
             curves: [Curve(name: \"rest\", orbit: EquilibriumIn(\"disk:slip-\"), start: All(at: {{\"a\": -0.3}}), free: \"a\", range: (-1, 2)), \
             Curve(name: \"c\", orbit: Periodic(\"disk:slip- free\"), start: Point(from: \"rest, HB 1\"), free: \"a\", range: (-1, 0.6), switch: Auto)])"
        );
        let result = run(&text);
        let Some(found) = result.curves.iter().find(|curve| curve.name.starts_with('c')) else {
            wrong.push((member, format!("{}\n{text}", missing(&result))));
            continue;
        };
        let place = |name: &str| found.monitors.iter().position(|m| m == name).unwrap();
        let (heat, push, work) = (place("heat"), place("push"), place("work"));
        let off = |p: &slipstick_bifurcation::BranchPoint| {
            let m = &p.record.monitors;
            (m[heat] - speed * m[push] - m[work]).abs() / (m[heat].abs() + m[work].abs())
        };
        let off = found.points().map(|(_, _, p)| off(p)).fold(0.0, f64::max);
        let sticks = found.pieces.iter().any(|piece| piece.word.contains("stick"));
        if !(off <= 1e-6) || !sticks {
            wrong.push((member, format!("off by {off:e}, sticks: {sticks}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// `All` for symmetric orbits of oscillators with cubic springs that slip and stick: trials far from where the search
/// looks, where the spring makes motions fast, do not make up its time. What it finds is admissible.
#[test]
fn searches_among_stiff_springs_end() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("searches among stiff springs", member);
        let (drive, cubic) = (random.between(0.95, 1.05), random.between(0.3, 0.7));
        let (frequency, mu) = (random.between(0.65, 0.75), random.between(0.28, 0.32));
        let text = format!(
            "Study(title: \"search\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"w\": {frequency:?}, \"mu\": {mu:?}}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1, damping: 0.05)], forces: {{\"x\": \"({drive:?})*cos(w*t) - ({cubic:?})*x^3\"}}, forcing: Forcing(period: \"2*pi/w\"), \
             contacts: {{\"d\": Stiction(on: \"x\", mu_s: \"1.3*mu\", mu_d: \"mu\")}}, symmetry: {{\"x\": \"-x\", \"phase\": \"phase+pi\"}}), \
             curves: [Curve(name: \"s\", orbit: Symmetric(\"d:slip+ d:stick\"), start: All(at: {{}}, seeds: 64), free: \"w\", range: (0.3, 2.5))])"
        );
        let result = run(&text);
        let margins = result
            .curves
            .iter()
            .flat_map(|c| c.points())
            .map(|(_, _, p)| p.record.margin());
        let least = margins.reduce(f64::min);
        if least.is_none_or(|margin| margin < -1e-8) {
            wrong.push((member, format!("least margin {least:?}, {:?}\n{text}", result.missing)));
        }
    }
    none_wrong("searches among stiff springs", count, &wrong);
}

/// An undamped oscillator with dry friction μ, forced by F cos ωt at its own frequency: below μ = πF/4 the work of the
/// force exceeds that of friction at every amplitude, and motions grow by even steps; above they come to an orbit.
#[test]
fn motions_that_grow_by_even_steps_are_on_no_torus() {
    let class = "undamped resonance";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (force, stiffness) = (random.log_between(0.2, 5.0), random.log_between(0.3, 3.0));
        let (low, high) = (random.between(0.2, 0.6) * force, random.between(0.83, 0.95) * force);
        let text = format!(
            "Study(title: \"resonance\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"mu\": {low:?}}}, forcing: Forcing(period: \"2*pi/{0:?}\"), masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: {stiffness:?})], forces: {{\"x\": \"{force:?}*cos(phase)\"}}, contacts: {{\"g\": Coulomb(on: \"x\", mu: \"mu\")}}), \
             attractors: [Attractors(name: \"a\", sweep: \"mu\", range: ({low:?}, {high:?}), count: 2, starts: 2)], \
             tasks: [OrbitDiagram(name: \"o\", over: {{\"mu\": Values([{low:?}])}}, section: Maximum(\"x\"), transient: 200, points: 6)])",
            stiffness.sqrt()
        );
        let result = run(&text);
        let sweep = &result.attractors[0].found;
        let right = sweep.iter().all(|a| match &a.kind {
            AttractorKind::Undecided => a.value == low && a.message.contains("grow"),
            AttractorKind::Orbit { .. } => a.value == high,
            _ => false,
        });
        let said = format!("{:?}", result.analyses.first().map(|a| &a.notes));
        if !right || sweep.len() < 2 || !said.contains("unsettled") {
            let found: Vec<_> = sweep.iter().map(|a| (a.value, a.kind.name(), &a.message)).collect();
            wrong.push((member, format!("{found:?} {said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
