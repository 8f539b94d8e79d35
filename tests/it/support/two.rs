//! Two clones and a remote between them.

use super::{Repo, Sandbox};

/// A bare remote and two clones of it, each with the store.
pub(crate) struct Two {
    pub(crate) sandbox: Sandbox,
    pub(crate) origin: Repo,
    pub(crate) ada: Repo,
    pub(crate) bea: Repo,
}

impl Two {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let origin = sandbox.bare("origin.git");
        let ada = sandbox.clone(&origin, "ada");
        ada.wf(&["init"]).ok();
        ada.wf(&["sync"]).ok();
        let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
        bea.wf(&["init"]).ok();
        Self { sandbox, origin, ada, bea }
    }

    /// Both with the issue GH-1, of which each can write its own version.
    pub(crate) fn with_issue() -> Self {
        let two = Self::new();
        two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
        two.ada.wf(&["sync"]).ok();
        two.bea.wf(&["sync"]).ok();
        two
    }

    /// Syncs until both have everything.
    #[track_caller]
    pub(crate) fn meet(&self) {
        for repo in [&self.ada, &self.bea, &self.ada] {
            repo.wf(&["sync"]).ok();
        }
    }

    #[track_caller]
    pub(crate) fn assert_one_state(&self) {
        assert_eq!(self.ada.tip(), self.bea.tip());
        assert_eq!(self.ada.tip(), self.origin.tip());
        self.origin.git(&["fsck", "--strict"]).ok();
    }
}
