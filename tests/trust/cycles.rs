//! Families of cycles known in closed form: folds, ends at Hopf points, doublings, tori, branch points.

use super::known::{Verdict, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, End, Label};
use slipstick_study::CurveResult;
use std::f64::consts::{LN_10, TAU};

/// The exponents of the scales of states, parameter and time in which cycles are written down.
const SCALES: [f64; 3] = [7.0, 9.0, 5.0];

/// A system with cycles in the plane of the first two states, in coordinates and scales of its own.
struct Member {
    coordinates: Coordinates,
    fields: Vec<String>,
    /// How the cycles are solved and followed, as in a study.
    how: String,
}

impl Member {
    fn new(random: &mut Random, fields: Vec<String>) -> Self {
        let coordinates = Coordinates::random(random, fields.len(), SCALES);
        let method = match random.below(4) {
            0 => format!("Shooting(shots: {})", 1 + random.below(6)),
            1 => format!("Collocation(stages: {})", 4 + random.below(5)),
            _ => "Auto".into(),
        };
        let how = format!(
            "method: {method}, step: Step(largest: {:?}), points: 3000",
            coordinates.parameter * random.log_between(0.02, 0.2)
        );
        Self {
            coordinates,
            fields,
            how,
        }
    }

    /// The study of the cycles through `u` at `q`, of period `period`, in (-1, 1).
    fn study(&self, q: f64, u: &[f64], period: f64) -> String {
        let c = &self.coordinates;
        format!(
            "Study(title: \"cycles\", system: {}, curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"p\": {:?}}}, states: [{}], durations: [{:?}]), free: \"p\", range: ({:?}, {:?}), {})])",
            c.smooth(&self.fields, q),
            c.parameter * q,
            c.states_text(u),
            c.time * period,
            -c.parameter,
            c.parameter,
            self.how,
        )
    }

    /// The largest error along the curve.
    fn error(&self, system: &Bautin, cycles: &CurveResult) -> f64 {
        let c = &self.coordinates;
        system.error(cycles, (&|p| p / c.parameter, c.time), !self.how.contains("Shooting"))
    }

    /// The labels of a curve, at values of q.
    fn labels(&self, points: &[(Label, f64, &BranchPoint)]) -> Vec<(Label, f64)> {
        points.iter().map(|l| (l.0, l.1 / self.coordinates.parameter)).collect()
    }
}

/// r' = r (q - q1 + a r² - r⁴), θ' = ω (1 + b r²) about an equilibrium that moves with q, beside directions that grow
/// or decay.
pub(crate) struct Bautin {
    pub(crate) q1: f64,
    a: f64,
    omega: f64,
    b: f64,
    rates: Vec<f64>,
    /// Where the equilibrium is at q = 0, and how fast it moves.
    pub(crate) centre: Vec<[f64; 2]>,
}

