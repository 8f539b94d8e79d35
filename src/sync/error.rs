//! Errors of exchanges with a remote. None of them changes the local state.

use super::shown::Unshown;
use super::transfer::Limited;
use super::words;
use crate::git::{GitError, lock_file};
use crate::model::{Code, Explain, Op, Other, Remedies, RemedyCall, shell};
use crate::store::StoreError;

/// A failure of fetch, merge or push.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SyncError {
    /// The repository has no remote at all.
    #[error("this repository has no remote")]
    NoRemote,
    /// There are several, and no setting names one.
    #[error("nothing says which remote `{reference}` belongs to: {}", listed(remotes))]
    WhichRemote {
        /// The ref.
        reference: String,
        /// The remotes there are.
        remotes: Vec<String>,
    },
    /// There is no remote of this name.
    #[error("{}there is no remote `{name}`; {}", if *is_configured { "`wf.remote` is wrong: " } else { "" }, there_are(remotes))]
    UnknownRemote {
        /// What was asked for.
        name: String,
        /// Whether the name comes from `wf.remote` instead of the command line.
        is_configured: bool,
        /// The remotes there are.
        remotes: Vec<String>,
    },
    /// `wf.remote` names a remote by the name that it had before it was renamed.
    #[error("`wf.remote` is wrong: the remote that was `{name}` is now `{now}`")]
    RenamedRemote {
        /// What `wf.remote` says.
        name: String,
        /// What the remote is called now.
        now: String,
        /// Whether another remote has the name now.
        is_reused: bool,
    },
    /// The remote, or the network, cannot be reached.
    #[error("`{remote}` cannot be reached: {words}")]
    Unreachable {
        /// The remote.
        remote: String,
        /// git's message.
        words: String,
    },
    /// The remote requires credentials, and none were given.
    #[error("`{remote}` denied access: {words}")]
    Credentials {
        /// The remote.
        remote: String,
        /// git's message.
        words: String,
    },
    /// The host limits the rate of requests, and asks to wait longer than a command waits.
    #[error("`{remote}` limits the rate of requests: {}", limited.words)]
    Limited {
        /// The remote.
        remote: String,
        /// The host's refusal.
        limited: Limited,
    },
    /// The remote refuses the push: a hook, a protected ref, a directory that cannot be written.
    #[error("`{remote}` refused `{reference}`: {words}")]
    Refused {
        /// The remote.
        remote: String,
        /// The ref.
        reference: String,
        /// The remote's message.
        words: String,
        /// What the remote says to do about it.
        hint: Option<String>,
    },
    /// The remote has commits that are not here yet.
    #[error("`{remote}` holds commits of `{reference}` that are not here yet")]
    Behind {
        /// The remote.
        remote: String,
        /// The ref.
        reference: String,
    },
    /// Others pushed first each time.
    #[error("`{remote}` changed during each of {times} attempts to push `{reference}`: {words}")]
    Raced {
        /// The remote.
        remote: String,
        /// The ref.
        reference: String,
        /// The number of attempts.
        times: u32,
        /// The last reason.
        words: String,
    },
    /// Others pushed first, and the remote does not show it.
    #[error("others pushed to `{reference}` of `{remote}` first, and {}", unseen(where_to))]
    Unseen {
        /// The remote.
        remote: String,
        /// The ref.
        reference: String,
        /// Where the commits of others are.
        where_to: Unshown,
    },
    /// The remote accepted the commit and does not show it.
    #[error("`{remote}` accepted `{reference}`, but does not show it: {where_to}")]
    NotShown {
        /// The remote.
        remote: String,
        /// The ref.
        reference: String,
        /// Where it went.
        where_to: Unshown,
    },
    /// The connection ended before the remote said whether it accepted the commit, and it could not be asked again.
    #[error("it is unknown whether `{remote}` accepted the commit: {words}")]
    Unknown {
        /// The remote.
        remote: String,
        /// git's message.
        words: String,
    },
    /// Another process of this clone talked to the remote for longer than a command waits. Nothing was asked of the
    /// remote.
    #[error("gave up waiting for another process of this clone{}, which is talking to `{remote}`", numbered(*process))]
    NoTurn {
        /// The remote.
        remote: String,
        /// The other process, if it is known.
        process: Option<u32>,
    },
    /// The wait was given up after this process had handed in its commit.
    #[error(
        "gave up waiting for another process of this clone, which is talking to `{remote}` and may still push this commit"
    )]
    LeftLine {
        /// The remote.
        remote: String,
    },
    /// What the remote has under that name cannot be merged.
    #[error("the store of `{remote}` cannot be merged: {why}")]
    Theirs {
        /// The remote.
        remote: String,
        /// The ref that it was fetched to.
        tracking: String,
        /// Why.
        why: StoreError,
    },
    /// The work was cancelled while it waited for the remote.
    #[error("interrupted while waiting for `{remote}`{}", if *is_handed_in { "; another process of this clone may still push this commit" } else { "" })]
    Stopped {
        /// The remote.
        remote: String,
        /// Whether the commit was handed in to be pushed.
        is_handed_in: bool,
    },
    /// The work was cancelled while git pushed.
    #[error("a push to `{remote}` was stopped, and may have arrived there")]
    PushStopped {
        /// The remote.
        remote: String,
    },
    /// The local side failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SyncError {
    /// Whether the work was cancelled.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(
            self,
            Self::Stopped { .. }
                | Self::PushStopped { .. }
                | Self::Store(StoreError::Stopped | StoreError::Git(GitError::Stopped { .. }))
        )
    }

    /// Whether trying again later, or with another remote, may help: the remote could not be asked.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::Credentials { .. } | Self::Limited { .. } | Self::NoTurn { .. }
        )
    }

    /// Whether someone else is writing into the store here.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.code(), Code::Locked | Code::Contended)
    }
}

