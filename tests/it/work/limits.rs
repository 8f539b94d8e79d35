//! Hosts with a rate limit: their messages are understood, the waits are kept, and pushes are saved.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::support::{REF, Repo, Sandbox};

/// A hub with a queue of `count` items, and a clone of it.
fn world(sandbox: &Sandbox, count: usize) -> (Repo, Repo) {
    sandbox.begin(&count, |sandbox| {
        let hub = sandbox.bare("hub");
        hub.git(&["config", "core.logAllRefUpdates", "always"]).ok();
        let clone = sandbox.clone(&hub, "clone");
        clone.commit("a.txt", "a\n", "Begin");
        clone.wf(&["init"]).ok();
        for n in 0..count {
            clone.queued(&format!("ISS-{n:03}"), &format!("src/{n}.rs"));
        }
        clone.wf(&["sync"]).ok();
        (hub, clone)
    })
}

fn hook(hub: &Repo, text: &str) {
    let path = hub.path().join("hooks/pre-receive");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\necho >>tried\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn lines(path: PathBuf) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

/// How many times the hub's ref has moved.
fn pushes(hub: &Repo) -> usize {
    lines(hub.path().join("logs").join(REF))
}

const DONE: [&str; 4] = ["done", "--force", "--reason", "a test"];

#[test]
fn a_refusal_for_a_moment_is_waited_out() {
    let sandbox = Sandbox::new();
    let (hub, clone) = world(&sandbox, 2);
    hook(&hub, "[ -e once ] || { touch once; echo 'Too many requests. Retry-After: 1' >&2; exit 1; }");
    let ran = clone.wf(&["next"]).ok();
    assert!(ran.stdout.contains("ISS-000"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("`origin` limits the rate of requests, so this waited 1 s"),
        "{}",
        ran.stderr
    );
    assert_eq!((lines(hub.path().join("tried")), hub.tip()), (2, clone.tip()));
    std::fs::remove_file(hub.path().join("once")).unwrap();
    assert_eq!(clone.wf(&["new", "More"]).code, 0);
    assert_eq!(clone.json(&["sync"])["waited_seconds"], 1);
}

#[test]
fn nobody_asks_again_before_the_time_that_the_host_named() {
    let sandbox = Sandbox::new();
    let (hub, clone) = world(&sandbox, 2);
    hook(&hub, "echo 'Too many requests, try again in 30 minutes' >&2; exit 1");
    let before = hub.tip();
    for args in [&["next"][..], &["sync"], &["pull"], &["push"], &["next"]] {
        let ran = clone.wf(&[args, &["--json"]].concat()).fails(1);
        let error = ran.json_error();
        assert_eq!(error["code"], "too-many-requests", "{args:?}: {error:#}");
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains("try again in 30 minutes"), "{args:?}: {error:#}");
        assert_eq!(hint.contains("next --local"), args[0] == "next", "{args:?}: {error:#}");
    }
    assert_eq!((lines(hub.path().join("tried")), hub.tip()), (1, before));
    // Local work is kept, and published when the host allows it.
    clone.wf(&["next", "--local"]).ok();
    std::fs::remove_file(state(&clone)).unwrap();
    hook(&hub, "");
    clone.wf(&["sync"]).ok();
    assert_eq!(hub.tip(), clone.tip());
}

#[test]
fn words_about_a_limit_in_a_hint_of_a_hook_are_no_limit() {
    let sandbox = Sandbox::new();
    let (hub, clone) = world(&sandbox, 1);
    hook(
        &hub,
        "echo 'error: `ISS-000` (Too many requests) has no plan' >&2; echo 'hint: add one' >&2; exit 1",
    );
    clone.wf(&["new", "More"]).ok();
    assert_eq!(clone.wf(&["sync", "--json"]).fails(1).json_error()["code"], "declined");
}

#[test]
fn the_header_of_a_web_server_says_how_long_to_wait() {
    let sandbox = Sandbox::new();
    let (hub, clone) = world(&sandbox, 2);
    let host = Host::of(&sandbox, &hub, &clone);
    host.refuses(1, "429 Too Many Requests\r\nRetry-After: 2");
    let ran = clone.wf(&["next"]).ok();
    assert!(ran.stderr.contains("waited 2 s"), "{}", ran.stderr);
    assert_eq!(hub.tip(), clone.tip());
    let known = std::fs::read_to_string(state(&clone)).unwrap();
    assert!(known.contains("\"until\":0"), "{known}");
}

#[test]
fn every_form_in_which_a_web_server_limits_requests_is_understood() {
    let sandbox = Sandbox::new();
    let (hub, clone) = world(&sandbox, 1);
    let host = Host::of(&sandbox, &hub, &clone);
    let in_an_hour = chrono::Utc::now() + chrono::Duration::hours(1);
    let date = in_an_hour.format("Retry-After: %a, %d %b %Y %H:%M:%S GMT").to_string();
    for status in ["429 Too Many Requests", "403 Forbidden", "503 Service Unavailable"] {
        for header in ["Retry-After: 3600", "retry-after: 3600", &date] {
            host.refuses(usize::MAX, &format!("{status}\r\n{header}"));
            is_limited_for_an_hour(&clone, &format!("{status} {header}"));
        }
    }
    for (status, code) in [("403 Forbidden", "credentials"), ("503 Service Unavailable", "unreachable")] {
        host.refuses(usize::MAX, status);
        assert_eq!(clone.wf(&["next", "--json"]).fails(1).json_error()["code"], code, "{status}");
    }
}

#[test]
fn words_over_ssh_are_understood_as_a_limit() {
    let sandbox = Sandbox::new();
    let (_, clone) = world(&sandbox, 1);
    let ssh = sandbox.root().join("ssh.sh");
    clone.git(&["config", "core.sshCommand", &format!("sh '{}'", ssh.display())]).ok();
    clone.git(&["remote", "set-url", "origin", "ssh://git@example.org/hub"]).ok();
    let says = |words: &str| std::fs::write(&ssh, format!("echo '{words}' >&2; exit 255\n")).unwrap();
    for words in [
        "remote: ERROR: This endpoint has been requested too many times. Try again in 60 minutes.",
        "Too many requests. Retry-After: 3600",
        "GitLab: You have exceeded the rate limit. Please wait 1 hour.",
        "rate limited, try again in 1h",
    ] {
        says(words);
        is_limited_for_an_hour(&clone, words);
    }
    for (words, code) in [
        ("kex_exchange_identification: Connection closed by remote host", "unreachable"),
        ("git@example.org: Permission denied (publickey).", "credentials"),
    ] {
        says(words);
        assert_eq!(clone.wf(&["next", "--json"]).fails(1).json_error()["code"], code, "{words}");
    }
}

fn state(clone: &Repo) -> PathBuf {
    clone.path().join(".git/wf/turnstile/origin%2Fmain/state.json")
}

/// A claim is refused because of a limit that lasts an hour, which is then forgotten.
#[track_caller]
fn is_limited_for_an_hour(clone: &Repo, form: &str) {
    let error = clone.wf(&["next", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "too-many-requests", "{form}: {error:#}");
    assert!(error["hint"].as_str().unwrap().contains("try again in 60 minutes"), "{form}: {error:#}");
    std::fs::remove_file(state(clone)).unwrap();
}

#[test]
fn ends_and_renewals_wait_for_the_next_claim() {
    let sandbox = Sandbox::new();
    let (hub, clone) = world(&sandbox, 3);
    clone.git(&["config", "wf.pushInterval", "1h"]).ok();
    let before = pushes(&hub);
    for n in 0..3 {
        assert_eq!(clone.json(&["next"])["issue_id"], format!("ISS-{n:03}"));
        let published = hub.tip();
        clone.wf(&["lease", "renew"]).ok();
        let ran = clone.wf(&DONE).ok();
        assert!(ran.stderr.contains("this is pushed to `origin` with the next claim"), "{}", ran.stderr);
        assert_eq!(hub.tip(), published);
    }
    assert_eq!(pushes(&hub), before + 3);
    // An executor that stops because the queue is empty leaves nothing unpublished.
    clone.wf(&["next"]).fails(3);
    assert_eq!((pushes(&hub), hub.tip()), (before + 4, clone.tip()));
}

#[test]
fn an_end_does_not_wait_for_longer_than_the_lease_that_others_see() {
    let sandbox = Sandbox::new();
    let (hub, clone) = world(&sandbox, 1);
    clone.git(&["config", "wf.pushInterval", "1h"]).ok();
    clone.git(&["config", "wf.lease", "30m"]).ok();
    clone.wf(&["next"]).ok();
    clone.wf(&DONE).ok();
    assert_eq!(hub.tip(), clone.tip());
    clone.git(&["config", "wf.pushInterval", "soon"]).ok();
    clone.queued("ISS-009", "src/9.rs");
    clone.wf(&["next"]).ok();
    let refused = clone.wf(&DONE).fails(1).stderr;
    assert!(refused.contains("wf.pushInterval"), "{refused}");
    assert_eq!(clone.status("ISS-009"), "executing");
}

/// A web server with the repositories of a sandbox.
struct Host(Arc<Mutex<(usize, String)>>);

impl Host {
    /// Serves like git does over HTTP, and becomes the remote of `clone`.
    fn of(sandbox: &Sandbox, hub: &Repo, clone: &Repo) -> Self {
        hub.git(&["config", "http.receivepack", "true"]).ok();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hub", listener.local_addr().unwrap());
        clone.git(&["remote", "set-url", "origin", &url]).ok();
        let root = sandbox.root().to_owned();
        let refusals = Arc::<Mutex<(usize, String)>>::default();
        let host = Self(Arc::clone(&refusals));
        // The thread ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let refusal = {
                    let mut refusals = refusals.lock().unwrap();
                    let left = refusals.0.checked_sub(1);
                    left.map(|left| {
                        refusals.0 = left;
                        refusals.1.clone()
                    })
                };
                // A client may have disconnected.
                let _ = answer(stream.unwrap(), &root, refusal.as_deref());
            }
        });
        host
    }

    /// The next `count` requests get this status, with these headers.
    fn refuses(&self, count: usize, head: &str) {
        *self.0.lock().unwrap() = (count, head.to_owned());
    }
}

