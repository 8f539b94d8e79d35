//! The files of plan tools, kept in step with what lands. Which directories are followed is said by `wf.plans.follow`. A
//! landing ticks off its issue, and the tasks of others whose linked work the branch has.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use tempfile::TempDir;

use super::chosen::ChosenIssue;
use super::messages::tick_message;
use crate::git::{EntryKind, NewCommit, PathEdit, Repository};
use crate::interchange::plan_tools::written::{self, WrittenTool};
use crate::model::hash::CommitHash;
use crate::model::status::IssueStatus;
use crate::model::{Code, IssueId};
use crate::ops::plan_progress::{BranchWork, PlanProgress};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::facts;
use crate::store::{CodeCommit, ObjectId, Snapshot, Store, StoreError, object_id, records};

/// The setting that names the directories that are followed.
const FOLLOW: &str = "wf.plans.follow";
/// More files in such a directory are not read.
const MOST_FILES: usize = 10_000;
/// Larger files are not read.
const LARGEST: u64 = 16 << 20;
/// More bytes in such a directory are not read.
const MOST_BYTES: u64 = 64 << 20;

/// The plan tools' directories that follow what lands.
pub(super) struct FollowedPlans {
    directories: Vec<FollowedDirectory>,
    /// The issues that are being executed, of any of the tools; found when they are first needed.
    executing: OnceCell<Vec<IssueId>>,
}

/// A directory of the project, with the tool whose plans are in it.
struct FollowedDirectory {
    tool: &'static WrittenTool,
    /// Its path from the root of the project, as git writes paths; empty for the root itself.
    path: String,
    /// Its files as they were last written into a directory, for one landing after the other.
    written: RefCell<Option<WrittenDirectory>>,
}

/// Files of a commit in a directory outside of the work tree.
struct WrittenDirectory {
    place: TempDir,
    blobs: BTreeMap<String, ObjectId>,
}

/// A tree in which boxes and statuses say what has landed, and the message of its commit.
pub(super) struct Tick {
    tree: ObjectId,
    message: String,
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
        Self::new(vec![])
    }

    fn new(directories: Vec<FollowedDirectory>) -> Self {
        Self { directories, executing: OnceCell::new() }
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
        Ok(Self::new(all))
    }

    /// A commit on top of `tip` in which the boxes and statuses say that an issue is completed; `tip` itself if they do
    /// already, or if nothing that is followed has the issue. The work tree is not touched.
    ///
    /// # Errors
    /// Errors of git.
    pub(super) fn commit_on(
        &self,
        session: &Session,
        tip: ObjectId,
        issue: &ChosenIssue,
        is_signed: bool,
    ) -> Result<ObjectId, Refusal> {
        match self.tick(session, tip, issue)? {
            Some(tick) => tick.commit(session.store(), tip, is_signed),
            None => Ok(tip),
        }
    }

    /// What is to be committed on top of `tip`, if anything.
    ///
    /// # Errors
    /// Errors of git.
    pub(super) fn tick(
        &self,
        session: &Session,
        tip: ObjectId,
        issue: &ChosenIssue,
    ) -> Result<Option<Tick>, Refusal> {
        if self.directories.is_empty() {
            return Ok(None);
        }
        let store = session.store();
        let state = store.snapshot()?;
        let has = |hash: &CommitHash| {
            object_id(hash.as_str()).is_some_and(|id| {
                store.repo().is_commit(id) && store.is_ancestor(id, tip).unwrap_or_default()
            })
        };
        let branch = BranchWork { lands: &issue.issue, has: &has };
        let others = self.executing(&state)?.iter().filter(|id| **id != issue.issue);
        let issues: Vec<IssueId> = [&issue.issue].into_iter().chain(others).cloned().collect();
        let mut tree = store.code_tree_of(tip)?;
        let (mut tools, mut also) = (Vec::new(), BTreeSet::new());
        for directory in &self.directories {
            if let Some(ticked) = directory.ticked(session, &state, tree, &issues, &branch)? {
                tree = ticked.tree;
                also.extend(ticked.issues.into_iter().filter(|id| *id != issue.issue));
                tools.push(directory.tool.name);
            }
        }
        if tools.is_empty() {
            return Ok(None);
        }
        Ok(Some(Tick { tree, message: tick_message(&tools, issue, &also) }))
    }

    /// The issues of the tools that are being executed.
    fn executing(&self, state: &Snapshot<'_>) -> Result<&[IssueId], Refusal> {
        if let Some(known) = self.executing.get() {
            return Ok(known);
        }
        let mut found = Vec::new();
        for id in records::issue_ids(state)? {
            let Ok(Some(outline)) = records::outline(state, &id) else { continue };
            let record = outline.issue.record.imported.as_ref();
            let is_followed = record.is_some_and(|record| {
                self.directories.iter().any(|directory| (directory.tool.is_own)(record))
            });
            if is_followed && facts::status(&outline) == IssueStatus::Executing {
                found.push(id);
            }
        }
        Ok(self.executing.get_or_init(|| found))
    }
}

