//! The directory in which a call acts: the one that it names, else the client's only root, else where the server was
//! started.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
#[expect(deprecated, reason = "clients of the current version of the protocol still have roots")]
use rmcp::model::{InputRequest, InputRequiredResult, InputResponses, ListRootsRequest};
use rmcp::{Peer, RoleServer};
use serde_json::Value;

use super::McpSettings;
use crate::model::Code;
use crate::ops::Refusal;
use crate::store::Store;

/// A client that has roots and does not say them within this time is confined to where the server was started.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the client for its roots.
#[expect(deprecated, reason = "clients of the current version of the protocol still have roots")]
pub(super) async fn ask(peer: &Peer<RoleServer>, start: &Path) -> Vec<PathBuf> {
    let asked = tokio::time::timeout(PATIENCE, peer.list_roots()).await;
    let Some(listed) = asked.ok().and_then(Result::ok) else { return vec![start.to_owned()] };
    usable(listed.roots.iter().map(|root| root.uri.as_str()), start)
}

/// The directories of these URIs. If there are URIs and none can be used, the client is confined to where the server was
/// started.
fn usable<'a>(uris: impl Iterator<Item = &'a str>, start: &Path) -> Vec<PathBuf> {
    let found: Vec<Option<PathBuf>> = uris.map(path).collect();
    if found.is_empty() || found.iter().any(Option::is_some) {
        found.into_iter().flatten().collect()
    } else {
        vec![start.to_owned()]
    }
}

/// The name under which a client of the sessionless protocol version sends its roots.
const ROOTS: &str = "roots";

/// Asks a client of the sessionless protocol version for its roots: it repeats its request with them.
#[expect(deprecated, reason = "clients of the current version of the protocol still have roots")]
pub(super) fn asked() -> InputRequiredResult {
    let request = InputRequest::ListRoots(ListRootsRequest::default());
    InputRequiredResult::from_input_requests([(ROOTS.to_owned(), request)].into())
}

/// The roots that came with a repeated request; `None` if the client has not been asked yet.
pub(super) fn answered(answers: Option<&InputResponses>, start: &Path) -> Option<Vec<PathBuf>> {
    let answer = answers?.get(ROOTS)?;
    let roots = answer.get("roots").and_then(Value::as_array).into_iter().flatten();
    Some(usable(roots.filter_map(|root| root.get("uri")?.as_str()), start))
}

/// The path of a `file:` URI on this machine.
fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(rest).decode_utf8().ok()?;
    path.starts_with('/').then(|| PathBuf::from(path.as_ref()))
}

/// Chooses the directory of a call.
///
/// # Errors
/// `no-directory`, `outside-roots`, `which-directory`.
pub(super) fn choose(
    settings: &McpSettings,
    roots: &[PathBuf],
    directory: Option<&str>,
) -> Result<PathBuf, Refusal> {
    let start = &settings.folder;
    let is_inside = |folder: &Path| roots.is_empty() || is_within(settings, roots, folder);
    match (directory, roots) {
        (Some(named), _) => {
            // First the base that applies without a name, then the client's roots.
            let bases = match roots {
                [only] if !is_repository(settings, only) && is_inside(start) => vec![start, only],
                [only] => vec![only],
                _ => vec![start],
            };
            let found = bases.iter().map(|base| base.join(named)).find(|folder| folder.is_dir());
            let folder = found.unwrap_or_else(|| bases[0].join(named));
            let folder = folder.canonicalize().ok().filter(|folder| folder.is_dir()).ok_or_else(|| {
                Refusal::new(Code::NoDirectory, format!("`{}` is not a directory", folder.display()))
                    .hint("name a directory that exists, or leave `directory` out")
            })?;
            if !is_inside(&folder) {
                return Err(Refusal::new(
                    Code::OutsideRoots,
                    format!("`{}` is outside of the directories that you work in", folder.display()),
                )
                .details(listed(roots))
                .hint("name a directory in one of them, or a worktree of their repositories"));
            }
            Ok(folder)
        }
        // The root may be a directory with several repositories.
        (None, [only]) if !is_repository(settings, only) && is_inside(start) => Ok(start.clone()),
        (None, [only]) => Ok(only.clone()),
        (None, _) if is_inside(start) => Ok(start.clone()),
        (None, _) => Err(Refusal::new(Code::ChoiceNeeded, "you work in several directories")
            .details(listed(roots))
            .hint("name the one to act in as `directory`")),
    }
}

