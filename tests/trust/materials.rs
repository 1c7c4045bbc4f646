//! Friction oscillators of any material: labels and multipliers against closed forms, with the discontinuous law and
//! regularised.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{CurveResult, RunResult};
use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write;

/// What a monitor, a parameter or the half map's first multiplier is at a point.
fn value(curve: &CurveResult, point: &BranchPoint, name: &str) -> f64 {
    let r = &point.record;
    if name == "nu" {
        return 10f64.powf(r.nu[0].log10) * r.nu[0].arg.cos();
    }
    let parameter = curve.parameters.iter().position(|p| p == name);
    let monitor = || curve.monitors.iter().position(|m| m == name);
    parameter.map_or_else(|| r.monitors[monitor().unwrap()], |i| r.parameters[i])
}

/// A symmetric slip–stick orbit with slip of the duration `t` at Ω, from the closed form of slip: sin θ0 and cos θ0
/// from the two linear equations y(t) = 0, x(t) = -x(0), and the multiplier ν of the half map.
struct ClosedForm {
    sine: f64,
    cosine: f64,
    nu: f64,
}

impl ClosedForm {
    fn of(omega: f64, t: f64, mu_s: f64, mu_d: f64) -> Self {
        let square = omega * omega;
        let detuning = square - 1.0;
        let (si, co) = (omega * t).sin_cos();
        let (st, ct) = t.sin_cos();
        // x = A cos Ωt + B sin Ωt - sin(θ0 + t)/(Ω² - 1) + μd/Ω² with A = K + k sin θ0 and B = cos θ0/(Ω (Ω² - 1)).
        let (k, offset) = (1.0 / detuning - 1.0 / square, (mu_s - mu_d) / square);
        let rows = [
            [
                -k * omega * si + st / detuning,
                (co - ct) / detuning,
                offset * omega * si,
            ],
            [
                k * co - ct / detuning - 1.0 / square,
                si / (omega * detuning) - st / detuning,
                -(offset * co + (mu_d + mu_s) / square),
            ],
        ];
        let det = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0];
        let sine = (rows[0][2] * rows[1][1] - rows[0][1] * rows[1][2]) / det;
        let cosine = (rows[0][0] * rows[1][2] - rows[1][0] * rows[0][2]) / det;
        // θ0 decides where slip ends; sticking goes on until -Ω² x + sin θ = μs again.
        let by_onset = k * cosine * co - sine * si / (omega * detuning) - (cosine * ct - sine * st) / detuning;
        Self {
            sine,
            cosine,
            nu: square * by_onset / cosine,
        }
    }
}

fn stiction(mu_s: f64, mu_d: f64, keys: &str) -> String {
    let mut text = format!("Study(title: \"t\", system: Stiction(mu_s: {mu_s:?}, mu_d: {mu_d:?}), curves: [");
    for (name, at, range) in [("stiff", 2.0, "(1.0, 15.0)"), ("compliant", 0.5, "(0.3, 1.0)")] {
        write!(
            text,
            "Curve(name: \"{name}\", orbit: Symmetric(\"slip- stick\"), start: All(at: {{\"Omega\": {at}}}), free: \"Omega\", range: {range}, {keys}),"
        )
        .unwrap();
    }
    text + "])"
}

/// The family of the regularised oscillator with this material and ε, from a slip–stick orbit at Ω = 2, with further
/// keys.
fn regularised([mu_s, mu_d, delta, epsilon]: [f64; 4], range: (f64, f64), keys: &str) -> String {
    format!(
        "Study(title: \"t\", system: RegularisedStiction(mu_s: {mu_s:?}, mu_d: {mu_d:?}, delta: {delta:?}, epsilon: {epsilon:?}), curves: [Curve(name: \"family\", \
         orbit: Symmetric(\"slip- layer\"), start: Settle(at: {{\"Omega\": 2.0}}, from: {{\"x\": 1.0}}), free: \"Omega\", range: {range:?}{keys})])"
    )
}