impl Tick {
    /// Commits it on top of `tip`.
    pub(super) fn commit(&self, store: &Store, tip: ObjectId, is_signed: bool) -> Result<ObjectId, Refusal> {
        let (tree, message) = (self.tree, self.message.as_bytes());
        let new = NewCommit { tree, parents: &[tip], message, author_of: None, is_signed };
        Ok(store.git().make_commit(&new).map_err(StoreError::Git)?)
    }

    /// Whether a commit is this one on top of `tip`.
    pub(super) fn is(&self, store: &Store, commit: ObjectId, tip: ObjectId) -> Result<bool, Refusal> {
        if !store.repo().is_commit(commit) {
            return Ok(false);
        }
        let known = store.code_commit(commit)?;
        Ok(known.parents[..] == [tip] && store.code_tree_of(commit)? == self.tree)
    }

    /// Whether a commit says that it ticks the same issue off, such as on top of earlier work.
    pub(super) fn says_the_same(&self, commit: &CodeCommit) -> bool {
        commit.message.trim_ascii() == self.message.as_bytes().trim_ascii()
    }
}

/// A tree with the boxes and statuses of some issues.
struct TickedTree {
    tree: ObjectId,
    issues: Vec<IssueId>,
}

impl FollowedDirectory {
    /// Parses `openspec:docs/openspec`.
    fn parse(value: &str) -> Result<Self, &'static str> {
        let form = "expected TOOL:DIRECTORY, such as openspec:openspec";
        let (name, path) = value.split_once(':').ok_or(form)?;
        let tools =
            [&written::OPENSPEC, &written::SPEC_KIT, &written::TASK_MASTER, &written::BACKLOG, &written::GSD];
        let tool = tools
            .into_iter()
            .find(|tool| tool.name == name)
            .ok_or("the tools are openspec, spec-kit, task-master, backlog and gsd")?;
        if path.is_empty() {
            return Err(form);
        }
        if path.starts_with('/') || path.split('/').any(|part| part == "..") {
            return Err("the directory must be one of the project, relative to its root");
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        Ok(Self { tool, path: parts.join("/"), written: RefCell::new(None) })
    }

