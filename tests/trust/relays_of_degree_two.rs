//! Relays in feedback with linear systems x' = A x - B sgn(c x), c B = 0: the rate of c x does not jump, and nothing
//! slides. In other coordinates c B is a sum of products that cancel but for rounding.

use super::known::{labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use nalgebra::{Matrix3, RowVector3, Vector3};
use slipstick_bifurcation::{End, Label};
use slipstick_study as study;
use slipstick_system::ModeKind;

/// How many modes slide.
fn sliding(text: &str) -> usize {
    let plan = study::parse("study.ron".as_ref(), text.to_owned())
        .unwrap()
        .plan(&[])
        .unwrap();
    let modes = &plan.systems[0].system.modes;
    modes.iter().filter(|mode| mode.kind == ModeKind::Stick).count()
}

/// Whatever coordinates they are written in there is no sliding mode; with the slightest c B there is.
#[test]
fn no_relay_slides_whose_rate_does_not_jump() {
    let class = "relays of degree two";
    let count = members(40);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 2 + member % 4;
        let c = Coordinates::random(&mut random, n, [2.0, 0.0, 0.0]);
        let [constant, slope]: [Vec<f64>; 2] = [0, 1].map(|_| (1..n).map(|_| random.between(-1.0, 1.0)).collect());
        let field: Vec<Vec<f64>> = (0..n)
            .map(|_| (0..n).map(|_| random.between(-1.0, 1.0)).collect())
            .collect();
        let text = |first: f64| {
            let states = (0..n).map(|i| format!("\"x{i}\"")).collect::<Vec<_>>().join(", ");
            let with =
                |first: f64, rest: &[f64]| -> Vec<f64> { std::iter::once(first).chain(rest.iter().copied()).collect() };
            let [b, d] = [with(first, &constant), with(0.0, &slope)].map(|u| c.states(&u));
            let equations = (0..n).map(|i| {
                let terms = (0..n).map(|j| format!("({:?})*x{j}", field[i][j]));
                let linear = terms.collect::<Vec<_>>().join(" + ");
                format!("\"x{i}' = {linear} - (({:?}) + ({:?})*mu)*sgn(h)\"", b[i], d[i])
            });
            let equations = equations.collect::<Vec<_>>().join(", ");
            let height = (0..n)
                .map(|i| format!("({:?})*x{i}", c.inverse[0][i]))
                .collect::<Vec<_>>()
                .join(" + ");
            format!(
                "Study(title: \"relay\", system: Filippov(states: [{states}], parameters: {{\"mu\": {:?}}}, surfaces: {{\"h\": \"{height}\"}}, \
                 equations: [{equations}], start: {{}}), curves: [])",
                0.5 * f64::from(u8::from(member % 3 > 0)),
            )
        };
        let [none, some] = [0.0, 1e-9].map(|first| sliding(&text(first)));
        if (none, some) != (0, 1) {
            wrong.push((member, format!("{none} and {some} sliding modes\n{}", text(0.0))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A relay of third order in companion coordinates, where c x is the first state: B = b + mu d.
struct Relay {
    a: Matrix3<f64>,
    b: Vector3<f64>,
    d: Vector3<f64>,
}

/// A decaying linear system of third order in companion coordinates: a rate and a damped pair.
pub(crate) fn companion(random: &mut Random) -> Matrix3<f64> {
    let (decay, w, z) = (
        random.between(0.3, 2.0),
        random.between(0.5, 2.0),
        random.between(0.05, 0.9),
    );
    let (one, two) = (2.0 * z * w, w * w);
    let [p, q, r] = [one + decay, two + decay * one, decay * two];
    Matrix3::new(-p, 1.0, 0.0, -q, 0.0, 1.0, -r, 0.0, 0.0)
}

impl Relay {
    /// One whose orbits turn back to the surface, and where they shrink to the origin: with the half period τ they
    /// satisfy c tanh(Aτ/2) A⁻¹ B = 0, and c tanh(Aτ/2) A⁻¹ B = c B τ/2 - c A² B τ³/24 + …
    fn random(random: &mut Random) -> (Self, f64) {
        loop {
            let a = companion(random);
            let b = Vector3::new(0.0, random.between(0.2, 1.0), random.between(-1.0, 1.0));
            let d = Vector3::new(0.0, random.between(-0.1, 0.1), random.sign() * random.between(0.3, 1.0));
            let square = RowVector3::new(1.0, 0.0, 0.0) * a * a;
            let limit = -(square * b)[0] / (square * d)[0];
            if limit.abs() < 1.0 && b[1] + limit * d[1] > 0.15 {
                return (Self { a, b, d }, limit);
            }
        }
    }

    /// The value of mu with an orbit of this half period, and the state at which it comes to the side where the first
    /// state is positive.
    fn orbit(&self, half: f64) -> (f64, Vector3<f64>) {
        // (1 + e^(Aτ))⁻¹ times the integral of e^(As) up to τ.
        let (mut flow, mut integral, mut term) = (Matrix3::zeros(), Matrix3::zeros(), Matrix3::identity());
        for k in 1..60 {
            flow += term;
            integral += term * (half / f64::from(k));
            term = term * self.a * (half / f64::from(k));
        }
        let solved = (Matrix3::identity() + flow).lu().solve(&integral).unwrap();
        let [b, d] = [self.b, self.d].map(|v| solved * v);
        let mu = -b[0] / d[0];
        let start = b + mu * d;
        (mu, if start[1] > 0.0 { start } else { -start })
    }
}

/// Their orbits shrink to the origin, with periods that tend to zero: the family ends there, and rounding is no fold.
#[test]
fn orbits_of_relays_shrink_to_the_origin() {
    let class = "relays of degree two that shrink";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (relay, limit) = Relay::random(&mut random);
        let half = random.between(0.3, 0.8);
        let (mu, start) = relay.orbit(half);
        let c = match member % 2 {
            0 => Coordinates::random(&mut random, 3, [1.0, 0.0, 0.0]),
            _ => Coordinates::plain(3),
        };
        let sum = |row: &[f64], name: &str| {
            let terms = row.iter().enumerate().map(|(j, v)| format!("({v:?})*{name}{}", j + 1));
            terms.collect::<Vec<_>>().join(" + ")
        };
        let m = |v: &[Vec<f64>]| Matrix3::from_fn(|i, j| v[i][j]);
        let field = m(&c.matrix) * relay.a * m(&c.inverse);
        let [b, d] = [relay.b, relay.d].map(|v| c.states(v.as_slice()));
        let equations = (0..3).map(|i| {
            let row: Vec<f64> = (0..3).map(|j| field[(i, j)]).collect();
            format!(
                "\"x{}' = {} - (({:?}) + ({:?})*mu)*sgn(h)\"",
                i + 1,
                sum(&row, "x"),
                b[i],
                d[i]
            )
        });
        let width = 1.5 * (mu - limit).abs();
        let text = format!(
            "Study(title: \"relay\", system: Filippov(states: [\"x1\", \"x2\", \"x3\"], parameters: {{\"mu\": {mu:?}}}, \
             surfaces: {{\"h\": \"{}\"}}, equations: [{}], symmetry: {{\"x1\": \"-x1\", \"x2\": \"-x2\", \"x3\": \"-x3\"}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"h+ h-\"), start: Guess(at: {{\"mu\": {mu:?}}}, states: [{}, {}], \
             durations: [{half:?}, {half:?}]), free: \"mu\", range: ({:?}, {:?}))])",
            sum(&c.inverse[0], "x"),
            equations.collect::<Vec<_>>().join(", "),
            c.states_text(start.as_slice()),
            c.states_text((-start).as_slice()),
            limit - width,
            limit + width,
        );
        let result = run(&text);
        let Some(own) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let ends = own.pieces.iter().flat_map(|p| &p.branch.ends);
        let told = ends.filter_map(|end| match end {
            End::Shrunk { meaning } => meaning.rsplit_once("tends to ")?.1.parse::<f64>().ok(),
            _ => None,
        });
        let off: Vec<f64> = told.map(|v| (v - limit).abs()).collect();
        let rounding = labels(own)
            .iter()
            .filter(|(label, at, _)| *label != Label::SB && (at - limit).abs() <= 1e-2 * width)
            .count();
        if !matches!(off[..], [off] if off <= 1e-8) || rounding > 0 {
            wrong.push((
                member,
                format!("{limit}: {off:?}, {rounding}, {}\n{text}", own.special()),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