impl Explain for SyncError {
    fn code(&self) -> Code {
        match self {
            Self::NoRemote => Code::NoRemote,
            Self::WhichRemote { .. } => Code::WhichRemote,
            Self::UnknownRemote { .. } | Self::RenamedRemote { .. } => Code::UnknownRemote,
            Self::Unreachable { .. } => Code::Unreachable,
            Self::Credentials { .. } => Code::Credentials,
            Self::Limited { .. } => Code::TooManyRequests,
            Self::Refused { hint: None, .. } => Code::Refused,
            Self::Refused { hint: Some(_), .. } => Code::Declined,
            Self::Behind { .. } => Code::Behind,
            Self::Raced { .. } | Self::Unseen { .. } => Code::Raced,
            Self::NotShown { .. } => Code::NotShown,
            Self::Unknown { .. } | Self::LeftLine { .. } => Code::UnknownOutcome,
            Self::NoTurn { .. } => Code::NoTurn,
            Self::Theirs { why, .. } => why.code(),
            Self::Stopped { .. } | Self::PushStopped { .. } => Code::Interrupted,
            Self::Store(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::NoRemote => Remedies::command("git remote add origin URL", "adds one")
                .or_call(RemedyCall::new(Other::Sync, ["origin"]), "then publishes the store there"),
            Self::WhichRemote { remotes, .. } => {
                let first = remotes.first().map_or("NAME", String::as_str);
                Remedies::call(
                    RemedyCall::new(Other::Sync, [first]),
                    "names one; the first that works is kept in `wf.remote`",
                )
            }
            Self::UnknownRemote { name, is_configured: false, .. } => {
                Remedies::command(format!("git remote add {} URL", shell::operand(name)), "adds it")
            }
            Self::UnknownRemote { .. } => Remedies::command("git config wf.remote NAME", "names another"),
            Self::RenamedRemote { name, now, is_reused } => {
                let first = format!("git config wf.remote {}", shell::operand(now));
                let remedies = Remedies::command(first, "names it");
                if *is_reused {
                    remedies.or_call(
                        RemedyCall::from(Other::Init).option("remote", name),
                        format!("chooses the remote that is `{name}` now"),
                    )
                } else {
                    remedies
                }
            }
            Self::Unreachable { remote, .. } => {
                let remote = shell::operand(remote);
                Remedies::from("nothing was changed here")
                    .or_command(format!("git ls-remote {remote}"), "tests the connection")
            }
            Self::Credentials { remote, .. } => {
                let remote = shell::operand(remote);
                Remedies::from("nothing was changed here").or_command(
                    format!("git ls-remote {remote}"),
                    "asks for them; once that works, this will too",
                )
            }
            Self::Limited { limited, .. } => {
                let when = match limited.wait {
                    Some(wait) => format!("try again in {}", words::spelled(wait)),
                    None => "try again later".into(),
                };
                Remedies::from("nothing was changed here")
                    .and(when)
                    .or_command("git config wf.pushInterval 1m", "saves pushes")
            }
            Self::Refused { hint: Some(hint), .. } => format!("nothing is lost here; {hint}").into(),
            Self::Refused { reference, words, hint: None, .. } => of_a_refusal(reference, words),
            Self::NotShown { remote, reference, where_to } => {
                of_what_is_not_shown(remote, reference, where_to)
            }
            Self::Behind { remote, .. } => {
                Remedies::call(RemedyCall::new(Other::Sync, [remote]), "merges them and then pushes")
            }
            Self::Raced { remote, .. } => Remedies::from("nothing is lost here")
                .or_call(RemedyCall::new(Other::Sync, [remote]), "tries again"),
            Self::Unseen { remote, reference, where_to } => of_what_is_unseen(remote, reference, where_to),
            Self::Unknown { remote, .. } => Remedies::call(
                RemedyCall::new(Other::Sync, [remote]),
                format!("finds out, once `git ls-remote {}` works", shell::operand(remote)),
            ),
            Self::Theirs { why: StoreError::NewerFormat { .. }, .. } => {
                "install a newer git-wf; nothing was changed here".into()
            }
            Self::Theirs { tracking, .. } => Remedies::from("nothing was changed here")
                .or_command(format!("git log {}", shell::operand(tracking)), "shows what it is"),
            Self::NoTurn { .. } => "nothing was changed here; try again when that process has ended".into(),
            Self::LeftLine { remote }
            | Self::Stopped { remote, is_handed_in: true }
            | Self::PushStopped { remote } => {
                Remedies::call(RemedyCall::new(Other::Sync, [remote]), "finds out whether it did")
            }
            Self::Stopped { .. } => "call it again".into(),
            Self::Store(error) => error.remedies(),
        }
    }
}

/// What does not show the commits of others.
fn unseen(where_to: &Unshown) -> String {
    match where_to {
        Unshown::Elsewhere { pushed_to, fetched_from } => {
            format!(
                "they are at `{pushed_to}`; `{fetched_from}`, which is fetched from, does not show them yet"
            )
        }
        Unshown::Hidden => where_to.to_string(),
        Unshown::Earlier => "the server does not show them yet".to_owned(),
    }
}

fn of_what_is_unseen(remote: &str, reference: &str, where_to: &Unshown) -> Remedies {
    let again = Remedies::from("nothing is lost here; a mirror can lag behind")
        .or_call(RemedyCall::new(Other::Sync, [remote]), "asks again; try again once it shows them");
    match where_to {
        Unshown::Elsewhere { fetched_from, .. } => again.or_command(
            format!("git remote set-url --push {} {}", shell::operand(remote), shell::operand(fetched_from)),
            "pushes to the URL that is fetched from, if that is no mirror",
        ),
        Unshown::Hidden => of_what_is_not_shown(remote, reference, where_to),
        Unshown::Earlier => again,
    }
}

fn of_what_is_not_shown(remote: &str, reference: &str, where_to: &Unshown) -> Remedies {
    let kept = Remedies::from("nothing is lost here");
    match where_to {
        Unshown::Elsewhere { fetched_from, .. } => kept
            .or_command(
                format!(
                    "git remote set-url --push {} {}",
                    shell::operand(remote),
                    shell::operand(fetched_from)
                ),
                "makes pushes go where fetches go",
            )
            .and("if that is a mirror that lags behind, try again later"),
        Unshown::Hidden if !reference.starts_with("refs/heads/") => {
            kept.or_command("git config wf.ref refs/heads/wf/main", "helps if the server shows all branches")
        }
        Unshown::Hidden | Unshown::Earlier => kept.or_command(
            format!("git ls-remote {} {reference}", shell::operand(remote)),
            "shows what it has; try again when that has changed",
        ),
    }
}

fn of_a_refusal(reference: &str, words: &str) -> Remedies {
    if words.contains("hook declined") && !words::refuses_the_name(words) {
        return Remedies::from("nothing is lost here; a hook of the server refused it, and says why")
            .or_call(Op::Fsck, "looks for errors here");
    }
    match lock_file(words) {
        Some(lock) => format!(
            "nothing is lost here; if no other push is running on the server, one that died left `{}` there: remove it",
            lock.display()
        )
        .into(),
        None if words::denies_write(words) => {
            "nothing is lost here; whoever owns it can let you write there, and `git config wf.remote NAME` names another remote"
                .into()
        }
        None if words::refuses_the_name(words) && !reference.starts_with("refs/heads/") => {
            Remedies::from("nothing is lost here")
                .or_command("git config wf.ref refs/heads/wf/main", "helps if only branches may be pushed")
        }
        None => "nothing is lost here".into(),
    }
}

fn numbered(process: Option<u32>) -> String {
    process.map_or_else(String::new, |id| format!(" (process {id})"))
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn there_are(names: &[String]) -> String {
    match names {
        [] => "this repository has no remotes".into(),
        [one] => format!("the only one is `{one}`"),
        several => format!("there are {}", listed(several)),
    }
}

#[cfg(test)]
mod tests;
