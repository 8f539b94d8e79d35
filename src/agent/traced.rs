//! The git commands that an agent ran, read from git's own trace (`GIT_TRACE2_EVENT`). An agent certainly did what it
//! names, unless the agent wrote it itself; the agent may also have done what it does not name.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::branch;

/// A longer trace is not read to its end.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// A longer command line is cut.
const MOST_WORDS: usize = 64;

/// A git command that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitAct {
    /// Its subcommand, such as `push`.
    pub(crate) name: String,
    /// The whole command line.
    pub(crate) words: Vec<String>,
    /// The top directory of the worktree in which it ran.
    pub(crate) worktree: Option<PathBuf>,
    /// Its exit code; `None` if git did not say.
    pub(crate) code: Option<i64>,
}

/// The git commands in a trace, in order; none if there is no trace. Those that git-wf itself runs for an agent are not
/// traced.
pub(crate) fn acts(trace: &Path) -> Vec<GitAct> {
    std::fs::File::open(trace).map(|file| read(BufReader::new(file.take(MOST_BYTES)))).unwrap_or_default()
}

#[derive(Debug, Default)]
struct Process {
    act: Option<GitAct>,
    name: Option<String>,
    worktree: Option<PathBuf>,
    code: Option<i64>,
}

fn read(mut trace: impl BufRead) -> Vec<GitAct> {
    let mut order: Vec<String> = Vec::new();
    let mut processes: HashMap<String, Process> = HashMap::new();
    let mut line = Vec::new();
    while trace.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let event = serde_json::from_slice::<Value>(&line).unwrap_or_default();
        line.clear();
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        let Some(sid) = text("sid") else { continue };
        let process = processes.entry(sid.clone()).or_insert_with(|| {
            order.push(sid);
            Process::default()
        });
        match event["event"].as_str() {
            Some("start") => {
                let words = event["argv"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let words = words.take(MOST_WORDS).map(str::to_owned).collect();
                process.act = Some(GitAct { name: String::new(), words, worktree: None, code: None });
            }
            Some("cmd_name") => process.name = text("name"),
            Some("def_repo") => process.worktree = text("worktree").map(PathBuf::from),
            Some("exit") => process.code = event["code"].as_i64(),
            _ => {}
        }
    }
    let act = |process: Process| {
        let (name, act) = (process.name?, process.act?);
        Some(GitAct { name, worktree: process.worktree, code: process.code, ..act })
    };
    order.iter().filter_map(|sid| processes.remove(sid)).filter_map(act).collect()
}

/// What a command changes in the worktree where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The index or files, if it succeeds.
    Files,
    /// The index or files, even if it fails.
    FilesAnyway,
    /// The branch that is checked out, if it succeeds.
    Branch,
    /// The index or files, even if it fails, and then the branch: a hook can still refuse that.
    FilesAnywayThenBranch,
}

/// The commands that change something in the worktree where they run.
const EFFECTS: &[(&str, Effect)] = &[
    ("add", Effect::Files),
    ("am", Effect::FilesAnywayThenBranch),
    ("apply", Effect::Files),
    ("checkout", Effect::FilesAnyway),
    ("checkout-index", Effect::Files),
    ("cherry-pick", Effect::FilesAnywayThenBranch),
    ("clean", Effect::FilesAnyway),
    ("commit", Effect::Branch),
    ("merge", Effect::FilesAnywayThenBranch),
    ("mv", Effect::Files),
    ("pull", Effect::FilesAnywayThenBranch),
    ("read-tree", Effect::FilesAnyway),
    ("rebase", Effect::FilesAnywayThenBranch),
    ("reset", Effect::FilesAnywayThenBranch),
    ("restore", Effect::FilesAnyway),
    ("revert", Effect::FilesAnywayThenBranch),
    ("rm", Effect::Files),
    ("stash", Effect::FilesAnyway),
    ("switch", Effect::FilesAnyway),
    ("update-index", Effect::Files),
];

/// Options with which `branch` only lists, or changes something else than refs.
const BRANCH_LISTS: &[&str] = &[
    "a",
    "all",
    "contains",
    "edit-description",
    "l",
    "list",
    "merged",
    "no-contains",
    "no-merged",
    "points-at",
    "r",
    "remotes",
    "set-upstream-to",
    "show-current",
    "u",
    "unset-upstream",
];

/// Options with which `tag` only lists or verifies. `-a` makes an annotated tag.
const TAG_LISTS: &[&str] = &[
    "contains",
    "l",
    "list",
    "merged",
    "n",
    "no-contains",
    "no-merged",
    "points-at",
    "v",
    "verify",
    "with",
    "without",
];

/// Options of `tag` whose value is the next word.
const TAG_VALUES: &[&str] = &["F", "cleanup", "file", "local-user", "m", "message", "trailer", "u"];

impl GitAct {
    /// What it may have changed where it ran.
    fn effect(&self) -> Option<Effect> {
        EFFECTS.iter().find(|(name, _)| *name == self.name).map(|(_, effect)| *effect)
    }

