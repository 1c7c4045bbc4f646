//! What is measured at equilibria and cycles of maps: states, norms, eigenvalues or multipliers, and where they
//! bifurcate.

use super::FixedPoint;
use crate::normal_form::{CONVENTION, Coefficient, Expansion, Iterated, twelve_digits};
use nalgebra::{Complex, DMatrix, DVector};
use slipstick_bifurcation::{
    BranchPoint, Domain, InequalitySpec, Inspect, Label, Monitor, Rank, Record, Recurrence, TestSpec, rotation,
};
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_floquet::{
    FactorChain, Multiplier, MultiplierSolver, UnitPair, leave_out, nearest_unit_pair_beside, neutral_pairs, psi_minus,
    psi_ns_beside,
};
use slipstick_numerics::linalg::eigen::{Balanced, eigenvalues};
use slipstick_numerics::scalar::Second;
use slipstick_system::{System, jacobian};

/// The position of each test among the tests.
const PAIR: usize = 0;
const CROSSING: usize = 1;

/// The square root of what counts as rounding: an eigenvalue below this part of the largest one is zero.
const ZERO: f64 = 1e-7;

fn evaluation(e: impl std::fmt::Display) -> Failure {
    Failure::Evaluation(e.to_string())
}

/// What is said where a coefficient cannot be computed.
pub(super) fn unknown(name: &str) -> String {
    format!(
        "; {name} is not defined: the eigenvalue is multiple, as in area-preserving maps, or the equations have no third derivatives"
    )
}

/// What a pair of eigenvalues adds to the test function for Hopf points: `(λᵢ + λⱼ) / (|λᵢ| + |λⱼ|)`, and the frequency
/// of a complex one.
struct Pair {
    factor: f64,
    /// The sum of the two.
    sum: f64,
    frequency: Option<f64>,
}

/// The complex pairs, then the pairs of real eigenvalues.
fn pairs(eigenvalues: &[Complex<f64>]) -> Vec<Pair> {
    let real: Vec<f64> = eigenvalues.iter().filter(|v| v.im == 0.0).map(|v| v.re).collect();
    let complex = eigenvalues.iter().filter(|v| v.im > 0.0).map(|v| Pair {
        factor: v.re / v.norm(),
        sum: 2.0 * v.re,
        frequency: Some(v.im),
    });
    let saddles = real.iter().enumerate().flat_map(|(i, a)| {
        real[i + 1..].iter().map(move |b| {
            let size = a.abs() + b.abs();
            Pair {
                factor: if size > 0.0 { (a + b) / size } else { 0.0 },
                sum: a + b,
                frequency: None,
            }
        })
    });
    complex.chain(saddles).collect()
}

/// Changes sign where a complex pair passes the imaginary axis: the product of `(λᵢ + λⱼ) / (|λᵢ| + |λⱼ|)` over
/// conjugate pairs and pairs of real eigenvalues, without those of the `neutral` pairs nearest to zero. It also does at
/// neutral saddles, where two real eigenvalues have sum zero.
pub(super) fn psi_hopf(eigenvalues: &[Complex<f64>], neutral: usize) -> f64 {
    let mut pairs = pairs(eigenvalues);
    leave_out(&mut pairs, neutral, |pair| pair.factor.abs());
    pairs.iter().map(|pair| pair.factor).product()
}

/// The pair with the smallest relative real part besides the `neutral` ones, if it is a complex one: its frequency.
pub(super) fn hopf_frequency(eigenvalues: &[Complex<f64>], neutral: usize) -> Option<f64> {
    let mut pairs = pairs(eigenvalues);
    leave_out(&mut pairs, neutral, |pair| pair.factor.abs());
    let nearest = pairs.iter().min_by(|a, b| a.factor.abs().total_cmp(&b.factor.abs()))?;
    nearest.frequency
}

/// Is there a pair on the imaginary axis besides the `neutral` ones, truly complex, so far as rounding lets one tell?
fn crosses_the_axis(eigenvalues: &[Complex<f64>], neutral: usize) -> bool {
    /// What location and rounding leave of the real part, relative to the pair itself.
    const ON_THE_AXIS: f64 = 1e-5;
    /// Two eigenvalues nearer to zero than this part of the largest one are a double zero to rounding, whose halves
    /// part like its square root.
    const DOUBLE: f64 = 1e-7;
    let size = eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
    let mut pairs = pairs(eigenvalues);
    leave_out(&mut pairs, neutral, |pair| pair.factor.abs());
    let nearest = pairs.iter().min_by(|a, b| a.factor.abs().total_cmp(&b.factor.abs()));
    nearest.is_some_and(|pair| {
        pair.factor.abs() <= ON_THE_AXIS && pair.frequency.is_some_and(|omega| omega > DOUBLE * size)
    })
}

