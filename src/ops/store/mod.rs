//! The store itself: creating, configuring, checking, exporting and importing it.

mod copies;
mod export;
mod export_agent_trace;
mod export_ccw;
mod export_in_toto;
mod export_progress;
mod fsck;
mod github;
mod github_sync;
mod hooks;
mod ids;
mod import;
mod import_git_bug;
mod import_plans;
mod import_roles;
mod init;
mod policy;
mod project;
mod purge;
mod redact;
mod reindex;
mod test_results;
mod undo;

pub(crate) use super::plan_progress::WrittenPlan;
pub(crate) use export::{ExportedTable, TrackerExport, export, export_beads, export_csv};
pub(crate) use export_agent_trace::{WrittenTraces, export_agent_trace};
pub(crate) use export_ccw::{CcwExport, CcwStore, export_ccw};
pub(crate) use export_in_toto::{export_in_toto, sign};
pub(crate) use export_progress::{ExportProgress, WrittenPlans, export_progress};
pub(crate) use fsck::{FsckFinding, FsckSeverity, Repaired, fsck, repair};
pub(crate) use github::{
    GithubComment, GithubReply, GithubSource, ImportFromGithub, comment_for_github, import_github,
};
pub(crate) use github_sync::{GithubSync, SyncGithub, SyncedIssue, is_roadmap, sync_github};
pub(crate) use hooks::{
    HookChange, HookLines, HookManager, HookSide, HookState, InstallHooks, InstalledHook, discard_hooks,
    hook_lines, hooks, install_hooks, missing_hook_lines, uninstall_hooks,
};
pub(crate) use ids::{CompleteId, IdKind, KnownId, ids};
pub(crate) use import::{Export, Import, Selected, import, import_jsonl, line};
pub(crate) use import_git_bug::{ImportFromGitBug, import_git_bug};
pub(crate) use import_plans::settle_names;
pub(crate) use init::{Init, Initialised, init};
pub(crate) use policy::{Gates, Settings, set_policy, settings};
pub(crate) use project::{ProjectField, SetProject, set_project};
pub(crate) use purge::{Purge, Remote, purge};
pub(crate) use redact::{Redact, redact};
pub(crate) use reindex::{Reindexed, reindex};
pub(crate) use test_results::{
    ComparedStatement, ComparedStatements, StatementFile, compare_statements, export_test_results,
};
pub(crate) use undo::{KeptField, Restored, Undone, undo};
