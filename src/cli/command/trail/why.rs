use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::answer::end_note;
use crate::cli::command::trail::why_origins::{Origin, Origins};
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::index::{Index, Needs};
use crate::store::Store;
use crate::trail::blame::{self, Span};
use crate::trail::trace::{CommitFacts, commit_facts};
use crate::ui::text::{clean_line, count};
use crate::ui::{Cell, Column, Table, style};

/// Show the commit, task, plan and issue behind lines of a file
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file, a line of it, or a range of lines
    #[arg(value_name = "FILE[:LINE[,LINE]]")]
    place: String,
}

/// What `why` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Why {
    /// The file, from the top of the work tree.
    file: String,
    /// How many lines were asked for.
    line_count: u64,
    /// How many of them an execution made.
    planned_line_count: u64,
    /// The lines in order; those that follow each other and come from one commit stand together.
    spans: Vec<Explained>,
}

/// Lines of one commit.
#[derive(Debug, Serialize, JsonSchema)]
struct Explained {
    first_line: u64,
    last_line: u64,
    /// What the file was called in that commit, where it was another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_then: Option<String>,
    /// None where the lines are in no commit yet.
    commit: Option<CommitFacts>,
    /// The executions that link the commit, with what they carried out; none where it belongs to no plan.
    origins: Vec<Origin>,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (index, ()) = context.ask(&store, Needs::ROWS, |_| Ok(()))?;
    let (file, lines) = parse(&args.place)?;
    let here = std::env::current_dir().unwrap_or_default();
    let path = blame::path_from_top(&store, &here, &file)?;
    let spans = blame::blame(&store, &path, lines.as_ref())?;
    let text = spans.first().and_then(|span| span.text.first().cloned());
    let why = explain(&store, &index, path, spans)?;
    if context.json() {
        context.screen.print_json(&why)?;
        return Ok(Exit::Done);
    }
    match why.spans.as_slice() {
        [one] => print_one(&why.file, one, text.as_deref(), context)?,
        many => print_table(&why, many, context)?,
    }
    Ok(Exit::Done)
}

/// Splits the lines off; a file whose name ends like that is meant where it is there.
fn parse(place: &str) -> Result<(String, Option<RangeInclusive<u64>>), Failure> {
    let wrong = |what: &str| {
        Failure::usage(format!("`{place}` {what}"))
            .hint("FILE, FILE:LINE or FILE:FIRST,LAST; lines count from 1")
    };
    let Some((file, tail)) = place.rsplit_once(':').filter(|_| !Path::new(place).exists()) else {
        return Ok((place.to_owned(), None));
    };
    let looks_like_lines = tail.starts_with(|c: char| c.is_ascii_digit());
    if !looks_like_lines {
        return Ok((place.to_owned(), None));
    }
    let number = |text: &str| text.parse::<u64>().ok().filter(|n| *n > 0);
    let (first, last) = match tail.split_once([',', '-']) {
        Some((first, last)) => (number(first), number(last)),
        None => (number(tail), number(tail)),
    };
    let (Some(first), Some(last)) = (first, last) else { return Err(wrong("names no line")) };
    if first > last {
        return Err(wrong("ends before it begins"));
    }
    // Compilers say FILE:LINE:COLUMN.
    match file.rsplit_once(':').filter(|_| first == last && !Path::new(file).exists()) {
        Some((name, line)) if number(line).is_some() => {
            let line = number(line).unwrap_or(1);
            Ok((name.to_owned(), Some(line..=line)))
        }
        _ => Ok((file.to_owned(), Some(first..=last))),
    }
}

fn explain(store: &Store, index: &Index<'_>, file: String, spans: Vec<Span>) -> Result<Why, Failure> {
    let mut origins = Origins::of(store, index)?;
    let mut known: BTreeMap<_, (CommitFacts, Vec<Origin>)> = BTreeMap::new();
    let mut explained = Vec::new();
    for span in spans {
        let (commit, found) = match &span.commit {
            None => (None, vec![]),
            Some(id) => {
                let (facts, found) = match known.entry(*id) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let facts = commit_facts(store, *id)?;
                        let found = origins.find(&facts.hash)?;
                        entry.insert((facts, found))
                    }
                };
                (Some(facts.clone()), found.clone())
            }
        };
        explained.push(Explained {
            first_line: *span.lines.start(),
            last_line: *span.lines.end(),
            path_then: Some(span.path).filter(|path| *path != file && commit.is_some()),
            commit,
            origins: found,
        });
    }
    let lines = |span: &Explained| span.last_line - span.first_line + 1;
    Ok(Why {
        line_count: explained.iter().map(lines).sum(),
        planned_line_count: explained.iter().filter(|span| !span.origins.is_empty()).map(lines).sum(),
        file,
        spans: explained,
    })
}

