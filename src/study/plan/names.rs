//! Names of what a study computes: each becomes a file, tables and figures refer to it, so each is fit for a file and
//! used once.

use crate::spec::curve::{CurveSpec, SwitchSpec};
use crate::spec::simulation::PolicySpec;
use crate::spec::study::Study;
use crate::text::complaint::Complaint;
use slipstick_report::figure::Figure;

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
    } else if slipstick_report::check_file_name(name).is_err() {
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
    pub(crate) fn new(singular: &'static str, plural: &'static str, advice: &'static str) -> Self {
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
                let message = format!("`{name}` is reserved: the run gives this name to a curve derived from `{base}`");
                let advice = format!("choose another name, for instance `{}`", name.replace('-', "_"));
                complaints.push(Complaint::new(format!("{path}.name"), message).help(advice));
            }
        }
    }
}

/// What a run puts behind the name of a curve for a further curve of its entry.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    /// `2`: through a further start.
    Start,
    /// `BP4a`: a branch that leaves at this label.
    Branch(&'a str),
    /// `or1`: where an orbit can go on in several words.
    Word,
}

/// The parts of `2`, `BP4a`, `SB30a-PD12b`, `or1`; `None` when a run gives no such name.
fn parts(suffix: &str) -> Option<Vec<Part<'_>>> {
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let part = |text| -> Option<Part<'_>> {
        if number(text) {
            return Some(Part::Start);
        }
        if text.strip_prefix("or").is_some_and(number) {
            return Some(Part::Word);
        }
        let rest = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let label = &text[..text.len() - rest.len()];
        let rest = rest.strip_suffix(['a', 'b']).unwrap_or(rest);
        (label.len() == 2 && number(rest)).then_some(Part::Branch(label))
    };
    suffix.split('-').map(part).collect()
}

/// Can a curve of the study branch off at these labels, one after the other? `path` is the place that says so.
fn possible_branch<'a>(
    curve: &CurveSpec,
    labels: impl IntoIterator<Item = &'a str>,
    path: &str,
) -> Result<(), Complaint> {
    let followed: Vec<String> = curve.branches.iter().map(|label| format!("{label:?}")).collect();
    let mut count = 0;
    for label in labels {
        if !followed.iter().any(|l| l == label) {
            let name = &curve.name;
            let message = if ["SB", "PD", "BP"].contains(&label) {
                format!("curve `{name}` does not trace branches at {label}: add {label} to its `branches`")
            } else {
                format!("there are no branches at {label}: branches are traced at SB, PD and BP")
            };
            return Err(Complaint::new(path, message));
        }
        count += 1;
    }
    if count > curve.generations {
        let message = format!(
            "curve `{}` follows {} generation{} of branches, and this is one of generation {count}: raise its `generations`",
            curve.name,
            curve.generations,
            if curve.generations == 1 { "" } else { "s" }
        );
        return Err(Complaint::new(path, message));
    }
    Ok(())
}

/// Is `name`, which stands at `path`, that of a further curve, which a run may give though no entry of the study is
/// called so? A complaint if it can never be; `None` if it begins with no name of the study.
pub(crate) fn further_curve(study: &Study, name: &str, path: &str) -> Option<Result<(), Complaint>> {
    let after = |base: &str| name.strip_prefix(base)?.strip_prefix('-');
    let starts_only = |base: &str| Some(parts(after(base)?)?.iter().all(|part| *part == Part::Start));
    let mut others = (study.loci.iter().map(|l| l.name.as_str()))
        .chain(study.attractors.iter().filter(|a| a.trace).map(|a| a.name.as_str()));
    if others.any(|base| starts_only(base) == Some(true)) {
        return Some(Ok(()));
    }
    let bases = study.curves.iter().filter(|c| after(&c.name).is_some());
    let curve = bases.max_by_key(|c| c.name.len())?;
    Some(further_of(curve, name, path))
}

/// Can a run call what follows from a curve by this name, which stands at `path`?
pub(crate) fn further_of(curve: &CurveSpec, name: &str, path: &str) -> Result<(), Complaint> {
    let suffix = name.strip_prefix(&curve.name).and_then(|rest| rest.strip_prefix('-'));
    let Some(parts) = suffix.and_then(parts) else {
        let message = format!(
            "no run produces a curve `{name}`: the curves derived from `{0}` are `{0}-2` (from a second start), `{0}-BP1a` (branching off at the first BP), and so on",
            curve.name
        );
        return Err(Complaint::new(path, message));
    };
    if parts.contains(&Part::Word) && curve.switch != SwitchSpec::Auto {
        let message = format!(
            "curve `{}` ends where its word stops being valid: set `switch: Auto`",
            curve.name
        );
        return Err(Complaint::new(path, message));
    }
    let labels = parts.iter().filter_map(|part| match part {
        Part::Branch(label) => Some(*label),
        _ => None,
    });
    possible_branch(curve, labels, path)
}

/// Check the names of everything that the study computes and draws.
pub(crate) fn check_names(study: &Study, complaints: &mut Vec<Complaint>) {
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
    curves.apart(|suffix| parts(suffix).is_some(), complaints);
    let mut simulations = Kind::new("simulation", "simulations", OWN);
    for (i, simulation) in study.simulations.iter().enumerate() {
        simulations.add(&simulation.name, format!("simulations[{i}]"), complaints);
    }
    if study.simulations.iter().any(|s| s.policy == PolicySpec::Both) {
        simulations.apart(
            |suffix| suffix.split('-').all(|f| ["stick", "slip"].contains(&f)),
            complaints,
        );
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
    let mut tasks = Kind::new("task", "tasks", OWN);
    for (i, task) in study.tasks.iter().enumerate() {
        tasks.add(task.name(), format!("tasks[{i}]"), complaints);
    }
    let mut figures = Kind::new(
        "figure",
        "figures",
        "give each a name of its own: its files are called after it",
    );
    for (i, figure) in study.figures.iter().enumerate() {
        figures.add(figure.name(), format!("figures[{i}]"), complaints);
        // Pictures of cells lie beside the drawings.
        let of_cells = |other: &&Figure| {
            let rest = figure.name().strip_prefix(other.name());
            let number = rest.and_then(|rest| rest.strip_prefix("-cells"));
            number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit())) && other.has_cells()
        };
        if let Some(other) = study.figures.iter().find(of_cells) {
            let name = figure.name();
            let message = format!(
                "`{name}` is reserved: the cells of figure `{}` are in `{name}.png`",
                other.name()
            );
            let advice = format!("choose another name, for instance `{}`", name.replace('-', "_"));
            complaints.push(Complaint::new(format!("figures[{i}].name"), message).help(advice));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_further_curves_are_recognised() {
        for suffix in ["2", "BP4a", "PD12", "SB30a-PD12b", "or1", "BP1a-2"] {
            assert!(parts(suffix).is_some(), "{suffix}");
        }
        for suffix in [
            "",
            "soft",
            "a",
            "BP",
            "2nd",
            "SB30a-soft",
            "or",
            "eps-1e",
            "BP1ab",
            "BPX",
        ] {
            assert_eq!(parts(suffix), None, "{suffix}");
        }
        assert_eq!(parts("SB1a-2"), Some(vec![Part::Branch("SB"), Part::Start]));
    }
}
