//! The merge of trees is a join: in whatever order and grouping states are merged, the result is one tree.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

use bounds::{bounded, crowd};

use super::*;
use crate::git::{Entry, EntryKind, GitError, Kind, ObjectId, Repository, TreeRef};
use crate::model::{EntryId, IssueId, fixtures};
use crate::store::layout;

mod bounds;
mod mutations;
mod records;

/// One repository for all cases; objects are made in memory only.
static REPOSITORY: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    Repository::init_bare(folder.path());
    folder
});

fn repo() -> Repository {
    Repository::open_isolated(REPOSITORY.path()).in_memory()
}

/// The paths used: records, an entry, unknown files, and a name that is a file in one state and a directory in
/// another.
const PLACES: usize = 7;

fn place(n: usize) -> String {
    let issue = |id: &str| layout::issue(&IssueId::parse(id).unwrap());
    match n {
        0 => "wf.json".into(),
        1 => issue("ISS-001"),
        2 => issue("GH-2"),
        3 => layout::entry(&layout::comments(&IssueId::parse("ISS-001").unwrap()), &comment(3).0),
        4 => "notes".into(),
        5 => "notes/deep/file".into(),
        _ => "issues/zz/ISS-001/issue.json".into(),
    }
}

fn stamp(tick: u8) -> String {
    format!("2026-11-21T02:14:05.{tick:03}Z/00000/0000000{}", tick % 3)
}

/// A comment with the name that its content requires.
fn comment(variant: u8) -> (EntryId, serde_json::Value) {
    let body = json!({"body": format!("{variant}"), "author": "a", "created_at": "2026-11-21T02:14:05.123Z"});
    fixtures::entry("20261121T021405123Z-00000", body)
}

/// A version of the record at a path: valid in several ways, in a form that this program never writes, or broken.
fn bytes(place: usize, variant: u8) -> Vec<u8> {
    let id = if place == 2 { "GH-2" } else { "ISS-001" };
    let value = match (place, variant) {
        (_, 0) => return b"{".to_vec(),
        (_, 1) => return b"\xff\xfe".to_vec(),
        (0, _) => json!({"format": 1, "project": {"guidelines": variant}}),
        // Under one entry's name: valid in two forms, and in the other versions rewritten.
        (3, 3 | 8) => comment(3).1,
        (3, 4) => comment(4).1,
        (3, _) => {
            let mut rewritten = comment(variant).1;
            rewritten["id"] = comment(3).0.as_str().into();
            rewritten
        }
        _ => {
            let mut clock = json!({"*": stamp(variant % 2), "title": stamp(variant % 5)});
            let tags: &[&str] = if variant.is_multiple_of(3) { &["a"] } else { &["b"] };
            if variant.is_multiple_of(3) {
                clock["-tags/b"] = stamp(4 + variant % 4).into();
            }
            json!({
                "id": if variant == 7 { "GH-77" } else { id }, "author": "a",
                "created_at": "2026-11-21T02:14:05.123Z", "title": format!("t{}", variant % 4),
                "status": "registered", "priority": 3, "tags": tags, "clock": clock, "zoo": variant % 2,
            })
        }
    };
    if variant == 8 { value.to_string().into_bytes() } else { crate::model::doc::file_bytes(&value) }
}

/// What is at which path: the version, and the mode as an index.
fn states() -> impl Strategy<Value = BTreeMap<usize, (u8, u8)>> {
    btree_map(
        0..PLACES,
        (0u8..10, prop_oneof![8 => Just(0u8), 1 => Just(1), 1 => Just(2), 1 => Just(3)]),
        0..6,
    )
}

fn tree(repo: &Repository, state: &BTreeMap<usize, (u8, u8)>) -> ObjectId {
    let mut editor = repo.raw().empty_tree().edit().unwrap();
    for (at, (variant, mode)) in state {
        let kind = [EntryKind::Blob, EntryKind::BlobExecutable, EntryKind::Link, EntryKind::Commit];
        let blob = repo.raw().write_blob(bytes(*at, *variant)).unwrap().detach();
        editor.upsert(place(*at), kind[usize::from(*mode)], blob).unwrap();
    }
    editor.write().unwrap().detach()
}

fn naming(repo: &Repository) -> TreeMerge<'_> {
    let mut merge = TreeMerge::new(repo);
    merge.restored = Some(Vec::new());
    merge
}

fn join(repo: &Repository, one: ObjectId, two: ObjectId) -> ObjectId {
    TreeMerge::new(repo).root(one, two).unwrap()
}

/// Another entry of a tree.
#[derive(Debug, Clone)]
struct Odd {
    name: &'static str,
    mode: &'static str,
    variant: u8,
    /// Whether its object is of another kind than its mode says.
    is_misfit: bool,
}

const NAMES: &[&str] = &[
    "..",
    ".git",
    ".GIT ",
    "git~1",
    ".gitmodules",
    ".gitkeep",
    "a\\b",
    "link",
    "x~1",
    "gi7eb~10",
    "git~2",
    "wf.json",
    "issues",
    "issues.json",
    "notes",
    "\u{200d}",
];
const MODES: &[&str] = &["100644", "100755", "100664", "120000", "160000", "60000", "40000", "040000"];

