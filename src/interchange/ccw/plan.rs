//! Plans: a line of `solutions/<issue>.jsonl` is a plan with who, when and whether it is bound.

use serde_json::{Map, Value};

use super::UNKNOWN;
use crate::interchange::fields::kind_of;
use crate::model::digest::PlanDigest;
use crate::model::id::SolutionId;
use crate::model::issue::Issue;
use crate::model::plan_json::PlanJson;
use crate::model::solution::Solution;
use crate::model::time::Time;

/// The members that are not part of the plan.
const BESIDE: &[&str] = &["id", "issue_id", "author", "created_at", "is_bound", "bound_at"];

/// The id of a plan, and its content; or why it is none.
pub(super) fn content(issue: &str, given: &Value) -> Result<(SolutionId, PlanJson), String> {
    let Value::Object(map) = given else {
        return Err(format!("a plan is {}, not an object", kind_of(given)));
    };
    let id = map.get("id").and_then(Value::as_str).ok_or("a plan has no `id`")?;
    let id = SolutionId::parse(id).map_err(|error| error.to_string())?;
    if id.issue().as_str() != issue {
        return Err(format!("the plan `{id}` is not one of `{issue}` by its id"));
    }
    let plan: Map<String, Value> =
        map.iter().filter(|(name, _)| !BESIDE.contains(&name.as_str())).map(owned).collect();
    let plan = PlanJson::new(Value::Object(plan)).map_err(|error| format!("the plan `{id}`: {error}"))?;
    Ok((id, plan))
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// The digest of a plan.
pub(super) fn digest(plan: &PlanJson) -> PlanDigest {
    PlanDigest::of(plan)
}

/// A plan of an issue.
pub(super) fn read(issue: &Issue, given: &Value) -> Result<Solution, String> {
    let (id, plan) = content(issue.id.as_str(), given)?;
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let created_at = text("created_at").and_then(Time::parse).unwrap_or(issue.created_at);
    let author = text("author").unwrap_or(UNKNOWN).into();
    Ok(Solution { id, issue_id: issue.id.clone(), author, created_at, plan })
}

/// A plan as ccw keeps it.
pub(super) fn write(solution: &Solution, bound_at: Option<Time>) -> Value {
    let mut map = Map::new();
    map.insert("id".into(), solution.id.as_str().into());
    if let Value::Object(plan) = &*solution.plan {
        map.extend(plan.iter().map(owned));
    }
    map.insert("is_bound".into(), bound_at.is_some().into());
    map.insert("created_at".into(), solution.created_at.to_string().into());
    if let Some(at) = bound_at {
        map.insert("bound_at".into(), at.to_string().into());
    }
    if solution.author != UNKNOWN {
        map.insert("author".into(), solution.author.as_str().into());
    }
    Value::Object(map)
}
