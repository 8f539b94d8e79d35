//! How much a merge looks at, and when it refuses.

use super::*;

/// A tree with this many files in directories unknown to the format, and in one directory of records.
pub(super) fn crowd(repo: &Repository, files: &[(usize, usize)]) -> ObjectId {
    let folders = ["notes", "later/deep", "later", "issues/90/ISS-001/comments"];
    let blob = repo.raw().write_blob("x").unwrap().detach();
    let mut editor = repo.raw().empty_tree().edit().unwrap();
    editor.upsert("wf.json", EntryKind::Blob, blob).unwrap();
    for (folder, file) in files {
        editor.upsert(format!("{}/file-{file}", folders[*folder]), EntryKind::Blob, blob).unwrap();
    }
    editor.write().unwrap().detach()
}

/// A merge with small limits on files and tree sizes; `None` if it refuses.
pub(super) fn bounded(repo: &Repository, one: ObjectId, two: ObjectId) -> Option<ObjectId> {
    let mut merge = TreeMerge::new(repo);
    merge.bounds = union::MergeLimits { files: 4, own_files: u64::MAX, tree: 150, ..union::BOUNDS };
    match merge.root(one, two) {
        Ok(tree) => Some(tree),
        Err(StoreError::FullFolder { .. } | StoreError::Git(GitError::CrowdedFolder { .. })) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn two_sides_that_are_too_much_together_are_refused_by_name() {
    let repo = repo();
    let of = |from: usize, to: usize| crowd(&repo, &(from..to).map(|file| (1, file)).collect::<Vec<_>>());
    let (three, more, empty) = (of(0, 3), of(3, 6), crowd(&repo, &[]));
    assert_eq!(bounded(&repo, three, empty), Some(three));
    for (one, two) in [(three, more), (more, three), (of(0, 5), empty), (empty, of(0, 5))] {
        let mut merge = naming(&repo);
        merge.bounds.files = 4;
        let error = merge.root(one, two).unwrap_err().to_string();
        assert!(
            error.contains("`later/deep` is too large: it holds more than 4 files")
                || error.contains("`later` is too large: it holds more than 4 files"),
            "{error}"
        );
        assert!(merge.refused.is_empty());
    }
    assert_eq!(union::BOUNDS.files, 200_000);
}

#[test]
fn a_record_that_two_sides_would_make_too_large_is_refused_by_name() {
    let repo = repo();
    let path = "issues/90/ISS-001/issue.json";
    let with = |field: &str, size: usize| {
        let birth = "2026-11-21T02:14:05.123Z/00000/00000001";
        let record = serde_json::json!({"id": "ISS-001", "author": "a", "created_at": "2026-11-21T02:14:05.123Z",
            "title": "t", "status": "registered", "priority": 3, field: "x".repeat(size), "clock": {"*": birth}});
        repo.raw().write_blob(format!("{record:#}\n")).unwrap().detach()
    };
    let join = |one: ObjectId, two: ObjectId| {
        let mut merge = TreeMerge::new(&repo);
        merge.bounds.doc = 2_000;
        merge.files(one, two, path)
    };
    let (one, two) = (with("zoo", 1_000), with("yak", 1_000));
    for (one, two) in [(one, two), (two, one)] {
        let error = join(one, two).unwrap_err().to_string();
        assert!(error.contains(path), "{error}");
    }
    // One side alone, and two sides that fit.
    assert!(join(one, with("zoo", 10)).is_ok() && join(one, with("yak", 10)).is_ok());
    assert_eq!(union::BOUNDS.doc, 64 << 20);
}

#[test]
fn folders_without_end_on_both_sides_are_compared_once() {
    let repo = repo();
    let blob = repo.raw().write_blob("x").unwrap().detach();
    let bomb = |name: &str| {
        let entry =
            |name: &str, mode: EntryKind, oid| Entry { mode: mode.into(), filename: name.into(), oid };
        let leaf = Tree { entries: vec![entry(name, EntryKind::Blob, blob)] };
        let leaf = repo.raw().write_object(&leaf).unwrap().detach();
        let inner = (0..12).fold(leaf, |inner, _| {
            let entries = (0..10).map(|n| entry(&n.to_string(), EntryKind::Tree, inner)).collect();
            repo.raw().write_object(&Tree { entries }).unwrap().detach()
        });
        one(&repo, "bomb", EntryKind::Tree, inner)
    };
    let (ours, theirs) = (bomb("a"), bomb("b"));
    for (one, two) in [(ours, theirs), (theirs, ours)] {
        assert!(matches!(TreeMerge::new(&repo).root(one, two), Err(StoreError::FullFolder { .. })));
        let mut merge = naming(&repo);
        merge.bounds.files = u64::MAX;
        merge.root(one, two).unwrap();
        assert!(merge.restored.unwrap().len() < 200);
    }
    let base = one(&repo, "other", EntryKind::Blob, blob);
    let mut unlike = Unlike { repo: &repo, known: HashMap::new() };
    unlike.tree(ours, theirs, base, 0).unwrap();
    unlike.tree(ours, theirs, bomb("c"), 0).unwrap();
    assert!(unlike.known.len() < 100);
}

#[test]
fn folders_of_which_no_two_pairs_are_alike_are_counted_before_they_are_merged() {
    let repo = repo();
    let blob = repo.raw().write_blob("x").unwrap().detach();
    let folder = |entries: Vec<(String, EntryKind, ObjectId)>| {
        let entry = |(name, mode, oid): (String, EntryKind, ObjectId)| Entry {
            mode: mode.into(),
            filename: name.into(),
            oid,
        };
        let mut tree = Tree { entries: entries.into_iter().map(entry).collect() };
        tree.entries.sort();
        repo.raw().write_object(&tree).unwrap().detach()
    };
    let many = |of: &dyn Fn(usize) -> ObjectId| {
        folder((0..20).map(|n| (n.to_string(), EntryKind::Tree, of(n))).collect())
    };
    let empty = repo.raw().write_object(Tree::empty()).unwrap().detach();
    let inner = [
        ("a", EntryKind::Blob, blob),
        ("a", EntryKind::Tree, empty),
        // Entries that a merge leaves out.
        (".git", EntryKind::Blob, blob),
        ("a", EntryKind::Blob, empty),
    ];
    let bounded = |ours, theirs| {
        let mut merge = TreeMerge::new(&repo);
        merge.bounds.files = 399;
        let error = merge.root(ours, theirs).err();
        assert!(merge.joined.is_empty() || error.is_none(), "something was merged");
        error.map(|error| error.to_string())
    };
    for (name, kind, oid) in inner {
        let leaf = |n: usize| {
            folder(vec![(name.into(), kind, oid), (format!("n{n}"), EntryKind::Tree, folder(vec![]))])
        };
        let [one, two] = [many(&|n| many(&|_| leaf(n))), many(&|_| many(&|n| leaf(n + 20)))];
        let top = |oid| folder(vec![("later".into(), EntryKind::Tree, oid)]);
        let (one, two, small) = (top(one), top(two), top(leaf(50)));
        for (ours, theirs) in [(one, two), (two, one), (one, small), (small, one), (one, empty), (empty, one)]
        {
            let error = bounded(ours, theirs).unwrap();
            assert!(error.contains("`later` is too large"), "{error}");
        }
        assert!(bounded(small, empty).is_none());
    }
}

#[test]
fn versions_that_are_too_large_to_read_join_too() {
    let repo = repo();
    let path = place(1);
    let large = |end: u8| {
        let mut bytes = vec![b' '; 64 * 1024 * 1024];
        bytes.push(end);
        repo.raw().write_blob(bytes).unwrap().detach()
    };
    let (one, two) = (large(b'1'), large(b'2'));
    let mut merge = TreeMerge::new(&repo);
    assert_eq!(merge.files(one, two, &path).unwrap(), merge.files(two, one, &path).unwrap());
}

#[test]
fn a_folder_that_is_too_large_ends_the_merge_with_its_name() {
    let repo = repo();
    let blob = repo.raw().write_blob("x").unwrap().detach();
    let entries = |from: u32, to: u32| -> ObjectId {
        let name = |n: u32| format!("{n:0>200}");
        let entry = |n| Entry { mode: EntryKind::Blob.into(), filename: name(n).into(), oid: blob };
        let tree = Tree { entries: (from..to).map(entry).collect() };
        let inner = repo.raw().write_object(&tree).unwrap().detach();
        one(&repo, "issues/00/big", EntryKind::Tree, inner)
    };
    let small = one(&repo, "issues/00/other", EntryKind::Blob, blob);
    let (half, rest, whole) = (entries(0, 80_000), entries(80_000, 160_000), entries(0, 160_000));
    assert_eq!(join(&repo, half, small), join(&repo, small, half));
    for (one, two) in [(whole, small), (small, whole), (half, rest), (rest, half)] {
        let error = TreeMerge::new(&repo).root(one, two).unwrap_err().to_string();
        assert!(error.contains("`issues/00/big` is too large"), "{error}");
    }
}
