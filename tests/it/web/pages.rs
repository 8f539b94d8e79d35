//! What the pages show.

use serde_json::json;

use super::Served;
use crate::support::{Repo, Sandbox, Two, plan, plan_on, store_writer};

/// A repository in which one plan was executed, and another one waits for that.
pub(super) fn worked(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("src/a.rs", "one\n", "Begin");
        let mut plan = plan_on("src/a.rs");
        plan["tasks"][0]["test"] = json!({"commands": ["true"]});
        for issue in ["ISS-001", "ISS-002"] {
            repo.planned(issue, &plan);
            repo.wf(&["queue", "add", issue]).ok();
        }
        repo.wf(&[
            "new",
            "Cut words",
            "--id",
            "GH-7",
            "-m",
            "About **ISS-001**",
            "-t",
            "wave-1",
            "-p",
            "high",
        ])
        .ok();
        repo.wf(&["next"]).ok();
        let commit = repo.commit("src/a.rs", "one\ntwo\n", "Write a line");
        repo.wf(&["verify", "--yes"]).ok();
        repo.done().ok();
        repo.wf(&["comment", "ISS-001", "-m", "it works, see GH-7"]).ok();
        (repo, commit)
    })
}

#[test]
fn the_overview_names_issues_outside_the_queues() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let none = served.browser().page("/");
    assert!(!none.contains("Not queued") && !none.contains("Waiting for other work"), "{none}");
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["new", "Two", "--id", "ISS-002", "--depends-on", "ISS-001"]).ok();
    let overview = served.browser().page("/");
    let (_, outside) = overview.split_once("Not queued").unwrap();
    let (open, waiting) = outside.split_once("Waiting for other work").unwrap();
    assert!(open.contains("href=\"/issues/ISS-001\"") && !open.contains("ISS-002"), "{open}");
    let (waiting, _) = waiting.split_once("</table>").unwrap();
    assert!(waiting.contains("href=\"/issues/ISS-002\"") && waiting.contains("after <a"), "{waiting}");
    let issue = served.browser().page("/issues/ISS-001");
    let (_, needed) = issue.split_once("Needed by").unwrap();
    assert!(needed.contains("href=\"/issues/ISS-002\""), "{needed}");
}

#[test]
fn the_overview_says_what_to_do_about_each_thing_that_waits() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for id in ["ISS-001", "ISS-002"] {
        repo.queued(id, &format!("src/{id}.rs"));
        repo.wf(&["next", id, "--local"]).ok();
        repo.wf(&["fail", "-m", "it does not build"]).ok();
    }
    let overview = Served::of(&repo, &[]).browser().page("/");
    for id in ["ISS-001", "ISS-002"] {
        let (_, row) = overview
            .split_once(&format!("failed</span></td><td><a class=\"id\" href=\"/issues/{id}"))
            .unwrap();
        let (row, _) = row.split_once("</tr>").unwrap();
        assert!(row.contains("git wf retry") && row.matches(id).count() >= 3, "{row}");
    }
}

