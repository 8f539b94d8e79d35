//! What an import needs to know about a tracker: how its records are read, and where they come from.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::lines::Unreadable;
use super::work::{Attempt, IssueWork, QueueArrival};
use crate::model::{Comment, Issue, Stamp, StoredStatus, Time};

/// The pure part of a tracker: what its records mean here.
pub(crate) struct Tracker {
    /// Its name in messages: `beads`.
    pub(crate) name: &'static str,
    /// Whether it wrote a record that an issue has as `imported`.
    pub(crate) is_own: fn(&Value) -> bool,
    /// Reads a record. It also reads the `imported` of an existing issue, so that only what the source itself has
    /// changed since is applied. The same record makes the same bytes in every clone.
    pub(crate) read: fn(&Value) -> Result<Arrival, RefusedRecord>,
    /// The record, completed from the `imported` of the last import if this tracker leaves out of its records what was
    /// not asked for. `None` if a missing member means that there is no value.
    pub(crate) completed: Option<fn(before: &Value, now: &Value) -> Value>,
    /// The later of two records with one id, with what only the earlier one lists: a union merge of two files keeps both.
    /// `None` if only the later one counts.
    pub(crate) union: Option<fn(earlier: &Value, later: &Value) -> Value>,
    /// Whether two records with one id and birth are about issues of two places, if this tracker counts its issues from 1
    /// in each. `None` if its ids are unique.
    pub(crate) is_elsewhere: Option<fn(before: &Value, now: &Value) -> bool>,
    /// Why a record of a source is from another tracker, although this one could read it. `None` if no other tracker
    /// has such records. Only what comes from a source is asked about, not what was imported already.
    pub(crate) foreign: Option<fn(&Value) -> Option<RefusedRecord>>,
    /// The values of a record that have no field here. They stay in `imported`.
    pub(crate) kept: fn(&Value) -> Map<String, Value>,
    /// Whether it only says how far a plan has come, so that what is completed here is not closed by it.
    pub(crate) follows_plans: bool,
    /// Whether its records have a member `changed` with the date of their file, so that another date alone is no change.
    pub(crate) is_dated_by_file: bool,
    /// The hint for a file without such records.
    pub(crate) hint: &'static str,
}

impl Tracker {
    /// One whose records stand alone: a missing member means that there is no value, and only the later of two records with
    /// one id counts. It has no name, and reads nothing.
    pub(crate) const ALONE: Self = Self {
        name: "",
        is_own: |_| false,
        read: |_| Err(RefusedRecord { id: None, reason: String::new(), is_fault: true }),
        completed: None,
        union: None,
        is_elsewhere: None,
        foreign: None,
        kept: |_| Map::new(),
        follows_plans: false,
        is_dated_by_file: false,
        hint: "",
    };
}

/// One record of a source, as it will be stored here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arrival {
    /// The issue; its `imported` is the source's record.
    pub(crate) issue: Issue,
    /// Whether its record says when it was created.
    pub(crate) is_dated: bool,
    /// When it last changed there; never before its creation.
    pub(crate) changed: Time,
    /// Its comments, each once.
    pub(crate) comments: Vec<Comment>,
    /// Its plans and their items and executions; most trackers have none.
    pub(crate) work: IssueWork,
    /// What is wrong with this record, which is said when it is written.
    pub(crate) notes: Vec<String>,
    /// What is left out or replaced until the source is corrected: each import says so.
    pub(crate) lasting: Vec<String>,
    /// Information that has no field here, in words that are the same for every issue with it.
    pub(crate) kept: BTreeSet<Cow<'static, str>>,
    /// The fields of the issue on which the record is silent: what is here stays.
    pub(crate) silent: Vec<&'static str>,
    /// How many other records it refers to that are missing in the source; `None` if it refers to none in this tracker.
    pub(crate) lacking: Option<usize>,
}

/// The counter in the stamp of an issue that lacks nothing, if others can lack something.
const COMPLETE: usize = 50_000;
/// By how much each missing record lowers it. There is room for later stamps of the same time.
const STEP: usize = 50;

impl Arrival {
    /// An issue with the record that it was read from, and nothing else said.
    pub(crate) fn new(issue: Issue, record: Value, changed: Time) -> Self {
        Self {
            issue: Issue { imported: Some(record), ..issue },
            is_dated: true,
            changed,
            comments: Vec::new(),
            work: IssueWork::default(),
            notes: Vec::new(),
            lasting: Vec::new(),
            kept: BTreeSet::new(),
            silent: Vec::new(),
            lacking: None,
        }
    }

    /// The stamp of what it says. Of two records with the same time of change, the one that lacks fewer others is the
    /// later one, since the source was repaired; its greater stamp also wins in a merge.
    pub(crate) fn stamp(&self) -> Stamp {
        let counter = self.lacking.map_or(0, |lacking| COMPLETE.saturating_sub(lacking.saturating_mul(STEP)));
        Stamp::import_of(self.changed, u32::try_from(counter).unwrap_or(u32::MAX))
    }

    /// Whether nothing is left to do: the issue was closed or cancelled, or its plan was executed.
    pub(crate) fn is_terminal(&self) -> bool {
        match self.issue.status {
            StoredStatus::Closed | StoredStatus::Cancelled => true,
            StoredStatus::Paused => false,
            _ => self.work.attempts.iter().any(Attempt::is_completed),
        }
    }
}

/// A record that cannot be an issue here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedRecord {
    /// Its id there, if it had one.
    pub(crate) id: Option<String>,
    /// Why.
    pub(crate) reason: String,
    /// Whether something is wrong with it. If not, it is simply not an issue, and only counted.
    pub(crate) is_fault: bool,
}

impl RefusedRecord {
    /// A record with something wrong.
    pub(crate) fn fault(id: Option<String>, reason: impl Into<String>) -> Self {
        Self { id, reason: reason.into(), is_fault: true }
    }

    /// A record that is something else; the reason is the same for all of its kind.
    pub(crate) fn other(id: Option<String>, reason: impl Into<String>) -> Self {
        Self { id, reason: reason.into(), is_fault: false }
    }
}

/// A record where it was found.
#[derive(Debug, Clone)]
pub(crate) struct FoundRecord {
    /// What `number` counts: `line`, `issues.jsonl line`, `bug`.
    pub(crate) unit: Cow<'static, str>,
    /// The line, or the position in the source, from 1; 0 for the file as a whole.
    pub(crate) number: u64,
    /// The record, or why it cannot be read.
    pub(crate) record: Result<Value, RefusedRecord>,
}

/// The records of a source, one after the other.
pub(crate) type Each<'a> = Box<dyn Iterator<Item = Result<FoundRecord, Unreadable>> + 'a>;

/// Where records come from. They are read twice, first to find those that count and then to write them, so that they
/// need not fit into memory.
pub(crate) trait Records {
    /// The records, from the first one, each time in the same order.
    fn each(&mut self) -> Result<Each<'_>, Unreadable>;

    /// The queues of a tracker that has any.
    fn queues(&self) -> &[QueueArrival] {
        &[]
    }

    /// Whether the source is a list, which may be empty.
    fn is_list(&self) -> bool {
        false
    }

    /// Remarks about the source as a whole.
    fn remarks(&self) -> &[String] {
        &[]
    }
}
