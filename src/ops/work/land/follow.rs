//! The files of plan tools, kept in step with what lands. Which directories are followed is said by `wf.plans.follow`.

use std::fs;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};

use super::chosen::ChosenIssue;
use crate::git::{EntryKind, NewCommit, PathEdit, Repository};
use crate::interchange::plan_tools::written::{self, WrittenTool};
use crate::model::id::IssueId;
use crate::ops::plan_progress::PlanProgress;
use crate::ops::{Notice, Refusal, Session};
use crate::store::{ObjectId, Snapshot, Store, StoreError, one_line};
use crate::trail::trailers;

/// The setting that names the directories that are followed.
const FOLLOW: &str = "wf.plans.follow";
/// More files in such a directory are not read.
const MOST_FILES: usize = 10_000;
/// Larger files are not read.
const LARGEST: u64 = 16 << 20;
/// More bytes in such a directory are not read.
const MOST_BYTES: u64 = 64 << 20;

/// The plan tools' directories that follow what lands.
pub(super) struct FollowedPlans(Vec<FollowedDirectory>);

/// A directory of the project, with the tool whose plans are in it.
struct FollowedDirectory {
    tool: &'static WrittenTool,
    /// Its path from the root of the project, as git writes paths; empty for the root itself.
    path: String,
}

/// A regular file of a commit.
struct CommittedFile {
    /// Its path from the root of the project.
    path: String,
    kind: EntryKind,
    blob: ObjectId,
}

impl FollowedPlans {
    /// Nothing is followed.
    pub(super) fn none() -> Self {
        Self(vec![])
    }

    /// Those that git's configuration names, each as `TOOL:DIRECTORY`.
    ///
    /// # Errors
    /// `config` if a value has another form, or names an unknown tool or a place outside of the project.
    pub(super) fn configured(store: &Store) -> Result<Self, Refusal> {
        let mut all = Vec::new();
        for value in store.config_all(FOLLOW) {
            let directory = FollowedDirectory::parse(&value).map_err(|why| StoreError::Config {
                key: FOLLOW.into(),
                value,
                why,
            })?;
            all.push(directory);
        }
        Ok(Self(all))
    }

    /// A commit on top of `tip` in which the boxes and statuses say that an issue is completed; `tip` itself if they do
    /// already, or if nothing that is followed has the issue. The work tree is not touched.
    ///
    /// # Errors
    /// `cannot-read` if such a file is broken; errors of git.
    pub(super) fn commit_on(
        &self,
        session: &Session,
        tip: ObjectId,
        issue: &ChosenIssue,
        is_signed: bool,
    ) -> Result<ObjectId, Refusal> {
        let store = session.store();
        let mut tree = None;
        let mut tools = Vec::new();
        if !self.0.is_empty() {
            let state = store.snapshot()?;
            for directory in &self.0 {
                let before = match tree {
                    Some(tree) => tree,
                    None => store.code_tree_of(tip)?,
                };
                if let Some(ticked) = directory.ticked(session, &state, before, &issue.issue)? {
                    tree = Some(ticked);
                    tools.push(directory.tool.name);
                }
            }
        }
        let Some(tree) = tree else { return Ok(tip) };
        let message = message(&tools, issue);
        let new =
            NewCommit { tree, parents: &[tip], message: message.as_bytes(), author_of: None, is_signed };
        Ok(store.git().make_commit(&new).map_err(StoreError::Git)?)
    }
}

impl FollowedDirectory {
    /// Parses `openspec:docs/openspec`.
    fn parse(value: &str) -> Result<Self, &'static str> {
        let form = "expected TOOL:DIRECTORY, such as openspec:openspec";
        let (name, path) = value.split_once(':').ok_or(form)?;
        let tools = [&written::OPENSPEC, &written::SPEC_KIT, &written::TASK_MASTER, &written::BACKLOG];
        let tool = tools
            .into_iter()
            .find(|tool| tool.name == name)
            .ok_or("the tools are openspec, spec-kit, task-master and backlog")?;
        if path.is_empty() {
            return Err(form);
        }
        if path.starts_with('/') || path.split('/').any(|part| part == "..") {
            return Err("the directory must be one of the project, relative to its root");
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        Ok(Self { tool, path: parts.join("/") })
    }

