//! The ids of tasks.

use super::verbatim::verbatim;

verbatim!(
    /// A task of a plan: `T1`, `T2`, … Plans with other ids are refused when they are added, but records may name
    /// any.
    TaskId
);
