//! What only the index knows of an issue: which others point to it, and which gates the log says were overridden.

use schemars::JsonSchema;
use serde::Serialize;

use super::view::Related;
use crate::index::{Index, IndexError, Needs};
use crate::model::{CommitHash, IssueId, Person, Time};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::LandingProof;
use crate::store::HistoryStep;

/// What the index knows of an issue.
#[derive(Debug, Default)]
pub(super) struct Indexed {
    /// The issues that are a part of it.
    pub(super) children: Vec<Related>,
    /// The issues that depend on it.
    pub(super) dependents: Vec<Related>,
    /// Whether its work has landed; `None` unless it is completed.
    pub(super) landing: Option<LandingProof>,
    /// The gates that were overridden for it, the oldest first.
    pub(super) overrides: Vec<Override>,
}

impl Indexed {
    /// Asks the index once. The issue itself can be shown even if there is no index, or no readable log.
    pub(super) fn about(session: &Session, id: &IssueId) -> Self {
        let with_log = session.ask_landed(Needs::LOG, |index| {
            let overrides = Override::about(index, id)?;
            Ok(Self { overrides, ..Self::without_log(index, id)? })
        });
        let unread = match with_log {
            Ok((_, _, found)) => return found,
            Err(refusal) => refusal,
        };
        let found = session.ask_landed(Needs::ROWS, |index| Self::without_log(index, id));
        notice(session, "the log cannot be read, so overrides are not shown", &unread);
        match found {
            Ok((_, _, found)) => found,
            Err(refusal) => {
                notice(
                    session,
                    "the index cannot be read, so children and dependents are not shown",
                    &refusal,
                );
                Self::default()
            }
        }
    }

    fn without_log(index: &Index<'_>, id: &IssueId) -> Result<Self, IndexError> {
        Ok(Self {
            children: index.children(id)?.into_iter().map(Related::from).collect(),
            dependents: index.dependents(id)?.into_iter().map(Related::from).collect(),
            landing: index.landing_of(id)?,
            overrides: vec![],
        })
    }
}

fn notice(session: &Session, what: &str, refusal: &Refusal) {
    session.notice(Notice::warning(format!("{what}: {}", refusal.message)));
}

/// An override of a gate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Override {
    /// The commit of the ref.
    pub(crate) commit: CommitHash,
    /// The command.
    pub(crate) operation: String,
    /// The person who overrode the gate.
    pub(crate) person: Person,
    /// Their role; absent for an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<String>,
    /// The reason.
    pub(crate) reason: String,
    /// The time.
    pub(crate) at: Time,
}

impl Override {
    /// `None` for a step that overrode no gate.
    fn from_step(step: HistoryStep) -> Option<Self> {
        Some(Self {
            reason: step.force?,
            commit: step.commit,
            operation: step.op.unwrap_or_default(),
            person: match step.actor {
                Some(actor) => format!("{} ({actor})", step.author).into(),
                None => step.author,
            },
            role: step.role,
            at: step.at,
        })
    }

    /// The overrides for an issue, its plans and its items, oldest first. The index must contain the log.
    pub(crate) fn about(index: &Index<'_>, id: &IssueId) -> Result<Vec<Self>, IndexError> {
        let steps = index.forced_steps(id.as_str())?.into_iter();
        steps.map(|n| index.step(n).map(Self::from_step)).filter_map(Result::transpose).collect()
    }
}
