//! What someone saw of an issue before they edited it, so that an edit replaces nothing that they have not seen.

use super::edit::IssueEdits;
use crate::model::{Code, Issue, Other, Priority, RemedyCall};
use crate::ops::Refusal;

/// Values as they were shown; `None` for whatever was not. Sets are not here, since an edit names the members to add and to
/// remove.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenFields {
    pub(crate) title: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) priority: Option<Priority>,
    pub(crate) assignee: Option<String>,
    pub(crate) issue_type: Option<String>,
}

impl SeenFields {
    /// All fields of an issue.
    pub(crate) fn new(issue: &Issue) -> Self {
        Self {
            title: Some(issue.title.clone()),
            text: Some(issue.context.clone().unwrap_or_default()),
            priority: Some(issue.priority),
            assignee: Some(issue.assignee.clone().unwrap_or_default()),
            issue_type: Some(issue.issue_type.clone().unwrap_or_default()),
        }
    }

    /// Takes note of what a field is now, after someone was told that it had changed.
    pub(crate) fn look_again(&mut self, field: &str, stored: &Issue) {
        let now = Self::new(stored);
        match field {
            "title" => self.title = now.title,
            "text" => self.text = now.text,
            "priority" => self.priority = now.priority,
            "assignee" => self.assignee = now.assignee,
            "issue_type" => self.issue_type = now.issue_type,
            _ => {}
        }
    }

    /// Checks that the edits replace only what was seen, or do what someone else did, too.
    ///
    /// # Errors
    /// `changed-meanwhile`.
    pub(super) fn check(&self, edits: &IssueEdits, stored: &Issue) -> Result<(), Refusal> {
        fn is_unseen<T: PartialEq>(new: Option<&T>, seen: Option<&T>, now: Option<&T>) -> bool {
            new.zip(seen).is_some() && seen != now && new != now
        }
        let (new, now) = (&edits.fields, Self::new(stored));
        let fields = [
            ("title", "title", is_unseen(edits.title.as_ref(), self.title.as_ref(), now.title.as_ref())),
            ("text", "description", is_unseen(edits.text.as_ref(), self.text.as_ref(), now.text.as_ref())),
            (
                "priority",
                "priority",
                is_unseen(new.priority.as_ref(), self.priority.as_ref(), now.priority.as_ref()),
            ),
            (
                "assignee",
                "assignee",
                is_unseen(new.assignee.as_ref(), self.assignee.as_ref(), now.assignee.as_ref()),
            ),
            (
                "issue_type",
                "type",
                is_unseen(new.issue_type.as_ref(), self.issue_type.as_ref(), now.issue_type.as_ref()),
            ),
        ];
        let Some((field, words, _)) = fields.into_iter().find(|field| field.2) else { return Ok(()) };
        let what = format!("someone changed the {words} of `{}` while you edited it", stored.id);
        Err(Refusal::new(Code::ChangedMeanwhile, what)
            .at(field)
            .hint("merge their version into yours, and save again")
            .remedy(RemedyCall::new(Other::Show, [&stored.id]), "shows what they wrote"))
    }
}
