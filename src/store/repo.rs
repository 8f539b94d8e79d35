//! The repository and the ref in it: opening, configuration, who is writing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::sec::Trust;
use gix::sec::trust::{DefaultForLevel as _, Mapping};
use gix_pack::cache::lru::MemoryCappedHashmap;

use super::error::StoreError;
use super::git::{self, Git};
use super::multi_index;
use super::parameters;
use super::snapshot::Snapshot;
use crate::model::time::Time;
use crate::rules::lease;

/// Where the store lies unless `wf.ref` names another place.
pub(crate) const DEFAULT_REF: &str = "refs/wf/main";
const DEFAULT_LOCK_TIMEOUT: u64 = 60;
/// Trees and small records are read again and again within one command.
const OBJECT_CACHE: usize = 16 * 1024 * 1024;
/// Trees of a pack are differences from each other, one behind the other.
const PACK_CACHE: usize = 16 * 1024 * 1024;

/// An open repository with the name of the ref that holds its store.
pub(crate) struct Store {
    pub(super) repo: gix::Repository,
    reference: String,
    in_hook: bool,
}

/// Who writes: the git identity and, where they are set, the name and role that an agent gave itself.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    /// `user.name`
    pub(crate) name: String,
    /// `user.email`
    pub(crate) email: String,
    /// Seconds since 1970 and the offset, as git writes them.
    pub(crate) time: gix::date::Time,
    /// `WF_ACTOR`
    pub(crate) actor: Option<String>,
    /// `WF_ROLE`; none for an owner.
    pub(crate) role: Option<String>,
}

impl Identity {
    /// `Ada <ada@example.org>`, and `(name)` behind it where `WF_ACTOR` is set.
    pub(crate) fn person(&self) -> String {
        match &self.actor {
            Some(actor) => format!("{} <{}> ({actor})", self.name, self.email),
            None => format!("{} <{}>", self.name, self.email),
        }
    }

    pub(super) fn signature(&self) -> gix::actor::Signature {
        gix::actor::Signature {
            name: self.name.as_str().into(),
            email: self.email.as_str().into(),
            time: self.time,
        }
    }
}

