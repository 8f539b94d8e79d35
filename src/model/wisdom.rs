//! What a team learned: learnings, decisions, conventions and open questions, which agents get with their work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::declare::entry;
use super::text_enum::text_enum;
use super::{EntryId, IssueId, Person, RunId, Time};

text_enum!(
    /// The kind of a piece of wisdom.
    WisdomType {
        /// Something that was found to be true.
        Learning = "learning",
        /// Something that was decided.
        Decision = "decision",
        /// How things are done here.
        Convention = "convention",
        /// Something that nobody has answered yet.
        Question = "question",
    }
);

/// Something that an agent learned, as its answer says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Learned {
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: WisdomType,
    /// What others should know, in a few sentences of Markdown.
    #[schemars(regex(pattern = r"\S"), length(max = LONGEST_LEARNED))]
    pub(crate) text: String,
    /// Tags, such as those of the issue.
    #[serde(default)]
    #[schemars(length(max = MOST_LEARNED_TAGS))]
    pub(crate) tags: Vec<String>,
}

/// The most characters of what an agent learned.
const LONGEST_LEARNED: usize = 2_000;
/// The most tags of it.
const MOST_LEARNED_TAGS: usize = 10;

entry! {
    /// One piece of wisdom. Written once.
    Wisdom {
        /// Its kind.
        fact kind as "type": WisdomType,
        /// Markdown.
        text text: String,
        /// Tags.
        text tags: Vec<String> = default,
        /// Who wrote it.
        fact author: Person,
        /// The issue that it comes from.
        fact issue_id: Option<IssueId> = default,
        /// The run in which it was written.
        fact run_id: Option<RunId> = default,
        /// The open question that it answers.
        fact answers: Option<EntryId> = default,
        /// The time.
        fact created_at: Time,
    }
}
