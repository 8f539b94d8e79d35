//! What git itself refuses in a tree: names that it reserves, and bytes that it would not write.

use std::collections::HashSet;
use std::ops::Range;

use bstr::{BStr, ByteSlice};
use gix::objs::tree::{Entry, EntryKind};

use super::{EntryId, LONGEST_NAME};

/// Why git itself refuses an entry; `None` if a merge keeps it.
pub(crate) fn refusal(entry: &Entry) -> Option<&'static str> {
    let nothing = entry.oid.is_null().then_some("it names no object");
    name_refusal(entry.filename.as_bstr()).or(nothing)
}

/// What an entry is that is neither a file nor a directory. It is kept, but not read.
pub(crate) fn unread(kind: EntryKind) -> Option<&'static str> {
    match kind {
        EntryKind::Link => Some("a symbolic link"),
        EntryKind::Commit => Some("a submodule"),
        _ => None,
    }
}

/// Why git refuses a name on any system that it checks out to: a server that checks pushes would reject it. This
/// includes the files that git itself reads, such as `.gitmodules`, since it may refuse their content.
pub(crate) fn name_refusal(name: &BStr) -> Option<&'static str> {
    if name.first().is_some_and(u8::is_ascii_alphanumeric)
        && name.len() <= LONGEST_NAME
        && name.iter().all(is_plain)
    {
        // The names of all records are like this.
        return None;
    }
    if name.is_empty() {
        Some("an empty name")
    } else if name.len() > LONGEST_NAME {
        Some("a name that is too long for a file")
    } else if name.contains(&b'/') || name.contains(&0) {
        Some("a name with a path in it")
    } else if name == "." || name == ".." || is_read_on_hfs(name) || is_read_on_ntfs(name) {
        Some("a name that git reserves")
    } else {
        None
    }
}

fn is_plain(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// A file that git itself reads from a tree.
struct GitFile {
    name: &'static str,
    /// The six letters to which Windows shortens the name.
    short: &'static str,
    /// The letters, made from a hash, that Windows takes if others have used up the short name.
    hashed: &'static str,
}

const GIT_FILES: [GitFile; 2] = [
    GitFile { name: ".gitmodules", short: "gitmod", hashed: "gi7eba" },
    GitFile { name: ".gitattributes", short: "gitatt", hashed: "gi7d29" },
];

/// Whether HFS+ takes the name for one that git reads. It ignores some characters when it compares names.
fn is_read_on_hfs(name: &BStr) -> bool {
    let shown: String = name.to_str_lossy().chars().filter(|c| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')).collect();
    let shown = shown.to_ascii_lowercase();
    shown == ".git" || GIT_FILES.iter().any(|file| shown == file.name)
}

/// Whether NTFS takes the name, or what follows a backslash in it, for one that git reads. It ignores spaces and dots
/// at the end, and everything after a colon.
fn is_read_on_ntfs(name: &BStr) -> bool {
    let name = name.to_ascii_lowercase();
    name.split(|byte| *byte == b'\\').any(|part| {
        let part = part.split(|byte| *byte == b':').next().unwrap_or_default();
        let part = part.trim_end_with(|c| matches!(c, ' ' | '.'));
        matches!(part, b".git" | b"git~1") || GIT_FILES.iter().any(|file| file.is_called(part))
    })
}

impl GitFile {
    /// Whether this is its name in lower case, or a short name of it: the six letters and a number from 1 to 4, or
    /// eight characters, of which the first are those from the hash and the rest are a number.
    fn is_called(&self, name: &[u8]) -> bool {
        if name == self.name.as_bytes() {
            return true;
        }
        let Some((start, number)) = name.split_once_str("~") else { return false };
        let is_numbered = start == self.short.as_bytes() && matches!(number, b"1" | b"2" | b"3" | b"4");
        let is_hashed = name.len() == 8
            && self.hashed.as_bytes().starts_with(start)
            && number.first().is_some_and(|digit| *digit != b'0')
            && number.iter().all(u8::is_ascii_digit);
        is_numbered || is_hashed
    }
}

/// See `Entries::fault`; the entries are in the order of the tree.
pub(super) fn fault_of(tree: &[u8], all: &[(Range<usize>, EntryId)]) -> Option<&'static str> {
    let mut begin = 0;
    let mut names = HashSet::with_capacity(all.len());
    for (name, (kind, oid)) in all {
        let is_padded = tree[begin] == b'0';
        begin = name.end + 1 + oid.as_bytes().len();
        let name = tree[name.clone()].as_bstr();
        // Hosts take a file `.gitattributes`, and a merge leaves it out.
        let is_taken = name.eq_ignore_ascii_case(b".gitattributes")
            && !matches!(kind, EntryKind::Tree | EntryKind::Commit);
        if !is_taken && let Some(why) = name_refusal(name) {
            return Some(why);
        }
        if is_padded {
            return Some("a mode with a zero in front");
        }
        if oid.is_null() {
            return Some("an entry that names no object");
        }
        if !names.insert(name) {
            return Some("a name twice");
        }
    }
    // git compares the name of a directory as if it ended in a slash.
    let sorted_as = |(name, (kind, _)): &(Range<usize>, EntryId)| {
        let slash: &[u8] = if *kind == EntryKind::Tree { b"/" } else { b"" };
        tree[name.clone()].iter().chain(slash).copied()
    };
    let is_sorted = all.is_sorted_by(|one, two| sorted_as(one).le(sorted_as(two)));
    (!is_sorted).then_some("entries that are not sorted")
}
