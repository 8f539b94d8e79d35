//! Selects wisdom entries that match a search, and those that an agent gets.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::bounded::LONGEST;
use super::{Cut, Omission, Role};
use crate::model::{EntryId, Issue, IssueId, Other, Person, RemedyCall, Time, Wisdom, WisdomType};

/// A piece of wisdom, as an agent gets it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct WisdomContext {
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: WisdomType,
    /// Markdown.
    pub(crate) text: String,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// The issue that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) issue_id: Option<IssueId>,
    /// Who wrote it.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
}

/// Whether each word occurs in the text or in a tag, ignoring case.
pub(crate) fn has_words(wisdom: &Wisdom, words: &[String]) -> bool {
    let text = format!("{} {}", wisdom.text, wisdom.tags.join(" ")).to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// The answered questions, with the latest answer to each.
pub(crate) fn answered(all: &[Wisdom]) -> BTreeMap<EntryId, EntryId> {
    all.iter().filter_map(|wisdom| Some((wisdom.answers.clone()?, wisdom.id.clone()))).collect()
}

/// The entries for an agent that works on an issue, without answered questions: first those from that issue and those
/// that share a tag or a component with it, then the rest; within each, by what the role needs most, then newest first.
pub(crate) fn context_for(
    all: Vec<Wisdom>,
    issue: &Issue,
    role: Role,
) -> (Vec<WisdomContext>, Option<Omission>) {
    context_near(all, Some(issue), role)
}

/// Like [`context_for`]; without an issue, no entry takes precedence.
pub(crate) fn context_near(
    all: Vec<Wisdom>,
    issue: Option<&Issue>,
    role: Role,
) -> (Vec<WisdomContext>, Option<Omission>) {
    let near: BTreeSet<String> = issue
        .iter()
        .flat_map(|issue| issue.tags.iter().chain(&issue.affected_components))
        .map(|tag| tag.to_lowercase())
        .collect();
    let answered = answered(&all);
    let mut all = all;
    all.retain(|wisdom| !answered.contains_key(&wisdom.id));
    all.sort_by_cached_key(|wisdom| {
        (
            !(wisdom.issue_id.as_ref().is_some_and(|of| issue.is_some_and(|issue| issue.id == *of))
                || wisdom.tags.iter().any(|tag| near.contains(&tag.to_lowercase()))),
            rank(wisdom.kind, role),
            Reverse(wisdom.id.clone()),
        )
    });
    let mut cut = Cut::at(LONGEST);
    let first = cut.first(all);
    let contexts = first.into_iter().map(|wisdom| WisdomContext {
        kind: wisdom.kind,
        text: cut.text(&wisdom.text),
        tags: wisdom.tags,
        issue_id: wisdom.issue_id,
        author: wisdom.author,
        created_at: wisdom.created_at,
    });
    let contexts = contexts.collect();
    (contexts, cut.left_out("wisdom", RemedyCall::from(Other::WisdomList).flag("json")))
}

/// The rank of a kind for a role. Executors must keep to the conventions, and reviewers to the
/// decisions; explorers and planners may also answer a question.
fn rank(kind: WisdomType, role: Role) -> usize {
    use WisdomType::{Convention, Decision, Learning, Question};
    let order: &[WisdomType] = match role {
        Role::Executor => &[Convention, Learning, Decision, Question],
        Role::Reviewer => &[Decision, Convention, Learning, Question],
        Role::Explorer | Role::Planner | Role::Integrator | Role::Coordinator => return 0,
    };
    order.iter().position(|other| *other == kind).unwrap_or(order.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use serde_json::json;

    fn wisdom(second: usize, text: &str, tags: &[&str], issue: Option<&str>) -> Wisdom {
        let mut value = json!({"id": entry_id(&format!("20261121T0214{second:02}123Z-00000")), "type": "learning",
            "text": text, "tags": tags, "author": "Ada", "created_at": "2026-11-21T02:14:05.123Z"});
        if let Some(issue) = issue {
            value["issue_id"] = json!(issue);
        }
        serde_json::from_value(value).unwrap()
    }

    fn issue() -> Issue {
        serde_json::from_value(
            json!({"id": "ISS-001", "author": "Ada", "created_at": "2026-11-21T02:14:05.123Z",
            "title": "t", "status": "registered", "priority": 3, "tags": ["Auth"]}),
        )
        .unwrap()
    }

    #[test]
    fn what_concerns_the_issue_comes_first_and_then_the_newest() {
        let all = vec![
            wisdom(1, "of the issue", &[], Some("ISS-001")),
            wisdom(2, "of its tag", &["auth"], None),
            wisdom(3, "of another", &["db"], Some("ISS-002")),
            wisdom(4, "of nothing", &[], None),
        ];
        let (contexts, left_out) = context_for(all, &issue(), Role::Planner);
        let texts: Vec<&str> = contexts.iter().map(|context| context.text.as_str()).collect();
        assert_eq!(texts, ["of its tag", "of the issue", "of nothing", "of another"]);
        assert_eq!(left_out, None);
    }

    #[test]
    fn each_role_gets_first_what_it_needs_most() {
        let of = |second, kind: &str| Wisdom {
            kind: WisdomType::parse(kind).unwrap(),
            ..wisdom(second, kind, &[], None)
        };
        let all = [of(1, "convention"), of(2, "decision"), of(3, "question"), of(4, "learning")];
        for (role, expected) in [
            (Role::Planner, ["learning", "question", "decision", "convention"]),
            (Role::Executor, ["convention", "learning", "decision", "question"]),
            (Role::Reviewer, ["decision", "convention", "learning", "question"]),
        ] {
            let (contexts, _) = context_for(all.to_vec(), &issue(), role);
            let texts: Vec<&str> = contexts.iter().map(|context| context.text.as_str()).collect();
            assert_eq!(texts, expected, "{role}");
        }
    }

    #[test]
    fn there_is_a_bound_and_what_is_left_out_is_named() {
        let all = (0..25).map(|second| wisdom(second, &"x".repeat(5_000), &[], None)).collect();
        let (contexts, left_out) = context_for(all, &issue(), Role::Planner);
        let left_out = left_out.unwrap();
        assert_eq!((contexts.len(), left_out.entries, left_out.shortened), (20, 5, 20));
        assert!(contexts.iter().all(|it| it.text.chars().count() == LONGEST + 1));
    }

    #[test]
    fn all_words_are_looked_for_in_text_and_tags() {
        let lesson = wisdom(1, "Tokens expire after an hour", &["auth"], None);
        let has = |words: &[&str]| {
            has_words(&lesson, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert!(has(&["TOKENS", "auth"]) && has(&["hour"]) && !has(&["tokens", "day"]));
    }
}
