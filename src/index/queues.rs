//! The data from which the state of all queues is derived: their items, and the facts of the issues that these depend
//! on.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::error::IndexError;
use super::{Index, packed};
use crate::model::{IssueId, IssueStatus, Item, Policy, Priority, QueueId, SolutionId, Time};
use crate::rules::readiness::in_order;
use crate::rules::{AbsentWork, Facts, IssueFacts, IssueFolder, QueueFolder, facts};
use crate::store::{ReadState, Snapshot, StoreError, layout, records};

/// Items of the queues, with the data from which their states are derived.
pub(crate) struct QueueWorld {
    /// All queues in the order in which they are served, with those of their items that were read.
    pub(crate) queues: Vec<QueueFolder>,
    /// The facts of the issues of these items, and of all issues that they depend on, directly or through others.
    pub(crate) facts: Facts,
    /// The gates, which are so few that they are read from the tree.
    pub(crate) policy: Policy,
}

/// The value of `live` in `items`.
pub(super) const DEAD: i64 = 0;
pub(super) const LIVE: i64 = 1;
pub(super) const ASTRAY: i64 = 2;

/// A row of `items`, without the issue.
pub(super) struct ItemRow {
    queue: QueueId,
    live: i64,
    position: String,
    path: String,
    packed: Option<Vec<u8>>,
    why: Option<String>,
    facts: Option<Vec<u8>>,
}

/// The items of an issue with its facts; without facts if it does not exist or cannot be read.
pub(super) fn items_of(
    read: &impl ReadState,
    id: &IssueId,
    folder: Option<&IssueFolder>,
) -> Result<Vec<ItemRow>, IndexError> {
    let found = records::items_of(read, id)?;
    if found.is_empty() {
        return Ok(vec![]);
    }
    let facts = folder.map(|folder| packed(&IssueFacts::derive(folder))).transpose()?;
    let row = |(queue, solution, item): (QueueId, SolutionId, Result<Item, String>)| {
        let path = layout::item(&queue, &solution);
        let live = match &item {
            Ok(item) if item.is_removed() => DEAD,
            Ok(item) if item.issue_id != *id => ASTRAY,
            Ok(_) => LIVE,
            Err(_) => DEAD,
        };
        let (position, packed, why) = match item {
            Ok(item) => (item.position.clone(), packed::item(&item), None),
            Err(why) => (String::new(), None, Some(why)),
        };
        ItemRow { queue, live, position, path, packed, why, facts: facts.clone() }
    };
    Ok(found.into_iter().map(row).collect())
}

/// Whether the index keeps the facts of an issue.
pub(super) fn keeps_facts(folder: &IssueFolder) -> bool {
    (!folder.solutions.is_empty() || !folder.executions.is_empty()) && !facts::status(folder).is_terminal()
}

/// The facts of an issue, as bytes.
pub(super) fn packed(facts: &IssueFacts) -> Result<Vec<u8>, IndexError> {
    let facts = packed::facts(facts);
    Ok(facts.ok_or_else(|| std::io::Error::other("the facts of an issue cannot be packed"))?)
}

/// Replaces the facts of the issue with the row number `n`.
pub(super) fn replace_facts(
    db: &Connection,
    n: i64,
    packed: Option<&[u8]>,
    is_first: bool,
) -> Result<(), IndexError> {
    if !is_first {
        let mut known = db.prepare_cached("SELECT 1 FROM facts WHERE n = ?1 AND packed = ?2")?;
        if known.exists(params![n, packed])? {
            return Ok(());
        }
        db.prepare_cached("DELETE FROM facts WHERE n = ?1")?.execute([n])?;
    }
    if packed.is_some() {
        db.prepare_cached("INSERT INTO facts VALUES (?1, ?2)")?.execute(params![n, packed])?;
    }
    Ok(())
}

/// Replaces the items of an issue.
pub(super) fn replace_items(
    db: &Connection,
    id: &IssueId,
    items: &[ItemRow],
    is_first: bool,
) -> Result<(), IndexError> {
    if !is_first {
        db.prepare_cached("DELETE FROM items WHERE issue = ?1")?.execute([id.as_str()])?;
    }
    for ItemRow { queue, live, position, path, packed, why, facts } in items {
        db.prepare_cached("INSERT INTO items VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?.execute(params![
            queue.as_str(),
            live,
            position,
            path,
            id.as_str(),
            packed,
            why,
            facts
        ])?;
    }
    Ok(())
}

