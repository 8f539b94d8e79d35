#![allow(clippy::unwrap_used)]

mod cleanup;
mod commit;
mod trailers;
