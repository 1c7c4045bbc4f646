//! Relaxation oscillations: in as many steps whether or not their time scales are declared, in any unit of the states,
//! and along the branches of doubled orbits.

use super::known::{labels, none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// ε x' = x - x³/3 - y + a, y' = x + b - c y with x and y in other units.
struct FitzHughNagumo {
    epsilon: f64,
    b: f64,
    c: f64,
    units: [f64; 2],
}

impl FitzHughNagumo {
    fn study(&self, declared: bool) -> String {
        let Self {
            epsilon,
            b,
            c,
            units: [x, y],
        } = self;
        let scales = if declared {
            ", slow_fast: SlowFast(fast: \"x\", epsilon: \"eps\")"
        } else {
            ""
        };
        format!(
            "Study(title: \"relaxation\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"a\": 0.5, \"eps\": {epsilon:?}}}, \
             define: {{\"u\": \"x/{x:?}\", \"v\": \"y/{y:?}\"}}, \
             equations: [\"x' = {x:?}*(u - u^3/3 - v + a)/eps\", \"y' = {y:?}*(u + {b:?} - {c:?}*v)\"]{scales}, \
             start: {{\"x\": {:?}}}), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"a\": 0.5}}), \
             free: \"a\", range: (0.4, 0.6))])",
            2.0 * x
        )
    }
}

/// The number of points, and the periods at both ends.
fn ends(text: &str) -> Option<(usize, [f64; 2])> {
    let result = run(text);
    let all = pieces(&result, "c");
    let points: &Vec<&BranchPoint> = all.first()?;
    let at = |value: f64| {
        points
            .iter()
            .find(|p| (p.record.parameters[0] - value).abs() < 1e-9)
            .map(|p| p.record.period)
    };
    Some((points.len(), [at(0.4)?, at(0.6)?]))
}

#[test]
fn relaxation_oscillations_take_few_steps_also_undeclared() {
    let class = "undeclared relaxation";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let system = FitzHughNagumo {
            epsilon: random.log_between(1e-4, 1e-2),
            b: random.between(0.5, 0.8),
            c: random.between(0.3, 0.6),
            units: [random.log_between(1e-2, 1e2), random.log_between(1e-2, 1e2)],
        };
        let [declared, plain] = [true, false].map(|declared| ends(&system.study(declared)));
        let right = match (&declared, &plain) {
            (Some((few, periods)), Some((points, found))) => {
                let same = periods.iter().zip(found).all(|(a, b)| (a - b).abs() <= 1e-7 * a);
                same && *points <= few + 10
            }
            _ => false,
        };
        if !right {
            wrong.push((member, format!("{declared:?} {plain:?}\n{}", system.study(false))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Hodgkin and Huxley's equations with the voltage in another unit.
fn membrane(unit: f64) -> String {
    format!(
        "Study(title: \"membrane\", system: Smooth(states: [\"V\", \"m\", \"h\", \"n\"], parameters: {{\"I\": 0}}, \
         define: {{\"U\": \"V/{unit:?}\"}}, \
         equations: [\"V' = {unit:?}*(I - 120*m^3*h*(U - 115) - 36*n^4*(U + 12) - 0.3*(U - 10.599))\", \
         \"m' = 0.1*(25-U)/(exp((25-U)/10)-1)*(1-m) - 4*exp(-U/18)*m\", \
         \"h' = 0.07*exp(-U/20)*(1-h) - h/(exp((30-U)/10)+1)\", \
         \"n' = 0.01*(10-U)/(exp((10-U)/10)-1)*(1-n) - 0.125*exp(-U/80)*n\"]), \
         curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"I\": 0}}, \
         states: [{{\"V\": {:?}, \"m\": 0.05, \"h\": 0.6, \"n\": 0.32}}]), free: \"I\", range: (0, 200)), \
         Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"I\", range: (0, 200))])",
        0.01 * unit
    )
}

#[test]
fn action_potentials_do_not_depend_on_the_unit_of_the_voltage() {
    let class = "units of voltage";
    let count = members(3);
    let seen = |text: &str| {
        let result = run(text);
        let curve = result.curves.iter().find(|c| c.name == "c");
        let found = curve.map_or(vec![], |c| {
            labels(c).iter().map(|(label, at, _)| (*label, *at)).collect()
        });
        (pieces(&result, "c").concat().len(), found)
    };
    let (points, known): (usize, Vec<(Label, f64)>) = seen(&membrane(1.0));
    // Folds and period doublings of the unstable orbits, and the second Hopf point, 154.5266...
    assert!(
        points < 200
            && known
                .iter()
                .any(|(label, at)| *label == Label::HB && (at - 154.526_633_665).abs() < 1e-6),
        "{points} {known:?}"
    );
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.log_between(1e-3, 1e3);
        let (number, found) = seen(&membrane(unit));
        let same = found.len() == known.len()
            && found
                .iter()
                .zip(&known)
                .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-6 * b.1.abs());
        if !same || number > points + points / 4 {
            wrong.push((member, format!("{unit} {number} not {points}: {found:?} not {known:?}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn branches_of_doubled_relaxation_oscillations_are_mirror_images() {
    let class = "doubled relaxation";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (epsilon, k) = (random.between(0.09, 0.11), random.between(-10.3, -9.8));
        // Koper's equations; with the signs of the states the sign of l changes.
        let text = format!(
            "Study(title: \"doubled\", system: Smooth(states: [\"x\", \"y\", \"z\"], parameters: {{\"l\": -8}}, \
             equations: [\"x' = ({k:?}*y - x^3 + 3*x - l)/{epsilon:?}\", \"y' = x - 2*y + z\", \"z' = y - z\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"l\": -8}}, \
             states: [{{\"x\": -1.5, \"y\": -1.5, \"z\": -1.5}}]), free: \"l\", range: (-8, 8)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"l\", range: (-8, 8), branches: [PD])])"
        );
        let result = run(&text);
        let branches: Vec<_> = result.curves.iter().filter(|c| c.name.starts_with("c-")).collect();
        let told: Vec<(usize, Vec<(Label, f64)>)> = branches
            .iter()
            .map(|c| {
                let all = labels(c);
                // Where a branch ends the other one starts.
                let within = all
                    .iter()
                    .filter(|(_, _, p)| !p.message.contains("this branch ends at"));
                let mut found: Vec<(Label, f64)> = within.map(|(label, at, _)| (*label, at.abs())).collect();
                found.sort_by(|a, b| a.1.total_cmp(&b.1));
                (pieces(&result, &c.name).concat().len(), found)
            })
            .collect();
        let inner = |found: &[(Label, f64)]| -> Vec<(Label, f64)> {
            let counts = |f: &&(Label, f64)| matches!(f.0, Label::PD | Label::LP);
            found.iter().filter(counts).copied().collect()
        };
        let near = |a: &(Label, f64), b: &(Label, f64)| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-7;
        let mirrored = |a: &[(Label, f64)], b: &[(Label, f64)]| a.iter().all(|x| b.iter().any(|y| near(x, y)));
        let short = told.iter().all(|(points, _)| *points < 250);
        let same = match &told[..] {
            [(_, a), (_, b)] => {
                let (a, b) = (inner(a), inner(b));
                let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
                // A doubling next to the end may lie behind it.
                mirrored(&few, &many) && few.len() >= 5 && many.len() <= few.len() + 1
            }
            _ => false,
        };
        if !short || !same {
            wrong.push((member, format!("{told:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn canard_explosions_take_few_steps_whatever_epsilon() {
    let class = "canards with head";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (epsilon, k) = (random.log_between(1e-4, 1e-2), random.between(0.5, 2.0));
        let [x, y] = [0, 1].map(|_| random.log_between(1e-2, 1e2));
        // Van der Pol's equations in other units of the states and of time: to all powers of ε the canards lie at
        // a = 1 - κ/8 - 3κ²/32 - 173κ³/1024 - ..., κ = k ε (Zvonkin and Shubin, Russ. Math. Surv. 39 (1984) 69).
        let kappa = k * epsilon;
        let canard = 1.0 - kappa / 8.0 - 3.0 / 32.0 * kappa.powi(2) - 173.0 / 1024.0 * kappa.powi(3);
        let study = |scales: &str| {
            format!(
                "Study(title: \"canards\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"a\": 1.2, \"eps\": {epsilon:?}}}, \
                 define: {{\"u\": \"x/{x:?}\", \"v\": \"y/{y:?}\"}}, \
                 equations: [\"x' = {x:?}*(v - u^3/3 + u)/eps\", \"y' = {:?}*(a - u)\"]{scales}), \
                 curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"a\": 1.2}}, \
                 states: [{{\"x\": {:?}, \"y\": {:?}}}]), free: \"a\", range: (0.8, 1.5)), \
                 Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"a\", range: (0.9, 1.5), \
                 levels: {{\"x_min\": [{:?}, {:?}]}})])",
                y * k,
                1.2 * x,
                -0.624 * y,
                -1.1 * x,
                -1.6 * x,
            )
        };
        for scales in ["", ", slow_fast: SlowFast(fast: \"x\", epsilon: \"eps\")"] {
            let text = study(scales);
            let result = run(&text);
            let points = pieces(&result, "c").concat();
            let levels: Vec<f64> = points
                .iter()
                .filter(|p| p.label == Some(Label::UZ))
                .map(|p| p.point.parameter())
                .collect();
            let through = points.last().is_some_and(|p| p.label == Some(Label::EP));
            let near = levels.iter().all(|a| (a - canard).abs() <= 1e-9 + kappa.powi(4));
            if !through || levels.len() != 2 || !near || points.len() > 200 {
                wrong.push((
                    member,
                    format!("{} points, {levels:?} not {canard}\n{text}", points.len()),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn multipliers_of_planar_orbits_do_not_depend_on_how_these_are_cut() {
    let class = "planar relaxation";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (epsilon, k) = (random.log_between(1e-3, 0.5), random.between(0.5, 2.0));
        let text = format!(
            "Study(title: \"planar\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"b\": 0.1}}, \
             equations: [\"x' = (y - x^3/3 + x)/{epsilon:?}\", \"y' = -{k:?}*(x + b*y)\"], \
             symmetry: {{\"x\": \"-x\", \"y\": \"-y\"}}, start: {{\"x\": 2}}), \
             curves: [Curve(name: \"whole\", orbit: PeriodicOrbit, start: Settle(at: {{\"b\": 0.1}}), free: \"b\", range: (0, 0.6)), \
             Curve(name: \"half\", orbit: Symmetric(\"smooth\"), start: Settle(at: {{\"b\": 0.1}}), free: \"b\", range: (0, 0.6))])"
        );
        let result = run(&text);
        let at_ends = |name: &str| -> Vec<(f64, f64, f64)> {
            let points = pieces(&result, name).concat();
            let ends = points.iter().filter(|p| p.label == Some(Label::EP));
            let multiplier = |p: &BranchPoint| p.record.multipliers.first().map(|m| (m.log10, m.arg));
            ends.filter_map(|p| multiplier(p).map(|(log10, arg)| (p.record.period, log10, arg)))
                .collect()
        };
        let (whole, half) = (at_ends("whole"), at_ends("half"));
        let alike = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        let same = whole.len() == 2
            && half.len() == 2
            && whole
                .iter()
                .zip(&half)
                .all(|(a, b)| alike(a.0, b.0) && alike(a.1, b.1) && alike(a.2, b.2));
        if !same {
            wrong.push((member, format!("{whole:?} {half:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn multipliers_of_stiff_orbits_are_those_of_their_parts_in_any_coordinates() {
    let class = "stiff multipliers";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(1e-4, 1e-2);
        let (k, g) = (random.between(0.5, 2.0), random.between(0.1, 3.0));
        // Van der Pol's equations for u and v, and w that follows u at the rate g.
        let parts = [
            format!("(v - u^3/3 + u)/{epsilon:?}"),
            format!("{k:?}*(p - u)"),
            format!("{g:?}*(u - w)"),
        ];
        let plane = format!(
            "Study(title: \"plane\", system: Smooth(states: [\"u\", \"v\"], parameters: {{\"p\": 0}}, equations: [\"u' = {}\", \"v' = {}\"], \
             start: {{\"u\": 2}}), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"p\": 0}}), free: \"p\", range: (0, 0.4))])",
            parts[0], parts[1]
        );
        // The same in other coordinates x = M (u, v, w).
        let entries: [f64; 9] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let m = nalgebra::Matrix3::from_row_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
            + 0.4 * nalgebra::Matrix3::from_row_slice(&entries);
        let inverse = m.try_inverse().unwrap();
        let row = |m: &nalgebra::Matrix3<f64>, r: usize, of: [&str; 3]| {
            let term = |(c, what): (usize, &&str)| format!("({:?})*({what})", m[(r, c)]);
            of.iter().enumerate().map(term).collect::<Vec<_>>().join(" + ")
        };
        let mixed: [String; 3] = std::array::from_fn(|r| row(&inverse, r, ["x", "y", "z"]));
        let rates: [String; 3] = std::array::from_fn(|r| row(&m, r, [&parts[0], &parts[1], &parts[2]]));
        let space = format!(
            "Study(title: \"space\", system: Smooth(states: [\"x\", \"y\", \"z\"], parameters: {{\"p\": 0}}, \
             define: {{\"u\": \"{}\", \"v\": \"{}\", \"w\": \"{}\"}}, equations: [\"x' = {}\", \"y' = {}\", \"z' = {}\"], \
             start: {{\"x\": 2, \"y\": 0.1, \"z\": 0.1}}), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"p\": 0}}), free: \"p\", range: (0, 0.4))])",
            mixed[0], mixed[1], mixed[2], rates[0], rates[1], rates[2]
        );
        let at_ends = |text: &str| -> Vec<(f64, Vec<f64>)> {
            let result = run(text);
            let points = pieces(&result, "c").concat();
            let ends = points.iter().filter(|p| p.label == Some(Label::EP));
            ends.map(|p| (p.record.period, p.record.multipliers.iter().map(|m| m.log10).collect()))
                .collect()
        };
        let (known, found) = (at_ends(&plane), at_ends(&space));
        let alike = |a: f64, b: f64, error: f64| (a - b).abs() <= error * (1.0 + b.abs());
        let right =
            known.len() == 2 && found.len() == 2 && known.iter().zip(&found).all(|((period, planar), (other, all))| {
                let slow = -g * period / std::f64::consts::LN_10;
                alike(*other, *period, 1e-8)
                    && matches!(all[..], [first, second] if alike(first, slow, 1e-7) && alike(second, planar[0], 1e-7))
            });
        if !right {
            wrong.push((member, format!("{known:?} g {g} {found:?}\n{space}")));
        }
    }
    none_wrong(class, count, &wrong);
}
