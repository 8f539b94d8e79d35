//! Creating issues.

use std::collections::BTreeSet;

use super::fields::NewFields;
use super::input::some;
use super::{IssueView, existing_outline, view};
use crate::model::issue::UNDIRECTED_RELATION;
use crate::model::{Code, Issue, IssueId, Op, Other, RELATIONS, RemedyCall, Source, Uid};
use crate::ops::{Answer, Refusal, Session, queue};
use crate::rules::{dag, limits, readiness, reply_task};
use crate::store::{ReadState, Tx, layout, random_uid};

/// An issue to create.
#[derive(Debug, Default)]
pub(crate) struct NewIssue {
    /// The id; generated if omitted.
    pub(crate) id: Option<IssueId>,
    /// The title, in one line (default: the one in the JSON).
    pub(crate) title: Option<String>,
    /// The description, in Markdown.
    pub(crate) text: Option<String>,
    /// Everything else.
    pub(crate) fields: NewFields,
}

/// Creates an issue.
///
/// # Errors
/// `exists`, `not-found`, `cycle`, `self-dependency`; an invalid value; usage without a title.
pub(crate) fn new(session: &Session, input: NewIssue) -> Answer<IssueView> {
    let permit = session.permit(Op::New)?;
    let store = session.store();
    store.snapshot()?;
    let NewIssue { id, title, text, mut fields } = input;
    fields.refuse_removals()?;
    let title = title.as_deref().or(fields.title());
    let title = limits::title(title.ok_or_else(|| {
        Refusal::usage("an issue needs a title").remedy(RemedyCall::new(Op::New, ["TITLE"]), "gives it one")
    })?)?;
    let text = text.as_deref().map(limits::text).transpose()?;
    let id = id.or_else(|| fields.json.as_ref()?.id_of_new());
    if let Some(json) = &mut fields.json {
        json.title = None;
        json.locate(|| reply_task::repository(&store.repo().remote_urls()));
    }
    let nonce = random_uid()?;
    let committed = session.transact(permit, |tx| {
        let id = id.clone().unwrap_or_else(|| make_id(tx, &title, &nonce));
        let mut issue = Issue::new(id, tx.person().to_owned(), tx.stamper().now(), title.clone());
        issue.source = Some(Source::Text);
        fields.apply(tx, &mut issue)?;
        if let Some(text) = &text {
            issue.context = some(text.clone());
        }
        register(tx, &issue)?;
        Ok(issue.id)
    })?;
    let id = &committed.answer;
    let done = view::answer(session, id, committed.commit)?;
    let json = fields.json.iter();
    let notices = json.flat_map(|json| json.notices(&done.view.issue, done.view.derived.status));
    session.notice_all(done.notices.into_iter().chain(notices));
    Ok(session.done(done.view, done.commit))
}

fn make_id(tx: &Tx<'_>, title: &str, nonce: &Uid) -> IssueId {
    let now = tx.stamper().now();
    let uid = Uid::from_content(&[
        title.as_bytes(),
        tx.person().as_bytes(),
        now.to_string().as_bytes(),
        nonce.as_str().as_bytes(),
    ]);
    IssueId::made(now, &uid)
}

fn register(tx: &mut Tx<'_>, issue: &Issue) -> Result<(), Refusal> {
    let id = &issue.id;
    if tx.file(&layout::issue(id))?.is_some() {
        return Err(Refusal::new(Code::Exists, format!("issue `{id}` already exists"))
            .remedy(RemedyCall::new(Other::Show, [id]), "shows it")
            .hint("omit the id to get a new one"));
    }
    tx.create_issue(issue)?;
    if !issue.depends_on.is_empty() {
        check_dependencies(tx, id, &BTreeSet::new())?;
    }
    if !issue.relations.is_empty() {
        check_relations(tx, id, &BTreeSet::new())?;
    }
    tx.describe(format!("issue: create {id} \"{}\"", issue.title));
    Ok(())
}

/// Refuses new relations of an issue to itself, directly or through others: it can neither be a part of its own part nor
/// duplicate its own duplicate. Only `relates-to` has no direction. It had the relations `before`: what a merge joined to a
/// cycle can be taken apart one by one.
///
/// # Errors
/// `cycle`.
pub(super) fn check_relations(tx: &Tx<'_>, id: &IssueId, before: &BTreeSet<String>) -> Result<(), Refusal> {
    for kind in RELATIONS.iter().copied().filter(|kind| *kind != UNDIRECTED_RELATION) {
        // An unreadable issue leads nowhere; `fsck` names it.
        let Some(cycle) = dag::cycle_through(id, |from| match existing_outline(tx, from) {
            Ok(folder) => {
                let mut issue = folder.issue.record;
                if from == id {
                    issue.relations.retain(|relation| !before.contains(relation));
                }
                issue.related(kind).collect()
            }
            Err(_) => Vec::new(),
        }) else {
            continue;
        };
        let drawn = cycle.iter().map(IssueId::as_str).collect::<Vec<_>>().join(" → ");
        let message = format!("`{kind}` would lead back to the issue itself: {drawn}");
        return Err(Refusal::new(Code::Cycle, message).hint("leave out one of these relations"));
    }
    Ok(())
}

/// Refuses new dependencies on missing issues, and those that close a cycle. The issue had the dependencies `before`: what
/// a merge or an import brought can be removed one by one.
///
/// # Errors
/// `not-found`, `cycle`.
pub(crate) fn check_dependencies(
    tx: &Tx<'_>,
    id: &IssueId,
    before: &BTreeSet<IssueId>,
) -> Result<(), Refusal> {
    let mut facts = queue::facts_of(tx, [id.clone()])?;
    let Some(issue) = facts.get_mut(id) else { return Ok(()) };
    issue.depends_on.retain(|dependency| !before.contains(dependency));
    for dependency in &facts[id].depends_on {
        if !facts.contains_key(dependency) {
            let message = format!("there is no issue `{dependency}` to depend on");
            return Err(Refusal::new(Code::NotFound, message)
                .hint("create it first")
                .remedy(RemedyCall::from(Other::List).flag("all"), "lists the issues"));
        }
    }
    if let Some(cycle) = readiness::dependency_cycle(id, &facts) {
        let message = format!("the issues would depend on each other in a cycle: {cycle}");
        return Err(Refusal::new(Code::Cycle, message).hint("leave out one of these dependencies"));
    }
    Ok(())
}
