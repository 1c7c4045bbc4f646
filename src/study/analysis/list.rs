//! The list of the case studies' analyses: `analyses: [...]` of a study.

use crate::analysis::bearing::CalibrationSpec;
use crate::analysis::bowed::BowedSpec;
use crate::analysis::bowed_branch::BowedBranchSpec;
use crate::analysis::bowed_convergence::BowedConvergenceSpec;
use crate::analysis::bowed_modes::BowedModesSpec;
use crate::analysis::convergence::ConvergenceSpec;
use crate::analysis::ensemble::EnsembleSpec;
use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::kernel::KernelSpec;
use crate::analysis::shaw::ShawSpec;
use crate::analysis::shoe::ShoeSpec;
use crate::analysis::slow_forcing::SlowForcingSpec;
use crate::analysis::task::{Analysis, Surroundings};
use crate::analysis::wear::WearSpec;
use crate::results::analysis::AnalysisResult;
use serde::Deserialize;
use std::path::Path;

/// One analysis.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Shaw(name: "motion"), Kernel(name: "memory")],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Shaw(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert!(spec.name == "motion" && study.analyses[1].name() == "memory");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum AnalysisSpec {
    /// The motion of Shaw's oscillator under any forcing.
    Shaw(ShawSpec),
    /// The error of the Euler scheme against the exact motion of Shaw's oscillator.
    Convergence(ConvergenceSpec),
    /// Shaw's oscillator under random forcing, many paths.
    Ensemble(EnsembleSpec),
    /// The quasi-static limit of Shaw's oscillator against the exact motion.
    SlowForcing(SlowForcingSpec),
    /// Identification of a bridge bearing from a record.
    Calibration(CalibrationSpec),
    /// Wear power of a mass on a vibrating base, over the amplitude.
    WearPower(WearSpec),
    /// A sliding shoe that comes to rest.
    SlidingShoe(ShoeSpec),
    /// The memory kernel of an elastic structure.
    Kernel(KernelSpec),
    /// The motion of an elastic structure under friction at one point.
    Bowed(BowedSpec),
    /// The error of the Euler scheme of the reduced equation against the motion of all modes.
    BowedConvergence(BowedConvergenceSpec),
    /// The periodic stick-slip motion of an elastic structure for several numbers of modes, and its limit.
    BowedModes(BowedModesSpec),
    /// The branch of periodic stick-slip motions of an elastic structure over one parameter.
    BowedBranch(BowedBranchSpec),
}

impl AnalysisSpec {
    fn inner(&self) -> &dyn Analysis {
        match self {
            Self::Shaw(s) => s,
            Self::Convergence(s) => s,
            Self::Ensemble(s) => s,
            Self::SlowForcing(s) => s,
            Self::Calibration(s) => s,
            Self::WearPower(s) => s,
            Self::SlidingShoe(s) => s,
            Self::Kernel(s) => s,
            Self::Bowed(s) => s,
            Self::BowedConvergence(s) => s,
            Self::BowedModes(s) => s,
            Self::BowedBranch(s) => s,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn Analysis {
        match self {
            Self::Shaw(s) => s,
            Self::Convergence(s) => s,
            Self::Ensemble(s) => s,
            Self::SlowForcing(s) => s,
            Self::Calibration(s) => s,
            Self::WearPower(s) => s,
            Self::SlidingShoe(s) => s,
            Self::Kernel(s) => s,
            Self::Bowed(s) => s,
            Self::BowedConvergence(s) => s,
            Self::BowedModes(s) => s,
            Self::BowedBranch(s) => s,
        }
    }

    /// Its name, which its tables begin with.
    pub fn name(&self) -> &str {
        self.inner().name()
    }

    /// The names of the tables and motions it will give, with their number columns; for checking figures before any
    /// work starts.
    pub fn outputs(&self) -> Vec<(String, Vec<String>)> {
        self.inner().outputs()
    }

    /// The names of the curves it will give, with their number columns.
    pub fn curves(&self) -> Vec<(String, Vec<String>)> {
        self.inner().curves()
    }

    /// The parameters that can be set from outside the study, by name.
    pub fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.inner_mut().settings()
    }

    /// Check it without doing the work. File names are relative to `folder`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, folder: &Path) -> Result<(), Fault> {
        let sizes = self.inner().sizes();
        let excess = |finite: bool| {
            let counts = sizes.iter().filter(|(_, _, count)| count.is_finite() == finite);
            let mut faults = counts.filter_map(|(key, limit, count)| Some(Fault::new(*key, limit.excess(*count)?)));
            faults.next().map_or(Ok(()), Err)
        };
        excess(true)?;
        // An infinite count comes from a step of zero, which the check itself says better.
        self.inner().check(folder)?;
        excess(false)
    }

    /// The files that it reads, relative to the folder of the study.
    pub fn inputs(&self) -> Vec<&str> {
        self.inner().inputs()
    }

    /// What is suspicious about it, though it can be done.
    pub fn warnings(&self, folder: &Path) -> Vec<Fault> {
        self.inner().warnings(folder)
    }

    /// Do the work.
    ///
    /// # Errors
    /// [`AnalysisError`] when it gives nothing.
    pub fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let mut result = self.inner().run(around)?;
        self.name().clone_into(&mut result.name);
        Ok(result)
    }
}
