//! Whether an agent of a run started this process, and in which role. The agent's environment says so, too, but an agent
//! can change that; its watcher stays above it.

use std::path::Path;

use super::ancestors;
use super::watch::{ACTOR, COMMAND, ROLE};

/// The role and the name of the agent that started this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charged {
    /// Its role.
    pub(crate) role: String,
    /// Its name.
    pub(crate) actor: Option<String>,
}

/// The agent whose watcher is above this process; `None` if there is none, or where finding out takes too long.
#[cfg(target_os = "linux")]
pub(crate) fn charged() -> Option<Charged> {
    charged_by(&ancestors::commands())
}

/// Asking `ps` takes longer than most commands.
#[cfg(not(target_os = "linux"))]
pub(crate) fn charged() -> Option<Charged> {
    None
}

/// Whether git-wf itself started the git command whose hook this process is.
pub(crate) fn is_git_of_git_wf() -> bool {
    is_ours(&ancestors::commands())
}

fn charged_by(chain: &[Vec<String>]) -> Option<Charged> {
    // An agent can start other watchers below its own.
    chain.iter().rev().filter_map(|args| watcher(args)).find_map(|options| {
        let value = |name: &str| {
            let mut options = options.iter();
            options.find(|option| *option == name).and_then(|_| options.next()).cloned()
        };
        Some(Charged { role: value(ROLE)?, actor: value(ACTOR) })
    })
}

fn is_ours(chain: &[Vec<String>]) -> bool {
    chain.iter().take_while(|args| watcher(args).is_none()).any(|args| is_git_wf(args))
}

fn is_git_wf(args: &[String]) -> bool {
    args.first().and_then(|program| Path::new(program).file_name()).is_some_and(|name| name == "git-wf")
}

/// The options of a watcher; `None` if the process is none.
fn watcher(args: &[String]) -> Option<&[String]> {
    let options = args.get(2..).filter(|_| is_git_wf(args) && args[1] == COMMAND)?;
    let end = options.iter().position(|word| word == "--").unwrap_or(options.len());
    Some(&options[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(lines: &[&str]) -> Vec<Vec<String>> {
        lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn an_agent_cannot_shed_its_role() {
        let watcher = "git-wf run-watched --stdin --role executor --actor mine -- sh x.sh --role owner";
        let charged = |lines: &[&str]| charged_by(&chain(lines));
        let executor = Some(Charged { role: "executor".into(), actor: Some("mine".into()) });
        assert_eq!(charged(&["env -i git-wf queue add", "sh", watcher, "git-wf run"]), executor);
        // The test command of a plan that the agent runs through `git wf verify` is its own.
        assert_eq!(charged(&["sh", "git-wf run-watched -- sh -c x", "git-wf verify", watcher]), executor);
        // A watcher that the agent starts, or a program that it calls so, does not lift it to another role.
        let other = "git-wf run-watched --role integrator --actor boss -- sh y.sh";
        assert_eq!(
            charged(&["sh y.sh", other, "git-wf agent test", "sh x.sh", watcher, "git-wf run"]),
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
