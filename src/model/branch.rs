//! Names of branches. In records, refs and answers a branch has its full name; people see the short one.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RunId, SolutionId, shell};

/// Where git keeps branches.
const HEADS: &str = "refs/heads/";
/// The branches of runs and of their plans.
const OWN: &str = "wf/";
/// Between a name and a number that makes it free. No id contains it: `SOL-ISS-1-1-2` is a plan of `ISS-1-1`, and must not be
/// taken for the second branch of the plan `SOL-ISS-1-1`.
pub(crate) const NUMBERED: char = '+';

/// The name of a branch that git can have. It is compared and sorted by its full name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Branch(String);

/// A text that is not the full name of a branch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the full name of a branch, such as `refs/heads/main`")]
pub(crate) struct NotABranch(String);

impl Branch {
    /// Reads a full name; `None` for any other text.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        name.strip_prefix(HEADS).and_then(Self::of_short)
    }

    /// Reads a name without `refs/heads/`; `None` for a text that cannot be the name of a branch.
    pub(crate) fn of_short(short: &str) -> Option<Self> {
        is_branch_name(short).then(|| Self(format!("{HEADS}{short}")))
    }

    /// The branch on which a plan is executed.
    pub(crate) fn of_plan(plan: &SolutionId) -> Self {
        Self(format!("{HEADS}{OWN}{plan}"))
    }

    /// The branch into which a run merges the work of its issues. It follows from the id: a name in a record could be that of
    /// any branch, and the run moves and deletes its own.
    pub(crate) fn of_run(run: &RunId) -> Self {
        Self(format!("{HEADS}{OWN}{run}"))
    }

    /// The branch of a further attempt: this name with a number.
    pub(crate) fn numbered(&self, number: u64) -> Self {
        Self(format!("{}{NUMBERED}{number}", self.0))
    }

    /// The full name, `refs/heads/…`.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as git shows it.
    pub(crate) fn short(&self) -> &str {
        short(&self.0)
    }

    /// A word of a shell command that takes any revision. Given the short name alone, git would take a tag of that name,
    /// which everybody who can push tags can make.
    pub(crate) fn operand(&self) -> String {
        shell::word(&format!("heads/{}", self.short())).into_owned()
    }

    /// The plan that is executed on it, unless it has a number.
    pub(crate) fn plan(&self) -> Option<SolutionId> {
        SolutionId::parse(self.short().strip_prefix(OWN)?).ok()
    }

    /// Whether it was made for a plan: its branch, or the same with a number. A record could name any other.
    pub(crate) fn is_of_plan(&self, plan: &SolutionId) -> bool {
        let rest = self.short().strip_prefix(OWN).and_then(|rest| rest.strip_prefix(plan.as_str()));
        rest.is_some_and(|rest| {
            rest.is_empty()
                || rest
                    .strip_prefix(NUMBERED)
                    .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        })
    }
}

/// The name of any ref as git shows it: `main` for the branch `refs/heads/main`. A name that is not a branch's stays.
pub(crate) fn short(name: &str) -> &str {
    name.strip_prefix(HEADS).unwrap_or(name)
}

/// The rules of `git check-ref-format`. A name can begin with `-`: on the command line of git, it needs `--` before it.
fn is_branch_name(short: &str) -> bool {
    short.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
        && !short
            .contains(|c: char| c <= ' ' || matches!(c, '\u{7f}' | '~' | '^' | ':' | '?' | '*' | '[' | '\\'))
        && !short.contains("..")
        && !short.contains("@{")
        && !short.ends_with('.')
}

impl TryFrom<String> for Branch {
    type Error = NotABranch;

    fn try_from(name: String) -> Result<Self, NotABranch> {
        const SHOWN: usize = 80;
        Self::parse(&name).ok_or_else(|| NotABranch(name.chars().take(SHOWN).collect()))
    }
}

impl From<Branch> for String {
    fn from(branch: Branch) -> Self {
        branch.0
    }
}

impl PartialEq<str> for Branch {
    fn eq(&self, full: &str) -> bool {
        self.0 == full
    }
}

/// The short name.
impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

impl fmt::Debug for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Branch {
    fn schema_name() -> Cow<'static, str> {
        "Branch".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": "^refs/heads/."})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &[
        "main",
        "wf/SOL-1",
        "refs/heads/x",
        "@",
        "a@b",
        "a.b",
        "feature/é",
        "a{b",
        "lock",
        "-D",
        "--output=x",
        "HEAD",
    ];
    const OTHERS: &[&str] = &[
        "", "/", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a..b", "a.", "a b", "a\nb",
        "a\u{7f}", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "@{-1}",
    ];

    #[test]
    fn only_names_that_git_accepts_are_branches() {
        for name in NAMES {
            let branch = Branch::of_short(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((branch.short(), branch.to_string().as_str()), (*name, *name));
            assert_eq!(branch.as_str(), format!("refs/heads/{name}"));
            assert_eq!(Branch::parse(branch.as_str()), Some(branch.clone()));
            let json = serde_json::to_value(&branch).unwrap();
            assert_eq!(json, format!("refs/heads/{name}"));
            assert_eq!(serde_json::from_value::<Branch>(json).unwrap(), branch);
        }
        for name in OTHERS {
            assert_eq!(Branch::of_short(name), None, "{name}");
            let error = serde_json::from_value::<Branch>(format!("refs/heads/{name}").into()).unwrap_err();
            assert!(error.to_string().contains("is not the full name of a branch"), "{error}");
        }
        for name in ["main", "refs/tags/v1", "HEAD", "refs/heads", "refs/heads/"] {
            assert_eq!(Branch::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_branch_of_a_plan_is_a_branch_and_that_of_no_other_plan() {
        let plan = SolutionId::parse("SOL-ISS-1-1").unwrap();
        let other = SolutionId::parse("SOL-ISS-1-12").unwrap();
        let branch = Branch::of_plan(&plan);
        for own in [branch.clone(), branch.numbered(2)] {
            assert_eq!(Branch::parse(own.as_str()), Some(own.clone()));
            assert!(own.is_of_plan(&plan) && !own.is_of_plan(&other), "{own}");
        }
        assert_eq!((branch.plan(), branch.numbered(2).plan()), (Some(plan.clone()), None));
        let run = Branch::of_run(&RunId::parse("RUN-1").unwrap());
        assert_eq!(Branch::parse(run.as_str()), Some(run.clone()));
        for name in [
            "main",
            "wf/SOL-ISS-1-12",
            // The plan of another issue.
            "wf/SOL-ISS-1-1-2",
            "wf/SOL-ISS-1-1+",
            "wf/SOL-ISS-1-1+x",
            "SOL-ISS-1-1",
            "wf/wf/SOL-ISS-1-1",
        ] {
            assert!(!Branch::of_short(name).unwrap().is_of_plan(&plan), "{name}");
        }
    }

    #[test]
    fn only_the_name_of_a_branch_gets_shorter() {
        assert_eq!(short("refs/heads/wf/SOL-1"), "wf/SOL-1");
        assert_eq!(short("refs/tags/v1"), "refs/tags/v1");
        assert_eq!(short("refs/heads/refs/heads/x"), "refs/heads/x");
    }
}
