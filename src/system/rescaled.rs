//! The same system in other units of its states, of time and of its guards.
//!
//! What is computed knows numbers that are no system's own: when a guard is zero, how exactly a motion is followed that
//! passes zero, how long one waits. A system whose sizes are far from one is therefore expressed in units in which they
//! are about one. All units are powers of two, so that the change of units rounds nothing.

use super::function::{Function, SharedFunction};
use super::hybrid::{Event, Inequality, Mode, Observable, Symmetry, System};
use super::monitor::{Measure, OrbitMonitor, Quantity};
use super::statistic::Rule;
use super::structure::Structure;
use super::text::Corners;
use super::units::Units;
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, NarrowGradient, Second, Third};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

/// A function of arguments in other units, with values in other units: it is given `x` times `arguments`, and gives
/// what comes out times `values`.
struct InUnits {
    function: SharedFunction,
    arguments: Vec<f64>,
    values: Vec<f64>,
    corners: Option<Corners>,
}

macro_rules! in_units {
    ($($name:ident: $number:ty),*) => {
        $(fn $name(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
            let x: SmallVec<[$number; 8]> = x.iter().zip(&self.arguments).map(|(x, unit)| *x * *unit).collect();
            self.function.$name(&x, p, out);
            for (out, unit) in out.iter_mut().zip(&self.values) {
                let value = *out;
                *out = value * *unit;
            }
        })*
    };
}

impl Function for InUnits {
    fn outputs(&self) -> usize {
        self.function.outputs()
    }
    in_units!(value: f64, gradient: Gradient, narrow_gradient: NarrowGradient, hessian: Hessian, second: Second, third: Third,
        affine: Affine<f64>, affine_gradient: Affine<Gradient>);
    fn corners(&self) -> Option<&Corners> {
        self.corners.as_ref()
    }
    fn structure(&self) -> Option<&Structure> {
        self.function.structure()
    }
    fn breaks(&self) -> Vec<SharedFunction> {
        let own = |function: SharedFunction| -> SharedFunction {
            Arc::new(Self {
                values: vec![1.0; function.outputs()],
                function,
                arguments: self.arguments.clone(),
                corners: None,
            })
        };
        self.function.breaks().into_iter().map(own).collect()
    }
}