impl FixedPoint<'_> {
    pub(super) fn kind(&self) -> String {
        match (self.rest, self.length) {
            (true, _) => "equilibria".into(),
            (false, 1) => "fixed points".into(),
            (false, k) => format!("cycles of {k} points"),
        }
    }

    /// The derivative of the field, or of the map along the whole cycle.
    fn monodromy(&self, z: &[f64]) -> DMatrix<f64> {
        let n = self.n;
        let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        let mut product = DMatrix::identity(n, n);
        for i in 0..self.length {
            let field = self.field_at(i);
            jacobian(field, self.point(z, i), &self.parameters, &[], &mut y, &mut dx, &mut []);
            product = DMatrix::from_row_slice(n, n, &dx) * product;
        }
        product
    }

    pub(super) fn expansion<'a>(&'a self, z: &'a [f64]) -> Expansion<'a> {
        Expansion {
            forms: Box::new(Iterated {
                functions: (0..self.length).map(|i| self.field_at(i)).collect(),
                x: self.point(z, 0),
                p: &self.parameters,
            }),
            linear: self.monodromy(z),
            units: self.system.units_of_mode(self.mode),
        }
    }

    /// The quadratic and the cubic coefficient at a branch point.
    pub(super) fn crossing_coefficients(&self, z: &[f64]) -> Option<(Coefficient, Coefficient)> {
        self.expansion(z).pitchfork(self.neutral())
    }

    /// The eigenvalue of a fold.
    fn neutral(&self) -> f64 {
        if self.rest { 0.0 } else { 1.0 }
    }

    /// Is a branch point a pitchfork?
    pub(super) fn is_pitchfork(&self, z: &[f64]) -> Option<bool> {
        let (a, b) = self.crossing_coefficients(z)?;
        Some(self.has_no_quadratic(z, a, b))
    }

    /// Is the quadratic coefficient of a branch point zero beside the cubic one?
    ///
    /// In u' = r ρ u + a u² + b u³, with ρ the parameter in units of its own size, the other family turns back at ρ =
    /// a²/(4 r b). Where that is zero to rounding nothing tells the crossing from a pitchfork, in whatever units the
    /// states are measured.
    pub(super) fn has_no_quadratic(&self, z: &[f64], a: Coefficient, b: Coefficient) -> bool {
        let Some(rate) = self.crossing_rate(z) else {
            return false;
        };
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        let size = sizes.last().copied().unwrap_or(1.0);
        a.is_positive().is_none() || a.value * a.value <= ZERO * ZERO * (4.0 * rate * size * b.value).abs()
    }

    /// How fast the eigenvalue that vanishes at a branch point (that is 1 there, of a map) changes with the parameter,
    /// along the family that is no function of the null vector: `⟨p, ∂²f(q, w)⟩` with w = (x', 1) and
    /// `(A - λ) x' = -∂f/∂parameter`.
    fn crossing_rate(&self, z: &[f64]) -> Option<f64> {
        let linear = self.monodromy(z);
        let balanced = Balanced::new(&linear);
        let vectors = balanced.eigenvectors(self.neutral())?;
        let n = self.n;
        let along = |u: &dyn Fn(usize) -> f64, w: &dyn Fn(usize) -> f64, rate: f64| -> Vec<Second> {
            let x = self.point(z, 0);
            let mut y: Vec<Second> = (0..n).map(|i| Second::mixed(x[i], u(i), w(i))).collect();
            let p: Vec<Second> = self
                .parameters
                .iter()
                .enumerate()
                .map(|(k, &v)| Second::mixed(v, 0.0, if k == self.free[0] { rate } else { 0.0 }))
                .collect();
            for i in 0..self.length {
                let mut next = y.clone();
                self.field_at(i).second(&y, &p, &mut next);
                y = next;
            }
            y
        };
        let still = |_: usize| 0.0;
        let by_parameter = along(&still, &still, 1.0);
        let rhs = DVector::from_fn(n, |i, _| -by_parameter[i].eps[0].re);
        let w = balanced.resolve_off(self.neutral(), &vectors, &rhs)?;
        let mixed = along(&|i| vectors.right[i], &|i| w[i], 1.0);
        let rate: f64 = (0..n).map(|i| vectors.left[i] * mixed[i].eps[0].eps[0]).sum();
        rate.is_finite().then_some(rate)
    }

    /// The determinant of the equations bordered by the tangent, in scaled unknowns and with rows of length one at
    /// most: a smooth function that changes sign where another family crosses, not at folds.
    fn crossing(&self, point: &Point) -> f64 {
        let width = point.z.len();
        let sizes: Vec<f64> = point.weights.iter().map(|w| w.sqrt().recip()).collect();
        let mut matrix = DMatrix::zeros(width, width);
        for (i, row) in self.jacobian.chunks_exact(width).enumerate() {
            for j in 0..width {
                matrix[(i, j)] = row[j] * sizes[j];
            }
        }
        for j in 0..width {
            matrix[(width - 1, j)] = point.tangent[j] / sizes[j];
        }
        // A row may vanish (x' = p x at x = 0): it counts as part of what it was where the curve set off.
        for (row, usual) in self.usual_rows.iter().enumerate().take(width - 1) {
            let length = matrix.row(row).norm().hypot(*usual);
            if length > 0.0 {
                matrix.row_mut(row).unscale_mut(length);
            }
        }
        matrix.determinant() / self.usual_volume
    }

    fn measure_flow(&self, z: &[f64], record: &mut Record) -> Result<(), Failure> {
        record.eigenvalues = eigenvalues(&self.monodromy(z)).map_err(evaluation)?;
        record.period = 0.0;
        // A located bifurcation has eigenvalues on the axis up to rounding; those count as not unstable.
        let size = record.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        record.unstable = record.eigenvalues.iter().filter(|v| v.re > 1e-10 * size).count();
        record.tests.push(psi_hopf(&record.eigenvalues, self.neutral_pairs));
        Ok(())
    }

    fn measure_map(&self, z: &[f64], record: &mut Record) -> Result<(), Failure> {
        let n = self.n;
        let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        let mut chain = FactorChain::new();
        for i in 0..self.length {
            let field = self.field_at(i);
            jacobian(field, self.point(z, i), &self.parameters, &[], &mut y, &mut dx, &mut []);
            chain.push(n, n, &dx).map_err(evaluation)?;
        }
        MultiplierSolver::new()
            .multipliers(&chain, &mut record.multipliers)
            .map_err(evaluation)?;
        record.period = self.length as f64;
        record.unstable = Multiplier::count_unstable(&record.multipliers);
        record
            .tests
            .push(psi_ns_beside(&record.multipliers, self.neutral_pairs));
        Ok(())
    }

    /// States, norms, inequalities and eigenvalues or multipliers, with the first of the test functions.
    pub(super) fn measure(&mut self, z: &[f64], record: &mut Record) -> Result<(), Failure> {
        self.take_parameters(z);
        record.parameters.clone_from(&self.parameters);
        record.multipliers.clear();
        record.nu.clear();
        record.eigenvalues.clear();
        record.tests.clear();
        record.monitors.clear();
        record.monitors.extend(self.monitor_values(z)?);
        record.inequalities.clear();
        for i in &self.system.modes[self.mode].inequalities {
            let mut least = f64::INFINITY;
            for k in 0..self.length {
                let mut v = [0.0];
                i.function.value(self.point(z, k), &self.parameters, &mut v);
                least = least.min(v[0]);
            }
            record.inequalities.push(least);
        }
        record.inequalities.extend(self.corner_margins(z));
        if self.rest {
            self.measure_flow(z, record)
        } else {
            self.measure_map(z, record)
        }
    }
}

