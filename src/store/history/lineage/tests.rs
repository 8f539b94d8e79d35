//! The cost of walking a history that was made to be slow, counted instead of timed.

use super::*;
use crate::git::{ObjectId, Repository, bounded};
use crate::model::IssueId;
use crate::store::history::shared_map;
use crate::store::root;

/// A store whose history is made by hand.
pub(crate) struct History {
    pub(crate) store: Store,
    _folder: tempfile::TempDir,
    /// Commits with their parents, parents first.
    pub(crate) commits: Vec<(ObjectId, Vec<ObjectId>)>,
}

impl History {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Repository::init_bare(folder.path());
        let store = Store::open(folder.path(), &Default::default()).unwrap();
        let first = root::make(&store.repo).unwrap();
        Self { store, _folder: folder, commits: vec![(first, vec![])] }
    }

    pub(crate) fn first(&self) -> ObjectId {
        self.commits[0].0
    }

    /// Makes a commit with the tree of its first parent, except for these files.
    pub(crate) fn commit(&mut self, parents: &[ObjectId], files: &[(String, Option<String>)]) -> ObjectId {
        let repo = &self.store.repo;
        let before = repo.tree_of(parents[0]).unwrap();
        let mut editor = repo.raw().edit_tree(before).unwrap();
        for (path, text) in files {
            match text {
                Some(text) => editor
                    .upsert(path.as_str(), EntryKind::Blob, repo.raw().write_blob(text).unwrap())
                    .map(|_| ())
                    .unwrap(),
                None => editor.remove(path.as_str()).map(|_| ()).unwrap(),
            }
        }
        let tree = editor.write().unwrap().detach();
        let seconds = self.now();
        let commit = repo.make_commit(tree, parents.iter().copied(), &root::signature(seconds), "x").unwrap();
        self.commits.push((commit, parents.to_vec()));
        commit
    }

    /// The date of the next commit, in seconds.
    pub(crate) fn now(&self) -> i64 {
        i64::try_from(self.commits.len()).unwrap()
    }

    /// The changes found, the number of differing paths, and the number of objects read plus map nodes compared.
    fn walk(&self) -> (Vec<(ObjectId, Own)>, usize, usize) {
        let all = self.commits.iter().map(|(commit, parents)| (*commit, &parents[..]));
        let mut lineage = Lineage::over(&self.store, all);
        bounded::READ.set(0);
        shared_map::COMPARED.set(0);
        let mut found = Vec::new();
        for (commit, parents) in &self.commits {
            let own = lineage.changes(*commit, parents, &|_| true).unwrap();
            found.extend(own.into_iter().map(|own| (*commit, own)));
        }
        assert!(
            lineage.walked.is_empty() || lineage.walked.len() == 1,
            "what has no child left is forgotten"
        );
        (found, lineage.compared, bounded::READ.get() + shared_map::COMPARED.get())
    }
}

pub(crate) fn path(n: usize) -> String {
    layout::issue(&IssueId::parse(&format!("GH-{n}")).unwrap())
}

pub(crate) fn issue(n: usize, born: &str, title: &str) -> String {
    let record = serde_json::json!({
        "id": format!("GH-{n}"), "author": "A", "created_at": "2026-11-01T00:00:00.000Z", "title": title,
        "status": "registered", "priority": 3,
        "clock": {"*": format!("2026-11-{born}T00:00:00.000Z/00000/00000000")}
    });
    format!("{record:#}\n")
}

/// The same record with another title, by a later write.
fn edited(n: usize, title: &str) -> String {
    let mut record: serde_json::Value = serde_json::from_str(&issue(n, "01", title)).unwrap();
    record["clock"]["title"] = serde_json::json!("2026-11-03T00:00:00.000Z/00000/00000000");
    format!("{record:#}\n")
}

fn all(count: usize) -> Vec<(String, Option<String>)> {
    (0..count).map(|n| (path(n), Some(issue(n, "01", "t")))).collect()
}

fn none(count: usize) -> Vec<(String, Option<String>)> {
    (0..count).map(|n| (path(n), None)).collect()
}

/// One side deletes this many records, then forks and merges with itself this often, while the other side keeps
/// writing.
fn ladder(records: usize, forks: usize) -> (usize, usize) {
    let mut history = History::new();
    let mut main = history.commit(&[history.first()], &all(records));
    let mut side = history.commit(&[main], &none(records));
    for n in 0..forks {
        let record = |title: &str| [(path(n % records), Some(edited(n % records, title)))];
        main = history.commit(&[main], &record(&n.to_string()));
        let one = history.commit(&[side], &[(format!("a/{n}"), Some("x".into()))]);
        let two = history.commit(&[side], &[(format!("b/{n}"), Some("x".into()))]);
        let three = history.commit(&[one, two], &[(format!("b/{n}"), Some("x".into()))]);
        // Again the other way round, and a merge of both.
        let four = history.commit(&[two, one], &[(format!("a/{n}"), Some("x".into()))]);
        side = history.commit(&[three, four], &[]);
    }
    history.commit(&[main, side], &[]);
    let (_, compared, work) = history.walk();
    (compared, work)
}

#[test]
fn the_work_follows_from_what_changed_and_not_from_how_much_is_missing() {
    let (few, little) = ladder(20, 30);
    let (many, much) = ladder(200, 30);
    // 180 more records are made, deleted and restored once.
    assert!(many - few <= 4 * 180, "{few} {many}");
    assert!(much - little <= 20 * (many - few), "{little} {much}: {few} {many}");
    // Twice as many forks cost twice as much.
    let (_, twice) = ladder(200, 60);
    assert!(twice < much * 2, "{much} {twice}");
}

#[test]
fn what_was_lost_on_any_way_is_remembered_until_it_is_there_again() {
    let mut history = History::new();
    let made = history.commit(&[history.first()], &all(2));
    let one = history.commit(&[made], &[(path(0), None)]);
    let two = history.commit(&[made], &[(path(0), Some("junk".into()))]);
    let three = history.commit(&[made], &[("else".into(), Some("x".into()))]);
    let both = history.commit(&[two, one], &[]);
    // A different record, replacing what both sides lost.
    let anew = history.commit(&[both], &[(path(0), Some(issue(0, "02", "t")))]);
    // The record itself, then an edit of it: no identity changed.
    let back = history.commit(&[both], &[(path(0), Some(issue(0, "01", "t")))]);
    let back = history.commit(&[back], &[(path(0), Some(edited(0, "edited")))]);
    // A merge that takes the valid side is not a change of its own.
    let merged = history.commit(&[three, both], &[]);
    history.commit(&[merged], &[(path(0), Some(edited(0, "again")))]);
    let (found, ..) = history.walk();
    let faults = found.iter().filter(|(commit, own)| *commit != made && own.path == path(0));
    let faults: Vec<(ObjectId, &str)> = faults
        .filter_map(|(commit, own)| match &own.did {
            Did::Deleted(_) => Some((*commit, "deleted")),
            Did::Redirected => Some((*commit, "redirected")),
            Did::Unreadable => Some((*commit, "unreadable")),
            Did::Wrote(_) if own.step().unwrap().faults().is_empty() => None,
            Did::Wrote(_) => Some((*commit, "replaced")),
        })
        .collect();
    let expected = [(one, "deleted"), (two, "unreadable"), (anew, "replaced")];
    assert_eq!(faults, expected, "{back}");
}
