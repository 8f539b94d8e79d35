//! Queues with more items than a page shows.

use serde_json::json;

use super::Served;
use crate::support::{Sandbox, plan_on};

#[test]
fn a_long_queue_comes_in_pages() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let ids: Vec<String> = (0..101).map(|n| format!("ISS-{n:03}")).collect();
    let line = |id: &String| {
        json!({"id": id, "title": id, "status": "open", "priority": 2, "issue_type": "bug",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"})
    };
    repo.write("all.jsonl", ids.iter().map(|id| format!("{}\n", line(id))).collect::<String>());
    repo.wf(&["import", "beads", "all.jsonl"]).ok();
    for id in &ids {
        repo.wf_in(plan_on(&format!("src/{id}.rs")).to_string(), &["solution", "add", id]).ok();
    }
    let add: Vec<&str> = ["queue", "add"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    repo.wf(&add).ok();
    let queue = repo.json(&["queue", "manage", "list"])[0]["id"].as_str().unwrap().to_owned();
    let rows = |page: &str| page.matches("<tr id=\"QUE-").count();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let all = browser.page("/queues");
    assert_eq!((rows(&all), all.matches("class=\"node\"").count()), (100, 101));
    assert!(all.contains(&format!("href=\"/queues/{queue}\">All 101 items</a>")), "{all}");
    let second = browser.page(&format!("/queues/{queue}?page=2"));
    assert_eq!(rows(&second), 1);
    assert!(second.contains("page 2 of 2"), "{second}");
    // A link to an item leads to the page that has its row, also from a page that has not.
    let row = format!("{queue}-S-101");
    let link = format!("href=\"/queues/{queue}?item=S-101#{row}\"");
    let step = browser.page(&format!("/history/{}", repo.tip().unwrap()));
    assert!(step.contains(&link), "{step}");
    repo.wf(&["queue", "overlaps", "--add", "data", "--items", "S-1,S-101"]).ok();
    for page in ["/queues".to_owned(), format!("/queues/{queue}")] {
        let page = browser.page(&page);
        assert!(page.contains(&link) && page.contains(&format!("href=\"#{queue}-S-1\"")), "{page}");
    }
    let found = browser.page(&format!("/queues/{queue}?item=S-101"));
    assert!(found.contains(&format!("<tr id=\"{row}\"")) && found.contains("page 2 of 2"), "{found}");
    assert!(found.contains(&format!("href=\"#{row}\"")) && !found.contains(&link), "{found}");
    let gone = browser.page(&format!("/queues/{queue}?item=S-102"));
    assert!(gone.contains("There is no item <code><bdi>S-102</bdi></code> in this queue"), "{gone}");
    // An export has no second page.
    repo.wf(&["web", "--export", "pages"]).ok();
    let exported = repo.read("pages/queues.html");
    assert!(exported.contains(&format!("href=\"queues/{queue}.html#{row}\"")), "{exported}");
    assert_eq!(rows(&repo.read(&format!("pages/queues/{queue}.html"))), 101);
}
