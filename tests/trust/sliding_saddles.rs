//! Relays in feedback with a linear system of third order whose sliding motion is a saddle: cycles slide for ever longer
//! beside it, and end at a homoclinic orbit, which is found from the flow in closed form. On the way perturbations grow
//! beyond what can be followed in one shot.

use super::known::{none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::End;

type State = [f64; 3];

/// u1' = -a1 u1 + u2 - s, u2' = -a2 u1 + u3 - (n - l) s, u3' = -a3 u1 + l n s, s = sgn(u1), n = n0 + q: on u1 = 0 the
/// motion is a saddle with the rates l and -n.
struct Relay {
    a: State,
    l: f64,
    n0: f64,
}

impl Relay {
    fn rates(&self, n: f64, u: State) -> State {
        [
            u[1] - self.a[0] * u[0] - 1.0,
            u[2] - self.a[1] * u[0] - (n - self.l),
            self.l * n - self.a[2] * u[0],
        ]
    }

    /// The state after a short time where u1 > 0, by the series of the flow.
    fn flowed(&self, n: f64, u: State, t: f64) -> State {
        const TERMS: usize = 25;
        let (mut sum, mut term) = (u, self.rates(n, u));
        for k in 1..TERMS {
            term = term.map(|v| v * t / k as f64);
            sum = [0, 1, 2].map(|i| sum[i] + term[i]);
            let [x, y, z] = term;
            term = [y - self.a[0] * x, z - self.a[1] * x, -self.a[2] * x];
        }
        sum
    }

    /// Where and when an orbit comes back that leaves the surface at u2 = 1 and this u3.
    fn flight(&self, n: f64, leaves: f64) -> Option<(State, f64)> {
        const STEP: f64 = 0.05;
        const MOST: usize = 400;
        let mut u = self.flowed(n, [0.0, 1.0, leaves], STEP);
        for k in 1..MOST {
            let next = self.flowed(n, u, STEP);
            if next[0] > 0.0 {
                u = next;
                continue;
            }
            let fits = |t: &f64| self.flowed(n, u, *t)[0] > 0.0;
            let t = bisected(0.0, STEP, &|t| fits(&t));
            return Some((self.flowed(n, u, t), k as f64 * STEP + t));
        }
        None
    }

    /// The parts along the unstable and the stable direction of the saddle, (1, n) and (1, -l) in u2 and u3, of where an
    /// orbit lands, if it slides from there.
    fn parts(&self, n: f64, leaves: f64) -> Option<[f64; 2]> {
        let (lands, _) = self.flight(n, leaves)?;
        let unstable = (lands[2] + self.l * lands[1]) / (self.l + n);
        (lands[1].abs() < 0.9).then_some([unstable, lands[1] - unstable])
    }

    /// The rate -n at which an orbit that leaves the surface beside the unstable direction lands with this part along it,
    /// between two.
    fn rate_for(&self, (low, high): (f64, f64), beside: f64, part: f64) -> Option<f64> {
        let off = |n: f64| Some(self.parts(n, n + beside)?[0] - part);
        let (from, to) = (off(low)?, off(high)?);
        (from * to < 0.0).then(|| bisected(low, high, &|n| off(n).is_some_and(|v| v * from > 0.0)))
    }

    /// One with a homoclinic orbit at q = 0, between two rates n.
    fn random(random: &mut Random) -> (Self, (f64, f64)) {
        const COUNT: usize = 8;
        loop {
            let (decay, w, z) = (
                random.between(0.3, 3.0),
                random.between(0.8, 3.0),
                random.between(0.03, 0.15),
            );
            let (one, two) = (2.0 * z * w, w * w);
            let l = random.between(0.6, 2.0);
            let mut made = Self {
                a: [one + decay, two + decay * one, decay * two],
                l,
                n0: 0.0,
            };
            let rate = |k: usize| l * (0.15 + 0.6 * k as f64 / COUNT as f64);
            for between in (0..COUNT).map(|k| (rate(k), rate(k + 1))) {
                if let Some(n) = made.rate_for(between, 0.0, 0.0) {
                    made.n0 = n;
                    return (made, between);
                }
            }
        }
    }

    /// A cycle that lands with a small part along the unstable direction: towards where it left, or the other way to the
    /// mirror image of that. The rate n, how far beside the unstable direction it leaves, and how long it slides.
    fn cycle(&self, between: (f64, f64), part: f64) -> Option<(f64, f64, f64)> {
        const ROUNDS: usize = 60;
        let (mut beside, mut last) = (0.0, f64::INFINITY);
        for _ in 0..ROUNDS {
            let n = self.rate_for(between, beside, part)?;
            let [unstable, stable] = self.parts(n, n + beside)?;
            let side = part.signum();
            let at = |t: f64| side * (unstable * (self.l * t).exp() + stable * (-n * t).exp());
            let slides = bisected(0.0, 2.0 - part.abs().ln() / self.l, &|t| at(t) < 1.0);
            if (beside - last).abs() < 1e-13 {
                return Some((n, beside, slides));
            }
            last = beside;
            beside = -side * (n + self.l) * stable * (-n * slides).exp();
        }
        None
    }

    /// The largest u2 on the flight of such an orbit.
    fn highest(&self, n: f64, leaves: f64) -> Option<f64> {
        const STEP: f64 = 0.05;
        let (_, flies) = self.flight(n, leaves)?;
        let (start, mut most, mut t) = ([0.0, 1.0, leaves], 1.0f64, 0.0);
        let mut u = start;
        while t < flies {
            let rises = |t: f64| self.rates(n, self.flowed(n, u, t))[1] > 0.0;
            if rises(0.0) && !rises(STEP) {
                most = most.max(self.flowed(n, u, bisected(0.0, STEP, &rises))[1]);
            }
            (u, t) = (self.flowed(n, u, STEP), t + STEP);
        }
        Some(most)
    }

    /// A level that u2 reaches on the homoclinic orbit and not where the curve sets off, so that its word changes
    /// between them.
    fn level_on_the_way(&self, between: (f64, f64), part: f64) -> Option<f64> {
        /// Far enough from both for the crossings to be apart.
        const APART: f64 = 1e-4;
        let (n, beside, _) = self.cycle(between, part)?;
        let [from, to] = [self.highest(n, n + beside)?, self.highest(self.n0, self.n0)?];
        (to - from > APART).then_some(0.5 * (from + to))
    }

    /// The study, whose cycles set off beside the homoclinic orbit; with a level of u2, which nothing but the word
    /// notices.
    fn study(
        &self,
        (between, part): ((f64, f64), f64),
        level: Option<f64>,
        c: &Coordinates,
        side: f64,
    ) -> Option<String> {
        let (n, beside, slides) = self.cycle(between, part)?;
        let q = n - self.n0;
        let leaves = [0.0, 1.0, n + beside];
        let (lands, flies) = self.flight(n, leaves[2])?;
        let (plus, minus) = if side > 0.0 { ("h+", "h-") } else { ("h-", "h+") };
        let (below, surface) = match level {
            Some(level) => (",k-", format!(", \"k\": \"u2*u2 - {:?}\"", level * level)),
            None => ("", String::new()),
        };
        let own = [leaves, lands].map(|u| c.states_text(&u));
        let mirrored = [leaves, lands].map(|u| c.states_text(&u.map(|v| -v)));
        let (word, states, durations) = match part > 0.0 {
            true => (format!("{plus}{below} h0{below}"), own.to_vec(), vec![flies, slides]),
            false => (
                format!("{plus}{below} h0{below} {minus}{below} h0{below}"),
                [own, mirrored].concat(),
                vec![flies, slides, flies, slides],
            ),
        };
        let durations: Vec<String> = durations.iter().map(|t| format!("{:?}", t * c.time)).collect();
        let sum = |row: &[f64], factor: f64, name: &str| {
            let terms = row.iter().enumerate();
            let terms = terms.map(|(j, a)| format!("({:?})*{name}{}", a * factor, j + 1));
            terms.collect::<Vec<_>>().join(" + ")
        };
        let [a1, a2, a3] = self.a;
        let (l, n) = (self.l, format!("({:?} + q)", self.n0));
        let mut define = vec![format!("\"q\": \"(p - ({:?}))/({:?})\"", c.origin, c.parameter)];
        define.extend((0..3).map(|i| format!("\"u{}\": \"{}\"", i + 1, sum(&c.inverse[i], 1.0 / c.state, "x"))));
        define.extend([
            format!("\"g1(s)\": \"u2 - {a1:?}*u1 - s\""),
            format!("\"g2(s)\": \"u3 - {a2:?}*u1 - ({n} - {l:?})*s\""),
            format!("\"g3(s)\": \"{l:?}*{n}*s - {a3:?}*u1\""),
        ]);
        let rows = (0..3).map(|i| {
            let terms = (0..3).map(|j| {
                let factor = c.matrix[i][j] * c.state / c.time;
                format!("({factor:?})*g{}(({side:?})*sgn(h))", j + 1)
            });
            format!("\"x{}' = {}\"", i + 1, terms.collect::<Vec<_>>().join(" + "))
        });
        let height: Vec<f64> = c.inverse[0].iter().map(|v| side * v).collect();
        Some(format!(
            "Study(title: \"saddle\", system: Filippov(states: [\"x1\", \"x2\", \"x3\"], parameters: {{\"p\": {p:?}}}, define: {{{}}}, \
             surfaces: {{\"h\": \"{}\"{surface}}}, equations: [{}]), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Guess(at: {{\"p\": {p:?}}}, states: [{}], durations: [{}]), \
             free: \"p\", range: ({:?}, {:?}), switch: Auto)])",
            define.join(", "),
            sum(&height, 1.0, "x"),
            rows.collect::<Vec<_>>().join(", "),
            states.join(", "),
            durations.join(", "),
            c.p(-3.0 * q.abs()),
            c.p(3.0 * q.abs()),
            p = c.p(q),
        ))
    }
}

/// Where a condition that holds at `low` ceases to hold.
fn bisected(mut low: f64, mut high: f64, holds: &dyn Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// The families end there, after few points, whatever coordinates they are written in.
#[test]
fn cycles_that_slide_along_a_saddle_end_at_its_homoclinic_orbit() {
    end_at_homoclinic_orbits("cycles that slide along a saddle", 12, false);
}

/// And so they do where the way there goes through another word.
#[test]
fn they_end_there_in_a_word_that_the_curve_has_gone_over_to() {
    end_at_homoclinic_orbits("cycles that come to slide along a saddle in another word", 5, true);
}

fn end_at_homoclinic_orbits(class: &str, drawn: usize, in_another_word: bool) {
    let count = members(drawn);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, text) = loop {
            let (relay, between) = Relay::random(&mut random);
            let c = match member % 3 {
                // Companion coordinates, in which the surface is where one of the states is zero.
                0 => Coordinates::plain(3),
                _ => Coordinates::random(&mut random, 3, [2.0, 1.0, 1.0]).shifted(&mut random, 1.0),
            };
            let part = random.sign() * random.between(0.005, 0.02);
            let level = match in_another_word {
                true => match relay.level_on_the_way(between, part) {
                    None => continue,
                    level => level,
                },
                false => None,
            };
            if let Some(text) = relay.study((between, part), level, &c, random.sign()) {
                break (c, text);
            }
        };
        let result = run(&text);
        let Some(own) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let ends = own.pieces.iter().flat_map(|p| &p.branch.ends);
        let found = ends.filter_map(|end| match end {
            End::Homoclinic { meaning, .. } => {
                let value = meaning.split_once("approaches ")?.1.split([' ', ',', ';']).next()?;
                Some(c.q(value.parse().ok()?))
            }
            _ => None,
        });
        let off: Vec<f64> = found.map(|q| q.abs()).collect();
        let points = own.points().count();
        let goes_over = own.pieces.len() > 1;
        if !matches!(off[..], [off] if off <= 1e-7) || points > 1500 || goes_over != in_another_word {
            wrong.push((member, format!("{off:?}, {points} points, {}\n{text}", own.special())));
        }
    }
    none_wrong(class, count, &wrong);
}
