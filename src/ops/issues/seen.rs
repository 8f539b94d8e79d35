//! What someone saw of an issue before they edited it, so that an edit replaces nothing that they have not seen.

use super::edit::IssueEdits;
use crate::model::{Code, FieldValues, ISSUE_FIELDS, Issue, IssueField, Other, RemedyCall};
use crate::ops::Refusal;

/// Values as they were shown; `None` for whatever was not. Sets are not here, since an edit names the members to add and to
/// remove.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenFields {
    pub(crate) title: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) values: FieldValues,
}

impl SeenFields {
    /// All fields of an issue.
    pub(crate) fn new(issue: &Issue) -> Self {
        Self {
            title: Some(issue.title.clone()),
            text: Some(issue.context.clone().unwrap_or_default()),
            values: FieldValues::of(issue),
        }
    }

    /// Takes note of what a field is now, after someone was told that it had changed.
    pub(crate) fn look_again(&mut self, name: &str, stored: &Issue) {
        let now = Self::new(stored);
        match name {
            "title" => self.title = now.title,
            "text" => self.text = now.text,
            _ => {
                if let Some(field) = IssueField::named(name) {
                    self.values.forget(field);
                    self.values = std::mem::take(&mut self.values).or(&now.values);
                }
            }
        }
    }

    /// Checks that the edits replace only what was seen, or do what someone else did, too.
    ///
    /// # Errors
    /// `changed-meanwhile`.
    pub(super) fn check(&self, edits: &IssueEdits, stored: &Issue) -> Result<(), Refusal> {
        let now = Self::new(stored);
        let texts = [
            ("title", "title", edits.title.as_deref(), self.title.as_deref(), now.title.as_deref()),
            ("text", "description", edits.text.as_deref(), self.text.as_deref(), now.text.as_deref()),
        ];
        let values = ISSUE_FIELDS.iter().map(|field| {
            let (new, seen) = (edits.fields.values.get(field), self.values.get(field));
            (field.name, field.word, new, seen, now.values.get(field))
        });
        let mut fields = texts.into_iter().chain(values);
        let unseen =
            fields.find(|(_, _, new, seen, now)| new.zip(*seen).is_some() && seen != now && new != now);
        let Some((field, words, ..)) = unseen else { return Ok(()) };
        let what = format!("someone changed the {words} of `{}` while you edited it", stored.id);
        Err(Refusal::new(Code::ChangedMeanwhile, what)
            .at(field)
            .hint("merge their version into yours, and save again")
            .remedy(RemedyCall::new(Other::Show, [&stored.id]), "shows what they wrote"))
    }
}
