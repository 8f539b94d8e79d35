//! The view of an execution.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    AgentSession, AsideReason, Check, CommitHash, CommitLink, End, Event, Execution, ExecutionResult,
    ExecutionStatus, Failure, Land, LogEntry, MadeBy, Person, Time, Vouch,
};
use crate::rules::claim_order::who_holds;
use crate::rules::{ExecutionFolder, IssueFolder, LinkedCommit};
use crate::trail::reach::Unreached;
use crate::trail::{record_words, restored};

/// A linked commit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CommitView {
    /// The link.
    #[serde(flatten)]
    pub(crate) link: CommitLink,
    /// Earlier hashes of the same work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rewritten_from: Vec<CommitHash>,
    /// The agent at work when it was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) made_by: Option<MadeBy>,
    /// Whether it is in this repository but on no branch, tag or remote, as after a reset. Only `show`, `status` and
    /// `trace` check this.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) on_no_branch: bool,
    /// Whether this repository does not have it. Only `show` and `status` check this.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) not_here: bool,
}

impl From<LinkedCommit> for CommitView {
    fn from(commit: LinkedCommit) -> Self {
        let LinkedCommit { link, rewritten_from } = commit;
        Self { link, rewritten_from, made_by: None, on_no_branch: false, not_here: false }
    }
}

#[serde_with::skip_serializing_none]
/// An execution, with the state derived from its log.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ExecutionView {
    /// The claim.
    #[serde(flatten)]
    pub(crate) execution: Execution,
    /// Its status among the executions of its issue.
    pub(crate) status: ExecutionStatus,
    /// The commits that are linked now.
    pub(crate) commits: Vec<CommitView>,
    /// The test commands that were run.
    pub(crate) checks: Vec<Check>,
    /// The words of reviewers for what its checks do not prove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) vouches: Vec<VouchView>,
    /// The sessions of agents that worked on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sessions: Vec<AgentSession>,
    /// What the executor reported.
    pub(crate) result: Option<ExecutionResult>,
    /// What went wrong.
    pub(crate) failure: Option<Failure>,
    /// When it ended.
    pub(crate) finished_at: Option<Time>,
    /// Who ended it, or set it aside.
    pub(crate) ended_by: Option<Person>,
    /// Why a gate was overridden to end it.
    pub(crate) forced: Option<String>,
    /// Why it was set aside, if it was.
    #[serde(skip)]
    pub(crate) set_aside: Option<AsideReason>,
    /// When its work came to the branch that everyone shares, and how.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) lands: Vec<LandingView>,
    /// Other ends of the same execution, by clones that did not know of this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_ends: Vec<EndView>,
}

/// The word of a reviewer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct VouchView {
    /// What was said, of which work.
    #[serde(flatten)]
    pub(crate) vouch: Vouch,
    /// Who said it.
    pub(crate) vouched_by: Person,
    /// The time.
    pub(crate) vouched_at: Time,
}

impl VouchView {
    /// In words.
    pub(crate) fn words(&self) -> String {
        format!("{} says that the tests hold: {}", self.vouched_by, self.vouch.reason)
    }
}

/// A recorded landing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct LandingView {
    /// Where, and as which commits.
    #[serde(flatten)]
    pub(crate) land: Land,
    /// Who landed it, or said that it has landed.
    pub(crate) landed_by: Person,
    /// The time.
    pub(crate) landed_at: Time,
}

impl LandingView {
    /// In words.
    pub(crate) fn words(&self) -> String {
        record_words::landed(&self.land)
    }
}

#[serde_with::skip_serializing_none]
/// An end of an execution that had already ended in another clone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct EndView {
    /// completed or failed.
    pub(crate) status: ExecutionStatus,
    /// Who ended it.
    pub(crate) ended_by: Person,
    /// The time.
    pub(crate) finished_at: Time,
    /// What was reported.
    pub(crate) result: Option<ExecutionResult>,
    /// What went wrong.
    pub(crate) failure: Option<Failure>,
    /// Why a gate was overridden for it.
    pub(crate) forced: Option<String>,
}

impl EndView {
    fn new(end: &End, entry: &LogEntry) -> Self {
        Self {
            status: end.status,
            ended_by: entry.actor.clone(),
            finished_at: entry.at,
            result: end.result.clone(),
            failure: end.failure.clone(),
            forced: end.forced.clone(),
        }
    }

    /// The text of this end: its summary or failure message.
    pub(crate) fn text(&self) -> Option<&str> {
        let message = self.failure.as_ref().and_then(|failure| failure.message.as_deref());
        message.or_else(|| self.result.as_ref().and_then(|result| result.summary.as_deref()))
    }
}

impl CommitView {
    /// Whether this is the commit with that hash, now or before it was rewritten.
    pub(crate) fn is(&self, hash: &CommitHash) -> bool {
        self.link.hash == *hash || self.rewritten_from.contains(hash)
    }
}