#[test]
fn a_plan_shows_everything_that_its_tasks_say() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let mut plan = plan_on("src/a.rs");
    let task = &mut plan["tasks"][0];
    task["test"] = json!({"commands": ["true"], "unit": ["an empty cart"], "integration": ["two carts"],
        "manual_checks": ["look at it"], "success_metrics": ["fewer calls"], "coverage_target": 80});
    task["regression"] = json!(["old carts"]);
    task["commit"] = json!({"type": "fix", "scope": "cart", "message_template": "keep the items"});
    let id = repo.planned("ISS-001", &plan);
    let page = Served::of(&repo, &[]).browser().page(&format!("/plans/{id}"));
    for part in [
        "an empty cart",
        "two carts",
        "look at it",
        "fewer calls",
        "80 %",
        "old carts",
        "fix(cart): keep the items",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn every_page_leads_from_the_issue_to_its_commit_and_back() {
    let sandbox = Sandbox::new();
    let (repo, commit) = worked(&sandbox);
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let shown = repo.json(&["show", "ISS-001"]);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let (plan, execution) = (text(&shown["solutions"][0]["id"]), text(&shown["executions"][0]["id"]));
    let issue = browser.page("/issues/ISS-001");
    for address in [format!("/plans/{plan}"), format!("/executions/{execution}")] {
        assert!(issue.contains(&format!("href=\"{address}\"")), "{address}: {issue}");
    }
    let issue = browser.page(&format!("/executions/{execution}"));
    assert!(
        issue.contains(&format!("href=\"/commits/{commit}\"")) && issue.contains("Write a line"),
        "{issue}"
    );
    let trail = browser.page(&format!("/commits/{commit}"));
    assert!(
        trail.contains("href=\"/issues/ISS-001\"") && trail.contains(&format!("href=\"/plans/{plan}\"")),
        "{trail}"
    );
    let file = browser.page("/files/src/a.rs");
    assert!(file.contains(&format!("href=\"/commits/{commit}\"")), "{file}");
    assert!(file.contains("href=\"/issues/ISS-001\"") && file.contains(">two</td>"), "{file}");
    let queue = browser.page("/queues");
    assert!(queue.contains("<svg") && queue.contains("href=\"/issues/ISS-002\""), "{queue}");
    let plan = browser.page(&format!("/plans/{plan}"));
    assert!(plan.contains("href=\"/issues/ISS-001\"") && plan.contains("href=\"/files/src/a.rs\""), "{plan}");
    let audit = browser.page("/audit");
    assert!(audit.contains("1 of 1 commit linked (100%)"), "{audit}");
}

#[test]
fn the_lists_show_what_the_commands_list() {
    let sandbox = Sandbox::new();
    let (repo, _) = worked(&sandbox);
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let overview = browser.page("/");
    assert!(overview.contains("Wave 1") && overview.contains("0 of 1 done"), "{overview}");
    assert!(overview.contains("href=\"/issues/ISS-002\""), "{overview}");
    let open = browser.page("/issues");
    assert!(open.contains("href=\"/issues/GH-7\"") && !open.contains("href=\"/issues/ISS-001\""), "{open}");
    for (query, is_there) in [
        ("status=completed", false),
        ("priority=high", true),
        ("q=words", true),
        ("q=nothing", false),
        ("tag=wave-1&wave=1", true),
        ("planned=1", false),
        ("all=1", true),
    ] {
        let found = browser.page(&format!("/issues?{query}"));
        assert_eq!(found.contains("href=\"/issues/GH-7\""), is_there, "{query}: {found}");
    }
    let wrong = browser.page("/issues?status=sleeping&wave=x");
    assert!(wrong.contains("<code>sleeping</code> is not a status"), "{wrong}");
    let board = browser.page("/board?q=words");
    assert!(board.contains("data-status=\"registered\"") && board.contains("GH-7"), "{board}");
    assert!(!board.contains("draggable"), "a read-only board: {board}");
    assert!(!board.contains("data-status=\"failed\""), "an empty column: {board}");
    let executions = browser.page("/executions");
    assert!(executions.contains("class=\"timeline\"") && executions.contains("ISS-001"), "{executions}");
    let history = browser.page("/history?id=GH-7");
    assert!(history.contains("GH-7") && !history.contains("ISS-002"), "{history}");
    let step = history.split("href=\"/history/").nth(1).unwrap().split('"').next().unwrap();
    let step = browser.page(&format!("/history/{step}"));
    assert!(step.contains("issues/") && step.contains("Cut words"), "{step}");
}

#[test]
fn ids_and_commits_are_found_from_the_search_field() {
    let sandbox = Sandbox::new();
    let (repo, commit) = worked(&sandbox);
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    for (typed, address) in [
        ("ISS-001", "/issues/ISS-001"),
        ("GH-7", "/issues/GH-7"),
        (&commit[..10], &format!("/commits/{}", &commit[..10])),
        ("src/a.rs", "/files/src/a.rs"),
        ("two+words", "/issues?q=two+words&all=1"),
        ("%0D%0ALocation:%20http://evil.example", "/issues?q=Location%3A+http%3A%2F%2Fevil.example&all=1"),
    ] {
        let page = browser.get(&format!("/go?q={typed}"));
        assert_eq!((page.status, page.header("location")), (303, Some(address)), "{typed}");
    }
}

#[test]
fn a_plan_shows_its_tasks_as_a_graph_and_what_changed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let mut plan = plan();
    let mut second = plan["tasks"][0].clone();
    (second["id"], second["depends_on"]) = (json!("T9"), json!(["T1"]));
    plan["tasks"].as_array_mut().unwrap().push(second);
    let solution = repo.planned("ISS-001", &plan);
    repo.wf(&["task", "edit", "ISS-001", "T9", "--title", "Another title"]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let page = browser.page(&format!("/plans/{solution}"));
    let order = "href=\"#task-T9\">T9</a> comes after <a class=\"id\" href=\"#task-T1\">T1</a>";
    assert!(page.contains(order) && page.contains("class=\"dag\""), "{page}");
    let diff = browser.page(&format!("/plans/{solution}/diff"));
    assert!(diff.contains("<ins>Another title</ins>") && diff.contains("<del>"), "{diff}");
    let before = browser.page(&format!("/plans/{solution}?version=1"));
    assert!(!before.contains("Another title"), "{before}");
}

#[test]
fn conflicts_between_clones_are_shown_and_settled() {
    let two = Two::with_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "Ada's title"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "Bea's title"]).ok();
    two.meet();
    let served = Served::of(&two.ada, &["--write"]);
    let browser = served.writer();
    let page = browser.page("/conflicts");
    assert!(page.contains("Ada&#39;s title") || page.contains("Ada's title"), "{page}");
    let lost =
        if two.ada.json(&["show", "GH-1"])["title"] == "Ada's title" { "Bea's title" } else { "Ada's title" };
    let seen = |page: &str| {
        page.split("name=\"seen\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let take = |seen: &str| {
        let fields = [("record", "GH-1"), ("field", "title"), ("seen", seen), ("take", "1")];
        browser.send("settle", "/conflicts", &fields)
    };
    // The page shows other values than those that someone saw.
    let (tip, refused) = (two.ada.tip(), take("0123"));
    assert!(refused.status == 422 && refused.body.contains("have changed"), "{}", refused.body);
    assert_eq!(two.ada.tip(), tip);
    let sent = take(&seen(&page));
    assert_eq!((sent.status, sent.header("location")), (303, Some("/conflicts")), "{}", sent.body);
    assert_eq!(two.ada.json(&["show", "GH-1"])["title"], lost);
    assert!(browser.page("/conflicts").contains("No unresolved conflicts"));
}

