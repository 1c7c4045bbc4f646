//! Explosions of cycles: their folds within the rounding of the parameter, and single jumps that wander along an orbit.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

fn of_label(points: &[&BranchPoint], label: Label) -> Vec<f64> {
    let own = points.iter().filter(|p| p.label == Some(label));
    own.map(|p| p.point.parameter()).collect()
}

#[test]
fn explosions_from_subcritical_hopf_points_have_their_folds() {
    let class = "folds of canard explosions";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(1e-3, 2e-2);
        let (a, b) = (random.between(0.5, 0.8), random.between(0.55, 0.75));
        let [v, w] = [0, 1].map(|_| random.log_between(1e-2, 1e2));
        // Every other one explodes next to zero: errors of orbits are not relative to the parameter.
        let hopf = -f64::sqrt(1.0 - b * epsilon);
        let next = hopf * hopf * hopf / 3.0 - hopf + (hopf + a) / b + epsilon * random.between(-3.0, 3.0);
        let zero = if member % 2 == 0 { 0.0 } else { next };
        let (low, high) = (-1.0 - zero, 4.0 - zero);
        // FitzHugh and Nagumo's equations are the same under (v, w, I) to (-v, 2a/b - w, 2a/b - I) after a shift of w,
        // and so is the branch of cycles between both Hopf points: a fold at I has its image at 2a/b - I. At a
        // subcritical Hopf point unstable cycles are born that the explosion turns back.
        let text = format!(
            "Study(title: \"explosions\", system: Smooth(states: [\"v\", \"w\"], parameters: {{\"I\": 0, \"eps\": {epsilon:?}}}, \
             define: {{\"p\": \"v/{v:?}\", \"q\": \"w/{w:?}\"}}, \
             equations: [\"v' = {v:?}*(p - p^3/3 - q + I + ({zero:?}))/eps\", \"w' = {w:?}*(p + {a:?} - {b:?}*q)\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"I\": {low:?}}}), free: \"I\", range: ({low:?}, {high:?})), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB 1\"), free: \"I\", range: ({low:?}, {high:?}))])"
        );
        let result = run(&text);
        let rest = pieces(&result, "rest").concat();
        let turning = rest
            .iter()
            .filter(|p| p.label == Some(Label::HB) && p.message.contains("subcritical"))
            .count();
        let cycles = pieces(&result, "c").concat();
        let folds = of_label(&cycles, Label::LP);
        let off: f64 = folds.iter().map(|fold| fold + zero - a / b).sum();
        let closed = cycles.last().is_some_and(|p| p.label == Some(Label::HB));
        if folds.len() != turning || off.abs() > 1e-8 || !closed || cycles.len() > 300 {
            wrong.push((
                member,
                format!(
                    "{} points, {turning} folds, not {folds:?}, off by {off:e}\n{text}",
                    cycles.len()
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn single_jumps_stay_on_nodes_while_the_rest_of_the_orbit_grows() {
    let class = "bursting cells";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (rho, rate) = (random.between(0.26, 0.28), random.between(229.0, 231.0));
        let (leaves, conductance) = (random.between(0.1815, 0.185), random.between(1695.0, 1705.0));
        let unit = random.log_between(1e-2, 1e2);
        // Chay's cell (Physica D 16 (1985) 233): along its canards a single jump follows ever later, 75 where its own
        // time is 0.01, after an oscillation of 75 rad/s that has nothing to do with it.
        let text = format!(
            "Study(title: \"cell\", system: Smooth(states: [\"V\", \"n\", \"C\"], parameters: {{\"g\": 30, \"rho\": {rho:?}}}, \
             define: {{\"U\": \"V/{unit:?}\", \
             \"am\": \"0.1*(25 + U)/(1 - exp(-0.1*U - 2.5))\", \"bm\": \"4*exp(-(U + 50)/18)\", \
             \"ah\": \"0.07*exp(-0.05*U - 2.5)\", \"bh\": \"1/(1 + exp(-0.1*U - 2))\", \
             \"an\": \"0.01*(20 + U)/(1 - exp(-0.1*U - 2))\", \"bn\": \"0.125*exp(-(U + 30)/80)\", \
             \"entry\": \"(am/(am + bm))^3*ah/(ah + bh)*(100 - U)\"}}, \
             equations: [\"V' = {unit:?}*(1800*entry - ({conductance:?}*n^4 + g*C/(1 + C))*(75 + U) - 7*(40 + U))\", \
             \"n' = {rate:?}*(an - (an + bn)*n)\", \"C' = rho*(entry - {leaves:?}*C)\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"g\": 30}}), free: \"g\", range: (1, 40)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"g\", range: (1, 40))])"
        );
        let cycles = run(&text);
        let cycles = pieces(&cycles, "c").concat();
        let known = !of_label(&cycles, Label::LP).is_empty() && of_label(&cycles, Label::PD).len() >= 2;
        let through = cycles
            .last()
            .is_some_and(|p| matches!(p.label, Some(Label::BP | Label::PD | Label::EP)));
        if !known || !through || cycles.len() > 600 {
            wrong.push((member, format!("{} points\n{text}", cycles.len())));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn single_jumps_of_orbits_that_are_slow_on_their_way_stay_on_nodes_as_well() {
    let class = "chay's cell";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [unit, pace] = [0, 1].map(|_| random.log_between(1e-2, 1e2));
        // At Chay's own values the orbit has a hundredth of its mean speed where it leaves its focus, and jumps once. In
        // other units of voltage and time it is the same.
        let text = format!(
            "Study(title: \"cell\", system: Smooth(states: [\"V\", \"n\", \"C\"], parameters: {{\"g\": {first:?}}}, \
             define: {{\"U\": \"V/{unit:?}\", \
             \"am\": \"0.1*(25 + U)/(1 - exp(-0.1*U - 2.5))\", \"bm\": \"4*exp(-(U + 50)/18)\", \
             \"ah\": \"0.07*exp(-0.05*U - 2.5)\", \"bh\": \"1/(1 + exp(-0.1*U - 2))\", \
             \"an\": \"0.01*(20 + U)/(1 - exp(-0.1*U - 2))\", \"bn\": \"0.125*exp(-(U + 30)/80)\", \
             \"entry\": \"(am/(am + bm))^3*ah/(ah + bh)*(100 - U)\"}}, \
             equations: [\"V' = {unit:?}*({pace:?}*(1800*entry - 1700*n^4*(75 + U) - 7*(40 + U)) - g*C/(1 + C)*(75 + U))\", \
             \"n' = 230*{pace:?}*(an - (an + bn)*n)\", \"C' = 0.27*{pace:?}*(entry - 11/60*C)\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"g\": {first:?}}}), free: \"g\", range: ({low:?}, {high:?})), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"g\", range: ({low:?}, {high:?}))])",
            first = 30.0 * pace,
            low = 19.0 * pace,
            high = 31.0 * pace,
        );
        let cycles = run(&text);
        let cycles = pieces(&cycles, "c").concat();
        let at = |found: Vec<f64>, known: &[f64]| {
            let near = |(found, known): (&f64, &f64)| (found / pace - known).abs() <= 1e-8;
            found.len() == known.len() && found.iter().zip(known).all(near)
        };
        let folds = at(
            of_label(&cycles, Label::LP),
            &[27.253454055, 19.614730885836, 19.6573295999],
        );
        let doubled = at(of_label(&cycles, Label::PD), &[19.657324232696]);
        let through = cycles.last().is_some_and(|p| p.label == Some(Label::EP));
        if !folds || !doubled || !through || cycles.len() > 400 {
            wrong.push((member, format!("{} points\n{text}", cycles.len())));
        }
    }
    none_wrong(class, count, &wrong);
}
