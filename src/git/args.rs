//! The arguments of a `git` command, in an order in which no value can be taken for an option.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;

/// Constants of this program come first: the command and its options. Values from a record, a ref, the name of a
/// remote, the configuration or a person come after `--end-of-options`, and literal paths after `--`. There,
/// `--output=FILE` is at worst a revision that does not exist.
#[derive(Debug, Clone, Default)]
pub(crate) struct Args {
    global: Vec<OsString>,
    options: Vec<OsString>,
    values: Vec<OsString>,
    paths: Option<Vec<OsString>>,
}

impl Args {
    /// A command and its options.
    pub(crate) fn new(options: &[&'static str]) -> Self {
        Self::default().options(options)
    }

    /// More options.
    pub(crate) fn options(mut self, options: &[&'static str]) -> Self {
        self.options.extend(options.iter().map(OsString::from));
        self
    }

    /// `-c key=value`: a setting for this command only.
    pub(crate) fn set(mut self, key: &'static str, value: impl Display) -> Self {
        self.global.extend(["-c".into(), format!("{key}={value}").into()]);
        self
    }

    /// `-c <section>.<name>.<key>=value`: a setting for this command only, of the remote or submodule with this name. git
    /// can set nothing in this way for a name with `=`, such as a URL with a query, which has no settings anyway.
    pub(crate) fn set_of(
        mut self,
        section: &'static str,
        name: &str,
        key: &'static str,
        value: impl Display,
    ) -> Self {
        if !name.contains('=') {
            self.global.extend(["-c".into(), format!("{section}.{name}.{key}={value}").into()]);
        }
        self
    }

    /// An option and its value in one word: `--exclude=` and a branch, `-L` and a range.
    pub(crate) fn with(mut self, option: &'static str, value: impl Display) -> Self {
        self.options.push(format!("{option}{value}").into());
        self
    }

    /// A revision, a ref, a remote, a configuration key or value: anything that is neither an option nor a path.
    pub(crate) fn value(mut self, value: impl AsRef<OsStr>) -> Self {
        self.values.push(value.as_ref().to_owned());
        self
    }

    /// Several values.
    pub(crate) fn values<S: AsRef<OsStr>>(mut self, values: impl IntoIterator<Item = S>) -> Self {
        self.values.extend(values.into_iter().map(|value| value.as_ref().to_owned()));
        self
    }

    /// Excludes a commit and its history: `^<id>`.
    pub(crate) fn without(self, commit: impl Display) -> Self {
        self.value(format!("^{commit}"))
    }

    /// A file or directory, by its literal path.
    pub(crate) fn path(mut self, path: impl AsRef<OsStr>) -> Self {
        self.paths.get_or_insert_default().push(path.as_ref().to_owned());
        self
    }

    /// States that no value is a path, whatever the work tree contains.
    pub(crate) fn no_paths(mut self) -> Self {
        self.paths.get_or_insert_default();
        self
    }

    /// The arguments as git gets them.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words = self.global.clone();
        if self.paths.as_ref().is_some_and(|paths| !paths.is_empty()) {
            words.push("--literal-pathspecs".into());
        }
        words.extend(self.options.iter().cloned());
        if !self.values.is_empty() {
            words.push("--end-of-options".into());
            words.extend(self.values.iter().cloned());
        }
        if let Some(paths) = &self.paths {
            words.push("--".into());
            words.extend(paths.iter().cloned());
        }
        words
    }
}

impl From<&[&'static str]> for Args {
    fn from(options: &[&'static str]) -> Self {
        Self::new(options)
    }
}

impl<const N: usize> From<&[&'static str; N]> for Args {
    fn from(options: &[&'static str; N]) -> Self {
        Self::new(options)
    }
}

impl From<&Self> for Args {
    fn from(args: &Self) -> Self {
        args.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_where_it_is_no_option() {
        let args = Args::new(&["log", "-1"])
            .set("core.pager", "-x")
            .with("--exclude=", "-y")
            .path("-p")
            .value("--output=x")
            .without("-z");
        let words: Vec<_> = args.words().into_iter().map(|word| word.into_string().unwrap()).collect();
        assert_eq!(
            words.join(" "),
            "-c core.pager=-x --literal-pathspecs log -1 --exclude=-y --end-of-options --output=x ^-z -- -p"
        );
        let none: Vec<_> = Args::new(&["rev-list"]).value("a").no_paths().words();
        assert_eq!(none, ["rev-list", "--end-of-options", "a", "--"]);
        assert_eq!(Args::new(&["version"]).words(), ["version"]);
    }
}
