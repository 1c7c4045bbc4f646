//! A file of frames: each with its length and a checksum, appended in few writes.

use crate::run_folder::own;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const HEADER: usize = 4 + 8;

/// Frames wait so long for others to be written with.
const PAUSE: Duration = Duration::from_millis(50);

/// An append-only file of frames.
#[derive(Debug)]
pub(crate) struct Frames(Arc<Mutex<Log>>);

#[derive(Debug)]
struct Log {
    file: Arc<File>,
    /// Where what is written ends.
    end: u64,
    waiting: Vec<u8>,
    written: Instant,
    /// Is there something in the file that may not be on the disk?
    unsynced: bool,
    /// The first write that failed: from then on nothing is written, because frames behind a gap would be lost all the
    /// same.
    failed: Option<io::Error>,
}

/// The same file, for the thread that puts files onto the disk.
#[derive(Debug)]
pub(crate) struct Behind(Arc<Mutex<Log>>);

impl Frames {
    /// Open or create the file; returns the whole frames it holds. What follows the last whole frame is cut off.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Vec<Vec<u8>>)> {
        let mut frames = vec![];
        let log = Self::scan(path, |_, payload| frames.push(payload))?;
        Ok((log, frames))
    }

    /// As [`Frames::open`], with `each` whole frame and its place in the file, one after the other.
    pub(crate) fn scan(path: &Path, each: impl FnMut(u64, Vec<u8>)) -> io::Result<Self> {
        let found = match std::fs::symlink_metadata(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => true,
            _ => own::is_log(path),
        };
        if !found {
            let why = format!("{} is not a log of slipstick", path.display());
            return Err(io::Error::other(why));
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let whole = whole_frames(&file, each)?;
        file.set_len(whole)?;
        file.seek(SeekFrom::Start(whole))?;
        let log = Log {
            file: Arc::new(file),
            end: whole,
            waiting: if whole == 0 { own::LOG.to_vec() } else { vec![] },
            written: Instant::now(),
            unsynced: false,
            failed: None,
        };
        Ok(Self(Arc::new(Mutex::new(log))))
    }

    /// Write a frame at once; returns its place in the file.
    pub(crate) fn append_now(&mut self, payload: &[u8]) -> io::Result<u64> {
        self.append(payload)?;
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.flush()?;
        Ok(log.end - (HEADER + payload.len()) as u64)
    }

    /// The frame at a place in the file that [`Frames::scan`] or [`Frames::append_now`] gave.
    pub(crate) fn at(&self, place: u64) -> io::Result<Vec<u8>> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = &*log.file;
        file.seek(SeekFrom::Start(place))?;
        let frame = next_frame(&mut file);
        file.seek(SeekFrom::Start(log.end))?;
        frame?.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a part of the log is damaged"))
    }

    pub(crate) fn behind(&self) -> Behind {
        Behind(Arc::clone(&self.0))
    }

    pub(crate) fn append(&mut self, payload: &[u8]) -> io::Result<()> {
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.waiting.reserve(HEADER + payload.len());
        log.waiting.extend_from_slice(&length.to_le_bytes());
        log.waiting.extend_from_slice(&checksum(payload));
        log.waiting.extend_from_slice(payload);
        log.unsynced = true;
        if log.written.elapsed() >= PAUSE {
            log.flush()
        } else {
            log.failure()
        }
    }

    /// Is the next frame to be written at once?
    pub(crate) fn is_due(&self) -> bool {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.written.elapsed() >= PAUSE
    }

    /// Write the frames that wait.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

impl Log {
    fn failure(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), |e| {
            let again = io::Error::new(e.kind(), e.to_string());
            self.failed = Some(again);
            Err(e)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.failure()?;
        let outcome = (&*self.file).write_all(&self.waiting);
        self.end += self.waiting.len() as u64;
        self.waiting.clear();
        self.written = Instant::now();
        if let Err(e) = outcome {
            self.failed = Some(e);
        }
        self.failure()
    }
}

impl Behind {
    /// Will nothing be appended any more?
    pub(crate) fn is_closed(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Write what waits and put it onto the disk, without keeping who appends waiting for the disk.
    pub(crate) fn catch_up(&self) -> io::Result<()> {
        let file = {
            let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !std::mem::take(&mut log.unsynced) {
                return Ok(());
            }
            if !log.waiting.is_empty() {
                log.flush()?;
            }
            Arc::clone(&log.file)
        };
        file.sync_data()
    }
}

/// Fowler, Noll and Vo's hash (FNV-1a), eight bytes at a time: enough to tell a frame that was not written whole.
fn checksum(payload: &[u8]) -> [u8; 8] {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    let (words, rest) = payload.as_chunks::<8>();
    let whole = words.iter().fold(BASIS ^ payload.len() as u64, |hash, word| {
        (hash ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME)
    });
    let hash = rest
        .iter()
        .fold(whole, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    hash.to_le_bytes()
}

/// The whole frames of a file, each with its place; returns where they end, 0 where there is not even the line that a
/// log begins with.
pub(crate) fn whole_frames(file: &File, mut each: impl FnMut(u64, Vec<u8>)) -> io::Result<u64> {
    let mut reader = BufReader::new(file);
    let mut begin = vec![];
    reader.by_ref().take(own::LOG.len() as u64).read_to_end(&mut begin)?;
    if begin != own::LOG {
        return Ok(0);
    }
    let mut place = own::LOG.len() as u64;
    while let Some(payload) = next_frame(&mut reader)? {
        let next = place + (HEADER + payload.len()) as u64;
        each(place, payload);
        place = next;
    }
    Ok(place)
}

/// The next frame, if it is there and whole.
fn next_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut header = vec![];
    from.take(HEADER as u64).read_to_end(&mut header)?;
    let &[a, b, c, d, ref sum @ ..] = &header[..] else {
        return Ok(None);
    };
    let length = u32::from_le_bytes([a, b, c, d]);
    let mut payload = vec![];
    from.take(length.into()).read_to_end(&mut payload)?;
    let whole = payload.len() == length as usize && sum == checksum(&payload);
    Ok(whole.then_some(payload))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cut_anywhere_gives_the_frames_before_the_cut_and_can_be_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let payloads: Vec<Vec<u8>> = (0..5u8).map(|k| vec![k; 7 * k as usize]).collect();
        let (mut frames, found) = Frames::open(&path).unwrap();
        assert!(found.is_empty());
        for payload in &payloads {
            frames.append(payload).unwrap();
        }
        frames.flush().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut frames, found) = Frames::open(&path).unwrap();
            assert_eq!(found, payloads[..found.len()]);
            assert!(found.len() < payloads.len());
            frames.append(b"more").unwrap();
            frames.flush().unwrap();
            let (_, again) = Frames::open(&path).unwrap();
            assert_eq!(
                (again.len(), again.last().unwrap().as_slice()),
                (found.len() + 1, &b"more"[..])
            );
        }
    }

    #[test]
    fn a_damaged_frame_ends_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (mut frames, _) = Frames::open(&path).unwrap();
        frames.append(b"first").unwrap();
        frames.append(b"second").unwrap();
        frames.flush().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Frames::open(&path).unwrap().1, [b"first".to_vec()]);
    }
}
