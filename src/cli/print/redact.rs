//! What was hidden, and what was removed from the history.

use std::io::{self, Write};

use crate::ops::store::{Purge, Remote};
use crate::ui::{Screen, clean_line, count, style};

/// Reports that a value is hidden.
pub(in crate::cli) fn hidden(screen: &mut Screen, id: &str, field: &str, is_new: bool) -> io::Result<()> {
    let (shown, field) = (screen.painter().paint(style::ID, id), clean_line(field));
    if !is_new {
        return writeln!(screen, "`{field}` of {shown} is already hidden; nothing changed");
    }
    writeln!(
        screen,
        "`{field}` of {shown} now shows as [redacted]; the history keeps it until `git wf redact --purge`"
    )
}

/// What a purge did, and where the old history still exists.
pub(in crate::cli) fn purged(screen: &mut Screen, answer: &Purge) -> io::Result<()> {
    let Purge { reference, commits, files, merged, remotes, .. } = answer;
    if *commits == 0 {
        writeln!(screen, "no commit of {reference} contains hidden values; nothing was rewritten")?;
    } else {
        writeln!(
            screen,
            "rewrote {} of {reference}, and {} in them; none of them holds a hidden value",
            count(*commits, "commit"),
            count(*files, "file")
        )?;
    }
    for tracking in merged {
        writeln!(screen, "merged `{}`, with its hidden values removed", clean_line(tracking))?;
    }
    if !answer.renamed.is_empty() && *commits > 0 {
        let entries = match answer.renamed.len() {
            1 => "1 entry has".to_owned(),
            many => format!("{many} entries have"),
        };
        writeln!(screen, "{entries} a new id; --json lists them")?;
    }
    if *commits == 0 && remotes.is_empty() {
        return Ok(());
    }
    writeln!(screen, "\nThe old history still exists, and `git wf sync` refuses to merge it:")?;
    for Remote { remote, push, clones, .. } in remotes {
        writeln!(screen, "  on `{}`: replace it with\n    {}", clean_line(remote), clean_line(push))?;
        writeln!(
            screen,
            "  in every other clone: after that push, run there (unpublished work is kept)\n    {}",
            clean_line(clones)
        )?;
    }
    for name in &answer.held_by {
        writeln!(screen, "  in `{}` of this repository", clean_line(name))?;
    }
    writeln!(
        screen,
        "  in unreachable objects of this repository: remove them with\n    git gc --prune=now"
    )?;
    writeln!(screen, "  in backups, forks and the host's caches, which git-wf cannot reach")?;
    Ok(())
}
