//! The sections below the fields of a task of Backlog.md.

use crate::interchange::comment::SourceComment;
use crate::interchange::plan_tools::boxes;
use crate::interchange::plan_tools::draft::{self, DraftTask};
use crate::interchange::plan_tools::record::date;
use crate::interchange::plan_tools::sections::section;
use crate::model::Time;

/// What is between the markers of a section; without markers, as older versions and people write it, what is below its heading.
pub(super) fn marked<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    placed(body, name).map(|(_, text)| text)
}

/// A section as [`marked`] reads it, and where it begins.
pub(super) fn placed<'a>(body: &'a str, name: &str) -> Option<(usize, &'a str)> {
    let (begin, end) = (format!("<!-- {name}:BEGIN -->"), format!("<!-- {name}:END -->"));
    let Some(from) = body.find(&begin).map(|at| at + begin.len()) else {
        return section(body, heading(name)).map(|section| (section.at, section.body));
    };
    let text = &body[from..from + body[from..].find(&end)?];
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

/// The tasks of a plan: the items of its numbered list, or one for all of it. The criteria are those of the last one.
pub(super) fn tasks(plan: &str, title: &str, criteria: &[String], done: Option<&String>) -> Vec<DraftTask> {
    let mut made: Vec<DraftTask> = Vec::new();
    for line in plan.lines() {
        match without_number(line) {
            Some(title) => made.push(DraftTask {
                id: format!("T{}", made.len() + 1),
                files: draft::paths(&title),
                depends_on: made.last().map(|last| last.id.clone()).into_iter().collect(),
                title,
                ..DraftTask::default()
            }),
            None => {
                let step = boxes::item(line).unwrap_or(line).trim();
                if let (Some(last), false) = (made.last_mut(), step.is_empty()) {
                    last.steps.push(step.to_owned());
                }
            }
        }
    }
    if made.is_empty() {
        let steps = plan.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        made.push(DraftTask { id: "T1".into(), title: title.to_owned(), steps, ..DraftTask::default() });
    }
    if let Some(last) = made.last_mut() {
        last.criteria = criteria.to_vec();
        last.definition_of_done = done.cloned();
    }
    made
}

fn without_number(line: &str) -> Option<String> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')'])?.trim();
    (digits > 0 && !rest.is_empty()).then(|| rest.to_owned())
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
