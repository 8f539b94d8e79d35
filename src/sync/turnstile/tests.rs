//! Processes that give up waiting.

use std::process::Command;

use super::*;
use crate::git::Environment;

const REMOTE: &str = "origin";

/// The error of a process that gives up at once when it waits for its turn `again`, after another process came.
fn given_up(again: bool) -> SyncError {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().unwrap();
    assert!(made.success());
    let store = Store::open(folder.path(), &Environment::default()).unwrap();
    let watch: RemoteWatch<'_> = &|_, _, _| {};
    let mut turn = Turn::wait(&store, REMOTE, watch).unwrap();
    turn.patience.spend(turn.patience.left());
    let line = turn.folder.clone();
    let other = Ticket::draw(&line).unwrap();
    let error = match again {
        true => turn.again().err().unwrap(),
        false => {
            turn.ticket = Ticket::draw(&line).unwrap();
            turn.stand(|remote, words| SyncError::Unreachable { remote, words }).err().unwrap()
        }
    };
    drop(other);
    // Its place in the line is free.
    assert!(Ticket::draw(&line).unwrap().wait(&|| true).unwrap());
    error
}

#[test]
fn what_was_handed_in_may_still_be_pushed_after_its_process_gave_up() {
    let SyncError::Unknown { remote, words } = given_up(true) else {
        panic!("something is claimed to be known")
    };
    assert_eq!(remote, REMOTE);
    assert!(words.ends_with("for too long, and may still push it"), "{words}");
    assert!(matches!(given_up(false), SyncError::Unreachable { .. }), "nothing was handed in");
}
