//! The log of a roadmap: its revisions, the feedback on them, and approvals.

use std::collections::BTreeMap;

use super::PlanDigest;
use super::declare::once;
use super::log_entry::log_entry;

once! {
    /// A document was added or replaced.
    #[derive(Default)]
    RoadmapRevision {
        /// The digest of the document.
        decides document_digest: PlanDigest,
        /// The digest of each part of the document as it was given, by issue for a layer or task and by name for anything
        /// else. An earlier version of a part is recognized by it.
        fact parts: BTreeMap<String, PlanDigest> = default,
        /// The layers or tasks for which issues were made.
        text created: Vec<String> = default,
        /// The parts that changed.
        text changed: Vec<String> = default,
        /// The parts that the document no longer has.
        text gone: Vec<String> = default,
        /// The agent that wrote it; absent if it was given as a file.
        text agent: Option<String> = default,
    }
}

once! {
    /// A round of feedback: what should be different.
    #[derive(Default, Eq)]
    RoadmapFeedback {
        /// How the scope should change.
        text scope: Option<String> = default,
        /// How the convergence should change.
        text convergence: Option<String> = default,
        /// Why and how to split the requirement differently.
        text redecompose: Option<String> = default,
    }
}

impl RoadmapFeedback {
    /// Each part with its name.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parts =
            [("scope", &self.scope), ("convergence", &self.convergence), ("re-decompose", &self.redecompose)];
        parts.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

once! {
    /// Someone approved a document.
    RoadmapApproval {
        /// The digest of the document.
        decides document_digest: PlanDigest,
    }
}

log_entry!(
    /// What an entry of a roadmap's log says.
    RoadmapEvent,
    /// One entry of a roadmap's log
    RoadmapLogEntry,
    fact actor,
    Revision(RoadmapRevision) = "revision",
    Feedback(RoadmapFeedback) = "feedback",
    Approval(RoadmapApproval) = "approval",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use serde_json::Value;

    #[test]
    fn each_type_of_entry_reads_back_as_it_was_written() {
        for fields in [
            r#""type":"revision","document_digest":"sha256:0","parts":{"ISS-1":"sha256:1"},"created":["L0","L1"],"agent":"mine""#,
            r#""type":"feedback","scope":"without the export","convergence":"name the limit""#,
            r#""type":"approval","document_digest":"sha256:0""#,
        ] {
            let id = entry_id("20261121T021405123Z-00000");
            let text = format!(r#"{{"id":"{id}",{fields},"actor":"Ada","at":"2026-11-21T02:14:05.123Z"}}"#);
            let value: Value = serde_json::from_str(&text).unwrap();
            let read: RoadmapLogEntry = crate::model::typed::read(&value).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }
}
