//! Records that try to attack the browser.

use serde_json::json;

use super::Served;
use crate::support::{Repo, Sandbox, foreign, plan_on};

const SCRIPT: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";

/// Asserts that no text of a record became markup.
#[track_caller]
fn harmless(page: &str, path: &str) {
    for sign in [
        "<script>",
        "<img",
        "onerror=alert(2)>\"",
        "href=\"javascript:",
        "href=\"data:",
        "<iframe",
        "<b>bold",
        "\u{202e}",
        "\u{1b}",
        "\u{200b}",
    ] {
        assert!(!page.contains(sign), "{path} has {sign:?}: {page}");
    }
}

/// A store in which every text is hostile.
fn poisoned(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("a.txt", "a\n", "Begin");
        let text = format!(
            "{SCRIPT}\n\n[link](javascript:alert(3)) [more](JaVaScRiPt:alert(4)) ![x](javascript:alert(5)) <javascript:alert(6)>\n\n\
             [data](data:text/html,x) [ok](https://example.org/?a=\"b)\n\n<iframe src=x></iframe> <b>bold</b>\n\n\u{202e}drow\u{200b}\n\n\
             # heading\n\n```\n{SCRIPT}\n```\n\n[a [b](https://b.example)](https://a.example) ISS-001 [ISS-001](https://c.example)"
        );
        let mut plan = plan_on("a.txt");
        plan["description"] = json!(text);
        plan["tasks"][0]["title"] = json!(format!("{SCRIPT} \u{202e}"));
        plan["tasks"][0]["implementation"] = json!([SCRIPT, text]);
        let solution = repo.planned("ISS-001", &plan);
        repo.wf(&["edit", "ISS-001", "-m", &text, "--assignee", SCRIPT]).ok();
        foreign::edit(&repo, "ISS-001", "title", format!("{SCRIPT} \u{202e}\u{1b}[2J"), 1);
        foreign::edit(&repo, "ISS-001", "source_url", "javascript:alert(7)", 2);
        foreign::edit(&repo, "ISS-001", "expected_behavior", text.clone(), 3);
        repo.wf(&["comment", "ISS-001", "-m", &text]).ok();
        repo.wf(&["feedback", "ISS-001", "-m", &text]).ok();
        repo.as_person(SCRIPT.replace(['<', '>'], "").as_str(), "x@example.org")
            .wf(&["comment", "ISS-001", "-m", "x"])
            .ok();
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        let _ = solution;
        repo.commit("a.txt", &format!("{SCRIPT}\n"), &format!("{SCRIPT} \u{202e}"));
        repo.done().ok();
        repo
    })
}

#[test]
fn nothing_of_a_record_is_markup() {
    let sandbox = Sandbox::new();
    let repo = poisoned(&sandbox);
    let served = Served::of(&repo, &["--write"]);
    let browser = served.writer();
    let issue = repo.json(&["show", "ISS-001"]);
    let id = |kind: &str| issue[kind][0]["id"].as_str().unwrap().to_owned();
    let commit = issue["executions"][0]["commits"][0]["hash"].as_str().unwrap().to_owned();
    let history = browser.page("/history");
    let steps = history.split("href=\"/history/").skip(1).map(|it| it.split('"').next().unwrap().to_owned());
    let mut paths: Vec<String> = steps.map(|step| format!("/history/{step}")).collect();
    paths.extend(
        ["/", "/issues?all=1", "/board", "/queues", "/executions", "/audit", "/history", "/files/a.txt"]
            .map(str::to_owned),
    );
    paths.extend([
        "/issues/ISS-001".to_owned(),
        format!("/plans/{}", id("solutions")),
        format!("/executions/{}", id("executions")),
    ]);
    paths.push(format!("/plans/{}/diff", id("solutions")));
    paths.push(format!("/commits/{commit}"));
    for path in &paths {
        harmless(&browser.page(path), path);
    }
    let page = browser.page("/issues/ISS-001");
    assert!(page.contains("\\u{202e}drow\\u{200b}"), "what is invisible is shown: {page}");
    assert!(page.contains("href=\"https://example.org/?a=%22b\""), "{page}");
}

#[test]
fn what_is_typed_into_the_address_is_not_markup() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let typed = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27%3E";
    for path in [
        "/issues?q=",
        "/issues?status=",
        "/issues?since=",
        "/board?tag=",
        "/audit?range=",
        "/history?id=",
        "/files?path=",
        "/go?q=",
    ] {
        let page = browser.get(&format!("{path}{typed}"));
        assert!(!page.body.contains("<script>alert"), "{path}: {}", page.body);
    }
    // Nothing that git could take for an option reaches git.
    for path in [
        "/audit?range=--output=stolen",
        "/audit?range=-p",
        "/history?since=--help",
        "/plans/SOL-ISS-1-1/diff?from=--help",
    ] {
        browser.get(path);
    }
    assert!(!repo.path().join("stolen").exists());
}

#[test]
fn a_comment_of_ten_megabytes_is_cut_with_a_link_to_the_rest() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let text = format!("{}\n<script>end</script>\n", "word ".repeat(2_000_000));
    repo.wf_in(&text, &["comment", "ISS-001", "-F", "-"]).ok();
    let served = Served::of(&repo, &[]);
    let browser = served.browser();
    let page = browser.page("/issues/ISS-001");
    assert!(page.len() < 100_000, "{}", page.len());
    let link = page.split("href=\"/issues/ISS-001/comments/").nth(1).unwrap().split('"').next().unwrap();
    let whole = browser.get(&format!("/issues/ISS-001/comments/{link}"));
    assert_eq!(whole.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(whole.body.len() >= text.trim_end().len() && whole.body.ends_with("</script>"));
}

#[test]
fn requests_that_are_not_http_end() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &["--write"]);
    let host = format!("Host: {}\r\nConnection: close\r\n", served.host);
    let long = "x".repeat(200_000);
    for (head, statuses) in [
        ("nonsense\r\n".to_owned(), &[400, 0][..]),
        (format!("GET /{long} HTTP/1.1\r\n{host}"), &[400, 414, 431, 0]),
        (format!("GET / HTTP/1.1\r\n{host}X: {long}\r\n"), &[431, 0]),
        (format!("GET /issues/../../etc/passwd HTTP/1.1\r\n{host}"), &[404]),
        (format!("GET /%00 HTTP/1.1\r\n{host}"), &[404]),
        (format!("DELETE /issues HTTP/1.1\r\n{host}"), &[405]),
        (format!("OPTIONS /do/comment HTTP/1.1\r\n{host}Origin: http://evil.example\r\n"), &[405]),
        (format!("POST /do/comment HTTP/1.1\r\n{host}Content-Length: 3\r\n"), &[401]),
    ] {
        let page = served.raw(&head, "");
        assert!(statuses.contains(&page.status), "{} for {}", page.status, head.get(..60).unwrap_or(&head));
    }
    // The server still answers.
    served.browser().page("/");
}

#[test]
fn a_form_that_is_too_large_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &["--write"]);
    let writer = served.writer();
    let tip = repo.tip();
    // The server reads all of it, so that a browser sees the answer.
    for megabytes in [5, 12] {
        let body = "x".repeat(megabytes * 1024 * 1024);
        let sent = writer.send("comment", "/", &[("issue", "ISS-001"), ("body", &body)]);
        assert_eq!(sent.status, 413, "{megabytes} MB");
    }
    assert_eq!(repo.tip(), tip);
}
