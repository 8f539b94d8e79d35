//! Fields that two clones changed differently: listing and resolving them.

use crate::index::Needs;
use crate::model::redaction::holds_hidden;
use crate::model::{Code, Doc, Op, RemedyCall};
use crate::ops::{Answer, Refusal, Session};
use crate::store::{Redactions, ResolveError, Store, StoreError, layout, records, resolve};
use crate::sync::conflicts::{Conflict, WHOLE, open};

/// Which conflict to resolve, and how.
#[derive(Debug)]
pub(crate) struct Settle {
    /// The id of the record, or an unambiguous prefix of it.
    pub(crate) record: String,
    /// The field; optional if the record has only one open conflict.
    pub(crate) field: Option<String>,
    /// Which value to keep.
    pub(crate) which: KeptValue,
    /// The conflict as it was shown; optional ([`Conflict::digest`]).
    pub(crate) seen: Option<String>,
}

/// A value of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptValue {
    /// The current value.
    Current,
    /// A value that lost; if there are several, its number, from 1.
    Lost(Option<u32>),
}

/// The unresolved conflicts, ordered by path, field, and the stamp of the value that lost.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn conflicts(session: &Session) -> Answer<Vec<Conflict>> {
    Ok(session.done(all(session)?, None))
}

fn all(session: &Session) -> Result<Vec<Conflict>, Refusal> {
    let index = session.index(Needs::ROWS)?;
    Ok(session.watched(|watch| open(session.store(), &index, watch))?)
}

/// Resolves a conflict by writing the chosen value.
///
/// # Errors
/// `not-found` if there is no such conflict; `ambiguous` if several match; `redacted` if the value is hidden;
/// `changed-meanwhile` if its values are no longer those that were shown.
pub(crate) fn settle(session: &Session, input: &Settle) -> Answer<Conflict> {
    let permit = session.permit(Op::Conflicts)?;
    // It is read before the conflict, so that nothing can change unnoticed between the two.
    let before = session.store().snapshot()?;
    let conflict = pick(session, input)?;
    let (side, verb) = match input.which {
        KeptValue::Current => (&conflict.stands, "keep"),
        KeptValue::Lost(_) => (&conflict.other, "take"),
    };
    // To keep a whole record, one register is written again that is not hidden.
    let is_kept = conflict.field == WHOLE && input.which == KeptValue::Current;
    if holds_hidden(&side.value) && !is_kept {
        // Writing the value again would reveal it, or store its replacement text.
        return Err(redacted(&conflict));
    }
    let committed = session.transact(permit, |tx| {
        let (layout::Form::Doc(schema), _) = layout::form(&conflict.path) else { return Ok(()) };
        let Some(mut doc) = records::doc(tx, schema, &conflict.path)? else { return Ok(()) };
        let frozen = || StoreError::frozen(&conflict.record);
        let hidden = Redactions::at(tx, &conflict.path)?;
        let mut shown = doc.clone();
        hidden.doc(&conflict.path, &mut shown);
        // A value that was kept is the same, but has another stamp.
        let is_rewritten = records::doc(&before, schema, &conflict.path)?
            .is_none_or(|before| doc.rewrites(&before, &conflict.field));
        let (stamp, value) = match conflict.field.as_str() {
            WHOLE => (doc.made(WHOLE), doc.fields()),
            field => (doc.made(field), doc.value(field).cloned().unwrap_or_default()),
        };
        let now = hidden.value(&conflict.path, &conflict.field, stamp.as_ref(), value);
        if is_rewritten || now != conflict.stands.value {
            return Err(changed(&conflict));
        }
        if conflict.field == WHOLE {
            let is_taken = input.which != KeptValue::Current;
            let is_changed = is_taken && doc.update(&side.value, tx.stamper()).map_err(frozen())?;
            // Any write shows that someone has seen both values; this one changes nothing else.
            if !is_changed {
                // As it is now: someone may have hidden something since the conflict was read, and a value that is
                // written again would no longer be hidden.
                let first = doc.registers().find(|name| is_shown(&doc, &shown, name)).map(str::to_owned);
                let first = first.ok_or_else(|| redacted(&conflict))?;
                doc.decide(&first, doc.value(&first).cloned(), tx.stamper()).map_err(frozen())?;
            }
        } else {
            let value = Some(side.value.clone()).filter(|value| !value.is_null());
            doc.decide(&conflict.field, value, tx.stamper()).map_err(frozen())?;
        }
        tx.write_doc(conflict.path.clone(), &doc)?;
        tx.describe(format!("conflicts: {verb} {} of {}", conflict.field, conflict.record));
        Ok(())
    })?;
    Ok(session.done(conflict, committed.commit))
}

