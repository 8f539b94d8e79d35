//! Saved queries on the page of issues.

use super::Served;
use crate::support::Sandbox;

#[test]
fn saved_queries_are_links_or_say_why_they_cannot_be_read() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    repo.git(&["config", "wf.query.mine", "--tag wave-1 --priority=high"]).ok();
    let saved = browser.page("/issues");
    assert!(saved.contains("href=\"/issues?tag=wave-1&amp;priority=high\">@mine</a>"), "{saved}");
    repo.git(&["config", "wf.query.both", "@mine -s planned"]).ok();
    let saved = browser.page("/issues");
    let both = "href=\"/issues?tag=wave-1&amp;priority=high&amp;status=planned\">@both</a>";
    assert!(saved.contains(both), "{saved}");
    // One that cannot be read is named with the reason.
    repo.git(&["config", "wf.query.odd", "--frob"]).ok();
    repo.git(&["config", "wf.query.cut", "--tag 'x"]).ok();
    let saved = browser.page("/issues");
    assert!(
        saved.contains("@<bdi>odd</bdi> cannot be read: <code>--frob</code> is not an option"),
        "{saved}"
    );
    assert!(
        saved.contains("@<bdi>cut</bdi> cannot be read: ") && saved.contains("has an unclosed quote"),
        "{saved}"
    );
    for (options, why) in [
        ("--waiting --unblocked", "<code>waiting</code> and <code>unblocked</code> cannot be combined"),
        ("--mine --assignee a", "<code>mine</code> and <code>assignee</code> cannot be combined"),
        ("--assignee a --assignee b", "<code>--assignee</code> is given more than once"),
        ("-s sleeping", "<code>sleeping</code> is not a status"),
        ("--since soonish", "<code>soonish</code> is not a date"),
    ] {
        repo.git(&["config", "wf.query.odd", options]).ok();
        repo.wf(&["list", "@odd"]).fails(2);
        let saved = browser.page("/issues");
        assert!(saved.contains(&format!("@<bdi>odd</bdi> cannot be read: {why}")), "{options}: {saved}");
    }
    for (query, why) in [
        ("waiting=1&unblocked=1", "<code>waiting</code> and <code>unblocked</code> cannot be combined"),
        ("assignee=a&assignee=b", "<code>assignee</code> is given more than once"),
    ] {
        let refused = browser.page(&format!("/issues?{query}"));
        assert!(refused.contains(why) && !refused.contains("No issue matches"), "{refused}");
    }
}
