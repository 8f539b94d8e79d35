//! Ids: their grammars, and what can be derived from one. Every id is checked before it becomes a path.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

use super::fingerprint::FINGERPRINT_PATTERN;
use super::{Code, Explain, Fingerprint, Other, Remedies, RemedyCall, Stamp, Time, Uid};

/// Prefixes of ids that the program generates; the id of an issue may not begin with one.
const RESERVED: &[&str] = &["SOL-", "EXR-", "QUE-", "RUN-", "RMAP-", "CFT-"];
const SHORTEST: usize = 3;
const LONGEST: usize = 80;
const LONGEST_UID: usize = 16;
/// This many letters of a fingerprint are shown to people.
const SHOWN_LETTERS: usize = 8;

const SOLUTION_RULE: &str = "it is SOL-, the id of its issue, `-`, and 1 to 16 characters of a-z and 0-9";
const EXECUTION_RULE: &str =
    "it is EXR-, the id of its issue, `-`, and 26 letters and digits derived from its content";
const ENTRY_RULE: &str = "it is <time>-<counter>-<26 letters and digits derived from its content>";
const ISSUE_RULE: &str = "an id looks like GH-123: 3 to 80 letters, digits, `.`, `_` or `-`, beginning with a letter, with at least one `-`";

/// The grammars as patterns for JSON Schema.
const ISSUE_PATTERN: &str = r"^(?!SOL-|EXR-|QUE-|RUN-|RMAP-|CFT-)(?=[^-]+-)(?!.*\.\.)[A-Za-z][A-Za-z0-9._-]{2,79}(?<!\.)(?<!\.lock)(?<!\.json)$";

/// A place in a log, and a fingerprint.
fn entry_pattern() -> String {
    format!("^[0-9]{{8}}T[0-9]{{9}}Z-[0-9]{{5}}-{FINGERPRINT_PATTERN}$")
}

/// The grammar of [`ISSUE_PATTERN`] between a prefix and a last part.
fn inner_pattern(prefix: &str, last: &str) -> String {
    format!(
        r"^{prefix}-(?!SOL-|EXR-|QUE-|RUN-|RMAP-|CFT-)(?=[^-]+-.*-)(?!.*\.\.)[A-Za-z][A-Za-z0-9._-]{{2,79}}(?<!\.)(?<!\.lock)(?<!\.json)-{last}$"
    )
}

/// A prefix, and characters that a file name can have.
fn prefixed_pattern(prefix: &str) -> String {
    format!(r"^(?!.*\.\.){prefix}-[A-Za-z0-9._-]{{1,76}}(?<!\.)(?<!\.lock)(?<!\.json)$")
}

/// A text that cannot be an id of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` cannot be the id of {kind}: {rule}")]
pub(crate) struct IdError {
    kind: &'static str,
    value: String,
    rule: &'static str,
}

impl IdError {
    /// What an id of this kind looks like.
    pub(crate) fn expected(&self) -> String {
        format!("the id of {} ({})", self.kind, self.rule)
    }
}

impl Explain for IdError {
    fn code(&self) -> Code {
        Code::InvalidId
    }

    fn remedies(&self) -> Remedies {
        match self.kind {
            "an issue" => "an id looks like ISS-001, GH-123 or beads_rust-07b".into(),
            "a plan" => "a plan's id is SOL-<issue id>-<uid>, such as SOL-ISS-001-a7x9".into(),
            "an execution" => "an execution's id is EXR-<issue id>-<26 letters and digits>".into(),
            "a run" => "a run's id is RUN-<YYYYMMDD>-<uid>, such as RUN-20261121-9w1nx3h2".into(),
            "a roadmap" => "a roadmap's id is RMAP-<words of its title>-<YYYYMMDD>-<uid>".into(),
            _ => Remedies::call(Other::List, "shows the issues")
                .or_call(Other::QueueList, "the queues")
                .or_call(RemedyCall::new(Other::SolutionList, ["ISSUE"]), "the plans"),
        }
    }
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $check:expr, $pattern:expr, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(String);

        impl $name {
            /// Checks the grammar; an id that passes is safe as one component of a path.
            pub(crate) fn parse(text: &str) -> Result<Self, IdError> {
                Self::of_text(text.to_owned())
            }

            /// Like `parse`, for an owned text.
            fn of_text(text: String) -> Result<Self, IdError> {
                let check: fn(&str) -> Result<(), &'static str> = $check;
                match check(&text) {
                    Ok(()) => Ok(Self(text)),
                    Err(rule) => Err(IdError { kind: $kind, value: text, rule }),
                }
            }

