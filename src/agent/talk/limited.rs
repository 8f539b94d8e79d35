//! Whether an agent failed because its provider serves it only later.

use super::Unanswered;
use crate::rules::run::limit_in;

/// What an agent says in place of an answer is at most this long if it is limited, in bytes.
const LONGEST: usize = 400;

/// The same failure, or that it is limited, if its words say so.
pub(super) fn or_other(error: Unanswered) -> Unanswered {
    let (agent, text) = match &error {
        Unanswered::Protocol { agent, why, said, .. } => (agent, format!("{why}\n{said}")),
        // Some programs try again until they are stopped.
        Unanswered::Failed { agent, said, .. }
        | Unanswered::TimedOut { agent, said, .. }
        | Unanswered::Killed { agent, said, .. } => (agent, said.clone()),
        // A longer text is about something else.
        Unanswered::Silent { agent, said, .. } if said.len() < LONGEST => (agent, said.clone()),
        _ => return error,
    };
    match limit_in(&text) {
        Some(wait) => Unanswered::Limited { agent: agent.clone(), wait, said: text },
        None => error,
    }
}
