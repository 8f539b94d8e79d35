//! The ref: what git sees of it, what it keeps, where it works, and how it is repaired, exported and indexed.

mod bulk;
mod commits;
mod concurrency;
mod crash;
mod export;
mod export_csv;
mod export_joined;
mod export_trail;
mod format;
mod fsck;
mod git_rules;
mod gone;
mod import;
mod index;
mod init;
mod maintenance;
mod orphans;
mod places;
mod purge;
mod purge_apart;
mod redact;
mod redact_copies;
mod refusals;
mod renamed;
mod screens;
mod undo;
