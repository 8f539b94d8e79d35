//! Queues, claims, and how an execution ends.

mod claims;
mod detail;
mod done_and_next;
mod drain;
mod ends;
mod histories;
mod next;
mod options;
mod others;
mod queue;
mod remote;
mod result;
mod unfinished;
