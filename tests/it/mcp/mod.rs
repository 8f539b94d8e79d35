//! The server for agents: the real binary, and a client that knows only the protocol.

mod bounded;
mod cancelled;
mod cancelled_remote;
mod client;
mod directories;
mod hostile;
mod pass;
mod refusals;
mod remedies;
mod roles;
mod versions;
mod watched;

pub(super) use client::Client;
