//! The fields of an issue that hold one short value. Each is declared once: command lines, forms, the editor's text, lists
//! and their filters, tables and the context of agents follow from here.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Issue, Priority};

/// A field of an issue with one value.
#[derive(Debug)]
pub(crate) struct IssueField {
    /// Its name in JSON and in web forms.
    pub(crate) name: &'static str,
    /// Its name elsewhere: `--type`, `type: bug`.
    pub(crate) word: &'static str,
    /// Its short option.
    pub(crate) short: Option<char>,
    /// What its value is called in the help: `PERSON`.
    pub(crate) placeholder: &'static str,
    /// The help of the option that sets it.
    pub(crate) help: &'static str,
    /// The help of the option that filters by it.
    pub(crate) filter_help: &'static str,
    /// Its column in the index.
    pub(crate) column: &'static str,
    /// Which values it takes.
    pub(crate) values: ValueKind,
    get: fn(&Issue) -> Option<String>,
    /// Sets a value that [`IssueField::check`] accepts.
    set: fn(&mut Issue, &str),
}

/// Which values a field takes.
#[derive(Debug)]
pub(crate) enum ValueKind {
    /// The name of someone, compared as it is.
    Person,
    /// Any word, compared in lower case.
    Word,
    /// One of a few.
    Choice {
        /// In order.
        words: &'static [&'static str],
        /// What can be typed.
        expected: &'static str,
        /// The position of a value that was typed among the words.
        position: fn(&str) -> Option<usize>,
        /// Whether every issue has a value.
        is_required: bool,
    },
}

impl PartialEq for IssueField {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// How the index stores and compares a value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FieldKey {
    /// A choice, counted from 1.
    Number(i64),
    /// A text.
    Text(String),
}

/// All of them, in the order in which they are shown.
pub(crate) static ISSUE_FIELDS: [IssueField; 3] = [
    IssueField {
        name: "priority",
        word: "priority",
        short: Some('p'),
        placeholder: "PRIORITY",
        help: "Priority: 1 to 5, or critical, high, medium, low, trivial",
        filter_help: "Only issues with this priority; repeat, or separate several with commas",
        column: "priority",
        values: ValueKind::Choice {
            words: &Priority::NAMES,
            expected: "1 to 5, or critical, high, medium, low, trivial",
            position: |text| Priority::parse(text).map(|priority| usize::from(priority.number()) - 1),
            is_required: true,
        },
        get: |issue| Some(issue.priority.name().to_owned()),
        set: |issue, text| issue.priority = Priority::parse(text).unwrap_or(issue.priority),
    },
    IssueField {
        name: "issue_type",
        word: "type",
        short: None,
        placeholder: "TYPE",
        help: "Type: bug, feature, task, or any other word your team uses",
        filter_help: "Only issues of this type, such as bug; repeat, or separate several with commas",
        column: "kind",
        values: ValueKind::Word,
        get: |issue| issue.issue_type.clone(),
        set: |issue, text| issue.issue_type = some(text),
    },
    IssueField {
        name: "assignee",
        word: "assignee",
        short: None,
        placeholder: "PERSON",
        help: "Assignee; with `edit`, an empty string clears it",
        filter_help: "Only issues assigned to this person",
        column: "assignee",
        values: ValueKind::Person,
        get: |issue| issue.assignee.clone(),
        set: |issue, text| issue.assignee = some(text),
    },
];

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl IssueField {
    /// The field with this name in JSON.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        ISSUE_FIELDS.iter().find(|field| field.name == name)
    }

    /// The field with this name on command lines and in texts.
    pub(crate) fn of_word(word: &str) -> Option<&'static Self> {
        ISSUE_FIELDS.iter().find(|field| field.word == word)
    }

    /// Whether every issue has a value.
    pub(crate) fn is_required(&self) -> bool {
        matches!(self.values, ValueKind::Choice { is_required: true, .. })
    }

    /// Its value, as text.
    pub(crate) fn value(&self, issue: &Issue) -> Option<String> {
        (self.get)(issue)
    }

    /// Checks a value that someone typed; an empty one clears the field, if that is possible.
    ///
    /// # Errors
    /// What is expected.
    pub(crate) fn check(&self, text: &str) -> Result<(), String> {
        match self.values {
            ValueKind::Choice { position, is_required, expected, .. }
                if (is_required || !text.trim().is_empty()) && position(text.trim()).is_none() =>
            {
                Err(format!("expected {expected}"))
            }
            _ => Ok(()),
        }
    }

    /// How the index has a value; `None` for one that the field cannot have.
    pub(crate) fn key(&self, text: &str) -> Option<FieldKey> {
        match self.values {
            ValueKind::Person => Some(FieldKey::Text(text.to_owned())),
            ValueKind::Word => Some(FieldKey::Text(text.to_lowercase())),
            ValueKind::Choice { position, .. } => {
                position(text).and_then(|at| i64::try_from(at + 1).ok()).map(FieldKey::Number)
            }
        }
    }
}

