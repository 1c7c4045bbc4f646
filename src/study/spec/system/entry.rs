//! The system of a study: built in, or written down as equations.
//!
//! ```ron
//! system: Stiction(mu_s: 1.1, mu_d: 0.4),
//! system: Smooth(states: ["x", "y"], parameters: {"mu": 1}, equations: ["x' = y", "y' = mu*(1 - x^2)*y - x"]),
//! ```
//!
//! [`SystemSpec`] is what is written; [`SystemSpec::build`] turns it into a [`System`], or says everything that is
//! wrong with it, each fault with its place in the study. Equations and formulas are written in the language of
//! [`slipstick_system::text`].

use crate::spec::system::bowed::BowedSystemSpec;
use crate::spec::system::declared::ForcingSpec;
use crate::spec::system::declared::HybridSpec;
use crate::spec::system::declared::MapSpec;
use crate::spec::system::declared::MonitorSpec;
use crate::spec::system::declared::SmoothSpec;
use crate::spec::system::filippov::FilippovSpec;
use crate::spec::system::mechanical::MechanicalSpec;
use crate::spec::system::named::Named;
use crate::spec::system::named::Number;
use crate::spec::system::regularised::{JumpingSpec, RegularisedSpec};
use crate::spec::system::tangencies::{TangenciesSpec, TangentSpec};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, VariantAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use std::fmt;

/// A system as a study writes it.
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Stiction", system: Stiction(mu_s: 1.2))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Builtin { name, parameters, .. }) = &study.system else { panic!("it is a built-in system") };
/// assert!(name == "Stiction" && parameters.get("mu_s").is_some());
/// // Built, it has the other parameters, too.
/// let built = study.system.as_ref().unwrap().build("system").map_err(|errors| format!("{errors:?}"))?;
/// assert_eq!(built.system.parameters.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum SystemSpec {
    /// `Smooth(...)`: ordinary differential equations.
    Smooth(SmoothSpec),
    /// `Map(...)`: a map, iterated.
    Map(MapSpec),
    /// `Hybrid(...)`: modes joined by events.
    Hybrid(HybridSpec),
    /// `Filippov(...)`: a field that jumps at surfaces.
    Filippov(FilippovSpec),
    /// `Regularised(...)`: the slow–fast twin of such a system.
    Regularised(RegularisedSpec),
    /// `Tangencies(...)`: the points at which fields of such a system are tangent to a surface.
    Tangencies(Box<TangenciesSpec>),
    /// `Mechanical(...)`: masses, springs and contacts.
    Mechanical(Box<MechanicalSpec>),
    /// `BowedStructure(...)`: an elastic structure under friction at one point.
    Bowed(BowedSystemSpec),
    /// A built-in system by its name, with those parameters that differ from its defaults: `Stiction(mu_s: 1.1)`.
    Builtin {
        /// The name.
        name: String,
        /// The parameters.
        parameters: Named<Number>,
        /// Monitors besides its own.
        monitors: Named<MonitorSpec>,
    },
}

/// Systems with keys of their own.
pub(crate) const WRITTEN: [&str; 8] = [
    "Smooth",
    "Map",
    "Hybrid",
    "BowedStructure",
    "Filippov",
    "Regularised",
    "Mechanical",
    "Tangencies",
];

/// Names of one kind that a system declares: the key they stand under, what they are, and their plain spellings in
/// order.
type Declared = (&'static str, &'static str, Vec<String>);

impl SystemSpec {
    /// The forcing, of a system that depends on time.
    pub(crate) fn forcing(&self) -> Option<&ForcingSpec> {
        match self {
            Self::Smooth(spec) => spec.forcing.as_ref(),
            Self::Hybrid(spec) => spec.forcing.as_ref(),
            Self::Filippov(spec) => spec.forcing.as_ref(),
            Self::Regularised(spec) => match &spec.of {
                JumpingSpec::Filippov(of) => of.forcing.as_ref(),
                JumpingSpec::Mechanical(of) => of.forcing.as_ref(),
            },
            Self::Mechanical(spec) => spec.forcing.as_ref(),
            _ => None,
        }
    }

    /// The names that a system written down as equations declares.
    pub(crate) fn names(&self) -> Vec<Declared> {
        let plain = |name: &str| slipstick_system::text::plain_name(name);
        let keys = |map: &Named<String>| map.iter().map(|(name, _)| plain(name)).collect();
        let named = |map: &Named<MonitorSpec>| map.iter().map(|(name, _)| plain(name)).collect();
        let (parameters, states, observables, monitors) = match self {
            Self::Smooth(s) => (&s.parameters, &s.states, &s.observables, &s.monitors),
            Self::Map(s) => (&s.parameters, &s.states, &s.observables, &s.monitors),
            Self::Hybrid(s) => (&s.parameters, &s.states, &s.observables, &s.monitors),
            Self::Filippov(s)
            | Self::Regularised(RegularisedSpec {
                of: JumpingSpec::Filippov(s),
                ..
            }) => (&s.parameters, &s.states, &s.observables, &s.monitors),
            Self::Tangencies(spec) => {
                let TangentSpec::Filippov(s) = &spec.of;
                (&s.parameters, &s.states, &s.observables, &s.monitors)
            }
            Self::Builtin { monitors, .. } => return vec![("monitors", "monitor", named(monitors))],
            Self::Mechanical(s)
            | Self::Regularised(RegularisedSpec {
                of: JumpingSpec::Mechanical(s),
                ..
            }) => (&s.parameters, &s.coordinates, &s.observables, &s.monitors),
            Self::Bowed(_) => return vec![],
        };
        let parameters = parameters.iter().map(|(name, _)| plain(name)).collect();
        let states = states.iter().map(|name| plain(name)).collect();
        let mechanical = match self {
            Self::Mechanical(spec)
            | Self::Regularised(RegularisedSpec {
                of: JumpingSpec::Mechanical(spec),
                ..
            }) => Some(spec),
            _ => None,
        };
        let list = if mechanical.is_some() { "coordinates" } else { "states" };
        let mut names = vec![
            ("parameters", "parameter", parameters),
            (list, "state", states),
            ("observables", "observable", keys(observables)),
            ("monitors", "monitor", named(monitors)),
        ];
        if let Some(spec) = mechanical {
            names.push((
                "velocities",
                "state",
                spec.velocities.iter().map(|name| plain(name)).collect(),
            ));
        }
        if let Some(forcing) = self.forcing() {
            names.push(("forcing", "phase", vec![plain(&forcing.phase)]));
        }
        names
    }
}