            /// The id as text.
            #[allow(dead_code)] // Not every id is needed as a text.
            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::of_text(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": concat!("the id of ", $kind),
                    "pattern": $pattern,
                    "examples": [$example]
                })
            }
        }
    };
}

id_type!(
    /// An issue: `ISS-<YYYYMMDD>-<uid>` if generated here, else as it was given or imported.
    IssueId,
    "an issue",
    issue_grammar,
    ISSUE_PATTERN,
    "ISS-20261121-7k3m2pq9"
);
id_type!(
    /// A plan: `SOL-<issue id>-<uid>`.
    SolutionId,
    "a plan",
    |text| inner_grammar(text, "SOL-", SOLUTION_RULE, |uid| {
        (1..=LONGEST_UID).contains(&uid.len())
            && uid.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    }),
    inner_pattern("SOL", "[a-z0-9]{1,16}"),
    "SOL-ISS-20261121-7k3m2pq9-a7x9"
);
id_type!(
    /// An execution: `EXR-<issue id>-<fingerprint>`.
    ExecutionId,
    "an execution",
    |text| inner_grammar(text, "EXR-", EXECUTION_RULE, Fingerprint::is_one),
    inner_pattern("EXR", FINGERPRINT_PATTERN),
    "EXR-ISS-20261121-7k3m2pq9-0c4d8v2mxr8kz4t1n6b3h9w5ya"
);
id_type!(
    /// A queue: `QUE-…`.
    QueueId,
    "a queue",
    |text| prefixed_grammar(text, "QUE-", "it is QUE- and a name, 80 characters at most"),
    prefixed_pattern("QUE"),
    "QUE-20261121-9w1nx3h2"
);
id_type!(
    /// A run: `RUN-…`.
    RunId,
    "a run",
    |text| prefixed_grammar(text, "RUN-", "it is RUN- and a name, 80 characters at most"),
    prefixed_pattern("RUN"),
    "RUN-20261121-9w1nx3h2"
);
id_type!(
    /// An item's number within its queue: `S-1`.
    ItemId,
    "an item",
    item_grammar,
    "^S-[1-9][0-9]{0,17}$",
    "S-1"
);

id_type!(
    /// An entry of a log: its place there and the fingerprint of its content, `<time>-<counter>-<fingerprint>`.
    EntryId,
    "a log entry",
    entry_grammar,
    entry_pattern(),
    "20261121T021405123Z-00000-0c4d8v2mxr8kz4t1n6b3h9w5ya"
);

mod roadmap;
mod short;

pub(crate) use roadmap::RoadmapId;
pub(crate) use short::{short, shortened};

impl EntryId {
    /// The entry with this content at the place of a stamp.
    pub(crate) fn new(stamp: &Stamp, content: &Fingerprint) -> Self {
        Self(format!("{}-{content}", stamp.entry_place()))
    }

    /// The last possible stamp at its place in the log, so that a stamp after it is later, whatever the entry's
    /// content.
    pub(crate) fn stamp(&self) -> Stamp {
        let place = self.0.rsplit_once('-').and_then(|(place, _)| Stamp::last_at(place));
        place.unwrap_or_else(|| unreachable!("the grammar was checked"))
    }

    /// The first eight characters of the fingerprint, which people see and can type.
    pub(crate) fn short(&self) -> &str {
        let content = self.fingerprint();
        content.get(..8).unwrap_or(content)
    }

    /// The fingerprint of its content.
    pub(crate) fn fingerprint(&self) -> &str {
        last_part(&self.0)
    }
}

impl IssueId {
    /// An id for an issue made here at `at`.
    pub(crate) fn made(at: Time, uid: &Uid) -> Self {
        Self(format!("ISS-{}-{uid}", at.date_digits()))
    }

    /// The part that a person can type for this issue, instead of a prefix of the whole id.
    pub(crate) fn uid(&self) -> &str {
        last_part(&self.0)
    }
}

impl SolutionId {
    /// An id for a plan of `issue`.
    pub(crate) fn made(issue: &IssueId, uid: &Uid) -> Self {
        Self(format!("SOL-{issue}-{uid}"))
    }

    /// The issue that this plan is for.
    pub(crate) fn issue(&self) -> IssueId {
        IssueId(inner_issue(&self.0).to_owned())
    }

    /// The last part.
    pub(crate) fn uid(&self) -> &str {
        last_part(&self.0)
    }
}

