//! An executor's report, and whether git agrees with it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::ExecutionTarget;
use crate::model::{
    Code, CommitLink, ExecutionResult, LinkedBy, Op, Other, RemedyCall, RepoPath, SolutionId, Time, typed,
};
use crate::ops::Refusal;
use crate::rules::ExecutionFolder;
use crate::rules::evidence::{self, Reported};
use crate::store::{CodeCommit, ReadState, Store};
use crate::trail::{links, trailers};

/// The executor's report. Its fields may instead be in `execution_result`, next to solution_id, status and executed_at.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = with_inner_report)]
pub(crate) struct ExecutorReport {
    /// The plan that was executed; it must be that of the execution that ends.
    solution_id: Option<SolutionId>,
    /// When it ended. It is not stored: the record has its own time.
    #[serde(rename = "executed_at")]
    _executed_at: Option<Time>,
    /// completed (use `fail` to report a failure).
    #[schemars(with = "Option<Status>")]
    status: Option<String>,
    /// In words.
    summary: Option<String>,
    /// Paths from the top of the repository.
    files_modified: Vec<String>,
    /// The commit that implements it, or the last of several.
    #[schemars(regex(pattern = HASH))]
    commit_hash: Option<String>,
    /// All of the commits, if there are several.
    #[schemars(inner(regex(pattern = HASH)))]
    commits: Vec<String>,
    /// Whether the tests passed.
    tests_passed: Option<bool>,
    /// Whether every criterion was verified.
    acceptance_verified: Option<bool>,
    /// What went wrong; must be empty for a completed execution.
    #[serde(deserialize_with = "typed::any_each")]
    errors: Vec<Value>,
    /// The outcome of each task.
    #[serde(deserialize_with = "typed::any_each")]
    tasks: Vec<Value>,
}

/// The fields beside a nested report.
const AROUND: [&str; 4] = [INNER, "solution_id", "status", "executed_at"];
/// The field that holds a nested report.
const INNER: &str = "execution_result";

/// The fields of a failure that say what went wrong.
const OF_A_FAILURE: [&str; 4] = ["task_id", "error_type", "message", "stack_trace"];

/// Extends the schema of a failure by the fields of a report.
pub(super) fn with_failed_report(schema: &mut schemars::Schema) {
    let report = schemars::SchemaGenerator::default().into_root_schema_for::<ExecutorReport>();
    let (own, more) = (schema.ensure_object(), report.as_value());
    for name in ["properties", "$defs"] {
        let Some(more) = more.get(name).and_then(Value::as_object) else { continue };
        let known = own.entry(name).or_insert_with(|| Value::from(Map::new()));
        let Some(known) = known.as_object_mut() else { continue };
        for (name, value) in more {
            known.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let says = ["message", "errors", "summary", INNER].map(|name| serde_json::json!({"required": [name]}));
    schema.insert("anyOf".into(), Value::from(says.to_vec()));
    if let Some(defs) = schema.pointer_mut("/$defs").and_then(Value::as_object_mut) {
        defs.remove("Status");
    }
    if let Some(status) = schema.pointer_mut("/properties/status") {
        *status =
            serde_json::json!({"enum": ["failed", null], "description": "failed (`done` reports success)."});
    }
}

/// Makes the schema allow both forms.
fn with_inner_report(schema: &mut schemars::Schema) {
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        let own = properties.iter().filter(|(name, _)| !AROUND.contains(&name.as_str()));
        let inner: Map<String, Value> = own.map(|(name, value)| (name.clone(), value.clone())).collect();
        let inner = serde_json::json!({
            "description": "The report, if it is nested.",
            "type": ["object", "null"],
            "properties": inner,
            "additionalProperties": false,
        });
        properties.insert(INNER.into(), inner);
    }
}

/// Flattens a report of either form into one object.
fn flat(mut fields: Map<String, Value>) -> Result<Map<String, Value>, String> {
    match fields.remove(INNER) {
        None | Some(Value::Null) => {}
        Some(Value::Object(inner)) => {
            for (name, value) in inner {
                if AROUND.contains(&name.as_str()) {
                    return Err(format!("{INNER}: unknown field `{name}`"));
                }
                if fields.insert(name.clone(), value).is_some() {
                    return Err(format!("`{name}` is given twice"));
                }
            }
        }
        Some(_) => return Err(format!("{INNER} should be an object")),
    }
    // Planners write null for unknown values.
    fields.retain(|_, value| !value.is_null());
    Ok(fields)
}

/// An object id, or a start of one.
const HASH: &str = "^[0-9a-fA-F]{4,64}$";

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "it only describes what may be written")]
enum Status {
    Completed,
}

