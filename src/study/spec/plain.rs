//! Greek letters: names of parameters, states and columns in their plain spelling, as systems have them.

use crate::spec::start::StartSpec;
use crate::spec::study::Study;
use slipstick_report::figure::Figure;
use slipstick_system::text::plain_name;
use std::collections::BTreeMap;
use std::mem::take;

fn name(name: &mut String) {
    if !name.is_ascii() {
        *name = plain_name(name);
    }
}

fn keys<V>(map: &mut BTreeMap<String, V>) {
    if map.keys().any(|key| !key.is_ascii()) {
        *map = take(map)
            .into_iter()
            .map(|(key, value)| (plain_name(&key), value))
            .collect();
    }
}

impl Study {
    /// The study with `α` spelt `alpha` wherever it names a part of a system or a column of a table. Names that the
    /// study gives itself stay as they are.
    pub(crate) fn with_plain_names(mut self) -> Self {
        for curve in &mut self.curves {
            name(&mut curve.free);
            keys(&mut curve.set);
            keys(&mut curve.levels);
            keys(&mut curve.within);
            start(&mut curve.start);
        }
        for locus in &mut self.loci {
            name(&mut locus.free.0);
            name(&mut locus.free.1);
            keys(&mut locus.among);
            keys(&mut locus.levels);
            keys(&mut locus.within);
        }
        for simulation in &mut self.simulations {
            keys(&mut simulation.set);
            keys(&mut simulation.from);
            simulation.integrate.iter_mut().for_each(name);
        }
        for sweep in &mut self.attractors {
            name(&mut sweep.sweep);
            keys(&mut sweep.set);
            keys(&mut sweep.within);
        }
        for distances in &mut self.distances {
            name(&mut distances.column);
            name(&mut distances.over);
        }
        for portrait in &mut self.slow_fast {
            keys(&mut portrait.set);
            keys(&mut portrait.within);
            portrait.cycle.iter_mut().for_each(keys);
            if let Some(over) = &mut portrait.over {
                name(&mut over.parameter);
            }
            if let Some(fates) = &mut portrait.fates {
                name(&mut fates.over);
                keys(&mut fates.from);
            }
        }
        self.figures.iter_mut().for_each(Figure::spell_plainly);
        self
    }
}

fn start(start: &mut StartSpec) {
    match start {
        StartSpec::All { at, within, .. } | StartSpec::Everywhere { at, within, .. } => {
            keys(at);
            keys(within);
        }
        StartSpec::Settle { at, from, .. } => {
            keys(at);
            keys(from);
        }
        StartSpec::Guess { at, states, .. } => {
            keys(at);
            states.iter_mut().for_each(keys);
        }
        StartSpec::Auto { at, numbers, .. } => {
            keys(at);
            keys(numbers);
        }
        StartSpec::Point { at, .. } | StartSpec::File { at, .. } => keys(at),
    }
}
