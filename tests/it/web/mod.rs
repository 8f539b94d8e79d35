//! The pages for browsers: the real server over real HTTP, and the export.

mod access;
mod browser;
mod events;
mod export;
mod forms;
mod hostile;
mod links;
mod long;
mod pages;
mod printed;
mod queues;
mod refusals;
mod runs;
mod saved;
mod slow;

pub(super) use browser::{Page, Served};