/// What points of a mode have in common, as the tables name it: for each state that is no angle the largest modulus,
/// the largest and the least value, then the norm.
pub fn extremes<X: AsRef<[f64]>>(system: &System, mode: usize, points: &[X]) -> Vec<f64> {
    let mut all = vec![];
    let mut squares = 0.0;
    for (c, &s) in system.modes[mode].states.iter().enumerate() {
        if system.states[s].period.is_some() {
            continue;
        }
        let values = || points.iter().map(|x| x.as_ref()[c]);
        let (lo, hi) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        all.extend([lo.abs().max(hi.abs()), hi, lo]);
        squares += values().map(|v| v * v).sum::<f64>();
    }
    all.push((squares / points.len() as f64).sqrt());
    all
}

impl FixedPoint<'_> {
    /// The test functions.
    fn test_functions(&self) -> Vec<TestSpec> {
        let spec = |label, meaning: String| TestSpec::new(label, meaning);
        let kind = self.kind();
        let crossing = spec(
            Label::BP,
            format!("branch point: another branch of {kind} intersects this one"),
        );
        if self.rest {
            return vec![
                spec(
                    Label::HB,
                    "Hopf bifurcation: a pair of complex eigenvalues crosses the imaginary axis, and periodic orbits branch off".into(),
                ),
                crossing,
            ];
        }
        vec![
            spec(
                Label::NS,
                "Neimark–Sacker bifurcation: a complex pair of multipliers crosses the unit circle, and a closed invariant curve branches off"
                    .into(),
            ),
            crossing,
            spec(
                Label::PD,
                format!(
                    "period doubling: a multiplier passes -1, and cycles of {} points branch off",
                    2 * self.length
                ),
            ),
        ]
    }

    /// The inequalities of admissibility.
    fn boundaries(&self) -> Vec<InequalitySpec> {
        self.system.modes[self.mode]
            .inequalities
            .iter()
            .map(|i| InequalitySpec {
                label: Label::GR,
                rank: Rank::Other,
                meaning: format!("a point reaches the boundary of `{}`", i.name),
            })
            .chain(self.corner_inequalities())
            .collect()
    }
}

