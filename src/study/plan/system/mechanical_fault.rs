//! What can be wrong with masses, springs and contacts.

/// What is wrong with a `Mechanical(...)` system.
///
/// ```
/// use slipstick_study::{self as study, system::{MechanicalFault, SystemFault}};
/// let text = r#"Study(title: "Wall", system: Mechanical(
///     coordinates: ["x"], masses: {"x": 1},
///     contacts: {"wall": Gap(on: "x", distance: -1, restitution: 0.8)},
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let errors = study.system.unwrap().build("system").err().unwrap();
/// assert_eq!(errors[0].path, "system.contacts.wall.distance");
/// assert!(matches!(&*errors[0].fault, SystemFault::Mechanical(MechanicalFault::NegativeGap { .. })));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MechanicalFault {
    /// Coordinates without a mass.
    #[error("no mass for {}", quoted(coordinates))]
    NoMass {
        /// The coordinates.
        coordinates: Vec<String>,
    },
    /// A mass matrix that cannot be one.
    #[error(
        "the mass matrix is not positive definite at the default parameters: elimination leaves {pivot} of coordinate `{coordinate}`"
    )]
    NotPositive {
        /// The coordinate at which elimination fails.
        coordinate: String,
        /// What is left of its mass.
        pivot: f64,
    },
    /// A mass matrix that differs from its transpose.
    #[error("the mass matrix is not symmetric: its entries of `{row}` and `{column}` differ")]
    NotSymmetric {
        /// One coordinate.
        row: String,
        /// The other one.
        column: String,
    },
    /// A list that is not as long as there are coordinates.
    #[error("{what} has {found} entries, and there are {expected} coordinates")]
    Length {
        /// What it is.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Two keys for one thing.
    #[error("`masses` and `M` both give the mass matrix")]
    TwoMasses,
    /// A name that formulas cannot use.
    #[error("`{}` cannot name a contact: names of modes, events and formulas are made of it", name.escape_debug())]
    BadName {
        /// The name.
        name: String,
    },
    /// A contact of a body with itself.
    #[error("this would be a contact of `{coordinate}` with itself")]
    SameBody {
        /// The coordinate.
        coordinate: String,
    },
    /// A point that no coordinate moves.
    #[error("point `{point}` does not move: all its factors are zero")]
    FixedPoint {
        /// The point.
        point: String,
    },
    /// A belt where there can be none.
    #[error("{what} cannot be against a belt: what counts is the displacement, and a belt goes on for ever")]
    NoBelt {
        /// The kind of element.
        what: &'static str,
    },
    /// A belt whose velocity is not known in advance.
    #[error("the velocity of a belt depends on time and parameters only, and this depends on `{state}`")]
    MovingBelt {
        /// The state.
        state: String,
    },
    /// Contacts that stick in a closed loop.
    #[error(
        "{} can stick at the same time in a closed loop: their forces would then be undetermined",
        quoted(contacts)
    )]
    Loop {
        /// The contacts.
        contacts: Vec<String>,
    },
    /// An obstacle on the wrong side of the rest position.
    #[error("the distance to an obstacle is not negative, and this is {value} at the default parameters")]
    NegativeGap {
        /// What it is.
        value: f64,
    },
    /// Obstacles on both sides without room between them.
    #[error("there is no room between obstacles on both sides at a distance of zero")]
    NoRoom,
    /// Neither rigid nor compliant, or both.
    #[error("an obstacle is rigid, with `restitution`, or compliant, with `stiffness`, and this is {}", if *both { "both" } else { "neither" })]
    RigidOrCompliant {
        /// Are both given?
        both: bool,
    },
    /// A number outside its range.
    #[error("{what} is {range}, and this is {value} at the default parameters")]
    Range {
        /// What it is.
        what: &'static str,
        /// The range in words.
        range: &'static str,
        /// What it is.
        value: f64,
    },
    /// Friction that grows when slip begins.
    #[error("the level of friction in stick, {level}, is below that in slip, {kinetic}, at the default parameters")]
    StaticBelowKinetic {
        /// The level in stick.
        level: f64,
        /// The level in slip.
        kinetic: f64,
    },
    /// Friction whose level jumps where slip turns round, in a way that is not seen from its formula.
    #[error(
        "the level of friction jumps where the relative velocity vanishes, and its formula does not tell the sides apart"
    )]
    LevelJumps,
    /// A start inside an obstacle.
    #[error("at the start the relative displacement of `{contact}` is {value}, beyond the obstacle")]
    StartBeyond {
        /// The contact.
        contact: String,
        /// The displacement.
        value: f64,
    },
    /// A start at rest on an obstacle that has no permanent contact.
    #[error(
        "at the start `{contact}` rests on its obstacle and is pressed to it, where hits would follow each other for ever"
    )]
    RestsUnsaid {
        /// The contact.
        contact: String,
    },
    /// A coordinate that something depends on, said to be cyclic.
    #[error("`{coordinate}` is said to be cyclic, but {what} depends on it")]
    NotCyclic {
        /// The coordinate.
        coordinate: String,
        /// What depends on it.
        what: String,
    },
    /// A mode that names no combination of states.
    #[error("`{part}` is no state of contact `{contact}`; known: {}", quoted(known))]
    UnknownState {
        /// What is written for it.
        part: String,
        /// The contact, in the order of the study.
        contact: String,
        /// Its states.
        known: Vec<String>,
    },
    /// A mode with too few or too many parts.
    #[error("a mode names one state of each of the {expected} contacts in their order, and this has {found} parts")]
    Parts {
        /// How many parts there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A symmetry that takes a contact to none.
    #[error("under this symmetry contact `{contact}` has no image")]
    NoImage {
        /// The contact.
        contact: String,
    },
}

