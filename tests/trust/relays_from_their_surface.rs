//! Relays in feedback with a plant of second order and a chain of lags: from the origin, which lies on the surface, the
//! relay would switch at once and for ever, and the motion tells nothing of how far orbits go.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use nalgebra::{DMatrix, DVector};

/// z' = A z + b u with u = -1 from z1 rising through h, and 1 from z1 falling through -h.
struct Relay {
    a: DMatrix<f64>,
    b: DVector<f64>,
    h: f64,
}

impl Relay {
    fn random(random: &mut Random) -> Self {
        let lags = 2 + random.below(4);
        let n = 2 + lags;
        let (w, damping) = (random.between(0.5, 3.0), random.between(0.02, 0.4));
        let rate = lags as f64 / random.between(0.3, 3.0);
        let mut a = DMatrix::zeros(n, n);
        a[(0, 1)] = 1.0;
        a[(1, 0)] = -w * w;
        a[(1, 1)] = -2.0 * damping * w;
        a[(1, 2)] = 1.0;
        for i in 2..n {
            a[(i, i)] = -rate;
            if i + 1 < n {
                a[(i, i + 1)] = rate;
            }
        }
        let b = DVector::from_fn(n, |i, _| if i + 1 == n { rate } else { 0.0 });
        let h = [0.0, 0.0, random.between(0.01, 0.1)][random.below(3)];
        Self { a, b, h }
    }

    /// e^(A t), and the integral of e^(A s) b up to t.
    fn flow(&self, t: f64) -> (DMatrix<f64>, DVector<f64>) {
        let n = self.b.len();
        let both = DMatrix::from_fn(n + 1, n + 1, |r, c| match (r < n, c < n) {
            (true, true) => t * self.a[(r, c)],
            (true, false) => t * self.b[r],
            _ => 0.0,
        });
        let both = both.exp();
        (
            both.view((0, 0), (n, n)).into_owned(),
            both.view((0, n), (n, 1)).column(0).into_owned(),
        )
    }

    /// The state from which half a period of this length leads to its mirror image.
    fn start(&self, half: f64) -> Option<DVector<f64>> {
        let (flow, driven) = self.flow(half);
        let n = self.b.len();
        (DMatrix::identity(n, n) + flow).lu().solve(&driven)
    }

    /// The periods of all symmetric orbits with two switchings, up to a longest one.
    fn periods(&self, longest: f64) -> Vec<f64> {
        const LOOKS: usize = 1000;
        let off = |half: f64| self.start(half).map_or(f64::NAN, |z| z[0] - self.h);
        let halves: Vec<f64> = (1..=LOOKS).map(|k| 0.5 * longest * k as f64 / LOOKS as f64).collect();
        let mut found = vec![];
        for pair in halves.windows(2) {
            let (mut low, mut high) = (pair[0], pair[1]);
            let first = off(low);
            if !(first * off(high) < 0.0) {
                continue;
            }
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if first * off(middle) > 0.0 {
                    low = middle
                } else {
                    high = middle
                }
            }
            if self.start(low).is_some_and(|z| self.switches_once(&z, low)) {
                found.push(2.0 * low);
            }
        }
        found
    }

    /// Does the relay switch where it rises, and not again before half a period is over?
    fn switches_once(&self, start: &DVector<f64>, half: f64) -> bool {
        const LOOKS: usize = 2000;
        let (flow, driven) = self.flow(half / LOOKS as f64);
        let mut z = start.clone();
        start[1] > 0.0
            && (1..LOOKS).all(|_| {
                z = &flow * &z - &driven;
                z[0] > -self.h
            })
    }
}

#[test]
fn searches_find_all_symmetric_orbits() {
    let class = "relays from their surface";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let relay = Relay::random(&mut random);
        let n = relay.b.len();
        let field = |sign: &str| {
            let equation = |r: usize| {
                let terms = (0..n).filter(|&c| relay.a[(r, c)] != 0.0);
                let terms: Vec<String> = terms.map(|c| format!("({:?})*z{c}", relay.a[(r, c)])).collect();
                let input = if relay.b[r] == 0.0 {
                    String::new()
                } else {
                    format!(" + ({:?})*({sign}q)", relay.b[r])
                };
                format!("\"z{r}' = {}{input}\"", terms.join(" + "))
            };
            (0..n).map(equation).collect::<Vec<_>>().join(", ")
        };
        let list = |of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<Vec<_>>().join(", ");
        let text = format!(
            "Study(title: \"relay\", system: Hybrid(states: [{}], parameters: {{\"q\": 1}}, modes: {{\
             \"m\": Mode(equations: [{}], events: {{\"d\": Event(guard: \"z0 + {:?}\", direction: Down, to: \"p\")}}), \
             \"p\": Mode(equations: [{}], events: {{\"u\": Event(guard: \"z0 - {:?}\", direction: Up, to: \"m\")}})}}, \
             symmetry: Symmetry(states: {{{}}}, modes: {{\"m\": \"p\"}})), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"m\"), start: All(at: {{\"q\": 1}}), free: \"q\", range: (0.9, 1.1))])",
            list(&|i| format!("\"z{i}\"")),
            field("-"),
            relay.h,
            field(""),
            relay.h,
            list(&|i| format!("\"z{i}\": \"-z{i}\"")),
        );
        let result = run(&text);
        let at_start =
            |(_, _, p): &(_, _, &slipstick_bifurcation::BranchPoint)| (p.point.parameter() - 1.0).abs() < 1e-9;
        let points = result.curves.iter().flat_map(|curve| curve.points().filter(at_start));
        let found: Vec<f64> = points.map(|(_, _, p)| p.record.period).collect();
        let known = relay.periods(30.0);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b;
        let missed = known.iter().find(|&&t| !found.iter().any(|&f| near(f, t)));
        let more = found.iter().find(|&&f| f < 30.0 && !known.iter().any(|&t| near(f, t)));
        if missed.is_some() || more.is_some() {
            wrong.push((member, format!("{found:?}, not {known:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