impl Inspect for FixedPoint<'_> {
    fn parameter_names(&self) -> Vec<String> {
        self.system.parameters.iter().map(|p| p.name.clone()).collect()
    }

    fn free_parameters(&self) -> &[usize] {
        &self.free
    }

    fn recurrence(&mut self) -> Option<&mut dyn Recurrence> {
        Some(self)
    }

    fn domain(&self) -> Option<&dyn Domain> {
        Some(self)
    }

    fn monitors(&self) -> Vec<Monitor> {
        let scalars = self.monitor_list().into_iter().map(|m| self.described(m));
        Monitor::list(scalars, self.test_functions(), self.boundaries())
    }

    fn word(&self) -> String {
        if self.system.is_hybrid() {
            self.system.modes[self.mode].name.clone()
        } else {
            String::new()
        }
    }

    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        self.measure(&point.z, record)?;
        record.tests.push(self.crossing(point));
        if !self.rest {
            record.tests.push(psi_minus(&record.multipliers));
        }
        Ok(())
    }

    fn confirm(&self, test: usize, record: &Record) -> bool {
        // The test of pairs also vanishes at neutral saddles, where nothing bifurcates.
        match (test, self.rest) {
            (PAIR, true) => crosses_the_axis(&record.eigenvalues, self.neutral_pairs),
            (PAIR, false) => matches!(
                nearest_unit_pair_beside(&record.multipliers, self.neutral_pairs),
                Some(UnitPair::Conjugate { .. })
            ),
            _ => true,
        }
    }

    fn refine(&mut self, test: usize, point: &Point) -> Option<Vec<f64>> {
        if test == CROSSING {
            let sizes = self.sizes_beside(&point.z, &point.weights);
            self.branch_point_near(&point.z, &sizes)
        } else {
            None
        }
    }

    fn neutral_pairs(&self, record: &Record) -> usize {
        /// What rounding leaves of the sum of two eigenvalues, relative to the largest one, and of the product of two
        /// multipliers.
        const ROUNDING: f64 = 1e-11;
        if self.rest {
            let size = record.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
            let sums = pairs(&record.eigenvalues).into_iter().map(|pair| pair.sum.abs());
            sums.filter(|sum| *sum <= ROUNDING * size).count()
        } else {
            neutral_pairs(&record.multipliers, ROUNDING)
        }
    }

    fn leave_out_neutral(&mut self, pairs: usize) {
        self.neutral_pairs = pairs;
    }

    fn fold_meaning(&self, parameter: &str) -> String {
        format!(
            "fold (saddle-node): two branches of {} meet, and the curve turns back in {parameter}",
            self.kind()
        )
    }

    fn explain_touch(&mut self, point: &Point) -> Option<String> {
        self.take_parameters(&point.z);
        self.explain_crossing(point, true)
    }

    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        self.take_parameters(&point.z);
        let expansion = self.expansion(&point.z);
        let coefficient = |found: Option<Coefficient>| found.filter(Coefficient::is_finite);
        match label {
            Label::LP => {
                let Some(a) = coefficient(expansion.fold(self.neutral())) else {
                    return Some(unknown("the quadratic coefficient"));
                };
                let degenerate = match a.is_positive() {
                    Some(_) => "",
                    None => ": zero to rounding, the fold is degenerate",
                };
                Some(format!(
                    "; quadratic coefficient a = {}, {CONVENTION}{degenerate}",
                    twelve_digits(a.value)
                ))
            }
            Label::BP => {
                drop(expansion);
                self.explain_crossing(point, false)
            }
            Label::HB => {
                let omega = hopf_frequency(&record.eigenvalues, self.neutral_pairs)?;
                let reported = omega / self.system.units.time;
                let period = std::f64::consts::TAU / reported;
                let size = record.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
                if record.eigenvalues.iter().any(|v| v.norm() < ZERO * size) {
                    return Some(format!(
                        "; an eigenvalue is zero here as well (zero-Hopf), which leaves the first Lyapunov coefficient undefined (frequency \
                         {reported:.10}, period {period:.10})"
                    ));
                }
                let Some(l1) = coefficient(expansion.lyapunov(omega)) else {
                    let unknown = unknown("the first Lyapunov coefficient");
                    return Some(format!("{unknown} (frequency {reported:.10}, period {period:.10})"));
                };
                let says = match l1.is_positive() {
                    Some(false) => {
                        "supercritical: the bifurcating periodic orbits are stable within the centre manifold"
                    }
                    Some(true) => "subcritical: the bifurcating periodic orbits are unstable",
                    None => {
                        "degenerate: the first Lyapunov coefficient is zero to rounding and does not determine the stability of the periodic orbits"
                    }
                };
                Some(format!(
                    "; {says} (first Lyapunov coefficient l1 = {}, in Kuznetsov's normalisation {CONVENTION}, divided by the frequency; \
                     frequency {reported:.10}, period {period:.10})",
                    twelve_digits(l1.value)
                ))
            }
            Label::PD => {
                let Some(c) = coefficient(expansion.flip()) else {
                    return Some(unknown("the cubic coefficient"));
                };
                let says = match c.is_positive() {
                    Some(true) => "supercritical: the doubled cycle is stable within the centre manifold",
                    Some(false) => "subcritical: the doubled cycle is unstable",
                    None => {
                        "degenerate: the cubic coefficient is zero to rounding and does not determine the stability of the doubled cycle"
                    }
                };
                Some(format!(
                    "; {says} (cubic coefficient c = {}, {CONVENTION})",
                    twelve_digits(c.value)
                ))
            }
            Label::NS => {
                let nearest = nearest_unit_pair_beside(&record.multipliers, self.neutral_pairs);
                let Some(UnitPair::Conjugate { arg }) = nearest else {
                    return None;
                };
                let Some(d) = coefficient(expansion.neimark_sacker(arg)) else {
                    return Some(unknown("the cubic coefficient"));
                };
                let says = match d.is_positive() {
                    Some(false) => "supercritical: the invariant curve is stable within the centre manifold",
                    Some(true) => "subcritical: the invariant curve is unstable",
                    None => {
                        "degenerate: the cubic coefficient is zero to rounding and does not determine the stability of the invariant curve"
                    }
                };
                Some(format!(
                    "; {says} (coefficient d = {}, {CONVENTION}, rotation angle {arg:.10})",
                    twelve_digits(d.value)
                ))
            }
            _ => None,
        }
    }
}