fn quoted(names: &[String]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    all.join(", ")
}

impl MechanicalFault {
    /// A way out, in words.
    pub(crate) fn help(&self) -> Option<String> {
        let text = match self {
            Self::NoMass { coordinates } => {
                let first = coordinates.first().map_or("x", String::as_str);
                return Some(format!(
                    "add `\"{first}\": 1` to `masses`, or give the whole matrix as `M`"
                ));
            }
            Self::NotPositive { .. } => {
                "every motion needs inertia: give each coordinate a positive mass, or leave it out"
            }
            Self::NotSymmetric { .. } => "write the same entry on both sides of the diagonal",
            Self::Length { .. } => "write one for each coordinate, in their order",
            Self::TwoMasses => "leave one of them out",
            Self::BadName { .. } => "use letters, digits and `_`, a letter first",
            Self::SameBody { .. } => {
                "write `against: Ground`, `against: Coordinate(\"...\")` of another one, or `Belt(\"...\")`"
            }
            Self::FixedPoint { .. } => "give at least one coordinate a factor that is not zero",
            Self::NoBelt { .. } => "write `against: Ground` or `against: Coordinate(\"...\")`",
            Self::MovingBelt { .. } => {
                "make the belt a coordinate with a mass of its own: `against: Coordinate(\"belt\")`"
            }
            Self::Loop { .. } => "join two of them to one contact, or let one yield: `Jenkins(k_t: .., limit: ..)`",
            Self::NegativeGap { .. } => {
                "write a distance of zero or more; `side: Below` puts the obstacle on the other side, and a new origin of the coordinate moves it"
            }
            Self::NoRoom => "write a positive distance, or `side: Above`",
            Self::RigidOrCompliant { .. } => "write either `restitution: 0.8` or `stiffness: 100, damping: 1`",
            Self::Range { .. } | Self::StartBeyond { .. } => "write another value",
            Self::RestsUnsaid { .. } => {
                "write `rest: 1e-6`, the speed below which a hit ends in permanent contact, or start elsewhere"
            }
            Self::NotCyclic { .. } => "leave it out of `cyclic`, or the place out of what depends on it",
            Self::StaticBelowKinetic { .. } => "write a larger level in stick, or `Coulomb` for equal levels",
            Self::LevelJumps => {
                "write it with `if(v > 0, ...)`, `sign(v)` or `heaviside(v)` of a multiple of the relative velocity; or write the mean of both levels, and half the backward level less half the forward one as a constant force"
            }
            Self::UnknownState { contact, known, .. } => {
                let first = known.first().map_or("stick", String::as_str);
                return Some(format!("write `{contact}:{first}`"));
            }
            Self::Parts { .. } => "write `belt1:stick,belt2:slip+`",
            Self::NoImage { .. } => {
                "the image of a contact is one of the same kind between the images of its coordinates"
            }
        };
        Some(text.to_owned())
    }
}
