//! The fields of a task as arguments.

use serde_json::{Map, Value, json};

use crate::cli::{Failure, named, read_bytes};
use crate::model::strict;
use crate::rules::task_edit::TaskEdit;

/// Fields of a task. One that may be given more than once replaces the whole list; given once and empty, it empties it.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct FieldArgs {
    /// What it does, in one line
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Create, Modify, Update, Implement, Fix, Refactor, Add, Remove, Delete, Configure, Test or Notify
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// A file, folder or module; empty for none
    #[arg(long, value_name = "TEXT")]
    scope: Option<String>,
    /// More than the title says; empty for none
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// A step; may be given more than once
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,
    /// A file that it touches; may be given more than once
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// What must hold once it is done; may be given more than once
    #[arg(long, value_name = "TEXT")]
    criterion: Vec<String>,
    /// How to see that it does; may be given more than once
    #[arg(long, value_name = "TEXT")]
    verify: Vec<String>,
    /// A command that must pass; may be given more than once
    #[arg(long, value_name = "COMMAND")]
    test_command: Vec<String>,
    /// Tasks that come first: T1,T2; empty for none
    #[arg(long, value_name = "TASK", value_delimiter = ',')]
    depends_on: Vec<String>,
    /// Minutes that it will take
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// 1 (critical) to 5 (trivial), or its name
    #[arg(long, value_name = "PRIORITY")]
    priority: Option<String>,
    /// feat, fix, ...: the type of its commit
    #[arg(long, value_name = "TYPE")]
    commit_type: Option<String>,
    /// The message of its commit
    #[arg(long, value_name = "TEXT")]
    commit_message: Option<String>,
    /// Fields as a JSON object, put over those that are there (null takes one away); `-` for stdin
    #[arg(long, value_name = "FILE")]
    from_json: Option<String>,
}

/// None where the flag was not given.
fn list(given: &[String]) -> Option<Vec<String>> {
    match given {
        [] => None,
        [only] if only.trim().is_empty() => Some(vec![]),
        many => Some(many.to_vec()),
    }
}

fn number(minutes: f64) -> Result<Value, Failure> {
    if !minutes.is_finite() {
        return Err(Failure::usage(format!("`{minutes}` is no number of minutes")));
    }
    // 45 stands in the plan as 45, not as 45.0.
    Ok(if minutes.fract() == 0.0 && minutes.abs() < 1e15 { json!(minutes as i64) } else { json!(minutes) })
}

impl FieldArgs {
    /// What is to become of the task.
    pub(super) fn edit(&self) -> Result<TaskEdit, Failure> {
        let texts = [
            ("title", &self.title),
            ("action", &self.action),
            ("scope", &self.scope),
            ("description", &self.description),
        ];
        let commit = [("type", &self.commit_type), ("message_template", &self.commit_message)];
        let given = |pairs: &[(&'static str, &Option<String>)]| -> Vec<(&'static str, String)> {
            pairs.iter().filter_map(|(name, text)| Some((*name, text.as_ref()?.trim().to_owned()))).collect()
        };
        let mut values = Vec::new();
        values.extend(list(&self.step).map(|steps| ("implementation", json!(steps))));
        values.extend(list(&self.depends_on).map(|ids| ("depends_on", json!(ids))));
        if let Some(minutes) = self.minutes {
            values.push(("estimated_minutes", number(minutes)?));
        }
        if let Some(priority) = &self.priority {
            let number = priority.trim().parse::<u8>().ok();
            values.push(("priority", number.map_or_else(|| json!(priority.trim()), |number| json!(number))));
        }
        Ok(TaskEdit {
            merge: self.from_json.as_deref().map(read_object).transpose()?,
            texts: given(&texts),
            values,
            files: list(&self.file),
            criteria: list(&self.criterion),
            verification: list(&self.verify),
            test_commands: list(&self.test_command),
            commit: given(&commit),
        })
    }
}

fn read_object(path: &str) -> Result<Map<String, Value>, Failure> {
    let fault = |why: String| {
        Failure::new("invalid-json", format!("{} is not a task as JSON: {why}", named(path)))
            .hint("it is one JSON object with fields of a task; `git wf schema task` describes them")
    };
    match strict::parse(&read_bytes(path)?).map_err(fault)? {
        Value::Object(map) => Ok(map),
        other => Err(fault(format!("it is {}", crate::ui::text::truncate(&other.to_string(), 40)))),
    }
}
