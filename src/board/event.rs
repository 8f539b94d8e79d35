//! Events that the board handles, and effects that it requests.

use super::act::Deed;
use super::overlay::{Choosing, MenuPlan};
use super::page::IssuePage;
use super::read::ReadRequest;
use crate::ops::issues::LanesView;
use crate::ui::{Input, StyledLine};

/// Input, or an answer to a request.
#[derive(Debug)]
pub(super) enum BoardEvent {
    /// A key, a paste, the mouse, or a new terminal size.
    Input(Input),
    /// The store may have changed, through this board or elsewhere.
    Moved,
    /// The lanes, with the number of the request.
    Lanes(u64, Result<LanesView, RefusedText>),
    /// A page, with the number of the request.
    Page(u64, Result<Vec<StyledLine>, RefusedText>),
    /// The plans of an issue, for a menu.
    Plans(String, Choosing, Result<Vec<MenuPlan>, RefusedText>),
    /// Progress of a long read: the activity, how much is done, and the total if known.
    Progress(&'static str, u64, Option<u64>),
    /// The outcome of an action.
    Done(Deed, Result<Answered, RefusedText>),
    /// The text of the selected field, as it was saved in the user's editor.
    Edited(Result<String, RefusedText>),
}

/// What the board asks the program to do.
#[allow(clippy::large_enum_variant)] // Only a few exist at a time.
#[derive(Debug)]
pub(super) enum BoardEffect {
    /// Read something.
    Read(ReadRequest),
    /// Change something.
    Act(Deed),
    /// Open the user's editor on this text.
    Edit(String),
    /// Redraw the whole screen.
    Redraw,
    /// Suspend the process until the shell continues it.
    Suspend,
    /// End the program.
    Quit,
}

/// The report of a successful operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    /// The issue that was changed or created.
    pub(super) issue: String,
    /// What happened, in one line.
    pub(super) message: String,
    /// Notices, each with its remedies.
    pub(super) notices: Vec<String>,
}

/// A refusal as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefusedText {
    /// What is wrong.
    pub(super) message: String,
    /// Candidates, findings or notices.
    pub(super) details: Vec<String>,
    /// What to do about it.
    pub(super) hint: Option<String>,
}

impl RefusedText {
    /// A refusal by the board itself.
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), details: vec![], hint: Some(hint.into()) }
    }

    /// The message, the indented details, and the hint.
    pub(super) fn lines(&self) -> Vec<String> {
        let hint = self.hint.iter().map(|hint| format!("hint: {hint}"));
        let details = self.details.iter().map(|detail| format!("  {detail}"));
        [self.message.clone()].into_iter().chain(details).chain(hint).collect()
    }
}

/// A page to render.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedPage {
    pub(super) issue: String,
    pub(super) page: IssuePage,
    /// The width to wrap at.
    pub(super) columns: usize,
}
