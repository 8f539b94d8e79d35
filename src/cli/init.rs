use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::sync::{commits, warn_of_losses};
use super::{Context, Exit, Failure, Outcome};
use crate::hooks::install::HookState;
use crate::model::shell;
use crate::store::Store;
use crate::sync::{self, Synced};
use crate::ui::text;

/// Create the store, or fetch the remote's
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The remote of the store (default: the only remote, or origin)
    #[arg(long, value_name = "NAME")]
    remote: Option<String>,
    /// Also install the git hooks that link commits to plans
    #[arg(long)]
    hooks: bool,
}

/// What `init` did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Initialised {
    /// The full name of the ref.
    pub(crate) reference: String,
    /// Whether there was no store here before.
    pub(crate) created: bool,
    /// Whether the remote was reached and has a store, which is part of this one now.
    pub(crate) fetched: bool,
    /// The remote whose store a plain `git fetch` brings along; null where there is none.
    pub(crate) remote: Option<String>,
    /// The commit that the ref points to.
    pub(crate) tip: String,
    /// The git hooks, where they were asked for.
    pub(crate) hooks: Vec<HookState>,
}

pub(super) fn run(Args { remote: named, hooks }: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.refuse_mirror()?;
    let remote = sync::remote::to_begin_with(&store, named.as_deref())?;
    let is_new = store.tip()?.is_none();
    let pulled = match &remote {
        Some(remote) if is_new || !store.fetches_from(remote) => pull(&store, remote, context)?,
        _ => None,
    };
    if store.tip()?.is_none() {
        store.create()?;
    }
    let added = match &remote {
        Some(remote) => sync::remote::add_refspec(&store, remote)?,
        None => false,
    };
    if let Some(remote) = named.as_deref()
        && sync::remote::of_the_ref(&store)?.as_deref() != Some(remote)
    {
        sync::remote::choose(&store, remote)?;
    }
    let hooks = if hooks { super::hooks::install_hooks(&store, false)? } else { Vec::new() };
    super::hooks::warn_of_edited(&hooks, context);
    let answer = Initialised {
        reference: store.reference().to_owned(),
        created: is_new,
        fetched: pulled.as_ref().is_some_and(|pulled| pulled.fetched),
        remote,
        tip: store.snapshot()?.commit().to_string(),
        hooks,
    };
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        describe(&answer, pulled.as_ref(), added, context)?;
    }
    Ok(Exit::Done)
}

/// What the remote has already becomes part of this store. A remote that cannot be reached is no reason to wait: all
/// stores have one root and merge later.
fn pull(store: &Store, remote: &str, context: &Context) -> Result<Option<Synced>, Failure> {
    match sync::pull(store, remote) {
        Ok(pulled) => {
            warn_of_losses(&pulled, context);
            Ok(Some(pulled))
        }
        Err(error) if error.is_unreachable() => {
            context.warn(&format!("{error}; `git wf sync` will bring what it has"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn describe(
    answer: &Initialised,
    pulled: Option<&Synced>,
    added: bool,
    context: &mut Context,
) -> std::io::Result<()> {
    let reference = &answer.reference;
    let remote = answer.remote.as_deref().map(text::clean_line).unwrap_or_default();
    let incoming = pulled.map_or(0, |pulled| pulled.incoming);
    let screen = &mut context.screen;
    match (answer.created, answer.fetched) {
        (true, true) => writeln!(screen, "fetched {reference} from {remote}: {}", commits(incoming))?,
        (true, false) => writeln!(screen, "created {reference}")?,
        (false, _) if incoming > 0 => {
            writeln!(screen, "{reference} already exists; fetched {} from {remote}", commits(incoming))?;
        }
        (false, _) => writeln!(screen, "{reference} already exists")?,
    }
    if !answer.hooks.is_empty() {
        let names: Vec<&str> =
            answer.hooks.iter().map(|hook| hook.name).filter(|name| *name != "pre-push").collect();
        writeln!(screen, "hooks installed: {}", names.join(", "))?;
    }
    if added {
        writeln!(screen, "`git fetch {}` also fetches it from now on", shell::operand(&remote))?;
    }
    Ok(())
}
