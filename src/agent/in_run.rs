//! Whether an agent of a run started this process, and in which role. The agent's environment says so, too, but an agent
//! can change that; its watcher stays above it.

use super::ancestors::{self, Ancestor};
use super::watch::{ACTOR, COMMAND, ROLE};

/// The role and the name of the agent that started this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charged {
    /// Its role.
    pub(crate) role: String,
    /// Its name.
    pub(crate) actor: Option<String>,
}

/// The agent whose watcher is above this process, the outermost if there are several, since an agent could start another
/// watcher; `None` if there is none, or where finding out takes too long.
#[cfg(target_os = "linux")]
pub(crate) fn charged() -> Option<Charged> {
    charged_by(&ancestors::all())
}

/// Asking `ps` takes longer than most commands.
#[cfg(not(target_os = "linux"))]
pub(crate) fn charged() -> Option<Charged> {
    None
}

/// Whether git-wf itself started the git command whose hook this process is.
pub(crate) fn is_git_of_git_wf() -> bool {
    is_ours(&ancestors::all())
}

fn charged_by(chain: &[Ancestor]) -> Option<Charged> {
    chain.iter().rev().filter_map(watcher).find_map(|options| {
        let value = |name: &str| {
            let mut options = options.iter();
            options.find(|option| *option == name).and_then(|_| options.next()).cloned()
        };
        Some(Charged { role: value(ROLE)?, actor: value(ACTOR) })
    })
}

fn is_ours(chain: &[Ancestor]) -> bool {
    chain.iter().take_while(|it| watcher(it).is_none()).any(|it| it.is_this_program)
}

/// The options of a watcher; `None` if the process is none.
fn watcher(it: &Ancestor) -> Option<&[String]> {
    let options = it.args.get(2..).filter(|_| it.is_this_program && it.args[1] == COMMAND)?;
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
    fn git_is_our_own_only_below_this_program() {
        let watcher = "git-wf run-watched --role executor -- sh x.sh";
        assert!(is_ours(&chain(&["git fetch", "/usr/bin/git-wf sync", "sh", watcher, "git-wf run"])));
        assert!(!is_ours(&chain(&["git push", "sh x.sh", watcher, "git-wf run"])));
    }
}
