//! The flags that set fields of an issue, shared by `new` and `edit`.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::cli::input::text::{checked, title};
use crate::cli::{Failure, named, read_text, strict_fault};
use crate::model::id::IssueId;
use crate::model::issue::{
    AcceptanceType, CommitStrategy, ExtendedContext, Issue, LifecycleRequirements, RELATIONS,
    RegressionScope, Source, TestStrategy,
};
use crate::model::priority::Priority;
use crate::model::{strict, typed};
use crate::rules::reply_task;
use crate::store::Read;
use crate::store::resolve::{self, ResolveError};

/// Flags for fields.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct FieldArgs {
    /// 1 to 5, or critical, high, medium, low, trivial
    #[arg(short, long, value_name = "PRIORITY", value_parser = parse_priority)]
    pub(crate) priority: Option<Priority>,
    /// A tag; repeat, or separate several with commas. `-NAME` removes one
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed, allow_hyphen_values = true)]
    pub(crate) tags: Vec<String>,
    /// An issue that must be completed first; repeat, or separate several with commas. `-ID` removes one
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed, allow_hyphen_values = true)]
    pub(crate) depends_on: Vec<String>,
    /// An affected component; repeat, or separate several with commas. `-NAME` removes one
    #[arg(long = "component", value_name = "NAME", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed, allow_hyphen_values = true)]
    pub(crate) components: Vec<String>,
    /// A relation `TYPE:ID`: parent-child, discovered-from, relates-to, duplicates. `-TYPE:ID` removes one
    #[arg(long = "relation", value_name = "TYPE:ID", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed, allow_hyphen_values = true)]
    pub(crate) relations: Vec<String>,
    /// Assignee; an empty string clears it
    #[arg(long, value_name = "WHO")]
    pub(crate) assignee: Option<String>,
    /// The type: bug, feature, task, or whatever the team uses
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) issue_type: Option<String>,
    /// URL of the discussion (http or https)
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub(crate) source_url: Option<String>,
    /// Read fields from a JSON file (`-` for stdin); flags override it
    #[arg(long, value_name = "FILE")]
    pub(crate) from_json: Option<String>,
}

fn parse_priority(text: &str) -> Result<Priority, String> {
    Priority::parse(text).ok_or_else(|| "allowed are 1 to 5, or critical, high, medium, low, trivial".into())
}

fn parse_url(text: &str) -> Result<String, String> {
    let sound =
        (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(char::is_whitespace);
    sound.then(|| text.to_owned()).ok_or_else(|| "an address begins with http:// or https://".into())
}

/// An issue as `--from-json` takes it: the names of the format. What the store makes is ignored.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = with_ignored)]
pub(crate) struct IssueInput {
    /// The id to give it; one is made where it is left out.
    pub(crate) id: Option<IssueId>,
    /// One line.
    pub(crate) title: Option<String>,
    #[serde(alias = "description")]
    /// The description, in Markdown; `description` is another name for it.
    pub(crate) context: Option<String>,
    /// Where it came from.
    pub(crate) source: Option<Source>,
    /// 1 critical … 5 trivial, or the name.
    pub(crate) priority: Option<Priority>,
    /// The type: bug, feature, task, or whatever the team uses.
    pub(crate) issue_type: Option<String>,
    #[schemars(regex(pattern = r"^https?://\S*$"))]
    /// URL of the discussion (http or https).
    pub(crate) source_url: Option<String>,
    /// Labels.
    pub(crate) tags: Option<BTreeSet<String>>,
    /// Who shall see to it.
    pub(crate) assignee: Option<String>,
    /// Issues that must be done first; those in `extended_context.notes.depends_on_issues` are added to them.
    pub(crate) depends_on: Option<BTreeSet<IssueId>>,
    #[schemars(inner(regex(pattern = "^(parent-child|discovered-from|relates-to|duplicates):.+$")))]
    /// `type:id` with parent-child, discovered-from, relates-to or duplicates.
    pub(crate) relations: Option<BTreeSet<String>>,
    /// Loose context.
    pub(crate) extended_context: Option<ExtendedContext>,
    /// Parts of the system it concerns.
    pub(crate) affected_components: Option<BTreeSet<String>>,
    /// What should happen.
    pub(crate) expected_behavior: Option<String>,
    /// What happens.
    pub(crate) actual_behavior: Option<String>,
    /// How it wants to be worked on.
    pub(crate) lifecycle_requirements: Option<Lifecycle>,
    /// Another name for tags, whose elements may be GitHub's objects.
    pub(crate) labels: Option<Vec<Label>>,
    #[schemars(regex(pattern = r"^https?://\S*$"))]
    /// The issue on GitHub; another name for source_url.
    pub(crate) github_url: Option<String>,
    #[schemars(range(min = 1))]
    /// Its number there; without an id, a new issue is called GH- and this number.
    pub(crate) github_number: Option<u64>,
}

/// What [`LifecycleRequirements`] may say: these words and no others.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lifecycle {
    test_strategy: Option<TestStrategy>,
    regression_scope: Option<RegressionScope>,
    acceptance_type: Option<AcceptanceType>,
    commit_strategy: Option<CommitStrategy>,
}

