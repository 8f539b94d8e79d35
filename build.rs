//! How the program is linked, and the manual pages that it includes.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    pages();
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

/// Writes the table of the manual pages, for `git wf help --install`.
fn pages() {
    println!("cargo::rerun-if-changed=man");
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

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
