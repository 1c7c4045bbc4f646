//! Derivatives in time along a stored orbit, for its interpolation.

use crate::errors::run_error;
use crate::studies::LoadedStudy;
use crate::table::Table;
use pyo3::prelude::*;
use slipstick_numerics::scalar::{Dual, Second, Third};
use slipstick_report::{Column, ReportError};
use slipstick_system::System;

/// The derivatives that are computed: the first three.
const ORDERS: usize = 3;

/// The first three derivatives in time of all states at the rows of an orbit, from the equations of the mode of each:
/// by order, row and state. `None` for a map. The curve names the system, `parameters` are those of the point.
#[pyfunction]
pub(crate) fn derivatives(
    py: Python<'_>,
    study: &LoadedStudy,
    set: Vec<(String, f64)>,
    curve: &str,
    parameters: Vec<(String, f64)>,
    orbit: &Table,
) -> PyResult<Option<Table>> {
    let plan = study.planned(py, &set)?;
    let of_curves = plan.curves.iter().map(|c| (&c.name, c.system));
    let of_loci = plan.loci.iter().map(|l| (&l.name, plan.curves[l.from].system));
    // Branches are called after the curve that they leave.
    let own = of_curves.chain(of_loci).filter(|(name, _)| curve.starts_with(*name));
    let system = own.max_by_key(|(name, _)| name.len()).map_or(0, |(_, system)| system);
    let Some(named) = plan.systems.get(system) else {
        return Ok(None);
    };
    let system = &named.system;
    if system.is_map() {
        return Ok(None);
    }
    let p: Vec<f64> = system
        .parameters
        .iter()
        .map(|own| {
            let given = parameters.iter().find(|(name, _)| *name == own.name);
            given.map_or(own.value, |(_, value)| *value)
        })
        .collect();
    let table = py
        .detach(|| along(system, &p, orbit.inner()))
        .map_err(|e| run_error(py, &e))?;
    Ok(Some(Table::of(table)))
}

/// A table with the columns `STATE 1`, `STATE 2`, `STATE 3`.
fn along(system: &System, p: &[f64], orbit: &slipstick_report::Table) -> Result<slipstick_report::Table, ReportError> {
    let columns: Vec<&[f64]> = system
        .states
        .iter()
        .map(|state| orbit.numbers(&state.name))
        .collect::<Result<_, _>>()?;
    let modes = if orbit.has("mode") {
        Some(orbit.texts("mode")?)
    } else {
        None
    };
    let n = system.states.len();
    let mut found = vec![vec![0.0; orbit.rows()]; n * ORDERS];
    for row in 0..orbit.rows() {
        let mode = modes.and_then(|names| system.mode(&names[row])).unwrap_or(0);
        let x: Vec<f64> = columns.iter().map(|column| column[row]).collect();
        let rates = rates(system, mode, &x, p);
        for (column, rate) in found.iter_mut().zip(rates) {
            column[row] = rate;
        }
    }
    let mut table = slipstick_report::Table::default();
    for (k, values) in found.into_iter().enumerate() {
        let (state, order) = (&system.states[k / ORDERS].name, k % ORDERS + 1);
        table.set_column(format!("{state} {order}"), Column::Number(values))?;
    }
    Ok(table)
}

/// The derivatives of every state, those of the first state first.
fn rates(system: &System, mode: usize, x: &[f64], p: &[f64]) -> Vec<f64> {
    let mode = &system.modes[mode];
    let p: Vec<Third> = p.iter().map(|&v| moving([v, 0.0, 0.0, 0.0])).collect();
    let mut own: Vec<[f64; 4]> = mode.states.iter().map(|&i| [x[i], 0.0, 0.0, 0.0]).collect();
    let mut out = vec![moving([0.0; 4]); own.len()];
    // Each evaluation of the field knows one derivative more.
    for order in 0..ORDERS {
        let at: Vec<Third> = own.iter().map(|&c| moving(c)).collect();
        mode.field.third(&at, &p, &mut out);
        for (state, rate) in own.iter_mut().zip(&out) {
            state[order + 1] = derivative(rate, order);
        }
    }
    let at: Vec<Third> = own.iter().map(|&c| moving(c)).collect();
    let mut absent = vec![moving([0.0; 4]); system.states.len() - own.len()];
    if let Some(function) = &mode.absent {
        function.third(&at, &p, &mut absent);
    }
    let mut absent = absent.into_iter();
    let mut all = vec![];
    for i in 0..system.states.len() {
        let state = match mode.states.iter().position(|&own| own == i) {
            Some(k) => Some(at[k]),
            None => absent.next(),
        };
        all.extend((1..=ORDERS).map(|order| state.as_ref().map_or(0.0, |state| derivative(state, order))));
    }
    all
}

/// A value that moves along ε₁ + ε₂ + ε₃, with its derivatives: the coefficient of a product of k of them is the k-th.
fn moving([value, first, second, third]: [f64; 4]) -> Third {
    let narrow = |re, eps| Dual { re, eps: [eps] };
    let pair = |a, b, c| Second {
        re: narrow(a, b),
        eps: [narrow(b, c)],
    };
    Third {
        re: pair(value, first, second),
        eps: [pair(first, second, third)],
    }
}

/// The derivative of this order of a value that moves so.
fn derivative(value: &Third, order: usize) -> f64 {
    let (a, b) = (&value.re, &value.eps[0]);
    [a.re.re, a.re.eps[0], a.eps[0].eps[0], b.eps[0].eps[0]][order]
}
