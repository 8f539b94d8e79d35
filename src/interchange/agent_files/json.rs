//! Entries of a JSON file that may have comments. They are put in and taken out by splicing the text, so that everything
//! else stays as it is: comments, order, indentation, newlines.
//!
//! Taking out must know what putting in has made. That follows from the white space alone: an entry in an object or array
//! that was there, and was empty, is directly behind its bracket; in one that was made for it, white space precedes it.

mod fresh;
mod parsed;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Range;
use jsonc_parser::tokens::Token;
use serde_json::{Map, Value, json};

pub(super) use self::fresh::{fresh, is_made, is_only};
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

fn without_bom(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

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
        (Node::Object(object), Value::Object(map)) => {
            object.properties.len() == map.len()
                && object.properties.iter().all(|member| {
                    map.get(member.name.as_str()).is_some_and(|value| is_same(&member.value, value))
                })
        }
        (Node::Array(array), Value::Array(all)) => {
            array.elements.len() == all.len()
                && array.elements.iter().zip(all).all(|(node, value)| is_same(node, value))
        }
        (Node::StringLit(literal), Value::String(text)) => literal.value == text.as_str(),
        (Node::BooleanLit(literal), Value::Bool(value)) => literal.value == *value,
        (Node::NumberLit(literal), Value::Number(number)) => literal.value == number.to_string(),
        (Node::NullKeyword(_), Value::Null) => true,
        _ => false,
    }
}

/// Whether a string somewhere in the value runs this program as a hook.
fn runs_prime(node: &Node<'_>) -> bool {
    match node {
        Node::Object(object) => object.properties.iter().any(|member| runs_prime(&member.value)),
        Node::Array(array) => array.elements.iter().any(runs_prime),
        Node::StringLit(string) => string.value.contains(COMMAND) || string.value.contains("git-wf prime"),
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
        (JsonEntry::Member { key, value, .. }, Node::Object(object)) => {
            let all = object.properties.iter();
            all.map(|property| {
                let is_named = property.name.as_str() == *key;
                (is_named && is_same(&property.value, value), is_named)
            })
            .unzip()
        }
        (JsonEntry::Element { value, .. }, Node::Array(array)) => {
            array.elements.iter().map(|element| (is_same(element, value), runs_prime(element))).unzip()
        }
        _ => (vec![], vec![]),
    };
    Ok(match is_ours.iter().rposition(|ours| *ours) {
        Some(at) => (State::Current, at),
        None if is_own.contains(&true) => (State::Own, 0),
        None => (State::Missing, 0),
    })
}

/// The state of several entries together: missing if one is.
pub(super) fn state_of_all(text: &str, entries: &[JsonEntry]) -> Result<State, AgentFileFault> {
    let parsed = parsed(without_bom(text))?;
    let mut all = Vec::new();
    for entry in entries {
        all.push(found(&parsed.root, entry)?.0);
    }
    Ok(if all.contains(&State::Missing) {
        State::Missing
    } else if all.contains(&State::Own) {
        State::Own
    } else {
        State::Current
    })
}

/// The strings at a path: one, or an array of them.
pub(super) fn strings_at(text: &str, path: &[&str]) -> Result<Vec<String>, AgentFileFault> {
    let parsed = parsed(without_bom(text))?;
    let node = path.iter().try_fold(&parsed.root, |node, key| Some(&member(node, key)?.value));
    Ok(match node {
        Some(Node::StringLit(string)) => vec![string.value.to_string()],
        Some(Node::Array(array)) => array
            .elements
            .iter()
            .filter_map(|element| Some(element.as_string_lit()?.value.to_string()))
            .collect(),
        _ => vec![],
    })
}

/// Where an entry is put among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Before,
    Behind,
}

/// The text with those of the entries that are missing.
pub(super) fn put_into(text: &str, entries: &[JsonEntry], beside: Beside) -> Result<String, AgentFileFault> {
    let (bom, bare) = text.split_at(text.len() - without_bom(text).len());
    let mut text = bare.to_owned();
    for entry in entries {
        let parsed = parsed(&text)?;
        if found(&parsed.root, entry)?.0 == State::Missing {
            text = parsed.with(entry, beside)?;
        }
    }
    Ok(format!("{bom}{text}"))
}

