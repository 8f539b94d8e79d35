//! The ids of tasks.

use super::verbatim::verbatim;

/// `T1, T2`; `None` if there are none.
pub(crate) fn listed<'a>(tasks: impl IntoIterator<Item = &'a TaskId>) -> Option<String> {
    let tasks: Vec<&str> = tasks.into_iter().map(TaskId::as_str).collect();
    (!tasks.is_empty()).then(|| tasks.join(", "))
}

verbatim!(
    /// A task of a plan: `T1`, `T2`, … Plans with other ids are refused when they are added, but records may name
    /// any.
    TaskId
);
