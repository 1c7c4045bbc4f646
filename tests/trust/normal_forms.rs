//! Coefficients of normal forms: closed forms, and invariance under changes of coordinates.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::map_forms::{Doubling, Rotation};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// The number behind `name = ` in a message.
pub(crate) fn coefficient(message: &str, name: &str) -> Option<f64> {
    let words = message.split(&format!("{name} = ")).nth(1)?;
    let number: String = words
        .chars()
        .take_while(|c| !c.is_whitespace() && !",;)".contains(*c))
        .collect();
    number.parse().ok()
}

/// A study that traces equilibria or fixed points of a system `u' = fields` from `start` over q in (-1, 1), from q =
/// `from`.
fn study(coordinates: &Coordinates, kind: &str, fields: &[String], start: &[f64], from: f64) -> String {
    let (system, orbit) = match kind {
        "Map" => (coordinates.map(fields, from), "FixedPoint"),
        _ => (coordinates.smooth(fields, from), "Equilibrium"),
    };
    format!(
        "Study(title: \"normal form\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: Guess(at: {{\"p\": {:?}}}, \
         states: [{}]), free: \"p\", range: ({:?}, {:?}))])",
        coordinates.parameter * from,
        coordinates.states_text(start),
        -coordinates.parameter,
        coordinates.parameter,
    )
}

/// Random polynomial terms of second and third order in u1 and u2, with their coefficients: uu, uv, vv, uuu, uuv, uvv,
/// vvv.
fn cubic(random: &mut Random) -> ([f64; 7], String) {
    let c: [f64; 7] = std::array::from_fn(|_| random.between(-1.0, 1.0));
    let terms = ["u1^2", "u1*u2", "u2^2", "u1^3", "u1^2*u2", "u1*u2^2", "u2^3"];
    let text = terms.iter().zip(c).map(|(t, c)| format!("({c:?})*{t}"));
    (c, text.collect::<Vec<_>>().join(" + "))
}

/// Guckenheimer and Holmes (3.4.11): with u' = -ω v + f, v' = ω u + g the amplitude obeys r' = a r³; then l1 = 2a/ω in
/// orthonormal coordinates.
fn planar(omega: f64, f: &[f64; 7], g: &[f64; 7]) -> f64 {
    let (fuu, fuv, fvv, fuuu, fuvv) = (2.0 * f[0], f[1], 2.0 * f[2], 6.0 * f[3], 2.0 * f[5]);
    let (guu, guv, gvv, guuv, gvvv) = (2.0 * g[0], g[1], 2.0 * g[2], 2.0 * g[4], 6.0 * g[6]);
    (fuuu + fuvv + guuv + gvvv) / 16.0
        + (fuv * (fuu + fvv) - guv * (guu + gvv) - fuu * guu + fvv * gvv) / (16.0 * omega)
}

/// The square of the length of the unit vector (1, -i)/√2 of the plane (u1, u2) in other coordinates: coefficients of
/// third order are divided by it.
pub(crate) fn stretched(coordinates: &Coordinates) -> f64 {
    let square = |v: Vec<f64>| v.iter().map(|x| x * x).sum::<f64>();
    let n = coordinates.matrix.len();
    let unit = |k: usize| coordinates.states(&(0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<_>>());
    0.5 * (square(unit(0)) + square(unit(1)))
}

/// The length of the first unit vector in other coordinates.
pub(crate) fn first_length(coordinates: &Coordinates) -> f64 {
    let n = coordinates.matrix.len();
    let unit: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == 0))).collect();
    coordinates.states(&unit).iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Stable directions beside the first `taken` states, in steps that are not equal.
pub(crate) fn stable(random: &mut Random, taken: usize, n: usize, map: bool) -> Vec<String> {
    (taken..n)
        .map(|i| {
            let rate = if map {
                random.between(-0.8, 0.8)
            } else {
                -random.log_between(0.2, 8.0)
            };
            format!("({rate:?})*u{}", i + 1)
        })
        .collect()
}

