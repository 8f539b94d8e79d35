//! Snippets of long texts, piece by piece: the work of SQLite on a piece is bounded, however often it has the word.

use rusqlite::{Connection, params};

use super::error::IndexError;
use super::words::{BEGIN, BETWEEN, END};

/// Bytes of a piece.
const LONGEST: usize = 2 * 1024;
/// At most this many of a group are looked at together, and the best one is taken.
const AT_ONCE: usize = 64;

/// Some words around a match of `query` (split into words as in `schema.sql`) for each of these groups of texts, from the first
/// part of a group that has one; empty if none has.
pub(super) fn snippets(groups: &[Vec<String>], query: &str, words: usize) -> Result<Vec<String>, IndexError> {
    let mut found = vec![None; groups.len()];
    let mut pieces: Vec<_> =
        groups.iter().map(|texts| texts.iter().flat_map(|text| Pieces(text)).peekable()).collect();
    while let Some(db) = next(&mut pieces, &found)? {
        let mut by_rank =
            db.prepare("SELECT rowid, part_of FROM pieces WHERE pieces MATCH ?1 ORDER BY rank")?;
        let mut snippet = db.prepare(&format!(
            "SELECT snippet(pieces, 0, '{BEGIN}', '{END}', '…', {words}) FROM pieces
             WHERE pieces MATCH ?1 AND rowid = ?2"
        ))?;
        let mut rows = by_rank.query([query])?;
        while let Some(row) = rows.next()? {
            let (piece, group): (i64, u32) = (row.get(0)?, row.get(1)?);
            if let Some(found) = found.get_mut(group as usize).filter(|found| found.is_none()) {
                *found = Some(snippet.query_row(params![query, piece], |row| row.get(0))?);
            }
        }
    }
    Ok(found.into_iter().map(Option::unwrap_or_default).collect())
}

/// A database with the next pieces of each group in which nothing was found yet; `None` if there are none. A new one takes
/// less time than removing the pieces from the last one.
fn next<'a>(
    pieces: &mut [std::iter::Peekable<impl Iterator<Item = &'a str>>],
    found: &[Option<String>],
) -> Result<Option<Connection>, IndexError> {
    let mut open: Vec<(u32, _)> =
        (0..).zip(pieces).zip(found).filter(|(_, found)| found.is_none()).map(|(piece, _)| piece).collect();
    if open.iter_mut().all(|(_, pieces)| pieces.peek().is_none()) {
        return Ok(None);
    }
    let db = Connection::open_in_memory()?;
    db.execute_batch(
        "BEGIN; CREATE VIRTUAL TABLE pieces USING fts5 (
             text, part_of UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2'
         );",
    )?;
    let mut insert = db.prepare("INSERT INTO pieces (text, part_of) VALUES (?1, ?2)")?;
    for (group, pieces) in open {
        for piece in pieces.by_ref().take(AT_ONCE) {
            insert.execute(params![piece, group])?;
        }
    }
    drop(insert);
    Ok(Some(db))
}

/// A text in pieces, which end between words if possible.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0;
        if text.is_empty() {
            return None;
        }
        let end =
            text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= LONGEST).last();
        let mut end = end.unwrap_or(text.len());
        if end < text.len()
            && let Some((at, c)) =
                text[..end].char_indices().rev().find(|(_, c)| c.is_whitespace() || *c == BETWEEN)
        {
            end = at + c.len_utf8();
        }
        let (piece, rest) = text.split_at(end);
        self.0 = rest;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(texts: &[&str], query: &str) -> String {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let nothing = vec!["nothing here".to_owned()];
        let mut found = snippets(&[nothing, texts], query, 5).unwrap();
        assert_eq!(found[0], "");
        found.remove(1).replace(BEGIN, "[").replace(END, "]")
    }

    #[test]
    fn it_is_found_wherever_it_stands() {
        let long = "nothing here ".repeat(20_000);
        assert_eq!(
            found(&["", &format!("{long}a needle, and more of it"), "needle"], "needle").trim_matches('…'),
            "here a [needle], and more"
        );
        assert_eq!(found(&[&"needle ".repeat(100_000)], "needle").matches("[needle]").count(), 5);
        assert_eq!(found(&[&long], "needle"), "");
        assert!(
            found(&[&format!("{}\u{1f}過\u{1f}期", "x".repeat(9_000))], "\"過\u{1f}期\"")
                .contains("[過\u{1f}期]")
        );
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_text(text in "[a-z 漢\u{1f}]{0,6000}") {
            let pieces: Vec<&str> = Pieces(&text).collect();
            prop_assert_eq!(pieces.concat(), &*text);
            prop_assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= LONGEST));
        }
    }
}
