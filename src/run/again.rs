//! The command that begins a run as it was asked for, for hints that add to it.

use super::begin::{Begin, WantedMode};
use crate::model::{Code, Op, RemedyCall};
use crate::ops::Refusal;

impl Begin {
    /// The call that begins the same run.
    pub(super) fn again(&self) -> RemedyCall {
        let mut call = RemedyCall::new(Op::Run, &self.issues);
        let mode = match self.mode {
            WantedMode::Configured => None,
            WantedMode::Auto => Some("auto".to_owned()),
            WantedMode::Given(mode) => Some(mode.to_string()),
        };
        let texts = [
            ("tag", self.tag.clone()),
            ("wave", self.wave.map(|wave| wave.to_string())),
            ("explorer", self.agents.explorer.clone()),
            ("planner", self.agents.planner.clone()),
            ("reviewer", self.agents.reviewer.clone()),
            ("executor", self.agents.executor.clone()),
            ("mode", mode),
            ("jobs", self.jobs.map(|jobs| jobs.to_string())),
            ("plan-jobs", self.plan_jobs.map(|jobs| jobs.to_string())),
            ("retry", self.retries.map(|retries| retries.to_string())),
        ];
        let amounts = self.budget.iter().map(|amount| ("budget", Some(amount.clone())));
        let amounts = amounts.chain(self.issue_budget.iter().map(|it| ("issue-budget", Some(it.clone()))));
        for (name, value) in texts.into_iter().chain(amounts) {
            if let Some(value) = value {
                call = call.option(name, value);
            }
        }
        let flags = [
            ("all-pending", self.all_pending),
            ("keep-transcripts", self.agents.keep_transcripts == Some(true)),
            ("land", self.lands),
            ("plan-only", self.plan_only),
            ("execute-only", self.execute_only),
            ("skip-explore", self.skip_explore),
            ("skip-review", self.skip_review),
        ];
        for (name, _) in flags.into_iter().filter(|(_, is_given)| *is_given) {
            call = call.flag(name);
        }
        call
    }

    /// The call that begins the same run with another reviewer.
    pub(super) fn with_reviewer(&self) -> RemedyCall {
        let mut call = self.again();
        call.options.retain(|option| option.name != "reviewer");
        call.option("reviewer", "AGENT")
    }

    /// A refusal of this run, which says how to agree to its commands if that is what it lacks.
    pub(super) fn with_consent(&self, refusal: Refusal) -> Refusal {
        if refusal.code != Code::NotAgreed {
            return refusal;
        }
        // Without details, it is about the tests of plans that nobody has made yet.
        let agrees = if refusal.details.is_empty() {
            "agrees to them unread"
        } else {
            "agrees to them, once you have read them"
        };
        let refusal = refusal.remedy(self.again().flag("yes"), agrees);
        if self.execute_only || self.lands {
            return refusal;
        }
        refusal.remedy(self.again().flag("plan-only"), "only plans")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::work::AgentNames;

    #[test]
    fn a_run_is_asked_for_again_with_everything_that_was_given() {
        let agents = AgentNames { planner: Some("my planner".into()), ..AgentNames::default() };
        let input = Begin {
            issues: vec!["ISS-001".into()],
            agents,
            mode: WantedMode::Auto,
            budget: vec!["5 USD".into()],
            skip_review: true,
            ..Begin::default()
        };
        let given = "git wf run --planner 'my planner' --mode auto --budget '5 USD' --skip-review";
        assert_eq!(input.again().command(), format!("{given} ISS-001"));
        assert_eq!(input.with_reviewer().command(), format!("{given} --reviewer AGENT ISS-001"));
    }
}
