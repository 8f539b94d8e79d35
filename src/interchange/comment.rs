//! The comments of a record as entries here. They follow from the record alone, so every clone makes the same.

use serde_json::Value;

use crate::model::{Comment, Person, Stamp, Time, entry_at};

/// A comment as a source has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SourceComment {
    /// Its id there, if it has one.
    pub(super) id: Option<String>,
    /// Its text.
    pub(super) body: String,
    /// Who wrote it.
    pub(super) author: Person,
    /// The time.
    pub(super) created_at: Time,
}

/// An id as text, whether the source writes a number or a text.
pub(super) fn id_of(id: &Value) -> Option<String> {
    match id {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    }
}

/// Adds a comment to those of its issue, unless it is there: as it was at `changed`, or when it was written if that is
/// later. One without an id is known by its author. Returns its place among them.
pub(super) fn add(comments: &mut Vec<Comment>, changed: Time, said: SourceComment) -> usize {
    let SourceComment { id, body, author, created_at } = said;
    let id = id.unwrap_or_else(|| author.to_string());
    let mut source_id = id.clone();
    let mut number = 1;
    while let Some(n) = comments.iter().position(|comment| is_of_source(created_at, &source_id, comment)) {
        if comments[n].body == body {
            return n;
        }
        number += 1;
        source_id = format!("{id} {number}");
    }
    comments.push(entry_at(&Stamp::import(changed.max(created_at)), |id| Comment {
        id,
        body,
        author,
        created_at,
        edits: None,
        source_id: Some(source_id),
    }));
    comments.len() - 1
}

fn is_of_source(created_at: Time, id: &str, comment: &Comment) -> bool {
    comment.source_id.as_deref() == Some(id) && comment.created_at == created_at
}

/// Whether `source_id` was made of this id of a source: the source may give one id to several comments.
pub(super) fn is_known_by(source_id: &str, id: &str) -> bool {
    source_id.strip_prefix(id).is_some_and(|rest| {
        rest.strip_prefix(' ').map_or(rest.is_empty(), |number| number.parse::<u32>().is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_known_by_its_id_or_by_its_author_and_time() {
        let at = |second| Time::from_seconds(second).unwrap();
        let said = |id: Option<&str>, body: &str, second| SourceComment {
            id: id.map(str::to_owned),
            body: body.into(),
            author: "Ada".into(),
            created_at: at(second),
        };
        let mut comments = Vec::new();
        for (comment, place) in [
            (said(Some("7"), "a", 1), 0),
            (said(Some("7"), "a", 1), 0),
            (said(None, "a", 1), 1),
            (said(None, "b", 1), 2),
            (said(None, "b", 1), 2),
            (said(Some("7"), "z", 1), 3),
            (said(Some("7"), "a", 3), 4),
        ] {
            assert_eq!(add(&mut comments, at(2), comment), place);
        }
        let ids: Vec<&str> = comments.iter().filter_map(|comment| comment.source_id.as_deref()).collect();
        assert_eq!(ids, ["7", "Ada", "Ada 2", "7 2", "7"]);
        let stamps: Vec<Time> = comments.iter().map(|comment| comment.id.stamp().time()).collect();
        assert_eq!(stamps, [at(2), at(2), at(2), at(2), at(3)]);
    }
}
