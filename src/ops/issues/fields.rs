//! New values for the fields of an issue, for creating and editing.

use std::collections::BTreeSet;

use super::input::IssueInput;
use crate::model::{Code, FieldValues, ISSUE_FIELDS, Issue, IssueField, IssueId};
use crate::ops::{Refusal, Session};
use crate::rules::limits;
use crate::store::{ReadState, ResolveError, resolve};

/// A change of one member of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MemberChange {
    /// Add this member.
    Add(String),
    /// Remove this member.
    Remove(String),
}

/// New values; omitted fields stay as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewFields {
    /// Whole values; the other fields override them.
    pub(crate) json: Option<IssueInput>,
    /// Fields with one value; an empty text clears one.
    pub(crate) values: FieldValues,
    /// Tags.
    pub(crate) tags: Vec<MemberChange>,
    /// Issues that must be done first: their ids, or unambiguous prefixes of them.
    pub(crate) depends_on: Vec<MemberChange>,
    /// Parts of the system that it concerns.
    pub(crate) components: Vec<MemberChange>,
    /// `type:id`; an unambiguous prefix of the id is enough.
    pub(crate) relations: Vec<MemberChange>,
    /// URL of the discussion.
    pub(crate) source_url: Option<String>,
}

impl NewFields {
    /// One field, by its name, with a value.
    ///
    /// # Errors
    /// `usage` if no field has this name or the field does not accept the value.
    pub(crate) fn one(name: &str, text: String) -> Result<Self, Refusal> {
        let mut fields = Self::default();
        let Some(field) = IssueField::named(name) else {
            let names: Vec<&str> = ISSUE_FIELDS.iter().map(|field| field.name).collect();
            return Err(Refusal::usage(format!("there is no field `{name}`"))
                .hint(format!("expected one of {}", names.join(", "))));
        };
        let message = format!("`{text}` is not a {}", field.word);
        fields.values.set(field, text).map_err(|expected| Refusal::usage(message).hint(expected))?;
        Ok(fields)
    }

    /// Refuses to remove members of a new issue, unless JSON may have given it some.
    ///
    /// # Errors
    /// Usage.
    pub(super) fn refuse_removals(&self) -> Result<(), Refusal> {
        let lists = [
            ("tag", &self.tags),
            ("dependency", &self.depends_on),
            ("component", &self.components),
            ("relation", &self.relations),
        ];
        for (what, members) in lists {
            for member in members {
                if let MemberChange::Remove(name) = member
                    && self.json.is_none()
                {
                    let message = format!("`-{name}` removes a {what}, and a new issue has none");
                    return Err(Refusal::usage(message).hint(format!("`{name}` adds it")));
                }
            }
        }
        Ok(())
    }

    /// Whether no field is given.
    pub(super) fn is_empty(&self) -> bool {
        let lists = [&self.tags, &self.depends_on, &self.components, &self.relations];
        self.json.is_none()
            && self.values.is_empty()
            && lists.iter().all(|list| list.is_empty())
            && self.source_url.is_none()
    }

    /// The title in the JSON.
    pub(crate) fn title(&self) -> Option<&str> {
        self.json.as_ref()?.title.as_deref()
    }

    /// Applies all fields to an issue. Ids are resolved in the given state.
    pub(super) fn apply(&self, read: &impl ReadState, issue: &mut Issue) -> Result<(), Refusal> {
        let before = issue.relations.clone();
        if let Some(json) = &self.json {
            json.clone().apply(issue)?;
        }
        self.values.apply(issue);
        for (set, members) in
            [(&mut issue.tags, &self.tags), (&mut issue.affected_components, &self.components)]
        {
            change(set, members, |name, is_new| {
                // Only new members are checked: an old one may have been written before there was a limit.
                if is_new {
                    limits::label(name)?;
                }
                Ok(name.to_owned())
            })?;
        }
        change(&mut issue.depends_on, &self.depends_on, |text, is_new| dependency(read, text, is_new))?;
        change(&mut issue.relations, &self.relations, |text, _| relation(read, text))?;
        if let Some(relation) = issue
            .relations
            .iter()
            .filter(|relation| !before.contains(*relation))
            .find(|relation| relation.split_once(':').is_some_and(|(_, id)| issue.id.as_str() == id))
        {
            let message = format!("issue `{}` cannot be related to itself (`{relation}`)", issue.id);
            return Err(Refusal::new(Code::SelfDependency, message).hint("name another issue"));
        }
        if let Some(url) = &self.source_url {
            issue.source_url = Some(limits::web_address(url)?.to_owned());
        }
        if issue.depends_on.contains(&issue.id) {
            let message = format!("issue `{}` cannot depend on itself", issue.id);
            return Err(Refusal::new(Code::SelfDependency, message).hint("name another issue"));
        }
        Ok(())
    }
}

/// Applies fields to an issue that is not stored, for someone to look at.
///
/// # Errors
/// An invalid value; `not-found`.
pub(crate) fn preview(session: &Session, fields: &NewFields, issue: &mut Issue) -> Result<(), Refusal> {
    fields.apply(&session.store().snapshot()?, issue)
}

/// Adds and removes members of a set. `value` parses a member and is told whether it is added.
fn change<T: Ord>(
    set: &mut BTreeSet<T>,
    members: &[MemberChange],
    value: impl Fn(&str, bool) -> Result<T, Refusal>,
) -> Result<(), Refusal> {
    for member in members {
        match member {
            MemberChange::Add(text) => set.insert(value(text, true)?),
            MemberChange::Remove(text) => set.remove(&value(text, false)?),
        };
    }
    Ok(())
}

/// The issue of a dependency. A dependency to remove may name an issue that no longer exists.
fn dependency(read: &impl ReadState, text: &str, is_new: bool) -> Result<IssueId, Refusal> {
    match resolve::issue(read, text) {
        Err(ResolveError::NotFound { .. }) if !is_new => Ok(IssueId::parse(text)?),
        found => Ok(found?),
    }
}

/// The relation with the full id. The issue may be unknown here if its id is given in full.
fn relation(read: &impl ReadState, text: &str) -> Result<String, Refusal> {
    let (kind, name) = limits::relation(text)?;
    match (resolve::issue(read, name), IssueId::parse(name)) {
        (Err(ResolveError::NotFound { .. }), Ok(id)) => Ok(format!("{kind}:{id}")),
        (found, _) => Ok(format!("{kind}:{}", found?)),
    }
}