impl Recurrence for FixedPoint<'_> {
    fn rotation(&self, label: Label, record: &Record) -> Option<f64> {
        rotation(label, &record.multipliers, self.neutral_pairs).filter(|_| !self.rest)
    }

    fn solve_rotated(&mut self, angle: f64, frequency: f64) -> Result<Vec<f64>, Failure> {
        self.rotated(angle, frequency)
    }

    fn turned(&self, point: &Point, near: &[f64]) -> Option<Point> {
        self.classified_near(point, near)
    }

    fn turned_over(&self, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
        self.passes_half(a.0, b.0)
    }

    fn vanishing_point(&mut self, _: &Record, last: (&Point, &Record)) -> Option<BranchPoint> {
        self.birth(last.0)
    }
}

impl Domain for FixedPoint<'_> {
    fn requirement_limit(&self, point: &Point, end: f64) -> Option<(f64, String)> {
        self.limit_towards(point, end)
    }

    fn edge_near(&self, point: &Point) -> Option<String> {
        self.edge_touched(point)
    }

    fn corner_reached(&self, point: &Point) -> Option<usize> {
        self.corner_reached(&point.z)
    }

    fn extent(&self, point: &Point) -> Option<f64> {
        let one = [1.0];
        let lengths = self.lengths.as_deref().unwrap_or(&one).iter().cycle();
        let states = point.z[..self.n * self.length].iter().zip(lengths);
        Some(states.fold(0.0, |m: f64, (v, length)| m.max((v / length).abs())))
    }
}
