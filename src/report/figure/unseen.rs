//! What a figure asks for and a run does not have: it is drawn without it, and that is said.

use super::diagram;
use super::select::{ChosenOrbit, Expression, OrbitChoice, OrbitItem, rows_with_orbits};
use super::spec::{Diagram, Figure, Manifold, Marks};
use crate::RunData;
use crate::explore::rounded;

/// Something that a figure names and a run does not have.
///
/// ```
/// use slipstick_report::figure::{Figure, unseen};
/// use slipstick_report::{Kind, RunData, Table};
/// let mut data = RunData::default();
/// let columns = [("curve", Kind::Text), ("index", Kind::Number), ("label", Kind::Text), ("Omega", Kind::Number)];
/// data.points = Table::new(columns);
/// data.points.push_row(["slip".into(), 0usize.into(), "GR".into(), 2.0.into()])?;
/// data.orbits.insert(("slip".into(), 0), Table::new([("t", Kind::Number), ("x", Kind::Number)]));
/// let figure = Figure::from_ron(r#"Orbits(name: "orbits", of: ["slip: GR, LP"], panels: [Time("x")])"#).unwrap();
/// let found = unseen(&figure, &data);
/// assert_eq!((found.len(), found[0].curve.as_str()), (1, "slip"));
/// assert_eq!(found[0].reason, "figure `orbits` does not show `slip: LP`: the curve has no point with this label; it has orbits at 0 (GR)");
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The curve that lacks it.
    pub curve: String,
    /// Which figure, what of it, and why, in words.
    pub reason: String,
}

/// What a figure names and the run does not have, though it has the curve.
#[must_use]
pub fn unseen(figure: &Figure, data: &RunData) -> Vec<Unseen> {
    let mut found = vec![];
    search(figure, figure.name(), data, &mut found);
    found
}

fn search(figure: &Figure, name: &str, data: &RunData, found: &mut Vec<Unseen>) {
    match figure {
        Figure::Orbits(orbits) => choices(&orbits.of, name, data, found),
        Figure::Space(space) => choices(&space.orbits, name, data, found),
        Figure::Manifold(manifold) => {
            choices(&manifold.orbits, name, data, found);
            outside_of_the_plane(manifold, name, data, found);
        }
        Figure::Diagram(diagram) => without_numbers(diagram, name, data, found),
        Figure::Panels(sheet) => sheet.panels.iter().for_each(|panel| search(panel, name, data, found)),
        // They choose no points of curves.
        Figure::Trajectories(_) | Figure::Chart(_) | Figure::Basins(_) | Figure::Family(_) | Figure::Twins(_) => {}
    }
}

fn has_curve(data: &RunData, curve: &str) -> bool {
    data.points
        .texts("curve")
        .is_ok_and(|curves| curves.iter().any(|name| name == curve))
}

/// Choices of orbits that choose none.
fn choices(of: &[String], name: &str, data: &RunData, found: &mut Vec<Unseen>) {
    for choice in of.iter().map(|text| OrbitChoice::parse(text)) {
        let curve = &choice.curve;
        if !has_curve(data, curve) {
            continue;
        }
        let rows = rows_with_orbits(data, curve);
        let mut say = |what: &str, why: &str| {
            let reason = format!(
                "figure `{name}` does not show `{what}`: {why}; {}",
                there_are(&rows, data)
            );
            let curve = curve.clone();
            found.push(Unseen { curve, reason });
        };
        if choice.items.is_empty() && rows.is_empty() {
            say(curve, "the curve has no orbits to draw");
        }
        for item in &choice.items {
            if rows.iter().any(|orbit| orbit.is(item, data)) {
                continue;
            }
            let why = match item {
                OrbitItem::Label(_) => "the curve has no point with this label",
                OrbitItem::Level(..) => "the curve has no orbit at this level",
                OrbitItem::Index(_) => "the curve has no orbit at this point",
            };
            say(&format!("{curve}: {item}"), why);
        }
    }
}