#[test]
fn what_is_not_there_is_not_found() {
    let sandbox = Sandbox::new();
    let (repo, _) = worked(&sandbox);
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    for path in [
        "/nothing",
        "/issues/ISS-999",
        "/plans/SOL-ISS-999-1",
        "/commits/0000000000000000000000000000000000000000",
        "/files/missing.rs",
        "/files/.git/config",
        "/files/..%2f..%2fetc/passwd",
        "/runs/RUN-20261121-7k3m2pq9",
        "/-/000000000000/style.css",
        "/style.css",
    ] {
        assert_eq!(browser.get(path).status, 404, "{path}");
    }
}

#[test]
fn executions_come_in_pages_and_those_that_run_come_first() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let claims: Vec<_> =
        (0..62).map(|n| store_writer::claim_elsewhere(&repo, &format!("ISS-{n:03}"), &plan())).collect();
    for claim in &claims[1..] {
        claim.end(&repo, "failed");
    }
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let first = browser.page("/executions");
    assert!(first.contains("page 1 of 2") && first.contains("href=\"/executions?page=2\""), "{first}");
    let second = browser.page("/executions?page=2");
    for (n, claim) in claims.iter().enumerate() {
        // In the table; the timeline has labels.
        let row = format!("<td><a class=\"id\" href=\"/issues/{}\">", claim.issue);
        let found = [&first, &second].map(|page| page.matches(&row).count());
        assert_eq!(found.iter().sum::<usize>(), 1, "{n}: {found:?}");
        assert!(n > 0 || found[0] == 1, "the one that runs is on the first page");
    }
    assert!(second.contains("page 2 of 2"), "{second}");
}

