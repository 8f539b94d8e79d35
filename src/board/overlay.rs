//! What can cover the lanes: the help, a menu, a form, or a note.

use super::act::Deed;
use super::editor::Editor;
use super::event::RefusedText;
use crate::model::PlanDigest;

#[derive(Debug)]
pub(super) enum Overlay {
    /// The help, with its first visible line.
    Help(usize),
    /// A list to choose from.
    Menu(Menu),
    /// Fields to fill in.
    Form(OverlayForm),
    /// A message.
    Note(OverlayNote),
}

impl Overlay {
    /// The state of a menu's or form's action.
    pub(super) fn sent(&mut self) -> Option<&mut Sent> {
        match self {
            Self::Menu(menu) => Some(&mut menu.sent),
            Self::Form(form) => Some(&mut form.sent),
            Self::Help(_) | Self::Note(_) => None,
        }
    }
}

/// The state of an action. Its menu or form stays open until it succeeds, so that no typed text is lost.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// Whether the answer is awaited.
    pub(super) is_awaited: bool,
    /// Why it was refused.
    pub(super) refusal: Option<RefusedText>,
}

/// A list to choose from.
#[derive(Debug)]
pub(super) struct Menu {
    pub(super) title: String,
    /// Each entry: its text, and what it does.
    pub(super) entries: Vec<(String, ChoiceOutcome)>,
    /// The index of the selected entry.
    pub(super) at: usize,
    /// The state of the last choice.
    pub(super) sent: Sent,
}

/// What a choice leads to.
#[derive(Debug, Clone)]
pub(super) enum ChoiceOutcome {
    /// Runs this action.
    Do(Deed),
    /// Opens a form first.
    Fill(Purpose),
    /// Offers the plans first.
    Plans(String, Choosing),
    /// Asks where to claim this issue.
    Claim(String),
}

/// Why a plan is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choosing {
    Bind,
    Review,
}

/// A plan in a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MenuPlan {
    pub(super) id: String,
    /// Its id, tasks, reviews and description, in one line.
    pub(super) words: String,
    pub(super) is_bound: bool,
    /// The version that was read.
    pub(super) digest: PlanDigest,
}

/// Fields to fill in.
#[derive(Debug)]
pub(super) struct OverlayForm {
    pub(super) title: String,
    /// The label and text of each field.
    pub(super) fields: Vec<(&'static str, Editor)>,
    /// The index of the selected field.
    pub(super) at: usize,
    /// What the answers are for.
    pub(super) purpose: Purpose,
    /// The state of the form's action.
    pub(super) sent: Sent,
}

/// What a form is for; the first string is the issue or plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Creating an issue.
    Create,
    /// Closing an issue, with a reason.
    Close(String),
    /// Reopening an issue, with a reason.
    Reopen(String),
    /// Assigning an issue; the second string prefills the name.
    Assign(String, String),
    /// Commenting on an issue.
    Comment(String),
    /// Reviewing a plan in the version that was read.
    Review(String, PlanDigest),
}

impl Purpose {
    /// The form to fill in.
    pub(super) fn form(self) -> OverlayForm {
        let line = |text: &str| Editor::new(text);
        let (title, fields) = match &self {
            Self::Create => (
                "new issue".to_owned(),
                vec![("title", line("")), ("description (Markdown)", Editor::long())],
            ),
            Self::Close(id) => (format!("close {id}"), vec![("why", Editor::long())]),
            Self::Reopen(id) => (format!("reopen {id}"), vec![("why", Editor::long())]),
            Self::Assign(id, who) => (format!("assign {id} to (empty: nobody)"), vec![("to", line(who))]),
            Self::Comment(id) => (format!("comment on {id} (Markdown)"), vec![("text", Editor::long())]),
            Self::Review(plan, _) => (
                format!("review {plan} (scores 0 to 100)"),
                vec![
                    ("technical", line("")),
                    ("risk (100: none)", line("")),
                    ("completeness", line("")),
                    ("verdict (default: from the total)", line("")),
                    ("findings, one per line", Editor::long()),
                ],
            ),
        };
        OverlayForm { title, fields, at: 0, purpose: self, sent: Sent::default() }
    }
}

/// A message to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OverlayNote {
    pub(super) title: String,
    pub(super) lines: Vec<String>,
    /// The index of the first visible line.
    pub(super) top: usize,
}

impl OverlayNote {
    /// A note, from its top.
    pub(super) fn new(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, top: 0 }
    }
}
