//! What changes between trees, told apart to the byte. git's patch ids ignore whitespace, which in some languages is all of
//! a change.

use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::Stdio;

use sha2::{Digest, Sha256};

use super::patch_ids::SHOWN;
use super::{Args, Git, GitError, ObjectId};

/// Identifies a change regardless of its commits: the paths, and every line that is added, removed or kept around those.
/// Where in a file the lines are does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ExactChange([u8; 32]);

impl Git {
    /// The changes between pairs of trees, computed by one process; `None` if nothing changed. What comes in is not looked
    /// at: the caller must know that git can walk it.
    pub(crate) fn exact_changes(
        &self,
        pairs: &[(ObjectId, ObjectId)],
    ) -> Result<Vec<Option<ExactChange>>, GitError> {
        let command = "diff-tree --stdin";
        let start = |source| GitError::Start { command: command.into(), source };
        let heads: Vec<String> = pairs.iter().map(|(old, new)| format!("{old} {new}\n")).collect();
        let mut list = tempfile::tempfile().map_err(start)?;
        list.write_all(heads.concat().as_bytes()).and_then(|()| list.rewind()).map_err(start)?;
        // A file: a pipe that nobody reads could fill up and block.
        let mut said = tempfile::tempfile().map_err(start)?;
        let mut shown = self.command(Args::new(SHOWN).options(&["--stdin"]));
        shown.stdin(list).stdout(Stdio::piped()).stderr(said.try_clone().map_err(start)?);
        let mut shown = shown.spawn().map_err(start)?;
        let found = match shown.stdout.take() {
            Some(out) => read(out, &heads).map_err(start),
            None => Ok(vec![None; pairs.len()]),
        };
        let ended = shown.wait().map_err(start)?;
        if !ended.success() {
            let mut stderr = String::new();
            said.rewind().and_then(|()| said.read_to_string(&mut stderr)).map_err(start)?;
            let stderr = stderr.trim().to_owned();
            return Err(GitError::Failed { command: command.into(), stderr, code: ended.code() });
        }
        found
    }
}

/// Reads patches, each after its head.
fn read(out: impl Read, heads: &[String]) -> std::io::Result<Vec<Option<ExactChange>>> {
    let mut found = Vec::with_capacity(heads.len());
    let (mut hash, mut has_lines) = (Sha256::new(), false);
    let mut out = BufReader::new(out);
    let mut line = Vec::new();
    let mut begun = 0;
    while out.read_until(b'\n', &mut line)? > 0 {
        if heads.get(begun).is_some_and(|head| head.as_bytes() == line) {
            if begun > 0 {
                found.push(has_lines.then(|| ExactChange(hash.finalize_reset().into())));
                has_lines = false;
            }
            begun += 1;
        } else if line.starts_with(b"@@ ") {
            has_lines = true;
            hash.update(b"@@\n");
        } else if !line.starts_with(b"index ") {
            has_lines = true;
            hash.update(&line);
        }
        line.clear();
    }
    if begun > 0 {
        found.push(has_lines.then(|| ExactChange(hash.finalize().into())));
    }
    found.resize(heads.len(), None);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_differ_by_their_lines_and_not_by_where_these_are() {
        let heads: Vec<String> = ["a b\n", "c d\n", "e f\n", "g h\n"].map(str::to_owned).into();
        let patch = |index: &str, at: &str, line: &str| {
            format!("diff --git a/x b/x\nindex {index}\n--- a/x\n+++ b/x\n@@ {at} @@ fn\n 1\n+{line}\n")
        };
        let text = [
            "a b\n",
            &patch("1..2", "-1 +1,2", "x = 1"),
            "c d\n",
            &patch("3..4", "-9 +9,2", "x = 1"),
            "e f\n",
            "g h\n",
            &patch("1..2", "-1 +1,2", "  x = 1"),
        ];
        let found = read(text.concat().as_bytes(), &heads).unwrap();
        assert_eq!((found.len(), found[2]), (4, None));
        assert!(found[0].is_some() && found[0] == found[1] && found[0] != found[3]);
    }
}
