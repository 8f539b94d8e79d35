//! Whether completed work is on the branch on which it lands, as git and the records show it.

use serde::{Deserialize, Serialize};

use crate::model::issue::CONFLICT;
use crate::model::shell;
use crate::model::time::Time;
use crate::model::{Branch, CommitHash, Event, Feedback, Land, LandHow, text_enum};
use crate::rules::{ExecutionFolder, LinkedCommit};

text_enum!(
    /// What is known about completed work and its target branch. The index stores the place in this order.
    LandedState {
        /// All of it is there, or nothing needs to be.
        Landed = "landed",
        /// Some of it is not there, but on another branch.
        Unlanded = "unlanded",
        /// Some of it is on no branch of this clone.
        OnNoBranch = "on-no-branch",
        /// This clone cannot tell.
        Unknown = "unknown",
    }
);

/// Completed work and its target branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Landed {
    /// The target branch, with its full name.
    pub(crate) onto: Branch,
    /// What is known.
    pub(crate) state: LandedState,
    /// The linked commits that are on it, or whose changes are.
    pub(crate) commits: Vec<CommitHash>,
    /// The linked commits that are not.
    pub(crate) missing: Vec<CommitHash>,
    /// Missing commits that are on no branch of this clone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) on_no_branch: Vec<CommitHash>,
    /// Missing commits that were on the target and were reverted there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) reverted: Vec<CommitHash>,
    /// The linked commits of which this clone cannot tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unknown: Vec<CommitHash>,
    /// Why nothing needs to land, as a person says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waived: Option<String>,
    /// The remote's branch, such as `origin/main`, if the branch of this clone has all of it and only has to be pushed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) only_unpushed: Option<String>,
    /// The conflict that kept it from landing, if nothing else was said about the issue since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conflict: Option<String>,
}

impl Landed {
    /// Nothing yet about work that lands on this branch.
    pub(crate) fn onto(branch: Branch) -> Self {
        Self {
            onto: branch,
            state: LandedState::Landed,
            commits: vec![],
            missing: vec![],
            on_no_branch: vec![],
            reverted: vec![],
            unknown: vec![],
            waived: None,
            only_unpushed: None,
            conflict: None,
        }
    }

    /// With the state that follows from the commits.
    pub(crate) fn decided(self) -> Self {
        let state = if !self.on_no_branch.is_empty() {
            LandedState::OnNoBranch
        } else if !self.missing.is_empty() {
            LandedState::Unlanded
        } else if !self.unknown.is_empty() {
            LandedState::Unknown
        } else {
            LandedState::Landed
        };
        Self { state, ..self }
    }

    /// The missing commits that never were there: a revert took the others back.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &CommitHash> {
        self.missing.iter().filter(|hash| !self.reverted.contains(hash))
    }

    /// The command that publishes it, if it only has to be pushed.
    pub(crate) fn push(&self) -> Option<String> {
        let branch = self.onto.short();
        let remote = self.only_unpushed.as_ref()?.strip_suffix(branch)?.strip_suffix('/')?;
        Some(format!("git push {} {}", shell::operand(remote), shell::operand(branch)))
    }

    /// The state after the word `completed`: `not on main`, `not on origin/main yet`, `conflicts with main`; `None` if it has
    /// landed, or if nobody can tell.
    pub(crate) fn words(&self) -> Option<String> {
        match (self.state, &self.only_unpushed, &self.conflict) {
            (LandedState::Unlanded, Some(branch), _) => Some(format!("not on {branch} yet")),
            (LandedState::Unlanded, None, Some(_)) => Some(format!("conflicts with {}", self.onto.short())),
            (state, ..) => state.told(&self.onto),
        }
    }
}

/// What was derived for an execution, and by which commits of the branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LandingProof {
    /// The answer.
    pub(crate) landed: Landed,
    /// For each commit of `landed.commits`, the one on the branch that has its change: often itself.
    pub(crate) proofs: Vec<CommitHash>,
    /// The commits on the branch that took back the commits of `landed.reverted`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) reverts: Vec<CommitHash>,
    /// Whether it is so only as long as no other branch has certain commits.
    #[serde(default)]
    pub(crate) depends_on_refs: bool,
}

impl LandingProof {
    /// Nothing yet about work that lands on this branch.
    pub(crate) fn onto(branch: Branch) -> Self {
        Self { landed: Landed::onto(branch), proofs: vec![], reverts: vec![], depends_on_refs: false }
    }

