//! `agents setup`: what coding agents read in a repository.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::support::{Repo, Sandbox, column};

const AGENTS: [&str; 8] = ["claude", "codex", "gemini", "qwen", "cursor", "opencode", "copilot", "aider"];

/// Every file and directory of the work tree, with the text of files.
fn tree(repo: &Repo) -> BTreeMap<String, Option<Vec<u8>>> {
    fn walk(top: &Path, folder: &Path, found: &mut BTreeMap<String, Option<Vec<u8>>>) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            if name == ".git" {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                found.insert(name, None);
                walk(top, &path, found);
            } else {
                found.insert(name, Some(std::fs::read(&path).unwrap_or_default()));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(repo.path(), repo.path(), &mut found);
    found
}

pub(super) fn setup(repo: &Repo, args: &[&str]) -> String {
    repo.wf(&[&["agents", "setup"], args].concat()).ok().stdout
}

#[test]
fn a_link_out_of_the_work_tree_concerns_only_the_agents_that_read_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    std::fs::write(sandbox.root().join("mine.md"), "# Mine\n").unwrap();
    for name in ["CLAUDE.md", "GEMINI.md"] {
        symlink(sandbox.root().join("mine.md"), repo.path().join(name)).unwrap();
    }
    let before = tree(&repo);
    setup(&repo, &["codex"]);
    setup(&repo, &["--check"]);
    repo.wf(&["agents", "setup", "claude"]).fails(1);
    // Both say so, and go on with the others.
    let why = "`CLAUDE.md` leads out of the work tree";
    let checked = repo.wf(&["agents", "setup", "claude", "codex", "--check"]).fails(1).stdout;
    assert!(checked.contains(&format!("claude: instructions unusable: {why}\n")), "{checked}");
    assert!(checked.contains("codex: set up"), "{checked}");
    let list = setup(&repo, &["--list"]);
    assert!(list.contains(&format!("claude: {why}\n")) && list.contains("opencode.json"), "{list}");
    let listed = repo.json(&["agents", "setup", "--list"]);
    let first = &listed["agents"][0]["files"][0];
    assert_eq!((&first["state"], &first["why"]), (&serde_json::json!("unusable"), &serde_json::json!(why)));
    setup(&repo, &["codex", "--remove"]);
    assert_eq!(tree(&repo), before);
    // A setting there is no concern of those that are set up.
    setup(&repo, &["codex"]);
    std::fs::write(sandbox.root().join("mine.json"), "{}").unwrap();
    symlink(sandbox.root().join("mine.json"), repo.path().join(".mcp.json")).unwrap();
    setup(&repo, &["--check"]);
}

#[test]
fn each_agent_gets_what_it_reads_and_gives_it_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for (agent, files) in [
        ("claude", &[".claude/settings.json", ".mcp.json", "CLAUDE.md"][..]),
        ("codex", &[".codex/config.toml", ".codex/hooks.json", "AGENTS.md"]),
        ("gemini", &[".gemini/settings.json", "GEMINI.md"]),
        ("qwen", &[".qwen/settings.json", "AGENTS.md"]),
        ("cursor", &[".cursor/hooks.json", ".cursor/mcp.json", "AGENTS.md"]),
        ("opencode", &["AGENTS.md", "opencode.json"]),
        ("copilot", &[".github/hooks/git-wf.json", ".github/mcp.json", ".vscode/mcp.json", "AGENTS.md"]),
        ("aider", &[".aider.conf.yml", "AGENTS.md"]),
    ] {
        let before = tree(&repo);
        repo.wf(&["agents", "setup", agent, "--check"]).fails(1);
        setup(&repo, &[agent]);
        let after = tree(&repo);
        let written: Vec<&str> =
            after.iter().filter(|(_, text)| text.is_some()).map(|(name, _)| name.as_str()).collect();
        assert_eq!(written, files, "{agent}");
        let shown = setup(&repo, &[agent, "--check"]);
        assert!(shown.starts_with(&format!("{agent}: set up\n")), "{shown}");
        assert!(setup(&repo, &[agent]).starts_with("nothing to change\n"));
        assert_eq!(tree(&repo), after, "{agent}");
        setup(&repo, &[agent, "--remove"]);
        assert_eq!(tree(&repo), before, "{agent}");
        assert_eq!(setup(&repo, &[agent, "--remove"]), "nothing to change\n");
    }
}

