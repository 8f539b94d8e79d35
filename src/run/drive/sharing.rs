//! Tells other clones about a run: which issues it plans, before it begins to, and how executions ended. Each push
//! carries everything that is waiting.

use super::Driver;
use crate::model::{Code, IssueId, IssueReached, IssueStatus, Op, Other, RemedyCall, RunEvent, RunStep};
use crate::ops::work::publish_store;
use crate::ops::work::runs::view::existing;
use crate::ops::{Notice, Refusal, issues};
use crate::rules::run::IssueProgress;
use crate::rules::{RunFolder, RunProgress, facts};
use crate::run::others::Others;
use crate::run::watch::RunUpdate;
use crate::store::{ObjectId, Store, Tx};
use crate::sync;

impl Driver<'_> {
    /// Records which issues will be explored or planned next: first at the remote, if there is one, so that no other
    /// clone plans them as well. Issues that someone else works on are skipped.
    ///
    /// # Errors
    /// `taken-over`, if the remote says that another clone drives the run.
    pub(super) fn reserve(&mut self, steps: &[(IssueId, RunStep)]) -> Result<(), Refusal> {
        let progress = RunProgress::of(&self.log);
        let is_untouched = |id: &IssueId| progress.issue(id).is_some_and(IssueProgress::is_untouched);
        let begins = |step: &RunStep| matches!(step, RunStep::Explore | RunStep::Plan);
        let wanted = steps.iter().filter(|(id, step)| begins(step) && is_untouched(id));
        let wanted: Vec<IssueId> = wanted.map(|(id, _)| id.clone()).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let store = self.session.store();
        let snapshot = store.snapshot()?;
        let mut before = Vec::new();
        for issue in &wanted {
            before.push((issue, facts::status(&issues::existing(&snapshot, issue)?)));
        }
        let remote = if self.is_offline { None } else { sync::remote::of_the_ref(store)? };
        let reserve = |remote: Option<&str>| {
            let permit = self.session.permit(Op::Run)?;
            let plan = |tx: &mut Tx<'_>| {
                let others = Others::than(Some(&self.run.id), store, tx, &mut self.ended.borrow_mut())?;
                // The remote may have accepted this before, without the local ref having followed.
                let mut known = existing(tx, &self.run.id)?;
                let progress = RunProgress::of(&known);
                let is_reserved = |id: &IssueId| !progress.issue(id).is_some_and(IssueProgress::is_untouched);
                let mut entries = Vec::new();
                for (issue, status) in before.iter().filter(|(issue, _)| !is_reserved(issue)) {
                    let is_changed = facts::status(&issues::existing(tx, issue)?) != *status;
                    if !is_changed && others.at_work(issue).is_none() {
                        let reached = IssueReached::plain((*issue).clone(), IssueStatus::Planning);
                        entries.push(tx.log_run(&self.run.id, RunEvent::Issue(reached))?);
                    }
                }
                let of = if let [(issue, _)] = before[..] { format!(" {issue}") } else { String::new() };
                tx.describe(format!("run: {}{of} planning", self.run.id));
                known.log.extend(entries);
                Ok(known.log)
            };
            self.session.transact_through(permit, remote, plan, None)
        };
        let reserved = match reserve(remote.as_deref()) {
            // Ctrl-C may have ended the wait, or git.
            Err(_) if self.is_stopping() => return Ok(()),
            Err(refusal) if remote.is_some() && is_of_the_network(&refusal) => {
                let message = format!("other clones may plan the same issues: {}", refusal.message);
                self.session.notice(Notice::warning(message));
                self.is_offline = true;
                reserve(None)
            }
            other => other,
        };
        let log = reserved?;
        let before = std::mem::take(&mut self.log.log);
        // Someone may have added an issue meanwhile.
        self.log = RunFolder::new(self.run.clone(), log);
        self.run = self.log.run.clone();
        for entry in self.log.log.iter().filter(|entry| !before.iter().any(|known| known.id == entry.id)) {
            self.watch.update(&RunUpdate::Logged(entry));
        }
        Ok(())
    }

    /// Records that an issue is being explored or planned, again or after [`Driver::reserve`].
    ///
    /// # Errors
    /// `nothing-to-do` if someone else works on it.
    pub(super) fn reach_planning(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let progress = RunProgress::of(&self.log);
        match progress.issue(issue) {
            Some(at) if at.status == IssueStatus::Planning => Ok(()),
            Some(at) if at.is_untouched() => {
                Err(Refusal::nothing(format!("someone else is working on `{issue}`"))
                    .remedy(RemedyCall::new(Other::Show, [issue]), "shows who"))
            }
            _ => {
                let reached = IssueReached::plain(issue.clone(), IssueStatus::Planning);
                self.log_issue("planning", reached)
            }
        }
    }

    /// Publishes the ends of executions, unless a claim has carried them since, or `wf.pushInterval` does not allow it
    /// yet.
    pub(super) fn publish_ends(&mut self) -> Result<(), Refusal> {
        let store = self.session.store();
        let (Some(end), Some(remote)) = (self.last_end, sync::remote::of_the_ref(store)?) else {
            self.last_end = None;
            return Ok(());
        };
        if !has(store, &remote, end)? {
            if sync::until_due(store, &remote, store.push_interval()?).is_some() {
                return Ok(());
            }
            publish_store(self.session)?;
        }
        self.last_end = None;
        Ok(())
    }
}

/// Whether the remote has a commit, as far as this clone knows.
fn has(store: &Store, remote: &str, commit: ObjectId) -> Result<bool, Refusal> {
    let theirs = store.read_ref(&store.tracking(remote))?;
    Ok(theirs.is_some_and(|theirs| theirs == commit || store.is_ancestor(commit, theirs).unwrap_or(false)))
}

/// Whether a refusal means only that the remote gave no answer or did not accept the push.
fn is_of_the_network(refusal: &Refusal) -> bool {
    matches!(
        refusal.code,
        Code::Unreachable
            | Code::Credentials
            | Code::TooManyRequests
            | Code::NoTurn
            | Code::Refused
            | Code::Declined
            | Code::NotShown
            | Code::Raced
            | Code::UnknownOutcome
    )
}
