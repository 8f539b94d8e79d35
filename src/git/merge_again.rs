//! Merges that git makes in a temporary directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bstr::{BString, ByteSlice};

use super::process::feed;
use super::{Args, GitError, ObjectId, ScratchGit};

/// Paths that differ, as git has them: not all are UTF-8. With each, whether it existed before, and whether it exists
/// after.
pub(crate) type ChangedPaths = BTreeMap<BString, (bool, bool)>;

/// git's merge of two commits with all that it says about conflicts.
pub(crate) enum Remerge {
    /// There is no conflict.
    Clean,
    /// The answer of `git merge-tree -z --name-only`.
    Conflicts(Vec<u8>),
    /// This git cannot merge in memory.
    TooOld,
}

/// git's merge of two commits.
pub(crate) struct Joined {
    /// The merged tree.
    pub(crate) tree: ObjectId,
    /// The files with conflicts.
    pub(crate) conflicts: BTreeSet<BString>,
}

impl ScratchGit {
    /// git's merge of two commits, as this clone would make it.
    pub(crate) fn attempt(&self, one: &str, two: &str) -> Result<Remerge, GitError> {
        let args =
            Args::new(&["merge-tree", "--write-tree", "-z", "--name-only", "--allow-unrelated-histories"]);
        let output = self.output("merge-tree", args.values([one, two]))?;
        match output.status.code() {
            Some(0) => Ok(Remerge::Clean),
            Some(1) => Ok(Remerge::Conflicts(output.stdout)),
            Some(129) => Ok(Remerge::TooOld),
            code => {
                let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(GitError::Failed { command: "merge-tree".into(), stderr, code })
            }
        }
    }

    /// A best common ancestor of two commits.
    pub(crate) fn merge_base(&self, one: &str, two: &str) -> Result<Option<ObjectId>, GitError> {
        let output = self.output("merge-base", Args::new(&["merge-base"]).values([one, two]))?;
        Ok(if output.status.success() { id(&String::from_utf8_lossy(&output.stdout)) } else { None })
    }

    /// The differences of a file between two commits or trees, without the lines around them.
    pub(crate) fn diff_of_file(&self, from: &str, to: &str, path: &str) -> Result<String, GitError> {
        let args = Args::new(&[
            "diff-tree",
            "-r",
            "-p",
            "-U0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
        ]);
        let output = self.output("diff-tree", args.values([from, to]).path(path))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// git's merges of pairs of commits, all by one process. None if this git cannot do that.
    pub(crate) fn merge(
        &self,
        pairs: &[(ObjectId, ObjectId)],
        most_renames: u64,
    ) -> Result<Option<Vec<Joined>>, GitError> {
        let list: String = pairs.iter().map(|(one, two)| format!("{one} {two}\n")).collect();
        let args = Args::new(&["merge-tree", "--write-tree", "--stdin", "-z"])
            .options(&["--name-only", "--no-messages", "--allow-unrelated-histories"])
            .set("merge.renames", true)
            .set("merge.renameLimit", most_renames)
            .set("merge.directoryRenames", "conflict")
            .set("merge.renormalize", false)
            .set("merge.conflictStyle", "merge")
            .set("merge.default", "")
            .set("diff.algorithm", "histogram")
            .set("core.attributesFile", "")
            .set("core.fsync", "none");
        let output = match feed(self.command(args), list.as_bytes()) {
            Err(GitError::Failed { code: Some(129), .. }) => return Ok(None),
            output => output?,
        };
        let joined = joined(&output).filter(|joined| joined.len() == pairs.len());
        joined.map(Some).ok_or_else(|| unclear("merge-tree"))
    }

    /// git's merge of the parents of an octopus, one after the other.
    pub(crate) fn octopus(
        &self,
        parents: &[ObjectId],
        most_renames: u64,
    ) -> Result<Option<Joined>, GitError> {
        let [first, others @ ..] = parents else { return Ok(None) };
        let mut head = *first;
        let mut all: Option<Joined> = None;
        for parent in others {
            let Some(joined) = self.merge(&[(head, *parent)], most_renames)?.and_then(|mut made| made.pop())
            else {
                return Ok(None);
            };
            let who = "git-wf <> 0 +0000";
            let text = format!(
                "tree {}\nparent {head}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nmerge\n",
                joined.tree
            );
            let args = Args::new(&["hash-object", "-t", "commit", "-w", "--stdin"]);
            let made = feed(self.command(args), text.as_bytes())?;
            head = id(&String::from_utf8_lossy(&made)).ok_or_else(|| unclear("hash-object"))?;
            let mut conflicts = joined.conflicts;
            conflicts.extend(all.take().map(|before| before.conflicts).unwrap_or_default());
            all = Some(Joined { tree: joined.tree, conflicts });
        }
        Ok(all)
    }

    /// Whether an index differs from a tree.
    pub(crate) fn differs(&self, tree: ObjectId, index: &Path) -> Result<bool, GitError> {
        let args = Args::new(&["diff-index", "--cached", "--name-only", "--ignore-submodules=none"]);
        let mut command = self.command(args.value(tree.to_string()).no_paths());
        command.env("GIT_INDEX_FILE", index);
        Ok(!feed(command, b"")?.is_empty())
    }

    /// The differences of each pair of trees, all by one process.
    pub(crate) fn changes(&self, pairs: &[(ObjectId, ObjectId)]) -> Result<Vec<ChangedPaths>, GitError> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let list: String = pairs.iter().map(|(one, two)| format!("{one} {two}\n")).collect();
        let args = Args::new(&[
            "diff-tree",
            "--stdin",
            "-r",
            "-t",
            "-z",
            "--raw",
            "--no-renames",
            "--ignore-submodules=none",
        ]);
        let output = feed(self.command(args), list.as_bytes())?;
        differences(&output).filter(|found| found.len() == pairs.len()).ok_or_else(|| unclear("diff-tree"))
    }
}

