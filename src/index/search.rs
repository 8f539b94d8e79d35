//! Full-text search: matches ranked by relevance, each with a snippet.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, params};

use super::error::IndexError;
use super::list::IssueRow;
use super::words::{self, BEGIN, END};
use super::{Index, full_text, pieces, query};
use crate::model::{IssueId, ItemId, QueueId};
use crate::store::{KnownRecord, records, resolve};

/// The shortest prefix of an id that is searched for, in characters.
const SHORTEST: usize = 4;
/// The weights of the columns (title, context, comments, plans, commits, feedback, explorations): a word in a title says more about
/// an issue than one in a comment.
const WEIGHTS: &str = "10.0, 3.0, 1.0, 1.5, 1.0, 1.0, 1.0";
/// How many words are shown around a match.
const SNIPPET: usize = 24;
/// How many issues are read together to show some of their words.
const AT_ONCE: usize = 32;
/// If more issues match, the best are looked for among the newest of them: to rank an issue takes longer than to find it.
/// With a greater limit than the newest, all are ranked, however long that takes.
const MOST_RANKED: usize = 10_000;
const NEWEST: usize = 1_000;

/// An issue that matches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    /// The issue.
    pub(crate) issue: IssueRow,
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
    /// Among how many of the newest matches the best were looked for, if not among all.
    pub(crate) newest: Option<usize>,
    /// The queues that an id named.
    pub(crate) queues: Vec<QueueId>,
}

