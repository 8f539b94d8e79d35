//! Records as a command answers them: the stored fields with what is derived of them, under the names of the format.

use serde_json::Value;

use crate::model::id::QueueId;
pub(crate) use crate::ops::work::{
    CommitView as CommitAnswer, ExecutionView as ExecutionAnswer, executions, executions_within,
};
use crate::rules::readiness::{ItemView, QueueView};
use crate::rules::shown::{object, value};

impl CommitAnswer {
    /// What people are told of it, behind its subject.
    pub(crate) fn whereabouts(&self) -> &'static str {
        if self.on_no_branch { ON_NO_BRANCH } else { "" }
    }
}

/// Behind a commit that nothing leads to.
pub(crate) const ON_NO_BRANCH: &str = " (on no branch)";

impl ExecutionAnswer {
    /// How it ended, where that is worth a word: see [`end_note`].
    pub(crate) fn end_note(&self) -> String {
        end_note(&self.execution.actor, self.ended_by.as_deref(), self.forced.as_deref())
    }
}

/// `, ended by …` where that is not the one who executed, and the reason for which a gate was overridden.
pub(crate) fn end_note(actor: &str, ended_by: Option<&str>, forced: Option<&str>) -> String {
    let other = ended_by.filter(|person| *person != actor).map(|person| format!(", ended by {person}"));
    let forced = forced.map(|reason| format!(", gate overridden: {reason}"));
    other.into_iter().chain(forced).collect()
}

/// An item with what is derived of it.
pub(crate) fn item(view: &ItemView) -> Value {
    let mut map = object(&view.item);
    map.insert("status".into(), value(&view.status));
    map.insert("execution_order".into(), value(&view.execution_order));
    map.insert("execution_group".into(), value(&view.execution_group));
    map.insert("semantic_priority".into(), value(&view.semantic_priority));
    map.insert("task_count".into(), value(&view.task_count));
    map.insert("files_touched".into(), value(&view.files_touched));
    map.insert("blocked_by".into(), value(&view.blocked_by));
    if let Some(holder) = &view.holder {
        // What is not there is left out, as everywhere.
        let mut holder = object(holder);
        holder.retain(|_, value| !value.is_null());
        map.insert("holder".into(), Value::Object(holder));
    }
    Value::Object(map)
}

/// An item where its queue does not stand around it.
pub(crate) fn item_in(queue: &QueueId, view: &ItemView) -> Value {
    let mut answer = item(view);
    answer["queue_id"] = value(queue);
    answer
}

/// A queue as `queue list` shows it.
pub(crate) fn queue(view: &QueueView) -> Value {
    let mut map = object(&view.queue);
    map.insert("status".into(), value(&view.status));
    map.insert("item_count".into(), value(&view.items.len()));
    Value::Object(map)
}

/// A queue as `queue show` shows it, with its items.
pub(crate) fn queue_with_items(view: &QueueView) -> Value {
    let mut answer = queue(view);
    answer["items"] = view.items.iter().map(item).collect();
    answer["conflicts"] = value(&view.conflicts);
    answer
}
