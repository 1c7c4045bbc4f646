//! Relays in feedback with linear systems of third order, `x' = A x - B sgn(c x)`: in companion coordinates, where c x is
//! the first state, the eigenvalues of the sliding mode are the zeros of `B1 s² + B2 s + B3`. Where B2 passes zero they
//! are imaginary, and a cycle that leaves the surface on both sides ends as the largest closed orbit of the sliding mode.

use super::known::{labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use super::relays_of_degree_two::companion;
use nalgebra::{Matrix3, Vector3};
use slipstick_bifurcation::{End, Label};
use std::f64::consts::TAU;

/// A = b + mu d, of which the second entries are zero together at `centre`.
struct Relay {
    a: Matrix3<f64>,
    b: Vector3<f64>,
    d: Vector3<f64>,
    centre: f64,
}

impl Relay {
    fn random(random: &mut Random) -> Self {
        loop {
            let a = companion(random);
            let b = Vector3::new(1.0, random.between(-0.6, 0.6), random.between(0.4, 1.5));
            let d = Vector3::new(0.0, random.sign() * random.between(0.4, 1.0), random.between(-0.6, 0.6));
            let centre = -b[1] / d[1];
            if centre.abs() < 0.9 && b[2] + centre * d[2] > 0.2 {
                return Self { a, b, d, centre };
            }
        }
    }

    /// The period of the closed orbits of the sliding mode.
    fn period(&self) -> f64 {
        TAU / (self.b[2] + self.centre * self.d[2]).sqrt()
    }

    /// A curve of its cycle, written in these coordinates and with the switching function of this sign.
    fn study(&self, c: &Coordinates, sign: f64, word: &str) -> String {
        let sum = |row: &[f64]| {
            let terms = row.iter().enumerate().map(|(j, v)| format!("({v:?})*x{}", j + 1));
            terms.collect::<Vec<_>>().join(" + ")
        };
        let m = |v: &[Vec<f64>]| Matrix3::from_fn(|i, j| v[i][j]);
        let field = m(&c.matrix) * self.a * m(&c.inverse);
        let [b, d] = [self.b, self.d].map(|v| c.states((sign * v).as_slice()));
        let equations = (0..3).map(|i| {
            let row: Vec<f64> = (0..3).map(|j| field[(i, j)]).collect();
            format!(
                "\"x{}' = {} - (({:?}) + ({:?})*mu)*sgn(h)\"",
                i + 1,
                sum(&row),
                b[i],
                d[i]
            )
        });
        let height: Vec<f64> = c.inverse[0].iter().map(|v| sign * v).collect();
        // The centre is unstable where the second entry is negative.
        let side = -self.d[1].signum();
        let (at, far) = (self.centre + 0.05 * side, self.centre + 0.08 * side);
        let beyond = self.centre - 0.05 * side;
        format!(
            "Study(title: \"relay\", system: Filippov(states: [\"x1\", \"x2\", \"x3\"], parameters: {{\"mu\": {at:?}}}, \
             surfaces: {{\"h\": \"{}\"}}, equations: [{}], symmetry: {{\"x1\": \"-x1\", \"x2\": \"-x2\", \"x3\": \"-x3\"}}, \
             start: {}), curves: [Curve(name: \"c\", orbit: {word}, start: Settle(at: {{\"mu\": {at:?}}}), free: \"mu\", \
             range: ({:?}, {:?}), switch: Auto, points: 2000)])",
            sum(&height),
            equations.collect::<Vec<_>>().join(", "),
            c.states_text(&[1e-3, 0.5, 0.3]),
            far.min(beyond),
            far.max(beyond),
        )
    }
}

#[test]
fn sliding_cycles_end_where_the_sliding_mode_is_a_centre_however_they_are_written() {
    let class = "sliding centres";
    let count = members(24);
    let (mut wrong, mut cycles) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let relay = Relay::random(&mut random);
        let (plain, other) = (
            Coordinates::plain(3),
            Coordinates::random(&mut random, 3, [1.0, 0.0, 0.0]),
        );
        let whole = "Periodic(\"h+ h0 h- h0\")";
        let writings = [
            (&plain, 1.0, whole),
            (&other, 1.0, whole),
            (&other, -1.0, "Symmetric(\"h- h0\")"),
        ];
        let mut told = 0;
        for (c, sign, word) in writings {
            let text = relay.study(c, sign, word);
            let result = run(&text);
            // Others settle to words with more segments, or run off.
            let Some(own) = result.curves.first() else { continue };
            told += 1;
            let ends = own.pieces.iter().flat_map(|p| &p.branch.ends);
            let shrunk = ends.filter(|end| matches!(end, End::Shrunk { .. })).count();
            let near = |at: f64| (at - relay.centre).abs();
            let here: Vec<_> = labels(own).into_iter().filter(|(_, at, _)| near(*at) <= 1e-6).collect();
            let right = match here[..] {
                [(Label::VS, at, p)] => {
                    let one = p.record.multipliers.iter().any(|m| m.log10 == 0.0 && m.arg == 0.0);
                    near(at) <= 1e-9
                        && (p.record.period / relay.period() - 1.0).abs() <= 1e-9
                        && one
                        && p.record.unstable == 0
                }
                _ => false,
            };
            if !right || shrunk != 1 {
                wrong.push((member, format!("{}: {shrunk}, {}\n{text}", relay.centre, own.special())));
            }
        }
        if told != 0 && told != writings.len() {
            wrong.push((
                member,
                format!("{told} writings have a cycle\n{}", relay.study(&plain, 1.0, whole)),
            ));
        }
        cycles += usize::from(told > 0);
    }
    none_wrong(class, count, &wrong);
    assert!(2 * cycles >= count, "{cycles} of {count} have cycles");
}