/// What is wrong with one curve, from the closed forms.
fn faults(c: &CurveResult) -> Vec<String> {
    let mut wrong = vec![];
    let mut counted = [0i32; 2];
    let mut before: Option<f64> = None;
    for (_, _, p) in c.points() {
        let at = |name: &str| value(c, p, name);
        let (omega, mu_s, mu_d, t) = (at("Omega"), at("mu_s"), at("mu_d"), PI - at("stick"));
        let exact = ClosedForm::of(omega, t, mu_s, mu_d);
        let mut hold = |what: &str, found: f64, wanted: f64, tolerance: f64| {
            if (found - wanted).abs() > tolerance * wanted.abs().max(1.0) {
                wrong.push(format!(
                    "{} {:?} at Ω = {omega}: {what} is {found}, not {wanted}",
                    c.name, p.label
                ));
            }
        };
        for (nu, mu) in p.record.nu.iter().zip(&p.record.multipliers) {
            hold("μ = ν²", mu.log10, 2.0 * nu.log10, 1e-12);
        }
        match p.label {
            Some(Label::LP) => hold("ν", exact.nu, 1.0, 1e-9),
            Some(Label::SB) => hold("ν", exact.nu, -1.0, 1e-9),
            Some(Label::VT) => hold("θ0", at("theta0"), FRAC_PI_2, 1e-9),
            Some(Label::MX) => hold("MX", f64::NAN, 0.0, -1.0),
            Some(Label::BP | Label::PD | Label::NS | Label::HB) => {
                hold("a label that no closed form has", 1.0, 0.0, 0.0)
            }
            _ => {}
        }
        match p.label {
            Some(Label::LP) => counted[0] += 1,
            Some(Label::SB) => counted[1] += 1,
            // The closed form divides by Ω² - 1, and by cos θ0, which vanishes at the tangency.
            _ if (omega - 1.0).abs() > 1e-3 && exact.cosine.abs() > 1e-3 && t < PI - 1e-6 => {
                hold("sin θ0", at("theta0").sin(), exact.sine, 1e-8);
                hold("cos θ0", at("theta0").cos(), exact.cosine, 1e-8);
                hold("ν", at("nu"), exact.nu, 1e-7);
                if let Some(last) = before {
                    for (side, count) in [1.0, -1.0].into_iter().zip(&mut counted) {
                        let passed = (last - side) * (exact.nu - side) < 0.0 && last.abs().max(exact.nu.abs()) < 1e3;
                        *count -= i32::from(passed);
                    }
                }
                before = Some(exact.nu);
            }
            _ => {}
        }
    }
    if counted != [0, 0] {
        wrong.push(format!(
            "{}: LP and SB told less those of the closed form: {counted:?}",
            c.name
        ));
    }
    wrong
}

fn material(random: &mut Random) -> (f64, f64) {
    let mu_s = random.log_between(1.001, 2.5);
    (mu_s, mu_s * random.between(0.03, 0.97))
}

