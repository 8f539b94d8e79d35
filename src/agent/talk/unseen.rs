//! Whether an agent could not be started because its sandbox does not show the program.

use super::{AgentWorkplace, Unanswered};

/// How bubblewrap begins to say that it cannot start a program: then follow its path and the system's error.
const NOT_STARTED: &str = "bwrap: execvp ";

/// Turns a failure in which bubblewrap does not find the program into one that says so.
pub(super) fn or_other(place: &AgentWorkplace, error: Unanswered) -> Unanswered {
    let (agent, said) = match &error {
        Unanswered::Failed { agent, said, .. } | Unanswered::Protocol { agent, said, .. } => (agent, said),
        _ => return error,
    };
    if place.within.is_empty() {
        return error;
    }
    let line = said.lines().find_map(|line| line.trim().strip_prefix(NOT_STARTED));
    match line.and_then(|line| line.rsplit_once(": ")) {
        Some((program, why)) => Unanswered::NotInSandbox {
            agent: agent.clone(),
            program: program.to_owned(),
            why: why.to_owned(),
        },
        None => error,
    }
}
