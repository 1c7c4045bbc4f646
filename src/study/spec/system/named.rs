//! The two small shapes that system descriptions are made of: lists of named things in order, and numbers that may be
//! formulas.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use slipstick_system::text::Symbolic;
use std::fmt;
use std::marker::PhantomData;

/// Things by name, written as a map `{"name": thing, ...}`, in the order they are written. Repeated names are kept, to
/// be pointed at.
///
/// ```
/// use slipstick_study::system::Named;
/// // The order of the text is kept.
/// let named: Named<f64> = ron::from_str(r#"{"mu_s": 1.1, "mu_d": 0.4}"#)?;
/// assert_eq!(named.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["mu_s", "mu_d"]);
/// assert_eq!((named.get("mu_d"), named.get("delta")), (Some(&0.4), None));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Named<V>(pub Vec<(String, V)>);

impl<V> Named<V> {
    /// The first thing of this name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }
    /// Names and things in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
    /// Is there nothing?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> Default for Named<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: Serialize> Serialize for Named<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Named<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = Named<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map `{\"name\": ..., ...}`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<V>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// A number, written as such (`10`, `0.4`) or as a formula of numbers in quotation marks (`"8/3"`, `"2*pi"`). Where
/// trajectories start, formulas may use the parameters (`"v0 + 0.1"`).
///
/// ```
/// use slipstick_study::system::Number;
/// assert_eq!(ron::from_str::<Number>("0.4")?, Number::Value(0.4));
/// assert_eq!(ron::from_str::<Number>("\"8/3\"")?, Number::Formula("8/3".into()));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A plain number.
    Value(f64),
    /// A formula; without names but `pi` and `e`, or with those of the parameters.
    Formula(String),
}

impl Number {
    /// What a formula is.
    pub(crate) fn of(formula: &Symbolic) -> Self {
        formula
            .value()
            .map_or_else(|| Self::Formula(formula.to_string()), Self::Value)
    }
}

/// As in a formula.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "{value:e}"),
            Self::Formula(text) => f.write_str(text),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => serializer.serialize_f64(*value),
            Self::Formula(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a formula such as \"8/3\"")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
                Ok(Number::Value(value))
            }
            fn visit_f32<E>(self, value: f32) -> Result<Number, E> {
                Ok(Number::Value(f64::from(value)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(Number::Value(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(Number::Value(value as f64))
            }
            fn visit_str<E>(self, text: &str) -> Result<Number, E> {
                Ok(Number::Formula(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// For optional parts that are written without `Some(...)`.
pub(crate) fn present<'de, D, V>(deserializer: D) -> Result<Option<V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    V::deserialize(deserializer).map(Some)
}
