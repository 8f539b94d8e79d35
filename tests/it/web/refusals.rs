//! What a form keeps and says when others change the store meanwhile, and when it is refused.

use super::Served;
use crate::support::{Sandbox, plan, plan_on};

#[test]
fn an_invisible_character_comes_back_from_a_form_as_it_was() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.wf(&["new", "shy\u{ad}\"hyphen", "--id", "ISS-001", "-m", "pasted\u{200b}text"]).ok();
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let page = browser.page("/issues/ISS-001");
    for field in [
        "name=\"was_text\" value=\"pasted&#8203;text\"",
        "name=\"was_title\" value=\"shy&#173;&quot;hyphen\"",
        "name=\"title\" value=\"shy&#173;&quot;hyphen\"",
        "\npasted&#8203;text</textarea>",
    ] {
        assert!(page.contains(field), "{field}: {page}");
    }
    // Elsewhere it is shown.
    assert!(page.contains("pasted\\u{200b}text"), "{page}");
}
