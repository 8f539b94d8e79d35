//! Options of git's commands that run a program or name a file, also of commands that are harmless otherwise.

use super::place::OUTSIDE;
use super::program::{Judge, Verdict};

pub(super) const PROGRAMS: &str = "agents may not choose the programs that git runs";

/// An option, and what its value does.
struct RiskyOption {
    /// The commands that have it; all if there are none.
    commands: &'static [&'static str],
    letter: Option<char>,
    long: &'static str,
    effect: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It is a command line.
    Line,
    /// It is a command line, which is not in a word of its own.
    AttachedLine,
    /// It is a file or a directory that git writes.
    File,
    /// The option is refused.
    Refused(&'static str),
}

#[rustfmt::skip]
const OPTIONS: &[RiskyOption] = &[
    RiskyOption { commands: &["grep"], letter: Some('O'), long: "open-files-in-pager", effect: Effect::AttachedLine },
    RiskyOption { commands: &["rebase"], letter: Some('x'), long: "exec", effect: Effect::Line },
    RiskyOption { commands: &["archive", "fetch", "ls-remote", "pull"], letter: None, long: "exec", effect: Effect::Refused(PROGRAMS) },
    RiskyOption { commands: &["archive", "fetch", "ls-remote", "pull"], letter: None, long: "upload-pack", effect: Effect::Refused(PROGRAMS) },
    RiskyOption { commands: &["archive", "format-patch"], letter: Some('o'), long: "output", effect: Effect::File },
    RiskyOption { commands: &["format-patch"], letter: None, long: "output-directory", effect: Effect::File },
    RiskyOption { commands: &[], letter: None, long: "output", effect: Effect::File },
    RiskyOption { commands: &["apply"], letter: None, long: "build-fake-ancestor", effect: Effect::File },
    RiskyOption { commands: &["apply", "am"], letter: None, long: "unsafe-paths", effect: Effect::Refused(OUTSIDE) },
];

/// Judges the options among the arguments of a command of git.
pub(super) fn judged(judge: &Judge<'_>, command: &str, arguments: &[&str]) -> Verdict {
    let end = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
    for (n, word) in arguments[..end].iter().enumerate() {
        for option in OPTIONS {
            if !option.commands.is_empty() && !option.commands.contains(&command) {
                continue;
            }
            let Some(attached) = option.attached(word) else { continue };
            let attached = Some(attached).filter(|value| !value.is_empty());
            let value = attached.or_else(|| arguments.get(n + 1).copied());
            match (option.effect, attached, value) {
                (Effect::Refused(why), ..) => return judge.refuse(why),
                (Effect::AttachedLine, Some(line), _) | (Effect::Line, _, Some(line)) => {
                    judge.inner_line(line)?;
                }
                (Effect::File, _, Some(file)) => judge.file(file)?,
                _ => {}
            }
        }
    }
    Ok(())
}

impl RiskyOption {
    /// What a word gives this option in the same word, maybe nothing, if it is this option. git accepts the beginning of a
    /// long one, and short ones together.
    fn attached<'a>(&self, word: &'a str) -> Option<&'a str> {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').unwrap_or((long, ""));
            return (name.len() > 1 && self.long.starts_with(name)).then_some(value);
        }
        let (_, attached) = word.strip_prefix('-')?.split_once(self.letter?)?;
        Some(attached)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::agent::acp::program::of_line;

    #[test]
    fn an_option_that_runs_or_writes_is_judged() {
        for line in [
            "git grep -Orm foo",
            "git grep -nOrm foo",
            "git grep --open-files-in-pager='sh -c \"git push\"' foo",
            "git grep --open=rm foo",
            "git diff --output=/etc/x",
            "git diff --output /etc/x",
            "git log -p --output=../x",
            "git show --output=.git/hooks/commit-msg",
            "git stash show -p --output=/etc/x",
            "git format-patch -1 -o /etc",
            "git format-patch -1 --output-directory=/etc",
            "git archive -o/etc/x.tar HEAD",
            "git archive --outp=/etc/x.tar HEAD",
            "git diff --output=$X",
            "git rebase -x 'git push' main",
            "git rebase -ix 'git push' main",
            "git rebase --exe='rm a' main",
            "git fetch --upload-pack=./x origin",
            "git ls-remote --exec=./x origin",
            "git archive --remote=. --exec=./x HEAD",
            "git apply --unsafe-paths x.patch",
            "git-grep -Orm foo",
        ] {
            assert!(of_line(Path::new("/tree"), line).is_err(), "{line}");
        }
        for line in [
            "git grep -O foo",
            "git grep -Oless foo",
            "git grep -o rm",
            "git grep -e rm -- -Orm",
            "git diff --output=a.diff",
            "git diff --output-indicator-new=+ HEAD",
            "git format-patch -1 -o patches",
            "git archive -o x.tar HEAD",
            "git commit -o a.txt -m 'rm x'",
            "git ls-files -o",
            "git rebase -x 'cargo test' main",
            "git rebase -X theirs main",
            "git log --oneline --stat $X",
            "git apply x.patch",
        ] {
            assert_eq!(of_line(Path::new("/tree"), line), Ok(()), "{line}");
        }
    }
}
