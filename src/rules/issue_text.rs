//! An issue as people write it in an editor: fields, a title, and a text in Markdown.

use std::collections::{BTreeMap, BTreeSet};

use super::TextFault;
use super::front_matter::{self, FrontField};
use crate::model::{FieldValues, ISSUE_FIELDS, Issue, IssueField, IssueId, nearest};

/// What someone wrote. A field that is not there stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IssueText {
    /// The title.
    pub(crate) title: String,
    /// The text below it.
    pub(crate) text: String,
    /// Fields with one value; an empty text clears one.
    pub(crate) values: FieldValues,
    /// All tags.
    pub(crate) tags: Option<BTreeSet<String>>,
    /// All components.
    pub(crate) components: Option<BTreeSet<String>>,
    /// All issues that come first.
    pub(crate) depends_on: Option<BTreeSet<String>>,
}

/// The field for which GitHub has a list.
pub(crate) const ASSIGNEE: &str = "assignee";
const SETS: [&str; 3] = ["tags", "depends_on", "components"];

/// The text that someone changes.
pub(crate) fn written(issue: &Issue) -> String {
    let mut fields: Vec<(&str, String)> =
        ISSUE_FIELDS.iter().map(|field| (field.word, field.value(issue).unwrap_or_default())).collect();
    fields.push(("tags", joined(issue.tags.iter().map(String::as_str))));
    fields.push(("depends_on", joined(issue.depends_on.iter().map(IssueId::as_str))));
    if !issue.affected_components.is_empty() {
        fields.push(("components", joined(issue.affected_components.iter().map(String::as_str))));
    }
    let fields = lines(&fields);
    let text = issue.context.as_deref().unwrap_or_default();
    format!("---\n{fields}---\n{}\n\n{text}", issue.title).trim_end().to_owned()
}

fn lines(fields: &[(&str, String)]) -> String {
    fields.iter().map(|(name, value)| format!("{name}: {value}").trim_end().to_owned() + "\n").collect()
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// Reads it.
///
/// # Errors
/// A field that does not exist, or a value that it does not allow.
pub(crate) fn parse(text: &str) -> Result<IssueText, TextFault> {
    let (fields, body) = front_matter::split(text)?;
    let body = body.trim();
    let (title, rest) = body.split_once('\n').unwrap_or((body, ""));
    let mut parsed =
        IssueText { title: title.trim().to_owned(), text: rest.trim().to_owned(), ..IssueText::default() };
    for field in fields {
        if let Some(known) = IssueField::of_word(field.name) {
            if known.is_required() && field.value.is_empty() {
                continue;
            }
            let value = field.value;
            parsed.values.set(known, value.clone()).map_err(|expected| TextFault {
                line: field.line,
                what: format!("`{value}` is not a {}; {expected}", known.word),
            })?;
            continue;
        }
        let set = match field.name {
            "tags" => &mut parsed.tags,
            "components" => &mut parsed.components,
            "depends_on" => &mut parsed.depends_on,
            other => return Err(TextFault { line: field.line, what: unknown(other) }),
        };
        *set = Some(field.list().into_iter().collect());
    }
    Ok(parsed)
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = ISSUE_FIELDS.iter().map(|field| field.word).chain(SETS).collect();
    let near = nearest(name, names.iter().copied()).map(|near| format!("did you mean `{near}`?"));
    let near = near.unwrap_or_else(|| format!("the fields are {}", names.join(", ")));
    format!("there is no field `{name}`; {near}")
}

/// A template of a repository: its own name for it, the title and the fields that it gives, and its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IssueTemplate {
    /// What people call it.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) about: String,
    /// The fields to fill in, in the form of [`written`].
    pub(crate) text: String,
}

/// What a template fills in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TemplatePreset {
    /// Fields with one value, by their names in this text.
    pub(crate) values: BTreeMap<&'static str, String>,
    /// Labels are tags.
    pub(crate) tags: Vec<String>,
    /// How the title begins.
    pub(crate) title: String,
}

