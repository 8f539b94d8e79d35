//! Entries of a JSON file that may have comments. They are put in and taken out by splicing the text, so that everything
//! else stays as it is: comments, order, indentation, newlines.
//!
//! Taking out must know what putting in has made. That follows from the white space alone: an entry in an object or array
//! that was there, and was empty, stands directly behind its bracket; in one that was made for it, white space precedes it.

mod parsed;

use jsonc_parser::ast::{ObjectProp, Value as Node};
use jsonc_parser::common::Range;
use jsonc_parser::tokens::{Token, TokenAndRange};
use serde_json::{Map, Value, json};

pub(super) use self::parsed::refuse_unreadable;
use self::parsed::{Container, Parsed, container, member, parsed};
use super::json_render::{JsonLayout, render};
use super::section::newline_of;
use super::{AgentFileFault, State};

/// Something to put into a JSON file.
#[derive(Debug)]
pub(super) enum JsonEntry {
    /// A member of the object at this path.
    Member { path: Vec<&'static str>, key: &'static str, value: Value },
    /// An element of the array at this path: a hook.
    Element { path: Vec<&'static str>, value: Value },
}

/// An element with a text that contains this is a hook of this program, whatever else it says.
const COMMAND: &str = "wf prime";

const BOM: &str = "\u{feff}";

impl JsonEntry {
    fn path(&self) -> &[&'static str] {
        match self {
            Self::Member { path, .. } | Self::Element { path, .. } => path,
        }
    }

