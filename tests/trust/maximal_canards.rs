//! Maximal canards of folded singularities beside which the slow flow turns round: the canard comes more than once to
//! the plane across the flow at the singularity.

use super::known::{none_wrong, run};
use super::random::{Random, members};

/// ε x' = w + x², z' = 1, w' = -(a z + b x) with a = -2 k₁ k₂ and b = 2 (k₁ + k₂), told in u = z + m w: x = k z,
/// w = ε k - x² is a maximal canard for every ε, and along it u turns round at z = 1/(2 m k²).
#[test]
fn normal_forms_of_which_the_slow_flow_turns_round_have_their_maximal_canard() {
    let class = "sheared normal forms";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let node = random.below(2) == 0;
        let strong = random.between(0.4, 1.5);
        let other = strong
            * if node {
                random.between(0.15, 0.45)
            } else {
                -random.between(0.3, 3.0)
            };
        let epsilon = random.log_between(1e-4, 3e-3);
        let turn = random.between(0.3, 0.8);
        let time = turn * random.between(1.2, 4.0);
        let shear = random.sign() / (2.0 * strong * strong * turn);
        let (a, b) = (-2.0 * strong * other, 2.0 * (strong + other));
        let text = format!(
            "Study(title: \"form\", system: Smooth(states: [\"x\", \"u\", \"w\"], parameters: {{\"e\": {epsilon:?}}}, \
             define: {{\"z\": \"u - ({shear:?})*w\"}}, \
             equations: [\"x' = (w + x^2)/e\", \"u' = 1 - ({shear:?})*(({a:?})*z + ({b:?})*x)\", \"w' = -({a:?})*z - ({b:?})*x\"], \
             slow_fast: SlowFast(fast: \"x\", epsilon: \"e\")), \
             slow_fast: [Portrait(name: \"p\", within: {{\"x\": (-1, 1), \"u\": (-0.4, 0.4), \"w\": (-1, 1)}}, time: {time:?}, \
             orbits: 2, manifolds: 1, mesh: (6, 12))])"
        );
        let result = run(&text);
        let found = &result.portraits[0];
        let off: Vec<f64> = (found.maximal.iter())
            .map(|(_, canard)| {
                let [x, u, w] = [0, 1, 2].map(|i| canard.crossing[i]);
                let z = u - shear * w;
                (x - strong * z).abs().max((w + x * x - epsilon * strong).abs())
            })
            .collect();
        if off.len() != 1 || off[0] > 1e-8 {
            wrong.push((member, format!("{off:?} {:?}\n{text}", found.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The autocatalator of Petrov, Scott and Showalter, a' = μ (κ + c) - a b² - a, ε b' = a b² + a - b, c' = b - c: along
/// its canards c turns round where b passes c, next to the fold.
#[test]
fn maximal_canards_of_autocatalators_do_not_depend_on_how_far_the_singular_one_is_followed() {
    let class = "autocatalators";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (mu, feed) = loop {
            let drawn = (random.between(0.15, 0.6), random.between(0.6, 2.0));
            // Twice the product of the eigenvalues: a saddle, or a node far from the saddle–node and from foci.
            let product = 2.0 * (drawn.0 * (1.0 + drawn.1) - 1.0);
            if product < -0.15 || (0.15..0.45).contains(&product) {
                break drawn;
            }
        };
        let epsilon = random.log_between(2e-4, 1e-3);
        let c = 1.0 / mu - feed;
        let unit = random.log_between(0.1, 10.0);
        let crossing = |time: f64| {
            let text = format!(
                "Study(title: \"auto\", system: Smooth(states: [\"a\", \"B\", \"c\"], parameters: {{\"e\": {epsilon:?}}}, \
                 define: {{\"b\": \"B/{unit:?}\"}}, \
                 equations: [\"a' = {mu:?}*({feed:?} + c) - a*b^2 - a\", \"B' = {unit:?}*(a*b^2 + a - b)/e\", \"c' = b - c\"], \
                 slow_fast: SlowFast(fast: \"B\", epsilon: \"e\")), \
                 slow_fast: [Portrait(name: \"p\", within: {{\"a\": (0.2, 0.6), \"B\": ({:?}, {:?}), \"c\": ({:?}, {:?})}}, \
                 time: {time:?}, orbits: 2, manifolds: 1, mesh: (6, 12))])",
                0.2 * unit,
                2.5 * unit,
                c - 1.0,
                c + 1.0
            );
            let result = run(&text);
            let found = &result.portraits[0];
            let at = found.maximal.first().map(|(_, canard)| canard.crossing.clone());
            at.map(|x| [x[0], x[1] / unit])
                .ok_or_else(|| format!("{:?}\n{text}", found.missing))
        };
        let [short, long] = [random.between(0.4, 0.6), random.between(0.6, 1.2)].map(crossing);
        match (short, long) {
            (Ok(a), Ok(b)) if (a[0] - b[0]).hypot(a[1] - b[1]) <= 1e-6 => {}
            other => wrong.push((member, format!("{other:?}"))),
        }
    }
    none_wrong(class, count, &wrong);
}
