//! The lines, in the language of each file.

use std::path::Path;

use super::HookLines;
use crate::trail::hooked::HookManager;

/// A hook and how the program calls it: the arguments of git in the program's words, and what feeds its stdin.
struct HookCall {
    name: &'static str,
    lefthook: &'static str,
    pre_commit: &'static str,
    stdin: bool,
}

const CALLS: [HookCall; 5] = [
    HookCall { name: "commit-msg", lefthook: r#" "{1}""#, pre_commit: r#" "$1""#, stdin: false },
    HookCall { name: "post-commit", lefthook: "", pre_commit: "", stdin: false },
    HookCall {
        name: "post-merge",
        lefthook: " {1}",
        pre_commit: " $PRE_COMMIT_IS_SQUASH_MERGE",
        stdin: false,
    },
    HookCall {
        name: "post-rewrite",
        lefthook: " {1}",
        pre_commit: " $PRE_COMMIT_REWRITE_COMMAND",
        stdin: true,
    },
    HookCall {
        name: "pre-push",
        lefthook: r#" "{1}" "{2}""#,
        pre_commit: r#" "$PRE_COMMIT_REMOTE_NAME" "$PRE_COMMIT_REMOTE_URL""#,
        stdin: true,
    },
];

/// What pre-commit knows of a push, as git would write it on stdin. It names no commits if the remote has none yet.
const PUSHED: &str = r#"echo "$PRE_COMMIT_LOCAL_BRANCH ${PRE_COMMIT_TO_REF:--} $PRE_COMMIT_REMOTE_BRANCH ${PRE_COMMIT_FROM_REF:--}" | "#;

/// The language of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Yaml,
    Toml,
    /// Members of the object in the file, which is JSON, or JavaScript that exports an object.
    Members,
}

impl Form {
    fn new(file: &str) -> Self {
        match Path::new(file).extension().and_then(|ending| ending.to_str()) {
            Some("toml") => Self::Toml,
            Some("json" | "jsonc" | "js" | "cjs" | "mjs") => Self::Members,
            _ => Self::Yaml,
        }
    }
}

/// What a file of a program needs; for husky, what each of its files needs.
pub(super) fn lines(manager: HookManager, file: &str) -> Vec<HookLines> {
    let form = Form::new(file);
    let lines = match manager {
        HookManager::Husky => {
            return CALLS
                .iter()
                .map(|call| HookLines {
                    manager,
                    file: format!("{file}/{}", call.name),
                    lines: vec![guarded(call)],
                })
                .collect();
        }
        HookManager::SimpleGitHooks => simple_git_hooks(file),
        HookManager::Lefthook => lefthook(form),
        HookManager::PreCommit | HookManager::Prek => pre_commit(form),
    };
    vec![HookLines { manager, file: file.to_owned(), lines }]
}

/// The call of a shell, which does nothing on a machine without git-wf.
fn guarded(call: &HookCall) -> String {
    format!("! command -v git-wf >/dev/null || git-wf hook {} \"$@\"", call.name)
}

/// A string of JSON, which is one of TOML and JavaScript as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The members of an object, with a comma after each but the last.
fn members(all: Vec<Vec<String>>) -> Vec<String> {
    let last = all.len().saturating_sub(1);
    let mut lines = Vec::new();
    for (n, mut member) in all.into_iter().enumerate() {
        if n < last
            && let Some(end) = member.last_mut()
        {
            end.push(',');
        }
        lines.append(&mut member);
    }
    lines
}

/// `package.json` has the hooks in a member of their own; any other file has nothing else.
fn simple_git_hooks(file: &str) -> Vec<String> {
    let hooks = members(
        CALLS.iter().map(|call| vec![format!("{}: {}", quoted(call.name), quoted(&guarded(call)))]).collect(),
    );
    if !file.ends_with("package.json") {
        return hooks;
    }
    let within = hooks.into_iter().map(|line| format!("  {line}"));
    ["\"simple-git-hooks\": {".to_owned()].into_iter().chain(within).chain(["}".to_owned()]).collect()
}

fn lefthook(form: Form) -> Vec<String> {
    let hooks: Vec<Vec<String>> = CALLS.iter().map(|call| lefthook_command(form, call)).collect();
    if form == Form::Members { members(hooks) } else { hooks.concat() }
}

fn lefthook_command(form: Form, call: &HookCall) -> Vec<String> {
    let HookCall { name, lefthook, stdin, .. } = call;
    let run = format!("if command -v git-wf >/dev/null; then git-wf hook {name}{lefthook}; fi");
    match form {
        Form::Yaml => {
            let feed = stdin.then(|| "      use_stdin: true".to_owned());
            let lines = [format!("{name}:"), "  commands:".into(), "    git-wf:".into()];
            lines.into_iter().chain([format!("      run: {run}")]).chain(feed).collect()
        }
        Form::Toml => {
            let feed = stdin.then(|| "use_stdin = true".to_owned());
            let lines = [format!("[{name}.commands.git-wf]"), format!("run = {}", quoted(&run))];
            lines.into_iter().chain(feed).collect()
        }
        Form::Members => {
            let feed = if *stdin { ", \"use_stdin\": true" } else { "" };
            let run = format!("    \"git-wf\": {{ \"run\": {}{feed} }}", quoted(&run));
            vec![format!("{}: {{", quoted(name)), "  \"commands\": {".into(), run, "  }".into(), "}".into()]
        }
    }
}

