//! Starts an agent to test whether it answers, in a workplace of its own, whose commits are judged and dropped.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Built;
use super::agents::{folder, refuse_missing, seen_by};
use super::preparing::{Bring, PreparedView, leave, prepare_workplace};
use crate::agent::configured;
use crate::agent::definition::{Agent, Protocol};
use crate::agent::ping::{Pong, ping};
use crate::agent::request::{Request, RequestKind};
use crate::agent::state::ProgramNeeds;
use crate::agent::talk::{self, AgentObserver, AgentReply, AgentWorkplace, Unanswered};
use crate::gate::handed_branch::{BranchBounds, judge_branch};
use crate::model::{Branch, Code, CommitHash, Cost, Explain, Exploration, FoldedPaths, SolutionId};
use crate::ops::plans::{Judgement, ProposedPlans};
use crate::ops::{Answer, Notice, Refusal, Session, issues};
use crate::rules::{Role, audit};
use crate::store::random_uid;
use crate::workplace::{Confinement, HandInLimits, NewWorkplace, Prepared, Workplace, place};

/// An agent to test, and how.
#[derive(Debug)]
pub(crate) struct TestAgent {
    /// Its name, or a command line.
    pub(crate) agent: String,
    /// The role in which it acts.
    pub(crate) role: Role,
    /// The question.
    pub(crate) question: Question,
    /// How long it may take (default: as configured).
    pub(crate) timeout: Option<Duration>,
}

/// The question in a test.
#[derive(Debug)]
pub(crate) enum Question {
    /// The least question that shows whether the agent answers: a ping, or a greeting if the protocol has one.
    Greeting,
    /// A ping.
    Ping,
    /// The question of its role, with this input.
    Input(Value),
}

#[serde_with::skip_serializing_none]
/// The result of a test.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Tested {
    /// The agent.
    pub(crate) agent: String,
    /// The protocol that was used.
    pub(crate) protocol: Protocol,
    /// The role in which it acted.
    pub(crate) role: Role,
    /// The name that it gives itself, if its protocol reports one.
    pub(crate) calls_itself: Option<String>,
    /// The id of the session, if it was asked through the Agent Client Protocol.
    pub(crate) session_id: Option<String>,
    /// Its model, if its protocol reports one.
    pub(crate) model: Option<String>,
    /// The tokens that it used, if it reports them.
    pub(crate) tokens: Option<u64>,
    /// The cost of the session, if it reports it.
    pub(crate) cost: Option<Cost>,
    /// Its answer, if it was sent a request for its role.
    pub(crate) answer: Option<Value>,
    /// How its workplace was prepared; absent if it could not be.
    pub(crate) prepared: Option<PreparedView>,
    /// Whether it was confined to its workplace.
    pub(crate) confinement: ConfinementView,
    /// What it made on its branch, if it was sent a request for an executor. Nothing of it is kept.
    pub(crate) branch: Option<TestedBranch>,
    /// How long it ran, in milliseconds.
    pub(crate) took_ms: u64,
    /// The file with the transcript.
    pub(crate) transcript: String,
    /// The SHA-256 of that file, in hex.
    pub(crate) transcript_sha256: String,
}

/// Whether an agent was confined to its workplace.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConfinementView {
    /// Whether it was.
    pub(crate) confined: bool,
    /// Whether it is confined, in words, with the reason if it is not.
    pub(crate) text: String,
}

impl From<Confinement> for ConfinementView {
    fn from(confinement: Confinement) -> Self {
        Self { confined: matches!(confinement, Confinement::Confined(_)), text: confinement.to_string() }
    }
}

/// What an executor made on its branch.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct TestedBranch {
    /// Its commits, parents first.
    pub(crate) commits: Vec<CommitHash>,
    /// Why a run would not take them; empty if it would.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) refused: Vec<String>,
    /// Files that it changed, committed or not, each as `git status --short` lists it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) changed: Vec<String>,
}

/// Starts an agent and tests whether it answers.
///
/// # Errors
/// `unknown-agent`, `invalid-agent`, `agent-not-found`, `no-commit`; the reason why it did not answer.
pub(crate) fn test_agent(
    session: &Session,
    test: &TestAgent,
    observer: &mut dyn AgentObserver,
) -> Answer<Tested> {
    let store = session.store();
    let agent = Agent::of_text(&test.agent, &configured::settings(store)?)?.started_in(&folder(store));
    let agent = match test.timeout {
        Some(timeout) => agent.within(timeout),
        None => agent,
    };
    refuse_missing(session, &agent)?;
    let tested = in_workplace(session, &agent, test, observer)?;
    Ok(session.done(tested, None))
}

