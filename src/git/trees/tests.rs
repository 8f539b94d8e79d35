use super::*;

#[test]
fn names_that_git_refuses() {
    for name in [
        "",
        ".",
        "..",
        ".git",
        ".GIT",
        ".git ",
        ".git.",
        ".git::$INDEX_ALLOCATION",
        "git~1",
        "GIT~1",
        ".g\u{200c}it",
        ".gitmodules",
        ".gitmodules .",
        "a/b",
        "..\\.git",
        "a\0b",
        "git~1 ..",
        "x\\git~1",
        "git~1\\x",
        "gitmod~4",
        "GITATT~1:x",
        "gi7eba~1",
        "gi7eb~10",
        "GI7E~123",
        "gi7d2~12",
        "gi~12345",
        "~1234567",
    ] {
        assert!(name_refusal(name.into()).is_some(), "{name:?}");
    }
    assert!(name_refusal("x".repeat(4097).as_str().into()).is_some());
    let long = "x".repeat(300);
    for name in [
        "wf.json",
        "issues",
        "...",
        "a~b",
        "a~1",
        "git~2",
        "git~10",
        "gitmod~5",
        "gitmod~0",
        "gi7eba~10",
        "gi7eb~1",
        "gi7eb~01",
        "gi7ec~10",
        "~123456",
        "ISS-001",
        "\u{202e}txt",
        "\u{200d}",
        "git",
        ".gitignore",
        ".gitkeep",
        ".github",
        "..\\x",
        "a:b",
        " ",
        &long,
    ] {
        assert!(name_refusal(name.into()).is_none(), "{name:?}");
    }
}
