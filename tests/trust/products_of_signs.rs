//! Fields in which the signs of two surfaces multiply, on the intersection of both: the signs there solve two equations
//! that are linear in either.

use super::known::{curve, none_wrong, run};
use super::random::{Coordinates, Random, members, members_at_least};
use slipstick_bifurcation::Label;

/// A sum of 1, u, v and u v.
type Bilinear = [f64; 4];

fn value(of: &Bilinear, [u, v]: [f64; 2]) -> f64 {
    of[0] + of[1] * u + of[2] * v + of[3] * u * v
}

/// In states h, g and others z: h' and g' are sums of the products of signs, moved by p and by the states, and attract
/// to the intersection h = g = 0; z' = -z + such sums.
struct FourFields {
    normal: [Bilinear; 2],
    /// By p.
    moved: [f64; 2],
    /// By the states z, and h' and g' by h and g.
    by_states: [Vec<f64>; 2],
    along: Vec<Bilinear>,
    start: Vec<f64>,
}

impl FourFields {
    /// Some of the terms are zero, and rounding in other coordinates.
    fn random(random: &mut Random) -> Self {
        let others = 1 + random.below(3);
        let normal = loop {
            let mut rate = || -> Bilinear {
                std::array::from_fn(|k| match k {
                    0 => random.between(-0.3, 0.3),
                    _ if random.below(3) == 0 => 0.0,
                    _ => random.between(-1.0, 1.0),
                })
            };
            let normal = [rate(), rate()];
            let signs = settled(&normal, [0.0, 0.0]);
            let attracts = |signs: [f64; 2]| {
                let [[b, c], [f, g]] = slopes(&normal, signs);
                b * g - c * f > 0.1 && b <= 0.0 && g <= 0.0 && b + g < -0.2 && signs.iter().all(|s| s.abs() < 0.7)
            };
            if signs.is_some_and(attracts) {
                break normal;
            }
        };
        Self::with(random, normal, others)
    }

    /// The signs turn around one another: every motion next to the intersection goes around it, ever closer.
    fn turning(random: &mut Random) -> Self {
        let others = 1 + random.below(3);
        let mut some = |low: f64, high: f64| random.between(low, high);
        let (turn, back) = (some(0.7, 1.4), some(0.7, 1.4));
        let mut normal = [
            [some(-0.05, 0.05), -some(0.1, 0.5), turn, some(-0.05, 0.05)],
            [some(-0.05, 0.05), -back, -some(0.1, 0.5), some(-0.05, 0.05)],
        ];
        if random.below(2) == 0 {
            normal = normal.map(|[a, b, c, d]| [a, b, -c, d]);
            normal[1][1..3].iter_mut().for_each(|slope| *slope = -*slope);
        }
        Self::with(random, normal, others)
    }

    fn with(random: &mut Random, normal: [Bilinear; 2], others: usize) -> Self {
        let mut some =
            |size: f64, count: usize| -> Vec<f64> { (0..count).map(|_| random.between(-size, size)).collect() };
        let by_states = [some(0.05, others), some(0.05, others)];
        let start = some(1.0, others);
        let moved = [some(1.0, 1)[0], some(1.0, 1)[0]];
        let along = (0..others).map(|_| std::array::from_fn(|_| random.between(-1.0, 1.0)));
        Self {
            normal,
            moved,
            by_states,
            along: along.collect(),
            start,
        }
    }

    /// h' and g' at p and z, as sums of the products of signs.
    fn rates(&self, p: f64, z: &[f64]) -> [Bilinear; 2] {
        std::array::from_fn(|k| {
            let mut rate = self.normal[k];
            rate[0] += self.moved[k] * p + self.by_states[k].iter().zip(z).map(|(a, z)| a * z).sum::<f64>();
            rate
        })
    }

    /// The signs on the intersection.
    fn signs(&self, p: f64, z: &[f64], near: [f64; 2]) -> Option<[f64; 2]> {
        settled(&self.rates(p, z), near)
    }

    fn speed(&self, p: f64, z: &[f64], near: &mut [f64; 2]) -> Option<Vec<f64>> {
        *near = self.signs(p, z, *near)?;
        let speed = self.along.iter().zip(z).map(|(own, z)| value(own, *near) - z);
        Some(speed.collect())
    }