/// Values of fields, as texts that the fields accept. An empty text stands for no value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldValues(BTreeMap<&'static str, String>);

impl FieldValues {
    /// All fields of an issue.
    pub(crate) fn from_issue(issue: &Issue) -> Self {
        let value = |field: &'static IssueField| (field.name, field.value(issue).unwrap_or_default());
        Self(ISSUE_FIELDS.iter().map(value).collect())
    }

    /// Whether no field is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a field, if it is given.
    pub(crate) fn get(&self, field: &IssueField) -> Option<&str> {
        self.0.get(field.name).map(String::as_str)
    }

    /// Gives a field the value that someone typed.
    ///
    /// # Errors
    /// What is expected.
    pub(crate) fn set(&mut self, field: &'static IssueField, text: String) -> Result<(), String> {
        field.check(&text)?;
        let chosen = match field.values {
            ValueKind::Choice { words, position, .. } => position(text.trim()).and_then(|at| words.get(at)),
            ValueKind::Person | ValueKind::Word => None,
        };
        self.0.insert(field.name, chosen.map_or(text, |word| (*word).to_owned()));
        Ok(())
    }

    /// Takes a field away.
    pub(crate) fn forget(&mut self, field: &IssueField) {
        self.0.remove(field.name);
    }

    /// These, and of the fields that they do not give, those of `others`.
    pub(crate) fn or(mut self, others: &Self) -> Self {
        for (name, value) in &others.0 {
            self.0.entry(name).or_insert_with(|| value.clone());
        }
        self
    }

    /// Sets the fields of an issue.
    pub(crate) fn apply(&self, issue: &mut Issue) {
        for field in &ISSUE_FIELDS {
            if let Some(text) = self.get(field) {
                (field.set)(issue, text.trim());
            }
        }
    }
}

/// What agents need to know of these fields, as members of their context: all but the assignee.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ToldFields {
    /// 1 (critical) to 5 (trivial).
    #[serde(skip_serializing_if = "never")]
    priority: Priority,
    /// bug, feature, task, … as the team uses it.
    issue_type: Option<String>,
}

impl ToldFields {
    /// The values of an issue.
    pub(crate) fn from_issue(issue: &Issue) -> Self {
        Self { priority: issue.priority, issue_type: issue.issue_type.clone() }
    }

    /// Each with its name, as text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        [("priority", Some(self.priority.name().to_owned())), ("type", self.issue_type.clone())].into_iter()
    }
}

/// For a field that this program always prints, but that other programs may leave out.
fn never<T>(_: &T) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{IssueId, Time, typed};

    #[test]
    fn each_field_is_stored_under_its_name_and_read_back_as_it_was_typed() {
        let id = IssueId::parse("ISS-1").unwrap();
        let mut issue = Issue::new(id, "a".into(), Time::EPOCH, "t".into());
        for field in &ISSUE_FIELDS {
            let word = match field.values {
                ValueKind::Choice { words, .. } => words[0],
                ValueKind::Person | ValueKind::Word => "Ada",
            };
            let mut values = FieldValues::default();
            values.set(field, format!(" {word}")).unwrap();
            values.apply(&mut issue);
            assert_eq!(field.value(&issue).as_deref(), Some(word), "{}", field.name);
            assert!(!typed::own_json(&issue)[field.name].is_null(), "{}", field.name);
            let cleared = values.set(field, String::new());
            assert_eq!(cleared.is_err(), field.is_required(), "{}", field.name);
            values.apply(&mut issue);
            assert_eq!(field.value(&issue).is_none(), !field.is_required(), "{}", field.name);
        }
        assert_eq!(issue.priority.name(), "critical");
    }

    #[test]
    fn a_choice_has_one_form_however_it_was_typed() {
        let priority = IssueField::named("priority").unwrap();
        let typed = |text: &str| {
            let mut values = FieldValues::default();
            values.set(priority, text.to_owned()).map(|()| values)
        };
        assert_eq!(typed("1"), typed(" Critical"));
        assert_eq!(priority.key("2"), Some(FieldKey::Number(2)));
        assert_eq!(typed("soon").unwrap_err(), "expected 1 to 5, or critical, high, medium, low, trivial");
    }
}
