//! The sections of a Markdown file, and the fields above it.

use super::boxes::{self, Example};
use crate::rules::{Node, yaml};

/// A heading: its level, and its text.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line[level..].strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    (1..=6).contains(&level).then_some((level, text))
}

/// A section: its heading, and what is below it up to the next heading that is not deeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'a> {
    pub(super) level: usize,
    pub(super) title: &'a str,
    pub(super) body: &'a str,
    /// Where the body begins.
    pub(super) at: usize,
}

/// All sections, in order. What looks like a heading in a code block or in a comment is none. A line below a text makes no
/// heading of it: people write `---` there to separate parts.
pub(super) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts: Vec<(usize, usize, &str, usize)> = Vec::new();
    let examples = Example::all(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((level, title)) = heading(line)
            && Example::at(&examples, at).is_none()
        {
            starts.push((at, level, title, at + line.len()));
        }
        at += line.len();
    }
    let spans: Vec<_> = starts
        .iter()
        .enumerate()
        .map(|(n, start)| {
            (
                start.1,
                start.3
                    ..starts[n + 1..].iter().find(|next| next.1 <= start.1).map_or(text.len(), |next| next.0),
            )
        })
        .collect();
    let titles = starts.iter().map(|start| start.2);
    titles
        .zip(spans)
        .map(|(title, (level, span))| {
            let at = span.end - text[span.clone()].trim_start().len();
            Section { level, title, body: text[span].trim(), at }
        })
        .collect()
}

/// The section of the first heading with this text, in any case; `None` if there is none, or nothing below it.
pub(super) fn section<'a>(text: &'a str, title: &str) -> Option<Section<'a>> {
    let found = sections(text).into_iter().find(|section| section.title.eq_ignore_ascii_case(title))?;
    (!found.body.is_empty()).then_some(found)
}

/// What is below the first heading with this text, as [`section`] finds it.
pub(super) fn below<'a>(text: &'a str, title: &str) -> Option<&'a str> {
    section(text, title).map(|section| section.body)
}

/// The fields between two lines of `---` above a text, and the text below. Scalars that begin with `@`, which YAML does not
/// have, are texts, as the tools read them.
///
/// # Errors
/// In words, if there is no second line, or what is between them is not YAML.
pub(super) fn front_matter(text: &str) -> Result<(Node, &str), String> {
    let Some((fields, below)) = split(text)? else { return Ok((Node::Map(vec![]), text)) };
    let node = yaml::read(fields).or_else(|why| yaml::read(&with_quotes(fields)).map_err(|_| why))?;
    Ok((node, below))
}

/// As [`front_matter`]; if the fields are not YAML, those of these names as they stand in single lines, and what is wrong.
///
/// # Errors
/// In words, if there is no second line `---`.
pub(super) fn loose_front_matter<'a>(
    text: &'a str,
    names: &[&str],
) -> Result<(Node, &'a str, Option<String>), String> {
    let Some((fields, below)) = split(text)? else { return Ok((Node::Map(vec![]), text, None)) };
    match front_matter(text) {
        Ok((node, below)) => Ok((node, below, None)),
        Err(why) => Ok((loose_fields(fields, names), below, Some(why))),
    }
}

/// The fields above a text, and the text; `None` if it has no fields.
fn split(text: &str) -> Result<Option<(&str, &str)>, String> {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return Ok(None);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok(Some((&rest[..at], &rest[at + line.len()..])));
        }
        at += line.len();
    }
    Err("the fields begin with a line `---`, but no second `---` ends them".into())
}

/// The fields with quotes around scalars that begin with `@`.
fn with_quotes(fields: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let mut written = String::new();
    for line in fields.lines() {
        let begin = [": ", "- "].into_iter().filter_map(|mark| Some(line.find(mark)? + mark.len())).min();
        let (head, value) = line.split_at(begin.unwrap_or(line.len()));
        let value = value.trim();
        let value = match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(members) if members.contains('@') => {
                let members = members.split(',').map(str::trim);
                let members =
                    members.map(|name| if name.starts_with('@') { quoted(name) } else { name.to_owned() });
                format!("[{}]", members.collect::<Vec<_>>().join(", "))
            }
            _ if value.starts_with('@') => quoted(value),
            _ => value.to_owned(),
        };
        written.push_str(&format!("{head}{value}\n"));
    }
    written
}

