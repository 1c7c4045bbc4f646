//! The description of a hybrid system (a smooth one is the case of one mode without events).

use super::function::{SharedFunction, jacobian};
use super::monitor::OrbitMonitor;
use super::start::Start;
use super::units::Units;
use std::sync::Arc;

/// A state variable.
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// // θ is an angle, x is not.
/// assert_eq!(system.states[2].period, Some(std::f64::consts::TAU));
/// assert_eq!((system.states[0].name.as_str(), system.states[0].period), ("x", None));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name in studies and tables.
    pub name: String,
    /// For an angle: the period it is taken modulo. Orbits close up to a multiple of it.
    pub period: Option<f64>,
}

/// A parameter with its default value and the values that make sense.
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let static_friction = &system.parameters[system.parameter("mu_s").unwrap()];
/// assert_eq!(static_friction.value, 1.1);
/// ```
#[derive(Clone)]
pub struct Parameter {
    /// Its name in studies and tables.
    pub name: String,
    /// The default value.
    pub value: f64,
    /// What it is, with units.
    pub about: String,
}

/// What an event or a mode needs in order to be admissible: `function(x, p) > 0`.
///
/// ```
/// use slipstick_system::{Function, catalogue::stiction};
/// let system = stiction();
/// let slip = &system.modes[system.mode("slip-").unwrap()];
/// // A mass that lands stays stuck only where static friction can hold it: here it can, with this margin.
/// let holds = &slip.events[0].when[0];
/// let mut margin = [0.0];
/// holds.function.value(&[0.3, 0.0, 1.5], &[2.0, 1.1, 0.4], &mut margin);
/// assert!(holds.name.contains("μ_s") && margin[0] > 0.0);
/// ```
#[derive(Clone)]
pub struct Inequality {
    /// In words or symbols, for messages: `|ξ| < μ_s`.
    pub name: String,
    /// The scalar that must stay positive.
    pub function: SharedFunction,
    /// Does it not hold where the scalar is zero? That counts for requirements on parameters; what must hold of states
    /// ends at zero in any case.
    pub strict: bool,
}

impl Inequality {
    /// Does it hold where the scalar has this value?
    pub fn holds(&self, value: f64) -> bool {
        value > 0.0 || !self.strict && value == 0.0
    }
}

/// How a guard must cross zero for its event to fire.
///
/// ```
/// use slipstick_system::Direction;
/// assert_eq!((Direction::Up.sign(), Direction::Down.sign()), (1.0, -1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From negative to positive.
    Up,
    /// From positive to negative.
    Down,
}

impl Direction {
    /// +1 for `Up`, -1 for `Down`: `sign · guard < 0` before the event, `sign · d(guard)/dt > 0` at it.
    pub fn sign(self) -> f64 {
        match self {
            Self::Up => 1.0,
            Self::Down => -1.0,
        }
    }
}

/// A transition between modes.
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let slip = &system.modes[system.mode("slip-").unwrap()];
/// let land = &slip.events[system.event(system.mode("slip-").unwrap(), "land").unwrap()];
/// assert_eq!(system.modes[land.target].name, "stick");
/// ```
#[derive(Clone)]
pub struct Event {
    /// Its name in words: `land`, `release+`.
    pub name: String,
    /// The guard, a scalar function of the states of the mode it belongs to.
    pub guard: SharedFunction,
    /// The crossing direction that fires it.
    pub direction: Direction,
    /// What else must hold at the crossing. Events of one mode may share a guard and differ in this.
    pub when: Vec<Inequality>,
    /// The index of the next mode.
    pub target: usize,
    /// States of this mode → states of the target. `None`: states keep their values by name, new ones take the value
    /// that the old mode fixed for them.
    pub reset: Option<SharedFunction>,
}

/// How the names of modes begin that stand for combinations of contacts of which no mode was made.
pub const UNMADE: &str = "unmade:";

/// What kind of motion a mode is; decides the label when the orbit touches one of its guards from inside (GR or OV) or
/// leaves through it tangentially (GR or VT).
///
/// ```
/// use slipstick_system::{ModeKind, catalogue::stiction};
/// let system = stiction();
/// let kinds: Vec<ModeKind> = system.modes.iter().map(|mode| mode.kind).collect();
/// assert_eq!(kinds.iter().filter(|&&kind| kind == ModeKind::Stick).count(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeKind {
    /// Free or slipping motion.
    Free,
    /// Sticking, sliding or any motion held on a surface by a constraint force.
    Stick,
    /// No motion at all: the field gives the next state of a map.
    Map,
    /// No motion at all: points are looked for at which the field vanishes.
    Equations,
    /// What is not modelled: a motion that comes here ends.
    Outside,
}

