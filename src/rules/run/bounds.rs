//! What an agent of a run may do with git: where it may commit, and which files it may delete.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::{Branch, CommitHash, FoldedPaths, RepoPath};
use crate::rules::Role;

/// The bounds of one agent in one step. The hooks of its step read them from a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bounds {
    /// Its role.
    pub(crate) role: Role,
    /// The only branch on which it commits; `None` if it only reads.
    pub(crate) branch: Option<Branch>,
    /// The commit at which its work begins.
    pub(crate) base: CommitHash,
    /// The paths that its plan names.
    pub(crate) named: BTreeSet<String>,
}

impl Bounds {
    /// Why the agent may not commit on what is checked out; `None` if it may.
    pub(crate) fn refuses_commit_on(&self, checked_out: Option<&Branch>) -> Option<String> {
        let role = self.role.with_article();
        match &self.branch {
            None => Some(format!("{role} only reads, and does not commit")),
            Some(own) if checked_out == Some(own) => None,
            Some(own) => Some(format!("{role} commits only on the branch `{own}`")),
        }
    }

    /// The deleted files among these that the plan does not name.
    pub(crate) fn unplanned<'p>(&self, deleted: impl IntoIterator<Item = &'p str>) -> Vec<&'p str> {
        let named: FoldedPaths = self.named.iter().filter_map(|path| RepoPath::parse(path).ok()).collect();
        deleted.into_iter().filter(|path| !named.holds(path)).collect()
    }

    /// Why the agent may not push.
    pub(crate) fn refuses_push(&self) -> String {
        format!(
            "{} does not push: the person who started the run decides what is published",
            self.role.with_article()
        )
    }
}

/// The refusal to delete files that no task names.
pub(crate) fn unplanned_words(files: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = files.iter().take(SHOWN).map(|file| format!("`{file}`")).collect();
    let more = match files.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!("no task of the plan names {}{more}, so it must not be deleted", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(role: Role, branch: Option<&str>) -> Bounds {
        Bounds {
            role,
            branch: branch.and_then(Branch::parse),
            base: CommitHash::parse(&"a".repeat(40)).unwrap(),
            named: ["src/old.rs", "docs"].map(str::to_owned).into(),
        }
    }

    #[test]
    fn whoever_reads_commits_and_pushes_nothing() {
        let planner = bounds(Role::Planner, None);
        assert!(planner.refuses_commit_on(None).is_some() && planner.refuses_push().starts_with("a planner"));
        assert!(bounds(Role::Explorer, None).refuses_push().starts_with("an explorer does not push"));
    }

    #[test]
    fn only_files_that_the_plan_names_are_deleted() {
        let executor = bounds(Role::Executor, Some("refs/heads/wf/SOL-1"));
        let deleted = ["src/old.rs", "docs/a/b.md", "src/other.rs", "docs2"];
        assert_eq!(executor.unplanned(deleted), ["src/other.rs", "docs2"]);
        assert_eq!(executor.refuses_commit_on(Branch::of_short("wf/SOL-1").as_ref()), None);
        assert!(executor.refuses_commit_on(Branch::of_short("main").as_ref()).is_some());
        assert!(executor.refuses_commit_on(None).is_some());
        assert!(unplanned_words(&["a"; 7]).contains("and 2 more"));
    }
}
