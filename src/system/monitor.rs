//! Named scalars of periodic orbits: what is measured, where along the orbit, and what is made of it.

use super::function::SharedFunction;
use super::statistic::Statistic;

/// What a scalar of an orbit is measured from.
///
/// ```
/// use slipstick_system::{Measure, Place, Quantity, catalogue::stiction};
/// let system = stiction();
/// let Measure::At(Place::Entry(_), of) = &system.monitors[0].measure else { panic!("θ₀ is read where slip begins") };
/// assert!(matches!(of, Quantity::State(state) if Some(*state) == system.state("theta")));
/// ```
#[derive(Clone)]
pub enum Quantity {
    /// A state by index.
    State(usize),
    /// An observable by index.
    Observable(usize),
    /// A formula: one function for each mode, of that mode's states.
    Formula(Vec<SharedFunction>),
}

/// Where along an orbit a quantity is read.
///
/// ```
/// use slipstick_system::{Measure, Place, catalogue::stiction};
/// let system = stiction();
/// let Measure::At(Place::Entry(modes), _) = &system.monitors[0].measure else { panic!("θ₀ is read where slip begins") };
/// assert!(modes.iter().all(|&mode| system.modes[mode].name.starts_with("slip")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the orbit starts: at phase zero of a forcing.
    Start,
    /// Where it first enters one of these modes.
    Entry(Vec<usize>),
    /// Where one of these events, each by its mode and its index there, first happens, before what it resets.
    Event(Vec<(usize, usize)>),
}

/// What a monitor measures.
///
/// ```
/// use slipstick_system::{Measure, catalogue::stiction};
/// let system = stiction();
/// assert!(matches!(&system.monitors[1].measure, Measure::Duration(modes) if modes == &[system.mode("stick").unwrap()]));
/// ```
#[derive(Clone)]
pub enum Measure {
    /// The duration of the first visit to one of these modes along the word; zero if there is none.
    Duration(Vec<usize>),
    /// The value at one place.
    At(Place, Quantity),
    /// A statistic over the whole period.
    Over(Statistic, Quantity),
    /// The sum over all events of the period of what each is worth, before what it resets; those of a term, each by
    /// its mode and its index there, are worth the value of its quantity.
    Sum(Vec<(Vec<(usize, usize)>, Quantity)>),
}

/// A named scalar of a periodic orbit, beyond the extremes of states that every system has.
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let names: Vec<&str> = system.monitors.iter().map(|monitor| &*monitor.name).collect();
/// assert_eq!(names, ["theta0", "stick"]);
/// ```
#[derive(Clone)]
pub struct OrbitMonitor {
    /// Name in tables.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
}

impl OrbitMonitor {
    /// The duration of the first visit to one of the `modes`.
    pub fn duration(name: impl Into<String>, modes: Vec<usize>) -> Self {
        let (name, measure) = (name.into(), Measure::Duration(modes));
        Self { name, measure }
    }

    /// The value of a quantity where the orbit first enters one of the `modes`.
    pub fn at_entry(name: impl Into<String>, modes: Vec<usize>, of: Quantity) -> Self {
        let (name, measure) = (name.into(), Measure::At(Place::Entry(modes), of));
        Self { name, measure }
    }
}

impl OrbitMonitor {
    /// Is it read where the orbit starts? An orbit without events or forcing may start from anywhere.
    pub fn is_read_at_start(&self) -> bool {
        matches!(self.measure, Measure::At(Place::Start, _))
    }

    /// Can it be held at a value while orbits change?
    ///
    /// # Errors
    /// Extremes: where two turning points are equally high they have a corner.
    pub fn can_be_fixed(&self) -> Result<(), HasCorners> {
        match &self.measure {
            Measure::Over(statistic, _) if !statistic.is_smooth() => Err(HasCorners {
                name: self.name.clone(),
            }),
            _ => Ok(()),
        }
    }
}

/// A monitor that cannot be held at a value, being an extreme.
///
/// ```
/// use slipstick_system::{Measure, OrbitMonitor, Quantity, Statistic};
/// let of = |statistic| OrbitMonitor { name: "top".into(), measure: Measure::Over(statistic, Quantity::State(0)) };
/// assert!(of(Statistic::Rms).can_be_fixed().is_ok());
/// let why = of(Statistic::Max).can_be_fixed().err().unwrap();
/// assert!(why.to_string().contains("`top`") && why.help().contains("Rms"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is an extreme, which is not smooth along curves")]
pub struct HasCorners {
    /// The monitor.
    pub name: String,
}

impl HasCorners {
    /// What to write instead.
    pub fn help(&self) -> &'static str {
        "use a level of a `Mean`, `Rms`, `Integral` or `Value`, or the extreme of a state such as `x_max`"
    }
}