impl Lifecycle {
    /// The words that each field allows.
    fn words() -> [(&'static str, String); 4] {
        [
            ("test_strategy", TestStrategy::words()),
            ("regression_scope", RegressionScope::words()),
            ("acceptance_type", AcceptanceType::words()),
            ("commit_strategy", CommitStrategy::words()),
        ]
    }

    /// Refuses other words by the name of their field.
    fn check(value: &serde_json::Value) -> Result<(), Failure> {
        let Some(given) = value.get("lifecycle_requirements").and_then(|it| it.as_object()) else {
            return Ok(());
        };
        for (name, words) in Self::words() {
            match given.get(name) {
                None | Some(serde_json::Value::Null) => {}
                Some(serde_json::Value::String(word)) if words.split(", ").any(|known| known == word) => {}
                Some(other) => {
                    return Err(Failure::new(
                        "invalid-word",
                        format!(
                            "lifecycle_requirements.{name} cannot be `{}`",
                            other.as_str().unwrap_or(&other.to_string())
                        ),
                    )
                    .hint(format!("allowed are {words}")));
                }
            }
        }
        Ok(())
    }
}

impl From<Lifecycle> for LifecycleRequirements {
    fn from(it: Lifecycle) -> Self {
        Self {
            test_strategy: it.test_strategy.map(|word| word.to_string()),
            regression_scope: it.regression_scope.map(|word| word.to_string()),
            acceptance_type: it.acceptance_type.map(|word| word.to_string()),
            commit_strategy: it.commit_strategy.map(|word| word.to_string()),
        }
    }
}

/// A label by its name, or as GitHub shows it.
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

/// The member of the notes by which a planner names what an issue depends on.
const DEPENDENCIES: &str = "depends_on_issues";

/// Fields that the store makes or derives: a record that `show --json` printed can be read again.
const OWNED: &[&str] = &[
    "author",
    "created_at",
    "status",
    "close_reason",
    "bound_solution_id",
    "imported",
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
    "solutions",
    "executions",
    "clock",
];

/// The schema admits what is read and ignored.
fn with_ignored(schema: &mut schemars::Schema) {
    let ignored = serde_json::json!({ "description": "made by the store; ignored here" });
    if let Some(properties) = schema.pointer_mut("/properties").and_then(serde_json::Value::as_object_mut) {
        if let Some(context) = properties.get("context").cloned() {
            properties.insert("description".into(), context);
        }
        properties.extend(OWNED.iter().map(|name| ((*name).to_owned(), ignored.clone())));
    }
}

impl IssueInput {
    /// Reads it from a file, or from stdin for `-`.
    pub(crate) fn read(path: &str) -> Result<Self, Failure> {
        let text = read_text(path)?;
        let wrong = |fault: &str| {
            Failure::new("invalid-json", format!("{} is not an issue: {fault}", named(path)))
                .hint("an issue is a JSON object with title, context, priority, tags, …")
        };
        let mut value = strict::parse_text(&text).map_err(|fault| wrong(&strict_fault(&fault)))?;
        let kind = match &mut value {
            serde_json::Value::Object(map) => {
                map.retain(|name, value| !OWNED.contains(&name.as_str()) && !value.is_null());
                None
            }
            serde_json::Value::Array(_) => Some("an array"),
            serde_json::Value::String(_) => Some("a text"),
            serde_json::Value::Number(_) => Some("a number"),
            serde_json::Value::Bool(_) => Some("a truth value"),
            serde_json::Value::Null => Some("null"),
        };
        if let Some(kind) = kind {
            return Err(wrong(&format!("expected an object, found {kind}")));
        }
        if let Some(notes) = value.pointer_mut("/extended_context/notes") {
            *notes = crate::model::schema::Shape::Any.order(notes.take());
        }
        Lifecycle::check(&value)?;
        let mut input: Self = typed::read(&value).map_err(|error| wrong(&error.to_string()))?;
        for (name, url) in [("source_url", &input.source_url), ("github_url", &input.github_url)] {
            if let Some(url) = url {
                parse_url(url).map_err(|why| {
                    Failure::new("invalid-url", format!("{name} `{url}` is not a web address")).hint(why)
                })?;
            }
        }
        input.settle_notes(&wrong)?;
        input.settle_github(&wrong)?;
        Ok(input)
    }

