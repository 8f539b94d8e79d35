//! The agents that plan, review and execute: listing them, and testing whether they answer.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::AgentNames;
use super::Built;
use crate::agent::configured;
use crate::agent::definition::{Agent, NoAgent, Protocol, Sourced, ValueOrigin, Variable, names};
use crate::agent::environment::environment;
use crate::agent::ping::{Pong, ping};
use crate::agent::preset;
use crate::agent::request::{Request, RequestKind};
use crate::agent::talk::{self, AgentObserver, AgentReply, AgentWorkplace, Unanswered};
use crate::model::Explain;
use crate::model::agent_session::Cost;
use crate::model::code::Code;
use crate::model::exploration::Exploration;
use crate::model::op::Other;
use crate::model::remedy::Remedy;
use crate::ops::plans::{Judgement, ProposedPlans};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::roles::Role;
use crate::store::{Store, random_uid};

/// A value, and where it comes from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownSetting<T> {
    /// The value.
    pub(crate) value: T,
    /// Where it comes from.
    #[serde(flatten)]
    pub(crate) origin: ValueOrigin,
}

impl<T: Clone> From<&Sourced<T>> for ShownSetting<T> {
    fn from(sourced: &Sourced<T>) -> Self {
        Self { value: sourced.value.clone(), origin: sourced.origin.clone() }
    }
}

/// A variable that an agent gets besides those that every agent gets. Its value is not shown, since it may be a
/// secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VariableView {
    /// Its name.
    pub(crate) name: String,
    /// Whether it has a value here.
    pub(crate) is_set: bool,
    /// Where the agent gets it from.
    #[serde(flatten)]
    pub(crate) origin: ValueOrigin,
}

/// An agent that can be used here.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentView {
    /// Its name.
    pub(crate) name: String,
    /// What it is, if it is a preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) about: Option<&'static str>,
    /// The roles in which runs use it unless others are named: those whose `wf.run.ROLE` names it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) roles: Vec<Role>,
    /// The command that starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<ShownSetting<String>>,
    /// Whether a shell runs the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shell: Option<ShownSetting<bool>>,
    /// Its protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<ShownSetting<Protocol>>,
    /// How long it may take, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<ShownSetting<u64>>,
    /// Whether it commits its own work; if not, a run commits what it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commits: Option<ShownSetting<bool>>,
    /// The variables that it gets besides those that every agent gets.
    pub(crate) env: Vec<VariableView>,
    /// The path of its program; absent if it is not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) program: Option<String>,
    /// Why it cannot be used; absent if its settings are valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// What can be done about the problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remedies: Vec<Remedy>,
}

impl AgentView {
    /// Whether two agents are started by the same command line.
    fn is_same(&self, other: &Self) -> bool {
        let command = |it: &Self| it.command.as_ref().map(|command| command.value.clone());
        self.name == other.name && command(self) == command(other)
    }
}

/// Lists the agents in git config, the presets, and those that runs use otherwise.
///
/// # Errors
/// Any error from reading git config.
pub(crate) fn agents(session: &Session) -> Answer<Vec<AgentView>> {
    let settings = configured::settings(session.store())?;
    let folder = folder(session.store());
    let mut views: Vec<AgentView> = Vec::new();
    for name in names(&settings) {
        let agent = Agent::named(&name, &settings);
        views.push(agent_view(session, name, agent, &folder));
    }
    for (role, text) in AgentNames::configured(session.store())?.by_role() {
        match views.iter_mut().find(|it| it.name == text) {
            Some(named) => named.roles.push(role),
            None => {
                let agent = Agent::of_text(&text, &settings);
                let name = agent.as_ref().map_or(text, |agent| agent.name().to_owned());
                let view = agent_view(session, name, agent, &folder);
                match views.iter_mut().find(|it| !it.roles.is_empty() && it.is_same(&view)) {
                    Some(same) => same.roles.push(role),
                    None => views.push(AgentView { roles: vec![role], ..view }),
                }
            }
        }
    }
    Ok(session.done(views, None))
}

fn agent_view(session: &Session, name: String, agent: Result<Agent, NoAgent>, folder: &Path) -> AgentView {
    let about = preset::find(&name).map(|preset| preset.about);
    match agent {
        Ok(agent) => {
            let variable = |sourced: &Sourced<Variable>| VariableView {
                name: sourced.value.name().to_owned(),
                is_set: match &sourced.value {
                    Variable::Passed(name) => {
                        session.environment().iter().any(|(set, _)| set == name.as_str())
                    }
                    Variable::Set(..) => true,
                },
                origin: sourced.origin.clone(),
            };
            AgentView {
                about,
                roles: vec![],
                command: Some(agent.command().into()),
                shell: Some(agent.shell().into()),
                protocol: Some(agent.protocol().into()),
                timeout: Some(ShownSetting {
                    value: agent.timeout().value.as_secs(),
                    origin: agent.timeout().origin.clone(),
                }),
                commits: Some(agent.commits().into()),
                env: agent.environment().iter().map(variable).collect(),
                program: program(session, &agent, folder).map(|path| path.display().to_string()),
                problem: None,
                remedies: vec![],
                name,
            }
        }
        Err(error) => AgentView {
            name,
            about,
            roles: vec![],
            command: None,
            shell: None,
            protocol: None,
            timeout: None,
            commits: None,
            env: vec![],
            program: None,
            problem: Some(error.to_string()),
            remedies: error.remedies().into_vec(),
        },
    }
}

