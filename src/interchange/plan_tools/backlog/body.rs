//! The sections below the fields of a task of Backlog.md.

use crate::interchange::comment::SourceComment;
use crate::interchange::plan_tools::boxes::{self, Example};
use crate::interchange::plan_tools::draft::{self, DraftTask};
use crate::interchange::plan_tools::record::date;
use crate::interchange::plan_tools::sections::{section, sections};
use crate::model::Time;

/// What is between the markers of a section; without markers, as older versions and people write it, what is below its heading.
pub(super) fn marked<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    placed(body, name).map(|(_, text)| text)
}

/// The names in markers.
const MARKERS: [&str; 7] = [
    "SECTION:DESCRIPTION",
    "SECTION:PLAN",
    "SECTION:NOTES",
    "SECTION:FINAL_SUMMARY",
    "AC",
    "DOD",
    "COMMENTS",
];

/// Where the text between two markers is.
fn span(body: &str, name: &str) -> Option<(usize, usize)> {
    let (begin, end) = (format!("<!-- {name}:BEGIN -->"), format!("<!-- {name}:END -->"));
    let from = body.find(&begin)? + begin.len();
    Some((from, from + body[from..].find(&end)?))
}

/// A section as [`marked`] reads it, and where it begins.
pub(super) fn placed<'a>(body: &'a str, name: &str) -> Option<(usize, &'a str)> {
    if !body.contains(&format!("<!-- {name}:BEGIN -->")) {
        return section(body, heading(name)).map(|section| (section.at, section.body));
    }
    let (from, to) = span(body, name)?;
    let text = &body[from..to];
    let at = from + text.len() - text.trim_start().len();
    (!text.trim().is_empty()).then(|| (at, text.trim()))
}

/// The heading above a section with these markers.
fn heading(name: &str) -> &'static str {
    match name {
        "SECTION:DESCRIPTION" => "Description",
        "SECTION:PLAN" => "Implementation Plan",
        "SECTION:NOTES" => "Implementation Notes",
        "SECTION:FINAL_SUMMARY" => "Final Summary",
        "AC" => "Acceptance Criteria",
        "DOD" => "Definition of Done",
        _ => "Comments",
    }
}

/// What of the text has no field here, in words: sections, and what is above all of them.
pub(super) fn unplaced(body: &str) -> Vec<String> {
    let marked: Vec<(usize, usize)> = MARKERS.iter().filter_map(|name| span(body, name)).collect();
    let mut found = Vec::new();
    for section in sections(body).into_iter().filter(|section| section.level == 2) {
        let is_known = MARKERS.iter().any(|name| heading(name).eq_ignore_ascii_case(section.title));
        let is_inside = marked.iter().any(|(from, to)| (*from..*to).contains(&section.at));
        if !(is_known || is_inside || section.body.is_empty()) {
            found.push(format!("the section `{}` has no field here", section.title));
        }
    }
    let begins = ["<!-- ", "#"].into_iter().filter_map(|mark| body.find(mark));
    if !body[..begins.min().unwrap_or(body.len())].trim().is_empty() {
        found.push("text above the sections has no field here".to_owned());
    }
    found
}

/// The texts of the boxes between two markers, without their numbers: `- [ ] #1 It sleeps`.
pub(super) fn listed(body: &str, name: &str) -> Vec<String> {
    let all = boxes::boxes(marked(body, name).unwrap_or_default());
    all.iter()
        .map(|task| {
            let rest = task.text.trim_start_matches('#').trim_start_matches(|c: char| c.is_ascii_digit());
            if task.text.starts_with('#') { rest.trim().to_owned() } else { task.text.to_owned() }
        })
        .filter(|text| !text.is_empty())
        .collect()
}

/// A line of a plan.
struct PlanLine<'a> {
    /// Without blanks around it.
    text: &'a str,
    /// How many blanks are before it.
    indent: usize,
    is_code: bool,
}

impl<'a> PlanLine<'a> {
    fn all(plan: &'a str) -> Vec<Self> {
        let examples = Example::all(plan);
        let (mut all, mut at) = (Vec::new(), 0);
        for line in plan.split_inclusive('\n') {
            let (text, is_code) = (line.trim(), Example::at(&examples, at).is_some());
            all.push(Self { text, indent: line.len() - line.trim_start().len(), is_code });
            at += line.len();
        }
        all
    }

    /// What it says of a task; `None` if it is not the first line of one.
    fn title(&self, items: PlanItems) -> Option<&'a str> {
        if self.is_code { None } else { items.title(self.text) }
    }
}

/// How a plan names its tasks.
#[derive(Clone, Copy)]
enum PlanItems {
    /// `### Step 1: Open the gate`
    Steps,
    /// `1. Open the gate`
    Numbers,
    /// `- [ ] Open the gate`
    Boxes,
}

