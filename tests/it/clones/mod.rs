//! Two clones and a remote between them.

mod conflicts;
mod converge;
mod hostile;
mod places;
mod races;
mod refused;
mod unmergeable;

use crate::support::foreign::*;
use crate::support::{REF, Repo, Sandbox, Two};

pub(crate) fn tracking(repo: &Repo) -> Option<String> {
    let ran = repo.git(&["rev-parse", "--verify", "--quiet", "refs/wf-remotes/origin/main"]);
    (ran.code == 0).then(|| ran.line().to_owned())
}