/// One mode: the states that move in it and how.
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// // A mass that sticks has no velocity of its own: the mode has two of the three states.
/// let stick = &system.modes[system.mode("stick").unwrap()];
/// assert_eq!(stick.states, [0, 2]);
/// ```
#[derive(Clone)]
pub struct Mode {
    /// Its name in words: `slip-`, `stick`.
    pub name: String,
    /// Free or constrained motion.
    pub kind: ModeKind,
    /// Indices (into the system's states) of the states that live in this mode, in the order its functions take them.
    pub states: Vec<usize>,
    /// For every state of the system *not* living here: the value it has meanwhile, as a map from this mode's states.
    /// In the order of the system's states. `None` when all states live here, or when the absent ones are zero.
    pub absent: Option<SharedFunction>,
    /// The vector field on this mode's states.
    pub field: SharedFunction,
    /// The ways out.
    pub events: Vec<Event>,
    /// What must hold all along.
    pub inequalities: Vec<Inequality>,
    /// Scalars that are zero all along: the surfaces that the motion keeps to, from which no state is left out.
    pub surfaces: Vec<SharedFunction>,
    /// The flow in closed form: a map `(x₁…xₙ, t; p) → x(t)`. Optional: linear modes are flowed exactly without it.
    pub exact: Option<SharedFunction>,
}

/// A symmetry S of the system: a signed permutation of the states with a shift, and a permutation of the modes. A
/// symmetric periodic orbit satisfies S u(t + T/2) = u(t).
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// // Half a period of forcing later, everything is mirrored: (x, y, θ) → (-x, -y, θ + π).
/// let symmetry = stiction().symmetry.unwrap();
/// assert_eq!(symmetry.sign, [-1.0, -1.0, 1.0]);
/// assert_eq!(symmetry.shift[2], std::f64::consts::PI);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetry {
    /// Image of state i: `sign[i] · x[source[i]] + shift[i]`.
    pub source: Vec<usize>,
    /// The signs.
    pub sign: Vec<f64>,
    /// The shifts (half the period for the phase of a forcing).
    pub shift: Vec<f64>,
    /// The image of each mode.
    pub modes: Vec<usize>,
}

/// A named scalar function of the state, defined in every mode.
///
/// ```
/// use slipstick_system::{Function, catalogue::stiction};
/// let system = stiction();
/// let force = &system.observables[0];
/// let stick = system.mode("stick").unwrap();
/// let mut value = [0.0];
/// force.by_mode[stick].value(&[0.3, 0.0], &[2.0, 1.1, 0.4], &mut value);
/// assert!(force.name == "xi" && value[0].is_finite());
/// ```
#[derive(Clone)]
pub struct Observable {
    /// Its name in tables.
    pub name: String,
    /// One function for each mode, of that mode's states.
    pub by_mode: Vec<SharedFunction>,
}

/// A declaration that a mode is slow–fast: `ε · fast' = …`.
///
/// ```
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let declared = system.slow_fast.as_ref().unwrap();
/// assert_eq!(system.modes[declared.mode].name, "layer");
/// assert_eq!(system.parameters[declared.epsilon].name, "epsilon");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SlowFast {
    /// The mode in which the scales split.
    pub mode: usize,
    /// The index (into the system's states) of the fast state.
    pub fast: usize,
    /// The index of the small parameter.
    pub epsilon: usize,
}

/// A smooth or hybrid dynamical system.
///
/// ```
/// use slipstick_system::catalogue;
/// for system in catalogue::all() {
///     let parameters = system.default_parameters();
///     let (mode, start) = system.start_at(&parameters);
///     // Every state of the system, also those that the mode does without.
///     assert_eq!(system.full_state(mode, &start, &parameters).len(), system.states.len());
/// }
/// assert_eq!(catalogue::stiction().parameter("mu_d"), Some(2));
/// ```
#[derive(Clone)]
pub struct System {
    /// Its name in studies.
    pub name: String,
    /// One or two sentences: what it is, and the source.
    pub about: String,
    /// The states of all modes together.
    pub states: Vec<State>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The modes.
    pub modes: Vec<Mode>,
    /// The symmetry, if there is one.
    pub symmetry: Option<Symmetry>,
    /// Scalars written along orbits, and usable in monitors.
    pub observables: Vec<Observable>,
    /// Scalars of orbits that this system's users ask for by name.
    pub monitors: Vec<OrbitMonitor>,
    /// Where a trajectory starts when nobody says; [`System::start_at`] gives the states.
    pub start: Start,
    /// The split of time scales, if declared.
    pub slow_fast: Option<SlowFast>,
    /// Conditions on the parameters: positive when they make sense; the name says what is required.
    pub requirements: Vec<Inequality>,
    /// The units that it is expressed in, if these are not its own.
    pub units: Units,
}

