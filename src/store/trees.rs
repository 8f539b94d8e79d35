//! Trees as they are read from anybody: which entries a store can hold, and which git itself would refuse.

use std::cmp::Ordering;
use std::ops::Range;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::Kind;
use gix::objs::tree::{Entry, EntryKind, EntryMode};

use super::bounded;
use super::error::StoreError;

/// Deeper than any record lies; what lies deeper is not looked at.
pub(super) const DEEPEST: usize = 64;
/// A tree object that is larger (some hundred thousand entries) is not read: in memory it takes twenty times as much.
const LARGEST_TREE: u64 = 8 * 1024 * 1024;
/// No file system that git checks out to has longer names.
const LONGEST_NAME: usize = 255;

/// The entries of one tree; of two with one name the first, which is the one that git looks up.
pub(super) struct Folder {
    /// In byte order of their names.
    pub(super) entries: Vec<Entry>,
    /// Whether git itself would have written these bytes for these entries.
    pub(super) is_canonical: bool,
}

impl Folder {
    /// The entry with this name.
    pub(super) fn get(&self, name: &BStr) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.filename.as_bstr().cmp(name));
        at.ok().map(|at| &self.entries[at])
    }

    /// The entries as git orders them, a folder as if its name ended in a slash.
    pub(super) fn in_order(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort();
        entries
    }
}

/// Reads a tree. None where the object is no tree, or not one that can be read: what lies there is lost for git too. An
/// object that is missing is an error, since another clone has it.
pub(super) fn read(repo: &gix::Repository, id: ObjectId) -> Result<Option<Folder>, StoreError> {
    if id.is_null() {
        return Ok(None);
    }
    if id == ObjectId::empty_tree(repo.object_hash()) {
        return Ok(Some(Folder { entries: Vec::new(), is_canonical: true }));
    }
    let Some(object) = object(repo, id)? else { return Ok(None) };
    let Ok(decoded) = gix::objs::TreeRef::from_bytes(&object.data, repo.object_hash()) else {
        return Ok(None);
    };
    let mut entries = Vec::with_capacity(decoded.entries.len());
    let mut is_canonical = decoded.entries.windows(2).all(|pair| pair[0] <= pair[1]);
    let mut length = 0;
    for found in &decoded.entries {
        let mode = EntryMode::from(found.mode.kind());
        is_canonical &= found.mode == mode;
        length += mode.as_bytes(&mut Default::default()).len()
            + 1
            + found.filename.len()
            + 1
            + found.oid.as_bytes().len();
        entries.push(Entry { mode, filename: found.filename.to_owned(), oid: found.oid.to_owned() });
    }
    // The sort is stable, so that the first of two stays.
    entries.sort_by(|one, two| one.filename.cmp(&two.filename));
    entries.dedup_by(|later, first| later.filename == first.filename);
    // No name twice, and no mode with a zero too many.
    is_canonical &= entries.len() == decoded.entries.len() && length == object.data.len();
    Ok(Some(Folder { entries, is_canonical }))
}

/// The object itself. None where that is no tree, or one that is not read, of which only the size is looked at.
fn object(repo: &gix::Repository, id: ObjectId) -> Result<Option<gix::Object<'_>>, StoreError> {
    bounded::find(repo, id, Kind::Tree, LARGEST_TREE, "cannot read a tree of the store")
}

/// How large a tree is that is not read for its size.
pub(super) fn too_large(repo: &gix::Repository, id: ObjectId) -> Result<Option<u64>, StoreError> {
    if id.is_null() || id == ObjectId::empty_tree(repo.object_hash()) {
        return Ok(None);
    }
    let header = repo.find_header(id).map_err(StoreError::object("cannot read a tree of the store"))?;
    Ok((header.kind() == Kind::Tree && header.size() > LARGEST_TREE).then_some(header.size()))
}

/// What an entry of a tree stands for.
pub(super) type Here = (EntryKind, ObjectId);

/// A name, and what it stands for on each of two sides.
pub(super) type Differing = (BString, Option<Here>, Option<Here>);

/// The entries of a tree by name, without a look at whether git would have written them so. The names stay in the bytes of
/// the tree, since there are hundreds of them and most are only passed by.
#[derive(Default)]
pub(super) struct Entries {
    tree: Vec<u8>,
    /// Where each name begins and ends, in byte order of the names.
    all: Vec<(Range<usize>, Here)>,
}

impl Entries {
    fn name(&self, at: usize) -> Option<&BStr> {
        self.all.get(at).map(|(name, _)| self.tree[name.clone()].as_bstr())
    }

    /// What the tree has under `name`.
    pub(super) fn get(&self, name: &BStr) -> Option<Here> {
        let at = self.all.binary_search_by(|(known, _)| self.tree[known.clone()].as_bstr().cmp(name));
        at.ok().map(|at| self.all[at].1)
    }

    /// All names, in byte order.
    pub(super) fn names(&self) -> impl Iterator<Item = &BStr> {
        self.all.iter().map(|(name, _)| self.tree[name.clone()].as_bstr())
    }
}

