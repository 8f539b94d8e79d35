//! That links lead somewhere, that nothing is left out silently, and that input is not ignored.

use super::Served;
use super::pages::worked;
use crate::support::{Sandbox, plan_on};

#[test]
fn the_id_of_an_item_leads_to_its_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.queued("ISS-001", "a.txt");
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let tip = repo.tip().unwrap();
    let step = browser.page(&format!("/history/{tip}"));
    let mut links = step.split("href=\"/queues/").skip(1).map(|rest| rest.split('"').next().unwrap());
    let row = links.find(|link| link.contains('#')).unwrap_or_else(|| panic!("{step}"));
    let (queue, anchor) = row.split_once('#').unwrap();
    assert!(anchor.ends_with("-S-1") && !step.contains("/issues/S-1"), "{step}");
    assert!(browser.page(&format!("/queues/{queue}")).contains(&format!("id=\"{anchor}\"")), "{row}");
}

#[test]
fn an_issue_shows_its_reviews_and_its_commits() {
    let sandbox = Sandbox::new();
    let (repo, commit) = worked(&sandbox);
    let plan = repo.json(&["show", "ISS-001"])["solutions"][0]["id"].as_str().unwrap().to_owned();
    let bea = repo.as_person("Bea", "bea@example.org");
    bea.wf(&["solution", "review", &plan, "--technical", "90", "--risk", "80", "--completeness", "70"]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let page = browser.page("/issues/ISS-001");
    let part = |name: &str| {
        let list = page.split(&format!("aria-label=\"{name}\">")).nth(1).unwrap_or_else(|| panic!("{page}"));
        list.split("</ul>").next().unwrap().to_owned()
    };
    let reviews = part("reviews");
    assert!(reviews.contains(">Bea</span>") && reviews.contains("technical 90"), "{reviews}");
    let commits = part("commits");
    assert!(commits.contains(&format!("href=\"/commits/{commit}\"")), "{commits}");
    assert!(commits.contains("Write a line"), "{commits}");
}

#[test]
fn a_file_that_a_plan_will_make_is_not_a_link_yet() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    let there = repo.planned("ISS-001", &plan_on("a.txt"));
    let later = repo.planned("ISS-002", &plan_on("b/later.txt"));
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    assert!(browser.page(&format!("/plans/{there}")).contains("href=\"/files/a.txt\""));
    let page = browser.page(&format!("/plans/{later}"));
    assert!(page.contains("<code>b/later.txt</code>") && !page.contains("href=\"/files/b"), "{page}");
    repo.commit("b/later.txt", "b\n", "Go on");
    assert!(browser.page(&format!("/plans/{later}")).contains("href=\"/files/b/later.txt\""));
}

#[test]
fn a_hash_of_another_kind_in_a_text_is_no_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let commit = repo.commit("a.txt", "a\n", "Begin");
    let longer = format!("{commit}{}", &commit[..24]);
    repo.issue("ISS-001");
    repo.wf(&["comment", "ISS-001", "-m", &format!("{commit} {longer} {}", &longer[..41])]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    for _ in 0..2 {
        let page = browser.page("/issues/ISS-001");
        assert_eq!(page.matches(&format!("href=\"/commits/{commit}\"")).count(), 1, "{page}");
        // Git takes the beginning of it for a hash.
        assert_ne!(browser.get(&format!("/commits/{longer}")).status, 500);
        for name in [longer.clone(), format!("v1-2-g{longer}")] {
            let traced = repo.wf(&["trace", &name]);
            assert!(traced.code <= 1 && !traced.stderr.contains("panicked"), "{}", traced.stderr);
        }
        // Ids in packs are compared in another way.
        repo.git(&["gc", "--quiet"]).ok();
    }
}

#[test]
fn what_cannot_be_shown_is_named() {
    let sandbox = Sandbox::new();
    let (repo, _) = worked(&sandbox);
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    for (path, word) in
        [("/files?path=../x", "../x"), ("/issues?sort=zzz", "zzz"), ("/issues?sort=title_at", "title_at")]
    {
        let page = browser.page(path);
        assert!(
            page.contains(&format!("class=\"refusal\" role=\"alert\"><p><code>{word}</code> is not")),
            "{page}"
        );
    }
    let open = browser.page("/issues?sort=closed_at");
    assert!(open.contains("Only open issues are listed, and they have no closing time."), "{open}");
    let all = browser.page("/issues?sort=closed&all=1");
    assert!(!all.contains("no closing time") && all.contains("<th>Closed</th>"), "{all}");
    assert_eq!(browser.get("/history/deadbeef").status, 404);
    let file = browser.page("/files/src/a.rs");
    assert!(file.contains("1 of 2 lines from a plan"), "{file}");
    let audit = browser.page("/audit");
    assert!(audit.contains("1 of 1 commit linked (100%)"), "{audit}");
}

#[test]
fn a_long_audit_comes_in_pages() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let commit = |n: usize| {
        let text = format!("Step {n}");
        format!(
            "commit refs/heads/long\ncommitter A <a@example.org> {n} +0000\ndata {}\n{text}\n",
            text.len()
        )
    };
    repo.git_in((0..1_004).map(|n| commit(100_000_000 + n)).collect::<String>(), &["fast-import", "--quiet"])
        .ok();
    let served = Served::of(&repo, &[]);
    let rows = |page: usize| {
        let page = served.browser().page(&format!("/audit?range=long&page={page}"));
        assert!(page.contains(" of 3</span>"), "{page}");
        page.matches("Step 1").count()
    };
    assert_eq!([rows(1), rows(2), rows(3)], [500, 500, 4]);
}
