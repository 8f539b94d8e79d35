//! A plan, its reviews and its tasks: complete, so that nobody needs the JSON to review or execute it.

use super::review::{bound, reviews, standing};
use super::{
    Block, Diagram, Drawing, Field, Line, Page, Section, Span, Target, Text, Value, id, line, named, person,
    priority, record, state, styled,
};
use crate::model::plan::{PlannedCommit, TaskTest, TouchedPlace};
use crate::model::{Plan, Task, TaskId};
use crate::ops::plans::SolutionView;
use crate::ui::{Arrow, Boxed, Style, count, style};

/// The page of a plan.
pub(crate) fn page(view: &SolutionView) -> Page {
    let plan = &view.typed;
    let approach =
        plan.approach.as_ref().map(|text| Section::new("approach", [Block::Text(Text::markdown(text))]));
    let reviews = reviews(&view.reviews, &view.plan_digest);
    let blocks = approach
        .into_iter()
        .chain(exploration(plan))
        .chain([Section::list("reviews", reviews)])
        .chain(tasks(plan));
    let description = plan.description.as_deref().unwrap_or_default();
    Page {
        title: line![id(&view.id), Span::Gap, record(description)],
        facts: facts(view),
        blocks: blocks.collect(),
    }
}

fn facts(view: &SolutionView) -> Vec<Field> {
    let is_bound = bound(view);
    let is_bound = if is_bound.0.is_empty() { "not bound".into() } else { is_bound };
    let quality = styled(quality_style(view), format!("{:.2}", view.quality));
    let score = view.typed.score.map(|score| format!("; the planner's own score is {score}"));
    let size = format!(
        "{} on {}: {} complexity (by size)",
        count(view.task_count, "task"),
        count(view.files_touched.len(), "file"),
        view.computed_complexity
    );
    let levels = view.typed.analysis.as_ref().map(|analysis| {
        let levels =
            [("risk", &analysis.risk), ("impact", &analysis.impact), ("complexity", &analysis.complexity)];
        Line::listed(levels.map(|(name, level)| {
            line![format!("{name} "), state(style::PLAIN, level.as_deref().unwrap_or("not given"))]
        }))
    });
    let fields = [
        Some(Field::new("status", line![is_bound, standing(view)])),
        Some(Field::new("issue", id(&view.issue_id))),
        Field::given("withdrawn", view.withdrawn.as_ref().map(|why| styled(style::WARN, why))),
        Some(Field::new("author", line![person(&view.author), ", ", view.created_at])),
        Some(Field::new("version", styled(style::DIM, &view.plan_digest))),
        Some(Field::new("size", size)),
        Some(Field::new(
            "quality",
            line![quality, (!view.suffices).then_some(" (too low to bind it)"), score],
        )),
        Field::given("analysis", levels),
    ];
    fields.into_iter().flatten().collect()
}

/// The style of a plan's quality: good if it is enough to bind the plan.
pub(crate) fn quality_style(plan: &SolutionView) -> Style {
    if plan.suffices { style::GOOD } else { style::BAD }
}

/// The description and approach of a plan, with what its planner found, but without its tasks.
pub(crate) fn purpose(plan: &Plan) -> impl Iterator<Item = Block> {
    let texts = [&plan.description, &plan.approach].into_iter().flatten();
    let texts: Vec<Block> = texts.map(|text| Block::Text(Text::plain(text))).collect();
    texts.into_iter().chain(exploration(plan))
}

/// What the planner found in the code.
fn exploration(plan: &Plan) -> Vec<Block> {
    let found = plan.exploration_context.as_ref().and_then(|found| found.as_object());
    let sections = found.into_iter().flatten().map(|(name, value)| {
        let text = match value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Array(items) if items.iter().all(serde_json::Value::is_string) => {
                items.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join("\n")
            }
            other => format!("{other:#}"),
        };
        Section::new(record(name.replace('_', " ")), [Block::Text(Text::plain(text))])
    });
    sections.collect()
}

/// The tasks of a plan in full, with the picture of their order.
pub(crate) fn tasks(plan: &Plan) -> impl Iterator<Item = Block> {
    order(plan).into_iter().chain(plan.tasks.iter().map(task))
}

/// The name of a task on the page of its plan, whatever its id is.
pub(crate) fn key(task: &str) -> String {
    format!("task-{task}")
}

