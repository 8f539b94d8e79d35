//! The trail: from plans to commits and back.

mod audit;
mod diff;
mod link;
mod log;
mod origins;
mod patch;
mod record_commit;
mod record_rewrite;
mod record_split;
mod relink;
mod trace;
mod trace_view;
mod unlink;
mod why;

pub(crate) use audit::{
    Audit, AuditedCommit, LinkingExecution, Signatures, audit, audited, sarif, scan, signatures,
};
pub(crate) use diff::{Sides, StoreDiff, diff};
pub(crate) use link::{LinkCommits, LinkView, in_plan, link};
pub(crate) use log::{LogInput, log};
pub(crate) use origins::{Origin, OriginFinder};
pub(crate) use patch::{IssuePatches, patches};
pub(crate) use record_commit::{NOTICE_OUTSIDE, RecordCommit, UnexpectedLink, record_commit};
pub(crate) use record_rewrite::{RecordRewrite, RewriteKind, record_rewrite, unlinking};
pub(crate) use record_split::record_split;
pub(crate) use relink::{Relink, Relinked, relink};
pub(crate) use trace::{own, trace};
pub(crate) use trace_view::{TraceView, TracedCommit, TracedIssue};
pub(crate) use unlink::unlink;
pub(crate) use why::{AskedLines, Explained, Why, why};
