//! Where motions start and how long they are waited for, in any unit of time.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};

/// What a study could not trace, in words.
fn missing(result: &slipstick_study::RunResult) -> String {
    let said = result.missing.iter().map(|m| format!("{}: {}", m.curve, m.reason));
    said.collect::<Vec<_>>().join("; ")
}

/// Van der Pol's circuit, with rates of up to 1e10 and voltages and currents of different sizes: `Settle` comes to the
/// cycle of which the period is known, whether a `patience` is given or not.
#[test]
fn fast_circuits_are_waited_for_in_their_own_time() {
    /// The period at μ = 1.
    const PERIOD: f64 = 6.663_286_859_32;
    let class = "fast circuits";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (rate, size) = (random.log_between(1e5, 1e10), random.log_between(1e-4, 1.0));
        let patience = match member % 2 {
            0 => String::new(),
            _ => format!(", patience: {:?}", random.log_between(30.0, 3000.0) / rate),
        };
        let text = format!(
            "Study(title: \"circuit\", system: Smooth(states: [\"v\", \"i\"], parameters: {{\"mu\": 1}}, \
             equations: [\"v' = i*{:?}\", \"i' = (mu*(1 - v^2)*i/{size:?} - v)*{:?}\"], start: {{\"v\": 1, \"i\": 0}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"mu\": 1}}{patience}), free: \"mu\", range: (1, 1.2))])",
            rate / size,
            rate * size
        );
        let result = run(&text);
        if result.curves.is_empty() {
            wrong.push((member, format!("{}\n{text}", missing(&result))));
            continue;
        }
        let at_one = curve(&result, "c")
            .points()
            .find(|(_, _, p)| p.point.parameter() == 1.0);
        let period = at_one.map_or(f64::NAN, |(_, _, p)| p.record.period * rate);
        if !((period / PERIOD - 1.0).abs() <= 1e-8) {
            wrong.push((member, format!("period {period}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The default start lies on the surface: a start given without its mode lies on the side on which its states are.
#[test]
fn a_start_without_a_mode_lies_where_its_states_are() {
    let class = "sides";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (x, y) = (random.sign() * random.between(0.05, 1.0), random.between(-1.0, 1.0));
        // Where the system starts itself: on the surface, or on a side.
        let own = [0.0, 0.5, -0.5][member % 3];
        let text = format!(
            "Study(title: \"sides\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"c\": {:?}}}, surfaces: {{\"s\": \"x\"}}, \
             equations: [\"x' = y - c*sgn(s)\", \"y' = -x - 0.1*y\"], start: {{\"x\": {own:?}, \"y\": 0}}), \
             simulations: [Simulation(name: \"s\", time: 0.01, from: {{\"x\": {x:?}, \"y\": {y:?}}})])",
            random.between(1.2, 2.0)
        );
        let result = run(&text);
        let word = &result.trajectories[0].word;
        let wanted = if x > 0.0 { "s+" } else { "s-" };
        if !word.starts_with(wanted) {
            wrong.push((member, format!("starts in `{word}`\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A message names the period of the orbit that a start came to, whatever the unit of time.
#[test]
fn periods_in_messages_are_in_the_units_of_the_study() {
    let class = "periods in messages";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, size) = (random.log_between(1e4, 1e8), random.log_between(1e-6, 1e-4));
        let text = format!(
            "Study(title: \"units\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": {:?}}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: {:?}, damping: {:?})], forcing: Forcing(period: \"2*pi/{w:?}\"), forces: {{\"x\": \"F*cos({w:?}*t)\"}}, \
             contacts: {{\"s\": Gap(on: \"x\", distance: {:?}, stiffness: {:?})}}, start: {{\"x\": {:?}}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"s:closed free\"), start: Settle(at: {{}}), free: \"F\", range: ({:?}, {:?}))])",
            size * w * w,
            0.3 * w * w,
            0.3 * w,
            0.5 * size,
            0.5 * w * w,
            0.1 * size,
            0.5 * size * w * w,
            2.0 * size * w * w,
        );
        let said = missing(&run(&text));
        let number = said.split("and period ").nth(1).and_then(|rest| rest.split(',').next());
        let period = number.and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
        if !((period * w / std::f64::consts::TAU - 1.0).abs() <= 1e-6) {
            wrong.push((member, format!("period {period}: {said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Peroxidase: bursts of radicals that start from a millionth of what they come to, so that the time between them
/// depends on errors of the integrator. `Settle` for an equilibrium ends, and says that there is an orbit.
#[test]
fn bursts_from_almost_nothing_are_recognised() {
    let class = "bursts";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let patience = ["", ", patience: 500", ", patience: 5000"][member % 3];
        let text = format!(
            "Study(title: \"bursts\", system: Smooth(states: [\"A\", \"B\", \"X\", \"Y\"], parameters: {{\"k1\": 0.1}}, equations: [\
             \"A' = -0.0353*A*B*Y + ({:?}) - 0.11*A\", \"B' = -k1*B*X - 0.0353*A*B*Y + ({:?})\", \
             \"X' = k1*B*X - 500*X^2 + 3*0.0353*A*B*Y - 20*X + 0.0000134\", \"Y' = -0.0353*A*B*Y + 500*X^2 - 5.31*Y\"], \
             start: {{\"A\": 5, \"B\": 50, \"X\": 0.01, \"Y\": 0.1}}), \
             curves: [Curve(name: \"r\", orbit: Equilibrium, start: Settle(at: {{}}{patience}), free: \"k1\", range: (0.01, 0.9))])",
            random.between(0.82, 0.84),
            random.between(0.51, 0.53),
        );
        let said = missing(&run(&text));
        if !(said.contains("periodic orbit") || said.contains("does not become periodic")) {
            wrong.push((member, format!("{said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Two states in units of their own that spiral into rest at any place, and rates of any size: `Settle` finds the
/// equilibrium, and no cycle.
#[test]
fn spirals_into_rest_are_no_cycles_in_any_units() {
    let class = "spirals";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let rate = random.log_between(1e-2, 1e12);
        let sizes: [f64; 2] = [0, 1].map(|_| random.log_between(1e-6, 1e24));
        // In a third of the members it rests at zero.
        let away = if member % 3 == 0 { 0.0 } else { 1.0 };
        let at = sizes.map(|size| away * size * random.sign() * random.between(0.5, 2.0));
        let (damping, bend) = (random.between(0.1, 0.6), random.between(-0.1, 0.1));
        let text = format!(
            "Study(title: \"spiral\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"p\": 1}}, \
             define: {{\"u\": \"(x - p*({:?}))/{:?}\", \"v\": \"(y - ({:?}))/{:?}\"}}, \
             equations: [\"x' = {:?}*(-({damping:?})*u - v)\", \"y' = {:?}*(u - ({damping:?})*v + ({bend:?})*u^2)\"], start: {{\"x\": {:?}, \"y\": {:?}}}), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"p\": 1}}), free: \"p\", range: (0.5, 2)), \
             Curve(name: \"cycle\", orbit: PeriodicOrbit, start: Settle(at: {{\"p\": 1}}), free: \"p\", range: (0.5, 2))])",
            at[0],
            sizes[0],
            at[1],
            sizes[1],
            rate * sizes[0],
            rate * sizes[1],
            at[0] + sizes[0] * random.between(-0.5, 0.5),
            at[1] + sizes[1] * random.between(-0.5, 0.5),
        );
        let result = run(&text);
        let rest = result.curves.iter().find(|c| c.name == "rest");
        let place = rest.and_then(|c| c.points().find(|(_, _, p)| (p.point.parameter() - 1.0).abs() < 1e-9));
        let off = place.map(|(_, _, p)| {
            let off = |i: usize| (p.point.z[i] - at[i]).abs() / sizes[i];
            off(0).max(off(1))
        });
        let said = missing(&result);
        let right = off.is_some_and(|off| off < 1e-9)
            && result.curves.iter().all(|c| !c.name.starts_with("cycle"))
            && said.contains("ends at rest");
        if !right {
            wrong.push((member, format!("{off:?} {said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// v' = v - v³/3 - w + I, w' = ε(v + a - bw) comes to its equilibrium along w, in a time of 1/ε, which may be longer than
/// `Settle` waits for motions that make no events.
#[test]
fn slow_states_come_to_their_equilibrium_however_slow_they_are() {
    for member in 0..members(6) {
        let mut random = Random::of("slow rest", member);
        let epsilon = random.log_between(1e-5, 1e-3);
        let (a, b, i) = (
            random.between(0.65, 0.75),
            random.between(0.7, 0.9),
            random.between(-0.1, 0.15),
        );
        let text = format!(
            "Study(title: \"slow\", system: Smooth(states: [\"v\", \"w\"], parameters: {{\"I\": {i:?}, \"e\": {epsilon:?}}}, \
             equations: [\"v' = v - v^3/3 - w + I\", \"w' = e*(v + {a:?} - {b:?}*w)\"], start: {{\"v\": 0, \"w\": 0}}), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"I\": {i:?}}}), free: \"I\", range: (-1, 0.25))])"
        );
        let result = run(&text);
        let found = curve(&result, "rest");
        assert!(found.points().count() > 5, "{:?}\n{text}", result.missing);
    }
}

/// A linear oscillator that is forced in random units: its response is known, and the same however it is started, over
/// the whole period or over half of it, from a simulation, a search, or a point of the other.
#[test]
fn responses_are_the_same_from_every_start() {
    let class = "responses";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (unit, time) = (random.log_between(1e-3, 1e3), random.log_between(1e-2, 1e2));
        let (d, force) = (random.between(0.1, 0.6), random.between(0.3, 3.0));
        let (rate, at) = (1.0 / time, random.between(0.9, 1.6) / time);
        let (low, high) = (0.5 * rate, 2.0 * rate);
        let entry = |name: &str, orbit: &str, start: &str| {
            format!("Curve(name: \"{name}\", orbit: {orbit}, start: {start}, free: \"w\", range: ({low:?}, {high:?}))")
        };
        let (whole, half) = ("PeriodicOrbit", "Symmetric(\"smooth\")");
        let (settle, all) = (
            format!("Settle(at: {{\"w\": {at:?}}})"),
            format!("All(at: {{\"w\": {at:?}}}, seeds: 40)"),
        );
        let end = random.below(2) + 1;
        let curves = [
            entry("p", whole, &settle),
            entry("pa", whole, &all),
            entry("s", half, &settle),
            entry("sa", half, &all),
            entry("sp", half, &format!("Point(from: \"p, EP {end}\")")),
            entry("ps", whole, &format!("Point(from: \"sa, EP {end}\")")),
        ];
        let text = format!(
            "Study(title: \"responses\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": {at:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             equations: [\"x' = v\", \"v' = ({:?})*({:?}*cos(w*t) - x) - ({:?})*v\"], symmetry: {{\"x\": \"-x\", \"v\": \"-v\", \"phase\": \"phase + pi\"}}, \
             monitors: {{\"x0\": Value(\"x\"), \"square\": Mean(\"x^2\")}}), curves: [{}])",
            rate * rate,
            force * unit,
            d * rate,
            curves.join(", ")
        );
        let result = run(&text);
        for name in ["p", "pa", "s", "sa", "sp", "ps"] {
            let Some(own) = result.curves.iter().find(|c| c.name == name) else {
                wrong.push((member, format!("no curve {name}: {}\n{text}", missing(&result))));
                continue;
            };
            let column = |monitor: &str| own.monitors.iter().position(|m| m == monitor).unwrap();
            let (value, square) = (column("x0"), column("square"));
            let off = own.points().map(|(_, _, p)| {
                let w = p.record.parameters[0] * time;
                let size = ((1.0 - w * w).powi(2) + (d * w).powi(2)).recip();
                let x0 = force * unit * (1.0 - w * w) * size;
                let mean = 0.5 * (force * unit).powi(2) * size;
                [
                    p.record.period * p.record.parameters[0] / std::f64::consts::TAU - 1.0,
                    (p.record.monitors[value] - x0) / (2.0 * mean).sqrt(),
                    p.record.monitors[square] / mean - 1.0,
                ]
                .into_iter()
                .fold(0.0f64, |m, v| m.max(v.abs()))
            });
            let worst = off.fold(0.0, f64::max);
            if !(worst < 1e-8) {
                wrong.push((member, format!("{name} is off by {worst:e}\n{text}")));
            }
        }
        if result.curves.len() != 6 {
            wrong.push((member, format!("{} curves\n{text}", result.curves.len())));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Two phases on a torus, p' = h and q' = h (1 + δ - K sin(q - p)) with a rate h > 0 that changes along p: they are
/// locked for K > δ and turn at different rates below. A curve of locked ones that does not reach the K asked for
/// says so, and no other does.
#[test]
fn curves_that_do_not_reach_the_value_asked_for_say_so() {
    let class = "locked elsewhere";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (delta, rate) = (random.between(0.2, 0.6), random.log_between(0.1, 10.0));
        let uneven = random.between(-0.5, 0.5);
        let (below, above) = (delta * random.between(0.6, 0.9), delta * random.between(1.2, 2.0));
        let settles = |name: &str, at: f64| {
            format!(
                "Curve(name: \"{name}\", orbit: PeriodicOrbit, start: Settle(at: {{\"K\": {at:?}}}), free: \"K\", range: ({:?}, {:?}))",
                0.3 * delta,
                3.0 * delta
            )
        };
        let h = format!("({rate:?})*(1 + ({uneven:?})*cos(p))");
        let text = format!(
            "Study(title: \"t\", system: Smooth(states: [\"p\", \"q\"], angles: {{\"p\": \"2*pi\", \"q\": \"2*pi\"}}, parameters: {{\"K\": 1}}, \
             equations: [\"p' = {h}\", \"q' = {h}*(1 + {delta:?} - K*sin(q - p))\"]), curves: [{}, {}])",
            settles("below", below),
            settles("above", above)
        );
        let result = run(&text);
        let said = |name: &str| {
            let found = result.curves.iter().find(|c| c.name == name);
            found.map(|c| c.note.contains("does not reach that value"))
        };
        // Without any curve there is nothing to say.
        if said("below") == Some(false) || said("above") != Some(false) {
            wrong.push((
                member,
                format!("{:?} {:?} {:?}\n{text}", said("below"), said("above"), result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
