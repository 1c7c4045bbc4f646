//! Elastic structures with memory in studies: kernels, motions under friction, orbits over the number of modes, branches.

mod run;
mod spec;

pub use spec::{BranchSpec, ElasticSpec, KernelSpec, LawSpec, MethodSpec, ModesSpec, MotionSpec, StructureSpec};

pub(super) use run::{Outcome, run};

use super::complaint::Complaint;
use crate::elastic::{BowedStructure, ElasticError, FrictionLaw, Structure};
use crate::report::figure::Known;

/// Parameters that `--set` reaches.
pub(super) const SETTABLE: [&str; 5] = ["v0", "mu", "kappa", "sigma", "damping"];

/// Set a parameter of all entries that have it. Returns whether there was one.
pub(super) fn set(specs: &mut [ElasticSpec], name: &str, value: f64) -> bool {
    let mut hit = false;
    for spec in specs {
        let (structure, law, v0) = match spec {
            ElasticSpec::Kernel(s) => (&mut s.structure, None, None),
            ElasticSpec::Motion(s) => (&mut s.structure, Some(&mut s.law), Some(&mut s.v0)),
            ElasticSpec::Modes(s) => (&mut s.structure, Some(&mut s.law), Some(&mut s.v0)),
            ElasticSpec::Branch(s) => (&mut s.structure, Some(&mut s.law), Some(&mut s.v0)),
        };
        let target = match (name, law, structure) {
            ("v0", _, _) => v0,
            ("mu", Some(law), _) => Some(&mut law.mu),
            ("kappa", Some(law), _) => Some(&mut law.kappa),
            ("sigma", Some(law), _) => Some(&mut law.sigma),
            ("damping", _, StructureSpec::String { damping, .. } | StructureSpec::Cantilever { damping, .. }) => {
                Some(damping)
            }
            _ => None,
        };
        if let Some(target) = target {
            *target = value;
            hit = true;
        }
    }
    hit
}

impl StructureSpec {
    /// The structure with `modes` modes; of a table, the `modes` lowest.
    pub(super) fn build(&self, modes: usize) -> Result<Structure, ElasticError> {
        match self {
            Self::String { damping, at, c } => Structure::string(modes, *c, *damping, &[*at]),
            Self::Cantilever { damping, at } => Structure::cantilever(modes, *damping, &[*at]),
            Self::Table { file, contact } => {
                let opened = std::fs::File::open(file).map_err(|e| ElasticError::Table {
                    line: 0,
                    what: format!("cannot open {file}: {e}; the path counts from the folder the command runs in"),
                })?;
                Structure::from_csv(file.as_str(), opened)?.truncated(modes, contact)
            }
        }
    }
}

impl LawSpec {
    pub(super) fn build(&self) -> Result<FrictionLaw, ElasticError> {
        FrictionLaw::new(self.kind, self.mu, self.kappa, self.sigma)
    }
}

