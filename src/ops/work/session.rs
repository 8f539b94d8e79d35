//! Records that an agent worked on an execution: who, when, at what cost, and where the transcript is.

use std::path::Path;

use super::{ChangedExecution, refuse_foreign_record};
use crate::agent::definition::Agent;
use crate::agent::talk::AgentReply;
use crate::agent::transcript;
use crate::model::{
    AgentSession, Caller, Code, Cost, Event, ExecutionId, Op, Other, RemedyCall, Time, Usage,
};
use crate::ops::issues::existing_outline;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::Cut;
use crate::store::one_line;

/// Maximum length of a name (of an agent, a model, a session, a currency), in characters.
const LONGEST_NAME: usize = 200;
/// Maximum length of the name of a currency before the mark of a cut, in characters.
const LONGEST_CURRENCY: usize = 19;
/// The most characters of a summary.
const LONGEST_SUMMARY: usize = 1_000;

/// A conversation with an agent, which may have ended without an answer.
#[derive(Debug)]
pub(crate) struct Conversation<'a> {
    /// The agent.
    pub(crate) agent: &'a Agent,
    /// When it was asked.
    pub(crate) started_at: Time,
    /// When it ended.
    pub(crate) ended_at: Time,
    /// The file with the transcript.
    pub(crate) transcript: &'a Path,
    /// The outcome, in one sentence.
    pub(crate) summary: Option<String>,
}

impl Conversation<'_> {
    /// The session, completed from the agent's answer. A report of the protocol takes precedence.
    pub(crate) fn answered<A>(&self, reply: &AgentReply<A>) -> AgentSession {
        let (greeting, aside) = (&reply.greeting, &reply.aside.session);
        AgentSession {
            model: greeting.model.clone().or_else(|| aside.model.clone()),
            session_id: greeting.session_id.clone().or_else(|| aside.session_id.clone()),
            transcript_sha256: Some(reply.transcript.sha256.clone()),
            ..self.unanswered(reply.usage())
        }
    }

    /// The session with only its times and the usage until it ended.
    pub(crate) fn unanswered(&self, usage: Usage) -> AgentSession {
        AgentSession {
            agent: self.agent.name().to_owned(),
            model: None,
            protocol: self.agent.protocol().value.into(),
            session_id: None,
            started_at: self.started_at,
            ended_at: Some(self.ended_at),
            tokens: usage.tokens,
            cost: usage.cost,
            // The transcript may be gone; the rest counts without it.
            transcript_sha256: transcript::sha256(self.transcript).ok(),
            summary: self.summary.clone(),
        }
    }
}

/// Adds a session to the log of an execution, which may have ended since. A session is recorded only once. The next
/// push carries it; it is not urgent.
///
/// # Errors
/// `not-found`; `claim-of-another` while someone else executes it.
pub(crate) fn record_session(
    session: &Session,
    execution: &ExecutionId,
    held: AgentSession,
) -> Answer<ChangedExecution> {
    let permit = session.permit(Op::Session)?;
    let store = session.store();
    let event = Event::Session(bounded(held));
    let committed = session.transact(permit, |tx| {
        let folder = existing_outline(tx, &execution.issue())?;
        let Some(found) = folder.executions.into_iter().find(|known| known.execution.id == *execution) else {
            return Err(Refusal::new(Code::NotFound, format!("there is no execution `{execution}`")).remedy(
                RemedyCall::new(Other::Show, [execution.issue()]),
                "shows the executions of the issue",
            ));
        };
        refuse_foreign_record(store, tx, &found, None)?;
        if !found.log.iter().any(|entry| entry.event == event) {
            tx.log(execution, event.clone())?;
            tx.describe(format!("execution: record session for {}", found.execution.solution_id));
        }
        Ok(())
    })?;
    Ok(session.done(ChangedExecution::now(store, execution)?, committed.commit))
}

/// The session of the agent that calls and claims work, in a form that can be recorded; `None` if it does not say who it
/// is. `model` is the model that it names now, or that it named before.
pub(super) fn of_caller(session: &Session, model: Option<&str>) -> Result<Option<AgentSession>, Refusal> {
    let Some(caller) = session.caller().cloned() else { return Ok(None) };
    let model = caller.model.clone().or_else(|| model.map(str::to_owned));
    Ok(Some(bounded(Caller { model, ..caller }.begins(session.now()?))))
}

/// Records that the agent that calls continues with an execution, unless it was the last to do so.
pub(super) fn joins(session: &Session, execution: &ExecutionId, model: Option<&str>) -> Result<(), Refusal> {
    let Some(agent) = of_caller(session, model)? else { return Ok(()) };
    let folder = existing_outline(&session.store().snapshot()?, &execution.issue())?;
    let held = folder.executions.iter().find(|known| known.execution.id == *execution);
    let last = held.and_then(|held| held.sessions().last());
    let is_known =
        last.is_some_and(|last| last.is_of(&agent) && (agent.model.is_none() || agent.model == last.model));
    if !is_known {
        let done = record_session(session, execution, agent)?;
        session.notice_all(done.notices);
    }
    Ok(())
}

/// The session, with each text on one line and of limited length, since agents can report anything.
pub(super) fn bounded(session: AgentSession) -> AgentSession {
    let name = |text: String| Cut::at(LONGEST_NAME).text(&one_line(&text));
    let text_of = |text: Option<String>| text.map(name).filter(|text| !text.is_empty());
    AgentSession {
        agent: name(session.agent),
        model: text_of(session.model),
        session_id: text_of(session.session_id),
        cost: session.cost.and_then(sum),
        summary: session
            .summary
            .map(|text| Cut::at(LONGEST_SUMMARY).text(&one_line(&text)))
            .filter(|text| !text.is_empty()),
        // A clock may be set back meanwhile.
        ended_at: session.ended_at.map(|at| at.max(session.started_at)),
        ..session
    }
}

/// A cost, if it is a plausible amount.
fn sum(Cost { amount, currency }: Cost) -> Option<Cost> {
    let currency = Cut::at(LONGEST_CURRENCY).text(&one_line(&currency));
    Some(Cost { amount, currency }).filter(|cost| cost.is_sound() && !cost.currency.is_empty())
}

/// The usage of an agent, in a form that can be recorded.
pub(crate) fn recorded(usage: Usage) -> Usage {
    Usage { cost: usage.cost.and_then(sum), ..usage }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SessionProtocol;

    #[test]
    fn what_an_agent_tells_is_bounded() {
        let at = Time::from_seconds(10).unwrap();
        let session = |cost| AgentSession {
            agent: "claude\nrm".into(),
            model: Some("  ".into()),
            protocol: SessionProtocol::Acp,
            session_id: Some("x".repeat(10_000)),
            started_at: at,
            ended_at: Some(Time::EPOCH),
            tokens: Some(1),
            cost: Some(cost),
            transcript_sha256: None,
            summary: Some("y".repeat(10_000)),
        };
        let kept = bounded(session(Cost { amount: 0.25, currency: "USD".into() }));
        assert_eq!((kept.agent.as_str(), kept.model.as_deref()), ("claude rm", None));
        assert!(kept.session_id.unwrap().chars().count() < 300);
        assert!(kept.summary.unwrap().chars().count() < 1_100);
        assert_eq!((kept.ended_at, kept.cost.unwrap().amount), (Some(at), 0.25));
        for cost in [(f64::NAN, "USD"), (-1.0, "USD"), (1.0, "")] {
            let cost = Cost { amount: cost.0, currency: cost.1.into() };
            assert_eq!(bounded(session(cost)).cost, None);
        }
    }
}
