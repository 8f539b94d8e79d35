//! Clients that keep connections open.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use super::{Page, Served};
use crate::support::Sandbox;

#[test]
fn readers_of_large_pages_leave_the_others_alone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for issue in ["ISS-001", "ISS-002"] {
        repo.issue(issue);
    }
    // More than the system takes from the server for a client that reads nothing.
    let text = "word ".repeat(2_000_000);
    repo.wf_in(&text, &["comment", "ISS-001", "-F", "-"]).ok();
    let comments = repo.json(&["show", "ISS-001"]);
    let path = format!("/issues/ISS-001/comments/{}", comments["comments"][0]["id"].as_str().unwrap());
    let served = Served::of(&repo, &[]);
    let _readers: Vec<_> = (0..6)
        .map(|n| {
            let mut stream = served.connect();
            write!(stream, "GET {path}?n={n} HTTP/1.1\r\nHost: {}\r\n\r\n", served.host).unwrap();
            stream
        })
        .collect();
    // Until readers that stall are given up, or cut off since others wait for a large page.
    for (page, most) in [("/issues", 4), ("/issues/ISS-002", 4), ("/files/none", 15)] {
        let begin = Instant::now();
        assert_ne!(served.browser().get(page).status, 500);
        assert!(begin.elapsed() < Duration::from_secs(most), "{page}: {:?}", begin.elapsed());
    }
}

#[test]
fn connections_that_say_nothing_make_room_for_others() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    // Each starts a request and never completes it. They are more than the server keeps at once.
    let idle: Vec<_> = (0..400)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    served.browser().page("/issues");
    // The oldest were closed; none of them was answered.
    for mut stream in idle.into_iter().take(3) {
        let mut answer = Vec::new();
        // A connection that is closed before all was read is reset.
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(String::from_utf8_lossy(&answer), "");
    }
}

#[test]
fn a_form_that_never_ends_is_given_up() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let served = Served::of(&repo, &["--write"]);
    let cookie = served.writer().cookie.unwrap();
    let tip = repo.tip();
    let mut stream = served.connect();
    write!(
        stream,
        "POST /do/comment HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {cookie}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nissue=ISS-001&body=half",
        served.host
    )
    .unwrap();
    assert_eq!(Page::read(stream).status, 408);
    assert_eq!(repo.tip(), tip);
}
