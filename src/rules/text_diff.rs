//! Differences of two texts. `similar` is compiled once for each type that it compares: here it compares pieces of text,
//! and nothing else does.

use std::fmt::Write;
use std::time::Instant;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp, diff_ratio, group_diff_ops};

/// How many unchanged lines a unified diff shows around a change.
const CONTEXT: usize = 3;

/// Two texts, cut into pieces, and what differs between them.
pub(crate) struct TextDiff<'t> {
    old: &'t [&'t str],
    new: &'t [&'t str],
    ops: Vec<DiffOp>,
}

impl<'t> TextDiff<'t> {
    /// Compares two texts.
    pub(crate) fn new(old: &'t [&'t str], new: &'t [&'t str]) -> Self {
        Self::until(None, old, new)
    }

    /// Compares two texts. After the deadline, what is left counts as changed.
    pub(crate) fn until(deadline: Option<Instant>, old: &'t [&'t str], new: &'t [&'t str]) -> Self {
        let mut found = Compact::new(Replace::new(Capture::new()), old, new);
        let Ok(()) = myers::diff_deadline(&mut found, old, 0..old.len(), new, 0..new.len(), deadline);
        Self { old, new, ops: found.into_inner().into_inner().into_ops() }
    }

    /// What is the same and what is not, in order.
    pub(crate) fn ops(&self) -> &[DiffOp] {
        &self.ops
    }

    /// How much the texts have in common: 0 for nothing, 1 for all.
    pub(crate) fn ratio(&self) -> f32 {
        diff_ratio(&self.ops, self.old.len(), self.new.len())
    }

    /// Each piece of both texts in order, with the text that it is in.
    pub(crate) fn pieces(&self) -> Vec<(ChangeTag, &'t str)> {
        self.ops.iter().flat_map(|op| self.pieces_of(op)).collect()
    }

    fn pieces_of(&self, op: &DiffOp) -> Vec<(ChangeTag, &'t str)> {
        let (old, new) = (&self.old[op.old_range()], &self.new[op.new_range()]);
        if matches!(op, DiffOp::Equal { .. }) {
            return new.iter().map(|piece| (ChangeTag::Equal, *piece)).collect();
        }
        let deleted = old.iter().map(|piece| (ChangeTag::Delete, *piece));
        deleted.chain(new.iter().map(|piece| (ChangeTag::Insert, *piece))).collect()
    }

    /// The differences of lines as `diff -u` writes them; empty if there are none.
    pub(crate) fn unified(&self, old_name: &str, new_name: &str) -> String {
        let mut text = String::new();
        for hunk in group_diff_ops(self.ops.clone(), CONTEXT) {
            if text.is_empty() {
                text = format!("--- {old_name}\n+++ {new_name}\n");
            }
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{}", UnifiedHunkHeader::new(&hunk));
            for (tag, line) in hunk.iter().flat_map(|op| self.pieces_of(op)) {
                let _ = write!(text, "{tag}{line}");
                if !line.ends_with('\n') {
                    text.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
        text
    }
}

/// The lines of a text, with their ends.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The words of a text and the white space between them.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut was_space) = (0, false);
    for (at, c) in text.char_indices() {
        if c.is_whitespace() != was_space {
            if at > start {
                words.push(&text[start..at]);
            }
            (start, was_space) = (at, c.is_whitespace());
        }
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// The characters of a text.
pub(crate) fn characters(text: &str) -> Vec<&str> {
    text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_without_a_loss() {
        assert_eq!(lines("a\nb\r\n\nc"), ["a\n", "b\r\n", "\n", "c"]);
        assert_eq!(words(" a  bc\u{a0}d\n"), [" ", "a", "  ", "bc", "\u{a0}", "d", "\n"]);
        assert_eq!(characters("aé漢"), ["a", "é", "漢"]);
        assert!(lines("").is_empty() && words("").is_empty() && characters("").is_empty());
    }

    #[test]
    fn changes_are_told_from_what_is_the_same() {
        let (old, new) = (words("one two three"), words("one 2 three four"));
        let diff = TextDiff::new(&old, &new);
        let [same, gone, come] = [ChangeTag::Equal, ChangeTag::Delete, ChangeTag::Insert]
            .map(|tag| diff.pieces().iter().filter(|piece| piece.0 == tag).map(|piece| piece.1).collect());
        let texts: [String; 3] = [same, gone, come];
        assert_eq!(texts, ["one  three", "two", "2 four"]);
        assert_eq!(diff.ratio(), 8.0 / 12.0);
    }

    #[test]
    fn a_unified_diff_is_that_of_other_tools() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("4\n5\n", "4\nfive\n").replace("20\n", "20");
        let (old, new) = (lines(&old), lines(&new));
        assert_eq!(
            TextDiff::new(&old, &new).unified("a/x", "b/x"),
            "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
             @@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+20\n\\ No newline at end of file\n"
        );
        assert_eq!(TextDiff::new(&old, &old).unified("a/x", "b/x"), "");
    }
}