/// The facts of an issue, from the index or else from the tree; `None` if it does not exist or cannot be read.
pub(super) fn facts(
    db: &Connection,
    snapshot: &Snapshot<'_>,
    id: &IssueId,
) -> Result<Option<IssueFacts>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT coalesce(f.packed, (SELECT t.facts FROM items t WHERE t.issue = i.id LIMIT 1))
         FROM issues i LEFT JOIN facts f ON f.n = i.n WHERE i.id = ?1",
    )?;
    let mut rows = query.query([id.as_str()])?;
    if let Some(row) = rows.next()?
        && let Some(bytes) = blob(row, 0)?
    {
        return Ok(Some(packed::read_facts(bytes)?));
    }
    match records::issue(snapshot, id) {
        Ok(folder) => Ok(folder.as_ref().map(IssueFacts::derive)),
        Err(StoreError::Broken { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Index<'_> {
    /// The facts of these issues; unreadable issues are skipped.
    pub(crate) fn facts(&self, numbers: &[i64]) -> Result<Vec<IssueFacts>, IndexError> {
        let snapshot = self.snapshot()?;
        self.facts_by(numbers, |id| facts(&self.db, &snapshot, id))
    }

    /// The facts without plans and holders, which costs less: no record is read.
    pub(crate) fn facts_without_plans(&self, numbers: &[i64]) -> Result<Vec<IssueFacts>, IndexError> {
        self.facts_by(numbers, |id| facts_without_plans(&self.db, id))
    }

    /// The facts of an issue; `None` if it does not exist or cannot be read.
    pub(crate) fn facts_of(&self, id: &IssueId) -> Result<Option<IssueFacts>, IndexError> {
        facts(&self.db, &self.snapshot()?, id)
    }

    /// The facts of the completed issues that have an item. With `but_landed`, those whose work was found on the target branch
    /// before are left out.
    pub(crate) fn completed_facts(&self, but_landed: bool) -> Result<Vec<IssueFacts>, IndexError> {
        let landed = format!("SELECT 1 FROM {} l WHERE l.n = i.n AND l.state = 0", self.landing_table());
        let others = if but_landed { format!("AND NOT EXISTS ({landed})") } else { String::new() };
        let mut query = self.db.prepare(&format!(
            "SELECT (SELECT t.facts FROM items t WHERE t.issue = i.id LIMIT 1) FROM issues i
             WHERE i.status = ?1 {others}"
        ))?;
        let mut rows = query.query([IssueStatus::Completed as i64])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if let Some(bytes) = blob(row, 0)? {
                found.push(packed::read_facts(bytes)?);
            }
        }
        Ok(found)
    }

    fn facts_by(
        &self,
        numbers: &[i64],
        read: impl Fn(&IssueId) -> Result<Option<IssueFacts>, IndexError>,
    ) -> Result<Vec<IssueFacts>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT id FROM issues WHERE n = ?1")?;
        let mut found = Vec::with_capacity(numbers.len());
        for n in numbers {
            let id: String = query.query_row([n], |row| row.get(0))?;
            if let Ok(id) = IssueId::parse(&id) {
                found.extend(read(&id)?);
            }
        }
        Ok(found)
    }

    /// Whether any queue has an item of the issue, even a removed one.
    pub(crate) fn has_items(&self, issue: &IssueId) -> Result<bool, IndexError> {
        let mut query = self.db.prepare_cached("SELECT 1 FROM items WHERE issue = ?1")?;
        Ok(query.exists([issue.as_str()])?)
    }

    /// Fills the temporary table `ready` with the issues that have an item that can be taken.
    pub(super) fn note_ready(&self) -> Result<(), IndexError> {
        if self.knows_ready.get() {
            return Ok(());
        }
        self.db.execute_batch("CREATE TEMP TABLE ready (n INTEGER PRIMARY KEY)")?;
        let mut insert = self.db.prepare("INSERT OR IGNORE INTO ready SELECT n FROM issues WHERE id = ?1")?;
        let QueueWorld { queues, mut facts, policy } = self.queues_for_states()?;
        for (id, work) in self.absent.borrow().iter() {
            if let Some(issue) = facts.get_mut(id) {
                issue.absent = Some(work.clone());
            }
        }
        for queue in in_order(&queues, &facts, &policy) {
            for item in queue.ready() {
                insert.execute([item.issue_id.as_str()])?;
            }
        }
        self.knows_ready.set(true);
        Ok(())
    }

    /// Lets what is derived from queues know which completed work the next claim would lack.
    pub(crate) fn note_absent(&self, absent: BTreeMap<IssueId, Box<AbsentWork>>) {
        self.absent.replace(absent);
    }

    /// All items of all queues.
    pub(crate) fn queues(&self) -> Result<QueueWorld, IndexError> {
        self.queues_with(&|snapshot, id| facts(&self.db, snapshot, id))
    }

    /// A faster variant for callers who only need the states of the items: the facts of issues without items
    /// have neither their plans nor their claims.
    pub(crate) fn queues_for_states(&self) -> Result<QueueWorld, IndexError> {
        self.queues_with(&|_, id| facts_without_plans(&self.db, id))
    }

    fn queues_with(&self, dependency: Dependency<'_>) -> Result<QueueWorld, IndexError> {
        let snapshot = self.snapshot()?;
        let (mut queues, mut known) = (Vec::new(), Vec::new());
        for mut queue in heads(&snapshot)? {
            let mut query = self.db.prepare_cached(
                "SELECT path, packed, why, facts FROM items WHERE queue = ?1 ORDER BY live, position, path",
            )?;
            let mut rows = query.query([queue.queue.id.as_str()])?;
            let mut items = Vec::new();
            while let Some(row) = rows.next()? {
                match blob(row, 1)? {
                    Some(bytes) => items.push(packed::read_item(bytes)?),
                    None => queue.broken.push((row.get(0)?, row.get(2)?)),
                }
                if let Some(bytes) = blob(row, 3)? {
                    let issue = packed::read_facts(bytes)?;
                    known.push((issue.id.clone(), issue));
                }
            }
            queues.push(queue.with_items(items));
        }
        // A map that is collected at once has no spare capacity.
        let mut facts: Facts = known.into_iter().collect();
        add_more(&self.db, &snapshot, &queues, &mut facts, dependency)?;
        Ok(QueueWorld { queues, facts, policy: records::root(&snapshot)?.policy })
    }
}

