//! The directory in which a call acts: the one that it names, else the client's only root, else where the server was
//! started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
#[expect(deprecated, reason = "clients of the current version of the protocol still have roots")]
use rmcp::model::ListRootsRequest;
use rmcp::model::{InputRequest, InputRequiredResult, InputResponses};
use rmcp::{Peer, RoleServer};
use serde_json::Value;

use super::Settings;
use crate::model::code::Code;
use crate::ops::Refusal;
use crate::store::Store;

/// A client that does not say its roots within this time has none.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the client for its roots.
#[expect(deprecated, reason = "clients of the current version of the protocol still have roots")]
pub(super) async fn ask(peer: &Peer<RoleServer>) -> Vec<PathBuf> {
    let asked = tokio::time::timeout(PATIENCE, peer.list_roots()).await;
    let roots = asked.ok().and_then(Result::ok).map(|listed| listed.roots).unwrap_or_default();
    roots.iter().filter_map(|root| path(&root.uri)).collect()
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
pub(super) fn answered(answers: Option<&InputResponses>) -> Option<Vec<PathBuf>> {
    let answer = answers?.get(ROOTS)?;
    let roots = answer.get("roots").and_then(Value::as_array).into_iter().flatten();
    Some(roots.filter_map(|root| path(root.get("uri")?.as_str()?)).collect())
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
    settings: &Settings,
    roots: &[PathBuf],
    directory: Option<&str>,
) -> Result<PathBuf, Refusal> {
    let start = &settings.folder;
    let is_inside = |folder: &Path| roots.is_empty() || is_within(settings, roots, folder);
    match (directory, roots) {
        (Some(named), _) => {
            let base = if let [only] = roots { only } else { start };
            let folder = base.join(named);
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

/// Whether a directory is in one of the roots, or in a worktree of a repository that is: `claim` creates worktrees
/// beside it.
fn is_within(settings: &Settings, roots: &[PathBuf], folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let Some(folder) = real(folder) else { return false };
    if roots.iter().filter_map(|root| real(root)).any(|root| folder.starts_with(root)) {
        return true;
    }
    let shared = |folder: &Path| real(&Store::open(folder, &settings.environment).ok()?.common_dir());
    shared(&folder)
        .is_some_and(|shared_by| roots.iter().any(|root| shared(root).as_ref() == Some(&shared_by)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_come_with_a_request_once_they_were_asked_for() {
        assert_eq!(answered(None), None);
        assert_eq!(answered(Some(&[("other".to_owned(), Value::Null)].into())), None);
        let roots = serde_json::json!({"roots": [{"uri": "file:///srv/a"}, {"uri": "https://b"}, 7]});
        assert_eq!(answered(Some(&[("roots".to_owned(), roots)].into())), Some(vec!["/srv/a".into()]));
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
