use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::input::text::TextArgs;
use crate::cli::{Context, Exit, Failure, Outcome, existing};
use crate::model::id::IssueId;
use crate::model::issue::{Feedback, FeedbackDetail, FeedbackType, Stage};
use crate::ops::issues;
use crate::ops::work::Told;
use crate::store::{Tx, layout, resolve};
use crate::ui::text::clean_line;
use crate::ui::{Cell, Column, Table, style};

/// Add and list feedback for the next plan
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: FeedbackCommand,
}

#[derive(Debug, clap::Subcommand)]
enum FeedbackCommand {
    /// Add feedback to an issue, for its next planner
    Add {
        /// The issue
        issue: String,
        /// The text (`-` for stdin); instead of it -m, -F FILE, or -e. Of a failure, JSON as `fail -m` takes it
        text: Option<String>,
        /// The type: failure, clarification or rejection
        #[arg(long = "type", value_name = "TYPE", default_value = "clarification", value_parser = parse_type)]
        kind: FeedbackType,
        /// The stage: new, plan, review or execute (default: by type)
        #[arg(long, value_name = "STAGE", value_parser = parse_stage)]
        stage: Option<Stage>,
        /// The plan the feedback is about
        #[arg(long, visible_alias = "solution-id", value_name = "SOLUTION")]
        solution: Option<String>,
        #[command(flatten)]
        given: TextArgs,
    },
    /// List the feedback on an issue, or all feedback
    List {
        /// The issue
        issue: Option<String>,
        /// Only this type: failure, clarification or rejection
        #[arg(long = "type", value_name = "TYPE", value_parser = parse_type)]
        kind: Option<FeedbackType>,
    },
}

fn parse_type(text: &str) -> Result<FeedbackType, String> {
    FeedbackType::parse(text).ok_or_else(|| format!("allowed are {}", FeedbackType::words()))
}

fn parse_stage(text: &str) -> Result<Stage, String> {
    Stage::parse(text).ok_or_else(|| format!("allowed are {}", Stage::words()))
}

/// A piece of feedback with its issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FeedbackShown {
    issue_id: IssueId,
    #[serde(flatten)]
    feedback: Feedback,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command {
        FeedbackCommand::Add { issue, text, kind, stage, solution, given } => {
            let text = text_of(&issue, text, &given, context)?;
            add(&issue, &text, kind, stage, solution.as_deref(), context)
        }
        FeedbackCommand::List { issue, kind } => show(issue.as_deref(), kind, context),
    }
}

fn text_of(
    issue: &str,
    text: Option<String>,
    given: &TextArgs,
    context: &Context,
) -> Result<String, Failure> {
    let help = format!("Feedback on {issue}, for whoever plans it next.");
    let text = given.written(text.as_deref(), &*context.session()?, false, "feedback", &help)?;
    if text.trim().is_empty() {
        return Err(Failure::new("empty", "the feedback is empty, so nothing was written")
            .hint("say what the next planner should know"));
    }
    Ok(text)
}

/// Where feedback of a type arises as a rule.
fn usual_stage(kind: FeedbackType) -> Stage {
    match kind {
        FeedbackType::Failure => Stage::Execute,
        FeedbackType::Clarification => Stage::Plan,
        FeedbackType::Rejection => Stage::Review,
    }
}

