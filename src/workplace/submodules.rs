//! The submodules of a workplace, from those of the work tree beside which it was made. No address is contacted.

use std::path::{Path, PathBuf};

use super::WorkplaceError;
use crate::git::{Environment, Git, Submodule};

/// How deep submodules may be nested.
const MOST_DEPTH: usize = 8;

/// The submodules of a workplace.
#[derive(Debug, Default)]
pub(super) struct Submodules {
    /// Those that were checked out.
    pub(super) done: Vec<PathBuf>,
    /// Those that were not, with the reason.
    pub(super) missing: Vec<MissingSubmodule>,
}

/// A submodule that was not checked out.
#[derive(Debug)]
pub(crate) struct MissingSubmodule {
    /// Its directory, relative to the top of the workplace.
    pub(crate) path: PathBuf,
    /// Why, in git's words; `None` if it is not checked out beside the workplace either.
    pub(crate) why: Option<String>,
}

/// A work tree, with its git directory.
#[derive(Debug, Clone)]
struct WorkTree {
    top: PathBuf,
    git_dir: PathBuf,
    /// The git directories of submodules are below these.
    modules: Vec<PathBuf>,
}

/// Checks out the submodules of `place`, a worktree with the git directory `git_dir`, from those of `source`, whose
/// own and shared git directories are `source_dirs`.
pub(super) fn check_out(
    place: &Path,
    git_dir: &Path,
    source: &Path,
    source_dirs: &[PathBuf],
    environment: &Environment,
) -> Result<Submodules, WorkplaceError> {
    let place = WorkTree { top: place.to_owned(), git_dir: git_dir.to_owned(), modules: vec![] };
    let modules = source_dirs.iter().map(|folder| folder.join("modules")).collect();
    let source = WorkTree { top: source.to_owned(), git_dir: source_dirs[0].clone(), modules };
    let mut found = Submodules::default();
    check_out_below(&place, &source, Path::new(""), 0, environment, &mut found)?;
    Ok(found)
}

fn check_out_below(
    place: &WorkTree,
    source: &WorkTree,
    within: &Path,
    depth: usize,
    environment: &Environment,
    found: &mut Submodules,
) -> Result<(), WorkplaceError> {
    let git = Git::new(&place.git_dir, Some(&place.top)).within(environment);
    for submodule in git.submodules()? {
        let path = within.join(&submodule.path);
        let Some(from) = git_dir_of(&submodule, source) else {
            found.missing.push(MissingSubmodule { path, why: None });
            continue;
        };
        if let Err(error) = git.check_out_submodule(&submodule, &from) {
            found.missing.push(MissingSubmodule { path, why: Some(error.to_string()) });
            continue;
        }
        let made = WorkTree {
            top: place.top.join(&submodule.path),
            git_dir: place.git_dir.join("modules").join(&submodule.name),
            modules: vec![],
        };
        if let Some(url) = git.submodule_url(&submodule)? {
            Git::new(&made.git_dir, Some(&made.top))
                .within(environment)
                .set_config("remote.origin.url", &url)?;
        }
        found.done.push(path.clone());
        if depth < MOST_DEPTH {
            let below = WorkTree {
                top: source.top.join(&submodule.path),
                modules: vec![from.join("modules")],
                git_dir: from,
            };
            check_out_below(&made, &below, &path, depth + 1, environment, found)?;
        }
    }
    Ok(())
}

/// The git directory of a submodule beside the workplace: below `modules`, or, as old versions of git made it, in the
/// submodule itself.
fn git_dir_of(submodule: &Submodule, source: &WorkTree) -> Option<PathBuf> {
    let below = source.modules.iter().map(|modules| modules.join(&submodule.name));
    let own = source.top.join(&submodule.path).join(".git");
    below.chain([own]).find(|folder| folder.join("HEAD").is_file())
}