#[test]
fn the_hooks_and_servers_are_commands_of_this_program() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    setup(&repo, &AGENTS);
    let json = |path: &str| -> Value { serde_json::from_str(&repo.read(path)).unwrap() };
    let server = serde_json::json!({"command": "git-wf", "args": ["mcp"]});
    for path in [".mcp.json", ".gemini/settings.json", ".qwen/settings.json", ".cursor/mcp.json"] {
        assert_eq!(json(path)["mcpServers"]["git-wf"], server, "{path}");
    }
    assert_eq!(json("opencode.json")["mcp"]["git-wf"]["command"], serde_json::json!(["git-wf", "mcp"]));
    assert_eq!(json(".vscode/mcp.json")["servers"]["git-wf"]["command"], "git-wf");
    let nested = |path: &str, event: &str| json(path)["hooks"][event][0]["hooks"][0]["command"].clone();
    let flat = |path: &str, event: &str, key: &str| json(path)["hooks"][event][0][key].clone();
    let hooks = [
        nested(".claude/settings.json", "SessionStart"),
        nested(".claude/settings.json", "Stop"),
        nested(".codex/hooks.json", "SessionStart"),
        nested(".codex/hooks.json", "Stop"),
        nested(".gemini/settings.json", "SessionStart"),
        nested(".gemini/settings.json", "AfterAgent"),
        flat(".cursor/hooks.json", "sessionStart", "command"),
        flat(".cursor/hooks.json", "stop", "command"),
        flat(".github/hooks/git-wf.json", "sessionStart", "bash"),
        flat(".github/hooks/git-wf.json", "agentStop", "powershell"),
    ];
    for hook in hooks {
        let hook = hook.as_str().unwrap();
        let words: Vec<&str> =
            hook.strip_prefix("git-wf ").unwrap_or_else(|| panic!("{hook}")).split(' ').collect();
        repo.wf_in("{}", &words).ok();
    }
    for path in [".cursor/hooks.json", ".github/hooks/git-wf.json"] {
        assert_eq!(json(path)["version"], 1);
    }
}

#[test]
fn what_was_there_stays_byte_for_byte() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let files = [
        ("AGENTS.md", "# Mine\r\n\r\nText without an end"),
        ("CLAUDE.md", "\u{feff}# Mine\n"),
        (".mcp.json", "{\"mcpServers\": {}}"),
        (
            ".claude/settings.json",
            "{\n\t// mine\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{ \"hooks\": [] }, // last\n\t\t],\n\t},\n}\n",
        ),
        (".codex/config.toml", "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"o\""),
        (".gemini/settings.json", "{\r\n    \"context\": { \"fileName\": [\"AGENTS.md\"] }\r\n}\r\n"),
        ("opencode.jsonc", "// mine\n{}\n"),
        (".aider.conf.yml", "# mine\nmodel: x\n"),
        (".vscode/settings.json", "{}"),
    ];
    for (path, text) in files {
        repo.write(path, text);
    }
    let before = tree(&repo);
    setup(&repo, &AGENTS);
    assert!(
        repo.path().join("GEMINI.md").symlink_metadata().is_err()
            && repo.read("opencode.jsonc").starts_with("// mine\n{\"mcp\"")
    );
    assert_eq!(repo.read("AGENTS.md").matches("BEGIN git-wf").count(), 1);
    setup(&repo, &["--check"]);
    setup(&repo, &["--remove"]);
    assert_eq!(tree(&repo), before);
}

#[test]
fn the_instructions_stay_while_another_agent_reads_them() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    setup(&repo, &["codex", "cursor"]);
    let removed = repo.wf(&["agents", "setup", "codex", "--remove"]).ok();
    assert!(
        removed.stderr.contains("kept the section in `AGENTS.md`: cursor also reads it"),
        "{}",
        removed.stderr
    );
    assert!(!removed.stdout.contains("commit"), "{}", removed.stdout);
    assert!(repo.read("AGENTS.md").contains("BEGIN git-wf"));
    setup(&repo, &["cursor", "--check"]);
    setup(&repo, &["cursor", "--remove"]);
    assert!(!repo.path().join("AGENTS.md").exists());
    // An agent whose files cannot be understood may still read them, if they mention this program.
    setup(&repo, &["codex", "opencode"]);
    repo.write("opencode.json", repo.read("opencode.json").replacen('{', "{,", 1));
    let kept = repo.wf(&["agents", "setup", "codex", "--remove"]).ok().stderr;
    assert!(
        kept.contains("kept the section in `AGENTS.md`: opencode may read it, but `opencode.json`"),
        "{kept}"
    );
    assert!(repo.read("AGENTS.md").contains("BEGIN git-wf") && !repo.path().join(".codex").exists());
    setup(&repo, &["codex"]);
    repo.write("opencode.json", "{broken");
    setup(&repo, &["codex", "--remove"]);
    assert!(!repo.path().join("AGENTS.md").exists());
    repo.write("opencode.json", "{}");
    setup(&repo, &["codex"]);
    setup(&repo, &["--remove"]);
    assert_eq!(repo.read("opencode.json"), "{}");
    // Claude Code reads them where they are imported.
    repo.write("CLAUDE.md", "@AGENTS.md\n");
    setup(&repo, &["claude", "aider"]);
    assert_eq!(repo.read("CLAUDE.md"), "@AGENTS.md\n");
    setup(&repo, &["aider", "--remove"]);
    setup(&repo, &["claude", "--check"]);
    setup(&repo, &["claude", "--remove"]);
    assert!(!repo.path().join("AGENTS.md").exists());
}

