//! What an analysis gives.

use crate::results::curve::CurveResult;
use slipstick_report::Table;

/// What an analysis gives.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "A shoe",
///     analyses: [SlidingShoe(name: "shoe")],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let shoe = &result.analyses[0];
/// // The motion over time, and a table of its turning points.
/// assert_eq!((shoe.motions[0].0.as_str(), shoe.tables[0].0.as_str()), ("shoe", "shoe-turns"));
/// assert!(shoe.tables[0].1.rows() > 1);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnalysisResult {
    /// Its name.
    pub name: String,
    /// Motions over time, by name.
    pub motions: Vec<(String, Table)>,
    /// Other tables, by name.
    pub tables: Vec<(String, Table)>,
    /// Curves.
    pub curves: Vec<CurveResult>,
    /// Orbits of the curves, by the name of the curve and the index of the point.
    pub orbits: Vec<((String, usize), Table)>,
    /// What was noticed, in words.
    pub notes: Vec<String>,
}
