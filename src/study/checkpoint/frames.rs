//! A file of frames: each with its length and a checksum, appended in few writes.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const HEADER: usize = 4 + 8;

/// Frames wait so long for others to be written with; what a process that is killed loses.
const PAUSE: Duration = Duration::from_millis(50);

/// An append-only file of frames.
#[derive(Debug)]
pub(super) struct Frames {
    file: File,
    waiting: Vec<u8>,
    written: Instant,
}

impl Frames {
    /// Open or create the file; returns the whole frames it holds. What follows the last whole frame is cut off.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Vec<Vec<u8>>)> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let bytes = std::fs::read(path)?;
        let (frames, whole) = split(&bytes);
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::Start(whole as u64))?;
        let own = Self {
            file,
            waiting: vec![],
            written: Instant::now(),
        };
        Ok((own, frames))
    }

    pub(super) fn append(&mut self, payload: &[u8]) -> io::Result<()> {
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        self.waiting.reserve(HEADER + payload.len());
        self.waiting.extend_from_slice(&length.to_le_bytes());
        self.waiting.extend_from_slice(&checksum(payload));
        self.waiting.extend_from_slice(payload);
        if self.is_due() { self.flush() } else { Ok(()) }
    }

    /// Is the next frame to be written at once?
    pub(super) fn is_due(&self) -> bool {
        self.written.elapsed() >= PAUSE
    }

    /// Write the frames that wait.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let outcome = self.file.write_all(&self.waiting);
        self.waiting.clear();
        self.written = Instant::now();
        outcome
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

/// The whole frames at the beginning of `bytes`, and where they end.
pub(super) fn split(bytes: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let mut frames = vec![];
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + HEADER) {
        let length = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
        let begin = at + HEADER;
        let Some(payload) = begin.checked_add(length).and_then(|end| bytes.get(begin..end)) else {
            break;
        };
        if checksum(payload) != header[4..] {
            break;
        }
        frames.push(payload.to_vec());
        at = begin + length;
    }
    (frames, at)
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
