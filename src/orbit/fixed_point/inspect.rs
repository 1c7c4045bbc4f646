//! What is measured at equilibria and cycles of maps: states, norms, eigenvalues or multipliers, and where they bifurcate.

use super::FixedPoint;
use crate::bifurcation::{InequalitySpec, Inspect, Label, Rank, Record, TestSpec};
use crate::continuation::{Failure, Point};
use crate::floquet::{FactorChain, Multiplier, MultiplierSolver, UnitPair, nearest_unit_pair, psi_minus, psi_ns};
use crate::orbit::normal_form::{Expansion, Iterated};
use crate::system::{System, jacobian};
use nalgebra::{Complex, DMatrix};

/// The position of each test among the tests.
const PAIR: usize = 0;
const CROSSING: usize = 1;

/// A quadratic coefficient below this, relative to the cubic one, is zero: a pitchfork. So is an eigenvalue, relative to the largest one.
const ZERO: f64 = 1e-7;

fn evaluation(e: impl std::fmt::Display) -> Failure {
    Failure::Evaluation(e.to_string())
}

/// Changes sign where a complex pair passes the imaginary axis: the product of `(λᵢ + λⱼ) / (|λᵢ| + |λⱼ|)` over conjugate pairs and pairs of real
/// eigenvalues. It also does at neutral saddles, where two real eigenvalues have sum zero.
pub(super) fn psi_hopf(eigenvalues: &[Complex<f64>]) -> f64 {
    let mut product = 1.0;
    let real: Vec<f64> = eigenvalues.iter().filter(|v| v.im == 0.0).map(|v| v.re).collect();
    for v in eigenvalues.iter().filter(|v| v.im > 0.0) {
        product *= v.re / v.norm();
    }
    for (i, a) in real.iter().enumerate() {
        for b in &real[i + 1..] {
            let size = a.abs() + b.abs();
            product *= if size > 0.0 { (a + b) / size } else { 0.0 };
        }
    }
    product
}

/// The pair with the smallest relative real part, if it is a complex one: its frequency.
pub(super) fn hopf_frequency(eigenvalues: &[Complex<f64>]) -> Option<f64> {
    let complex = eigenvalues
        .iter()
        .filter(|v| v.im > 0.0)
        .map(|v| (v.re.abs() / v.norm(), v.im))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let real: Vec<f64> = eigenvalues.iter().filter(|v| v.im == 0.0).map(|v| v.re).collect();
    let saddle = real
        .iter()
        .enumerate()
        .flat_map(|(i, a)| real[i + 1..].iter().map(move |b| (a + b).abs() / (a.abs() + b.abs())))
        .fold(f64::INFINITY, f64::min);
    (complex.0 < saddle).then_some(complex.1)
}

