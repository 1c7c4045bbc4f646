//! What is to be measured on the orbits of a word, made once.

use crate::absent::absent;
use crate::clearance::{Clearance, Openings};
use crate::own_monitor::OwnMonitor;
use crate::perturbation::phases;
use crate::word::{Letter, Word};
use slipstick_flow::constant_rates;
use slipstick_numerics::scalar::Scalar;
use slipstick_system::text::Corners;
use slipstick_system::{Formula, Function, SharedFunction, System};
use std::sync::Arc;

/// One state as a function.
struct Component(usize);

impl Formula for Component {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[self.0];
    }
}

/// State `i` of a mode as a function.
pub(crate) fn component(i: usize) -> impl Function {
    Component(i)
}

/// The plan of what to measure, made once for a word.
pub(crate) struct Plan {
    /// For each segment: what must keep its sign.
    pub(crate) clearances: Vec<Vec<Clearance>>,
    /// For each segment: side conditions of the event that ends it.
    pub(crate) conditions: Vec<Vec<SharedFunction>>,
    /// For each segment: corners of what the event that ends it does to the states, by their numbers, each with a
    /// scalar that changes sign there.
    pub(crate) corners: Vec<Vec<(usize, SharedFunction)>>,
    /// Are there such corners, and does a clock run in every segment?
    pub(crate) stirred_by_clocks: bool,
    /// States that extremes are taken of, as functions of each mode's states; none where they are zero.
    pub(crate) extremes: Vec<(usize, Vec<Option<SharedFunction>>)>,
    /// The system's own monitors.
    pub(crate) own: Vec<OwnMonitor>,
    /// For each mode: the state that is a phase.
    pub(crate) phases: Vec<Option<usize>>,
}

impl Plan {
    pub(crate) fn new(system: &System, word: &Word) -> Self {
        let mut clearances = vec![];
        let mut conditions = vec![];
        let mut corners = vec![];
        for letter in &word.letters {
            let mode = &system.modes[letter.mode];
            let mut here: Vec<Clearance> = vec![];
            for (e, event) in mode.events.iter().enumerate() {
                let sign = -event.direction.sign();
                let ends = letter.event == Some(e);
                let conditions = event.when.iter().map(|i| i.function.clone()).collect();
                if let Some(known) = here
                    .iter_mut()
                    .find(|w| Arc::ptr_eq(&w.function, &event.guard) && w.sign == sign)
                {
                    known.ends_here |= ends;
                    known.openings.add(conditions);
                } else {
                    let mut openings = Openings::default();
                    openings.add(conditions);
                    here.push(Clearance {
                        function: event.guard.clone(),
                        sign,
                        ends_here: ends,
                        openings,
                    });
                }
            }
            here.extend(mode.inequalities.iter().map(|i| Clearance {
                function: i.function.clone(),
                sign: 1.0,
                ends_here: false,
                openings: Openings::default(),
            }));
            clearances.push(here);
            conditions.push(letter.event.map_or_else(Vec::new, |e| {
                mode.events[e].when.iter().map(|i| i.function.clone()).collect()
            }));
            let reset = letter.event.and_then(|e| mode.events[e].reset.as_ref()?.corners());
            let scalars = reset.map_or_else(Vec::new, Corners::with_sides).into_iter();
            corners.push(
                scalars
                    .map(|(c, scalar)| (c, Arc::new(scalar) as SharedFunction))
                    .collect(),
            );
        }
        let extremes = (0..system.states.len())
            .filter(|&s| system.states[s].period.is_none())
            .map(|s| {
                let by_mode = system
                    .modes
                    .iter()
                    .map(|m| match m.states.iter().position(|&k| k == s) {
                        Some(i) => Some(Arc::new(Component(i)) as SharedFunction),
                        None => absent(m, s).map(|f| Arc::new(f) as SharedFunction),
                    })
                    .collect();
                (s, by_mode)
            })
            .collect();
        let p = system.default_parameters();
        let has_clock = |letter: &Letter| {
            let rates = constant_rates(&system.modes[letter.mode], &p);
            rates.iter().any(|rate| *rate != 0.0)
        };
        let cornered = corners.iter().any(|own: &Vec<_>| !own.is_empty());
        Self {
            stirred_by_clocks: cornered && word.letters.iter().all(has_clock),
            clearances,
            conditions,
            corners,
            extremes,
            own: OwnMonitor::all(system, word),
            phases: phases(system),
        }
    }
}
