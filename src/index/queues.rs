//! What the state of all queues is derived from: their items, and the facts of the issues that these depend on.

use rusqlite::{Connection, OptionalExtension, params};

use super::Index;
use super::error::IndexError;
use crate::model::id::{IssueId, SolutionId};
use crate::rules::facts::IssueFacts;
use crate::rules::folder::{IssueFolder, QueueFolder};
use crate::rules::readiness::Facts;
use crate::store::{Read, layout, records};

/// Puts the items of an issue in place of what was there.
pub(super) fn reload_items(
    db: &Connection,
    read: &impl Read,
    id: &IssueId,
    is_first: bool,
) -> Result<(), IndexError> {
    if !is_first {
        db.prepare_cached("DELETE FROM items WHERE issue = ?1")?.execute([id.as_str()])?;
    }
    for (queue, solution, item) in records::items_of(read, id)? {
        let path = layout::item(&queue, &solution);
        let (json, why) = match item {
            Ok(item) => (serde_json::to_string(&item).ok(), None),
            Err(why) => (None, Some(why)),
        };
        db.prepare_cached("INSERT OR REPLACE INTO items VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
            id.as_str(),
            queue.as_str(),
            path,
            json,
            why
        ])?;
    }
    Ok(())
}

/// Adds the facts of the issue whose row has the number `n`. By number, since those come in order: keys that come in
/// none are the slower the more there are.
pub(super) fn add_facts(db: &Connection, folder: &IssueFolder, n: i64) -> Result<(), IndexError> {
    let facts = serde_json::to_string(&IssueFacts::of(folder)).unwrap_or_default();
    db.prepare_cached("INSERT INTO facts VALUES (?1, ?2)")?.execute(params![n, facts])?;
    Ok(())
}

impl Index<'_> {
    /// Whether any queue has an item of the issue, if only a removed one.
    pub(crate) fn has_items(&self, issue: &IssueId) -> Result<bool, IndexError> {
        let mut query = self.db.prepare_cached("SELECT 1 FROM items WHERE issue = ?1")?;
        Ok(query.exists([issue.as_str()])?)
    }

    /// All queues, those that are served first in front, and the facts of the issues of their items and of all that
    /// those depend on, directly or through others.
    pub(crate) fn queues(&self) -> Result<(Vec<QueueFolder>, Facts), IndexError> {
        let snapshot = self.snapshot()?;
        let mut queues = Vec::new();
        for id in records::queue_ids(&snapshot)? {
            let Some(mut queue) = records::queue_alone(&snapshot, &id)? else { continue };
            let mut query =
                self.db.prepare_cached("SELECT path, json, why FROM items WHERE queue = ?1 ORDER BY path")?;
            let mut rows = query.query([id.as_str()])?;
            let mut items = Vec::new();
            while let Some(row) = rows.next()? {
                match row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)? {
                    Some(json) => items.push(serde_json::from_str(json).map_err(std::io::Error::from)?),
                    None => queue.broken.push((row.get(0)?, row.get(2)?)),
                }
            }
            queues.push(queue.with_items(items));
        }
        QueueFolder::sort(&mut queues);
        let facts = self.facts(&queues)?;
        Ok((queues, facts))
    }

    fn facts(&self, queues: &[QueueFolder]) -> Result<Facts, IndexError> {
        let items = queues.iter().flat_map(|queue| &queue.items);
        let mut open: Vec<IssueId> = items
            .flat_map(|item| {
                std::iter::once(item.issue_id.clone()).chain(item.depends_on.iter().map(SolutionId::issue))
            })
            .collect();
        let mut query = self
            .db
            .prepare_cached("SELECT f.json FROM issues i JOIN facts f ON f.n = i.n WHERE i.id = ?1")?;
        let mut facts = Facts::new();
        while let Some(id) = open.pop() {
            if facts.contains_key(&id) {
                continue;
            }
            let json: Option<String> = query.query_row([id.as_str()], |row| row.get(0)).optional()?;
            let Some(json) = json else { continue };
            let issue: IssueFacts = serde_json::from_str(&json).map_err(std::io::Error::from)?;
            open.extend(issue.depends_on.iter().cloned());
            facts.insert(id, issue);
        }
        Ok(facts)
    }
}
