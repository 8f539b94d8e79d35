//! Runs the installed `git`, for what it does better than a library: transport, trailers, maintenance, identity.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use super::error::lock_file;
use super::{
    Args, Environment, ForeignSettings, GitError, TransferWatch, Withheld, stoppable, transfer_progress,
};

/// Variables by which git tells its children which repository, index and message to use, and that a pager shows
/// what they print. A child that works
/// elsewhere, or that outlives a hook, must not inherit them.
const LOCAL_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PAGER_IN_USE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Variables by which git tells its hooks where the objects of a push are.
const INCOMING: &[&str] =
    &["GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_QUARANTINE_PATH"];

/// Asks git, in the user's environment, whether it accepts the repository of `folder`. git refuses a repository of
/// another user unless `safe.directory` names it, and a bare one if `safe.bareRepository` says so.
pub(crate) fn accepts(folder: &Path) -> Result<(), GitError> {
    let args = ["rev-parse", "--git-dir"];
    let mut command = Command::new("git");
    command.env("LC_ALL", "C").args(args).current_dir(folder).stdin(Stdio::null());
    let output = command.output().map_err(|source| GitError::Start { command: joined(&args), source })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let fatal = lines.iter().find_map(|line| line.strip_prefix("fatal: "));
    match lines.iter().find(|line| line.starts_with("git config ") && line.contains("safe.directory")) {
        Some(remedy) => Err(GitError::DubiousOwnership {
            words: fatal.unwrap_or("detected dubious ownership").to_owned(),
            remedy: (*remedy).to_owned(),
        }),
        None if text.contains("safe.bareRepository") => {
            Err(GitError::BareNotNamed(fatal.unwrap_or(text.trim()).to_owned()))
        }
        None => Err(GitError::Open(fatal.unwrap_or(text.trim()).to_owned())),
    }
}

/// The user's pager, a shell command. Run in the current directory, so that the repository's own configuration
/// applies. As in git, `GIT_PAGER` in the environment beats a command in `pager.wf`.
pub(crate) fn pager(is_in_environment: bool) -> Option<String> {
    match own_pager().as_deref() {
        Some("false" | "no" | "off" | "0") => return None,
        None | Some("true" | "yes" | "on" | "1" | "") => {}
        Some(command) if !is_in_environment => return Some(command.to_owned()),
        Some(_) => {}
    }
    let mut command = Command::new("git");
    command.args(["var", "GIT_PAGER"]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// `pager.wf`: whether to use a pager, or which.
fn own_pager() -> Option<String> {
    let mut command = Command::new("git");
    command.args(["config", "--get", "pager.wf"]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end_matches('\n').to_owned())
}

/// Whether `color.wf`, or else `color.ui`, allows colour on a terminal.
pub(crate) fn wants_colour() -> bool {
    let mut command = Command::new("git");
    command.args(["config", "--get-colorbool", "color.wf", "true"]).stdin(Stdio::null());
    command.stderr(Stdio::null()).output().map_or(true, |output| output.stdout.trim_ascii() != b"false")
}

/// The version of the installed git: `2.47.3`; `None` if there is none.
pub(crate) fn git_version() -> Option<String> {
    let output = Command::new("git").arg("version").stdin(Stdio::null()).output().ok()?;
    let words = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    words.strip_prefix("git version ").map(str::to_owned)
}

/// The oldest git version that suffices for everything. Code that needs a later version says so itself.
pub(super) const OLDEST: GitRelease = GitRelease(2, 31);

/// A version of git, major and minor only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GitRelease(u32, u32);

impl std::fmt::Display for GitRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl GitRelease {
    /// Parses a version.
    fn parse(version: &str) -> Option<Self> {
        let mut numbers = version.split('.');
        Some(Self(numbers.next()?.trim().parse().ok()?, numbers.next()?.trim().parse().ok()?))
    }
}

/// The version of the installed git if it is too old. Asked once, and only after a failure: starting a process takes
/// longer than most commands.
fn too_old() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let found = git_version()?;
        GitRelease::parse(&found).is_some_and(|release| release < OLDEST).then_some(found)
    });
    found.as_deref()
}

/// Whether git tells its children by this variable which repository to use.
pub(crate) fn is_local_variable(name: &OsStr) -> bool {
    LOCAL_VARIABLES.iter().any(|local| name == *local)
}

/// Removes the variables by which git tells its children which repository to use.
pub(crate) fn clear_local_variables(command: &mut Command) {
    for name in LOCAL_VARIABLES {
        command.env_remove(name);
    }
}

