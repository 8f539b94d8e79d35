//! Bounds what agents are given, so that one log does not drown the rest: long texts are cut, only the newest entries
//! of lists are kept, and whatever was left out is listed with the command that shows it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::RemedyCall;
use crate::model::remedy::as_command;

/// Characters of each text about an issue: a comment, a failure, a finding.
pub(crate) const LONGEST: usize = 4_000;
/// Characters of each text of the issue itself.
pub(crate) const LONGEST_OF_ISSUE: usize = 16_000;
/// Entries of each list.
pub(crate) const MOST: usize = 20;

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Omission {
    /// The field: `comments`, `description`, …
    pub(crate) what: String,
    /// How many older entries of it are missing.
    pub(crate) entries: usize,
    /// How many of its texts are cut.
    pub(crate) shortened: usize,
    /// The command that shows all of it.
    #[serde(serialize_with = "as_command")]
    #[schemars(with = "String")]
    pub(crate) command: RemedyCall,
}

/// Cuts one kind of thing, and counts what it cut.
#[derive(Debug)]
pub(crate) struct Cut {
    longest: usize,
    entries: usize,
    shortened: usize,
}

impl Cut {
    /// For texts of at most this many characters.
    pub(crate) fn at(longest: usize) -> Self {
        Self { longest, entries: 0, shortened: 0 }
    }

    /// The most characters of a text.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The text, with `…` at its end if it was cut.
    pub(crate) fn text(&mut self, text: &str) -> String {
        match text.char_indices().nth(self.longest) {
            Some((at, _)) => {
                self.shortened += 1;
                format!("{}…", &text[..at])
            }
            None => text.to_owned(),
        }
    }

    /// The end of a text, with `…` before it if it was cut: the last lines of an output say what went wrong.
    pub(crate) fn end(&mut self, text: &str) -> String {
        match text.char_indices().rev().nth(self.longest - 1).filter(|(at, _)| *at > 0) {
            Some((at, _)) => {
                self.shortened += 1;
                format!("…{}", &text[at..])
            }
            None => text.to_owned(),
        }
    }

    /// Like `text`, for an optional one.
    pub(crate) fn some(&mut self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.text(text))
    }

    /// The first of these, up to the limit.
    pub(crate) fn first<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        self.entries += list.len().saturating_sub(MOST);
        list.truncate(MOST);
        list
    }

    /// The newest of these, newest first; `list` is oldest first.
    pub(crate) fn newest<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        list.reverse();
        self.first(list)
    }

    /// What was cut from the field `what`, which `command` shows in full; none if nothing was.
    pub(crate) fn left_out(self, what: &str, command: impl Into<RemedyCall>) -> Option<Omission> {
        let Self { entries, shortened, .. } = self;
        (entries + shortened > 0).then(|| Omission {
            what: what.to_owned(),
            entries,
            shortened,
            command: command.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Other;

    #[test]
    fn texts_and_lists_are_cut_and_counted() {
        let mut cut = Cut::at(3);
        assert_eq!((cut.text("éàü"), cut.text("éàüx"), cut.some(None)), ("éàü".into(), "éàü…".into(), None));
        let mut end = Cut::at(3);
        assert_eq!(
            (end.end("éàü"), end.end("éàüx"), end.end("")),
            ("éàü".into(), "…àüx".into(), String::new())
        );
        assert_eq!(cut.newest((0..25).collect::<Vec<_>>())[..2], [24, 23]);
        let left = cut.left_out("comments", RemedyCall::new(Other::Show, ["A-1"])).unwrap();
        assert_eq!((left.entries, left.shortened), (5, 1));
        let mut whole = Cut::at(3);
        assert_eq!(whole.first(vec![1, 2]), [1, 2]);
        assert_eq!(whole.left_out("comments", Other::List), None);
    }
}
