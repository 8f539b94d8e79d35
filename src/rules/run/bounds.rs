//! What an agent of a run may do with git: where it may commit, which refs it may move, which files it may delete.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::branch::{self, Branch};
use crate::model::hash::CommitHash;
use crate::model::repo_path::{FoldedPaths, RepoPath};
use crate::rules::roles::Role;

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

/// The intended move of a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RefChange<'a> {
    /// The full name of the ref.
    pub(crate) name: &'a str,
    /// The new target in hex, or `ref:` and the name of another ref; `None` if the ref is deleted.
    pub(crate) new: Option<&'a str>,
}

impl<'a> RefChange<'a> {
    /// Reads a line that git gives to the hook `reference-transaction`: `OLD NEW NAME`.
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.splitn(3, ' ').skip(1);
        let (new, name) = (words.next()?, words.next()?);
        let is_null = new.bytes().all(|byte| byte == b'0');
        Some(Self { name, new: (!is_null).then_some(new) })
    }
}

/// Refs that each worktree has for itself.
const OF_ONE_WORKTREE: &[&str] = &["refs/bisect/", "refs/rewritten/", "refs/worktree/"];
/// Refs that follow a remote.
const REMOTES: &str = "refs/remotes/";

/// Whether a ref belongs to one worktree, or is a remote-tracking ref.
pub(crate) fn is_private_or_remote(name: &str) -> bool {
    !name.starts_with("refs/")
        || OF_ONE_WORKTREE.iter().any(|own| name.starts_with(own))
        || name.starts_with(REMOTES)
}

/// Whether a branch is one that runs create and delete.
pub(crate) fn is_left_to_all(name: &str) -> bool {
    name.starts_with("refs/heads/wf/")
}

impl Bounds {
    /// Why the agent may not move this ref; `None` if it may.
    pub(crate) fn refuses_move(&self, change: &RefChange<'_>) -> Option<String> {
        let RefChange { name, new } = *change;
        let role = self.role.with_article();
        let short = branch::short(name);
        let Some(own) = &self.branch else {
            return match new {
                Some(new) if name == "HEAD" && new != self.base.as_str() => Some(format!(
                    "{role} only reads `{}`, and does not commit or check out anything else",
                    self.base.short()
                )),
                _ if is_private_or_remote(name) => None,
                _ => Some(format!("{role} only reads, and does not change `{short}`")),
            };
        };
        if is_private_or_remote(name) || (own == name && new.is_some()) {
            return None;
        }
        Some(match new {
            None => format!("{role} does not delete `{short}`"),
            Some(_) if name == "refs/stash" => {
                format!("all worktrees share the stash: commit on `{own}` instead")
            }
            Some(_) => format!("{role} works only on the branch `{own}`, and does not change `{short}`"),
        })
    }

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

    fn refusal(bounds: &Bounds, line: &str) -> Option<String> {
        bounds.refuses_move(&RefChange::parse(line).unwrap())
    }

    const NULL: &str = "0000000000000000000000000000000000000000";
    const OTHER: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    #[test]
    fn an_executor_moves_its_own_branch_only() {
        let executor = bounds(Role::Executor, Some("refs/heads/wf/SOL-1"));
        let line = |new: &str, name: &str| refusal(&executor, &format!("{NULL} {new} {name}"));
        for name in
            ["HEAD", "ORIG_HEAD", "refs/heads/wf/SOL-1", "refs/remotes/origin/main", "refs/bisect/bad"]
        {
            assert_eq!(line(OTHER, name), None, "{name}");
        }
        for (new, name, words) in [
            (OTHER, "refs/heads/main", "does not change `main`"),
            (NULL, "refs/heads/main", "does not delete `main`"),
            (NULL, "refs/heads/wf/SOL-1", "does not delete `wf/SOL-1`"),
            (OTHER, "refs/heads/wf/SOL-12", "works only on the branch `wf/SOL-1`"),
            (OTHER, "refs/tags/v1", "does not change `refs/tags/v1`"),
            (OTHER, "refs/wf/main", "does not change `refs/wf/main`"),
            (OTHER, "refs/stash", "share the stash"),
        ] {
            assert!(line(new, name).is_some_and(|why| why.contains(words)), "{name}: {:?}", line(new, name));
        }
    }

    #[test]
    fn whoever_reads_moves_nothing() {
        let planner = bounds(Role::Planner, None);
        let line = |new: &str, name: &str| refusal(&planner, &format!("{NULL} {new} {name}"));
        assert_eq!(line(&"a".repeat(40), "HEAD"), None, "it may go back to where it was");
        assert_eq!(line(OTHER, "refs/remotes/origin/main"), None);
        assert_eq!(line(NULL, "AUTO_MERGE"), None);
        for name in ["HEAD", "refs/heads/main", "refs/notes/commits"] {
            assert!(line(OTHER, name).is_some_and(|why| why.starts_with("a planner")), "{name}");
        }
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