/// Whether no part of the stored value of a field is hidden.
fn is_shown(stored: &Doc, shown: &Doc, name: &str) -> bool {
    let value = stored.value(name);
    value == shown.value(name) && !value.is_some_and(holds_hidden)
}

/// The refusal to write a value again of which something is hidden.
fn redacted(conflict: &Conflict) -> Refusal {
    let Conflict { field, record, .. } = conflict;
    if field == WHOLE {
        let keep = RemedyCall::new(Op::Conflicts, ["keep", record.as_str(), WHOLE]);
        return Refusal::new(Code::Redacted, format!("part of the other version of `{record}` is redacted"))
            .remedy(keep, "keeps the current one, which resolves it too");
    }
    Refusal::new(Code::Redacted, format!("the other value of `{field}` is redacted"))
        .remedy(RemedyCall::new(Op::Edit, ["ISSUE"]), "sets the field, which resolves it too")
}

/// The record that the text names; records with a conflict take precedence.
fn record(store: &Store, named: &str, conflicts: &[Conflict]) -> Result<String, Refusal> {
    let mut ids: Vec<String> = conflicts.iter().map(|conflict| conflict.record.clone()).collect();
    ids.sort();
    ids.dedup();
    match resolve::one_of("record", named, ids) {
        Err(ResolveError::NotFound { .. }) => Ok(resolve::any(&store.snapshot()?, named)?.to_string()),
        found => Ok(found?),
    }
}

/// Someone wrote the field, or its conflict was resolved, after it was shown.
fn changed(Conflict { record, field, .. }: &Conflict) -> Refusal {
    Refusal::new(Code::ChangedMeanwhile, format!("the values of `{field}` of `{record}` have changed"))
        .remedy(Op::Conflicts, "shows the unresolved conflicts")
}

fn pick(session: &Session, input: &Settle) -> Result<Conflict, Refusal> {
    let mut fitting = all(session)?;
    let record = record(session.store(), &input.record, &fitting)?;
    fitting.retain(|conflict| conflict.record == record);
    fitting.retain(|conflict| input.field.as_ref().is_none_or(|field| *field == conflict.field));
    let of = match &input.field {
        Some(field) => format!("field `{field}` of `{record}`"),
        None => format!("`{record}`"),
    };
    let Some(first) = fitting.first() else {
        return Err(Refusal::new(Code::NotFound, format!("{of} has no unresolved conflict"))
            .remedy(Op::Conflicts, "lists the unresolved conflicts"));
    };
    if let Some(seen) = &input.seen {
        let first = first.clone();
        return fitting
            .into_iter()
            .find(|conflict| conflict.digest() == *seen)
            .ok_or_else(|| changed(&first));
    }
    let is_one_field =
        fitting.iter().all(|conflict| conflict.path == first.path && conflict.field == first.field);
    let number = match input.which {
        _ if !is_one_field => None,
        // The current value is the same in all conflicts of the field.
        KeptValue::Current => Some(1),
        KeptValue::Lost(None) if fitting.len() == 1 => Some(1),
        KeptValue::Lost(number) => number,
    };
    let count = fitting.len();
    match number.map(|number| number as usize) {
        Some(number) if (1..=count).contains(&number) => Ok(fitting.swap_remove(number - 1)),
        Some(number) => Err(Refusal::new(Code::NotFound, format!("{of} has no other value {number}"))
            .hint(if count == 1 { "it has only 1".to_owned() } else { format!("it has {count} of them") })
            .remedy(Op::Conflicts, "shows them")),
        None => {
            let hint =
                if is_one_field { "name the record, the field and the number" } else { "name the field too" };
            Err(Refusal::new(Code::Ambiguous, format!("{of} has more than one unresolved conflict"))
                .details(
                    fitting
                        .iter()
                        .enumerate()
                        .map(|(n, conflict)| describe(n, conflict, is_one_field))
                        .collect(),
                )
                .hint(hint)
                .remedy(Op::Conflicts, "shows them"))
        }
    }
}

fn describe(n: usize, conflict: &Conflict, is_numbered: bool) -> String {
    let Conflict { record, field, other, .. } = conflict;
    let author = other.author.as_deref().unwrap_or("someone");
    if is_numbered { format!("{record} {field} {}  by {author}", n + 1) } else { format!("{record} {field}") }
}

#[cfg(test)]
pub(super) mod tests;