impl Store {
    /// Opens the repository of `folder`, or the one that `GIT_DIR` names. The store itself may still be missing.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let mut repo = discover(folder)?;
        let config = repo.config_snapshot();
        if config.string("extensions.refStorage").is_some_and(|kind| kind.to_str_lossy() != "files") {
            return Err(StoreError::Reftable(absolute(repo.git_dir())));
        }
        let reference = match config.string("wf.ref") {
            None => DEFAULT_REF.to_owned(),
            Some(name) => checked_ref(&name.to_str_lossy())?,
        };
        repo.object_cache_size_if_unset(OBJECT_CACHE);
        repo.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(PACK_CACHE)));
        Ok(Self { repo, reference, in_hook: false })
    }

    /// The same within a git hook. There git has set `GIT_AUTHOR_*` to the author of the commit that is being made, who
    /// may be somebody else (`--author`, `--amend`, `-C`): the one who acts is the committer.
    pub(crate) fn in_hook(self) -> Self {
        Self { in_hook: true, ..self }
    }

    /// The repository itself, for modules that read the project's own history.
    pub(crate) fn repo(&self) -> &gix::Repository {
        &self.repo
    }

    /// The full name of the ref.
    pub(crate) fn reference(&self) -> &str {
        &self.reference
    }

    /// The installed git, for this repository and worktree.
    pub(crate) fn git(&self) -> Git {
        Git::new(self.git_dir(), self.work_dir().as_deref())
    }

    /// The git folder that all worktrees share.
    pub(crate) fn common_dir(&self) -> PathBuf {
        absolute(self.repo.common_dir())
    }

    /// The git folder of this worktree.
    pub(crate) fn git_dir(&self) -> PathBuf {
        absolute(self.repo.git_dir())
    }

    /// The folder with the files; none in a bare repository.
    pub(crate) fn work_dir(&self) -> Option<PathBuf> {
        self.repo.workdir().map(absolute)
    }

    /// The name of a linked worktree; none for the main one.
    pub(crate) fn worktree_name(&self) -> Option<String> {
        let git_dir = self.git_dir();
        let linked = git_dir != self.common_dir();
        linked.then(|| git_dir.file_name().map(|name| name.to_string_lossy().into_owned())).flatten()
    }

    /// The full name of the branch that is checked out here; none where HEAD is detached.
    pub(crate) fn branch(&self) -> Result<Option<String>, StoreError> {
        let name = self.repo.head_name().map_err(StoreError::object("cannot read HEAD"))?;
        Ok(name.map(|name| name.as_bstr().to_str_lossy().into_owned()))
    }

    /// The commit that is checked out here; none on a branch without one.
    pub(crate) fn head(&self) -> Result<Option<ObjectId>, StoreError> {
        let mut head = self.repo.head().map_err(StoreError::object("cannot read HEAD"))?;
        Ok(head.try_peel_to_id().map_err(StoreError::object("cannot read HEAD"))?.map(gix::Id::detach))
    }

    /// A configured text.
    pub(crate) fn config(&self, key: &str) -> Option<String> {
        self.repo.config_snapshot().string(key).map(|value| value.to_str_lossy().into_owned())
    }

    /// A configured truth value, false where it is not set.
    pub(crate) fn config_bool(&self, key: &str) -> bool {
        self.repo.config_snapshot().boolean(key).unwrap_or(false)
    }

    pub(super) fn lock_timeout(&self) -> Result<Duration, StoreError> {
        let Some(text) = self.config("wf.lockTimeout") else {
            return Ok(Duration::from_secs(DEFAULT_LOCK_TIMEOUT));
        };
        let seconds = text.parse().map_err(|_| StoreError::Config {
            key: "wf.lockTimeout",
            value: text.clone(),
            why: "it is a number of seconds",
        })?;
        Ok(Duration::from_secs(seconds))
    }

    /// How long a claim is good without being renewed, in milliseconds: `wf.lease`, or four hours.
    pub(crate) fn lease(&self) -> Result<i64, StoreError> {
        let Some(value) = self.config("wf.lease") else { return Ok(lease::DEFAULT) };
        let why = "it is a number with a unit, such as 90s, 30m, 4h or 1d";
        lease::parse_duration(&value).ok_or(StoreError::Config { key: "wf.lease", value, why })
    }

    /// The commit that the ref points to; none before `init`.
    pub(crate) fn tip(&self) -> Result<Option<ObjectId>, StoreError> {
        self.read_ref(&self.reference)
    }

    /// The commit that any ref points to.
    pub(crate) fn read_ref(&self, name: &str) -> Result<Option<ObjectId>, StoreError> {
        let found =
            self.repo.try_find_reference(name).map_err(StoreError::object("cannot read a reference"))?;
        Ok(found.and_then(|reference| reference.try_id().map(gix::Id::detach)))
    }

    /// The state as it is now.
    pub(crate) fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.snapshot_at(self.existing_tip()?)
    }

    /// As [`Store::tip`]; an error where the ref does not exist.
    pub(crate) fn existing_tip(&self) -> Result<ObjectId, StoreError> {
        self.tip()?.ok_or_else(|| StoreError::NotInitialised(self.reference.clone()))
    }

    /// The state at a commit of the ref, or of a remote's.
    pub(crate) fn snapshot_at(&self, commit: ObjectId) -> Result<Snapshot<'_>, StoreError> {
        Snapshot::open(&self.repo, &self.reference, commit)
    }

    /// The same where somebody had taken `wf.json` away then, or broken it.
    pub(crate) fn state_at(&self, commit: ObjectId) -> Result<Option<Snapshot<'_>>, StoreError> {
        Snapshot::of_commit(&self.repo, commit)
    }

    /// Who is writing, at what time. `GIT_COMMITTER_DATE` counts as git counts it.
    pub(crate) fn identity(&self) -> Result<Identity, StoreError> {
        let found = if self.config("gitoxide.commit.committerDate").is_some() {
            self.identity_of_gix()?
        } else {
            let acting = if self.in_hook { "committer" } else { "author" };
            let named = self.named(acting).zip(self.named("committer"));
            named.map(|((name, email), _)| (name, email, super::dates::local_now()))
        };
        let (name, email, time) = match found {
            Some((name, email, time)) if is_plain(&name) && is_plain(&email) => (name, email, time),
            // What git would clean or refuse, git cleans or refuses; the time is the one of the commit all the same.
            Some((_, _, time)) => {
                let (name, email, _) = self.identity_of_git()?;
                (name, email, time)
            }
            None => self.identity_of_git()?,
        };
        let variable = |name: &str| std::env::var(name).ok().map(|v| one_line(&v)).filter(|v| !v.is_empty());
        Ok(Identity {
            name: one_line(&name),
            email: one_line(&email),
            time,
            actor: variable("WF_ACTOR"),
            role: variable("WF_ROLE"),
        })
    }

    /// Name and address of the author or the committer, where gix finds them, too: that also asks for the name of the local
    /// time zone, for which it looks through all that the system knows, file by file.
    fn named(&self, who: &str) -> Option<(String, String)> {
        let first = |keys: &[&str]| keys.iter().find_map(|key| self.config(key));
        let name = first(&[&format!("{who}.name"), "user.name", &format!("gitoxide.{who}.nameFallback")])?;
        let email = first(&[
            &format!("{who}.email"),
            "user.email",
            "gitoxide.user.emailFallback",
            &format!("gitoxide.{who}.emailFallback"),
        ])?;
        Some((name, email))
    }

    /// The same at the time that `GIT_COMMITTER_DATE` names.
    fn identity_of_gix(&self) -> Result<Option<(String, String, gix::date::Time)>, StoreError> {
        let author = if self.in_hook { self.repo.committer() } else { self.repo.author() };
        match (author, self.repo.committer()) {
            (Some(Ok(author)), Some(Ok(committer))) => {
                let time = committer.time().map_err(|_| StoreError::Config {
                    key: "GIT_COMMITTER_DATE",
                    value: committer.time.to_owned(),
                    why: "git cannot read it as a date",
                })?;
                Ok(Some((
                    author.name.to_str_lossy().into_owned(),
                    author.email.to_str_lossy().into_owned(),
                    time,
                )))
            }
            (_, Some(Err(error))) | (Some(Err(error)), _) => Err(StoreError::Identity(error.to_string())),
            _ => Ok(None),
        }
    }

    /// git may guess an identity from the machine, or refuse in words of its own: both are its business.
    fn identity_of_git(&self) -> Result<(String, String, gix::date::Time), StoreError> {
        let variable = if self.in_hook { "GIT_COMMITTER_IDENT" } else { "GIT_AUTHOR_IDENT" };
        let output = self.git().output(&["var", variable])?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let text = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
            let fatal = text.iter().find_map(|line| line.strip_prefix("fatal: "));
            return Err(StoreError::Identity(fatal.unwrap_or("author identity unknown").to_owned()));
        }
        let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let signature = gix::actor::SignatureRef::from_bytes(line.as_bytes())
            .map_err(|_| StoreError::Identity(format!("git calls you `{line}`, which is no identity")))?;
        let time = signature.time().unwrap_or_else(|_| gix::date::Time::now_local_or_utc());
        Ok((signature.name.to_str_lossy().into_owned(), signature.email.to_str_lossy().into_owned(), time))
    }

    /// Now, to the millisecond; the second that `GIT_COMMITTER_DATE` names where it is set.
    pub(crate) fn now(&self) -> Result<Time, StoreError> {
        let fixed = match std::env::var("GIT_COMMITTER_DATE") {
            Ok(text) => {
                let wrong = || StoreError::Config {
                    key: "GIT_COMMITTER_DATE",
                    value: text.clone(),
                    why: "git cannot read it as a date",
                };
                let time = gix::date::parse(&text, None).map_err(|_| wrong())?;
                Some(Time::from_seconds(time.seconds).ok_or_else(wrong)?)
            }
            Err(_) => None,
        };
        Ok(fixed.unwrap_or_else(|| {
            let since =
                std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)).unwrap_or_else(|| {
                Time::from_seconds(0).unwrap_or_else(|| unreachable!("1970 can be written"))
            })
        }))
    }
}

