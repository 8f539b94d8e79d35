//! Remembers in which sessions the agents of a run work, so that they are asked on in them, also after the run was killed.
//! The sessions themselves are the agents' own, on this machine, and so is the note of each.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agent::known_session::KnownSession;
use crate::model::id::IssueId;
use crate::ops::work::runs::paths::RunPaths;
use crate::rules::roles::Role;

/// The directory in that of the run.
const FOLDER: &str = "sessions";

/// The note of the session in which an agent works on an issue in a role.
#[derive(Debug, Clone)]
pub(super) struct SessionNote {
    path: PathBuf,
}

/// What is noted of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NotedSession {
    /// The session.
    pub(super) session: KnownSession,
    /// What the agent was asked about: the id of an issue, a plan or an execution.
    pub(super) about: String,
    /// Whether the agent answered what it was asked last.
    pub(super) is_answered: bool,
}

impl SessionNote {
    pub(super) fn of(places: &RunPaths, role: Role, issue: &IssueId) -> Self {
        Self { path: folder(places).join(format!("{role}-{issue}.json")) }
    }

    /// What is noted; `None` if nothing is.
    pub(super) fn read(&self) -> Option<NotedSession> {
        serde_json::from_slice(&fs::read(&self.path).ok()?).ok()
    }

    /// Notes a session. If that fails, the session can only not be continued.
    pub(super) fn write(&self, noted: &NotedSession) {
        let written = || -> std::io::Result<()> {
            fs::create_dir_all(self.path.parent().unwrap_or(Path::new("")))?;
            fs::write(&self.path, serde_json::to_vec(noted)?)
        };
        let _ = written();
    }

    /// The agent begins anew.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Forgets all sessions of a run that has ended.
pub(super) fn forget_all(places: &RunPaths) {
    let _ = fs::remove_dir_all(folder(places));
}

fn folder(places: &RunPaths) -> PathBuf {
    places.files.join(FOLDER)
}
