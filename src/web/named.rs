//! What words in the texts of records name: issues whose ids have no known prefix, and commits of the project by the
//! beginning of their hash. A word names a page only if there is such an issue or commit.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::place::{Hex, Place};
use super::view::ExportState;
use crate::model::IssueId;
use crate::ops::Session;
use crate::store::{ReadState, Snapshot, layout};

/// Maximum words that are looked up for a page.
const MOST: usize = 500;
/// Git itself writes no shorter beginning of a hash.
const SHORTEST_HASH: usize = 7;

/// What words name, as far as it was looked up for a page.
pub(super) struct Named<'a> {
    session: &'a Session,
    snapshot: OnceCell<Option<Snapshot<'a>>>,
    known: RefCell<HashMap<String, Option<Place>>>,
}

/// What a word could name.
enum Candidate {
    Issue(IssueId),
    Commit(Hex),
}

impl Candidate {
    fn parse(word: &str) -> Option<Self> {
        let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
        // Without a digit it is a word, without a letter a number.
        if word.len() >= SHORTEST_HASH
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_lowercase)
            && !has(u8::is_ascii_uppercase)
            && let Some(hash) = Hex::parse(word)
        {
            return Some(Self::Commit(hash));
        }
        IssueId::parse(word).ok().map(Self::Issue)
    }
}

impl<'a> Named<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self { session, snapshot: OnceCell::new(), known: RefCell::default() }
    }

    /// The page of what a word names.
    pub(super) fn place(&self, word: &str) -> Option<Place> {
        let candidate = Candidate::parse(word)?;
        let mut known = self.known.borrow_mut();
        if let Some(known) = known.get(word) {
            return known.clone();
        }
        if known.len() >= MOST {
            return None;
        }
        let found = self.look_up(candidate);
        known.insert(word.to_owned(), found.clone());
        found
    }

    fn look_up(&self, candidate: Candidate) -> Option<Place> {
        let store = self.session.store();
        match candidate {
            Candidate::Issue(id) => {
                let snapshot = self.snapshot.get_or_init(|| store.snapshot().ok()).as_ref()?;
                snapshot.file(&layout::issue(&id)).ok()??;
                Some(Place::Issue(id))
            }
            Candidate::Commit(hash) => {
                let commit = store.commit_named(hash.as_str())?.to_string();
                Some(Place::Commit(Hex::parse(&commit)?))
            }
        }
    }
}

/// The page of an export for what a word names.
pub(super) fn in_export(export: &ExportState, word: &str) -> Option<Place> {
    match Candidate::parse(word)? {
        Candidate::Issue(id) => Some(Place::Issue(id)).filter(|place| export.known.contains(&place.file())),
        Candidate::Commit(hash) => {
            let begin = format!("commits/{}", hash.as_str());
            let mut found = export.known.range(begin.clone()..).take_while(|file| file.starts_with(&begin));
            let only = found.next()?;
            if found.next().is_some() {
                return None;
            }
            let hash = only.strip_prefix("commits/")?.strip_suffix(".html")?;
            Some(Place::Commit(Hex::parse(hash)?))
        }
    }
}
