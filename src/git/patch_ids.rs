//! git's patch ids: of a change in an index, of commits, of pairs of trees. The objects are not checked: the caller
//! must know that git can walk them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::process::feed;
use super::{Args, Git, GitError, ObjectId};
use crate::model::PatchId;

/// The diff options for computing an id, which no setting of the user changes.
pub(super) const SHOWN: &[&str] = &[
    // Larger files are compared as a whole.
    "-c",
    "core.bigFileThreshold=32m",
    "diff-tree",
    "-r",
    "-p",
    "--full-index",
    "--binary",
    "--no-ext-diff",
    "--no-textconv",
    "--root",
];

/// The diff options for a staged change, which give it the id that it will have as a commit.
const STAGED: &[&str] = &[
    "-c",
    "core.bigFileThreshold=32m",
    "diff-index",
    "--cached",
    "-p",
    "--no-renames",
    "--full-index",
    "--binary",
    "--no-ext-diff",
    "--no-textconv",
];

/// Patch ids by the paths of the files.
pub(crate) type PatchIdsByFile = BTreeMap<String, PatchId>;

impl Git {
    /// The patch ids of the change in an index against a commit, and of its reverse.
    pub(crate) fn patch_ids_of_index(
        &self,
        index: &Path,
        commit: ObjectId,
    ) -> Result<[Option<PatchId>; 2], GitError> {
        let id = |args: Args| {
            let mut shown = self.command(args.value(commit.to_string()).no_paths());
            shown.env("GIT_INDEX_FILE", index);
            Ok(first(&ids_of(self, shown)?))
        };
        // git also swaps the prefixes of the paths, which are part of the id.
        let back = Args::new(STAGED).options(&["-R", "--src-prefix=b/", "--dst-prefix=a/"]);
        Ok([id(Args::new(STAGED))?, id(back)?])
    }

    /// For each file, the patch id of its change in an index against a commit, and that of the reverse. The sum of
    /// the ids of some files is that of a commit which makes these changes and no others.
    pub(crate) fn patch_ids_of_index_by_file(
        &self,
        index: &Path,
        commit: ObjectId,
    ) -> Result<[PatchIdsByFile; 2], GitError> {
        let files = self.staged_files(index, commit)?;
        let ids = |args: Args| {
            let mut shown = self.command(args.value(commit.to_string()).no_paths());
            shown.env("GIT_INDEX_FILE", index);
            let patches = split(&feed(shown, b"")?);
            // Each patch is announced as that of a commit whose id is its number.
            let width = commit.kind().len_in_hex();
            let mut input = Vec::new();
            for (n, patch) in patches.iter().enumerate() {
                input.extend_from_slice(format!("commit {:0width$}\n", n + 1).as_bytes());
                input.extend_from_slice(patch);
            }
            let answer = feed(self.command(&["patch-id", "--stable"]), &input)?;
            let mut found = PatchIdsByFile::new();
            for line in String::from_utf8_lossy(&answer).lines() {
                let Some((id, n)) = line.split_once(' ') else { continue };
                let file = n.trim().parse::<usize>().ok().and_then(|n| files.get(n.checked_sub(1)?));
                if let (Some(file), Some(id), true) = (file, PatchId::parse(id), patches.len() == files.len())
                {
                    found.insert(file.to_string(), id);
                }
            }
            Ok(found)
        };
        let back = Args::new(STAGED).options(&["-R", "--src-prefix=b/", "--dst-prefix=a/"]);
        Ok([ids(Args::new(STAGED))?, ids(back)?])
    }

    /// The patch id of everything between two commits; without a `base`, of the whole tree at `head`.
    pub(crate) fn patch_id_between(
        &self,
        base: Option<ObjectId>,
        head: ObjectId,
    ) -> Result<Option<PatchId>, GitError> {
        let commits = base.into_iter().chain([head]).map(|id| id.to_string());
        Ok(first(&ids_of(self, self.command(Args::new(SHOWN).values(commits)))?))
    }

    /// The patch id of each commit against its parent, with the commit; none for one that changes nothing.
    pub(crate) fn patch_ids(&self, commits: &[ObjectId]) -> Result<Vec<(ObjectId, PatchId)>, GitError> {
        let start = |source| GitError::Start { command: "diff-tree --stdin".into(), source };
        let mut list = tempfile::tempfile().map_err(start)?;
        let lines: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        list.write_all(lines.as_bytes()).and_then(|()| list.rewind()).map_err(start)?;
        let mut shown = self.command(Args::new(SHOWN).options(&["--stdin"]));
        shown.stdin(list);
        let text = ids_of(self, shown)?;
        Ok(text
            .lines()
            .filter_map(|line| {
                let (id, commit) = line.split_once(' ')?;
                Some((ObjectId::from_hex(commit.trim().as_bytes()).ok()?, PatchId::parse(id)?))
            })
            .collect())
    }

