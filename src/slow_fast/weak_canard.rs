//! The weak singular canard of a folded node: the smooth invariant curve of the desingularised flow in its weak
//! direction.
//!
//! Every orbit of the funnel enters a folded node along the weak direction, and they part from each other faster than
//! from the node on the way back: the one that is smooth cannot be found by following the flow from a point next to
//! the node. It is the curve X(u) with `λ u X' = D(X)`, X(0) the node and X'(0) the weak eigenvector, D the
//! desingularised field and λ the weak eigenvalue; a polynomial that satisfies this at points of both sides is it,
//! since the others are not smooth at the node. Where the strong eigenvalue is a multiple of λ a term of that order may
//! be missing its match, and no smooth curve exists.
//!
//! Reference: M. Wechselberger, *Existence and bifurcation of canards in ℝ³ in the case of a folded node*, SIAM J.
//! Appl. Dyn. Syst. 4 (2005) 101–139.

use super::error::SlowFastError;
use super::folded::{FoldedClass, FoldedSingularity};
use super::problem::SlowFastProblem;
use super::reduced_flow::{ReducedEnd, ReducedFlow, ReducedPoint};
use super::singular_canard::{CanardDirection, SingularCanard};
use nalgebra::{DMatrix, DVector};
use slipstick_numerics::linalg::singular::Singular;

/// The degree of the polynomial beyond its first two terms, plus one.
const TERMS: usize = 14;
/// Points at which it is asked to satisfy the equation.
const NODES: usize = 30;
/// Points of the curve kept on each side of the node: evenly spread, and some next to it.
const KEPT: usize = 20;
const NEXT: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// What may be left of the equation, relative to its terms: where rounding allows it, so little that errors that grow
/// along the curve stay small.
const LEFT: [f64; 2] = [1e-13, 1e-11];
/// Half the width that is tried first, and how often it is halved.
const WIDEST: f64 = 0.5;
const HALVINGS: i32 = 13;
/// So near to a whole number the ratio of the eigenvalues is taken for one.
const RESONANT: f64 = 1e-3;
/// By how much errors may grow along the curve, in the strong direction.
const GROWTH: f64 = 1e6;

/// A polynomial curve through a folded node.
#[derive(Clone)]
struct Arc<'a> {
    at: &'a [f64],
    direction: Vec<f64>,
    half: f64,
    /// For each state the coefficients of `s² T_k(s)`, u = half · s.
    terms: DMatrix<f64>,
}

/// The functions `s² T_k(s)` and their derivatives.
fn terms_at(s: f64) -> ([f64; TERMS], [f64; TERMS]) {
    let (mut values, mut rates) = ([0.0; TERMS], [0.0; TERMS]);
    let (mut t, mut dt) = ([1.0, s], [0.0, 1.0]);
    for k in 0..TERMS {
        values[k] = s * s * t[0];
        rates[k] = 2.0 * s * t[0] + s * s * dt[0];
        let next = (2.0 * s * t[1] - t[0], 2.0 * t[1] + 2.0 * s * dt[1] - dt[0]);
        (t, dt) = ([t[1], next.0], [dt[1], next.1]);
    }
    (values, rates)
}

impl Arc<'_> {
    /// The state and its derivative by s.
    fn eval(&self, s: f64) -> (Vec<f64>, Vec<f64>) {
        let (values, rates) = terms_at(s);
        let sum = |i: usize, by: &[f64; TERMS]| (0..TERMS).map(|k| self.terms[(i, k)] * by[k]).sum::<f64>();
        (0..self.at.len())
            .map(|i| {
                let straight = self.half * self.direction[i];
                (self.at[i] + s * straight + sum(i, &values), straight + sum(i, &rates))
            })
            .unzip()
    }
}

