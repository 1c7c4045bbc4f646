//! A simulated trajectory.
use slipstick_flow::Sample;

/// One simulated trajectory (or one of its futures, where the solution forks).
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "A ride",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     simulations: [Simulation(name: "ride", time: 20, every: 0.5)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let ride = &result.trajectories[0];
/// assert!(ride.name == "ride" && ride.rows.first().is_some_and(|row| row.t == 0.0));
/// assert!(ride.rows.windows(2).all(|rows| rows[1].t - rows[0].t <= 0.5 + 1e-12));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrajectoryResult {
    /// Its name in tables.
    pub name: String,
    /// Index of its system in the plan.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// Rows of its table.
    pub rows: Vec<Sample>,
    /// Where the future was not unique: time and what was legal, in words.
    pub nonunique: Vec<(f64, String)>,
    /// Modes and events in order.
    pub word: String,
    /// Why it ended, in words.
    pub ended: String,
}
