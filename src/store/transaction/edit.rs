//! The writes of a transaction: change a record, add one, append to a log.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Tx;
use crate::model::{
    Broken, Doc, Entry, EntryId, Event, ExecutionId, ISSUE, ITEM, Issue, IssueId, Item, LogEntry, PlanJson,
    QUEUE, Queue, QueueConflict, QueueId, ROADMAP, ROOT, Roadmap, RoadmapEvent, RoadmapId, RoadmapLogEntry,
    Root, Run, RunEvent, RunId, RunLogEntry, SOLUTION, Schema, SolutionId, entry_at, entry_bytes,
};
use crate::store::snapshot::records;
use crate::store::{Form, ReadState, Redactions, StoreError, layout};

impl Tx<'_> {
    /// Changes the record at `path`. Only fields that `change` modifies get a new stamp. Returns whether any field
    /// changed. The caller must have checked that the record exists.
    fn edit<T: Serialize + DeserializeOwned>(
        &mut self,
        schema: &'static Schema,
        path: String,
        change: impl FnOnce(&mut T),
    ) -> Result<bool, StoreError> {
        let mut doc = records::doc(self, schema, &path)?.ok_or_else(|| StoreError::Broken {
            path: path.clone(),
            broken: Broken::new(schema.name, "it is missing".into()),
        })?;
        // The change starts from what readers see. Hidden values stay as they are unless they are overwritten.
        let mut seen = doc.clone();
        Redactions::at(self, &path)?.doc(&path, &mut seen);
        let mut data: T = seen.read().map_err(|broken| StoreError::Broken { path: path.clone(), broken })?;
        change(&mut data);
        let changed = doc
            .update_seen(&seen, &data, self.stamper())
            .map_err(StoreError::frozen(&doc_name(&seen, &path)))?;
        if changed {
            self.write_doc(path, &doc)?;
        }
        Ok(changed)
    }

    /// Adds a new record.
    fn create<T: Serialize>(
        &mut self,
        schema: &'static Schema,
        path: String,
        data: &T,
    ) -> Result<(), StoreError> {
        let birth = self.stamper().fresh();
        let doc = Doc::born(schema, data, birth);
        self.write_doc(path, &doc)
    }

    /// Writes a record with stamps. Refuses bytes that could not be read back.
    pub(crate) fn write_doc(&mut self, path: String, doc: &Doc) -> Result<(), StoreError> {
        let bytes = self.sound_bytes(&path, doc)?;
        self.write(path, bytes)
    }

    /// Like [`Tx::write_doc`], for a record that is known to be new or different.
    pub(crate) fn write_new_doc(&mut self, path: String, doc: &Doc) -> Result<(), StoreError> {
        let bytes = self.sound_bytes(&path, doc)?;
        self.write_new(path, bytes)
    }

    fn sound_bytes(&self, path: &str, doc: &Doc) -> Result<Vec<u8>, StoreError> {
        if doc.check_growth(None).is_err() {
            let before = match (layout::form(path), self.file(path)?) {
                ((Form::Doc(schema), id), Some(bytes)) => layout::own_doc(schema, id.as_deref(), &bytes).ok(),
                _ => None,
            };
            doc.check_growth(before.as_ref()).map_err(StoreError::excess(&doc_name(doc, path)))?;
        }
        readable_bytes(path, doc)
    }

    /// Adds an issue.
    pub(crate) fn create_issue(&mut self, issue: &Issue) -> Result<(), StoreError> {
        self.create(&ISSUE, layout::issue(&issue.id), issue)
    }

    /// Changes an issue.
    pub(crate) fn edit_issue(
        &mut self,
        id: &IssueId,
        change: impl FnOnce(&mut Issue),
    ) -> Result<bool, StoreError> {
        self.edit(&ISSUE, layout::issue(id), change)
    }

    /// Adds a plan.
    pub(crate) fn create_solution(
        &mut self,
        solution: &crate::model::solution::Solution,
    ) -> Result<(), StoreError> {
        self.create(&SOLUTION, layout::solution(&solution.id), solution)
    }

    /// Replaces the plan of a solution as a whole.
    pub(crate) fn edit_plan(&mut self, id: &SolutionId, plan: &PlanJson) -> Result<bool, StoreError> {
        self.edit(&SOLUTION, layout::solution(id), |solution: &mut crate::model::solution::Solution| {
            solution.plan.clone_from(plan);
        })
    }

    /// Withdraws a plan for a reason, or takes that back.
    pub(crate) fn withdraw_plan(&mut self, id: &SolutionId, why: Option<&str>) -> Result<bool, StoreError> {
        self.edit(&SOLUTION, layout::solution(id), |solution: &mut crate::model::solution::Solution| {
            solution.withdrawn = why.map(str::to_owned);
        })
    }

    /// Adds a queue.
    pub(crate) fn create_queue(&mut self, queue: &Queue) -> Result<(), StoreError> {
        self.create(&QUEUE, layout::queue(&queue.id), queue)
    }

    /// Adds an item.
    pub(crate) fn create_item(&mut self, queue: &QueueId, item: &Item) -> Result<(), StoreError> {
        self.create(&ITEM, layout::item(queue, &item.solution_id), item)
    }

    /// Changes an item.
    pub(crate) fn edit_item(
        &mut self,
        queue: &QueueId,
        solution: &SolutionId,
        change: impl FnOnce(&mut Item),
    ) -> Result<bool, StoreError> {
        self.edit(&ITEM, layout::item(queue, solution), change)
    }

    /// Changes a queue.
    pub(crate) fn edit_queue(
        &mut self,
        id: &QueueId,
        change: impl FnOnce(&mut Queue),
    ) -> Result<bool, StoreError> {
        self.edit(&QUEUE, layout::queue(id), change)
    }

    /// Declares a conflict between items of a queue, or resolves one.
    pub(crate) fn declare_conflict(
        &mut self,
        queue: &QueueId,
        make: impl FnOnce(EntryId) -> QueueConflict,
    ) -> Result<QueueConflict, StoreError> {
        self.append(&layout::queue_conflicts(queue), make)
    }

    /// Changes `wf.json`.
    pub(crate) fn edit_root(&mut self, change: impl FnOnce(&mut Root)) -> Result<bool, StoreError> {
        self.edit(&ROOT, layout::ROOT_PATH.to_owned(), change)
    }

    /// Appends the entry that `make` creates to the log in `folder`, after all existing entries. Returns the entry
    /// with its id.
    pub(crate) fn append<T: Entry>(
        &mut self,
        folder: &str,
        make: impl FnOnce(EntryId) -> T,
    ) -> Result<T, StoreError> {
        let entry = entry_at(&self.next_place(folder)?, make);
        self.write(layout::entry(folder, entry.id()), entry_bytes(&entry))?;
        Ok(entry)
    }

    /// Appends to the log of an execution.
    pub(crate) fn log(&mut self, execution: &ExecutionId, event: Event) -> Result<LogEntry, StoreError> {
        let (actor, at) = (self.person().to_owned(), self.stamper().now());
        self.append(&layout::execution_log(execution), |id| LogEntry { id, event, actor, at })
    }

    /// Adds a run, which is written once.
    pub(crate) fn create_run(&mut self, run: &Run) -> Result<(), StoreError> {
        self.write(layout::run(&run.id), entry_bytes(run))
    }

    /// Appends to the log of a run.
    pub(crate) fn log_run(&mut self, run: &RunId, event: RunEvent) -> Result<RunLogEntry, StoreError> {
        let (actor, at) = (self.person().to_owned(), self.stamper().now());
        self.append(&layout::run_log(run), |id| RunLogEntry { id, event, actor, at })
    }

    /// Adds a roadmap.
    pub(crate) fn create_roadmap(&mut self, roadmap: &Roadmap) -> Result<(), StoreError> {
        self.create(&ROADMAP, layout::roadmap(&roadmap.id), roadmap)
    }

    /// Changes a roadmap.
    pub(crate) fn edit_roadmap(
        &mut self,
        id: &RoadmapId,
        change: impl FnOnce(&mut Roadmap),
    ) -> Result<bool, StoreError> {
        self.edit(&ROADMAP, layout::roadmap(id), change)
    }

    /// Appends to the log of a roadmap.
    pub(crate) fn log_roadmap(
        &mut self,
        roadmap: &RoadmapId,
        event: RoadmapEvent,
    ) -> Result<RoadmapLogEntry, StoreError> {
        let (actor, at) = (self.person().to_owned(), self.stamper().now());
        self.append(&layout::roadmap_log(roadmap), |id| RoadmapLogEntry { id, event, actor, at })
    }

    /// Adds a claim; it is never changed.
    pub(crate) fn create_execution(
        &mut self,
        execution: &crate::model::execution::Execution,
    ) -> Result<(), StoreError> {
        self.write(layout::execution(&execution.id), entry_bytes(execution))
    }
}

/// The bytes of a new record for `path`. Refuses a record that could not be read back.
pub(crate) fn new_bytes(path: &str, doc: &Doc) -> Result<Vec<u8>, StoreError> {
    doc.check_growth(None).map_err(StoreError::excess(&doc_name(doc, path)))?;
    readable_bytes(path, doc)
}

fn readable_bytes(path: &str, doc: &Doc) -> Result<Vec<u8>, StoreError> {
    doc.check_size().map_err(StoreError::excess(&doc_name(doc, path)))?;
    let bytes = doc.to_bytes();
    doc.parse_again(&bytes).map_err(|broken| StoreError::Broken { path: path.to_owned(), broken })?;
    Ok(bytes)
}

/// What messages call a record: its id, or its path if it has no id.
fn doc_name(doc: &Doc, path: &str) -> String {
    doc.id().unwrap_or(path).to_owned()
}
