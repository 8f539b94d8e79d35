//! How executions and their commits are shown.

use crate::model::{AgentSession, CommitHash, MadeBy, Provenance, ProvenanceSource};
use crate::ops::work::{CommitView, EndView, ExecutionView};
use crate::rules::run::money;
use crate::ui::{count, time};

impl CommitView {
    /// The note that people see after the commit's subject.
    pub(crate) fn location_note(&self) -> &'static str {
        match (self.on_no_branch, self.not_here) {
            (true, _) => ON_NO_BRANCH,
            (false, true) => " (not in this clone)",
            (false, false) => "",
        }
    }
}

impl EndView {
    /// What another clone reported about the same execution, in one line.
    pub(crate) fn note(&self) -> String {
        let forced = self.forced.as_deref().map(|reason| format!(", gate overridden: {reason}"));
        let text = self.text().map(|text| format!(": {text}"));
        let (status, by, at) = (self.status, &self.ended_by, self.finished_at);
        format!("also {status} by {by}, {at}{}{}", forced.unwrap_or_default(), text.unwrap_or_default())
    }
}

/// The note after an unreachable commit.
pub(crate) const ON_NO_BRANCH: &str = " (on no branch)";

impl ExecutionView {
    /// How the execution ended, if that needs a note: see [`end_note`].
    pub(crate) fn end_note(&self) -> String {
        end_note(&self.execution.actor, self.ended_by.as_deref(), self.forced.as_deref())
    }
}

/// `, ended by …` if that was not the executor, and the reason if a gate was overridden.
pub(crate) fn end_note(actor: &str, ended_by: Option<&str>, forced: Option<&str>) -> String {
    let other = ended_by.filter(|person| *person != actor).map(|person| format!(", ended by {person}"));
    let forced = forced.map(|reason| format!(", gate overridden: {reason}"));
    other.into_iter().chain(forced).collect()
}

/// The note after a commit that an agent made.
pub(crate) fn agent_note(made_by: Option<&MadeBy>) -> String {
    made_by.map(|by| format!(", with agent {by}")).unwrap_or_default()
}

/// What another tool recorded about a commit, in one line.
pub(crate) fn provenance_line(it: &Provenance) -> String {
    let tool = match (it.source, &it.checkpoint_id) {
        (ProvenanceSource::Entire, Some(id)) => format!("Entire checkpoint {id}"),
        (ProvenanceSource::Entire, None) => "Entire".to_owned(),
        (ProvenanceSource::GitAi, _) => "Git AI".to_owned(),
    };
    let model = it.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    let session = it.session_id.as_ref().map(|id| format!("session {id}"));
    let lines = it.line_count.map(|n| count(usize::try_from(n).unwrap_or(usize::MAX), "line"));
    let agent = it.agent.as_ref().map(|agent| format!("{agent}{model}"));
    let words: Vec<String> = agent.into_iter().chain(session).chain(lines).collect();
    if words.is_empty() { tool } else { format!("{tool}: {}", words.join(", ")) }
}

/// A session of an agent in one line.
pub(crate) fn session_line(it: &AgentSession) -> String {
    let took = it.ended_at.map(|end| {
        let millis = end.millis().saturating_sub(it.started_at.millis());
        format!(" for {}", time::length(u64::try_from(millis).unwrap_or_default()))
    });
    let took = took.unwrap_or_else(|| format!(" since {}", time::moment(it.started_at.millis())));
    let tokens = it.tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
    let cost = it.cost.as_ref().map(|cost| format!(", {}", money(cost)));
    let summary = it.summary.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("{}{took}{tokens}{}{summary}", MadeBy::from(it), cost.unwrap_or_default())
}

/// The commits that a commit reverts or reapplies, as a note.
pub(crate) fn undone(reverts: &[CommitHash], reapplies: &[CommitHash]) -> String {
    let verbs = [("reverts", reverts), ("reapplies", reapplies)];
    let each = |(verb, hashes): (&str, &[CommitHash])| {
        hashes.iter().map(|hash| format!("{verb} {}", hash.short())).collect::<Vec<_>>()
    };
    let words: Vec<String> = verbs.into_iter().flat_map(each).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}