/// Opens it with what `git -c` says on top, which gix does not look for. One that belongs to somebody else is opened
/// where git opens it.
fn discover(folder: &Path) -> Result<gix::Repository, StoreError> {
    let mut settings = command_line_settings()?;
    let repo = discover_with(folder, settings.clone())?;
    if !multi_index::is_stale_in(&repo) {
        return Ok(repo);
    }
    settings.push("core.multiPackIndex=false".into());
    discover_with(folder, settings)
}

fn discover_with(folder: &Path, settings: Vec<String>) -> Result<gix::Repository, StoreError> {
    let full = gix::open::Options::default_for_level(Trust::Full).cli_overrides(settings.clone());
    let reduced = gix::open::Options::default_for_level(Trust::Reduced).cli_overrides(settings);
    let open = |reduced| {
        gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
            folder,
            Default::default(),
            Mapping { full: full.clone(), reduced },
        )
        .map_err(|error| cannot_open(&error, folder))
        .map(|repo| repo.to_thread_local())
    };
    let repo = open(reduced)?;
    if repo.git_dir_trust() == Trust::Full {
        return Ok(repo);
    }
    git::accepts(folder)?;
    // Else its own configuration would be passed over.
    open(full.clone().filter_config_section(|_| true))
}

/// What stands in `GIT_CONFIG_PARAMETERS`.
fn command_line_settings() -> Result<Vec<String>, StoreError> {
    let Ok(text) = std::env::var("GIT_CONFIG_PARAMETERS") else { return Ok(vec![]) };
    parameters::parse(&text)
        .ok_or_else(|| StoreError::Open("`GIT_CONFIG_PARAMETERS` is not what `git -c` makes".into()))
}

