//! A snippet of a long text, piece by piece: the work of SQLite on a piece is bounded, however often it has the word.

use rusqlite::{Connection, OptionalExtension};

use super::error::IndexError;
use super::words::{BEGIN, BETWEEN, END};

/// Bytes of a piece.
const LONGEST: usize = 2 * 1024;
/// How many pieces are searched at a time; the best one is taken.
const AT_ONCE: usize = 64;

/// Extracts snippets from texts.
pub(super) struct Snippets(Connection);

impl Snippets {
    pub(super) fn new() -> Result<Self, IndexError> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(
            "CREATE VIRTUAL TABLE pieces USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')",
        )?;
        Ok(Self(db))
    }

    /// Some words around a match of `query` (split into words as in `schema.sql`), from the first text that has one;
    /// empty if there is none.
    pub(super) fn of(&self, texts: &[String], query: &str, words: usize) -> Result<String, IndexError> {
        snippet(&self.0, texts, query, words)
    }
}

fn snippet(db: &Connection, texts: &[String], query: &str, words: usize) -> Result<String, IndexError> {
    let mut insert = db.prepare("INSERT INTO pieces (text) VALUES (?1)")?;
    let mut best = db.prepare(&format!(
        "SELECT snippet(pieces, 0, '{BEGIN}', '{END}', '…', {words}) FROM pieces WHERE pieces MATCH ?1
         ORDER BY rank LIMIT 1"
    ))?;
    let all: Vec<&str> = texts.iter().flat_map(|text| Pieces(text)).collect();
    for some in all.chunks(AT_ONCE) {
        db.execute_batch("BEGIN; DELETE FROM pieces;")?;
        for piece in some {
            insert.execute([piece])?;
        }
        db.execute_batch("COMMIT")?;
        if let Some(found) = best.query_row([query], |row| row.get(0)).optional()? {
            return Ok(found);
        }
    }
    Ok(String::new())
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
        Snippets::new().unwrap().of(&texts, query, 5).unwrap().replace(BEGIN, "[").replace(END, "]")
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
