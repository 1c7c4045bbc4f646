//! The motion of a flow through modes and events, with a frame of tangent vectors.

use super::frame::{Frame, Turned};
use super::motion::Motion;
use super::options::{ExponentOptions, SpectrumError};
use super::sizes::Sizes;
use crate::error::FlowError;
use crate::junction::Junction;
use crate::machine::{Happening, Machine};
use crate::mode_flow::Transition;
use crate::prepared_mode::PreparedMode;
use crate::simulate::Zeno;
use crate::trajectory::{NonUniqueness, Segment};
use slipstick_numerics::linalg::{dot, norm};
use slipstick_system::{System, jacobian};

/// Vectors are made orthonormal again before one of them has grown by this factor more than another.
const APART: f64 = 1e6;
/// The factor that pieces of time are chosen for.
const WANTED: f64 = 1e3;
/// The shortest piece, relative to the whole time.
const SHORTEST: f64 = 1e-7;
/// A direction of which an event leaves less, of matrices of the size of one, is lost to rounding only.
const LOST: f64 = 1e-12;

/// An event that was met: what it does to perturbations depends on the field behind it, which is known when the next
/// segment begins. In units of the sizes of the states.
struct Jump {
    /// The field before, and the gradient of the guard.
    before: Vec<f64>,
    gradient: Vec<f64>,
    /// The derivative of what it does to the states, row by row.
    derivative: Vec<f64>,
    event: (usize, usize),
}

/// The motion of a flow, with events or without.
pub(super) struct FlowMotion<'v, 's> {
    machine: Machine<'v, 's>,
    modes: &'v [PreparedMode<'s>],
    p: &'v [f64],
    policy: NonUniqueness,
    /// For each mode: the piece of time that worked last.
    pieces: Vec<f64>,
    shortest: f64,
    jump: Option<Jump>,
    zeno: Zeno,
    sizes: Sizes<'s>,
    events: usize,
    transition: Transition,
}

