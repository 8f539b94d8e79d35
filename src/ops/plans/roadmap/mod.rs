//! Roadmaps: a requirement split into layers or tasks, of which each is an issue.
//!
//! `roadmap add` checks a document (`rules/roadmap/check.rs`), and hands its layers or tasks to the importer as records
//! of a source (`interchange/roadmap.rs`), so that adding it again is a second import: only what the document changed
//! since is applied, field by field. The id of each issue follows from those of the roadmap and of its layer or task, so
//! two clones that add the same document make the same issues. `roadmap plan` asks an agent outside of a run
//! (`ops/work/apart.rs`), with the same worktree, guard and second attempt as agents of a run (`ops/work/asking.rs`). The
//! output of `roadmap show` is derived from the document, the log of the roadmap (`rules/roadmap/status.rs`), and the
//! current issues. Parts of a document that are as in an earlier version undo nothing (`rules/roadmap/outdated.rs`).

mod add;
mod assess;
mod find;
mod items;
mod newest;
mod next;
mod plan;
mod planner;
mod revise;
mod show;
mod view;

pub(crate) use add::{AddRoadmap, RoadmapAdded, add};
pub(crate) use assess::{Assess, assess};
pub(crate) use find::{meant, read};
pub(crate) use next::{HandOver, next};
pub(crate) use plan::{PlanRoadmap, Replan, named_planner, plan, replan};
pub(crate) use planner::RoadmapInput;
pub(crate) use revise::{Revise, revise};
pub(crate) use show::{list, show, view};
pub(crate) use view::{RoadmapIssue, RoadmapSummary, RoadmapView, WaveView};
