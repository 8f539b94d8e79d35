//! What is said of executions and their commits wherever they are shown.

use crate::ops::work::{CommitView, ExecutionView};

impl CommitView {
    /// What people are told of it, behind its subject.
    pub(in crate::cli) fn whereabouts(&self) -> &'static str {
        if self.on_no_branch { ON_NO_BRANCH } else { "" }
    }
}

/// Behind a commit that nothing leads to.
pub(in crate::cli) const ON_NO_BRANCH: &str = " (on no branch)";

impl ExecutionView {
    /// How it ended, where that is worth a word: see [`end_note`].
    pub(in crate::cli) fn end_note(&self) -> String {
        end_note(&self.execution.actor, self.ended_by.as_deref(), self.forced.as_deref())
    }
}

/// `, ended by …` where that is not the one who executed, and the reason for which a gate was overridden.
pub(in crate::cli) fn end_note(actor: &str, ended_by: Option<&str>, forced: Option<&str>) -> String {
    let other = ended_by.filter(|person| *person != actor).map(|person| format!(", ended by {person}"));
    let forced = forced.map(|reason| format!(", gate overridden: {reason}"));
    other.into_iter().chain(forced).collect()
}
