//! Errors of the store.

use std::path::PathBuf;

use super::Unpurged;
use super::layout::largest;
use crate::git::{Fault, GitError, ObjectId};
use crate::model::doc::Frozen;
use crate::model::{Broken, Code, Excess, Explain, Op, Other, Remedies, RemedyCall, Time, shell};

/// A failure of the store. In every case the ref is unchanged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// `init` was not run yet.
    #[error("this repository has no store yet (no ref `{0}`)")]
    NotInitialised(String),
    /// The ref does not point to a commit whose tree is a store.
    #[error("`{reference}` is not a store of git-wf: {why}")]
    NotAStore {
        /// The full ref name.
        reference: String,
        /// What is there instead.
        why: String,
    },
    /// The ref points to another ref.
    #[error("`{reference}` is a symbolic ref to `{target}`, and a store needs an ordinary ref")]
    Symbolic {
        /// The full ref name.
        reference: String,
        /// The name that it points to.
        target: String,
    },
    /// Written by a later version of the program.
    #[error("the store has format {found}; this git-wf reads format {known}")]
    NewerFormat {
        /// What `wf.json` says.
        found: u64,
        /// What this program knows.
        known: u64,
    },
    /// A fetch would overwrite the ref.
    #[error(
        "`remote.{remote}.fetch = {refspec}` overwrites `{reference}` with every fetch, so nothing is written here"
    )]
    Mirror {
        /// The remote.
        remote: String,
        /// Its refspec.
        refspec: String,
        /// The ref.
        reference: String,
    },
    /// A configured value is invalid.
    #[error("`{key} = {value}` cannot be used: {why}")]
    Config {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// What is allowed.
        why: &'static str,
    },
    /// No name or e-mail address is known; the message is git's own.
    #[error("{0}")]
    Identity(String),
    /// The system provides no random numbers.
    #[error("the system provides no random numbers: {0}")]
    Random(String),
    /// Another process holds the lock, and the timeout passed.
    #[error("another git-wf {}", locked(*.0))]
    Locked(u64),
    /// The work was cancelled while another process held the lock.
    #[error("interrupted while waiting for another git-wf")]
    Stopped,
    /// The ref kept moving while this was written, by a writer that does not take the lock.
    #[error("`{reference}` was moved {times} times while this was being written")]
    Contended {
        /// The full ref name.
        reference: String,
        /// The number of attempts.
        times: u32,
    },
    /// A record cannot be read.
    #[error("`{path}`: {broken}")]
    Broken {
        /// Its path in the tree.
        path: String,
        /// What is wrong.
        broken: Broken,
    },
    /// A directory that unfolds to more files than a merge accepts.
    #[error("the directory `{path}` is too large: it holds more than {most} files")]
    FullFolder {
        /// Its path in the tree.
        path: String,
        /// The limit.
        most: u64,
    },
    /// A record that is within the limits on each side but too large when merged.
    #[error("the record `{path}` is too large: merged, it takes more than {} MiB or 1,000,000 JSON values", .most >> 20)]
    FullRecord {
        /// Its path in the tree.
        path: String,
        /// The limit in bytes.
        most: u64,
    },
    /// A head with a directory or a record that no clone can merge.
    #[error("{whose} cannot be merged: {why}")]
    Unmergeable {
        /// Which head.
        whose: Box<HeadSide>,
        /// The path of the directory or record.
        path: String,
        /// The full name of the ref.
        reference: String,
        /// Why it cannot be merged.
        why: Box<StoreError>,
    },
    /// A record larger than any reader accepts.
    #[error("`{path}` would be {} MB, and a record has at most {} MB", size >> 20, largest(path) >> 20)]
    TooLarge {
        /// Its path in the tree.
        path: String,
        /// Its size in bytes.
        size: u64,
    },
    /// A record with a part that is larger than any reader accepts.
    #[error("`{record}`: {excess}")]
    Excess {
        /// Its id, or its path in the tree.
        record: String,
        /// The part that is too large.
        excess: Box<Excess>,
    },
    /// A field that can no longer be written: no stamp is later than its own.
    #[error("`{record}`: {frozen}")]
    Frozen {
        /// Its id, or its path in the tree.
        record: String,
        /// The field.
        frozen: Box<Frozen>,
    },
    /// git could not sign the commit.
    #[error("the commit cannot be signed: {words}")]
    Unsigned {
        /// What git said.
        words: String,
        /// The setting that asks for a signature.
        key: &'static str,
    },
    /// The history is incomplete.
    #[error("the history of the ref is incomplete: this is a shallow clone")]
    Shallow,
    /// The parents of a commit of the code are missing (a shallow clone).
    #[error("cannot tell what commit {0} changed: this clone is shallow and lacks its parents")]
    ShallowCode(ObjectId),
    /// A remote has commits that are not in the ref.
    #[error("`{tracking}` holds commits that are not in `{reference}`")]
    Unmerged {
        /// The remote-tracking ref.
        tracking: String,
        /// The ref.
        reference: String,
    },
    /// A repair depends on the clock, and the history contradicts it.
    #[error("the clock of this machine says {now}, but {why}: nothing was repaired")]
    DoubtedClock {
        /// What the clock says.
        now: Time,
        /// What contradicts it.
        why: String,
    },
    /// One history was purged and the other was not.
    #[error("{}", apart(*side, name, reference))]
    Purged {
        /// Which one was not purged.
        side: Unpurged,
        /// The ref of the head that could not be merged.
        name: String,
        /// The ref.
        reference: String,
    },
    /// A failure of git, of the git library, or of a file in the git directory.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Which of two heads cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HeadSide {
    /// Ours.
    Ours,
    /// The head of this remote, fetched to this ref.
    Theirs(String, String),
    /// Both: only the merge of the two is too large, or each of them is.
    Both(String),
}

