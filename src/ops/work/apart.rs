//! Asks an agent about something that belongs to no run: in a temporary worktree, within the bounds of its role, like
//! agents of runs.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::agents::{folder, refuse_missing};
use super::asking::{Asking, NoAnswer, RefusedAnswer};
use super::confining::{confine, keep_settings_of, take_put_back};
use super::runs::paths::{AgentIdentity, beside};
use super::runs::tree;
use crate::agent::answer::AnswerKind;
use crate::agent::configured;
use crate::agent::definition::Agent;
use crate::agent::environment::environment;
use crate::agent::guard::AgentGuard;
use crate::agent::request::{Request, RequestKind};
use crate::agent::talk::{self, AgentObserver, AgentReply, AgentWorkplace};
use crate::model::code::Code;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::roles::Role;
use crate::rules::run::Bounds;
use crate::store::{ObjectId, random_uid};
use crate::trail::hooked::links_commits;

/// The question, and the agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedApart<'a> {
    /// The agent: its name, or a command line.
    pub(crate) agent: &'a str,
    /// The role in which it acts.
    pub(crate) role: Role,
    /// The kind of the question.
    pub(crate) kind: RequestKind,
    /// The subject, as a part of file names.
    pub(crate) name: &'a str,
}

/// Why an answer was not taken.
pub(crate) enum ApartUnfit {
    /// The answer has these faults, which the agent may correct.
    Faults(Vec<String>),
    /// Nothing that the agent can mend.
    Refused(Refusal),
}

/// Asks an agent, and again if that fails. `accept` gets the answer and a session of the agent.
///
/// # Errors
/// `unknown-agent`, `invalid-agent`, `agent-not-found`, `no-commit`; `interrupted`; `no-answer`; what `accept` refuses.
pub(crate) fn ask_apart<A: AnswerKind, T>(
    session: &Session,
    question: AskedApart<'_>,
    input: &Value,
    observer: &mut dyn AgentObserver,
    mut accept: impl FnMut(&Session, &Agent, AgentReply<A>) -> Result<T, ApartUnfit>,
) -> Result<T, Refusal> {
    let store = session.store();
    let AskedApart { agent, role, kind, name } = question;
    let agent = Agent::of_text(agent, &configured::settings(store)?)?.started_in(&folder(store));
    refuse_missing(session, &agent)?;
    let head = store.head()?.ok_or_else(|| {
        Refusal::new(Code::NoCommit, "this repository has no commit for agents to work on")
            .command("git commit", "creates one")
    })?;
    let end = format!("{name}-{}", random_uid()?);
    let place = beside(store, &end);
    let files = store.common_dir().join("wf");
    confine(session, &files.join("changed"));
    store.prune_worktrees()?;
    store.git().add_detached_worktree(&place, &head.to_string())?;
    let asked = (|| {
        let there = AgentIdentity::agent(session, Some(agent.name().to_owned()), role).at(&place)?;
        keep_settings_of(there.store());
        let bounds = Bounds { role, branch: None, base: head.into(), named: BTreeSet::new() };
        let own = there.store().git().hooks_dir()?;
        let links = links_commits(there.store());
        let guard =
            AgentGuard::set(&files.join("guards").join(&end), bounds, &own, links).map_err(|error| {
                Refusal::new(Code::CannotWrite, format!("the hooks for the agent cannot be written: {error}"))
                    .hint("make sure that the directory is writable and the disk has space")
            })?;
        let mut number = 0;
        let request = Request::new::<A>(kind, role, input.clone());
        let asking = Asking { agent: agent.clone(), request, simpler: None, tried: 0 };
        let once = |agent: &Agent, request: &Request| {
            number += 1;
            let mut environment = environment(session.environment().iter().cloned(), agent, role.as_str());
            guard.guard(&mut environment);
            let transcript = files.join(format!("transcripts/{end}-{number}.jsonl"));
            let asked_at = AgentWorkplace { folder: place.clone(), environment, transcript };
            Ok(talk::ask::<A>(agent, &asked_at, request, observer))
        };
        let accept = |reply: AgentReply<A>, _: &Value| {
            accept(&there, &agent, reply).map_err(|unfit| match unfit {
                ApartUnfit::Faults(faults) => RefusedAnswer::Faults(faults),
                ApartUnfit::Refused(why) => RefusedAnswer::NoAnswer(why.into()),
            })
        };
        let again = |failure: crate::model::execution::Failure| {
            let why = failure.message.unwrap_or_default();
            session.notice(Notice::warning(format!("agent `{}` is asked again: {why}", agent.name())));
        };
        let taken = asking.ask(once, accept, || false, again);
        session.notice_all(there.notices());
        guard.remove();
        taken.map_err(|vain| match vain {
            NoAnswer::Refused(refusal) => *refusal,
            NoAnswer::Stopped => {
                Refusal::new(Code::Interrupted, format!("agent `{}` was stopped", agent.name()))
                    .hint("the same command asks it again")
            }
            NoAnswer::Failed(failure) => Refusal::new(Code::NoAnswer, failure.message.unwrap_or_default())
                .hint(format!("what it said is in {}", files.join("transcripts").display())),
        })
    })();
    session.notice_all(touched(&place, head, session, agent.name()));
    tree::remove(store, &place)?;
    let put_back = take_put_back(session).into_iter();
    session.notice_all(put_back.map(|it| match it.is_done {
        true => Notice::warning(format!("{}; it was put back", it.what)),
        false => Notice::warning(format!("{}; it could not be put back", it.what)),
    }));
    asked
}

/// Reports what the agent changed in its worktree, although it may only read.
fn touched(folder: &Path, base: ObjectId, session: &Session, agent: &str) -> Option<Notice> {
    let there = tree::open_of(session.store(), folder).ok()?;
    let mut changed = there.git().uncommitted().ok()?;
    if there.head().ok()?.is_some_and(|head| head != base) {
        changed.insert(0, "HEAD".to_owned());
    }
    let changed = changed.iter().map(|it| it.trim()).take(5).collect::<Vec<_>>().join(", ");
    (!changed.is_empty()).then(|| {
        Notice::warning(format!(
            "agent `{agent}` should only read, but changed its work tree; the changes were discarded: {changed}"
        ))
    })
}
