//! Ids as people read them: without the parts that are the same in all of them.

use std::borrow::Cow;

use super::{EntryId, ExecutionId, IssueId, QueueId, RoadmapId, RunId, SHOWN_LETTERS, SolutionId, last_part};
use crate::model::Uid;

/// The part of an id that suffices to name the record: the last part if it was made of a hash, since 40 bits are
/// not met twice. Every other id stays whole, such as `ISS-001`, `GH-123` or `SOL-ISS-001-1`. What is shown can be
/// typed wherever an id is taken.
pub(crate) fn short(id: &str) -> &str {
    let last = last_part(id);
    if ExecutionId::parse(id).is_ok() {
        return &last[..SHOWN_LETTERS];
    }
    if EntryId::parse(id).is_ok() {
        return last.get(..SHOWN_LETTERS).unwrap_or(last);
    }
    let is_of_its_own = SolutionId::parse(id).is_ok() || RoadmapId::parse(id).is_ok();
    let is_made = Uid::parse(last).is_some() && (is_dated(id) || is_of_its_own);
    if is_made { last } else { id }
}

/// A line in which each id is short.
pub(crate) fn shortened(line: &str) -> Cow<'_, str> {
    let mut changed = String::new();
    let mut rest = line;
    while let Some(begin) = rest.find(is_id_char) {
        let word = &rest[begin..];
        let word = &word[..word.find(|c| !is_id_char(c)).unwrap_or(word.len())];
        changed.push_str(&rest[..begin]);
        changed.push_str(short(word));
        rest = &rest[begin + word.len()..];
    }
    if changed.len() + rest.len() == line.len() {
        return Cow::Borrowed(line);
    }
    changed.push_str(rest);
    Cow::Owned(changed)
}

fn is_id_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Whether it is the id of an issue, a queue or a run that was made here, on some day.
fn is_dated(id: &str) -> bool {
    let Some((kind, rest)) = id.split_once('-') else { return false };
    let Some((day, _)) = rest.split_once('-') else { return false };
    let is_one = IssueId::parse(id).is_ok() || QueueId::parse(id).is_ok() || RunId::parse(id).is_ok();
    matches!(kind, "ISS" | "QUE" | "RUN")
        && day.len() == 8
        && day.bytes().all(|byte| byte.is_ascii_digit())
        && id.matches('-').count() == 2
        && is_one
}

impl IssueId {
    /// Whether it is an id as they are made here, like that of every issue of a roadmap.
    pub(crate) fn is_made(&self) -> bool {
        is_dated(self.as_str()) && Uid::parse(self.uid()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_made_of_a_hash_is_short() {
        for (id, shown) in [
            ("ISS-20261121-7k3m2pq9", "7k3m2pq9"),
            ("SOL-ISS-20261121-7k3m2pq9-a7x9b2c3", "a7x9b2c3"),
            ("SOL-GH-123-a7x9b2c3", "a7x9b2c3"),
            ("RMAP-export-20261121-7k3m2pq9", "7k3m2pq9"),
            ("EXR-ISS-001-0c4d8v2mxr8kz4t1n6b3h9w5ya", "0c4d8v2m"),
            ("QUE-20261121-9w1nx3h2", "9w1nx3h2"),
            ("RUN-20261121-9w1nx3h2", "9w1nx3h2"),
            ("ISS-001", "ISS-001"),
            ("SOL-ISS-001-1", "SOL-ISS-001-1"),
            ("GH-20261121", "GH-20261121"),
            ("team-20261121-7k3m2pq9", "team-20261121-7k3m2pq9"),
            ("ISS-2026-7k3m2pq9", "ISS-2026-7k3m2pq9"),
            ("QUE-release", "QUE-release"),
            ("", ""),
        ] {
            assert_eq!(short(id), shown);
        }
    }

    #[test]
    fn the_ids_of_a_line_are_short_and_nothing_else_changes() {
        assert_eq!(
            shortened("issue: bind ISS-20261121-7k3m2pq9 to SOL-ISS-20261121-7k3m2pq9-a7x9b2c3"),
            "issue: bind 7k3m2pq9 to a7x9b2c3"
        );
        assert_eq!(shortened("queue: add QUE-20261121-9w1nx3h2:S-1, é"), "queue: add 9w1nx3h2:S-1, é");
        for line in ["issue: create ISS-001 \"a b — c\"", "", "--"] {
            assert!(matches!(shortened(line), Cow::Borrowed(same) if same == line));
        }
    }
}
