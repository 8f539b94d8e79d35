//! Claims, verification, and how an execution ends.

mod agent_readers;
mod agent_setup;
mod agents;
mod apart;
mod claims;
mod consent;
mod detail;
mod done_and_next;
mod drain;
mod ends;
mod few_calls;
mod fleet;
mod histories;
mod limits;
mod next;
mod options;
mod others;
mod prime;
mod remote;
mod result;
mod roles;
mod runs;
mod turnstile;
mod unfinished;
mod verify;
mod verify_in_hooks;