impl PlanItems {
    /// How far its list is indented as a whole; `None` if there is none, or only below the items of another list.
    fn indent(self, lines: &[PlanLine<'_>]) -> Option<usize> {
        let first = lines.iter().position(|line| line.title(self).is_some())?;
        let indent = lines[first].indent;
        let is_item = |line: &PlanLine<'_>| !line.is_code && boxes::item(line.text).is_some();
        let is_below = lines[..first].iter().any(|line| line.indent < indent && is_item(line));
        (!is_below).then_some(indent)
    }

    /// What a line says of a task; `None` if it is not the first one of a task.
    fn title(self, line: &str) -> Option<&str> {
        let rest = match self {
            Self::Steps => {
                let heading = line.trim_start_matches('#').trim_start();
                let number = heading.get(..5).filter(|word| word.eq_ignore_ascii_case("step "))?;
                let rest = heading[number.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
                if !line.starts_with('#') || rest.len() == heading.len() - number.len() {
                    return None;
                }
                rest.strip_prefix([':', '.', ')']).or(rest.strip_prefix(" -"))?
            }
            Self::Numbers => {
                let digits = line.bytes().take_while(u8::is_ascii_digit).count();
                if digits == 0 {
                    return None;
                }
                line[digits..].strip_prefix(['.', ')'])?
            }
            Self::Boxes => boxes::boxes(line).first()?.text,
        };
        Some(rest.trim()).filter(|title| !title.is_empty())
    }
}

/// The tasks of a plan: its steps, the items of its numbered list, or its boxes, else one for all of it. What is above the first
/// one belongs to that. The criteria are those of the last one.
pub(super) fn tasks(plan: &str, title: &str, criteria: &[String], done: Option<&String>) -> Vec<DraftTask> {
    let lines = PlanLine::all(plan);
    let items = [PlanItems::Steps, PlanItems::Numbers, PlanItems::Boxes]
        .into_iter()
        .find_map(|items| Some((items, items.indent(&lines)?)));
    let mut made: Vec<DraftTask> = Vec::new();
    let mut above = String::new();
    for line in &lines {
        if let Some((items, indent)) = items
            && line.indent == indent
            && let Some(title) = line.title(items)
        {
            made.push(DraftTask {
                id: format!("T{}", made.len() + 1),
                files: draft::paths(title),
                depends_on: made.last().map(|last| last.id.clone()).into_iter().collect(),
                title: title.to_owned(),
                ..DraftTask::default()
            });
            continue;
        }
        let step = if line.is_code { line.text } else { boxes::item(line.text).unwrap_or(line.text).trim() };
        match made.last_mut() {
            Some(last) if !step.is_empty() => last.steps.push(step.to_owned()),
            Some(_) => {}
            None => above.push_str(&format!("{}\n", line.text)),
        }
    }
    match made.first_mut() {
        Some(first) => first.description = Some(above.trim().to_owned()).filter(|text| !text.is_empty()),
        None => {
            let steps = plan.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
            let steps = steps.collect();
            made.push(DraftTask { id: "T1".into(), title: title.to_owned(), steps, ..DraftTask::default() });
        }
    }
    if let Some(last) = made.last_mut() {
        last.criteria = criteria.to_vec();
        last.definition_of_done = done.cloned();
    }
    made
}

/// The comments: blocks of `author:` and `created:` above a text, which ends at a line `---`.
pub(super) fn comments(body: &str, born: Time) -> Vec<SourceComment> {
    let mut found: Vec<SourceComment> = Vec::new();
    // A line `a | b` above `--- | ---` belongs to a table.
    let mut parts = vec![String::new()];
    for line in marked(body, "COMMENTS").unwrap_or_default().lines() {
        match parts.last_mut() {
            Some(last) if line.trim_end() != "---" => last.push_str(&format!("{line}\n")),
            _ => parts.push(String::new()),
        }
    }
    let mut parts = parts.iter();
    while let (Some(head), Some(text)) = (parts.next(), parts.next()) {
        let field = |name: &str| {
            head.lines().find_map(|line| Some(line.trim().strip_prefix(name)?.trim_start_matches(':').trim()))
        };
        let author = field("author").filter(|name| !name.is_empty()).unwrap_or("unknown");
        // Times are to the minute, so those of one minute are told apart by their place.
        let minute = field("created").and_then(date).unwrap_or(born);
        let last = found
            .last()
            .filter(|before| before.created_at >= minute)
            .map(|before| before.created_at.plus_millis(1));
        let created_at = last.unwrap_or(minute);
        let text = text.trim();
        if !text.is_empty() {
            found.push(SourceComment { id: None, body: text.to_owned(), author: author.into(), created_at });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(plan: &str) -> Vec<String> {
        let tasks = tasks(plan, "Whole", &[], None);
        tasks.iter().map(|task| format!("{} {:?}", task.title, task.steps)).collect()
    }

    #[test]
    fn the_tasks_of_a_plan_are_its_steps_its_numbers_or_its_boxes() {
        let code = "Before\n1. Open\n```ts\n1. not a task\n```\n   1. deeper\n2. Close\n";
        assert_eq!(shown(code), [r#"Open ["```ts", "1. not a task", "```", "deeper"]"#, "Close []"]);
        assert_eq!(tasks(code, "", &[], None)[0].description.as_deref(), Some("Before"));
        assert_eq!(shown("Approach:\n  1. Open\n  2. Close"), ["Open []", "Close []"]);
        assert_eq!(shown("### Step 1: Open\n1. Oil\n### Step 2 - Close\n### Stepping: no\n").len(), 2);
        assert_eq!(shown("- [ ] Open\n- [x] Close\n  - [ ] softly"), ["Open []", r#"Close ["[ ] softly"]"#]);
        assert_eq!(shown("Open it\nand close it"), [r#"Whole ["Open it", "and close it"]"#]);
    }

    #[test]
    fn a_section_that_has_no_field_is_named() {
        let body = "## Description\n<!-- SECTION:DESCRIPTION:BEGIN -->\n## Inside\nx\n<!-- SECTION:DESCRIPTION:END -->\n## Risks\nIt bites\n## Empty\n";
        assert_eq!(unplaced(body), ["the section `Risks` has no field here"]);
        assert_eq!(unplaced("Note\n## Comments\nNone\n"), ["text above the sections has no field here"]);
    }
}