/// The orbits that there are, with their labels and levels.
fn there_are(rows: &[ChosenOrbit<'_>], data: &RunData) -> String {
    /// More would be no help.
    const MOST: usize = 12;
    if rows.is_empty() {
        return "it has none".to_owned();
    }
    let curve = data.points.rows_where("curve", &rows[0].curve);
    let free = diagram::free_parameters(&curve);
    let level = |orbit: &ChosenOrbit<'_>| {
        let value = |name: &String| {
            let value = data.points.numbers(name).ok()?[orbit.row];
            Some(format!("{name}={}", rounded(value, 6)))
        };
        free.iter().filter_map(value).collect::<Vec<_>>()
    };
    let one = |orbit: &ChosenOrbit<'_>| {
        let mut words = vec![orbit.label.clone()];
        words.extend(level(orbit));
        words.retain(|word| !word.is_empty());
        format!("{} ({})", orbit.index, words.join(", "))
    };
    let mut all: Vec<String> = rows.iter().take(MOST).map(one).collect();
    if rows.len() > MOST {
        all.push(format!("and {} more", rows.len() - MOST));
    }
    format!("it has orbits at {}", all.join(", "))
}

/// Orbits over a portrait in whose plane they have no place, as a portrait's sections.
fn outside_of_the_plane(manifold: &Manifold, name: &str, data: &RunData, found: &mut Vec<Unseen>) {
    let chosen = manifold.orbits.iter().map(|text| OrbitChoice::parse(text));
    for choice in chosen {
        let lacks = |axis: &&String| {
            let known = |orbit: &ChosenOrbit<'_>| Expression::parse(axis).values(orbit.table).is_some();
            choice.find(data).first().is_some_and(|orbit| !known(orbit))
        };
        if let Some(axis) = [&manifold.x, &manifold.y].into_iter().find(lacks) {
            let reason = format!(
                "figure `{name}` does not show `{}`: orbits have no `{axis}`",
                choice.curve
            );
            let curve = choice.curve;
            found.push(Unseen { curve, reason });
        }
    }
}

/// Curves that a diagram names and that have no numbers in its columns, and labels of which it has no point to mark.
fn without_numbers(spec: &Diagram, name: &str, data: &RunData, found: &mut Vec<Unseen>) {
    let shown = diagram::curves(spec, data);
    let columns = diagram::columns(spec, data, &shown);
    for curve in spec.of.iter().filter(|curve| has_curve(data, curve)) {
        let rows = data.points.rows_where("curve", curve);
        let xs = Expression::parse(&spec.x).values(&rows).unwrap_or_default();
        let has = |column: &String| {
            let ys = Expression::parse(column).values(&rows).unwrap_or_default();
            xs.iter().zip(&ys).any(|(x, y)| x.is_finite() && y.is_finite())
        };
        if !columns.iter().any(has) {
            let columns: Vec<String> = std::iter::once(&spec.x)
                .chain(&spec.y.0)
                .map(|name| format!("`{name}`"))
                .collect();
            let reason = format!(
                "figure `{name}` does not show `{curve}`: no point of the curve has numbers in {}",
                columns.join(", ")
            );
            let curve = curve.clone();
            found.push(Unseen { curve, reason });
        }
    }
    let Marks::Only(wanted) = &spec.mark else { return };
    let (Ok(curves), Ok(labels)) = (data.points.texts("curve"), data.points.texts("label")) else {
        return;
    };
    let mine = || curves.iter().zip(labels).filter(|(curve, _)| shown.contains(curve));
    if !wanted.is_empty() && mine().next().is_some() && !mine().any(|(_, label)| wanted.contains(label)) {
        let mut there: Vec<&str> = vec![];
        for (_, label) in mine().filter(|(_, label)| !label.is_empty()) {
            if !there.contains(&label.as_str()) {
                there.push(label);
            }
        }
        let reason = format!(
            "figure `{name}` marks no points: none of its curves has {}; they have {}",
            wanted.join(" or "),
            if there.is_empty() {
                "none".to_owned()
            } else {
                there.join(", ")
            }
        );
        let curve = shown.join(", ");
        found.push(Unseen { curve, reason });
    }
}