    /// The patch ids of the changes between pairs of trees, computed by one pair of processes; `None` if nothing
    /// changed.
    pub(crate) fn patch_ids_of_pairs(
        &self,
        pairs: &[(ObjectId, ObjectId)],
    ) -> Result<Vec<Option<PatchId>>, GitError> {
        let command = "diff-tree --stdin | git patch-id";
        let start = |source| GitError::Start { command: command.into(), source };
        let heads: Vec<String> = pairs.iter().map(|(base, head)| format!("{base} {head}\n")).collect();
        let mut list = tempfile::tempfile().map_err(start)?;
        list.write_all(heads.concat().as_bytes()).and_then(|()| list.rewind()).map_err(start)?;
        let mut shown = self.command(Args::new(SHOWN).options(&["--stdin"]));
        let mut shown =
            shown.stdin(list).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(start)?;
        let mut ids = self.command(&["patch-id", "--stable"]);
        let ids = ids.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut ids = ids.spawn().map_err(start)?;
        let (out, into) = (shown.stdout.take(), ids.stdin.take());
        let output = std::thread::scope(|scope| {
            scope.spawn(|| {
                if let (Some(out), Some(into)) = (out, into) {
                    // If a reader ends early, its exit code says why.
                    let _ = number(out, into, &heads);
                }
            });
            ids.wait_with_output()
        });
        let (shown, ids) = (shown.wait().map_err(start)?, output.map_err(start)?);
        if !shown.success() || !ids.status.success() {
            let stderr = String::from_utf8_lossy(&ids.stderr).trim().to_owned();
            return Err(GitError::Failed { command: command.into(), stderr, code: shown.code() });
        }
        let mut found = vec![None; pairs.len()];
        for line in String::from_utf8_lossy(&ids.stdout).lines() {
            let Some((id, n)) = line.split_once(' ') else { continue };
            let at = n.trim().parse::<usize>().ok().and_then(|n| found.get_mut(n.checked_sub(1)?));
            if let Some(at) = at {
                *at = PatchId::parse(id);
            }
        }
        Ok(found)
    }
}

/// The patches of the single files in a diff. Within a patch no line begins like its first one.
fn split(diff: &[u8]) -> Vec<Vec<u8>> {
    let mut patches: Vec<Vec<u8>> = Vec::new();
    for line in diff.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            patches.push(Vec::new());
        }
        if let Some(patch) = patches.last_mut() {
            patch.extend_from_slice(line);
        }
    }
    patches
}

fn first(answer: &str) -> Option<PatchId> {
    answer.split_whitespace().next().and_then(PatchId::parse)
}

/// The answer of `git patch-id` for the patches that `shown` prints. They are piped from one to the other, since
/// together they may be of any size.
fn ids_of(git: &Git, mut shown: Command) -> Result<String, GitError> {
    let command = "diff-tree | git patch-id";
    let start = |source| GitError::Start { command: command.into(), source };
    // A file: a pipe that nobody reads could fill up and block.
    let mut said = tempfile::tempfile().map_err(start)?;
    shown.stdout(Stdio::piped()).stderr(said.try_clone().map_err(start)?);
    let mut shown = shown.spawn().map_err(start)?;
    let ids = {
        // Dropped before waiting: as long as it is open, a writer whose reader ended early would wait for ever.
        let mut ids = git.command(&["patch-id", "--stable"]);
        ids.stdin(shown.stdout.take().map_or_else(Stdio::null, Stdio::from));
        ids.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    };
    let ids = ids.and_then(Child::wait_with_output);
    let shown = shown.wait().map_err(start)?;
    let ids = ids.map_err(start)?;
    if !shown.success() || !ids.status.success() {
        let mut stderr = Vec::new();
        said.rewind().and_then(|()| said.read_to_end(&mut stderr)).map_err(start)?;
        stderr.extend_from_slice(&ids.stderr);
        return Err(GitError::Failed {
            command: command.into(),
            stderr: String::from_utf8_lossy(&stderr).trim().to_owned(),
            code: if shown.success() { ids.status.code() } else { shown.code() },
        });
    }
    Ok(String::from_utf8_lossy(&ids.stdout).into_owned())
}

/// Pipes the patches through, each with its number in place of the trees, since `patch-id` identifies a patch by one
/// id, and two pairs may share a tree.
fn number(out: impl Read, into: impl Write, heads: &[String]) -> std::io::Result<()> {
    let (mut out, mut into) = (BufReader::new(out), BufWriter::new(into));
    let mut line = Vec::new();
    let mut n = 0;
    while out.read_until(b'\n', &mut line)? > 0 {
        match heads.get(n).filter(|head| head.as_bytes() == line) {
            Some(head) => {
                n += 1;
                let width = head.find(' ').unwrap_or_default();
                writeln!(into, "commit {n:0width$}")?;
            }
            None => into.write_all(&line)?,
        }
        line.clear();
    }
    into.flush()
}
