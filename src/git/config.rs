//! git's configuration, and what git derives from it.

use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::{Args, Git, GitError};

/// One value, as git reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigValue {
    /// The subsection, without the requested prefix, as written.
    pub(crate) subsection: String,
    /// The last part of the key, in lower case.
    pub(crate) name: String,
    /// The value; `true` for a key without a value.
    pub(crate) value: String,
    /// `system`, `global`, `local`, `worktree` or `command`.
    pub(crate) scope: String,
    /// `file:.git/config`, `command line:`, …
    pub(crate) origin: String,
}

impl Git {
    /// Every value of `<prefix><subsection>.<name>`, in the order in which git reads them: the last value of a name
    /// wins. `prefix` is a section in lower case, and may include the beginning of a subsection, such as `wf.agent.`.
    pub(crate) fn config_below(&self, prefix: &'static str) -> Result<Vec<ConfigValue>, GitError> {
        let options = ["config", "--null", "--show-scope", "--show-origin", "--get-regexp"];
        let args = Args::new(&options).value(format!("^{}", prefix.replace('.', r"\.")));
        match self.run(args) {
            Ok(output) => Ok(parse(&String::from_utf8_lossy(&output), prefix)),
            // There is no such value.
            Err(GitError::Failed { code: Some(1), .. }) => Ok(vec![]),
            Err(error) => Err(error),
        }
    }
}

impl Git {
    /// Adds a value to a key of this repository that can have several. An equal value is replaced, so that two
    /// processes that add it at the same time add it once.
    pub(crate) fn add_config(&self, key: &str, value: &str) -> Result<(), GitError> {
        let args = Args::new(&["config", "--local", "--fixed-value", "--replace-all"]);
        self.change_config(args.value(key).value(value).value(value))
    }

    /// Sets a key of this repository.
    pub(crate) fn set_config(&self, key: &str, value: &str) -> Result<(), GitError> {
        self.change_config(Args::new(&["config", "--local"]).value(key).value(value))
    }

    fn change_config(&self, args: Args) -> Result<(), GitError> {
        self.run(args)?;
        Ok(())
    }

    /// Whether a key has a value.
    #[cfg(test)]
    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.run(Args::new(&["config"]).value(key)).is_ok()
    }

    /// The git directory that all worktrees share, without symbolic links.
    pub(crate) fn real_common_dir(&self) -> Result<PathBuf, GitError> {
        self.absolute_path(&["--git-common-dir"])
    }

    pub(super) fn absolute_path(&self, what: &[&'static str]) -> Result<PathBuf, GitError> {
        let mut out = self.run(Args::new(&["rev-parse", "--path-format=absolute"]).options(what))?;
        if out.last() == Some(&b'\n') {
            out.pop();
        }
        out.to_path().map(Path::to_owned).map_err(|error| GitError::Failed {
            command: "rev-parse".into(),
            stderr: error.to_string(),
            code: Some(0),
        })
    }

    /// The user's editor, a line for the shell.
    pub(crate) fn editor(&self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.run(&["var", "GIT_EDITOR"])?).trim().to_owned())
    }

    /// The author or the committer according to git, `Name <email> seconds offset`; git's message if it does not know.
    pub(crate) fn ident(&self, committer: bool) -> Result<Result<String, String>, GitError> {
        let variable = if committer { "GIT_COMMITTER_IDENT" } else { "GIT_AUTHOR_IDENT" };
        let output = self.output(&["var", variable])?;
        Ok(if output.status.success() {
            Ok(trimmed_text(&output.stdout))
        } else {
            Err(trimmed_text(&output.stderr))
        })
    }

    /// The text with each line as a comment.
    pub(crate) fn commented(&self, text: &[u8]) -> Result<Vec<u8>, GitError> {
        self.run_with(&["stripspace", "--comment-lines"], text)
    }

    /// The version of the installed git, in its words.
    pub(crate) fn version(&self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.run(&["version"])?).trim().to_owned())
    }
}

fn trimmed_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// Parses `<scope>\0<origin>\0<key>\n<value>\0` for each value; the line break is missing if a key has no value.
fn parse(output: &str, prefix: &str) -> Vec<ConfigValue> {
    let mut fields = output.split_terminator('\0');
    let mut found = Vec::new();
    while let (Some(scope), Some(origin), Some(entry)) = (fields.next(), fields.next(), fields.next()) {
        let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
        let inner = key.strip_prefix(prefix).and_then(|rest| rest.rsplit_once('.'));
        let Some((subsection, name)) = inner else { continue };
        found.push(ConfigValue {
            subsection: subsection.to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
            scope: scope.to_owned(),
            origin: origin.to_owned(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_dots_and_values_line_breaks() {
        let output = "local\0file:.git/config\0wf.agent.a.b.command\nx\ny\0global\0file:/h/.gitconfig\0wf.agent.c.shell\0";
        let found = parse(output, "wf.agent.");
        let settings: Vec<_> = found
            .iter()
            .map(|setting| {
                (
                    setting.subsection.as_str(),
                    setting.name.as_str(),
                    setting.value.as_str(),
                    setting.scope.as_str(),
                )
            })
            .collect();
        assert_eq!(settings, [("a.b", "command", "x\ny", "local"), ("c", "shell", "true", "global")]);
        assert!(
            parse("", "wf.agent.").is_empty() && parse("local\0file:x\0wf.agent.\0", "wf.agent.").is_empty()
        );
    }
}
