//! Follows an agent at work: passes on its output, and reminds or stops it when it is silent for too long.

use std::path::Path;
use std::time::{Duration, Instant};

use super::job::{AgentJob, StepReport};
use super::silence::Silence;
use super::unended;
use super::workplace::StepWorkplace;
use crate::agent::definition::{Agent, Protocol};
use crate::agent::guard::MOST_REASONS;
use crate::agent::known_session::KnownSession;
use crate::agent::talk::{AgentObserver, AskedFor, TextKind};
use crate::model::{RunStep, TaskId, Usage, count};
use crate::ops::Notice;
use crate::ops::issues::existing_outline;
use crate::ops::work::as_stored;

/// How often a silent agent is reminded before it is restarted, if its protocol allows reminders.
const REMINDERS: u8 = 2;
/// What an agent asked for too often for each request to be recorded.
const UNLISTED: [(AskedFor, &str); 3] = [
    (AskedFor::Read, "to read files that it may not read"),
    (AskedFor::Write, "to write files that it may not write"),
    (AskedFor::Permission, "for something that its role does not allow"),
];
/// How often to check which task an agent works on.
const LOOK: Duration = Duration::from_millis(500);

/// Passes on an agent's output, and stops it if someone asks for that, or if it is silent for too long.
pub(super) struct Listener<'a> {
    job: &'a AgentJob,
    agent: &'a Agent,
    transcript: &'a Path,
    seen: usize,
    /// The session in which the agent goes on, as it was before.
    before: Option<KnownSession>,
    /// Usage reported so far.
    pub(super) used: Usage,
    /// Whether it was not asked on because that would cost more than it may.
    pub(super) is_over_budget: bool,
    silence: Option<Silence>,
    /// How many more times it can be reminded before that.
    reminders: u8,
    /// Whether it should be reminded now.
    reminds: bool,
    /// Whether it was stopped because of its silence.
    pub(super) is_quiet: bool,
    /// What it was refused, and why.
    refused: Vec<(AskedFor, String)>,
    /// How often it was refused something else, which is not recorded one by one.
    more: [u64; UNLISTED.len()],
    task: Option<TaskId>,
    /// The task of a plan that has no other.
    only: Option<TaskId>,
    looked: Instant,
}

impl<'a> Listener<'a> {
    /// Listens to the agent that takes the step, which may be one that takes over. `silence` is how long it may write and change
    /// nothing.
    pub(super) fn of(
        job: &'a AgentJob,
        agent: &'a Agent,
        transcript: &'a Path,
        before: Option<KnownSession>,
        silence: Option<Duration>,
    ) -> Self {
        Self {
            job,
            agent,
            transcript,
            seen: 0,
            before,
            used: Usage::default(),
            is_over_budget: false,
            silence: silence.map(|limit| Silence::of(limit, job)),
            reminders: if agent.protocol().value == Protocol::Acp { REMINDERS } else { 0 },
            reminds: false,
            is_quiet: false,
            refused: Vec::new(),
            more: [0; UNLISTED.len()],
            task: None,
            only: only_task(job),
            looked: Instant::now(),
        }
    }

    /// Reports how often it was refused more than is recorded one by one.
    pub(super) fn report_more(&self) {
        for ((_, what), more) in UNLISTED.iter().zip(self.more).filter(|(_, more)| *more > 0) {
            self.job.report_refused(&format!("it asked {} {what}", count(more, "more time")));
        }
    }

    /// Usage in this conversation.
    fn used_since(&self) -> Usage {
        self.before.as_ref().map_or_else(|| self.used.clone(), |before| before.used_since(&self.used))
    }

    /// Reports when the agent has begun another task.
    fn look_for_task(&mut self) {
        if self.job.step != RunStep::Execute || self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        let active = self.job.workplace.borrow().as_ref().and_then(StepWorkplace::active);
        // Nobody sets the only task of a plan.
        let Some(task) = active.and_then(|active| active.task_id).or_else(|| self.only.clone()) else {
            return;
        };
        if self.task.as_ref() != Some(&task) {
            let _ = self.job.reports.try_send(StepReport::Task(self.job.issue.clone(), task.clone()));
            self.task = Some(task);
        }
    }
}

/// The task of the plan that a job executes, if it has no other.
fn only_task(job: &AgentJob) -> Option<TaskId> {
    let id = job.execution.as_ref()?;
    let session = job.session().ok()?;
    let folder = existing_outline(&session.store().snapshot().ok()?, &id.issue()).ok()?;
    let execution = folder.executions.iter().find(|it| it.execution.id == *id)?;
    match as_stored(session.store(), &execution.execution).ok()?.typed_plan().tasks.as_slice() {
        [only] => Some(only.id.clone()),
        _ => None,
    }
}

impl AgentObserver for Listener<'_> {
    fn said(&mut self, _: TextKind, text: &str) {
        if let Some(silence) = &mut self.silence {
            silence.heard();
        }
        // An agent that writes more than anybody can read does not wait for the reader.
        let _ = self.job.reports.try_send(StepReport::Said(self.job.issue.clone(), text.to_owned()));
    }

    fn session(&mut self, id: &str) {
        // In another session it counts from nothing.
        if self.before.as_ref().is_some_and(|before| before.id != id) {
            self.before = None;
        }
        self.job.in_session(self.agent, id);
        unended::knows_session(self.transcript, id);
    }

    fn noticed(&mut self, what: &str) {
        let what = what.replace(char::is_control, " ");
        let message = format!("{}: agent {}: {what}", self.job.issue, self.agent.name());
        self.job.report(StepReport::Noticed(Notice::warning(message)));
    }

    fn used(&mut self, usage: &Usage) {
        self.used = usage.clone();
        unended::knows_usage(self.transcript, &self.used_since());
        self.job.session_has_used(self.agent, usage);
    }

    fn may_ask_on(&mut self) -> bool {
        self.is_over_budget = self.job.is_over_budget(&self.used_since());
        !self.is_over_budget
    }

    fn refused(&mut self, what: AskedFor, why: &str) {
        let refused = (what, why.replace(char::is_control, " "));
        if self.refused.contains(&refused) {
            return;
        }
        if self.refused.iter().filter(|(other, _)| *other == what).count() < MOST_REASONS {
            self.job.report_refused(&refused.1);
            self.refused.push(refused);
        } else if let Some(n) = UNLISTED.iter().position(|(other, _)| *other == what) {
            self.more[n] += 1;
        }
    }

    fn remind(&mut self) -> bool {
        std::mem::take(&mut self.reminds)
    }

    fn stop(&mut self) -> bool {
        // The first request to stop lets the step finish.
        let wished = self.job.stops.count().saturating_sub(1);
        let is_new = wished > self.seen;
        self.seen += usize::from(is_new);
        self.look_for_task();
        if let (Some(silence), false) = (&mut self.silence, self.is_quiet)
            && silence.is_too_long(self.job)
        {
            if self.reminders > 0 {
                self.reminders -= 1;
                self.reminds = true;
                silence.heard();
                self.job.report(StepReport::Noted(
                    self.job.issue.clone(),
                    "its agent was silent, and was reminded".to_owned(),
                ));
                return is_new;
            }
            self.is_quiet = true;
            return true;
        }
        is_new
    }
}
