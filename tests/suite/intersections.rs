//! Motion on and from the intersection of two surfaces at which a field jumps.

use super::filippov::{end, system};
use proptest::prelude::*;
use slipstick_flow::{Ending, NonUniqueness, SimulationOptions, Trajectory, simulate};

/// On x = y = 0 the signs are v = -z ± √(z² + 1/10) and u = z + v/2. At one of the two roots, a saddle, any regularisation
/// repels the signs; the other changes continuously as z passes zero.
#[test]
fn the_sliding_field_of_an_intersection_is_continuous() {
    let declared = system(
        r#"Filippov(states: ["x", "y", "z", "w"], surfaces: {"p": "x", "q": "y"},
            equations: ["x' = z - sgn(p) + 0.5*sgn(q)", "y' = 0.1 - 2*sgn(p)*sgn(q)", "z' = -0.2", "w' = sgn(q)"], start: {"z": 0.3})"#,
    );
    let (x, run) = end(&declared, 3.0);
    assert_eq!(run.segments.len(), 1, "{}", run.describe(&declared));
    let of = |z: f64| 0.5 * (z * (z * z + 0.1).sqrt() + 0.1 * (z / 0.1f64.sqrt()).asinh() - z * z);
    let wanted = 5.0 * (of(0.3) - of(-0.3));
    assert!((x[3] - wanted).abs() < 1e-10, "{} {wanted}", x[3]);
}

/// Where both signs cease to be real the motion leaves: v = -z ± √(z² - 1/10) meet at z = √(1/10).
#[test]
fn motion_on_an_intersection_ends_where_its_signs_cease_to_be_real() {
    let declared = system(
        r#"Filippov(states: ["x", "y", "z"], surfaces: {"p": "x", "q": "y"},
            equations: ["x' = z - sgn(p) + 0.5*sgn(q)", "y' = -0.1 - 2*sgn(p)*sgn(q)", "z' = -0.2"], start: {"z": 0.4})"#,
    );
    let (x, run) = end(&declared, 1.5);
    let first = &run.segments[0];
    assert_eq!(declared.modes[first.mode].name, "p0,q0");
    assert!(
        (first.duration - (0.4 - 0.1f64.sqrt()) / 0.2).abs() < 1e-7,
        "{}",
        first.duration
    );
    // Only x stays on its surface, u = z + v/2 with v = -1 below it or v = 1 above: y' = -0.1 - 2 u v.
    assert_eq!(run.segments.len(), 2, "{}", run.describe(&declared));
    let name = &declared.modes[run.segments[1].mode].name;
    let v = if name == "p0,q+" { 1.0 } else { -1.0 };
    assert!(name == "p0,q+" || name == "p0,q-", "{name}");
    let (z0, left) = (0.1f64.sqrt(), 1.5 - first.duration);
    let mean = z0 - 0.1 * left + 0.5 * v;
    assert!(
        (x[1] - left * (-0.1 - 2.0 * v * mean)).abs() < 1e-7 && x[0].abs() < 1e-12,
        "{x:?} {name}"
    );
    assert!(x[1] * v > 0.0, "{x:?} {name}");
}

#[test]
fn motion_that_slides_on_one_surface_may_go_on_along_the_other() {
    let declared = system(
        r#"Filippov(states: ["x", "y", "z"], surfaces: {"p": "x", "q": "y"},
            equations: ["x' = -sgn(p)", "y' = -0.5*(1 - sgn(p))*sgn(q) + 0.5*(1 + sgn(p))*(3.25 - 0.25*sgn(q))", "z' = 1"],
            start: {"x": -1, "y": 0.2})"#,
    );
    let (x, run) = end(&declared, 2.0);
    // y = 0 at t = 0.2, x = 0 at t = 1, and then y' = (-1 + 3)/2 on x = 0.
    assert!(
        x[0].abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-10,
        "{x:?} {}",
        run.describe(&declared)
    );
}

#[test]
fn two_states_may_rest_on_two_surfaces() {
    let declared = system(
        r#"Filippov(states: ["x", "y"], surfaces: {"p": "x", "q": "y"}, equations: ["x' = -sgn(p)", "y' = -sgn(q)"], start: {"x": 1, "y": 2})"#,
    );
    let (x, run) = end(&declared, 3.0);
    assert!(x.iter().all(|v| v.abs() < 1e-12), "{x:?} {}", run.describe(&declared));
}

/// On y = 0 for x > 0 the field points away from the surface on both sides, and a motion that comes along it from x < 0 may
/// leave it on either.
#[test]
fn where_several_motions_are_solutions_they_are_told() {
    let declared = system(
        r#"Filippov(states: ["x", "y"], surfaces: {"p": "x", "q": "y"}, start: {"x": -0.5, "y": 0.1},
            fields: {"--": ["x' = 1", "y' = 1"], "-+": ["x' = 1", "y' = -1"], "+-": ["x' = 1", "y' = -1"], "++": ["x' = 1", "y' = 2"]})"#,
    );
    let p = declared.default_parameters();
    let run = |policy| {
        let options = SimulationOptions {
            t_end: 1.0,
            policy,
            ..SimulationOptions::default()
        };
        let mode = declared.mode("p-,q+").unwrap();
        simulate(&declared, mode, &[-0.5, 0.1], &p, &options).unwrap()
    };
    let [up, down] = [NonUniqueness::Stick, NonUniqueness::Slip].map(run);
    assert_eq!(up.nonunique.len(), 1);
    assert!((up.nonunique[0].t - 0.5).abs() < 1e-12);
    let last = |run: &Trajectory| run.segments.last().unwrap().end[1];
    assert!(
        (last(&up) - 1.0).abs() < 1e-12 && (last(&down) + 0.5).abs() < 1e-12,
        "{} {}",
        last(&up),
        last(&down)
    );
}

