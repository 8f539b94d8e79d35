//! The commits, plans and issues behind lines of a file.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::origins::{Origin, OriginFinder};
use crate::index::{Index, Needs};
use crate::model::SolutionId;
use crate::ops::{Answer, Refusal, Session};
use crate::store::Store;
use crate::trail::blame::{self, BlameSpan};
use crate::trail::links;
use crate::trail::provenance::{Provenances, Stated};
use crate::trail::trace::{CommitFacts, commit_facts};

/// The lines to explain.
#[derive(Debug)]
pub(crate) struct AskedLines {
    /// The directory that the file name is relative to.
    pub(crate) here: PathBuf,
    /// The file.
    pub(crate) file: String,
    /// The lines, from 1 (default: all).
    pub(crate) lines: Option<RangeInclusive<u64>>,
}

impl AskedLines {
    /// Separates the line numbers from the file name. If a file with the whole text as its name exists, that file is
    /// meant.
    ///
    /// # Errors
    /// Usage if the line numbers make no sense.
    pub(crate) fn parse(here: &Path, place: &str) -> Result<Self, Refusal> {
        let wrong = |what: &str| {
            Refusal::usage(format!("`{place}` {what}"))
                .hint("FILE, FILE:LINE or FILE:FIRST,LAST; lines count from 1")
        };
        let of = |file: &str, lines| Self { here: here.to_owned(), file: file.to_owned(), lines };
        if here.join(place).exists() {
            return Ok(of(place, None));
        }
        let Some((file, tail)) = place.rsplit_once(':') else {
            return Ok(of(place, None));
        };
        let looks_like_lines = tail.starts_with(|c: char| c.is_ascii_digit());
        if !looks_like_lines {
            return Ok(of(place, None));
        }
        let (first, last) = match tail.split_once([',', '-']) {
            Some((first, last)) => (number(first), number(last)),
            None => (number(tail), number(tail)),
        };
        let (Some(first), Some(last)) = (first, last) else { return Err(wrong("names no line")) };
        if first > last {
            return Err(wrong("ends before it begins"));
        }
        // Compilers print FILE:LINE:COLUMN.
        let place = if first == last && !here.join(file).exists() { file.rsplit_once(':') } else { None };
        match place {
            Some((name, line)) if number(line).is_some() => {
                let line = number(line).unwrap_or(1);
                Ok(of(name, Some(line..=line)))
            }
            _ => Ok(of(file, Some(first..=last))),
        }
    }
}

/// The number of a line, counted from 1.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|n| *n > 0)
}

/// What `why` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Why {
    /// The file, from the top of the work tree.
    pub(crate) file: String,
    /// How many lines were asked for.
    pub(crate) line_count: u64,
    /// How many of them belong to an execution.
    pub(crate) planned_line_count: u64,
    /// The lines in order; adjacent lines from one commit are grouped.
    pub(crate) spans: Vec<Explained>,
}

/// Lines of one commit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explained {
    /// From 1.
    pub(crate) first_line: u64,
    /// The last of them.
    pub(crate) last_line: u64,
    /// The file's name in that commit, if it was different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_then: Option<String>,
    /// The commit; absent if the lines are not committed yet.
    pub(crate) commit: Option<CommitFacts>,
    /// The executions that link the commit, with their plans; empty if it belongs to no plan.
    pub(crate) origins: Vec<Origin>,
    /// The plan that the commit's message names and from which someone removed it by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unlinked_from: Option<SolutionId>,
    /// The lines themselves.
    #[serde(skip)]
    pub(crate) lines: Vec<String>,
}

impl Explained {
    fn line_count(&self) -> u64 {
        self.last_line - self.first_line + 1
    }
}

/// Finds the commits that made these lines, and why those were made.
///
/// # Errors
/// An error if git cannot determine the commits.
pub(crate) fn why(session: &Session, place: &AskedLines) -> Answer<Why> {
    let store = session.store();
    let index = session.index(Needs::ROWS)?;
    let path = blame::path_from_top(store, &place.here, &place.file)?;
    let spans = blame::blame(store, &path, place.lines.as_ref())?;
    Ok(session.done(explain(store, &index, path, spans)?, None))
}

/// What is known about a commit: its facts, what other tools state about it, its origins, and the plan from which it was
/// unlinked by hand.
type Known = (CommitFacts, Vec<Stated>, Vec<Origin>, Option<SolutionId>);

fn explain(store: &Store, index: &Index<'_>, file: String, spans: Vec<BlameSpan>) -> Result<Why, Refusal> {
    let mut origins = OriginFinder::new(store, index)?;
    let provenances = Provenances::find(store);
    let snapshot = index.snapshot()?;
    let mut known: BTreeMap<_, Known> = BTreeMap::new();
    let mut explained = Vec::new();
    for span in spans {
        let (commit, found, unlinked_from) = match &span.commit {
            None => (None, vec![], None),
            Some(id) => {
                let (facts, stated, found, unlinked_from) = match known.entry(*id) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let (facts, stated) = commit_facts(store, &provenances, *id)?;
                        let found = origins.find(&facts.hash)?;
                        let unlinked_from = if found.is_empty() {
                            links::unlinked_from(&snapshot, &facts.hash, &store.code_commit(*id)?.message)?
                        } else {
                            None
                        };
                        entry.insert((facts, stated, found, unlinked_from))
                    }
                };
                let of_lines =
                    stated.iter().filter(|statement| statement.is_about(&span.path, &span.numbers));
                let provenance = of_lines.map(|line| line.provenance.clone()).collect();
                (Some(CommitFacts { provenance, ..facts.clone() }), found.clone(), unlinked_from.clone())
            }
        };
        explained.push(Explained {
            first_line: *span.lines.start(),
            last_line: *span.lines.end(),
            path_then: Some(span.path).filter(|path| *path != file && commit.is_some()),
            commit,
            origins: found,
            unlinked_from,
            lines: span.text,
        });
    }
    let planned = explained.iter().filter(|span| !span.origins.is_empty());
    Ok(Why {
        line_count: explained.iter().map(Explained::line_count).sum(),
        planned_line_count: planned.map(Explained::line_count).sum(),
        file,
        spans: explained,
    })
}
