//! Cycles born where a focus meets a surface across which the field jumps: how long they last is known from the closed
//! form of the flow on one side, and by quadrature along the surface.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use std::f64::consts::PI;

type Vector = [f64; 2];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn combined(a: Vector, factor: f64, b: Vector) -> Vector {
    [a[0] + factor * b[0], a[1] + factor * b[1]]
}

/// u' = A u + b q where n·u > 0, u' = e where n·u < 0 (or with the sides exchanged), u = x - c, q = mu - m.
struct Focus {
    a: [Vector; 2],
    b: Vector,
    e: Vector,
    n: Vector,
    c: Vector,
    m: f64,
    side: f64,
}

impl Focus {
    fn random(random: &mut Random) -> Self {
        loop {
            let mut vector = || [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
            let (a, b, e, n, c) = ([vector(), vector()], vector(), vector(), vector(), vector());
            let m = random.between(-0.5, 0.5);
            let side = random.sign();
            let made = Self { a, b, e, n, c, m, side };
            let (alpha, square) = made.pair();
            let attracts = dot(n, e) > 0.1;
            if square > 0.05 && alpha > 0.02 && attracts && dot(n, made.equilibrium(1.0)).abs() > 0.1 {
                return made;
            }
        }
    }

    fn times(&self, u: Vector) -> Vector {
        self.a.map(|row| dot(row, u))
    }

    fn solved(&self, right: Vector) -> Vector {
        let [[p, q], [r, s]] = self.a;
        let d = p * s - q * r;
        [(s * right[0] - q * right[1]) / d, (p * right[1] - r * right[0]) / d]
    }

    /// The real part of the eigenvalues, and the square of the imaginary one.
    fn pair(&self) -> (f64, f64) {
        let [[p, q], [r, s]] = self.a;
        let alpha = 0.5 * (p + s);
        (alpha, p * s - q * r - alpha * alpha)
    }

    fn equilibrium(&self, q: f64) -> Vector {
        self.solved(self.b).map(|v| -q * v)
    }

    /// The sign of q on the side of which the equilibrium is admissible.
    fn admissible(&self) -> f64 {
        dot(self.n, self.equilibrium(1.0)).signum()
    }

    /// How long the cycle lasts, the point at which it leaves the surface, and the least speed of sliding on the way back
    /// there from where it lands, relative to the largest: below zero it does not come back, and there is none.
    fn cycle(&self, q: f64) -> (f64, Vector, f64) {
        let rest = self.equilibrium(q);
        let along = [-self.n[1], self.n[0]];
        let tangent = self.solved(along);
        let leaves = combined(rest, -dot(self.n, rest) / dot(self.n, tangent), tangent);
        let from = combined(leaves, -1.0, rest);
        let (alpha, square) = self.pair();
        let omega = square.sqrt();
        let turned = combined(self.times(from), -alpha, from);
        let flowed = |t: f64| {
            let (sin, cos) = (omega * t).sin_cos();
            let v = combined(from.map(|v| v * cos), sin / omega, turned);
            combined(rest, 1.0, v.map(|v| v * (alpha * t).exp()))
        };
        // From the tangency it rises for half a turn.
        let (mut low, mut high) = (PI / omega, 2.0 * PI / omega);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if dot(self.n, flowed(middle)) > 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        let lands = flowed(low);
        let way = combined(leaves, -1.0, lands);
        // The part of the way that is gone per time.
        let rate = |part: f64| {
            let f = self.times(combined(combined(lands, part, way), -1.0, rest));
            let (own, other) = (dot(self.n, f), dot(self.n, self.e));
            let slides = [0, 1].map(|i| (other * f[i] - own * self.e[i]) / (other - own));
            dot(slides, way) / dot(way, way)
        };
        const STEPS: usize = 4000;
        let rates: Vec<f64> = (0..=STEPS).map(|k| rate(k as f64 / STEPS as f64)).collect();
        let least = rates.iter().fold(f64::INFINITY, |m, v| m.min(*v));
        let most = rates.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let weight = |k: usize| match k {
            0 | STEPS => 1.0,
            k if k % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let sum: f64 = rates.iter().enumerate().map(|(k, v)| weight(k) / v).sum();
        (low + sum / (3.0 * STEPS as f64), leaves, least / most)
    }

    /// The equilibrium over the parameter, and what sets off at its boundary; in three dimensions with a state that the
    /// others drive.
    fn study(&self, driven: Option<(f64, f64)>) -> String {
        let q = 0.6 * self.admissible();
        let rest = combined(self.equilibrium(q), 1.0, self.c);
        let [u, v] = [0, 1].map(|i| format!("({} - ({:?}))", ["x", "y"][i], self.c[i]));
        let form = |row: Vector| format!("({:?})*{u} + ({:?})*{v}", row[0], row[1]);
        let third = driven
            .map(|(k, l)| format!(", \"z' = ({l:?})*{u} - {k:?}*z\""))
            .unwrap_or_default();
        let own = format!(
            "[\"x' = {} + ({:?})*(mu - ({m:?}))\", \"y' = {} + ({:?})*(mu - ({m:?}))\"{third}]",
            form(self.a[0]),
            self.b[0],
            form(self.a[1]),
            self.b[1],
            m = self.m,
        );
        let other = format!("[\"x' = {:?}\", \"y' = {:?}\"{third}]", self.e[0], self.e[1]);
        let (plus, minus) = if self.side > 0.0 { (own, other) } else { (other, own) };
        let mode = if self.side > 0.0 { "h+" } else { "h-" };
        let z = driven
            .map(|(k, l)| format!(", \"z\": {:?}", l * (rest[0] - self.c[0]) / k))
            .unwrap_or_default();
        format!(
            "Study(title: \"born\", system: Filippov(states: [{}], parameters: {{\"mu\": {mu:?}}}, surfaces: {{\"h\": \"{}\"}}, fields: {{\"+\": {plus}, \"-\": {minus}}}), curves: [
                Curve(name: \"rest\", orbit: EquilibriumIn(\"{mode}\"), start: Guess(at: {{\"mu\": {mu:?}}}, states: [{{\"x\": {:?}, \"y\": {:?}{z}}}]), free: \"mu\", range: ({lo:?}, {hi:?})),
                Curve(name: \"born\", orbit: Periodic(\"{mode} h0\"), start: Point(from: \"rest, BE\"), free: \"mu\", range: ({lo:?}, {hi:?})),
            ])",
            if driven.is_some() { "\"x\", \"y\", \"z\"" } else { "\"x\", \"y\"" },
            form(self.n.map(|v| self.side * v)),
            rest[0],
            rest[1],
            mu = self.m + q,
            lo = self.m - 0.8,
            hi = self.m + 0.8,
        )
    }
}

/// A curve of cycles sets off from each boundary equilibrium where one is born, over all of the range where they slide
/// back; and from no other.
#[test]
fn cycles_set_off_from_boundary_equilibria() {
    /// Members in which sliding nearly stops on its way are left out.
    const CLEAR: f64 = 0.03;
    let count = members(24);
    let mut wrong = vec![];
    let mut kinds = [0, 0];
    for member in 0..count {
        let mut random = Random::of("born at boundaries", member);
        let made = loop {
            let made = Focus::random(&mut random);
            // In the limit of small distances there is a cycle or none.
            let speed = made.cycle(1e-9 * made.admissible()).2;
            if speed.abs() > CLEAR && (speed < 0.0) == (member % 4 == 3) {
                break made;
            }
        };
        let driven = (member % 2 == 1).then(|| (random.between(0.3, 2.0), random.between(-1.0, 1.0)));
        let text = made.study(driven);
        let result = run(&text);
        let exists = member % 4 != 3;
        kinds[usize::from(exists)] += 1;
        let said: Vec<String> = labels(curve(&result, "rest"))
            .iter()
            .map(|l| l.2.message.clone())
            .collect();
        let Some(born) = result.curves.iter().find(|c| c.name == "born") else {
            if exists {
                wrong.push((member, format!("{said:?} {:?}\n{text}", result.missing)));
            }
            continue;
        };
        let (mut off, mut least, mut met) = (0.0f64, f64::INFINITY, 0);
        for (_, _, p) in born.points() {
            let q = p.point.parameter() - made.m;
            least = least.min(q.abs());
            let (period, leaves, speed) = made.cycle(q);
            if speed <= CLEAR {
                continue;
            }
            met += 1;
            off = off.max((p.record.period / period - 1.0).abs());
            let extreme = |name: &str| {
                let column = born.monitors.iter().position(|m| m == name).unwrap();
                p.record.monitors[column]
            };
            // The point of tangency is one of the orbit's.
            for (k, state) in ["x", "y"].into_iter().enumerate() {
                let at = leaves[k] + made.c[k];
                let (low, high) = (extreme(&format!("{state}_min")), extreme(&format!("{state}_max")));
                let room = 1e-9 * q.abs() + 1e-13;
                if !(low - room..=high + room).contains(&at) {
                    off = f64::INFINITY;
                }
            }
            if !p.record.stable() || q * made.admissible() <= 0.0 {
                off = f64::INFINITY;
            }
        }
        // What ends them is where sliding comes to rest on its way, or the orbit lands elsewhere.
        let clear = |q: f64| made.cycle(q).2 > CLEAR;
        let whole = labels(born).iter().all(|(_, mu, _)| !clear(mu - made.m));
        if !exists || off > 1e-8 || least > 2e-3 || met < 10 || !whole {
            wrong.push((
                member,
                format!(
                    "{exists}: off by {off:.1e}, down to {least:.1e}, {met} points, {}, {said:?}\n{text}",
                    born.special()
                ),
            ));
        }
    }
    none_wrong("cycles born at boundaries", count, &wrong);
    assert!(kinds[0] > 0 && kinds[1] > 0, "{kinds:?}");
}
