//! The agents of a run: as they were given, and as they can be started.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::agent::configured;
use crate::agent::definition::Agent;
use crate::model::run::{ExecutionMethod, RunAgents};
use crate::ops::Refusal;
use crate::rules::roles::Role;
use crate::store::Store;

/// The file that remembers how the agents were given. It stays on this machine: a command line may hold a secret.
const FILE: &str = "agents.json";

/// Names or command lines of agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Given {
    /// Makes plans.
    pub(crate) planner: Option<String>,
    /// Reviews them.
    pub(crate) reviewer: Option<String>,
    /// Carries them out.
    pub(crate) executor: Option<String>,
}

impl Given {
    /// What is not given here is taken from `other`.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            planner: self.planner.or(other.planner),
            reviewer: self.reviewer.or(other.reviewer),
            executor: self.executor.or(other.executor),
        }
    }

    /// As git config says: `wf.run.planner` and so on.
    pub(super) fn configured(store: &Store) -> Self {
        Self {
            planner: store.config("wf.run.planner"),
            reviewer: store.config("wf.run.reviewer"),
            executor: store.config("wf.run.executor"),
        }
    }

    /// As it was kept when the run began; nothing if it began on another machine.
    pub(super) fn kept(folder: &Path) -> Self {
        let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Keeps it, readable for this user alone.
    pub(super) fn keep(&self, folder: &Path) -> Result<(), Refusal> {
        let path = folder.join(FILE);
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(folder)?;
            let options = fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).clone();
            options.open(&path)?.write_all(serde_json::to_string_pretty(self)?.as_bytes())
        };
        write().map_err(|error| {
            Refusal::new("cannot-write", format!("cannot write {}: {error}", path.display()))
        })
    }
}

/// Agents that can be started.
#[derive(Debug, Clone)]
pub(crate) struct Crew {
    /// Makes plans.
    pub(super) planner: Option<Agent>,
    /// Reviews them.
    pub(super) reviewer: Option<Agent>,
    /// Carries them out.
    pub(super) executor: Option<Agent>,
}

impl Crew {
    /// The agents that are meant.
    ///
    /// # Errors
    /// `unknown-agent`, `invalid-agent`.
    pub(super) fn of(store: &Store, given: &Given) -> Result<Self, Refusal> {
        let settings = configured::settings(store)?;
        let meant =
            |text: &Option<String>| text.as_deref().map(|text| Agent::meant(text, &settings)).transpose();
        Ok(Self {
            planner: meant(&given.planner)?,
            reviewer: meant(&given.reviewer)?,
            executor: meant(&given.executor)?,
        })
    }

    /// The agent for a role.
    ///
    /// # Errors
    /// `no-agent`.
    pub(super) fn agent(&self, role: Role) -> Result<&Agent, Refusal> {
        let agent = match role {
            Role::Planner => &self.planner,
            Role::Reviewer => &self.reviewer,
            Role::Executor => &self.executor,
            Role::Explorer | Role::Integrator | Role::Coordinator => &None,
        };
        agent.as_ref().ok_or_else(|| {
            Refusal::new("no-agent", format!("the run has no {role}"))
                .hint(format!("name one with --{role}, or set `git config wf.run.{role} NAME`"))
                .remedy("agent list", "shows the agents that are known here")
        })
    }

    /// By what they are called.
    pub(super) fn names(&self) -> RunAgents {
        let name = |agent: &Option<Agent>| agent.as_ref().map(|agent| agent.name().to_owned());
        RunAgents {
            explorer: None,
            planner: name(&self.planner),
            reviewer: name(&self.reviewer),
            executor: name(&self.executor),
        }
    }

    /// As what a role acts: by the name of its agent. Nobody reviews their own plans, so a reviewer that is the planner's
    /// agent, too, has a name of its own.
    pub(super) fn actor(&self, role: Role) -> Option<String> {
        let name = self.agent(role).ok()?.name();
        let is_planner = self.planner.as_ref().is_some_and(|planner| planner.name() == name);
        let is_twin = role == Role::Reviewer && is_planner;
        Some(if is_twin { format!("{name}-reviewer") } else { name.to_owned() })
    }

    /// Which kind of program executes.
    pub(super) fn method(&self) -> ExecutionMethod {
        match self.executor.as_ref().map(Agent::name) {
            Some(name) if name.starts_with("codex") => ExecutionMethod::Codex,
            Some(name) if name.starts_with("gemini") => ExecutionMethod::Gemini,
            _ => ExecutionMethod::Agent,
        }
    }
}
