//! Boundary equilibria of fields that jump at a surface, known in closed form: linear on one side, constant on the
//! other.

use super::known::{Verdict, curve, labels, none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_flow::{SimulationOptions, simulate};
use slipstick_study as study;

/// The solution of A x = b, by elimination.
pub(super) fn solved(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut rows: Vec<Vec<f64>> = a
        .iter()
        .zip(b)
        .map(|(r, b)| r.iter().copied().chain([*b]).collect())
        .collect();
    for k in 0..n {
        let best = (k..n)
            .max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()))
            .unwrap();
        rows.swap(k, best);
        for i in (0..n).filter(|i| *i != k) {
            let factor = rows[i][k] / rows[k][k];
            for j in k..=n {
                rows[i][j] -= factor * rows[k][j];
            }
        }
    }
    (0..n).map(|k| rows[k][n] / rows[k][k]).collect()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// u' = A u + b q where n·u > 0, u' = e where n·u < 0 (or with the sides exchanged), u = x - c, q = mu - m.
struct Member {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    e: Vec<f64>,
    n: Vec<f64>,
    c: Vec<f64>,
    m: f64,
    side: f64,
    /// The unit of the switching function.
    unit: f64,
}

const NAMES: [&str; 3] = ["x", "y", "z"];

impl Member {
    fn random(random: &mut Random, dimension: usize) -> Self {
        loop {
            let mut vector = || -> Vec<f64> { (0..dimension).map(|_| random.between(-1.0, 1.0)).collect() };
            let a: Vec<Vec<f64>> = (0..dimension).map(|_| vector()).collect();
            let (b, e, n, c) = (vector(), vector(), vector(), vector());
            let made = Self {
                a,
                b,
                e,
                n,
                c,
                m: random.between(-0.5, 0.5),
                side: random.sign(),
                unit: random.log_between(1e-4, 1e4),
            };
            let along = [made.criterion(), made.rise(), dot(&made.n, &made.e)];
            let generic = along.iter().all(|v| v.abs() > 0.1 && v.abs() < 10.0);
            let decided = dimension == 3 || made.discriminant().abs() > 0.05 && made.trace().abs() > 0.05;
            if generic && decided {
                return made;
            }
        }
    }

    /// The surface is x = 0, and the equilibrium moves along x alone, through zero: everything else of it is zero.
    fn along_an_axis(random: &mut Random, dimension: usize) -> Self {
        loop {
            let mut made = Self::random(random, dimension);
            let speed = random.sign() * random.log_between(0.3, 3.0);
            made.n = (0..dimension).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
            made.b = made.a.iter().map(|row| -speed * row[0]).collect();
            made.c.fill(0.0);
            if random.sign() > 0.0 {
                made.m = 0.0;
            }
            let along = [made.criterion(), dot(&made.n, &made.e)];
            if along.iter().all(|v| v.abs() > 0.1 && v.abs() < 10.0) {
                return made;
            }
        }
    }

    /// n·A⁻¹e.
    fn criterion(&self) -> f64 {
        dot(&self.n, &solved(&self.a, &self.e))
    }

    /// The height of the equilibrium over the surface, per q.
    fn rise(&self) -> f64 {
        -dot(&self.n, &solved(&self.a, &self.b))
    }

    fn trace(&self) -> f64 {
        (0..self.a.len()).map(|i| self.a[i][i]).sum()
    }

    fn determinant(&self) -> f64 {
        self.a[0][0] * self.a[1][1] - self.a[0][1] * self.a[1][0]
    }

    fn discriminant(&self) -> f64 {
        0.25 * self.trace().powi(2) - self.determinant()
    }

    /// The equilibrium at q, in u.
    fn regular(&self, q: f64) -> Vec<f64> {
        solved(&self.a, &self.b).iter().map(|v| -q * v).collect()
    }

    /// Rest on the surface at q: A u + b q = -λ e, n·u = 0.
    fn sliding(&self, q: f64) -> (Vec<f64>, f64) {
        let share = self.rise() * q / self.criterion();
        let right: Vec<f64> = self.b.iter().zip(&self.e).map(|(b, e)| -(b * q + share * e)).collect();
        (solved(&self.a, &right), share)
    }

