//! All equilibria in a box, in any units, order and sign of the states, on its faces and at its corners too.

use super::known::none_wrong;
use super::random::{Random, members};
use slipstick_orbit::{FixedPoint, PointSearch, find_points};
use slipstick_study as study;

/// Errors of a found equilibrium, in widths of the box.
const TOLERANCE: f64 = 1e-8;

/// Rates of states U0, U1, … in the box, and all equilibria in it.
struct Known {
    rates: Vec<String>,
    region: Vec<(f64, f64)>,
    equilibria: Vec<Vec<f64>>,
}

/// A way to write it down: the states in this order, each in its unit, which may be negative, and the unit of time.
struct Form {
    order: Vec<usize>,
    units: Vec<f64>,
    time: f64,
}

impl Form {
    fn plain(n: usize) -> Self {
        Self {
            order: (0..n).collect(),
            units: vec![1.0; n],
            time: 1.0,
        }
    }

    fn random(random: &mut Random, n: usize) -> Self {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, random.below(i + 1));
        }
        Self {
            order,
            units: (0..n).map(|_| random.sign() * random.log_between(1e-6, 1e6)).collect(),
            time: random.log_between(1e-4, 1e4),
        }
    }
}

/// What is wrong with the equilibria that are found.
fn wrong_in(known: &Known, form: &Form) -> Option<String> {
    let n = known.rates.len();
    let in_units = |rate: &String| {
        let mut rate = rate.clone();
        for (i, unit) in form.units.iter().enumerate() {
            rate = rate.replace(&format!("U{i}"), &format!("(({:?})*x{i})", 1.0 / unit));
        }
        rate
    };
    let equations = form.order.iter().map(|&i| {
        format!(
            "\"x{i}' = ({:?})*({})\"",
            form.units[i] / form.time,
            in_units(&known.rates[i])
        )
    });
    let states = form.order.iter().map(|i| format!("\"x{i}\""));
    let text = format!(
        "Study(title: \"box\", system: Smooth(states: [{}], parameters: {{\"a\": 1}}, equations: [{}]))",
        states.collect::<Vec<_>>().join(", "),
        equations.collect::<Vec<_>>().join(", ")
    );
    let plan = study::parse("box.ron".as_ref(), text.clone())
        .unwrap()
        .plan(&[])
        .unwrap();
    let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
    let region = form.order.iter().map(|&i| {
        let (a, b) = (form.units[i] * known.region[i].0, form.units[i] * known.region[i].1);
        (a.min(b), a.max(b))
    });
    let search = PointSearch {
        seeds: 512,
        region: region.collect(),
    };
    let found = find_points(&mut rest, &search, &mut |_| true);
    let found: Vec<Vec<f64>> = found
        .iter()
        .map(|z| {
            let mut u = vec![0.0; n];
            form.order.iter().zip(z).for_each(|(&i, x)| u[i] = x / form.units[i]);
            u
        })
        .collect();
    let off = |a: &Vec<f64>, b: &Vec<f64>| {
        let parts = a.iter().zip(b).zip(&known.region);
        parts.fold(0.0f64, |m, ((a, b), (lo, hi))| m.max((a - b).abs() / (hi - lo)))
    };
    let count = |of: &Vec<f64>| found.iter().filter(|z| off(z, of) < TOLERANCE).count();
    let counts: Vec<usize> = known.equilibria.iter().map(count).collect();
    let inside = found.iter().filter(|z| {
        let mut parts = z.iter().zip(&known.region);
        parts.all(|(x, (lo, hi))| (lo - TOLERANCE * (hi - lo)..=hi + TOLERANCE * (hi - lo)).contains(x))
    });
    let right = counts.iter().all(|count| *count == 1) && inside.count() == known.equilibria.len();
    (!right).then(|| format!("{counts:?} of {:?}; found {found:?}\n{text}", known.equilibria))
}

/// Members of a class: what is found as it is and in two other forms.
fn check(class: &str, few: usize, draw: impl Fn(&mut Random) -> Option<Known>) {
    let count = members(few);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let known = std::iter::repeat_with(|| draw(&mut random)).flatten().next().unwrap();
        let n = known.rates.len();
        let forms = [
            Form::plain(n),
            Form::random(&mut random, n),
            Form::random(&mut random, n),
        ];
        wrong.extend(forms.iter().filter_map(|form| Some((member, wrong_in(&known, form)?))));
    }
    none_wrong(class, count, &wrong);
}

