use std::io::Write;

use crate::cli::{Context, Exit, Failure, Outcome};
use crate::store::Store;
use crate::store::fsck::{Healed, Severity};
use crate::ui::style;
use crate::ui::text::count;

/// Check the records, their references, and the history of the store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also show notes about things that are not wrong
    #[arg(short, long)]
    verbose: bool,
    /// Restore deleted or unreadable records from the history, and repair stamps from the future and records in
    /// another byte form, in one commit
    #[arg(long)]
    repair: bool,
    /// Trust this machine's clock, even if commits are dated more than a day after it
    #[arg(long, requires = "repair")]
    trust_clock: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    if args.repair {
        repair(&store, args.trust_clock, context)?;
    }
    let found = store.fsck()?;
    let errors = found.iter().filter(|it| it.severity == Severity::Error).count();
    let exit = if errors == 0 { Exit::Done } else { Exit::Failed };
    if context.json() {
        context.screen.print_json(&found)?;
        return Ok(exit);
    }
    let painter = context.screen.painter();
    for it in found.iter().filter(|it| args.verbose || it.severity == Severity::Error) {
        let word = match it.severity {
            Severity::Error => painter.paint(style::BAD, "error"),
            Severity::Note => painter.paint(style::DIM, "note"),
        };
        let commit = it.commit.as_deref().and_then(|commit| commit.get(..10));
        let at = commit.map(|commit| format!(" (commit {commit})")).unwrap_or_default();
        writeln!(
            context.screen,
            "{word} {}{at}: {}",
            painter.paint(style::ID, &it.path),
            crate::ui::text::clean_line(&it.what)
        )?;
    }
    let notes = found.len() - errors;
    let more = if notes > 0 && !args.verbose { "; --verbose shows the notes" } else { "" };
    writeln!(context.screen, "{}, {}{more}", count(errors, "error"), count(notes, "note"))?;
    Ok(exit)
}

/// Repairs, and says what. In `--json`, the findings that are left say it.
fn repair(store: &Store, trust_clock: bool, context: &mut Context) -> Result<(), Failure> {
    let to_heal = store.to_heal(trust_clock)?;
    let repairs = store.repairs()?;
    let mended = store.mend()?;
    let is_silent = context.json();
    for path in mended.iter().flat_map(|mended| &mended.refused).filter(|_| !is_silent) {
        let shown = context.screen.painter().paint(style::GOOD, path);
        writeln!(context.screen, "removed {shown}")?;
    }
    let committed = context.transact(store, |tx| {
        for (path, bytes) in &repairs {
            tx.write(path.clone(), bytes.clone())?;
        }
        let healed = tx.heal(&to_heal)?;
        tx.describe("fsck", subject(repairs.len(), &healed));
        Ok(healed)
    })?;
    let healed = &committed.answer;
    if healed.is_by_clock() {
        context.warn(&format!("judged by the clock of this machine, which says {}", to_heal.now));
    }
    for path in &healed.stuck {
        let why = "repaired as often as a record can be; only rewriting the history of the ref helps";
        context.warn(&format!("`{path}`: {why}"));
    }
    if context.json() || committed.commit.is_none() {
        return Ok(());
    }
    for path in repairs.keys() {
        let shown = context.screen.painter().paint(style::GOOD, path);
        writeln!(context.screen, "restored {shown}")?;
    }
    for (paths, what) in [
        (&healed.freed, "can be written to again: check that it says what it should"),
        (&healed.aside, "set aside: it counts for nothing"),
        (&healed.rewritten, "rewritten in the byte form of the format"),
    ] {
        for path in paths {
            let shown = context.screen.painter().paint(style::GOOD, path);
            writeln!(context.screen, "{shown} {what}")?;
        }
    }
    Ok(())
}

fn subject(restored: usize, healed: &Healed) -> String {
    let parts = [
        (restored, "restore", "record"),
        (healed.freed.len(), "repair", "record"),
        (healed.aside.len(), "set aside", "entry"),
        (healed.rewritten.len(), "rewrite", "record"),
    ];
    let parts = parts.iter().filter(|(n, ..)| *n > 0);
    let said = parts.map(|(n, verb, what)| match (*n, *what) {
        (n, "entry") if n > 1 => format!("{verb} {n} entries"),
        (n, what) => format!("{verb} {}", count(n, what)),
    });
    format!("fsck: {}", said.collect::<Vec<_>>().join(", "))
}