fn add(
    issue: &str,
    text: &str,
    kind: FeedbackType,
    stage: Option<Stage>,
    solution: Option<&str>,
    context: &mut Context,
) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = resolve::issue(&snapshot, issue)?;
    let is_json = kind == FeedbackType::Failure && text.trim_start().starts_with('{');
    let told = is_json.then(|| Told::parse(text)).transpose()?;
    let in_json = told.as_ref().and_then(|told| told.solution_id.as_ref());
    let named = solution.map(|text| resolve::solution(&snapshot, text, Some(&id))).transpose()?;
    if let (Some(one), Some(other)) = (&named, in_json.filter(|it| named.as_ref() != Some(it))) {
        return Err(Failure::usage(format!("the failure is of `{other}`, and --solution says `{one}`"))
            .hint("leave --solution out"));
    }
    let in_json = in_json.map(|it| resolve::solution(&snapshot, it.as_str(), Some(&id))).transpose()?;
    let solution = named.or(in_json);
    if let Some(other) = solution.as_ref().filter(|it| it.issue() != id) {
        return Err(Failure::new(
            "other-issue",
            format!("solution `{other}` belongs to issue `{}`, not `{id}`", other.issue()),
        )
        .hint(format!("`git wf solution list {id}` shows the plans of `{id}`")));
    }
    let mut detail = FeedbackDetail { solution_id: solution, ..FeedbackDetail::default() };
    let mut content = text.to_owned();
    if let Some(told) = told {
        let reported = told.failure;
        content = reported.message.clone().unwrap_or_default();
        detail.task_id = reported.task_id;
        detail.error_type = reported.error_type;
        detail.message = reported.message;
        detail.stack_trace = reported.stack_trace;
    }
    let stage = stage.unwrap_or_else(|| usual_stage(kind));
    let committed = context.transact(&store, |tx| {
        existing(tx, &id)?;
        let feedback = append(tx, &id, kind, stage, &content, &detail)?;
        tx.describe("feedback add", format!("issue: {kind} on {id}"));
        Ok(feedback)
    })?;
    if context.json() {
        context.screen.print_json(&FeedbackShown { issue_id: id, feedback: committed.answer })?;
    } else {
        writeln!(context.screen, "noted a {kind} ({stage}) on {id}")?;
    }
    Ok(Exit::Done)
}

fn append(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    kind: FeedbackType,
    stage: Stage,
    content: &str,
    detail: &FeedbackDetail,
) -> Result<Feedback, Failure> {
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    let (content, detail) = (content.to_owned(), detail.clone());
    Ok(tx.append(&layout::feedback(issue), |id| Feedback {
        id,
        kind,
        stage,
        content,
        detail,
        author,
        created_at,
    })?)
}

fn show(issue: Option<&str>, kind: Option<FeedbackType>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let (folders, broken) = match issue {
        Some(text) => (vec![existing(&snapshot, &resolve::issue(&snapshot, text)?)?], 0),
        None => issues::all(&snapshot)?,
    };
    if broken > 0 {
        context.warn(&format!("skipped {}", crate::ui::text::count(broken, "unreadable issue")));
    }
    let all = folders.iter().flat_map(|folder| {
        let id = &folder.issue.record.id;
        folder.feedback.iter().map(move |it| FeedbackShown { issue_id: id.clone(), feedback: it.clone() })
    });
    let all: Vec<FeedbackShown> = all.filter(|it| kind.is_none_or(|kind| it.feedback.kind == kind)).collect();
    if context.json() {
        context.screen.print_json(&all)?;
        return Ok(Exit::Done);
    }
    let now = store.now()?.millis();
    let mut table = Table::new([
        Column::left("ISSUE"),
        Column::left("TYPE"),
        Column::left("STAGE"),
        Column::left("WHEN"),
        Column::flexible("WHAT"),
    ]);
    for it in &all {
        let look = if it.feedback.kind == FeedbackType::Clarification { style::PLAIN } else { style::BAD };
        let error = it.feedback.detail.error_type.as_deref();
        let error = error.map(|error| format!("{}: ", clean_line(error))).unwrap_or_default();
        table.row([
            Cell::new(it.issue_id.as_str(), style::ID),
            Cell::new(it.feedback.kind.as_str(), look),
            Cell::from(it.feedback.stage.as_str()),
            Cell::from(crate::ui::time::ago(now, it.feedback.created_at.millis())),
            Cell::from(format!("{error}{}", it.feedback.content)),
        ]);
    }
    table.print(&mut context.screen)?;
    Ok(Exit::Done)
}
