//! Plans: storing them, choosing one, changing and reviewing it.

mod bind;
mod named;
mod permit;
mod show;
mod unbind;
mod view;

pub(crate) use bind::{Bind, bind, bind_in, in_words};
pub(crate) use named::{plan_named, plan_of_issue};
pub(crate) use permit::permit_queue;
pub(crate) use show::{list, view, view_in};
pub(crate) use unbind::{Unbind, unbind};
pub(crate) use view::SolutionView;
