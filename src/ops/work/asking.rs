//! Asks an agent for one thing, and again if that fails.

use std::time::Duration;

use serde_json::Value;

use crate::agent::answer::AnswerKind;
use crate::agent::definition::Agent;
use crate::agent::request::{Request, RequestKind};
use crate::agent::talk::{AgentReply, Unanswered};
use crate::model::{Explain, Failure};
use crate::ops::Refusal;

/// Maximum attempts at one question.
const TRIES: usize = 2;
/// The factor by which an agent that timed out gets more time.
const LONGER: u32 = 2;
/// How much of an agent's output a record keeps, in characters.
const QUOTED: usize = 500;

/// Why a question has no answer.
pub(crate) enum NoAnswer {
    /// Someone stopped it.
    Stopped,
    /// The agent failed for good.
    Failed(Failure),
    /// It was refused for a reason that is not the agent's.
    Refused(Box<Refusal>),
}

impl From<Refusal> for NoAnswer {
    fn from(refusal: Refusal) -> Self {
        if refusal.is_stop() { Self::Stopped } else { Self::Refused(Box::new(refusal)) }
    }
}

/// Why an answer was not taken.
pub(crate) enum RefusedAnswer {
    /// The answer has these faults, which the agent may correct.
    Faults(Vec<String>),
    /// Nothing that the agent can mend.
    NoAnswer(NoAnswer),
}

/// A refusal, as it is recorded.
pub(crate) fn failure_of(refusal: &Refusal) -> Failure {
    let details: Vec<&str> = refusal.details.iter().map(|detail| detail.message.as_str()).collect();
    failure(refusal.code.as_str(), &refusal.message, &details.join("\n"))
}

/// A failure with the agent's output.
pub(crate) fn failure(kind: &str, message: &str, said: &str) -> Failure {
    failure_cut(kind, message, said, "")
}

/// Like `failure`; if the output is cut, says where the rest is.
pub(crate) fn failure_cut(kind: &str, message: &str, said: &str, rest: &str) -> Failure {
    let said = match said.char_indices().nth(QUOTED) {
        None => said.to_owned(),
        Some((end, _)) if rest.is_empty() => format!("{}…", &said[..end]),
        Some((end, _)) => format!("{}… (the rest is in {rest})", &said[..end]),
    };
    joined(kind, message, &said)
}

/// The failure of a command with the end of its output, which says most; if it is cut, says where the rest is.
pub(crate) fn failure_end(kind: &str, message: &str, output: &str, rest: &str) -> Failure {
    let output = match output.char_indices().rev().nth(QUOTED) {
        None => output.to_owned(),
        Some((at, _)) => {
            let end = &output[at..];
            let end = end.split_once('\n').map_or(end, |(_, lines)| lines);
            format!("… (the rest is in {rest})\n{end}")
        }
    };
    joined(kind, message, &output)
}

/// Output of several lines begins on its own line.
fn joined(kind: &str, message: &str, said: &str) -> Failure {
    let message = match said.trim_end() {
        "" => message.to_owned(),
        lines if lines.contains('\n') => format!("{message}:\n{lines}"),
        line => format!("{message}: {line}"),
    };
    Failure { error_type: Some(kind.to_owned()), message: Some(message), ..Failure::default() }
}

/// Whether an agent whose attempt failed is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It is.
    Yes,
    /// It is not, since that would cost more than it may.
    No,
    /// It is not, since someone wants to stop.
    Stopped,
}

/// A question, and how many attempts failed before.
pub(crate) struct Asking<'a> {
    /// Who is asked.
    pub(crate) agent: Agent,
    /// The request.
    pub(crate) request: Request,
    /// A simpler input for the second attempt.
    pub(crate) simpler: Option<&'a Value>,
    /// How many earlier attempts failed.
    pub(crate) tried: usize,
}

impl Asking<'_> {
    /// Asks with `once`, and again if that fails: with more time after a timeout, or with the faults of an invalid
    /// answer. `accept` gets the answer with the input, and accepts it or returns its faults. `setback` is called for
    /// each failed attempt but the last, and `again` says whether there is another one.
    pub(crate) fn ask<A: AnswerKind, T>(
        self,
        mut once: impl FnMut(&Agent, &Request) -> Result<Result<AgentReply<A>, Unanswered>, NoAnswer>,
        mut accept: impl FnMut(AgentReply<A>, &Value) -> Result<T, RefusedAnswer>,
        again: impl Fn() -> Again,
        mut setback: impl FnMut(Failure),
    ) -> Result<T, NoAnswer> {
        let Self { mut agent, mut request, simpler, tried } = self;
        for tried in tried.. {
            if tried > 0
                && let Some(simpler) = simpler
            {
                request.input = simpler.clone();
            }
            let failure = match once(&agent, &request)? {
                Ok(reply) => match accept(reply, &request.input) {
                    Ok(taken) => return Ok(taken),
                    Err(RefusedAnswer::Faults(faults)) => {
                        let failure = said("invalid-answer", "the answer cannot be used", &faults.join("\n"));
                        request.faults = faults;
                        failure
                    }
                    Err(RefusedAnswer::NoAnswer(vain)) => return Err(vain),
                },
                Err(Unanswered::Stopped { .. }) => return Err(NoAnswer::Stopped),
                Err(error) => {
                    let (message, details) = match &error {
                        Unanswered::Unfit { agent, faults } => {
                            (format!("the answer of agent `{agent}` is invalid"), faults.clone())
                        }
                        other => {
                            let message = other.to_string();
                            let details = other.details().into_iter();
                            let details = details.filter(|detail| !message.contains(detail)).collect();
                            (message, details)
                        }
                    };
                    let failure = said(error.code().as_str(), &message, &details.join("\n"));
                    match error {
                        Unanswered::Unfit { faults, .. } => request.faults = faults,
                        Unanswered::TimedOut { after, .. } if request.kind != RequestKind::Build => {
                            agent = agent.within(longer(after));
                        }
                        // Nothing would be different.
                        Unanswered::NotStarted { .. }
                        | Unanswered::Transcript { .. }
                        | Unanswered::TimedOut { .. } => return Err(NoAnswer::Failed(failure)),
                        _ => {}
                    }
                    failure
                }
            };
            match again() {
                Again::Stopped => return Err(NoAnswer::Stopped),
                Again::Yes if tried + 1 < TRIES => setback(failure),
                Again::Yes | Again::No => return Err(NoAnswer::Failed(failure)),
            }
        }
        Err(NoAnswer::Stopped)
    }
}

/// A failure, with words of the agent that are in its transcript.
fn said(kind: &str, message: &str, said: &str) -> Failure {
    failure_cut(kind, message, said, "the transcript")
}

fn longer(limit: Duration) -> Duration {
    limit.saturating_mul(LONGER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_the_last_lines_are_kept() {
        let message = |output: &str| failure_end("k", "`t` ended with 1", output, "the log").message.unwrap();
        assert_eq!(message(""), "`t` ended with 1");
        assert_eq!(message("no\n"), "`t` ended with 1: no");
        assert_eq!(message("a\nb\n"), "`t` ended with 1:\na\nb");
        let long = message(&format!("{}\nlast é\nline", "x".repeat(QUOTED * 2)));
        assert_eq!(long, "`t` ended with 1:\n… (the rest is in the log)\nlast é\nline");
        assert!(message(&"é".repeat(QUOTED * 2)).ends_with('é'));
    }
}