    fn value(&self) -> &Value {
        match self {
            Self::Member { value, .. } | Self::Element { value, .. } => value,
        }
    }
}

/// The nodes along the path that exist, from the root; all of them if the path exists.
fn along<'n, 'a>(root: &'n Node<'a>, entry: &JsonEntry) -> Result<Vec<&'n Node<'a>>, AgentFileFault> {
    let path = entry.path();
    let mut nodes = vec![root];
    for (n, key) in path.iter().enumerate() {
        let Some(found) = nodes.last().and_then(|node| member(node, key)) else { break };
        let wants_array = n + 1 == path.len() && matches!(entry, JsonEntry::Element { .. });
        let fits =
            if wants_array { found.value.as_array().is_some() } else { found.value.as_object().is_some() };
        if !fits {
            let wanted = if wants_array { "an array" } else { "an object" };
            return Err(AgentFileFault::NotA { key: (*key).to_owned(), wanted });
        }
        nodes.push(&found.value);
    }
    Ok(nodes)
}

/// Whether two values are the same, however they are written.
fn is_same(node: &Node<'_>, value: &Value) -> bool {
    match (node, value) {
        (Node::Object(it), Value::Object(map)) => {
            it.properties.len() == map.len()
                && it.properties.iter().all(|member| {
                    map.get(member.name.as_str()).is_some_and(|value| is_same(&member.value, value))
                })
        }
        (Node::Array(it), Value::Array(all)) => {
            it.elements.len() == all.len()
                && it.elements.iter().zip(all).all(|(node, value)| is_same(node, value))
        }
        (Node::StringLit(it), Value::String(text)) => it.value == text.as_str(),
        (Node::BooleanLit(it), Value::Bool(value)) => it.value == *value,
        (Node::NumberLit(it), Value::Number(number)) => it.value == number.to_string(),
        (Node::NullKeyword(_), Value::Null) => true,
        _ => false,
    }
}

/// Whether a string somewhere in the value runs this program as a hook.
fn runs_prime(node: &Node<'_>) -> bool {
    match node {
        Node::Object(it) => it.properties.iter().any(|member| runs_prime(&member.value)),
        Node::Array(it) => it.elements.iter().any(runs_prime),
        Node::StringLit(it) => it.value.contains(COMMAND) || it.value.contains("git-wf prime"),
        _ => false,
    }
}

/// The state of an entry, and where it is: the number of its child in the last container of its path.
fn found(root: &Node<'_>, entry: &JsonEntry) -> Result<(State, usize), AgentFileFault> {
    let nodes = along(root, entry)?;
    if nodes.len() <= entry.path().len() {
        return Ok((State::Missing, 0));
    }
    let last = nodes[entry.path().len()];
    let (is_ours, is_own): (Vec<bool>, Vec<bool>) = match (entry, last) {
        (JsonEntry::Member { key, value, .. }, Node::Object(it)) => {
            let named = |member: &ObjectProp<'_>| member.name.as_str() == *key;
            let all = it.properties.iter();
            all.map(|it| (named(it) && is_same(&it.value, value), named(it))).unzip()
        }
        (JsonEntry::Element { value, .. }, Node::Array(it)) => {
            it.elements.iter().map(|it| (is_same(it, value), runs_prime(it))).unzip()
        }
        _ => (vec![], vec![]),
    };
    Ok(match is_ours.iter().rposition(|it| *it) {
        Some(at) => (State::Current, at),
        None if is_own.contains(&true) => (State::Own, 0),
        None => (State::Missing, 0),
    })
}

/// The state of several entries together: missing if one is.
pub(super) fn state_of_all(text: &str, entries: &[JsonEntry]) -> Result<State, AgentFileFault> {
    let parsed = parsed(text.strip_prefix(BOM).unwrap_or(text))?;
    let mut all = Vec::new();
    for entry in entries {
        all.push(found(&parsed.root, entry)?.0);
    }
    let has = |state| all.contains(&state);
    Ok(if has(State::Missing) {
        State::Missing
    } else if has(State::Own) {
        State::Own
    } else {
        State::Current
    })
}

/// The strings at a path: one, or an array of them.
pub(super) fn strings_at(text: &str, path: &[&str]) -> Result<Vec<String>, AgentFileFault> {
    let parsed = parsed(text.strip_prefix(BOM).unwrap_or(text))?;
    let node = path.iter().try_fold(&parsed.root, |node, key| Some(&member(node, key)?.value));
    Ok(match node {
        Some(Node::StringLit(it)) => vec![it.value.to_string()],
        Some(Node::Array(it)) => {
            it.elements.iter().filter_map(|it| Some(it.as_string_lit()?.value.to_string())).collect()
        }
        _ => vec![],
    })
}

/// A new file with these entries.
pub(super) fn fresh(entries: &[JsonEntry], has_version: bool) -> String {
    let mut root = json!({});
    for entry in entries {
        let (last, before) = match entry {
            JsonEntry::Member { path, .. } => (None, &path[..]),
            JsonEntry::Element { path, .. } => (path.last(), &path[..path.len() - 1]),
        };
        let object = before.iter().fold(&mut root, |value, key| &mut value[*key]);
        match (entry, last) {
            (JsonEntry::Member { key, value, .. }, _) => object[*key] = value.clone(),
            (JsonEntry::Element { value, .. }, Some(key)) => object[*key] = json!([value]),
            (JsonEntry::Element { .. }, None) => {}
        }
    }
    if has_version {
        root["version"] = json!(1);
    }
    format!("{}\n", render(&root, &JsonLayout::default(), ""))
}

/// The text with those of the entries that are missing.
pub(super) fn put_into(text: &str, entries: &[JsonEntry]) -> Result<String, AgentFileFault> {
    let (bom, bare) = match text.strip_prefix(BOM) {
        Some(rest) => (BOM, rest),
        None => ("", text),
    };
    let mut text = bare.to_owned();
    for entry in entries {
        let parsed = parsed(&text)?;
        if found(&parsed.root, entry)?.0 == State::Missing {
            text = parsed.with(entry)?;
        }
    }
    Ok(format!("{bom}{text}"))
}

/// The text without those of the entries that are as they were put in; `None` if that leaves nothing of the file.
pub(super) fn take_out_of(text: &str, entries: &[JsonEntry]) -> Result<Option<String>, AgentFileFault> {
    let (bom, bare) = match text.strip_prefix(BOM) {
        Some(rest) => (BOM, rest),
        None => ("", text),
    };
    let mut text = bare.to_owned();
    // The last one first: each was put in after those before it.
    for entry in entries.iter().rev() {
        let parsed = parsed(&text)?;
        let (State::Current, at) = found(&parsed.root, entry)? else { continue };
        match parsed.without(entry, at)? {
            Some(without) => text = without,
            None => return Ok(None),
        }
    }
    Ok(Some(format!("{bom}{text}")))
}

impl Parsed<'_> {
    fn layout(&self) -> JsonLayout {
        let first = container(&self.root).and_then(|it| it.children.first().copied());
        let indent =
            first.and_then(|first| self.newline_before(first.start).map(|at| &self.text[at..first.start]));
        let indent =
            indent.map(|it| it.trim_start_matches(['\r', '\n']).to_owned()).filter(|it| !it.is_empty());
        let newline = newline_of(self.text);
        JsonLayout { indent: indent.unwrap_or_else(|| "  ".into()), newline, is_compact: false }
    }

