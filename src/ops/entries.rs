//! Entries of logs, as people name them.

use crate::model::{Code, EntryId, RemedyCall};
use crate::ops::Refusal;
use crate::store::ReadState;

/// The entry of a log whose id, or the last part of it, starts with `text`.
///
/// # Errors
/// `not-found`, which `shown` remedies; `ambiguous-id`.
pub(crate) fn entry(
    read: &impl ReadState,
    folder: &str,
    text: &str,
    id: &str,
    shown: RemedyCall,
) -> Result<EntryId, Refusal> {
    let text = text.strip_suffix(".json").unwrap_or(text);
    let (one, many, owner) = match folder.rsplit('/').next() {
        Some("comments") => ("comment", "comments", format!("`{id}`")),
        Some("wisdom") => ("entry", "entries", "the wisdom".to_owned()),
        _ => ("entry", "entries", format!("`{id}`")),
    };
    let names = read.names(folder)?;
    let all = names.iter().filter_map(|name| EntryId::parse(name.strip_suffix(".json")?).ok());
    let mut fitting: Vec<EntryId> = all
        .filter(|all| {
            let name = all.to_string();
            let uid = name.rsplit('-').next().unwrap_or_default();
            !text.is_empty() && (name.starts_with(text) || uid.starts_with(text))
        })
        .collect();
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(Refusal::new(Code::NotFound, format!("{owner} has no {one} `{text}`"))
            .remedy(shown, format!("shows the ids of its {many}"))),
        _ => Err(Refusal::new(
            Code::AmbiguousId,
            format!("`{text}` is ambiguous: it matches several {many} of {owner}"),
        )
        .details(fitting.iter().map(EntryId::to_string).collect())
        .hint("type more characters")
        .remedy(shown, "shows what they say")),
    }
}
