//! What front ends show. A view becomes one [`Page`]: blocks in the order in which people read them. Three renderers show it:
//! [`terminal`], [`html`] and [`markdown`]. So each says the same words in the same order.

pub(crate) mod audit;
mod block;
pub(crate) mod execution;
pub(crate) mod home;
pub(crate) mod html;
mod html_place;
pub(crate) mod issue;
mod line;
pub(crate) mod looks;
pub(crate) mod markdown;
pub(crate) mod plan;
pub(crate) mod remedy;
mod review;
pub(crate) mod roadmap;
pub(crate) mod run_report;
pub(crate) mod terminal;
pub(crate) mod trace;
pub(crate) mod words;

pub(crate) use block::{
    Block, Column, Diagram, Drawing, Entry, EntryForm, Field, List, Page, PerPage, Row, Section, Table, Text,
    Value,
};
pub(crate) use line::{
    Line, Span, Target, commit, id, line, message, named, person, priority, record, state, styled,
};

#[cfg(test)]
mod tests;
