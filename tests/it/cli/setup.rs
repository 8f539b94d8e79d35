//! `setup`, and `--version`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

/// A user with an empty home directory and only these shells.
fn user(sandbox: &Sandbox, shells: &[&str]) -> (Repo, PathBuf) {
    let (home, bin) = (sandbox.root().join("ada"), sandbox.root().join("shells"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&bin).unwrap();
    for shell in shells {
        std::fs::write(bin.join(shell), "").unwrap();
    }
    let repo = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "BASH_COMPLETION_USER_DIR"]
        .iter()
        .fold(sandbox.repo("a"), |repo, name| repo.without_env(name));
    (repo.with_env("HOME", home.to_str().unwrap()).with_env("PATH", bin.to_str().unwrap()), home)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn states(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    answer["parts"].as_array().unwrap().iter().map(|it| (text(&it["part"]), text(&it["state"]))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(part, state)| ((*part).to_owned(), (*state).to_owned())).collect()
}

#[test]
fn everything_is_put_where_the_shells_of_a_user_look_and_taken_back() {
    let sandbox = Sandbox::new();
    let (repo, home) = user(&sandbox, &["bash", "fish"]);
    let answer = repo.wf(&["setup", "--json"]).ok().json();
    let expected =
        [("manual", "installed"), ("bash", "installed"), ("zsh", "skipped"), ("fish", "installed")];
    assert_eq!(states(&answer), pairs(&expected));
    let bash = home.join(".local/share/bash-completion/completions/git-wf");
    assert!(std::fs::read_to_string(&bash).unwrap().contains("_git_wf()"));
    assert!(home.join(".config/fish/conf.d/git-wf.fish").exists());
    assert!(home.join(".local/share/man/man1/git-wf.1").exists());
    let written = files(&home);
    // A second run writes the same files; other files stay.
    std::fs::write(home.join(".local/share/man/man1/other.1"), "other").unwrap();
    let said = repo.wf(&["setup"]).ok().stdout;
    assert!(said.contains(" manual pages in ~/.local/share/man\n"), "{said}");
    assert!(said.contains("installed the completion for bash in ~/.local/share/bash-completion/"), "{said}");
    assert!(said.contains("skipped zsh, which is not installed\n"), "{said}");
    assert_eq!(files(&home).len(), written.len() + 1);
    let answer = repo.wf(&["setup", "--uninstall", "--json"]).ok().json();
    let expected = [("manual", "removed"), ("bash", "removed"), ("zsh", "absent"), ("fish", "removed")];
    assert_eq!(states(&answer), pairs(&expected));
    assert_eq!(files(&home), [home.join(".local/share/man/man1/other.1")]);
    let again = repo.wf(&["setup", "--uninstall"]).ok().stdout;
    assert!(again.starts_with("no manual pages in ~/.local/share/man\n"), "{again}");
}

#[test]
fn only_directories_that_setup_makes_are_removed() {
    let sandbox = Sandbox::new();
    let (repo, home) = user(&sandbox, &["bash", "fish"]);
    let before =
        [".config/fish/completions", ".config/fish/conf.d", ".local/share"].map(|path| home.join(path));
    before.iter().for_each(|path| std::fs::create_dir_all(path).unwrap());
    repo.wf(&["setup"]).ok();
    repo.wf(&["setup", "--uninstall"]).ok();
    assert!(before.iter().all(|path| path.is_dir()), "they were there before");
    assert_eq!(home.join(".local/share").read_dir().unwrap().count(), 0);
}

#[test]
fn bash_is_told_what_reads_its_completion() {
    let sandbox = Sandbox::new();
    let (repo, _) = user(&sandbox, &["bash"]);
    let data = sandbox.root().join("data");
    std::fs::create_dir_all(data.join("bash-completion")).unwrap();
    std::fs::write(data.join("bash-completion/bash_completion"), "").unwrap();
    let said = repo.with_env("XDG_DATA_DIRS", data.to_str().unwrap()).wf(&["setup"]).ok().stdout;
    assert!(!said.contains("which is not installed: install that"), "{said}");
    if !Path::new("/usr/share/bash-completion/bash_completion").exists()
        && !Path::new("/etc/bash_completion").exists()
    {
        let said = repo.with_env("XDG_DATA_DIRS", "/nowhere").wf(&["setup"]).ok().stdout;
        assert!(said.contains("bash-completion, which is not installed"), "{said}");
    }
}

#[test]
fn a_completion_that_someone_else_wrote_stays() {
    let sandbox = Sandbox::new();
    let (repo, home) = user(&sandbox, &[]);
    let fish = home.join(".config/fish/conf.d/git-wf.fish");
    std::fs::create_dir_all(fish.parent().unwrap()).unwrap();
    std::fs::write(&fish, "# mine\n").unwrap();
    repo.wf(&["setup", "--uninstall"]).ok();
    assert_eq!(std::fs::read_to_string(&fish).unwrap(), "# mine\n");
    let error = repo.without_env("HOME").wf(&["setup", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "no-directory");
    std::fs::remove_dir_all(home.join(".config")).unwrap();
    std::fs::write(home.join(".local"), "a file").unwrap();
    assert_eq!(repo.wf(&["setup", "--json"]).fails(1).json_error()["code"], "cannot-write");
}

/// A store whose issues a shell can complete, for a user of that shell who ran `setup`; `None` if it is not installed.
fn at_a_shell(sandbox: &Sandbox, shell: &str) -> Option<(Repo, PathBuf)> {
    let home = sandbox.root().join("home");
    let repo = ["XDG_DATA_HOME", "XDG_CONFIG_HOME"]
        .iter()
        .fold(sandbox.store("a"), |repo, name| repo.without_env(name));
    if repo.sh(&["-c", &format!("command -v {shell}")]).code != 0 {
        eprintln!("skipped: {shell} is not installed");
        return None;
    }
    repo.wf(&["new", "Tokens expire: too early", "--id", "ISS-001"]).ok();
    repo.wf(&["new", "Search is slow", "--id", "ISS-002"]).ok();
    repo.wf(&["setup"]).ok();
    Some((repo, home))
}

#[test]
fn fish_completes_ids_with_titles() {
    let sandbox = Sandbox::new();
    let Some((repo, _)) = at_a_shell(&sandbox, "fish") else { return };
    for line in ["git-wf show ISS-00", "git wf show ISS-00", "git -C . wf show ISS-00"] {
        let asked = repo.sh(&["-c", &format!("exec fish -c \"complete -C '{line}'\"")]).ok();
        assert_eq!(asked.stdout, "ISS-001\tTokens expire: too early\nISS-002\tSearch is slow\n", "{line}");
    }
    let asked = repo.sh(&["-c", "exec fish -c \"complete -C 'git wf li'\""]).ok();
    assert!(asked.stdout.starts_with("list\t"), "{}", asked.stdout);
}

/// The file is loaded as zsh's `compinit` does, and what it would describe is printed.
#[test]
fn zsh_completes_ids_with_titles() {
    let sandbox = Sandbox::new();
    let Some((repo, home)) = at_a_shell(&sandbox, "zsh") else { return };
    let folder = home.join(".local/share/zsh/site-functions");
    for words in ["git-wf show ISS-00", "wf show ISS-00"] {
        let script = format!(
            "fpath=({} $fpath); autoload -Uz _git-wf; compdef() {{ }}
             _describe() {{ print -rl -- ${{(P)@[-1]}} }}
             words=({words}); CURRENT=3; _git-wf",
            folder.display()
        );
        let asked = repo.sh(&["-c", "exec zsh -f -c \"$1\"", "sh", &script]).ok();
        assert_eq!(
            asked.stdout, "ISS-001:Tokens expire: too early\nISS-002:Search is slow\n",
            "the first time that someone presses Tab after {words}"
        );
    }
}

#[test]
fn the_version_names_the_format_and_git() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(repo.wf(&["-V"]).ok().stdout, format!("git-wf {version}\n"));
    let git = repo.git(&["version"]).ok().line().replace("git version ", "");
    let said = repo.wf(&["--version"]).ok().stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with(&format!("git-wf {version} (")), "{said}");
    assert_eq!(lines[1..], ["format 1", &format!("git {git}")]);
    let answer = repo.wf(&["--version", "--json"]).ok().json();
    assert_eq!(
        (&answer["version"], &answer["format"], &answer["git"]),
        (&json!(version), &json!(1), &json!(git))
    );
    assert_eq!(repo.wf(&["list", "-V"]).ok().stdout, format!("git-wf {version}\n"));
}