/// Runs `git` for one repository, in an environment with English messages and without the variables of another
/// repository.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    git_dir: PathBuf,
    pub(super) work_dir: Option<PathBuf>,
    /// The variables that name the object directories of a push, for its hook.
    incoming: Option<Vec<(OsString, OsString)>>,
    /// Says whether git is confined.
    environment: Environment,
    /// Whether it needs the user's keys, even if it is confined.
    has_keys: bool,
    /// Whether this program runs it for an agent of a run, whose hooks and trace are about what the agent itself does.
    pub(super) is_for_agent: bool,
    /// Whether it reads each object as it is, whatever replaces it here.
    ignores_replacements: bool,
    /// Settings that hold for each of its commands: `-c` and `key=value`.
    pub(super) settings: ForeignSettings,
}

impl Git {
    /// `git_dir` is the git directory of the worktree. Without a `work_dir`, the repository counts as bare.
    pub(crate) fn new(git_dir: impl Into<PathBuf>, work_dir: Option<&Path>) -> Self {
        Self {
            git_dir: git_dir.into(),
            work_dir: work_dir.map(Path::to_owned),
            incoming: None,
            environment: Environment::default(),
            has_keys: false,
            is_for_agent: false,
            ignores_replacements: false,
            settings: ForeignSettings::default(),
        }
    }

    /// A git that this program runs for an agent of a run. Its own rules apply to what it does.
    pub(crate) fn for_agent(self) -> Self {
        Self { is_for_agent: true, ..self }
    }

    /// A git with the hooks and the trace that all other git commands have here.
    pub(super) fn as_anyone(&self) -> Self {
        Self { is_for_agent: false, ..self.clone() }
    }

    /// A git that is confined if `environment` says so.
    pub(crate) fn within(self, environment: &Environment) -> Self {
        Self { environment: environment.clone(), ..self }
    }

    /// A git that may use the user's keys, to sign or to talk to a remote.
    pub(super) fn with_keys(&self) -> Self {
        Self { has_keys: true, ..self.clone() }
    }

    /// A git for which `refs/replace` and grafts do not exist: the other side of a transfer has its own.
    pub(super) fn without_replacements(&self) -> Self {
        Self { ignores_replacements: true, ..self.clone() }
    }

    /// A git for a hook of a push: it also sees the pushed objects, and ignores replace refs, since those could have
    /// been pushed too.
    pub(crate) fn seeing_incoming(self, environment: &Environment) -> Self {
        let known = environment.iter().filter(|(name, _)| INCOMING.iter().any(|incoming| name == incoming));
        Self { incoming: Some(known.cloned().collect()), ignores_replacements: true, ..self }
    }

    /// A command that the caller can still change (stdin, inherited output).
    pub(super) fn command(&self, args: impl Into<Args>) -> Command {
        self.started_with(&args.into().words())
    }

    fn started_with(&self, words: &[OsString]) -> Command {
        let withheld = self.environment.withheld();
        let mut command = match withheld.and_then(Withheld::program) {
            Some(program) => Command::new(program),
            None => Command::new("git"),
        };
        if let Some(withheld) = withheld {
            withheld.apply(&mut command, self.has_keys);
        }
        clear_local_variables(&mut command);
        command.env("GIT_DIR", &self.git_dir).env("LC_MESSAGES", "C").env("LANGUAGE", "C");
        if self.is_for_agent {
            command.env_remove("GIT_TRACE2_EVENT").args(["-c", "core.hooksPath=/dev/null"]);
        }
        command.args(self.settings.words());
        if let Some(known) = &self.incoming {
            command.envs(known.iter().cloned());
        }
        if self.ignores_replacements {
            command.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_GRAFT_FILE", "/dev/null");
        }
        if let Some(dir) = &self.work_dir {
            command.env("GIT_WORK_TREE", dir).current_dir(dir);
        } else {
            command.current_dir(&self.git_dir);
        }
        command.args(words).stdin(Stdio::null());
        command
    }

    /// Runs git to its end and returns its output, whether or not it succeeded.
    pub(super) fn output(&self, args: impl Into<Args>) -> Result<Output, GitError> {
        let words = args.into().words();
        let output = self.started_with(&words).output();
        let output = output.map_err(|source| GitError::Start { command: joined(&words), source })?;
        not_stopped(&words, output)
    }

