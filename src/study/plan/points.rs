//! Which points a curve can have, as far as that is known before it is traced.

use crate::plan::named_system::NamedSystem;
use crate::spec::curve::{CurveSpec, OrbitSpec};
use crate::spec::locus::LocusSpec;
use crate::text::complaint::Complaint;
use slipstick_bifurcation::Label;
use slipstick_report::figure::KnownPoints;
use std::collections::BTreeMap;

/// The points of a curve.
pub(crate) fn of_curve(curve: &CurveSpec, systems: &[NamedSystem]) -> KnownPoints {
    // What only orbits with events have.
    const OF_EVENTS: [Label; 4] = [Label::VS, Label::VT, Label::OV, Label::NU];
    let with_events = matches!(curve.orbit, OrbitSpec::Periodic(_) | OrbitSpec::Symmetric(_));
    let (of, others): (&str, &[Label]) = match curve.orbit {
        OrbitSpec::Equilibrium | OrbitSpec::EquilibriumIn(_) => ("equilibria", &[Label::PD, Label::NS, Label::SB]),
        OrbitSpec::FixedPoint | OrbitSpec::Cycle(_) => {
            ("points of a map", &[Label::HB, Label::SB, Label::TF, Label::CT])
        }
        OrbitSpec::PeriodicOrbit => ("periodic orbits without events", &[Label::SB, Label::TF, Label::CT]),
        OrbitSpec::Periodic(_) => ("periodic orbits without a symmetry", &[Label::SB]),
        OrbitSpec::Symmetric(_) => ("periodic orbits", &[]),
    };
    let of_events = OF_EVENTS.iter().filter(|_| !with_events);
    let never = others.iter().chain(of_events);
    KnownPoints {
        of: of.to_owned(),
        never: never.map(|label| label.code().to_owned()).collect(),
        at: curve.levels.clone(),
        ends: ends(&curve.within, [(&curve.free, curve.range)]),
        fixed: fixed(curve.system.as_deref(), &[&curve.free], systems),
    }
}

/// The points of a two-parameter curve that starts from points of the curve `from`.
pub(crate) fn of_locus(locus: &LocusSpec, from: Option<&CurveSpec>, systems: &[NamedSystem]) -> KnownPoints {
    let (first, second) = (&locus.free.0, &locus.free.1);
    KnownPoints {
        of: "points that two parameters move".to_owned(),
        never: vec![],
        at: locus.levels.clone(),
        ends: ends(&locus.within, [(first, locus.range.0), (second, locus.range.1)]),
        fixed: fixed(
            from.and_then(|curve| curve.system.as_deref()),
            &[first, second],
            systems,
        ),
    }
}

/// Does a curve start where its free parameter, in this column, has this value?
pub(crate) fn starts_at(curve: &CurveSpec, systems: &[NamedSystem], column: &str, value: f64) -> bool {
    let of = systems
        .iter()
        .find(|known| known.name == curve.system.as_deref().unwrap_or_default());
    let given = curve.start.at().get(column).or_else(|| curve.set.get(column)).copied();
    let own = || {
        let system = &of?.system;
        Some(system.default_parameters()[system.parameter(column)?])
    };
    column == curve.free && (curve.start.brings_parameters() || given.or_else(own) == Some(value))
}

/// The ends of intervals, where curves end with a point.
fn ends<'a, const N: usize>(
    within: &'a BTreeMap<String, (f64, f64)>,
    ranges: [(&'a String, (f64, f64)); N],
) -> BTreeMap<String, Vec<f64>> {
    let within = within.iter().map(|(name, range)| (name, *range));
    let all = within.chain(ranges);
    all.map(|(name, (low, high))| (name.clone(), vec![low, high])).collect()
}

/// The parameters of a system that are not free.
fn fixed(system: Option<&str>, free: &[&String], systems: &[NamedSystem]) -> Vec<String> {
    let of = systems.iter().find(|known| known.name == system.unwrap_or_default());
    let all = of.into_iter().flat_map(|known| &known.system.parameters);
    let names = all.map(|parameter| parameter.name.clone());
    names.filter(|name| !free.contains(&name)).collect()
}

/// A complaint with the help that stands behind the semicolon of what is known of points.
pub(crate) fn refused(path: &str, why: &str) -> Complaint {
    let (message, help) = why.split_once("; ").unwrap_or((why, ""));
    Complaint::new(path, message).help(help)
}