/// One label of this kind with this coefficient and word; what is wrong with the member, if anything is.
fn judge(
    text: &str,
    parameter: f64,
    known: (Label, f64),
    expected: &[(&str, f64, f64)],
    words: &[&str],
) -> Option<String> {
    let result = run(text);
    let traced = curve(&result, "c");
    let all = labels(traced);
    let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, l.1 / parameter)).collect();
    let verdict = Verdict::of(&found, &[known], 1e-9);
    if !verdict.is_right() {
        return Some(format!("{verdict:?}\n{text}"));
    }
    let point: &BranchPoint = all[0].2;
    for &(name, value, tolerance) in expected {
        let said = coefficient(&point.message, name);
        if said.is_none_or(|v| (v - value).abs() > tolerance * value.abs()) {
            return Some(format!("{name} is {value:?}, not {said:?}: {}\n{text}", point.message));
        }
    }
    let missing = words.iter().find(|w| !point.message.contains(**w));
    missing.map(|w| format!("not `{w}`: {}\n{text}", point.message))
}

/// Look at members of a class: `member` says what is wrong with one.
pub(crate) fn class(name: &str, few: usize, member: impl Fn(&mut Random) -> Option<String>) {
    let count = members(few);
    let wrong: Vec<(usize, String)> = (0..count)
        .filter_map(|k| Some((k, member(&mut Random::of(name, k))?)))
        .collect();
    none_wrong(name, count, &wrong);
}

/// Hopf points with random quadratic and cubic terms in 2 to 4 states: place, sign and value of l1, in random linear
/// coordinates and scales.
#[test]
fn hopf_points() {
    class("Hopf points", 24, |random| {
        let n = 2 + random.below(3);
        let (omega, q0) = (random.log_between(0.2, 5.0), random.between(-0.5, 0.5));
        let ((f, first), (g, second)) = (cubic(random), cubic(random));
        let l1 = 2.0 * planar(omega, &f, &g) / omega;
        let mut fields = vec![
            format!("(q - ({q0:?}))*u1 - ({omega:?})*u2 + {first}"),
            format!("({omega:?})*u1 + (q - ({q0:?}))*u2 + {second}"),
        ];
        fields.extend(stable(random, 2, n, false));
        let coordinates = Coordinates::random(random, n, [7.0, 9.0, 5.0]);
        let text = study(&coordinates, "Smooth", &fields, &vec![0.0; n], -0.9);
        // In scaled coordinates the vector is of length one there.
        let scaled = l1 / stretched(&coordinates);
        let word = if l1 < 0.0 { "supercritical" } else { "subcritical" };
        // The curve away from the Hopf point may have folds of its own; the origin is followed, which has none.
        judge(
            &text,
            coordinates.parameter,
            (Label::HB, q0),
            &[("l1", scaled, 1e-8)],
            &[word],
        )
    });
}

/// Oscillators x'' + k x = m x' + terms of second and third order, in their own coordinates: the Jacobian [[0, 1], [-k,
/// m]] is what decompositions fail at.
#[test]
fn oscillators() {
    class("oscillators", 24, |random| {
        let k = if random.below(2) == 0 {
            1.0
        } else {
            random.log_between(0.2, 5.0)
        };
        let omega = f64::sqrt(k);
        let c: [f64; 7] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        // With v = ω w: x' = ω w, w' = -ω x + (m ω w + c₀ x² + c₁ x v + …)/ω; turned round by w = -u2.
        let w = omega;
        let g = [c[0] / w, c[1], c[2] * w, c[3] / w, c[4], c[5] * w, c[6] * w * w];
        // u1 = x, u2 = -w: u1' = -ω u2, u2' = ω u1 - g(u1, -u2).
        let turned = [-g[0], g[1], -g[2], -g[3], g[4], -g[5], g[6]];
        // Amplitude in x and w; the unit vector is (1, iω) in x and v.
        let l1 = 2.0 * planar(omega, &[0.0; 7], &turned) / omega * 2.0 / (1.0 + k);
        let terms = ["x^2", "x*v", "v^2", "x^3", "x^2*v", "x*v^2", "v^3"];
        let text: Vec<String> = terms.iter().zip(c).map(|(t, c)| format!("({c:?})*{t}")).collect();
        let text = format!(
            "Study(title: \"oscillator\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"m\": -0.9}}, equations: [\"x' = v\", \
             \"v' = -({k:?})*x + m*v + {}\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"m\": -0.9}}, \
             states: [{{\"x\": 0, \"v\": 0}}]), free: \"m\", range: (-1, 1))])",
            text.join(" + ")
        );
        let word = if l1 < 0.0 { "supercritical" } else { "subcritical" };
        judge(&text, 1.0, (Label::HB, 0.0), &[("l1", l1, 1e-8)], &[word])
    });
}

