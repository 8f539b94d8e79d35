//! Checks whether the document of a roadmap is sound.

mod message;
mod pattern;
mod scopes;
mod table;
mod tasks;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use self::message::Message;
use self::table::{
    CYCLE, DEPENDS_ON, DONE, FORM, LAYERS, LENGTH, LIFECYCLE, TASKS, TEXT, TITLE, TYPE, VAGUE, VERIFICATION,
    WAVE,
};
use super::{Item, items, layer, mode, title};
use crate::model::roadmap::{MOST_LAYERS, MOST_LINES, MOST_TASKS};
use crate::model::{
    AcceptanceType, CommitStrategy, Convergence, LifecycleRequirements, RegressionScope, RoadmapDocument,
    RoadmapMode, TestStrategy, Unread, typed,
};
use crate::rules::vague::{WAY_TO_CHECK, is_technical, is_thin, is_vague};
use crate::rules::{PlanFinding, Rule, dag, limits};

pub(crate) use table::RULES;

/// The minimum of layers: one is not a roadmap.
const FEWEST_LAYERS: usize = 2;
/// The most characters of a text.
const LONGEST_TEXT: usize = 4_000;
/// Maximum length of the name of a layer, or of the type of a task, in characters.
const LONGEST_NAME: usize = 50;
/// More findings would not help.
const MOST_FINDINGS: usize = 200;

/// The context that a document is checked in.
#[derive(Clone, Copy, Default)]
pub(crate) struct RoadmapSetting<'a> {
    /// Whether a path exists in the checked-out commit; `None` if there is none.
    pub(crate) known_files: Option<&'a dyn Fn(&str) -> bool>,
}

/// Parses a document and checks it against every rule; the error lists what is wrong.
pub(crate) fn examine(
    given: &Value,
    setting: RoadmapSetting<'_>,
) -> Result<RoadmapDocument, Vec<PlanFinding>> {
    let mut checker = Checker { setting, findings: vec![] };
    let document = match typed::read_at::<RoadmapDocument>(given) {
        Ok(document) if given.is_object() => document,
        Ok(_) => {
            checker.find(&TYPE, "$", Some(given), "a roadmap, as a JSON object");
            return Err(checker.findings);
        }
        Err(Unread { path, error }) => {
            let message = Message::new(&error.to_string());
            let path = message.path(&path);
            let found = message.found.or_else(|| Some(format!("`{}`", at(given, &path)?)));
            checker.find_as(&TYPE, path, found, message.expected);
            return Err(checker.findings);
        }
    };
    checker.document(&document);
    if checker.findings.is_empty() { Ok(document) } else { Err(checker.findings) }
}

/// The value at a path such as `tasks[0].scope`.
fn at<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    document.pointer(&format!("/{}", path.replace(['[', '.'], "/").replace(']', "")))
}

struct Checker<'a> {
    setting: RoadmapSetting<'a>,
    findings: Vec<PlanFinding>,
}