impl ExecutionView {
    /// Its status in a word or two.
    pub(crate) fn status_words(&self) -> String {
        status_words(self.status, self.set_aside)
    }

    /// The commit with this hash, now or before it was rewritten.
    pub(crate) fn commit(&self, hash: &CommitHash) -> Option<&CommitView> {
        self.commits.iter().find(|commit| commit.is(hash))
    }

    /// The link of the commit with this hash.
    pub(crate) fn link(&self, hash: &CommitHash) -> Option<&CommitLink> {
        self.commit(hash).map(|commit| &commit.link)
    }
}

/// Its status in a word or two; an attempt that nobody superseded was set aside for a reason.
pub(crate) fn status_words(status: ExecutionStatus, set_aside: Option<AsideReason>) -> String {
    match (status, set_aside) {
        (ExecutionStatus::Superseded, Some(AsideReason::Release)) => "released".to_owned(),
        (ExecutionStatus::Superseded, Some(AsideReason::NotShown)) => {
            "withdrawn, since the remote did not show it".to_owned()
        }
        (ExecutionStatus::Superseded, Some(_)) => "set aside".to_owned(),
        (status, None) => status.to_string(),
        (status, Some(AsideReason::Retry)) => format!("{status}, retried"),
        (status, Some(AsideReason::Reopen)) => format!("{status}, reopened"),
        (status, Some(AsideReason::Rebind)) => format!("{status}, set aside for another plan"),
        (status, Some(AsideReason::Release)) => format!("{status}, released"),
        (status, Some(AsideReason::NotShown)) => format!("{status}, withdrawn"),
    }
}

/// The view of an execution with this status.
pub(crate) fn execution(folder: &ExecutionFolder, status: ExecutionStatus) -> ExecutionView {
    let checks = folder.log.iter().filter_map(|entry| match &entry.event {
        Event::Check(check) => Some(check.clone()),
        _ => None,
    });
    let lands = folder.log.iter().filter_map(|entry| match &entry.event {
        Event::Land(land) => {
            Some(LandingView { land: land.clone(), landed_by: entry.actor.clone(), landed_at: entry.at })
        }
        _ => None,
    });
    let vouches = folder.log.iter().filter_map(|entry| match &entry.event {
        Event::Vouch(vouch) => {
            Some(VouchView { vouch: vouch.clone(), vouched_by: entry.actor.clone(), vouched_at: entry.at })
        }
        _ => None,
    });
    let mut agents = folder.agents_by_hash();
    let commits = folder.commits().into_iter().map(|commit| {
        let made_by = agents.remove(&commit.link.hash);
        CommitView { made_by, ..CommitView::from(commit) }
    });
    let commits = commits.collect();
    let mut execution = folder.execution.clone();
    execution.lease_expires_at = folder.lease_expires_at();
    ExecutionView {
        execution,
        status,
        commits,
        checks: checks.collect(),
        vouches: vouches.collect(),
        sessions: folder
            .sessions_with_ends()
            .map(|(session, ended_at)| AgentSession { ended_at, ..session.clone() })
            .collect(),
        result: folder.result().cloned(),
        failure: folder.failure().cloned(),
        finished_at: folder.finished_at(),
        ended_by: folder.ended_by().cloned(),
        forced: folder.forced().map(str::to_owned),
        set_aside: folder.aside().map(|aside| aside.reason),
        lands: lands.collect(),
        other_ends: folder.other_ends().map(|(end, entry)| EndView::new(end, entry)).collect(),
    }
}

/// All executions of an issue, in the order of their attempts.
pub(crate) fn executions(folder: &IssueFolder) -> Vec<ExecutionView> {
    let statuses = who_holds(&folder.executions).statuses;
    let mut all: Vec<ExecutionView> =
        folder.executions.iter().zip(statuses).map(|(attempt, status)| execution(attempt, status)).collect();
    all.sort_by_cached_key(|view| {
        (view.execution.attempt, view.execution.started_at, view.execution.id.clone())
    });
    all
}

/// Like `executions`, with unreachable commits marked, and with their earlier versions instead if those are on a branch
/// again. `unreached` must be about all commits that the executions know.
pub(crate) fn executions_within(folder: &IssueFolder, unreached: &Unreached) -> Vec<ExecutionView> {
    let restored: Vec<Option<ExecutionFolder>> =
        folder.executions.iter().map(|execution| restored::applied(execution, unreached)).collect();
    let mut all = if restored.iter().all(Option::is_none) {
        executions(folder)
    } else {
        let mut folder = folder.clone();
        for (execution, restored) in folder.executions.iter_mut().zip(restored) {
            if let Some(restored) = restored {
                *execution = restored;
            }
        }
        executions(&folder)
    };
    for commit in all.iter_mut().flat_map(|view| &mut view.commits) {
        commit.on_no_branch = unreached.is_adrift(&commit.link.hash);
        commit.not_here = unreached.is_away(&commit.link.hash);
    }
    all
}
