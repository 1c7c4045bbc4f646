//! The memory kernel of an elastic structure: N modes, all modes, and how it leaves zero.

use crate::analysis::elastic::StructureSpec;
use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{evenly, layout, numbers};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::Deserialize;
use slipstick_models::elastic::{ElasticError, MemoryKernel, ModalKernel, hoelder_exponent};
use slipstick_numerics::stop::Scope;
use slipstick_report::Table;
use std::path::Path;

/// The kernel of the reduced equation, y' = A y + L̄ F + ∫ dL₁(s) F'(t - s) + …, over time:
/// `trajectories/<name>-20.csv` for 20 modes, with the columns `t`, `L`, `L0` = L - L̄ and `L1` = ∫ L0;
/// `trajectories/<name>-inf.csv` for all modes, with `L1`. With several contacts there are columns for each pair:
/// `L1_12` is the motion of contact 1 under a force at contact 2. Constants are in `tables/<name>-constants.csv`: K and
/// C of A = [0, I; -K, -C], L̄, the mobility Σ n², the static compliance and the jump L₁(0+); modes and projections V
/// and W in `tables/<name>-modes.csv`; Hölder exponents in `tables/<name>-hoelder.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Kernel(name: "memory", modes: [5, 40], until: 3)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Kernel(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.modes, [5, 40]);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelSpec {
    /// Its name.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Numbers of modes.
    pub modes: Vec<usize>,
    /// All modes as well? For strings.
    pub continuum: bool,
    /// First time.
    pub from: f64,
    /// Last time.
    pub until: f64,
    /// Rows of the tables over time.
    pub rows: usize,
    /// Are times spaced evenly in their logarithm?
    pub log: bool,
    /// Times between which the Hölder exponent at 0+ is fitted.
    pub exponent: Option<(f64, f64)>,
}

impl Default for KernelSpec {
    fn default() -> Self {
        Self {
            name: "kernel".into(),
            structure: StructureSpec::default(),
            modes: vec![],
            continuum: false,
            from: 0.0,
            until: 2.0,
            rows: 1001,
            log: false,
            exponent: None,
        }
    }
}

const CONSTANTS: [&str; 9] = [
    "modes",
    "row",
    "column",
    "K",
    "C",
    "L_bar",
    "mobility",
    "compliance",
    "jump",
];

const HOELDER: [&str; 5] = ["modes", "exponent", "constant", "scatter", "standard_error"];

/// Points of a fit.
const FIT: usize = 60;

/// The columns of several kernels for `m` contacts, pair by pair.
fn columns(kernels: &[&str], m: usize) -> Vec<String> {
    let pair = |i: usize| match m {
        1 => String::new(),
        _ => format!("_{}{}", i / m + 1, i % m + 1),
    };
    let named = kernels
        .iter()
        .flat_map(|kernel| (0..m * m).map(move |i| (kernel, i)))
        .map(|(kernel, i)| format!("{kernel}{}", pair(i)));
    std::iter::once("t".to_owned()).chain(named).collect()
}

/// A row of such a table.
fn row(t: f64, kernels: &[DMatrix<f64>]) -> Vec<f64> {
    let values = kernels.iter().flat_map(|k| k.transpose().as_slice().to_vec());
    std::iter::once(t).chain(values).collect()
}

impl KernelSpec {
    /// How many contacts the structure has.
    fn contacts(&self) -> usize {
        match &self.structure {
            StructureSpec::String { at, .. } | StructureSpec::Cantilever { at, .. } => at.0.len(),
            StructureSpec::Table { contacts, .. } => contacts.len().max(1),
        }
    }

    fn times(&self) -> Vec<f64> {
        if self.log {
            let logarithms = evenly(self.from.ln(), self.until.ln(), self.rows);
            logarithms.map(f64::exp).collect()
        } else {
            evenly(self.from, self.until, self.rows).collect()
        }
    }

    fn modal(&self, modes: usize, folder: &Path) -> Result<ModalKernel, ElasticError> {
        ModalKernel::new(&self.structure.build(modes, folder)?)
    }

    /// The tables over time.
    fn motions(&self, folder: &Path) -> Result<Vec<(String, Table)>, AnalysisError> {
        let times = self.times();
        let scope = Scope::here();
        let mut motions = vec![];
        for &n in &self.modes {
            let kernel = self.modal(n, folder)?;
            let rows: Vec<Vec<f64>> = times
                .par_iter()
                .map(|&t| scope.enter(|| row(t, &[kernel.l(t), kernel.l0(t), kernel.l1(t)])))
                .collect();
            let names = columns(&["L", "L0", "L1"], kernel.contacts());
            motions.push((format!("{}-{n}", self.name), numbers(names, rows)?));
        }
        if self.continuum {
            let kernel = self.structure.continuum()?;
            let m = kernel.contacts();
            let mut rows: Vec<Vec<f64>> = times
                .par_iter()
                .map(|&t| scope.enter(|| row(t, &[kernel.l1(t)])))
                .collect();
            if self.from == 0.0 {
                // The kernel jumps: its value at 0 and its right limit.
                rows.insert(1, row(0.0, &[DMatrix::identity(m, m) * kernel.right_limit()]));
            }
            motions.push((format!("{}-inf", self.name), numbers(columns(&["L1"], m), rows)?));
        }
        Ok(motions)
    }

