//! Two clones and a remote between them.

use std::sync::Arc;

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
        Self::begin(|_| ())
    }

    /// Both with the issue GH-1, of which each can write its own version.
    pub(crate) fn with_issue() -> Self {
        Self::begin(|two| {
            two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
            two.ada.wf(&["sync"]).ok();
            two.bea.wf(&["sync"]).ok();
        })
    }

    /// Two clones in which `make` was called, once for each place that begins like this.
    #[track_caller]
    pub(crate) fn begin(make: impl FnOnce(&Self)) -> Self {
        let sandbox = Sandbox::new();
        sandbox.begin(&(), |sandbox| {
            sandbox.begin(&(), make_clones);
            make(&Self::of(Sandbox { world: Arc::clone(&sandbox.world) }));
        });
        Self::of(sandbox)
    }

    fn of(sandbox: Sandbox) -> Self {
        let bea = bea(&sandbox);
        Self { origin: sandbox.at("origin.git"), ada: sandbox.at("ada"), bea, sandbox }
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

fn make_clones(sandbox: &Sandbox) {
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    ada.wf(&["init"]).ok();
    ada.wf(&["sync"]).ok();
    sandbox.clone(&origin, "bea");
    bea(sandbox).wf(&["init"]).ok();
}

fn bea(sandbox: &Sandbox) -> Repo {
    sandbox.at("bea").as_person("Bea", "bea@example.org")
}
