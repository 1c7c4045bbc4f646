//! Names of what a study computes: each becomes a file, tables and figures refer to it, so each is fit for a file and used once.

use crate::report;
use crate::study::complaint::Complaint;
use crate::study::spec::{PolicySpec, Study};

/// The longest name of an entry: what it gives adds the labels of branches and numbers of points to it.
const LONGEST: usize = 100;

/// Complain about a name that cannot be part of the names of files. `path` is the entry, `what` it names: a curve.
fn check_file_name(name: &str, path: &str, what: &str, complaints: &mut Vec<Complaint>) {
    let count = name.chars().count();
    let message = if name.is_empty() {
        format!("an empty name: the files of a {what} are called after it")
    } else if count > LONGEST {
        let head: String = name.chars().take(20).flat_map(char::escape_debug).collect();
        format!("`{head}…` is too long to name files: it has {count} letters, {LONGEST} are possible")
    } else if report::check_file_name(name).is_err() {
        format!("`{}` cannot name a file", name.escape_debug())
    } else {
        return;
    };
    complaints.push(
        Complaint::new(format!("{path}.name"), message).help("use letters, digits, spaces and any of . _ + - = ( )"),
    );
}

/// Things of one kind, whose names must differ.
struct Kind {
    /// What they are called: curves.
    plural: &'static str,
    singular: &'static str,
    advice: &'static str,
    taken: Vec<(String, String)>,
}

impl Kind {
    fn new(singular: &'static str, plural: &'static str, advice: &'static str) -> Self {
        Self {
            plural,
            singular,
            advice,
            taken: vec![],
        }
    }

    fn add(&mut self, name: &str, path: String, complaints: &mut Vec<Complaint>) {
        check_file_name(name, &path, self.singular, complaints);
        if self.taken.iter().any(|(other, _)| other == name) {
            let message = format!("two {} are called `{}`", self.plural, name.escape_debug());
            complaints.push(Complaint::new(format!("{path}.name"), message).help(self.advice));
        }
        self.taken.push((name.to_owned(), path));
    }

    /// Complain about names that a run gives to further results of another entry.
    fn apart(&self, given: impl Fn(&str) -> bool, complaints: &mut Vec<Complaint>) {
        for (name, path) in &self.taken {
            let of = self.taken.iter().find(|(base, _)| {
                let suffix = name.strip_prefix(base.as_str()).and_then(|rest| rest.strip_prefix('-'));
                suffix.is_some_and(&given)
            });
            if let Some((base, _)) = of {
                let message = format!("`{name}` is what a run calls what follows from `{base}`");
                let advice = format!("choose another name, for instance `{}`", name.replace('-', "_"));
                complaints.push(Complaint::new(format!("{path}.name"), message).help(advice));
            }
        }
    }
}

/// Does a run put this behind the name of a curve for the further curves of its entry: `2`, `BP4a`, `SB30a-PD12b`, `or1`?
fn names_further_curve(suffix: &str) -> bool {
    suffix.split('-').all(|part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let rest = match part.len() - rest.len() {
            0 => rest.strip_prefix("or").unwrap_or(rest),
            _ => rest.trim_end_matches(['a', 'b']),
        };
        !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit())
    })
}

/// Check the names of everything that the study computes and draws.
pub(super) fn check_names(study: &Study, complaints: &mut Vec<Complaint>) {
    const REFERRED: &str = "give each curve a name of its own: tables and figures refer to it";
    const OWN: &str = "give each a name of its own: tables and figures refer to it";
    let mut curves = Kind::new("curve", "curves", REFERRED);
    let named = study.curves.iter().map(|c| &c.name).enumerate();
    for (i, name) in named {
        curves.add(name, format!("curves[{i}]"), complaints);
    }
    for (i, locus) in study.loci.iter().enumerate() {
        curves.add(&locus.name, format!("loci[{i}]"), complaints);
    }
    let traced = study.attractors.iter().enumerate().filter(|(_, a)| a.trace);
    for (i, sweep) in traced {
        let path = format!("attractors[{i}]");
        if let Some((name, _)) = curves.taken.iter().find(|(name, _)| *name == sweep.name) {
            let message = format!("a curve of this study is called `{name}`, too");
            let advice = "a sweep that traces orbits gives curves: give it a name of its own";
            complaints.push(Complaint::new(format!("{path}.name"), message).help(advice));
        }
        curves.taken.push((sweep.name.clone(), path));
    }
    curves.apart(names_further_curve, complaints);
    let mut simulations = Kind::new("simulation", "simulations", OWN);
    for (i, simulation) in study.simulations.iter().enumerate() {
        simulations.add(&simulation.name, format!("simulations[{i}]"), complaints);
    }
    if study.simulations.iter().any(|s| s.policy == PolicySpec::Both) {
        simulations.apart(|suffix| suffix.split('-').all(|f| ["stick", "slip"].contains(&f)), complaints);
    }
    let mut sweeps = Kind::new("sweep", "sweeps", OWN);
    for (i, sweep) in study.attractors.iter().enumerate() {
        sweeps.add(&sweep.name, format!("attractors[{i}]"), complaints);
    }
    let mut portraits = Kind::new("portrait", "portraits", OWN);
    for (i, portrait) in study.slow_fast.iter().enumerate() {
        portraits.add(&portrait.name, format!("slow_fast[{i}]"), complaints);
    }
    let mut distances = Kind::new("table", "tables of distances", OWN);
    for (i, table) in study.distances.iter().enumerate() {
        distances.add(&table.name, format!("distances[{i}]"), complaints);
    }
    let mut analyses = Kind::new("analysis", "analyses", OWN);
    for (i, analysis) in study.analyses.iter().enumerate() {
        analyses.add(analysis.name(), format!("analyses[{i}]"), complaints);
    }
    let mut figures = Kind::new("figure", "figures", "give each a name of its own: its files are called after it");
    for (i, figure) in study.figures.iter().enumerate() {
        figures.add(figure.name(), format!("figures[{i}]"), complaints);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_further_curves_are_recognised() {
        for suffix in ["2", "BP4a", "PD12", "SB30a-PD12b", "or1", "BP1a-2"] {
            assert!(names_further_curve(suffix), "{suffix}");
        }
        for suffix in ["", "soft", "a", "BP", "2nd", "SB30a-soft", "or", "eps-1e"] {
            assert!(!names_further_curve(suffix), "{suffix}");
        }
    }
}
