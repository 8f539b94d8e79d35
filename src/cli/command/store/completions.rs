//! The completions for shells. A script asks `git-wf` what can come next, so ids, tasks, agents and statuses are completed
//! too.

use std::io::Write;

use clap_complete::Shell;
use clap_complete::env::Shells;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::complete::{self, PROGRAM};
use crate::cli::{CliContext, Exit, Outcome};

/// The answer of `setup --completions`.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Script {
    /// The shell, as given.
    shell: String,
    /// The script.
    script: String,
}

/// git's own completion of `git wf …` calls a function of this name, which passes on to that of `git-wf …`.
const BASH_FOR_GIT: &str = "
_git_wf() {
    local at=${__git_cmd_idx:-1}
    COMP_WORDS=(git-wf \"${COMP_WORDS[@]:at+1}\")
    COMP_CWORD=$((COMP_CWORD - at))
    _clap_complete_git_wf git-wf \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"
}
";

/// zsh loads the file as the body of a function, and its completion of `git wf …` calls just that function.
const ZSH_FOR_GIT: &str = "
if [[ $funcstack[1] == _git-wf ]]; then
    _clap_dynamic_completer_git_wf \"$@\"
fi
";

/// fish 3.6 looks for the completion of `git-git-wf` here.
const FISH_FOR_GIT: &str = "
function __git_wf_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -e words[1..(contains --index -- wf $words)]
    WF_COMPLETE=fish git-wf -- git-wf $words (commandline --current-token)
end
complete --keep-order --exclusive --command git --condition '__fish_git_using_command wf' --arguments '(__git_wf_complete)'
";

/// The completion script for a shell.
pub(super) fn script(shell: Shell) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        completer.write_registration(complete::VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut bytes)?;
    }
    let mut script = String::from_utf8_lossy(&bytes).into_owned();
    script.push_str(match shell {
        Shell::Bash => BASH_FOR_GIT,
        Shell::Zsh => ZSH_FOR_GIT,
        Shell::Fish => FISH_FOR_GIT,
        _ => "",
    });
    Ok(script)
}

/// Prints the script of a shell.
pub(super) fn print(shell: Shell, context: &mut CliContext) -> Outcome {
    let script = script(shell)?;
    if context.json() {
        context.screen.print_json(&Script { shell: shell.to_string(), script })?;
        return Ok(Exit::Done);
    }
    context.screen.verbatim()?;
    context.screen.write_all(script.as_bytes())?;
    Ok(Exit::Done)
}
