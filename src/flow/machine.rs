//! The stepper of event-driven simulation: from one event to the next, with all the choices that hybrid systems offer.

use super::error::FlowError;
use super::options::FlowOptions;
use super::prepared_mode::{Arrival, PreparedMode};
use super::trajectory::Segment;
use slipstick_numerics::stop::look;
use slipstick_system::{ModeKind, System};
use smallvec::SmallVec;

/// Values this close to zero count as zero where side conditions and surfaces are judged.
const SLACK: f64 = 1e-10;

/// Events that happen one after the other without time passing.
pub(super) type Events = SmallVec<[usize; 2]>;

/// A point with more than one legal future.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// Into or on in the stick mode; no event when the mode is kept.
    pub(super) stick: Events,
    /// Out of it.
    pub(super) slip: Events,
}

/// What happened at the end of a stretch.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    /// This event.
    Event(usize),
    /// A choice is due; [`Machine::take`] makes it.
    Choice(Choice),
    /// A surface was touched from inside.
    Grazing,
    /// The time is over.
    Time,
    /// The mode never ends; the time is used up in it.
    Rest,
}

/// The state of a simulation.
#[derive(Clone)]
pub(super) struct Machine<'v, 's> {
    pub(super) system: &'s System,
    prepared_modes: &'v [PreparedMode<'s>],
    p: &'v [f64],
    /// Time, mode and its states.
    pub(super) t: f64,
    pub(super) mode: usize,
    pub(super) x: Vec<f64>,
    /// For each state of the mode: what has been taken off its angle, so that large times cost no digits of it.
    taken_off: Vec<f64>,
    /// Where the current segment started.
    start: (f64, Vec<f64>),
    /// Events due at once.
    due: Events,
    /// A surface just passed without an event, or chosen to be ignored.
    ignore: Option<usize>,
    /// Has the present state been examined for a choice? And is the next one, because the choice was made?
    examined: bool,
    chosen: bool,
    /// Has something just jumped with time, so that the motion may be beyond surfaces of its mode?
    jumped: bool,
}

/// The modes of `system` ready to be visited.
pub(super) fn prepared_modes<'s>(system: &'s System, p: &[f64], options: FlowOptions) -> Vec<PreparedMode<'s>> {
    (0..system.modes.len())
        .map(|m| PreparedMode::new(system, m, p, options))
        .collect()
}