/// A prey, its predator and a top predator that is fed from outside too. What the others are follows from the predator
/// in closed form, so that all equilibria are the zeros of one function.
#[test]
fn all_equilibria_of_a_food_chain_are_found_in_any_units() {
    const SIDE: f64 = 6.0;
    const STEPS: usize = 40_000;
    check("equilibria of food chains", 16, |random| {
        let a = random.between(0.5, 6.0);
        let (m, c, h) = (
            random.between(0.05, 1.0),
            random.between(0.8, 2.5),
            random.between(0.5, 1.5),
        );
        let (e, k, d) = (
            random.between(0.7, 1.5),
            random.between(0.3, 1.0),
            random.between(0.2, 0.7),
        );
        let (f, g) = (random.between(0.2, 1.0), random.between(0.5, 1.5));
        let (v, w, y) = (
            random.between(0.3, 1.0),
            random.between(0.4, 1.2),
            random.between(0.05, 0.5),
        );
        let (s, beside) = (random.log_between(0.003, 0.3), random.between(0.0, 0.01));
        let others = |p: f64| {
            let q = s / (y - v * p / (w + p));
            let eaten = d + f * q / (g + p);
            (eaten * k / (e - eaten), q)
        };
        let value = |p: f64| {
            let (n, _) = others(p);
            (1.0 - n / a) * (n + m) * (h + n + beside * p) - c * p
        };
        let inside = |p: f64| {
            let (n, q) = others(p);
            (0.0..=2.0 * SIDE).contains(&n) && (0.0..=2.0 * SIDE).contains(&q)
        };
        let mut equilibria = vec![vec![0.0, 0.0, s / y], vec![a, 0.0, s / y]];
        let at = |i: usize| SIDE * (i as f64 / STEPS as f64).powi(2);
        for i in 1..STEPS {
            let (mut low, mut high) = (at(i), at(i + 1));
            if !(inside(low) && inside(high)) {
                continue;
            }
            if value(low) * value(high) > 0.0 {
                // Nearly a double root.
                if value(low).abs() < 1e-4 {
                    return None;
                }
                continue;
            }
            let below = value(low) < 0.0;
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if (value(middle) < 0.0) == below {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let (n, q) = others(low);
            equilibria.push(vec![n, low, q]);
        }
        // Neither nearly on a face of the box, nor nearly one.
        let clear = equilibria.iter().enumerate().all(|(i, u)| {
            let apart = |o: &Vec<f64>| u.iter().zip(o).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) > 0.01;
            u.iter()
                .all(|x| *x == 0.0 || (1e-3..SIDE - 1e-3).contains(x) || *x > SIDE + 1e-3)
                && equilibria[..i].iter().all(apart)
        });
        equilibria.retain(|u| u.iter().all(|x| *x < SIDE));
        clear.then(|| Known {
            rates: vec![
                format!("U0*(1-U0/{a:?})*(U0+{m:?})-{c:?}*U0*U1/({h:?}+U0+{beside:?}*U1)"),
                format!("U1*({e:?}*U0/({k:?}+U0)-{d:?})-{f:?}*U1*U2/({g:?}+U1)"),
                format!("U2*({v:?}*U1/({w:?}+U1)-{y:?})+{s:?}"),
            ],
            region: vec![(0.0, SIDE); 3],
            equilibria,
        })
    });
}

/// Products of polynomials whose zeros are known one state after the other, mixed by a matrix or not; the box may begin
/// and end with an equilibrium, or lie about it.
#[test]
fn all_equilibria_of_products_are_found_in_any_units() {
    check("equilibria of products", 16, |random| {
        let n = 2 + random.below(2);
        let (first, second) = (random.between(0.5, 2.0), random.between(2.5, 5.0));
        let between = |random: &mut Random| random.between(-1.0, 1.5);
        let of_second = [between(random), between(random), 0.3 * between(random)];
        let of_third = [between(random), between(random), between(random)];
        let low = -0.5 * random.below(2) as f64;
        let mut region = vec![(low, if random.below(2) == 0 { second } else { 5.5 })];
        region.extend((1..n).map(|_| (low, 6.0)));
        let mut products = vec![
            format!("U0*(U0-{first:?})*({second:?}-U0)"),
            format!(
                "U1*(({:?})+({:?})*U0+({:?})*U0^2-U1)",
                of_second[0], of_second[1], of_second[2]
            ),
            format!(
                "U2*(({:?})+({:?})*U0+({:?})*U1-U2)",
                of_third[0], of_third[1], of_third[2]
            ),
        ];
        products.truncate(n);
        let mut equilibria = vec![];
        for x in [0.0, first, second] {
            for y in [0.0, of_second[0] + of_second[1] * x + of_second[2] * x * x] {
                let z = of_third[0] + of_third[1] * x + of_third[2] * y;
                equilibria.extend(if n == 2 {
                    vec![vec![x, y]]
                } else {
                    vec![vec![x, y, 0.0], vec![x, y, z]]
                });
            }
        }
        let within = |x: f64, (lo, hi): (f64, f64), margin: f64| (lo - margin..=hi + margin).contains(&x);
        let all_within = |u: &Vec<f64>, margin: f64| u.iter().zip(&region).all(|(x, side)| within(*x, *side, margin));
        let clear = equilibria.iter().all(|u| {
            let apart = |x: &f64| *x == 0.0 || x.abs() > 0.03;
            u.iter().all(apart) && all_within(u, 1e-12) == all_within(u, 1e-2)
        });
        equilibria.retain(|u| all_within(u, 1e-12));
        let mixed = random.below(2) == 1;
        let mixed = |random: &mut Random, i: usize| {
            let part = |(j, product): (usize, &String)| {
                let share = if i == j {
                    1.0
                } else if mixed {
                    random.between(-0.45, 0.45)
                } else {
                    0.0
                };
                (share != 0.0).then(|| format!("({share:?})*({product})"))
            };
            products
                .iter()
                .enumerate()
                .filter_map(part)
                .collect::<Vec<_>>()
                .join("+")
        };
        let rates = (0..n).map(|i| mixed(random, i)).collect();
        clear.then_some(Known {
            rates,
            region,
            equilibria,
        })
    });
}
