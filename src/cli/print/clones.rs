//! Exchanges with remotes, and conflicts.

use std::io::{self, Write};

use crate::ops::clones::KeptValue;
use crate::sync::Synced;
use crate::sync::conflicts::{Conflict, ConflictSide, WHOLE};
use crate::ui::text::clean;
use crate::ui::{Screen, UiSettings, clean_line, count, style, time};

/// The result of a sync.
pub(in crate::cli) fn synced(screen: &mut Screen, synced: &Synced) -> io::Result<()> {
    let remote = clean_line(&synced.remote);
    if synced.is_idle() {
        return writeln!(screen, "{remote}: up to date");
    }
    writeln!(
        screen,
        "synced with {remote}: fetched {}, pushed {}",
        count(synced.incoming, "commit"),
        synced.outgoing
    )
}

/// The result of a pull.
pub(in crate::cli) fn pulled(screen: &mut Screen, pulled: &Synced, reference: &str) -> io::Result<()> {
    let remote = clean_line(&pulled.remote);
    if !pulled.fetched {
        writeln!(screen, "{remote} has no `{reference}` yet")
    } else if pulled.is_idle() {
        writeln!(screen, "{remote}: nothing new")
    } else {
        writeln!(screen, "pulled {} from {remote}", count(pulled.incoming, "commit"))
    }
}

/// The result of a push.
pub(in crate::cli) fn pushed(screen: &mut Screen, pushed: &Synced) -> io::Result<()> {
    let remote = clean_line(&pushed.remote);
    if pushed.pushed {
        writeln!(screen, "pushed {} to {remote}", count(pushed.outgoing, "commit"))
    } else {
        writeln!(screen, "{remote}: up to date")
    }
}

/// All open conflicts, grouped by field.
pub(in crate::cli) fn conflicts(screen: &mut Screen, conflicts: &[Conflict]) -> io::Result<()> {
    for (n, conflict) in conflicts.iter().enumerate() {
        let of_field = |it: &&Conflict| it.path == conflict.path && it.field == conflict.field;
        let earlier = conflicts[..n].iter().filter(of_field).count();
        let is_only = conflicts.iter().filter(of_field).count() == 1;
        if earlier == 0 {
            let painter = screen.painter();
            let record = painter.paint(style::ID, &conflict.record);
            let what =
                if conflict.field == WHOLE { "the whole record, created twice" } else { &conflict.field };
            writeln!(screen, "{record} {}", painter.paint(style::HEADING, &clean_line(what)))?;
            print_side("current", conflict, &conflict.stands, screen)?;
        }
        let name = if is_only { "other".to_owned() } else { format!("other {}", earlier + 1) };
        print_side(&name, conflict, &conflict.other, screen)?;
    }
    if conflicts.is_empty() {
        writeln!(screen, "no unresolved conflicts")?;
    } else {
        let open = count(conflicts.len(), "conflict");
        writeln!(screen, "{open}; `git wf conflicts take|keep RECORD FIELD` resolves one")?;
    }
    Ok(())
}

fn print_side(name: &str, conflict: &Conflict, side: &ConflictSide, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let author = side.author.as_deref().unwrap_or("someone");
    let at = side.at.map(|at| format!(", {}", time::when(at))).unwrap_or_default();
    let (label, margin) = if UiSettings::get().is_plain {
        (format!("{name}:"), "")
    } else {
        (format!("  {name:<7}"), "          ")
    };
    let label = painter.paint(style::DIM, &label);
    writeln!(screen, "{label} {}{at}", clean_line(author))?;
    let text = match &*conflict.in_words(side) {
        serde_json::Value::Null => "(removed)".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    };
    for line in clean(&text).lines() {
        writeln!(screen, "{margin}{line}")?;
    }
    Ok(())
}

/// The result of resolving one conflict.
pub(in crate::cli) fn settled(
    screen: &mut Screen,
    conflict: &Conflict,
    which: KeptValue,
    is_changed: bool,
) -> io::Result<()> {
    if !is_changed {
        return Ok(());
    }
    let (field, record) = (clean_line(&conflict.field), clean_line(&conflict.record));
    match (which, &*conflict.in_words(&conflict.other)) {
        (KeptValue::Current, _) => writeln!(screen, "kept the current value of `{field}` of {record}"),
        (KeptValue::Lost(_), serde_json::Value::String(text)) => {
            writeln!(screen, "`{field}` of {record} is now: {}", clean_line(text))
        }
        (KeptValue::Lost(_), serde_json::Value::Null) => writeln!(screen, "removed `{field}` of {record}"),
        (KeptValue::Lost(_), value) => {
            writeln!(screen, "`{field}` of {record} is now: {}", clean_line(&value.to_string()))
        }
    }
}
