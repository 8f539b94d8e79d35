//! What forms change, and how they report errors.

use super::Served;
use crate::support::{Sandbox, plan};

#[test]
fn an_issue_is_created_edited_moved_and_commented_on() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let fields = [
        ("title", "Words are cut"),
        ("text", "one\r\ntwo"),
        ("priority", "high"),
        ("tags", "a, b"),
        ("depends_on", ""),
    ];
    let made = browser.send("new", "/issues/new", &fields);
    assert_eq!(made.status, 303, "{}", made.body);
    let path = made.header("location").unwrap().to_owned();
    let id = path.strip_prefix("/issues/").unwrap();
    let issue = repo.json(&["show", id]);
    assert_eq!((&issue["title"], &issue["context"]), (&"Words are cut".into(), &"one\ntwo".into()));
    assert_eq!((&issue["priority"], issue["tags"].as_array().unwrap().len()), (&2.into(), 2));
    // Someone else changes the description in the meantime; only fields that differ from the form are written.
    repo.wf(&["edit", id, "-m", "three"]).ok();
    let edited = [
        ("issue", id),
        ("was_title", "Words are cut"),
        ("title", "Words are cut off"),
        ("was_text", "one\ntwo"),
        ("text", "one\r\ntwo"),
        ("was_tags", "a, b"),
        ("tags", "b, c"),
        ("was_priority", "high"),
        ("priority", "high"),
    ];
    assert_eq!(browser.send("edit", &path, &edited).header("location"), Some(&*path));
    let issue = repo.json(&["show", id]);
    assert_eq!((&issue["title"], &issue["context"]), (&"Words are cut off".into(), &"three".into()));
    assert_eq!(issue["tags"], serde_json::json!(["b", "c"]));
    browser.send("comment", &path, &[("issue", id), ("body", "I see **it**, too")]);
    assert!(browser.page(&path).contains("I see <strong>it</strong>, too"));
    for (to, status) in [("paused", "paused"), ("registered", "registered"), ("closed", "closed")] {
        let sent = browser.send("move", "/board", &[("issue", id), ("status", to), ("reason", "because")]);
        assert_eq!((sent.status, sent.header("location")), (303, Some("/board")), "{to}: {}", sent.body);
        assert_eq!(repo.status(id), status);
    }
}

/// What a browser makes of the text of a text area, and sends back.
fn sent_back(page: &str, name: &str) -> String {
    let area = page.split(&format!(" name=\"{name}\" rows")).nth(1).unwrap().split_once('>').unwrap().1;
    let mut rest = area.split("</textarea>").next().unwrap().strip_prefix('\n').unwrap();
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once('&') {
        let (reference, after) = after.split_once(';').unwrap();
        text.push_str(before);
        text.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#0" => '\u{fffd}',
            number => match number.strip_prefix('#').unwrap().parse().unwrap() {
                c1 @ 0x80..=0x9f => panic!("a browser takes &#{c1}; for a character of windows-1252"),
                code => char::from_u32(code).unwrap(),
            },
        });
        rest = after;
    }
    text.push_str(rest);
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n")
}

#[test]
fn an_edited_text_keeps_every_character_that_nobody_edited() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let hidden = ('\0'..='\u{9f}').filter(|c| c.is_control() && *c != '\n' && *c != '\r').collect::<String>();
    let text = format!(
        "\n\n  a {hidden}\u{a0}\u{ad}\u{200b}\u{202e}\u{2028}\u{feff}\u{fffe}\u{fe0f}\u{10ffff} &#155; \
         </textarea>\r\nb\rc\n\r\nthe end"
    );
    repo.issue("ISS-001");
    repo.wf_in(&text, &["edit", "ISS-001", "-F", "-"]).ok();
    let stored = || repo.json(&["show", "ISS-001"])["context"].as_str().unwrap().to_owned();
    assert_eq!(stored(), text);
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let was = sent_back(&browser.page("/issues/ISS-001"), "text");
    let send = |typed: &str, status| {
        let form = [("issue", "ISS-001"), ("was_text", &*was), ("text", typed)];
        let sent = browser.send("edit", "/issues/ISS-001", &form);
        assert_eq!(sent.status, status, "{}", sent.body);
    };
    send(&was, 422);
    assert_eq!(stored(), text);
    // Two edits, with characters between them that a browser does not send back.
    let edited = |text: &str| text.replace("the end", "the very end").replacen("  a ", "  an ", 1);
    send(&edited(&was), 303);
    assert_eq!(stored(), edited(&text));
    // The form shows an older text.
    send(&was.replace("the end", "an end"), 422);
    assert_eq!(stored(), edited(&text));
}

