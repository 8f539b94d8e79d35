//! The configured remotes, and the refspec that fetches the ref from one.

use super::{Store, StoreError};

impl Store {
    /// The remote-tracking ref of `refs/wf/main`: `refs/wf-remotes/origin/main`.
    pub(crate) fn tracking(&self, remote: &str) -> String {
        let reference = self.reference();
        let name =
            reference.strip_prefix("refs/wf/").unwrap_or_else(|| reference.trim_start_matches("refs/"));
        format!("refs/wf-remotes/{remote}/{name}")
    }

    /// The remote whose tracking ref this is, as [`Store::tracking`] names it.
    pub(crate) fn remote_at<'a>(&self, tracking: &'a str) -> Option<&'a str> {
        let name = self.tracking("");
        let name = name.strip_prefix("refs/wf-remotes/")?;
        tracking.strip_prefix("refs/wf-remotes/")?.strip_suffix(name)
    }

    /// The refspec that makes a plain `git fetch` bring the ref along.
    pub(crate) fn fetch_refspec(&self, remote: &str) -> String {
        let reference = self.reference();
        if reference.starts_with("refs/wf/") {
            format!("+refs/wf/*:refs/wf-remotes/{remote}/*")
        } else {
            // A glob that matches nothing on the remote is not an error; a full name would be.
            format!("+{reference}*:{}*", self.tracking(remote))
        }
    }

    /// Whether a plain `git fetch` from this remote brings the ref along.
    pub(crate) fn fetches_from(&self, remote: &str) -> bool {
        self.fetched_as(remote).iter().any(|name| name == remote)
    }

    /// The names for which a plain `git fetch` from this remote brings the ref along: its own, or an earlier one, since `git
    /// remote rename` keeps the refspec.
    pub(crate) fn fetched_as(&self, remote: &str) -> Vec<String> {
        // No name contains a line end.
        let ours = self.fetch_refspec("\n");
        let (start, end) = ours.split_once('\n').unwrap_or((&ours, ""));
        let start = start.trim_start_matches('+');
        let refspecs = self.repo().config().fetch_refspecs();
        let own = refspecs.iter().filter(|(name, _)| name == remote);
        let names = own.filter_map(|(_, refspec)| {
            refspec.trim_start_matches('+').strip_prefix(start)?.strip_suffix(end).map(str::to_owned)
        });
        names.collect()
    }

    /// Refuses to write if a fetch would overwrite the ref.
    pub(crate) fn refuse_mirror(&self) -> Result<(), StoreError> {
        for (remote, refspec) in self.repo().config().fetch_refspecs() {
            let target = refspec.rsplit_once(':').map_or("", |(_, target)| target);
            if covers(target, self.reference()) {
                return Err(StoreError::Mirror { remote, refspec, reference: self.reference().to_owned() });
            }
        }
        Ok(())
    }
}

/// Whether the destination of a refspec, with at most one `*`, matches `reference`.
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
