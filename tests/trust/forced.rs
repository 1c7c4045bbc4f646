//! Forced responses whose amplitude is proportional to a parameter: through zero as through any other value.

use super::known::{Verdict, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::CurveResult;
use std::f64::consts::TAU;

/// A curve that passes zero takes few times as many points as it takes steps at most.
const MOST_POINTS: usize = 700;

/// The start of the orbit at the lowest and at the highest value of the parameter.
fn ends(c: &CurveResult) -> (Vec<f64>, Vec<f64>) {
    let by = |a: &&Vec<f64>, b: &&Vec<f64>| a[a.len() - 1].total_cmp(&b[b.len() - 1]);
    let all: Vec<&Vec<f64>> = c.points().map(|(_, _, p)| &p.point.z).collect();
    let lowest = all.iter().copied().min_by(by).unwrap();
    let highest = all.iter().copied().max_by(by).unwrap();
    (lowest.clone(), highest.clone())
}

/// x'' + d x' + x + b x³ = F cos ωt in other units, from F to -F: linear ones, and Duffing's. With -F the orbit is the
/// mirror image of that with F.
#[test]
fn forced_responses_pass_zero() {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("forced", member);
        let (d, w) = (
            random.between(0.1, 0.5),
            if random.below(2) == 0 {
                random.between(0.3, 0.6)
            } else {
                random.between(1.7, 2.5)
            },
        );
        let b = if member % 2 == 0 {
            0.0
        } else {
            random.between(-0.05, 0.1)
        };
        let (unit, tau, force) = (
            random.log_between(1e-3, 1e3),
            random.log_between(1e-2, 1e2),
            random.log_between(1e-3, 1e3),
        );
        let method = ["", "method: Collocation(), ", "method: Harmonic(), "][random.below(3)];
        let states = [random.between(-0.1, 0.1), random.between(-0.1, 0.1)];
        let text = format!(
            "Study(title: \"forced\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"F\": {force:?}}}, forcing: Forcing(period: \"{:?}\"), \
             define: {{\"u\": \"x/({unit:?})\"}}, equations: [\"x' = v\", \
             \"v' = ({:?})*(F/({force:?})*cos(phase) - u - ({b:?})*u^3) - ({:?})*v\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, {method}start: Guess(at: {{}}, states: [{{\"x\": {:?}, \"v\": {:?}, \"phase\": 0}}], durations: [{:?}]), \
             free: \"F\", range: ({:?}, {force:?}))])",
            TAU / w * tau,
            unit / (tau * tau),
            d / tau,
            states[0] * unit,
            states[1] * unit / tau,
            TAU / w * tau,
            -force,
        );
        let result = run(&text);
        let right = result.curves.first().is_some_and(|c| {
            let branch = &c.pieces[0].branch;
            let (low, high) = ends(c);
            let mirrored = (0..2).all(|i| (low[i] + high[i]).abs() <= 1e-8 * unit * [1.0, 1.0 / tau][i]);
            let (re, im) = (1.0 - w * w, d * w);
            let exact = re / (re * re + im * im) * unit;
            branch.ends.iter().all(|e| *e == End::Range)
                && labels(c).is_empty()
                && branch.points.len() <= MOST_POINTS
                && mirrored
                && (b != 0.0 || (high[0] - exact).abs() <= 1e-8 * unit)
        });
        if !right {
            let seen = result.curves.first().map(|c| {
                let branch = &c.pieces[0].branch;
                let found: Vec<_> = labels(c).iter().map(|l| (l.0, l.1)).collect();
                format!(
                    "{} points, {:?}, {found:?}, {:?}",
                    branch.points.len(),
                    branch.ends,
                    ends(c)
                )
            });
            wrong.push((member, format!("{seen:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong("forced", count, &wrong);
}

/// An oscillator with a spring on one side, x > c, or on both: linear as long as it does not touch, and it touches at
/// |F| = c |1 - ω² + i d ω|. From there over zero to the other side, and as far again.
#[test]
fn forced_oscillators_with_springs_pass_zero() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("forced springs", member);
        let (d, w, k) = (
            random.between(0.1, 0.5),
            random.between(0.3, 0.8),
            random.log_between(0.05, 3.0),
        );
        let gap = random.log_between(1e-2, 1e2);
        let grazing = gap * (1.0 - w * w).hypot(d * w);
        let text = format!(
            "Study(title: \"springs\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"F\": {:?}}}, forcing: Forcing(period: \"{:?}\"), \
             define: {{\"a\": \"F*cos(phase) - ({d:?})*v - x\"}}, modes: {{\
             \"air\": Mode(equations: [\"x' = v\", \"v' = a\"], events: {{\"on\": Event(guard: \"x - ({gap:?})\", direction: Up, to: \"touch\")}}), \
             \"touch\": Mode(equations: [\"x' = v\", \"v' = a - ({k:?})*(x - ({gap:?}))\"], \
             events: {{\"off\": Event(guard: \"x - ({gap:?})\", direction: Down, to: \"air\")}})}}, start: Start(mode: \"air\")), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"air free\"), start: Settle(at: {{\"F\": {:?}}}), free: \"F\", range: ({:?}, {:?}), switch: Auto)])",
            0.7 * grazing,
            TAU / w,
            0.7 * grazing,
            -1.05 * grazing,
            1.05 * grazing,
        );
        let result = run(&text);
        let seen = result.curves.first().map(|c| {
            let found: Vec<(Label, f64)> = labels(c).iter().map(|l| (l.0, l.1)).collect();
            let count: usize = c.pieces.iter().map(|p| p.branch.points.len()).sum();
            let known = [(Label::GR, grazing), (Label::GR, -grazing)];
            (Verdict::of(&found, &known, 1e-9 * grazing), count, c.words())
        });
        let right = seen.as_ref().is_some_and(|(verdict, count, words)| {
            verdict.is_right() && *count <= MOST_POINTS && words.matches("air on touch off").count() == 2
        });
        if !right {
            let said: Vec<&str> = result
                .curves
                .iter()
                .flat_map(|c| labels(c).into_iter().map(|l| l.2.message.as_str()))
                .collect();
            wrong.push((member, format!("{seen:?} {said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong("forced springs", count, &wrong);
}

/// Oscillators from slow ones to ones four hundred times as fast, each driven by a force and by the one before it: of
/// more than twelve states orbits are solved in closed form. Response and multipliers are known, down to 10^-50000
/// where damping grows with the square of the frequency, as within a material.
#[test]
fn structures_with_fast_modes_have_the_digits_of_all_of_them() {
    let mut wrong = vec![];
    let count = members(3);
    for member in 0..count {
        let mut random = Random::of("structures", member);
        let n = 7 + random.below(6);
        // Apart from each other: two of one rate that drive each other have ill-conditioned multipliers.
        let rates: Vec<f64> = (0..n)
            .map(|i| 1.65f64.powi(i as i32) * random.between(1.0, 1.3))
            .collect();
        let of_material = member % 2 == 1;
        let damping: Vec<f64> = rates
            .iter()
            .map(|r| match of_material {
                true => r * r * random.log_between(5e-3, 5e-2),
                false => r * random.log_between(5e-3, 0.2),
            })
            .collect();
        let forces: Vec<f64> = rates.iter().map(|r| r * r * random.between(-1.0, 1.0)).collect();
        let coupling: Vec<f64> = rates.iter().map(|r| r * r * random.between(-0.5, 0.5)).collect();
        let states: Vec<String> = (1..=n)
            .flat_map(|i| [format!("\"x{i}\""), format!("\"v{i}\"")])
            .collect();
        let equations: Vec<String> = (0..n)
            .map(|i| {
                let (k, f, c) = (rates[i] * rates[i], forces[i], coupling[i]);
                let before = if i > 0 { format!("({c:?})*x{i}") } else { "0".to_owned() };
                let name = i + 1;
                format!(
                    "\"x{name}' = v{name}\", \"v{name}' = -({k:?})*x{name} - ({:?})*v{name} + ({f:?})*cos(phase) + {before}\"",
                    2.0 * damping[i]
                )
            })
            .collect();
        let zeros: Vec<String> = states.iter().map(|name| format!("{name}: 0")).collect();
        let (from, to) = (random.between(0.2, 0.5), random.between(0.6, 0.9));
        let text = format!(
            "Study(title: \"structure\", system: Smooth(states: [{}], parameters: {{\"w\": {from:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             equations: [{}]), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{}}, states: [{{{}, \"phase\": 0}}], \
             durations: [{:?}]), free: \"w\", range: ({from:?}, {to:?}), points: 40)])",
            states.join(", "),
            equations.join(", "),
            zeros.join(", "),
            TAU / from,
        );
        let result = run(&text);
        let Some(curve) = result.curves.first() else {
            wrong.push((member, format!("no curve\n{text}")));
            continue;
        };
        let mut worst = (0.0f64, 0.0f64);
        for (_, _, p) in curve.points() {
            let w = p.point.parameter();
            let mut response = (0.0f64, 0.0f64);
            for i in 0..n {
                // X = (f + c X₋) / (k - w² + 2 i z w)
                let above = (forces[i] + coupling[i] * response.0, coupling[i] * response.1);
                let above = if i > 0 { above } else { (forces[i], 0.0) };
                let below = (rates[i] * rates[i] - w * w, 2.0 * damping[i] * w);
                let size = below.0 * below.0 + below.1 * below.1;
                response = (
                    (above.0 * below.0 + above.1 * below.1) / size,
                    (above.1 * below.0 - above.0 * below.1) / size,
                );
                let column = curve
                    .monitors
                    .iter()
                    .position(|m| *m == format!("max_abs_x{}", i + 1))
                    .unwrap();
                let exact = response.0.hypot(response.1);
                worst.0 = worst.0.max((p.record.monitors[column] - exact).abs() / exact.max(1e-3));
            }
            let decay = |(z, r): (&f64, &f64)| {
                let fast = z + (z * z - r * r).max(0.0).sqrt();
                if z < r { [*z; 2] } else { [fast, r * r / fast] }
            };
            let mut exact: Vec<f64> = damping
                .iter()
                .zip(&rates)
                .flat_map(decay)
                .map(|rate| -rate * TAU / w / std::f64::consts::LN_10)
                .collect();
            let mut found: Vec<f64> = p.record.multipliers.iter().map(|m| m.log10).collect();
            exact.sort_by(f64::total_cmp);
            found.sort_by(f64::total_cmp);
            if found.len() != exact.len() {
                worst.1 = f64::INFINITY;
            }
            for (a, b) in found.iter().zip(&exact) {
                worst.1 = worst.1.max((a - b).abs() / b.abs().max(1e-2));
            }
        }
        let odd: Vec<Label> = labels(curve).iter().map(|l| l.0).collect();
        if !(worst.0 < 1e-9 && worst.1 < 1e-8 && odd.is_empty()) {
            wrong.push((member, format!("{worst:?} {odd:?}\n{text}")));
        }
    }
    none_wrong("structures", count, &wrong);
}

/// Oscillators with dampers that stick all the time, each in any place: as many multipliers of the half map stay at -1,
/// and nothing bifurcates along the response, which is known.
#[test]
fn dampers_that_always_stick_break_no_symmetry() {
    let count = members(9);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("dampers", member);
        let n = 1 + member % 3;
        let units: Vec<usize> = (1..=n).collect();
        let draw: Vec<[f64; 3]> = units
            .iter()
            .map(|_| {
                [
                    random.log_between(0.3, 3.0),
                    random.between(0.1, 1.0),
                    random.log_between(0.02, 0.3),
                ]
            })
            .collect();
        let list = |item: &dyn Fn(usize) -> String| units.iter().map(|&i| item(i)).collect::<Vec<_>>().join(", ");
        let method = ["", "method: Flow, ", "method: Collocation(), "][random.below(3)];
        let text = format!(
            "Study(title: \"dampers\", system: Mechanical(coordinates: [{}], parameters: {{\"w\": 0.4}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{{}}}, springs: [{}], forces: {{{}}}, contacts: {{{}}}, symmetry: {{{}, \"phase\": \"phase + pi\"}}), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"{}\"), {method}start: Settle(at: {{\"w\": 0.4}}), free: \"w\", range: (0.3, 2.5))])",
            list(&|i| format!("\"q{i}\", \"d{i}\"")),
            list(&|i| format!("\"q{i}\": 1, \"d{i}\": 0.1")),
            list(&|i| {
                let [k, coupling, z] = draw[i - 1];
                format!(
                    "Spring(on: \"q{i}\", stiffness: {k:?}, damping: {:?}), Spring(on: \"q{i}\", against: Coordinate(\"d{i}\"), stiffness: {coupling:?})",
                    2.0 * z
                )
            }),
            list(&|i| format!("\"q{i}\": \"0.1*cos(w*t)\"")),
            list(&|i| format!("\"rub{i}\": Coulomb(on: \"d{i}\", mu: 50)")),
            list(&|i| format!("\"q{i}\": \"-q{i}\", \"d{i}\": \"-d{i}\"")),
            units
                .iter()
                .map(|i| format!("rub{i}:stick"))
                .collect::<Vec<_>>()
                .join(" "),
        );
        let result = run(&text);
        let right = result.curves.first().is_some_and(|c| {
            let exact = |i: usize, w: f64| {
                let [k, coupling, z] = draw[i];
                0.1 / (k + coupling - w * w).hypot(2.0 * z * w)
            };
            let column = |i: usize| {
                c.monitors
                    .iter()
                    .position(|m| *m == format!("max_abs_q{}", i + 1))
                    .unwrap()
            };
            let known = c.points().all(|(_, _, p)| {
                (0..n).all(|i| {
                    let exact = exact(i, p.point.parameter());
                    (p.record.monitors[column(i)] - exact).abs() <= 1e-8 * exact
                })
            });
            let at_minus_one = c.points().all(|(_, _, p)| {
                let stay = p
                    .record
                    .nu
                    .iter()
                    .filter(|m| m.log10.abs() < 1e-9 && m.arg == TAU / 2.0);
                stay.count() == n
            });
            let said = c.points().any(|(_, _, p)| p.message.contains("at -1 along the curve"));
            labels(c).is_empty()
                && known
                && at_minus_one
                && said
                && c.pieces[0].branch.ends.iter().all(|e| *e == End::Range)
        });
        if !right {
            let found = result
                .curves
                .first()
                .map(|c| labels(c).iter().map(|l| (l.0, l.1)).collect::<Vec<_>>());
            wrong.push((member, format!("{found:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong("dampers", count, &wrong);
}
