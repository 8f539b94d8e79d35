//! Declared conflicts between the items of a queue: entries that are written once.

use super::declare::entry;
use super::text_enum::text_enum;
use super::{EntryId, Person, SolutionId, Time};

text_enum!(
    /// What two plans conflict over.
    ConflictType {
        /// Both touch the same file.
        File = "file",
        /// One changes an interface that the other builds on.
        Api = "api",
        /// Both change the form of the same data.
        Data = "data",
        /// They need different versions of a dependency.
        Dependency = "dependency",
        /// They pull the architecture in different directions.
        Architecture = "architecture",
    }
);

text_enum!(
    /// How bad it would be to ignore a conflict.
    Severity {
        /// Its items are blocked until someone decides.
        High = "high",
        /// It needs an order; the order of the queue is enough.
        Medium = "medium",
        /// Worth knowing.
        Low = "low",
    }
);

text_enum!(
    /// How a conflict is resolved.
    Resolution {
        /// One after the other.
        Sequential = "sequential",
        /// Both are executed, and the later is rebased onto the earlier; in the given order, if there is one.
        Merge = "merge",
        /// A person decides first.
        Manual = "manual",
    }
);

impl ConflictType {
    /// The default severity.
    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Api | Self::Data => Severity::High,
            Self::File | Self::Dependency => Severity::Medium,
            Self::Architecture => Severity::Low,
        }
    }
}

entry! {
    /// A declared conflict, or a decision about one. Conflicts over files that plans name are derived each time and never
    /// stored.
    QueueConflict {
        /// What the plans conflict over.
        fact kind as "type": ConflictType,
        /// How severe it is.
        fact severity: Severity,
        /// The plans, two or more.
        #[schemars(length(min = 2))]
        fact solutions: Vec<SolutionId>,
        /// The file, if the conflict is about one.
        decides file: Option<String> = default,
        /// How it is resolved.
        fact resolution: Resolution,
        /// The plans in the order of execution; empty if none was decided.
        fact resolution_order: Vec<SolutionId> = default,
        /// Why.
        text rationale: Option<String> = default,
        /// The earlier entry that this one decides.
        fact resolves: Option<EntryId> = default,
        /// Who declared or decided it.
        fact author: Person,
        /// The time.
        fact created_at: Time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_has_the_fields_of_the_format_in_their_order() {
        let text = r#"{"id":"20261121T021405123Z-00000-00000000000000000000000001","type":"api","severity":"high","solutions":["SOL-A-1-a","SOL-B-1-b"],"file":"src/a.rs","resolution":"sequential","resolution_order":["SOL-B-1-b","SOL-A-1-a"],"rationale":"r","resolves":"20261121T021405122Z-00000-00000000000000000000000001","author":"Ada","created_at":"2026-11-21T02:14:05.123Z"}"#;
        let read: QueueConflict = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
