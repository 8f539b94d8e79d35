//! Whether the `git commit` that runs a hook amends HEAD. git tells its hooks nothing about that, but how it was called
//! shows it.

use std::path::Path;

use crate::process::ancestors;

/// Options of `git` that take the next argument as their value.
const WITH_VALUE: [&str; 6] = ["-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// Whether the nearest git above this process amends; `None` if that cannot be seen, or if it is no `git commit`.
pub(super) fn is_amending() -> Option<bool> {
    ancestors::commands().iter().find_map(|args| subcommand(args)).and_then(amends)
}

/// The subcommand of a git process, with its arguments; `None` for other processes.
fn subcommand(args: &[String]) -> Option<&[String]> {
    let program = Path::new(args.first()?).file_name()?.to_str()?;
    if program == "git-commit" {
        return Some(args);
    }
    if program != "git" {
        return None;
    }
    let mut at = 1;
    while let Some(option) = args.get(at).filter(|arg| arg.starts_with('-')) {
        at += if WITH_VALUE.contains(&option.as_str()) { 2 } else { 1 };
    }
    args.get(at..)
}

/// Whether a subcommand is a `commit` that amends; git takes `--am` for `--amend`.
fn amends(args: &[String]) -> Option<bool> {
    let (name, options) = args.split_first()?;
    if !name.ends_with("commit") {
        return None;
    }
    let mut options = options.iter().take_while(|arg| *arg != "--");
    Some(options.any(|arg| arg.starts_with("--am") && "--amend".starts_with(arg.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_git_was_called_shows_whether_it_amends() {
        for (line, expected) in [
            ("git commit --amend -m x", Some(true)),
            ("/usr/bin/git -C a -c user.name=b --no-pager commit -qa --am", Some(true)),
            ("git commit -m --allow-empty", Some(false)),
            ("git commit -m x -- --amend", Some(false)),
            ("git-commit --amend", Some(true)),
            ("git rebase --continue", None),
            ("git", None),
            ("sh commit --amend", None),
        ] {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(subcommand(&args).and_then(amends), expected, "{line}");
        }
    }
}
