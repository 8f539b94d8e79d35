//! `agents setup`: what an agent can read of what was set up, and what it asks before.

use std::os::unix::fs::symlink;

use super::agent_setup::setup;
use crate::support::Sandbox;

#[test]
fn an_agent_is_not_set_up_by_a_section_that_it_shares_through_a_link() {
    let sandbox = Sandbox::new();
    for link in ["CLAUDE.md", "GEMINI.md"] {
        let repo = sandbox.store(link);
        repo.write("AGENTS.md", "# Mine\n");
        symlink("AGENTS.md", repo.path().join(link)).unwrap();
        setup(&repo, &["codex"]);
        assert!(setup(&repo, &["--check"]).starts_with("codex: set up\n"));
        setup(&repo, &["codex", "--remove"]);
        assert_eq!(repo.read("AGENTS.md"), "# Mine\n");
        // Whoever is removed last takes it along.
        setup(&repo, &["claude", "codex", "gemini"]);
        for agent in ["claude", "codex", "gemini"] {
            setup(&repo, &[agent, "--remove"]);
        }
        assert_eq!(repo.read("AGENTS.md"), "# Mine\n");
    }
    // Two agents can share a file that no other reads.
    let repo = sandbox.store("two");
    symlink("CLAUDE.md", repo.path().join("GEMINI.md")).unwrap();
    setup(&repo, &["claude"]);
    assert!(setup(&repo, &["--check"]).starts_with("claude: set up\n"));
    setup(&repo, &["claude", "--remove"]);
    assert!(!repo.path().join("CLAUDE.md").exists());
}

#[test]
fn it_says_what_agents_ask_before_they_use_the_files() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for (agent, words) in [
        ("claude", "approve"),
        ("codex", "trust"),
        ("gemini", "trust"),
        ("copilot", "COPILOT_ALLOW_ALL=true copilot mcp list"),
    ] {
        for option in [None, Some("--check"), Some("--list")] {
            let args: Vec<&str> = [agent].into_iter().chain(option).collect();
            let shown = setup(&repo, &args);
            let line = shown.lines().find(|line| line.contains(words));
            assert!(line.is_some_and(|line| line.starts_with(agent)), "{args:?}: {shown}");
        }
        let json = repo.json(&["agents", "setup", agent, "--check"]);
        assert!(json["agents"][0]["consent"].as_str().unwrap().contains(words), "{json}");
    }
    assert!(!setup(&repo, &["aider"]).contains("trust"));
}

#[test]
fn a_file_that_its_agent_cannot_read_is_not_set_up() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for (agent, path, text, why) in [
        ("claude", ".mcp.json", "{\n// mine\n}\n", "comments"),
        ("copilot", ".github/mcp.json", "{\"mcpServers\": {},}\n", "trailing commas"),
        ("copilot", ".github/mcp.json", "\u{feff}{}\n", "byte order mark"),
        ("gemini", ".gemini/settings.json", "{\"context\": {},}\n", "trailing commas"),
    ] {
        repo.write(path, text);
        let refused = repo.refused(1, &["agents", "setup", agent]);
        assert_eq!(refused["code"], "cannot-edit");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains(path) && message.contains(why), "{message}");
        std::fs::remove_file(repo.path().join(path)).unwrap();
        // What someone breaks afterwards is found, and can be removed.
        setup(&repo, &[agent]);
        let before = repo.read(path);
        let added = match why {
            "comments" => format!("{before}// mine\n"),
            "byte order mark" => format!("\u{feff}{before}"),
            _ => before.replacen("}\n}", "},\n}", 1),
        };
        assert_ne!(added, before);
        repo.write(path, &added);
        let checked = repo.wf(&["agents", "setup", agent, "--check"]).fails(1).stdout;
        assert!(checked.contains(&format!("mcp unusable: `{path}`")), "{checked}");
        setup(&repo, &[agent, "--remove"]);
        let _ = std::fs::remove_file(repo.path().join(path));
    }
    // Gemini CLI reads comments.
    repo.write(".gemini/settings.json", "{\n// mine\n}\n");
    setup(&repo, &["gemini"]);
    setup(&repo, &["gemini", "--check"]);
}

#[test]
fn a_file_of_opencode_names_its_schema_and_goes_with_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    setup(&repo, &["opencode"]);
    // Otherwise opencode adds it.
    assert!(
        repo.read("opencode.json").starts_with("{\n  \"$schema\": \"https://opencode.ai/config.json\",\n")
    );
    setup(&repo, &["opencode", "--remove"]);
    assert!(!repo.path().join("opencode.json").exists());
    // As another program wrote it, with other spaces.
    setup(&repo, &["opencode"]);
    let compact = repo.read("opencode.json").replace("{\n  \"$", "{ \"$");
    repo.write("opencode.json", compact);
    setup(&repo, &["opencode", "--remove"]);
    assert!(!repo.path().join("opencode.json").exists(), "{}", repo.read("opencode.json"));
    repo.write("opencode.json", "{\"theme\": \"x\"}\n");
    setup(&repo, &["opencode"]);
    setup(&repo, &["opencode", "--remove"]);
    assert_eq!(repo.read("opencode.json"), "{\"theme\": \"x\"}\n");
}
