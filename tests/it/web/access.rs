//! Access rules: the server's names, the token, and forms from other sites.

use super::Served;
use crate::support::Sandbox;

fn request(host: &str, more: &str) -> String {
    format!("GET /issues/ISS-001 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}")
}

#[test]
fn a_name_that_was_made_to_lead_here_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &["--write"]);
    let port = served.host.rsplit_once(':').unwrap().1;
    for host in [&served.host, &format!("localhost:{port}")] {
        assert_eq!(served.raw(&request(host, ""), "").status, 200, "{host}");
    }
    for host in [&format!("evil.example:{port}"), "127.0.0.1", "localhost", "evil.example", ""] {
        let page = served.raw(&request(host, ""), "");
        assert_eq!(page.status, 421, "{host}: {}", page.body);
        assert!(!page.body.contains("ISS-001"));
    }
    // A server in between may go by the other name.
    let own = &served.host;
    for head in [
        format!("GET /issues/ISS-001 HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n"),
        format!("GET http://evil.example/issues/ISS-001 HTTP/1.1\r\nHost: {own}\r\n"),
    ] {
        assert_eq!(served.raw(&format!("{head}Connection: close\r\n"), "").status, 421, "{head}");
    }
    let without = served.raw("GET / HTTP/1.1\r\nConnection: close\r\n", "");
    assert!([400, 421].contains(&without.status), "{}", without.status);
}

#[test]
fn a_page_of_another_site_can_link_and_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let port = served.host.rsplit_once(':').unwrap().1;
    let asked = |mode: &str, destination: &str| {
        let more = format!(
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {destination}\r\n"
        );
        let head = format!("GET /issues HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{more}");
        served.raw(&head, "").status
    };
    assert_eq!(asked("navigate", "document"), 200);
    for (mode, destination) in [("navigate", "iframe"), ("no-cors", "image"), ("cors", "empty")] {
        assert_eq!(asked(mode, destination), 403, "{mode} {destination}");
    }
}

#[test]
fn an_address_that_leads_nowhere_has_a_page_and_a_long_one_has_none() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let page = served.browser().get("/nothing");
    assert_eq!(page.status, 404);
    assert!(
        page.body.contains("there is no such page") && page.body.contains("href=\"/issues\""),
        "{}",
        page.body
    );
    assert_eq!(served.browser().get(&format!("/issues?q={}", "a".repeat(9_000))).status, 414);
}

#[test]
fn a_page_may_load_nothing_but_its_own_files() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let page = served.browser().get("/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
    assert_eq!(page.header("access-control-allow-origin"), None);
    for word in [" style=", " onclick=", "<script>", "<style", "javascript:"] {
        assert!(!page.body.contains(word), "{word}");
    }
    let asset = page.body.split("<script src=\"").nth(1).unwrap().split('"').next().unwrap();
    let script = served.browser().get(asset);
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert!(script.header("cache-control").unwrap().contains("immutable"));
}

#[test]
fn only_who_has_the_token_writes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &["--write"]);
    let stranger = served.browser();
    assert!(!stranger.page("/issues/ISS-001").contains("method=\"post\""));
    let comment = [("issue", "ISS-001"), ("body", "from elsewhere")];
    let tip = repo.tip();
    assert_eq!(stranger.send("comment", "/issues/ISS-001", &comment).status, 401);
    let mut guess = served.browser();
    guess.cookie = served.writer().cookie.map(|cookie| format!("{}x", &cookie[..cookie.len() - 1]));
    assert_eq!(guess.send("comment", "/issues/ISS-001", &comment).status, 401);
    assert!(stranger.get("/?token=wrong").header("set-cookie").is_none());
    let writer = served.writer();
    let port = served.host.rsplit_once(':').unwrap().1;
    for origin in [
        "null",
        "http://evil.example",
        &format!("http://localhost:{port}"),
        &format!("https://{}", served.host),
    ] {
        assert_eq!(writer.send_as("comment", origin, &comment).status, 403, "{origin}");
    }
    // A GET with a cookie changes nothing, whatever its path.
    assert_eq!(writer.get("/do/comment?issue=ISS-001&body=x").status, 404);
    assert_eq!(repo.tip(), tip);
    assert_eq!(writer.send("comment", "/issues/ISS-001", &comment).status, 303);
    assert_ne!(repo.tip(), tip);
}

#[test]
fn a_server_that_is_read_only_has_no_forms_and_no_token() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &[]);
    assert_eq!(served.token, None);
    let browser = served.browser();
    assert!(!browser.page("/issues/ISS-001").contains("method=\"post\""));
    let sent = browser.send("comment", "/issues/ISS-001", &[("issue", "ISS-001"), ("body", "x")]);
    assert_eq!(sent.status, 403);
}

#[test]
fn other_machines_need_the_token_for_everything() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &["--listen", "0.0.0.0"]);
    assert!(served.token.is_some());
    let stranger = served.browser();
    for path in ["/", "/issues/ISS-001", "/events", "/go?q=ISS-001"] {
        assert_eq!(stranger.get(path).status, 401, "{path}");
    }
    let reader = served.writer();
    let page = reader.page("/issues/ISS-001");
    assert!(page.contains("ISS-001") && !page.contains("method=\"post\""), "{page}");
    assert_eq!(reader.send("comment", "/", &[("issue", "ISS-001"), ("body", "x")]).status, 403);
}

#[test]
fn the_token_leaves_the_address() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &["--write"]);
    let token = served.token.as_ref().unwrap();
    let page = served.browser().get(&format!("/issues?token={token}&q=x"));
    assert!(
        page.body.contains("content=\"0; url=/issues?q=x\"") && !page.body.contains(token.as_str()),
        "{}",
        page.body
    );
    assert!(!served.writer().page("/").contains(token.as_str()));
}