/// Folds u1' = q - q0 + a u1² (beside quadratic couplings to stable directions): |a|, whatever the coordinates.
#[test]
fn folds() {
    class("folds of normal form", 16, |random| {
        let n = 1 + random.below(4);
        let (q0, a) = (random.between(-0.5, 0.5), random.log_between(0.2, 5.0));
        let mut fields = vec![format!("q - ({q0:?}) - ({a:?})*u1^2")];
        fields.extend(stable(random, 1, n, false).iter().map(|s| format!("{s} + 0.3*u1^2")));
        let coordinates = Coordinates::random(random, n, [7.0, 9.0, 5.0]);
        let mut start = vec![0.0; n];
        start[0] = ((0.9 - q0) / a).sqrt();
        let text = study(&coordinates, "Smooth", &fields, &start, 0.9);
        let result = run(&text);
        let all = labels(curve(&result, "c"));
        let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, l.1 / coordinates.parameter)).collect();
        let verdict = Verdict::of(&found, &[(Label::LP, q0)], 1e-9);
        if !verdict.is_right() {
            return Some(format!("{verdict:?}\n{text}"));
        }
        let said = coefficient(&all[0].2.message, "a")?;
        let wanted = a / first_length(&coordinates) / coordinates.time;
        ((said.abs() / wanted - 1.0).abs() > 1e-8).then(|| format!("a is {wanted:?}: {}\n{text}", all[0].2.message))
    });
}

/// Pitchforks u1' = (q - q0) u1 + b u1³ + κ u1 u2, u2' = -λ u2 + c u1²: the cubic coefficient b + κ c/λ; and
/// transcritical points.
#[test]
fn crossings() {
    class("crossings", 24, |random| {
        let n = 2 + random.below(3);
        let (q0, b, c, kappa) = (
            random.between(-0.5, 0.5),
            random.between(-2.0, 2.0),
            random.between(-1.0, 1.0),
            random.between(-1.0, 1.0),
        );
        let (rate, a) = (
            random.log_between(0.3, 5.0),
            random.sign() * random.log_between(0.2, 2.0),
        );
        let pitchfork = random.below(2) == 0;
        let quadratic = if pitchfork { 0.0 } else { a };
        let mut fields = vec![
            format!("(q - ({q0:?}))*u1 + ({quadratic:?})*u1^2 + ({b:?})*u1^3 + ({kappa:?})*u1*u2"),
            format!("-({rate:?})*u2 + ({c:?})*u1^2"),
        ];
        fields.extend(stable(random, 2, n, false));
        let coordinates = Coordinates::random(random, n, [7.0, 9.0, 5.0]);
        let text = study(&coordinates, "Smooth", &fields, &vec![0.0; n], -0.9);
        let length = first_length(&coordinates);
        let cubic = b + kappa * c / rate;
        let sign = if cubic < 0.0 { "supercritical" } else { "subcritical" };
        let (expected, words) = if pitchfork {
            (
                vec![("b", cubic / (length * length) / coordinates.time, 1e-8)],
                vec!["pitchfork", sign],
            )
        } else {
            (vec![], vec!["transcritical"])
        };
        judge(&text, coordinates.parameter, (Label::BP, q0), &expected, &words)
    });
}

/// Doublings u1 → -(1 + q - q0) u1 + α u1² + β u1³ of maps: c = α² + β.
#[test]
fn doublings() {
    class("doublings", 24, |random| {
        let n = 1 + random.below(4);
        let Doubling { q0, field, c, word } = Doubling::random(random);
        let mut fields = vec![field];
        fields.extend(stable(random, 1, n, true));
        let coordinates = Coordinates::random(random, n, [7.0, 9.0, 0.0]);
        let text = study(&coordinates, "Map", &fields, &vec![0.0; n], -0.9);
        let wanted = c / first_length(&coordinates).powi(2);
        judge(
            &text,
            coordinates.parameter,
            (Label::PD, q0),
            &[("c", wanted, 1e-8)],
            &[word],
        )
    });
}

/// Neimark–Sacker points z → (1 + q - q0) e^{iθ} z (1 + d |z|²) of maps: Re d, times two for the unit vector of length
/// one.
#[test]
fn invariant_curves() {
    class("invariant curves", 24, |random| {
        let n = 2 + random.below(3);
        let Rotation {
            q0,
            mut fields,
            d,
            word,
        } = Rotation::random(random);
        fields.extend(stable(random, 2, n, true));
        let coordinates = Coordinates::random(random, n, [7.0, 9.0, 0.0]);
        let text = study(&coordinates, "Map", &fields, &vec![0.0; n], -0.9);
        let wanted = d / stretched(&coordinates);
        judge(
            &text,
            coordinates.parameter,
            (Label::NS, q0),
            &[("d", wanted, 1e-8)],
            &[word],
        )
    });
}

