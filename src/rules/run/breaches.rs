//! Breaches of the roles of agents, in words.

use crate::model::Breach;

/// The beginning of a breach that was refused.
const REFUSED: &str = "refused: ";

/// The text of a breach that the run refused for this reason.
pub(crate) fn refused_words(why: &str) -> String {
    format!("{REFUSED}{why}")
}

/// A breach in words; `cut` shortens a text that may be long.
pub(crate) fn breach_words(breach: &Breach, cut: impl Fn(&str) -> String) -> String {
    let undone = if breach.undone { "undone" } else { "not undone" };
    let of = breach.issue_id.as_ref().map(|issue| format!(" of {issue}")).unwrap_or_default();
    let (action, what) = (breach.action.noun(), cut(&breach.what));
    match &breach.agent {
        Some(agent) if breach.undone && what.starts_with(REFUSED) => {
            format!("agent {} was refused during {action}{of}: {}", cut(agent), &what[REFUSED.len()..])
        }
        Some(agent) => {
            format!("agent {} exceeded its role during {action}{of}: {what} ({undone})", cut(agent))
        }
        None => format!("by someone unknown, found during {action}{of}: {what} ({undone})"),
    }
}
