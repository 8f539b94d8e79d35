//! The agents that plan, review and execute: listing them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::AgentNames;
use crate::agent::definition::{Agent, NoAgent, Protocol, Sourced, ValueOrigin, Variable, names};
use crate::agent::environment::environment;
use crate::agent::{configured, preset};
use crate::model::{Code, Explain, Other, Remedy};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::Role;
use crate::store::Store;

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

#[serde_with::skip_serializing_none]
/// An agent that can be used here.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentView {
    /// Its name.
    pub(crate) name: String,
    /// What it is, if it is a preset.
    pub(crate) about: Option<&'static str>,
    /// The roles in which runs use it unless others are named: those whose `wf.run.ROLE` names it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) roles: Vec<Role>,
    /// The command that starts it.
    pub(crate) command: Option<ShownSetting<String>>,
    /// The command that continues a session `{session}`, if it can do that.
    pub(crate) resume: Option<ShownSetting<String>>,
    /// The agent that takes over while it is limited.
    pub(crate) fallback: Option<ShownSetting<String>>,
    /// Whether a shell runs the command.
    pub(crate) shell: Option<ShownSetting<bool>>,
    /// Its protocol.
    pub(crate) protocol: Option<ShownSetting<Protocol>>,
    /// How long it may take, in seconds.
    pub(crate) timeout: Option<ShownSetting<u64>>,
    /// Whether it commits its own work; if not, a run commits what it has changed.
    pub(crate) commits: Option<ShownSetting<bool>>,
    /// The variables that it gets besides those that every agent gets.
    pub(crate) env: Vec<VariableView>,
    /// The path of its program; absent if it is not found.
    pub(crate) program: Option<String>,
    /// Why it cannot be used; absent if its settings are valid.
    pub(crate) problem: Option<String>,
    /// What can be done about the problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remedies: Vec<Remedy>,
}

impl AgentView {
    /// Whether two agents are started by the same command line.
    fn is_same(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|agent| agent.command.as_ref().map(|command| &command.value));
        self.name == other.name && own == others
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
        match views.iter_mut().find(|view| view.name == text) {
            Some(named) => named.roles.push(role),
            None => {
                let agent = Agent::of_text(&text, &settings);
                let name = agent.as_ref().map_or(text, |agent| agent.name().to_owned());
                let view = agent_view(session, name, agent, &folder);
                match views.iter_mut().find(|known| !known.roles.is_empty() && known.is_same(&view)) {
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
        Ok(agent) => AgentView {
            about,
            roles: vec![],
            command: Some(agent.command().into()),
            resume: agent.resume().map(|resume| (&resume.command).into()),
            fallback: agent.fallback().map(Into::into),
            shell: Some(agent.shell().into()),
            protocol: Some(agent.protocol().into()),
            timeout: Some(ShownSetting {
                value: agent.timeout().value.as_secs(),
                origin: agent.timeout().origin.clone(),
            }),
            commits: Some(agent.commits().into()),
            env: agent
                .environment()
                .iter()
                .map(|sourced| VariableView {
                    name: sourced.value.name().to_owned(),
                    is_set: match &sourced.value {
                        Variable::Passed(name) => {
                            session.environment().iter().any(|(set, _)| set == name.as_str())
                        }
                        Variable::Set(..) => true,
                    },
                    origin: sourced.origin.clone(),
                })
                .collect(),
            program: program(session, &agent, folder).map(|path| path.display().to_string()),
            problem: None,
            remedies: vec![],
            name,
        },
        Err(error) => AgentView {
            name,
            about,
            roles: vec![],
            command: None,
            resume: None,
            fallback: None,
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

/// The variables of an agent in a role.
pub(super) fn seen_by(session: &Session, agent: &Agent, role: Role) -> Vec<(OsString, OsString)> {
    environment(session.environment().iter().cloned(), agent, role.as_str())
}

/// The directory from which agents are started unless they have their own worktree: this work tree, or a bare
/// repository itself. Relative paths of their programs are resolved here.
pub(crate) fn folder(store: &Store) -> PathBuf {
    store.work_dir().unwrap_or_else(|| store.common_dir())
}
