//! Equilibria of many states, each equation of which sees few: sparse factors and the leading eigenvalues give what
//! dense ones give, and what is known in closed form.

use nalgebra::{Complex, DMatrix};
use proptest::prelude::*;
use slipstick::study;
use slipstick_bifurcation::{Branch, Label, TraceOptions, Tracer};
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, Precise, Second, Third};
use slipstick_orbit::FixedPoint;
use slipstick_system::text::Corners;
use slipstick_system::{Function, SharedFunction, System};
use std::f64::consts::PI;
use std::sync::Arc;

/// A field of which it is not known which states its components depend on.
struct Opaque(SharedFunction);

impl Function for Opaque {
    fn outputs(&self) -> usize {
        self.0.outputs()
    }
    fn value(&self, x: &[f64], p: &[f64], out: &mut [f64]) {
        self.0.value(x, p, out);
    }
    fn gradient(&self, x: &[Gradient], p: &[Gradient], out: &mut [Gradient]) {
        self.0.gradient(x, p, out);
    }
    fn hessian(&self, x: &[Hessian], p: &[Hessian], out: &mut [Hessian]) {
        self.0.hessian(x, p, out);
    }
    fn second(&self, x: &[Second], p: &[Second], out: &mut [Second]) {
        self.0.second(x, p, out);
    }
    fn third(&self, x: &[Third], p: &[Third], out: &mut [Third]) {
        self.0.third(x, p, out);
    }
    fn affine(&self, x: &[Affine<f64>], p: &[Affine<f64>], out: &mut [Affine<f64>]) {
        self.0.affine(x, p, out);
    }
    fn affine_gradient(&self, x: &[Affine<Gradient>], p: &[Affine<Gradient>], out: &mut [Affine<Gradient>]) {
        self.0.affine_gradient(x, p, out);
    }
    fn precise(&self, x: &[Precise], p: &[Precise], out: &mut [Precise]) -> bool {
        self.0.precise(x, p, out)
    }
    fn corners(&self) -> Option<&Corners> {
        self.0.corners()
    }
}

/// The same system without that knowledge.
fn opaque(system: &System) -> System {
    let mut other = system.clone();
    other.modes[0].field = Arc::new(Opaque(system.modes[0].field.clone()));
    other
}