/// Everything that is wrong with the entries; what is suspicious goes into `warnings`.
pub(super) fn check(specs: &[ElasticSpec], complaints: &mut Vec<Complaint>, warnings: &mut Vec<Complaint>) {
    for (i, spec) in specs.iter().enumerate() {
        let path = format!("elastic[{i}]");
        if specs[..i].iter().any(|s| s.name() == spec.name()) {
            let message = format!("two entries are called `{}`", spec.name());
            complaints.push(Complaint::new(format!("{path}.name"), message).help("give each a name of its own"));
        }
        let mut complain =
            |key: &str, message: String| complaints.push(Complaint::new(format!("{path}.{key}"), message));
        let (structure, modes, friction) = match spec {
            ElasticSpec::Kernel(s) => {
                if s.modes.is_empty() && !s.continuum {
                    complain(
                        "modes",
                        "no kernel is asked for: list numbers of modes, or write `continuum: true`".into(),
                    );
                }
                if s.continuum && !matches!(s.structure, StructureSpec::String { .. }) {
                    complain(
                        "continuum",
                        "the kernel with all modes is known for strings only".into(),
                    );
                }
                let first = if s.log { s.from > 0.0 } else { s.from >= 0.0 };
                if !(first && s.until > s.from && s.until.is_finite()) || s.rows < 2 {
                    complain(
                        "until",
                        "times run from `from` ≥ 0 (above 0 with `log`) up to `until`, in 2 rows or more".into(),
                    );
                }
                (&s.structure, s.modes.iter().copied().max().unwrap_or(1), None)
            }
            ElasticSpec::Motion(s) => {
                if !(s.time.is_finite() && s.time > 0.0) {
                    complain("time", format!("a motion over {} leads nowhere", s.time));
                }
                if let MethodSpec::Euler(step) | MethodSpec::EulerContinuum(step) = s.method
                    && !(step > 0.0 && step < s.time)
                {
                    complain("method", format!("a step of {step} does not fit a time of {}", s.time));
                }
                if matches!(s.method, MethodSpec::EulerContinuum(_))
                    && !matches!(s.structure, StructureSpec::String { .. })
                {
                    complain("method", "the kernel with all modes is known for strings only".into());
                }
                (&s.structure, s.modes, Some((&s.law, s.v0)))
            }
            ElasticSpec::Modes(s) => {
                if s.modes.is_empty() || s.modes.windows(2).any(|w| w[0] >= w[1]) {
                    complain("modes", "list numbers of modes in ascending order".into());
                }
                (
                    &s.structure,
                    s.modes.iter().copied().max().unwrap_or(1),
                    Some((&s.law, s.v0)),
                )
            }
            ElasticSpec::Branch(s) => {
                let now = [s.v0, s.law.mu, s.law.kappa, s.law.sigma][s.free.index()];
                if !(s.range.0 < s.range.1 && (s.range.0..=s.range.1).contains(&now) && s.range.1.is_finite()) {
                    let (name, (low, high)) = (s.free.name(), s.range);
                    complain(
                        "range",
                        format!("the start has {name} = {now}, which is not within the range ({low}, {high})"),
                    );
                }
                (&s.structure, s.modes, Some((&s.law, s.v0)))
            }
        };
        let built = match structure.build(modes) {
            Ok(built) => built,
            Err(e) => {
                complain("structure", e.to_string());
                continue;
            }
        };
        let Some((law, v0)) = friction else { continue };
        match law
            .build()
            .and_then(|law| BowedStructure::new(&built, 0, law, v0).map(|_| law))
        {
            Ok(law) => {
                let warning = law.well_posedness(&built, 0).warning();
                warnings.extend(warning.map(|words| Complaint::new(path.clone(), words)));
            }
            Err(e) => complain("name", e.to_string()),
        }
    }
}

/// Tell figures what there will be.
pub(super) fn announce(specs: &[ElasticSpec], known: &mut Known) {
    let columns = |list: &mut Vec<String>, names: &[&str]| {
        for name in names {
            if !list.iter().any(|n| n == name) {
                list.push((*name).to_owned());
            }
        }
    };
    for spec in specs {
        match spec {
            ElasticSpec::Branch(s) => {
                known.curves.push(s.name.clone());
                columns(&mut known.columns, &run::CURVE_COLUMNS);
                for i in 1..=s.multipliers {
                    columns(
                        &mut known.columns,
                        &[&format!("mult{i}_log10"), &format!("mult{i}_arg")],
                    );
                }
                continue;
            }
            ElasticSpec::Kernel(s) => {
                columns(&mut known.trajectory_columns, &["t"]);
                for n in &s.modes {
                    columns(&mut known.trajectory_columns, &[&format!("L1_{n}")]);
                }
                if s.continuum {
                    columns(&mut known.trajectory_columns, &["L1_inf"]);
                }
            }
            ElasticSpec::Motion(_) => columns(&mut known.trajectory_columns, &run::MOTION_COLUMNS),
            ElasticSpec::Modes(_) => columns(&mut known.trajectory_columns, &run::MODES_COLUMNS),
        }
        known.trajectories.push(spec.name().to_owned());
    }
}
