//! Where motions go, as basins say it: to rest however slowly, to small cycles, round tori, past saddles.

use super::known::run;
use super::normal_forms::class;

/// What a motion came to.
#[derive(Debug)]
struct Met {
    kind: String,
    word: String,
    period: f64,
    first: f64,
    message: String,
}

/// The attractors of the basins of a system with these starts.
fn met(system: &str, starts: &str) -> Vec<Met> {
    let text =
        format!("Study(title: \"motions\", system: {system}, tasks: [Basins(name: \"b\", {starts}, exponents: 1)])");
    let result = run(&text);
    assert!(result.missing.is_empty(), "{:?}\n{text}", result.missing);
    let mut tables = result.analyses.iter().flat_map(|a| &a.tables);
    let (_, table) = tables.find(|(name, _)| name == "b-attractors").unwrap();
    let texts = |column: &str| table.texts(column).unwrap();
    let numbers = |column: &str| table.numbers(column).unwrap();
    (0..table.rows())
        .map(|k| Met {
            kind: texts("kind")[k].clone(),
            word: texts("word")[k].clone(),
            period: numbers("period")[k],
            first: numbers("exponent1")[k],
            message: texts("message")[k].clone(),
        })
        .collect()
}

/// A force with the slope -1 at zero of a state measured from its rest.
fn force(kind: usize, b: f64) -> String {
    match kind {
        0 => "-u".to_owned(),
        1 => format!("(-u - {b:?}*u^3)"),
        2 => "-sin(u)".to_owned(),
        _ => "-tanh(u)".to_owned(),
    }
}

/// x'' = w² X f((x - x0)/X) - c w x' has nothing but its rest.
#[test]
fn what_dies_out_slowly_is_at_rest() {
    class("slow decay", 3, |random| {
        let f = force(random.below(4), random.between(0.1, 2.0));
        let (size, w) = (random.log_between(1e-2, 1e2), random.log_between(0.1, 10.0));
        let (c, x0) = (random.log_between(6e-4, 5e-3), random.between(-2.0, 2.0) * size);
        let system = format!(
            "Smooth(states: [\"x\", \"v\"], parameters: {{\"c\": {c:?}}}, define: {{\"u\": \"(x - ({x0:?}))/{size:?}\"}}, \
             equations: [\"x' = v\", \"v' = {:?}*{f} - c*{w:?}*v\"])",
            w * w * size
        );
        let starts = format!(
            "over: {{\"x\": Values([{:?}, {:?}])}}",
            x0 + random.between(0.1, 1.0) * size,
            x0 - random.between(1.0, 2.5) * size
        );
        let met = met(&system, &starts);
        let rate = -0.5 * c * w;
        let right = met.len() == 1 && met[0].kind == "rest" && (met[0].first - rate).abs() < 1e-9 * rate.abs();
        (!right).then(|| format!("{met:?}, not rest with {rate}\n{system}\n{starts}"))
    });
}

/// r' = r (m + b r² - r⁴) and a constant turn: a stable cycle with r² = b/2 + √(b²/4 + m), however slowly motions come
/// there, and for m < 0 rest as well, inside of the unstable cycle.
#[test]
fn cycles_that_are_approached_slowly_are_told_from_rest() {
    class("weak cycles", 4, |random| {
        let (w, size) = (random.log_between(0.3, 3.0), random.log_between(1e-2, 1e2));
        let inner = random.below(2) == 1;
        let (m, b) = match inner {
            false => (random.log_between(1e-3, 3e-2), 0.0),
            true => (-random.log_between(1e-3, 1e-2), random.between(0.4, 0.6)),
        };
        let square = 0.5 * b + (0.25 * b * b + m).sqrt();
        let system = format!(
            "Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": {m:?}}}, define: {{\"q\": \"(x^2 + y^2)/{:?}\", \"g\": \"{w:?}*(m + {b:?}*q - q^2)\"}}, \
             equations: [\"x' = g*x - {w:?}*y\", \"y' = {w:?}*x + g*y\"])",
            size * size
        );
        let small = (0.5 * b - (0.25 * b * b + m).sqrt()).max(0.0).sqrt();
        let (near, far) = (0.5 * small, random.between(0.7, 1.5) * square.sqrt());
        let near = if inner { near } else { 0.5 * far };
        let starts = format!(
            "over: {{\"x\": Values([{:?}, {:?}])}}, from: {{\"y\": 0}}",
            near * size,
            far * size
        );
        let met = met(&system, &starts);
        let cycles: Vec<&Met> = met.iter().filter(|m| m.kind == "orbit").collect();
        let rests = met.iter().filter(|m| m.kind == "rest").count();
        let period = std::f64::consts::TAU / w;
        let right = cycles.len() == 1
            && rests == usize::from(inner)
            && met.len() == 1 + rests
            && (cycles[0].period - period).abs() < 1e-6 * period;
        (!right).then(|| format!("{met:?}, not a cycle of period {period} and {inner}\n{system}\n{starts}"))
    });
}

