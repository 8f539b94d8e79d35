//! The way out of what bears a stamp of the far future: a record is started anew in its next epoch, an entry is set
//! aside by a redaction. Both are writes like any other, so that every clone comes to the same by merging them.

use std::collections::BTreeSet;

use super::Findings;
use crate::model::redaction::{ALL, Redaction};
use crate::store::error::StoreError;
use crate::store::layout::{self, Form, form};
use crate::store::records;
use crate::store::redact::Redactions;
use crate::store::repo::Store;
use crate::store::tx::Tx;

/// What was healed, by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Healed {
    /// Records that were started anew.
    pub(crate) anew: Vec<String>,
    /// Entries that were set aside.
    pub(crate) aside: Vec<String>,
    /// Records whose last epoch it is.
    pub(crate) stuck: Vec<String>,
}

impl Store {
    /// The records and entries that bear a stamp of the far future, without the entries that are set aside.
    pub(crate) fn far_future(&self) -> Result<BTreeSet<String>, StoreError> {
        let mut found = Findings::default();
        let snapshot = self.unchecked(&mut found)?;
        self.check_tree(&snapshot, self.now()?, &mut found)?;
        Ok(found.far_future)
    }
}

impl Tx<'_> {
    /// Heals what is at these paths.
    pub(crate) fn heal(&mut self, paths: &BTreeSet<String>) -> Result<Healed, StoreError> {
        let mut healed = Healed::default();
        for path in paths {
            match form(path).0 {
                Form::Doc(schema) => {
                    let Some(mut doc) = records::doc(self, schema, path)? else { continue };
                    if doc.far_future().is_empty() {
                        continue;
                    }
                    // What is hidden bears an old stamp; under one of now it would show again.
                    Redactions::at(self, path)?.doc(path, &mut doc);
                    match doc.started_anew(self.stamper().fresh()) {
                        Some(anew) => {
                            self.write_doc(path.clone(), &anew)?;
                            healed.anew.push(path.clone());
                        }
                        None => healed.stuck.push(path.clone()),
                    }
                }
                _ => {
                    if self.set_aside(path)? {
                        healed.aside.push(path.clone());
                    }
                }
            }
        }
        Ok(healed)
    }

    /// Writes that an entry counts for nothing. Whether it did before.
    fn set_aside(&mut self, path: &str) -> Result<bool, StoreError> {
        let Some((folder, target)) = layout::redacted_by(path) else { return Ok(false) };
        if Redactions::of(self, &folder)?.sets_aside(path) {
            return Ok(false);
        }
        let (author, created_at) = (self.person().to_owned(), self.stamper().now());
        self.append(&format!("{folder}/{}", layout::REDACTIONS), |id| Redaction {
            id,
            target,
            field: ALL.to_owned(),
            stamp: None,
            reason: "stamped in the far future".to_owned(),
            author,
            created_at,
        })?;
        Ok(true)
    }
}
