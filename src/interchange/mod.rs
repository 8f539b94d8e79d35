//! Imports and exports. A tracker is a file of its own: it reads a foreign record, purely, as an [`tracker::Arrival`].
//! Only `import` uses the store, and joins what any tracker says with what is here.

pub(crate) mod agent_files;
pub(crate) mod agent_trace;
pub(crate) mod beads;
pub(crate) mod ccw;
mod comment;
pub(crate) mod csv;
mod fields;
pub(crate) mod git_bug;
pub(crate) mod github;
pub(crate) mod import;
pub(crate) mod in_toto;
pub(crate) mod issue_form;
pub(crate) mod jsonl;
pub(crate) mod lines;
pub(crate) mod plan_tools;
mod report;
pub(crate) mod roadmap;
pub(crate) mod sarif;
pub(crate) mod selection;
pub(crate) mod table;
pub(crate) mod tidy_schema;
mod title;
pub(crate) mod tracker;
pub(crate) mod trackers;
pub(crate) mod work;

pub(crate) use report::{ImportReport, ImportedWork, KeptValue, LeftOutIssues, Noted, Skipped};