impl ExecutionId {
    /// An id for an attempt at a plan of `issue`.
    pub(crate) fn new(issue: &IssueId, content: &Fingerprint) -> Self {
        Self(format!("EXR-{issue}-{content}"))
    }

    /// The issue whose plan is executed.
    pub(crate) fn issue(&self) -> IssueId {
        IssueId(inner_issue(&self.0).to_owned())
    }

    /// The fingerprint of its content.
    pub(crate) fn fingerprint(&self) -> &str {
        last_part(&self.0)
    }

    /// The short form that people see and may type.
    pub(crate) fn short(&self) -> &str {
        &self.0[..self.0.len() - self.fingerprint().len() + SHOWN_LETTERS]
    }
}

impl QueueId {
    /// An id for a queue made at `at`.
    pub(crate) fn made(at: Time, uid: &Uid) -> Self {
        Self(format!("QUE-{}-{uid}", at.date_digits()))
    }

    /// The last part.
    pub(crate) fn uid(&self) -> &str {
        last_part(&self.0)
    }
}

impl RunId {
    /// An id for a run that begins at `at`.
    pub(crate) fn made(at: Time, uid: &Uid) -> Self {
        Self(format!("RUN-{}-{uid}", at.date_digits()))
    }

    /// The last part.
    pub(crate) fn uid(&self) -> &str {
        last_part(&self.0)
    }
}

impl ItemId {
    /// The item with this number.
    pub(crate) fn numbered(number: u64) -> Self {
        Self(format!("S-{number}"))
    }

    /// The number.
    pub(crate) fn number(&self) -> u64 {
        // The grammar admits at most 18 digits.
        self.0[2..].parse().unwrap_or_default()
    }
}

fn last_part(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(_, uid)| uid)
}

/// `ISS-001` of `SOL-ISS-001-a7x9`; the grammar has already been checked.
fn inner_issue(id: &str) -> &str {
    id[4..].rsplit_once('-').map_or(&id[4..], |(issue, _)| issue)
}

fn issue_grammar(text: &str) -> Result<(), &'static str> {
    if !(SHORTEST..=LONGEST).contains(&text.len()) || !text.as_bytes().contains(&b'-') {
        return Err(ISSUE_RULE);
    }
    if RESERVED.iter().any(|prefix| text.starts_with(prefix)) {
        return Err("SOL-, EXR-, QUE-, RUN-, RMAP- and CFT- begin other kinds of ids");
    }
    component_grammar(text, ISSUE_RULE)
}

/// One pass over the text, since ids are read by the thousand.
fn component_grammar(text: &str, rule: &'static str) -> Result<(), &'static str> {
    let mut before = b' ';
    let mut has_two_dots = false;
    for byte in text.bytes() {
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')) {
            return Err(rule);
        }
        has_two_dots |= byte == b'.' && before == b'.';
        before = byte;
    }
    if !text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) {
        return Err(rule);
    }
    if has_two_dots || [".", ".lock", ".json"].iter().any(|end| text.ends_with(end)) {
        return Err("an id has no `..` in it and does not end in `.`, `.lock` or `.json`");
    }
    Ok(())
}

fn inner_grammar(
    text: &str,
    prefix: &str,
    rule: &'static str,
    is_last_part: fn(&str) -> bool,
) -> Result<(), &'static str> {
    let (issue, last) = text.strip_prefix(prefix).and_then(|rest| rest.rsplit_once('-')).ok_or(rule)?;
    if !is_last_part(last) {
        return Err(rule);
    }
    issue_grammar(issue)
}

fn entry_grammar(text: &str) -> Result<(), &'static str> {
    let (place, last) = text.rsplit_once('-').ok_or(ENTRY_RULE)?;
    (Fingerprint::is_one(last) && Stamp::last_at(place).is_some()).then_some(()).ok_or(ENTRY_RULE)
}

fn prefixed_grammar(text: &str, prefix: &str, rule: &'static str) -> Result<(), &'static str> {
    if text.len() > LONGEST || text.strip_prefix(prefix).is_none_or(str::is_empty) {
        return Err(rule);
    }
    component_grammar(text, rule)
}

fn item_grammar(text: &str) -> Result<(), &'static str> {
    let digits = text.strip_prefix("S-").unwrap_or_default();
    let sound = (1..=18).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !digits.starts_with('0');
    sound.then_some(()).ok_or("an item is S-1, S-2, … of its queue")
}

#[cfg(test)]
mod tests;
