//! The values of git's configuration, with their origin.

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
        let told: Vec<_> = found
            .iter()
            .map(|it| (it.subsection.as_str(), it.name.as_str(), it.value.as_str(), it.scope.as_str()))
            .collect();
        assert_eq!(told, [("a.b", "command", "x\ny", "local"), ("c", "shell", "true", "global")]);
        assert!(
            parse("", "wf.agent.").is_empty() && parse("local\0file:x\0wf.agent.\0", "wf.agent.").is_empty()
        );
    }
}