/// The fields of these names, each in one line, or with a list in the lines below.
pub(super) fn loose_fields(fields: &str, names: &[&str]) -> Node {
    let plain = |text: &str| Node::Text(text.trim().trim_matches(['"', '\'']).to_owned());
    let mut found: Vec<(String, Node)> = Vec::new();
    let mut is_open = false;
    for line in fields.lines() {
        if let Some((name, value)) = line.split_once(':').filter(|(name, _)| names.contains(name)) {
            let value = value.trim();
            let members = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let node = match members {
                Some(members) => Node::List(members.split(',').map(plain).collect()),
                None if value.is_empty() => Node::List(vec![]),
                None => plain(value),
            };
            is_open = node == Node::List(vec![]);
            found.push((name.to_owned(), node));
        } else if let (Some(item), true, Some((_, Node::List(members)))) =
            (line.trim_start().strip_prefix("- "), is_open, found.last_mut())
        {
            members.push(plain(item));
        } else {
            is_open = false;
        }
    }
    Node::Map(found)
}

/// The paragraphs and the items of lists in a text, each in one line, without bullets, numbers and what makes them bold.
pub(super) fn items(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let plain = line.trim().replace("**", "");
        match (boxes::item(line).filter(|rest| rest.starts_with([' ', '\t'])), found.last_mut()) {
            _ if plain.is_empty() || plain.starts_with('#') => is_open = false,
            (None, Some(last)) if is_open => {
                last.push(' ');
                last.push_str(&plain);
            }
            (item, _) => {
                let item = item.unwrap_or(line).trim();
                found.push(item.strip_prefix("[ ] ").unwrap_or(item).replace("**", ""));
                is_open = true;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_one_of_its_level_begins() {
        let text = "# A\none\n## B\ntwo\n```\n# no\n```\n### C\nthree\n## D\n";
        let all = sections(text);
        let said: Vec<_> = all.iter().map(|section| (section.level, section.title, section.body)).collect();
        assert_eq!(said[1], (2, "B", "two\n```\n# no\n```\n### C\nthree"));
        assert_eq!((said.len(), said[2]), (4, (3, "C", "three")));
        assert_eq!((below(text, "c"), below(text, "D"), below(text, "E")), (Some("three"), None, None));
    }

    #[test]
    fn fields_stand_above_the_text() {
        let (node, rest) = front_matter("---\nid: A-1\nlist:\n  - x\n---\ntext\n").unwrap();
        assert_eq!((node.text("id"), rest), ("A-1", "text\n"));
        assert_eq!(front_matter("text").unwrap().1, "text");
        assert!(front_matter("---\nid: 1\n").is_err());
    }

    #[test]
    fn fields_that_are_no_yaml_are_read_as_the_tools_read_them() {
        let (node, _) =
            front_matter("---\nreporter: @a's\nassignee:\n  - @bea\nalso: [@c, d]\n---\n").unwrap();
        assert_eq!(
            (node.text("reporter"), node.get("assignee").unwrap().words()),
            ("@a's", vec!["@bea".into()])
        );
        assert_eq!(node.get("also").unwrap().words(), ["@c", "d"]);
        assert!(front_matter("---\ntitle: [\n---\n").is_err());
        let text =
            "---\nphase: 1\nfiles: [app/[slug]/a.tsx, b.ts]\nmust:\n  - no\non:\n  - \"01\"\n---\nbelow\n";
        let (node, below, why) = loose_front_matter(text, &["files", "on", "phase"]).unwrap();
        assert_eq!(node.get("files").unwrap().words(), ["app/[slug]/a.tsx", "b.ts"]);
        assert_eq!((node.get("on").unwrap().words(), node.text("phase")), (vec!["01".to_owned()], "1"));
        assert_eq!((below, why.is_some(), node.get("must")), ("below\n", true, None));
    }

    #[test]
    fn an_item_goes_on_in_the_lines_below_it() {
        let text =
            "# No\n1. **Given** a bowl,\n   **When** it is eight\n- [ ] two\n\nA paragraph\nof two lines\n";
        assert_eq!(items(text), ["Given a bowl, When it is eight", "two", "A paragraph of two lines"]);
    }
}
