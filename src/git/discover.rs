//! Finds the repository of a directory, as git does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use gix::odb::store::init::Slots;
use gix::sec::Trust;
use gix::sec::trust::{DefaultForLevel as _, Mapping};

use super::{Environment, GitError, multi_index, parameters, process};

/// The number of packs that can be read while the repository is open. gix counts the packs when it opens the
/// repository and cannot read packs beyond this number: several writers and a garbage collection during a long
/// command can make dozens.
const PACKS: Slots = Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 256 };

/// Opens the repository with the settings of `git -c`, which gix does not read. A repository that belongs to someone
/// else is opened only if git would open it.
pub(crate) fn discover(folder: &Path, environment: &Environment) -> Result<gix::Repository, GitError> {
    if leads_to_bare(folder, environment) {
        // A bare repository may have come with the files of a clone, including its configuration.
        // `safe.bareRepository` says whether git accepts one that was not named explicitly. All later git processes
        // get its path, which counts as naming it.
        match process::accepts(folder) {
            // git finds no repository there either; the error is reported below.
            Ok(()) | Err(GitError::Open(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let mut settings = command_line_settings(environment)?;
    let repo = discover_with(folder, &settings, environment)?;
    if !multi_index::is_stale_in(&repo) {
        return Ok(repo);
    }
    settings.push("core.multiPackIndex=false".into());
    discover_with(folder, &settings, environment)
}

/// Whether git's search upwards from `folder` would find a git directory not called `.git`. In doubtful cases this is
/// true and git is asked; nothing in the directory is read before that.
fn leads_to_bare(folder: &Path, environment: &Environment) -> bool {
    if environment.get("GIT_DIR").is_some() {
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

/// Every git directory has a `HEAD`, and either objects and refs of its own or the path of another git directory.
fn looks_like_git(folder: &Path) -> bool {
    has_file(folder, "HEAD")
        && (has_file(folder, "commondir") || has_file(folder, "objects") || has_file(folder, "refs"))
}

fn has_file(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

fn discover_with(
    folder: &Path,
    settings: &[String],
    environment: &Environment,
) -> Result<gix::Repository, GitError> {
    // Inside `.git`, gix takes `.` for the work tree.
    let folder = &absolute(folder);
    let options = |trust| {
        let options =
            gix::open::Options::default_for_level(trust).cli_overrides(settings.iter().map(String::as_str));
        options.object_store_slots(PACKS)
    };
    let (full, reduced) = (options(Trust::Full), options(Trust::Reduced));
    let inside = git_dir_from_inside(environment);
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
        opened.map_err(|error| cannot_open(&error, folder, environment)).map(|repo| repo.to_thread_local())
    };
    let repo = open(reduced)?;
    if repo.git_dir_trust() == Trust::Full {
        return Ok(repo);
    }
    process::accepts(folder)?;
    // Otherwise gix would skip its own configuration.
    open(full.clone().filter_config_section(|_| true))
}

/// `GIT_DIR` as an absolute path, if it names a git directory from inside, such as `.`: that is what the hooks of a
/// push get. gix needs the directory's name to tell whether there is a work tree around it.
fn git_dir_from_inside(environment: &Environment) -> Option<PathBuf> {
    let named = PathBuf::from(environment.get("GIT_DIR")?);
    let whole = named.file_name().is_none().then(|| named.canonicalize().ok())??;
    gix::discover::is_git(&whole).is_ok().then_some(whole)
}

/// The settings in `GIT_CONFIG_PARAMETERS`.
fn command_line_settings(environment: &Environment) -> Result<Vec<String>, GitError> {
    let Some(text) = environment.get("GIT_CONFIG_PARAMETERS").and_then(OsStr::to_str) else {
        return Ok(vec![]);
    };
    parameters::parse(text).ok_or_else(|| {
        GitError::Open("`GIT_CONFIG_PARAMETERS` is not in the form that `git -c` gives it".into())
    })
}

fn cannot_open(error: &gix::Error, folder: &Path, environment: &Environment) -> GitError {
    let text = error.to_string();
    if error.is_not_found() || text.contains("Could not find a git repository") {
        let named = environment.get("GIT_DIR").map(PathBuf::from);
        GitError::NotARepository(absolute(named.as_deref().unwrap_or(folder)))
    } else {
        GitError::Open(text)
    }
}

/// The absolute path, for messages.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
