//! The agents of a run: as named, and as they can be started.

use std::collections::BTreeMap;

use crate::agent::configured;
use crate::agent::definition::Agent;
use crate::model::{Budget, Code, ExecutionMethod, Other, RunAgents, RunStep};
use crate::ops::work::AgentNames;
use crate::ops::work::agents::{folder, refuse_missing};
use crate::ops::{Refusal, Session};
use crate::rules::Role;
use crate::store::Store;
use crate::workplace::Confinement;

/// The step that an agent takes in a role.
pub(super) fn step_of(role: Role) -> Option<RunStep> {
    match role {
        Role::Explorer => Some(RunStep::Explore),
        Role::Planner => Some(RunStep::Plan),
        Role::Reviewer => Some(RunStep::Review),
        Role::Executor => Some(RunStep::Execute),
        Role::Integrator | Role::Coordinator => None,
    }
}

/// What a run is started or resumed with.
pub(crate) struct StartedRun {
    /// The name of its driver, which is this process; `None` if the run is resumed.
    pub(super) driver: Option<String>,
    /// The agents.
    pub(super) crew: StepAgents,
    /// Whether they are confined to their workplaces.
    pub(super) confinement: Confinement,
    /// What a resumed run may cost from here on, if that changes.
    pub(super) budget: Option<Budget>,
}

/// Agents that can be started.
#[derive(Debug, Clone)]
pub(crate) struct StepAgents {
    /// Explores issues before they are planned.
    pub(super) explorer: Option<Agent>,
    /// Makes plans.
    pub(super) planner: Option<Agent>,
    /// Reviews them.
    pub(super) reviewer: Option<Agent>,
    /// Executes them.
    pub(super) executor: Option<Agent>,
    /// Those that take over while another is limited, by the name of that one.
    fallbacks: BTreeMap<String, Agent>,
    /// Whether to keep all transcripts.
    pub(super) keeps_transcripts: bool,
}

impl StepAgents {
    /// The agents for these names.
    ///
    /// # Errors
    /// `unknown-agent`, `invalid-agent`.
    pub(super) fn of(store: &Store, given: &AgentNames) -> Result<Self, Refusal> {
        let settings = configured::settings(store)?;
        let folder = folder(store);
        let meant = |text: &Option<String>| {
            let agent = text.as_deref().map(|text| Agent::of_text(text, &settings)).transpose()?;
            Ok::<_, Refusal>(agent.map(|agent| agent.started_in(&folder)))
        };
        let [explorer, planner, reviewer, executor] = [
            meant(&given.explorer)?,
            meant(&given.planner)?,
            meant(&given.reviewer)?,
            meant(&given.executor)?,
        ];
        let mut fallbacks = BTreeMap::new();
        let mut all: Vec<Agent> =
            [&explorer, &planner, &reviewer, &executor].into_iter().flatten().cloned().collect();
        while let Some(agent) = all.pop() {
            let Some(other) = agent.fallback().filter(|_| !fallbacks.contains_key(agent.name())) else {
                continue;
            };
            let other = Agent::of_text(&other.value, &settings)?.started_in(&folder);
            fallbacks.insert(agent.name().to_owned(), other.clone());
            all.push(other);
        }
        Ok(Self {
            explorer,
            planner,
            reviewer,
            executor,
            fallbacks,
            keeps_transcripts: given.keep_transcripts.unwrap_or(false),
        })
    }

    /// The agent for a role.
    ///
    /// # Errors
    /// `no-agent`.
    pub(super) fn agent(&self, role: Role) -> Result<&Agent, Refusal> {
        let agent = match role {
            Role::Explorer => &self.explorer,
            Role::Planner => &self.planner,
            Role::Reviewer => &self.reviewer,
            Role::Executor => &self.executor,
            Role::Integrator | Role::Coordinator => &None,
        };
        agent.as_ref().ok_or_else(|| {
            Refusal::new(Code::NoAgent, format!("the run has no {role}"))
                .hint(format!("name one with --{role}, or set `git config wf.run.{role} NAME`"))
                .remedy(Other::AgentList, "lists the known agents")
        })
    }

