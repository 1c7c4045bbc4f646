//! A system and its regularisations: their curves, the distances between them, and what only one of them has.

use crate::compute::divided::in_parts;
use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Task};
use crate::compute::tasks::comparison::{Comparison, Spot};
use crate::compute::tasks::family::Member;
use crate::plan::twins::TwinsPlan;
use crate::results::run::RunResult;
use std::ops::Range;

impl Task for TwinsPlan {
    fn name(&self) -> &str {
        &self.name
    }

    /// The system itself, then a part for each regularisation.
    fn parts(&self) -> Vec<Range<usize>> {
        (0..=self.family.grid.len()).map(|k| k..k + 1).collect()
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let gathered = in_parts(around, &self.name, &self.parts(), |part| match part.checked_sub(1) {
            None => self.family.traced(&self.limit, &self.family.overrides, 0, around),
            Some(member) => self.family.member(member, around),
        })?;
        let mut members: Vec<Member> = gathered.all()?.collect::<Result<_, _>>()?;
        let limit = members.remove(0);
        let spots = |member: &Member| Spot::all(&member.special, &member.points, &self.free, &self.columns);
        let values = (0..self.family.grid.len()).filter_map(|k| self.family.grid.cell(k).next());
        let comparison = Comparison {
            plan: self,
            values: values.map(|(_, value)| value).collect(),
            limit: spots(&limit)?,
            twins: members.iter().map(spots).collect::<Result<_, _>>()?,
        };
        let distances = comparison.distances();
        let mut notes = limit.missing_in_words("the limit");
        notes.extend(comparison.in_words(&distances));
        for (member, value) in members.iter().zip(&comparison.values) {
            let which = format!("{} = {value:e}", self.parameter());
            notes.extend(member.missing_in_words(&which));
            notes.extend(canards_in_words(member, &self.free, *value, &which));
        }
        let mut analysis = self.family.analysis(members.into_iter().map(Ok))?;
        analysis.notes.extend(notes);
        analysis.name.clone_from(&self.name);
        let own = [
            (self.name.clone(), comparison.table(&distances)?),
            (self.solutions_name(), comparison.solutions()?),
        ];
        analysis.tables.splice(0..0, own);
        Ok(RunResult {
            analyses: vec![analysis],
            ..RunResult::default()
        })
    }
}

/// Where orbits of a regularisation follow the part of the critical manifold that repels for longer than the passage of
/// its fold takes, of the order ε^(2/3) of a period.
fn canards_in_words(member: &Member, free: &str, epsilon: f64, which: &str) -> Option<String> {
    let times = member.points.numbers("canard_time").ok()?;
    let periods = member.points.numbers("period").ok()?;
    let at = member.points.numbers(free).ok()?;
    let passage = |k: usize| periods[k] * epsilon.abs().powf(2.0 / 3.0);
    let longest = (0..times.len()).filter(|&k| times[k] > passage(k));
    let longest = longest.max_by(|&a, &b| times[a].total_cmp(&times[b]))?;
    let (at, time) = (at[longest], times[longest]);
    Some(format!(
        "for {which} there are canards, which the limit has none of: at {free} = {at:.6} an orbit follows the repelling part of the critical manifold for a time of {time:.4}"
    ))
}
