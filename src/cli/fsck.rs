use std::io::Write;

use super::{Context, Exit, Failure, Outcome};
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
    /// Restore deleted or unreadable records from the history, and repair records with stamps in the far
    /// future, in one commit
    #[arg(long)]
    repair: bool,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    if args.repair {
        repair(&store, context)?;
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

/// Writes the newest sound version of everything that the history can give back, heals what bears a stamp of the far
/// future, and says what.
fn repair(store: &Store, context: &mut Context) -> Result<(), Failure> {
    let repairs = store.repairs()?;
    let mended = store.mend()?;
    let is_silent = context.json();
    for path in mended.iter().flat_map(|mended| &mended.refused).filter(|_| !is_silent) {
        let shown = context.screen.painter().paint(style::GOOD, path);
        writeln!(context.screen, "took away {shown}")?;
    }
    let far_future = store.far_future()?;
    let committed = context.transact(store, |tx| {
        for (path, bytes) in &repairs {
            tx.write(path.clone(), bytes.clone())?;
        }
        let healed = tx.heal(&far_future)?;
        tx.describe("fsck", subject(repairs.len(), &healed));
        Ok(healed)
    })?;
    for path in &committed.answer.stuck {
        let why =
            "it was started anew as often as a record can be; only rewriting the history of the ref helps";
        context.warn(&format!("`{path}`: {why}"));
    }
    if context.json() || committed.commit.is_none() {
        return Ok(());
    }
    for path in repairs.keys() {
        let shown = context.screen.painter().paint(style::GOOD, path);
        writeln!(context.screen, "restored {shown}")?;
    }
    let healed = &committed.answer;
    for (paths, what) in [
        (&healed.anew, "started anew with stamps of now: see that it says what it should"),
        (&healed.aside, "set aside: it counts for nothing"),
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
        (healed.anew.len(), "start anew", "record"),
        (healed.aside.len(), "set aside", "entry"),
    ];
    let parts = parts.iter().filter(|(n, ..)| *n > 0);
    let said = parts.map(|(n, verb, what)| match (*n, *what) {
        (n, "entry") if n > 1 => format!("{verb} {n} entries"),
        (n, what) => format!("{verb} {}", count(n, what)),
    });
    format!("fsck: {}", said.collect::<Vec<_>>().join(", "))
}
