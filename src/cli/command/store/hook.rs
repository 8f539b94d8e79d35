use std::ffi::OsString;
use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use crate::cli::{CliContext, Exit, Outcome, acting, environment, print};
use crate::git::GitError;
use crate::hooks::{
    HookError, HookVerdict, commit_msg, guard, post_commit, post_rewrite, pre_push, pre_receive, role,
};
use crate::model::Code;
use crate::ops::work::notice_of_hooks;
use crate::ops::{NoProgress, Refusal, Session};
use crate::store::{Store, StoreError};
use crate::trail::{active, hooked};
use crate::ui;

/// What the installed hooks call
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Git's name for the hook
    name: String,
    /// What git gives to that hook
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// The hook that protects a server: if it cannot check, the push is rejected.
const GUARD: &str = "pre-receive";
/// The hooks of an agent of a run: what they cannot check, they refuse.
const OF_AGENTS: &str = "guard";

impl Args {
    /// The hook that a shim calls with these words; `None` for any other command line.
    pub(in crate::cli) fn called(words: &[OsString]) -> Option<Self> {
        let [_, command, name, args @ ..] = words else { return None };
        let name = name.to_str().filter(|name| !name.starts_with('-'))?;
        let args = args.strip_prefix(&[OsString::from("--")]).unwrap_or(args);
        (command == "hook").then(|| Self { name: name.to_owned(), args: args.to_vec() })
    }
}

pub(in crate::cli) fn run(args: Args, _: &mut CliContext) -> Outcome {
    answer(args)
}

/// git continues whatever happens here, even after a panic: only the policy may stop a commit, and only a guard may
/// stop anything else.
pub(in crate::cli) fn answer(Args { name, args }: Args) -> Outcome {
    let shown = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(|| hook(&name, &args)));
    panic::set_hook(shown);
    match result {
        Ok(Ok(HookVerdict::Go)) => {}
        Ok(Ok(HookVerdict::Note(note))) => tell(&print::with_remedies(&note.message, &note.remedies)),
        Ok(Ok(HookVerdict::Refused(why))) => {
            return Err(Refusal::new(Code::CommitRefused, why)
                .hint("`git wf next` claims the next item; `git wf next ISSUE` queues and claims an issue")
                .into());
        }
        Ok(Ok(HookVerdict::NotTheirs(error))) => return Err(Refusal::from(error).into()),
        Ok(Ok(HookVerdict::OutOfBounds(why))) => {
            return Err(Refusal::new(Code::NotYourRole, why)
                .hint("`git wf run` started this agent, and its role does not allow this; say in the answer what is missing").into());
        }
        Ok(Ok(HookVerdict::NotReceived { what, details, hint })) => {
            return Err(Refusal::new(Code::PushRefused, what).details(details).hint(hint).into());
        }
        Ok(Err(refusal)) if [GUARD, OF_AGENTS].contains(&name.as_str()) => return Err(refusal.into()),
        Ok(Err(refusal)) => tell(&format!("{name}: {}", refusal.message)),
        Err(_) if name == GUARD => {
            return Err(Refusal::new(Code::Bug, "a bug in git-wf: the push could not be checked")
                .hint("`git wf fsck` on the server and in the clone may show why")
                .into());
        }
        Err(_) if name == OF_AGENTS => {
            return Err(Refusal::new(Code::Bug, "a bug in git-wf: what the agent does could not be checked")
                .hint("try again; if that does not help, report it with this output")
                .into());
        }
        Err(_) => tell(&format!("{name}: a bug in git-wf; nothing was recorded")),
    }
    Ok(Exit::Done)
}

fn hook(name: &str, args: &[OsString]) -> Result<HookVerdict, Refusal> {
    let open = || -> Result<Store, StoreError> {
        Ok(Store::open(Path::new("."), &environment())?.acting(acting()).in_hook())
    };
    if let (OF_AGENTS, [bounds, name, ..]) = (name, args) {
        return Ok(guard::run(|| Ok(open()?), Path::new(bounds), &name.to_string_lossy())?);
    }
    let store = match open() {
        Ok(store) => store,
        // There can be no store here.
        Err(StoreError::Git(GitError::NotARepository(_)) | StoreError::Git(GitError::Reftable(_)))
            if name != GUARD =>
        {
            return Ok(HookVerdict::Go);
        }
        Err(error) => return Err(error.into()),
    };
    let session = |store| Session::new(store, Box::new(NoProgress));
    match (name, args) {
        ("commit-msg", [path, ..]) => {
            if let Some(refused) = role::refuse_commit(&store)? {
                return Ok(refused);
            }
            let verdict = commit_msg::run(&store, Path::new(path))?;
            Ok(if verdict == HookVerdict::Go { uncalled(&store)? } else { verdict })
        }
        ("post-commit", _) => post_commit::run(&session(store)),
        ("post-merge", _) => post_commit::run_after_merge(&session(store)),
        ("post-rewrite", [kind, ..]) => {
            post_rewrite::run(&session(store), &kind.to_string_lossy(), &stdin()?)
        }
        ("pre-push", [remote, url, ..]) => {
            let (remote, url, input) = (remote.to_string_lossy(), url.to_string_lossy(), stdin()?);
            match role::refuse_push(&store, &input)? {
                Some(refused) => Ok(refused),
                None => Ok(pre_push::run(&store, &remote, &url, &input)?),
            }
        }
        (GUARD, _) => Ok(pre_receive::run(store, &stdin()?)?),
        // A hook of another version of the shims: this version does not know it, and git must not be disturbed.
        _ => Ok(HookVerdict::Go),
    }
}

/// What a commit of an execution loses if the hooks after this one no longer call git-wf: a program that manages hooks may
/// replace them within a commit.
fn uncalled(store: &Store) -> Result<HookVerdict, Refusal> {
    let is_lost = active::read(store)?.is_some() && !hooked::links_commits(store);
    Ok(HookVerdict::about(if is_lost { notice_of_hooks(store).into_iter().collect() } else { vec![] }))
}

fn stdin() -> Result<Vec<u8>, HookError> {
    let mut input = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut input);
    read.map_err(|source| HookError::Read { path: "stdin".into(), source })?;
    Ok(input)
}

/// Prints one line on stderr, unless git has closed it.
fn tell(text: &str) {
    ui::say(&format!("git-wf: {}", ui::text::clean_line(text)));
}
