//! A chart, ready to compute.

use crate::plan::attractors::AttractorsPlan;
use crate::plan::axis::{Axis, Grid};
use crate::plan::exponents::check_exponents;
use crate::plan::locus::LocusPlan;
use crate::plan::parameters::Subject;
use crate::plan::referable::Referable;
use crate::plan::start::plan_region;
use crate::spec::chart::ChartSpec;
use crate::text::complaint::Complaint;
use crate::text::limits;
use slipstick_flow::{FlowOptions, NonUniqueness};
use std::collections::BTreeSet;

/// A chart, ready to compute.
///
/// ```
/// use slipstick_study::{self as study, TaskPlan};
/// let text = r#"Study(
///     title: "Regimes",
///     system: Stiction(mu_d: 0.4),
///     tasks: [Chart(name: "regimes", over: {"Omega": Linear(0.4, 2.2, 10), "mu_s": Linear(1, 1.4, 5)}, starts: 4)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let TaskPlan::Chart(chart) = &plan.tasks[0] else { panic!("it is one") };
/// assert_eq!((chart.grid.len(), chart.grid.cell(13).map(|(_, v)| v).collect::<Vec<_>>()), (50, vec![1.0, 1.1]));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct ChartPlan {
    /// Its cells.
    pub grid: Grid,
    /// How each cell is explored; its parameter swept over is the first of the grid.
    pub sweep: AttractorsPlan,
    /// Of how many cells the orbits are stored.
    pub orbits: usize,
    /// The two-parameter curves that its borders are compared with.
    pub borders: Vec<String>,
}

impl ChartPlan {
    /// The name of the table of orbits.
    pub(crate) fn orbits_name(&self) -> String {
        format!("{}-orbits", self.sweep.name)
    }

    /// The name of the table of borders that disagree with two-parameter curves.
    pub(crate) fn borders_name(&self) -> String {
        format!("{}-borders", self.sweep.name)
    }

    /// Its tables with their number columns; `states` are all states of its system.
    pub(crate) fn outputs(&self, states: &[String]) -> Vec<(String, Vec<String>)> {
        let mut outputs = vec![(self.sweep.name.clone(), self.columns())];
        if self.orbits > 0 {
            outputs.push((self.orbits_name(), columns_of_orbits("row", states)));
        }
        if !self.borders.is_empty() {
            let names = self.grid.axes.iter().map(|axis| &axis.name);
            let ends = names.flat_map(|name| ["from", "to"].map(|end| format!("{name}_{end}")));
            outputs.push((self.borders_name(), ends.chain(["cells".to_owned()]).collect()));
        }
        outputs
    }

    /// The number columns of its table.
    fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = self.grid.axes.iter().map(|a| a.name.clone()).collect();
        columns.extend(["starts", "period", "turns"].map(str::to_owned));
        columns.extend((1..=self.sweep.exponents).map(|k| format!("exponent{k}")));
        columns
    }
}

/// The number columns of a table of orbits, each with the number of what it is the orbit of.
pub(crate) fn columns_of_orbits(of: &str, states: &[String]) -> Vec<String> {
    let first = [of.to_owned(), "t".to_owned()];
    first.into_iter().chain(states.iter().cloned()).collect()
}

/// Resolve and check.
pub(crate) fn plan_chart(
    spec: &ChartSpec,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) -> Option<ChartPlan> {
    let before = complaints.len();
    let subject = study.subject(spec.system.as_ref(), &spec.set, path, complaints)?;
    let system = &study.systems[subject.index].system;
    let grid = study.parameter_grid(&spec.over, &subject, &spec.set, path, complaints)?;
    let Subject {
        index,
        parameters,
        fine,
    } = subject;
    for (key, number, why) in [
        ("starts", spec.starts, "the chart has no initial states"),
        ("events", spec.events, "the chart allows no events"),
    ] {
        if number == 0 {
            complaints.push(Complaint::new(format!("{path}.{key}"), why));
        }
    }
    limits::EVENTS.check(format!("{path}.events"), spec.events as f64, complaints);
    limits::STARTS.check(format!("{path}.starts"), spec.starts as f64, complaints);
    check_exponents(spec.exponents, system, (path, "exponents"), complaints);
    check_borders(spec, &grid, index, path, study, complaints);
    let region = plan_region(&spec.within, path, system, complaints);
    let swept = grid.axes.first().map(|a| a.index)?;
    limits::CELLS.check(format!("{path}.orbits"), spec.orbits as f64, complaints);
    (complaints.len() == before && fine).then(|| ChartPlan {
        grid,
        orbits: spec.orbits,
        sweep: AttractorsPlan {
            name: spec.name.clone(),
            system: index,
            parameters,
            sweep: swept,
            values: vec![],
            region,
            starts: spec.starts,
            policy: NonUniqueness::Stick,
            seed: spec.seed,
            events: spec.events,
            exponents: spec.exponents,
            compare: vec![],
            trace: false,
            flow: FlowOptions::default(),
        },
        borders: spec.borders.clone(),
    })
}

/// The two-parameter curves that borders are compared with must be in the two parameters of the grid.
fn check_borders(
    spec: &ChartSpec,
    grid: &Grid,
    system: usize,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) {
    if spec.borders.is_empty() {
        return;
    }
    if grid.axes.len() != 2 {
        complaints.push(
            Complaint::new(
                format!("{path}.borders"),
                "only a chart over two parameters has borders",
            )
            .help("leave `borders` out, or go over two parameters"),
        );
        return;
    }
    let ordered = |axis: &Axis| axis.values.windows(2).all(|pair| pair[0] < pair[1]);
    if let Some(axis) = grid.axes.iter().find(|axis| !ordered(axis)) {
        let here = format!("{path}.over.\"{}\"", axis.name);
        complaints.push(
            Complaint::new(here, "borders are sought between neighbours: the values must increase")
                .help("order the values"),
        );
    }
    let free: BTreeSet<usize> = grid.axes.iter().map(|a| a.index).collect();
    let fits = |l: &&LocusPlan| l.system == system && free == BTreeSet::from([l.free.0, l.free.1]);
    let known: Vec<&str> = study.loci.iter().filter(fits).map(|l| l.name.as_str()).collect();
    for (k, name) in spec.borders.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            let kind = "two-parameter curve in these parameters";
            complaints.push(Complaint::unknown(
                format!("{path}.borders[{k}]"),
                kind,
                name,
                known.iter().copied(),
            ));
        }
    }
}
