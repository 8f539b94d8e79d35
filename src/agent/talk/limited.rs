//! Whether an agent failed because its provider serves it only later. What the agent says in its answer are its own words, also about
//! limits: its program says so in its log, in an error of the protocol, or with the last line of a failure.

use super::{AgentOutput, Unanswered, both_ends};
use crate::rules::LimitWait;
use crate::rules::run::{limit_at_end_of, limit_in};

/// Why there is no answer from a program that exited with this code.
pub(in crate::agent) fn exited(agent: String, code: i32, heard: &AgentOutput) -> Unanswered {
    if let Some(limited) = in_log(&agent, heard) {
        return limited;
    }
    match limit_at_end_of(&heard.answer) {
        Some(wait) => {
            let last = heard.answer.trim_end().lines().next_back().unwrap_or_default();
            Unanswered::Limited { agent, wait, said: last.trim().to_owned() }
        }
        None => Unanswered::Failed { agent, code, said: heard.said() },
    }
}

/// That an agent is limited, if the error with which it answered a call says so, or else its log.
pub(in crate::agent) fn refused(agent: &str, error: &str, heard: &AgentOutput) -> Option<Unanswered> {
    match limit_in(error) {
        Some(wait) => Some(limited(agent, wait, error)),
        None => in_log(agent, heard),
    }
}

fn in_log(agent: &str, heard: &AgentOutput) -> Option<Unanswered> {
    limit_in(&heard.log).map(|wait| limited(agent, wait, &heard.log))
}

fn limited(agent: &str, wait: LimitWait, said: &str) -> Unanswered {
    Unanswered::Limited { agent: agent.to_owned(), wait, said: both_ends("", said) }
}
