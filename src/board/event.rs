//! What happens to the board, and what it asks for.

use super::act::Deed;
use super::overlay::{Choosing, Plan};
use super::page::Page;
use super::read::Asked;
use crate::ops::issues::LanesView;
use crate::ui::captured::Line;
use crate::ui::fullscreen::Input;

/// Something that happened.
#[derive(Debug)]
pub(super) enum Event {
    /// Someone did something at the terminal.
    Input(Input),
    /// The store may have changed, by this board or by others.
    Moved,
    /// Lanes that were asked for with this number.
    Lanes(u64, Result<LanesView, Refused>),
    /// A page that was asked for with this number.
    Page(u64, Result<Vec<Line>, Refused>),
    /// The plans of an issue, to choose one.
    Plans(String, Choosing, Result<Vec<Plan>, Refused>),
    /// How far long work is.
    Progress(&'static str, u64, Option<u64>),
    /// What came of a deed.
    Done(Deed, Result<Told, Refused>),
}

/// What the board asks for.
#[allow(clippy::large_enum_variant)] // Only a few exist at a time.
#[derive(Debug)]
pub(super) enum Effect {
    /// Read something.
    Read(Asked),
    /// Change something.
    Act(Deed),
    /// Draw everything.
    Redraw,
    /// Stop until the shell continues the process.
    Suspend,
    /// Leave.
    Quit,
}

/// What an operation says that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    /// What happened, in one line.
    pub(super) message: String,
    /// What else is worth knowing.
    pub(super) notices: Vec<String>,
}

/// A refusal in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    /// What is wrong.
    pub(super) message: String,
    /// Candidates or findings.
    pub(super) details: Vec<String>,
    /// What to do about it.
    pub(super) hint: Option<String>,
}

impl Refused {
    /// A refusal of the board itself.
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), details: vec![], hint: Some(hint.into()) }
    }

    /// Its lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let hint = self.hint.iter().map(|hint| format!("hint: {hint}"));
        let details = self.details.iter().map(|detail| format!("  {detail}"));
        [self.message.clone()].into_iter().chain(details).chain(hint).collect()
    }
}

/// What a page is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The issue.
    pub(super) issue: String,
    /// Which page.
    pub(super) page: Page,
    /// How wide it is.
    pub(super) columns: usize,
}