/// All eigenvalues of a square matrix, largest real part first, conjugates adjacent with the positive imaginary part first.
pub(in crate::orbit) fn eigenvalues(matrix: &DMatrix<f64>) -> Result<Vec<Complex<f64>>, Failure> {
    let n = matrix.nrows();
    let found = faer::Mat::<f64>::from_fn(n, n, |i, j| matrix[(i, j)])
        .eigenvalues()
        .map_err(|_| Failure::Evaluation("the eigenvalues could not be computed".into()))?;
    let mut values: Vec<Complex<f64>> = found.iter().map(|v| Complex::new(v.re, v.im)).collect();
    values.sort_by(|a, b| {
        b.re.total_cmp(&a.re)
            .then(a.im.abs().total_cmp(&b.im.abs()))
            .then(b.im.total_cmp(&a.im))
    });
    Ok(values)
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
        let field = self.system.modes[self.mode].field.as_ref();
        let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        let mut product = DMatrix::identity(n, n);
        for i in 0..self.length {
            jacobian(field, self.point(z, i), &self.parameters, &[], &mut y, &mut dx, &mut []);
            product = DMatrix::from_row_slice(n, n, &dx) * product;
        }
        product
    }

    pub(super) fn expansion<'a>(&'a self, z: &'a [f64]) -> Expansion<'a> {
        Expansion {
            forms: Box::new(Iterated {
                function: self.system.modes[self.mode].field.as_ref(),
                times: self.length,
                x: self.point(z, 0),
                p: &self.parameters,
            }),
            linear: self.monodromy(z),
        }
    }

    /// The quadratic and the cubic coefficient at a branch point.
    pub(super) fn crossing_coefficients(&self, z: &[f64]) -> Option<(f64, f64)> {
        self.expansion(z).pitchfork(if self.rest { 0.0 } else { 1.0 })
    }

    /// Is a branch point a pitchfork?
    pub(super) fn is_pitchfork(&self, z: &[f64]) -> Option<bool> {
        let (a, b) = self.crossing_coefficients(z)?;
        Some(a.abs() <= ZERO * (1.0 + b.abs()))
    }

    /// The determinant of the equations bordered by the tangent, in scaled unknowns and with rows of length one: it changes sign where another
    /// family crosses, not at folds.
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
        let (mut shortest, mut longest) = (f64::INFINITY, 0.0f64);
        for mut row in matrix.row_iter_mut() {
            let length = row.norm();
            shortest = shortest.min(length);
            longest = longest.max(length);
            if length > 0.0 {
                row /= length;
            }
        }
        // Where a whole row vanishes (x' = p x at x = 0), the others know nothing of it: let it count.
        matrix.determinant() * (shortest / longest)
    }

    fn measure_flow(&self, z: &[f64], record: &mut Record) -> Result<(), Failure> {
        record.eigenvalues = eigenvalues(&self.monodromy(z))?;
        record.period = 0.0;
        // A located bifurcation has eigenvalues on the axis up to rounding; those count as not unstable.
        let size = record.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        record.unstable = record.eigenvalues.iter().filter(|v| v.re > 1e-10 * size).count();
        record.tests.push(psi_hopf(&record.eigenvalues));
        Ok(())
    }

    fn measure_map(&self, z: &[f64], record: &mut Record) -> Result<(), Failure> {
        let n = self.n;
        let field = self.system.modes[self.mode].field.as_ref();
        let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        let mut chain = FactorChain::new();
        for i in 0..self.length {
            jacobian(field, self.point(z, i), &self.parameters, &[], &mut y, &mut dx, &mut []);
            chain.push(n, n, &dx).map_err(evaluation)?;
        }
        MultiplierSolver::new()
            .multipliers(&chain, &mut record.multipliers)
            .map_err(evaluation)?;
        record.period = self.length as f64;
        record.unstable = Multiplier::count_unstable(&record.multipliers);
        record.tests.push(psi_ns(&record.multipliers));
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
        record.monitors.extend_from_slice(self.point(z, 0));
        let points: Vec<&[f64]> = (0..self.length).map(|i| self.point(z, i)).collect();
        record.monitors.extend(extremes(self.system, self.mode, &points));
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
        if self.rest {
            self.measure_flow(z, record)
        } else {
            self.measure_map(z, record)
        }
    }
}

/// What points of a mode have in common, as the tables name it: for each state that is no angle the largest modulus, the largest and the least value,
/// then the norm.
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

