//! Protects what only the run itself may move: the ref of the store, and the branch of the run. If someone else moves
//! it, it is restored at once, since the run could not go on otherwise.

use super::Driver;
use crate::model::id::IssueId;
use crate::model::run::RunStep;
use crate::model::run_log::{Breach, RunEvent};
use crate::ops::Refusal;
use crate::ops::work::confining::take_put_back;
use crate::ops::work::runs::paths::prepare_branch;
use crate::run::alone::ChangedAlone;
use crate::run::left_at::{is_moved, put_branch_back};

impl Driver<'_> {
    /// Remembers the position of the run's branch, which the run itself has just moved.
    pub(super) fn know_branch(&mut self) -> Result<(), Refusal> {
        self.head = match self.run.branch() {
            Some(branch) => self.session.store().read_ref(branch.as_str())?,
            None => None,
        };
        Ok(())
    }

    /// Puts back what was moved.
    pub(super) fn keep(&mut self) -> Result<(), Refusal> {
        let refs = self.outside.refs.put_back(self.session.store());
        let records = self.outside.keep_records(self.session.store())?;
        let branch = self.keep_branch()?;
        let found = refs.into_iter().chain(records).map(|what| (what, true)).chain(branch);
        let settings = take_put_back(self.session).into_iter().map(|it| (it.what, it.is_done));
        for (what, undone) in found.chain(settings) {
            let (action, issue_id) = self.only_one_at_work();
            // A person may have done it.
            let breach = Breach { action, issue_id, agent: None, what, undone };
            self.log("breach", [RunEvent::Breach(breach)])?;
        }
        Ok(())
    }

    /// Restores the user's side of the repository, if only agents can have changed it.
    pub(super) fn keep_users_side(&mut self) -> Result<(), Refusal> {
        let Some(alone) = &self.alone else { return Ok(()) };
        let undone = alone.put_back(self.session.store())?;
        let at_work = std::mem::take(&mut self.at_work);
        let still = self.busy.keys().filter_map(|issue| at_work.get_key_value(issue));
        self.at_work = still.map(|(issue, at)| (issue.clone(), at.clone())).collect();
        let (action, _) = at_work.values().next().cloned().unwrap_or((RunStep::Execute, String::new()));
        let only = at_work.iter().next().filter(|_| at_work.len() == 1);
        let breach = |changed: ChangedAlone| Breach {
            action,
            issue_id: only.map(|(issue, _)| issue.clone()),
            agent: only.map(|(_, (_, agent))| agent.clone()),
            what: changed.what,
            undone: changed.undone,
        };
        let events: Vec<RunEvent> = undone.into_iter().map(|it| RunEvent::Breach(breach(it))).collect();
        if events.is_empty() { Ok(()) } else { self.log("breach", events) }
    }

    /// Refuses to merge into a branch that someone moved, and that could not be put back.
    pub(super) fn refuse_moved(&mut self) -> Result<(), Refusal> {
        let Some(branch) = self.run.branch() else { return Ok(()) };
        if self.session.store().read_ref(branch.as_str())? != self.head {
            self.keep()?;
        }
        if self.session.store().read_ref(branch.as_str())? == self.head {
            return Ok(());
        }
        Err(is_moved(&branch, &self.run.id))
    }

    /// Moves the branch of the run back to where the run left it. Returns what had happened, in words, and whether it did;
    /// if not, the next turn tries again.
    fn keep_branch(&mut self) -> Result<Option<(String, bool)>, Refusal> {
        let store = self.session.store();
        let (Some(branch), Some(known)) = (self.run.branch(), self.head) else { return Ok(None) };
        let now = store.read_ref(branch.as_str())?;
        if now == Some(known) {
            return Ok(None);
        }
        let (what, undone) = put_branch_back(store, &self.log, (known, now))?;
        if undone {
            prepare_branch(store, &self.places, &self.log)?;
        }
        Ok(Some((what, undone)).filter(|(what, undone)| *undone || self.outside.is_new(what)))
    }

    /// The step during which something happened, with its issue if there was only one.
    fn only_one_at_work(&self) -> (RunStep, Option<IssueId>) {
        match self.busy.iter().next() {
            Some((issue, step)) if self.busy.len() == 1 => (*step, Some(issue.clone())),
            Some((_, step)) => (*step, None),
            None => (RunStep::Execute, None),
        }
    }
}
