//! Feedback: in ccw a list in the issue, whose content is a text that may be JSON.

use serde_json::{Map, Value};

use super::export::given_id;
use super::{UNKNOWN, plan, text_in};
use crate::interchange::fields::Fields;
use crate::model::{
    Feedback, FeedbackDetail, FeedbackType, Issue, IssueId, Stage, Stamp, Time, entry_at, strict, typed,
};

/// The feedback of an issue, each piece once.
pub(super) fn read(fields: &mut Fields<'_>, issue: &Issue) -> Vec<Feedback> {
    let mut all: Vec<Feedback> = Vec::new();
    for given in fields.list("feedback") {
        match one(fields, issue, given) {
            Some(piece) if all.iter().all(|known| known.id != piece.id) => all.push(piece),
            Some(_) => {}
            None => fields.note("a piece of feedback has no `content`; `show ID --imported` shows it".into()),
        }
    }
    all
}

fn one(fields: &mut Fields<'_>, issue: &Issue, given: &Value) -> Option<Feedback> {
    let (content, detail) = match given.get("content")? {
        Value::String(text) if text.trim().is_empty() => return None,
        Value::String(text) => said_or_noted(fields, issue, text),
        Value::Null => return None,
        other => said_or_noted(fields, issue, &other.to_string()),
    };
    let word = text_in(given, "type").unwrap_or_default();
    let kind = FeedbackType::parse(word).unwrap_or_else(|| {
        fields.kept.insert(format!("feedback of the type `{word}` became a clarification").into());
        FeedbackType::Clarification
    });
    let word = text_in(given, "stage").unwrap_or_default();
    let stage = Stage::parse(word).unwrap_or_else(|| {
        fields.kept.insert(format!("feedback at the stage `{word}` became one at `new`").into());
        Stage::New
    });
    let created_at = text_in(given, "created_at").and_then(Time::parse).unwrap_or(issue.created_at);
    let author = text_in(given, "author").unwrap_or(UNKNOWN);
    Some(entry_at(&Stamp::import(created_at), |id| Feedback {
        id,
        kind,
        stage,
        content,
        detail,
        author: author.into(),
        created_at,
    }))
}

/// Like [`said`]; details that cannot be read stay in the text, and a note says so.
fn said_or_noted(fields: &mut Fields<'_>, issue: &Issue, text: &str) -> (String, FeedbackDetail) {
    said(&issue.id, text).unwrap_or_else(|why| {
        fields.note(format!("the details of a piece of feedback stay in its text: {why}"));
        (text.to_owned(), FeedbackDetail::default())
    })
}

/// The text, and the details in it if it is JSON. An export puts text and details into one JSON text.
///
/// # Errors
/// What is wrong with the details.
fn said(issue: &IssueId, text: &str) -> Result<(String, FeedbackDetail), String> {
    let Some(mut value @ Value::Object(_)) = strict::parse_text(text.trim()).ok() else {
        return Ok((text.to_owned(), FeedbackDetail::default()));
    };
    if let Some(id) = value.get("solution_id").and_then(|id| plan::named(issue, id.as_str()?)) {
        value["solution_id"] = id.as_str().into();
    }
    let detail = typed::read::<FeedbackDetail>(&value).map_err(|why| why.to_string())?;
    let content = value.get(CONTENT).and_then(Value::as_str).unwrap_or(text);
    Ok((content.to_owned(), detail))
}

/// The member of an exported JSON text with the text itself.
const CONTENT: &str = "content";

/// A piece of feedback of an issue as ccw keeps it.
pub(super) fn write(issue: &Issue, piece: &Feedback) -> Value {
    let is_said = said(&issue.id, &piece.content) == Ok((piece.content.clone(), piece.detail.clone()));
    let content = if is_said {
        piece.content.clone()
    } else {
        let mut map = Map::new();
        map.insert(CONTENT.into(), piece.content.clone().into());
        if let Value::Object(detail) = typed::own_json(&piece.detail) {
            map.extend(detail);
        }
        if let Some(plan) = &piece.detail.solution_id {
            map.insert("solution_id".into(), given_id(issue, plan).into());
        }
        Value::Object(map).to_string()
    };
    let mut map = Map::new();
    map.insert("type".into(), piece.kind.as_str().into());
    map.insert("stage".into(), piece.stage.as_str().into());
    map.insert("content".into(), content.into());
    map.insert("created_at".into(), piece.created_at.to_string().into());
    if piece.author != UNKNOWN {
        map.insert("author".into(), piece.author.as_str().into());
    }
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{OWN, RENAMED};
    use super::*;

    #[test]
    fn a_plan_with_another_id_there_is_named_by_it() {
        let at = Time::parse("2026-01-01T08:00:00Z").unwrap();
        let mut issue = Issue::new(IssueId::parse("ISS-001").unwrap(), "Ada".into(), at, "T".into());
        let plan = plan::named(&issue.id, "SOL-1").unwrap();
        issue.imported =
            Some(json!({"id": "ISS-001", "title": "T", OWN: {RENAMED: {plan.as_str(): "SOL-1"}}}));
        let piece = entry_at(&Stamp::import(at), |id| Feedback {
            id,
            kind: FeedbackType::Failure,
            stage: Stage::Execute,
            content: "broken".into(),
            detail: FeedbackDetail { solution_id: Some(plan.clone()), ..FeedbackDetail::default() },
            author: "Bea".into(),
            created_at: at,
        });
        let written = write(&issue, &piece);
        let content = written["content"].as_str().unwrap();
        assert_eq!(strict::parse_text(content).unwrap()["solution_id"], "SOL-1");
        assert_eq!(said(&issue.id, content), Ok((piece.content, piece.detail)), "and comes back");
    }
}