impl<'v, 's> FlowMotion<'v, 's> {
    pub(super) fn new(
        system: &'s System,
        modes: &'v [PreparedMode<'s>],
        (mode, x): (usize, &[f64]),
        p: &'v [f64],
        options: &ExponentOptions,
    ) -> Self {
        Self {
            machine: Machine::new(system, modes, p, mode, x),
            modes,
            p,
            policy: options.policy,
            pieces: vec![f64::INFINITY; modes.len()],
            shortest: SHORTEST * (options.transient + options.time),
            jump: None,
            zeno: Zeno::new(options.zeno_events, options.zeno_time),
            sizes: Sizes::new(system),
            events: 0,
            transition: Transition::default(),
        }
    }

    fn system(&self) -> &'s System {
        self.machine.system
    }

    /// The field of a mode, in units of the sizes of its states.
    fn field(&self, mode: usize, x: &[f64]) -> Vec<f64> {
        let mut f = vec![0.0; x.len()];
        self.system().modes[mode].field.value(x, self.p, &mut f);
        f.iter_mut().enumerate().for_each(|(i, f)| *f /= self.sizes.of(mode, i));
        f
    }

    /// Take the frame through a segment, and remember the event that ends it.
    fn through(&mut self, segment: &Segment, frame: &mut Frame) -> Result<(), SpectrumError> {
        let mut reached = segment.end.clone();
        if segment.duration > 0.0 {
            self.pass_event(segment.mode, &segment.start, frame)?;
            let times = (segment.duration, segment.event.is_some());
            reached = self.flow(segment.mode, &segment.start, times, frame)?;
        }
        let Some(event) = segment.event else { return Ok(()) };
        let mut junction = Junction::new(self.system(), segment.mode, Some(event), false);
        let (n, m) = (segment.end.len(), junction.outputs());
        let mut derivative = vec![0.0; n * m];
        junction.linearise(&segment.end, self.p, &[], &mut vec![0.0; m], &mut derivative, &mut []);
        let next = segment.next.unwrap_or(segment.mode);
        self.sizes.scale(&mut derivative, (segment.mode, next));
        match &mut self.jump {
            // An event that is due when a mode is entered moves with the one before it.
            Some(jump) => {
                jump.derivative = times(&derivative, &jump.derivative, n, jump.before.len());
            }
            None => {
                let mut gradient = vec![0.0; n];
                let guard = &*self.system().modes[segment.mode].events[event].guard;
                jacobian(guard, &segment.end, self.p, &[], &mut [0.0], &mut gradient, &mut []);
                let sized = |(i, g): (usize, &mut f64)| *g *= self.sizes.of(segment.mode, i);
                gradient.iter_mut().enumerate().for_each(sized);
                self.jump = Some(Jump {
                    before: self.field_before(segment, &reached),
                    gradient,
                    derivative,
                    event: (segment.mode, event),
                });
            }
        }
        Ok(())
    }

    /// The field just before the event that ends a segment, where the frame is. A state that runs off to infinity there
    /// moves far within the errors of the integrator in time, and so does a perturbation: beside the field at the same
    /// place it is what it is at the event.
    fn field_before(&self, segment: &Segment, reached: &[f64]) -> Vec<f64> {
        /// Fields that differ by less are the same.
        const SAME: f64 = 1e-6;
        let (at_event, here) = (
            self.field(segment.mode, &segment.end),
            self.field(segment.mode, reached),
        );
        let apart: Vec<f64> = at_event.iter().zip(&here).map(|(a, b)| a - b).collect();
        if norm(&apart) > SAME * norm(&at_event) {
            here
        } else {
            at_event
        }
    }

    /// Take the frame through the event that was met, into the mode that begins at `x`.
    ///
    /// A perturbation v meets the surface later by `δ = -∇g·v / ∇g·f⁻` and has then moved by `w = v + f⁻ δ`; beyond it
    /// is `DR w - f⁺ δ`, the saltation matrix in two steps. The first is never singular, however slowly the surface is
    /// crossed; whether the second loses a direction is certain, because its matrices are of the size of one.
    fn pass_event(&mut self, mode: usize, x: &[f64], frame: &mut Frame) -> Result<(), SpectrumError> {
        let Some(jump) = self.jump.take() else { return Ok(()) };
        let after = self.field(mode, x);
        let rate = dot(&jump.gradient, &jump.before);
        let sizes = jump.gradient.iter().zip(&jump.before).map(|(g, f)| (g * f).abs());
        if rate.abs() <= f64::EPSILON * sizes.sum::<f64>() {
            let (mode, event) = jump.event;
            let mode = &self.system().modes[mode];
            return Err(SpectrumError::Grazing {
                mode: mode.name.clone(),
                event: mode.events[event].name.clone(),
                t: self.machine.t,
            });
        }
        let n = jump.before.len();
        let size = match norm(&after) {
            0.0 => 1.0,
            size => size,
        };
        let along_surface = |v: &[f64]| {
            let later = -dot(&jump.gradient, v) / rate;
            let moved = v.iter().zip(&jump.before).map(move |(v, f)| v + later * f);
            moved.chain([later * size]).collect::<Vec<f64>>()
        };
        let first = Turned::of(frame.vectors().flat_map(along_surface).collect(), n + 1, 0.0);
        let beyond = |w: &[f64]| {
            let rows = jump.derivative.chunks_exact(n).zip(&after);
            rows.map(|(row, f)| dot(row, &w[..n]) - f / size * w[n])
                .collect::<Vec<f64>>()
        };
        let images = first.vectors().chunks_exact(n + 1).flat_map(beyond).collect();
        let floor = LOST * norm(&jump.derivative).max(1.0);
        let second = Turned::of(images, after.len(), floor);
        frame.accept(first.then(second));
        self.events += 1;
        Ok(())
    }

    /// Take the frame along the flow of a mode, in pieces that keep its vectors apart. Returns the states at the end;
    /// they are those a little earlier where the motion ends at an event, and runs off to infinity just beyond it.
    fn flow(
        &mut self,
        mode: usize,
        x: &[f64],
        (duration, ends): (f64, bool),
        frame: &mut Frame,
    ) -> Result<Vec<f64>, SpectrumError> {
        /// How much earlier, as parts of the duration.
        const FIRST: f64 = 1e-14;
        const LAST: f64 = 1e-6;
        /// The shortest piece then, as a part of the duration.
        const SHORTEST_BEFORE: f64 = 1e-14;
        let shortest = if ends {
            self.shortest.min(SHORTEST_BEFORE * duration)
        } else {
            self.shortest
        };
        let flow = self.modes[mode].locator.flow();
        let n = x.len();
        let mut x = x.to_vec();
        let mut left = duration;
        while left > 0.0 {
            self.wrap(mode, &mut x);
            if self.pieces[mode] == f64::INFINITY {
                self.pieces[mode] = self.first_piece(mode, &x);
            }
            let piece = left.min(self.pieces[mode]);
            self.sizes.see(mode, &x, self.p);
            let end = &mut self.transition;
            let mut tried = flow.linearise(&x, piece, self.p, &[], end);
            let mut earlier = FIRST * duration;
            while ends && piece == left && ran_off(&tried) && earlier <= (LAST * duration).min(0.5 * left) {
                tried = flow.linearise(&x, left - earlier, self.p, &[], end);
                earlier *= 4.0;
            }
            self.sizes.scale(&mut end.dx, (mode, mode));
            let usable = tried.is_ok() && end.dx.iter().all(|v| v.is_finite());
            let turned = usable.then(|| Turned::of(frame.images(&end.dx), n, 0.0));
            let factor = turned.as_ref().map_or(f64::INFINITY, separation);
            if factor > APART && piece > shortest {
                self.pieces[mode] = 0.5 * piece;
                continue;
            }
            tried?;
            let Some(turned) = turned.filter(|_| factor <= APART) else {
                return Err(SpectrumError::Separation {
                    mode: self.system().modes[mode].name.clone(),
                    piece,
                });
            };
            frame.accept(turned);
            x.copy_from_slice(&end.x);
            left -= piece;
            if piece == self.pieces[mode] || factor > WANTED {
                let change = WANTED.ln() / factor.ln().max(f64::MIN_POSITIVE);
                self.pieces[mode] = piece * change.clamp(0.5, 2.0);
            }
        }
        Ok(x)
    }

    /// The time in which the fastest rate at `x` counts for one.
    fn first_piece(&self, mode: usize, x: &[f64]) -> f64 {
        let n = x.len();
        let mut rates = vec![0.0; n * n];
        let field = &*self.system().modes[mode].field;
        jacobian(field, x, self.p, &[], &mut vec![0.0; n], &mut rates, &mut []);
        self.sizes.scale(&mut rates, (mode, mode));
        let size = norm(&rates);
        if size.is_finite() && size > 0.0 {
            1.0 / size
        } else {
            1.0
        }
    }

    /// Angles within one turn, so that long times cost no digits.
    fn wrap(&self, mode: usize, x: &mut [f64]) {
        let system = self.system();
        for (v, &s) in x.iter_mut().zip(&system.modes[mode].states) {
            if let Some(period) = system.states[s].period {
                *v = v.rem_euclid(period);
            }
        }
    }
}

