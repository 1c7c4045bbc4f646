//! Slow–fast portraits of systems in random units of their states and of time: what they show does not depend on them.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use nalgebra::Complex;
use slipstick_slow_fast::{
    CanardKind, FoldKind, FoldedClass, FoldedSingularity, FoldedTransition, Outcome, ReducedPoint,
};
use slipstick_study::PortraitResult;
use std::f64::consts::{PI, TAU};

/// The units of three states and of time: a state or a time is what it is in units of one, times its unit.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    states: [f64; 3],
    time: f64,
}

impl Chosen {
    fn random(random: &mut Random, decades: f64) -> Self {
        let mut unit = || random.log_between(10f64.powf(-decades), 10f64.powf(decades));
        let (states, time) = ([unit(), unit(), unit()], unit());
        Self {
            states: states.map(|unit| random.sign() * unit),
            time,
        }
    }
    /// Powers of two, so far from one that portraits are computed in other units.
    fn exact(random: &mut Random, angle: bool) -> Self {
        let mut unit = || 2f64.powf(random.sign() * (9.0 + random.below(11) as f64));
        let (states, time) = ([unit(), unit(), if angle { 1.0 } else { unit() }], unit());
        Self { states, time }
    }
    /// The interval of state `i` around zero.
    fn within(&self, i: usize, half: f64) -> String {
        let half = half * self.states[i].abs();
        format!("({:?}, {half:?})", -half)
    }
    fn in_one(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.states).map(|(x, unit)| x / unit).collect()
    }
}

/// ε x' = w + x², z' = 1, w' = -(a z + b x) with a = -2 k₁ k₂ and b = 2 (k₁ + k₂), where z = Z + q Z²: at the origin lies
/// a folded singularity with the eigenvalues -2 k. For real k its canards are x = k z, w = -x², and x = k z,
/// w = ε k - x² is an orbit for every ε.
struct NormalForm {
    k: [Complex<f64>; 2],
    class: FoldedClass,
    bend: f64,
    epsilon: f64,
}

