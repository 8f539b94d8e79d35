//! How the program is linked, and the manual pages that it includes.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    pages();
    commit();
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    // A static binary starts with code that expects to be position-independent.
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if (target("OS").as_str(), target("ENV").as_str()) == ("linux", "gnu") && !is_static {
        // A position-independent program relocates its tables of pointers each time it starts, which takes a seventh
        // of the time of `git wf show`. This one is loaded where the linker put it, like programs in Go; the
        // addresses of stack, heap and libraries are still random.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Writes the table of the manual pages, for `git wf help` and `git wf setup`.
fn pages() {
    println!("cargo::rerun-if-changed=man");
    // The table has absolute paths, so another checkout with the same target directory needs its own.
    println!("cargo::rerun-if-env-changed=CARGO_MANIFEST_DIR");
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")).join("man");
    let listed = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.retain(|name| name.rsplit('.').next().is_some_and(|section| matches!(section, "1" | "5" | "7")));
    names.sort();
    let row = |name: &String| format!("({name:?}, include_str!({:?})),\n", folder.join(name));
    let table = format!("&[\n{}]", names.iter().map(row).collect::<String>());
    let path = Path::new(&variable("OUT_DIR")).join("pages.rs");
    std::fs::write(&path, table).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Names the commit that a release is built from, for `--version`: that of the packager, of the published package, or of the
/// work tree. A development build would have to be built again after each commit.
fn commit() {
    println!("cargo::rerun-if-env-changed=GIT_WF_COMMIT");
    let root = variable("CARGO_MANIFEST_DIR");
    let mut commit = variable("GIT_WF_COMMIT");
    if commit.is_empty() && variable("PROFILE") == "release" {
        let published = Path::new(&root).join(".cargo_vcs_info.json");
        commit =
            std::fs::read_to_string(published).map_or_else(|_| head(&root), |text| sha1(&text).to_owned());
    }
    let is_word = commit.bytes().all(|byte| byte.is_ascii_alphanumeric());
    println!("cargo::rustc-env=GIT_WF_BUILT_FROM={}", if is_word { commit.as_str() } else { "" });
}

/// The commit that is checked out, in short; empty outside of a work tree.
fn head(root: &str) -> String {
    let git = |args: &[&str]| {
        let ran = std::process::Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
        ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    };
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default()
}

/// The hash in `{"git":{"sha1":"…"}}`, which cargo writes into packages.
fn sha1(text: &str) -> &str {
    let hash = text.split_once("\"sha1\"").and_then(|(_, rest)| rest.split('"').nth(1)).unwrap_or_default();
    hash.get(..12).unwrap_or_default()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
