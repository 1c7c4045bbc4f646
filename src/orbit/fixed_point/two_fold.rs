//! Two-folds that pseudo-equilibria come to: both fields are tangent to the surface there, and neither vanishes.
//!
//! With the fields f and g of the two sides, pseudo-equilibria are the zeros of λ f + (1 - λ) g on the surface, with λ
//! between 0 and 1. At a two-fold f and g point in opposite directions along the surface, and λ is still determined:
//! the curve is regular there and goes on from a sliding region to an escaping one. The sliding field, in which λ has
//! been eliminated, has a pole, and one of its eigenvalues passes from one side to the other through infinity. So the
//! place is found, and left, with λ as an unknown. (A. F. Filippov, *Differential equations with discontinuous
//! righthand sides*, 1988, § 19; M. di Bernardo, C. J. Budd, A. R. Champneys, P. Kowalczyk, *Piecewise-smooth dynamical
//! systems*, 2008, chapter 5.)

use super::FixedPoint;
use super::boundary::{ESCAPING, residual_size};
use super::{guards, monitors};
use crate::derivatives::derivatives;
use crate::tangency;
use nalgebra::{DMatrix, DVector};
use slipstick_bifurcation::{Inspect, Record};
use slipstick_continuation::{Point, Problem, tangent_at};
use slipstick_system::{ModeKind, jacobian};

/// A point at which a curve leaves its mode lies no farther from a two-fold, in scaled arclength; one at which the
/// equations could not be solved, since they have a pole ahead, no farther than that.
const LEFT: f64 = 1e-5;
const LOST: f64 = 1e-3;
/// The curve is taken up again so far beyond, where the sliding field has digits enough.
const BESIDE: f64 = 1e-4;
/// What vanishes up to this, relative to the terms that it is made of, is zero.
const ZERO: f64 = 1e-8;

/// Pseudo-equilibria beyond a two-fold.
///
/// ```
/// use slipstick_bifurcation::{TraceOptions, Tracer};
/// use slipstick_orbit::{FixedPoint, beyond_two_fold};
/// use slipstick_study as study;
/// // On y = 0 the motion rests at x = a; the fields point towards the surface for x < 0, away from it for x > 0.
/// let text = r#"Study(title: "t", system: Filippov(states: ["x", "y"], parameters: {"a": -1}, surfaces: {"h": "y"},
///     fields: {"+": ["x' = 1 + x - a", "y' = x"], "-": ["x' = -1", "y' = -x"]}))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let mode = system.mode("h0").ok_or("no mode")?;
/// let mut rest = FixedPoint::equilibrium(system, mode, vec![-1.0], vec![0]);
/// let upwards = TraceOptions { directions: vec![1.0], ..TraceOptions::over((-2.0, 2.0)) };
/// let branch = Tracer::new(&mut rest, &upwards).from_guess(vec![-1.0, -1.0])?;
/// let last = branch.points.last().ok_or("no points")?;
/// let beyond = beyond_two_fold(&mut rest, &last.point, true).ok_or("no two-fold")?;
/// assert!(beyond.place.iter().all(|v| v.abs() < 1e-14));
/// assert!(beyond.meaning.contains("visible–invisible"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BeyondTwoFold<'s> {
    /// The pseudo-equilibria on that side.
    pub problem: FixedPoint<'s>,
    /// Where their curve is taken up again, next to the two-fold.
    pub start: Point,
    /// The two-fold.
    pub place: Vec<f64>,
    /// What is measured there, without eigenvalues, with the number of unstable directions before it.
    pub record: Record,
    /// What it is, and where the curve goes on, in words.
    pub meaning: String,
    /// An inequality of the mode that is left which vanishes there.
    pub inequality: usize,
    /// Nearer than this to the two-fold, in scaled arclength, the curve was known to rounding only.
    pub within: f64,
}