    /// The tree `root` with the boxes and statuses of some issues, of which the first one lands; `None` if nothing changes. A file
    /// that cannot be read does not stop the landing.
    fn ticked(
        &self,
        session: &Session,
        state: &Snapshot<'_>,
        root: ObjectId,
        issues: &[IssueId],
        branch: &BranchWork<'_>,
    ) -> Result<Option<TickedTree>, Refusal> {
        let store = session.store();
        let files = match self.files(store.repo(), root) {
            Ok(files) => files,
            // What is done must land even if the directory has too much to look at.
            Err(refusal) if refusal.code == Code::Config => {
                let words = format!("`{}` lands without being ticked off: {}", branch.lands, refusal.message);
                session.notice(Notice { remedies: refusal.remedies, ..Notice::warning(words) });
                return Ok(None);
            }
            Err(refusal) => return Err(refusal),
        };
        if files.is_empty() {
            let words = format!("`{FOLLOW}` names `{}`, which has no files in what lands", self.path);
            session.notice(Notice::warning(words));
            return Ok(None);
        }
        let mut written = self.written.borrow_mut();
        let written = match &mut *written {
            Some(written) => written,
            None => written.insert(WrittenDirectory::new(&session.environment().temporary())?),
        };
        written.update(store.repo(), &files)?;
        let place = written.place.path();
        let progress = match PlanProgress::read(
            store,
            state,
            self.tool,
            &place.join(&self.path),
            issues,
            Some(branch),
        ) {
            Ok(progress) => progress,
            Err(refusal) => {
                let why = refusal.message.replace(&format!("{}/", place.display()), "");
                let words = format!("`{}` lands without being ticked off: {why}", branch.lands);
                session.notice(Notice::warning(words));
                return Ok(None);
            }
        };
        if progress.without_file.contains(branch.lands) {
            let words = format!("`{}` has no file in `{}` any more", branch.lands, self.path);
            session.notice(Notice::warning(words));
        }
        for plan in progress.plans.iter().filter(|plan| !plan.missing.is_empty()) {
            let (issue, tasks) = (&plan.issue_id, plan.missing.join(", "));
            session.notice(Notice::warning(format!("`{issue}`: its file has no box any more for {tasks}")));
        }
        let mut texts: Vec<(&str, EntryKind, String)> = Vec::new();
        for (path, text) in &progress.texts {
            let Some(path) = path.strip_prefix(place).ok().and_then(Path::to_str) else { continue };
            let known = files.iter().find(|file| file.path == path);
            texts.push((path, known.map_or(EntryKind::Blob, |file| file.kind), text.whole()));
        }
        if texts.is_empty() {
            return Ok(None);
        }
        let edits: Vec<(&str, PathEdit<'_>)> =
            texts.iter().map(|(path, kind, text)| (*path, PathEdit::Write(*kind, text.as_str()))).collect();
        let tree = store.repo().edited_tree(root, &edits).map_err(StoreError::Git)?;
        let changed = progress.plans.into_iter().filter(|plan| plan.changes > 0);
        Ok(Some(TickedTree { tree, issues: changed.map(|plan| plan.issue_id).collect() }))
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

impl WrittenDirectory {
    fn new(temporary: &Path) -> Result<Self, Refusal> {
        let place = tempfile::tempdir_in(temporary).map_err(StoreError::io(temporary))?;
        Ok(Self { place, blobs: BTreeMap::new() })
    }

    /// Writes the files that are new or changed, and removes those that are gone.
    fn update(&mut self, repo: &Repository, files: &[CommittedFile]) -> Result<(), Refusal> {
        let now: BTreeMap<String, ObjectId> =
            files.iter().map(|file| (file.path.clone(), file.blob)).collect();
        // A file may have become a directory, and the other way round.
        for gone in self.blobs.keys().filter(|path| !now.contains_key(*path)) {
            let path = self.place.path().join(gone);
            fs::remove_file(&path).map_err(StoreError::io(&path))?;
            let folders = path.ancestors().skip(1).take_while(|folder| *folder != self.place.path());
            for folder in folders {
                if fs::remove_dir(folder).is_err() {
                    break;
                }
            }
        }
        for file in files.iter().filter(|file| self.blobs.get(&file.path) != Some(&file.blob)) {
            let bytes = repo.bytes_of(file.blob).map_err(StoreError::Git)?;
            let path: PathBuf = self.place.path().join(&file.path);
            let folder = path.parent().unwrap_or(self.place.path());
            fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
            fs::write(&path, bytes).map_err(StoreError::io(&path))?;
        }
        self.blobs = now;
        Ok(())
    }
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
