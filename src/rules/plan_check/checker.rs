//! The tools of the checks: typed fields, findings, and counts for the quality.

use serde_json::{Map, Value};

use super::PlanSetting;
use super::finding::PlanFinding;
use super::table::{PlanSeverity, RANGE, Rule, TYPE, UNKNOWN_WORD};
use crate::rules::quality::QualityResult;
use crate::rules::{Quality, QualityPart};

/// At most this many findings of one severity are listed; a longer list would not help.
const MOST_FINDINGS: usize = 1_000;

pub(super) struct Checker<'a> {
    pub(super) setting: PlanSetting<'a>,
    pub(super) findings: Vec<PlanFinding>,
    pub(super) quality: Quality,
    /// The number of findings by severity, listed or not.
    found: [usize; 2],
}

impl<'a> Checker<'a> {
    pub(super) fn new(setting: PlanSetting<'a>) -> Self {
        Self { setting, findings: Vec::new(), quality: Quality::default(), found: [0; 2] }
    }

    pub(super) fn find(
        &mut self,
        rule: &Rule,
        path: impl Into<String>,
        found: Option<&Value>,
        allowed: impl Into<String>,
    ) {
        let count = &mut self.found[usize::from(rule.severity == PlanSeverity::Warning)];
        *count += 1;
        if *count <= MOST_FINDINGS {
            self.findings.push(PlanFinding::new(rule, path, found, allowed));
        }
    }

    /// Counts one thing: it is sound if `look` finds nothing.
    pub(super) fn count<T>(&mut self, part: QualityPart, look: impl FnOnce(&mut Self) -> T) -> T {
        let (listed, found) = (self.findings.len(), self.found);
        let answer = look(self);
        let seen = if self.found == found {
            QualityResult::Sound
        } else {
            QualityResult::Spoilt((self.findings.len() > listed).then_some(listed))
        };
        self.quality.count(part, seen);
        answer
    }

    /// Like [`Self::count`], for something that only counts if it has a finding.
    pub(super) fn count_if_found(&mut self, part: QualityPart, look: impl FnOnce(&mut Self)) {
        let found = self.found;
        let listed = self.findings.len();
        look(self);
        if self.found != found {
            let first = (self.findings.len() > listed).then_some(listed);
            self.quality.count(part, QualityResult::Spoilt(first));
        }
    }

    /// Counts things that cannot be checked because of the last finding.
    pub(super) fn spoil(&mut self, part: QualityPart, times: usize) {
        let last = self.findings.len().checked_sub(1);
        for _ in 0..times {
            self.quality.count(part, QualityResult::Spoilt(last));
        }
    }

    /// A required text, which must not be empty.
    pub(super) fn filled_text(&mut self, rule: &Rule, map: &Map<String, Value>, at: &str, name: &str) {
        match map.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => {}
            other => self.find(rule, format!("{at}{name}"), other, "a non-empty string"),
        }
    }

    /// An optional text.
    pub(super) fn text(&mut self, map: &Map<String, Value>, at: &str, name: &str) {
        if let Some(other) = given(map, name).filter(|value| !value.is_string()) {
            self.find(&TYPE, format!("{at}{name}"), Some(other), "a string");
        }
    }

    /// An optional list of texts.
    pub(super) fn texts(&mut self, map: &Map<String, Value>, at: &str, name: &str) {
        match given(map, name) {
            None => {}
            Some(Value::Array(items)) => {
                for (n, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
                    self.find(&TYPE, format!("{at}{name}[{n}]"), Some(item), "a string");
                }
            }
            other => self.find(&TYPE, format!("{at}{name}"), other, "a list of strings"),
        }
    }

    /// The members of a required list, of which there must be at least one; the caller checks their types.
    pub(super) fn filled_list<'m>(
        &mut self,
        rule: &Rule,
        map: &'m Map<String, Value>,
        at: &str,
        name: &str,
    ) -> &'m [Value] {
        match map.get(name) {
            Some(Value::Array(items)) if !items.is_empty() => return items,
            Some(Value::Array(_)) => self.find(rule, format!("{at}{name}"), map.get(name), "at least one"),
            other => self.find(rule, format!("{at}{name}"), other, "a list of strings"),
        }
        &[]
    }

    /// A member of such a list: a text that is not empty.
    pub(super) fn filled_item<'m>(
        &mut self,
        rule: &Rule,
        item: &'m Value,
        at: impl FnOnce() -> String,
    ) -> Option<&'m str> {
        match item {
            Value::String(text) if !text.trim().is_empty() => return Some(text),
            Value::String(_) => self.find(rule, at(), Some(item), "a non-empty string"),
            other => self.find(rule, at(), Some(other), "a string"),
        }
        None
    }

    pub(super) fn object<'m>(
        &mut self,
        map: &'m Map<String, Value>,
        at: &str,
        name: &str,
    ) -> Option<&'m Map<String, Value>> {
        match given(map, name) {
            None => None,
            Some(Value::Object(inner)) => Some(inner),
            other => {
                self.find(&TYPE, format!("{at}{name}"), other, "an object");
                None
            }
        }
    }

    /// An optional word out of these, in any case. Returns whether it is given.
    pub(super) fn word(
        &mut self,
        rule: &Rule,
        map: &Map<String, Value>,
        at: &str,
        name: &str,
        words: &[&str],
    ) -> bool {
        match given(map, name) {
            None => return false,
            Some(Value::String(word)) if is_one_of(word, words) => {}
            other => self.find(rule, format!("{at}{name}"), other, format!("one of {}", words.join(", "))),
        }
        true
    }

    /// A warning if the text is not one of these words, in any case.
    pub(super) fn known_word(&mut self, map: &Map<String, Value>, at: &str, name: &str, words: &[&str]) {
        if let Some(Value::String(word)) = given(map, name)
            && !words.is_empty()
            && !is_one_of(word, words)
        {
            let allowed = format!("one of {}", words.join(", "));
            self.find(&UNKNOWN_WORD, format!("{at}{name}"), map.get(name), allowed);
        }
    }

    pub(super) fn number(&mut self, map: &Map<String, Value>, at: &str, name: &str, least: f64, most: f64) {
        match given(map, name) {
            None => {}
            Some(Value::Number(number)) if number.as_f64().is_some_and(|n| (least..=most).contains(&n)) => {}
            other => {
                let allowed = if most == f64::MAX {
                    format!("a number from {least} on")
                } else {
                    format!("a number from {least} to {most}")
                };
                self.find(&RANGE, format!("{at}{name}"), other, allowed);
            }
        }
    }
}

/// The value of a field; `null` counts as absent.
pub(super) fn given<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    map.get(name).filter(|value| !value.is_null())
}

/// Whether a word is one of these, in any case.
pub(super) fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word.trim()))
}
