use std::io::Write;

use clap_complete::Shell;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{Context, Exit, Outcome, command};

/// Print completions for a shell
///
/// For bash: `git wf completions bash > ~/.local/share/bash-completion/completions/git-wf`. For zsh, write to
/// `_git-wf` in a directory of $fpath; for fish, to `~/.config/fish/completions/git-wf.fish`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// The answer of `completions`.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Script {
    /// The shell, as given.
    shell: String,
    /// The script.
    script: String,
}

/// git's own completion of `git wf …` calls a function of this name, which passes on to that of `git-wf …`.
const FOR_GIT: &str = "
_git_wf() {
    local at=${__git_cmd_idx:-1}
    COMP_WORDS=(git-wf \"${COMP_WORDS[@]:at+1}\")
    COMP_CWORD=$((COMP_CWORD - at))
    _git__wf git-wf \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"
}
";

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "git-wf", &mut bytes);
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if args.shell == Shell::Bash {
        // clap spells the dash in the program's name in two ways, so the case for a subcommand would never match.
        text = text.replace("git__subcmd__wf", "git__wf") + FOR_GIT;
    }
    if context.json() {
        context.screen.print_json(&Script { shell: args.shell.to_string(), script: text })?;
        return Ok(Exit::Done);
    }
    context.screen.write_all(text.as_bytes())?;
    Ok(Exit::Done)
}
