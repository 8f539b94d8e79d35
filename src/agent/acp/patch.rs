//! The files that a patch changes, by its headers.

/// The files that the headers of a patch name: those of a unified diff, of git, and of the form of Codex.
pub(super) fn files(patch: &str) -> Vec<String> {
    const HEADERS: &[&str] = &[
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
        "rename from ",
        "rename to ",
        "copy from ",
        "copy to ",
    ];
    let mut files = Vec::new();
    let mut previous = "";
    for line in patch.lines().map(str::trim_end) {
        if let Some(file) = HEADERS.iter().find_map(|header| line.strip_prefix(header)) {
            files.push(bare(file).to_owned());
        }
        // A line that is removed can begin like a header, but such a pair is one.
        if let (Some(old), Some(new)) = (previous.strip_prefix("--- "), line.strip_prefix("+++ ")) {
            files.extend([old, new].into_iter().flat_map(sides));
        }
        previous = line;
    }
    files
}

/// A file of a unified diff, with and without the `a/` or `b/` that git puts before it.
fn sides(header: &str) -> Vec<String> {
    let file = bare(header.split('\t').next().unwrap_or_default());
    if file == "/dev/null" {
        return Vec::new();
    }
    let inner = file.strip_prefix("a/").or_else(|| file.strip_prefix("b/"));
    [Some(file), inner].into_iter().flatten().map(str::to_owned).collect()
}

fn bare(file: &str) -> &str {
    file.trim().trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_its_files_in_its_headers() {
        for (patch, found) in [
            (
                "*** Begin Patch\n*** Update File: /etc/x\n*** Move to: ../y\n+z\n*** End Patch",
                vec!["/etc/x", "../y"],
            ),
            ("*** Add File: a b\r\n+x\n*** Delete File: c", vec!["a b", "c"]),
            ("--- a/x\t2020-01-01\n+++ \"b/../y\"\n@@", vec!["a/x", "x", "b/../y", "../y"]),
            ("--- /dev/null\n+++ x\n", vec!["x"]),
            ("diff --git a/x b/y\nrename from x\nrename to /etc/y\n", vec!["x", "/etc/y"]),
            ("@@ -1 +1 @@\n--- /etc/x is a comment of SQL\n+-- y\n", vec![]),
            ("x\n++ /etc/y\n  *** Update File: /etc/x", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(files(patch), found, "{patch}");
        }
    }
}
