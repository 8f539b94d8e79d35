//! The name of an agent that is given as a command line: that of its program, without what runs it. Agents of one name share the
//! limits of their provider, and a name in the records says who did something.

use super::{LONGEST_NAME, is_name, is_name_character};

/// The name of an agent without a program that could be one.
const NAMELESS: &str = "agent";
/// Programs that run another one.
const RUNNERS: &[&str] = &[
    "bash", "bun", "bunx", "dash", "deno", "env", "exec", "node", "nohup", "npm", "npx", "perl", "pipx",
    "pnpm", "ruby", "sh", "timeout", "tsx", "uv", "uvx", "yarn", "zsh",
];
/// Their words before what they run.
const THEIR_WORDS: &[&str] = &["dlx", "exec", "run", "tool"];

/// The name for a command line.
pub(super) fn name_of(command: &str) -> String {
    let words = shlex::split(command).unwrap_or_default();
    let mut rest = words.iter().map(String::as_str).peekable();
    let mut first = rest.peek().copied().unwrap_or_default();
    let mut is_run = false;
    while let Some(word) = rest.next() {
        let program = file_name(word);
        if is_run && matches!(word, "-c" | "-lc") {
            return rest.next().map_or_else(|| NAMELESS.to_owned(), name_of);
        }
        if is_runner(program) {
            is_run = true;
        } else if !is_run || !is_of_runner(word) {
            first = word;
            break;
        }
    }
    let file = file_name(first);
    // The version of a package.
    let file = if is_run { file.split('@').next().unwrap_or_default() } else { file };
    let name: String = file.chars().filter(|c| is_name_character(*c)).take(LONGEST_NAME).collect();
    if is_name(&name) { name } else { NAMELESS.to_owned() }
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

fn is_runner(program: &str) -> bool {
    let is_python = program
        .strip_prefix("python")
        .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    is_python || RUNNERS.contains(&program)
}

/// Whether a word is an option, a variable, a number or a command of the program that runs another one.
fn is_of_runner(word: &str) -> bool {
    word.starts_with(['-', '+'])
        || word.starts_with(|c: char| c.is_ascii_digit())
        || word.split('/').next().is_some_and(|start| start.contains('='))
        || THEIR_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_has_the_name_of_what_it_runs() {
        for (command, name) in [
            ("claude --print", "claude"),
            ("/opt/bin/claude", "claude"),
            ("python3 plan.py", "plan.py"),
            ("python3.12 -u ./agents/review.py --deep", "review.py"),
            ("python3 -m reviewer", "reviewer"),
            ("npx -y @zed-industries/codex-acp@0.5.0", "codex-acp"),
            ("uv run agent.py", "agent.py"),
            ("uvx aider@latest --yes", "aider"),
            ("env LEVEL=a/b node dist/plan.js", "plan.js"),
            ("timeout 30 sh -c 'exec gemini --acp'", "gemini"),
            ("bash", "bash"),
            ("python3 -c", "agent"),
            ("run x", "run"),
            ("", "agent"),
        ] {
            assert_eq!(name_of(command), name, "{command}");
        }
    }
}
