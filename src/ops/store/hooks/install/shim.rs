//! The text of the shims: how it is made for this machine, and how it is recognized.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use bstr::{ByteSlice, ByteVec};

/// The second line of every shim, of every version, starts with this. Only files with this line may be rewritten or
/// removed.
const MARKER: &[u8] = b"# git-wf hook shim, version ";
/// Replaced by the path of the program.
const PROGRAM: &str = "@PROGRAM@";
/// Replaced by the name of the hook.
const HOOK: &str = "@HOOK@";
/// Replaced by the part that all shims share.
const COMMON: &str = "@EARLIER@\n";
const ASSIGNMENT: &[u8] = b"\ngit_wf='";
/// Longer files are not shims, and are not read to their end.
const MAX_LEN: u64 = 64 * 1024;

/// Which repository a hook is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookSide {
    /// A repository in which people commit and push.
    Client,
    /// A repository that others push to.
    Server,
}

/// A hook that can be installed.
#[derive(Debug)]
pub(super) struct Shim {
    pub(super) name: &'static str,
    pub(super) side: HookSide,
    template: &'static str,
}

const fn shim(name: &'static str, side: HookSide, template: &'static str) -> Shim {
    Shim { name, side, template }
}

/// All hooks, in listing order.
pub(super) const SHIMS: &[Shim] = &[
    shim("commit-msg", HookSide::Client, include_str!("../../../../../hooks/commit-msg")),
    shim("post-commit", HookSide::Client, include_str!("../../../../../hooks/post-commit")),
    shim("post-merge", HookSide::Client, include_str!("../../../../../hooks/post-merge")),
    shim("post-rewrite", HookSide::Client, include_str!("../../../../../hooks/post-rewrite")),
    shim("pre-push", HookSide::Client, include_str!("../../../../../hooks/pre-push")),
    shim("pre-receive", HookSide::Server, include_str!("../../../../../hooks/pre-receive")),
];

impl Shim {
    /// The content of the file; `program` is what it runs if `git-wf` is not on the `PATH`.
    pub(super) fn text(&self, program: &Path) -> Vec<u8> {
        let common = include_str!("../../../../../hooks/earlier.sh");
        let text = self.template.replace(COMMON, common).replace(HOOK, self.name);
        text.as_bytes().replace(PROGRAM, quoted(program))
    }

    /// Whether someone edited a shim of this version. The text of other versions is not known here.
    pub(super) fn is_edited(&self, text: &[u8]) -> bool {
        let version = |text: &[u8]| text.lines().nth(1).map(<[u8]>::to_vec);
        version(text) == version(self.template.as_bytes())
            && recorded(text).is_none_or(|program| self.text(&program) != text)
    }
}

/// The content of the file at `path` if it is a shim of any version. A link to a shim counts too: kept as an earlier
/// hook, it would call itself.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    // Opening a named pipe would block until someone writes to it.
    if !path.metadata().is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_LEN).read_to_end(&mut text)).ok()?;
    text.lines().nth(1).is_some_and(|line| line.starts_with(MARKER)).then_some(text)
}

/// The program recorded in the text of a shim.
pub(super) fn recorded(text: &[u8]) -> Option<PathBuf> {
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

/// Quotes a path, of any bytes, as one word of a shell.
fn quoted(path: &Path) -> Vec<u8> {
    let path = Vec::from_path_lossy(path);
    [b"'", path.replace(b"'", br"'\''").as_slice(), b"'"].concat()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_shim_bears_the_marker_and_is_filled_in() {
        for shim in SHIMS {
            let mut lines = shim.template.lines();
            assert_eq!(lines.next(), Some("#!/bin/sh"), "{}", shim.name);
            assert!(lines.next().unwrap().as_bytes().starts_with(MARKER), "{}", shim.name);
            assert_eq!(shim.template.matches(COMMON).count(), 1, "{}", shim.name);
            assert!(shim.template.contains(&format!("hook {} \"$@\"", shim.name)), "{}", shim.name);
            let text = String::from_utf8(shim.text(Path::new("/@HOOK@/git-wf"))).unwrap();
            assert!(text.contains("\ngit_wf='/@HOOK@/git-wf'\n"), "{text}");
            assert_eq!(text.matches('@').count(), text.matches("$@").count() + 2, "{text}");
        }
    }

    #[test]
    fn a_recorded_path_is_read_as_it_was_written() {
        for path in ["/usr/bin/git-wf", "/a b/it's '$(here)' \\ \"q\"/git-wf", "/'", "/new\nline"] {
            for shim in SHIMS {
                assert_eq!(recorded(&shim.text(Path::new(path))).unwrap(), Path::new(path));
            }
        }
    }

    #[test]
    fn only_a_marked_file_is_a_shim() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hook");
        assert_eq!(read(&path), None);
        std::fs::write(&path, "#!/bin/sh\necho '# git-wf hook shim, version 1'\n").unwrap();
        assert_eq!(read(&path), None);
        std::fs::write(&path, "#!/bin/bash\n# git-wf hook shim, version 99\n").unwrap();
        assert!(read(&path).is_some());
        assert_eq!(read(dir.path()), None);
    }
}
