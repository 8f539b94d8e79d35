//! What each git hook does, and how hooks are installed and taken away again.

pub(crate) mod install;
pub(crate) mod message;

#[cfg(test)]
mod test_repo;
