//! The real binary against real git, in temporary folders.