/// Only prek reads TOML; neither it nor pre-commit reads JSON.
fn pre_commit(form: Form) -> Vec<String> {
    let names: Vec<&str> = CALLS.iter().map(|call| call.name).collect();
    let is_toml = form == Form::Toml;
    let mut lines = if is_toml {
        let names: Vec<String> = ["pre-commit"].iter().chain(&names).map(|name| quoted(name)).collect();
        vec![
            "# above all tables:".to_owned(),
            format!("default_install_hook_types = [{}]", names.join(", ")),
            String::new(),
            "[[repos]]".into(),
            "repo = \"local\"".into(),
        ]
    } else {
        let types = format!("default_install_hook_types: [pre-commit, {}]", names.join(", "));
        vec![types, "repos:".into(), "- repo: local".into(), "  hooks:".into()]
    };
    for call in &CALLS {
        let feed = if call.name == "pre-push" { PUSHED } else { "" };
        let command =
            format!("! command -v git-wf >/dev/null || {feed}git-wf hook {}{}", call.name, call.pre_commit);
        let entry = format!("sh -c '{command}' sh");
        let has_names = call.name == "commit-msg";
        if is_toml {
            lines.extend([
                String::new(),
                "[[repos.hooks]]".into(),
                format!("id = {}", quoted(&format!("git-wf-{}", call.name))),
                "name = \"git-wf\"".into(),
                "language = \"system\"".into(),
                format!("entry = {}", quoted(&entry)),
                format!("stages = [{}]", quoted(call.name)),
                "always_run = true".into(),
            ]);
            lines.extend((!has_names).then(|| "pass_filenames = false".to_owned()));
        } else {
            lines.extend([
                format!("  - id: git-wf-{}", call.name),
                "    name: git-wf".into(),
                "    language: system".into(),
                format!("    entry: {entry}"),
                format!("    stages: [{}]", call.name),
                "    always_run: true".into(),
            ]);
            lines.extend((!has_names).then(|| "    pass_filenames: false".to_owned()));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each program with the files that it reads.
    const FILES: [(HookManager, &str); 12] = [
        (HookManager::PreCommit, ".pre-commit-config.yaml"),
        (HookManager::Prek, ".pre-commit-config.yaml"),
        (HookManager::Prek, "prek.toml"),
        (HookManager::Lefthook, "lefthook.yml"),
        (HookManager::Lefthook, ".config/lefthook.yaml"),
        (HookManager::Lefthook, "lefthook.toml"),
        (HookManager::Lefthook, "lefthook.json"),
        (HookManager::Lefthook, "lefthook-local.jsonc"),
        (HookManager::Husky, ".husky"),
        (HookManager::SimpleGitHooks, "package.json"),
        (HookManager::SimpleGitHooks, ".simple-git-hooks.json"),
        (HookManager::SimpleGitHooks, "simple-git-hooks.mjs"),
    ];

    fn text(manager: HookManager, file: &str) -> String {
        lines(manager, file)
            .iter()
            .map(|line| format!("{}\n{}\n", line.file, line.lines.join("\n")))
            .collect()
    }

    #[test]
    fn each_file_gets_a_call_of_each_hook() {
        for (manager, file) in FILES {
            let text = text(manager, file);
            for call in &CALLS {
                assert!(text.contains(&format!("git-wf hook {}", call.name)), "{manager}: {text}");
            }
        }
    }

    #[test]
    fn members_are_json() {
        let json = |manager, file| -> serde_json::Value {
            let text = lines(manager, file).remove(0).lines.join("\n");
            serde_json::from_str(&format!("{{{text}}}")).unwrap_or_else(|error| panic!("{error}: {text}"))
        };
        let call = "! command -v git-wf >/dev/null || git-wf hook commit-msg \"$@\"";
        let package = json(HookManager::SimpleGitHooks, "package.json");
        assert_eq!(package["simple-git-hooks"]["commit-msg"], call);
        assert_eq!(json(HookManager::SimpleGitHooks, ".simple-git-hooks.json")["commit-msg"], call);
        let lefthook = json(HookManager::Lefthook, "lefthook.json");
        let call = "if command -v git-wf >/dev/null; then git-wf hook commit-msg \"{1}\"; fi";
        assert_eq!(lefthook["commit-msg"]["commands"]["git-wf"]["run"], call);
        assert_eq!(lefthook["post-rewrite"]["commands"]["git-wf"]["use_stdin"], true);
    }

    #[test]
    fn lines_for_toml_are_tables() {
        let lefthook = text(HookManager::Lefthook, "lefthook.toml");
        let table = "[pre-push.commands.git-wf]\n\
                     run = \"if command -v git-wf >/dev/null; then git-wf hook pre-push \\\"{1}\\\" \\\"{2}\\\"; fi\"\n\
                     use_stdin = true\n";
        assert!(lefthook.contains(table), "{lefthook}");
        let prek = text(HookManager::Prek, "prek.toml");
        assert!(prek.contains("\n[[repos.hooks]]\nid = \"git-wf-commit-msg\"\n"), "{prek}");
        assert!(!prek.lines().any(|line| line.contains(": ") && !line.contains(" = ")), "{prek}");
    }
}
