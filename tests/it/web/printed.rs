//! What `web` prints while it serves.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::support::{Repo, Sandbox};

/// The first line that a server prints, and what else it printed before it was stopped.
fn printed(repo: &Repo, options: &[&str]) -> (String, String) {
    let arguments = [&["web", "--port", "0"], options].concat();
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), &arguments);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || out.lines().try_for_each(|line| send.send(line.unwrap())));
    let first = lines.recv_timeout(Duration::from_secs(60));
    if let Ok(line) = &first {
        // It listens before it prints.
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap();
        TcpStream::connect(address).unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    (first.unwrap(), lines.iter().collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_program_reads_the_address_while_it_serves() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let (line, rest) = printed(&repo, &["--json", "--write"]);
    let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(answer["address"].as_str().unwrap().contains("/?token="), "{line}");
    assert_eq!(rest, "");
}

#[test]
fn with_quiet_there_is_only_the_address() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    assert_eq!(printed(&repo, &["-q", "--write"]).1, "");
    let loud = printed(&repo, &["--write"]).1;
    assert!(loud.contains("token") && loud.contains("Ctrl-C"), "{loud}");
}

#[test]
fn an_address_in_use_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = repo.refused(1, &["web", "--port", &address.port().to_string()]);
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("cannot listen on `{address}`: ")), "{message}");
}
