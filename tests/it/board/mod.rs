//! The board: the binary on a terminal of its own, whose screen is read as a person would.

mod acts;
mod leaving;
mod seat;
mod seen;