fn system(states: &[String], parameters: &str, define: &str, equations: &[String]) -> System {
    let quoted = |list: &[String]| list.iter().map(|s| format!("{s:?}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "Study(title: \"line\", system: Smooth(states: [{}], parameters: {{{parameters}}}, define: {{{define}}}, equations: [{}]))",
        quoted(states),
        quoted(equations)
    );
    let plan = study::parse("line.ron".as_ref(), text).unwrap().plan(&[]).unwrap();
    plan.systems[0].system.clone()
}

/// The Brusselator on a line of length L, with so many points inside and its homogeneous state at both ends.
fn brusselator(points: usize, [a, b, du, dv]: [f64; 4]) -> System {
    let (mut states, mut equations) = (vec![], vec![]);
    let at = |name: &str, i: usize, end: &str| match i {
        0 => end.to_owned(),
        i if i > points => end.to_owned(),
        i => format!("{name}{i}"),
    };
    for i in 1..=points {
        let (ul, ur) = (at("u", i - 1, "A"), at("u", i + 1, "A"));
        let (vl, vr) = (at("v", i - 1, "B/A"), at("v", i + 1, "B/A"));
        states.extend([format!("u{i}"), format!("v{i}")]);
        equations.push(format!(
            "u{i}' = A - (B + 1)*u{i} + u{i}^2*v{i} + h*Du*({ul} - 2*u{i} + {ur})"
        ));
        equations.push(format!("v{i}' = B*u{i} - u{i}^2*v{i} + h*Dv*({vl} - 2*v{i} + {vr})"));
    }
    let parameters = format!("\"L\": 0.2, \"A\": {a}, \"B\": {b}, \"Du\": {du}, \"Dv\": {dv}");
    system(
        &states,
        &parameters,
        &format!("\"h\": \"({}/L)^2\"", points + 1),
        &equations,
    )
}

/// Where the mode with k half waves loses its stability: its trace B - 1 - A² - (Du + Dv) μ(L) vanishes.
fn hopf(points: usize, [a, b, du, dv]: [f64; 4], k: usize) -> f64 {
    let wave = (points + 1) as f64 * (k as f64 * PI / (2.0 * (points + 1) as f64)).sin();
    2.0 * wave * ((du + dv) / (b - 1.0 - a * a)).sqrt()
}

/// Second differences of one state on the line from 0 to π, and a nonlinear rate.
fn line(points: usize, parameters: &str, rate: impl Fn(&str) -> String) -> System {
    let at = |i: usize| {
        if i == 0 || i > points {
            "0".to_owned()
        } else {
            format!("u{i}")
        }
    };
    let states: Vec<String> = (1..=points).map(|i| format!("u{i}")).collect();
    let equations: Vec<String> = (1..=points)
        .map(|i| {
            format!(
                "u{i}' = ({}/pi)^2*({} - 2*u{i} + {}) + {}",
                points + 1,
                at(i - 1),
                at(i + 1),
                rate(&at(i))
            )
        })
        .collect();
    system(&states, parameters, "", &equations)
}

fn trace(system: &System, x: &[f64], range: (f64, f64)) -> Branch {
    let mut parameters = system.default_parameters();
    parameters[0] = range.0;
    let mut z = x.to_vec();
    z.push(range.0);
    let mut rest = FixedPoint::equilibrium(system, 0, parameters, vec![0]).with_leading_eigenvalues();
    rest.set_range(range);
    let options = TraceOptions {
        directions: vec![1.0],
        ..TraceOptions::over(range)
    };
    Tracer::new(&mut rest, &options).from_guess(z).unwrap()
}

/// Labels and places; and that stability has been confirmed at every point.
fn special(branch: &Branch) -> Vec<(Label, f64)> {
    assert!(branch.points.iter().all(|p| !p.record.uncounted));
    branch
        .special()
        .map(|(_, p)| (p.label.unwrap(), p.point.parameter()))
        .collect()
}

/// Both ways of computing give the same special points, numbers of unstable directions and leading eigenvalues.
fn agree(system: &System, x: &[f64], range: (f64, f64)) -> (Branch, Branch) {
    assert!(FixedPoint::is_sparse(system, 0) && !FixedPoint::is_sparse(&opaque(system), 0));
    let (sparse, dense) = (trace(system, x, range), trace(&opaque(system), x, range));
    let (found, wanted) = (special(&sparse), special(&dense));
    assert_eq!(found.len(), wanted.len(), "{found:?} {wanted:?}");
    for ((a, at), (b, there)) in found.iter().zip(&wanted) {
        assert!(
            a == b && (at - there).abs() < 1e-9 * there.abs().max(0.1),
            "{a} {at} {b} {there}"
        );
    }
    for ((_, a), (_, b)) in sparse.special().zip(dense.special()) {
        assert_eq!(a.record.unstable, b.record.unstable, "{:?}", a.label);
        assert!(a.record.eigenvalues.len() >= 8);
        for (v, w) in a.record.eigenvalues.iter().zip(&b.record.eigenvalues) {
            assert!(
                (v.re - w.re).abs() < 1e-6 && (v.im.abs() - w.im.abs()).abs() < 1e-6,
                "{v} {w}"
            );
        }
    }
    (sparse, dense)
}

/// The number after these words in a message.
fn number_after(message: &str, words: &str) -> f64 {
    let (_, rest) = message
        .split_once(words)
        .unwrap_or_else(|| panic!("{words} in {message}"));
    let end = rest.find([',', ')', ';', ' ']).unwrap_or(rest.len());
    rest[..end].parse().unwrap()
}

/// Random linear rates, those of neighbours and of some farther away: the state, its column and the factor.
fn random_rates(n: usize, seeds: &[f64]) -> Vec<Vec<(usize, f64)>> {
    let at = |k: usize| seeds[k % seeds.len()];
    (0..n)
        .map(|i| {
            let near = [
                (0, 2.0 * at(7 * i)),
                (1, at(5 * i)),
                (n - 1, at(3 * i + 1)),
                (9, at(2 * i + 5)),
            ];
            near.map(|(step, factor)| ((i + step) % n, factor)).to_vec()
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]
    #[test]
    fn no_bifurcation_of_random_systems_is_missed(
        n in 100usize..112,
        seeds in prop::collection::vec(-1.0f64..1.0, 103),
    ) {
        // x' = (A + mu) x - x³: at x = 0 each eigenvalue of A passes the axis where mu is minus its real part.
        let rates = random_rates(n, &seeds);
        let mut full = DMatrix::zeros(n, n);
        let mut equations = vec![];
        for (i, row) in rates.iter().enumerate() {
            row.iter().for_each(|(c, factor)| full[(i, *c)] += factor);
            let sum: Vec<String> = row.iter().map(|(c, factor)| format!("({factor:?})*x{c}")).collect();
            equations.push(format!("x{i}' = mu*x{i} + {} - x{i}^3", sum.join(" + ")));
        }
        let states: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        let system = system(&states, "\"mu\": 0", "", &equations);
        prop_assert!(FixedPoint::is_sparse(&system, 0));
        let all = eigenvalues(&full).unwrap();
        let passing: Vec<Complex<f64>> = all.iter().copied().filter(|v| v.im >= 0.0).collect();
        let gaps = passing.windows(2).take(3).map(|pair| pair[0].re - pair[1].re);
        prop_assume!(gaps.fold(f64::INFINITY, f64::min) > 1e-4);
        let end = -0.5 * (passing[2].re + passing[3].re);
        let branch = trace(&system, &vec![0.0; n], (-passing[0].re - 0.2, end));
        let found = special(&branch);
        prop_assert_eq!(found.len(), 4, "{:?}", found);
        for ((label, at), passing) in found[..3].iter().zip(&passing) {
            let wanted = if passing.im > 0.0 { Label::HB } else { Label::BP };
            prop_assert!(*label == wanted && (at + passing.re).abs() < 1e-8, "{} {} {}", label, at, passing);
        }
        let unstable = all.iter().filter(|v| v.re > -end).count();
        prop_assert_eq!(branch.points.last().unwrap().record.unstable, unstable);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    #[test]
    fn hopf_points_of_the_brusselator_on_a_line(
        points in 50usize..120,
        a in 1.6f64..2.4,
        above in 0.3f64..0.6,
        du in 0.006f64..0.01,
        dv in 0.003f64..0.005,
    ) {
        let numbers = [a, 1.0 + a * a + above, du, dv];
        let system = brusselator(points, numbers);
        prop_assert!(FixedPoint::is_sparse(&system, 0));
        let x: Vec<f64> = (0..points).flat_map(|_| [a, numbers[1] / a]).collect();
        let end = 0.5 * (hopf(points, numbers, 3) + hopf(points, numbers, 4));
        let found = special(&trace(&system, &x, (0.2, end)));
        let wanted: Vec<f64> = (1..4).map(|k| hopf(points, numbers, k)).collect();
        prop_assert_eq!(found.len(), 4);
        for ((label, at), wanted) in found.iter().zip(&wanted) {
            prop_assert!(*label == Label::HB && (at - wanted).abs() < 1e-9 * wanted, "{} {} {}", label, at, wanted);
        }
    }
}

#[test]
fn hopf_points_and_lyapunov_coefficients_are_those_of_the_dense_method() {
    let numbers = [2.0, 5.45, 0.008, 0.004];
    let system = brusselator(50, numbers);
    let x: Vec<f64> = (0..50).flat_map(|_| [2.0, 2.725]).collect();
    let (sparse, dense) = agree(&system, &x, (0.4, 0.6));
    let coefficient = |branch: &Branch| {
        let (_, at) = branch.special().find(|(_, p)| p.label == Some(Label::HB)).unwrap();
        number_after(&at.message, "first Lyapunov coefficient l1 = ")
    };
    let (a, b) = (coefficient(&sparse), coefficient(&dense));
    assert!((a - b).abs() < 1e-8 * b.abs(), "{a} {b}");
}

#[test]
fn branch_points_of_a_line_are_in_closed_form_and_those_of_the_dense_method() {
    // u' = u'' + λ (u - u³): from u = 0 branches emanate where λ is an eigenvalue of the second differences.
    let points = 101;
    let system = line(points, "\"lambda\": 0.5", |u| format!("lambda*({u} - {u}^3)"));
    let (sparse, dense) = agree(&system, &vec![0.0; points], (0.5, 10.0));
    let found = special(&sparse);
    assert_eq!(found.len(), 4);
    for (k, (label, at)) in found[..3].iter().enumerate() {
        let wave = (points + 1) as f64 / PI * ((k + 1) as f64 * PI / (2.0 * (points + 1) as f64)).sin();
        let wanted = 4.0 * wave * wave;
        assert!(
            *label == Label::BP && (at - wanted).abs() < 1e-9 * wanted,
            "{label} {at} {wanted}"
        );
    }
    for ((_, a), (_, b)) in sparse.special().zip(dense.special()).take(3) {
        assert!(a.message.contains("pitchfork"), "{}", a.message);
        assert_eq!(
            a.message.contains("supercritical"),
            b.message.contains("supercritical"),
            "{} {}",
            a.message,
            b.message
        );
    }
}

#[test]
fn folds_of_a_line_are_those_of_the_dense_method() {
    // Bratu: u'' + λ eᵘ = 0, whose two solutions meet.
    let points = 101;
    let system = line(points, "\"lambda\": 0.05", |u| format!("lambda*exp({u})"));
    let (sparse, dense) = agree(&system, &vec![0.0; points], (0.25, 2.0));
    let fold = |branch: &Branch| {
        let (_, at) = branch.special().find(|(_, p)| p.label == Some(Label::LP)).unwrap();
        (
            at.point.parameter(),
            number_after(&at.message, "quadratic coefficient a = "),
        )
    };
    let ((at, a), (_, b)) = (fold(&sparse), fold(&dense));
    // λ π² = 3.5138307 on the unit interval, but for the error of second differences.
    assert!((at * PI * PI - 3.513_830_7).abs() < 2e-3, "{at}");
    assert!((a - b).abs() < 1e-7 * b.abs(), "{a} {b}");
}

#[test]
fn hopf_points_of_a_ring_at_which_two_pairs_pass_are_found() {
    // Oscillators on a ring: the modes k and -k pass together, with two frequencies, where mu = 2 - 2 cos(2πk/N).
    let oscillators = 60;
    let (mut states, mut equations) = (vec![], vec![]);
    for i in 0..oscillators {
        let (before, after) = ((i + oscillators - 1) % oscillators, (i + 1) % oscillators);
        states.extend([format!("x{i}"), format!("y{i}")]);
        equations.push(format!(
            "x{i}' = mu*x{i} - y{i} - x{i}*(x{i}^2 + y{i}^2) + x{before} - 2*x{i} + x{after}"
        ));
        equations.push(format!(
            "y{i}' = mu*y{i} + x{i} - y{i}*(x{i}^2 + y{i}^2) + y{before} - 2*y{i} + y{after} + 0.3*(y{after} - y{before})"
        ));
    }
    let system = system(&states, "\"mu\": 0", "", &equations);
    let branch = trace(&system, &vec![0.0; 2 * oscillators], (-0.1, 0.07));
    let found = special(&branch);
    assert_eq!(found.len(), 4, "{found:?}");
    for (k, (label, at)) in found[..3].iter().enumerate() {
        let wanted = 2.0 - 2.0 * (2.0 * PI * k as f64 / oscillators as f64).cos();
        assert!(
            *label == Label::HB && (at - wanted).abs() < 1e-9,
            "{label} {at} {wanted}"
        );
    }
    let unstable: Vec<usize> = branch.special().map(|(_, p)| p.record.unstable).collect();
    assert_eq!(unstable, [0, 2, 6, 10]);
}

#[test]
fn special_points_of_some_thousand_states_are_those_of_the_closed_form() {
    let points = 3000;
    let flat = line(points, "\"lambda\": 0.5", |u| format!("lambda*({u} - {u}^3)"));
    let found = special(&trace(&flat, &vec![0.0; points], (0.5, 5.0)));
    let wave = |k: usize| (points + 1) as f64 / PI * (k as f64 * PI / (2.0 * (points + 1) as f64)).sin();
    let wanted = [
        (Label::BP, 4.0 * wave(1).powi(2)),
        (Label::BP, 4.0 * wave(2).powi(2)),
        (Label::EP, 5.0),
    ];
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for ((a, at), (b, there)) in found.iter().zip(&wanted) {
        assert!(a == b && (at - there).abs() < 1e-8, "{a} {at} {there}");
    }
    // The fold of Bratu's line, and its unstable half: as many points as of few states, not more and more.
    let bowed = line(points, "\"lambda\": 0.2", |u| format!("lambda*exp({u})"));
    let branch = trace(&bowed, &vec![0.0; points], (0.2, 2.0));
    let found = special(&branch);
    assert!(found.len() == 2 && found[0].0 == Label::LP, "{found:?}");
    assert!((found[0].1 * PI * PI - 3.513_830_7).abs() < 1e-5, "{found:?}");
    assert!(branch.points.len() < 200, "{}", branch.points.len());
    assert_eq!(branch.points.last().unwrap().record.unstable, 1);
}

#[test]
fn folds_of_a_single_state_among_hundreds_are_found() {
    // The first state has two folds, at ∓2/√27; the others follow it, each less than the one before.
    let n = 600;
    let states: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let equations: Vec<String> = (0..n)
        .map(|i: usize| match i.checked_sub(1) {
            None => "x0' = lambda + x0 - x0^3".to_owned(),
            Some(before) => format!("x{i}' = 0.1*x{before} - {}*(x{i} - 0.01)", 1.0 + 0.05 * i as f64),
        })
        .collect();
    let system = system(&states, "\"lambda\": -1", "", &equations);
    let mut x = vec![-1.3; n];
    for i in 1..n {
        x[i] = 0.1 * x[i - 1] / (1.0 + 0.05 * i as f64) + 0.01;
    }
    let found = special(&trace(&system, &x, (-1.0, 1.0)));
    let labels: Vec<Label> = found.iter().map(|(label, _)| *label).collect();
    assert_eq!(labels, [Label::LP, Label::LP, Label::EP], "{found:?}");
    let fold = 2.0 / 27f64.sqrt();
    assert!(
        (found[0].1 - fold).abs() < 1e-9 && (found[1].1 + fold).abs() < 1e-9,
        "{found:?}"
    );
}

#[test]
fn what_is_not_done_of_thousands_of_states_is_refused_with_what_to_write() {
    let n = 2100;
    let study = |equation: &str, more: &str| {
        let states: Vec<String> = (0..n).map(|i| format!("\"x{i}\"")).collect();
        let equations: Vec<String> = (0..n)
            .map(|i| format!("\"x{i}' = {}\"", equation.replace('#', &i.to_string())))
            .collect();
        let text = format!(
            "Study(title: \"many\", system: Smooth(states: [{}], parameters: {{\"mu\": 0.5}}, equations: [{}]), {more})",
            states.join(", "),
            equations.join(", ")
        );
        let planned = study::parse("many.ron".as_ref(), text).unwrap().plan(&[]);
        planned.map(|_| ()).map_err(|e| e.to_string())
    };
    let guess: Vec<String> = (0..n).map(|i| format!("\"x{i}\": 1")).collect();
    let start = format!("Guess(at: {{\"mu\": 1}}, states: [{{{}}}])", guess.join(", "));
    let rest = format!("Curve(name: \"rest\", orbit: Equilibrium, start: {start}, free: \"mu\", range: (0.5, 1))");
    let settled = rest.replace(&start, "Settle(at: {\"mu\": 1}, from: {})");
    let smooth = "mu - x#^3";
    study(smooth, &format!("curves: [{rest}]")).unwrap();
    let cycle = rest
        .replace("Equilibrium", "PeriodicOrbit")
        .replace("\"rest\"", "\"cycle\"");
    for (equation, more, place) in [
        ("mu - abs(x#)", format!("curves: [{rest}]"), "Smooth"),
        (smooth, format!("curves: [{rest}, {cycle}]"), "PeriodicOrbit"),
        (smooth, format!("curves: [{settled}]"), "Settle"),
        (
            smooth,
            "simulations: [Simulation(name: \"way\", time: 10)]".to_owned(),
            "way",
        ),
    ] {
        let said = study(equation, &more).unwrap_err();
        let whole = said.contains(place) && said.contains("2100 states") && said.contains("help: ");
        assert!(whole, "{said}");
    }
}
