//! A roadmap with its waves, when its issues are done, its risks, and what was said about it.

use serde_json::Value as Json;

use super::looks::issue_style;
use super::{
    Block, Column, Entry, EntryForm, Field, Line, List, Page, PerPage, Section, Span, Table, Text, id, line,
    person, priority, record, state,
};
use crate::model::{IssueStatus, RoadmapMode};
use crate::ops::plans::roadmap::{RoadmapIssue, RoadmapView, WaveView};
use crate::rules::{Round, RoundStatus, Status};
use crate::ui::{Style, count, style};

/// How many characters a progress bar has.
const BAR: usize = 10;
/// How deep nested JSON is shown as lists; what is deeper is shown as JSON.
const DEEPEST: usize = 4;
/// Issues of a wave, and risks, on a page in a browser.
const ROWS: PerPage = PerPage::First(200);
/// Rounds of feedback on a page in a browser.
const ROUNDS: PerPage = PerPage::Latest(20);

/// `██████░░░░ 3/5`
pub(crate) fn bar(done: usize, total: usize) -> String {
    let full = (done * BAR).checked_div(total).unwrap_or(0);
    format!("{}{} {done}/{total}", "█".repeat(full), "░".repeat(BAR - full))
}

/// The style of a roadmap's status.
pub(crate) fn roadmap_style(status: Status) -> Style {
    match status {
        Status::Ready => style::GOOD,
        Status::Refining => style::WARN,
        Status::Planning => style::PLAIN,
    }
}

/// The page of a roadmap.
pub(crate) fn page(it: &RoadmapView) -> Page {
    let requirement = it.requirement.as_ref();
    let requirement =
        requirement.map(|text| Section::new("requirement", [Block::Text(Text::markdown(text.trim()))]));
    let gone = it.gone.iter().map(|issue| {
        let status = state(issue_style(issue.status), issue.status);
        line![id(&issue.issue_id), " ", record(&issue.title), " (", status, ")"]
    });
    let issues = it.waves.iter().flat_map(|wave| &wave.issues);
    let convergence = List { per_page: ROWS, form: EntryForm::Boxed, ..List::new(issues.map(convergence)) };
    let risks = it.risks.iter().map(|of| {
        let severity = of.risk.severity.as_ref().map(|word| line![" (", record(word), ")"]);
        let mitigation = of.risk.mitigation.as_ref().map(|text| line!["; ", record(text)]);
        line![record(of.item.as_deref().unwrap_or("all")), ": ", record(&of.risk.risk), severity, mitigation]
    });
    let rounds = List { per_page: ROUNDS, form: EntryForm::Boxed, ..List::new(it.rounds.iter().map(round)) };
    let context = it.codebase_context.as_ref().map(|context| match context {
        Json::String(text) => Block::Text(Text::plain(text.trim())),
        other => Block::List(nested(other, 1)),
    });
    let blocks = requirement
        .into_iter()
        .chain(assessment(it))
        .chain(it.waves.iter().map(wave))
        .chain([
            Section::list("no longer in the document", List { per_page: ROWS, ..List::new(gone) }),
            Section::list("convergence", convergence),
            Section::list("risks", List { per_page: ROWS, ..List::new(risks) }),
            Section::list("feedback", rounds),
        ])
        .chain(context.map(|context| Section::new("codebase context", [context])));
    Page {
        title: line![id(&it.id), Span::Gap, record(&it.title)],
        facts: facts(it),
        blocks: blocks.collect(),
    }
}

fn facts(it: &RoadmapView) -> Vec<Field> {
    let updated = it.updated_at.filter(|updated| *updated != it.created_at);
    let fields = [
        Some(Field::new("status", state(roadmap_style(it.status), it.status))),
        Some(Field::new("strategy", it.mode.map_or("unknown", RoadmapMode::as_str))),
        Some(Field::new("progress", bar(it.done, it.total))),
        Some(Field::new("author", line![person(&it.author), ", ", it.created_at])),
        Field::given("changed", updated),
    ];
    fields.into_iter().flatten().collect()
}

