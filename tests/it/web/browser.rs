//! A server for a repository, and a small client that opens a connection per request.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::support::Repo;

/// A test that would hang fails after this time instead.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub(crate) struct Served {
    child: Child,
    /// `127.0.0.1:8417`
    pub(crate) host: String,
    /// The token in the address, if there is one.
    pub(crate) token: Option<String>,
}

impl Served {
    /// Starts a server on a free port.
    pub(crate) fn of(repo: &Repo, options: &[&str]) -> Self {
        let arguments = [&["web", "--port", "0"], options].concat();
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), &arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("not an address: {line}"));
        let (host, query) = rest.split_once('/').unwrap();
        let token = query.strip_prefix("?token=").map(str::to_owned);
        Self { child, host: host.to_owned(), token }
    }

    /// Opens a connection without sending anything.
    pub(crate) fn connect(&self) -> TcpStream {
        let port = self.host.rsplit_once(':').unwrap().1;
        let stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends this head and body verbatim, and reads the answer.
    pub(crate) fn raw(&self, head: &str, body: &str) -> Page {
        let mut stream = self.connect();
        // A server that refuses a request need not read all of it; then the rest cannot be sent.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        Page::read(stream)
    }

    /// A browser without a cookie.
    pub(crate) fn browser(&self) -> Browser<'_> {
        Browser { served: self, cookie: None }
    }

    /// A browser that has opened the address that the server printed, with its token.
    pub(crate) fn writer(&self) -> Browser<'_> {
        let token = self.token.as_ref().unwrap();
        let first = self.browser().get(&format!("/?token={token}"));
        let cookie = first.header("set-cookie").unwrap();
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
        Browser { served: self, cookie: cookie.split(';').next().map(str::to_owned) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client that keeps a cookie.
pub(crate) struct Browser<'a> {
    served: &'a Served,
    pub(crate) cookie: Option<String>,
}

impl Browser<'_> {
    fn head(&self, request: &str) -> String {
        let cookie = self.cookie.as_ref().map(|cookie| format!("Cookie: {cookie}\r\n")).unwrap_or_default();
        format!("{request} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{cookie}", self.served.host)
    }

    pub(crate) fn get(&self, path: &str) -> Page {
        self.served.raw(&self.head(&format!("GET {path}")), "")
    }

    /// Gets a page that must exist.
    #[track_caller]
    pub(crate) fn page(&self, path: &str) -> String {
        let page = self.get(path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        page.body
    }

    /// Sends a form from a page of the server.
    pub(crate) fn send(&self, op: &str, from: &str, fields: &[(&str, &str)]) -> Page {
        let origin = format!("http://{}", self.served.host);
        self.send_as(op, &origin, &[&[("page", from)], fields].concat())
    }

    /// Sends a form as a page of `origin` would.
    pub(crate) fn send_as(&self, op: &str, origin: &str, fields: &[(&str, &str)]) -> Page {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let body = body.join("&");
        let head = format!(
            "{}Origin: {origin}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            self.head(&format!("POST /do/{op}")),
            body.len()
        );
        self.served.raw(&head, &body)
    }
}

/// Percent-encodes everything except ASCII letters and digits.
fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Page {
    /// Reads an answer; its status is 0 if the connection ends without one.
    pub(crate) fn read(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        // A connection that is closed before all was read is reset.
        let line = |reader: &mut BufReader<TcpStream>| {
            let mut line = String::new();
            match reader.read_line(&mut line) {
                Ok(_) => line,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => String::new(),
                Err(error) => panic!("no answer: {error}"),
            }
        };
        let status = line(&mut reader).split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let mut headers = Vec::new();
        while let Some((name, value)) = line(&mut reader).trim_end().split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut page = Self { status, headers, body: String::new() };
        let mut bytes = Vec::new();
        if let Some(length) = page.header("content-length").and_then(|it| it.parse().ok()) {
            bytes.resize(length, 0);
            reader.read_exact(&mut bytes).unwrap();
        }
        page.body = String::from_utf8(bytes).unwrap();
        page
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