    /// Takes the dependencies that a planner puts into the notes for what they are. The rest of the notes stays.
    fn settle_notes(&mut self, wrong: &impl Fn(&str) -> Failure) -> Result<(), Failure> {
        let notes = self.extended_context.as_mut().map(|context| &mut context.notes);
        let Some(notes) = notes else { return Ok(()) };
        let Some(serde_json::Value::Object(members)) = notes else { return Ok(()) };
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

    /// Puts what a planner says of an issue on GitHub under the names of the format.
    fn settle_github(&mut self, wrong: &impl Fn(&str) -> Failure) -> Result<(), Failure> {
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
        let told = self.source_url.as_deref().and_then(reply_task::number_of);
        match (self.github_number, told) {
            (Some(0), _) => return Err(wrong("github_number is 0, and GitHub counts from 1")),
            (Some(number), Some(told)) if number != told => {
                return Err(wrong(&format!("github_number is {number}, and the address says {told}")));
            }
            (number, told) => self.github_number = number.or(told),
        }
        self.source.get_or_insert(Source::Github);
        Ok(())
    }

    /// The id of an issue that is known by its number on GitHub alone.
    pub(crate) fn github_id(&self) -> Option<IssueId> {
        self.github_number.and_then(|number| IssueId::parse(&format!("GH-{number}")).ok())
    }

    /// Where it is discussed, as far as its number and the repository on GitHub tell.
    pub(crate) fn locate(&mut self, repository: impl FnOnce() -> Option<String>) {
        if let (Some(number), None) = (self.github_number, &self.source_url) {
            self.source_url = repository().map(|name| format!("https://github.com/{name}/issues/{number}"));
        }
    }

    fn apply(self, issue: &mut Issue) -> Result<(), Failure> {
        macro_rules! set {
            ($($field:ident),+) => { $(if let Some(value) = self.$field { issue.$field = value.into(); })+ };
        }
        if let Some(text) = self.title {
            issue.title = title(&text)?;
        }
        if let Some(text) = self.context {
            issue.context = some(checked(&text)?);
        }
        for relation in self.relations.iter().flatten() {
            check_relation(relation)?;
        }
        for tag in self.tags.iter().flatten() {
            check_label(tag)?;
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

/// What was asked for, with short ids resolved.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    input: IssueInput,
    args: FieldArgs,
    depends_on: Vec<(bool, IssueId)>,
    relations: Vec<(bool, String)>,
}

impl FieldArgs {
    /// Whether no flag was given.
    pub(crate) fn is_empty(&self) -> bool {
        let lists = [&self.tags, &self.depends_on, &self.components, &self.relations];
        let texts = [&self.assignee, &self.issue_type, &self.source_url, &self.from_json];
        self.priority.is_none()
            && lists.iter().all(|list| list.is_empty())
            && texts.iter().all(|text| text.is_none())
    }

    /// Reads `--from-json` once; ids are resolved on each state.
    pub(crate) fn input(&self) -> Result<Option<IssueInput>, Failure> {
        self.from_json.as_deref().map(IssueInput::read).transpose()
    }

    /// Resolves the ids that the flags name.
    pub(crate) fn changes(&self, read: &impl Read) -> Result<Changes, Failure> {
        let mut changes = Changes { args: self.clone(), ..Changes::default() };
        for text in &self.depends_on {
            let (add, name) = sign(text);
            // What is taken away need not exist any more.
            let id = match resolve::issue(read, name) {
                Err(ResolveError::NotFound { .. }) if !add => IssueId::parse(name)?,
                other => other?,
            };
            changes.depends_on.push((add, id));
        }
        for text in &self.relations {
            let (add, relation) = sign(text);
            changes.relations.push((add, resolve_relation(read, relation)?));
        }
        Ok(changes)
    }
}

impl Changes {
    /// Puts `--from-json` below the flags.
    pub(crate) fn over(mut self, input: Option<IssueInput>) -> Self {
        self.input = input.unwrap_or_default();
        self
    }

    /// Applies everything to an issue.
    pub(crate) fn apply(self, issue: &mut Issue) -> Result<(), Failure> {
        self.input.apply(issue)?;
        if let Some(priority) = self.args.priority {
            issue.priority = priority;
        }
        for (set, texts) in
            [(&mut issue.tags, &self.args.tags), (&mut issue.affected_components, &self.args.components)]
        {
            for text in texts {
                let (add, name) = sign(text);
                check_label(name)?;
                change(set, add, name.to_owned());
            }
        }
        for (add, id) in self.depends_on {
            change(&mut issue.depends_on, add, id);
        }
        for (add, relation) in self.relations {
            change(&mut issue.relations, add, relation);
        }
        if let Some(assignee) = self.args.assignee {
            issue.assignee = some(assignee.trim().to_owned());
        }
        if let Some(kind) = self.args.issue_type {
            issue.issue_type = some(kind.trim().to_owned());
        }
        if let Some(url) = self.args.source_url {
            issue.source_url = Some(url);
        }
        if issue.depends_on.contains(&issue.id) {
            return Err(Failure::new(
                "self-dependency",
                format!("issue `{}` cannot depend on itself", issue.id),
            )
            .hint("name another issue"));
        }
        Ok(())
    }
}

/// `-name` takes away, `name` adds.
fn sign(text: &str) -> (bool, &str) {
    text.strip_prefix('-').map_or((true, text), |name| (false, name))
}

fn change<T: Ord>(set: &mut BTreeSet<T>, add: bool, value: T) {
    if add {
        set.insert(value);
    } else {
        set.remove(&value);
    }
}

/// An empty text is none.
pub(crate) fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn check_label(text: &str) -> Result<(), Failure> {
    let sound = !text.trim().is_empty()
        && text.trim() == text
        && text.len() <= 200
        && !text.chars().any(char::is_control);
    if sound {
        return Ok(());
    }
    Err(Failure::new("invalid-label", format!("`{text}` cannot be a label"))
        .hint("a label is one line of at most 200 bytes, without blanks at its ends"))
}

fn check_relation(text: &str) -> Result<(), Failure> {
    let (_, id) = parts_of_relation(text)?;
    IssueId::parse(id)?;
    Ok(())
}

fn parts_of_relation(text: &str) -> Result<(&str, &str), Failure> {
    text.split_once(':').filter(|(kind, _)| RELATIONS.contains(kind)).ok_or_else(|| {
        Failure::new("invalid-relation", format!("`{text}` is not a relation"))
            .hint(format!("a relation is TYPE:ID with one of {}", RELATIONS.join(", ")))
    })
}

/// The relation with the whole id. It may be of an issue that is not here, if that is named in full.
fn resolve_relation(read: &impl Read, text: &str) -> Result<String, Failure> {
    let (kind, name) = parts_of_relation(text)?;
    match (resolve::issue(read, name), IssueId::parse(name)) {
        (Err(ResolveError::NotFound { .. }), Ok(id)) => Ok(format!("{kind}:{id}")),
        (found, _) => Ok(format!("{kind}:{}", found?)),
    }
}
