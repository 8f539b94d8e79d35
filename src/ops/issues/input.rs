//! An issue as JSON, as planners and other programs write it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::lifecycle::Lifecycle;
use crate::model::{
    Code, ExtendedContext, Issue, IssueId, IssueStatus, Op, Other, Priority, RemedyCall, Shape, Source,
    strict, typed,
};
use crate::ops::{Notice, Refusal};
use crate::rules::limits::{self, RELATION, WEB_ADDRESS};
use crate::rules::reply_task;

/// An issue as JSON, with the field names of the format. Fields that the store sets are ignored.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = with_ignored)]
pub(crate) struct IssueInput {
    /// The id; generated if omitted.
    pub(crate) id: Option<IssueId>,
    /// The title, on one line.
    pub(crate) title: Option<String>,
    /// The description, in Markdown; `description` is another name for it.
    #[serde(alias = "description")]
    pub(crate) context: Option<String>,
    /// Its source.
    pub(crate) source: Option<Source>,
    /// 1 (critical) to 5 (trivial), or its name.
    pub(crate) priority: Option<Priority>,
    /// Type: bug, feature, task, or any other word your team uses.
    pub(crate) issue_type: Option<String>,
    #[schemars(regex(pattern = WEB_ADDRESS))]
    /// URL of the discussion (http or https).
    pub(crate) source_url: Option<String>,
    /// Tags.
    pub(crate) tags: Option<BTreeSet<String>>,
    /// The assignee.
    pub(crate) assignee: Option<String>,
    /// Issues that must be done first; those in `extended_context.notes.depends_on_issues` are added to them.
    pub(crate) depends_on: Option<BTreeSet<IssueId>>,
    #[schemars(inner(regex(pattern = RELATION)))]
    /// `type:id` with parent-child, discovered-from, relates-to, duplicates or supersedes.
    pub(crate) relations: Option<BTreeSet<String>>,
    /// More context for a planner.
    pub(crate) extended_context: Option<ExtendedContext>,
    /// Parts of the system it concerns.
    pub(crate) affected_components: Option<BTreeSet<String>>,
    /// What should happen.
    pub(crate) expected_behavior: Option<String>,
    /// What happens instead.
    pub(crate) actual_behavior: Option<String>,
    /// Requirements for how it is worked on.
    pub(crate) lifecycle_requirements: Option<Lifecycle>,
    /// Another name for tags; elements may be label objects of GitHub.
    pub(crate) labels: Option<Vec<Label>>,
    #[schemars(regex(pattern = WEB_ADDRESS))]
    /// The issue on GitHub; another name for source_url.
    pub(crate) github_url: Option<String>,
    #[schemars(range(min = 1))]
    /// Its number on GitHub; without an id, a new issue gets the id GH- and this number.
    pub(crate) github_number: Option<u64>,
    /// The `status` that was given, and that cannot be set so.
    #[serde(skip)]
    given_status: Option<String>,
    /// Its author and the time of its creation, as they were given; the store keeps its own.
    #[serde(skip)]
    given_birth: Vec<(&'static str, Value)>,
}

/// A tag, or a label as GitHub exports it.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub(crate) enum Label {
    /// The name.
    Name(String),
    /// An object with the name.
    Object {
        /// The name.
        name: String,
    },
}

/// The member of the notes in which planners list the issues that an issue depends on.
const DEPENDENCIES: &str = "depends_on_issues";

/// Fields that the store sets or derives. They are accepted, so that the output of `show --json` can be read again.
const OWNED: &[&str] = &[
    "author",
    "created_at",
    "status",
    "close_reason",
    "bound_solution_id",
    "closed_at",
    "imported",
    "kept",
    "solution_count",
    "wave",
    "error",
    "updated_at",
    "planned_at",
    "queued_at",
    "executed_at",
    "completed_at",
    "comments",
    "feedback",
    "explorations",
    "solutions",
    "executions",
    "overrides",
    "children",
    "dependents",
    "clock",
];

/// The ignored fields that someone may expect to be kept. The others are derived from what happens to the issue.
const BIRTH: &[&str] = &["author", "created_at"];

