//! Other runs that have not ended: which issues they work on.

use std::collections::BTreeSet;

use crate::model::{IssueId, IssueStatus, Op, Other, RemedyCall, RunId, RunStatus, Time};
use crate::ops::work::runs::driver::Driven;
use crate::ops::{Notice, Refusal};
use crate::rules::{IssueFolder, RunFolder, RunProgress, facts, toward};
use crate::store::{ReadState, Store, records};

/// The runs that have not ended.
pub(super) struct Others {
    open: Vec<(RunFolder, Driven)>,
    /// How long a run of another clone is taken to be at work without any sign of it, in milliseconds.
    lease: i64,
    now: Time,
}

impl Others {
    /// All that there are.
    pub(super) fn of(store: &Store, read: &impl ReadState) -> Result<Self, Refusal> {
        Self::than(None, store, read, &mut BTreeSet::new())
    }

    /// All but `own`. `ended` remembers those that have ended, which are not read again.
    pub(super) fn than(
        own: Option<&RunId>,
        store: &Store,
        read: &impl ReadState,
        ended: &mut BTreeSet<RunId>,
    ) -> Result<Self, Refusal> {
        let mut open = Vec::new();
        for id in records::run_ids(read)? {
            if own == Some(&id) || ended.contains(&id) {
                continue;
            }
            let Some(run) = records::run(read, &id, &mut Vec::new())? else { continue };
            if RunProgress::of(&run).status == RunStatus::Completed {
                ended.insert(id);
            } else {
                let driven = Driven::find(store, &run);
                open.push((run, driven));
            }
        }
        Ok(Self { open, lease: store.lease()?, now: store.now()? })
    }

    /// Which of them works on an issue, as a sentence without a full stop. A run that was interrupted here does not, nor
    /// does a run of another clone that has written nothing for the length of a lease.
    pub(super) fn at_work(&self, issue: &IssueId) -> Option<String> {
        self.open.iter().find_map(|(run, driven)| {
            let progress = RunProgress::of(run);
            let does = progress.issue(issue)?.works()?;
            let is_at_work = match driven {
                Driven::Here => true,
                Driven::Elsewhere => progress.updated_at.plus_millis(self.lease) > self.now,
                Driven::Interrupted | Driven::Ended => false,
            };
            let place = if *driven == Driven::Elsewhere { " in another clone" } else { "" };
            let who = format!("run `{}` by {}{place} {does} it", run.run.id, run.run.actor.as_str());
            is_at_work.then_some(who)
        })
    }

    /// The notice that an issue is skipped, and who has it.
    pub(super) fn skipped(&self, folder: &IssueFolder, status: IssueStatus) -> Notice {
        let id = &folder.issue.record.id;
        let holder = facts::holder(folder).filter(|_| status == IssueStatus::Executing);
        let has_it = |run: &&(RunFolder, Driven)| {
            let executed = RunProgress::of(&run.0).issue(id).and_then(|issue| issue.execution_id.cloned());
            executed.is_some() && executed.as_ref() == holder.map(|it| &it.execution.id)
        };
        let run = self.open.iter().find(has_it);
        if let Some((run, Driven::Interrupted)) = run {
            let run = &run.run.id;
            let message = format!("skipped `{id}`: the interrupted run `{run}` is executing it");
            return Notice::warning(message).remedy(RemedyCall::new(Other::RunResume, [run]), "continues it");
        }
        let why = match (self.at_work(id), run, holder) {
            (Some(who), ..) => who,
            (None, Some((run, _)), _) => {
                format!("run `{}` by {} is executing it", run.run.id, run.run.actor.as_str())
            }
            (None, None, Some(holder)) => format!("{} is executing it", holder.execution.actor.as_str()),
            (None, None, None) => format!("it is {status}"),
        };
        Notice::warning(format!("skipped `{id}`: {why}"))
    }

    /// The only one that was interrupted here.
    pub(super) fn interrupted(&self) -> Option<&RunId> {
        let mut interrupted = self.open.iter().filter(|(_, driven)| *driven == Driven::Interrupted);
        let (only, _) = interrupted.next()?;
        interrupted.next().is_none().then_some(&only.run.id)
    }
}

/// The notice that an issue is skipped because it has no plan to execute.
pub(super) fn unplanned(folder: &IssueFolder) -> Notice {
    let id = &folder.issue.record.id;
    let notice = Notice::warning(format!("skipped `{id}`: it has no bound plan to execute"));
    if folder.plans().is_empty() {
        return notice.remedy(RemedyCall::new(Op::Run, [id]), "plans and executes it");
    }
    Notice { remedies: vec![toward::plan(folder)], ..notice }
}
