//! Full-text search: matches ranked by relevance, each with a snippet.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, params};

use super::error::IndexError;
use super::list::Listed;
use super::words::{self, BEGIN, END};
use super::{Index, pieces, query};
use crate::model::id::{ItemId, QueueId};
use crate::store::resolve::{self, Known};

/// The shortest prefix of an id that is searched for, in characters.
const SHORTEST: usize = 4;
/// The weights of the columns (title, context, comments, plans, commits, feedback, explorations): a word in a title says more about
/// an issue than one in a comment.
const WEIGHTS: &str = "10.0, 3.0, 1.0, 1.5, 1.0, 1.0, 1.0";
/// How many words are shown around a match.
const SNIPPET: usize = 24;
/// From this many characters on, SQLite does not choose the snippet from the whole text: it compares every match with
/// every other one, and a word that occurs ten thousand times would keep it busy for seconds.
const LONG: i64 = 4 * 1024;

/// An issue that matches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    /// The issue.
    pub(crate) issue: Listed,
    /// Its relevance; higher is better.
    pub(crate) score: f64,
    /// Some words around a match, in parts; the second part, the fourth and so on are matches.
    pub(crate) snippet: Vec<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Searched {
    /// The issues that an id named, then the best matches.
    pub(crate) hits: Vec<Hit>,
    /// How many issues match in all.
    pub(crate) total: usize,
    /// The queues that an id named.
    pub(crate) queues: Vec<QueueId>,
}

impl Index<'_> {
    /// The records with this id or shortened id, and the best matches.
    pub(crate) fn search(&self, text: &str, limit: usize) -> Result<Searched, IndexError> {
        let (mut hits, mut total) = self.best_fits(text, limit)?;
        let (mut named, mut queues) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        let asked = query::query(text);
        let mut number = self.db.prepare_cached("SELECT n FROM issues WHERE id = ?1")?;
        let mut fits =
            self.db.prepare_cached("SELECT count(*) FROM words WHERE words MATCH ?1 AND rowid = ?2")?;
        let first = hits.first().map_or(0.0, |hit| hit.score);
        for known in self.named(text)? {
            let issue = match (&known, known.issue()) {
                (Known::Queue(id), _) => {
                    queues.push(id.clone());
                    continue;
                }
                (_, None) => continue,
                (_, Some(issue)) => issue.to_string(),
            };
            let n: Option<i64> = number.query_row([&issue], |row| row.get(0)).optional()?;
            let Some(n) = n.filter(|n| seen.insert(*n)) else { continue };
            let is_fit: i64 = fits.query_row(params![asked, n], |row| row.get(0))?;
            total += usize::from(is_fit == 0);
            hits.retain(|hit| hit.issue.id != issue);
            let snippet = vec![String::new(), known.to_string()];
            named.push(Hit { issue: self.listed(n)?, score: first + 1.0, snippet });
        }
        named.append(&mut hits);
        named.truncate(limit);
        Ok(Searched { hits: named, total, queues })
    }

    /// The records with the typed word as their id, or as the last part of it. A prefix of an id counts only if it
    /// can hardly be an ordinary word.
    fn named(&self, text: &str) -> Result<Vec<Known>, IndexError> {
        let text = text.trim();
        if text.is_empty() || text.contains(char::is_whitespace) {
            return Ok(vec![]);
        }
        if text.contains(':') || ItemId::parse(text).is_ok() {
            return Ok(self.resolve(text)?.into_iter().collect());
        }
        let looks_like_one = text.len() >= SHORTEST && text.contains(|c: char| c.is_ascii_digit());
        // A word of five letters is rarely a prefix of something random.
        let begins_last_part = |it: &Known| text.len() > SHORTEST && it.last_part().starts_with(text);
        let known = resolve::all_among(text, self.ids_that_begin(text)?);
        let is_meant = |it: &Known| looks_like_one || begins_last_part(it) || it.is_named_exactly(text);
        Ok(known.into_iter().filter(is_meant).collect())
    }

    /// The best matches of the words, and how many there are in all.
    fn best_fits(&self, text: &str, limit: usize) -> Result<(Vec<Hit>, usize), IndexError> {
        let asked = query::query(text);
        let total: i64 = self
            .db
            .prepare("SELECT count(*) FROM words WHERE words MATCH ?1")?
            .query_row([&asked], |row| row.get(0))?;
        let mut length = self.db.prepare(
            "SELECT length(title) + length(context) + length(comments) + length(plans) + length(commits)
                 + length(feedback) + length(explorations)
             FROM words WHERE rowid = ?1",
        )?;
        let mut snippet = self.db.prepare(&format!(
            "SELECT snippet(words, -1, '{BEGIN}', '{END}', '…', {SNIPPET}) FROM words
             WHERE words MATCH ?1 AND rowid = ?2"
        ))?;
        let mut hits = Vec::new();
        for (score, _, n) in self.best(&asked, limit)? {
            let length: i64 = length.query_row([n], |row| row.get(0))?;
            let found = if length > LONG {
                self.long_snippet(text, n)?
            } else {
                snippet.query_row(params![asked, n], |row| row.get(0))?
            };
            hits.push(Hit { issue: self.listed(n)?, score, snippet: parts(&words::joined(&found)) });
        }
        Ok((hits, usize::try_from(total).unwrap_or_default()))
    }

    /// The snippet of an issue with much text, from the first of its texts that has any of the words.
    fn long_snippet(&self, text: &str, n: i64) -> Result<String, IndexError> {
        let Some(any) = query::any_of(text) else { return Ok(String::new()) };
        let mut query = self.db.prepare_cached(
            "SELECT title, context, comments, plans, commits, feedback, explorations FROM words WHERE rowid = ?1",
        )?;
        let texts = query.query_row([n], |row| (0..query::COLUMNS.len()).map(|at| row.get(at)).collect());
        let texts: Vec<String> = texts?;
        pieces::snippet(&texts, &any, SNIPPET)
    }

    /// The best matches, with score, id and number. Ties are broken by id, since the order in which issues were indexed
    /// means nothing.
    fn best(&self, asked: &str, limit: usize) -> Result<Vec<(f64, String, i64)>, rusqlite::Error> {
        let mut query = self.db.prepare(&format!(
            "SELECT rowid, -rank FROM words WHERE words MATCH ?1 AND rank MATCH 'bm25({WEIGHTS})'
             ORDER BY rank"
        ))?;
        let mut id = self.db.prepare("SELECT id FROM issues WHERE n = ?1")?;
        let mut best: Vec<(f64, String, i64)> = Vec::new();
        let mut rows = query.query([asked])?;
        while let Some(row) = rows.next()? {
            let (n, score): (i64, f64) = (row.get(0)?, row.get(1)?);
            // Beyond the limit, only those with the same score as the last one within it.
            if best.len() >= limit && best.last().is_none_or(|(last, ..)| *last > score) {
                break;
            }
            best.push((score, id.query_row([n], |row| row.get(0))?, n));
        }
        best.sort_by(|one, two| two.0.total_cmp(&one.0).then_with(|| one.1.cmp(&two.1)));
        best.truncate(limit);
        Ok(best)
    }
}

/// The text between the marks, on one line.
fn parts(snippet: &str) -> Vec<String> {
    snippet.split([BEGIN, END]).map(|part| part.replace(['\n', '\r', '\t'], " ")).collect()
}