    /// Where the newline before a position begins, if only blanks are between them.
    fn newline_before(&self, at: usize) -> Option<usize> {
        let before = self.text[..at].trim_end_matches([' ', '\t']);
        let bare = before.strip_suffix('\n')?;
        Some(bare.strip_suffix('\r').unwrap_or(bare).len())
    }

    fn comma_in(&self, from: usize, to: usize) -> Option<Range> {
        let is_comma = |it: &&TokenAndRange<'_>| matches!(it.token, Token::Comma);
        self.tokens.iter().filter(is_comma).map(|it| it.range).find(|it| it.start >= from && it.end <= to)
    }

    /// The end of the last comment behind a position on the same line; the position itself if there is none.
    fn after_comments(&self, from: usize) -> usize {
        let line = self.text[from..].find('\n').map_or(self.text.len(), |at| from + at);
        let mut end = from;
        for it in self.tokens.iter().filter(|it| it.range.start >= from && it.range.start < line) {
            match it.token {
                Token::CommentLine(_) | Token::CommentBlock(_) if it.range.end <= line => end = it.range.end,
                _ => return from,
            }
        }
        self.text[..end].trim_end_matches('\r').len()
    }

    /// The text with an entry that it does not have.
    fn with(&self, entry: &JsonEntry) -> Result<String, AgentFileFault> {
        let nodes = along(&self.root, entry)?;
        let path = entry.path();
        let there = nodes.len() - 1;
        let Some(parent) = container(nodes[there]) else { return Ok(self.text.to_owned()) };
        // What is missing of the path is made together with the entry.
        let mut made = entry.value().clone();
        let mut name = None;
        match entry {
            JsonEntry::Member { key, .. } => name = Some(*key),
            JsonEntry::Element { .. } if there < path.len() => made = json!([made]),
            JsonEntry::Element { .. } => {}
        }
        for key in path[there..].iter().rev() {
            if let Some(inner) = name {
                made = Value::Object(Map::from_iter([(inner.to_owned(), made)]));
            }
            name = Some(key);
        }
        debug_assert_eq!(parent.is_array, name.is_none());
        let layout = self.layout();
        let body = |layout: &JsonLayout, indent: &str| {
            let value = render(&made, layout, indent);
            name.map_or_else(|| value.clone(), |name| format!("{}: {value}", json!(name)))
        };
        let compact = || body(&JsonLayout { is_compact: true, ..layout.clone() }, "");
        let Some(last) = parent.children.last() else {
            return Ok(self.spliced(&[(Range::new(parent.inner.start, parent.inner.start), compact())]));
        };
        let comma = self.comma_in(last.end, parent.inner.end);
        let first = parent.children[0];
        let at = |at: usize| Range::new(at, at);
        if self.newline_before(first.start).is_none() {
            return Ok(match comma {
                None => self.spliced(&[(at(last.end), format!(", {}", compact()))]),
                Some(comma) => self.spliced(&[(at(comma.end), format!(" {},", compact()))]),
            });
        }
        let beside = if self.newline_before(last.start).is_some() { last.start } else { first.start };
        let line = self.newline_before(beside).unwrap_or(beside);
        let indent = self.text[line..beside].trim_start_matches(['\r', '\n']);
        let piece = format!("{}{indent}{}", layout.newline, body(&layout, indent));
        Ok(match comma {
            None => {
                let anchor = self.after_comments(last.end);
                self.spliced(&[(at(last.end), ",".into()), (at(anchor), piece)])
            }
            Some(comma) => self.spliced(&[(at(self.after_comments(comma.end)), format!("{piece},"))]),
        })
    }

