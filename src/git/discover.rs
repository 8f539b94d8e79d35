//! Finding the repository of a folder, as git finds it.

use std::path::{Path, PathBuf};

use gix::odb::store::init::Slots;
use gix::sec::Trust;
use gix::sec::trust::{DefaultForLevel as _, Mapping};

use super::error::GitError;
use super::{multi_index, parameters, process};

/// How many packs there can be while the repository is open. gix counts them when it opens the repository, and cannot
/// read packs beyond that: several writers and a garbage collection during a long command can make dozens.
const PACKS: Slots = Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 256 };

/// Opens it with the settings of `git -c`, which gix does not read. A repository that belongs to someone else is opened
/// only if git would open it.
pub(crate) fn discover(folder: &Path) -> Result<gix::Repository, GitError> {
    if leads_to_bare(folder) {
        // It may have come with the files of a clone, configuration and all: `safe.bareRepository` says whether git
        // takes one that nobody named. Whatever git-wf runs afterwards is told its place, which git takes for a name.
        match process::accepts(folder) {
            // Nor does git know one there; what stands in the way of opening it is told below.
            Ok(()) | Err(GitError::Open(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let mut settings = command_line_settings()?;
    let repo = discover_with(folder, &settings)?;
    if !multi_index::is_stale_in(&repo) {
        return Ok(repo);
    }
    settings.push("core.multiPackIndex=false".into());
    discover_with(folder, &settings)
}

/// Whether git's search upwards from `folder` would find a git directory without a `.git`. If in doubt, yes, and git is
/// asked: nothing of the folder is read before that.
fn leads_to_bare(folder: &Path) -> bool {
    if std::env::var_os("GIT_DIR").is_some() {
        return false;
    }
    let folder = folder.canonicalize().unwrap_or_else(|_| absolute(folder));
    for folder in folder.ancestors() {
        let inner = folder.join(".git");
        if inner.is_file() || looks_like_git(&inner) {
            return false;
        }
        if looks_like_git(folder) {
            return folder.file_name().is_none_or(|name| name != ".git");
        }
    }
    false
}

/// Every git folder has a `HEAD`, and objects and references of its own or of another one that it names.
fn looks_like_git(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("commondir") || has("objects") || has("refs"))
}

fn discover_with(folder: &Path, settings: &[String]) -> Result<gix::Repository, GitError> {
    // Inside `.git`, gix takes `.` for the work tree.
    let folder = &absolute(folder);
    let options = |trust| {
        let options =
            gix::open::Options::default_for_level(trust).cli_overrides(settings.iter().map(String::as_str));
        options.object_store_slots(PACKS)
    };
    let (full, reduced) = (options(Trust::Full), options(Trust::Reduced));
    let inside = git_dir_from_inside();
    let open = |reduced| {
        let by_trust = Mapping { full: full.clone(), reduced };
        let opened = match &inside {
            Some(git_dir) => gix::ThreadSafeRepository::discover_opts(git_dir, Default::default(), by_trust),
            None => gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
                folder,
                Default::default(),
                by_trust,
            ),
        };
        opened.map_err(|error| cannot_open(&error, folder)).map(|repo| repo.to_thread_local())
    };
    let repo = open(reduced)?;
    if repo.git_dir_trust() == Trust::Full {
        return Ok(repo);
    }
    process::accepts(folder)?;
    // Else its own configuration would be passed over.
    open(full.clone().filter_config_section(|_| true))
}

/// The git folder that `GIT_DIR` names as seen from inside, such as `.`: so it is for the hooks of a push. gix tells by the
/// name of the folder whether there is a work tree around it, and so needs all of it.
fn git_dir_from_inside() -> Option<PathBuf> {
    let named = PathBuf::from(std::env::var_os("GIT_DIR")?);
    let whole = named.file_name().is_none().then(|| named.canonicalize().ok())??;
    gix::discover::is_git(&whole).is_ok().then_some(whole)
}

/// What stands in `GIT_CONFIG_PARAMETERS`.
fn command_line_settings() -> Result<Vec<String>, GitError> {
    let Ok(text) = std::env::var("GIT_CONFIG_PARAMETERS") else { return Ok(vec![]) };
    parameters::parse(&text)
        .ok_or_else(|| GitError::Open("`GIT_CONFIG_PARAMETERS` is not what `git -c` makes".into()))
}

fn cannot_open(error: &gix::Error, folder: &Path) -> GitError {
    let text = error.to_string();
    if error.is_not_found() || text.contains("Could not find a git repository") {
        let named = std::env::var_os("GIT_DIR").map(PathBuf::from);
        GitError::NotARepository(absolute(named.as_deref().unwrap_or(folder)))
    } else {
        GitError::Open(text)
    }
}

/// As people can find it, wherever they are.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