    /// Whether it may have moved the branch that was checked out where it ran. The reflog of the branch gives its name as
    /// the reason.
    pub(crate) fn moves_here(&self) -> bool {
        matches!(self.effect(), Some(Effect::Branch | Effect::FilesAnywayThenBranch))
    }

    /// Whether it can have moved a ref for the reason that the ref's reflog gives: other commands give other reasons.
    pub(crate) fn accounts_for(&self, why: &str) -> bool {
        match self.name.as_str() {
            name if self.moves_here() => why.starts_with(name),
            "branch" | "checkout" | "switch" | "worktree" => why.starts_with("branch:"),
            "fetch" | "push" => why.starts_with(&self.name),
            _ => true,
        }
    }

    /// Whether it may have changed the branch, the index or the files of the worktree in which it ran.
    pub(crate) fn writes_here(&self) -> bool {
        let first = || self.args().find(|word| !word.starts_with('-'));
        let only_looks = self.name == "stash" && matches!(first(), Some("create" | "list" | "show"));
        self.effect().is_some() && !only_looks
    }

    /// Whether it may have done so, even if it failed.
    pub(crate) fn may_have_written(&self) -> bool {
        let is_anyway = matches!(self.effect(), Some(Effect::FilesAnyway | Effect::FilesAnywayThenBranch));
        self.writes_here() && (self.has_worked() || is_anyway)
    }

