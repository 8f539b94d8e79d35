//! What each role is granted.

use agent_client_protocol::v1::schema::{Diff, ToolCallContent, ToolCallUpdateFields};
use serde_json::json;

use super::*;
use crate::agent::acp::calls::with_fields;
use crate::agent::acp::place::OUTSIDE;

fn may(role: Role, kind: ToolKind, text: &str) -> bool {
    let wish = ToolRequest { kind, texts: vec![text.to_owned()], ..ToolRequest::default() };
    decide(role, Path::new("/tree"), &wish).is_ok()
}

#[test]
fn everybody_looks_and_only_an_executor_touches() {
    for role in Role::ALL {
        assert!(may(*role, ToolKind::Read, "") && may(*role, ToolKind::Search, ""), "{role}");
        assert_eq!(may(*role, ToolKind::Edit, ""), *role == Role::Executor, "{role}");
        assert_eq!(may(*role, ToolKind::Execute, "cargo test"), *role == Role::Executor, "{role}");
        assert!(!may(*role, ToolKind::Delete, "") && !may(*role, ToolKind::Other, ""), "{role}");
        assert!(!may(*role, ToolKind::SwitchMode, ""), "{role}");
    }
}

#[test]
fn an_executor_does_not_push_delete_or_rewrite() {
    for command in [
        "git push",
        "git -C x -c a=b push origin main",
        "cargo test && /usr/bin/git push -f",
        "sh -c \"git push\"",
        "$(git push)",
        "gh pr create",
        "rm -rf src",
        "git branch -D main",
        "git update-ref refs/heads/main HEAD~3",
        "git clean -fdx",
        "git wf queue remove S-1",
        "git remote add x y",
        "git pu\"\"sh",
        "g\\it push",
        "git -c alias.p=push p",
        "git --exec-path /x push",
        "git -c core.hooksPath=/dev/null commit -m x",
        "git lfs push",
        "git subtree push",
        "git stash drop",
        "git tag -d v1",
        "git branch --delete=x",
        "git checkout -B main",
        "git replace a b",
        "git fetch . +HEAD:main",
        "git notes remove",
        "find . -delete",
        "git wf sync",
        "git wf --json fail ISS-2",
        "scp a.txt there:",
        "ls | xargs git push",
    ] {
        assert!(!may(Role::Executor, ToolKind::Execute, command), "{command}");
    }
    for command in [
        "cargo test push",
        "git commit -m 'push it'",
        "git commit -am \"done: it's said\"",
        "git branch",
        "git branch --show-current",
        "git checkout -- a.txt",
        "git stash list",
        "git tag -l",
        "git fetch -q origin",
        "git status",
        "git wf context ISS-1",
        "npm run rm-logs",
    ] {
        assert!(may(Role::Executor, ToolKind::Execute, command), "{command}");
    }
}

#[test]
fn a_command_is_judged_whatever_it_is_called() {
    let decided = |role, kind, command: &str| {
        let commands = vec![AskedCommand::Line(command.into())];
        let wish = ToolRequest { kind, commands, ..ToolRequest::default() };
        decide(role, Path::new("/tree"), &wish).is_ok()
    };
    for kind in [ToolKind::Read, ToolKind::Edit, ToolKind::Fetch] {
        assert!(!decided(Role::Executor, kind, "git push") && !decided(Role::Planner, kind, "make x"));
    }
    // Some tools call what they do with a file a command.
    assert!(decided(Role::Planner, ToolKind::Read, "view"));
    assert!(decided(Role::Executor, ToolKind::Edit, "str_replace"));
}

fn asked(role: Role, kind: ToolKind, title: &str, input: serde_json::Value) -> Result<(), RefusedRequest> {
    let fields = ToolCallUpdateFields::new().kind(kind).title(title.to_owned()).raw_input(Some(input));
    decide(role, Path::new("/tree"), &with_fields(ToolRequest::default(), fields))
}

