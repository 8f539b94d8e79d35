//! The published night in little: executors in two clones that claim, conflict, break the tests of others, are killed, and land.

use std::path::Path;

use crate::support::Sandbox;

#[test]
fn a_small_night_ends_with_everything_landed_or_named() {
    let sandbox = Sandbox::new();
    let place = sandbox.repo("place");
    let has_python =
        place.sh(&["-c", "python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'"]).code == 0;
    if !has_python {
        eprintln!("skipped: there is no Python 3.9 or later");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/night/night.py");
    let kept = sandbox.root().join("night");
    let words = format!("python3 -B '{}' --small --keep '{}'", script.display(), kept.display());
    let ran = place.sh(&["-c", &words]).ok();
    assert!(
        ran.stdout.contains("5 of 6 landed, 6 landings green, conflicts: 1, broken tests: 1"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.ends_with("everything holds\n"), "{}", ran.stdout);
}
