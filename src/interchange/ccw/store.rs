//! Reads a store of ccw: puts together what its files say about each issue.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::queue::{CcwQueueIndex, SourceQueue};
use super::{BOUND_AT, CONTENT, OWN, RENAMED, files, plan, queue, session};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Each, FoundRecord, Records};
use crate::interchange::work::QueueArrival;
use crate::model::{Stamp, count, digest, typed};

/// What a directory holds.
pub(crate) struct CcwFolder {
    found: Vec<FoundRecord>,
    queues: Vec<QueueArrival>,
    remarks: Vec<String>,
}

/// A line with an issue.
pub(super) struct IssueLine {
    pub(super) file: String,
    pub(super) number: u64,
    pub(super) issue: Value,
}

/// A plan of an issue.
struct PlanLine {
    file: String,
    id: String,
    digest: String,
    plan: Value,
}

/// What was read so far.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) issues: Vec<IssueLine>,
    pub(super) faults: Vec<FoundRecord>,
    /// The plans of each issue.
    plans: BTreeMap<String, Vec<PlanLine>>,
    pub(super) queues: Vec<SourceQueue>,
    pub(super) remarks: Vec<String>,
}

impl CcwFolder {
    /// The store in `folder`, which is its directory or its project; `None` if there is none.
    pub(crate) fn open(folder: &Path) -> Result<Option<Self>, Unreadable> {
        let (issues, sessions) = (files::issues(folder), files::sessions(folder));
        if issues.is_none() && sessions.is_empty() {
            return Ok(None);
        }
        let mut reading = Reading::default();
        if let Some(issues) = issues {
            reading.store(&issues)?;
        }
        session::read_all(&mut reading, &sessions);
        Ok(Some(reading.end()))
    }
}