#[test]
fn words_of_a_message_are_no_program() {
    for command in [
        "git commit -m 'Describe how git stores it'",
        "git commit -m \"Warn before rm is used\"",
        "git commit -m \"$(cat <<'EOF'\nDo not rm; git push `later`\nEOF\n)\"",
        "grep -rn 'rm' src | xargs -r grep ssh",
        "cd git && ls",
        "echo 'see ssh for this' >> README.md",
        "command -v gh || which rm",
        "git -c user.name=x -c core.pager=cat log --grep 'git push'",
        "for f in rm ssh; do test -e \"$f\"; done 2>&1 | tail -5",
        "GIT_EDITOR=true git rebase -x 'cargo test' main",
        "find . -name '*.rs' -exec grep rm {} +",
        "env RUST_LOG=debug timeout 60 cargo test -- rm",
        "\"$HOME/.cargo/bin/cargo\" test",
        "git checkout -- *.txt",
    ] {
        let input =
            json!({"command": command, "justification": "Do you want git to push? rm -rf", "cwd": "/tree"});
        assert_eq!(asked(Role::Executor, ToolKind::Execute, "Remove: git push", input), Ok(()), "{command}");
    }
    let codex = json!({"command": ["bash", "-lc", "git commit -qam 'x; rm y'"], "cwd": "/tree", "reason": "git needs to push",
        "parsed_cmd": [{"type": "unknown", "cmd": "git commit -qam 'x; rm y'"}]});
    assert_eq!(asked(Role::Executor, ToolKind::Execute, "git push", codex), Ok(()));
    let gemini =
        "git commit -m 'Warn before rm' [current working directory /tree] (Commit with git, do not push)";
    assert_eq!(asked(Role::Executor, ToolKind::Execute, gemini, json!({})), Ok(()));
}

#[test]
fn what_another_program_runs_is_judged() {
    for command in [
        "sudo -u bob git push",
        "env -u GIT_CONFIG_COUNT git commit",
        "env -i git commit",
        "GIT_CONFIG_COUNT=0 git commit -m x",
        "unset GIT_CONFIG_COUNT; git commit",
        "export GIT_CONFIG_COUNT=0",
        "git --config-env=core.hooksPath=HOME commit -m x",
        "git --config-env core.hooksPath=HOME commit -m x",
        "git -c core.editor='git push' commit",
        "GIT_EDITOR='rm x' git commit",
        "git rebase -x 'git push' main",
        "timeout --signal KILL 5 git push",
        "xargs -n 1 git",
        "echo git push | sh",
        "cat <<E | sudo bash\ngit push\nE",
        "bash -lc 'cd x; git push'",
        "eval \"git push\"",
        "eval \"$X\"",
        "touch x; g${y}t push",
        "/usr/bin/gi? push",
        "{git,push}",
        "git $(echo push)",
        "git branch $X",
        "git branch --del main",
        "/usr/lib/git-core/git-push origin",
        "case x in a) git push;; esac",
        "f() { git push; }; f",
        "find . -exec rm {} +",
        "watch 'git push'",
        "trap 'git push' EXIT",
    ] {
        let input = json!({"command": command});
        assert!(asked(Role::Executor, ToolKind::Execute, "List files", input).is_err(), "{command}");
    }
}

#[test]
fn a_planner_runs_nothing_under_any_name_or_kind() {
    for input in [
        json!({"command": "./anything.sh"}),
        json!({"command": "touch${IFS}/tmp/x"}),
        json!({"exec": "make all"}),
        json!({"shellCommand": "make"}),
        json!({"input": {"cmd": ["make"]}}),
        json!({"arguments": "{\"command\": \"make\"}"}),
        json!({"script": "true"}),
        json!({"program": "make", "args": ["all"]}),
    ] {
        for kind in [ToolKind::Read, ToolKind::Search, ToolKind::Think, ToolKind::Fetch, ToolKind::Execute] {
            let decided = asked(Role::Planner, kind, "Look", input.clone());
            assert_eq!(decided.unwrap_err().why, ONLY_EXECUTORS, "{input}");
        }
    }
    let looks = json!({"command": "view", "path": "/tree/a.rs", "bash_id": "x"});
    assert_eq!(asked(Role::Planner, ToolKind::Read, "Look", looks), Ok(()));
}

