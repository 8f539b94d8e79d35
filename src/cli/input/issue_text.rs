//! What someone wrote about an issue in the editor, as fields.

use std::collections::BTreeSet;

use super::editor::above_the_help;
use crate::model::{Code, ISSUE_FIELDS, Issue, Other, RemedyCall};
use crate::ops::Refusal;
use crate::ops::issues::{MemberChange, NewFields};
use crate::rules::issue_text::{self, IssueText};

/// Help below the text.
pub(crate) const HELP: &str = "The first line below the fields is the title; the rest is the description, in Markdown.\n\
    priority: 1 to 5, or critical, high, medium, low, trivial   tags, depends_on: separated by commas\n\
    A field whose line you remove stays as it is; one that you leave empty is cleared.";

/// Reads what was written.
///
/// # Errors
/// `invalid-text`, with the line.
pub(crate) fn read(text: &str) -> Result<IssueText, Refusal> {
    issue_text::parse(text).map_err(|fault| {
        Refusal::new(Code::InvalidText, format!("the text cannot be read: {fault}"))
            .hint("fields go between two lines of `---`, one `name: value` per line")
            .remedy(RemedyCall::new(Other::Help, ["new"]), "describes the fields")
    })
}

/// `given`, with the fields that were written; `old` are the sets that they replace.
pub(crate) fn fields(given: &NewFields, written: &IssueText, old: &Sets) -> NewFields {
    let mut all = given.clone();
    let replace =
        |members: &mut Vec<MemberChange>, new: Option<&BTreeSet<String>>, old: &BTreeSet<String>| {
            let Some(new) = new else { return };
            *members = old.difference(new).cloned().map(MemberChange::Remove).collect();
            members.extend(new.difference(old).cloned().map(MemberChange::Add));
        };
    all.values = written.values.clone().or(&all.values);
    replace(&mut all.tags, written.tags.as_ref(), &old.tags);
    replace(&mut all.components, written.components.as_ref(), &old.components);
    replace(&mut all.depends_on, written.depends_on.as_ref(), &old.depends_on);
    all
}

/// An issue as it was stored, and as the editor showed it first, which has what the command line gave, too. Both are read as
/// the editor's text is, since that keeps no blanks at the ends of lines.
pub(crate) struct FirstShown(Vec<Option<IssueText>>);

impl FirstShown {
    /// Reads the texts that the editor would show. One that cannot be read is like none.
    pub(crate) fn new(issues: &[&Issue]) -> Self {
        Self(
            issues
                .iter()
                .map(|issue| issue_text::parse(&above_the_help(&issue_text::written(issue))).ok())
                .collect(),
        )
    }

    /// The title, the text and the fields, without whatever is as it was in both: nobody changed that.
    pub(crate) fn changed(&self, mut written: IssueText) -> (Option<String>, Option<String>, IssueText) {
        let title = self.differs(|first| first.title != written.title).then(|| written.title.clone());
        let text = self.differs(|first| first.text != written.text).then(|| written.text.clone());
        for field in &ISSUE_FIELDS {
            if !self.differs(|first| first.values.get(field) != written.values.get(field)) {
                written.values.forget(field);
            }
        }
        (title, text, written)
    }

    fn differs(&self, is_other: impl Fn(&IssueText) -> bool) -> bool {
        self.0.iter().any(|first| first.as_ref().is_none_or(&is_other))
    }
}

/// The sets of an issue before a change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sets {
    /// Its tags.
    pub(crate) tags: BTreeSet<String>,
    /// Its components.
    pub(crate) components: BTreeSet<String>,
    /// The issues that come first.
    pub(crate) depends_on: BTreeSet<String>,
}

impl Sets {
    /// The fields of a stored issue.
    pub(crate) fn new(issue: &Issue) -> Self {
        Self {
            tags: issue.tags.clone(),
            components: issue.affected_components.clone(),
            depends_on: issue.depends_on.iter().map(ToString::to_string).collect(),
        }
    }
}