fn listed(roots: &[PathBuf]) -> Vec<String> {
    roots.iter().map(|root| root.display().to_string()).collect()
}

fn is_repository(settings: &McpSettings, folder: &Path) -> bool {
    Store::open(folder, &settings.environment).is_ok()
}

/// Refuses to create a directory outside of the roots.
///
/// # Errors
/// `outside-roots`
pub(super) fn refuse_new_outside(roots: &[PathBuf], path: &Path) -> Result<(), Refusal> {
    // What does not exist yet has no links; `..` after it would lead elsewhere once it exists.
    let existing = path
        .ancestors()
        .find_map(|ancestor| Some((ancestor.canonicalize().ok()?, path.strip_prefix(ancestor).ok()?)));
    let is_inside = existing.is_some_and(|(real, rest)| {
        let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
        let mut roots = roots.iter().filter_map(|root| root.canonicalize().ok());
        is_plain && roots.any(|root| real.starts_with(root))
    });
    if roots.is_empty() || is_inside {
        return Ok(());
    }
    Err(Refusal::new(
        Code::OutsideRoots,
        format!("`{}` is outside of the directories that you work in", path.display()),
    )
    .details(listed(roots))
    .hint("give `worktree` as true, which creates it beside the repository, or a path in one of them"))
}

/// Whether a directory is in one of the roots, or in a worktree of a repository that is: `claim` creates worktrees
/// beside it.
fn is_within(settings: &McpSettings, roots: &[PathBuf], folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    if roots.iter().filter_map(|root| root.canonicalize().ok()).any(|root| folder.starts_with(root)) {
        return true;
    }
    common_dir(settings, &folder)
        .is_some_and(|common| roots.iter().any(|root| common_dir(settings, root).as_ref() == Some(&common)))
}

/// The git directory that the worktrees of a repository share, without links.
fn common_dir(settings: &McpSettings, folder: &Path) -> Option<PathBuf> {
    Store::open(folder, &settings.environment).ok()?.common_dir().canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_come_with_a_request_once_they_were_asked_for() {
        let answered = |answers: Option<&InputResponses>| answered(answers, Path::new("/start"));
        assert_eq!(answered(None), None);
        assert_eq!(answered(Some(&[("other".to_owned(), Value::Null)].into())), None);
        let roots = serde_json::json!({"roots": [{"uri": "file:///srv/a"}, {"uri": "https://b"}, 7]});
        assert_eq!(answered(Some(&[("roots".to_owned(), roots)].into())), Some(vec!["/srv/a".into()]));
        // A client without roots may go anywhere; one whose roots are elsewhere may not.
        let of = |roots: Value| answered(Some(&[("roots".to_owned(), roots)].into()));
        assert_eq!(of(serde_json::json!({"roots": []})), Some(vec![]));
        assert_eq!(of(serde_json::json!({"roots": [{"uri": "https://b"}]})), Some(vec!["/start".into()]));
    }

    #[test]
    fn new_directories_are_in_a_root() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("root");
        std::fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(top.path(), root.join("out")).unwrap();
        let fits = |path: &str| refuse_new_outside(std::slice::from_ref(&root), &root.join(path)).is_ok();
        assert!(fits("new") && fits("a/b"));
        for outside in ["../new", "new/../../x", "out/new", "/elsewhere/x"] {
            assert!(!fits(outside), "{outside}");
        }
        assert!(refuse_new_outside(&[], Path::new("/elsewhere/x")).is_ok());
    }

    #[test]
    fn only_files_of_this_machine_are_roots() {
        assert_eq!(path("file:///home/ada/a%20b"), Some("/home/ada/a b".into()));
        assert_eq!(path("file://localhost/srv"), Some("/srv".into()));
        for other in ["file://server/share", "https://example.org/x", "/home/ada", "file://", "file:///%FF"] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
