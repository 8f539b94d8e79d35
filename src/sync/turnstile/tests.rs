//! Exchanges that end before the remote has answered.

use std::cell::{Cell, RefCell};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::*;
use crate::git::{Environment, Repository, SharedMode};
use crate::model::{Code, Explain};
use crate::sync::round;

/// A hub, and a clone of it whose work is stopped by `stop`.
fn clone_of_hub(stop: &Arc<AtomicBool>) -> (tempfile::TempDir, Store) {
    let both = tempfile::tempdir().unwrap();
    drop(Repository::init_bare(&both.path().join("hub")));
    let folder = both.path().join("clone");
    drop(Repository::init_bare(&folder));
    let config = std::fs::read_to_string(folder.join("config")).unwrap();
    let own = "[user]\n\tname = Ada\n\temail = ada@example.org\n[remote \"origin\"]\n\turl = ../hub\n";
    std::fs::write(folder.join("config"), config + own).unwrap();
    let store = Store::open(&folder, &Environment::default().stopped_by(Arc::clone(stop))).unwrap();
    store.create().unwrap();
    (both, store)
}

/// What ends the wait in line.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Patience,
    Cancelled,
}

/// How long the process that waits is patient.
const PATIENCE: Duration = Duration::from_secs(3);

/// A clock on which a second passes whenever someone looks.
fn hasty_clock() -> Instant {
    thread_local! {
        static LOOKS: (Instant, Cell<u64>) = (Instant::now(), Cell::new(0));
    }
    LOOKS.with(|(began, looks)| *began + Duration::from_secs(looks.replace(looks.get() + 1)))
}

/// The error of a process that waits behind another one, and then, if `is_handed_in`, for its second turn behind one more.
fn ended(ends: Ends, is_handed_in: bool) -> SyncError {
    let stop = Arc::new(AtomicBool::new(false));
    let (_both, store) = clone_of_hub(&stop);
    let line = super::folder(&store, &store.tracking("origin"));
    std::fs::create_dir_all(&line).unwrap();
    let (first, second) =
        (RefCell::new(Some(Ticket::draw(&line, SharedMode::Umask).unwrap())), RefCell::new(None));
    let watch = |work: RemoteWork, _: u64, _: u64| {
        assert_eq!(work, RemoteWork::Line);
        if is_handed_in && first.take().is_some() {
            second.replace(Some(Ticket::draw(&line, SharedMode::Umask).unwrap()));
        } else {
            stop.store(ends == Ends::Cancelled, Ordering::Relaxed);
        }
    };
    let turn = Turn::wait_with(&store, "origin", &watch, WaitingTime::with_clock(PATIENCE, hasty_clock));
    let turn = turn.and_then(|mut turn| {
        assert!(is_handed_in, "it has its turn");
        turn.hand_in(store.tip()?.unwrap())?;
        turn.again()
    });
    let known = first.take().into_iter().chain(second.take()).map(|turn| turn.number).max().unwrap();
    let error = turn.err().unwrap();
    // Its place in the line is free.
    let next = Ticket::draw(&line, SharedMode::Umask).unwrap();
    assert!(next.number > known && next.wait(&|| true).unwrap());
    error
}

#[test]
fn whoever_gives_up_in_line_says_whether_its_commit_may_still_be_pushed() {
    let rows = [
        (Ends::Patience, false, Code::NoTurn, false),
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
        assert!(!words.contains("cannot be reached"), "{words}");
        let process = format!("another process of this clone (process {}),", std::process::id());
        assert_eq!(words.contains(&process), code == Code::NoTurn, "{words}");
    }
}

#[test]
fn a_sync_that_is_stopped_while_it_pushes_says_that_the_push_may_have_arrived() {
    let rows = [
        (true, Code::Interrupted, "a push to `origin` was stopped, and may have arrived there"),
        (false, Code::Unreachable, "`origin` cannot be reached"),
    ];
    for (is_stopped, code, begins) in rows {
        let stop = Arc::new(AtomicBool::new(false));
        let (both, store) = clone_of_hub(&stop);
        // The connection is lost during the push, and the hub cannot be asked again.
        let hook = both.path().join("hub/hooks/pre-receive");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        let hub = both.path().join("hub").display().to_string();
        std::fs::write(&hook, format!("#!/bin/sh\nmv '{hub}' '{hub}.away'\nkill -9 $PPID\n")).unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        let watch = |work: RemoteWork, _: u64, _: u64| {
            let is_push = work == RemoteWork::Transfer(crate::git::TransferStep::Writing);
            stop.fetch_or(is_stopped && is_push, Ordering::Relaxed);
        };
        let error = round::sync(&store, "origin", &watch).unwrap_err();
        let words = error.to_string();
        assert_eq!(error.code(), code, "{words}");
        assert!(words.starts_with(begins), "{words}");
    }
}
