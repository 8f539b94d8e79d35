//! The command line: help, manual, schemas, and what reaches stdout, stderr and a terminal.

mod answers;
mod ccw_words;
mod examples;
mod fields;
mod manual;
mod numbers;
mod one_verb;
mod output;
mod paging;
pub(crate) mod schema;
pub(crate) mod screens;
mod setup;
mod terminal;
mod texts;
mod tutorial;
mod warnings;
mod widths;