/// A text to fill in, in the form of [`written`].
pub(crate) fn with_preset(preset: &TemplatePreset, body: &str) -> String {
    let values = ISSUE_FIELDS.iter().map(|field| {
        (field.word, preset.values.get(field.word).map(|value| one_line(value)).unwrap_or_default())
    });
    let tags = ("tags", one_line(&preset.tags.join(", ")));
    let fields = lines(&values.chain([tags]).collect::<Vec<_>>());
    format!("---\n{fields}---\n{}\n\n{}", one_line(&preset.title), body.trim())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads a template in the form of GitHub, in which the labels are tags; a name such as `bug.md` is that of its file.
/// Fields that mean nothing here are left out.
///
/// # Errors
/// Its fields cannot be read.
pub(crate) fn template(file: &str, text: &str) -> Result<IssueTemplate, TextFault> {
    let (fields, body) = front_matter::split(text)?;
    let value = |name: &str| field_named(&fields, name).map(|field| field.value.clone()).unwrap_or_default();
    let mut values: BTreeMap<_, _> =
        ISSUE_FIELDS.iter().map(|field| (field.word, value(field.word))).collect();
    if field_named(&fields, ASSIGNEE).is_none() {
        let first = field_named(&fields, "assignees").and_then(|field| field.list().into_iter().next());
        values.extend(first.map(|first| (ASSIGNEE, first)));
    }
    let preset = TemplatePreset {
        values,
        tags: field_named(&fields, "tags")
            .or_else(|| field_named(&fields, "labels"))
            .map(FrontField::list)
            .unwrap_or_default(),
        title: value("title"),
    };
    let name = match value("name") {
        name if name.is_empty() => file.trim_end_matches(".md").to_owned(),
        name => name,
    };
    Ok(IssueTemplate { name, about: value("about"), text: with_preset(&preset, body) })
}

fn field_named<'a>(fields: &'a [FrontField<'a>], name: &str) -> Option<&'a FrontField<'a>> {
    fields.iter().find(|field| field.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Time;

    fn issue() -> Issue {
        let mut issue = Issue::new(
            IssueId::parse("ISS-001").unwrap(),
            "a".into(),
            Time::parse("2026-11-21T02:00:00Z").unwrap(),
            "Fix it".into(),
        );
        issue.tags = ["b", "a"].map(str::to_owned).into();
        issue.context = Some("# Why\n\nBecause.".into());
        issue
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = written(&issue());
        assert_eq!(
            text,
            "---\npriority: medium\ntype:\nassignee:\ntags: a, b\ndepends_on:\n---\nFix it\n\n# Why\n\nBecause."
        );
        let read = parse(&text).unwrap();
        assert_eq!((read.title.as_str(), read.text.as_str()), ("Fix it", "# Why\n\nBecause."));
        assert_eq!(read.tags, Some(issue().tags));
        assert_eq!(parse("Just a title\n").unwrap().tags, None, "fields that are not there stay");
    }

    #[test]
    fn a_field_that_is_wrong_is_named_by_its_line() {
        let fault = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            fault("---\nprioritty: 1\n---\nx"),
            "line 2: there is no field `prioritty`; did you mean `priority`?"
        );
        assert!(
            fault("---\ntags: a\npriority: soon\n---\nx").starts_with("line 3: `soon` is not a priority")
        );
    }

    #[test]
    fn a_template_of_github_becomes_a_text_to_fill_in() {
        let text = "---\nname: Bug report\nabout: Something is broken\ntitle: '[BUG] '\nlabels: bug, triage\n\
            assignees: ada, bo\n---\n\n**Steps**\n";
        let read = template("bug_report.md", text).unwrap();
        assert_eq!((read.name.as_str(), read.about.as_str()), ("Bug report", "Something is broken"));
        assert_eq!(
            read.text,
            "---\npriority:\ntype:\nassignee: ada\ntags: bug, triage\n---\n[BUG]\n\n**Steps**"
        );
        assert!(parse(&read.text).is_ok());
        assert_eq!(template("idea.md", "What?\n").unwrap().name, "idea");
    }
}
