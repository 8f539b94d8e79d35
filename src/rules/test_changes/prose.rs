//! Files that no program loads.

/// The ends of their names.
const ENDS: &[&str] =
    &["md", "markdown", "rst", "txt", "adoc", "asciidoc", "org", "png", "jpg", "pdf", "log", "csv"];
/// Directories with the settings of hosts.
const OF_HOSTS: &[&str] = &[".github/", ".gitlab/", ".circleci/", ".forgejo/", ".gitea/", "docs/"];

/// Whether a file is a text for people, or for a host: whatever words are in it, it changes nothing in a test.
pub(crate) fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_end = name.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end));
    let is_of_host = OF_HOSTS.iter().any(|folder| path.starts_with(folder))
        && [".yml", ".yaml"].iter().any(|end| name.ends_with(end));
    has_end || is_of_host || name == ".gitlab-ci.yml"
}
