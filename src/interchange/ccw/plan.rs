//! Plans: a line of `solutions/<issue>.jsonl` is a plan with who, when and whether it is bound.

use serde_json::{Map, Value};

use super::{UNKNOWN, text_in};
use crate::interchange::fields::kind_of;
use crate::model::{Issue, IssueId, PlanDigest, PlanJson, Solution, SolutionId, Time, Uid};

/// The members that are not part of the plan.
const BESIDE: &[&str] = &["id", "issue_id", "author", "created_at", "is_bound", "bound_at", "withdrawn"];

/// The id of a plan, and its content; or why it is none.
pub(super) fn content(issue: &str, given: &Value) -> Result<(SolutionId, PlanJson), String> {
    let Value::Object(map) = given else {
        return Err(format!("a plan is {}, not an object", kind_of(given)));
    };
    let given = map.get("id").and_then(Value::as_str).ok_or("a plan has no `id`")?;
    let issue = IssueId::parse(issue).map_err(|error| error.to_string())?;
    let id = named(&issue, given).ok_or_else(|| format!("a plan has the `id` `{given}`"))?;
    let plan: Map<String, Value> =
        map.clone().into_iter().filter(|(name, _)| !BESIDE.contains(&name.as_str())).collect();
    let plan = PlanJson::new(Value::Object(plan)).map_err(|error| format!("the plan `{id}`: {error}"))?;
    Ok((id, plan))
}

/// The id of a plan of an issue here. ccw takes any text, such as `SOL-1`, which two issues may have: that becomes one
/// with the id of the issue. `None` for an empty text.
pub(super) fn named(issue: &IssueId, given: &str) -> Option<SolutionId> {
    if let Some(id) = SolutionId::parse(given).ok().filter(|id| id.issue() == *issue) {
        return Some(id);
    }
    let last = match given.strip_prefix("SOL-").filter(is_short_uid) {
        Some(rest) => format!("sol{rest}"),
        None if given.trim().is_empty() => return None,
        None => Uid::from_content(&[given.as_bytes()]).to_string(),
    };
    SolutionId::parse(&format!("SOL-{issue}-{last}")).ok()
}

fn is_short_uid(rest: &&str) -> bool {
    (1..=SHORT).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// The last part of an id has at most 16 letters, of which three are `sol`.
const SHORT: usize = 13;

/// The digest of a plan.
pub(super) fn digest(plan: &PlanJson) -> PlanDigest {
    PlanDigest::of_plan(plan)
}

/// A plan of an issue.
pub(super) fn read(issue: &Issue, given: &Value) -> Result<Solution, String> {
    let (id, plan) = content(issue.id.as_str(), given)?;
    let created_at = text_in(given, "created_at").and_then(Time::parse).unwrap_or(issue.created_at);
    let author = text_in(given, "author").unwrap_or(UNKNOWN).into();
    Ok(Solution {
        id,
        issue_id: issue.id.clone(),
        author,
        created_at,
        plan,
        withdrawn: text_in(given, "withdrawn").map(str::to_owned),
    })
}

/// A plan as ccw keeps it, under the id that it has there.
pub(super) fn write(solution: &Solution, id: &str, is_bound: bool, bound_at: Option<Time>) -> Value {
    let mut map = Map::new();
    map.insert("id".into(), id.into());
    if let Value::Object(plan) = &*solution.plan {
        map.extend(plan.clone());
    }
    map.insert("is_bound".into(), is_bound.into());
    map.insert("created_at".into(), solution.created_at.to_string().into());
    if let Some(at) = bound_at {
        map.insert("bound_at".into(), at.to_string().into());
    }
    if let Some(why) = &solution.withdrawn {
        map.insert("withdrawn".into(), why.as_str().into());
    }
    if solution.author != UNKNOWN {
        map.insert("author".into(), solution.author.as_str().into());
    }
    Value::Object(map)
}
