//! What several commands read from their arguments, from files and from editors.

pub(super) mod issue_fields;
pub(super) mod list_filter;
pub(super) mod text;

/// A role by its name, or another name for it.
pub(in crate::cli) fn parse_role(text: &str) -> Result<crate::rules::roles::Role, String> {
    use crate::rules::roles::Role;
    Role::named(text).ok_or_else(|| format!("expected one of {}", Role::words()))
}