#[test]
fn what_someone_wrote_meanwhile_is_not_replaced_unseen() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    repo.wf(&["edit", "ISS-001", "-m", "the first text"]).ok();
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let form = browser.page("/issues/ISS-001");
    let name = form.split("name=\"form\" value=\"edit:").nth(1).unwrap().split('"').next().unwrap();
    let name = format!("edit:{name}");
    repo.wf(&["edit", "ISS-001", "-m", "the text of someone else"]).ok();
    let send = |was: &str| {
        let fields = [("form", &*name), ("issue", "ISS-001"), ("was_text", was), ("text", "my own text")];
        browser.send("edit", "/issues/ISS-001", &fields)
    };
    let refused = send("the first text");
    assert_eq!(refused.status, 422);
    for part in [
        "someone changed the description of <code>",
        "name=\"was_text\" value=\"the text of someone else\"",
        "\nmy own text</textarea>",
    ] {
        assert!(refused.body.contains(part), "{part}: {}", refused.body);
    }
    let stored = || repo.json(&["show", "ISS-001"])["context"].as_str().unwrap().to_owned();
    assert_eq!(stored(), "the text of someone else");
    // Now it was seen.
    assert_eq!(send("the text of someone else").status, 303);
    assert_eq!(stored(), "my own text");
    // The same for a field of one line, and for one that has a choice.
    repo.wf(&["edit", "ISS-001", "--title", "Their title", "--assignee", "bea", "-p", "low"]).ok();
    let tip = repo.tip();
    for (field, words, was, new, now) in [
        ("title", "title", "Issue ISS-001", "My title", "Their title"),
        ("assignee", "assignee", "", "ada", "bea"),
        ("priority", "priority", "medium", "high", "low"),
    ] {
        let was_name = format!("was_{field}");
        let fields = [("form", &*name), ("issue", "ISS-001"), (&*was_name, was), (field, new)];
        let refused = browser.send("edit", "/issues/ISS-001", &fields);
        assert_eq!(refused.status, 422, "{field}");
        for part in [
            format!("someone changed the {words} of <code>"),
            format!("name=\"was_{field}\" value=\"{now}\""),
        ] {
            assert!(refused.body.contains(&part), "{part}: {}", refused.body);
        }
    }
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_refusal_stands_at_its_field_with_what_was_typed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let tip = repo.tip();
    let fields = [("form", "new:"), ("title", ""), ("text", "a <b>long</b> text"), ("tags", "x")];
    let page = browser.send("new", "/issues/new", &fields);
    assert_eq!(page.status, 422);
    assert!(page.body.contains("a &lt;b&gt;long&lt;/b&gt; text"), "{}", page.body);
    let (before, after) = page.body.split_once("the title is empty").unwrap();
    assert!(
        before.contains("name=\"title\"")
            && !before.contains("name=\"text\"")
            && after.contains("name=\"text\"")
    );
    assert!(before.contains("aria-invalid=\"true\""));
    let empty = browser.send(
        "comment",
        "/issues/ISS-001",
        &[("form", "comment:"), ("issue", "ISS-001"), ("body", " ")],
    );
    assert!(empty.status == 422 && empty.body.contains("the comment is empty"), "{}", empty.body);
    let illegal = browser.send(
        "move",
        "/board",
        &[("form", "move:ISS-001"), ("issue", "ISS-001"), ("status", "queued")],
    );
    assert!(illegal.status == 422 && illegal.body.contains("class=\"refusal\""), "{}", illegal.body);
    for (op, fields) in [
        ("unknown", vec![]),
        ("comment", vec![("body", "x")]),
        ("move", vec![("issue", "ISS-001"), ("status", "x")]),
    ] {
        assert_eq!(browser.send(op, "/", &fields).status, 422, "{op}");
    }
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_form_leads_back_to_a_page_of_this_server_only() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    for (n, page) in
        ["//evil.example/", "http://evil.example/", "/\\evil.example", "/x\r\nSet-Cookie: a=b", "/go?q=x"]
            .iter()
            .enumerate()
    {
        let body = format!("comment {n}");
        let sent = browser.send("comment", page, &[("issue", "ISS-001"), ("body", &body)]);
        assert_eq!((sent.status, sent.header("location")), (303, Some("/")), "{page}");
    }
}

