//! The check of the store's whole history. A commit never changes, so the index keeps the result.

use serde::{Deserialize, Serialize};

use crate::index::Index;
use crate::model::CommitHash;
use crate::store::{Rewritten, Store, StoreError, object_id};

/// The name under which the index keeps the result.
pub(super) const NAME: &str = "checked history";

/// The result for one state of the store.
#[derive(Serialize, Deserialize)]
struct Checked {
    tip: CommitHash,
    found: Vec<Rewritten>,
}

/// What commits of the store did that no command does. If nothing was found in an earlier state, and this one follows it
/// without a merge, only the commits since then are checked. Otherwise the whole history is: the other side of a merge
/// can contradict values of any age, and a redaction can excuse what was found before. `kept` is what the index has.
pub(super) fn rewritten(
    store: &Store,
    index: &Index<'_>,
    kept: Option<&str>,
) -> Result<Vec<Rewritten>, StoreError> {
    let tip = index.commit();
    let known = kept.and_then(|text| serde_json::from_str::<Checked>(text).ok());
    let known = known.and_then(|known| Some((object_id(&known.tip)?, known.found)));
    let found = match known {
        Some((known, found)) if known == tip => return Ok(found),
        Some((known, found)) if found.is_empty() && store.follows(known, tip)? => {
            store.all_rewritten(Some(known), tip)?
        }
        _ => store.all_rewritten(None, tip)?,
    };
    let checked = Checked { tip: tip.into(), found };
    if let Ok(text) = serde_json::to_string(&checked) {
        index.keep(NAME, &text);
    }
    Ok(checked.found)
}
