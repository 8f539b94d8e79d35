//! Long texts: each is cut, with a mark that says how long it was and how to read all of it.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::checks::OUTPUT;
use super::whole;
use crate::mcp::refused::Voice;
use crate::mcp::tools::{Call, is_part_of_an_issue};
use crate::model::{Code, Op, RemedyCall};
use crate::ops::Refusal;
use crate::rules::Cut;
use crate::rules::bounded::{LONGEST, LONGEST_OF_ISSUE};
use crate::store::{Snapshot, Store, resolve};

/// The most bytes of an answer: above it, texts are cut shorter, down to this many characters.
const MOST_BYTES: usize = 100_000;
const SHORTEST: usize = 1_000;
/// The most characters of the output of a test.
const LONGEST_OUTPUT: usize = 1_000;
/// A text that is hardly longer than the limit is left alone; what cut it before has left a mark of its own.
const MARGIN: usize = 100;
/// The fields with the ids of records, the outer ones first.
const IDS: [&str; 4] = ["issue_id", "solution_id", "execution_id", "id"];

/// Cuts the texts of an answer.
pub(in crate::mcp) struct Texts<'a> {
    store: &'a Store,
    voice: Voice<'a>,
    /// The state in which ids are looked up; `None` if it cannot be read.
    snapshot: OnceCell<Option<Snapshot<'a>>>,
}

/// What contains a text.
#[derive(Clone, Copy)]
struct TextContext<'p> {
    /// The most characters of it.
    longest: usize,
    /// The ids around it, the nearest last.
    ids: &'p [String],
    /// Whether its end matters.
    is_output: bool,
    is_of_project: bool,
}

impl<'a> Texts<'a> {
    pub(in crate::mcp) fn new(call: &Call<'a>) -> Self {
        Self { store: call.session.store(), voice: call.voice, snapshot: OnceCell::new() }
    }

    /// Cuts texts until the answer is short enough, or its texts are so short that all of them are to be read.
    pub(in crate::mcp) fn fit(&self, answer: &mut Value) {
        let mut longest = LONGEST_OF_ISSUE;
        if size(answer) <= LONGEST_OUTPUT {
            return;
        }
        loop {
            let mut cut = answer.clone();
            self.cut(&mut cut, TextContext { longest, ids: &[], is_output: false, is_of_project: false });
            if size(&cut) <= MOST_BYTES || longest <= SHORTEST {
                *answer = cut;
                return;
            }
            longest = (longest / 2).max(SHORTEST);
        }
    }

    fn cut(&self, value: &mut Value, at: TextContext<'_>) {
        match value {
            Value::String(text) if text.len() > at.longest + MARGIN => self.shorten(text, at),
            Value::Array(items) => items.iter_mut().for_each(|item| self.cut(item, at)),
            Value::Object(fields) => self.cut_fields(fields, at),
            _ => {}
        }
    }

    fn cut_fields(&self, fields: &mut Map<String, Value>, at: TextContext<'_>) {
        let mut ids = at.ids.to_vec();
        // A comment is beside its issue.
        ids.extend(fields.get("issue").and_then(|field| field["id"].as_str()).map(str::to_owned));
        ids.extend(IDS.iter().filter_map(|name| id(fields, name)));
        // Texts of a reviewer's `issue` are those of `issue_id`.
        let of_issue = id(fields, "issue_id");
        for (name, value) in fields.iter_mut() {
            let name = name.as_str();
            let own = if ["issue", "exploration"].contains(&name) { of_issue.clone() } else { None };
            let is_short = is_part_of_an_issue(name) || name == "comment";
            let is_output = name == OUTPUT;
            let longest = if is_output {
                LONGEST_OUTPUT
            } else if is_short {
                at.longest.min(LONGEST)
            } else {
                at.longest
            };
            let is_of_project = at.is_of_project || name == "project_context";
            let has_own = own.is_some();
            ids.extend(own);
            self.cut(value, TextContext { longest, ids: &ids, is_output, is_of_project });
            if has_own {
                ids.pop();
            }
        }
    }

