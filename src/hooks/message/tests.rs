#![allow(clippy::unwrap_used)]

mod cleanup;
mod commit;
mod placement;
mod trailers;
