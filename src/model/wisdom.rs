//! What a team learned: learnings, decisions, conventions and open questions, which agents get with their work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::id::{EntryId, IssueId, RunId};
use super::person::Person;
use super::text_enum::text_enum;
use super::time::Time;

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

/// One piece of wisdom. Written once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Wisdom {
    /// The entry's name.
    pub(crate) id: EntryId,
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: WisdomType,
    /// Markdown.
    pub(crate) text: String,
    /// Tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// Who wrote it.
    pub(crate) author: Person,
    /// The issue that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) issue_id: Option<IssueId>,
    /// The run in which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<RunId>,
    /// When.
    pub(crate) created_at: Time,
}

super::record::entries!(Wisdom);
