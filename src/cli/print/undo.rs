//! Prints what was undone.

use std::io::{self, Write};

use crate::model::IssueId;
use crate::ops::store::{KeptField, Restored, Undone};
use crate::ops::work::PreparedRevert;
use crate::ui::{Screen, clean_line, style};

pub(in crate::cli) fn undone(screen: &mut Screen, it: &Undone) -> io::Result<()> {
    let painter = screen.painter();
    let short = painter.paint(style::WARN, it.commit.short());
    if let Some(PreparedRevert { issue_ids, onto, branch, commit, command }) = &it.revert {
        let issues: Vec<&str> = issue_ids.iter().map(IssueId::as_str).collect();
        let (branch, onto) = (clean_line(branch.short()), clean_line(onto.short()));
        writeln!(
            screen,
            "branch {} reverts the landing of {} (commit {}); {onto} has not moved",
            painter.paint(style::ID, &branch),
            issues.join(", "),
            commit.short()
        )?;
        return writeln!(screen, "  `{}` brings it there", clean_line(command));
    }
    writeln!(screen, "undid {short} {}", clean_line(&it.subject))?;
    for Restored { record, comment, item, field, is_set } in &it.restored {
        let id = |id: &str| painter.paint(style::ID, id).to_string();
        let what = match (comment, item) {
            (Some(comment), _) => format!("comment {} of {}", id(comment.short()), id(record)),
            (None, Some(plan)) => {
                writeln!(screen, "  removed {} from {}", id(plan), id(record))?;
                continue;
            }
            (None, None) => id(record),
        };
        match field {
            Some(field) => writeln!(screen, "  {}", words_of(field, &what, *is_set))?,
            None => writeln!(screen, "  withdrew {what}")?,
        }
    }
    for KeptField { what, why } in &it.kept {
        writeln!(
            screen,
            "  {} {}: {}",
            painter.paint(style::WARN, "kept"),
            clean_line(what),
            clean_line(why)
        )?;
    }
    Ok(())
}

/// What was done to a field, or to an element of a set; `record` is painted.
fn words_of(field: &str, record: &str, is_set: bool) -> String {
    let set = field.split_once('/').and_then(|(set, element)| match set {
        "tags" => Some(("tags", element)),
        "depends_on" => Some(("dependencies", element)),
        "affected_components" => Some(("components", element)),
        _ => None,
    });
    match (set, field) {
        (Some((set, element)), _) if is_set => {
            format!("put `{}` back into the {set} of {record}", clean_line(element))
        }
        (Some((set, element)), _) => format!("removed `{}` from the {set} of {record}", clean_line(element)),
        (None, "withdrawn") if is_set => format!("withdrew {record} again"),
        (None, "withdrawn") => format!("restored {record}, which was withdrawn"),
        (None, field) => format!("restored `{}` of {record}", clean_line(field)),
    }
}
