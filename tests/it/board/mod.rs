//! The board: the binary runs on a pseudoterminal, and the screen is read as a person would.

mod acts;
mod leaving;
mod seat;
mod seen;
mod tmux;