impl Records for CcwFolder {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        Ok(Box::new(self.found.iter().cloned().map(Ok)))
    }

    fn queues(&self) -> &[QueueArrival] {
        &self.queues
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

impl Reading {
    fn store(&mut self, folder: &Path) -> Result<(), Unreadable> {
        if !folder.join("issues.jsonl").exists() {
            self.faults.push(files::fault("issues.jsonl", 0, None, files::MISSING));
        }
        for file in ["issues.jsonl", "issue-history.jsonl"] {
            let lines = files::lines(&folder.join(file), file, &mut self.faults)?;
            self.issues.extend(lines.into_iter().map(|(number, issue)| IssueLine {
                file: file.to_owned(),
                number,
                issue,
            }));
        }
        let inside = folder.join("solutions");
        for name in files::names(&inside, ".jsonl") {
            let file = format!("solutions/{name}");
            let issue = name.trim_end_matches(".jsonl");
            for (number, given) in files::lines(&inside.join(&name), &file, &mut self.faults)? {
                self.plan(&file, number, issue, given);
            }
        }
        let inside = folder.join("queues");
        let index = files::json(&inside.join(INDEX), "queues/index.json", &mut self.faults);
        let index = index.as_ref().map(CcwQueueIndex::new).unwrap_or_default();
        let names = files::names(&inside, ".json");
        for name in names.iter().filter(|name| *name != INDEX) {
            self.queue(&inside.join(name), &format!("queues/{name}"), None, &index);
        }
        for id in &index.queues {
            let name = format!("{id}.json");
            if !names.contains(&name) {
                let why = format!("the index lists it, but {}", files::MISSING);
                self.faults.push(files::fault(&format!("queues/{name}"), 0, Some(id), why));
            }
        }
        for (path, id) in [("queue/execution-queue.json", "QUE-execution-queue"), ("queue.json", "QUE-queue")]
        {
            self.queue(&folder.join(path), path, Some(id), &CcwQueueIndex::default());
        }
        Ok(())
    }

    /// Takes a plan of an issue.
    pub(super) fn plan(&mut self, file: &str, number: u64, issue: &str, given: Value) {
        match plan::content(issue, &given) {
            Ok((id, content)) => {
                let plans = self.plans.entry(issue.to_owned()).or_default();
                let digest = plan::digest(&content).to_string();
                let new = PlanLine { file: file.to_owned(), id: id.to_string(), digest, plan: given };
                match plans.iter_mut().find(|known| known.id == new.id) {
                    Some(known) if known.digest == new.digest => *known = new,
                    Some(known) => {
                        *known = new;
                        let why = "another line has this id; this later one was used";
                        self.remarks.push(format!("{} {number} (`{id}`): {why}", files::line_of(file)));
                    }
                    None => plans.push(new),
                }
            }
            Err(why) => {
                let id = given.get("id").and_then(Value::as_str);
                self.faults.push(files::fault(file, number, id, why));
            }
        }
    }

    fn queue(&mut self, path: &Path, file: &str, named: Option<&str>, index: &CcwQueueIndex) {
        let Some(given) = files::json(path, file, &mut self.faults) else { return };
        match queue::read(&given, file, named, index) {
            Ok(queue) => self.queues.push(queue),
            Err(why) => {
                let id = given.get("id").and_then(Value::as_str);
                self.faults.push(files::fault(file, 0, id, why));
            }
        }
    }

    fn end(mut self) -> CcwFolder {
        let known: BTreeSet<String> = self
            .issues
            .iter()
            .filter_map(|issue| issue.issue.get("id")?.as_str().map(str::to_owned))
            .collect();
        for (issue, plans) in self.plans.iter().filter(|(issue, _)| !known.contains(*issue)) {
            let why = "there is no such issue, so its plans were left out";
            let files: BTreeSet<&str> = plans.iter().map(|plan| plan.file.as_str()).collect();
            self.faults.extend(files.into_iter().map(|file| files::fault(file, 0, Some(issue), why)));
        }
        let content = self.content();
        let ordered = self.queues.iter().map(|queue| queue.arrival.changed).max();
        for SourceQueue { arrival, .. } in &mut self.queues {
            arrival.content = content;
            arrival.ordered = ordered.unwrap_or(arrival.changed);
        }
        let mut items: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut changed: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
        for SourceQueue { file, arrival, items: given, notes } in &self.queues {
            let id = &arrival.queue.id;
            self.remarks.extend(notes.iter().map(|note| format!("{id}: {note}")));
            for entry in given {
                if !known.contains(&entry.issue) {
                    let why = match entry.issue.as_str() {
                        "" => format!("its item `{}` names no issue", entry.number),
                        issue => {
                            format!(
                                "its item `{}` belongs to the issue `{issue}`, which is missing",
                                entry.number
                            )
                        }
                    };
                    self.faults.push(files::fault(file, 0, None, why));
                    continue;
                }
                let plan = entry.item.get("solution_id").and_then(Value::as_str).unwrap_or_default();
                let plans = self.plans.get(&entry.issue).map_or(&[][..], Vec::as_slice);
                let digest = plans.iter().find(|other| other.id == plan).map(|plan| plan.digest.clone());
                items.entry(entry.issue.clone()).or_default().push(queue::entry(id, entry, digest));
                let at = Value::from(arrival.changed.to_string());
                changed.entry(entry.issue.clone()).or_default().insert(id.to_string(), at);
            }
        }
        self.remark();
        let mut found = Vec::new();
        for IssueLine { file, number, mut issue } in self.issues {
            if let (Some(id), Some(map)) =
                (issue.get("id").and_then(Value::as_str).map(str::to_owned), issue.as_object_mut())
            {
                let plans = self.plans.get(&id).map_or(&[][..], Vec::as_slice);
                let mut own = own(plans, items.get(&id), changed.get(&id));
                own.insert(CONTENT.into(), content.into());
                map.insert(OWN.into(), own.into());
            }
            let unit = if number == 0 { file } else { files::line_of(&file) };
            found.push(FoundRecord { unit: unit.into(), number, record: Ok(issue) });
        }
        found.extend(self.faults);
        found.sort_by(|one, two| files::place(&one.unit).cmp(&files::place(&two.unit)));
        let queues = self.queues.into_iter().map(|given| given.arrival).collect();
        CcwFolder { found, queues, remarks: self.remarks }
    }

    /// The number of what all plans and queues say.
    fn content(&self) -> u32 {
        let plans = self.plans.iter().map(|(issue, plans)| {
            let plans: Vec<Value> = plans.iter().map(|plan| plan.plan.clone()).collect();
            Value::from(vec![Value::from(issue.as_str()), Value::from(plans)])
        });
        let queues = self.queues.iter().map(|SourceQueue { arrival, items, .. }| {
            let items =
                items.iter().map(|item| Value::from(vec![Value::from(item.position), item.item.clone()]));
            Value::from(vec![typed::own_json(&arrival.queue), items.collect()])
        });
        Stamp::content_number(digest::hash(&plans.chain(queues).collect()))
    }

    /// What is true of every store of ccw, or of this one as a whole.
    fn remark(&mut self) {
        let turned =
            "in ccw, 5 is the most urgent priority; here it is 1, so 5 became 1, 4 became 2, and so on";
        self.remarks.insert(0, turned.into());
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for given in &self.queues {
            let of_queue: BTreeSet<&str> = given.items.iter().map(|item| item.number.as_str()).collect();
            of_queue.into_iter().for_each(|number| *numbers.entry(number).or_default() += 1);
        }
        for (number, queues) in numbers.into_iter().filter(|(_, queues)| *queues > 1) {
            let queues = count(queues, "queue");
            self.remarks
                .push(format!("{queues} have an item `{number}`; `QUE-…:{number}` says which is meant"));
        }
    }
}

/// The file that lists the queues.
const INDEX: &str = "index.json";

/// What the record of an issue has beside what ccw wrote.
fn own(
    plans: &[PlanLine],
    items: Option<&Vec<Value>>,
    changed: Option<&Map<String, Value>>,
) -> Map<String, Value> {
    let mut own = Map::new();
    own.insert("plans".into(), plans.iter().map(|plan| Value::from(plan.id.clone())).collect());
    let bound = plans.iter().find(|plan| plan.plan.get("is_bound").and_then(Value::as_bool) == Some(true));
    if let Some(PlanLine { id, plan, .. }) = bound {
        own.insert("bound".into(), id.clone().into());
        own.insert(BOUND_AT.into(), plan.get("bound_at").cloned().unwrap_or(Value::Null));
    }
    let given = plans.iter().filter_map(|plan| Some((&plan.id, plan.plan.get("id")?)));
    let renamed: Map<String, Value> = given
        .filter(|(id, given)| given.as_str() != Some(id.as_str()))
        .map(|(id, given)| (id.clone(), given.clone()))
        .collect();
    if !renamed.is_empty() {
        own.insert(RENAMED.into(), Value::Object(renamed));
    }
    own.insert("items".into(), items.cloned().unwrap_or_default().into());
    own.insert("solutions".into(), plans.iter().map(|plan| plan.plan.clone()).collect());
    own.insert("changed".into(), Value::Object(changed.cloned().unwrap_or_default()));
    own
}
