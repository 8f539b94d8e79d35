//! The data model of the format: ids, stamps, records, and how two versions of a record become one. Pure.

pub(crate) mod agent_session;
mod declare;
pub(crate) mod digest;
pub(crate) mod doc;
pub(crate) mod execution;
mod explain;
pub(crate) mod exploration;
pub(crate) mod fingerprint;
#[cfg(test)]
pub(crate) mod fixtures;
pub(crate) mod hash;
pub(crate) mod hidden;
pub(crate) mod id;
pub(crate) mod issue;
mod log_entry;
pub(crate) mod op;
pub(crate) mod plan;
pub(crate) mod plan_fields;
pub(crate) mod plan_schema;
pub(crate) mod priority;
pub(crate) mod queue;
pub(crate) mod queue_conflict;
pub(crate) mod record;
pub(crate) mod redaction;
pub(crate) mod remedy;
pub(crate) mod repo_path;
pub(crate) mod review;
pub(crate) mod root;
pub(crate) mod run;
pub(crate) mod run_log;
pub(crate) mod schema;
pub(crate) mod shell;
pub(crate) mod solution;
pub(crate) mod stamp;
pub(crate) mod status;
pub(crate) mod strict;
mod text_enum;
pub(crate) mod time;
pub(crate) mod typed;
pub(crate) mod uid;
pub(crate) mod wisdom;
pub(crate) mod words;

pub(crate) use explain::Explain;
pub(crate) use text_enum::text_enum;
