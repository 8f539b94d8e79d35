//! The data model of the format: ids, stamps, records, and how two versions of a record become one. Pure.

pub(crate) mod agent_session;
pub(crate) mod branch;
pub(crate) mod budget;
pub(crate) mod check_outcome;
pub(crate) mod code;
pub(crate) mod declare;
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
pub(crate) mod issue_field;
pub(crate) mod item_name;
pub(crate) mod json_text;
mod log_entry;
pub(crate) mod nearest;
pub(crate) mod notification;
pub(crate) mod op;
pub(crate) mod person;
pub(crate) mod plan;
pub(crate) mod plan_fields;
pub(crate) mod plan_json;
pub(crate) mod plan_schema;
pub(crate) mod priority;
pub(crate) mod proof;
pub(crate) mod provenance;
pub(crate) mod queue;
pub(crate) mod queue_conflict;
pub(crate) mod record;
pub(crate) mod redaction;
pub(crate) mod remedy;
pub(crate) mod repo_path;
pub(crate) mod review;
pub(crate) mod roadmap;
pub(crate) mod roadmap_log;
pub(crate) mod root;
pub(crate) mod run;
pub(crate) mod run_log;
pub(crate) mod run_question;
pub(crate) mod schema;
pub(crate) mod shell;
pub(crate) mod solution;
pub(crate) mod stamp;
pub(crate) mod status;
pub(crate) mod strict;
pub(crate) mod task_id;
pub(crate) mod test_count;
pub(crate) mod text_enum;
pub(crate) mod time;
pub(crate) mod typed;
pub(crate) mod uid;
mod unfit;
mod verbatim;
pub(crate) mod wisdom;
pub(crate) mod words;

pub(crate) use agent_session::{AgentSession, Caller, Cost, MadeBy, SessionProtocol, Usage};
pub(crate) use branch::Branch;
pub(crate) use budget::Budget;
pub(crate) use check_outcome::CheckOutcome;
pub(crate) use code::Code;
pub(crate) use digest::{PlanDigest, hex};
pub(crate) use doc::{Apart, Broken, Doc, Excess, RecordStep, SideValue, file_bytes};
pub(crate) use execution::{
    Aside, AsideReason, Check, CommitLink, End, Event, Execution, ExecutionResult, Failure, Land, LandHow,
    LinkedBy, LogEntry, Renew, Rewrite, Supersedes, Unlink,
};
pub(crate) use explain::Explain;
pub(crate) use exploration::{Depth, Exploration, Explored, Extent};
pub(crate) use fingerprint::Fingerprint;
pub(crate) use hash::{CommitHash, PatchId, TreeHash};
pub(crate) use hidden::exact;
pub(crate) use id::{EntryId, ExecutionId, IdError, IssueId, ItemId, QueueId, RoadmapId, RunId, SolutionId};
pub(crate) use issue::{
    AcceptanceType, Comment, CommitStrategy, ExtendedContext, Feedback, FeedbackDetail, FeedbackType, ISSUE,
    Issue, LifecycleRequirements, RELATIONS, RegressionScope, Source, Stage, StoredStatus, TestStrategy,
};
pub(crate) use issue_field::{FieldKey, FieldValues, ISSUE_FIELDS, IssueField, ToldFields, ValueKind};
pub(crate) use item_name::ItemName;
pub(crate) use nearest::nearest;
pub(crate) use notification::{Notification, NotificationKind};
pub(crate) use op::{Op, Operation, Other};
pub(crate) use person::Person;
pub(crate) use plan::{Plan, Task};
pub(crate) use plan_fields::{DoneWhen, Estimate, FileAction, PlaceList};
pub(crate) use plan_json::PlanJson;
pub(crate) use priority::Priority;
pub(crate) use proof::{BaseTests, FailsWithout, Proof, Vouch};
pub(crate) use provenance::{Provenance, ProvenanceSource};
pub(crate) use queue::{ITEM, Item, QUEUE, Queue, QueueDecision};
pub(crate) use queue_conflict::{ConflictType, QueueConflict, Resolution, Severity};
pub(crate) use record::{Entry, Once, OnceSchema, entry_at, entry_bytes};
pub(crate) use redaction::{ASIDE, REDACTED, Redaction};
pub(crate) use remedy::{Detail, Remedies, Remedy, RemedyCall};
pub(crate) use repo_path::{FoldedPaths, RepoPath};
pub(crate) use review::{Review, Score, Scores, Verdict};
pub(crate) use roadmap::{
    Convergence, Factors, ROADMAP, Risk, Roadmap, RoadmapChoice, RoadmapDocument, RoadmapMode,
};
pub(crate) use roadmap_log::{
    RoadmapApproval, RoadmapEvent, RoadmapFeedback, RoadmapLogEntry, RoadmapRevision,
};
pub(crate) use root::{Policy, Project, ROOT, Root};
pub(crate) use run::{CodeReview, ExecutionMethod, Run, RunAgents, RunLimits, RunMode, RunStep};
pub(crate) use run_log::{
    ActionDone, Breach, IssueReached, Limited, Order, OrderKind, PhaseReached, RunEvent, RunLogEntry,
    RunPhase, RunStatus, Setback, StepSpent, Unrecorded,
};
pub(crate) use run_question::{Asked, Choice, Decided};
pub(crate) use schema::{Births, FieldKind, Schema, Shape};
pub(crate) use shell::line::SimpleCommand;
pub(crate) use solution::{SOLUTION, Solution};
pub(crate) use stamp::{EpochStamp, Stamp, Stamper};
pub(crate) use status::{ExecutionStatus, IssueStatus, ItemStatus, QueueStatus, StatusChange};
pub(crate) use strict::JsonFault;
pub(crate) use task_id::TaskId;
pub(crate) use test_count::{NamedTest, TestCount, TestOutcome};
pub(crate) use text_enum::text_enum;
pub(crate) use time::Time;
pub(crate) use typed::Unread;
pub(crate) use uid::Uid;
pub(crate) use wisdom::{Learned, Wisdom, WisdomType};
pub(crate) use words::count;