#[test]
fn links_are_followed_only_within_the_work_tree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.write("AGENTS.md", "# Mine\n");
    symlink("AGENTS.md", repo.path().join("CLAUDE.md")).unwrap();
    setup(&repo, &["claude", "codex"]);
    assert!(repo.path().join("CLAUDE.md").is_symlink());
    assert_eq!(repo.read("AGENTS.md").matches("BEGIN git-wf").count(), 1);
    setup(&repo, &["--remove"]);
    assert_eq!(repo.read("AGENTS.md"), "# Mine\n");
    assert!(repo.path().join("CLAUDE.md").is_symlink());
    std::fs::write(sandbox.root().join("outside.json"), "{}").unwrap();
    for target in ["../outside.json", "/etc/hosts", ".git/config", "loop"] {
        let link = repo.path().join(".mcp.json");
        let _ = std::fs::remove_file(&link);
        let _ = std::fs::remove_file(repo.path().join("loop"));
        symlink(".mcp.json", repo.path().join("loop")).unwrap();
        symlink(target, &link).unwrap();
        let before = tree(&repo);
        let refused = repo.refused(1, &["agents", "setup", "claude"]);
        assert_eq!(refused["code"], "cannot-edit", "{target}");
        assert!(refused["message"].as_str().unwrap().contains(".mcp.json"), "{refused}");
        assert_eq!(tree(&repo), before, "{target}");
    }
    assert_eq!(std::fs::read(sandbox.root().join("outside.json")).unwrap(), b"{}");
}

#[test]
fn if_one_file_is_unfit_none_is_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let fit = |path: &str| {
        let place = repo.path().join(path);
        let _ = std::fs::remove_file(&place).or_else(|_| std::fs::remove_dir_all(&place));
    };
    for (agent, path, text, why) in [
        ("claude", ".claude/settings.json", "{", "is not valid JSON"),
        ("claude", ".claude/settings.json", "{\"a\": 1, \"a\": 2}", "the key `a` twice"),
        ("claude", ".claude", "a file", "a file has the name of its directory"),
        ("codex", ".codex/config.toml", "mcp_servers = {}", "leaves no place"),
        ("codex", "AGENTS.md", "<!-- END git-wf -->\n", "the first one is missing"),
        ("aider", ".aider.conf.yml", "- a\n", "YAML"),
    ] {
        repo.write(path, text);
        let before = tree(&repo);
        for args in [&["agents", "setup", agent][..], &["agents", "setup", "codex", "cursor", agent]] {
            let refused = repo.refused(1, args);
            assert_eq!(refused["code"], "cannot-edit");
            let message = refused["message"].as_str().unwrap();
            assert!(message.contains(path) && message.contains(why), "{refused}");
            assert_eq!(tree(&repo), before, "{path}");
        }
        fit(path);
        fit(path.split('/').next().unwrap());
    }
    repo.write(".mcp.json", b"{\"a\": \"\xff\"}");
    assert!(repo.refused(1, &["agents", "setup", "claude"])["message"].as_str().unwrap().contains("UTF-8"));
    fit(".mcp.json");
    repo.write(".mcp.json/x", "");
    assert!(
        repo.refused(1, &["agents", "setup", "claude"])["message"]
            .as_str()
            .unwrap()
            .contains("is a directory")
    );
    fit(".mcp.json");
    // Writing fails after other files were prepared.
    repo.write(".mcp.json", "{}");
    repo.write(".claude/own", "");
    let before = tree(&repo);
    std::fs::set_permissions(repo.path().join(".claude"), std::fs::Permissions::from_mode(0o555)).unwrap();
    let ran = repo.wf(&["agents", "setup", "claude"]);
    std::fs::set_permissions(repo.path().join(".claude"), std::fs::Permissions::from_mode(0o755)).unwrap();
    // Root may write everywhere.
    if ran.code != 0 {
        assert_eq!(tree(&repo), before);
    }
}

#[test]
fn a_changed_file_keeps_its_mode() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.write(".mcp.json", "{}");
    let place = repo.path().join(".mcp.json");
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o640)).unwrap();
    setup(&repo, &["claude"]);
    assert_eq!(place.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let new = repo.path().join("CLAUDE.md").metadata().unwrap().permissions().mode();
    assert_eq!(new & 0o111, 0);
    assert!(new & 0o044 != 0 || new & 0o777 == 0o600, "{new:o}");
}

