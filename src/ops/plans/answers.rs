//! The answers of planners and reviewers: the documents that `plan add` and `plan review` take.

use schemars::JsonSchema;
use serde_json::Value;

use super::{Judgement, ReviewInput};
use crate::agent::answer::{AnswerKind, With, faults, schema_of};
use crate::model::{IssueId, Plan, SolutionId};
use crate::rules::{PlanFinding, plan_check};

/// Fields that the store sets or derives (author, created_at, is_bound, plan_digest, …) are ignored here. Unknown
/// fields are kept.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it only describes what may be written")]
pub(crate) struct SolutionInput {
    /// The id; generated if omitted.
    id: Option<SolutionId>,
    /// Another name for id.
    solution_id: Option<SolutionId>,
    /// The issue; taken from the command if omitted.
    issue_id: Option<IssueId>,
    #[schemars(flatten)]
    plan: Plan,
}

/// A planner's answer: one plan, or an object with several to choose from.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it only describes what may be written")]
pub(crate) enum PlanAnswer {
    /// Plans to choose from.
    Several(Several),
    /// The plan.
    One(Box<SolutionInput>),
}

/// Plans to choose from.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it only describes what may be written")]
pub(crate) struct Several {
    /// At most three; one alone is the plan.
    #[schemars(length(min = 1, max = MOST_PLANS))]
    solutions: Vec<SolutionInput>,
}

/// With more plans than this, choosing is no longer practical.
const MOST_PLANS: usize = 3;

/// The plans in a planner's answer. Each of them is valid; `plan add` decides for which issue.
#[derive(Debug, Clone)]
pub(crate) struct ProposedPlans(Vec<Value>);

impl ProposedPlans {
    /// The number of plans.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Each as it was written.
    pub(crate) fn into_values(self) -> Vec<Value> {
        self.0
    }
}

impl AnswerKind for ProposedPlans {
    fn schema() -> Value {
        schema_of::<With<PlanAnswer>>()
    }

    fn read(value: &Value) -> Result<Self, Vec<String>> {
        let (place, plans) = match (value.get("solutions"), value) {
            (Some(Value::Array(plans)), _) => ("$.solutions", plans.clone()),
            // JSON lines, one plan each.
            (None, Value::Array(plans)) => ("$", plans.clone()),
            _ => ("", vec![value.clone()]),
        };
        if plans.is_empty() || plans.len() > MOST_PLANS {
            return Err(vec![format!("{place}: {} plans; expected 1 to {MOST_PLANS}", plans.len())]);
        }
        let mut faults = Vec::new();
        for (n, plan) in plans.iter().enumerate() {
            let place = if place.is_empty() { "$".to_owned() } else { format!("{place}[{n}]") };
            let report = plan_check::examine(plan, plan_check::PlanSetting::default());
            for finding in report.findings.into_iter().filter(PlanFinding::is_error) {
                let path = finding.path.trim_start_matches('$').trim_start_matches('.');
                let dot = if path.is_empty() { "" } else { "." };
                faults.push(PlanFinding { path: format!("{place}{dot}{path}"), ..finding }.to_string());
            }
        }
        if faults.is_empty() { Ok(Self(plans)) } else { Err(faults) }
    }
}

impl AnswerKind for Judgement {
    fn schema() -> Value {
        schema_of::<With<ReviewInput>>()
    }

    fn read(value: &Value) -> Result<Self, Vec<String>> {
        let faults = faults(&Self::schema(), value);
        if !faults.is_empty() {
            return Err(faults);
        }
        Self::parse(value.to_string().as_bytes(), "the answer")
            .map_err(|refusal| vec![format!("$: {}", refusal.message)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::answer::{self, NotAnAnswer};
    use serde_json::json;

    fn plan() -> Value {
        serde_json::from_str::<Value>(include_str!("../../cli/command/store/examples.json")).unwrap()["solution"].take()
    }

    fn count(text: &str) -> usize {
        answer::read::<ProposedPlans>(text).map_or(0, |read| read.answer.count())
    }

    #[test]
    fn one_plan_or_several_in_any_of_their_forms() {
        let plan = plan();
        assert_eq!(count(&format!("Here it is:\n{plan:#}\n")), 1);
        assert_eq!(count(&json!({"solutions": [plan, plan]}).to_string()), 2);
        assert_eq!(count(&format!("{plan}\n{plan}\n")), 2);
        assert_eq!(count(&json!({"solutions": [plan, plan, plan, plan]}).to_string()), 0);
        assert_eq!(count(&json!({"solutions": []}).to_string()), 0);
    }

    #[test]
    fn what_is_added_to_a_plan_is_no_part_of_it() {
        let mut given = plan();
        given["session"] = json!({"tokens": 7});
        given["wisdom"] = json!([{"type": "question", "text": "Who owns the parser?"}]);
        let read = answer::read::<ProposedPlans>(&given.to_string()).unwrap();
        assert_eq!(read.answer.into_values(), [plan()]);
        assert_eq!((read.aside.session.tokens, read.aside.wisdom.len()), (Some(7), 1));
        let several = json!({"solutions": [plan()], "wisdom": [{"type": "question", "text": "Who?"}]});
        assert_eq!(answer::read::<ProposedPlans>(&several.to_string()).unwrap().aside.wisdom.len(), 1);
    }

    #[test]
    fn what_is_wrong_with_a_plan_is_told_with_its_place() {
        let mut broken = plan();
        broken["tasks"][0].as_object_mut().unwrap().remove("title");
        let faults = |value: &Value| match answer::read::<ProposedPlans>(&value.to_string()) {
            Err(NotAnAnswer::Faults(faults)) => faults,
            other => panic!("{other:?}"),
        };
        assert!(faults(&broken)[0].starts_with("$.tasks[0].title: expected "), "{:?}", faults(&broken));
        let several = faults(&json!({"solutions": [plan(), broken]}));
        assert!(several[0].starts_with("$.solutions[1].tasks[0].title: "), "{several:?}");
    }

    #[test]
    fn a_review_has_scores_and_findings_by_dimension() {
        let review =
            json!({"technical": {"score": 85, "findings": ["no test"]}, "risk": 70, "completeness": 60});
        assert!(Judgement::read(&review).is_ok());
        let faults = Judgement::read(&json!({"scores": {"technical": 850, "risk": 70}})).unwrap_err();
        assert!(faults.iter().any(|fault| fault.contains("completeness")), "{faults:?}");
        let faults = Judgement::read(
            &json!({"scores": {"technical": 1, "risk": 1, "completeness": 1}, "total_score": 90}),
        );
        assert!(faults.unwrap_err()[0].contains("the given total is 90"));
    }
}