impl NormalForm {
    fn random(random: &mut Random) -> Self {
        let (first, ratio) = (random.between(0.2, 0.8), random.between(1.1, 7.9));
        // Not next to a resonance.
        let ratio = if (ratio - f64::round(ratio)).abs() < 0.08 {
            ratio + 0.1
        } else {
            ratio
        };
        let real = |v: f64| Complex::new(v, 0.0);
        let (k, class) = match random.below(3) {
            0 => ([real(first), real(first * ratio)], FoldedClass::Node),
            1 => (
                [real(first), real(-first * random.between(0.3, 3.0))],
                FoldedClass::Saddle,
            ),
            _ => {
                let k = Complex::new(random.sign() * first, random.between(0.2, 1.0));
                ([k, k.conj()], FoldedClass::Focus)
            }
        };
        Self {
            k,
            class,
            bend: random.between(-0.3, 0.3),
            epsilon: random.log_between(1e-3, 0.02),
        }
    }
    /// The study, with units.
    fn text(&self, units: &Chosen) -> String {
        let Self { k, bend, epsilon, .. } = self;
        let (a, b) = (-2.0 * (k[0] * k[1]).re, 2.0 * (k[0] + k[1]).re);
        let ([x, z, w], time) = (units.states, units.time);
        let largest = k[0].norm().max(k[1].norm());
        format!(
            "Study(title: \"form\", system: Smooth(states: [\"X\", \"Z\", \"W\"], parameters: {{\"e\": {epsilon:?}}}, \
             define: {{\"x\": \"X/({x:?})\", \"q\": \"Z/({z:?})\", \"z\": \"q + {bend:?}*q^2\", \"w\": \"W/({w:?})\"}}, \
             equations: [\"X' = ({:?})*(w + x^2)/e\", \"Z' = ({:?})/(1 + {:?}*q)\", \"W' = ({:?})*(-({a:?})*z - ({b:?})*x)\"], \
             slow_fast: SlowFast(fast: \"X\", epsilon: \"e\")), \
             slow_fast: [Portrait(name: \"p\", within: {{\"X\": {}, \"Z\": {}, \"W\": {}}}, time: {:?}, orbits: 2, manifolds: 3, mesh: (6, 12))])",
            x / time,
            z / time,
            2.0 * bend,
            w / time,
            units.within(0, largest),
            units.within(1, 0.6),
            units.within(2, 1.0),
            0.5 * time
        )
    }
    /// x, z and w of a state.
    fn coordinates(&self, x: &[f64], units: &Chosen) -> [f64; 3] {
        let x = units.in_one(x);
        [x[0], x[1] + self.bend * x[1] * x[1], x[2]]
    }
    /// What is wrong with a portrait.
    fn wrong(&self, found: &PortraitResult, units: &Chosen) -> Vec<String> {
        let mut wrong: Vec<String> = found.missing.clone();
        let mut check = |what: &str, off: f64, most: f64| {
            if off.is_nan() || off > most {
                wrong.push(format!("{what}: {off:e}"));
            }
        };
        let [at] = &found.singularities[..] else {
            return vec![format!("{} singularities", found.singularities.len())];
        };
        check("class", f64::from(at.class != self.class), 0.0);
        let size = self.k[1].norm();
        let by_parts = |a: &Complex<f64>, b: &Complex<f64>| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im));
        let mut eigenvalues = self.k.map(|k| k * -2.0);
        eigenvalues.sort_by(by_parts);
        for (found, known) in at.eigenvalues.iter().zip(eigenvalues) {
            check("eigenvalue", (found * units.time.powi(2) - known).norm(), 1e-9 * size);
        }
        for (v, l) in at.eigenvectors.iter().zip(at.eigenvalues) {
            // Along (k, 1, 0) in x, z and w.
            let k = l * units.time.powi(2) * -0.5;
            let slope = (v[0] / units.states[0]) / (v[1] / units.states[1]);
            let length = v.iter().map(|v| v.norm_sqr()).sum::<f64>().sqrt();
            check("eigenvector", (slope - k).norm().max((length - 1.0).abs()), 1e-8);
        }
        // On the fold x = w = 0, the reduced flow runs onto it where w' > 0.
        let towards = 2.0 * (self.k[0] * self.k[1]).re;
        for (x, kind) in found.fold_kinds.iter().flatten() {
            let [x, z, w] = self.coordinates(x, units);
            check("fold", x.abs().max(w.abs()), 1e-9);
            let right = match kind {
                FoldKind::Jump => towards * z > 0.0,
                FoldKind::NonUnique => towards * z < 0.0,
                FoldKind::Singular => z.abs() < 1e-9,
            };
            check("kind of fold", f64::from(!right), 0.0);
        }
        let nodes = found.mesh.iter().flat_map(|mesh| mesh.nodes.iter().flatten());
        for node in nodes {
            let [x, _, w] = self.coordinates(&node.state, units);
            check(
                "sheet",
                (w + x * x).abs().max((node.slope * units.time - 2.0 * x).abs()),
                1e-9,
            );
        }
        let real: Vec<f64> = self.k.iter().map(|k| k.re).collect();
        let canards = if self.class == FoldedClass::Focus { 0 } else { 2 };
        check(
            "number of canards",
            (found.canards.len() as f64 - f64::from(canards)).abs(),
            0.0,
        );
        for (number, (_, canard)) in found.canards.iter().enumerate() {
            // The strong or vrai one comes first.
            let k = match self.class {
                FoldedClass::Node => real[1 - number],
                _ => real[number],
            };
            check("kind", f64::from((canard.kind == CanardKind::Vrai) != (k > 0.0)), 0.0);
            let mut longest: f64 = 0.0;
            for at in &canard.points {
                let [x, z, w] = self.coordinates(&at.state, units);
                longest = longest.max(z.abs());
                let off = [
                    x - k * z,
                    w + x * x,
                    at.time / units.time - z,
                    at.slope * units.time - 2.0 * x,
                ];
                check(
                    "canard",
                    off.into_iter().fold(0.0, |most: f64, v| most.max(v.abs())),
                    1e-6,
                );
            }
            // Next to a resonance rounding takes over before its time.
            check("length of canard", f64::from(longest < 0.2), 0.0);
        }
        let vrai = if canards == 0 {
            vec![]
        } else {
            vec![real[0].max(real[1])]
        };
        check(
            "number of maximal canards",
            (found.maximal.len() as f64 - vrai.len() as f64).abs(),
            0.0,
        );
        for ((_, canard), k) in found.maximal.iter().zip(vrai) {
            let crossing = self.coordinates(&canard.crossing, units);
            check(
                "crossing",
                (crossing[2] - self.epsilon * k).abs(),
                1e-6 * self.epsilon * k,
            );
            for at in &canard.points {
                let [x, z, w] = self.coordinates(&at.state, units);
                let off = [x - k * z, w + x * x - self.epsilon * k, at.time / units.time - z];
                check(
                    "maximal canard",
                    off.into_iter().fold(0.0, |most: f64, v| most.max(v.abs())),
                    1e-6,
                );
            }
        }
        wrong.truncate(5);
        wrong
    }
}

