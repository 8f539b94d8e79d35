//! What a team learned, for everyone who plans, reviews and executes.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    Code, EntryId, IssueId, Learned, Op, Other, RemedyCall, RunId, Wisdom, WisdomType, count,
};
use crate::ops::entries::entry;
use crate::ops::issues::existing_outline;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::{limits, wisdom};
use crate::store::{ReadState, StoreError, Tx, layout, records, resolve};

/// A piece of wisdom to add.
#[derive(Debug)]
pub(crate) struct AddWisdom {
    /// Its kind.
    pub(crate) kind: WisdomType,
    /// The text.
    pub(crate) text: String,
    /// Tags.
    pub(crate) tags: Vec<String>,
    /// The issue that it comes from.
    pub(crate) issue: Option<String>,
    /// The run in which it was learned.
    pub(crate) run: Option<String>,
    /// The open question that it answers.
    pub(crate) answers: Option<String>,
}

/// Which pieces of wisdom to list; each condition must hold.
#[derive(Debug, Default)]
pub(crate) struct WisdomFilter {
    /// Only this kind.
    pub(crate) kind: Option<WisdomType>,
    /// Only those with this tag.
    pub(crate) tag: Option<String>,
    /// Only those that come from this issue.
    pub(crate) issue: Option<String>,
    /// Only those with these words in the text or in a tag.
    pub(crate) words: Vec<String>,
    /// Only questions that nobody has answered.
    pub(crate) open: bool,
}

/// A piece of wisdom, and whether it is an open question.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WisdomView {
    /// It.
    #[serde(flatten)]
    pub(crate) wisdom: Wisdom,
    /// The latest answer to it, if it is a question that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answered_by: Option<EntryId>,
}

/// Adds a piece of wisdom.
///
/// # Errors
/// `empty`, `too-long`, `invalid-label`; `not-found`, `ambiguous-id` for the issue, the run and the question;
/// `not-a-question`.
pub(crate) fn add_wisdom(session: &Session, input: &AddWisdom) -> Answer<Wisdom> {
    let permit = session.permit(Op::WisdomAdd)?;
    let text = limits::text(&input.text)?;
    if text.trim().is_empty() {
        return Err(Refusal::new(Code::Empty, "the text is empty; nothing was written")
            .hint("say what others should know"));
    }
    let mut tags: Vec<String> = Vec::new();
    for tag in &input.tags {
        tags.push(limits::label(tag)?.to_owned());
    }
    tags.sort();
    tags.dedup();
    let kind = input.kind;
    let committed = session.transact(permit, |tx| {
        let issue_id = input.issue.as_deref().map(|text| resolve::issue(tx, text)).transpose()?;
        if let Some(id) = &issue_id {
            existing_outline(tx, id)?;
        }
        let run_id = input.run.as_deref().map(|text| resolve::run(tx, text)).transpose()?;
        let answers = input.answers.as_deref().map(|text| question(tx, text)).transpose()?;
        let added =
            append(tx, Learned { kind, text: text.clone(), tags: tags.clone() }, issue_id, run_id, answers)?;
        tx.describe(format!("wisdom: {kind}"));
        Ok(added)
    })?;
    Ok(session.done(committed.answer, committed.commit))
}

/// Adds what an agent learned while it worked on an issue in a run. What is known already is left out, and so is what
/// breaks a limit: the work does not depend on it.
///
/// # Errors
/// Any error from writing to the store.
pub(crate) fn learn(
    session: &Session,
    issue: &IssueId,
    run: &RunId,
    learned: &[Learned],
) -> Answer<Vec<Wisdom>> {
    let permit = session.permit(Op::WisdomAdd)?;
    let sound: Vec<Learned> = learned.iter().filter_map(sound).collect();
    if sound.is_empty() {
        return Ok(session.done(vec![], None));
    }
    let committed = session.transact(permit, |tx| {
        let mut known: BTreeSet<(WisdomType, String)> = records::wisdom(tx, &mut Vec::new())?
            .into_iter()
            .map(|wisdom| (wisdom.kind, wisdom.text))
            .collect();
        let mut added = Vec::new();
        for wisdom in &sound {
            if !known.insert((wisdom.kind, wisdom.text.clone())) {
                continue;
            }
            added.push(append(tx, wisdom.clone(), Some(issue.clone()), Some(run.clone()), None)?);
        }
        if !added.is_empty() {
            tx.describe(format!("wisdom: learned from {issue}"));
        }
        Ok(added)
    })?;
    Ok(session.done(committed.answer, committed.commit))
}

fn append(
    tx: &mut Tx<'_>,
    Learned { kind, text, tags }: Learned,
    issue_id: Option<IssueId>,
    run_id: Option<RunId>,
    answers: Option<EntryId>,
) -> Result<Wisdom, StoreError> {
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    tx.append(&layout::wisdom(), |id| Wisdom {
        id,
        kind,
        text,
        tags,
        author,
        issue_id,
        run_id,
        answers,
        created_at,
    })
}

/// The question that a text names.
fn question(read: &impl ReadState, text: &str) -> Result<EntryId, Refusal> {
    let shown = RemedyCall::from(Other::WisdomList).flag("open");
    let id = entry(read, &layout::wisdom(), text, layout::WISDOM, shown.clone())?;
    let all = records::wisdom(read, &mut Vec::new())?;
    match all.iter().find(|wisdom| wisdom.id == id) {
        Some(question) if question.kind == WisdomType::Question => Ok(id),
        _ => Err(Refusal::new(Code::NotAQuestion, format!("`{text}` is not a question"))
            .remedy(shown, "lists the open questions")),
    }
}

/// The entry, cut to the limits on what people write; `None` if nothing is left.
fn sound(learned: &Learned) -> Option<Learned> {
    let text = limits::text(learned.text.trim()).ok().filter(|text| !text.is_empty())?;
    let mut tags: Vec<String> =
        learned.tags.iter().filter_map(|tag| limits::label(tag).ok().map(str::to_owned)).collect();
    tags.sort();
    tags.dedup();
    Some(Learned { kind: learned.kind, text, tags })
}

/// Lists what was learned, the newest first.
///
/// # Errors
/// `not-found`, `ambiguous-id` for the issue.
pub(crate) fn list_wisdom(session: &Session, filter: &WisdomFilter) -> Answer<Vec<WisdomView>> {
    let snapshot = session.store().snapshot()?;
    let issue = filter.issue.as_deref().map(|text| resolve::issue(&snapshot, text)).transpose()?;
    let mut broken = Vec::new();
    let mut all = records::wisdom(&snapshot, &mut broken)?;
    if !broken.is_empty() {
        session.notice(Notice::warning(format!("skipped {}", count(broken.len(), "unreadable entry"))));
    }
    let answered = wisdom::answered(&all);
    all.retain(|wisdom| {
        (!filter.open || (wisdom.kind == WisdomType::Question && !answered.contains_key(&wisdom.id)))
            && filter.kind.is_none_or(|kind| wisdom.kind == kind)
            && filter
                .tag
                .as_ref()
                .is_none_or(|tag| wisdom.tags.iter().any(|own| own.eq_ignore_ascii_case(tag)))
            && issue.as_ref().is_none_or(|issue| wisdom.issue_id.as_ref() == Some(issue))
            && wisdom::has_words(wisdom, &filter.words)
    });
    Ok(session.done(
        all.into_iter()
            .rev()
            .map(|wisdom| WisdomView { answered_by: answered.get(&wisdom.id).cloned(), wisdom })
            .collect(),
        None,
    ))
}
