//! What is written into a log.

use crate::bifurcation::{BranchPoint, End, Label, Pace, Record};
use crate::continuation::{Meshes, Point, Stride};
use serde::{Deserialize, Serialize};

/// One frame of a log. `task` counts the traces and searches of a part of the run in the order in which they are begun.
#[derive(Serialize, Deserialize)]
pub(super) enum Frame {
    /// A point of a trace.
    Point {
        task: usize,
        direction: usize,
        point: Box<KeptPoint>,
        pace: Option<KeptPace>,
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

#[derive(Serialize, Deserialize)]
pub(super) struct KeptPoint {
    z: Vec<f64>,
    tangent: Vec<f64>,
    weights: Vec<f64>,
    meshes: KeptMeshes,
    record: Record,
    label: Option<Label>,
    message: String,
}

/// Meshes stay the same over many points: they are written when they change.
#[derive(Serialize, Deserialize)]
enum KeptMeshes {
    None,
    AsBefore,
    Own(Meshes),
}

impl KeptPoint {
    pub(super) fn of(p: &BranchPoint, before: Option<&Meshes>) -> Self {
        Self {
            z: p.point.z.clone(),
            tangent: p.point.tangent.clone(),
            weights: p.point.weights.clone(),
            meshes: match &p.point.meshes {
                None => KeptMeshes::None,
                Some(own) if before == Some(own) => KeptMeshes::AsBefore,
                Some(own) => KeptMeshes::Own(own.clone()),
            },
            record: p.record.clone(),
            label: p.label,
            message: p.message.clone(),
        }
    }

    pub(super) fn restore(self, before: Option<&Meshes>) -> BranchPoint {
        BranchPoint {
            point: Point {
                z: self.z,
                tangent: self.tangent,
                weights: self.weights,
                meshes: match self.meshes {
                    KeptMeshes::None => None,
                    KeptMeshes::AsBefore => before.cloned(),
                    KeptMeshes::Own(own) => Some(own),
                },
            },
            record: self.record,
            label: self.label,
            message: self.message,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct KeptPace {
    step: f64,
    previous: Vec<(Vec<f64>, Vec<f64>)>,
    travelled: f64,
    steps: usize,
}

impl KeptPace {
    pub(super) fn of(pace: &Pace) -> Self {
        Self {
            step: pace.stride.step,
            previous: pace.stride.previous.clone(),
            travelled: pace.travelled,
            steps: pace.steps,
        }
    }

    pub(super) fn restore(self) -> Pace {
        Pace {
            stride: Stride {
                step: self.step,
                previous: self.previous,
            },
            travelled: self.travelled,
            steps: self.steps,
        }
    }
}
