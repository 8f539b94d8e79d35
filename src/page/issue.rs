//! An issue with everything in its directory.

use super::execution::{attempt, feedback_heading};
use super::looks::issue_style;
use super::remedy::with_remedies;
use super::review::{bound, reviews, standing};
use super::{
    Block, Entry, EntryForm, Field, Line, List, Page, PerPage, Section, Span, Target, Text, id, line, named,
    person, priority, record, state, styled,
};
use crate::model::{ExecutionStatus, Explored, Feedback, ISSUE_FIELDS, Issue, ValueKind};
use crate::ops::issues::{CommentView, Contents, IssueView, Override, Related};
use crate::ops::plans::SolutionView;
use crate::rules::readiness;
use crate::ui::{clean_line, count, style};

/// Comments, and entries of feedback, on a page in a browser.
const TEXTS: usize = 50;
/// Related issues, executions and overridden gates on a page in a browser.
const ROWS: usize = 100;
/// Plans and explorations on a page in a browser.
const PLANS: usize = 20;

/// The page of an issue.
pub(crate) fn page(view: &IssueView) -> Page {
    let issue = &view.issue;
    let mut blocks = texts(view);
    if let Some(contents) = &view.contents {
        blocks.extend([
            related("parts", &contents.children),
            related("needed by", &contents.dependents),
            explorations(&contents.explorations),
            plans(&contents.solutions),
            executions(contents),
            overrides(&contents.overrides),
            feedback(&contents.feedback),
            comments(issue, contents),
        ]);
        blocks.extend(hint(view, contents));
    }
    Page { title: line![id(&issue.id), Span::Gap, record(&issue.title)], facts: facts(view), blocks }
}

fn facts(view: &IssueView) -> Vec<Field> {
    let (issue, derived) = (&view.issue, &view.derived);
    let tags = issue.tags.iter().map(|tag| named(Target::Tag(tag.clone()), tag));
    let first = [
        Some(Field::new("status", state(issue_style(derived.status), derived.status_words()))),
        Some(Field::new("priority", priority(issue.priority))),
        Some(Field::new("author", line![person(&issue.author), ", ", issue.created_at])),
    ];
    let values = ISSUE_FIELDS.iter().filter(|field| field.name != "priority");
    let values = values.map(|field| {
        let text = field.value(issue);
        let line = match field.values {
            ValueKind::Person => text.as_ref().map(person),
            ValueKind::Word | ValueKind::Choice { .. } => text.as_ref().map(record),
        };
        Field::given(field.word, line)
    });
    let others = [
        listed("tags", tags),
        listed("components", issue.affected_components.iter().map(record)),
        listed("depends on", issue.depends_on.iter().map(id)),
        listed("relations", issue.relations.iter().map(relation)),
        Field::given("wave", derived.wave.map(|wave| wave.to_string())),
        Field::given("closed", closed(view)),
        Field::given("changed", derived.updated_at),
        bound_plan(view),
        Field::given("url", issue.source_url.as_ref().map(|url| named(Target::Web(url.clone()), url))),
    ];
    first.into_iter().chain(values).chain(others).flatten().collect()
}

fn listed<T: Into<Line>>(name: &'static str, values: impl IntoIterator<Item = T>) -> Option<Field> {
    let line = Line::listed(values);
    (!line.0.is_empty()).then(|| Field::new(name, line))
}

/// `duplicates:ISS-002`, in which the id may have a page.
#[expect(clippy::needless_pass_by_value, reason = "the closed relations come by reference, others by value")]
fn relation(relation: impl ToString) -> Line {
    let relation = relation.to_string();
    match relation.split_once(':') {
        Some((kind, to)) => line![format!("{kind}:"), id(to)],
        None => record(relation).into(),
    }
}

/// When and why it was closed or cancelled.
fn closed(view: &IssueView) -> Option<Line> {
    let at = view.derived.closed_at.map(Line::from);
    let parts: Vec<Line> =
        at.into_iter().chain(view.issue.close_reason.as_ref().map(|why| record(why).into())).collect();
    (!parts.is_empty()).then(|| Line::listed(parts))
}

/// The bound plan. If it was withdrawn, which only a merge can bring about, says what to do.
fn bound_plan(view: &IssueView) -> Option<Field> {
    let plan = view.issue.bound_solution_id.as_ref()?;
    let mut plans = view.contents.iter().flat_map(|contents| &contents.solutions);
    let withdrawn = plans
        .find(|candidate| candidate.id == *plan)
        .and_then(|candidate| candidate.withdrawn.as_ref())
        .map(|why| {
            let said = format!("it was withdrawn: {why}");
            styled(style::WARN, with_remedies(&said, &readiness::withdrawn(&view.issue.id, plan).into_vec()))
        });
    Field::all("plan", [Some(id(plan)), withdrawn].into_iter().flatten())
}

/// The texts of an issue, its description first.
fn texts(view: &IssueView) -> Vec<Block> {
    let issue = &view.issue;
    let description = issue.context.as_ref().map(|text| {
        Block::Text(Text { whole: Some(Target::Text(issue.id.clone(), None)), ..Text::markdown(text) })
    });
    let written = [
        ("expected", issue.expected_behavior.clone()),
        ("actual", issue.actual_behavior.clone()),
        ("location", issue.extended_context.location.clone()),
        ("suggested fix", issue.extended_context.suggested_fix.clone()),
        ("design", issue.extended_context.design.clone()),
        ("notes", issue.extended_context.notes.as_ref().map(json_text)),
    ];
    let written = written.into_iter().filter_map(|(name, text)| Some((name, Text::markdown(text?))));
    let from_the_source =
        [("other fields of the source", kept(view)), ("imported", issue.imported.as_ref().map(json_text))];
    let from_the_source =
        from_the_source.into_iter().filter_map(|(name, text)| Some((name, Text::plain(text?))));
    let sections = written.chain(from_the_source).map(|(name, text)| Section::new(name, [Block::Text(text)]));
    description.into_iter().chain(sections).collect()
}