impl Bautin {
    pub(crate) fn random(random: &mut Random) -> Self {
        let beside = random.below(3);
        // At rest at the origin, at rest elsewhere, or moving.
        let (rest, moves) = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)][random.below(3)];
        let centre = (0..2 + beside)
            .map(|_| [rest * random.between(-2.0, 2.0), moves * random.between(-0.3, 0.3)])
            .collect();
        Self {
            q1: random.between(-0.4, 0.4),
            a: random.sign() * random.log_between(0.2, 1.4),
            omega: random.log_between(0.3, 3.0),
            b: random.between(-0.3, 0.3),
            rates: (0..beside)
                .map(|_| random.sign() * random.log_between(0.05, 1.0))
                .collect(),
            centre,
        }
    }

    pub(crate) fn fields(&self) -> Vec<String> {
        let v: Vec<String> = self
            .centre
            .iter()
            .enumerate()
            .map(|(i, [at, by])| format!("(u{} - ({at:?}) - ({by:?})*q)", i + 1))
            .collect();
        let square = format!("({}^2 + {}^2)", v[0], v[1]);
        let g = format!("(q - ({:?}) + ({:?})*{square} - {square}^2)", self.q1, self.a);
        let w = format!("({:?})*(1 + ({:?})*{square})", self.omega, self.b);
        let mut fields = vec![
            format!("{g}*{} - {w}*{}", v[0], v[1]),
            format!("{g}*{} + {w}*{}", v[1], v[0]),
        ];
        fields.extend(
            self.rates
                .iter()
                .zip(&v[2..])
                .map(|(rate, v)| format!("({rate:?})*{v}")),
        );
        fields
    }

    /// r² on the branch of large cycles.
    pub(crate) fn square(&self, q: f64) -> f64 {
        0.5 * self.a + (0.25 * self.a * self.a + q - self.q1).sqrt()
    }

    pub(crate) fn period(&self, square: f64) -> f64 {
        TAU / (self.omega * (1.0 + self.b * square))
    }

    /// The largest error of the periods, relative, and of the logarithms of the multipliers, along a curve.
    pub(crate) fn error(&self, cycles: &CurveResult, (q, time): (&dyn Fn(f64) -> f64, f64), multipliers: bool) -> f64 {
        // The first point is told on the mesh of its guess; at a fold the square of the radius is ill-conditioned.
        let points = cycles.points().skip(1).filter(|p| p.2.label != Some(Label::HB));
        let errors = points.map(|(_, _, p)| {
            let q = q(p.point.parameter());
            let root = (0.25 * self.a * self.a + q - self.q1).max(0.0).sqrt();
            if root < 0.02 {
                return 0.0;
            }
            let sheet = |square: f64| {
                let period = self.period(square);
                let mut exponents: Vec<f64> = self.rates.iter().map(|rate| rate * period).collect();
                exponents.push(2.0 * (self.a - 2.0 * square) * square * period);
                exponents.sort_by(|a, b| b.total_cmp(a));
                let found = p.record.multipliers.iter().map(|m| m.log10 * LN_10);
                let apart = found.zip(&exponents).fold(0.0f64, |m, (f, e)| m.max((f - e).abs()));
                // Of few shots the smaller multipliers lose digits to the larger ones.
                let apart = if multipliers { apart } else { 0.0 };
                apart.max((p.record.period / (time * period) - 1.0).abs())
            };
            sheet(0.5 * self.a + root).min(sheet(0.5 * self.a - root))
        });
        errors.fold(0.0, f64::max)
    }

    pub(crate) fn known(&self) -> Vec<(Label, f64)> {
        let mut known = vec![(Label::HB, self.q1)];
        if self.a > 0.0 {
            known.push((Label::LP, self.q1 - 0.25 * self.a * self.a));
        }
        known
    }
}

/// Families that end at a Hopf point, beyond a fold where that is subcritical.
#[test]
fn ends_at_hopf_points() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("ends at Hopf points", member);
        let system = Bautin::random(&mut random);
        let case = Member::new(&mut random, system.fields());
        let square = system.square(0.9);
        let mut start: Vec<f64> = system.centre.iter().map(|[at, by]| at + 0.9 * by).collect();
        start[0] += square.sqrt();
        let text = case.study(0.9, &start, system.period(square));
        let result = run(&text);
        let Some(cycles) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("nothing: {:?}\n{text}", result.missing)));
            continue;
        };
        let found = case.labels(&labels(cycles));
        let verdict = Verdict::of(&found, &system.known(), 1e-9);
        let ends = cycles.pieces.iter().flat_map(|p| &p.branch.ends);
        let shrunk = ends.filter(|e| matches!(e, End::Shrunk { .. })).count();
        let error = case.error(&system, cycles);
        if !verdict.is_right() || shrunk != 1 || error > 1e-8 {
            wrong.push((member, format!("{verdict:?} {shrunk} ends, error {error:e}\n{text}")));
        }
    }
    none_wrong("ends at Hopf points", count, &wrong);
}