    fn system(&self, mu: f64) -> String {
        let states = &NAMES[..self.c.len()];
        let shifted = |i: usize| format!("({} - ({:?}))", states[i], self.c[i]);
        let linear = |row: &[f64]| -> String {
            let terms: Vec<String> = row
                .iter()
                .enumerate()
                .map(|(i, v)| format!("({v:?})*{}", shifted(i)))
                .collect();
            terms.join(" + ")
        };
        let own: Vec<String> = (0..states.len())
            .map(|i| {
                format!(
                    "\"{}' = {} + ({:?})*(mu - ({:?}))\"",
                    states[i],
                    linear(&self.a[i]),
                    self.b[i],
                    self.m
                )
            })
            .collect();
        let other: Vec<String> = (0..states.len())
            .map(|i| format!("\"{}' = {:?}\"", states[i], self.e[i]))
            .collect();
        let (plus, minus) = if self.side > 0.0 { (own, other) } else { (other, own) };
        let normal: Vec<f64> = self.n.iter().map(|v| self.side * v).collect();
        format!(
            "Filippov(states: [{}], parameters: {{\"mu\": {mu:?}}}, surfaces: {{\"h\": \"{:?}*({})\"}}, fields: {{\"+\": [{}], \"-\": [{}]}})",
            states.iter().map(|s| format!("\"{s}\"")).collect::<Vec<_>>().join(", "),
            self.unit,
            linear(&normal),
            plus.join(", "),
            minus.join(", "),
        )
    }

    fn mode(&self) -> &'static str {
        if self.side > 0.0 { "h+" } else { "h-" }
    }

    /// A study of one curve, from the equilibrium of a mode at q.
    fn study(&self, mode: &str, u: &[f64], q: f64) -> String {
        let mu = self.m + q;
        let at = NAMES
            .iter()
            .zip(u)
            .zip(&self.c)
            .map(|((s, u), c)| format!("\"{s}\": {:?}", u + c));
        format!(
            "Study(title: \"boundary\", system: {}, curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"{mode}\"), start: Guess(at: {{\"mu\": {mu:?}}}, states: [{{{}}}]), free: \"mu\", range: ({:?}, {:?}))])",
            self.system(mu),
            at.collect::<Vec<_>>().join(", "),
            self.m - 1.0,
            self.m + 1.0
        )
    }
}

/// The criterion that a message tells.
fn criterion_in(message: &str) -> f64 {
    let rest = message.split("n·A⁻¹g/|n·g| = ").nth(1).unwrap_or("");
    rest.split(',').next().unwrap().parse().unwrap_or(f64::NAN)
}

/// Regular equilibria and those of sliding meet at q = 0, on opposite sides of it or on the same, and each lies where
/// it belongs.
#[test]
fn curves_pass_boundary_equilibria() {
    let count = members(80);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("boundary equilibria", member);
        let made = if member < count / 2 {
            Member::random(&mut random, 2 + member % 2)
        } else {
            Member::along_an_axis(&mut random, 2 + member % 2)
        };
        let attracts = dot(&made.n, &made.e) > 0.0;
        let folds = made.criterion() > 0.0;
        // The signs of q where either exists.
        let (regular, sliding) = (made.rise().signum(), (made.rise() / made.criterion()).signum());
        let text = if attracts && member % 4 < 2 {
            made.study("h0", &made.sliding(0.6 * sliding).0, 0.6 * sliding)
        } else {
            made.study(made.mode(), &made.regular(0.6 * regular), 0.6 * regular)
        };
        let result = run(&text);
        let found = curve(&result, "c");
        let told = labels(found);
        let name = if folds { "a nonsmooth fold" } else { "persistence" };
        let escapes = told.iter().all(|l| l.2.message.contains("escaping region")) != attracts;
        let right = matches!(&told[..], [(Label::BE, at, point)]
            if (at - made.m).abs() < 1e-12 * (1.0 + at.abs()) && point.message.contains(name) && escapes
                && (criterion_in(&point.message) - made.criterion() / dot(&made.n, &made.e).abs()).abs() < 1e-9);
        let mut off = 0.0f64;
        let mut met = [0, 0];
        for (_, piece, p) in found.points() {
            let q = p.point.parameter() - made.m;
            let slides = piece.word == "h0";
            met[usize::from(slides)] += 1;
            let (known, share) = if slides {
                made.sliding(q)
            } else {
                (made.regular(q), 0.0)
            };
            // In an escaping region what lies beside the surface is driven away.
            if share < -1e-9 || (slides && !attracts && p.record.stable()) || (!slides && made.rise() * q < -1e-9) {
                off = f64::INFINITY;
            }
            for (k, known) in known.iter().enumerate() {
                let column = found.monitors.iter().position(|m| m == NAMES[k]).unwrap();
                off = off.max((p.record.monitors[column] - made.c[k] - known).abs());
            }
        }
        let whole = found.points().all(|(_, _, p)| p.label != Some(Label::MX));
        if !right || off > 1e-9 || met[0] == 0 || met[1] == 0 || !whole {
            let said: Vec<String> = told
                .iter()
                .map(|l| format!("{} {} {}", l.0, l.1, l.2.message))
                .collect();
            wrong.push((member, format!("{said:?}, off by {off:.1e}, {met:?}, {name}\n{text}")));
        }
    }
    none_wrong("boundary equilibria", count, &wrong);
}

