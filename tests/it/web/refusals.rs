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

#[test]
fn a_refusal_is_shown_even_if_its_form_is_gone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.queued("ISS-001", "a.txt");
    repo.queued("ISS-002", "b.txt");
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    assert!(browser.page("/queues").contains("action=\"/do/queue-hold\""));
    repo.wf(&["queue", "remove", "S-1"]).ok();
    let hold = [("form", "queue-hold:S-1"), ("item", "S-1"), ("reason", "wait for <the> others")];
    let sent = browser.send("queue-hold", "/queues", &hold);
    let refusals = |body: &str| body.matches("class=\"refusal\"").count();
    assert_eq!((sent.status, refusals(&sent.body)), (422, 1), "{}", sent.body);
    assert!(sent.body.contains("wait for &lt;the&gt; others"), "{}", sent.body);
    // Nor does it matter whether the page of the form is there.
    for (op, page, fields) in [
        ("nosuch", "/", vec![("form", "nosuch:")]),
        (
            "comment",
            "/issues/ISS-009",
            vec![("form", "comment:"), ("issue", "ISS-009"), ("body", "half a word")],
        ),
    ] {
        let sent = browser.send(op, page, &fields);
        assert_eq!(sent.status / 100, 4, "{op}");
        let message = sent.body.split("class=\"refusal\"").nth(1).unwrap();
        assert!(!message.is_empty(), "{op}: {}", sent.body);
        assert_eq!(sent.body.contains("half a word"), op == "comment", "{}", sent.body);
    }
    // The plan was withdrawn meanwhile, so that the form on the page is another one.
    let plan =
        repo.wf_in(plan_on("x.txt").to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    repo.wf(&["solution", "withdraw", &plan, "-m", "superseded"]).ok();
    let page = format!("/plans/{plan}");
    let sent = browser.send("withdraw", &page, &[("form", "withdraw:"), ("solution", &plan)]);
    assert_eq!((sent.status, refusals(&sent.body)), (422, 1), "{}", sent.body);
    let form = sent.body.split("action=\"/do/withdraw\"").nth(1).unwrap();
    assert_eq!(refusals(form), 0, "{}", sent.body);
    // A form that is on the page shows it itself, once; also a fault of a field that nobody can see.
    for fields in [
        vec![("form", "queue-hold:S-2"), ("item", "S-2"), ("reason", " ")],
        vec![("form", "queue-hold:S-2"), ("reason", "x")],
    ] {
        let sent = browser.send("queue-hold", "/queues", &fields);
        assert_eq!((sent.status, refusals(&sent.body)), (422, 1), "{}", sent.body);
        let form = sent.body.split("<details open><summary>Hold</summary>").nth(1).unwrap();
        assert_eq!(refusals(form), 1, "{}", sent.body);
    }
}

#[test]
fn a_refused_binding_is_explained_at_its_plan() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.planned("ISS-001", &plan());
    let other =
        repo.wf_in(plan_on("x.txt").to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let form = format!("bind:{other}");
    let sent = browser.send("bind", "/issues/ISS-001", &[("form", &form), ("solution", &other)]);
    assert_eq!(sent.status, 422, "{}", sent.body);
    let plan =
        sent.body.split(&format!("id=\"{other}\"")).nth(1).unwrap().split("</article>").next().unwrap();
    assert_eq!(
        (plan.matches("class=\"refusal\"").count(), sent.body.matches("class=\"refusal\"").count()),
        (1, 1)
    );
}

#[test]
fn an_issue_moves_only_where_it_is_told_to() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next"]).ok();
    repo.done();
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    for page in ["/issues/ISS-001", "/board"] {
        let page = browser.page(page);
        let choice = page.split("name=\"status\">").nth(1).unwrap().split("</select>").next().unwrap();
        let options = "<option value=\"completed\" selected>completed</option><option value=\"reopen\">reopen</option>\
            <option value=\"closed\">closed</option>";
        assert_eq!(choice, options);
    }
    let send = |status: &str| {
        let fields = [("form", "move:ISS-001"), ("issue", "ISS-001"), ("status", status)];
        browser.send("move", "/board", &fields)
    };
    assert_eq!(send("completed").status, 303);
    assert_eq!(repo.status("ISS-001"), "completed");
    // A plan is bound to it.
    let sent = send("registered");
    assert_eq!((sent.status, repo.status("ISS-001")), (422, "completed".to_owned()), "{}", sent.body);
    assert!(sent.body.contains("leads to <code>planned</code>"), "{}", sent.body);
    assert_eq!(send("reopen").status, 303);
    assert_eq!(repo.status("ISS-001"), "planned");
    repo.wf(&["close", "ISS-001"]).ok();
    assert_eq!(send("planned").status, 303);
    assert_eq!(repo.status("ISS-001"), "planned");
    // A paused one that was queued goes back to the queue.
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["edit", "ISS-001", "--status", "paused"]).ok();
    assert_eq!(send("planned").status, 422);
    assert_eq!(send("queued").status, 303);
    assert_eq!(repo.status("ISS-001"), "queued");
}

#[test]
fn feedback_is_given_on_the_page_of_the_issue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let plan = repo.planned("ISS-001", &plan());
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let page = browser.page("/issues/ISS-001");
    assert!(page.contains("action=\"/do/feedback\""), "{page}");
    let fields = [
        ("form", "feedback:"),
        ("issue", "ISS-001"),
        ("type", "rejection"),
        ("solution", &plan),
        ("content", "it cuts\r\ntoo much"),
    ];
    let sent = browser.send("feedback", "/issues/ISS-001", &fields);
    assert_eq!(sent.status, 303, "{}", sent.body);
    let feedback = &repo.json(&["show", "ISS-001"])["feedback"][0];
    assert_eq!((&feedback["type"], &feedback["content"]), (&"rejection".into(), &"it cuts\ntoo much".into()));
    let wrong = browser.send(
        "feedback",
        "/issues/ISS-001",
        &[("form", "feedback:"), ("issue", "ISS-001"), ("type", "praise"), ("content", "x")],
    );
    assert!(wrong.status == 422 && wrong.body.contains("<code>praise</code>"), "{}", wrong.body);
}