fn odd() -> impl Strategy<Value = Vec<Odd>> {
    let one = (0..NAMES.len(), 0..MODES.len(), 0u8..3, prop::bool::weighted(0.2));
    let one = one.prop_map(|(name, mode, variant, is_misfit)| Odd {
        name: NAMES[name],
        mode: MODES[mode],
        variant,
        is_misfit,
    });
    vec(one, 0..4)
}

/// The entries of a tree whose objects are of another kind than their modes say.
fn misfits(repo: &Repository, tree: ObjectId) -> Vec<String> {
    let entries = crate::git::trees::read(repo, tree).unwrap().unwrap().entries;
    let is_misfit = |entry: &&Entry| match entry.mode.kind() {
        EntryKind::Commit => false,
        EntryKind::Tree => repo.header(entry.oid).unwrap().kind != Kind::Tree,
        _ => repo.header(entry.oid).unwrap().kind != Kind::Blob,
    };
    entries.iter().filter(is_misfit).map(|entry| entry.filename.to_string()).collect()
}

/// The tree with more entries in git's order; a name can occur twice. If `padded`, the modes of directories have a
/// leading zero, as some programs once wrote them.
fn with_odd(repo: &Repository, tree: ObjectId, odd: &[Odd], padded: bool) -> ObjectId {
    let object = repo.object(tree).unwrap();
    let decoded = TreeRef::from_bytes(&object.data, repo.hash_kind()).unwrap();
    let mut entries: Vec<(String, Vec<u8>, ObjectId)> = Vec::new();
    for entry in decoded.entries {
        let mode = match entry.mode.kind() {
            EntryKind::Tree if padded => "040000".into(),
            EntryKind::Tree => "40000".into(),
            _ => format!("{:o}", entry.mode.value()),
        };
        entries.push((mode, entry.filename.to_vec(), entry.oid.to_owned()));
    }
    for Odd { name, mode, variant, is_misfit } in odd {
        let blob = repo.raw().write_blob(bytes(0, *variant + 2)).unwrap().detach();
        let oid = if mode.ends_with("40000") != *is_misfit {
            let entry = Entry { mode: EntryKind::Blob.into(), filename: "x".into(), oid: blob };
            repo.raw().write_object(&Tree { entries: vec![entry] }).unwrap().detach()
        } else {
            blob
        };
        entries.push(((*mode).into(), name.as_bytes().to_vec(), oid));
    }
    let key = |(mode, name, _): &(String, Vec<u8>, ObjectId)| {
        let mut name = name.clone();
        name.extend(mode.ends_with("40000").then_some(b'/'));
        name
    };
    entries.sort_by_key(key);
    let mut raw = Vec::new();
    for (mode, name, oid) in entries {
        raw.extend(mode.bytes().chain([b' ']).chain(name).chain([0]));
        raw.extend(oid.as_slice());
    }
    make::bytes(repo, Kind::Tree, &raw).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn odd_trees_join(
        states in vec((states(), odd(), odd(), any::<bool>()), 3), of_all in odd()
    ) {
        let repo = repo();
        let [a, b, c] = [0, 1, 2].map(|n| {
            let (state, above, inside, padded) = &states[n];
            let inner = with_odd(&repo, repo.empty_tree(), inside, *padded);
            let mut editor = repo.raw().find_tree(tree(&repo, state)).unwrap().edit().unwrap();
            let issue = layout::issue_folder(&IssueId::parse("ISS-001").unwrap());
            if !inside.is_empty() {
                editor.upsert(format!("{issue}/solutions"), EntryKind::Tree, inner).unwrap();
                editor.upsert("other", EntryKind::Tree, inner).unwrap();
            }
            with_odd(&repo, editor.write().unwrap().detach(), &[&above[..], &of_all].concat(), *padded)
        });
        let ab = join(&repo, a, b);
        prop_assert_eq!(ab, join(&repo, b, a), "the order does not matter");
        prop_assert_eq!(join(&repo, ab, c), join(&repo, a, join(&repo, b, c)), "nor does the grouping");
        prop_assert_eq!(join(&repo, ab, a), ab, "nor does meeting twice");
        prop_assert!(a == b || misfits(&repo, ab).is_empty(), "{:?}", misfits(&repo, ab));
        let mut merge = naming(&repo);
        let merged = merge.root(a, b).unwrap();
        let is_silent = merge.restored.unwrap().is_empty() && merge.refused.is_empty();
        prop_assert!(!is_silent || merged == b, "what differs is named");
    }

    #[test]
    fn trees_join(states in vec(states(), 3)) {
        let repo = repo();
        let [a, b, c] = [0, 1, 2].map(|n| tree(&repo, &states[n]));
        let ab = join(&repo, a, b);
        prop_assert_eq!(ab, join(&repo, b, a), "the order does not matter");
        prop_assert_eq!(join(&repo, ab, c), join(&repo, a, join(&repo, b, c)), "nor does the grouping");
        prop_assert_eq!(join(&repo, ab, a), ab, "nor does meeting twice");
        prop_assert_eq!(join(&repo, a, a), a);
    }

    #[test]
    fn what_is_refused_is_refused_in_any_order(sides in vec(vec((0usize..4, 0usize..7), 0..8), 3)) {
        let repo = repo();
        let [a, b, c] = [0, 1, 2].map(|n| crowd(&repo, &sides[n]));
        let ab = bounded(&repo, a, b);
        prop_assert_eq!(ab, bounded(&repo, b, a), "the order does not matter");
        let left = ab.and_then(|ab| bounded(&repo, ab, c));
        let right = bounded(&repo, b, c).and_then(|bc| bounded(&repo, a, bc));
        prop_assert_eq!(left, right, "nor does the grouping");
    }

    #[test]
    fn what_was_put_back_is_named(states in vec(states(), 2)) {
        let repo = repo();
        let [ours, theirs] = [0, 1].map(|n| tree(&repo, &states[n]));
        let mut merge = naming(&repo);
        let merged = merge.root(ours, theirs).unwrap();
        let is_silent = merge.restored.unwrap().is_empty() && merge.refused.is_empty();
        prop_assert!(!is_silent || merged == theirs, "what differs is named");
    }
}

