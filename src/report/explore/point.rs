//! The story of one point of a curve.

use super::columns::{DIGITS, aligned};
use super::error::ShowError;
use super::{FinishedRun, stored};
use crate::{Column, ReportError, Table};
use slipstick_bifurcation::Label;
use slipstick_numerics::number::{exact, rounded};
use std::f64::consts::PI;

/// What is said of the multipliers of orbits, beside their heading.
const TRIVIAL: &str = " (without the trivial one of free motion along the orbit, 1)";

/// Columns that the story tells in words.
const REPORTED: [&str; 9] = [
    "curve",
    "index",
    "label",
    "word",
    "admissible",
    "margin",
    "stable",
    "unstable",
    "message",
];

/// Everything that the tables say of a point: label and message, columns, stability, multipliers, its orbit.
pub(super) fn story(run: &FinishedRun, curve: &str, index: usize) -> Result<String, ShowError> {
    let points = run.data.points.rows_where("curve", curve);
    let indices = points.numbers("index")?;
    let Some(row) = indices.iter().position(|i| *i == index as f64) else {
        return Err(ShowError::NoPoint {
            curve: curve.to_owned(),
            index,
            last: points.rows().saturating_sub(1),
        });
    };
    let mut text = format!("point {index} of `{curve}`");
    let label = &points.texts("label")?[row];
    if !label.is_empty() {
        text.push_str(&format!(": {label}"));
        if let Some(message) = message(run, curve, index)? {
            text.push_str(&format!("\n  {message}"));
        }
    }
    text.push_str("\n\n");
    let mut lines = vec![];
    for (name, column) in points.columns() {
        if let Column::Number(values) = column
            && !REPORTED.contains(&name)
            && multiplier_of(name).is_none()
            && !values[row].is_nan()
        {
            lines.push(vec![name.to_owned(), exact(values[row])]);
        }
    }
    text.push_str(&aligned(&lines));
    text.push('\n');
    text.push_str(&stability(&points, row, label)?);
    text.push_str(&inequalities(run, curve, row));
    text.push_str(&stored::orbit(run, (curve, index), &points, row)?);
    Ok(text.trim_end().to_owned())
}

fn message(run: &FinishedRun, curve: &str, index: usize) -> Result<Option<String>, ReportError> {
    let special = run.data.special.rows_where("curve", curve);
    let at = special.numbers("index")?.iter().position(|i| *i == index as f64);
    let messages = special.texts("message")?;
    Ok(at.map(|row| messages[row].clone()))
}

/// `mult3` of `mult3_log10` and `mult3_arg`.
fn multiplier_of(column: &str) -> Option<&str> {
    let name = column.strip_suffix("_log10").or_else(|| column.strip_suffix("_arg"))?;
    let number = name.strip_prefix("mult").or_else(|| name.strip_prefix("nu"))?;
    number.parse::<usize>().ok().map(|_| name)
}

fn stability(points: &Table, row: usize, label: &str) -> Result<String, ShowError> {
    let mut text = String::new();
    if let Ok(words) = points.texts("word")
        && !words[row].is_empty()
    {
        text.push_str(&format!("word        {}\n", words[row]));
    }
    if let (Ok(admissible), Ok(margin)) = (points.flags("admissible"), points.numbers("margin")) {
        let words = if admissible[row] { "yes" } else { "no" };
        // Equilibria and maps may have no inequalities.
        let smallest = if margin[row].is_finite() {
            format!(", smallest inequality {}", margin_of(margin[row]))
        } else {
            String::new()
        };
        text.push_str(&format!("admissible  {words}{smallest}\n"));
    }
    if let (Ok(stable), Ok(unstable)) = (points.flags("stable"), points.numbers("unstable")) {
        let of_equilibrium = points.numbers("eig1_re").is_ok_and(|real| real[row].is_finite());
        let (what, beyond) = if of_equilibrium {
            ("eigenvalue", "with positive real part")
        } else {
            ("multiplier", "outside the unit circle")
        };
        let (critical, others) = (
            neutral(label, of_equilibrium),
            beyond_rounding(points, row, of_equilibrium),
        );
        let words = match (critical, others, stable[row], unstable[row]) {
            (Some(critical), 0, ..) => format!("neutral ({critical})"),
            (None, _, true, _) => "yes".to_owned(),
            (Some(critical), 1, ..) => format!("no: 1 {what} {beyond}; neutral besides ({critical})"),
            (Some(critical), n, ..) => format!("no: {n} {what}s {beyond}; neutral besides ({critical})"),
            // Not one multiplier is known: none was computed.
            (None, _, false, 0.0) if !has_spectrum(points, row) => format!("not known: no {what}s were computed here"),
            (None, _, _, 1.0) => format!("no: 1 {what} {beyond}"),
            (None, _, _, n) => format!("no: {n} {what}s {beyond}"),
        };
        text.push_str(&format!("stable      {words}\n"));
    }
    let mut lines = vec![];
    for (name, column) in points.columns() {
        if let (Some(name), Column::Number(log10)) = (multiplier_of(name).filter(|_| name.ends_with("_log10")), column)
            && let Ok(arg) = points.numbers(&format!("{name}_arg"))
            && !log10[row].is_nan()
        {
            lines.push(vec![name.to_owned(), multiplier(log10[row], arg[row])]);
        }
    }
    if !lines.is_empty() {
        let period = points.numbers("period").map_or(f64::NAN, |period| period[row]);
        let trivial = if period.is_finite() { TRIVIAL } else { "" };
        text.push_str(&format!("\nmultipliers{trivial}\n"));
        for line in aligned(&lines).lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    Ok(text)
}

/// Is a multiplier or an eigenvalue of the point known?
fn has_spectrum(points: &Table, row: usize) -> bool {
    let tells = |name: &str| {
        (multiplier_of(name).is_some() && name.ends_with("_log10"))
            || (name.starts_with("eig") && name.ends_with("_re"))
    };
    let known = |column: &Column| matches!(column, Column::Number(values) if !values[row].is_nan());
    points.columns().any(|(name, column)| tells(name) && known(column))
}

/// What is neutral at a bifurcation with this label.
fn neutral(label: &str, of_equilibrium: bool) -> Option<&'static str> {
    match (Label::parse(label)?, of_equilibrium) {
        (Label::LP | Label::BP, true) => Some("an eigenvalue 0"),
        (Label::HB, _) => Some("a pair of imaginary eigenvalues"),
        (Label::LP | Label::BP, false) => Some("a multiplier +1"),
        (Label::SB, _) => Some("ν = -1"),
        (Label::PD, _) => Some("a multiplier -1"),
        (Label::NS, _) => Some("a pair of multipliers on the unit circle"),
        _ => None,
    }
}

