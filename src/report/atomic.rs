//! Files that appear whole or not at all.

use super::ReportError;
use std::io::Write;
use std::path::Path;

/// Write `bytes` to `path` so that at any moment, whatever happens, the file is either the old one (or absent) or the
/// new one.
///
/// The bytes go to a temporary file in the same folder, are flushed to the disk, and the file is then renamed over
/// `path`. Missing parent folders are created.
///
/// # Errors
/// [`ReportError::Io`] with the path when the folder cannot be created or written; nothing is left behind then.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), ReportError> {
    let path = path.as_ref();
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(|source| ReportError::io(folder, source))?;
    replace(path, folder, bytes).map_err(|source| ReportError::io(path, source))
}

fn replace(path: &Path, folder: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".part");
    // Temporary files are private by default; results get the permissions of any other new file (0o666 less the umask).
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The rename itself lives in the folder: without this a power cut may undo it.
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn writes_replaces_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/points.csv");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_refused_write_names_the_path_and_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let occupied = folder.path().join("occupied");
        std::fs::create_dir(&occupied).unwrap();
        std::fs::write(occupied.join("inside"), "kept").unwrap();
        let error = write_atomically(&occupied, b"new").unwrap_err();
        assert!(error.to_string().contains("occupied"), "{error}");
        assert_eq!(std::fs::read(occupied.join("inside")).unwrap(), b"kept");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn files_are_readable_like_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write_atomically(&ours, b"x").unwrap();
        std::fs::write(&plain, b"x").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
