//! The fields of a task as arguments.

use serde_json::{Map, Value, json};

use crate::cli::{Failure, named, read_text};
use crate::model::{Code, Estimate, strict};
use crate::ops::Refusal;
use crate::rules::TaskEdit;

/// Fields of a task. An option that can be repeated replaces the whole list; a single empty value clears it.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct TaskFieldArgs {
    /// The title: what the task does, in one line
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The action: Create, Modify, Update, Implement, Fix, Refactor, Add, Remove, Delete, Configure, Test or
    /// Notify
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// The scope: a file, directory or module; an empty string clears it
    #[arg(long, value_name = "TEXT")]
    scope: Option<String>,
    /// The description; an empty string clears it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// A step of the implementation; repeat for more
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,
    /// A file the task changes; repeat for more
    #[arg(long = "path", value_name = "PATH")]
    file: Vec<String>,
    /// A criterion: what holds once the task is done; repeat for more
    #[arg(long = "done-when", value_name = "TEXT")]
    criterion: Vec<String>,
    /// How to check the criteria; repeat for more
    #[arg(long, value_name = "TEXT")]
    verify: Vec<String>,
    /// A test command that must pass; repeat for more
    #[arg(long = "test", value_name = "COMMAND")]
    test_command: Vec<String>,
    /// The tasks it depends on: T1,T2; an empty string clears them
    #[arg(long = "after", value_name = "TASK", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    depends_on: Vec<String>,
    /// The estimate, in minutes
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// The priority: 1 (critical) to 5 (trivial), or its name
    #[arg(long, value_name = "PRIORITY")]
    priority: Option<String>,
    /// The type of the commit: feat, fix, ...
    #[arg(long, value_name = "TYPE")]
    commit_type: Option<String>,
    /// The message of the commit
    #[arg(long, value_name = "TEXT")]
    commit_message: Option<String>,
    /// Read fields from a JSON file (`-` for stdin); null removes a field
    #[arg(long, value_name = "FILE")]
    from_json: Option<String>,
}

/// `None` if the flag was not given.
fn list(given: &[String]) -> Option<Vec<String>> {
    match given {
        [] => None,
        [only] if only.trim().is_empty() => Some(vec![]),
        many => Some(many.to_vec()),
    }
}

fn number(minutes: f64) -> Result<Value, Failure> {
    if !minutes.is_finite() {
        return Err(Refusal::usage(format!("`{minutes}` is not a number of minutes"))
            .hint("`--minutes 45`, for example")
            .into());
    }
    // Store 45 as 45, not as 45.0.
    Ok(if minutes.fract() == 0.0 && minutes.abs() < 1e15 { json!(minutes as i64) } else { json!(minutes) })
}

impl TaskFieldArgs {
    /// The test commands among the options, not those in a JSON file.
    pub(super) fn typed_commands(&self) -> &[String] {
        &self.test_command
    }

    /// The requested edit of the task.
    pub(super) fn edit(&self) -> Result<TaskEdit, Failure> {
        let texts = [
            ("title", &self.title),
            ("action", &self.action),
            ("scope", &self.scope),
            ("description", &self.description),
        ];
        let commit = [("type", &self.commit_type), ("message_template", &self.commit_message)];
        let mut values = Vec::new();
        values.extend(list(&self.step).map(|steps| ("implementation", json!(steps))));
        values.extend(list(&self.depends_on).map(|ids| ("depends_on", json!(ids))));
        if let Some(minutes) = self.minutes {
            values.push((Estimate::MINUTES, number(minutes)?));
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

/// The fields that were given.
fn given(texts: &[(&'static str, &Option<String>)]) -> Vec<(&'static str, String)> {
    texts.iter().filter_map(|(name, text)| Some((*name, text.as_ref()?.trim().to_owned()))).collect()
}

fn read_object(path: &str) -> Result<Map<String, Value>, Failure> {
    let fault = |why: String| {
        Refusal::new(Code::InvalidJson, format!("{} is not a task as JSON: {why}", named(path)))
            .hint("it is one JSON object with fields of a task; `git wf schema task` describes them")
    };
    match strict::parse(read_text(path)?.as_bytes()).map_err(fault)? {
        Value::Object(map) => Ok(map),
        other => Err(fault(format!("it is {}", crate::ui::text::truncate(&other.to_string(), 40))).into()),
    }
}
