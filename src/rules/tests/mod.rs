//! Laws that several rules keep together.

mod laws;
