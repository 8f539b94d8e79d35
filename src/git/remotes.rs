//! The configured remotes.

use bstr::ByteSlice;
use gix::remote::Direction;

use super::Repository;

impl Repository {
    /// The names of the remotes that have a URL.
    pub(crate) fn remotes(&self) -> Vec<String> {
        let config = self.config();
        let names = self.gix.remote_names();
        let names = names.iter().map(|name| name.to_str_lossy().into_owned());
        // A section may hold only settings, as a user-wide `remote.origin.prune` does.
        names.filter(|name| config.text(&format!("remote.{name}.url")).is_some()).collect()
    }

    /// The remotes by name, each with its fetch URL as rewritten by git.
    pub(crate) fn remote_urls(&self) -> Vec<(String, String)> {
        self.remotes()
            .into_iter()
            .filter_map(|name| {
                let remote = self.gix.find_remote(name.as_str()).ok()?;
                let url = remote.url(Direction::Fetch)?.to_bstring();
                Some((name, url.to_str_lossy().into_owned()))
            })
            .collect()
    }
}
