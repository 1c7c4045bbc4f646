//! What the parts of a divided task gave, as bytes: in the log of the run, and in memory only where there is none, so
//! that memory does not grow with their number.

use crate::checkpoint::frames::{Behind, Frames};
use crate::checkpoint::record::Frame;
use crate::checkpoint::sync::note;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Results by the number of their part.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Where the first write that fails is noted.
    trouble: Arc<Mutex<Option<String>>>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    frames: Option<Frames>,
    /// Where each of them lies in the log.
    places: BTreeMap<usize, u64>,
    /// Those that could not be written.
    memory: BTreeMap<usize, Vec<u8>>,
}

impl Parts {
    /// Results that are kept in memory.
    pub(crate) fn in_memory() -> Self {
        Self::default()
    }

    /// Those of a log, which is made if it is not there.
    pub(crate) fn open(path: &Path, trouble: Arc<Mutex<Option<String>>>) -> Self {
        let mut places = BTreeMap::new();
        let place = |place: u64, payload: Vec<u8>| {
            if let Some((part, _)) = value(&payload) {
                places.insert(part, place);
            }
        };
        let frames = Frames::scan(path, place).map_err(|e| note(&trouble, &e)).ok();
        Self {
            trouble,
            inner: Mutex::new(Inner {
                places: if frames.is_some() { places } else { BTreeMap::new() },
                frames,
                memory: BTreeMap::new(),
            }),
        }
    }

    /// The log, for the thread that puts logs onto the disk.
    pub(crate) fn behind(&self) -> Option<Behind> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.frames.as_ref().map(Frames::behind)
    }

    /// Is the result of this part there?
    pub(crate) fn has(&self, part: usize) -> bool {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.places.contains_key(&part) || inner.memory.contains_key(&part)
    }

    /// Keep the result of a part; the first one stays.
    pub(crate) fn put(&self, part: usize, result: &[u8]) {
        if self.has(part) {
            return;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(frames) = &mut inner.frames {
            let frame = Frame::Value {
                task: part,
                value: result.to_vec(),
            };
            let written = postcard::to_stdvec(&frame)
                .map_err(io::Error::other)
                .and_then(|bytes| frames.append_now(&bytes));
            match written {
                Ok(place) => {
                    inner.places.insert(part, place);
                    return;
                }
                // Without a log the run goes on, and says at its end that it could not have been resumed.
                Err(e) => note(&self.trouble, &e),
            }
        }
        inner.memory.insert(part, result.to_vec());
    }

    /// The result of a part.
    ///
    /// # Errors
    /// When it is not there, or cannot be read any more.
    pub(crate) fn get(&self, part: usize) -> io::Result<Vec<u8>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = inner.memory.get(&part) {
            return Ok(result.clone());
        }
        let (Some(place), Some(frames)) = (inner.places.get(&part), &inner.frames) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "a part was not computed"));
        };
        let (_, result) = value(&frames.at(*place)?)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a part of the log is damaged"))?;
        Ok(result)
    }
}

/// The part that a frame is of, and its result.
pub(crate) fn value(payload: &[u8]) -> Option<(usize, Vec<u8>)> {
    match postcard::from_bytes(payload) {
        Ok(Frame::Value { task, value }) => Some((task, value)),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::checkpoint::Checkpoint;
    use crate::run_folder::claim::Claim;

    #[test]
    fn results_are_read_back_in_any_order_also_by_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let claim = Claim::take(folder.path()).unwrap();
        let results: BTreeMap<usize, Vec<u8>> = (0..40).map(|k| ((k * 7) % 40, vec![k as u8; k])).collect();
        for resume in [false, true] {
            let checkpoint = Checkpoint::begin(&claim, "study", &[], &[].into(), resume).unwrap();
            let parts = checkpoint.results("task");
            for (&part, result) in results.iter().filter(|(part, _)| **part % 2 == usize::from(resume)) {
                assert!(!parts.has(part) && parts.get(part).is_err());
                parts.put(part, result);
                // A second result of the same part changes nothing.
                parts.put(part, b"other");
                assert_eq!(&parts.get(part).unwrap(), result);
            }
            for (&part, result) in results.iter().filter(|(part, _)| resume || **part % 2 == 0) {
                assert_eq!(&parts.get(part).unwrap(), result);
            }
            assert_eq!(checkpoint.trouble(), None);
        }
        let parts = Parts::in_memory();
        parts.put(3, b"kept");
        assert!(parts.get(3).unwrap() == b"kept" && !parts.has(2));
    }
}
