//! What is generated from the commands and committed.

mod generated;