/// Without damping each motion is an orbit of its own.
#[test]
fn without_damping_orbits_are_a_continuum() {
    class("continua", 4, |random| {
        let f = force(random.below(4), random.between(0.1, 2.0));
        let w = random.log_between(0.2, 5.0);
        let system = format!(
            "Smooth(states: [\"x\", \"v\"], parameters: {{\"c\": 0}}, define: {{\"u\": \"x\"}}, \
             equations: [\"x' = v\", \"v' = {:?}*{f} - c*v\"])",
            w * w
        );
        let met = met(
            &system,
            &format!("over: {{\"x\": Values([{:?}, 1.5])}}", random.between(0.1, 1.0)),
        );
        let right = met.len() == 2 && met.iter().all(|m| m.kind == "orbit" && m.message.contains("continuum"));
        (!right).then(|| format!("{met:?}\n{system}"))
    });
}

/// Damped motions in the plane, begun above the tops of their potentials, next to which neighbours part for a while.
#[test]
fn no_damped_motion_of_the_plane_is_chaotic() {
    class("planar transients", 3, |random| {
        let kind = random.below(3);
        let (force, angles) = match kind {
            0 => ("-sin(x)", "angles: {\"x\": \"2*pi\"}, "),
            1 => ("x - x^3", ""),
            _ => ("-sin(x) - 0.4*sin(2*x)", "angles: {\"x\": \"2*pi\"}, "),
        };
        let c = random.log_between(1e-3, 5e-3);
        let system = format!(
            "Smooth(states: [\"x\", \"v\"], {angles}parameters: {{\"c\": {c:?}}}, equations: [\"x' = v\", \"v' = {force} - c*v\"])"
        );
        let v = random.between(1.0, 3.0);
        let met = met(
            &system,
            &format!("over: {{\"x\": Values([2.9]), \"v\": Values([{v:?}, {:?}])}}", -v),
        );
        let right = met.iter().all(|m| m.kind == "rest");
        (!right).then(|| format!("{met:?}\n{system} {v}"))
    });
}

/// Polar oscillators whose turn does not depend on what acts on their radius: beside a force, or two of them.
#[test]
fn attracting_tori_are_tori() {
    class("attracting tori", 3, |random| {
        let golden = 0.5 * (5.0f64.sqrt() - 1.0);
        let w = random.between(0.6, 1.5);
        let other = w * (f64::from(random.below(3) as u32) + golden + 1e-3 * random.unit());
        let (f, g) = (random.between(0.1, 0.5), random.between(0.3, 1.0));
        let system = match random.below(2) {
            0 => format!(
                "Smooth(states: [\"x\", \"y\"], parameters: {{\"f\": {f:?}}}, forcing: Forcing(period: \"2*pi/{other:?}\"), \
                 define: {{\"g\": \"{g:?}*(1 + f*cos({other:?}*t) - x^2 - y^2)\"}}, \
                 equations: [\"x' = g*x - {w:?}*y\", \"y' = {w:?}*x + g*y\"])"
            ),
            _ => format!(
                "Smooth(states: [\"x\", \"y\", \"p\", \"q\"], parameters: {{\"f\": {f:?}}}, \
                 define: {{\"g\": \"{g:?}*(1 + f*p - x^2 - y^2)\", \"h\": \"1 + 0.5*f*x - p^2 - q^2\"}}, \
                 equations: [\"x' = g*x - {w:?}*y\", \"y' = {w:?}*x + g*y\", \"p' = h*p - {other:?}*q\", \"q' = {other:?}*p + h*q\"], start: {{\"p\": 0.5}})"
            ),
        };
        let met = met(&system, "over: {\"x\": Values([0.4, 0.7])}");
        let right = met.iter().all(|m| m.kind == "torus");
        (!right).then(|| format!("{met:?}\n{system}"))
    });
}

