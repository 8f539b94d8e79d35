//! Syncs that do not wait to their end behind other processes.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::git::{Environment, Repository};
use crate::model::Explain;
use crate::model::code::Code;
use crate::sync::round;

/// What ends the wait of a sync.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Patience,
    Cancelled,
}

/// The error of a sync that waits behind another process, and then, if `is_handed_in`, for its second turn behind one more.
fn ended(ends: Ends, is_handed_in: bool) -> SyncError {
    let both = tempfile::tempdir().unwrap();
    drop(Repository::init_bare(&both.path().join("hub")));
    let folder = both.path().join("clone");
    drop(Repository::init_bare(&folder));
    let config = std::fs::read_to_string(folder.join("config")).unwrap();
    let own = "[user]\n\tname = Ada\n\temail = ada@example.org\n[remote \"origin\"]\n\turl = ../hub\n";
    std::fs::write(folder.join("config"), config + own).unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    let store = Store::open(&folder, &Environment::default().stopped_by(Arc::clone(&flag))).unwrap();
    store.create().unwrap();
    let line = super::folder(&store, &store.tracking("origin"));
    std::fs::create_dir_all(&line).unwrap();
    let (first, second) = (RefCell::new(Some(Ticket::draw(&line).unwrap())), RefCell::new(None));
    let watch = |work: RemoteWork, _: u64, _: u64| {
        if work != RemoteWork::Line {
            return;
        }
        if is_handed_in && first.take().is_some() {
            second.replace(Some(Ticket::draw(&line).unwrap()));
            limit::HAS_NO_PATIENCE.set(ends == Ends::Patience);
        } else {
            flag.store(true, Ordering::Relaxed);
        }
    };
    limit::HAS_NO_PATIENCE.set(!is_handed_in && ends == Ends::Patience);
    let error = round::sync(&store, "origin", &watch).unwrap_err();
    limit::HAS_NO_PATIENCE.set(false);
    let known = first.take().into_iter().chain(second.take()).map(|it| it.number).max().unwrap();
    // Its place in the line is free.
    let next = Ticket::draw(&line).unwrap();
    assert!(next.number > known && next.wait(&|| true).unwrap());
    error
}

#[test]
fn a_sync_that_gives_up_in_line_says_whether_its_commit_may_still_be_pushed() {
    let rows = [
        (Ends::Patience, false, Code::Unreachable, false),
        (Ends::Patience, true, Code::UnknownOutcome, true),
        (Ends::Cancelled, false, Code::Interrupted, false),
        (Ends::Cancelled, true, Code::Interrupted, true),
    ];
    for (ends, is_handed_in, code, may_be_pushed) in rows {
        let error = ended(ends, is_handed_in);
        let (words, remedies) = (error.to_string(), format!("{:?}", error.remedies()));
        assert_eq!(error.code(), code, "{words}");
        assert_eq!(words.contains("may still push this commit"), may_be_pushed, "{words}");
        assert_eq!(remedies.contains("finds out whether it did"), may_be_pushed, "{remedies}");
        assert!(!may_be_pushed || !words.contains("cannot be reached"), "{words}");
    }
}