/// Whether reading the items of all queues one by one, repeatedly, takes longer than building an index of all issues.
/// This is an estimate from the number of directories with items, each of which has at least one, and the number of
/// issues in one of the 256 directories, which are all about the same size.
pub(super) fn are_long(snapshot: &Snapshot<'_>) -> Result<bool, StoreError> {
    const FEW: usize = 16;
    /// Indexing an issue takes as long as reading an item; the items would be read this many times.
    const TIMES: usize = 64;
    let mut items = 0;
    for id in records::queue_ids(snapshot)? {
        items += snapshot.names(&layout::items(&id))?.len();
    }
    if items <= FEW {
        return Ok(false);
    }
    let folders = snapshot.names(layout::ISSUES)?;
    let Some(first) = folders.first() else { return Ok(false) };
    let issues = snapshot.names(&format!("{}/{first}", layout::ISSUES))?.len() * folders.len();
    Ok(issues <= items * TIMES)
}

/// All queues without their items, in the order in which they are served.
pub(super) fn heads(snapshot: &Snapshot<'_>) -> Result<Vec<QueueFolder>, IndexError> {
    let mut queues = Vec::new();
    for id in records::queue_ids(snapshot)? {
        queues.extend(records::queue_head(snapshot, &id)?);
    }
    QueueFolder::sort(&mut queues);
    Ok(queues)
}

pub(super) fn blob<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> Result<Option<&'a [u8]>, IndexError> {
    Ok(row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?)
}

/// Gives the facts of an issue that has no item.
type Dependency<'a> = &'a dyn Fn(&Snapshot<'_>, &IssueId) -> Result<Option<IssueFacts>, IndexError>;

/// Adds the facts of the issues that the issues of items depend on, directly or through others: one by one, since they
/// are few.
fn add_more(
    db: &Connection,
    snapshot: &Snapshot<'_>,
    queues: &[QueueFolder],
    known: &mut Facts,
    dependency: Dependency<'_>,
) -> Result<(), IndexError> {
    let items = || queues.iter().flat_map(|queue| &queue.items);
    // An item may name another issue than that of its plan.
    for item in items().filter(|item| item.solution_id.issue() != item.issue_id) {
        if !known.contains_key(&item.issue_id)
            && let Some(issue) = facts(db, snapshot, &item.issue_id)?
        {
            known.insert(item.issue_id.clone(), issue);
        }
    }
    let of_items = items().flat_map(|item| item.depends_on.iter().map(SolutionId::issue));
    facts::extend(known, of_items, |id| dependency(snapshot, id))
}

/// What others need to know of an issue that has no item: everything but its plans and who holds it. None if it is not there
/// or cannot be read.
fn facts_without_plans(db: &Connection, id: &IssueId) -> Result<Option<IssueFacts>, IndexError> {
    let sql = "SELECT n, title, status, priority, created FROM issues WHERE id = ?1";
    let mut query = db.prepare_cached(sql)?;
    let mut rows = query.query([id.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let status = usize::try_from(row.get::<_, i64>(2)?).ok().and_then(|at| IssueStatus::ALL.get(at));
    let priority = Priority::new(row.get::<_, u8>(3)?.into());
    let created_at = Time::from_millis(row.get(4)?);
    let (Some(status), Some(priority), Some(created_at)) = (status.copied(), priority, created_at) else {
        return Ok(None);
    };
    let mut targets = db.prepare_cached("SELECT target FROM depends WHERE n = ?1")?;
    let targets = targets.query_map([row.get::<_, i64>(0)?], |row| row.get::<_, String>(0))?;
    let targets: Vec<String> = targets.collect::<Result<_, _>>()?;
    Ok(Some(IssueFacts {
        id: id.clone(),
        title: row.get(1)?,
        status,
        priority,
        created_at,
        depends_on: targets.iter().filter_map(|id| IssueId::parse(id).ok()).collect(),
        bound: None,
        plans: BTreeMap::new(),
        holder: None,
        absent: None,
    }))
}