#[test]
fn records_are_named_and_not_the_folders_above_them() {
    let repo = repo();
    let all = tree(&repo, &BTreeMap::from([(0, (2, 0)), (1, (2, 0)), (3, (2, 0)), (4, (2, 0))]));
    let nothing = repo.empty_tree();
    let mut merge = naming(&repo);
    assert_eq!(merge.root(all, nothing).unwrap(), all);
    let folder = layout::issue_folder(&IssueId::parse("ISS-001").unwrap());
    assert_eq!(merge.restored.unwrap(), [folder.as_str(), "notes", "wf.json"]);
}

/// What is at a path of a tree: its kind and its id.
fn at(repo: &Repository, tree: ObjectId, path: &str) -> Option<(EntryKind, ObjectId)> {
    let found = repo.raw().find_tree(tree).unwrap().lookup_entry_by_path(path).unwrap()?;
    Some((found.mode().kind(), found.object_id()))
}

fn one(repo: &Repository, path: &str, kind: EntryKind, oid: ObjectId) -> ObjectId {
    let mut editor = repo.raw().empty_tree().edit().unwrap();
    editor.upsert(path, kind, oid).unwrap();
    editor.write().unwrap().detach()
}

#[test]
fn what_git_can_hold_is_kept_and_never_beats_a_record() {
    let repo = repo();
    let empty = repo.empty_tree();
    let blob = |text: &str| repo.raw().write_blob(text).unwrap().detach();
    // Only one side has it, at a path of its own or inside a record's directory.
    for path in ["link", "a\\b", "issues/90/ISS-001/zoo"] {
        for kind in [EntryKind::Link, EntryKind::Commit, EntryKind::BlobExecutable] {
            let odd = one(&repo, path, kind, blob("target"));
            let other = one(&repo, "issues/90/ISS-001/x", EntryKind::Blob, blob("x"));
            for merged in [join(&repo, odd, other), join(&repo, other, odd), join(&repo, odd, empty)] {
                assert_eq!(at(&repo, merged, path), Some((kind, blob("target"))), "{path}");
            }
        }
    }
    // Of two entries of the same rank, the greater id wins.
    let (a, b) = (blob("a"), blob("b"));
    let link = |oid| one(&repo, "link", EntryKind::Link, oid);
    assert_eq!(at(&repo, join(&repo, link(a), link(b)), "link"), Some((EntryKind::Link, a.max(b))));
    // A record, even an unreadable one, and a directory of records win over everything else.
    let folder = one(&repo, "x", EntryKind::Blob, a);
    let record = place(1);
    for bytes in [bytes(1, 2), bytes(1, 0)] {
        let file = repo.raw().write_blob(bytes).unwrap().detach();
        let sound = one(&repo, &record, EntryKind::Blob, file);
        for (kind, oid) in [(EntryKind::Link, a), (EntryKind::Commit, a), (EntryKind::Tree, folder)] {
            let odd = one(&repo, &record, kind, oid);
            for merged in [join(&repo, sound, odd), join(&repo, odd, sound)] {
                assert_eq!(at(&repo, merged, &record), Some((EntryKind::Blob, file)));
            }
            let above = one(&repo, record.rsplit_once('/').unwrap().0, kind, oid);
            if kind != EntryKind::Tree {
                for merged in [join(&repo, sound, above), join(&repo, above, sound)] {
                    assert_eq!(at(&repo, merged, &record), Some((EntryKind::Blob, file)));
                }
            }
        }
    }
    // An executable keeps its mode if both sides have it.
    let file = |kind| one(&repo, "tool", kind, a);
    let (plain, program) = (file(EntryKind::Blob), file(EntryKind::BlobExecutable));
    assert_eq!(join(&repo, plain, program), plain);
    let other = one(&repo, "tool", EntryKind::BlobExecutable, b);
    assert_eq!(at(&repo, join(&repo, program, other), "tool"), Some((EntryKind::BlobExecutable, a.max(b))));
}
