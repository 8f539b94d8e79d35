//! Queues, claims, and how an execution ends.

mod claims;
mod detail;
mod ends;
mod next;
mod queue;
