//! Plans: storing them, choosing one, changing and reviewing it.

mod add;
mod added;
mod bind;
mod check;
mod handed;
mod judgement;
mod named;
mod permit;
mod reply;
mod review;
mod show;
mod tasks;
mod unbind;
mod versions;
mod view;

pub(crate) use add::{Add, add};
pub(crate) use added::Added;
pub(crate) use bind::{Bind, bind, bind_in, in_words};
pub(crate) use check::{Check, CheckedAnswer, CheckedPlan, Checking, check, check_alone};
pub(crate) use handed::{Handed, read};
pub(crate) use judgement::{Judgement, ReviewInput};
pub(crate) use named::{plan_named, plan_of_issue};
pub(crate) use permit::permit_queue;
pub(crate) use review::{Reviewed, review};
pub(crate) use show::{list, view, view_in};
pub(crate) use tasks::{ChangedTask, Tasks, add_task, edit_task, tasks};
pub(crate) use unbind::{Unbind, unbind};
pub(crate) use versions::{Diff, PlanDiff, diff, show};
pub(crate) use view::SolutionView;
