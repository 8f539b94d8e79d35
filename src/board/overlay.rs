//! What is in front of the lanes: help, a menu, a form, or something to read.

use super::act::Deed;
use super::editor::Editor;
use super::event::Refused;
use crate::model::digest::PlanDigest;

/// One of them.
#[derive(Debug)]
pub(super) enum Overlay {
    /// The keys, from this line on.
    Help(usize),
    /// Something to choose.
    Menu(Menu),
    /// Something to fill in.
    Form(Form),
    /// Something to read.
    Note(Note),
}

impl Overlay {
    /// What became of a menu or a form.
    pub(super) fn sent(&mut self) -> Option<&mut Sent> {
        match self {
            Self::Menu(menu) => Some(&mut menu.sent),
            Self::Form(form) => Some(&mut form.sent),
            Self::Help(_) | Self::Note(_) => None,
        }
    }
}

/// What became of a menu or a form. It stays until it succeeds, so that what was typed is still there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// Whether its answer is awaited.
    pub(super) is_awaited: bool,
    /// Why it was refused.
    pub(super) refusal: Option<Refused>,
}

/// A list of which one is chosen.
#[derive(Debug)]
pub(super) struct Menu {
    /// What it is about.
    pub(super) title: String,
    /// What can be chosen.
    pub(super) entries: Vec<(String, Choice)>,
    /// The entry of the cursor.
    pub(super) at: usize,
    /// What became of the last choice.
    pub(super) sent: Sent,
}

/// What a choice leads to.
#[derive(Debug, Clone)]
pub(super) enum Choice {
    /// It is done.
    Do(Deed),
    /// It needs an answer first.
    Fill(Purpose),
    /// One of the plans of an issue is chosen first.
    Plans(String, Choosing),
    /// It is confirmed first.
    Claim(String),
}

/// What a plan is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choosing {
    /// To bind it.
    Bind,
    /// To review it.
    Review,
}

/// A plan that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// Its id.
    pub(super) id: String,
    /// What it says about itself, in one line.
    pub(super) words: String,
    /// Whether it is bound.
    pub(super) is_bound: bool,
    /// Which version was read.
    pub(super) digest: PlanDigest,
}

/// Fields to fill in.
#[derive(Debug)]
pub(super) struct Form {
    /// What it is about.
    pub(super) title: String,
    /// Each field: its name, and what is typed.
    pub(super) fields: Vec<(&'static str, Editor)>,
    /// The field of the cursor.
    pub(super) at: usize,
    /// What it is for.
    pub(super) purpose: Purpose,
    /// What became of it.
    pub(super) sent: Sent,
}

/// What a form is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Why an issue is closed.
    Close(String),
    /// Why it is reopened.
    Reopen(String),
    /// Who sees to it, and who does now.
    Assign(String, String),
    /// A comment on it.
    Comment(String),
    /// A review of a plan in the version that was read.
    Review(String, PlanDigest),
}

impl Purpose {
    /// The form.
    pub(super) fn form(self) -> Form {
        let line = |text: &str| Editor::new(text);
        let (title, fields) = match &self {
            Self::Close(id) => (format!("close {id}"), vec![("why", Editor::long())]),
            Self::Reopen(id) => (format!("reopen {id}"), vec![("why", Editor::long())]),
            Self::Assign(id, who) => (format!("assign {id} (empty: to nobody)"), vec![("to", line(who))]),
            Self::Comment(id) => (format!("comment on {id} (Markdown)"), vec![("text", Editor::long())]),
            Self::Review(plan, _) => (
                format!("review {plan} (scores 0 to 100)"),
                vec![
                    ("technical", line("")),
                    ("risk (100: none)", line("")),
                    ("completeness", line("")),
                    ("verdict (or by the total)", line("")),
                    ("findings, one a line", Editor::long()),
                ],
            ),
        };
        Form { title, fields, at: 0, purpose: self, sent: Sent::default() }
    }
}

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// What it is about.
    pub(super) title: String,
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// The first line that is shown.
    pub(super) top: usize,
}

impl Note {
    /// A note from its begin.
    pub(super) fn new(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, top: 0 }
    }
}
