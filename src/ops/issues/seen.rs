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
            values: FieldValues::from_issue(issue),
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
        let values = ISSUE_FIELDS.iter().map(|field| EditedField {
            name: field.name,
            words: field.word,
            new: edits.fields.values.get(field),
            seen: self.values.get(field),
            now: now.values.get(field),
        });
        let title = EditedField {
            name: "title",
            words: "title",
            new: edits.title.as_deref(),
            seen: self.title.as_deref(),
            now: now.title.as_deref(),
        };
        let text = EditedField {
            name: "text",
            words: "description",
            new: edits.text.as_deref(),
            seen: self.text.as_deref(),
            now: now.text.as_deref(),
        };
        let mut fields = [title, text].into_iter().chain(values);
        let Some(field) = fields.find(EditedField::replaces_unseen) else { return Ok(()) };
        let what = format!("someone changed the {} of `{}` while you edited it", field.words, stored.id);
        Err(Refusal::new(Code::ChangedMeanwhile, what)
            .at(field.name)
            .hint("merge their version into yours, and save again")
            .remedy(RemedyCall::new(Other::Show, [&stored.id]), "shows what they wrote"))
    }
}

/// A field of an edited issue.
struct EditedField<'a> {
    name: &'static str,
    /// What it is called in messages.
    words: &'static str,
    /// The value of the edit; `None` if it does not change the field.
    new: Option<&'a str>,
    /// The value that was shown.
    seen: Option<&'a str>,
    /// The value now.
    now: Option<&'a str>,
}

impl EditedField<'_> {
    /// Whether the edit replaces a value that was not seen by another one.
    fn replaces_unseen(&self) -> bool {
        self.new.is_some() && self.seen.is_some() && self.seen != self.now && self.new != self.now
    }
}
