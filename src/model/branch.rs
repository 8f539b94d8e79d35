//! Names of branches.

/// Where git keeps branches.
pub(crate) const HEADS: &str = "refs/heads/";

/// The name as git shows it: `main` of `refs/heads/main`. Any other name stays.
pub(crate) fn short(name: &str) -> &str {
    name.strip_prefix(HEADS).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_a_full_name_gets_shorter() {
        let shown = |name| super::short(name);
        assert_eq!(shown("refs/heads/wf/SOL-1"), "wf/SOL-1");
        assert_eq!(shown("refs/tags/v1"), "refs/tags/v1");
        assert_eq!(shown("refs/heads/refs/heads/x"), "refs/heads/x");
    }
}
