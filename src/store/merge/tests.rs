//! The merge of trees is a join: in whatever order and grouping states meet, one tree comes out.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::id::IssueId;
use crate::store::layout;
use gix::objs::tree::EntryKind;

mod records;

/// One repository for all cases; objects are made in memory only.
static REPOSITORY: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    gix::init_bare(folder.path()).unwrap();
    folder
});

fn repo() -> gix::Repository {
    gix::open_opts(REPOSITORY.path(), gix::open::Options::isolated()).unwrap().with_object_memory()
}

/// Where something may lie: records, an entry, what is not ours, and a name that is a file here and a folder there.
const PLACES: usize = 7;

fn place(n: usize) -> String {
    let issue = |id: &str| layout::issue(&IssueId::parse(id).unwrap());
    match n {
        0 => "wf.json".into(),
        1 => issue("ISS-001"),
        2 => issue("GH-2"),
        3 => format!(
            "{}/20261121T021405123Z-00000-00000001.json",
            layout::comments(&IssueId::parse("ISS-001").unwrap())
        ),
        4 => "notes".into(),
        5 => "notes/deep/file".into(),
        _ => "issues/zz/ISS-001/issue.json".into(),
    }
}

fn stamp(tick: u8) -> String {
    format!("2026-11-21T02:14:05.{tick:03}Z/00000/0000000{}", tick % 3)
}

/// A version of the record at a place: sound in several ways, in a form that no writer of ours makes, or broken.
fn bytes(place: usize, variant: u8) -> Vec<u8> {
    let id = if place == 2 { "GH-2" } else { "ISS-001" };
    let value = match (place, variant) {
        (_, 0) => return b"{".to_vec(),
        (_, 1) => return b"\xff\xfe".to_vec(),
        (0, _) => json!({"format": 1, "project": {"guidelines": variant}}),
        (3, _) => json!({
            "id": "20261121T021405123Z-00000-00000001", "body": format!("{variant}"), "author": "a",
            "created_at": "2026-11-21T02:14:05.123Z"
        }),
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

/// What lies where: the version, and the mode as an index.
fn states() -> impl Strategy<Value = BTreeMap<usize, (u8, u8)>> {
    btree_map(
        0..PLACES,
        (0u8..10, prop_oneof![8 => Just(0u8), 1 => Just(1), 1 => Just(2), 1 => Just(3)]),
        0..6,
    )
}

fn tree(repo: &gix::Repository, state: &BTreeMap<usize, (u8, u8)>) -> ObjectId {
    let mut editor = repo.empty_tree().edit().unwrap();
    for (at, (variant, mode)) in state {
        let kind = [EntryKind::Blob, EntryKind::BlobExecutable, EntryKind::Link, EntryKind::Commit];
        let blob = repo.write_blob(bytes(*at, *variant)).unwrap().detach();
        editor.upsert(place(*at), kind[usize::from(*mode)], blob).unwrap();
    }
    editor.write().unwrap().detach()
}

fn naming(repo: &gix::Repository) -> Merge<'_> {
    let mut merge = Merge::new(repo);
    merge.restored = Some(Vec::new());
    merge
}

fn join(repo: &gix::Repository, one: ObjectId, two: ObjectId) -> ObjectId {
    Merge::new(repo).root(one, two).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

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
    let nothing = ObjectId::empty_tree(repo.object_hash());
    let mut merge = naming(&repo);
    assert_eq!(merge.root(all, nothing).unwrap(), all);
    let folder = layout::issue_folder(&IssueId::parse("ISS-001").unwrap());
    assert_eq!(merge.restored.unwrap(), [folder.as_str(), "notes", "wf.json"]);
}

#[test]
fn versions_that_are_too_large_to_read_join_too() {
    let repo = repo();
    let path = place(1);
    let large = |end: u8| {
        let mut bytes = vec![b' '; 64 * 1024 * 1024];
        bytes.push(end);
        repo.write_blob(bytes).unwrap().detach()
    };
    let (one, two) = (large(b'1'), large(b'2'));
    let mut merge = Merge::new(&repo);
    assert_eq!(merge.files(one, two, &path).unwrap(), merge.files(two, one, &path).unwrap());
}