    fn traced(&self, words: &[OsString], trace: Option<&Path>) -> Command {
        let mut command = self.started_with(words);
        if let Some(trace) = trace {
            command.env("GIT_TRACE_CURL", trace).env("GIT_TRACE_CURL_NO_DATA", "1");
            command.env_remove("GIT_TRACE_REDACT");
        }
        command
    }

    /// Like [`Git::output`], for commands that talk to a remote: writes the HTTP traffic to `trace`, without contents and
    /// secrets, and reports the progress. If the work is cancelled, ends git and its children, unless they end by
    /// themselves within `grace`.
    pub(super) fn output_watched(
        &self,
        args: Args,
        trace: Option<&Path>,
        grace: Duration,
        watch: TransferWatch<'_>,
    ) -> Result<Output, GitError> {
        let words = args.options(&["--progress"]).words();
        let mut command = self.traced(&words, trace);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = match self.environment.stop() {
            None => transfer_progress::output(command, watch).map(Some),
            Some(is_given_up) => {
                stoppable::output(command, self.environment.may_ask(), grace, &is_given_up, watch)
            }
        };
        match output.map_err(|source| GitError::Start { command: joined(&words), source })? {
            Some(output) => not_stopped(&words, output),
            None => Err(GitError::Stopped { command: joined(&words) }),
        }
    }

    /// Whether the user traces git's HTTP traffic.
    pub(super) fn is_traced(&self) -> bool {
        self.environment.filled("GIT_TRACE_CURL").is_some()
    }

    /// Runs git to its end and returns stdout; a failure is an error with the contents of stderr.
    pub(super) fn run(&self, args: impl Into<Args>) -> Result<Vec<u8>, GitError> {
        let words = args.into().words();
        let output = self.started_with(&words).output();
        let output = output.map_err(|source| GitError::Start { command: joined(&words), source })?;
        succeeded(&words, output).map(|output| output.stdout)
    }

    /// Like [`Git::run`], with `input` on stdin.
    pub(super) fn run_with(&self, args: impl Into<Args>, input: &[u8]) -> Result<Vec<u8>, GitError> {
        feed(self.command(args), input)
    }
}

/// Runs a command made by [`Git::command`], with `input` on stdin.
pub(crate) fn feed(command: Command, input: &[u8]) -> Result<Vec<u8>, GitError> {
    fed(command, input).map(|output| output.stdout)
}

/// Like [`feed`], but also returns stderr.
pub(crate) fn fed(mut command: Command, input: &[u8]) -> Result<Output, GitError> {
    use std::io::Write;
    let args: Vec<_> = command.get_args().map(OsStr::to_owned).collect();
    let start = |source| GitError::Start { command: joined(&args), source };
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(start)?;
    let stdin = child.stdin.take();
    // A thread writes stdin: a child that prints output before it has read everything could otherwise block on full
    // pipes.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A child that needs no more input closes the pipe; its exit code decides.
                let _ = stdin.write_all(input);
            }
        });
        child.wait_with_output()
    })
    .map_err(start)?;
    succeeded(&args, output)
}

pub(super) fn succeeded<S: AsRef<OsStr>>(args: &[S], output: Output) -> Result<Output, GitError> {
    if output.status.success() {
        return Ok(output);
    }
    let output = not_stopped(args, output)?;
    let (command, code) = (joined(args), output.status.code());
    let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(match too_old() {
        Some(found) => {
            let words = format!("{stderr} (git {found} is older than {OLDEST})");
            GitError::TooOld { command, words }
        }
        None => match lock_file(&stderr) {
            Some(lock) => GitError::LockFile(lock),
            None => GitError::Failed { command, stderr, code },
        },
    })
}

/// Refuses the output of a git that was asked to end, since that says nothing about what it was to do.
fn not_stopped<S: AsRef<OsStr>>(args: &[S], output: Output) -> Result<Output, GitError> {
    if stoppable::is_stopped(output.status) {
        Err(GitError::Stopped { command: joined(args) })
    } else {
        Ok(output)
    }
}

pub(super) fn joined<S: AsRef<OsStr>>(args: &[S]) -> String {
    args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let is_old = |words: &str| GitRelease::parse(words).map(|release| release < OLDEST);
        for (words, expected) in [
            ("2.30.9", Some(true)),
            ("1.99", Some(true)),
            ("2.9.5", Some(true)),
            ("2.31.0", Some(false)),
            ("2.47.3 (Apple Git-145)", Some(false)),
            ("2.100.0.windows.1", Some(false)),
            ("3.0.0", Some(false)),
            ("something else", None),
        ] {
            assert_eq!(is_old(words), expected, "{words}");
        }
    }
}