    /// What follows the name of the command.
    fn args(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).skip_while(|word| *word != self.name).skip(1)
    }

    /// Whether one of these options is on its command line. After an option in `values`, the next word is not an option.
    fn has_option(&self, options: &[&str], values: &[&str]) -> bool {
        let mut args = self.args();
        while let Some(word) = args.next().filter(|word| *word != "--") {
            let Some(option) = word.strip_prefix('-') else { continue };
            let (name, last) = match option.strip_prefix('-') {
                Some(long) => (long.split('=').next().unwrap_or_default(), long),
                // `-n5` has a count, and `-am` is `-a -m`.
                None => (
                    option.trim_end_matches(|c: char| c.is_ascii_digit()),
                    option.char_indices().last().map_or("", |(at, _)| &option[at..]),
                ),
            };
            if options.contains(&name) {
                return true;
            }
            if values.contains(&last) {
                args.next();
            }
        }
        false
    }

    /// Whether its command line says that it creates, moves or deletes this ref.
    pub(crate) fn names(&self, reference: &str) -> bool {
        let branch = reference.strip_prefix("refs/heads/");
        let short = branch.or_else(|| reference.strip_prefix("refs/tags/")).unwrap_or(reference);
        let is_it = |word: &str| word == short || word == reference;
        let args = || self.args();
        let follows = |options: &[&str]| {
            let mut args = args();
            args.any(|word| options.contains(&word)) && args.next().is_some_and(is_it)
        };
        let first = || args().find(|word| !word.starts_with('-'));
        match self.name.as_str() {
            "branch" if self.has_option(BRANCH_LISTS, &[]) => false,
            "branch" => {
                const CHANGES: &[&str] = &["d", "D", "delete", "f", "force", "m", "M", "move"];
                let is_option = |word: &str| word.starts_with('-');
                let has_change =
                    args().any(|word| is_option(word) && CHANGES.contains(&word.trim_start_matches('-')));
                branch.is_some() && (first().is_some_and(is_it) || (has_change && args().any(is_it)))
            }
            "tag" => {
                reference.starts_with("refs/tags/")
                    && !self.has_option(TAG_LISTS, TAG_VALUES)
                    && args().any(is_it)
            }
            // What is on its stdin is not known.
            "update-ref" => args().any(|word| word == reference),
            "checkout" | "switch" => {
                branch.is_some()
                    && follows(&["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"])
            }
            "worktree" => branch.is_some() && follows(&["-b", "-B"]),
            "push" | "fetch" | "pull" => {
                args().any(|word| word.rsplit_once(':').is_some_and(|(_, target)| is_it(target)))
            }
            "stash" => {
                reference == "refs/stash" && !matches!(first(), Some("apply" | "create" | "list" | "show"))
            }
            "notes" => {
                reference.starts_with("refs/notes/") && !matches!(first(), None | Some("list" | "show"))
            }
            _ => false,
        }
    }

    /// The remote to which it pushed, and the branches there, as far as its command line names them.
    pub(crate) fn pushed(&self) -> Option<(&str, Vec<&str>)> {
        let mut args = self.args().filter(|word| !word.starts_with('-'));
        let remote = args.next()?;
        let target = |word: &str| {
            let word = word.trim_start_matches('+');
            let name = word.rsplit_once(':').map_or(word, |(_, target)| target);
            branch::short(name).to_owned()
        };
        let named = args.map(|word| (word, target(word)));
        let branches = named.filter(|(_, name)| name != "HEAD" && !name.is_empty());
        Some((remote, branches.map(|(word, name)| &word[word.len() - name.len()..]).collect()))
    }

    /// Whether git did not say that it failed.
    pub(crate) fn has_worked(&self) -> bool {
        self.code.unwrap_or(0) == 0
    }

    /// Whether it pushed somewhere.
    pub(crate) fn has_pushed(&self) -> bool {
        let is_try = |word: &String| word == "--dry-run" || word == "-n";
        self.name == "push" && self.code == Some(0) && !self.words.iter().any(is_try)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(line: &str) -> GitAct {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut args = words.iter().skip(1).skip_while(|word| word.starts_with('-') || word.contains('='));
        let name = args.next().unwrap().clone();
        GitAct { name, words, worktree: None, code: Some(0) }
    }

    #[test]
    fn a_trace_is_read_as_commands() {
        let trace = [
            r#"{"event":"start","sid":"a","argv":["git","-c","core.hooksPath=","push","--no-verify"]}"#,
            r#"{"event":"cmd_ancestry","sid":"a","ancestry":["sh","git-wf"]}"#,
            r#"{"event":"def_repo","sid":"a","repo":1,"worktree":"/w"}"#,
            r#"{"event":"start","sid":"a/b","argv":["git-receive-pack","o"]}"#,
            "no json",
            // Anybody can give a program this name.
            r#"{"event":"start","sid":"c","argv":["git","update-ref"]}"#,
            r#"{"event":"cmd_ancestry","sid":"c","ancestry":["git-wf","sh"]}"#,
            r#"{"event":"cmd_name","sid":"c","name":"update-ref"}"#,
            r#"{"event":"cmd_name","sid":"a","name":"push"}"#,
            r#"{"event":"exit","sid":"a","code":0}"#,
        ]
        .join("\n");
        let found = read(trace.as_bytes());
        assert!(found.len() == 2 && found[1].name == "update-ref", "{found:?}");
        assert!(found[0].has_pushed() && found[0].worktree.as_deref() == Some(Path::new("/w")));
        assert!(acts(Path::new("/nowhere/at/all")).is_empty());
    }

    #[test]
    fn what_a_command_line_changes_is_known_by_name() {
        for (line, reference) in [
            ("git branch -D q", "refs/heads/q"),
            ("git branch q main", "refs/heads/q"),
            ("git branch -f q HEAD", "refs/heads/q"),
            ("git -c core.hooksPath= branch -D a q", "refs/heads/q"),
            ("git update-ref -d refs/heads/q", "refs/heads/q"),
            ("git tag -f q", "refs/tags/q"),
            ("git tag -a -m evil q", "refs/tags/q"),
            ("git tag -am evil q x", "refs/tags/q"),
            ("git tag -s -m evil q", "refs/tags/q"),
            ("git tag -u key -m evil q", "refs/tags/q"),
            ("git tag -m evil q", "refs/tags/q"),
            ("git tag -d q", "refs/tags/q"),
            ("git checkout -q -B q", "refs/heads/q"),
            ("git push . HEAD:q", "refs/heads/q"),
            ("git push . +x:refs/heads/q", "refs/heads/q"),
            ("git stash", "refs/stash"),
        ] {
            assert!(act(line).names(reference), "{line}");
        }
        for (line, reference) in [
            ("git branch other q", "refs/heads/q"),
            ("git merge q", "refs/heads/q"),
            ("git fetch origin q", "refs/heads/q"),
            ("git tag q", "refs/heads/q"),
            ("git checkout q", "refs/heads/q"),
            ("git log q", "refs/heads/q"),
            ("git branch --list q", "refs/heads/q"),
            ("git branch --contains q", "refs/heads/q"),
            ("git branch --merged=x q", "refs/heads/q"),
            ("git update-ref --stdin", "refs/heads/q"),
            ("git tag -l q", "refs/tags/q"),
            ("git tag -n5 q", "refs/tags/q"),
            ("git tag --points-at=x q", "refs/tags/q"),
            ("git tag -v q", "refs/tags/q"),
            ("git branch -a --list q", "refs/heads/q"),
            ("git stash list", "refs/stash"),
            ("git stash apply", "refs/stash"),
            ("git notes list", "refs/notes/commits"),
        ] {
            assert!(!act(line).names(reference), "{line}");
        }
        assert!(act("git reset --hard").writes_here() && !act("git status").writes_here());
        assert!(act("git stash").writes_here() && !act("git stash list").writes_here());
        assert!(act("git add x").writes_here() && !act("git add x").moves_here());
        assert!(
            act("git commit").accounts_for("commit (amend): x")
                && !act("git reset").accounts_for("commit: x")
        );
        assert!(!act("git branch -f q").accounts_for("commit: x"));
        assert!(!act("git push -n o x").has_pushed());
        let pushed = |line: &str| act(line).pushed().map(|(to, them)| format!("{to} {}", them.join(" ")));
        for (line, to) in
            [("git push --no-verify o HEAD:refs/heads/a +b c:d", "o a b d"), ("git push o HEAD", "o ")]
        {
            assert_eq!(pushed(line).as_deref(), Some(to), "{line}");
        }
        assert_eq!(pushed("git push"), None);
    }
}