/// Asks in a workplace, which is removed afterwards.
fn in_workplace(
    session: &Session,
    agent: &Agent,
    test: &TestAgent,
    observer: &mut dyn AgentObserver,
) -> Result<Tested, Refusal> {
    let store = session.store();
    let head = store.head()?.ok_or_else(|| {
        Refusal::new(Code::NoCommit, "this repository has no commit for agents to work on")
            .command("git commit", "creates one")
    })?;
    let name = format!("test-{}", random_uid()?);
    let branch = if test.role == Role::Executor { Branch::of_short(&format!("wf/{name}")) } else { None };
    let folder = place(store, &name)?;
    let new =
        NewWorkplace { folder: &folder, name: &name, start: head, branch: branch.as_ref(), outlives: false };
    let confinement = Confinement::load(store)?;
    let workplace = Workplace::make(store, &new)?;
    let within = confinement.words(&folder, &ProgramNeeds::default());
    let prepared = prepare_workplace(session, &workplace, &name, Bring::FromHere, &within);
    let there = TestSite { workplace: &workplace, confinement };
    let tested = prepared.and_then(|prepared| ask_in(session, agent, test, there, prepared, observer));
    leave(session, workplace, &within);
    tested
}

/// Where an agent is tested.
struct TestSite<'a> {
    workplace: &'a Workplace,
    confinement: Confinement,
}

fn ask_in(
    session: &Session,
    agent: &Agent,
    test: &TestAgent,
    there: TestSite<'_>,
    prepared: Option<Prepared>,
    observer: &mut dyn AgentObserver,
) -> Result<Tested, Refusal> {
    let TestSite { workplace, confinement } = there;
    let role = test.role;
    let mut environment = seen_by(session, agent, role);
    let variables = prepared.as_ref().and_then(|prepared| prepared.variables.as_ref());
    environment.extend(variables.iter().flat_map(|place| place.variables()));
    let place = AgentWorkplace {
        folder: workplace.folder.clone(),
        within: confinement.words(&workplace.folder, &agent.needs(&environment)),
        environment,
        transcript: session.store().common_dir().join(format!("wf/transcripts/test-{}.jsonl", agent.name())),
    };
    let tester = Tester { session, confinement, agent, place: &place, role };
    let tested = match (&test.question, agent.protocol().value) {
        (Question::Greeting, Protocol::Acp) => tester.greet(observer)?,
        (Question::Greeting | Question::Ping, _) => tester.ping(observer)?,
        (Question::Input(input), _) => tester.ask_role(input, observer)?,
    };
    let branch = match &test.question {
        Question::Input(input) if role == Role::Executor => Some(judged(session, input, workplace)?),
        _ => None,
    };
    let prepared = prepared.map(PreparedView::from);
    Ok(Tested { branch, prepared, ..tested })
}

/// What is on the branch of a workplace. What cannot be read is a reason to refuse it.
fn judged(session: &Session, input: &Value, workplace: &Workplace) -> Result<TestedBranch, Refusal> {
    let store = session.store();
    let mut branch = TestedBranch::default();
    match workplace.hand_in(store, HandInLimits::DEFAULT).commits() {
        Ok(Some(handed)) => {
            let (ignored, given) = (workplace.ignored(), workplace.given(store)?);
            let bounds = BranchBounds { named: &named(session, input)?, ignored: &ignored, given: &given };
            let moved = handed.moved;
            let judged = judge_branch(store, &handed.seeing, moved.given, moved.now, &bounds)?;
            branch.commits = judged.commits.into_iter().map(CommitHash::from).collect();
            branch.refused = judged.refused.into_iter().map(|refused| refused.why).collect();
        }
        Ok(None) => {}
        Err(error) => branch.refused.push(error.to_string()),
    }
    match workplace.changed() {
        Ok(files) => branch.changed = files.iter().map(|file| file.trim().to_owned()).collect(),
        Err(error) => branch.refused.push(error.to_string()),
    }
    Ok(branch)
}