impl<'s> Motion<'s> for FlowMotion<'_, 's> {
    fn advance(&mut self, until: f64, frame: &mut Frame) -> Result<(), SpectrumError> {
        loop {
            let mode = self.machine.mode;
            if !self.modes[mode].has_events() {
                let x = self.machine.x.clone();
                self.pass_event(mode, &x, frame)?;
                self.machine.x = self.flow(mode, &x, (until - self.machine.t, false), frame)?;
                self.machine.t = until;
                return Ok(());
            }
            match self.machine.advance(until)? {
                Happening::Event(event) => {
                    let segment = self.machine.close(Some(event));
                    self.through(&segment, frame)?;
                    if self.zeno.event(self.machine.t).is_some() {
                        return Err(SpectrumError::Flow(FlowError::Accumulates {
                            t: self.machine.t,
                            event: self.system().modes[segment.mode].events[event].name.clone(),
                        }));
                    }
                }
                Happening::Choice(choice) => match self.policy {
                    NonUniqueness::Slip => self.machine.take(&choice.slip),
                    NonUniqueness::Stick | NonUniqueness::Both => self.machine.take(&choice.stick),
                },
                Happening::Grazing => {}
                Happening::Time | Happening::Rest => {
                    let segment = self.machine.close(None);
                    return self.through(&segment, frame);
                }
            }
        }
    }

    fn take_events(&mut self) -> usize {
        std::mem::take(&mut self.events)
    }

    fn state(&self) -> (usize, &[f64]) {
        (self.machine.mode, &self.machine.x)
    }

    fn sizes(&mut self) -> &mut Sizes<'s> {
        &mut self.sizes
    }
}

/// Did the motion run off to infinity?
fn ran_off(tried: &Result<(), FlowError>) -> bool {
    matches!(tried, Err(FlowError::NotFinite { .. } | FlowError::StepTooSmall { .. }))
}

/// By how much more one vector grew than another, or all together.
fn separation(turned: &Turned) -> f64 {
    let (least, most) = turned
        .growth()
        .fold((1.0, 1.0), |(least, most): (f64, f64), g| (least.min(g), most.max(g)));
    most / least
}

/// `a b` for a with n columns and b with m, row by row.
fn times(a: &[f64], b: &[f64], n: usize, m: usize) -> Vec<f64> {
    a.chunks_exact(n)
        .flat_map(|row| (0..m).map(move |c| (0..n).map(|j| row[j] * b[j * m + c]).sum()))
        .collect()
}
