//! The shims of git-wf among the files of a hooks directory: how they are recognized, and what they run.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

/// The first line of the part that git-wf wrote starts with this, in every version.
pub(crate) const MARKER: &str = "# git-wf hook shim, version ";
/// The last line of that part.
pub(crate) const END: &str = "# end of the git-wf hook shim";
const ASSIGNMENT: &[u8] = b"\ngit_wf='";
const PROGRAM: &str = "git-wf";
/// Longer files are not read to their end.
const MAX_LEN: u64 = 256 * 1024;

/// The content of a hook; none if it is not a file that can be read.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    // Opening a named pipe would block until someone writes to it.
    if !path.metadata().is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_LEN).read_to_end(&mut text)).ok()?;
    Some(text)
}

/// The part of a hook that git-wf wrote: from its first marker line to the end of its last. A shim without its last line
/// is of an older version, and has nothing else below.
pub(crate) fn part(text: &[u8]) -> Option<Range<usize>> {
    let mut start = None;
    let mut at = 0;
    for line in text.lines_with_terminator() {
        let next = at + line.len();
        match start {
            None if line.starts_with(MARKER.as_bytes()) => start = Some(at),
            Some(start) if line.trim_end() == END.as_bytes() => return Some(start..next),
            _ => {}
        }
        at = next;
    }
    start.map(|start| start..text.len())
}

/// The program recorded in a shim.
pub(crate) fn recorded(text: &[u8]) -> Option<PathBuf> {
    let mut rest = &text[text.find(ASSIGNMENT)? + ASSIGNMENT.len()..];
    let mut path = Vec::new();
    loop {
        let end = rest.find_byte(b'\'')?;
        path.extend_from_slice(&rest[..end]);
        match rest[end..].strip_prefix(br"'\''") {
            Some(more) => rest = more,
            None => return path.to_path().ok().map(Path::to_owned),
        }
        path.push(b'\'');
    }
}

/// The program that a shim with this text runs: the one on that `PATH`, else the recorded one.
pub(crate) fn called(search: Option<&OsStr>, text: &[u8]) -> Option<PathBuf> {
    let on_path = search.and_then(|search| {
        let folders = env::split_paths(search).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(PROGRAM)).find(|program| is_executable(program))
    });
    on_path.or_else(|| recorded(text).filter(|program| is_executable(program)))
}

/// Whether git would run the file as a hook.
pub(crate) fn is_executable(path: &Path) -> bool {
    let Ok(found) = path.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    found.is_file() && may_run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_of_git_wf_ends_with_its_last_line() {
        let text = format!("#!/bin/sh\necho before\n{MARKER}5\necho ours\n{END}\necho after\n");
        let part = part(text.as_bytes()).map(|part| &text[part]);
        assert_eq!(part, Some(&*format!("{MARKER}5\necho ours\n{END}\n")));
    }

    #[test]
    fn without_a_last_line_the_part_reaches_to_the_end() {
        let text = format!("#!/bin/sh\n{MARKER}4\necho ours\n");
        assert_eq!(part(text.as_bytes()), Some(10..text.len()));
        assert_eq!(part(b"#!/bin/sh\necho '# git-wf hook shim, version 5'\n"), None);
    }

    #[test]
    fn the_program_on_the_path_comes_before_the_recorded_one() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (recorded, folder) = (dir.path().join("recorded"), dir.path().join("on-path"));
        let text = format!("{MARKER}5\ngit_wf='{}'\n", recorded.display());
        let search = env::join_paths([Path::new("."), Path::new("/nowhere"), &folder]).expect("a PATH");
        assert_eq!(called(Some(&search), text.as_bytes()), None);
        let write = |path: &Path| {
            std::fs::write(path, "").expect("a file");
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
        };
        write(&recorded);
        assert_eq!(called(Some(&search), text.as_bytes()), Some(recorded));
        std::fs::create_dir(&folder).expect("a directory");
        write(&folder.join(PROGRAM));
        assert_eq!(called(Some(&search), text.as_bytes()), Some(folder.join(PROGRAM)));
    }

    #[test]
    fn a_named_pipe_or_a_directory_is_not_a_hook() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        assert_eq!(read(dir.path()), None);
        assert_eq!(read(&dir.path().join("none")), None);
    }
}
