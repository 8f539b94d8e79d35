//! What killed agents left in their workplaces: it is handed in before anything else happens.

use std::path::Path;

use super::Driver;
use super::starting::file_name;
use crate::model::{Breach, Code, Execution, RunEvent, RunStep};
use crate::ops::work::handed_in::AgentSubject;
use crate::ops::work::preparing::remove_leftover;
use crate::ops::{Refusal, issues};
use crate::rules::run::refused_words;
use crate::rules::{Bounds, Role};
use crate::run::workplace::{self, Hander, StepWorkplace};

impl Driver<'_> {
    /// Takes over what is in the workplaces of executors that were killed with the run, and removes them. Locks that a killed git
    /// left on the branches of the run go, too: nobody else works on them.
    pub(super) fn take_what_is_left(&mut self) -> Result<(), Refusal> {
        for issue in self.run.issue_ids.clone() {
            let Ok(folder) = issues::existing(&self.session.store().snapshot()?, &issue) else { continue };
            let mut executions: Vec<Execution> =
                folder.executions.into_iter().rev().map(|it| it.execution).collect();
            executions.retain(|it| it.run_id.as_ref() == Some(&self.run.id));
            for execution in &executions {
                let own = execution.branch.as_ref().filter(|it| it.is_of_plan(&execution.solution_id));
                if let Some(branch) = own {
                    let _ = std::fs::remove_file(self.session.store().repo().ref_lock(branch.as_str()));
                }
                let claim = self.places.tree_of(&execution.solution_id);
                if let Some(note) = self.take_from(execution, &claim)? {
                    self.left.insert(execution.id.clone(), note);
                }
            }
        }
        Ok(())
    }

    /// Takes over what is in the workplace of an execution, if there is one. Returns a note about files that were not committed.
    fn take_from(&mut self, execution: &Execution, claim: &Path) -> Result<Option<String>, Refusal> {
        let name = workplace::name(&self.run.id, &file_name(claim));
        let found = if claim.is_dir() { StepWorkplace::reopen(self.session.store(), &name) } else { None };
        let Some(mut place) = found.filter(|place| !place.workplace.is_needed()) else { return Ok(None) };
        let session = self.identity(Role::Executor).shared_session()?;
        let bounds = Bounds {
            role: Role::Executor,
            branch: execution.branch.clone(),
            base: place.workplace.start.into(),
            named: self.named(&execution.issue_id)?,
        };
        let hander = Hander {
            session: &session,
            role: Role::Executor,
            subject: AgentSubject { issue: Some(&execution.issue_id), execution: Some(&execution.id) },
            bounds: &bounds,
            claim: Some(claim),
        };
        let refused = place.hand_in(hander)?;
        let agent = self.agent_of(RunStep::Execute);
        let breach = |why: &String| Breach {
            action: RunStep::Execute,
            issue_id: Some(execution.issue_id.clone()),
            agent: agent.clone(),
            what: refused_words(why),
            undone: true,
        };
        let breaches: Vec<RunEvent> = refused.iter().map(breach).map(RunEvent::Breach).collect();
        if !breaches.is_empty() {
            self.log("breach", breaches)?;
        }
        let note = match place.keep(&session, &execution.id) {
            Ok(Some(branch)) => Some(format!("resumed; uncommitted changes are on the branch {branch}")),
            Ok(None) => None,
            Err(refusal) if refusal.code != Code::WorkplaceChanged => return Err(refusal),
            Err(refusal) => Some(format!("resumed; {}", refusal.message)),
        };
        remove_leftover(self.session, place.workplace);
        Ok(note)
    }
}
