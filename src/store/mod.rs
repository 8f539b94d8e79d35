//! The ref: layout, snapshots, transactions, the merge of trees. Knows git, knows no command.

pub(crate) mod git;
