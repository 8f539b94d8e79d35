//! Pure rules: what is allowed, and what is derived. No git, no files, no clock.

pub(crate) mod audit;
pub(crate) mod background;
pub(crate) mod bounded;
pub(crate) mod claim;
pub(crate) mod claim_order;
pub(crate) mod command_line;
pub(crate) mod complexity;
pub(crate) mod dag;
pub(crate) mod ending;
pub(crate) mod evidence;
pub(crate) mod exploration_depth;
pub(crate) mod explored;
pub(crate) mod facts;
pub(crate) mod failure_reason;
pub(crate) mod failures;
pub(crate) mod folder;
pub(crate) mod formation;
pub(crate) mod front_matter;
pub(crate) mod glob;
pub(crate) mod inline_tests;
pub(crate) mod issue_text;
pub(crate) mod junit;
pub(crate) mod landed;
pub(crate) mod lease;
pub(crate) mod limits;
pub(crate) mod made_by;
pub(crate) mod missing_module;
pub(crate) mod next_steps;
pub(crate) mod overlap;
pub(crate) mod plan_check;
pub(crate) mod plan_text;
pub(crate) mod policy;
pub(crate) mod prime;
pub(crate) mod quality;
pub(crate) mod queue_conflicts;
pub(crate) mod readiness;
pub(crate) mod record_diff;
pub(crate) mod related;
pub(crate) mod replan;
pub(crate) mod reply_task;
pub(crate) mod review;
pub(crate) mod roadmap;
pub(crate) mod roles;
pub(crate) mod run;
pub(crate) mod shown;
pub(crate) mod sort_key;
pub(crate) mod task_edit;
pub(crate) mod test_changes;
pub(crate) mod test_count;
pub(crate) mod test_files;
pub(crate) mod test_settings;
pub(crate) mod text_diff;
pub(crate) mod toward;
pub(crate) mod transitions;
pub(crate) mod unbegun;
pub(crate) mod undoing;
pub(crate) mod vague;
pub(crate) mod why_lost;
pub(crate) mod wisdom;
pub(crate) mod yaml;

#[cfg(test)]
pub(crate) mod test_claim;
#[cfg(test)]
mod tests;

pub(crate) use audit::{AuditFinding, AuditSeverity, Carried, FileEffect, UnknownChange};
pub(crate) use background::{Background, BackgroundReader, IssueContext};
pub(crate) use bounded::{Cut, Omission};
pub(crate) use claim::Claim;
pub(crate) use command_line::CommandLine;
pub(crate) use complexity::Complexity;
pub(crate) use ending::Ending;
pub(crate) use evidence::PlanReview;
pub(crate) use explored::ExplorationContext;
pub(crate) use facts::{AbsentWork, Holder, IssueFacts, PlanFacts, Undecided, WorkPlace};
pub(crate) use folder::{
    ExecutionFolder, IssueFolder, LinkedCommit, QueueFolder, QueuedItem, Recorded, RoadmapFolder, RunFolder,
    StandingComment,
};
pub(crate) use glob::Glob;
pub(crate) use issue_text::IssueTemplate;
pub(crate) use landed::{Landed, LandedState, LandingProof};
pub(crate) use overlap::{ByPath, Overlap, SharedFile};
pub(crate) use plan_check::{CheckReport, PlanFinding, PlanSetting, Rule};
pub(crate) use plan_text::TextFault;
pub(crate) use policy::{Gate, GateValue};
pub(crate) use prime::{Means, TokenBudget, Waiting};
pub(crate) use quality::{Quality, QualityPart};
pub(crate) use queue_conflicts::{Clarification, ConflictView, EffectiveConflict};
pub(crate) use readiness::{Blocker, DependencyCycle, Facts, InOrder, ItemView, OrderReason, QueueView};
pub(crate) use record_diff::FieldChange;
pub(crate) use related::{RelationCycle, Relations};
pub(crate) use reply_task::Discussion;
pub(crate) use review::{CombinedReview, Reviewer};
pub(crate) use roadmap::{Assessed, Item, Outdated, Round, RoundStatus, Status, Unchosen};
pub(crate) use roles::Role;
pub(crate) use run::{
    Bounds, Counts, LimitWait, Need, QualityGate, RunIssueState, RunProgress, RunReport, StuckReason,
};
pub(crate) use shown::IssueDerived;
pub(crate) use task_edit::TaskEdit;
pub(crate) use test_changes::is_prose;
pub(crate) use test_count::CountedTests;
pub(crate) use test_files::{FileRole, TestFiles};
pub(crate) use transitions::By;
pub(crate) use undoing::Undoing;
pub(crate) use why_lost::WhyLost;
pub(crate) use wisdom::WisdomContext;
pub(crate) use yaml::Node;
