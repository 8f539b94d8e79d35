//! Clients that keep connections open.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::{Page, Served};
use crate::support::{Repo, Sandbox};

/// A repository with a comment that is larger than what the system takes from the server for a client that reads nothing, and
/// the address of that comment.
fn with_large_comment(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("code");
        for issue in ["ISS-001", "ISS-002"] {
            repo.issue(issue);
        }
        let text = "word ".repeat(LARGE / 5);
        repo.wf_in(&text, &["comment", "ISS-001", "-F", "-"]).ok();
        let comments = repo.json(&["show", "ISS-001"]);
        let path = format!("/issues/ISS-001/comments/{}", comments["comments"][0]["id"].as_str().unwrap());
        (repo, path)
    })
}

/// The size of the large comment, in bytes.
const LARGE: usize = 10_000_000;

/// A client whose connection is kept open.
struct Client<'a> {
    served: &'a Served,
    reader: BufReader<TcpStream>,
}

impl<'a> Client<'a> {
    /// Asks for a page, and reads nothing.
    fn asking(served: &'a Served, path: &str) -> Self {
        let mut client = Self { served, reader: BufReader::new(served.connect()) };
        client.ask(path);
        client
    }

    fn ask(&mut self, path: &str) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.served.host);
        self.reader.get_mut().write_all(request.as_bytes()).unwrap();
    }

    /// Reads the head of a page; returns the length of its body.
    fn head(&mut self) -> usize {
        let mut length = 0;
        for line in self.reader.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()) {
            if let Some(text) = line.strip_prefix("content-length: ") {
                length = text.parse().unwrap();
            }
        }
        length
    }

    fn read(&mut self, length: usize) {
        self.reader.read_exact(&mut vec![0; length]).unwrap();
    }

    /// Whether the answer begins within a tenth of a second.
    fn is_answered(&mut self) -> bool {
        self.reader.get_mut().set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        match self.reader.fill_buf() {
            Ok(read) => {
                assert!(!read.is_empty(), "closed without an answer");
                true
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) => panic!("no answer: {error}"),
        }
    }
}

#[test]
fn readers_of_large_pages_leave_the_others_alone() {
    let sandbox = Sandbox::new();
    let (repo, path) = with_large_comment(&sandbox);
    let served = Served::of(&repo, &[]);
    let _readers: Vec<_> = (0..6).map(|n| Client::asking(&served, &format!("{path}?n={n}"))).collect();
    for (page, most) in [("/issues", 4), ("/issues/ISS-002", 4)] {
        let begin = Instant::now();
        assert_ne!(served.browser().get(page).status, 500);
        assert!(begin.elapsed() < Duration::from_secs(most), "{page}: {:?}", begin.elapsed());
    }
    // Once readers that stall are given up, which is long before they would have to make way for others.
    let begin = Instant::now();
    assert_ne!(served.browser().get("/files/none").status, 500);
    assert!(begin.elapsed() < Duration::from_secs(45), "{:?}", begin.elapsed());
}

#[test]
fn slow_readers_for_whom_many_wait_are_given_up() {
    let sandbox = Sandbox::new();
    let (repo, path) = with_large_comment(&sandbox);
    let served = Served::of(&repo, &[]);
    let mut slow: Vec<_> = (0..4).map(|n| Client::asking(&served, &format!("{path}?n={n}"))).collect();
    for it in &mut slow {
        it.head();
    }
    // More than the server keeps at once, all of which wait for those.
    let _others: Vec<_> = (0..300).map(|n| Client::asking(&served, &format!("/files/none?n={n}"))).collect();
    let mut waiting = Client::asking(&served, "/issues");
    let mut read = 0;
    while !waiting.is_answered() {
        for it in &mut slow {
            // It ends when its connection is closed.
            let _ = it.reader.read_exact(&mut [0; 8_000]);
        }
        read += 8_000;
    }
    assert!(read < LARGE / 2, "only once they had read {read} bytes");
}

#[test]
fn who_reads_steadily_is_not_cut_off() {
    let sandbox = Sandbox::new();
    let (repo, path) = with_large_comment(&sandbox);
    let served = Served::of(&repo, &[]);
    // They read no more than that they are being answered, so no other large page is begun until they are given up.
    let stalled = |name: &str| -> Vec<Client<'_>> {
        let mut all: Vec<_> =
            (0..4).map(|n| Client::asking(&served, &format!("{path}?{name}={n}"))).collect();
        for it in &mut all {
            it.head();
        }
        all
    };
    let _before = stalled("before");
    // One page for two clients. One reads it at once and keeps its connection; the other one reads slowly.
    let (mut quick, mut slow) = (Client::asking(&served, &path), Client::asking(&served, &path));
    let length = quick.head();
    quick.read(length);
    let mut rest = slow.head();
    // Now others wait for a large page.
    let _others: Vec<_> = (0..4).map(|n| Client::asking(&served, &format!("{path}?other={n}"))).collect();
    let mut waiting = Client::asking(&served, "/files/none");
    while !waiting.is_answered() {
        quick.ask("/issues/new");
        let length = quick.head();
        quick.read(length);
        slow.read(8_000);
        rest -= 8_000;
    }
    // It had not been read to its end, for which the others could have waited.
    assert!(rest > LARGE / 3, "{rest}");
    slow.read(rest);
    quick.ask("/issues/new");
    assert!(quick.head() > 0);
}

#[test]
fn who_reads_a_page_makes_no_room_for_other_connections() {
    let sandbox = Sandbox::new();
    let (repo, path) = with_large_comment(&sandbox);
    let served = Served::of(&repo, &[]);
    let mut reader = Client::asking(&served, &path);
    let length = reader.head();
    // More than the server keeps at once. The last one is accepted after all the others.
    let _idle: Vec<_> = (0..400).map(|_| served.connect()).collect();
    served.browser().page("/issues");
    reader.read(length);
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