impl std::fmt::Display for HeadSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ours => f.write_str("this store"),
            Self::Theirs(name, _) => write!(f, "the head of `{name}`"),
            Self::Both(name) => write!(f, "this store together with the head of `{name}`"),
        }
    }
}

impl StoreError {
    /// Wraps an error from reading or writing objects with what was being done.
    pub(crate) fn object(doing: &'static str) -> impl Fn(Fault) -> Self {
        move |source| Self::Git(GitError::object(doing)(source))
    }

    /// Adds the name of the record that has too much.
    pub(crate) fn excess(record: &str) -> impl FnOnce(Excess) -> Self {
        let record = record.to_owned();
        move |excess| Self::Excess { record, excess: Box::new(excess) }
    }

    /// Adds the name of the record with the frozen field.
    pub(crate) fn frozen(record: &str) -> impl FnOnce(Frozen) -> Self {
        let record = record.to_owned();
        move |frozen| Self::Frozen { record, frozen: Box::new(frozen) }
    }

    /// The error for what git printed when it could not sign; each line is a part of the reason.
    pub(super) fn unsigned(stderr: &str, key: &'static str) -> Self {
        let lines = stderr.lines().map(str::trim).map(|line| {
            line.strip_prefix("error: ").or_else(|| line.strip_prefix("fatal: ")).unwrap_or(line)
        });
        // gpg's status lines are meant for programs.
        let lines = lines
            .map(|line| line.trim_end_matches(':'))
            .filter(|line| !line.is_empty() && !line.starts_with("[GNUPG:]") && *line != "(no gpg output)");
        let words = lines.collect::<Vec<_>>().join("; ");
        Self::Unsigned { words, key }
    }

    /// Adds the path to an error of the file system.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let failed = GitError::io(path);
        move |source| Self::Git(failed(source))
    }
}

/// How to continue if a record is too large.
fn shorter() -> &'static str {
    "nothing was changed here; make the longest texts of that record shorter in one of the two clones, then sync again"
}

fn unmergeable(whose: &HeadSide, path: &str, reference: &str) -> String {
    let (path, reference) = (shell::word(path), shell::word(reference));
    let back = format!("`git update-ref {reference} COMMIT`");
    match whose {
        HeadSide::Ours => format!(
            "{} shows who made it too large; {back} sets this store back to a commit before that",
            log_command(&path, &reference)
        ),
        HeadSide::Theirs(_, tracking) => format!(
            "nothing was changed here; {} shows who made it too large; {back}, run in that repository, sets it back to a commit \
             before that",
            log_command(&path, &shell::word(tracking))
        ),
        HeadSide::Both(_) => format!(
            "nothing was changed here; {} shows who made it too large here; {back} sets one of the two back to a commit before \
             that",
            log_command(&path, &reference)
        ),
    }
}

fn log_command(path: &str, at: &str) -> String {
    format!("`git log {at} -- {path}`")
}

fn apart(side: Unpurged, name: &str, reference: &str) -> String {
    match side {
        Unpurged::Theirs => format!("`{name}` still has the history that was purged from `{reference}` here"),
        Unpurged::Ours => format!("`{name}` was purged, but `{reference}` here still has the old history"),
    }
}

fn locked(seconds: u64) -> String {
    match seconds {
        0 => "is writing".into(),
        1 => "has been writing for a second".into(),
        _ => format!("has been writing for {seconds} seconds"),
    }
}

