//! Whether completed work is on the branch on which it lands.

pub(crate) mod target;