    /// z after a time on the intersection, by the method of Runge and Kutta in small steps; none where it is left
    /// before.
    fn after(&self, time: f64) -> Option<Vec<f64>> {
        const STEPS: usize = 2000;
        let (mut z, mut near, step) = (self.start.clone(), [0.0, 0.0], time / STEPS as f64);
        let moved =
            |z: &[f64], by: &[f64], step: f64| -> Vec<f64> { z.iter().zip(by).map(|(z, b)| z + step * b).collect() };
        for _ in 0..STEPS {
            let a = self.speed(0.0, &z, &mut near)?;
            let b = self.speed(0.0, &moved(&z, &a, step / 2.0), &mut near)?;
            let c = self.speed(0.0, &moved(&z, &b, step / 2.0), &mut near)?;
            let d = self.speed(0.0, &moved(&z, &c, step), &mut near)?;
            for (i, z) in z.iter_mut().enumerate() {
                *z += step / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
            }
            if near.iter().any(|s| s.abs() > 0.98) {
                return None;
            }
        }
        Some(z)
    }

    /// z at rest on the intersection, with the signs there.
    fn rest(&self, p: f64) -> Option<([f64; 2], Vec<f64>)> {
        let (mut z, mut near) = (self.start.clone(), [0.0, 0.0]);
        for _ in 0..200 {
            near = self.signs(p, &z, near)?;
            z = self.along.iter().map(|own| value(own, near)).collect();
        }
        Some((near, z))
    }

    /// The system in other coordinates and units, with its fields written in one of five ways.
    fn system(&self, random: &mut Random, at: &Coordinates, writing: usize) -> String {
        let n = self.along.len() + 2;
        let factors = [0, 1].map(|_| random.log_between(1e-2, 1e2));
        let sum = |row: &[f64], name: &str| {
            let terms = row.iter().enumerate().map(|(j, a)| format!("({a:?})*{name}{}", j + 1));
            terms.collect::<Vec<_>>().join(" + ")
        };
        let row = |i: usize, by: f64| at.inverse[i].iter().map(|a| a * by / at.state).collect::<Vec<f64>>();
        let mut define: Vec<String> = (0..n)
            .map(|i| format!("\"u{}\": \"{}\"", i + 1, sum(&row(i, 1.0), "x")))
            .collect();
        let smooth = |i: usize| match i {
            0 | 1 => {
                let others = self.by_states[i].iter().enumerate();
                let others: String = others.map(|(k, a)| format!(" + ({a:?})*u{}", k + 3)).collect();
                format!("({:?})*p - 0.2*u{}{others}", self.moved[i], i + 1)
            }
            _ => format!("-u{}", i + 1),
        };
        let jumping = |i: usize| if i < 2 { self.normal[i] } else { self.along[i - 2] };
        let corner = |i: usize, signs: [f64; 2]| format!("({:?})", value(&jumping(i), signs));
        let corners = |i: usize| [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]].map(|signs| corner(i, signs));
        let jump = |i: usize| {
            let [a, b, c, d] = jumping(i);
            let [pp, pm, mp, mm] = corners(i);
            match writing {
                0 => format!("({a:?}) + ({b:?})*sgn(h) + ({c:?})*sgn(g) + ({d:?})*sgn(h)*sgn(g)"),
                1 => format!("if(h > 0, if(g > 0, {pp}, {pm}), if(g > 0, {mp}, {mm}))"),
                2 => format!(
                    "heaviside(h)*({pp}*heaviside(g) + {pm}*heaviside(-g)) + heaviside(-h)*({mp}*heaviside(g) + \
                     {mm}*heaviside(-g))"
                ),
                _ => format!("({a:?}) + ({b:?})*h/abs(h) + ({c:?})*sqrt(g^2)/g + ({d:?})*(g*h)/(abs(g)*abs(h))"),
            }
        };
        let rate = |i: usize| -> Vec<f64> { at.matrix[i].iter().map(|a| a * at.state).collect() };
        let equations = |define: &mut Vec<String>, part: &dyn Fn(usize) -> String| {
            define.extend((0..n).map(|i| format!("\"f{}\": \"{} + {}\"", i + 1, smooth(i), part(i))));
            let all = (0..n).map(|i| format!("\"x{}' = {}\"", i + 1, sum(&rate(i), "f")));
            format!("[{}]", all.collect::<Vec<_>>().join(", "))
        };
        let field = if writing < 4 {
            format!("equations: {}", equations(&mut define, &jump))
        } else {
            let all = ["++", "+-", "-+", "--"].iter().enumerate().map(|(k, pattern)| {
                let own = (0..n).map(|i| {
                    let terms = rate(i).into_iter().enumerate();
                    let terms = terms.map(|(j, a)| format!("({a:?})*({} + {})", smooth(j), corners(j)[k]));
                    format!("\"x{}' = {}\"", i + 1, terms.collect::<Vec<_>>().join(" + "))
                });
                format!("\"{pattern}\": [{}]", own.collect::<Vec<_>>().join(", "))
            });
            format!("fields: {{{}}}", all.collect::<Vec<_>>().join(", "))
        };
        let states = (1..=n).map(|i| format!("\"x{i}\"")).collect::<Vec<_>>().join(", ");
        format!(
            "Filippov(states: [{states}], parameters: {{\"p\": 0}}, define: {{{}}}, surfaces: {{\"h\": \"{}\", \"g\": \
             \"{}\"}}, {field})",
            define.join(", "),
            sum(&row(0, factors[0]), "x"),
            sum(&row(1, factors[1]), "x"),
        )
    }

    /// All states, on the intersection.
    fn on(z: &[f64]) -> Vec<f64> {
        [0.0, 0.0].into_iter().chain(z.iter().copied()).collect()
    }
}

