//! Records and histories that are larger than real ones. With `WF_LONG=1`, they are as large as the limits allow.

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, is_long, plan};

fn count(usual: usize, long: usize) -> usize {
    if is_long() { long } else { usual }
}

#[test]
fn a_context_of_nearly_a_megabyte() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let text = "What is wrong, and where, and since when.\n".repeat(24_000);
    assert!(text.len() > 1_000_000);
    repo.write("text.md", &text);
    repo.wf(&["new", "--id", "GH-1", "Long", "-F", "text.md"]).ok();
    repo.wf(&["edit", "GH-1", "--title", "Still long", "--tag", "long"]).ok();
    repo.wf(&["comment", "GH-1", "-m", "short"]).ok();
    let shown = repo.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!((shown["context"].as_str(), &shown["title"]), (Some(text.trim_end()), &json!("Still long")));
    assert!(repo.wf(&["list"]).ok().stdout.contains("Still long"));
    let exported = repo.wf(&["export", "jsonl"]).ok().stdout;
    let other = sandbox.store("b");
    other.wf_in(&exported, &["import", "jsonl", "-"]).ok();
    assert_eq!(
        other.wf(&["show", "GH-1", "--json"]).ok().stdout,
        repo.wf(&["show", "GH-1", "--json"]).ok().stdout
    );
    // Two of them are more than a field can hold.
    repo.write("text.md", text.repeat(2));
    let ran = repo.wf(&["new", "Longer", "-F", "text.md"]).fails(1);
    assert!(ran.stderr.contains("`context`") && ran.stderr.contains("at most 1048576"), "{}", ran.stderr);
}

#[test]
fn many_comments_on_an_issue() {
    let many = count(500, 5_000);
    let repo = Sandbox::new().store("a");
    let comments: Vec<Value> = (0..many)
        .map(|n| json!({"id": n, "author": "Ada", "text": format!("Comment {n}"), "created_at": "2026-01-02T00:00:00Z"}))
        .collect();
    let issue = json!({"id": "br-1", "title": "Discussed", "created_at": "2026-01-01T00:00:00Z", "comments": comments});
    repo.wf_in(issue.to_string(), &["import", "beads", "-"]).ok();
    repo.wf(&["comment", "br-1", "-m", "one more"]).ok();
    let shown = repo.wf(&["show", "br-1", "--json"]).ok().json();
    let comments = shown["comments"].as_array().unwrap();
    assert_eq!(comments.len(), many + 1);
    assert_eq!(comments[many]["body"], "one more");
}

/// Puts this many queued issues into the store as an export.
fn queue_of(repo: &Repo, many: usize) {
    repo.wf(&["new", "--id", "GH-1", "First"]).ok();
    repo.wf_in(plan().to_string(), &["solution", "add", "GH-1", "-"]).ok();
    repo.wf(&["queue", "add", "GH-1"]).ok();
    let exported = repo.wf(&["export", "jsonl"]).ok().stdout;
    let fan = |text: &str| {
        let path = text.split("\"path\":\"").nth(1).unwrap();
        let start = path.find("/GH-1").or_else(|| path.find("/SOL-GH-1")).unwrap();
        path[start - 2..start].to_owned()
    };
    let own: Vec<&str> = exported.lines().filter(|line| line.contains("GH-1")).collect();
    let mut lines = vec![exported.lines().next().unwrap().to_owned()];
    for n in 2..=many {
        let id = format!("GH-{n}");
        let hash = repo.fan(&id);
        for line in &own {
            let line = line.replace(&format!("/{}/", fan(line)), &format!("/{hash}/"));
            let line = line.replace("GH-1", &id).replace("\"S-1\"", &format!("\"S-{n}\""));
            let line = line.replace("\"000010\"", &format!("\"{n:05}0\""));
            lines.push(line.replace("src/", &format!("src/{n}/")));
        }
    }
    lines.push(format!("{{\"files\":{}}}\n", lines.len() - 1));
    repo.wf_in(lines.join("\n"), &["import", "jsonl", "-"]).ok();
}

#[test]
fn many_items_in_a_queue() {
    let many = count(100, 2_000);
    let repo = Sandbox::new().store("a");
    queue_of(&repo, many);
    let shown = repo.wf(&["queue", "show", "--json"]).ok().json();
    assert_eq!(shown["items"].as_array().unwrap().len(), many);
    let claim = repo.wf(&["next", "--json"]).ok().json();
    assert_eq!(claim["item_id"], "S-1");
    repo.done();
    repo.wf(&["status"]).ok();
}

#[test]
fn a_long_history() {
    let many = count(2_000, 100_000);
    let repo = Sandbox::new().store("a");
    repo.wf(&["new", "--id", "GH-1", "First"]).ok();
    let mut stream = String::new();
    for n in 0..many {
        let from = if n == 0 { format!("from {REF}^0\n") } else { String::new() };
        let message = format!("note {n}\n");
        stream.push_str(&format!(
            "commit {REF}\ncommitter Ada <ada@example.org> {} +0000\ndata {}\n{message}{from}M 100644 inline notes/{}\ndata 2\n{}\n\n",
            1_795_226_500 + n,
            message.len(),
            n % 50,
            n % 10
        ));
    }
    repo.git_in(stream, &["fast-import", "--quiet"]).ok();
    assert_eq!(repo.steps(), many + 2);
    repo.wf(&["comment", "GH-1", "-m", "at the end"]).ok();
    assert_eq!(repo.wf(&["log", "GH-1", "--json"]).ok().json().as_array().unwrap().len(), 2);
    repo.wf(&["fsck"]).ok();
    // A clone whose state is an early commit gets all of it.
    let early = repo.git(&["rev-parse", &format!("{REF}~{many}")]).ok();
    let tip = repo.tip().unwrap();
    repo.git(&["update-ref", "refs/wf-remotes/origin/main", &tip]).ok();
    repo.git(&["update-ref", REF, early.line()]).ok();
    repo.git(&["init", "--quiet", "--bare", "../origin.git"]).ok();
    repo.git(&["remote", "add", "origin", "../origin.git"]).ok();
    repo.git(&["push", "--quiet", "origin", &format!("{tip}:{REF}")]).ok();
    repo.wf(&["pull", "origin"]).ok();
    assert_eq!(repo.tip(), Some(tip));
}