impl ExecutorReport {
    /// Parses a report; messages call it `of`.
    ///
    /// # Errors
    /// `invalid-json`; `result-failed` if it reports a failure.
    pub(crate) fn parse(value: Value, of: &str, item: Option<&str>) -> Result<Self, Refusal> {
        let not_one = |why: String| Self::unfit(of, &why);
        let Value::Object(fields) = value else { return Err(not_one("it is not an object".into())) };
        let fields = Value::from(flat(fields).map_err(not_one)?);
        let input: Self = typed::read(&fields).map_err(|error| not_one(error.to_string()))?;
        match input.status.as_deref() {
            None | Some("completed") => Ok(input),
            Some("failed") => Err(Refusal::new(Code::ResultFailed, format!("{of} reports a failure"))
                .remedy(
                    RemedyCall::from(Op::Fail).item(item).option("message", "TEXT"),
                    "records it, and takes this JSON",
                )),
            Some(other) => Err(Refusal::new(Code::InvalidJson, format!("{of} has the status `{other}`"))
                .hint("the status of a result is `completed`")
                .remedy(
                    RemedyCall::from(Op::Fail).item(item).option("message", "TEXT"),
                    "reports a failure",
                )),
        }
    }

    /// Splits a failure as JSON into the fields of a failure and a report. The report's fields may be beside them, or
    /// in [`INNER`]. Returns the fields of the failure, and the report if there is one.
    pub(super) fn of_failure(
        fields: Map<String, Value>,
    ) -> Result<(Map<String, Value>, Option<Self>), String> {
        let (failure, rest): (Map<_, _>, Map<_, _>) =
            flat(fields)?.into_iter().partition(|(name, _)| OF_A_FAILURE.contains(&name.as_str()));
        if rest.keys().all(|name| name == "solution_id") {
            return Ok((failure.into_iter().chain(rest).collect(), None));
        }
        let report: Self = typed::read(&Value::from(rest)).map_err(|error| error.to_string())?;
        match report.status.as_deref() {
            None | Some("failed") => Ok((failure, Some(report))),
            Some(other) => Err(format!("its status is `{other}`, not `failed`")),
        }
    }

    /// What went wrong, according to the report: its errors, or else its summary.
    pub(super) fn trouble(&self) -> Option<String> {
        let errors: Vec<String> = self
            .errors
            .iter()
            .map(|error| match error {
                Value::String(text) => text.clone(),
                Value::Object(fields) => match fields.get("message").and_then(Value::as_str) {
                    Some(message) => message.to_owned(),
                    None => error.to_string(),
                },
                other => other.to_string(),
            })
            .collect();
        if errors.is_empty() { self.summary.clone() } else { Some(errors.join("\n")) }
    }

    /// The plan that it is about.
    pub(super) fn plan(&self) -> Option<&SolutionId> {
        self.solution_id.as_ref()
    }

    /// The refusal of something that is not a report.
    pub(crate) fn unfit(of: &str, why: &str) -> Refusal {
        Refusal::new(Code::InvalidJson, format!("{of} is not valid JSON for a result: {why}"))
            .remedy(RemedyCall::new(Other::Schema, ["result-input"]), "describes it")
    }

    /// Whether the report itself says that tests failed.
    pub(crate) fn has_failed_tests(&self) -> bool {
        self.tests_passed == Some(false)
    }

    /// The commits that it names; `None` for those that do not exist.
    pub(super) fn commits(&self, store: &Store) -> Result<Vec<(String, Option<CodeCommit>)>, Refusal> {
        let mut found: Vec<(String, Option<CodeCommit>)> = Vec::new();
        for hash in self.commits.iter().chain(&self.commit_hash) {
            let commit = match store.commit_named(hash) {
                Some(id) => Some(store.code_commit(id)?),
                None => None,
            };
            let is_known = commit.as_ref().is_some_and(|commit| {
                found.iter().any(|(_, known)| known.as_ref().is_some_and(|known| known.id == commit.id))
            });
            if !is_known {
                found.push((hash.clone(), commit));
            }
        }
        Ok(found)
    }