/// The path of the program of an agent, if it is found and can be executed.
pub(crate) fn program(session: &Session, agent: &Agent, folder: &Path) -> Option<PathBuf> {
    let environment = seen_by(session, agent, Role::Explorer);
    let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    configured::program(agent.program(), folder, path.or(Some(OsStr::new("/usr/bin:/bin"))))
}

/// Refuses an agent whose program is not found here.
///
/// # Errors
/// `agent-not-found`.
pub(crate) fn refuse_missing(session: &Session, agent: &Agent) -> Result<(), Refusal> {
    if program(session, agent, &folder(session.store())).is_some() {
        return Ok(());
    }
    let (name, program) = (agent.name(), agent.program());
    let message = format!("the program `{program}` of agent `{name}` is not found, or cannot be executed");
    Err(Refusal::new(Code::AgentNotFound, message)
        .hint(format!("install `{program}`, put it on the PATH, or correct the command"))
        .remedy(Other::AgentList, "lists the known agents"))
}

fn seen_by(session: &Session, agent: &Agent, role: Role) -> Vec<(OsString, OsString)> {
    environment(session.environment().iter().cloned(), agent, role.as_str())
}

/// The directory from which agents are started unless they have their own worktree: this work tree, or a bare
/// repository itself. Relative paths of their programs are resolved here.
pub(crate) fn folder(store: &Store) -> PathBuf {
    store.work_dir().unwrap_or_else(|| store.common_dir())
}

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) calls_itself: Option<String>,
    /// The id of the session, if it was asked through the Agent Client Protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session_id: Option<String>,
    /// Its model, if its protocol reports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// The tokens that it used, if it reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
    /// The cost of the session, if it reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<Cost>,
    /// Its answer, if it was sent a request for its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Value>,
    /// How long it ran, in milliseconds.
    pub(crate) took_ms: u64,
    /// The file with the transcript.
    pub(crate) transcript: String,
    /// The SHA-256 of that file, in hex.
    pub(crate) transcript_sha256: String,
}

/// Starts an agent and tests whether it answers.
///
/// # Errors
/// `unknown-agent`, `invalid-agent`; the reason why it did not answer.
pub(crate) fn test_agent(
    session: &Session,
    test: &TestAgent,
    observer: &mut dyn AgentObserver,
) -> Answer<Tested> {
    let store = session.store();
    let agent = Agent::of_text(&test.agent, &configured::settings(store)?)?;
    let agent = match test.timeout {
        Some(timeout) => agent.within(timeout),
        None => agent,
    };
    let place = AgentWorkplace {
        folder: folder(store),
        environment: seen_by(session, &agent, test.role),
        transcript: store.common_dir().join(format!("wf/transcripts/test-{}.jsonl", agent.name())),
    };
    let tester = Tester { session, agent: &agent, place: &place, role: test.role };
    let tested = match (&test.question, agent.protocol().value) {
        (Question::Greeting, Protocol::Acp) => {
            let reply = talk::greet(&agent, &place, test.role, observer);
            tester.tested(&reply.map_err(|error| refusal(&error, &place))?, None)
        }
        (Question::Greeting | Question::Ping, _) => tester.ping(observer)?,
        (Question::Input(input), _) => tester.ask_role(input, observer)?,
    };
    Ok(session.done(tested, None))
}

struct Tester<'a> {
    session: &'a Session,
    agent: &'a Agent,
    place: &'a AgentWorkplace,
    role: Role,
}

impl Tester<'_> {
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
            took_ms: u64::try_from(reply.took.as_millis()).unwrap_or(u64::MAX),
            transcript: reply.transcript.path.display().to_string(),
            transcript_sha256: reply.transcript.sha256.clone(),
        }
    }
}

/// The refusal, with the agent's own words, and where to find the rest.
fn refusal(error: &Unanswered, place: &AgentWorkplace) -> Refusal {
    let refusal = Refusal::new(error.code(), error.to_string()).details(error.details());
    let refusal = Refusal { remedies: error.remedies().into_vec(), ..refusal };
    match error {
        Unanswered::Transcript { .. } | Unanswered::NotStarted { .. } => refusal,
        _ => refusal.hint(format!("the transcript is {}", place.transcript.display())),
    }
}