impl<'v, 's> Machine<'v, 's> {
    pub(super) fn new(
        system: &'s System,
        prepared_modes: &'v [PreparedMode<'s>],
        p: &'v [f64],
        mode: usize,
        x: &[f64],
    ) -> Self {
        Self {
            system,
            prepared_modes,
            p,
            t: 0.0,
            mode,
            x: x.to_vec(),
            taken_off: vec![0.0; x.len()],
            start: (0.0, x.to_vec()),
            due: Events::new(),
            ignore: None,
            examined: false,
            chosen: false,
            jumped: false,
        }
    }
    fn prepared(&self) -> &'v PreparedMode<'s> {
        &self.prepared_modes[self.mode]
    }
    /// The segment since the last event, ended by `event` if one is given; the machine then stands in the next mode.
    pub(super) fn close(&mut self, event: Option<usize>) -> Segment {
        let (t0, start) = std::mem::take(&mut self.start);
        let whole = |x: &[f64]| x.iter().zip(&self.taken_off).map(|(x, o)| x + o).collect::<Vec<_>>();
        let segment = Segment {
            mode: self.mode,
            t0,
            duration: self.t - t0,
            start: whole(&start),
            end: whole(&self.x),
            event,
            next: event.map(|e| self.prepared().target(e)),
        };
        if let Some(e) = event {
            let left = &self.system.modes[self.mode].states;
            let next = self.prepared().leave(e, (&self.x, self.jumped), self.p);
            self.ignore = self.prepared().passes(e, &self.x, &next, self.p, SLACK);
            self.x = next;
            self.mode = self.prepared().target(e);
            let entered = &self.system.modes[self.mode].states;
            let before = std::mem::take(&mut self.taken_off);
            for (i, &state) in entered.iter().enumerate() {
                let mut off = left.iter().position(|&s| s == state).map_or(0.0, |i| before[i]);
                if let Some(period) = self.system.states[state].period {
                    let turns = (self.x[i] / period).floor() * period;
                    self.x[i] -= turns;
                    off += turns;
                }
                self.taken_off.push(off);
            }
            self.examined = std::mem::take(&mut self.chosen) && self.due.is_empty();
        }
        self.start = (self.t, self.x.clone());
        segment
    }
    /// Go on in another mode at once, from these states.
    pub(super) fn enter(&mut self, mode: usize, x: Vec<f64>) {
        self.taken_off = vec![0.0; x.len()];
        self.start = (self.t, x.clone());
        (self.mode, self.x) = (mode, x);
        (self.due, self.ignore) = (Events::new(), None);
        (self.examined, self.chosen, self.jumped) = (false, false, false);
    }
    /// The name of an event whose surface the start of a free motion lies beyond: it cannot be in this mode.
    pub(super) fn misplaced(&self) -> Option<&'s str> {
        let prepared = self.prepared();
        let surface = prepared
            .beyond(&self.x, self.p, SLACK)
            .filter(|_| prepared.kind == ModeKind::Free)?;
        let event = *prepared.possible(surface, &self.x, self.p, SLACK).first()?;
        Some(&self.system.modes[self.mode].events[event].name)
    }
    /// Follow these events; if there are none, keep the mode.
    pub(super) fn take(&mut self, events: &Events) {
        self.due = events.clone();
        self.examined = true;
        self.chosen = !events.is_empty();
    }
    /// Go on to the next happening, at most until `end`.
    pub(super) fn advance(&mut self, end: f64) -> Result<Happening, FlowError> {
        if !self.due.is_empty() {
            let event = self.due.remove(0);
            return Ok(Happening::Event(event));
        }
        if let Some(why) = self.system.outside(self.mode) {
            return Err(FlowError::Outside { why });
        }
        let prepared = self.prepared();
        if std::mem::take(&mut self.jumped)
            && let Some(surface) = prepared.beyond(&self.x, self.p, SLACK)
        {
            let possible = prepared.possible(surface, &self.x, self.p, SLACK);
            if !possible.is_empty() {
                self.jumped = true;
                return Ok(self.decide(&possible));
            }
        }
        if !self.examined {
            self.examined = true;
            if let Some(choice) = self.on_the_edge() {
                return Ok(Happening::Choice(choice));
            }
        }
        loop {
            look();
            let left = end - self.t;
            if left <= 0.0 {
                return Ok(Happening::Time);
            }
            let began = self.t;
            let later = |error: FlowError| error.after(began);
            let rest = prepared.rest(&self.x, self.p).map_err(later)?;
            let rest = rest.filter(|&turn| turn < left);
            let run = prepared.run(&mut self.x, rest.unwrap_or(left), self.p, SLACK, self.ignore);
            match run.map_err(later)? {
                Arrival::Quiet => {
                    self.t = end;
                    let Some(turn) = rest else { return Ok(Happening::Time) };
                    let start = self.x.clone();
                    prepared
                        .locator
                        .flow()
                        .advance(&start, left - turn, self.p, &mut self.x)
                        .map_err(|error| error.after(began + turn))?;
                    return Ok(Happening::Rest);
                }
                Arrival::AtOnce { surface } => {
                    return Ok(self.decide(&prepared.possible(surface, &self.x, self.p, SLACK)));
                }
                Arrival::Reached { at, surfaces, by_jump } => {
                    self.t += at.t;
                    self.jumped = by_jump;
                    if at.touching {
                        return Ok(self.touched(surfaces[0]));
                    }
                    let possible = |&s: &usize| prepared.possible(s, &self.x, self.p, SLACK);
                    if let Some(events) = surfaces.iter().map(possible).find(|e| !e.is_empty()) {
                        return Ok(self.decide(&events));
                    }
                    // The guard was crossed but no event's side conditions hold: the motion goes on in its mode.
                    self.ignore = Some(surfaces[0]);
                }
            }
        }
    }
    /// A guard was crossed and these events are possible.
    fn decide(&self, possible: &[usize]) -> Happening {
        let lasting: Events = possible.iter().copied().filter(|&e| self.lasts(e)).collect();
        let sticks = |e: &usize| self.kind_after(*e) == ModeKind::Stick;
        let stick = lasting.iter().copied().find(sticks).or(lasting.first().copied());
        let leads_elsewhere = |stick: usize| {
            let other = |e: &usize| self.prepared().target(*e) != self.prepared().target(stick);
            let free = lasting.iter().copied().find(|e| other(e) && !sticks(e));
            free.or(lasting.iter().copied().find(other))
        };
        if let Some((stick, slip)) = stick.and_then(|stick| Some((stick, leads_elsewhere(stick)?))) {
            return Happening::Choice(Choice {
                stick: Events::from_slice(&[stick]),
                slip: Events::from_slice(&[slip]),
            });
        }
        Happening::Event(lasting.first().or(possible.first()).copied().unwrap_or(0))
    }
    /// A guard was touched from inside.
    fn touched(&mut self, surface: usize) -> Happening {
        let prepared = self.prepared();
        let possible = prepared.possible(surface, &self.x, self.p, SLACK);
        let lasting: Events = possible.iter().copied().filter(|&e| self.lasts(e)).collect();
        match prepared.kind {
            // A force that reaches its bound and retreats may break loose or not, if it drops then.
            ModeKind::Stick => match lasting.iter().find(|&&e| self.jumps(e)) {
                Some(&e) => Happening::Choice(Choice {
                    stick: Events::new(),
                    slip: Events::from_slice(&[e]),
                }),
                None => Happening::Grazing,
            },
            // A motion that comes to a stop for an instant where it can be held is held.
            ModeKind::Free | ModeKind::Map | ModeKind::Equations | ModeKind::Outside => {
                match lasting.iter().copied().find(|&e| self.kind_after(e) == ModeKind::Stick) {
                    Some(e) => Happening::Event(e),
                    None => Happening::Grazing,
                }
            }
        }
    }
    /// A stick mode entered exactly on a surface through which it may be left, while its own flow leads back inside.
    fn on_the_edge(&self) -> Option<Choice> {
        let prepared = self.prepared();
        if prepared.kind != ModeKind::Stick {
            return None;
        }
        let surfaces = prepared.resting_on(&self.x, self.p, SLACK);
        let mut events = surfaces
            .iter()
            .flat_map(|&s| prepared.possible(s, &self.x, self.p, SLACK));
        let slip = events.find(|&e| self.lasts(e) && self.jumps(e))?;
        Some(Choice {
            stick: Events::new(),
            slip: Events::from_slice(&[slip]),
        })
    }
    /// Do rates of states jump at `event`? Where they do not, as between two fields of Filippov's, a motion on a
    /// surface that touches the end of the place where it is held is held on, and no other motion begins there.
    fn jumps(&self, event: usize) -> bool {
        /// Rates that differ by less, relative to each other or to the largest, agree.
        const AGREE: f64 = 1e-6;
        const ROUNDING: f64 = 1e-8;
        let prepared = self.prepared();
        let next = prepared.leave(event, (&self.x, self.jumped), self.p);
        let before = self.system.full_rates(self.mode, &self.x, self.p);
        let after = self.system.full_rates(prepared.target(event), &next, self.p);
        let largest = before.iter().chain(&after).fold(0.0f64, |m, r| m.max(r.abs()));
        before.iter().zip(&after).any(|(a, b)| {
            let apart = (a - b).abs();
            apart > AGREE * a.abs().max(b.abs()) && apart > ROUNDING * largest
        })
    }
    /// Does the mode after `event` last, rather than being left at once?
    fn lasts(&self, event: usize) -> bool {
        let next = self.prepared().leave(event, (&self.x, self.jumped), self.p);
        let passed = self.prepared().passes(event, &self.x, &next, self.p, SLACK);
        !self.prepared_modes[self.prepared().target(event)].leaves_at_once(&next, self.p, SLACK, passed)
    }
    fn kind_after(&self, event: usize) -> ModeKind {
        self.prepared_modes[self.prepared().target(event)].kind
    }
    /// What a choice offers, in words.
    pub(super) fn words(&self, choice: &Choice) -> String {
        let name = |events: &Events| {
            let mut mode = self.mode;
            let mut names = vec![];
            for &e in events {
                let event = &self.system.modes[mode].events[e];
                names.push(format!("`{}`", event.name));
                mode = event.target;
            }
            let last = &self.system.modes[mode].name;
            if names.is_empty() {
                format!("staying in `{last}`")
            } else {
                format!("{} into `{last}`", names.join(" and "))
            }
        };
        format!("both {} and {} are solutions", name(&choice.stick), name(&choice.slip))
    }
}
