//! Lists of any length, in pages.

use serde_json::json;

use super::Served;
use crate::support::{Repo, Sandbox};

/// How many comments the issue has.
const MANY: usize = 120;

/// A repository with an issue that has many comments.
fn discussed(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("code");
        let comment = |n: usize| {
            let at = format!("2026-01-02T{:02}:{:02}:00Z", n / 60, n % 60);
            json!({"id": n, "author": "Ada", "text": format!("Comment {n}."), "created_at": at})
        };
        let bead = json!({"id": "bd-1", "title": "Discussed", "status": "open", "priority": 2, "issue_type": "bug",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-03T00:00:00Z",
            "comments": (0..MANY).map(comment).collect::<Vec<_>>()});
        repo.write("all.jsonl", bead.to_string());
        repo.wf(&["import", "beads", "all.jsonl"]).ok();
        repo
    })
}

/// The numbers of the comments on a page.
fn comments(page: &str) -> Vec<usize> {
    let found = page.split("Comment ").skip(1).filter_map(|rest| rest.split('.').next()?.parse().ok());
    found.collect()
}

/// The address of the next page of the lists.
fn next(page: &str) -> Option<String> {
    Some(page.split("rel=\"next\" href=\"").nth(1)?.split('"').next()?.to_owned())
}

#[test]
fn an_issue_has_its_comments_in_pages_the_latest_first() {
    let sandbox = Sandbox::new();
    let repo = discussed(&sandbox);
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let (mut path, mut seen) = (Some("/issues/bd-1".to_owned()), Vec::new());
    while let Some(it) = path {
        let page = browser.page(&it);
        assert!(page.contains(&format!("Comments <span class=\"count\">{MANY}</span>")), "{page}");
        // Only the first page has the forms.
        assert_eq!(page.contains("/do/comment"), seen.is_empty(), "{it}");
        seen.push(comments(&page));
        path = next(&page);
    }
    let expected: Vec<Vec<usize>> = vec![(70..120).collect(), (20..70).collect(), (0..20).collect()];
    assert_eq!(seen, expected);
}

/// The file to which a relative link of a file leads.
fn resolved(from: &str, to: &str) -> String {
    let mut path: Vec<&str> = from.split('/').collect();
    path.pop();
    for part in to.split('/') {
        match part {
            ".." => assert!(path.pop().is_some(), "{to} in {from} leads out"),
            "." => {}
            name => path.push(name),
        }
    }
    path.join("/")
}

#[test]
fn beyond_its_last_page_a_list_leads_back() {
    let sandbox = Sandbox::new();
    let repo = discussed(&sandbox);
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let page = browser.page("/issues/bd-1?page=9");
    assert!(page.contains("rel=\"prev\" href=\"/issues/bd-1?page=3\""), "{page}");
    let page = browser.page("/conflicts?page=2");
    assert!(page.contains("rel=\"prev\" href=\"/conflicts?page=1\""), "{page}");
}

#[test]
fn an_export_has_every_page_of_a_list() {
    let sandbox = Sandbox::new();
    let repo = discussed(&sandbox);
    repo.wf(&["web", "--export", "pages"]).ok();
    let (mut path, mut seen) = (Some("issues/bd-1.html".to_owned()), Vec::new());
    while let Some(it) = path {
        let page = repo.read(&format!("pages/{it}"));
        seen.extend(comments(&page));
        path = next(&page).map(|to| resolved(&it, &to));
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..MANY).collect::<Vec<_>>());
}

#[test]
fn a_long_list_comes_in_pages() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let bead = |n| {
        json!({"id": format!("bd-{n}"), "title": format!("Issue {n}"), "status": "open", "priority": 2, "issue_type": "bug",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"})
    };
    let lines: Vec<String> = (0..250).map(|n| bead(n).to_string()).collect();
    repo.write("all.jsonl", lines.join("\n"));
    repo.wf(&["import", "beads", "all.jsonl"]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let mut seen = std::collections::BTreeSet::new();
    let mut next = Some("/issues".to_owned());
    while let Some(path) = next {
        let page = browser.page(&path);
        let rows: Vec<&str> = page.split("href=\"/issues/bd-").skip(1).collect();
        assert!(rows.len() <= 100, "{path}");
        seen.extend(rows.iter().map(|row| row.split('"').next().unwrap().to_owned()));
        let link = page.split("rel=\"next\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
        next = link.map(|link| link.replace("&amp;", "&"));
    }
    assert_eq!(seen.len(), 250);
    assert!(browser.page("/issues?page=999999999999999999999").contains("Issues"));
}

#[test]
fn what_the_overview_leaves_out_is_in_a_list() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let bead = |n: usize| {
        let on = (n >= 20)
            .then(|| json!({"issue_id": format!("bd-{n}"), "depends_on_id": "bd-0", "type": "blocks"}));
        json!({"id": format!("bd-{n}"), "title": format!("Issue {n}"), "status": "open", "priority": 2, "issue_type": "bug",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z", "dependencies": on.into_iter().collect::<Vec<_>>()})
    };
    let lines: Vec<String> = (0..50).map(|n| bead(n).to_string()).collect();
    repo.write("all.jsonl", lines.join("\n"));
    repo.wf(&["import", "beads", "all.jsonl"]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let overview = browser.page("/");
    for (filter, expected, first) in [("unblocked", 20, 0), ("waiting", 30, 20)] {
        let link = format!("<a href=\"/issues?{filter}=1\">and {} more</a>", expected - 12);
        assert!(overview.contains(&link), "{overview}");
        let page = browser.page(&format!("/issues?{filter}=1"));
        let rows: Vec<usize> = page
            .split("href=\"/issues/bd-")
            .skip(1)
            .filter_map(|row| row.split('"').next()?.parse().ok())
            .collect();
        assert_eq!((rows.len(), rows.iter().min()), (expected, Some(&first)), "{page}");
    }
}