/// A motion on two surfaces that comes to a third one goes on along two of them, or off, or ends with the reason.
#[test]
fn motion_on_two_surfaces_meets_a_third_one() {
    let of = |third: &str| {
        system(&format!(
            r#"Filippov(states: ["x", "y", "z", "w"], surfaces: {{"p": "x", "q": "y", "r": "z"}},
                equations: ["x' = -sgn(p) + 0.3*sgn(r)", "y' = -sgn(q) + 0.8*(1 + sgn(r))", "z' = {third}", "w' = sgn(p)"],
                start: {{"x": 0.1, "y": 0.1, "z": -0.5}})"#
        ))
    };
    // Beyond z = 0 only x stays on its surface, with the sign 0.3: y' = 0.6.
    let declared = of("1");
    let (x, run) = end(&declared, 2.0);
    let name = &declared.modes[run.segments.last().unwrap().mode].name;
    assert_eq!(name, "p0,q+,r+", "{}", run.describe(&declared));
    assert!(
        x[0].abs() < 1e-12 && (x[1] - 0.9).abs() < 1e-12 && (x[2] - 1.5).abs() < 1e-12,
        "{x:?}"
    );
    // On all three no motion is made.
    let declared = of("-sgn(r)");
    let p = declared.default_parameters();
    let mode = declared.mode("p-,q-,r-").unwrap();
    let options = SimulationOptions {
        t_end: 2.0,
        ..SimulationOptions::default()
    };
    let run = simulate(&declared, mode, &[-0.1, -0.1, -0.5, 0.0], &p, &options).unwrap();
    let Ending::Outside { message } = &run.ending else {
        panic!("{:?}", run.ending)
    };
    assert!(message.contains("p0,q0,r0"), "{message}");
}

/// Signs replaced by steep slopes, by classical Runge-Kutta steps.
fn regularised(fields: &[[f64; 2]; 4], start: [f64; 2], time: f64, widths: [f64; 2]) -> [f64; 2] {
    let rate = |x: [f64; 2]| {
        let [u, v] = [0, 1].map(|i| (x[i] / widths[i]).clamp(-1.0, 1.0));
        let weights = [
            (1.0 - u) * (1.0 - v),
            (1.0 - u) * (1.0 + v),
            (1.0 + u) * (1.0 - v),
            (1.0 + u) * (1.0 + v),
        ];
        [0, 1].map(|i| weights.iter().zip(fields).map(|(w, f)| 0.25 * w * f[i]).sum::<f64>())
    };
    let h = 0.2 * widths[0].min(widths[1]);
    let moved = |x: [f64; 2], k: [f64; 2], part: f64| [x[0] + part * h * k[0], x[1] + part * h * k[1]];
    let mut x = start;
    for _ in 0..(time / h).round() as usize {
        let a = rate(x);
        let b = rate(moved(x, a, 0.5));
        let c = rate(moved(x, b, 0.5));
        let d = rate(moved(x, c, 1.0));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
    }
    x
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A constant field in every quadrant: the motion is that of steep slopes in place of the signs, where this does
    /// not depend on how steep they are.
    #[test]
    fn motions_of_two_surfaces_are_those_of_steep_slopes(
        numbers in prop::collection::vec(prop_oneof![-1.0..-0.05f64, 0.05..1.0f64], 8), start in prop::collection::vec(-1.0..1.0f64, 2),
    ) {
        let fields: Vec<[f64; 2]> = numbers.chunks(2).map(|f| [f[0], f[1]]).collect();
        let fields: [[f64; 2]; 4] = fields.try_into().unwrap();
        let start = [start[0], start[1]];
        prop_assume!(start.iter().all(|x| x.abs() > 0.1));
        let nearer = regularised(&fields, start, 3.0, [1e-4, 1e-4]);
        for widths in [[2e-4, 2e-4], [3e-4, 1e-4], [1e-4, 3e-4]] {
            let near = regularised(&fields, start, 3.0, widths);
            prop_assume!((0..2).all(|i| (near[i] - nearer[i]).abs() < 2e-3));
        }
        let [a, b, c, d] = fields.map(|f| format!("[\"x' = {:?}\", \"y' = {:?}\", \"z' = 1\"]", f[0], f[1]));
        let declared = system(&format!(
            r#"Filippov(states: ["x", "y", "z"], surfaces: {{"p": "x", "q": "y"}},
                fields: {{"--": {a}, "-+": {b}, "+-": {c}, "++": {d}}}, start: {{"x": {:?}, "y": {:?}}})"#,
            start[0], start[1],
        ));
        let (x, run) = end(&declared, 3.0);
        // Where several motions are solutions the first was followed, and said so.
        prop_assume!(run.nonunique.is_empty());
        for i in 0..2 {
            prop_assert!((x[i] - nearer[i]).abs() < 5e-3, "{x:?} {nearer:?} {}", run.describe(&declared));
        }
    }
}
