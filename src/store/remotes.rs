//! The remotes that are configured, and the refspec by which the ref comes from one.

use gix::bstr::ByteSlice;

use super::error::StoreError;
use super::repo::Store;
use crate::git::ObjectId;

/// A move of a ref, as its reflog tells.
pub(crate) struct RefMove {
    /// Where it went.
    pub(crate) commit: ObjectId,
    /// Seconds since 1970, by this machine's clock.
    pub(crate) at: i64,
    /// What moved it: `update by push`, `fetch …`.
    pub(crate) why: String,
}

impl Store {
    /// What `refs/wf/main` is called on a remote whose refs were fetched: `refs/wf-remotes/origin/main`.
    pub(crate) fn tracking(&self, remote: &str) -> String {
        let reference = self.reference();
        let name =
            reference.strip_prefix("refs/wf/").unwrap_or_else(|| reference.trim_start_matches("refs/"));
        format!("refs/wf-remotes/{remote}/{name}")
    }

    /// The remote whose head lies at this ref, as [`Store::tracking`] names it.
    pub(crate) fn remote_at<'a>(&self, tracking: &'a str) -> Option<&'a str> {
        let name = self.tracking("");
        let name = name.strip_prefix("refs/wf-remotes/")?;
        tracking.strip_prefix("refs/wf-remotes/")?.strip_suffix(name)
    }

    /// The refspec by which a plain `git fetch` brings the ref along.
    pub(crate) fn fetch_refspec(&self, remote: &str) -> String {
        let reference = self.reference();
        if reference.starts_with("refs/wf/") {
            format!("+refs/wf/*:refs/wf-remotes/{remote}/*")
        } else {
            // A glob is no error where the remote has nothing of that name; a full name would be.
            format!("+{reference}*:{}*", self.tracking(remote))
        }
    }

    /// The remotes that have a place to fetch from, by name.
    pub(crate) fn remotes(&self) -> Vec<String> {
        let config = self.repo.config_snapshot();
        let names = self.repo.remote_names();
        let names = names.iter().map(|name| name.to_str_lossy().into_owned());
        // A section may hold settings alone, as a user-wide `remote.origin.prune` does.
        names.filter(|name| config.string(format!("remote.{name}.url").as_str()).is_some()).collect()
    }

    /// The remotes by name, each with the address that it is fetched from, as git rewrites it.
    pub(crate) fn remote_urls(&self) -> Vec<(String, String)> {
        let url = |name: String| {
            let remote = self.repo.find_remote(name.as_str()).ok()?;
            let url = remote.url(gix::remote::Direction::Fetch)?.to_bstring();
            Some((name, url.to_str_lossy().into_owned()))
        };
        self.remotes().into_iter().filter_map(url).collect()
    }

    /// The moves of a ref, latest first; none if it has no reflog. At most `most`.
    pub(crate) fn moves(&self, reference: &str, most: usize) -> Result<Vec<RefMove>, StoreError> {
        let found =
            self.repo.try_find_reference(reference).map_err(StoreError::object("cannot read a reference"))?;
        let Some(found) = found else { return Ok(Vec::new()) };
        let mut log = found.log_iter();
        let lines = log.rev().map_err(StoreError::io(self.common_dir().join("logs").join(reference)))?;
        let lines = lines.into_iter().flatten().map_while(Result::ok).take(most);
        let moves = lines.map(|line| RefMove {
            commit: line.new_oid,
            at: line.signature.time.seconds,
            why: line.message.to_str_lossy().trim().to_owned(),
        });
        Ok(moves.collect())
    }

    /// Whether a plain `git fetch` of this remote brings the ref along.
    pub(crate) fn fetches_from(&self, remote: &str) -> bool {
        let ours = self.fetch_refspec(remote);
        self.refspecs().iter().any(|(name, refspec)| {
            name == remote && refspec.trim_start_matches('+') == ours.trim_start_matches('+')
        })
    }

    /// Refuses where a fetch would overwrite what is about to be written.
    pub(crate) fn refuse_mirror(&self) -> Result<(), StoreError> {
        for (remote, refspec) in self.refspecs() {
            let target = refspec.rsplit_once(':').map_or("", |(_, target)| target);
            if covers(target, self.reference()) {
                return Err(StoreError::Mirror { remote, refspec, reference: self.reference().to_owned() });
            }
        }
        Ok(())
    }

    /// Each `remote.<name>.fetch`, with the name.
    fn refspecs(&self) -> Vec<(String, String)> {
        let config = self.repo.config_snapshot();
        let mut refspecs = Vec::new();
        for section in config.plumbing().sections_by_name("remote").into_iter().flatten() {
            let Some(remote) = section.header().subsection_name() else { continue };
            for refspec in section.values("fetch") {
                refspecs.push((remote.to_str_lossy().into_owned(), refspec.to_str_lossy().into_owned()));
            }
        }
        refspecs
    }
}

/// Whether the right side of a refspec, with at most one `*`, names `reference`.
fn covers(target: &str, reference: &str) -> bool {
    match target.split_once('*') {
        None => target == reference,
        Some((start, end)) => {
            reference.len() >= start.len() + end.len()
                && reference.starts_with(start)
                && reference.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_told_from_a_tracking_refspec() {
        assert!(covers("refs/*", "refs/wf/main"));
        assert!(covers("refs/wf/*", "refs/wf/main"));
        assert!(covers("refs/wf/main", "refs/wf/main"));
        assert!(!covers("refs/wf-remotes/origin/*", "refs/wf/main"));
        assert!(!covers("refs/remotes/origin/*", "refs/wf/main"));
        assert!(!covers("", "refs/wf/main"));
    }
}