/// Families that begin at a Hopf point: each once, from small cycles on.
#[test]
fn begun_at_hopf_points() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("begun at Hopf points", member);
        let system = Bautin::random(&mut random);
        let case = Member::new(&mut random, system.fields());
        let c = &case.coordinates;
        let start: Vec<f64> = system.centre.iter().map(|[at, by]| at - 0.9 * by).collect();
        let text = format!(
            "Study(title: \"cycles\", system: {}, curves: [
                Curve(name: \"e\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", range: ({:?}, {:?})),
                Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"e, HB\"), free: \"p\", range: ({:?}, {:?}), {})])",
            c.smooth(&case.fields, -0.9),
            -0.9 * c.parameter,
            c.states_text(&start),
            -c.parameter,
            c.parameter,
            -c.parameter,
            c.parameter,
            case.how,
        );
        let result = run(&text);
        let Some(cycles) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("nothing: {:?}\n{text}", result.missing)));
            continue;
        };
        let found = case.labels(&labels(cycles));
        let mut known = system.known();
        known.retain(|k| k.0 != Label::HB);
        let verdict = Verdict::of(&found, &known, 1e-9);
        let error = case.error(&system, cycles);
        let last = cycles.points().last().map(|p| p.2.point.parameter() / c.parameter);
        if !verdict.is_right() || error > 1e-8 || last != Some(1.0) {
            wrong.push((member, format!("{verdict:?} up to {last:?}, error {error:e}\n{text}")));
        }
    }
    none_wrong("begun at Hopf points", count, &wrong);
}

/// The circle r = 1, gone round in 2π/ω, beside which something happens at q1: what, and its fields in u1, …, un.
pub(crate) fn beside_circle(random: &mut Random, rate: &str) -> (Label, Vec<String>, f64) {
    let omega = random.log_between(0.3, 3.0);
    let g = "(1 - u1^2 - u2^2)";
    let mut fields = vec![
        format!("({omega:?})*({g}*u1 - u2)"),
        format!("({omega:?})*({g}*u2 + u1)"),
    ];
    let (c, w) = (random.sign() * random.between(0.2, 1.0), random.between(0.1, 0.4));
    let label = match random.below(3) {
        0 => {
            let (cos, sin) = ("u1", "u2");
            let a2 = format!("((u3^2*(1+{cos}) + 2*u3*u4*{sin} + u4^2*(1-{cos}))/2)");
            let g = format!("({rate} + ({c:?})*{a2})");
            fields.push(format!(
                "({omega:?})*({g}*(u3*(1+{cos}) + u4*{sin})/2 + (u4*{sin} - u3*(1-{cos}))/2 - u4/2)"
            ));
            fields.push(format!(
                "({omega:?})*({g}*(u3*{sin} + u4*(1-{cos}))/2 - (u4*(1+{cos}) - u3*{sin})/2 + u3/2)"
            ));
            Label::PD
        }
        1 => {
            let g = format!("({rate} + ({c:?})*(u3^2 + u4^2))");
            fields.push(format!("({omega:?})*({g}*u3 - ({w:?})*u4)"));
            fields.push(format!("({omega:?})*({g}*u4 + ({w:?})*u3)"));
            Label::NS
        }
        _ => {
            let a = if random.below(2) == 0 {
                0.0
            } else {
                random.between(0.2, 1.0)
            };
            fields.push(format!("({omega:?})*({rate}*u3 + ({a:?})*u3^2 + ({c:?})*u3^3)"));
            Label::BP
        }
    };
    (label, fields, omega)
}