/// Reads the entries of a tree. None where that is no tree that can be read to its end.
pub(super) fn entries(repo: &gix::Repository, tree: ObjectId) -> Result<Entries, StoreError> {
    if tree.is_null() || tree == ObjectId::empty_tree(repo.object_hash()) {
        return Ok(Entries::default());
    }
    let Some(object) = object(repo, tree)? else { return Ok(Entries::default()) };
    let tree = object.detach().data;
    let mut all = Vec::with_capacity(tree.len() / 48);
    let mut rest = gix::objs::TreeRefIter::from_bytes(&tree, repo.object_hash());
    while let Some(entry) = rest.next() {
        let Ok(entry) = entry else { return Ok(Entries::default()) };
        // A mode, a blank, the name, a zero, the id.
        let end = rest.offset_to_next_entry(&tree) - entry.oid.as_bytes().len() - 1;
        all.push((end - entry.filename.len()..end, (entry.mode.kind(), entry.oid.to_owned())));
    }
    // Stable, so that of two with one name the first is kept, as in `look_up`.
    all.sort_by(|(one, _), (two, _)| tree[one.clone()].cmp(&tree[two.clone()]));
    all.dedup_by(|(later, _), (first, _)| tree[later.clone()] == tree[first.clone()]);
    Ok(Entries { tree, all })
}

/// The names that two trees differ in, in byte order, and what each has there. Trees that are equal are not opened.
pub(super) fn differing(
    repo: &gix::Repository,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<Differing>, StoreError> {
    if old == new {
        return Ok(Vec::new());
    }
    let read = |tree: Option<ObjectId>| tree.map_or(Ok(Entries::default()), |tree| entries(repo, tree));
    let (old, new) = (read(old)?, read(new)?);
    let (mut one, mut two) = (0, 0);
    let mut found = Vec::new();
    loop {
        let (before, after) = (old.name(one), new.name(two));
        let order = match (before, after) {
            (None, None) => return Ok(found),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(before), Some(after)) => before.cmp(after),
        };
        let was = order.is_le().then(|| old.all[one].1);
        let is = order.is_ge().then(|| new.all[two].1);
        if was != is
            && let Some(name) = if order.is_le() { before } else { after }
        {
            found.push((name.to_owned(), was, is));
        }
        one += usize::from(order.is_le());
        two += usize::from(order.is_ge());
    }
}

/// What lies under `name` in a tree; nothing where that is no tree that can be read.
pub(super) fn look_up(
    repo: &gix::Repository,
    tree: ObjectId,
    name: &BStr,
) -> Result<Option<(ObjectId, EntryKind)>, StoreError> {
    if tree.is_null() || tree == ObjectId::empty_tree(repo.object_hash()) {
        return Ok(None);
    }
    let Some(object) = object(repo, tree)? else { return Ok(None) };
    for entry in gix::objs::TreeRefIter::from_bytes(&object.data, repo.object_hash()) {
        // As in `read`: a tree that cannot be read to its end is none.
        let Ok(entry) = entry else { return Ok(None) };
        if entry.filename == name {
            return Ok(Some((entry.oid.to_owned(), entry.mode.kind())));
        }
    }
    Ok(None)
}

/// What is wrong with an entry that no store holds; none where a merge may take it over.
pub(super) fn refusal(entry: &Entry) -> Option<&'static str> {
    if let Some(why) = name_refusal(entry.filename.as_bstr()) {
        return Some(why);
    }
    match entry.mode.kind() {
        EntryKind::Link => Some("a symbolic link, which no store holds"),
        EntryKind::Commit => Some("a submodule, which no store holds"),
        _ if entry.oid.is_null() => Some("it names no object"),
        _ => None,
    }
}

/// What git refuses itself, on any system that it checks out to, and a little more: names that begin with `.git` are
/// read by git, and `~1` is how Windows shortens them.
pub(super) fn name_refusal(name: &BStr) -> Option<&'static str> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.first().is_some_and(u8::is_ascii_alphanumeric)
        && name.len() <= LONGEST_NAME
        && name.iter().all(is_plain)
    {
        // As all names of records are.
        return None;
    }
    // What HFS+ passes over when it compares names.
    let ignored = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let shown: String = name.to_str_lossy().chars().filter(|c| !ignored(c)).collect();
    let shown = shown.to_lowercase();
    if name.is_empty() {
        Some("a name without a letter")
    } else if name.len() > LONGEST_NAME {
        Some("a name that is too long for a file")
    } else if name.contains(&b'/') || name.contains(&b'\\') || name.contains(&0) {
        Some("a name with a path in it")
    } else if matches!(shown.as_str(), "" | "." | "..") || shown.starts_with(".git") {
        Some("a name that means something else to git or to a file system")
    } else if shown.split_once('~').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit())) {
        Some("a name that Windows takes for another")
    } else {
        None
    }
}

/// What is wrong with a path that no file of a store can have; none where one can.
pub(crate) fn path_refusal(path: &str) -> Option<&'static str> {
    if path.split('/').count() > DEEPEST {
        return Some("it lies deeper than any record");
    }
    path.split('/').find_map(|name| name_refusal(name.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_refuses() {
        for name in [
            "",
            ".",
            "..",
            ".git",
            ".GIT",
            ".git ",
            ".git.",
            ".git::$INDEX_ALLOCATION",
            "git~1",
            "GIT~2",
            ".g\u{200c}it",
            ".gitmodules",
            "a/b",
            "..\\x",
            "a\0b",
            "\u{200d}",
            "gi7eba~1",
        ] {
            assert!(name_refusal(name.into()).is_some(), "{name:?}");
        }
        assert!(name_refusal("x".repeat(256).as_str().into()).is_some());
        for name in ["wf.json", "issues", "...", "a~b", "ISS-001", "\u{202e}txt", "git"] {
            assert!(name_refusal(name.into()).is_none(), "{name:?}");
        }
    }
}