impl Serialize for SystemSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Smooth(spec) => serializer.serialize_newtype_variant("System", 0, "Smooth", spec),
            Self::Map(spec) => serializer.serialize_newtype_variant("System", 1, "Map", spec),
            Self::Hybrid(spec) => serializer.serialize_newtype_variant("System", 2, "Hybrid", spec),
            Self::Bowed(spec) => serializer.serialize_newtype_variant("System", 3, "BowedStructure", spec),
            Self::Filippov(spec) => serializer.serialize_newtype_variant("System", 4, "Filippov", spec),
            Self::Regularised(spec) => serializer.serialize_newtype_variant("System", 5, "Regularised", spec),
            Self::Mechanical(spec) => serializer.serialize_newtype_variant("System", 6, "Mechanical", spec),
            Self::Tangencies(spec) => serializer.serialize_newtype_variant("System", 7, "Tangencies", spec),
            Self::Builtin {
                name,
                parameters,
                monitors,
            } => Named(vec![(name.clone(), Arguments { parameters, monitors })]).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SystemSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("System", &WRITTEN, SystemVisitor)
    }
}

struct SystemVisitor;

impl<'de> Visitor<'de> for SystemVisitor {
    type Value = SystemSpec;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a system: Smooth(...), Map(...), Hybrid(...), Filippov(...), Regularised(...), Tangencies(...), Mechanical(...) or the name of a built-in one with its parameters")
    }
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<SystemSpec, A::Error> {
        let (name, variant) = data.variant_seed(Identifier)?;
        match name.as_str() {
            "Smooth" => SmoothSpec::deserialize(Fields(variant)).map(SystemSpec::Smooth),
            "Map" => MapSpec::deserialize(Fields(variant)).map(SystemSpec::Map),
            "Hybrid" => HybridSpec::deserialize(Fields(variant)).map(SystemSpec::Hybrid),
            "Filippov" => FilippovSpec::deserialize(Fields(variant)).map(SystemSpec::Filippov),
            "Regularised" => RegularisedSpec::deserialize(Fields(variant)).map(SystemSpec::Regularised),
            "Tangencies" => {
                TangenciesSpec::deserialize(Fields(variant)).map(|spec| SystemSpec::Tangencies(Box::new(spec)))
            }
            "Mechanical" => {
                MechanicalSpec::deserialize(Fields(variant)).map(|spec| SystemSpec::Mechanical(Box::new(spec)))
            }
            "BowedStructure" => BowedSystemSpec::deserialize(Fields(variant)).map(SystemSpec::Bowed),
            _ => variant
                .struct_variant(&[], ParameterVisitor)
                .map(|(parameters, monitors)| SystemSpec::Builtin {
                    name,
                    parameters,
                    monitors,
                }),
        }
    }
}

/// The key of a built-in system that is no parameter.
const MONITORS: &str = "monitors";

/// What a built-in system is given, as one map.
struct Arguments<'a> {
    parameters: &'a Named<Number>,
    monitors: &'a Named<MonitorSpec>,
}

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.parameters.iter() {
            map.serialize_entry(name, value)?;
        }
        if !self.monitors.is_empty() {
            map.serialize_entry(MONITORS, self.monitors)?;
        }
        map.end()
    }
}

/// The parameters of a built-in system, written as the fields of a struct, and its monitors.
struct ParameterVisitor;

impl<'de> Visitor<'de> for ParameterVisitor {
    type Value = (Named<Number>, Named<MonitorSpec>);
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters by name, as in `(mu_s: 1.1)`")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut parameters, mut monitors) = (Vec::new(), Named::default());
        while let Some(name) = map.next_key_seed(Identifier)? {
            if name == MONITORS {
                monitors = map.next_value()?;
            } else {
                parameters.push((name, map.next_value()?));
            }
        }
        Ok((Named(parameters), monitors))
    }
}

/// Any identifier, as a string.
struct Identifier;

impl<'de> DeserializeSeed<'de> for Identifier {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = String;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E>(self, name: &str) -> Result<String, E> {
                Ok(name.to_owned())
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}

/// The fields of an enum's variant, read as a struct of their own.
struct Fields<A>(A);

impl<'de, A: VariantAccess<'de>> Deserializer<'de> for Fields<A> {
    type Error = A::Error;
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("expected `(key: value, ...)`"))
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, visitor)
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}