#[test]
fn a_file_outside_is_one_under_any_name() {
    let home = std::env::current_dir().unwrap().join("x").display().to_string();
    for input in [
        json!({"target_file": "/etc/passwd"}),
        json!({"absPath": "/etc/passwd"}),
        json!({"source": "a.txt", "destination": home}),
        json!({"changes": {home.clone(): {"type": "add"}}}),
        json!({"anything": home}),
        json!({"deep": [{"er": "../x"}]}),
        json!({"old_path": "a", "newPath": "~/x"}),
        json!({"cwd": "/"}),
    ] {
        for kind in [ToolKind::Read, ToolKind::Edit, ToolKind::Move, ToolKind::Execute, ToolKind::Fetch] {
            let decided = asked(Role::Executor, kind, "t", input.clone());
            assert_eq!(decided.map_err(|refused| refused.why), Err(OUTSIDE), "{input}");
        }
    }
    let diff = Diff::new("/etc/passwd", "x");
    let fields = ToolCallUpdateFields::new().kind(ToolKind::Edit).content(vec![ToolCallContent::Diff(diff)]);
    let wish = with_fields(ToolRequest::default(), fields);
    assert_eq!(decide(Role::Executor, Path::new("/tree"), &wish).unwrap_err().why, OUTSIDE);
    let honest = json!({"file_path": "/tree/a.rs", "old_string": "/etc/passwd", "new_string": "../x", "content": "/etc/passwd",
        "url": "https://example.org/a/../b", "offset": 3, "replace_all": false});
    assert_eq!(asked(Role::Executor, ToolKind::Edit, "t", honest), Ok(()));
}

#[test]
fn a_refusal_names_the_command_and_not_its_title() {
    let refused = |kind, title: &str, input| asked(Role::Executor, kind, title, input).unwrap_err().what;
    let command = json!({"command": "cargo test && git  push origin"});
    assert_eq!(refused(ToolKind::Execute, "Run tests", command), "git  push origin");
    assert_eq!(refused(ToolKind::Execute, "x", json!({"command": ["git", "push", "a b"]})), "git push 'a b'");
    assert_eq!(refused(ToolKind::Read, "Look", json!({"file": "/etc/passwd"})), "read /etc/passwd");
    assert_eq!(refused(ToolKind::Delete, "Tidy", json!({"file": "a"})), "delete a");
    assert_eq!(refused(ToolKind::Other, "Tidy", json!({})), "Tidy");
}

#[test]
fn files_outside_of_the_work_tree_are_neither_read_nor_edited() {
    for kind in [ToolKind::Read, ToolKind::Search, ToolKind::Edit] {
        let may = |file: &str| {
            let wish = ToolRequest { kind, files: vec![file.into()], ..ToolRequest::default() };
            decide(Role::Executor, Path::new("/tree"), &wish).is_ok()
        };
        assert!(may("/tree/src/a.rs") && may("src/a.rs") && may("/tree"), "{kind:?}");
        assert!(!may("/etc/passwd") && !may("/tree/../x") && !may("../x"), "{kind:?}");
        assert!(!may("~/.ssh/id_rsa") && !may("file:///etc/passwd") && !may("FILE:/etc/passwd"), "{kind:?}");
        assert!(may("file:///tree/src/a%20b.rs") && !may("file:///tree/%2e%2e/x"), "{kind:?}");
    }
}

#[test]
fn the_narrowest_option_is_taken() {
    let option = |id: &str, kind| PermissionOption::new(id.to_owned(), id.to_owned(), kind);
    let all = [
        option("always", PermissionOptionKind::AllowAlways),
        option("once", PermissionOptionKind::AllowOnce),
        option("never", PermissionOptionKind::RejectAlways),
    ];
    let chosen = |options: &[PermissionOption], is_allowed| match outcome(options, is_allowed) {
        RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.to_string()),
        _ => None,
    };
    assert_eq!(chosen(&all, true).as_deref(), Some("once"));
    assert_eq!(chosen(&all, false).as_deref(), Some("never"));
    assert_eq!(chosen(&all[..2], false), None);
}
