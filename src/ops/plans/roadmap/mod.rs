//! Roadmaps: a requirement split into layers or tasks, of which each is an issue.

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
pub(crate) use assess::{assess, assessment};
pub(crate) use find::read;
pub(crate) use next::{HandOver, next};
pub(crate) use plan::{PlanRoadmap, plan, replan};
pub(crate) use planner::RoadmapInput;
pub(crate) use revise::{Revise, revise};
pub(crate) use show::{list, show, view};
pub(crate) use view::{RoadmapIssue, RoadmapSummary, RoadmapView, WaveView};