impl SlowFastProblem<'_> {
    /// The weak singular canard through a folded node, for slow times up to `time` on either side, as far as it can be
    /// distinguished from its neighbours.
    ///
    /// # Errors
    /// When the singularity is no folded node, or has no smooth curve in its weak direction.
    pub fn weak_canard(&self, through: &FoldedSingularity, time: f64) -> Result<SingularCanard, SlowFastError> {
        if through.class != FoldedClass::Node {
            return Err(SlowFastError::Absent(format!(
                "a folded {:?} has no weak canard: only folded nodes have one",
                through.class
            )));
        }
        let [low, high] = through.eigenvalues.map(|l| l.re);
        let (weak, strong) = if low.abs() > high.abs() { (1, low) } else { (0, high) };
        let lambda = through.eigenvalues[weak].re;
        let direction: Vec<f64> = through.eigenvectors[weak].iter().map(|c| c.re).collect();
        let halves = (0..HALVINGS).map(|k| WIDEST * 0.5_f64.powi(k));
        for (left, half) in LEFT
            .into_iter()
            .flat_map(|left| halves.clone().map(move |half| (left, half)))
        {
            let found = self
                .smooth_arc(&through.state, &direction, lambda, (half, left))
                .and_then(|arc| {
                    Some([
                        self.side(&arc, lambda, -1.0, time)?,
                        self.side(&arc, lambda, 1.0, time)?,
                    ])
                });
            if let Some([before, after]) = found {
                return self.extended(through, lambda, strong, [before, after], time);
            }
        }
        let ratio = strong / lambda;
        let why = if (ratio - ratio.round()).abs() <= RESONANT {
            "where that is a whole number there may be none"
        } else {
            "so there is one, but it bends, or ends, too near to the node"
        };
        Err(SlowFastError::Absent(format!(
            "no smooth weak canard was found at the folded node: the ratio of its eigenvalues is {ratio:.6}, {why}"
        )))
    }

    /// The polynomial that satisfies the equation of the curve over `half` a width on each side, but for what may be
    /// `left`; none where none does.
    fn smooth_arc<'a>(
        &self,
        at: &'a [f64],
        direction: &[f64],
        lambda: f64,
        (half, left): (f64, f64),
    ) -> Option<Arc<'a>> {
        const ITERATIONS: usize = 12;
        let n = at.len();
        let mut arc = Arc {
            at,
            direction: direction.to_vec(),
            half,
            terms: DMatrix::zeros(n, TERMS),
        };
        let nodes: Vec<f64> = (0..NODES)
            .map(|j| (std::f64::consts::PI * (j as f64 + 0.5) / NODES as f64).cos())
            .collect();
        let mut found: Option<(f64, Arc<'a>)> = None;
        for _ in 0..ITERATIONS {
            let mut residual = DVector::zeros(n * NODES);
            let mut jacobian = DMatrix::zeros(n * NODES, n * TERMS);
            for (j, &s) in nodes.iter().enumerate() {
                let (x, rate) = arc.eval(s);
                let (values, rates) = terms_at(s);
                let (field, by_state) = (self.desingularised(&x).0, self.desingularised_jacobian(&x));
                for i in 0..n {
                    residual[j * n + i] = lambda * s * rate[i] - field[i];
                    for k in 0..TERMS {
                        jacobian[(j * n + i, i * TERMS + k)] += lambda * s * rates[k];
                        for c in 0..n {
                            jacobian[(j * n + i, c * TERMS + k)] -= by_state[(i, c)] * values[k];
                        }
                    }
                }
            }
            let size = lambda.abs() * half;
            if !residual.iter().all(|r| r.is_finite()) {
                return found.map(|(_, arc)| arc);
            }
            let least = residual.amax();
            if least <= left * size {
                // As small as rounding allows: what is left may be a part of a neighbour, which leaves the curve.
                match found {
                    Some((before, arc)) if least > 0.25 * before => return Some(arc),
                    _ => found = Some((least, arc.clone())),
                }
            }
            let step = Singular::of(&jacobian)?.least_squares(&residual, 1e-13);
            for i in 0..n {
                for k in 0..TERMS {
                    arc.terms[(i, k)] -= step[i * TERMS + k];
                }
            }
        }
        found.map(|(_, arc)| arc)
    }

    /// Points of the curve on one side of the node, by increasing distance; none if it leaves the mode or its sheet, or
    /// takes more than `time`.
    fn side(&self, arc: &Arc<'_>, lambda: f64, side: f64, time: f64) -> Option<Vec<ReducedPoint>> {
        /// Gauss's three points.
        const PLACES: [(f64, f64); 3] = [
            (-0.774_596_669_241_483_4, 5.0 / 18.0),
            (0.0, 8.0 / 18.0),
            (0.774_596_669_241_483_4, 5.0 / 18.0),
        ];
        // Along the curve the slow states move with g: dz = g dt.
        let pace = |s: f64| {
            let (x, rate) = arc.eval(s);
            let slow = self.local(&x).slow;
            let square: f64 = slow.iter().map(|g| g * g).sum();
            let along: f64 = rate.iter().zip(&slow).map(|(r, g)| r * g).sum();
            along / square
        };
        let even = (1..=KEPT).map(|k| k as f64 / KEPT as f64);
        let (mut points, mut t, mut from): (Vec<ReducedPoint>, f64, f64) = (vec![], 0.0, 0.0);
        for to in NEXT.into_iter().chain(even) {
            let (middle, width) = (0.5 * (from + to), to - from);
            let mean: f64 = PLACES
                .iter()
                .map(|(p, w)| w * pace(side * (middle + 0.5 * p * width)))
                .sum();
            t += side * width * mean;
            from = to;
            let state = arc.eval(side * to).0;
            let slope = self.local(&state).gradient[self.fast()];
            let same = points.first().is_none_or(|first| first.slope * slope > 0.0);
            if !(t.abs() <= time && self.room(&state) > 0.0 && same) {
                return None;
            }
            points.push(ReducedPoint {
                time: t,
                state,
                slope,
                // u grows like exp(λσ).
                sigma: to.ln() / lambda,
            });
        }
        Some(points)
    }

    /// The curve followed by the flow from the ends of the polynomial.
    fn extended(
        &self,
        through: &FoldedSingularity,
        lambda: f64,
        strong: f64,
        sides: [Vec<ReducedPoint>; 2],
        time: f64,
    ) -> Result<SingularCanard, SlowFastError> {
        let flow = ReducedFlow::new(self);
        let longest = GROWTH.ln() / strong.abs();
        let mut ends = [ReducedEnd::Time; 2];
        let mut halves = sides;
        for (half, end) in halves.iter_mut().zip(&mut ends) {
            let Some(last) = half.last() else { continue };
            let onwards = flow.march(last, lambda.signum(), 0.5 / strong.abs(), time)?;
            let distinct = |p: &&ReducedPoint| p.sigma.abs() <= longest;
            let count = onwards.points.iter().take_while(distinct).count();
            *end = if count < onwards.points.len() {
                ReducedEnd::Indistinct
            } else {
                onwards.end
            };
            half.extend(onwards.points.into_iter().take(count).skip(1));
        }
        let direction = Some(CanardDirection::Weak);
        Ok(SingularCanard::joined(through, (lambda, direction), halves, ends))
    }
}
