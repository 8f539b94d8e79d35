//! Tests of the source text as a whole.

mod layers;
pub(crate) mod remedies;