impl System {
    /// The same system expressed in these units, with guards and conditions divided by what `size` says of each.
    ///
    /// Motions are the same: what a state is in its own units, it is here times its unit. Parameters and observables
    /// keep theirs.
    #[must_use]
    pub fn in_units(&self, units: Units, size: &dyn Fn(usize, &SharedFunction) -> f64) -> Self {
        let own = |mode: &Mode| -> Vec<f64> { mode.states.iter().map(|&s| units.state(s)).collect() };
        let rescaled = |function: &SharedFunction, arguments: Vec<f64>, values: Vec<f64>| -> SharedFunction {
            if arguments.iter().chain(&values).all(|&unit| unit == 1.0) {
                return function.clone();
            }
            Arc::new(InUnits {
                function: function.clone(),
                corners: function.corners().map(|corners| corners.in_units(&arguments, &values)),
                arguments,
                values,
            })
        };
        let inverse = |units: Vec<f64>| -> Vec<f64> { units.into_iter().map(f64::recip).collect() };
        let of_mode = |(number, mode): (usize, &Mode)| {
            let of = own(mode);
            // Events that share a guard go on sharing it.
            let mut known: Vec<(SharedFunction, SharedFunction)> = vec![];
            let mut scalar = |function: &SharedFunction| {
                if let Some((_, new)) = known.iter().find(|(old, _)| Arc::ptr_eq(old, function)) {
                    return new.clone();
                }
                let new = rescaled(function, of.clone(), vec![size(number, function).recip()]);
                known.push((function.clone(), new.clone()));
                new
            };
            let mut condition = |i: &Inequality| Inequality {
                function: scalar(&i.function),
                ..i.clone()
            };
            let inequalities = mode.inequalities.iter().map(&mut condition).collect();
            let surfaces = mode.surfaces.iter();
            let surfaces = surfaces.map(|f| rescaled(f, of.clone(), vec![1.0])).collect();
            let conditions: Vec<Vec<Inequality>> = mode
                .events
                .iter()
                .map(|e| e.when.iter().map(&mut condition).collect())
                .collect();
            let events = mode.events.iter().zip(conditions).map(|(event, when)| Event {
                guard: scalar(&event.guard),
                when,
                reset: event
                    .reset
                    .as_ref()
                    .map(|reset| rescaled(reset, of.clone(), inverse(own(&self.modes[event.target])))),
                ..event.clone()
            });
            let events = events.collect();
            let rates = of.iter().map(|unit| units.time / unit).collect();
            let absent = (0..self.states.len()).filter(|i| !mode.states.contains(i));
            let absent: Vec<f64> = absent.map(|i| units.state(i)).collect();
            Mode {
                absent: mode.absent.as_ref().map(|f| rescaled(f, of.clone(), inverse(absent))),
                field: rescaled(&mode.field, of.clone(), rates),
                events,
                inequalities,
                surfaces,
                exact: mode.exact.as_ref().map(|f| {
                    let arguments = of.iter().copied().chain([units.time]).collect();
                    rescaled(f, arguments, inverse(of.clone()))
                }),
                ..mode.clone()
            }
        };
        let in_modes = |by_mode: &[SharedFunction]| -> Vec<SharedFunction> {
            let modes = by_mode.iter().zip(&self.modes);
            modes.map(|(f, mode)| rescaled(f, own(mode), vec![1.0])).collect()
        };
        let observed = |o: &Observable| Observable {
            by_mode: in_modes(&o.by_mode),
            ..o.clone()
        };
        let quantity = |of: &Quantity| match of {
            Quantity::Formula(by_mode) => Quantity::Formula(in_modes(by_mode)),
            of => of.clone(),
        };
        let monitored = |m: &OrbitMonitor| OrbitMonitor {
            measure: match &m.measure {
                Measure::Duration(modes) => Measure::Duration(modes.clone()),
                Measure::At(place, of) => Measure::At(place.clone(), quantity(of)),
                Measure::Over(statistic, of) => Measure::Over(*statistic, quantity(of)),
                Measure::Sum(terms) => Measure::Sum(
                    terms
                        .iter()
                        .map(|(events, of)| (events.clone(), quantity(of)))
                        .collect(),
                ),
            },
            name: m.name.clone(),
        };
        let mirrored = |s: &Symmetry| Symmetry {
            shift: s
                .shift
                .iter()
                .enumerate()
                .map(|(i, shift)| shift / units.state(i))
                .collect(),
            ..s.clone()
        };
        let started: Vec<f64> = if self.start.is_of_system() {
            (0..self.states.len()).map(|s| units.state(s)).collect()
        } else {
            own(&self.modes[self.start.mode()])
        };
        let start = self.start.with(|states| rescaled(states, vec![], inverse(started)));
        Self {
            modes: self.modes.iter().enumerate().map(of_mode).collect(),
            symmetry: self.symmetry.as_ref().map(mirrored),
            observables: self.observables.iter().map(observed).collect(),
            monitors: self.monitors.iter().map(monitored).collect(),
            start,
            units: units.clone(),
            ..self.clone()
        }
    }

    /// What the states of a mode are expressed in.
    pub fn units_of_mode(&self, mode: usize) -> Vec<f64> {
        self.modes[mode].states.iter().map(|&s| self.units.state(s)).collect()
    }

    /// What a column of tables is expressed in: the period, an extreme of a state, a monitor.
    pub fn unit_of_column(&self, column: &str) -> f64 {
        self.unit(column, &|name| self.state(name))
    }

    /// As [`System::unit_of_column`], of many columns.
    pub fn units_of_columns(&self, columns: &[String]) -> Vec<f64> {
        let states = self.states.iter().zip(0..);
        let places: HashMap<&str, usize> = states.map(|(s, k)| (s.name.as_str(), k)).collect();
        let unit = |column: &String| self.unit(column, &|name| places.get(name).copied());
        columns.iter().map(unit).collect()
    }

    fn unit(&self, column: &str, place: &dyn Fn(&str) -> Option<usize>) -> f64 {
        let of = |quantity: &Quantity| match quantity {
            Quantity::State(i) => self.units.state(*i),
            Quantity::Observable(_) | Quantity::Formula(_) => 1.0,
        };
        if column == "period" {
            return self.units.time;
        }
        if let Some(monitor) = self.monitors.iter().find(|m| m.name == column) {
            return match &monitor.measure {
                Measure::Duration(_) => self.units.time,
                Measure::At(_, quantity) => of(quantity),
                Measure::Over(statistic, quantity) => match statistic.rule() {
                    Rule::Extreme(_) => of(quantity),
                    Rule::Integral(by) => of(quantity) * self.units.time.powi(by.time),
                },
                Measure::Sum(terms) => terms.first().map_or(1.0, |(_, quantity)| of(quantity)),
            };
        }
        if let Some(split) = &self.slow_fast {
            match column {
                "canard_time" | "delay" => return self.units.time,
                "canard_distance" => return self.units.state(split.fast),
                _ => {}
            }
        }
        let names = [
            Some(column),
            column.strip_prefix("max_abs_"),
            column.strip_suffix("_max"),
            column.strip_suffix("_min"),
        ];
        let state = names.into_iter().flatten().find_map(place);
        state.map_or(1.0, |i| self.units.state(i))
    }
}
