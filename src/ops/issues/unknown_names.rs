//! Names in a filter that no issue has, for people who mistyped one and wonder why nothing is listed.

use crate::index::{Filter, Index};
use crate::model::nearest;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::roadmap::names_of_tag;

/// A note for each tag, component and type that no issue has.
pub(super) fn notice(session: &Session, index: &Index<'_>, filter: &Filter) -> Result<(), Refusal> {
    let tags: Vec<String> = filter.tags.iter().filter(|tag| names_of_tag(tag).len() == 1).cloned().collect();
    let types: Vec<String> =
        filter.wanted("issue_type").unwrap_or_default().iter().map(|word| word.to_lowercase()).collect();
    for (what, asked) in [("tag", &tags), ("component", &filter.components), ("type", &types)] {
        if asked.is_empty() {
            continue;
        }
        let known = index.names(what)?;
        for name in asked.iter().filter(|name| !known.contains(*name)) {
            let meant = nearest(name, known.iter().map(String::as_str));
            let meant = meant.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            session.notice(Notice::note(format!("no issue has the {what} `{name}`{meant}")));
        }
    }
    Ok(())
}
