//! What this user agreed to run: the commands of one plan in one repository. Noted outside of the repository, where
//! nothing that comes from a remote can write.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::AgentError;
use crate::store::Store;

/// The note for one plan, by its digest.
#[derive(Debug)]
pub(crate) struct Agreement {
    path: PathBuf,
    about: String,
}

impl Agreement {
    /// Where an agreement to the plan of this digest is noted.
    pub(crate) fn to(store: &Store, plan_digest: &str) -> Result<Self, AgentError> {
        let state = state_home().ok_or(AgentError::NoHome)?;
        let repository = store.common_dir();
        let repository = repository.canonicalize().unwrap_or(repository);
        let mut hash = Sha256::new();
        hash.update(repository.as_os_str().as_encoded_bytes());
        hash.update([0]);
        hash.update(plan_digest);
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            path: state.join("git-wf/agreed").join(name),
            about: format!("{plan_digest}\n{}\n", repository.display()),
        })
    }

    /// Whether it was given.
    pub(crate) fn is_given(&self) -> bool {
        self.path.exists()
    }

    /// Notes it.
    pub(crate) fn give(&self) -> Result<(), AgentError> {
        let failed = |source| AgentError::Agreed { path: self.path.clone(), source };
        std::fs::create_dir_all(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        std::fs::write(&self.path, &self.about).map_err(failed)
    }
}

fn state_home() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))
}