impl Explain for StoreError {
    fn code(&self) -> Code {
        match self {
            Self::NotInitialised(_) => Code::NotInitialised,
            Self::NotAStore { .. } | Self::Symbolic { .. } => Code::NotAStore,
            Self::NewerFormat { .. } => Code::NewerFormat,
            Self::Mirror { .. } => Code::Mirror,
            Self::Config { .. } => Code::Config,
            Self::Identity(_) => Code::Identity,
            Self::Random(_) => Code::NoRandomNumbers,
            Self::Locked(_) => Code::Locked,
            Self::Stopped => Code::Interrupted,
            Self::Contended { .. } => Code::Contended,
            Self::Broken { .. } => Code::BrokenRecord,
            Self::TooLarge { .. }
            | Self::Excess { .. }
            | Self::FullFolder { .. }
            | Self::FullRecord { .. } => Code::TooLarge,
            Self::Frozen { .. } => Code::Frozen,
            Self::Unsigned { .. } => Code::Unsigned,
            Self::Shallow | Self::ShallowCode(_) => Code::Shallow,
            Self::Unmerged { .. } => Code::Unmerged,
            Self::DoubtedClock { .. } => Code::DoubtedClock,
            Self::Purged { .. } => Code::Purged,
            Self::Unmergeable { why, .. } => why.code(),
            Self::Git(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::NotInitialised(_) => Remedies::call(Other::Init, "creates it, or fetches the remote's"),
            Self::NotAStore { .. } => Remedies::call(RemedyCall::from(Op::Fsck).flag("repair"), "restores a damaged store").or_command("git config wf.ref", "names the ref"),
            Self::Symbolic { reference, target } => {
                let (reference, target) = (shell::operand(reference), shell::word(target));
                Remedies::command(format!("git config wf.ref {target}"), "uses that ref as the store")
                    .or_command(format!("git symbolic-ref --delete {reference}"), "removes the symbolic ref, and nothing else")
            }
            Self::NewerFormat { .. } => "install a newer git-wf; nothing was written".into(),
            Self::Mirror { .. } => "use a clone that is not a mirror, or remove that refspec from the config".into(),
            Self::Config { key, .. } if key.starts_with("GIT_") => Remedies::command(format!("unset {key}"), "removes it").and("or give it a date that git accepts"),
            Self::Config { key, .. } => Remedies::command(format!("git config --unset {key}"), "restores the default"),
            Self::Random(_) => "ids need them; nothing was written".into(),
            Self::Identity(_) => Remedies::command("git config --global user.name NAME", "sets the name")
                .or_command("git config --global user.email ADDRESS", "the address"),
            Self::Locked(_) => Remedies::from("try again").or_command("git config wf.lockTimeout SECONDS", "changes how long to wait"),
            Self::Stopped => "try again".into(),
            Self::Contended { reference, .. } => Remedies::from("try again; something other than git-wf is moving that ref")
                .or_command(format!("git reflog {}", shell::word(reference)), "shows what moved it"),
            Self::Broken { .. } => Remedies::call(Other::Log, "shows who wrote it; the rest of the store is not affected"),
            Self::FullRecord { .. } => shorter().into(),
            Self::Unmergeable { whose, path, reference, why } => {
                let back = unmergeable(whose, path, reference);
                match **why {
                    Self::FullRecord { .. } => format!("{back}; or make its longest texts shorter in one of the two clones").into(),
                    _ => back.into(),
                }
            }
            Self::FullFolder { path, .. } => format!(
                "`git log REF -- {}`, with the ref of the store, shows who made it too large; set it back to a commit before that",
                shell::word(path)
            )
            .into(),
            Self::Git(GitError::CrowdedFolder { .. }) => {
                "write into another issue, queue or run; `git log REF -- PATH`, with the ref of the store, shows who made it too large".into()
            }
            Self::Excess { excess, .. } if matches!(**excess, Excess::Unknown { .. }) => {
                "put what these fields say into a comment or into another record".into()
            }
            Self::Excess { excess, .. } if matches!(**excess, Excess::Full { .. }) => {
                Remedies::from("remove what is not needed").or_call(RemedyCall::from(Op::Fsck).flag("repair"), "then repairs it")
            }
            Self::Frozen { .. } => {
                Remedies::call(RemedyCall::from(Op::Fsck).flag("repair"), "makes it possible to change it again")
            }
            Self::TooLarge { .. } | Self::Excess { .. } => "put the text into a file of the project, and name that".into(),
            Self::Unsigned { key, .. } => Remedies::command("git config gpg.format", "shows how it signs")
                .or_command("git config user.signingKey", "with what")
                .or_command(format!("git -c {key}=false wf …"), "does not sign"),
            Self::Shallow => Remedies::command("git fetch --unshallow", "fetches the rest"),
            Self::ShallowCode(_) => Remedies::command("git fetch --unshallow", "fetches the rest")
                .or_command("git fetch --deepen=N", "fetches N more commits"),
            Self::Unmerged { .. } => Remedies::call(Other::Sync, "merges them here first; otherwise they would be lost"),
            Self::DoubtedClock { .. } => Remedies::command("date -u", "shows the clock of this machine; compare it with another one")
                .and("if it is wrong, set it and repeat; if it is right, repeat with `--trust-clock`"),
            Self::Purged { side: Unpurged::Theirs, .. } => {
                Remedies::call(RemedyCall::from(Op::Redact).flag("purge"), "merges what is new there and prints the command that replaces the history there")
            }
            Self::Purged { side: Unpurged::Ours, .. } => {
                Remedies::call(RemedyCall::from(Op::Redact).flag("purge"), "purges it here too and keeps unpublished work")
                    .or_call(Other::Sync, "then continues")
            }
            Self::Git(error) => error.remedies(),
        }
    }
}