/// How pseudo-equilibria go on beyond a two-fold at which their curve ends; `left` where it has left its mode, else
/// where the equations could not be solved any further. `None` where there is no two-fold.
pub fn beyond_two_fold<'s>(problem: &mut FixedPoint<'s>, at: &Point, left: bool) -> Option<BeyondTwoFold<'s>> {
    let sides = Sides::of(problem)?;
    let mut sizes = vec![0.0; at.z.len()];
    problem.sizes(&at.z, &mut sizes);
    let folds = Folds {
        sides: &sides,
        problem,
        sizes: [&sizes[..problem.n], &[1.0], &sizes[problem.n..]].concat(),
    };
    let found = folds.near(&at.z)?;
    let place = without_weight(&found.unknowns);
    let ahead: f64 = (0..at.z.len())
        .map(|i| at.weights[i] * at.tangent[i] * (place[i] - at.z[i]))
        .sum();
    let reach = if left { LEFT } else { LOST };
    if at.distance(&Point {
        z: place.clone(),
        ..at.clone()
    }) > reach
        || ahead < -LEFT
    {
        return None;
    }
    // Towards the escaping region.
    let outwards = folds.tangent(&found, &at.weights)?;
    let onwards = if problem.escaping { -1.0 } else { 1.0 };
    let [before, beyond] = [-onwards, onwards].map(|way| folds.beside(&found, &outwards, &at.weights, way * BESIDE));
    let (before, beyond) = (without_weight(&before?), without_weight(&beyond?));
    let kind = folds.kind(&found);
    let row: Vec<f64> = without_weight(&outwards)
        .iter()
        .zip(&at.weights)
        .map(|(t, w)| t * w * onwards)
        .collect();

    let mut next = problem.like(&problem.parameters);
    next.take_parameters(&beyond);
    next.escaping = !problem.escaping;
    next.lengths.clone_from(&problem.lengths);
    next.guess(&beyond[..problem.n]);
    next.origin.clone_from(&problem.origin);
    next.scale.clone_from(&problem.scale);
    // The sliding field has a pole nearby, next to which it tells no usual sizes.
    (next.goes_on, next.keeps_rows) = (true, true);
    next.usual_rows.clone_from(&problem.usual_rows);
    next.usual_volume = problem.usual_volume;
    if residual_size(&mut next, &beyond)? > ZERO {
        return None;
    }
    let inside = |k: &usize| guards::height(&next, *k, &beyond) > 0.0;
    if !sides.events.iter().all(inside) {
        return None;
    }
    let start = tangent_at(&mut next, beyond, &row, 1.0).ok()?;

    let record = measured(problem, (&before, &row), &place)?;
    let meaning = match next.escaping {
        true => format!(
            "{}, {kind}; the curve goes on into the escaping region{ESCAPING}",
            tangency::TWO_FOLD
        ),
        false => format!(
            "{}, {kind}; the curve goes on into the sliding region",
            tangency::TWO_FOLD
        ),
    };
    let bounds = guards::bounds(problem);
    let others = problem.inequalities().len() - bounds.len();
    let inequality = others + bounds.iter().position(|k| *k == sides.events[0])?;
    Some(BeyondTwoFold {
        problem: next,
        start,
        place,
        record,
        meaning,
        inequality,
        within: BESIDE,
    })
}

/// What is measured at the two-fold itself: what has a limit there, and the rest as just before it.
fn measured(problem: &mut FixedPoint<'_>, (before, row): (&[f64], &[f64]), place: &[f64]) -> Option<Record> {
    let mut record = Record::default();
    problem.linearise(before, &mut vec![0.0; problem.n]).ok()?;
    let point = tangent_at(problem, before.to_vec(), row, 1.0).ok()?;
    problem.inspect(&point, &mut record).ok()?;
    problem.take_parameters(place);
    record.parameters.clone_from(&problem.parameters);
    record.monitors = monitors::values(problem, place).ok()?;
    let margins = guards::margins(problem, place);
    let others = record.inequalities.len() - margins.len();
    record.inequalities.truncate(others);
    record.inequalities.extend(margins);
    // One of them is infinite.
    record.eigenvalues.clear();
    record.scales.clear();
    Some(record)
}

/// The unknowns without the weight λ, which stands before the parameter.
fn without_weight(unknowns: &[f64]) -> Vec<f64> {
    let n = unknowns.len() - 2;
    [&unknowns[..n], &unknowns[n + 1..]].concat()
}

/// The modes on the two sides of the surface that a mode slides on.
struct Sides {
    modes: [usize; 2],
    /// The events of the sliding mode that lead there.
    events: [usize; 2],
    /// The event of the first of them at the surface.
    surface: usize,
}

impl Sides {
    fn of(problem: &FixedPoint<'_>) -> Option<Self> {
        let modes = &problem.system.modes;
        let own = &modes[problem.mode];
        if !problem.rest || own.kind != ModeKind::Stick || problem.free.len() != 1 || problem.large.is_some() {
            return None;
        }
        let to_free = |k: &usize| modes[own.events[*k].target].kind == ModeKind::Free && own.events[*k].reset.is_none();
        let events: Vec<usize> = guards::bounds(problem).into_iter().filter(to_free).collect();
        let [a, b] = events[..] else { return None };
        let sides = [a, b].map(|k| own.events[k].target);
        let all = problem.system.states.len();
        let whole = |k: &usize| modes[*k].states.iter().copied().eq(0..all);
        if sides[0] == sides[1] || !sides.iter().all(whole) || problem.n + 1 < all {
            return None;
        }
        let mut leading = modes[sides[0]].events.iter();
        Some(Self {
            modes: sides,
            events: [a, b],
            surface: leading.position(|e| e.target == problem.mode && e.reset.is_none())?,
        })
    }
}