/// How the schema describes them.
pub(crate) const IGNORED: &str = "set by the store; ignored here";

/// Makes the schema allow the fields that are read and ignored.
fn with_ignored(schema: &mut schemars::Schema) {
    let ignored = serde_json::json!({ "description": IGNORED });
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        if let Some(context) = properties.get("context").cloned() {
            properties.insert("description".into(), context);
        }
        properties.extend(OWNED.iter().map(|name| ((*name).to_owned(), ignored.clone())));
    }
}

impl IssueInput {
    /// The given fields that the store sets, which parsing leaves out.
    pub(crate) fn owned(value: &Value) -> Vec<&'static str> {
        OWNED.iter().copied().filter(|name| value.get(name).is_some_and(|value| !value.is_null())).collect()
    }

    /// Parses an issue. `name` is what messages call the text.
    ///
    /// # Errors
    /// `invalid-json`, `invalid-word`; an invalid value.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Self, Refusal> {
        let wrong = |fault: &str| {
            Refusal::new(Code::InvalidJson, format!("{name} is not an issue: {fault}"))
                .hint("an issue is a JSON object with title, context, priority, tags, …")
                .remedy(RemedyCall::new(Other::Schema, ["issue-input"]).flag("example"), "shows one")
        };
        let mut value = strict::parse_text(text).map_err(|fault| wrong(&strict::strict_fault(&fault)))?;
        let given_status = value.get("status").and_then(Value::as_str).map(str::to_owned);
        let birth = BIRTH.iter().map(|name| (*name, value.get(name).cloned().unwrap_or_default()));
        let given_birth = birth.filter(|(_, value)| !value.is_null()).collect();
        let kind = match &mut value {
            Value::Object(map) => {
                map.retain(|name, value| !OWNED.contains(&name.as_str()) && !value.is_null());
                None
            }
            Value::Array(_) => Some("an array"),
            Value::String(_) => Some("a string"),
            Value::Number(_) => Some("a number"),
            Value::Bool(_) => Some("a boolean"),
            Value::Null => Some("null"),
        };
        if let Some(kind) = kind {
            return Err(wrong(&format!("expected an object, found {kind}")));
        }
        if let Some(notes) = value.pointer_mut("/extended_context/notes") {
            *notes = Shape::Any.order(notes.take());
        }
        Lifecycle::check(&value)?;
        let mut input: Self = typed::read(&value).map_err(|error| wrong(&error.to_string()))?;
        input.given_status = given_status;
        input.given_birth = given_birth;
        input.settle_notes(&wrong)?;
        input.settle_github(&wrong)?;
        Ok(input)
    }

    /// Says which given values are not those of the issue, which keeps its own.
    pub(super) fn notices(&self, issue: &Issue, status: IssueStatus) -> Vec<Notice> {
        self.notice_of_status(&issue.id, status).into_iter().chain(self.notice_of_birth(issue)).collect()
    }

    fn notice_of_birth(&self, issue: &Issue) -> Option<Notice> {
        let others = self.given_birth.iter().filter(|(name, given)| match *name {
            "author" => *given != json!(issue.author),
            _ => *given != json!(issue.created_at),
        });
        let names: Vec<String> = others.map(|(name, _)| format!("`{name}`")).collect();
        let were = match names.len() {
            0 => return None,
            1 => "was",
            _ => "were",
        };
        let message = format!("{} {were} ignored: `{}` keeps its own", names.join(" and "), issue.id);
        let keeps = RemedyCall::new(Op::ImportJsonl, ["FILE"]);
        Some(Notice::warning(message).remedy(keeps, "keeps them, for issues of an export"))
    }

    fn notice_of_status(&self, issue: &IssueId, status: IssueStatus) -> Option<Notice> {
        let given = self.given_status.as_deref().filter(|given| *given != status.as_str())?;
        let message = format!("`status` was not set to `{given}`: issue `{issue}` is {status}");
        Some(
            Notice::warning(message)
                .remedy(RemedyCall::new(Op::Edit, [issue]).option("status", "STATUS"), "sets it")
                .remedy(RemedyCall::new(Op::Close, [issue]), "closes the issue"),
        )
    }

    /// Moves the dependencies that a planner put into the notes to `depends_on`. The rest of the notes stays.
    fn settle_notes(&mut self, wrong: &impl Fn(&str) -> Refusal) -> Result<(), Refusal> {
        let notes = self.extended_context.as_mut().map(|context| &mut context.notes);
        let Some(notes) = notes else { return Ok(()) };
        let Some(Value::Object(members)) = notes else { return Ok(()) };
        let Some(named) = members.remove(DEPENDENCIES) else { return Ok(()) };
        if members.is_empty() {
            *notes = None;
        }
        if named.is_null() {
            return Ok(());
        }
        let ids: BTreeSet<IssueId> = serde_json::from_value(named)
            .map_err(|error| wrong(&format!("extended_context.notes.{DEPENDENCIES}: {error}")))?;
        self.depends_on.get_or_insert_default().extend(ids);
        Ok(())
    }

    /// Moves a planner's GitHub fields to the fields of the format.
    fn settle_github(&mut self, wrong: &impl Fn(&str) -> Refusal) -> Result<(), Refusal> {
        if let Some(labels) = self.labels.take() {
            let names = labels.into_iter().map(|label| match label {
                Label::Name(name) | Label::Object { name } => name,
            });
            self.tags.get_or_insert_default().extend(names);
        }
        if self.github_url.is_none() && self.github_number.is_none() {
            return Ok(());
        }
        if let Some(url) = self.github_url.take() {
            if self.source_url.as_ref().is_some_and(|other| *other != url) {
                return Err(wrong("source_url and github_url differ"));
            }
            self.source_url = Some(url);
        }
        let from_url = self.source_url.as_deref().and_then(reply_task::number_of);
        match (self.github_number, from_url) {
            (Some(0), _) => return Err(wrong("github_number is 0, and GitHub counts from 1")),
            (Some(number), Some(from_url)) if number != from_url => {
                return Err(wrong(&format!("github_number is {number}, but the URL says {from_url}")));
            }
            (number, from_url) => self.github_number = number.or(from_url),
        }
        self.source.get_or_insert(Source::Github);
        Ok(())
    }

    /// The id of a new issue: the given one, or one made from its number if the issue is known only by that on
    /// GitHub.
    pub(super) fn id_of_new(&self) -> Option<IssueId> {
        self.id
            .clone()
            .or_else(|| self.github_number.and_then(|number| IssueId::parse(&format!("GH-{number}")).ok()))
    }

    /// Sets the URL of the discussion, if it follows from the issue's number and the repository on GitHub.
    pub(super) fn locate(&mut self, repository: impl FnOnce() -> Option<String>) {
        if let (Some(number), None) = (self.github_number, &self.source_url) {
            self.source_url = repository().map(|name| format!("https://github.com/{name}/issues/{number}"));
        }
    }

    /// Applies the given fields to an issue.
    pub(super) fn apply(self, issue: &mut Issue) -> Result<(), Refusal> {
        macro_rules! set {
            ($($field:ident),+) => { $(if let Some(value) = self.$field { issue.$field = value.into(); })+ };
        }
        if let Some(text) = self.title {
            issue.title = limits::title(&text)?;
        }
        if let Some(text) = self.context {
            issue.context = some(limits::text(&text)?);
        }
        if let Some(url) = &self.source_url {
            limits::web_address(url)?;
        }
        for relation in self.relations.iter().flatten() {
            limits::whole_relation(relation)?;
        }
        for label in self.tags.iter().chain(&self.affected_components).flatten() {
            limits::label(label)?;
        }
        set!(
            source,
            priority,
            issue_type,
            source_url,
            tags,
            assignee,
            depends_on,
            relations,
            extended_context,
            affected_components,
            expected_behavior,
            actual_behavior,
            lifecycle_requirements
        );
        Ok(())
    }
}

/// `None` for an empty text.
pub(super) fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