/// The text without those of the entries that are as they were put in; `None` if that leaves nothing of the file.
pub(super) fn take_out_of(text: &str, entries: &[JsonEntry]) -> Result<Option<String>, AgentFileFault> {
    let (bom, bare) = text.split_at(text.len() - without_bom(text).len());
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
        let first = container(&self.root).and_then(|container| container.children.first().copied());
        let indent =
            first.and_then(|first| self.newline_before(first.start).map(|at| &self.text[at..first.start]));
        let indent = indent
            .map(|indent| indent.trim_start_matches(['\r', '\n']).to_owned())
            .filter(|indent| !indent.is_empty());
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
        self.tokens
            .iter()
            .filter(|token| matches!(token.token, Token::Comma))
            .map(|token| token.range)
            .find(|range| range.start >= from && range.end <= to)
    }

    /// The end of the last comment behind a position on the same line; the position itself if there is none.
    fn after_comments(&self, from: usize) -> usize {
        let line = self.text[from..].find('\n').map_or(self.text.len(), |at| from + at);
        let mut end = from;
        for token in self.tokens.iter().filter(|token| token.range.start >= from && token.range.start < line)
        {
            match token.token {
                Token::CommentLine(_) | Token::CommentBlock(_) if token.range.end <= line => {
                    end = token.range.end;
                }
                _ => return from,
            }
        }
        self.text[..end].trim_end_matches('\r').len()
    }

    /// The text with an entry that it does not have.
    fn with(&self, entry: &JsonEntry, place: Beside) -> Result<String, AgentFileFault> {
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
        let compact = || body(&made, name, &JsonLayout { is_compact: true, ..layout.clone() }, "");
        let Some(last) = parent.children.last() else {
            return Ok(self.spliced(&[(Range::new(parent.inner.start, parent.inner.start), compact())]));
        };
        let comma = self.comma_in(last.end, parent.inner.end);
        let first = parent.children[0];
        if place == Beside::Before {
            let piece = match self.newline_before(first.start) {
                None => format!("{}, ", compact()),
                Some(line) => {
                    let indent = self.text[line..first.start].trim_start_matches(['\r', '\n']);
                    format!("{},{}{indent}", body(&made, name, &layout, indent), layout.newline)
                }
            };
            return Ok(self.spliced(&[(empty_range(first.start), piece)]));
        }
        if self.newline_before(first.start).is_none() {
            return Ok(match comma {
                None => self.spliced(&[(empty_range(last.end), format!(", {}", compact()))]),
                Some(comma) => self.spliced(&[(empty_range(comma.end), format!(" {},", compact()))]),
            });
        }
        let beside = if self.newline_before(last.start).is_some() { last.start } else { first.start };
        let line = self.newline_before(beside).unwrap_or(beside);
        let indent = self.text[line..beside].trim_start_matches(['\r', '\n']);
        let piece = format!("{}{indent}{}", layout.newline, body(&made, name, &layout, indent));
        Ok(match comma {
            None => {
                let anchor = self.after_comments(last.end);
                self.spliced(&[(empty_range(last.end), ",".into()), (empty_range(anchor), piece)])
            }
            Some(comma) => {
                self.spliced(&[(empty_range(self.after_comments(comma.end)), format!("{piece},"))])
            }
        })
    }

    /// The text without the child `at` of the container at the path of the entry. Containers that were made for it go,
    /// too; `None` if the root does.
    fn without(&self, entry: &JsonEntry, at: usize) -> Result<Option<String>, AgentFileFault> {
        let nodes = along(&self.root, entry)?;
        let mut child = at;
        for (depth, node) in nodes.iter().enumerate().rev() {
            let Some(container) = container(node) else { return Ok(Some(self.text.to_owned())) };
            let range = container.children[child];
            let is_made = container.children.len() == 1
                && range.start > container.inner.start
                && !self.has_comment(container.inner, range);
            if !is_made {
                return Ok(Some(self.cut(&container, child)));
            }
            if depth == 0 {
                let is_all = !self.has_comment(Range::new(0, self.text.len()), range);
                return Ok(if is_all { None } else { Some(self.cut(&container, child)) });
            }
            // The container goes, which is a member of the one before.
            let key = entry.path()[depth - 1];
            let members = nodes[depth - 1].as_object().map(|node| &node.properties);
            child = members
                .and_then(|all| all.iter().position(|property| property.name.as_str() == key))
                .unwrap_or(0);
        }
        Ok(None)
    }

    /// Whether there is a comment in a range, outside of another.
    fn has_comment(&self, range: Range, except: Range) -> bool {
        self.tokens.iter().any(|token| {
            matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
                && (token.range.start >= range.start && token.range.end <= range.end)
                && !(token.range.start >= except.start && token.range.end <= except.end)
        })
    }

    /// The text without a child of a container.
    fn cut(&self, container: &Container, child: usize) -> String {
        let range = container.children[child];
        let own_line = self.newline_before(range.start);
        let before = child.checked_sub(1).map(|at| container.children[at]);
        let is_last = child + 1 == container.children.len();
        let behind = self.comma_in(
            range.end,
            if is_last { container.inner.end } else { container.children[child + 1].start },
        );
        let start = own_line.unwrap_or_else(|| {
            if before.is_some() {
                if self.text[..range.start].ends_with(' ') { range.start - 1 } else { range.start }
            } else {
                range.start
            }
        });
        match (behind, before) {
            // On its own line, or the last of those in a line.
            (Some(comma), _) if own_line.is_some() || is_last => self.spliced(&[removal(start, comma.end)]),
            (Some(comma), _) => {
                let more = self.text[comma.end..].starts_with(' ');
                self.spliced(&[removal(range.start, comma.end + usize::from(more))])
            }
            (None, Some(before)) => match self.comma_in(before.end, range.start) {
                Some(comma) => self.spliced(&[removal(comma.start, comma.end), removal(start, range.end)]),
                None => self.spliced(&[removal(start, range.end)]),
            },
            (None, None) => self.spliced(&[removal(start, range.end)]),
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

fn removal(from: usize, to: usize) -> (Range, String) {
    (Range::new(from, to), String::new())
}

fn empty_range(at: usize) -> Range {
    Range::new(at, at)
}

fn body(made: &Value, name: Option<&str>, layout: &JsonLayout, indent: &str) -> String {
    let value = render(made, layout, indent);
    name.map_or_else(|| value.clone(), |name| format!("{}: {value}", json!(name)))
}
