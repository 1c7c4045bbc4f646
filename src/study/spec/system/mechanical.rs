//! `Mechanical(...)`: masses, springs and contacts, of which the program makes the modes.

use crate::spec::system::declared::{ForcingSpec, MonitorSpec};
use crate::spec::system::named::{Named, Number, present};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `Mechanical(...)`: M x'' + C x' + K x = forces, and contacts between coordinates, with the ground or with moving
/// belts. The program makes the modes, one for each combination of the states of the contacts, and the events between
/// them.
///
/// ```ron
/// Mechanical(
///     coordinates: ["x"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///     masses: {"x": 1}, springs: [Spring(on: "x", stiffness: "k")],
///     contacts: {"belt": Coulomb(on: "x", against: Belt("v0"), mu: "mu", normal: 1)},
/// )
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Belt", system: Mechanical(
///     coordinates: ["x"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///     masses: {"x": 1}, springs: [Spring(on: "x", stiffness: "k")],
///     contacts: {"belt": Coulomb(on: "x", against: Belt("v0"), mu: "mu", normal: 1)},
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let built = study.system.unwrap().build("system").map_err(|errors| format!("{errors:?}"))?;
/// let modes: Vec<&str> = built.system.modes.iter().map(|mode| mode.name.as_str()).collect();
/// assert_eq!(modes, ["belt:slip+", "belt:slip-", "belt:stick"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Mechanical")]
#[allow(non_snake_case, reason = "matrices are called as in books")]
pub struct MechanicalSpec {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A sentence or two: what it is, and the source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of their velocities; by default `v_x` of a coordinate `x`. The states are the coordinates, then the
    /// velocities, then the elongations of `Jenkins` elements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocities: Vec<String>,
    /// Cyclic coordinates: nothing depends on their values, which may drift from period to period. They are no states;
    /// their velocities are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cyclic: Vec<String>,
    /// The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub parameters: Named<Number>,
    /// Abbreviations, usable everywhere, in any order.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub define: Named<String>,
    /// For forces and belts that depend on the time `t`: their period.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub forcing: Option<ForcingSpec>,
    /// The mass of each coordinate, where masses are not coupled: a number or a formula of the parameters.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub masses: Named<Number>,
    /// Springs with dampers, added to `K` and `C`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub springs: Vec<SpringSpec>,
    /// The mass matrix, instead of `masses`: symmetric and positive definite.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub M: Option<MatrixSpec>,
    /// The damping matrix.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub C: Option<MatrixSpec>,
    /// The stiffness matrix.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub K: Option<MatrixSpec>,
    /// Further forces on coordinates, formulas of states and time: `{"x": "F*cos(omega*t) - k3*x^3"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub forces: Named<Number>,
    /// Points whose displacements are sums of those of coordinates: `{"tip": {"q1": 2, "q2": -2}}`. Forces, springs and
    /// contacts may be on them as on coordinates; `tip` and its velocity `v_tip` may be used in formulas.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub points: Named<Named<Number>>,
    /// The contacts by name; modes and events are called after them: `belt:stick`, `belt:release+`. The order of the
    /// contacts is that in which events of the same instant happen.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub contacts: Named<ContactSpec>,
    /// Of more than 27 combinations of states of contacts only those become modes that an orbit visits, and these, by
    /// name: `["belt1:stick,belt2:slip+"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// The image of each coordinate, and of the phase, under a symmetry of the system; those of velocities and modes
    /// follow.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub symmetry: Named<String>,
    /// Further columns of the tables. `energy` and, of a contact called `belt`, the dissipated power `belt_power` are
    /// columns of their own where these names are free, and `belt_energy` of one that stores energy; the force
    /// `belt_force` of the contact may be used here. Of a rigid obstacle called `wall`, `wall_loss` is a monitor: the
    /// energy lost at its hits in a period.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub observables: Named<String>,
    /// Named scalars of orbits, as columns of the tables.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub monitors: Named<MonitorSpec>,
    /// The default initial state of trajectories, zero where left out; the mode follows from it. Parameters may enter.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub start: Named<Number>,
    /// Conditions on the parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
}