    /// The text without the child `at` of the container at the path of the entry. Containers that were made for it go,
    /// too; `None` if the root does.
    fn without(&self, entry: &JsonEntry, at: usize) -> Result<Option<String>, AgentFileFault> {
        let nodes = along(&self.root, entry)?;
        let mut child = at;
        for (depth, node) in nodes.iter().enumerate().rev() {
            let Some(it) = container(node) else { return Ok(Some(self.text.to_owned())) };
            let range = it.children[child];
            let is_made =
                it.children.len() == 1 && range.start > it.inner.start && !self.has_comment(it.inner, range);
            if !is_made {
                return Ok(Some(self.cut(&it, child)));
            }
            if depth == 0 {
                let is_all = !self.has_comment(Range::new(0, self.text.len()), range);
                return Ok(if is_all { None } else { Some(self.cut(&it, child)) });
            }
            // The container goes, which is a member of the one before.
            let key = entry.path()[depth - 1];
            let members = nodes[depth - 1].as_object().map(|it| &it.properties);
            child = members.and_then(|all| all.iter().position(|it| it.name.as_str() == key)).unwrap_or(0);
        }
        Ok(None)
    }

    /// Whether there is a comment in a range, outside of another.
    fn has_comment(&self, range: Range, except: Range) -> bool {
        self.tokens.iter().any(|it| {
            matches!(it.token, Token::CommentLine(_) | Token::CommentBlock(_))
                && (it.range.start >= range.start && it.range.end <= range.end)
                && !(it.range.start >= except.start && it.range.end <= except.end)
        })
    }

    /// The text without a child of a container.
    fn cut(&self, it: &Container, child: usize) -> String {
        let range = it.children[child];
        let own_line = self.newline_before(range.start);
        let gone = |from: usize, to: usize| (Range::new(from, to), String::new());
        let before = child.checked_sub(1).map(|at| it.children[at]);
        let is_last = child + 1 == it.children.len();
        let behind =
            self.comma_in(range.end, if is_last { it.inner.end } else { it.children[child + 1].start });
        let blank = |at: usize| if self.text[..at].ends_with(' ') { at - 1 } else { at };
        let start =
            own_line.unwrap_or_else(|| if before.is_some() { blank(range.start) } else { range.start });
        match (behind, before) {
            // On its own line, or the last of those in a line.
            (Some(comma), _) if own_line.is_some() || is_last => self.spliced(&[gone(start, comma.end)]),
            (Some(comma), _) => {
                let more = self.text[comma.end..].starts_with(' ');
                self.spliced(&[gone(range.start, comma.end + usize::from(more))])
            }
            (None, Some(before)) => match self.comma_in(before.end, range.start) {
                Some(comma) => self.spliced(&[gone(comma.start, comma.end), gone(start, range.end)]),
                None => self.spliced(&[gone(start, range.end)]),
            },
            (None, None) => self.spliced(&[gone(start, range.end)]),
        }
    }

    /// The text with these ranges replaced, which are in order.
    fn spliced(&self, changes: &[(Range, String)]) -> String {
        let mut out = String::with_capacity(self.text.len() + 256);
        let mut at = 0;
        for (range, new) in changes {
            out.push_str(&self.text[at..range.start]);
            out.push_str(new);
            at = range.end;
        }
        out.push_str(&self.text[at..]);
        out
    }
}