/// The paths that the plan in an executor's input names.
fn named(session: &Session, input: &Value) -> Result<FoldedPaths, Refusal> {
    let solution = input["solution_id"].as_str().and_then(|id| SolutionId::parse(id).ok());
    let Some(solution) = solution else { return Ok(FoldedPaths::default()) };
    let folder = issues::existing(&session.store().snapshot()?, &solution.issue())?;
    let plan = folder.solution(&solution);
    Ok(plan.map_or_else(FoldedPaths::default, |plan| audit::named(&plan.typed_plan())))
}

struct Tester<'a> {
    session: &'a Session,
    confinement: Confinement,
    agent: &'a Agent,
    place: &'a AgentWorkplace,
    role: Role,
}

impl Tester<'_> {
    fn greet(&self, observer: &mut dyn AgentObserver) -> Result<Tested, Refusal> {
        let reply = talk::greet(self.agent, self.place, self.role, observer);
        Ok(self.tested(&reply.map_err(|error| refusal(&error, self.place))?, None))
    }

    fn ping(&self, observer: &mut dyn AgentObserver) -> Result<Tested, Refusal> {
        let nonce = random_uid()?.to_string();
        let reply = talk::ask::<Pong>(self.agent, self.place, &ping(self.role, &nonce), observer)
            .and_then(|reply| reply.to(&nonce, self.agent.name()))
            .map_err(|error| refusal(&error, self.place))?;
        Ok(self.tested(&reply, None))
    }

    /// Asks the question of the role.
    fn ask_role(&self, input: &Value, observer: &mut dyn AgentObserver) -> Result<Tested, Refusal> {
        match self.role {
            Role::Explorer => self.ask::<Exploration>(RequestKind::Explore, input, observer, |_| None),
            Role::Planner => {
                self.ask::<ProposedPlans>(RequestKind::Plan, input, observer, |plans| match plans.count() {
                    1 => None,
                    n => Some(format!("it answered with {n} plans to choose from")),
                })
            }
            Role::Reviewer => self.ask::<Judgement>(RequestKind::Review, input, observer, |_| None),
            Role::Executor => self.ask::<Built>(RequestKind::Build, input, observer, |built| match built {
                Built::Completed(report) => {
                    report.has_failed_tests().then(|| "it reported failing tests".to_owned())
                }
                Built::Failed(failure) => {
                    let why = failure.message.as_deref().unwrap_or_default();
                    Some(format!("it reported a failure: {why}"))
                }
            }),
            Role::Integrator | Role::Coordinator => {
                Err(Refusal::usage(format!("there is no request for the role {}", self.role))
                    .hint("the roles are explorer, planner, reviewer and executor"))
            }
        }
    }

    fn ask<A: crate::agent::answer::AnswerKind>(
        &self,
        kind: RequestKind,
        input: &Value,
        observer: &mut dyn AgentObserver,
        remark: impl Fn(&A) -> Option<String>,
    ) -> Result<Tested, Refusal> {
        let request = Request::new::<A>(kind, self.role, input.clone());
        let reply = talk::ask::<A>(self.agent, self.place, &request, observer)
            .map_err(|error| refusal(&error, self.place))?;
        self.session.notice_all(remark(&reply.answer).map(Notice::warning));
        Ok(self.tested(&reply, Some(reply.value.clone())))
    }

    fn tested<A>(&self, reply: &AgentReply<A>, answer: Option<Value>) -> Tested {
        let usage = reply.usage();
        Tested {
            agent: self.agent.name().to_owned(),
            protocol: self.agent.protocol().value,
            role: self.role,
            calls_itself: reply.greeting.agent.clone(),
            session_id: reply.greeting.session_id.clone(),
            model: reply.greeting.model.clone(),
            tokens: usage.tokens,
            cost: usage.cost,
            answer,
            prepared: None,
            confinement: self.confinement.clone().into(),
            branch: None,
            took_ms: u64::try_from(reply.took.as_millis()).unwrap_or(u64::MAX),
            transcript: reply.transcript.path.display().to_string(),
            transcript_sha256: reply.transcript.sha256.clone(),
        }
    }
}

/// The refusal, with the agent's own words, and where to find the rest.
fn refusal(error: &Unanswered, place: &AgentWorkplace) -> Refusal {
    let refusal = Refusal::new(error.code(), error.to_string())
        .details(error.details())
        .remedies(error.remedies().into_vec());
    match error {
        Unanswered::Transcript { .. } | Unanswered::NotStarted { .. } => refusal,
        _ => refusal.hint(format!("the transcript is {}", place.transcript.display())),
    }
}
