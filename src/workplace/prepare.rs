//! Prepares a new worktree, so that tests pass there as they do where the user works.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::include::{self, SkippedPath};
use super::settings::WorkplaceSettings;
use super::slot::PlaceVariables;
use super::submodules::{self, MissingSubmodule, Tree};
use super::target;
use crate::agent::ConsentError;
use crate::agent::agreed::Agreement;
use crate::git::{Fault, GitError, Kind, hash_object};
use crate::model::{Code, Explain, Remedies};
use crate::process::ProcessError;
use crate::process::supervise::{self, Interrupts, ProcessEnd, Ran, Shell};
use crate::rules::CommandLine;
use crate::rules::command_line::HiddenCharacter;
use crate::store::{ObjectId, Store, StoreError};

/// Directories into which package managers install.
const PACKAGES: [&str; 4] = ["node_modules", ".venv", "venv", "site-packages"];
/// How long a command that prepares a workplace may take: as long as a test.
const SETUP_LIMIT: Duration = Duration::from_secs(3600);
/// How long a command may take before a workplace is removed.
const TEARDOWN_LIMIT: Duration = Duration::from_secs(300);

/// Why a workplace cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PreparationError {
    /// A file of settings is too large.
    #[error("`{name}` has {size} bytes; at most 65536 are read")]
    TooLarge {
        /// Its name.
        name: &'static str,
        /// Its size in bytes.
        size: u64,
    },
    /// The project's file of settings cannot be read.
    #[error("`{name}` cannot be read: {why}")]
    Config {
        /// Its name.
        name: &'static str,
        /// git's reason.
        why: String,
    },
    /// A command cannot be shown as it is.
    #[error("a command of `{key}` cannot be run: {hidden}")]
    Hidden {
        /// The setting.
        key: &'static str,
        /// What nobody would see.
        hidden: HiddenCharacter,
    },
    /// The first port is not one.
    #[error("`{0}` is not a value for `wf.workplace.port`: it takes a port from 1024 to 65526")]
    Port(String),
    /// The configured target is not there.
    #[error("work is to land on `{0}`, and there is no such branch here or at the remote")]
    Target(String),
    /// Every slot is taken.
    #[error("no port above {0} is free for another workplace")]
    NoPort(u16),
    /// The slots cannot be read or written.
    #[error("cannot use {}: {source}", .path.display())]
    Slots {
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file cannot be brought.
    #[error("cannot copy `{}`: {source}", .path.display())]
    Copy {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The user has no directory for such records.
    #[error("neither XDG_STATE_HOME nor HOME is set")]
    NoHome,
    /// A command cannot be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The consent to a command cannot be recorded.
    #[error(transparent)]
    Consent(#[from] ConsentError),
    /// git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Fault> for PreparationError {
    fn from(fault: Fault) -> Self {
        Self::Git(GitError::object("cannot read the settings of workplaces")(fault))
    }
}

impl Explain for PreparationError {
    fn code(&self) -> Code {
        match self {
            Self::Process(error) => error.code(),
            Self::Consent(error) => error.code(),
            Self::Git(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Hidden { .. } => Code::UnseenCommand,
            Self::NoHome => Code::NotAgreed,
            _ => Code::Worktree,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Process(error) => error.remedies(),
            Self::Consent(error) => error.remedies(),
            Self::Git(error) => error.remedies(),
            Self::Store(error) => error.remedies(),
            Self::TooLarge { .. } => "remove what no workplace needs".into(),
            Self::Config { .. } => {
                "correct it on the branch on which work lands; its syntax is that of git config".into()
            }
            Self::Hidden { .. } => "a command is one line of visible characters".into(),
            Self::Port(_) => "choose a port that other programs do not use, such as 21000".into(),
            Self::Target(_) => {
                Remedies::from("fetch it, or name another branch in `wf.land.onto` or the policy `land.onto`")
            }
            Self::NoPort(_) => {
                "remove worktrees that are no longer needed, or set `wf.workplace.port` lower".into()
            }
            Self::NoHome => "set XDG_STATE_HOME to a directory that can be written".into(),
            Self::Slots { .. } | Self::Copy { .. } => {
                "make sure that the directory is writable and the disk has space".into()
            }
        }
    }
}

/// How the workplaces of a project are prepared.
pub(crate) struct Preparation {
    settings: WorkplaceSettings,
    /// `None` if there are no commands to agree to.
    agreement: Option<Agreement>,
}

/// The work tree beside which a workplace was made.
pub(crate) struct Source<'a> {
    /// Its store.
    pub(crate) store: &'a Store,
    /// Its top directory; `None` if the repository is bare.
    pub(crate) top: Option<PathBuf>,
}

/// The place to prepare.
pub(crate) struct NewPlace<'a> {
    /// Its store.
    pub(crate) store: &'a Store,
    /// Tells it from other places, in `WF_NAME`.
    pub(crate) label: &'a str,
    /// Whether it is the clone of an agent.
    pub(crate) is_agents: bool,
    /// The words before those of a setup command: a sandbox, if there is one.
    pub(crate) within: &'a [OsString],
}

/// What was prepared.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The ignored files that were brought.
    pub(crate) files: Vec<PathBuf>,
    /// Their content, with their paths, if the place is an agent's.
    pub(crate) ignored: BTreeMap<ObjectId, PathBuf>,
    /// Paths that match `.worktreeinclude` and were not brought.
    pub(crate) skipped: Vec<SkippedPath>,
    /// The submodules that were checked out.
    pub(crate) submodules: Vec<PathBuf>,
    /// Submodules that were not checked out.
    pub(crate) missing: Vec<MissingSubmodule>,
    /// Its variables; `None` if there is no directory in which to remember them.
    pub(crate) variables: Option<PlaceVariables>,
    /// How many setup commands passed.
    pub(crate) commands: usize,
    /// The setup command that did not pass, after which none was run.
    pub(crate) failed: Option<FailedCommand>,
}

