//! The tasks of a study that are divided into parts.

use crate::plan::study::Plan;
use crate::run::order::keyed_tasks;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A divided task.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Windows",
///     system: Map(states: ["x"], parameters: {"r": 4}, equations: ["x+ = r*x*(1 - x)"]),
///     tasks: [Chart(name: "windows", over: {"r": Linear(3.5, 4, 300)}, starts: 1)],
/// )"#;
/// let plan = study::parse("windows.ron".as_ref(), text.into())?.plan(&[])?;
/// let tasks = study::divided(&plan);
/// assert!(tasks.len() == 1 && tasks[0].name == "windows" && (tasks[0].cells, tasks[0].parts) == (300, 5));
/// # Ok::<(), study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divided {
    /// The key of its log.
    pub key: String,
    /// Its name in the study.
    pub name: String,
    /// The number of its cells, starts or values.
    pub cells: usize,
    /// The number of its parts.
    pub parts: usize,
}

/// The divided tasks of a plan.
#[must_use]
pub fn divided(plan: &Plan) -> Vec<Divided> {
    keyed_tasks(plan)
        .into_iter()
        .filter(|(_, task)| !task.parts().is_empty())
        .map(|(key, task)| Divided {
            key,
            name: task.name().to_owned(),
            cells: task.parts().iter().map(Range::len).sum(),
            parts: task.parts().len(),
        })
        .collect()
}
