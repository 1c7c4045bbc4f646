//! Masses, springs, dampers and forces: what there is without contacts.

use crate::plan::declared::mechanical::inverse::{inverse, pivots};
use crate::plan::declared::mechanical::points::{Points, index, named};
use crate::plan::declared::mechanical::reader::{Made, Reader};
use crate::plan::system::frame::quoted;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::mechanical::{AgainstSpec, MatrixSpec, MechanicalSpec};
use crate::spec::system::named::{Named, Number};
use slipstick_system::text::{Symbolic, plain_name};

/// A matrix of formulas.
pub(crate) type Matrix = Vec<Vec<Symbolic>>;

/// The coordinates, their inertia and what acts on them apart from contacts.
pub(crate) struct Structure {
    pub(crate) coordinates: Vec<String>,
    pub(crate) velocities: Vec<String>,
    /// Where elements can be.
    pub(crate) points: Points,
    pub(crate) mass: Matrix,
    /// The inverse of the mass matrix.
    pub(crate) mobility: Matrix,
    /// The force on each coordinate.
    pub(crate) loads: Vec<Symbolic>,
    /// Kinetic energy and that of springs.
    pub(crate) energy: Symbolic,
}

/// The names of the coordinates and of their velocities.
pub(crate) fn names(spec: &MechanicalSpec) -> (Vec<String>, Vec<String>) {
    let coordinates: Vec<String> = spec.coordinates.iter().map(|name| plain_name(name)).collect();
    let velocities = if spec.velocities.is_empty() {
        coordinates.iter().map(|name| format!("v_{name}")).collect()
    } else {
        spec.velocities.iter().map(|name| plain_name(name)).collect()
    };
    (coordinates, velocities)
}

impl Structure {
    /// Read it.
    pub(crate) fn read(spec: &MechanicalSpec, reader: &mut Reader<'_>, made: &mut Made) -> Self {
        let (coordinates, velocities) = names(spec);
        let n = coordinates.len();
        let mass = mass(spec, reader, &coordinates);
        let stiffness = matrix(spec.K.as_ref(), "K", reader, &coordinates);
        let damping = matrix(spec.C.as_ref(), "C", reader, &coordinates);
        let points = Points::read(spec, (coordinates.clone(), velocities.clone()), reader);
        let (x, v) = (named(&coordinates), named(&velocities));
        let mut loads = forces(spec, reader, &points);
        let mut energy = quadratic(&mass, &v) + quadratic(&stiffness, &x);
        for i in 0..n {
            let mut load = loads[i].clone();
            for j in 0..n {
                load = load - damping[i][j].clone() * v[j].clone() - stiffness[i][j].clone() * x[j].clone();
            }
            loads[i] = load;
        }
        for (k, spring) in spec.springs.iter().enumerate() {
            let key = format!("springs[{k}]");
            let ends = ends(&spring.on, &spring.against, &key, "a spring", &points.names(), reader);
            let stiffness = reader.constant(&spring.stiffness, &format!("{key}.stiffness"));
            let damping = reader.constant(&spring.damping, &format!("{key}.damping"));
            let Some((on, against)) = ends else { continue };
            let across = |of: &[Symbolic]| match against {
                Some(other) => points.at(on, of) - points.at(other, of),
                None => points.at(on, of),
            };
            let force = stiffness.clone() * across(&x) + damping * across(&v);
            points.push(on, &-force.clone(), &mut loads);
            if let Some(other) = against {
                points.push(other, &force, &mut loads);
            }
            energy = energy + stiffness * across(&x).power(Symbolic::number(2.0)) / Symbolic::number(2.0);
        }
        let given = |i: usize| spec.forces.iter().any(|(name, _)| plain_name(name) == coordinates[i]);
        let loads = (0..n)
            .map(|i| {
                let source = if given(i) {
                    format!("forces.{}", coordinates[i])
                } else {
                    "coordinates".to_owned()
                };
                made.define(&format!("force_{}", coordinates[i]), loads[i].clone(), &source)
            })
            .collect();
        let mobility = if reader.errors.is_empty() {
            inverse(&mass, made)
        } else {
            mass.clone()
        };
        Self {
            coordinates,
            velocities,
            points,
            mass,
            mobility,
            loads,
            energy,
        }
    }
}