/// Stick-slip on a belt: the law of friction in the size of the slip is that of its side.
#[test]
fn the_size_of_a_slip_is_that_of_its_side() {
    class("size of slip", 6, |random| {
        let (size, speed) = (random.log_between(1e-2, 1e4), random.between(0.2, 0.7));
        let (c, fall) = (random.between(0.02, 0.06), random.between(1.5, 3.0));
        let belt = |slip: &str| {
            format!(
                "Filippov(states: [\"x\", \"v\"], parameters: {{\"b\": {speed:?}, \"S\": {size:?}}}, surfaces: {{\"s\": \"v - b*S\"}}, \
                 define: {{\"u\": \"{slip}\", \"mu\": \"0.4/(1 + {fall:?}*u) + 0.04*u^3\"}}, \
                 equations: [\"x' = v\", \"v' = -x - {c:?}*v - S*mu*sgn(s)\"])"
            )
        };
        let written = ["abs(v - b*S)/S", "abs((b*S - v)/S)", "abs(s)/S", "abs(-s/S)"];
        let of_size = written[random.below(written.len())];
        let starts = format!("over: {{\"x\": Values([{:?}])}}, from: {{\"v\": 0}}", 2.0 * size);
        let [one, other] = [of_size, "sgn(s)*(v - b*S)/S"].map(|slip| met(&belt(slip), &starts));
        let right = one.len() == 1
            && one[0].kind == "orbit"
            && one[0].word == other[0].word
            && (one[0].period - other[0].period).abs() < 1e-8 * one[0].period;
        (!right).then(|| format!("{one:?}, not {other:?}\n{}", belt(of_size)))
    });
}

/// Fixed points that repel and that iterates come to exactly, or begin on.
#[test]
fn iterates_exactly_on_what_repels_are_not_chaotic() {
    class("exactly repelling", 8, |random| {
        let a = random.between(1.1, 3.0);
        let (system, starts, rate) = match random.below(3) {
            0 => {
                let r = random.between(3.0, 4.0);
                let of = "Map(states: [\"x\"], parameters: {\"r\": R}, equations: [\"x+ = r*x*(1 - x)\"])";
                (
                    of.replace('R', &format!("{r:?}")),
                    "over: {\"x\": Values([0, 1])}".to_owned(),
                    r.ln(),
                )
            }
            1 => (
                format!(
                    "Map(states: [\"x\", \"y\"], parameters: {{\"a\": {a:?}}}, equations: [\"x+ = a*tanh(x)\", \"y+ = 0.3*y\"])"
                ),
                format!(
                    "over: {{\"x\": Values([0]), \"y\": Values([{:?}])}}",
                    random.between(-2.0, 2.0)
                ),
                a.ln(),
            ),
            _ => (
                format!("Map(states: [\"x\"], parameters: {{\"a\": {a:?}}}, equations: [\"x+ = -a*x + x^3\"])"),
                "over: {\"x\": Values([0])}".to_owned(),
                a.ln(),
            ),
        };
        let met = met(&system, &starts);
        let right = met.len() == 1
            && met[0].kind == "orbit"
            && met[0].message.contains("repels")
            && (met[0].first - rate).abs() < 1e-9;
        (!right).then(|| format!("{met:?}, not a fixed point with {rate}\n{system}"))
    });
}