    /// The tree `root` with the boxes and statuses of an issue; `None` if nothing changes. A file that cannot be read does not
    /// stop the landing.
    fn ticked(
        &self,
        session: &Session,
        state: &Snapshot<'_>,
        root: ObjectId,
        issue: &IssueId,
    ) -> Result<Option<ObjectId>, Refusal> {
        let store = session.store();
        let temporary = session.environment().temporary();
        let place = tempfile::tempdir_in(&temporary).map_err(StoreError::io(&temporary))?;
        let files = self.files(store.repo(), root)?;
        if files.is_empty() {
            let path = &self.path;
            session.notice(Notice::warning(format!(
                "`{FOLLOW}` names `{path}`, which has no files in what lands"
            )));
            return Ok(None);
        }
        for file in &files {
            put(store.repo(), place.path(), file)?;
        }
        let folder = place.path().join(&self.path);
        let progress = match PlanProgress::read(state, self.tool, &folder, std::slice::from_ref(issue)) {
            Ok(progress) => progress,
            Err(refusal) => {
                let why = refusal.message.replace(&format!("{}/", place.path().display()), "");
                session.notice(Notice::warning(format!("`{issue}` lands without being ticked off: {why}")));
                return Ok(None);
            }
        };
        for lost in &progress.without_file {
            session.notice(Notice::warning(format!("`{lost}` has no file in `{}` any more", self.path)));
        }
        let mut texts = Vec::new();
        for file in &files {
            if let Some(text) = progress.texts.get(&place.path().join(&file.path)) {
                texts.push((file, text.whole()));
            }
        }
        if texts.is_empty() {
            return Ok(None);
        }
        let edits: Vec<(&str, PathEdit<'_>)> = texts
            .iter()
            .map(|(file, text)| (file.path.as_str(), PathEdit::Write(file.kind, text.as_str())))
            .collect();
        Ok(Some(store.repo().edited_tree(root, &edits).map_err(StoreError::Git)?))
    }

    /// The regular files below the directory. Those with names that are not UTF-8 and large ones are left out.
    fn files(&self, repo: &Repository, root: ObjectId) -> Result<Vec<CommittedFile>, Refusal> {
        let mut tree = root;
        for part in self.path.split('/').filter(|part| !part.is_empty()) {
            match repo.look_up(tree, BStr::new(part)).map_err(StoreError::Git)? {
                Some((EntryKind::Tree, inner)) => tree = inner,
                _ => return Ok(vec![]),
            }
        }
        let (mut files, mut folders, mut bytes) = (Vec::new(), 0, 0);
        let mut open = vec![(self.path.clone(), tree)];
        while let Some((folder, tree)) = open.pop() {
            folders += 1;
            let entries = repo.entries(Some(tree)).map_err(StoreError::Git)?;
            for name in entries.names() {
                let (Some((kind, id)), Ok(text)) = (entries.get(name), name.to_str()) else { continue };
                // Only a malformed tree has such names; they would lead out of the directory.
                if matches!(text, "" | "." | "..") || text.contains(['/', '\0']) {
                    continue;
                }
                let path = if folder.is_empty() { text.to_owned() } else { format!("{folder}/{text}") };
                match kind {
                    EntryKind::Tree => open.push((path, id)),
                    EntryKind::Blob | EntryKind::BlobExecutable => {
                        let header = repo.header(id).map_err(StoreError::object("cannot read a file"))?;
                        if header.size <= LARGEST {
                            bytes += header.size;
                            files.push(CommittedFile { path, kind, blob: id });
                        }
                    }
                    EntryKind::Link | EntryKind::Commit => {}
                }
            }
            if files.len() > MOST_FILES || folders > MOST_FILES || bytes > MOST_BYTES {
                return Err(StoreError::Config {
                    key: FOLLOW.into(),
                    value: format!("{}:{}", self.tool.name, self.path),
                    why: "the directory has more than 10,000 files or 64 MiB; name the tool's own directory",
                }
                .into());
            }
        }
        Ok(files)
    }
}

/// Writes a committed file below a directory.
fn put(repo: &Repository, place: &Path, file: &CommittedFile) -> Result<(), Refusal> {
    let bytes = repo.bytes_of(file.blob).map_err(StoreError::Git)?;
    let path: PathBuf = place.join(&file.path);
    let folder = path.parent().unwrap_or(place);
    fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
    fs::write(&path, bytes).map_err(StoreError::io(&path))?;
    Ok(())
}

/// The message of the commit. It names the plan, whose execution links it, but no task.
fn message(tools: &[&str], issue: &ChosenIssue) -> String {
    let (id, tools) = (&issue.issue, tools.join(" and "));
    let (issue_key, solution_key) = (trailers::ISSUE, trailers::SOLUTION);
    let title = one_line(&issue.title);
    format!(
        "Tick off {id} in its {tools} plan\n\n{title}\n\n{issue_key}: {id}\n{solution_key}: {}\n",
        issue.solution
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &str) -> Result<(&'static str, String), &'static str> {
        FollowedDirectory::parse(value).map(|directory| (directory.tool.name, directory.path))
    }

    #[test]
    fn a_tool_and_a_directory_of_the_project_are_followed() {
        assert_eq!(parsed("openspec:openspec"), Ok(("openspec", "openspec".to_owned())));
        assert_eq!(parsed("task-master:."), Ok(("task-master", String::new())));
        assert_eq!(parsed("spec-kit:docs//specs/"), Ok(("spec-kit", "docs/specs".to_owned())));
    }

    #[test]
    fn everything_else_is_refused() {
        for value in
            ["openspec", "openspec:", "jira:x", "openspec:/etc", "openspec:../x", "openspec:a/../../x", ""]
        {
            assert!(parsed(value).is_err(), "{value}");
        }
    }
}
