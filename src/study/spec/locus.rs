//! Two-parameter curves.

use crate::spec::curve::{StepSpec, default_points};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A two-parameter curve: where a special point stays what it is while two parameters change.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Where the symmetry breaks",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///         ),
///     ],
///     loci: [
///         Locus(name: "breaking", from: "stiff: SB", free: ("Omega", "mu_s"), range: ((1, 3), (1, 1.5))),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.loci[0].from, "stiff: SB");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Locus")]
pub struct LocusSpec {
    /// The name in tables and figures.
    pub name: String,
    /// A curve of this study and one of its labels, or the level of a user point: `"compliant: LP"`,
    /// `"compliant: LP 2"` for the second one alone, `"stiff: theta0=0.3"`. Branches are called by the curve and the
    /// labels where they leave: `"stiff-SB: PD"`.
    pub from: String,
    /// Intervals of parameters or monitors that the points to start from must lie in, where the curve has several with
    /// this label.
    #[serde(default)]
    pub among: BTreeMap<String, (f64, f64)>,
    /// The two free parameters.
    pub free: (String, String),
    /// The range of each of them, in the same order.
    pub range: ((f64, f64), (f64, f64)),
    /// Values of parameters or monitors at which points are computed (label UZ).
    #[serde(default)]
    pub levels: BTreeMap<String, Vec<f64>>,
    /// Intervals that other parameters or monitors must stay in; the curve ends (EP) where one leaves its interval.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// Step control, in units of the first parameter; the defaults adapt.
    #[serde(default)]
    pub step: StepSpec,
    /// The most points in each direction.
    #[serde(default = "default_points")]
    pub points: usize,
}
