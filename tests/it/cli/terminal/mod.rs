//! No text from outside reaches a terminal unfiltered: every command, with hostile text in every place where others
//! can write.

mod commands;
mod lines;

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, plan, record};

/// Characters that a terminal obeys, that reverse the line, that are invisible, or that start a new line.
const EVIL: &str = "a\u{1b}[41mred\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{7f}\u{e0041}\rb\nFORGED c";
/// Everything that a terminal, or a program that reads lines, may take for a line break.
const LINES: &str =
    "x\nFORGED\r\nFORGED\rFORGED\u{85}FORGED\u{2028}FORGED\u{2029}FORGED\u{b}FORGED\u{c}FORGED\n\nFORGED y";
/// The same on one line, where git allows only one.
const ROW: &str = "a\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}b";

/// Our own colours, and the escapes that clear the progress line.
const OWN: [&str; 8] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[35m",
    "\r\u{1b}[K",
];

/// What is wrong with the bytes that a terminal received.
fn fault(shown: &str) -> Option<String> {
    let mut text = shown.to_owned();
    for own in OWN {
        text = text.replace(own, "");
    }
    let raw = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(
                c,
                '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
            )
    };
    if let Some(c) = text.chars().find(raw) {
        return Some(format!("{c:?} is raw"));
    }
    text.lines()
        .find(|line| line.starts_with("FORGED"))
        .map(|line| format!("`{line}` passes for a line of ours"))
}

/// Makes every text of a record hostile, except those that something else depends on.
fn bend(value: &mut Value, kept: &[&str]) {
    bend_with(value, EVIL, kept);
}

fn bend_with(value: &mut Value, evil: &str, kept: &[&str]) {
    match value {
        Value::String(text) => text.push_str(evil),
        Value::Array(items) => items.iter_mut().for_each(|item| bend_with(item, evil, kept)),
        Value::Object(map) => {
            map.iter_mut()
                .filter(|(name, _)| !kept.contains(&name.as_str()))
                .for_each(|(_, it)| bend_with(it, evil, kept));
        }
        _ => {}
    }
}

/// Fields that cannot have another text without making it another record, or a broken one.
const KEPT: &[&str] = &[
    "id",
    "item_id",
    "issue_id",
    "issue_ids",
    "solution_id",
    "execution_id",
    "queue_id",
    "bound_solution_id",
    "plan_digest",
    "plan_commit",
    "base_commit",
    "hash",
    "old",
    "new",
    "commit",
    "type",
    "status",
    "verdict",
    "severity",
    "resolution",
    "stage",
    "source",
    "linked_by",
    "mode",
    "phase",
    "created_at",
    "queued_at",
    "started_at",
    "authored_at",
    "at",
    "lease_expires_at",
    "clock",
    "position",
    "depends_on",
    "relations",
    "resolution_order",
    "solutions",
    "resolves",
    "target",
    "field",
    "stamp",
    "via",
    "role",
    "format",
    "policy",
    "plan",
    "output_sha256",
    "task_id",
];

#[test]
fn the_field_that_a_conflict_names_is_no_line_of_ours() {
    let sandbox = Sandbox::new();
    let bare = sandbox.bare("server.git");
    let ada = sandbox.clone(bare.path(), "ada");
    ada.wf(&["init"]).ok();
    ada.issue("ISS-001");
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(bare.path(), "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    let field = format!("x{EVIL}");
    let path = ada.store_path("/ISS-001/issue.json");
    for (repo, stamp) in
        [(&ada, "2026-11-22T03:00:00.000Z/00000/0000000a"), (&bea, "2026-11-22T04:00:00.000Z/00000/0000000b")]
    {
        let mut record = repo.stored_json(&path);
        record[field.as_str()] = json!(stamp);
        record["clock"][field.as_str()] = json!(stamp);
        repo.plumb(&[(&path, &format!("{record:#}\n"))]);
        repo.wf(&["sync"]);
    }
    for args in [&["conflicts"][..], &["conflicts", "take", "ISS-001"], &["log", "-p"], &["conflicts"]] {
        let (_, shown) = bea.on_terminal("", args);
        if let Some(fault) = fault(&shown) {
            panic!("{args:?}: {fault}\n{}", shown.escape_debug());
        }
    }
}

#[test]
fn an_export_is_exact_in_a_pipe_and_escaped_on_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["comment", "ISS-001", "-m", EVIL]).ok();
    let piped = repo.wf(&["export", "jsonl"]).ok().stdout;
    assert!(!piped.contains('\u{202e}') && piped.contains("\\u202e"), "hidden characters are escaped");
    let (code, shown) = repo.on_terminal("", &["export", "jsonl"]);
    assert_eq!((code, fault(&shown)), (0, None), "{}", shown.escape_debug());
    // The progress is shown and cleared before the first line.
    let value = |line: &str| serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
    let values = |text: &str| -> Vec<Value> { text.lines().map(value).collect() };
    assert_eq!(values(&shown), values(&piped), "another spelling of the same");
}