#[test]
fn what_a_user_wrote_is_kept_and_said() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let own = "{\"mcpServers\": {\"git-wf\": {\"command\": \"/opt/git-wf\"}}}\n";
    repo.write(".mcp.json", own);
    let shown = setup(&repo, &["claude"]);
    assert!(shown.contains("kept your own MCP entry in .mcp.json"), "{shown}");
    setup(&repo, &["claude", "--check"]);
    setup(&repo, &["--remove"]);
    assert_eq!(repo.read(".mcp.json"), own);
}

#[test]
fn check_says_what_is_missing_or_outdated() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let none = repo.wf(&["agents", "setup", "--check"]).fails(1);
    assert!(none.stdout.contains("no agent is set up"), "{}", none.stdout);
    setup(&repo, &["claude", "codex"]);
    repo.write("CLAUDE.md", repo.read("CLAUDE.md").replace("git wf prime", "git wf status"));
    std::fs::remove_file(repo.path().join(".mcp.json")).unwrap();
    let wrong = repo.wf(&["agents", "setup", "--check"]).fails(1).stdout;
    assert!(
        wrong.starts_with(
            "claude: instructions outdated in CLAUDE.md\nclaude: mcp missing in .mcp.json\n\
             claude: `git wf agents setup claude` repairs it\ncodex: set up\n"
        ),
        "{wrong}"
    );
    let json = repo.wf(&["agents", "setup", "--check", "--json"]).fails(1).json();
    assert_eq!(json["agents"][0]["files"][1]["state"], "missing");
    setup(&repo, &["claude"]);
    setup(&repo, &["--check"]);
}

#[test]
fn a_dry_run_shows_the_differences_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.write("AGENTS.md", "# Mine\n");
    let before = tree(&repo);
    let shown = setup(&repo, &["codex", "--dry-run"]);
    for line in [
        "--- a/AGENTS.md",
        "+++ b/AGENTS.md",
        "--- /dev/null",
        "+++ b/.codex/config.toml",
        "+[mcp_servers.git-wf]",
    ] {
        assert!(shown.lines().any(|it| it == line), "{line}: {shown}");
    }
    assert_eq!(tree(&repo), before);
    let json = repo.json(&["agents", "setup", "codex", "--dry-run"]);
    assert_eq!(column(&json["changes"], "change"), ["created", "created", "changed"]);
    setup(&repo, &["codex"]);
    let removal = setup(&repo, &["--remove", "--dry-run"]);
    assert!(removal.contains("-[mcp_servers.git-wf]") && removal.contains("+++ /dev/null"), "{removal}");
}

#[test]
fn who_names_no_agent_is_asked_or_told() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let told = repo.wf(&["agents", "setup"]).fails(2).stderr;
    assert!(told.contains("claude, codex, gemini, qwen, cursor, opencode, copilot, aider"), "{told}");
    assert!(repo.wf(&["agents", "setup", "emacs"]).fails(2).stderr.contains("expected one of claude"));
    repo.write(".codex/x", "");
    let (code, shown) = repo.on_terminal("\u{4}", &["agents", "setup"]);
    assert!(code == 2 && !repo.path().join("AGENTS.md").exists(), "nobody agreed: {shown}");
    let (code, shown) = repo.on_terminal("\n", &["agents", "setup"]);
    assert!(code == 0 && shown.contains("[codex]") && shown.contains("created AGENTS.md"), "{shown}");
    let (code, shown) = repo.on_terminal("cursor, aider\n", &["agents", "setup"]);
    assert!(code == 0 && repo.path().join(".cursor/mcp.json").exists(), "{shown}");
    assert!(repo.path().join(".aider.conf.yml").exists());
}

#[test]
fn it_needs_a_work_tree_but_no_store() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    setup(&repo, &["codex"]);
    repo.write("sub/x", "");
    repo.git(&["-C", "sub", "wf", "agents", "setup", "cursor"]).ok();
    assert!(repo.path().join(".cursor/mcp.json").exists() && !repo.path().join("sub/.cursor").exists());
    assert_eq!(repo.tip(), None);
    let bare = sandbox.bare("bare");
    assert_eq!(bare.refused(1, &["agents", "setup", "codex"])["code"], "no-work-tree");
    let list = repo.json(&["agents", "setup", "--list"]);
    assert_eq!(column(&list["agents"], "agent"), AGENTS);
    let table = setup(&repo, &["--list"]);
    assert!(table.contains(".codex/config.toml") && table.contains("current"), "{table}");
}