fn answer(mut stream: TcpStream, root: &Path, refusal: Option<&str>) -> std::io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    input.read_line(&mut first)?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut backend = Command::new("git");
    backend.arg("http-backend").env("GIT_PROJECT_ROOT", root).env("GIT_HTTP_EXPORT_ALL", "1");
    backend.env("REQUEST_METHOD", method).env("PATH_INFO", path).env("QUERY_STRING", query);
    backend.env("REMOTE_ADDR", "127.0.0.1").env("GIT_CONFIG_NOSYSTEM", "1");
    let mut length = 0;
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "content-type" => drop(backend.env("CONTENT_TYPE", value)),
            "content-encoding" => drop(backend.env("HTTP_CONTENT_ENCODING", value)),
            "git-protocol" => drop(backend.env("GIT_PROTOCOL", value)),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    if let Some(head) = refusal {
        let end = "Content-Length: 0\r\nConnection: close";
        return stream.write_all(format!("HTTP/1.1 {head}\r\n{end}\r\n\r\n").as_bytes());
    }
    let mut child = backend
        .env("CONTENT_LENGTH", length.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    child.stdin.take().unwrap().write_all(&body)?;
    let reply = child.wait_with_output()?.stdout;
    let status = String::from_utf8_lossy(&reply[..reply.len().min(64)]).into_owned();
    let status =
        status.strip_prefix("Status: ").and_then(|it| it.lines().next()).unwrap_or("200 OK").to_owned();
    stream.write_all(format!("HTTP/1.1 {status}\r\nConnection: close\r\n").as_bytes())?;
    stream.write_all(&reply)
}
