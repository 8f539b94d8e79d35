//! Commits whose messages name other work than their links.

use super::{claimed, findings, start, tested};
use crate::support::Sandbox;

#[test]
fn a_trailer_that_contradicts_the_link_is_an_error_until_someone_links_the_commit_by_hand() {
    for (trailer, stated) in [
        ("Wf-Solution: SOL-G-2-xxxx", "Wf-Solution: SOL-G-2-xxxx"),
        ("Wf-Issue: G-2", "Wf-Issue: G-2"),
        ("Wf-Task: T7", "Wf-Task: T7"),
    ] {
        let sandbox = Sandbox::new();
        let repo = start(&sandbox);
        let solution = claimed(&repo, "G-1", &tested("a.txt", &["true"]));
        repo.write("a.txt", "two\n");
        // As a program commits that runs no hook.
        let message = format!("work\n\n{trailer}\n");
        repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-qam", &message]).ok();
        assert!(repo.git(&["log", "-1", "--format=%B"]).ok().stdout.contains(trailer));
        repo.wf(&["hook", "post-commit"]).ok();
        repo.wf(&["verify", "--yes"]).ok();
        let audit = repo.json(&["audit"]);
        let wrong = format!("its message says `{stated}`, but it is linked to T1 of `{solution}`");
        assert_eq!(findings(&audit), [("false_trailer".into(), "fault".into(), wrong)], "{audit:#}");
        repo.wf(&["audit", "--strict"]).fails(1);
        let traced = repo.wf(&["trace", "HEAD"]).ok().stdout;
        assert!(traced.contains(&format!("implements task T1 of {solution}")), "{traced}");
        repo.wf(&["link", "--remove", "HEAD"]).ok();
        repo.wf(&["link", "HEAD", "G-1", "--task", "T1"]).ok();
        let audit = repo.json(&["audit"]);
        assert_eq!(findings(&audit)[0].1, "note", "{audit:#}");
        repo.wf(&["audit", "--strict"]).ok();
    }
}
