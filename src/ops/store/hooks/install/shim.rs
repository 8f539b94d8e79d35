//! The text of the shims: how it is made for this machine, and how it is recognized.

use std::path::Path;

use bstr::{ByteSlice, ByteVec};

use crate::trail::hooked::shim_file;

/// Replaced by the path of the program.
const PROGRAM: &str = "@PROGRAM@";
/// Replaced by the name of the hook.
const HOOK: &str = "@HOOK@";
/// Replaced by the part that all shims share.
const COMMON: &str = "@EARLIER@\n";
/// Replaced by what the shell decides alone about a commit.
const UNBOUND: &str = "@UNBOUND@\n";
/// The first line of a hook that git-wf creates. It is not part of what git-wf rewrites.
pub(super) const SHELL: &[u8] = b"#!/bin/sh\n";

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
    /// The part of the file that git-wf writes; `program` is what it runs if `git-wf` is not on the `PATH`.
    pub(super) fn part(&self, program: &Path) -> Vec<u8> {
        let common = include_str!("../../../../../hooks/earlier.sh");
        let unbound = include_str!("../../../../../hooks/unbound.sh");
        let text = self.template.replace(COMMON, common).replace(UNBOUND, unbound).replace(HOOK, self.name);
        let text = text.as_bytes().replace(PROGRAM, quoted(program));
        text.strip_prefix(SHELL).map_or_else(|| text.clone(), <[u8]>::to_vec)
    }

    /// A file that holds nothing else.
    #[cfg(test)]
    pub(super) fn text(&self, program: &Path) -> Vec<u8> {
        [SHELL, &self.part(program)].concat()
    }

    /// Whether someone edited the part of git-wf, of this version. The text of other versions is not known here.
    pub(super) fn is_edited(&self, part: &[u8]) -> bool {
        let version = part.lines().next();
        version.is_some_and(|version| self.template.as_bytes().lines().any(|line| line == version))
            && shim_file::recorded(part).is_none_or(|program| self.part(&program) != part)
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
    use crate::trail::hooked::shim_file::{END, MARKER};

    #[test]
    fn every_shim_is_marked_and_filled_in() {
        for shim in SHIMS {
            let mut lines = shim.template.lines();
            assert_eq!(lines.next(), Some("#!/bin/sh"), "{}", shim.name);
            assert!(lines.next().unwrap().starts_with(MARKER), "{}", shim.name);
            assert_eq!(lines.last(), Some(END), "{}", shim.name);
            assert_eq!(shim.template.matches(COMMON).count(), 1, "{}", shim.name);
            assert!(shim.template.contains(&format!("hook {} \"$@\"", shim.name)), "{}", shim.name);
            let text = String::from_utf8(shim.text(Path::new("/@HOOK@/git-wf"))).unwrap();
            assert!(text.contains("\ngit_wf='/@HOOK@/git-wf'\n"), "{text}");
            assert_eq!(text.matches('@').count(), text.matches("$@").count() + 2, "{text}");
            assert_eq!(shim_file::part(text.as_bytes()), Some(SHELL.len()..text.len()), "{}", shim.name);
        }
    }

    #[test]
    fn what_other_programs_append_runs() {
        for shim in SHIMS {
            let last = shim.template.lines().rev().nth(1).unwrap();
            assert!(!last.contains("exec ") && !last.starts_with("exit"), "{}: {last}", shim.name);
        }
    }

    #[test]
    fn a_recorded_path_is_read_as_it_was_written() {
        for path in ["/usr/bin/git-wf", "/a b/it's '$(here)' \\ \"q\"/git-wf", "/'", "/new\nline"] {
            for shim in SHIMS {
                assert_eq!(shim_file::recorded(&shim.text(Path::new(path))).unwrap(), Path::new(path));
            }
        }
    }
}
