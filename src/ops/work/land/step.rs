//! What the branch gets of each issue, or why it gets nothing.

use super::chosen::ChosenIssue;
use super::tests::LandTest;
use super::view::{LandedIssue, NotLanded, WhyNotLanded};
use crate::git::TreeConflict;
use crate::model::execution::LandHow;
use crate::model::id::{IssueId, SolutionId};
use crate::store::ObjectId;

/// What the branch would get.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its new commit.
    pub(super) tip: ObjectId,
    /// One step for each issue, in order.
    pub(super) steps: Vec<LandStep>,
    /// The issues that are left out.
    pub(super) conflicts: Vec<ConflictedIssue>,
}

/// The work of one issue, as the branch would get it.
#[derive(Debug)]
pub(super) struct LandStep {
    /// Its place among the chosen issues.
    pub(super) issue: usize,
    /// The commit before.
    pub(super) before: ObjectId,
    /// The commit that has it.
    pub(super) after: ObjectId,
    /// The last commit of the work itself: that, or the one before if that ticks it off in the files of a plan tool.
    pub(super) work_end: ObjectId,
    /// How.
    pub(super) how: LandHow,
    /// Linked commits with what replaces them.
    pub(super) replaced: Vec<ReplacedCommit>,
    /// The same of commits that came along, such as work of others on which this builds.
    pub(super) replaced_of_others: Vec<ReplacedCommit>,
}

/// A commit with what replaces it on the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReplacedCommit {
    /// The linked commit.
    pub(super) old: ObjectId,
    /// The commit on the branch.
    pub(super) new: ObjectId,
}

/// An issue that cannot land now.
#[derive(Debug)]
pub(super) struct ConflictedIssue {
    /// Its place among the chosen issues.
    pub(super) issue: usize,
    /// Why.
    pub(super) why: ConflictReason,
}

/// Why an issue cannot land now.
#[derive(Debug)]
pub(super) enum ConflictReason {
    /// An issue that it depends on did not land.
    Dependency(IssueId),
    /// It conflicts with what the branch has.
    Conflict(Box<LandConflict>),
}

/// A conflict with what the branch has.
#[derive(Debug)]
pub(super) struct LandConflict {
    /// git's answer.
    pub(super) conflict: TreeConflict,
    /// The plans whose work is on the other side, as far as links and trailers tell.
    pub(super) with: Vec<SolutionId>,
    /// The files with conflict markers, compared with the branch.
    pub(super) hunks: String,
    /// The commit on top of which it was put.
    pub(super) ours: ObjectId,
    /// Its own last commit.
    pub(super) theirs: Option<ObjectId>,
}

impl LandStep {
    /// Whether commits of the branch stand for others.
    pub(super) fn replaces(&self) -> bool {
        !self.replaced.is_empty() || !self.replaced_of_others.is_empty()
    }

    /// The linked commits, as they are on the branch.
    pub(super) fn commits(&self, issue: &ChosenIssue) -> Vec<ObjectId> {
        let now =
            |id: &ObjectId| self.replaced.iter().find(|pair| pair.old == *id).map_or(*id, |pair| pair.new);
        let mut found: Vec<ObjectId> = Vec::new();
        for id in issue.commits.iter().map(now) {
            if !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }

    /// As the answer shows it.
    pub(super) fn shown(&self, issue: &ChosenIssue, tests: &[LandTest]) -> LandedIssue {
        LandedIssue {
            issue_id: issue.issue.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            execution_id: issue.execution.clone(),
            how: self.how,
            before: self.before.into(),
            after: self.after.into(),
            commits: self.commits(issue).into_iter().map(Into::into).collect(),
            missing: vec![],
            tests: tests
                .iter()
                .filter(|it| it.is_of(self.issue))
                .map(|it| it.command.as_str().to_owned())
                .collect(),
        }
    }
}

impl ConflictedIssue {
    /// As the answer shows it.
    pub(super) fn shown(&self, issue: &ChosenIssue) -> NotLanded {
        let (why, message, files, with) = match &self.why {
            ConflictReason::Dependency(other) => (
                WhyNotLanded::Dependency,
                format!("it depends on `{other}`, which did not land"),
                vec![],
                vec![],
            ),
            ConflictReason::Conflict(it) => {
                (WhyNotLanded::Conflict, it.words(), it.conflict.files.clone(), it.with.clone())
            }
        };
        NotLanded {
            issue_id: issue.issue.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            why,
            message,
            files,
            with,
            place: None,
            output: None,
        }
    }
}

impl LandConflict {
    /// `conflict with SOL-… in src/a.rs`.
    pub(super) fn words(&self) -> String {
        let files = self.conflict.files.join(", ");
        match &self.with[..] {
            [] => format!("conflict with the branch in {files}"),
            with => {
                let with: Vec<&str> = with.iter().map(SolutionId::as_str).collect();
                format!("conflict with {} in {files}", with.join(", "))
            }
        }
    }
}