/// Doublings, tori or branch points beside a circle, at each of the places drawn: labels within `tolerance`.
fn check_beside_circle(class: &str, tolerance: f64, places: impl Fn(&mut Random) -> Vec<f64>) {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let places = places(&mut random);
        let slope = random.sign() * random.log_between(0.1, 0.5);
        let factors: Vec<String> = places.iter().map(|q| format!("(q - ({q:?}))")).collect();
        let (label, fields, omega) = beside_circle(&mut random, &format!("({slope:?})*{}", factors.join("*")));
        let mut case = Member::new(&mut random, fields);
        // Trajectories of states of 1e7 with a part that is zero up to rounding take steps without end: collocation
        // only.
        if case.how.contains("Shooting") {
            case.how = "points: 3000".into();
        }
        let mut start = vec![0.0; case.fields.len()];
        start[0] = 1.0;
        let text = case.study(0.9, &start, TAU / omega);
        let result = run(&text);
        let Some(cycles) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("nothing: {:?}\n{text}", result.missing)));
            continue;
        };
        let found = case.labels(&labels(cycles));
        let known: Vec<(Label, f64)> = places.iter().map(|q| (label, *q)).collect();
        let verdict = Verdict::of(&found, &known, tolerance);
        let period = case.coordinates.time * TAU / omega;
        let error = cycles
            .points()
            .fold(0.0f64, |m, p| m.max((p.2.record.period / period - 1.0).abs()));
        if !verdict.is_right() || error > 1e-9 {
            wrong.push((member, format!("{label} {verdict:?}, error {error:e}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// One doubling, torus or branch point beside a circle.
#[test]
fn beside_a_circle() {
    check_beside_circle("beside a circle", 1e-9, |r| vec![r.between(-0.5, 0.5)]);
}

/// Two of them, nearer to each other than a step.
#[test]
fn pairs_beside_a_circle() {
    check_beside_circle("pairs beside a circle", 1e-9, |r| {
        let d = r.log_between(1e-2, 0.3);
        let q = r.between(-0.5, 0.5 - d);
        vec![q, q + d]
    });
}

/// A plane system that is conservative at d = 0 only, where cycles about its centre fill a continuum: oscillators with
/// damping d. No label but that of the end, which says what it is.
#[test]
fn conservative_cycles_are_one_continuum() {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("conservative", member);
        let (a, w) = (random.between(0.3, 2.0), random.between(0.5, 2.0));
        let field = match member % 3 {
            0 => format!("{w:?}*(1 - exp({a:?}*x)) + d*y"),
            1 => format!("-{w:?}*x + {a:?}*x^2 + d*y"),
            _ => format!("-{w:?}*x - {a:?}*x^3 + d*y"),
        };
        let text = format!(
            "Study(title: \"conservative\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"d\": 0}}, equations: [\"x' = y\", \"y' = {field}\"]), curves: [\
             Curve(name: \"e\", orbit: Equilibrium, start: Guess(at: {{\"d\": -0.1}}, states: [{{\"x\": 0, \"y\": 0}}]), free: \"d\", range: (-0.5, 0.5)),\
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"e, HB\"), free: \"d\", range: (-0.5, 0.5), points: 300)])"
        );
        let result = run(&text);
        let found = super::known::curve(&result, "c");
        let labels: Vec<(Label, &str)> = found
            .points()
            .filter_map(|(_, _, p)| Some((p.label?, p.message.as_str())))
            .collect();
        let right = matches!(&labels[..], [(Label::EP, said)] if said.contains("continuum") != said.contains("while d is constant"));
        let largest = found
            .points()
            .map(|(_, _, p)| p.point.parameter().abs())
            .fold(0.0, f64::max);
        if !right || largest > 1e-6 || found.points().count() < 20 {
            wrong.push((member, format!("{labels:?}, d up to {largest:.1e}\n{text}")));
        }
    }
    none_wrong("conservative", count, &wrong);
}

/// v' = (-i + g v - b v³)/C, i' = (v - R i)/L in SI units: a supercritical Hopf point at g = R C/L, and no folds
/// behind it.
#[test]
fn circuits_in_si_units_have_no_folds() {
    let class = "circuits in SI units";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (l, c) = (random.log_between(3e-4, 3e-3), random.log_between(2e-11, 2e-10));
        let (r, b) = (random.log_between(10.0, 60.0), random.log_between(1e-4, 5e-4));
        let text = format!(
            "Study(title: \"circuit\", system: Smooth(states: [\"v\", \"i\"], parameters: {{\"g\": 1e-4}}, \
             equations: [\"v' = (-i + g*v - ({b:?})*v^3)/({c:?})\", \"i' = (v - ({r:?})*i)/({l:?})\"], start: {{\"v\": 0.1}}), curves: [\
             Curve(name: \"r\", orbit: Equilibrium, start: Guess(at: {{\"g\": -1e-4}}, states: [{{\"v\": 0, \"i\": 0}}]), free: \"g\", range: (-2e-4, 9e-4)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"r, HB\"), free: \"g\", range: (-2e-4, 9e-4))])",
        );
        let result = run(&text);
        let folds = result
            .curves
            .iter()
            .flat_map(labels)
            .filter(|l| l.0 == Label::LP)
            .count();
        if result.curves.len() < 2 || folds > 0 {
            wrong.push((member, format!("{folds} folds\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