/// A matrix: all its rows, `[[2, -1], [-1, 2]]`, or its entries by coordinates, `{"x1": {"x1": 2, "x2": -1}, "x2":
/// {"x2": 2}}`, where an entry stands for its mirror image as well unless that is given, too.
///
/// ```
/// use slipstick_study::system::MatrixSpec;
/// let rows: MatrixSpec = ron::from_str(r#"[[2, "-k"], ["-k", 2]]"#)?;
/// let entries: MatrixSpec = ron::from_str(r#"{"x1": {"x1": 2, "x2": "-k"}, "x2": {"x2": 2}}"#)?;
/// assert!(matches!(rows, MatrixSpec::Rows(rows) if rows.len() == 2));
/// assert!(matches!(entries, MatrixSpec::Entries(entries) if entries.get("x2").is_some()));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixSpec {
    /// All its rows.
    Rows(Vec<Vec<Number>>),
    /// Entries by the names of row and column.
    Entries(Named<Named<Number>>),
}

impl Serialize for MatrixSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Rows(rows) => rows.serialize(serializer),
            Self::Entries(entries) => entries.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for MatrixSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = MatrixSpec;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("rows `[[..], [..]]`, or entries `{\"x1\": {\"x2\": ..}}`")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<MatrixSpec, A::Error> {
                let mut all = vec![];
                while let Some(row) = rows.next_element()? {
                    all.push(row);
                }
                Ok(MatrixSpec::Rows(all))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut rows: A) -> Result<MatrixSpec, A::Error> {
                let mut all = vec![];
                while let Some(row) = rows.next_entry()? {
                    all.push(row);
                }
                Ok(MatrixSpec::Entries(Named(all)))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// `Spring(...)`: a linear spring with a damper.
///
/// ```
/// use slipstick_study::system::{AgainstSpec, SpringSpec};
/// let spring: SpringSpec = ron::from_str(r#"Spring(on: "x1", against: Coordinate("x2"), stiffness: "k")"#)?;
/// assert_eq!(spring.against, AgainstSpec::Coordinate("x2".into()));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Spring")]
pub struct SpringSpec {
    /// The coordinate at one end.
    pub on: String,
    /// What is at the other end: `Ground` (the default) or `Coordinate("x2")`.
    #[serde(default)]
    pub against: AgainstSpec,
    /// Force over elongation, a number or a formula of the parameters.
    #[serde(default = "zero")]
    pub stiffness: Number,
    /// Force over rate of elongation.
    #[serde(default = "zero")]
    pub damping: Number,
}

fn zero() -> Number {
    Number::Value(0.0)
}

/// What a coordinate is in contact with.
///
/// ```
/// use slipstick_study::system::{AgainstSpec, Number};
/// assert_eq!(ron::from_str::<AgainstSpec>("Ground")?, AgainstSpec::Ground);
/// let belt = AgainstSpec::Belt(Number::Formula("v0".into()));
/// assert_eq!(ron::from_str::<AgainstSpec>(r#"Belt("v0")"#)?, belt);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Against")]
pub enum AgainstSpec {
    /// What does not move. The default.
    #[default]
    Ground,
    /// A belt with this velocity, a number or a formula of parameters and time: `Belt("v0")`. Where it jumps with time,
    /// as `if(mod(t, T) < D, 1, -3)`, what sticks slips from there on, by the event `belt:jump+` or `belt:jump-`.
    Belt(Number),
    /// Another coordinate: `Coordinate("x2")`.
    Coordinate(String),
}

/// On which side of the relative displacement an obstacle is.
///
/// ```
/// use slipstick_study::system::SideSpec;
/// assert_eq!(ron::from_str::<SideSpec>("Both")?, SideSpec::Both);
/// assert_eq!(SideSpec::default(), SideSpec::Above);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Side")]
pub enum SideSpec {
    /// Contact where the relative displacement reaches `distance` from below. The default.
    #[default]
    Above,
    /// Contact where it reaches `-distance` from above.
    Below,
    /// On both sides.
    Both,
}

/// A contact. Its relative displacement and velocity are those of the coordinate `on` minus those of what it is
/// `against`. Its states are named with each kind.
///
/// ```
/// use slipstick_study::system::{ContactSpec, SideSpec};
/// let wall: ContactSpec = ron::from_str(r#"Gap(on: "x", distance: 1, side: Both, restitution: 0.8)"#)?;
/// assert!(matches!(wall, ContactSpec::Gap { side: SideSpec::Both, restitution: Some(_), stiffness: None, .. }));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Contact")]
pub enum ContactSpec {
    /// Dry friction of the same level in stick and slip. States: `stick`, `slip+`, `slip-`; events: `release+`,
    /// `release-`, `land`, `reverse`.
    Coulomb {
        /// The coordinate it acts on.
        on: String,
        /// The other side.
        #[serde(default)]
        against: AgainstSpec,
        /// The coefficient of friction, a number or a formula. It may differ with the direction: `if(v > 0, mp, mm)`
        /// with the relative velocity.
        mu: Number,
        /// The normal force, a number or a formula; 1 by default.
        #[serde(default = "one")]
        normal: Number,
    },
    /// Dry friction with a higher level in stick; states and events as of `Coulomb`.
    Stiction {
        /// The coordinate it acts on.
        on: String,
        /// The other side.
        #[serde(default)]
        against: AgainstSpec,
        /// The coefficient up to which it sticks.
        mu_s: Number,
        /// The coefficient in slip.
        mu_d: Number,
        /// The normal force; 1 by default.
        #[serde(default = "one")]
        normal: Number,
    },
    /// Dry friction that depends on the relative speed; states and events as of `Coulomb`.
    Stribeck {
        /// The coordinate it acts on.
        on: String,
        /// The other side.
        #[serde(default)]
        against: AgainstSpec,
        /// The coefficient in slip as a formula of the relative speed `v`, which is positive: `"0.2 + 0.1*exp(-v)"`.
        law: Number,
        /// The coefficient up to which it sticks; the law at `v = 0` if left out.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        mu_s: Option<Number>,
        /// The normal force; 1 by default.
        #[serde(default = "one")]
        normal: Number,
    },
    /// A spring in series with dry friction. Its elongation is a state called after it, with `_z`. States: `stick` (the
    /// spring is strained), `slip+`, `slip-`; events: `release+`, `release-`, `land`.
    Jenkins {
        /// The coordinate it acts on.
        on: String,
        /// The other side.
        #[serde(default)]
        against: AgainstSpec,
        /// The stiffness of its spring, a formula of the parameters.
        k_t: Number,
        /// The largest force, a formula of the parameters.
        limit: Number,
    },
    /// An obstacle, rigid (`restitution`) or compliant (`stiffness`, `damping`). Rigid: state `open`, event `hit`
    /// (`hit+` and `hit-` with obstacles on both sides), and with `rest` also state `rest`, events `stop` and
    /// `leave`. Compliant: states `open` and `closed` (`closed+`, `closed-`), events `close` and `open`.
    Gap {
        /// The coordinate it acts on.
        on: String,
        /// The other side; no belt.
        #[serde(default)]
        against: AgainstSpec,
        /// The relative displacement at contact, not negative; a formula of the parameters.
        #[serde(default = "zero")]
        distance: Number,
        /// The side on which the obstacle is.
        #[serde(default)]
        side: SideSpec,
        /// The ratio of the speeds after and before a hit, from 0 to 1.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        restitution: Option<Number>,
        /// A hit slower than this that the forces do not part ends in permanent contact; with `restitution: 0` every
        /// such hit.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        rest: Option<Number>,
        /// Contact force over penetration.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        stiffness: Option<Number>,
        /// Contact force over rate of penetration.
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        damping: Option<Number>,
    },
    /// A force against the relative displacement, of constant size. States: `+` and `-`, the sign of the relative
    /// displacement; events: `switch+`, `switch-`.
    Relay {
        /// The coordinate it acts on.
        on: String,
        /// The other side; no belt.
        #[serde(default)]
        against: AgainstSpec,
        /// The size of the force, a formula of the parameters.
        level: Number,
        /// It switches to `+` at this relative displacement, to `-` at minus it.
        #[serde(default = "zero")]
        hysteresis: Number,
    },
}

fn one() -> Number {
    Number::Value(1.0)
}
