//! Rest on the intersection of two surfaces in the plane, where the surfaces leave no state any freedom, and its
//! borders in two parameters.

use super::known::{curve, none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// u' = α - u + d v - sgn a - k sgn b and v' = β - v + e u - sgn b - l sgn a, where α = q + c p and β = p + f q, with
/// the surfaces a: u = 0 and b: v = 0: rest is known in closed form in every mode.
struct Relays {
    /// c and f.
    parameters: [f64; 2],
    /// d and e.
    states: [f64; 2],
    /// k and l.
    signs: [f64; 2],
}

impl Relays {
    fn random(random: &mut Random) -> Self {
        let mut two = |size: f64| [0, 1].map(|_| random.between(-size, size));
        Self {
            parameters: two(0.5),
            states: two(0.5),
            signs: two(0.5),
        }
    }

    /// α and β.
    fn loads(&self, [p, q]: [f64; 2]) -> [f64; 2] {
        [q + self.parameters[0] * p, p + self.parameters[1] * q]
    }

    /// The parameters at which rest on the intersection has these signs.
    fn parameters_of(&self, [first, second]: [f64; 2]) -> [f64; 2] {
        let loads = [first + self.signs[0] * second, second + self.signs[1] * first];
        let [c, f] = self.parameters;
        [
            (loads[1] - f * loads[0]) / (1.0 - c * f),
            (loads[0] - c * loads[1]) / (1.0 - c * f),
        ]
    }

    /// The signs on the intersection.
    fn signs_at(&self, parameters: [f64; 2]) -> [f64; 2] {
        let [alpha, beta] = self.loads(parameters);
        let [k, l] = self.signs;
        [(alpha - k * beta) / (1.0 - k * l), (beta - l * alpha) / (1.0 - k * l)]
    }

    /// How far rest in a mode is from each of its borders: from the surfaces that it is beside, in u and v, and of those
    /// that it is on from both ends of the sign; negative beyond it.
    fn distances(&self, mode: &str, parameters: [f64; 2]) -> Vec<f64> {
        let [alpha, beta] = self.loads(parameters);
        let ([d, e], [k, l]) = (self.states, self.signs);
        let side = |name: &str| match mode.split(',').find_map(|part| part.strip_prefix(name)) {
            Some("+") => Some(1.0),
            Some("-") => Some(-1.0),
            _ => None,
        };
        let ends = |sign: f64| [1.0 - sign, 1.0 + sign];
        match (side("a"), side("b")) {
            (Some(s), Some(t)) => {
                let (r, w): (f64, f64) = (alpha - s - k * t, beta - t - l * s);
                vec![s * (r + d * w) / (1.0 - d * e), t * (w + e * r) / (1.0 - d * e)]
            }
            (None, Some(t)) => {
                let v = (beta - t - l * (alpha - k * t)) / (1.0 + l * d);
                [&ends(alpha + d * v - k * t)[..], &[t * v]].concat()
            }
            (Some(s), None) => {
                let u = (alpha - s - k * (beta - l * s)) / (1.0 + k * e);
                [&ends(beta + e * u - l * s)[..], &[s * u]].concat()
            }
            (None, None) => self.signs_at(parameters).into_iter().flat_map(ends).collect(),
        }
    }

    /// The system in states x with (u, v) = M x, with a curve of rest on the intersection, and one that begins where both
    /// signs are +1.
    fn study(&self, random: &mut Random, free: [&str; 2]) -> String {
        let turn = random.between(0.0, 6.3);
        let (stretch, shear) = (random.log_between(0.5, 2.0), random.between(-1.0, 1.0));
        let units = [0, 1].map(|_| random.log_between(1e-2, 1e2));
        let (cos, sin) = (turn.cos(), turn.sin());
        let turned = [
            [cos * stretch, cos * shear - sin / stretch],
            [sin * stretch, sin * shear + cos / stretch],
        ];
        // The determinant is that of the units.
        let m = turned.map(|row| [row[0] * units[0], row[1] * units[1]]);
        let det = units[0] * units[1];
        let inverse = [[m[1][1] / det, -m[0][1] / det], [-m[1][0] / det, m[0][0] / det]];
        let linear =
            |row: [f64; 2], names: [&str; 2]| format!("({:?})*{} + ({:?})*{}", row[0], names[0], row[1], names[1]);
        let surfaces = m.map(|row| linear(row, ["x", "y"]));
        let rates = [
            format!(
                "q + ({:?})*p - a + ({:?})*b - sgn(a) - ({:?})*sgn(b)",
                self.parameters[0], self.states[0], self.signs[0]
            ),
            format!(
                "p + ({:?})*q - b + ({:?})*a - sgn(b) - ({:?})*sgn(a)",
                self.parameters[1], self.states[1], self.signs[1]
            ),
        ];
        let equations = inverse.map(|row| linear(row, ["f", "g"]));
        // u = v = 2, and signs +1.
        let ([d, e], [k, l]) = (self.states, self.signs);
        let loads = [3.0 - 2.0 * d + k, 3.0 - 2.0 * e + l];
        let [c, f] = self.parameters;
        let there = [
            (loads[1] - f * loads[0]) / (1.0 - c * f),
            (loads[0] - c * loads[1]) / (1.0 - c * f),
        ];
        let at = inverse.map(|row| 2.0 * row[0] + 2.0 * row[1]);
        let on = self.parameters_of([random.between(-0.8, 0.8), random.between(-0.8, 0.8)]);
        let point = |[p, q]: [f64; 2]| format!("{{\"p\": {p:?}, \"q\": {q:?}}}");
        let [first, second] = free;
        format!(
            "Study(title: \"rest on two surfaces\", system: Filippov(states: [\"x\", \"y\"], parameters: {}, \
             define: {{\"f\": \"{}\", \"g\": \"{}\"}}, surfaces: {{\"a\": \"{}\", \"b\": \"{}\"}}, \
             equations: [\"x' = {}\", \"y' = {}\"], start: {{\"x\": 0.5, \"y\": 0.4}}), \
             curves: [Curve(name: \"on\", orbit: EquilibriumIn(\"a0,b0\"), start: Guess(at: {0}, states: [{{\"x\": 0, \"y\": 0}}]), \
             free: \"p\", range: (-9, 9)), \
             Curve(name: \"beside\", orbit: EquilibriumIn(\"a+,b+\"), start: Guess(at: {}, states: [{{\"x\": {:?}, \"y\": {:?}}}]), \
             free: \"p\", range: (-9, 9))], \
             loci: [Locus(name: \"border\", from: \"on: BE\", free: (\"{first}\", \"{second}\"), range: ((-9, 9), (-9, 9))), \
             Locus(name: \"other\", from: \"beside: BE\", free: (\"{first}\", \"{second}\"), range: ((-9, 9), (-9, 9)))])",
            point(on),
            rates[0],
            rates[1],
            surfaces[0],
            surfaces[1],
            equations[0],
            equations[1],
            point(there),
            at[0],
            at[1],
        )
    }
}

fn parameters(point: &BranchPoint) -> [f64; 2] {
    [point.record.parameters[0], point.record.parameters[1]]
}

/// A curve of rest on the intersection reaches to where one of the signs is ±1, on both sides, and that border is
/// followed to where the other one is; borders of rest in all modes that the curves come through are where they are
/// known to be, and end where two borders meet.
#[test]
fn rest_on_an_intersection_that_leaves_no_state_free_is_followed_with_its_borders() {
    const EXACT: f64 = 1e-8;
    let class = "rest on two surfaces";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let relays = Relays::random(&mut random);
        let free = if member % 2 == 0 { ["p", "q"] } else { ["q", "p"] };
        let text = relays.study(&mut random, free);
        let result = run(&text);
        let mut said: Vec<String> = result.missing.iter().map(|m| format!("{m:?}")).collect();
        let mut borders = vec![];
        for name in ["on", "beside"] {
            let all = curve(&result, name);
            for (_, piece, point) in all.points() {
                let at = parameters(point);
                let distances = relays.distances(&piece.word, at);
                let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
                match point.label {
                    None if least < -EXACT => said.push(format!("{} at {at:?}", piece.word)),
                    Some(Label::BE) if distances.iter().all(|d| d.abs() > EXACT) => {
                        said.push(format!("no border of {} at {at:?}: {distances:?}", piece.word));
                    }
                    Some(Label::MX) => said.push(format!("{name} ends at {at:?}: {}", point.message)),
                    _ => {}
                }
                if name == "on" && piece.word == "a0,b0" && point.label == Some(Label::BE) {
                    borders.push(at);
                }
            }
        }
        // Both ends of the rest on the intersection.
        let signs = borders.iter().map(|at| relays.signs_at(*at));
        let on_border = |[u, v]: [f64; 2]| (u.abs().max(v.abs()) - 1.0).abs() <= EXACT;
        if borders.len() != 2 || !signs.clone().all(on_border) {
            said.push(format!("borders at {borders:?}, signs {:?}", signs.collect::<Vec<_>>()));
        }
        let mut corners = vec![];
        for name in ["border", "other"] {
            for piece in pieces(&result, name) {
                for point in &piece {
                    let at = parameters(point);
                    let modes = [
                        "a+,b+", "a+,b-", "a-,b+", "a-,b-", "a0,b+", "a0,b-", "a+,b0", "a-,b0", "a0,b0",
                    ];
                    let near = |mode: &&str| relays.distances(mode, at).iter().any(|d| d.abs() <= EXACT);
                    if !modes.iter().any(near) {
                        said.push(format!("no border at {at:?}"));
                    }
                }
                let ends = [piece.first(), piece.last()].map(|p| p.unwrap());
                for end in ends {
                    match end.label {
                        Some(Label::EP) => {}
                        Some(label) if label.to_string() == "BE+BE" => corners.push(parameters(end)),
                        other => said.push(format!(
                            "{name} ends as {other:?} at {:?}: {}",
                            parameters(end),
                            end.message
                        )),
                    }
                }
            }
        }
        for at in &borders {
            let [u, v] = relays.signs_at(*at);
            let expected = [-1.0, 1.0].map(|other| {
                relays.parameters_of(if u.abs() > v.abs() {
                    [u.signum(), other]
                } else {
                    [other, v.signum()]
                })
            });
            for corner in expected {
                let near = |[p, q]: &[f64; 2]| (p - corner[0]).abs().max((q - corner[1]).abs()) <= EXACT;
                if !corners.iter().any(near) {
                    said.push(format!("no end at {corner:?} among {corners:?}"));
                }
            }
        }
        if !said.is_empty() {
            said.truncate(6);
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