    /// The agents that take over while one is limited, in order.
    pub(super) fn fallbacks(&self, agent: &Agent) -> Vec<Agent> {
        let (mut found, mut at): (Vec<Agent>, _) = (Vec::new(), agent.name());
        while let Some(other) = self.fallbacks.get(at) {
            if other.name() == agent.name() || found.iter().any(|known| known.name() == other.name()) {
                break;
            }
            found.push(other.clone());
            at = other.name();
        }
        found
    }

    /// Refuses steps whose agents have programs that are not found here.
    ///
    /// # Errors
    /// `agent-not-found`.
    pub(super) fn refuse_missing(&self, session: &Session, steps: &[RunStep]) -> Result<(), Refusal> {
        let agents = [
            (RunStep::Explore, &self.explorer),
            (RunStep::Plan, &self.planner),
            (RunStep::Review, &self.reviewer),
            (RunStep::Execute, &self.executor),
        ];
        let wanted = agents.into_iter().filter(|(step, _)| steps.contains(step));
        for agent in wanted.filter_map(|(_, agent)| agent.as_ref()) {
            refuse_missing(session, agent)?;
            self.fallbacks(agent).iter().try_for_each(|other| refuse_missing(session, other))?;
        }
        Ok(())
    }

    /// The names of the agents that take these steps.
    pub(super) fn names_for(&self, steps: &[RunStep]) -> RunAgents {
        let name = |step: RunStep, agent: &Option<Agent>| {
            let agent = agent.as_ref().filter(|_| steps.contains(&step));
            agent.map(|agent| agent.name().to_owned())
        };
        RunAgents {
            explorer: name(RunStep::Explore, &self.explorer),
            planner: name(RunStep::Plan, &self.planner),
            reviewer: name(RunStep::Review, &self.reviewer),
            executor: name(RunStep::Execute, &self.executor),
        }
    }

    /// The agent and those that take over from it.
    fn with_fallbacks(&self, agent: &Agent) -> Vec<Agent> {
        std::iter::once(agent.clone()).chain(self.fallbacks(agent)).collect()
    }

    /// The warning that a planner also reviews its plans, if the same program does.
    pub(super) fn reviews_itself(&self) -> Option<String> {
        let planners = self.with_fallbacks(self.planner.as_ref()?);
        let reviewers = self.with_fallbacks(self.reviewer.as_ref()?);
        let is_same = |planner: &Agent, reviewer: &Agent| {
            planner.name() == reviewer.name() || planner.command().value == reviewer.command().value
        };
        let mut pairs = planners.iter().flat_map(|one| reviewers.iter().map(move |other| (one, other)));
        let (planner, reviewer) = pairs.find(|(one, other)| is_same(one, other))?;
        Some(match (planner.name(), reviewer.name()) {
            (one, other) if one == other => format!("the agent `{one}` plans and also reviews these plans"),
            (one, other) => format!(
                "`{other}`, which reviews the plans, is the same program as `{one}`, which makes them"
            ),
        })
    }

    /// The actor's name in a role: the name of its agent.
    pub(super) fn actor(&self, role: Role) -> Option<String> {
        Some(self.actor_of(role, self.agent(role).ok()?))
    }

    /// The actor's name of an agent in a role. Nobody reviews their own plans, so a reviewer that may also plan gets another
    /// name.
    pub(super) fn actor_of(&self, role: Role, agent: &Agent) -> String {
        let planners = self.planner.as_ref().map(|planner| self.with_fallbacks(planner)).unwrap_or_default();
        let name = agent.name();
        let is_twin = role == Role::Reviewer && planners.iter().any(|planner| planner.name() == name);
        if is_twin { format!("{name}-reviewer") } else { name.to_owned() }
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
