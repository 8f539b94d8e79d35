//! Whether an agent failed because its provider serves it only later. What the agent says in its answer are its own words, also about
//! limits: its program says so in its log, in an error of the protocol, or with the last line of a failure.

use std::time::Duration;

use super::{AgentOutput, Unanswered, both_ends};
use crate::agent::definition::Protocol;
use crate::rules::LimitWait;
use crate::rules::run::{limit_at_end_of, limit_in};

/// Why there is no answer from a program that exited with this code.
pub(in crate::agent) fn exited(agent: String, code: i32, heard: &AgentOutput) -> Unanswered {
    let limited = in_log(&agent, heard).or_else(|| at_end(&agent, heard));
    limited.unwrap_or_else(|| Unanswered::Failed { agent, code, said: heard.said() })
}

/// Why there is no answer in the output of an agent that exited with 0. An agent that speaks a protocol would have reported a
/// limit as an error of the protocol.
pub(super) fn silent(agent: String, protocol: Protocol, heard: &AgentOutput) -> Unanswered {
    let limited = match protocol {
        Protocol::Plain => in_log(&agent, heard).or_else(|| at_end(&agent, heard)),
        Protocol::Acp => None,
    };
    limited.unwrap_or_else(|| Unanswered::Silent { agent, protocol, said: heard.said() })
}

/// Why there is no answer from a program that took too long: it may have waited for its provider. What it printed may be a part of
/// an answer.
pub(super) fn timed_out(agent: String, after: Duration, heard: &AgentOutput) -> Unanswered {
    let limited = in_log(&agent, heard);
    limited.unwrap_or_else(|| Unanswered::TimedOut { agent, after, said: heard.said() })
}

/// That an agent is limited, if its last line says so.
fn at_end(agent: &str, heard: &AgentOutput) -> Option<Unanswered> {
    let wait = limit_at_end_of(&heard.answer)?;
    let last = heard.answer.trim_end().lines().next_back().unwrap_or_default();
    Some(Unanswered::Limited { agent: agent.to_owned(), wait, said: last.trim().to_owned() })
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: &str = "Claude AI usage limit reached|1795000000";

    fn output(answer: &str, log: &str) -> AgentOutput {
        AgentOutput { answer: answer.to_owned(), log: log.to_owned() }
    }

    #[test]
    fn a_program_that_ends_as_it_should_may_be_limited() {
        for (answer, log, is_limited) in [(LIMIT, "", true), ("", LIMIT, true), ("I work on it", "", false)] {
            let why = silent("a".to_owned(), Protocol::Plain, &output(answer, log));
            assert_eq!(matches!(why, Unanswered::Limited { .. }), is_limited, "{answer} {log}");
        }
        let why = silent("a".to_owned(), Protocol::Acp, &output(LIMIT, ""));
        assert!(matches!(why, Unanswered::Silent { .. }));
    }

    #[test]
    fn a_program_that_takes_too_long_may_wait_for_its_provider() {
        for (answer, log, is_limited) in [("", LIMIT, true), (LIMIT, "", false)] {
            let why = timed_out("a".to_owned(), Duration::from_secs(1), &output(answer, log));
            assert_eq!(matches!(why, Unanswered::Limited { .. }), is_limited, "{answer} {log}");
        }
    }
}
