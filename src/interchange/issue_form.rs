//! The issue forms of GitHub as templates: YAML files in `.github/ISSUE_TEMPLATE`. Each element of the form becomes a
//! section to fill in, under the heading that GitHub would give it in the issue.

use crate::rules::issue_text::{ASSIGNEE, TemplatePreset, with_preset};
use crate::rules::{IssueTemplate, Node, yaml};

/// Longer hints would hide the fields to fill in.
const LONGEST_HINT: usize = 500;

/// Reads a form; a name such as `bug.yml` is that of its file.
///
/// # Errors
/// Why it is not a form, in words.
pub(crate) fn form(file: &str, text: &str) -> Result<IssueTemplate, String> {
    let form = yaml::read(text)?;
    if !matches!(form, Node::Map(_)) {
        return Err("a form has fields such as `name` and `body`".into());
    }
    let body = form.get("body").map(Node::members).unwrap_or_default();
    if body.is_empty() {
        return Err("its `body` has no elements".into());
    }
    let sections: Vec<String> = body.iter().filter_map(section).collect();
    let preset = TemplatePreset {
        values: words_of(&form, "assignees")
            .into_iter()
            .take(1)
            .map(|first| (ASSIGNEE, first))
            .chain([("type", form.text("type").to_owned())])
            .collect(),
        tags: words_of(&form, "labels"),
        title: form.text("title").to_owned(),
    };
    let name = match form.text("name") {
        "" => file.rsplit_once('.').map_or(file, |(stem, _)| stem),
        name => name,
    };
    Ok(IssueTemplate {
        name: name.to_owned(),
        about: form.text("description").to_owned(),
        text: with_preset(&preset, &sections.join("\n\n")),
    })
}

fn words_of(form: &Node, name: &str) -> Vec<String> {
    form.get(name).map(Node::words).unwrap_or_default()
}

/// A section of the issue; `None` for an element that only explains the form.
fn section(element: &Node) -> Option<String> {
    let empty = Node::Map(vec![]);
    let about = element.get("attributes").unwrap_or(&empty);
    let id = element.text("id");
    let label = Some(about.text("label")).filter(|label| !label.is_empty()).unwrap_or(id);
    let options: &[Node] = about.get("options").map(Node::members).unwrap_or_default();
    let options: Vec<String> = options
        .iter()
        .map(|option| match option {
            Node::Map(_) => option.text("label").to_owned(),
            option => option.as_text().to_owned(),
        })
        .filter(|label| !label.is_empty())
        .collect();
    let (hint, value) = match element.text("type") {
        "input" | "textarea" => (about.text("placeholder").to_owned(), about.text("value").trim().to_owned()),
        "dropdown" => {
            let chosen = about.text("default").parse().ok().and_then(|n: usize| options.get(n));
            (format!("one of: {}", options.join(", ")), chosen.cloned().unwrap_or_default())
        }
        "checkboxes" => {
            let boxes: Vec<String> = options.iter().map(|label| format!("- [ ] {label}")).collect();
            (String::new(), boxes.join("\n"))
        }
        _ => return None,
    };
    let is_required =
        element.get("validations").is_some_and(|validations| validations.text("required") == "true");
    let required = if is_required { "required" } else { "" };
    let hints = [about.text("description"), hint.as_str(), required].into_iter().map(hint_line);
    let hints: Vec<String> = hints.filter(|hint| !hint.is_empty()).collect();
    let hint = if hints.is_empty() { String::new() } else { format!("<!-- {} -->\n", hints.join(" · ")) };
    Some(format!("### {}\n\n{hint}{value}", hint_line(label)).trim_end().to_owned())
}

/// A text in one line that cannot end the comment it is in.
fn hint_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("--", "—");
    line.chars().take(LONGEST_HINT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::issue_text::parse;

    const BUG: &str = "\
name: Bug report
description: Something is broken
title: \"[Bug]: \"
labels: [\"bug\", \"needs triage\"]
assignees:
  - octocat
type: defect
body:
  - type: markdown
    attributes:
      value: |
        Thanks for taking the time!
  - type: textarea
    id: what
    attributes:
      label: What happened?
      description: >
        Tell us
        what you see.
      value: \"A bug happened!\"
    validations:
      required: true
  - type: dropdown
    attributes:
      label: Version
      options: [\"1.0\", 2.0]
      default: 1
  - type: input
    id: contact
    attributes: {placeholder: \"a --> b\"}
  - type: checkboxes
    attributes:
      label: Terms
      options:
        - label: I agree
          required: true
";

    #[test]
    fn each_element_becomes_a_section() {
        let read = form("bug.yml", BUG).unwrap();
        assert_eq!((read.name.as_str(), read.about.as_str()), ("Bug report", "Something is broken"));
        assert_eq!(
            read.text,
            "---\npriority:\ntype: defect\nassignee: octocat\ntags: bug, needs triage\n---\n[Bug]:\n\n\
             ### What happened?\n\n<!-- Tell us what you see. · required -->\nA bug happened!\n\n\
             ### Version\n\n<!-- one of: 1.0, 2.0 -->\n2.0\n\n\
             ### contact\n\n<!-- a —> b -->\n\n\
             ### Terms\n\n- [ ] I agree"
        );
        assert!(parse(&read.text).is_ok());
        assert_eq!(form("plain.yaml", "body: [{type: input}]").unwrap().name, "plain");
    }

    #[test]
    fn what_is_not_a_form_says_why() {
        assert!(form("a.yml", "- 1\n").unwrap_err().contains("fields"));
        assert!(form("a.yml", "name: x\n").unwrap_err().contains("`body`"));
        assert!(form("a.yml", "name: [x\n").unwrap_err().contains("line"));
        assert!(form("a.yml", "").is_err());
    }
}