/// Random starts of area-preserving maps are on no cycle.
#[test]
fn nothing_attracts_where_areas_are_preserved() {
    class("area-preserving", 6, |random| {
        let k = random.between(0.2, 0.9);
        let (system, starts) = match random.below(2) {
            0 => {
                let system = format!(
                    "Map(states: [\"q\", \"p\"], angles: {{\"q\": \"2*pi\", \"p\": \"2*pi\"}}, parameters: {{\"K\": {k:?}}}, \
                     equations: [\"q+ = q + p + K*sin(q)\", \"p+ = p + K*sin(q)\"])"
                );
                let mut at = || random.between(0.3, 6.0);
                let starts = format!(
                    "over: {{\"q\": Values([{:?}, {:?}, 4]), \"p\": Values([{:?}, 1])}}",
                    at(),
                    at(),
                    at()
                );
                (system, starts)
            }
            _ => {
                let (s, c) = random.between(0.3, 2.8).sin_cos();
                let system = format!(
                    "Map(states: [\"x\", \"y\"], parameters: {{\"c\": {c:?}, \"s\": {s:?}}}, \
                     equations: [\"x+ = c*x - s*(y - x^2)\", \"y+ = s*x + c*(y - x^2)\"])"
                );
                let at = random.between(0.02, 0.1);
                (system, format!("over: {{\"x\": Values([{at:?}, {:?}])}}", 1.7 * at))
            }
        };
        let met = met(&system, &starts);
        let right = met.iter().all(|m| m.kind != "orbit");
        (!right).then(|| format!("{met:?}\n{system} {starts}"))
    });
}

/// Three competitors, each beaten by the next (May and Leonard): motions pass the three saddles ever longer, and never
/// stay.
#[test]
fn saddles_that_are_passed_are_no_attractors() {
    class("heteroclinic", 3, |random| {
        let below = random.between(0.6, 0.85);
        let above = 2.0 - below + random.between(0.1, 0.5);
        let (size, rate) = (random.log_between(1e-2, 1e2), random.log_between(0.3, 3.0));
        let one = |a: &str, b: &str, c: &str| {
            format!("\"{a}' = {rate:?}*{a}*(1 - ({a} + {above:?}*{b} + {below:?}*{c})/{size:?})\"")
        };
        let system = format!(
            "Smooth(states: [\"a\", \"b\", \"c\"], parameters: {{\"p\": 0}}, equations: [{}, {}, {}])",
            one("a", "b", "c"),
            one("b", "c", "a"),
            one("c", "a", "b")
        );
        let start = |b: f64| {
            format!(
                "over: {{\"a\": Values([{:?}])}}, from: {{\"b\": {:?}, \"c\": {:?}}}",
                0.5 * size,
                b * size,
                0.6 * b * size
            )
        };
        let passing = met(&system, &start(random.between(0.3, 0.6)));
        let resting = met(&system, &start(0.0));
        let right = passing[0].kind == "unsettled"
            && passing[0].message.contains("passes near the unstable equilibrium")
            && resting[0].kind == "rest"
            && resting[0].message.contains("exactly on the unstable equilibrium");
        (!right).then(|| format!("{passing:?} {resting:?}\n{system}"))
    });
}

/// Two springs, one on each side of a rest on a surface: nothing but the rest attracts, whatever the units are.
#[test]
fn what_dies_out_slowly_about_a_surface_is_at_rest() {
    class("slow decay about a surface", 3, |random| {
        let (size, w) = (random.log_between(1e-2, 1e2), random.log_between(0.3, 3.0));
        let (k, c) = (random.log_between(0.3, 4.0), random.log_between(1e-3, 1e-2));
        let system = format!(
            "Filippov(states: [\"x\", \"v\"], parameters: {{\"c\": {:?}}}, surfaces: {{\"s\": \"x\"}}, \
             equations: [\"x' = v\", \"v' = -{:?}*(1 + {:?}*(1 + sgn(s)))*x - c*v\"])",
            c * w,
            w * w,
            0.5 * (k - 1.0)
        );
        let at = random.between(0.3, 1.0) * size;
        let met = met(&system, &format!("over: {{\"x\": Values([{at:?}, {:?}])}}", -at));
        let right = met.len() == 1 && met[0].kind == "rest";
        (!right).then(|| format!("{met:?}\n{system} {at}"))
    });
}