/// In the plane: what the message says of a cycle is what the motion does that leaves an unstable focus.
#[test]
fn cycles_are_born_where_the_message_says() {
    let count = members(30);
    let mut wrong = vec![];
    let mut cycles = [0, 0];
    for member in 0..count {
        let mut random = Random::of("boundary foci", member);
        let made = loop {
            let made = Member::random(&mut random, 2);
            if made.discriminant() < 0.0 && made.trace() > 0.2 && dot(&made.n, &made.e) > 0.0 {
                break made;
            }
        };
        let q = 0.01 * made.rise().signum();
        let start = made.regular(q);
        let text = made.study(made.mode(), &start, q);
        let result = run(&text);
        let told = labels(curve(&result, "c"));
        let [(Label::BE, _, point)] = &told[..] else {
            wrong.push((member, text));
            continue;
        };
        let says = point
            .message
            .contains("unstable focus: a stable cycle with a sliding segment");
        let spec = study::parse("study.ron".as_ref(), text.clone()).unwrap().spec;
        let system = spec.system.unwrap().build("system").unwrap().system;
        let x: Vec<f64> = start.iter().zip(&made.c).map(|(u, c)| u + c + 1e-5).collect();
        let options = SimulationOptions {
            // Cycles that fly far off slide back for thousands of times.
            t_end: 1e7,
            max_events: 60,
            ..SimulationOptions::default()
        };
        let mode = system.mode(made.mode()).unwrap();
        let motion = simulate(&system, mode, &x, &[made.m + q], &options);
        // Who does not come back slides away.
        let slides = system.mode("h0").unwrap();
        let returns = motion.map_or(0, |motion| motion.segments.iter().filter(|s| s.mode == slides).count());
        cycles[usize::from(says)] += 1;
        if says != (returns > 5) {
            wrong.push((member, format!("{says} {returns} {}\n{text}", point.message)));
        }
    }
    none_wrong("cycles at boundary foci", count, &wrong);
    assert!(cycles[0] > 0 && cycles[1] > 0, "{cycles:?}");
}

/// In two parameters: n·u = s v along a straight line.
#[test]
fn boundary_equilibria_are_continued_in_two_parameters() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("boundary loci", member);
        let made = Member::random(&mut random, 2 + member % 2);
        let s = random.sign() * random.between(0.3, 1.0);
        let q = 0.6 * made.rise().signum();
        let text = made
            .study(made.mode(), &made.regular(q), q)
            .replace("parameters: {", "parameters: {\"v\": 0, ")
            .replace("*((", &format!("*(-({:?})*v + (", made.side * s))
            .replace(
                "))])",
                &format!(
                    "))], loci: [Locus(name: \"l\", from: \"c: BE\", free: (\"mu\", \"v\"), range: (({:?}, {:?}), (-1, 1)))])",
                    made.m - 1.0,
                    made.m + 1.0
                ),
            );
        let result = run(&text);
        let Some(locus) = result.curves.iter().find(|c| c.name == "l") else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let index = |name: &str| locus.parameters.iter().position(|p| p == name).unwrap();
        let off = locus.points().map(|(_, _, p)| {
            let at = |name: &str| p.record.parameters[index(name)];
            (made.rise() * (at("mu") - made.m) - s * at("v")).abs()
        });
        let off = off.fold(0.0, f64::max);
        if off > 1e-10 || locus.len() < 5 || !labels(locus).is_empty() {
            wrong.push((
                member,
                format!("off by {off:.1e}, {} points, {}\n{text}", locus.len(), locus.special()),
            ));
        }
    }
    none_wrong("boundary loci", count, &wrong);
}

