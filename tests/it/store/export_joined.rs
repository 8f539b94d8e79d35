//! Exports that a union merge joined, and what no export holds.

use serde_json::json;

use crate::support::{Repo, Sandbox};

#[test]
fn an_export_that_a_union_merge_joined_brings_all_of_both() {
    let sandbox = Sandbox::new();
    let one = sandbox.store("a");
    one.wf(&["new", "--id", "zoo-1", "Feed"]).ok();
    let base = one.wf(&["export", "jsonl"]).ok().stdout;
    let other = sandbox.store("b");
    other.wf_in(&base, &["import", "jsonl", "-"]).ok();
    one.wf(&["edit", "zoo-1", "--title", "Feed it"]).ok();
    one.wf(&["new", "--id", "zoo-2", "Two"]).ok();
    other.wf(&["edit", "zoo-1", "--tag", "hungry"]).ok();
    other.wf(&["new", "--id", "zoo-3", "Three"]).ok();
    let [mine, theirs] = [&one, &other].map(|repo| repo.wf(&["export", "jsonl"]).ok().stdout);
    let mut union: Vec<&str> = mine.lines().collect();
    union.extend(theirs.lines().filter(|line| !mine.lines().any(|own| own == *line)));
    let whole = sandbox.store("c");
    let report =
        whole.wf_in(&(union.join("\n") + "\n"), &["--json", "import", "jsonl", "--strict", "-"]).ok().json();
    assert_eq!(report["skipped"], json!([]), "{report}");
    let issue = whole.json(&["show", "zoo-1"]);
    assert_eq!((issue["title"].as_str(), &issue["tags"]), (Some("Feed it"), &json!(["hungry"])));
    for id in ["zoo-2", "zoo-3"] {
        whole.wf(&["show", id]).ok();
    }
    whole.wf(&["fsck"]).ok();
}

#[test]
fn no_export_holds_a_character_that_hides_something() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "zoo-1", "Feed it", "-m", "a\u{2066}b\u{9b}"]).ok();
    repo.wf(&["comment", "zoo-1", "c\u{202d}d"]).ok();
    let is_bad = |c: char| {
        (c.is_control() && c != '\n' && c != '\r')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let file = sandbox.root().join("out");
    let name = file.display().to_string();
    for export in [&["export", "jsonl"][..], &["export", "beads"], &["export", "csv"], &["audit", "--sarif"]]
    {
        let piped = repo.wf(export).ok().stdout;
        repo.wf(&[export, &["-o", &name]].concat()).ok();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), piped);
        assert!(!piped.contains(is_bad), "{export:?}: {piped}");
    }
    let again = sandbox.store("b");
    again.wf_in(&repo.wf(&["export", "jsonl"]).ok().stdout, &["import", "jsonl", "-"]).ok();
    let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
    assert_eq!(tree(&again), tree(&repo), "the same values");
}