/// xᵀ A x / 2.
fn quadratic(matrix: &Matrix, x: &[Symbolic]) -> Symbolic {
    let number = Symbolic::number;
    let mut sum = number(0.0);
    for i in 0..x.len() {
        sum = sum + matrix[i][i].clone() * x[i].clone().power(number(2.0)) / number(2.0);
        for j in 0..i {
            let both = (matrix[i][j].clone() + matrix[j][i].clone()) / number(2.0);
            sum = sum + both * x[i].clone() * x[j].clone();
        }
    }
    sum
}

fn forces(spec: &MechanicalSpec, reader: &mut Reader<'_>, points: &Points) -> Vec<Symbolic> {
    let mut all = vec![Symbolic::number(0.0); points.coordinates.len()];
    let names = points.names();
    for (name, force) in spec.forces.iter() {
        let key = format!("forces.{}", quoted(name));
        let force = reader.formula(force, &key);
        match index(name, &names) {
            Some(place) => points.push(place, &force, &mut all),
            None => reader.unknown(&format!("{key}#"), "coordinate", name, names.clone()),
        }
    }
    all
}

/// The coordinates at both ends of an element at `key` that cannot end in a belt; none for the ground.
pub(crate) fn ends(
    on: &str,
    against: &AgainstSpec,
    key: &str,
    what: &'static str,
    coordinates: &[String],
    reader: &mut Reader<'_>,
) -> Option<(usize, Option<usize>)> {
    if matches!(against, AgainstSpec::Belt(_)) {
        reader.fault(&format!("{key}.against"), MechanicalFault::NoBelt { what });
    }
    let find = |name: &str, place: &str, reader: &mut Reader<'_>| {
        let found = index(name, coordinates);
        if found.is_none() {
            reader.unknown(&format!("{key}.{place}"), "coordinate", name, coordinates.to_vec());
        }
        found
    };
    let on = find(on, "on", reader);
    let other = match against {
        AgainstSpec::Coordinate(name) => Some(find(name, "against", reader)?),
        AgainstSpec::Ground | AgainstSpec::Belt(_) => None,
    };
    let on = on?;
    if other == Some(on) {
        let coordinate = coordinates[on].clone();
        reader.fault(&format!("{key}.against"), MechanicalFault::SameBody { coordinate });
        return None;
    }
    Some((on, other))
}

/// The mass matrix, checked at the default parameters.
fn mass(spec: &MechanicalSpec, reader: &mut Reader<'_>, coordinates: &[String]) -> Matrix {
    let n = coordinates.len();
    let Some(given) = &spec.M else {
        return masses(&spec.masses, reader, coordinates);
    };
    if !spec.masses.is_empty() {
        reader.fault("M", MechanicalFault::TwoMasses);
    }
    let before = reader.errors.len();
    let mut mass = matrix(Some(given), "M", reader, coordinates);
    if reader.errors.len() > before {
        return mass;
    }
    let values: Vec<Vec<f64>> = mass
        .iter()
        .map(|row| {
            row.iter()
                .map(|entry| reader.value(entry).unwrap_or(f64::NAN))
                .collect()
        })
        .collect();
    let place = |i: usize| match given {
        MatrixSpec::Rows(_) => format!("M[{i}]"),
        MatrixSpec::Entries(entries) => match entries.get(&coordinates[i]) {
            Some(_) => format!("M.{}", quoted(&coordinates[i])),
            None => "M".to_owned(),
        },
    };
    for i in 0..n {
        for j in 0..i {
            let (a, b) = (values[i][j], values[j][i]);
            if mass[i][j] != mass[j][i] && !((a - b).abs() <= 1e-12 * a.abs().max(b.abs())) {
                let (row, column) = (coordinates[i].clone(), coordinates[j].clone());
                reader.fault(&place(i), MechanicalFault::NotSymmetric { row, column });
            }
            mass[j][i] = mass[i][j].clone();
        }
    }
    if reader.errors.len() == before {
        let pivots = pivots(&values);
        // What is left of a singular matrix is rounding.
        let positive = |i: usize| pivots[i] > 1e-13 * values[i][i].abs();
        if let Some(i) = (0..n).find(|&i| !positive(i)) {
            let (coordinate, pivot) = (coordinates[i].clone(), pivots[i]);
            reader.fault(&place(i), MechanicalFault::NotPositive { coordinate, pivot });
        }
        for (i, row) in mass.iter().enumerate() {
            reader.require(&Symbolic::number(0.0).less(row[i].clone()));
        }
    }
    mass
}

