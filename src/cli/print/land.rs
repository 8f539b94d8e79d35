//! What a landing did.

use std::io::{self, Write};

use crate::ops::work::{LandView, LandedIssue, LandingStated, NotLanded, PullState, PullView, PulledIssue};
use crate::ui::{Screen, clean_line, count, style};

/// How many files with conflicts are named.
const SHOWN_FILES: usize = 5;

/// Each issue with what happened to it.
pub(in crate::cli) fn landed(screen: &mut Screen, view: &LandView) -> io::Result<()> {
    let onto = match &view.remote {
        Some(remote) => format!("{} (also at {remote})", view.onto.short()),
        None => view.onto.short().to_owned(),
    };
    for issue in &view.landed {
        landed_issue(screen, issue, &clean_line(&onto), view.dry_run)?;
    }
    for issue in &view.not_landed {
        not_landed(screen, issue, view.dry_run)?;
    }
    Ok(())
}

fn landed_issue(screen: &mut Screen, issue: &LandedIssue, onto: &str, dry_run: bool) -> io::Result<()> {
    let painter = screen.painter();
    let LandedIssue { issue_id, title, how, after, commits, tests, .. } = issue;
    let word = if dry_run { "would land" } else { "landed" };
    writeln!(
        screen,
        "{} {} on {onto} by {how} ({}): {}",
        painter.paint(style::GOOD, word),
        painter.paint(style::ID, issue_id.as_str()),
        if dry_run {
            count(commits.len(), "commit")
        } else {
            format!("{}, {}", count(commits.len(), "commit"), after.short())
        },
        clean_line(title)
    )?;
    if dry_run {
        for test in tests {
            writeln!(screen, "  test: {}", clean_line(test))?;
        }
    }
    Ok(())
}

fn not_landed(screen: &mut Screen, issue: &NotLanded, dry_run: bool) -> io::Result<()> {
    let painter = screen.painter();
    let NotLanded { issue_id, title, message, files, place, .. } = issue;
    let word = if dry_run { "would not land" } else { "not landed" };
    writeln!(
        screen,
        "{} {}: {}: {}",
        painter.paint(style::BAD, word),
        painter.paint(style::ID, issue_id.as_str()),
        clean_line(title),
        clean_line(message)
    )?;
    if let Some(place) = place {
        writeln!(screen, "  the unfinished merge is in {}", clean_line(&place.to_string_lossy()))?;
        writeln!(
            screen,
            "  resolve it there, `git add` the files, then `git wf land --continue {issue_id}`"
        )?;
    }
    for file in files.iter().take(SHOWN_FILES) {
        writeln!(screen, "  conflict in {}", clean_line(file))?;
    }
    if files.len() > SHOWN_FILES {
        writeln!(screen, "  and in {} more", files.len() - SHOWN_FILES)?;
    }
    Ok(())
}

/// What was recorded about the landing of an issue.
pub(in crate::cli) fn stated(screen: &mut Screen, it: &LandingStated) -> io::Result<()> {
    let painter = screen.painter();
    let id = painter.paint(style::ID, it.issue_id.as_str());
    match (&it.onto, &it.after) {
        (Some(onto), Some(after)) => {
            writeln!(screen, "{id} is on {} as {}", clean_line(onto.short()), after.short())
        }
        _ => writeln!(screen, "nothing of {id} needs to land"),
    }
}

/// Each issue with its pull request.
pub(in crate::cli) fn pulled(screen: &mut Screen, view: &PullView) -> io::Result<()> {
    let painter = screen.painter();
    for PulledIssue { issue_id, title, url, state, opened, feedback, .. } in &view.pulls {
        let what = match state {
            PullState::Open if *opened => "opened",
            PullState::Open => "updated",
            PullState::Merged => "merged",
            PullState::Incomplete => "merged without all of the work",
            PullState::Closed => "closed",
        };
        let told = if *feedback > 0 {
            format!(", {} of feedback", count(*feedback, "piece"))
        } else {
            String::new()
        };
        writeln!(
            screen,
            "{what} {} for {}: {}{told}",
            clean_line(url),
            painter.paint(style::ID, issue_id.as_str()),
            clean_line(title)
        )?;
    }
    Ok(())
}
