//! The commands that this user agreed to run: single commands of one plan, or for the workplaces of a project, in one
//! repository, each as it was shown. They are recorded outside the repository, where nothing that comes from a remote can write.

use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::ConsentError;
use crate::model::PlanDigest;
use crate::rules::CommandLine;
use crate::store::Store;

/// The subject of consent to the commands that prepare workplaces. The digest of a plan never looks like this.
const WORKPLACES: &str = "workplaces";

/// The setting of a workplace that names the git directory of the repository from which it was made: what was agreed to
/// there is agreed to in the workplace.
pub(crate) const LENDER: &str = "wf.workplace.lender";

/// The consent for one plan, by its digest, or for workplaces.
#[derive(Debug)]
pub(crate) struct Agreement {
    folder: PathBuf,
    repository: PathBuf,
    subject: String,
}

impl Agreement {
    /// Where consent to commands of the plan with this digest is recorded.
    pub(crate) fn to(store: &Store, plan_digest: &PlanDigest) -> Result<Self, ConsentError> {
        Self::new(store, plan_digest.as_str())
    }

    /// Where consent to the commands that prepare workplaces is recorded.
    pub(crate) fn to_workplaces(store: &Store) -> Result<Self, ConsentError> {
        Self::new(store, WORKPLACES)
    }

    fn new(store: &Store, subject: &str) -> Result<Self, ConsentError> {
        let folder = store.environment().state_home().ok_or(ConsentError::NoHome)?.join("git-wf/agreed");
        let repository = store.config(LENDER).map_or_else(|| store.common_dir(), PathBuf::from);
        let repository = repository.canonicalize().unwrap_or(repository);
        Ok(Self { folder, repository, subject: subject.to_owned() })
    }

    /// Whether consent was given to this command.
    pub(crate) fn is_given(&self, command: &CommandLine) -> bool {
        // A truncated record does not count.
        std::fs::read(self.path(command)).is_ok_and(|note| note == self.note(command))
    }

    /// Records consent to these commands, and no others.
    pub(crate) fn give<'a>(
        &self,
        commands: impl IntoIterator<Item = &'a CommandLine>,
    ) -> Result<(), ConsentError> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|source| ConsentError::Agreed { path: self.folder.clone(), source })?;
        for command in commands {
            let path = self.path(command);
            std::fs::write(&path, self.note(command))
                .map_err(|source| ConsentError::Agreed { path, source })?;
        }
        Ok(())
    }

    fn path(&self, command: &CommandLine) -> PathBuf {
        let digest = Sha256::digest(self.note(command));
        self.folder.join(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// The text that is agreed to. The command comes last and has no line break.
    fn note(&self, command: &CommandLine) -> Vec<u8> {
        let repository = self.repository.as_os_str().as_encoded_bytes();
        [self.subject.as_bytes(), b"\n", repository, b"\n", command.as_str().as_bytes(), b"\n"].concat()
    }
}