fn order(plan: &Plan) -> Option<Block> {
    let place = |id: &TaskId| plan.tasks.iter().position(|task| task.id == *id);
    let mut arrows = Vec::new();
    for (to, task) in plan.tasks.iter().enumerate() {
        let before = task.depends_on.iter().filter_map(place).filter(|from| *from != to);
        arrows.extend(before.map(|from| Arrow { from, to, class: "depends_on" }));
    }
    if arrows.is_empty() {
        return None;
    }
    let boxes = plan.tasks.iter().map(|task| Boxed {
        name: task.id.to_string(),
        title: task.title.clone(),
        class: "task",
        href: Some(format!("#{}", key(&task.id))),
    });
    let alternative = arrows
        .iter()
        .map(|arrow| line![here(&plan.tasks[arrow.to].id), " comes after ", here(&plan.tasks[arrow.from].id)])
        .collect();
    let drawing = Drawing::Graph(boxes.collect(), arrows);
    Some(Block::Diagram(Diagram { name: "order of the tasks".into(), drawing, alternative }))
}

fn here(task: &TaskId) -> Span {
    named(Target::Here(key(task)), task)
}

fn task(task: &Task) -> Block {
    let after = Line::listed(task.depends_on.iter().map(here));
    let after = if after.0.is_empty() { after } else { line![" (after ", after, ")"] };
    let heading =
        line![styled(style::ID, &task.id), format!(" {}: ", task.action), record(&task.title), after];
    let description = task.description.as_ref().map(|text| Block::Text(Text::plain(text)));
    let blocks = description.into_iter().chain([Block::Fields(fields(task))]).collect();
    Block::Section(Section { key: key(&task.id).into(), heading, count: None, blocks })
}

/// The facts of a task, in the order in which they are needed.
fn fields(task: &Task) -> Vec<Field> {
    let coverage = task.test.as_ref().and_then(|test| test.coverage_target);
    let definition = task.convergence.as_ref().and_then(|convergence| convergence.definition_of_done.clone());
    let commit = task.commit.as_ref().and_then(PlannedCommit::subject);
    let changes = task.test.iter().flat_map(|test| &test.changes);
    let fields = [
        Field::given("priority", task.priority().map(priority)),
        Field::all("estimate", task.estimates().map(|estimate| estimate.to_string())),
        Field::all("scope", task.scope.iter().map(record)),
        Field::all("files", task.places().map(place)),
        Field::all("steps", texts(&task.implementation)),
        Field::all(
            "tests",
            tests(task, |test| &test.commands).map(|command| Value::Command(command.clone())),
        ),
        Field::all("unit tests", texts(tests(task, |test| &test.unit))),
        Field::all("integration", texts(tests(task, |test| &test.integration))),
        Field::given("coverage", coverage.map(|target| format!("{target} %"))),
        Field::all(
            "changes tests",
            changes.map(|change| line![file(&change.path), ": ", record(&change.reason)]),
        ),
        Field::all("by hand", texts(tests(task, |test| &test.manual_checks))),
        Field::all("metrics", texts(tests(task, |test| &test.success_metrics))),
        Field::all("regression", texts(task.regression.iter().flatten())),
        // `git wf accept` takes these numbers.
        Field::all(
            "done when",
            task.criteria().iter().enumerate().map(|(n, text)| Value::Text(format!("{}. {text}", n + 1))),
        ),
        Field::all("verified by", texts(task.verification())),
        Field::all("done means", texts(definition)),
        Field::all("commit", commit.map(record)),
    ];
    fields.into_iter().flatten().collect()
}

fn tests(task: &Task, of: fn(&TaskTest) -> &Vec<String>) -> impl Iterator<Item = &String> {
    task.test.iter().flat_map(of)
}

fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> impl Iterator<Item = Value> {
    texts.into_iter().map(|text| Value::Text(text.as_ref().to_owned()))
}

fn file(path: impl ToString) -> Span {
    named(Target::File(path.to_string()), path)
}

/// `src/a.rs, fn main (modify): Call it`, and further changes below.
fn place(place: TouchedPlace<'_>) -> Value {
    let risk = place.conflict_risk.map(|risk| format!("{risk} conflict risk"));
    let facts: Vec<String> = place.action.map(str::to_owned).into_iter().chain(risk).collect();
    let facts = (!facts.is_empty()).then(|| format!(" ({})", facts.join(", ")));
    let is_given = |text: &&str| !text.trim().is_empty();
    let target = place.target.filter(is_given).map(|target| line![", ", record(target)]);
    let change = place.change.filter(is_given).map(|change| line![": ", record(change)]);
    let more = place.changes.iter().map(|change| line!["; ", record(change)]);
    let mut all = line![file(place.path), target, facts, change];
    more.for_each(|change| all.push(change));
    Value::Line(all)
}