/// The factors by how uncertain they are, and what follows from them.
fn assessment(it: &RoadmapView) -> Option<Block> {
    let assessed = it.assessed.as_ref()?;
    let factors = assessed.factors.all();
    let mut lines = Vec::new();
    for extent in ["high", "medium", "low"] {
        let names = factors.iter().filter(|(_, given)| given.is_some_and(|given| given.as_str() == extent));
        let names: Vec<String> = names.map(|(name, _)| name.replace('_', " ")).collect();
        if !names.is_empty() {
            lines.push(Line::from(format!("{extent} uncertainty: {}", names.join(", "))));
        }
    }
    let recommended = assessed.recommended.map_or("undecided", RoadmapMode::as_str);
    lines.push(format!("recommended: {recommended}").into());
    if let Some(given) = &it.assessment {
        lines.extend(given.goal.as_ref().map(|goal| line!["goal: ", record(goal)]));
        for (name, list) in [
            ("constraints: ", &given.constraints),
            ("stakeholders: ", &given.stakeholders),
            ("keywords: ", &given.keywords),
        ] {
            if !list.is_empty() {
                lines.push(line![name, record(list.0.join("; "))]);
            }
        }
    }
    Some(Section::new("strategy assessment", [Block::List(List::new(lines))]))
}

fn wave(wave: &WaveView) -> Block {
    let columns = [
        Column::left("Issue"),
        Column::left("Part").spare(),
        Column::left("Status"),
        Column::left("Priority").spare(),
        Column::flexible("Title"),
        Column::flexible("Depends on").spare(),
    ];
    let rows = wave.issues.iter().map(|issue| {
        vec![
            id(&issue.issue_id).into(),
            record(&issue.item).into(),
            state(issue_style(issue.status), issue.status).into(),
            priority(issue.priority).into(),
            record(&issue.title).into(),
            Line::listed(issue.depends_on.iter().map(id)),
        ]
    });
    let name = format!("issues of wave {}", wave.wave);
    let table = Block::Table(Table { per_page: ROWS, ..Table::new(name, columns, rows) });
    Section::new(format!("wave {}  {}", wave.wave, bar(wave.done, wave.total)), [table])
}

/// Whether a criterion holds, as far as is known.
fn is_met(it: &RoadmapIssue, criterion: &str) -> bool {
    matches!(it.status, IssueStatus::Completed | IssueStatus::Closed)
        || it.accepted.iter().any(|by| by.criterion == criterion)
}

/// When an issue is done; a criterion that holds has a cross.
fn convergence(it: &RoadmapIssue) -> Entry {
    let criteria =
        it.criteria.iter().map(|criterion| line![Span::Check(is_met(it, criterion)), record(criterion)]);
    let accepted = it.accepted.iter().map(|by| {
        line!["accepted: ", record(&by.task_id), ": ", record(&by.criterion), ": ", record(&by.evidence)]
    });
    let goal = (!it.title.contains(&it.goal)).then(|| line!["goal: ", record(&it.goal)]);
    let lines = goal
        .into_iter()
        .chain(criteria)
        .chain([
            line!["verification: ", record(it.verification.join("; "))],
            line!["done: ", record(&it.definition_of_done)],
        ])
        .chain(accepted);
    Entry::new(line![id(&it.issue_id), " ", record(&it.title)]).with([Block::List(List::new(lines))])
}

fn round(it: &Round) -> Entry {
    let look = if it.status == RoundStatus::Open { style::WARN } else { style::DIM };
    let head =
        line![format!("{}. ", it.round), state(look, it.status), ", ", person(&it.author), ", ", it.at];
    let said = it.feedback.parts().map(|(name, text)| line![format!("{name}: "), record(text)]);
    let changes = (!it.changes.is_empty()).then(|| line!["changed: ", record(it.changes.join(", "))]);
    Entry::new(head).with([Block::List(List::new(said.chain(changes)))])
}

/// JSON as nested lists.
fn nested(value: &Json, depth: usize) -> List {
    let entries: Vec<Entry> = match value {
        Json::Object(members) => {
            members.iter().map(|(name, value)| member(record(name).into(), value, depth)).collect()
        }
        Json::Array(items) => items.iter().map(|item| member(Line::default(), item, depth)).collect(),
        other => vec![Entry::new(leaf(other))],
    };
    List::new(entries)
}

fn member(name: Line, value: &Json, depth: usize) -> Entry {
    if depth < DEEPEST && (value.is_object() || value.is_array()) {
        let size =
            value.as_array().map_or_else(|| value.as_object().map_or(0, serde_json::Map::len), Vec::len);
        let head = if name.0.is_empty() { count(size, "part").into() } else { line![name, ":"] };
        return Entry::new(head).with([Block::List(nested(value, depth + 1))]);
    }
    let colon = (!name.0.is_empty()).then_some(": ");
    Entry::new(line![name, colon, leaf(value)])
}

fn leaf(value: &Json) -> Span {
    record(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
