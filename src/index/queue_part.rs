//! A part of the queues, for a query about a few items: these items, all items before them, and running executions.
//! Their states depend on nothing else, as long as no order was declared.

use std::collections::{BTreeMap, HashSet};

use rusqlite::params;

use super::error::IndexError;
use super::queues::{self, ASTRAY, LIVE, QueueWorld, blob, heads};
use super::{Index, packed};
use crate::model::{IssueId, Item, Policy, QueueId, SolutionId};
use crate::rules::{Facts, QueueFolder};
use crate::store::records;

/// All queues without their items, in the order in which they are served, and the gates.
pub(crate) struct QueueHeads {
    /// The queues.
    pub(crate) queues: Vec<QueueFolder>,
    policy: Policy,
}

/// The first items of a queue.
pub(crate) struct Front {
    /// The items, and what they depend on.
    pub(crate) known: QueueWorld,
    /// Items of the queue from this position on are not included; `None` if all unfinished ones are.
    pub(crate) ends_at: Option<String>,
}

impl Index<'_> {
    /// All queues without their items.
    pub(crate) fn queue_heads(&self) -> Result<QueueHeads, IndexError> {
        let snapshot = self.snapshot()?;
        Ok(QueueHeads { queues: heads(&snapshot)?, policy: records::root(&snapshot)?.policy })
    }

    /// Whether the state of the items of these queues depends on more than the items that are read: a declared order
    /// can put any item before any other, and an item that names another issue than that of its plan cannot be found by
    /// its issue.
    fn is_entangled(&self, heads: &QueueHeads, queues: &[QueueId]) -> Result<bool, IndexError> {
        let mut astray = self.db.prepare_cached("SELECT 1 FROM items WHERE queue = ?1 AND live = ?2")?;
        for folder in &heads.queues {
            let is_declared = !folder.conflicts.is_empty() && queues.contains(&folder.queue.id);
            if is_declared || astray.exists(params![folder.queue.id.as_str(), ASTRAY])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first `count` items of a queue, by position, whose issues are unfinished; `None` if these do not suffice.
    pub(crate) fn front(
        &self,
        heads: &QueueHeads,
        queue: &QueueId,
        count: usize,
    ) -> Result<Option<Front>, IndexError> {
        if self.is_entangled(heads, std::slice::from_ref(queue))? {
            return Ok(None);
        }
        let mut query = self.db.prepare_cached(
            "SELECT t.issue, t.position FROM items t CROSS JOIN issues i ON i.id = t.issue
             WHERE t.queue = ?1 AND t.live = ?2 AND i.over = 0 ORDER BY t.position LIMIT ?3",
        )?;
        let limit = i64::try_from(count).unwrap_or(i64::MAX);
        let mut rows = query.query(params![queue.as_str(), LIVE, limit])?;
        let (mut issues, mut found, mut last) = (Vec::new(), 0, None);
        while let Some(row) = rows.next()? {
            issues.extend(issue_id(row, 0)?);
            last = Some(row.get(1)?);
            found += 1;
        }
        let ends_at = if found >= count { last } else { None };
        Ok(Some(Front { known: self.part(heads, issues)?, ends_at }))
    }

    /// The items of these issues, in all queues; `None` if these do not suffice.
    pub(crate) fn items_of(
        &self,
        heads: &QueueHeads,
        issues: impl IntoIterator<Item = IssueId>,
    ) -> Result<Option<QueueWorld>, IndexError> {
        let issues: Vec<IssueId> = issues.into_iter().collect();
        let mut queues = Vec::new();
        let mut query = self.db.prepare_cached("SELECT queue FROM items WHERE issue = ?1")?;
        for id in &issues {
            let mut rows = query.query([id.as_str()])?;
            while let Some(row) = rows.next()? {
                queues.extend(queue_id(row, 0)?);
            }
        }
        if self.is_entangled(heads, &queues)? {
            return Ok(None);
        }
        self.part(heads, issues).map(Some)
    }

    /// Adds the items of all issues that these depend on, directly or through others, and of running executions.
    fn part(&self, heads: &QueueHeads, issues: Vec<IssueId>) -> Result<QueueWorld, IndexError> {
        let mut open = issues;
        let mut executed = self.db.prepare_cached("SELECT id FROM issues WHERE executing = 1")?;
        let mut rows = executed.query([])?;
        while let Some(row) = rows.next()? {
            open.extend(issue_id(row, 0)?);
        }
        let mut facts = Facts::new();
        let mut items: BTreeMap<QueueId, Vec<Item>> = BTreeMap::new();
        let mut done: HashSet<IssueId> = HashSet::new();
        let mut of_issue = self.db.prepare_cached("SELECT queue, packed FROM items WHERE issue = ?1")?;
        let snapshot = self.snapshot()?;
        while let Some(id) = open.pop() {
            if !done.insert(id.clone()) {
                continue;
            }
            let mut rows = of_issue.query([id.as_str()])?;
            while let Some(row) = rows.next()? {
                let (Some(queue), Some(bytes)) = (queue_id(row, 0)?, blob(row, 1)?) else { continue };
                let item = packed::read_item(bytes)?;
                open.extend(item.depends_on.iter().map(SolutionId::issue));
                items.entry(queue).or_default().push(item);
            }
            if let Some(issue) = queues::facts(&self.db, &snapshot, &id)? {
                open.extend(issue.depends_on.iter().cloned());
                facts.insert(id, issue);
            }
        }
        let queues = heads
            .queues
            .iter()
            .map(&mut |folder: &QueueFolder| {
                let items = items.remove(&folder.queue.id).unwrap_or_default();
                folder.clone().with_items(items)
            })
            .collect();
        Ok(QueueWorld { queues, facts, policy: heads.policy.clone() })
    }
}

fn issue_id(row: &rusqlite::Row<'_>, column: usize) -> Result<Option<IssueId>, rusqlite::Error> {
    Ok(IssueId::parse(&row.get::<_, String>(column)?).ok())
}

fn queue_id(row: &rusqlite::Row<'_>, column: usize) -> Result<Option<QueueId>, rusqlite::Error> {
    Ok(QueueId::parse(&row.get::<_, String>(column)?).ok())
}