/// Parameters with which a system makes no sense.
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// // Friction in slip is below that in stick.
/// let unmet = system.check_requirements(&[2.0, 0.4, 1.1]).err().unwrap();
/// assert_eq!((unmet.system.as_str(), unmet.requirement.as_str()), ("Stiction", "mu_d < mu_s"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} needs {requirement}", if system.is_empty() { "the system" } else { system })]
pub struct UnmetRequirement {
    /// The system's name; empty if it has none.
    pub system: String,
    /// What it needs.
    pub requirement: String,
}

impl System {
    /// The index of the state called `name`.
    pub fn state(&self, name: &str) -> Option<usize> {
        self.states.iter().position(|s| s.name == name)
    }
    /// The index of the parameter called `name`.
    pub fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|s| s.name == name)
    }
    /// The index of the mode called `name`.
    pub fn mode(&self, name: &str) -> Option<usize> {
        self.modes.iter().position(|m| m.name == name)
    }
    /// The default parameter values.
    pub fn default_parameters(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.value).collect()
    }
    /// Does the system make sense with these parameters?
    ///
    /// # Errors
    /// The first requirement that they do not meet.
    pub fn check_requirements(&self, p: &[f64]) -> Result<(), UnmetRequirement> {
        if self.requirements.is_empty() {
            return Ok(());
        }
        let x = vec![0.0; self.states.len()];
        let unmet = self.requirements.iter().find(|r| {
            let mut value = [0.0];
            r.function.value(&x, p, &mut value);
            !r.holds(value[0])
        });
        unmet.map_or(Ok(()), |r| {
            Err(UnmetRequirement {
                system: self.name.clone(),
                requirement: r.name.clone(),
            })
        })
    }
    /// Where on the way of parameter `free` from its value, where all requirements hold, to `end` one first ceases to
    /// hold: its name, and the last value at which it holds.
    pub fn requirement_limit(&self, p: &[f64], free: usize, end: f64) -> Option<(&str, f64)> {
        let (name, at) = self.requirement_limit_along(p, &[(free, end - p[free])])?;
        Some((name, at[free]))
    }
    /// The same on the way of several parameters at once, each of which changes by so much: all parameters where the
    /// requirement last holds.
    pub fn requirement_limit_along(&self, p: &[f64], changes: &[(usize, f64)]) -> Option<(&str, Vec<f64>)> {
        /// Values looked at on the way; between them a requirement is followed down to its minima.
        const LOOKS: usize = 1000;
        /// A minimum is known to rounding after so many thirds.
        const THIRDS: usize = 80;
        let x = vec![0.0; self.states.len()];
        let at = |s: f64| {
            let mut p = p.to_vec();
            changes.iter().for_each(|&(free, change)| p[free] += s * change);
            p
        };
        let limits = self.requirements.iter().filter_map(|r| {
            let value = |s: f64| {
                let mut value = [0.0];
                r.function.value(&x, &at(s), &mut value);
                value[0]
            };
            let looks: Vec<f64> = (0..=LOOKS).map(|i| value(i as f64 / LOOKS as f64)).collect();
            let place = |i: usize| i as f64 / LOOKS as f64;
            let (mut inside, mut outside) = (1..=LOOKS).find_map(|i| {
                if !r.holds(looks[i]) {
                    return Some((place(i - 1), place(i)));
                }
                if i < 2 || looks[i - 1] >= looks[i] || looks[i - 1] > looks[i - 2] {
                    return None;
                }
                let (mut low, mut high) = (place(i - 2), place(i));
                for _ in 0..THIRDS {
                    let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    if let Some(lost) = [a, b].into_iter().find(|&s| !r.holds(value(s))) {
                        return Some((place(i - 2), lost));
                    }
                    if value(a) < value(b) {
                        high = b;
                    } else {
                        low = a;
                    }
                }
                None
            })?;
            // Halved down to neighbouring numbers.
            loop {
                let middle = 0.5 * (inside + outside);
                if at(middle) == at(inside) || at(middle) == at(outside) {
                    return Some((&*r.name, inside));
                }
                if r.holds(value(middle)) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
        });
        let first = limits.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((first.0, at(first.1)))
    }
    /// Is this a hybrid system (more than one mode, or events)?
    pub fn is_hybrid(&self) -> bool {
        self.modes.len() > 1 || self.modes.iter().any(|m| !m.events.is_empty())
    }
    /// The number of states of the largest mode: as many directions perturbations can have.
    pub fn dimension(&self) -> usize {
        self.modes.iter().map(|m| m.states.len()).max().unwrap_or(0)
    }
    /// Is this a map, iterated, rather than a flow?
    pub fn is_map(&self) -> bool {
        self.modes.iter().any(|m| m.kind == ModeKind::Map)
    }
    /// What a motion comes to in a mode that stands for what is not modelled, in words; none in other modes.
    pub fn outside(&self, mode: usize) -> Option<String> {
        let mode = self.modes.get(mode).filter(|m| m.kind == ModeKind::Outside)?;
        Some(match mode.name.strip_prefix(UNMADE) {
            Some(name) => {
                format!(
                    "the contacts come into the combination `{name}`, which is no mode: add \"{name}\" to `modes` of the system"
                )
            }
            None => format!(
                "the motion comes into mode `{}`, of kind `Outside`: it is not modelled there",
                mode.name
            ),
        })
    }
    /// Does a state `x` of a mode lie on the inner side of all its events and on its surfaces, and satisfy its
    /// conditions?
    ///
    /// ```
    /// use slipstick_system::catalogue::stiction;
    /// let system = stiction();
    /// let p = system.default_parameters();
    /// // Slip with negative relative velocity.
    /// let slip = system.mode("slip-").unwrap();
    /// assert!(system.is_inside(slip, &[0.5, -0.1, -0.5], &p) && !system.is_inside(slip, &[0.5, 0.1, -0.5], &p));
    /// ```
    pub fn is_inside(&self, mode: usize, x: &[f64], p: &[f64]) -> bool {
        let mode = &self.modes[mode];
        let value = |function: &SharedFunction| {
            let mut v = [0.0];
            function.value(x, p, &mut v);
            v[0]
        };
        mode.events.iter().all(|e| e.direction.sign() * value(&e.guard) < 0.0)
            && mode.inequalities.iter().all(|i| value(&i.function) > 0.0)
            && mode.is_on_its_surfaces(x, p)
    }
    /// The index of the event called `name` of mode `mode`.
    pub fn event(&self, mode: usize, name: &str) -> Option<usize> {
        self.modes[mode].events.iter().position(|e| e.name == name)
    }
    /// Of all states of the system those of mode `mode`.
    pub fn own_states(&self, mode: usize, full: &[f64]) -> Vec<f64> {
        self.modes[mode].states.iter().map(|&s| full[s]).collect()
    }
    /// How many conditions a motion in mode `mode` keeps to: one for each state that is absent there, and its surfaces.
    /// Where surfaces meet, the mode on more of them has more.
    pub fn kept(&self, mode: usize) -> usize {
        let mode = &self.modes[mode];
        self.states.len() - mode.states.len() + mode.surfaces.len()
    }
    /// All states of the system at a point `x` of mode `mode`, absent states filled in.
    pub fn full_state(&self, mode: usize, x: &[f64], p: &[f64]) -> Vec<f64> {
        let m = &self.modes[mode];
        let mut full = vec![0.0; self.states.len()];
        if let Some(absent) = &m.absent {
            let mut values = vec![0.0; self.states.len() - m.states.len()];
            absent.value(x, p, &mut values);
            let missing = (0..self.states.len()).filter(|i| !m.states.contains(i));
            for (i, v) in missing.zip(values) {
                full[i] = v;
            }
        }
        for (&i, &v) in m.states.iter().zip(x) {
            full[i] = v;
        }
        full
    }
    /// The rates of all states of the system at a point `x` of mode `mode`, those of absent states along the motion.
    pub fn full_rates(&self, mode: usize, x: &[f64], p: &[f64]) -> Vec<f64> {
        let m = &self.modes[mode];
        let mut own = vec![0.0; x.len()];
        m.field.value(x, p, &mut own);
        let mut rates = vec![0.0; self.states.len()];
        m.states.iter().zip(&own).for_each(|(&s, f)| rates[s] = *f);
        if let Some(absent) = &m.absent {
            let missing: Vec<usize> = (0..self.states.len()).filter(|s| !m.states.contains(s)).collect();
            let mut value = vec![0.0; missing.len()];
            let mut dx = vec![0.0; missing.len() * x.len()];
            jacobian(absent.as_ref(), x, p, &[], &mut value, &mut dx, &mut []);
            for (s, row) in missing.into_iter().zip(dx.chunks_exact(x.len())) {
                rates[s] = row.iter().zip(&own).map(|(d, f)| d * f).sum();
            }
        }
        rates
    }
}

/// Shorthand for building catalogue systems.
pub(crate) fn shared(f: impl super::Formula + 'static) -> SharedFunction {
    Arc::new(f)
}