#[test]
fn every_id_in_a_text_is_a_link() {
    let sandbox = Sandbox::new();
    let (repo, commit) = worked(&sandbox);
    // Digits alone would be a number, and letters alone a word.
    let is_hash = |text: &str| {
        text.contains(|it: char| it.is_ascii_digit()) && text.contains(|it: char| it.is_ascii_lowercase())
    };
    let short = (8..=commit.len()).map(|length| &commit[..length]).find(|text| is_hash(text)).unwrap();
    let unknown = "0123abc";
    let text =
        format!("GH-7, `GH-7`, {short}. Not GH-8, a-b, {unknown}, 20261121 or https://example.org/GH-7");
    repo.wf(&["comment", "ISS-002", "-m", &text]).ok();
    repo.wf(&["feedback", "ISS-001", "-m", &format!("broken by {short}")]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let page = browser.page("/issues/ISS-002");
    assert!(page.contains("<a href=\"/issues/GH-7\">GH-7</a>"), "{page}");
    assert!(page.contains("<a href=\"/issues/GH-7\"><code>GH-7</code></a>"), "{page}");
    assert!(page.contains(&format!("<a href=\"/commits/{commit}\">{short}</a>")), "{page}");
    assert_eq!(page.matches("href=\"/issues/GH-7\"").count(), 2, "{page}");
    // Titles are texts, too.
    let titled = repo.wf(&["new", "Undo the work of GH-7", "--json"]).ok().json();
    for address in ["/issues".to_owned(), format!("/issues/{}", titled["id"].as_str().unwrap())] {
        let page = browser.page(&address);
        assert!(page.contains("Undo the work of <a class=\"id\" href=\"/issues/GH-7\">GH-7</a>"), "{page}");
    }
    for other in ["GH-8", "a-b", unknown, "20261121"] {
        assert!(!page.contains(&format!(">{other}</a>")), "{other}: {page}");
    }
    // Tasks are ids, too.
    let plan = repo.json(&["show", "ISS-001"])["solutions"][0]["id"].as_str().unwrap().to_owned();
    let trail = browser.page(&format!("/commits/{commit}"));
    assert!(trail.contains(&format!("href=\"/plans/{plan}#task-T1\"")), "{trail}");
    assert!(browser.page(&format!("/plans/{plan}")).contains("id=\"task-T1\""));
    let queue = browser.page("/queues");
    let item = queue.split("<tr id=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(queue.contains(&format!("href=\"#{item}\"")), "{queue}");
}

#[test]
fn a_withdrawn_plan_says_so() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let add = |plan: serde_json::Value| {
        repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned()
    };
    let mut other = plan();
    other["description"] = "Count requests in the proxy".into();
    let (first, second) = (add(plan()), add(other));
    repo.wf(&["solution", "withdraw", &second, "-m", "ISS-001 is <simpler>"]).ok();
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let badge = "<span class=\"badge s-withdrawn\">withdrawn</span>";
    let issue = browser.page("/issues/ISS-001");
    assert_eq!(issue.matches(badge).count(), 1, "{issue}");
    assert!(!issue.contains(&format!("name=\"solution\" value=\"{second}\"")), "{issue}");
    let plan = browser.page(&format!("/plans/{second}"));
    assert!(plan.contains(badge) && plan.contains(" is &lt;simpler&gt;"), "{plan}");
    assert!(!plan.contains("action=\"/do/bind\""), "a withdrawn plan cannot be bound: {plan}");
    assert!(!browser.page(&format!("/plans/{first}")).contains(badge));
    let back = [("solution", second.as_str()), ("back", "1")];
    let sent = browser.send("withdraw", &format!("/plans/{second}"), &back);
    assert_eq!(sent.status, 303, "{}", sent.body);
    assert!(browser.page(&format!("/plans/{second}")).contains("action=\"/do/bind\""));
    let empty = [("form", "withdraw:"), ("solution", second.as_str()), ("reason", "")];
    let sent = browser.send("withdraw", &format!("/plans/{second}"), &empty);
    assert!(sent.status == 422 && sent.body.contains("<code>reason</code> is empty"), "{}", sent.body);
    // Each plan of a page has tasks with addresses of their own.
    let ids: Vec<&str> = issue.split(" id=\"").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(ids.len(), distinct.len(), "{ids:?}");
}

#[test]
fn waves_show_their_progress() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for (id, tag) in
        [("ISS-001", "wave-1"), ("ISS-002", "wave-1"), ("ISS-003", "wave-1"), ("ISS-004", "wave-9")]
    {
        repo.wf(&["new", "--id", id, "Work", "-t", tag]).ok();
    }
    repo.wf(&["close", "ISS-001", "-m", "done"]).ok();
    repo.wf(&["edit", "ISS-002", "--status", "cancelled"]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    for path in ["/", "/roadmaps"] {
        let page = browser.page(path);
        assert!(page.contains("1 of 2 done") && page.contains("0 of 1 done"), "{path}: {page}");
        assert!(page.contains("Wave 9"), "{path}: {page}");
    }
    repo.wf(&["reopen", "ISS-001"]).ok();
    assert!(browser.page("/roadmaps").contains("0 of 2 done"));
}
