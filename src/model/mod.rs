//! The format's words: ids, stamps, records and how two versions of a record become one. Pure.

pub(crate) mod doc;
mod explain;
pub(crate) mod id;
pub(crate) mod schema;
pub(crate) mod stamp;
pub(crate) mod time;
pub(crate) mod uid;

pub(crate) use explain::Explain;