#[test]
fn discontinuous_orbits_of_any_material_are_those_of_the_closed_form() {
    let class = "materials: discontinuous";
    let count = members(5);
    let mut wrong = vec![];
    for i in 0..count {
        let (mu_s, mu_d) = material(&mut Random::of(class, i));
        let result = run(&stiction(mu_s, mu_d, ""));
        for what in result.curves.iter().flat_map(faults) {
            wrong.push((i, format!("μs = {mu_s}, μd = {mu_d}: {what}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The labelled places of all curves.
fn places(result: &RunResult) -> Vec<(String, Label, f64)> {
    let mut all = vec![];
    for c in &result.curves {
        let labelled = c.points().filter_map(|(_, _, p)| Some((p.label?, p.point.parameter())));
        all.extend(labelled.map(|(label, at)| (c.name.clone(), label, at)));
    }
    all.sort_by(|a, b| (&a.0, a.1.code()).cmp(&(&b.0, b.1.code())).then(a.2.total_cmp(&b.2)));
    all
}

#[test]
fn labels_of_any_material_do_not_depend_on_how_it_is_traced() {
    let class = "materials: steps";
    let count = members(2);
    let mut wrong = vec![];
    for i in 0..count {
        let mut random = Random::of(class, i);
        let (mu_s, mu_d) = material(&mut random);
        let keys = [
            format!("step: Step(largest: {:?}),", random.log_between(0.02, 2.0)),
            format!("step: Step(initial: {:?}),", random.log_between(1e-4, 3.0)),
            format!("step: Step(turn: {:?}),", random.log_between(0.02, 0.4)),
        ];
        let wanted = places(&run(&stiction(mu_s, mu_d, "")));
        for keys in keys {
            let found = places(&run(&stiction(mu_s, mu_d, &keys)));
            let agree = found.len() == wanted.len()
                && found
                    .iter()
                    .zip(&wanted)
                    .all(|(a, b)| a.0 == b.0 && a.1 == b.1 && (a.2 - b.2).abs() <= 1e-9 * b.2.abs());
            if !agree {
                wrong.push((
                    i,
                    format!("μs = {mu_s}, μd = {mu_d}, {keys} {found:?} instead of {wanted:?}"),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// The family of the regularised oscillator has the symmetry breaking of the discontinuous one at a distance of order
/// ε^(2/3), since each orbit passes a fold of the critical manifold between stick and slip; and its multipliers obey
/// Liouville.
#[test]
fn the_regularised_twin_of_any_material_converges_at_the_order_of_a_passed_fold() {
    let class = "materials: regularised";
    let count = members(2);
    let mut wrong = vec![];
    for i in 0..count {
        let mut random = Random::of(class, i);
        let (mu_s, mu_d, delta) = (
            random.between(1.06, 1.14),
            random.between(0.35, 0.45),
            random.between(0.57, 0.63),
        );
        let breaking = |c: &CurveResult, range: (f64, f64)| {
            let at = c.points().map(|(_, _, p)| (p.label, p.point.parameter()));
            let inside = at.filter(|(label, at)| *label == Some(Label::SB) && range.0 < *at && *at < range.1);
            inside.map(|(_, at)| at).collect::<Vec<_>>()
        };
        let limit = breaking(curve(&run(&stiction(mu_s, mu_d, "")), "stiff"), (1.0, 5.0));
        let [limit] = limit[..] else { continue };
        let near = (limit - 0.1, limit + 0.3);
        let mut distances = vec![];
        for epsilon in [8e-6, 1e-6] {
            let result = run(&regularised([mu_s, mu_d, delta, epsilon], (1.45, 4.0), ""));
            let c = curve(&result, "family");
            for (_, _, p) in c.points() {
                let sum: f64 = p.record.multipliers.iter().map(|m| m.log10.abs()).sum();
                if value(c, p, "liouville") > 1e-12 * (1e3 + sum) {
                    wrong.push((i, format!("Liouville is missed by {}", value(c, p, "liouville"))));
                }
                for (nu, mu) in p.record.nu.iter().zip(&p.record.multipliers) {
                    if (mu.log10 - 2.0 * nu.log10).abs() > 1e-12 * mu.log10.abs().max(1.0) {
                        wrong.push((i, format!("μ = {mu:?} is not the square of ν = {nu:?}")));
                    }
                }
            }
            match breaking(c, near)[..] {
                [at] => distances.push(at - limit),
                ref other => wrong.push((
                    i,
                    format!("ε = {epsilon}: symmetry breaking at {other:?}, not near {limit}"),
                )),
            }
        }
        if let [coarse, fine] = distances[..] {
            // 8^(2/3) = 4, but for terms of order ε log ε.
            let order = (coarse / fine).log(8.0);
            if !((order - 2.0 / 3.0).abs() < 0.03) {
                wrong.push((
                    i,
                    format!("μs = {mu_s}, μd = {mu_d}, δ = {delta}: order {order} of {distances:?}"),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Down to ε = 10⁻⁹ the slip–stick branch above the resonance begins with a symmetry breaking next to the end of pure
/// slip and has another where the discontinuous branch has it, both at distances of order ε^(2/3).
#[test]
fn both_symmetry_breakings_of_the_regularised_branch_are_found_for_any_small_epsilon() {
    let class = "materials: small epsilon";
    let count = members(2);
    let mut wrong = vec![];
    for i in 0..count {
        let mut random = Random::of(class, i);
        let (mu_s, mu_d, delta) = (
            random.between(1.06, 1.14),
            random.between(0.35, 0.45),
            random.between(0.57, 0.63),
        );
        // Every other member is so small that durations and places are told apart by less than a millionth.
        let least = random.log_between(1e-9, if i % 2 == 0 { 4e-9 } else { 1e-6 });
        let discontinuous = run(&stiction(mu_s, mu_d, ""));
        let limits: Vec<(Option<Label>, f64)> = curve(&discontinuous, "stiff")
            .points()
            .map(|(_, _, p)| (p.label, p.point.parameter()))
            .collect();
        let slip = limits.iter().fold(f64::INFINITY, |low, (_, at)| low.min(*at));
        let breaking = limits.iter().filter(|(label, _)| *label == Some(Label::SB));
        let [(_, breaking)] = breaking.collect::<Vec<_>>()[..] else {
            continue;
        };
        let mut found = vec![];
        for epsilon in [8.0 * least, least] {
            let result = run(&regularised([mu_s, mu_d, delta, epsilon], (slip - 0.01, 30.0), ""));
            let c = curve(&result, "family");
            let labels: Vec<(Label, f64)> = c
                .points()
                .filter_map(|(_, _, p)| Some((p.label?, p.point.parameter())))
                .collect();
            match labels[..] {
                [(Label::EP, _), (Label::SB, a), (Label::SB, b), (Label::EP, _)] => {
                    found.push([a - slip, b - breaking])
                }
                _ => wrong.push((
                    i,
                    format!("μs = {mu_s}, μd = {mu_d}, δ = {delta}, ε = {epsilon}: {labels:?}"),
                )),
            }
        }
        if let [coarse, fine] = found[..] {
            for (a, b) in coarse.into_iter().zip(fine) {
                let order = (a / b).log(8.0);
                if !((order - 2.0 / 3.0).abs() < 0.03) {
                    wrong.push((
                        i,
                        format!("μs = {mu_s}, μd = {mu_d}, δ = {delta}, ε = {least}: order {order} of {found:?}"),
                    ));
                }
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// From the resonance over the fold at large Ω, where canards turn back: the fold and the symmetry breaking before it
/// lie at Ω ε^(1/2) = c₀ + c₁ ε^(1/2) + …, whose first terms are known from where ε is moderate.
#[test]
fn the_fold_of_the_canards_is_passed_for_any_small_epsilon() {
    let class = "materials: fold of the canards";
    let count = members(2);
    let mut wrong = vec![];
    for i in 0..count {
        let mut random = Random::of(class, i);
        let (mu_s, mu_d, delta) = (
            random.between(1.06, 1.14),
            random.between(0.35, 0.45),
            random.between(0.57, 0.63),
        );
        let least = random.log_between(1e-10, 1e-8);
        let mut found = vec![];
        for epsilon in [1e-6, 1e-7, least] {
            let root = f64::sqrt(epsilon);
            let result = run(&regularised([mu_s, mu_d, delta, epsilon], (1.5, 3.0 / root), ""));
            let c = curve(&result, "family");
            let labels: Vec<(Label, f64)> = c
                .points()
                .filter_map(|(_, _, p)| Some((p.label?, p.point.parameter())))
                .collect();
            match labels[..] {
                [
                    (Label::EP, from),
                    (Label::SB, slow),
                    (Label::SB, a),
                    (Label::LP, b),
                    (Label::EP, to),
                ] if from == 1.5 && slow < 2.0 && to == 1.5 => {
                    found.push([root, a * root, b * root]);
                }
                _ => wrong.push((
                    i,
                    format!("μs = {mu_s}, μd = {mu_d}, δ = {delta}, ε = {epsilon}: {labels:?}"),
                )),
            }
        }
        let [coarse, fine, last] = found[..] else { continue };
        for (k, tolerance) in [(1, 1e-4), (2, 2e-6)] {
            let slope = (coarse[k] - fine[k]) / (coarse[0] - fine[0]);
            let wanted = fine[k] + slope * (last[0] - fine[0]);
            if !((last[k] / wanted - 1.0).abs() < tolerance) {
                wrong.push((
                    i,
                    format!("μs = {mu_s}, μd = {mu_d}, δ = {delta}, ε = {least}: {found:?}, not {wanted}"),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// As the spring stiffens orbits shrink like 1/Ω², down to 10⁻¹⁴; no state is too small to be told.
#[test]
fn the_stiff_branch_of_any_material_goes_on_to_the_end_of_its_range() {
    let class = "materials: stiff";
    let count = members(4);
    let mut wrong = vec![];
    for i in 0..count {
        let mut random = Random::of(class, i);
        let (mu_s, mu_d) = (random.between(1.02, 1.3), random.between(0.3, 0.7));
        let text = stiction(mu_s, mu_d, "").replace("(1.0, 15.0)", "(1.0, 1e7)");
        let result = run(&text);
        let c = curve(&result, "stiff");
        let last = c.points().map(|(_, _, p)| p.point.parameter()).fold(0.0, f64::max);
        if !(last >= 1e7 * (1.0 - 1e-9)) || c.points().any(|(_, _, p)| p.label == Some(Label::MX)) {
            wrong.push((i, format!("μs = {mu_s}, μd = {mu_d}: ends at Ω = {last}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where slip vanishes on the small orbits of the regularised oscillator, they go on within the layer, and where these
/// touch its edge again, slip reappears: one curve from the resonance to the resonance, in about as many points for any
/// ε.
#[test]
fn orbits_within_the_layer_go_on_where_slip_reappears() {
    let class = "materials: within the layer";
    let count = members(2);
    let mut wrong = vec![];
    for i in 0..count {
        let mut random = Random::of(class, i);
        let (mu_s, mu_d, delta) = (
            random.between(1.03, 1.07),
            random.between(0.25, 0.35),
            random.between(0.55, 0.65),
        );
        let epsilon = random.log_between(1e-4, 1e-2);
        let text = regularised(
            [mu_s, mu_d, delta, epsilon],
            (0.3, 2000.0),
            ", switch: Auto, within: {\"max_abs_x\": (0, 3)}",
        );
        let result = run(&text);
        let c = curve(&result, "family");
        let labels: Vec<(Option<Label>, f64)> = c
            .points()
            .filter(|(_, _, p)| p.label.is_some())
            .map(|(_, _, p)| (p.label, p.point.parameter()))
            .collect();
        let ends = labels.iter().filter(|(label, _)| *label == Some(Label::EP)).count();
        let touches = labels.iter().filter(|(label, _)| *label == Some(Label::GR)).count();
        let points = c.points().count();
        if ends != 2 || touches > 1 || points > 1500 {
            wrong.push((i, format!("{points} points, {labels:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where trajectories stay within the layer, or settle to other words, a start that waits for slip ends with a reason.
#[test]
fn settling_at_the_smallest_epsilon_comes_to_an_end() {
    let class = "settling";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let omega = random.between(1.3, 2.0);
        let range = (omega - 1e-3, omega + 1e-3);
        let text = regularised([1.1, 0.4, 0.6, 1e-9], range, ", points: 3")
            .replace("{\"Omega\": 2.0}", &format!("{{\"Omega\": {omega:?}}}"));
        let result = run(&text);
        let begun = result.curves.iter().any(|c| c.name == "family");
        if !begun && result.missing.is_empty() {
            wrong.push((member, text));
        }
    }
    none_wrong(class, count, &wrong);
}