/// A field A u + c x² above y = 0, with A = [[q, -b], [d, q - e]] and u = (x, y - p), a constant one below: boundary
/// equilibria at p = 0. A pair is on the axis at q = e/2, det A is zero, and n·A⁻¹g at d g₁ = q g₂, whether the curve
/// begins on the side of the field or on the surface.
#[test]
fn curves_of_boundary_equilibria_look_at_both_modes() {
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("boundary modes", member);
        let (b, d, e, c) = (
            random.sign() * random.between(0.4, 1.2),
            random.between(0.4, 1.2),
            random.between(-1.0, 1.0),
            random.between(0.1, 0.4),
        );
        let (g1, g2) = (random.between(-1.0, 1.0), random.between(0.4, 1.0));
        let (sx, sy) = (random.log_between(1e-2, 1e2), random.log_between(1e-2, 1e2));
        // Apart from all of the places.
        let q0 = -1.7;
        let mut known = vec![];
        if e * e / 4.0 < b * d + e * e / 2.0 && b * d - e * e / 4.0 > 0.0 {
            known.push((Label::codimension_two(Label::BE, Label::HB), e / 2.0));
        }
        let fold = Label::codimension_two(Label::BE, Label::LP);
        known.push((fold, d * g1 / g2));
        let root = e * e / 4.0 - b * d;
        if root > 0.0 {
            known.extend([1.0, -1.0].map(|sign| (fold, e / 2.0 + sign * root.sqrt())));
        }
        known.retain(|(_, q)| q.abs() < 2.0);
        let near = |at: f64, by: f64| known.iter().filter(|(_, q)| (q - at).abs() < by).count();
        if near(q0, 0.2) > 0 || known.iter().any(|(_, q)| near(*q, 0.05) > 1 || q.abs() > 1.95) {
            continue;
        }
        // Pseudo-equilibria beside p = 0, where the field of the upper side points down.
        let slope = -(b * g2 + (q0 - e) * g1) / (q0 * g2 - d * g1);
        let p = -0.05 * (d * slope - (q0 - e)).signum();
        let starts = [("S+", 0.5, 0.0, 0.5 / sy), ("S0", p, p * slope / sx, 0.0)];
        for (mode, p, x, y) in starts {
            let text = format!(
                "Study(title: \"modes\", system: Filippov(states: [\"u\", \"v\"], parameters: {{\"p\": {p:?}, \"q\": {q0:?}}}, define: {{\"x\": \"{sx:?}*u\", \"y\": \"{sy:?}*v\", \"w\": \"y - p\"}}, surfaces: {{\"S\": \"y\"}}, \
                 fields: {{\"+\": [\"u' = (q*x - ({b:?})*w + {c:?}*x^2)/{sx:?}\", \"v' = ({d:?}*x + (q - ({e:?}))*w)/{sy:?}\"], \"-\": [\"u' = ({g1:?})/{sx:?}\", \"v' = {g2:?}/{sy:?}\"]}}), \
                 curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"{mode}\"), start: Guess(at: {{\"p\": {p:?}}}, states: [{{\"u\": {x:?}, \"v\": {y:?}}}]), free: \"p\", range: (-0.5, 0.5))], \
                 loci: [Locus(name: \"l\", from: \"c: BE\", free: (\"p\", \"q\"), range: ((-0.5, 0.5), (-2, 2)))])"
            );
            let result = run(&text);
            let found = pieces(&result, "l");
            let told: Vec<(Label, f64)> = found
                .iter()
                .flatten()
                .filter_map(|p| Some((p.label?, p.record.parameters[1])))
                .filter(|(label, _)| *label != Label::EP)
                .collect();
            let verdict = Verdict::of(&told, &known, 1e-7);
            if found.len() != 1 || !verdict.is_right() {
                wrong.push((
                    member,
                    format!(
                        "{mode}, {} curves: {verdict:?} {:?}\n{text}",
                        found.len(),
                        result.missing
                    ),
                ));
            }
        }
    }
    none_wrong("boundary modes", count, &wrong);
}

