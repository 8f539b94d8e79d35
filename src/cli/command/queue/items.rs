//! Single items: add, remove, order, hold, release.

use std::io::Write;

use crate::cli::input::text::{self as text_input, MessageArgs};
use crate::cli::{CliContext, Failure, Force, Outcome, print};
use crate::model::shell;
use crate::ops::{Refusal, queue};

/// The items to hold back, and why.
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The reason; repeat for more paragraphs")))]
pub(super) struct Hold {
    /// The items (S-1, QUE-…:S-1, or the id of a plan or issue), then the reason, which is shown with the item; for a reason of one word, use -m
    #[arg(required = true, value_names = ["ITEM", "TEXT"], num_args = 1..)]
    items: Vec<String>,
    #[command(flatten)]
    message: MessageArgs,
    #[command(flatten)]
    force: Force,
}

pub(super) fn remove(items: &[String], force: &Force, context: &mut CliContext) -> Outcome {
    text_input::refuse_text(items.iter().map(String::as_str), "git wf queue remove")?;
    let session = context.session()?;
    let done = queue::remove(&session, items, force.why().as_deref())?;
    context.answer(done, |removed, _, screen| print::queue::removed(screen, removed))
}

pub(super) fn hold(args: Hold, context: &mut CliContext) -> Outcome {
    let Hold { mut items, message, force } = args;
    let last = items.pop_if(|last| text_input::is_text(last));
    let reason = crate::store::one_line(&message.said(last.as_deref())?.unwrap_or_default());
    if reason.is_empty() || items.is_empty() {
        return Err(incomplete(&items, &reason));
    }
    let session = context.session()?;
    let done = queue::hold(&session, &queue::HoldItems { items, reason, force: force.why() })?;
    context.answer(done, |items, is_changed, screen| print::queue::held(screen, items, is_changed, "held"))
}

/// What is missing for a hold: the reason, or the items.
fn incomplete(items: &[String], reason: &str) -> Failure {
    if items.is_empty() {
        let hint = format!("`git wf queue hold ITEM -m {}`; {}", shell::word(reason), text_input::ITEM);
        return Refusal::usage(format!("`{reason}` is a reason, but no item is named")).hint(hint).into();
    }
    let (last, before) = items.split_last().map_or((None, items), |(last, before)| (Some(last), before));
    // A single word can only be the item.
    let (word, before) = if before.is_empty() { (None, items) } else { (last.map(String::as_str), before) };
    let before: Vec<String> = before.iter().map(|item| shell::word(item).into_owned()).collect();
    text_input::lone_word(
        "a hold needs a reason",
        word,
        &format!("git wf queue hold {} -m", before.join(" ")),
    )
    .into()
}

pub(super) fn release(items: &[String], context: &mut CliContext) -> Outcome {
    text_input::refuse_text(items.iter().map(String::as_str), "git wf queue release")?;
    let session = context.session()?;
    let done = queue::release(&session, items)?;
    context
        .answer(done, |items, is_changed, screen| print::queue::held(screen, items, is_changed, "released"))
}

#[derive(Debug, clap::Args)]
#[group(id = "selection", required = true, multiple = true)]
pub(super) struct Selection {
    /// The issues
    issues: Vec<String>,
    /// All planned issues
    #[arg(long, conflicts_with_all = ["issues", "wave", "tag"])]
    all_planned: bool,
    /// All open issues of this roadmap wave (with the tag wave-N)
    #[arg(long, value_name = "N", conflicts_with = "issues")]
    wave: Option<u64>,
    /// All open issues with this tag
    #[arg(short, long, value_name = "TAG", conflicts_with = "issues")]
    tag: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct AddCommand {
    #[command(flatten)]
    selection: Selection,
    /// The queue (default: the first active queue)
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    force: Force,
}

impl From<AddCommand> for queue::AddItems {
    fn from(AddCommand { selection, queue, force }: AddCommand) -> Self {
        let Selection { issues, all_planned, wave, tag } = selection;
        Self { which: queue::QueueSelection { issues, all_planned, wave, tag }, queue, force: force.why() }
    }
}

pub(super) fn add(args: AddCommand, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::add(&session, &args.into())?;
    context.answer(done, |queued, _, screen| print::queue::queued(screen, queued))
}

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("place").required(true).args(["before", "after"])))]
pub(super) struct Order {
    /// The item: S-1, QUE-…:S-1, or the id of a plan or issue
    item: String,
    /// Move it directly before this item
    #[arg(long, value_name = "ITEM")]
    before: Option<String>,
    /// Move it directly after this item and its dependencies
    #[arg(long, value_name = "ITEM")]
    after: Option<String>,
}

pub(super) fn order(args: Order, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Order { item, before, after } = args;
    let is_before = before.is_some();
    let beside = before.or(after).unwrap_or_default();
    let input = queue::OrderItem { item, beside, before: is_before };
    let done = queue::order(&session, &input)?;
    let now = session.now()?.millis();
    context.answer(done, |queue, is_changed, screen| {
        if is_changed {
            print::queue::queue(screen, queue, now)
        } else {
            writeln!(screen, "{} is already there; nothing changed", input.item)
        }
    })
}
