//! The index follows the ref, and can always be deleted.

mod freshness;
mod places;
mod portions;
