//! Full-text search.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Hit, Needs, Searched};
use crate::model::{IssueId, IssueStatus, Priority, QueueId};
use crate::ops::{Answer, Notice, Session};

/// What a search found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchResult {
    /// How many issues match, whatever the limit.
    pub(crate) total: usize,
    /// If too many match: how many of the newest were ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) newest: Option<usize>,
    /// The best of them, ranked by relevance; first those with the text as their id, or as that of one of their plans
    /// or executions.
    pub(crate) hits: Vec<FoundIssue>,
    /// Queues with the text as their id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) queues: Vec<QueueId>,
}

/// An issue that matches.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FoundIssue {
    /// Its id.
    pub(crate) id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its status.
    pub(crate) status: IssueStatus,
    /// How urgent it is.
    pub(crate) priority: Priority,
    /// Its relevance; higher is better.
    pub(crate) score: f64,
    /// Some words around a match.
    pub(crate) snippet: String,
    /// The parts of the snippet that match.
    pub(crate) matched: Vec<String>,
    /// The snippet in parts; every other one, from the second on, was searched for.
    #[serde(skip)]
    pub(crate) parts: Vec<String>,
}

impl From<Hit> for FoundIssue {
    fn from(Hit { issue, score, snippet }: Hit) -> Self {
        Self {
            id: issue.id,
            title: issue.title,
            status: issue.status,
            priority: issue.priority,
            score,
            snippet: snippet.concat(),
            matched: snippet.iter().skip(1).step_by(2).cloned().collect(),
            parts: snippet,
        }
    }
}

/// Finds the issues that match a text best, at most `limit`. If the text is an id, a shortened id or an item, its match comes first.
///
/// # Errors
/// An invalid query.
pub(crate) fn search(session: &Session, text: &str, limit: usize) -> Answer<SearchResult> {
    let (_, Searched { hits, total, newest, queues }) =
        session.ask(Needs::WORDS, |index| index.search(text, limit))?;
    if let Some(newest) = newest {
        let among = format!("{total} issues match; the best of the {newest} newest are shown");
        session.notice(Notice::note(among));
    }
    let hits = hits.into_iter().map(FoundIssue::from).collect();
    Ok(session.done(SearchResult { total, newest, hits, queues }, None))
}
