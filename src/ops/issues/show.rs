//! Showing a record of any kind by its id.

use schemars::JsonSchema;
use serde::Serialize;

use super::{IssueView, existing, relation_cycles};
use crate::index::Needs;
use crate::model::{Code, ExecutionId, IssueId, Other, RemedyCall};
use crate::ops::plans::roadmap::RoadmapView;
use crate::ops::plans::{self, SolutionView};
use crate::ops::queue::{self, ItemAnswer, QueueAnswer};
use crate::ops::work::{self, DetailView, ExecutionView, executions_within};
use crate::ops::{Answer, Notice, Refusal, Session, unreached_of};
use crate::rules::readiness;
use crate::store::{KnownRecord, ResolveError, Snapshot, records, resolve};

/// Whatever an id names, with everything in it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ShownRecord {
    /// An issue.
    Issue(Box<IssueView>),
    /// A plan.
    Plan(Box<SolutionView>),
    /// An execution.
    Execution(Box<ShownExecution>),
    /// A queue.
    Queue(Box<QueueAnswer>),
    /// An item of a queue, as its executor needs it.
    Item(Box<ShownItem>),
    /// A roadmap.
    Roadmap(Box<RoadmapView>),
}

/// What to show.
#[derive(Debug)]
pub(crate) struct ShowRecord {
    /// The id of a record, or an unambiguous prefix of it or of its last part.
    pub(crate) id: String,
    /// For an imported issue, whether to show the record of its source.
    pub(crate) imported: bool,
}

impl ShowRecord {
    /// What an id names, without the record of a source.
    pub(crate) fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), imported: false }
    }
}

/// Shows what an id names. Files of an issue that cannot be read are reported as notices.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `broken-record`.
pub(crate) fn show(session: &Session, input: &ShowRecord) -> Answer<ShownRecord> {
    let (snapshot, known) = named(session, &input.id)?;
    let record = match known {
        KnownRecord::Issue(id) => {
            ShownRecord::Issue(Box::new(issue(session, &snapshot, &id, input.imported)?))
        }
        KnownRecord::Solution(id) => ShownRecord::Plan(Box::new(plans::view(&snapshot, &id)?)),
        KnownRecord::Execution(id) => ShownRecord::Execution(Box::new(execution(session, &snapshot, &id)?)),
        KnownRecord::Queue(id) => ShownRecord::Queue(Box::new(queue::view(session, &id)?)),
        KnownRecord::Item(queue, plan) => {
            let item = queue::item_view(session, &queue, &plan)?;
            let detail = work::detail(session, Some(plan.as_str()))?;
            session.notice_all(detail.notices);
            ShownRecord::Item(Box::new(ShownItem { item, detail: detail.view }))
        }
        KnownRecord::Roadmap(id) => ShownRecord::Roadmap(Box::new(plans::roadmap::view(&snapshot, &id)?)),
    };
    Ok(session.done(record, None))
}

/// What an id names, and the state in which it was found. An exact id is looked up in the tree.
fn named<'a>(session: &'a Session, text: &str) -> Result<(Snapshot<'a>, KnownRecord), Refusal> {
    let snapshot = session.store().snapshot()?;
    if let Some(known) = resolve::exact(&snapshot, text)? {
        return Ok((snapshot, known));
    }
    let (index, known) = session.ask(Needs::ROWS, |index| index.resolve(text))?;
    match known {
        Err(error @ ResolveError::NotFound { .. }) => Err(shown_elsewhere(&snapshot, text, error)),
        known => Ok((index.snapshot()?, known?)),
    }
}

/// The refusal for the id of a run or of an entry of wisdom, which have commands of their own; otherwise the error.
fn shown_elsewhere(snapshot: &Snapshot<'_>, text: &str, error: ResolveError) -> Refusal {
    if let Ok(run) = resolve::run(snapshot, text) {
        return Refusal::new(Code::WrongKind, format!("`{text}` is a run"))
            .remedy(RemedyCall::new(Other::RunShow, [&run]), "shows it");
    }
    let wisdom = match records::wisdom(snapshot, &mut Vec::new()) {
        Ok(wisdom) => wisdom,
        Err(error) => return error.into(),
    };
    if wisdom.iter().any(|wisdom| wisdom.id.as_str() == text || wisdom.id.short() == text) {
        return Refusal::new(Code::WrongKind, format!("`{text}` is an entry of the wisdom"))
            .remedy(Other::WisdomList, "shows all entries");
    }
    error.into()
}

fn issue(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: &IssueId,
    imported: bool,
) -> Result<IssueView, Refusal> {
    let folder = existing(snapshot, id)?;
    session.notice_all(folder.broken.iter().map(|(path, why)| Notice::warning(format!("`{path}`: {why}"))));
    if !folder.issue.record.depends_on.is_empty() {
        let facts = queue::facts_of(snapshot, [id.clone()])?;
        if let Some(cycle) = readiness::stuck_in_cycles(std::slice::from_ref(id), &facts).get(id) {
            let place = if cycle.issues().contains(id) { "is in" } else { "waits for" };
            let what = format!("`{id}` {place} a dependency cycle: {cycle}");
            session.notice(Notice { remedies: vec![cycle.remedy()], ..Notice::warning(what) });
        }
    }
    let related = relation_cycles(snapshot, vec![id.clone()])?;
    let own = related.iter().filter(|cycle| cycle.issues().contains(id));
    session.notice_all(own.map(Notice::of_relations));
    let view = IssueView::in_full(session, &folder);
    Ok(if imported { view.with_imported(&folder) } else { view })
}

/// An item of a queue, with what it asks for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownItem {
    /// Its place in the queue.
    #[serde(skip)]
    pub(crate) item: ItemAnswer,
    /// Its issue, its plan as claimed, and earlier attempts.
    #[serde(flatten)]
    pub(crate) detail: DetailView,
}

/// An execution with the title of its issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownExecution {
    /// The execution.
    #[serde(flatten)]
    pub(crate) execution: ExecutionView,
    /// The title of its issue.
    #[serde(skip)]
    pub(crate) title: String,
}

fn execution(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: &ExecutionId,
) -> Result<ShownExecution, Refusal> {
    let folder = existing(snapshot, &id.issue())?;
    let mut all = executions_within(&folder, &unreached_of(session, folder.executions.iter())).into_iter();
    let execution = all
        .find(|execution| execution.execution.id == *id)
        .ok_or_else(|| Refusal::unreadable(&format!("execution `{id}`")))?;
    Ok(ShownExecution { execution, title: folder.issue.record.title })
}
