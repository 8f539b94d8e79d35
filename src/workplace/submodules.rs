//! The submodules of a workplace, from those of the work tree beside which it was made. No address is contacted.

use std::fs;
use std::path::{Path, PathBuf};

use super::PreparationError;
use crate::git::{Environment, Git, Submodule};
use crate::store::Store;

/// How deep submodules may be nested.
const MOST_DEPTH: usize = 8;

/// The submodules of a workplace.
#[derive(Debug, Default)]
pub(super) struct Submodules {
    /// Submodules that were checked out.
    pub(super) done: Vec<PathBuf>,
    /// Submodules that were not checked out, with the reason.
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

/// The work tree `top` of a repository.
pub(super) struct Tree<'a> {
    /// Its top directory.
    pub(super) top: &'a Path,
    /// The repository.
    pub(super) store: &'a Store,
}

/// Checks out the submodules of a place from those of `source`. If the place is an agent's, they share no file with those of the
/// source, and have no remote.
pub(super) fn check_out(
    place: &Tree<'_>,
    source: &Tree<'_>,
    is_agents: bool,
) -> Result<Submodules, PreparationError> {
    let dirs = [source.store.git_dir(), source.store.common_dir()];
    let modules = dirs.iter().map(|folder| folder.join("modules")).collect();
    let [git_dir, _] = dirs;
    let source_tree = WorkTree { top: source.top.to_owned(), git_dir, modules };
    let place_tree = WorkTree { top: place.top.to_owned(), git_dir: place.store.git_dir(), modules: vec![] };
    let mut checkout =
        Checkout { environment: source.store.environment(), is_agents, found: Submodules::default() };
    checkout.check_out_below(&place_tree, &source_tree, Path::new(""), 0)?;
    Ok(checkout.found)
}

struct Checkout<'a> {
    environment: &'a Environment,
    is_agents: bool,
    found: Submodules,
}

impl Checkout<'_> {
    fn check_out_below(
        &mut self,
        place: &WorkTree,
        source: &WorkTree,
        within: &Path,
        depth: usize,
    ) -> Result<(), PreparationError> {
        let git = Git::new(&place.git_dir, Some(&place.top)).within(self.environment);
        for submodule in git.submodules()? {
            let path = within.join(&submodule.path);
            let Some(from) = git_dir_of(&submodule, source) else {
                self.found.missing.push(MissingSubmodule { path, why: None });
                continue;
            };
            if let Err(error) = git.check_out_submodule(&submodule, &from, self.is_agents) {
                self.found.missing.push(MissingSubmodule { path, why: Some(error.to_string()) });
                continue;
            }
            let Some(made) = checked_out(&submodule, place) else {
                let why = Some("git checked it out elsewhere".to_owned());
                self.found.missing.push(MissingSubmodule { path, why });
                continue;
            };
            let inner = Git::new(&made.git_dir, Some(&made.top)).within(self.environment);
            if self.is_agents {
                inner.remove_remote("origin")?;
            } else if let Some(url) = git.submodule_url(&submodule)? {
                inner.set_config("remote.origin.url", &url)?;
            }
            self.found.done.push(path.clone());
            if depth < MOST_DEPTH {
                let below = WorkTree {
                    top: source.top.join(&submodule.path),
                    modules: vec![from.join("modules")],
                    git_dir: from,
                };
                self.check_out_below(&made, &below, &path, depth + 1)?;
            }
        }
        Ok(())
    }
}

/// A submodule that was checked out in `place`; `None` if its git directory is not below that of the place.
fn checked_out(submodule: &Submodule, place: &WorkTree) -> Option<WorkTree> {
    let modules = place.git_dir.join("modules");
    let git_dir = submodule.git_dir_in(&modules).canonicalize().ok()?;
    let top = place.top.join(&submodule.path);
    let link = fs::read_to_string(top.join(".git")).ok()?;
    let named = top.join(link.strip_prefix("gitdir: ")?.trim_end()).canonicalize().ok()?;
    let is_own = named == git_dir && git_dir.starts_with(modules.canonicalize().ok()?);
    if is_own { Some(WorkTree { top, git_dir, modules: vec![] }) } else { None }
}

/// The git directory of a submodule beside the workplace: below `modules`, or, as old versions of git made it, in the
/// submodule itself, unless a link leads from there to another place.
fn git_dir_of(submodule: &Submodule, source: &WorkTree) -> Option<PathBuf> {
    let below = source.modules.iter().map(|modules| submodule.git_dir_in(modules));
    let own = source.top.join(&submodule.path).join(".git");
    let is_own = own.canonicalize().is_ok_and(|own| {
        source.top.canonicalize().is_ok_and(|top| own == top.join(&submodule.path).join(".git"))
    });
    below.chain(if is_own { Some(own) } else { None }).find(|folder| folder.join("HEAD").is_file())
}
