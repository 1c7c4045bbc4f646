//! Points of a structure: places whose displacements are sums of those of the coordinates.

use crate::plan::declared::mechanical::reader::Reader;
use crate::plan::system::frame::quoted;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::mechanical::MechanicalSpec;
use crate::spec::system::named::{Named, Number};
use slipstick_system::text::{Symbolic, plain_name};

/// A point.
pub(crate) struct Point {
    pub(crate) name: String,
    /// What each coordinate contributes to its displacement, and how much that is at the default parameters.
    pub(crate) shape: Vec<(Symbolic, f64)>,
}

/// What elements can be on: the coordinates, numbered first, and behind them the points.
pub(crate) struct Points {
    pub(crate) coordinates: Vec<String>,
    pub(crate) velocities: Vec<String>,
    pub(crate) all: Vec<Point>,
}

impl Points {
    /// Read the points.
    pub(crate) fn read(spec: &MechanicalSpec, names: (Vec<String>, Vec<String>), reader: &mut Reader<'_>) -> Self {
        let (coordinates, velocities) = names;
        let n = coordinates.len();
        let mut all = vec![];
        for (name, given) in spec.points.iter() {
            let key = format!("points.{}", quoted(name));
            let before = reader.errors.len();
            let mut shape = vec![(Symbolic::number(0.0), 0.0); n];
            for (coordinate, part) in given.iter() {
                let key = format!("{key}.{}", quoted(coordinate));
                let part = reader.constant(part, &key);
                match index(coordinate, &coordinates) {
                    Some(i) => shape[i] = (part.clone(), reader.value(&part).unwrap_or(0.0)),
                    None => reader.unknown(&format!("{key}#"), "coordinate", coordinate, coordinates.clone()),
                }
            }
            let name = plain_name(name);
            if reader.errors.len() == before && shape.iter().all(|(_, value)| *value == 0.0) {
                reader.fault(&key, MechanicalFault::FixedPoint { point: name.clone() });
            }
            all.push(Point { name, shape });
        }
        Self {
            coordinates,
            velocities,
            all,
        }
    }

    /// How all of them are called.
    pub(crate) fn names(&self) -> Vec<String> {
        let points = self.all.iter().map(|point| point.name.clone());
        self.coordinates.iter().cloned().chain(points).collect()
    }

    /// The point with this number, if it is none of a coordinate.
    pub(crate) fn point(&self, place: usize) -> Option<&Point> {
        self.all.get(place.checked_sub(self.coordinates.len())?)
    }

    /// What the coordinates contribute to the displacement of a place, with values at the default parameters.
    pub(crate) fn shape(&self, place: usize) -> Vec<(Symbolic, f64)> {
        match self.point(place) {
            Some(point) => point.shape.clone(),
            None => {
                let own = |i| if i == place { 1.0 } else { 0.0 };
                let numbers = (0..self.coordinates.len()).map(own);
                numbers.map(|one| (Symbolic::number(one), one)).collect()
            }
        }
    }

    /// The value at a place of something that is known of each coordinate.
    pub(crate) fn at(&self, place: usize, of_coordinates: &[Symbolic]) -> Symbolic {
        match self.point(place) {
            Some(point) => sum_of(point.shape.iter().map(|(part, _)| part).zip(of_coordinates)),
            None => of_coordinates[place].clone(),
        }
    }

    /// The coordinates as formulas.
    pub(crate) fn coordinates_by_name(&self) -> Vec<Symbolic> {
        named(&self.coordinates)
    }

    /// Displacement and velocity of a place.
    pub(crate) fn displacement(&self, place: usize) -> Symbolic {
        self.at(place, &named(&self.coordinates))
    }

    pub(crate) fn velocity(&self, place: usize) -> Symbolic {
        self.at(place, &named(&self.velocities))
    }

    /// Add a force at a place to those on the coordinates.
    pub(crate) fn push(&self, place: usize, force: &Symbolic, loads: &mut [Symbolic]) {
        let Some(point) = self.point(place) else {
            loads[place] = loads[place].clone() + force.clone();
            return;
        };
        for (load, (part, _)) in loads.iter_mut().zip(&point.shape) {
            *load = load.clone() + part.clone() * force.clone();
        }
    }
}

/// The number of the coordinate or point of this name.
pub(crate) fn index(name: &str, coordinates: &[String]) -> Option<usize> {
    let plain = plain_name(name);
    coordinates.iter().position(|c| *c == plain)
}

/// The sum of the products of pairs.
pub(crate) fn sum_of<'a>(pairs: impl Iterator<Item = (&'a Symbolic, &'a Symbolic)>) -> Symbolic {
    pairs.fold(Symbolic::number(0.0), |sum, (a, b)| sum + a.clone() * b.clone())
}

/// Formulas of names.
pub(crate) fn named(names: &[String]) -> Vec<Symbolic> {
    names.iter().map(|name| Symbolic::name(name)).collect()
}

/// Displacements and velocities of the points as definitions, for formulas of the study.
pub(crate) fn definitions(spec: &MechanicalSpec, velocities: &[String]) -> Vec<(String, String)> {
    let written = |part: &Number| match part {
        Number::Value(value) => Some(Symbolic::number(*value)),
        // One that is wrong is said of its own place.
        Number::Formula(text) => Symbolic::parse(text).ok(),
    };
    let sum = |given: &Named<Number>, name: &dyn Fn(&str) -> Option<String>| {
        let terms = given
            .iter()
            .filter_map(|(coordinate, part)| Some((written(part)?, name(coordinate)?)));
        let zero = Symbolic::number(0.0);
        terms
            .fold(zero, |sum, (part, name)| sum + part * Symbolic::name(&name))
            .to_string()
    };
    let coordinates: Vec<String> = spec.coordinates.iter().map(|name| plain_name(name)).collect();
    let own = |name: &str| index(name, &coordinates).map(|i| coordinates[i].clone());
    let velocity = |name: &str| index(name, &coordinates).and_then(|i| velocities.get(i).cloned());
    let both = spec.points.iter().flat_map(|(name, given)| {
        let name = plain_name(name);
        [
            (name.clone(), sum(given, &own)),
            (format!("v_{name}"), sum(given, &velocity)),
        ]
    });
    both.collect()
}
