//! What an agent should leave alone: the refs and the files of its user. A difference is reported and never undone, since the
//! user may have made it.

use std::collections::BTreeMap;

use crate::model::CommitHash;
use crate::ops::{Notice, Refusal, Session};
use crate::store::{ObjectId, Store, StoreError};
use crate::trail::landed::target::LandingTarget;

/// How many differences are named.
const MOST_NAMED: usize = 5;
/// Refs that this program moves while an agent works.
const OWN: [&str; 4] = ["refs/wf/", "refs/wf-kept/", "refs/wf-remotes/", "refs/heads/wf/"];

/// The refs and the files of a user at one time.
#[derive(Debug)]
pub(crate) struct UsersState {
    refs: BTreeMap<String, ObjectId>,
    branch: Option<String>,
    changed: Vec<String>,
    /// Refs that the run itself moves meanwhile.
    moved_by_run: Vec<String>,
}

impl UsersState {
    /// Looks at them.
    pub(crate) fn look(store: &Store) -> Result<Self, Refusal> {
        let mut refs = store.repo().all_refs().map_err(StoreError::object("cannot read the references"))?;
        refs.retain(|name, _| *name != store.reference() && !OWN.iter().any(|own| name.starts_with(own)));
        let changed = if store.work_dir().is_some() { store.git().uncommitted()? } else { vec![] };
        let branch = store.branch()?.map(|branch| branch.short().to_owned());
        Ok(Self { refs, branch, changed, moved_by_run: Vec::new() })
    }

    /// The same for a run that lands work meanwhile: whatever becomes of the branch on which that lands is no difference.
    pub(crate) fn while_landing(self, store: &Store) -> Result<Self, Refusal> {
        let Some(target) = LandingTarget::find(store)? else { return Ok(self) };
        let mut moved_by_run = vec![target.branch.as_str().to_owned()];
        if let Some(remote) = &target.remote {
            moved_by_run.push(format!("refs/remotes/{remote}/{}", target.branch.short()));
        }
        Ok(Self { moved_by_run, ..self })
    }

    /// Reports what is different now.
    pub(crate) fn report(&self, session: &Session, agent: &str) {
        if let Some(what) = self.changed(session.store()) {
            let message = format!("while agent `{agent}` worked elsewhere, {what}");
            session.notice(Notice::warning(message));
        }
    }

    /// What is different now, in words; `None` if nothing is, or if somebody stopped the look.
    pub(crate) fn changed(&self, store: &Store) -> Option<String> {
        let differences = match Self::look(store) {
            Ok(now) => self.differences(&now),
            Err(refusal) if refusal.is_stop() => return None,
            Err(refusal) => vec![refusal.message],
        };
        let what = format!("somebody changed this repository: {}", differences.join(", "));
        (!differences.is_empty()).then_some(what)
    }

    fn differences(&self, now: &Self) -> Vec<String> {
        let short = |id: &ObjectId| CommitHash::from(*id).short().to_owned();
        let mut found = Vec::new();
        if self.branch != now.branch {
            found.push(format!("HEAD is on {}", now.branch.as_deref().unwrap_or("no branch")));
        }
        for (name, id) in now.refs.iter().filter(|(name, _)| !self.moved_by_run.contains(name)) {
            match self.refs.get(name) {
                Some(before) if before == id => {}
                Some(before) => found.push(format!("{name} moved from {} to {}", short(before), short(id))),
                None => found.push(format!("{name} is new")),
            }
        }
        let is_gone = |name: &&String| !now.refs.contains_key(*name) && !self.moved_by_run.contains(*name);
        let gone = self.refs.keys().filter(is_gone);
        found.extend(gone.map(|name| format!("{name} is gone")));
        let files = now.changed.iter().filter(|file| !self.changed.contains(file));
        found.extend(files.map(|file| file.trim().to_owned()));
        let restored = self.changed.iter().filter(|file| !now.changed.contains(file));
        found.extend(restored.map(|file| format!("no longer {}", file.trim())));
        let more = found.len().saturating_sub(MOST_NAMED);
        found.truncate(MOST_NAMED);
        if more > 0 {
            found.push(format!("and {more} more"));
        }
        found
    }
}