/// A scalar with its derivatives by the unknowns: the states of the sliding mode, λ, the parameter.
type Row = (f64, Vec<f64>);

/// The equations of pseudo-equilibria with λ among the unknowns.
struct Folds<'p, 's> {
    sides: &'p Sides,
    problem: &'p FixedPoint<'s>,
    /// The sizes of the unknowns.
    sizes: Vec<f64>,
}

/// What the equations are made of at some unknowns.
struct Evaluated {
    unknowns: Vec<f64>,
    /// The fields of both sides, by their components.
    fields: [Vec<Row>; 2],
    /// How fast the fields point towards the surface.
    rates: [Row; 2],
    /// The height over the surface, where that takes no state away.
    height: Option<Row>,
}

impl Evaluated {
    fn weight(&self) -> f64 {
        self.unknowns[self.unknowns.len() - 2]
    }

    /// λ f + (1 - λ) g, and the height.
    fn rows(&self) -> Vec<Row> {
        let lambda = self.weight();
        let place = self.unknowns.len() - 2;
        let mixed = self.fields[0].iter().zip(&self.fields[1]).map(|(f, g)| {
            let slopes = f.1.iter().zip(&g.1).map(|(a, b)| lambda * a + (1.0 - lambda) * b);
            let mut slopes: Vec<f64> = slopes.collect();
            slopes[place] = f.0 - g.0;
            (lambda * f.0 + (1.0 - lambda) * g.0, slopes)
        });
        mixed.chain(self.height.clone()).collect()
    }

    /// Both rates together: of one sign in sliding, of the other in escaping regions.
    fn attraction(&self) -> Row {
        let [a, b] = &self.rates;
        (a.0 + b.0, a.1.iter().zip(&b.1).map(|(a, b)| a + b).collect())
    }
}

impl Folds<'_, '_> {
    fn evaluated(&self, unknowns: &[f64]) -> Evaluated {
        let (problem, system) = (self.problem, self.problem.system);
        let (n, free) = (problem.n, &problem.free);
        let (x, mu) = (&unknowns[..n], unknowns[n + 1]);
        let mut p = problem.parameters.clone();
        p[free[0]] = mu;
        let mode = &system.modes[problem.mode];
        let full = system.full_state(problem.mode, x, &p);
        let all = full.len();
        // All states by the unknowns: those of the mode are unknowns themselves.
        let mut by = DMatrix::zeros(all, n + 2);
        for (c, &s) in mode.states.iter().enumerate() {
            by[(s, c)] = 1.0;
        }
        if let Some(absent) = &mode.absent {
            let missing: Vec<usize> = (0..all).filter(|s| !mode.states.contains(s)).collect();
            let count = missing.len();
            let (mut value, mut dx, mut dp) = (vec![0.0; count], vec![0.0; count * n], vec![0.0; count]);
            jacobian(absent.as_ref(), x, &p, free, &mut value, &mut dx, &mut dp);
            for (k, s) in missing.into_iter().enumerate() {
                (0..n).for_each(|c| by[(s, c)] = dx[k * n + c]);
                by[(s, n + 1)] = dp[k];
            }
        }
        let through = |value: f64, dx: &[f64], dp: f64| -> Row {
            let mut slopes: Vec<f64> = (0..n + 2).map(|c| (0..all).map(|s| dx[s] * by[(s, c)]).sum()).collect();
            slopes[n + 1] += dp;
            (value, slopes)
        };
        let fields = self.sides.modes.map(|side| {
            let (mut f, mut dx, mut dp) = (vec![0.0; all], vec![0.0; all * all], vec![0.0; all]);
            let field = system.modes[side].field.as_ref();
            jacobian(field, &full, &p, free, &mut f, &mut dx, &mut dp);
            let rows = f.iter().zip(dx.chunks_exact(all)).zip(&dp);
            rows.map(|((f, dx), dp)| through(*f, dx, *dp)).collect()
        });
        let rates = self.sides.events.map(|k| {
            let event = &mode.events[k];
            let (value, dx, dp) = derivatives(event.guard.as_ref(), x, &p, free);
            let inside = -event.direction.sign();
            let slopes = dx.iter().chain(&[0.0]).chain(&dp).map(|d| inside * d);
            (inside * value, slopes.collect())
        });
        let height = (n == all).then(|| {
            let surface = &system.modes[self.sides.modes[0]].events[self.sides.surface].guard;
            let (value, dx, dp) = derivatives(surface.as_ref(), &full, &p, free);
            through(value, &dx, dp[0])
        });
        Evaluated {
            unknowns: unknowns.to_vec(),
            fields,
            rates,
            height,
        }
    }

