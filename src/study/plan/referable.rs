//! What an entry of a study may refer to.

use crate::plan::entries::NamedSystem;
use crate::spec::curve::CurveSpec;
use std::path::Path;

/// What the plan of a task may refer to.
pub(crate) struct Referable<'a> {
    /// The systems of the study.
    pub(crate) systems: &'a [NamedSystem],
    /// Its curves.
    pub(crate) curves: &'a [CurveSpec],
    /// Values from outside.
    pub(crate) overrides: &'a [(String, f64)],
    /// The folder of the study.
    pub(crate) folder: &'a Path,
}