    /// Rows of the table of constants, for every pair of contacts.
    fn constants(&self, folder: &Path) -> Result<Vec<[f64; 9]>, AnalysisError> {
        let mut rows = vec![];
        let mut add = |modes: f64, kernel: &dyn MemoryKernel, mobility: DMatrix<f64>, jump: f64| {
            let (k, c) = kernel.oscillator();
            let l_bar = kernel.l_bar();
            // L̄ is K times the compliance.
            let compliance = k.clone().try_inverse().map(|inverse| inverse * l_bar);
            for i in 0..kernel.contacts() {
                for j in 0..kernel.contacts() {
                    rows.push([
                        modes,
                        (i + 1) as f64,
                        (j + 1) as f64,
                        k[(i, j)],
                        c[(i, j)],
                        l_bar[(i, j)],
                        mobility[(i, j)],
                        compliance.as_ref().map_or(f64::NAN, |m| m[(i, j)]),
                        if i == j { jump } else { 0.0 },
                    ]);
                }
            }
        };
        for &n in &self.modes {
            let kernel = self.modal(n, folder)?;
            add(n as f64, &kernel, kernel.l(0.0), 0.0);
        }
        if self.continuum {
            let kernel = self.structure.continuum()?;
            let m = kernel.contacts();
            let mobility = DMatrix::from_fn(m, m, |i, j| if i == j { f64::INFINITY } else { f64::NAN });
            add(f64::INFINITY, &kernel, mobility, kernel.right_limit());
        }
        Ok(rows)
    }

    /// The modes of the longest truncation with the rows of V and the columns of W.
    fn modes_table(&self, folder: &Path) -> Result<Option<Table>, AnalysisError> {
        let Some(&n) = self.modes.iter().max() else {
            return Ok(None);
        };
        let structure = self.structure.build(n, folder)?;
        let kernel = ModalKernel::new(&structure)?;
        let m = kernel.contacts();
        let mut embedded = vec![];
        for j in 0..m {
            let unit: Vec<f64> = (0..2 * m).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            embedded.push(kernel.projection().embed(&unit)?);
        }
        let mut names = vec!["mode".to_owned(), "omega".to_owned(), "damping".to_owned()];
        names.extend(structure.contacts().iter().map(|c| format!("V_{}", c.name)));
        names.extend(structure.contacts().iter().map(|c| format!("W_{}", c.name)));
        let rows = (0..n).map(|k| {
            let mut row = vec![(k + 1) as f64, structure.omega()[k], structure.damping()[k]];
            row.extend(structure.contacts().iter().map(|c| c.shape[k]));
            row.extend(embedded.iter().map(|z| z[k]));
            row
        });
        Ok(Some(numbers(names, rows)?))
    }

    fn hoelder(&self, folder: &Path, (from, to): (f64, f64)) -> Result<Vec<[f64; 5]>, AnalysisError> {
        let mut rows = vec![];
        let mut add = |modes: f64, kernel: &dyn MemoryKernel| -> Result<(), AnalysisError> {
            let fit = hoelder_exponent(kernel, from, to, FIT)?;
            rows.push([modes, fit.exponent, fit.constant, fit.scatter, fit.standard_error]);
            Ok(())
        };
        for &n in &self.modes {
            add(n as f64, &self.modal(n, folder)?)?;
        }
        if self.continuum {
            add(f64::INFINITY, &self.structure.continuum()?)?;
        }
        Ok(rows)
    }
}

impl Analysis for KernelSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        let m = self.contacts();
        let mut outputs = vec![layout(format!("{}-constants", self.name), CONSTANTS)];
        for n in &self.modes {
            outputs.push(layout(format!("{}-{n}", self.name), columns(&["L", "L0", "L1"], m)));
        }
        if self.continuum {
            outputs.push(layout(format!("{}-inf", self.name), columns(&["L1"], m)));
        }
        if !self.modes.is_empty() {
            outputs.push(layout(format!("{}-modes", self.name), ["mode", "omega", "damping"]));
        }
        if self.exponent.is_some() {
            outputs.push(layout(format!("{}-hoelder", self.name), HOELDER));
        }
        outputs
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.structure.settings()
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        let most = self.modes.iter().copied().max().unwrap_or(0);
        vec![
            ("modes", &limits::MODES, most as f64),
            ("rows", &limits::ROWS, self.rows as f64),
        ]
    }

    fn inputs(&self) -> Vec<&str> {
        self.structure.input().into_iter().collect()
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        if self.modes.is_empty() && !self.continuum {
            let message =
                "no kernel is asked for: list numbers of modes, `modes: [20, 40]`, or write `continuum: true`";
            return Err(Fault::new("modes", message));
        }
        if self.continuum {
            self.structure.continuum()?;
        }
        for &n in &self.modes {
            self.modal(n, folder).map_err(|e| Fault::new("structure", e))?;
        }
        let first = if self.log { self.from > 0.0 } else { self.from >= 0.0 };
        if !(first && self.until > self.from && self.until.is_finite() && self.rows >= 2) {
            let message = "times run from `from` ≥ 0 (above 0 with `log`) up to `until`, in 2 rows or more";
            return Err(Fault::new("until", message));
        }
        match self.exponent {
            Some((from, to)) if !(from > 0.0 && to > from && to.is_finite()) => {
                let message = format!("no exponent can be fitted between {from} and {to}: write 0 < first < last");
                Err(Fault::new("exponent", message))
            }
            _ => Ok(()),
        }
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let constants = numbers(CONSTANTS, self.constants(around.folder)?)?;
        let mut tables = vec![(format!("{}-constants", self.name), constants)];
        tables.extend(
            self.modes_table(around.folder)?
                .map(|t| (format!("{}-modes", self.name), t)),
        );
        if let Some(between) = self.exponent {
            let fits = numbers(HOELDER, self.hoelder(around.folder, between)?)?;
            tables.push((format!("{}-hoelder", self.name), fits));
        }
        Ok(AnalysisResult {
            motions: self.motions(around.folder)?,
            tables,
            ..AnalysisResult::default()
        })
    }
}
