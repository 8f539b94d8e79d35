//! `redact --purge`: takes what is hidden out of the history, and says what else holds it.

use std::io::{BufRead as _, Write as _};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{Context, Exit, Failure, Outcome};
use crate::index;
use crate::model::shell;
use crate::store::{Purged, Store, Tracked};
use crate::ui::text::{clean_line, count};

/// What a rewritten history asks of others.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PurgeAnswer {
    /// The ref.
    reference: String,
    /// The commit that it pointed to.
    from: String,
    /// The commit that it points to; the same one where nothing was rewritten.
    to: String,
    /// Commits that were rewritten.
    commits: usize,
    /// Versions of files that were rewritten in them, each counted once.
    files: usize,
    /// Entries that have another id since then, because it is made of what they say.
    renamed: Vec<Renamed>,
    /// References of remotes that a purge kept apart from the ref, and whose steps came in.
    merged: Vec<String>,
    /// Remotes that hold the old history, as far as is known here.
    remotes: Vec<Remote>,
    /// Other references of this repository that hold commits of the old history.
    held_by: Vec<String>,
}

/// An entry with another name.
#[derive(Debug, Serialize, JsonSchema)]
struct Renamed {
    /// Its path of before.
    from: String,
    /// Its path now.
    to: String,
}

/// A remote that holds the old history.
#[derive(Debug, Serialize, JsonSchema)]
struct Remote {
    /// Its name.
    remote: String,
    /// The reference that told what it has, which was dropped.
    tracking: String,
    /// The command that puts the new history there, unless somebody pushed meanwhile.
    push: String,
    /// The command that each other clone needs then. What it had not published stays.
    clones: String,
}

/// Asks, where nobody said yes.
pub(in crate::cli) fn confirm(store: &Store, is_agreed: bool) -> Result<(), Failure> {
    if is_agreed {
        return Ok(());
    }
    let refused = |message: &str| {
        Failure::usage(message)
            .hint("--yes goes on without asking; `git wf redact --help` says what it means")
    };
    if !crate::ui::can_ask() {
        return Err(refused("rewriting the history needs your consent"));
    }
    crate::ui::say(&format!(
        "This rewrites the history of {}. The remote and every other clone must then do the same.",
        store.reference()
    ));
    crate::ui::say("Type yes to go on:");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    if read.is_ok() && answer.trim().eq_ignore_ascii_case("yes") {
        Ok(())
    } else {
        Err(refused("nothing was rewritten"))
    }
}

pub(in crate::cli) fn run(store: &Store, context: &mut Context) -> Outcome {
    let reference = store.reference().to_owned();
    let answer = match store.purge()? {
        Some(purged) => answer(reference, purged),
        None => {
            let tip = store.snapshot()?.commit().to_string();
            let (from, to) = (tip.clone(), tip);
            let (renamed, merged, held_by) = (vec![], vec![], vec![]);
            let remotes = remotes(&reference, store.unpurged_remotes()?);
            PurgeAnswer { reference, from, to, commits: 0, files: 0, renamed, merged, remotes, held_by }
        }
    };
    if let Err(error) = index::forget(store) {
        context.warn(&format!(
            "the index may still hold what was hidden: {error}; `git wf reindex` rebuilds it"
        ));
    }
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        print(&answer, context)?;
    }
    Ok(Exit::Done)
}

/// What each of them asks for.
fn remotes(reference: &str, tracked: Vec<Tracked>) -> Vec<Remote> {
    let one = |Tracked { remote, tracking, commit }| Remote {
        push: format!(
            "git push --force-with-lease={} {} {}",
            shell::word(&format!("{reference}:{commit}")),
            shell::operand(&remote),
            shell::word(reference)
        ),
        clones: format!(
            "git fetch {0} && git wf redact --purge --yes && git wf sync {0}",
            shell::operand(&remote)
        ),
        remote,
        tracking,
    };
    tracked.into_iter().map(one).collect()
}

fn answer(reference: String, purged: Purged) -> PurgeAnswer {
    PurgeAnswer {
        from: purged.from.to_string(),
        to: purged.to.to_string(),
        commits: purged.commits,
        files: purged.files,
        renamed: purged.renamed.into_iter().map(|(from, to)| Renamed { from, to }).collect(),
        merged: purged.merged.into_iter().map(|it| it.tracking).collect(),
        remotes: remotes(&reference, purged.remotes),
        held_by: purged.held_by,
        reference,
    }
}

fn print(answer: &PurgeAnswer, context: &mut Context) -> Result<(), Failure> {
    let PurgeAnswer { reference, commits, files, merged, remotes, .. } = answer;
    if *commits == 0 {
        writeln!(context.screen, "no commit of {reference} holds anything hidden; nothing was rewritten")?;
    } else {
        writeln!(
            context.screen,
            "rewrote {} of {reference}, and {} in them; what is hidden is in none of them any more",
            count(*commits, "commit"),
            count(*files, "file")
        )?;
    }
    for tracking in merged {
        writeln!(context.screen, "merged `{}`, with its hidden values removed", clean_line(tracking))?;
    }
    if !answer.renamed.is_empty() && *commits > 0 {
        let entries = match answer.renamed.len() {
            1 => "1 entry has".to_owned(),
            many => format!("{many} entries have"),
        };
        writeln!(context.screen, "{entries} another id now, which --json names")?;
    }
    if *commits == 0 && remotes.is_empty() {
        return Ok(());
    }
    writeln!(context.screen, "\nThe old history still exists elsewhere; `git wf sync` refuses to merge it:")?;
    for Remote { remote, push, clones, .. } in remotes {
        writeln!(
            context.screen,
            "  on `{}`; to replace it (the next `git wf sync` checks this), run\n    {}",
            clean_line(remote),
            clean_line(push)
        )?;
        writeln!(
            context.screen,
            "  in every other clone; after that push, run there (unpublished work is kept)\n    {}",
            clean_line(clones)
        )?;
    }
    for name in &answer.held_by {
        writeln!(context.screen, "  in `{}` of this repository", clean_line(name))?;
    }
    writeln!(
        context.screen,
        "  as objects on this disk that nothing names; this removes them\n    git gc --prune=now"
    )?;
    writeln!(context.screen, "  in backups, forks and the host's caches, which git-wf cannot reach")?;
    Ok(())
}