/// Terms with a factor that is zero at the bifurcation itself, as in van der Pol's oscillator u'' = μ (1 - u²) u' - u:
/// the coefficient there is zero, and the sign that rounding leaves decides nothing.
#[test]
fn factors_that_vanish_at_the_bifurcation_decide_nothing() {
    class("vanishing factors", 18, |random| {
        let kind = random.below(3);
        let n = 2 + random.below(3);
        let (q0, omega) = (random.between(-0.5, 0.5), random.log_between(0.3, 3.0));
        let ((_, first), (_, second)) = (cubic(random), cubic(random));
        let (c, s) = (omega.cos(), omega.sin());
        let (label, of, mut fields) = match kind {
            0 => (
                Label::HB,
                "Smooth",
                vec![
                    format!("(q - ({q0:?}))*(u1 + {first}) - ({omega:?})*u2"),
                    format!("(q - ({q0:?}))*(u2 + {second}) + ({omega:?})*u1"),
                ],
            ),
            1 => (
                Label::NS,
                "Map",
                vec![
                    format!("(q - ({q0:?}))*(({c:?})*u1 - ({s:?})*u2 + {first}) + ({c:?})*u1 - ({s:?})*u2"),
                    format!("(q - ({q0:?}))*(({s:?})*u1 + ({c:?})*u2 + {second}) + ({s:?})*u1 + ({c:?})*u2"),
                ],
            ),
            _ => (
                Label::PD,
                "Map",
                vec![format!("-u1 - (q - ({q0:?}))*(u1 + {first})"), "0.3*u2".to_owned()],
            ),
        };
        fields.extend(stable(random, 2, n, of == "Map"));
        let coordinates = Coordinates::random(random, n, [7.0, 9.0, if of == "Map" { 0.0 } else { 5.0 }]);
        let text = study(&coordinates, of, &fields, &vec![0.0; n], -0.9);
        judge(&text, coordinates.parameter, (label, q0), &[], &["degenerate: the "])
    });
}

/// Conservative systems: x_i'' = -∂V/∂x_i with a random potential, in random linear coordinates. Their pairs stay on
/// the imaginary axis: no Hopf point.
#[test]
fn conservative_equilibria() {
    class("conservative equilibria", 16, |random| {
        let m = 1 + random.below(2);
        // V = Σ kᵢ xᵢ²/2 + couplings of third and fourth order + q-dependent force.
        let k: Vec<f64> = (0..m).map(|_| random.log_between(0.3, 3.0)).collect();
        let (a, b, force) = (
            random.between(0.0, 0.3),
            random.log_between(0.1, 1.0),
            random.between(0.1, 0.6),
        );
        let x = |i: usize| format!("u{}", i + 1);
        let mut fields: Vec<String> = (0..m).map(|i| format!("u{}", m + i + 1)).collect();
        for i in 0..m {
            let other = (i + 1) % m;
            let coupling = if m == 2 {
                format!(" + ({a:?})*({} - {})", x(other), x(i))
            } else {
                String::new()
            };
            fields.push(format!(
                "-({:?})*{} - ({b:?})*{}^3{coupling} + ({force:?})*q",
                k[i],
                x(i),
                x(i)
            ));
        }
        let coordinates = Coordinates::random(random, 2 * m, [6.0, 6.0, 4.0]);
        let text = study(&coordinates, "Smooth", &fields, &vec![0.0; 2 * m], 0.0);
        let result = run(&text);
        let traced = curve(&result, "c");
        let all = labels(traced);
        let found: Vec<String> = all.iter().map(|l| format!("{} at {:?}", l.0, l.1)).collect();
        let said = traced.note.contains("neutral");
        (!found.is_empty() || !said).then(|| format!("{found:?}, note `{}`\n{text}", traced.note))
    });
}

