//! A family of curves: those of a study, traced for every value of further parameters.

use crate::compute::divided::in_parts;
use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Task};
use crate::plan::attractors::belongs;
use crate::plan::family::FamilyPlan;
use crate::plan::study::plan;
use crate::results::analysis::AnalysisResult;
use crate::results::curve::CurveResult;
use crate::results::run::RunResult;
use crate::results::tables::points;
use crate::share::Share;
use serde::{Deserialize, Serialize};
use slipstick_report::{Cell, Column, Kind, ReportError, Table};
use std::ops::Range;

/// What one member has.
#[derive(Serialize, Deserialize)]
pub(super) struct Member {
    pub(super) points: Table,
    pub(super) special: Table,
    curves: Vec<Traced>,
}

/// One curve of a member.
#[derive(Serialize, Deserialize)]
pub(super) struct Traced {
    name: String,
    points: usize,
    covered: (f64, f64),
    special: String,
    ended: String,
}

/// The named curves, and what they need.
struct Named<'a>(&'a [bool]);

impl Share for Named<'_> {
    fn takes(&self, _: &str, number: usize) -> bool {
        self.0.get(number).copied().unwrap_or(false)
    }

    fn next(&self, _: &str) -> Option<usize> {
        None
    }
}

impl Member {
    /// Its curves that could not be traced, with the reasons; `which` says which member it is.
    pub(super) fn missing_in_words(&self, which: &str) -> Vec<String> {
        let lost = self.curves.iter().filter(|curve| curve.points == 0);
        lost.map(|curve| format!("no curve `{}` for {which}: {}", curve.name, curve.ended))
            .collect()
    }
}

impl Task for FamilyPlan {
    fn name(&self) -> &str {
        &self.name
    }

    /// A part is a member.
    fn parts(&self) -> Vec<Range<usize>> {
        (0..self.grid.len()).map(|k| k..k + 1).collect()
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let gathered = in_parts(around, &self.name, &self.parts(), |member| self.member(member, around))?;
        Ok(RunResult {
            analyses: vec![self.analysis(gathered.all()?)?],
            ..RunResult::default()
        })
    }
}

impl FamilyPlan {
    /// The tables of all members.
    pub(super) fn analysis(
        &self,
        of: impl Iterator<Item = Result<Member, ComputeError>>,
    ) -> Result<AnalysisResult, ComputeError> {
        let (mut all, mut special) = (Table::default(), Table::default());
        let mut members = self.members_table();
        let (mut count, mut failed) = (0, 0);
        for (k, member) in of.enumerate() {
            let Member {
                points,
                special: own,
                curves,
            } = member?;
            all.append(points)?;
            special.append(own)?;
            count += 1;
            failed += usize::from(curves.iter().any(|c| c.points == 0));
            for curve in curves {
                self.push_member(&mut members, k, &curve)?;
            }
        }
        let mut note = format!("{count} members with {} points", all.rows());
        if failed > 0 {
            note += &format!("; {failed} lack curves, with reasons in {}.csv", self.members_name());
        }
        Ok(AnalysisResult {
            name: self.name.clone(),
            notes: vec![note],
            tables: vec![
                (self.name.clone(), all),
                (self.special_name(), special),
                (self.members_name(), members),
            ],
            ..AnalysisResult::default()
        })
    }

    /// Trace the curves of a member.
    pub(super) fn member(&self, member: usize, around: &Around<'_>) -> Member {
        self.traced(&self.curves, &self.values(member), member, around)
    }

    /// Trace these curves with these values of parameters. What cannot be traced is a row with its reason.
    pub(super) fn traced(
        &self,
        names: &[String],
        values: &[(String, f64)],
        member: usize,
        around: &Around<'_>,
    ) -> Member {
        let (mut found, mut curves) = ((Table::default(), Table::default()), vec![]);
        let failed = |name: &str, reason: String| Traced {
            name: name.to_owned(),
            points: 0,
            covered: (f64::NAN, f64::NAN),
            special: String::new(),
            ended: reason,
        };
        match plan(&self.study, values, &self.folder) {
            Err(complaints) => {
                let reasons: Vec<String> = complaints.into_iter().map(|c| c.message).collect();
                curves.extend(names.iter().map(|name| failed(name, reasons.join("; "))));
            }
            Ok(plan) => {
                let named: Vec<bool> = plan.curves.iter().map(|c| names.contains(&c.name)).collect();
                let result = (around.run_alone)(&plan, around.stop, &Named(&named));
                let own = |curve: &&CurveResult| names.iter().any(|name| belongs(&curve.name, name));
                for curve in result.curves.iter().filter(own) {
                    let traced = tables(curve, member).and_then(|(points, special)| {
                        found.0.append(points)?;
                        found.1.append(special)
                    });
                    curves.push(match traced {
                        Ok(()) => Traced {
                            name: curve.name.clone(),
                            points: curve.len(),
                            covered: curve.covered(),
                            special: curve.special(),
                            ended: curve.ended(),
                        },
                        Err(e) => failed(&curve.name, e.to_string()),
                    });
                }
                let missing = result.missing.into_iter().filter(|m| names.contains(&m.curve));
                curves.extend(missing.map(|m| failed(&m.curve, m.reason)));
            }
        }
        Member {
            points: found.0,
            special: found.1,
            curves,
        }
    }

    fn members_table(&self) -> Table {
        let number = |name: &str| (name.to_owned(), Kind::Number);
        let text = |name: &str| (name.to_owned(), Kind::Text);
        let mut columns = vec![number("member")];
        columns.extend(self.grid.axes.iter().map(|a| number(&a.name)));
        columns.extend([text("curve"), number("points"), number("from"), number("to")]);
        columns.extend([text("special"), text("ended")]);
        Table::new(columns)
    }

    fn push_member(&self, table: &mut Table, member: usize, curve: &Traced) -> Result<(), ReportError> {
        let mut row = vec![Cell::Number((member + 1) as f64)];
        row.extend(self.grid.cell(member).map(|(_, v)| Cell::Number(v)));
        row.push(Cell::Text(curve.name.clone()));
        row.extend([curve.points as f64, curve.covered.0, curve.covered.1].map(Cell::Number));
        row.extend([curve.special.clone(), curve.ended.clone()].map(Cell::Text));
        table.push_row(row)
    }
}

/// The points and the special points of a curve, with the number of the member.
fn tables(curve: &CurveResult, member: usize) -> Result<(Table, Table), ReportError> {
    let numbered = |special: bool| -> Result<Table, ReportError> {
        let table = points(curve, special)?;
        let mut numbered = Table::default();
        let number = (member + 1) as f64;
        numbered.set_column("member", Column::Number(vec![number; table.rows()]))?;
        for (name, column) in table.columns() {
            numbered.set_column(name, column.clone())?;
        }
        Ok(numbered)
    };
    Ok((numbered(false)?, numbered(true)?))
}