/// The slopes of both rates by both signs.
fn slopes(rates: &[Bilinear; 2], [u, v]: [f64; 2]) -> [[f64; 2]; 2] {
    rates.map(|[_, b, c, d]| [b + d * v, c + d * u])
}

/// The signs to which u' = h' and v' = g' come, as in a layer, from signs near them; none where they leave the layer.
fn settled(rates: &[Bilinear; 2], near: [f64; 2]) -> Option<[f64; 2]> {
    const STEP: f64 = 0.2;
    let mut signs = near;
    for _ in 0..600 {
        let middle = std::array::from_fn(|k| signs[k] + STEP / 2.0 * value(&rates[k], signs));
        let by: [f64; 2] = std::array::from_fn(|k| STEP * value(&rates[k], middle));
        signs = std::array::from_fn(|k| signs[k] + by[k]);
        if signs.iter().any(|s| s.abs() > 1.5) {
            return None;
        }
        if by.iter().all(|by| by.abs() < 1e-4) {
            break;
        }
    }
    for _ in 0..20 {
        let [[b, c], [f, g]] = slopes(rates, signs);
        let [r, s] = [0, 1].map(|k| value(&rates[k], signs));
        let det = b * g - c * f;
        signs = [signs[0] - (g * r - c * s) / det, signs[1] - (b * s - f * r) / det];
    }
    let rest = [0, 1].map(|k| value(&rates[k], signs).abs());
    (rest[0].max(rest[1]) < 1e-13).then_some(signs)
}

fn coordinates(random: &mut Random, fields: &FourFields) -> Coordinates {
    Coordinates {
        time: 1.0,
        parameter: 1.0,
        ..Coordinates::random(random, fields.along.len() + 2, [1.5, 0.0, 0.0])
    }
}