#[test]
fn a_plan_is_bound_reviewed_queued_ordered_held_and_removed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let first = repo.planned("ISS-001", &plan());
    repo.planned("ISS-002", &plan());
    let bea = repo.as_person("Bea", "bea@example.org");
    let served = Served::of(&bea, &["--write"]);
    let browser = served.writer();
    let page = format!("/plans/{first}");
    let digest = repo.json(&["show", &first])["plan_digest"].as_str().unwrap().to_owned();
    let scores = [
        ("solution", &*first),
        ("digest", &*digest),
        ("technical", "90"),
        ("risk", "85"),
        ("completeness", "80"),
        ("findings", "one\r\n\r\ntwo"),
    ];
    let sent = browser.send("review", &page, &scores);
    assert_eq!(sent.status, 303, "{}", sent.body);
    let reviewed = repo.json(&["show", &first]);
    assert_eq!(
        (&reviewed["review"], &reviewed["reviews"][0]["findings"]),
        (&"approved".into(), &serde_json::json!(["one", "two"]))
    );
    let wrong = browser.send(
        "review",
        &page,
        &[
            ("form", "review:"),
            ("solution", &first),
            ("digest", &digest),
            ("technical", "101"),
            ("risk", "1"),
            ("completeness", "1"),
        ],
    );
    assert!(wrong.status == 422 && wrong.body.contains("<code>101</code> is not a score"), "{}", wrong.body);
    for issue in ["ISS-001", "ISS-002"] {
        assert_eq!(browser.send("queue-add", &page, &[("issue", issue)]).status, 303);
    }
    let items = || repo.items().into_iter().map(|it| it.0).collect::<Vec<_>>();
    let before = items();
    let sent =
        browser.send("queue-order", "/queues", &[("item", "S-2"), ("beside", "S-1"), ("side", "before")]);
    assert_eq!(sent.status, 303, "{}", sent.body);
    assert_eq!(items(), before.iter().rev().cloned().collect::<Vec<_>>());
    assert_eq!(browser.send("queue-hold", "/queues", &[("item", "S-1"), ("reason", "not yet")]).status, 303);
    assert!(browser.page("/queues").contains("not yet"));
    assert_eq!(browser.send("queue-release", "/queues", &[("item", "S-1")]).status, 303);
    assert_eq!(browser.send("queue-remove", "/queues", &[("item", "S-1")]).status, 303);
    assert_eq!(items().len(), 1);
}

#[test]
fn a_failed_issue_is_queued_again_and_a_claim_released() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next"]).ok();
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    assert_eq!(browser.send("lease-release", "/queues", &[("item", "S-1")]).status, 303);
    assert_eq!(repo.status("ISS-001"), "queued");
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", "no"]).ok();
    assert_eq!(browser.send("retry", "/issues/ISS-001", &[("issue", "ISS-001")]).status, 303);
    assert_eq!(repo.status("ISS-001"), "queued");
}