    /// Whether a change of other branches than the target can change the answer.
    pub(crate) fn is_open(&self) -> bool {
        self.landed.state != LandedState::Landed || self.depends_on_refs
    }
}

impl LandedState {
    /// The states of work that is known to be absent from the target.
    pub(crate) const ABSENT: [Self; 2] = [Self::Unlanded, Self::OnNoBranch];

    /// `not on main`; `None` if it has landed, or if nobody can tell.
    pub(crate) fn told(self, onto: &Branch) -> Option<String> {
        match self {
            Self::Landed | Self::Unknown => None,
            Self::Unlanded => Some(format!("not on {}", onto.short())),
            Self::OnNoBranch => Some("on no branch".to_owned()),
        }
    }
}

/// Whether an execution may have landed before landings were recorded, so that nothing tells. `first_land` is the first landing of
/// the store.
pub(crate) fn is_older_than_landing(execution: &ExecutionFolder, first_land: Option<Time>) -> bool {
    may_be_older_than_landing(execution)
        && first_land.is_some_and(|first| execution.finished_at().is_none_or(|at| at < first))
}

/// Whether an execution may be older than the first landing. One that named its target when it ended, or that has a landing of
/// its own, is not.
pub(crate) fn may_be_older_than_landing(execution: &ExecutionFolder) -> bool {
    !execution.log.iter().any(|entry| match &entry.event {
        Event::End(end) => end.onto.is_some(),
        Event::Land(_) => true,
        _ => false,
    })
}

impl ExecutionFolder {
    /// When its work was first recorded as landed.
    pub(crate) fn first_land(&self) -> Option<Time> {
        let lands = self.log.iter().filter(|entry| matches!(entry.event, Event::Land(_)));
        lands.map(|entry| entry.at).min()
    }
}

/// The conflict that kept an issue from landing, if nothing else was said about it since.
pub(crate) fn conflict(feedback: &[Feedback]) -> Option<&str> {
    let last = &feedback.last()?.detail;
    if last.error_type.as_deref() == Some(CONFLICT) { last.message.as_deref() } else { None }
}

/// What people or the host said about the landing of an execution, the latest last.
pub(crate) fn stated(execution: &ExecutionFolder) -> impl Iterator<Item = &Land> {
    execution.log.iter().filter_map(|entry| match &entry.event {
        Event::Land(land) if land.is_stated() => Some(land),
        _ => None,
    })
}

/// What a person says need not land, if the last statement says so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiver<'a>(&'a Land);

impl<'a> Waiver<'a> {
    /// That of an execution.
    pub(crate) fn of(execution: &'a ExecutionFolder) -> Option<Self> {
        stated(execution).last().filter(|land| land.how == LandHow::None).map(Self)
    }

    /// Why.
    pub(crate) fn reason(&self) -> &'a str {
        self.0.reason.as_deref().unwrap_or_default()
    }

    /// Whether it speaks of a linked commit: one that was linked then, or what replaced that. Without a list it speaks of
    /// everything.
    pub(crate) fn covers(&self, commit: &LinkedCommit) -> bool {
        let known = &self.0.commits;
        known.is_empty()
            || known.contains(&commit.link.hash)
            || commit.rewritten_from.iter().any(|hash| known.contains(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_no_branch_is_worse_than_what_is_on_another() {
        let onto = Branch::parse("refs/heads/main").unwrap();
        let all = Landed {
            commits: vec!["1".into()],
            missing: vec!["2".into(), "3".into()],
            on_no_branch: vec!["3".into()],
            unknown: vec!["4".into()],
            ..Landed::onto(onto.clone())
        };
        let state = |landed: &Landed| landed.clone().decided().state;
        assert_eq!(state(&all), LandedState::OnNoBranch);
        let on_branch = Landed { on_no_branch: vec![], ..all.clone() };
        assert_eq!(
            (state(&on_branch), on_branch.clone().decided().words().as_deref()),
            (LandedState::Unlanded, Some("not on main"))
        );
        let conflicting = Landed { conflict: Some("conflict with SOL-1".into()), ..on_branch.clone() };
        assert_eq!(conflicting.clone().decided().words().as_deref(), Some("conflicts with main"));
        let unpushed = Landed { only_unpushed: Some("origin/main".into()), ..conflicting };
        assert_eq!(unpushed.decided().words().as_deref(), Some("not on origin/main yet"));
        let away = Landed { on_no_branch: vec![], missing: vec![], ..all.clone() };
        assert_eq!((state(&away), away.decided().words()), (LandedState::Unknown, None));
        assert_eq!(state(&Landed::onto(onto)), LandedState::Landed);
    }
}