fn masses(masses: &Named<Number>, reader: &mut Reader<'_>, coordinates: &[String]) -> Matrix {
    let n = coordinates.len();
    let mut all = vec![vec![Symbolic::number(0.0); n]; n];
    let mut given = vec![false; n];
    for (name, mass) in masses.iter() {
        let key = format!("masses.{}", quoted(name));
        let before = reader.errors.len();
        let mass = reader.constant(mass, &key);
        let Some(i) = index(name, coordinates) else {
            reader.unknown(&format!("{key}#"), "coordinate", name, coordinates.to_vec());
            continue;
        };
        if reader.errors.len() == before
            && let Some(pivot) = reader.value(&mass).filter(|value| !(*value > 0.0))
        {
            let coordinate = coordinates[i].clone();
            reader.fault(&key, MechanicalFault::NotPositive { coordinate, pivot });
        }
        given[i] = true;
        reader.require(&Symbolic::number(0.0).less(mass.clone()));
        all[i][i] = mass;
    }
    let missing = (0..n).filter(|&i| !given[i]).map(|i| coordinates[i].clone());
    let coordinates: Vec<String> = missing.collect();
    if !coordinates.is_empty() {
        let key = if masses.is_empty() { "coordinates" } else { "masses" };
        reader.fault(key, MechanicalFault::NoMass { coordinates });
    }
    all
}

/// A matrix at `key`; zero if it is left out.
fn matrix(given: Option<&MatrixSpec>, key: &str, reader: &mut Reader<'_>, coordinates: &[String]) -> Matrix {
    let n = coordinates.len();
    let mut all: Vec<Vec<Option<Symbolic>>> = vec![vec![None; n]; n];
    match given {
        None => {}
        Some(MatrixSpec::Rows(rows)) => {
            let length = |what, found, key: &str, reader: &mut Reader<'_>| {
                if found != n {
                    let expected = n;
                    reader.fault(key, MechanicalFault::Length { what, found, expected });
                }
            };
            length("the matrix", rows.len(), key, reader);
            for (i, row) in rows.iter().enumerate() {
                length("the row", row.len(), &format!("{key}[{i}]"), reader);
                for (j, entry) in row.iter().enumerate() {
                    let entry = reader.constant(entry, &format!("{key}[{i}][{j}]"));
                    if i < n && j < n {
                        all[i][j] = Some(entry);
                    }
                }
            }
        }
        Some(MatrixSpec::Entries(rows)) => {
            for (row, entries) in rows.iter() {
                let key = format!("{key}.{}", quoted(row));
                let i = index(row, coordinates);
                if i.is_none() {
                    reader.unknown(&format!("{key}#"), "coordinate", row, coordinates.to_vec());
                }
                for (column, entry) in entries.iter() {
                    let key = format!("{key}.{}", quoted(column));
                    let entry = reader.constant(entry, &key);
                    match (i, index(column, coordinates)) {
                        (_, None) => reader.unknown(&format!("{key}#"), "coordinate", column, coordinates.to_vec()),
                        (Some(i), Some(j)) => all[i][j] = Some(entry),
                        (None, _) => {}
                    }
                }
            }
            for i in 0..n {
                for j in 0..n {
                    if all[i][j].is_none() {
                        all[i][j] = all[j][i].clone();
                    }
                }
            }
        }
    }
    let filled = |entry: Option<Symbolic>| entry.unwrap_or_else(|| Symbolic::number(0.0));
    all.into_iter()
        .map(|row| row.into_iter().map(filled).collect())
        .collect()
}
