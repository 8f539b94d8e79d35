//! What several commands read from their arguments, from files and from editors.

pub(super) mod issue_fields;
pub(super) mod list_filter;
pub(super) mod text;
