//! Open pages are notified of changes of the store.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use super::Served;
use crate::support::Sandbox;

fn listen(served: &Served) -> BufReader<TcpStream> {
    let mut stream = served.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", served.host).unwrap();
    let mut reader = BufReader::new(stream);
    until(&mut reader, "retry:");
    reader
}

/// Reads until a line that starts with `begin`.
fn until(reader: &mut BufReader<TcpStream>, begin: &str) {
    let mut line = String::new();
    while !line.starts_with(begin) {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ended before {begin}");
    }
}

#[test]
fn every_listener_is_told_of_what_another_process_writes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let mut listeners: Vec<_> = (0..50).map(|_| listen(&served)).collect();
    for n in 0..2 {
        // A change at the moment when the server starts watching is reported by the next check.
        served.browser().page("/");
        std::thread::scope(|scope| {
            let told: Vec<_> =
                listeners.iter_mut().map(|it| scope.spawn(|| until(it, "event: moved"))).collect();
            let mut k = 0;
            while told.iter().any(|it| !it.is_finished()) {
                repo.wf(&["new", &format!("issue {n} {k}")]).ok();
                k += 1;
            }
        });
    }
}

#[test]
fn too_many_listeners_leave_the_pages_alone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let served = Served::of(&repo, &[]);
    let listeners: Vec<_> = (0..128).map(|_| listen(&served)).collect();
    assert_eq!(served.browser().get("/events").status, 503);
    served.browser().page("/issues");
    drop(listeners);
}
