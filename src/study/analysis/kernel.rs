//! The memory kernel of an elastic structure: N modes, all modes, and how it leaves zero.

use super::{Analysis, AnalysisResult, Fault, Outputs, StructureSpec, Surroundings, layout, numbers};
use crate::elastic::{MemoryKernel, ModalKernel, hoelder_exponent};
use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::Deserialize;
use std::path::Path;

/// The kernel of the reduced equation, y' = A y + L̄ F + ∫ dL₁(s) F'(t - s) + …, over time in `trajectories/<name>.csv`: columns `t`, then `L1_20` for
/// 20 modes and `L1_inf` for all. With several contacts there is a column for each pair: `L1_20_12` is the motion of contact 1 under a
/// force at contact 2. Constants are in `tables/<name>-constants.csv`: K and C of A = [0, I; -K, -C], L̄, Σ n², the static compliance and
/// L₁(0+); modes and projections V and W in `tables/<name>-modes.csv`; Hölder exponents in `tables/<name>-hoelder.csv`.
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
    /// What is tabulated for each number of modes: L, L0 = L - L̄, L1 = ∫ L0.
    pub parts: Vec<KernelPart>,
    /// First time.
    pub from: f64,
    /// Last time.
    pub until: f64,
    /// Rows of the table.
    pub rows: usize,
    /// Are times spaced evenly in their logarithm?
    pub log: bool,
    /// Times between which the Hölder exponent at 0+ is fitted.
    pub exponent: Option<(f64, f64)>,
}

/// Which kernel.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum KernelPart {
    /// L, the impulse response that the projected oscillator sees.
    L,
    /// L - L̄.
    L0,
    /// ∫ (L - L̄).
    L1,
}