/// A setup command that did not pass.
#[derive(Debug)]
pub(crate) struct FailedCommand {
    /// The command.
    pub(crate) command: String,
    /// How it ended, and what it wrote last.
    pub(crate) ran: Ran,
}

impl Prepared {
    /// Whether nothing was done to the files of the place.
    pub(crate) fn left_all_as_it_was(&self) -> bool {
        self.files.is_empty() && self.submodules.is_empty() && self.commands == 0 && self.failed.is_none()
    }
}

/// The content of ignored files that were brought to a new workplace, with their paths. Empty files have none, and neither have those
/// of installed packages: everybody can have these, and a licence or a line of settings may be in the project, too.
fn ignored_content(store: &Store, top: &Path, files: &[PathBuf]) -> BTreeMap<ObjectId, PathBuf> {
    let hash = store.repo().hash_kind();
    let mut found = BTreeMap::new();
    for path in files.iter().filter(|path| !is_of_package(path)) {
        let copy = top.join(path);
        if copy.symlink_metadata().is_ok_and(|file| file.is_file())
            && let Ok(content) = fs::read(&copy)
            && !content.is_empty()
            && let Ok(id) = hash_object(hash, Kind::Blob, &content)
        {
            found.insert(id, path.clone());
        }
    }
    found
}

fn is_of_package(path: &Path) -> bool {
    path.components().any(|part| PACKAGES.iter().any(|name| part.as_os_str() == *name))
}

impl Preparation {
    /// Reads the settings from the branch on which work lands.
    pub(crate) fn load(store: &Store) -> Result<Self, PreparationError> {
        let settings = WorkplaceSettings::read(store, target::tip(store)?)?;
        let has_commands = !settings.setup.is_empty() || !settings.teardown.is_empty();
        let agreement = has_commands.then(|| Agreement::to_workplaces(store)).transpose()?;
        Ok(Self { settings, agreement })
    }

    /// The commands, for the beginning and the end, that nobody here has agreed to yet.
    pub(crate) fn unseen(&self) -> Vec<&CommandLine> {
        let Some(agreement) = &self.agreement else { return vec![] };
        let all = self.settings.setup.iter().chain(&self.settings.teardown);
        all.filter(|command| !agreement.is_given(command)).collect()
    }

