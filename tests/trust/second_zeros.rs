//! Curves in two parameters along which a second eigenvalue, or a second multiplier, comes to the one that is kept, with
//! an eigenvector of its own, where one of the families turns back in the parameters; in random linear coordinates of
//! the states and of both parameters, with units of 10^±3.

use super::known::{none_wrong, pieces, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// Both parameters P = a q + b r and Q = c q + d r of a system, and the units of q and r.
struct Plane {
    coordinates: Coordinates,
    mixed: [[f64; 2]; 2],
    unit: f64,
}

impl Plane {
    fn random(random: &mut Random, n: usize) -> Self {
        let coordinates = Coordinates::random(random, n, [3.0, 3.0, 0.0]);
        let mut entry = || random.sign() * random.between(0.4, 1.2);
        let mut mixed = [[entry(), entry()], [entry(), entry()]];
        // At an angle.
        if (mixed[0][0] * mixed[1][1] - mixed[0][1] * mixed[1][0]).abs() < 0.4 {
            mixed[1][1] = -mixed[1][1];
        }
        let unit = 10f64.powf(random.between(-3.0, 3.0));
        Self {
            coordinates,
            mixed,
            unit,
        }
    }

    /// Of these P and Q.
    fn parameters(&self, [p, q]: [f64; 2]) -> [f64; 2] {
        let [[a, b], [c, d]] = self.mixed;
        let determinant = a * d - b * c;
        [(d * p - b * q) / determinant, (a * q - c * p) / determinant]
    }

    /// P and Q at a point of a curve.
    fn at(&self, point: &BranchPoint) -> [f64; 2] {
        let (q, r) = (
            self.coordinates.q(point.record.parameters[0]),
            point.record.parameters[1] / self.unit,
        );
        self.mixed.map(|[a, b]| a * q + b * r)
    }

    /// The states u at a point of a curve.
    fn states(&self, point: &BranchPoint) -> Vec<f64> {
        let x = &point.point.z;
        let row = |row: &Vec<f64>| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() / self.coordinates.state;
        self.coordinates.inverse.iter().map(row).collect()
    }

    /// The study of these fields: a curve over q from these states, for P and Q there, up to this change of q, and one
    /// in both parameters from its first point with this label, over this part of the unit.
    fn study(
        &self,
        is_map: bool,
        fields: &[String],
        [start, change]: [(f64, [f64; 2], &[f64]); 2],
        label: Label,
    ) -> String {
        let [q, r] = self.parameters(start.1);
        let system = if is_map {
            self.coordinates.map(fields, q)
        } else {
            self.coordinates.smooth(fields, q)
        };
        let p = self.coordinates.p(q);
        let [[a, b], [c, d]] = self.mixed;
        let system = system.replacen(
            &format!("\"p\": {p:?}}}"),
            &format!("\"p\": {p:?}, \"s\": {:?}}}", r * self.unit),
            1,
        );
        let system = system.replacen(
            "\"f1\":",
            &format!(
                "\"r\": \"s/({:?})\", \"P\": \"({a:?})*q + ({b:?})*r\", \"Q\": \"({c:?})*q + ({d:?})*r\", \"f1\":",
                self.unit
            ),
            1,
        );
        let kind = if is_map { "FixedPoint" } else { "Equilibrium" };
        let ordered = |a: f64, b: f64| format!("({:?}, {:?})", a.min(b), a.max(b));
        let reach = start.0;
        format!(
            "Study(title: \"second zero\", system: {system}, \
             curves: [Curve(name: \"c\", orbit: {kind}, start: Guess(at: {{\"p\": {p:?}}}, states: [{}]), free: \"p\", range: {})], \
             loci: [Locus(name: \"l\", from: \"c: {label} 1\", free: (\"p\", \"s\"), range: ({}, {}))])",
            self.coordinates.states_text(start.2),
            ordered(p, self.coordinates.p(q + change.0)),
            ordered(self.coordinates.p(-reach), self.coordinates.p(reach)),
            ordered(-reach * self.unit, reach * self.unit),
        )
    }
}

fn special(points: &[&BranchPoint]) -> Vec<(Label, usize)> {
    let labelled = points.iter().enumerate().filter_map(|(i, p)| Some((p.label?, i)));
    labelled.collect()
}

/// Does the curve reach the border of its range at both ends, with these labels in between?
fn has_labels(points: &[&BranchPoint], expected: &[Label]) -> bool {
    let found: Vec<Label> = special(points).into_iter().map(|(label, _)| label).collect();
    let ends = |p: Option<&&BranchPoint>| p.is_some_and(|p| p.message.starts_with("end of the range"));
    let mut inner: Vec<Label> = found.get(1..found.len().saturating_sub(1)).unwrap_or_default().to_vec();
    let mut expected = expected.to_vec();
    inner.sort_by_key(|label| label.code());
    expected.sort_by_key(|label| label.code());
    ends(points.first()) && ends(points.last()) && inner == expected
}

/// x' = P - c x² - e u², u' = u (α x - Q + κ x²) - s u³, with a state that decays: branch points lie at P = c x² and
/// Q = α x + κ x² for every x, through the fold of the equilibria u = 0 at x = 0.
#[test]
fn curves_of_branch_points_pass_folds_of_the_family() {
    let class = "branch points through folds";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let is_map = member % 2 == 1;
        let n = 2 + member / 2 % 2;
        let plane = Plane::random(&mut random, n);
        let [c, alpha, s] = [0; 3].map(|_| random.between(0.4, 1.2));
        let (e, kappa) = (random.between(-1.0, 1.0), random.between(-0.3, 0.3));
        let (x, before) = (random.sign() * random.between(0.25, 0.5), random.sign() * 0.02);
        let step = if is_map { 0.2 } else { 1.0 };
        let mut fields = vec![
            format!("P - ({c:?})*u1^2 - ({e:?})*u2^2"),
            format!("u2*(({alpha:?})*u1 - Q + ({kappa:?})*u1^2) - ({s:?})*u2^3"),
        ];
        if n == 3 {
            fields.push("-u3 + u1*u3^2".to_owned());
        }
        if is_map {
            for (i, f) in fields.iter_mut().enumerate() {
                *f = format!("u{} + {step:?}*({f})", i + 1);
            }
        }
        // The curve over q begins next to the branch point at x.
        let place = [c * x * x, alpha * x + kappa * x * x];
        let [[a, _], [b, _]] = plane.mixed;
        let start = [place[0] + a * before, place[1] + b * before];
        let from = x.signum() * (start[0] / c).sqrt();
        let mut states = vec![0.0; n];
        states[0] = from;
        let reach = 1.5;
        let text = plane.study(
            is_map,
            &fields,
            [(reach, start, &states), (-3.0 * before, start, &states)],
            Label::BP,
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        // The cubic coefficient vanishes where s = -(α + 2 κ x) e / (2 c x), which may lie on the curve.
        let degenerate = -alpha * e / (2.0 * (c * s + kappa * e));
        let inside = |points: &[&BranchPoint]| {
            let ends = [points.first(), points.last()].map(|p| p.map_or(0.0, |p| plane.states(p)[0]));
            (degenerate - ends[0]) * (degenerate - ends[1]) < 0.0
        };
        let is_right = |points: &Vec<&BranchPoint>| {
            let mut expected = vec![Label::codimension_two(Label::BP, Label::LP)];
            if inside(points) {
                expected.push(Label::DP);
            }
            let on_it = |p: &&BranchPoint| {
                let (u, [p, q]) = (plane.states(p), plane.at(p));
                let off = [p - c * u[0] * u[0], q - alpha * u[0] - kappa * u[0] * u[0], u[1]];
                off.iter().all(|v| v.abs() <= 1e-9)
            };
            let at = |p: &BranchPoint| plane.at(p).iter().all(|v| v.abs() <= 1e-8);
            let double = points.iter().filter(|p| p.label == Some(expected[0]));
            // It runs through the fold without turning round.
            let x: Vec<f64> = points.iter().map(|p| plane.states(p)[0]).collect();
            let forward = x.windows(2).all(|x| x[1] > x[0] - 1e-12) || x.windows(2).all(|x| x[1] < x[0] + 1e-12);
            has_labels(points, &expected) && points.iter().all(on_it) && double.into_iter().all(|p| at(p)) && forward
        };
        if found.len() != 1 || !found.iter().all(is_right) {
            let said: Vec<_> = found.iter().map(|p| (p.len(), special(p))).collect();
            wrong.push((member, format!("{said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The folds P = 0 of the same systems, and the period doublings P = 0 of maps of which another multiplier is -1 at
/// Q = 0: the derivatives have two eigenvectors there, and there is no Bogdanov–Takens point and no resonance.
#[test]
fn double_zeros_of_folds_and_period_doublings_with_two_eigenvectors_are_no_resonances() {
    let class = "two eigenvectors";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let kind = member % 3;
        let plane = Plane::random(&mut random, 2);
        let [c, alpha, s] = [0; 3].map(|_| random.between(0.4, 1.2));
        let e = random.between(-0.6, 0.6);
        let q = random.sign() * random.between(0.3, 0.6);
        let (fields, label) = if kind == 2 {
            let fields = vec![
                format!("-u1*(1 + 0.25*P) + ({c:?})*u1^3 + ({e:?})*u1*u2^2"),
                format!("-u2*(1 + 0.25*Q) + ({s:?})*u2^3 + ({alpha:?})*u2*u1^2"),
            ];
            (fields, Label::PD)
        } else {
            let rates = [
                format!("P - ({c:?})*u1^2 - ({e:?})*u2^2"),
                format!("u2*(({alpha:?})*u1 - Q) - ({s:?})*u2^3"),
            ];
            let fields = match kind {
                0 => rates.to_vec(),
                _ => rates
                    .iter()
                    .enumerate()
                    .map(|(i, f)| format!("u{} + 0.2*({f})", i + 1))
                    .collect(),
            };
            (fields, Label::LP)
        };
        // Next to the point at this Q.
        let [[a, _], [b, _]] = plane.mixed;
        let before = 0.03 * a.signum();
        let start = [a * before, q + b * before];
        let x = if kind == 2 { 0.0 } else { (start[0] / c).sqrt() };
        let text = plane.study(
            kind > 0,
            &fields,
            [(2.5, start, &[x, 0.0]), (-3.0 * before, start, &[])],
            label,
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        let other = if label == Label::PD { Label::PD } else { Label::BP };
        let known = Label::codimension_two(label, other);
        let is_right = |points: &Vec<&BranchPoint>| {
            let on_it = |p: &&BranchPoint| plane.at(p)[0].abs() <= 1e-9;
            let at = |p: &&&BranchPoint| plane.at(p)[1].abs() <= 1e-7;
            has_labels(points, &[known])
                && points.iter().all(on_it)
                && points.iter().filter(|p| p.label == Some(known)).all(|p| at(&p))
        };
        if found.len() != 1 || !found.iter().all(is_right) {
            let said: Vec<_> = found.iter().map(|p| (p.len(), special(p))).collect();
            wrong.push((member, format!("{said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Curves M = m + κ T² = 0 that begin at T = 0, where m turns back: of folds, branch points and Hopf points, period
/// doublings and Neimark–Sacker points. Nothing happens along them, whichever parameter comes first.
#[test]
fn curves_that_begin_where_their_first_parameter_turns_have_no_label_there() {
    let class = "starts at a turn";
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let label = [Label::LP, Label::BP, Label::HB, Label::PD, Label::NS][member % 5];
        let is_map = matches!(label, Label::PD | Label::NS);
        let planar = matches!(label, Label::HB | Label::NS);
        let n = if planar { 3 } else { 2 };
        let coordinates = Coordinates::random(&mut random, n, [3.0, 3.0, 0.0]);
        let (kappa, angle) = (random.sign() * random.between(0.3, 0.9), random.between(0.8, 1.4));
        let turned = |own: &str| format!("(1 + 0.5*M)*(({:?})*u1 + ({:?})*u2){own}", angle.cos(), -angle.sin());
        let mut fields: Vec<String> = match label {
            Label::LP => vec!["M - u1^2".into()],
            Label::BP => vec!["M*u1 - u1^3".into()],
            Label::HB => vec!["M*u1 - u2 - u1*R".into(), "u1 + M*u2 - u2*R".into()],
            Label::PD => vec!["-(1 + 0.5*M)*u1 + u1^3".into()],
            _ => vec![
                turned(" - 0.4*u1*R"),
                format!(
                    "(1 + 0.5*M)*(({:?})*u1 + ({:?})*u2) - 0.4*u2*R",
                    angle.sin(),
                    angle.cos()
                ),
            ],
        };
        let own = format!("u{n}");
        fields.push(if is_map {
            format!("0.5*{own} + 0.5*T")
        } else {
            format!("T - {own}")
        });
        let (start, end) = if label == Label::LP { (0.3, -0.3) } else { (-0.3, 0.3) };
        let mut states = vec![0.0; n];
        if label == Label::LP {
            states[0] = 0.3f64.sqrt();
        }
        let p = coordinates.p(start);
        let kind = if is_map { "FixedPoint" } else { "Equilibrium" };
        let system = if is_map {
            coordinates.map(&fields, start)
        } else {
            coordinates.smooth(&fields, start)
        };
        let system = system
            .replacen(&format!("\"p\": {p:?}}}"), &format!("\"p\": {p:?}, \"T\": 0}}"), 1)
            .replacen(
                "\"f1\":",
                &format!(
                    "\"M\": \"q + ({kappa:?})*{own}^2\", {}\"f1\":",
                    if planar { "\"R\": \"u1^2 + u2^2\", " } else { "" }
                ),
                1,
            );
        let range = format!("({:?}, {:?})", coordinates.p(-3.0), coordinates.p(3.0));
        let text = format!(
            "Study(title: \"turn\", system: {system}, \
             curves: [Curve(name: \"c\", orbit: {kind}, start: Guess(at: {{\"p\": {p:?}}}, states: [{}]), free: \"p\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"l\", from: \"c: {label} 1\", free: (\"p\", \"T\"), range: ({range}, (-1, 1))), \
             Locus(name: \"m\", from: \"c: {label} 1\", free: (\"T\", \"p\"), range: ((-1, 1), {range}))])",
            coordinates.states_text(&states),
            coordinates.p(start.min(end)),
            coordinates.p(start.max(end)),
        );
        let result = run(&text);
        for name in ["l", "m"] {
            let found = pieces(&result, name);
            let is_right = |points: &Vec<&BranchPoint>| {
                let on_it = |p: &&BranchPoint| {
                    let [p, t] = [p.record.parameters[0], p.record.parameters[1]];
                    (coordinates.q(p) + kappa * t * t).abs() <= 1e-8
                };
                has_labels(points, &[]) && points.iter().all(on_it)
            };
            if found.len() != 1 || !found.iter().all(is_right) {
                let said: Vec<_> = found.iter().map(|p| (p.len(), special(p))).collect();
                wrong.push((member, format!("{name}: {said:?} {:?}\n{text}", result.missing)));
            }
        }
    }
    none_wrong(class, count, &wrong);
}
