//! Finds the command to undo.

use std::collections::BTreeSet;

use super::SUBJECT;
use crate::index::Needs;
use crate::model::{Code, CommitHash, Op, Other, Person, RemedyCall, shell};
use crate::ops::{Refusal, Session};
use crate::rules::{Role, roles};
use crate::store::HistoryStep;
use crate::trail::log::{LogFilter, StoreLog};

/// How many of the user's latest commits are considered.
const MOST: usize = 1000;

/// How many commands before the one to undo may take its place.
const MOST_BEFORE: usize = 10;

/// What to undo.
pub(super) struct Chosen {
    pub(super) step: HistoryStep,
    /// The user's commands before it that were not undone, latest first.
    pub(super) before: Vec<HistoryStep>,
    /// The user's commits that undo others, made since.
    pub(super) undos: Vec<CommitHash>,
}

/// The user's last commit that neither was undone nor undoes another, or the one whose id begins with `wanted`.
pub(super) fn chosen(session: &Session, wanted: Option<&str>) -> Result<Chosen, Refusal> {
    let store = session.store();
    let (me, role) = (store.identity()?, roles::acting(store.role())?);
    let own = Person::known(&me.name, &me.email, None);
    let (index, ()) = session.ask(Needs::LOG, |_| Ok(()))?;
    let mut log = StoreLog::new(store, index)?;
    let by_me = LogFilter { authors: vec![me.email.clone()], ..LogFilter::default() };
    let mut undone: BTreeSet<String> = BTreeSet::new();
    let mut undos: Vec<CommitHash> = Vec::new();
    let mut found: Option<HistoryStep> = None;
    let mut before = Vec::new();
    let mut is_of_another_role = false;
    for n in log.find(None, &by_me, Some(MOST))? {
        let step = log.step(n, None)?;
        // A role undoes only what was done in that role.
        let is_in_role = role.is_none() || step.role.as_deref().and_then(Role::named) == role;
        if step.author != own || step.actor != me.actor {
            continue;
        }
        if !is_in_role {
            is_of_another_role |= wanted.is_some_and(|wanted| step.commit.starts_with(wanted));
            continue;
        }
        match step.op.as_deref().and_then(Op::parse) {
            None | Some(Op::Merge) => {}
            Some(Op::Undo) => {
                let of = step.subject.strip_prefix(SUBJECT).and_then(|rest| rest.split(' ').next());
                undone.extend(of.map(str::to_owned));
                if found.is_none() {
                    undos.push(step.commit);
                }
            }
            Some(_) if undone.iter().any(|start| step.commit.starts_with(start.as_str())) => {}
            Some(_) if found.is_some() && before.len() == MOST_BEFORE => break,
            Some(_) if found.is_some() => before.push(step),
            Some(_) if wanted.is_none_or(|wanted| step.commit.starts_with(wanted)) => found = Some(step),
            Some(_) => {}
        }
    }
    let as_role = role.map(|role| format!(" as {}", role.with_article())).unwrap_or_default();
    match (found, wanted) {
        (Some(step), _) => Ok(Chosen { step, before, undos }),
        (None, None) => Err(Refusal::nothing(format!("you have no command to undo{as_role}"))
            .remedy(RemedyCall::from(Other::Log), "shows who did what")),
        (None, Some(wanted)) if is_of_another_role => {
            Err(Refusal::new(Code::NotFound, format!("`{wanted}` was not made{as_role}"))
                .command(format!("git show -s {}", shell::operand(wanted)), "shows in which role"))
        }
        (None, Some(wanted)) => Err(Refusal::new(
            Code::NotFound,
            format!("`{wanted}` is not one of your commands, or has already been undone"),
        )
        .remedy(RemedyCall::from(Other::Log).option("author", &*me.email), "lists your commands")),
    }
}
