//! The board in tmux, which draws screens of its own.

use std::time::{Duration, Instant};

use crate::support::{Repo, Sandbox};

/// A server of tmux of its own, which ends with the test.
struct Tmux(Repo);

impl Tmux {
    fn run(&self, args: &[&str]) -> String {
        self.0.sh(&[&["-c", "exec tmux -f /dev/null \"$@\"", "sh"], args].concat()).stdout
    }

    fn types(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    /// What it shows once it shows `words`.
    #[track_caller]
    fn until(&self, words: &str) -> String {
        let begin = Instant::now();
        loop {
            let shown = self.run(&["capture-pane", "-p"]);
            if shown.contains(words) {
                return shown;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "no `{words}` in\n{shown}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn in_tmux_it_fits_60_columns_and_leaves_the_screen_as_it_was() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    if repo.sh(&["-c", "command -v tmux"]).code != 0 {
        eprintln!("skipped: tmux is not installed");
        return;
    }
    repo.issue("ISS-001");
    let repo = repo.with_env("TMUX_TMPDIR", sandbox.root().to_str().unwrap());
    let tmux = Tmux(repo.with_env("TERM", "xterm-256color").with_env("PS1", "ready> "));
    tmux.run(&["new-session", "-d", "-x", "60", "-y", "30", "sh"]);
    tmux.types(&["echo bef''ore", "Enter"]);
    tmux.until("before");
    tmux.types(&["git wf board", "Enter"]);
    tmux.until("ISS-001");
    tmux.types(&["?"]);
    let shown = tmux.until("another column");
    assert!(!shown.contains('…') && shown.contains("#api"), "{shown}");
    tmux.types(&["Escape"]);
    tmux.until("About ISS-001");
    assert_eq!(tmux.run(&["display-message", "-p", "#{alternate_on}"]), "1\n");
    tmux.types(&["q"]);
    let shown = tmux.until("before");
    assert!(!shown.contains("About ISS-001"), "{shown}");
    assert_eq!(tmux.run(&["display-message", "-p", "#{alternate_on}"]), "0\n");
}
