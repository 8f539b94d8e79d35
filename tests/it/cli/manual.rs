//! Help and manual pages, where people look for them.

use std::path::Path;
use std::process::Command;

use crate::support::{Repo, Sandbox};

/// The program as `cargo install` leaves it: in its own `bin`, which is on the PATH.
fn installed(sandbox: &Sandbox) -> Repo {
    let bin = sandbox.root().join("home/.cargo/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_git-wf"), bin.join("git-wf")).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(bin).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    sandbox.repo("a").with_env("PATH", path.to_str().unwrap())
}

fn has_man() -> bool {
    Command::new("man").arg("--version").output().is_ok_and(|ran| ran.status.success())
}

#[test]
fn the_pages_are_put_where_man_looks() {
    let sandbox = Sandbox::new();
    let repo = installed(&sandbox);
    let answer: serde_json::Value = repo.git(&["wf", "setup", "--json"]).ok().json();
    let pages = &answer["parts"][0];
    let folder = sandbox.root().join("home/.cargo/share/man");
    assert_eq!(
        Path::new(pages["place"].as_str().unwrap()).canonicalize().unwrap(),
        folder.canonicalize().unwrap()
    );
    for page in ["man1/git-wf.1", "man1/git-wf-queue-add.1", "man5/gitwf-format.5", "man7/gitwf-tutorial.7"] {
        let written = std::fs::read(folder.join(page)).unwrap();
        let name = page.rsplit('/').next().unwrap();
        assert_eq!(
            written,
            std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("man").join(name)).unwrap()
        );
    }
    // A page of a command that no longer exists is removed; files that are not ours stay.
    let gone = folder.join("man1/git-wf-lost.1");
    std::fs::write(&gone, ".TH git-wf-lost 1\n.SH NAME\ngit\\-wf\\-lost\n").unwrap();
    for other in ["git-wfx.1", "git-wf-mine.1"] {
        std::fs::write(folder.join("man1").join(other), "of another program").unwrap();
    }
    let again = repo.git(&["wf", "setup"]).ok().stdout;
    assert!(!gone.exists());
    assert!(folder.join("man1/git-wfx.1").exists() && folder.join("man1/git-wf-mine.1").exists());
    assert!(again.starts_with("installed ") && again.contains(" manual pages in "), "{again}");
    if !has_man() {
        eprintln!("skipped: there is no man here");
        return;
    }
    assert_eq!(pages.get("to_do"), None, "man finds it");
    for args in [&["help", "wf"][..], &["wf", "--help"]] {
        let shown = repo.with_env("MANPAGER", "cat").with_env("MANWIDTH", "80").git(args).ok().stdout;
        assert!(shown.contains("JSON ANSWERS") && shown.contains("git-wf-queue(1)"), "{args:?}: {shown}");
    }
}

#[test]
fn the_pages_can_be_put_below_another_folder() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a").without_env("HOME");
    let answer = repo.wf(&["setup", "--manual", "pages", "--json"]).ok().json();
    assert!(repo.path().join("pages/man1/git-wf.1").exists(), "{answer}");
    assert_eq!(answer["parts"].as_array().unwrap().len(), 1, "{answer}");
    if has_man() {
        assert!(answer["parts"][0]["to_do"].as_str().unwrap().contains("MANPATH"), "{answer}");
    }
    repo.wf(&["setup", "--manual", "pages", "--uninstall"]).fails(2);
    repo.write("file", "x");
    let error = repo.wf(&["setup", "--manual", "file", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "cannot-write");
}

#[test]
fn no_line_of_the_help_is_wider_than_the_terminal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    for (columns, most) in [(None, 80), (Some("60"), 60), (Some("200"), 100)] {
        let repo = columns.map_or(repo.clone(), |columns| repo.with_env("COLUMNS", columns));
        for args in [&["-h"][..], &["help"], &["solution", "-h"], &["help", "list"]] {
            let text = repo.wf(args).ok().stdout;
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > most).collect();
            assert!(long.is_empty(), "{columns:?} {args:?}: {long:#?}");
        }
    }
}

/// The complaints of a program that reads manual pages; `None` if there are none.
fn complaints(program: &str, args: &[&str], page: &Path) -> Option<String> {
    let ran = Command::new(program).args(args).arg(page).env("LC_ALL", "C.UTF-8").output().ok()?;
    let said = if program == "man" { ran.stderr } else { [ran.stdout, ran.stderr].concat() };
    Some(String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn programs_that_read_manual_pages_have_nothing_to_complain_about() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    for (program, args) in [("man", &["--warnings", "-E", "UTF-8", "-l"][..]), ("mandoc", &["-T", "lint"])] {
        for entry in folder.read_dir().unwrap() {
            let Some(said) = complaints(program, args, &entry.unwrap().path()) else {
                eprintln!("skipped: there is no {program}");
                break;
            };
            assert_eq!(said, "", "{program}");
        }
    }
}

#[test]
fn a_command_is_found_by_the_name_of_its_page() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let shown = |args: &[&str]| repo.wf(&[&["help"], args].concat()).ok().stdout;
    for (page, words) in [
        ("git-wf", &[][..]),
        ("git-wf(1)", &[]),
        ("git-wf-queue", &["queue"]),
        ("git-wf-queue-add(1)", &["queue", "add"]),
        ("git-wf-queue-add.1", &["queue", "add"]),
    ] {
        assert_eq!(shown(&[page]), shown(words), "{page}");
    }
    for page in ["git-wf-nothing", "git-wf-queue-nothing", "git-wfx"] {
        assert_eq!(repo.refused(1, &["help", page])["code"], "not-found", "{page}");
    }
}

#[test]
fn init_says_on_a_terminal_what_the_help_of_git_needs() {
    if !has_man() {
        eprintln!("skipped: there is no `man`");
        return;
    }
    let sandbox = Sandbox::new();
    let repo = installed(&sandbox);
    let (code, told) = repo.on_terminal_of(100, &["init", "--hooks"]);
    assert!(code == 0 && told.contains("`git wf setup` installs completions and the manual pages"), "{told}");
    let again = repo.on_terminal_of(100, &["init", "--hooks"]).1;
    assert!(!again.contains("git wf setup"), "{again}");
    repo.git(&["wf", "setup"]).ok();
    repo.git(&["update-ref", "-d", "refs/wf/main"]).ok();
    let told = repo.on_terminal_of(100, &["init", "--hooks"]).1;
    assert!(told.contains("created refs/wf/main") && !told.contains("git wf setup"), "{told}");
}