#[test]
fn normal_forms_of_folded_singularities_have_the_same_canards_in_all_units() {
    let class = "normal forms in units";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let form = NormalForm::random(&mut random);
        let units = Chosen::random(&mut random, 6.0);
        let text = form.text(&units);
        let found = form.wrong(&run(&text).portraits[0], &units);
        if !found.is_empty() {
            wrong.push((member, format!("{found:?} {:?}\n{text}", form.k)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// ε x' = y + x - x³/3, y' = -x + a sin 2πθ, θ' = w in units: a portrait with tables of all kinds, with so many `lines` of
/// each kind.
fn forced(a: f64, w: f64, upto: f64, lines: usize, units: &Chosen) -> String {
    let ([x, y, _], time) = (units.states, units.time);
    format!(
        "Study(title: \"forced\", system: Smooth(states: [\"X\", \"Y\", \"th\"], angles: {{\"th\": 1}}, parameters: {{\"a\": {a:?}, \"e\": 0.01}}, \
         define: {{\"x\": \"X/({x:?})\", \"y\": \"Y/({y:?})\"}}, \
         equations: [\"X' = ({:?})*(y + x - x^3/3)/e\", \"Y' = ({:?})*(-x + a*sin(2*pi*th))\", \"th' = {:?}\"], \
         slow_fast: SlowFast(fast: \"X\", epsilon: \"e\")), \
         slow_fast: [Portrait(name: \"p\", within: {{\"X\": {}, \"Y\": {}}}, time: {:?}, orbits: {lines}, manifolds: {lines}, mesh: (6, 12), \
         fates: Fates(over: \"th\", from: {{\"X\": {:?}}}, samples: 7, horizon: {:?}), returns: Returns(count: 5, horizon: {:?}), \
         over: Over(parameter: \"a\", range: (0.5, {upto:?})))])",
        x / time,
        y / time,
        w / time,
        units.within(0, 2.2),
        units.within(1, 1.5),
        0.3 * time / w,
        1.4 * x,
        0.6 * time / w,
        5.0 * time
    )
}

/// Over the amplitude, the folded singularities at x = ±1, sin 2πθ = ±1/a are saddles and nodes from their merger at
/// a = 1 on, and the nodes become foci where their determinant 4π w √(a² - 1) passes 1/4.
#[test]
fn folded_singularities_change_their_class_at_the_same_parameters_in_all_units() {
    let class = "changes of class in units";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let w = random.log_between(0.05, 0.5);
        let meets = (1.0 + (16.0 * PI * w).powi(-2)).sqrt();
        let a = meets + random.sign() * random.between(0.2, 0.6) * (meets - 1.0);
        let upto = meets + random.between(1.0, 3.0) * (meets - 1.0);
        let mut units = Chosen::random(&mut random, 6.0);
        units.states[2] = 1.0;
        let text = forced(a, w, upto, 0, &units);
        let result = run(&text);
        let found = &result.portraits[0];
        let mut bad: Vec<String> = vec![];
        let time = units.time;
        let (angle, det) = ((1.0 / a).asin() / TAU, 4.0 * PI * w * (a * a - 1.0).sqrt());
        for at in &found.singularities {
            let x = units.in_one(&at.state);
            let saddle = at.invariants.1 < 0.0;
            let other = if det < 0.25 {
                FoldedClass::Node
            } else {
                FoldedClass::Focus
            };
            let known = if saddle { FoldedClass::Saddle } else { other };
            // sin 2πθ = x / a.
            let phases = [angle, 0.5 - angle].map(|p| (x[0].signum() * p).rem_euclid(1.0));
            let off = phases.iter().map(|p| (p - x[2]).abs()).fold(1.0, f64::min);
            let right = at.class == known
                && (x[0].abs() - 1.0).abs() < 1e-9
                && off < 1e-9
                && (at.invariants.0 * time.powi(2) + 1.0).abs() < 1e-8
                && (at.invariants.1 * time.powi(4) + if saddle { det } else { -det }).abs() < 1e-7 * det;
            if !right {
                bad.push(format!("{:?} at {x:?}", at.class));
            }
        }
        if (found.singularities.len(), found.branches.len()) != (4, 4) {
            bad.push(format!("{} and {}", found.singularities.len(), found.branches.len()));
        }
        for (_, branch) in &found.branches {
            let of = |wanted: FoldedTransition| -> Vec<f64> {
                let all = branch.transitions.iter().filter(|(kind, ..)| *kind == wanted);
                all.map(|(_, value, _)| *value).collect()
            };
            let (mergers, turns) = (of(FoldedTransition::SaddleNode), of(FoldedTransition::NodeFocus));
            let right = matches!(mergers[..], [at] if (at - 1.0).abs() < 1e-8)
                && matches!(turns[..], [at] if (at - meets).abs() < 1e-8);
            if !right {
                bad.push(format!("{mergers:?} and {turns:?} for {meets}"));
            }
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?} {units:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// All numbers of a portrait, in units of one.
struct Numbers<'a> {
    units: &'a Chosen,
    all: Vec<f64>,
}

impl Numbers<'_> {
    fn state(&mut self, x: &[f64]) {
        self.all.extend(self.units.in_one(x));
    }
    fn time(&mut self, t: f64) {
        self.all.push(t / self.units.time);
    }
    fn reduced(&mut self, at: &ReducedPoint) {
        self.time(at.time);
        self.state(&at.state);
        self.all.push(at.slope * self.units.time);
    }
    fn singularity(&mut self, at: &FoldedSingularity) {
        let square = self.units.time.powi(2);
        self.state(&at.state);
        self.all.push(f64::from(at.class as u8));
        self.all
            .extend([at.invariants.0 * square, at.invariants.1 * square * square]);
        for (l, v) in at.eigenvalues.iter().zip(&at.eigenvectors) {
            self.all.extend([l.re * square, l.im * square]);
            // Of length one in these states, whatever the length in others.
            let length = v.iter().map(|v| v.norm_sqr()).sum::<f64>().sqrt();
            let v: Vec<Complex<f64>> = v.iter().zip(self.units.states).map(|(v, unit)| v / unit).collect();
            let own = v.iter().map(|v| v.norm_sqr()).sum::<f64>().sqrt();
            self.all.push(length);
            self.all.extend(v.iter().flat_map(|v| [v.re / own, v.im / own]));
        }
    }
    fn outcome(&mut self, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Jumps(time)) => self.time(time),
            Some(Outcome::Turns) => self.all.push(-1.0),
            None => self.all.push(-2.0),
        }
    }
    /// A length along a slow direction, as a vector.
    fn along(&mut self, length: f64, direction: &[f64]) {
        let v: Vec<f64> = direction.iter().map(|v| v * length).collect();
        self.state(&v);
    }

    fn of(found: &PortraitResult, units: &Chosen) -> Vec<f64> {
        let mut numbers = Numbers { units, all: vec![] };
        let n = &mut numbers;
        if let Some(mesh) = &found.mesh {
            for axis in &mesh.axes {
                n.all.extend([axis.from, axis.to].map(|v| v / units.states[axis.state]));
            }
            for at in mesh.nodes.iter().flatten() {
                n.state(&at.state);
                n.all.push(at.slope * units.time);
            }
        }
        found.folds.iter().flat_map(|l| &l.points).for_each(|x| n.state(x));
        for (x, kind) in found.fold_kinds.iter().flatten() {
            n.state(x);
            n.all.push(f64::from(*kind as u8));
        }
        found.singularities.iter().for_each(|at| n.singularity(at));
        for (_, canard) in &found.canards {
            n.singularity(&canard.through);
            canard.points.iter().for_each(|at| n.reduced(at));
        }
        found.reduced_orbits.iter().flatten().for_each(|at| n.reduced(at));
        for (number, canard) in &found.maximal {
            for at in &canard.points {
                n.time(at.time);
                n.state(&at.state);
            }
            n.state(&canard.crossing);
            n.along(canard.shifts[0], &canard.across[0]);
            n.along(canard.shifts[1], &canard.across[1]);
            // A slope times a slow direction is a change of the fast state.
            let slow = units
                .in_one(&canard.across[2])
                .iter()
                .map(|v| v * v)
                .sum::<f64>()
                .sqrt();
            n.all
                .extend(canard.slopes.map(|slope| slope / (units.states[0] * slow)));
            for (_, shift, orbit) in found.manifolds.iter().filter(|(of, ..)| of == number) {
                let repelling = orbit.sheet == slipstick_slow_fast::Stability::Repelling;
                n.along(*shift, &canard.across[usize::from(repelling)]);
                for at in &orbit.points {
                    n.time(at.time);
                    n.state(&at.state);
                }
            }
            for (_, cuts) in found.sections.iter().filter(|(of, _)| of == number) {
                for at in cuts.iter().flatten() {
                    n.along(at[0], &canard.across[2]);
                    n.all.push(at[1] / units.states[0]);
                }
            }
        }
        for one in &found.outcomes {
            n.state(&one.start);
            n.outcome(one.reduced);
            n.outcome(one.full);
        }
        n.all.extend(found.separatrices.iter().map(|(_, at)| at.value));
        for (_, fibre) in &found.returns {
            n.reduced(&fibre.launch);
            n.state(&fibre.landing.state);
            n.all.push(fibre.landing.slope * units.time);
            n.along(units.time, &fibre.tangent);
        }
        for (_, branch) in &found.branches {
            let points = branch.points.iter().map(|(value, at)| (value, at));
            for (value, at) in points.chain(branch.transitions.iter().map(|(_, value, at)| (value, at))) {
                n.all.push(*value);
                n.singularity(at);
            }
        }
        numbers.all
    }
}

/// Units that are powers of two round nothing, so all tables are the same, row by row.
#[test]
fn all_tables_of_portraits_are_the_same_in_all_units() {
    let class = "tables in units";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let w = random.log_between(0.02, 0.3);
        let meets = (1.0 + (16.0 * PI * w).powi(-2)).sqrt();
        let a = 1.0 + random.between(0.3, 0.9) * (meets - 1.0);
        let form = NormalForm::random(&mut random);
        for angle in [true, false] {
            let text = |units: &Chosen| {
                if angle {
                    forced(a, w, 2.0 * a, 2, units)
                } else {
                    form.text(units)
                }
            };
            let one = Chosen::exact(&mut random, angle);
            let other = Chosen::exact(&mut random, angle);
            let [one_run, other_run] = [&one, &other].map(|units| run(&text(units)));
            let (one_found, other_found) = (&one_run.portraits[0], &other_run.portraits[0]);
            let (a, b) = (Numbers::of(one_found, &one), Numbers::of(other_found, &other));
            let off = |(a, b): (&f64, &f64)| {
                if a.is_nan() && b.is_nan() {
                    0.0
                } else {
                    (a - b).abs() / a.abs().max(1.0)
                }
            };
            let offs: Vec<f64> = a.iter().zip(&b).map(off).collect();
            let most = offs.iter().fold(
                0.0,
                |most: f64, v| if v.is_nan() { f64::INFINITY } else { most.max(*v) },
            );
            let same = a.len() == b.len() && most <= 1e-7 && one_found.missing == other_found.missing;
            let filled = a.len() > 1000 && (!angle || !(one_found.returns.is_empty() || one_found.outcomes.is_empty()));
            if !(same && filled) {
                let first = offs.iter().position(|v| *v > 1e-7);
                wrong.push((
                    member,
                    format!(
                        "{} and {} numbers, {most:e} from {first:?} on, {:?} {:?} {one:?} {other:?}\n{}",
                        a.len(),
                        b.len(),
                        one_found.missing,
                        other_found.missing,
                        text(&one)
                    ),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}