impl Default for KernelSpec {
    fn default() -> Self {
        Self {
            name: "kernel".into(),
            structure: StructureSpec::default(),
            modes: vec![],
            continuum: false,
            parts: vec![KernelPart::L1],
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
    "L1_0+",
];
const HOELDER: [&str; 5] = ["modes", "exponent", "constant", "scatter", "standard_error"];
/// Points of a fit.
const FIT: usize = 60;

/// A scalar of a kernel over time.
struct Column {
    name: String,
    value: Box<dyn Fn(f64) -> f64 + Send + Sync>,
}

impl KernelSpec {
    /// The suffix for a pair of contacts.
    fn pair(contacts: usize, row: usize, column: usize) -> String {
        if contacts == 1 {
            String::new()
        } else {
            format!("_{}{}", row + 1, column + 1)
        }
    }

    /// How many contacts the structure has, as far as that is known without its table.
    fn contacts(&self) -> usize {
        match &self.structure {
            StructureSpec::String { at, .. } | StructureSpec::Cantilever { at, .. } => at.0.len(),
            StructureSpec::Table { contacts, .. } => contacts.len().max(1),
        }
    }

    fn names(&self) -> Vec<String> {
        let m = self.contacts();
        let pairs: Vec<String> = (0..m * m).map(|i| Self::pair(m, i / m, i % m)).collect();
        let mut names = vec!["t".to_owned()];
        for part in &self.parts {
            for n in &self.modes {
                names.extend(pairs.iter().map(|p| format!("{part:?}_{n}{p}")));
            }
        }
        if self.continuum {
            names.extend(pairs.iter().map(|p| format!("L1_inf{p}")));
        }
        names
    }

    fn time(&self, i: usize) -> f64 {
        let share = i as f64 / (self.rows - 1) as f64;
        if self.log {
            self.from * (self.until / self.from).powf(share)
        } else {
            self.from + share * (self.until - self.from)
        }
    }

    /// The columns of the table of kernels, in the order of [`KernelSpec::names`].
    fn columns(&self, folder: &Path) -> Result<Vec<Column>, String> {
        let mut columns = vec![];
        let mut add = |head: String, m: usize, of: std::sync::Arc<dyn Fn(f64) -> DMatrix<f64> + Send + Sync>| {
            for i in 0..m * m {
                let of = of.clone();
                columns.push(Column {
                    name: format!("{head}{}", Self::pair(m, i / m, i % m)),
                    value: Box::new(move |t| of(t)[(i / m, i % m)]),
                });
            }
        };
        for part in &self.parts {
            for &n in &self.modes {
                let structure = self.structure.build(n, folder).map_err(|e| e.to_string())?;
                let kernel = ModalKernel::new(&structure).map_err(|e| e.to_string())?;
                let (m, part) = (kernel.contacts(), *part);
                let value = move |t| match part {
                    KernelPart::L => kernel.l(t),
                    KernelPart::L0 => kernel.l0(t),
                    KernelPart::L1 => kernel.l1(t),
                };
                add(format!("{part:?}_{n}"), m, std::sync::Arc::new(value));
            }
        }
        if self.continuum {
            let kernel = self.structure.continuum().map_err(|e| e.message)?;
            add(
                "L1_inf".into(),
                kernel.contacts(),
                std::sync::Arc::new(move |t| kernel.l1(t)),
            );
        }
        Ok(columns)
    }

    /// Rows of the table of constants, for every pair of contacts.
    fn constants(&self, folder: &Path) -> Result<Vec<[f64; 9]>, String> {
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
            let structure = self.structure.build(n, folder).map_err(|e| e.to_string())?;
            let kernel = ModalKernel::new(&structure).map_err(|e| e.to_string())?;
            add(n as f64, &kernel, kernel.l(0.0), 0.0);
        }
        if self.continuum {
            let kernel = self.structure.continuum().map_err(|e| e.message)?;
            let m = kernel.contacts();
            let mobility = DMatrix::from_fn(m, m, |i, j| if i == j { f64::INFINITY } else { f64::NAN });
            add(f64::INFINITY, &kernel, mobility, kernel.right_limit());
        }
        Ok(rows)
    }

    /// The modes of the longest truncation with the rows of V and the columns of W.
    fn modes_table(&self, folder: &Path) -> Result<Option<crate::report::Table>, String> {
        let Some(&n) = self.modes.iter().max() else {
            return Ok(None);
        };
        let structure = self.structure.build(n, folder).map_err(|e| e.to_string())?;
        let kernel = ModalKernel::new(&structure).map_err(|e| e.to_string())?;
        let m = kernel.contacts();
        let mut lifted = vec![];
        for j in 0..m {
            let unit: Vec<f64> = (0..2 * m).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            lifted.push(kernel.projection().lift(&unit).map_err(|e| e.to_string())?);
        }
        let mut names = vec!["mode".to_owned(), "omega".to_owned(), "damping".to_owned()];
        names.extend(structure.contacts().iter().map(|c| format!("V_{}", c.name)));
        names.extend(structure.contacts().iter().map(|c| format!("W_{}", c.name)));
        let rows = (0..n).map(|k| {
            let mut row = vec![(k + 1) as f64, structure.omega()[k], structure.damping()[k]];
            row.extend(structure.contacts().iter().map(|c| c.shape[k]));
            row.extend(lifted.iter().map(|z| z[k]));
            row
        });
        numbers(names, rows).map(Some)
    }

    fn hoelder(&self, folder: &Path, (from, to): (f64, f64)) -> Result<Vec<[f64; 5]>, String> {
        let mut rows = vec![];
        let mut add = |modes: f64, kernel: &dyn MemoryKernel| -> Result<(), String> {
            let fit = hoelder_exponent(kernel, from, to, FIT).map_err(|e| e.to_string())?;
            rows.push([modes, fit.exponent, fit.constant, fit.scatter, fit.standard_error]);
            Ok(())
        };
        for &n in &self.modes {
            let structure = self.structure.build(n, folder).map_err(|e| e.to_string())?;
            add(n as f64, &ModalKernel::new(&structure).map_err(|e| e.to_string())?)?;
        }
        if self.continuum {
            add(f64::INFINITY, &self.structure.continuum().map_err(|e| e.message)?)?;
        }
        Ok(rows)
    }
}

impl Analysis for KernelSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        let mut outputs = vec![
            layout(self.name.clone(), self.names()),
            layout(format!("{}-constants", self.name), CONSTANTS),
        ];
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
            self.structure
                .build(n, folder)
                .and_then(|s| ModalKernel::new(&s))
                .map_err(|e| Fault::new("structure", e))?;
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

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, String> {
        let columns = self.columns(around.folder)?;
        let row = |i: usize| -> Vec<f64> {
            let t = self.time(i);
            std::iter::once(t).chain(columns.iter().map(|c| (c.value)(t))).collect()
        };
        let rows: Vec<Vec<f64>> = (0..self.rows).into_par_iter().map(row).collect();
        let names = std::iter::once("t".to_owned()).chain(columns.iter().map(|c| c.name.clone()));
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
            motions: vec![(self.name.clone(), numbers(names, rows)?)],
            tables,
            ..AnalysisResult::default()
        })
    }
}
