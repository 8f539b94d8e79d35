//! The remotes that are configured.

use bstr::ByteSlice;
use gix::remote::Direction;

use super::repository::Repository;

impl Repository {
    /// The remotes that have a place to fetch from, by name.
    pub(crate) fn remotes(&self) -> Vec<String> {
        let config = self.config();
        let names = self.gix.remote_names();
        let names = names.iter().map(|name| name.to_str_lossy().into_owned());
        // A section may hold settings alone, as a user-wide `remote.origin.prune` does.
        names.filter(|name| config.text(&format!("remote.{name}.url")).is_some()).collect()
    }

    /// The remotes by name, each with the address that it is fetched from, as git rewrites it.
    pub(crate) fn remote_urls(&self) -> Vec<(String, String)> {
        let url = |name: String| {
            let remote = self.gix.find_remote(name.as_str()).ok()?;
            let url = remote.url(Direction::Fetch)?.to_bstring();
            Some((name, url.to_str_lossy().into_owned()))
        };
        self.remotes().into_iter().filter_map(url).collect()
    }
}