/// A pair of eigenvalues leaves the axis a little before the equilibrium meets the surface, and comes back as far beyond
/// it: one step passes all of that.
#[test]
fn hopf_points_just_before_a_surface_are_found() {
    let class = "hopf before a surface";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (place, ahead) = (random.between(-0.2, 0.2), random.log_between(1e-6, 3e-2));
        let (frequency, gain, beyond) = (
            random.between(0.5, 2.0),
            random.between(0.2, 2.0),
            random.between(0.2, 1.0),
        );
        let growth = format!(
            "({gain:?})*(mu - ({place:?}))*({:?} - mu)/{:?}",
            place + 2.0 * ahead,
            ahead * ahead
        );
        let wall = place + ahead;
        let text = format!(
            "Study(title: \"surface\", system: Hybrid(states: [\"x\", \"y\"], parameters: {{\"mu\": -0.4}}, \
             define: {{\"g\": \"{ahead:?}*{growth}\", \"u\": \"x - mu\"}}, modes: {{\
             \"near\": Mode(equations: [\"x' = g*u - {frequency:?}*y - u^3\", \"y' = {frequency:?}*u + g*y\"], \
             events: {{\"out\": Event(guard: \"x - ({wall:?})\", direction: Up, to: \"far\")}}), \
             \"far\": Mode(equations: [\"x' = -{beyond:?}*u - y\", \"y' = u - {beyond:?}*y\"], \
             events: {{\"in\": Event(guard: \"x - ({wall:?})\", direction: Down, to: \"near\")}})}}, \
             start: Start(mode: \"near\", at: {{\"x\": -0.4}})), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"mu\": -0.4}}, states: [{{\"x\": -0.4, \"y\": 0}}]), \
             free: \"mu\", range: (-0.45, 0.45))])"
        );
        let result = run(&text);
        let Some(curve) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let found = labels(curve);
        let at = |label| found.iter().filter(|f| f.0 == label).map(|f| f.1).collect::<Vec<_>>();
        let (hopf, met) = (at(Label::HB), at(Label::BE));
        let one = |found: &[f64], known: f64| found.len() == 1 && (found[0] - known).abs() < 1e-9;
        let told = found.iter().any(|f| f.2.message.contains("on the two sides: 2 and 0"));
        if !one(&hopf, place) || !one(&met, wall) || !told {
            let messages: Vec<&str> = found.iter().map(|f| f.2.message.as_str()).collect();
            wrong.push((
                member,
                format!("HB {hopf:?} at {place}, BE {met:?} at {wall}: {messages:?}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x' = -a x + k sgn x, with a second state that follows or none: at k = 0 the jump vanishes with the field, and for
/// k > 0 there are x = ±k/a and the pseudo-equilibrium at zero. The message does not call that persistence, nor give a
/// criterion that divides by the jump.
#[test]
fn the_jump_may_vanish_at_a_boundary_equilibrium() {
    let class = "no jump";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, c) = (random.log_between(0.3, 3.0), random.between(-0.8, 0.8));
        let (states, equations) = match random.below(2) {
            0 => ("\"x\"", format!("\"x' = -({a:?})*x + k*sgn(s)\"")),
            _ => (
                "\"x\", \"y\"",
                format!("\"x' = -({a:?})*x + ({c:?})*y + k*sgn(s)\", \"y' = -({c:?})*x - y\""),
            ),
        };
        let (mode, start) = if random.below(2) == 0 {
            ("s+", 1.0)
        } else {
            ("s0", -1.0)
        };
        let text = format!(
            "Study(title: \"pitchfork\", system: Filippov(states: [{states}], parameters: {{\"k\": 0.5}}, surfaces: {{\"s\": \"x\"}}, equations: [{equations}], start: {{\"x\": 0.5}}), \
             curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"{mode}\"), start: All(at: {{\"k\": {start:?}}}), free: \"k\", range: (-2, 2))])"
        );
        let result = run(&text);
        let all = labels(curve(&result, "c"));
        let right = |l: &(Label, f64, &slipstick_bifurcation::BranchPoint)| {
            let message = &l.2.message;
            l.1.abs() < 1e-9
                && message.contains("vanishes here, too")
                && !message.contains("NaN")
                && !message.contains("persistence")
        };
        if !(all.iter().any(|l| l.0 == Label::BE) && all.iter().filter(|l| l.0 == Label::BE).all(right)) {
            let said: Vec<_> = all.iter().map(|l| (l.0, l.1, &l.2.message)).collect();
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
