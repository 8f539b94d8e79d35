//! That links lead somewhere, that nothing is left out silently, and that input is not ignored.

use super::Served;
use super::pages::worked;
use crate::support::{Sandbox, plan_on};

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
    assert!(reviews.contains(">Bea</span>") && reviews.contains("<strong>"), "{reviews}");
    let commits = part("commits");
    assert!(commits.contains(&format!("href=\"/commits/{commit}\"")), "{commits}");
    assert!(commits.contains("Write a line"), "{commits}");
}
