//! What another process writes after a conflict was read, and before it is resolved.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use tempfile::TempDir;

use super::*;
use crate::git::Repository;
use crate::model::IssueId;
use crate::ops::Progress;
use crate::ops::clones::sync;
use crate::ops::issues::{self, Edit, NewIssue};
use crate::store::{Acting, Clock};

/// Is called with the number of each part of the work that is finished.
struct AtEnd<F>(Cell<usize>, F);

impl<F: Fn(usize)> Progress for AtEnd<F> {
    fn at(&self, _: &'static str, _: usize, _: usize) {}

    fn count(&self, _: &'static str, _: u64, _: Option<u64>) {}

    fn end(&self) {
        self.0.set(self.0.get() + 1);
        self.1(self.0.get());
    }
}

pub(crate) fn session(folder: &Path, at_end: impl Fn(usize) + 'static) -> Session {
    let clock = Clock::at(Some("1900000000 +0000".into()));
    let store = Store::open(folder, &Default::default()).unwrap().acting(Acting::new(None, None, clock));
    Session::new(store, Box::new(AtEnd(Cell::new(0), at_end)))
}

fn new_issue(folder: &Path, id: &str, title: &str) {
    let id = Some(IssueId::parse(id).unwrap());
    let new = NewIssue { id, title: Some(title.into()), ..NewIssue::default() };
    issues::new(&session(folder, |_| {}), new).unwrap();
}

/// A clone that has GH-1, GH-2, … as both clones created them.
pub(crate) fn births(count: usize) -> TempDir {
    let both = tempfile::tempdir().unwrap();
    for name in ["ada", "bea"] {
        let folder = both.path().join(name);
        drop(Repository::init_bare(&folder));
        let user = format!("[user]\n\tname = {name}\n\temail = {name}@example.org\n");
        let config = std::fs::read_to_string(folder.join("config")).unwrap();
        std::fs::write(folder.join("config"), config + &user).unwrap();
        session(&folder, |_| {}).store().create().unwrap();
        for n in 1..=count {
            new_issue(&folder, &format!("GH-{n}"), &format!("{name}'s issue"));
        }
    }
    let ada = both.path().join("ada");
    let add = ["remote", "add", "origin", "../bea"];
    assert!(Command::new("git").arg("-C").arg(&ada).args(add).status().unwrap().success());
    sync(&session(&ada, |_| {}), None).unwrap();
    both
}

fn taken(seen: Option<String>) -> Settle {
    Settle { record: "GH-1".into(), field: Some(WHOLE.into()), which: KeptValue::Lost(None), seen }
}

/// Takes the other birth, while `write` comes between the reading of the conflict and the transaction. Returns what came of
/// it, and the titles that GH-1 had before and has now.
fn raced(write: impl Fn(&Path) + 'static) -> (Answer<Conflict>, [String; 2]) {
    let both = births(1);
    let folder = both.path().join("ada");
    let title = || {
        let issue = issues::existing(
            &session(&folder, |_| {}).store().snapshot().unwrap(),
            &IssueId::parse("GH-1").unwrap(),
        );
        issue.unwrap().issue.record.title
    };
    let ends = Rc::new(Cell::new(0));
    // The first time, the index is brought up to date.
    for _ in 0..2 {
        let counted = Rc::clone(&ends);
        let open = conflicts(&session(&folder, move |n| counted.set(n))).unwrap().view;
        assert_eq!(open.iter().map(|conflict| conflict.field.as_str()).collect::<Vec<_>>(), [WHOLE]);
    }
    let (last, there, before) = (ends.get(), folder.clone(), title());
    let written = Rc::new(Cell::new(0));
    let counted = Rc::clone(&written);
    let session = session(&folder, move |n| {
        if n == last {
            write(&there);
            counted.set(counted.get() + 1);
        }
    });
    let done = settle(&session, &taken(None));
    assert_eq!(written.get(), 1, "it was written meanwhile");
    (done, [before, title()])
}

#[test]
fn a_whole_record_is_not_taken_if_someone_wrote_it_meanwhile() {
    let (done, [_, title]) = raced(|folder| {
        let edit = Edit {
            issue: "GH-1".into(),
            title: Some("later".into()),
            text: None,
            status: None,
            fields: Default::default(),
            seen: Default::default(),
            force: None,
        };
        issues::edit(&session(folder, |_| {}), edit).unwrap();
    });
    assert_eq!(done.unwrap_err().code, Code::ChangedMeanwhile);
    assert_eq!(title, "later");
    // Someone who keeps it writes the same values again.
    let (done, [before, title]) = raced(|folder| {
        settle(&session(folder, |_| {}), &Settle { which: KeptValue::Current, ..taken(None) }).unwrap();
    });
    assert_eq!(done.unwrap_err().code, Code::ChangedMeanwhile);
    assert_eq!(title, before);
}

#[test]
fn a_whole_record_is_taken_if_someone_wrote_another_meanwhile() {
    let (done, [before, title]) = raced(|folder| new_issue(folder, "GH-2", "another"));
    assert_eq!(done.unwrap().view.other.value["title"], title.as_str());
    assert_ne!(title, before);
}