impl Checker<'_> {
    fn find(
        &mut self,
        rule: &Rule,
        path: impl Into<String>,
        found: Option<&Value>,
        allowed: impl Into<String>,
    ) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(PlanFinding::new(rule, path, found, allowed));
        }
    }

    /// Like [`Self::find`], with the found value as text.
    fn find_as(&mut self, rule: &Rule, path: String, found: Option<String>, allowed: String) {
        let finding = PlanFinding::new(rule, path, None, allowed);
        let found = found.unwrap_or_else(|| finding.found.clone());
        self.findings.push(PlanFinding { found, ..finding });
    }

    /// Like [`Self::find`], with a remedy of its own.
    fn find_with(&mut self, rule: &Rule, path: String, found: &Value, allowed: &str, remedy: &'static str) {
        if self.findings.len() < MOST_FINDINGS {
            let finding = PlanFinding::new(rule, path, Some(found), allowed);
            self.findings.push(PlanFinding { remedy, ..finding });
        }
    }

    fn document(&mut self, document: &RoadmapDocument) {
        match title(document).map(limits::title) {
            None => self.find(&TITLE, "title", None, "a title"),
            Some(Err(_)) => {
                let allowed = format!("one line of at most {} characters", limits::LONGEST_TITLE);
                self.find(&TITLE, "title", title(document).map(Value::from).as_ref(), allowed);
            }
            Some(Ok(_)) => {}
        }
        self.lifecycle("", document.lifecycle_requirements.as_ref());
        self.lines("", "scope", &document.scope.0);
        if document.layers.is_empty() == document.tasks.is_empty() {
            let found = if document.layers.is_empty() { None } else { Some(json!("both")) };
            return self.find(&FORM, "$", found.as_ref(), "either layers or tasks");
        }
        let (items, mode) = (items(document), mode(document));
        let list = if mode == RoadmapMode::Progressive { "layers" } else { "tasks" };
        let is_many = match mode {
            RoadmapMode::Progressive => self.layer_ids(&items),
            RoadmapMode::Direct => self.task_ids(&items),
        };
        if is_many {
            return;
        }
        for (n, item) in items.iter().enumerate() {
            self.item(&format!("{list}[{n}]."), item, mode);
        }
        for (n, layer) in document.layers.iter().enumerate() {
            self.lifecycle(&format!("layers[{n}]."), layer.lifecycle_requirements.as_ref());
        }
        for (n, task) in document.tasks.iter().enumerate() {
            self.lifecycle(&format!("tasks[{n}]."), task.lifecycle_requirements.as_ref());
        }
        self.dependencies(list, &items);
        match mode {
            RoadmapMode::Progressive => self.scopes(&items, &document.scope.0),
            RoadmapMode::Direct => self.groups_and_inputs(&items),
        }
    }

    /// Whether there are too many to check each of them.
    fn layer_ids(&mut self, items: &[Item]) -> bool {
        if !(FEWEST_LAYERS..=MOST_LAYERS).contains(&items.len()) {
            let allowed = format!("{FEWEST_LAYERS} to {MOST_LAYERS} layers");
            self.find(&LAYERS, "layers", Some(&json!(items.len())), allowed);
        }
        for (n, item) in items.iter().enumerate().take(MOST_LAYERS) {
            if layer(&item.id) != Some(n as u64) {
                self.find(&LAYERS, format!("layers[{n}].id"), Some(&json!(item.id)), format!("L{n}"));
            }
        }
        items.len() > MOST_LAYERS
    }

    /// Whether there are too many to check each of them.
    fn task_ids(&mut self, items: &[Item]) -> bool {
        if items.len() > MOST_TASKS {
            self.find(&TASKS, "tasks", Some(&json!(items.len())), format!("1 to {MOST_TASKS} tasks"));
            return true;
        }
        let mut seen = BTreeSet::new();
        for (n, item) in items.iter().enumerate() {
            let number = item.id.strip_prefix('T').unwrap_or_default();
            let is_number = (1..=4).contains(&number.len())
                && !number.starts_with('0')
                && number.bytes().all(|byte| byte.is_ascii_digit());
            if !is_number {
                self.find(
                    &TASKS,
                    format!("tasks[{n}].id"),
                    Some(&json!(item.id)),
                    "T and a number from 1 to 9999",
                );
            } else if !seen.insert(item.id.as_str()) {
                self.find(&TASKS, format!("tasks[{n}].id"), Some(&json!(item.id)), "an id of its own");
            }
        }
        false
    }

    fn item(&mut self, at: &str, item: &Item, mode: RoadmapMode) {
        let (label, goal) = match mode {
            RoadmapMode::Progressive => ("name", "goal"),
            RoadmapMode::Direct => ("type", "title"),
        };
        self.name(at, label, &item.label);
        self.text(at, goal, &item.goal);
        if item.scope.is_empty() {
            self.find(&TEXT, format!("{at}scope"), None, "at least one");
        }
        for (name, lines) in [
            ("scope", &item.scope),
            ("excludes", &item.excludes),
            ("inputs", &item.inputs),
            ("outputs", &item.outputs),
        ] {
            self.lines(at, name, lines);
        }
        for (n, risk) in item.risks.iter().enumerate() {
            self.text(&format!("{at}risks[{n}]."), "risk", &risk.risk);
        }
        self.count(at, "risks", item.risks.len());
        self.convergence(&format!("{at}convergence."), &item.convergence);
    }

    fn convergence(&mut self, at: &str, convergence: &Convergence) {
        if convergence.criteria.is_empty() {
            self.find(&VAGUE, format!("{at}criteria"), None, "at least one criterion");
        }
        self.lines(at, "criteria", &convergence.criteria.0);
        for (n, criterion) in convergence.criteria.iter().enumerate().filter(|(_, text)| is_vague(text)) {
            self.find(
                &VAGUE,
                format!("{at}criteria[{n}]"),
                Some(&json!(criterion)),
                "something that can be checked",
            );
        }
        self.lines(at, "verification", &convergence.verification.0);
        if convergence.verification.iter().all(|text| is_thin(text, &[])) {
            let found = convergence.verification.0.first().map(|text| json!(text));
            self.find(&VERIFICATION, format!("{at}verification"), found.as_ref(), WAY_TO_CHECK);
        }
        self.text(at, "definition_of_done", &convergence.definition_of_done);
        if is_technical(&convergence.definition_of_done) {
            let found = json!(convergence.definition_of_done);
            self.find(&DONE, format!("{at}definition_of_done"), Some(&found), "what the requester has then");
        }
    }

    /// A text that is given and not too long.
    fn text(&mut self, at: &str, name: &str, text: &str) {
        if text.trim().is_empty() {
            self.find(&TEXT, format!("{at}{name}"), Some(&json!(text)), "a non-empty string");
        } else if text.chars().count() > LONGEST_TEXT {
            self.find(
                &LENGTH,
                format!("{at}{name}"),
                Some(&json!(text)),
                format!("at most {LONGEST_TEXT} characters"),
            );
        }
    }

    /// A text that becomes a part of a title, and a tag.
    fn name(&mut self, at: &str, name: &str, text: &str) {
        let (path, found) = (format!("{at}{name}"), json!(text));
        if limits::label(text.trim()).is_err() {
            self.find(&TEXT, path, Some(&found), "one line that is not empty");
        } else if text.chars().count() > LONGEST_NAME {
            self.find(&LENGTH, path, Some(&found), format!("at most {LONGEST_NAME} characters"));
        }
    }

    fn lines(&mut self, at: &str, name: &str, lines: &[String]) {
        self.count(at, name, lines.len());
        for (n, line) in lines.iter().enumerate().take(MOST_LINES) {
            self.text(at, &format!("{name}[{n}]"), line);
        }
    }

    fn count(&mut self, at: &str, name: &str, count: usize) {
        if count > MOST_LINES {
            self.find(
                &LENGTH,
                format!("{at}{name}"),
                Some(&json!(count)),
                format!("at most {MOST_LINES} elements"),
            );
        }
    }

    fn lifecycle(&mut self, at: &str, it: Option<&LifecycleRequirements>) {
        let Some(requirements) = it else { return };
        for (name, given, is_known, words) in [
            (
                "test_strategy",
                &requirements.test_strategy,
                (|word| TestStrategy::parse(word).is_some()) as fn(&str) -> bool,
                TestStrategy::words(),
            ),
            (
                "regression_scope",
                &requirements.regression_scope,
                |word| RegressionScope::parse(word).is_some(),
                RegressionScope::words(),
            ),
            (
                "acceptance_type",
                &requirements.acceptance_type,
                |word| AcceptanceType::parse(word).is_some(),
                AcceptanceType::words(),
            ),
            (
                "commit_strategy",
                &requirements.commit_strategy,
                |word| CommitStrategy::parse(word).is_some(),
                CommitStrategy::words(),
            ),
        ] {
            if let Some(word) = given.as_deref().filter(|word| !is_known(word)) {
                let path = format!("{at}lifecycle_requirements.{name}");
                self.find(&LIFECYCLE, path, Some(&json!(word)), format!("one of {words}"));
            }
        }
    }

    /// Each dependency is on another item of an earlier wave, and no way leads back.
    fn dependencies(&mut self, list: &str, items: &[Item]) {
        let waves: BTreeMap<&str, u64> = items.iter().map(|item| (item.id.as_str(), item.wave)).collect();
        let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        let cycles = dag::cycles(&ids, |id| edges(items, &waves, id));
        for cycle in &cycles {
            self.find(&CYCLE, list, Some(&json!(cycle.join(" → "))), "dependencies without a cycle");
        }
        for (n, item) in items.iter().enumerate() {
            self.count(&format!("{list}[{n}]."), "depends_on", item.depends_on.len());
            for (m, on) in item.depends_on.iter().enumerate().take(MOST_LINES) {
                let path = format!("{list}[{n}].depends_on[{m}]");
                let found = json!(on);
                match waves.get(on.as_str()) {
                    None => self.find(&DEPENDS_ON, path, Some(&found), format!("one of {}", ids.join(", "))),
                    Some(_) if item.id == "L0" => {
                        let remedy = "leave it out: L0 is usable by itself, so it depends on nothing";
                        self.find_with(&DEPENDS_ON, path, &found, "nothing", remedy);
                    }
                    // A cycle was named already.
                    Some(wave)
                        if *wave >= item.wave
                            && !cycles.iter().any(|cycle| cycle.contains(&item.id.as_str())) =>
                    {
                        let allowed =
                            format!("something of a wave before {}; `{on}` is in wave {wave}", item.wave);
                        self.find(&WAVE, path, Some(&found), allowed);
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

fn edges<'a>(items: &'a [Item], waves: &BTreeMap<&str, u64>, id: &str) -> Vec<&'a str> {
    let of = items.iter().find(|item| item.id == id).map(|item| item.depends_on.as_slice());
    let known = of.unwrap_or_default().iter().map(String::as_str);
    known.filter(|id| waves.contains_key(id)).collect()
}

/// A text as it is compared: without case, punctuation at its ends, and different blanks.
pub(super) fn plain(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    words.trim_matches(|c: char| c.is_ascii_punctuation()).to_owned()
}

#[cfg(test)]
mod tests;
