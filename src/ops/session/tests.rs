//! A session needs nothing but a store: no process, no terminal, no environment.

use super::{NoProgress, Session};
use crate::git::Repository;
use crate::ops::issues::{self, NewIssue};
use crate::store::{Acting, Clock, Store};

#[test]
fn an_operation_takes_its_time_from_the_clock_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    drop(Repository::init_bare(folder.path()));
    let config = folder.path().join("config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text + "[user]\n\tname = Ada\n\temail = ada@example.org\n").unwrap();
    let clock = Clock::at(Some("1900000000 +0100".into()));
    let store = Store::open(folder.path(), &Default::default()).unwrap();
    let store = store.acting(Acting::new(None, None, clock));
    store.create().unwrap();
    let session = Session::new(store, Box::new(NoProgress));
    assert_eq!(session.now().unwrap().millis(), 1_900_000_000_000);

    let new = NewIssue { id: None, title: Some("Late".into()), text: None, fields: Default::default() };
    let done = issues::new(&session, new).unwrap();

    assert_eq!(done.view.issue.created_at.millis(), 1_900_000_000_000);
    let commit = session.store().code_commit(done.commit.unwrap()).unwrap();
    assert_eq!(commit.committed_at.millis(), 1_900_000_000_000);
}