/// How many multipliers are outside the unit circle, or eigenvalues right of the axis, by more than the rounding of
/// those that are on it at a bifurcation.
fn beyond_rounding(points: &Table, row: usize, of_equilibrium: bool) -> usize {
    const ON: f64 = 1e-6;
    let counts = |name: &str| {
        if of_equilibrium {
            name.starts_with("eig") && name.ends_with("_re")
        } else {
            name.starts_with("mult") && multiplier_of(name).is_some() && name.ends_with("_log10")
        }
    };
    let value = |(name, column): (&str, &Column)| match column {
        Column::Number(values) if counts(name) => Some(values[row]),
        _ => None,
    };
    let all: Vec<f64> = points.columns().filter_map(value).collect();
    // Eigenvalues are rates, whose size depends on the unit of time.
    let size = all
        .iter()
        .fold(0.0, |most: f64, v| if v.is_finite() { most.max(v.abs()) } else { most });
    let on = if of_equilibrium { ON * size } else { ON };
    all.iter().filter(|v| **v > on).count()
}

/// A margin in words: a boundary that was located lies on its inequality, up to rounding.
fn margin_of(margin: f64) -> String {
    const ROUNDING: f64 = 1e-9;
    if (-ROUNDING..0.0).contains(&margin) {
        "0 (to rounding)".to_owned()
    } else {
        rounded(margin, DIGITS)
    }
}

/// All inequalities that the orbit must satisfy, the next to break first.
fn inequalities(run: &FinishedRun, curve: &str, row: usize) -> String {
    let Some(margins) = run.data.inequalities.get(curve) else {
        return String::new();
    };
    let mut here: Vec<(f64, &str)> = margins
        .columns()
        .filter_map(|(name, column)| match column {
            Column::Number(values) if name != "index" => Some((*values.get(row)?, name)),
            _ => None,
        })
        .filter(|(margin, _)| !margin.is_nan())
        .collect();
    if here.is_empty() {
        return String::new();
    }
    here.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lines: Vec<Vec<String>> = here
        .into_iter()
        .map(|(margin, heading)| {
            // Margins are capped where a surface is never near.
            let margin = if margin < 1000.0 {
                margin_of(margin)
            } else {
                "far".into()
            };
            vec![margin, heading.to_owned()]
        })
        .collect();
    let mut text = String::from("\ninequalities: margin, and the label where it is zero\n");
    for line in aligned(&lines).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

/// A multiplier as a number where one can be written, else as a power of ten and an angle.
fn multiplier(log10: f64, arg: f64) -> String {
    if log10 == f64::NEG_INFINITY {
        return "0".into();
    }
    let modulus = if log10.abs() < 6.0 {
        rounded(10f64.powf(log10), DIGITS)
    } else {
        format!("10^{}", rounded(log10, DIGITS))
    };
    if arg == 0.0 {
        modulus
    } else if (arg.abs() - PI).abs() < 1e-12 {
        format!("-{modulus}")
    } else {
        format!("{modulus} · exp({}i)", rounded(arg, DIGITS))
    }
}