#[test]
fn ids_are_completed_in_any_case_and_by_what_tables_show_of_them() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Search is slow"]).ok();
    repo.wf(&["new", "Old", "--id", "GH-7"]).ok();
    let all = repo.json(&["list"]);
    let id = all.as_array().unwrap().iter().find(|it| it["title"] == "Search is slow").unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    let short = id.rsplit_once('-').unwrap().1;
    let completed =
        |begin: &str| repo.with_env("WF_COMPLETE", "fish").wf(&["--", "git-wf", "show", begin]).ok().stdout;
    assert_eq!(completed(&short[..2]), format!("{short}\tSearch is slow\n"));
    assert_eq!(completed(&short[..3].to_uppercase()), format!("{short}\tSearch is slow\n"));
    assert_eq!(completed("iss-"), format!("{id}\tSearch is slow\n"));
    assert_eq!(completed("gh"), "GH-7\tOld\n");
}

#[test]
fn ids_of_plans_are_completed_in_any_case_with_and_without_an_index() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &crate::support::plan());
    let short = plan.rsplit_once('-').unwrap().1;
    let completed = |begin: &str| {
        let asked = repo.with_env("WF_COMPLETE", "fish").wf(&["--", "git-wf", "show", begin]).ok().stdout;
        asked.split('\t').next().unwrap().to_owned()
    };
    for is_indexed in [false, true] {
        if is_indexed {
            repo.wf(&["list"]).ok();
        }
        for begin in ["sol-", "SOL-iss-0", &plan.to_lowercase()] {
            assert_eq!(completed(begin), plan, "{begin}, indexed: {is_indexed}");
        }
        assert_eq!(completed(&short[..3]), short, "indexed: {is_indexed}");
    }
}