fn id(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.trim().as_bytes()).ok()
}

fn unclear(command: &str) -> GitError {
    let stderr = "its answer is not in the form of git 2.39 and later".to_owned();
    GitError::Failed { command: command.to_owned(), stderr, code: None }
}

/// Reads, for each merge, `1` or `0`, its tree, the names of conflicting files and an empty text, each ended by a zero
/// byte.
fn joined(output: &[u8]) -> Option<Vec<Joined>> {
    let mut parts = output.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let Some(status) = parts.next().filter(|status| !status.is_empty()) {
        let tree = id(&String::from_utf8_lossy(parts.next()?))?;
        let conflicts: BTreeSet<BString> =
            parts.by_ref().take_while(|name| !name.is_empty()).map(BString::from).collect();
        if (status == b"1") != conflicts.is_empty() {
            return None;
        }
        found.push(Joined { tree, conflicts });
    }
    Some(found)
}

/// Reads, for each pair of trees, a line with both ids and then each difference: `:`, the modes, the ids and a letter,
/// and then the path, both ended by a zero byte. A directory is named only if no file in it differs: its tree is
/// encoded differently (such as with an equivalent mode), or it contains an empty directory.
fn differences(output: &[u8]) -> Option<Vec<ChangedPaths>> {
    let mut parts = output.split(|byte| *byte == 0);
    let mut found: Vec<ChangedPaths> = Vec::new();
    let mut folders: BTreeSet<BString> = BTreeSet::new();
    while let Some(mut part) = parts.next() {
        while !part.is_empty() && part[0] != b':' {
            let end = part.iter().position(|byte| *byte == b'\n')?;
            part = &part[end + 1..];
            found.push(ChangedPaths::new());
            folders.clear();
        }
        if part.is_empty() {
            continue;
        }
        let is_folder = is_folder(part)?;
        let change = match part.last()? {
            b'A' => (false, true),
            b'D' => (true, false),
            _ => (true, true),
        };
        let path = BString::from(parts.next()?);
        let changes = found.last_mut()?;
        // git names a directory before its content.
        if let Some(end) = path.rfind_byte(b'/').filter(|end| folders.remove(&path[..*end])) {
            changes.remove(&path[..end]);
        }
        if !is_folder {
            folders.remove(&path);
            changes.insert(path, change);
        } else if !changes.contains_key(&path) {
            changes.insert(path.clone(), change);
            folders.insert(path);
        }
    }
    Some(found)
}

/// Whether a difference is one of directories: `:` and both modes, one of which may be zero.
fn is_folder(difference: &[u8]) -> Option<bool> {
    let modes = [difference.get(1..7)?, difference.get(8..14)?];
    Some(modes.iter().all(|mode| [&b"040000"[..], b"000000"].contains(mode)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bstr(text: &str) -> &bstr::BStr {
        text.into()
    }

    #[test]
    fn what_git_made_of_two_commits_is_read() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let found = joined(format!("1\0{one}\0\x000\0{two}\0a\nb\0c\0\0").as_bytes()).unwrap();
        let shown: Vec<_> =
            found.iter().map(|merged| (merged.tree.to_string(), merged.conflicts.len())).collect();
        assert_eq!(shown, [(one.clone(), 0), (two, 2)]);
        assert!(found[1].conflicts.contains(&BString::from("a\nb")));
        assert!(joined(b"").unwrap().is_empty());
        for unclear in [format!("1\0{one}\0a\0\0"), format!("0\0{one}\0\0"), "1\0no\0\0".into()] {
            assert!(joined(unclear.as_bytes()).is_none(), "{unclear:?}");
        }
    }

    #[test]
    fn differences_of_trees_are_read() {
        let header = format!("{0} {0}\n", "1".repeat(40));
        let raw = |letter: &str, path: &str| format!(":100644 100644 1 2 {letter}\0{path}\0");
        let text = format!(
            "{header}{header}{}{}{}{header}",
            raw("M", "a"),
            raw("A", ":100644 100644 1 2 D"),
            raw("D", "x\ny")
        );
        let found = differences(text.as_bytes()).unwrap();
        assert_eq!(found.iter().map(ChangedPaths::len).collect::<Vec<_>>(), [0, 3, 0]);
        assert_eq!(found[1][bstr("x\ny")], (true, false));
        assert_eq!(found[1][bstr(":100644 100644 1 2 D")], (false, true));
        assert!(differences(b"nothing").is_none());
        let tree = |letter: &str, path: &str| format!(":040000 000000 1 2 {letter}\0{path}\0");
        let text = [
            header,
            tree("M", "a"),
            tree("M", "a/b"),
            raw("M", "a/b/c"),
            raw("D", "d"),
            tree("A", "d"),
            raw("A", "d/e"),
            tree("M", "f"),
            tree("D", "f/g"),
        ];
        let found = differences(text.concat().as_bytes()).unwrap();
        assert_eq!(found[0].keys().collect::<Vec<_>>(), ["a/b/c", "d", "d/e", "f/g"]);
    }
}