impl Inspect for FixedPoint<'_> {
    fn parameter_names(&self) -> Vec<String> {
        self.system.parameters.iter().map(|p| p.name.clone()).collect()
    }

    fn free_parameters(&self) -> &[usize] {
        &self.free
    }

    fn monitors(&self) -> Vec<String> {
        let states = &self.system.modes[self.mode].states;
        let mut names: Vec<String> = states.iter().map(|&s| self.system.states[s].name.clone()).collect();
        for &s in states.iter().filter(|&&s| self.system.states[s].period.is_none()) {
            let name = &self.system.states[s].name;
            names.extend([format!("max_abs_{name}"), format!("{name}_max"), format!("{name}_min")]);
        }
        names.push("l2_norm".into());
        names
    }

    fn tests(&self) -> Vec<TestSpec> {
        let spec = |label, meaning: String| TestSpec { label, meaning };
        let kind = self.kind();
        let crossing = spec(
            Label::BP,
            format!("branch point: another family of {kind} crosses this one here"),
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

    fn inequalities(&self) -> Vec<InequalitySpec> {
        self.system.modes[self.mode]
            .inequalities
            .iter()
            .map(|i| InequalitySpec {
                label: Label::GR,
                rank: Rank::Other,
                meaning: format!("a point reaches the boundary of `{}`", i.name),
            })
            .collect()
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
            (PAIR, true) => hopf_frequency(&record.eigenvalues).is_some(),
            (PAIR, false) => matches!(nearest_unit_pair(&record.multipliers), Some(UnitPair::Conjugate { .. })),
            _ => true,
        }
    }

    fn refine(&mut self, test: usize, point: &Point) -> Option<Vec<f64>> {
        if test == CROSSING {
            self.branch_point_near(&point.z)
        } else {
            None
        }
    }

    fn solve_opposite(&mut self, rhs: &mut [f64]) -> Option<Result<(), Failure>> {
        (!self.rest).then(|| self.solve_turned(rhs))
    }

    fn extent(&self, point: &Point) -> Option<f64> {
        Some(
            point.z[..self.n * self.length]
                .iter()
                .fold(0.0, |m: f64, v| m.max(v.abs())),
        )
    }

    fn fold_meaning(&self, parameter: &str) -> String {
        format!(
            "fold (saddle-node): two families of {} meet and the branch turns back in {parameter}",
            self.kind()
        )
    }

    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        self.take_parameters(&point.z);
        let expansion = self.expansion(&point.z);
        let neutral = if self.rest { 0.0 } else { 1.0 };
        match label {
            Label::LP => {
                let a = expansion.fold(neutral)?;
                Some(format!("; quadratic coefficient a = {a:.6e}"))
            }
            Label::BP => {
                let (a, b) = expansion.pitchfork(neutral)?;
                if a.abs() <= ZERO * (1.0 + b.abs()) {
                    let kind = if b < 0.0 { "supercritical" } else { "subcritical" };
                    Some(format!(
                        "; a pitchfork, {kind}: quadratic coefficient 0, cubic coefficient b = {b:.6e}"
                    ))
                } else {
                    Some(format!("; transcritical: quadratic coefficient a = {a:.6e}"))
                }
            }
            Label::HB => {
                let omega = hopf_frequency(&record.eigenvalues)?;
                let period = std::f64::consts::TAU / omega;
                let size = record.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
                if record.eigenvalues.iter().any(|v| v.norm() < ZERO * size) {
                    return Some(format!(
                        "; an eigenvalue is zero here as well (zero-Hopf), which leaves the first Lyapunov coefficient undefined (frequency \
                         {omega:.10}, period {period:.10})"
                    ));
                }
                let l1 = expansion.lyapunov(omega)?;
                let says = if l1 < 0.0 {
                    "supercritical: the periodic orbits born here are stable within the centre manifold"
                } else {
                    "subcritical: the periodic orbits born here are unstable"
                };
                Some(format!(
                    "; {says} (first Lyapunov coefficient l1 = {l1:.6e}, frequency {omega:.10}, period {period:.10})"
                ))
            }
            Label::PD => {
                let c = expansion.flip()?;
                let says = if c > 0.0 {
                    "supercritical: the doubled cycle is stable within the centre manifold"
                } else {
                    "subcritical: the doubled cycle is unstable"
                };
                Some(format!("; {says} (cubic coefficient c = {c:.6e})"))
            }
            Label::NS => {
                let Some(UnitPair::Conjugate { arg }) = nearest_unit_pair(&record.multipliers) else {
                    return None;
                };
                let d = expansion.neimark_sacker(arg)?;
                let says = if d < 0.0 {
                    "supercritical: the invariant curve is stable within the centre manifold"
                } else {
                    "subcritical: the invariant curve is unstable"
                };
                Some(format!("; {says} (coefficient d = {d:.6e}, rotation angle {arg:.10})"))
            }
            _ => None,
        }
    }
}
