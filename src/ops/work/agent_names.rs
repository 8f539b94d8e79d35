//! The agents of runs, as they are named.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::{Code, json_text};
use crate::ops::Refusal;
use crate::rules::Role;
use crate::store::Store;

/// The file that remembers the names. It stays on this machine, since a command line may contain a secret.
const FILE: &str = "agents.json";

/// Names or command lines of agents, and whether to keep their transcripts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AgentNames {
    /// Explores issues before they are planned.
    pub(crate) explorer: Option<String>,
    /// Makes plans.
    pub(crate) planner: Option<String>,
    /// Reviews them.
    pub(crate) reviewer: Option<String>,
    /// Executes them.
    pub(crate) executor: Option<String>,
    /// Whether to keep the transcripts of completed issues as well.
    pub(crate) keep_transcripts: Option<bool>,
}

impl AgentNames {
    /// Fills in from `other` what is not given here.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            explorer: self.explorer.or(other.explorer),
            planner: self.planner.or(other.planner),
            reviewer: self.reviewer.or(other.reviewer),
            executor: self.executor.or(other.executor),
            keep_transcripts: self.keep_transcripts.or(other.keep_transcripts),
        }
    }

    /// The names in git's configuration: `wf.run.explorer` and so on.
    ///
    /// # Errors
    /// `config`.
    pub(crate) fn configured(store: &Store) -> Result<Self, Refusal> {
        Ok(Self {
            explorer: store.config("wf.run.explorer"),
            planner: store.config("wf.run.planner"),
            reviewer: store.config("wf.run.reviewer"),
            executor: store.config("wf.run.executor"),
            keep_transcripts: Some(store.config_bool("wf.run.keepTranscripts", false)?),
        })
    }

    /// The given names, each with its role.
    pub(crate) fn by_role(self) -> impl Iterator<Item = (Role, String)> {
        let roles = [
            (Role::Explorer, self.explorer),
            (Role::Planner, self.planner),
            (Role::Reviewer, self.reviewer),
            (Role::Executor, self.executor),
        ];
        roles.into_iter().filter_map(|(role, text)| Some((role, text?)))
    }

    /// The names kept when the run began; empty if it began on another machine.
    ///
    /// # Errors
    /// `cannot-read`, since using other agents instead would be a surprise.
    pub(crate) fn kept(folder: &Path) -> Result<Self, Refusal> {
        let path = folder.join(FILE);
        let read = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            read => read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?)),
        };
        read.map_err(|error| {
            Refusal::new(Code::CannotRead, format!("cannot read {}: {error}", path.display()))
                .hint("remove the file to use the agents that the command names or git config sets")
        })
    }

    /// Stores the names, readable only by this user.
    pub(crate) fn keep(&self, folder: &Path) -> Result<(), Refusal> {
        let path = folder.join(FILE);
        self.write(folder, &path).map_err(|error| {
            Refusal::new(Code::CannotWrite, format!("cannot write {}: {error}", path.display()))
                .hint("make sure that the directory is writable and the disk has space")
        })
    }

    fn write(&self, folder: &Path, path: &Path) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let options = fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).clone();
        options.open(path)?.write_all(json_text::pretty(self)?.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_cannot_be_read_are_not_taken_for_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(AgentNames::kept(folder.path()).unwrap(), AgentNames::default());
        let given = AgentNames { planner: Some("claude".into()), ..AgentNames::default() };
        given.keep(folder.path()).unwrap();
        assert_eq!(AgentNames::kept(folder.path()).unwrap(), given);
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(AgentNames::kept(folder.path()).unwrap_err().code, Code::CannotRead);
    }
}
