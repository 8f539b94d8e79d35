//! What `import`, `export`, `undo`, `redact` and `wisdom` print, as whole screens.

use serde_json::json;

use crate::cli::screens::shop;
use crate::support::Sandbox;

#[test]
fn of_imports() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("shop");
    let sound = json!({"id": "bd-1", "title": "Search is slow", "status": "open", "priority": 1,
        "issue_type": "bug", "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z",
        "estimated_minutes": 30, "mol_type": "swarm"});
    let other = json!({"id": "bd-2", "title": "Rename the page", "status": "closed", "priority": 3,
        "issue_type": "task", "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-03T03:04:05Z",
        "dependencies": [{"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "blocks"}]});
    repo.write("issues.jsonl", format!("{sound}\n{{\"id\": \n{other}\n"));
    repo.screen("store/import-beads-strict", &["import", "beads", "issues.jsonl", "--strict"]);
    repo.screen("store/import-beads-dry", &["import", "beads", "issues.jsonl", "--dry-run"]);
    repo.screen("store/import-beads", &["import", "beads", "issues.jsonl"]);
    repo.screen("store/import-beads-again", &["import", "beads", "issues.jsonl"]);
    let issue = json!([{"number": 7, "title": "Prices in yen", "body": "Please.", "state": "OPEN",
        "labels": [{"name": "shop"}], "author": {"login": "bea"}, "createdAt": "2026-01-02T03:04:05Z",
        "updatedAt": "2026-01-02T03:04:05Z", "url": "https://github.com/ada/shop/issues/7", "comments": []}]);
    repo.write("issues.json", issue.to_string());
    repo.screen("store/import-github", &["import", "github", "issues.json"]);
    repo.screen("store/import-no-file", &["import", "beads", "missing.jsonl"]);
    repo.screen("store/import-no-bugs", &["import", "git-bug"]);
    repo.screen("store/export-beads", &["export", "beads", "-o", "out.jsonl"]);
    repo.screen("store/export-csv", &["export", "csv", "--all"]);
    repo.screen("store/export-no-issue", &["export", "beads", "ISS-404"]);
    repo.screen("store/export-a-file", &["export", "beads", "out.jsonl"]);
}

#[test]
fn of_mistakes() {
    let sandbox = Sandbox::new();
    let (repo, _) = shop(&sandbox);
    repo.wf(&["edit", "ISS-002", "--title", "Search is slow", "-p", "1"]).ok();
    repo.screen("store/undo", &["undo"]);
    repo.screen("store/undo-no-commit", &["undo", "0123456789"]);
    repo.screen("store/redact-no-reason", &["redact", "ISS-001", "context"]);
    repo.screen("store/redact", &["redact", "ISS-001", "context", "-m", "names a client"]);
    repo.screen("store/redact-again", &["redact", "ISS-001", "context", "-m", "names a client"]);
    repo.screen("store/redact-no-field", &["redact", "ISS-001", "colour", "-m", "red"]);
    repo.screen("issues/show-redacted", &["show", "ISS-001"]);
}

#[test]
fn of_wisdom() {
    let sandbox = Sandbox::new();
    let (repo, _) = shop(&sandbox);
    repo.screen("plans/wisdom-none", &["wisdom"]);
    repo.screen(
        "plans/wisdom-add",
        &["wisdom", "add", "Limits are kept in memory", "--type", "decision", "--issue", "ISS-001"],
    );
    repo.screen("plans/wisdom-list", &["wisdom"]);
    repo.screen("plans/wisdom-search-none", &["wisdom", "colour"]);
}
