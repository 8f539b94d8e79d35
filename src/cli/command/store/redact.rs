use crate::cli::command::store::redact_purge;
use crate::cli::input::text::MessageArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::model::{Op, RemedyCall};
use crate::ops::Refusal;
use crate::ops::store::{self, Redact};

/// Hide a value everywhere: it shows as `[redacted]`
///
/// The text stays in the history of the ref, where plain git shows it: everyone who has fetched it has it.
///
/// Once anything in an issue from an import or a roadmap is hidden, the issue no longer follows its source: imports
/// leave it as it is, and `imported`, the record of its source, is hidden too.
///
/// If a comment was edited, only the named version is hidden, since later ones may have been written to leave the text
/// out. The other versions are listed; --all-versions hides all that this clone has. If another clone brings one
/// later, repeat the command.
///
/// With --purge the history is rewritten, so that no commit of the ref in this repository holds a hidden value. The
/// remote keeps the old history until the new one is force-pushed, and every other clone keeps it until it is purged
/// too; the commands for both are printed. Until then, `sync`, `pull`, `push` and `next` refuse to merge the two.
/// Purging again merges what others have pushed since and prints the commands again. In a clone that has fetched the
/// purged history, it keeps your unpublished changes. A server with the hook of `hooks install --server` refuses
/// forced pushes: purge there as well.
///
/// Nothing reaches backups, forks, the caches of a host, or what someone has already read: if you published a password,
/// change it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue, plan, execution, queue, item or roadmap; or `wisdom`, with an entry of `wisdom --json` as the field
    #[arg(required_unless_present = "purge", requires = "field")]
    id: Option<String>,
    /// The field: title, context, tags, plan, …; or comments/ENTRY, feedback/ENTRY, explorations/ENTRY,
    /// reviews/ENTRY, log/ENTRY or conflicts/ENTRY, optionally followed by /FIELD
    field: Option<String>,
    /// The reason, recorded in the log; also after -m or -F
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    #[command(flatten)]
    message: MessageArgs,
    /// Hide all versions of a comment, not only the named one
    #[arg(long, requires = "field")]
    all_versions: bool,
    /// Rewrite the history without the hidden values
    #[arg(long)]
    purge: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let request = match (args.id, args.field) {
        (Some(id), Some(field)) => {
            let reason = args.message.said(args.text.as_deref())?.ok_or_else(|| {
                let call = RemedyCall::new(Op::Redact, [&id, &field]).option("message", "TEXT");
                Refusal::usage("a redaction needs a reason").remedy(call, "gives it; the log records it")
            })?;
            Some(Redact { id, field, all_versions: args.all_versions, reason, force: args.force.why() })
        }
        _ => None,
    };
    if args.yes && !args.purge {
        return Err(Refusal::usage("--yes is only for --purge")
            .hint("omit it: without --purge, nothing is asked")
            .into());
    }
    if args.purge {
        session.check_store()?;
        redact_purge::confirm(session.store(), args.yes)?;
    }
    if let Some(request) = request {
        let done = store::redact(&session, &request)?;
        if !args.purge {
            return context.answer(done, |redacted, is_new, screen| {
                print::redact::hidden(screen, &redacted.id, &request.field, is_new)
            });
        }
        context.show_notices(done.notices);
    }
    let done = store::purge(&session)?;
    context.answer(done, |purged, _, screen| print::redact::purged(screen, purged))
}