    /// The paths as git writes them. A path that a plan could not name may still exist in git.
    fn files(&self) -> BTreeSet<String> {
        self.files_modified
            .iter()
            .map(|path| RepoPath::parse(path).map_or_else(|_| path.clone(), |path| path.to_string()))
            .collect()
    }

    /// Refuses a report that disagrees with git. `made` are commits of the execution that may not be linked yet, and
    /// `item` is how the caller named it, if it did.
    pub(super) fn refuse_differences(
        &self,
        store: &Store,
        execution: &ExecutionFolder,
        named: &[(String, Option<CodeCommit>)],
        made: &[CodeCommit],
        item: Option<&str>,
    ) -> Result<(), Refusal> {
        let own = &execution.execution.solution_id;
        if let Some(other) = self.solution_id.as_ref().filter(|other| *other != own) {
            return Err(Refusal::new(
                Code::OtherPlan,
                format!("the result is about `{other}`, but `{own}` is being executed"),
            )
            .remedy(
                RemedyCall::from(Op::Done).item(Some("ITEM")).option("result", "FILE"),
                "ends the execution that it describes",
            ));
        }
        let base = execution.execution.base_commit.as_ref().and_then(|base| store.commit_here(base));
        let mut commits = Vec::new();
        for (hash, commit) in named {
            let place = match (commit, base) {
                (None, _) => evidence::Placement::Nowhere,
                (Some(commit), Some(base)) if commit.id == base => evidence::Placement::Before,
                (Some(commit), Some(base)) if !store.is_ancestor(base, commit.id)? => {
                    evidence::Placement::Before
                }
                _ => evidence::Placement::After,
            };
            commits.push((hash.as_str(), place));
        }
        let mut touched: BTreeSet<String> =
            execution.commits().into_iter().flat_map(|commit| commit.link.files).collect();
        for commit in named.iter().filter_map(|(_, commit)| commit.as_ref()).chain(made) {
            touched.extend(store.files_since(base, commit)?);
        }
        let files = self.files();
        let reported = Reported {
            commits,
            files: files.iter().map(String::as_str).collect(),
            tests_passed: self.tests_passed,
            acceptance_verified: self.acceptance_verified,
            errors: self.errors.len(),
        };
        let differences = evidence::differences(&reported, &touched, execution);
        if differences.is_empty() {
            return Ok(());
        }
        Err(Refusal::new(Code::ResultDiffers, "the report disagrees with git")
            .details(differences)
            .hint("correct the report")
            .remedy(
                RemedyCall::from(Op::Fail).item(item).option("message", "TEXT"),
                "ends the execution without it",
            ))
    }

    /// Copies the report into the record.
    pub(super) fn record(&self, result: &mut ExecutionResult) {
        if result.summary.is_none() {
            result.summary.clone_from(&self.summary);
        }
        if !self.files_modified.is_empty() {
            result.files_modified = self.files().into_iter().collect();
        }
        result.tests_passed = self.tests_passed;
        result.acceptance_verified = self.acceptance_verified;
        result.tasks.clone_from(&self.tasks);
    }
}

/// Links for the commits that a report names and that are not linked yet, so that the report can be found from the
/// commit.
pub(super) fn missing_links<'a>(
    store: &Store,
    read: &impl ReadState,
    target: &ExecutionTarget,
    commits: impl Iterator<Item = &'a CodeCommit>,
    linked_by: LinkedBy,
) -> Result<Vec<CommitLink>, Refusal> {
    let solution = &target.execution.execution.solution_id;
    let mut missing = Vec::new();
    for commit in commits.filter(|commit| !target.execution.knows_commit(&commit.id.to_string())) {
        let files = links::files(store, commit)?;
        let trailers = trailers::parse(&commit.message);
        let tasks = links::tasks(read, solution, &trailers, vec![], || Ok(files.clone()))?;
        missing.push(links::link(commit, &files, tasks, linked_by));
    }
    Ok(missing)
}
