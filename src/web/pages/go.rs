//! Finds the page for an id, a commit, a path, or any other text.

use crate::ops::Session;
use crate::ops::issues::{self, ShownRecord};
use crate::web::layout::one;
use crate::web::parts::place_of;
use crate::web::place::{FilePath, Hex, Place, Query};

/// Shorter texts are always searched for, even if they could be the beginning of an id.
const SHORTEST_ID: usize = 4;

/// The page that a text names; any other text is searched for.
pub(in crate::web) fn go(session: &Session, text: &str) -> (Place, Query) {
    let text = text.trim();
    let looks_like_id = text.len() >= SHORTEST_ID
        && !text.contains(char::is_whitespace)
        && (text.contains('-') || text.contains(|c: char| c.is_ascii_digit()));
    if looks_like_id {
        if text.starts_with("RUN-")
            && let Some(place) = place_of(text)
        {
            return (place, Query::default());
        }
        if let Ok(done) = issues::show(session, &issues::ShowRecord::new(text)) {
            return (place(done.view), Query::default());
        }
        if text.len() >= 7
            && let Some(hash) = Hex::parse(text)
        {
            return (Place::Commit(hash), Query::default());
        }
    }
    if text.contains('/')
        && !text.contains(' ')
        && let Some(path) = FilePath::parse(text)
    {
        return (Place::File(path), Query::default());
    }
    (Place::Issues, one("q", text).with("all", "1"))
}

fn place(record: ShownRecord) -> Place {
    match record {
        ShownRecord::Issue(it) => Place::Issue(it.issue.id),
        ShownRecord::Plan(it) => Place::Plan(it.id),
        ShownRecord::Execution(it) => Place::Execution(it.execution.execution.id),
        ShownRecord::Queue(it) => Place::Queue(it.queue.id),
        ShownRecord::Item(it) => Place::Issue(it.detail.issue_id),
        ShownRecord::Roadmap(it) => Place::Roadmap(it.id),
    }
}