/// What is known of lines that no execution made.
fn without_plan(span: &Explained) -> String {
    match &span.commit {
        None => "not committed yet".into(),
        Some(commit) if commit.trailers.is_empty() => "no plan".into(),
        Some(commit) => {
            format!(
                "no execution here links it, though its message says {}; `git wf relink`",
                commit.trailers.join(", ")
            )
        }
    }
}

fn print_one(file: &str, span: &Explained, text: Option<&str>, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let lines = if span.first_line == span.last_line {
        format!("{file}:{}", span.first_line)
    } else {
        format!("{file}:{},{}", span.first_line, span.last_line)
    };
    let text = text.filter(|_| span.first_line == span.last_line).map(str::trim).unwrap_or_default();
    writeln!(context.screen, "{}  {}", painter.paint(style::HEADING, &clean_line(&lines)), clean_line(text))?;
    if let Some(commit) = &span.commit {
        writeln!(
            context.screen,
            "  commit {} {}",
            painter.paint(style::WARN, commit.hash.short()),
            clean_line(&commit.subject)
        )?;
        writeln!(context.screen, "    by {}", clean_line(&commit.author))?;
        if let Some(path) = &span.path_then {
            writeln!(context.screen, "    in {}, as it was called then", clean_line(path))?;
        }
    }
    if span.origins.is_empty() {
        writeln!(context.screen, "  {}", painter.paint(style::DIM, &without_plan(span)))?;
    }
    for origin in &span.origins {
        for (verb, hashes) in [("reverts", &origin.reverts), ("reapplies", &origin.reapplies)] {
            for hash in hashes {
                writeln!(context.screen, "  {verb} {}", painter.paint(style::WARN, hash.short()))?;
            }
        }
        if let Some(task) = &origin.task_id {
            let title = origin.task_title.as_deref().unwrap_or_default();
            writeln!(context.screen, "  task {} {}", painter.paint(style::ID, task), clean_line(title))?;
        }
        let plan = origin.plan.as_deref().unwrap_or_default();
        writeln!(
            context.screen,
            "  plan {} {}",
            painter.paint(style::ID, origin.solution_id.as_str()),
            clean_line(plan)
        )?;
        writeln!(
            context.screen,
            "    carried out as {} (attempt {}, {}) by {}{}",
            painter.paint(style::ID, origin.execution_id.short()),
            origin.attempt,
            origin.status,
            clean_line(&origin.actor),
            clean_line(&end_note(&origin.actor, origin.ended_by.as_deref(), origin.forced.as_deref()))
        )?;
        writeln!(
            context.screen,
            "  issue {} {}",
            painter.paint(style::ID, origin.issue_id.as_str()),
            clean_line(&origin.issue_title)
        )?;
    }
    Ok(())
}

fn print_table(why: &Why, spans: &[Explained], context: &mut Context) -> Result<(), Failure> {
    let mut table = Table::new([
        Column::left("LINES"),
        Column::left("COMMIT"),
        Column::left("ISSUE"),
        Column::left("TASK"),
        Column::flexible("WHY"),
    ]);
    for span in spans {
        let lines = if span.first_line == span.last_line {
            span.first_line.to_string()
        } else {
            format!("{}-{}", span.first_line, span.last_line)
        };
        let commit = span.commit.as_ref().map(|commit| commit.hash.short()).unwrap_or_default();
        let row = |issue: &str, task: &str, why: Cell| {
            [
                Cell::from(lines.as_str()),
                Cell::new(commit, style::WARN),
                Cell::new(issue, style::ID),
                Cell::from(task),
                why,
            ]
        };
        if span.origins.is_empty() {
            table.row(row("", "", Cell::new(without_plan(span), style::DIM)));
        }
        for origin in &span.origins {
            let reason = origin.task_title.as_deref().unwrap_or(&origin.issue_title);
            let task = origin.task_id.as_deref().unwrap_or_default();
            table.row(row(origin.issue_id.as_str(), task, Cell::from(reason)));
        }
    }
    table.print(&mut context.screen)?;
    if context.screen.is_terminal() {
        let lines = count(usize::try_from(why.line_count).unwrap_or(usize::MAX), "line");
        let note = format!("{} of {lines} come from a plan", why.planned_line_count);
        let note = context.screen.painter().paint(style::DIM, &note);
        writeln!(context.screen, "{note}")?;
    }
    Ok(())
}
