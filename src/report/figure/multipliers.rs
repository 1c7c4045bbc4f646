//! The letter of multipliers: μ, unless the system has parameters of that name.

use super::several::each_labels;
use super::spec::Figure;
use super::symbol::source;
use crate::RunData;
use std::collections::BTreeSet;

/// The figure with labels for multipliers where μ is a parameter: ρ, or Λ where that is one as well.
pub(super) fn with_letter(figure: &Figure, data: &RunData) -> Figure {
    let tables = [&data.points].into_iter().chain(data.tables.values());
    let names: BTreeSet<&str> = tables.flat_map(|table| table.names()).map(String::as_str).collect();
    let mut own = figure.clone();
    let Some(letter) = letter(names.iter().copied()) else {
        return own;
    };
    let is_multiplier = |name: &&&str| {
        let digits = name.strip_prefix("mult").unwrap_or("x");
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let together = ["mult_log10", "mult_arg"];
    let multipliers = names.iter().filter(is_multiplier).chain(&together);
    let labels: Vec<(String, String)> = multipliers
        .filter_map(|name| Some(((*name).to_owned(), source(name)?.replace(r"\mu", letter))))
        .collect();
    each_labels(&mut own, &mut |given| {
        for (name, label) in &labels {
            given.entry(name.clone()).or_insert_with(|| label.clone());
        }
    });
    own
}

/// The letter for multipliers among columns of these names, if it is not μ.
fn letter<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Option<&'static str> {
    let taken = |letter: &str| {
        names.clone().any(|name| {
            let rest = name.strip_prefix(letter);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c == '_' || c.is_ascii_digit()))
        })
    };
    match (taken("mu"), taken("rho")) {
        (false, _) => None,
        (true, false) => Some(r"\rho"),
        (true, true) => Some(r"\Lambda"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_yield_to_parameters() {
        assert_eq!(letter(["Omega", "x_max", "mult1_log10"].into_iter()), None);
        assert_eq!(letter(["mu_s", "mult1_log10"].into_iter()), Some(r"\rho"));
        assert_eq!(letter(["mu", "rho", "muon"].into_iter()), Some(r"\Lambda"));
        assert_eq!(letter(["muon"].into_iter()), None);
    }
}
