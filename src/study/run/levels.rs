//! Levels that a curve was asked for and did not come to.

use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use crate::results::run::RunResult;
use crate::run::distances::column;
use slipstick_bifurcation::Level;
use slipstick_report::explore::rounded;

/// Say in the notes of curves at which levels neither they nor the curves derived from them have a point.
pub(crate) fn note_unreached(plan: &Plan, result: &mut RunResult) {
    let curves = plan.curves.iter().map(|curve| (&curve.name, &curve.trace.levels));
    let loci = plan.loci.iter().map(|locus| (&locus.name, &locus.trace.levels));
    for (name, levels) in curves.chain(loci).filter(|(_, levels)| !levels.is_empty()) {
        let derived = |curve: &&CurveResult| {
            curve
                .name
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let own: Vec<&CurveResult> = result.curves.iter().filter(derived).collect();
        let unreached = |level: &&Level| !own.iter().any(|curve| reaches(curve, level));
        let unreached: Vec<String> = levels.iter().filter(unreached).map(in_words).collect();
        let Some(curve) = result.curves.iter_mut().find(|curve| curve.name == *name) else {
            continue;
        };
        if !unreached.is_empty() && !curve.is_empty() {
            let separator = if curve.note.is_empty() { "" } else { "; " };
            curve.note += &format!(
                "{separator}no point at the level{} {}",
                if unreached.len() == 1 { "" } else { "s" },
                unreached.join(", ")
            );
        }
    }
}

fn in_words(level: &Level) -> String {
    format!("{} = {}", level.name, rounded(level.value, 12))
}

/// Has the curve a labelled point where the column has the level's value, to the accuracy at which levels are located?
fn reaches(curve: &CurveResult, level: &Level) -> bool {
    const LOCATED: f64 = 1e-7;
    let labelled = curve.points().filter(|(_, _, p)| p.label.is_some());
    let mut values = labelled.filter_map(|(_, _, p)| column(curve, p, &level.name));
    values.any(|value| (value - level.value).abs() <= LOCATED * (1e-3 + level.value.abs()))
}
