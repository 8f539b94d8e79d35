use agent_client_protocol::v1::schema::{ToolCallUpdateFields, ToolKind};
use serde_json::json;

use super::*;
use crate::agent::acp::calls::with_fields;
use crate::agent::acp::permission::{RefusedRequest, ToolRequest, decide};
use crate::agent::acp::place::{GIT_OWN, OUTSIDE};
use crate::rules::Role;

fn asked(kind: ToolKind, input: &Value) -> Result<(), RefusedRequest> {
    let fields = ToolCallUpdateFields::new().kind(kind).title("t".to_owned()).raw_input(Some(input.clone()));
    decide(Role::Executor, Path::new("/tree"), &with_fields(ToolRequest::default(), fields))
}

#[test]
fn arguments_belong_to_their_program() {
    for input in [
        json!({"command": "grep", "args": ["rm", "-rn", "src"]}),
        json!({"command": "grep", "args": ["git push", "docs"]}),
        json!({"command": "echo", "args": ["rm"]}),
        json!({"command": "echo", "args": "rm x"}),
        json!({"command": ["grep", "-rn"], "arguments": ["rm", "src"]}),
        json!({"program": "grep", "argv": ["rm"]}),
        json!({"command": "head -n 3", "args": ["rm"]}),
        json!({"command": "bash", "args": ["-lc", "git commit -m \"Warn before rm\""]}),
        json!({"shell": "bash", "command": "git commit -m 'Warn before rm'"}),
        json!({"command": "timeout", "args": [5, "grep", "rm"]}),
        json!({"commands": ["cargo test", "git commit -m 'rm x'"]}),
        json!({"tool": {"command": "echo", "args": ["rm"]}}),
    ] {
        assert_eq!(asked(ToolKind::Execute, &input), Ok(()), "{input}");
    }
    for input in [
        json!({"command": "git", "args": ["push"]}),
        json!({"command": "git", "args": "push origin"}),
        json!({"command": ["git"], "args": ["push"]}),
        json!({"program": "git", "argv": ["push"]}),
        json!({"args": ["git", "push"]}),
        json!({"argv": ["git", "push"]}),
        json!({"args": "git push"}),
        json!({"commandLine": "git push"}),
        json!({"command_string": "git push"}),
        json!({"command": "bash -c", "args": ["rm x"]}),
        json!({"command": "timeout", "args": [5, "git", "push"]}),
        json!({"command": ["timeout", 5, "git", "push"]}),
        json!({"command": "sh", "args": {"command": "git push"}}),
        json!({"command": "sh", "args": "{\"command\": \"git push\"}"}),
        json!({"command": "", "args": ["rm", "x"]}),
        json!({"commands": ["ls", "git push"]}),
        json!({"commands": ["git", "push"]}),
        json!({"commands": [["git", "push"]]}),
        json!({"commands": [{"command": "rm", "args": ["x"]}]}),
    ] {
        assert!(asked(ToolKind::Execute, &input).is_err(), "{input}");
    }
}

#[test]
fn the_arguments_are_shown_with_their_program() {
    let refused = asked(ToolKind::Execute, &json!({"command": "git", "args": ["push", "a b"]}));
    assert_eq!(refused.unwrap_err().what, "git push 'a b'");
}

#[test]
fn a_file_outside_is_refused_under_the_names_of_texts() {
    for (kind, input, why) in [
        (ToolKind::Move, json!({"path": "a.txt", "new_name": "../../x"}), OUTSIDE),
        (ToolKind::Move, json!({"path": "a.txt", "newName": ".git/hooks/x"}), GIT_OWN),
        (ToolKind::Move, json!({"path": "a.txt", "name": "/etc/x"}), OUTSIDE),
        (ToolKind::Edit, json!({"name": "/etc/x", "content": "y"}), OUTSIDE),
        (ToolKind::Edit, json!({"name": ".git/config", "content": "y"}), GIT_OWN),
        (ToolKind::Edit, json!({"patch": "*** Update File: /etc/passwd\n+x"}), OUTSIDE),
        (ToolKind::Edit, json!({"patchText": "*** Begin Patch\n*** Add File: ../x\n+x"}), OUTSIDE),
        (ToolKind::Edit, json!({"input": "*** Begin Patch\n*** Update File: /etc/passwd\n"}), OUTSIDE),
        (ToolKind::Edit, json!({"diff": "--- a/../../x\n+++ b/../../x\n"}), OUTSIDE),
        (ToolKind::Edit, json!({"unified_diff": "--- a/.git/x\n+++ b/.git/x\n"}), GIT_OWN),
        (ToolKind::Edit, json!({"diff": "../../x"}), OUTSIDE),
        (ToolKind::Edit, json!({"title": "/etc/passwd"}), OUTSIDE),
        (ToolKind::Read, json!({"text": "/etc/passwd"}), OUTSIDE),
        (ToolKind::Read, json!({"query": "/etc/passwd"}), OUTSIDE),
        (ToolKind::Read, json!({"content": "../x"}), OUTSIDE),
        (ToolKind::Read, json!({"name": "~/.ssh/id_rsa"}), OUTSIDE),
        (ToolKind::Read, json!({"anything": ".git/config"}), GIT_OWN),
        (ToolKind::Search, json!({"search": "../x"}), OUTSIDE),
    ] {
        assert_eq!(asked(kind, &input).map_err(|refused| refused.why), Err(why), "{input}");
    }
}

#[test]
fn the_content_of_an_edit_is_no_file() {
    for input in [
        json!({"command": "str_replace", "path": "a.txt", "old_str": "x", "new_str": "/usr/bin/env python3"}),
        json!({"command": "create", "path": "a.txt", "file_text": "/usr/bin"}),
        json!({"path": "a.txt", "old_str": "x", "new_str": "../lib/x.js"}),
        json!({"notebook_path": "a.ipynb", "new_source": "// a comment", "cell_type": "code", "edit_mode": "replace"}),
        json!({"notebook_path": "a.ipynb", "new_source": "/etc/passwd", "cell_id": "x1"}),
        json!({"file_path": "a.txt", "insert_line": 3, "new_line": "/etc/passwd"}),
        json!({"file_path": "a.txt", "code_edit": "/usr/bin/env"}),
        json!({"file_path": "a.txt", "new_code": "rm(../x)", "instructions": "Name /etc/x"}),
        json!({"path": "a.txt", "edits": [{"oldText": "../a", "newText": "/etc/x"}]}),
        json!({"path": "a.txt", "edits": [{"search": "../a", "replace": "/etc/x"}]}),
        json!({"path": "a.txt", "content": "*** Update File: /etc/passwd"}),
        json!({"path": "a.sql", "diff": "@@ -1 +1 @@\n--- /etc/x is a comment\n+-- y\n"}),
        json!({"patch": "--- a/x\n+++ /dev/null\n"}),
        json!({"name": "b.txt", "tool_name": "Edit", "content": "x"}),
    ] {
        assert_eq!(asked(ToolKind::Edit, &input), Ok(()), "{input}");
    }
    for (kind, input) in [
        (ToolKind::Search, json!({"query": "fn main", "path": "src"})),
        (ToolKind::Read, json!({"name": "README", "text": "how it works"})),
        (ToolKind::Move, json!({"path": "a.txt", "new_name": "b.txt"})),
        (ToolKind::Execute, json!({"command": "cat", "description": "../x", "text": "/etc/passwd"})),
    ] {
        assert_eq!(asked(kind, &input), Ok(()), "{input}");
    }
}