    /// How many setup commands there are.
    pub(crate) fn count(&self) -> usize {
        self.settings.setup.len()
    }

    /// Drops the setup commands.
    pub(crate) fn without_setup(mut self) -> Self {
        self.settings.setup.clear();
        self
    }

    /// Runs the commands for the end in a workplace that is about to be removed, behind the words in `within`. All of them run;
    /// returns those that did not pass.
    pub(crate) fn tear_down(
        &self,
        top: &Path,
        environment: &[(OsString, OsString)],
        within: &[OsString],
        interrupts: &Interrupts,
    ) -> Result<Vec<FailedCommand>, PreparationError> {
        let mut failed = Vec::new();
        for command in &self.settings.teardown {
            let shell = Shell { command, folder: top, environment: Some(environment), within };
            let ran = supervise::run(&shell, Some(TEARDOWN_LIMIT), interrupts, &mut |_| {})?;
            if ran.ended != ProcessEnd::Exited(0) {
                failed.push(FailedCommand { command: command.as_str().to_owned(), ran });
            }
        }
        Ok(failed)
    }

    /// Whether anything runs before a workplace is removed.
    pub(crate) fn has_teardown(&self) -> bool {
        !self.settings.teardown.is_empty()
    }

    /// Prepares a place: submodules, ignored files, variables, setup commands. `begins` is called with each command
    /// before it runs.
    pub(crate) fn prepare(
        &self,
        source: &Source<'_>,
        new: &NewPlace<'_>,
        interrupts: &Interrupts,
        begins: &mut dyn FnMut(&CommandLine),
    ) -> Result<Prepared, PreparationError> {
        let &NewPlace { store: place, label, is_agents, .. } = new;
        let top = place.work_dir().unwrap_or_else(|| place.git_dir());
        let environment = source.store.environment();
        let (mut included, mut submodules) = Default::default();
        if let Some(from) = &source.top {
            let users = Tree { top: from, store: source.store };
            submodules = submodules::check_out(&Tree { top: &top, store: place }, &users, is_agents)?;
            if let Some(patterns) = &self.settings.include {
                let git = source.store.git();
                included = include::bring(&git, patterns, from, &top, &environment.temporary())?;
            }
        }
        // Before any command can change the copies.
        let ignored =
            if is_agents { ignored_content(source.store, &top, &included.files) } else { BTreeMap::new() };
        let variables = match PlaceVariables::take(source.store, &top, label) {
            Err(PreparationError::NoHome) => None,
            taken => Some(taken?),
        };
        if let Some(variables) = &variables {
            variables.note(place)?;
        }
        let seen = if is_agents {
            Some(PlaceVariables::beside_agents(source.store, variables.as_ref()))
        } else {
            variables.as_ref().map(|variables| variables.added_to(environment))
        };
        let (commands, failed) = self.run_setup(&top, seen.as_deref(), new, interrupts, begins)?;
        Ok(Prepared {
            files: included.files,
            ignored,
            skipped: included.skipped,
            submodules: submodules.done,
            missing: submodules.missing,
            variables,
            commands,
            failed,
        })
    }

    /// Returns how many commands passed, and the first that did not.
    fn run_setup(
        &self,
        top: &Path,
        environment: Option<&[(OsString, OsString)]>,
        place: &NewPlace<'_>,
        interrupts: &Interrupts,
        begins: &mut dyn FnMut(&CommandLine),
    ) -> Result<(usize, Option<FailedCommand>), PreparationError> {
        for (passed, command) in self.settings.setup.iter().enumerate() {
            begins(command);
            let shell = Shell { command, folder: top, environment, within: place.within };
            let ran = supervise::run(&shell, Some(SETUP_LIMIT), interrupts, &mut |_| {})?;
            if ran.ended != ProcessEnd::Exited(0) {
                let failed = FailedCommand { command: command.as_str().to_owned(), ran };
                return Ok((passed, Some(failed)));
            }
        }
        Ok((self.settings.setup.len(), None))
    }
}