    fn shorten(&self, text: &mut String, at: TextContext<'_>) {
        let characters = text.chars().count();
        if characters <= at.longest + MARGIN {
            return;
        }
        let all = if at.is_of_project {
            RemedyCall::from(Op::Settings).flag("json")
        } else {
            whole(at.ids.iter().rev().find(|id| self.is_record(id)).map_or("ID", |id| id))
        };
        let all = format!("of {characters} characters; `{}` shows all", self.voice.command(&all));
        let (mut cut, longest) = (Cut::at(at.longest), at.longest);
        *text = if at.is_output {
            format!("[last {longest} {all}] {}", cut.end(text))
        } else {
            format!("{} [first {longest} {all}]", cut.text(text))
        };
    }

    /// Whether this is the id of an issue, a plan or an execution: tasks and comments have ids, too.
    fn is_record(&self, id: &str) -> bool {
        let snapshot = self.snapshot.get_or_init(|| self.store.snapshot().ok());
        snapshot
            .as_ref()
            .is_some_and(|snapshot| resolve::exact(snapshot, id).is_ok_and(|known| known.is_some()))
    }
}

/// Refuses a document with a text that was cut here: written back, it would end with the mark, and the rest would be lost.
///
/// # Errors
/// `invalid-arguments`.
pub(in crate::mcp) fn refuse_cut(document: &Value, name: &str, of: Option<&str>) -> Result<(), Refusal> {
    if !has_mark(document) {
        return Ok(());
    }
    let message = format!("a text in `{name}` was cut, and the rest would be lost");
    let refusal = Refusal::new(Code::InvalidArguments, message)
        .hint("write all of the text; the mark in it names the command that shows all");
    Err(match of {
        Some(id) => refusal.remedy(whole(id), "shows all of it"),
        None => refusal,
    })
}

fn has_mark(value: &Value) -> bool {
    match value {
        Value::String(text) => text.match_indices('[').any(|(at, _)| is_mark(&text[at + 1..])),
        Value::Array(items) => items.iter().any(has_mark),
        Value::Object(fields) => fields.values().any(has_mark),
        _ => false,
    }
}

fn id(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this continues as a mark of [`Texts::shorten`] after its bracket.
fn is_mark(rest: &str) -> bool {
    let rest = ["first ", "last "].iter().find_map(|word| rest.strip_prefix(word));
    rest.and_then(|rest| rest.split_once(" of ")).is_some_and(|(longest, rest)| {
        let rest = rest.split_once(" characters; `").filter(|(all, _)| is_number(all));
        is_number(longest) && rest.is_some_and(|(_, rest)| rest.contains("` shows all]"))
    })
}

/// Its bytes as JSON.
fn size(value: &Value) -> usize {
    value.to_string().len()
}

/// Cuts every long text in a value, without a mark: what it quotes is known to the caller.
pub(in crate::mcp) fn shorten(value: &mut Value, cut: &mut Cut) {
    match value {
        Value::String(text) if text.len() > cut.longest() => *text = cut.text(text),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, cut)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten(field, cut)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_was_cut_is_not_written_back() {
        for text in [
            "a… [first 1000 of 4095 characters; `git wf show A-1 --json` shows all]",
            "[last 1000 of 4095 characters; `git wf show A-1 --json` shows all] …a",
            "[] a… [first 1000 of 4095 characters; `git wf show A-1 --json` shows all], and more",
        ] {
            let refused =
                refuse_cut(&json!({ "tasks": [{ "title": text }] }), "plan", Some("A-1")).unwrap_err();
            assert_eq!(refused.code, Code::InvalidArguments, "{text}");
            assert_eq!(refused.remedies[1].line().as_deref(), Some("git wf show A-1 --json"));
        }
        for text in
            ["[first of all]", "[first 2 of 3 characters]", "…", "a [last 2 of 3 characters; see `x`]"]
        {
            assert!(refuse_cut(&json!([text]), "plan", None).is_ok(), "{text}");
        }
    }
}