impl Index<'_> {
    /// The records with this id or shortened id, and the best matches.
    pub(crate) fn search(&self, text: &str, limit: usize) -> Result<Searched, IndexError> {
        let Best { mut hits, mut total, newest } = self.best_fits(text, limit)?;
        let (mut named, mut queues) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        let asked = query::query(text);
        let mut number = self.db.prepare_cached("SELECT n FROM issues WHERE id = ?1")?;
        let mut fits =
            self.db.prepare_cached("SELECT count(*) FROM words WHERE words MATCH ?1 AND rowid = ?2")?;
        let first = hits.first().map_or(0.0, |hit| hit.score);
        for known in self.named(text)? {
            let issue = match (&known, known.issue()) {
                (KnownRecord::Queue(id), _) => {
                    queues.push(id.clone());
                    continue;
                }
                (_, None) => continue,
                (_, Some(issue)) => issue,
            };
            let n: Option<i64> = number.query_row([issue.as_str()], |row| row.get(0)).optional()?;
            let Some(n) = n.filter(|n| seen.insert(*n)) else { continue };
            let is_fit: i64 = fits.query_row(params![asked, n], |row| row.get(0))?;
            total += usize::from(is_fit == 0);
            hits.retain(|hit| hit.issue.id != issue);
            let snippet = vec![String::new(), known.to_string()];
            named.push(Hit { issue: self.listed(n)?, score: first + 1.0, snippet });
        }
        named.append(&mut hits);
        named.truncate(limit);
        Ok(Searched { hits: named, total, newest, queues })
    }

    /// The records with the typed word as their id, or as the last part of it. A prefix of an id counts only if it
    /// can hardly be an ordinary word.
    fn named(&self, text: &str) -> Result<Vec<KnownRecord>, IndexError> {
        let text = text.trim();
        if text.is_empty() || text.contains(char::is_whitespace) {
            return Ok(vec![]);
        }
        if text.contains(':') || ItemId::parse(text).is_ok() {
            return Ok(self.resolve(text)?.into_iter().collect());
        }
        let looks_like_one = text.len() >= SHORTEST && text.contains(|c: char| c.is_ascii_digit());
        let known = resolve::all_among(text, self.ids_that_begin(text)?);
        // A word of five letters is rarely a prefix of something random.
        Ok(known
            .into_iter()
            .filter(|record| {
                looks_like_one
                    || text.len() > SHORTEST && record.last_part().starts_with(text)
                    || record.is_named_exactly(text)
            })
            .collect())
    }

    /// The best matches, the number of all matches, and how many of the newest were ranked if not all.
    fn best_fits(&self, text: &str, limit: usize) -> Result<Best, IndexError> {
        let asked = query::query(text);
        let matching = self.matching(&asked)?;
        let total = matching.len();
        let (best, newest) = if total > MOST_RANKED && limit <= NEWEST {
            (self.best_of_newest(&asked, &matching, limit)?, Some(NEWEST))
        } else {
            (self.best(&asked, limit)?, None)
        };
        let (any, snapshot) = (query::any_of(text), self.snapshot()?);
        let mut hits = Vec::new();
        for some in best.chunks(AT_ONCE) {
            let mut texts: Vec<Vec<String>> = Vec::with_capacity(some.len());
            for (_, id, _) in some {
                let folder = records::issue(&snapshot, id)?;
                texts.push(folder.map_or_else(Vec::new, |folder| full_text::texts(&folder).into()));
            }
            let found = match &any {
                Some(any) => pieces::snippets(&texts, any, SNIPPET)?,
                None => vec![String::new(); some.len()],
            };
            for ((score, _, n), found) in some.iter().zip(found) {
                let snippet = parts(&words::joined(&found));
                hits.push(Hit { issue: self.listed(*n)?, score: *score, snippet });
            }
        }
        Ok(Best { hits, total, newest })
    }

    /// The row numbers of all matching issues, in ascending order.
    fn matching(&self, asked: &str) -> Result<Vec<i64>, IndexError> {
        let mut query = self.db.prepare("SELECT rowid FROM words WHERE words MATCH ?1")?;
        let rows = query.query_map([asked], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The best matches, with score, id and number. Ties are broken by id, since the order in which issues were indexed
    /// means nothing.
    fn best(&self, asked: &str, limit: usize) -> Result<Vec<(f64, IssueId, i64)>, IndexError> {
        let mut query = self.db.prepare(&format!(
            "SELECT rowid, -rank FROM words WHERE words MATCH ?1 AND rank MATCH 'bm25({WEIGHTS})'
             ORDER BY rank"
        ))?;
        let mut best: Vec<(f64, IssueId, i64)> = Vec::new();
        let mut rows = query.query([asked])?;
        while let Some(row) = rows.next()? {
            let (n, score): (i64, f64) = (row.get(0)?, row.get(1)?);
            // Beyond the limit, only those with the same score as the last one within it.
            if best.len() >= limit && best.last().is_none_or(|(last, ..)| *last > score) {
                break;
            }
            best.extend(self.id_of(n)?.map(|id| (score, id, n)));
        }
        Ok(sorted(best, limit))
    }

    /// The best among the newest matches, since ranking all of them would take too long.
    fn best_of_newest(
        &self,
        asked: &str,
        matching: &[i64],
        limit: usize,
    ) -> Result<Vec<(f64, IssueId, i64)>, IndexError> {
        let mut by_age =
            self.db.prepare("SELECT n FROM issues INDEXED BY by_created ORDER BY created DESC")?;
        let mut rows = by_age.query([])?;
        let mut newest = Vec::with_capacity(NEWEST);
        while newest.len() < NEWEST
            && let Some(row) = rows.next()?
        {
            let n: i64 = row.get(0)?;
            if matching.binary_search(&n).is_ok() {
                newest.push(n);
            }
        }
        let newest = serde_json::to_string(&newest).map_err(std::io::Error::from)?;
        // The plus keeps FTS5 from beginning a search of its own for each of them.
        let mut rank = self.db.prepare(&format!(
            "SELECT rowid, -bm25(words, {WEIGHTS}) FROM words
             WHERE words MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?2))"
        ))?;
        let mut rows = rank.query(params![asked, newest])?;
        let mut best = Vec::with_capacity(NEWEST);
        while let Some(row) = rows.next()? {
            best.push((row.get(1)?, row.get(0)?));
        }
        best.sort_by(|(one, _), (two, _): &(f64, i64)| two.total_cmp(one));
        let last = best.get(limit.saturating_sub(1)).map_or(f64::MIN, |(score, _)| *score);
        let mut with_ids = Vec::new();
        for (score, n) in best.into_iter().take_while(|(score, _)| *score >= last) {
            with_ids.extend(self.id_of(n)?.map(|id| (score, id, n)));
        }
        Ok(sorted(with_ids, limit))
    }

    fn id_of(&self, n: i64) -> Result<Option<IssueId>, IndexError> {
        let mut id = self.db.prepare_cached("SELECT id FROM issues WHERE n = ?1")?;
        let id: String = id.query_row([n], |row| row.get(0))?;
        Ok(IssueId::parse(&id).ok())
    }
}

/// The result of a search for words.
struct Best {
    hits: Vec<Hit>,
    total: usize,
    newest: Option<usize>,
}

fn sorted(mut best: Vec<(f64, IssueId, i64)>, limit: usize) -> Vec<(f64, IssueId, i64)> {
    best.sort_by(|one, two| two.0.total_cmp(&one.0).then_with(|| one.1.cmp(&two.1)));
    best.truncate(limit);
    best
}

/// The text between the marks, on one line.
fn parts(snippet: &str) -> Vec<String> {
    snippet.split([BEGIN, END]).map(|part| part.replace(['\n', '\r', '\t'], " ")).collect()
}