fn cannot_open(error: &gix::Error, folder: &Path) -> StoreError {
    let text = error.to_string();
    if error.is_not_found() || text.contains("Could not find a git repository") {
        let named = std::env::var_os("GIT_DIR").map(PathBuf::from);
        StoreError::NotARepository(absolute(named.as_deref().unwrap_or(folder)))
    } else {
        StoreError::Open(text)
    }
}

/// As people can find it, wherever they are.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A full object id in hex.
pub(crate) fn object_id(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.as_bytes()).ok()
}

fn checked_ref(name: &str) -> Result<String, StoreError> {
    let sound = name.starts_with("refs/") && gix::refs::FullName::try_from(name).is_ok();
    if !sound {
        let why = "it is a full name such as refs/wf/main or refs/heads/wf/main";
        return Err(StoreError::Config { key: "wf.ref", value: name.to_owned(), why });
    }
    Ok(name.to_owned())
}

/// Whether git would leave a name or an address as it is. It cuts these characters off the ends, drops brackets, and
/// refuses what is empty then.
fn is_plain(text: &str) -> bool {
    let is_crud = |c: char| c <= ' ' || matches!(c, '.' | ',' | ':' | ';' | '<' | '>' | '"' | '\\' | '\'');
    !text.is_empty()
        && !text.starts_with(is_crud)
        && !text.ends_with(is_crud)
        && !text.contains(['<', '>', '\n'])
}

/// Values that become part of a line, such as a trailer, have no line of their own in them.
pub(crate) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control())
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_trailer_becomes_part_of_the_line() {
        assert_eq!(one_line("because\r\nWf-Role: owner\n"), "because Wf-Role: owner");
    }
}
