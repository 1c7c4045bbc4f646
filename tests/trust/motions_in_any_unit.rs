//! Motions that are only followed, of smooth systems whose states are as small or as large as one likes.

use super::known::{none_wrong, run};
use super::random::{Random, members};

/// A damped Duffing oscillator under a force, or one that turns by itself (van der Pol's), with the state, the velocity
/// and the time in units of their own: simulations, orbit diagrams and exponents are those of the oscillator in units
/// in which all of it is about one. With small damping and far from chaos, no error grows.
#[test]
fn motions_do_not_depend_on_units() {
    let class = "motions in any unit";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (damping, cubic) = (random.between(0.1, 0.3), random.between(0.0, 0.3));
        let (force, frequency) = (random.between(0.1, 0.5), random.between(0.7, 1.4));
        let forced = random.below(2) == 0;
        let [x, v] = [(); 2].map(|()| random.log_between(1e-12, 1e3));
        let time = random.log_between(1e-6, 1e2);
        let from_rest = random.below(2) == 0;
        let study = |x: f64, v: f64, t: f64| {
            let rate = if forced {
                format!("-{damping:?}*w - u - {cubic:?}*u^3 + F*cos({frequency:?}*t/{t:?})")
            } else {
                format!("F*(1 - u^2)*w - u - {cubic:?}*u^3")
            };
            let forcing = if forced {
                format!("forcing: Forcing(period: \"2*pi*{t:?}/{frequency:?}\"), ")
            } else {
                String::new()
            };
            let from = if forced && from_rest { 0.0 } else { 0.7 * x };
            format!(
                "Study(title: \"t\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"F\": {force:?}}}, \
                 define: {{\"u\": \"x/{x:?}\", \"w\": \"v/{v:?}\"}}, {forcing}\
                 equations: [\"x' = {:?}*w\", \"v' = {:?}*({rate})\"], start: {{\"x\": {from:?}}}), \
                 simulations: [Simulation(name: \"s\", time: {:?}, every: {:?})], tasks: [\
                 OrbitDiagram(name: \"d\", over: {{\"F\": Values([0.2, 0.3])}}, exponents: 2, transient: 100, longest: {:?}), \
                 Lyapunov(name: \"l\", time: {:?}, transient: {:?})])",
                x / t,
                v / t,
                40.0 * t,
                t,
                1e3 * t,
                400.0 * t,
                100.0 * t,
            )
        };
        let (own, other) = (run(&study(1.0, 1.0, 1.0)), run(&study(x, v, time)));
        let mut bad = vec![];
        let ended = |result: &slipstick_study::RunResult| {
            let rows = &result.trajectories[0].rows;
            (rows.len(), rows[rows.len() - 1].states.clone())
        };
        let ((n, a), (m, b)) = (ended(&own), ended(&other));
        let near = |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance;
        if n != m || !near(a[0], b[0] / x, 1e-9) || !near(a[1], b[1] / v, 1e-9) {
            bad.push(format!("simulated: {a:?}, {b:?}"));
        }
        let table = |result: &slipstick_study::RunResult, name: &str| {
            let mut tables = result.analyses.iter().flat_map(|a| &a.tables);
            tables.find(|(n, _)| n == name).unwrap().1.clone()
        };
        let (d, e) = (table(&own, "d"), table(&other, "d"));
        let last = |t: &slipstick_report::Table, column: &str| *t.numbers(column).unwrap().last().unwrap();
        if d.texts("kind").unwrap() != e.texts("kind").unwrap() || d.texts("kind").unwrap()[0] != "orbit" {
            bad.push(format!("kinds: {:?}", e.texts("kind").unwrap()[0]));
        } else if !near(last(&d, "x"), last(&e, "x") / x, 1e-9) || !near(last(&d, "v"), last(&e, "v") / v, 1e-7) {
            bad.push("points of the diagram".to_owned());
        }
        for k in ["exponent1", "exponent2"] {
            if !near(last(&d, k), last(&e, k) * time, 1e-7) {
                bad.push(format!("{k}: {}, {}", last(&d, k), last(&e, k) * time));
            }
        }
        let (l, o) = (table(&own, "l"), table(&other, "l"));
        // Over a finite time the lengths of vectors depend on units, the volume between them does not.
        for k in 0..l.rows() {
            let of = |t: &slipstick_report::Table, column: &str| t.numbers(column).unwrap()[k];
            let error = of(&l, "error").hypot(of(&o, "error") * time);
            if !near(of(&l, "exponent"), of(&o, "exponent") * time, 3.0 * error)
                || !near(of(&l, "sum"), of(&o, "sum") * time, 1e-7)
            {
                bad.push(format!(
                    "exponent {}, {}",
                    of(&l, "exponent"),
                    of(&o, "exponent") * time
                ));
            }
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?}\n{}", study(x, v, time))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A surface that lies farther away than any motion comes, as one of which the slope is rounding, says nothing
/// of how large states are: a forced Duffing oscillator with an event there moves as one without.
#[test]
fn surfaces_out_of_reach_change_no_motion() {
    let class = "surfaces out of reach";
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (damping, force) = (random.between(0.1, 0.3), random.between(0.1, 0.5));
        let (slope, x) = (random.log_between(1e-17, 1e-7), random.log_between(1e-6, 1e6));
        let study = |events: &str| {
            format!(
                "Study(title: \"t\", system: Hybrid(states: [\"x\", \"v\"], define: {{\"u\": \"x/{x:?}\", \"w\": \"v/{x:?}\"}}, \
                 forcing: Forcing(period: \"2*pi\"), modes: {{\"a\": Mode(equations: [\"x' = v\", \
                 \"v' = {x:?}*(-{damping:?}*w - u - u^3 + {force:?}*cos(t))\"], events: {{{events}}})}}, \
                 start: Start(mode: \"a\", at: {{\"x\": {:?}}})), simulations: [Simulation(name: \"s\", time: 40, every: 0.5)])",
                0.7 * x
            )
        };
        let plain = study("").replace("Hybrid", "Smooth");
        let plain = plain
            .replace("modes: {\"a\": Mode(", "")
            .replace("], events: {})}", "]");
        let plain = plain.replace("Start(mode: \"a\", at: ", "");
        let plain = plain.replace(&format!("{:?}}})), sim", 0.7 * x), &format!("{:?}}}), sim", 0.7 * x));
        let far = study(&format!(
            "\"far\": Event(guard: \"1 + {slope:?}*u\", direction: Down, to: \"a\")"
        ));
        let (a, b) = (run(&plain), run(&far));
        let rows = a.trajectories[0].rows.iter().zip(&b.trajectories[0].rows);
        let off = rows.map(|(a, b)| (a.states[0] - b.states[0]).abs().max((a.states[1] - b.states[1]).abs()) / x);
        let off = off.fold(0.0, f64::max);
        if !(off < 1e-9) {
            wrong.push((member, format!("{off:e} apart\n{far}")));
        }
    }
    none_wrong(class, count, &wrong);
}
