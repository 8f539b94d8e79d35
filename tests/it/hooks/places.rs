//! Where hooks run: worktrees, submodules, directories with odd names, and a PATH without git-wf.

use super::{id, message};
use crate::support::Sandbox;
use crate::support::store_writer::claim;

#[test]
fn worktrees_share_the_hooks_and_have_executions_of_their_own() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("it's a \"repo\" & more");
    repo.commit("README", "a project\n", "begin");
    let side = repo.worktree("a side", "side");
    // Installed from one worktree, they are installed for all.
    side.wf(&["hooks", "install"]).ok();
    let here = claim(&repo, "ISS-001");
    let there = claim(&side, "ISS-002");
    let one = repo.commit("a", "1\n", "in the main one");
    let two = side.commit("b", "1\n", "in the side");
    assert_eq!((here.linked(&repo), there.linked(&repo)), (vec![one], vec![two.clone()]));
    side.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    assert_eq!(message(&side, "HEAD"), format!("better\n\n{}", there.trailers()));
    assert_eq!(there.linked(&repo), [id(&side, "HEAD")]);
    let states = side.wf(&["hooks", "status", "--json"]).ok().json();
    assert!(states.as_array().unwrap().iter().all(|it| it["installed"] == "current"), "{states}");
}

#[test]
fn a_submodule_has_a_store_and_hooks_of_its_own() {
    let sandbox = Sandbox::new();
    let library = sandbox.repo("library");
    library.commit("lib", "1\n", "a library");
    let repo = sandbox.repo("repo");
    repo.commit("README", "a project\n", "begin");
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "the lib"];
    let url = library.path().to_str().unwrap();
    repo.git(&[&add[..5], &[url, add[6]]].concat()).ok();
    repo.git(&["commit", "-q", "-m", "with a library"]).ok();
    repo.wf(&["hooks", "install"]).ok();
    let outer = claim(&repo, "ISS-001");
    let inside = sandbox.at("repo/the lib");
    inside.git(&["switch", "-q", "-C", "main"]).ok();
    inside.wf(&["hooks", "install"]).ok();
    assert!(repo.path().join(".git/modules/the lib/hooks/commit-msg").is_file());
    let inner = claim(&inside, "ISS-100");
    let deep = inside.commit("lib", "2\n", "in the library");
    assert_eq!(message(&inside, "HEAD"), format!("in the library\n\n{}", inner.trailers()));
    repo.git(&["commit", "-q", "-a", "-m", "take the new library"]).ok();
    assert_eq!(message(&repo, "HEAD"), format!("take the new library\n\n{}", outer.trailers()));
    assert_eq!((inner.linked(&inside), outer.linked(&repo)), (vec![deep], vec![id(&repo, "HEAD")]));
}

#[test]
fn a_program_with_windows_brings_a_path_of_its_own() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a repo");
    repo.commit("README", "a project\n", "begin");
    repo.wf(&["hooks", "install"]).ok();
    let claim = claim(&repo, "ISS-001");
    let bare = repo.with_env("PATH", "/usr/bin:/bin");
    bare.git(&["commit", "-q", "--allow-empty", "-m", "from a menu"]).ok();
    assert_eq!(claim.linked(&repo), [id(&repo, "HEAD")]);
    // Started elsewhere, with only options to say where the repository is.
    let elsewhere = sandbox.at("home").with_env("PATH", "/usr/bin:/bin");
    let git_dir = repo.path().join(".git");
    let args = ["--git-dir", git_dir.to_str().unwrap(), "--work-tree", repo.path().to_str().unwrap()];
    elsewhere.git(&[&args[..], &["commit", "-q", "--allow-empty", "-m", "from afar"]].concat()).ok();
    assert_eq!(message(&repo, "HEAD"), format!("from afar\n\n{}", claim.trailers()));
    assert_eq!(claim.linked(&repo).len(), 2);
}
