//! Whether an agent of a run started this process, and in which role. The agent's environment says so, too, but an agent
//! can change that; its watcher stays above it, whatever the agent calls itself or this program.

use crate::process::ancestors::{self, Ancestor};
use crate::process::watch::{ACTOR, COMMAND, ROLE};

/// The role and the name of the agent that started this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charged {
    /// Its role.
    pub(crate) role: String,
    /// Its name.
    pub(crate) actor: Option<String>,
}

/// The role of the processes that an agent left behind when it killed its watcher: no role, so they may do nothing.
const NONE: &str = "none";

/// The agent whose watcher is above this process, the outermost if there are several, since an agent could start another
/// watcher; `None` if there is none, or if finding out takes too long.
#[cfg(target_os = "linux")]
pub(crate) fn charged() -> Option<Charged> {
    charged_by(&ancestors::all())
}

/// Asking `ps` takes longer than most commands.
#[cfg(not(target_os = "linux"))]
pub(crate) fn charged() -> Option<Charged> {
    None
}

fn charged_by(chain: &[Ancestor]) -> Option<Charged> {
    let charged = chain.iter().rev().filter_map(watcher).find_map(|options| {
        let value = |name: &str| {
            let mut options = options.iter();
            options.find(|option| *option == name).and_then(|_| options.next()).cloned()
        };
        Some(Charged { role: value(ROLE)?, actor: value(ACTOR) })
    });
    charged.or_else(|| is_left_behind(chain).then(|| Charged { role: NONE.to_owned(), actor: None }))
}

/// Whether the watcher of this process was killed. The program that started the watcher became its parent then, and is
/// in another session: only a watcher begins one.
fn is_left_behind(chain: &[Ancestor]) -> bool {
    let nearest = chain.iter().find(|it| it.is_this_program || watcher(it).is_some());
    nearest.is_some_and(|it| it.is_apart && watcher(it).is_none())
}

/// The options of a watcher; `None` if the process is not one. Its program is not looked at: an agent can start a copy of this
/// one, for which the watcher is another.
fn watcher(it: &Ancestor) -> Option<&[String]> {
    let options = it.args.get(2..).filter(|_| it.args[1] == COMMAND)?;
    let end = options.iter().position(|word| word == "--").unwrap_or(options.len());
    Some(&options[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(lines: &[&str]) -> Vec<Ancestor> {
        lines.iter().map(|line| Ancestor::called(line.split(' ').map(str::to_owned).collect())).collect()
    }

    #[test]
    fn an_agent_cannot_shed_its_role() {
        let watcher = "git-wf run-watched --stdin --role executor --actor mine -- sh x.sh --role owner";
        let charged = |lines: &[&str]| charged_by(&chain(lines));
        let executor = Some(Charged { role: "executor".into(), actor: Some("mine".into()) });
        assert_eq!(charged(&["env -i git-wf queue add", "sh", watcher, "git-wf run"]), executor);
        // A copy of this program.
        let other = watcher.replace("git-wf", "/usr/bin/other");
        assert_eq!(charged(&["sh", &other, "git-wf run"]), executor);
        // The test command of a plan that the agent runs through `git wf verify` is its own.
        assert_eq!(charged(&["sh", "git-wf run-watched -- sh -c x", "git-wf verify", watcher]), executor);
        let other = "git-wf run-watched --role integrator -- sh y.sh";
        assert_eq!(
            charged(&["git-wf queue", "sh y.sh", other, "git-wf agent test", "sh", watcher]),
            executor
        );
        assert_eq!(charged(&["sh", "git-wf run-watched -- sh --role executor", "git-wf verify"]), None);
        assert_eq!(charged(&["sh -c git-wf run-watched --role executor", "bash"]), None);
    }

    #[test]
    fn what_outlives_its_watcher_may_nothing() {
        let mut left = chain(&["sh x.sh", "git-wf run", "bash"]);
        assert_eq!(charged_by(&left), None, "a hook of the run itself");
        left[1].is_apart = true;
        assert_eq!(charged_by(&left), Some(Charged { role: NONE.into(), actor: None }));
        let mut tested = chain(&["sh t.sh", "git-wf run-watched -- sh t.sh", "git-wf verify", "bash"]);
        tested[2].is_apart = true;
        assert_eq!(charged_by(&tested), None, "a test of a plan");
    }
}
