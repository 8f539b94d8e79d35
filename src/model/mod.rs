//! The format's words: ids, stamps, records and how two versions of a record become one. Pure.

mod explain;

pub(crate) use explain::Explain;
