//! How lists of names and optional values are written in a study.

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// One name or several: `"x"` or `["x", "y"]`.
///
/// ```
/// use slipstick_report::figure::Names;
/// let (one, several): (Names, Names) = (ron::from_str(r#""x""#)?, ron::from_str(r#"["x", "y"]"#)?);
/// assert_eq!((one.0.len(), several.0.len()), (1, 2));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Vec<String>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a column name in quotes or a list of them")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok(vec![name.to_owned()])
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = seq.next_element()? {
                    names.push(name);
                }
                if names.is_empty() {
                    return Err(A::Error::custom("the list of column names is empty"));
                }
                Ok(names)
            }
        }
        deserializer.deserialize_any(OneOrMany).map(Names)
    }
}

/// A value that may be left out but is written without `Some(…)`.
pub(super) fn bare<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