/// Maps that preserve areas: u1 → 2cos(2πν(q)) u1 - u2 + terms of higher order in u1, u2 → u1, in random linear
/// coordinates. No Neimark–Sacker point; the doubling where the trace is -2 stays.
#[test]
fn conservative_maps() {
    class("conservative maps", 16, |random| {
        let (a, b) = (random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let q0 = random.between(-0.5, 0.5);
        // Trace 2 - (q - q0 + 2) - …: -2 at q = q0 + 2 - … ; slope 2 in q.
        let fields = vec![
            format!("(-2 - 1.3*(q - ({q0:?})))*u1 - u2 + ({a:?})*u1^2 + ({b:?})*u1^3"),
            "u1".to_owned(),
        ];
        let coordinates = Coordinates::random(random, 2, [6.0, 6.0, 0.0]);
        let text = study(&coordinates, "Map", &fields, &[0.0, 0.0], -0.9);
        judge(&text, coordinates.parameter, (Label::PD, q0), &[], &[])
    });
}

/// A conservative oscillator beside one that has a Hopf point: that one is found, and only that one.
#[test]
fn hopf_beside_a_neutral_pair() {
    class("Hopf beside a neutral pair", 16, |random| {
        let (omega, other, q0) = (
            random.log_between(0.3, 3.0),
            random.log_between(4.0, 9.0),
            random.between(-0.5, 0.5),
        );
        let fields = vec![
            format!("(q - ({q0:?}))*u1 - ({omega:?})*u2 - u1*(u1^2+u2^2)"),
            format!("({omega:?})*u1 + (q - ({q0:?}))*u2 - u2*(u1^2+u2^2)"),
            "u4".to_owned(),
            format!("-({:?})*u3", other * other),
        ];
        let coordinates = Coordinates::random(random, 4, [6.0, 6.0, 4.0]);
        let text = study(&coordinates, "Smooth", &fields, &[0.0; 4], -0.9);
        judge(&text, coordinates.parameter, (Label::HB, q0), &[], &[])
    });
}

/// Drag that is a quadratic force against the motion, and other terms of which the second or third derivatives jump at
/// the point itself, in random coordinates: what is born is on the side that averaging says.
#[test]
fn hopf_points_and_doublings_with_drag_are_on_the_side_that_averaging_says() {
    let class = "drag";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b, w) = (
            random.sign() * random.between(0.2, 1.0),
            random.sign() * random.between(0.2, 1.0),
            random.between(0.7, 1.5),
        );
        let (kind, fields, label, grows) = match member % 4 {
            0 => (
                "Smooth",
                vec![
                    "u2".into(),
                    format!("q*u2 - {:?}*u1 + ({a:?})*u2*abs(u2) + ({b:?})*u2^3", w * w),
                ],
                Label::HB,
                a > 0.0,
            ),
            // |u|³ has no part in the mean.
            1 => (
                "Smooth",
                vec![
                    format!("q*u1 - {w:?}*u2 + ({a:?})*u1^2*abs(u1) + ({b:?})*u1^3"),
                    format!("{w:?}*u1 + q*u2"),
                ],
                Label::HB,
                b > 0.0,
            ),
            2 => (
                "Map",
                vec![format!("-(1 + q)*u1 - ({a:?})*u1*abs(u1) + ({b:?})*u1^3")],
                Label::PD,
                a > 0.0,
            ),
            _ => {
                let factor = format!("(1 + q + ({a:?})*abs(u1) + ({b:?})*(u1^2 + u2^2))");
                let (sin, cos) = w.sin_cos();
                (
                    "Map",
                    vec![
                        format!("{factor}*({cos:?}*u1 - {sin:?}*u2)"),
                        format!("{factor}*({sin:?}*u1 + {cos:?}*u2)"),
                    ],
                    Label::NS,
                    a > 0.0,
                )
            }
        };
        let n = fields.len();
        let coordinates = Coordinates::random(&mut random, n, [3.0, 3.0, if kind == "Map" { 0.0 } else { 3.0 }]);
        let text = study(&coordinates, kind, &fields, &vec![0.0; n], -0.35);
        let result = run(&text);
        let found = labels(curve(&result, "c"));
        let says = if grows { "subcritical" } else { "supercritical" };
        let right = |f: &&(Label, f64, &BranchPoint)| {
            f.0 == label && (f.1 / coordinates.parameter).abs() < 1e-6 && f.2.message.contains(&format!("; {says}"))
        };
        if found.iter().filter(right).count() != 1 {
            let said: Vec<String> = found
                .iter()
                .map(|f| format!("{} at {}: {}", f.0, f.1, f.2.message))
                .collect();
            wrong.push((member, format!("{said:#?}, not {says}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
