//! Plans: adding, checking, binding them.

mod add;
mod bind;
mod check;
