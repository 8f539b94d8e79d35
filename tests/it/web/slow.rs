//! Clients that keep connections open.

use std::io::Write;

use super::{Page, Served};
use crate::support::Sandbox;

#[test]
fn connections_that_say_nothing_do_not_keep_others_out() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    // Each starts a request and never completes it. They take all connections of the server.
    let idle: Vec<_> = (0..256)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    // It is answered once the others have timed out.
    served.browser().page("/issues");
    for stream in idle.into_iter().take(3) {
        assert!([0, 408].contains(&Page::read(stream).status));
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
