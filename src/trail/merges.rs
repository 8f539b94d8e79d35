//! What a merge holds that none of its parents has: how a conflict was settled, and whatever else somebody wrote into it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::Stdio;

use gix::ObjectId;

use super::quoted::unquoted;
use crate::rules::audit::Change;
use crate::store::git::Args;
use crate::store::git::GitError;
use crate::store::{CodeCommit, Store, StoreError, object_id};

/// git's combined diff leaves out what comes from one of the parents. Without context, since with it changes of two sides
/// that lie near each other would pass for the merge's own; with renames, since a file that one side moved and the other
/// changed would, too.
const SHOWN: &[&str] = &[
    // Larger files are compared as a whole.
    "-c",
    "core.bigFileThreshold=32m",
    "diff-tree",
    "--stdin",
    "--cc",
    "-r",
    "-p",
    "-U0",
    "-M",
    "-l1000",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
];

/// Merges of more commits than these are not looked into.
const MOST_PARENTS: usize = 64;

/// What merges hold of their own.
#[derive(Debug, Default)]
pub(crate) struct OwnChanges {
    /// The files that each merge changed against all of its parents. A merge that only joins is not among them.
    pub(crate) changes: HashMap<ObjectId, BTreeMap<String, Change>>,
    /// Merges whose trees unfold to more than anybody can look at, or which join too many commits.
    pub(crate) unseen: HashSet<ObjectId>,
}

/// Looks at merges of the code, all by one process.
pub(crate) fn own_changes<'a>(
    store: &Store,
    merges: impl Iterator<Item = &'a CodeCommit>,
) -> Result<OwnChanges, StoreError> {
    let mut found = OwnChanges::default();
    let mut seen = Vec::new();
    for merge in merges {
        match is_beyond_looking(store, merge)? {
            true => drop(found.unseen.insert(merge.id)),
            false => seen.push(merge.id),
        }
    }
    found.changes = combined(store, &seen)?;
    Ok(found)
}

/// git would walk whatever the trees unfold to.
fn is_beyond_looking(store: &Store, merge: &CodeCommit) -> Result<bool, StoreError> {
    if merge.parents.len() > MOST_PARENTS {
        return Ok(true);
    }
    let tree = store.code_tree_of(merge.id)?;
    for parent in &merge.parents {
        if store.is_beyond_looking(Some(store.code_tree_of(*parent)?), tree)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn combined(
    store: &Store,
    merges: &[ObjectId],
) -> Result<HashMap<ObjectId, BTreeMap<String, Change>>, GitError> {
    if merges.is_empty() {
        return Ok(HashMap::new());
    }
    let start = |source| GitError::Start { command: SHOWN.join(" "), source };
    let mut list = tempfile::tempfile().map_err(start)?;
    for merge in merges {
        writeln!(list, "{merge}").map_err(start)?;
    }
    list.rewind().map_err(start)?;
    let mut said = tempfile::tempfile().map_err(start)?;
    let mut command = store.git().command(Args::new(SHOWN));
    command.stdin(list).stdout(Stdio::piped()).stderr(said.try_clone().map_err(start)?);
    let mut child = command.spawn().map_err(start)?;
    // Read as it comes, since all the patches together may be of any size.
    let found = child.stdout.take().map(|out| parse(BufReader::new(out))).transpose().map_err(start)?;
    let status = child.wait().map_err(start)?;
    if !status.success() {
        let mut stderr = String::new();
        said.rewind().and_then(|()| said.read_to_string(&mut stderr)).map_err(start)?;
        let stderr = stderr.trim().to_owned();
        return Err(GitError::Failed { command: SHOWN.join(" "), stderr, code: status.code() });
    }
    Ok(found.unwrap_or_default())
}

/// Lines of a file stand behind a column for each parent, so that none of them passes for a header.
fn parse(mut out: impl BufRead) -> std::io::Result<HashMap<ObjectId, BTreeMap<String, Change>>> {
    let mut found: HashMap<ObjectId, BTreeMap<String, Change>> = HashMap::new();
    let mut merge = None;
    let mut path = None;
    let mut line = Vec::new();
    while out.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line));
        let mut change = None;
        if let Some(id) = object_id(&text) {
            merge = Some(id);
        } else if let Some(name) = text.strip_prefix("diff --cc ") {
            path = Some(unquoted(name));
            change = Some(Change::Modified);
        } else if text.starts_with("new file mode ") {
            change = Some(Change::Added);
        } else if text.starts_with("deleted file mode ") {
            change = Some(Change::Deleted);
        }
        if let (Some(merge), Some(path), Some(change)) = (merge, &path, change) {
            found.entry(merge).or_default().insert(path.clone(), change);
        }
        line.clear();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_combined_diff_is_read() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let text = format!(
            "{one}\ndiff --cc a.txt\nindex 111,222..333\n--- a/a.txt\n+++ b/a.txt\n@@@ -1,1 -1,1 +1,2 @@@\n\
             ++diff --cc no.txt\n++new file mode 100644\n{two}\ndiff --cc \"caf\\303\\251\"\nnew file mode 100644\n\
             index 000,000..333\ndiff --cc gone\ndeleted file mode 100644,100644\n"
        );
        let found = parse(text.as_bytes()).unwrap();
        let of = |id: &str| found[&object_id(id).unwrap()].clone();
        assert_eq!(of(&one), BTreeMap::from([("a.txt".to_owned(), Change::Modified)]));
        assert_eq!(
            of(&two),
            BTreeMap::from([("café".to_owned(), Change::Added), ("gone".to_owned(), Change::Deleted)])
        );
    }
}
