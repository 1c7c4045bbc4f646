//! What is written into a log.

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use slipstick_bifurcation::{BranchPoint, End, Label, Pace, Record};
use slipstick_continuation::{Meshes, Point, Stride};
use std::fmt;

/// One frame of a log. `task` counts the traces and searches of a part of the run in the order in which they are begun.
#[derive(Serialize, Deserialize)]
pub(crate) enum Frame {
    /// A point of a trace.
    Point {
        task: usize,
        direction: usize,
        point: Box<SavedPoint>,
        pace: Option<SavedSteps>,
    },
    /// The end of one direction of a trace, with the label and message that its last point has then.
    End {
        task: usize,
        direction: usize,
        end: End,
        last: Option<(Option<Label>, String)>,
    },
    /// Only the first points of a trace count: those behind them are found again.
    Rewind {
        task: usize,
        direction: usize,
        points: usize,
    },
    /// The result of a search.
    Value { task: usize, value: Vec<u8> },
}

/// Numbers as they lie in memory: they are most of a log.
struct Numbers(Vec<f64>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = vec![0; 8 * self.0.len()];
        for (to, v) in bytes.chunks_exact_mut(8).zip(&self.0) {
            to.copy_from_slice(&v.to_le_bytes());
        }
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Numbers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("eight bytes for each number")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Numbers, E> {
                let (words, []) = bytes.as_chunks::<8>() else {
                    return Err(E::invalid_length(bytes.len(), &self));
                };
                Ok(Numbers(words.iter().map(|word| f64::from_le_bytes(*word)).collect()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct SavedPoint {
    z: Numbers,
    tangent: Numbers,
    weights: Numbers,
    meshes: SavedMeshes,
    record: Record,
    label: Option<Label>,
    message: String,
}

/// Meshes stay the same over many points: they are written when they change.
#[derive(Serialize, Deserialize)]
enum SavedMeshes {
    None,
    AsBefore,
    Own(Meshes),
}

impl SavedPoint {
    pub(crate) fn of(p: &BranchPoint, before: Option<&Meshes>) -> Self {
        Self {
            z: Numbers(p.point.z.clone()),
            tangent: Numbers(p.point.tangent.clone()),
            weights: Numbers(p.point.weights.clone()),
            meshes: match &p.point.meshes {
                None => SavedMeshes::None,
                Some(own) if before == Some(own) => SavedMeshes::AsBefore,
                Some(own) => SavedMeshes::Own(own.clone()),
            },
            record: p.record.clone(),
            label: p.label,
            message: p.message.clone(),
        }
    }

    pub(crate) fn restore(self, before: Option<&Meshes>) -> BranchPoint {
        BranchPoint {
            point: Point {
                z: self.z.0,
                tangent: self.tangent.0,
                weights: self.weights.0,
                meshes: match self.meshes {
                    SavedMeshes::None => None,
                    SavedMeshes::AsBefore => before.cloned(),
                    SavedMeshes::Own(own) => Some(own),
                },
            },
            record: self.record,
            label: self.label,
            message: self.message,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct SavedSteps {
    step: f64,
    growth: f64,
    previous: Vec<(Numbers, Numbers)>,
    travelled: f64,
    steps: usize,
    short_steps: usize,
    retries: usize,
    memory: Numbers,
}

impl SavedSteps {
    pub(crate) fn of(pace: &Pace) -> Self {
        Self {
            step: pace.stride.step,
            growth: pace.stride.growth,
            previous: pace
                .stride
                .previous
                .iter()
                .map(|(z, tangent)| (Numbers(z.clone()), Numbers(tangent.clone())))
                .collect(),
            travelled: pace.travelled,
            steps: pace.steps,
            short_steps: pace.short_steps,
            retries: pace.retries,
            memory: Numbers(pace.memory.clone()),
        }
    }

    pub(crate) fn restore(self) -> Pace {
        Pace {
            stride: Stride {
                step: self.step,
                growth: self.growth,
                previous: self.previous.into_iter().map(|(z, tangent)| (z.0, tangent.0)).collect(),
            },
            travelled: self.travelled,
            steps: self.steps,
            short_steps: self.short_steps,
            retries: self.retries,
            memory: self.memory.0,
        }
    }
}