/// A motion that begins on the intersection stays there, with the signs to which a layer comes.
#[test]
fn motions_stay_where_two_signs_multiply() {
    const TIME: f64 = 3.0;
    let class = "motions on two surfaces whose signs multiply";
    let count = members(40);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let fields = FourFields::random(&mut random);
        let Some(known) = fields.after(TIME) else { continue };
        let at = coordinates(&mut random, &fields);
        let mode = if random.below(2) == 0 { "mode: \"h0,g0\", " } else { "" };
        let text = format!(
            "Study(title: \"signs\", system: {}, simulations: [Simulation(name: \"s\", time: {TIME:?}, every: 1, \
             {mode}from: {})])",
            fields.system(&mut random, &at, member % 5),
            at.states_text(&FourFields::on(&fields.start)),
        );
        let result = run(&text);
        let mut said: Vec<String> = result.missing.iter().map(|m| format!("{m:?}")).collect();
        if let Some(motion) = result.trajectories.first() {
            if motion.word != "h0,g0" {
                said.push(format!("moves through {}: {}", motion.word, motion.ended));
            }
            let known = at.states(&FourFields::on(&known));
            let last = motion.rows.last().map_or_else(Vec::new, |row| row.states.clone());
            let far = last.iter().zip(&known).map(|(a, b)| (a - b).abs() / at.state);
            let far = far.fold(0.0, f64::max);
            if !(far < 1e-8) || last.is_empty() {
                said.push(format!("{far:e} apart"));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A motion that turns around an intersection in ever shorter rounds comes to it, and goes on there to rest.
#[test]
fn motions_that_turn_around_an_intersection_go_on_there() {
    const TIME: f64 = 30.0;
    let class = "motions that turn around an intersection";
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let fields = FourFields::turning(&mut random);
        let Some((_, z)) = fields.rest(0.0) else { continue };
        let mut from = FourFields::on(&fields.start);
        for height in &mut from[..2] {
            *height = random.between(-0.1, 0.1);
        }
        let at = coordinates(&mut random, &fields);
        let text = format!(
            "Study(title: \"signs\", system: {}, simulations: [Simulation(name: \"s\", time: {TIME:?}, every: 1, from: \
             {})])",
            fields.system(&mut random, &at, member % 5),
            at.states_text(&from),
        );
        let result = run(&text);
        let mut said: Vec<String> = result.missing.iter().map(|m| format!("{m:?}")).collect();
        if let Some(motion) = result.trajectories.first() {
            let known = at.states(&FourFields::on(&z));
            let last = motion.rows.last().map_or_else(Vec::new, |row| row.states.clone());
            let far = last.iter().zip(&known).map(|(a, b)| (a - b).abs() / at.state);
            let far = far.fold(0.0, f64::max);
            if !motion.word.ends_with("h0,g0") || !(far < 1e-8) || last.is_empty() {
                said.push(format!("{far:e} apart, through {}: {}", motion.word, motion.ended));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Rest on the intersection is where the signs of the layer have it, as far as one of them is ±1.
#[test]
fn rest_where_two_signs_multiply_ends_where_one_reaches_a_side() {
    const EXACT: f64 = 1e-8;
    let class = "rest on two surfaces whose signs multiply";
    let count = members_at_least(20);
    let (mut wrong, mut borders) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let fields = FourFields::random(&mut random);
        let Some((_, z)) = fields.rest(0.0) else { continue };
        let at = coordinates(&mut random, &fields);
        let text = format!(
            "Study(title: \"signs\", system: {}, curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"h0,g0\"), start: Guess(at: \
             {{\"p\": 0}}, states: [{}]), free: \"p\", range: (-4, 4))])",
            fields.system(&mut random, &at, member % 5),
            at.states_text(&FourFields::on(&z)),
        );
        let result = run(&text);
        let mut said: Vec<String> = result.missing.iter().map(|m| format!("{m:?}")).collect();
        if said.is_empty() {
            let all = curve(&result, "c");
            let column = |i: usize| {
                all.monitors
                    .iter()
                    .position(|name| *name == format!("x{}_max", i + 1))
                    .unwrap()
            };
            let columns: Vec<usize> = (0..at.matrix.len()).map(column).collect();
            for (_, _, point) in all.points().filter(|(_, piece, _)| piece.word == "h0,g0") {
                let p = point.point.parameter();
                let Some((signs, z)) = fields.rest(p) else { continue };
                let known = at.states(&FourFields::on(&z));
                let own = columns.iter().map(|column| point.record.monitors[*column]);
                let far = own.zip(known).map(|(own, known)| (own - known).abs() / at.state);
                let far = far.fold(0.0, f64::max);
                if !(far < EXACT) {
                    said.push(format!("{far:e} apart at {p:?}"));
                }
                let most = signs[0].abs().max(signs[1].abs());
                match point.label {
                    Some(Label::BE) if (most - 1.0).abs() > EXACT => said.push(format!("BE at {p:?}, signs {signs:?}")),
                    Some(Label::BE) => borders += 1,
                    None if most > 1.0 + EXACT => said.push(format!("goes on at {p:?}, signs {signs:?}")),
                    _ => {}
                }
            }
        }
        if !said.is_empty() {
            said.truncate(6);
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(borders > count / 2, "{borders} borders");
}