/// What the source's record says and no field here can hold, one line each.
fn kept(view: &IssueView) -> Option<String> {
    let lines = view.kept.iter().map(|(name, value)| format!("{name}: {}", clean_line(&json_text(value))));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn json_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| format!("{value:#}"), str::to_owned)
}

fn related(heading: &'static str, issues: &[Related]) -> Block {
    let entry = |it: &Related| {
        line![id(&it.id), Span::Gap, state(issue_style(it.status), it.status), Span::Gap, record(&it.title)]
    };
    Section::list(heading, List { per_page: PerPage::First(ROWS), ..List::new(issues.iter().map(entry)) })
}

fn explorations(all: &[Explored]) -> Block {
    let entries = all.iter().map(|explored| {
        let head = line![
            format!("{} by ", explored.depth),
            person(&explored.author),
            ", ",
            explored.created_at,
            format!(": {} complexity", explored.found.complexity_assessment)
        ];
        let findings = explored.found.key_findings.iter().map(|finding| Line::from(record(finding)));
        let files = explored
            .found
            .relevant_files
            .iter()
            .map(|file| named(Target::File(file.path.to_string()), &file.path));
        let files = Line::listed(files);
        let files = (!files.0.is_empty()).then_some(files);
        Entry::new(head).with([Block::List(List::new(findings.chain(files)))])
    });
    let per_page = PerPage::Latest(PLANS);
    Section::list("explorations", List { form: EntryForm::Boxed, per_page, ..List::new(entries) })
}

fn plans(plans: &[SolutionView]) -> Block {
    let entries = plans.iter().map(|plan| {
        let bound = bound(plan);
        let bound = if bound.0.is_empty() { bound } else { line![" (", bound, ")"] };
        let description = plan.typed.description.as_deref().map(record);
        let size = count(plan.task_count, "task");
        let head = line![id(&plan.id), bound, Span::Gap, size, standing(plan), Span::Gap, description];
        Entry::new(head).with([Block::List(reviews(&plan.reviews, &plan.plan_digest))]).key(&plan.id)
    });
    let per_page = PerPage::Latest(PLANS);
    Section::list("plans", List { form: EntryForm::Boxed, per_page, ..List::new(entries) })
}

fn executions(contents: &Contents) -> Block {
    let completed =
        contents.executions.iter().filter(|execution| execution.status == ExecutionStatus::Completed).count();
    let entries = contents.executions.iter().map(|execution| attempt(execution, completed > 1));
    Section::list("executions", List { per_page: PerPage::Latest(ROWS), ..List::new(entries) })
}

fn overrides(all: &[Override]) -> Block {
    let entries = all.iter().map(|forced| {
        line![
            format!("{} by ", forced.operation),
            person(&forced.person),
            ", ",
            forced.at,
            ": ",
            record(&forced.reason)
        ]
    });
    Section::list("overridden gates", List { per_page: PerPage::Latest(ROWS), ..List::new(entries) })
}

fn feedback(all: &[Feedback]) -> Block {
    let entries = all.iter().map(|entry| {
        let head = line![
            feedback_heading(entry.kind, entry.stage),
            " by ",
            person(&entry.author),
            ", ",
            entry.created_at
        ];
        Entry::new(head).with([Block::Text(Text::markdown(&entry.content))])
    });
    let per_page = PerPage::Latest(TEXTS);
    Section::list("feedback", List { form: EntryForm::Boxed, per_page, ..List::new(entries) })
}

fn comments(issue: &Issue, contents: &Contents) -> Block {
    let entries = contents.comments.iter().map(|shown| comment(issue, contents, shown));
    let per_page = PerPage::Latest(TEXTS);
    Section::list("comments", List { form: EntryForm::Boxed, per_page, ..List::new(entries) })
}

fn comment(issue: &Issue, contents: &Contents, it: &CommentView) -> Entry {
    let comment = &it.comment;
    let edited: Line = match it.replaces.first() {
        _ if it.is_withdrawn => line![", ", state(style::DIM, "withdrawn")],
        Some(first) if first.author != comment.author => {
            line![", replacing a comment by ", person(&first.author)]
        }
        Some(_) => ", edited".into(),
        None => Line::default(),
    };
    let hidden = it.hidden.as_ref().map(|why| line![", hidden by moderators: ", record(why)]);
    let name = styled(style::DIM, format!(" (comment {})", contents.name_of(it).short()));
    let head = line![person(&comment.author), ", ", comment.created_at, edited, hidden, name];
    let whole = Some(Target::Text(issue.id.clone(), Some(comment.id.clone())));
    let text = Block::Text(Text { whole, ..Text::markdown(&comment.body) });
    Entry::new(head).with((!it.is_withdrawn).then_some(text)).key(format!("c-{}", comment.id))
}

/// Names what is not shown, and the commands that show it.
fn hint(view: &IssueView, contents: &Contents) -> Option<Block> {
    let bound = view.issue.bound_solution_id.as_ref();
    let plan = bound.or_else(|| contents.solutions.last().map(|plan| &plan.id));
    let plan = plan.map(|id| format!("`git wf show {id}` shows the tasks of the plan"));
    let last = contents
        .executions
        .last()
        .filter(|execution| !execution.checks.is_empty() || !execution.sessions.is_empty());
    let last = last.map(|execution| {
        format!("`git wf show {}` shows its last execution", execution.execution.id.short())
    });
    let all: Vec<String> = plan.into_iter().chain(last).collect();
    (!all.is_empty()).then(|| Block::Hint(all.join("; ")))
}
