//! Pure rules: what is allowed, and what is derived. No git, no files, no clock.

pub(crate) mod agent_files;
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
pub(crate) mod failures;
pub(crate) mod folder;
pub(crate) mod formation;
pub(crate) mod front_matter;
pub(crate) mod issue_form;
pub(crate) mod issue_text;
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
pub(crate) mod replan;
pub(crate) mod reply_task;
pub(crate) mod review;
pub(crate) mod roadmap;
pub(crate) mod roles;
pub(crate) mod run;
pub(crate) mod shown;
pub(crate) mod sort_key;
pub(crate) mod task_edit;
pub(crate) mod test_count;
pub(crate) mod tidy_schema;
pub(crate) mod toward;
pub(crate) mod transitions;
pub(crate) mod unbegun;
pub(crate) mod undoing;
pub(crate) mod vague;
pub(crate) mod why_lost;
pub(crate) mod wisdom;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod test_claim;
