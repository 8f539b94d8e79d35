//! Queues, claims, and how an execution ends.

mod detail;
mod ends;
mod next;
mod queue;
