//! Finds the lines that commits added.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::quoted::unquoted;
use super::{Args, Git, GitError, ObjectId};

/// Lines of a file that a commit added, numbered as in that commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AddedLines {
    /// The path, from the top of the work tree.
    pub(crate) path: String,
    /// In ascending order; lines count from 1.
    pub(crate) ranges: Vec<RangeInclusive<u64>>,
}

impl Git {
    /// The lines that each of these commits added compared with its parent, without merges and commits that added none.
    pub(crate) fn added_lines(
        &self,
        commits: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Vec<AddedLines>>, GitError> {
        let args = Args::new(&[
            "diff-tree",
            "--stdin",
            "--root",
            "-r",
            "-p",
            "-U0",
            "-M",
            "-l1000",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ]);
        let list: String = commits.iter().map(|id| format!("{id}\n")).collect();
        let patches = self.run_with(args.set("core.quotePath", "false"), list.as_bytes())?;
        Ok(parse(&patches))
    }
}

/// Parses patches without context lines, each after the id of its commit.
fn parse(patches: &[u8]) -> HashMap<ObjectId, Vec<AddedLines>> {
    let mut found: HashMap<ObjectId, Vec<AddedLines>> = HashMap::new();
    let (mut commit, mut path) = (None, None);
    // Lines of the current hunk that are still to come. They can look like headers.
    let (mut old, mut new) = (0, 0);
    for line in patches.split(|byte| *byte == b'\n') {
        match line.first() {
            Some(b'-') if old > 0 => old -= 1,
            Some(b'+') if new > 0 => new -= 1,
            _ if old + new > 0 => {}
            _ => {
                let text = String::from_utf8_lossy(line);
                if let Ok(id) = ObjectId::from_hex(line) {
                    (commit, path) = (Some(id), None);
                } else if let Some(name) = text.strip_prefix("+++ ") {
                    // git ends a name that contains blanks with a tab.
                    let name = unquoted(name.trim_end_matches('\t'));
                    path = name.strip_prefix("b/").map(str::to_owned);
                } else if let Some((before, after)) = hunk(&text) {
                    (old, new) = (before.1, after.1);
                    let (Some(commit), Some(path), true) = (commit, &path, new > 0) else { continue };
                    let range = after.0..=after.0.saturating_add(new - 1);
                    let files = found.entry(commit).or_default();
                    match files.last_mut().filter(|file| file.path == *path) {
                        Some(file) => file.ranges.push(range),
                        None => files.push(AddedLines { path: path.clone(), ranges: vec![range] }),
                    }
                }
            }
        }
    }
    found
}

/// Parses `@@ -1,2 +3 @@`: the first line and the number of lines, before and after.
fn hunk(line: &str) -> Option<((u64, u64), (u64, u64))> {
    let (before, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (after, _) = rest.split_once(" @@")?;
    let lines = |text: &str| match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    Some((lines(before)?, lines(after)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_are_numbered_as_they_are_in_the_commit() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let patches = format!(
            "{one}\ndiff --git a/a b.txt b/a b.txt\n--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1,2 +1 @@ fn x\n-{two}\n-+++ b/no\n\
             +@@ -1 +9 @@\n@@ -9,0 +8,2 @@\n+x\n+++ b/other\n\\ No newline at end of file\n\
             diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n{two}\n\
             diff --git \"a/\\303\\244\\t\" \"b/\\303\\244\\t\"\n--- /dev/null\n+++ \"b/\\303\\244\\t\"\n@@ -0,0 +1,3 @@\n+\n+\n+\n"
        );
        let found = parse(patches.as_bytes());
        let of = |id: &str| &found[&ObjectId::from_hex(id.as_bytes()).unwrap()];
        assert_eq!(*of(&one), [AddedLines { path: "a b.txt".into(), ranges: vec![1..=1, 8..=9] }]);
        assert_eq!(*of(&two), [AddedLines { path: "ä\t".into(), ranges: vec![1..=3] }]);
    }

    #[test]
    fn what_is_no_patch_adds_nothing() {
        for text in ["", "@@ -1 +1 @@\n+x\n", "+++ b/x\n@@ -1 +1 @@\n", "@@ -x +1 @@"] {
            assert_eq!(parse(text.as_bytes()), HashMap::new(), "{text}");
        }
    }
}
