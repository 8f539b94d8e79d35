//! Dependencies of beads. Its types are open: those that block here become dependencies, all others relations.

use std::borrow::Cow;

use serde_json::Value;

use crate::model::{Issue, IssueId, RELATIONS};

/// The type of a dependency that blocks.
pub(super) const BLOCKS: &str = "blocks";
/// Types that can block in beads, depending on what happens there.
const CONDITIONAL: &[&str] = &["conditional-blocks", "waits-for"];
/// The most bytes of a type.
const LONGEST_TYPE: usize = 50;

/// What a dependency becomes here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BeadsLink {
    /// The issue must be done first.
    Dependency(IssueId),
    /// Any other type, with the issue.
    Relation(String, IssueId),
}

impl BeadsLink {
    /// The link that a relation of an issue is; `None` if the relation is malformed.
    pub(super) fn of_relation(relation: &str) -> Option<Self> {
        let (kind, id) = relation.split_once(':')?;
        Some(Self::Relation(kind.to_owned(), IssueId::parse(id).ok()?))
    }

    /// The type and the issue.
    pub(super) fn parts(&self) -> (&str, &IssueId) {
        match self {
            Self::Dependency(id) => (BLOCKS, id),
            Self::Relation(kind, id) => (kind, id),
        }
    }

    /// Adds it to an issue.
    pub(super) fn add_to(self, issue: &mut Issue) {
        match self {
            Self::Dependency(id) => issue.depends_on.insert(id),
            Self::Relation(kind, id) => issue.relations.insert(format!("{kind}:{id}")),
        };
    }

    /// Whether an issue has it.
    pub(super) fn is_in(&self, issue: &Issue) -> bool {
        match self {
            Self::Dependency(id) => issue.depends_on.contains(id),
            Self::Relation(kind, id) => issue.relations.contains(&format!("{kind}:{id}")),
        }
    }

    /// What is said about its type, if it means less here than there.
    pub(super) fn says(&self) -> Option<Cow<'static, str>> {
        let Self::Relation(kind, _) = self else { return None };
        if CONDITIONAL.contains(&kind.as_str()) {
            return Some(
                format!("the dependency type `{kind}` became a relation, which does not block").into(),
            );
        }
        (!RELATIONS.contains(&kind.as_str()))
            .then(|| format!("the dependency type `{kind}` became a relation without a meaning here").into())
    }
}

/// Reads a dependency of an issue, or returns why it is left out.
pub(super) fn read(issue: &IssueId, dependency: &Value) -> Result<BeadsLink, String> {
    let target = text_in(dependency, "depends_on_id").ok_or("a dependency has no `depends_on_id`")?;
    let target = IssueId::parse(target).map_err(|error| format!("a dependency: {error}"))?;
    if let Some(other) = text_in(dependency, "issue_id").filter(|id| *id != issue.as_str()) {
        return Err(format!("the dependency on `{target}` belongs to `{other}`"));
    }
    let given =
        text_in(dependency, "type").ok_or_else(|| format!("the dependency on `{target}` has no `type`"))?;
    if target == *issue {
        let how = if given == BLOCKS { "it depends on itself" } else { "it is related to itself" };
        return Err(how.into());
    }
    // Both spellings occur; early versions wrote `related`.
    let kind = match given.replace('_', "-") {
        kind if kind == "related" => "relates-to".to_owned(),
        kind => kind,
    };
    let is_sound = kind.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if kind.is_empty() || !is_sound || kind.len() > LONGEST_TYPE {
        return Err(format!(
            "the dependency on `{target}` has the type `{given}`, which cannot be a type here"
        ));
    }
    Ok(if kind == BLOCKS { BeadsLink::Dependency(target) } else { BeadsLink::Relation(kind, target) })
}

fn text_in<'a>(dependency: &'a Value, name: &str) -> Option<&'a str> {
    dependency.get(name).and_then(Value::as_str)
}