    /// The change of the unknowns, in their sizes, that solves the linear equations.
    fn solved(&self, rows: &[Row]) -> Option<DVector<f64>> {
        let width = self.sizes.len();
        if rows.len() != width {
            return None;
        }
        let mut matrix = DMatrix::from_fn(width, width, |i, j| rows[i].1[j] * self.sizes[j]);
        let mut right = DVector::from_fn(width, |i, _| rows[i].0);
        for i in 0..width {
            let length = matrix.row(i).norm();
            if !(length > 0.0 && length.is_finite()) {
                return None;
            }
            matrix.row_mut(i).unscale_mut(length);
            right[i] /= length;
        }
        matrix.lu().solve(&right)
    }

    /// The unknowns at which the equations and one more hold.
    fn newton(&self, mut unknowns: Vec<f64>, last: impl Fn(&Evaluated) -> Row) -> Option<Evaluated> {
        const ROUNDS: usize = 30;
        const SOLVED: f64 = 1e-10;
        const ROUNDING: f64 = 1e-15;
        let mut before = f64::INFINITY;
        for _ in 0..ROUNDS {
            let here = self.evaluated(&unknowns);
            let mut rows = here.rows();
            rows.push(last(&here));
            let change = self.solved(&rows)?;
            let size = change.amax();
            if !size.is_finite() {
                return None;
            }
            if size <= ROUNDING || size <= SOLVED && size >= before {
                return Some(here);
            }
            before = size;
            for ((u, d), size) in unknowns.iter_mut().zip(&change).zip(&self.sizes) {
                *u -= d * size;
            }
        }
        None
    }

    /// The two-fold next to a pseudo-equilibrium.
    fn near(&self, z: &[f64]) -> Option<Evaluated> {
        let n = self.problem.n;
        let first = self.evaluated(&[&z[..n], &[0.5], &z[n..]].concat());
        // There λ is that which makes the least of the field.
        let (mut product, mut square) = (0.0, 0.0);
        for (f, g) in first.fields[0].iter().zip(&first.fields[1]) {
            product -= g.0 * (f.0 - g.0);
            square += (f.0 - g.0).powi(2);
        }
        let guess = [&z[..n], &[product / square], &z[n..]].concat();
        let found = self.newton(guess, Evaluated::attraction)?;
        let vanishes = |(value, slopes): &Row| {
            let terms = slopes.iter().zip(&self.sizes).map(|(d, s)| (d * s).abs());
            value.abs() <= ZERO * terms.sum::<f64>()
        };
        let lambda = found.weight();
        // Where the fields vanish together equilibria of both sides meet, and nothing goes on.
        let at_rest = found.fields.iter().any(|field| field.iter().all(vanishes));
        let between = lambda > ZERO && lambda < 1.0 - ZERO;
        (found.rates.iter().all(vanishes) && !at_rest && between).then_some(found)
    }

    /// The tangent of the curve at a two-fold, of length one by the states and the parameter, into the escaping region.
    fn tangent(&self, at: &Evaluated, weights: &[f64]) -> Option<Vec<f64>> {
        let mut rows = at.rows();
        rows.iter_mut().for_each(|row| row.0 = 0.0);
        rows.push((-1.0, at.attraction().1));
        let change = self.solved(&rows)?;
        let tangent: Vec<f64> = change.iter().zip(&self.sizes).map(|(d, s)| d * s).collect();
        let own = without_weight(&tangent);
        let length = own.iter().zip(weights).map(|(t, w)| t * t * w).sum::<f64>().sqrt();
        (length > 0.0 && length.is_finite()).then(|| tangent.iter().map(|t| t / length).collect())
    }

    /// The pseudo-equilibrium so far along the tangent.
    fn beside(&self, at: &Evaluated, tangent: &[f64], weights: &[f64], far: f64) -> Option<Vec<f64>> {
        let n = self.problem.n;
        let weights = [&weights[..n], &[0.0], &weights[n..]].concat();
        let row: Vec<f64> = tangent.iter().zip(&weights).map(|(t, w)| t * w).collect();
        let from = &at.unknowns;
        let guess = from.iter().zip(tangent).map(|(u, t)| u + far * t).collect();
        let along = |here: &Evaluated| {
            let moved = here.unknowns.iter().zip(from).zip(&row).map(|((u, v), r)| (u - v) * r);
            (moved.sum::<f64>() - far, row.clone())
        };
        Some(self.newton(guess, along)?.unknowns)
    }

    /// Whether the fields turn away from the surface on their own sides, in words.
    fn kind(&self, at: &Evaluated) -> &'static str {
        let own = &self.problem.system.modes[self.problem.mode].states;
        tangency::kind([0, 1].map(|side| {
            let along = own.iter().enumerate();
            -along
                .map(|(c, &s)| at.rates[side].1[c] * at.fields[side][s].0)
                .sum::<f64>()
        }))
    }
}
