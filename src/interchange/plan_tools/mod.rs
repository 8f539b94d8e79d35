//! Tools that keep plans in files of the work tree. Each of them is a file of its own, with two halves: one finds what
//! belongs to a plan in a directory, and puts the files, as they are, into a record; the other one turns such a record into
//! an issue with its plan, purely. The record stays in `imported`, so nothing that has no field here is lost.

pub(crate) mod backlog;
mod boxes;
mod claimed;
mod criteria;
mod draft;
mod files;
pub(crate) mod gsd;
pub(crate) mod openspec;
mod record;
mod reused_names;
mod sections;
pub(crate) mod spec_kit;
mod task_list;
pub(crate) mod task_master;
pub(crate) mod written;

use std::path::Path;

pub(crate) use claimed::ClaimedTask;
pub(crate) use draft::plan_id;
pub(crate) use files::{BYTE_ORDER_MARK, PlanFiles, modified, whole_text_of};
pub(crate) use reused_names::ReusedNames;

use super::lines::Unreadable;
use super::tracker::Tracker;
use crate::model::Op;

/// A tool whose plans can be imported.
pub(crate) struct PlanTool {
    /// What its records mean.
    pub(crate) tracker: &'static Tracker,
    /// As what an import is recorded.
    pub(crate) op: Op,
    /// Finds its plans below a directory, which is that of the tool or that of the project; `None` if there are none.
    pub(crate) open: fn(&Path) -> Result<Option<PlanFiles>, Unreadable>,
    /// How plans of one name are told apart, if the tool gives names out again.
    pub(crate) reused_names: Option<&'static ReusedNames>,
}
