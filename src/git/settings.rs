//! The configuration, as git reads it.

use std::path::PathBuf;

use bstr::{BString, ByteSlice};

use super::Fault;

/// The configuration of a repository.
pub(crate) struct Config<'repo>(pub(super) gix::config::Snapshot<'repo>);

impl Config<'_> {
    /// The last value of a key, as text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.0.string(key).map(|value| value.to_str_lossy().into_owned())
    }

    /// All values of a key that can be set several times.
    pub(crate) fn all(&self, key: &str) -> Vec<String> {
        let values = self.0.plumbing().strings(key).unwrap_or_default();
        values.iter().map(|value| value.to_str_lossy().into_owned()).collect()
    }

    /// A boolean; `None` if it is not set, or not a boolean.
    pub(crate) fn boolean(&self, key: &str) -> Option<bool> {
        self.0.boolean(key)
    }

    /// Reads a boolean; any other value is an error.
    pub(crate) fn try_boolean(&self, key: &str) -> Result<Option<bool>, Fault> {
        self.0.try_boolean(key)
    }

    /// A number, which may have a unit such as `k`.
    pub(crate) fn integer(&self, key: &str) -> Option<i64> {
        self.0.integer(key)
    }

    /// A path, with `~` expanded; `None` if it is not set, or comes from a file that is not trusted.
    pub(crate) fn path(&self, key: &str) -> Option<PathBuf> {
        self.0.trusted_path(key).ok().flatten()
    }

    /// The last value of any of these keys (in lower case) in a section.
    pub(crate) fn last_of(&self, section: &str, names: &[&str]) -> Option<BString> {
        let mut found = None;
        for section in self.0.plumbing().sections_by_name(section).into_iter().flatten() {
            if section.header().subsection_name().is_none()
                && let Some(name) = section
                    .value_names()
                    .filter(|name| names.iter().any(|other| name.eq_ignore_ascii_case(other)))
                    .last()
            {
                found = section.values(&name).pop().or(found);
            }
        }
        found
    }

    /// Each value in the subsections of a section: the name of the subsection, that of the value, and the value.
    pub(crate) fn subsections(&self, section: &str) -> Vec<(String, String, String)> {
        let mut found = Vec::new();
        for section in self.0.plumbing().sections_by_name(section).into_iter().flatten() {
            let Some(subsection) = section.header().subsection_name() else { continue };
            for name in section.value_names() {
                for value in section.values(&name) {
                    let [subsection, value] = [subsection.to_str_lossy(), value.to_str_lossy()];
                    found.push((subsection.into_owned(), name.to_string(), value.into_owned()));
                }
            }
        }
        found
    }

    /// Each `remote.<name>.fetch`, with the name of the remote.
    pub(crate) fn fetch_refspecs(&self) -> Vec<(String, String)> {
        let mut refspecs = Vec::new();
        for section in self.0.plumbing().sections_by_name("remote").into_iter().flatten() {
            let Some(remote) = section.header().subsection_name() else { continue };
            for refspec in section.values("fetch") {
                refspecs.push((remote.to_str_lossy().into_owned(), refspec.to_str_lossy().into_owned()));
            }
        }
        refspecs
    }
}
